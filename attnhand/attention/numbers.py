"""One number: kinds, conversions, and how it is printed (fraction, decimal, −, −∞).

Hand values are exact wherever they are rational (``int`` or ``Fraction``) and 40-digit ``Decimal`` where a
root or e makes them irrational. Floats appear only where an exact value is handed out.
"""

import math
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction
from typing import assert_never

Number = int | Fraction | Decimal

MINUS = "−"
"""U+2212, the true minus, as wide as a digit."""

MINUS_INFINITY = Decimal("-Infinity")
"""A masked score: no power of it is anything but 0."""

DECIMAL_CONTEXT = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Irrational values are worked to 40 digits, with room for any exponent: nothing overflows on the way."""


def simplify(value: Number) -> Number:
    """Return a whole Fraction as an int, anything else as it is.

    >>> simplify(Fraction(6, 3)), simplify(Fraction(1, 3))
    (2, Fraction(1, 3))
    """
    # type() and not isinstance: Fraction is an abstract class, which makes that many times as slow
    if type(value) is Fraction and value.denominator == 1:
        return value.numerator
    return value


def divide(numerator: Number, denominator: Number) -> Number:
    """Divide exactly: whole where it goes, a fraction where not, a decimal where one comes in.

    >>> divide(6, 4), divide(6, 3)
    (Fraction(3, 2), 2)
    """
    if isinstance(numerator, Decimal) or isinstance(denominator, Decimal):
        return to_decimal(numerator) / to_decimal(denominator)
    if type(numerator) is int is type(denominator):  # nearly always, and twice as fast
        return simplify(Fraction(numerator, denominator))
    return simplify(Fraction(numerator) / denominator)


def to_decimal(value: Number) -> Decimal:
    """Return the value as a Decimal of 40 digits, wherever it is asked.

    >>> to_decimal(Fraction(1, 4))
    Decimal('0.25')
    """
    if isinstance(value, Fraction):
        return DECIMAL_CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(value)


def round_to_nearest(value: Number) -> int:
    """Return the nearest whole number, halves away from zero.

    >>> [round_to_nearest(x) for x in (Fraction(5, 2), Fraction(-5, 2), Fraction(7, 5), Decimal("-0.2"))]
    [3, -3, 1, 0]
    """
    if isinstance(value, int):
        return value
    size: int
    if isinstance(value, Fraction):
        size = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    else:
        size = math.floor(abs(value))
        size += abs(value) >= size + Fraction(1, 2)
    return -size if value < 0 else size


def take_root(value: Number) -> Number:
    """Return the square root, a decimal where it is irrational.

    >>> take_root(Fraction(9, 4)), round(take_root(2), 3)
    (Fraction(3, 2), Decimal('1.414'))

    Raises:
        ArithmeticError: the value is negative.
    """
    if value < 0:
        raise ArithmeticError(f"{value} has no square root")
    if not isinstance(value, Decimal):
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return simplify(Fraction(top, bottom))
    return DECIMAL_CONTEXT.sqrt(to_decimal(value))


def is_finite(value: Number) -> bool:
    """Say whether a value is no −∞.

    Subtle: ``math.isfinite`` fails on integers that no float64 holds, which students write: 9e999.

    >>> is_finite(10**999), is_finite(MINUS_INFINITY)
    (True, False)
    """
    return not isinstance(value, Decimal) or value.is_finite()


def to_float(value: Number) -> float:
    """Return the nearest float64; infinite where the value is beyond its range.

    >>> to_float(Fraction(9, 46)) == 9 / 46
    True
    """
    try:
        return value.numerator / value.denominator if type(value) is Fraction else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def drop_sign(value: Number) -> Number:
    """Leave out the sign.

    >>> drop_sign(-3)
    3
    """
    return -value if value < 0 else value


def is_terminating(value: Number, decimals: int) -> bool:
    """Say whether the value is a decimal of at most so many places.

    >>> is_terminating(Fraction(3, 8), 4), is_terminating(Fraction(1, 3), 4)
    (True, False)
    """
    return not isinstance(value, Decimal) and (value * 10**decimals) % 1 == 0


MAX_WHOLE_DIGITS, MAX_DECIMAL_DIGITS = 10, 6
"""Digits before the point that are printed: of a whole number, and of one that has more after the point."""


def is_huge(value: Number) -> bool:
    """Say whether a value is printed in two digits and a power of ten, for no cell holds more.

    >>> [is_huge(value) for value in (9_999_999_999, 10**10, Decimal("999999.5"), Decimal(1_000_000))]
    [False, True, False, True]
    """
    digits = MAX_WHOLE_DIGITS if isinstance(value, int) else MAX_DECIMAL_DIGITS
    return abs(value) >= 10**digits and is_finite(value)


def split_huge(value: Number) -> tuple[str, int]:
    """Return the first two digits and the power of ten: of 1.1474·10²⁰ "1.1" and 20; ASCII minus.

    >>> split_huge(10**20), split_huge(Decimal("-9.96e19")), split_huge(Fraction(10**9, 3))
    (('1.0', 20), ('-1.0', 20), ('3.3', 8))
    """
    with localcontext(DECIMAL_CONTEXT, rounding=ROUND_HALF_UP):
        mantissa, _, exponent = f"{to_decimal(value):.1e}".partition("e")
    return mantissa, int(exponent)


FAST_FORMAT_LIMIT = 1e9
"""Floats below it are printed with all their decimals, as many as a sheet may have."""


def format_decimal(value: Number | float, decimals: int) -> str:
    """Print with so many decimals, halves away from zero, the way spreadsheets round; ASCII minus.

    >>> format_decimal(Fraction(1, 8), 2), format_decimal(Fraction(-1, 8), 2), format_decimal(-0.001, 2)
    ('0.13', '-0.13', '0.00')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "-inf" if value < 0 else "inf"
    if isinstance(value, float) and abs(value) < FAST_FORMAT_LIMIT and not (value * (2 * 10**decimals)).is_integer():
        # no half, so that every way to round is the same
        return _drop_minus_of_zero(f"{value:.{decimals}f}")
    with localcontext(DECIMAL_CONTEXT):
        decimal = Decimal(value) if isinstance(value, float) else to_decimal(value)
        if not decimal.is_finite():
            return "-inf"
        if decimal and decimal.adjusted() + decimals >= DECIMAL_CONTEXT.prec:
            return f"{decimal:.3e}"
        return _drop_minus_of_zero(f"{decimal.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP):f}")


