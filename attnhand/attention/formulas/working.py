"""A problem worked by its formulas: compiled once a process and shape, then stage by stage."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import localcontext
from functools import lru_cache

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.cells import CellWorker, list_spots
from attnhand.attention.formulas.compiling import Compiled, Lines, compile_formula
from attnhand.attention.formulas.kinds import (
    ExactNumbers,
    FloatNumbers,
    Numbers,
    TooLargeError,
    convert_lines,
    list_cells,
)
from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.mechanism import TOKEN_SIZES, Stage
from attnhand.attention.formulas.sized import SizedMechanism, size_mechanism
from attnhand.attention.matrix import FloatMatrix, Matrix, transpose
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import make_too_large_error
from attnhand.errors import AttnhandError, ProblemError


@dataclass(frozen=True, slots=True, eq=False)
class CompiledStage:
    """A stage and what works it at one size."""

    stage: Stage
    compiled: Compiled


@lru_cache(maxsize=500)
def compile_stages(sized: SizedMechanism) -> tuple[CompiledStage, ...]:
    """Compile all stages of a mechanism, in the order of working."""
    families = sized.mechanism.families
    return tuple(
        CompiledStage(stage, compile_formula(stage.formula, sized.measure_letters(stage), families, sized.lists))
        for stage in sized.mechanism.stages
    )


def work_stages(
    sized: SizedMechanism,
    numbers: Numbers,
    given: Mapping[str, Lines],
    replacements: Mapping[str, Lines] | None = None,
) -> dict[str, Lines]:
    """Work all stages; returns given matrices and stages by name.

    Args:
        given: in that kind of number, tokens as columns.
        replacements: what came out at some stages; later stages carry on from there.

    Raises:
        PowersTooLargeError: a power cannot be written down.
        FormulaError: a matrix has another shape than the problem's sizes say.
    """
    values, replaced = dict(given), replacements or {}
    for name, lines in (*given.items(), *replaced.items()):
        sized.check_matrix(name, lines)
    with localcontext(DECIMAL_CONTEXT):
        for each in compile_stages(sized):
            name, compiled = each.stage.name, each.compiled
            if name in replaced:
                values[name] = replaced[name]
                continue
            try:
                values[name] = numbers.work(compiled, [values[read] for read in compiled.reads])
            except TooLargeError:
                exponents = _find_large_powers(sized, each.stage, CellWorker(numbers, values))
                raise PowersTooLargeError(each.stage, exponents) from None
    return values


class PowersTooLargeError(AttnhandError):
    """A stage that cannot be worked, for some of its powers cannot be written down."""

    def __init__(self, stage: Stage, exponents: Mapping[tuple[int, ...], Number]) -> None:
        """Name the stage and the exponents that are too large, by the place of their cells."""
        super().__init__(f"{stage.name} has powers that are too large to be written down")
        self.stage, self.exponents = stage, exponents


def _find_large_powers(sized: SizedMechanism, stage: Stage, worker: CellWorker) -> dict[tuple[int, ...], Number]:
    """Return the exponents that are too large, by the place of their cells."""
    found = {}
    for place, spot in list_spots(sized, stage):
        try:
            worker.work_cell(spot)
        except TooLargeError as error:
            found[place] = error.exponent
    return found


def take_in(a: Matrix, axes: tuple[str, ...], convention: Convention) -> Lines:
    """Return a matrix as formulas have it: tokens as columns, one index as a vector."""
    if len(axes) == 1:
        return tuple([value for row in a for value in row])
    return transpose(a) if convention.is_rows else a


def show(lines: Lines, axes: tuple[str, ...], convention: Convention) -> Lines:
    """Return a matrix as the sheet has it; rows are the columns transposed."""
    if len(axes) == 1:  # a number for each token is a row, where tokens are columns
        is_row = (axes[0] in TOKEN_SIZES) is not convention.is_rows
        return (lines,) if is_row else tuple([(value,) for value in lines])
    return tuple(zip(*lines, strict=True)) if convention.is_rows else lines


def show_place(place: tuple[int, ...], axes: tuple[str, ...], convention: Convention) -> tuple[int, int]:
    """Return row and column (0-based) where the sheet has a cell.

    >>> show_place((2, 1), ("tokens", "tokens"), Convention.ROWS), show_place((3,), ("tokens",), Convention.COLUMNS)
    ((0, 1), (0, 2))
    """
    if len(place) == 1:
        row, column = (1, place[0]) if axes[0] in TOKEN_SIZES else (place[0], 1)
    else:
        row, column = place
    return (column - 1, row - 1) if convention.is_rows else (row - 1, column - 1)


def work_problem(problem: Problem) -> dict[str, tuple[Matrix, FloatMatrix]]:
    """Work a problem by hand and exactly; every stage by name, in the problem's convention."""
    mechanism = build_mechanism(problem.variant)
    sized, convention = size_mechanism(mechanism, problem.sizes), problem.convention
    given = {name: take_in(a, mechanism.get_axes(name), convention) for name, a in problem.given}
    try:
        hand = work_stages(sized, ExactNumbers(problem.hand_arithmetic, mechanism.known), given)
    except PowersTooLargeError as error:
        raise _name_first_cell(error, problem) from None
    exact = _work_exactly(sized, problem.exact_arithmetic, given)
    return {
        stage.name: (show(hand[stage.name], stage.axes, convention), show(exact[stage.name], stage.axes, convention))
        for stage in mechanism.stages
    }


def _name_first_cell(error: PowersTooLargeError, problem: Problem) -> ProblemError:
    """Refuse the first power, as the sheet is read, that cannot be written down."""
    by_cell = {show_place(place, error.stage.axes, problem.convention): x for place, x in error.exponents.items()}
    cell = min(by_cell)
    return make_too_large_error(error.stage.name, cell, by_cell[cell], problem.hand_arithmetic)


def _work_exactly(sized: SizedMechanism, arithmetic: Arithmetic, given: Mapping[str, Lines]) -> dict[str, Lines]:
    """Work attention as it is in floats; in 40 digits, where a power is beyond them."""
    known = sized.mechanism.known
    try:
        in_floats = {name: convert_lines(lines, float) for name, lines in given.items()}
        worked = work_stages(sized, FloatNumbers(arithmetic, known), in_floats)
        if all(_is_within_floats(lines) for lines in worked.values()):
            return worked
    except (ZeroDivisionError, ValueError):  # a sum of powers too small, or of one that is too large
        pass
    in_decimals = work_stages(sized, ExactNumbers(arithmetic, known, has_limit=False), given)
    return {name: convert_lines(lines, to_float) for name, lines in in_decimals.items()}


def _is_within_floats(lines: Lines) -> bool:
    """Say whether nothing is beyond the floats; −∞ stands for a masked score, and gives 0."""
    return all(value < math.inf for value in list_cells(lines))  # no NaN is less
