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
    return None if min(flatten(context.inputs[0])) >= 0 else _make_rounding_slip(math.trunc)(context)


def _divide_by_d_k(context: StageContext) -> Matrix | None:
    """Divide by d_k and, where the rule rounds down, round down."""
    arithmetic = context.arithmetic
    if arithmetic.d_k == 1 or not arithmetic.is_scaling:
        return None
    quotients = map_cells(lambda score: divide(score, arithmetic.d_k), context.inputs[0])
    return map_cells(math.floor, quotients) if arithmetic.rules.is_rounded_down else quotients


def _multiply_by_divisor(context: StageContext) -> Matrix | None:
    """Multiply where a small number divides: nobody takes ×4 for ÷4."""
    return map_cells(lambda score: score * 2, context.inputs[0]) if context.arithmetic.rules.divisor == 2 else None


SCALING_SLIPS: tuple[Slip, ...] = (
    Slip("not-scaled", ScaleScores, _skip_scaling, applies_when_hidden=True),
    Slip("truncated", ScaleScores, _truncate_quotients, applies_when_hidden=True),  # −1/2 taken as 0
    Slip("rounded-up", ScaleScores, _make_rounding_slip(math.ceil), applies_when_hidden=True),
    Slip("half-kept", ScaleScores, _make_rounding_slip(lambda quotient: quotient)),
    Slip("bankers-rounding", ScaleScores, _make_rounding_slip(round)),  # 1/2 taken as 0, 3/2 as 2
    Slip("over-d_k", ScaleScores, _divide_by_d_k),
    Slip("doubled", ScaleScores, _multiply_by_divisor),
    Slip(
        "sign-dropped", ScaleScores, make_cell_slip(lambda at, x: at.arithmetic.scale_score(drop_sign(x)))
    ),  # −3 read as 3
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


def _make_window_slip(change_window: Callable[[int], int | None]) -> SlipFunction:
    """See another number of tokens than the window holds; where there is no window there is no such slip."""

    def wrong(context: StageContext) -> Matrix | None:
        mask = context.operation
        if not isinstance(mask, Mask) or mask.window is None:
            return None
        return replace(mask, window=change_window(mask.window)).apply(context.arithmetic, *context.inputs)

    return wrong


MASK_SLIPS: tuple[Slip, ...] = (
    Slip("zero-for-minus-infinity", Mask, _make_mask_slip(Mask.hides, replacement=0)),
    Slip("other-triangle", Mask, _make_mask_slip(lambda mask, key, query: mask.hides(query, key))),
    Slip("diagonal-too", Mask, _make_mask_slip(lambda mask, key, query: mask.hides(key, query) or key == query)),
    Slip("mask-forgotten", Mask, lambda context: context.inputs[0]),
    Slip("window-forgotten", Mask, _make_window_slip(lambda _: None)),
    Slip("window-too-wide", Mask, _make_window_slip(lambda window: window + 1)),
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


def _make_negative_slip(compute_cell: Callable[[Arithmetic, Number], Number]) -> SlipFunction:
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


def _raise_e(arithmetic: Arithmetic, score: Number) -> Number:
    return replace(arithmetic, rules=replace(arithmetic.rules, base=Base.E)).raise_base(score)


POWER_SLIPS: tuple[Slip, ...] = (
    Slip("times-not-power", Power, _make_power_slip(_multiply_by_base), applies_when_hidden=True),  # 3·x
    Slip(
        "negative-power-negated",
        Power,
        _make_negative_slip(lambda rules, x: -rules.raise_base(-x)),
        applies_when_hidden=True,
    ),  # 3⁻ᵃ = −3ᵃ
    Slip("negative-power-zero", Power, _make_negative_slip(lambda *_: 0), applies_when_hidden=True),
    Slip("negative-power-times", Power, _make_negative_slip(_multiply_by_base)),  # 3⁻ᵃ = −3a
    Slip(
        "negative-power-over-product",
        Power,
        _make_negative_slip(lambda rules, x: divide(1, _multiply_by_base(rules, -x))),
    ),  # 3⁻ᵃ = 1/(3a)
    Slip("cubed", Power, _raise_score_to_base),  # x³
    Slip("zero-power-zero", Power, _make_power_slip(lambda _, score: None if score else 0)),
    Slip("zero-power-base", Power, _make_power_slip(lambda rules, x: None if x else _get_base(rules))),  # 3⁰ = 3
    Slip("power-of-magnitude", Power, _make_power_slip(lambda rules, x: rules.raise_base(drop_sign(x)))),
    Slip("unscaled-exponent", Power, _raise_to_unscaled_scores),
    Slip("base-two", Power, _make_power_slip(_raise_two)),
    Slip("base-e", Power, _make_power_slip(_raise_e)),  # where another number stands for it
)


def _sum_rows(a: Matrix) -> tuple[Number, ...]:  # (n, m) -> (n,)
    """Add up every row."""
    return tuple(simplify(sum(row)) for row in a)


def _write_grand_total(context: StageContext) -> Matrix | None:
    """Write one sum of all powers for every query."""
    powers = context.inputs[0]
    return ((sum(flatten(powers)),) * len(powers[0]),)


SUM_SLIPS: tuple[Slip, ...] = (
    Slip("sums-other-axis", Sum, lambda at: (_sum_rows(at.inputs[0]),)),  # where those of the columns belong
    Slip("grand-total-sums", Sum, _write_grand_total),
)


def _divide_by_row_sums(context: StageContext) -> Matrix | None:
    powers = context.inputs[0]
    return transpose(divide_by_totals(powers)) if all(map(sum, powers)) else None


def _divide_columns_by(choose_divisors: Callable[[Matrix, Matrix], tuple[Number, ...]]) -> SlipFunction:
    """Divide each column of powers by something else than its sum: one number a column, from powers and sums."""

    def wrong(context: StageContext) -> Matrix | None:
        powers, sums = context.inputs
        by = choose_divisors(powers, sums)
        return divide_by_totals(transpose(powers), by) if len(by) == len(powers[0]) else None

    return wrong


def _skip_exponential(context: StageContext) -> Matrix | None:
    """Divide the exponents themselves; a masked one counts as nothing."""
    exponents = context.find_input(Power)
    return (
        None
        if exponents is None
        else divide_by_totals(transpose(map_cells(lambda x: x if is_finite(x) else 0, exponents)))
    )


def _round_powers_early(context: StageContext) -> Matrix | None:
    """Round the powers to the decimals of the sheet, then add and divide."""
    places = context.arithmetic.rules.decimals
    powers = map_cells(lambda power: Fraction(format_decimal(power, places)), context.inputs[0])
    return divide_by_totals(transpose(powers))


def _mask_after_dividing(context: StageContext) -> Matrix | None:
    """Divide as if nothing were hidden, then write 0 in the hidden cells."""
    mask, scores = context.find_stage(Mask), context.find_input(Mask)
    if mask is None or scores is None or not isinstance(mask.operation, Mask):
        return None
    weights = divide_by_totals(transpose(map_cells(context.arithmetic.raise_base, scores)))
    hides = mask.operation.hides
    return tuple(tuple(0 if hides(i, j) else value for j, value in enumerate(row)) for i, row in enumerate(weights))


def _mark_top_tokens(context: StageContext) -> Matrix | None:
    """Write 1 for the largest of a column, 0 for the others."""
    return transpose(tuple(map(mark_largest, transpose(context.inputs[0]))))


WEIGHT_SLIPS: tuple[Slip, ...] = (
    Slip("other-axis", Divide, _divide_by_row_sums, applies_when_hidden=True),
    # column j over the sum of row j
    Slip("crossed-sums", Divide, _divide_columns_by(lambda powers, _: _sum_rows(powers))),
    Slip("grand-total", Divide, _divide_columns_by(lambda powers, _: (sum(flatten(powers)),) * len(powers[0]))),
    # the sum of the first query, for every query
    Slip("one-sum-for-all", Divide, _divide_columns_by(lambda powers, sums: sums[0][:1] * len(powers[0]))),
    Slip("over-largest", Divide, _divide_columns_by(lambda powers, _: tuple(map(max, transpose(powers))))),
    # over the number of tokens that are looked at
    Slip("over-count", Divide, _divide_columns_by(lambda powers, _: (len(powers),) * len(powers[0]))),
    Slip("not-divided", Divide, make_cell_slip(lambda _, power: power)),
    Slip("no-exponential", Divide, _skip_exponential),
    Slip("one-hot", Divide, _mark_top_tokens),
    Slip("rounded-early", Divide, _round_powers_early),
    Slip("masked-after", Divide, _mask_after_dividing),
)
