"""The sheet as panels: what stands where, and that a blank sheet holds no answer."""

from collections.abc import Iterator

import pytest

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, select_rows_and_columns, transpose_grid
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import Panel, build_panels
from attnhand.sheet.printed_number import PrintedNumber, format_exact_value, format_hand_value
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.building import CLASSIC, PENCIL_SAMPLE, make_problem, transpose_given
from tests.oracle import STAGE_NAMES

SHEETS = {
    "warm-up": make_sheet_from_request(Request(seed=7, level=Level.WARM_UP)),
    "standard": make_sheet_from_request(Request(seed=7)),
    "challenge in rows": make_sheet_from_request(Request(seed=7, level=Level.CHALLENGE, convention=Convention.ROWS)),
    "two queries of eight": make_sheet_from_request(Request(seed=7, size_overrides=(("tokens", 8),))),
    "two queries in rows": make_sheet_from_request(
        Request(seed=7, convention=Convention.ROWS), PageOptions(only_queries=(3, 2))
    ),
    "words": make_sheet_from_request(Request(seed=7), words=("the", "cat", "sat", "down")),
    "classic": make_sheet_from_problem(make_problem(CLASSIC)),
    "checked in rows": make_sheet_from_problem(
        make_problem(transpose_given(PENCIL_SAMPLE), convention=Convention.ROWS)
    ),
    "exact column": make_sheet_from_request(Request(seed=7), PageOptions(show_exact=True, check_sums=True)),
}
ALL = pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)


def grids(sheet: Sheet) -> Iterator[tuple[str, Grid]]:
    """Return every grid of every panel, with its place."""
    for panel in build_panels(sheet).list_panels():
        for place, grid in (
            ("grid", panel.grid),
            ("side", panel.side_factor),
            ("over", panel.query_factor),
            ("exact", panel.exact_grid),
        ):
            if grid is not None:
                yield f"{place} of {panel.stage.name}", grid


def cells(grid: Grid) -> list[Cell]:
    """Return all cells, row by row."""
    return [cell for row in grid.cells for cell in row]


def find_panel(sheet: Sheet, stage: str) -> Panel:
    """Return the only panel of a stage."""
    (found,) = (panel for panel in build_panels(sheet).list_panels() if panel.stage.name == stage)
    return found


def list_printed_values(sheet: Sheet, a: Matrix) -> list[list[PrintedNumber]]:
    """Return how the values of a matrix are printed, apart from notes."""
    return [[format_hand_value(value, sheet.problem.rules.decimals) for value in row] for row in a]


def list_printed_numbers(grid: Grid) -> list[list[PrintedNumber | None]]:
    """Return what the cells of a grid show, apart from notes."""
    return [
        [cell.number and PrintedNumber(cell.number.text, cell.number.top, cell.number.bottom) for cell in row]
        for row in grid.cells
    ]


@ALL
def test_a_blank_sheet_holds_no_answer(sheet: Sheet) -> None:
    """No cell to fill and no copy of one has a value; only the worked cell is printed, and what is given."""
    blank = sheet.blank
    worked = [
        cell.address
        for panel in build_panels(blank).list_panels()
        for cell in cells(panel.grid)
        if cell.kind is CellKind.GIVEN
    ]
    first = build_panels(blank).list_panels()[0].stage.name
    (address,) = worked
    assert address in [cell.address for cell in cells(find_panel(blank, first).grid)]
    printed = {stage.name for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage)}
    given = {given.name for given in sheet.problem.mechanism.given}
    empty = 0
    for place, grid in grids(blank):
        name = to_unicode(grid.name).removesuffix("ᵀ")
        for cell in cells(grid):
            assert cell.kind is not CellKind.ANSWER
            if place.startswith("exact") or cell.address in worked or name in printed | given:
                continue
            assert cell.number is None, place
            empty += 1
    assert empty >= blank.answer_cell_count - 1


