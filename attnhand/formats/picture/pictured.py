"""What a picture shows, as a PDF: the pages of the sheet, or one stage with its factors around it."""

from dataclasses import dataclass, replace

from attnhand.formats.html import make_document_title, render_page
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.formats.pdf.weasy import convert_html_to_pdf, make_font_url
from attnhand.layout.stage_layout import find_panel, lay_out_panel
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import format_matrix_name
from attnhand.sheet.grids import Grid
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

GAP = 5.0
"""Between pages that stand one under the other, in millimetres."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is to be drawn, and its words for those who do not see it."""

    pdf: bytes
    title: str
    description: str


def make_picture(sheet: Sheet) -> Picture:
    """Return what a picture of the sheet shows: the stage that its options name, or all of its pages.

    Raises:
        PageError: the sheet draws no such stage.
        MissingLibraryError: Pango is not installed on this system.
    """
    title = make_document_title(sheet)
    if sheet.options.stage is None:
        alone = replace(sheet, options=replace(sheet.options, fillable=False))
        description = to_unicode(parse_markup(sentences.format_sizes(sheet)))
        return Picture(pdf=render_pdf(alone), title=title, description=description)
    panel = find_panel(sheet, sheet.options.stage)
    page = render_page(sheet, lay_out_panel(sheet, panel), make_font_url, for_screen=False)
    name = to_unicode(format_matrix_name(sheet, panel.stage.name))
    return Picture(pdf=convert_html_to_pdf(page), title=f"{name} · {title}", description=describe_grid(panel.grid))


def describe_grid(grid: Grid) -> str:
    """Return a grid's numbers, row by row, with □ where nothing is written."""
    rows = (" ".join(str(cell.number) if cell.number else "□" for cell in row) for row in grid.cells)
    return "; ".join(f"{label}: {row}" for label, row in zip(grid.rows, rows, strict=True))
