"""Every mechanism computed apart from the product's code, for comparison: nothing is imported from the package.

By hand with fractions and exactly with numpy, written down from what each mechanism is, not stage by stage: first
words and positions, then each head, then what joins them, then the feed-forward network. Tokens are columns.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[Sequence[Any]]
FractionMatrix = list[list[Fraction | None]]
"""A masked score is None."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MechanismKind:
    """What is computed, in the words of a problem file."""

    mechanism: str
    heads: int = 1
    causal: bool = False
    window: int | None = None
    scale: str = "half-floor"
    """Of the hand's rules; ``none`` for another."""

    base: int = 3
    words: tuple[str, ...] = ()
    positions: bool = False
    kv_heads: int = 1
    """How many keys and values all heads have together."""

    rotary: bool = False
    padding: tuple[int, ...] = ()
    """Keys from 1 that nobody sees."""

    shifted: bool = False
    """Whether the largest of each query is subtracted."""

    sink: int | None = None
    """A score of nobody's."""

    temperature: Fraction = Fraction(1)
    """By what scores are divided once more."""


# by hand


def solve_by_hand(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, FractionMatrix]:
    """Work every stage in fractions: scores halved and rounded down, 3 for e, positions rounded."""
    matrices: dict[str, list[list[Any]]] = {}
    if "S" in given:
        _share_by_hand(kind, matrices, "", [list(column) for column in zip(*given["S"], strict=True)], None)
        return matrices
    X = _embed_by_hand(kind, given, matrices) if "X" in given or kind.words else ()
    if kind.mechanism == "basic":
        _solve_head_by_hand(kind, matrices, "", X, X, X)
        return matrices
    asked = given["M"] if kind.mechanism == "cross" else X
    ends = []
    for prefix in _list_prefixes(kind):
        shared = _find_shared_prefix(kind, prefix)
        Q, K, V = (
            given[f"{before}{name}"] if f"{before}{name}" in given else _multiply(given[f"{before}W_{name}"], tokens)
            for before, name, tokens in ((prefix, "Q", X), (shared, "K", asked), (shared, "V", asked))
        )
        worked = {f"{prefix}Q": Q, f"{shared}K": K, f"{shared}V": V}
        matrices |= {name: [list(row) for row in a] for name, a in worked.items() if name not in given}
        if kind.rotary:
            Q, K = _turn_by_hand(Q), _turn_by_hand(K)
            matrices |= {f"{prefix}Q_turned": Q, f"{shared}K_turned": K}
        ends.append(_solve_head_by_hand(kind, matrices, prefix, Q, K, V))
    last = ends[0]
    if len(ends) > 1:
        matrices["concat"] = [row for end in ends for row in end]
        matrices["output"] = last = _multiply(given["W_O"], matrices["concat"])
    if kind.mechanism == "block":
        for number in "12":
            layer = _multiply(given[f"W_{number}"], last)
            biases = [row[0] for row in given[f"b_{number}"]]
            matrices[f"F{number}"] = [[value + bias for value in row] for row, bias in zip(layer, biases, strict=True)]
            matrices[f"relu{number}"] = last = [
                [v if v > 0 else Fraction(0) for v in row] for row in matrices[f"F{number}"]
            ]
    return matrices


def _list_prefixes(kind: MechanismKind) -> list[str]:
    joined = kind.mechanism == "multi-head" or kind.heads > 1
    return [f"h{number}." for number in range(1, kind.heads + 1)] if joined else [""]


def _find_shared_prefix(kind: MechanismKind, prefix: str) -> str:
    """Return what stands before the names of the keys and values that a head reads: its own, a group's, or nothing."""
    if not prefix or kind.kv_heads == kind.heads:
        return prefix
    group = (int(prefix[1:-1]) - 1) // (kind.heads // kind.kv_heads) + 1
    return "" if kind.kv_heads == 1 else f"g{group}."


def _turn_by_hand(vectors: Numbers) -> list[list[Fraction]]:
    """Turn each pair of numbers by a quarter, once for each place that a token stands behind the first."""
    turned = []
    for place, vector in enumerate(zip(*vectors, strict=True)):
        numbers = list(vector)
        for _ in range(place):
            for at in range(0, len(numbers), 2):
                numbers[at], numbers[at + 1] = -numbers[at + 1], numbers[at]
        turned.append(numbers)
    return [list(row) for row in zip(*turned, strict=True)]


