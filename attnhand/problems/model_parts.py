"""The parts of one whole tiny language model, each a sheet that begins with the right results of the parts before.

From words to the next word and one step of learning: what a term is made of. A seed draws one model, whatever the part,
so that its sheets go on with one another. A model comes of a bank, see ``language_model``; what its parts are given is
worked here by hand, as the sheets before would.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from attnhand.attention.arithmetic import HAND
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.mechanisms.settings import RMS
from attnhand.attention.problem import TARGET_NAME, Problem
from attnhand.attention.solution import compute_stages
from attnhand.errors import GenerationError, list_choices
from attnhand.problems.language_model import PLACES, SENTENCES, WORDS, LanguageModel, load_models, vary_model
from attnhand.problems.levels import Level
from attnhand.problems.random_stream import RandomStream

SENTENCE_LENGTH = 4
"""Words of every sentence."""

_BLOCK = Variant(mechanism="block", heads=2, is_causal=True, has_residual=True, norm=RMS)
"""Two heads and a network over what is normalised; the first norm is 1, for it is made so."""

_SOME_WORDS = WORDS[:SENTENCE_LENGTH]
"""Words that a form has before a seed draws its own."""

_WORDED = replace(_BLOCK, embedded_words=_SOME_WORDS, table_words=WORDS, has_positions=True, has_given_positions=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPart:
    """One part: where it begins and ends, and which tokens it asks."""

    name: str
    variant: Variant
    takes: Mapping[str, str]
    """What it is given, by its name here: the same matrix or stage of the whole, where that is called otherwise."""

    asked_tokens: tuple[int, ...] | None = None
    """From 1; None for all."""

    asked_from: str = ""
    """The first stage that is asked; those before are printed. Empty for all."""

    reads_last_token: bool = False
    """Whether it goes on with the last token alone."""

    without: str = ""
    """What is taken away from the model: "head 1", "head 2", "places", "attention" or "network"; empty for nothing."""

    writes_on: bool = False
    """Whether that is the word that the model has said, which stands behind the sentence."""

    sizes: Mapping[str, int]
    """Those that its numbers have."""


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


def _take_away(part: str, begins_with: str) -> ModelPart:
    """Return the sheet on which one part is taken away, and the last token alone is worked to the end."""
    has_heads = begins_with == "concat"
    return ModelPart(
        name=f"without-{part.replace(' ', '-')}",
        variant=replace(
            _BLOCK,
            heads=2 if has_heads else None,
            is_causal=False,
            begins_with=(begins_with,),
            read_out_words=WORDS,
        ),
        takes={},
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
            variant=replace(_WORDED, heads=None, is_causal=False, ends_with="squares1"),
            takes={},
            sizes={"features": 6},
        ),
        _take_head(1),
        _take_head(2, asked_tokens=(3, 4)),
        ModelPart(
            name="stream",
            variant=replace(_BLOCK, is_causal=False, begins_with=("concat",), ends_with="N2"),
            takes={},
            sizes=_SIZES,
        ),
        ModelPart(
            name="network",
            variant=replace(_BLOCK, heads=None, is_causal=False, begins_with=("R1", "N2")),
            takes={},
            sizes=_SIZES,
        ),
        ModelPart(
            name="next-word",
            variant=Variant(mechanism="next-token", norm=RMS, lacks_target=True),
            takes={"z": "R2"},
            reads_last_token=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        ModelPart(
            name="learn",
            variant=Variant(mechanism="next-token", learning_rate=Fraction(1, 2)),
            takes={"z": "N3"},
            asked_from="loss",
            reads_last_token=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        ModelPart(
            name="write-on",
            variant=replace(_BLOCK, is_causal=False, cache=SENTENCE_LENGTH, begins_with=("N1",)),
            takes={},
            reads_last_token=True,
            writes_on=True,
            sizes={name: size for name, size in _SIZES.items() if name != "tokens"},
        ),
        ModelPart(
            name="word-after",
            variant=Variant(mechanism="next-token", norm=RMS, lacks_target=True),
            takes={"z": "R2"},
            reads_last_token=True,
            writes_on=True,
            sizes=_LAST_TOKEN_SIZES,
        ),
        *(_take_away(part, "concat") for part in ("head 1", "head 2", "places")),
        _take_away("attention", "R1"),
        _take_away("network", "R2"),
    )
}


def find_part(name: str) -> ModelPart:
    """Return the part of that name.

    Raises:
        GenerationError: there is none.
    """
    if name not in MODEL_PARTS:
        raise GenerationError(f"the model has no part {name!r}: use {list_choices(MODEL_PARTS)}")
    return MODEL_PARTS[name]


def draw_part(part: ModelPart, seed: int, level: Level, *, salt: str = "", title: str = "") -> Problem:
    """Return a part of the model that a seed draws, tokens as columns.

    Args:
        level: at challenge few weights are 0; at all others most are, and each has a reason.
    """
    return cut_part(part, draw_model(seed, level, salt=salt), title=title)


def cut_part(part: ModelPart, model: LanguageModel, *, title: str = "") -> Problem:
    """Return a part of a model, tokens as columns."""
    words = model.step.sentence
    words = (*words, SENTENCES[words]) if part.writes_on else words
    known = work_whole(model, words, without=part.without)
    given = []
    for each in part.variant.build_mechanism().given:
        a = known[part.takes.get(each.name, each.name)]
        is_column = part.reads_last_token and each.columns.size_name == "tokens"
        given.append((each.name, tuple((row[-1],) for row in a) if is_column else a))
    variant = part.variant
    if variant.learning_rate is not None:
        variant = replace(variant, learning_rate=model.step.eta)
    if variant.embedded_words:
        variant = replace(variant, embedded_words=words)
    named = WORDS if variant.has_vocabulary else words
    return Problem(variant=variant, given=tuple(given), rules=HAND, words=named, title=title)


def draw_model(seed: int, level: Level, *, salt: str = "") -> LanguageModel:
    """Return the model that a seed draws: one of the bank, its features in another order and with other signs."""
    stream = RandomStream(str(seed), *(("salt", salt) if salt else ()), "language model")
    style = "filled" if level is Level.CHALLENGE else "clean"
    return vary_model(stream.pick([model for model in load_models() if model.style == style]), stream)


def work_whole(model: LanguageModel, words: tuple[str, ...], *, without: str = "") -> dict[str, Matrix]:
    """Return every matrix of a model, given or worked by hand, by the names of its parts.

    The last norm is N3, of the last token alone; a cache holds all tokens but the last.

    Args:
        words: a sentence, with the word after it or without.
        without: a part that is taken away.
    """
    heads = {"W_Q": model.W_Q, "W_K": model.W_K, "W_V": model.W_V}
    clock = [(0, 0)] * len(words) if without == "places" else PLACES[: len(words)]
    places = tuple((0,) * (len(model.E[0]) - len(place)) + place for place in clock)
    given: dict[str, Matrix] = {
        EMBEDDING_NAME: transpose(model.E),
        "P": transpose(places),
        **{f"h{head}.{name}": a for name, both in heads.items() for head, a in enumerate(both, 1)},
        "W_O": model.W_O,
        "W_1": model.W_1,
        "W_2": model.W_2,
        **{name: tuple((bias,) for bias in b) for name, b in (("b_1", model.b_1), ("b_2", model.b_2))},
    }
    variant = replace(_WORDED, embedded_words=words)
    names = [each.name for each in variant.build_mechanism().given]
    block = Problem(variant=variant, given=tuple((name, given[name]) for name in names), words=words)
    nothing = (
        {TAKEN_AWAY[without]: _make_zeros(model, TAKEN_AWAY[without], len(words))} if without in TAKEN_AWAY else {}
    )
    known = {**given, **compute_stages(block, block.hand_arithmetic, replacements=nothing), "W_U": model.W_U}
    for head in (1, 2):
        kept = {f"h{head}.{name}_cache": known[f"h{head}.{name}"] for name in ("K", "V")}
        known |= {name: tuple(row[:-1] for row in a) for name, a in kept.items()}
    known[TARGET_NAME] = tuple((int(word == model.step.target),) for word in WORDS)
    last = (("z", tuple((row[-1],) for row in known["R2"])), ("W_U", model.W_U))
    end = Problem(variant=MODEL_PARTS["next-word"].variant, given=last, words=WORDS)
    return known | {"N3": compute_stages(end, end.hand_arithmetic, last_stage="N1")["N1"]}


TAKEN_AWAY = {"head 1": "h1.Z", "head 2": "h2.Z", "attention": "output", "network": "F2"}
"""What is 0 where a part is taken away; without places it is the clock."""


def _make_zeros(model: LanguageModel, stage: str, tokens: int) -> Matrix:
    rows = len(model.W_V[0]) if stage.endswith(".Z") else len(model.E[0])
    return ((0,) * tokens,) * rows


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

    def work(self, words: tuple[str, ...] | None = None) -> Mapping[str, Matrix]:
        """Work the whole model by hand, on the sentence of the sheet or another."""
        return work_whole(self.model, words or self.words)


def draw_asked_part(name: str, seed: int, level: Level, *, salt: str = "") -> AskedPart:
    """Return the part of that name, of the model that a seed draws."""
    return AskedPart(name=find_part(name).name, model=draw_model(seed, level, salt=salt))
