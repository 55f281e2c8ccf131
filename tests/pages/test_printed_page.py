"""The page as it is printed: every word in its place, nothing over anything else, no answer on a blank one."""

import hashlib
import math
import re
import subprocess
from functools import cache
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest
import zxingcpp
from PIL import Image

from attnhand.layout.page import Box, GridBox
from attnhand.sheet.grids import CellKind, GridStyle
from tests.breadth import LOOKS_AT_ALL, choose, pair_up
from tests.conftest import GetFormPath
from tests.pages.conftest import GetPdfPath
from tests.pages.geometry import EXERCISE_LOOKS, MIN_MARGIN, list_grids, list_printed_boxes, measure_cells_box
from tests.pages.sheets import PDF_SHEET_NAMES, get_layouts, get_sheet
from tests.pages.test_form import FORM_SHEET_NAMES

ALL = pytest.mark.parametrize("name", PDF_SHEET_NAMES)
FACES = pytest.mark.parametrize(("name", "solved"), pair_up(PDF_SHEET_NAMES, (False, True)))
MM = 25.4 / 72

TURNS = choose((180, 3), (0, 90, 180, 270, 3, -3))
"""How scans lie, in degrees."""


class Word(NamedTuple):
    """A word on a page, in millimetres."""

    text: str
    x: float
    y: float
    right: float
    bottom: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle."""
        return (self.x + self.right) / 2, (self.y + self.bottom) / 2


def words(path: Path) -> list[list[Word]]:
    """Return the words of every page, where poppler finds them; of the same file they are looked for once."""
    return _find_words(path, hashlib.sha256(path.read_bytes()).digest())


@cache
def _find_words(path: Path, _: bytes) -> list[list[Word]]:
    done = subprocess.run(["pdftotext", "-bbox", str(path), "-"], capture_output=True, text=True, check=True)
    place = re.compile(r'<word xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)">(.*)</word>')
    pages: list[list[Word]] = []
    for line in done.stdout.splitlines():
        if "<page " in line:
            pages.append([])
        elif found := place.search(line):
            pages[-1].append(Word(unescape(found[5]), *(float(number) * MM for number in found.groups()[:4])))
    return pages


def pictures(path: Path, folder: Path, dots: int, *, last: int = 0) -> list[Image.Image]:
    """Return every page, or those up to the last, as a grey picture, at so many dots an inch."""
    pages = ["-l", str(last)] if last else []
    subprocess.run(["pdftoppm", "-r", str(dots), "-gray", *pages, str(path), str(folder / "page")], check=True)
    return [Image.open(file).convert("L") for file in sorted(folder.glob("page-*.pgm"))]


def is_within(word: Word, box: Box, slack: float = 0.0) -> bool:
    """Say whether a word lies in a box: its middle up and down, the whole of it from left to right."""
    _, middle = word.middle
    inside = box.x - slack <= word.x and word.right <= box.right + slack
    return inside and box.y - slack <= middle <= box.bottom + slack


def cell_box(item: GridBox, row: int, column: int) -> Box:
    """Return where a cell is."""
    x = item.box.x + item.header_w + column * item.cell_w
    return Box(x, item.box.y + item.header_h + row * item.cell_h, item.cell_w, item.cell_h)


# words


@FACES
def test_every_word_is_in_its_place(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """No line runs out of the box that the layout gave it: lines break as they were counted, numbers fit."""
    layout = get_layouts(get_sheet(name))[solved]
    for page, found in zip(layout.pages, words(pdf(name, solved)), strict=True):
        boxes = [box for item in page.items for box in (item.box, *list_printed_boxes(item, layout.typography))]
        assert len(found) > 20
        assert [word for word in found if not any(is_within(word, box, 0.4) for box in boxes)] == []


@FACES
def test_no_word_is_printed_over_another(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """However near they are; a fraction's slash, which is not seen, apart."""
    for found in words(pdf(name, solved)):
        seen = sorted((word for word in found if word.text != "/"), key=lambda word: word.y)
        over = [
            (a.text, b.text)
            for i, a in enumerate(seen)
            for b in takewhile(lambda b, a=a: b.y < a.bottom, seen[i + 1 :])  # type: ignore[misc]
            if _is_over(a, b)
        ]
        assert over == []


def _is_over(a: Word, b: Word) -> bool:
    high = min(a.bottom - a.y, b.bottom - b.y)
    shared = min(a.bottom, b.bottom) - max(a.y, b.y)
    return min(a.right, b.right) - max(a.x, b.x) > 0.25 and shared > 0.45 * high


