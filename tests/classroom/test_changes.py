"""Who keeps which № when another roster comes: for ever the same person, and never one for whom it is not sure."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.changes import compare_seats
from attnhand.classroom.index import format_index_csv, read_index
from attnhand.classroom.register import assign_seats, match_students
from attnhand.sheet.seat import Seat, Student

ADA = Student(name="Ada", id="7", email="ada@x.org")
MATCHES = {
    "the same id": ([ADA], [Student(name="Eve", id="7")], ["7"]),
    "the same e-mail, a corrected id": ([ADA], [Student(name="A.", id="8", email="ADA@x.org")], ["8"]),
    "the same name, no id yet": ([Student(name="ada")], [ADA], ["7"]),
    "the same name, the id left out": ([ADA], [Student(name="Ada")], ["ada"]),
    "a namesake of another id": ([replace(ADA, email="")], [Student(name="Ada", id="8")], []),
    "two of a name now": ([Student(name="Ada")], [ADA, Student(name="Ada", id="8")], []),
    "two of a name before": ([ADA, Student(name="Ada", id="8")], [Student(name="Ada")], []),
    "a shared e-mail": ([ADA, Student(name="Al", id="9", email="ada@x.org")], [replace(ADA, id="", name="X")], []),
    "an id before an e-mail": ([ADA, Student(name="Bo", id="9", email="bo@x.org")], [replace(ADA, id="9")], ["9"]),
    "nobody's blank e-mail": ([Student(name="Bo", id="1")], [Student(name="Cy", id="2")], []),
}


@pytest.mark.parametrize(("before", "now", "matched"), MATCHES.values(), ids=MATCHES)
def test_who_is_who(before: list[Student], now: list[Student], matched: list[str]) -> None:
    """By id, else e-mail, else a name that is sure."""
    seats = [Seat(number=number, student=student) for number, student in enumerate(before, 1)]
    found = match_students(now, seats)
    assert [text for _, text in found] == matched
    if matched == ["9"]:
        assert next(iter(found.values())).number == 2


@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=2, max_size=5), st.booleans())
def test_a_number_is_somebodys_for_ever(rosters: list[set[int]], has_ids: bool) -> None:
    """Whoever comes, goes and comes again, and whether ids come with a later roster: № and seed stay."""
    seats: tuple[Seat, ...] = ()
    known: dict[str, tuple[int, int]] = {}
    for at, people in enumerate(rosters):
        students = [
            Student(row=row, name=f"P{who}", id=f"{who}" * has_ids * bool(at)) for row, who in enumerate(people)
        ]
        drawn = assign_seats(students, 7, "s", known_seats=seats, spare_count=1)
        now = [replace(seat, code="A1Q0") for seat in drawn]
        for seat in now:
            assert known.setdefault(seat.name, (seat.number, seat.seed)) == (seat.number, seat.seed)
        seats = tuple(sorted((*now, *compare_seats(now, seats).withdrawn), key=lambda seat: seat.number))
        assert len({seat.number for seat in seats}) == len({seat.seed for seat in seats}) == len(known)


def test_the_index_keeps_who_has_left() -> None:
    """With the options of their page; an index from before has none."""
    student = Student(row=1, name="Ada", overrides=(("large_print", "yes"),))
    seat = Seat(number=3, student=student, is_withdrawn=True, code="A1")
    assert ",withdrawn large_print=yes" in format_index_csv([seat])
    assert read_index(format_index_csv([seat]).encode()) == (seat,)
