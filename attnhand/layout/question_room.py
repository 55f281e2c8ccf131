"""How much room the questions of a sheet take, so that sheets which ask other things share their pages."""

from typing import NamedTuple


class RowRoom(NamedTuple):
    """For how many lines a row of questions has room."""

    text: int
    """What is asked; in a try what to do."""

    more: int
    """The reason below; in a try the longest of what its cells ask."""

    end: int = 0
    """The half sentence of a try; 0 where it is none."""

    @property
    def is_try(self) -> bool:
        """Whether it is a row of a try."""
        return self.end > 0

    @property
    def least(self) -> "RowRoom":
        """What every row of this sort has, since another sheet may ask more."""
        return RowRoom(1, 2, self.end) if self.is_try else RowRoom(3, 2)

    def round_up(self) -> "RowRoom":
        """Return a room for more than those that take just as much.

        >>> RowRoom(4, 2).round_up(), RowRoom(1, 3, 1).round_up()
        (RowRoom(text=5, more=2, end=0), RowRoom(text=2, more=3, end=1))
        """
        if self == self.least:
            return self
        text, more = (2, 3) if self.is_try else (5, 2)
        return RowRoom(max(self.text, text), max(self.more, more), self.end)


QuestionRoom = tuple[RowRoom, ...]
"""The room of all rows of questions, from the first to the last."""


def are_alike(one: QuestionRoom, other: QuestionRoom) -> bool:
    """Say whether two sheets ask as many rows of questions and of tries, in the same order."""
    return [row.is_try for row in one] == [row.is_try for row in other]


def has_room_for(room: QuestionRoom, needed: QuestionRoom) -> bool:
    """Say whether the questions of another sheet have their place."""
    return are_alike(room, needed) and all(
        all(has >= takes for has, takes in zip(own, other, strict=True))
        for own, other in zip(room, needed, strict=True)
    )
