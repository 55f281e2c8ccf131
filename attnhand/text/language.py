"""One language: its sentences by key, and how it counts, lists and writes decimals.

All sentences stand in one file a language, ``en.toml``, whose head says how to translate it.
"""

import json
import math
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from attnhand.attention.numbers import Number, format_decimal, use_typographic_signs
from attnhand.errors import Message, PageError, escape_controls

FALLBACK_LANGUAGE = "en"
"""The language of sentences that another one lacks."""


def _is_few(count: int) -> bool:
    return count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14)


def _choose_polish(count: int) -> str:
    return "one" if count == 1 else "few" if _is_few(count) else "many"


def _choose_ukrainian(count: int) -> str:
    return "one" if count % 10 == 1 and count % 100 != 11 else "few" if _is_few(count) else "many"


class PluralRule(NamedTuple):
    """How a language counts: the plural categories of CLDR that whole numbers take."""

    categories: tuple[str, ...]
    choose: Callable[[int], str]


ONE_OTHER = PluralRule(("one", "other"), lambda count: "one" if count == 1 else "other")
UP_TO_ONE_OTHER = PluralRule(("one", "other"), lambda count: "one" if count in (0, 1) else "other")

PLURAL_RULES: dict[str, PluralRule] = {
    **dict.fromkeys(("en", "de", "es"), ONE_OTHER),
    **dict.fromkeys(("fr", "pt"), UP_TO_ONE_OTHER),
    "pl": PluralRule(("one", "few", "many"), _choose_polish),
    "uk": PluralRule(("one", "few", "many"), _choose_ukrainian),
}
"""By language code. The "many" of Spanish, French and Portuguese, for whole millions, is written as "other"."""

LANGUAGES: dict[str, str] = {
    code: f"{code}.toml" for code in PLURAL_RULES if (Path(__file__).parent / f"{code}.toml").is_file()
}
"""Every language by its code, with its file in this folder: those that are counted above and have one."""


class ListMarks(NamedTuple):
    """What stands between the parts of a list."""

    two: str
    """Between the only two."""

    middle: str
    """Between all but the last two of three or more."""

    last: str
    """Before the last of three or more."""

    def join(self, texts: Sequence[str]) -> str:
        """Join the parts of a list.

        >>> ListMarks(" and ", ", ", " and ").join(["1", "3", "4"])
        '1, 3 and 4'
        """
        return self.two.join(texts) if len(texts) <= 2 else f"{self.middle.join(texts[:-1])}{self.last}{texts[-1]}"


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language, as its file has it."""

    code: str
    name: str
    """As its speakers write it."""

    sentences: Mapping[str, str]
    """By key; those that its file lacks in English."""

    plural_rule: PluralRule
    decimal_mark: str
    list_marks: Mapping[str, ListMarks]
    """By the kind of list: ``list``, ``and``, ``or``, ``numbers``."""

    def format(self, key: str, **values: object) -> str:
        """Return a sentence, filled in.

        A number that is counted chooses a plural form, a list is joined, a ``Message`` is put into this language.
        Subtle: without values the sentence comes back as it stands, its braces too: scripts fill some themselves.

        >>> get_language("en").format("page", page=1, pages=3)
        'page 1 of 3'

        Raises:
            KeyError: there is no such sentence, in English neither.
            SentenceError: it has braces that nothing fills.
        """
        sentence = self.sentences[key]
        try:
            return sentence.format_map(_Values(self, key, values)) if values else sentence
        except ValueError as error:
            raise SentenceError(f"{key} in {self.code}: {error}: {_PRINTED_BRACES}") from error

    def prepare(self, value: object) -> object:
        """Return a value as a sentence takes it in."""
        if isinstance(value, Message):
            return self.translate(value)
        if isinstance(value, str):
            return escape_controls(value)
        return _Filling(self, value) if isinstance(value, int | Decimal | list | tuple) else value

    def translate(self, message: Message | Exception | str) -> str:
        """Return what a message, or the error that carries it, says in this language; a plain text as it is."""
        if isinstance(message, Exception):
            message = find_message(message)
        return self.format(message.key, **message.values) if isinstance(message, Message) else message

    def list_of(self, parts: Iterable[object], kind: str = "list") -> str:
        """Join the parts of a list: "1, 3 and 4" for the kind ``and``."""
        return self.list_marks[kind].join([str(self.prepare(part)) for part in parts])

    def plural(self, count: int, forms: Mapping[str, str]) -> str:
        """Return the form of a word that goes with a number."""
        return forms[self.plural_rule.choose(count)]

    def decimal(self, value: Number | float, places: int) -> str:
        """Print a number for people, with so many decimals and a true minus."""
        return self.localize(use_typographic_signs(format_decimal(value, places)))

    def localize(self, number: str) -> str:
        """Return a printed number with this language's decimal mark for the point."""
        return number if self.decimal_mark == "." else number.replace(".", self.decimal_mark)


