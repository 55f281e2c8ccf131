"""Values mixed wrongly, and what becomes of the outputs: heads joined wrongly, ReLU done wrongly."""

from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.operations import Concatenate, Divide, Product, ProductRole, ReLU
from attnhand.attention.slips.context import (
    Slip,
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


def _mix_by_scores(context: StageContext) -> Matrix | None:
    scores = context.find_stage(Product, ProductRole.SCORES)
    return None if scores is None else multiply_or_none(context.inputs[0], context.matrices.get(scores.name))


def _mix_inputs(context: StageContext) -> Matrix | None:
    projection = context.find_projection(context.stage.input_names[0])
    tokens = None if projection is None else context.matrices.get(projection.input_names[-1])
    return multiply_or_none(tokens, context.inputs[1])


def _copy_top_value(context: StageContext) -> Matrix | None:
    V, A = context.inputs
    return multiply_or_none(V, transpose(tuple(map(mark_largest, transpose(A)))))


_MIXTURES = (ProductRole.MIXTURE,)

MIXTURE_SLIPS: tuple[Slip, ...] = (
    Slip("weights-A-transposed", Product, _transpose_weights, _MIXTURES, applies_when_hidden=True),  # V Aᵀ
    Slip("powers-for-weights", Product, lambda at: multiply_or_none(at.inputs[0], at.find_input(Divide)), _MIXTURES),
    Slip("scores-for-weights", Product, _mix_by_scores, _MIXTURES),
    Slip("keys-for-values", Product, lambda at: multiply_or_none(at.keys, at.inputs[1]), _MIXTURES),  # K A
    Slip("queries-for-values", Product, lambda at: multiply_or_none(at.queries, at.inputs[1]), _MIXTURES),  # Q A
    Slip("inputs-for-values", Product, _mix_inputs, _MIXTURES, has_same_shape=False),  # X A, in cross-attention M A
    Slip("top-token-copied", Product, _copy_top_value, _MIXTURES),
)


def _add_heads(context: StageContext) -> Matrix | None:
    rows = (zip(*vectors, strict=True) for vectors in zip(*context.inputs, strict=True))
    return tuple(tuple(sum(cell) for cell in row) for row in rows)


def _interleave_heads(context: StageContext) -> Matrix | None:
    """Take the first row of every head, then the second of every head."""
    return tuple(row for rows in zip(*context.inputs, strict=True) for row in rows)


CONCATENATION_SLIPS: tuple[Slip, ...] = (
    Slip("heads-exchanged", Concatenate, lambda at: at.recompute(*at.inputs[::-1])),  # the last head first
    Slip("heads-interleaved", Concatenate, _interleave_heads),
    Slip("heads-added", Concatenate, _add_heads, has_same_shape=False),
)

RELU_SLIPS: tuple[Slip, ...] = (
    Slip("relu-forgotten", ReLU, make_cell_slip(lambda _, value: value)),
    Slip("relu-of-magnitude", ReLU, make_cell_slip(lambda _, value: drop_sign(value))),
    Slip("relu-other-side", ReLU, make_cell_slip(lambda _, value: min(value, 0))),  # 0 for everything positive
)
