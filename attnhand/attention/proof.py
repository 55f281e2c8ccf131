"""A second, independent route to every key: floating point, other formulas, another order of operations.

The key is worked in exact fractions, stage by stage. Here numpy works the whole problem again in float64 from the
given matrices, takes the softmax as one stable formula instead of powers, sums and a division, and the two must
agree. A key that fails is never printed.
"""

import math
from fractions import Fraction
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from attnhand.attention.arithmetic import Arithmetic, Base, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.matrix import flatten as all_values
from attnhand.attention.numbers import to_float
from attnhand.attention.operations import (
    Add,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Operation,
    Positions,
    Power,
    Product,
    ProductRole,
    ReLU,
    ScaleScores,
    Sum,
)
from attnhand.attention.solution import Solution
from attnhand.errors import KeyProofError

Array = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-9
"""Both routes agree to nine digits, relative to the largest number of the stage."""


def prove(solution: Solution) -> Solution:
    """Return the solution if its key and its exact values prove right.

    Raises:
        KeyProofError: the two routes disagree, weights do not add to 1, or an output lies outside its values.
    """
    problem = solution.problem
    given = {name: _to_array(a) for name, a in problem.given}
    by_hand = solution.collect_hand_values()
    for name, arithmetic in (("hand", problem.hand_arithmetic), ("exact", problem.exact_arithmetic)):
        known = dict(given)
        exponents: dict[str, Array] = {}
        for solved in solution:
            values = _to_array(solved.hand) if name == "hand" else np.array(solved.exact)
            inputs = [known[read] for read in solved.stage.input_names]
            operation = solved.stage.operation
            if isinstance(operation, Power):
                exponents[solved.stage.name] = inputs[0] * _compute_log_base(arithmetic)
            elif isinstance(operation, Divide):
                inputs = [exponents[solved.stage.input_names[0]]]
            elif isinstance(operation, Positions):
                inputs = [_compute_sinusoids(operation)]
            what = f"{solved.stage.name} ({name})"
            if isinstance(operation, ScaleScores) and arithmetic.rules.scale is ScaleRule.HALF_FLOOR:
                _check_halves(what, by_hand[solved.stage.input_names[0]], solved.hand)
            else:
                with np.errstate(over="ignore"):
                    _check_agreement(what, values, *_recompute(operation, arithmetic, inputs))
            known[solved.stage.name] = values
    for solved in solution:
        inputs_by_hand = [by_hand[name] for name in solved.stage.input_names]
        match solved.stage.operation:
            case Divide(convention=convention):
                _check_weights(solved.hand, convention)
            case Product(role=ProductRole.MIXTURE) as mixture:
                _check_outputs(mixture, inputs_by_hand, solved.hand)
    return solution


def _to_array(a: Matrix) -> Array:
    return np.array([[to_float(value) for value in row] for row in a])


def _check_agreement(label: str, values: Array, recomputed: Array, magnitude: float) -> None:
    """Compare two routes, relative to the size of what was added up on the way."""
    if values.shape != recomputed.shape:
        raise KeyProofError(f"{label}: two routes disagree on shape")
    both_finite = np.isfinite(values) & np.isfinite(recomputed)
    if not np.array_equal(values[~both_finite], recomputed[~both_finite]):
        raise KeyProofError(f"{label}: two routes disagree on what is infinite")
    if both_finite.any() and float(
        np.abs(values[both_finite] - recomputed[both_finite]).max()
    ) > RELATIVE_TOLERANCE * max(1.0, magnitude):
        raise KeyProofError(f"{label}: two routes disagree\n{values}\n{recomputed}")


def _check_halves(label: str, scores: Matrix, halves: Matrix) -> None:
    """Check ⌊x/2⌋ by its definition, exactly: 2⌊x/2⌋ ≤ x < 2⌊x/2⌋ + 2; no float can tell 1 from a whisker less."""
    if shape(scores) != shape(halves):
        raise KeyProofError(f"{label}: two routes disagree on shape")
    for score, half in zip(all_values(scores), all_values(halves), strict=True):
        if half != int(half) or not 2 * half <= score < 2 * half + 2:
            raise KeyProofError(f"{label}: two routes disagree: {half} is not half of {score}, rounded down")


def _compute_log_base(arithmetic: Arithmetic) -> float:
    base = arithmetic.rules.base
    return 1.0 if base is Base.E else math.log(int(base))


