"""Numbers of the way back: one query, keys and values, and a gradient by what comes out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING

from attnhand.attention.arithmetic import Arithmetic, Base
from attnhand.attention.matrix import Matrix, dot, share_denominator, transpose
from attnhand.attention.numbers import Number
from attnhand.problems.levels import choose_requirements
from attnhand.problems.random_stream import RandomStream

if TYPE_CHECKING:
    from attnhand.problems.request import Request

IntVector = tuple[int, ...]

MAX_KEYS_REDRAWS = 300
"""So often keys and a query are drawn anew whose scores are no good."""

MAX_KEY_REDRAWS = 10
"""So often one key is, on average."""

MAX_DENOMINATOR_A_KEY = 10
"""So much larger may the denominator of the weights be for each key: on the way back it is doubled."""

MAX_FEW_KEYS = 6
"""Of more keys it is as large as on other sheets."""

MAX_GRADIENT_REDRAWS = 300
"""So often values and a gradient are whose fractions are none."""

_QUERY_NUMBERS, _GENTLE_QUERY_NUMBERS = (1, 1, 2, -1), (1, 1, 2)
_KEY_NUMBERS, _GENTLE_KEY_NUMBERS = (0, 0, 1, 1, 2, -1, -1, -2), (0, 0, 1, 1, 2, -1)
_VALUE_NUMBERS, _GENTLE_VALUE_NUMBERS = (0, 0, 1, 1, 2, 3, 4, -1, -2), (0, 0, 1, 2, 3, 4)
_GRADIENT_NUMBERS, _GENTLE_GRADIENT_NUMBERS = (1, 1, 2, -1, -1, -2), (1, 1, 2, -1)
_SINGLE_NUMBERS = (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9)
"""What a number may be, each equally likely; a key or value of one number has more to choose from.

Of a query and a gradient none is 0, or a row of dK or dV would be.
"""


def draw_backward(request: "Request", stream: RandomStream) -> Mapping[str, Matrix] | None:
    """Draw one query, keys whose scores go with the rules, then values and a gradient that go back in plain fractions.

    What is asked of the whole sheet is asked later: here only, in whole numbers, what hardly any draw would have.
    """
    is_gentle, sizes = request.level.is_gentle, request.all_sizes
    d_k, d_v, count = sizes["d_k"], sizes["d_v"], sizes["tokens"]
    key_numbers = _SINGLE_NUMBERS if d_k == 1 else _GENTLE_KEY_NUMBERS if is_gentle else _KEY_NUMBERS
    value_numbers = _SINGLE_NUMBERS if d_v == 1 else _GENTLE_VALUE_NUMBERS if is_gentle else _VALUE_NUMBERS
    judge = _ScoreJudge(request)
    weights: IntVector = ()
    for _ in range(MAX_KEYS_REDRAWS):
        query = _draw_vector(stream, d_k, _GENTLE_QUERY_NUMBERS if is_gentle else _QUERY_NUMBERS)
        keys: list[IntVector] = []
        for _ in range(MAX_KEY_REDRAWS * count):
            key = _draw_vector(stream, d_k, key_numbers)
            if any(key) and key not in keys and judge.is_in_range(dot(key, query)):
                keys.append(key)
            if len(keys) == count:
                break
        if len(keys) == count and (weights := judge.list_weights([dot(key, query) for key in keys])):
            break
    if not weights:
        return None
    total = sum(weights)
    for _ in range(MAX_GRADIENT_REDRAWS):
        values = [_draw_vector(stream, d_v, value_numbers) for _ in keys]
        gradient = _draw_vector(stream, d_v, _GENTLE_GRADIENT_NUMBERS if is_gentle else _GRADIENT_NUMBERS)
        gains = [dot(value, gradient) for value in values]
        if all(map(any, values)) and len(set(values)) == count and (not total or dot(weights, gains) % total == 0):
            columns = {"Q": (query,), "K": tuple(keys), "V": tuple(values), "g": (gradient,)}
            return {name: transpose(a) for name, a in columns.items()}
    return None


def _draw_vector(stream: RandomStream, length: int, numbers: Sequence[int]) -> IntVector:
    return tuple(stream.pick(numbers) for _ in range(length))


class _ScoreJudge:
    """Says of the scores of one query, in whole numbers, what hardly any draw would have."""

    def __init__(self, request: "Request") -> None:
        sizes = {"tokens": 1, "memory": request.all_sizes["tokens"]}
        self.rules, self.padding = request.rules, request.variant.padding
        self.arithmetic = Arithmetic(rules=request.rules, d_k=request.all_sizes["d_k"])
        plain = replace(request.variant, is_shifted=False)  # which leaves the weights as they are
        self.required = choose_requirements(request.level, plain, sizes, self.arithmetic, allow_ties=request.allow_ties)

    def is_in_range(self, score: Number) -> bool:
        """Say whether a score can be raised to a power by hand; where that is irrational, all can."""
        if not self.rules.is_rational:
            return True
        return self.required.min_score <= self.arithmetic.scale_score(score) <= self.required.max_score

    def list_weights(self, scores: Sequence[Number]) -> IntVector:
        """Return the weights over their common denominator; none where they are too fine, or show too little.

        Where they are no fractions, nothing is known of them but that there are so many.
        """
        required = self.required
        if not self.rules.is_rational:
            return (0,) * len(scores)
        exponents = [self.arithmetic.scale_score(score) for score in scores]
        seen = sorted(each for key, each in enumerate(exponents, 1) if key not in self.padding)
        rounded = [score for score in scores if score < 0 and score % (self.rules.floor_divisor or 1)]
        if (
            seen.count(seen[-1]) > required.max_top_tokens
            or (required.is_least_unique and seen[0] == seen[1])
            or (required.is_fraction_required and self.rules.is_rounded_down and len(rounded) < 2)
            or (required.is_fraction_required and seen[0] >= 0)
        ):
            return ()
        powers = [
            0 if key in self.padding else self.arithmetic.raise_base(each) for key, each in enumerate(exponents, 1)
        ]
        whole, _ = share_denominator(powers)
        finest, limit = sum(whole) // gcd(*whole), required.max_denominator or 0
        if self.rules.base is not Base.TEN and len(scores) <= MAX_FEW_KEYS:
            limit = min(limit, MAX_DENOMINATOR_A_KEY * len(scores))
        return whole if finest <= limit else ()
