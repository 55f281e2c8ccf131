"""Pages as geometry: every size in its place, on both papers, in both conventions; nothing is drawn here."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, product
from typing import Any

import pytest

from attnhand.api import generate, solve
from attnhand.attention.arithmetic import Rules
from attnhand.attention.mechanisms import Convention
from attnhand.errors import PageError
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Box, GridBox, Item, Layout, TextBox
from attnhand.layout.typography import MARGIN, Set, Typography
from attnhand.sheet.grids import Look, picked
from attnhand.sheet.make import sheet_from_problem
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain
from tests.building import CLASSIC, problem_of
from tests.pages import geometry
from tests.pages.geometry import faults, grids, moved
from tests.pages.sheets import LARGE, MADE, laid_out, own, sheet

Size = tuple[int, int, int, int, Convention, Paper, bool]
"""Tokens, features, d_k, d_v; convention; paper; whether all queries are asked, however many there are."""

CORNERS = [(2, 1, 1, 1), (2, 12, 8, 8), (4, 6, 3, 3), (6, 1, 8, 1), (6, 12, 8, 8), (7, 1, 1, 8), (12, 1, 8, 1)]
CORNERS += [(12, 12, 1, 8), (12, 12, 8, 8)]


def sizes() -> list[Size]:
    """Return corners and middles of all sizes that there are, the same in every run."""
    rng = random.Random("sizes of sheets")
    found: list[Size] = [(*c, convention, paper, False) for c, convention, paper in product(CORNERS, Convention, Paper)]
    for _ in range(64):
        tokens, features = rng.randint(2, 12), rng.randint(2, 12)
        d_k, d_v = rng.randint(1, 8), rng.randint(1, 8)
        every_query = tokens in (7, 8) and features < 9 and max(d_k, d_v) < 6
        found.append((tokens, features, d_k, d_v, rng.choice(list(Convention)), rng.choice(list(Paper)), every_query))
    return found


def sized(size: Size) -> Sheet:
    """Return a sheet of a size."""
    tokens, features, d_k, d_v, convention, paper, every_query = size
    options = PageOptions(paper=paper, queries=tuple(range(tokens)) if every_query else None)
    return own(tokens, features, d_k, d_v, convention=convention, options=options)


def told(size: Size) -> str:
    """Return the name of a size."""
    return f"{'×'.join(map(str, size[:4]))} {size[4]} {size[5]}{' all queries' * size[6]}"


def of_both(made: Sheet) -> list[str]:
    """Return the faults of a blank sheet and of its key, and what stands in different places."""
    blank, key = laid_out(made)
    found = [f"blank: {fault}" for fault in faults(made.blank, blank)]
    return [*found, *(f"key: {fault}" for fault in faults(made.key, key)), *moved(blank, key)]


@pytest.mark.parametrize("size", sizes(), ids=told)
def test_every_size_is_laid_out_well(size: Size) -> None:
    """On the paper, nothing overlapping, factors where the scheme wants them, every cell once; the key likewise."""
    assert of_both(sized(size)) == []


@pytest.mark.parametrize("name", MADE)
def test_every_kind_of_sheet_is_laid_out_well(name: str) -> None:
    """Levels, large print, words, asked queries, an exact column, decimals."""
    assert of_both(sheet(name)) == []


@pytest.mark.parametrize("name", MADE)
def test_exact_values_fit_their_cells(name: str) -> None:
    """A cell cuts off what does not fit: −0.50 would become −0.5 and lose its zero, −10.25 a digit that counts."""
    for layout in laid_out(sheet(name)):
        assert list(geometry.long_numbers(layout)) == []


@pytest.mark.parametrize("decimals", [1, 3, 6])
@pytest.mark.parametrize("convention", Convention)
def test_exact_values_of_any_precision_fit_their_cells(convention: Convention, decimals: int) -> None:
    """Up to six decimals can be asked for, on the key and for the exact column of a blank sheet."""
    options = PageOptions(exact_column=True)
    made = generate(7, convention=str(convention), rules=Rules(decimals=decimals), options=options)
    for layout in laid_out(made):
        assert list(geometry.long_numbers(layout)) == []


@pytest.mark.parametrize("name", MADE)
def test_instructions_are_read_before_what_they_speak_of(name: str) -> None:
    """In the file stands: instruction, left factor, top factor, product."""
    blank, key = laid_out(sheet(name))
    assert list(geometry.wrong_order(sheet(name).blank, blank)) == []
    assert list(geometry.wrong_order(sheet(name).key, key)) == []


# page counts and cell sizes


@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("level", ["warm-up", "standard"])
def test_a_sheet_is_one_leaf(level: str, convention: Convention, paper: Paper) -> None:
    """Warm-up and standard sheets take two pages, with every seed, and their keys as well."""
    for seed in range(7, 12):
        made = generate(seed, level=level, convention=str(convention), options=PageOptions(paper=paper))
        assert [len(layout.pages) for layout in laid_out(made)] == [2, 2]


@pytest.mark.parametrize("paper", Paper)
def test_pages_are_as_large_as_their_paper(paper: Paper) -> None:
    """Upright for columns; turned for rows, which flow right."""
    upright = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}[paper]
    options = PageOptions(paper=paper)
    columns, rows = (laid_out(generate(7, convention=str(c), options=options))[0] for c in Convention)
    assert (columns.width, columns.height) == upright
    assert (rows.height, rows.width) == upright


def test_cells_of_the_classic_size_are_comfortable() -> None:
    """At least 11 × 8 mm on A4, and 12 × 10 mm where fractions go."""
    made = sheet("classic columns")
    for layout in laid_out(made):
        assert list(geometry.small_cells(layout, (11, 8))) == []
        assert list(geometry.small_fraction_cells(made, layout, (12, 10))) == []


@pytest.mark.parametrize("level", ["warm-up", "standard"])
@pytest.mark.parametrize("form", [{}, {"causal": True}, {"mechanism": "cross"}, {"mechanism": "block"}], ids=str)
def test_headings_in_columns_stand_at_the_left_edge(level: str, form: dict[str, Any]) -> None:
    """Where the eye looks for them, with words of theirs under them in a column that is not a strip."""
    made = generate(7, level=level, **form)
    for layout in laid_out(made):
        headed = [item for page in layout.pages for item in page.items if _heading(item, layout.typography)]
        assert {item.box.x for item in headed} == {MARGIN}
        assert min(item.box.w for item in headed) >= 33


def _heading(item: Item, type_: Typography) -> str:
    said = item.paragraphs[0] if isinstance(item, TextBox) and item.paragraphs else None
    return "" if said is None or said.style is not Set.HEADING else as_plain(said.text)


@pytest.mark.parametrize(
    "form", [{"heads": heads, "mechanism": "multi-head"} for heads in (2, 3, 4)] + [{"mechanism": "cross"}], ids=str
)
@pytest.mark.parametrize("convention", Convention)
def test_weights_by_hand_and_exactly_stand_side_by_side(form: dict[str, Any], convention: Convention) -> None:
    """Two heat maps of a head are never parted, and rows of pairs are as even as can be."""
    key = lay_out(generate(7, convention=str(convention), **form).key)
    maps = [item for page in key.pages for item in grids(page) if item.grid.look is Look.HEAT]
    assert len(maps) == 2 * form.get("heads", 1)
    for by_hand, exactly in zip(maps[::2], maps[1::2], strict=True):
        assert by_hand.box.y == exactly.box.y
        assert by_hand.box.right < exactly.box.x
    in_rows = [len(list(row)) for _, row in groupby(maps, key=lambda item: item.box.y)]
    assert max(in_rows) - min(in_rows) <= 2


def test_exact_values_without_a_place_stand_beside_the_heat_maps() -> None:
    """No page of the key holds them alone where there is room for them there."""
    blank, key = laid_out(sheet("causal rows"))
    assert len(key.pages) == len(blank.pages)
    shown = [item for item in grids(key.pages[-1]) if item.grid.look in (Look.EXACT, Look.HEAT)]
    assert [item.grid.look for item in shown[-3:]] == [Look.HEAT, Look.HEAT, Look.EXACT]
    named = [item.box for item in key.pages[-1].items if isinstance(item, TextBox) and _said(item) == "Z, exact"]
    assert [(box.x, box.y) for box in named] == [(shown[-1].box.x, shown[-1].box.y)]


def _said(item: TextBox) -> str:
    return " ".join(as_plain(paragraph.text) for paragraph in item.paragraphs)


@pytest.mark.parametrize("d_k", range(1, 9))
def test_no_line_ends_inside_an_example_of_the_shortcut(d_k: int) -> None:
    """An arrow stands on the line of what it leads from and to."""
    layout = lay_out(generate(7, d_k=d_k).blank)
    lines = [
        as_plain(line)
        for item in layout.pages[0].items
        if isinstance(item, TextBox)
        for paragraph in item.paragraphs
        for line in paragraph.lines(layout.typography, item.box.w)
    ]
    assert sum(line.count("→") for line in lines) == 4
    assert not [line for line in lines if line.startswith("→") or line.endswith("→")]


def test_stages_come_in_the_order_of_need() -> None:
    """K, Q, S and scaled on page 1, the softmax, V and Z on page 2."""
    for name in ("classic columns", "classic rows"):
        blank, _ = laid_out(sheet(name))
        stages = [[geometry.stage_of(sheet(name), item.grid) for item in grids(page)] for page in blank.pages]
        assert [[stage.name for stage in page if stage] for page in stages] == [
            ["K", "Q", "S", "scaled"],
            ["powers", "sums", "A", "V", "Z"],
        ]


# queries


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("queries", [(0,), (3,), (1, 2), (0, 1, 3)], ids=str)
def test_some_queries_are_laid_out_well(queries: tuple[int, ...], convention: Convention) -> None:
    """Only their lines are drawn, K and V are printed, and as many cells are there as are told."""
    made = generate(7, convention=str(convention), options=PageOptions(queries=queries))
    assert of_both(made) == []
    blank, _ = laid_out(made)
    lines = {
        (item.grid.height if made.is_rows else item.grid.width)
        for page in blank.pages
        for item in grids(page)
        if item.grid.look is Look.WORKED
    }
    assert lines == {len(queries)}


# long numbers


def wide(entry: str, decimals: int = 2) -> Sheet:
    """Return a sheet whose V holds one long number, and whose scores are small."""
    eye = [[1, 0], [0, 1]]
    given = {"X": eye, "W_Q": eye, "W_K": eye, "W_V": [[entry, 0], [1, 1]]}
    return solve({"given": given, "rules": {"decimals": decimals}})


def figures(layout: Layout, stage: str) -> list[str]:
    """Return what the cells of a stage show."""
    return [
        str(cell.figure)
        for page in layout.pages
        for item in grids(page)
        for row in item.grid.cells
        for cell in row
        if cell.address.startswith(f"{stage}[")
    ]


def test_a_long_fraction_is_printed_as_a_decimal() -> None:
    """With more than three digits above or below the line; the shorter ones stay fractions."""
    key = laid_out(wide("1/1024"))[1]
    assert figures(key, "V") == ["≈0.00", "0", "1", "1"]
    assert figures(laid_out(wide("1/999"))[1], "V") == ["1/999", "0", "1", "1"]
    assert figures(laid_out(wide("-1234/7", 3))[1], "V")[0] == "≈−176.286"


@pytest.mark.parametrize("entry", ["1/1024", "-1234/7", "9999", "-9998.99"])
def test_long_numbers_are_laid_out_well(entry: str) -> None:
    """Cells widen until they hold them."""
    assert of_both(wide(entry)) == []


def test_hand_values_are_set_no_smaller_than_is_legible() -> None:
    """A value too wide for its cell is set smaller, down to six tenths; where that does not do, cells are wider."""
    for entry, name in (("-9998.99", ""), ("9999/7", ""), ("", "guide"), ("", "challenge rows")):
        made = wide(entry, 6) if entry else sheet(name)
        layout = laid_out(made)[1]
        percents = [
            item.percent(cell.figure, layout.typography)
            for page in layout.pages
            for item in geometry.factors(page)
            for row in item.grid.cells
            for cell in row
            if cell.figure
        ]
        assert 60 <= min(percents) <= 100


def test_a_value_too_wide_for_any_cell_is_refused() -> None:
    """In one sentence with the remedy, naming the sizes and the paper."""
    given = {**CLASSIC, "X": [["9998/7"] * 4] * 6, "W_Q": [[0, 0, 0, 0, 0, 1]] * 3, "W_K": [[0, 0, 0, 0, 0, 0]] * 3}
    given |= {"W_V": [[9999] * 6] * 3}
    made = sheet_from_problem(problem_of(given, rules=Rules(decimals=6)))
    for shown in (made.blank, made.key):
        with pytest.raises(PageError) as refusal:
            lay_out(shown)
        assert "cannot be printed legibly on A4" in str(refusal.value)
        assert "choose smaller sizes" in str(refusal.value)


# large print


@pytest.mark.parametrize("convention", Convention)
def test_large_print_is_large(convention: Convention) -> None:
    """At least 18 points and 18 × 15 mm, one product a page with both its factors."""
    made = generate(7, convention=str(convention), options=LARGE)
    for layout in laid_out(made):
        assert smallest(layout.typography) >= 18
        assert list(geometry.small_cells(layout, (18, 15))) == []
        products = [
            [as_made.name for item in grids(page) if (as_made := geometry.stage_of(made, item.grid))]
            for page in layout.pages
        ]
        assert [page for page in products if page and {"K", "Q", "S", "V", "Z"} & set(page)] == [
            ["K"],
            ["Q"],
            ["S"],
            ["V"],
            ["A", "Z"] if ["A", "Z"] in products else ["Z"],
        ]


def smallest(type_: Typography) -> float:
    """Return the smallest size of type, in points; parts of fractions are set a little smaller than whole numbers."""
    return min(*type_.points.values(), type_.label, type_.small_label, type_.cell * 0.85)


@pytest.mark.parametrize("convention", Convention)
def test_large_print_fits_every_size_up_to_its_largest(convention: Convention) -> None:
    """2 to 4 tokens, 1 to 6 features, d_k and d_v of 1 to 3: each is laid out, and well."""
    wrong = {}
    for size in product((2, 3, 4), (1, 2, 3, 6), (1, 2, 3), (1, 3)):
        try:
            found = of_both(own(*size, convention=convention, options=LARGE))
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
    assert of_both(generate(3, level=level, words=words, convention=str(convention), options=LARGE)) == []


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("size", [(8, 6, 3, 3), (12, 12, 8, 8)], ids=str)
def test_what_large_print_cannot_hold_is_refused(size: tuple[int, int, int, int], convention: Convention) -> None:
    """The refusal names the largest size."""
    with pytest.raises(PageError) as refusal:
        lay_out(own(*size, convention=convention, options=LARGE))
    assert "large print reaches 4 tokens with 6 features and d_k, d_v of 3" in str(refusal.value)


def test_large_print_on_other_paper_is_refused_by_its_paper() -> None:
    """Large print is a layout for A4: a size that A4 would hold is not said to be too large for large print."""
    try:
        layout = lay_out(generate(7, options=replace(LARGE, paper=Paper.LETTER)))
    except PageError as refusal:
        assert "A4" in str(refusal)
    else:
        assert smallest(layout.typography) >= 18


# the faults themselves: each guard is seen to fail


def broken(change: Callable[[GridBox], GridBox], stage: str = "S") -> Layout:
    """Return the classic key with one product's grid changed."""
    layout = laid_out(sheet("classic columns"))[1]

    def changed(item: Item) -> Item:
        at = isinstance(item, GridBox) and geometry.addresses(item.grid)[:1] == [f"{stage}[1,1]"]
        return change(item) if isinstance(item, GridBox) and at else item

    pages = tuple(replace(page, items=tuple(changed(item) for item in page.items)) for page in layout.pages)
    return replace(layout, pages=pages)


