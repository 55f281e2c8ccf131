"""What came back from a class, as one page: no script, nothing loaded, read by eye, by ear and on paper."""

from collections.abc import Iterator

from markupsafe import Markup
from rich.console import RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as RichText

from attnhand.classroom.summary import Bar, HeatCell, Listing, Summary
from attnhand.formats.templates import environment, source_hash
from attnhand.formats.terminal import TEAL, WIDTH, printed
from attnhand.system.digests import sealed
from attnhand.system.resources import template_dir

BAR = 24
"""Columns of a whole bar."""

MOST_CELLS = 8
"""Cells that are named."""

MOST_LINES = 30
"""Lines of a list; the gradebook has them all."""


def render_summary(told: Summary, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the summary as text for a terminal of so many columns."""
    return printed(lambda _: _parts(told), width=width, colour=colour)


def _parts(told: Summary) -> Iterator[RenderableType]:
    yield RichText(told.say("grade.title"), style="bold")
    yield RichText(told.marked)
    yield from _heading(told, "grade.teach")
    yield from (RichText(sentence) for sentence in told.teach)
    if told.stages:
        yield from _heading(told, "grade.stages")
        yield _bars(told.stages)
    if told.slips:
        yield from _heading(told, "grade.slips")
        yield _slips(told)
    if cells := _worst(told):
        yield from _heading(told, "grade.wrong")
        yield RichText(" · ".join(told.say("grade.wrong.cell", cell=cell.address, count=cell.count) for cell in cells))
    if told.stages:
        yield from _heading(told, "grade.scores")
        yield _bars([bar for bar in told.scores if bar.count])
    for listing in told.lists:
        yield from _list(told, listing)


def _heading(told: Summary, key: str) -> Iterator[RenderableType]:
    yield RichText("")
    yield Rule(RichText(told.say(key), style="bold"), align="left")


def _bars(bars: list[Bar] | tuple[Bar, ...]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    for bar in bars:
        # a bar of nothing is none, and only a whole one is whole
        length = min(BAR - (bar.share < 1), max(bar.share > 0, round(bar.share * BAR)))
        table.add_row(RichText(bar.label), RichText("█" * length + "░" * (BAR - length), style=TEAL), bar.text)
    return table


def _slips(told: Summary) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right")
    for line in told.slips:
        table.add_row(str(line.count), line.stage, RichText(line.told), RichText(line.example, style="dim"))
    return table


def _worst(told: Summary) -> list[HeatCell]:
    cells = [cell for heat in told.heats for row in heat.cells for cell in row if cell is not None and cell.count]
    return sorted(cells, key=lambda cell: -cell.count)[:MOST_CELLS]


def _list(told: Summary, listing: Listing) -> Iterator[RenderableType]:
    yield RichText("")
    yield Rule(RichText(f"{listing.title} ({len(listing.lines)})", style="bold"), align="left")
    shown = listing.lines[:MOST_LINES]
    texts = [f"{who}: {why}" for who, why in shown if why] or [" · ".join(who for who, _ in shown)]
    yield from (Padding(RichText(text), (0, 0, 0, 2)) for text in texts)
    if (more := len(listing.lines) - MOST_LINES) > 0:
        yield Padding(RichText(told.say("grade.more", count=more), style="dim"), (0, 0, 0, 2))


def render_summary_html(told: Summary, language: str = "en") -> bytes:
    """Return the summary as an HTML file."""
    style = (template_dir() / "summary.css").read_text(encoding="utf-8")
    page = (
        environment()
        .get_template("summary.html")
        .render(
            told=told,
            say=told.say,
            style=Markup(style),
            style_hash=source_hash(style),
            language=language,
        )
    )
    return sealed(page.encode(), "html")
