"""Pages composed on the grid: every kind, blank and key, as geometry; no kind takes more pages than it is known to."""

from dataclasses import replace

import pytest

from attnhand.layout.page import Layout, TextBox
from attnhand.layout.page_grid import PLACE_WIDTH, TYPE_WIDTH
from tests.pages.sheets import KINDS, OWNED_SHEET_MAKERS, SHEET_MAKERS, get_layouts, get_sheet

PAGE_COUNTS = {
    **dict.fromkeys(SHEET_MAKERS | OWNED_SHEET_MAKERS, 2),
    **dict.fromkeys(("challenge columns", "challenge rows", "block columns", "block rows", "elephant"), 3),
    **dict.fromkeys(("positions columns", "positions rows", "trace columns"), 3),
    **dict.fromkeys(("story columns", "story with places columns"), 3),
    **dict.fromkeys(("12 × 12 rows", "multi-head columns", "multi-head rows", "basic large columns"), 4),
    "12 × 12 columns": 5,
    **dict.fromkeys(("four heads columns", "heads in a block rows", "trace rows"), 6),
    **dict.fromkeys(("large columns", "block large rows"), 7),
    **dict.fromkeys(("large rows", "cross large rows", "owned large rows"), 9),
    **dict.fromkeys(("multi-head large columns", "embedded large rows"), 10),
}
"""How many pages the key of a kind takes at most."""


@pytest.mark.parametrize("name", KINDS)
def test_no_kind_is_longer_than_it_is_known_to_be(name: str) -> None:
    """Blank and key have as many pages, and words the grid's measures."""
    blank, key = get_layouts(get_sheet(name))
    assert [*find_off_grid(blank), *find_off_grid(key)] == []
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
