"""Who is in a class, and which number and seed each has."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.register import assign_seats
from attnhand.classroom.roster import make_unnamed_students, read_roster
from attnhand.errors import AttnhandError, RosterError
from attnhand.sheet.seat import Identity, Seat, Student

CLASS = read_roster("Name,ID,E-Mail,Group,large print\nAda,7,ada@x.org,A,yes\n\nBob,8,,B,\n".encode("utf-8-sig"))


def test_a_roster_is_read() -> None:
    """With a header in any order, blank lines and columns of others; what a column leaves out is empty."""
    ada, bob = CLASS
    assert ada == Student(row=1, name="Ada", id="7", email="ada@x.org", group="A", overrides=(("large_print", "yes"),))
    assert bob == Student(row=2, name="Bob", id="8", group="B")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_spreadsheets_save_it_in_their_own_ways(separator: str, encoding: str) -> None:
    """Comma, semicolon or tab, and the encodings of Windows."""
    text = separator.join(("phone", "name", "id")) + "\r\n" + separator.join(("1", "Zoë", "9")) + "\r\n"
    assert read_roster(text.encode(encoding)) == (Student(row=1, name="Zoë", id="9"),)


REFUSED = {
    "nothing": (b"", "is empty"),
    "a header alone": (b"name,id\n", "has a header and no student"),
    "no name": (b"nmae,room\nAda,3\n", "has no column called name in its header: call 'nmae' so"),
    "two halves of a name": (
        b"last name,first name\nLovelace,Ada\n",
        "has no column called name in its header: put 'last name' and 'first name' into one",
    ),
    "a comma in a name": (b"name,id\nBob,1\nLovelace, Ada,7\n", "more cells than its header in the line of student 2"),
    "names alone": (b"Ada\nBob\n", "has no column called name in its header"),
    "two of one id": (b"name,id\nAda,7\nBob,7\n", "has the id '7' twice, for students 1 and 2"),
    "two of one name": ("name\nZoë\nZOË\n".encode(), "has the name 'zoë' twice"),
    "two columns": (b"name,id,number\nAda,7,8\n", "has two columns for the id"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "holds bytes that are no text"),
    "an open quote": (b'name\n"Ada\n', "is no CSV"),
}


@pytest.mark.parametrize(("data", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_roster_is_refused(data: bytes, sentence: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(RosterError, match=r"^(is|has|holds) ") as refusal:
        read_roster(data)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("count", [0, -1, 100_001])
def test_a_class_has_a_size(count: int) -> None:
    """One student at least, and not more than can be."""
    with pytest.raises(AttnhandError, match="is out of range"):
        make_unnamed_students(count)


def map_seeds_by_identity(seats: tuple[Seat, ...]) -> dict[Identity, int]:
    """Return the seeds by identity."""
    return {seat.student.identity: seat.seed for seat in seats}


def test_everyone_has_a_sheet_of_their_own_for_ever() -> None:
    """Ten thousand seeds, all different; the same from the same class seed and salt, others from another."""
    people = make_unnamed_students(10_000)
    seats = assign_seats(people, 7, "salt")
    assert [seat.number for seat in seats] == list(range(1, 10_001))
    assert len(set(map_seeds_by_identity(seats).values())) == 10_000
    assert assign_seats(people, 7, "salt") == seats
    assert not set(map_seeds_by_identity(assign_seats(people[:50], 8, "salt")).items()) & set(
        map_seeds_by_identity(seats).items()
    )
    assert not set(map_seeds_by_identity(assign_seats(people[:50], 7, "other")).items()) & set(
        map_seeds_by_identity(seats).items()
    )


@given(st.permutations(range(8)))
def test_one_more_changes_nobody_elses_sheet(order: list[int]) -> None:
    """In whatever order and wherever a new one stands; with the earlier set at hand numbers stay too."""
    people = [Student(row=row + 1, name=f"student {row}") for row in range(8)]
    before = assign_seats(people[:7], 7, "salt")
    mixed = [replace(people[i], row=place + 1) for place, i in enumerate(order)]
    after = assign_seats(mixed, 7, "salt")
    assert map_seeds_by_identity(before).items() <= map_seeds_by_identity(after).items()
    seats = assign_seats(mixed, 7, "salt", earlier_seats=before)
    numbers = {seat.student.identity: seat.number for seat in seats}
    assert {seat.student.identity: seat.number for seat in before}.items() <= numbers.items()
    assert numbers["name", "student 7"] == 8


def test_where_two_would_have_the_same_the_later_takes_its_next() -> None:
    """A seed that another has is passed over, and nobody else notices."""
    people = make_unnamed_students(3)
    plain = assign_seats(people, 7, "")
    earlier = [Seat(number=99, student=Student(row=99), seed=plain[1].seed)]
    seats = assign_seats(people, 7, "", earlier_seats=earlier)
    assert [seat.seed == other.seed for seat, other in zip(seats, plain, strict=True)] == [True, False, True]
    assert [seat.number for seat in seats] == [100, 101, 102]


def test_versions_are_dealt_in_turn() -> None:
    """Six sheets among twenty students, number by number."""
    seats = assign_seats(make_unnamed_students(20), 7, "salt", version_count=6)
    dealt = [seat.seed for seat in seats]
    assert len(set(dealt[:6])) == 6
    assert dealt == [dealt[place % 6] for place in range(20)]
    with pytest.raises(AttnhandError, match="versions=0 is out of range"):
        assign_seats(make_unnamed_students(2), 7, "", version_count=0)
