"""The student's own sheet with marks: every cell shows what was written and what it is worth."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from attnhand.marking.marks import CellMark, Note
from attnhand.numbers import true_minus
from attnhand.sheet.figures import Figure, hand_figure
from attnhand.sheet.grids import Cell, Grid, Kind
from attnhand.sheet.text import printable

LONGEST_SHOWN = 8
"""Characters of an answer that fit its cell."""


def annotated(grid: Grid, marks: Mapping[str, CellMark], places: int) -> Grid:
    """Return a blank grid with the answers to its cells in it, each with its mark.

    Args:
        marks: by the address of their cell.
        places: digits of decimals that the sheet asks for.
    """
    return replace(grid, cells=tuple(tuple(_annotated(cell, marks, places) for cell in row) for row in grid.cells))


def _annotated(cell: Cell, marks: Mapping[str, CellMark], places: int) -> Cell:
    if (mark := marks.get(cell.address)) is None:
        return cell
    spoken = cell.spoken.rpartition(", ")[0] if cell.kind is Kind.BLANK else cell.spoken
    return replace(cell, kind=Kind.ANSWER, figure=_figure(mark, places), mark=mark.mark, spoken=spoken)


def _figure(mark: CellMark, places: int) -> Figure | None:
    """Show an answer as it was written, a fraction over its line; what is too long is cut or rounded."""
    text = mark.answer.strip()
    if not text or mark.note is Note.SHAPE:
        return None
    if isinstance(mark.value, Fraction) and ("/" in text or len(text) > LONGEST_SHOWN):
        return hand_figure(mark.value, places)
    if mark.value is not None and len(text) > LONGEST_SHOWN:
        return hand_figure(mark.value, places)
    shown = true_minus(text) if mark.value is not None else text
    shown = printable(" ".join(shown.split()))
    return Figure(shown if len(shown) <= LONGEST_SHOWN else f"{shown[: LONGEST_SHOWN - 1]}…")
