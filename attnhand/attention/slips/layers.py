"""Values mixed wrongly, and what becomes of the outputs: heads joined wrongly, ReLU done wrongly."""

from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.operations import Concatenate, Divide, Product, ProductRole, ReLU
from attnhand.attention.slips.context import (
    Slip,
    SlipFunction,
    StageContext,
    drop_sign,
    is_asymmetric,
    make_cell_slip,
    mark_largest,
    multiply_or_none,
)


def _transpose_weights(context: StageContext) -> Matrix | None:
    V, A = context.inputs
    return context.recompute(V, transpose(A)) if is_asymmetric(A) else None


def _mix_inputs(context: StageContext) -> Matrix | None:
    projection = context.find_projection(context.stage.input_names[0])
    return (
        None
        if projection is None
        else multiply_or_none(context.matrices.get(projection.input_names[-1]), context.inputs[1])
    )


def _copy_top_value(context: StageContext) -> Matrix | None:
    V, A = context.inputs
    return multiply_or_none(V, transpose(tuple(map(mark_largest, transpose(A)))))


def _make_mixture_slip(
    slip_id: str, compute_in_columns: SlipFunction, *, has_same_shape: bool = True, is_kept_when_hidden: bool = False
) -> Slip:
    return Slip(
        id=slip_id,
        operation_type=Product,
        roles=(ProductRole.MIXTURE,),
        compute_in_columns=compute_in_columns,
        has_same_shape=has_same_shape,
        is_kept_when_hidden=is_kept_when_hidden,
    )


MIXTURE_SLIPS: tuple[Slip, ...] = (
    _make_mixture_slip("weights-A-transposed", _transpose_weights, is_kept_when_hidden=True),  # V Aᵀ
    _make_mixture_slip(
        "powers-for-weights", lambda context: multiply_or_none(context.inputs[0], context.find_input(Divide))
    ),
    _make_mixture_slip(
        "scores-for-weights",
        lambda context: multiply_or_none(context.inputs[0], context.find_output(Product, ProductRole.SCORES)),
    ),
    _make_mixture_slip("keys-for-values", lambda context: multiply_or_none(context.keys, context.inputs[1])),  # K A
    _make_mixture_slip(
        "queries-for-values", lambda context: multiply_or_none(context.queries, context.inputs[1])
    ),  # Q A
    _make_mixture_slip("inputs-for-values", _mix_inputs, has_same_shape=False),  # X A, in cross-attention M A
    _make_mixture_slip("top-token-copied", _copy_top_value),
)


def _add_heads(context: StageContext) -> Matrix | None:
    rows = (zip(*lines, strict=True) for lines in zip(*context.inputs, strict=True))
    return tuple(tuple(sum(cell) for cell in row) for row in rows)


def _interleave_heads(context: StageContext) -> Matrix | None:
    """Take the first row of every head, then the second of every head."""
    return tuple(row for rows in zip(*context.inputs, strict=True) for row in rows)


CONCATENATION_SLIPS: tuple[Slip, ...] = (
    # the last head first
    Slip(
        id="heads-exchanged",
        operation_type=Concatenate,
        compute_in_columns=lambda context: context.recompute(*context.inputs[::-1]),
    ),
    Slip(id="heads-interleaved", operation_type=Concatenate, compute_in_columns=_interleave_heads),
    Slip(id="heads-added", operation_type=Concatenate, compute_in_columns=_add_heads, has_same_shape=False),
)

RELU_SLIPS: tuple[Slip, ...] = (
    Slip(id="relu-forgotten", operation_type=ReLU, compute_in_columns=make_cell_slip(lambda _, value: value)),
    Slip(
        id="relu-of-magnitude",
        operation_type=ReLU,
        compute_in_columns=make_cell_slip(lambda _, value: drop_sign(value)),
    ),
    # 0 for everything positive
    Slip(id="relu-other-side", operation_type=ReLU, compute_in_columns=make_cell_slip(lambda _, value: min(value, 0))),
)
