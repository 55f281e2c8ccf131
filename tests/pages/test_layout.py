"""Pages as geometry: every size in its place, on both papers, in both conventions; nothing is drawn here."""

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from attnhand.api import generate, solve
from attnhand.attention.arithmetic import Rules
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS
from attnhand.errors import PageError
from attnhand.formats.pdf.draw_page import make_number_look
from attnhand.layout.lay_out import lay_out, lay_out_without_model
from attnhand.layout.page import Box, GridBox, Item, Layout, RuleBox, TextBox
from attnhand.layout.typography import MIN_POINTS, PAPER_SIZES, ParagraphStyle
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.story_template import STORY_NAMES
from attnhand.sheet.grids import Cell, GridStyle, select_rows_and_columns
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import SlotKind
from attnhand.text import LANGUAGES
from attnhand.text.widths import measure_width, to_unicode
from tests.breadth import choose, pair_up
from tests.pages import geometry
from tests.pages.geometry import find_moved_grids, find_page_faults, list_grids
from tests.pages.ink import measure_ink
from tests.pages.measures import find_wrong_measures, is_middle_in, list_cells
from tests.pages.sheets import (
    KINDS,
    LARGE_PRINT,
    SENTENCE,
    WORDS,
    get_layouts,
    get_sheet,
    give_sheet,
    make_own_sheet,
)

Size = tuple[int, int, int, int, Convention, Paper, bool]
"""Tokens, features, d_k, d_v; convention; paper; whether all queries are asked, however many there are."""

CORNERS = [(2, 1, 1, 1), (2, 12, 8, 8), (4, 6, 3, 3), (6, 1, 8, 1), (6, 12, 8, 8), (7, 1, 1, 8), (12, 1, 8, 1)]
CORNERS += [(12, 12, 1, 8), (12, 12, 8, 8)]


def list_sizes() -> list[Size]:
    """Return corners and middles of all sizes that there are, the same in every run."""
    rng = random.Random("sizes of sheets")
    corners = pair_up(CORNERS, [*Convention], [*Paper])
    found: list[Size] = [(*corner, convention, paper, False) for corner, convention, paper in corners]
    for _ in range(choose(3, 40)):
        tokens, features = rng.randint(2, 12), rng.randint(2, 12)
        d_k, d_v = rng.randint(1, 8), rng.randint(1, 8)
        every_query = tokens in (7, 8) and features < 9 and max(d_k, d_v) < 6
        found.append((tokens, features, d_k, d_v, rng.choice(list(Convention)), rng.choice(list(Paper)), every_query))
    return found


def make_sized_sheet(size: Size) -> Sheet:
    """Return a sheet of a size."""
    tokens, features, d_k, d_v, convention, paper, every_query = size
    options = PageOptions(paper=paper, only_queries=tuple(range(1, tokens + 1)) if every_query else None)
    return make_own_sheet(tokens, features, d_k, d_v, convention=convention, options=options)


def describe_size(size: Size) -> str:
    """Return the name of a size."""
    return f"{'×'.join(map(str, size[:4]))} {size[4]} {size[5]}{' all queries' * size[6]}"


def find_faults_of_both(sheet: Sheet) -> list[str]:
    """Return the faults of a blank sheet and of its key, and what stands in different places."""
    blank, key = get_layouts(sheet)
    found = [f"blank: {fault}" for fault in find_page_faults(sheet.blank, blank)]
    return [*found, *(f"key: {fault}" for fault in find_page_faults(sheet.key, key)), *find_moved_grids(blank, key)]


@pytest.mark.parametrize("size", list_sizes(), ids=describe_size)
def test_every_size_is_laid_out_well(size: Size) -> None:
    """On the paper, nothing overlapping, factors where the scheme wants them, every cell once; the key likewise."""
    assert find_faults_of_both(make_sized_sheet(size)) == []


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_sheet_is_laid_out_well(name: str) -> None:
    """Levels, large print, words, asked queries, an exact column, decimals.

    An exact value that does not fit its cell would be cut off: −0.50 would become −0.5 and lose its zero. In the file
    stands: instruction, left factor, top factor, product. A heading is nearer to its own grid than to the one above it,
    on the key, which says all that has a place.
    """
    sheet = get_sheet(name)
    assert find_faults_of_both(sheet) == []
    blank, key = get_layouts(sheet)
    for face, layout in ((sheet.blank, blank), (sheet.key, key)):
        assert list(geometry.find_long_numbers(layout)) == []
        assert list(geometry.find_wrong_order(face, layout)) == []
    assert list(geometry.find_loose_headings(key)) == []


@pytest.mark.parametrize(("mechanism", "convention"), pair_up([*MECHANISMS], [*Convention]))
def test_blank_and_key_of_small_sheets_are_alike(mechanism: str, convention: Convention) -> None:
    """Where a page has room to spare a line more on the key moves nothing: neither grids nor what is asked."""
    sheet = generate(7, mechanism=mechanism, level="warm-up", convention=str(convention))
    assert list(find_moved_grids(lay_out_without_model(sheet.blank), lay_out_without_model(sheet.key))) == []