@ALL
def test_a_blank_sheet_says_no_answer(sheet: Sheet) -> None:
    """Beside the worked cell no sentence of the blank sheet depends on an answer: other numbers, same words."""
    texts = [
        [panel.heading, [each.text for each in panel.paragraphs if not each.slot], panel.formula, panel.mark_box]
        for panel in build_panels(sheet.blank).list_panels()
    ]
    assert any(paragraphs for _, paragraphs, _, _ in texts)
    if sheet.request is None:
        return
    words = sheet.problem.words
    again = make_sheet_from_request(
        Request(
            seed=sheet.request.seed + 1,
            level=sheet.request.level,
            convention=sheet.request.convention,
            size_overrides=sheet.request.size_overrides,
        ),
        sheet.options,
        words=words,
    )
    assert texts == [
        [panel.heading, [each.text for each in panel.paragraphs if not each.slot], panel.formula, panel.mark_box]
        for panel in build_panels(again.blank).list_panels()
    ]


@ALL
def test_a_key_says_what_every_stage_is_worth(sheet: Sheet) -> None:
    """As much as the mark box of the blank is out of, at the same stages."""
    boxes = [
        [to_unicode(each.mark_box) for each in build_panels(face).list_panels()] for face in (sheet.blank, sheet.key)
    ]
    written = [box.removeprefix("___ / ") for box in boxes[0]]
    assert any(written)
    assert boxes[1] == [count and f"/ {count}" for count in written]


@ALL
def test_blank_and_key_have_the_same_layout(sheet: Sheet) -> None:
    """Panels, grids, labels and addresses are the same, cell for cell."""

    def layout(one: Sheet) -> list[object]:
        return [
            (
                place,
                grid.style,
                grid.name,
                grid.rows,
                grid.columns,
                [[cell.address for cell in row] for row in grid.cells],
            )
            for place, grid in grids(one)
            if not place.startswith("exact")
        ]

    assert layout(sheet.blank) == layout(sheet.key)
    assert [panel.stage for panel in build_panels(sheet.blank).list_panels()] == [
        panel.stage for panel in build_panels(sheet.key).list_panels()
    ]
    assert [panel.has_exact_on_key for panel in build_panels(sheet.blank).list_panels()] == [
        panel.exact_grid is not None for panel in build_panels(sheet.key).list_panels()
    ]


@ALL
def test_a_key_answers_every_cell_with_its_hand_value(sheet: Sheet) -> None:
    """What a panel shows of its stage are the hand values of the lines that are asked."""
    for one in build_panels(sheet.key).list_panels():
        rows, columns = sheet.find_asked_rows_and_columns(one.stage)
        hand = sheet.solution[one.stage.name].hand
        assert list_printed_numbers(one.grid) == list_printed_values(
            sheet, tuple(tuple(hand[i][j] for j in columns) for i in rows)
        )
        assert {cell.kind for cell in cells(one.grid)} <= {CellKind.ANSWER, CellKind.GIVEN}


@ALL
def test_every_cell_to_fill_has_its_address_once(sheet: Sheet) -> None:
    """Addresses are row, then column, from 1; all that are asked are there, and no copy has one."""
    expected = [
        f"{stage.name}[{i + 1},{j + 1}]"
        for stage in sheet.problem.mechanism.stages
        if not sheet.is_printed(stage)
        for rows, columns in [sheet.find_asked_rows_and_columns(stage)]
        for i in rows
        for j in columns
    ]
    found = [cell.address for panel in build_panels(sheet).list_panels() for cell in cells(panel.grid)]
    assert sorted(found) == sorted(expected)
    assert (
        len(set(found))
        == len(found)
        == sheet.answer_cell_count
        == sum(panel.cell_count for panel in build_panels(sheet).list_panels())
    )
    copies = [cell for _, grid in grids(sheet) if grid.style is not GridStyle.WORKED for cell in cells(grid)]
    assert {cell.address for cell in copies} == {""}


