"""The sheet in the terminal: the same panels as rich tables, in 80 columns, with and without colour."""

import io
from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.render.tables import BRICK, grid_table, natural_width, pieces, rich_text, side_by_side
from attnhand.sheet import effort, sentences
from attnhand.sheet.exact_grids import heat_maps
from attnhand.sheet.grids import Grid
from attnhand.sheet.panel import Panel
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.shown_words import code_line
from attnhand.sheet.text import as_plain, marked_up, plain
from attnhand.sheet.verdict import closing_sentences, comparison_sentences
from attnhand.sheet.walk import Walk, walks
from attnhand.solution import Solution

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
    sizes, effort_told = (marked_up(line) for line in (sentences.sizes_line(sheet), effort.effort_line(sheet)))
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
