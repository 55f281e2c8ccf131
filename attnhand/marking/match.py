"""When an answer is right: the key itself, or the key to the digits that were written."""

from dataclasses import replace
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction

from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, Number, is_finite, is_huge, to_decimal
from attnhand.attention.spellings import Reading, list_date_fractions
from attnhand.errors import Message, escape_unprintable

ROUNDING_TOLERANCE = Decimal("1e-9")
"""Half a unit is near enough, and so much of it more: a tie may be rounded either way."""

_LAST_DIGIT_TOLERANCE = Decimal("1e-30")

MAX_COMPARED_DIGITS = 12
"""Digits behind the first one, or behind the point, that are compared; a calculator's last ones are its own."""


class Match(Enum):
    """How an answer agrees with the key."""

    EXACT = "exact"
    ROUNDED = "rounded"
    """The key to the digits that were written, which are as many as the sheet asks for."""

    TOO_FEW_DIGITS = "too few digits"
    """The key to the digits that were written, fewer than the sheet asks for."""

    NONE = "none"

    @property
    def is_right(self) -> bool:
        return self in (Match.EXACT, Match.ROUNDED)


def match_answer(reading: Reading, expected: Number, decimals: int) -> Match:
    """Return how an answer agrees with the key.

    A decimal is right when it is the key to the digits that were written, half a unit either way; it needs as many
    digits as the sheet asks for, unless it is the key exactly.

    >>> from fractions import Fraction
    >>> match_answer(Reading(Fraction(1, 5), 2), Fraction(9, 46), 2)
    <Match.ROUNDED: 'rounded'>
    >>> match_answer(Reading(Fraction(1, 5), 1), Fraction(9, 46), 2)
    <Match.TOO_FEW_DIGITS: 'too few digits'>
    >>> match_answer(Reading(Fraction(19, 100), 3), Fraction(3, 16), 2)  # 0.190
    <Match.ROUNDED: 'rounded'>
    >>> match_answer(Reading(1, 0), Decimal("0.9999999999999999999999999999999999999999"), 2)
    <Match.EXACT: 'exact'>
    """
    if is_same_number(reading.value, expected):
        return Match.EXACT
    if MINUS_INFINITY in (expected, reading.value) or (reading.decimals is None and not isinstance(expected, Decimal)):
        return Match.NONE
    needed, compared = find_digit_limits(expected, decimals)
    if reading.decimals is not None and reading.decimals > needed and _has_few_digits(reading.value, needed):
        reading = replace(reading, decimals=needed)  # of 0.190, the last zero was added to what was rounded
    digits = needed if reading.decimals is None else min(reading.decimals, compared)
    if not matches_to_decimals(reading.value, expected, digits):
        return Match.NONE
    if digits >= needed:
        return Match.ROUNDED
    return Match.TOO_FEW_DIGITS if digits > 0 else Match.NONE


def _has_few_digits(value: Number, decimals: int) -> bool:
    return Fraction(value) % (Fraction(1) / Fraction(10) ** decimals) == 0


def explain_date(text: str, expected: Number) -> Message | None:
    """Return the reason why a date cannot be read, where one fraction that may have become it is the key.

    >>> from fractions import Fraction
    >>> str(explain_date("1-Mar", Fraction(1, 3)))
    "is '1-Mar', a date: a spreadsheet made it of 1/3; type 0 1/3 or =1/3 there"
    """
    fractions = (each for each in list_date_fractions(text) if Fraction(each) == expected)
    return next((Message("number.date-of", answer=escape_unprintable(text), fraction=each) for each in fractions), None)


def match_range(reading: Reading, low: Number, high: Number, decimals: int) -> Match:
    """Return how a number agrees with one of which only the least and the most are known.

    A decimal may be rounded; a whole number must lie between them: −3 · 0.33 was −1 on the calculator.

    >>> from fractions import Fraction
    >>> match_range(Reading(Fraction("0.23"), 2), Fraction("0.233"), Fraction("0.241"), 2)
    <Match.ROUNDED: 'rounded'>
    """
    if reading.decimals is None or not all(map(is_finite, (reading.value, low, high))):
        return Match.NONE
    if not reading.decimals:
        return Match.ROUNDED if low <= reading.value <= high else Match.NONE
    needed, compared = find_digit_limits(high, decimals)
    digits = min(reading.decimals, compared)
    with localcontext(DECIMAL_CONTEXT):
        value, room = to_decimal(reading.value), Decimal(1).scaleb(-digits) / 2 * (1 + ROUNDING_TOLERANCE)
        if digits < needed or not to_decimal(low) - room <= value <= to_decimal(high) + room:
            return Match.NONE
    return Match.ROUNDED


def is_cut_off(reading: Reading, expected: Number, decimals: int) -> bool:
    """Say whether a decimal is the expected number cut off, where it should have been rounded away from zero.

    >>> from fractions import Fraction
    >>> [is_cut_off(Reading(Fraction(text), 2), Fraction(3, 16), 2) for text in ("0.18", "0.19", "0.17")]
    [True, False, False]
    """
    if not reading.decimals or not is_finite(expected) or not is_finite(reading.value):
        return False
    needed, compared = find_digit_limits(expected, decimals)
    if not needed <= reading.decimals <= compared:
        return False
    with localcontext(DECIMAL_CONTEXT):
        a, b = to_decimal(reading.value), to_decimal(expected)
        return a * b >= 0 and 0 < abs(b) - abs(a) < Decimal(1).scaleb(-reading.decimals)


def find_digit_limits(expected: Number, decimals: int) -> tuple[int, int]:
    """Return how many digits after the point an answer needs, and how many of them are compared.

    Of a huge number, which no cell holds, the first two digits are needed: so many are printed.

    >>> find_digit_limits(Decimal("99.5"), 2), find_digit_limits(Decimal("9.5e19"), 2)
    ((2, 11), (-18, -7))
    """
    exponent = 0 if expected == MINUS_INFINITY else len(str(abs(int(expected)))) - 1
    compared = MAX_COMPARED_DIGITS - exponent
    return 1 - exponent if is_huge(expected) else decimals, compared


def matches_to_decimals(value: Number, expected: Number, decimals: int) -> bool:
    """Say whether a number is the key rounded to so many digits after the point: half a unit of the last, either way.

    >>> from fractions import Fraction
    >>> [matches_to_decimals(Fraction(text), Fraction(1, 3), 2) for text in ("0.33", "0.34")]
    [True, False]
    """
    with localcontext(DECIMAL_CONTEXT):
        a, b = to_decimal(value), to_decimal(expected)
        half_a_unit = Decimal(1).scaleb(-decimals) / 2
        return a.is_finite() and b.is_finite() and abs(a - b) <= half_a_unit * (1 + ROUNDING_TOLERANCE)


def is_same_number(value: Number, expected: Number) -> bool:
    """Say whether a number is the key itself; of irrational ones that add up to 1, the last of 40 digits may be off."""
    if value == expected or not isinstance(expected, Decimal) or MINUS_INFINITY in (value, expected):
        return value == expected
    with localcontext(DECIMAL_CONTEXT):
        return abs(to_decimal(value) - expected) <= _LAST_DIGIT_TOLERANCE * max(Decimal(1), abs(expected))
