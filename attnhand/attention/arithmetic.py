"""The house rules: the only place that knows ⌊x/2⌋, 3ˣ, √d_k and eˣ.

A worksheet is solved twice under two of these: the classroom's (``HAND``) and the textbook's (``EXACT``).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, divide, is_finite, to_decimal
from attnhand.errors import ProblemError
from attnhand.system.field_types import convert_fields


class ScaleRule(StrEnum):
    """What stands for dividing by √d_k."""

    HALF_FLOOR = "half-floor"
    NONE = "none"
    SQRT = "sqrt"


_FLOOR_DIVISORS = {ScaleRule.HALF_FLOOR: 2}
"""By what a score is divided before it is rounded down."""


class Base(StrEnum):
    """What stands for e."""

    TWO = "2"
    THREE = "3"
    TEN = "10"
    E = "e"
    NONE = "none"
    """Nothing is raised to a power: plain shares, each score over the sum of the scores."""

    @property
    def whole(self) -> int | None:
        """The base as a number; None for e, which is none that a pencil writes, and where there is none."""
        return int(self) if self in (Base.TWO, Base.THREE, Base.TEN) else None


MAX_DIVISOR = 1000
MAX_DECIMALS = 6

MAX_LISTED_POWERS = 8
"""A list of powers has no more."""

MAX_LOG_POWER = 700
"""Powers go to e⁷⁰⁰, which a float of the proof still holds."""


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
        convert_fields(self, ProblemError)
        if not isinstance(self.scale, ScaleRule) and not 2 <= self.scale <= MAX_DIVISOR:
            raise ProblemError(
                f"the scale {self.scale} is out of range: divide by a whole number from 2 to {MAX_DIVISOR}"
            )
        if not 1 <= self.decimals <= MAX_DECIMALS:
            raise ProblemError(f"{self.decimals} decimals cannot be printed: choose 1 to {MAX_DECIMALS}")

    @property
    def is_rational(self) -> bool:
        """Say whether whole scores always give whole or fractional weights."""
        return self.scale is not ScaleRule.SQRT if self.base is Base.NONE else self.has_whole_exponents

    @property
    def has_whole_exponents(self) -> bool:
        """Say whether a whole number is raised to whole scores alone, so that no fraction may become an exponent."""
        return self.base.whole is not None and (self.is_rounded_down or self.scale is ScaleRule.NONE)

    @property
    def is_rounded_down(self) -> bool:
        """Say whether scaled scores are rounded down to whole numbers."""
        return self.floor_divisor is not None

    @property
    def floor_divisor(self) -> int | None:
        """By what a score is divided before it is rounded down; None where nothing is rounded."""
        return _FLOOR_DIVISORS.get(self.scale) if isinstance(self.scale, ScaleRule) else None

    @property
    def has_whole_stream(self) -> bool:
        """Say whether what is added to tokens, or normalised, is rounded to whole numbers: where 3 stands for e."""
        return self.base.whole is not None

    @property
    def divisor(self) -> int | None:
        """The whole number that scores are divided by, rounded down or not; None where it is √d_k or nothing."""
        return self.floor_divisor if isinstance(self.scale, ScaleRule) else self.scale

    @property
    def scale_key(self) -> str:
        """Which sentences speak of the scale: its name, or "divide" for any whole number."""
        return self.scale.value if isinstance(self.scale, ScaleRule) else "divide"

    @property
    def without_shortcuts(self) -> "Rules":
        """The textbook's rules, as far as these divide scores and raise something to their power."""
        scale = self.scale if self.scale is ScaleRule.NONE else ScaleRule.SQRT
        return replace(EXACT, scale=scale, base=Base.NONE if self.base is Base.NONE else Base.E)

    @property
    def shortcut_keys(self) -> tuple[str, ...]:
        """What is easier by these rules than by the textbook's, as sentences name it."""
        scale = (self.scale_key,) if self.is_rounded_down else ()
        return (*scale, "base") if self.base.whole is not None else scale


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


