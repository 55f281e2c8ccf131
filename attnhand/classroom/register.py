"""A distinct sheet for everyone: which number (№) and which seed each student has."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from attnhand.classroom.matching import fold_name
from attnhand.classroom.roster import NO_NUMBERS_ADVICE, GivenNumber
from attnhand.classroom.roster_table import MAX_STUDENTS
from attnhand.classroom.seeds import deal_seeds
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.sheet.seat import Identity, Seat, Student

MAX_VERSIONS = 1_000
MAX_SPARES = 1_000

MAX_TABLE_LINES = 2 * (MAX_STUDENTS + MAX_SPARES)
"""Lines of a class's tables: header, students, spares, digest, and in the marks those who have left."""

NO_NUMBERS: Mapping[Identity, GivenNumber] = MappingProxyType({})
"""Of a roster that gives none."""


def assign_seats(
    students: Sequence[Student],
    class_seed: int,
    salt: str,
    *,
    version_count: int | None = None,
    spare_count: int = 0,
    given_numbers: Mapping[Identity, GivenNumber] = NO_NUMBERS,
    known_seats: Sequence[Seat] = (),
    last_number: int = 0,
) -> tuple[Seat, ...]:
    """Give every student a number and a seed, in the order of numbers; then the spares.

    Args:
        version_count: so many different sheets are dealt in turn; None for one of everyone's own.
        given_numbers: those of the roster.
        known_seats: who had a number before, withdrawn or not: numbers stay, and of those with a code, which have a
            sheet of an earlier set, seeds too.
        last_number: the last number that earlier sets gave, so that none is given twice.

    Raises:
        AttnhandError: there are fewer versions than one, or too many; or such a number of spares.
        RosterError: the roster gives a number that is somebody else's; the message completes "roster.csv …".
    """
    if version_count is not None and not 1 <= version_count <= MAX_VERSIONS:
        raise AttnhandError(f"{name_option('versions', version_count)} is out of range: use 1 to {MAX_VERSIONS:,}")
    if not 0 <= spare_count <= MAX_SPARES:
        raise AttnhandError(f"{name_option('spare', spare_count)} is out of range: use 0 to {MAX_SPARES:,}")
    earlier = {
        **match_students(students, [seat for seat in known_seats if not seat.is_spare], given_numbers),
        **{seat.identity: seat for seat in known_seats if seat.is_spare},
    }
    _refuse_contradictions(students, given_numbers, earlier, known_seats, last_number)
    given = (each.number for each in given_numbers.values())
    last_number = max([last_number, *(seat.number for seat in known_seats), *given])
    new = [Seat(number=0, student=student) for student in students]
    new += [Seat(number=0, student=Student(row=row), is_spare=True) for row in range(1, spare_count + 1)]
    seats = []
    for seat in new:
        known = earlier.get(seat.identity) or given_numbers.get(seat.identity)
        last_number += known is None
        number = known.number if known else last_number
        version = None if version_count is None else (number - 1) % version_count + 1
        seats.append(replace(seat, number=number, version=version))
    seats.sort(key=lambda seat: seat.number)
    # versions are dealt anew, so that what an earlier set drew for one student is not kept
    kept_seats = [seat for seat in known_seats if seat.code and version_count is None]
    kept_numbers = {seat.number for seat in kept_seats}
    kept_seeds = {identity: seat.seed for identity, seat in earlier.items() if seat.number in kept_numbers}
    return deal_seeds(seats, class_seed, salt, kept_seeds, {seat.seed for seat in kept_seats})


