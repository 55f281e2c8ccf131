"""How one value looks in its cell: a whole number, a decimal, or a fraction over its bar."""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.numbers import Number, is_huge, is_terminating, split_huge, use_typographic_signs
from attnhand.text import FALLBACK_LANGUAGE, get_language

MAX_FRACTION_DIGITS = 3
"""Digits above or below the bar; a longer fraction is printed as a rounded decimal."""

MAX_DECIMALS = 4
"""A decimal of more places is rounded."""


@dataclass(frozen=True, slots=True)
class PrintedNumber:
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
def format_hand_value(
    value: Number, decimals: int, *, as_decimal: bool = False, note: str = "", language: str = FALLBACK_LANGUAGE
) -> PrintedNumber:
    """Show a hand value: whole, as a fraction, or as a decimal where the problem was given in decimals.

    >>> str(format_hand_value(Fraction(-9, 46), 2)), str(format_hand_value(Fraction(1, 2000), 2))
    ('−9/46', '≈0.00')
    >>> str(format_hand_value(Decimal("1.147e20"), 2)), str(format_hand_value(3**50, 2))
    ('1.1·10²⁰', '7.2·10²³')
    """
    if is_huge(value):
        about = "≈" if isinstance(value, Fraction) else ""
        return PrintedNumber(about + format_power_of_ten(*split_huge(value), language), note=note)
    if isinstance(value, int):
        return PrintedNumber(use_typographic_signs(str(value)), note=note)
    format_decimal = get_language(language).decimal
    if isinstance(value, Decimal):
        return PrintedNumber("−∞" if value.is_infinite() else format_decimal(value, decimals), note=note)
    if as_decimal and is_terminating(value, MAX_DECIMALS):
        return PrintedNumber(format_decimal(value, MAX_DECIMALS).rstrip("0"), note=note)
    top, bottom = str(abs(value.numerator)), str(value.denominator)
    if max(len(top), len(bottom)) > MAX_FRACTION_DIGITS:
        return PrintedNumber(f"≈{format_decimal(value, decimals)}", note=note)
    return PrintedNumber("−" if value < 0 else "", top, bottom, note)


@lru_cache(maxsize=5_000, typed=True)
def format_decimal_share(value: Number, decimals: int, language: str = FALLBACK_LANGUAGE) -> PrintedNumber:
    """Show a share as a decimal without its 0; nothing where it is whole or no share.

    >>> str(format_decimal_share(Fraction(9, 40), 2)), str(format_decimal_share(1, 2))
    ('.23', '')
    """
    if isinstance(value, int | Decimal) or not 0 < value < 1:
        return PrintedNumber("")
    rounded = get_language(language).decimal(value, decimals)
    return PrintedNumber(rounded.removeprefix("0"))


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_power_of_ten(mantissa: str, power: int, language: str = FALLBACK_LANGUAGE) -> str:
    """Write a number of two digits and a power of ten.

    >>> format_power_of_ten("-1.2", 20)
    '−1.2·10²⁰'
    """
    digits = get_language(language).localize(use_typographic_signs(mantissa))
    return f"{digits}·10{str(power).translate(_RAISED)}"


@lru_cache(maxsize=5_000)  # powers and weights of small numbers come up on sheet after sheet
def format_exact_value(
    value: float, decimals: int, exponent: float | None = None, language: str = FALLBACK_LANGUAGE
) -> PrintedNumber:
    """Show an exact value, rounded; one beyond float64 as the power it is.

    >>> str(format_exact_value(-0.577, 2)), str(format_exact_value(math.inf, 2, 800.0))
    ('−0.58', 'e^800.00')
    """
    if value == -math.inf:
        return PrintedNumber("−∞")
    if value == math.inf:
        return PrintedNumber(f"e^{get_language(language).decimal(exponent, decimals)}" if exponent is not None else "∞")
    if abs(value) >= 1e5 and math.isfinite(value):
        mantissa, _, power = f"{value:.1e}".partition("e")
        return PrintedNumber(format_power_of_ten(mantissa, int(power), language))
    return PrintedNumber(get_language(language).decimal(value, decimals))
