"""The pages as another engine draws them: WeasyPrint, which lays out the HTML and the style sheet of the web page."""

from attnhand.formats.html import render_page
from attnhand.formats.pdf.weasy import convert_html_to_pdf, make_font_url
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.sheet import Sheet


def render_by_other_engine(sheet: Sheet) -> bytes:
    """Return the sheet as a PDF that WeasyPrint has laid out and drawn."""
    return convert_html_to_pdf(render_page(sheet, lay_out(sheet), make_font_url, for_screen=False))
