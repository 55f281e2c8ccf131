"""Filled tables as they come back: from every spreadsheet program, moved, labelled and annotated."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from attnhand.errors import AnswerError, ProblemError
from attnhand.formats.answers import (
    Answers,
    arrange_answers,
    read_answers_from_spreadsheet,
    read_answers_from_text,
    select_stage_answers,
)
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.sources import make_sheet_from_source
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import Marks
from attnhand.marking.submission import check_data
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.handing_in import make_answer_file, write_key
from tests.spreadsheet_files import PROGRAMS, write_xlsx

DATA = Path(__file__).parents[1] / "data"
Rows = list[list[str]]


def make_sheet(form: str = "self") -> Sheet:
    """Return a sheet with fractions in it."""
    return make_sheet_from_request(Request(seed=7, variant=FORMS[form]))


def write_rows(sheet: Sheet) -> Rows:
    """Return the key as a table, two cells of it wrong, empty and unreadable ones among them."""
    rows = list(csv.reader(io.StringIO(render_csv(sheet.key))))
    rows = rows[: next(at for at, row in enumerate(rows) if row and row[0].endswith(" exact"))]
    at = rows.index([next(name for name in ("S", "h1.S") if [name] in rows)])
    rows[at + 1][0], rows[at + 2][1], rows[at + 2][0] = "77", "", "dog"
    rows[at + 3] = [""] * len(rows[at + 3])
    return rows


def write_typed_answers(sheet: Sheet) -> str:
    """Return the same answers, typed in JSON."""
    answers = write_key(sheet)
    scores = answers.get("S") or answers["h1.S"]
    scores[0][0], scores[1][1], scores[1][0] = "77", "", "dog"
    scores[2] = [""] * len(scores[2])
    return make_answer_file(sheet, answers)


def mark(answers: Answers, sheet: Sheet) -> Marks:
    return mark_answers(select_stage_answers(arrange_answers(answers, sheet), sheet), sheet)


def list_marks(marks: Marks) -> list[tuple[str, int, int, Mark]]:
    return [(cell.stage, cell.row, cell.column, cell.mark) for cell in marks.cells]


def save_csv(rows: Rows) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def convert_numbers(rows: Rows) -> list[list[object]]:
    """Return the rows with the numbers that a spreadsheet makes of texts."""

    def convert(text: str) -> object:
        try:
            return Fraction(text)
        except ValueError:
            return text

    return [[convert(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("form", ["self", "multi-head-2", "block-1"])
def test_what_a_spreadsheet_saves_is_marked_as_typed(form: str, program: str) -> None:
    """Texts shared or in their cells, floats of 17 digits, other sheets before it, hundreds of empty rows below."""
    sheet = make_sheet(form)
    data = write_xlsx(convert_numbers(write_rows(sheet)), PROGRAMS[program])
    answers = read_answers_from_spreadsheet(data)
    assert answers.code == sheet.code
    assert list_marks(mark(answers, sheet)) == list_marks(
        mark(read_answers_from_text(write_typed_answers(sheet)), sheet)
    )


@pytest.mark.parametrize("name", ["libreoffice.xlsx", "libreoffice.ods"])
def test_spreadsheets_of_libreoffice_are_read(name: str) -> None:
    """Every fraction typed as the sheet advises, =3/13 or 0 3/13, saved by LibreOffice 7.4: all right."""
    data = (DATA / name).read_bytes()
    marks = check_data(data, name, None, SheetOrder(), PageOptions()).marks
    assert (marks.is_all_correct, len(marks.cells)) == (True, 63)


@pytest.mark.parametrize("name", ["libreoffice-dates.xlsx", "libreoffice-dates.ods"])
def test_dates_of_libreoffice_say_what_they_were(name: str) -> None:
    """Of 3/13 it makes the 13th of March: unreadable, but the fraction is named, and all else is right."""
    marks = check_data((DATA / name).read_bytes(), name, None, SheetOrder(), PageOptions()).marks
    dates = [cell for cell in marks.cells if cell.mark is not Mark.CORRECT]
    assert {cell.mark for cell in dates} == {Mark.UNREADABLE}
    assert len(dates) == 11
    for cell in dates:
        assert f"a spreadsheet made it of {cell.key}; type 0 {cell.key} or" in cell.unreadable_reason


def move(rows: Rows, name: str, change: Callable[[Rows], Rows]) -> Rows:
    """Return a table with the lines of one block changed, its name first."""
    start = rows.index([name])
    end = next((at for at in range(start, len(rows)) if not rows[at]), len(rows))
    return [*rows[:start], *change(rows[start:end]), *rows[end:]]


def label_rows(rows: Rows) -> Rows:
    return [[f"k{i}", *row] for i, row in enumerate(rows, 1)]


def label_columns(row: list[str]) -> list[str]:
    return [f"q{j}" for j, _ in enumerate(row, 1)]


def name_rows(rows: Rows) -> Rows:
    return [[word, *row] for word, row in zip(("the", "cat", "sat", "down"), rows, strict=True)]


MOVED: Mapping[str, Callable[[Rows], Rows]] = {
    "as it was": lambda rows: rows,
    "title above": lambda rows: [["Attention, class 7b"], [], *rows],
    "name above": lambda rows: [["Ada", "12 March"], *rows],
    "a column to the right": lambda rows: [["", *row] for row in rows],
    "title and two to the right": lambda rows: [[], ["", "", "My answers"], [], *(["", "", *row] for row in rows)],
    "matrix a row lower": lambda rows: move(rows, "A", lambda block: [block[0], [], *block[1:]]),
    "matrix a row lower, without the line after it": lambda rows: (
        moved := move(rows, "A", lambda block: [block[0], [], *block[1:]]),
        moved.pop(moved.index(["Z"]) - 1),
        moved,
    )[-1],
    "matrix a column to the right": lambda rows: move(rows, "A", lambda b: [b[0], *(["", *row] for row in b[1:])]),
    "every matrix to the right": lambda rows: [
        ["", *row] if len(row) > 1 and row[0] != "attnhand" else row for row in rows
    ],
    "labels of rows": lambda rows: move(rows, "A", lambda b: [b[0], *label_rows(b[1:])]),
    "labels of columns": lambda rows: move(rows, "A", lambda b: [b[0], label_columns(b[1]), *b[1:]]),
    "both": lambda rows: move(rows, "A", lambda b: [b[0], ["", *label_columns(b[1])], *label_rows(b[1:])]),
    "words for labels": lambda rows: move(rows, "A", lambda b: [b[0], *name_rows(b[1:])]),
    "note beside a row": lambda rows: move(rows, "A", lambda b: [b[0], [*b[1], "", "I am not sure here!"], *b[2:]]),
    "note beside the name": lambda rows: move(rows, "A", lambda b: [["A", "these are my weights"], *b[1:]]),
    "note below": lambda rows: move(rows, "A", lambda b: [*b, ["checked: the columns add up"]]),
    "note after a line": lambda rows: move(rows, "A", lambda b: [*b, [], ["All columns add up, I checked"]]),
    "note at the end": lambda rows: [*rows, [], [], ["That was fun"]],
    "names as printed": lambda rows: [["Σ"] if row == ["sums"] else row for row in rows],
    "names as spoken": lambda rows: [
        [{"sums": "Sums", "S": "Scores", "A": "Attention weights:", "scaled": "SCALED"}.get(row[0], row[0])]
        if len(row) == 1
        else row
        for row in rows
    ],
    "name beside its matrix": lambda rows: move(rows, "A", lambda b: [["A", *b[1]], *(["", *row] for row in b[2:])]),
    "no lines between": lambda rows: [row for at, row in enumerate(rows) if row or at < 4],
}  # fmt: skip


@pytest.mark.parametrize("way", MOVED)
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_what_was_moved_is_marked_as_typed(kind: str, way: str) -> None:
    """A title, notes, labels, a matrix a row lower or a column to the right: every cell as in the same JSON."""
    sheet = make_sheet()
    rows = MOVED[way](write_rows(sheet))
    data = write_xlsx(convert_numbers(rows)) if kind == "xlsx" else b""
    answers = read_answers_from_spreadsheet(data) if data else read_answers_from_text(save_csv(rows))
    assert answers.code == sheet.code
    assert list_marks(mark(answers, sheet)) == list_marks(
        mark(read_answers_from_text(write_typed_answers(sheet)), sheet)
    )


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "libreoffice.ods"])
def test_what_was_handed_in_names_its_sheet(tmp_path: Path, name: str) -> None:
    """Whoever has it can have a cell explained, or see the key: its code is as good as that on paper."""
    sheet = make_sheet()
    path = DATA / name if (DATA / name).exists() else tmp_path / name
    if name == "a.csv":
        path.write_text(save_csv(write_rows(sheet)), encoding="utf-16")
    elif name == "a.xlsx":
        path.write_bytes(write_xlsx([["Ada"], *write_rows(sheet)]))
    named = make_sheet_from_source(str(path), SheetOrder(), PageOptions())
    assert named.sheet.code == ("A7G0-1000-000W" if name == "libreoffice.ods" else sheet.code)
    lost = tmp_path / "lost.csv"
    lost.write_text("attnhand,\n\nQ\n1\n", encoding="utf-8")
    with pytest.raises(ProblemError, match=r"lost\.csv does not say which sheet it answers: give the code"):
        make_sheet_from_source(str(lost), SheetOrder(), PageOptions())


def test_separators_that_are_named_are_passed_over() -> None:
    """sep=; stands before the table where Excel is to know it."""
    sheet = make_sheet()
    table = save_csv(write_rows(sheet)).replace(",", ";")
    for text in (f"sep=;\r\n{table}", f'"sep=;"\r\n\r\n{table}', f"My answers\r\n{table}"):
        assert read_answers_from_text(text).code == sheet.code
        assert Mark.CORRECT in {cell.mark for cell in mark(read_answers_from_text(text), sheet).cells}


def test_days_and_times_become_what_was_typed() -> None:
    """9 January and its number are 1/9 once; 1:09 is a time to a spreadsheet, and 1/9 to its writer."""
    sheet = make_sheet()
    rows = convert_numbers(write_rows(sheet))
    key = sheet.solution["A"].hand
    i, j = next(
        (i, j) for i, row in enumerate(key) for j, v in enumerate(row) if isinstance(v, Fraction) and v.denominator < 29
    )
    fraction = Fraction(key[i][j])
    day = date(2026, fraction.numerator, fraction.denominator)
    number = (day - date(1899, 12, 30)).days
    line = next(at for at, row in enumerate(rows) if row == ["A"]) + 1 + i
    for value in (day, number):
        rows[line][j] = value
        marks = mark(read_answers_from_spreadsheet(write_xlsx(rows)), sheet)
        cell = next(cell for cell in marks.cells if (cell.stage, cell.row, cell.column) == ("A", i, j))
        assert (cell.mark, cell.answer) == (Mark.UNREADABLE, day.isoformat())
        assert f"a spreadsheet made it of {fraction};" in cell.unreadable_reason
    typed = json.loads(make_answer_file(sheet, write_key(sheet)))
    typed["answers"]["A"][i][j] = str(number)
    marks = mark(read_answers_from_text(json.dumps(typed)), sheet)
    assert next(cell.mark for cell in marks.cells if (cell.stage, cell.row, cell.column) == ("A", i, j)) is Mark.WRONG
    assert timedelta(days=number) + date(1899, 12, 30) == day


def test_names_of_stages_are_read_in_json_too() -> None:
    """Σ and Scores are what the sheet prints; a stage under two names is refused."""
    sheet = make_sheet()
    typed = json.loads(make_answer_file(sheet, write_key(sheet)))
    answers = {{"sums": "Σ", "S": "Scores"}.get(name, name): rows for name, rows in typed["answers"].items()}
    assert mark(read_answers_from_text(json.dumps({**typed, "answers": answers})), sheet).is_all_correct
    twice = {**typed["answers"], "Σ": typed["answers"]["sums"]}
    with pytest.raises(AnswerError, match="has the block sums twice"):
        mark(read_answers_from_text(json.dumps({**typed, "answers": twice})), sheet)


def quote_lines(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in json.dumps(json.loads(text), indent=1).splitlines())


MAILS: Mapping[str, Callable[[str], str]] = {
    "quoted": lambda text: quote_lines(text, "> "),
    "quoted twice": lambda text: quote_lines(text, "> > "),
    "greeting": lambda text: f"Dear Ms Rivera,\n\nhere are my answers:\n\n{text}\n\nBest wishes\nAda",
    "fence": lambda text: f"```json\n{text}\n```\n",
    "smart quotes": lambda text: "“".join(text.split('"')[:1]) + "".join(
        ("“" if at % 2 == 0 else "”") + part for at, part in enumerate(text.split('"')[1:])
    ),
    "blanks that do not break": lambda text: text.replace(" ", "\u00a0"),
    "all at once": lambda text: "On Monday Ada wrote:\n> Hello!\n> \n"
    + quote_lines(text, "> ").replace('"', "”")
    + "\n> Ada\n",
}  # fmt: skip


@pytest.mark.parametrize("way", MAILS)
def test_what_was_pasted_into_a_mail_is_marked_as_typed(way: str) -> None:
    """With > before its lines, a greeting, a fence, quotes that were curled."""
    sheet, typed = make_sheet(), write_typed_answers(make_sheet())
    answers = read_answers_from_text(MAILS[way](typed))
    assert answers == read_answers_from_text(typed)
    assert answers.code == sheet.code


def test_a_table_in_a_mail_is_read() -> None:
    """With > before its lines too."""
    sheet = make_sheet()
    quoted = "".join(f"> {line}\n" for line in save_csv(write_rows(sheet)).splitlines())
    marks = mark(read_answers_from_text(f"Hello,\n{quoted}"), sheet)
    assert list_marks(marks) == list_marks(mark(read_answers_from_text(write_typed_answers(sheet)), sheet))
