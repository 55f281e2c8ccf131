"""What makes a sheet good for a class: named predicates, checked while the stages are worked.

Most random matrices make poor sheets: unreadable denominators, flat attention, scores that never show what
rounding down means. Integers and fractions only: no exponential, root or sine decides whether a draw passes.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.operations import OPERATIONS, Divide, Operation, Power, Product, ProductRole, ReLU, ScaleScores
from attnhand.attention.slips import VETTED_BY_RECIPE_1, StageContext, find_slips
from attnhand.errors import name_option
from attnhand.problems.levels import MAX_JOINED_DENOMINATOR, Requirements


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
    def visible_scores(self) -> tuple[tuple[Number, ...], ...]:
        """For each query, the exponents that no mask hides."""
        return tuple(tuple(score for score in column if score > MINUS_INFINITY) for column in transpose(self.inputs[0]))


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


def _has_distinct_nonzero_rows(worked: WorkedStage) -> bool:
    rows, columns = worked.output, transpose(worked.output)
    if not (all(map(any, rows)) and all(map(any, columns))) or len(set(rows)) < len(rows):
        return False
    # two tokens with one key get equal weights: avoided where there is room for it
    first_occurrences = worked.requirements.first_occurrences
    different = len(set(first_occurrences)) if len(first_occurrences) == len(columns) else len(columns)
    return len(columns) > 4 or len(rows) < 3 or len(set(columns)) >= different


def _uses_every_feature(worked: WorkedStage) -> bool:
    """Where tokens themselves are compared, no feature is 0 for all of them, if there are tokens enough."""
    context, (features, tokens) = worked.context, shape(worked.inputs[0])
    if tokens < 3 or features > tokens + 1 or context.find_projection(context.stage.input_names[0]):
        return True
    return all(map(any, worked.inputs[0]))


def _is_in_range(worked: WorkedStage) -> bool:
    required, scores = worked.requirements, [score for column in worked.visible_scores for score in column]
    if required.arithmetic.rules.scale is not ScaleRule.SQRT:
        return required.min_score <= min(scores) and max(scores) <= required.max_score
    # x/√d_k is irrational: compare squares of the scores before scaling
    d_k, low, high = required.arithmetic.d_k, Fraction(min(scores)), Fraction(max(scores))
    return (low >= 0 or (required.min_score < 0 and low * low <= required.min_score**2 * d_k)) and (
        high <= 0 or high * high <= required.max_score**2 * d_k
    )


def _has_varied_scores(worked: WorkedStage) -> bool:
    return all(len(column) == 1 or len(set(column)) > 1 for column in worked.visible_scores)


def _has_few_top_tokens(worked: WorkedStage) -> bool:
    """Look at the exponents, so that rounding down makes no tie either; the same word twice is no tie."""
    first, most = worked.requirements.first_occurrences, worked.requirements.max_top_tokens
    for column in transpose(worked.inputs[0]):
        largest = max(column)
        on_top = [i for i, score in enumerate(column) if score == largest]
        if len({first[i] for i in on_top} if first else on_top) > most:
            return False
    return True


def _shows_floor(worked: WorkedStage) -> bool:
    divisor = worked.requirements.arithmetic.rules.floor_divisor
    if not worked.requirements.is_fraction_required or divisor is None:
        return True
    return sum(score < 0 and score % divisor != 0 for score in flatten(worked.inputs[0])) >= 2


def _has_negative_score(worked: WorkedStage) -> bool:
    return not worked.requirements.is_fraction_required or min(map(min, worked.visible_scores)) < 0


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
    operation_type: type[Operation]
    is_met: Callable[[WorkedStage], bool]
    description: str
    """What is asked, as it completes "no draw …"."""

    role: ProductRole | None = None

    is_about_inputs: bool = False
    """Whether it looks at what the stage reads alone, so that it can be asked even where the result is irrational."""

    holds_without_softmax: bool = False
    """Whether it is asked of what is divided where no powers are made of the scores, as in linear attention."""


PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        "rows-alive",
        Product,
        _has_distinct_nonzero_rows,
        "keeps every row and column of Q, K and V non-zero and every row different",
        ProductRole.PROJECTION,
    ),
    Predicate("features-used", Product, _uses_every_feature, "gives every feature to some token", ProductRole.SCORES),
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
    Predicate(
        "not-flat",
        Power,
        _has_varied_scores,
        "gives every query weights that differ",
        is_about_inputs=True,
        holds_without_softmax=True,
    ),
    Predicate(
        "few-on-top",
        Power,
        _has_few_top_tokens,
        "gives every query one token it attends to most, or a few above 6 tokens "
        f"({name_option('allow_ties', value=True)} allows more)",
        is_about_inputs=True,
        holds_without_softmax=True,
    ),
    Predicate("slips-show", Power, _shows_slips, "tells powers from the slips at that stage"),
    Predicate("readable", Divide, _has_readable_fractions, "keeps the fractions of A readable"),
    Predicate("slips-show", Divide, _shows_slips, "tells dividing along the right axis from the other one"),
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
)
"""In the order they are asked at a stage: cheap ones first, slips last."""


def is_applicable(predicate: Predicate, worked: WorkedStage) -> bool:
    """Say whether that is asked at this stage, and can be asked of what came out."""
    return predicate in _PREDICATES_BY_OPERATION[_get_operation_key(worked), None] and (
        predicate.is_about_inputs or worked.rational_result is not None
    )


def find_first_failed(
    worked: WorkedStage, *, slips: bool | None = None, passed_over: Collection[str] = ()
) -> str | None:
    """Return what the first failed predicate asks.

    Args:
        slips: of those about slips alone (slow), the others, or all.
        passed_over: names of those that are not asked.
    """
    for predicate in _PREDICATES_BY_OPERATION[_get_operation_key(worked), slips]:
        can_be_asked = predicate.is_about_inputs or worked.rational_result is not None
        if can_be_asked and predicate.name not in passed_over and not predicate.is_met(worked):
            return predicate.description
    return None


def _get_operation_key(worked: WorkedStage) -> tuple[type[Operation], ProductRole | None, bool]:
    context = worked.context
    divides_no_powers = isinstance(context.operation, Divide) and not any(
        attention.powers for attention in context.mechanism.attentions if attention.weights == context.stage.name
    )
    return type(context.operation), context.stage.role, divides_no_powers


_PREDICATES_BY_OPERATION: dict[Any, tuple[Predicate, ...]] = {
    ((operation, role, divides_no_powers), slips): tuple(
        each
        for each in PREDICATES
        if (
            (issubclass(operation, each.operation_type) and each.role is role)
            or (divides_no_powers and each.holds_without_softmax)
        )
        and slips in (None, each.is_met is _shows_slips)
    )
    for operation in OPERATIONS
    for role in (None, *ProductRole)
    for divides_no_powers in (False, True)
    for slips in (None, False, True)
}
"""By operation, its role and whether slips are asked; it is looked up for every matrix that is drawn."""
