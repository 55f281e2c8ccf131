"""Whether attention does something on a drawn sheet: written down a second time, from a problem file alone.

Nothing is imported from the package. A vector a token, whatever the convention; fractions by hand, floats only for the
sines of positions. What is asked is what the description says, with the relaxations of its table.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.good_sheet import GENTLE

Vector = list[Any]
Vectors = list[Vector]

NEAR = 1e-9
"""Floats so near are equal."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """One head's attention; ``None`` stands for a score that a mask hides."""

    queries: Vectors
    keys: Vectors
    values: Vectors
    scores: Vectors
    """By hand, a list a query."""

    exponents: Vectors
    weights: Vectors
    outputs: Vectors
    exact_scores: Vectors


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A problem file, worked."""

    mechanism: str
    is_causal: bool
    is_rotary: bool
    has_distances: bool
    d_k: int | None
    words: list[str]
    """Of the tokens that are looked up without positions; empty where every token is its own."""

    tokens: Vectors
    memory: Vectors
    heads: list[Head]
    ends: Vectors
    """What comes out for every token."""

    layers: list[tuple[str, Vectors]]
    """What stands after attention, by name."""


def find_faults(problem: Mapping[str, Any], level: str) -> list[str]:
    """Return what is dull about a sheet drawn at that level under the house rules; nothing of a good one."""
    if problem["mechanism"] == "online":  # one query, in parts: see good_mechanism_sheet
        return []
    sheet = work(problem)
    found = [*_find_dull_tokens(sheet)]
    for number, head in enumerate(sheet.heads, 1):
        found += [f"head {number}: {fault}" for fault in _find_dull_attention(sheet, head, level)]
    for (one, head), (other, after) in zip(
        enumerate(sheet.heads, 1), list(enumerate(sheet.heads, 1))[1:], strict=False
    ):
        if _list_tops(sheet, head) == _list_tops(sheet, after):
            found.append(f"heads {one} and {other} have the same favourites")
    is_small = bool(problem.get("norm")) and not problem.get("residual")  # small whole numbers, which may be alike
    if (
        not is_small
        and _asks_for_different_weights(sheet, level)
        and _count_equal(sheet.ends, [] if sheet.is_causal else sheet.words)
    ):
        found.append("two tokens come out alike in the end")
    return [*found, *_find_dull_layers(sheet, level)]


# working a sheet


def work(problem: Mapping[str, Any]) -> Sheet:
    """Work a problem file by hand, and its scores as they are."""
    given, in_rows = problem["given"], problem["convention"] == "rows"

    def read_vectors(matrix: Sequence[Sequence[Any]]) -> Vectors:
        """Return one list a token."""
        lines = matrix if in_rows else zip(*matrix, strict=True)
        return [[Fraction(value) for value in line] for line in lines]

    def read_rows(matrix: Sequence[Sequence[Any]]) -> Vectors:
        """Return weights as one list for each number that they make."""
        lines = zip(*matrix, strict=True) if in_rows else matrix
        return [[Fraction(value) for value in line] for line in lines]

    words, is_rotary = problem.get("words", []), problem.get("positions") == "rotary"
    has_distances = problem.get("positions") == "distance"
    has_positions = "positions" in problem and not (is_rotary or has_distances)
    if "embedding" in given:
        tokens = [[Fraction(value) for value in given["embedding"][word]] for word in words]
        exact: Vectors = [list(token) for token in tokens]
        if has_positions:
            for place, (token, other) in enumerate(zip(tokens, exact, strict=True)):
                waves = _list_waves(place, len(token))
                token[:] = [value + _round_wave(wave) for value, wave in zip(token, waves, strict=True)]
                other[:] = [float(value) + wave for value, wave in zip(other, waves, strict=True)]
    else:
        words, tokens = [], read_vectors(given["X"]) if "X" in given else []
        exact = tokens
    stream = tokens
    if problem.get("norm") and problem.get("norm_place", "before") == "before":
        tokens = exact = _normalise(tokens)  # aimed at as they are by hand
    memory = read_vectors(given["M"]) if "M" in given else []
    window, padding = problem.get("window", 99) if problem.get("mask") == "causal" else None, problem.get("padding", [])
    heads, d_k = [], None
    parts = given.get("heads", [given])
    groups = given.get("groups", [given])  # keys and values that heads share
    for at, own in enumerate(parts):
        part = {**groups[at * len(groups) // len(parts)], **own} if len(parts) > 1 else own
        if "W_Q" in part:
            W_Q, W_K, W_V = (read_rows(part[name]) for name in ("W_Q", "W_K", "W_V"))
            d_k = len(W_Q)
            q, k, v = _apply(W_Q, tokens), _apply(W_K, memory or tokens), _apply(W_V, memory or tokens)
            exact_q, exact_k = _apply(W_Q, exact), _apply(W_K, memory or exact)
            if is_rotary:
                q, k, exact_q, exact_k = map(_turn, (q, k, exact_q, exact_k))
        elif "Q" in part:
            q, k, v = (read_vectors(part[name]) for name in "QKV")
            exact_q, exact_k, d_k = q, k, len(q[0])
            tokens = tokens or k
        else:
            q = k = v = tokens
            exact_q = exact_k = exact
        slope = (at + 1) * has_distances
        heads.append(_attend(q, k, v, exact_q, exact_k, window, padding, slope, is_scaled=d_k is not None))
    ends: Vectors = [[value for head in heads for value in head.outputs[at]] for at in range(len(heads[0].outputs))]
    layers = []
    has_residual, norm = problem.get("residual", False), problem.get("norm") and problem.get("norm_place", "before")
    if "W_O" in given:
        ends = _apply(read_rows(given["W_O"]), ends)
        layers.append(("output", ends))
    ends = _add(stream, ends) if has_residual else ends
    ends = _normalise(ends) if norm == "after" else ends
    stream = ends
    ends = _normalise(ends) if norm == "before" else ends
    for number in "12" if "W_1" in given else "":
        biases = [Fraction(value) for line in given[f"b_{number}"] for value in line]
        raw = _apply(read_rows(given[f"W_{number}"]), ends)
        raw = [[value + bias for value, bias in zip(vector, biases, strict=True)] for vector in raw]
        ends = [[max(value, Fraction(0)) for value in vector] for vector in raw] if number == "1" else raw
        layers.append((f"F{number}", raw))
    ends = _add(stream, ends) if has_residual else ends
    ends = _normalise(ends) if norm == "after" else ends
    return Sheet(
        mechanism=problem["mechanism"],
        is_causal=window is not None,
        is_rotary=is_rotary,
        has_distances=has_distances,
        d_k=d_k,
        words=[] if has_positions else words,
        tokens=tokens,
        memory=memory,
        heads=heads,
        ends=ends,
        layers=layers,
    )


def _round(value: Fraction) -> Fraction:
    """Return the nearest whole number, halves away from zero."""
    size = Fraction(math.floor(abs(value) + Fraction(1, 2)))
    return size if value >= 0 else -size


def _add(one: Vectors, other: Vectors) -> Vectors:
    return [[_round(a + b) for a, b in zip(*pair, strict=True)] for pair in zip(one, other, strict=True)]


def _normalise(vectors: Vectors) -> Vectors:
    """Divide each vector by the root of the mean of its squares, to the nearest whole number, and round."""
    normed = []
    for vector in vectors:
        mean = _dot(vector, vector) / len(vector)
        root = max(root for root in range(1, 1000) if root == 1 or (2 * root - 1) ** 2 <= 4 * mean)
        normed.append([_round(value / root) for value in vector])
    return normed


def _turn(vectors: Vectors) -> Vectors:
    """Turn each pair (a, b) to (−b, a), once for each place behind the first."""
    turned = []
    for place, vector in enumerate(vectors):
        pairs = list(zip(vector[::2], vector[1::2], strict=True))
        for _ in range(place):
            pairs = [(-b, a) for a, b in pairs]
        turned.append([number for pair in pairs for number in pair])
    return turned


def _list_waves(place: int, length: int) -> list[float]:
    angles = [place / math.pow(10_000, 2 * (feature // 2) / length) for feature in range(length)]
    return [math.cos(angle) if feature % 2 else math.sin(angle) for feature, angle in enumerate(angles)]


def _round_wave(wave: float) -> Fraction:
    return Fraction(1 if wave > 0.5 else -1 if wave < -0.5 else 0)


def _dot(one: Vector, other: Vector) -> Any:
    return sum(x * y for x, y in zip(one, other, strict=True))


def _apply(rows: Vectors, vectors: Vectors) -> Vectors:
    return [[_dot(row, vector) for row in rows] for vector in vectors]


def _attend(
    q: Vectors,
    k: Vectors,
    v: Vectors,
    exact_q: Vectors,
    exact_k: Vectors,
    window: int | None,
    padding: Sequence[int],
    slope: int,
    *,
    is_scaled: bool,
) -> Head:
    scores, exponents, weights, outputs, exact_scores = [], [], [], [], []
    for at, query in enumerate(q):
        seen = [(window is None or at - window < other <= at) and other + 1 not in padding for other in range(len(k))]
        line = [_dot(query, key) if sees else None for key, sees in zip(k, seen, strict=True)]
        scores.append([_dot(query, key) for key in k])
        raised = [None if score is None else math.floor(score / 2) if is_scaled else int(score) for score in line]
        raised = [e if e is None else e - slope * (at - other) for other, e in enumerate(raised)]
        exponents.append(raised)
        powers = [Fraction(0) if exponent is None else Fraction(3) ** exponent for exponent in raised]
        weights.append([power / sum(powers) for power in powers])
        outputs.append([_dot(weights[-1], [value[i] for value in v]) for i in range(len(v[0]))])
        exact = [_dot(exact_q[at], key) if sees else None for key, sees in zip(exact_k, seen, strict=True)]
        lost = slope * math.sqrt(len(query)) if is_scaled else slope  # as much more as scores are not divided
        exact_scores.append(
            [e - lost * (at - other) if slope and e is not None else e for other, e in enumerate(exact)]
        )
    return Head(
        queries=q,
        keys=k,
        values=v,
        scores=scores,
        exponents=exponents,
        weights=weights,
        outputs=outputs,
        exact_scores=exact_scores,
    )


# what is asked


def _count_equal(vectors: Vectors, words: list[str]) -> int:
    """Count pairs that are equal though they are not the same word."""
    pairs = combinations(range(len(vectors)), 2)
    return sum(vectors[i] == vectors[j] and not (words and words[i] == words[j]) for i, j in pairs)


def _count_kinds(sheet: Sheet) -> int:
    """Count the tokens, or memory tokens, that can be told apart: the more of both."""
    return max(len(set(sheet.words)) if sheet.words else len(sheet.tokens), len(sheet.memory))


def _is_crowded_warm_up(sheet: Sheet, level: str) -> bool:
    return level in GENTLE and _count_kinds(sheet) > 4 and sheet.mechanism != "basic"


def _has_few_numbers(sheet: Sheet, level: str) -> bool:
    return sheet.d_k == 1 and _count_kinds(sheet) > (2 if level in GENTLE else 3)


def _asks_for_different_weights(sheet: Sheet, level: str) -> bool:
    is_full = _is_crowded_warm_up(sheet, level) and _count_kinds(sheet) > 6
    return not (is_full or _has_few_numbers(sheet, level))


def _find_dull_tokens(sheet: Sheet) -> Iterator[str]:
    for name, tokens, words in (("X", sheet.tokens, sheet.words), ("M", sheet.memory, [])):
        if not all(map(any, tokens)):
            yield f"a token of {name} is zero"
        if _count_equal(tokens, words):
            yield f"two tokens of {name} are alike"
        if not all(map(any, zip(*tokens, strict=True))):
            yield f"a feature of {name} is zero for all"


def _list_tops(sheet: Sheet, head: Head) -> list[set[Any]]:
    """Return for every query its favourites, each by its word where words repeat."""
    return [_name_extremes(sheet, line, max) for line in head.exponents]


def _name_extremes(sheet: Sheet, line: Vector, choose: Any) -> set[Any]:
    seen = [(at, value) for at, value in enumerate(line) if value is not None]
    extreme = choose(value for _, value in seen)
    words = [] if sheet.memory else sheet.words
    return {words[at] if words else at for at, value in seen if abs(value - extreme) <= NEAR}


def _subtract_first(line: Vector) -> list[Any]:
    seen = [(at, value) for at, value in enumerate(line) if value is not None]
    return [(at, value - seen[0][1]) for at, value in seen]


def _are_alike(one: Vector, other: Vector) -> bool:
    """Say whether two queries see the same keys, and their scores differ by a constant only."""
    pairs = zip(_subtract_first(one), _subtract_first(other), strict=False)
    return len(_subtract_first(one)) == len(_subtract_first(other)) and all(
        i == j and abs(x - y) <= NEAR for (i, x), (j, y) in pairs
    )


def _find_dull_attention(sheet: Sheet, head: Head, level: str) -> Iterator[str]:
    if not head.exponents:  # basic attention whose scores are given: nothing here reads them
        return
    crowded, query_words = _is_crowded_warm_up(sheet, level), sheet.words
    key_words = [] if sheet.memory else sheet.words
    for name, vectors, words in (
        ("queries", head.queries, query_words),
        ("keys", head.keys, key_words),
        ("values", head.values, key_words),
    ):
        if not all(map(any, vectors)) or not all(map(any, zip(*vectors, strict=True))):
            yield f"a line of {name} is zero"
        has_room = len(vectors[0]) > 1 or _count_kinds(sheet) <= (2 if level in GENTLE else 3)
        if has_room and not crowded and _count_kinds(sheet) <= 8 and _count_equal(vectors, words):
            yield f"two {name} are equal"
    low, high = (-2 if sheet.is_rotary else 0, 3 if sheet.d_k and not crowded else 4) if level in GENTLE else (-2, 4)
    if sheet.has_distances:
        low = -5 if len(sheet.tokens) > 4 or len(sheet.heads) > 1 else -4
        high = 4
    seen = [value for line in head.exponents for value in line if value is not None]
    if not low <= min(seen) <= max(seen) <= high:
        yield "a score is out of range"
    yield from _find_dull_choices(sheet, head, level)
    if _asks_for_different_weights(sheet, level):
        for i, j in combinations(range(len(head.weights)), 2):
            if query_words and query_words[i] == query_words[j] and not sheet.is_causal:
                continue
            if head.weights[i] == head.weights[j] and not _sees_one_word(sheet, head, j):
                yield f"columns {i + 1} and {j + 1} of A are equal"
            if head.outputs[i] == head.outputs[j]:
                yield f"outputs {i + 1} and {j + 1} are equal"
            if not sheet.is_causal and _are_alike(head.exact_scores[i], head.exact_scores[j]):
                yield f"columns {i + 1} and {j + 1} of S differ by a constant"
    exact_tops = [_name_extremes(sheet, line, max) for line in head.exact_scores]
    if exact_tops != _list_tops(sheet, head):
        yield "a favourite is another one exactly"


def _sees_one_word(sheet: Sheet, head: Head, query: int) -> bool:
    seen = [at for at, value in enumerate(head.exponents[query]) if value is not None]
    return len(seen) == 1 or (not sheet.memory and bool(sheet.words) and len({sheet.words[at] for at in seen}) == 1)


def _find_dull_choices(sheet: Sheet, head: Head, level: str) -> Iterator[str]:
    tops, count = _list_tops(sheet, head), len(head.weights)
    for at, line in enumerate(head.exponents):
        if not _sees_one_word(sheet, head, at) and len({value for value in line if value is not None}) == 1:
            yield f"query {at + 1} attends equally to all"
    most = 1 if len(head.keys) <= 6 else len(head.keys) // 4
    if max(map(len, tops)) > most:
        yield "a query has too many favourites"
    names = {name for top in tops for name in top}
    needed = 2
    if sheet.d_k == 1:
        needed = 1 if level in GENTLE else 2
    elif not sheet.memory and not _is_crowded_warm_up(sheet, level) and _count_kinds(sheet) >= 6:
        needed = 3
    if count == 1:
        needed = 1
    if min(len(names), len(set(map(frozenset, tops)))) < needed:
        yield f"queries have fewer than {needed} favourites"
    first = min(2, count - 1) if sheet.is_causal else 0
    words = sheet.words
    own = [tops[at] == {words[at] if words else at} for at in range(first, count)]
    is_excused = sheet.memory or sheet.mechanism == "basic" or needed == 1 or (sheet.is_causal and count == 2)
    if not is_excused and all(own):
        yield "queries have nothing but their own tokens for favourites"
    if sheet.is_causal and count - first > 1 and all(top == tops[-1] for top in tops[first:]):
        yield "from the third on all queries have one favourite"
    if not _is_crowded_warm_up(sheet, level) and not _has_few_numbers(sheet, level):
        asked = {min(2, count - 1), count - 1} if sheet.is_causal else {0}
        if any(len(_name_extremes(sheet, head.exponents[at], min)) > 1 for at in asked):
            yield "the query that is asked attends least to several tokens"


def _find_dull_layers(sheet: Sheet, level: str) -> Iterator[str]:
    for name, vectors in sheet.layers:
        if not all(map(any, zip(*vectors, strict=True))):
            yield f"a line of {name} is zero"
        values = [value for vector in vectors for value in vector]
        if name == "F1" and max(values) <= 0:
            yield f"ReLU leaves nothing of {name}"
        if name == "F1" and level not in GENTLE and min(values) >= 0:
            yield f"ReLU cuts nothing of {name}"