@ALL
def test_factors_stand_beside_their_products(sheet: Sheet) -> None:
    """Each product's two factors are drawn, filled in on the key with the numbers that are multiplied."""
    values = sheet.solution.collect_hand_values()
    products = 0
    for one in build_panels(sheet.key).list_panels():
        if one.side_factor is None or one.query_factor is None:
            assert one.side_factor is one.query_factor is None
            continue
        for grid in (one.side_factor, one.query_factor):
            name = to_unicode(grid.name)
            a = values[name.removesuffix("ᵀ")]
            whole = list_printed_values(sheet, transpose(a) if name.endswith("ᵀ") else a)
            lines = [[number for number in row if number is not None] for row in list_printed_numbers(grid)]
            if grid is one.query_factor and not sheet.asks_every_query and one.stage.name in sheet.query_stages:
                asked = sheet.asked_queries
                whole = (
                    [whole[q] for q in asked]
                    if sheet.convention.is_rows
                    else [[row[q] for q in asked] for row in whole]
                )
            assert lines == whole, name
        products += 1
    assert products == (5 if sheet.asks_every_query else 3)


@ALL
def test_labels_stand_at_every_line(sheet: Sheet) -> None:
    """Every grid has as many labels as rows and columns."""
    for place, grid in grids(sheet):
        assert (len(grid.rows), len(grid.columns)) == (grid.row_count, grid.column_count), place
        assert all(len(row) == grid.column_count for row in grid.cells)


def test_stages_stand_in_the_order_of_need() -> None:
    """K, Q, S, scaled on the first page; powers, sums, A, then V beside Z on the second."""
    names = [[panel.stage.name for panel in run] for run in build_panels(SHEETS["standard"]).runs]
    assert names == [["K", "Q", "S", "scaled"], ["powers", "sums", "A", "Z"]]
    assert [panel.stage.name for panel in build_panels(SHEETS["standard"]).list_panels()] == [
        "K",
        "Q",
        "S",
        "scaled",
        "powers",
        "sums",
        "A",
        "V",
        "Z",
    ]
    assert sorted(panel.stage.name for panel in build_panels(SHEETS["challenge in rows"]).list_panels()) == sorted(
        STAGE_NAMES
    )
    side_panel = find_panel(SHEETS["standard"], "Z").side_panel
    assert side_panel is not None
    assert side_panel.stage.name == "V"


def test_v_can_have_a_run_of_its_own() -> None:
    """Where it does not fit beside Z, V is made before it, and Z's copy of it is filled in on the key."""
    runs = build_panels(SHEETS["standard"], separate_factors=True).runs
    assert [[panel.stage.name for panel in run] for run in runs] == [
        ["K", "Q", "S", "scaled"],
        ["V"],
        ["powers", "sums", "A", "Z"],
    ]
    assert {panel.side_panel for run in runs for panel in run} == {None}


def test_headings_are_numbered() -> None:
    """Five headings, counted on."""
    headings = [to_unicode(panel.heading) for panel in build_panels(SHEETS["standard"]).list_panels() if panel.heading]
    assert [heading[0] for heading in headings] == ["1", "2", "3", "4", "5"]
    assert headings[1].endswith("Scores")


def test_a_cell_is_worked_with_all_its_pairs() -> None:
    """Of the classic sheet K[1,1] and K[2,1] have at most one product that is not 0, K[3,1] has two."""
    problem = SHEETS["classic"].problem
    x = [row[0] for row in problem["X"]]
    assert [sum(bool(w and a) for w, a in zip(row, x, strict=True)) for row in problem["W_K"]] == [0, 0, 2]
    paragraphs = [to_unicode(paragraph.text) for paragraph in find_panel(SHEETS["classic"].blank, "K").paragraphs]
    assert paragraphs[-1] == ("K[3,1], row 3 of W_K, column 1 of X: 1·2 + 0·0 + 0·0 + 0·0 + 0·2 + (−1)·1 = 1")