class Waves(StrEnum):
    """How sines and cosines of positions are written."""

    ROUNDED = "rounded"
    """−1, 0 or 1, as by hand."""

    FRACTIONS = "fractions"
    """To five decimals, the same on every machine."""

    EXACT = "exact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """The rules at work for one size of keys."""

    rules: Rules

    d_k: int = 1
    """Length of one query or key vector; of no matter where nothing is scaled."""

    waves: Waves = Waves.ROUNDED
    """How sines and cosines of positions are written."""

    @property
    def has_rounded_positions(self) -> bool:
        """Whether sines and cosines of positions are rounded to −1, 0 or 1, as by hand."""
        return self.waves is Waves.ROUNDED

    def scale_score(self, score: Number) -> Number:
        """Divide a score by √d_k, or by what stands for it.

        >>> hand = Arithmetic(rules=HAND, d_k=3)
        >>> [hand.scale_score(x) for x in (3, 1, -1, -3)]
        [1, 0, -1, -2]
        >>> Arithmetic(rules=EXACT, d_k=4).scale_score(-3)
        Fraction(-3, 2)

        Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1; ⌊x/2⌋ after T. Yeh, "AI by Hand".
        """
        scale = self.rules.scale
        if scale is ScaleRule.NONE:
            return score
        if not isinstance(scale, ScaleRule):
            return divide(score, scale)
        if (divisor := _FLOOR_DIVISORS.get(scale)) is not None:
            # whole scores, of which every draw has hundreds, make no fraction on the way
            return score // divisor if isinstance(score, int) else math.floor(self.divide_unrounded(score))
        root = math.isqrt(self.d_k)
        return divide(score, root) if root * root == self.d_k else to_decimal(score) / Decimal(self.d_k).sqrt()

    def divide_unrounded(self, score: Number) -> Number:
        """Divide by the rule's whole number and do not round down.

        >>> Arithmetic(rules=HAND).divide_unrounded(3)
        Fraction(3, 2)
        """
        assert self.rules.divisor is not None
        return divide(score, self.rules.divisor)

    def undo_scaling(self, scaled: int) -> int:
        """Return the whole score that is scaled to this number, or nearest to it.

        >>> [Arithmetic(rules=rules, d_k=3).undo_scaling(2) for rules in (HAND, EXACT)]
        [4, 3]
        """
        if self.rules.divisor is not None:
            return scaled * self.rules.divisor
        if self.rules.scale is ScaleRule.NONE:
            return scaled
        nearest = (math.isqrt(4 * scaled * scaled * self.d_k) + 1) // 2
        return nearest if scaled > 0 else -nearest

    def is_scaled_score(self, score: Number, scaled: Number) -> bool:
        """Check a score that was rounded down by its definition, exactly: d⌊x/d⌋ ≤ x < d⌊x/d⌋ + d.

        >>> hand = Arithmetic(rules=HAND)
        >>> [hand.is_scaled_score(-3, scaled) for scaled in (-2, -1)]
        [True, False]
        """
        divisor = self.rules.floor_divisor
        assert divisor is not None
        return scaled == int(scaled) and divisor * scaled <= score < divisor * scaled + divisor

    @property
    def is_scaling(self) -> bool:
        """Say whether scores are scaled at all."""
        return self.rules.scale is not ScaleRule.NONE

    @property
    def log_base(self) -> float:
        """The natural logarithm of the base."""
        whole = self.rules.base.whole
        return 1.0 if whole is None else math.log(whole)

    @property
    def max_exponent(self) -> int:
        """The largest exponent whose power is written down: the base to the power of it is e^700 at most.

        >>> Arithmetic(rules=HAND).max_exponent, Arithmetic(rules=EXACT).max_exponent
        (637, 700)
        """
        return int(MAX_LOG_POWER / self.log_base)

    def can_raise(self, exponents: Iterable[Number]) -> bool:
        """Say whether all powers can be written down.

        >>> Arithmetic(rules=HAND).can_raise([637, -637]), Arithmetic(rules=HAND).can_raise([0, 638])
        (True, False)
        """
        limit = self.max_exponent
        return all(-limit <= exponent <= limit or not is_finite(exponent) for exponent in exponents)

    @property
    def scale_examples(self) -> tuple[tuple[int, int], ...]:
        """Scores that show how rounding down goes, each with what it gives; none where nothing is rounded.

        >>> Arithmetic(rules=HAND).scale_examples
        ((3, 1), (1, 0), (-1, -1), (-3, -2))
        """
        if (divisor := self.rules.floor_divisor) is None:
            return ()
        scores = (divisor + 1, divisor - 1, 1 - divisor, -divisor - 1)
        return tuple((score, score // divisor) for score in scores)

    def list_powers(self, exponents: Iterable[Number]) -> tuple[tuple[int, Number], ...]:
        """Return the whole powers that a list needs for these exponents, the largest first; none of e.

        All from the largest exponent to the smallest, so that the list shows how each comes from the one before; where
        they lie far apart, those next to the exponents alone, and of too many the ones nearest to 0.

        >>> Arithmetic(rules=HAND).list_powers([2, 0, 2])
        ((2, 9), (1, 3), (0, 1))
        >>> Arithmetic(rules=HAND).list_powers([Fraction(-1, 2)]), Arithmetic(rules=EXACT).list_powers([1])
        (((0, 1), (-1, Fraction(1, 3))), ())
        """
        if self.rules.base.whole is None:
            return ()
        whole = {bound for x in exponents if is_finite(x) for bound in (math.floor(x), math.ceil(x))}
        all_between: Sequence[int] = range(min(whole, default=0), max(whole, default=-1) + 1)
        listed = all_between if len(all_between) <= MAX_LISTED_POWERS else sorted(whole, key=abs)[:MAX_LISTED_POWERS]
        return tuple((exponent, self.raise_base(exponent)) for exponent in sorted(listed, reverse=True))

    def raise_base(self, exponent: Number) -> Number:
        """Raise e, or what stands for it, to a scaled score; a masked score gives 0.

        >>> hand = Arithmetic(rules=HAND, d_k=3)
        >>> hand.raise_base(2), hand.raise_base(-1)
        (9, Fraction(1, 3))
        """
        if isinstance(exponent, Decimal) and exponent.is_infinite():
            return 0
        return _raise(self.rules.base.whole, exponent)

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
        if self.waves is Waves.FRACTIONS:
            return compute_wave_fraction(position, feature, feature_count)
        wave = compute_wave(position, feature, feature_count)
        return round(wave) if self.waves is Waves.ROUNDED else Decimal(wave)


def compute_wave(position: int, feature: int, feature_count: int) -> float:
    """Return one entry of a sinusoidal position, unrounded: see ``Arithmetic.encode_position``."""
    angle = position / 10_000 ** ((feature - feature % 2) / feature_count)
    return math.cos(angle) if feature % 2 else math.sin(angle)


_ANGLE_CONTEXT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Angles are worked to more digits than are kept."""


