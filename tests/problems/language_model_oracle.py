"""A tiny language model worked apart from the product's code, for comparison: nothing is imported from the package.

By hand with fractions, token by token and cell by cell; exactly with numpy, in whole matrices. Both are written down
from what the model is: causal attention in two heads, a residual stream of whole numbers, a network, the next word.
Matrices are lists of rows, tokens are columns.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Given = Mapping[str, Any]
Floats = NDArray[np.float64]
Cells = dict[str, list[list[Any]]]

CLOCK = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 0)]


def to_nearest(value: Fraction) -> int:
    """Round, halves away from zero: by counting up, so that it is plain to see."""
    whole = 0
    while Fraction(whole) + Fraction(1, 2) <= abs(value):
        whole += 1
    return whole if value > 0 else -whole


def root_by_hand(squares: int) -> int:
    """Read the root of the mean of six squares off the table: under 14 it is 1, under 38 it is 2, under 74 it is 3 …"""
    r = 1
    while squares >= 6 * (r + Fraction(1, 2)) ** 2:
        r += 1
    return r


def work_by_hand(given: Given, words: Sequence[int], without: str = "", width: int = 6) -> Cells:
    """Return every number of a sentence by hand.

    Args:
        words: rows of E.
        without: "network", "head 1", "head 2", "places" or "attention".
    """
    tokens = range(len(words))
    X: list[list[int]] = [[] for _ in range(width)]
    for place, word in enumerate(words):
        column = list(given["E"][word]) + [0] * (width - len(given["E"][word]))
        if without != "places":
            column[width - 2] += CLOCK[place][0]
            column[width - 1] += CLOCK[place][1]
        for feature in range(width):
            X[feature].append(column[feature])
    cells: Cells = {"X": X}
    concat: list[list[Fraction]] = []
    for head in (0, 1):
        Q, K, V = (times(given[name][head], X) for name in ("W_Q", "W_K", "W_V"))
        S = [[sum(K[r][k] * Q[r][q] for r in range(len(K))) for q in tokens] for k in tokens]
        scaled = [[None if k > q else S[k][q] // 2 for q in tokens] for k in tokens]
        powers = [[Fraction(0) if s is None else Fraction(3) ** s for s in row] for row in scaled]
        sums = [sum(powers[k][q] for k in tokens) for q in tokens]
        A = [[powers[k][q] / sums[q] for q in tokens] for k in tokens]
        Z = times(V, A)
        named = {"Q": Q, "K": K, "V": V, "S": S, "scaled": scaled, "powers": powers, "sums": [sums], "A": A, "Z": Z}
        cells |= {f"h{head + 1}.{name}": a for name, a in named.items()}
        gone = without in ("attention", f"head {head + 1}")
        concat += [[Fraction(0) for _ in row] if gone else row for row in Z]
    attended = times(given["W_O"], concat)
    R = [[to_nearest(Fraction(X[f][t]) + attended[f][t]) for t in tokens] for f in range(width)]
    N, r1 = normed(R)
    F1 = [[f + b for f in row] for row, b in zip(times(given["W_1"], N), given["b_1"], strict=True)]
    relu = [[max(f, 0) for f in row] for row in F1]
    F2 = [[f + b for f in row] for row, b in zip(times(given["W_2"], relu), given["b_2"], strict=True)]
    added = [[0 for _ in row] for row in F2] if without == "network" else F2
    R2 = [[R[f][t] + added[f][t] for t in tokens] for f in range(width)]
    H, r2 = normed(R2)
    logits = times(given["W_U"], H)
    columns = []
    for t in tokens:
        raised = [Fraction(3) ** row[t] for row in logits]
        columns.append([power / sum(raised) for power in raised])
    p = [[column[word] for column in columns] for word in range(len(logits))]
    totals = [sum(Fraction(3) ** row[t] for row in logits) for t in tokens]
    cells |= {"concat": concat, "O": attended, "R": R, "r1": [r1], "N": N, "F1": F1, "relu": relu, "F2": F2}
    return cells | {"R2": R2, "r2": [r2], "H": H, "logits": logits, "p": p, "totals": [totals]}


def times(W: Sequence[Sequence[Any]], a: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Multiply two matrices."""
    return [[sum(w * a[i][j] for i, w in enumerate(row)) for j in range(len(a[0]))] for row in W]


