"""How one value looks in its cell: a whole number, a decimal, or a fraction over its line."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.numbers import Number, is_terminating, rounded, true_minus

LONGEST_PART = 3
"""Digits above or below the line; a longer fraction is printed as a rounded decimal."""

MOST_PLACES = 4
"""A decimal of more places is rounded."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed value; either ``text`` alone, or a fraction with its sign in ``text``."""

    text: str
    top: str = ""
    bottom: str = ""
    note: str = ""
    """The same value another way, such as ``= 3/6``."""

    @property
    def is_fraction(self) -> bool:
        return bool(self.bottom)

    def __str__(self) -> str:
        return f"{self.text}{self.top}/{self.bottom}" if self.bottom else self.text


@lru_cache(maxsize=5_000, typed=True)
def hand_figure(value: Number, places: int, *, as_decimal: bool = False, note: str = "") -> Figure:
    """Show a hand value: whole, as a fraction, or as a decimal where the problem was given in decimals.

    >>> str(hand_figure(Fraction(-9, 46), 2)), str(hand_figure(Fraction(1, 2000), 2))
    ('−9/46', '≈0.00')
    """
    if isinstance(value, int):
        return Figure(true_minus(str(value)), note=note)
    if isinstance(value, Decimal):
        return Figure("−∞" if value.is_infinite() else true_minus(rounded(value, places)), note=note)
    if as_decimal and is_terminating(value, MOST_PLACES):
        return Figure(true_minus(rounded(value, MOST_PLACES).rstrip("0")), note=note)
    return _fraction_figure(value, places, note)


def _fraction_figure(value: Fraction, places: int, note: str) -> Figure:
    top, bottom = str(abs(value.numerator)), str(value.denominator)
    if max(len(top), len(bottom)) > LONGEST_PART:
        return Figure("≈" + true_minus(rounded(value, places)), note=note)
    return Figure(true_minus("-") if value < 0 else "", top, bottom, note)


def exact_figure(value: float, places: int, exponent: float | None = None) -> Figure:
    """Show an exact value, rounded; one beyond float64 as the power it is.

    >>> str(exact_figure(-0.577, 2)), str(exact_figure(math.inf, 2, 800.0))
    ('−0.58', 'e^800.00')
    """
    if value == -math.inf:
        return Figure("−∞")
    if value == math.inf:
        return Figure(f"e^{true_minus(rounded(exponent, places))}" if exponent is not None else "∞")
    if abs(value) >= 1e5 and math.isfinite(value):
        return Figure(true_minus(f"{value:.1e}".replace("e+0", "e").replace("e+", "e")))
    return Figure(true_minus(rounded(value, places)))
