"""What is handed in, read into the same answers whatever it comes in."""

import json
import re

import pytest

from attnhand.errors import AnswerError
from attnhand.make import sheet_from_request
from attnhand.marking.answers import Answers, answers_from_text
from attnhand.marking.mark import marked
from attnhand.mechanisms import Convention
from attnhand.render.csv_sheet import render_csv
from attnhand.request import Request
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS


def with_separator(text: str, mark: str) -> str:
    """Save a CSV with another separator, every line padded to the same width, as spreadsheets do."""
    rows = [line.split(",") for line in text.splitlines()]
    width = max(map(len, rows))
    return "".join(mark.join([*row, *[""] * (width - len(row))]) + "\r\n" for row in rows)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", FORMS)
def test_the_csv_sheet_filled_is_read_back(name: str, convention: Convention, separator: str) -> None:
    """The key's own CSV is a perfect answer, however a spreadsheet saves it; given matrices are passed over."""
    sheet = sheet_from_request(Request(seed=7, form=FORMS[name], convention=convention))
    text = with_separator(render_csv(sheet.key), separator)
    for data in (text, text.encode("utf-8-sig"), text.replace("\r\n", "\n")):
        answers = answers_from_text(data, sheet.problem.mechanism)
        assert answers.code == sheet.code
        assert marked(answers, sheet).all_correct
    if separator == ";":
        commas = re.sub(r"(?<=\d)\.(?=\d)", ",", text)
        assert marked(answers_from_text(commas, sheet.problem.mechanism), sheet).all_correct


def test_the_blank_csv_is_all_blank() -> None:
    """Nothing is read where nothing was written, also where only some queries are asked."""
    for options in (PageOptions(), PageOptions(queries=(0, 2))):
        sheet = sheet_from_request(Request(seed=7), options)
        marks = marked(answers_from_text(with_separator(render_csv(sheet.blank), ","), sheet.problem.mechanism), sheet)
        assert {cell.mark.value for cell in marks.cells} == {"blank"}


def json_answers(sheet: Sheet) -> dict[str, object]:
    """Return the key as an answer file's data."""
    stages = {solved.stage.name: [[str(value) for value in row] for row in solved.hand] for solved in sheet.solution}
    return {"code": sheet.code, "answers": stages}


def test_json_answers_are_read() -> None:
    """Numbers and texts; null is an empty cell."""
    sheet = sheet_from_request(Request(seed=7))
    data = json_answers(sheet)
    assert marked(answers_from_text(json.dumps(data), sheet.problem.mechanism), sheet).all_correct
    read = answers_from_text('{"answers": {"Q": [[1, "1/2", null, 0.50]]}}')
    assert read == Answers(code=None, stages={"Q": (("1", "1/2", "", "0.50"),)})


REFUSED = {
    "nothing": ("", "is neither an answer file in JSON nor the CSV of a sheet"),
    "prose": ("dear teacher, the dog", "is neither an answer file in JSON nor the CSV of a sheet"),
    "cut JSON": ('{"code": "A1', "is not"),
    "no answers": ('{"code": "A1Q0"}', "has no answers"),
    "a list": ('{"answers": [1]}', "has no answers"),
    "a matrix that is none": ('{"answers": {"Q": 3}}', "Q is not a list of rows"),
    "a row that is none": ('{"answers": {"Q": [3]}}', "Q is not a list of rows"),
    "a cell that is none": ('{"answers": {"Q": [[[1]]]}}', "Q[1,1] is no number and no text"),
    "a truth": ('{"answers": {"Q": [[true]]}}', "Q[1,1] is no number and no text"),
    "a code that is none": ('{"code": 7, "answers": {}}', "has the code 7, which is no text"),
    "a stage that is none": ('{"answers": {"Y": [["1"]]}}', "has answers to 'Y', which the sheet does not ask"),
    "a block twice": ("attnhand,A1\n\nQ\n1\n\nQ\n2\n", "has the block Q twice"),
    "a million lines": ("attnhand,A1\n" + "1,2\n" * 6000, "has 6001 lines"),
}


@pytest.mark.parametrize(("text", "told"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_answer_file_is_refused(text: str, told: str) -> None:
    """In one sentence that says what it is, or what to do."""
    mechanism = sheet_from_request(Request(seed=7)).problem.mechanism
    with pytest.raises(AnswerError) as refusal:
        answers_from_text(text, mechanism)
    assert told in str(refusal.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    """A PDF, a picture, a spreadsheet of its own format."""
    with pytest.raises(AnswerError, match="holds bytes that are no text"):
        answers_from_text(b"%PDF-1.7 \xff\xfe")
