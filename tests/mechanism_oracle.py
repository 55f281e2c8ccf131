"""Every mechanism computed apart from the product's code, for comparison: nothing is imported from the package.

By hand with fractions and exactly with numpy, written down from what each mechanism is, not stage by stage: first
words and positions, then each head, then what joins them, then the feed-forward network. Tokens are columns.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
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
    distances: bool = False
    """Whether scores lose by the distance of their keys, in head 2 twice as much."""

    padding: tuple[int, ...] = ()
    """Keys from 1 that nobody sees."""

    cache: int = 0
    """How many tokens are kept before the one that is new."""

    shifted: bool = False
    """Whether the largest of each query is subtracted."""

    residual: bool = False
    """Whether what a layer reads is added to what it gives."""

    norm: str = ""
    """Where tokens are normalised: before each layer, or after; empty for nowhere."""

    second_relu: bool = False
    """Whether a block ends with a ReLU."""

    blocks: int = 0
    """In how many blocks keys come; 0 where they come at once."""

    top_k: int | None = None
    """Of how many words the next one is drawn."""

    sink: int | None = None
    """A score of nobody's."""

    temperature: Fraction = Fraction(1)
    """By what scores are divided once more."""

    rate: Fraction | None = None
    """Of one step of learning; None for none."""


# by hand


def solve_by_hand(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, FractionMatrix]:
    """Work every stage in fractions: scores halved and rounded down, 3 for e, positions rounded."""
    matrices: dict[str, list[list[Any]]] = {}
    if kind.blocks:
        return _stream_by_hand(kind, given)
    if kind.mechanism == "next-token":
        return _choose_word_by_hand(kind, given)
    if "S" in given:
        _share_by_hand(kind, matrices, "", [list(column) for column in zip(*given["S"], strict=True)], None)
        return matrices
    X = _embed_by_hand(kind, given, matrices) if "X" in given or kind.words else ()
    if kind.mechanism == "basic":
        _solve_head_by_hand(kind, matrices, "", X, X, X)
        return matrices
    stream = X
    if kind.norm == "before":
        X = _normalise_by_hand(matrices, 1, X)
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
            Q, K = (_turn_by_hand(vectors, kind.cache) for vectors in (Q, K))
            matrices |= {f"{prefix}Q_turned": Q, f"{shared}K_turned": K}
        if kind.cache:
            K, V = (
                [[*old, *new] for old, new in zip(given[f"{shared}{n}_cache"], own, strict=True)]
                for n, own in (("K", K), ("V", V))
            )
            matrices |= {f"{shared}K_all": K, f"{shared}V_all": V}
        ends.append(_solve_head_by_hand(kind, matrices, prefix, Q, K, V))
    last = ends[0]
    if len(ends) > 1:
        matrices["concat"] = [row for end in ends for row in end]
        matrices["output"] = last = _multiply(given["W_O"], matrices["concat"])
    if kind.mechanism == "backward":
        matrices |= _go_back_by_hand(kind, given, matrices["A"])
    if kind.mechanism == "block":
        _add_network_by_hand(kind, given, matrices, stream, last)
    return matrices


def _add_network_by_hand(
    kind: MechanismKind,
    given: Mapping[str, Numbers],
    matrices: dict[str, list[list[Any]]],
    stream: Numbers,
    last: Numbers,
) -> None:
    """Add attention's output to what it read, work the network, add its output too; normalise where that is said."""
    if kind.residual:
        if kind.heads == 1:
            matrices["output"] = last = _multiply(given["W_O"], last)
        matrices["R1"] = last = _add_by_hand(stream, last)
    if kind.norm == "after":
        last = _normalise_by_hand(matrices, 1, last)
    stream = last
    if kind.norm == "before":
        last = _normalise_by_hand(matrices, 2, last)
    for number in "12":
        layer = _multiply(given[f"W_{number}"], last)
        biases = [row[0] for row in given[f"b_{number}"]]
        matrices[f"F{number}"] = [[value + bias for value in row] for row, bias in zip(layer, biases, strict=True)]
        last = matrices[f"F{number}"]
        if number == "1" or kind.second_relu:
            matrices[f"relu{number}"] = bent = [[v if v > 0 else Fraction(0) for v in row] for row in last]
            last = bent
    if kind.residual:
        matrices["R2"] = last = _add_by_hand(stream, last)
    if kind.norm == "after":
        _normalise_by_hand(matrices, 2, last)