@pytest.mark.parametrize(("decimals", "convention"), pair_up([1, 3, 6], [*Convention]))
def test_exact_values_of_any_precision_fit_their_cells(convention: Convention, decimals: int) -> None:
    """Up to six decimals can be asked for, on the key and for the exact column of a blank sheet."""
    options = PageOptions(show_exact=True)
    sheet = generate(7, convention=str(convention), rules=Rules(decimals=decimals), options=options)
    for layout in get_layouts(sheet):
        assert list(geometry.find_long_numbers(layout)) == []


@pytest.mark.parametrize("name", ["embedded columns", "embedded rows"])
def test_a_table_of_words_shows_its_words(name: str) -> None:
    """Beside its lines, whichever way they go: nobody could look a word up in lines that are called w₁, w₂."""
    for layout in get_layouts(get_sheet(name)):
        boxes = [item for page in layout.pages for item in page.items if isinstance(item, GridBox)]
        (table,) = (box for box in boxes if to_unicode(box.grid.name) == "table")
        words = {label.word for label in (*table.grid.rows, *table.grid.columns)} - {""}
        assert words == set(get_sheet(name).problem.words)
        assert table.has_wide_labels or not any(label.word for label in table.grid.rows)


MODEL_WORDS = (".", "dogs", "cats", "always", "never", "eat", "fish", "bones")
"""Of the language model whose parts are sheets."""


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"words": SENTENCE, "embed": True}, ("the", "cat", "saw", "dog")),
        ({"part": "words"}, MODEL_WORDS),
        ({"part": "without-network"}, MODEL_WORDS),
        ({"part": "learn"}, MODEL_WORDS),
    ],
    ids=["a sentence", "the first part", "what is read out", "what is learned"],
)
def test_large_print_says_which_letter_is_which_word(
    form: dict[str, Any], words: tuple[str, ...], convention: Convention
) -> None:
    """In its head, for beside the lines of a matrix there is room for the letters alone."""
    for layout in get_layouts(generate(7, convention=str(convention), options=LARGE_PRINT, **form)):
        texts = [text for item in layout.pages[0].items for text in geometry.list_paragraph_texts(item)]
        letters = [f"w{index} {word}" for index, word in zip("₁₂₃₄₅₆₇₈", words, strict=False)]
        assert " · ".join(letters) in [text.replace("\u00a0", " ") for text in texts]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_colours_mean_stands_behind_the_name_of_the_key(language: str) -> None:
    """In large print, where one name is as wide as half a line."""
    sheet = get_sheet("large columns")
    key = lay_out(replace(sheet, options=replace(sheet.options, language=language)).key)
    assert list(geometry.find_overlaps(key)) == []


# page counts and cell sizes


@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("level", ["warm-up", "standard"])
def test_a_sheet_is_one_leaf(level: str, convention: Convention, paper: Paper) -> None:
    """Warm-up and standard sheets take two pages, with every seed; so do their keys, with questions and without."""
    for seed in range(7, choose(8, 12)):
        for questions in choose(("few",), ("few", "none")):
            sheet = generate(
                seed, level=level, convention=str(convention), questions=questions, options=PageOptions(paper=paper)
            )
            page_counts = [len(layout.pages) for layout in get_layouts(sheet)]
            assert page_counts == [2, 2]


@pytest.mark.parametrize("convention", Convention)
def test_a_sheet_with_words_is_one_leaf(convention: Convention) -> None:
    """So is its key: words before its rows leave room for the heat maps beside the weights."""
    for seed in range(7, choose(8, 12)):
        sheet = generate(seed, words=WORDS, convention=str(convention))
        assert [len(layout.pages) for layout in get_layouts(sheet)] == [2, 2]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("paper", Paper)
def test_pages_are_as_large_as_their_paper(paper: Paper, convention: Convention) -> None:
    """Upright, whichever way tokens go."""
    upright = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}[paper]
    blank, _ = get_layouts(generate(7, convention=str(convention), options=PageOptions(paper=paper)))
    assert (blank.width, blank.height) == upright


def test_cells_of_the_classic_size_are_comfortable() -> None:
    """At least 11 × 8 mm on A4, and 10 mm high where fractions go."""
    sheet = get_sheet("classic columns")
    for layout in get_layouts(sheet):
        assert list(geometry.find_small_cells(layout, (11, 8))) == []
        assert list(geometry.find_small_fraction_cells(sheet, layout, (11, 10))) == []


@pytest.mark.parametrize(
    "name", choose(["multi-head rows"], ["multi-head rows", "multi-head columns", "heads in a block rows"])
)
def test_heads_stand_alike(name: str) -> None:
    """A stage of the second head stands as far from the edge as that of the first, in cells of the same size."""
    sheet = get_sheet(name)
    blank, _ = get_layouts(sheet)
    drawn = {
        stage.name: (round(item.box.x, 2), item.cell_w, item.cell_h)
        for page in blank.pages
        for item in list_grids(page)
        if (stage := geometry.find_stage(sheet, item.grid))
    }
    first = [stage.name for stage in sheet.problem.mechanism.stages if stage.head == 1 and stage.name in drawn]
    assert len(first) > 5
    assert [drawn[each] for each in first] == [drawn[each.replace("h1.", "h2.")] for each in first]


