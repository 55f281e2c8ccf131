"""Reading and printing one number."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.matrix import unify_number_types
from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    MINUS_INFINITY,
    Number,
    divide,
    format_decimal,
    format_exact,
    has_irrational,
    is_terminating,
    simplify,
    to_decimal,
    to_float,
    use_typographic_signs,
)


def test_a_masked_score_is_printed_as_minus_infinity() -> None:
    """The score that no power keeps is −inf as text."""
    assert (format_exact(MINUS_INFINITY), use_typographic_signs(format_exact(MINUS_INFINITY))) == ("-inf", "−∞")


def test_irrational_values_are_printed_at_full_precision() -> None:
    """A hand value with a root in it is printed with all digits of a float."""
    with localcontext(DECIMAL_CONTEXT):
        root = Decimal(3).sqrt()
    assert format_exact(root) == "1.7320508075688772"


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0, 2, "0.00"),
        (3, 1, "3.0"),
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(3, 8), 2, "0.38"),
        (Fraction(5, 2), 1, "2.5"),
        (Fraction(9, 46), 2, "0.20"),
        (Fraction(2, 3), 4, "0.6667"),
        (Fraction(-1, 1000), 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (0.125, 2, "0.13"),
        (2.675, 2, "2.67"),  # the float is a little less than it looks
        (-0.57735, 2, "-0.58"),
        (99.999, 2, "100.00"),
        (Decimal("0.005"), 2, "0.01"),
        (Decimal("0E+50"), 2, "0.00"),
        (MINUS_INFINITY, 2, "-inf"),
        (-math.inf, 2, "-inf"),
        (math.inf, 2, "inf"),
        (1e300, 2, "1.000e+300"),
    ],
)
def test_decimals_are_rounded_like_in_a_spreadsheet(value: Number | float, places: int, text: str) -> None:
    """Halves go away from zero, and nothing is ever printed as −0."""
    assert format_decimal(value, places) == text


SHORT_FRACTIONS = st.fractions(min_value=-(10**15), max_value=10**15, max_denominator=10**15)


@given(SHORT_FRACTIONS | st.floats(-1e6, 1e6), st.integers(1, 6))
def test_rounding_is_off_by_half_a_unit_at_most(value: Fraction | float, places: int) -> None:
    """The printed decimal has the places asked for, and is the nearest such number, halves away from zero."""
    text = format_decimal(value, places)
    exact = Fraction(value)
    off = abs(Fraction(text)) - abs(exact)
    assert len(text.partition(".")[2]) == places
    assert -Fraction(1, 2) < off * 10**places <= Fraction(1, 2)
    assert not text.startswith("-") or Fraction(text) < 0
    assert Fraction(text) * exact >= 0


@given(st.floats(-1e6, 1e6), st.integers(1, 6))
def test_rounding_agrees_with_decimal(value: float, places: int) -> None:
    """The digits are those of Python's own decimals."""
    nearest = Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    assert Decimal(format_decimal(value, places)) == nearest


def test_whole_fractions_become_integers() -> None:
    """6/3 is 2, an int; what is not whole stays a fraction."""
    assert simplify(Fraction(6, 3)) == 2
    assert isinstance(simplify(Fraction(6, 3)), int)
    assert simplify(Fraction(-1, 3)) == Fraction(-1, 3)
    assert simplify(Decimal("1.5")) == Decimal("1.5")


def test_division_keeps_the_kind_of_number() -> None:
    """Whole where it goes, a fraction where not, a decimal once one comes in."""
    assert [divide(6, 3), divide(6, 4), divide(Fraction(1, 2), Fraction(1, 4))] == [2, Fraction(3, 2), 2]
    assert isinstance(divide(Fraction(1, 2), Fraction(1, 4)), int)
    assert divide(Fraction(1, 2), Decimal(4)) == Decimal("0.125")
    assert divide(Decimal(1), 8) == Decimal("0.125")


@given(st.fractions())
def test_floats_are_the_nearest(value: Fraction) -> None:
    """A fraction becomes the float that Python's own division gives."""
    assert to_float(value) == value.numerator / value.denominator


def test_floats_beyond_the_range_are_infinite() -> None:
    """What no float64 can hold becomes infinite, with its sign."""
    assert [to_float(10**400), to_float(-(10**400)), to_float(Decimal("1e400"))] == [math.inf, -math.inf, math.inf]
    assert to_float(MINUS_INFINITY) == -math.inf


def test_fractions_beyond_the_range_of_floats_are_infinite() -> None:
    """A fraction too large for float64 becomes infinite too, with its sign."""
    assert [to_float(Fraction(10**400, 3)), to_float(Fraction(-(10**400), 3))] == [math.inf, -math.inf]


def test_decimals_are_worked_to_forty_digits() -> None:
    """A third has forty threes in the precision of the hand values."""
    with localcontext(DECIMAL_CONTEXT):
        assert to_decimal(Fraction(1, 3)) == Decimal("0." + "3" * 40)
        assert Decimal(2).sqrt() ** 2 - 2 == pytest.approx(0, abs=Decimal("1e-38"))


@pytest.mark.parametrize(
    ("value", "places", "ends"),
    [
        (1, 1, True),
        (Fraction(1, 2), 1, True),
        (Fraction(3, 8), 3, True),
        (Fraction(3, 8), 2, False),
        (Fraction(1, 3), 6, False),
        (Decimal("0.5"), 4, False),
    ],
)
def test_decimals_that_end_are_told_from_those_that_do_not(value: Number, places: int, ends: bool) -> None:
    """3/8 ends after three places, 1/3 never; an irrational value counts as never ending."""
    assert is_terminating(value, places) is ends


def test_a_masked_score_is_no_irrational_value() -> None:
    """Only finite decimals make a computation irrational."""
    assert not has_irrational([1, Fraction(1, 2), MINUS_INFINITY])
    assert has_irrational([1, Decimal("1.5")])


def test_a_fraction_has_forty_digits_beside_an_irrational_number_anywhere() -> None:
    """Whoever writes 1/3 beside a root goes on from it: three of them are 1 to the last digit that counts."""
    with localcontext(Context(prec=12)):
        third = to_decimal(Fraction(1, 3))
        ((beside, _),) = unify_number_types([((Fraction(1, 3), Decimal("1.5")),)])[0]
    assert third == beside == Decimal("0." + 40 * "3")
