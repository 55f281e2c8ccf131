"""Numbers as people write them: one grammar for answers, ``--given``, problem files and the script of a web sheet."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod

from attnhand.attention.numbers import MINUS_INFINITY, Number, simplify
from attnhand.errors import Message, NumberError, escape_unprintable

# The script of a web sheet takes this table from here: patterns keep to what JavaScript understands too, and a
# replacement names its groups $1, $2.

PLAIN_SIGNS: Mapping[str, str] = {**dict.fromkeys("−–‒", "-"), **dict.fromkeys("⁄∕", "/")}
"""What signs of a problem file are read as."""

_ZEROS = "٠۰०০"
"""Of Arabic, Persian, Devanagari and Bengali, which compatible characters do not fold to ours."""

SIGNS: Mapping[str, str] = {
    **PLAIN_SIGNS,
    **dict.fromkeys("‐‑—―➖", "-"),
    **dict.fromkeys("÷:∶", "/"),
    **dict.fromkeys("×⋅∙", "·"),
    **dict.fromkeys("~∼≃≅≐≒", "≈"),
    **dict.fromkeys("‘’", "'"),
    "∞": "inf",
    "٫": ".",
    "٪": "%",
    **{chr(ord(zero) + digit): str(digit) for zero in _ZEROS for digit in range(10)},
}
"""What each sign is read as."""

MAX_NUMBER_LENGTH = 40
"""Characters; no number of a problem file needs more."""

MAX_WRITTEN_LENGTH = 120
"""Characters of a cell: a calculator's digits, a sum of products with what it gives."""

MAX_ANSWER_LENGTH = 160
"""Characters; no answer to a question needs more."""

UNSEEN_PATTERN = "[\u00ad\u200b-\u200f\u202a-\u202c\u2060\u2066-\u2069\ufe0e\ufe0f\ufeff]"
"""What takes no room: phones and mail programs put it between digits. What turns their order is not among it."""

SUPERSCRIPTS: Mapping[str, str] = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))

SUBSCRIPTS: Mapping[str, str] = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))

STACKED_PATTERN = "([⁰¹²³⁴-⁹]{1,9})[/⁄∕]([₀-₉]{1,9})"
"""³/₁₆, made of small digits."""

POWER_PATTERN = "([0-9])([⁺⁻]?[⁰¹²³⁴-⁹]{1,9})"
"""10²⁰, 3⁻¹, whose raised digits are no others' raised digits."""

RAISED_PATTERN = (
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209c"
    "\u2460-\u2473\u24b6-\u24ea\u2c7c\u2c7d\u3251-\u325f\u32b1-\u32bf]"
)
"""Raised, lowered and circled characters, which folding would make digits, signs or letters of a number."""

BLANKS_PATTERN = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"
"""What ``str.split`` parts words at."""

PLAIN_PATTERN = (
    r"(?P<sign>[+-]?)"
    r"(?:(?P<top>\d+)/(?P<bottom>\d+)|(?P<decimal>\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d{1,3}))?)"
)
"""A number of a problem file."""

_WHOLE = r"([+-]? ?[0-9]+)"

_ABOUT = (
    "[cC](?:a|irca|erca de)|[aA](?:pprox|prox|bout|round)|[eE](?:twa|nv|nviron)|[rR]und|[uU]ngef(?:ä|ae)hr"
    "|[oO]k(?:oło)?|[бБ]лизько|[пП]риблизно"
)
"""Before a number that was rounded, in seven languages."""

