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


@pytest.mark.parametrize("reference", list_kind("rms"))
def test_tokens_are_normalised_as_in_pytorch(reference: dict[str, Any]) -> None:
    """By the root of the mean of their squares, with nothing added under it."""
    X = reference["given"]["X"]
    line = [[1] * len(X)]
    network = {"W_1": [[1]], "b_1": [[0]], "W_2": [[1]] * len(X), "b_2": [[0]] * len(X)}
    given = {"X": X, "W_Q": line, "W_K": line, "W_V": line, **network}
    for sheet in solve_both_ways({"mechanism": "block", "norm": "rms", "given": given}):
        compare(sheet, "N1", reference["N"])


@pytest.mark.parametrize("reference", list_kind("backward"))
def test_gradients_are_those_of_pytorch(reference: dict[str, Any]) -> None:
    """Of queries, keys and values, through softmax and scaling."""
    given = reference["given"]
    matrices = {"Q": given["q"], "K": given["K"], "V": given["V"], "g": given["g"]}
    for sheet in solve_both_ways({"mechanism": "backward", "given": matrices}):
        compare(sheet, "Z", reference["z"])
        for name in ("dq", "dK", "dV"):
            compare(sheet, name, reference[name])


@pytest.mark.parametrize("reference", list_kind("cross-entropy"))
def test_losses_and_their_gradients_are_those_of_pytorch(reference: dict[str, Any]) -> None:
    """Of the word that came, and by every logit."""
    given = reference["given"]
    y = [[int(word == given["target"])] for word in range(1, len(given["W_U"]) + 1)]
    matrices = {"z": given["z"], "W_U": given["W_U"], "y": y}
    for sheet in solve_both_ways({"mechanism": "next-token", "given": matrices}):
        compare(sheet, "p", reference["p"])
        compare(sheet, "loss", [[reference["loss"]]])
        compare(sheet, "g", reference["g"])


@pytest.mark.parametrize("reference", list_kind("temperature"))
def test_logits_are_divided_by_a_temperature_as_in_pytorch(reference: dict[str, Any]) -> None:
    """A half, two or three, before the softmax."""
    given = reference["given"]
    logits = given["logits"]
    eye = [[int(i == j) for j in range(len(logits))] for i in range(len(logits))]
    data = {"mechanism": "next-token", "temperature": given["temperature"], "given": {"z": logits, "W_U": eye}}
    for sheet in solve_both_ways(data):
        compare(sheet, "p", reference["p"])


@pytest.mark.parametrize("reference", list_kind("distance"))
def test_scores_lose_by_distance_as_by_a_mask_of_pytorch(reference: dict[str, Any]) -> None:
    """One less for each place between query and key."""
    for sheet in solve_both_ways({"positions": "distance", "given": reference["given"]}):
        compare(sheet, "Z", reference["Z"])


@pytest.mark.parametrize("reference", list_kind("sink"))
def test_a_sink_takes_its_share_as_one_key_more_would(reference: dict[str, Any]) -> None:
    """Its score is in the softmax, and its column is left out."""
    given = {**reference["given"]}
    sink = given.pop("sink")
    for sheet in solve_both_ways({"sink": sink, "given": given}):
        compare(sheet, "A", reference["A"])
        compare(sheet, "Z", reference["Z"])
