"""What a problem tells: a sentence, names for the features of its tokens, and a question that its numbers answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attnhand.attention.matrix import dot
from attnhand.attention.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """What one row of W_Q and the same row of W_K are about: who has the one feature wants the other.

    A feature counts 1, against −1, and not 0; by how much it is weighed is no matter of what is wanted.
    """

    asks: tuple[int, ...]
    """Of every feature of the token that asks: wants apples."""

    holds: tuple[int, ...]
    """Of every feature of a token that is looked at: has apples."""

    @property
    def signs(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both, one number a feature."""
        return self.asks, self.holds


def find_fitting_keys(wants: Iterable[Want], token: Sequence[Number], keys: Sequence[Sequence[Number]]) -> list[int]:
    """Return the keys (0-based) that hold most of what a token wants; none where nothing of it is there.

    >>> apples = Want(asks=(0, 1), holds=(1, 0))
    >>> find_fitting_keys([apples], (0, 2), [(1, 1), (2, 0), (2, 2)]), find_fitting_keys([apples], (2, 0), [(1, 1)])
    ([1, 2], [])
    """
    wanted = [(dot(want.asks, token), want.holds) for want in wants]
    fits = [dot([amount for amount, _ in wanted], [dot(holds, key) for _, holds in wanted]) for key in keys]
    most = max(fits)
    return [at for at, fit in enumerate(fits) if fit == most] if most > 0 else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The words around a problem's numbers, which mean something."""

    name: str
    """What it goes by: ``soup``."""

    sentence: str
    """What happens (markup): "The elephant ate the banana. It was hungry." """

    feature_names: tuple[str, ...]
    """One for each feature of a token, in the order of X."""

    memory_words: tuple[str, ...] = ()
    """A word for each token of the memory that cross-attention reads; none elsewhere."""

    question: str
    """What is asked (markup): "Which word does “hungry” look at most?" """

    query: int
    """The token that the question is about, 0-based."""

    head: int = 0
    """The head that the question is about, from 1; 0 where there is one head."""

    answers: tuple[int, ...]
    """The tokens that may be the answer, 0-based: keys, so in cross-attention those of the memory.

    On this sheet it is the one that the query looks at most.
    """

    value_names: tuple[str, ...] = ()
    """What each number of a value, and so of an output, stands for; none where they stand for nothing."""

    wants: tuple[tuple[Want, ...], ...] = ()
    """Of every head what its queries look for: who holds most of it has the largest share."""

    row_names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What each number of a query, key or value stands for, by the weights that make it: ``W_Q``, ``h1.W_V``."""
