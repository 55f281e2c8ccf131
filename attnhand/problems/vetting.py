"""What makes a sheet good for a class: named predicates, checked while the stages are worked.

Most random matrices make poor sheets: unreadable denominators, flat attention, scores that never show what
rounding down means. Integers and fractions only: no exponential, root or sine decides whether a draw passes.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.matrix import Matrix, flatten, transpose
from attnhand.attention.mechanisms import AttentionStages, Content, Mechanism, Stage
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.operations import (
    Divide,
    Operation,
    Positions,
    Power,
    Product,
    ProductRole,
    ReLU,
    ScaleScores,
)
from attnhand.attention.slips import VETTED_BY_RECIPE_1, StageContext, find_slips
from attnhand.errors import name_option
from attnhand.problems.levels import MAX_JOINED_DENOMINATOR, Requirements

ROUNDED_WAVE_MARGIN = Fraction(1, 1000)
"""Exact scores that lie closer together count as equal where waves of positions are fractions of five decimals."""


@dataclass(frozen=True)
class WorkedStage:
    """One stage as it stands to be looked at, in the columns convention; its result is computed when first needed."""

    context: StageContext
    requirements: Requirements

    @cached_property
    def rational_result(self) -> Matrix | None:
        """What comes out, as far as integers and fractions go; None where it would be irrational.

        Division by a root keeps the order of the scores, so the scores themselves stand in for it.
        """
        rules = self.context.arithmetic.rules
        if isinstance(self.context.operation, ScaleScores) and rules.scale is ScaleRule.SQRT:
            return self.inputs[0]
        if isinstance(self.context.operation, Power) and not rules.is_rational:
            return None
        return self.context.compute_correct()

    @property
    def output(self) -> Matrix:
        """What comes out, for those who ask only where there is a result."""
        assert self.rational_result is not None
        return self.rational_result

    @property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads."""
        return self.context.inputs

    @cached_property
    def token_matrices(self) -> dict[str, Matrix]:
        """The tokens that this stage is the first to read, by name."""
        names = _list_token_names(self.context.mechanism)[self.context.stage.name]
        return {name: self.context.matrices[name] for name in names}

    def find_words(self, token_name: str) -> tuple[int, ...]:
        """Return for each token the first one of its word, where words are looked up; see ``Requirements``."""
        stage_names = {stage.name for stage in self.context.mechanism.stages}
        return self.requirements.query_words if token_name in stage_names else ()

    @property
    def line_words(self) -> tuple[int, ...]:
        """The same for the columns of queries, keys or values."""
        return self.find_words(self.context.stage.input_names[-1])

    @cached_property
    def visible_keys(self) -> tuple[tuple[int, ...], ...]:
        """For each query, the tokens that no mask hides."""
        columns = transpose(self.inputs[0])
        return tuple(tuple(i for i, score in enumerate(column) if score > MINUS_INFINITY) for column in columns)

    @cached_property
    def visible_scores(self) -> tuple[tuple[Number, ...], ...]:
        """For each query, the exponents that no mask hides."""
        columns = transpose(self.inputs[0])
        return tuple(tuple(column[i] for i in keys) for column, keys in zip(columns, self.visible_keys, strict=True))

    @cached_property
    def exact_scores(self) -> tuple[tuple[Number, ...], ...]:
        """For each query the scores that no mask hides, with positions as they are, up to five decimals."""
        attention = find_attention(self.context.mechanism, self.context.stage)
        scores = self._work_exactly(attention.scores)
        return tuple(
            tuple(column[i] for i in keys) for column, keys in zip(transpose(scores), self.visible_keys, strict=True)
        )

    def _work_exactly(self, name: str) -> Matrix:
        mechanism, matrices = self.context.mechanism, self.context.matrices
        stage = next((stage for stage in mechanism.stages if stage.name == name), None)
        if stage is None or not self.has_rounded_positions:
            return matrices[name]
        if isinstance(stage.operation, Positions):
            return stage.operation.apply_in_fractions()
        inputs = (self._work_exactly(each) for each in stage.input_names)
        return stage.operation.apply(self.context.arithmetic, *inputs)

    @property
    def has_rounded_positions(self) -> bool:
        """Say whether positions are sines and cosines, which the hand rounds."""
        return any(isinstance(stage.operation, Positions) for stage in self.context.mechanism.stages)

    @property
    def margin(self) -> Fraction | int:
        """How far apart exact scores must be to count as different."""
        return ROUNDED_WAVE_MARGIN if self.has_rounded_positions else 0

    @cached_property
    def top_keys(self) -> tuple[tuple[int, ...], ...]:
        """For each query the tokens that it attends to most, by hand; of a word said twice the first."""
        return self._find_extremes(self.visible_scores, max, 0)

    @cached_property
    def exact_top_keys(self) -> tuple[tuple[int, ...], ...]:
        """The same, exactly."""
        return self._find_extremes(self.exact_scores, max, self.margin)

    @cached_property
    def least_keys(self) -> tuple[tuple[int, ...], ...]:
        """For each query the tokens that it attends to least, by hand; of a word said twice the first."""
        return self._find_extremes(self.visible_scores, min, 0)

    def list_extreme_keys(self, query: int, choose: Callable[..., Number]) -> list[int]:
        """Return the tokens that a query attends to most, or least, by hand; a word said twice each time."""
        scores = self.visible_scores[query]
        return [i for i, score in zip(self.visible_keys[query], scores, strict=True) if score == choose(scores)]

    def _find_extremes(
        self, scores: Iterable[Sequence[Number]], choose: Callable[..., Number], margin: Fraction | int
    ) -> tuple[tuple[int, ...], ...]:
        words, found = self.requirements.key_words, []
        for keys, column in zip(self.visible_keys, scores, strict=True):
            extreme = choose(column)
            near = [i for i, score in zip(keys, column, strict=True) if -margin <= score - extreme <= margin]  # type: ignore[operator]  # no irrational number is vetted
            found.append(tuple(dict.fromkeys(words[i] for i in near) if words else near))
        return tuple(found)


