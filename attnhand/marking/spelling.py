"""What a student wrote into one cell, read as a number of exactly one reading.

The order matters. Signs such as ½ become 1/2 with a blank before them, and raised, lowered or circled digits are
refused, before Unicode's compatibility forms are folded: folding alone would turn 1½ into 11/2 and 3² into 32.
"""

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from attnhand.errors import NumberError
from attnhand.numbers import LONGEST, MINUS, MINUS_INFINITY, Number, simplest

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
