"""The words that answers to questions are read by, in the language of a sheet and in English.

They stand in the text catalogues: ``read.…`` what any answer may hold, ``choice.….also`` what is said for a choice.
Alternatives are parted by ``|``, of one number by ``/``; ``*`` stands for any letters, and what begins with ``=`` is
read as the whole answer alone. The script of a web sheet gets the same patterns.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from attnhand.attention.questions import AnswerKind
from attnhand.attention.spellings import PLAIN_LETTERS, WORD_PATTERN
from attnhand.sheet.questions import AskedQuestion, list_choice_spellings, list_token_words
from attnhand.sheet.sheet import Sheet, find_most_exact_key
from attnhand.text.language import FALLBACK_LANGUAGE, Language, fold_letters, get_language

Patterns = Mapping[str, str]
"""By what is meant, a pattern for the words that say so; where two fit alike, the first is meant."""

_EQUALITY_QUESTIONS = ("same-word", "add-positions", "drop-positions")
"""Those whether two things are equal, yes or no: "they differ" is a no."""

_IN_ALL = ("not", "but", "because", "unsure", "not_only", "skip")
_IN_TOKENS = ("label", *_IN_ALL, "around", "bound", "or")
_WORDS_BY_KIND: Mapping[AnswerKind, tuple[str, ...]] = {
    AnswerKind.CHOICE: (*_IN_ALL, "rest", "stay", "change"),
    AnswerKind.TOKEN: _IN_TOKENS,
    AnswerKind.TOKENS: _IN_TOKENS,
    AnswerKind.NUMBER: (*_IN_ALL, "bound", "percent"),
    AnswerKind.CHANGE: (*_IN_ALL, "row", "column", "from", "by"),
}
_COUNTS_BY_KIND: Mapping[AnswerKind, tuple[str, ...]] = {
    AnswerKind.TOKEN: ("numbers", "ordinals"),
    AnswerKind.TOKENS: ("numbers", "ordinals"),
    AnswerKind.NUMBER: ("numbers", "parts", "times"),
}
_FIRST_COUNTS = {"numbers": 0, "ordinals": 1, "parts": 2, "times": 1}
"""What the first of each list of words stands for: zero, first, half, once."""

_WORD = re.compile(WORD_PATTERN)
_LETTER_TABLE = str.maketrans(dict(PLAIN_LETTERS))


def split_words(text: str) -> list[str]:
    """Return the words, numbers and signs of a text, in small letters without accents.

    >>> split_words("Größer, d’été: x3 małe")
    ['grosser', ',', "d'ete", ':', 'x', '3', 'male']
    """
    return _WORD.findall(fold_words(text))


def fold_words(text: str) -> str:
    """Return a text in small letters without accents, with straight apostrophes."""
    return fold_letters(text.translate(_LETTER_TABLE))


def list_answer_words(sheet: Sheet, question: AskedQuestion) -> tuple[Patterns, ...]:
    """Return the words that an answer to a question is read by: in the sheet's language, and in English."""
    languages = dict.fromkeys((sheet.language, get_language(FALLBACK_LANGUAGE)))
    kind, ids = question.posed.question.kind, question.posed.question.choices
    found: list[Patterns] = []
    for language in languages:
        common = _collect_words(language, kind)
        words = dict(_iterate_tokens(sheet, language, question))
        if ids:
            words |= _collect_choices(sheet, language, question)
        found.append({**words, **common, "interjection": _make_pattern([language.sentences["choice.no"]])})
    return tuple(found)


def list_whole_answers(sheet: Sheet, choice: str) -> tuple[str, ...]:
    """Return what stands for a choice where it is all that was written."""
    spellings = (text.strip() for text in list_choice_spellings(sheet, choice))
    return tuple(text.removeprefix("=") for text in spellings if not text.endswith("*"))


def _iterate_tokens(sheet: Sheet, language: Language, question: AskedQuestion) -> Iterator[tuple[str, str]]:
    """Yield the words of the tokens that are said once: "clash 2" is one that may mean something else in an answer.

    An article, which stands before many another word, names its token where it stands alone.
    """
    kind = question.posed.question.kind
    if kind not in (AnswerKind.TOKEN, AnswerKind.TOKENS):
        return
    articles = _read_pattern(sheet.language, "articles")
    others = "|".join(pattern for name, pattern in _collect_words(language, kind).items() if name != "label")
    words = [" ".join(split_words(word)) for word in list_token_words(sheet, question)]
    for at, word in enumerate(words):
        if words.count(word) == 1 and re.search(r"[^\W\d_]", word) and not re.fullmatch(articles, word):
            yield f"{'clash' if re.fullmatch(others, word) else 'token'} {at}", _make_pattern([word])


def _collect_choices(sheet: Sheet, language: Language, question: AskedQuestion) -> dict[str, str]:
    """Return the words for the choices, and those that tell something of them."""
    ids = question.posed.question.choices
    words = {choice: _make_pattern(_list_spellings(sheet, language, choice)) for choice in (*ids, "nothing")}

    def read(*names: str) -> dict[str, str]:
        return {name: _read_pattern(language, name) for name in names}

    if "outputs" in ids:
        return words | read("weights", "outputs", "and", "or", "only", "too", "affirm")
    if "traded" in ids:
        own, other = ("row", "column") if sheet.convention.is_rows else ("column", "row")
        axes = read(own, other)
        return words | {"traded": f"{words['traded']}|{axes[own]}", "axis": axes[other]}
    if question.posed.question.id in _EQUALITY_QUESTIONS:
        return words | read("equal", "different")
    return words | (read("less") if "sharper" in ids else {})


def _list_spellings(sheet: Sheet, language: Language, choice: str) -> list[str]:
    """Return what is said for a choice within a sentence; a letter or a formula is a whole answer."""
    keys = (
        find_most_exact_key(language, key, sheet.problem.mechanism.name, sheet.convention)
        for key in (f"choice.{choice}", f"choice.{choice}.also")
    )
    texts = [text.strip() for key in keys if key for text in language.sentences[key].split("|")]
    return [text for text in texts if re.search(r"[^\W\d_]{2}", text) and not re.search(r"[&^]|^[=−-]", text)]


@cache
def _collect_words(language: Language, kind: AnswerKind) -> Patterns:
    words = {name: _read_pattern(language, name) for name in _WORDS_BY_KIND.get(kind, ())}
    for name in _COUNTS_BY_KIND.get(kind, ()):
        for count, spellings in enumerate(language.sentences[f"read.{name}"].split("|"), _FIRST_COUNTS[name]):
            words[f"{name} {count}"] = _make_pattern(spellings.split("/"))
    return words


def _read_pattern(language: Language, name: str) -> str:
    return _make_pattern(language.sentences[f"read.{name}"].split("|"))


def _make_pattern(spellings: Iterable[str]) -> str:
    """Return a pattern for words parted by single blanks, the longest first.

    >>> _make_pattern(["grow*", " no more", "=up"])
    'no more|grow[^ ]*|^up(?= (?:[.!] )?$)'
    """
    folded = {" ".join(re.findall(r"[^\s.,]+", fold_words(text))) for text in spellings}
    longest_first = sorted(folded, key=lambda text: (-len(text), text))
    escaped = (re.sub(r"[.+?()\[\]{}|^$\\]", r"\\\g<0>", text).replace("*", "[^ ]*") for text in longest_first)
    return "|".join(f"^{text[1:]}(?= (?:[.!] )?$)" if text.startswith("=") else text for text in escaped)
