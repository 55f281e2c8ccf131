"""Sums and division by them done wrongly."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.arithmetic import Arithmetic, Base
from attnhand.attention.matrix import Matrix, flatten, map_cells, transpose
from attnhand.attention.numbers import MINUS_INFINITY, Number, divide, format_decimal, is_finite, simplify, to_decimal
from attnhand.attention.operations import Divide, Mask, Power, ScaleScores, Sum, find_large_exponent
from attnhand.attention.slips.context import (
    Slip,
    SlipFunction,
    StageContext,
    divide_by_totals,
    drop_sign,
    make_cell_slip,
    mark_largest,
)


def _make_rounding_slip(round_quotient: Callable[[Number], Number]) -> SlipFunction:
    """Go wrong where scores are divided and rounded down: write what the function makes of the quotient."""

    def wrong(context: StageContext) -> Matrix | None:
        arithmetic = context.arithmetic
        if not arithmetic.rules.is_rounded_down:
            return None
        return map_cells(lambda score: round_quotient(arithmetic.divide_unrounded(score)), context.inputs[0])

    return wrong


def _skip_scaling(context: StageContext) -> Matrix | None:
    return context.inputs[0] if context.arithmetic.is_scaling else None


def _truncate_quotients(context: StageContext) -> Matrix | None:
    if min(flatten(context.inputs[0])) >= 0:
        return None
    return _make_rounding_slip(math.trunc)(context)


def _divide_by_d_k(context: StageContext) -> Matrix | None:
    """Divide by d_k and, where the rule rounds down, round down."""
    arithmetic = context.arithmetic
    if arithmetic.d_k == 1 or not arithmetic.is_scaling:
        return None
    quotients = map_cells(lambda score: divide(score, arithmetic.d_k), context.inputs[0])
    return map_cells(math.floor, quotients) if arithmetic.rules.is_rounded_down else quotients


def _multiply_by_divisor(context: StageContext) -> Matrix | None:
    """Multiply where a small number divides: nobody takes ×4 for ÷4."""
    if context.arithmetic.rules.divisor != 2:
        return None
    return map_cells(lambda score: score * 2, context.inputs[0])


SCALING_SLIPS: tuple[Slip, ...] = (
    Slip(id="not-scaled", operation_type=ScaleScores, compute_in_columns=_skip_scaling, is_kept_when_hidden=True),
    Slip(
        id="truncated", operation_type=ScaleScores, compute_in_columns=_truncate_quotients, is_kept_when_hidden=True
    ),  # −1/2 taken as 0
    Slip(
        id="rounded-up",
        operation_type=ScaleScores,
        compute_in_columns=_make_rounding_slip(math.ceil),
        is_kept_when_hidden=True,
    ),
    Slip(
        id="half-kept",
        operation_type=ScaleScores,
        compute_in_columns=_make_rounding_slip(lambda quotient: quotient),
    ),
    # 1/2 taken as 0, 3/2 as 2
    Slip(
        id="bankers-rounding",
        operation_type=ScaleScores,
        compute_in_columns=_make_rounding_slip(round),
    ),
    Slip(id="over-d_k", operation_type=ScaleScores, compute_in_columns=_divide_by_d_k),
    Slip(id="doubled", operation_type=ScaleScores, compute_in_columns=_multiply_by_divisor),
    # −3 read as 3
    Slip(
        id="sign-dropped",
        operation_type=ScaleScores,
        compute_in_columns=make_cell_slip(lambda context, x: context.arithmetic.scale_score(drop_sign(x))),
    ),
)


def _make_mask_slip(hides: Callable[[Mask, int, int], bool], replacement: Number = MINUS_INFINITY) -> SlipFunction:
    """Hide other cells than the mask does, key by query, or write something else in them."""

    def wrong(context: StageContext) -> Matrix | None:
        mask = context.operation
        assert isinstance(mask, Mask)
        return tuple(
            tuple(replacement if hides(mask, key, query) else value for query, value in enumerate(row))
            for key, row in enumerate(context.inputs[0])
        )

    return wrong


def _forget_window(context: StageContext) -> Matrix | None:
    """Hide later tokens alone."""
    mask = context.operation
    assert isinstance(mask, Mask)
    return None if mask.window is None else context.recompute_as(replace(mask, window=None))


def _widen_window(context: StageContext) -> Matrix | None:
    """See so many tokens before one's own, which is one more than the window holds."""
    mask = context.operation
    assert isinstance(mask, Mask)
    return None if mask.window is None else context.recompute_as(replace(mask, window=mask.window + 1))