def _round_by_hand(value: Fraction) -> Fraction:
    """Return the nearest whole number: of 5/2 it is 3, of −5/2 −3."""
    below = Fraction(math.floor(value))
    rest = value - below
    return below + (1 if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and value > 0) else 0)


def _add_by_hand(one: Numbers, other: Numbers) -> list[list[Fraction]]:
    pairs = (zip(row, added, strict=True) for row, added in zip(one, other, strict=True))
    return [[_round_by_hand(Fraction(a) + b) for a, b in row] for row in pairs]


def _normalise_by_hand(matrices: dict[str, list[list[Any]]], number: int, tokens: Numbers) -> list[list[Fraction]]:
    """Divide each token by the root of the mean of its squares; roots are tried, from 1 on."""
    means, roots, columns = [], [], []
    for token in zip(*tokens, strict=True):
        mean = sum((Fraction(value) * value for value in token), Fraction(0)) / len(token)
        root = Fraction(1)
        while (root + Fraction(1, 2)) ** 2 <= mean:
            root += 1
        means.append(mean)
        roots.append(root)
        columns.append([_round_by_hand(Fraction(value) / root) for value in token])
    matrices |= {f"squares{number}": [means], f"r{number}": [roots]}
    matrices[f"N{number}"] = [list(row) for row in zip(*columns, strict=True)]
    return matrices[f"N{number}"]


def _stream_by_hand(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, FractionMatrix]:
    """Work online attention the ordinary way: of every block what all scores up to it give, at once."""
    (query,) = (list(column) for column in zip(*given["Q"], strict=True))
    matrices: dict[str, FractionMatrix] = {}
    seen: list[int] = []
    values: list[Sequence[Any]] = []
    for block in range(1, kind.blocks + 1):
        keys = [*zip(*given[f"K{block}"], strict=True)]
        scores = [sum((Fraction(a) * b for a, b in zip(key, query, strict=True)), Fraction(0)) for key in keys]
        scaled = [score if kind.scale == "none" else Fraction(math.floor(score / 2)) for score in scores]
        old, seen = seen, seen + [_require_whole(score) for score in scaled]
        values += zip(*given[f"V{block}"], strict=True)
        powers = [Fraction(kind.base) ** (score - max(seen)) for score in seen]
        matrices[f"S{block}"] = [[score] for score in scores]
        if kind.scale != "none":
            matrices[f"scaled{block}"] = [[score] for score in scaled]
        matrices[f"m{block}"] = [[Fraction(max(seen))]]
        if old:
            matrices[f"f{block}"] = [[Fraction(kind.base) ** (max(old) - max(seen))]]
        matrices[f"powers{block}"] = [[power] for power in powers[len(old) :]]
        matrices[f"l{block}"] = [[sum(powers, Fraction(0))]]
        mixed = [
            sum(power * value for power, value in zip(powers, row, strict=True)) for row in zip(*values, strict=True)
        ]
        matrices[f"o{block}"] = [[number] for number in mixed]
        matrices["Z"] = [[number / sum(powers)] for number in mixed]
    return matrices


