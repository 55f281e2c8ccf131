"""What sheets of one kind share: pages that are laid out like a model, drawn once in a file of many sheets."""

import io
import pickle
import re
import zlib
from collections import Counter
from pathlib import Path

import page as page_validation
import pytest

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import transpose
from attnhand.formats.pdf.canvas import write_colour
from attnhand.formats.pdf.draw_sheet import draw_blank_and_key, draw_layout, draw_sheet
from attnhand.formats.pdf.sheet_pages import (
    SheetPages,
    pack_sheet_pages,
    unpack_sheet_pages,
)
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.lay_out import lay_out, lay_out_like_model, lay_out_without_model
from attnhand.layout.page import GridBox, Layout, TextBox
from attnhand.layout.typography import ParagraphStyle
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.request import Request, make_story_request
from attnhand.problems.story_template import read_bundled_story
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import CellKind, GridStyle
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.breadth import choose, pair_up
from tests.cli.running import run_python
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION
from tests.pages.test_printed_page import words

# models


def count_contents(layout: Layout) -> tuple[Counter[str], Counter[str]]:
    """Return every number, every label of a row or column, and every paragraph of a layout.

    Without heat maps and what is copied, for which there is room on some pages.
    """
    items = [item for page in layout.pages for item in page.items]
    grids = [item.grid for item in items if isinstance(item, GridBox) and item.grid.style is not GridStyle.HEAT]
    cells = [cell for grid in grids for row in grid.cells for cell in row]
    labels = [f"{grid.name}: {label}" for grid in grids for label in (*grid.rows, *grid.columns)]
    boxes = [item for item in items if isinstance(item, TextBox)]
    return (
        Counter(labels)
        + Counter(f"{cell.number} {cell.number and cell.number.note} {cell.kind} {cell.shade}" for cell in cells),
        Counter(
            re.sub(r" Copy \S+\.", "", to_unicode(text))
            for box in boxes
            for each in box.paragraphs
            if each.style is not ParagraphStyle.CAPTION
            for text in (each.text, each.right_text)  # a mark box stands beside text, or on a line by itself
        ),
    )


@pytest.mark.parametrize(("form", "convention"), choose(FORMS_IN_ONE_CONVENTION[:12:3], FORMS_IN_ONE_CONVENTION))
def test_a_filled_page_says_what_a_page_of_its_own_says(form: str, convention: Convention) -> None:
    """Every number and sentence of a sheet that is laid out like its model, as if it had been laid out for itself."""
    check_filled_pages(make_sheet_from_request(Request(seed=5, variant=FORMS[form], convention=convention)))


@pytest.mark.parametrize(("name", "seed"), [("soup", 5), ("soup", 6), ("diary", 7)])
def test_stories_of_one_variant_share_a_page(name: str, seed: int) -> None:
    """Each is filled into the page of the first seed that tells it in the same way, and says what is its own."""
    sheet = make_sheet_from_request(make_story_request(read_bundled_story(name), seed))
    assert lay_out_like_model(sheet)
    check_filled_pages(sheet)


@pytest.mark.parametrize("part", MODEL_PARTS)
@pytest.mark.parametrize("seed", choose([5], [*range(20)]))
def test_parts_share_a_page_with_those_of_their_words(part: str, seed: int) -> None:
    """A seed draws the sentence and how far a step goes too: the page of another sentence tells of other words."""
    check_filled_pages(generate(seed, part=part))


@pytest.mark.parametrize("convention", Convention)
def test_a_step_of_learning_names_the_rows_that_it_works(convention: Convention) -> None:
    """Which two rows of W_U these are depends on the numbers: beside them stand their words, and their old numbers."""
    moved = set()
    for seed in range(5, 5 + choose(4, 20)):
        problem = (drawn := generate(seed, mechanism="next-token", learn="1/2", convention=convention)).problem
        moved.add(problem.moved)
        for face in (drawn.blank, drawn.key):
            grids = [item.grid for page in lay_out(face).pages for item in page.items if isinstance(item, GridBox)]
            *_, old = (grid for grid in grids if to_unicode(grid.name) == "W_U")
            (new,) = (grid for grid in grids if to_unicode(grid.name) == "W_U′")
            by_word = old.cells if convention is Convention.COLUMNS else [*zip(*old.cells, strict=True)]
            W_U = dict(problem.given)["W_U"]
            given = W_U if convention is Convention.COLUMNS else transpose(W_U)
            for grid in (old, new):
                named = grid.rows if convention is Convention.COLUMNS else grid.columns
                assert [to_unicode(label.letter) for label in named] == [f"w{'₀₁₂₃₄'[word]}" for word in problem.moved]
            printed = [[str(cell.number).replace("−", "-") for cell in row] for row in by_word]
            assert printed == [list(map(str, given[word - 1])) for word in problem.moved]
    assert len(moved) > 2


