"""Scaling, masking and raising to a power done wrongly."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from attnhand.arithmetic import Arithmetic, Base, Scale
from attnhand.matrix import Matrix, mapped, values
from attnhand.numbers import MINUS_INFINITY, Number, as_decimal, divide
from attnhand.operations import Mask, Power, ScaleScores
from attnhand.slips.building import cells, magnitude
from attnhand.slips.desk import Desk, Slip, Wrong
from attnhand.solution import LARGEST_EXPONENT


def _halving(write: Callable[[Number], Number]) -> Wrong:
    """Go wrong where scores are halved and rounded down: write what the function makes of the score."""

    def wrong(desk: Desk) -> Matrix | None:
        halves = desk.arithmetic.rules.scale is Scale.HALF_FLOOR
        return mapped(write, desk.inputs[0]) if halves else None

    return wrong


def _not_scaled(desk: Desk) -> Matrix | None:
    return None if desk.arithmetic.rules.scale is Scale.NONE else desk.inputs[0]


def _truncated(desk: Desk) -> Matrix | None:
    if min(values(desk.inputs[0])) >= 0:
        return None
    return _halving(lambda score: math.trunc(divide(score, 2)))(desk)


def _over_d_k(desk: Desk) -> Matrix | None:
    """Divide by d_k and, where the rule rounds down, round down."""
    d_k, scale = desk.arithmetic.d_k, desk.arithmetic.rules.scale
    if d_k == 1 or scale is Scale.NONE:
        return None
    quotients = mapped(lambda score: divide(score, d_k), desk.inputs[0])
    return mapped(math.floor, quotients) if scale is Scale.HALF_FLOOR else quotients


def _doubled(desk: Desk) -> Matrix | None:
    halves = desk.arithmetic.rules.scale in (Scale.HALF_FLOOR, 2)
    return mapped(lambda score: score * 2, desk.inputs[0]) if halves else None


AT_SCALING: tuple[Slip, ...] = (
    Slip(id="not-scaled", at=ScaleScores, in_columns=_not_scaled, even_if_hidden=True),
    Slip(id="truncated", at=ScaleScores, in_columns=_truncated, even_if_hidden=True),  # −1/2 taken as 0
    Slip(
        id="rounded-up",
        at=ScaleScores,
        in_columns=_halving(lambda score: math.ceil(divide(score, 2))),
        even_if_hidden=True,
    ),
    Slip(id="half-kept", at=ScaleScores, in_columns=_halving(lambda score: divide(score, 2))),
    # 1/2 taken as 0, 3/2 as 2
    Slip(id="bankers-rounding", at=ScaleScores, in_columns=_halving(lambda score: round(divide(score, 2)))),
    Slip(id="over-d_k", at=ScaleScores, in_columns=_over_d_k),
    Slip(id="doubled", at=ScaleScores, in_columns=_doubled),
    # −3 read as 3
    Slip(id="sign-dropped", at=ScaleScores, in_columns=cells(lambda desk, x: desk.arithmetic.scaled(magnitude(x)))),
)


def _masked(hides: Callable[[int, int], bool], instead: Number = MINUS_INFINITY) -> Wrong:
    """Hide other cells, or write something else in them."""

    def wrong(desk: Desk) -> Matrix | None:
        return tuple(
            tuple(instead if hides(i, j) else value for j, value in enumerate(row))
            for i, row in enumerate(desk.inputs[0])
        )

    return wrong


AT_MASK: tuple[Slip, ...] = (
    Slip(id="zero-for-minus-infinity", at=Mask, in_columns=_masked(Mask().hides, instead=0)),
    Slip(id="other-triangle", at=Mask, in_columns=_masked(lambda i, j: i < j)),
    Slip(id="diagonal-too", at=Mask, in_columns=_masked(lambda i, j: i >= j)),
    Slip(id="mask-forgotten", at=Mask, in_columns=lambda desk: desk.inputs[0]),
)


def _base_as_number(arithmetic: Arithmetic) -> Number:
    return arithmetic.power(1) if arithmetic.rules.base is Base.E else int(arithmetic.rules.base)


def _times(arithmetic: Arithmetic, score: Number) -> Number:
    return _base_as_number(arithmetic) * score  # type: ignore[operator]  # e is never met by a Fraction, see _powers


def _powers(write: Callable[[Arithmetic, Number], Number | None]) -> Wrong:
    """Write something else for the power of a score; None for the power itself. A masked score gives 0."""

    def wrong(desk: Desk) -> Matrix | None:
        def power(score: Number) -> Number:
            if not math.isfinite(score):
                return 0
            if isinstance(score, Fraction) and desk.arithmetic.rules.base is Base.E:
                score = as_decimal(score)
            other = write(desk.arithmetic, score)
            return desk.arithmetic.power(score) if other is None else other

        return mapped(power, desk.inputs[0])

    return wrong


def _negative_powers(write: Callable[[Arithmetic, Number], Number]) -> Wrong:
    """Go wrong at negative exponents only."""
    everywhere = _powers(lambda arithmetic, score: write(arithmetic, score) if score < 0 else None)

    def wrong(desk: Desk) -> Matrix | None:
        any_negative = any(score < 0 and math.isfinite(score) for score in values(desk.inputs[0]))
        return everywhere(desk) if any_negative else None

    return wrong


def _cubed(desk: Desk) -> Matrix | None:
    """Raise the score to the power of the base; no pencil raises anything to the power of e."""
    base = desk.arithmetic.rules.base
    return None if base is Base.E else _powers(lambda _, score: score ** int(base))(desk)


def _unscaled(desk: Desk) -> Matrix | None:
    scores = desk.read_at(ScaleScores)
    if scores is None or max(map(magnitude, values(scores))) > LARGEST_EXPONENT:
        return None
    return tuple(
        tuple(desk.arithmetic.power(score) if math.isfinite(x) else 0 for score, x in zip(*rows, strict=True))
        for rows in zip(scores, desk.inputs[0], strict=True)
    )


def _base_two(arithmetic: Arithmetic, score: Number) -> Number:
    return replace(arithmetic, rules=replace(arithmetic.rules, base=Base.TWO)).power(score)


AT_POWERS: tuple[Slip, ...] = (
    Slip(id="times-not-power", at=Power, in_columns=_powers(_times), even_if_hidden=True),  # 3·x
    Slip(
        id="negative-power-negated",  # 3⁻ᵃ = −3ᵃ
        at=Power,
        in_columns=_negative_powers(lambda arithmetic, score: -arithmetic.power(-score)),
        even_if_hidden=True,
    ),
    Slip(id="negative-power-zero", at=Power, in_columns=_negative_powers(lambda *_: 0), even_if_hidden=True),
    Slip(id="negative-power-times", at=Power, in_columns=_negative_powers(_times)),  # 3⁻ᵃ = −3a
    Slip(
        id="negative-power-over-product",  # 3⁻ᵃ = 1/(3a)
        at=Power,
        in_columns=_negative_powers(lambda arithmetic, score: divide(1, _times(arithmetic, -score))),
    ),
    Slip(id="cubed", at=Power, in_columns=_cubed),  # x³
    Slip(id="zero-power-zero", at=Power, in_columns=_powers(lambda _, score: None if score else 0)),
    Slip(
        id="zero-power-base",  # 3⁰ = 3
        at=Power,
        in_columns=_powers(lambda arithmetic, score: None if score else _base_as_number(arithmetic)),
    ),
    Slip(id="power-of-magnitude", at=Power, in_columns=_powers(lambda arithmetic, x: arithmetic.power(magnitude(x)))),
    Slip(id="unscaled-exponent", at=Power, in_columns=_unscaled),
    Slip(id="base-two", at=Power, in_columns=_powers(_base_two)),
)
