"""An answer in words, as events and clauses: what is said in it, what is affirmed, and what is denied.

A text becomes events: a word that means something ("not", "more", "numbers 3"), a sign, or nothing. Commas, and words
like "but", part it into clauses; what is denied in a clause is what follows the denial, or, where nothing follows, what
stands before it: "not 2 but 3" affirms 3, and "not 2" affirms nothing, so it is no answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from attnhand.sheet.answer_words import Patterns, split_words

_BREAKS = ",;:!?().–—"

_ASIDES = ("", ",", "label")
"""Meanings that do not tell a language."""


class UnclearAnswerError(Exception):
    """An answer that cannot be read."""


@dataclass(frozen=True, slots=True)
class Event:
    """A word or sign of an answer, and what it means; nothing for most words."""

    meaning: str
    text: str


_COMMA = [Event(",", ",")]


def scan(text: str, lexicons: Iterable[Patterns]) -> list[Event]:
    """Return what a text says, word by word, in the first language of which it has a word.

    Raises:
        UnclearAnswerError: it says that its writer does not know, or "not only".
    """
    events: list[Event] = []
    for words in lexicons:
        events = _scan_words(text, words)
        is_no = bool(events) and re.fullmatch(words["interjection"], events[0].text) and events[0].meaning != "no"
        if is_no and events[1:2] == _COMMA:
            events = events[2:]  # no, it grows
        if any(event.meaning not in _ASIDES for event in events):
            break
    if has(events, "unsure", "not_only"):
        raise UnclearAnswerError
    found = [event for event in events if event.meaning != "skip"]
    return [replace(event, meaning="not") if event.meaning == "interjection" else event for event in found]


def _scan_words(text: str, words: Patterns) -> list[Event]:
    """Return the events of a text: of several meanings that of most letters, else the first; without its reason."""
    line = " ".join(split_words(text)) + " "
    events: list[Event] = []
    at = 0
    while line[at:].strip():
        ends = [
            (match.end(), meaning) for meaning, pattern in words.items() if (match := _compile(pattern).match(line, at))
        ]
        end = max((end for end, _ in ends), default=line.index(" ", at))
        meaning = next((meaning for its_end, meaning in ends if its_end == end), "")
        if meaning == "because" and events:  # what a reason names is not the answer
            break
        word = line[at:end]
        events.append(Event("," if word in _BREAKS else meaning, word))
        at = end + 1
    return events


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern})(?= )")


def has(events: Iterable[Event], *meanings: str) -> bool:
    return any(event.meaning in meanings for event in events)


def split_clauses(events: Iterable[Event], *borders: str) -> list[list[Event]]:
    """Part events at signs, and before words like "but"."""
    clauses: list[list[Event]] = [[]]
    for event in events:
        if event.meaning in (",", *borders):
            clauses.append([])
        if event.meaning != ",":
            clauses[-1].append(event)
    return [clause for clause in clauses if clause]


def find_claims(
    events: Iterable[Event], meanings: Iterable[str], *, may_be_list: bool = True
) -> tuple[set[str], set[str]]:
    """Return which of some meanings are affirmed, and which are denied.

    Args:
        may_be_list: whether a comma may be said for "and", so that it is not clear what is denied by "not 1, 2".

    Raises:
        UnclearAnswerError: something is denied, and it is not clear what; or all that is affirmed is denied too.
    """
    affirmed: set[str] = set()
    denied: set[str] = set()
    was_denied = False
    for clause in split_clauses(events, "but"):
        said = [event.meaning for event in clause]
        named = [meaning for meaning in said if meaning in meanings]
        if may_be_list and was_denied and len(named) == len(said):
            raise UnclearAnswerError
        was_denied = "not" in said
        if not was_denied:
            affirmed.update(named)
            continue
        if not named:
            raise UnclearAnswerError
        first = said.index("not")
        after = [meaning for meaning in said[first:] if meaning in meanings]
        affirmed.update(meaning for meaning in said[:first] if after and meaning in meanings)
        denied.update(after or named)
        was_denied = bool(after)
    if affirmed & denied:
        raise UnclearAnswerError
    return affirmed, denied