MASK_SLIPS: tuple[Slip, ...] = (
    Slip(
        id="zero-for-minus-infinity",
        operation_type=Mask,
        compute_in_columns=_make_mask_slip(Mask.hides, replacement=0),
    ),
    Slip(
        id="other-triangle",
        operation_type=Mask,
        compute_in_columns=_make_mask_slip(lambda mask, key, query: mask.hides(query, key)),
    ),
    Slip(
        id="diagonal-too",
        operation_type=Mask,
        compute_in_columns=_make_mask_slip(lambda mask, key, query: mask.hides(key, query) or key == query),
    ),
    Slip(id="mask-forgotten", operation_type=Mask, compute_in_columns=lambda context: context.inputs[0]),
    Slip(id="window-forgotten", operation_type=Mask, compute_in_columns=_forget_window),
    Slip(id="window-too-wide", operation_type=Mask, compute_in_columns=_widen_window),
)


def _get_base(arithmetic: Arithmetic) -> Number:
    return arithmetic.rules.base.whole or arithmetic.raise_base(1)


def _multiply_by_base(arithmetic: Arithmetic, score: Number) -> Number:
    return _get_base(arithmetic) * score  # type: ignore[operator]  # e is never met by a Fraction, see _powers


def _make_power_slip(compute_cell: Callable[[Arithmetic, Number], Number | None]) -> SlipFunction:
    """Write something else for the power of a score; None for the power itself. A masked score gives 0."""

    def wrong(context: StageContext) -> Matrix | None:
        def power(score: Number) -> Number:
            if not is_finite(score):
                return 0
            if isinstance(score, Fraction) and context.arithmetic.rules.base.whole is None:
                score = to_decimal(score)
            other = compute_cell(context.arithmetic, score)
            return context.arithmetic.raise_base(score) if other is None else other

        return map_cells(power, context.inputs[0])

    return wrong


def _make_negative_power_slip(compute_cell: Callable[[Arithmetic, Number], Number]) -> SlipFunction:
    """Go wrong at negative exponents only."""
    everywhere = _make_power_slip(lambda arithmetic, score: compute_cell(arithmetic, score) if score < 0 else None)

    def wrong(context: StageContext) -> Matrix | None:
        any_negative = any(score < 0 and is_finite(score) for score in flatten(context.inputs[0]))
        return everywhere(context) if any_negative else None

    return wrong


def _raise_score_to_base(context: StageContext) -> Matrix | None:
    """Raise the score to the power of the base; no pencil raises anything to the power of e."""
    base = context.arithmetic.rules.base.whole
    return None if base is None else _make_power_slip(lambda _, score: score**base)(context)


def _raise_to_unscaled_scores(context: StageContext) -> Matrix | None:
    scores = context.find_input(ScaleScores)
    if scores is None or find_large_exponent(context.arithmetic, scores):
        return None
    return tuple(
        tuple(context.arithmetic.raise_base(score) if is_finite(x) else 0 for score, x in zip(*rows, strict=True))
        for rows in zip(scores, context.inputs[0], strict=True)
    )


def _raise_two(arithmetic: Arithmetic, score: Number) -> Number:
    return replace(arithmetic, rules=replace(arithmetic.rules, base=Base.TWO)).raise_base(score)


POWER_SLIPS: tuple[Slip, ...] = (
    Slip(
        id="times-not-power",
        operation_type=Power,
        compute_in_columns=_make_power_slip(_multiply_by_base),
        is_kept_when_hidden=True,
    ),  # 3·x
    Slip(
        id="negative-power-negated",  # 3⁻ᵃ = −3ᵃ
        operation_type=Power,
        compute_in_columns=_make_negative_power_slip(lambda arithmetic, score: -arithmetic.raise_base(-score)),
        is_kept_when_hidden=True,
    ),
    Slip(
        id="negative-power-zero",
        operation_type=Power,
        compute_in_columns=_make_negative_power_slip(lambda *_: 0),
        is_kept_when_hidden=True,
    ),
    Slip(
        id="negative-power-times", operation_type=Power, compute_in_columns=_make_negative_power_slip(_multiply_by_base)
    ),  # 3⁻ᵃ = −3a
    Slip(
        id="negative-power-over-product",  # 3⁻ᵃ = 1/(3a)
        operation_type=Power,
        compute_in_columns=_make_negative_power_slip(
            lambda arithmetic, score: divide(1, _multiply_by_base(arithmetic, -score))
        ),
    ),
    Slip(id="cubed", operation_type=Power, compute_in_columns=_raise_score_to_base),  # x³
    Slip(
        id="zero-power-zero",
        operation_type=Power,
        compute_in_columns=_make_power_slip(lambda _, score: None if score else 0),
    ),
    Slip(
        id="zero-power-base",  # 3⁰ = 3
        operation_type=Power,
        compute_in_columns=_make_power_slip(lambda arithmetic, score: None if score else _get_base(arithmetic)),
    ),
    Slip(
        id="power-of-magnitude",
        operation_type=Power,
        compute_in_columns=_make_power_slip(lambda arithmetic, x: arithmetic.raise_base(drop_sign(x))),
    ),
    Slip(id="unscaled-exponent", operation_type=Power, compute_in_columns=_raise_to_unscaled_scores),
    Slip(id="base-two", operation_type=Power, compute_in_columns=_make_power_slip(_raise_two)),
)


