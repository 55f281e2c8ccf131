"""``--questions`` from the sheet to its marks: the code says how much is asked, and nobody need say it again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet
from tests.breadth import pair_up
from tests.cli.running import run_here, run_refused, run_well
from tests.filling import FILLERS, make_perfect_values
from tests.marking.handing_in import make_answer_file, write_key

AMOUNTS = ("none", "few", "many")
PLAIN_CODE = "A1Q0-0000-000W"


def make_sheet(amount: str) -> Sheet:
    """Return a sheet that asks so much."""
    return attnhand.generate(seed=7, level="warm-up", questions=amount)


def list_marked(sheet: Sheet) -> list[AskedQuestion]:
    """Return the questions that are marked, with their answers."""
    return [question for question in build_questions(sheet.key) if question.name]


def write_file(sheet: Sheet, name: str = "a.json", **changes: str) -> str:
    """Write a perfect answer file, its questions answered too unless they are changed."""
    data = json.loads(make_answer_file(sheet, write_key(sheet)))
    answers = {question.name: question.plain_answer for question in list_marked(sheet)} | changes
    data["answers"] |= {name: [[text]] for name, text in answers.items()}
    Path(name).write_text(json.dumps(data), encoding="utf-8")
    return name


def run_json(*args: str) -> Any:
    """Return the sheet that a command writes as JSON."""
    return json.loads(run_well(*args, "--json", "--out", "-").text)


def check_as_json(file: str) -> tuple[int, Any]:
    """Return the exit code of ``check`` and its marks."""
    ran = run_here("check", file, "--json")
    assert ran.error_text == ""
    return ran.exit_code, json.loads(ran.text)


def test_key_asks_what_the_code_says() -> None:
    """The key of each amount by its code alone is the sheet's own, and a few is what every plain code says."""
    asked = {}
    for amount in AMOUNTS:
        blank = run_json("generate", "--seed", "7", "--questions", amount)
        key = asked[amount] = run_json("key", blank["code"])
        assert [each["text"] for each in key.get("questions", [])] == [
            each["text"] for each in blank.get("questions", [])
        ]
    counts = {amount: len(key.get("questions", [])) for amount, key in asked.items()}
    assert (counts["none"], counts["few"]) == (0, 4 + 4)  # a try has three cells and half a sentence
    assert counts["many"] > 8 + 4
    assert (counts["many"] - 8) % 4 == 0
    assert asked["few"]["code"] == PLAIN_CODE == run_json("generate", "--seed", "7")["code"]
    assert len({key["code"] for key in asked.values()}) == 3
    assert len({json.dumps(key["given"]) for key in asked.values()}) == 1  # no number depends on it


def test_another_amount_than_the_codes_is_refused() -> None:
    """One sentence says what to do; the amount that the code has may be said again."""
    code = make_sheet("many").code
    assert run_refused("key", code, "--questions", "none") == (
        f"--questions none contradicts the code {code}: leave it out, or generate another sheet"
    )
    assert run_json("key", code, "--questions", "many") == run_json("key", code)
    assert "--questions many contradicts" in run_refused("key", PLAIN_CODE, "--questions", "many")


@pytest.mark.parametrize("amount", AMOUNTS)
def test_an_answer_file_is_checked_against_what_its_code_asks(amount: str) -> None:
    """With no option: all cells and questions of a perfect one are right, in JSON and in CSV."""
    sheet = make_sheet(amount)
    count = len(list_marked(sheet))
    tries = {each.posed.try_id for each in list_marked(sheet)} - {""}
    assert count == {"none": 0, "few": 2, "many": 4}[amount] + 3 * len(tries)
    assert len(tries) == {"none": 0, "few": 1}.get(amount, len(tries))
    Path("a.csv").write_text(render_csv(sheet.key), encoding="utf-8-sig")
    for file in (write_file(sheet), "a.csv"):
        exit_code, data = check_as_json(file)
        assert exit_code == 0
        assert data["code"] == sheet.code
        assert data["score"]["correct"] == data["score"]["of"] == sheet.answer_cell_count
        assert [mark["mark"] for mark in data["questions"]] == ["correct"] * count
        assert (data["score"]["questions"]["correct"], data["score"]["questions"]["of"]) == (count, count)


def test_questions_are_counted_apart() -> None:
    """Left empty they cost nothing; a wrong one leaves the score of the cells as it is, and is named."""
    sheet = make_sheet("few")
    of = sheet.answer_cell_count
    exit_code, data = check_as_json(write_file(sheet, ask1="", ask2=" ", ask3="", ask4="", ask5=""))
    assert exit_code == 0
    assert (data["score"]["correct"], data["score"]["of"], data["score"]["blank"]) == (of, of, 0)
    assert (data["score"]["questions"]["blank"], data["score"]["questions"]["of"]) == (5, 5)
    text = run_well("check", "a.json").text
    assert f"Score: {of} of {of} cells." in text
    assert "Questions:" not in text
    wrong = write_file(sheet, ask1="12")
    exit_code, data = check_as_json(wrong)
    assert exit_code == 1
    assert (data["score"]["correct"], data["score"]["questions"]["wrong"]) == (of, 1)
    text = run_here("check", wrong).text
    assert "Questions: 4 of 5 right." in text
    assert "Question 1: “12” is not right yet" in text
    ran = run_here("check", write_file(sheet, ask1="perhaps"))
    unreadable = ran.text
    assert ran.exit_code == 1
    assert "Question 1: “perhaps” cannot be read; write the number of one token." in unreadable


@pytest.mark.parametrize(("writer", "amount"), pair_up([*FILLERS], ["few", "many"]))
def test_a_filled_form_is_checked_with_its_questions(amount: str, writer: str) -> None:
    """Each question has a field, named as its answer; what was typed there is read and marked."""
    sheet = make_sheet(amount)
    blank = replace(sheet.blank, options=replace(sheet.options, fillable=True))
    answers = {question.name: question.plain_answer for question in list_marked(sheet)}
    form, values = render_pdf(blank), make_perfect_values(sheet)
    Path("form.pdf").write_bytes(FILLERS[writer](form, values | answers))
    exit_code, data = check_as_json("form.pdf")
    assert (exit_code, data["code"]) == (0, sheet.code)
    assert {mark["name"]: (mark["answer"], mark["mark"]) for mark in data["questions"]} == {
        name: (text, "correct") for name, text in answers.items()
    }
    Path("form.pdf").write_bytes(FILLERS[writer](form, values | {"ask1": "12"}))
    marks = [mark["mark"] for mark in check_as_json("form.pdf")[1]["questions"]]
    assert marks == ["wrong", *["blank"] * (len(answers) - 1)]
