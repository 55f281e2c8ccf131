"""The parts of one whole tiny language model, each a sheet that begins with the right results of the parts before.

From words to the next word and one step of learning: what a term is made of. A seed draws one model, whatever the part,
so that its sheets go on with one another. A model comes of a bank, see ``language_model``; what its parts are given is
worked here by hand, as the sheets before would.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from attnhand.attention.arithmetic import HAND
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.settings import RMS, write_temperature
from attnhand.attention.problem import TARGET_NAME, Problem
from attnhand.errors import GenerationError, list_choices, name_option
from attnhand.problems.language_model import SENTENCES, WORDS, LanguageModel, load_models, vary_model
from attnhand.problems.language_model_working import BLOCK, Part, WorkedModel, embed_words, work_model
from attnhand.problems.levels import Level
from attnhand.problems.random_stream import RandomStream

SENTENCE_LENGTH = 4
"""Words of every sentence."""

PART_TEMPERATURES = (Fraction(2), Fraction(1, 2))
"""What the logits of every model can be divided by: a half or twice of them is left, and powers stay readable."""

_SOME_WORDS = WORDS[:SENTENCE_LENGTH]
"""Words that a form has before a seed draws its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPart:
    """One part: where it begins and ends, and which tokens it asks."""

    name: str
    variant: Variant
    takes: Mapping[str, str] = field(default_factory=dict)
    """What it is given, by its name here: the same matrix or stage of the whole, where that is called otherwise."""

    asked_tokens: tuple[int, ...] | None = None
    """From 1; None for all."""

    asked_from: str = ""
    """The first stage that is asked; those before are printed. Empty for all."""

    reads_last_token: bool = False
    """Whether it goes on with the last token alone."""

    without: Part | None = None
    """What is taken away from the model."""

    writes_on: bool = False
    """Whether that is the word that the model has said, which stands behind the sentence."""

    sizes: Mapping[str, int]
    """Those that its numbers have."""

    def temper(self, temperature: Fraction | None) -> Variant:
        """Return its form with a temperature of the next word; None for 1.

        Raises:
            GenerationError: it says no next word, or the temperature leaves its logits too little, or too much.
        """
        if temperature is None:
            return self.variant
        option = name_option("temperature", write_temperature(temperature))
        if not self.says_next:
            raise GenerationError(
                f"{option} is how freely the model chooses its next word, and {name_option('part', self.name)} chooses "
                f"none: leave out the temperature, or use the part {list_choices(_list_said())}"
            )
        if temperature not in PART_TEMPERATURES:
            usual = list_choices([str(each) for each in PART_TEMPERATURES])
            raise GenerationError(
                f"{option} makes too little of the model's logits, which are small whole numbers, or too much: use "
                f"{usual}"
            )
        return replace(self.variant, temperature=temperature)

    @property
    def works_again(self) -> bool:
        """Whether all that it works was worked before, on other parts, which say what stages are for."""
        return self.writes_on or self.without is not None

    @property
    def says_next(self) -> bool:
        """Whether it ends with how likely each word is to be said next."""
        return self.variant.has_vocabulary and self.variant.lacks_target


_SIZES = {"tokens": SENTENCE_LENGTH, "features": 6, "d_k": 2, "d_v": 2, "hidden": 4}
_LAST_TOKEN_SIZES = {"tokens": 1, "features": 6, "vocabulary": len(WORDS)}


def _take_head(number: int, asked_tokens: tuple[int, ...] | None = None) -> ModelPart:
    return ModelPart(
        name=f"head-{number}",
        variant=Variant(is_causal=True),
        takes={name: f"h{number}.{name}" for name in ("W_Q", "W_K", "W_V")},
        asked_tokens=asked_tokens,
        sizes={name: size for name, size in _SIZES.items() if name != "hidden"},
    )


def _take_away(part: Part, begins_with: str) -> ModelPart:
    """Return the sheet on which one part is taken away, and the last token alone is worked to the end."""
    has_heads = begins_with == "concat"
    return ModelPart(
        name=f"without-{part.replace(' ', '-')}",
        variant=replace(
            BLOCK,
            heads=2 if has_heads else None,
            is_causal=False,
            begins_with=(begins_with,),
            read_out_words=WORDS,
        ),
        asked_tokens=(SENTENCE_LENGTH,),
        without=part,
        sizes=_SIZES,
    )


