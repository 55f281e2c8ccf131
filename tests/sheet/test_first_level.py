"""The first sheet of a class: one query and one key are asked, the others and all values are printed."""

import csv
import html
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.solution import format_cell_address
from attnhand.errors import AttnhandError
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.json_sheet import render_json
from attnhand.formats.registry import FORMATS
from attnhand.formats.sources import make_sheet_from_data
from attnhand.formats.terminal import render_terminal
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import GridBox
from attnhand.marking.practice import Practice
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.formats.cloze import read_quiz
from tests.formats.otter_tests import collect_tests, read_sources
from tests.formats.test_xlsx import Recalculated
from tests.formats.workbooks import find_places, list_texts, read_cells
from tests.forms import FORMS
from tests.good_attention import find_faults
from tests.good_first_sheet import find_first_faults
from tests.marking.handing_in import make_answer_file, write_key
from tests.oracle import solve_by_hand_in_columns

CELLS = {"K": 2, "Q": 2, "V": 0, "S": 9, "scaled": 9, "powers": 9, "sums": 3, "A": 9, "Z": 6}
"""Counted on paper: 49."""

SEEDS = range(choose(25, 1000))


def make_first(seed: int, convention: Convention = Convention.COLUMNS, page: PageOptions | None = None) -> Sheet:
    """Make the first sheet of a seed."""
    return make_sheet_from_request(Request(seed=seed, level=Level.FIRST, convention=convention), page or PageOptions())


@pytest.mark.parametrize("convention", Convention)
def test_first_sheets_are_good_and_ask_49_cells(convention: Convention) -> None:
    """Numbers as on a warm-up, two products in the first cells, the cells, the code, and a key that an oracle has."""
    for seed in SEEDS:
        sheet = make_first(seed, convention)
        problem = json.loads(format_problem(sheet.problem))
        assert find_faults(problem, "first") + find_first_faults(problem) == [], seed
        counts = {stage.name: sheet.count_answer_cells(stage) for stage in sheet.problem.mechanism.stages}
        assert counts == CELLS
        assert decode_sheet_code(sheet.code).request == sheet.request
        is_rows = convention is Convention.ROWS
        turned = sheet.problem.transpose() if is_rows else sheet.problem
        worked = solve_by_hand_in_columns(dict(turned.given), "half-floor", 3)
        hand = sheet.solution.collect_hand_values()
        for name, a in worked.items():
            mine = [list(line) for line in (zip(*hand[name], strict=True) if is_rows else hand[name])]
            assert mine == [list(row) for row in a], (seed, name)


@pytest.mark.parametrize("convention", Convention)
def test_one_query_and_one_key_are_asked(convention: Convention) -> None:
    """Of Q and K the first token's vector: a column in columns, a row in rows."""
    sheet = make_first(7, convention)
    first = [(0, 0), (0, 1)] if convention is Convention.ROWS else [(0, 0), (1, 0)]
    for name in ("Q", "K"):
        assert [*sheet.list_asked_cells(sheet.problem.mechanism.get_stage(name))] == first
    assert {row.stage.name for row in Practice(sheet, {}).rows} == {name for name, count in CELLS.items() if count}


@pytest.mark.parametrize("convention", Convention)
def test_the_head_says_what_is_asked(convention: Convention) -> None:
    """That of K and Q one key and one query are; on no other level."""
    said = "of K and Q only k₁ and q₁, the others are printed"
    assert said in " ".join(render_terminal(make_first(7, convention).blank, width=200).split())
    assert "the others are printed" not in render_terminal(attnhand.generate(7, level="warm-up").blank, width=200)


@pytest.mark.parametrize("form", ["cross", "multi-head-2", "block-1", "self-causal", "self-words-positions", "basic"])
def test_every_mechanism_has_a_first_sheet(form: str) -> None:
    """Of every head one query and one key; what is made of them is asked as on any sheet."""
    for convention in Convention:
        sheet = make_sheet_from_request(Request(seed=3, variant=FORMS[form], level=Level.FIRST, convention=convention))
        for stage in sheet.problem.mechanism.stages:
            own = stage.name.rpartition(".")[2]
            if own in ("Q", "K", "V"):
                assert sheet.count_answer_cells(stage) == (0 if own == "V" else 2), stage.name
        decoded = decode_sheet_code(sheet.code, sheet.problem.variant.embedded_words)
        assert decoded.request == sheet.request


@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_write_it(name: str) -> None:
    """No format refuses it."""
    sheet = make_first(7)
    assert FORMATS[name].render_file(sheet.blank)


ASKED = {name: count for name, count in CELLS.items() if count}

PLACE = "…"
"""What stands here for a field."""


