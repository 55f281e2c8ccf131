"""The house rules: the only place that knows ⌊x/2⌋, 3ˣ, √d_k and eˣ.

A worksheet is solved twice under two of these: the classroom's (``HAND``) and the textbook's (``EXACT``).
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from attnhand.attention.numbers import Number, divide, to_decimal
from attnhand.errors import ProblemError


class ScaleRule(StrEnum):
    """What stands for dividing by √d_k."""

    HALF_FLOOR = "half-floor"
    NONE = "none"
    SQRT = "sqrt"


class Base(StrEnum):
    """What stands for e."""

    TWO = "2"
    THREE = "3"
    TEN = "10"
    E = "e"


MAX_DIVISOR = 1000
MAX_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a sheet is worked by hand."""

    scale: ScaleRule | int = ScaleRule.HALF_FLOOR
    """⌊x/2⌋, nothing, x/√d_k, or a whole number to divide by (2 to 1000), keeping the fraction."""

    base: Base = Base.THREE
    """What is raised to the power of a score."""

    decimals: int = 2
    """Places after the point wherever a value is printed as a decimal; 1 to 6."""

    def __post_init__(self) -> None:
        if not isinstance(self.scale, ScaleRule) and not 2 <= self.scale <= MAX_DIVISOR:
            raise ProblemError(
                f"the scale {self.scale} is out of range: divide by a whole number from 2 to {MAX_DIVISOR}"
            )
        if not 1 <= self.decimals <= MAX_DECIMALS:
            raise ProblemError(f"{self.decimals} decimals cannot be printed: choose 1 to {MAX_DECIMALS}")

    @property
    def is_rational(self) -> bool:
        """Say whether whole scores always give whole or fractional weights."""
        return self.base is not Base.E and self.scale in (ScaleRule.HALF_FLOOR, ScaleRule.NONE)


HAND = Rules()
"""The classroom's shortcuts: halve and round down, 3 for e."""

EXACT = Rules(scale=ScaleRule.SQRT, base=Base.E)
"""Attention as it is: divide by √d_k, raise e."""


def parse_scale(text: str) -> ScaleRule | int:
    """Read ``half-floor``, ``none``, ``sqrt`` or a whole number.

    Raises:
        ProblemError: anything else.
    """
    if text in tuple(ScaleRule):
        return ScaleRule(text)
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return int(text)
    raise ProblemError(
        f"the scale {text!r} is unknown: use half-floor, none, sqrt or a whole number to divide by, such as 4"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """The rules at work for one size of keys."""

    rules: Rules

    d_k: int = 1
    """Length of one query or key vector; of no matter where nothing is scaled."""

    has_rounded_positions: bool = True
    """Whether sines and cosines of positions are rounded to −1, 0 or 1, as by hand."""

    def scale_score(self, score: Number) -> Number:
        """Divide a score by √d_k, or by what stands for it.

        >>> hand = Arithmetic(rules=HAND, d_k=3)
        >>> [hand.scale_score(x) for x in (3, 1, -1, -3)]
        [1, 0, -1, -2]
        >>> Arithmetic(rules=EXACT, d_k=4).scale_score(-3)
        Fraction(-3, 2)

        Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1; ⌊x/2⌋ after T. Yeh, "AI by Hand".
        """
        match self.rules.scale:
            case ScaleRule.HALF_FLOOR:
                return score // 2 if isinstance(score, int) else math.floor(score / 2)
            case ScaleRule.NONE:
                return score
            case ScaleRule.SQRT:
                root = math.isqrt(self.d_k)
                return divide(score, root) if root * root == self.d_k else to_decimal(score) / Decimal(self.d_k).sqrt()
            case int(divisor):
                return divide(score, divisor)

    def raise_base(self, exponent: Number) -> Number:
        """Raise e, or what stands for it, to a scaled score; a masked score gives 0.

        >>> hand = Arithmetic(rules=HAND, d_k=3)
        >>> hand.raise_base(2), hand.raise_base(-1)
        (9, Fraction(1, 3))
        """
        if isinstance(exponent, Decimal) and exponent.is_infinite():
            return 0
        if self.rules.base is Base.E:
            return to_decimal(exponent).exp()
        base = int(self.rules.base)
        if isinstance(exponent, int):
            return base**exponent if exponent >= 0 else Fraction(1, base**-exponent)
        return Decimal(base) ** to_decimal(exponent)

    def encode_position(self, position: int, feature: int, feature_count: int) -> Number:
        """Return one entry of a sinusoidal position; by hand rounded to −1, 0 or 1.

        >>> hand = Arithmetic(rules=HAND)
        >>> [[hand.encode_position(position, feature, 4) for feature in range(4)] for position in range(3)]
        [[0, 1, 0, 1], [1, 1, 0, 1], [1, 0, 0, 1]]

        Args:
            position: of the token, from 0.
            feature: from 0; even ones are sines, odd ones cosines, a pair has one wavelength.
            feature_count: how many there are.

        Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
        """
        angle = position / 10_000 ** ((feature - feature % 2) / feature_count)
        wave = math.cos(angle) if feature % 2 else math.sin(angle)
        return round(wave) if self.has_rounded_positions else Decimal(wave)
