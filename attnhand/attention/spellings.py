"""Numbers as people write them: one grammar for answers, ``--given``, problem files and the script of a web sheet."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.numbers import MINUS_INFINITY, Number, simplify
from attnhand.errors import Message, NumberError

# The script of a web sheet takes this table from here: patterns keep to what JavaScript understands too.

SIGNS: Mapping[str, str] = {
    **dict.fromkeys("−–‒", "-"),
    **dict.fromkeys("⁄∕", "/"),
    **dict.fromkeys("×⋅∙*", "·"),
    "∞": "inf",
}
"""What each sign is read as."""

MAX_NUMBER_LENGTH = 40
"""Characters; no number that a person writes needs more."""

SUPERSCRIPTS: Mapping[str, str] = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))

POWER_OF_TEN_PATTERN = "10([⁺⁻]?[⁰¹²³⁴-⁹]+)"
"""10²⁰, whose raised digits are no others' raised digits."""

RAISED_PATTERN = (
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209c"
    "\u2460-\u2473\u24b6-\u24ea\u2c7c\u2c7d\u3251-\u325f\u32b1-\u32bf]"
)
"""Raised, lowered and circled characters, which folding would make digits, signs or letters of a number."""

BLANKS_PATTERN = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"
"""What ``str.split`` parts words at."""

_DECIMAL = r"\d+(?:[.,]\d*)?|[.,]\d+"

NUMBER_PATTERN = (
    r"(?P<sign>[+-]?) ?(?:"
    r"(?:(?P<whole>\d+) )?(?P<top>\d+) ?/ ?(?P<bottom>\d+)"
    rf"|(?P<decimal>{_DECIMAL})(?:[eE](?P<exponent>[+-]?\d{{1,3}}))?"
    rf"|(?:(?P<mantissa>{_DECIMAL}) ?[·x] ?)?10 ?\^ ?(?P<power>[+-]?\d{{1,3}})"
    r")(?P<percent> ?%)?"
)
"""1 1/2, 0,25, 3e-4, 1.2·10^20, 20 %: after signs of one kind have become one."""

THOUSANDS_PATTERN = r"[+-]?[1-9]\d{0,2},\d{3}"
"""1,234 is one thousand to some and one and a bit to others."""

DATE_PATTERN = (
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}[-. ]+[^\W\d]{3,}\.?(?:[-. ]+\d{2,4})?|[^\W\d]{3,}\.?[-. ]+\d{1,4}"
)
"""What a spreadsheet makes of 1/3: 2024-03-01, 1-Mar, Jan 3."""

MAX_PLAIN_EXPONENT = 9
"""Of a number in a problem file: larger ones cannot be printed legibly."""

_NUMBER, _THOUSANDS, _DATE = (
    re.compile(NUMBER_PATTERN, re.ASCII),
    re.compile(THOUSANDS_PATTERN, re.ASCII),
    re.compile(DATE_PATTERN),
)
_POWER_OF_TEN, _RAISED = re.compile(POWER_OF_TEN_PATTERN), re.compile(RAISED_PATTERN)
_SIGN_TABLE, _SUPERSCRIPT_TABLE = str.maketrans(dict(SIGNS)), str.maketrans(dict(SUPERSCRIPTS))


@dataclass(frozen=True, slots=True)
class Reading:
    """One number as it was written."""

    value: Number
    decimals: int | None
    """Digits after the decimal point, fewer than none in 1.2·10²⁰ (−19); None of what is exact: a fraction, −∞."""


@lru_cache(maxsize=4096)  # a class writes the same few numbers again and again
def read_number(answer: str) -> Reading | None:
    """Read what a person wrote into a cell; None where it is empty.

    >>> [read_number(text) for text in ("−1 1/2", "0,20", " ")]
    [Reading(value=Fraction(-3, 2), decimals=None), Reading(value=Fraction(1, 5), decimals=2), None]

    Raises:
        NumberError: it is no number, or one of two readings; the message completes "S[2,3] …".
    """
    text = " ".join(answer.split())
    if not text:
        return None
    _check_length(text)
    text = _fold_signs(text)
    if text in ("-inf", "- inf"):
        return Reading(MINUS_INFINITY, None)
    if _THOUSANDS.fullmatch(text):
        point, whole = text.replace(",", "."), text.replace(",", "")
        raise NumberError(Message("number.two-readings", answer=repr(answer), point=point, whole=whole))
    match = _NUMBER.fullmatch(text)
    if match is None and _DATE.fullmatch(text):
        raise NumberError(Message("number.date", answer=repr(answer)))
    if match is None:
        raise NumberError(Message("number.not-a-number", answer=repr(answer)))
    return _interpret(match, answer)


def read_plain_number(raw_text: str) -> Reading:
    """Read a number of a problem file: an integer, a decimal with a point or a fraction, without blanks.

    >>> [read_plain_number(text).value for text in ("−2", "0.1", "1/3", "6/3")]
    [-2, Fraction(1, 10), Fraction(1, 3), 2]

    Raises:
        NumberError: the text is no such number, or is longer than 40 characters.
    """
    _check_length(raw_text)
    text = raw_text.strip().translate(_SIGN_TABLE)
    match = _NUMBER.fullmatch(text) if text.isascii() and not set(text) & set(" ,%^") else None
    if match is None or abs(int(match["exponent"] or 0)) > MAX_PLAIN_EXPONENT:
        raise NumberError(
            f"is {raw_text!r}, not a number: write an integer, a decimal such as 0.5 or a fraction such as 1/3"
        )
    return _interpret(match, raw_text)


def _check_length(text: str) -> None:
    if len(text) > MAX_NUMBER_LENGTH:
        raise NumberError(Message("number.too-long", length=len(text), most=MAX_NUMBER_LENGTH))


def _fold_signs(text: str) -> str:
    """Write signs of one character out: "1½" becomes "1 1/2", "10²⁰" becomes "10^20"."""
    text = _POWER_OF_TEN.sub(lambda match: f"10^{match[1].translate(_SUPERSCRIPT_TABLE)}", text)
    if raised := _RAISED.search(text):
        raise NumberError(Message("number.raised", answer=repr(raised[0])))
    apart = ""
    for character in text:
        plain = unicodedata.normalize("NFKC", character)
        apart += f" {plain} " if "⁄" in plain and character != "⁄" else plain
    return " ".join(unicodedata.normalize("NFKC", apart).translate(_SIGN_TABLE).split())


def _interpret(match: re.Match[str], answer: str) -> Reading:
    sign = -1 if match["sign"] == "-" else 1
    share = 100 if match["percent"] else 1
    if match["bottom"]:
        if int(match["bottom"]) == 0:
            raise NumberError(Message("number.over-zero", answer=repr(answer)))
        value = int(match["whole"] or 0) + Fraction(int(match["top"]), int(match["bottom"]))
        return Reading(simplify(sign * value / share), None)
    decimal = (match["decimal"] or match["mantissa"] or "1").replace(",", ".")
    exponent = int(match["exponent"] or match["power"] or 0)
    value = Fraction(decimal) * Fraction(10) ** exponent / share
    return Reading(simplify(sign * value), len(decimal.partition(".")[2]) - exponent + (2 if share == 100 else 0))
