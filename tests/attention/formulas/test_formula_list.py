"""Formulas that fit one another: how far letters run, what is given, heads."""

import pytest

from attnhand.attention.formulas.formula_list import LETTERS, FormulaList
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.kit import add_heads


def make(text: str, **letters: str) -> FormulaList:
    """Return a list of these formulas."""
    return FormulaList(formulas=read_formulas(text), letters={**LETTERS, **letters})


def test_what_is_read_and_not_worked_is_given() -> None:
    """With the sizes that its letters have."""
    formulas = make("queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]")
    assert formulas.given == ("W_Q", "X")
    assert formulas.axes == {"W_Q": ("d_k", "features"), "X": ("features", "tokens"), "Q": ("d_k", "tokens")}


def test_heads_have_matrices_of_their_own() -> None:
    """All that has the index h comes once a head, head by head; what is shared comes once."""
    formulas = Variant(mechanism="multi-head").build_mechanism().formulas
    of_a_head = ("Q", "K", "V", "S", "scaled", "powers", "sums", "A", "Z")
    names = [stage.name for stage in formulas.stages]
    assert names == [*(f"h{h}.{name}" for h in (1, 2) for name in of_a_head), "concat", "output"]
    assert formulas.get_stage("h2.Q").reads == ("h2.W_Q", "X")
    assert formulas.get_stage("concat").reads == ("h1.Z", "h2.Z")
    assert formulas.axes["W_O"] == ("features", "heads·d_v")
    assert formulas.get_axes("h2.Z") == ("d_v", "tokens")


def test_heads_may_share_their_keys() -> None:
    """Grouped queries are a matter of which names are shared: K is worked once, and read by every head."""
    project = "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]\nscores S[k,q] = Σ_r K[r,k]·Q[r,q]"
    lines = (*read_formulas("keys K[r,k] = Σ_f W_K[r,f]·X[f,k]"), *add_heads(project, ["X", "K"]))
    formulas = FormulaList(formulas=lines, head_count=2)
    assert [stage.name for stage in formulas.stages] == ["K", "h1.Q", "h1.S", "h2.Q", "h2.S"]
    assert formulas.get_stage("h2.S").reads == ("K", "h2.Q")


def test_keys_may_come_from_elsewhere() -> None:
    """What a letter runs over is the list's own: keys over a memory."""
    formulas = make("keys K[r,k] = Σ_f W_K[r,f]·M[f,k]", k="memory")
    assert formulas.axes["M"] == ("features", "memory")


def test_matrices_that_do_not_fit_one_another_are_refused() -> None:
    """Whatever was handed in: nothing is cut off in silence."""
    queries, sums = make("queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]\nsums sums[q] = Σ_r Q[r,q]").stages
    assert queries.measure(((2, 3), (3, 4))) == {"r": 2, "f": 3, "q": 4}
    with pytest.raises(FormulaError, match=r"^Q: f runs to 3, and to 2 in X\[f,q\]$"):
        queries.measure(((2, 3), (2, 4)))
    with pytest.raises(FormulaError, match=r"^Q: X has 1 index, not 2 as in X\[f,q\]$"):
        queries.measure(((2, 3), (3,)))
    assert sums.measure(((2, 4),), own=(4,)) == {"r": 2, "q": 4}
    with pytest.raises(FormulaError, match=r"^sums: q runs to 3, and to 4 in Q\[r,q\]$"):
        sums.measure(((2, 4),), own=(3,))


def test_heads_under_one_another_have_to_fit_what_mixes_them() -> None:
    """Of two heads whose lines somebody added instead, W_O has twice as many columns as there are lines."""
    output = Variant(mechanism="multi-head").build_mechanism().formulas.get_stage("output")
    assert output.measure(((4, 6), (6, 3))) == {"f": 4, "h": 2, "v": 3, "q": 3}
    with pytest.raises(FormulaError, match=r"^output: \(h,v\) runs to 6, and to 3 in concat\[\(h,v\),q\]$"):
        output.measure(((4, 6), (3, 3)))


def test_heads_of_several_shapes_are_refused() -> None:
    """What is read of all heads together has one shape."""
    concat = Variant(mechanism="multi-head").build_mechanism().formulas.get_stage("concat")
    assert concat.measure(((2, 3), (2, 3)))["h"] == 2
    with pytest.raises(FormulaError, match="heads have matrices Z of several shapes"):
        concat.measure(((2, 3), (1, 3)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "layer F1[n,q] = Σ_f W_1[n,f]·X[f,q]\nlayer F2[f,q] = Σ_r W_2[f,r]·F1[r,q]",
            "F2: r runs to d_k, and to hidden in F1[r,q]",
        ),
        (
            "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]\nkeys K[r,k] = Σ_f W_Q[f,r]·X[f,k]",
            "K: f runs to features, and to d_k in W_Q[f,r]",
        ),
        (
            "sums sums[q] = Σ_k powers[k,q]\nweights A[k,q] = powers[k,q] / sums[k,q]",
            "A: sums has 1 index, not 2 as in sums[k,q]",
        ),
        (
            "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]\nscores S[k,q] = Σ_r Q[r]·Q[r,q]",
            "S: Q has 2 indices, not 1 as in Q[r]",
        ),
        ("scores S[k,q] = Σ_c K[c,k]·Q[c,q]", "S: how far c runs is not said: no matrix is read along it"),
        ("scaled s[k,q] = S[k,q] / |d|", "s: how far d runs in |d| is not said"),
        ("masked m[k,q] = −∞ if k > q − window else S[k,q]", "m: what window is, nothing says"),
        ("one A[q] = B[q]\nother B[q] = C[q]", "A: B is read before it is worked"),
        ("one A[q] = B[q]\nother A[q] = C[q]", "A: there is a matrix of that name already"),
        ("one A[q] = B[q + 1]", "A: how many lines B has is not said: no letter runs over them"),
        (
            "one A[(h,v),q] = Z[h,v,q]\nother B[f,q] = Σ_(v,h) W[f,(v,h)]·A[(v,h),q]",
            "B: (v,h) runs to d_v·heads, and to heads·d_v in A[(v,h),q]",
        ),
    ],
)
def test_formulas_that_do_not_fit_are_refused(text: str, expected: str) -> None:
    """A letter is a type: it runs over one thing, whatever the numbers of a sheet happen to be."""
    with pytest.raises(FormulaError) as error:
        make(text)
    assert str(error.value) == expected
