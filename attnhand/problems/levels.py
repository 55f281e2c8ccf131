"""How demanding a sheet is: what a level asks of the numbers, at every size and under all rules.

This table belongs to recipe 1: whatever changes here changes what a seed gives.
"""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.attention.arithmetic import Arithmetic, Base


class Level(StrEnum):
    """How demanding a sheet is."""

    WARM_UP = "warm-up"
    STANDARD = "standard"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a draw must meet, for one level, size and set of rules."""

    arithmetic: Arithmetic
    lowest: int
    highest: int
    """The range of a score once it is scaled."""

    shows_fractions: bool
    """Some power is a fraction, and rounding down differs from cutting off in at least two cells."""

    most_on_top: int
    """How many tokens may share the largest weight of a query."""

    largest_denominator: int | None
    """Of a weight; None where weights are no fractions of whole numbers."""

    alike: tuple[int, ...] = ()
    """For each token the first one with the same word, where words are looked up and nothing tells two apart."""


JOINED_DENOMINATOR = 1000
"""The largest denominator of what is made of several heads' outputs, or of a layer."""


def requirements(
    level: Level, tokens: int, arithmetic: Arithmetic, *, ties: bool, alike: tuple[int, ...] = ()
) -> Requirements:
    """Return what a draw must meet, with what no draw can meet at this size or under these rules left out.

    Args:
        tokens: that a query may attend to.
        alike: see ``Requirements``.

    The relaxations: above 6 tokens a quarter of them may share the top and denominators reach 400, above 8 tokens
    1,000; base 10 reaches 10,000; base e, √ and a divisor give decimals, which have no denominators.
    """
    rules = arithmetic.rules
    denominator = 100 if tokens <= 6 else 400 if tokens <= 8 else 1000
    if rules.base is Base.TEN:
        denominator = 10_000
    return Requirements(
        arithmetic=arithmetic,
        lowest=0 if level is Level.WARM_UP else -2,
        highest=4,
        shows_fractions=level is not Level.WARM_UP,
        most_on_top=tokens if ties else 1 if tokens <= 6 else tokens // 4,
        largest_denominator=denominator if rules.is_rational else None,
        alike=alike,
    )
