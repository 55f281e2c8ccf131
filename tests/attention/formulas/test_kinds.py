"""Kinds of number: what a formula's functions are in each."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Base, Rules, ScaleRule, Waves
from attnhand.attention.formulas.compiling import Lines, compile_formula
from attnhand.attention.formulas.kinds import ExactNumbers, Numbers, TooLargeError
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.reading import read_formula
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY

HALF = Fraction(1, 2)


def work(text: str, numbers: Numbers, *matrices: Lines, **sizes: int) -> Lines:
    """Work one formula."""
    compiled = compile_formula(read_formula(f"t {text}"), sizes, frozenset(), {"place": (2, 1, 2)})
    with localcontext(DECIMAL_CONTEXT):
        return numbers.work(compiled, matrices)


def exact(rules: Rules = HAND, d_k: int = 2, **known: int) -> ExactNumbers:
    """Return exact numbers under these rules."""
    return ExactNumbers(Arithmetic(rules=rules, d_k=d_k), known)


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("Y[k] = x[k] + x[1]", (3, HALF), (6, Fraction(7, 2))),
        ("Y[k] = x[k] / x[2]", (3, HALF), (6, 1)),
        ("Y[k] = 1 − 2·x[k]·x[k]", (3, HALF), (-17, HALF)),
        ("Y[k] = x[k]·x[k] − x[k] if k > 1 else x[k] / 4", (3, HALF), (Fraction(3, 4), Fraction(-1, 4))),
        ("Y[k] = x[|k| + 1 − k]", (3, HALF), (HALF, 3)),
        ("Y[k] = Σ_j x[j]·j / 2 if odd(k) else −x[k]", (3, 4), None),
        ("Y[k] = (Σ_j x[j]·j) / 2 if odd(k) else −x[k]", (3, HALF), (2, -HALF)),
        ("Y[k] = max(x[k], 1)·min(x[k], 1) + abs(−x[k])", (3, HALF), (6, 1)),
        ("Y[k] = trunc(−x[k]) + floor(−x[k])·10 + ceil(−x[k])·100", (3, HALF), (-333, -10)),
        ("Y[k] = max_j x[j]·j − x[k]", (3, 2), (1, 2)),
        ("Y[k] = round(x[k] / 2)", (3, 5), (2, 2)),
        ("Y[k] = 0 if x[k] = −∞ else base^x[k]", (MINUS_INFINITY, -2), (0, Fraction(1, 9))),
        ("Y[k] = x[k]^base", (2, HALF), (8, Fraction(1, 8))),
        ("Y[k] = x[k] / 3 if x[k] ≠ 3 and x[k] ≤ 3 else 1 / x[k]", (3, 2), (Fraction(1, 3), Fraction(2, 3))),
        ("Y[k] = window·x[k] − k", (3, HALF), (8, Fraction(-1, 2))),
        ("Y[k] = x[k]·x[2] if x[k] ≠ −∞ else 0", (2, HALF), (1, Fraction(1, 4))),
        ("Y[k] = x[k] + 1", (Fraction(2, 1), Fraction(0, 1)), (3, 1)),
        ("Y[k] = abs(x[k])·x[2]", (2, HALF), (1, Fraction(1, 4))),
        ("Y[k] = decimals(x[k] / 7)", (3, HALF), (Fraction(43, 100), Fraction(7, 100))),
    ],
)
def test_exact_numbers(text: str, x: Lines, expected: Lines | None) -> None:
    """Whole numbers and fractions, whole ones as such, whichever way the formula is compiled."""
    if expected is None:
        with pytest.raises(FormulaError, match="can be read in two ways"):
            read_formula(f"t {text}")
        return
    found = work(text, exact(window=3), x, k=2, j=2)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_a_list_of_places_and_a_place_that_does_not_exist() -> None:
    """What is looked up by place wraps around nowhere."""
    table = ((1, 2), (3, 4))
    assert work("X[f,q] = table[f,place[q]]", exact(), table, f=2, q=3) == ((2, 1, 2), (4, 3, 4))
    for index in ("q + 1", "q − 1", "3", "1 if q = 2 else 0"):
        with pytest.raises(FormulaError, match="does not exist"):
            work(f"X[q] = table[{index}]", exact(), (1, 2), q=2)


def test_a_diagonal_and_a_turned_matrix() -> None:
    """Indices may stand in any order, and one of them twice."""
    table = ((1, 2), (3, 4))
    assert work("X[q] = table[q,q]", exact(), table, q=2) == (1, 4)
    assert work("X[q,k] = table[k,q]", exact(), table, k=2, q=2) == ((1, 3), (2, 4))
    assert work("X[q,k] = table[1,k] + table[q,2]", exact(), table, k=2, q=2) == ((3, 4), (5, 6))
    assert work("X[k,q] = 7", exact(), k=2, q=1) == ((7,), (7,))


def test_heads_under_one_another_keep_their_own_denominators() -> None:
    """Halves of one head and thirds of the other: each line is divided by its own."""
    formula = read_formula("t Y[(h,v),q] = Σ_k V[h,v,k]·A[h,k,q]")
    compiled = compile_formula(formula, {"h": 2, "v": 1, "k": 2, "q": 1}, frozenset("VA"), {})
    assert compiled.reads == ("h1.V", "h2.V", "h1.A", "h2.A")
    thirds = ((Fraction(1, 3),), (Fraction(2, 3),))
    assert exact().work(compiled, [((HALF, 1),), ((1, 3),), ((1,), (HALF,)), thirds]) == ((1,), (Fraction(7, 3),))
    added = compile_formula(read_formula("t Y[v,q] = Σ_h A[h,v,q]"), {"h": 2, "v": 2, "q": 1}, frozenset("A"), {})
    assert exact().work(added, [((1,), (HALF,)), thirds]) == ((Fraction(4, 3),), (Fraction(7, 6),))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (HAND, (1, -2)),
        (Rules(scale=ScaleRule.NONE), (3, -3)),
        (Rules(scale=3), (1, -1)),
        (Rules(scale=2), (Fraction(3, 2), Fraction(-3, 2))),
        (EXACT, (Fraction(3, 2), Fraction(-3, 2))),
    ],
)
def test_scaling_is_a_matter_of_the_rules(rules: Rules, expected: Any) -> None:
    """Halved and rounded down, left alone, divided, or over √4."""
    assert work("Y[k] = scale(x[k])", exact(rules, d_k=4), (3, -3), k=2) == expected


def test_settle_rounds_where_the_rules_do() -> None:
    """5 over 3 is 1 where scores are rounded down."""
    assert work("Y[k] = settle(x[k] / 3)", exact(), (5, -5), k=2) == (1, -2)
    assert work("Y[k] = settle(x[k] / 3)", exact(EXACT), (6, -5), k=2) == (2, Fraction(-5, 3))


def test_positions_are_numbers_of_the_kind() -> None:
    """Rounded by hand, as they are exactly; the first token stands at 0."""
    text = "P[f,q] = position(q, f, |f|)"
    assert work(text, exact(), f=2, q=3) == ((0, 1, 1), (1, 1, 0))
    as_it_is = Arithmetic(rules=EXACT, waves=Waves.EXACT)
    assert work(text, ExactNumbers(as_it_is), f=2, q=2) == ((0, Decimal(math.sin(1))), (1, Decimal(math.cos(1))))
    as_fractions = Arithmetic(rules=EXACT, waves=Waves.FRACTIONS)
    assert work(text, ExactNumbers(as_fractions), f=2, q=2)[0][1] == Fraction(84147, 100_000)


def test_fractions_meet_irrational_numbers() -> None:
    """A product of fractions and decimals is worked in 40 digits; terms that cancel leave a clean 0."""
    third, root = Fraction(1, 3), Decimal("1.4142135623730950488016887242096980785697")
    (found,) = work("Y[k] = Σ_j x[j]·y[j]", exact(), (third, 3), (root, root), k=1, j=2)
    with localcontext(DECIMAL_CONTEXT):
        assert abs(found - root * 10 / 3) < Decimal("1e-38")
    (nothing,) = work("Y[k] = Σ_j x[j]·y[j]", exact(), (third, -third), (root, root), k=1, j=2)
    assert nothing == 0
    (times_e,) = work("Y[k] = base·x[k]", exact(Rules(base=Base.E)), (HALF,), k=1)
    assert times_e == pytest.approx(Decimal(math.e / 2))


def test_powers_have_a_limit_where_they_are_written_down() -> None:
    """A hundred million as an exponent is refused at once by hand, and a decimal of 40 digits without a limit."""
    with pytest.raises(TooLargeError) as refused:
        work("Y[k] = base^x[k]", exact(), (100_000_000,), k=1)
    assert refused.value.exponent == 100_000_000
    unlimited = ExactNumbers(Arithmetic(rules=EXACT), has_limit=False)
    (power,) = work("Y[k] = base^x[k]", unlimited, (100_000_000,), k=1)
    assert power.adjusted() == 43_429_448  # 10⁸ times the logarithm of e


def test_a_number_that_the_rules_do_not_have() -> None:
    """√d_k is no divisor by name."""
    with pytest.raises(KeyError):
        work("Y[k] = x[k] / divisor", exact(EXACT), (1,), k=1)