def _embed_by_hand(kind: MechanismKind, given: Mapping[str, Numbers], stages: dict[str, list[list[Any]]]) -> Numbers:
    if not kind.words:
        return given["X"]
    table = _pair_words_with_vectors(kind, given)
    E = [[Fraction(table[word][i]) for word in kind.words] for i in range(len(given["embedding"]))]
    if not kind.positions:
        stages["X"] = E
        return E
    P = [[_round_wave(wave) for wave in row] for row in compute_waves(len(E), len(kind.words))]
    X = [[e + p for e, p in zip(*rows, strict=True)] for rows in zip(E, P, strict=True)]
    stages |= {"E": E, "P": P, "X": X}
    return X


def _pair_words_with_vectors(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, Sequence[Any]]:
    """Pair every column of the table with its word, in the order in which words are first said."""
    known: list[str] = []
    for word in kind.words:
        if word not in known:
            known.append(word)
    return dict(zip(known, zip(*given["embedding"], strict=True), strict=True))


def compute_waves(features: int, tokens: int) -> list[list[float]]:
    """Return sin(pos / 10000^(2i/d)) and cos of the same in turn, the first token at 0."""
    rows = []
    for feature in range(features):
        i, wave = feature // 2, (math.sin, math.cos)[feature % 2]
        rows.append([wave(pos / math.pow(10_000, 2 * i / features)) for pos in range(tokens)])
    return rows


def _round_wave(wave: float) -> Fraction:
    assert abs(abs(wave) - 0.5) > 1e-6
    return Fraction(1 if wave > 0.5 else -1 if wave < -0.5 else 0)


def _multiply(left: Numbers, right: Numbers) -> list[list[Fraction]]:
    lengths = range(len(left[0]))
    assert len(right) == len(lengths)
    return [
        [sum((Fraction(row[i]) * right[i][j] for i in lengths), Fraction(0)) for j in range(len(right[0]))]
        for row in left
    ]


def _solve_head_by_hand(
    kind: MechanismKind, stages: dict[str, list[list[Any]]], prefix: str, Q: Numbers, K: Numbers, V: Numbers
) -> list[list[Fraction]]:
    """Work one head, query by query, and note every stage; return Z."""
    scores = [
        [sum((Fraction(q) * k for q, k in zip(asking, key, strict=True)), Fraction(0)) for key in zip(*K, strict=True)]
        for asking in zip(*Q, strict=True)
    ]
    stages[f"{prefix}S"] = [list(row) for row in zip(*scores, strict=True)]
    _share_by_hand(kind, stages, prefix, scores, V)
    return stages[f"{prefix}Z"]


def _share_by_hand(
    kind: MechanismKind,
    stages: dict[str, list[list[Any]]],
    prefix: str,
    scores: Sequence[Sequence[Any]],
    V: Numbers | None,
) -> None:
    """Share each query out among its keys, and mix the values, where there are some."""
    columns: dict[str, list[list[Any]]] = {}
    for query, own in enumerate(scores):
        matrices: dict[str, list[Any]] = {}
        exponents: list[Any] = list(own)
        if kind.mechanism != "basic" and kind.scale != "none":
            matrices["scaled"] = exponents = [Fraction(math.floor(s / 2)) for s in own]
        if kind.temperature != 1:
            matrices["tempered"] = exponents = [Fraction(math.floor(e / kind.temperature)) for e in exponents]
        if kind.causal or kind.padding:
            matrices["masked"] = exponents = [e if _sees(kind, query, k) else None for k, e in enumerate(exponents)]
        if kind.shifted:
            largest = max(e for e in exponents if e is not None)
            matrices["shifted"] = exponents = [None if e is None else e - largest for e in exponents]
        powers = [Fraction(0) if e is None else Fraction(kind.base) ** _require_whole(e) for e in exponents]
        nobody = Fraction(0) if kind.sink is None else Fraction(kind.base) ** kind.sink
        matrices["powers"], matrices["sums"] = powers, [sum(powers, nobody)]
        matrices["A"] = weights = [power / matrices["sums"][0] for power in powers]
        if V is not None:
            matrices["Z"] = [sum((w * v for w, v in zip(weights, row, strict=True)), Fraction(0)) for row in V]
        for name, column in matrices.items():
            columns.setdefault(name, []).append(column)
    stages |= {prefix + name: [list(row) for row in zip(*stage, strict=True)] for name, stage in columns.items()}


def _sees(kind: MechanismKind, query: int, key: int) -> bool:
    is_seen = not kind.causal or (key <= query and (kind.window is None or query - key < kind.window))
    return is_seen and key + 1 not in kind.padding


def _require_whole(exponent: Fraction) -> int:
    assert exponent.denominator == 1
    return exponent.numerator


# exactly


