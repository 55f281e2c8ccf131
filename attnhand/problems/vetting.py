"""What makes a sheet good for a class: named predicates, checked while the stages are worked.

Most random matrices make poor sheets: unreadable denominators, flat attention, scores that never show what
rounding down means. Integers and fractions only: no exponential, root or sine decides whether a draw passes.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

from attnhand.attention.arithmetic import Scale
from attnhand.attention.matrix import Matrix, shape, transposed, values
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.operations import Divide, Operation, Power, Product, ReLU, Role, ScaleScores
from attnhand.attention.slips import VETTED_BY_RECIPE_1, Desk, slips_at
from attnhand.problems.levels import JOINED_DENOMINATOR, Requirements


@dataclass(frozen=True)
class Worked:
    """One stage as it stands to be looked at, in the columns convention; it is worked when what comes out is asked."""

    desk: Desk
    requirements: Requirements

    @cached_property
    def result(self) -> Matrix | None:
        """What comes out, as far as integers and fractions go; None where it would be irrational.

        Division by a root keeps the order of the scores, so the scores themselves stand in for it.
        """
        rules = self.desk.arithmetic.rules
        if isinstance(self.desk.operation, ScaleScores) and rules.scale is Scale.SQRT:
            return self.inputs[0]
        if isinstance(self.desk.operation, Power) and not rules.is_rational:
            return None
        return self.desk.right()

    @property
    def output(self) -> Matrix:
        """What comes out, for those who ask only where there is a result."""
        assert self.result is not None
        return self.result

    @property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads."""
        return self.desk.inputs

    @cached_property
    def visible(self) -> tuple[tuple[Number, ...], ...]:
        """For each query, the exponents that no mask hides."""
        return tuple(
            tuple(score for score in column if score > MINUS_INFINITY) for column in transposed(self.inputs[0])
        )


def worked_stages(
    mechanism: Mechanism, stages: Iterable[Stage], known: dict[str, Matrix], requirements: Requirements
) -> Iterator[Worked]:
    """Work stages one after another; what comes out joins ``known``, and what reads the irrational is passed over."""
    for stage in stages:
        if set(stage.reads) <= known.keys():
            worked = Worked(Desk(mechanism, stage, requirements.arithmetic, known), requirements)
            yield worked
            if worked.result is not None:
                known[stage.name] = worked.result


def _rows_alive(worked: Worked) -> bool:
    rows = worked.output
    if not all(map(any, rows)) or len(set(rows)) < len(rows):
        return False
    columns = transposed(rows)
    if not all(map(any, columns)):
        return False
    # two tokens with one key get equal weights: avoided where there is room for it
    alike = worked.requirements.alike
    different = len(set(alike)) if len(alike) == len(columns) else len(columns)
    return len(columns) > 4 or len(rows) < 3 or len(set(columns)) >= different


def _features_used(worked: Worked) -> bool:
    """Where tokens themselves are compared, no feature is 0 for all of them, if there are tokens enough."""
    desk, (features, tokens) = worked.desk, shape(worked.inputs[0])
    if tokens < 3 or features > tokens + 1 or desk.projection(desk.stage.reads[0]):
        return True
    return all(map(any, worked.inputs[0]))


def _in_range(worked: Worked) -> bool:
    wanted, scores = worked.requirements, [score for column in worked.visible for score in column]
    if wanted.arithmetic.rules.scale is not Scale.SQRT:
        return wanted.lowest <= min(scores) and max(scores) <= wanted.highest
    # x/√d_k is irrational: compare squares of the scores before scaling
    d_k, low, high = wanted.arithmetic.d_k, Fraction(min(scores)), Fraction(max(scores))
    return (low >= 0 or (wanted.lowest < 0 and low * low <= wanted.lowest**2 * d_k)) and (
        high <= 0 or high * high <= wanted.highest**2 * d_k
    )


def _not_flat(worked: Worked) -> bool:
    return all(len(column) == 1 or len(set(column)) > 1 for column in worked.visible)


def _few_on_top(worked: Worked) -> bool:
    """Look at the exponents, so that rounding down makes no tie either; the same word twice is no tie."""
    alike = worked.requirements.alike
    for column in transposed(worked.inputs[0]):
        largest = max(column)
        on_top = [i for i, score in enumerate(column) if score == largest]
        if len({alike[i] for i in on_top} if alike else on_top) > worked.requirements.most_on_top:
            return False
    return True


def _floor_shows(worked: Worked) -> bool:
    if not worked.requirements.shows_fractions or worked.requirements.arithmetic.rules.scale is not Scale.HALF_FLOOR:
        return True
    return sum(score < 0 and score % 2 == 1 for score in values(worked.inputs[0])) >= 2


def _has_negative(worked: Worked) -> bool:
    return not worked.requirements.shows_fractions or min(min(column) for column in worked.visible) < 0


def _readable(worked: Worked) -> bool:
    limit = worked.requirements.largest_denominator
    if limit is None:
        return True
    return all(Fraction(value).denominator <= limit for value in values(worked.output))


