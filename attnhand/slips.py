"""How each operation is done wrongly, as functions of the same inputs.

A slip takes the arithmetic and the matrices its stage reads, and gives what a student would write down who
makes that mistake; ``None`` where the matrices do not hold what the slip is about.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from attnhand.arithmetic import Arithmetic, Base, Scale
from attnhand.matrix import Matrix, mapped, shape, transposed, values
from attnhand.mechanisms import Stage
from attnhand.numbers import Number, divide
from attnhand.operations import Along, Divide, Operation, Power, Product, Role, ScaleScores

Wrong = Callable[[Arithmetic, Operation, tuple[Matrix, ...]], Matrix | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake, beside the operation it distorts."""

    id: str
    """The name used in reports and answer files."""

    at: type[Operation]
    """The operation it distorts."""

    role: Role | None = None
    """For products: which kind of product."""

    wrong: Wrong
    """What comes out, shaped as the student would write it; None where the slip does not apply."""

    def distorts(self, stage: Stage) -> bool:
        """Say whether this slip can happen at that stage."""
        operation = stage.operation
        return isinstance(operation, self.at) and (not isinstance(operation, Product) or operation.role is self.role)


def _scores_transposed(arithmetic: Arithmetic, operation: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    right = operation.apply(arithmetic, *inputs)
    return transposed(right) if shape(right)[0] == shape(right)[1] and right != transposed(right) else None


def _not_scaled(arithmetic: Arithmetic, _: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    return None if arithmetic.rules.scale is Scale.NONE else inputs[0]


def _truncated(arithmetic: Arithmetic, _: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    if arithmetic.rules.scale is not Scale.HALF_FLOOR or min(values(inputs[0])) >= 0:
        return None
    return mapped(lambda score: math.trunc(divide(score, 2)), inputs[0])


def _rounded_up(arithmetic: Arithmetic, _: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    if arithmetic.rules.scale is not Scale.HALF_FLOOR:
        return None
    return mapped(lambda score: math.ceil(divide(score, 2)), inputs[0])


def _base_as_number(arithmetic: Arithmetic) -> Number:
    return arithmetic.power(1) if arithmetic.rules.base is Base.E else int(arithmetic.rules.base)


def _times_not_power(arithmetic: Arithmetic, _: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    base = _base_as_number(arithmetic)
    return mapped(lambda score: base * score if math.isfinite(score) else 0, inputs[0])  # type: ignore[operator]


def _negative_powers(write: Callable[[Number], Number]) -> Wrong:
    """Go wrong at negative exponents only: write what the function makes of the power of the magnitude."""

    def wrong(arithmetic: Arithmetic, _: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
        def power(score: Number) -> Number:
            return write(arithmetic.power(-score)) if score < 0 and math.isfinite(score) else arithmetic.power(score)

        return mapped(power, inputs[0]) if any(score < 0 for score in values(inputs[0])) else None

    return wrong


def _other_axis(arithmetic: Arithmetic, operation: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    powers = inputs[0]
    lines = powers if isinstance(operation, Divide) and operation.along is Along.COLUMNS else transposed(powers)
    totals = [sum(line) for line in lines]
    if not all(totals):
        return None
    weights = tuple(tuple(divide(x, total) for x in line) for line, total in zip(lines, totals, strict=True))
    return weights if lines is powers else transposed(weights)


def _weights_transposed(arithmetic: Arithmetic, operation: Operation, inputs: tuple[Matrix, ...]) -> Matrix | None:
    at = 0 if isinstance(operation, Product) and operation.tokens_as_rows else 1
    weights = inputs[at]
    if shape(weights)[0] != shape(weights)[1] or weights == transposed(weights):
        return None
    return operation.apply(arithmetic, *(transposed(a) if i == at else a for i, a in enumerate(inputs)))


SLIPS: tuple[Slip, ...] = (
    Slip(id="scores-transposed", at=Product, role=Role.SCORES, wrong=_scores_transposed),
    Slip(id="not-scaled", at=ScaleScores, wrong=_not_scaled),
    Slip(id="truncated", at=ScaleScores, wrong=_truncated),
    Slip(id="rounded-up", at=ScaleScores, wrong=_rounded_up),
    Slip(id="times-not-power", at=Power, wrong=_times_not_power),
    Slip(id="negative-power-negated", at=Power, wrong=_negative_powers(lambda power: -power)),
    Slip(id="negative-power-zero", at=Power, wrong=_negative_powers(lambda power: 0)),
    Slip(id="other-axis", at=Divide, wrong=_other_axis),
    Slip(id="weights-A-transposed", at=Product, role=Role.MIXTURE, wrong=_weights_transposed),
)

VETTED_BY_RECIPE_1: tuple[str, ...] = (
    "scores-transposed",
    "not-scaled",
    "truncated",
    "rounded-up",
    "times-not-power",
    "negative-power-negated",
    "negative-power-zero",
    "other-axis",
    "weights-A-transposed",
)
"""Slips that every sheet of recipe 1 shows in at least two cells. Never extended: it decides what a seed gives."""


def slips_at(stage: Stage, ids: tuple[str, ...] | None = None) -> tuple[Slip, ...]:
    """Return the slips that can happen at that stage, among the given ids if any are given."""
    return tuple(slip for slip in SLIPS if slip.distorts(stage) and (ids is None or slip.id in ids))