def check_filled_pages(sheet: Sheet) -> None:
    """Compare what blank and key say as their model is laid out with what they say as they are laid out alone."""
    for each in (sheet.blank, sheet.key):
        filled, alone = lay_out_like_model(each), lay_out_without_model(each)
        if filled is not None:  # numbers that do not fit its model's boxes
            assert _without_pages(count_contents(filled)) == _without_pages(count_contents(alone))
            assert filled == lay_out(each)
            assert list_exact_cells(alone) <= list_exact_cells(filled)


def list_exact_cells(layout: Layout) -> set[str]:
    """Return the addresses of the cells beside whose numbers stand exact ones."""
    grids = [item.grid for page in layout.pages for item in page.items if isinstance(item, GridBox)]
    return {cell.address for grid in grids for row in grid.cells for cell in row if cell.exact}


def list_stage_cells(layout: Layout) -> dict[str, tuple[str, str]]:
    """Return the kind and the number of every cell of a stage, by its address."""
    grids = [item.grid for page in layout.pages for item in page.items if isinstance(item, GridBox)]
    cells = [cell for grid in grids for row in grid.cells for cell in row]
    return {cell.address: (cell.kind.value, str(cell.number)) for cell in cells if cell.address}


def list_grey_areas(pages: SheetPages) -> list[tuple[int, bytes]]:
    """Return what is filled in the grey of printed cells, by page."""
    grey = write_colour("#ececec")
    found = []
    for at, data in (*enumerate(pages.shared.contents), *enumerate(pages.streams)):
        colour = b""
        for rgb, area in re.findall(rb"([\d.]+ [\d.]+ [\d.]+) rg|((?:[-\d.]+ ){4})re", zlib.decompress(data)):
            colour = rgb or colour
            found += [(at, area)] if area and colour == grey else []
    return found


@pytest.mark.parametrize(("convention", "fillable"), pair_up([*Convention], [False, True]))
def test_every_sheet_of_a_class_shows_the_cell_that_it_works(convention: Convention, fillable: bool) -> None:
    """In the boxes of one model each has its own printed, grey and no field of a form, as on a page of its own."""
    requests = [Request(seed=seed, convention=convention) for seed in range(12)]
    sheets = [make_sheet_from_request(each, PageOptions(fillable=fillable)) for each in requests]
    shared = [sheet for sheet in sheets if lay_out_like_model(sheet)]
    assert len({sheet.worked_cell for sheet in shared}) > 3
    for sheet in shared:
        assert sheet.worked_cell
        name, row, column = sheet.worked_cell
        worked = f"{name}[{row + 1},{column + 1}]"
        for face, drawn in zip((sheet.blank, sheet.key), draw_blank_and_key(sheet), strict=True):
            filled = lay_out_like_model(face)
            assert filled and drawn and drawn.streams
            cells = list_stage_cells(filled)
            assert cells == list_stage_cells(lay_out_without_model(face))
            assert [address for address, (kind, _) in cells.items() if kind == CellKind.GIVEN] == [worked]
            alone = list_grey_areas(draw_layout(filled, ""))
            assert list_grey_areas(drawn) == alone
            assert len(alone) == 1
            fields = {field.name for field in drawn.shared.fields}
            is_form = fillable and not face.is_solved
            blanks = {make_cell_id(address) for address, (kind, _) in cells.items() if kind == CellKind.BLANK}
            assert blanks <= fields if is_form else not fields
            assert make_cell_id(worked) not in fields


