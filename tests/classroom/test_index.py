"""The index of a class: written, and read again as a spreadsheet saves it."""

from dataclasses import replace

import pytest

from attnhand.classroom.index import format_index_csv, read_index, read_own_columns
from attnhand.classroom.register import MAX_SPARES, assign_seats
from attnhand.classroom.roster_table import MAX_STUDENTS
from attnhand.errors import RosterError
from attnhand.sheet.seat import Seat, Student
from attnhand.system.digests import add_digest
from attnhand.text import LANGUAGES

PEOPLE = [Student(row=1, name="Zoë"), Student(row=2, name="=1+1", id="-7"), Student(row=3, name="Cy", email="cy@x.org")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_is_written_is_read(separator: str) -> None:
    """Whatever people are called, and whatever stands between cells."""
    seats = assign_seats(PEOPLE, 7, "salt", spare_count=1)
    entries = tuple(replace(seat, seed=0, code=f"A1Q0-{seat.number}") for seat in seats)
    assert [seat.student.id for seat in entries] == ["", "-7", "", ""]
    assert [seat.is_spare for seat in entries] == [False, False, False, True]
    saved = format_index_csv(entries).replace(",", separator).encode("utf-8-sig")
    assert read_index(saved) == entries


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_every_language_reads_what_another_one_wrote(code: str) -> None:
    """Titles, separators, and as ANSI of its country; a column of the teacher's own stays, whatever the language."""
    people = [replace(person, row=row) for row, person in enumerate(PEOPLE[1:], 1)]
    entries = tuple(replace(seat, seed=0, code="A1Q0") for seat in assign_seats(people, 7, "salt", spare_count=1))
    text = format_index_csv(entries, [["№", "room"], ["1", "12"]], code)
    assert ("code" in text.splitlines()[0].split(",")) == (code == "en")
    encoding = {"pl": "cp1250", "uk": "cp1251"}.get(code, "cp1252")
    for saved in (text.encode("utf-8-sig"), text.encode(encoding)):
        assert read_index(saved) == entries
        (_, room), line, *_ = read_own_columns(saved)
        assert (room, line) == ("room", ["001", "12"])


def test_a_digest_is_no_entry() -> None:
    """The file says in its last line that it is as we wrote it."""
    entries = (Seat(number=1, student=Student(row=1), code="A1"),)
    assert read_index(add_digest(format_index_csv(entries).encode("utf-8-sig"), "csv")) == entries


def test_the_largest_class_is_read() -> None:
    """With all the spares that it can have, and the digest."""
    size = MAX_STUDENTS + MAX_SPARES
    entries = tuple(Seat(number=n, student=Student(row=n), code="A1") for n in range(1, size + 1))
    assert read_index(add_digest(format_index_csv(entries).encode("utf-8-sig"), "csv")) == entries


def test_codes_may_repeat_and_columns_may_be_added() -> None:
    """Six versions among a class; a column of the teacher's own."""
    text = "№,room,name,id,code\n2,,B,,A1\n1,9,A,,A1\n\n"
    assert read_index(text.encode()) == (
        Seat(number=1, student=Student(row=1, name="A"), code="A1"),
        Seat(number=2, student=Student(row=2, name="B"), code="A1"),
    )


REFUSED = {
    "nothing": ("", "is no index of a class"),
    "a roster": ("name,id\nAda,7\n", "is no index of a class"),
    "a number twice": ("№,code\n1,A\n1,B\n", "has the № 1 twice"),
    "no number": ("№,code\n1,A\nx,B\n", "has no № and code in line 3"),
    "endless digits": (f"№,code\n{'1' * 5000},A\n", "has no № and code in line 2"),
    "no code": ("№,code\n1,\n", "has no № and code in line 2"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_index_is_refused(text: str, sentence: str) -> None:
    """In one sentence that says what to give."""
    with pytest.raises(RosterError) as refusal:
        read_index(text.encode())
    assert sentence in str(refusal.value)