REWRITES: tuple[tuple[str, str], ...] = (
    (r"^\$\$?([^$]+)\$\$?$", "$1"),
    (r"^\\[(\[](.+)\\[)\]]$", "$1"),
    (r"\\(?:left|right)(?=[(\[)\]])", ""),
    (r"\\(?:[,;:! ]|quad)", " "),
    (r"\\(?:cdot|times)(?![a-z])", "·"),
    (r"\\infty(?![a-z])", "inf"),
    (r"\\approx(?![a-z])", "≈"),
    (r"\\%", "%"),
    (r"([0-9])\{([.,])\}(?=[0-9])", "$1$2"),  # 0{,}5
    (rf"\\[dt]?frac ?\{{ ?{_WHOLE} ?\}} ?\{{ ?{_WHOLE} ?\}}", " $1/$2 "),
    (r"\\[dt]?frac ?([0-9]) ?([0-9])(?![0-9])", " $1/$2 "),
    (r"\*\*", "^"),
    (r" ?\^ ?[{(] ?([+-]?[0-9]+) ?[)}]", "^$1"),
    # 0.1̅6̅ and 0.1̇6̇, whose bar or dots stand over what is repeated
    (r"([0-9])[\u0304\u0305\u0307]", "\u0305($1)"),
    (r"\)\u0305\(", ""),
    (r"\u0305\(", "("),
    (r"^\s*'", ""),
    (r"^ ?[=≈] ?", ""),
    (r"([0-9%]) ?;$", "$1"),
    (rf"^(?:{_ABOUT})\.? ?(?=[+-]?[0-9.,(])", ""),
    # (−2), (3), −(1/2)
    (r"^\( ?([^()]+) ?\)$", "$1"),
    (r"^([+-]) ?\( ?([0-9.,][^()]*) ?\)$", "$1$2"),
    (rf"^([+-]? ?)\( ?{_WHOLE} ?\) ?/", "$1$2/"),
    (rf"/ ?\( ?{_WHOLE} ?\)$", "/$1"),
    (r"/ ?\( ?([1-9][0-9]?) ?\^ ?([0-9]) ?\)$", "/$1^$2"),
    # 3/16 (0.19): once more in brackets
    (r"^([^()]*[0-9%]) \( ?[=≈]? ?([^()]+)\)$", "$1=$2"),
)
"""What is written in another manner, as the grammar has it: applied in turn, each wherever it is found."""

EQUALS_PATTERN = " ?(?:[=≈]| or ) ?"
"""Between two spellings of one number: 3/16 = 0.19, 1/3 or 0.33."""

MAX_PARTS = 3

MINUS_INFINITY_PATTERN = "- ?[iI][nN][fF](?:inity|INITY)?"

_DECIMAL = r"\d+(?:[.,]\d*)?|[.,]\d+"

NUMBER_PATTERN = (
    r"(?P<sign>[+-]?) ?(?:"
    r"(?:(?P<whole>\d+) )?(?P<top>\d+) ?/ ?(?P<bottom>\d+)"
    r"|(?P<dividend>\d+) ?/ ?(?P<divisor>[+-] ?\d+)"
    r"|1 ?/ ?(?P<root>[1-9]\d?)\^(?P<times>\d)"
    r"|(?P<stem>\d*[.,]\d*)\((?P<period>\d+)\)"
    r"|(?P<open>\d*[.,]\d+) ?\.\.\."
    rf"|(?P<decimal>{_DECIMAL})(?:[eE](?P<exponent>[+-]?\d{{1,3}}))?"
    rf"|(?:(?P<mantissa>{_DECIMAL}) ?[·*x] ?)?10 ?\^ ?(?P<power>[+-]?\d{{1,3}})"
    r")(?P<percent> ?%)?"
)
"""1 1/2, 7/-2, 1/3^2, 0.1(6), 0.33..., 0,25, 3e-4, 1.2·10^20, 20 %: after signs of one kind have become one."""

POWER_NUMBER_PATTERN = r"\+?(?P<base>[1-9]\d?) ?\^ ?(?P<raised>[+-]?\d)"
"""3^-1, as the sheet prints powers; −3² would have two readings."""

THOUSANDS_PATTERN = r"[+-]?[1-9]\d{0,2},\d{3}"
"""1,234 is one thousand to some and one and a bit to others."""

LABEL_PATTERN = (
    r"^ ?[A-Za-zΣσ][A-Za-z]{0,6}_?[0-9₀-₉]{0,3}(?:,[0-9₀-₉]{1,2}|\[ ?[0-9]{1,2} ?[,;] ?[0-9]{1,2} ?\])? ?= ?(?=[^\s=])"
)
"""What a cell is called, before its number: q11 = 2, S[1,2] = 3."""

_FACTOR = r"(?:[0-9]+(?:[.,][0-9]+|/[0-9]+)?|\( ?[+-]? ?[0-9]+(?:[.,][0-9]+|/[0-9]+)? ?\))"
_TERM = rf"{_FACTOR}(?: ?[·*x] ?{_FACTOR})*"

PRODUCT_PATTERN = r"(?P<sign>[+-]?) ?(?P<factors>[1-9][0-9]*(?: ?[·*x] ?[1-9][0-9]*)+)"
"""3×3×3, which is worth what it gives."""

CALCULATION_PATTERN = rf"[+-]? ?{_TERM}(?: ?[+-] ?{_TERM})*"
"""Before what it gives: 1·2 + 0·(−1) = 2."""

