"""The summary of a class in the terminal, and as one web page without scripts or anything to load."""

from collections.abc import Iterator

from markupsafe import Markup
from rich.console import RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.classroom.summary import Bar, HeatCell, Listing, Summary
from attnhand.formats.colours import name_terminal_colour, write_summary_rules
from attnhand.formats.html import make_font_data_url, set_formulas, write_font_rules
from attnhand.formats.templates import get_environment, hash_source
from attnhand.formats.terminal import DEFAULT_WIDTH, render_to_text
from attnhand.system.digests import add_digest
from attnhand.system.resources import get_template_dir

BAR_WIDTH = 24
"""Columns of a whole bar."""

MAX_CELLS = 8
"""Cells that are named."""

MAX_LIST_LINES = 30
"""Lines of a list; the gradebook has them all."""


def render_summary(summary: Summary, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Return the summary as text for a terminal of so many columns."""
    return render_to_text(lambda _: _draw_summary(summary), width=width, colour=colour)


def _draw_summary(summary: Summary) -> Iterator[RenderableType]:
    yield RichText(summary.title, style="bold")
    yield RichText(summary.marked_sentence)
    yield from _draw_heading(summary, "grade.teach")
    yield from (RichText(sentence) for sentence in summary.teaching_sentences)
    if summary.stage_bars:
        yield from _draw_heading(summary, "grade.stages")
        yield _draw_bars(summary.stage_bars)
    if summary.slip_lines:
        yield from _draw_heading(summary, "grade.slips")
        yield _draw_slips(summary)
    if cells := _find_worst_cells(summary):
        yield from _draw_heading(summary, "grade.wrong")
        counts = [summary.say("grade.wrong.cell", cell=cell.address, count=cell.count) for cell in cells]
        yield RichText(summary.say("grade.wrong.cells", cells=counts))
    if summary.stage_bars:
        yield from _draw_heading(summary, "grade.scores")
        yield _draw_bars([bar for bar in summary.score_bars if bar.count])
    for listing in summary.lists:
        yield from _draw_listing(summary, listing)


def _draw_heading(summary: Summary, key: str) -> Iterator[RenderableType]:
    yield RichText("")
    yield Rule(RichText(summary.say(key), style="bold"), align="left")


def _draw_bars(bars: list[Bar] | tuple[Bar, ...]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    for bar in bars:
        # a bar of nothing is none, and only a whole one is whole
        length = min(BAR_WIDTH - (bar.share < 1), max(bar.share > 0, round(bar.share * BAR_WIDTH)))
        blocks = RichText("█" * length + "░" * (BAR_WIDTH - length), style=name_terminal_colour("teal"))
        table.add_row(RichText(bar.label), blocks, bar.text)
    return table


def _draw_slips(summary: Summary) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    for line in summary.slip_lines:
        table.add_row(str(line.count), line.stage, RichText(line.description), RichText(line.example, style="dim"))
    return table


def _find_worst_cells(summary: Summary) -> list[HeatCell]:
    cells = [cell for heat in summary.heat_maps for row in heat.cells for cell in row if cell and cell.count]
    return sorted(cells, key=lambda cell: -cell.count)[:MAX_CELLS]


def _draw_listing(summary: Summary, listing: Listing) -> Iterator[RenderableType]:
    yield RichText("")
    yield Rule(RichText(f"{listing.title} ({len(listing.lines)})", style="bold"), align="left")
    lines = listing.lines[:MAX_LIST_LINES]
    colon = summary.say("colon")
    texts = [f"{who}{colon}{why}" for who, why in lines if why] or [" · ".join(who for who, _ in lines)]
    yield from (Padding(RichText(text), (0, 0, 0, 2)) for text in texts)
    if (more := len(listing.lines) - MAX_LIST_LINES) > 0:
        yield Padding(RichText(summary.say("grade.more", count=more), style="dim"), (0, 0, 0, 2))


def render_summary_html(summary: Summary, language: str = "en") -> bytes:
    """Return the summary as an HTML file."""
    own_style = (get_template_dir() / "summary.css").read_text(encoding="utf-8")
    style = write_font_rules(make_font_data_url) + write_summary_rules() + own_style
    get_environment().filters["formulas"] = set_formulas
    template = get_environment().get_template("summary.html")
    styles = {"style": Markup(style), "style_hash": hash_source(style)}
    page = template.render(summary=summary, say=summary.say, language=language, **styles)
    return add_digest(page.encode(), "html")