@pytest.mark.parametrize("form", [{"level": "challenge"}, {"level": "challenge", "convention": "rows"}], ids=str)
def test_questions_stand_on_the_page_of_what_they_ask(form: dict[str, Any]) -> None:
    """What is made of the weights goes with the questions where these find no room below all stages."""
    last = get_layouts(generate(7, **form))[0].pages[-1]
    names = [to_unicode(item.grid.name) for item in list_grids(last) if item.grid.style is GridStyle.WORKED]
    assert "Z" in names
    assert any("What does it show?" in text for item in last.items for text in geometry.list_paragraph_texts(item)[:1])


@pytest.mark.parametrize("part", ["head-1", "next-word", "word-after"])
def test_a_row_with_nothing_but_a_look_back_has_its_writing_line(part: str) -> None:
    """Three questions fill the row above: the line is on the page, and nothing is printed over it."""
    page = get_layouts(generate(2, part=part, language="de"))[0].pages[-1]
    (rule,) = (item.box for item in page.items if isinstance(item, RuleBox) and "Vermutung" in item.spoken_name)
    beside = [item.box for item in page.items if item.box.y <= rule.y <= item.box.bottom and item.box is not rule]
    assert not [box for box in beside if box.x < rule.right and box.right > rule.x]
    foot = page.items[-1].box
    assert foot.w > rule.w
    assert rule.y < foot.y


@pytest.mark.parametrize(
    "form",
    [
        {"heads": 2, "mechanism": "multi-head", "convention": "rows"},
        {"mechanism": "basic"},
        {"mechanism": "basic", "convention": "rows"},
    ],
    ids=str,
)
def test_weights_by_hand_and_exactly_stand_side_by_side(form: dict[str, Any]) -> None:
    """Where the last page of a key has room for heat maps, the two of a head stand on one line."""
    key = lay_out(generate(7, **form).key)
    maps = [(page, item) for page in key.pages for item in list_grids(page) if item.grid.style is GridStyle.HEAT]
    assert len(maps) == 2 * form.get("heads", 1)
    assert {page.number for page, _ in maps} == {len(key.pages)}
    for (_, by_hand), (_, exactly) in zip(maps[::2], maps[1::2], strict=True):
        assert by_hand.box.y == exactly.box.y
        assert by_hand.box.right < exactly.box.x


@pytest.mark.parametrize("name", KINDS)
def test_exact_values_stand_below_what_is_found_by_hand(name: str) -> None:
    """Wherever the shortcut changed a number of a stage the key has, cell by cell, the exact ones; else it has none."""
    sheet = get_sheet(name).key
    compared = 0
    for item in (item for page in get_layouts(sheet)[1].pages for item in list_grids(page)):
        for cell in (cell for row in item.grid.cells for cell in row if cell.address and item.exact_h):
            stage, _, place = cell.address.partition("[")
            i, j = (int(each) - 1 for each in place.rstrip("]").split(","))
            value = sheet.solution[stage].exact[i][j]
            shown = f"{cell.exact}".replace("−", "-")
            assert math.isinf(value) or abs(float(shown) - value) <= 0.5001 * 10**-sheet.problem.rules.decimals
            compared += 1
    assert bool(compared) is any(panel.has_exact_on_key for panel in build_panels(sheet).list_panels())


COLUMN_KINDS = [name for name in KINDS if "columns" in name and "large" not in name]


@pytest.mark.parametrize("name", COLUMN_KINDS)
def test_check_sums_stand_under_the_columns_they_add(name: str) -> None:
    """Right below their product, each in its column, added up from what is printed; their name is clear of words."""
    _, layout = get_layouts(get_sheet(name))
    count = 0
    for page in layout.pages:
        grids, words = list_grids(page), [item.box for item in page.items if isinstance(item, TextBox)]
        for sums in (item for item in grids if item.grid.style is GridStyle.CHECK_SUMS):
            places = [(item.box.x, item.box.bottom, item.cell_w) for item in grids]
            product_ = grids[places.index((sums.box.x, sums.box.y, sums.cell_w))]
            columns = zip(*([read_fraction(cell) for cell in row] for row in product_.grid.cells), strict=True)
            assert [read_fraction(cell) for cell in sums.grid.cells[0]] == [sum(column) for column in columns]
            width = measure_width(sums.grid.rows[0].letter, layout.typography.label_points)
            label = Box(sums.box.x + sums.header_w - width - 2, sums.box.y, width, sums.cell_h)
            assert not any(map(label.overlaps, words))
            count += 1
    mechanism = get_sheet(name).problem.mechanism
    assert count >= mechanism.head_count or not any(stage.product for stage in mechanism.stages)


def read_fraction(cell: Cell) -> Fraction:
    """Return what a cell prints as a number."""
    return Fraction(f"{cell.number}".replace("−", "-"))


@pytest.mark.parametrize("d_k", choose((1, 3, 4, 8), range(1, 9)))
def test_no_line_ends_inside_an_example_of_the_shortcut(d_k: int) -> None:
    """An arrow stands on the line of what it leads from and to."""
    layout = lay_out(generate(7, d_k=d_k).blank)
    lines = [
        to_unicode(line)
        for item in layout.pages[0].items
        if isinstance(item, TextBox)
        for paragraph in item.paragraphs
        for line in paragraph.break_lines(layout.typography, item.box.w)
    ]
    assert sum(line.count("→") for line in lines) == 4
    assert not [line for line in lines if line.startswith("→") or line.endswith("→")]


