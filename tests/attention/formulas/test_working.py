"""Mechanisms worked by their formulas give what plain loops over fractions give."""

from decimal import Decimal
from fractions import Fraction

import pytest

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.kinds import ExactNumbers
from attnhand.attention.formulas.working import PowersTooLargeError, work_again, work_stages
from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.solution import solve
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_by_turns
from tests.stage_oracle import Cell, Lines, list_cells, to_lines, work_sheet

SEEDS = choose(4, 60)


def is_same(value: Number, expected: Cell) -> bool:
    """Say whether two numbers are the same, irrational ones to 30 digits."""
    if expected is None or value == MINUS_INFINITY:
        return expected is None and value == MINUS_INFINITY
    if isinstance(value, int | Fraction):
        return value == expected
    return abs(Fraction(value) - expected) <= Fraction(1, 10**30) * abs(expected) or abs(value) < Decimal("1e-35")


def to_floats(lines: Lines) -> list[list[float]]:
    """Return floats, infinite where a number is beyond them."""

    def convert(value: Cell) -> float:
        try:
            return -float("inf") if value is None else float(value)
        except OverflowError:
            return float("inf")

    return [[convert(value) for value in row] for row in lines]


@pytest.mark.parametrize("form", ALL_FORMS)
def test_every_stage_is_that_of_plain_loops(form: str) -> None:
    """By hand the same numbers, exactly the same floats to twelve digits, in both conventions, stage by stage."""
    count = 0
    for problem in draw_by_turns(form, SEEDS):
        solution, is_rows = solve(problem), problem.convention.is_rows
        by_hand, exactly = (work_sheet(problem, each) for each in (problem.hand_arithmetic, problem.exact_arithmetic))
        for solved in solution:
            name = solved.stage.name
            hand = tuple(zip(*solved.hand, strict=True)) if is_rows else solved.hand
            assert [*list_cells(to_lines(hand, is_rows=False))] == [*list_cells(by_hand[name])], (name, problem)
            for i, j in list_cells(by_hand[name]):
                assert is_same(hand[i][j], by_hand[name][i][j]), (name, i, j, problem)
            exact = zip(*solved.exact, strict=True) if is_rows else solved.exact
            for row, expected in zip(exact, to_floats(exactly[name]), strict=True):
                assert row == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, problem)
            count += 1
    assert count > SEEDS


GIVEN = {"X": ((1, 0), (0, 1)), "W_Q": ((1, 0), (0, 1)), "W_V": ((1, 0), (0, 1))}
SELF = Variant().build_mechanism().formulas
BY_HAND = Arithmetic(rules=HAND, d_k=2)


def test_whole_numbers_stay_whole() -> None:
    """A weight of 1 is the number 1 and no fraction, as everywhere."""
    values = work_stages(SELF, ExactNumbers(BY_HAND), {**GIVEN, "W_K": ((0, 0), (2, 0))})
    assert {type(value) for value in flatten(values["S"])} == {int}
    assert {type(value) for value in values["sums"]} == {int}
    assert values["A"] == ((Fraction(1, 2), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 4)))
    masked = Variant(is_causal=True).build_mechanism().formulas
    alone = work_stages(masked, ExactNumbers(BY_HAND), {**GIVEN, "W_K": ((0, 0), (2, 0))})["A"]
    assert (alone[0][0], type(alone[0][0])) == (1, int)


def test_a_power_too_large_is_refused_by_place() -> None:
    """The stage, the cells from 1 with tokens as columns, and each one's exponent."""
    with pytest.raises(PowersTooLargeError) as refused:
        work_stages(SELF, ExactNumbers(BY_HAND), {**GIVEN, "W_K": ((0, -1300), (1400, 0))})
    assert refused.value.stage.name == "powers"
    assert refused.value.exponents == {(1, 2): 700, (2, 1): -650}
    work_stages(SELF, ExactNumbers(BY_HAND, has_limit=False), {**GIVEN, "W_K": ((0, -1300), (1400, 0))})


def test_later_stages_carry_on_from_what_is_replaced() -> None:
    """All before stay as they are, and what comes after the last stage asked for is not worked."""
    given = {**GIVEN, "W_K": ((0, 0), (2, 0))}
    right = work_stages(SELF, ExactNumbers(BY_HAND), given)
    other = work_stages(SELF, ExactNumbers(BY_HAND), given, replacements={"scaled": ((0, 0), (0, 0))}, last_stage="A")
    assert {name: other[name] for name in "QKVS"} == {name: right[name] for name in "QKVS"}
    assert other["A"] == ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2)))
    assert list(other) == [*given, "Q", "K", "V", "S", "scaled", "powers", "sums", "A"]


@pytest.mark.parametrize("name", ["X", "W_Q", "W_K", "W_V", "K", "powers", "Z"])
def test_what_follows_from_a_change_is_worked_again_and_nothing_else(name: str) -> None:
    """All is as if it were worked anew; what does not follow from it is the very matrix that was worked before."""
    given = {**GIVEN, "W_K": ((0, 0), (2, 0))}
    before = work_stages(SELF, ExactNumbers(BY_HAND), given)
    changed = {name: ((before[name][0][0] + 2, *before[name][0][1:]), *before[name][1:])}
    anew = work_stages(SELF, ExactNumbers(BY_HAND), {**given, **changed}, replacements=changed)
    again = work_again(SELF, ExactNumbers(BY_HAND), before, changed)
    assert again == anew
    assert again != before
    followers = {"W_Q": "Q", "W_K": "K", "W_V": "V"}
    stays = {"Q", "K", "V"} - {followers.get(name)} if name != "X" else set()
    assert all(again[stage] is before[stage] for stage in stays - {name})


def test_what_comes_out_as_before_is_not_followed() -> None:
    """A score that is halved and rounded down to what it was changes nothing after it."""
    before = work_stages(SELF, ExactNumbers(BY_HAND), {**GIVEN, "W_K": ((0, 0), (2, 0))})
    again = work_again(SELF, ExactNumbers(BY_HAND), before, {"S": tuple(tuple(x + 1 for x in r) for r in before["S"])})
    assert all(again[stage] is before[stage] for stage in ("powers", "sums", "A", "Z"))
