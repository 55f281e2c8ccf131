"""What a picture shows: the pages of the sheet, or one stage, a product with its factors around it, and its words."""

from dataclasses import dataclass

from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Layout
from attnhand.layout.stage_layout import lay_out_panel
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import format_matrix_name
from attnhand.sheet.grids import Grid
from attnhand.sheet.panels import find_panel
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

GAP = 5.0
"""Between pages that stand one under the other, in millimetres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is to be drawn, and its words for those who do not see it."""

    layout: Layout
    title: str
    description: str


def make_picture(sheet: Sheet) -> Picture:
    """Return what a picture of the sheet shows: the stage that its options name, or all of its pages.

    Raises:
        PageError: the sheet draws no such stage.
    """
    title = sentences.format_document_title(sheet)
    if sheet.options.stage is None:
        description = to_unicode(parse_markup(sentences.format_sizes(sheet)))
        return Picture(layout=lay_out(sheet), title=title, description=description)
    panel = find_panel(sheet, sheet.options.stage)
    name = to_unicode(format_matrix_name(sheet, panel.stage.name))
    layout = lay_out_panel(sheet, panel)
    return Picture(layout=layout, title=f"{name} · {title}", description=describe_grid(panel.grid))


def describe_grid(grid: Grid) -> str:
    """Return a grid's numbers, row by row, with □ where nothing is written."""
    rows = (" ".join(str(cell.number) if cell.number else "□" for cell in row) for row in grid.cells)
    return "; ".join(f"{label}: {row}" for label, row in zip(grid.rows, rows, strict=True))
