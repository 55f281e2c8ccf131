"""What may follow where only bounds are known."""

import random
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.intervals import ANYTHING, Interval, IntervalNumbers
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage, Variant
from attnhand.attention.numbers import Number, is_finite
from attnhand.attention.solution import solve
from attnhand.marking.follow import Expected, work_ranges
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_by_turns
from tests.stage_oracle import (
    ROLES,
    Cell,
    CellAt,
    Lines,
    StageOracle,
    find_product_size,
    get,
    list_cells,
    list_inputs,
    list_terms,
    make_oracle,
    to_lines,
)

SEEDS = choose(2, 20)

FALLING = (
    *("kept", "loss", "shifted", "squares", "normed", "running_sums", "running_outputs", "divided"),
    *("gradient_mean", "gradient_scores", "squared_length", "new_rows", "new_logits", "new_loss"),
)
"""Topics that may fall where something rises: of them only what lies between the bounds is looked at."""

TAKES_OFF = ("gradient", "rescaling", "block_powers")
"""Topics that rise with what they read first, and fall with what they read second."""

SAMPLES = 3


def widen(a: Matrix, by: int) -> Matrix:
    """Move every number a little, some more than others."""

    def move(value: Number, at: int) -> Number:
        if not is_finite(value):
            return value
        return value + by if isinstance(value, Decimal) else value + Fraction(by * (at % 4), 8)

    return tuple(tuple(move(value, i + 3 * j) for j, value in enumerate(row)) for i, row in enumerate(a))


Bounds = tuple[list[Lines], list[Lines]]
"""The least and the most of what a stage reads, in its order."""


def find_ends(oracle: StageOracle, topic: str, bounds: Bounds) -> Bounds:
    """Return the true least and most of every cell; both None where a sum may be 0.

    Only a product and a quotient can fall where something rises: there all four corners are tried, pair by pair.
    """
    lows, highs = bounds

    def find_corners(combine: Callable[[Fraction, Fraction], Fraction], one: CellAt, other: CellAt) -> list[Fraction]:
        sides = ([get(matrices, at) for matrices in bounds] for at in (one, other))
        return [combine(x, y) for x, y in product(*sides)]

    def find_cell_ends(i: int, j: int) -> tuple[Cell, Cell]:
        if topic in ("weights", "kept_weights"):
            if get(lows, (1, 0, j)) <= 0 <= get(highs, (1, 0, j)):
                return None, None
            corners = find_corners(lambda x, y: x / y, (0, i, j), (1, 0, j))
            return min(corners), max(corners)
        low = high = Fraction(0)
        if topic == "turned":  # with the other sign what is least is most
            for source, factor in oracle.list_turned(i, j, len(lows[0])):
                corners = [factor * get(a, (0, source, j)) for a in bounds]
                low, high = low + min(corners), high + max(corners)
            return low, high
        for cells in list_terms(topic, lows, i, j):
            corners = (
                [get(lows, cells[0]), get(highs, cells[0])]
                if len(cells) == 1
                else find_corners(lambda x, y: x * y, *cells)
            )
            low, high = low + min(corners), high + max(corners)
        return low, high

    if topic in TAKES_OFF:
        return [oracle.work(topic, [lows[0], highs[1]])], [oracle.work(topic, [highs[0], lows[1]])]
    if topic not in (*ROLES, "weights", "kept_weights", "turned"):
        return [oracle.work(topic, lows)], [oracle.work(topic, highs)]
    rows, columns = (len(lows[0]), len(lows[0][0])) if topic not in ROLES else find_product_size(topic, lows)
    ends = [[find_cell_ends(i, j) for j in range(columns)] for i in range(rows)]
    return [[[low for low, _ in row] for row in ends]], [[[high for _, high in row] for row in ends]]


def turn(a: Expected, *, is_rows: bool) -> Expected:
    """Return a matrix with tokens as columns."""
    return tuple(zip(*a, strict=True)) if is_rows else a


def work_all_ranges(
    stage: Stage, arithmetic: Arithmetic, values: Mapping[str, Matrix]
) -> tuple[Expected, Expected, Bounds]:
    """Return the ranges of a stage whose inputs are widened, tokens as columns, and these inputs' bounds."""
    down = -1 if stage.topic != "root" else 0  # what is rooted is never below 0
    lows, highs = ({name: widen(values[name], by) for name in stage.input_names} for by in (down, 1))
    is_rows = stage.convention.is_rows
    low, high = (turn(a, is_rows=is_rows) for a in work_ranges(stage, arithmetic, lows, highs))
    names = list_inputs(stage)
    bounds = tuple([to_lines(each[name], is_rows=is_rows) for name in names] for each in (lows, highs))
    return low, high, (bounds[0], bounds[1])


