"""Grids as rich tables: frames told apart without colour, answers in bold, marks as signs."""

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text as RichText

from attnhand.sheet.cell_marks import SIGNS, Mark
from attnhand.sheet.grids import Cell, Grid, Kind, Look, picked
from attnhand.sheet.text import Run, Style, Text, as_plain

OCHRE, BLUE, VIOLET, TEAL, GREEN, BRICK = (f"color({number})" for number in (130, 27, 133, 30, 28, 160))
"""Inks that can be read on black and on white alike; the 16 usual ones cannot, and every theme has others."""

ACCENTS = {
    "keys": OCHRE,
    "queries": BLUE,
    "scores": VIOLET,
    "scaled": VIOLET,
    "masked": VIOLET,
    "embedded": TEAL,
    "added": TEAL,
    "concat": BRICK,
    "output": BRICK,
    "layer": BLUE,
    "relu": BLUE,
    "powers": VIOLET,
    "weights": TEAL,
    "values": GREEN,
    "outputs": BRICK,
}
"""As on paper."""


SIGN_STYLES = {
    Mark.CORRECT: GREEN,
    Mark.FOLLOWS: TEAL,
    Mark.WRONG: f"bold {BRICK}",
    Mark.BLANK: "dim",
    Mark.UNREADABLE: f"bold {OCHRE}",
}


def grid_table(grid: Grid) -> Table:
    """Draw a grid as a table with its labels."""
    accent = ACCENTS.get(grid.accent, "")
    frame = {Look.WORKED: box.SQUARE, Look.COPY: box.ASCII}.get(grid.look, box.SIMPLE_HEAD)
    style = accent if grid.look is Look.WORKED else "dim"
    table = Table(
        box=frame, show_lines=False, padding=(0, 1 if grid.width <= 6 else 0), border_style=style, pad_edge=True
    )
    table.add_column(RichText(as_plain(grid.name), style="bold"), justify="right")
    for label in grid.columns:
        table.add_column(RichText(str(label), style="dim"), justify="right", min_width=3)
    for label, row in zip(grid.rows, grid.cells, strict=True):
        table.add_row(RichText(str(label), style="dim"), *(_cell(cell, grid, accent) for cell in row))
    return table


def _cell(cell: Cell, grid: Grid, accent: str) -> RichText:
    if cell.mark:
        note = f" {cell.figure.note}" if cell.figure and cell.figure.note else ""
        return RichText(f"{cell.figure or ''}{note} {SIGNS[cell.mark]}".strip(), style=SIGN_STYLES[cell.mark])
    if cell.figure is None and cell.hidden:
        return RichText("×", style="dim")
    if cell.figure is None:
        return RichText("____" if grid.look is Look.WORKED else "·", style="dim")
    text = str(cell.figure) + (f" {cell.figure.note}" if cell.figure.note else "")
    if cell.kind is Kind.ANSWER:
        return RichText(text, style=f"bold {accent}".strip())
    return RichText(text)


def pieces(grid: Grid, console: Console) -> list[RenderableType]:
    """Cut a grid that is too wide into bands of columns, labels repeated."""
    for columns in range(grid.width, 0, -1):
        bands = [range(start, min(start + columns, grid.width)) for start in range(0, grid.width, columns)]
        cut: list[RenderableType] = [grid_table(picked(grid, None, band)) for band in bands]
        if columns == 1 or all(natural_width(piece, console) <= console.width for piece in cut):
            return cut
    return []


def side_by_side(*parts: RenderableType) -> Table:
    """Put parts into one row."""
    row = Table.grid()
    row.add_row(*parts)
    return row


def natural_width(part: RenderableType, console: Console) -> int:
    """Return how many columns a part takes where nothing confines it."""
    return Measurement.get(console, console.options.update(max_width=1000), part).maximum


def rich_text(text: Text, style: str = "") -> RichText:
    """Set a text for the terminal."""
    rich = RichText(style=style)
    for run in text:
        is_bold = run.heavy or run.style is Style.BOLD
        rich.append(as_plain((Run(run.text, run.style, run.heavy),)), style="bold" if is_bold else "")
    return rich
