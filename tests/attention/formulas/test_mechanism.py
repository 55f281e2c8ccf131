"""Formulas that fit one another: how far letters run, what is given, heads."""

import pytest

from attnhand.attention.formulas.kit import add_heads, build_mechanism
from attnhand.attention.formulas.mechanism import LETTERS, Mechanism
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.formulas.sized import size_mechanism
from attnhand.attention.mechanisms import Variant


def make(text: str, **letters: str) -> Mechanism:
    """Return a mechanism of these formulas."""
    return Mechanism(name="own", formulas=read_formulas(text), letters={**LETTERS, **letters})


def test_what_is_read_and_not_worked_is_given() -> None:
    """With the sizes that its letters have."""
    mechanism = make("queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]")
    assert mechanism.given == ("W_Q", "X")
    assert mechanism.axes == {"W_Q": ("d_k", "features"), "X": ("features", "tokens"), "Q": ("d_k", "tokens")}


def test_heads_have_matrices_of_their_own() -> None:
    """All that has the index h comes once a head, head by head; what is shared comes once."""
    mechanism = build_mechanism(Variant(mechanism="multi-head"))
    of_a_head = ("Q", "K", "V", "S", "scaled", "powers", "sums", "A", "Z")
    names = [stage.name for stage in mechanism.stages]
    assert names == [*(f"h{h}.{name}" for h in (1, 2) for name in of_a_head), "concat", "output"]
    assert mechanism.list_reads(mechanism.get_stage("h2.Q")) == ("h2.W_Q", "X")
    assert mechanism.axes["W_O"] == ("features", "heads·d_v")
    sized = size_mechanism(mechanism, {"tokens": 3, "features": 4, "d_k": 2, "d_v": 3})
    assert sized.lengths["W_O"] == (4, 6)
    assert sized.lengths["h2.Z"] == (3, 3)


def test_heads_may_share_their_keys() -> None:
    """Grouped queries are a matter of which names are shared: K is worked once, and read by every head."""
    project = "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]\nscores S[k,q] = Σ_r K[r,k]·Q[r,q]"
    formulas = (*read_formulas("keys K[r,k] = Σ_f W_K[r,f]·X[f,k]"), *add_heads(project, ["X", "K"]))
    mechanism = Mechanism(name="grouped", formulas=formulas, head_count=2)
    assert [stage.name for stage in mechanism.stages] == ["K", "h1.Q", "h1.S", "h2.Q", "h2.S"]
    assert mechanism.list_reads(mechanism.get_stage("h2.S")) == ("K", "h2.Q")


def test_keys_may_come_from_elsewhere() -> None:
    """What a letter runs over is the mechanism's own: keys over a memory."""
    mechanism = make("keys K[r,k] = Σ_f W_K[r,f]·M[f,k]", k="memory")
    assert mechanism.axes["M"] == ("features", "memory")


def test_a_size_that_is_not_given_is_named() -> None:
    """A problem says how many there are of everything that a matrix has."""
    mechanism = make("queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]")
    with pytest.raises(FormulaError, match="the size features is not given"):
        size_mechanism(mechanism, {"d_k": 2, "tokens": 3})


def test_a_matrix_of_another_shape_is_refused() -> None:
    """Whatever was handed in: nothing is cut off in silence."""
    sized = size_mechanism(make("sums sums[q] = Σ_k powers[k,q]"), {"tokens": 2})
    sized.check_matrix("powers", ((1, 2), (3, 4)))
    sized.check_matrix("sums", (4, 6))
    wrong = (("powers", ((1, 2), (3,)), "ragged"), ("powers", ((1, 2),), "1 × 2"), ("sums", (1,), "1"))
    for name, lines, shape in wrong:
        with pytest.raises(FormulaError, match=f"{name} is {shape}, and must be 2"):
            sized.check_matrix(name, lines)


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
        ("masked m[k,q] = −∞ if k > q − window else S[k,q]", "m: what window is, the mechanism does not say"),
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
