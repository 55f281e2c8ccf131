"""The student's own sheet with marks: whatever was written fits its cell and can be printed."""

from itertools import groupby
from typing import Any

import pytest

import attnhand
from attnhand.layout.page import GridBox, TextBox
from attnhand.marking.report import lay_out_report
from attnhand.sheet.grids import COUNTED_MARKS, CellKind
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import find_missing_characters, to_unicode
from tests.breadth import choose
from tests.marking.handing_in import make_slip, write_answers, write_key

ODD_ANSWERS = ("☹ what now", "-123456/7", "0.123456789012", "999999999", "WWWWWWWW", "−249/86", "1 1/2")


def test_whatever_was_written_fits_its_cell() -> None:
    """Long numbers, words, characters that the font lacks: cut, never larger than the cell, at every size of sheet."""
    for sheet in (
        attnhand.generate(1, level="warm-up"),
        attnhand.generate(2, tokens=12, features=8),
        attnhand.generate(3, mechanism="multi-head", convention="rows", causal=True),
        attnhand.generate(1, level="warm-up", options=PageOptions(large_print=True)),
    ):
        rows = write_key(sheet)
        for stage in rows.values():
            stage[0][0] = ODD_ANSWERS[len(stage) % len(ODD_ANSWERS)]
            stage[-1][-1] = ODD_ANSWERS[len(stage[0]) % len(ODD_ANSWERS)]
        rows["Z" if "Z" in rows else "output"][0][0] = ODD_ANSWERS[0]
        layout = lay_out_report(attnhand.check(rows, sheet))
        items = [item for page in layout.pages for item in page.items]
        for box in (item for item in items if isinstance(item, TextBox)):
            assert not find_missing_characters("".join(to_unicode(each.text) for each in box.paragraphs))
        marked_count = 0
        for grid in (item for item in items if isinstance(item, GridBox)):
            for cell in (cell for row in grid.grid.cells for cell in row if cell.mark):
                assert cell.number is None or grid.find_number_step(cell.number, layout.typography) is not None
                assert not find_missing_characters(str(cell.number or ""))
                marked_count += bool(cell.address)  # the first page shows some again
        assert marked_count == sheet.answer_cell_count + 5  # and the boxes of two questions and of a try


def test_a_stage_that_is_printed_has_no_mark_box() -> None:
    """From S on: the formulas of what is printed stand there as ever."""
    sheet = attnhand.generate(7, options=PageOptions(from_stage="S"))
    layout = lay_out_report(attnhand.check(write_key(sheet), sheet))
    boxes = [item for page in layout.pages for item in page.items if isinstance(item, TextBox)]
    texts = [to_unicode(paragraph.text) for item in boxes for paragraph in item.paragraphs]
    words = "\n".join(texts).replace("\u00a0", " ")
    assert all(f"{formula}\n" in words for formula in ("K = W_K X", "Q = W_Q X", "S = Kᵀ Q"))
    assert "V = W_V X: the same X a third time. That is what makes it self-attention." in texts


@pytest.mark.parametrize("large", [False, True], ids=["regular", "large print"])
@pytest.mark.parametrize("form", [{}, {"convention": "rows"}, {"mechanism": "multi-head", "causal": True}], ids=str)
def test_mark_boxes_and_total_say_what_counts(form: dict[str, Any], large: bool) -> None:
    """Two wrong cells and an empty one are missing from the mark box of their stage, and from the total."""
    sheet = attnhand.generate(7, level="warm-up", options=PageOptions(large_print=large), **form)
    rows = write_key(sheet)
    cells = {name: sum(cell != "" for row in lines for cell in row) for name, lines in rows.items()}
    first, *_, last = rows
    rows[first][-1][-1], rows[last][-1][-2:] = "", ["777", "888"]
    boxes = [
        item
        for page in lay_out_report(attnhand.check(rows, sheet)).pages
        for item in page.items
        if isinstance(item, TextBox)
    ]
    paragraphs = [p for item in boxes for p in item.paragraphs if p.marked_stage]
    mark_boxes = {p.marked_stage: to_unicode(p.text).removeprefix(f"{to_unicode(p.mark_name)} ") for p in paragraphs}
    missing = {first: 1, last: 2}
    assert mark_boxes == {name: f"{count - missing.get(name, 0)} / {count}" for name, count in cells.items()}
    total = f"{sum(cells.values()) - 3} / {sum(cells.values())}"
    assert [text for item in boxes for p in item.paragraphs if (text := to_unicode(p.text)) == total] == [total]


