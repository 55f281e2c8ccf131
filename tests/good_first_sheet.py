"""What a first sheet shows in its first cells, written down from its description and not from the code that vets."""

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Sequence[int]]


def find_first_faults(problem: Mapping[str, Any]) -> list[str]:
    """Return where the first query or the first key of a head has a cell with fewer than two products that are not 0.

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
    return found