def normed(R: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[int]]:
    """Divide each column by its root, rounded."""
    roots = [root_by_hand(sum(row[t] ** 2 for row in R)) for t in range(len(R[0]))]
    return [[to_nearest(Fraction(x, r)) for x, r in zip(row, roots, strict=True)] for row in R], roots


def work_exactly(given: Given, words: Sequence[int], without: str = "", width: int = 6) -> dict[str, Floats]:
    """Return the same with √2, e and nothing rounded."""
    E, W_O, W_1, W_2, W_U = (np.array(given[name], dtype=float) for name in ("E", "W_O", "W_1", "W_2", "W_U"))
    X = np.zeros((width, len(words)))
    X[: E.shape[1]] = E[list(words)].T
    if without != "places":
        X[-2:] += np.array(CLOCK[: len(words)], dtype=float).T
    found = {"X": X}
    parts = []
    for head in (0, 1):
        Q, K, V = (np.array(given[name][head], dtype=float) @ X for name in ("W_Q", "W_K", "W_V"))
        scaled = K.T @ Q / np.sqrt(2)
        powers = np.triu(np.exp(scaled))
        A = powers / powers.sum(axis=0)
        Z = V @ A
        found |= {f"h{head + 1}.A": A, f"h{head + 1}.Z": Z}
        parts.append(Z * (without not in ("attention", f"head {head + 1}")))
    R = X + W_O @ np.concatenate(parts)
    N = R / np.sqrt((R**2).mean(axis=0))
    F1 = W_1 @ N + np.array(given["b_1"], dtype=float)[:, None]
    F2 = W_2 @ np.maximum(F1, 0) + np.array(given["b_2"], dtype=float)[:, None]
    R2 = R + F2 * (without != "network")
    H = R2 / np.sqrt((R2**2).mean(axis=0))
    logits = W_U @ H
    powers = np.exp(logits)
    return found | {"R": R, "N": N, "F1": F1, "R2": R2, "H": H, "logits": logits, "p": powers / powers.sum(axis=0)}


def next_column_by_cache(given: Given, words: Sequence[int]) -> list[int]:
    """Return the logits of the last token by hand, from keys and values of the others that were kept."""
    *before, last = words
    cells = work_by_hand(given, before)
    place = len(before)
    x = [*given["E"][last][:4], *CLOCK[place]]
    concat: list[Fraction] = []
    for head in (0, 1):
        q, k, v = ([sum(w * e for w, e in zip(row, x, strict=True)) for row in given[n][head]] for n in KEPT)
        keys = [*zip(*cells[f"h{head + 1}.K"], strict=True), k]
        values = [*zip(*cells[f"h{head + 1}.V"], strict=True), v]
        powers = [Fraction(3) ** (sum(a * b for a, b in zip(key, q, strict=True)) // 2) for key in keys]
        for r in range(2):
            concat.append(sum(power * value[r] for power, value in zip(powers, values, strict=True)) / sum(powers))
    o = [row[0] for row in times(given["W_O"], [[z] for z in concat])]
    N, _ = normed([[to_nearest(e + f)] for e, f in zip(x, o, strict=True)])
    f1 = [[max(0, row[0] + b)] for row, b in zip(times(given["W_1"], N), given["b_1"], strict=True)]
    f2 = [row[0] + b for row, b in zip(times(given["W_2"], f1), given["b_2"], strict=True)]
    H, _ = normed([[to_nearest(e + f) + g] for e, f, g in zip(x, o, f2, strict=True)])
    return [row[0] for row in times(given["W_U"], H)]


KEPT = ("W_Q", "W_K", "W_V")


def learn_by_hand(given: Given, words: Sequence[int], target: int, eta: Fraction) -> dict[str, list[Any]]:
    """Return g, dW, the new logits and those rounded, the new p; of the last token of a sentence."""
    cells = work_by_hand(given, words)
    h = [row[-1] for row in cells["H"]]
    g = [row[-1] - (word == target) for word, row in enumerate(cells["p"])]
    dW = [[-eta * slope * feature for feature in h] for slope in g]
    W_U = [[w + d for w, d in zip(*rows, strict=True)] for rows in zip(given["W_U"], dW, strict=True)]
    new = [sum(w * x for w, x in zip(row, h, strict=True)) for row in W_U]
    rounded = [to_nearest(Fraction(z)) for z in new]
    total = sum(Fraction(3) ** z for z in rounded)
    return {
        "g": g,
        "dW": dW,
        "W_U": W_U,
        "new": new,
        "rounded": rounded,
        "p": [Fraction(3) ** z / total for z in rounded],
    }