class SentenceError(LookupError):
    """A sentence asks for what it is not given: a mistake of whoever wrote it, or asks for it."""


_PRINTED_BRACES = "braces that are to be printed are doubled, A^{{(1)}}"


@dataclass(frozen=True, slots=True)
class _Values:
    """What a sentence is filled in with: a page names a dozen things for a sentence that says two of them."""

    language: Language
    key: str
    values: Mapping[str, object]

    def __getitem__(self, name: str) -> object:
        if name not in self.values:
            raise SentenceError(
                f"{self.key} in {self.language.code}: nothing fills {{{name}}} among {', '.join(self.values)}: "
                f"{_PRINTED_BRACES}"
            )
        return self.language.prepare(self.values[name])


@dataclass(frozen=True, slots=True)
class _Filling:
    """A counted number or a list, on its way into a sentence: the format chooses plural form or kind of list."""

    language: Language
    value: Any

    def __format__(self, spec: str) -> str:
        """Fill it in: ``{cells:one=cell|other=cells}`` by the number of cells, ``{cells:and}`` the cells joined."""
        value = self.value
        if "=" in spec:
            count = math.ceil(value) if isinstance(value, int | Decimal) else len(value)
            return self.language.plural(count, dict(parse_plural_forms(spec)))
        if isinstance(value, Decimal):  # marks, of which half a cell may count
            return self.language.localize(f"{value.normalize():f}")
        return str(value) if isinstance(value, int) else self.language.list_of(value, spec or "list")

    def __str__(self) -> str:
        return format(self)


def parse_plural_forms(spec: str) -> list[tuple[str, str]]:
    """Read the forms of a word by plural category.

    >>> parse_plural_forms("one=cell|other=cells")
    [('one', 'cell'), ('other', 'cells')]
    """
    return [(category, form) for category, _, form in (part.partition("=") for part in spec.split("|"))]


def find_message(error: Exception) -> Message | str:
    """Return the message that an error carries; its English text where it has none."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


_SENTENCE_LINE = re.compile(r'^"([^"\n]+)" = "([^"\\\n]*(?:\\.[^"\\\n]*)*)"', re.MULTILINE)


def parse_language_file(text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what a language's file says of the language, and its sentences by key.

    Subtle: every command waits for this, and tomllib takes 8 ms for 600 sentences; as each stands on one line, one
    pattern takes 1. A test holds the two alike.
    """
    facts, _, lines = text.partition("[sentences]")
    lines, *_ = lines.partition("\n[stories.")
    sentences = {
        key: json.loads(f'"{sentence}"') if "\\" in sentence else sentence
        for key, sentence in _SENTENCE_LINE.findall(lines)
    }
    return tomllib.loads(facts)["language"], sentences


def find_language(text: str) -> str | None:
    """Return the code of the language that somebody means, by code or by its name in any language; None for none.

    >>> find_language("EN"), find_language("en-GB"), find_language("english"), find_language("xx")
    ('en', 'en', 'en', None)
    >>> find_language("German"), find_language("deutsch"), find_language("allemand"), find_language("espanol")
    ('de', 'de', 'de', 'es')
    """
    code = re.split("[-_]", text.strip().casefold())[0]
    return code if code in LANGUAGES else _list_language_names(tuple(LANGUAGES)).get(fold_letters(text.strip()))


