"""Single cells: which ones they read, what they come to, and how they are written out."""

from collections.abc import Sequence
from decimal import localcontext
from typing import Any

import pytest

from attnhand.attention.formulas.cells import CellWorker, list_read_cells, list_spots
from attnhand.attention.formulas.kinds import ExactNumbers
from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.sized import SizedMechanism, size_mechanism
from attnhand.attention.formulas.working import show_place, take_in, work_stages
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT
from attnhand.attention.operations import Mask, Positions
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_sheets

SEEDS = choose(2, 20)

Label = tuple[str, int, int]


def label_inputs(problem: Problem, stage: Stage) -> tuple[Any, ...]:
    """Return what a stage reads with the name, row and column of each cell in place of its number."""
    shapes = dict(problem.given) | {each.stage.name: each.hand for each in solve(problem)}
    return tuple(
        tuple(tuple((name, i, j) for j, _ in enumerate(row)) for i, row in enumerate(shapes[name]))
        for name in stage.input_names
    )


def read_as_before(stage: Stage, inputs: tuple[Any, ...], row: int, column: int) -> list[Label]:
    """Return the cells that ``parts`` has in a cell, in their order; a hidden score has none."""
    if isinstance(stage.operation, Positions) or (
        isinstance(stage.operation, Mask) and stage.operation.hides(row, column)
    ):
        return []
    parts: Any = stage.operation.parts(inputs, row, column)
    return [each for part in list(parts) for each in part if isinstance(each, tuple)]  # no 1 beside a bias


def work(problem: Problem) -> tuple[SizedMechanism, ExactNumbers, dict[str, Any]]:
    """Return a problem's formulas and all values by hand, tokens as columns."""
    mechanism = build_mechanism(problem.variant)
    given = {name: take_in(a, mechanism.get_axes(name), problem.convention) for name, a in problem.given}
    numbers = ExactNumbers(problem.hand_arithmetic, mechanism.known)
    sized = size_mechanism(mechanism, problem.sizes)
    return sized, numbers, work_stages(sized, numbers, given)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_a_cell_reads_what_it_read(form: str) -> None:
    """In the same order, product by product; but a score that the mask hides reads nothing: no number changes it."""
    count = 0
    for problem in draw_sheets(form, SEEDS):
        mechanism = build_mechanism(problem.variant)
        sized = size_mechanism(mechanism, problem.sizes)
        for stage in problem.mechanism.stages:
            inputs = label_inputs(problem, stage)
            for place, spot in list_spots(sized, mechanism.get_stage(stage.name)):
                row, column = show_place(place, spot.stage.axes, problem.convention)
                found = [
                    (name, *show_place(at, mechanism.get_axes(name), problem.convention))
                    for name, at in list_read_cells(spot)
                ]
                expected = read_as_before(stage, inputs, row, column)
                assert turn_pairs(found, problem) == turn_pairs(expected, problem), (stage.name, row, column)
                count += 1
    assert count > 100


def turn_pairs(cells: Sequence[Label], problem: Problem) -> Sequence[Label]:
    """In rows a product has its factors in the other order: X W for W X."""
    return sorted(cells) if problem.convention.is_rows else cells


@pytest.mark.parametrize("form", ALL_FORMS)
def test_a_cell_worked_alone_is_that_of_the_stage(form: str) -> None:
    """The walk over the tree and the compiled loops are two ways, and agree in every cell."""
    for problem in draw_sheets(form, SEEDS):
        sized, numbers, values = work(problem)
        worker = CellWorker(numbers, values)
        with localcontext(DECIMAL_CONTEXT):
            for stage in sized.mechanism.stages:
                for place, spot in list_spots(sized, stage):
                    expected: Any = values[stage.name]
                    for at in place:
                        expected = expected[at - 1]
                    assert worker.work_cell(spot) == expected, (stage.name, place)
