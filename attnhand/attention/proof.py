"""A second, independent route to every key: floating point, closed forms, another order of operations.

The key is worked in exact fractions, formula by formula. Here numpy works every stage again in float64 from what stands
before it, by the closed form of its mechanism. The two must agree; a key that fails is never printed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.closed_forms import CLOSED_FORMS, Array, Matrices
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, divide, has_irrational, to_decimal, to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution
from attnhand.errors import KeyProofError

RELATIVE_TOLERANCE = 1e-9
"""Both routes agree to nine digits, relative to the largest number of the stage."""


def prove(solution: Solution, *, changed_stages: frozenset[str] = frozenset()) -> Solution:
    """Return the solution if its key and its exact values prove right.

    Args:
        changed_stages: what came out there by hand was replaced, and is taken as it is.

    Raises:
        KeyProofError: the two routes disagree, weights do not add to 1, or an output lies outside its values.
    """
    problem, is_rows = solution.problem, solution.problem.convention.is_rows
    by_hand = {name: transpose(a) if is_rows else a for name, a in solution.collect_hand_values().items()}
    exactly = {solved.stage.name: np.array(solved.exact) for solved in solution}
    in_floats = {name: _to_array(a) for name, a in by_hand.items()}
    with np.errstate(over="ignore", invalid="ignore"):
        _prove_route(solution, "hand", problem.hand_arithmetic, in_floats, by_hand, changed_stages)
        exact = in_floats | {name: a.T if is_rows else a for name, a in exactly.items()}
        _prove_route(solution, "exact", problem.exact_arithmetic, exact, by_hand)
    _prove_sums(solution, by_hand, changed_stages)
    return solution


def _prove_route(
    solution: Solution,
    route: str,
    arithmetic: Arithmetic,
    values: Mapping[str, Array],
    by_hand: Mapping[str, Matrix],
    changed_stages: frozenset[str] = frozenset(),
) -> None:
    """Recompute every stage from the values before it, and compare; exactly, where floats cannot tell."""
    problem = solution.problem
    closed_form = CLOSED_FORMS[problem.mechanism.name]
    for stage in problem.mechanism.stages:
        if stage.name in changed_stages:
            continue
        if stage.topic == "scaled" and arithmetic.rules.is_rounded_down:
            _prove_rounding(stage.name, by_hand[stage.input_names[0]], by_hand[stage.name], arithmetic)
            continue
        if stage.temperature is not None and arithmetic.rules.has_whole_exponents:
            _prove_tempering(stage, by_hand[stage.input_names[0]], by_hand[stage.name], stage.temperature)
            continue
        m = Matrices(
            problem=problem,
            arithmetic=arithmetic,
            values=values,
            prefixes=_list_prefixes(problem, stage),
            head=stage.head,
            replaced=changed_stages,
        )
        compute = closed_form[stage.name.rpartition(".")[2]]
        if stage.is_rounded and arithmetic.rules.has_whole_stream:
            _prove_nearest(stage, compute, m, by_hand)
            continue
        recomputed, found = compute(m), values[stage.name]
        if not _are_near(found, recomputed):
            sizes = recomputed if stage.product is None else compute(m.absolute)
            magnitude = float(np.abs(sizes[np.isfinite(sizes)]).max(initial=0.0))
            _check_agreement(f"{stage.name} ({route})", found, recomputed, magnitude)


def _list_prefixes(problem: Problem, stage: Stage) -> list[str]:
    """Return what stands before the names of a head's matrices, and of those that it shares with some other heads."""
    before, dot, _ = stage.name.rpartition(".")
    if not stage.head:
        return [before + dot]
    sharing = problem.variant.head_count // problem.variant.kv_head_count
    return [before + dot, f"g{1 + (stage.head - 1) // sharing}."]


def _prove_rounding(name: str, scores: Matrix, scaled: Matrix, arithmetic: Arithmetic) -> None:
    """Check ⌊x/2⌋ by its definition, exactly: no float can tell 1 from a whisker less."""
    if shape(scores) != shape(scaled):
        raise KeyProofError(f"{name} (hand): two routes disagree on shape")
    for score, result in zip(flatten(scores), flatten(scaled), strict=True):
        if not arithmetic.is_scaled_score(score, result):
            divisor = arithmetic.rules.floor_divisor
            raise KeyProofError(
                f"{name} (hand): two routes disagree: {result} is not {score} divided by {divisor}, rounded down"
            )


