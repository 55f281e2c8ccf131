"""Numbers of the next token: what a model made of the last one, and how each word of its vocabulary is read out."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor
from operator import mul
from typing import TYPE_CHECKING

from attnhand.attention.matrix import Matrix
from attnhand.attention.problem import TARGET_NAME
from attnhand.problems.levels import MAX_SHARPENED_EXPONENT, Level
from attnhand.problems.random_stream import RandomStream

if TYPE_CHECKING:
    from attnhand.problems.request import Request

_UNEMBEDDING = {
    Level.FIRST: (0, 1, 1, 2, -1),
    Level.WARM_UP: (0, 1, 1, 2, -1),
    Level.STANDARD: (0, 1, 1, 2, -1, -1),
    Level.CHALLENGE: (0, 0, 1, 1, 2, -1, -1),
}
"""What one number of W_U may be, each equally likely."""

_READ_OUT = {
    Level.FIRST: (1, 1, 2),
    Level.WARM_UP: (1, 1, 2),
    Level.STANDARD: (1, 1, 2, -1),
    Level.CHALLENGE: (1, 1, 2, -1),
}
"""The same for z, which has no 0: it would be a feature that says nothing."""


MAX_ROW_REDRAWS = 64
"""A word whose logit is too large or too small to be raised by hand, or that is as another, is drawn anew so often."""


def draw_next_token(request: "Request", stream: RandomStream) -> Mapping[str, Matrix]:
    """Draw z, then W_U word by word, then which word came next, every one equally likely: models are often surprised.

    Above a temperature of 1 logits lie farther apart, so that something is left of them; below it closer together.
    """
    words, features, tokens = (request.all_sizes[name] for name in ("vocabulary", "features", "tokens"))
    temperature = request.variant.temperature or Fraction(1)
    low, high = (0, 3) if request.level.is_gentle else (-2, 3)
    if temperature < 1:
        low, high = max(low, -1), min(high, floor(MAX_SHARPENED_EXPONENT * temperature))
    if temperature > 1:
        low, high = max(low, -1) * ceil(temperature), 3 * ceil(temperature) - 1
    z = [[stream.pick(_READ_OUT[request.level]) for _ in range(tokens)] for _ in range(features)]
    W_U: list[tuple[int, ...]] = []
    for _ in range(words):
        for _ in range(MAX_ROW_REDRAWS):
            row = tuple(stream.pick(_UNEMBEDDING[request.level]) for _ in range(features))
            if row not in W_U and all(low <= sum(map(mul, row, vector)) <= high for vector in zip(*z, strict=True)):
                break
        W_U.append(row)
    came = [stream.draw_below(words) for _ in range(tokens)]
    y = tuple(tuple(int(word == each) for each in came) for word in range(words))
    return {"z" if request.variant.norm is None else "R2": tuple(map(tuple, z)), "W_U": tuple(W_U), TARGET_NAME: y}
