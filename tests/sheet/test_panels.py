"""The sheet as panels: what stands where, and that a blank sheet holds no answer."""

from collections.abc import Iterator

import pytest

from attnhand.attention.matrix import Matrix, transposed
from attnhand.attention.mechanisms import Convention
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.figures import Figure, exact_figure, hand_figure
from attnhand.sheet.grids import Cell, Grid, Kind, Look, picked, turned
from attnhand.sheet.make import sheet_from_problem, sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import Panel, panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain
from tests.building import CHECKED, CLASSIC, in_rows, problem_of
from tests.oracle import STAGES

SHEETS = {
    "warm-up": sheet_from_request(Request(seed=7, level=Level.WARM_UP)),
    "standard": sheet_from_request(Request(seed=7)),
    "challenge in rows": sheet_from_request(Request(seed=7, level=Level.CHALLENGE, convention=Convention.ROWS)),
    "two queries of eight": sheet_from_request(Request(seed=7, sizes=(("tokens", 8),))),
    "two queries in rows": sheet_from_request(Request(seed=7, convention=Convention.ROWS), PageOptions(queries=(2, 1))),
    "words": sheet_from_request(Request(seed=7), words=("the", "cat", "sat", "down")),
    "classic": sheet_from_problem(problem_of(CLASSIC)),
    "checked in rows": sheet_from_problem(problem_of(in_rows(CHECKED), convention=Convention.ROWS)),
    "exact column": sheet_from_request(Request(seed=7), PageOptions(exact_column=True, check_sums=True)),
}
ALL = pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)


def grids(sheet: Sheet) -> Iterator[tuple[str, Grid]]:
    """Return every grid of every panel, with its place."""
    for panel in panels(sheet).all():
        for place, grid in (("grid", panel.grid), ("side", panel.side), ("over", panel.over), ("exact", panel.exact)):
            if grid is not None:
                yield f"{place} of {panel.stage.name}", grid


def cells(grid: Grid) -> list[Cell]:
    """Return all cells, row by row."""
    return [cell for row in grid.cells for cell in row]


def panel(sheet: Sheet, stage: str) -> Panel:
    """Return the only panel of a stage."""
    (found,) = (panel for panel in panels(sheet).all() if panel.stage.name == stage)
    return found


def shown(sheet: Sheet, a: Matrix) -> list[list[Figure]]:
    """Return how the values of a matrix are printed, apart from notes."""
    return [[hand_figure(value, sheet.problem.rules.decimals) for value in row] for row in a]


def figures(grid: Grid) -> list[list[Figure | None]]:
    """Return what the cells of a grid show, apart from notes."""
    return [
        [cell.figure and Figure(cell.figure.text, cell.figure.top, cell.figure.bottom) for cell in row]
        for row in grid.cells
    ]


@ALL
def test_a_blank_sheet_holds_no_answer(sheet: Sheet) -> None:
    """No cell to fill and no copy of one has a value; only the worked cell is printed, and what is given."""
    blank = sheet.blank
    worked = [cell.address for panel in panels(blank).all() for cell in cells(panel.grid) if cell.kind is Kind.GIVEN]
    first = panels(blank).all()[0].stage.name
    assert worked == [next(cell.address for cell in cells(panel(blank, first).grid))]
    printed = {stage.name for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage)}
    given = {given.name for given in sheet.problem.mechanism.given}
    empty = 0
    for place, grid in grids(blank):
        name = as_plain(grid.name).removesuffix("ᵀ")
        for cell in cells(grid):
            assert cell.kind is not Kind.ANSWER
            if place.startswith("exact") or cell.address in worked or name in printed | given:
                continue
            assert cell.figure is None, place
            empty += 1
    assert empty >= blank.cells_to_fill - 1