@ALL
def test_a_blank_page_has_empty_cells(pdf: GetPdfPath, name: str) -> None:
    """On the key every number of the layout is found in its cell; on the blank sheet those cells have no word."""
    blank_words, key_words = words(pdf(name, False)), words(pdf(name, True))
    answers = 0
    blank_layout, key_layout = get_layouts(get_sheet(name))
    type_ = key_layout.typography
    exact = {
        (page.number, item.box, i, j): f"{cell.exact or ''}"  # of the query whose exact values are asked for
        for page in blank_layout.pages
        for item in list_grids(page)
        for i, row in enumerate(item.grid.cells)
        for j, cell in enumerate(row)
    }
    given = {
        (page.number, item.box, i, j)  # a trace prints what is printed on the sheet
        for page in blank_layout.pages
        for item in list_grids(page)
        for i, row in enumerate(item.grid.cells)
        for j, cell in enumerate(row)
        if cell.number
    }
    for page, key, blank in zip(key_layout.pages, key_words, [*blank_words, *[[]] * 9], strict=False):
        for item in list_grids(page):
            for i, row in enumerate(item.grid.cells):
                for j, cell in enumerate(row):
                    box = cell_box(item, i, j)
                    text = "".join(w.text for w in key if _is_in(w, box))
                    assert cell.number is not None
                    note = cell.number.note if item.has_notes_below or item.shows_note_aside(cell.number, type_) else ""
                    printed = f"{cell.number}{note}{cell.decimal or ''}{cell.exact or ''}"
                    assert sorted(text.replace("/", "")) == sorted(printed.replace("/", "").replace(" ", ""))
                    is_copy = cell.kind is CellKind.COPIED and item.grid.style is GridStyle.COPY
                    if cell.kind is CellKind.ANSWER or (is_copy and (page.number, item.box, i, j) not in given):
                        answers += cell.kind is CellKind.ANSWER and bool(cell.address)  # a trace has none
                        shown = exact.get((page.number, item.box, i, j), "").split()
                        assert [word.text for word in blank if _is_in(word, box)] == shown
    # one cell is worked on the blank sheet too
    assert answers == get_sheet(name).answer_cell_count - 1 > 0


def _is_in(word: Word, box: Box) -> bool:
    x, y = word.middle
    return box.x < x < box.right and box.y < y < box.bottom


