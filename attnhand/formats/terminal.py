"""The sheet in the terminal: the same panels as rich tables, in 80 columns, with and without colour."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, assert_never

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.formats.colours import ACCENTS, name_terminal_colour
from attnhand.sheet import sentences
from attnhand.sheet.document import (
    ClosingSentences,
    CodeLine,
    Head,
    Heading,
    HouseRules,
    MistakeTask,
    Part,
    QuestionPanel,
    ShortcutComparison,
    StoryHead,
    build_document,
)
from attnhand.sheet.grids import MARK_SIGNS, Cell, CellKind, Grid, GridStyle, Mark, select_rows_and_columns
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import AskedQuestion
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import TraceGrids
from attnhand.text.widths import RunStyle, Text, make_plain_text, parse_markup, to_unicode

if TYPE_CHECKING:  # sheets are drawn without what vets them
    from attnhand.sheet.vet import VetReport

ACCENT_COLOURS = {topic: name_terminal_colour(name) for topic, name in ACCENTS.items()}
"""By the topic of a stage, as on paper."""

OCHRE, TEAL, GREEN, BRICK = map(name_terminal_colour, ("orange", "teal", "green", "brick"))

SIGN_STYLES = {
    Mark.CORRECT: GREEN,
    Mark.FOLLOWS: TEAL,
    Mark.WRONG: f"bold {BRICK}",
    Mark.BLANK: "dim",
    Mark.UNREADABLE: f"bold {OCHRE}",
}

DASHED_FRAME = box.Box("┌╌┬┐\n╎ ╎╎\n├╌┼┤\n╎ ╎╎\n├╌┼┤\n├╌┼┤\n╎ ╎╎\n└╌┴┘\n")
"""Of what the student copies, as on paper."""

MIN_NUMBER_WIDTH = 3
"""Characters that a column of numbers has at least."""


def draw_grid(grid: Grid, widths: Sequence[int] = ()) -> Table:
    """Draw a grid as a table with its labels, the columns at least so wide."""
    accent = ACCENT_COLOURS.get(grid.accent, "")
    frame = {GridStyle.WORKED: box.SQUARE, GridStyle.COPY: DASHED_FRAME}.get(grid.style, box.SIMPLE_HEAD)
    style = accent if grid.style is GridStyle.WORKED else "dim"
    table = Table(box=frame, padding=(0, 1 if grid.column_count <= 6 else 0), border_style=style)
    head, *rows = _list_texts(grid)
    # without a width rich would measure every cell again for each table around this one, and each time it is drawn
    for text, width in zip(head, widths or measure_columns(grid), strict=True):
        table.add_column(text, justify="right", width=width)
    for row in rows:
        table.add_row(*row)
    return table


def measure_columns(grid: Grid) -> list[int]:
    """Return how many characters each column of a grid takes, that of its labels first."""
    label, *columns = (max(text.cell_len for text in texts) for texts in zip(*_list_texts(grid), strict=True))
    return [label, *(max(MIN_NUMBER_WIDTH, width) for width in columns)]


def _list_texts(grid: Grid) -> list[list[RichText]]:
    head = [RichText(to_unicode(grid.name), style="bold"), *(RichText(str(each), style="dim") for each in grid.columns)]
    labels = (RichText(str(label), style="dim") for label in grid.rows)
    rows = ([_draw_cell(cell, grid) for cell in row] for row in grid.cells)
    return [head, *([label, *row] for label, row in zip(labels, rows, strict=True))]


def _draw_cell(cell: Cell, grid: Grid) -> RichText:
    if cell.mark:
        note = f" {cell.number.note}" if cell.number and cell.number.note else ""
        answer = RichText(f"{cell.number or ''}{note} ".lstrip())
        return answer.append(MARK_SIGNS[cell.mark], style=SIGN_STYLES[cell.mark])
    if cell.number is None:
        empty = "____" if grid.style is GridStyle.WORKED else "·"
        return RichText(empty, style="dim")
    text = str(cell.number) + (f" {cell.number.note}" if cell.number.note else "")
    return RichText(text, style="bold" if cell.kind is CellKind.ANSWER else "")


def draw_in_bands(grid: Grid, console: Console) -> list[RenderableType]:
    """Cut a grid that is too wide into bands of columns, labels repeated."""
    count = grid.column_count
    for columns in range(count, 0, -1):
        bands = [range(start, min(start + columns, count)) for start in range(0, count, columns)]
        cut: list[RenderableType] = [draw_grid(select_rows_and_columns(grid, None, band)) for band in bands]
        if columns == 1 or all(measure_natural_width(piece, console) <= console.width for piece in cut):
            return cut
    return []


def put_side_by_side(*parts: RenderableType) -> Table:
    """Put parts into one row."""
    row = Table.grid()
    row.add_row(*parts)
    return row


def measure_natural_width(part: RenderableType, console: Console) -> int:
    """Return how many columns a part takes where nothing confines it."""
    return Measurement.get(console, console.options.update(max_width=1000), part).maximum


def make_rich_text(text: Text, style: str = "") -> RichText:
    """Set a text for the terminal."""
    rich = RichText(style=style)
    for run in text:
        rich.append(to_unicode((run,)), style="bold" if run.is_bold or run.style is RunStyle.BOLD else "")
    return rich


DEFAULT_WIDTH = 80
"""Columns, where there is no terminal to ask."""


def render_terminal(sheet: Sheet, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Return the sheet as text for a terminal of so many columns."""
    return render_to_text(lambda console: _draw_sheet(sheet, console), width=width, colour=colour)


