"""Drawn pages against those that another engine lays out: every word, frame and tag in the same place."""

import ctypes
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
import pytest
from PIL import Image, ImageChops
from pypdf import PdfReader
from pypdfium2 import raw

from attnhand.api import generate
from attnhand.formats.colours import read_channels
from attnhand.formats.pdf import draw_page
from attnhand.formats.pdf.canvas import Canvas
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.pdf import render_pdf, write_pdf
from attnhand.formats.pdf.tags import Node
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Box, Item, TextBox
from attnhand.marking.given_cells import carry_from_given_cells
from attnhand.sheet.options import PageOptions
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.conftest import GetFormPath, RenderOnce
from tests.pages.conftest import GetPdfPath
from tests.pages.ink import measure_ink
from tests.pages.other_engine import render_by_other_engine
from tests.pages.sheets import ALL_PDF_SHEET_NAMES, get_sheet
from tests.pages.test_form import FORM_SHEET_NAMES
from tests.pages.test_printed_page import Word, words

TOLERANCE = 0.05
"""Points."""

COMPARED = [name for name in ALL_PDF_SHEET_NAMES if name not in ("challenge rows", "12 × 12 columns", "elephant")]
"""Every mechanism, way to lie, paper and size of type, students' copies too; those left out are only larger, or other
words."""

MAX_UNLIKE_SHARE = 0.001
"""The share of dots that may differ: edges of letters, whose places poppler rounds to a quarter of a dot."""

BLANKS = (
    *("classic columns", "classic rows", "large columns", "letter rows", "heads in a block rows", "story rows"),
    *("positions columns", "owned rows", "trace columns", "ticked columns"),
)
"""Those of which the blank sheet is compared too: it has the geometry of its key."""

COMPARED_FACES = pytest.mark.parametrize(
    ("name", "solved"),
    choose(
        (
            *(("classic columns", True), ("large columns", True)),
            ("owned rows", False),
        ),
        tuple((name, solved) for name in COMPARED for solved in (False, True) if solved or name in BLANKS),
    ),
)


def render_other(once: RenderOnce, name: str, solved: bool) -> Path:
    """Return where the PDF of a sheet is that the other engine made."""
    sheet = get_sheet(name).key if solved else get_sheet(name).blank
    return once(f"other engine {name} {solved}", lambda: render_by_other_engine(sheet))


# words


def find_unlike_words(first: Path, second: Path) -> list[Word]:
    """Return the words of one file that the other has elsewhere, or not at all, either way round."""
    pages, others = words(first), words(second)
    assert [len(page) for page in pages] == [len(page) for page in others]
    assert sum(map(len, pages)) > 100
    unlike = []
    for page, other_page in zip(pages, others, strict=True):
        left = list(other_page)
        for word in page:
            alike = [each for each in left if each.text == word.text and _is_alike(each, word)]
            found = min(alike, key=lambda each: abs(each.y - word.y), default=None)
            if found is None:
                unlike.append(word)
            else:
                left.remove(found)
        unlike += left
    return unlike


def _is_alike(one: Word, other: Word) -> bool:
    """Say whether a word stands where the other engine has it.

    That engine lets what hangs at the bottom of a cell, an exact value or a decimal, move with the cell's number.
    """
    if re.fullmatch(r"−?([0-9]*[.][0-9]+|∞)", one.text):
        return abs(one.x - other.x) < 0.4 and abs(one.y - other.y) < 14.0  # 4 but in the high rows of large print
    return _is_near(one[1:], other[1:])