def _prove_tempering(stage: Stage, scores: Matrix, tempered: Matrix, temperature: Fraction) -> None:
    """Check ⌊x/T⌋ by its definition, exactly; below 1, where nothing is rounded, x/T may be a fraction."""
    for score, result in zip(flatten(scores), flatten(tempered), strict=True):
        rest = score - result * temperature  # type: ignore[operator]  # whole exponents have no irrational scores
        is_rounded = temperature.numerator > 1
        if not (result == int(result) and 0 <= rest < temperature if is_rounded else rest == 0):
            raise KeyProofError(
                f"{stage.name} (hand): two routes disagree: {result} is not {score} over {temperature}, rounded down"
            )


def _prove_nearest(
    stage: Stage, compute: Callable[[Matrices], Array], m: Matrices, by_hand: Mapping[str, Matrix]
) -> None:
    """Check the nearest whole number by its definition, exactly: of halves no float can tell on which side they are."""
    found = by_hand[stage.name]
    read = [flatten(by_hand[name]) for name in stage.input_names]
    kind = to_decimal if has_irrational([value for values in read for value in values]) else Fraction
    matrices = _Converted(by_hand, kind)
    unrounded = matrices[stage.input_names[0]] if stage.topic == "root" else compute(replace(m, values=matrices))
    if unrounded.shape != shape(found):
        raise KeyProofError(f"{stage.name} (hand): two routes disagree on shape")
    is_near = _is_near_root if stage.topic == "root" else _is_nearest
    for value, result in zip(flatten(unrounded.tolist()), flatten(found), strict=True):
        if result != int(result) or not is_near(value, int(result)):
            raise KeyProofError(f"{stage.name} (hand): two routes disagree: {result} is not the nearest to {value}")


def _is_nearest(value: Any, result: int) -> bool:
    """Say whether a whole number is the nearest to a value, halves away from zero."""
    return bool(value * result >= 0 and 2 * abs(result) - 1 <= 2 * abs(value) < 2 * abs(result) + 1)


def _is_near_root(square: Any, result: int) -> bool:
    """Say whether a whole number is the nearest to the root of a value, or 1 where that is less."""
    is_near = (2 * result - 1) ** 2 <= 4 * square < (2 * result + 1) ** 2
    return bool(result > 0 and (is_near or (result == 1 and 4 * square < 9)))


@dataclass(frozen=True)
class _Converted(Mapping[str, Array]):
    """Matrices in one kind of number that divides exactly, each once it is asked for."""

    matrices: Mapping[str, Matrix]
    kind: Callable[[Any], Any]
    """Fractions, or decimals where some are."""

    def __getitem__(self, name: str) -> Array:
        return np.array([list(map(self.kind, row)) for row in self.matrices[name]], dtype=object)

    def __iter__(self) -> Iterator[str]:
        return iter(self.matrices)

    def __len__(self) -> int:
        return len(self.matrices)


def _prove_sums(solution: Solution, by_hand: Mapping[str, Matrix], changed_stages: frozenset[str]) -> None:
    """Weights add to 1, exactly where they are fractions; what is mixed by them lies between the values.

    With a sink they add to less by its share, and what is mixed lies between the values and 0.
    """
    sink, base = solution.problem.variant.sink, solution.problem.hand_arithmetic.raise_base
    mechanism = solution.problem.mechanism.convert_to(Convention.COLUMNS)
    for attention in mechanism.attentions:
        if attention.weights not in changed_stages:
            columns = transpose(by_hand[attention.weights])
            nothing = 0 if sink is None else base(sink)
            sums = flatten(by_hand[attention.sums]) if nothing else [1] * len(columns)
            for weights, total in zip(columns, sums, strict=True):
                slack = 1e-12 if has_irrational(weights) else 0
                missing: Number = sum((*weights, divide(nothing, total), -1))
                is_negative = min(map(to_float, weights)) < 0 and not solution.problem.variant.has_plain_shares
                if abs(to_float(missing)) > slack or is_negative:
                    raise KeyProofError(f"the weights {weights} do not add to 1")
        if attention.outputs and attention.outputs not in changed_stages:
            values = by_hand[mechanism.get_stage(attention.outputs).input_names[0]]
            for sources, results in zip(values, by_hand[attention.outputs], strict=True):
                sources = sources if sink is None else (*sources, 0)
                low, high = min(map(to_float, sources)), max(map(to_float, sources))
                slack = 1e-9 * max(1.0, abs(low), abs(high))
                is_mixture = not solution.problem.variant.has_plain_shares  # their shares may be negative
                if is_mixture and not all(low - slack <= to_float(result) <= high + slack for result in results):
                    raise KeyProofError(f"the outputs {results} do not lie between the values {sources}")


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
