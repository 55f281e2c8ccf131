"""Names of many scripts on a page: printed, found again, in fonts that the page brings along where it needs them."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import page as page_validation
import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader

from attnhand.api import generate
from attnhand.formats.html import render_html
from attnhand.formats.pdf.draw_sheet import draw_sheet
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.formats.pdf.writer import PdfFile
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat, Student
from tests.pages.test_printed_page import words

TITLE = "Nguyễn Thị Hường, Ωμέγα, Юлия, Łukasz, Səbinə, Հայկ"
LABELS = ("Səbinə", "Ọlá", "ნინო", "Հայկ")
PLAIN_TITLE = "Nguyen Thi Huong, Omega, Julija, Lukasz, Sabina, Hajk"
PLAIN_LABELS = ("Sabina", "Ola", "nino", "Hajk")


@pytest.fixture(scope="module")
def pdf_files() -> list[bytes]:
    """Return the same sheet with names of many scripts and with plain ones, as PDF."""
    texts = ((TITLE, LABELS), (PLAIN_TITLE, PLAIN_LABELS))
    return [
        render_pdf(generate(7, level="warm-up", tokens=4, title=title, words=labels).blank) for title, labels in texts
    ]


def test_names_of_many_scripts_are_printed(pdf_files: list[bytes], tmp_path: Path) -> None:
    """They are found in the PDF as they were written, and it passes every rule of PDF/UA-1."""
    (tmp_path / "a.pdf").write_bytes(pdf_files[0])
    found = {word.text for page in words(tmp_path / "a.pdf") for word in page}
    assert {*TITLE.split(), *LABELS} <= found
    assert page_validation.validate_pdf_bytes(pdf_files[0], profile="ua1").is_compliant


def test_a_second_font_moves_no_line(pdf_files: list[bytes], tmp_path: Path) -> None:
    """Everything else stands where it stands beside plain names; only those names are set by the font for names."""
    pages = []
    for name, data in zip(("a.pdf", "b.pdf"), pdf_files, strict=True):
        (tmp_path / name).write_bytes(data)
        pages.append([sorted((round(word.y, 2), word.bottom) for word in page) for page in words(tmp_path / name)])
    assert pages[0] == pages[1]
    assert [sum("Names" in font for font in _fonts(data)) for data in pdf_files] == [2, 0]


def _fonts(data: bytes) -> set[str]:
    found = [cast(Any, page["/Resources"])["/Font"] for page in PdfReader(io.BytesIO(data)).pages]
    return {str(font["/BaseFont"]) for fonts in found for font in fonts.values()}


def test_names_are_drawn_in_their_fonts(tmp_path: Path) -> None:
    """Behind a sheet of somebody else's, and over words in the same letters; the file passes PDF/UA-1."""
    sheet = generate(7, level="warm-up", words=("Səbinə", "Ada", "ნინო")).blank
    with (tmp_path / "a.pdf").open("wb") as out:
        file = PdfFile(out, title="Names", language="en")
        for number, name in enumerate(("Ada", "Հայկ Əliyev, Юлия"), 1):
            file.add_pages(draw_sheet(replace(sheet, seat=Seat(number=number, student=Student(name=name)))))
        file.close()
    pages = [{word.text for word in page} for page in words(tmp_path / "a.pdf")]
    half = len(pages) // 2
    assert {"001", "Ada", "Səbinə", "ნინო"} <= pages[0]
    assert {"002", "Հայկ", "Əliyev,", "Юлия", "Səbinə", "ნინო"} <= pages[half]
    data = (tmp_path / "a.pdf").read_bytes()
    assert sum("Names" in font for font in _fonts(data)) == 2
    assert page_validation.validate_pdf_bytes(data, profile="ua1").is_compliant


@pytest.mark.parametrize(("name", "printed_name"), [("Səbinə Łukasz", "Səbinə Łukasz"), ("علي Ada", "□□□ Ada")])
def test_a_form_shows_the_name_that_it_holds(tmp_path: Path, name: str, printed_name: str) -> None:
    """In all its fonts, which no reader would find by itself; letters that they lack are boxes, in the field alone."""
    sheet = generate(7, level="warm-up", options=PageOptions(fillable=True)).blank
    data = render_pdf(replace(sheet, seat=Seat(number=1, student=Student(name=name))))
    (tmp_path / "a.pdf").write_bytes(data)
    assert {"001", *printed_name.split()} <= {word.text for word in words(tmp_path / "a.pdf")[0]}
    assert (PdfReader(io.BytesIO(data)).get_form_text_fields() or {})["name"] == f"001 {name}"
    assert page_validation.validate_pdf_bytes(data, profile="ua1").is_compliant


def test_a_web_page_has_the_fonts_it_needs(browser: Browser) -> None:
    """Six with rare letters, four with others; no font of the machine is used."""
    sheets = [generate(7, level="warm-up", title=title).blank for title in (TITLE, "Nguyễn Thị Hường, Ωμέγα, Юлия")]
    rare, common = map(render_html, sheets)
    assert [page.count("@font-face") for page in (rare, common)] == [6, 4]
    page = browser.new_page()
    page.set_content(rare)
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    title = session.send("DOM.querySelector", {"nodeId": root, "selector": "h1 b:last-of-type"})["nodeId"]
    used = session.send("CSS.getPlatformFontsForNode", {"nodeId": title})["fonts"]
    assert {font["familyName"] for font in used} == {"Sheet Serif", "Sheet Names"}
    assert all(font["isCustomFont"] for font in used)
    loaded = page.evaluate("[...document.fonts].filter(font => font.status == 'loaded').map(font => font.family)")
    assert "Names" in "".join(loaded)
    assert set(re.findall(r"font-family: ?([^;]*)", rare)) >= {'"Sheet Serif", "Sheet Names", serif'}


def test_accents_join_their_letters() -> None:
    """A title and words in which accents are characters of their own are those in which they are not."""
    apart = generate(7, level="warm-up", title="Zoe\u0308", words=("e\u0301te\u0301", "a", "b"))
    assert apart.problem.title == "Zo\u00eb"
    assert apart.problem.words == ("\u00e9t\u00e9", "a", "b")