def _choose_word_by_hand(kind: MechanismKind, given: Mapping[str, Numbers]) -> dict[str, FractionMatrix]:
    """Work the next word, vector by vector: what a die would be made by, and how surprised a model is."""
    columns: dict[str, list[list[Any]]] = {}
    normed: dict[str, FractionMatrix] = {}
    read = _normalise_by_hand(normed, 3, given["R2"]) if kind.norm else given["z"]
    for at, vector in enumerate(zip(*read, strict=True)):
        logits = [sum((Fraction(w) * x for w, x in zip(row, vector, strict=True)), Fraction(0)) for row in given["W_U"]]
        powers = [Fraction(kind.base) ** _require_whole(logit) for logit in logits]
        total = sum(powers, Fraction(0))
        p = [power / total for power in powers]
        worked = {"logits": logits, "powers": powers, "sums": [total], "p": p}
        if kind.top_k is not None:
            likeliest = sorted(range(len(p)), key=lambda word: p[word], reverse=True)[: kind.top_k]
            kept = [share if word in likeliest else Fraction(0) for word, share in enumerate(p)]
            worked |= {"kept": kept, "sums_k": [sum(kept, Fraction(0))], "p_k": [share / sum(kept) for share in kept]}
        elif "y" in given:
            came = [row[at] for row in given["y"]].index(1)
            log_sum, log_power = (round_log(x, kind.base) for x in (total, powers[came]))
            worked["loss"] = [Fraction(round((log_sum - log_power) * 10**LOG_DIGITS), 10**LOG_DIGITS)]
            worked["g"] = [share - (word == came) for word, share in enumerate(p)]
            if kind.rate is not None:
                rows = _move_rows(kind, given["W_U"], vector, worked["g"])
                rival = max((word for word in range(len(p)) if word != came), key=p.__getitem__)
                normed["W_U_new"] = [[*rows[came]], [*rows[rival]]]
                worked |= _learn_by_hand(kind, rows, vector, came)
        for name, column in worked.items():
            columns.setdefault(name, []).append(column)
    return normed | {name: [list(row) for row in zip(*stage, strict=True)] for name, stage in columns.items()}


def _move_rows(
    kind: MechanismKind, W_U: Numbers, vector: Sequence[Any], gradient: Sequence[Fraction]
) -> list[list[Fraction]]:
    """Change the whole of W_U."""
    assert kind.rate is not None
    return [
        [w - kind.rate * slope * x for w, x in zip(row, vector, strict=True)]
        for row, slope in zip(W_U, gradient, strict=True)
    ]


def _learn_by_hand(
    kind: MechanismKind, rows: Sequence[Sequence[Fraction]], vector: Sequence[Any], came: int
) -> dict[str, list[Fraction]]:
    """Read out again: logits are what the new rows of W_U say, rounded."""
    logits = [_round_by_hand(sum((w * x for w, x in zip(row, vector, strict=True)), Fraction(0))) for row in rows]
    powers = [Fraction(kind.base) ** _require_whole(logit) for logit in logits]
    total = sum(powers, Fraction(0))
    loss = round_log(total / powers[came], kind.base)
    return {
        "zz": [sum((Fraction(x) * x for x in vector), Fraction(0))],
        "logits_new": logits,
        "powers_new": powers,
        "sums_new": [total],
        "p_new": [power / total for power in powers],
        "loss_new": [Fraction(round(loss * 10**LOG_DIGITS), 10**LOG_DIGITS)],
    }


LOG_DIGITS = 30
"""To so many places logarithms are compared."""


def round_log(value: Fraction, base: int) -> Fraction:
    """Return the logarithm of a fraction to a base, to fifty places."""
    with localcontext(Context(prec=60)):
        logs = [Decimal(part).ln() for part in (value.numerator, value.denominator, base)]
        return Fraction((logs[0] - logs[1]) / logs[2])


def _go_back_by_hand(
    kind: MechanismKind, given: Mapping[str, Numbers], weights: Sequence[Sequence[Any]]
) -> dict[str, list[list[Fraction]]]:
    """Go back from a gradient for one query: how each weight moves with each score, number by number."""
    A, g, q = ([Fraction(value) for (value,) in a] for a in (weights, given["g"], given["Q"]))
    keys, values = (list(zip(*given[name], strict=True)) for name in ("K", "V"))
    dA = [sum((Fraction(v) * by for v, by in zip(value, g, strict=True)), Fraction(0)) for value in values]
    moves = [[weight * ((k == j) - other) for j, other in enumerate(A)] for k, weight in enumerate(A)]
    dS = [sum((row[k] * by for row, by in zip(moves, dA, strict=True)), Fraction(0)) for k in range(len(A))]
    passed = [each if kind.scale == "none" else each / 2 for each in dS]
    by_query = [
        sum((Fraction(key[r]) * by for key, by in zip(keys, passed, strict=True)), Fraction(0)) for r in range(len(q))
    ]
    found = {
        "dA": [[by] for by in dA],
        "d": [[sum((weight * by for weight, by in zip(A, dA, strict=True)), Fraction(0))]],
        "dS": [[by] for by in dS],
        "dq": [[by] for by in by_query],
        "dK": [[number * by for by in passed] for number in q],
        "dV": [[number * weight for weight in A] for number in g],
    }
    return found if kind.scale == "none" else found | {"dS_scaled": [[by] for by in passed]}


