"""Grids of cells: what is drawn of a matrix, with its labels, and what each cell shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from attnhand.sheet.printed_number import PrintedNumber
from attnhand.text.widths import Text, to_unicode


class Mark(StrEnum):
    """What one cell is worth."""

    CORRECT = "correct"
    FOLLOWS = "follows"  # not the key, but what the student's own earlier answers give
    WRONG = "wrong"
    BLANK = "blank"
    UNREADABLE = "unreadable"


COUNTED_MARKS = (Mark.CORRECT, Mark.FOLLOWS)
"""What counts as a mark of the score."""

MARK_SIGNS = {Mark.CORRECT: "✓", Mark.FOLLOWS: "→", Mark.WRONG: "✗", Mark.BLANK: "__", Mark.UNREADABLE: "?"}
"""Told apart without colour; the bundled font has them all."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a row or column of a grid is called."""

    letter: Text
    """q₁, or a number where the row or column has no letter."""

    word: str = ""
    """The token's own word."""

    role: str = ""
    """What the token does here: asks, answers."""

    def __str__(self) -> str:
        """Return the whole label in one line, in Unicode alone."""
        letter = to_unicode(self.letter)
        return f"{self.word} {letter} {self.role}".rstrip() if self.word else letter


def format_vector_label(letter: str, number: int) -> str:
    """Return the label of a vector (markup), counted from 1.

    >>> format_vector_label("q", 2)
    'q_{2}'
    """
    return f"{letter}_{{{number}}}"


class CellKind(StrEnum):
    """What a cell is to the student."""

    GIVEN = "given"
    BLANK = "blank"
    ANSWER = "answer"
    ANEW = "anew"  # worked anew where a mistake is found: its address is that of the cell that was printed
    COPIED = "copied"  # drawn again from elsewhere on the sheet; no address, no field, never marked


class GridStyle(StrEnum):
    """How a grid is drawn, distinct even without colour."""

    GIVEN = "given"
    WORKED = "worked"
    COPY = "copy"
    EXACT = "exact"
    CHECK_SUMS = "check-sums"
    HEAT = "heat"

    @property
    def is_small(self) -> bool:
        """Say whether its numbers are small and grey, since nobody is to work them: exact values, check sums."""
        return self in (GridStyle.EXACT, GridStyle.CHECK_SUMS)


class ValueKind(StrEnum):
    """Which of a matrix's values a cell shows."""

    GIVEN = "given"
    HAND = "hand"
    EXACT = "exact"
    DECIMAL = "decimal"  # the hand value of a weight as a decimal
    VECTOR_SUM = "vector sum"  # of the hand values of a column, or of a row where tokens are rows
    HEAT_HAND = "heat.hand"
    HEAT_EXACT = "heat.exact"


class NumberSource(NamedTuple):
    """Which number a cell shows: the same place of the same matrix in every sheet of this kind."""

    value_kind: ValueKind
    matrix: str
    row: int
    """From 0, as the column."""

    column: int


class Cell(NamedTuple):
    """One cell; a blank one holds no value at all."""

    kind: CellKind
    number: PrintedNumber | None = None
    address: str = ""
    """``S[2,3]``, row then column from 1; empty for a copy, an exact value or a heat map."""

    spoken_name: str = ""
    """The cell's name for those who listen: "S, row k₂, column q₃"."""

    copied_from: str = ""
    """The address of the cell that it is copied from, where it is copied from one."""

    source: NumberSource | None = None
    """Where its number comes from; None where it has none, or the same on every sheet."""

    shade: int = 0
    """Of a heat map: 0 (white) to 10."""

    exact: PrintedNumber | None = None
    """The exact value, small below the number."""

    exact_source: NumberSource | None = None

    decimal: PrintedNumber | None = None
    """The number as a decimal, small behind it."""

    decimal_source: NumberSource | None = None

    mark: Mark | None = None
    """What a student's answer is worth, where one is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A matrix, or the part of it that is drawn."""

    name: Text
    """What stands in its corner: X, W_Q, Kᵀ."""

    style: GridStyle
    accent: str = ""
    """Which matrix it belongs to, for its colour: the topic of its stage."""

    rows: tuple[Label, ...]
    """Row labels, as many as there are rows."""

    columns: tuple[Label, ...]
    cells: tuple[tuple[Cell, ...], ...]
    has_total_row: bool = False
    """Whether its last row adds up those above it."""

    has_total_column: bool = False

    @property
    def row_count(self) -> int:
        """Count its rows."""
        return len(self.cells)

    @property
    def column_count(self) -> int:
        """Count its columns."""
        return len(self.cells[0])


def transpose_grid(grid: Grid, name: Text) -> Grid:
    """Return the grid transposed, as Kᵀ is drawn from K."""
    return replace(grid, name=name, rows=grid.columns, columns=grid.rows, cells=tuple(zip(*grid.cells, strict=True)))


def append_totals(grid: Grid, totals: Grid, *, is_column: bool) -> Grid:
    """Return a grid with what its columns add to as its last row; with what its rows add to as its last column."""
    if is_column:
        cells = tuple((*row, total) for row, (total,) in zip(grid.cells, totals.cells, strict=True))
        return replace(grid, columns=(*grid.columns, *totals.columns), cells=cells, has_total_column=True)
    return replace(grid, rows=(*grid.rows, *totals.rows), cells=(*grid.cells, *totals.cells), has_total_row=True)


def select_rows_and_columns(grid: Grid, rows: Sequence[int] | None, columns: Sequence[int] | None) -> Grid:
    """Return only those rows and columns (0-based, None for all)."""
    keep_rows = range(grid.row_count) if rows is None else rows
    keep_columns = range(grid.column_count) if columns is None else columns
    return replace(
        grid,
        rows=tuple(grid.rows[i] for i in keep_rows),
        columns=tuple(grid.columns[j] for j in keep_columns),
        cells=tuple(tuple(grid.cells[i][j] for j in keep_columns) for i in keep_rows),
    )
