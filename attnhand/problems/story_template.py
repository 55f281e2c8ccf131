"""Stories before a seed draws one: TOML files with variants, named features, and numbers to choose from.

A file says which tokens there are and what each is in numbers, which weights a mechanism has, and what is asked in
each variant. Where it lists numbers instead of giving one, the seed takes one of them. Words for people stand apart,
under the code of their language, and shape no number.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Formatter
from unicodedata import normalize

from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.story import Story, Want
from attnhand.errors import ProblemError
from attnhand.problems.levels import Level
from attnhand.problems.reading import describe_value
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.files import read_file
from attnhand.system.json_toml import read_data
from attnhand.text import read_story_words

STORY_DIR = Path(__file__).parent / "stories"

STORY_NAMES = (
    "ball",
    "brackets",
    "clue",
    "colours",
    "jury",
    "diary",
    "dog",
    "elephant",
    "garden",
    "soup",
    "swap",
    "translate",
)
"""The stories that come with the program, each a file."""

DRAWN_BY_RECIPE_1 = STORY_NAMES
"""Those that a seed draws from. Never changed: a seed on paper gives its story again."""

MAX_STORY_FILE_BYTES = 100_000

STORY_MECHANISMS = ("self", "cross", "multi-head")
"""Mechanisms that a story can be about."""

MIN_TOKENS, MAX_TOKENS, MAX_FEATURES, MAX_ENTRY = 3, 6, 6, 9
"""What a story that is worked by hand has at most; entries as magnitudes. Of a memory's askers there may be two."""

MAX_ROW_FEATURES = 2
"""A row of weights that counts more features than these has no name."""

FALLBACK_LANGUAGE = "en"

Choices = tuple[int, ...]
"""The numbers that one cell may have, each equally likely."""