# The order is part of the sheet code: append, never insert.
MODEL_PARTS: Mapping[str, ModelPart] = {
    part.name: part
    for part in (
        ModelPart(
            name="words",
            variant=replace(embed_words(_SOME_WORDS), heads=None, is_causal=False, ends_with="squares1"),
            sizes={"features": 6},
        ),
        _take_head(1),
        _take_head(2, asked_tokens=(3, 4)),
        ModelPart(
            name="stream",
            variant=replace(BLOCK, is_causal=False, begins_with=("concat",), ends_with="N2"),
            sizes=_SIZES,
        ),
        ModelPart(
            name="network",
            variant=replace(BLOCK, heads=None, is_causal=False, begins_with=("R1", "N2")),
            sizes=_SIZES,
        ),
        ModelPart(
            name="next-word",
            variant=Variant(mechanism="next-token", norm=RMS, lacks_target=True),
            reads_last_token=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        ModelPart(
            name="learn",
            variant=Variant(mechanism="next-token", norm=RMS, learning_rate=Fraction(1, 2), begins_with=("N3",)),
            asked_from="loss",
            reads_last_token=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        ModelPart(
            name="write-on",
            variant=replace(BLOCK, is_causal=False, cache=SENTENCE_LENGTH, begins_with=("N1",)),
            reads_last_token=True,
            writes_on=True,
            sizes={name: size for name, size in _SIZES.items() if name != "tokens"},
        ),
        ModelPart(
            name="word-after",
            variant=Variant(mechanism="next-token", norm=RMS, lacks_target=True),
            reads_last_token=True,
            writes_on=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        *(_take_away(part, "concat") for part in (Part.HEAD_1, Part.HEAD_2, Part.PLACES)),
        _take_away(Part.ATTENTION, "R1"),
        _take_away(Part.NETWORK, "R2"),
    )
}


def _list_said() -> list[str]:
    return [part.name for part in MODEL_PARTS.values() if part.says_next]


def find_part(name: str) -> ModelPart:
    """Return the part of that name.

    Raises:
        GenerationError: there is none.
    """
    if name not in MODEL_PARTS:
        raise GenerationError(f"the model has no part {name!r}: use {list_choices(MODEL_PARTS)}")
    return MODEL_PARTS[name]


def draw_part(
    part: ModelPart,
    seed: int,
    level: Level,
    *,
    temperature: Fraction | None = None,
    salt: str = "",
    title: str = "",
) -> Problem:
    """Return a part of the model that a seed draws, tokens as columns.

    Args:
        level: at challenge few weights are 0; at all others most are, and each has a reason.
        temperature: of the next word, which changes no number that is given; None for 1.
    """
    return cut_part(part, draw_model(seed, level, salt=salt), temperature=temperature, title=title)


def cut_part(part: ModelPart, model: LanguageModel, *, temperature: Fraction | None = None, title: str = "") -> Problem:
    """Return a part of a model, tokens as columns."""
    words = list_words(part, model)
    variant = part.temper(temperature)
    if variant.learning_rate is not None:
        variant = replace(variant, learning_rate=model.step.eta)
    if variant.embedded_words:
        variant = replace(variant, embedded_words=words)
    named = WORDS if variant.has_vocabulary else words
    known = _list_known(model, words, part.without)
    given = []
    for each in part.variant.build_mechanism().given:
        a = known[part.takes.get(each.name, each.name)]
        is_column = part.reads_last_token and each.columns.size_name == "tokens"
        given.append((each.name, tuple((row[-1],) for row in a) if is_column else a))
    return Problem(variant=variant, given=tuple(given), rules=HAND, words=named, title=title)


def list_words(part: ModelPart, model: LanguageModel) -> tuple[str, ...]:
    """Return the words that a part reads of a model: the sentence of its step, with the word after it or without."""
    words = model.step.sentence
    return (*words, SENTENCES[words]) if part.writes_on else words


def draw_model(seed: int, level: Level, *, salt: str = "") -> LanguageModel:
    """Return the model that a seed draws: one of the bank, its features in another order and with other signs."""
    stream = RandomStream(str(seed), *(("salt", salt) if salt else ()), "language model")
    style = "filled" if level is Level.CHALLENGE else "clean"
    return vary_model(stream.pick([model for model in load_models() if model.style == style]), stream)


def _list_known(model: LanguageModel, words: Sequence[str], without: Part | None) -> dict[str, Matrix]:
    """Return every matrix that a part may be given, by its name in the whole; a cache holds all tokens but the last."""
    known = work_model(model, words, without).show()
    kept = {f"h{head}.{name}": known[f"h{head}.{name}"] for head in (1, 2) for name in ("K", "V")}
    known |= {f"{name}_cache": tuple(row[:-1] for row in a) for name, a in kept.items()}
    return known | {TARGET_NAME: tuple((int(word == model.step.target),) for word in WORDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPart:
    """A part as one sheet asks it, with the whole of which it is one."""

    name: str
    model: LanguageModel

    @property
    def part(self) -> ModelPart:
        """What is asked."""
        return MODEL_PARTS[self.name]

    @property
    def words(self) -> tuple[str, ...]:
        """The sentence of the sheet."""
        return self.model.step.sentence

    @property
    def others(self) -> list[tuple[str, ...]]:
        """The other sentences of the language."""
        return [words for words in SENTENCES if words != self.words]

    @property
    def told(self) -> Mapping[str, str]:
        """What is said of the whole before the part is worked: all in which two sheets of it differ besides numbers."""
        words, step = list_words(self.part, self.model), self.model.step
        told = {"sentence": " ".join(words), "word": words[-1], "said": SENTENCES[step.sentence]}
        if self.part.variant.learning_rate is not None:
            told |= {"target": step.target, "rate": str(step.eta)}
        return told

    def work(self, words: tuple[str, ...] | None = None) -> WorkedModel:
        """Work the whole model by hand, on the sentence of the sheet or another."""
        return work_model(self.model, words or self.words)


def draw_asked_part(name: str, seed: int, level: Level, *, salt: str = "") -> AskedPart:
    """Return the part of that name, of the model that a seed draws."""
    return AskedPart(name=find_part(name).name, model=draw_model(seed, level, salt=salt))
