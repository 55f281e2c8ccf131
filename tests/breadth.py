"""How much the tests look at: a part in which every value appears, or everything, as ``make sweep`` has it."""

import os
import random
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeVar

T = TypeVar("T")

LOOKS_AT_ALL = os.environ.get("ATTNHAND_TESTS") == "all"


def choose(part: T, everything: T) -> T:
    """Return a part of what there is to look at, in ``make sweep`` everything."""
    return everything if LOOKS_AT_ALL else part


def pair_up(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations in which every value of every axis appears, in ``make sweep`` all that there are.

    Each value of the longest axis comes once, with values of the others that are dealt like cards: those of two axes
    never go hand in hand, as columns with blank sheets and rows with keys.

    >>> pairs = pair_up("abcd", (1, 2))
    >>> sorted({one for one, _ in pairs}), sorted({other for _, other in pairs})
    (['a', 'b', 'c', 'd'], [1, 2])
    """
    if LOOKS_AT_ALL:
        return [*product(*axes)]
    longest, dealer = max(axes, key=len), random.Random("pairs")
    columns = [list(axis) if axis is longest else _deal(dealer, axis, len(longest)) for axis in axes]
    return [*zip(*columns, strict=True)]


def _deal(dealer: random.Random, values: Sequence[Any], count: int) -> list[Any]:
    """Return so many values, every one as often as the others."""
    dealt: list[Any] = []
    while len(dealt) < count:
        dealt += dealer.sample(list(values), len(values))
    return dealt[:count]