TERM_PATTERN = rf"([+-]?) ?({_TERM})"

FACTOR_PATTERN = r"[+-]? ?[0-9]+(?:[.,][0-9]+|/[0-9]+)?"

DECIMAL_COMMA_PATTERN = r"[+-]?(?:[0-9]*,[0-9]{1,2}|[0-9]*,[0-9]{4,}|0*,[0-9]{3})"
"""A comma that can be nothing but a decimal mark."""

DECIMAL_POINT_PATTERN = r"[0-9]*\.[0-9]"

_MONTHS = (
    "jan(?:uary?|v(?:ier)?|eiro)?|ene(?:ro)?|gen(?:naio)?",
    "feb(?:ruary?|rero|braio)?|f[ée]v(?:r(?:ier)?|ereiro)?",
    "mar(?:ch|s|zo|ço)?|märz?|mrz|mrt|maart",
    "apr(?:il|ile)?|avr(?:il)?|abr(?:il)?",
    "may|mai|mei|mayo|mag(?:gio)?|maio",
    "june?|juni|juin|junio|junho|giu(?:gno)?",
    "july?|juli|juil(?:let)?|julio|julho|lug(?:lio)?",
    "aug(?:ust(?:us)?)?|ao[uû]t|ago(?:sto)?",
    "sept?(?:ember|embre|iembre)?|set(?:tembre|embro)?",
    "o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?|out(?:ubro)?",
    "nov(?:ember|embre|iembre|embro)?",
    "de[cz](?:ember|embro)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?",
)
"""In seven languages, from January on: what spreadsheets write."""

MONTH_PATTERN = "|".join(_MONTHS)

DATE_PATTERN = (
    r"(?:[0-9]{1,2}([-/.])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})|[0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2})"
    r"(?:[ T]0?0/00(?:/00)?)?"
    rf"|[0-9]{{1,2}}[-. ]+(?:{MONTH_PATTERN})\.?(?:[-. ]+[0-9]{{2,4}})?|(?:{MONTH_PATTERN})\.?[-. ]+[0-9]{{1,4}}"
)
"""What a spreadsheet makes of 1/3: 2024-03-01, 1-Mar, Jan 3."""

CHANGE_PATTERN = (
    r"(?P<name>[a-z0-9._ ]*?)[\[(. ]*(?P<row>[0-9]+)[,; .]+(?P<column>[0-9]+)[\]) ]*(?:=|:|->|→|to)(?P<value>.+)"
)
"""What is written for one number of a matrix, in any case: W_Q[1,2] = −3, 1,2 to -3."""

PLAIN_LETTERS: Mapping[str, str] = {"ł": "l", "Ł": "l", **dict.fromkeys("’ʼ`´", "'")}
"""What letters and apostrophes of words are read as, that have no accent which could be taken off."""

_LETTER = r"[^\s0-9'!\x22#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~¡¿«»‹›“”„–—…→⇒≈·]"

WORD_PATTERN = rf"@[az](?!{_LETTER})|{_LETTER}+(?:'{_LETTER}+)*'?|[0-9]+|[~%&,;:!?().–—]"
"""Of an answer in words: a word, a number, a sign; @a and @z stand for the matrices A and Z."""

SHARE_PATTERN = r"[0-9]+ ?/ ?[0-9]+|[0-9]+[.,][0-9]+|[0-9]+ ?%"
"""What is no number of a token: 3/5, 0.6, 60 %."""

MINUS_WORD_PATTERN = rf"(?<!{_LETTER})(?:minus|negative|moins|menos|мінус) (?=[0-9])"
"""In all languages, before a number."""

NEGATIVE_PATTERN = rf"(?:^|(?!{_LETTER})[^0-9\])])- ?[0-9]"
"""-3, but neither x-3 nor 2-3."""

RANGE_PATTERN = rf"([0-9]+) ?-+>? ?{_LETTER}?_?([0-9]+)"
"""1-3, z1-z3."""

NUMBER_SIGN_PATTERN = r"№|#|(?<![^\s(])[nN]\.? ?[º°]"
"""Before the number of a token."""

ORDINAL_ENDING_PATTERN = rf"([0-9])(?: ?\.? ?[º°ª]|-?{_LETTER}{{1,4}}(?!{_LETTER}))"
"""3rd, 3.º, 3-й."""

