"""Tiny language models that are worked by hand: a bank of vetted ones, and as many of equal worth as a class needs.

A model is one block of a decoder with two heads: eight words, four tokens, six features. Random numbers never give one;
those of the bank were searched for, and vetted by hand and exactly: ``python -m samples.draw_models`` draws it anew.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from attnhand.problems.random_stream import RandomStream

WORDS = (".", "dogs", "cats", "always", "never", "eat", "fish", "bones")
"""The vocabulary, in the order of the rows of E and W_U."""

SENTENCES: Mapping[tuple[str, ...], str] = {
    (".", "dogs", "always", "eat"): "bones",
    (".", "dogs", "never", "eat"): "fish",
    (".", "cats", "always", "eat"): "fish",
    (".", "cats", "never", "eat"): "bones",
}
"""What the language says, with the word that follows: an exclusive or of animal and *never*."""

PLACES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 0))
"""The clock: what place adds to the last two features. A fifth word stands where the first stands."""

BANK_FILE = Path(__file__).with_name("language_models.json")

FREE_FEATURES = 4
"""The first features, which may be renamed; the others are the clock's."""

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep:
    """One step of learning: a word that the model does not favour is to follow a sentence."""

    sentence: tuple[str, ...]
    target: str
    eta: Fraction
    """The learning rate: 1/2 or 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """All that is given of one model, whole numbers; tokens are columns.

    Pre-norm block (Vaswani et al. 2017, Xiong et al. 2020) with RMSNorm (Zhang and Sennrich 2019), without a gain:
    the squares of a column of X add to 6, so that the first norm is 1.
    """

    style: str
    """"clean", about four fifths zeros; "filled", at most 45 % of them in the projections."""

    E: Rows
    """(8, 6): a row for each word; the last two features are 0."""

    W_Q: tuple[Rows, ...]
    """(2, 2, 6): of each head, the rows of queries."""

    W_K: tuple[Rows, ...]
    """(2, 2, 6)"""

    W_V: tuple[Rows, ...]
    """(2, 2, 6)"""

    W_O: Rows
    """(6, 4): features by the values of both heads, one above the other. Each row reads one head alone."""

    W_1: Rows
    """(4, 6)"""

    b_1: tuple[int, ...]
    """(4,)"""

    W_2: Rows
    """(6, 4)"""

    b_2: tuple[int, ...]
    """(6,)"""

    W_U: Rows
    """(8, 6): a row for each word."""

    step: LearningStep

    def list_numbers(self) -> tuple[int, ...]:
        """Return all that is given in one row, in the order of the fields."""
        heads = [row for W in (self.W_Q, self.W_K, self.W_V) for head in W for row in head]
        rows = [*self.E, *heads, *self.W_O, *self.W_1, self.b_1, *self.W_2, self.b_2, *self.W_U]
        return tuple(number for row in rows for number in row)

    def place_words(self, words: Sequence[str]) -> Rows:  # -> (6, tokens)
        """Return X of a sentence: each word's row of E as a column, with its place added.

        >>> [sum(number**2 for number in column) for column in zip(*load_models()[0].place_words([".", "cats"]))]
        [6, 6]

        Args:
            words: one to five of ``WORDS``.
        """
        columns = []
        for word, place in zip(words, PLACES[: len(words)], strict=True):
            row = self.E[WORDS.index(word)]
            columns.append((*row[:FREE_FEATURES], row[-2] + place[0], row[-1] + place[1]))
        return tuple(zip(*columns, strict=True))


@cache
def load_models() -> tuple[LanguageModel, ...]:
    """Return the models of the bank: the clean ones first.

    >>> load_models()[0].style, len(load_models()) > 100
    ('clean', True)
    """
    return tuple(map(read_model, json.loads(BANK_FILE.read_text(encoding="utf-8"))["models"]))


def read_model(entry: Mapping[str, Any]) -> LanguageModel:
    """Read a model as JSON has it."""
    step = entry["step"]
    return LanguageModel(
        **{name: _freeze(value) for name, value in entry.items() if name != "step"},
        step=LearningStep(sentence=tuple(step["sentence"].split()), target=step["target"], eta=Fraction(step["eta"])),
    )


def describe_model(model: LanguageModel) -> dict[str, Any]:
    """Describe a model as JSON has it.

    >>> model = load_models()[0]
    >>> read_model(describe_model(model)) == model
    True
    """
    step = {**asdict(model.step), "sentence": " ".join(model.step.sentence), "eta": str(model.step.eta)}
    return {**asdict(model), "step": step}


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


Turn = Sequence[tuple[int, int]]
"""Where each number of a row comes from, and 1 or −1 for its sign."""


def vary_model(model: LanguageModel, stream: RandomStream) -> LanguageModel:
    """Return a model that says the same by other numbers: they change place and sign.

    Features, dimensions of keys and values and hidden numbers are reordered; features and dimensions change sign too.
    Scores, weights, lengths and logits stay, so whatever holds of the model holds of this one: norms and dot products
    do not change when what is multiplied is reordered, and when both factors change sign; nor does rounding halves
    away from zero. Hidden numbers keep their signs, for the sake of the ReLU.
    """
    features = [*_draw_turn(stream, FREE_FEATURES), (4, 1), (5, 1)]
    hidden = [(i, 1) for i in stream.shuffle(range(len(model.W_1)))]
    keys = [_draw_turn(stream, len(W)) for W in model.W_Q]
    values = [_draw_turn(stream, len(W)) for W in model.W_V]
    # W_O has the values of head 2 to the right of those of head 1
    width = len(values[0])
    both = [(head * width + i, sign) for head, turn in enumerate(values) for i, sign in turn]
    read = _turn_columns(features)
    return replace(
        model,
        E=read(model.E),
        W_Q=tuple(_turn_rows(turn)(read(W)) for turn, W in zip(keys, model.W_Q, strict=True)),
        W_K=tuple(_turn_rows(turn)(read(W)) for turn, W in zip(keys, model.W_K, strict=True)),
        W_V=tuple(_turn_rows(turn)(read(W)) for turn, W in zip(values, model.W_V, strict=True)),
        W_O=_turn_rows(features)(_turn_columns(both)(model.W_O)),
        W_1=_turn_rows(hidden)(read(model.W_1)),
        b_1=_turn_row(hidden, model.b_1),
        W_2=_turn_rows(features)(_turn_columns(hidden)(model.W_2)),
        b_2=_turn_row(features, model.b_2),
        W_U=read(model.W_U),
    )


def _draw_turn(stream: RandomStream, count: int) -> Turn:
    return [(i, stream.pick((1, -1))) for i in stream.shuffle(range(count))]


def _turn_row(turn: Turn, row: Sequence[int]) -> tuple[int, ...]:
    return tuple(sign * row[i] for i, sign in turn)


def _turn_columns(turn: Turn) -> Callable[[Rows], Rows]:
    return lambda a: tuple(_turn_row(turn, row) for row in a)


def _turn_rows(turn: Turn) -> Callable[[Rows], Rows]:
    return lambda a: tuple(tuple(sign * number for number in a[i]) for i, sign in turn)