def render_to_text(draw_parts: Callable[[Console], Iterable[RenderableType]], *, width: int, colour: bool) -> str:
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
    for part in draw_parts(console):
        console.print(part)
    text = out.getvalue().replace("\xa0", " ")  # kept together long enough: lines are broken
    lines = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    return _EMPTY_LINES.sub("\n\n", lines)


_EMPTY_LINES = re.compile(r"\n(?:(?:\x1b\[[0-9;]*m| )*\n){2,}")
"""Two and more, the edges of tables among them: one says as much."""


def _draw_sheet(sheet: Sheet, console: Console) -> Iterator[RenderableType]:
    drawn_names: set[str] = set()
    before: Part | None = None
    for part in build_document(sheet).iterate_parts():
        if not isinstance(part, Head | ShortcutComparison) and not isinstance(before, Heading):
            yield RichText("")
        before = part
        match part:
            case Head():
                yield from _draw_head(part, console)
            case StoryHead():
                yield from map(make_rich_text, part.sentences)
            case HouseRules(text):
                yield make_rich_text(text)
            case Heading(text):
                yield Rule(make_rich_text(text), align="left", style="dim")
            case Panel():
                yield from _draw_panel(sheet, part, console, drawn_names)
            case TraceGrids():
                yield from _draw_trace(part, console)
            case QuestionPanel():
                yield Rule(make_rich_text(part.heading), align="left", style="dim")
                yield _draw_questions(sheet, part.questions)
                if sheet.is_solved:  # before how good the shortcut was
                    yield RichText("")
            case MistakeTask(sentences=sentences, questions=questions):
                yield from map(make_rich_text, sentences)
                if questions:
                    yield _draw_questions(sheet, questions)
            case ClosingSentences(sentences):
                yield from map(make_rich_text, sentences)
            case ShortcutComparison(sentences, heat_maps):
                yield from map(make_rich_text, sentences)
                for maps in filter(None, heat_maps):
                    yield RichText("")
                    yield _draw_beside_or_below(maps, console, has_edges=False)
            case CodeLine():
                yield make_rich_text(make_plain_text(part.code_and_credit), "dim")
            case _:
                assert_never(part)


def _draw_head(head: Head, console: Console) -> Iterator[RenderableType]:
    yield RichText(head.title, style="bold")
    fits = len(to_unicode(head.sizes_and_effort)) <= console.width
    for line in [head.sizes_and_effort] if fits else [head.sizes, head.effort]:
        yield make_rich_text(line, "dim")
    yield make_rich_text(head.formula)
    if head.key_label:
        yield RichText(head.key_label, style="bold")
    if head.seat:
        yield RichText(head.seat)


def _draw_panel(sheet: Sheet, panel: Panel, console: Console, drawn_names: set[str]) -> Iterator[RenderableType]:
    if panel.stage.facts.reminder_key:
        yield make_rich_text(parse_markup(sentences.format_powers_reminder(sheet)))
    for text in filter(None, (panel.purpose, *(paragraph.text for paragraph in panel.paragraphs))):
        yield make_rich_text(text)
    if panel.guess:
        yield RichText(" ").join([make_rich_text(panel.guess.text), _draw_answer(sheet, panel.guess)])
    if panel.formula:
        sums = make_plain_text("   " if panel.check_sums else "")
        yield make_rich_text((*panel.formula, *sums, *panel.check_sums))
    # beside the product it takes no further line, above it it would
    is_new = sheet.convention.is_rows or panel.query_factor_name not in drawn_names
    query_factor = panel.query_factor if is_new and not panel.is_query_factor_worked else None
    drawn_names.add(panel.query_factor_name)
    is_drawn = panel.side_panel is not None and panel.side_panel.grid is panel.side_factor
    factors = (None if is_drawn else panel.side_factor, query_factor)
    left_factor, upper_factor = reversed(factors) if sheet.convention.is_rows else factors
    if upper_factor and upper_factor.column_count != panel.grid.column_count:  # given powers, beside their sums
        left_factor, upper_factor = upper_factor, left_factor
    yield _draw_product_scheme(panel.grid, left_factor, upper_factor, _draw_exact_values(panel), console)