NUMBER_IN_TEXT_PATTERN = (
    r"(?<![^\s(=≈,;:>→⇒\x22“„«])(?<![+-] )[+-]?"
    r"(?:[0-9]+ [0-9]+/[0-9]+|[0-9]+ ?/ ?[0-9]+|[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)(?: ?%)?"
    r"(?! ?[\^/·*+]|[.,]?[0-9]| - ?[0-9]|tel|th|nd|rd|st)"
)
"""A number among words, which is part of no calculation."""

COLON_PATTERN = "(?<![0-9]) ?:|:(?! ?[0-9])"
"""A colon of a sentence; between numbers it divides."""

LOOSE_DIGIT_PATTERN = rf"(?:^|(?!{_LETTER})[^_])[0-9]"
"""A digit that belongs to no name, such as q1."""

TIMES_PATTERN = r"^[x·] ?(?=[0-9])|(?<=[0-9]) ?[x·]$"
"""x2, 2×."""

PLACE_PATTERN = r"[\[(] ?(?P<row>[0-9]{1,2}) ?[,;. ] ?(?P<column>[0-9]{1,2}) ?[\])]"
"""[2,3], (2 3)."""

MATRIX_PATTERN = rf"(?<!{_LETTER})(?:h[0-9]+\.)?w_?[a-z](?!{_LETTER})"
"""W_Q, WK, h1.W_V, in any case."""

ARROW_PATTERN = "(?:->|=>|→|⇒) ?$"
"""Between an old number and the new one."""

MAX_PLAIN_EXPONENT = 9
"""Of a number in a problem file: larger ones cannot be printed legibly."""

_NUMBER, _POWER_NUMBER, _THOUSANDS, _PLAIN_NUMBER, _MINUS_INFINITY = (
    re.compile(pattern, re.ASCII)
    for pattern in (NUMBER_PATTERN, POWER_NUMBER_PATTERN, THOUSANDS_PATTERN, PLAIN_PATTERN, MINUS_INFINITY_PATTERN)
)
_LABEL, _PRODUCT, _CALCULATION, _TERM_OF, _FACTOR_OF, _DECIMAL_COMMA, _DECIMAL_POINT = (
    re.compile(pattern)
    for pattern in (
        LABEL_PATTERN,
        PRODUCT_PATTERN,
        CALCULATION_PATTERN,
        TERM_PATTERN,
        FACTOR_PATTERN,
        DECIMAL_COMMA_PATTERN,
        DECIMAL_POINT_PATTERN,
    )
)
_UNSEEN, _STACKED, _POWER, _RAISED, _EQUALS = (
    re.compile(pattern) for pattern in (UNSEEN_PATTERN, STACKED_PATTERN, POWER_PATTERN, RAISED_PATTERN, EQUALS_PATTERN)
)
_DATE, _MONTHS_BY_NUMBER = (
    re.compile(DATE_PATTERN, re.IGNORECASE),
    [re.compile(pattern, re.IGNORECASE) for pattern in _MONTHS],
)
_REWRITES = [(re.compile(pattern), re.sub(r"\$(\d)", r"\\\1", new)) for pattern, new in REWRITES]
_PLAIN_SIGN_TABLE, _SIGN_TABLE = str.maketrans(dict(PLAIN_SIGNS)), str.maketrans(dict(SIGNS))
_SMALL_DIGIT_TABLE = str.maketrans({**SUPERSCRIPTS, **SUBSCRIPTS})


@dataclass(frozen=True, slots=True)
class Reading:
    """One number as it was written."""

    value: Number
    """Of 0.33…, which goes on, the middle of what it may be: 0.335."""

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
    text = " ".join(_UNSEEN.sub("", answer).split())
    if not text:
        return None
    _check_length(text, MAX_WRITTEN_LENGTH)
    text = fold_signs(_LABEL.sub("", text))
    if not (_NUMBER.fullmatch(text) or _DATE.fullmatch(text)):
        for pattern, new in _REWRITES:
            text = " ".join(pattern.sub(new, text).split())
    parts = _EQUALS.split(text, MAX_PARTS - 1)
    worked = [part for part in parts[:-1] if _CALCULATION.fullmatch(part) and not _NUMBER.fullmatch(part)]
    reading = join_readings([_read_one_number(part, answer) for part in parts if part not in worked], answer)
    if not all(_is_rounding_of(reading, Reading(_work(part, answer), None)) for part in worked):
        raise NumberError(Message("number.two-numbers", answer=escape_unprintable(answer)))
    return reading