def _without_pages(both: tuple[Counter[str], Counter[str]]) -> tuple[Counter[str], Counter[str]]:
    """Leave out what depends on how many pages there are and what is drawn again on the next one."""
    numbers, sentences = both
    repeated = re.compile(
        r"page \d|3³|Name|^sheet |ANSWER KEY|how|^[Rr]oom to work|^red|^\d|"
        r"^Queries|^Exact values|^Attention weights|/\xa0\d"
    )  # Q that begins a page is in its heading, as are weights that stand apart; marks have names where two meet
    said = (re.sub(r"^Copy \S+\. ?", "", text) for text in sentences)  # what stands on the page before
    unrepeated = {text: 1 for text in said if text and not repeated.search(text)}
    return Counter(dict.fromkeys(numbers, 1)), Counter(unrepeated)


def test_a_sheet_that_does_not_fit_its_model_is_laid_out_alone() -> None:
    """Blank and key together, so that both keep the same places; most sheets fit."""
    sheets = [generate(seed, questions="many") for seed in range(1, 13)]
    fits = [lay_out_like_model(each.key) is not None for each in sheets]
    assert len(sheets) > sum(fits) > len(sheets) / 2
    unfit, fitting = sheets[fits.index(False)], sheets[fits.index(True)]
    assert lay_out_like_model(unfit.blank) is None
    assert lay_out_like_model(fitting.blank) is not None
    assert lay_out(unfit.key) == lay_out_without_model(unfit.key)
    assert draw_sheet(unfit.key).page_count == len(lay_out_without_model(unfit.key).pages)


# files of several sheets


def make_pdf_file(pages: list[SheetPages]) -> bytes:
    """Return a PDF file of these pages."""
    out = io.BytesIO()
    file = PdfFile(out, title="Several", language="en")
    for each in pages:
        file.add_pages(each)
    file.close()
    return out.getvalue()


def test_many_sheets_in_one_file(tmp_path: Path) -> None:
    """Sheets of several kinds, one after the other: each page as in its own file, all of it accessible."""
    sheets: list[Sheet] = []
    for seed in range(3):
        sheets += [generate(seed, level="warm-up"), generate(seed, level="warm-up", mechanism="basic")]
    pages = [drawn for each in sheets for drawn in draw_blank_and_key(each) if drawn]
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
    assert len(data) < 0.5 * sum(singles) * 4  # fonts and shared pages once


def test_pages_travel_as_bytes() -> None:
    """What is packed and unpacked gives the same file; sheets of one kind share one object."""
    sheets = [*(generate(seed, level="warm-up") for seed in (4, 5)), generate(3, mechanism="block", causal=True)]
    pages = [draw_sheet(sheet.key) for sheet in sheets]
    packed = [pack_sheet_pages(each) for each in pages]
    shared = {name: pickle.loads(data) for _, by_name in packed for name, data in by_name.items()}
    assert len(shared) == 2
    assert make_pdf_file([unpack_sheet_pages(data, shared) for data, _ in packed]) == make_pdf_file(pages)


NAME_SCRIPT = """
from attnhand import generate
from attnhand.formats.pdf.draw_sheet import draw_sheet
from attnhand.formats.pdf.sheet_pages import pack_sheet_pages
print(*pack_sheet_pages(draw_sheet(generate(2, level="warm-up").key))[1])
"""


def test_shared_pages_have_one_name_everywhere() -> None:
    """Processes that order their sets differently call them the same, so that a file holds them once."""
    ran = [run_python("-c", NAME_SCRIPT, cwd=Path(__file__).parents[2], PYTHONHASHSEED=seed) for seed in ("1", "2")]
    assert len(ran[0].text.strip()) == 64
    assert ran[0].text == ran[1].text


def test_streams_are_small() -> None:
    """What is written of one sheet more is a few thousand bytes."""
    blank, key = draw_blank_and_key(generate(7))
    assert blank and key
    assert sum(map(len, blank.streams)) < 3_500
    assert sum(map(len, key.streams)) < 8_000
    assert all(zlib.decompress(stream).startswith(b"q ") for stream in (*blank.streams, *key.streams))
