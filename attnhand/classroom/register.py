"""A distinct sheet for everyone: which number (№) and which seed each student has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from attnhand.classroom.roster import Student
from attnhand.errors import RosterError
from attnhand.problems.random_stream import Stream
from attnhand.problems.request import LARGEST_SEED
from attnhand.sheet.owner import Holder

MOST_VERSIONS = 1_000
MOST_SPARES = 1_000

FURTHEST = 1_000
"""So many seeds of one student are looked at for the one that was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One student's place in a class set."""

    number: int
    """№, from 1; it stays when others come or go."""

    student: Student
    seed: int
    spare: bool = False
    """Whether it is for whoever needs another sheet; the student then is nobody."""

    version: int | None = None
    """Which of several sheets that are dealt in turn, from 1; None where everyone has one of their own."""

    @property
    def identity(self) -> str:
        """What tells it from other seats, whatever their numbers."""
        return f"spare {self.student.row}" if self.spare else self.student.identity

    @property
    def drawn_from(self) -> str:
        """What its sheet comes from, with the class seed and the salt."""
        return self.identity if self.version is None else f"version {self.version}"

    @property
    def holder(self) -> Holder:
        """What stands on every page of its sheet."""
        return Holder(number=self.number, name=self.student.name, spare=self.spare)


@dataclass(frozen=True, slots=True)
class Pinned:
    """What an earlier set gave a student."""

    number: int
    seed: int


def registered(
    students: Sequence[Student],
    class_seed: int,
    salt: str,
    *,
    versions: int | None = None,
    spares: int = 0,
    pinned: Mapping[str, Pinned] | None = None,
    last: int = 0,
) -> tuple[Seat, ...]:
    """Give every student a number and a seed, in the order of numbers; then the spares.

    A seed comes from the class seed, the salt and who the student is, so that one student more changes nobody's.
    Where two would have the same, the later one takes its next.

    Args:
        versions: so many different sheets are dealt in turn; None for one of everyone's own.
        pinned: what an earlier set gave, by identity: numbers and seeds stay.
        last: the last number that earlier sets gave, so that none is given twice.

    Raises:
        RosterError: there are fewer versions than one, or too many; or such a number of spares.
    """
    if versions is not None and not 1 <= versions <= MOST_VERSIONS:
        raise RosterError(f"--versions {versions} is out of range: use 1 to {MOST_VERSIONS:,}")
    if not 0 <= spares <= MOST_SPARES:
        raise RosterError(f"--spare {spares} is out of range: use 0 to {MOST_SPARES:,}")
    kept = pinned or {}
    last = max([last, *(pin.number for pin in kept.values())])
    seats = []
    places = [(student, False) for student in students]
    places += [(Student(row=row), True) for row in range(1, spares + 1)]
    for student, spare in places:
        seat = Seat(number=last + 1, student=student, seed=0, spare=spare)
        if pin := kept.get(seat.identity):
            seats.append(_with(seat, pin.number, pin.seed, versions))
        else:
            last += 1
            seats.append(_with(seat, last, None, versions))
    taken = {pin.seed for pin in kept.values()} if versions is None else set()
    return _seeded(sorted(seats, key=lambda pair: pair[0].number), class_seed, salt, taken)


def _with(seat: Seat, number: int, seed: int | None, versions: int | None) -> tuple[Seat, bool]:
    """Return the seat with its number, and whether its seed is known."""
    version = None if versions is None else (number - 1) % versions + 1
    known = seed is not None and versions is None
    return replace(seat, number=number, seed=seed or 0, version=version), known


def _seeded(seats: Sequence[tuple[Seat, bool]], class_seed: int, salt: str, taken: set[int]) -> tuple[Seat, ...]:
    """Give every seat whose seed is not known the first of its own that is not taken."""
    given: dict[str, int] = {}
    seeded = []
    for seat, is_known in seats:
        if is_known:
            seeded.append(seat)
            continue
        if seat.drawn_from not in given:
            given[seat.drawn_from] = next(s for s in seeds(class_seed, salt, seat.drawn_from) if s not in taken)
            taken.add(given[seat.drawn_from])
        seeded.append(replace(seat, seed=given[seat.drawn_from]))
    return tuple(seeded)


def seeds(class_seed: int, salt: str, drawn_from: str) -> Iterator[int]:
    """Yield the seeds of one sheet, the first of which is taken unless another has it."""
    stream = Stream(str(class_seed), "class", salt, drawn_from)
    while True:
        yield stream.below(LARGEST_SEED + 1)


def reseated(seats: Sequence[Seat], drawn_from: str, class_seed: int, salt: str) -> tuple[Seat, ...]:
    """Return the seats where one sheet (of one student, or a version) takes its next seed that nobody has."""
    taken = {seat.seed for seat in seats}
    mine = next(seat.seed for seat in seats if seat.drawn_from == drawn_from)
    own = list(islice(seeds(class_seed, salt, drawn_from), FURTHEST))
    after = own[own.index(mine) + 1 :] if mine in own else own
    following = next(seed for seed in after if seed not in taken)
    return tuple(replace(seat, seed=following) if seat.drawn_from == drawn_from else seat for seat in seats)
