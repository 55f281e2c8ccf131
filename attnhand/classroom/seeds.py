"""Which seed every sheet of a class is drawn from, so that no two are alike.

A sheet, a student's own or a version that many have, has a list of seeds of its own, without end: it follows from seed
and salt of the class and from whose it is, so that one student more changes nobody's. It is drawn from the first that
no other sheet has. Once all are drawn, one of which this seed gives no good sheet takes its next, and so does one that
is like another: that of the higher №, or version.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from attnhand.classroom.finished_sheets import SheetFacts
from attnhand.errors import GenerationError, name_option
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED
from attnhand.sheet.seat import Identity, Seat

MAX_DRAWS = 20
"""So often sheets are drawn until no two are alike."""


def generate_seeds(class_seed: int, salt: str, seed_key: Identity) -> Iterator[int]:
    """Yield the seeds of one sheet, in the order in which it takes them."""
    stream = RandomStream(str(class_seed), "class", salt, " ".join(seed_key))
    while True:
        yield stream.draw_below(MAX_SEED + 1)


def deal_seeds(
    seats: Sequence[Seat], class_seed: int, salt: str, earlier: Mapping[Identity, int], taken: set[int]
) -> tuple[Seat, ...]:
    """Return the seats with their seeds; those of an earlier set stay.

    Args:
        earlier: the seeds that are kept, by whose they are.
        taken: what nobody else gets; what is dealt is added.
    """
    seeds = dict(earlier)
    for seat in seats:
        if seat.seed_key not in seeds:
            seeds[seat.seed_key] = _take_seed(class_seed, salt, seat.seed_key, taken)
    return tuple(replace(seat, seed=seeds[seat.seed_key]) for seat in seats)


def _take_seed(class_seed: int, salt: str, seed_key: Identity, taken: set[int]) -> int:
    """Return the first seed of a sheet that was not taken; now it is."""
    seed = next(seed for seed in generate_seeds(class_seed, salt, seed_key) if seed not in taken)
    taken.add(seed)
    return seed


def draw_distinct_sheets(
    seats: Sequence[Seat], class_seed: int, salt: str, draw: Callable[[Sequence[Seat]], Mapping[str, SheetFacts]]
) -> tuple[Seat, ...]:
    """Draw everybody's sheet, some of them again, until no two are alike; return the seats with their last seeds.

    Args:
        draw: draws the sheets that were not drawn yet from the seeds that the seats have; what is known of all then,
            by №.

    Raises:
        GenerationError: there are not so many sheets.
    """
    taken = {seat.seed for seat in seats}
    reasons: dict[Identity, str] = {}
    for _ in range(MAX_DRAWS):
        reasons = _find_sheets_to_redraw(seats, draw(seats))
        if not reasons:
            return tuple(seats)
        kept = {seat.seed_key: seat.seed for seat in seats if seat.seed_key not in reasons}
        seats = deal_seeds(seats, class_seed, salt, kept, taken)
    remedy = f"choose larger sizes, or {name_option('versions')}"
    raise GenerationError(f"not everyone can have a sheet of their own ({next(iter(reasons.values()))}): {remedy}")


def _find_sheets_to_redraw(seats: Sequence[Seat], facts: Mapping[str, SheetFacts]) -> dict[Identity, str]:
    """Return whose sheets are to be drawn again, and why."""
    reasons: dict[Identity, str] = {}
    holders: dict[bytes, Identity] = {}
    for seat in sorted(seats, key=lambda seat: (seat.version or 0, seat.number)):
        sheet = facts[str(seat.number)]
        if sheet.refusal:
            reasons[seat.seed_key] = sheet.refusal
        elif holders.setdefault(sheet.matrices_digest, seat.seed_key) != seat.seed_key:
            reasons[seat.seed_key] = f"seed {sheet.seed} gives the sheet that somebody else has"
    return reasons