def _work(calculation: str, answer: str) -> Fraction:
    """Return what a calculation gives.

    >>> _work("1·2 + 0·(-1) - 1/2", "")
    Fraction(3, 2)
    """
    total = Fraction(0)
    for sign, term in _TERM_OF.findall(calculation):
        value = Fraction(-1 if sign == "-" else 1)
        for factor in _FACTOR_OF.findall(term):
            top, _, bottom = factor.replace(" ", "").replace(",", ".").partition("/")
            if bottom and int(bottom) == 0:
                raise NumberError(Message("number.over-zero", answer=escape_unprintable(answer)))
            value *= Fraction(top) / int(bottom or 1)
        total += value
    return total


def uses_decimal_commas(answers: Iterable[str]) -> bool:
    """Say whether somebody writes decimals with commas throughout, so that 1,333 is no thousands.

    >>> [uses_decimal_commas(texts) for texts in (["0,25", "1,333", "2"], ["1,333"], ["0,25", "0.5"])]
    [True, False, False]
    """
    texts = [answer.strip().translate(_PLAIN_SIGN_TABLE) for answer in answers]
    return any(map(_DECIMAL_COMMA.fullmatch, texts)) and not any(map(_DECIMAL_POINT.search, texts))


def write_decimal_point(answer: str) -> str:
    """Return an answer whose comma may part thousands with a point for it, any other as it is.

    >>> write_decimal_point(" -1,333"), write_decimal_point("0,25")
    ('-1.333', '0,25')
    """
    text = answer.strip().translate(_PLAIN_SIGN_TABLE)
    return text.replace(",", ".") if _THOUSANDS.fullmatch(text) else answer


def _read_one_number(text: str, answer: str) -> Reading:
    if _MINUS_INFINITY.fullmatch(text):
        return Reading(MINUS_INFINITY, None)
    if _THOUSANDS.fullmatch(text):
        point, whole = text.replace(",", "."), text.replace(",", "")
        raise NumberError(Message("number.two-readings", answer=escape_unprintable(answer), point=point, whole=whole))
    if match := _NUMBER.fullmatch(text):
        return _interpret(match, answer)
    if match := _PRODUCT.fullmatch(text):
        value = prod(map(int, re.findall("[0-9]+", match["factors"])))
        return Reading(-value if match["sign"] == "-" else value, None)
    if match := _POWER_NUMBER.fullmatch(text):
        return Reading(simplify(Fraction(int(match["base"])) ** int(match["raised"])), None)
    if _DATE.fullmatch(text):
        raise NumberError(Message("number.date", answer=escape_unprintable(answer)))
    raise NumberError(Message("number.not-a-number", answer=escape_unprintable(answer)))


def join_readings(readings: list[Reading], answer: str) -> Reading:
    """Return the most exact of several readings, which must all be of one number."""
    best = max(readings, key=lambda each: float("inf") if each.decimals is None else each.decimals)
    if not all(_is_rounding_of(each, best) for each in readings):
        raise NumberError(Message("number.two-numbers", answer=escape_unprintable(answer)))
    return best


def _is_rounding_of(coarse: Reading, fine: Reading) -> bool:
    """Say whether a number is another one, rounded or cut off to the digits that it was written with."""
    if coarse.value == fine.value:
        return True
    if MINUS_INFINITY in (coarse.value, fine.value) or not coarse.decimals or coarse.decimals < 1:
        return False
    a, b, unit = Fraction(coarse.value), Fraction(fine.value), Fraction(1, 10**coarse.decimals)
    return abs(a - b) <= unit / 2 or (a * b > 0 and 0 <= abs(b) - abs(a) < unit)


def read_plain_number(raw_text: str) -> Reading:
    """Read a number of a problem file: an integer, a decimal with a point or a fraction, without blanks.

    >>> [read_plain_number(text).value for text in ("−2", "0.1", "1/3", "6/3")]
    [-2, Fraction(1, 10), Fraction(1, 3), 2]

    Raises:
        NumberError: the text is no such number, or is longer than 40 characters.
    """
    _check_length(raw_text, MAX_NUMBER_LENGTH)
    match = _PLAIN_NUMBER.fullmatch(raw_text.strip().translate(_PLAIN_SIGN_TABLE))
    if match is None or abs(int(match["exponent"] or 0)) > MAX_PLAIN_EXPONENT:
        raise NumberError(
            f"is {raw_text!r}, not a number: write an integer, a decimal such as 0.5 or a fraction such as 1/3"
        )
    sign = -1 if match["sign"] == "-" else 1
    if match["bottom"]:
        return Reading(simplify(sign * _divide(match["top"], match["bottom"], raw_text)), None)
    decimal, exponent = match["decimal"], int(match["exponent"] or 0)
    value = sign * Fraction(decimal) * Fraction(10) ** exponent
    return Reading(simplify(value), len(decimal.partition(".")[2]) - exponent)


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise NumberError(Message("number.too-long", length=len(text), most=most))


