"""What whoever marks on paper asks for: squares in the corners for a scanner, boxes to tick below columns."""

import pytest

import attnhand
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Box, Page, SquaresBox
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.sheet import Sheet
from tests.breadth import pair_up
from tests.pages.geometry import list_grids
from tests.pages.sheets import SHEET_MAKERS, get_sheet

PAPERS = [PageOptions(scan=True), PageOptions(scan=True, paper=Paper.LETTER), PageOptions(scan=True, large_print=True)]
TICKED = [name for name in SHEET_MAKERS if name.startswith("ticked")]


def list_squares(page: Page, *, filled: bool) -> list[Box]:
    """Return the squares of a page: those that are filled, or those to tick."""
    boxes = (item for item in page.items if isinstance(item, SquaresBox) and item.is_filled is filled)
    return [square for box in boxes for square in box.squares]


def list_asked_columns(page: Page) -> list[tuple[float, float]]:
    """Return the middle of every column with a cell to fill, and where its matrix ends."""
    grids = (item for item in list_grids(page) if item.grid.style is GridStyle.WORKED)
    return [
        (grid.box.x + grid.header_w + (at + 0.5) * grid.cell_w, grid.box.bottom)
        for grid in grids
        for at, column in enumerate(zip(*grid.grid.cells, strict=True))
        if any(cell.number is None for cell in column)
    ]


@pytest.mark.parametrize(("options", "convention"), pair_up(PAPERS, ["columns", "rows"]))
def test_scanned_pages_have_a_square_in_each_corner(options: PageOptions, convention: str) -> None:
    """8 mm from the edges, where printers reach, on every page of blank and key; without the option there is none."""
    sheet = attnhand.generate(7, level="warm-up", convention=convention, options=options)
    for face in (sheet.blank, sheet.key):
        layout = lay_out(face)
        corners = {(x, y) for x in (8.0, layout.width - 12) for y in (8.0, layout.height - 12)}
        for page in layout.pages:
            squares = list_squares(page, filled=True)
            assert {(square.x, square.y) for square in squares} == corners
            assert [(square.w, square.h) for square in squares] == [(4.0, 4.0)] * 4
    assert not any(list_squares(page, filled=True) for page in lay_out(get_sheet("classic columns")).pages)


@pytest.mark.parametrize("name", TICKED)
def test_every_column_to_fill_has_a_box_to_tick(name: str) -> None:
    """Below its middle, near to it; a column that is printed has none, nor has a key, whose matrices stand alike."""
    sheet: Sheet = get_sheet(name)
    count = 0
    for page in lay_out(sheet.blank).pages:
        ticks = list_squares(page, filled=False)
        for middle, bottom in list_asked_columns(page):
            below = [tick for tick in ticks if abs(tick.x + tick.w / 2 - middle) < 0.01 and 0 < tick.y - bottom < 6]
            assert len(below) == 1, (page.number, middle, bottom)
            ticks.remove(below[0])
            count += 1
        assert ticks == []
    assert count >= 10
    assert not any(list_squares(page, filled=False) for page in lay_out(sheet.key).pages)