@pytest.mark.parametrize("name", ["classic columns", "causal columns", "block rows"])
def test_no_line_ends_inside_a_power(name: str) -> None:
    """The sign = stands on the line of what is before and behind it, in the list at the head of a page."""
    layout = lay_out(get_sheet(name).key)
    lines = [
        to_unicode(line)
        for page in layout.pages
        for item in page.items
        if isinstance(item, TextBox)
        for paragraph in item.paragraphs
        if paragraph.slot and paragraph.slot.kind is SlotKind.POWERS
        for line in paragraph.break_lines(layout.typography, item.box.w)
    ]
    assert len(lines) > 1
    assert not [line for line in lines if line.startswith("=") or line.endswith("=")]


def test_stages_come_in_the_order_of_need() -> None:
    """K, Q, S and scaled on page 1, the softmax with its sums, V and Z on page 2."""
    for name in ("classic columns", "classic rows"):
        blank, _ = get_layouts(get_sheet(name))
        stages = [
            [geometry.find_stage(get_sheet(name), item.grid) for item in list_grids(page)] for page in blank.pages
        ]
        assert [[stage.name for stage in page if stage] for page in stages] == [
            ["K", "Q", "S", "scaled"],
            ["powers", "A", "V", "Z"],
        ]
        powers = next(item for item in list_grids(blank.pages[1]) if to_unicode(item.grid.name) == "powers")
        assert "sums[1,1]" in geometry.list_addresses(powers.grid)


# queries


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("queries", [(1,), (4,), (2, 3), (1, 2, 4)], ids=str)
def test_some_queries_are_laid_out_well(queries: tuple[int, ...], convention: Convention) -> None:
    """Only their lines are drawn, K and V are printed, and as many cells are there as are told."""
    sheet = generate(7, convention=str(convention), options=PageOptions(only_queries=queries))
    assert find_faults_of_both(sheet) == []
    blank, _ = get_layouts(sheet)
    lines = {
        (item.grid.row_count if sheet.convention.is_rows else item.grid.column_count)
        for page in blank.pages
        for item in list_grids(page)
        if item.grid.style is GridStyle.WORKED
    }
    assert lines == {len(queries)}


# long numbers


def make_wide_sheet(entry: str, decimals: int = 2) -> Sheet:
    """Return a sheet whose V holds one long number, and whose scores are small."""
    eye = [[1, 0], [0, 1]]
    given = {"X": eye, "W_Q": eye, "W_K": eye, "W_V": [[entry, 0], [1, 1]]}
    return solve({"given": given, "rules": {"decimals": decimals}})


def list_printed_numbers(layout: Layout, stage: str) -> list[str]:
    """Return what the cells of a stage show."""
    return [
        str(cell.number)
        for page in layout.pages
        for item in list_grids(page)
        for row in item.grid.cells
        for cell in row
        if cell.address.startswith(f"{stage}[")
    ]


def test_a_long_fraction_is_printed_as_a_decimal() -> None:
    """With more than three digits above or below the line; the shorter ones stay fractions."""
    key = get_layouts(make_wide_sheet("1/1024"))[1]
    assert list_printed_numbers(key, "V") == ["≈0.00", "0", "1", "1"]
    assert list_printed_numbers(get_layouts(make_wide_sheet("1/999"))[1], "V") == ["1/999", "0", "1", "1"]
    assert list_printed_numbers(get_layouts(make_wide_sheet("-1234/7", 3))[1], "V")[0] == "≈−176.286"


@pytest.mark.parametrize("entry", ["1/1024", "-1234/7", "9999", "-9998.99"])
def test_long_numbers_are_laid_out_well(entry: str) -> None:
    """Cells widen until they hold them."""
    assert find_faults_of_both(make_wide_sheet(entry)) == []


def test_every_number_has_room() -> None:
    """A value too wide for its cell is set smaller; where that does not do, cells are wider."""
    for entry, name in (("-9998.99", ""), ("9999/7", ""), ("", "guide"), ("", "challenge rows")):
        sheet = make_wide_sheet(entry, 6) if entry else get_sheet(name)
        layout = get_layouts(sheet)[1]
        steps = [
            item.find_number_step(cell.number, layout.typography)
            for page in layout.pages
            for item in geometry.list_factors(page)
            for row in item.grid.cells
            for cell in row
            if cell.number
        ]
        assert steps
        assert None not in steps


@pytest.mark.parametrize("name", ["12 × 12 rows", "multi-head columns", "window rows", "large rows"])
def test_hand_values_are_set_as_large_as_their_cells_allow(name: str) -> None:
    """One step larger, a value that is set smaller leaves its cell."""
    layout = get_layouts(get_sheet(name))[1]
    sizes, smaller_count = layout.typography.number_sizes, 0
    for item in (item for page in layout.pages for item in geometry.list_factors(page)):
        # without the border and what browsers take, the decimal behind it, and the exact value below it
        room = (item.cell_w - item.decimal_w - 1.6, item.cell_h - item.exact_h - 1.25)
        for number in (cell.number for row in item.grid.cells for cell in row if cell.number):
            number = number if item.has_notes_below else replace(number, note="")
            step = item.find_number_step(number, layout.typography)
            assert step is not None
            measured = geometry.measure_printed_size(number, sizes[step])
            assert all(needed <= free + 1e-5 for needed, free in zip(measured, room, strict=True))
            if step:
                smaller_count += 1
                larger = geometry.measure_printed_size(number, sizes[step - 1])
                assert any(needed > free for needed, free in zip(larger, room, strict=True))
    assert (smaller_count > 0) is (name == "12 × 12 rows")