def read_tables(html: str) -> list[list[list[str]]]:
    """Return the tables of a question by rows, numbers as they stand and fields as places."""
    tables = [re.findall(r"<tr>(.*?)</tr>", table) for table in re.findall(r"<tbody>(.*?)</tbody>", html)]
    rows = [[re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table] for table in tables]
    is_number = re.compile(r"−?\d+").fullmatch
    return [[[cell.replace("−", "-") if is_number(cell) else PLACE for cell in row] for row in table] for table in rows]


def list_question_tables(name: str, data: bytes) -> tuple[list[list[list[list[str]]]], list[float]]:
    """Return the tables of the question for each stage, and its points."""
    count = len(ASKED)
    if name == "moodle":
        questions = read_quiz(data.decode())[1][:count]
        points = [float(sum(field.weight for field in question.fields)) for question in questions]
        return [read_tables(question.text) for question in questions], points
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if name == "qti12":
            quiz = package.read("quiz/quiz.xml").decode()
            texts = [
                html.unescape(each) for each in re.findall(r"<presentation>.*?</mattext>", quiz, re.DOTALL)[:count]
            ]
            entry = r"points_possible</fieldlabel>\s*<fieldentry>([\d.]+)"
            return list(map(read_tables, texts)), [float(each) for each in re.findall(entry, quiz)[:count]]
        items = [package.read(each).decode() for each in sorted(package.namelist()) if each.startswith("items/")]
    most = [re.search(r'identifier="MAXSCORE".*?<value>([\d.]+)', item, re.DOTALL) for item in items[:count]]
    bodies = [item.partition("<itemBody>")[2].partition("</itemBody>")[0] for item in items[:count]]
    return list(map(read_tables, bodies)), [float(each[1]) for each in most if each]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", ["moodle", "qti12", "qti21"])
def test_a_quiz_shows_what_is_printed_and_asks_the_rest(name: str, convention: Convention) -> None:
    """Of its own numbers K and Q have two fields, and beside them what the tables above give; a point a field."""
    tables, points = list_question_tables(name, FORMATS[name].render_file(make_first(7, convention).blank))
    order = [stage.name for stage in make_first(7).problem.mechanism.stages if stage.name in ASKED]
    assert points == [ASKED[stage] for stage in order]
    for stage, (*inputs, own) in zip(order, tables, strict=True):
        places = [(i, j) for i, row in enumerate(own) for j, cell in enumerate(row) if cell == PLACE]
        assert len(places) == ASKED[stage]
        if stage in "KQ":
            left, right = (np.array(each, dtype=int) for each in inputs)
            made = left @ right
            assert {place[convention is Convention.COLUMNS] for place in places} == {0}
            shown = {(i, j): int(cell) for i, row in enumerate(own) for j, cell in enumerate(row) if cell != PLACE}
            assert shown == {(i, j): value for (i, j), value in np.ndenumerate(made) if (i, j) not in places}


@pytest.mark.parametrize("convention", Convention)
def test_every_file_shows_what_is_printed_and_asks_the_rest(convention: Convention) -> None:
    """STACK, notebook, spreadsheet, table, web page and JSON: 49 points, a field in no printed cell, and its number."""
    sheet = make_first(7, convention)
    blank, hand = sheet.blank, sheet.solution.collect_hand_values()
    asked = {(stage.name, *cell) for stage in sheet.problem.mechanism.stages for cell in sheet.list_asked_cells(stage)}
    printed = {(name, *cell) for name in "KQV" for cell in np.ndindex(len(hand[name]), len(hand[name][0]))} - asked
    assert len(asked) == 49
    assert len(printed) == 2 * 4 + 6

    stack = FORMATS["stack"].render(blank).decode()
    assert re.findall(r"<defaultgrade>(.*?)<", stack)[0] == "49"
    assert sum(float(each) for each in re.findall(r"<prt>.*?<value>(.*?)<", stack, re.DOTALL)) == 49
    hints = [each[7:-1] for each in re.findall(r"<syntaxhint>(.*?)<", stack)]
    filled = [json.loads(f"[{hint.replace('x', 'null').replace('(', '').replace(')', '')}]") for hint in hints]
    assert sum(cell is None for a in filled for row in a for cell in row) == 49

    notebook = FORMATS["notebook"].render(blank).decode()
    assert sum(sum(points) for points, _ in collect_tests(notebook).values()) == 49
    prompts = {name: next(s for s in read_sources(notebook) if s.startswith(f"{name} = [")) for name in "QK"}
    for at, name in enumerate("QK"):
        rows = eval(prompts[name].partition("PROMPT\n")[2].partition(" = ")[2].partition('"""')[0])
        for (i, j), value in np.ndenumerate(np.array(hand[name])):
            is_asked = (name, i, j) in asked
            assert filled[at][i][j] == (None if is_asked else value)
            assert rows[i][j] == (... if is_asked and (name, i, j) != sheet.worked_cell else value)

    workbook = FORMATS["xlsx"].render(make_first(7, convention, PageOptions(self_check=True)).blank)
    assert "Total ______ / 49" in {str(cell.value) for cell in read_cells(FORMATS["xlsx"].render(blank)).values()}
    addresses = {place for place in find_places(read_cells(workbook)) if place.partition("[")[0] in CELLS}
    assert addresses == {format_cell_address(*place) for place in asked if place != sheet.worked_cell}
    for label, texts in (("right", write_key(sheet)), ("wrong", make_wrong(sheet))):
        values = Recalculated(workbook, list_texts(texts)).values.values()
        assert f"Total {attnhand.check(texts, sheet).marks.score} / 49" in values, label

    table = list(csv.reader(io.StringIO(render_csv(blank))))
    layout = lay_out(blank)
    page = make_script_data(blank, layout)
    assert page is not None
    fields = {(stage["name"], cell["row"], cell["column"]) for stage in page["stages"] for cell in stage["cells"]}
    assert (page["count"], fields) == (49, {place for place in asked if place != sheet.worked_cell})
    grids = [item.grid for each in layout.pages for item in each.items if isinstance(item, GridBox)]
    shown = {cell.address: str(cell.number) for g in grids for row in g.cells for cell in row if cell.address}
    for name, i, j in printed:
        assert table[table.index([name]) + 1 + i][j] == str(hand[name][i][j])
        assert shown[format_cell_address(name, i, j)].replace("−", "-") == str(hand[name][i][j])

    data = json.loads(render_json(blank))
    again = make_sheet_from_data(data, "first.json", "first", SheetOrder(), PageOptions()).sheet
    assert (again.solution, again.code, again.answer_cell_count) == (sheet.solution, sheet.code, 49)


