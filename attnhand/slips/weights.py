"""Sums and division by them done wrongly."""

import math
from collections.abc import Callable
from fractions import Fraction

from attnhand.matrix import Matrix, mapped, transposed, values
from attnhand.numbers import Number, rounded, simplest
from attnhand.operations import Divide, Mask, Power, Sum
from attnhand.slips.building import cells, on_top, shares
from attnhand.slips.desk import Desk, Slip, Wrong


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