def _list_prefixes(kind: MechanismKind) -> list[str]:
    joined = kind.mechanism == "multi-head" or kind.heads > 1
    return [f"h{number}." for number in range(1, kind.heads + 1)] if joined else [""]


def _find_shared_prefix(kind: MechanismKind, prefix: str) -> str:
    """Return what stands before the names of the keys and values that a head reads: its own, a group's, or nothing."""
    if not prefix or kind.kv_heads == kind.heads:
        return prefix
    group = (int(prefix[1:-1]) - 1) // (kind.heads // kind.kv_heads) + 1
    return "" if kind.kv_heads == 1 else f"g{group}."


def _turn_by_hand(vectors: Numbers, before: int) -> list[list[Fraction]]:
    """Turn each pair of numbers by a quarter, once for each place that a token stands behind the first."""
    turned = []
    for place, vector in enumerate(zip(*vectors, strict=True), before):
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
        if kind.distances:
            slope = int(prefix[1:-1] or 1)
            matrices["biased"] = exponents = [e - slope * (kind.cache + query - k) for k, e in enumerate(exponents)]
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
    if kind.blocks:
        return _stream_exactly(kind, arrays)
    if kind.mechanism == "next-token":
        return _choose_word_exactly(kind, arrays)
    if "S" in arrays:
        _share_exactly(kind, matrices, "", arrays["S"], None)
        return matrices
    X = _embed_exactly(kind, arrays, matrices) if "X" in arrays or kind.words else np.empty((0, 0))
    if kind.mechanism == "basic":
        _solve_head_exactly(kind, matrices, "", X, X, X, scale=None)
        return matrices
    stream = X
    if kind.norm == "before":
        X = _normalise_exactly(matrices, 1, X)
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
            Q, K = _turn_exactly(Q, kind.cache), _turn_exactly(K, kind.cache)
            matrices |= {f"{prefix}Q_turned": Q, f"{shared}K_turned": K}
        if kind.cache:
            K, V = np.hstack((arrays[f"{shared}K_cache"], K)), np.hstack((arrays[f"{shared}V_cache"], V))
            matrices |= {f"{shared}K_all": K, f"{shared}V_all": V}
        _solve_head_exactly(kind, matrices, prefix, Q, K, V, scale=math.sqrt(len(Q)))
    last = matrices["Z"] if _list_prefixes(kind) == [""] else None
    if last is None:
        matrices["concat"] = np.vstack([matrices[f"{prefix}Z"] for prefix in _list_prefixes(kind)])
        matrices["output"] = last = np.einsum("of,ft->ot", arrays["W_O"], matrices["concat"])
    if kind.mechanism == "backward":
        matrices |= _go_back_exactly(kind, arrays, matrices["A"])
    if kind.mechanism == "block":
        _add_network_exactly(kind, arrays, matrices, stream, last)
    return matrices


def _add_network_exactly(
    kind: MechanismKind, arrays: Mapping[str, Floats], matrices: dict[str, Floats], stream: Floats, last: Floats
) -> None:
    if kind.residual:
        if kind.heads == 1:
            matrices["output"] = last = np.einsum("of,ft->ot", arrays["W_O"], last)
        matrices["R1"] = last = stream + last
    if kind.norm == "after":
        last = _normalise_exactly(matrices, 1, last)
    stream = last
    if kind.norm == "before":
        last = _normalise_exactly(matrices, 2, last)
    for number in "12":
        matrices[f"F{number}"] = last = np.einsum("of,ft->ot", arrays[f"W_{number}"], last) + arrays[f"b_{number}"]
        if number == "1" or kind.second_relu:
            matrices[f"relu{number}"] = last = np.clip(last, 0, None)
    if kind.residual:
        matrices["R2"] = last = stream + last
    if kind.norm == "after":
        _normalise_exactly(matrices, 2, last)


def _normalise_exactly(matrices: dict[str, Floats], number: int, tokens: Floats) -> Floats:
    roots = np.linalg.norm(tokens, axis=0) / math.sqrt(len(tokens))
    matrices |= {f"squares{number}": roots[np.newaxis] ** 2, f"r{number}": roots[np.newaxis]}
    matrices[f"N{number}"] = tokens / roots
    return matrices[f"N{number}"]