@ALL
def test_a_blank_sheet_says_no_answer(sheet: Sheet) -> None:
    """Beside the worked cell no sentence of the blank sheet depends on an answer: other numbers, same words."""
    said = [
        [panel.heading, panel.paragraphs[2 * (i == 0) :], panel.formula, panel.mark]
        for i, panel in enumerate(panels(sheet.blank).all())
    ]
    assert any(paragraphs for _, paragraphs, _, _ in said)
    if sheet.request is None:
        return
    words = sheet.problem.words
    again = sheet_from_request(
        Request(
            seed=sheet.request.seed + 1,
            level=sheet.request.level,
            convention=sheet.request.convention,
            sizes=sheet.request.sizes,
        ),
        sheet.options,
        words=words,
    )
    assert said == [
        [panel.heading, panel.paragraphs[2 * (i == 0) :], panel.formula, panel.mark]
        for i, panel in enumerate(panels(again.blank).all())
    ]


@ALL
def test_blank_and_key_have_the_same_layout(sheet: Sheet) -> None:
    """Panels, grids, labels and addresses are the same, cell for cell."""

    def layout(one: Sheet) -> list[object]:
        return [
            (
                place,
                grid.look,
                grid.name,
                grid.rows,
                grid.columns,
                [[cell.address for cell in row] for row in grid.cells],
            )
            for place, grid in grids(one)
            if not place.startswith("exact")
        ]

    assert layout(sheet.blank) == layout(sheet.key)
    assert [panel.stage for panel in panels(sheet.blank).all()] == [panel.stage for panel in panels(sheet.key).all()]
    assert [panel.reserves_exact for panel in panels(sheet.blank).all()] == [
        panel.exact is not None for panel in panels(sheet.key).all()
    ]


@ALL
def test_a_key_answers_every_cell_with_its_hand_value(sheet: Sheet) -> None:
    """What a panel shows of its stage are the hand values of the lines that are asked."""
    for one in panels(sheet.key).all():
        rows, columns = sheet.asked_lines(one.stage)
        hand = sheet.solution[one.stage.name].hand
        assert figures(one.grid) == shown(sheet, tuple(tuple(hand[i][j] for j in columns) for i in rows))
        assert {cell.kind for cell in cells(one.grid)} <= {Kind.ANSWER, Kind.GIVEN}


@ALL
def test_every_cell_to_fill_has_its_address_once(sheet: Sheet) -> None:
    """Addresses are row, then column, from 1; all that are asked are there, and no copy has one."""
    expected = [
        f"{stage.name}[{i + 1},{j + 1}]"
        for stage in sheet.problem.mechanism.stages
        if not sheet.is_printed(stage)
        for rows, columns in [sheet.asked_lines(stage)]
        for i in rows
        for j in columns
    ]
    found = [cell.address for panel in panels(sheet).all() for cell in cells(panel.grid)]
    assert sorted(found) == sorted(expected)
    assert len(set(found)) == len(found) == sheet.cells_to_fill == sum(panel.cells for panel in panels(sheet).all())
    copies = [cell for _, grid in grids(sheet) if grid.look is not Look.WORKED for cell in cells(grid)]
    assert {cell.address for cell in copies} == {""}


@ALL
def test_factors_stand_beside_their_products(sheet: Sheet) -> None:
    """Each product's two factors are drawn, filled in on the key with the numbers that are multiplied."""
    values = sheet.solution.hand_values()
    products = 0
    for one in panels(sheet.key).all():
        if one.side is None or one.over is None:
            assert one.side is one.over is None
            continue
        for grid in (one.side, one.over):
            name = as_plain(grid.name)
            a = values[name.removesuffix("ᵀ")]
            whole = shown(sheet, transposed(a) if name.endswith("ᵀ") else a)
            lines = [[figure for figure in row if figure is not None] for row in figures(grid)]
            if grid is one.over and not sheet.asks_all and one.stage.name in sheet.query_stages:
                asked = sheet.queries
                whole = [whole[q] for q in asked] if sheet.is_rows else [[row[q] for q in asked] for row in whole]
            assert lines == whole, name
        products += 1
    assert products == (5 if sheet.asks_all else 3)


