"""Who is in a class set, and which №s they have already: from a roster, its own earlier set, and another class's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnhand.classroom.register import merge_seats
from attnhand.classroom.roster import GivenNumber, Roster, make_unnamed_students, read_roster
from attnhand.classroom.set_folder import ClassFolder, TeacherFolder, find_teacher_folder, name_in_refusals
from attnhand.errors import AttnhandError, name_option
from attnhand.sheet.seat import Identity, Seat, Student
from attnhand.system.files import read_file
from attnhand.system.streams import read_stdin
from attnhand.text import Message

MAX_ROSTER_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassList:
    """Who is in a class set."""

    source: str
    """What says so, to begin a refusal with."""

    students: tuple[Student, ...]
    given_numbers: Mapping[Identity, GivenNumber]
    """Those of the roster."""

    understanding: Message | None = None
    """How the roster's columns were understood; empty where there is none."""

    known_seats: tuple[Seat, ...] = ()
    """Who has a № already; with the code of a sheet, who has one in the earlier set."""

    last_number: int = 0
    """The last № that another class gave."""

    like: str = ""
    """The folder of that class; empty where there is none."""

    like_numbers: frozenset[int] = frozenset()
    """The №s that it knows."""

    def describe_likeness(self, seats: Sequence[Seat]) -> Message | None:
        """Say how many have their № from the other class."""
        known = sum(seat.number in self.like_numbers and not seat.is_spare for seat in seats)
        return Message("class.like", folder=self.like, students=known) if self.like else None


def list_class(
    roster: str | None,
    option_values: Mapping[str, Any],
    earlier: TeacherFolder | None,
    folder: ClassFolder,
    *,
    is_again: bool,
) -> ClassList:
    """Return who is in a class set.

    Args:
        earlier: the teacher's half of the set that it goes on from.
        folder: where it is written.
        is_again: whether the earlier set says who is in it.

    Raises:
        AttnhandError: nothing says who is in it, or two things contradict each other.
    """
    own_seats = earlier.read_everyone() if earlier else ()
    like = _find_like(option_values["like"], folder, is_again=is_again)
    like_seats = like.read_everyone() if like else ()
    if is_again:
        listed, source = Roster(students=_list_people(own_seats)), str(roster)
    elif like and roster is None and option_values["count"] is None:
        listed, source = Roster(students=_list_people(like_seats)), option_values["like"]
    else:
        listed = _read_students(roster, option_values["count"], option_values["column"] or ())
        source = _describe_roster(roster)
    if own_seats or like_seats:
        listed = listed.forget_counts()
    known_seats = (*own_seats, *_merge_like(own_seats, like_seats, like))
    with name_in_refusals(source, f"take its №s out, or choose another {name_option('out')}"):
        known_seats = (*known_seats, *merge_seats(known_seats, listed.others))
    sheet_numbers = {seat.number for seat in own_seats if seat.code}
    return ClassList(
        source=source,
        students=listed.students,
        given_numbers=listed.numbers,
        understanding=listed.understanding,
        known_seats=tuple(seat if seat.number in sheet_numbers else replace(seat, code="") for seat in known_seats),
        last_number=like.read_class_file().last_number if like else 0,
        like=option_values["like"] if like else "",
        like_numbers=frozenset(seat.number for seat in like_seats),
    )


def _list_people(seats: Sequence[Seat]) -> tuple[Student, ...]:
    return tuple(seat.student for seat in seats if not (seat.is_spare or seat.is_withdrawn))


def _find_like(name: str | None, folder: ClassFolder, *, is_again: bool) -> TeacherFolder | None:
    """Return the class whose №s are kept."""
    if name is None:
        return None
    if is_again:
        raise AttnhandError(f"{name_option('like', name)} is for a roster: an earlier set has its №s, leave it out")
    like = find_teacher_folder(name)
    if like.folder.resolve() == folder.teacher_folder.folder.resolve():
        raise AttnhandError(
            f"{name_option('like', name)} is the folder that is written: give the new sheets one of their own, "
            f"{name_option('out', 'week-2')}, or leave out {name_option('like')}"
        )
    return like


def _merge_like(own_seats: Sequence[Seat], like_seats: Sequence[Seat], like: TeacherFolder | None) -> tuple[Seat, ...]:
    """Return who is in the other class alone."""
    if like is None:
        return ()
    with name_in_refusals(like.index_path, f"leave out {name_option('like')}, this class goes on by itself"):
        return merge_seats(own_seats, like_seats)


def _read_students(roster: str | None, count: int | None, columns: Sequence[str]) -> Roster:
    if (roster is None) == (count is None):
        raise AttnhandError(
            f"who is in the class: give a roster, or {name_option('count', 30)}"
            if roster is None
            else f"{name_option('count', count)} and the roster {roster} contradict each other: leave out one of them"
        )
    if count is not None:
        return Roster(students=make_unnamed_students(count))
    assert roster is not None
    if roster == "-":
        data = read_stdin(MAX_ROSTER_BYTES, kind="roster")
    else:
        advice = "check the name, and the folder you are in"
        data = read_file(Path(roster), MAX_ROSTER_BYTES, kind="roster", advice=advice, accepts_pipes=True)
    with name_in_refusals(_describe_roster(roster)):
        return read_roster(data, columns)


def _describe_roster(roster: str | None) -> str:
    return "the roster" if roster in (None, "-") else str(roster)
