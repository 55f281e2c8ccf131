"""What is handed in, read into the same answers whatever it comes in."""

import json
import re
from pathlib import Path

import pytest

from attnhand.attention.convention import Convention
from attnhand.errors import AnswerError
from attnhand.formats.answers import Answers, arrange_answers, read_answers_from_text, select_stage_answers
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.marking.mark import mark_answers
from attnhand.problems.problem_file import parse_problem
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.breadth import pair_up
from tests.forms import FORMS, SOME_FORMS


def with_separator(text: str, mark: str) -> str:
    """Save a CSV with another separator, every line padded to the same width, as spreadsheets do."""
    rows = [line.split(",") for line in text.splitlines()]
    width = max(map(len, rows))
    return "".join(mark.join([*row, *[""] * (width - len(row))]) + "\r\n" for row in rows)


def read(text: str | bytes, sheet: Sheet) -> Answers:
    """Read an answer file for this sheet."""
    return select_stage_answers(arrange_answers(read_answers_from_text(text), sheet), sheet)


@pytest.mark.parametrize(("name", "convention", "separator"), pair_up(SOME_FORMS, [*Convention], [",", ";", "\t"]))
def test_the_csv_sheet_filled_is_read_back(name: str, convention: Convention, separator: str) -> None:
    """The key's own CSV is a perfect answer, however a spreadsheet saves it; given matrices are passed over."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    text = with_separator(render_csv(sheet.key), separator)
    misread = text.encode("utf-8-sig").decode("cp1252").encode("utf-8-sig")
    for data in (text, text.encode("utf-8-sig"), misread, text.replace("\r\n", "\n")):
        answers = read(data, sheet)
        assert answers.code == sheet.code
        assert mark_answers(answers, sheet).is_all_correct
    if separator == ";":
        commas = re.sub(r"(?<=\d)\.(?=\d)", ",", text)
        assert mark_answers(read(commas, sheet), sheet).is_all_correct


def test_the_blank_csv_is_all_blank() -> None:
    """Nothing is read where nothing was written, also where only some queries are asked."""
    for options in (PageOptions(), PageOptions(only_queries=(1, 3))):
        sheet = make_sheet_from_request(Request(seed=7), options)
        marks = mark_answers(read(with_separator(render_csv(sheet.blank), ","), sheet), sheet)
        assert {cell.mark.value for cell in marks.cells} == {"blank"}


@pytest.mark.parametrize("word", ["inf", "x", "X", "dog"])
def test_a_word_after_an_empty_row_is_an_answer(word: str) -> None:
    """A student who leaves a query's row empty and writes a word into the next has begun no block."""
    sheet = make_sheet_from_request(Request(seed=7, convention=Convention.ROWS))
    blank = with_separator(render_csv(sheet.blank), ",").splitlines(keepends=True)
    start = next(i for i, line in enumerate(blank) if line.startswith("sums,")) + 1
    for at, entry in ((start, "5"), (start + 2, word), (start + 3, "7")):
        blank[at] = entry + blank[at].removeprefix('""')
    answers = read("".join(blank), sheet)
    assert [row[0] for row in answers.stages["sums"]] == ["5", "", word, "7"]
    known = {stage.name for stage in sheet.problem.mechanism.stages}
    assert set(answers.stages) - known == {"ask1", "ask2", "ask3", "ask4", "ask5"}
    marks = [cell.mark.value for cell in mark_answers(answers, sheet).cells if cell.stage == "sums"]
    assert (marks[1], marks[2]) == ("blank", "unreadable")


def json_answers(sheet: Sheet) -> dict[str, object]:
    """Return the key as an answer file's data."""
    stages = {solved.stage.name: [[str(value) for value in row] for row in solved.hand] for solved in sheet.solution}
    return {"code": sheet.code, "answers": stages}


def test_json_answers_are_read() -> None:
    """Numbers and texts; null is an empty cell."""
    sheet = make_sheet_from_request(Request(seed=7))
    data = json_answers(sheet)
    assert mark_answers(read(json.dumps(data), sheet), sheet).is_all_correct
    numbers = read_answers_from_text('{"answers": {"Q": [[1, "1/2", null, 0.50]]}}')
    assert numbers == Answers(code=None, stages={"Q": (("1", "1/2", "", "0.50"),)})


