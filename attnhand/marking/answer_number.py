"""When an answer is right: the key itself, or the key to the digits that were written."""

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.numbers import LONGEST, MINUS, MINUS_INFINITY, PRECISION, Number, as_decimal, simplest
from attnhand.errors import NumberError

_DASHES = str.maketrans({MINUS: "-", "–": "-", "‒": "-", "⁄": "/", "∕": "/", "∞": "inf"})

_WRITTEN = re.compile(
    r"(?P<sign>[+-]?) ?"
    r"(?:(?:(?P<whole>\d+) )?(?P<top>\d+) ?/ ?(?P<bottom>\d+)"
    r"|(?P<decimal>\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE](?P<power>[+-]?\d{1,2}))?)"
    r"(?P<percent> ?%)?",
    re.ASCII,
)

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
"""1,234 is one thousand to some and one and a bit to others."""

_DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}[-. ]+[^\W\d]{3,}\.?([-. ]+\d{2,4})?|[^\W\d]{3,}\.?[-. ]+\d{1,4}"
)
"""What a spreadsheet makes of 1/3: 2024-03-01, 1-Mar, Jan 3."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One number as it was written."""

    value: Number
    places: int | None
    """Digits after the decimal point; None where the value is exact: a fraction, or −∞."""


@lru_cache(maxsize=4096)  # a class writes the same few numbers again and again
def read_answer(written: str) -> Reading | None:
    """Read one cell; None where it is empty.

    >>> read_answer("−1 1/2").value, read_answer("0,20"), read_answer("½").value, read_answer(" ")
    (Fraction(-3, 2), Reading(value=Fraction(1, 5), places=2), Fraction(1, 2), None)

    Raises:
        NumberError: it is no number, or one of two readings; the message completes "S[2,3] …".
    """
    text = " ".join(written.split())
    if not text:
        return None
    if len(text) > LONGEST:
        raise NumberError(f"is {len(text)} characters long: write a number of at most {LONGEST}")
    text = _folded(text)
    if text in ("-inf", "- inf"):
        return Reading(MINUS_INFINITY, None)
    if _GROUPED.fullmatch(text):
        point, whole = text.replace(",", "."), text.replace(",", "")
        raise NumberError(f"is {written!r}, which has two readings: write {point} or {whole}")
    match = _WRITTEN.fullmatch(text)
    if match is None and _DATE.fullmatch(text):
        raise NumberError(f"is {written!r}, a date: a spreadsheet made it of a fraction; type 0 1/3 or =1/3 there")
    if match is None:
        raise NumberError(f"is {written!r}, not a number: write 3, −2, 0.25 or 9/46")
    return _read(match, written)


def _folded(text: str) -> str:
    """Write signs of one character out, and refuse digits that are raised, lowered or circled."""
    out = ""
    for character in text:
        kind = unicodedata.decomposition(character).partition(" ")[0]
        if kind in ("<super>", "<sub>", "<circle>"):
            raise NumberError(f"has {character!r}, which is no plain digit: write powers and indices out")
        out += f" {unicodedata.normalize('NFKC', character)} " if kind == "<fraction>" else character
    return " ".join(unicodedata.normalize("NFKC", out).translate(_DASHES).split())


def _read(match: re.Match[str], written: str) -> Reading:
    sign = -1 if match["sign"] == "-" else 1
    share = 100 if match["percent"] else 1
    if match["bottom"]:
        if int(match["bottom"]) == 0:
            raise NumberError(f"is {written!r}: nothing can be divided by 0")
        value = int(match["whole"] or 0) + Fraction(int(match["top"]), int(match["bottom"]))
        return Reading(simplest(sign * value / share), None)
    decimal = match["decimal"].replace(",", ".")
    power = int(match["power"] or 0)
    value = Fraction(decimal) * Fraction(10) ** power / share
    places = len(decimal.partition(".")[2]) - power + (2 if match["percent"] else 0)
    return Reading(simplest(sign * value), max(0, places))


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
