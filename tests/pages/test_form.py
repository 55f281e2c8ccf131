"""The PDF as a form: a field in every empty cell, in its place, and the problem attached."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from attnhand.formats.json_sheet import render_json
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.layout.page import GridBox
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import CellKind
from attnhand.sheet.questions import build_questions
from attnhand.text.widths import make_plain_text, measure_width
from tests.breadth import choose
from tests.conftest import GetFormPath
from tests.pages.conftest import GetPdfPath
from tests.pages.geometry import list_grids
from tests.pages.sheets import get_layouts, get_sheet
from tests.pages.test_pdf import find_ua_failures

FORM_SHEET_NAMES = choose(
    ("classic columns", "causal rows", "multi-head columns", "large columns", "letter rows", "two queries rows"),
    (
        *("classic columns", "causal rows", "multi-head columns", "positions columns", "large columns"),
        *("two queries rows", "letter rows", "cross rows", "block columns", "embedded large rows", "window rows"),
    ),
)
"""Every mechanism, way to lie, paper and size of type."""

ALL = pytest.mark.parametrize("name", FORM_SHEET_NAMES)
MM = 25.4 / 72


def fields(path: Path) -> list[list[Any]]:
    """Return the fields of every page, in the order of the tabulator."""
    pages: list[Any] = list(PdfReader(path).pages)
    return [[annotation.get_object() for annotation in page.get("/Annots", [])] for page in pages]


def cells(name: str) -> list[list[tuple[str, str, tuple[float, ...]]]]:
    """Return the empty cells of every page: the name of the field, what is spoken, its place inside the border."""
    found: list[list[tuple[str, str, tuple[float, ...]]]] = []
    for page in get_layouts(get_sheet(name))[0].pages:
        found.append([])
        for item in list_grids(page):
            for i, row in enumerate(item.grid.cells):
                for j, cell in enumerate(row):
                    if cell.kind is CellKind.BLANK and cell.address:
                        spoken = cell.spoken_name
                        found[-1].append((make_cell_id(cell.address), spoken, inside(item, i, j)))
    return found


def inside(item: GridBox, row: int, column: int) -> tuple[float, ...]:
    """Return left, top, right and bottom of a cell without its border, in millimetres."""
    border = 0.35
    left = item.box.x + item.header_w + column * item.cell_w + border
    top = item.box.y + item.header_h + row * item.cell_h + border
    return left, top, left + item.cell_w - 2 * border, top + item.cell_h - 2 * border


@ALL
def test_every_empty_cell_is_a_field_in_its_place(form: GetFormPath, name: str) -> None:
    """In the order of the page, named and spoken as its cell, as large as the cell inside its border, empty."""
    pages = fields(form(name))
    head, rest = pages[0][:2], [pages[0][2:], *pages[1:]]
    assert [(field["/T"], field["/TU"]) for field in head] == [("name", "Name"), ("date", "Date")]
    layout = get_layouts(get_sheet(name))[0]
    questions = [field["/T"] for page in rest for field in page if field["/T"].startswith("ask")]
    assert questions == [question.name for question in build_questions(get_sheet(name)) if question.name]
    rest = [[field for field in page if field["/T"] not in questions] for page in rest]
    for drawn, page in zip(cells(name), rest, strict=True):
        assert [(field["/T"], field["/TU"]) for field in page] == [(name, spoken) for name, spoken, _ in drawn]
        for field, (_, _, place) in zip(page, drawn, strict=True):
            left, bottom, right, top = (float(edge) * MM for edge in field["/Rect"])
            assert (left, layout.height - top, right, layout.height - bottom) == pytest.approx(place, abs=0.1)
    every = [field for page in rest for field in page]
    assert len(every) == len({field["/T"] for field in every}) == get_sheet(name).answer_cell_count - 1  # one is worked
    assert {(field["/FT"], field["/V"], field["/MaxLen"], field["/Q"]) for field in every} == {("/Tx", "", 40, 1)}


@ALL
def test_an_answer_fits_its_field(form: GetFormPath, name: str) -> None:
    """−9/46 is seen as a whole in cells of any width; in large print the type has 18 points instead."""
    cell_fields = [field for page in fields(form(name)) for field in page[2:]]
    assert len(cell_fields) > 20
    for field in cell_fields:
        size = float(field["/DA"].split()[-2])
        room = (float(field["/Rect"][2]) - float(field["/Rect"][0])) * MM
        if "large" in name:
            assert size >= 18
        else:
            assert size >= 5
            assert measure_width(make_plain_text("−9/46"), size) < room - 0.5


@ALL
def test_a_form_is_accessible(form: GetFormPath, name: str) -> None:
    """It passes every rule of PDF/UA-1, as the sheet that is printed."""
    assert find_ua_failures(form(name).read_bytes()) == []


@ALL
def test_the_blank_sheet_is_attached_and_nothing_else(form: GetFormPath, name: str) -> None:
    """As ``--json`` writes it: what identifies the sheet, and no answer."""
    document = PdfReader(form(name))
    attached = {file: content[0].decode() for file, content in document.attachments.items()}
    assert attached == {"attnhand.json": render_json(get_sheet(name).blank)}
    assert '"hand"' not in attached["attnhand.json"]
    root: Any = document.trailer["/Root"]
    assert not {"/OpenAction", "/AA"} & root.keys()
    assert "/JavaScript" not in root["/Names"]


def test_the_key_of_a_form_is_an_ordinary_key(pdf: GetPdfPath) -> None:
    """To the byte; and a form is the same bytes whenever it is made."""
    sheet = get_sheet("warm-up columns")
    fillable = replace(sheet, options=replace(sheet.options, fillable=True))
    assert render_pdf(fillable.key) == pdf("warm-up columns", True).read_bytes()
    again = render_pdf(fillable.blank)
    assert render_pdf(fillable.blank) == again
    assert PdfReader(io.BytesIO(again)).get_form_text_fields()