def solve_exactly(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, Floats]:
    """Work every stage in float64: √d_k, e, positions as they are; a masked score is −∞."""
    arrays = {name: np.array([[float(value) for value in row] for row in a]) for name, a in given.items()}
    matrices: dict[str, Floats] = {}
    if "S" in arrays:
        _share_exactly(kind, matrices, "", arrays["S"], None)
        return matrices
    X = _embed_exactly(kind, arrays, matrices) if "X" in arrays or kind.words else np.empty((0, 0))
    if kind.mechanism == "basic":
        _solve_head_exactly(kind, matrices, "", X, X, X, scale=None)
        return matrices
    asked = arrays["M"] if kind.mechanism == "cross" else X
    for prefix in _list_prefixes(kind):
        shared = _find_shared_prefix(kind, prefix)
        Q, K, V = (
            arrays[f"{before}{name}"]
            if f"{before}{name}" in arrays
            else np.einsum("of,ft->ot", arrays[f"{before}W_{name}"], tokens)
            for before, name, tokens in ((prefix, "Q", X), (shared, "K", asked), (shared, "V", asked))
        )
        worked = {f"{prefix}Q": Q, f"{shared}K": K, f"{shared}V": V}
        matrices |= {name: a for name, a in worked.items() if name not in arrays}
        if kind.rotary:
            Q, K = _turn_exactly(Q), _turn_exactly(K)
            matrices |= {f"{prefix}Q_turned": Q, f"{shared}K_turned": K}
        _solve_head_exactly(kind, matrices, prefix, Q, K, V, scale=math.sqrt(len(Q)))
    last = matrices["Z"] if _list_prefixes(kind) == [""] else None
    if last is None:
        matrices["concat"] = np.vstack([matrices[f"{prefix}Z"] for prefix in _list_prefixes(kind)])
        matrices["output"] = last = np.einsum("of,ft->ot", arrays["W_O"], matrices["concat"])
    if kind.mechanism == "block":
        for number in "12":
            matrices[f"F{number}"] = np.einsum("of,ft->ot", arrays[f"W_{number}"], last) + arrays[f"b_{number}"]
            matrices[f"relu{number}"] = last = np.clip(matrices[f"F{number}"], 0, None)
    return matrices


def _turn_exactly(vectors: Floats) -> Floats:
    """Multiply by a matrix for each token: blocks of cosines and sines of its quarter turns."""
    turned = np.empty_like(vectors)
    for place in range(vectors.shape[1]):
        angle = place * math.pi / 2
        block = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        turned[:, place] = np.kron(np.eye(len(vectors) // 2), block) @ vectors[:, place]
    return turned


def _embed_exactly(kind: MechanismKind, given: Mapping[str, Floats], stages: dict[str, Floats]) -> Floats:
    if not kind.words:
        return given["X"]
    table = _pair_words_with_vectors(kind, {"embedding": given["embedding"].tolist()})
    E = np.column_stack([table[word] for word in kind.words])
    if not kind.positions:
        stages["X"] = E
        return E
    P = np.array(compute_waves(*E.shape))
    stages |= {"E": E, "P": P, "X": E + P}
    return stages["X"]


def _solve_head_exactly(
    kind: MechanismKind, stages: dict[str, Floats], prefix: str, Q: Floats, K: Floats, V: Floats, *, scale: float | None
) -> None:
    S = np.einsum("dk,dq->kq", K, Q)
    stages[f"{prefix}S"] = S
    if scale is not None and kind.scale != "none":
        stages[f"{prefix}scaled"] = S = S / scale
    _share_exactly(kind, stages, prefix, S, V)


def _share_exactly(
    kind: MechanismKind, stages: dict[str, Floats], prefix: str, exponents: Floats, V: Floats | None
) -> None:
    if kind.temperature != 1:
        stages[f"{prefix}tempered"] = exponents = exponents / float(kind.temperature)
    if kind.causal or kind.padding:
        keys, queries = map(range, exponents.shape)
        seen = np.array([[_sees(kind, query, key) for query in queries] for key in keys])
        exponents = np.where(seen, exponents, -np.inf)
        stages[f"{prefix}masked"] = exponents
    if kind.shifted:
        stages[f"{prefix}shifted"] = exponents = exponents - exponents.max(axis=0)
    powers = np.exp(exponents)
    nobody = 0.0 if kind.sink is None else math.exp(kind.sink)
    sums = powers.sum(axis=0, keepdims=True) + nobody
    shifted = np.exp(exponents - exponents.max(axis=0))
    A = shifted / (shifted.sum(axis=0) + nobody / np.exp(exponents.max(axis=0)))
    stages |= {f"{prefix}powers": powers, f"{prefix}sums": sums, f"{prefix}A": A}
    if V is not None:
        stages[f"{prefix}Z"] = V @ A
