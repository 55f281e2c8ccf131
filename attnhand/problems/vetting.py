"""What makes a sheet good for a class: named predicates, checked while the stages are worked.

Most random matrices make poor sheets: unreadable denominators, flat attention, scores that never show what
rounding down means. Integers and fractions only: no exponential, root or sine decides whether a draw passes.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from attnhand.attention.arithmetic import WAVE_DECIMALS, ScaleRule, Waves
from attnhand.attention.matrix import Matrix, flatten, map_cells, transpose
from attnhand.attention.mechanisms import AttentionStages, Content, Dimension, Mechanism, Stage
from attnhand.attention.mechanisms.base import Form, Hiding
from attnhand.attention.mechanisms.cells import list_numbers
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.numbers import Number, has_irrational, is_finite
from attnhand.attention.slips import VETTED_BY_RECIPE_1, StageContext, find_slips
from attnhand.errors import name_option
from attnhand.problems.criteria import (
    IntVector,
    QueryView,
    are_readable,
    are_rows_alive,
    count_repeats,
    count_telling,
    count_zeros,
    has_different_weights,
    has_enough_favourites,
    has_few_on_top,
    has_honest_shortcut,
    has_negative_score,
    has_one_least,
    is_flat,
    is_in_range,
    list_tops,
    looks_beyond_itself,
    shows_rounding_down,
    view_query,
)
from attnhand.problems.levels import Requirements

ROUNDED_WAVE_MARGIN = Fraction(1, 1000)
"""Exact scores that lie closer together count as equal where waves of positions are fractions of five decimals."""

ROOT_DECIMALS = 10
"""Decimals of √d_k where distances are subtracted from what is divided by it."""


@dataclass(frozen=True)
class WorkedStage:
    """One stage as it stands to be looked at, in the columns convention; its result is computed when first needed."""

    context: StageContext
    requirements: Requirements

    @cached_property
    def rational_result(self) -> Matrix | None:
        """What comes out, as far as integers and fractions go; None where it would be irrational.

        Division by a root keeps the order of the scores, so the scores themselves stand in for it; where distances are
        subtracted, it is a fraction of ten decimals. Scores of keys that are turned by radians are taken to five.
        """
        rules = self.context.arithmetic.rules
        if self.context.stage.form is Form.SCALE and rules.scale is ScaleRule.SQRT:
            return self._divide_by_root(self.inputs[0]) if self._has_distances else self.inputs[0]
        if self.context.stage.form is Form.POWER and not rules.is_rational:
            return None
        if self.context.stage.topic == "root" and not rules.has_whole_stream:
            return None
        if self.context.stage.role is ProductRole.SCORES and any(map(has_irrational, map(flatten, self.inputs))):
            return map_cells(_take_five_decimals, self.context.compute_correct())
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

    @property
    def predicates(self) -> "tuple[Predicate, ...]":
        """What is asked at this stage."""
        return list_predicates(self.context.mechanism)[self.context.stage.name]

    @cached_property
    def token_matrices(self) -> dict[str, Matrix]:
        """The tokens that this stage is the first to read, by name."""
        names = _list_token_names(self.context.mechanism)[self.context.stage.name]
        return {name: self.context.matrices[name] for name in names}

    @property
    def complete_token_matrices(self) -> dict[str, Matrix]:
        """Those of them that have all tokens: who only asks may be one of many."""
        return {name: a for name, a in self.token_matrices.items() if self.has_all_tokens(self.find_token_axis(name))}

    def find_token_axis(self, name: str) -> Dimension:
        """Return the side of a matrix of tokens along which they stand."""
        given = {each.name: each.columns for each in self.context.mechanism.given}
        return given.get(name) or self.context.mechanism.get_stage(name).columns

    def has_all_tokens(self, axis: Dimension) -> bool:
        """Say whether there is a vector for every token along a side, as there is for those that are looked at."""
        return not (self.requirements.has_few_askers and axis.size_name == "tokens")

    def find_words(self, token_name: str) -> tuple[int, ...]:
        """Return for each token the first one of its word, where words are looked up; see ``Requirements``."""
        stage_names = {stage.name for stage in self.context.mechanism.stages}
        return self.requirements.query_words if token_name in stage_names else ()

    @property
    def vector_words(self) -> tuple[int, ...]:
        """The same for the columns of queries, keys or values."""
        return self.find_words(self.context.stage.input_names[-1])

    @property
    def is_masked(self) -> bool:
        """Say whether a mask hides later keys from this head's queries."""
        masked = self.context.mechanism.find_stage(find_attention(self.context.mechanism, self.context.stage).masked)
        return masked is not None and Hiding.LATER in masked.hidings

    @cached_property
    def views(self) -> tuple[QueryView, ...]:
        """What every query of this head sees, by hand, where the stage reads exponents."""
        views = []
        for column in transpose(self.inputs[0]):
            keys = tuple(key for key, exponent in enumerate(column) if is_finite(exponent))
            views.append(view_query(self.requirements, keys, tuple(column[key] for key in keys)))
        return tuple(views)

    @cached_property
    def exact_scores(self) -> Matrix:
        """For every query of this head its scores, not scaled, with positions as they are, up to five decimals.

        Where distances are subtracted, it is after that: divided by the root they have another order.
        """
        attention, mechanism = find_attention(self.context.mechanism, self.context.stage), self.context.mechanism
        if self._has_distances and (biased := mechanism.find_stage(attention.biased)) is not None:
            scores = self._work_exactly(attention.scores or attention.scaled)
            is_scaled = attention.scores and mechanism.find_stage(attention.scaled) is not None
            divided = self._divide_by_root(scores) if is_scaled else scores
            return transpose(biased.work(self.context.arithmetic, {biased.input_names[0]: divided}))
        return transpose(self._work_exactly(attention.scores))

    @property
    def _has_distances(self) -> bool:
        return any(attention.biased for attention in self.context.mechanism.attentions)

    def _divide_by_root(self, scores: Matrix) -> Matrix:
        """Return scores over √d_k to ten decimals: enough to tell which is larger, and the same on every machine."""
        unit = 10**ROOT_DECIMALS
        root = Fraction(math.isqrt(self.context.arithmetic.d_k * unit**2), unit)
        return map_cells(lambda score: Fraction(score) / root, scores)

    def _work_exactly(self, name: str) -> Matrix:
        mechanism, matrices = self.context.mechanism, self.context.matrices
        stage = next((stage for stage in mechanism.stages if stage.name == name), None)
        if stage is None or not self.has_rounded_positions:
            return matrices[name]
        if stage.form is Form.POSITION:
            return stage.work(replace(self.context.arithmetic, waves=Waves.FRACTIONS), {})
        return stage.work(self.context.arithmetic, {each: self._work_exactly(each) for each in stage.input_names})

    @property
    def has_rounded_positions(self) -> bool:
        """Say whether positions are sines and cosines, which the hand rounds."""
        return any(stage.form is Form.POSITION for stage in self.context.mechanism.stages)

    @property
    def margin(self) -> Fraction | int:
        """How far apart exact scores must be to count as different."""
        return ROUNDED_WAVE_MARGIN if self.has_rounded_positions else 0


