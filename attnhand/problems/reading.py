"""A problem out of plain data: what a JSON or TOML file holds, or what a Python user hands in.

Every refusal names the key, the row and the column (from 1) and says what to write instead.
"""

from collections.abc import Callable, Mapping, Sequence, Sized
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from unicodedata import normalize

from attnhand.attention.arithmetic import HAND, Base, Rules, parse_scale
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.mechanisms import MECHANISMS, Mechanism, Variant
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME, list_vocabulary
from attnhand.attention.numbers import Number, simplify
from attnhand.attention.problem import MAX_ENTRY, Problem
from attnhand.attention.spellings import read_plain_number
from attnhand.attention.story import Story
from attnhand.errors import Message, NumberError, ProblemError
from attnhand.system.did_you_mean import find_nearest_name

MAX_SIDE_LENGTH = 64
"""A matrix of more rows or columns is refused before it is read."""

_REFUSED_MAGNITUDE = 10**20
"""Numbers from here on are refused before any work is done with them."""

_MATRIX_HINT = "write a list of rows such as [[1, 0], [0, 1]]"


class Entry(NamedTuple):
    """One number and how it was written."""

    value: Number
    is_fraction: bool
    """Written as 1/2 rather than as 0.5; says nothing of whole numbers."""


def read_matrix(name: str, rows: object) -> list[list[Entry]]:
    """Read a list of rows of numbers.

    >>> [[entry.value for entry in row] for row in read_matrix("X", [[1, "−2"], [Decimal("0.5"), "1/3"]])]
    [[1, -2], [Fraction(1, 2), Fraction(1, 3)]]

    Raises:
        ProblemError: no rows, rows of different lengths, or an entry that is no number.
    """
    if not isinstance(rows, list | tuple):
        raise ProblemError(f"{name} is {describe_value(rows)}, not a matrix: {_MATRIX_HINT}")
    if not rows:
        raise ProblemError(f"{name} is empty: {_MATRIX_HINT}")
    if len(rows) > MAX_SIDE_LENGTH:
        raise ProblemError(f"{name} has {len(rows)} rows, far more than a page holds: give a smaller matrix")
    for i, row in enumerate(rows):
        where = f"{name}, row {i + 1}"
        if not isinstance(row, list | tuple):
            raise ProblemError(f"{where} is {describe_value(row)}, not a row of numbers: {_MATRIX_HINT}")
        if not row:
            raise ProblemError(f"{where} is empty: give every row as many numbers")
        if len(row) > MAX_SIDE_LENGTH:
            raise ProblemError(f"{where} has {len(row)} columns, far more than a page holds: give a smaller matrix")
        if len(row) != len(rows[0]):
            raise ProblemError(
                f"{where} has {_describe_count(row)} but row 1 has {_describe_count(rows[0])}: give both as many"
            )
    return [
        [_read_entry(f"{name}, row {i + 1}, column {j + 1}", x) for j, x in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _describe_count(row: Sized) -> str:
    return f"{len(row)} number{'s' if len(row) > 1 else ''}"


def _read_entry(location: str, entry: object) -> Entry:
    match entry:
        case bool() | None:
            raise ProblemError(f"{location} is {describe_value(entry)}, not a number: write 0 or 1 if that is meant")
        case str():
            try:
                reading = read_plain_number(entry)
            except NumberError as error:
                raise ProblemError(f"{location} {error}") from error
            return Entry(reading.value, reading.decimals is None)
        case float():
            return _read_entry(location, Decimal(float.__repr__(entry)))
        case int() | Fraction():
            _refuse_large(location, entry, -_REFUSED_MAGNITUDE < entry < _REFUSED_MAGNITUDE)
            return Entry(simplify(entry), True)
        case Decimal():
            if not entry.is_finite():
                raise ProblemError(
                    f"{location} is {describe_value(entry)}, not a finite number: write one up to ±{MAX_ENTRY}"
                )
            _refuse_large(location, entry, not entry or entry.adjusted() < 20)
            if entry and int(entry.as_tuple().exponent) < -100:
                raise ProblemError(f"{location} has too many decimals: round it to six places")
            return Entry(simplify(Fraction(entry)) if entry else 0, False)
        case _:
            raise ProblemError(
                f'{location} is {describe_value(entry)}, not a number: write one such as 2, 0.5 or "1/3"'
            )


def _refuse_large(location: str, entry: object, is_small: bool) -> None:
    if not is_small:
        raise ProblemError(
            f"{location} is {describe_value(entry)}: numbers beyond ±{MAX_ENTRY} cannot be printed legibly; use "
            "smaller ones"
        )


def describe_value(value: object) -> str:
    """Write a refused value as its file would, shortly and printably.

    >>> describe_value(None), describe_value("x"), describe_value([1, 2]), describe_value(10**30)
    ('null', "'x'", 'a list', 'a number of more than 20 digits')
    """
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case str():
            return repr(value if len(value) <= 30 else value[:30] + "…")
        case int():
            return str(value) if abs(value) < _REFUSED_MAGNITUDE else "a number of more than 20 digits"
        case Decimal() | Fraction() | float():
            text = str(value)
            return text if len(text) <= 30 else text[:30] + "…"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"of type {type(value).__name__}"


HEADS_KEY, GROUPS_KEY = "heads", "groups"


class FlatMatrices(NamedTuple):
    """Matrices by the names that stages read, as they were written."""

    matrices: dict[str, object]
    heads: int | None
    groups: int | None = None
    """How many groups of heads have keys and values of their own."""


def flatten_given(given: object, words: Sequence[str], convention: Convention) -> FlatMatrices:
    """Take the matrices of heads out of their list and the vectors of words out of their mapping.

    Words are compared with accents as part of their letters (NFC), as a problem has its own.

    >>> flatten_given({"X": [[1]], "heads": [{"W_Q": [[2]]}]}, (), Convention.COLUMNS).matrices
    {'X': [[1]], 'h1.W_Q': [[2]]}

    Raises:
        ProblemError: heads that are no list of mappings, a word without its vector, a vector without its word.
    """
    if not isinstance(given, Mapping):
        raise ProblemError(
            f'"given" is {describe_value(given)}, not matrices by name: write {{"X": [[1, 0], [0, 1]], …}}'
        )
    matrices: dict[str, object] = {}
    heads = groups = None
    for name, value in given.items():
        if name == HEADS_KEY:
            heads = _add_list(matrices, name, value)
        elif name == GROUPS_KEY:
            groups = _add_list(matrices, name, value)
        elif name == EMBEDDING_NAME:
            matrices[EMBEDDING_NAME] = _flatten_embedding(value, words, convention)
        else:
            matrices[name] = value
    return FlatMatrices(matrices, heads, groups)


_HOW_TO_LIST = {
    HEADS_KEY: 'write [{"W_Q": …, "W_K": …, "W_V": …}, …], one for each head',
    GROUPS_KEY: 'write [{"W_K": …, "W_V": …}, …], one for each group of heads that share them',
}


def _add_list(matrices: dict[str, object], key: str, value: object) -> int:
    """Add the matrices of heads, or of groups of heads, under their names; returns how many there are."""
    how, one = _HOW_TO_LIST[key], key.removesuffix("s")
    if not isinstance(value, list | tuple):
        raise ProblemError(f'"{key}" is {describe_value(value)}, not a list: {how}')
    if not value:
        raise ProblemError(f'"{key}" has no {one} in it: {how}')
    for number, each in enumerate(value, 1):
        if not isinstance(each, Mapping):
            raise ProblemError(f'"{key}", number {number}, is {describe_value(each)}: {how}')
        matrices |= {f"{key[0]}{number}.{name}": a for name, a in each.items()}
    return len(value)


def _flatten_embedding(value: object, words: Sequence[str], convention: Convention) -> object:
    if not isinstance(value, Mapping) or not value:
        raise ProblemError(
            f'"{EMBEDDING_NAME}" is {describe_value(value)}: write a vector for each word, {{"the": [1, 0, 2], …}}'
        )
    if not words:
        raise ProblemError(
            f'"{EMBEDDING_NAME}" is given but no words: write "words": ["the", …], which are looked up in it'
        )
    known = list_vocabulary(words)
    value = {normalize("NFC", word) if isinstance(word, str) else word: vector for word, vector in value.items()}
    if missing := next((word for word in known if word not in value), None):
        raise ProblemError(f'the word {missing!r} is not in "{EMBEDDING_NAME}": give it a vector there')
    if unused := next((word for word in value if word not in known), None):
        raise ProblemError(f'"{EMBEDDING_NAME}" has {describe_value(unused)}, which is none of the words: leave it out')
    vectors: list[Sequence[object]] = []
    for word in known:
        vector = value[word]
        if not isinstance(vector, list | tuple) or not vector:
            raise ProblemError(
                f'"{EMBEDDING_NAME}", {word!r}, is {describe_value(vector)}, not a vector: '
                "write a list such as [1, 0, 2]"
            )
        if vectors and len(vector) != len(vectors[0]):
            raise ProblemError(
                f'"{EMBEDDING_NAME}", {word!r}, has {len(vector)} numbers but {known[0]!r} has {len(vectors[0])}: '
                "give every word as many"
            )
        vectors.append(vector)
    return vectors if convention.is_rows else [list(row) for row in zip(*vectors, strict=True)]


def nest_given(problem: Problem, convert_entry: Callable[[Number], Any]) -> dict[str, Any]:
    """Return the given matrices nested as a file has them, every number written by ``convert_entry``."""
    tree: dict[str, Any] = {}
    for given in problem.mechanism.given:
        a = problem[given.name]
        rows = [list(map(convert_entry, row)) for row in a]
        if given.name == EMBEDDING_NAME:
            vectors = transpose_if_columns(a, problem.convention)
            words = list_vocabulary(problem.words)
            tree[EMBEDDING_NAME] = {w: list(map(convert_entry, v)) for w, v in zip(words, vectors, strict=True)}
        elif "." in given.name:
            prefix, _, name = given.name.partition(".")
            key = HEADS_KEY if given.head else GROUPS_KEY
            listed: list[dict[str, Any]] = tree.setdefault(key, [])
            if len(listed) < int(prefix[1:]):
                listed.append({})
            listed[-1][name] = rows
        elif given.name != "P":
            tree[given.name] = rows
    return tree


SETTINGS = ("mechanism", "convention", "rules", "words", "title", "mask", "window", "positions", "story")
"""What a problem may state beside its matrices; all have defaults."""

CAUSAL, SINUSOIDAL, ROTARY = "causal", "sinusoidal", "rotary"
QUARTERS, RADIANS = "quarters", "radians"
"""By what rotary positions turn."""

SHEET_FORMAT = "attnhand/1"
"""The format of the JSON sheet; of such a file only the problem is read."""

ATTACHMENT_NAME = "attnhand.json"
"""The file in a fillable PDF: the blank JSON sheet, which holds everything that identifies the sheet."""


def build_problem(data: object) -> Problem:
    """Build the problem that a file's data state.

    >>> eye = [[1, 0], [0, 1]]
    >>> build_problem({"given": {"X": eye, "W_Q": eye, "W_K": eye, "W_V": [["1/3", 0]]}})["W_V"]
    ((Fraction(1, 3), 0),)

    Raises:
        ProblemError: anything that is no problem; the message names the place and the remedy.
    """
    try:
        return _build_problem_as_it_says(data)
    except ProblemError as error:
        if (meant := _find_fitting_convention(data)) is None:
            raise
        fits = f'with tokens as {meant} everything fits: write "convention": "{meant}"'
        raise ProblemError(f"{error}; or, since {fits}") from error


def _find_fitting_convention(data: object) -> Convention | None:
    """Return the other convention, where what does not fit in the one that is said is a problem in that."""
    if not isinstance(data, Mapping):
        return None
    try:
        meant = _read_convention(data.get("convention", Convention.COLUMNS)).mirrored
        _build_problem_as_it_says({**data, "convention": meant.value})
    except ProblemError:
        return None
    return meant


def _build_problem_as_it_says(data: object) -> Problem:
    if not isinstance(data, Mapping):
        raise ProblemError(Message("data.no-problem", value=describe_value(data)))
    name = _read_mechanism(data.get("mechanism", next(iter(MECHANISMS))))
    if "format" not in data:
        _refuse_unknown_keys(data, name)
    elif data["format"] != SHEET_FORMAT:
        raise ProblemError(
            f'the format {describe_value(data["format"])} is unknown: leave it out, or use "{SHEET_FORMAT}"'
        )
    convention = _read_convention(data.get("convention", Convention.COLUMNS))
    if "given" not in data:
        names = ", ".join(_list_given_names(Variant(mechanism=name).build_mechanism()))
        raise ProblemError(f'"given" is missing: put the matrices {names} under that key')
    words = read_words(data.get("words", ()))
    flat = flatten_given(data["given"], words, convention)
    positions = data.get("positions")
    turns_by = _read_turns(positions)
    is_rotary = turns_by is not None
    if isinstance(positions, str | int | float) and positions not in (SINUSOIDAL, ROTARY):
        raise ProblemError(
            f'"positions" is {describe_value(positions)}: write "{SINUSOIDAL}" or "{ROTARY}", '
            f'{{"{ROTARY}": "{RADIANS}"}}, or a matrix with a vector for each token'
        )
    if positions is not None and positions != SINUSOIDAL and not is_rotary:
        flat.matrices["P"] = positions
    variant = Variant(
        mechanism=name,
        heads=flat.heads,
        kv_heads=_count_kv_heads(flat),
        is_causal=_is_causal(data.get("mask")),
        window=_read_window(data.get("window")),
        embedded_words=words if EMBEDDING_NAME in flat.matrices else (),
        has_positions=positions is not None and not is_rotary,
        is_rotary=is_rotary,
        has_radians=turns_by == RADIANS,
        has_given_positions="P" in flat.matrices,
    )
    mechanism = variant.build_mechanism()
    entries = _read_entries(flat.matrices, mechanism)
    fractions = [entry for rows in entries.values() for row in rows for entry in row if entry.value % 1]
    return Problem(
        variant=variant,
        convention=convention,
        given=tuple((name, tuple(tuple(x.value for x in row) for row in rows)) for name, rows in entries.items()),
        rules=read_rules(data.get("rules", HAND)),
        words=words,
        title=read_text("the title", data.get("title", "")),
        story=_read_story(data["story"]) if data.get("story") is not None else None,
        has_decimal_notation=bool(fractions) and not any(entry.is_fraction for entry in fractions),
    )


def _count_kv_heads(flat: FlatMatrices) -> int | None:
    """Return how many keys and values several heads share; None where each has its own."""
    is_one_for_all = (flat.heads or 1) > 1 and "W_K" in flat.matrices
    return 1 if is_one_for_all else flat.groups


def _list_given_names(mechanism: Mechanism) -> tuple[str, ...]:
    return tuple(given.name for given in mechanism.given)


def _refuse_unknown_keys(data: Mapping[object, object], mechanism: str) -> None:
    known = ("given", *SETTINGS)
    family = MECHANISMS[mechanism]
    forms = (Variant(mechanism=mechanism, heads=heads) for heads in (family.head_range[0], family.default_heads))
    names = (name for form in forms for name in _list_given_names(form.build_mechanism()))
    inside = (*names, HEADS_KEY, GROUPS_KEY, EMBEDDING_NAME)
    for key in data:
        if key in inside:
            raise ProblemError(f'{key} stands beside "given": move it into "given", where the matrices are')
        if key not in known:
            raise ProblemError(f"the key {describe_value(key)} is unknown: {_format_suggestion(str(key), known)}")


def _format_suggestion(typed: str, known_names: Sequence[str]) -> str:
    meant = find_nearest_name(typed, known_names)
    return f"did you mean {meant}?" if meant else f"use {', '.join(known_names)}"


def _read_mechanism(name: object) -> str:
    if not isinstance(name, str) or name not in MECHANISMS:
        raise ProblemError(f"the mechanism {describe_value(name)} is unknown: use {' or '.join(MECHANISMS)}")
    return name


def _is_causal(mask: object) -> bool:
    if mask not in (None, CAUSAL):
        raise ProblemError(f'the mask {describe_value(mask)} is unknown: use "{CAUSAL}", or leave it out')
    return mask == CAUSAL


def _read_turns(positions: object) -> str | None:
    """Return by what rotary positions turn, quarters unless said; None of other positions."""
    if positions == ROTARY:
        return QUARTERS
    if not isinstance(positions, Mapping):
        return None
    turns_by = positions.get(ROTARY)
    if len(positions) > 1 or turns_by not in (QUARTERS, RADIANS):
        raise ProblemError(
            f'"positions" is an object that names no known turn: write {{"{ROTARY}": "{RADIANS}"}} or '
            f'{{"{ROTARY}": "{QUARTERS}"}}'
        )
    return str(turns_by)


def _read_window(window: object) -> int | None:
    if window is not None and (not isinstance(window, int) or isinstance(window, bool)):
        raise ProblemError(f"the window is {describe_value(window)}: write how many tokens a query sees, such as 2")
    return window


def _read_story(story: object) -> Story:
    """Read what a file says of its numbers' meaning, as ``make_story_data`` writes it."""
    asked = story.get("asked") if isinstance(story, Mapping) else None
    if not isinstance(story, Mapping) or not isinstance(asked, Mapping):
        raise ProblemError(
            'the story is no story: write {"name": …, "sentence": …, "features": […], '
            '"asked": {"text": …, "query": 1, "answers": [2, 3]}}'
        )
    query, head = (_read_story_number(f'"{name}" of the story', asked.get(name, 0)) for name in ("query", "head"))
    return Story(
        name=read_text('"name" of the story', story.get("name", "")),
        sentence=read_text('"sentence" of the story', story.get("sentence")),
        feature_names=_read_story_list(story, "features"),
        memory_words=_read_story_list(story, "memory"),
        question=read_text('"text" of the story', asked.get("text")),
        query=query - 1,
        head=head,
        answers=tuple(
            _read_story_number('"answers" of the story', answer) - 1 for answer in _require_list(asked, "answers")
        ),
        value_names=_read_story_list(story, "values"),
    )


def _require_list(mapping: Mapping[object, object], key: str) -> Sequence[object]:
    value = mapping.get(key, ())
    if not isinstance(value, list | tuple):
        raise ProblemError(f'"{key}" of the story is {describe_value(value)}: write a list')
    return value


def _read_story_list(story: Mapping[object, object], key: str) -> tuple[str, ...]:
    texts = enumerate(_require_list(story, key), 1)
    return tuple(read_text(f'"{key}" of the story, number {at}', text) for at, text in texts)


def _read_story_number(label: str, value: object) -> int:
    if type(value) is not int:
        raise ProblemError(f"{label} is {describe_value(value)}: write a whole number, counted from 1")
    return value


def _read_convention(name: object) -> Convention:
    if not isinstance(name, str) or name not in tuple(Convention):
        raise ProblemError(f"the convention {describe_value(name)} is unknown: use {' or '.join(Convention)}")
    return Convention(name)


def read_rules(rules: object) -> Rules:
    """Take house rules as they are, or as a mapping states them.

    >>> read_rules({"scale": 4}) == Rules(scale=4)
    True

    Raises:
        ProblemError: an unknown rule, or a value that it cannot have.
    """
    if isinstance(rules, Rules):
        return rules
    if not isinstance(rules, Mapping):
        raise ProblemError(
            f'the rules are {describe_value(rules)}: write them as {{"scale": "half-floor", "base": "3"}}'
        )
    known = ("scale", "base", "decimals")
    for key in rules:
        if key not in known:
            raise ProblemError(f"the rule {describe_value(key)} is unknown: {_format_suggestion(str(key), known)}")
    scale = rules.get("scale", HAND.scale)
    base = rules.get("base", HAND.base)
    decimals = rules.get("decimals", HAND.decimals)
    if (base if isinstance(base, str) else describe_value(base)) not in tuple(Base):
        raise ProblemError(f"the base {describe_value(base)} is unknown: use {', '.join(Base)}")
    if not isinstance(decimals, int) or isinstance(decimals, bool) or not -99 <= decimals <= 99:
        raise ProblemError(f"the decimals are {describe_value(decimals)}: write how many places to print, such as 2")
    return Rules(
        scale=parse_scale(scale if isinstance(scale, str) else describe_value(scale)),
        base=Base(str(base)),
        decimals=decimals,
    )


def read_words(words: object) -> tuple[str, ...]:
    """Take a list of words, accents as part of their letters (NFC).

    Raises:
        ProblemError: no list, or one of something else.
    """
    if not isinstance(words, list | tuple):
        raise ProblemError(f'the words are {describe_value(words)}, not a list: write ["This", "is", "book"]')
    return tuple(normalize("NFC", read_text(f"word {i + 1}", word)) for i, word in enumerate(words))


def read_text(label: str, text: object) -> str:
    """Take a text that can be written down; ``label`` names it in the refusal.

    Raises:
        ProblemError: no text, or one that holds half a character.
    """
    if not isinstance(text, str):
        raise ProblemError(f"{label} is {describe_value(text)}, not a text: put it in quotes")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ProblemError(f"{label} is {describe_value(text)}, which holds half a character: leave that out")
    return text


def _read_entries(matrices: Mapping[str, object], mechanism: Mechanism) -> dict[str, list[list[Entry]]]:
    names = _list_given_names(mechanism)
    for name in matrices:
        if name not in names:
            raise ProblemError(
                f"{describe_value(name)} is not a matrix of this mechanism ({mechanism.name}): "
                f"{_format_suggestion(str(name), names)}"
            )
    return {name: read_matrix(name, matrices[name]) for name in names if name in matrices}
