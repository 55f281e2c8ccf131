"""Mistakes that any stage can show, whatever it computes: one cell, two lines exchanged, the transpose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from attnhand.marking.evidence import Written, all_agree
from attnhand.matrix import Matrix, shape, transposed
from attnhand.operations import Along

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
