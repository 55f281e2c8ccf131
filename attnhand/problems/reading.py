"""A problem out of plain data: what a JSON or TOML file holds, or what a Python user hands in.

Every refusal names the key, the row and the column (from 1) and says what to write instead.
"""

import re
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from unicodedata import normalize

from attnhand.attention.arithmetic import HAND, Base, Rules, ScaleRule, parse_scale
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms import MECHANISMS, Mechanism, Variant
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME, list_vocabulary
from attnhand.attention.mechanisms.settings import MAX_KEPT, MIN_KEPT, SettingError
from attnhand.attention.mechanisms.settings import SETTINGS as FORM_SETTINGS
from attnhand.attention.numbers import Number, simplify, to_float
from attnhand.attention.problem import MASK_NAME, MAX_ENTRY, TARGET_NAME, Problem, refuse_target
from attnhand.attention.solution import compute_stages
from attnhand.attention.spellings import read_plain_number
from attnhand.attention.story import Story, Want
from attnhand.errors import Message, NumberError, ProblemError, is_visible, list_choices
from attnhand.problems.beginning import BIASES, find_beginning
from attnhand.system.did_you_mean import find_nearest_name

MAX_SIDE_LENGTH = 64
"""A matrix of more rows or columns is refused before it is read."""

_REFUSED_MAGNITUDE = 10**20
"""Numbers from here on are refused before any work is done with them."""

JOINED = frozenset({"concat", "output"})
"""Stages of several heads alone: where one is given, no head is on the sheet."""

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


Entries = list[list[Entry]]


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
        elif strip_head(str(name)) in VECTORS and isinstance(value, list | tuple) and _is_flat(value):
            matrices[name] = [list(value)] if convention.is_rows else [[number] for number in value]
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


VECTORS = (*BIASES, "b_1", "b_2")
"""Given matrices of one row or column, which may be written as a list of numbers."""


def _is_flat(value: Sequence[object]) -> bool:
    return bool(value) and not any(isinstance(each, list | tuple) for each in value)


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
    if other := next((word for word in value if not isinstance(word, str) or not is_visible(word)), None):
        raise ProblemError(f'"{EMBEDDING_NAME}" has {describe_value(other)}, which is no word: leave it out')
    vectors: list[Sequence[object]] = []
    for word in known if {*known} == {*value} else value:
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
            words = problem.variant.vocabulary
            tree[EMBEDDING_NAME] = {w: list(map(convert_entry, v)) for w, v in zip(words, vectors, strict=True)}
        elif "." in given.name:
            prefix, _, name = given.name.partition(".")
            key = HEADS_KEY if given.head else GROUPS_KEY
            listed: list[dict[str, Any]] = tree.setdefault(key, [])
            while len(listed) < int(prefix[1:]):
                listed.append({})
            listed[int(prefix[1:]) - 1][name] = rows
        elif given.name not in ("P", MASK_NAME):  # these stand beside the others
            tree[given.name] = rows
    return tree


SETTINGS = (
    *("mechanism", "convention", "rules", "words", "title", "mask", "window", "padding", "positions"),
    *(setting.name for setting in FORM_SETTINGS),
    *("ends_with", "story"),
)
"""What a problem may state beside its matrices; all have defaults."""

CAUSAL, SINUSOIDAL, ROTARY, DISTANCE = "causal", "sinusoidal", "rotary", "distance"
QUARTERS, RADIANS = "quarters", "radians"
"""By what rotary positions turn."""


