"""The JSON sheet: its layout, that it is strict JSON, and that a blank one holds no answer."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.errors import ProblemError
from attnhand.formats.json_sheet import make_sheet_dict, render_json
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import parse_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.asked import apply_asked_data
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import format_json
from tests.building import CLASSIC, make_problem, replace_stage, transpose_given
from tests.formats.hostile import HOSTILE_TEXTS
from tests.oracle import (
    STAGE_NAMES,
    solve_by_hand_in_columns,
    solve_by_hand_in_rows,
    solve_exactly_in_columns,
    solve_exactly_in_rows,
)
from tests.strategies import problems

TINY = make_problem({"X": [[1, 0], [0, 2]], "W_Q": [[1, 1]], "W_K": [[1, -1]], "W_V": [[3, 1]]})
"""Two tokens, two features, d_k = d_v = 1."""


def parse_strict_json(text: str) -> Any:
    """Read JSON that holds no NaN or Infinity."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def keys(tree: Any) -> set[str]:
    """Return all keys at any depth."""
    if isinstance(tree, dict):
        return set(tree) | {key for value in tree.values() for key in keys(value)}
    return {key for value in tree for key in keys(value)} if isinstance(tree, list) else set()


def stage(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one stage of a JSON sheet."""
    found: dict[str, Any] = next(stage for stage in data["stages"] if stage["name"] == name)
    return found


# what it says


def test_a_tiny_sheet_in_full() -> None:
    """Every key of a solved sheet of somebody's own matrices, in order."""
    sheet = make_sheet_from_problem(TINY)
    data = make_sheet_dict(sheet)
    assert list(data) == [
        "format", "code", "mechanism", "convention", "sizes", "rules", "given", "stages", "questions",
        "comparison",
    ]  # fmt: skip
    assert data["format"] == "attnhand/1"
    assert data["code"] == sheet.code
    assert (data["mechanism"], data["convention"]) == ("self", "columns")
    assert data["sizes"] == {"tokens": 2, "features": 2, "d_k": 1, "d_v": 1}
    assert data["rules"] == {"scale": "half-floor", "base": "3", "decimals": 2}
    assert data["given"] == {
        "X": [["1", "0"], ["0", "2"]],
        "W_Q": [["1", "1"]],
        "W_K": [["1", "-1"]],
        "W_V": [["3", "1"]],
    }
    assert [stage["name"] for stage in data["stages"]] == list(STAGE_NAMES)
    assert stage(data, "S") == {
        "name": "S",
        "title": "Scores",
        "formula": "Kᵀ Q",
        "rows": ["k₁", "k₂"],
        "columns": ["q₁", "q₂"],
        "hand": [["1", "2"], ["-2", "-4"]],
        "exact": [[1.0, 2.0], [-2.0, -4.0]],
    }
    assert stage(data, "powers")["hand"] == [["1", "3"], ["1/3", "1/9"]]
    assert stage(data, "sums")["rows"] == ["Σ"]
    assert stage(data, "A")["hand"] == [["3/4", "27/28"], ["1/4", "1/28"]]
    assert data["comparison"]["same_top_token"] == data["comparison"]["of"] == 2
    exact = np.e / (np.e + np.e**-2)
    assert data["comparison"]["weight_moved"][0] == pytest.approx(exact - 0.75)
    assert data["comparison"]["largest_weight_change"] == pytest.approx(exact - 0.75)


def test_a_row_of_a_matrix_is_a_line() -> None:
    """People read the file too."""
    text = render_json(make_sheet_from_problem(TINY))
    assert '    "X": [\n      ["1", "0"],\n      ["0", "2"]\n    ],\n' in text
    assert '      "rows": ["k₁", "k₂"],\n' in text
    assert text.endswith("}\n")
    assert max(len(line) for line in text.splitlines() if '"text"' not in line) < 120


def test_a_drawn_sheet_tells_its_seed_and_level() -> None:
    """Somebody's own matrices have neither; a salt is told, not shown."""
    request = Request(seed=7, level=Level.WARM_UP, convention=Convention.ROWS)
    data = make_sheet_dict(make_sheet_from_request(request))
    assert (data["seed"], data["level"], data["convention"]) == (7, "warm-up", "rows")
    assert not {"salted", "words", "title", "only_queries"} & set(data)
    salted = make_sheet_dict(make_sheet_from_request(Request(seed=7), salt="pepper"))
    assert salted["salted"] is True
    assert "pepper" not in render_json(make_sheet_from_request(Request(seed=7), salt="pepper"))
    assert not {"seed", "level"} & set(make_sheet_dict(make_sheet_from_problem(TINY)))


def test_words_title_and_queries_stand_there_when_they_are_given() -> None:
    """Queries are counted from 1, and only named when some are not asked."""
    problem = make_problem(CLASSIC, words=("a", "b", "c", "d"), title="T")
    data = make_sheet_dict(make_sheet_from_problem(problem, PageOptions(only_queries=(1, 3))))
    assert (data["words"], data["title"], data["only_queries"]) == (["a", "b", "c", "d"], "T", [1, 3])
    assert data["comparison"]["of"] == 4


@pytest.mark.parametrize("scale", [ScaleRule.HALF_FLOOR, ScaleRule.NONE, ScaleRule.SQRT, 4])
@pytest.mark.parametrize("base", Base)
def test_rules_are_told_as_a_problem_file_has_them(scale: ScaleRule | int, base: Base) -> None:
    """A divisor is a number, a base a text; the sheet reads back as its problem."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC, rules=Rules(scale=scale, base=base, decimals=3)))
    assert make_sheet_dict(sheet)["rules"] == {"scale": scale, "base": base, "decimals": 3}
    assert parse_problem(render_json(sheet), source="-") == sheet.problem


def test_decimals_given_are_decimals_told() -> None:
    """A half is 0.5 where the problem was given in decimals, and the sheet reads back as it was."""
    problem = make_problem({**CLASSIC, "W_V": [["0.5", 0, 0, 0, 0, "-0.25"]]}, has_decimal_notation=True)
    sheet = make_sheet_from_problem(problem)
    assert make_sheet_dict(sheet)["given"]["W_V"] == [["0.5", "0", "0", "0", "0", "-0.25"]]
    assert parse_problem(render_json(sheet), source="-") == problem


@given(problems())
def test_every_solved_sheet_is_strict_json_with_the_oracles_numbers(problem: Problem) -> None:
    """Hand values are read by Fraction, exact ones are floats; the problem reads back."""
    sheet = make_sheet_from_problem(problem)
    data = parse_strict_json(render_json(sheet))
    assert data == make_sheet_dict(sheet)
    assert parse_problem(render_json(sheet), source="-") == problem
    given = {name: [[Fraction(x) for x in row] for row in a] for name, a in data["given"].items()}
    rows = problem.convention is Convention.ROWS
    scale = "none" if problem.rules.scale is ScaleRule.NONE else "sqrt"
    oracle = solve_exactly_in_rows(given, scale) if rows else solve_exactly_in_columns(given, scale)
    for name in oracle:
        np.testing.assert_allclose(np.array(stage(data, name)["exact"]), oracle[name], rtol=1e-9, atol=1e-12)
    if problem.rules.is_rational and all(x % 1 == 0 for a in given.values() for row in a for x in row):
        work = solve_by_hand_in_rows if rows else solve_by_hand_in_columns
        hand = work(given, problem.rules.scale, int(problem.rules.base))
        for name in hand:
            assert [[Fraction(x) for x in row] for row in stage(data, name)["hand"]] == hand[name]


def test_what_overflows_is_null() -> None:
    """A power beyond float64 is no number in JSON; the weights are still there."""
    size = [[1, 0], [0, 1]]
    given: dict[str, Any] = {"X": [[100, 0], [0, 100]], "W_Q": size, "W_K": size, "W_V": size}
    data = parse_strict_json(render_json(make_sheet_from_problem(make_problem(given, rules=Rules(scale=1000)))))
    assert stage(data, "powers")["exact"] == [[None, 1.0], [1.0, None]]
    assert stage(data, "sums")["exact"] == [[None, None]]
    assert stage(data, "A")["exact"] == [[1.0, 0.0], [0.0, 1.0]]


def test_irrational_hand_values_are_decimals_at_full_precision() -> None:
    """Fraction reads them; they are the nearest floats."""
    data = make_sheet_dict(make_sheet_from_problem(make_problem(CLASSIC, rules=Rules(base=Base.E))))
    assert float(Fraction(stage(data, "powers")["hand"][1][0])) == float(np.exp(2))
    assert stage(data, "scaled")["hand"][1][0] == "2"


# what a blank one hides


def replace_computed_values(sheet: Sheet) -> Sheet:
    """Return the sheet with every computed value replaced."""
    solution = sheet.solution
    for solved in sheet.solution:
        hand = tuple(tuple(987654 for _ in row) for row in solved.hand)
        exact = tuple(tuple(987.654 for _ in row) for row in solved.exact)
        solution = replace_stage(solution, solved.stage.name, hand=hand, exact=exact)
    return replace(sheet, solution=solution)


def test_what_cancels_is_0() -> None:
    """Powers such as 3^(1/4) and 3^(5/4) leave nothing where they cancel: not even in their 40th digit."""
    request = Request(
        seed=1527458187, level=Level.CHALLENGE, convention=Convention.ROWS, rules=Rules(scale=4, base=Base.THREE)
    )
    values = [
        float(Fraction(value))
        for solved in make_sheet_dict(make_sheet_from_request(request))["stages"]
        for side in ("hand", "exact")
        for row in solved[side]
        for value in row
    ]
    assert 0 in values
    assert min(abs(value) for value in values if value) > 1e-6


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("queries", [None, (2,)])
def test_a_blank_sheet_depends_on_no_answer(convention: Convention, queries: tuple[int, ...] | None) -> None:
    """Whatever the answers were, the blank text is the same; and it lacks their keys."""
    sheet = make_sheet_from_request(
        Request(seed=11, convention=convention), PageOptions(only_queries=queries, questions=QuestionAmount.NONE)
    )
    blank = parse_strict_json(render_json(sheet.blank))
    assert render_json(replace_computed_values(sheet).blank) == render_json(sheet.blank)
    assert render_json(replace_computed_values(sheet)) != render_json(sheet)
    assert not {"hand", "exact", "comparison"} & keys(blank)
    assert {"hand", "exact", "comparison"} <= keys(make_sheet_dict(sheet))
    assert {key for key in keys(make_sheet_dict(sheet)) if key not in keys(blank)} == {
        "hand", "exact", "comparison", "same_top_token", "of", "largest_weight_change", "weight_moved",
    }  # fmt: skip


# what may not break it


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_titles_and_words_stay_text(text: str) -> None:
    """They come back as they went in, in a blank sheet and in a problem read from a solved one."""
    problem = make_problem(CLASSIC, title=text, words=(text[:10], "a", "b", "c"))
    sheet = make_sheet_from_problem(problem)
    assert parse_strict_json(render_json(sheet.blank))["title"] == text
    assert parse_strict_json(render_json(sheet.blank))["words"] == list(problem.words)
    assert parse_problem(render_json(sheet).encode(), source="-") == problem


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), [float("nan")], {"a": float("inf")}])
def test_no_constant_that_json_lacks_can_be_written(value: object) -> None:
    """A value that slipped through is a bug, not a file."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        format_json(value)


def test_the_same_sheet_gives_the_same_text() -> None:
    """Twice made, in either convention, it is the same to the byte; rows are the columns transposed."""
    request = Request(seed=5)
    assert render_json(make_sheet_from_request(request)) == render_json(make_sheet_from_request(request))
    columns = make_sheet_dict(make_sheet_from_problem(make_problem(CLASSIC)))
    rows = make_sheet_dict(make_sheet_from_problem(make_problem(transpose_given(CLASSIC), convention=Convention.ROWS)))
    assert list(columns["sizes"]) == list(rows["sizes"])
    for name in STAGE_NAMES:
        turned = [list(line) for line in zip(*stage(rows, name)["hand"], strict=True)]
        assert stage(columns, name)["hand"] == turned
        assert stage(columns, name)["rows"] == stage(rows, name)["columns"]
    assert stage(rows, "S")["formula"] == "Q Kᵀ"


@pytest.mark.parametrize(
    "asked", [{"from_stage": "S"}, {"blank_stages": ["A", "Z"]}, {"only_queries": [1, 3], "from_stage": "scaled"}]
)
def test_what_is_asked_stands_in_it_and_is_read_again(asked: dict[str, Any]) -> None:
    """A sheet that prints some stages says so, and options from its JSON make it again; an option comes first."""
    options = apply_asked_data(PageOptions(), asked)
    data = make_sheet_dict(make_sheet_from_request(Request(seed=7), options).blank)
    assert {name: data[name] for name in ("only_queries", "from_stage", "blank_stages") if name in data} == asked
    assert apply_asked_data(PageOptions(from_stage="A", only_queries=(2,)), asked) == PageOptions(
        from_stage="A", only_queries=(2,)
    )


@pytest.mark.parametrize(
    "asked", [{"from_stage": 3}, {"blank_stages": "A"}, {"blank_stages": []}, {"only_queries": [True]}]
)
def test_what_is_asked_in_another_form_is_refused(asked: dict[str, Any]) -> None:
    """With what to write instead."""
    with pytest.raises(ProblemError, match=r"or take (it|them) out"):
        apply_asked_data(PageOptions(), asked)