def find_attention(mechanism: Mechanism, stage: Stage) -> AttentionStages:
    """Return the attention whose powers, or weights, a stage gives."""
    return next(each for each in mechanism.attentions if stage.name in (each.powers, each.weights))


@lru_cache(maxsize=64)
def _list_token_names(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Return, by stage, the matrices of tokens that it is the first to multiply."""
    weights = {given.name for given in mechanism.given if given.content is Content.WEIGHTS}
    products = {stage.name for stage in mechanism.stages if isinstance(stage.operation, Product)}
    seen: set[str] = set()
    found = {}
    for stage in mechanism.stages:
        reads = stage.input_names if stage.role in (ProductRole.PROJECTION, ProductRole.SCORES) else ()
        found[stage.name] = tuple(dict.fromkeys(n for n in reads if n not in weights | products | seen))
        seen |= set(found[stage.name])
    return found


def iterate_worked_stages(
    mechanism: Mechanism, stages: Iterable[Stage], matrices: dict[str, Matrix], requirements: Requirements
) -> Iterator[WorkedStage]:
    """Work stages in order; results join ``matrices``, stages that read an irrational one are skipped."""
    for stage in stages:
        if set(stage.input_names) <= matrices.keys():
            worked = WorkedStage(StageContext(mechanism, stage, requirements.arithmetic, matrices), requirements)
            yield worked
            if worked.rational_result is not None:
                matrices[stage.name] = worked.rational_result


def find_equal_pairs(lines: Matrix, words: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Return which lines are equal, leaving out those that stand for the same word.

    >>> find_equal_pairs(((1, 2), (1, 2), (1, 2)), words=(0, 1, 0))
    [(0, 1), (1, 2)]
    """
    pairs = combinations(range(len(lines)), 2)
    return [(i, j) for i, j in pairs if lines[i] == lines[j] and not (words and words[i] == words[j])]


def _has_different_tokens(worked: WorkedStage) -> bool:
    return all(
        all(map(any, transpose(tokens))) and not find_equal_pairs(transpose(tokens), worked.find_words(name))
        for name, tokens in worked.token_matrices.items()
    )


def _uses_every_feature(worked: WorkedStage) -> bool:
    return all(all(map(any, tokens)) for tokens in worked.token_matrices.values())


def _has_distinct_nonzero_rows(worked: WorkedStage) -> bool:
    rows = worked.output
    return all(map(any, rows)) and all(map(any, transpose(rows))) and not find_equal_pairs(rows)


def _has_different_vectors(worked: WorkedStage) -> bool:
    """Two tokens with one key get equal weights, two with one query the same."""
    columns = transpose(worked.output)
    is_asked = worked.requirements.has_room_to_differ(len(worked.output), len(columns))
    return not (is_asked and find_equal_pairs(columns, worked.line_words))


def _is_in_range(worked: WorkedStage) -> bool:
    required, scores = worked.requirements, [score for column in worked.visible_scores for score in column]
    if required.arithmetic.rules.scale is not ScaleRule.SQRT:
        return required.min_score <= min(scores) and max(scores) <= required.max_score
    # x/√d_k is irrational: compare squares of the scores before scaling
    d_k, low, high = required.arithmetic.d_k, Fraction(min(scores)), Fraction(max(scores))
    return (low >= 0 or (required.min_score < 0 and low * low <= required.min_score**2 * d_k)) and (
        high <= 0 or high * high <= required.max_score**2 * d_k
    )


def is_flat(worked: WorkedStage, query: int) -> bool:
    """Say whether a query attends equally to tokens that are not all the same word."""
    keys, words = worked.visible_keys[query], worked.requirements.key_words
    different = {words[i] for i in keys} if words else keys
    return len(different) > 1 and len(set(worked.visible_scores[query])) == 1


def _has_varied_scores(worked: WorkedStage) -> bool:
    return not any(is_flat(worked, query) for query in range(len(worked.visible_scores)))


def _has_few_top_tokens(worked: WorkedStage) -> bool:
    """Look at the exponents, so that rounding down makes no tie either; the same word twice is no tie."""
    return max(map(len, worked.top_keys)) <= worked.requirements.max_top_tokens


def list_choosing_queries(worked: WorkedStage) -> range:
    """Return the queries that choose among tokens: all, or under a mask those from the third on."""
    count = len(worked.visible_keys)
    is_masked = bool(find_attention(worked.context.mechanism, worked.context.stage).masked)
    return range(min(2, count - 1) if is_masked else 0, count)


def has_own_favourite(worked: WorkedStage, query: int) -> bool:
    """Say whether a query attends most to its own token."""
    words = worked.requirements.key_words
    return worked.top_keys[query] == ((words[query] if words else query),)


def has_clear_other_favourite(worked: WorkedStage) -> bool:
    """Say whether some query attends less to its own token than to another."""
    words = worked.requirements.key_words
    owns = ((words[query] if words else query, query) for query in list_choosing_queries(worked))
    return any(own not in worked.top_keys[query] for own, query in owns)


def has_favourites(top_keys: Sequence[tuple[int, ...]], least: int) -> bool:
    """Say whether queries have so many different favourites; those that share the top of a query do not count twice.

    >>> has_favourites([(0,), (1,), (0, 1)], 2), has_favourites([(0,), (1,), (0, 1)], 3)
    (True, False)
    """
    return min(len(set(top_keys)), len({key for top in top_keys for key in top})) >= least


def _has_enough_favourites(worked: WorkedStage) -> bool:
    if not has_favourites(worked.top_keys, worked.requirements.min_favourites):
        return False
    choosing = list_choosing_queries(worked)
    return choosing.start == 0 or len(choosing) < 2 or len({worked.top_keys[query] for query in choosing}) > 1


def _looks_beyond_itself(worked: WorkedStage) -> bool:
    return not worked.requirements.is_another_favourite_required or not all(
        has_own_favourite(worked, query) for query in list_choosing_queries(worked)
    )


def find_alike_queries(worked: WorkedStage) -> list[tuple[int, int, bool]]:
    """Return which two queries of different words get the same weights, and whether by hand or only exactly."""
    by_hand, exactly = (
        [[score - column[0] for score in column] for column in scores]  # type: ignore[operator]  # no irrational number is vetted
        for scores in (worked.visible_scores, worked.exact_scores)
    )
    keys, words, margin, found = worked.visible_keys, worked.requirements.query_words, worked.margin, []
    for i, j in combinations(range(len(keys)), 2):
        if keys[i] != keys[j] or (words and words[i] == words[j]):
            continue
        is_by_hand = by_hand[i] == by_hand[j]
        if is_by_hand or all(-margin <= x - y <= margin for x, y in zip(exactly[i], exactly[j], strict=True)):  # type: ignore[operator]
            found.append((i, j, is_by_hand))
    return found


def _has_different_weights(worked: WorkedStage) -> bool:
    return not (worked.requirements.are_weights_distinct and find_alike_queries(worked))


def _has_one_least(worked: WorkedStage) -> bool:
    required = worked.requirements
    return not required.is_least_unique or all(len(worked.least_keys[query]) == 1 for query in required.asked_queries)


def _has_honest_shortcut(worked: WorkedStage) -> bool:
    return worked.top_keys == worked.exact_top_keys


def find_head_before(worked: WorkedStage) -> WorkedStage | None:
    """Return the same stage of the head before; None for the first."""
    context = worked.context
    attentions = context.mechanism.attentions
    index = attentions.index(find_attention(context.mechanism, context.stage))
    if not index:
        return None
    before = context.mechanism.get_stage(attentions[index - 1].powers or attentions[index - 1].weights)
    return WorkedStage(replace(context, stage=before), worked.requirements)


def _differs_from_head_before(worked: WorkedStage) -> bool:
    before = find_head_before(worked)
    return before is None or before.top_keys != worked.top_keys


def _shows_floor(worked: WorkedStage) -> bool:
    divisor = worked.requirements.arithmetic.rules.floor_divisor
    if not worked.requirements.is_fraction_required or divisor is None:
        return True
    return sum(score < 0 and score % divisor != 0 for score in flatten(worked.inputs[0])) >= 2


def _has_negative_score(worked: WorkedStage) -> bool:
    return not worked.requirements.is_fraction_required or min(map(min, worked.visible_scores)) < 0


def _has_different_outputs(worked: WorkedStage) -> bool:
    required = worked.requirements
    return not (required.are_weights_distinct and find_equal_pairs(transpose(worked.output), required.output_words))


def _has_readable_fractions(worked: WorkedStage, least_limit: int = 0) -> bool:
    limit = worked.requirements.max_denominator
    return limit is None or all(Fraction(x).denominator <= max(limit, least_limit) for x in flatten(worked.output))


def _has_readable_joined_fractions(worked: WorkedStage) -> bool:
    return _has_readable_fractions(worked, least_limit=MAX_JOINED_DENOMINATOR)


def _has_nonzero_rows(worked: WorkedStage) -> bool:
    return all(map(any, worked.output))


def _shows_relu(worked: WorkedStage) -> bool:
    entering = flatten(worked.inputs[0])
    return max(entering) > 0 and (not worked.requirements.is_fraction_required or min(entering) < 0)


def _shows_slips(worked: WorkedStage) -> bool:
    """Every vetted slip that applies differs from the key in two cells or more, and from every other slip.

    At the scores themselves there is nothing to ask: what differs from its transpose differs in two cells.
    """
    rules = worked.requirements.arithmetic.rules
    if isinstance(worked.context.operation, ScaleScores) and rules.scale is ScaleRule.SQRT:
        return True
    seen: list[Matrix] = [worked.output]
    for slip in find_slips(worked.context.stage, VETTED_BY_RECIPE_1):
        wrong = slip.compute_wrong(worked.context)
        if wrong is None:
            continue
        if count_differing_cells(worked.output, wrong) < 2 or wrong in seen:
            return False
        seen.append(wrong)
    return True


def count_differing_cells(a: Matrix, b: Matrix) -> int:
    """Count the cells in which two matrices of one shape differ."""
    return sum(x != y for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))


