"""Slips written as formulas give what they gave."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from attnhand.attention.formulas.kinds import ExactNumbers
from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.sized import size_mechanism
from attnhand.attention.formulas.slips import CONDITIONS, OF_ANOTHER_SHAPE, SLIPS_BY_TOPIC, TOLD_WHEN_HIDDEN, list_slips
from attnhand.attention.formulas.working import show, take_in
from attnhand.attention.formulas.wrong_working import StageWork, work_wrong
from attnhand.attention.matrix import Matrix, flatten, shape
from attnhand.attention.numbers import Number, is_finite, to_decimal
from attnhand.attention.problem import Problem
from attnhand.attention.slips import SLIPS, VETTED_BY_RECIPE_1, StageContext, find_slips
from attnhand.attention.solution import solve
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_sheets

SEEDS = choose(3, 30)

IDS = {slip.id for topics, _ in SLIPS_BY_TOPIC for topic in topics for slip in list_slips(topic)}


def test_every_slip_is_a_formula() -> None:
    """None is missing, and none is there that is no slip."""
    assert {slip.id for slip in SLIPS} == IDS
    assert len(IDS) == 76
    assert frozenset(VETTED_BY_RECIPE_1) == TOLD_WHEN_HIDDEN
    assert {slip.id for slip in SLIPS if not slip.has_same_shape} == OF_ANOTHER_SHAPE
    assert CONDITIONS.keys() <= IDS


def spoil(values: Mapping[str, Matrix], way: int) -> dict[str, Matrix]:
    """Return matrices with a student's own numbers: some of them 0, another sign, a bit more."""

    def change(value: Number, at: int) -> Number:
        if not is_finite(value) or at % 3:
            return value
        more = value + 1 if isinstance(value, Decimal) else value + Fraction(1, 2)
        return (0, -value, more)[(at // 3 + way) % 3]

    return {
        name: tuple(tuple(change(x, 2 * i + 5 * j + len(name)) for j, x in enumerate(row)) for i, row in enumerate(a))
        for name, a in values.items()
    }


def list_sheets(form: str) -> Iterator[tuple[Problem, dict[str, Matrix]]]:
    """Yield drawn sheets, each right, then with a student's own numbers in all matrices, in one of three ways."""
    for way, problem in enumerate(draw_sheets(form, SEEDS)):
        right = solve(problem).collect_hand_values()
        yield problem, right
        yield problem, spoil(right, way)


def stand_at(problem: Problem, values: Mapping[str, Matrix], name: str) -> StageWork:
    """Return a stage with these matrices before it."""
    mechanism = build_mechanism(problem.variant)
    lines = {name: take_in(a, mechanism.get_axes(name), problem.convention) for name, a in values.items()}
    numbers = ExactNumbers(problem.hand_arithmetic, mechanism.known)
    return StageWork(size_mechanism(mechanism, problem.sizes), mechanism.get_stage(name), numbers, lines)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_every_slip_gives_what_it_gave(form: str) -> None:
    """Wherever it happens, and nowhere else; right numbers and students' own, zeros, −∞, in both conventions."""
    trials = 0
    for problem, values in list_sheets(form):
        for stage in problem.mechanism.stages:
            before = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
            at = stand_at(problem, values, stage.name)
            slips = {slip.id: slip for slip in list_slips(at.stage.topic)}
            assert slips.keys() == {slip.id for slip in find_slips(stage)}, stage.name
            for slip in find_slips(stage):
                expected, found = slip.compute_wrong(before), work_wrong(at, slips[slip.id])
                shown = None if found is None else show(found, at.stage.axes, problem.convention)
                assert is_same_matrix(shown, expected), (slip.id, stage.name, problem.rules, shown, expected)
                trials += 1
    assert trials > 500


def test_every_slip_happens_somewhere() -> None:
    """Over a few sheets none stays idle, so that all of them were compared."""
    happened = {
        slip.id
        for form in ("self", "self-window", "self-words-positions", "multi-head-2", "block-1")
        for problem in draw_sheets(form, 3)
        for values in [spoil(solve(problem).collect_hand_values(), 0)]
        for stage in problem.mechanism.stages
        for at in [stand_at(problem, values, stage.name)]
        for slip in list_slips(at.stage.topic)
        if work_wrong(at, slip) is not None
    }
    assert happened == IDS


def test_a_slip_needs_what_it_reads() -> None:
    """It does not happen where a matrix is missing, or was handed in with another shape."""
    problem = next(draw_sheets("self", 1))
    values = solve(problem).collect_hand_values()
    (slip,) = (slip for slip in list_slips("scores") if slip.id == "values-for-queries")
    assert work_wrong(stand_at(problem, values, "S"), slip) is not None
    without = {name: a for name, a in values.items() if name != "V"}
    for V in ({}, {"V": values["V"][:1]}, {"V": (*values["V"][:-1], values["V"][-1][:1])}):
        assert work_wrong(stand_at(problem, {**without, **V}, "S"), slip) is None


def is_same_matrix(one: Any, other: Matrix | None) -> bool:
    """Say whether two matrices are the same, irrational numbers to 30 digits; or both are none."""
    if one is None or other is None:
        return one is other
    return shape(one) == shape(other) and all(map(is_same, flatten(one), flatten(other)))


def is_same(x: Number, y: Number) -> bool:
    """Say whether two numbers are the same, irrational ones to 30 digits."""
    if x == y or not (is_finite(x) and is_finite(y) and isinstance(y, Decimal)):
        return x == y
    return abs(to_decimal(x) - y) <= Decimal("1e-30") * max(Decimal(1), abs(y))
