"""The stream of random numbers that sheets are drawn from: recipe 1, for ever.

A seed printed on paper is a promise, and numpy and Python both keep the right to change their generators. So
the numbers come from SHA-256: key = SHA-256("attnhand/1", then every label with its length), block i =
SHA-256(key, i), read as big-endian 32-bit words.
"""

from collections.abc import Sequence
from hashlib import sha256
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

RECIPE = 1
_WORD_RANGE = 2**32
_BLOCK_FORMAT = Struct(">8I")
_INITIAL_HASH = sha256(f"attnhand/{RECIPE}".encode())


class RandomStream:
    """An endless, labelled stream of integers; the same labels give the same numbers everywhere.

    >>> stream = RandomStream("42", "X")
    >>> [stream.draw_integer(-3, 3) for _ in range(12)]
    [1, 3, -2, 2, 1, -1, 2, 0, -1, 0, 1, 2]
    >>> RandomStream("42", "perm").shuffle(range(6))
    [5, 3, 0, 2, 4, 1]
    """

    def __init__(self, *labels: str) -> None:
        key = _INITIAL_HASH.copy()
        for label in labels:
            encoded = label.encode()
            key.update(len(encoded).to_bytes(4, "big") + encoded)
        self._key = key.digest()
        self._block_index = 0
        self._words: list[int] = []

    def _take_word(self) -> int:
        if not self._words:
            block = sha256(self._key + self._block_index.to_bytes(8, "big")).digest()
            self._words = [*_BLOCK_FORMAT.unpack(block)[::-1]]
            self._block_index += 1
        return self._words.pop()

    def draw_below(self, bound: int) -> int:
        """Draw an integer from 0 to n − 1, every one equally likely."""
        word = self._words.pop() if self._words else self._take_word()
        while word >= _WORD_RANGE - _WORD_RANGE % bound:
            word = self._take_word()
        return word % bound

    def draw_integer(self, low: int, high: int) -> int:
        """Draw an integer from lo to hi, both included."""
        return low + self.draw_below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of the items; one that is listed twice comes up twice as often."""
        return items[self.draw_below(len(items))]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher–Yates from the end)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.draw_below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return so many different items in random order (a shuffle that stops early)."""
        order = list(items)
        for i in range(count):
            j = i + self.draw_below(len(order) - i)
            order[i], order[j] = order[j], order[i]
        return order[:count]