def name_positions(variant: Variant) -> str | None:
    """Return by which word an option says where tokens stand; None where nothing does."""
    ways = {ROTARY: variant.is_rotary, DISTANCE: variant.has_distances, SINUSOIDAL: variant.has_positions}
    return next((name for name, is_said in ways.items() if is_said), None)


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
    has_distances = positions == DISTANCE
    if isinstance(positions, str | int | float) and positions not in (SINUSOIDAL, ROTARY, DISTANCE):
        raise ProblemError(
            f'"positions" is {describe_value(positions)}: write "{SINUSOIDAL}" or "{ROTARY}", "{DISTANCE}", '
            f'{{"{ROTARY}": "{RADIANS}"}}, or a matrix with a vector for each token'
        )
    is_table = positions not in (None, SINUSOIDAL, DISTANCE) and not is_rotary
    if is_table:
        flat.matrices["P"] = positions
    is_causal, mask = _read_masks(data.get("mask"))
    if mask is not None:
        flat.matrices[MASK_NAME] = mask
    rules = read_rules(data.get("rules", HAND))
    joins_heads = flat.heads is None and MECHANISMS[name].head_range[1] > 1 and not JOINED.isdisjoint(flat.matrices)
    settings = _read_form_settings(data)
    if (kept := _count_kept(flat, convention)) is not None:
        settings.setdefault("cache", kept)
    variant = Variant(
        mechanism=name,
        heads=2 if joins_heads else flat.heads,  # how many there were, nothing tells any more
        kv_heads=_count_kv_heads(name, flat),
        is_causal=is_causal,
        window=_read_window(data.get("window")),
        padding=_read_padding(data.get("padding")),
        **_count_blocks(name, flat) | settings,
        lacks_target=MECHANISMS[name].letters.get("k") == "vocabulary" and TARGET_NAME not in flat.matrices,
        embedded_words=words if EMBEDDING_NAME in flat.matrices else (),
        table_words=tuple(data["given"][EMBEDDING_NAME]) if EMBEDDING_NAME in flat.matrices else (),
        has_positions=is_table or positions == SINUSOIDAL,
        is_rotary=is_rotary,
        has_distances=has_distances,
        has_radians=turns_by == RADIANS,
        has_given_positions="P" in flat.matrices,
        mask=((1,),) if mask is not None else (),  # that there is one; what it hides, the problem reads
    ).follow(rules)
    refuse_target(variant, flat.matrices)
    entries = {matrix: read_matrix(matrix, a) for matrix, a in flat.matrices.items()}
    shapes = {matrix: (len(rows), len(rows[0])) for matrix, rows in entries.items()}
    _refuse_unknown_matrices(entries, replace(variant, is_scaled=True).build_mechanism(), may_be_worked=True)
    variant = find_beginning(variant, shapes, convention, end=_read_end(data.get("ends_with"), variant))
    mechanism = variant.build_mechanism()
    _refuse_unknown_matrices(entries, mechanism)
    _add_missing_biases(entries, mechanism, convention)
    _refuse_unknown_root(data.get("rules"), mechanism)
    fractions = [entry for rows in entries.values() for row in rows for entry in row if entry.value % 1]
    problem = Problem(
        variant=variant,
        convention=convention,
        given=tuple(
            (given.name, tuple(tuple(x.value for x in row) for row in entries[given.name]))
            for given in mechanism.given
            if given.name in entries
        ),
        rules=rules,
        words=words,
        title=read_text("the title", data.get("title", "")),
        story=_read_story(data["story"]) if data.get("story") is not None else None,
        has_decimal_notation=bool(fractions) and not any(entry.is_fraction for entry in fractions),
    )
    return _shift_large_scores(problem)


def _shift_large_scores(problem: Problem) -> Problem:
    """Return the problem with the largest score of each query subtracted, where e can be raised to none as they are.

    A power is too large for a computer, or all of a query are 0 in so many decimals. So does every library; the shares
    are the same, but not beside a sink, which stays as it is.
    """
    is_done = problem.variant.is_shifted or problem.variant.blocks
    if problem.rules.base is not Base.E or is_done or problem.variant.sink is not None:
        return problem
    shifted = replace(problem, variant=replace(problem.variant, is_shifted=True))
    try:
        worked = compute_stages(problem, problem.hand_arithmetic, refuse_too_large=True)
    except ArithmeticError:  # what is wrong with it will be said where it is solved
        return problem
    except ProblemError:
        return shifted
    mechanism, least = problem.mechanism, 0.5 * 10**-problem.rules.decimals
    softmaxes = [each for each in mechanism.attentions if mechanism.find_stage(each.powers)]
    sums = (to_float(x) for each in softmaxes for x in flatten(worked[each.sums]))
    return shifted if any(x < least for x in sums) else problem