def test_kept_queries_leave_k_and_v_printed() -> None:
    """Where two of eight queries are asked, the page has their columns only, with K and V filled in."""
    blank = SHEETS["two queries of eight"].blank
    assert blank.asked_queries == (0, 2)
    assert [panel.stage.name for panel in build_panels(blank).list_panels()] == [
        "Q",
        "S",
        "scaled",
        "powers",
        "sums",
        "A",
        "Z",
    ]
    S = find_panel(blank, "S")
    assert [str(label) for label in S.grid.columns] == ["q₁", "q₃"]
    assert len(S.grid.rows) == 8
    assert [cell.address for cell in S.grid.cells[1]] == ["S[2,1]", "S[2,3]"]
    hand = blank.solution.collect_hand_values()
    for stage, name, printed in (("S", "Kᵀ", transpose(hand["K"])), ("Z", "V", hand["V"])):
        side = find_panel(blank, stage).side_factor
        assert side is not None
        assert to_unicode(side.name) == name
        assert list_printed_numbers(side) == list_printed_values(blank, printed)


def test_what_is_worked_out_already_is_named_once() -> None:
    """Of a sheet that asks from the powers on, what comes before them; of others nothing."""
    asked_late = make_sheet_from_request(Request(seed=7), PageOptions(from_stage="powers"))
    said = {
        panel.stage.name: text
        for panel in build_panels(asked_late).list_panels()
        for sentence in panel.paragraphs
        if (text := to_unicode(sentence.text)).startswith("Worked out for you: ")
    }
    assert said == {"K": "Worked out for you: K, Q, S and scaled."}
    for other in (make_sheet_from_request(Request(seed=7)), generate(7, tries=True)):
        for panel in build_panels(other).list_panels():
            assert not any("Worked out" in to_unicode(sentence.text) for sentence in panel.paragraphs)


def test_queries_in_rows_keep_their_rows() -> None:
    """With tokens as rows, asked queries are rows, in their order."""
    S = find_panel(SHEETS["two queries in rows"], "S").grid
    assert [str(label) for label in S.rows] == ["q₂", "q₃"]
    assert [cell.address for cell in S.cells[0]] == ["S[2,1]", "S[2,2]", "S[2,3]", "S[2,4]"]


def test_words_stand_on_their_tokens() -> None:
    """A query asks and a key answers, each under its word."""
    S = find_panel(SHEETS["words"], "S").grid
    assert [str(label) for label in S.columns] == ["the q₁ asks", "cat q₂ asks", "sat q₃ asks", "down q₄ asks"]
    assert [str(label) for label in S.rows][1] == "cat k₂ answers"
    assert [str(label) for label in find_panel(SHEETS["words"], "V").grid.columns][3] == "down v₄"


def test_cells_have_names_for_those_who_listen() -> None:
    """A cell says its matrix, row and column, and whether it is empty."""
    blank, key = (find_panel(sheet, "S").grid.cells[1][2] for sheet in (SHEETS["classic"].blank, SHEETS["classic"].key))
    assert (blank.spoken_name, key.spoken_name) == ("S, row k₂, column q₃", "S, row k₂, column q₃")


def test_unreduced_weights_stand_beside_reduced_ones() -> None:
    """In the classic sheet's last column, 1/12 9/12 1/12 1/12, only 3/4 is also written over 12."""
    A = find_panel(SHEETS["classic"].key, "A").grid
    notes = {cell.address: cell.number.note for cell in cells(A) if cell.number and cell.number.note}
    assert notes == {"A[2,4]": "= 9/12"}
    assert str(A.cells[1][3].number) == "3/4"
    assert all(
        cell.number and not cell.number.note for cell in cells(find_panel(SHEETS["checked in rows"].key, "A").grid)
    )


def test_exact_values_stand_beside_the_key_where_they_differ() -> None:
    """The stages up to S are the same both ways; scaled and all after it show the exact values."""
    key = SHEETS["standard"].key
    assert [panel.stage.name for panel in build_panels(key).list_panels() if panel.exact_grid] == [
        "scaled",
        "powers",
        "sums",
        "A",
        "Z",
    ]
    exact = find_panel(key, "A").exact_grid
    assert exact is not None
    values = key.solution["A"].exact
    assert list_printed_numbers(exact) == [[format_exact_value(value, 2) for value in row] for row in values]


def test_the_exact_column_is_one_query_only() -> None:
    """On a blank sheet that asks for it, only the first query's exact values are printed."""
    assert not any(panel.exact_grid for panel in build_panels(SHEETS["standard"].blank).list_panels())
    blank = SHEETS["exact column"].blank
    exact = find_panel(blank, "A").exact_grid
    assert exact is not None
    values = blank.solution["A"].exact
    assert list_printed_numbers(exact) == [[format_exact_value(row[0], 2), None, None, None] for row in values]


