"""Single cells: which ones they read, and what they come to."""

import random
from collections.abc import Mapping
from decimal import localcontext
from fractions import Fraction

import pytest

from attnhand.attention.formulas.cells import CellWorker, Spot, find_spot, get_value, list_read_cells, list_spots
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.working import measure_reads, work_stages
from attnhand.attention.mechanisms import Stage, Variant
from attnhand.attention.numbers import DECIMAL_CONTEXT, is_same_number
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from tests import stage_oracle
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_by_turns
from tests.stage_oracle import list_cells, list_inputs, make_oracle

SEEDS = choose(2, 20)

TRIES = 20
"""So often other numbers are taken where not all that is read has shown."""

Place = tuple[int, int]
"""Row and column, 0-based, tokens as columns."""

Read = dict[Place, set[tuple[str, int, int]]]
"""What each cell reads."""


def find_read_cells(
    problem: Problem, stage: Stage, shapes: Mapping[str, tuple[int, int]], stream: random.Random
) -> Read:
    """Return the cells that change a cell, found by changing one at a time and working the stage in plain loops.

    Nothing that is read is 0 or negative, so that nothing is lost in a product or by ReLU. Some are missed by chance: a
    quotient may round to what it was, and what is taken off itself as the largest of its column is 0 before and after.
    """
    oracle, names = make_oracle(problem, problem.hand_arithmetic, stage.head), list_inputs(stage)
    inputs: list[stage_oracle.Lines] = [
        [[Fraction(stream.randint(1, 5)) for _ in range(shapes[name][1])] for _ in range(shapes[name][0])]
        for name in names
    ]
    before = oracle.work(stage.topic, inputs)
    found: Read = {place: set() for place in list_cells(before)}
    of_name = {name: [which for which, other in enumerate(names) if other == name] for name in names}
    for name, copies in of_name.items():  # X stands twice in XᵀX, and is one matrix
        for which in copies:
            inputs[which] = inputs[copies[0]]
        before = oracle.work(stage.topic, inputs)
        for i, j in list_cells(inputs[copies[0]]):
            value = inputs[copies[0]][i][j]
            assert value is not None
            inputs[copies[0]][i][j] = value + 10
            after = oracle.work(stage.topic, inputs)
            inputs[copies[0]][i][j] = value
            for place in found:
                if before[place[0]][place[1]] != after[place[0]][place[1]]:
                    found[place].add((name, i, j))
    return found


def find_shapes(problem: Problem) -> dict[str, tuple[int, int]]:
    """Return the shapes of all matrices, tokens as columns."""
    shapes = {name: (len(a), len(a[0])) for name, a in solve(problem).collect_hand_values().items()}
    return {name: shape[::-1] for name, shape in shapes.items()} if problem.convention.is_rows else shapes


def to_pair(place: tuple[int, ...], shape: tuple[int, int]) -> Place:
    """Return the 0-based row and column of a place; a vector is one row or one column."""
    if len(place) == 2:
        return place[0] - 1, place[1] - 1
    return (0, place[0] - 1) if shape[0] == 1 else (place[0] - 1, 0)


def work(problem: Problem) -> dict[str, Lines]:
    """Return all matrices by hand, tokens as columns."""
    mechanism = problem.mechanism
    given = mechanism.take_in(dict(problem.given))
    return work_stages(mechanism.formulas, make_exact_numbers(problem.hand_arithmetic), given)


@pytest.mark.parametrize("form", choose([*ALL_FORMS][::2], [*ALL_FORMS]))
def test_a_cell_reads_what_changes_it(form: str) -> None:
    """Every such cell and no other: a score that the mask hides reads nothing, for no number changes it."""
    count = 0
    for problem in draw_by_turns(form, SEEDS):
        shapes, values = find_shapes(problem), work(problem)
        for stage in problem.mechanism.stages:
            if stage.topic == "kept":  # the others only decide whether it is, which a change shows here and there
                continue
            found = {
                to_pair(place, shapes[stage.name]): {
                    (name, *to_pair(at, shapes[name])) for name, at in list_read_cells(spot)
                }
                for place, spot in list_spots(stage.formula, measure_reads(stage.formula, values))
            }
            expected, stream = dict.fromkeys(found, frozenset[tuple[str, int, int]]()), random.Random("cells")
            for _ in range(TRIES):
                for place, read in find_read_cells(problem, stage, shapes, stream).items():
                    expected[place] |= read
                if found == expected:
                    break
            assert found == expected, stage.name
            count += len(found)
    assert count > (50 if form.startswith("next-token") else 100)


@pytest.mark.parametrize("form", choose([*ALL_FORMS][1::2], [*ALL_FORMS]))
def test_a_cell_worked_alone_is_that_of_the_stage(form: str) -> None:
    """The walk over the tree and the compiled loops are two ways, and agree in every cell.

    Irrational ones to the digits that are no matter of which is added first.
    """
    for problem in draw_by_turns(form, SEEDS):
        values = work(problem)
        worker = CellWorker(make_exact_numbers(problem.hand_arithmetic), values)
        with localcontext(DECIMAL_CONTEXT):
            for stage in problem.mechanism.stages:
                for place, spot in list_spots(stage.formula, measure_reads(stage.formula, values)):
                    worked = worker.work_cell(spot)
                    assert is_same_number(worked, get_value(values, (stage.name, place))), (stage.name, place)


SHAPES = ((2, 3), (2, 4))


def find_score(row: int, column: int) -> Spot:
    """Return a score of three keys for four queries."""
    return find_spot(Variant().build_mechanism().get_stage("S").formula, SHAPES, (row, column))


def test_a_cell_is_read_in_the_order_in_which_it_is_worked() -> None:
    """Pair by pair, the key's number first."""
    expected = (("K", (1, 3)), ("Q", (1, 2)), ("K", (2, 3)), ("Q", (2, 2)))
    assert list_read_cells(find_score(3, 2)) == expected


@pytest.mark.parametrize("place", [(0, 1), (4, 1), (1, 5), (-1, 1)])
def test_a_cell_that_is_not_there_is_refused(place: Place) -> None:
    """Nothing wraps around, whatever the matrices are."""
    with pytest.raises(FormulaError, match="does not exist"):
        find_score(*place)
