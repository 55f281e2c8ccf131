"""Pages composed on the grid: what its description promises, measured in ink, of every kind, blank and key."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from attnhand.api import generate
from attnhand.errors import PageError
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import GridBox, Item, Layout, RuleBox, TextBox
from attnhand.layout.typography import REGULAR_TYPOGRAPHY
from attnhand.problems.story_template import STORY_NAMES
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.options import Paper
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import to_unicode
from tests.breadth import choose, pair_up
from tests.pages.geometry import find_moved_grids, is_heading, list_grids
from tests.pages.measures import find_wrong_measures
from tests.pages.sheets import KINDS, OWNED_SHEET_MAKERS, SHEET_MAKERS, get_layouts, get_sheet

DATA = Path(__file__).parents[1] / "data"
PAPERS = (*Paper, "large print", "large print on letter")


def read_page_counts() -> dict[tuple[str, str, str], int]:
    """Return how many pages every kind takes, by its name, paper and language; 0 where no page holds it."""
    with (DATA / "page_counts.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return {(row["kind"], row["paper"], language): int(row[language]) for row in rows for language in LANGUAGES}


PAGE_COUNTS = read_page_counts()


def find_faults(sheet: Sheet) -> list[str]:
    """Return all in which blank and key of a sheet are not as promised."""
    found = []
    for face, layout in zip((sheet.blank, sheet.key), get_layouts(sheet), strict=True):
        found += find_wrong_measures(face, layout)
    return [*found, *find_moved_grids(*get_layouts(sheet))]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_keeps_the_measures(name: str) -> None:
    """Sizes of type, margins, columns, distances, whole softmaxes, few white pages; no kind is longer than it was."""
    sheet = get_sheet(name)
    assert find_faults(sheet) == []
    blank, key = get_layouts(sheet)
    paper = "large print" if sheet.options.large_print else sheet.options.paper
    assert len(blank.pages) == len(key.pages) == PAGE_COUNTS[name, paper, "en"]


VARIED: tuple[str, ...] = (
    *("classic columns", "classic rows", "challenge columns", "words rows", "basic columns", "cross rows"),
    *("causal columns", "multi-head columns", "multi-head rows", "block columns", "embedded rows", "positions columns"),
    *("exact column rows", "guide"),
)


def print_on(sheet: Sheet, paper: str, language: str) -> Sheet:
    """Return a sheet on another paper, in large print or not, and in another language."""
    is_large = paper.startswith("large print")
    size = Paper.LETTER if paper.endswith("letter") else Paper.A4
    return replace(sheet, options=replace(sheet.options, language=language, large_print=is_large, paper=size))


def count_pages(sheet: Sheet) -> int:
    """Return how many pages a key takes; 0 where no page holds it."""
    try:
        return len(lay_out(sheet.key).pages)
    except PageError:
        return 0


@pytest.mark.parametrize("name", choose(("warm-up columns",), tuple(OWNED_SHEET_MAKERS)))
def test_no_kind_is_longer_than_it_was(name: str) -> None:
    """On every paper and in every language; the next test counts the pages of all others."""
    sheet = get_sheet(name)
    expected = {key: count for key, count in PAGE_COUNTS.items() if key[0] == name}
    assert len(expected) == len(PAPERS) * len(LANGUAGES)
    assert {key: count_pages(print_on(sheet, *key[1:])) for key in expected} == expected


@pytest.mark.parametrize(
    ("name", "language", "paper"),
    [
        *pair_up(choose(VARIED[::2], tuple(SHEET_MAKERS)), [*LANGUAGES], PAPERS),
        *choose([("warm-up rows", "fr", "letter")], []),  # whose last words stand beside check sums
    ],
)
def test_measures_hold_in_every_language_and_on_every_paper(name: str, language: str, paper: str) -> None:
    """Only what is white and what is torn is not asked: large print has stages as high as a page."""
    sheet = print_on(get_sheet(name), paper, language)
    try:
        faults = find_faults(sheet)
    except PageError:
        assert PAGE_COUNTS[name, paper, language] == 0
        return
    assert len(get_layouts(sheet)[1].pages) == PAGE_COUNTS[name, paper, language]
    assert [fault for fault in faults if "empty" not in fault and "stand on page" not in fault] == []


@pytest.mark.parametrize(
    ("story", "language"), pair_up(choose(STORY_NAMES[::2], STORY_NAMES), choose([*LANGUAGES][::2], [*LANGUAGES]))
)
def test_stories_keep_the_measures(story: str, language: str) -> None:
    """Their words are longer than those of other sheets."""
    faults = find_faults(generate(7, story=story, language=language))
    assert [fault for fault in faults if "empty" not in fault] == []


def test_what_closes_a_story_stands_below_its_writing_line() -> None:
    """A last question shorter than the others, whose writing line stands as low as theirs."""
    assert find_faults(generate(16, story="swap")) == []


# planted faults


def change_items(change: Callable[[Item], Item]) -> tuple[Sheet, Layout]:
    """Return the classic key with what is printed on its first page changed."""
    sheet = get_sheet("classic columns").key
    layout = lay_out(sheet)
    first = replace(layout.pages[0], items=tuple(map(change, layout.pages[0].items)))
    return sheet, replace(layout, pages=(first, *layout.pages[1:]))


def change_grid(name: str, change: Callable[[GridBox], GridBox]) -> Callable[[Item], Item]:
    """Return what changes the worked grid of a name."""
    return lambda item: (
        change(item)
        if isinstance(item, GridBox) and to_unicode(item.grid.name) == name and item.grid.style is GridStyle.WORKED
        else item
    )


def move(item: GridBox, right: float, down: float = 0.0) -> GridBox:
    """Return a grid elsewhere."""
    return replace(item, box=item.box._replace(x=item.box.x + right, y=item.box.y + down))


def change_words(change: Callable[[TextBox], TextBox]) -> Callable[[Item], Item]:
    """Return what changes the words of every stage."""
    return lambda item: change(item) if isinstance(item, TextBox) and is_heading(item) else item


FAULTS: dict[str, tuple[Callable[[Item], Item], str]] = {
    "a narrower cell": (change_grid("scaled", lambda item: replace(item, cell_w=5.0)), "from its cell's edge"),
    "a lower cell": (change_grid("scaled", lambda item: replace(item, cell_h=4.5)), "from its cell's edge"),
    "beyond the margin": (change_grid("S", lambda item: move(item, 12.5)), "beyond the margin"),
    "near labels": (change_grid("S", lambda item: move(item, -3.0)), "from the line"),
    "a matrix near words": (change_grid("K", lambda item: move(item, -69.0, -20.0)), " from K"),
    "a line through words": (
        lambda item: replace(item, box=item.box._replace(y=item.box.y + 4.0)) if isinstance(item, RuleBox) else item,
        "goes through",
    ),
    "words on words": (change_grid("Q", lambda item: move(item, -120.0, -6.0)), " stands on "),
    "another measure": (
        change_words(lambda item: replace(item, box=item.box._replace(w=item.box.w + 0.5))),
        "words of 56.5 mm",
    ),
    "another column": (change_words(lambda item: replace(item, box=item.box._replace(x=item.box.x + 1))), "at 16.0"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_out_of_measure_is_seen(name: str) -> None:
    """Every distance once too small, every measure once another."""
    change, message = FAULTS[name]
    assert any(message in fault for fault in find_wrong_measures(*change_items(change)))


def test_another_size_of_type_is_seen() -> None:
    """Half a point is enough."""
    sheet, layout = change_items(lambda item: item)
    other = replace(REGULAR_TYPOGRAPHY, label_points=8.5)
    assert any("8.5 points" in fault for fault in find_wrong_measures(sheet, replace(layout, typography=other)))


def test_torn_softmaxes_and_white_pages_are_seen() -> None:
    """The weights on a page of their own, behind one that has hardly more than its head."""
    sheet = get_sheet("classic columns").key
    layout = lay_out(sheet)
    first, second = layout.pages
    weights = [item for item in list_grids(second) if to_unicode(item.grid.name) in ("A", "V", "Z")]
    rest = replace(second, items=tuple(item for item in second.items if item not in weights))
    thin = [item for item in first.items if item.box.y < 100 or item is first.items[-1]]
    pages = (
        replace(first, items=tuple(thin)),
        rest,
        replace(second, number=3, items=(*weights, second.items[-1])),
    )
    faults = find_wrong_measures(sheet, replace(layout, pages=pages))
    assert any("stand on page 2, A on page 3" in fault for fault in faults)
    assert any(fault.startswith("page 1 is") for fault in faults)
