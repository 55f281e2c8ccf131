"""What a student's numbers say for or against a guess: cell by cell, to the digits that were written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from attnhand.attention.matrix import Matrix, shape, transposed
from attnhand.attention.numbers import Number
from attnhand.attention.operations import Along
from attnhand.marking.answer_number import MOST_DIGITS, Reading, is_near, is_same, read_answer
from attnhand.marking.marks import CellMark, Note
from attnhand.sheet.build_grids import worked_cell
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

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


SINGLE_CELL, ROWS_EXCHANGED, TRANSPOSED = "single-cell", "rows-exchanged", "transposed"

GENERICS: tuple[str, ...] = (SINGLE_CELL, ROWS_EXCHANGED, TRANSPOSED)
"""Ids, in reports and in answer files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Two rows or two columns, each written where the other belongs."""

    along: Along
    lines: tuple[int, int]
    """0-based."""


def is_transposed(written: Written, right: Matrix, places: int) -> bool:
    """Say whether a square stage was written transposed."""
    turned = transposed(right)
    return shape(turned) == shape(right) and turned != right and all_agree(written, turned, places)


def exchanges(
    written: Written, wrong: Sequence[tuple[int, int]], rights: Sequence[Matrix], places: int
) -> dict[Exchange, Matrix]:
    """Return every exchange of two lines that gives what was written, and what it gives.

    Args:
        wrong: the wrong cells, row and column; both lines must have some.
        rights: what would have been right: the key, and what follows from the student's own values.
    """
    return {
        made: value
        for right in rights
        for made, value in _exchanges(right)
        if set(made.lines) <= {cell[made.along is Along.COLUMNS] for cell in wrong}
        and all_agree(written, value, places)
    }


def _exchanges(right: Matrix) -> Iterator[tuple[Exchange, Matrix]]:
    """Yield the matrix with every two lines exchanged."""
    for along in Along:
        lines = right if along is Along.ROWS else transposed(right)
        for first, second in combinations(range(len(lines)), 2):
            moved = list(lines)
            moved[first], moved[second] = lines[second], lines[first]
            value = tuple(moved)
            made = Exchange(along=along, lines=(first, second))
            yield made, value if along is Along.ROWS else transposed(value)