def shifted(item: GridBox, x: float, y: float) -> GridBox:
    """Return a grid some millimetres further right and down."""
    return replace(item, box=Box(item.box.x + x, item.box.y + y, item.box.w, item.box.h))


def test_a_grid_off_its_place_is_seen() -> None:
    """Half a millimetre right: no longer in line; far right: off the paper; up: over its neighbour."""
    made = sheet("classic columns").key
    blank = laid_out(made)[0]
    assert any("not in line" in fault for fault in faults(made, broken(lambda item: shifted(item, 0.5, 0))))
    assert any("leaves the paper" in fault for fault in faults(made, broken(lambda item: shifted(item, 99, 0))))
    assert any("overlap by" in fault for fault in faults(made, broken(lambda item: shifted(item, 0, -9))))
    assert any("on the blank, at" in fault for fault in moved(blank, broken(lambda item: shifted(item, 0.1, 0))))
    assert not list(moved(blank, broken(lambda item: shifted(item, 0.04, 0))))


def test_wrong_cells_are_seen() -> None:
    """A row lost, a row twice, an address on a copy, cells too small."""
    made = sheet("classic columns").key

    def with_rows(*rows: int) -> Layout:
        return broken(lambda item: replace(item, grid=picked(item.grid, rows, None)))

    assert "S[1,1] is missing" in faults(made, with_rows(1, 2, 3))
    assert "S[1,1] is there 2 times" in faults(made, with_rows(0, 0, 1, 2, 3))
    as_copy = broken(lambda item: replace(item, grid=replace(item.grid, look=Look.COPY)))
    assert any("S[1,1] has Cell(" in fault for fault in faults(made, as_copy))
    assert any("has cells of 7 × " in fault for fault in faults(made, broken(lambda item: replace(item, cell_w=7.0))))


