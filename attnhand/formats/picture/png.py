"""The sheet, or one of its stages, as PNG: the PDF turned into dots."""

import io

from attnhand.formats.colours import GROUND
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.pdf import write_pdf
from attnhand.formats.picture.picture import GAP, Picture, make_picture
from attnhand.sheet.sheet import Sheet

DPI, STAGE_DPI = 200, 300
"""Dots an inch: of pages, and of a stage, which is small."""


def render_png(sheet: Sheet) -> bytes:
    """Return the sheet, or the stage that its options name, as PNG; pages stand one under the other.

    Raises:
        PageError: the sheet draws no such stage.
    """
    return draw_png(make_picture(sheet), STAGE_DPI if sheet.options.stage else DPI)


def draw_png(picture: Picture, dpi: int) -> bytes:
    """Draw a picture at so many dots an inch."""
    import pypdfium2
    from PIL import Image, PngImagePlugin

    document = pypdfium2.PdfDocument(write_pdf(draw_layout(picture.layout, picture.title), ""))
    pages = [page.render(scale=dpi / 72).to_pil() for page in document]
    document.close()
    gap = round(GAP * dpi / 25.4)
    height = sum(page.height + gap for page in pages) - gap
    whole = Image.new("RGB", (max(page.width for page in pages), height), GROUND.light)
    top = 0
    for page in pages:
        whole.paste(page, (0, top))
        top += page.height + gap
    words = PngImagePlugin.PngInfo()
    words.add_itxt("Title", picture.title)
    out = io.BytesIO()
    whole.save(out, "PNG", dpi=(dpi, dpi), pnginfo=words)
    return out.getvalue()
