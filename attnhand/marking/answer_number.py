"""When an answer is right: the key itself, or the key to the digits that were written."""

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    MAX_NUMBER_LENGTH,
    MINUS,
    MINUS_INFINITY,
    Number,
    simplify,
    to_decimal,
)
from attnhand.errors import NumberError

_ASCII_SIGNS = str.maketrans({MINUS: "-", "–": "-", "‒": "-", "⁄": "/", "∕": "/", "∞": "inf"})

_NUMBER_PATTERN = re.compile(
    r"(?P<sign>[+-]?) ?"
    r"(?:(?:(?P<whole>\d+) )?(?P<top>\d+) ?/ ?(?P<bottom>\d+)"
    r"|(?P<decimal>\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE](?P<power>[+-]?\d{1,2}))?)"
    r"(?P<percent> ?%)?",
    re.ASCII,
)

_THOUSANDS_PATTERN = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
"""1,234 is one thousand to some and one and a bit to others."""

_DATE_PATTERN = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}[-. ]+[^\W\d]{3,}\.?([-. ]+\d{2,4})?|[^\W\d]{3,}\.?[-. ]+\d{1,4}"
)
"""What a spreadsheet makes of 1/3: 2024-03-01, 1-Mar, Jan 3."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One number as it was written."""

    value: Number
    decimals: int | None
    """Digits after the decimal point; None where the value is exact: a fraction, or −∞."""


@lru_cache(maxsize=4096)  # a class writes the same few numbers again and again
def read_answer_number(answer: str) -> Reading | None:
    """Read one cell; None where it is empty.

    >>> [read_answer_number(text) for text in ("−1 1/2", "0,20", " ")]
    [Reading(value=Fraction(-3, 2), decimals=None), Reading(value=Fraction(1, 5), decimals=2), None]

    Raises:
        NumberError: it is no number, or one of two readings; the message completes "S[2,3] …".
    """
    text = " ".join(answer.split())
    if not text:
        return None
    if len(text) > MAX_NUMBER_LENGTH:
        raise NumberError(f"is {len(text)} characters long: write a number of at most {MAX_NUMBER_LENGTH}")
    text = _normalize_characters(text)
    if text in ("-inf", "- inf"):
        return Reading(MINUS_INFINITY, None)
    if _THOUSANDS_PATTERN.fullmatch(text):
        point, whole = text.replace(",", "."), text.replace(",", "")
        raise NumberError(f"is {answer!r}, which has two readings: write {point} or {whole}")
    match = _NUMBER_PATTERN.fullmatch(text)
    if match is None and _DATE_PATTERN.fullmatch(text):
        raise NumberError(f"is {answer!r}, a date: a spreadsheet made it of a fraction; type 0 1/3 or =1/3 there")
    if match is None:
        raise NumberError(f"is {answer!r}, not a number: write 3, −2, 0.25 or 9/46")
    return _interpret_match(match, answer)


def _normalize_characters(text: str) -> str:
    """Write signs of one character out, and refuse digits that are raised, lowered or circled."""
    out = ""
    for character in text:
        kind = unicodedata.decomposition(character).partition(" ")[0]
        if kind in ("<super>", "<sub>", "<circle>"):
            raise NumberError(f"has {character!r}, which is no plain digit: write powers and indices out")
        out += f" {unicodedata.normalize('NFKC', character)} " if kind == "<fraction>" else character
    return " ".join(unicodedata.normalize("NFKC", out).translate(_ASCII_SIGNS).split())


def _interpret_match(match: re.Match[str], answer: str) -> Reading:
    sign = -1 if match["sign"] == "-" else 1
    share = 100 if match["percent"] else 1
    if match["bottom"]:
        if int(match["bottom"]) == 0:
            raise NumberError(f"is {answer!r}: nothing can be divided by 0")
        value = int(match["whole"] or 0) + Fraction(int(match["top"]), int(match["bottom"]))
        return Reading(simplify(sign * value / share), None)
    decimal = match["decimal"].replace(",", ".")
    power = int(match["power"] or 0)
    value = Fraction(decimal) * Fraction(10) ** power / share
    places = len(decimal.partition(".")[2]) - power + (2 if match["percent"] else 0)
    return Reading(simplify(sign * value), max(0, places))


ROUNDING_TOLERANCE = Decimal("1e-9")
"""Half a unit is near enough, and so much of it more: a tie may be rounded either way."""

_LAST_DIGIT_TOLERANCE = Decimal("1e-30")

MAX_COMPARED_DECIMALS = 12
"""Digits after the point that are compared; a calculator's last ones are its own."""


def match_answer(reading: Reading, expected: Number, decimals: int) -> tuple[bool, bool]:
    """Say whether an answer is the key, and whether it is but has too few digits.

    A decimal is right when it is the key to the digits that were written, half a unit either way; it needs as many
    digits as the sheet asks for, unless it is the key exactly.

    >>> from fractions import Fraction
    >>> match_answer(Reading(Fraction(1, 5), 2), Fraction(9, 46), 2)
    (True, False)
    >>> match_answer(Reading(Fraction(1, 5), 1), Fraction(9, 46), 2)
    (False, True)
    >>> match_answer(Reading(1, 0), Decimal("0.9999999999999999999999999999999999999999"), 2)
    (True, False)
    """
    if expected == MINUS_INFINITY or reading.value == MINUS_INFINITY:
        return reading.value == expected, False
    if is_same_number(reading.value, expected):
        return True, False
    if reading.decimals is None and not isinstance(expected, Decimal):
        return False, False
    digits = decimals if reading.decimals is None else min(reading.decimals, MAX_COMPARED_DECIMALS)
    near = matches_to_decimals(reading.value, expected, digits)
    return near and digits >= decimals, near and 0 < digits < decimals


def matches_to_decimals(value: Number, expected: Number, decimals: int) -> bool:
    """Say whether a number is the key rounded to so many digits after the point: half a unit of the last, either way.

    >>> from fractions import Fraction
    >>> [matches_to_decimals(Fraction(text), Fraction(1, 3), 2) for text in ("0.33", "0.34")]
    [True, False]
    """
    with localcontext(DECIMAL_CONTEXT):
        a, b = to_decimal(value), to_decimal(expected)
        return (
            a.is_finite()
            and b.is_finite()
            and abs(a - b) <= Decimal(1).scaleb(-decimals) / 2 * (1 + ROUNDING_TOLERANCE)
        )


def is_same_number(value: Number, expected: Number) -> bool:
    """Say whether a number is the key itself; of irrational ones that add up to 1, the last of 40 digits may be off."""
    if value == expected or not isinstance(expected, Decimal) or not (expected.is_finite() and math.isfinite(value)):
        return value == expected
    with localcontext(DECIMAL_CONTEXT):
        return abs(to_decimal(value) - expected) <= _LAST_DIGIT_TOLERANCE * max(Decimal(1), abs(expected))
