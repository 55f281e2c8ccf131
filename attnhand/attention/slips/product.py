"""Keys compared with queries wrongly."""

from attnhand.attention.matrix import Matrix, mapped, shape, transposed
from attnhand.attention.mechanisms import Stage
from attnhand.attention.operations import Product, Role
from attnhand.attention.slips.context import Desk, Slip, Wrong, is_lopsided, magnitude, multiplied, turned


def _with_weights(desk: Desk, stage: Stage | None) -> Matrix | None:
    """Multiply the tokens by the weights of another stage."""
    return None if stage is None else multiplied(desk.values.get(stage.reads[0]), desk.inputs[-1])


def _weights_of(queries_take: str, keys_take: str, values_take: str) -> Wrong:
    """Take the weights of Q, K or V for those of another of them; a mechanism may have further projections."""

    def wrong(desk: Desk) -> Matrix | None:
        scores, outputs = desk.stage_at(Product, Role.SCORES), desk.stage_at(Product, Role.MIXTURE)
        if scores is None or outputs is None:
            return None
        name = {"K": scores.reads[0], "Q": scores.reads[1], "V": outputs.reads[0]}
        taken = {name["Q"]: queries_take, name["K"]: keys_take, name["V"]: values_take}
        of = taken.get(desk.stage.name)
        return None if of is None else _with_weights(desk, desk.projection(name[of]))

    return wrong


def _other_head(desk: Desk) -> Matrix | None:
    alike = [stage for stage in desk.mechanism.stages if stage.topic == desk.stage.topic]
    after = alike[(alike.index(desk.stage) + 1) % len(alike)]
    return _with_weights(desk, after)


def _weights_transposed(desk: Desk) -> Matrix | None:
    W, *others = desk.inputs
    return desk.redone(transposed(W), *others) if is_lopsided(W) else None


def _signs_ignored(desk: Desk) -> Matrix | None:
    return desk.redone(*(mapped(magnitude, a) for a in desk.inputs))


def _last_forgotten(desk: Desk) -> Matrix | None:
    W, *bias, X = desk.inputs
    if len(X) == 1:
        return None
    return desk.redone(tuple(row[:-1] for row in W), *bias, X[:-1])


def _operands_swapped(desk: Desk) -> Matrix | None:
    return multiplied(desk.inputs[1], desk.inputs[0]) if len(desk.inputs) == 2 else None


def _elementwise(desk: Desk) -> Matrix | None:
    left, right = desk.inputs[0], desk.inputs[-1]
    if shape(left) != shape(right) or len(desk.inputs) > 2:
        return None
    return tuple(
        tuple(x * y for x, y in zip(*rows, strict=True))  # type: ignore[operator]  # of one kind
        for rows in zip(left, right, strict=True)
    )


def _bias_forgotten(desk: Desk) -> Matrix | None:
    return multiplied(desk.inputs[0], desk.inputs[-1]) if len(desk.inputs) == 3 else None


def _bias_across(desk: Desk) -> Matrix | None:
    """Add the bias of row j to column j."""
    made = _bias_forgotten(desk)
    if made is None or shape(made)[0] != shape(made)[1]:
        return None
    bias = tuple(row[0] for row in desk.inputs[1])
    return tuple(
        tuple(value + b for value, b in zip(row, bias, strict=True))  # type: ignore[operator]  # of one kind
        for row in made
    )


_PROJECTION, _WEIGHTED = (Role.PROJECTION,), (Role.PROJECTION, Role.LAYER)
_PLAIN = (Role.PROJECTION, Role.MIXTURE, Role.LAYER)

AT_PROJECTIONS: tuple[Slip, ...] = (
    # W_K for W_Q, W_Q for W_K, W_K for W_V
    Slip(id="other-weights", at=Product, roles=_PROJECTION, in_columns=_weights_of("K", "Q", "K")),
    # W_V for W_Q, W_V for W_K, W_Q for W_V
    Slip(id="third-weights", at=Product, roles=_PROJECTION, in_columns=_weights_of("V", "V", "Q")),
    # the weights of the next head, of the first at the last
    Slip(id="weights-of-other-head", at=Product, roles=_PROJECTION, in_columns=_other_head),
    Slip(id="weights-transposed", at=Product, roles=_WEIGHTED, in_columns=_weights_transposed),  # Wᵀ X
    Slip(id="signs-ignored", at=Product, roles=_WEIGHTED, in_columns=_signs_ignored),
    Slip(id="last-product-forgotten", at=Product, roles=_WEIGHTED, in_columns=_last_forgotten),
    # X W, A V
    Slip(id="operands-swapped", at=Product, roles=_PLAIN, in_columns=_operands_swapped, same_shape=False),
    # cell times cell
    Slip(id="elementwise", at=Product, roles=tuple(Role), in_columns=_elementwise, same_shape=False),
    Slip(id="bias-forgotten", at=Product, roles=(Role.LAYER,), in_columns=_bias_forgotten),
    # b along the other axis
    Slip(id="bias-other-axis", at=Product, roles=(Role.LAYER,), in_columns=_bias_across),
)


def _scores_transposed(desk: Desk) -> Matrix | None:
    right = desk.right()
    return transposed(right) if is_lopsided(right) else None


def _made_from(desk: Desk, place: int) -> Matrix | None:
    """Return the tokens that the keys (0) or the queries (1) were made from."""
    projection = desk.projection(desk.stage.reads[place])
    return None if projection is None else desk.values.get(projection.reads[-1])


def _slip(id: str, wrong: Wrong, *, same_shape: bool = True, even_if_hidden: bool = False) -> Slip:
    return Slip(
        id=id,
        at=Product,
        roles=(Role.SCORES,),
        in_columns=wrong,
        same_shape=same_shape,
        even_if_hidden=even_if_hidden,
    )


AT_SCORES: tuple[Slip, ...] = (
    _slip("scores-transposed", _scores_transposed, even_if_hidden=True),  # Qᵀ K
    # K Qᵀ
    _slip("other-operand-transposed", lambda desk: multiplied(desk.keys, turned(desk.queries)), same_shape=False),
    _slip("not-transposed", lambda desk: multiplied(desk.keys, desk.queries)),  # K Q
    _slip("values-for-queries", lambda desk: multiplied(turned(desk.keys), desk.mixed)),  # Kᵀ V
    _slip("values-for-keys", lambda desk: multiplied(turned(desk.mixed), desk.queries)),  # Vᵀ Q
    _slip("queries-with-themselves", lambda desk: multiplied(turned(desk.queries), desk.queries)),  # Qᵀ Q
    _slip("keys-with-themselves", lambda desk: multiplied(turned(desk.keys), desk.keys)),  # Kᵀ K
    # Xᵀ X, in cross-attention Mᵀ X
    _slip("projections-skipped", lambda desk: multiplied(turned(_made_from(desk, 0)), _made_from(desk, 1))),
)