class Predicate(NamedTuple):
    """One thing that makes a sheet good, and the sentence that says so."""

    name: str
    operation_type: type[Operation] | None
    """Where it is asked; None where it says so otherwise."""

    is_met: Callable[[WorkedStage], bool]
    description: str
    """What is asked, as it completes "no draw …"."""

    role: ProductRole | None = None

    is_about_inputs: bool = False
    """Whether it looks at what the stage reads alone, so that it can be asked even where the result is irrational."""

    holds_without_softmax: bool = False
    """Whether it is asked of what is divided where no powers are made of the scores, as in linear attention."""

    is_about_tokens: bool = False
    """Whether it is asked where tokens are first multiplied, whatever the role of the product."""

    is_about_end: bool = False
    """Whether it is asked of what comes out in the end, whatever makes it."""

    @property
    def is_slow(self) -> bool:
        """Say whether it works slips, which takes long."""
        return self.is_met is _shows_slips


def _ask_of_exponents(name: str, is_met: Callable[[WorkedStage], bool], description: str) -> Predicate:
    """Return a predicate about what every query attends to, with a softmax or without."""
    return Predicate(name, Power, is_met, description, is_about_inputs=True, holds_without_softmax=True)


PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        "tokens-differ",
        None,
        _has_different_tokens,
        "makes every token different",
        is_about_inputs=True,
        is_about_tokens=True,
    ),
    Predicate(
        "features-used",
        None,
        _uses_every_feature,
        "gives every feature to some token",
        is_about_inputs=True,
        is_about_tokens=True,
    ),
    Predicate(
        "rows-alive",
        Product,
        _has_distinct_nonzero_rows,
        "keeps every row and column of Q, K and V non-zero and every row different",
        ProductRole.PROJECTION,
    ),
    Predicate(
        "vectors-differ",
        Product,
        _has_different_vectors,
        "makes all queries, keys and values different",
        ProductRole.PROJECTION,
    ),
    Predicate(
        "floor-shows",
        ScaleScores,
        _shows_floor,
        "shows in two cells that rounding down is not cutting off",
        is_about_inputs=True,
    ),
    Predicate("slips-show", ScaleScores, _shows_slips, "tells rounding down from the slips at that stage"),
    Predicate(
        "in-range", Power, _is_in_range, "keeps the scores small enough for powers by hand", is_about_inputs=True
    ),
    Predicate(
        "negative-score",
        Power,
        _has_negative_score,
        "has a negative score, so that some power is a fraction",
        is_about_inputs=True,
    ),
    _ask_of_exponents("not-flat", _has_varied_scores, "gives every query weights that differ"),
    _ask_of_exponents(
        "few-on-top",
        _has_few_top_tokens,
        "gives every query one token it attends to most, or a few above 6 tokens "
        f"({name_option('allow_ties', value=True)} allows more)",
    ),
    _ask_of_exponents("weights-differ", _has_different_weights, "gives every query weights of its own"),
    _ask_of_exponents("favourites-differ", _has_enough_favourites, "lets queries attend most to different tokens"),
    _ask_of_exponents(
        "looks-beyond", _looks_beyond_itself, "lets some query attend most to another token than its own"
    ),
    _ask_of_exponents("one-least", _has_one_least, "gives the query that is asked one token it attends to least"),
    _ask_of_exponents("heads-differ", _differs_from_head_before, "gives some query another favourite in another head"),
    _ask_of_exponents(
        "same-favourite", _has_honest_shortcut, "gives every query the same favourite by hand and exactly"
    ),
    Predicate("slips-show", Power, _shows_slips, "tells powers from the slips at that stage"),
    Predicate("readable", Divide, _has_readable_fractions, "keeps the fractions of A readable"),
    Predicate("slips-show", Divide, _shows_slips, "tells dividing along the right axis from the other one"),
    Predicate(
        "outputs-differ", Product, _has_different_outputs, "gives every token an output of its own", ProductRole.MIXTURE
    ),
    Predicate("slips-show", Product, _shows_slips, "tells V A from V Aᵀ", ProductRole.MIXTURE),
    Predicate(
        "layer-alive", Product, _has_nonzero_rows, "leaves something in every row after attention", ProductRole.LAYER
    ),
    Predicate(
        "readable",
        Product,
        _has_readable_joined_fractions,
        "keeps the fractions after attention readable",
        ProductRole.LAYER,
    ),
    Predicate("bends", ReLU, _shows_relu, "shows what ReLU does"),
    Predicate(
        "outputs-differ", None, _has_different_outputs, "gives every token an output of its own", is_about_end=True
    ),
)
"""In the order they are asked at a stage: cheap ones first, slips last."""


