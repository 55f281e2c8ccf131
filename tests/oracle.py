"""Attention computed apart from the product's code, for comparison: nothing is imported from the package.

By hand with fractions, once with tokens as columns and once with tokens as rows, each written down straight from
the definition; with floating point the way a textbook of numpy would have it.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[Sequence[Any]]
FractionMatrix = list[list[Fraction]]
Floats = NDArray[np.float64]

T = TypeVar("T")

STAGE_NAMES = ("Q", "K", "V", "S", "scaled", "powers", "sums", "A", "Z")


def scale_by_hand(score: Fraction, scale: str | int) -> Fraction:
    """Halve and round down, leave as it is, or divide by a whole number."""
    if scale == "half-floor":
        half = Fraction(score) / 2
        whole = int(half)  # cut off toward zero …
        return Fraction(whole - 1 if half < whole else whole)  # … and down to the left on the number line
    if scale == "none":
        return Fraction(score)
    return Fraction(score, int(scale))


def solve_by_hand_in_columns(
    given: Mapping[str, Numbers], scale: str | int = "half-floor", base: int = 3
) -> dict[str, FractionMatrix]:
    """Work every stage with tokens as columns: q_j, k_j and v_j are columns, S[i][j] is key i against query j."""
    X = given["X"]
    features, tokens = range(len(X)), range(len(X[0]))

    def project(W: Numbers) -> FractionMatrix:
        return [[sum((Fraction(row[f]) * X[f][j] for f in features), Fraction(0)) for j in tokens] for row in W]

    Q, K, V = (project(given[name]) for name in ("W_Q", "W_K", "W_V"))
    S = [[sum((K[d][i] * Q[d][j] for d in range(len(K))), Fraction(0)) for j in tokens] for i in tokens]
    scaled = [[scale_by_hand(score, scale) for score in row] for row in S]
    powers = [[Fraction(base) ** _require_whole(score) for score in row] for row in scaled]
    sums = [[sum((powers[i][j] for i in tokens), Fraction(0)) for j in tokens]]
    A = [[powers[i][j] / sums[0][j] for j in tokens] for i in tokens]
    Z = [[sum((v[i] * A[i][j] for i in tokens), Fraction(0)) for j in tokens] for v in V]
    return _leave_out_scaling(dict(zip(STAGE_NAMES, (Q, K, V, S, scaled, powers, sums, A, Z), strict=True)), scale)


def _leave_out_scaling(stages: dict[str, T], scale: str | int) -> dict[str, T]:
    """Return the stages of a sheet: where nothing is divided there is none for it."""
    return {name: a for name, a in stages.items() if name != "scaled" or scale != "none"}


def solve_by_hand_in_rows(
    given: Mapping[str, Numbers], scale: str | int = "half-floor", base: int = 3
) -> dict[str, FractionMatrix]:
    """Work every stage with tokens as rows, one query after the other: S[i][j] is query i against key j."""
    matrices: dict[str, FractionMatrix] = {name: [] for name in STAGE_NAMES}
    for name in ("Q", "K", "V"):
        W = given[f"W_{name}"]
        for token in given["X"]:
            line = []
            for d in range(len(W[0])):
                total = Fraction(0)
                for feature, entry in enumerate(token):
                    total += Fraction(entry) * W[feature][d]
                line.append(total)
            matrices[name].append(line)
    for query in matrices["Q"]:
        scores = []
        for key in matrices["K"]:
            total = Fraction(0)
            for one, other in zip(query, key, strict=True):
                total += one * other
            scores.append(total)
        exponents = [scale_by_hand(score, scale) for score in scores]
        powers = [Fraction(base) ** _require_whole(exponent) for exponent in exponents]
        weights = [power / sum(powers) for power in powers]
        context = [Fraction(0)] * len(matrices["V"][0])
        for weight, value in zip(weights, matrices["V"], strict=True):
            context = [c + weight * v for c, v in zip(context, value, strict=True)]
        lines = (scores, exponents, powers, [sum(powers, Fraction(0))], weights, context)
        for name, line in zip(("S", "scaled", "powers", "sums", "A", "Z"), lines, strict=True):
            matrices[name].append(line)
    return _leave_out_scaling(matrices, scale)


def _require_whole(exponent: Fraction) -> int:
    if exponent.denominator != 1:
        raise ValueError(f"{exponent} is no exponent for fractions")
    return exponent.numerator


def solve_exactly_in_columns(
    given: Mapping[str, Numbers], scale: str | int = "sqrt", base: float = float(np.e)
) -> dict[str, Floats]:
    """Work every stage in float64 with tokens as columns, the softmax shifted by each column's largest score."""
    X, W_Q, W_K, W_V = (_to_array(given[name]) for name in ("X", "W_Q", "W_K", "W_V"))
    Q, K, V = W_Q @ X, W_K @ X, W_V @ X
    S = K.T @ Q
    scaled = _scale(S, scale, len(Q))
    shifted = base ** (scaled - scaled.max(axis=0))
    A = shifted / shifted.sum(axis=0)
    with np.errstate(over="ignore"):
        powers = base**scaled
    matrices = (Q, K, V, S, scaled, powers, powers.sum(axis=0, keepdims=True), A, V @ A)
    return _leave_out_scaling(dict(zip(STAGE_NAMES, matrices, strict=True)), scale)


def solve_exactly_in_rows(
    given: Mapping[str, Numbers], scale: str | int = "sqrt", base: float = float(np.e)
) -> dict[str, Floats]:
    """Work every stage in float64 with tokens as rows: softmax(Q Kᵀ / √d_k) V, row by row."""
    X, W_Q, W_K, W_V = (_to_array(given[name]) for name in ("X", "W_Q", "W_K", "W_V"))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T
    scaled = _scale(S, scale, Q.shape[1])
    weights = []
    for row in scaled:
        shifted = base ** (row - row.max())
        weights.append(shifted / shifted.sum())
    A = np.array(weights)
    with np.errstate(over="ignore"):
        powers = base**scaled
    matrices = (Q, K, V, S, scaled, powers, powers.sum(axis=1, keepdims=True), A, A @ V)
    return _leave_out_scaling(dict(zip(STAGE_NAMES, matrices, strict=True)), scale)


def _to_array(a: Numbers) -> Floats:
    return np.array([[float(value) for value in row] for row in a])


def _scale(S: Floats, scale: str | int, d_k: int) -> Floats:
    if scale == "half-floor":
        return np.asarray(np.floor(S / 2))
    if scale == "none":
        return S
    return np.asarray(S / (np.sqrt(d_k) if scale == "sqrt" else float(scale)))
