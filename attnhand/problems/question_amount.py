"""How much a sheet asks beside its cells."""

from enum import StrEnum


class QuestionAmount(StrEnum):
    """How many questions a sheet has."""

    NONE = "none"
    FEW = "few"
    """A guess, one reading, one what-if, the guess again and one try: more beside a hundred cells is too much."""

    MANY = "many"
    """A second reading and what-if, shading, a look at the shortcuts, and every try that shows something here."""

    TRIES = "tries"
    """The tries alone, on a sheet that prints everything else."""
