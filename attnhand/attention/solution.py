"""A problem solved both ways, stage by stage, and compared."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from attnhand.attention.arithmetic import Arithmetic, Base, ScaleRule
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.working import PowersTooLargeError, work_stages
from attnhand.attention.matrix import FloatMatrix, Matrix, flatten
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number, format_decimal, to_float
from attnhand.attention.problem import Problem
from attnhand.errors import AttnhandError, ProblemError, name_option


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedStage:
    """One stage with its values both ways."""

    stage: Stage
    hand: Matrix
    """By the house rules, exactly: (rows, columns) of the stage."""

    exact: FloatMatrix
    """By attention as it is, float64; infinite where a value is beyond float64."""


class Comparison(NamedTuple):
    """How good the shortcut was, for one attention weight matrix."""

    stage_name: str
    hand_top_tokens: tuple[tuple[int, ...], ...]
    """For each query the tokens (0-based) with its largest weight, by hand."""

    exact_top_tokens: tuple[tuple[int, ...], ...]
    """The same, exactly."""

    largest_change: float
    """The largest change of one weight, exact against hand."""

    moved_weights: tuple[float, ...]
    """For each query, the weight that moves to another token: half the sum of all changes (total variation)."""

    @property
    def same_top_count(self) -> int:
        """Count the queries whose set of most-attended tokens is the same both ways."""
        return sum(hand == exact for hand, exact in zip(self.hand_top_tokens, self.exact_top_tokens, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """All stages of a problem, in the order they are computed."""

    problem: Problem
    stages: tuple[SolvedStage, ...]

    def __getitem__(self, name: str) -> SolvedStage:
        """Return the solved stage of that name, such as ``solution["A"]``."""
        for solved in self.stages:
            if solved.stage.name == name:
                return solved
        raise KeyError(name)

    def __iter__(self) -> Iterator[SolvedStage]:
        return iter(self.stages)

    def collect_hand_values(self) -> dict[str, Matrix]:
        """Return every matrix by name, given ones included, as worked by hand."""
        return dict(self.problem.given) | {solved.stage.name: solved.hand for solved in self.stages}

    def compare_weights(self) -> tuple[Comparison, ...]:
        """Compare both ways for every matrix of attention weights."""
        mechanism = self.problem.mechanism
        return tuple(_compare_stage(self[stage.name], mechanism.convention) for stage in mechanism.weight_stages)


def compute_stages(
    problem: Problem,
    arithmetic: Arithmetic,
    given: Mapping[str, Matrix] | None = None,
    refuse_too_large: bool = False,
    replacements: Mapping[str, Matrix] | None = None,
    last_stage: str | None = None,
) -> dict[str, Matrix]:
    """Work the list of stages under one arithmetic; returns every stage's matrix by name.

    Args:
        given: matrices to start from; the problem's own by default.
        refuse_too_large: whether a power that cannot be written down is refused, by cell.
        replacements: what came out at some stages; later stages carry on from there.
        last_stage: the stage to stop after; the last one by default.
    """
    mechanism = problem.mechanism
    try:
        worked = work_stages(
            mechanism.formulas,
            make_exact_numbers(arithmetic, has_limit=refuse_too_large),
            mechanism.take_in(dict(problem.given) if given is None else given),
            replacements=mechanism.take_in(replacements or {}),
            last_stage=last_stage,
        )
    except PowersTooLargeError as error:
        raise _name_first_cell(error, problem) from None
    except ArithmeticError:
        if replacements or last_stage:  # who names what is 0 works the stages up to it
            raise
        if problem.variant.has_plain_shares:
            raise _name_zero_sum(problem, arithmetic) from None
        if problem.variant.norm is not None:
            raise _name_zero_root(problem, arithmetic) from None
        raise
    return {stage.name: stage.show(worked[stage.name]) for stage in mechanism.stages if stage.name in worked}


def _name_first_cell(error: PowersTooLargeError, problem: Problem) -> ProblemError:
    """Refuse the first power, as the sheet is read, that cannot be written down."""
    stage = problem.mechanism.get_stage(error.stage.name)
    exponents = {stage.show_place(place): exponent for place, exponent in error.exponents.items()}
    cell = min(exponents)
    return make_too_large_error(stage.name, cell, exponents[cell], problem.hand_arithmetic)


def _name_zero_sum(problem: Problem, arithmetic: Arithmetic) -> ProblemError:
    """Refuse plain shares of scores that add to 0."""
    for attention in problem.mechanism.attentions:
        sums = compute_stages(problem, arithmetic, last_stage=attention.sums)[attention.sums]
        if 0 in flatten(sums):
            return ProblemError(
                f"the scores of query {flatten(sums).index(0) + 1} add to 0, so they have no plain shares: change a "
                f"number, or take powers, {name_option('base', '3')}"
            )
    return ProblemError("scores add to 0, so they have no plain shares")


def _name_zero_root(problem: Problem, arithmetic: Arithmetic) -> ProblemError:
    """Refuse a token of zeros that is normalised without shortcuts."""
    for stage in problem.mechanism.stages:
        if stage.topic == "root":
            roots = flatten(compute_stages(problem, arithmetic, last_stage=stage.name)[stage.name])
            if 0 in roots:
                (name,) = problem.mechanism.get_stage(stage.input_names[0]).input_names
                return ProblemError(
                    f"in {name} token {roots.index(0) + 1} is all 0, so exactly its norm would divide by 0: change a "
                    "number"
                )
    return ProblemError("a norm would divide by 0: change a number")


def make_too_large_error(
    stage_name: str, cell: tuple[int, int], exponent: Number, arithmetic: Arithmetic
) -> ProblemError:
    """Refuse a power that cannot be written down, by its cell (0-based)."""
    rules = arithmetic.rules
    return ProblemError(
        f"{format_cell_address(stage_name, *cell)} would be {rules.base} to the power of "
        f"{format_decimal(exponent, rules.decimals)}: "
        f"exponents beyond ±{arithmetic.max_exponent} cannot be written down; use smaller entries or a "
        f"larger {name_option('scale')}"
    )


def solve(problem: Problem, *, replacements: Mapping[str, Matrix] | None = None) -> Solution:
    """Solve the problem by hand and exactly.

    Args:
        replacements: what came out by hand at some stages; later stages carry on from there.

    Raises:
        ProblemError: a power would be too large to write down; the message names the cell.
    """
    hand = compute_stages(problem, problem.hand_arithmetic, refuse_too_large=True, replacements=replacements)
    exact = compute_stages(problem, problem.exact_arithmetic)
    return Solution(
        problem=problem,
        stages=tuple(
            SolvedStage(
                stage=stage, hand=hand[stage.name], exact=tuple(tuple(map(to_float, row)) for row in exact[stage.name])
            )
            for stage in problem.mechanism.stages
        ),
    )


def solve_without_shortcuts(problem: Problem) -> Solution | None:
    """Solve the problem with e and √d_k as they are.

    None where its rules take both anyway, or nobody can write down the powers.
    """
    scale = ScaleRule.SQRT if problem.mechanism.is_scaled else problem.rules.scale
    rules = replace(problem.rules, base=Base.E, scale=scale)
    if rules == problem.rules:
        return None
    try:
        return solve(replace(problem, rules=rules))
    except ProblemError:
        return None


def solve_shifted(solution: Solution) -> Solution | None:
    """Return what comes of scores of which the largest of their query is subtracted: other powers, the same weights.

    None where that is done anyway, where nothing is raised to a power, and beside a sink, which stays as it is.
    """
    problem = solution.problem
    mechanism = problem.mechanism
    exponents = [each.exponents for each in mechanism.attentions if each.powers]
    is_other = problem.variant.is_shifted or problem.variant.sink is not None
    if is_other or not exponents or any(mechanism.find_stage(name) is None for name in exponents):
        return None
    try:
        other = solve(replace(problem, variant=replace(problem.variant, is_shifted=True)))
        shifted = [other[each.shifted].hand for each in other.problem.mechanism.attentions]
        return solve(problem, replacements=dict(zip(exponents, shifted, strict=True)))
    except ProblemError:
        return None


def _compare_stage(solved: SolvedStage, convention: Convention) -> Comparison:
    """Compare query by query; a query's weights stand along columns or rows."""
    hand_weights = [[to_float(value) for value in weights] for weights in transpose_if_columns(solved.hand, convention)]
    exact_weights = solved.exact if convention.is_rows else tuple(zip(*solved.exact, strict=True))
    changes = [
        [abs(h - e) for h, e in zip(*both, strict=True)] for both in zip(hand_weights, exact_weights, strict=True)
    ]
    return Comparison(
        stage_name=solved.stage.name,
        hand_top_tokens=tuple(_find_top_tokens(weights) for weights in hand_weights),
        exact_top_tokens=tuple(_find_top_tokens(weights) for weights in exact_weights),
        largest_change=max(map(max, changes)),
        moved_weights=tuple(math.fsum(each) / 2 for each in changes),
    )


