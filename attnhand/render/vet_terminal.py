"""How good somebody's own numbers are, in the terminal: the verdict, what is amiss, then what is well."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text as RichText

from attnhand.render.tables import BRICK, GREEN
from attnhand.render.terminal import WIDTH, printed
from attnhand.vet_report import VetReport, Wish


def render_vet(report: VetReport, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the report as text for a terminal of so many columns."""
    return printed(lambda _: _parts(report), width=width, colour=colour)


def _parts(report: VetReport) -> Iterator[RenderableType]:
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