ChoiceRow = tuple[Choices, ...]
"""One token, or one row of weights: a cell for each feature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryVariant:
    """One way in which a story can go."""

    name: str
    tokens: tuple[str, ...]
    """By the names that the file has for them."""

    memory: tuple[str, ...] = ()
    """What cross-attention looks at."""

    asks: str
    """The token whose query is asked about."""

    head: int = 0
    """The head that is asked about, from 1; 0 where there is one."""

    answers: tuple[str, ...]
    """The tokens that may be the answer."""

    numbers: tuple[tuple[str, ChoiceRow], ...] = ()
    """Rows of tokens that are others here."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The tokens that are looked at."""
        return self.memory or self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryText:
    """The words of a story in one language."""

    features: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    """By token, where the word is another than the file's name for it."""

    values: tuple[str, ...] = ()
    """What each number of a value stands for; none where it stands for nothing."""

    sentences: tuple[tuple[str, str], ...]
    """By variant, with placeholders."""

    questions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTemplate:
    """A story with all its variants, before a seed draws one."""

    name: str
    """Of its file, without folder and suffix."""

    is_bundled: bool
    mechanism: str
    is_causal: bool = False
    level: Level
    features: tuple[str, ...]
    tokens: tuple[tuple[str, ChoiceRow], ...]
    places: tuple[ChoiceRow, ...] = ()
    """What is added to the first token, the second, …; none where order does not matter."""

    weights: tuple[tuple[str, tuple[ChoiceRow, ...]], ...]
    """By matrix, in the mechanism's order, row by row as they stand with tokens as columns."""

    variants: tuple[StoryVariant, ...]
    not_asked: tuple[str, ...] = ()
    """Criteria of the level that its numbers cannot meet, by name."""

    texts: tuple[tuple[str, StoryText], ...]
    """By language."""

    digest: str
    """A hash of all that shapes its numbers; translations leave it alone."""

    @property
    def heads(self) -> int | None:
        """How many heads it has; None for as many as the mechanism usually has."""
        heads = len([name for name, _ in self.weights if name.endswith("W_Q")])
        return heads if heads > 1 else None

    @property
    def variant(self) -> Variant:
        """The form of its mechanism, before the words are known that are looked up."""
        return Variant(mechanism=self.mechanism, heads=self.heads, is_causal=self.is_causal)

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes by name, as a request has them."""
        first, rows = self.variants[0], dict(self.weights)
        prefix = "h1." if self.heads else ""
        sizes = {"tokens": len(first.tokens), "features": len(self.features)}
        sizes |= {"d_k": len(rows[f"{prefix}W_Q"]), "d_v": len(rows[f"{prefix}W_V"])}
        return sizes | ({"memory": len(first.memory)} if first.memory else {})

    @property
    def form(self) -> tuple[Variant, bool, tuple[tuple[str, int], ...]]:
        """What decides which cells its sheets ask: stories of one form can be marked and compared together."""
        asked = ("tokens", "memory", "d_k", "d_v")
        sizes = {**self.sizes, "features": len(self.features) if self.heads or self.places else 0}
        return self.variant, bool(self.places), tuple((name, sizes.get(name, 0)) for name in (*asked, "features"))

    @property
    def wants(self) -> tuple[tuple[Want, ...], ...]:
        """What queries look for, by head: what is certain of a row of W_Q wants what is certain of that row of W_K."""
        rows = dict(self.weights)
        return tuple(
            tuple(
                Want(asks=tuple(map(_find_sign, asking)), holds=tuple(map(_find_sign, holding)))
                for asking, holding in zip(rows[name], rows[f"{name[:-1]}K"], strict=True)
            )
            for name in rows
            if name.endswith("W_Q")
        )

    def _name_rows(self, name: str, text: StoryText) -> tuple[str, ...]:
        """Name rows of weights by what they are certain to count; those of W_Q by what they ask for, as W_K has it.

        A row that counts nothing for certain, or much, has no name.
        """
        if name.endswith("W_V") and text.values:
            return text.values
        rows = dict(self.weights)[f"{name[:-1]}K" if name.endswith("W_Q") else name]
        certain = [
            [feature for feature, choices in zip(text.features, row, strict=True) if _find_sign(choices) > 0]
            for row in rows
        ]
        return tuple("/".join(names) if len(names) <= MAX_ROW_FEATURES else "" for names in certain)

    @property
    def answers(self) -> tuple[str, ...]:
        """The tokens that are the answer on some sheet."""
        return tuple(dict.fromkeys(answer for variant in self.variants for answer in variant.answers))

    def find_text(self, language: str) -> StoryText:
        """Return its words in a language; in English, or the first there is, where it has none."""
        texts = dict(self.texts)
        if language not in texts and self.is_bundled and self.name in read_story_words(language):
            return self.read_translation(language)
        return texts.get(language) or texts.get(FALLBACK_LANGUAGE) or self.texts[0][1]

    def read_translation(self, language: str) -> StoryText:
        """Read its words from the file of a language."""
        tokens = tuple(token for token, _ in self.tokens)
        table = _Table(read_story_words(language)[self.name], f"stories.{self.name}")
        return _read_text(table, self.features, tokens, self.variants, _count_values(self.weights))

    def list_words(self, variant: StoryVariant, language: str) -> tuple[str, ...]:
        """Return the words of a variant's tokens."""
        words = dict(self.find_text(language).words)
        return tuple(words.get(token, token) for token in variant.tokens)

    def tell(self, variant: StoryVariant, language: str) -> Story:
        """Return what the sheet of a variant says."""
        text = self.find_text(language)
        words = dict(text.words)
        named = {
            "asks": words.get(variant.asks, variant.asks),
            "tokens": " ".join(words.get(token, token) for token in variant.tokens),
            "memory": ", ".join(words.get(token, token) for token in variant.memory),
        }
        return Story(
            name=self.name,
            sentence=dict(text.sentences)[variant.name].format_map(named),
            feature_names=text.features,
            memory_words=tuple(words.get(token, token) for token in variant.memory),
            question=dict(text.questions)[variant.name].format_map(named),
            query=variant.tokens.index(variant.asks),
            head=variant.head,
            answers=tuple(at for at, key in enumerate(variant.keys) if key in self.answers),
            value_names=text.values,
            wants=self.wants,
            row_names=tuple((name, self._name_rows(name, text)) for name, _ in self.weights if name != "W_O"),
        )


