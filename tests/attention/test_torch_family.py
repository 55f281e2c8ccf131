"""What PyTorch's own functions give for all that is taught beside plain attention, and what sheets give exactly."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attnhand

REFERENCE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "torch_family.json").read_text(encoding="utf-8")
)["problems"]

EXACT = {"scale": "sqrt", "base": "e"}


def list_kind(kind: str) -> list[dict[str, Any]]:
    """Return the problems of a kind."""
    return [problem for problem in REFERENCE if problem["kind"] == kind]


def solve_both_ways(data: dict[str, Any]) -> list[attnhand.Worksheet]:
    """Return a problem's sheets, tokens as columns and as rows."""
    sheet = attnhand.solve({"rules": EXACT, **data})
    return [sheet, attnhand.solve(json.loads(sheet.json()), convention="rows")]


def read(sheet: attnhand.Worksheet, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return exact values with tokens as columns."""
    a = np.array(sheet.solution[name].exact)
    return a.T if sheet.convention.is_rows else a


def compare(sheet: attnhand.Worksheet, name: str, expected: Any) -> None:
    """Compare a stage to nine digits."""
    np.testing.assert_allclose(read(sheet, name), np.array(expected), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("reference", list_kind("grouped"))
def test_heads_share_keys_as_in_pytorch(reference: dict[str, Any]) -> None:
    """One K and V for four heads, or one for each two, with the mask or without."""
    given = reference["given"]
    shared = [{"W_K": W_K, "W_V": W_V} for W_K, W_V in zip(given["W_K"], given["W_V"], strict=True)]
    own = {**shared[0]} if len(shared) == 1 else {"groups": shared}
    eye = [[int(i == j) for j in range(12)] for i in range(5)]
    data: dict[str, Any] = {
        "mechanism": "multi-head",
        **({"mask": "causal"} if reference["causal"] else {}),
        "given": {"X": given["X"], "heads": [{"W_Q": W_Q} for W_Q in given["W_Q"]], **own, "W_O": eye},
    }
    sheet = attnhand.solve({"rules": EXACT, **data})
    for head, Z in enumerate(reference["Z"], 1):
        compare(sheet, f"h{head}.Z", Z)
