"""What a problem tells: a sentence, names for the features of its tokens, and a question that its numbers answer."""

from dataclasses import dataclass


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
