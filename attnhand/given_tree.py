"""The given matrices as a file nests them, and as the stages name them.

A file writes ``{"X": …, "heads": [{"W_Q": …}, …], "W_O": …}`` and ``{"embedding": {"the": [1, 0], …}}``; the stages
read ``h1.W_Q`` and a table of words. This module goes both ways.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from attnhand.errors import ProblemError
from attnhand.given_matrix import shown
from attnhand.matrix import Matrix
from attnhand.mechanisms import Convention
from attnhand.mechanisms.embedding import TABLE, vocabulary
from attnhand.numbers import Number
from attnhand.operations import Along
from attnhand.operations.lines import lines
from attnhand.problem import Problem

HEADS = "heads"


@dataclass(frozen=True, slots=True)
class FlatGiven:
    """Matrices by the names that stages read, as they were written."""

    matrices: dict[str, object]
    heads: int | None


def flat_given(given: object, words: Sequence[str], convention: Convention) -> FlatGiven:
    """Take the matrices of heads out of their list and the vectors of words out of their mapping.

    Words are compared with accents as part of their letters (NFC), as a problem has its own.

    >>> flat_given({"X": [[1]], "heads": [{"W_Q": [[2]]}]}, (), Convention.COLUMNS).matrices
    {'X': [[1]], 'h1.W_Q': [[2]]}

    Raises:
        ProblemError: heads that are no list of mappings, a word without its vector, a vector without its word.
    """
    if not isinstance(given, Mapping):
        raise ProblemError(f'"given" is {shown(given)}, not matrices by name: write {{"X": [[1, 0], [0, 1]], …}}')
    matrices: dict[str, object] = {}
    heads = None
    for name, value in given.items():
        if name == HEADS:
            heads = _add_heads(matrices, value)
        elif name == TABLE:
            matrices[TABLE] = _table(value, words, convention)
        else:
            matrices[name] = value
    return FlatGiven(matrices, heads)


def _add_heads(matrices: dict[str, object], value: object) -> int:
    how = 'write [{"W_Q": …, "W_K": …, "W_V": …}, …], one for each head'
    if not isinstance(value, list | tuple) or not value:
        raise ProblemError(f'"{HEADS}" is {shown(value)}, not a list: {how}')
    for number, head in enumerate(value, 1):
        if not isinstance(head, Mapping):
            raise ProblemError(f'"{HEADS}", number {number}, is {shown(head)}: {how}')
        matrices |= {f"h{number}.{name}": a for name, a in head.items()}
    return len(value)


def _table(value: object, words: Sequence[str], convention: Convention) -> object:
    if not isinstance(value, Mapping) or not value:
        raise ProblemError(f'"{TABLE}" is {shown(value)}: write a vector for each word, {{"the": [1, 0, 2], …}}')
    if not words:
        raise ProblemError(f'"{TABLE}" is given but no words: write "words": ["the", …], which are looked up in it')
    known = vocabulary(words)
    value = {normalize("NFC", word) if isinstance(word, str) else word: vector for word, vector in value.items()}
    if missing := next((word for word in known if word not in value), None):
        raise ProblemError(f'the word {missing!r} is not in "{TABLE}": give it a vector there')
    if unsaid := next((word for word in value if word not in known), None):
        raise ProblemError(f'"{TABLE}" has {shown(unsaid)}, which is none of the words: leave it out')
    vectors: list[Sequence[object]] = []
    for word in known:
        vector = value[word]
        if not isinstance(vector, list | tuple) or not vector:
            raise ProblemError(f'"{TABLE}", {word!r}, is {shown(vector)}, not a vector: write a list such as [1, 0, 2]')
        if vectors and len(vector) != len(vectors[0]):
            raise ProblemError(
                f'"{TABLE}", {word!r}, has {len(vector)} numbers but {known[0]!r} has {len(vectors[0])}: '
                "give every word as many"
            )
        vectors.append(vector)
    return vectors if convention is Convention.ROWS else [list(row) for row in zip(*vectors, strict=True)]


def given_tree(problem: Problem, entry: Callable[[Number], Any]) -> dict[str, Any]:
    """Return the given matrices nested as a file has them, every number written by ``entry``."""
    tree: dict[str, Any] = {}
    for given in problem.mechanism.given:
        a = problem[given.name]
        if given.name == TABLE:
            vectors = lines(a, Along.COLUMNS if problem.convention is Convention.COLUMNS else Along.ROWS)
            known = vocabulary(problem.words)
            tree[TABLE] = {word: [entry(x) for x in vector] for word, vector in zip(known, vectors, strict=True)}
        elif given.head:
            heads = tree.setdefault(HEADS, [{} for _ in range(problem.mechanism.heads)])
            heads[given.head - 1][given.name.partition(".")[2]] = _written(a, entry)
        elif given.name != "P":
            tree[given.name] = _written(a, entry)
    return tree


def _written(a: Matrix, entry: Callable[[Number], Any]) -> list[list[Any]]:
    return [[entry(x) for x in row] for row in a]
