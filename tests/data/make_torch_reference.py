"""Make torch_reference.json: attention problems with PyTorch's answers, for the tests to compare with.

To run it, from the top of the repository:

    pip install torch numpy
    python tests/data/make_torch_reference.py

It writes torch_reference.json next to itself. The tests only read that file: they need neither
PyTorch nor NumPy. The problems are drawn with numpy.random.default_rng and the seeds in SEEDS, so
another run makes the same problems; the last digits of the answers can differ with another version
of PyTorch or another processor. Everything is worked in float64 and written unrounded.

Tokens are COLUMNS everywhere in the file: X is d x T, W_Q and W_K are d_k x d, W_V is d_v x d. A has
one column per asking token and one row per token asked, A[key][query], so that its columns add to
one. Z is d_v x T. (PyTorch has tokens as rows; the script transposes on the way in and out.)

    kind          problems  given                      answers
    "self"        36        X, W_Q, W_K, W_V           A = softmax(K^T Q / sqrt(d_k)), Z = V A
    "basic"       12        X                          A = softmax(X^T X), Z = X A
    "cross"       12        X, M, W_Q, W_K, W_V        Q from X; K and V from the memory M (d x T2)
    "causal"      12        X, W_Q, W_K, W_V           as "self", a token asks itself and earlier ones
    "multi-head"  12        X, heads, W_O              A per head, output = W_O [Z_1; Z_2; ...]

The entries given are integers from -2 to 3, or decimals with one digit, as strings such as "0.3", or
(the last four of "self") integers from -40 to 40 with some scaled score beyond 709, the most that a
float64 exponential can take: softmax must subtract the largest score first. Of those four, two have
d_k = 1 and small weight matrices, so that their scores are whole numbers that floats hold exactly and
tokens still share attention; the other two are large throughout, and each query settles on one token.
In all other problems at least one query shares its attention; draws in which none does are repeated.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

Entry: TypeAlias = int | str
Matrix: TypeAlias = list[list[Entry]]
Problem: TypeAlias = dict[str, Any]

SEEDS = {"self": 1706, "basic": 1707, "cross": 1708, "causal": 1709, "multi-head": 1710}
INTEGERS, DECIMALS, LARGE_TOKENS, LARGE = "integers", "decimals", "large tokens", "large"
SELF_ENTRIES = [INTEGERS] * 24 + [DECIMALS] * 8 + [LARGE_TOKENS] * 2 + [LARGE] * 2
OTHER_ENTRIES = [INTEGERS] * 9 + [DECIMALS] * 3
OVERFLOW = 709.79  # exp of anything above is infinite in float64
SHARED = 0.99  # a query shares its attention if no token gets more than this


def draw(rng: np.random.Generator, height: int, width: int, entries: str) -> Matrix:
    """Draw a matrix of integers (-2..3, or -40..40 if large) or of decimals ("-2.0".."3.0")."""
    if entries == DECIMALS:
        tenths = rng.integers(-20, 30, (height, width), endpoint=True)
        return [[f"{int(entry) / 10:.1f}" for entry in row] for row in tenths]
    low, high = (-40, 40) if entries == LARGE else (-2, 3)
    whole = rng.integers(low, high, (height, width), endpoint=True)
    return [[int(entry) for entry in row] for row in whole]


def draw_weights(rng: np.random.Generator, d: int, d_k: int, d_v: int, entries: str) -> dict[str, Matrix]:
    """Draw W_Q, W_K and W_V."""
    return {
        "W_Q": draw(rng, d_k, d, entries),
        "W_K": draw(rng, d_k, d, entries),
        "W_V": draw(rng, d_v, d, entries),
    }


def tensor(matrix: Matrix) -> torch.Tensor:
    """Turn a matrix as given into a float64 tensor."""
    return torch.tensor([[float(entry) for entry in row] for row in matrix], dtype=torch.float64)


def scale_scores(q: torch.Tensor, k: torch.Tensor, scale: float | None, causal: bool) -> torch.Tensor:
    """Return q k^T, scaled by 1/sqrt(d_k) if no scale is given, with later keys at -inf if causal."""
    scores = q @ k.transpose(-2, -1)
    scores = scores / math.sqrt(q.shape[-1]) if scale is None else scores * scale
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return scores


def attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float | None = None, causal: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return PyTorch's attention weights and outputs, tokens as rows; leading dimensions are batches."""
    weights = torch.softmax(scale_scores(q, k, scale, causal), dim=-1)
    outputs = scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
    torch.testing.assert_close(weights @ v, outputs, rtol=1e-12, atol=1e-12)
    return weights, outputs