def _draw_questions(sheet: Sheet, questions: Iterable[AskedQuestion]) -> Table:
    """Draw questions by their numbers, each with its answer, or room for it, on a line of its own."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    for number, question in enumerate(questions):
        if number:
            table.add_row()
        table.add_row(question.name.removeprefix("ask"), make_rich_text(question.text))
        if answer := _draw_answer(sheet, question):
            table.add_row("", answer)
    return table


def _draw_answer(sheet: Sheet, question: AskedQuestion) -> RichText:
    """Draw the answer to a question and its reason, or room for it."""
    line = RichText()
    is_followed = bool(question.reason and question.has_reason)
    if question.answer:
        line.append(f"{to_unicode(question.answer)}{'.' if is_followed else ''}", style="bold")
    elif question.has_short_answer:
        line.append("______", style="dim")
    if is_followed:
        line.append(f" {sheet.say('ask.because')} {to_unicode(question.reason)}")
    elif question.reason:
        line.append(f" ({to_unicode(question.reason).removesuffix('.')})")
    return line


def _draw_trace(trace: TraceGrids, console: Console) -> Iterator[RenderableType]:
    yield Rule(make_rich_text(trace.heading), align="left", style="dim")
    for instructions, grids in trace.blocks:
        yield from map(make_rich_text, instructions)
        yield _draw_beside_or_below(grids, console)


def _draw_beside_or_below(grids: Sequence[Grid], console: Console, *, has_edges: bool = True) -> RenderableType:
    """Draw grids side by side, or one below the other where the terminal is too narrow."""
    tables = [draw_grid(grid) for grid in grids]
    for table in tables:  # without the blanks around them, two heat maps of four tokens fit into 80 columns
        table.show_edge = table.pad_edge = has_edges
    gap = 1 if has_edges else 3
    beside = put_side_by_side(*(Padding(table, (0, 0, 0, gap if at else 0)) for at, table in enumerate(tables)))
    if measure_natural_width(beside, console) <= console.width:
        return beside
    return Group(*(band for grid in grids for band in draw_in_bands(grid, console)))


def _draw_exact_values(panel: Panel) -> RenderableType | None:
    """Draw exact values without row labels: they stand in the rows of the hand values beside them."""
    if panel.exact_grid is None:
        return None
    caption = RichText(to_unicode(panel.exact_caption), style="dim")
    # a title, a head, a rule: as many lines as the frame of the hand values has before the first of them
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), border_style="dim", title=caption, title_justify="left"
    )
    for label in panel.exact_grid.columns:
        table.add_column(RichText(str(label), style="dim"), justify="right")
    for row in panel.exact_grid.cells:
        table.add_row(*(RichText(str(cell.number or ""), style="dim") for cell in row))
    return table


def _draw_product_scheme(
    product: Grid, left: Grid | None, upper: Grid | None, exact: RenderableType | None, console: Console
) -> RenderableType:
    """Draw Falk's scheme where it fits, exact values to its right; else one below the other, in bands where need be."""
    widths = measure_columns(product)
    if upper:
        widths = [max(pair) for pair in zip(widths, measure_columns(upper), strict=True)]
    rows: list[list[RenderableType]] = [[draw_grid(upper, widths)]] if upper else []
    rows.append([draw_grid(product, widths), *([exact] if exact else [])])
    if left:
        rows = [[draw_grid(left) if row is rows[-1] else "", *row] for row in rows]
    scheme = Table.grid(padding=(0, 2))
    for row in rows:
        scheme.add_row(*row)
    if measure_natural_width(scheme, console) <= console.width:
        return scheme
    if exact is not None:
        return Group(_draw_product_scheme(product, left, upper, None, console), exact)
    grids = [grid for grid in (left, upper, product) if grid]
    return Group(*(band for grid in grids for band in draw_in_bands(grid, console)))


def render_vet(sheet: Sheet, report: "VetReport", *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Return the report as text for a terminal of so many columns."""
    return render_to_text(lambda _: _draw_vet_report(sheet, report), width=width, colour=colour)


def _draw_vet_report(sheet: Sheet, report: "VetReport") -> Iterator[RenderableType]:
    yield RichText(sentences.format_title(sheet), style="bold")
    yield RichText(sheet.say("code", code=sheet.code), style="dim")
    yield RichText("")
    yield RichText(report.verdict, style="bold")
    for key, is_met in (("vet.unmet", False), ("vet.met", True)):
        results = [result for result in report.results if result.is_met is is_met]
        if results:
            yield RichText("")
            yield Rule(RichText(sheet.say(key), style="bold"), align="left", style="dim")
        for result in results:
            sign, style = ("✓", GREEN) if is_met else ("✗", f"bold {BRICK}")
            yield RichText.assemble((sign, style), f" {result.title}")
            for text in [*result.faults, *filter(None, [result.remedy])]:
                yield Padding(RichText(text), (0, 0, 0, 2))