def _recompute(operation: Operation, arithmetic: Arithmetic, inputs: list[Array]) -> tuple[Array, float]:
    """Work a stage by another formula; also return how large the numbers are that it adds up."""
    match operation:
        case Product(is_left_transposed=left, is_right_transposed=right):
            first, second = (inputs[0].T if left else inputs[0]), (inputs[-1].T if right else inputs[-1])
            pairs = first[:, :, np.newaxis] * second
            size = float(np.abs(pairs).sum(axis=1).max())
            if operation.has_bias:
                return np.asarray(inputs[1] + first @ second), size + float(np.abs(inputs[1]).max())
            return np.asarray(pairs.sum(axis=1)), size
        case ScaleScores():
            again = _recompute_scaled(arithmetic, inputs[0])
        case Power():
            again = np.asarray(np.exp2(inputs[0] * (_compute_log_base(arithmetic) / math.log(2.0))))
        case Sum(convention=convention):
            again = np.asarray(np.flip(np.flip(inputs[0]).sum(axis=_to_numpy_axis(convention), keepdims=True)))
        case Divide(convention=convention):
            shifted = np.exp(inputs[0] - inputs[0].max(axis=_to_numpy_axis(convention), keepdims=True))
            again = np.asarray(shifted / shifted.sum(axis=_to_numpy_axis(convention), keepdims=True))
        case Mask(convention=convention):
            later = np.tri(len(inputs[0]), k=-1).astype(bool)
            again = np.where(later.T if convention.is_rows else later, -np.inf, inputs[0])
        case Concatenate(convention=convention):
            again = np.concatenate(inputs, axis=_to_numpy_axis(convention))
        case ReLU():
            again = inputs[0] * (inputs[0] > 0)
        case Add():
            again = np.add.reduce(inputs)
        case LookUp(word_indices=word_indices, convention=convention):
            again = np.take(inputs[0], word_indices, axis=1 - _to_numpy_axis(convention))
        case Positions(convention=convention):
            waves = np.rint(inputs[0]) if arithmetic.has_rounded_positions else inputs[0]
            again = waves.T if convention.is_rows else waves
        case _:
            assert_never(operation)
    return again, float(np.abs(again[np.isfinite(again)]).max(initial=0.0))


def _compute_sinusoids(positions: Positions) -> Array:
    """Return e to the power of i·angle, its imaginary and its real part in turn: sines and cosines in columns."""
    halves = np.arange((positions.feature_count + 1) // 2)
    pairs = np.exp(1j * np.outer(10_000.0 ** (-2 * halves / positions.feature_count), np.arange(positions.token_count)))
    return np.asarray(
        np.stack([pairs.imag, pairs.real], axis=1).reshape(2 * len(halves), -1)[: positions.feature_count]
    )


def _to_numpy_axis(convention: Convention) -> int:
    return 1 if convention.is_rows else 0


def _recompute_scaled(arithmetic: Arithmetic, scores: Array) -> Array:
    match arithmetic.rules.scale:
        case ScaleRule.HALF_FLOOR:
            return np.asarray(np.floor(scores * 0.5))
        case ScaleRule.NONE:
            return scores
        case ScaleRule.SQRT:
            return np.asarray(scores * math.pow(arithmetic.d_k, -0.5))
        case int(divisor):
            return scores * (1.0 / divisor)


def _check_weights(weights: Matrix, convention: Convention) -> None:
    for line in weights if convention.is_rows else zip(*weights, strict=True):
        slack = 0 if all(isinstance(weight, int | Fraction) for weight in line) else 1e-12
        if abs(sum(line) - 1) > slack or min(line) < 0:
            raise KeyProofError(f"the weights {line} do not add to 1")


def _check_outputs(mixture: Product, inputs: list[Matrix], outputs: Matrix) -> None:
    values = zip(*inputs[1], strict=True) if mixture.convention.is_rows else inputs[0]
    mixed = zip(*outputs, strict=True) if mixture.convention.is_rows else outputs
    for sources, results in zip(values, mixed, strict=True):
        low, high = min(map(to_float, sources)), max(map(to_float, sources))
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        if not all(low - slack <= to_float(result) <= high + slack for result in results):
            raise KeyProofError(f"the outputs {results} do not lie between the values {sources}")
