"""``attnhand practice``: a sheet worked in the terminal, with hints; left, and gone on with."""

import json
from pathlib import Path

import pytest

import attnhand
from attnhand.marking.practice import Practice
from tests.cli.running import RunResult, run_here, run_refused, run_well
from tests.forms import FORMS
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEET = attnhand.generate(seed=7, level="warm-up")
FILE = "attnhand-7-A7G0-answers.json"


def practise_with(*lines: str) -> RunResult:
    """Practise seed 7 at warm-up, typing these lines."""
    return run_well("practice", "7", "--level", "warm-up", stdin="".join(f"{line}\n" for line in lines).encode())


def list_key_rows() -> list[str]:
    """Return the rows of the key as they are typed."""
    return [" ".join(row) for rows in write_key(SHEET).values() for row in rows]


def test_a_sheet_is_worked_to_its_end() -> None:
    """Row by row; the answers lie in a file that check marks all correct."""
    ran = practise_with(*list_key_rows())
    assert "63 of 63 cells count: 63 right." in ran.text
    (path,) = Path().glob("*-answers.json")
    assert f"attnhand check {path}" in ran.text
    assert "Everything is right." in run_well("check", str(path)).text


def test_it_is_left_and_gone_on_with() -> None:
    """At the end of what is typed, and by quit; what is right is not asked again."""
    rows = list_key_rows()
    assert "12 of 63 cells are filled" in practise_with(*rows[:4]).text
    again = practise_with(*rows[4:6], "quit")
    assert "Going on where you left: 12 of 63 cells are filled." in again.text
    assert "V[1,…]: " in again.text
    assert "Q[1,…]" not in again.text
    assert "63 of 63 cells count" in practise_with(*rows[6:]).text


def test_a_narrow_terminal_breaks_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said fits sixty columns; what was typed after a prompt, and tables, are as they are."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = practise_with(list_key_rows()[0], "quit").text.rpartition("\n\n")[2].splitlines()
    assert " ".join(lines).endswith(f"cells are filled; they are kept in {FILE}. The same command goes on from here.")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 60


def test_nothing_is_kept_of_nothing() -> None:
    """Whoever leaves at once leaves no file behind."""
    assert "are kept" not in practise_with("quit").text
    assert list(Path().iterdir()) == []


def test_a_hint_explains_the_cell_and_then_tells_it() -> None:
    """First what it is made of; asked again, the pairs and their sum."""
    right = write_key(SHEET)["Q"][0][0]
    first, second = (practise_with(*["?"] * times, "quit").text for times in (1, 2))
    assert "row 1 of W_Q: " in first
    assert "column x₁ of X: " in first
    assert f" = {right}\n" not in first
    assert f" = {right}\n" in second


def test_a_slip_is_named_and_can_be_mended() -> None:
    """Powers taken for multiples: said after the row that shows it; the right row is accepted then."""
    wrong = write_answers(SHEET, make_slip(SHEET, "times-not-power", "powers"))["powers"]
    rows = write_key(SHEET)
    before = [" ".join(row) for name in ("Q", "K", "V", "S", "scaled") for row in rows[name]]
    typed = [line for i, row in enumerate(wrong) for line in (" ".join(row), " ".join(rows["powers"][i]))]
    ran = practise_with(*before, *typed, "quit")
    assert "✗ Not yet: powers[" in ran.text
    assert "multiplied by the base instead of raising it to the power" in ran.text


def test_one_number_at_a_time_and_what_is_no_number() -> None:
    """The prompt names the cells that are still open; what cannot be read is not taken."""
    row = write_key(SHEET)["Q"][0]
    assert "This is the first row." in practise_with("back").text
    ran = practise_with(row[0], "dog", row[1], "1 2 3 4 5 6", row[2], "back", "quit")
    assert "Q[1,2], Q[1,3]: " in ran.text
    assert "Q[1,2] is 'dog', not a number" in ran.text
    assert "Here is 1 cell to fill" in ran.text
    assert "Q[2,…]: Q[1,…]: " in ran.text


def test_a_row_that_is_left_is_asked_no_more() -> None:
    """Enter goes on; later rows follow from what was written."""
    ran = practise_with("9 9 9", "", "quit")
    assert "✗ Not yet: Q[1,1], Q[1,2], Q[1,3]." in ran.text
    assert "Q[2,…]: " in ran.text
    assert "3 of 63 cells are filled" in ran.text


def test_the_answers_of_another_sheet_are_not_overwritten() -> None:
    """Another sheet's file, or one that holds none, is refused."""
    practise_with("9 9 9", "quit")
    (path,) = Path().glob("*-answers.json")
    assert "does not hold answers to the sheet" in run_refused("practice", "8", "--out", str(path))
    path.write_text("dear diary")
    assert "is neither an answer file" in run_refused("practice", "7", "--level", "warm-up")
    assert path.read_text() == "dear diary"


def test_a_sheet_with_nothing_to_fill_is_refused() -> None:
    """A mistake is to be found on paper."""
    assert "asks nothing to fill" in run_refused("practice", "7", "--mistake")


@pytest.mark.parametrize("name", ["basic", "cross", "multi-head-2-causal", "block-1", "self-words-positions"])
def test_every_mechanism_can_be_practised(name: str) -> None:
    """Typing the key row by row fills every cell; every row has a hint."""
    form = FORMS[name]
    sheet = attnhand.generate(
        3,
        level="warm-up",
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.is_causal,
        words=form.embedded_words,
        embed=bool(form.embedded_words),
        positions=form.has_positions,
    )
    practice, key = Practice(sheet.blank, {}), write_key(sheet)
    while (line := practice.current_row) is not None:
        assert practice.give_hint()
        row = key[line.stage.name][line.row]
        waiting = practice.find_open_cells()
        assert practice.enter_values(" ".join(row[cell.column] for cell in waiting)) == ("✓",)
    assert practice.result.is_all_correct
    assert json.loads(json.dumps(practice.texts)) == practice.texts


def test_nothing_is_said_to_be_kept_that_is_not() -> None:
    """A place that cannot be written is refused, without a promise before it."""
    Path("taken").write_text("a file")
    ran = run_here("practice", "7", "--out", "taken/x.json", stdin=b"1 2 1 0\n")
    assert ran.exit_code == 2
    assert "cannot be written" in ran.error_text
    assert "are kept" not in ran.text