@FACES
def test_every_page_says_which_it_is(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """The sheet code and "page n of m" at its foot, ANSWER KEY at its head or not at all."""
    pages = words(pdf(name, solved))
    for number, found in enumerate(pages, 1):
        text = " ".join(word.text for word in found)
        assert get_sheet(name).code in text
        assert f"page {number} of {len(pages)}" in text
        assert ("ANSWER KEY" in text) is solved


@FACES
def test_only_the_bundled_font_is_used(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """Two fonts, embedded as subsets, with their characters named."""
    done = subprocess.run(["pdffonts", str(pdf(name, solved))], capture_output=True, text=True, check=True)
    fonts = [line.split() for line in done.stdout.splitlines()[2:]]
    assert sorted(font[0].partition("+")[2] for font in fonts) == [
        "Sheet",
        "Sheet-Bold",
        "Sheet-BoldItalic",
        "Sheet-Italic",
    ]
    assert [font[-5:-2] for font in fonts] == [["yes", "yes", "yes"]] * 4


# pictures


@ALL
def test_grids_are_at_the_same_pixels(pdf: GetPdfPath, name: str, tmp_path: Path) -> None:
    """What is given looks the same on blank and key, pixel for pixel, and stands where the layout says."""
    dots = 100
    for kind in ("blank", "key"):
        (tmp_path / kind).mkdir()
    blanks, keys = (
        pictures(pdf(name, solved), tmp_path / kind, dots) for solved, kind in ((False, "blank"), (True, "key"))
    )
    compared = 0
    for page, blank, key in zip(get_layouts(get_sheet(name))[0].pages, blanks, keys, strict=False):
        for item in list_grids(page):
            if item.grid.style is GridStyle.GIVEN:
                box = measure_cells_box(item)
                # whole pixels of the grid alone: beside it a letter may begin
                left, top = (math.ceil(side / 25.4 * dots) for side in (box.x, box.y))
                right, bottom = (math.floor(side / 25.4 * dots) for side in (box.right, box.bottom))
                assert (
                    blank.crop((left, top, right, bottom)).tobytes() == key.crop((left, top, right, bottom)).tobytes()
                )
                tint = [_measure_shade(blank, cell_box(item, i, j), dots) for i, j in _corners(item)]
                assert tint == [255] * len(tint)
                compared += 1
            elif item.grid.style is GridStyle.WORKED:
                corners = [(place, item.grid.cells[place[0]][place[1]]) for place in _corners(item)]
                empty = [place for place, cell in corners if cell.kind is CellKind.BLANK]
                assert [_measure_shade(blank, cell_box(item, i, j), dots) for i, j in empty] == [255] * len(empty)
                assert all(_find_darkest_edge(blank, cell_box(item, i, j), dots) < 200 for i, j in empty)
                assert all(
                    _crop(key, cell_box(item, i, j), dots) != _crop(blank, cell_box(item, i, j), dots) for i, j in empty
                )
    assert compared >= 2


@pytest.mark.parametrize("name", [name for name in FORM_SHEET_NAMES if name in PDF_SHEET_NAMES])
def test_an_empty_form_looks_like_the_sheet(form: GetFormPath, pdf: GetPdfPath, name: str, tmp_path: Path) -> None:
    """Dot for dot: all is where it is without fields."""
    both = []
    for kind, path in (("form", form(name)), ("sheet", pdf(name, False))):
        (tmp_path / kind).mkdir()
        both.append([picture.tobytes() for picture in pictures(path, tmp_path / kind, 60)])
    assert both[0] == both[1]


def _corners(item: GridBox) -> list[tuple[int, int]]:
    rows, columns = item.grid.row_count - 1, item.grid.column_count - 1
    return [(0, 0), (0, columns), (rows, 0), (rows, columns)]


def _measure_shade(picture: Image.Image, box: Box, dots: int) -> float:
    """Return how bright a cell is near its upper left corner, inside its border, where no number reaches."""
    return _pixel(picture, (box.x + 0.95) / 25.4 * dots, (box.y + 0.95) / 25.4 * dots)


def _find_darkest_edge(picture: Image.Image, box: Box, dots: int) -> float:
    """Return the darkest pixel across the left border of a cell, with the bracket before the first."""
    y = (box.y + box.h / 2) / 25.4 * dots
    return min(_pixel(picture, (box.x + step / 10) / 25.4 * dots, y) for step in range(-6, 8))


def _crop(picture: Image.Image, box: Box, dots: int) -> bytes:
    """Return the dots of a cell."""
    left, top, right, bottom = (int(side / 25.4 * dots) for side in (box.x, box.y, box.right, box.bottom))
    return picture.crop((left, top, right, bottom)).tobytes()


def _pixel(picture: Image.Image, x: float, y: float) -> float:
    value = picture.getpixel((int(x), int(y)))
    assert isinstance(value, int)
    return value


@FACES
def test_the_edges_of_the_paper_stay_white(pdf: GetPdfPath, name: str, solved: bool, tmp_path: Path) -> None:
    """8 mm on every side, for what a printer leaves out, on students' copies too."""
    for picture in pictures(pdf(name, solved), tmp_path, 50):
        edge = int(MIN_MARGIN / 25.4 * 50)
        inner = picture.copy()
        inner.paste(255, (edge, edge, picture.width - edge, picture.height - edge))
        assert inner.getextrema() == (255, 255)
        assert picture.getextrema()[0] != 255


@ALL
def test_the_qr_code_is_the_sheet_code(pdf: GetPdfPath, name: str, tmp_path: Path) -> None:
    """On the first page, in a class set with № and page on each; read from scans of 100 dots an inch.

    They are as they come: upside down, on their side, a little askew, grey, or copied at 70 %.
    """
    sheet, scans = get_sheet(name), pictures(pdf(name, False), tmp_path, 100)
    code, seat = sheet.code, sheet.seat
    for number, scan in enumerate(scans, 1):
        expected = [f"{code} {seat.number} {number}"] if seat else [code] if number == 1 else []
        if not expected and not LOOKS_AT_ALL:
            break
        for turned in TURNS:
            picture = scan.rotate(turned, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
            assert [found.text for found in zxingcpp.read_barcodes(picture)] == expected, (number, turned)
        grey = scan.point(lambda value: 60 + value * 0.6)
        assert [found.text for found in zxingcpp.read_barcodes(grey)] == expected, number
    scan = pictures(pdf(name, False), tmp_path, 150, last=1)[0]
    copy = scan.resize((int(scan.width * 0.7), int(scan.height * 0.7)))
    assert zxingcpp.read_barcodes(copy)[0].text.split()[0] == code


# guards


def test_a_word_in_the_wrong_place_is_seen(pdf: GetPdfPath) -> None:
    """The tests above have words to look at, and boxes that do not hold everything."""
    found = words(pdf("classic columns", True))
    assert len(found) == 2
    layout = get_layouts(get_sheet("classic columns"))[1]
    product = next(item for item in list_grids(layout.pages[0]) if item.grid.style in EXERCISE_LOOKS)
    assert any(is_within(word, product.box) for word in found[0])
    assert not all(is_within(word, product.box) for word in found[0])
    here = found[0][0]
    assert _is_over(here, here._replace(x=here.x + 0.5, text="x"))
    assert not _is_over(here, here._replace(x=here.right, right=here.right + 5))
