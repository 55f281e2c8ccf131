"""Simulated students: how they write, what they do wrong, and how they go on from there."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from enum import StrEnum

from attnhand.attention.matrix import Matrix, mapped, shape, transposed, values
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import MINUS_INFINITY, PRECISION, Number, rounded, written
from attnhand.attention.operations import Power
from attnhand.attention.slips import Desk
from attnhand.attention.solution import LARGEST_EXPONENT
from attnhand.formats.answers import Texts
from attnhand.marking.answer_number import read_answer
from attnhand.marking.evidence import ROWS_EXCHANGED, SINGLE_CELL, TRANSPOSED
from attnhand.sheet.build_grids import worked_cell
from attnhand.sheet.sheet import Sheet


class Way(StrEnum):
    """How somebody writes numbers, and with which they go on."""

    FRACTIONS = "fractions"
    """Exactly, what is irrational with six decimals; goes on with the exact ones."""

    DECIMALS = "decimals"
    """With as many decimals as the sheet asks; goes on with what is written."""

    CALCULATOR = "calculator"
    """With as many decimals; goes on with all the digits of the calculator."""

    def spelled(self, value: Number, places: int) -> str:
        """Write one number."""
        if isinstance(value, Decimal) and not value.is_finite():
            return written(value)
        if self is Way.FRACTIONS:
            return rounded(value, 6) if isinstance(value, Decimal) else written(value)
        return written(int(value)) if value == int(value) else rounded(value, places)

    def carried(self, value: Number, places: int) -> Number:
        """Return the number that is worked on with."""
        if self is not Way.DECIMALS:
            return value
        reading = read_answer(self.spelled(value, places))
        assert reading is not None
        return reading.value


Mistake = Callable[[Desk], Matrix | None]

Earlier = tuple[str, Mistake]
"""A stage, and the mistake that was made there."""


class Student:
    """Somebody who works a sheet in their way, stage by stage."""

    def __init__(self, sheet: Sheet, way: Way) -> None:
        self.sheet, self.way = sheet, way
        self.known: dict[str, Matrix] = dict(sheet.problem.given)
        self.texts: dict[str, Texts] = {}
        """What is handed in, by stage."""

        self.printed = worked_cell(sheet)

    def copy(self) -> "Student":
        """Return somebody who has come as far."""
        other = Student(self.sheet, self.way)
        other.known, other.texts = dict(self.known), dict(self.texts)
        return other

    def desk(self, stage: Stage) -> Desk:
        """Return what lies before them at a stage."""
        problem = self.sheet.problem
        return Desk(problem.mechanism, stage, problem.hand, dict(self.known))

    def write(self, stage: Stage, made: Matrix) -> None:
        """Write down a stage and go on with it, or with the key where it has a shape that does not fit."""
        key = self.sheet.solution[stage.name].hand
        self.texts[stage.name] = self.written(stage, made)
        places = self.sheet.problem.rules.decimals
        carried = mapped(lambda value: self.way.carried(value, places), made)
        self.known[stage.name] = self._with_printed(stage, carried) if shape(made) == shape(key) else key

    def go_on(self, stages: tuple[Stage, ...]) -> None:
        """Work these stages rightly, as far as a pencil can."""
        for stage in stages:
            if self.sheet.is_printed(stage) or not self.sheet.is_drawn(stage):
                self.known[stage.name] = self.sheet.solution[stage.name].hand
            elif (right := worked(self.desk(stage))) is not None:
                self.write(stage, right)
            else:
                return

    def written(self, stage: Stage, made: Matrix) -> Texts:
        """Return a stage as it is written; the worked cell is printed, and left empty in what is handed in."""
        is_whole = shape(made) == shape(self.sheet.solution[stage.name].hand)
        places = self.sheet.problem.rules.decimals
        return tuple(
            tuple(
                "" if is_whole and (stage.name, i, j) == self.printed else self.way.spelled(value, places)
                for j, value in enumerate(row)
            )
            for i, row in enumerate(made)
        )

    def _with_printed(self, stage: Stage, made: Matrix) -> Matrix:
        key = self.sheet.solution[stage.name].hand
        return tuple(
            tuple(key[i][j] if (stage.name, i, j) == self.printed else value for j, value in enumerate(row))
            for i, row in enumerate(made)
        )


def worked(desk: Desk) -> Matrix | None:
    """Work a stage rightly; None where it cannot be done with a pencil."""
    if isinstance(desk.operation, Power):
        exponents = [x for x in values(desk.inputs[0]) if x > MINUS_INFINITY]
        if any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents):
            return None
    try:
        with localcontext(PRECISION):
            return desk.right()
    except ArithmeticError:
        return None


def generics_at(sheet: Sheet, stage: Stage) -> dict[str, Mistake]:
    """Return the mistakes that any stage can show."""
    rows, columns = shape(sheet.solution[stage.name].hand)
    made: dict[str, Mistake] = {
        TRANSPOSED: lambda desk: transposed(desk.right()),
        SINGLE_CELL: lambda desk: _one_more(desk.right()),
    }
    if rows > 1:
        made[ROWS_EXCHANGED] = lambda desk: desk.right()[::-1] if rows == 2 else _first_last(desk.right())
    elif columns > 1:
        made[ROWS_EXCHANGED] = lambda desk: transposed(_first_last(transposed(desk.right())))
    return made


def _first_last(a: Matrix) -> Matrix:
    return (a[-1], *a[1:-1], a[0])


def _one_more(a: Matrix) -> Matrix:
    last = a[-1][-1]
    return (*a[:-1], (*a[-1][:-1], last + 1 if last > -1000 else 7))
