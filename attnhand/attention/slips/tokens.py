"""Words looked up and positions added wrongly."""

from dataclasses import replace

from attnhand.attention.matrix import Matrix
from attnhand.attention.operations import Add, LookUp, Positions
from attnhand.attention.slips.context import Desk, Slip


def _next_word(desk: Desk) -> Matrix | None:
    """Take the line after the word's own, the first after the last."""
    if not isinstance(desk.operation, LookUp):
        return None
    table = desk.inputs[0]
    places = tuple((place + 1) % len(table[0]) for place in desk.operation.places)
    return replace(desk.operation, places=places).apply(desk.arithmetic, table)


def _positions(*, later: int = 0, exchanged: bool = False) -> Slip:
    """Count positions from another number, or write cos where sin belongs and sin where cos belongs."""

    def wrong(desk: Desk) -> Matrix | None:
        if not isinstance(desk.operation, Positions):
            return None
        features, tokens = desk.operation.features, desk.operation.tokens
        return tuple(
            tuple(
                desk.arithmetic.position(place + later, feature ^ 1 if exchanged else feature, features)
                for place in range(tokens)
            )
            for feature in range(features)
        )

    return Slip(id="sines-exchanged" if exchanged else "positions-from-one", at=Positions, in_columns=wrong)


def _multiplied(desk: Desk) -> Matrix | None:
    rows = zip(*desk.inputs, strict=True)
    return tuple(tuple(x * y for x, y in zip(*pair, strict=True)) for pair in rows)


AT_TOKENS: tuple[Slip, ...] = (
    Slip(id="next-word", at=LookUp, in_columns=_next_word),
    _positions(later=1),
    _positions(exchanged=True),
    Slip(id="position-forgotten", at=Add, in_columns=lambda desk: desk.inputs[0]),
    Slip(id="multiplied-not-added", at=Add, in_columns=_multiplied),
)
