"""Pages composed on the grid: every kind, blank and key, as geometry; no kind takes more pages than it is known to."""

from dataclasses import replace

import pytest

from attnhand.layout.page import Layout, TextBox
from attnhand.layout.page_grid import PLACE_WIDTH, TYPE_WIDTH
from tests.breadth import choose
from tests.pages import geometry
from tests.pages.sheets import OWNED_SHEET_MAKERS, SHEET_MAKERS, get_layouts, get_sheet

PAGE_COUNTS = {
    **dict.fromkeys(SHEET_MAKERS | OWNED_SHEET_MAKERS, 2),
    **dict.fromkeys(("challenge columns", "challenge rows", "block rows", "embedded columns"), 3),
    **dict.fromkeys(("positions columns", "positions rows", "trace columns", "story columns", "elephant"), 3),
    **dict.fromkeys(("story rows", "story with places columns"), 3),
    **dict.fromkeys(("multi-head columns", "multi-head rows", "block columns"), 4),
    **dict.fromkeys(("12 × 12 columns", "12 × 12 rows"), 5),
    "trace rows": 6,
    "basic large columns": 7,
    "four heads columns": 8,
    "heads in a block rows": 7,
    "large columns": 11,
    "large rows": 10,
    "owned large rows": 10,
    "cross large rows": 10,
    "multi-head large columns": 17,
    "block large rows": 14,
    "embedded large rows": 13,
}
"""How many pages the key of a kind takes at most."""

KINDS = choose(
    ("classic columns", "classic rows", "causal rows", "multi-head rows", "large columns", "embedded rows", "elephant"),
    tuple(PAGE_COUNTS),
)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_stands_on_the_grid(name: str) -> None:
    """Nothing overlaps, every cell is there once, blank and key are alike, and words have the grid's measures."""
    sheet = get_sheet(name)
    blank, key = get_layouts(sheet)
    assert list(geometry.find_moved_grids(blank, key)) == []
    for face, layout in ((sheet.blank, blank), (sheet.key, key)):
        assert list(geometry.find_overlaps(layout)) == []
        assert list(geometry.find_wrong_boxes(layout)) == []
        assert list(geometry.find_wrong_cells(face, layout)) == []
        assert list(geometry.find_lines_on_key(face, layout)) == []
        assert list(find_off_grid(layout)) == []
    assert len(blank.pages) == len(key.pages) <= PAGE_COUNTS[name]


def find_off_grid(layout: Layout) -> list[str]:
    """Name every stage's words that have another measure than a place or the page."""
    margin = max((layout.width - TYPE_WIDTH) / 2, 0.0) if layout.width < layout.height else 15.0
    found = []
    for page in layout.pages:
        for item in page.items:
            if isinstance(item, TextBox) and item.paragraphs[0].heading_level == 2:
                width = item.box.w
                if not any(abs(width - each) < 0.01 for each in (PLACE_WIDTH, TYPE_WIDTH, layout.width - 2 * margin)):
                    found.append(f"page {page.number}: words of {width:.1f} mm")
    return found


def test_words_of_another_measure_are_seen() -> None:
    """Half a millimetre is enough."""
    sheet = get_sheet("classic columns")
    blank, _ = get_layouts(sheet)
    assert find_off_grid(blank) == []
    items = tuple(
        replace(item, box=item.box._replace(w=item.box.w + 0.5)) if isinstance(item, TextBox) else item
        for item in blank.pages[0].items
    )
    moved = replace(blank, pages=(replace(blank.pages[0], items=items),))
    assert find_off_grid(moved)