TIE_TOLERANCE = 1e-12
"""Weights this close count as a tie: float64 cannot tell them apart after a division."""


def _find_top_tokens(weights: Sequence[float]) -> tuple[int, ...]:
    largest = max(weights)
    return tuple(i for i, value in enumerate(weights) if largest - value <= TIE_TOLERANCE)


def format_cell_address(name: str, row: int, column: int) -> str:
    """Return the address of a cell (0-based): row then column, from 1.

    >>> format_cell_address("h2.S", 0, 3)
    'h2.S[1,4]'
    """
    return f"{name}[{row + 1},{column + 1}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowThrough:
    """A solution with some cells' values replaced, and what follows from them."""

    cell_values: tuple[tuple[CellPosition, Number], ...]
    """The replaced cells, in the order of the stages."""

    solution: Solution
    """By hand it follows from those values; exact values are those of the problem."""

    slip_sentences: tuple[str, ...] = ()
    """The slips that explain those values, in sentences."""

    def get_cells(self, stage_name: str) -> frozenset[tuple[int, int]]:
        """Return the cells (row, column) of a stage that were replaced."""
        return frozenset((i, j) for (name, i, j), _ in self.cell_values if name == stage_name)


def follow_through(solution: Solution, cell_values: Sequence[tuple[CellPosition, Number]]) -> FollowThrough:
    """Replace cells of a solution and compute all later stages from them.

    Raises:
        AttnhandError: nothing can be worked from them: a power too large, a sum of 0.
    """
    order = [stage.name for stage in solution.problem.mechanism.stages]
    in_order = tuple(sorted(cell_values, key=lambda value: order.index(value[0][0])))
    replacements: dict[str, Matrix] = {}
    try:
        for name in dict.fromkeys(cell[0] for cell, _ in in_order):
            a = _solve_with(solution, replacements)[name].hand
            of_stage = {(i, j): value for (stage, i, j), value in in_order if stage == name}
            replacements[name] = tuple(
                tuple(of_stage.get((i, j), value) for j, value in enumerate(row)) for i, row in enumerate(a)
            )
        return FollowThrough(cell_values=in_order, solution=_solve_with(solution, replacements))
    except ArithmeticError:
        raise AttnhandError("from these values a sum of powers is 0, so nothing can be divided by it") from None
    except ProblemError as error:
        raise AttnhandError(f"nothing can be worked from these values: {error}") from None


def _solve_with(solution: Solution, replacements: Mapping[str, Matrix]) -> Solution:
    return solve(solution.problem, replacements=replacements) if replacements else solution