@pytest.mark.parametrize("name", dict.fromkeys((*KINDS, "without a head columns")))  # there fractions are given
def test_fractions_and_their_notes_are_legible(name: str) -> None:
    """Above and below the line at least 8 points, unless a cell is too narrow for the number."""
    layout = get_layouts(get_sheet(name))[1]
    fractions = [
        (item, cell.number)
        for page in layout.pages
        for item in geometry.list_factors(page)
        for row in item.grid.cells
        for cell in row
        if cell.number and cell.number.is_fraction
    ]
    sizes = layout.typography.number_sizes
    for item, number in fractions:
        step = item.find_number_step(number, layout.typography)
        assert step is not None
        smallest = next(size for size in reversed(sizes) if size.part >= MIN_POINTS)
        if geometry.measure_printed_size(number, smallest)[0] <= item.cell_w - 1.6 - item.decimal_w:
            assert sizes[step].part >= MIN_POINTS


@pytest.mark.parametrize("convention", Convention)
def test_what_no_page_can_hold_is_refused(convention: Convention) -> None:
    """In one sentence with the remedy, naming the sizes and the paper."""
    every_query = PageOptions(only_queries=tuple(range(1, 13)))
    sheet = make_own_sheet(12, 12, 8, 8, convention=convention, options=every_query)
    for each in (sheet.blank, sheet.key):
        with pytest.raises(PageError) as refusal:
            lay_out(each)
        assert "cannot be printed legibly on A4" in str(refusal.value)
        assert "choose smaller sizes" in str(refusal.value)


# large print


@pytest.mark.parametrize("convention", Convention)
def test_large_print_is_large(convention: Convention) -> None:
    """Words of 18 points, numbers of 20, exact values and marks of 14; both factors beside every product."""
    sheet = generate(7, convention=str(convention), options=LARGE_PRINT)
    for layout in get_layouts(sheet):
        type_ = layout.typography
        assert min(type_.paragraph_points.values()) >= 14
        assert min(type_.paragraph_points[ParagraphStyle.BODY], type_.label_points) >= 18
        assert type_.cell_points >= 20
        assert list(geometry.find_misplaced_factors(sheet, layout)) == []


@pytest.mark.parametrize(("convention", "paper"), [*product(Convention, Paper)])
def test_large_print_fits_every_size_up_to_its_largest(convention: Convention, paper: Paper) -> None:
    """2 to 5 tokens, 1 to 8 features, d_k and d_v of 1 to 4: each is laid out, and well."""
    wrong = {}
    for size in (*pair_up((2, 3, 4, 5), (1, 2, 3, 6, 8), (1, 2, 3, 4), (1, 3, 4)), (5, 8, 4, 4)):
        try:
            options = replace(LARGE_PRINT, paper=paper)
            found = find_faults_of_both(make_own_sheet(*size, convention=convention, options=options))
        except PageError as refusal:
            found = [str(refusal)]
        if found:
            wrong[size] = found[0]
    assert wrong == {}


@pytest.mark.parametrize("level", ["warm-up", "standard"])
@pytest.mark.parametrize("convention", Convention)
def test_large_print_has_room_for_words(convention: Convention, level: str) -> None:
    """Words on the rows grow with the type."""
    words = ("This", "is", "a", "book")[: 3 if level == "warm-up" else 4]
    assert (
        find_faults_of_both(generate(3, level=level, words=words, convention=str(convention), options=LARGE_PRINT))
        == []
    )


@pytest.mark.parametrize(("convention", "paper"), [*product(Convention, Paper)])
@pytest.mark.parametrize("size", [(6, 12, 8, 8), (12, 12, 8, 8)], ids=str)
def test_what_large_print_cannot_hold_is_refused(
    size: tuple[int, int, int, int], convention: Convention, paper: Paper
) -> None:
    """The refusal names the paper and the largest size."""
    with pytest.raises(PageError) as refusal:
        lay_out(make_own_sheet(*size, convention=convention, options=replace(LARGE_PRINT, paper=paper)))
    assert f"does not fit {paper.name if paper is Paper.A4 else paper.value.capitalize()}" in str(refusal.value)
    assert "large print reaches 5 tokens with 8 features and d_k, d_v of 4" in str(refusal.value)


@pytest.mark.parametrize(
    ("part", "convention", "paper", "language"), pair_up([*MODEL_PARTS], [*Convention], [*Paper], [*LANGUAGES])
)
def test_every_part_of_a_model_has_large_print(part: str, convention: Convention, paper: Paper, language: str) -> None:
    """Also on a student's copy, whose № and code take room: matrices are as high as a page, for eight words."""
    options = replace(LARGE_PRINT, paper=paper, language=language)
    sheet = generate(2, part=part, convention=str(convention), options=options)
    assert find_faults_of_both(sheet) == []
    own = give_sheet(sheet, 112, "Ada Lovelace")
    for face, layout in zip((own.blank, own.key), get_layouts(own), strict=True):
        assert layout.typography.cell_points >= 20
        faults = find_wrong_measures(face, layout)
        assert [fault for fault in faults if "empty" not in fault and "stand on page" not in fault] == []