class Turn(NamedTuple):
    """By which angle the numbers of a pair are turned."""

    cosine: int | Decimal
    sine: int | Decimal


@lru_cache(maxsize=1_000)
def compute_turn(position: int, feature: int, feature_count: int) -> Turn:
    """Return by which angle a number is turned, as models do: 1 radian a position in the first pair, less in others.

    >>> compute_turn(0, 0, 4), [round(value, 5) for value in compute_turn(2, 3, 4)]  # by 2/100
    (Turn(cosine=1, sine=0), [Decimal('0.99980'), Decimal('0.02000')])

    Args:
        position: of the token, from 0.
        feature: from 0; two make a pair, of one angle.
        feature_count: how many there are.

    Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2.2.
    """
    if position == 0:
        return Turn(1, 0)
    with localcontext(_ANGLE_CONTEXT):
        angle = position * compute_turn_rate(feature, feature_count)
        sums, term, at = [Decimal(0), Decimal(0)], Decimal(1), 0
        while abs(term) > Decimal(10) ** -_ANGLE_CONTEXT.prec:  # 1 + x − x²/2 − x³/6 + …, cosine and sine in turn
            sums[at % 2] += -term if at % 4 > 1 else term
            at += 1
            term *= angle / at
    cosine, sine = map(DECIMAL_CONTEXT.plus, sums)
    return Turn(cosine, sine)


def compute_turn_rate(feature: int, feature_count: int) -> Decimal:
    """Return by how many radians a pair is turned from one position to the next: see ``compute_turn``.

    >>> [float(compute_turn_rate(feature, 4)) for feature in range(4)]
    [1.0, 1.0, 0.01, 0.01]
    """
    with localcontext(_ANGLE_CONTEXT):
        return Decimal(10_000) ** (-Decimal(feature - feature % 2) / feature_count)


WAVE_DECIMALS = 5
"""Places of a wave where fractions alone may decide: no wave lies so near a half that two machines could differ."""


def compute_wave_fraction(position: int, feature: int, feature_count: int) -> Fraction:
    """Return a wave as a fraction that is the same everywhere.

    >>> compute_wave_fraction(1, 0, 4)
    Fraction(84147, 100000)
    """
    unit = 10**WAVE_DECIMALS
    return Fraction(round(compute_wave(position, feature, feature_count) * unit), unit)


@lru_cache(maxsize=10_000, typed=True)
def _raise(base: int | None, exponent: Number) -> Number:
    """Raise a whole number, or e, to a power; kept, for a few scores come again and again."""
    with localcontext(DECIMAL_CONTEXT):
        if base is None:
            return to_decimal(exponent).exp()
        if isinstance(exponent, int):
            return base**exponent if exponent >= 0 else Fraction(1, base**-exponent)
        return Decimal(base) ** to_decimal(exponent)