def fold_signs(text: str) -> str:
    """Write signs of one character out: "1½" becomes "1 1/2", "10²⁰" becomes "10^20"."""
    text = _STACKED.sub(
        lambda match: f" {match[1]}/{match[2]} ".translate(_SMALL_DIGIT_TABLE), text.translate(_SIGN_TABLE)
    )
    text = _POWER.sub(lambda match: f"{match[1]}^{match[2].translate(_SMALL_DIGIT_TABLE)}", text)
    if raised := _RAISED.search(text):
        raise NumberError(Message("number.raised", answer=escape_unprintable(raised[0])))
    apart = ""
    for character in text:
        plain = unicodedata.normalize("NFKC", character)
        apart += f" {plain} " if "⁄" in plain else character
    return " ".join(unicodedata.normalize("NFKC", apart).translate(_SIGN_TABLE).split())


def _interpret(match: re.Match[str], answer: str) -> Reading:
    sign = -1 if match["sign"] == "-" else 1
    share = 100 if match["percent"] else 1
    exact: Fraction
    if match["bottom"]:
        exact = int(match["whole"] or 0) + _divide(match["top"], match["bottom"], answer)
    elif match["divisor"]:
        exact = _divide(match["dividend"], match["divisor"].replace(" ", ""), answer)
    elif match["root"]:
        exact = Fraction(1, int(match["root"]) ** int(match["times"]))
    elif match["period"]:
        stem = match["stem"].replace(",", ".")
        nines = 10 ** len(match["period"]) - 1
        exact = Fraction(f"0{stem}0") + Fraction(int(match["period"]), nines * 10 ** len(stem.partition(".")[2]))
    else:
        decimal = (match["open"] or match["decimal"] or match["mantissa"] or "1").replace(",", ".")
        exponent = int(match["exponent"] or match["power"] or 0)
        decimals = len(decimal.partition(".")[2]) - exponent
        value = Fraction(decimal) * Fraction(10) ** exponent
        if match["open"]:
            value += Fraction(1, 2 * 10**decimals)
        return Reading(simplify(sign * value / share), decimals + (2 if share == 100 else 0))
    return Reading(simplify(sign * exact / share), None)


def _divide(top: str, bottom: str, answer: str) -> Fraction:
    if int(bottom) == 0:
        raise NumberError(Message("number.over-zero", answer=escape_unprintable(answer)))
    return Fraction(int(top), int(bottom))


def list_date_fractions(answer: str) -> tuple[str, ...]:
    """Return the fractions that a spreadsheet may have made this date of; none where it is no date.

    >>> list_date_fractions("2026-01-09"), list_date_fractions("Sep 46")
    (('9/1', '1/9'), ('9/46', '46/9'))
    >>> list_date_fractions("1946-09-01")  # the first day of a month may stand for none
    ('1/9', '9/1', '9/46')
    """
    if len(answer) > MAX_NUMBER_LENGTH or not _DATE.fullmatch(text := answer.strip().translate(_SIGN_TABLE)):
        return ()
    words = re.findall(r"[^\W\d_]{3,}|[0-9]+", text)[:3]
    numbers = [int(word) if word.isdigit() else _find_month(word) for word in words]
    if len(words) == 3 and len(words[0]) == 4:  # 2026-01-09
        numbers = [numbers[2], numbers[1], numbers[0]]
    first, second, year = (*numbers, 0)[:3]
    pairs = [(first, second), (second, first)]
    is_month_known = len(words[0]) == 4 or not (words[0].isdigit() and words[1].isdigit())
    days_and_months = pairs[not words[0].isdigit() :][:1] if is_month_known else pairs
    pairs += [(month, year % 100) for day, month in days_and_months if day == 1]
    return tuple(dict.fromkeys(f"{top}/{bottom}" for top, bottom in pairs if bottom))


def _find_month(word: str) -> int:
    return next(number for number, pattern in enumerate(_MONTHS_BY_NUMBER, 1) if pattern.fullmatch(word))
