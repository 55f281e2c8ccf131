"""Matrices multiplied wrongly: projections and layers, then keys compared with queries."""

from attnhand.attention.matrix import Matrix, map_cells, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.operations import Product, ProductRole
from attnhand.attention.slips.context import (
    Slip,
    SlipFunction,
    StageContext,
    drop_sign,
    is_asymmetric,
    multiply_or_none,
    transpose_or_none,
)


def _multiply_by_weights_of(context: StageContext, stage: Stage | None) -> Matrix | None:
    """Multiply the tokens by the weights of another stage."""
    return None if stage is None else multiply_or_none(context.matrices.get(stage.input_names[0]), context.inputs[-1])


def _make_exchanged_weights_slip(for_queries: str, for_keys: str, for_values: str) -> SlipFunction:
    """Take the weights of Q, K or V for those of another of them; a mechanism may have further projections."""

    def wrong(context: StageContext) -> Matrix | None:
        scores, outputs = (
            context.find_stage(Product, ProductRole.SCORES),
            context.find_stage(Product, ProductRole.MIXTURE),
        )
        if scores is None or outputs is None:
            return None
        name = {"K": scores.input_names[0], "Q": scores.input_names[1], "V": outputs.input_names[0]}
        taken = {name["Q"]: for_queries, name["K"]: for_keys, name["V"]: for_values}
        of = taken.get(context.stage.name)
        return None if of is None else _multiply_by_weights_of(context, context.find_projection(name[of]))

    return wrong


def _use_next_head_weights(context: StageContext) -> Matrix | None:
    same_topic = [stage for stage in context.mechanism.stages if stage.topic == context.stage.topic]
    after = same_topic[(same_topic.index(context.stage) + 1) % len(same_topic)]
    return _multiply_by_weights_of(context, after)


def _transpose_weights(context: StageContext) -> Matrix | None:
    W, *others = context.inputs
    return context.recompute(transpose(W), *others) if is_asymmetric(W) else None


def _ignore_signs(context: StageContext) -> Matrix | None:
    return context.recompute(*(map_cells(drop_sign, a) for a in context.inputs))


def _forget_last_product(context: StageContext) -> Matrix | None:
    W, *bias, X = context.inputs
    if len(X) == 1:
        return None
    return context.recompute(tuple(row[:-1] for row in W), *bias, X[:-1])


def _swap_operands(context: StageContext) -> Matrix | None:
    return multiply_or_none(context.inputs[1], context.inputs[0]) if len(context.inputs) == 2 else None


def _multiply_elementwise(context: StageContext) -> Matrix | None:
    left, right = context.inputs[0], context.inputs[-1]
    if shape(left) != shape(right) or len(context.inputs) > 2:
        return None
    return tuple(
        tuple(x * y for x, y in zip(*rows, strict=True))  # type: ignore[operator]  # of one kind
        for rows in zip(left, right, strict=True)
    )


def _forget_bias(context: StageContext) -> Matrix | None:
    return multiply_or_none(context.inputs[0], context.inputs[-1]) if len(context.inputs) == 3 else None


def _add_bias_across(context: StageContext) -> Matrix | None:
    """Add the bias of row j to column j."""
    product = _forget_bias(context)
    if product is None or shape(product)[0] != shape(product)[1]:
        return None
    bias = tuple(row[0] for row in context.inputs[1])
    return tuple(
        tuple(value + b for value, b in zip(row, bias, strict=True))  # type: ignore[operator]  # of one kind
        for row in product
    )


_PROJECTION_ROLES, _WEIGHTED_ROLES = (ProductRole.PROJECTION,), (ProductRole.PROJECTION, ProductRole.LAYER)
_UNTRANSPOSED_ROLES = (ProductRole.PROJECTION, ProductRole.MIXTURE, ProductRole.LAYER)

