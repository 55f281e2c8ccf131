"""Pictures as they are seen: Chromium draws the SVG as PDFium draws the PDF."""

import io
from dataclasses import replace

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageFilter
from playwright.sync_api import BrowserContext

from attnhand.formats.pdf.canvas import PdfCanvas
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.pdf import write_pdf
from attnhand.formats.picture.picture import GAP, Picture, make_picture
from attnhand.formats.picture.png import draw_png
from attnhand.formats.picture.svg import draw_svg
from tests.pages.sheets import get_sheet

DOTS = 96 / 72
"""What Chromium draws a point with."""


def dots(image: Image.Image) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return grey values, so blurred that how edges are smoothed makes no difference."""
    return np.asarray(image.convert("L").filter(ImageFilter.GaussianBlur(2)), dtype=np.int64)


def take_screenshot(context: BrowserContext, svg: str) -> Image.Image:
    """Return a picture as Chromium shows it."""
    window = context.new_page()
    window.set_viewport_size({"width": 1400, "height": 900})
    window.set_content(f'<body style="margin:0">{svg}</body>')
    window.locator("svg").evaluate("node => node.style.display = 'block'")
    image = Image.open(io.BytesIO(window.locator("svg").screenshot()))
    window.close()
    return image


def compare(context: BrowserContext, picture: Picture) -> int:
    """Hold the SVG against the PDF, page by page, and return how many dots are not white."""
    drawn = take_screenshot(context, draw_svg(picture))
    pdf = write_pdf(draw_layout(picture.layout, picture.title), "en")
    top, ink = 0.0, 0
    for page in pypdfium2.PdfDocument(pdf):
        expected = dots(page.render(scale=DOTS).to_pil())
        found = dots(drawn.crop((0, round(top), expected.shape[1], round(top) + expected.shape[0])))
        assert np.abs(expected - found).max() < 48
        ink += int((expected < 250).sum())
        top += page.get_height() * DOTS + GAP / 25.4 * 96
    return ink


@pytest.mark.parametrize(("name", "solved"), [("classic columns", True), ("causal rows", False)])
def test_pages_look_like_the_pdf(
    context: BrowserContext, name: str, solved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters, cells, dashes, crosses, heat maps, QR codes: all where and as they are on paper, in its colours."""
    monkeypatch.setattr(PdfCanvas, "is_on_screen", True)
    assert compare(context, make_picture(replace(get_sheet(name), is_solved=solved))) > 100_000


def test_a_stage_looks_like_the_pdf(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is cut off and crossed out; and a blank one looks otherwise."""
    monkeypatch.setattr(PdfCanvas, "is_on_screen", True)
    sheet = get_sheet("multi-head columns")
    key, blank = (
        make_picture(replace(sheet, is_solved=solved, options=replace(sheet.options, stage="h2.masked")))
        for solved in (True, False)
    )
    assert compare(context, key) > 1_000
    one, other = (dots(take_screenshot(context, draw_svg(picture))) for picture in (key, blank))
    assert np.abs(one - other).max() > 60


def test_pages_stand_one_under_the_other() -> None:
    """Both pages of a sheet are in one picture, as large as paper, with a strip between them."""
    image = Image.open(io.BytesIO(draw_png(make_picture(get_sheet("classic columns").blank), 100)))
    assert image.size == (827, 2 * 1170 + 20)
    assert image.info["dpi"] == pytest.approx((100, 100), abs=0.1)
    assert (np.asarray(image)[1170:1190] == (0xD9, 0xD9, 0xDE)).all()
    assert (np.asarray(image)[[1169, 1190]] == 255).all()
