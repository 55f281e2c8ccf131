"""Mechanisms that the program does not have yet, each some lines, against numpy in closed form."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attnhand.attention.arithmetic import EXACT, Arithmetic
from attnhand.attention.formulas.kinds import FloatNumbers
from attnhand.attention.formulas.kit import MIX, SCALE, SCORE, add_heads, project, share_out
from attnhand.attention.formulas.mechanism import LETTERS, Mechanism
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.formulas.sized import size_mechanism
from attnhand.attention.formulas.working import work_stages

Array = NDArray[np.float64]
Arrays = Mapping[str, Array]

SIZES = {"tokens": 4, "features": 5, "d_k": 4, "d_v": 3, "hidden": 2, "vocabulary": 6}


def work(mechanism: Mechanism, given: Arrays, **sizes: int) -> dict[str, Array]:
    """Work a mechanism in floats."""
    numbers = FloatNumbers(Arithmetic(rules=EXACT, d_k=SIZES["d_k"]), mechanism.known)
    lines: dict[str, Any] = {
        name: tuple(map(tuple, a.tolist())) if a.ndim == 2 else tuple(a.tolist()) for name, a in given.items()
    }
    worked = work_stages(size_mechanism(mechanism, {**SIZES, **sizes}), numbers, lines)
    return {name: np.array(each) for name, each in worked.items()}


def draw(mechanism: Mechanism) -> dict[str, Array]:
    """Draw all that a mechanism is given."""
    sized, stream = size_mechanism(mechanism, SIZES), np.random.default_rng(7)
    heads = range(1, mechanism.head_count + 1)
    names = [
        name
        for family in mechanism.given
        for name in ([f"h{head}.{family}" for head in heads] if family in mechanism.families else [family])
    ]
    return {name: stream.normal(size=sized.lengths[name]) for name in names}


def softmax(scores: Array, sink: float = -np.inf) -> Array:
    """Return the shares of every column, beside a sink."""
    powers = np.exp(scores)
    return np.asarray(powers / (powers.sum(axis=0) + np.exp(sink)))


def make(text: str, **known: int) -> Mechanism:
    """Return a mechanism of one head."""
    return Mechanism(name="new", formulas=read_formulas(text, known), known=known)


def make_grouped() -> Mechanism:
    """Several heads that share keys and values (Ainslie et al., "GQA", 2023)."""
    keys = read_formulas("keys K[r,k] = Σ_f W_K[r,f]·X[f,k]\nvalues V[v,k] = Σ_f W_V[v,f]·X[f,k]")
    head = "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]" + SCORE + SCALE + share_out("scaled") + MIX
    return Mechanism(name="grouped", formulas=(*keys, *add_heads(head, ["X", "K", "V"])), head_count=2)


def attend(given: Arrays, change: Callable[[Array], Array] = lambda scaled: scaled, sink: float = -np.inf) -> Array:
    """Return the outputs of one head whose scaled scores are changed."""
    Q, K, V = (given[f"W_{name}"] @ given["X"] for name in "QKV")
    return np.asarray(V @ softmax(change(K.T @ Q / 2), sink))


PLACES = np.arange(SIZES["tokens"])
DISTANCES = PLACES - PLACES[:, np.newaxis]

BEFORE = project() + SCORE + SCALE

CASES: dict[str, tuple[Mechanism, str, Callable[[Arrays], Array]]] = {
    "distance": (
        make(
            BEFORE + "masked biased[k,q] = −∞ if k > q else scaled[k,q] − slope·(q − k)" + share_out("biased") + MIX,
            slope=2,
        ),
        "Z",
        lambda given: attend(given, lambda scaled: np.where(DISTANCES < 0, -np.inf, scaled - 2 * DISTANCES)),
    ),
    "sink": (
        make(BEFORE + share_out("scaled").replace("Σ_k powers[k,q]", "Σ_k powers[k,q] + base^sink") + MIX, sink=1),
        "Z",
        lambda given: attend(given, sink=1.0),
    ),
    "temperature": (
        make(
            BEFORE + "tempered tempered[k,q] = scaled[k,q] / temperature" + share_out("tempered") + MIX, temperature=3
        ),
        "Z",
        lambda given: attend(given, lambda scaled: scaled / 3),
    ),
    "less the largest": (
        make(BEFORE + "shifted shifted[k,q] = scaled[k,q] − max_j scaled[j,q]" + share_out("shifted") + MIX),
        "Z",
        attend,
    ),
    "residual and a gate": (
        make(
            "layer G[f,q] = Σ_n W_2[f,n]·H[n,q]\nresidual R[f,q] = X[f,q] + max(G[f,q], 0)\n"
            "squares s[q] = (Σ_f R[f,q]·R[f,q]) / |f|\nnormed N[f,q] = R[f,q] / s[q]"
        ),
        "N",
        lambda given: (R := given["X"] + np.clip(given["W_2"] @ given["H"], 0, None)) / (R * R).mean(axis=0),
    ),
    "shared keys": (
        make_grouped(),
        "h2.Z",
        lambda given: attend({**given, "W_Q": given["h2.W_Q"]}),
    ),
    "low rank": (  # C = W_D X is all that is kept of a token (DeepSeek-V2, 2024)
        make(
            "kept C[n,k] = Σ_f W_D[n,f]·X[f,k]\nkeys K[r,k] = Σ_n W_U[r,n]·C[n,k]\n"
            "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]" + SCORE
        ),
        "S",
        lambda given: given["X"].T @ given["W_D"].T @ (given["W_U"].T @ given["W_Q"]) @ given["X"],
    ),
    "gradient by the scores": (  # dS = A ∘ (dA − d)
        make(
            "gradient dA[k,q] = Σ_v V[v,k]·g[v,q]\n"
            "mean d[q] = Σ_k A[k,q]·dA[k,q]\ngradient dS[k,q] = A[k,q]·(dA[k,q] − d[q])"
        ),
        "dS",
        lambda given: given["A"] * ((dA := given["V"].T @ given["g"]) - (given["A"] * dA).sum(axis=0)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_new_mechanism_is_some_lines(name: str) -> None:
    """What is not built in is read, sized, given numbers and worked as all others are."""
    mechanism, stage, solve = CASES[name]
    given = draw(mechanism)
    np.testing.assert_allclose(work(mechanism, given)[stage], solve(given), rtol=1e-12, atol=1e-12)


CACHE = """
    new       k_new[r] = Σ_f W_K[r,f]·x[f]
    new       v_new[v] = Σ_f W_V[v,f]·x[f]
    new       q_new[r] = Σ_f W_Q[r,f]·x[f]
    keys      K[r,k] = K_kept[r,(k)] if k ≤ |m| else k_new[r]
    values    V[v,k] = V_kept[v,(k)] if k ≤ |m| else v_new[v]
    scores    S[k] = Σ_r K[r,k]·q_new[r]
    scaled    scaled[k] = scale(S[k])
    powers    powers[k] = base^scaled[k]
    weights   A[k] = powers[k] / Σ_i powers[i]
    outputs   z[v] = Σ_k V[v,k]·A[k]
"""


def test_a_step_with_kept_keys_and_values() -> None:
    """One token more than are kept: what comes out is the last column of attention to all of them (a KV cache)."""
    mechanism = Mechanism(
        name="cache",
        formulas=read_formulas(CACHE),
        letters={**LETTERS, "k": "kept+1", "i": "kept+1", "m": "kept"},
        declared={"K_kept": ("d_k", "kept"), "V_kept": ("d_v", "kept")},
    )
    stream = np.random.default_rng(7)
    whole = {name: stream.normal(size=(size, 5)) for name, size in (("W_Q", 4), ("W_K", 4), ("W_V", 3))}
    X = stream.normal(size=(5, 4))
    given = {"K_kept": (whole["W_K"] @ X)[:, :3], "V_kept": (whole["W_V"] @ X)[:, :3], "x": X[:, 3]}
    assert sorted(mechanism.given) == sorted([*given, *whole])
    found = work(mechanism, {**given, **whole}, kept=3)["z"]
    np.testing.assert_allclose(found, attend({**whole, "X": X})[:, 3], rtol=1e-12, atol=1e-12)
