"""``attnhand explain``: what it prints, of every source, with every spelling of a cell."""

import json
from pathlib import Path

import pytest

import attnhand
from attnhand.sheet.explain import explain
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import get_sample_dir
from tests.cli.running import OWN_PROBLEM, read_files, run_refused, run_well, write_own_problem

SEED_7 = "A1Q0-0000-000W"


def print_explanation(sheet: Sheet, cell: str) -> str:
    """Lay out an explanation as the command prints it."""
    explanation = explain(sheet, cell)
    blocks = [[explanation.title, *filter(None, [explanation.purpose])]]
    for heading, lines in (("by hand:", explanation.by_hand), ("exactly:", explanation.exactly)):
        if lines:
            blocks.append([heading, *(f"  {line}" for line in lines)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


@pytest.fixture(autouse=True)
def make_terminal_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no line broken."""
    monkeypatch.setenv("COLUMNS", "500")


@pytest.mark.parametrize(
    ("command", "width", "after_a_break"),
    [
        ("7 S23", 80, "even 0 over −2."),
        ("7 A23", 60, "    = 3/16"),
        ("7 q3 --tokens 10 --features 8", 80, "    + 5.65"),
        ("7 q3 --tokens 9 --features 8 --convention rows --causal", 60, "    = 5.13"),
    ],
)
def test_lines_end_at_the_edge(command: str, width: int, after_a_break: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 60 and 80 columns nothing is wider, nothing is lost, and a broken line goes on further in."""
    whole = run_well("explain", *command.split()).text
    monkeypatch.setenv("COLUMNS", str(width))
    broken = run_well("explain", *command.split())
    assert max(map(len, broken.lines)) <= width
    assert broken.text.split() == whole.split()
    assert any(line.startswith(after_a_break) for line in broken.lines), broken.text


def test_a_score_in_full() -> None:
    """What stands in its row and column, the sum of products, by hand and exactly; no file is made."""
    assert run_well("explain", "7", "S23").lines == [
        "S[2,3], scores: row k₂ of Kᵀ · column q₃ of Q",
        "A score says how well a key fits a query. Within a query the largest score wins, even 0 over −2.",
        "",
        "by hand:",
        "  row k₂ of Kᵀ: 0 −2 3",
        "  column q₃ of Q: −1 1 1",
        "  0·(−1) + (−2)·1 + 3·1 = 1",
        "",
        "exactly:",
        "  the same: no shortcut has been taken so far",
    ]
    assert read_files() == {}


def sample(name: str) -> Sheet:
    """Solve a sample through the API."""
    return attnhand.solve(json.loads((get_sample_dir() / f"{name}.json").read_bytes()))


@pytest.mark.parametrize(
    "spelling", ["S[2,3]", "S.2.3", "S23", "k2q3", "q3k2", "S[ 2, 3 ]", " S23 ", "S[02,03]", "S.02.03"]
)
def test_a_cell_has_several_spellings(spelling: str) -> None:
    """With brackets, with points, with digits alone, by key and query."""
    assert run_well("explain", "7", spelling) == run_well("explain", "7", "S[2,3]")


@pytest.mark.parametrize("convention", ["columns", "rows"])
@pytest.mark.parametrize(
    "cell",
    ["X[1,2]", "W_Q[3,2]", "W_K.1.1", "W_V33", "Q11", "K[3,3]", "V.2.2", "S44", "scaled12", "powers[2,1]", "sums11",
     "Σ[1,1]", "A[4,4]", "Z31"],
)  # fmt: skip
def test_every_matrix_is_explained(cell: str, convention: str) -> None:
    """Given matrices and all stages, in both conventions, as the core explains them."""
    sheet = attnhand.generate(seed=7, convention=convention)
    assert run_well("explain", "7", cell, "--convention", convention).text == print_explanation(sheet, cell)


@pytest.mark.parametrize("source", ["7", SEED_7, "a1q00000000w", "sheet.json", "sheet-key.json"])
def test_a_drawn_sheet_has_several_sources(source: str) -> None:
    """Its seed, its code and its JSON sheet, blank or solved."""
    run_well("generate", "--seed", "7", "--json", "--out", "sheet.json")
    assert run_well("explain", source, "A[2,1]").text == print_explanation(attnhand.generate(seed=7), "A[2,1]")


@pytest.mark.parametrize("name", ["classic", "guide", "three-words"])
def test_a_sample_is_a_source(name: str) -> None:
    """Samples go by their names."""
    assert run_well("explain", name, "Z[2,1]").text == print_explanation(sample(name), "Z[2,1]")


def test_own_matrices_are_a_source() -> None:
    """A problem file, its JSON sheet and a pipe."""
    data = write_own_problem().read_bytes()
    run_well("solve", "own.json", "--json", "--out", "sheet.json")
    expected = print_explanation(attnhand.solve(OWN_PROBLEM), "Z[1,2]")
    assert run_well("explain", "own.json", "Z12").text == expected
    assert run_well("explain", "sheet.json", "Z12").text == expected
    assert run_well("explain", "-", "Z12", stdin=data).text == expected


def test_options_say_which_sheet() -> None:
    """Size, rules, words and salt count as they do for ``generate``."""
    sheet = attnhand.generate(seed=7, level="warm-up", words="the cat saw", salt="pepper and salt")
    options = ["--level", "warm-up", "--words", "the cat saw", "--salt", "pepper and salt"]
    assert run_well("explain", "7", "S12", *options).text == print_explanation(sheet, "S12")
    assert "cat" in run_well("explain", "7", "S12", *options).text
    assert run_well(
        "explain", sheet.code, "S12", "--salt", "pepper and salt", "--words", "the cat saw"
    ).text == print_explanation(sheet, "S12")


def test_cells_of_queries_that_are_not_asked_are_explained_too() -> None:
    """--only-queries changes the page, not the numbers."""
    assert run_well("explain", "7", "S14", "--only-queries", "1") == run_well("explain", "7", "S14")


def test_nothing_is_wrapped() -> None:
    """A long sum stays on its line: whoever pipes it wants to search it."""
    sums = run_well("explain", "7", "Q[1,1]", "--features", "12", "--words", "abcdefghij b c d").lines
    assert any(len(line) > 80 for line in sums)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("S[5,1]", "S[5,1] is outside S, which is 4 × 4: rows run from 1 to 4, columns from 1 to 4"),
        ("S[0,1]", "S[0,1] is outside S"),
        ("k5q1", "S[5,1] is outside S"),
        ("B[1,1]", "the sheet has no matrix 'B'"),
        ("scald[1,1]", "did you mean scaled[1,1]?"),
        ("S", "S names no cell of S, which is 4 × 4: write its row and column, counted from 1, as in S[2,3]"),
        ("", "explain needs CELL: type, say, attnhand explain 7 S23; look at attnhand explain --help"),
        (" ", "'' names no cell: write its row and column, counted from 1, as in S[2,3]"),
        ("S[1]", "names no cell"),
        ("S[1,2,3]", "names no cell"),
        ("S[1,2", "names no cell"),
        ("S[-1,2]", "names no cell"),
        ("S[a,b]", "names no cell"),
        ("S[1;2]", "names no cell"),
        ("S123", "S123 names no cell of S"),
        ("x" * 1000, "names no cell"),
        ("S[99999999999999999999,1]", "is outside S"),
        ("\u202eS[1,1]", "'\\u202eS[1,1]' names no cell"),
        ("S[1,1]\nS[1,2]", "names no cell"),
        ("q9", "there is no query 9: the sheet has 4 tokens; give q1 to q4"),
    ],
)
def test_what_is_no_cell_is_refused(cell: str, message: str) -> None:
    """One sentence that says what there is."""
    assert message in run_refused("explain", "7", cell)


def test_sources_are_refused_as_elsewhere() -> None:
    """A file that is not there, a mistyped code, a salted one."""
    assert "names nothing" in run_refused("explain", "nothing.json", "S11")
    assert "does not check" in run_refused("explain", "A1Q0-0000-000V", "S11")
    Path("empty.json").touch()
    assert run_refused("explain", "empty.json", "S11") == "empty.json is empty: write a problem in JSON or TOML"


def test_a_whole_trace_is_explained() -> None:
    """``explain 7 q2`` follows the query in both ways, from a seed and from a sample in rows."""
    output = run_well("explain", "7", "q2").text
    assert output.startswith("the journey of q₂\n\nby hand:\n  q₂ = (−2, 2, 2)\n")
    assert "  attention weights: 1/94  9/94  81/94  3/94\n" in output
    assert "\n\nexactly:\n" in output
    assert "z₁ = (" in run_well("explain", "guide", "q1").text
