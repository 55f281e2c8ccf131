"""Values mixed wrongly, and what becomes of the outputs: heads joined wrongly, ReLU done wrongly."""

from attnhand.attention.matrix import Matrix, transposed
from attnhand.attention.operations import Concatenate, Divide, Product, ReLU, Role
from attnhand.attention.slips.context import Desk, Slip, Wrong, cells, is_lopsided, magnitude, multiplied, on_top


def _weights_transposed(desk: Desk) -> Matrix | None:
    V, A = desk.inputs
    return desk.redone(V, transposed(A)) if is_lopsided(A) else None


def _inputs_for_values(desk: Desk) -> Matrix | None:
    projection = desk.projection(desk.stage.reads[0])
    return None if projection is None else multiplied(desk.values.get(projection.reads[-1]), desk.inputs[1])


def _top_copied(desk: Desk) -> Matrix | None:
    V, A = desk.inputs
    return multiplied(V, transposed(tuple(map(on_top, transposed(A)))))


def _slip(id: str, wrong: Wrong, *, same_shape: bool = True, even_if_hidden: bool = False) -> Slip:
    return Slip(
        id=id,
        at=Product,
        roles=(Role.MIXTURE,),
        in_columns=wrong,
        same_shape=same_shape,
        even_if_hidden=even_if_hidden,
    )


AT_MIXTURE: tuple[Slip, ...] = (
    _slip("weights-A-transposed", _weights_transposed, even_if_hidden=True),  # V Aᵀ
    _slip("powers-for-weights", lambda desk: multiplied(desk.inputs[0], desk.read_at(Divide))),
    _slip("scores-for-weights", lambda desk: multiplied(desk.inputs[0], desk.made_at(Product, Role.SCORES))),
    _slip("keys-for-values", lambda desk: multiplied(desk.keys, desk.inputs[1])),  # K A
    _slip("queries-for-values", lambda desk: multiplied(desk.queries, desk.inputs[1])),  # Q A
    _slip("inputs-for-values", _inputs_for_values, same_shape=False),  # X A, in cross-attention M A
    _slip("top-token-copied", _top_copied),
)


def _heads_added(desk: Desk) -> Matrix | None:
    rows = (zip(*lines, strict=True) for lines in zip(*desk.inputs, strict=True))
    return tuple(tuple(sum(cell) for cell in row) for row in rows)


def _heads_interleaved(desk: Desk) -> Matrix | None:
    """Take the first row of every head, then the second of every head."""
    return tuple(row for rows in zip(*desk.inputs, strict=True) for row in rows)


AT_JOINING: tuple[Slip, ...] = (
    # the last head first
    Slip(
        id="heads-exchanged",
        at=Concatenate,
        in_columns=lambda desk: desk.redone(*desk.inputs[::-1]),
    ),
    Slip(id="heads-interleaved", at=Concatenate, in_columns=_heads_interleaved),
    Slip(id="heads-added", at=Concatenate, in_columns=_heads_added, same_shape=False),
)

AT_RELU: tuple[Slip, ...] = (
    Slip(id="relu-forgotten", at=ReLU, in_columns=cells(lambda _, value: value)),
    Slip(id="relu-of-magnitude", at=ReLU, in_columns=cells(lambda _, value: magnitude(value))),
    # 0 for everything positive
    Slip(id="relu-other-side", at=ReLU, in_columns=cells(lambda _, value: min(value, 0))),
)
