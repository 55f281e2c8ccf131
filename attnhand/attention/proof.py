"""A second, independent route to every key: floating point, other formulas, another order of operations.

The key is worked in exact fractions, stage by stage. Here numpy works the whole problem again in float64 from the
given matrices, by the other formula that each operation states: the softmax as one stable formula instead of powers,
sums and a division. The two must agree; a key that fails is never printed.
"""

import numpy as np
from numpy.typing import NDArray

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import to_float
from attnhand.attention.solution import Solution
from attnhand.errors import KeyProofError

Array = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-9
"""Both routes agree to nine digits, relative to the largest number of the stage."""


def prove(solution: Solution, *, changed_stages: frozenset[str] = frozenset()) -> Solution:
    """Return the solution if its key and its exact values prove right.

    Args:
        changed_stages: what came out there by hand was replaced, and is taken as it is.

    Raises:
        KeyProofError: the two routes disagree, weights do not add to 1, or an output lies outside its values.
    """
    problem = solution.problem
    by_hand, arithmetic = solution.collect_hand_values(), problem.hand_arithmetic
    given = {name: _to_array(a) for name, a in problem.given}
    hand = given | {solved.stage.name: _to_array(solved.hand) for solved in solution}
    exact = given | {solved.stage.name: np.array(solved.exact) for solved in solution}
    with np.errstate(over="ignore", invalid="ignore"):
        _prove_route(solution, "hand", arithmetic, hand, by_hand, changed_stages)
        _prove_route(solution, "exact", problem.exact_arithmetic, exact, by_hand)
    for solved in (each for each in solution if each.stage.name not in changed_stages):
        inputs = [by_hand[name] for name in solved.stage.input_names]
        if fault := solved.stage.operation.find_wrong_cell(arithmetic, inputs, solved.hand):
            raise KeyProofError(fault)
    return solution


def _prove_route(
    solution: Solution,
    route: str,
    arithmetic: Arithmetic,
    values: dict[str, Array],
    by_hand: dict[str, Matrix],
    changed_stages: frozenset[str] = frozenset(),
) -> None:
    """Recompute every stage from the values before it, and compare; exactly, where floats cannot tell."""
    logs: dict[str, Array | None] = {}
    for solved in (each for each in solution if each.stage.name not in changed_stages):
        stage = solved.stage
        inputs = [values[name] for name in stage.input_names]
        logs[stage.name] = stage.operation.compute_logs(arithmetic, inputs)
        if stage.operation.is_proved_exactly(arithmetic):
            matrices = [by_hand[name] for name in stage.input_names]
            if fault := stage.operation.find_wrong_cell(arithmetic, matrices, solved.hand):
                raise KeyProofError(f"{stage.name} ({route}): {fault}")
            continue
        recomputed = stage.operation.recompute(arithmetic, inputs, [logs.get(name) for name in stage.input_names])
        if not _are_near(values[stage.name], recomputed):
            magnitude = stage.operation.measure_addends(inputs, recomputed)
            _check_agreement(f"{stage.name} ({route})", values[stage.name], recomputed, magnitude)


def _to_array(a: Matrix) -> Array:
    return np.array([[to_float(value) for value in row] for row in a])


def _are_near(values: Array, recomputed: Array) -> bool:
    """Say whether two routes agree whatever the size of their numbers, as nearly all do; infinite ones never."""
    return values.shape == recomputed.shape and bool(np.abs(values - recomputed).max() <= RELATIVE_TOLERANCE)


def _check_agreement(label: str, values: Array, recomputed: Array, magnitude: float) -> None:
    """Compare two routes, relative to the size of what was added up on the way."""
    if values.shape != recomputed.shape:
        raise KeyProofError(f"{label}: two routes disagree on shape")
    both_finite = np.isfinite(values) & np.isfinite(recomputed)
    if not np.array_equal(values[~both_finite], recomputed[~both_finite]):
        raise KeyProofError(f"{label}: two routes disagree on what is infinite")
    differences = np.abs(values[both_finite] - recomputed[both_finite])
    if differences.max(initial=0.0) > RELATIVE_TOLERANCE * max(1.0, magnitude):
        raise KeyProofError(f"{label}: two routes disagree\n{values}\n{recomputed}")
