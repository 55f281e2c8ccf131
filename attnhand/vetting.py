"""What makes a sheet good for a class: named predicates, checked while the stages are worked.

Most random matrices make poor sheets: unreadable denominators, flat attention, scores that never show what
rounding down means. Integers and fractions only: no exponential, root or sine decides whether a draw passes.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from attnhand.arithmetic import Arithmetic, Base, Scale
from attnhand.matrix import Matrix, transposed, values
from attnhand.mechanisms import Stage
from attnhand.numbers import Number
from attnhand.operations import Divide, Operation, Power, Product, Role, ScaleScores
from attnhand.slips import VETTED_BY_RECIPE_1, slips_at


class Level(StrEnum):
    """How demanding a sheet is."""

    WARM_UP = "warm-up"
    STANDARD = "standard"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a draw must meet, for one level, size and set of rules."""

    arithmetic: Arithmetic
    lowest: int
    highest: int
    """The range of a score once it is scaled."""

    shows_fractions: bool
    """Some power is a fraction, and rounding down differs from cutting off in at least two cells."""

    most_on_top: int
    """How many tokens may share the largest weight of a query."""

    largest_denominator: int | None
    """Of a weight; None where weights are no fractions of whole numbers."""


def requirements(level: Level, tokens: int, arithmetic: Arithmetic, *, ties: bool) -> Requirements:
    """Return what a draw must meet, with what no draw can meet at this size or under these rules left out.

    The relaxations: above 6 tokens a quarter of them may share the top and denominators reach 400, above 8 tokens
    1,000; base 10 reaches 10,000; base e, √ and a divisor give decimals, which have no denominators.
    """
    rules = arithmetic.rules
    denominator = 100 if tokens <= 6 else 400 if tokens <= 8 else 1000
    if rules.base is Base.TEN:
        denominator = 10_000
    return Requirements(
        arithmetic=arithmetic,
        lowest=0 if level is Level.WARM_UP else -2,
        highest=4,
        shows_fractions=level is not Level.WARM_UP,
        most_on_top=tokens if ties else 1 if tokens <= 6 else tokens // 4,
        largest_denominator=denominator if rules.is_rational else None,
    )


@dataclass(frozen=True, slots=True)
class Worked:
    """One stage as it has just been worked, in the columns convention."""

    stage: Stage
    inputs: tuple[Matrix, ...]
    output: Matrix
    requirements: Requirements


def vetted_output(stage: Stage, inputs: tuple[Matrix, ...], wanted: Requirements) -> Matrix | None:
    """Work a stage as far as integers and fractions go.

    Division by a root keeps the order of the scores, so the scores themselves stand in for it; powers that would
    be irrational, and all that reads them, are left out (None).
    """
    rules = wanted.arithmetic.rules
    if isinstance(stage.operation, ScaleScores) and rules.scale is Scale.SQRT:
        return inputs[0]
    if isinstance(stage.operation, Power) and not rules.is_rational:
        return None
    return stage.operation.apply(wanted.arithmetic, *inputs)


def _rows_alive(worked: Worked) -> bool:
    rows, columns = worked.output, transposed(worked.output)
    if not all(map(any, rows)) or not all(map(any, columns)) or len(set(rows)) < len(rows):
        return False
    # two tokens with one key get equal weights: avoided where there is room for it
    return len(columns) > 4 or len(rows) < 3 or len(set(columns)) == len(columns)


def _in_range(worked: Worked) -> bool:
    wanted, scores = worked.requirements, values(worked.output)
    if wanted.arithmetic.rules.scale is not Scale.SQRT:
        return wanted.lowest <= min(scores) and max(scores) <= wanted.highest
    # x/√d_k is irrational: compare squares of the scores before scaling
    d_k, low, high = wanted.arithmetic.d_k, Fraction(min(scores)), Fraction(max(scores))
    return (low >= 0 or (wanted.lowest < 0 and low * low <= wanted.lowest**2 * d_k)) and (
        high <= 0 or high * high <= wanted.highest**2 * d_k
    )


