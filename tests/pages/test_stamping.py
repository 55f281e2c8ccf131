"""Stamped pages against pages that WeasyPrint renders whole: the same words in the same places, alike to look at."""

import io
import re
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import page as page_validation
import pytest
from PIL import Image, ImageChops
from pypdf import PdfReader

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.formats.pdf import stamp, typesetting
from attnhand.formats.pdf.pdf import render_pdf, render_without_stamping
from attnhand.formats.pdf.stamp import StampedPages, stamp_blank_and_key, stamp_sheet
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.lay_out import lay_out, lay_out_like_model, lay_out_without_model
from attnhand.layout.page import GridBox, Layout, TextBox
from attnhand.layout.typography import ParagraphStyle
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from attnhand.system.cache import cached
from attnhand.text.widths import to_unicode
from tests.conftest import RenderOnce
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION
from tests.pages.conftest import GetPdfPath
from tests.pages.sheets import PDF_SHEET_NAMES, get_sheet
from tests.pages.test_printed_page import Word, pictures, words

NEAR = 0.01 / 72 * 25.4
"""A hundredth of a point, in millimetres."""

COMPARED = [
    name for name in PDF_SHEET_NAMES if name not in ("challenge rows", "12 × 12 columns", "three words", "elephant")
]
"""Every mechanism, way to lie, paper and size of type; those left out are only larger, or other words."""

ALIKE = 0.001
"""The share of dots that may differ: edges of letters, whose places poppler rounds to a quarter of a dot."""

BOTH = pytest.mark.parametrize("solved", [False, True], ids=["blank", "key"])


def render_whole_sheet(once: RenderOnce, name: str, solved: bool) -> Path:
    """Return where the PDF of a sheet is that WeasyPrint rendered whole."""
    sheet = get_sheet(name).key if solved else get_sheet(name).blank
    return once(f"whole {name} {solved}", lambda: render_without_stamping(sheet))


def find_unlike_words(first: Path, second: Path) -> list[Word]:
    """Return the words of one file that the other has elsewhere, or not at all."""
    pages, others = words(first), words(second)
    assert [len(page) for page in pages] == [len(page) for page in others]
    assert sum(map(len, pages)) > 100
    missing = []
    for page, same in zip(pages, others, strict=True):
        for word in page:
            found = next(
                (each for each in same if each.text == word.text and _measure_distance(each, word) <= NEAR), None
            )
            if found is None:
                missing.append(word)
            else:
                same.remove(found)
    return missing


def _measure_distance(one: Word, other: Word) -> float:
    corners = ((one.x, other.x), (one.y, other.y), (one.right, other.right), (one.bottom, other.bottom))
    return max(abs(a - b) for a, b in corners)


@pytest.mark.parametrize("name", COMPARED)
@BOTH
def test_words_stand_where_they_stand_when_rendered_whole(
    once: RenderOnce, pdf: GetPdfPath, name: str, solved: bool, tmp_path: Path
) -> None:
    """Every word to a hundredth of a point; and no two dots of the pages differ by more than an edge."""
    stamped_pages, rendered = pdf(name, solved), render_whole_sheet(once, name, solved)
    assert find_unlike_words(rendered, stamped_pages) == []
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = pictures(stamped_pages, tmp_path / "a", 60), pictures(rendered, tmp_path / "b", 60)
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        difference = ImageChops.difference(a.convert("L"), b.convert("L"))
        far = sum(count for value, count in enumerate(difference.histogram()) if value > 60)
        assert far <= ALIKE * a.width * a.height


def test_a_word_in_another_place_is_seen(once: RenderOnce, pdf: GetPdfPath) -> None:
    """The key of another convention is unlike."""
    other = once("whole warm-up", lambda: render_without_stamping(generate(8, level="warm-up").key))
    with pytest.raises(AssertionError):
        assert find_unlike_words(pdf("warm-up columns", True), other) == []


def test_the_picture_of_another_sheet_is_seen(pdf: GetPdfPath, tmp_path: Path) -> None:
    """Where one number differs, dots do."""
    blank, key = (pictures(pdf("warm-up columns", solved), tmp_path, 60)[0].convert("L") for solved in (False, True))
    histogram = ImageChops.difference(blank, key).histogram()
    assert sum(histogram[60:]) > ALIKE * blank.width * blank.height
    assert isinstance(blank, Image.Image)


