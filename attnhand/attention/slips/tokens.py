"""Words looked up and positions added wrongly."""

from dataclasses import replace

from attnhand.attention.matrix import Matrix
from attnhand.attention.operations import Add, LookUp, Positions
from attnhand.attention.slips.context import Slip, StageContext


def _look_up_next_word(context: StageContext) -> Matrix | None:
    """Take the line after the word's own, the first after the last."""
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
        features, tokens = context.operation.feature_count, context.operation.token_count
        return tuple(
            tuple(
                context.arithmetic.encode_position(
                    position + offset, feature ^ 1 if swap_sin_cos else feature, features
                )
                for position in range(tokens)
            )
            for feature in range(features)
        )

    return Slip(
        id="sines-exchanged" if swap_sin_cos else "positions-from-one",
        operation_type=Positions,
        compute_in_columns=wrong,
    )


def _multiply_instead_of_adding(context: StageContext) -> Matrix | None:
    rows = zip(*context.inputs, strict=True)
    return tuple(tuple(x * y for x, y in zip(*pair, strict=True)) for pair in rows)


TOKEN_SLIPS: tuple[Slip, ...] = (
    Slip(id="next-word", operation_type=LookUp, compute_in_columns=_look_up_next_word),
    _make_position_slip(offset=1),
    _make_position_slip(swap_sin_cos=True),
    Slip(id="position-forgotten", operation_type=Add, compute_in_columns=lambda context: context.inputs[0]),
    Slip(id="multiplied-not-added", operation_type=Add, compute_in_columns=_multiply_instead_of_adding),
)
