"""When a number that a student wrote is the expected one: every comparison of marking is made here.

There are two ways to be right, and a tolerance for each:

- **The same number.** A fraction or a whole number is exact: ``attention.numbers.is_same_number``, which leaves
  irrational numbers the last of their 40 digits.
- **The number rounded.** A decimal is right to its digits: half a unit of the last one, either way, ``_is_rounded``.
  How many digits are compared depends on what is known of the expected number: ``Digits``.
"""

from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction

from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    MINUS_INFINITY,
    Number,
    is_finite,
    is_huge,
    is_same_number,
    to_decimal,
)
from attnhand.attention.spellings import Reading, list_date_fractions
from attnhand.errors import Message, escape_unprintable
from attnhand.sheet.evidence_limits import FRACTION_DIGITS

ROUNDING_TOLERANCE = Decimal("1e-9")
"""Half a unit is near enough, and so much of it more: a tie may be rounded either way."""

MAX_COMPARED_DIGITS = 12
"""Digits behind the first one, or behind the point, that are compared; a calculator's last ones are its own."""


class Digits(Enum):
    """How many digits of a decimal are compared, beside those that the sheet asks for."""

    WRITTEN = "written"
    """All that were written, as with the key; fewer than the sheet asks for are too few."""

    AT_MOST = "at most"
    """The sheet's at most: what follows from a student's own numbers may have been rounded on the way."""

    AT_LEAST = "at least"
    """All that were written, and the sheet's at least: whether 0.5 shows a slip that gives 0.504."""


class Match(Enum):
    """How an answer agrees with a number."""

    RIGHT = "right"
    """It is the number, or the number to the digits that are compared, as many as the sheet asks for."""

    TOO_FEW_DIGITS = "too few digits"
    """It is the number to the digits that were written, fewer than the sheet asks for."""

    NONE = "none"

    @property
    def is_right(self) -> bool:
        return self is Match.RIGHT


def match_answer(reading: Reading, expected: Number, decimals: int, digits: Digits = Digits.WRITTEN) -> Match:
    """Return how an answer agrees with a number.

    A decimal is right when it is the number to the digits that are compared; it needs as many as the sheet asks for,
    unless it is the number exactly, or what a spreadsheet leaves of it: 0.20 becomes 0.2. A 0 stays a 0.

    >>> from fractions import Fraction
    >>> [match_answer(Reading(Fraction(1, 5), digits), Fraction(9, 46), 2).value for digits in (2, 1)]  # 0.20, 0.2
    ['right', 'right']
    >>> match_answer(Reading(Fraction(1, 5), 1), Fraction(3, 16), 2)  # 0.2, for 0.19
    <Match.TOO_FEW_DIGITS: 'too few digits'>
    >>> match_answer(Reading(Fraction(19, 100), 3), Fraction(3, 16), 2)  # 0.190
    <Match.RIGHT: 'right'>
    >>> [match_answer(Reading(Fraction(192, 1000), 3), Fraction(19, 100), 2, each).value for each in Digits]  # 0.192
    ['none', 'right', 'none']
    """
    if is_same_number(reading.value, expected):
        return Match.RIGHT
    if reading.decimals is None and not isinstance(expected, Decimal):  # a fraction is exact, or wrong
        return Match.NONE
    needed, compared = find_digit_limits(expected, decimals)
    written = needed + FRACTION_DIGITS if reading.decimals is None else reading.decimals
    if digits is Digits.AT_MOST and reading.decimals is not None:
        written = min(written, decimals)
    if digits is Digits.AT_LEAST:
        written = max(written, needed)
    elif reading.decimals is not None and _is_padded(reading.value, expected, written, needed):
        written = needed
    written = min(written, compared)
    if not _is_rounded(reading.value, expected, expected, written):
        return Match.NONE
    if written >= needed:
        return Match.RIGHT
    return Match.TOO_FEW_DIGITS if written > 0 else Match.NONE


def lies_between(reading: Reading, least: Number, most: Number, decimals: int) -> bool:
    """Say whether an answer may be a number of which only the least and the most are known.

    A decimal may be rounded; a whole number must lie between them: −3 · 0.33 was −1 on the calculator.

    >>> from fractions import Fraction
    >>> lies_between(Reading(Fraction("0.23"), 2), Fraction("0.233"), Fraction("0.241"), 2)
    True
    """
    if reading.decimals is None or not all(map(is_finite, (reading.value, least, most))):
        return False
    if reading.decimals == 0:
        return least <= reading.value <= most
    needed, compared = find_digit_limits(most, decimals)
    digits = min(reading.decimals, decimals, compared)
    return digits >= needed and _is_rounded(reading.value, least, most, digits)


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


def find_bounds(value: Number, decimals: int) -> tuple[Fraction, Fraction]:
    """Return the least and the most that a decimal may be rounded from.

    >>> [float(end) for end in find_bounds(Fraction("34.86"), 2)]
    [34.855, 34.865]
    """
    half_a_unit = Fraction(1, 2 * 10**decimals)
    return Fraction(value) - half_a_unit, Fraction(value) + half_a_unit


def find_digit_limits(expected: Number, decimals: int) -> tuple[int, int]:
    """Return how many digits after the point an answer needs, and how many of them are compared.

    Of a huge number, which no cell holds, the first two digits are needed: so many are printed.

    >>> find_digit_limits(Decimal("99.5"), 2), find_digit_limits(Decimal("9.5e19"), 2)
    ((2, 11), (-18, -7))
    """
    exponent = 0 if expected == MINUS_INFINITY else len(str(abs(int(expected)))) - 1
    compared = MAX_COMPARED_DIGITS - exponent
    return 1 - exponent if is_huge(expected) else decimals, compared


def _is_rounded(value: Number, least: Number, most: Number, digits: int) -> bool:
    """Say whether a number lies between two, or no more than half a unit of so many digits beside them.

    >>> from fractions import Fraction
    >>> [_is_rounded(Fraction(text), Fraction(1, 3), Fraction(1, 3), 2) for text in ("0.33", "0.34")]
    [True, False]
    """
    if not all(map(is_finite, (value, least, most))):
        return False
    with localcontext(DECIMAL_CONTEXT):
        room = Decimal(1).scaleb(-digits) / 2 * (1 + ROUNDING_TOLERANCE)
        return to_decimal(least) - room <= to_decimal(value) <= to_decimal(most) + room


def _is_padded(value: Number, expected: Number, written: int, needed: int) -> bool:
    """Say whether zeros alone part a decimal from the number rounded to the digits needed: 0.190, or 0.2 for 0.20."""
    if written > needed:
        return Fraction(value) % (Fraction(1) / Fraction(10) ** needed) == 0
    return value != 0 and _is_rounded(value, expected, expected, needed)


def explain_date(text: str, expected: Number) -> Message | None:
    """Return the reason why a date cannot be read, where one fraction that may have become it is the key.

    >>> from fractions import Fraction
    >>> str(explain_date("1-Mar", Fraction(1, 3)))
    "is '1-Mar', a date: a spreadsheet made it of 1/3; type 0 1/3 or =1/3 there"
    """
    fractions = (each for each in list_date_fractions(text) if Fraction(each) == expected)
    return next((Message("number.date-of", answer=escape_unprintable(text), fraction=each) for each in fractions), None)
