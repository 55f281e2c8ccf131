"""What may follow where only bounds are known."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.intervals import ANYTHING, Interval, IntervalNumbers
from attnhand.attention.formulas.kinds import convert_lines
from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.sized import size_mechanism
from attnhand.attention.formulas.working import compile_stages, show, take_in
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, is_finite
from attnhand.attention.solution import solve
from attnhand.marking.follow import work_ranges
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_sheets

SEEDS = choose(2, 20)


def widen(a: Matrix, by: int) -> Matrix:
    """Move every number a little, some more than others."""

    def move(value: Number, at: int) -> Number:
        if not is_finite(value):
            return value
        return value + by if isinstance(value, Decimal) else value + Fraction(by * (at % 4), 8)

    return tuple(tuple(move(value, i + 3 * j) for j, value in enumerate(row)) for i, row in enumerate(a))


@pytest.mark.parametrize("form", ALL_FORMS)
def test_bounds_are_those_of_marking(form: str) -> None:
    """Each stage of each sheet, from inputs widened upwards and downwards, cell by cell."""
    count = 0
    for problem in draw_sheets(form, SEEDS):
        mechanism, values = build_mechanism(problem.variant), solve(problem).collect_hand_values()
        numbers = IntervalNumbers(problem.hand_arithmetic, mechanism.known)
        for each in compile_stages(size_mechanism(mechanism, problem.sizes)):
            stage = problem.mechanism.get_stage(each.stage.name)
            size = len(values[stage.name]), len(values[stage.name][0])
            lows = [widen(values[name], -1) for name in stage.input_names]
            highs = [widen(values[name], 1) for name in stage.input_names]
            expected = work_ranges(stage.operation, problem.hand_arithmetic, lows, highs, size)
            assert expected is not None
            by_name = dict(zip(stage.input_names, zip(lows, highs, strict=True), strict=True)) if lows else {}
            inputs = []
            for name in each.compiled.reads:
                axes = mechanism.get_axes(name)
                low, high = (take_in(a, axes, problem.convention) for a in by_name[name])
                inputs.append(pair_up(low, high))
            with localcontext(DECIMAL_CONTEXT):
                shown = show(numbers.work(each.compiled, inputs), each.stage.axes, problem.convention)
            assert convert_lines(shown, lambda interval: interval.low) == expected[0], stage.name
            assert convert_lines(shown, lambda interval: interval.high) == expected[1], stage.name
            count += 1
    assert count >= SEEDS * 5


def pair_up(low: Lines, high: Lines) -> Lines:
    """Return a matrix of intervals from their bounds."""
    if isinstance(low[0], tuple):
        return tuple(pair_up(*rows) for rows in zip(low, high, strict=True))
    return tuple(Interval(*ends) for ends in zip(low, high, strict=True))


NUMBERS = IntervalNumbers(Arithmetic(rules=HAND))


def bounds(interval: Interval) -> tuple[Number, Number]:
    """Return both bounds."""
    return interval.low, interval.high


def test_what_may_be_divided_by_nothing_is_anything() -> None:
    """So is all that is worked from it."""
    assert NUMBERS.divide(Interval(1, 2), Interval(-1, 1)) is ANYTHING
    assert NUMBERS.add([ANYTHING, 1]) is ANYTHING
    assert ANYTHING * 2 is ANYTHING
    assert -ANYTHING is ANYTHING
    assert NUMBERS.floor(ANYTHING) is ANYTHING
    assert NUMBERS.max([ANYTHING, 1]) is ANYTHING


def test_signs_turn_bounds_round() -> None:
    """The negative of 1 to 2 is −2 to −1; of −1 to 2 the magnitude is at least 0."""
    assert bounds(-Interval(1, 2)) == (-2, -1)
    assert bounds(2 * Interval(-1, 2)) == (-2, 4)
    assert bounds(NUMBERS.abs(Interval(-1, 2))) == (0, 2)
    assert bounds(NUMBERS.abs(Interval(-3, -2))) == (2, 3)
    assert bounds(NUMBERS.min([Interval(-1, 2), 0])) == (-1, 0)


def test_a_condition_is_decided_where_it_is_true_of_all_numbers() -> None:
    """1 to 2 is less than 3, no more than 2, and not 3; a masked score is masked."""
    low = Interval(1, 2)
    assert (low < 3, low > 3, low <= 2, low >= 3, low == 3, low != 3) == (True, False, True, False, False, True)
    assert Interval(2, 2) == 2
    assert NUMBERS.minus_infinity == NUMBERS.minus_infinity


@pytest.mark.parametrize(
    "compare",
    [lambda x: x < 2, lambda x: x > 1, lambda x: x <= 1, lambda x: x >= 2, lambda x: x == 2, lambda x: x == ANYTHING],
)
def test_which_is_larger_is_not_guessed(compare: Callable[[Interval], bool]) -> None:
    """Where some numbers between the bounds say yes and others no."""
    with pytest.raises(FormulaError, match="only bounds are known"):
        compare(Interval(1, 2))
