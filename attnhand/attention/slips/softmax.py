"""Sums and division by them done wrongly."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.arithmetic import Arithmetic, Base, Scale
from attnhand.attention.matrix import Matrix, mapped, transposed, values
from attnhand.attention.numbers import MINUS_INFINITY, Number, as_decimal, divide, rounded, simplest
from attnhand.attention.operations import Divide, Mask, Power, ScaleScores, Sum
from attnhand.attention.slips.context import Desk, Slip, Wrong, cells, magnitude, on_top, shares
from attnhand.attention.solution import LARGEST_EXPONENT


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


def _totals(a: Matrix) -> tuple[Number, ...]:  # (n, m) -> (n,)
    """Add up every row."""
    return tuple(simplest(sum(row)) for row in a)


def _sums_other_axis(desk: Desk) -> Matrix | None:
    return (_totals(desk.inputs[0]),)


def _grand_total_sums(desk: Desk) -> Matrix | None:
    powers = desk.inputs[0]
    return ((sum(values(powers)),) * len(powers[0]),)


AT_SUMS: tuple[Slip, ...] = (
    # the sums of the rows, written where those of the columns belong
    Slip(id="sums-other-axis", at=Sum, in_columns=_sums_other_axis),
    # one sum of all powers, for every query
    Slip(id="grand-total-sums", at=Sum, in_columns=_grand_total_sums),
)


def _other_axis(desk: Desk) -> Matrix | None:
    powers = desk.inputs[0]
    return transposed(shares(powers)) if all(map(sum, powers)) else None


def _over(bottoms: Callable[[Matrix, Matrix], tuple[Number, ...]]) -> Wrong:
    """Divide each column of powers by something else than its sum: one number a column, from powers and sums."""

    def wrong(desk: Desk) -> Matrix | None:
        powers, sums = desk.inputs
        by = bottoms(powers, sums)
        return shares(transposed(powers), by) if len(by) == len(powers[0]) else None

    return wrong


def _no_exponential(desk: Desk) -> Matrix | None:
    """Divide the exponents themselves; a masked one counts as nothing."""
    exponents = desk.read_at(Power)
    if exponents is None:
        return None
    return shares(transposed(mapped(lambda x: x if math.isfinite(x) else 0, exponents)))


def _rounded_early(desk: Desk) -> Matrix | None:
    """Round the powers to the decimals of the sheet, then add and divide."""
    places = desk.arithmetic.rules.decimals
    return shares(transposed(mapped(lambda power: Fraction(rounded(power, places)), desk.inputs[0])))


def _masked_after(desk: Desk) -> Matrix | None:
    """Divide as if nothing were hidden, then write 0 in the hidden cells."""
    mask, scores = desk.stage_at(Mask), desk.read_at(Mask)
    if mask is None or scores is None or not isinstance(mask.operation, Mask):
        return None
    weights = shares(transposed(mapped(desk.arithmetic.power, scores)))
    hides = mask.operation.hides
    return tuple(tuple(0 if hides(i, j) else value for j, value in enumerate(row)) for i, row in enumerate(weights))


AT_WEIGHTS: tuple[Slip, ...] = (
    Slip(id="other-axis", at=Divide, in_columns=_other_axis, even_if_hidden=True),
    # column j over the sum of row j
    Slip(id="crossed-sums", at=Divide, in_columns=_over(lambda powers, _: _totals(powers))),
    Slip(id="grand-total", at=Divide, in_columns=_over(lambda powers, _: (sum(values(powers)),) * len(powers[0]))),
    # the sum of the first query, for every query
    Slip(id="one-sum-for-all", at=Divide, in_columns=_over(lambda powers, sums: sums[0][:1] * len(powers[0]))),
    Slip(id="over-largest", at=Divide, in_columns=_over(lambda powers, _: tuple(map(max, transposed(powers))))),
    # over the number of tokens that are looked at
    Slip(id="over-count", at=Divide, in_columns=_over(lambda powers, _: (len(powers),) * len(powers[0]))),
    Slip(id="not-divided", at=Divide, in_columns=cells(lambda _, power: power)),
    Slip(id="no-exponential", at=Divide, in_columns=_no_exponential),
    # 1 for the largest, 0 for the others
    Slip(id="one-hot", at=Divide, in_columns=lambda desk: transposed(tuple(map(on_top, transposed(desk.inputs[0]))))),
    Slip(id="rounded-early", at=Divide, in_columns=_rounded_early),
    Slip(id="masked-after", at=Divide, in_columns=_masked_after),
)