@pytest.mark.parametrize(
    "form",
    [
        {"convention": "rows", "words": "the cat saw a dog"},
        *choose((), ({}, {"mechanism": "multi-head", "heads": 4})),
        {"mechanism": "block", "causal": True},
        {"tokens": 12, "features": 8},
        {"options": PageOptions(large_print=True)},
    ],
    ids=str,
)
def test_the_first_page_is_whose_and_how_much_and_what_to_look_at(form: dict[str, Any]) -> None:
    """Name and №, a table of the scores, each comment beside its cell: on one page, and nothing over anything else."""
    sheet = attnhand.generate(7, **form)
    rows = write_key(sheet)
    for stage in rows.values():
        stage[0][0] = "77"
    checked = attnhand.check({"name": "047 Ada", "answers": rows}, sheet)
    layout = lay_out_report(checked)
    first = layout.pages[0]
    title, *_ = first.items
    assert isinstance(title, TextBox)
    assert to_unicode(title.paragraphs[0].text) == "№ 047 Ada"
    grids = [item for item in first.items if isinstance(item, GridBox)]
    scores = [str(cell.number) for grid in grids for row in grid.grid.cells for cell in row if cell.mark is None]
    counts = [
        f"{sum(cell.mark in COUNTED_MARKS for cell in cells)}/{len(cells)}"
        for cells in ([*cells] for _, cells in groupby(checked.marks.cells, lambda cell: cell.stage))
    ]
    assert scores[: len(counts)] == counts
    marked = [grid for grid in grids if any(cell.mark for row in grid.grid.cells for cell in row)]
    assert marked, "the first departure is shown where it is"
    for side, item in ((page, item) for page in layout.pages if page.number < 1 for item in page.items):
        assert item.box.x >= 0
        assert item.box.right <= layout.width
        assert item.box.bottom <= layout.height
        for other in side.items:
            if other is not item:
                beside = item.box.right <= other.box.x or other.box.right <= item.box.x
                assert beside or item.box.bottom <= other.box.y or other.box.bottom <= item.box.y
    for grid in marked:
        begin = grid.box.y + grid.header_h  # the first row has the first wrong cell
        comments = [item.box for item in first.items if isinstance(item, TextBox) and item.box.x > grid.box.right]
        assert any(begin < box.y < begin + grid.cell_h for box in comments), (
            "a comment stands beside the row of its cell"
        )
    addresses = [
        cell.address
        for page in layout.pages
        for item in page.items
        if isinstance(item, GridBox)
        for row in item.grid.cells
        for cell in row
        if cell.address
    ]
    assert len(addresses) == len(set(addresses)), "a cell has its address once, or links lead astray"


def test_sentences_are_set_as_the_sheet_is() -> None:
    """W_Q is what a terminal can write; on the page W is italic and the Q stands lower, in bold as in plain text."""
    sheet = attnhand.generate(7)
    values = make_slip(sheet, "other-weights", "Q")
    first = lay_out_report(attnhand.check(write_answers(sheet, values), sheet)).pages[0]
    paragraphs = [p for item in first.items if isinstance(item, TextBox) for p in item.paragraphs]
    (sentence,) = [p.text for p in paragraphs if "in place of" in to_unicode(p.text)]
    assert [(run.text, run.style.value, run.is_italic) for run in sentence] == [
        ("You seem to have used ", "plain", False),
        ("W", "plain", True),
        ("K", "sub", False),
        (" in place of ", "plain", False),
        ("W", "plain", True),
        ("Q", "sub", False),
        (".", "plain", False),
    ]
    (redo,) = [p.text for p in paragraphs if "To put it right" in to_unicode(p.text)]
    assert {run.style.value for run in redo} <= {"bold", "sub"}
    assert "Q" in [run.text for run in redo if run.is_italic]


def list_first_grids(sheet: Sheet, rows: dict[str, list[list[str]]]) -> tuple[float, list[GridBox]]:
    """Return how high the first page is filled, from 0 to 1, and its grids."""
    layout = lay_out_report(attnhand.check(rows, sheet))
    first = layout.pages[0]
    bottom = max(item.box.bottom for item in first.items)
    return bottom / layout.height, [item for item in first.items if isinstance(item, GridBox)]


@pytest.mark.parametrize(
    "options",
    [{}, {"convention": "rows"}, {"causal": True}, {"mechanism": "multi-head"}, {"level": "challenge"}],
    ids=str,
)
def test_right_answers_are_printed_in_full(options: dict[str, Any]) -> None:
    """On the student's own sheet every value of the key has room beside its tick, in type that can be read."""
    sheet = attnhand.generate(7, **options)
    layout = lay_out_report(attnhand.check(write_key(sheet), sheet))
    compared = 0
    for item in (item for page in layout.pages[1:] for item in page.items if isinstance(item, GridBox)):
        for number in (cell.number for row in item.grid.cells for cell in row if cell.mark and cell.number):
            assert "…" not in f"{number}"
            assert item.find_number_step(number, layout.typography, is_marked=True) is not None
            compared += 1
    assert compared >= sheet.answer_cell_count


@pytest.mark.parametrize("paper", Paper)
def test_what_to_work_again_has_its_place_on_the_first_page(paper: Paper) -> None:
    """Cells to work again are empty, the others as they were handed in, and nothing wrong is printed as given."""
    sheet = attnhand.generate(7, options=PageOptions(paper=paper))
    rows = write_answers(sheet, make_slip(sheet, "truncated", "scaled"))
    share, grids = list_first_grids(sheet, rows)
    assert share > 0.6
    places = [grid for grid in grids if any(cell.kind is CellKind.BLANK for row in grid.grid.cells for cell in row)]
    assert [to_unicode(grid.grid.name) for grid in places] == ["scaled", "powers", "Σ", "A", "Z"]
    key = sheet.solution.collect_hand_values()
    for name, grid in zip(("scaled", "powers", "sums", "A", "Z"), places, strict=True):
        empty = 0
        for row, values in zip(grid.grid.cells, key[name], strict=True):
            for cell, value in zip(row, values, strict=True):
                empty += cell.number is None
                assert cell.mark is None
                assert cell.number is None or str(cell.number) == str(value).replace("-", "−")
        assert 0 < empty < sum(map(len, grid.grid.cells))


def test_where_everything_is_right_the_first_page_shows_the_whole_way() -> None:
    """Every stage with its marks: no first page with a sentence alone."""
    sheet = attnhand.generate(7)
    share, grids = list_first_grids(sheet, write_key(sheet))
    assert share > 0.6
    marked = [grid for grid in grids if any(cell.mark for row in grid.grid.cells for cell in row)]
    assert len(marked) == 9
