"""The CSV sheet: its blocks, its empty cells, and texts that a spreadsheet must not run."""

import csv
import io
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given

from attnhand.attention.arithmetic import Base, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.formats.csv_sheet import render_csv
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.tables import escape_formula
from tests.building import CLASSIC, Rows, make_problem, replace_stage, transpose_given
from tests.formats.hostile import HOSTILE_TEXTS
from tests.oracle import STAGE_NAMES
from tests.strategies import problems

GIVEN = ("X", "W_Q", "W_K", "W_V")
ASKED = ("ask1", "ask2", "ask3", "ask4", "ask5")
"""Two questions and the cells of a try."""

Block = list[list[str]]


def cells(text: str) -> Block:
    """Read CSV as a spreadsheet does."""
    return list(csv.reader(io.StringIO(text, newline="")))


def blocks(sheet: Sheet) -> dict[str, Block]:
    """Return the matrices of a CSV sheet by name, as many rows as follow the name."""
    found: dict[str, Block] = {}
    rows: Block = []
    after_gap = False
    for row in cells(render_csv(sheet)):
        if after_gap:
            rows = found.setdefault(row[0], [])
            assert len(row) == 1
        elif row:
            rows.append(row)
        after_gap = not row
    return found


def test_a_tiny_blank_sheet_in_full() -> None:
    """Code, hint, given matrices, then a name and empty cells for every stage; lines end with CRLF."""
    tiny: dict[str, Rows] = {"X": [[1, "1/3"], [0, -2]], "W_Q": [[1, 1]], "W_K": [[1, -1]], "W_V": [[3, 1]]}
    sheet = make_sheet_from_problem(make_problem(tiny))
    expected = [
        f"attnhand,{sheet.code}",
        "a spreadsheet turns 1/3 into a date: type 0 1/3 or =1/3",
        *("", "X", "1,1/3", "0,-2"),
        *("", "W_Q", "1,1"),
        *("", "W_K", "1,-1"),
        *("", "W_V", "3,1"),
        *("", "Q", ","),
        *("", "K", ","),
        *("", "V", ","),
        *("", "S", ",", ","),
        *("", "scaled", ",", ","),
        *("", "powers", ",", ","),
        *("", "sums", ","),
        *("", "A", ",", ","),
        *("", "Z", ","),
        *("", "ask1", ',"In z1, which token\'s value has the largest share?"'),
        *(
            "",
            "ask2",
            ",What if v1 alone were different? What of A and Z would change: both / A alone / Z alone / nothing?",
        ),
        *(
            "",
            "ask3",
            ',"Try: where do the W come from? Raise W_Q[1,1] by 1 for the first two answers. '
            "Then take the old W_Q again, and change one number of it so that q1 looks most at token 1. "
            'Number 1 of q1 then"',
        ),
        *("", "ask4", ",Its score with k1 then"),
        *("", "ask5", ',"W_Q[row, column] = ... (any that does it is right)"'),
    ]
    assert render_csv(sheet.blank) == "".join(f"{line}\r\n" for line in expected)


def test_the_classic_solved() -> None:
    """Fractions are written with a slash and an ASCII minus; exact values follow."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC))
    found = blocks(sheet)
    assert list(found) == [*GIVEN, *STAGE_NAMES, *ASKED, *(f"{name} exact" for name in STAGE_NAMES)]
    assert found["S"] == [["3", "2", "2", "1"], ["4", "3", "1", "5"], ["-1", "-1", "-2", "1"], ["3", "2", "2", "1"]]
    assert [row[0] for row in found["A"]] == ["9/46", "27/46", "1/46", "9/46"]
    assert found["sums"] == [["46/3", "28/3", "22/3", "12"]]
    for name in STAGE_NAMES:
        assert [[float(x) for x in row] for row in found[f"{name} exact"]] == [
            list(row) for row in sheet.solution[name].exact
        ]
    assert not any("−" in cell for name in (*GIVEN, *STAGE_NAMES) for row in found[name] for cell in row)


def test_rows_are_the_columns_transposed() -> None:
    """The matrices lie as the sheet's own convention has them; a lone empty cell is still a line of its own."""
    sheet = make_sheet_from_problem(make_problem(transpose_given(CLASSIC), convention=Convention.ROWS))
    columns = blocks(make_sheet_from_problem(make_problem(CLASSIC)))
    rows = blocks(sheet)
    for name in (*GIVEN, *STAGE_NAMES):
        assert rows[name] == [list(line) for line in zip(*columns[name], strict=True)]
    assert blocks(sheet.blank)["sums"] == [[""], [""], [""], [""]]
    assert '\r\nsums\r\n""\r\n""\r\n""\r\n""\r\n' in render_csv(sheet.blank)


