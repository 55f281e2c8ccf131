"""A distinct sheet for everyone: which number (№) and which seed each student has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from attnhand.classroom.roster import MAX_STUDENTS, Student
from attnhand.errors import AttnhandError, name_option
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED
from attnhand.sheet.owner import Owner

MAX_VERSIONS = 1_000
MAX_SPARES = 1_000

MAX_TABLE_LINES = 2 * (MAX_STUDENTS + MAX_SPARES)
"""Lines of a class's tables: header, students, spares, digest, and in the marks those who have left."""

MAX_SEEDS_SEARCHED = 1_000
"""So many seeds of one student are looked at for the one that was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One student's place in a class set."""

    number: int
    """№, from 1; it stays when others come or go."""

    student: Student
    seed: int
    is_spare: bool = False
    """Whether it is for whoever needs another sheet; the student then is nobody."""

    version: int | None = None
    """Which of several sheets that are dealt in turn, from 1; None where everyone has one of their own."""

    @property
    def identity(self) -> str:
        """What tells it from other seats, whatever their numbers."""
        return f"spare {self.student.row}" if self.is_spare else self.student.identity

    @property
    def seed_key(self) -> str:
        """What its sheet comes from, with the class seed and the salt."""
        return self.identity if self.version is None else f"version {self.version}"

    @property
    def owner(self) -> Owner:
        """What stands on every page of its sheet."""
        return Owner(number=self.number, name=self.student.name, is_spare=self.is_spare)


@dataclass(frozen=True, slots=True)
class PinnedSeat:
    """What an earlier set gave a student."""

    number: int
    seed: int


def assign_seats(
    students: Sequence[Student],
    class_seed: int,
    salt: str,
    *,
    version_count: int | None = None,
    spare_count: int = 0,
    pinned_seats: Mapping[str, PinnedSeat] | None = None,
    last_number: int = 0,
) -> tuple[Seat, ...]:
    """Give every student a number and a seed, in the order of numbers; then the spares.

    A seed comes from the class seed, the salt and who the student is, so that one student more changes nobody's.
    Where two would have the same, the later one takes its next.

    Args:
        version_count: so many different sheets are dealt in turn; None for one of everyone's own.
        pinned_seats: what an earlier set gave, by identity: numbers and seeds stay.
        last_number: the last number that earlier sets gave, so that none is given twice.

    Raises:
        AttnhandError: there are fewer versions than one, or too many; or such a number of spares.
    """
    if version_count is not None and not 1 <= version_count <= MAX_VERSIONS:
        raise AttnhandError(f"{name_option('versions', version_count)} is out of range: use 1 to {MAX_VERSIONS:,}")
    if not 0 <= spare_count <= MAX_SPARES:
        raise AttnhandError(f"{name_option('spare', spare_count)} is out of range: use 0 to {MAX_SPARES:,}")
    pinned = pinned_seats or {}
    last_number = max([last_number, *(pin.number for pin in pinned.values())])
    seats = []
    people = [(student, False) for student in students]
    people += [(Student(row=row), True) for row in range(1, spare_count + 1)]
    for student, spare in people:
        seat = Seat(number=last_number + 1, student=student, seed=0, is_spare=spare)
        if pin := pinned.get(seat.identity):
            seats.append(_number_seat(seat, pin.number, pin.seed, version_count))
        else:
            last_number += 1
            seats.append(_number_seat(seat, last_number, None, version_count))
    used_seeds = {pin.seed for pin in pinned.values()} if version_count is None else set()
    return _assign_seeds(sorted(seats, key=lambda pair: pair[0].number), class_seed, salt, used_seeds)


def _number_seat(seat: Seat, number: int, seed: int | None, version_count: int | None) -> tuple[Seat, bool]:
    """Return the seat with its number, and whether its seed is known."""
    version = None if version_count is None else (number - 1) % version_count + 1
    known = seed is not None and version_count is None
    return replace(seat, number=number, seed=seed or 0, version=version), known


def _assign_seeds(
    seats: Sequence[tuple[Seat, bool]], class_seed: int, salt: str, used_seeds: set[int]
) -> tuple[Seat, ...]:
    """Give every seat whose seed is not known the first of its own that is not taken."""
    given: dict[str, int] = {}
    seeded = []
    for seat, is_known in seats:
        if is_known:
            seeded.append(seat)
            continue
        if seat.seed_key not in given:
            given[seat.seed_key] = next(
                s for s in generate_seeds(class_seed, salt, seat.seed_key) if s not in used_seeds
            )
            used_seeds.add(given[seat.seed_key])
        seeded.append(replace(seat, seed=given[seat.seed_key]))
    return tuple(seeded)


def generate_seeds(class_seed: int, salt: str, seed_key: str) -> Iterator[int]:
    """Yield the seeds of one sheet, the first of which is taken unless another has it."""
    stream = RandomStream(str(class_seed), "class", salt, seed_key)
    while True:
        yield stream.draw_below(MAX_SEED + 1)


def assign_next_seed(seats: Sequence[Seat], seed_key: str, class_seed: int, salt: str) -> tuple[Seat, ...]:
    """Return the seats where one sheet (of one student, or a version) takes its next seed that nobody has."""
    used = {seat.seed for seat in seats}
    current = next(seat.seed for seat in seats if seat.seed_key == seed_key)
    candidates = list(islice(generate_seeds(class_seed, salt, seed_key), MAX_SEEDS_SEARCHED))
    later = candidates[candidates.index(current) + 1 :] if current in candidates else candidates
    next_seed = next(seed for seed in later if seed not in used)
    return tuple(replace(seat, seed=next_seed) if seat.seed_key == seed_key else seat for seat in seats)
