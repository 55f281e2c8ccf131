"""The index of a class: written, and read again as a spreadsheet saves it."""

import pytest

from attnhand.classroom.index import format_index_csv, make_index_entry, read_index
from attnhand.classroom.matching import IndexEntry
from attnhand.classroom.register import MAX_SPARES, assign_seats
from attnhand.classroom.roster import MAX_STUDENTS, Student
from attnhand.errors import RosterError
from attnhand.system.digests import add_digest

PEOPLE = [Student(row=1, name="Zoë"), Student(row=2, name="=1+1", id="-7"), Student(row=3, name="Cy", email="cy@x.org")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_is_written_is_read(separator: str) -> None:
    """Whatever people are called, and whatever stands between cells."""
    entries = tuple(make_index_entry(seat, f"A1Q0-{seat.number}") for seat in assign_seats(PEOPLE, 7, "salt"))
    assert [entry.id for entry in entries] == ["", "-7", ""]
    assert entries[2].email == "cy@x.org"
    saved = format_index_csv(entries).replace(",", separator).encode("utf-8-sig")
    assert read_index(saved) == entries


def test_a_digest_is_no_entry() -> None:
    """The file says in its last line that it is as we wrote it."""
    entries = (IndexEntry(number=1, code="A1"),)
    assert read_index(add_digest(format_index_csv(entries).encode("utf-8-sig"), "csv")) == entries


def test_the_largest_class_is_read() -> None:
    """With all the spares that it can have, and the digest."""
    size = MAX_STUDENTS + MAX_SPARES
    entries = tuple(IndexEntry(number=number, code="A1") for number in range(1, size + 1))
    assert read_index(add_digest(format_index_csv(entries).encode("utf-8-sig"), "csv")) == entries


def test_codes_may_repeat_and_columns_may_be_added() -> None:
    """Six versions among a class; a column of the teacher's own."""
    text = "№,room,name,id,code\n2,,B,,A1\n1,9,A,,A1\n\n"
    assert read_index(text.encode()) == (
        IndexEntry(number=2, code="A1", name="B"),
        IndexEntry(number=1, code="A1", name="A"),
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
