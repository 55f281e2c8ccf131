"""A distinct sheet for everyone: which number (№) and which seed each student has."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from attnhand.classroom.matching import fold_name
from attnhand.classroom.roster import MAX_STUDENTS
from attnhand.errors import AttnhandError, name_option
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED
from attnhand.sheet.seat import Identity, Seat, Student
from attnhand.system.file_names import make_unique_safe_names

MAX_VERSIONS = 1_000
MAX_SPARES = 1_000

MAX_TABLE_LINES = 2 * (MAX_STUDENTS + MAX_SPARES)
"""Lines of a class's tables: header, students, spares, digest, and in the marks those who have left."""

MAX_SEEDS_SEARCHED = 1_000
"""So many seeds of one student are looked at for the one that was given."""


def assign_seats(
    students: Sequence[Student],
    class_seed: int,
    salt: str,
    *,
    version_count: int | None = None,
    spare_count: int = 0,
    earlier_seats: Sequence[Seat] = (),
    last_number: int = 0,
) -> tuple[Seat, ...]:
    """Give every student a number and a seed, in the order of numbers; then the spares.

    A seed comes from the class seed, the salt and who the student is, so that one student more changes nobody's.
    Where two would have the same, the later one takes its next.

    Args:
        version_count: so many different sheets are dealt in turn; None for one of everyone's own.
        earlier_seats: those of an earlier set, withdrawn ones too: numbers and seeds stay.
        last_number: the last number that earlier sets gave, so that none is given twice.

    Raises:
        AttnhandError: there are fewer versions than one, or too many; or such a number of spares.
    """
    if version_count is not None and not 1 <= version_count <= MAX_VERSIONS:
        raise AttnhandError(f"{name_option('versions', version_count)} is out of range: use 1 to {MAX_VERSIONS:,}")
    if not 0 <= spare_count <= MAX_SPARES:
        raise AttnhandError(f"{name_option('spare', spare_count)} is out of range: use 0 to {MAX_SPARES:,}")
    earlier = {
        **match_students(students, [seat for seat in earlier_seats if not seat.is_spare]),
        **{seat.identity: seat for seat in earlier_seats if seat.is_spare},
    }
    last_number = max([last_number, *(seat.number for seat in earlier_seats)])
    new = [Seat(number=0, student=student) for student in students]
    new += [Seat(number=0, student=Student(row=row), is_spare=True) for row in range(1, spare_count + 1)]
    seats = []
    for seat in new:
        last_number += seat.identity not in earlier
        number = earlier[seat.identity].number if seat.identity in earlier else last_number
        version = None if version_count is None else (number - 1) % version_count + 1
        seats.append(replace(seat, number=number, version=version))
    seats.sort(key=lambda seat: seat.number)
    # versions are dealt anew, so that what an earlier set drew for one student is not kept
    seeds = {identity: seat.seed for identity, seat in earlier.items()} if version_count is None else {}
    used = {seat.seed for seat in earlier_seats} if version_count is None else set()
    for seat in seats:
        if seat.seed_key not in seeds:
            seeds[seat.seed_key] = next(s for s in generate_seeds(class_seed, salt, seat.seed_key) if s not in used)
            used.add(seeds[seat.seed_key])
    return tuple(replace(seat, seed=seeds[seat.seed_key]) for seat in seats)


def match_students(students: Sequence[Student], earlier_seats: Sequence[Seat]) -> Mapping[Identity, Seat]:
    """Return who had which earlier seat, by who they are now: none is somebody's for whom it is not sure.

    The same id tells, then the same e-mail, then a name that is one student's before and now, if no id contradicts.

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
        holders = {key: seat for seat in earlier_seats if before[key := tell(seat.student)] == 1}
        for student in students:
            seat = holders.get(tell(student)) if tell(student) and now[tell(student)] == 1 else None
            if seat is None or student.identity in found or seat.number in taken:
                continue
            if outweighs_ids or not (student.id and seat.student.id):
                found[student.identity] = seat
                taken.add(seat.number)
    return found


def generate_seeds(class_seed: int, salt: str, seed_key: Identity) -> Iterator[int]:
    """Yield the seeds of one sheet, the first of which is taken unless another has it."""
    stream = RandomStream(str(class_seed), "class", salt, " ".join(seed_key))
    while True:
        yield stream.draw_below(MAX_SEED + 1)


def assign_next_seed(seats: Sequence[Seat], seed_key: Identity, class_seed: int, salt: str) -> tuple[Seat, ...]:
    """Return the seats where one sheet (of one student, or a version) takes its next seed that nobody has."""
    used = {seat.seed for seat in seats}
    current = next(seat.seed for seat in seats if seat.seed_key == seed_key)
    candidates = list(islice(generate_seeds(class_seed, salt, seed_key), MAX_SEEDS_SEARCHED))
    later = candidates[candidates.index(current) + 1 :] if current in candidates else candidates
    next_seed = next(seed for seed in later if seed not in used)
    return tuple(replace(seat, seed=next_seed) if seat.seed_key == seed_key else seat for seat in seats)


def name_group_folders(seats: Iterable[Seat]) -> Mapping[int, str]:
    """Return the folder of everyone's group, by №; no two groups share one, whatever the letter case.

    >>> people = [Seat(number=n, student=Student(group=group)) for n, group in enumerate(("B/1", "b/1", "", "A"), 1)]
    >>> name_group_folders(people)
    {1: 'B 1', 2: 'b 1 2', 4: 'A'}
    """
    there = [seat for seat in seats if seat.student.group and not seat.is_spare and not seat.is_withdrawn]
    groups = sorted({seat.student.group for seat in there})
    folders = dict(zip(groups, make_unique_safe_names(groups), strict=True))
    return {seat.number: folders[seat.student.group] for seat in there}