def columns(rows: torch.Tensor) -> Any:
    """Turn a tensor with tokens as rows into lists with tokens as columns."""
    return rows.transpose(-2, -1).tolist()


def is_shared(weights: torch.Tensor) -> bool:
    """Tell whether some query shares its attention among tokens."""
    return bool((weights.amax(dim=-1) <= SHARED).any())


def sizes(rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Draw the number of tokens T, and d, d_k and d_v."""
    high = np.array([8, 8, 6, 6])
    tokens, d, d_k, d_v = (int(size) for size in rng.integers([2, 2, 1, 1], high, endpoint=True))
    return tokens, d, d_k, d_v


def make_one_head(rng: np.random.Generator, kind: str, entries: str) -> Problem:
    """Make a problem of kind "self", "causal" or "cross"."""
    tokens, d, d_k, d_v = sizes(rng)
    if entries == LARGE_TOKENS:
        d_k = 1
    remembered = int(rng.integers(2, 8, endpoint=True))
    while True:
        given = {"X": draw(rng, d, tokens, LARGE if entries == LARGE_TOKENS else entries)}
        if kind == "cross":
            given["M"] = draw(rng, d, remembered, entries)
        given |= draw_weights(rng, d, d_k, d_v, entries)
        asking = tensor(given["X"])
        asked = tensor(given["M"]) if kind == "cross" else asking
        q = (tensor(given["W_Q"]) @ asking).T
        k = (tensor(given["W_K"]) @ asked).T
        v = (tensor(given["W_V"]) @ asked).T
        weights, outputs = attend(q, k, v, causal=kind == "causal")
        if entries != LARGE and not is_shared(weights):
            continue
        if entries in (LARGE_TOKENS, LARGE) and float(scale_scores(q, k, None, False).max()) <= OVERFLOW:
            continue
        return {"kind": kind, "given": given, "A": columns(weights), "Z": columns(outputs)}


def make_basic(rng: np.random.Generator, entries: str) -> Problem:
    """Make a problem without weight matrices and without scaling."""
    tokens, d, _, _ = sizes(rng)
    while True:
        given = {"X": draw(rng, d, tokens, entries)}
        x = tensor(given["X"]).T
        weights, outputs = attend(x, x, x, scale=1.0)
        if is_shared(weights):
            return {"kind": "basic", "given": given, "A": columns(weights), "Z": columns(outputs)}


def make_multi_head(rng: np.random.Generator, entries: str) -> Problem:
    """Make a problem with 2 to 4 heads of equal sizes, joined over the features and mapped by W_O."""
    tokens, d, d_k, d_v = sizes(rng)
    count = int(rng.integers(2, 4, endpoint=True))
    while True:
        x = draw(rng, d, tokens, entries)
        heads = [draw_weights(rng, d, d_k, d_v, entries) for _ in range(count)]
        w_o = draw(rng, d, count * d_v, entries)
        q, k, v = (
            torch.stack([(tensor(head[name]) @ tensor(x)).T for head in heads]) for name in ("W_Q", "W_K", "W_V")
        )
        weights, outputs = attend(q, k, v)
        if is_shared(weights):
            joined = torch.cat(list(outputs), dim=-1)
            given = {"X": x, "heads": heads, "W_O": w_o}
            output = columns(joined @ tensor(w_o).T)
            return {"kind": "multi-head", "given": given, "A": columns(weights), "output": output}


def make_problems() -> list[Problem]:
    """Make all the problems, kind by kind, each kind with its own seed."""
    problems: list[Problem] = []
    for kind, seed in SEEDS.items():
        rng = np.random.default_rng(seed)
        for entries in SELF_ENTRIES if kind == "self" else OTHER_ENTRIES:
            if kind == "basic":
                problems.append(make_basic(rng, entries))
            elif kind == "multi-head":
                problems.append(make_multi_head(rng, entries))
            else:
                problems.append(make_one_head(rng, kind, entries))
    return problems


def as_json(problems: Sequence[Problem]) -> str:
    """Write the problems as compact JSON, one on each line; NaN and infinity are refused."""

    def compact(value: object) -> str:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    versions = {"torch": str(torch.__version__), "numpy": str(np.__version__)}
    lines = ",\n".join(compact(problem) for problem in problems)
    return f'{{"made_with":{compact(versions)},"problems":[\n{lines}\n]}}\n'


def main() -> None:
    """Write torch_reference.json next to this file."""
    torch.set_num_threads(1)
    Path(__file__).with_name("torch_reference.json").write_text(as_json(make_problems()), encoding="utf-8")


if __name__ == "__main__":
    main()
