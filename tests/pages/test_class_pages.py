"""The pages of a class: quick keys at the same places sheet by sheet, and a cover that is filled."""

from itertools import pairwise

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.classroom.quick_key import QuickKey, make_quick_key
from attnhand.classroom.quick_key_pages import find_quick_key_columns, place_quick_key
from attnhand.layout.page import GridBox, Item, RuleBox, TextBox
from attnhand.layout.text_pages import PageSize, lay_out_page
from attnhand.layout.typography import MIN_POINTS, REGULAR_TYPOGRAPHY, SIDE_MARGIN
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.forms import FORMS
from tests.pages.geometry import find_boxes_outside_paper, find_long_numbers, find_overlaps

PAPERS = {"a4": PageSize(210.0, 297.0), "letter": PageSize(215.9, 279.4)}


def place(keys: list[QuickKey], sheet: Sheet, paper: PageSize) -> list[list[Item]]:
    """Return quick keys in their places, all at the top of a page."""
    room = paper.width - 2 * SIDE_MARGIN
    columns = find_quick_key_columns(keys, room, sheet.say)
    return [place_quick_key(key, "001 Ada", 11.0, room, columns, sheet.say) for key in keys]


def texts_of(items: list[Item]) -> list[TextBox]:
    """Return the boxes with words after the name."""
    return [item for item in items if isinstance(item, TextBox)][1:]


@pytest.mark.parametrize("paper", PAPERS)
def test_what_slips_leave_is_a_table(paper: str) -> None:
    """Cell, number and what was done stand in three columns, those of one sheet below those of the other."""
    sheets = [attnhand.generate(seed) for seed in range(7, 37)]
    keys = [make_quick_key(sheet) for sheet in sheets]
    placed = place(keys, sheets[0], PAPERS[paper])
    for key, items in zip(keys, placed, strict=True):
        texts = texts_of(items)
        words = ["".join(map(to_unicode, (paragraph.text for paragraph in item.paragraphs))) for item in texts]
        assert words[:3] == ["cell", "number", "what was done"]
        assert words[3:] == [part for each in key.slip_indicators for part in (each.cell, each.value, each.action)]
        lines = [texts[at : at + 3] for at in range(0, len(texts), 3)]
        assert all(len({item.box.y for item in line}) == 1 for line in lines)
        assert len({line[1].box.right for line in lines}) == 1  # numbers end at one place
        assert all(one[2].box.bottom <= other[0].box.y for one, other in pairwise(lines))
    for side in (0, 2):
        assert len({round(texts_of(items)[3 + side].box.x, 6) for items in placed}) == 1
    assert len({tuple(item.box.x for item in items if isinstance(item, GridBox)) for items in placed}) == 1


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", FORMS)
def test_quick_keys_of_every_form_fit(name: str, convention: Convention, paper: str) -> None:
    """Nothing overlaps or leaves the paper, and no number is too small to be read."""
    form = FORMS[name]
    sheets = [
        attnhand.generate(
            seed,
            mechanism=form.mechanism,
            heads=form.heads,
            causal=form.is_causal,
            convention=convention,
            words=form.embedded_words,
            embed=bool(form.embedded_words),
            positions=form.has_positions,
        )
        for seed in (3, 4, 5)
    ]
    for items in place([make_quick_key(sheet) for sheet in sheets], sheets[0], PAPERS[paper]):
        layout = lay_out_page(PAPERS[paper], items)
        assert [*find_boxes_outside_paper(layout), *find_overlaps(layout), *find_long_numbers(layout)] == []
        for box in (item for item in items if isinstance(item, GridBox)):
            numbers = (cell.number for row in box.grid.cells for cell in row if cell.number)
            least = min(box.find_number_percent(number, REGULAR_TYPOGRAPHY) for number in numbers)
            assert least * REGULAR_TYPOGRAPHY.cell_points / 100 >= MIN_POINTS
        assert any(isinstance(item, RuleBox) for item in items)
