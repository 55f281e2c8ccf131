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
        scores = context.find_stage(Product, ProductRole.SCORES)
        outputs = context.find_stage(Product, ProductRole.MIXTURE)
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


def _forget_last_product(context: StageContext) -> Matrix | None:
    W, *bias, X = context.inputs
    return None if len(X) == 1 else context.recompute(tuple(row[:-1] for row in W), *bias, X[:-1])


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
    (bias,) = transpose(context.inputs[1])
    return tuple(tuple(map(sum, zip(row, bias, strict=True))) for row in product)


def _zero_negative_results(context: StageContext) -> Matrix | None:
    right = context.compute_correct()
    wrong = map_cells(lambda value: max(value, 0), right)
    return wrong if wrong != right else None


_PROJECTIONS, _SCORES, _LAYERS = (ProductRole.PROJECTION,), (ProductRole.SCORES,), (ProductRole.LAYER,)
_WEIGHTED = (ProductRole.PROJECTION, ProductRole.LAYER)
_UNTRANSPOSED = (ProductRole.PROJECTION, ProductRole.MIXTURE, ProductRole.LAYER)

PROJECTION_SLIPS: tuple[Slip, ...] = (
    # W_K for W_Q, W_Q for W_K, W_K for W_V
    Slip("other-weights", Product, _make_exchanged_weights_slip("K", "Q", "K"), _PROJECTIONS),
    # W_V for W_Q, W_V for W_K, W_Q for W_V
    Slip("third-weights", Product, _make_exchanged_weights_slip("V", "V", "Q"), _PROJECTIONS),
    # the weights of the next head, of the first at the last
    Slip("weights-of-other-head", Product, _use_next_head_weights, _PROJECTIONS),
    Slip("weights-transposed", Product, _transpose_weights, _WEIGHTED),  # Wᵀ X
    Slip("signs-ignored", Product, lambda at: at.recompute(*(map_cells(drop_sign, a) for a in at.inputs)), _WEIGHTED),
    Slip("last-product-forgotten", Product, _forget_last_product, _WEIGHTED),
    Slip("operands-swapped", Product, _swap_operands, _UNTRANSPOSED, has_same_shape=False),  # X W, A V
    Slip("elementwise", Product, _multiply_elementwise, tuple(ProductRole), has_same_shape=False),  # cell times cell
    Slip("negative-result-zero", Product, _zero_negative_results, tuple(ProductRole)),
    Slip("bias-forgotten", Product, _forget_bias, _LAYERS),
    Slip("bias-other-axis", Product, _add_bias_across, _LAYERS),  # b along the other axis
)


def _transpose_scores(context: StageContext) -> Matrix | None:
    right = context.compute_correct()
    return transpose(right) if is_asymmetric(right) else None


def _transpose_queries(context: StageContext) -> Matrix | None:
    return multiply_or_none(context.keys, transpose_or_none(context.queries))


def _find_tokens(context: StageContext, index: int) -> Matrix | None:
    """Return the tokens that the keys (0) or the queries (1) were made from."""
    projection = context.find_projection(context.stage.input_names[index])
    return None if projection is None else context.matrices.get(projection.input_names[-1])


def _compare(keys: Matrix | None, queries: Matrix | None) -> Matrix | None:  # (d_k, n), (d_k, m) -> (n, m)
    """Multiply every column of the left with every column of the right, if both are there."""
    return multiply_or_none(transpose_or_none(keys), queries)


SCORE_SLIPS: tuple[Slip, ...] = (
    Slip("scores-transposed", Product, _transpose_scores, _SCORES, applies_when_hidden=True),  # Qᵀ K
    Slip("other-operand-transposed", Product, _transpose_queries, _SCORES, has_same_shape=False),  # K Qᵀ
    Slip("not-transposed", Product, lambda at: multiply_or_none(at.keys, at.queries), _SCORES),  # K Q
    Slip("values-for-queries", Product, lambda at: _compare(at.keys, at.mixed_values), _SCORES),  # Kᵀ V
    Slip("values-for-keys", Product, lambda at: _compare(at.mixed_values, at.queries), _SCORES),  # Vᵀ Q
    Slip("queries-with-themselves", Product, lambda at: _compare(at.queries, at.queries), _SCORES),  # Qᵀ Q
    Slip("keys-with-themselves", Product, lambda at: _compare(at.keys, at.keys), _SCORES),  # Kᵀ K
    # Xᵀ X, in cross-attention Mᵀ X
    Slip("projections-skipped", Product, lambda at: _compare(_find_tokens(at, 0), _find_tokens(at, 1)), _SCORES),
)