@pytest.mark.parametrize("part", ["without-head-1", "without-head-2", "stream"])
def test_given_fractions_of_large_print_are_as_large_as_its_smallest_words(part: str) -> None:
    """−45/46 among what is handed over of the heads: its numbers have 14 points, as marks have."""
    key = lay_out(generate(2, part=part, options=LARGE_PRINT).key)
    points = []
    for page, ink in zip(key.pages, measure_ink(key), strict=True):
        given = [cell for cell, item, _ in list_cells(page) if to_unicode(item.grid.name) == "concat"]
        points += [each.points for each in ink.letters if any(is_middle_in(cell, each.box) for cell in given)]
    assert len(points) > 4  # of one number each, of a fraction two
    assert min(points) >= 14 - 0.01


def test_a_part_that_no_page_holds_names_only_what_a_part_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sizes and its queries are its own: nobody is told to choose others."""
    monkeypatch.setitem(PAPER_SIZES, Paper.A4, (210.0, 120.0))
    with pytest.raises(PageError) as refusal:
        lay_out_without_model(generate(5, part="learn", options=LARGE_PRINT).key)
    assert "leave out `large_print=`" in str(refusal.value)
    assert not re.search(r"level|only_queries|smaller", str(refusal.value))


@pytest.mark.parametrize("part", ["next-word", "learn", "word-after"])
def test_words_of_large_print_stand_beside_what_is_as_high_as_a_page(part: str) -> None:
    """The powers of all words are on one upright page with their words, which end left of them."""
    key = lay_out(generate(7, part=part, options=LARGE_PRINT).key)
    assert key.width < key.height
    (page,) = (page for page in key.pages if any("p[1,1]" in geometry.list_addresses(g.grid) for g in list_grids(page)))
    (words,) = (item for item in page.items if geometry.is_heading(item) and "Softmax" in str(item))
    high = [item for item in list_grids(page) if item.box.h > key.height / 2]
    assert len(high) == 2
    assert all(item.box.y < words.box.bottom and item.box.x > words.box.right for item in high)


# the faults themselves: each guard is seen to fail


def break_grid(change: Callable[[GridBox], GridBox], stage: str = "S") -> Layout:
    """Return the classic key with one product's grid changed."""
    layout = get_layouts(get_sheet("classic columns"))[1]

    def change_grid(item: Item) -> Item:
        at = isinstance(item, GridBox) and geometry.list_addresses(item.grid)[:1] == [f"{stage}[1,1]"]
        return change(item) if isinstance(item, GridBox) and at else item

    pages = tuple(replace(page, items=tuple(change_grid(item) for item in page.items)) for page in layout.pages)
    return replace(layout, pages=pages)


def shift_grid(item: GridBox, x: float, y: float) -> GridBox:
    """Return a grid some millimetres further right and down."""
    return replace(item, box=Box(item.box.x + x, item.box.y + y, item.box.w, item.box.h))


def test_a_grid_off_its_place_is_seen() -> None:
    """Half a millimetre right: no longer in line; far right: off the paper; up: over its neighbour."""
    sheet = get_sheet("classic columns").key
    blank = get_layouts(sheet)[0]
    assert any(
        "not in line" in fault for fault in find_page_faults(sheet, break_grid(lambda item: shift_grid(item, 0.5, 0)))
    )
    assert any(
        "leaves the paper" in fault
        for fault in find_page_faults(sheet, break_grid(lambda item: shift_grid(item, 99, 0)))
    )
    assert any(
        "overlap by" in fault for fault in find_page_faults(sheet, break_grid(lambda item: shift_grid(item, 0, -19)))
    )
    assert any(
        "on the blank, at" in fault
        for fault in find_moved_grids(blank, break_grid(lambda item: shift_grid(item, 0.1, 0)))
    )
    assert not list(find_moved_grids(blank, break_grid(lambda item: shift_grid(item, 0.04, 0))))


def test_wrong_cells_are_seen() -> None:
    """A row lost, a row twice, an address on a copy, cells too small."""
    sheet = get_sheet("classic columns").key

    def with_rows(*rows: int) -> Layout:
        return break_grid(lambda item: replace(item, grid=select_rows_and_columns(item.grid, rows, None)))

    assert "S[1,1] is missing" in find_page_faults(sheet, with_rows(1, 2, 3))
    assert "S[1,1] is there 2 times" in find_page_faults(sheet, with_rows(0, 0, 1, 2, 3))
    as_copy = break_grid(lambda item: replace(item, grid=replace(item.grid, style=GridStyle.COPY)))
    assert any("S[1,1] has Cell(" in fault for fault in find_page_faults(sheet, as_copy))
    assert any(
        "has cells of 6.5 × " in fault
        for fault in find_page_faults(sheet, break_grid(lambda item: replace(item, cell_w=6.5)))
    )


