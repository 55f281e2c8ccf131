"""The PDF: tagged, titled, drawn from the layout with nothing but the bundled fonts."""

import io

from attnhand.formats.pdf.draw_sheet import draw_sheet
from attnhand.formats.pdf.sheet_pages import SheetPages
from attnhand.formats.pdf.writer import PdfFile
from attnhand.sheet.sheet import Sheet


def render_pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a tagged PDF (PDF/UA-1), with fields where it is a form."""
    return write_pdf(draw_sheet(sheet), sheet.options.language_code)


def write_pdf(pages: SheetPages, language: str) -> bytes:
    """Return a file of these pages alone."""
    out = io.BytesIO()
    file = PdfFile(out, title=pages.title, language=language)
    file.add_pages(pages)
    file.close()
    return out.getvalue()