def _count_kept(flat: FlatMatrices, convention: Convention) -> int | None:
    """Return how many tokens a cache holds; None where there is none, or it is no matrix."""
    name = next((each for each in flat.matrices if strip_head(each) in CACHES), None)
    if name is None:
        return None
    shape = read_matrix(name, flat.matrices[name])
    kept = len(shape) if convention.is_rows else len(shape[0])
    if not MIN_KEPT <= kept <= MAX_KEPT:
        raise ProblemError(f"{name} holds {kept} tokens: a sheet has {MIN_KEPT} to {MAX_KEPT} of them, and a new one")
    return kept


CACHES = ("K_cache", "V_cache")
"""What is kept of the tokens before."""


def _count_kv_heads(name: str, flat: FlatMatrices) -> int | None:
    """Return how many keys and values heads share that could have their own; None where each has, or none could.

    That is the mechanism's to say: what its formulas have once for all heads is shared by nobody's choice.
    """
    if (flat.heads or 1) == 1:
        return flat.groups
    families = Variant(mechanism=name, heads=flat.heads).build_mechanism().formulas.families
    once = {"W_K", "W_V", "K", "V", *CACHES}.intersection(flat.matrices)
    is_one_for_all = any(each.removesuffix("_cache") in families for each in once)
    return 1 if is_one_for_all else flat.groups


def _count_blocks(name: str, flat: FlatMatrices) -> dict[str, int]:
    """Return in how many blocks keys come, by the largest number behind a name; nothing where they come at once."""
    numbers = [int(matrix[-1]) for matrix in map(str, flat.matrices) if re.fullmatch("[A-Za-z]+[1-9]", matrix)]
    return {"block_count": max(numbers)} if name == "online" and numbers else {}


def _list_given_names(mechanism: Mechanism) -> tuple[str, ...]:
    return tuple(given.name for given in mechanism.given)


def _refuse_unknown_keys(data: Mapping[object, object], mechanism: str) -> None:
    known = ("given", *SETTINGS)
    family = MECHANISMS[mechanism]
    forms = (Variant(mechanism=mechanism, heads=heads) for heads in (family.head_range[0], family.default_heads))
    mechanisms = [form.build_mechanism() for form in forms]
    names = [name for each in mechanisms for name in (*_list_given_names(each), *each.formulas.axes)]
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


def _read_masks(mask: object) -> tuple[bool, object | None]:
    """Return whether a mask is the causal one, and its matrix where it is one of 0 and 1; both may be given."""
    if mask is None or mask == CAUSAL:
        return mask == CAUSAL, None
    if not isinstance(mask, list | tuple):
        raise ProblemError(
            f'the mask {describe_value(mask)} is unknown: use "{CAUSAL}", or a matrix of 0 and 1 that has 1 where a '
            "token may be seen, or leave it out"
        )
    others = [each for each in mask if each != CAUSAL]
    return (True, others[0]) if len(mask) == 2 and len(others) == 1 else (False, mask)


def _read_padding(padding: object) -> tuple[int, ...]:
    if padding is None:
        return ()
    if not isinstance(padding, list | tuple) or not all(type(token) is int for token in padding):
        raise ProblemError(
            f"the padding is {describe_value(padding)}: write the tokens that nobody sees, counted from 1, such as [4]"
        )
    return tuple(sorted(set(padding)))


def _read_form_settings(data: Mapping[object, object]) -> dict[str, Any]:
    """Return what a file says of the form in one word each, by the fields of forms."""
    said: dict[str, Any] = {}
    for setting in FORM_SETTINGS:
        if (value := data.get(setting.name)) is not None:
            try:
                said[setting.field] = setting.read(value)
            except SettingError as error:
                raise ProblemError(f'"{setting.name}" is {describe_value(value)}: {error}') from None
    return said