def _stream_exactly(kind: MechanismKind, given: Mapping[str, Floats]) -> dict[str, Floats]:
    matrices: dict[str, Floats] = {}
    root = 1.0 if kind.scale == "none" else math.sqrt(len(given["Q"]))
    for block in range(1, kind.blocks + 1):
        keys, values = (np.hstack([given[f"{name}{each}"] for each in range(1, block + 1)]) for name in "KV")
        own = slice(keys.shape[1] - given[f"K{block}"].shape[1], None)
        scores = np.einsum("dk,dq->kq", keys, given["Q"])
        logits = scores / root
        powers = np.exp(logits - logits.max(axis=0))
        matrices |= {f"S{block}": scores[own], f"powers{block}": powers[own], f"m{block}": logits.max(axis=0)[None]}
        if kind.scale != "none":
            matrices[f"scaled{block}"] = logits[own]
        if block > 1:
            matrices[f"f{block}"] = np.exp(matrices[f"m{block - 1}"] - matrices[f"m{block}"])
        matrices |= {f"l{block}": powers.sum(axis=0)[None], f"o{block}": values @ powers}
        matrices["Z"] = values @ (powers / powers.sum(axis=0))
    return matrices


def _choose_word_exactly(kind: MechanismKind, given: Mapping[str, Floats]) -> dict[str, Floats]:
    normed: dict[str, Floats] = {}
    z = _normalise_exactly(normed, 3, given["R2"]) if kind.norm else given["z"]
    logits = given["W_U"] @ z
    p = np.exp(logits) / np.exp(logits).sum(axis=0)
    matrices = {"logits": logits, "powers": np.exp(logits), "sums": np.exp(logits).sum(axis=0, keepdims=True), "p": p}
    if kind.top_k is not None:
        ranks = np.argsort(np.argsort(-p, axis=0), axis=0)
        kept = p * (ranks < kind.top_k)
        sums = kept.sum(axis=0, keepdims=True)
        matrices |= {"kept": kept, "sums_k": sums, "p_k": kept / sums}
    elif "y" in given:
        matrices |= {"loss": -np.log((p * given["y"]).sum(axis=0, keepdims=True)), "g": p - given["y"]}
        if kind.rate is not None:
            W_U = given["W_U"] - float(kind.rate) * np.outer(matrices["g"], z)
            powers = np.exp(W_U @ z)
            p = powers / powers.sum(axis=0)
            others = np.where(given["y"] == 1, -np.inf, logits)[:, 0]
            matrices["W_U_new"] = W_U[[int(given["y"][:, 0].argmax()), int(others.argmax())]]
            matrices |= {"zz": z.T @ z, "logits_new": W_U @ z, "powers_new": powers}
            matrices |= {"sums_new": powers.sum(axis=0, keepdims=True), "p_new": p}
            matrices["loss_new"] = -np.log((p * given["y"]).sum(axis=0, keepdims=True))
    return normed | matrices


def _go_back_exactly(kind: MechanismKind, given: Mapping[str, Floats], A: Floats) -> dict[str, Floats]:
    """Go back by the products of whole vectors."""
    dA = given["V"].T @ given["g"]
    d = (A * dA).sum(axis=0, keepdims=True)
    dS = A * dA - A * d
    found = {"dA": dA, "d": d, "dS": dS, "dV": np.outer(given["g"], A)}
    if kind.scale != "none":
        found["dS_scaled"] = passed = dS / math.sqrt(len(given["Q"]))
    else:
        passed = dS
    return found | {"dq": given["K"] @ passed, "dK": np.outer(given["Q"], passed)}


def _turn_exactly(vectors: Floats, before: int) -> Floats:
    """Multiply by a matrix for each token: blocks of cosines and sines of its quarter turns."""
    turned = np.empty_like(vectors)
    for place in range(vectors.shape[1]):
        angle = (before + place) * math.pi / 2
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
    if kind.distances:
        steps = np.arange(len(exponents))[:, np.newaxis] - np.arange(exponents.shape[1]) - kind.cache
        stages[f"{prefix}biased"] = exponents = exponents + int(prefix[1:-1] or 1) * steps
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