REFUSED = {
    "half a character": ('{"answers": {}, "name": "\\ud800"}', "holds \\ud800, half of a character"),
    "nothing": ("", "is empty: save the answers again"),
    "prose": ("dear teacher, the dog", "is neither an answer file in JSON nor the CSV of a sheet"),
    "a program": ("import json\nprint({})", "is neither an answer file in JSON nor the CSV of a sheet"),
    "cut JSON": ('{"code": "A1', "is not"),
    "no answers": ('{"code": "A1Q0"}', "has no answers"),
    "a list": ('{"answers": [1]}', "has no answers"),
    "a matrix that is none": ('{"answers": {"Q": 3}}', "has no list of rows as Q"),
    "a row that is none": ('{"answers": {"Q": [3]}}', "has no list of rows as Q"),
    "a cell that is none": ('{"answers": {"Q": [[[1]]]}}', "has no number and no text as Q[1,1]"),
    "a truth": ('{"answers": {"Q": [[true]]}}', "has no number and no text as Q[1,1]"),
    "a code that is none": ('{"code": 7, "answers": {}}', "has the code 7, which is no text"),
    "a stage that is none": ('{"answers": {"Y": [["1"]]}}', "has answers to 'Y', which the sheet does not ask"),
    "a question that is none": ('{"answers": {"ask9": "1"}}', "has answers to 'ask9', which the sheet does not ask"),
    "a question of a table that is none": ("attnhand,A1\n\nQ\n1\n\nask9\n2\n", "has answers to 'ask9', which"),
    "a block that is none": ("attnhand,A1\n\nQ\n1,1,1,1\n1,1,1,1\n1,1,1,1\n\nY\n1\n", "has answers to 'Y', which"),
    "a block twice": ("attnhand,A1\n\nQ\n1\n\nQ\n2\n", "has the block Q twice"),
    "no block": ("attnhand,A1\nQ,1\n", "has no block of answers"),
    "a million lines": ("attnhand,A1\n" + "1,2\n" * 6000, "has 6001 lines"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_answer_file_is_refused(text: str, sentence: str) -> None:
    """In one sentence that says what it is, or what to do."""
    sheet = make_sheet_from_request(Request(seed=7))
    with pytest.raises(AnswerError) as refusal:
        select_stage_answers(arrange_answers(read_answers_from_text(text), sheet), sheet)
    assert sentence in str(refusal.value)


def test_a_question_left_empty_that_is_none_is_no_mistake() -> None:
    """A form of more questions than the sheet has: what was not answered is not missed."""
    sheet = make_sheet_from_request(Request(seed=7))
    data = '{"answers": {"ask1": "3", "ask9": " ", "ask4": [[]]}}'
    assert "ask1" in select_stage_answers(arrange_answers(read_answers_from_text(data), sheet), sheet).stages


def test_bytes_that_are_no_text_are_refused() -> None:
    """A PDF, a picture, a spreadsheet of its own format."""
    with pytest.raises(AnswerError, match="holds bytes that are no text"):
        read_answers_from_text(b"\x89PNG\r\n\x1a\n\0\0")


def test_the_web_page_itself_holds_no_answers() -> None:
    """Somebody hands in the page instead of what it saves."""
    with pytest.raises(AnswerError, match="is the web page itself"):
        read_answers_from_text("\n<!DOCTYPE html>\n<html>")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_tables_of_windows_are_read(encoding: str) -> None:
    """With ½ in it, in the encodings that spreadsheets there save."""
    text = "attnhand;A1\r\n\r\nQ\r\n½;1\r\n"
    assert read_answers_from_text(text.encode(encoding)).stages == {"Q": (("½", "1"),)}


def test_a_table_says_of_its_sheet_what_its_code_does_not() -> None:
    """Title, words and what is asked stand before the blocks; JSON brings the whole blank sheet along."""
    options = PageOptions(only_queries=(1, 3), blank_stages=("A", "Z"))
    words = ("=a", "b", "-c", "d")
    sheet = make_sheet_from_request(Request(seed=7), options, words=words, title="'Tis a test; of, all")
    about = {"title": "'Tis a test; of, all", "words": list(words), "only_queries": [1, 3], "blank_stages": ["A", "Z"]}
    assert read_answers_from_text(render_csv(sheet.blank)).sheet_data == about
    whole = make_sheet_dict(sheet.blank)
    assert read_answers_from_text(json.dumps({"answers": {}, "sheet": whole})).sheet_data == whole
    with pytest.raises(AnswerError, match='has a "sheet" that is none'):
        read_answers_from_text('{"answers": {}, "sheet": 3}')


@pytest.mark.parametrize("name", ["libreoffice-as-shown.csv", "libreoffice-quoted.csv"])
def test_tables_of_libreoffice_are_read(name: str) -> None:
    """Every fraction typed as the sheet advises (0 3/16), saved by LibreOffice 7.4 in two ways: all right.

    It made decimals of 15 digits of the fractions; with commas between cells, and with semicolons and quotes. The
    matrices are those that stand in the file.
    """
    data = (Path(__file__).parents[1] / "data" / name).read_bytes()
    lines = [re.findall(r"[^,;\"]+", line) for line in data.decode("utf-8-sig").splitlines()]
    starts = {line[0]: at + 1 for at, line in enumerate(lines) if line and line[0] in ("X", "W_Q", "W_K", "W_V")}
    given = {name: lines[at : at + (6 if name == "X" else 3)] for name, at in starts.items()}
    sheet = make_sheet_from_problem(parse_problem(json.dumps({"mechanism": "self", "given": given}), source="file"))
    assert b"0.0116279069767442" in data
    assert mark_answers(read(data, sheet), sheet).is_all_correct
