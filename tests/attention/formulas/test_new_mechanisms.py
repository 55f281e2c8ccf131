"""Mechanisms that the program does not have yet, each some lines, against numpy in closed form."""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from attnhand.attention.arithmetic import EXACT, Arithmetic
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.formula_list import LETTERS, FormulaList
from attnhand.attention.formulas.kinds import ExactNumbers, convert_lines
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.formulas.working import work_stages
from attnhand.attention.mechanisms.kit import MIX, SCALE, SCORE, add_heads, project, share_out
from attnhand.attention.numbers import to_float

Array = NDArray[np.float64]
Arrays = Mapping[str, Array]

SIZES = {"tokens": 4, "features": 5, "d_k": 4, "d_v": 3, "hidden": 2, "vocabulary": 6}


Given = dict[str, Lines]


def work(formulas: FormulaList, given: Given) -> dict[str, Array]:
    """Work a list of formulas exactly, to floats."""
    numbers = ExactNumbers(Arithmetic(rules=EXACT, d_k=SIZES["d_k"]), formulas.known)
    return to_arrays(work_stages(formulas, numbers, given))


def to_arrays(values: Given) -> dict[str, Array]:
    """Return matrices as numpy has them."""
    return {name: np.array(convert_lines(lines, to_float)) for name, lines in values.items()}


def draw_lines(stream: random.Random, size: int, *columns: int) -> Lines:
    """Draw a matrix, or a vector, of quarters."""
    if columns:
        return tuple(draw_lines(stream, *columns) for _ in range(size))
    return tuple(Fraction(stream.randint(-8, 8), 4) for _ in range(size))


def draw(formulas: FormulaList) -> Given:
    """Draw all that is given."""
    stream, reads = random.Random(7), [name for stage in formulas.stages for name in stage.reads]
    names = [name for name in dict.fromkeys(reads) if name.rpartition(".")[2] in formulas.given]
    return {name: draw_lines(stream, *(SIZES[axis] for axis in formulas.get_axes(name))) for name in names}


def softmax(scores: Array, sink: float = -np.inf) -> Array:
    """Return the shares of every column, beside a sink."""
    powers = np.exp(scores)
    return np.asarray(powers / (powers.sum(axis=0) + np.exp(sink)))


def make(text: str, **known: int) -> FormulaList:
    """Return formulas of one head."""
    return FormulaList(formulas=read_formulas(text, known), known=known)


def make_grouped() -> FormulaList:
    """Several heads that share keys and values (Ainslie et al., "GQA", 2023)."""
    keys = read_formulas("keys K[r,k] = Σ_f W_K[r,f]·X[f,k]\nvalues V[v,k] = Σ_f W_V[v,f]·X[f,k]")
    head = "queries Q[r,q] = Σ_f W_Q[r,f]·X[f,q]" + SCORE + SCALE + share_out("scaled") + MIX
    return FormulaList(formulas=(*keys, *add_heads(head, ["X", "K", "V"])), head_count=2)


def attend(given: Arrays, change: Callable[[Array], Array] = lambda scaled: scaled, sink: float = -np.inf) -> Array:
    """Return the outputs of one head whose scaled scores are changed."""
    Q, K, V = (given[f"W_{name}"] @ given["X"] for name in "QKV")
    return np.asarray(V @ softmax(change(K.T @ Q / 2), sink))


PLACES = np.arange(SIZES["tokens"])
DISTANCES = PLACES - PLACES[:, np.newaxis]

BEFORE = project() + SCORE + SCALE

CASES: dict[str, tuple[FormulaList, str, Callable[[Arrays], Array]]] = {
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
    formulas, stage, solve = CASES[name]
    given = draw(formulas)
    np.testing.assert_allclose(work(formulas, given)[stage], solve(to_arrays(given)), rtol=1e-12, atol=1e-12)


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
    formulas = FormulaList(
        formulas=read_formulas(CACHE),
        letters={**LETTERS, "k": "kept+1", "i": "kept+1", "m": "kept"},
        declared={"K_kept": ("d_k", "kept"), "V_kept": ("d_v", "kept")},
        sizes={"kept": 3, "kept+1": 4},
    )
    stream = random.Random(7)
    whole = {name: draw_lines(stream, size, 5) for name, size in (("W_Q", 4), ("W_K", 4), ("W_V", 3))}
    X = draw_lines(stream, 5, 4)
    kept = make("keys K[r,k] = Σ_f W_K[r,f]·X[f,k]\nvalues V[v,k] = Σ_f W_V[v,f]·X[f,k]")
    before = work_stages(kept, ExactNumbers(Arithmetic(rules=EXACT)), {**whole, "X": tuple(row[:3] for row in X)})
    given = {"K_kept": before["K"], "V_kept": before["V"], "x": tuple(row[3] for row in X)}
    assert sorted(formulas.given) == sorted([*given, *whole])
    found = work(formulas, {**given, **whole})["z"]
    np.testing.assert_allclose(found, attend(to_arrays({**whole, "X": X}))[:, 3], rtol=1e-12, atol=1e-12)