PROJECTION_SLIPS: tuple[Slip, ...] = (
    # W_K for W_Q, W_Q for W_K, W_K for W_V
    Slip(
        id="other-weights",
        operation_type=Product,
        roles=_PROJECTION_ROLES,
        compute_in_columns=_make_exchanged_weights_slip("K", "Q", "K"),
    ),
    # W_V for W_Q, W_V for W_K, W_Q for W_V
    Slip(
        id="third-weights",
        operation_type=Product,
        roles=_PROJECTION_ROLES,
        compute_in_columns=_make_exchanged_weights_slip("V", "V", "Q"),
    ),
    # the weights of the next head, of the first at the last
    Slip(
        id="weights-of-other-head",
        operation_type=Product,
        roles=_PROJECTION_ROLES,
        compute_in_columns=_use_next_head_weights,
    ),
    Slip(
        id="weights-transposed", operation_type=Product, roles=_WEIGHTED_ROLES, compute_in_columns=_transpose_weights
    ),  # Wᵀ X
    Slip(id="signs-ignored", operation_type=Product, roles=_WEIGHTED_ROLES, compute_in_columns=_ignore_signs),
    Slip(
        id="last-product-forgotten",
        operation_type=Product,
        roles=_WEIGHTED_ROLES,
        compute_in_columns=_forget_last_product,
    ),
    # X W, A V
    Slip(
        id="operands-swapped",
        operation_type=Product,
        roles=_UNTRANSPOSED_ROLES,
        compute_in_columns=_swap_operands,
        has_same_shape=False,
    ),
    # cell times cell
    Slip(
        id="elementwise",
        operation_type=Product,
        roles=tuple(ProductRole),
        compute_in_columns=_multiply_elementwise,
        has_same_shape=False,
    ),
    Slip(id="bias-forgotten", operation_type=Product, roles=(ProductRole.LAYER,), compute_in_columns=_forget_bias),
    # b along the other axis
    Slip(id="bias-other-axis", operation_type=Product, roles=(ProductRole.LAYER,), compute_in_columns=_add_bias_across),
)


def _transpose_scores(context: StageContext) -> Matrix | None:
    right = context.compute_correct()
    return transpose(right) if is_asymmetric(right) else None


def _find_tokens(context: StageContext, index: int) -> Matrix | None:
    """Return the tokens that the keys (0) or the queries (1) were made from."""
    projection = context.find_projection(context.stage.input_names[index])
    return None if projection is None else context.matrices.get(projection.input_names[-1])


def _make_score_slip(
    slip_id: str, compute_in_columns: SlipFunction, *, has_same_shape: bool = True, is_kept_when_hidden: bool = False
) -> Slip:
    return Slip(
        id=slip_id,
        operation_type=Product,
        roles=(ProductRole.SCORES,),
        compute_in_columns=compute_in_columns,
        has_same_shape=has_same_shape,
        is_kept_when_hidden=is_kept_when_hidden,
    )


SCORE_SLIPS: tuple[Slip, ...] = (
    _make_score_slip("scores-transposed", _transpose_scores, is_kept_when_hidden=True),  # Qᵀ K
    # K Qᵀ
    _make_score_slip(
        "other-operand-transposed",
        lambda context: multiply_or_none(context.keys, transpose_or_none(context.queries)),
        has_same_shape=False,
    ),
    _make_score_slip("not-transposed", lambda context: multiply_or_none(context.keys, context.queries)),  # K Q
    _make_score_slip(
        "values-for-queries", lambda context: multiply_or_none(transpose_or_none(context.keys), context.mixed_values)
    ),  # Kᵀ V
    _make_score_slip(
        "values-for-keys", lambda context: multiply_or_none(transpose_or_none(context.mixed_values), context.queries)
    ),  # Vᵀ Q
    _make_score_slip(
        "queries-with-themselves", lambda context: multiply_or_none(transpose_or_none(context.queries), context.queries)
    ),  # Qᵀ Q
    _make_score_slip(
        "keys-with-themselves", lambda context: multiply_or_none(transpose_or_none(context.keys), context.keys)
    ),  # Kᵀ K
    # Xᵀ X, in cross-attention Mᵀ X
    _make_score_slip(
        "projections-skipped",
        lambda context: multiply_or_none(transpose_or_none(_find_tokens(context, 0)), _find_tokens(context, 1)),
    ),
)