def is_applicable(predicate: Predicate, worked: WorkedStage) -> bool:
    """Say whether that is asked at this stage, and can be asked of what came out."""
    return predicate in list_predicates(worked.context.mechanism)[worked.context.stage.name] and (
        predicate.is_about_inputs or worked.rational_result is not None
    )


def find_first_failed(worked: WorkedStage, predicates: Iterable[Predicate] | None = None) -> str | None:
    """Return what the first failed predicate asks, of all that are asked at the stage or of those given."""
    if predicates is None:
        predicates = list_predicates(worked.context.mechanism)[worked.context.stage.name]
    for predicate in predicates:
        can_be_asked = predicate.is_about_inputs or worked.rational_result is not None
        if can_be_asked and not predicate.is_met(worked):
            return predicate.description
    return None


@lru_cache(maxsize=64)
def list_predicates(mechanism: Mechanism) -> "PredicatesByStage":
    """Return what is asked at each stage."""
    return {
        stage.name: tuple(predicate for predicate in PREDICATES if _is_asked(predicate, mechanism, stage))
        for stage in mechanism.stages
    }


PredicatesByStage = dict[str, tuple[Predicate, ...]]


def split_predicates(
    mechanism: Mechanism, passed_over: Collection[str] = ()
) -> tuple[PredicatesByStage, PredicatesByStage]:
    """Return what is asked at each stage: first what is quick to ask, then what works slips.

    Args:
        passed_over: names of those that are not asked.
    """
    quick, slow = (
        {
            name: tuple(each for each in asked if each.is_slow is is_slow and each.name not in passed_over)
            for name, asked in list_predicates(mechanism).items()
        }
        for is_slow in (False, True)
    )
    return quick, slow


def _is_asked(predicate: Predicate, mechanism: Mechanism, stage: Stage) -> bool:
    if predicate.is_about_tokens:
        return bool(_list_token_names(mechanism)[stage.name])
    if predicate.is_about_end:
        return stage == mechanism.stages[-1] and stage.role is not ProductRole.MIXTURE
    assert predicate.operation_type is not None
    divides_no_powers = isinstance(stage.operation, Divide) and not find_attention(mechanism, stage).powers
    is_like = isinstance(stage.operation, predicate.operation_type) and stage.role is predicate.role
    return is_like or (divides_no_powers and predicate.holds_without_softmax)