def _is_near(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(abs(a - b) <= TOLERANCE / 72 * 25.4 for a, b in zip(one, other, strict=True))


@COMPARED_FACES
def test_all_stands_where_the_other_engine_has_it(once: RenderOnce, pdf: GetPdfPath, name: str, solved: bool) -> None:
    """Every word to a twentieth of a point; cells, tints, borders, bars of fractions, shades and lines to write on.

    Headings, paragraphs, tables with their rows and header cells, and the picture with its words come in one order;
    and no two dots of the pages differ by more than an edge.
    """
    drawn, rendered = pdf(name, solved), render_other(once, name, solved)
    assert find_unlike_words(rendered, drawn) == []
    assert find_unlike_frames(rendered, drawn) == []
    tags = _leave_out_around(list_tags(drawn))
    assert len(tags) > 50
    assert tags == _leave_out_around(list_tags(rendered))
    one, other = picture_pages(drawn), picture_pages(rendered)
    assert len(one) == len(other) > 0
    # exact values hang elsewhere there: see above
    assert max(map(measure_unlike_share, one, other)) <= (0.02 if solved else MAX_UNLIKE_SHARE)


def picture_pages(path: Path) -> list[Image.Image]:
    """Return every page as a grey picture of 60 dots an inch; first larger, as thin areas are moved to whole dots."""
    document = pypdfium2.PdfDocument(path)
    images = [page.render(scale=240 / 72, grayscale=True).to_pil().reduce(4) for page in document]
    document.close()
    return images


def measure_unlike_share(one: Image.Image, other: Image.Image) -> float:
    """Return the share of dots that differ by more than an edge."""
    assert one.size == other.size
    return sum(ImageChops.difference(one, other).histogram()[60:]) / (one.width * one.height)


def test_the_picture_of_another_sheet_is_seen(pdf: GetPdfPath) -> None:
    """Where numbers differ, dots do."""
    blank, key = (picture_pages(pdf("warm-up columns", solved))[0] for solved in (False, True))
    assert measure_unlike_share(blank, key) > MAX_UNLIKE_SHARE


# frames


LINE_COLOUR = read_channels(draw_page.get_colour("line")).hex()


class Frame(NamedTuple):
    """What is drawn of one frame, area, or line, in millimetres from the top left corner."""

    colour: str
    left: float
    top: float
    right: float
    bottom: float


def list_frames(path: Path) -> list[list[Frame]]:
    """Return what is drawn on every page besides words, where PDFium finds it, each once.

    White on white is left out, and the QR code, which one engine draws in lines: only pictures compare it. Of a line
    under something the lower edge is looked at, because the other engine draws the whole frame and cuts the rest of it
    away.
    """
    document = pypdfium2.PdfDocument(path)
    pages = []
    for page in document:
        height = page.get_height()
        frames = set()
        for shape in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH]):
            left, bottom, right, top = shape.get_bounds()
            colour, is_seen = _find_colour(shape)
            if is_seen and colour not in ("ffffff", "000000"):
                places = (left, height - (bottom if colour == LINE_COLOUR else top), right, height - bottom)
                frames.add(Frame(colour, *(round(place * 25.4 / 72, 4) for place in places)))
        pages.append(sorted(frames))
    document.close()
    return pages


def _find_colour(shape: Any) -> tuple[str, bool]:
    fill_mode, has_stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(shape, fill_mode, has_stroke)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    find = raw.FPDFPageObj_GetFillColor if fill_mode.value else raw.FPDFPageObj_GetStrokeColor
    find(shape, red, green, blue, alpha)
    return f"{red.value:02x}{green.value:02x}{blue.value:02x}", bool(fill_mode.value or has_stroke.value)


def find_unlike_frames(first: Path, second: Path) -> list[Frame]:
    """Return the frames of one file that the other has elsewhere, or not at all, either way round."""
    pages, others = list_frames(first), list_frames(second)
    assert len(pages) == len(others)
    assert sum(map(len, pages)) > 50
    unlike = []
    for page, other_page in zip(pages, others, strict=True):
        for one, other in ((page, other_page), (other_page, page)):
            unlike += [
                frame
                for frame in one
                if not any(each.colour == frame.colour and _is_near(each[1:], frame[1:]) for each in other)
            ]
    return unlike


# forms


@pytest.mark.parametrize("name", choose(FORM_SHEET_NAMES[::2], FORM_SHEET_NAMES))
def test_a_form_is_the_sheet_with_fields(form: GetFormPath, pdf: GetPdfPath, name: str) -> None:
    """Every word, frame and tag of the sheet that is printed, where it stands there; fields add their elements."""
    assert find_unlike_words(pdf(name, False), form(name)) == []
    assert find_unlike_frames(pdf(name, False), form(name)) == []
    tags = list_tags(form(name))
    without_fields = [each for each in tags if each[1] != "/Form"]
    assert without_fields == list_tags(pdf(name, False))
    # one is worked; name and date, two questions and three cells of a try
    assert len(tags) - len(without_fields) == get_sheet(name).answer_cell_count - 1 + 2 + 5


# tags

INVISIBLE = ("/Span", "/NonStruct", "/Div")
"""Elements that say nothing: what is in them belongs to the element around them."""


def list_tags(path: Path) -> list[tuple[int, str, str]]:
    """Return the elements that say something: how deep they stand, what they are, and what describes them."""
    root: Any = PdfReader(path).trailer["/Root"]
    return list(_list_tags_below(root["/StructTreeRoot"], 0))


