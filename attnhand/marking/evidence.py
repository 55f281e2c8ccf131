"""What a student's numbers say for or against a guess: cell by cell, to the digits that were written."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from attnhand.marking.marks import CellMark, Note
from attnhand.marking.rightness import MOST_DIGITS, is_near, is_same
from attnhand.marking.spelling import Reading, read_answer
from attnhand.matrix import Matrix
from attnhand.numbers import Number
from attnhand.sheet.cell_marks import Mark
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.worked_cell import worked_cell

Written = Mapping[tuple[int, int], Reading]
"""What can be read of a matrix, by row and column (0-based); blank and unreadable cells are left out."""


def written_cells(cells: Sequence[CellMark], sheet: Sheet) -> Written:
    """Return what the cells of one stage say.

    The worked cell is printed, so that it is right whatever was done in the others. A cell with too few digits is
    nearly right, and speaks for nothing else.
    """
    printed = worked_cell(sheet)
    found: dict[tuple[int, int], Reading] = {}
    for cell in cells:
        is_printed = (cell.stage, cell.row, cell.column) == printed and cell.mark is Mark.CORRECT
        if cell.value is None or is_printed or cell.note is Note.TOO_FEW_DIGITS:
            continue
        reading = read_answer(cell.answer)
        if reading is not None:
            found[cell.row, cell.column] = reading
    return found


def all_agree(written: Written, expected: Matrix, places: int) -> bool:
    """Say whether every number that was written is the expected one."""
    return all(agrees(reading, expected[i][j], places) for (i, j), reading in written.items())


def agrees(reading: Reading, expected: Number, places: int) -> bool:
    """Say whether a number is the expected one: exactly, or a decimal to the digits written, the sheet's at least.

    >>> from fractions import Fraction
    >>> [agrees(Reading(Fraction(text), 2), Fraction(1, 3), 2) for text in ("0.33", "0.34")]
    [True, False]
    >>> agrees(Reading(Fraction(33, 100), None), Fraction(1, 3), 2)
    False
    """
    if is_same(reading.value, expected):
        return True
    if reading.places is None and not isinstance(expected, Decimal):
        return False
    digits = places if reading.places is None else min(max(reading.places, places), MOST_DIGITS)
    return is_near(reading.value, expected, digits)
