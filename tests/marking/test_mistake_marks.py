"""Sheets with a mistake, handed in: the cell that was found, what belongs there, and what is worked anew."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import attnhand
from attnhand.api import Worksheet
from attnhand.attention.numbers import Number, format_exact
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import Note
from attnhand.marking.mistake_marks import read_cell
from attnhand.marking.report import render_report_html
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import Mark
from tests.filling import FILLERS, make_perfect_values, save_like_preview

SHEET = attnhand.generate(7, mistake="truncated", fillable=True)
"""scaled[1,3], [2,1] and [2,4] are 0 there, and should be −1."""

FOUND = {"ask1": "scaled[1,3]", "ask2": "-1", "ask3": "−1/2 was rounded to 0"}


def list_changed(sheet: Worksheet) -> dict[str, tuple[str, str]]:
    """Return what is printed and what belongs there, by the address of every cell that the mistake changed."""
    right = sheet.solution.collect_hand_values()
    return {
        f"{name}[{i + 1},{j + 1}]": (format_exact(wrong), format_exact(right[name][i][j]))
        for name, rows in sheet.blank.printed_solution.collect_hand_values().items()
        if name in (stage.name for stage in sheet.problem.mechanism.stages)
        for i, row in enumerate(rows)
        for j, wrong in enumerate(row)
        if wrong != right[name][i][j]
    }


CHANGED = list_changed(SHEET)


def fill(values: Mapping[str, str], sheet: Worksheet = SHEET) -> CheckResult:
    """Return the marks of a form that was filled so, cells by their address."""
    Path("filled.pdf").write_bytes(FILLERS["pypdf"](sheet.blank.pdf(), {make_cell_id(at): values[at] for at in values}))
    return attnhand.check("filled.pdf")


def count(result: CheckResult) -> dict[str, int]:
    """Return how many cells have each mark, and how many there are."""
    counts = {mark.value: result.marks.count(mark) for mark in Mark}
    return {mark: number for mark, number in counts.items() if number} | {"of": len(result.marks.cells)}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write into an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("filler", FILLERS)
def test_a_form_filled_rightly_has_everything(filler: str) -> None:
    """The cells that were wrong count, and no others; words are for the teacher, beside what the mistake was."""
    values = make_perfect_values(SHEET) | FOUND
    Path("right.pdf").write_bytes(FILLERS[filler](SHEET.blank.pdf(), values))
    result = attnhand.check("right.pdf")
    assert result.is_all_correct
    assert {cell.address for cell in result.marks.cells} == set(CHANGED)
    assert [(mark.answer, mark.mark) for mark in result.question_marks] == [
        ("scaled[1,3]", Mark.CORRECT),
        ("-1", Mark.CORRECT),
    ]
    assert result.own_words == FOUND["ask3"]
    remarks = " ".join(result.feedback.questions)
    assert "Questions: 2 of 2 right." in remarks
    assert "Question 3 is for your teacher to read: “−1/2 was rounded to 0”" in remarks
    assert "whoever worked this sheet has, at scaled, rounded toward zero instead of down" in remarks


def test_only_what_was_wrong_need_be_filled() -> None:
    """Cells that the mistake left right may stay empty; a file that lost its sheet is read by its fields."""
    right = {at: key for at, (_, key) in CHANGED.items()}
    assert count(fill(right)) == {"correct": len(CHANGED), "of": len(CHANGED)}
    filled = save_like_preview(SHEET.blank.pdf(), {make_cell_id(at): right[at] for at in right} | FOUND)
    Path("lost.pdf").write_bytes(filled)
    assert attnhand.check("lost.pdf").is_all_correct


def test_an_empty_form_has_nothing() -> None:
    """No cell is right because it was printed."""
    assert count(fill({})) == {"blank": len(CHANGED), "of": len(CHANGED)}


def test_what_stands_as_it_was_printed_counts_nothing() -> None:
    """In a form whoever copies it has not worked anew; in a CSV file it stood there from the beginning."""
    copied = fill({at: printed for at, (printed, _) in CHANGED.items()})
    Path("sheet.csv").write_text(SHEET.blank.csv(), encoding="utf-8-sig", newline="")
    table = attnhand.check("sheet.csv")
    for result in (copied, table):
        assert count(result) == {"wrong": len(CHANGED), "of": len(CHANGED)}
        assert {cell.note for cell in result.marks.cells} == {Note.PRINTED}
    assert [diagnosis.slips for diagnosis in table.diagnoses] == [("truncated",)]


def test_who_corrects_wrongly_goes_on_with_their_own_numbers() -> None:
    """A wrong score costs itself; what comes of it follows, and what should have stayed and was changed is marked."""
    own = attnhand.key(7, given={"scaled[1,3]": -2})
    assert own.follow_through is not None
    values = {at: format_exact(own_value(own, at)) for at in CHANGED}
    result = fill(values | {"scaled[2,2]": "5"} | {"powers[2,2]": "243"})
    marks = {cell.address: cell.mark for cell in result.marks.cells}
    assert {at for at, mark in marks.items() if mark is Mark.WRONG} == {"scaled[1,3]", "scaled[2,2]"}
    assert marks["powers[1,3]"] is marks["powers[2,2]"] is Mark.FOLLOWS
    assert marks["scaled[2,1]"] is Mark.CORRECT
    assert len(marks) == len(CHANGED) + 2


def own_value(sheet: Worksheet, address: str) -> Number:
    """Return what stands in a cell of a key that carries on from a student's own numbers."""
    name, _, place = address.rstrip("]").partition("[")
    i, j = (int(number) - 1 for number in place.split(","))
    assert sheet.follow_through is not None
    return sheet.follow_through.solution[name].hand[i][j]