@BOTH
def test_stamped_numbers_are_text(pdf: GetPdfPath, solved: bool) -> None:
    """What is copied from the page holds the numbers, a fraction as 3/5, once each."""
    sheet = get_sheet("classic columns")
    text = "".join(page.extract_text() for page in PdfReader(pdf("classic columns", solved)).pages)
    flat = re.sub(r"\s", "", text)
    weight = next(str(value) for row in sheet.solution["A"].hand for value in row if "/" in str(value))
    assert (weight in flat) is solved
    assert sheet.code in text


# kept layouts


def test_bytes_do_not_depend_on_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made now, kept from before, kept by somebody else's damaged file, or never kept: the same bytes."""
    sheet = generate(7, level="warm-up", title="Kept or not")
    files = []
    for folder in (tmp_path / "kept", tmp_path / "kept", "", tmp_path / "kept"):
        monkeypatch.setenv("ATTNHAND_CACHE", str(folder))
        stamp.clear_layout_cache()
        files.append(render_pdf(sheet.key))
        for path in (tmp_path / "kept").iterdir():
            path.write_bytes(path.read_bytes()[:-9] if len(files) == 3 else path.read_bytes())
    assert len(set(files)) == 1
    assert not list((tmp_path / "kept").glob(".*"))  # nothing half-written


def test_what_is_kept_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the same key once, under another again; a folder that cannot be written is no obstacle."""
    monkeypatch.setenv("ATTNHAND_CACHE", str(tmp_path / "a"))
    calls: list[str] = []

    def make(text: str) -> bytes:
        calls.append(text)
        return text.encode()

    assert [cached("x", key, lambda key=key: make(key)) for key in ("1", "1", "2")] == [b"1", b"1", b"2"]  # type: ignore[misc]
    assert calls == ["1", "2"]
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ATTNHAND_CACHE", str(tmp_path / "file"))
    assert cached("x", "1", lambda: make("again")) == b"again"


def test_weasyprint_is_not_loaded_where_the_layout_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second sheet of a shape needs no layout: the first leaves everything."""
    sheets = [generate(seed, level="warm-up") for seed in (7, 8)]
    stamp_sheet(sheets[0].key)
    monkeypatch.setattr("attnhand.formats.pdf.background.lay_out_html", None)
    stamp.clear_layout_cache()
    assert stamp_sheet(sheets[1].key).template_data == stamp_sheet(sheets[0].key).template_data
    assert stamp_sheet(sheets[1].key).streams != stamp_sheet(sheets[0].key).streams


# models


def count_contents(layout: Layout) -> tuple[Counter[str], Counter[str]]:
    """Return every number and every paragraph of a layout."""
    items = [item for page in layout.pages for item in page.items]
    cells = [cell for item in items if isinstance(item, GridBox) for row in item.grid.cells for cell in row]
    boxes = [item for item in items if isinstance(item, TextBox)]
    return (
        Counter(f"{cell.number} {cell.number and cell.number.note} {cell.kind} {cell.shade}" for cell in cells),
        Counter(
            to_unicode(each.text)
            for box in boxes
            for each in box.paragraphs
            if each.style is not ParagraphStyle.CAPTION
        ),
    )


@pytest.mark.parametrize(("form", "convention"), FORMS_IN_ONE_CONVENTION)
def test_a_filled_page_says_what_a_page_of_its_own_says(form: str, convention: Convention) -> None:
    """Every number and sentence of a sheet that is laid out like its model, as if it had been laid out for itself."""
    for seed in range(5, 15):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[form], convention=convention))
        filled_layouts = [lay_out_like_model(each) for each in (sheet.blank, sheet.key)]
        if None not in filled_layouts:  # its numbers fit its model's boxes, as those of most sheets do
            break
    for each, filled in zip((sheet.blank, sheet.key), filled_layouts, strict=True):
        assert filled is not None
        assert _without_pages(count_contents(filled)) == _without_pages(count_contents(lay_out_without_model(each)))
        assert filled == lay_out(each)