def _take_five_decimals(value: Number) -> Fraction:
    unit = 10**WAVE_DECIMALS
    return Fraction(round(value * unit), unit)


def find_attention(mechanism: Mechanism, stage: Stage) -> AttentionStages:
    """Return the attention whose powers, or weights, a stage gives."""
    return next(each for each in mechanism.attentions if stage.name in (each.powers, each.weights))


@lru_cache(maxsize=64)
def _list_token_names(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    """Return, by stage, the matrices of tokens that it is the first to multiply; keys that were kept are none."""
    others = {given.name for given in mechanism.given if given.content is not Content.TOKENS}
    made = {stage.name for stage in mechanism.stages if stage.product is not None or stage.topic == "appended"}
    seen: set[str] = set()
    found = {}
    for stage in mechanism.stages:
        reads = stage.input_names if stage.role in (ProductRole.PROJECTION, ProductRole.SCORES) else ()
        found[stage.name] = tuple(dict.fromkeys(n for n in reads if n not in others | made | seen))
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


# what no scores tell


def _has_different_tokens(worked: WorkedStage) -> bool:
    return not any(
        count_zeros(tokens) or count_repeats(tokens, worked.find_words(name))
        for name, tokens in ((name, transpose(a)) for name, a in worked.token_matrices.items())
    )


def _uses_every_feature(worked: WorkedStage) -> bool:
    return not any(map(count_zeros, worked.complete_token_matrices.values()))


def _has_telling_example(worked: WorkedStage) -> bool:
    """Of the pairs that make the first cell, one at least is without a 0: a sheet works this cell, or a better one."""
    return any(all(pair) for pair in list_numbers(worked.context.stage, worked.context.matrices, 0, 0))


def list_telling_cells(worked: WorkedStage) -> list[tuple[int, int]]:
    """Return the cells in which a first sheet shows how a stage is worked: all of the first query and the first key.

    Under a mask the first output is mixed of one value alone.
    """
    if worked.requirements.min_telling_products == 1 or worked.context.stage.topic == "values":
        return []
    match worked.context.stage.role:
        case ProductRole.PROJECTION:
            return [(row, 0) for row in range(len(worked.output))]
        case ProductRole.MIXTURE if any(form.masked for form in worked.context.mechanism.attentions):
            return []
        case _:
            return [(0, 0)]


def count_telling_products(worked: WorkedStage, row: int, column: int) -> tuple[int, int]:
    """Return how many products of a cell are not 0, and how many it needs: two, of one that has no more one."""
    pairs = list_numbers(worked.context.stage, worked.context.matrices, row, column)
    return count_telling(pairs), min(worked.requirements.min_telling_products, len(pairs))


def _has_telling_cells(worked: WorkedStage) -> bool:
    counts = [count_telling_products(worked, *cell) for cell in list_telling_cells(worked)]
    return all(count >= needed for count, needed in counts)


def _has_rows_alive(worked: WorkedStage) -> bool:
    is_whole = worked.has_all_tokens(worked.context.stage.columns)
    return not is_whole or are_rows_alive(worked.output, transpose(worked.output))


def _has_different_vectors(worked: WorkedStage) -> bool:
    """Two tokens with one key get equal weights, two with one query the same."""
    columns = transpose(worked.output)
    is_asked = worked.requirements.has_room_to_differ(len(worked.output), len(columns))
    return not (is_asked and count_repeats(columns, worked.vector_words))


def _shows_floor(worked: WorkedStage) -> bool:
    divisor = worked.requirements.arithmetic.rules.floor_divisor
    if not worked.requirements.is_fraction_required or divisor is None:
        return True
    return shows_rounding_down(flatten(worked.inputs[0]), divisor, only_negative=True)


def _is_in_range(worked: WorkedStage) -> bool:
    exponents = list(filter(is_finite, flatten(worked.inputs[0])))
    return all(is_in_range(worked.requirements, exponent) for exponent in (min(exponents), max(exponents)))


def _has_varied_scores(worked: WorkedStage) -> bool:
    return not any(is_flat(worked.requirements, view) for view in worked.views)


def _has_few_on_top(worked: WorkedStage) -> bool:
    return all(has_few_on_top(worked.requirements, view) for view in worked.views)


def find_tops_before(
    mechanism: Mechanism, attention: AttentionStages, matrices: Mapping[str, Matrix], requirements: Requirements
) -> tuple[IntVector, ...] | None:
    """Return what each query attends to most in the head before, by hand; None for the first."""
    if not (index := mechanism.attentions.index(attention)):
        return None
    before = mechanism.attentions[index - 1]
    stage = mechanism.get_stage(before.powers or before.weights)
    context = StageContext(mechanism, stage, requirements.arithmetic, matrices)
    return list_tops(WorkedStage(context, requirements))


def _differs_from_head_before(worked: WorkedStage) -> bool:
    context = worked.context
    attention = find_attention(context.mechanism, context.stage)
    tops_before = find_tops_before(context.mechanism, attention, context.matrices, worked.requirements)
    return list_tops(worked) != tops_before


def _has_different_outputs(worked: WorkedStage) -> bool:
    required = worked.requirements
    return not (required.are_weights_distinct and count_repeats(transpose(worked.output), required.output_words))


def _ends_with_different_outputs(worked: WorkedStage) -> bool:
    """Mixtures that are normalised and added to nothing are a few small whole numbers: these may be alike."""
    topics = {stage.topic for stage in worked.context.mechanism.stages}
    return ("normed" in topics and "residual" not in topics) or _has_different_outputs(worked)


def _has_readable_weights(worked: WorkedStage) -> bool:
    return are_readable(flatten(worked.output), worked.requirements.max_denominator)


def _has_readable_layer(worked: WorkedStage) -> bool:
    return are_readable(flatten(worked.output), worked.requirements.max_joined_denominator)


def _has_nonzero_rows(worked: WorkedStage) -> bool:
    return not count_zeros(worked.output)


def _shows_relu(worked: WorkedStage) -> bool:
    entering = flatten(worked.inputs[0])
    return max(entering) > 0 > min(entering)


def _shows_slips(worked: WorkedStage) -> bool:
    """Every vetted slip that applies differs from the key in two cells or more, and from every other slip.

    At the scores themselves there is nothing to ask: what differs from its transpose differs in two cells.
    """
    if worked.rational_result is None:
        return True
    rules = worked.requirements.arithmetic.rules
    if worked.context.stage.form is Form.SCALE and rules.scale is ScaleRule.SQRT:
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


class Place(Enum):
    """At which stages something is asked."""

    TOKENS = "where tokens are first multiplied"
    EXAMPLE = "the product of which a cell is worked on the sheet"
    ATTENTION = "products as far as a head's outputs"
    PROJECTION = "queries, keys, values; with a cache also kept and new ones together"
    SCALING = "scores that are scaled"
    EXPONENTS = "what the softmax makes powers of; where there is none, what is divided"
    POWERS = "the powers themselves"
    WEIGHTS = "what is divided by its sums"
    MIXTURE = "a head's outputs"
    LAYER = "what weights make of outputs"
    RELU = "what ReLU leaves"
    END = "the last stage, where it is no mixture and no gradient"


def _list_places(mechanism: Mechanism, stage: Stage) -> list[Place]:
    """Return which of these a stage is."""
    form, role = stage.form, stage.role
    shares_out = bool(mechanism.attentions)  # else no stage has all that belongs together
    gives_weights = any(stage.name == each.weights for each in mechanism.attentions)
    gives_powers = any(stage.name == each.powers for each in mechanism.attentions)
    divides_scores = gives_weights and not find_attention(mechanism, stage).powers
    new = mechanism.find_stage(stage.formula.reads[-1]) if stage.topic == "appended" else None
    is_projection = (new or stage).role is ProductRole.PROJECTION and not _reads_words_out(mechanism)
    places = {
        Place.TOKENS: bool(_list_token_names(mechanism)[stage.name]),
        Place.EXAMPLE: role is ProductRole.PROJECTION and stage == mechanism.find_first_product(),
        Place.ATTENTION: role in (ProductRole.PROJECTION, ProductRole.SCORES, ProductRole.MIXTURE),
        Place.PROJECTION: is_projection,
        Place.SCALING: form is Form.SCALE and shares_out,
        Place.EXPONENTS: gives_powers or divides_scores,
        Place.POWERS: gives_powers,
        Place.WEIGHTS: gives_weights,
        Place.MIXTURE: role is ProductRole.MIXTURE and shares_out,
        Place.LAYER: role is ProductRole.LAYER,
        Place.RELU: form is Form.LARGEST,
        Place.END: stage == mechanism.stages[-1] and role not in (ProductRole.MIXTURE, ProductRole.GRADIENT),
    }
    return [place for place, is_here in places.items() if is_here]


class Predicate(NamedTuple):
    """One thing that makes a sheet good, and the sentence that says so."""

    name: str
    place: Place
    """Where it is asked."""

    is_met: Callable[[WorkedStage], bool]
    description: str
    """What is asked, as it completes "no draw …"."""

    @property
    def is_slow(self) -> bool:
        """Say whether it works slips, which takes long."""
        return self.is_met is _shows_slips


PREDICATES: tuple[Predicate, ...] = (
    Predicate("tokens-differ", Place.TOKENS, _has_different_tokens, "makes every token different"),
    Predicate("features-used", Place.TOKENS, _uses_every_feature, "gives every feature to some token"),
    Predicate(
        "rows-alive",
        Place.PROJECTION,
        _has_rows_alive,
        "keeps every row and column of Q, K and V non-zero and every row different",
    ),
    Predicate(
        "vectors-differ", Place.PROJECTION, _has_different_vectors, "makes all queries, keys and values different"
    ),
    Predicate("example-tells", Place.EXAMPLE, _has_telling_example, "gives the worked example a product that is not 0"),
    Predicate(
        "products-tell",
        Place.ATTENTION,
        _has_telling_cells,
        "gives the first query, the first key and what is made of them two products that are not 0",
    ),
    Predicate("floor-shows", Place.SCALING, _shows_floor, "shows in two cells that rounding down is not cutting off"),
    Predicate("slips-show", Place.SCALING, _shows_slips, "tells rounding down from the slips at that stage"),
    Predicate("in-range", Place.POWERS, _is_in_range, "keeps the scores small enough for powers by hand"),
    Predicate(
        "negative-score", Place.POWERS, has_negative_score, "has a negative score, so that some power is a fraction"
    ),
    Predicate("not-flat", Place.EXPONENTS, _has_varied_scores, "gives every query weights that differ"),
    Predicate(
        "few-on-top",
        Place.EXPONENTS,
        _has_few_on_top,
        "gives every query one token it attends to most, or a few above 6 tokens "
        f"({name_option('allow_ties', value=True)} allows more)",
    ),
    Predicate("weights-differ", Place.EXPONENTS, has_different_weights, "gives every query weights of its own"),
    Predicate(
        "favourites-differ", Place.EXPONENTS, has_enough_favourites, "lets queries attend most to different tokens"
    ),
    Predicate(
        "looks-beyond",
        Place.EXPONENTS,
        looks_beyond_itself,
        "lets some query attend most to another token than its own",
    ),
    Predicate(
        "one-least", Place.EXPONENTS, has_one_least, "gives the query that is asked one token it attends to least"
    ),
    Predicate(
        "heads-differ",
        Place.EXPONENTS,
        _differs_from_head_before,
        "gives some query another favourite in another head",
    ),
    Predicate(
        "same-favourite",
        Place.EXPONENTS,
        has_honest_shortcut,
        "gives every query the same favourite by hand and exactly",
    ),
    Predicate("slips-show", Place.POWERS, _shows_slips, "tells powers from the slips at that stage"),
    Predicate("readable", Place.WEIGHTS, _has_readable_weights, "keeps the fractions of A readable"),
    Predicate("slips-show", Place.WEIGHTS, _shows_slips, "tells dividing along the right axis from the other one"),
    Predicate("outputs-differ", Place.MIXTURE, _has_different_outputs, "gives every token an output of its own"),
    Predicate("slips-show", Place.MIXTURE, _shows_slips, "tells V A from V Aᵀ"),
    Predicate("layer-alive", Place.LAYER, _has_nonzero_rows, "leaves something in every row after attention"),
    Predicate("readable", Place.LAYER, _has_readable_layer, "keeps the fractions after attention readable"),
    Predicate("bends", Place.RELU, _shows_relu, "shows what ReLU does"),
    Predicate("outputs-differ", Place.END, _ends_with_different_outputs, "gives every token an output of its own"),
)
"""In the order they are asked at a stage: cheap ones first, slips last."""

SHOWN_BY_SEVERAL_QUERIES = frozenset(
    ("products-tell", "floor-shows", "slips-show", "negative-score", "heads-differ", "layer-alive", "bends")
)
"""What one query alone can hardly show: not asked of a step with a cache, which works the last of many."""

PredicatesByStage = dict[str, tuple[Predicate, ...]]


@lru_cache(maxsize=64)
def list_predicates(mechanism: Mechanism) -> PredicatesByStage:
    """Return what is asked at each stage."""
    places = {stage.name: _list_places(mechanism, stage) for stage in mechanism.stages}
    asked = [each for each in PREDICATES if not (each.is_slow and _reads_words_out(mechanism))]
    if any(stage.topic == "appended" for stage in mechanism.stages):
        asked = [each for each in asked if each.name not in SHOWN_BY_SEVERAL_QUERIES]
    return {name: tuple(each for each in asked if each.place in here) for name, here in places.items()}


def _reads_words_out(mechanism: Mechanism) -> bool:
    """Say whether words of a vocabulary are chosen among: by one vector, which is too little to show every slip."""
    return mechanism.formulas.letters.get("k") == "vocabulary"


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


def find_first_failed(worked: WorkedStage, predicates: Iterable[Predicate] | None = None) -> str | None:
    """Return what the first failed predicate asks, of all that are asked at the stage or of those given."""
    asked = worked.predicates if predicates is None else predicates
    return next((each.description for each in asked if not each.is_met(worked)), None)


def find_failure(
    worked_stages: Iterable[WorkedStage],
    predicates: tuple[PredicatesByStage, PredicatesByStage],
    ask_first: Callable[[WorkedStage], str | None] = lambda _: None,
) -> str | None:
    """Return what stages fail first: what is quick to ask while they are worked, slips when all of them stand.

    Args:
        predicates: from ``split_predicates``.
        ask_first: what is asked of every stage before.
    """
    quick, slow = predicates
    worked_before = []
    for worked in worked_stages:
        if (failure := ask_first(worked) or find_first_failed(worked, quick[worked.context.stage.name])) is not None:
            return failure
        worked_before.append(worked)
    failures = (find_first_failed(worked, slow[worked.context.stage.name]) for worked in worked_before)
    return next((failure for failure in failures if failure is not None), None)
