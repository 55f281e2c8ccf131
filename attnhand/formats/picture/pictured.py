"""What a picture shows, as a PDF: the pages of the sheet, or one stage with its factors around it."""

from dataclasses import dataclass, replace

from attnhand.formats.html import document_title, render_page
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.formats.pdf.weasy import font_url, pdf_of_page
from attnhand.layout.stage_layout import lay_out_panel, panel_of
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import matrix_name
from attnhand.sheet.grids import Grid
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, marked_up

GAP = 5.0
"""Between pages that stand one under the other, in millimetres."""

GROUND = "#d9d9de"
"""What lies behind pages where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictured:
    """What is to be drawn, and its words for those who do not see it."""

    pdf: bytes
    title: str
    description: str


def pictured(sheet: Sheet) -> Pictured:
    """Return what a picture of the sheet shows: the stage that its options name, or all of its pages.

    Raises:
        PageError: the sheet draws no such stage.
        MissingLibraryError: Pango is not installed on this system.
    """
    title = document_title(sheet)
    if sheet.options.stage is None:
        alone = replace(sheet, options=replace(sheet.options, fillable=False))
        told = as_plain(marked_up(sentences.sizes_line(sheet)))
        return Pictured(pdf=render_pdf(alone), title=title, description=told)
    panel = panel_of(sheet, sheet.options.stage)
    page = render_page(sheet, lay_out_panel(sheet, panel), font_url, screen=False)
    name = as_plain(matrix_name(sheet, panel.stage.name))
    return Pictured(pdf=pdf_of_page(page), title=f"{name} · {title}", description=in_words(panel.grid))


def in_words(grid: Grid) -> str:
    """Return a grid's numbers, row by row, with □ where nothing is written."""
    rows = (" ".join(str(cell.figure) if cell.figure else "□" for cell in row) for row in grid.cells)
    return "; ".join(f"{label}: {row}" for label, row in zip(grid.rows, rows, strict=True))