def test_other_faults_are_seen() -> None:
    """A number cut off, a name over a label, an order upside down, a factor on another page."""
    sheet = get_sheet("classic columns").key
    layout = get_layouts(sheet)[1]
    exact = next(item for item in list_grids(layout.pages[1]) if item.exact_h)
    narrow = replace(layout, pages=(replace(layout.pages[1], items=(replace(exact, cell_w=0.5),)),))
    assert list(geometry.find_long_numbers(narrow))
    backwards = tuple(replace(page, items=page.items[::-1]) for page in layout.pages)
    assert list(geometry.find_wrong_order(sheet, replace(layout, pages=backwards)))
    pages = tuple(
        replace(
            page, items=tuple(i for i in page.items if not isinstance(i, GridBox) or i.grid.style is GridStyle.WORKED)
        )
        for page in layout.pages
    )
    assert any(
        "no left factor" in fault for fault in geometry.find_misplaced_factors(sheet, replace(layout, pages=pages))
    )
    narrow = break_grid(lambda item: replace(item, cell_w=2.0), "powers")
    assert any("a label is printed over another" in fault for fault in geometry.find_overprints(narrow))
    near = break_grid(lambda item: shift_grid(item, -48, 0), "powers")
    assert any("powers[1,1] is printed over TextBox" in fault for fault in geometry.find_overprints(near))
    text = next(
        item for item in layout.pages[0].items if isinstance(item, TextBox) and item.paragraphs[0].heading_level == 2
    )
    first = geometry.list_factors(layout.pages[0])[0]
    raised = tuple(
        replace(item, box=item.box._replace(x=140.0, y=first.box.bottom + 0.5)) if geometry.is_heading(item) else item
        for item in layout.pages[0].items
    )
    assert list(geometry.find_loose_headings(replace(layout, pages=(replace(layout.pages[0], items=raised),))))
    grid = next(item for item in list_grids(layout.pages[0]) if item.grid.style is GridStyle.WORKED)
    flush = replace(text, box=Box(grid.box.right, grid.box.y, 9, 9))
    assert list(geometry.find_tight_texts(replace(layout, pages=(replace(layout.pages[0], items=(grid, flush)),))))
    low = replace(text, box=text.box._replace(y=200.0))
    swap = replace(layout, pages=(replace(layout.pages[0], items=(low, *layout.pages[0].items)),))
    assert len(list(geometry.find_late_headings(swap))) == 1
    blank = get_layouts(sheet)[0]
    assert len(list(geometry.find_stray_mark_boxes(sheet, blank))) == 9
    inside = replace(next(item for item in blank.pages[0].items if geometry.is_mark_box(item)), box=Box(20, 120, 9, 50))
    strayed = replace(blank, pages=(replace(blank.pages[0], items=(*blank.pages[0].items, inside)),))
    assert any("outer edge" in fault for fault in geometry.find_stray_mark_boxes(sheet.blank, strayed))
    rule = next(item for item in get_layouts(sheet)[0].pages[0].items if isinstance(item, RuleBox))
    short = replace(layout, pages=(replace(layout.pages[0], items=(replace(rule, box=rule.box._replace(w=2.0)),)),))
    assert len(list(geometry.find_short_rules(short))) == 1
    alone = replace(text, paragraphs=text.paragraphs[:1])
    lonely = replace(layout, pages=(replace(layout.pages[0], items=(alone,)),))
    assert len(list(geometry.find_lonely_headings(lonely))) == 1


@pytest.mark.parametrize(
    "options", [{}, {"large_print": True, "level": "warm-up"}, {"tokens": 12, "trace": 3}], ids=str
)
def test_a_trace_comes_first(options: dict[str, Any]) -> None:
    """Below the head of the first page, what is worked there in red on the key; the sheet follows."""
    sheet = generate(7, **({"trace": 2} | options))
    blank, key = lay_out(sheet.blank), lay_out(sheet.key)
    headings = [
        to_unicode(paragraph.text)
        for page in key.pages
        for item in page.items
        if isinstance(item, TextBox)
        for paragraph in item.paragraphs
        if paragraph.heading_level == 2
    ]
    assert headings[0].startswith("The journey of q")
    assert headings[1].startswith("1")
    assert not list(find_moved_grids(blank, key))
    worked = [item for item in list_grids(key.pages[0]) if item.grid.style is GridStyle.WORKED]
    colours = {
        make_number_look(cell, item, key.typography).colour
        for item in worked
        for row in item.grid.cells
        for cell in row
    }
    assert colours == {"red"}


@pytest.mark.parametrize("convention", Convention)
def test_a_mistake_to_find_is_asked_first_and_corrected_last(convention: Convention) -> None:
    """The task stands above the first grid; in the end there is an empty grid for every stage, right or wrong.

    The key has those that the mistake changed, in red and where the blank has them.
    """
    sheet = generate(7, convention=str(convention), options=PageOptions(mistake="truncated"))
    blank, key = lay_out(sheet.blank), lay_out(sheet.key)
    for layout, begin in ((blank, "Find the mistake."), (key, "The mistake:")):
        texts = [item for item in layout.pages[0].items if isinstance(item, TextBox)]
        (task,) = (item for item in texts if to_unicode(item.paragraphs[0].text).startswith(begin))
        assert task.box.bottom < min(item.box.y for item in list_grids(layout.pages[0]))
    before = [replace(layout, pages=layout.pages[:-1]) for layout in (blank, key)]
    assert not list(find_moved_grids(*before))
    places = {to_unicode(item.grid.name): item.box for item in list_grids(blank.pages[-1])}
    assert all(places[to_unicode(item.grid.name)] == item.box for item in list_grids(key.pages[-1]))
    corrected = {
        to_unicode(item.grid.name): [[str(cell.number or "") for cell in row] for row in item.grid.cells]
        for item in list_grids(key.pages[-1])
    }
    assert (asked := list(places)) == ["Q", "K", "V", "S", "scaled", "powers", "Σ", "A", "Z"]
    assert list(corrected) == asked[4:]
    assert {
        make_number_look(cell, item, key.typography).colour
        for item in list_grids(key.pages[-1])
        for row in item.grid.cells
        for cell in row
    } == {"red"}
    assert corrected["scaled"] == [
        [str(value).replace("-", "−") for value in row] for row in sheet.solution["scaled"].hand
    ]
    assert all(all(map(all, rows)) for rows in corrected.values())
    assert not any(cell.number for item in list_grids(blank.pages[-1]) for row in item.grid.cells for cell in row)


