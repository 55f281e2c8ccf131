"""Numbers of online attention: a query, and keys and values that come block by block."""

from collections.abc import Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING

from attnhand.attention.arithmetic import Rules
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages
from attnhand.errors import GenerationError, name_option
from attnhand.problems.random_stream import RandomStream

if TYPE_CHECKING:
    from attnhand.problems.request import Request

_ENTRIES = {False: (0, 1, 1, 2, -1), True: (0, 1, 1, 1, 2, 2)}
"""What keys are drawn from; on a gentle sheet no number is negative."""

_QUERY_ENTRIES = {False: (1, 1, 2, -1), True: (1, 1, 2)}
_VALUE_ENTRIES = {False: (0, 1, 2, 3, 4, 6, -1, -2), True: (0, 1, 2, 3, 4, 6)}

_MAX_TRIES = 5000
"""So often a query and its keys are drawn."""


def draw_online(request: "Request", stream: RandomStream) -> Mapping[str, Matrix]:
    """Draw a query and block by block its keys until their scores have something to show, then values.

    Raises:
        GenerationError: they never have, as it is with keys of one number.
    """
    sizes, is_gentle = request.all_sizes, request.level.is_gentle
    count = request.variant.blocks
    for _ in range(_MAX_TRIES):
        query = [stream.pick(_QUERY_ENTRIES[is_gentle]) for _ in range(sizes["d_k"])]
        keys = [_draw_different(stream, sizes["memory"], sizes["d_k"], _ENTRIES[is_gentle]) for _ in range(count)]
        scores = [[sum(map(mul, query, key)) for key in block] for block in keys]
        if _rises(scores, is_gentle=is_gentle, rules=request.rules):
            break
    else:
        raise GenerationError(
            f"seed {request.seed} finds no good sheet with {count} blocks of {sizes['memory']} keys of {sizes['d_k']} "
            f"numbers: use larger keys, {name_option('d_k')}, smaller blocks, {name_option('memory_length')}, or fewer"
        )
    drawn: dict[str, Matrix] = {"Q": tuple((value,) for value in query)}
    for number, block in enumerate(keys, 1):
        drawn[f"K{number}"] = transpose(tuple(map(tuple, block)))
        values = _draw_different(stream, sizes["memory"], sizes["d_v"], _VALUE_ENTRIES[is_gentle])
        drawn[f"V{number}"] = transpose(tuple(map(tuple, values)))
    whole = Problem(variant=request.variant.whole, given=tuple(drawn.items()), rules=request.rules)
    worked = compute_stages(whole, whole.hand_arithmetic)
    if not request.mechanism.is_scaled and whole.mechanism.is_scaled:  # given scores are divided already
        worked |= {f"S{block}": worked[f"scaled{block}"] for block in range(1, count + 1)}
    return {**drawn, **worked}


def _draw_different(stream: RandomStream, count: int, length: int, entries: Sequence[int]) -> list[list[int]]:
    """Draw so many vectors; one that is 0, or there already, is drawn again, as long as there may be another."""
    vectors: list[list[int]] = []
    for _ in range(count * 20):
        vector = [stream.pick(entries) for _ in range(length)]
        if any(vector) and vector not in vectors:
            vectors.append(vector)
        if len(vectors) == count:
            break
    return vectors + [[1] * length] * (count - len(vectors))


def _rises(scores: Sequence[Sequence[int]], *, is_gentle: bool, rules: Rules) -> bool:
    """Say whether scores are small, no two of a block alike, and the largest so far comes in a later block.

    Of three blocks one does not raise it; unless the sheet is gentle, some score is rounded down to another number
    than it would be cut off to.
    """
    divisor = rules.floor_divisor
    scaled = [[score // (divisor or 1) for score in block] for block in scores]
    every, tops = [score for block in scaled for score in block], [max(block) for block in scaled]
    spread = max(every) - min(every)
    if spread > (3 if is_gentle else 4) or max(every) > 4 or min(every) < (0 if is_gentle else -3):
        return False
    if any(len({*block}) == 1 for block in scaled) or every.count(max(every)) > 1:
        return False
    if not is_gentle and divisor and not any(score < 0 and score % divisor for block in scores for score in block):
        return False
    rises = [top > max(tops[:at]) for at, top in enumerate(tops) if at]
    if not any(rises) or (len(rises) > 1 and all(rises)):
        return False
    base = rules.base.whole
    largest = MAX_TOTAL if base in (None, 2, 3) else 100 * MAX_TOTAL
    return base is None or sum(base ** (each - min(every)) for each in every) <= largest


MAX_TOTAL = 150
"""How large Σ may be over the smallest power, as denominators of Z divide it; of ten it may be a hundred times that."""