def _joins_readably(worked: Worked) -> bool:
    if worked.requirements.largest_denominator is None:
        return True
    limit = max(JOINED_DENOMINATOR, worked.requirements.largest_denominator)
    return all(Fraction(value).denominator <= limit for value in values(worked.output))


def _layer_alive(worked: Worked) -> bool:
    return all(map(any, worked.output))


def _bends(worked: Worked) -> bool:
    entering = values(worked.inputs[0])
    return max(entering) > 0 and (not worked.requirements.shows_fractions or min(entering) < 0)


def _slips_show(worked: Worked) -> bool:
    """Every vetted slip that applies differs from the key in two cells or more, and from every other slip.

    At the scores themselves there is nothing to ask: what differs from its transpose differs in two cells.
    """
    if isinstance(worked.desk.operation, ScaleScores) and worked.requirements.arithmetic.rules.scale is Scale.SQRT:
        return True
    seen: list[Matrix] = [worked.output]
    for slip in slips_at(worked.desk.stage, VETTED_BY_RECIPE_1):
        wrong = slip.wrong(worked.desk)
        if wrong is None:
            continue
        if differing(worked.output, wrong) < 2 or wrong in seen:
            return False
        seen.append(wrong)
    return True


def differing(a: Matrix, b: Matrix) -> int:
    """Count the cells in which two matrices of one shape differ."""
    return sum(x != y for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))


@dataclass(frozen=True, slots=True)
class Predicate:
    """One thing that makes a sheet good, and the sentence that says so."""

    name: str
    at: type[Operation]
    role: Role | None
    holds: Callable[[Worked], bool]
    wish: str
    """What is asked, as it completes "no draw …"."""

    of_inputs: bool = False
    """Whether it looks at what the stage reads alone, so that it can be asked even where the result is irrational."""


PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        "rows-alive",
        Product,
        Role.PROJECTION,
        _rows_alive,
        "keeps every row and column of Q, K and V non-zero and every row different",
    ),
    Predicate("features-used", Product, Role.SCORES, _features_used, "gives every feature to some token"),
    Predicate(
        "floor-shows",
        ScaleScores,
        None,
        _floor_shows,
        "shows in two cells that rounding down is not cutting off",
        of_inputs=True,
    ),
    Predicate("slips-show", ScaleScores, None, _slips_show, "tells rounding down from the slips at that stage"),
    Predicate("in-range", Power, None, _in_range, "keeps the scores small enough for powers by hand", of_inputs=True),
    Predicate(
        "negative-score",
        Power,
        None,
        _has_negative,
        "has a negative score, so that some power is a fraction",
        of_inputs=True,
    ),
    Predicate("not-flat", Power, None, _not_flat, "gives every query weights that differ", of_inputs=True),
    Predicate(
        "few-on-top",
        Power,
        None,
        _few_on_top,
        "gives every query one token it attends to most, or a few above 6 tokens (--ties allows more)",
        of_inputs=True,
    ),
    Predicate("slips-show", Power, None, _slips_show, "tells powers from the slips at that stage"),
    Predicate("readable", Divide, None, _readable, "keeps the fractions of A readable"),
    Predicate("slips-show", Divide, None, _slips_show, "tells dividing along the right axis from the other one"),
    Predicate("slips-show", Product, Role.MIXTURE, _slips_show, "tells V A from V Aᵀ"),
    Predicate("layer-alive", Product, Role.LAYER, _layer_alive, "leaves something in every row after attention"),
    Predicate("readable", Product, Role.LAYER, _joins_readably, "keeps the fractions after attention readable"),
    Predicate("bends", ReLU, None, _bends, "shows what ReLU does"),
)
"""In the order they are asked at a stage: cheap ones first, slips last."""


def asked_of(predicate: Predicate, worked: Worked) -> bool:
    """Say whether that is asked at this stage, and can be asked of what came out."""
    return predicate in _ASKED[_kind(worked), None] and (predicate.of_inputs or worked.result is not None)


def failed_wish(worked: Worked, *, slips: bool | None = None) -> str | None:
    """Return the first wish that a stage does not meet, of slips (dear), of all else, or of both; else None."""
    for predicate in _ASKED[_kind(worked), slips]:
        if (predicate.of_inputs or worked.result is not None) and not predicate.holds(worked):
            return predicate.wish
    return None


def _kind(worked: Worked) -> tuple[type[Operation], Role | None]:
    operation = worked.desk.operation
    return type(operation), operation.role if isinstance(operation, Product) else None


_ASKED: dict[Any, tuple[Predicate, ...]] = {
    ((operation, role), slips): tuple(
        each
        for each in PREDICATES
        if issubclass(operation, each.at) and each.role is role and slips in (None, each.holds is _slips_show)
    )
    for operation in get_args(Operation)
    for role in (None, *Role)
    for slips in (None, False, True)
}
"""By operation, its role and whether slips are asked; it is looked up for every matrix that is drawn."""
