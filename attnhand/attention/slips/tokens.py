"""Words looked up and positions added wrongly."""

from dataclasses import replace

from attnhand.attention.matrix import Matrix
from attnhand.attention.operations import Add, LookUp, Positions
from attnhand.attention.slips.context import Slip, StageContext


def _look_up_next_word(context: StageContext) -> Matrix | None:
    """Take the vector after the word's own, the first after the last."""
    if not isinstance(context.operation, LookUp):
        return None
    table = context.inputs[0]
    next_indices = tuple((index + 1) % len(table[0]) for index in context.operation.word_indices)
    return replace(context.operation, word_indices=next_indices).apply(context.arithmetic, table)


def _make_position_slip(*, offset: int = 0, swap_sin_cos: bool = False) -> Slip:
    """Count positions from another number, or write cos where sin belongs and sin where cos belongs."""

    def wrong(context: StageContext) -> Matrix | None:
        if not isinstance(context.operation, Positions):
            return None
        encode, features = context.arithmetic.encode_position, context.operation.feature_count
        return tuple(
            tuple(encode(i + offset, feature ^ swap_sin_cos, features) for i in range(context.operation.token_count))
            for feature in range(features)
        )

    return Slip("sines-exchanged" if swap_sin_cos else "positions-from-one", Positions, wrong)


def _multiply_instead_of_adding(context: StageContext) -> Matrix | None:
    rows = zip(*context.inputs, strict=True)
    return tuple(tuple(x * y for x, y in zip(*pair, strict=True)) for pair in rows)


TOKEN_SLIPS: tuple[Slip, ...] = (
    Slip("next-word", LookUp, _look_up_next_word),
    _make_position_slip(offset=1),
    _make_position_slip(swap_sin_cos=True),
    Slip("position-forgotten", Add, lambda context: context.inputs[0]),
    Slip("multiplied-not-added", Add, _multiply_instead_of_adding),
)