def match_students(
    students: Sequence[Student],
    earlier_seats: Sequence[Seat],
    given_numbers: Mapping[Identity, GivenNumber] = NO_NUMBERS,
) -> Mapping[Identity, Seat]:
    """Return who had which earlier seat, by who they are now: none is somebody's for whom it is not sure.

    The same id tells, then the same e-mail, then a name that is one student's before and now, if no id contradicts;
    last the № that the roster gives, if a part of the name is the same.

    >>> ada, other = Student(name="Ada", id="7"), Student(name="ADA", id="8")
    >>> match_students([ada], [Seat(number=3, student=Student(name="ADA"))])[ada.identity].number
    3
    >>> match_students([other], [Seat(number=3, student=ada)])
    {}
    """
    found: dict[Identity, Seat] = {}
    taken: set[int] = set()
    ways: tuple[tuple[Callable[[Student], object], bool], ...] = (
        (lambda student: student.identity, True),
        (lambda student: fold_name(student.email), True),
        (lambda student: fold_name(student.name), False),
    )
    for tell, outweighs_ids in ways:
        before, now = Counter(tell(seat.student) for seat in earlier_seats), Counter(map(tell, students))
        owners = {key: seat for seat in earlier_seats if before[key := tell(seat.student)] == 1}
        for student in students:
            seat = owners.get(tell(student)) if tell(student) and now[tell(student)] == 1 else None
            if seat is None or student.identity in found or seat.number in taken:
                continue
            if outweighs_ids or not (student.id and seat.student.id):
                found[student.identity] = seat
                taken.add(seat.number)
    by_number = {seat.number: seat for seat in earlier_seats if seat.number not in taken}
    for student in students:
        given = given_numbers.get(student.identity)
        seat = by_number.get(given.number) if given and student.identity not in found else None
        if seat and _may_be_renamed(seat.student, student):
            found[student.identity] = seat
    return found


def _may_be_renamed(before: Student, now: Student) -> bool:
    """Say whether two of one № are one, whose name was corrected."""
    shared = set(fold_name(before.name).split()) & set(fold_name(now.name).split())
    return not (before.id and now.id) and (bool(shared) or not (before.name and now.name))


def _refuse_contradictions(
    students: Sequence[Student],
    given_numbers: Mapping[Identity, GivenNumber],
    earlier: Mapping[Identity, Seat],
    known_seats: Sequence[Seat],
    last_number: int,
) -> None:
    """Refuse a roster that gives somebody another № than theirs, or somebody else's.

    Raises:
        RosterError: it does; the message completes "roster.csv …".
    """
    owners = {seat.number: seat for seat in known_seats}
    for student in students:
        given, seat = given_numbers.get(student.identity), earlier.get(student.identity)
        if given is None or (seat and seat.number == given.number):
            continue
        fault = f"has № {given.number} for {student.name or student.id or student.email} in line {given.line}"
        if seat:
            raise RosterError(f"{fault}, who has № {seat.number}: write that one, or nothing; {NO_NUMBERS_ADVICE}")
        if given.number in owners or given.number <= last_number:
            owner = owners.get(given.number)
            whose = "was given before" if owner is None else "is a spare sheet" if owner.is_spare else f"is {owner}"
            raise RosterError(f"{fault}, which {whose}: write nothing for who is new; {NO_NUMBERS_ADVICE}")


def merge_seats(first: Sequence[Seat], others: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return those others who are not among the first: what each of both calls a № is one student's.

    >>> ada, bo = (Seat(number=n, student=Student(name=name)) for n, name in ((1, "Ada"), (2, "Bo")))
    >>> merge_seats([ada], [ada, bo]) == (bo,)
    True

    Raises:
        RosterError: a № is two students', or a student has two; the message completes "index.csv …".
    """
    people = [seat for seat in others if not seat.is_spare]
    numbers = {seat.student.identity: GivenNumber(seat.number, 0) for seat in people}
    there = [seat for seat in first if not seat.is_spare]
    found = match_students([seat.student for seat in people], there, numbers)
    owners, identities = {seat.number: seat for seat in first}, {seat.identity for seat in first}
    new = []
    for seat in others:
        same, owner = found.get(seat.student.identity), owners.get(seat.number)
        if seat.is_spare:
            new += [] if owner or seat.identity in identities else [seat]
        elif same and same.number != seat.number:
            raise RosterError(f"has {seat}, who is {same} in this class")
        elif not same and owner:
            raise RosterError(f"has {seat}, but that № is {owner} in this class")
        elif not same:
            new.append(seat)
    return tuple(new)
