"""What a first sheet shows in its first cells, written down from its description and not from the code that vets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.good_attention import work

Rows = Sequence[Sequence[int]]


def find_first_faults(problem: Mapping[str, Any]) -> list[str]:
    """Return where the first query or key, or the first score or output, has fewer than two products that are not 0.

    Problems without weights, or whose tokens are looked up, have nothing to be told here.
    """
    given, is_rows = problem["given"], problem["convention"] == "rows"
    if "X" not in given:
        return []
    memory = given.get("M", given["X"])
    found = []
    for number, head in enumerate(given.get("heads", [given]), 1):
        for name, tokens in (("W_Q", given["X"]), ("W_K", memory)):
            if name not in head:  # basic attention has none, heads that share a key have it elsewhere
                continue
            first = tokens[0] if is_rows else [row[0] for row in tokens]
            weights = list(zip(*head[name], strict=True)) if is_rows else head[name]
            for at, row in enumerate(weights, 1):
                if sum(int(w) != 0 and int(x) != 0 for w, x in zip(row, first, strict=True)) < 2:
                    found.append(f"head {number}: row {at} of {name} tells little of the first token")
    return found + list(find_dull_examples(problem))


def find_dull_examples(problem: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the first score or the first number of the first output has fewer than two products that are not 0.

    Under a mask the first output is mixed of one value alone.
    """
    sheet = work(problem)
    for number, head in enumerate(sheet.heads, 1):
        factors = {"score": (head.keys[0], head.queries[0])}
        if not sheet.is_causal:
            factors["output"] = ([value[0] for value in head.values], head.weights[0])
        for name, pair in factors.items():
            if sum(bool(a) and bool(b) for a, b in zip(*pair, strict=True)) < min(2, len(pair[0])):
                yield f"head {number}: the first {name} tells little"
