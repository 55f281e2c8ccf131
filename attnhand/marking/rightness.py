"""When an answer is right: the key itself, or the key to the digits that were written."""

import math
from decimal import Decimal, localcontext

from attnhand.marking.spelling import Reading
from attnhand.numbers import MINUS_INFINITY, PRECISION, Number, as_decimal

WHISKER = Decimal("1e-9")
"""Half a unit is near enough, and so much of it more: a tie may be rounded either way."""

_LITTLE = Decimal("1e-30")

MOST_DIGITS = 12
"""Digits after the point that are compared; a calculator's last ones are its own."""


def is_right(reading: Reading, key: Number, places: int) -> tuple[bool, bool]:
    """Say whether an answer is the key, and whether it is but has too few digits.

    A decimal is right when it is the key to the digits that were written, half a unit either way; it needs as many
    digits as the sheet asks for, unless it is the key exactly.

    >>> from fractions import Fraction
    >>> is_right(Reading(Fraction(1, 5), 2), Fraction(9, 46), 2)
    (True, False)
    >>> is_right(Reading(Fraction(1, 5), 1), Fraction(9, 46), 2)
    (False, True)
    >>> is_right(Reading(1, 0), Decimal("0.9999999999999999999999999999999999999999"), 2)
    (True, False)
    """
    if key == MINUS_INFINITY or reading.value == MINUS_INFINITY:
        return reading.value == key, False
    if is_same(reading.value, key):
        return True, False
    if reading.places is None and not isinstance(key, Decimal):
        return False, False
    digits = places if reading.places is None else min(reading.places, MOST_DIGITS)
    near = is_near(reading.value, key, digits)
    return near and digits >= places, near and 0 < digits < places


def is_near(value: Number, key: Number, digits: int) -> bool:
    """Say whether a number is the key rounded to so many digits after the point: half a unit of the last, either way.

    >>> from fractions import Fraction
    >>> is_near(Fraction("0.33"), Fraction(1, 3), 2), is_near(Fraction("0.34"), Fraction(1, 3), 2)
    (True, False)
    """
    with localcontext(PRECISION):
        a, b = as_decimal(value), as_decimal(key)
        return a.is_finite() and b.is_finite() and abs(a - b) <= Decimal(1).scaleb(-digits) / 2 * (1 + WHISKER)


def is_same(value: Number, key: Number) -> bool:
    """Say whether a number is the key itself; of irrational ones that add up to 1, the last of 40 digits may be off."""
    if value == key or not isinstance(key, Decimal) or not (key.is_finite() and math.isfinite(value)):
        return value == key
    with localcontext(PRECISION):
        return abs(as_decimal(value) - key) <= _LITTLE * max(Decimal(1), abs(key))
