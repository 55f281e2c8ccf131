"""Marks on paper: read as spreadsheets save them; what cannot be so is refused by line, column and remedy."""

from decimal import Decimal

import pytest

from attnhand.classroom.marks_table import format_marks_csv, read_filled_marks, read_marks_rows
from attnhand.classroom.register import MAX_SPARES
from attnhand.classroom.roster_table import MAX_STUDENTS
from attnhand.errors import RosterError
from attnhand.sheet.seat import Seat, Student
from attnhand.system.digests import add_digest

INDEX = [
    Seat(number=1, student=Student(name="Ada"), code="A"),
    Seat(number=2, student=Student(name="=Bob"), code="B"),
    Seat(number=3, code="C"),
]
CELLS = {"Q": 6, "S": 16}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_marks_are_read_by_number(separator: str) -> None:
    """Empty lines and stages were not marked; half marks count; other columns and the digest are passed over."""
    rows = [["№", "name", "S", "Q", "Remark"], ["002", "'=Bob", "", "3.5", "late"], ["001", "ADA", "16", "0"], ["3"]]
    text = "\r\n".join(separator.join(row) for row in rows) + "\r\n\r\n"
    read = read_filled_marks(add_digest(text.encode("utf-8-sig"), "csv"), INDEX, CELLS)
    assert read == {2: {"Q": (Decimal("3.5"), 6)}, 1: {"S": (Decimal(16), 16), "Q": (Decimal(0), 6)}}


def test_the_marks_of_the_largest_class_are_read() -> None:
    """With all the spares that it can have, and the digest; before they are filled and after."""
    seats = [Seat(number=n, code="A1") for n in range(1, MAX_STUDENTS + MAX_SPARES + 1)]
    data = add_digest(format_marks_csv(seats, ["Q"]).encode("utf-8-sig"), "csv")
    assert read_marks_rows(data)[len(seats)] == [str(len(seats)), "", ""]
    assert read_filled_marks(data, seats, CELLS) == {}


def test_a_decimal_comma_is_one() -> None:
    """In a table whose cells are parted by semicolons."""
    assert read_filled_marks("№;Q\n1;2,5\n".encode(), INDEX, CELLS) == {1: {"Q": (Decimal("2.5"), 6)}}


GERMAN = ["Nr.;Name;S;Σ;Punkte;Bemerkung", "1;Ada;16;2,5;18,5;gut", "3;;4;;;"]
STAGES = {"S": 16, "sums": 4}
TITLES = {"S": "S", "Σ": "sums", "sums": "sums"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_german_table_is_read(encoding: str, quote: str) -> None:
    """Also saved as ANSI, where Σ is lost, and with whole lines in quotes; columns of the teacher's are passed over."""
    text = "".join(f"{quote}{line}{quote}\r\n" for line in GERMAN)
    read = read_filled_marks(text.encode(encoding, "replace"), INDEX, STAGES, TITLES)
    assert read == {1: {"S": (Decimal(16), 16), "sums": (Decimal("2.5"), 4)}, 3: {"S": (Decimal(4), 16)}}


def test_names_that_ansi_has_no_letters_for_are_known() -> None:
    """By a question mark for each, or by the letter that a spreadsheet took instead; another's name is not."""
    index = [Seat(number=1, student=Student(name="Łukasz Żak"), code="A")]
    for name in ("?ukasz ?ak", "Lukasz Zak", "łukasz  żak"):
        assert read_filled_marks(f"Nr.;Name;Q\n1;{name};3\n".encode(), index, CELLS)
    with pytest.raises(RosterError, match="but the index has"):
        read_filled_marks(b"Nr.;Name;Q\n1;?ukasz Bak;3\n", index, CELLS)


def test_a_table_is_written_anew_in_the_language_of_the_class() -> None:
    """Titles, separators and decimals; what ANSI had lost is whole again, the teacher's own columns stay."""
    seats = [Seat(number=1, student=Student(name="Łukasz")), Seat(number=4, student=Student(name="Di"))]
    rows = read_marks_rows("№,me,name,S,sums\n1,3.5,?ukasz,12.5,x\n".encode(), TITLES)
    assert rows[0] == ["№", "me", "name", "S", "sums"]
    columns = {"S": "S", "sums": "Σ"}
    written = format_marks_csv(seats, ["S", "sums"], rows, language_code="de", stage_columns=columns)
    assert written.splitlines() == ["Nr.;me;Name;S;Σ", "1;3.5;Łukasz;12,5;x", "004;;Di;;"]
    english = format_marks_csv(seats, ["S", "sums"], read_marks_rows(written.encode("utf-8-sig"), TITLES))
    assert english.splitlines() == ["No.,me,name,S,sums", "1,3.5,Łukasz,12.5,x", "004,,Di,,"]


REFUSED: dict[str, tuple[str, str]] = {
    "nothing": ("", "has no column No.: its first line is No.,name,Q,S"),
    "a roster": ("name,Q\nAda,3\n", "has no column No."),
    "more than the cells": (
        "№,Q\n1,7\n",
        "has '7' in line 2, column Q (№ 001), but that stage has 6 cells: write 0 to 6, or leave it empty",
    ),
    "negative": ("№,Q\n1,-1\n", "has '-1' in line 2, column Q (№ 001), which is no number of marks: write 0 to 6"),
    "text": ("№,Q\n\n1,good\n", "has 'good' in line 3, column Q"),
    "a fraction of all": ("№,Q\n1,3/6\n", "has '3/6' in line 2, column Q"),
    "a stage mistyped": ("№,s\n1,3\n", "has a column 's', which these sheets do not ask: call it S, or leave it out"),
    "a stage twice": ("№,Q,Q\n1,3,3\n", "has two columns Q"),
    "an unknown №": ("№,Q\n8,3\n", "has the № '8' in line 2, which is not in the index"),
    "no №": ("№,Q\nx,3\n", "has the № 'x' in line 2"),
    "a № twice": ("№,Q\n1,\n1,3\n", "has the № 001 again in line 3"),
    "one column sorted alone": ("№,name,Q\n1,=Bob,3\n", "has № 001 '=Bob' in line 2, but the index has 'Ada'"),
    "no text": ("\0\1\2", "holds bytes that are no text"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused(text: str, sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(RosterError) as refusal:
        read_filled_marks(text.encode(), INDEX, CELLS)
    assert str(refusal.value).startswith(sentence)