def _sum_rows(a: Matrix) -> tuple[Number, ...]:  # (n, m) -> (n,)
    """Add up every row."""
    return tuple(simplify(sum(row)) for row in a)


def _write_row_sums(context: StageContext) -> Matrix | None:
    return (_sum_rows(context.inputs[0]),)


def _write_grand_total(context: StageContext) -> Matrix | None:
    powers = context.inputs[0]
    return ((sum(flatten(powers)),) * len(powers[0]),)


SUM_SLIPS: tuple[Slip, ...] = (
    # the sums of the rows, written where those of the columns belong
    Slip(id="sums-other-axis", operation_type=Sum, compute_in_columns=_write_row_sums),
    # one sum of all powers, for every query
    Slip(id="grand-total-sums", operation_type=Sum, compute_in_columns=_write_grand_total),
)


def _divide_by_row_sums(context: StageContext) -> Matrix | None:
    powers = context.inputs[0]
    return transpose(divide_by_totals(powers)) if all(map(sum, powers)) else None


def _make_divisor_slip(choose_divisors: Callable[[Matrix, Matrix], tuple[Number, ...]]) -> SlipFunction:
    """Divide each column of powers by something else than its sum: one number a column, from powers and sums."""

    def wrong(context: StageContext) -> Matrix | None:
        powers, sums = context.inputs
        by = choose_divisors(powers, sums)
        return divide_by_totals(transpose(powers), by) if len(by) == len(powers[0]) else None

    return wrong


def _skip_exponential(context: StageContext) -> Matrix | None:
    """Divide the exponents themselves; a masked one counts as nothing."""
    exponents = context.find_input(Power)
    if exponents is None:
        return None
    return divide_by_totals(transpose(map_cells(lambda x: x if is_finite(x) else 0, exponents)))


def _round_powers_early(context: StageContext) -> Matrix | None:
    """Round the powers to the decimals of the sheet, then add and divide."""
    places = context.arithmetic.rules.decimals
    return divide_by_totals(
        transpose(map_cells(lambda power: Fraction(format_decimal(power, places)), context.inputs[0]))
    )


def _mask_after_dividing(context: StageContext) -> Matrix | None:
    """Divide as if nothing were hidden, then write 0 in the hidden cells."""
    mask, scores = context.find_stage(Mask), context.find_input(Mask)
    if mask is None or scores is None or not isinstance(mask.operation, Mask):
        return None
    weights = divide_by_totals(transpose(map_cells(context.arithmetic.raise_base, scores)))
    hides = mask.operation.hides
    return tuple(tuple(0 if hides(i, j) else value for j, value in enumerate(row)) for i, row in enumerate(weights))


WEIGHT_SLIPS: tuple[Slip, ...] = (
    Slip(id="other-axis", operation_type=Divide, compute_in_columns=_divide_by_row_sums, is_kept_when_hidden=True),
    # column j over the sum of row j
    Slip(
        id="crossed-sums",
        operation_type=Divide,
        compute_in_columns=_make_divisor_slip(lambda powers, _: _sum_rows(powers)),
    ),
    Slip(
        id="grand-total",
        operation_type=Divide,
        compute_in_columns=_make_divisor_slip(lambda powers, _: (sum(flatten(powers)),) * len(powers[0])),
    ),
    # the sum of the first query, for every query
    Slip(
        id="one-sum-for-all",
        operation_type=Divide,
        compute_in_columns=_make_divisor_slip(lambda powers, sums: sums[0][:1] * len(powers[0])),
    ),
    Slip(
        id="over-largest",
        operation_type=Divide,
        compute_in_columns=_make_divisor_slip(lambda powers, _: tuple(map(max, transpose(powers)))),
    ),
    # over the number of tokens that are looked at
    Slip(
        id="over-count",
        operation_type=Divide,
        compute_in_columns=_make_divisor_slip(lambda powers, _: (len(powers),) * len(powers[0])),
    ),
    Slip(id="not-divided", operation_type=Divide, compute_in_columns=make_cell_slip(lambda _, power: power)),
    Slip(id="no-exponential", operation_type=Divide, compute_in_columns=_skip_exponential),
    # 1 for the largest, 0 for the others
    Slip(
        id="one-hot",
        operation_type=Divide,
        compute_in_columns=lambda context: transpose(tuple(map(mark_largest, transpose(context.inputs[0])))),
    ),
    Slip(id="rounded-early", operation_type=Divide, compute_in_columns=_round_powers_early),
    Slip(id="masked-after", operation_type=Divide, compute_in_columns=_mask_after_dividing),
)
