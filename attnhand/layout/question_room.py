"""How much room the questions of a sheet take, so that sheets which ask other things share their pages."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class QuestionRoom:
    """For so many lines there is room at least, since another sheet may ask more."""

    question: int = 3
    reason: int = 2
    lead: int = 1
    """What to do in a try."""

    label: int = 2
    """What a cell of a try asks."""

    def holds(self, other: "QuestionRoom") -> bool:
        """Say whether what takes another room fits into this one."""
        return all(own >= needed for own, needed in zip(astuple(self), astuple(other), strict=True))

    def round_up(self) -> "QuestionRoom":
        """Return a room for more sheets than those that take just as much.

        >>> QuestionRoom(question=4, label=3).round_up()
        QuestionRoom(question=5, reason=2, lead=2, label=3)
        """
        is_tall = self.lead > 1 or self.label > 2
        return QuestionRoom(
            question=self.question if self.question <= 3 else max(self.question, 5),
            reason=self.reason,
            lead=max(self.lead, 1 + is_tall),
            label=max(self.label, 2 + is_tall),
        )