def test_check_sums_are_printed_on_the_key_or_on_request() -> None:
    """The columns of K, Q, S and V add to …: on the key always, on a blank sheet if asked for."""
    plain, asked = SHEETS["standard"], SHEETS["exact column"]
    stages_by_version = {
        name: [
            panel.stage.name for panel in build_panels(sheet).list_panels() if "add to" in to_unicode(panel.check_sums)
        ]
        for name, sheet in (("key", plain.key), ("blank", plain.blank), ("asked", asked.blank))
    }
    assert stages_by_version == {"key": ["K", "Q", "S", "V"], "blank": [], "asked": ["K", "Q", "S", "V"]}
    words = to_unicode(find_panel(SHEETS["classic"].key, "Q").check_sums)
    assert words.split("add to")[1].split(", ") == [" 5", "4", "3", "4"]


def test_grids_can_be_turned_and_cut() -> None:
    """A turned grid has its rows as columns; a cut one only the lines that are wanted."""
    grid = find_panel(SHEETS["classic"].key, "K").grid
    around = transpose_grid(grid, grid.name)
    assert (around.rows, around.columns) == (grid.columns, grid.rows)
    assert list_printed_numbers(around) == list_printed_values(
        SHEETS["classic"], transpose(SHEETS["classic"].solution["K"].hand)
    )
    assert transpose_grid(around, grid.name) == grid
    cut = select_rows_and_columns(grid, [2], [3, 0])
    assert [cell.address for cell in cut.cells[0]] == ["K[3,4]", "K[3,1]"]
    assert ([str(label) for label in cut.columns], len(cut.rows)) == (["k₄", "k₁"], 1)
    assert select_rows_and_columns(grid, None, None) == grid


@pytest.mark.parametrize("convention", Convention)
def test_heads_are_named_apart(convention: Convention) -> None:
    """In corners, headings and formulas; where they are joined every line says which head it is of."""
    sheet = generate(7, mechanism="multi-head", heads=2, d_v=2, convention=str(convention))
    panels = build_panels(sheet.blank).list_panels()
    names = [to_unicode(panel.grid.name) for panel in panels]
    of_heads = [[f"{name}{head}" for name in "KQS"] for head in ("⁽¹⁾", "⁽²⁾")]
    assert [name for name in names if name[0] in "KQS"] == [*of_heads[0], *of_heads[1]]
    first, second = (to_unicode(panel.formula) for panel in panels if panel.stage.topic == "scores")
    assert second == first.replace("⁽¹⁾", "⁽²⁾") != first
    keys = next(panel for panel in panels if to_unicode(panel.grid.name) == "K⁽²⁾")
    assert keys.side_factor is not None
    assert to_unicode(keys.side_factor.name) == "W_K⁽²⁾"
    (joined,) = (panel.grid for panel in panels if panel.stage.name == "concat")
    labels = joined.columns if convention.is_rows else joined.rows
    assert list(map(str, labels)) == ["Z⁽¹⁾ 1", "Z⁽¹⁾ 2", "Z⁽²⁾ 1", "Z⁽²⁾ 2"]


@pytest.mark.parametrize("convention", Convention)
def test_the_ones_that_meet_a_bias_are_labelled_b(convention: Convention) -> None:
    """As the bias itself: a 1 would be the first feature."""
    sheet = generate(7, mechanism="block", convention=str(convention))
    layers = [panel for panel in build_panels(sheet.blank).list_panels() if panel.stage.topic == "layer"]
    assert len(layers) == 2
    for panel in layers:
        assert panel.side_factor is not None
        assert panel.query_factor is not None
        side = (panel.side_factor.rows, panel.side_factor.columns)[not convention.is_rows]
        ones = (panel.query_factor.rows, panel.query_factor.columns)[convention.is_rows]
        assert str(side[-1]) == str(ones[-1]) == "b"
