"""What a tiny language model says: by hand, without one of its parts, with one number changed, after a step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from operator import mul

from attnhand.problems.language_model import SENTENCES, WORDS, LanguageModel, Rows


class Part(StrEnum):
    """What can be taken away from a model."""

    NETWORK = "network"
    """F₂ is 0."""

    HEAD_1 = "head 1"
    """Its Z is 0."""

    HEAD_2 = "head 2"
    PLACES = "places"
    """P is 0."""

    ATTENTION = "attention"
    """O is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastColumn:
    """What is worked by hand for the last token of a sentence, as far as the next word needs it."""

    H: tuple[int, ...]
    """(6,)"""

    logits: tuple[int, ...]
    """(8,)"""


def work_last_column(model: LanguageModel, words: Sequence[str], without: Part | None = None) -> LastColumn:
    """Work a model by hand, from a sentence to the logits of its last token.

    Args:
        words: one to five of the vocabulary.
        without: the part that is taken away.
    """
    X = [list(column) for column in zip(*model.place_words(words), strict=True)]
    if without is Part.PLACES:
        X = [list(model.E[WORDS.index(word)]) for word in words]
    R = list(X[-1])
    values: list[Fraction] = []
    for head, (W_Q, W_K, W_V) in enumerate(zip(model.W_Q, model.W_K, model.W_V, strict=True), start=1):
        if without is Part.ATTENTION or without == f"head {head}":
            values += [Fraction(0)] * len(W_V)
            continue
        q = _apply(W_Q, X[-1])
        powers = [Fraction(3) ** (sum(map(mul, _apply(W_K, column), q)) // 2) for column in X]
        V = [_apply(W_V, column) for column in X]
        values += [sum(map(mul, powers, row), Fraction(0)) / sum(powers) for row in zip(*V, strict=True)]
    attended = [sum(map(mul, row, values), Fraction(0)) for row in model.W_O]
    R = [round_half_away(x + o) for x, o in zip(R, attended, strict=True)]
    F_1 = [f + b for f, b in zip(_apply(model.W_1, divide_by_root(R)), model.b_1, strict=True)]
    F_2 = [f + b for f, b in zip(_apply(model.W_2, [max(f, 0) for f in F_1]), model.b_2, strict=True)]
    if without is not Part.NETWORK:
        R = [r + f for r, f in zip(R, F_2, strict=True)]
    H = divide_by_root(R)
    return LastColumn(H=tuple(H), logits=tuple(_apply(model.W_U, H)))


def _apply(W: Rows, column: Sequence[int]) -> list[int]:
    return [sum(map(mul, row, column)) for row in W]


def round_half_away(value: Fraction) -> int:
    """Round to the nearest whole number, halves away from zero.

    >>> [round_half_away(Fraction(n, 2)) for n in (-3, -1, 1, 2, 3)]
    [-2, -1, 1, 1, 2]
    """
    rounded = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return -rounded if value < 0 else rounded


def divide_by_root(column: Sequence[int]) -> list[int]:
    """Divide a column by the root of the mean of its squares; both are rounded, the root to at least 1.

    >>> divide_by_root([4, -3, 1, 0, 0, 3])
    [2, -2, 1, 0, 0, 2]
    """
    squares = sum(number**2 for number in column)
    # √(s/n) is at least r − ½ where 4s is at least n(2r − 1)²
    r = max(1, (isqrt(4 * squares // len(column)) + 1) // 2)
    return [round_half_away(Fraction(number, r)) for number in column]


def list_favourites(logits: Sequence[int | Fraction]) -> tuple[str, ...]:
    """Return the word with the largest logit, or words, where several have it.

    >>> list_favourites((0, 1, 1, 0, 0, 0, 0, 0))
    ('dogs', 'cats')
    """
    return tuple(word for word, logit in zip(WORDS, logits, strict=True) if logit == max(logits))


def say_next(model: LanguageModel, without: Part | None = None) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return each sentence of the language with what the model favours after it, by hand.

    >>> from attnhand.problems.language_model import load_models
    >>> say_next(load_models()[0])[".", "dogs", "never", "eat"]
    ('fish',)
    """
    return {words: list_favourites(work_last_column(model, words, without).logits) for words in SENTENCES}


def say_next_after_step(model: LanguageModel) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return the same after the model's step of learning: what was learnt, and what was forgotten.

    Logits become z − η (h · h′) (p − y), rounded: h′ is of the sentence that was learnt.
    """
    step = model.step
    learnt = work_last_column(model, step.sentence)
    powers = [Fraction(3) ** logit for logit in learnt.logits]
    gradient = [power / sum(powers) - (word == step.target) for word, power in zip(WORDS, powers, strict=True)]  # p − y
    said = {}
    for words in SENTENCES:
        column = work_last_column(model, words)
        along = step.eta * sum(map(mul, column.H, learnt.H))
        moved = [round_half_away(z - along * g) for z, g in zip(column.logits, gradient, strict=True)]
        said[words] = list_favourites(moved)
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotage:
    """One given number that is changed."""

    matrix: str
    """The field of the model."""

    address: tuple[int, ...]
    """Indices from 0: head, where the matrix has heads, row, column."""

    value: int
    """What it is changed to."""


def list_sabotages(
    model: LanguageModel, words: Sequence[str] = (".", "dogs", "never", "eat"), wrong: str = "bones"
) -> tuple[Sabotage, ...]:
    """Return every change of one weight, by 1 or to 0, after which the model favours a wrong word, by hand.

    The numbers of words stay: a column of X whose squares no longer add to 6 would give itself away.
    """
    return tuple(
        sabotage
        for sabotage in _list_changes(model)
        if list_favourites(work_last_column(change_number(model, sabotage), words).logits) == (wrong,)
    )


SABOTAGED = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "W_U")


def _list_changes(model: LanguageModel) -> Iterator[Sabotage]:
    for name in SABOTAGED:
        for address, number in _walk(getattr(model, name)):
            for value in sorted({number - 1, number + 1, 0} - {number}):
                yield Sabotage(matrix=name, address=address, value=value)


def _walk(value: object, address: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    if isinstance(value, int):
        yield address, value
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from _walk(part, (*address, i))


def change_number(model: LanguageModel, sabotage: Sabotage) -> LanguageModel:
    """Return a model with one number changed."""

    def put(value: object, address: tuple[int, ...]) -> object:
        if not address:
            return sabotage.value
        assert isinstance(value, tuple)
        i, *rest = address
        return (*value[:i], put(value[i], tuple(rest)), *value[i + 1 :])

    changed: dict[str, object] = {sabotage.matrix: put(getattr(model, sabotage.matrix), sabotage.address)}
    return replace(model, **changed)  # type: ignore[arg-type]
