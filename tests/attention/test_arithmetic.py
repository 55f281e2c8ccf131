"""The house rules: ⌊x/2⌋, 3ˣ, √d_k, eˣ."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Base, Rules, ScaleRule, parse_scale
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, Number
from attnhand.errors import ProblemError
from tests.strategies import POWERS

SCALES: tuple[ScaleRule | int, ...] = (*ScaleRule, 2, 3, 1000)


def scale_score(scale: ScaleRule | int, score: Number, d_k: int = 3) -> Number:
    """Scale one score under such a rule."""
    return Arithmetic(rules=Rules(scale=scale), d_k=d_k).scale_score(score)


def power(base: Base, score: Number) -> Number:
    """Raise a base to one score."""
    return Arithmetic(rules=Rules(base=base), d_k=3).raise_base(score)


@pytest.mark.parametrize(
    ("score", "half_floor"),
    [
        (3, 1),
        (Fraction(29, 5), 2),
        (Fraction(201, 50), 2),
        (1, 0),
        (0, 0),
        (4, 2),
        (-1, -1),
        (-2, -1),
        (-3, -2),
        (Fraction(-1, 100), -1),
        (Fraction(1, 3), 0),
    ],
)
def test_the_shortcut_halves_and_rounds_down(score: Number, half_floor: int) -> None:
    """⌊1.5⌋ = 1, ⌊2.9⌋ = 2, ⌊2.01⌋ = 2, ⌊0.5⌋ = 0, and ⌊−0.5⌋ = −1, to the left on the number line."""
    result = scale_score(ScaleRule.HALF_FLOOR, score)
    assert (result, type(result)) == (half_floor, int)


@given(st.fractions() | st.integers())
def test_rounding_down_stays_within_one(score: Fraction | int) -> None:
    """⌊x/2⌋ is the largest integer not above x/2."""
    down = scale_score(ScaleRule.HALF_FLOOR, score)
    assert isinstance(down, int)
    assert down <= Fraction(score) / 2 < down + 1


def test_other_scales_divide_exactly() -> None:
    """None leaves a score, a whole number divides it and keeps the fraction."""
    assert [scale_score(ScaleRule.NONE, score) for score in (-3, Fraction(1, 3))] == [-3, Fraction(1, 3)]
    assert [scale_score(2, score) for score in (3, -4, 0)] == [Fraction(3, 2), -2, 0]
    assert scale_score(1000, 1) == Fraction(1, 1000)
    assert isinstance(scale_score(2, -4), int)


def test_a_whole_root_divides_exactly() -> None:
    """√1 and √4 give whole numbers and fractions, not decimals."""
    assert [scale_score(ScaleRule.SQRT, -3, d_k=1), scale_score(ScaleRule.SQRT, -3, d_k=4)] == [-3, Fraction(-3, 2)]


@pytest.mark.parametrize("d_k", [2, 3, 5, 6, 7, 8])
def test_an_irrational_root_divides_to_forty_digits(d_k: int) -> None:
    """The square of x/√d_k is x²/d_k."""
    with localcontext(DECIMAL_CONTEXT):
        result = scale_score(ScaleRule.SQRT, Fraction(7, 2), d_k=d_k)
        assert isinstance(result, Decimal)
        assert abs(result * result * d_k - Decimal("12.25")) < Decimal("1e-37")


def test_powers_by_hand() -> None:
    """3² = 9, 3¹ = 3, 3⁰ = 1, 3⁻¹ = 1/3, 3⁻² = 1/9, and so for 2 and 10."""
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    assert [power(Base.THREE, score) for score in (2, 1, 0, -1, -2)] == [9, 3, 1, third, third**2]
    assert [power(Base.TWO, score) for score in (4, 0, -3)] == [16, 1, Fraction(1, 8)]
    assert [power(Base.TEN, score) for score in (2, -1)] == [100, tenth]


@pytest.mark.parametrize("score", [-3, 0, 2, Fraction(1, 2), Decimal("-0.25")])
def test_powers_of_e(score: Number) -> None:
    """eˣ is what the mathematics library gives, at the digits of a float."""
    assert float(power(Base.E, score)) == pytest.approx(math.exp(score), rel=1e-15)


@pytest.mark.parametrize(("base", "number"), [(Base.TWO, 2), (Base.THREE, 3), (Base.TEN, 10)])
def test_powers_of_fractions_are_roots(base: Base, number: int) -> None:
    """The square of 3 to the ½ is 3, to forty digits."""
    with localcontext(DECIMAL_CONTEXT):
        root = power(base, Fraction(1, 2))
        assert isinstance(root, Decimal)
        assert abs(root * root - number) < Decimal("1e-37")
        assert power(base, Decimal(2)) == number**2


@pytest.mark.parametrize("base", Base)
def test_a_masked_score_has_power_nought(base: Base) -> None:
    """3 to the −∞ is 0, in every base, and a whole number: the fractions beside it stay fractions."""
    result = power(base, MINUS_INFINITY)
    assert (result, type(result)) == (0, int)


def test_the_two_arithmetics() -> None:
    """By hand: halve, round down, base 3. Exactly: √d_k and e."""
    assert Rules(scale=ScaleRule.HALF_FLOOR, base=Base.THREE, decimals=2) == HAND == Rules()
    assert Rules(scale=ScaleRule.SQRT, base=Base.E, decimals=2) == EXACT


def test_rules_that_keep_weights_fractions_are_known() -> None:
    """Base e, a root or a divisor make decimals; all else keeps fractions."""
    rational = {(scale, base) for scale, base in product(SCALES, POWERS) if Rules(scale=scale, base=base).is_rational}
    assert rational == {
        (scale, base) for scale in (ScaleRule.HALF_FLOOR, ScaleRule.NONE) for base in (Base.TWO, Base.THREE, Base.TEN)
    }


@pytest.mark.parametrize("scale", [1, 0, -2, 1001])
def test_a_divisor_out_of_range_is_refused(scale: int) -> None:
    """Dividing by 1 or less, or by more than 1000, is refused with the range."""
    with pytest.raises(ProblemError) as refusal:
        Rules(scale=scale)
    assert str(refusal.value) == f"the scale {scale} is out of range: divide by a whole number from 2 to 1000"


@pytest.mark.parametrize("decimals", [0, 7, -1])
def test_decimals_out_of_range_are_refused(decimals: int) -> None:
    """No place or more than six cannot be printed."""
    with pytest.raises(ProblemError) as refusal:
        Rules(decimals=decimals)
    assert str(refusal.value) == f"{decimals} decimals cannot be printed: choose 1 to 6"


def test_scales_are_read_as_they_are_typed() -> None:
    """The three names and whole numbers are known."""
    assert [parse_scale(text) for text in ("half-floor", "none", "sqrt", "2", "1000")] == [*ScaleRule, 2, 1000]


@pytest.mark.parametrize("text", ["", "half", "HALF-FLOOR", "-2", "2.5", "1e3", "²", "٣", "10000", " 2"])
def test_an_unknown_scale_is_refused(text: str) -> None:
    """What is no scale is refused with what may be used."""
    with pytest.raises(ProblemError) as refusal:
        parse_scale(text)
    assert str(refusal.value) == (
        f"the scale {text!r} is unknown: use half-floor, none, sqrt or a whole number to divide by, such as 4"
    )
