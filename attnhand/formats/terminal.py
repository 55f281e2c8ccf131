"""The sheet in the terminal: the same panels as rich tables, in 80 columns, with and without colour."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.attention.solution import Solution
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import heat_maps
from attnhand.sheet.conclusion import closing_sentences, code_line, comparison_sentences
from attnhand.sheet.grids import SIGNS, Cell, Grid, Kind, Look, Mark, picked
from attnhand.sheet.panels import Panel, panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import Walk, walks
from attnhand.sheet.vet import VetReport, Wish
from attnhand.text.widths import Run, Style, Text, as_plain, marked_up, plain

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


WIDTH = 80
"""Columns, where there is no terminal to ask."""


def render_terminal(sheet: Sheet, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the sheet as text for a terminal of so many columns."""
    return printed(lambda console: _parts(sheet, console), width=width, colour=colour)


def printed(parts: Callable[[Console], Iterable[RenderableType]], *, width: int, colour: bool) -> str:
    """Return what rich prints of the parts, without blanks at the ends of lines."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="256" if colour else None,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for part in parts(console):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _parts(sheet: Sheet, console: Console) -> Iterable[RenderableType]:
    yield RichText(sentences.title(sheet), style="bold")
    sizes, effort_told = (marked_up(line) for line in (sentences.sizes_line(sheet), sentences.effort_line(sheet)))
    in_one = (*sizes, *plain(" · "), *effort_told)
    fits = len(as_plain(in_one)) <= console.width
    yield from (rich_text(line, "dim") for line in ([in_one] if fits else [sizes, effort_told]))
    if sheet.solved:
        yield RichText(sheet.say("key"), style=f"bold {BRICK}")
    yield RichText("")
    yield rich_text(marked_up(sentences.house_rules(sheet)))
    drawn: set[str] = set()
    for panel in panels(sheet).all():
        yield RichText("")
        yield from _panel(sheet, panel, console, drawn)
    for walk in walks(sheet):
        yield from _walk(walk, console)
    yield RichText("")
    for told in closing_sentences(sheet):
        yield rich_text(marked_up(told))
    if sheet.solved:
        yield from _comparison(sheet, console)
    yield RichText("")
    yield rich_text(plain(code_line(sheet)), "dim")


def _panel(sheet: Sheet, panel: Panel, console: Console, drawn: set[str]) -> Iterable[RenderableType]:
    if panel.heading:
        yield Rule(rich_text(panel.heading), align="left", style="dim")
    if panel.reminds_of_powers:
        yield rich_text(marked_up(sentences.powers_reminder(sheet)))
    for paragraph in panel.paragraphs:
        yield rich_text(paragraph.text)
    if panel.formula:
        remarks = "   ".join(as_plain(remark.text) for remark in panel.remarks)
        yield rich_text((*panel.formula, *plain(f"   {remarks}" if remarks else "")))
    is_first = panel.over_name not in drawn and not panel.over_is_worked
    over = panel.over if panel.over and is_first else None
    drawn.add(panel.over_name)
    beside = panel.side if panel.made is None or panel.made.grid is not panel.side else None
    scheme = _scheme(panel.grid, beside, over, console)
    exact = _exact(panel)
    if exact is None:
        yield scheme
    elif natural_width(scheme, console) + natural_width(exact, console) + 2 <= console.width:
        yield side_by_side(scheme, Padding(exact, (0, 0, 0, 2)))
    else:
        yield Group(scheme, exact)


def _walk(walk: Walk, console: Console) -> Iterable[RenderableType]:
    yield RichText("")
    yield Rule(rich_text(walk.heading), align="left", style="dim")
    for words, grids in (((walk.meeting, walk.copying), (walk.keys, *walk.steps)), ((walk.mixing,), walk.values)):
        yield from (rich_text(text) for text in words if text)
        beside = side_by_side(*(Padding(grid_table(grid), (0, 1, 0, 0)) for grid in grids))
        yield beside if natural_width(beside, console) <= console.width else Group(*map(grid_table, grids))


def _exact(panel: Panel) -> RenderableType | None:
    """Draw exact values without row labels: they stand on the lines of the hand values beside them."""
    if panel.exact is None:
        return None
    caption = RichText(as_plain(panel.exact_caption), style="dim")
    # a title, a head, a rule: as many lines as the frame of the hand values has before the first of them
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1),
        border_style="dim",
        title=caption,
        title_justify="left",
    )
    for label in panel.exact.columns:
        table.add_column(RichText(str(label), style="dim"), justify="right")
    for row in panel.exact.cells:
        table.add_row(*(RichText(str(cell.figure or ""), style="dim") for cell in row))
    return table


def _scheme(product: Grid, side: Grid | None, over: Grid | None, console: Console) -> RenderableType:
    """Draw Falk's scheme where it fits; else the factors, then the product, in as many pieces as it takes."""
    parts: Sequence[RenderableType] = [grid_table(grid) for grid in (side, over) if grid]
    whole = grid_table(product)
    if side and over:
        scheme = Table.grid(padding=(0, 2))
        scheme.add_row("", grid_table(over))
        scheme.add_row(grid_table(side), whole)
    elif side:
        scheme = Table.grid(padding=(0, 2))
        scheme.add_row(grid_table(side), whole)
    else:
        scheme = whole
    if natural_width(scheme, console) <= console.width:
        return scheme
    return Group(*parts, *pieces(product, console))


def _comparison(sheet: Sheet, console: Console) -> Iterable[RenderableType]:
    for sentence in comparison_sentences(sheet):
        yield rich_text(marked_up(sentence))
    solution: Solution = sheet.solution
    for comparison in solution.comparisons():
        maps = [grid_table(grid) for grid in heat_maps(sheet, solution[comparison.stage].stage)]
        both = side_by_side(*(Padding(grid, (0, 3, 0, 0)) for grid in maps))
        yield both if natural_width(both, console) <= console.width else Group(*maps)


def render_vet(report: VetReport, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the report as text for a terminal of so many columns."""
    return printed(lambda _: _vet_parts(report), width=width, colour=colour)


def _vet_parts(report: VetReport) -> Iterator[RenderableType]:
    yield RichText(report.verdict, style="bold")
    for wish in report.wishes:
        if not wish.is_met:
            yield RichText("")
            yield from _amiss(wish)
    yield RichText("")
    for wish in report.wishes:
        if wish.is_met:
            yield _marked("✓", GREEN, wish)


def _amiss(wish: Wish) -> Iterator[RenderableType]:
    yield _marked("✗", f"bold {BRICK}", wish)
    for fault in wish.faults:
        yield Padding(RichText(fault), (0, 0, 0, 2))
    yield Padding(RichText(wish.helps, style="dim"), (0, 0, 0, 2))


def _marked(sign: str, style: str, wish: Wish) -> RichText:
    return RichText.assemble((sign, style), f" {wish.told}")
