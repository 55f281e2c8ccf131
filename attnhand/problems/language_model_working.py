"""A tiny language model worked by hand, from a sentence to the next word, by the formulas that sheets are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.working import work_again, work_stages
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Mechanism, Variant
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.mechanisms.settings import RMS
from attnhand.attention.numbers import Number
from attnhand.problems.language_model import PLACES, WORDS, LanguageModel

BLOCK = Variant(mechanism="block", heads=2, is_causal=True, has_residual=True, norm=RMS)
"""Two heads and a network over what is normalised; the first norm is 1, for it is made so."""

_ARITHMETIC = Arithmetic(rules=HAND, d_k=2)


class Part(StrEnum):
    """What can be taken away from a model."""

    NETWORK = "network"
    HEAD_1 = "head 1"
    HEAD_2 = "head 2"
    PLACES = "places"
    ATTENTION = "attention"


_TAKEN_AWAY: Mapping[Part, str] = {
    Part.NETWORK: "F2",
    Part.HEAD_1: "h1.Z",
    Part.HEAD_2: "h2.Z",
    Part.PLACES: "P",
    Part.ATTENTION: "output",
}
"""The matrix that is 0 where a part is taken away."""


def embed_words(words: Sequence[str]) -> Variant:
    """Return the form of a model that begins with a sentence."""
    return replace(BLOCK, embedded_words=tuple(words), table_words=WORDS, has_positions=True, has_given_positions=True)


@cache
def _build_form(words: tuple[str, ...]) -> Mechanism:
    """Return the whole of a model, from the sentence to the logits."""
    return replace(embed_words(words), read_out_words=WORDS).build_mechanism()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedModel:
    """A sentence worked by a model."""

    words: tuple[str, ...]

    given: Mapping[str, Lines]
    """All that the model gives, as formulas have it."""

    values: Mapping[str, Lines]
    """The same and what comes out at each stage."""

    def change_model(self, model: LanguageModel) -> "WorkedModel":
        """Return the sentence worked by another model: what is made of the same numbers stays."""
        given = _list_given(model, self.words)
        return self._change({name: lines for name, lines in given.items() if lines != self.given[name]}, given)

    def take_away(self, part: Part) -> "WorkedModel":
        """Return the sentence worked without a part."""
        name = _TAKEN_AWAY[part]
        return self._change({name: tuple((0,) * len(row) for row in self.values[name])}, self.given)

    def _change(self, changed: Mapping[str, Lines], given: Mapping[str, Lines]) -> "WorkedModel":
        values = work_again(_build_form(self.words).formulas, make_exact_numbers(_ARITHMETIC), self.values, changed)
        return WorkedModel(words=self.words, given=given, values=values)

    def get_last(self, name: str) -> tuple[Number, ...]:
        """Return the last token's column of a stage: ``N3``, ``logits``."""
        return tuple(row[-1] for row in self.values[name])

    def show(self) -> dict[str, Matrix]:
        """Return every matrix, given or worked, as a sheet in columns has it."""
        stages = {stage.name: stage.show(self.values[stage.name]) for stage in _build_form(self.words).stages}
        biases = {name: tuple((bias,) for bias in self.values[name]) for name in ("b_1", "b_2")}
        return {**self.values, **stages, **biases}


def work_model(model: LanguageModel, words: Sequence[str], without: Part | None = None) -> WorkedModel:
    """Work a sentence, one to five words of the vocabulary, to the logits of every token.

    >>> from attnhand.problems.language_model import load_models
    >>> work_model(load_models()[0], (".", "dogs", "never", "eat")).get_last("logits").index(2)
    6

    Args:
        without: the part that is taken away.
    """
    if without is Part.PLACES:  # which everything is made of: nothing that was worked with them stays
        return _work(model, tuple(words), have_places=False)
    worked = _work(model, tuple(words))
    return worked if without is None else worked.take_away(without)


@lru_cache(maxsize=256)  # each week of a term, and each question of a sheet, asks what the same model says
def _work(model: LanguageModel, words: tuple[str, ...], *, have_places: bool = True) -> WorkedModel:
    given = _list_given(model, words)
    used = given if have_places else {**given, "P": tuple((0,) * len(row) for row in given["P"])}
    values = work_stages(_build_form(words).formulas, make_exact_numbers(_ARITHMETIC), used)
    return WorkedModel(words=words, given=given, values=values)


def _list_given(model: LanguageModel, words: Sequence[str]) -> dict[str, Lines]:
    heads = {"W_Q": model.W_Q, "W_K": model.W_K, "W_V": model.W_V}
    before = (0,) * (len(model.E[0]) - len(PLACES[0]))
    return {
        EMBEDDING_NAME: transpose(model.E),
        "P": transpose(tuple((*before, *place) for place in PLACES[: len(words)])),
        **{f"h{head}.{name}": a for name, both in heads.items() for head, a in enumerate(both, 1)},
        **{name: getattr(model, name) for name in ("W_O", "W_1", "b_1", "W_2", "b_2", "W_U")},
    }