def make_wrong(sheet: Sheet) -> dict[str, list[list[str]]]:
    """Return the key with other numbers in the last cell that is asked of K and in all that are printed beside it."""
    texts = {name: [list(row) for row in rows] for name, rows in write_key(sheet).items()}
    asked = sheet.list_asked_cells(sheet.problem.mechanism.get_stage("K"))
    for i, j in np.ndindex(*np.shape(texts["K"])):
        if ("K", i, j) != sheet.worked_cell:
            texts["K"][i][j] = "66" if (i, j) == asked[-1] else "77"
    return texts


def test_notebook_and_stack_show_what_is_printed() -> None:
    """A matrix to fill holds the printed numbers and nothing in the cells that are asked."""
    sheet = attnhand.generate(7, level="first")
    k = sheet.solution["K"].hand
    assert f"[..., {k[1][1]}, {k[1][2]}]" in sheet.notebook()
    assert f"matrix([x,{k[0][1]},{k[0][2]}],[x,{k[1][1]},{k[1][2]}])" in sheet.stack().replace("(-1)", "-1")


def test_check_counts_what_is_asked(tmp_path: Path) -> None:
    """All answers right is 49 of 49, whatever stands in the cells that are printed."""
    sheet = make_first(7)
    rows = write_key(sheet)
    for name in ("Q", "K"):
        for row in rows[name]:
            row[2] = "99"
    path = tmp_path / "sara.json"
    path.write_text(make_answer_file(sheet, rows, with_sheet=True), encoding="utf-8")
    found = attnhand.check(path)
    assert (len(found.marks.cells), found.is_all_correct) == (49, True)


def test_stages_that_are_named_are_asked_whole() -> None:
    """Whoever says which stages are blank is asked no less."""
    assert attnhand.generate(7, level="first", from_stage="Q").answer_cell_count == 49 + 2 * 4 + 6
    assert attnhand.generate(7, level="first", blank_stages=["V"]).answer_cell_count == 6


def test_fading_is_refused() -> None:
    """Both say what is printed."""
    with pytest.raises(AttnhandError, match="both say what is printed"):
        attnhand.generate(7, level="first", fade=True)


def test_a_phone_asks_for_the_guess_before_the_scores() -> None:
    """With the scores and nowhere else; where nothing is asked beside the cells, not at all."""
    for questions, stages in (("few", ["S"]), ("none", [])):
        blank = attnhand.generate(7, level="first", questions=questions).blank
        data = make_script_data(blank, lay_out(blank))
        assert data is not None
        assert [stage["name"] for stage in data["stages"] if "Guess" in stage.get("guess", "")] == stages


def test_the_guess_stands_with_the_scores() -> None:
    """Behind the heading of the scores, before their numbers; nothing is guessed before keys and queries are there."""
    for level in ("first", "warm-up"):
        text = render_terminal(attnhand.generate(7, level=level).blank, width=200)
        assert text.index("Q = W_Q X") < text.index("2 Scores") < text.index("Guess before S:") < text.index("3 Scale")
