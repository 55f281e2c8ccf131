"""The PDF: the same page, tagged, drawn by WeasyPrint with nothing but the bundled fonts."""

import io

from attnhand.formats.html import render_page
from attnhand.formats.pdf.form import finish_form_fields, make_attachment
from attnhand.formats.pdf.weasy import convert_html_to_pdf, make_font_url
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.sheet import Sheet


def render_pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a tagged PDF (PDF/UA-1): stamped, or rendered whole where it is a form or shows marks.

    Raises:
        MissingLibraryError: Pango is not installed on this system, and its layout is not kept from another run.
    """
    if sheet.follow_through and sheet.is_solved:
        return render_without_stamping(sheet)
    if not sheet.options.fillable or sheet.is_solved:
        return _render_stamped(sheet)
    page = render_page(sheet, lay_out(sheet), make_font_url, for_screen=False, with_form_fields=True)
    return convert_html_to_pdf(page, pdf_forms=True, attachments=[make_attachment(sheet)], finisher=finish_form_fields)


def render_without_stamping(sheet: Sheet) -> bytes:
    """Return the sheet as WeasyPrint alone renders it, the same words in the same places.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    return convert_html_to_pdf(render_page(sheet, lay_out(sheet), make_font_url, for_screen=False))


def _render_stamped(sheet: Sheet) -> bytes:
    from attnhand.formats.pdf.stamp import stamp_sheet
    from attnhand.formats.pdf.writer import PdfFile

    pages = stamp_sheet(sheet)
    out = io.BytesIO()
    file = PdfFile(out, title=pages.title, language=sheet.options.language)
    file.add_pages(pages)
    file.close()
    return out.getvalue()
