"""The PDF: the same page, tagged, drawn by WeasyPrint with nothing but the bundled fonts."""

import io

from attnhand.formats.html import render_page
from attnhand.formats.pdf.form import attachment, finish
from attnhand.formats.pdf.weasy import font_url, pdf_of_page
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.sheet import Sheet


def render_pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a tagged PDF (PDF/UA-1): stamped, or rendered whole where it is a form or shows marks.

    Raises:
        MissingLibraryError: Pango is not installed on this system, and its layout is not kept from another run.
    """
    if sheet.carried and sheet.solved:
        return render_whole(sheet)
    if not sheet.options.fillable or sheet.solved:
        return _stamped_pdf(sheet)
    page = render_page(sheet, lay_out(sheet), font_url, screen=False, fields=True)
    return pdf_of_page(page, pdf_forms=True, attachments=[attachment(sheet)], finisher=finish)


def render_whole(sheet: Sheet) -> bytes:
    """Return the sheet as WeasyPrint alone renders it, the same words in the same places.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    return pdf_of_page(render_page(sheet, lay_out(sheet), font_url, screen=False))


def _stamped_pdf(sheet: Sheet) -> bytes:
    from attnhand.formats.pdf.stamp import stamped
    from attnhand.formats.pdf.writer import PdfFile

    pages = stamped(sheet)
    out = io.BytesIO()
    file = PdfFile(out, title=pages.title, language=sheet.options.language)
    file.add(pages)
    file.close()
    return out.getvalue()
