"""Whether a student's numbers fit a guess: cell by cell, to the digits that were written."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from attnhand.attention.matrix import Matrix, shape, transpose
from attnhand.attention.spellings import Reading, read_number
from attnhand.marking.marks import CellMark, Note, Place, VectorKind
from attnhand.marking.match import Digits, match_answer
from attnhand.sheet.evidence_limits import FEW_WRONG
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

Readings = Mapping[Place, Reading]
"""What can be read of a matrix, by row and column (0-based); blank and unreadable cells are left out."""


def collect_readings(cells: Sequence[CellMark], sheet: Sheet) -> Readings:
    """Return the readable numbers of one stage.

    The worked cell is printed, so that it is right whatever was done in the others. A cell with too few digits is
    nearly right, so it is evidence for nothing else.
    """
    printed = sheet.worked_cell
    found: dict[tuple[int, int], Reading] = {}
    for cell in cells:
        is_printed = (cell.stage, cell.row, cell.column) == printed and cell.mark is Mark.CORRECT
        is_evidence = cell.value is not None and not is_printed and cell.note is not Note.TOO_FEW_DIGITS
        if is_evidence and (reading := read_number(cell.answer)) is not None:
            found[cell.row, cell.column] = reading
    return found


def all_match(readings: Readings, guess: Matrix, decimals: int) -> bool:
    """Say whether every number that was written is the one that a guess gives there."""
    return all(
        match_answer(reading, guess[i][j], decimals, Digits.AT_LEAST).is_right for (i, j), reading in readings.items()
    )


def has_few_wrong_cells(cells: Sequence[CellMark]) -> bool:
    """Say whether the wrong cells of a stage stand alone among right ones: slips of the pen, not made up."""
    return FEW_WRONG * sum(cell.mark is Mark.WRONG for cell in cells) <= sum(cell.counts for cell in cells)


Exchange = tuple[VectorKind, tuple[int, int]]
"""Two rows or two columns (0-based), each written where the other belongs."""


def is_transposed(readings: Readings, expected: Matrix, decimals: int) -> bool:
    """Say whether a square stage was written transposed."""
    turned = transpose(expected)
    return shape(turned) == shape(expected) and turned != expected and all_match(readings, turned, decimals)


def find_exchanges(
    readings: Readings, wrong_cells: Sequence[tuple[int, int]], expected_matrices: Sequence[Matrix], decimals: int
) -> dict[Exchange, Matrix]:
    """Return every exchange of two vectors that gives what was written, and what it gives.

    Args:
        wrong_cells: of this stage, row and column; both vectors must have some.
        expected_matrices: what would have been right: the key, and what follows from the student's own values.
    """
    return {
        (along, vectors): value
        for right in expected_matrices
        for (along, vectors), value in _list_exchanges(right)
        if set(vectors) <= {cell[along is VectorKind.COLUMNS] for cell in wrong_cells}
        and all_match(readings, value, decimals)
    }


def _list_exchanges(expected: Matrix) -> Iterator[tuple[Exchange, Matrix]]:
    """Yield the matrix with every two vectors exchanged."""
    for along in VectorKind:
        vectors = expected if along is VectorKind.ROWS else transpose(expected)
        for first, second in combinations(range(len(vectors)), 2):
            moved = tuple(vectors[{first: second, second: first}.get(at, at)] for at in range(len(vectors)))
            yield (along, (first, second)), moved if along is VectorKind.ROWS else transpose(moved)