@ALL
def test_labels_stand_at_every_line(sheet: Sheet) -> None:
    """Every grid has as many labels as rows and columns."""
    for place, grid in grids(sheet):
        assert (len(grid.rows), len(grid.columns)) == (grid.height, grid.width), place
        assert all(len(row) == grid.width for row in grid.cells)


def test_stages_stand_in_the_order_of_need() -> None:
    """K, Q, S, scaled on the first page; powers, sums, A, then V beside Z on the second."""
    names = [[panel.stage.name for panel in run] for run in panels(SHEETS["standard"]).runs]
    assert names == [["K", "Q", "S", "scaled"], ["powers", "sums", "A", "Z"]]
    assert [panel.stage.name for panel in panels(SHEETS["standard"]).all()] == [
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
    assert sorted(panel.stage.name for panel in panels(SHEETS["challenge in rows"]).all()) == sorted(STAGES)
    made = panel(SHEETS["standard"], "Z").made
    assert made is not None
    assert made.stage.name == "V"


def test_v_can_have_a_run_of_its_own() -> None:
    """Where it does not fit beside Z, V is made before it, and Z's copy of it is filled in on the key."""
    runs = panels(SHEETS["standard"], separate=True).runs
    assert [[panel.stage.name for panel in run] for run in runs] == [
        ["K", "Q", "S", "scaled"],
        ["V"],
        ["powers", "sums", "A", "Z"],
    ]
    assert {panel.made for run in runs for panel in run} == {None}


def test_headings_are_numbered() -> None:
    """Five headings, counted on."""
    headings = [as_plain(panel.heading) for panel in panels(SHEETS["standard"]).all() if panel.heading]
    assert [heading[0] for heading in headings] == ["1", "2", "3", "4", "5"]
    assert headings[1].endswith("Scores")


def test_the_first_cell_is_worked_with_all_its_pairs() -> None:
    """K[1,1] of the classic sheet: 0·2 + 0·0 + 1·0 + 0·0 + 0·2 + 0·1 = 0."""
    paragraphs = [as_plain(told.text) for told in panel(SHEETS["classic"].blank, "K").paragraphs]
    assert paragraphs[1] == ("K[1,1], row 1 of W_K, column 1 of X: 0·2 + 0·0 + 1·0 + 0·0 + 0·2 + 0·1 = 0")
    assert cells(panel(SHEETS["classic"].blank, "K").grid)[0].figure == Figure("0")


def test_kept_queries_leave_k_and_v_printed() -> None:
    """Where two of eight queries are asked, the page has their columns only, with K and V filled in."""
    blank = SHEETS["two queries of eight"].blank
    assert blank.queries == (0, 2)
    assert [panel.stage.name for panel in panels(blank).all()] == ["Q", "S", "scaled", "powers", "sums", "A", "Z"]
    S = panel(blank, "S")
    assert [str(label) for label in S.grid.columns] == ["q₁", "q₃"]
    assert len(S.grid.rows) == 8
    assert [cell.address for cell in S.grid.cells[1]] == ["S[2,1]", "S[2,3]"]
    hand = blank.solution.hand_values()
    for stage, name, printed in (("S", "Kᵀ", transposed(hand["K"])), ("Z", "V", hand["V"])):
        side = panel(blank, stage).side
        assert side is not None
        assert as_plain(side.name) == name
        assert figures(side) == shown(blank, printed)


def test_queries_in_rows_keep_their_rows() -> None:
    """With tokens as rows, asked queries are rows, in their order."""
    S = panel(SHEETS["two queries in rows"], "S").grid
    assert [str(label) for label in S.rows] == ["q₂", "q₃"]
    assert [cell.address for cell in S.cells[0]] == ["S[2,1]", "S[2,2]", "S[2,3]", "S[2,4]"]


def test_words_stand_on_their_tokens() -> None:
    """A query asks and a key answers, each under its word."""
    S = panel(SHEETS["words"], "S").grid
    assert [str(label) for label in S.columns] == ["the q₁ asks", "cat q₂ asks", "sat q₃ asks", "down q₄ asks"]
    assert [str(label) for label in S.rows][1] == "cat k₂ answers"
    assert [str(label) for label in panel(SHEETS["words"], "V").grid.columns][3] == "down v₄"


def test_cells_have_names_for_those_who_listen() -> None:
    """A cell says its matrix, row and column, and whether it is empty."""
    blank, key = (panel(sheet, "S").grid.cells[1][2] for sheet in (SHEETS["classic"].blank, SHEETS["classic"].key))
    assert (blank.spoken, key.spoken) == ("S, row k₂, column q₃, empty", "S, row k₂, column q₃")


def test_unreduced_weights_stand_beside_reduced_ones() -> None:
    """In the classic sheet's last column, 1/12 9/12 1/12 1/12, only 3/4 is also written over 12."""
    A = panel(SHEETS["classic"].key, "A").grid
    notes = {cell.address: cell.figure.note for cell in cells(A) if cell.figure and cell.figure.note}
    assert notes == {"A[2,4]": "= 9/12"}
    assert str(A.cells[1][3].figure) == "3/4"
    assert all(cell.figure and not cell.figure.note for cell in cells(panel(SHEETS["checked in rows"].key, "A").grid))


def test_exact_values_stand_beside_the_key_where_they_differ() -> None:
    """The stages up to S are the same both ways; scaled and all after it show the exact values."""
    key = SHEETS["standard"].key
    assert [panel.stage.name for panel in panels(key).all() if panel.exact] == ["scaled", "powers", "sums", "A", "Z"]
    exact = panel(key, "A").exact
    assert exact is not None
    values = key.solution["A"].exact
    assert figures(exact) == [[exact_figure(value, 2) for value in row] for row in values]


def test_the_exact_column_is_one_query_only() -> None:
    """On a blank sheet that asks for it, only the first query's exact values are printed."""
    assert not any(panel.exact for panel in panels(SHEETS["standard"].blank).all())
    blank = SHEETS["exact column"].blank
    exact = panel(blank, "A").exact
    assert exact is not None
    values = blank.solution["A"].exact
    assert figures(exact) == [[exact_figure(row[0], 2), None, None, None] for row in values]


def test_check_sums_are_printed_on_the_key_or_on_request() -> None:
    """The columns of K, Q, S and V add to …: on the key always, on a blank sheet if asked for."""
    plain, asked = SHEETS["standard"], SHEETS["exact column"]
    told = {
        name: [
            panel.stage.name
            for panel in panels(sheet).all()
            if any("add to" in as_plain(t.text) for t in panel.remarks)
        ]
        for name, sheet in (("key", plain.key), ("blank", plain.blank), ("asked", asked.blank))
    }
    assert told == {"key": ["K", "Q", "S", "V"], "blank": [], "asked": ["K", "Q", "S", "V"]}
    remark = as_plain(panel(SHEETS["classic"].key, "Q").remarks[0].text)
    assert remark.split("add to")[1].split() == ["5", "4", "3", "4"]


def test_grids_can_be_turned_and_cut() -> None:
    """A turned grid has its rows as columns; a cut one only the lines that are wanted."""
    grid = panel(SHEETS["classic"].key, "K").grid
    around = turned(grid, grid.name)
    assert (around.rows, around.columns) == (grid.columns, grid.rows)
    assert figures(around) == shown(SHEETS["classic"], transposed(SHEETS["classic"].solution["K"].hand))
    assert turned(around, grid.name) == grid
    cut = picked(grid, [2], [3, 0])
    assert [cell.address for cell in cut.cells[0]] == ["K[3,4]", "K[3,1]"]
    assert ([str(label) for label in cut.columns], len(cut.rows)) == (["k₄", "k₁"], 1)
    assert picked(grid, None, None) == grid
