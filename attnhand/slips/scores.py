"""Keys compared with queries wrongly."""

from attnhand.matrix import Matrix, transposed
from attnhand.operations import Product, Role
from attnhand.slips.building import is_lopsided, multiplied, turned
from attnhand.slips.desk import Desk, Slip, Wrong


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
