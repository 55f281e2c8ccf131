"""The first sheet of a class: one query and one key are asked, the others and all values are printed."""

import json
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.marking.practice import Practice
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.forms import FORMS
from tests.good_attention import find_faults
from tests.good_first_sheet import find_first_faults
from tests.marking.handing_in import make_answer_file, write_key
from tests.oracle import solve_by_hand_in_columns

CELLS = {"K": 2, "Q": 2, "V": 0, "S": 9, "scaled": 9, "powers": 9, "sums": 3, "A": 9, "Z": 6}
"""Counted on paper: 49."""

SEEDS = range(choose(25, 1000))


def make_first(seed: int, convention: Convention = Convention.COLUMNS) -> Sheet:
    """Make the first sheet of a seed."""
    return make_sheet_from_request(Request(seed=seed, level=Level.FIRST, convention=convention))


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
