"""PyTorch's own attention on a few dozen problems, and ours."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnhand import api
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import to_float
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import compute_stages, solve
from attnhand.errors import ProblemError
from attnhand.problems.problem_file import build_problem_from_python
from tests.building import make_problem, transpose_given

REFERENCE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "torch_reference.json").read_text(encoding="utf-8")
)["problems"]
SELF = [problem for problem in REFERENCE if problem["kind"] == "self"]


def get_exact_stage(problem: Problem, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a stage of the problem under the exact arithmetic."""
    return np.array(
        [[to_float(value) for value in row] for row in compute_stages(problem, problem.exact_arithmetic)[name]]
    )


def test_there_are_problems_of_self_attention() -> None:
    """The data holds a few dozen, some with scores that overflow an exponential."""
    assert len(SELF) == 36
    largest = [float(get_exact_stage(make_problem(reference["given"]), "scaled").max()) for reference in SELF]
    assert sum(score > math.log(np.finfo(np.float64).max) for score in largest) == 4


@pytest.mark.parametrize("reference", SELF, ids=range(len(SELF)))
def test_weights_and_outputs_are_those_of_pytorch(reference: dict[str, Any]) -> None:
    """A and Z agree to nine digits, in both conventions, whatever overflows on the way."""
    for problem, turn in (
        (make_problem(reference["given"]), False),
        (make_problem(transpose_given(reference["given"]), convention=Convention.ROWS), True),
    ):
        for name in ("A", "Z"):
            ours, theirs = get_exact_stage(problem, name), np.array(reference[name])
            np.testing.assert_allclose(ours.T if turn else ours, theirs, rtol=1e-9, atol=1e-9, err_msg=name)


def test_problems_that_can_be_worked_by_hand_are_solved_with_the_same_numbers() -> None:
    """Some of the problems have hand keys too; their exact values are those compared with PyTorch's."""
    solved = 0
    for reference in SELF:
        problem = make_problem(reference["given"])
        try:
            solution = prove(solve(problem))
        except ProblemError as error:
            assert "cannot be written down" in str(error)
            continue
        np.testing.assert_array_equal(np.array(solution["A"].exact), get_exact_stage(problem, "A"))
        solved += 1
    assert solved >= 10


# the other mechanisms

OTHERS = [problem for problem in REFERENCE if problem["kind"] != "self"]


def make_problem_data(reference: dict[str, Any]) -> dict[str, Any]:
    """Return one of the problems as a problem file has it."""
    causal = reference["kind"] == "causal"
    mechanism = {"mechanism": "self", "mask": "causal"} if causal else {"mechanism": reference["kind"]}
    return {**mechanism, "given": reference["given"]}


def make_transposed_data(reference: dict[str, Any]) -> dict[str, Any]:
    """Return the same problem with tokens as rows."""

    def transpose(value: Any) -> Any:
        if isinstance(value[0], dict):
            return [{name: transpose(a) for name, a in head.items()} for head in value]
        return [list(row) for row in zip(*value, strict=True)]

    given = {name: transpose(value) for name, value in reference["given"].items()}
    return {**make_problem_data(reference), "convention": "rows", "given": given}


def list_torch_answers(reference: dict[str, Any]) -> dict[str, Any]:
    """Return PyTorch's answers by the name of the stage; of several heads, each has its own weights."""
    if reference["kind"] != "multi-head":
        return {"A": reference["A"], "Z": reference["Z"]}
    weights = {f"h{number}.A": A for number, A in enumerate(reference["A"], 1)}
    return {**weights, "output": reference["output"]}


def test_there_are_problems_of_the_other_mechanisms() -> None:
    """A dozen each of basic, cross, causal and multi-head, of two to four heads."""
    kinds = [problem["kind"] for problem in OTHERS]
    assert {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(("basic", "cross", "causal", "multi-head"), 12)
    assert {len(problem["A"]) for problem in OTHERS if problem["kind"] == "multi-head"} == {2, 3, 4}


@pytest.mark.parametrize("reference", OTHERS, ids=[f"{problem['kind']}-{i}" for i, problem in enumerate(OTHERS)])
def test_other_mechanisms_are_those_of_pytorch(reference: dict[str, Any]) -> None:
    """Weights and outputs agree to nine digits, in both conventions."""
    for data, turn in ((make_problem_data(reference), False), (make_transposed_data(reference), True)):
        problem = build_problem_from_python(data)
        for name, theirs in list_torch_answers(reference).items():
            ours = get_exact_stage(problem, name)
            np.testing.assert_allclose(ours.T if turn else ours, np.array(theirs), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("kind", ["basic", "cross", "causal", "multi-head"])
def test_other_mechanisms_that_can_be_worked_by_hand_are_solved_with_pytorchs_numbers(kind: str) -> None:
    """What a Python user gets, proved, has PyTorch's values beside those by hand."""
    solved = 0
    for reference in (problem for problem in OTHERS if problem["kind"] == kind):
        try:
            sheet = api.solve({**make_problem_data(reference), "rules": {"scale": 1000, "base": "e"}})
        except ProblemError as error:
            assert "cannot be written down" in str(error)
            continue
        for name, theirs in list_torch_answers(reference).items():
            np.testing.assert_allclose(np.array(sheet.solution[name].exact), theirs, rtol=1e-9, atol=1e-9)
        solved += 1
    assert solved == 12 if kind != "basic" else solved >= 3  # basic attention takes no divisor to shrink its scores
