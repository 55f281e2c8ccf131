"""How much a sheet asks beside its cells."""

from enum import StrEnum


class QuestionAmount(StrEnum):
    """How many questions a sheet has."""

    NONE = "none"
    FEW = "few"
    """A guess, one reading, one what-if, the guess again: more beside a hundred cells is too much."""

    MANY = "many"
    """A second reading and what-if, shading and a look at the shortcuts besides."""