def _not_flat(worked: Worked) -> bool:
    return all(len(set(column)) > 1 for column in transposed(worked.output))


def _top(column: Sequence[Number]) -> list[bool]:
    largest = max(column)
    return [value == largest for value in column]


def _few_on_top(worked: Worked) -> bool:
    """Look at the scaled scores, so that rounding down makes no tie either."""
    return all(sum(_top(column)) <= worked.requirements.most_on_top for column in transposed(worked.output))


def _floor_shows(worked: Worked) -> bool:
    if not worked.requirements.shows_fractions or worked.requirements.arithmetic.rules.scale is not Scale.HALF_FLOOR:
        return True
    return sum(score < 0 and score % 2 == 1 for score in values(worked.inputs[0])) >= 2


def _has_negative(worked: Worked) -> bool:
    return not worked.requirements.shows_fractions or min(values(worked.output)) < 0


def _readable(worked: Worked) -> bool:
    limit = worked.requirements.largest_denominator
    if limit is None:
        return True
    return all(Fraction(value).denominator <= limit for value in values(worked.output))


def _slips_show(worked: Worked) -> bool:
    """Every vetted slip that applies differs from the key in two cells or more, and from every other slip.

    At the scores themselves there is nothing to ask: what differs from its transpose differs in two cells.
    """
    if isinstance(worked.stage.operation, ScaleScores) and worked.requirements.arithmetic.rules.scale is Scale.SQRT:
        return True
    seen: list[Matrix] = [worked.output]
    for slip in slips_at(worked.stage, VETTED_BY_RECIPE_1):
        wrong = slip.wrong(worked.requirements.arithmetic, worked.stage.operation, worked.inputs)
        if wrong is None:
            continue
        if _differing(worked.output, wrong) < 2 or wrong in seen:
            return False
        seen.append(wrong)
    return True


def _differing(a: Matrix, b: Matrix) -> int:
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


PREDICATES: tuple[Predicate, ...] = (
    Predicate(
        "rows-alive",
        Product,
        Role.PROJECTION,
        _rows_alive,
        "keeps every row and column of Q, K and V non-zero and every row different",
    ),
    Predicate("in-range", ScaleScores, None, _in_range, "keeps the scaled scores small enough for powers by hand"),
    Predicate(
        "negative-score", ScaleScores, None, _has_negative, "has a negative score, so that some power is a fraction"
    ),
    Predicate(
        "floor-shows", ScaleScores, None, _floor_shows, "shows in two cells that rounding down is not cutting off"
    ),
    Predicate("not-flat", ScaleScores, None, _not_flat, "lets every query prefer some token"),
    Predicate(
        "few-on-top",
        ScaleScores,
        None,
        _few_on_top,
        "gives every query one token it attends to most, or a few above 6 tokens (--ties allows more)",
    ),
    Predicate("readable", Divide, None, _readable, "keeps the fractions of A readable"),
    Predicate("slips-show", ScaleScores, None, _slips_show, "tells rounding down from the slips at that stage"),
    Predicate("slips-show", Power, None, _slips_show, "tells powers from the slips at that stage"),
    Predicate("slips-show", Divide, None, _slips_show, "tells dividing along the right axis from the other one"),
    Predicate("slips-show", Product, Role.MIXTURE, _slips_show, "tells V A from V Aᵀ"),
)
"""In the order they are asked at a stage: cheap ones first, slips last."""


def failed_wish(worked: Worked) -> str | None:
    """Return the first wish that a worked stage does not meet, or None for a good one."""
    operation = worked.stage.operation
    role = operation.role if isinstance(operation, Product) else None
    for predicate in PREDICATES:
        if isinstance(operation, predicate.at) and predicate.role is role and not predicate.holds(worked):
            return predicate.wish
    return None