@cache
def read_bundled_story(name: str) -> StoryTemplate:
    """Return a story that comes with the program."""
    return read_story((STORY_DIR / f"{name}.toml").read_bytes(), name, is_bundled=True)


def load_story(name: str) -> StoryTemplate:
    """Return a story by its name, or that of a file of one's own.

    Raises:
        AttnhandError: there is none, or the file is malformed.
    """
    if name in STORY_NAMES:
        return read_bundled_story(name)
    path = Path(name)
    meant = find_nearest_name(name, STORY_NAMES)
    known = ", ".join(STORY_NAMES)
    advice = f"did you mean {meant}?" if meant else f"use {known}, or a TOML file of your own"
    data = read_file(path, MAX_STORY_FILE_BYTES, kind="story", advice=advice, label=f"the story {name!r}")
    try:
        return read_story(data, normalize("NFC", path.stem), is_bundled=False)
    except ProblemError as error:
        raise ProblemError(f"the story {path.name} {error}") from error


def read_story(data: bytes, name: str, *, is_bundled: bool) -> StoryTemplate:
    """Read a story's file.

    Raises:
        ProblemError: it is malformed; the message completes "the story my.toml …".
    """
    if not data.strip():
        raise ProblemError(f"is empty: write a story such as {STORY_NAMES[0]}.toml, which comes with the program")
    tree = _Table(read_data(data, "toml"), "")
    mechanism = tree.take_choice("mechanism", STORY_MECHANISMS)
    is_causal = tree.take_flag("causal")
    level = Level(tree.take_choice("level", tuple(Level), Level.STANDARD.value))
    features = tree.take_names("features", 2, MAX_FEATURES)
    tokens = tuple(
        (token, _read_choice_row(row, features)) for token, row in tree.take_table("tokens").iterate_entries()
    )
    places = tuple(_read_choice_row(row, features) for row in tree.take_rows("places", default=()))
    weights = _read_weights(tree, mechanism, features)
    known = tuple(token for token, _ in tokens)
    heads = sum(matrix.endswith("W_Q") for matrix, _ in weights)
    variants = tuple(
        _read_variant(
            variant,
            _Table(row.value, row.place),
            known,
            features,
            is_cross=mechanism == "cross",
            has_places=bool(places),
            heads=heads,
        )
        for variant, row in tree.take_table("variants").iterate_entries()
    )
    not_asked = tree.take_names("not_asked", 0, 20, default=())
    texts = tree.take_table("text")
    tree.refuse_others()
    _check_sizes(variants, places)
    structure = [mechanism, is_causal, level, features, tokens, places, weights, variants, not_asked]
    text = json.dumps(structure, default=lambda each: [each.name, each.tokens, each.memory, *_list_rest(each)])
    return StoryTemplate(
        name=name,
        is_bundled=is_bundled,
        mechanism=mechanism,
        is_causal=is_causal,
        level=level,
        features=features,
        tokens=tokens,
        places=places,
        weights=weights,
        variants=variants,
        not_asked=not_asked,
        texts=tuple(
            (language, _read_text(_Table(row.value, row.place), features, known, variants, _count_values(weights)))
            for language, row in texts.iterate_entries()
        ),
        digest=sha256(text.encode()).hexdigest(),
    )


def _find_sign(choices: Choices) -> int:
    """Return 1 or −1 where all numbers that a cell may have are of that sign, else 0: it may count or not."""
    return (min(choices) > 0) - (max(choices) < 0)


def _count_values(weights: Sequence[tuple[str, tuple[ChoiceRow, ...]]]) -> int:
    return len(next(rows for matrix, rows in weights if matrix.endswith("W_V")))