def _list_tags_below(element: Any, depth: int) -> Iterator[tuple[int, str, str]]:
    kids = element.get("/K", [])
    for kid in kids if isinstance(kids, list) else [kids]:
        inner = kid.get_object()
        if not isinstance(inner, dict) or "/S" not in inner:
            continue
        tag = str(inner["/S"])
        if tag in INVISIBLE:
            yield from _list_tags_below(inner, depth)
            continue
        below = list(_list_tags_below(inner, depth + 1))
        if below or inner.get("/K") not in (None, []) or tag in ("/TD", "/TH"):
            yield depth, tag, str(inner.get("/Alt", ""))
            yield from below


def _leave_out_around(tags: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Count depth from the sections, one a page, that hold everything."""
    base = next(depth for depth, tag, _ in tags if tag == "/Sect")
    return [(depth - base, tag, words) for depth, tag, words in tags if depth >= base]


def test_marks_stand_where_the_other_engine_has_them(tmp_path: Path) -> None:
    """On a key that carries on from wrong values: solid, dashed and thick borders.

    Their signs stand in the corner; the other engine moves them down with the number, which browsers do not.
    """
    sheet = carry_from_given_cells(get_sheet("causal rows"), ["K[1,2]=7", "S[2,1]=9"]).key
    drawn, rendered = tmp_path / "drawn.pdf", tmp_path / "rendered.pdf"
    drawn.write_bytes(render_pdf(sheet))
    rendered.write_bytes(render_by_other_engine(sheet))
    assert [word for word in find_unlike_words(rendered, drawn) if word.text not in ("→", "✗")] == []
    assert find_unlike_frames(rendered, drawn) == []
    assert _leave_out_around(list_tags(drawn)) == _leave_out_around(list_tags(rendered))


def test_accents_and_rare_letters_stand_where_the_other_engine_has_them(tmp_path: Path) -> None:
    """On letters of any language that the fonts have, in a title and in words of tokens."""
    title = "Ẹ̀kọ́ Ọ̀rọ̀ – Nguyễn Əli ἄνθρωπος Հայկ"
    sheet = generate(7, level="warm-up", title=title, words=("ẹ̀kọ́", "ნინო", "Юлия")).blank
    drawn, rendered = tmp_path / "drawn.pdf", tmp_path / "rendered.pdf"
    drawn.write_bytes(render_pdf(sheet))
    rendered.write_bytes(render_by_other_engine(sheet))
    assert find_unlike_words(rendered, drawn) == []


def test_a_slanted_letter_stands_clear_of_what_is_as_high_as_it(tmp_path: Path) -> None:
    """ "Woher kommen die W?": there is white before the question mark, as much in the other engine."""
    sheet = generate(7, language="de", convention="rows", options=PageOptions(only_queries=(1, 3))).key
    drawn, rendered = tmp_path / "drawn.pdf", tmp_path / "rendered.pdf"
    drawn.write_bytes(render_pdf(sheet))
    rendered.write_bytes(render_by_other_engine(sheet))
    assert any("W?" in word.text for page in words(drawn) for word in page)
    assert [word for word in find_unlike_words(rendered, drawn) if "W" in word.text or "?" in word.text] == []
    letters = [each for page in measure_ink(lay_out(sheet)) for each in page.letters]
    pairs = [(one, after) for one, after in pairwise(letters) if (one.text, after.text) == ("W", "?")]
    assert pairs
    assert all(after.box.x > one.box.right for one, after in pairs)


# guards: what the comparisons must see


def draw_changed(tmp_path: Path, change: Callable[[Item], Item]) -> Path:
    """Return a drawn sheet whose second page's boxes are changed."""
    sheet = get_sheet("classic columns").key
    layout = lay_out(sheet)
    pages = [replace(page, items=tuple(map(change, page.items))) for page in layout.pages]
    path = tmp_path / "changed.pdf"
    path.write_bytes(write_pdf(draw_layout(replace(layout, pages=tuple(pages)), "Changed"), "en"))
    return path


def move_box(box: Box) -> Box:
    """Move a box down by a fifth of a millimetre."""
    return box._replace(y=box.y + 0.2)


def test_what_is_moved_is_seen(once: RenderOnce, tmp_path: Path) -> None:
    """One paragraph, or one grid, a fifth of a millimetre lower; unmoved nothing is unlike."""
    rendered = render_other(once, "classic columns", True)
    unmoved = draw_changed(tmp_path, lambda item: item)
    assert find_unlike_words(rendered, unmoved) == [] == find_unlike_frames(rendered, unmoved)
    items = [item for page in lay_out(get_sheet("classic columns").key).pages for item in page.items]
    text = next(item for item in items if isinstance(item, TextBox) and len(item.paragraphs) > 1)
    moved = draw_changed(tmp_path, lambda item: replace(item, box=move_box(item.box)) if item == text else item)
    assert len(find_unlike_words(rendered, moved)) >= 2
    grid = next(item for item in items if not isinstance(item, TextBox) and item.box.w > 30 and item.box.h > 20)
    moved = draw_changed(tmp_path, lambda item: replace(item, box=move_box(item.box)) if item == grid else item)
    assert len(find_unlike_frames(rendered, moved)) >= 2


def test_one_moved_number_is_seen(once: RenderOnce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A fifth of a millimetre to the right, of all that a page shows."""
    rendered, draw = render_other(once, "classic columns", True), draw_page.draw_number
    moved: list[str] = []

    def draw_moved(canvas: Canvas, number: PrintedNumber, look: draw_page.NumberLook, x: float, y: float) -> None:
        if not moved:
            moved.append(number.text)
            x += 0.2
        draw(canvas, number, look, x, y)

    monkeypatch.setattr(draw_page, "draw_number", draw_moved)
    assert {word.text for word in find_unlike_words(rendered, draw_changed(tmp_path, lambda item: item))} == {*moved}


@pytest.mark.parametrize("tag", ["H2", "P", "TR", "TD"])
def test_content_without_its_tag_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tag: str) -> None:
    """An element that is left out leaves its content to nobody: no file is written."""
    add = Node.add

    def add_but_one_kind(node: Node, name: str, *rest: Any) -> Node:
        return Node(name, node.page) if name == tag else add(node, name, *rest)

    monkeypatch.setattr(Node, "add", add_but_one_kind)
    with pytest.raises(RuntimeError, match="belongs to no element"):
        draw_changed(tmp_path, lambda item: item)


def test_a_missing_tag_is_seen(once: RenderOnce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A heading that is a paragraph, and a header cell that is none."""
    rendered = _leave_out_around(list_tags(render_other(once, "classic columns", True)))
    add = Node.add
    for tag, instead in (("H2", "P"), ("TH row", "TD")):

        def add_other(node: Node, name: str, *rest: Any, lost: str = tag, given: str = instead) -> Node:
            return add(node, given if name == lost else name, *rest)

        monkeypatch.setattr(Node, "add", add_other)
        assert _leave_out_around(list_tags(draw_changed(tmp_path, lambda item: item))) != rendered


# what is drawn


@pytest.mark.parametrize("solved", [False, True], ids=["blank", "key"])
def test_numbers_are_text(pdf: GetPdfPath, solved: bool) -> None:
    """What is copied from the page holds the numbers, a fraction as 3/5, once each."""
    sheet = get_sheet("classic columns")
    text = "".join(page.extract_text() for page in PdfReader(pdf("classic columns", solved)).pages)
    flat = re.sub(r"\s", "", text)
    weight = next(str(value) for row in sheet.solution["A"].hand for value in row if "/" in str(value))
    assert (weight in flat) is solved
    assert sheet.code in text


def test_only_used_glyphs_are_embedded() -> None:
    """A title in another script needs more of the font; a rare letter a font of its own.

    Every sheet has regular and bold letters, and italic ones of both weights for variables.
    """
    small, large, rare = (
        render_pdf(replace_title(generate(7, level="warm-up"), title).blank) for title in ("", "Внимание", "Əhməd")
    )
    assert len(small) < len(large) < len(rare) < len(small) + 5_000
    assert fonts_of(small) == fonts_of(large) == {"/F1", "/F2", "/F5", "/F6"}
    assert len(fonts_of(rare) - fonts_of(small)) == 1


def replace_title(sheet: Sheet, title: str) -> Sheet:
    """Return a sheet with a title of its own."""
    return replace(sheet, solution=replace(sheet.solution, problem=replace(sheet.problem, title=title)))


def fonts_of(data: bytes) -> set[str]:
    """Return the names of a file's fonts."""
    return set(PdfReader(io.BytesIO(data)).pages[0]["/Resources"]["/Font"])  # type: ignore[index]
