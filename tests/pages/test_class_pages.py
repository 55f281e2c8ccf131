"""The pages of a class: quick keys at the same places sheet by sheet, and a cover that is filled."""

import io
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader

import attnhand
from attnhand.attention.convention import Convention
from attnhand.classroom.quick_key import QuickKey, make_quick_key
from attnhand.classroom.quick_key_pages import find_quick_key_columns, place_quick_key
from attnhand.layout.cover_page import Cover, lay_out_cover
from attnhand.layout.page import GridBox, Item, RuleBox, TextBox
from attnhand.layout.text_pages import PageSize, lay_out_page
from attnhand.layout.typography import MIN_POINTS, REGULAR_TYPOGRAPHY, SIDE_MARGIN
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.breadth import choose, pair_up
from tests.forms import FORMS, SOME_FORMS
from tests.marking.handing_in import make_answer_file, write_key
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
    sheets = [attnhand.generate(seed) for seed in range(7, choose(17, 37))]
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


@pytest.mark.parametrize(("name", "convention", "paper"), pair_up(SOME_FORMS, [*Convention], [*PAPERS]))
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
    keys = [make_quick_key(sheet) for sheet in sheets]
    for key, items in zip(keys, place(keys, sheets[0], PAPERS[paper]), strict=True):
        layout = lay_out_page(PAPERS[paper], items)
        assert [*find_boxes_outside_paper(layout), *find_overlaps(layout), *find_long_numbers(layout)] == []
        for box in (item for item in items if isinstance(item, GridBox)):
            numbers = (cell.number for row in box.grid.cells for cell in row if cell.number)
            for number in numbers:
                step = box.find_number_step(number, REGULAR_TYPOGRAPHY)
                assert step is not None
                size = REGULAR_TYPOGRAPHY.number_sizes[step]
                assert (size.part if number.is_fraction else size.whole) >= MIN_POINTS
        assert any(isinstance(item, RuleBox) for item in items) is bool(key.slip_indicators)
        assert bool(key.slip_indicators) is not bool(form.blocks)  # block by block no stage has what slips show in


SECTIONS = (
    ("How to print", ("Paper: A4, portrait.", "Sides: one. (Made with --duplex, every sheet begins on a new leaf.)")),
    ("How to hand out", ("Everybody gets a sheet.", "Own numbers: neighbours compare ways of working, not results.")),
)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("size", [5, 30, 100, 240])
def test_a_cover_is_filled_and_lists_everybody(size: int, is_named: bool, paper: str) -> None:
    """One page: who is in the pile, or a line for whoever gets the sheet; nothing overlaps, and names are legible."""
    names = tuple(f"{number:03d}" + " Ada Lovelace" * is_named for number in range(1, size + 1))
    cover = Cover(
        title="Self-attention by hand",
        subtitles=(f"Sheets: {size}.", "2 pages each."),
        sections=SECTIONS,
        names_heading="In this order",
        names=names,
        are_names_to_write=not is_named,
    )
    (layout,) = lay_out_cover(PAPERS[paper], cover)
    if size == 240 and not is_named:  # no room to write: a title page
        assert max(item.box.bottom for item in layout.pages[0].items) > layout.height * 0.4
        return
    assert [*find_boxes_outside_paper(layout), *find_overlaps(layout)] == []
    texts = [item for item in layout.pages[0].items if isinstance(item, TextBox)]
    words = [to_unicode(paragraph.text) for item in texts for paragraph in item.paragraphs]
    assert [word for word in words if word in names] == list(names)
    assert "Paper:" in words
    assert "Own numbers: neighbours compare ways of working, not results." in words
    assert max(item.box.bottom for item in layout.pages[0].items) > layout.height * (0.3 if size == 5 else 0.55)
    assert min(layout.typography.paragraph_points.values()) >= MIN_POINTS
    rules = [item for item in layout.pages[0].items if isinstance(item, RuleBox)]
    assert len(rules) == 3 + size * (not is_named)


def test_what_is_too_long_for_a_cover_takes_more_pages() -> None:
    """Numbers of a huge class: nothing is lost."""
    long = "Not in this file: № " + ", ".join(map(str, range(1, 4000, 2)))
    cover = Cover(title="A", subtitles=(long,) * 2, sections=SECTIONS, names_heading="In this order", names=())
    layouts = list(lay_out_cover(PAPERS["a4"], cover))
    assert len(layouts) > 1


def test_a_printed_summary_leaves_no_page_half_empty(browser: Browser, tmp_path: Path) -> None:
    """Maps of wrong cells begin below the slips, on whatever paper, and go on overleaf."""
    folder = tmp_path / "answers"
    folder.mkdir()
    for seed in range(500, 512):
        sheet = attnhand.generate(seed, mechanism="multi-head")
        rows = write_key(sheet)
        for number, stage in enumerate(rows.values()):
            stage[0][number % len(stage[0])] = "77"
        (folder / f"{seed}.json").write_text(make_answer_file(sheet, rows), encoding="utf-8")
    files = dict(attnhand.grade(str(folder)).render_files())
    (tmp_path / "summary.html").write_bytes(files["summary.html"])
    page = browser.new_page()
    page.goto((tmp_path / "summary.html").as_uri())
    printed = PdfReader(io.BytesIO(page.pdf(format="A4", prefer_css_page_size=True)))
    page.close()
    assert len(printed.pages) == 2
    assert all(text in printed.pages[0].extract_text() for text in ("Scores", "Cells most often wrong"))