def _list_rest(variant: StoryVariant) -> list[object]:
    return [variant.asks, variant.head, variant.answers, variant.numbers]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A value of the file, and what refusals call its place."""

    value: object
    place: str


class _Table:
    """A table of the file, whose keys are taken one by one; what is left over is refused."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, Mapping) or not value:
            raise ProblemError(f"has {describe_value(value)} as {place or 'its content'}: write a table, key = value")
        self.left, self.place = dict(value), place

    def _name(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def take(self, key: str, default: object = None) -> _Entry:
        """Take a value; one without a default has to be there."""
        if key not in self.left and default is None:
            near = find_nearest_name(key, self.left)
            raise ProblemError(f"has no {self._name(key)}: add it{f', or rename {near}' if near else ''}")
        return _Entry(self.left.pop(key, default), self._name(key))

    def take_table(self, key: str) -> "_Table":
        entry = self.take(key)
        return _Table(entry.value, entry.place)

    def take_text(self, key: str, default: str | None = None) -> str:
        entry = self.take(key, default)
        if not isinstance(entry.value, str) or not entry.value.strip():
            raise ProblemError(f"has {describe_value(entry.value)} as {entry.place}: write a text in quotes")
        return normalize("NFC", entry.value)

    def take_choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        text = self.take_text(key, default)
        if text not in choices:
            raise ProblemError(f"has {text!r} as {self._name(key)}: use {', '.join(choices)}")
        return text

    def take_flag(self, key: str) -> bool:
        entry = self.take(key, False)
        if not isinstance(entry.value, bool):
            raise ProblemError(f"has {describe_value(entry.value)} as {entry.place}: write true or false")
        return entry.value

    def take_names(self, key: str, fewest: int, most: int, default: Sequence[str] | None = None) -> tuple[str, ...]:
        entry = self.take(key, default)
        names = entry.value
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
            raise ProblemError(
                f'has {describe_value(names)} as {entry.place}: write a list such as ["animal", "fruit"]'
            )
        if not fewest <= len(names) <= most:
            raise ProblemError(f"has {len(names)} names as {entry.place}: give {fewest} to {most}")
        if twice := next((name for name in names if names.count(name) > 1 and key in ("features", "answers")), None):
            raise ProblemError(f"says {twice!r} twice in {entry.place}: say it once")
        return tuple(normalize("NFC", name) for name in names)

    def take_rows(self, key: str, default: Sequence[object] | None = None) -> list[_Entry]:
        entry = self.take(key, default)
        if not isinstance(entry.value, list | tuple):
            raise ProblemError(f"has {describe_value(entry.value)} as {entry.place}: write a list of rows")
        return [_Entry(row, f"{entry.place}, row {at}") for at, row in enumerate(entry.value, 1)]

    def iterate_entries(self) -> list[tuple[str, _Entry]]:
        """Return every key with its value."""
        return [(normalize("NFC", key), _Entry(value, self._name(key))) for key, value in self.left.items()]

    def refuse_others(self) -> None:
        """Refuse keys that nothing has taken."""
        if self.left:
            raise ProblemError(f"has {self._name(next(iter(self.left)))!r}, which no story has: leave it out")


def _read_choice_row(entry: _Entry, features: Sequence[str]) -> ChoiceRow:
    """Read one token or row of weights: {animal = 1, fruit = [0, 1]}; what is not named is 0."""
    if not isinstance(entry.value, Mapping):
        raise ProblemError(f"has {describe_value(entry.value)} as {entry.place}: write {{ {features[0]} = 1 }}")
    if unknown := next((name for name in entry.value if normalize("NFC", name) not in features), None):
        raise ProblemError(f"has {unknown!r} in {entry.place}, which is no feature: use {', '.join(features)}")
    cells = {normalize("NFC", name): value for name, value in entry.value.items()}
    return tuple(_read_choices(cells.get(name, 0), entry.place) for name in features)


def _read_choices(value: object, place: str) -> Choices:
    choices = value if isinstance(value, list) else [value]
    for number in choices:
        if type(number) is not int or not -MAX_ENTRY <= number <= MAX_ENTRY:
            raise ProblemError(
                f"has {describe_value(number)} in {place}: write a whole number from −{MAX_ENTRY} to {MAX_ENTRY}, "
                "or a list of some"
            )
    if not choices:
        raise ProblemError(f"has an empty list in {place}: write the numbers to choose from")
    return tuple(choices)


def _read_weights(
    tree: _Table, mechanism: str, features: Sequence[str]
) -> tuple[tuple[str, tuple[ChoiceRow, ...]], ...]:
    """Read the weights of every head, and W_O where there are several."""
    if mechanism != "multi-head":
        return tuple(_read_head(tree.take_table("weights"), features, ""))
    fewest, most = MECHANISMS[mechanism].head_range
    rows = tree.take_rows("heads")
    if not fewest <= len(rows) <= most:
        raise ProblemError(f"has {len(rows)} heads: give {fewest} to {most}")
    weights = [
        pair for at, row in enumerate(rows, 1) for pair in _read_head(_Table(row.value, row.place), features, f"h{at}.")
    ]
    if len({len(rows) for name, rows in weights if name.endswith(("W_Q", "W_K"))}) > 1:
        raise ProblemError("has heads of different sizes: give W_Q and W_K as many rows in all of them")
    values = [len(rows) for name, rows in weights if name.endswith("W_V")]
    if len(set(values)) > 1:
        raise ProblemError("has heads of different sizes: give W_V as many rows in all of them")
    mixing: list[ChoiceRow] = []
    for row in tree.take_rows("W_O"):
        if not isinstance(row.value, list) or len(row.value) != sum(values):
            raise ProblemError(f"has {describe_value(row.value)} as {row.place}: write a list of {sum(values)} numbers")
        mixing.append(tuple(_read_choices(cell, row.place) for cell in row.value))
    if len(mixing) != len(features):
        raise ProblemError(f"has {len(mixing)} rows in W_O: give one for each of the {len(features)} features")
    return (*weights, ("W_O", tuple(mixing)))


def _read_head(table: _Table, features: Sequence[str], prefix: str) -> list[tuple[str, tuple[ChoiceRow, ...]]]:
    matrices = []
    for name in ("W_Q", "W_K", "W_V"):
        rows = tuple(_read_choice_row(row, features) for row in table.take_rows(name))
        if not 1 <= len(rows) <= MAX_FEATURES:
            raise ProblemError(f"has {len(rows)} rows in {table.place}.{name}: give 1 to {MAX_FEATURES}")
        matrices.append((f"{prefix}{name}", rows))
    if len(matrices[0][1]) != len(matrices[1][1]):
        raise ProblemError(f"has W_Q and W_K of different sizes in {table.place}: give both as many rows")
    table.refuse_others()
    return matrices


def _read_variant(
    name: str,
    table: _Table,
    known: Sequence[str],
    features: Sequence[str],
    *,
    is_cross: bool,
    has_places: bool,
    heads: int,
) -> StoryVariant:
    tokens = table.take_names("tokens", 2 if is_cross else MIN_TOKENS, MAX_TOKENS)
    memory = table.take_names("memory", MIN_TOKENS, MAX_TOKENS) if is_cross else ()
    asks, answers = table.take_text("asks"), table.take_names("answers", 1, MAX_TOKENS)
    head = table.take("head", 0 if heads == 1 else None).value
    numbers = table.take_table("numbers").iterate_entries() if "numbers" in table.left else []
    table.refuse_others()
    if not (head == 0 if heads == 1 else type(head) is int and 1 <= head <= heads):
        advice = f"use 1 to {heads}" if heads > 1 else "leave it out, there is one"
        raise ProblemError(f"has {describe_value(head)} as {table.place}.head: {advice}")
    for token in (*tokens, *memory, *(token for token, _ in numbers)):
        if token not in known:
            raise ProblemError(f"has {token!r} in {table.place}, which has no numbers: add it to tokens")
    lists = (memory,) if has_places else (tokens, memory)
    if twice := next((token for names in lists for token in names if names.count(token) > 1), None):
        raise ProblemError(f"says {twice!r} twice in {table.place}: add places, or say it once")
    if tokens.count(asks) != 1:
        raise ProblemError(f"asks {asks!r} in {table.place}, which is not once among its tokens: ask one that is")
    keys = memory or tokens
    if wrong := next((answer for answer in answers if keys.count(answer) != 1), None):
        raise ProblemError(f"has {wrong!r} as an answer in {table.place}, which cannot be looked at: name one that can")
    return StoryVariant(
        name=name,
        tokens=tokens,
        memory=memory,
        asks=asks,
        head=int(str(head)),
        answers=answers,
        numbers=tuple((token, _read_choice_row(row, features)) for token, row in numbers),
    )


def _check_sizes(variants: Sequence[StoryVariant], places: Sequence[ChoiceRow]) -> None:
    first = variants[0]
    for variant in variants:
        if (len(variant.tokens), len(variant.memory)) != (len(first.tokens), len(first.memory)):
            raise ProblemError(f"has more tokens in one variant than in another ({variant.name}): give all as many")
    if places and len(places) != len(first.tokens):
        raise ProblemError(f"has {len(places)} places for {len(first.tokens)} tokens: give one for each")


_PLACEHOLDERS = ("asks", "tokens", "memory")


def _read_text(
    table: _Table, features: Sequence[str], known: Sequence[str], variants: Sequence[StoryVariant], value_size: int
) -> StoryText:
    """Read the words of one language; those of a variant go before those of all."""
    names = dict(table.take_table("features").iterate_entries()) if "features" in table.left else {}
    words = dict(table.take_table("words").iterate_entries()) if "words" in table.left else {}
    for given, allowed, what in ((names, features, "feature"), (words, known, "token")):
        for name, entry in given.items():
            if name not in allowed:
                raise ProblemError(f"has {entry.place}, which is no {what}: use {', '.join(allowed)}")
            if not isinstance(entry.value, str) or not entry.value.strip():
                raise ProblemError(f"has {describe_value(entry.value)} as {entry.place}: write a text in quotes")
    values = table.take_names("values", value_size, value_size, default=()) if "values" in table.left else ()
    own = table.take_table("variants") if "variants" in table.left else None
    own_texts = {name: _Table(row.value, row.place) for name, row in own.iterate_entries()} if own else {}
    known_variants = [variant.name for variant in variants]
    if unknown := next((name for name in own_texts if name not in known_variants), None):
        raise ProblemError(f"has {own_texts[unknown].place}, which is no variant: use {', '.join(known_variants)}")
    common = {key: table.take_text(key) for key in ("sentence", "question") if key in table.left}
    table.refuse_others()
    found: dict[str, list[tuple[str, str]]] = {"sentence": [], "question": []}
    for variant in known_variants:
        for key, texts in found.items():
            text = own_texts[variant].take_text(key) if key in getattr(own_texts.get(variant), "left", {}) else ""
            if not (text := text or common.get(key, "")):
                raise ProblemError(f"has no {table.place}.{key} for the variant {variant}: write one")
            _check_placeholders(text, f"{table.place}.{key}")
            texts.append((variant, text))
    for each in own_texts.values():
        each.refuse_others()
    return StoryText(
        features=tuple(str(names[name].value) if name in names else name for name in features),
        words=tuple((token, normalize("NFC", str(entry.value))) for token, entry in words.items()),
        values=values,
        sentences=tuple(found["sentence"]),
        questions=tuple(found["question"]),
    )


def _check_placeholders(text: str, place: str) -> None:
    """Refuse braces that name anything else, such as {asks.real} or {memory:9}."""
    try:
        fields = [field[1:] for field in Formatter().parse(text) if field[1] is not None]
    except ValueError:  # a brace that is never closed
        fields = [("", "", None)]
    if any(name not in _PLACEHOLDERS or width or conversion for name, width, conversion in fields):
        raise ProblemError(f"has braces in {place} that name nothing: write {{asks}}, {{tokens}} or {{memory}}")
