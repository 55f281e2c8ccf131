"""Words instead of X: each is looked up in a table, and its position may be added."""

from collections.abc import Sequence

EMBEDDING_NAME = "embedding"
"""Name of the table, one column (in the rows convention one row) a word of the vocabulary."""


def list_vocabulary(words: Sequence[str]) -> tuple[str, ...]:
    """Return every word once, in the order in which they are first said.

    >>> list_vocabulary("the cat saw the dog".split())
    ('the', 'cat', 'saw', 'dog')
    """
    return tuple(dict.fromkeys(words))
