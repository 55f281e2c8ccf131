"""The sheet in the terminal: the same panels as rich tables, in 80 columns, with and without colour."""

import io
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.sheet import effort, sentences
from attnhand.sheet.exact_grids import heat_maps
from attnhand.sheet.grids import Cell, Grid, Kind, Look, picked
from attnhand.sheet.panel import Panel
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import Run, Style, Text, as_plain, marked_up, plain
from attnhand.sheet.verdict import closing_sentences, comparison_sentences
from attnhand.sheet.walk import Walk, walks
from attnhand.solution import Solution

WIDTH = 80
"""Columns, where there is no terminal to ask."""

ACCENTS = {
    "keys": "yellow",
    "queries": "blue",
    "scores": "magenta",
    "scaled": "magenta",
    "masked": "magenta",
    "embedded": "cyan",
    "added": "cyan",
    "concat": "red",
    "output": "red",
    "layer": "blue",
    "relu": "blue",
    "powers": "magenta",
    "weights": "cyan",
    "values": "green",
    "outputs": "red",
}


def render_terminal(sheet: Sheet, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the sheet as text for a terminal of so many columns."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for part in _parts(sheet, console):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _parts(sheet: Sheet, console: Console) -> Iterable[RenderableType]:
    yield RichText(sentences.title(sheet), style="bold")
    sizes = f"{sentences.sizes_line(sheet)} · {effort.effort_line(sheet)}"
    yield _rich(marked_up(sizes), "dim")
    if sheet.solved:
        yield RichText(sheet.say("key"), style="bold red")
    yield RichText("")
    yield _rich(marked_up(sentences.house_rules(sheet)))
    drawn: set[str] = set()
    for panel in panels(sheet).all():
        yield RichText("")
        yield from _panel(sheet, panel, console, drawn)
    for walk in walks(sheet):
        yield from _walk(walk, console)
    yield RichText("")
    for told in closing_sentences(sheet):
        yield _rich(marked_up(told))
    if sheet.solved:
        yield from _comparison(sheet, console)
    yield RichText("")
    code = sheet.say("code", code=sheet.code) + (f" · {sheet.say('salted')}" if sheet.salted else "")
    yield _rich(plain(f"{code} · {sheet.say('credit')}" if sheet.is_by_hand else code), "dim")


def _panel(sheet: Sheet, panel: Panel, console: Console, drawn: set[str]) -> Iterable[RenderableType]:
    if panel.heading:
        yield Rule(_rich(panel.heading), align="left", style="dim")
    if panel.reminds_of_powers:
        yield _rich(marked_up(sentences.powers_reminder(sheet)))
    for paragraph in panel.paragraphs:
        yield _rich(paragraph)
    if panel.formula:
        remarks = "   ".join(as_plain(remark) for remark in panel.remarks)
        yield _rich((*panel.formula, *plain(f"   {remarks}" if remarks else "")))
    is_first = panel.over_name not in drawn and not panel.over_is_worked
    over = panel.over if panel.over and is_first else None
    drawn.add(panel.over_name)
    beside = panel.side if panel.made is None or panel.made.grid is not panel.side else None
    scheme = _scheme(panel.grid, beside, over, console)
    exact = _exact(panel)
    if exact is None:
        yield scheme
    elif _width(scheme, console) + _width(exact, console) + 2 <= console.width:
        yield _row(scheme, Padding(exact, (0, 0, 0, 2)))
    else:
        yield Group(scheme, exact)


def _walk(walk: Walk, console: Console) -> Iterable[RenderableType]:
    yield RichText("")
    yield Rule(_rich(walk.heading), align="left", style="dim")
    for words, grids in (((walk.meeting, walk.copying), (walk.keys, *walk.steps)), ((walk.mixing,), walk.values)):
        yield from (_rich(text) for text in words if text)
        beside = _row(*(Padding(_grid(grid), (0, 1, 0, 0)) for grid in grids))
        yield beside if _width(beside, console) <= console.width else Group(*map(_grid, grids))


def _exact(panel: Panel) -> RenderableType | None:
    """Draw exact values without row labels: they stand on the lines of the hand values beside them."""
    if panel.exact is None:
        return None
    caption = RichText(as_plain(panel.exact_caption), style="dim")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), border_style="dim", title=caption, title_justify="left")
    for label in panel.exact.columns:
        table.add_column(RichText(str(label), style="dim"), justify="right")
    for row in panel.exact.cells:
        table.add_row(*(RichText(str(cell.figure or ""), style="dim") for cell in row))
    return table


def _scheme(product: Grid, side: Grid | None, over: Grid | None, console: Console) -> RenderableType:
    """Draw Falk's scheme where it fits; else the factors, then the product, in as many pieces as it takes."""
    parts: Sequence[RenderableType] = [_grid(grid) for grid in (side, over) if grid]
    whole = _grid(product)
    if side and over:
        scheme = Table.grid(padding=(0, 2))
        scheme.add_row("", _grid(over))
        scheme.add_row(_grid(side), whole)
    elif side:
        scheme = Table.grid(padding=(0, 2))
        scheme.add_row(_grid(side), whole)
    else:
        scheme = whole
    if _width(scheme, console) <= console.width:
        return scheme
    return Group(*parts, *_pieces(product, console))


def _pieces(grid: Grid, console: Console) -> list[RenderableType]:
    """Cut a grid that is too wide into bands of columns, labels repeated."""
    for columns in range(grid.width, 0, -1):
        bands = [range(start, min(start + columns, grid.width)) for start in range(0, grid.width, columns)]
        cut: list[RenderableType] = [_grid(picked(grid, None, band)) for band in bands]
        if columns == 1 or all(_width(piece, console) <= console.width for piece in cut):
            return cut
    return []


def _grid(grid: Grid) -> Table:
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
    if cell.figure is None and cell.hidden:
        return RichText("×", style="dim")
    if cell.figure is None:
        return RichText("____" if grid.look is Look.WORKED else "·", style="dim")
    text = str(cell.figure) + (f" {cell.figure.note}" if cell.figure.note else "")
    if cell.kind is Kind.ANSWER:
        return RichText(text, style=f"bold {accent}".strip())
    return RichText(text)


def _comparison(sheet: Sheet, console: Console) -> Iterable[RenderableType]:
    for sentence in comparison_sentences(sheet):
        yield _rich(marked_up(sentence))
    solution: Solution = sheet.solution
    for comparison in solution.comparisons():
        maps = [_grid(grid) for grid in heat_maps(sheet, solution[comparison.stage].stage)]
        both = _row(*(Padding(grid, (0, 3, 0, 0)) for grid in maps))
        yield both if _width(both, console) <= console.width else Group(*maps)


def _row(*parts: RenderableType) -> Table:
    row = Table.grid()
    row.add_row(*parts)
    return row


def _width(part: RenderableType, console: Console) -> int:
    return Measurement.get(console, console.options.update(max_width=1000), part).maximum


def _rich(text: Text, style: str = "") -> RichText:
    rich = RichText(style=style)
    for run in text:
        rich.append(as_plain((Run(run.text, run.style, run.heavy),)), style="bold" if run.style is Style.BOLD else "")
    return rich