@cache
def _list_language_names(codes: Sequence[str]) -> Mapping[str, str]:
    """Return the codes of languages by their folded names: those that each of them has for all, and their own."""
    found: dict[str, str] = {}
    for code in codes:
        names = [get_language(each).sentences.get(f"language.{code}", "") for each in codes]
        found |= dict.fromkeys(map(fold_letters, [*names, get_language(code).name]), code)
    return {name: code for name, code in found.items() if name}


def fold_letters(text: str) -> str:
    """Return a text without capitals and accents.

    >>> fold_letters("Español, Größe")
    'espanol, grosse'
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _bind_small_words(sentences: Mapping[str, str], letters: str) -> dict[str, str]:
    """Bind words of one letter to the next word: no line ends with them, and none of them is taken for a variable.

    What a student may type (``.also``, ``read.…``) is compared as it stands, and formulas have no words.
    """
    within, first = rf"(?<![^\s(/„“«‹|=*¿¡])([{letters}])", rf"(?:^|(?<=[.!?:] )|(?<=[*¿¡„“«(]))([{letters.upper()}])"
    word = re.compile(rf"(?:{within}|{first}) (?=[\w{{√*„“«])")
    return {
        key: sentence
        if key.endswith(".also") or key.startswith(("formula.", "read."))
        else word.sub("\\1\\2\u00a0", sentence)
        for key, sentence in sentences.items()
    }


def _bind_mark(mark: str, letters: str) -> str:
    """Bind a word of one letter between the parts of a list, as " e ", to the part that follows."""
    word = mark.strip()
    return f" {word}\u00a0" if len(word) == 1 and word in letters else mark


def _read_language_file(code: str) -> str:
    return (Path(__file__).parent / LANGUAGES[code]).read_text(encoding="utf-8")


@cache
def read_story_words(code: str) -> Mapping[str, Mapping[str, object]]:
    """Return what a language's file says in the stories that come with the program, by their names."""
    text = _read_language_file(code) if code in LANGUAGES else ""
    _, mark, tables = text.partition("\n[stories.")
    stories: Mapping[str, Mapping[str, object]] = tomllib.loads(f"{mark}{tables}").get("stories", {})
    letters = parse_language_file(text)[0].get("small_words") if stories else ""
    return {name: _bind_in_table(story, letters) for name, story in stories.items()} if letters else stories


def _bind_in_table(table: Mapping[str, object], letters: str) -> dict[str, object]:
    """Bind words of one letter in what a story says, in its variants too."""
    tables = {key: _bind_in_table(value, letters) for key, value in table.items() if isinstance(value, Mapping)}
    texts = {key: value for key, value in table.items() if isinstance(value, str)}
    return {**table, **tables, **_bind_small_words(texts, letters)}


@cache
def get_language(code: str) -> Language:
    """Return a language by its code; its file is read once.

    Raises:
        PageError: there is none of that code.
    """
    if code not in LANGUAGES:
        raise PageError(f"the language {code!r} is unknown: use {', '.join(LANGUAGES)}")
    facts, sentences = parse_language_file(_read_language_file(code))
    letters = facts.get("small_words", "")
    if letters:
        sentences = _bind_small_words(sentences, letters)
    if code != FALLBACK_LANGUAGE:
        sentences = {**get_language(FALLBACK_LANGUAGE).sentences, **sentences}
    return Language(
        code=code,
        name=facts["name"],
        sentences=sentences,
        plural_rule=PLURAL_RULES[code],
        decimal_mark=facts["decimal_mark"],
        list_marks={
            kind: ListMarks(**{place: _bind_mark(mark, letters) for place, mark in marks.items()})
            for kind, marks in facts["lists"].items()
        },
    )
