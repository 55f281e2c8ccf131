"""How demanding a sheet is: what a level asks of the numbers, at every size and under all rules.

This table belongs to recipe 1: whatever changes here changes what a seed gives.
"""

from enum import StrEnum
from typing import NamedTuple

from attnhand.attention.arithmetic import Arithmetic, Base


class Level(StrEnum):
    """How demanding a sheet is."""

    WARM_UP = "warm-up"
    STANDARD = "standard"
    CHALLENGE = "challenge"


class Requirements(NamedTuple):
    """What a draw must meet, for one level, size and set of rules."""

    arithmetic: Arithmetic
    min_score: int
    max_score: int
    """The range of a score once it is scaled."""

    is_fraction_required: bool
    """Some power is a fraction, and rounding down differs from cutting off in at least two cells."""

    max_top_tokens: int
    """How many tokens may share the largest weight of a query."""

    max_denominator: int | None
    """Of a weight; None where weights are no fractions of whole numbers."""

    first_occurrences: tuple[int, ...] = ()
    """For each token the first one with the same word, where words are looked up and nothing tells two apart."""


MAX_JOINED_DENOMINATOR = 1000
"""The largest denominator of what is made of several heads' outputs, or of a layer."""


def choose_requirements(
    level: Level, token_count: int, arithmetic: Arithmetic, *, allow_ties: bool, first_occurrences: tuple[int, ...] = ()
) -> Requirements:
    """Return what a draw must meet, with what no draw can meet at this size or under these rules left out.

    Args:
        token_count: that a query may attend to.
        first_occurrences: see ``Requirements``.

    The relaxations: above 6 tokens a quarter of them may share the top and denominators reach 400, above 8 tokens
    1,000; base 10 reaches 10,000; base e, √ and a divisor give decimals, which have no denominators.
    """
    rules = arithmetic.rules
    denominator = 100 if token_count <= 6 else 400 if token_count <= 8 else 1000
    if rules.base is Base.TEN:
        denominator = 10_000
    return Requirements(
        arithmetic=arithmetic,
        min_score=0 if level is Level.WARM_UP else -2,
        max_score=4,
        is_fraction_required=level is not Level.WARM_UP,
        max_top_tokens=token_count if allow_ties else 1 if token_count <= 6 else token_count // 4,
        max_denominator=denominator if rules.is_rational else None,
        first_occurrences=first_occurrences,
    )
