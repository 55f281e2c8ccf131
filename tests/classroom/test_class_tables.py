"""Tables of a class: written in one language, and read however a spreadsheet gives them back."""

import csv
import io
from collections.abc import Callable

import pytest
import xlsxwriter

import attnhand
from attnhand.classroom.class_tables import (
    find_columns,
    find_stages_of_titles,
    list_stage_titles,
    name_stage_columns,
    read_class_table,
    write_column_title,
    write_table,
)
from attnhand.classroom.gradebook import QUESTION_COLUMNS, REMARK_COLUMNS, SCORE_COLUMNS, STUDENT_COLUMNS
from attnhand.classroom.index import INDEX_COLUMNS
from attnhand.classroom.marks_table import IGNORED_COLUMNS
from attnhand.classroom.other_files import is_about_a_class
from attnhand.errors import TableError
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, get_language
from tests.spreadsheet_files import write_fods, write_ods

GRADEBOOK_COLUMNS = (*STUDENT_COLUMNS, *SCORE_COLUMNS, *QUESTION_COLUMNS, *REMARK_COLUMNS)
ROWS = [["Nr.", "Name", "S", "Σ"], ["007", "Zoë", "2,5", ""], ["12", "Lovelace, Ada", "16", "3"]]


def say(rows: list[list[str]], separator: str = ";") -> str:
    """Return rows as CSV."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue()


def write_xlsx(rows: list[list[str]]) -> bytes:
    """Return rows as Excel's own library writes them, numbers as numbers."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            for column, text in enumerate(row):
                is_number = at and column != 1 and text
                (sheet.write_number if is_number else sheet.write_string)(
                    at, column, float(text.replace(",", ".")) if is_number else text
                )
    return out.getvalue()


def quote_lines(rows: list[list[str]], separator: str) -> str:
    """Return CSV whose every line is one cell in quotes, as one saves it that had opened in a single column."""
    return "".join('"' + line.replace('"', '""') + '"\r\n' for line in say(rows, separator).splitlines())


WAYS: dict[str, Callable[[list[list[str]]], bytes]] = {
    "as it was written": lambda rows: write_table(rows, get_language("de")).encode("utf-8-sig"),
    "commas": lambda rows: say(rows, ",").encode("utf-8-sig"),
    "tabs, UTF-16": lambda rows: say(rows, "\t").encode("utf-16"),
    "ANSI": lambda rows: say(rows).encode("cp1252", "replace"),
    "ANSI of Central Europe": lambda rows: say(rows).encode("cp1250", "replace"),
    "lines in quotes": lambda rows: quote_lines(rows, ";").encode("utf-8-sig"),
    "lines in quotes, with commas": lambda rows: quote_lines(rows, ",").encode("utf-8-sig"),
    "lines in quotes, and empty columns": lambda rows: "".join(
        f"{line};;\r\n" for line in quote_lines(rows, ",").splitlines()
    ).encode("utf-8-sig"),
    "some lines in quotes": lambda rows: (
        say([[say([row], ",").rstrip()] for row in rows]).replace('"Nr.,Name,S,Σ"', "Nr.,Name,S,Σ").encode()
    ),
    "an .xlsx": write_xlsx,
    "an .ods": write_ods,
    "an .fods": write_fods,
    "an .ods of one column": lambda rows: write_ods([[line] for line in say(rows).splitlines()]),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_spreadsheet_gives_back_is_read(way: str) -> None:
    """Whatever stands between cells, and in whichever encoding."""
    rows = [["Nr.", "Name", "S", "Σ"], ["7", "Zoë", "2.5", ""], ["12", "Lovelace, Ada", "16", "3"]]
    data = WAYS[way](ROWS)
    header, *lines = read_class_table(data, 10, lambda title: title == "Name")
    found = [[*line, "", "", ""][:4] for line in lines]
    assert [header[:3], header[3]] == [rows[0][:3], "?" if way.startswith("ANSI") else "Σ"]
    assert [[line[0].removeprefix("00"), line[1], line[2].replace(",", "."), line[3]] for line in found] == rows[1:]
    assert is_about_a_class(data)


def test_an_encoding_is_that_in_which_the_header_is_known() -> None:
    """The letters of a Polish or Ukrainian table are no Western ones."""
    for code, encoding, name in (("pl", "cp1250", "Łukasz Żak"), ("uk", "cp1251", "Олена Їжак")):
        titles = [write_column_title(column, get_language(code)) for column in INDEX_COLUMNS]
        saved = say([titles, ["1", name]]).encode(encoding, "replace")
        known = set(titles)
        assert read_class_table(saved, 10, lambda title, known=known: title in known)[1] == ["1", name]  # type: ignore[misc]


@pytest.mark.parametrize(
    "data", [b"\0\1", b'a;b\n"c;d\n', b"PK\x03\x04", b"a\n" * 20], ids=["bytes", "quote", "zip", "long"]
)
def test_what_is_no_table_is_refused(data: bytes) -> None:
    """In a sentence."""
    with pytest.raises(TableError):
        read_class_table(data, 10, lambda _: False)


def test_no_title_means_two_things() -> None:
    """In no language is a column called as another one is, there or elsewhere, where both are read."""
    for code in LANGUAGES:
        titles = [write_column_title(column, get_language(code)) for column in GRADEBOOK_COLUMNS]
        assert len(set(titles)) == len(titles)
        for columns in (INDEX_COLUMNS, IGNORED_COLUMNS):
            written = [write_column_title(column, get_language(code)) for column in columns]
            assert find_columns(written, columns) == {column: at for at, column in enumerate(columns)}
            assert find_columns([title.upper() for title in written], columns).keys() == set(columns)
    assert find_columns(INDEX_COLUMNS, INDEX_COLUMNS) == {column: at for at, column in enumerate(INDEX_COLUMNS)}


SHEETS: dict[str, Sheet] = {
    "self": attnhand.generate(7, causal=True),
    "heads": attnhand.generate(7, mechanism="multi-head", heads=2),
    "block": attnhand.generate(7, mechanism="block"),
    "words": attnhand.generate(7, words="a b a c", embed=True, positions=True),
}


@pytest.mark.parametrize("kind", SHEETS)
@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_stages_are_known_by_what_any_language_calls_them(kind: str, code: str) -> None:
    """As they are printed, by their ids, and as they come back from a table that was saved as ANSI."""
    sheet = SHEETS[kind]
    stages = [stage.name for stage in sheet.problem.mechanism.stages]
    titles = list_stage_titles(sheet)
    written = ["Nr.", *name_stage_columns(sheet, get_language(code)).values()]
    assert "Σ" in written or kind == "heads"
    assert find_stages_of_titles(written, titles) == ["", *stages]
    assert find_stages_of_titles(stages, titles) == stages
    for encoding in ("cp1252", "cp1250"):
        if code != "uk":
            saved = [title.encode(encoding, "replace").decode(encoding) for title in written]
            assert find_stages_of_titles(saved, titles) == ["", *stages]


def test_a_title_that_may_mean_two_stages_means_none() -> None:
    """F₁ and F₂ are both "F?" where ANSI was asked for: with one of them left out, nobody knows which it was."""
    titles = list_stage_titles(SHEETS["block"])
    assert find_stages_of_titles(["?", "F?", "Q"], titles) == ["", "", "Q"]
    assert find_stages_of_titles(["?", "F?", "F?", "?"], titles) == ["", "F1", "F2", "sums"]
