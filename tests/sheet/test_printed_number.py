"""How one value looks in its cell."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.spellings import read_plain_number
from attnhand.sheet.printed_number import MAX_FRACTION_DIGITS, PrintedNumber, format_exact_value, format_hand_value


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, PrintedNumber("0")),
        (27, PrintedNumber("27")),
        (-2, PrintedNumber("−2")),
        (Fraction(9, 46), PrintedNumber("", "9", "46")),
        (Fraction(-9, 46), PrintedNumber("−", "9", "46")),
        (Fraction(999, 998), PrintedNumber("", "999", "998")),
        (Fraction(1, 1000), PrintedNumber("≈0.00")),
        (Fraction(-1000, 3), PrintedNumber("≈−333.33")),
        (Decimal("1.7320508"), PrintedNumber("1.73")),
        (Decimal("-0.005"), PrintedNumber("−0.01")),
        (MINUS_INFINITY, PrintedNumber("−∞")),
    ],
)
def test_hand_values(value: Number, number: PrintedNumber) -> None:
    """Whole numbers, fractions over their line, decimals where roots come in, ≈ where a fraction is too long."""
    assert format_hand_value(value, 2) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 2), "0.5"),
        (Fraction(-3, 8), "−0.375"),
        (Fraction(1, 16), "0.0625"),
        (Fraction(1, 32), "1/32"),
        (Fraction(1, 3), "1/3"),
        (3, "3"),
    ],
)
def test_hand_values_of_problems_in_decimals(value: Number, text: str) -> None:
    """Where the problem was given in decimals, what ends after four places is a decimal too."""
    assert str(format_hand_value(value, 2, as_decimal=True)) == text


@pytest.mark.parametrize("value", [Fraction(1, 2), 1, Fraction(1, 2000), Decimal("-Infinity"), Decimal("0.5")])
def test_a_value_keeps_its_note(value: Number) -> None:
    """Whatever it looks like: "= 3/6" beside 1/2, "not 0" beside −1."""
    assert format_hand_value(value, 2, note="not 3/5").note == "not 3/5"
    assert format_hand_value(value, 2).note == ""


@given(st.fractions(-2000, 2000, max_denominator=2000))
def test_printed_hand_values_say_what_they_are(value: Fraction) -> None:
    """What is printed without ≈ is read back exactly; fractions have at most three digits on each side."""
    whole_or_fraction = value.numerator if value.denominator == 1 else value
    printed = format_hand_value(whole_or_fraction, 2)
    if printed.is_fraction:
        assert max(len(printed.top), len(printed.bottom)) <= MAX_FRACTION_DIGITS
    if str(printed).startswith("≈"):
        assert abs(read_plain_number(str(printed)[1:]).value - value) <= Fraction(1, 200)  # type: ignore[operator]  # no Decimal is read
    else:
        assert read_plain_number(str(printed)).value == value
    assert "-" not in str(printed)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.57735, 2, "−0.58"),
        (0.125, 2, "0.13"),
        (20.0856, 3, "20.086"),
        (99_999.0, 1, "99999.0"),
        (123_456.0, 2, "1.2·10⁵"),
        (-2.5e12, 2, "−2.5·10¹²"),
        (1e300, 2, "1.0·10³⁰⁰"),
        (math.inf, 2, "∞"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_exact_values(value: float, places: int, text: str) -> None:
    """Exact values are rounded to the sheet's places, large ones written shortly."""
    assert str(format_exact_value(value, places)) == text


def test_exact_values_beyond_floats_are_printed_as_powers() -> None:
    """What overflows is printed as the power of e that it is."""
    assert str(format_exact_value(math.inf, 2, 5772.9264)) == "e^5772.93"
    assert str(format_exact_value(1.0, 2, 0.0)) == "1.00"