def test_other_faults_are_seen() -> None:
    """A number cut off, a name over a label, an order upside down, a factor on another page."""
    made = sheet("classic columns").key
    layout = laid_out(made)[1]
    exact = next(item for item in grids(layout.pages[1]) if item.grid.look is Look.EXACT)
    narrow = replace(layout, pages=(replace(layout.pages[1], items=(replace(exact, cell_w=5.0),)),))
    assert list(geometry.long_numbers(narrow))
    backwards = tuple(replace(page, items=page.items[::-1]) for page in layout.pages)
    assert list(geometry.wrong_order(made, replace(layout, pages=backwards)))
    pages = tuple(
        replace(page, items=tuple(i for i in page.items if not isinstance(i, GridBox) or i.grid.look is Look.WORKED))
        for page in layout.pages
    )
    assert any("no left factor" in fault for fault in geometry.misplaced_factors(made, replace(layout, pages=pages)))
    narrow = broken(lambda item: replace(item, cell_w=2.0), "powers")
    assert any("a label is printed over another" in fault for fault in geometry.overprints(narrow))
    near = broken(lambda item: replace(item, header_w=0.5), "powers")
    assert any("powers[1,1] is printed over exact" in fault for fault in geometry.overprints(near))
    text = next(item for item in layout.pages[0].items if isinstance(item, TextBox) and item.paragraphs[0].level == 2)
    alone = replace(text, paragraphs=text.paragraphs[:1])
    lonely = replace(layout, pages=(replace(layout.pages[0], items=(alone,)),))
    assert len(list(geometry.lonely_headings(lonely))) == 1
