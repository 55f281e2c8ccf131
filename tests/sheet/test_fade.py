"""A faded sheet: the first token solved, the second begun, the rest to do; what is printed is not asked."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf import PdfReader

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import format_exact
from attnhand.attention.questions import Part
from attnhand.errors import AttnhandError
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import GridBox
from attnhand.marking.practice import Practice
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.grids import CellKind, GridStyle
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose, pair_up
from tests.drawn_sheets import FURTHER_FORMS
from tests.forms import FORMS
from tests.marking.handing_in import make_answer_file, write_key

NAMES = ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions", "basic-words")
SHEETS = {
    f"{name} {convention}": make_sheet_from_request(
        Request(
            seed=7,
            variant=(FORMS | FURTHER_FORMS)[name],
            convention=convention,
            level=choose(Level.WARM_UP, Level.STANDARD),
        ),
        PageOptions(fade=True),
    )
    for name, convention in pair_up(NAMES, [*Convention])
}
FADED = choose(dict([*SHEETS.items()][1::2]), SHEETS)
ALL = pytest.mark.parametrize("sheet", FADED.values(), ids=FADED)

LATER = ("masked", "powers", "sums", "A", "Z", "concat", "output", "F1", "relu1", "F2", "relu2")
"""What the second token leaves to do: all from the mask on."""

READ_BY_ALL = ("X", "E", "K", "V")
"""What the first token reads of every token: it could not be followed without."""


def list_cells(sheet: Sheet) -> Iterator[tuple[Stage, int, int, int]]:
    """Yield every stage that a student may fill, with row, column and token of each of its cells (0-based)."""
    for stage in sheet.problem.mechanism.stages:
        if stage.name != "P":
            rows, columns = (sheet.problem.get_length(axis) for axis in (stage.rows, stage.columns))
            for i in range(rows):
                for j in range(columns):
                    yield stage, i, j, i if sheet.convention.is_rows else j


@ALL
def test_the_first_token_is_solved_and_the_second_begun(sheet: Sheet) -> None:
    """Of the first all is printed, with what it reads; of the second what comes before the mask and the softmax."""
    causal = sheet.problem.variant.is_causal
    for stage, i, j, token in list_cells(sheet):
        own = stage.name.rpartition(".")[2]
        key, query = (j, i) if sheet.convention.is_rows else (i, j)
        is_zero = causal and own in ("powers", "A") and key > query
        is_printed = token == 0 or (token == 1 and own not in LATER) or is_zero or own in READ_BY_ALL
        assert sheet.is_cell_printed(stage, i, j) is is_printed, (stage.name, i, j)
        assert ((i, j) in sheet.list_asked_cells(stage)) is not is_printed


@pytest.mark.parametrize("name", choose([*SHEETS][::3], [*SHEETS]))
def test_pages_print_it_and_ask_the_rest(name: str) -> None:
    """Given numbers where it is printed, on blank and key alike; copies of printed cells have their numbers too."""
    sheet = SHEETS[name]
    for face in (sheet.blank, sheet.key):
        grids = [item.grid for page in lay_out(face).pages for item in page.items if isinstance(item, GridBox)]
        cells = {cell.address: cell for grid in grids for row in grid.cells for cell in row if cell.address}
        expected = {}
        for stage, i, j, _ in list_cells(sheet):
            asked = CellKind.ANSWER if face.is_solved else CellKind.BLANK
            kind = CellKind.GIVEN if sheet.is_cell_printed(stage, i, j) else asked
            expected[f"{stage.name}[{i + 1},{j + 1}]"] = kind
        if not face.is_solved:
            expected |= {question.name: CellKind.BLANK for question in build_questions(sheet) if question.name}
        assert {address: cell.kind for address, cell in cells.items()} == expected
        copies = [cell for grid in grids if grid.style is GridStyle.COPY for row in grid.cells for cell in row]
        for cell in (cell for cell in copies if cell.copied_from):
            assert (cell.number is None) is (cells[cell.copied_from].kind is CellKind.BLANK)


@ALL
def test_its_key_is_the_plain_key(sheet: Sheet) -> None:
    """The same numbers in the same places, whatever was printed."""
    plain = make_sheet_from_request(sheet.request) if sheet.request else sheet
    assert plain.solution.collect_hand_values() == sheet.solution.collect_hand_values()

    def read_numbers(each: Sheet) -> dict[str, str]:
        grids = [item.grid for page in lay_out(each).pages for item in page.items if isinstance(item, GridBox)]
        return {cell.address: str(cell.number) for g in grids for row in g.cells for cell in row if cell.address}

    assert read_numbers(plain.key) == read_numbers(sheet.key)
    assert plain.code != sheet.code


@ALL
def test_its_code_gives_it_back(sheet: Sheet) -> None:
    """The code on the paper says that it fades: the key by that code is the key of this sheet."""
    words = sheet.problem.variant.embedded_words
    decoded = decode_sheet_code(sheet.code, words)
    assert (decoded.request, decoded.is_faded) == (sheet.request, True)
    again = attnhand.key(sheet.code, words=words or None)
    assert (again.options.fade, again.code) == (True, sheet.code)
    assert again.solution.collect_hand_values() == sheet.solution.collect_hand_values()
    assert sheet.request is not None
    assert not decode_sheet_code(make_sheet_from_request(sheet.request).code, words).is_faded


@ALL
def test_files_hold_what_is_printed_and_no_more(sheet: Sheet) -> None:
    """The blank CSV has the printed numbers; web sheet and practice ask the others; JSON says that it fades."""
    rows = list(csv.reader(io.StringIO(render_csv(sheet.blank))))
    for stage in sheet.problem.mechanism.stages:
        start = rows.index([stage.name]) + 1
        if stage.name == "P":
            continue
        for i, line in enumerate(sheet.solution[stage.name].hand):
            for j, value in enumerate(line):
                expected = format_exact(value) if sheet.is_cell_printed(stage, i, j) else ""
                assert rows[start + i][j] == expected
    assert ["fade", "true"] in rows
    assert json.loads(FORMATS["json"].render(sheet.blank))["fade"] is True
    asked = {(stage.name, i, j) for stage, i, j, _ in list_cells(sheet) if not sheet.is_cell_printed(stage, i, j)}
    data = make_script_data(sheet.blank, lay_out(sheet.blank))
    assert data is not None
    assert {(s["name"], cell["row"], cell["column"]) for s in data["stages"] for cell in s["cells"]} == asked
    practised = {(row.stage.name, row.row, column) for row in Practice(sheet, {}).rows for column in row.columns}
    assert practised == asked
    assert len(asked) == sheet.answer_cell_count
    assert "q₁ is solved, q₂ begun" in (text := render_terminal(sheet.blank, width=200)) or "x₁ is solved" in text


@ALL
def test_check_counts_what_is_asked(sheet: Sheet, tmp_path: Path) -> None:
    """All answers right is everything; nonsense where numbers are printed changes nothing."""
    rows = write_key(sheet)
    for stage, i, j, _ in list_cells(sheet):
        if stage.name in rows and sheet.is_cell_printed(stage, i, j):
            rows[stage.name][i][j] = "99"
    has_words = bool(sheet.problem.variant.embedded_words)
    for with_sheet in (True,) if has_words else (True, False):
        path = tmp_path / "sara.json"
        path.write_text(make_answer_file(sheet, rows, with_sheet=with_sheet), encoding="utf-8")
        found = attnhand.check(path)
        assert found.sheet.options.fade
        assert (len(found.marks.cells), found.is_all_correct) == (sheet.answer_cell_count, True)


def test_only_some_queries_can_fade() -> None:
    """The first that is asked is solved, the second begun; keys and values are printed anyhow."""
    sheet = attnhand.generate(7, only_queries=[1, 3, 4], fade=True)
    scores, powers = (sheet.problem.mechanism.get_stage(name) for name in ("S", "powers"))
    assert [sheet.is_cell_printed(scores, 0, query) for query in (0, 2, 3)] == [True, True, False]
    assert [sheet.is_cell_printed(powers, 0, query) for query in (0, 2, 3)] == [True, False, False]


def test_a_form_has_no_field_for_what_is_printed() -> None:
    """As many fields as cells and questions are asked, beside name, date and the code that is seen nowhere."""
    sheet = attnhand.generate(7, level="warm-up", fade=True, fillable=True)
    fields = PdfReader(io.BytesIO(sheet.blank.pdf())).get_fields()
    assert fields is not None
    questions = [question for question in build_questions(sheet) if question.name]
    assert len(fields) == sheet.answer_cell_count + len(questions) + 3


def test_own_matrices_fade_and_say_so(tmp_path: Path) -> None:
    """Their code cannot: the sheet in the answer file says it."""
    eye = [[1, 0], [0, 1]]
    sheet = attnhand.solve(X=[[1, 0, 2], [0, 1, 1]], W_Q=eye, W_K=eye, W_V=[[4, 8], [1, 0]], fade=True)
    for name, text in (("json", make_answer_file(sheet, write_key(sheet), with_sheet=True)), ("csv", None)):
        path = tmp_path / f"sara.{name}"
        path.write_text(text or render_csv(sheet.blank), encoding="utf-8")
        found = attnhand.check(path, sheet if text is None else None)
        assert found.sheet.options.fade
        assert (found.is_all_correct, len(found.marks.cells)) == (text is not None, sheet.answer_cell_count)


def test_minutes_count_what_is_asked() -> None:
    """Fewer cells, fewer products, fewer minutes than the plain sheet."""
    plain, faded = (attnhand.generate(7, fade=fade) for fade in (False, True))
    keys_and_values, first, second = 12 + 12, 3 + 4 + 4 + 4 + 1 + 4 + 3, 3 + 4 + 4
    assert plain.answer_cell_count - faded.answer_cell_count == keys_and_values + first + second
    products = 6 * 6 + 8 * 3 + 9 * 4  # of Q, S and Z
    assert f"{faded.answer_cell_count} cells, {products} products" in render_terminal(faded.blank)


def test_a_trace_of_the_solved_query_is_solved() -> None:
    """Its scores, weights and output stand on the page of its trace, and all that they read."""
    for fade, places in ((True, 0), (False, 4 * 4 + 1 + 5 * 3)):
        text = render_terminal(attnhand.generate(7, fade=fade, trace=1).blank, width=200)
        assert len(re.findall(r"(?<!_)____(?!_)", text[text.index("journey") :])) == places


@pytest.mark.parametrize(
    "other", [{"mistake": "any"}, {"from_stage": "S"}, {"blank_stages": ["A"]}, {"only_queries": [2]}], ids=str
)
def test_what_contradicts_it_is_refused_by_name(other: dict[str, object]) -> None:
    """A mistake, a first stage, blank stages, a single query."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(7, fade=True, **other)  # type: ignore[arg-type]  # arguments by name
    assert all(name in str(refusal.value) for name in ("fade", *other))


def test_no_guess_is_asked_whose_scores_are_printed() -> None:
    """Whoever guesses where a query looks has not its scores before them; where all are printed, nobody is asked."""
    for seed in range(1, 9):
        sheet = attnhand.generate(seed, fade=True)
        (guess,) = (each.parameters.query for each in sheet.posed_questions if each.question.part is Part.GUESS)
        cells = [cell[1:3] for cell in list_cells(sheet) if cell[0].name == "S" and cell[3] == guess]
        assert cells
        assert not any(sheet.is_cell_printed(sheet.problem.mechanism.get_stage("S"), *cell) for cell in cells)
    two = attnhand.generate(7, fade=True, only_queries=[1, 2])
    assert not {Part.GUESS, Part.AGAIN} & {each.question.part for each in two.posed_questions}