def lies_near(value: Number | None, expected: Cell) -> bool:
    """Say whether a bound is the true one, an irrational one to 30 digits; None for a masked score, or for unknown."""
    if value is None or expected is None or not is_finite(value):
        return expected is None and (value is None or not is_finite(value))
    slack = Fraction(1, 10**30) * max(Fraction(1), abs(expected)) if isinstance(value, Decimal) else 0
    return abs(Fraction(value) - expected) <= slack


@pytest.mark.parametrize("form", ALL_FORMS)
def test_bounds_are_the_least_and_the_most(form: str) -> None:
    """Each stage of each sheet, from inputs widened upwards and downwards: the ends of plain loops, cell by cell."""
    count = 0
    for problem in draw_by_turns(form, SEEDS):
        values = solve(problem).collect_hand_values()
        for stage in problem.mechanism.stages:
            if stage.topic in FALLING:
                continue
            oracle = make_oracle(problem, problem.hand_arithmetic, stage.head)
            low, high, bounds = work_all_ranges(stage, problem.hand_arithmetic, values)
            (least,), (most,) = find_ends(oracle, stage.topic, bounds)
            assert [*map(len, low)] == [*map(len, high)] == [*map(len, least)]
            for i, j in list_cells(least):
                assert lies_near(low[i][j], least[i][j]), (stage.name, i, j)
                assert lies_near(high[i][j], most[i][j]), (stage.name, i, j)
            count += 1
    assert count >= SEEDS * 4


@pytest.mark.parametrize("form", ALL_FORMS)
def test_whatever_lies_between_the_bounds_gives_what_lies_between_the_bounds(form: str) -> None:
    """Inputs at random, some at an end, worked in plain loops."""
    stream, inside = random.Random("between"), 0
    for problem in draw_by_turns(form, SEEDS):
        values = solve(problem).collect_hand_values()

        def choose_between(low: Cell, high: Cell) -> Cell:
            if low is None or high is None:
                return None
            return low + (high - low) * stream.choice((0, Fraction(1, 2), Fraction(1, 7), 1))

        def sample(bounds: Bounds) -> list[Lines]:
            pairs = zip(*bounds, strict=True)
            return [[[*map(choose_between, *rows)] for rows in zip(*pair, strict=True)] for pair in pairs]

        for stage in problem.mechanism.stages:
            oracle = make_oracle(problem, problem.hand_arithmetic, stage.head)
            low, high, bounds = work_all_ranges(stage, problem.hand_arithmetic, values)
            for _ in range(SAMPLES):
                try:
                    worked = oracle.work(stage.topic, sample(bounds))
                except ZeroDivisionError:
                    continue
                for i, j in list_cells(worked):
                    value, least, most = worked[i][j], low[i][j], high[i][j]
                    if value is None or least is None or most is None:
                        continue  # a masked score, or nothing is known
                    is_rounded = isinstance(least, Decimal) or isinstance(most, Decimal)
                    slack = Fraction(1, 10**30) * max(Fraction(1), abs(value)) if is_rounded else 0
                    assert Fraction(least) - slack <= value <= Fraction(most) + slack, (stage.name, i, j)
                    inside += 1
    assert inside > 50


def test_a_sum_that_may_be_0_costs_its_own_weights_only() -> None:
    """The other queries' weights keep their bounds, in columns and in rows."""
    stage = Variant().build_mechanism().get_stage("A")
    powers, lows, highs = ((1, 3), (9, 1)), ((0, 4),), ((10, 5),)
    low, high = work_ranges(stage, BY_HAND, {"powers": powers, "sums": lows}, {"powers": powers, "sums": highs})
    assert low == ((None, Fraction(3, 5)), (None, Fraction(1, 5)))
    assert high == ((None, Fraction(3, 4)), (None, Fraction(1, 4)))
    in_rows = Variant().build_mechanism().mirrored.get_stage("A")
    turned = [{"powers": transpose(powers), "sums": transpose(sums)} for sums in (lows, highs)]
    assert work_ranges(in_rows, BY_HAND, *turned) == (turn(low, is_rows=True), turn(high, is_rows=True))


BY_HAND = Arithmetic(rules=HAND, d_k=2)
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