@pytest.mark.parametrize(
    ("cell", "number", "marks", "remark"),
    [
        ("scaled[2,4]", "−1", (Mark.CORRECT, Mark.CORRECT), ""),
        ("scaled, row k₁, column q₃", "-1", (Mark.CORRECT, Mark.CORRECT), ""),
        ("", "-1", (Mark.BLANK, Mark.CORRECT), ""),
        ("scaled[1,3]", "0", (Mark.CORRECT, Mark.WRONG), "“0” does not belong there"),
        ("powers[1,3]", "1/3", (Mark.WRONG, Mark.FOLLOWS), "is wrong, but it follows from a cell before it"),
        ("powers[1,3]", "1", (Mark.WRONG, Mark.WRONG), "“1” does not belong there"),
        ("S[1,3]", "-1", (Mark.WRONG, Mark.WRONG), "is right as it was printed; look elsewhere"),
        ("X[1,1]", "", (Mark.WRONG, Mark.BLANK), "is right as it was printed"),
        ("scaled", "?", (Mark.UNREADABLE, Mark.UNREADABLE), "names no cell; write one, such as S[2,3]"),
        ("x" * 500, "9" * 500, (Mark.UNREADABLE, Mark.UNREADABLE), "names no cell"),
    ],
)
def test_the_cell_that_was_found_is_marked(cell: str, number: str, marks: tuple[Mark, Mark], remark: str) -> None:
    """Any wrong cell of its stage is right; what belongs there is asked of the cell that was named."""
    answers = {"code": SHEET.code, "answers": {"ask1": cell, "ask2": number}}
    Path("a.json").write_text(json.dumps(answers), encoding="utf-8")
    result = attnhand.check("a.json")
    assert tuple(mark.mark for mark in result.question_marks) == marks
    assert remark in " ".join(result.feedback.questions)
    assert result.to_dict()["score"]["questions"]["of"] == 2


@pytest.mark.parametrize(
    "text",
    ["scaled[1,3]", "scaled13", "scaled 1 3", "Scaled k1 q3", "scaled, q₃, k₁", "scaled (1,3)", "„scaled[1,3] = 0“"],
)
def test_a_cell_is_named_as_people_do(text: str) -> None:
    """By numbers, by letters in either order, with what stands there."""
    assert read_cell(text, SHEET) == ("scaled", 0, 2)


def test_matrices_of_one_row_and_of_heads_are_named_too() -> None:
    """A row of sums has columns alone; a word that every head has is that of the head that is meant."""
    assert read_cell("Σ q2", SHEET) == read_cell("sums, column q₂", SHEET) == ("sums", 0, 1)
    heads = attnhand.generate(7, mechanism="multi-head", heads=2, mistake="truncated@h2.scaled")
    (address,) = [at for at in list_changed(heads) if at.startswith("h2.scaled")][:1]
    name, i, j = "h2.scaled", int(address[-4]) - 1, int(address[-2]) - 1
    assert read_cell(f"scaled[{i + 1},{j + 1}]", heads) == read_cell(address, heads) == (name, i, j)
    assert read_cell("Z⁽²⁾[1,2]", heads) == ("h2.Z", 0, 1)
    for nothing in ("", "scaled", "scaled[9,9]", "softmax 1 2 3", "the third row", "[1,3]"):
        assert read_cell(nothing, SHEET) is None


def test_a_form_of_ones_own_matrices_knows_its_mistake() -> None:
    """Its sheet is attached, and the fingerprint says which; a table needs the problem file, and no more."""
    problem = json.loads(attnhand.key("classic").json())["given"]
    Path("my.json").write_text(json.dumps({"given": problem}), encoding="utf-8")
    own = attnhand.solve("my.json", mistake="other-axis", fillable=True)
    right = {at: key for at, (_, key) in list_changed(own).items()}
    assert count(fill(right, own)) == {"correct": len(right), "of": len(right)}
    Path("mine.csv").write_text(own.blank.csv(), encoding="utf-8-sig", newline="")
    assert count(attnhand.check("mine.csv", against="my.json")) == {"wrong": len(right), "of": len(right)}


def test_as_the_ordinary_sheet_it_is_marked_like_any_work() -> None:
    """Whoever hands in what was printed for their own is marked by the sheet that is named, with a note of it."""
    Path("sheet.csv").write_text(SHEET.blank.csv(), encoding="utf-8-sig", newline="")
    result = attnhand.check("sheet.csv", against=7)
    assert result.feedback.score.startswith("Score: 113 of 116 cells (86 right, 27 right with your own numbers")
    assert result.asks_less
    assert all(mark.mark is Mark.BLANK for mark in result.question_marks)


def test_a_report_shows_what_was_worked_anew() -> None:
    """In the empty grids and on the lines; the printed ones stay as they are, and no cell has the name of another."""
    page = render_report_html(fill(FOUND | {"scaled[1,3]": "-1", "scaled[2,1]": "7"})).decode()
    assert page.count("✓ scaled[1,3]") == 1
    assert "−1/2 was rounded to 0" in page
    ids = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids)) > 100
