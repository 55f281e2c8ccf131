"""Simulated students: how they write, what they do wrong, and how they go on from there."""

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum

from attnhand.attention.formulas.kinds import TooLargeError
from attnhand.attention.matrix import Matrix, map_cells, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, format_decimal, format_exact
from attnhand.attention.slips import StageContext
from attnhand.attention.spellings import read_number
from attnhand.formats.answer_tables import TextRows
from attnhand.marking.marks import ROWS_EXCHANGED, SINGLE_CELL, TRANSPOSED
from attnhand.sheet.sheet import Sheet


class WritingStyle(StrEnum):
    """How a student writes numbers, and with which they go on."""

    FRACTIONS = "fractions"
    """Exactly, what is irrational with six decimals; goes on with the exact ones."""

    DECIMALS = "decimals"
    """With as many decimals as the sheet asks; goes on with what is written."""

    CALCULATOR = "calculator"
    """With as many decimals; goes on with all the digits of the calculator."""

    def write_number(self, value: Number, places: int) -> str:
        """Write one number."""
        if isinstance(value, Decimal) and not value.is_finite():
            return format_exact(value)
        if self is WritingStyle.FRACTIONS:
            return format_decimal(value, 6) if isinstance(value, Decimal) else format_exact(value)
        return format_exact(int(value)) if value == int(value) else format_decimal(value, places)

    def carry_number(self, value: Number, places: int) -> Number:
        """Return the number that is worked on with."""
        if self is not WritingStyle.DECIMALS:
            return value
        reading = read_number(self.write_number(value, places))
        assert reading is not None
        return reading.value


Mistake = Callable[[StageContext], Matrix | None]

EarlierMistake = tuple[str, Mistake]
"""A stage, and the mistake that was made there."""


class Student:
    """One who works a sheet in their way, stage by stage."""

    def __init__(self, sheet: Sheet, style: WritingStyle) -> None:
        self.sheet, self.style = sheet, style
        self.known_values: dict[str, Matrix] = dict(sheet.problem.given)
        self.texts: dict[str, TextRows] = {}
        """What is handed in, by stage."""

        self.printed_cell = sheet.worked_cell

    def copy(self) -> "Student":
        """Return a student who has come as far."""
        other = Student(self.sheet, self.style)
        other.known_values, other.texts = dict(self.known_values), dict(self.texts)
        return other

    def make_context(self, stage: Stage) -> StageContext:
        """Return the context of a stage, as far as they have come."""
        problem = self.sheet.problem
        return StageContext(problem.mechanism, stage, problem.hand_arithmetic, dict(self.known_values))

    def write_stage(self, stage: Stage, matrix: Matrix) -> None:
        """Write down a stage and go on with it, or with the key where it has a shape that does not fit."""
        key = self.sheet.solution[stage.name].hand
        self.texts[stage.name] = self.spell_stage(stage, matrix)
        places = self.sheet.problem.rules.decimals
        carried = map_cells(lambda value: self.style.carry_number(value, places), matrix)
        self.known_values[stage.name] = (
            self._restore_printed_cells(stage, carried) if shape(matrix) == shape(key) else key
        )

    def work_stages(self, stages: tuple[Stage, ...]) -> None:
        """Work these stages rightly, as far as a pencil can."""
        for stage in stages:
            if self.sheet.is_printed(stage) or not self.sheet.has_own_panel(stage):
                self.known_values[stage.name] = self.sheet.solution[stage.name].hand
            elif (right := work_stage(self.make_context(stage))) is not None:
                self.write_stage(stage, right)
            else:
                return

    def spell_stage(self, stage: Stage, matrix: Matrix) -> TextRows:
        """Return a stage as it is written; what is printed is left empty in what is handed in."""
        is_whole = shape(matrix) == shape(self.sheet.solution[stage.name].hand)
        places = self.sheet.problem.rules.decimals
        return tuple(
            tuple(
                "" if is_whole and self._is_printed(stage, i, j) else self.style.write_number(value, places)
                for j, value in enumerate(row)
            )
            for i, row in enumerate(matrix)
        )

    def _is_printed(self, stage: Stage, row: int, column: int) -> bool:
        return (stage.name, row, column) == self.printed_cell or self.sheet.is_cell_printed(stage, row, column)

    def _restore_printed_cells(self, stage: Stage, matrix: Matrix) -> Matrix:
        key = self.sheet.solution[stage.name].hand
        return tuple(
            tuple(key[i][j] if self._is_printed(stage, i, j) else value for j, value in enumerate(row))
            for i, row in enumerate(matrix)
        )


def work_stage(context: StageContext) -> Matrix | None:
    """Work a stage rightly; None where it cannot be done with a pencil."""
    try:
        return context.stage.work(context.arithmetic, context.matrices, has_limit=True)
    except (ArithmeticError, TooLargeError):
        return None


def list_generic_mistakes(sheet: Sheet, stage: Stage) -> dict[str, Mistake]:
    """Return the mistakes that any stage can show; nobody exchanges lines round zeros that are printed."""
    rows, columns = shape(sheet.solution[stage.name].hand)
    if any(sheet.is_cell_printed(stage, i, j) for i in range(rows) for j in range(columns)):
        return {SINGLE_CELL: lambda context: _change_last_cell(context.compute_correct())}
    mistakes: dict[str, Mistake] = {
        TRANSPOSED: lambda context: transpose(context.compute_correct()),
        SINGLE_CELL: lambda context: _change_last_cell(context.compute_correct()),
    }
    if rows > 1:
        mistakes[ROWS_EXCHANGED] = lambda context: (
            context.compute_correct()[::-1] if rows == 2 else _exchange_first_and_last(context.compute_correct())
        )
    elif columns > 1:
        mistakes[ROWS_EXCHANGED] = lambda context: transpose(
            _exchange_first_and_last(transpose(context.compute_correct()))
        )
    return mistakes


def _exchange_first_and_last(a: Matrix) -> Matrix:
    return (a[-1], *a[1:-1], a[0])


def _change_last_cell(a: Matrix) -> Matrix:
    last = a[-1][-1]
    return (*a[:-1], (*a[-1][:-1], last + 1 if last > -1000 else 7))