def _without_pages(both: tuple[Counter[str], Counter[str]]) -> tuple[Counter[str], Counter[str]]:
    """Leave out what depends on how many pages there are and what is drawn again on the next one."""
    numbers, sentences = both
    repeated = re.compile(r"page \d|3³|Name|^sheet |ANSWER KEY|how|^\d")
    others = {text: 1 for text in sentences if not repeated.search(text)}
    return Counter(dict.fromkeys(numbers, 1)), Counter(others)


def test_a_sheet_that_does_not_fit_its_model_is_laid_out_alone() -> None:
    """Blank and key together, so that both keep the same places; most sheets fit."""
    form = FORMS["multi-head-2-causal"]
    sheets = [make_sheet_from_request(Request(seed=seed, variant=form)) for seed in (4, 5)]
    fits = [lay_out_like_model(each.key) is not None for each in sheets]
    assert fits == [True, False]
    for each, fit in zip(sheets, fits, strict=True):
        assert (lay_out_like_model(each.blank) is not None) is fit
    unfit = sheets[1]
    assert lay_out(unfit.key) == lay_out_without_model(unfit.key)
    assert len(stamp_sheet(unfit.key).streams) == len(lay_out_without_model(unfit.key).pages)


# files of several sheets


def make_pdf_file(pages: list[StampedPages]) -> bytes:
    """Return a PDF file of these pages."""
    out = io.BytesIO()
    file = PdfFile(out, title="Several", language="en")
    for each in pages:
        file.add_pages(each)
    file.close()
    return out.getvalue()


def test_many_sheets_in_one_file(tmp_path: Path) -> None:
    """Sheets of several shapes, one after the other: each page as in its own file, all of it accessible."""
    sheets: list[Sheet] = []
    for seed in range(3):
        sheets += [generate(seed, level="warm-up"), generate(seed, level="warm-up", mechanism="basic")]
    pages = [stamped for each in sheets for stamped in stamp_blank_and_key(each) if stamped]
    assert len(pages) == 12
    data = make_pdf_file(pages * 4)
    assert page_validation.validate_pdf_bytes(data, profile="ua1").is_compliant
    (tmp_path / "all.pdf").write_bytes(data)
    together = words(tmp_path / "all.pdf")
    alone = []
    for each in pages:
        (tmp_path / "one.pdf").write_bytes(make_pdf_file([each]))
        alone += words(tmp_path / "one.pdf")
    assert together == alone * 4
    singles = [len(make_pdf_file([each])) for each in pages]
    assert len(data) < 0.5 * sum(singles) * 4  # fonts and backgrounds once


def test_only_what_is_used_of_the_fonts_is_embedded() -> None:
    """A title in another script needs the whole font; a rare letter its own font."""
    small, large, rare = (
        make_pdf_file([stamp_sheet(replace_title(generate(7, level="warm-up"), title).blank)])
        for title in ("", "Внимание", "Əhməd")
    )
    assert len(small) + 50_000 < len(large) < len(rare)
    assert len(fonts_of(small)) == len(fonts_of(large)) == 2
    assert len(fonts_of(rare)) > 2


def replace_title(sheet: Sheet, title: str) -> Sheet:
    """Return a sheet with a title of its own."""
    return replace(sheet, solution=replace(sheet.solution, problem=replace(sheet.problem, title=title)))


def fonts_of(data: bytes) -> set[str]:
    """Return the names of a file's fonts."""
    return set(PdfReader(io.BytesIO(data)).pages[0]["/Resources"]["/Font"])  # type: ignore[index]


def test_colours_are_those_of_the_page() -> None:
    """Ink and red as PDF operators, worked out by hand from #111 and #a31515; a weight of 1 is #239b91."""
    assert (typesetting.INK, typesetting.RED) == (b"0.066667 0.066667 0.066667 rg", b"0.639216 0.082353 0.082353 rg")
    assert (typesetting.SHADE_CHANNELS[0].hex(), typesetting.SHADE_CHANNELS[10].hex()) == ("ffffff", "239b91")


def test_streams_are_small() -> None:
    """What is written of one sheet more is a few thousand bytes."""
    blank, key = stamp_blank_and_key(generate(7))
    assert blank and key
    assert sum(map(len, blank.streams)) < 3_000
    assert sum(map(len, key.streams)) < 8_000
    assert all(zlib.decompress(stream).startswith(b"q ") for stream in (*blank.streams, *key.streams))
