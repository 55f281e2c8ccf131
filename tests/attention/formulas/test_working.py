"""Mechanisms worked by their formulas give what their stages give."""

from decimal import Decimal

import pytest

from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.working import work_problem
from attnhand.attention.matrix import Matrix, flatten, shape
from attnhand.attention.numbers import Number, is_finite, to_decimal
from attnhand.attention.solution import solve
from attnhand.errors import ProblemError
from tests.breadth import choose
from tests.building import make_problem_from_scores
from tests.drawn_sheets import ALL_FORMS, draw_sheets

SEEDS = choose(8, 60)


def are_equal(one: Matrix, other: Matrix) -> bool:
    """Say whether two matrices hold the same numbers, irrational ones to 35 digits."""
    return all(map(is_same, flatten(one), flatten(other))) and shape(one) == shape(other)


def is_same(x: Number, y: Number) -> bool:
    """Say whether two numbers are the same, irrational ones to 35 digits."""
    if x == y or not (isinstance(y, Decimal) and is_finite(x) and is_finite(y)):
        return x == y
    return abs(to_decimal(x) - y) <= Decimal("1e-35") * max(Decimal(1), abs(y))


@pytest.mark.parametrize("form", ALL_FORMS)
def test_every_stage_is_what_it_was(form: str) -> None:
    """By hand the same numbers, exactly the same floats to twelve digits, in both conventions, stage by stage."""
    count = 0
    for problem in draw_sheets(form, SEEDS):
        worked = work_problem(problem)
        solution = solve(problem)
        assert list(worked) == [solved.stage.name for solved in solution]
        for solved in solution:
            hand, exact = worked[solved.stage.name]
            assert are_equal(hand, solved.hand), (solved.stage.name, problem)
            for row, expected in zip(exact, solved.exact, strict=True):
                assert row == pytest.approx(expected, rel=1e-12, abs=1e-12), (solved.stage.name, problem)
            count += 1
    assert count > SEEDS


@pytest.mark.parametrize("form", ALL_FORMS)
def test_what_is_read_and_not_worked_is_given(form: str) -> None:
    """The formulas of a form read the matrices that its problems give."""
    variant = ALL_FORMS[form]
    mechanism = build_mechanism(variant)
    given = {
        f"h{head}.{name}" if name in mechanism.families else name
        for name in mechanism.given
        for head in range(1, variant.head_count + 1)
    }
    assert given == {each.name for each in variant.build_mechanism(feature_count=4).given}


def test_whole_numbers_stay_whole() -> None:
    """A weight of 1 is the number 1 and no fraction, as everywhere."""
    worked = work_problem(make_problem_from_scores([[0, 2], [0, 0]]))
    assert {type(value) for value in flatten(worked["S"][0])} == {int}
    assert worked["Z"][0] == solve(make_problem_from_scores([[0, 2], [0, 0]]))["Z"].hand


def test_a_power_too_large_is_refused_by_cell() -> None:
    """As before: the cell, the exponent, the limit."""
    problem = make_problem_from_scores([[0, 1400], [0, 0]])
    with pytest.raises(ProblemError) as expected:
        solve(problem)
    with pytest.raises(ProblemError) as found:
        work_problem(problem)
    assert str(found.value) == str(expected.value)
    assert "powers[1,2] would be 3 to the power of 700.00" in str(found.value)


def test_exact_values_beyond_floats_are_worked_in_decimals() -> None:
    """A power beyond the floats is infinite, and its weight still 1."""
    problem = make_problem_from_scores([[0, 1200], [0, 0]])
    worked, solution = work_problem(problem), solve(problem)
    assert [worked[name][1] for name in ("powers", "A")] == [solution[name].exact for name in ("powers", "A")]
