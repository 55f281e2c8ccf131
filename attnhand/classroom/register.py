"""A distinct sheet for everyone: which number (№) and which seed each student has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from attnhand.classroom.roster import Student
from attnhand.errors import RosterError
from attnhand.request import LARGEST_SEED
from attnhand.stream import Stream

MOST_VERSIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One student's place in a class set."""

    number: int
    """№, from 1; it stays when others come or go."""

    student: Student
    seed: int


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
    pinned: Mapping[str, Pinned] | None = None,
) -> tuple[Seat, ...]:
    """Give every student a number and a seed, in the order of numbers.

    A seed comes from the class seed, the salt and who the student is, so that one student more changes nobody's.
    Where two would have the same, the later one takes its next.

    Args:
        versions: so many different sheets are dealt in turn; None for one of everyone's own.
        pinned: what an earlier set gave, by identity: numbers and seeds stay.

    Raises:
        RosterError: there are fewer versions than one, or too many.
    """
    if versions is not None and not 1 <= versions <= MOST_VERSIONS:
        raise RosterError(f"--versions {versions} is out of range: use 1 to {MOST_VERSIONS:,}")
    kept = pinned or {}
    taken = {pin.seed for pin in kept.values()}
    dealt = [seed for seed, _ in zip(_fresh_seeds(class_seed, salt, versions), range(versions or 0), strict=False)]
    last = max((pin.number for pin in kept.values()), default=0)
    seats = []
    for student in students:
        pin = kept.get(student.identity)
        if pin is None:
            last += 1
            seed = dealt[(last - 1) % len(dealt)] if dealt else _next(_seeds(class_seed, salt, student.identity), taken)
            pin = Pinned(last, seed)
        taken.add(pin.seed)
        seats.append(Seat(number=pin.number, student=student, seed=pin.seed))
    return tuple(sorted(seats, key=lambda seat: seat.number))


def _fresh_seeds(class_seed: int, salt: str, versions: int | None) -> Iterator[int]:
    """Yield the seeds of versions, all different."""
    taken: set[int] = set()
    for version in range(1, (versions or 0) + 1):
        yield _next(_seeds(class_seed, salt, f"version {version}"), taken)


def _seeds(class_seed: int, salt: str, identity: str) -> Iterator[int]:
    """Yield the seeds of one student, the first of which is taken unless another has it."""
    stream = Stream(str(class_seed), "class", salt, identity)
    while True:
        yield stream.below(LARGEST_SEED + 1)


def _next(seeds: Iterator[int], taken: set[int]) -> int:
    seed = next(seed for seed in seeds if seed not in taken)
    taken.add(seed)
    return seed
