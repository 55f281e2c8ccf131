"""What can go wrong through the user's own doing; each message says what to do next."""

import json
import re
from collections.abc import Callable, Iterable
from typing import ClassVar
from unicodedata import category

OptionValue = int | str | bool | list[int] | tuple[str, ...] | tuple[int, ...] | None
"""What an option can be given in a message."""


def name_option(name: str, value: OptionValue = None) -> str:
    """Name an option in a message, as the argument that it is in Python.

    The terminal spells it its own way: ``spell_for_terminal`` in the table of options.

    >>> name_option("d_k", 9), name_option("words", "the cat"), name_option("title")
    ('`d_k=9`', '`words="the cat"`', '`title=`')

    Args:
        value: what the option is given; True for a flag, None where the option itself is meant.
    """
    if isinstance(value, tuple):
        value = ",".join(value) if isinstance(value[0], str) else list(value)
    text = "" if value is None else json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return f"`{name}={text}`"


_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0001-\U000e007f]"
)
"""What moves a cursor, colours a terminal, turns a line around or hides in it. Neither a tab nor the end of a line is
among them."""


def escape_controls(text: str) -> str:
    """Return a stranger's text so that it can stand on a terminal, in a table and in a message.

    >>> escape_controls("\\x1b[31mAda"), escape_controls("a\\u202eb"), escape_controls("née\\n")
    ('\\\\x1b[31mAda', 'a\\\\u202eb', 'née\\n')
    """
    return text if text.isprintable() else _CONTROL.sub(lambda c: c[0].encode("unicode_escape").decode(), text)


def is_visible(text: str) -> bool:
    """Say whether a text has anything that can be seen: a letter, a digit, a sign.

    >>> is_visible("é"), is_visible("🐘"), is_visible("\\u200b \\u200d")
    (True, True, False)
    """
    return any(category(c)[0] in "LNPS" for c in text)


MAX_QUOTED_CHARACTERS = 60
"""Characters of what somebody typed that a message repeats."""

MAX_SENTENCE = 1_000
"""Characters of a message; with more it holds a text that is neither in quotes nor in one piece."""

_LONG_QUOTE = re.compile(rf"(?<!\w)'[^'\n]{{{MAX_QUOTED_CHARACTERS + 1},}}'(?!\w)|[^\s/\\]{{200,}}")
"""A long text in quotes, or in one piece."""


def shorten(text: str) -> str:
    """Return a text with its beginning and end alone, where it is longer than a message repeats.

    >>> shorten("x" * 100) == "x" * 40 + "…" + "x" * 19
    True
    """
    return text if len(text) <= MAX_QUOTED_CHARACTERS else f"{text[:40]}…{text[-19:]}"


def list_choices(names: Iterable[str]) -> str:
    """List what may be chosen.

    >>> list_choices(["a", "b", "c"]), list_choices(["a"])
    ('a, b or c', 'a')
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def list_names(names: Iterable[str]) -> str:
    """List what is there.

    >>> list_names(["Q", "K", "V"]), list_names(["S"])
    ('Q, K and V', 'S')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def shorten_quotes(message: str) -> str:
    """Return a message with what it quotes at length cut.

    >>> len(shorten_quotes(f"there is no {'x' * 100!r}: leave it out"))
    88
    """

    def shorten_quote(quote: re.Match[str]) -> str:
        return f"'{shorten(quote[0][1:-1])}'" if quote[0].startswith("'") else shorten(quote[0])

    sentence = _LONG_QUOTE.sub(shorten_quote, message)
    return sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:300]}…{sentence[-200:]}"


def escape_unprintable(text: str) -> str:
    r"""Return a text with what cannot be printed as Python writes it; whoever quotes it adds the quotation marks.

    >>> escape_unprintable("two\n")
    'two\\n'
    """
    return repr(text)[1:-1]


class Message:
    """A sentence by its key, with its values, not yet in any language; as text it is English.

    Errors carry one whose reason stands in gradebooks and on reports: ``AnswerError(Message("answers.empty"))``. It is
    here, and not beside the sentences, since the rooms below them refuse things too.
    """

    __slots__ = ("key", "values")

    write_in_english: ClassVar[Callable[["Message"], str]]
    """Set by the package: the sentences stand in a room above this one."""

    def __init__(self, key: str, **values: object) -> None:
        self.key, self.values = key, values

    def __str__(self) -> str:
        return Message.write_in_english(self)

    def map_texts(self, change: Callable[[str], str]) -> "Message":
        """Return the message with every text among its values changed."""
        texts = {name: change(value) for name, value in self.values.items() if isinstance(value, str)}
        return Message(self.key, **{**self.values, **texts})

    def __repr__(self) -> str:
        return f"<{self.key}: {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.key, self.values) == (other.key, other.values)

    def __hash__(self) -> int:
        return hash(self.key)


class AttnhandError(Exception):
    """The root of all refusals: its message is one sentence for the user, with the remedy."""

    def __str__(self) -> str:
        """Return the message, with what it quotes at length cut."""
        return shorten_quotes(super().__str__())


class ProblemError(AttnhandError):
    """A problem (matrices, words, rules) that cannot be worked as it was given."""


class NumberError(AttnhandError):
    """A text that is not one number of exactly one reading."""


class CodeError(AttnhandError):
    """A sheet code that is mistyped, salted otherwise, or contradicted by an option."""


class GenerationError(AttnhandError):
    """A request that no draw can meet."""


class PageError(AttnhandError):
    """A sheet that cannot be printed legibly as it was asked for."""


class CellError(AttnhandError):
    """A cell address that names no cell of the sheet."""


class AnswerError(AttnhandError):
    """Answers that cannot be marked: no answer file, or another sheet's."""


class TableError(AttnhandError):
    """A table that cannot be read as one."""


class RosterError(AttnhandError):
    """A list of students that cannot be worked with."""


class WorkerError(AttnhandError):
    """Workers, on this machine or others, that cannot be worked with."""


class MissingLibraryError(AttnhandError):
    """A system library that is not installed; the message names the install command."""


class KeyProofError(RuntimeError):
    """A key that failed its proof: a bug of ours, never the user's, and never printed."""
