"""In which spellings a number is typed, as a list: for platforms that compare texts, and know no fractions."""

from collections.abc import Iterator
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, is_finite, to_decimal

LEAST_DECIMALS, MOST_DECIMALS = 2, 6
"""Places to which a decimal may be rounded."""

MULTIPLIERS = (*range(1, 13), 27, 81)
"""By which a fraction may still be reduced: 27/81 is how powers over their sum stand on paper."""

MINUS_SIGNS = ("-", "−")
"""That of the keyboard, and that of print."""

INFINITY_NAMES = ("∞", "inf", "infinity")
"""After a minus sign."""


def list_accepted_spellings(
    value: Number, *, decimals: int = LEAST_DECIMALS, most_decimals: int = MOST_DECIMALS
) -> tuple[str, ...]:
    """Return in which spellings a number is right, the plainest first: what ``attnhand check`` takes for it too.

    A whole number as it is, and with a point and zeros; a fraction reduced or not, as a mixed number, and rounded to
    two places or more, with a point or a comma, with the 0 before it or without.

    >>> from fractions import Fraction
    >>> list_accepted_spellings(3)
    ('3', '3.0', '3,0', '3.00', '3,00')
    >>> [text for text in list_accepted_spellings(Fraction(9, 46), most_decimals=3) if text.startswith("0.")]
    ['0.2', '0.20', '0.196', '0.200']
    >>> list_accepted_spellings(Fraction(-3, 2), most_decimals=2)[:4]
    ('-3/2', '−3/2', '-1 1/2', '−1 1/2')

    Args:
        decimals: to how many places the sheet wants a decimal rounded; what has fewer is right where it is the number,
            or lacks zeros alone.
        most_decimals: up to how many it may be.
    """
    if not is_finite(value):
        return tuple(f"{sign}{name}" for name in INFINITY_NAMES for sign in MINUS_SIGNS)
    texts = [*_list_fractions(Fraction(value))] if not isinstance(value, Decimal) else []
    texts += [text for plain in _list_decimals(value, decimals, most_decimals) for text in vary_decimal(plain)]
    return tuple(dict.fromkeys(text for plain in texts for text in put_signs(plain, value)))


def _list_fractions(value: Fraction) -> Iterator[str]:
    """Yield a number without its sign as a whole number, or as fractions of its size."""
    top, bottom = abs(value.numerator), value.denominator
    if bottom == 1:
        yield str(top)
        return
    yield f"{top}/{bottom}"
    if top > bottom:
        yield f"{top // bottom} {top % bottom}/{bottom}"
    for multiplier in MULTIPLIERS[1:]:
        yield f"{top * multiplier}/{bottom * multiplier}"


def _list_decimals(value: Number, decimals: int, most: int) -> Iterator[str]:
    """Yield decimals without a sign, with a point: a tie is rounded either way, and zeros may be left out or added."""
    if isinstance(value, int) or Fraction(value).denominator == 1:
        yield from (f"{abs(int(value))}.{'0' * places}" for places in (1, LEAST_DECIMALS))
        return
    found = [text for places in range(decimals, most + 1) for text in _round(value, places)]
    for text in found[:]:
        if len(text.partition(".")[2]) == decimals:
            short = text.rstrip("0")
            found += [short] if short[-1] != "." and short != text else []
            found.append(f"{text}0")
    yield from sorted(set(found), key=lambda text: (len(text), text))


def _round(value: Number, places: int) -> list[str]:
    """Return a number rounded to so many places, without its sign; of a tie both.

    >>> _round(Fraction(-1, 8), 2)
    ['0.13', '0.12']
    """
    with localcontext(DECIMAL_CONTEXT):
        unit, size = Decimal(1).scaleb(-places), abs(to_decimal(value))
        return [
            str(each) for each in dict.fromkeys(size.quantize(unit, way) for way in (ROUND_HALF_UP, ROUND_HALF_DOWN))
        ]


def put_signs(text: str, value: Number) -> Iterator[str]:
    """Yield what is written of a number without its sign, with either minus where it is negative."""
    yield from (f"{sign}{text}" for sign in (MINUS_SIGNS if value < 0 else ("",)))


def vary_decimal(text: str) -> Iterator[str]:
    """Yield a decimal without its sign: with a point or a comma, with its 0 in front or without.

    >>> [*vary_decimal("0.20")]
    ['0.20', '.20', '0,20', ',20']
    """
    for mark in (".", ","):
        marked = text.replace(".", mark)
        yield marked
        if marked.startswith("0") and text.strip("0."):
            yield marked[1:]