def _read_end(end: object, variant: Variant) -> str:
    """Return the stage to end with; empty for the last."""
    worked = [formula.name for formula in replace(variant, is_scaled=True).build_mechanism().formulas.formulas]
    if end is not None and end not in worked:
        raise ProblemError(
            f'"ends_with" is {describe_value(end)}, which {variant.mechanism} attention does not work: write '
            f"{list_choices(worked)}, or leave it out"
        )
    return "" if end in (None, worked[-1]) else str(end)


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
        wants=tuple(tuple(map(_read_want, _require_rows(wants))) for wants in _require_list(story, "wants")),
        row_names=_read_row_names(story.get("rows", {})),
    )


def _read_row_names(rows: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(rows, Mapping):
        raise ProblemError(f'"rows" of the story is {describe_value(rows)}: write {{"W_Q": [names of its rows], …}}')
    return tuple((read_text('"rows" of the story', weights), _read_story_list(rows, weights)) for weights in rows)


def _require_rows(wants: object) -> Sequence[object]:
    """Take what the queries of one head look for."""
    if not isinstance(wants, list | tuple):
        raise ProblemError(f'"wants" of the story holds {describe_value(wants)}: write a list for each head')
    return wants


def _read_want(want: object) -> Want:
    if not isinstance(want, Mapping):
        raise ProblemError(f'"wants" of the story holds {describe_value(want)}: write {{"asks": […], "holds": […]}}')
    asks, holds = (_require_list(want, name) for name in ("asks", "holds"))
    for sign in (*asks, *holds):
        if type(sign) is not int or not -1 <= sign <= 1:
            raise ProblemError(f'"wants" of the story holds {describe_value(sign)}: write 1, 0 or -1 for each feature')
    return Want(asks=tuple(asks), holds=tuple(holds))  # type: ignore[arg-type]  # whole numbers: see above


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


def _add_missing_biases(entries: dict[str, Entries], mechanism: Mechanism, convention: Convention) -> None:
    """Give those of queries, keys and values that a problem leaves out the number 0, once it gives some."""
    for given in mechanism.given:
        weights = given.name.replace("b_", "W_")
        if strip_head(given.name) in BIASES and given.name not in entries and weights in entries:
            zero, rows = Entry(0, True), entries[weights]
            entries[given.name] = [[zero for _ in rows[0]]] if convention.is_rows else [[zero] for _ in rows]


def _refuse_unknown_root(rules: object, mechanism: Mechanism) -> None:
    """Refuse a rule for √d_k where d_k is not known, if a problem asks for it."""
    scale = rules.get("scale") if isinstance(rules, Mapping) else None
    if scale in (ScaleRule.SQRT, ScaleRule.HALF_FLOOR) and mechanism.is_scaled and "d_k" not in mechanism.size_names:
        raise ProblemError(
            f"the scale {scale} stands for √d_k, which is not known where scores are given: leave it out, or write the "
            'number to divide by, such as "scale": 2'
        )


def _refuse_unknown_matrices(
    entries: Mapping[str, Entries], mechanism: Mechanism, *, may_be_worked: bool = False
) -> None:
    """Refuse a name that the mechanism does not read; where its stages may be given too, one that it does not work."""
    names = _list_given_names(mechanism)
    known = (*names, *(stage.name for stage in mechanism.stages), *BIASES) if may_be_worked else names
    for name in entries:
        if name not in known:
            meant = find_nearest_name(str(name), known)
            advice = f"did you mean {meant}?" if meant else f"use {', '.join(names)}"
            if may_be_worked and not meant:
                advice += f", or the matrix of a stage: {', '.join(stage.name for stage in mechanism.stages)}"
            raise ProblemError(f"{describe_value(name)} is not a matrix of this mechanism ({mechanism.name}): {advice}")
