"""PyTorch's own attention on a few dozen problems, and ours."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnhand.errors import ProblemError
from attnhand.mechanisms import Convention
from attnhand.numbers import as_float
from attnhand.problem import Problem
from attnhand.proof import proved
from attnhand.solution import solve, worked
from tests.building import in_rows, problem_of

REFERENCE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "torch_reference.json").read_text(encoding="utf-8")
)["problems"]
SELF = [problem for problem in REFERENCE if problem["kind"] == "self"]


def exact(problem: Problem, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a stage of the problem under the exact arithmetic."""
    return np.array([[as_float(value) for value in row] for row in worked(problem, problem.exact)[name]])


def test_there_are_problems_of_self_attention() -> None:
    """The data holds a few dozen, some with scores that overflow an exponential."""
    assert len(SELF) == 36
    largest = [float(exact(problem_of(reference["given"]), "scaled").max()) for reference in SELF]
    assert sum(score > math.log(np.finfo(np.float64).max) for score in largest) == 4


@pytest.mark.parametrize("reference", SELF, ids=range(len(SELF)))
def test_weights_and_outputs_are_those_of_pytorch(reference: dict[str, Any]) -> None:
    """A and Z agree to nine digits, in both conventions, whatever overflows on the way."""
    for problem, turn in (
        (problem_of(reference["given"]), False),
        (problem_of(in_rows(reference["given"]), convention=Convention.ROWS), True),
    ):
        for name in ("A", "Z"):
            ours, theirs = exact(problem, name), np.array(reference[name])
            np.testing.assert_allclose(ours.T if turn else ours, theirs, rtol=1e-9, atol=1e-9, err_msg=name)


def test_problems_that_can_be_worked_by_hand_are_solved_with_the_same_numbers() -> None:
    """Some of the problems have hand keys too; their exact values are those compared with PyTorch's."""
    solved = 0
    for reference in SELF:
        problem = problem_of(reference["given"])
        try:
            solution = proved(solve(problem))
        except ProblemError as error:
            assert "are no work for a pencil" in str(error)
            continue
        np.testing.assert_array_equal(np.array(solution["A"].exact), exact(problem, "A"))
        solved += 1
    assert solved >= 10