@pytest.mark.parametrize("convention", Convention)
def test_only_the_asked_queries_are_empty(convention: Convention) -> None:
    """Printed stages are filled in, cells of other queries hold a dash, blank or solved."""
    sheet = make_sheet_from_request(Request(seed=7, convention=convention), PageOptions(only_queries=(1, 3)))
    blank, solved = blocks(sheet.blank), blocks(sheet)
    assert blank["K"] == solved["K"]
    assert blank["V"] == solved["V"]
    assert not any(cell == "" for row in blank["K"] + blank["V"] for cell in row)
    for name in ("Q", "S", "scaled", "powers", "sums", "A", "Z"):
        for found, inside in ((blank[name], {""}), (solved[name], None), (solved[f"{name} exact"], None)):
            lines = found if convention is Convention.ROWS else [list(line) for line in zip(*found, strict=True)]
            assert set(lines[1]) == set(lines[3]) == {"-"}
            assert "-" not in lines[0] + lines[2]
            assert inside is None or set(lines[0]) | set(lines[2]) == inside
    assert blank["X"] == solved["X"]
    assert not any("-" in row for row in blank["X"])


@given(problems())
def test_every_value_can_be_read_back(problem: Problem) -> None:
    """Given numbers exactly, hand values exactly where they are fractions."""
    sheet = make_sheet_from_problem(problem)
    found = blocks(sheet)
    for name, a in problem.given:
        assert tuple(tuple(map(Fraction, row)) for row in found[name]) == a
    if problem.rules.is_rational:
        for name in ("Q", "K", "V", "S"):
            assert tuple(tuple(map(Fraction, row)) for row in found[name]) == sheet.solution[name].hand


def test_irrational_values_are_decimals_and_what_overflows_is_empty() -> None:
    """A spreadsheet can add up a decimal; a power beyond float64 has no number."""
    found = blocks(make_sheet_from_problem(make_problem(CLASSIC, rules=Rules(base=Base.E))))
    assert float(found["powers"][0][0]) == pytest.approx(2.718281828459045)
    eye: Rows = [[1, 0], [0, 1]]
    large = make_problem({"X": [[100, 0], [0, 100]], "W_Q": eye, "W_K": eye, "W_V": eye}, rules=Rules(scale=1000))
    assert blocks(make_sheet_from_problem(large))["powers exact"] == [["", "1.0"], ["1.0", ""]]


# what a blank one hides


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("queries", [None, (2,)])
def test_a_blank_sheet_depends_on_no_answer(convention: Convention, queries: tuple[int, ...] | None) -> None:
    """With other answers in it, a blank sheet reads the same; only stages printed for the student may differ.

    Whether a question can be asked depends on the numbers; what it tells is tested with the pages.
    """
    sheet = make_sheet_from_request(
        Request(seed=11, convention=convention), PageOptions(only_queries=queries, questions=QuestionAmount.NONE)
    )
    other = sheet.solution
    for solved in sheet.solution:
        if not sheet.is_printed(solved.stage):
            hand = tuple(tuple(987654 for _ in row) for row in solved.hand)
            exact = tuple(tuple(987.654 for _ in row) for row in solved.exact)
            other = replace_stage(other, solved.stage.name, hand=hand, exact=exact)
    tampered = replace(sheet, solution=other)
    assert render_csv(tampered.blank) == render_csv(sheet.blank)
    assert render_csv(tampered) != render_csv(sheet)
    assert "exact" not in render_csv(sheet.blank)


# what may not break it

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://example.com")',
    "\t=1",
    "\r=1",
    "\n=1",
    "\tx",
    "\rx",
    " =1",
    "   +1",
    "\u00a0-1",
    "\ufeff=1",
    "\u200b=1",
    "\u200b \ufeff@x",
    "\u2060=1",
    "\u3000=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    " ＝1",
    "=",
    "-",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_like_a_formula_is_marked_as_text(text: str) -> None:
    """An apostrophe before it, whatever invisible characters come first."""
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["cat", "the cat", "a=b", "1+1", "'x", "", "½", "x@y", "x-1"])
def test_an_ordinary_text_is_left_alone(text: str) -> None:
    """Signs inside a word do nothing."""
    assert escape_formula(text) == text


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_titles_and_words_stay_in_their_cells(text: str) -> None:
    """They come back whole behind `title` and `words`, and move nothing else."""
    words = (text[:10], "=a", "b", "-c")
    sheet = make_sheet_from_problem(make_problem(CLASSIC, title=text, words=words))
    rows = cells(render_csv(sheet.blank))
    assert rows[2] == ["title", escape_formula(text)]
    assert rows[3] == ["words", *map(escape_formula, words)]
    plain = make_sheet_from_problem(make_problem(CLASSIC))
    assert rows[4:] == cells(render_csv(plain.blank))[2:]


def test_negative_numbers_are_no_formulas() -> None:
    """A number stays a number, so that a spreadsheet can work with it."""
    assert ["-1", "-1", "-2", "1"] in cells(render_csv(make_sheet_from_problem(make_problem(CLASSIC))))