@pytest.mark.parametrize(
    "kind",
    [
        {"mechanism": "block"},
        {"words": SENTENCE[:3], "positions": True},
        {},
        {"mechanism": "block", "residual": True, "norm": "rms"},
        {"part": "write-on"},
    ],
    ids=str,
)
@pytest.mark.parametrize("convention", Convention)
def test_a_page_asks_for_every_copy(convention: Convention, kind: dict[str, Any]) -> None:
    """Who meets an empty dashed grid reads on that page what to copy into it; what is to be copied has a grid."""
    for page in lay_out(generate(7, convention=str(convention), **kind).blank).pages:
        words = " ".join(
            to_unicode(each.text) for item in page.items if isinstance(item, TextBox) for each in item.paragraphs
        )
        names = [to_unicode(item.grid.name) for item in list_grids(page) if item.grid.style is GridStyle.COPY]
        for name in names:
            assert f"Copy {name}." in words or f"{re.sub('⁽.⁾', '', name)}: copy " in words
        assert {*re.findall(r"Copy (\S+)\.", words)} <= {*names}


WIDE_WORDS = ("garden", "de", Convention.ROWS)
"""A story with two long names of features side by side over a copy, and over nothing else on its page."""


@pytest.mark.parametrize(
    ("name", "language", "convention"),
    [*pair_up(choose(STORY_NAMES[1::2], STORY_NAMES), [*LANGUAGES], [*Convention]), *choose([WIDE_WORDS], [])],
)
def test_no_word_of_a_story_is_left_out(name: str, language: str, convention: Convention) -> None:
    """Words stand at rows or columns on each page that has their letters, or are named at the top of the first."""
    layout = lay_out(generate(1, story=name, convention=convention, language=language).blank)
    named = " ".join(text for item in layout.pages[0].items for text in geometry.list_paragraph_texts(item))
    found = set[str]()
    for page in layout.pages:
        shown, wanted = {named.replace("\N{NO-BREAK SPACE}", " ")}, set()
        for item in list_grids(page):
            rows = {(label, item.has_wide_labels) for label in item.grid.rows}
            columns = {
                (label, bool(item.break_word(at, layout.typography))) for at, label in enumerate(item.grid.columns)
            }
            for label, is_shown in rows | columns:
                if label.word:
                    wanted.add(label.word.replace("\N{NO-BREAK SPACE}", " "))
                    shown |= {label.word.replace("\N{NO-BREAK SPACE}", " ")} if is_shown else set()
        found |= wanted
        assert [word for word in wanted if not any(word in text for text in shown)] == []
    assert found


@pytest.mark.parametrize("language", choose([*LANGUAGES][:3], LANGUAGES))
def test_how_to_mask_is_said_over_no_other_matrix(language: str) -> None:
    """It stands at the left, or over what it makes: not over scaled, which stands beside."""
    layout = lay_out(generate(7, causal=True, language=language))
    boxes = [item for page in layout.pages for item in page.items if isinstance(item, TextBox)]
    (words,) = (box for box in boxes if any(to_unicode(each.text).startswith("−∞") for each in box.paragraphs))
    boxes_of = {item.grid.cells[0][0].address: item.box for page in layout.pages for item in list_grids(page)}
    scaled = boxes_of["scaled[1,1]"]
    assert words.box.right <= scaled.x or words.box.x >= scaled.right


BLOCK = {"mechanism": "block", "residual": True, "norm": "rms"}


@pytest.mark.parametrize(
    ("options", "heading", "does"),
    [
        ({"positions": "distance"}, "Mask", "Copy the rest."),
        ({"mechanism": "backward"}, "Back through the scaling", "nothing is rounded."),
        ({"causal": True, "sink": 1}, "Mask", "Copy the rest."),
        ({"mechanism": "backward", "convention": "rows"}, "Back through the scaling", "nothing is rounded."),
        ({**BLOCK, "convention": "rows"}, "Scale", "rounded down"),
    ],
)
def test_a_stage_beside_another_says_in_one_place_what_it_is_and_what_to_do(
    options: dict[str, Any], heading: str, does: str
) -> None:
    """Its instruction over its grid, with its heading far below, was read before the stage that it goes on from."""
    boxes = [
        item
        for page in get_layouts(generate(43, **options))[0].pages
        for item in page.items
        if isinstance(item, TextBox)
    ]
    texts = [" ".join(to_unicode(paragraph.text) for paragraph in box.paragraphs) for box in boxes]
    (told,) = (text for text in texts if heading in text)
    assert told.index(heading) < told.index(does)
