"""Who joins a class, leaves it, comes back or is called otherwise, between two rosters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attnhand.classroom.matching import fold_name
from attnhand.errors import RosterError, name_option
from attnhand.sheet.seat import Seat, Student
from attnhand.text import Message

MIN_REFUSED_WITHDRAWALS, REFUSED_SHARE = 3, 10
"""So many students missing at once, and more than a tenth of the class, may be the wrong roster."""

CHANGEABLE_FACTS = ("name", "id", "email", "group")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a roster changes; numbers and sheets stay whatever it says."""

    joined: tuple[Seat, ...]
    left: tuple[Seat, ...]
    """Those who were there before this roster, in the order of numbers."""

    returned: tuple[Seat, ...]
    changed: tuple[tuple[Student, Seat], ...]
    """Who they were before, and who they are now."""

    withdrawn: tuple[Seat, ...]
    """Everyone who is not on the roster, whenever they left, as the index keeps them."""

    @property
    def new_names(self) -> dict[tuple[int, str], str]:
        """Names that were corrected, by № and the folded name before."""
        return {(seat.number, fold_name(before.name)): seat.name for before, seat in self.changed if before.name}

    def describe_withdrawals(self) -> tuple[Message, ...]:
        """Say by name who leaves."""
        return (Message("class.withdrawn", students=list(map(str, self.left))),) if self.left else ()

    def describe(self) -> tuple[Message, ...]:
        """Say all that changes; that nothing does, where nothing does."""
        messages = [Message("class.joined", students=list(map(str, self.joined)))] if self.joined else []
        messages += self.describe_withdrawals()
        messages += [Message("class.returned", students=list(map(str, self.returned)))] if self.returned else []
        for before, seat in self.changed:
            facts = [
                Message(
                    "class.changed.fact",
                    fact=fact,
                    before=getattr(before, fact) or "–",
                    now=getattr(seat.student, fact) or "–",
                )
                for fact in CHANGEABLE_FACTS
                if getattr(before, fact) != getattr(seat.student, fact)
            ]
            messages.append(Message("class.changed", student=str(seat), facts=facts))
        return tuple(messages) or (Message("class.unchanged"),)


def compare_seats(seats: Sequence[Seat], earlier_seats: Sequence[Seat]) -> Changes:
    """Return what changes between an earlier index and the seats of a roster."""
    earlier, now = ({seat.number: seat for seat in of} for of in (earlier_seats, seats))
    people = [seat for seat in seats if not seat.is_spare]
    there = [(earlier[seat.number].student, seat) for seat in people if seat.number in earlier]
    missing = [seat for seat in earlier_seats if not seat.is_spare and seat.number not in now]
    return Changes(
        joined=tuple(seat for seat in people if seat.number not in earlier),
        left=tuple(seat for seat in missing if not seat.is_withdrawn),
        returned=tuple(seat for seat in people if seat.number in earlier and earlier[seat.number].is_withdrawn),
        changed=tuple(
            (before, seat)
            for before, seat in there
            if any(getattr(before, fact) != getattr(seat.student, fact) for fact in CHANGEABLE_FACTS)
        ),
        withdrawn=tuple(replace(seat, is_withdrawn=True) for seat in missing),
    )


def refuse_many_withdrawals(changes: Changes, earlier_seats: Sequence[Seat]) -> None:
    """Refuse a roster that lacks so many that it may be another class's, or half of this one's.

    Raises:
        RosterError: it does; the message completes "roster.csv …".
    """
    count = len(changes.left)
    before = sum(not (seat.is_spare or seat.is_withdrawn) for seat in earlier_seats)
    if count >= MIN_REFUSED_WITHDRAWALS and count * REFUSED_SHARE > before:
        option = name_option("withdraw", value=True)
        raise RosterError(
            f"lacks {count} of the {before} students of the class: if they have left, add {option}; "
            "otherwise give the whole roster"
        )