def _drop_minus_of_zero(text: str) -> str:
    """Take the sign from a number that was rounded to nothing."""
    return text if text.strip("-0.") else text.removeprefix("-")


def format_exact(value: Number) -> str:
    """Print the whole value so that ``fractions.Fraction`` reads it back; a masked score is ``-inf``.

    >>> format_exact(-1), format_exact(Fraction(9, 46)), format_exact(MINUS_INFINITY)
    ('-1', '9/46', '-inf')
    """
    match value:
        case int() | Fraction():
            return str(value)
        case Decimal():
            return repr(float(value)) if value.is_finite() else "-inf"
        case _:
            assert_never(value)


def use_typographic_signs(text: str) -> str:
    """Replace the ASCII signs by the typographic ones.

    >>> use_typographic_signs("-1/3"), use_typographic_signs("-inf")
    ('−1/3', '−∞')
    """
    return text.replace("-", MINUS).replace("inf", "∞")


def has_irrational(values: Sequence[Number]) -> bool:
    """Say whether an irrational (finite Decimal) value is among them."""
    if Decimal not in set(map(type, values)):  # nearly always, and fast
        return False
    return any(isinstance(value, Decimal) and value.is_finite() for value in values)


SAME_TOLERANCE = Decimal("1e-30")
"""So much two irrational numbers may differ: the last of their 40 digits are rounded on the way."""


def is_same_number(a: Number, b: Number) -> bool:
    """Say whether two numbers are one: exactly, or to the last digits of an irrational one.

    >>> is_same_number(Fraction(1, 3), Fraction(33, 100)), is_same_number(1, Decimal("0." + 40 * "9"))
    (False, True)
    """
    if a == b or not has_irrational((a, b)) or not (is_finite(a) and is_finite(b)):
        return a == b
    with localcontext(DECIMAL_CONTEXT):
        x, y = to_decimal(a), to_decimal(b)
        return abs(x - y) <= SAME_TOLERANCE * max(Decimal(1), abs(x), abs(y))
