"""A problem out of plain data: what a JSON or TOML file holds, or what a Python user hands in.

Every refusal names the key, the row and the column (from 1) and says what to write instead.
"""

from collections.abc import Mapping, Sequence
from unicodedata import normalize

from attnhand.arithmetic import HAND, Base, Rules, parse_scale
from attnhand.errors import ProblemError
from attnhand.given_matrix import Entry, read_matrix, shown
from attnhand.given_tree import HEADS, flat_given
from attnhand.matrix import Matrix
from attnhand.mechanisms import MECHANISMS, Convention, Form, Mechanism
from attnhand.mechanisms.embedding import TABLE
from attnhand.nearest import nearest
from attnhand.problem import Problem

SETTINGS = ("mechanism", "convention", "rules", "words", "title", "mask", "positions")
"""What a problem may state beside its matrices; all have defaults."""

CAUSAL, SINUSOIDAL = "causal", "sinusoidal"

SHEET_FORMAT = "attnhand/1"
"""The format of the JSON sheet; of such a file only the problem is read."""

ATTACHED = "attnhand.json"
"""The file in a fillable PDF: the blank JSON sheet, which holds everything that identifies the sheet."""


def problem_from_data(data: object) -> Problem:
    """Build the problem that a file's data state.

    >>> eye = [[1, 0], [0, 1]]
    >>> problem_from_data({"given": {"X": eye, "W_Q": eye, "W_K": eye, "W_V": [["1/3", 0]]}})["W_V"]
    ((Fraction(1, 3), 0),)

    Raises:
        ProblemError: anything that is no problem; the message names the place and the remedy.
    """
    if not isinstance(data, Mapping):
        raise ProblemError(f'is {shown(data)}, not a problem: write {{"given": {{"X": [[1, 0], [0, 1]], …}}}}')
    name = _mechanism(data.get("mechanism", next(iter(MECHANISMS))))
    if "format" not in data:
        _refuse_unknown_keys(data, name)
    elif data["format"] != SHEET_FORMAT:
        raise ProblemError(f'the format {shown(data["format"])} is unknown: leave it out, or use "{SHEET_FORMAT}"')
    convention = _convention(data.get("convention", Convention.COLUMNS))
    if "given" not in data:
        names = ", ".join(_names(MECHANISMS[name].of(MECHANISMS[name].usual_heads)))
        raise ProblemError(f'"given" is missing: put the matrices {names} under that key')
    words = read_words(data.get("words", ()))
    flat = flat_given(data["given"], words, convention)
    positions = data.get("positions")
    if positions is not None and positions != SINUSOIDAL:
        flat.matrices["P"] = positions
    form = Form(
        mechanism=name,
        heads=flat.heads,
        causal=_is_causal(data.get("mask")),
        embedded=words if TABLE in flat.matrices else (),
        positions=positions is not None,
        given_positions="P" in flat.matrices,
    )
    mechanism = form.build()
    entries = _entries(flat.matrices, mechanism)
    fractions = [entry for rows in entries.values() for row in rows for entry in row if entry.value % 1]
    return Problem(
        form=form,
        convention=convention,
        given=tuple((name, _values(entries[name])) for name in _names(mechanism) if name in entries),
        rules=read_rules(data.get("rules", HAND)),
        words=words,
        title=read_text("the title", data.get("title", "")),
        decimal_notation=bool(fractions) and not any(entry.is_fraction for entry in fractions),
    )


def _names(mechanism: Mechanism) -> tuple[str, ...]:
    return tuple(given.name for given in mechanism.given)


def _values(rows: Sequence[Sequence[Entry]]) -> Matrix:
    return tuple(tuple(entry.value for entry in row) for row in rows)


def _refuse_unknown_keys(data: Mapping[object, object], mechanism: str) -> None:
    known = ("given", *SETTINGS)
    family = MECHANISMS[mechanism]
    inside = (*_names(family.of(1)), *_names(family.of(family.usual_heads)), HEADS, TABLE)
    for key in data:
        if key in inside:
            raise ProblemError(f'{key} stands beside "given": move it into "given", where the matrices are')
        if key not in known:
            raise ProblemError(f"the key {shown(key)} is unknown: {_meant(str(key), known)}")


def _meant(typed: str, known: Sequence[str]) -> str:
    meant = nearest(typed, known)
    return f"did you mean {meant}?" if meant else f"use {', '.join(known)}"


def _mechanism(name: object) -> str:
    if not isinstance(name, str) or name not in MECHANISMS:
        raise ProblemError(f"the mechanism {shown(name)} is unknown: use {' or '.join(MECHANISMS)}")
    return name


def _is_causal(mask: object) -> bool:
    if mask not in (None, CAUSAL):
        raise ProblemError(f'the mask {shown(mask)} is unknown: use "{CAUSAL}", or leave it out')
    return mask == CAUSAL


def _convention(name: object) -> Convention:
    if not isinstance(name, str) or name not in tuple(Convention):
        raise ProblemError(f"the convention {shown(name)} is unknown: use {' or '.join(Convention)}")
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
        raise ProblemError(f'the rules are {shown(rules)}: write them as {{"scale": "half-floor", "base": "3"}}')
    known = ("scale", "base", "decimals")
    for key in rules:
        if key not in known:
            raise ProblemError(f"the rule {shown(key)} is unknown: {_meant(str(key), known)}")
    scale = rules.get("scale", HAND.scale)
    base = rules.get("base", HAND.base)
    decimals = rules.get("decimals", HAND.decimals)
    if (base if isinstance(base, str) else shown(base)) not in tuple(Base):
        raise ProblemError(f"the base {shown(base)} is unknown: use {', '.join(Base)}")
    if not isinstance(decimals, int) or isinstance(decimals, bool) or not -99 <= decimals <= 99:
        raise ProblemError(f"the decimals are {shown(decimals)}: write how many places to print, such as 2")
    return Rules(
        scale=parse_scale(scale if isinstance(scale, str) else shown(scale)), base=Base(str(base)), decimals=decimals
    )


def read_words(words: object) -> tuple[str, ...]:
    """Take a list of words, accents as part of their letters (NFC).

    Raises:
        ProblemError: no list, or one of something else.
    """
    if not isinstance(words, list | tuple):
        raise ProblemError(f'the words are {shown(words)}, not a list: write ["This", "is", "book"]')
    return tuple(normalize("NFC", read_text(f"word {i + 1}", word)) for i, word in enumerate(words))


def read_text(what: str, text: object) -> str:
    """Take a text that can be written down; ``what`` names it in the refusal.

    Raises:
        ProblemError: no text, or one that holds half a character.
    """
    if not isinstance(text, str):
        raise ProblemError(f"{what} is {shown(text)}, not a text: put it in quotes")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ProblemError(f"{what} is {shown(text)}, which holds half a character: leave that out")
    return text


def _entries(matrices: Mapping[str, object], mechanism: Mechanism) -> dict[str, list[list[Entry]]]:
    names = _names(mechanism)
    for name in matrices:
        if name not in names:
            raise ProblemError(
                f"{shown(name)} is not a matrix of this mechanism ({mechanism.name}): {_meant(str(name), names)}"
            )
    return {name: read_matrix(name, matrices[name]) for name in names if name in matrices}
