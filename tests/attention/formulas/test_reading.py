"""Formulas read from text, and what is refused."""

import pytest

from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Formula,
    FormulaError,
    Joined,
    Known,
    Letter,
    Negative,
    Number,
    Over,
    Read,
    Size,
)
from attnhand.attention.formulas.reading import read_formula, read_formulas
from attnhand.attention.numbers import MINUS_INFINITY

K, Q, R, H, V = map(Letter, "kqrhv")


def test_a_product() -> None:
    """Σ takes the product after it."""
    assert read_formula("scores   S[k,q] = Σ_r K[r,k]·Q[r,q]") == Formula(
        "scores", "S", (K, Q), Over("Σ", R, Binary("·", Read("K", (R, K)), Read("Q", (R, Q))))
    )


def test_a_condition() -> None:
    """It is read as it is said: −∞ if the key comes later, else the score."""
    right = read_formula("masked masked[k,q] = −∞ if k > q or k ≤ q − window else scaled[k,q]").right
    outside = Binary("≤", K, Binary("−", Q, Known("window")))
    assert right == Choice(Binary("or", Binary(">", K, Q), outside), Number(MINUS_INFINITY), Read("scaled", (K, Q)))


def test_letters_that_run_as_one() -> None:
    """Heads under one another: (h,v) on the left, in a sum, and as an index."""
    assert read_formula("concat concat[(h,v),q] = Z[h,v,q]").indices == (Joined(("h", "v")), Q)
    right = read_formula("output output[f,q] = Σ_(h,v) W[f,(h,v)]·concat[(h,v),q]").right
    assert isinstance(right, Over)
    assert right.index == Joined(("h", "v"))


def test_what_binds_closer() -> None:
    """Powers before products, products before sums, a sign before a whole product; places are sums too."""
    assert read_formula("t Y[k] = −2·x[k]^2 + 1").right == Binary(
        "+", Negative(Binary("·", Number(2), Binary("^", Read("x", (K,)), Number(2)))), Number(1)
    )
    assert read_formula("t Y[k] = x[|k| + 1 − k]").right == Read(
        "x", (Binary("−", Binary("+", Size("k"), Number(1)), K),)
    )
    assert read_formula("t A[k,q] = p[k,q] / Σ_r p[r,q]").right == Binary(
        "/", Read("p", (K, Q)), Over("Σ", R, Read("p", (R, Q)))
    )
    assert read_formula("t Y[k] = max(x[k], 0)").right == Call("max", (Read("x", (K,)), Number(0)))


def test_a_text_of_several_lines() -> None:
    """Empty lines and what follows # are no formulas."""
    text = """
        # two of them
        powers    powers[k,q] = base^scaled[k,q]   # 3, or e

        sums      sums[q] = Σ_k powers[k,q]
    """
    assert [(each.topic, each.name, each.letters) for each in read_formulas(text)] == [
        ("powers", "powers", ("k", "q")),
        ("sums", "sums", ("q",)),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("t S[k,q] Σ_r K[r,k]", "S: no = stands in 'S[k,q] Σ_r K[r,k]': write a topic, then NAME[LETTERS] = FORMULA"),
        (
            "t S[k,q] = Σ_r K[r,k]·Q[r,j]",
            'S: the index j is not bound: write it on the left, or Σ_j before it (at "]")',
        ),
        (
            "t A[k,q] = Σ_r p[r,q] / s[q]",
            'A: / after Σ_r can be read in two ways: put the sum or the quotient in brackets (at "/ s[q]")',
        ),
        (
            "t A[k,q] = p[k,q] / s[q]·s[k]",
            'A: · after / can be read in two ways: put the quotient or what it is over in brackets (at "·s[k]")',
        ),
        ("t Y[q] = scael(S[q])", 'Y: the function scael is unknown: did you mean scale? (at "scael(S[q])")'),
        ("t Y[q] = bases·S[q]", 'Y: the number bases is unknown: did you mean base? (at "bases·S[q]")'),
        (
            "t Y[q] = sums",
            'Y: the number sums is unknown: a matrix has its letters beside it: sums[…] (at "sums")',
        ),
        ("t Y[q] = max(S[q])", 'Y: max takes 2 arguments, not 1 (after "max(S[q])")'),
        ("t Y[q] = W*S[q]", 'Y: * is no sign of a formula: write · (at "*S[q]")'),
        ("t Y[q] = S[q] - 1", 'Y: - is no sign of a formula: write − (at "- 1")'),
        ("t Y[q] = S[q] ± 1", "Y: '±' is no sign of a formula (at \"± 1\")"),
        ("t Y[q] = S[q", 'Y: ] is missing (after "S[q")'),
        ("t Y[q] = S[q] +", 'Y: it breaks off (after "S[q] +")'),
        ("t Y[q] = S[q] S[q]", "Y: nothing can be made of 'S' here (at \"S[q]\")"),
        ("t Y[q] = 0 if S[q] else 1", 'Y: a condition compares: =, ≠, <, >, ≤ or ≥ is missing (at "else 1")'),
        (
            "t Y[q] = 0 if q > 1 and q < 3 or q = 4 else 1",
            'Y: and beside or can be read in two ways (at "or q = 4 else 1")',
        ),
        ("t Y[q] = Σ_q S[q]", 'Y: the index q of Σ_q is bound already: take another letter (at "S[q]")'),
        ("t Y[q] = Σ_K S[q]", 'Y: Σ runs over a small letter: Σ_k (at "S[q]")'),
        ("t Y[q] = 2^S[q]^2", 'Y: a power of a power can be read in two ways: put one of them in brackets (at "^2")'),
        ("t Y[q,q] = S[q,q]", "Y: the index q stands twice on the left"),
        ("t Y[q + 1] = S[q]", "Y: only letters stand in brackets on the left"),
        ("t Y = 1", 'Y: a name and its letters stand on the left: NAME[k,q] (after "Y")'),
        ("t Y[q] = · S[q]", "Y: a number, a cell or a bracket is missing before '·' (at \"· S[q]\")"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_place(line: str, expected: str) -> None:
    """One sentence: the formula, what is wrong, what to write, and where."""
    with pytest.raises(FormulaError) as error:
        read_formula(line)
    assert str(error.value) == expected
