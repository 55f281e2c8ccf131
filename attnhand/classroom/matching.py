"""Whose a paper is: by the code of its sheet, and by № and name where several have that sheet.

A wrong match is worse than none: where what a paper says contradicts itself, it is nobody's, and the reason is given.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from attnhand.problems.base32 import normalize_code

_LEADING_NUMBER = re.compile(r"(?:№|#|No\.?|Nr\.?)?\s*0*([1-9][0-9]{0,5})(?!\w)[\s.,:;–—-]*", re.IGNORECASE)

MAX_NUMBER_DIGITS = 9
"""Digits of a № in a table; the largest class has six."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Whose a paper says that it is."""

    number: int | None = None
    """The №; None where it says none."""

    name: str = ""

    def __str__(self) -> str:
        """Return it as one writes it: "№ 047 Ada"."""
        return " ".join([*([f"№ {self.number:03d}"] if self.number else []), *([self.name] if self.name else [])])


def read_signature(text: str) -> Signature:
    """Read what stands in a name field: a № first, where there is one, and a name.

    >>> read_signature("047 Ada"), read_signature("Ada"), read_signature("No. 7")
    (Signature(number=47, name='Ada'), Signature(number=None, name='Ada'), Signature(number=7, name=''))
    >>> read_signature("7b Ada").number is None
    True
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    if match := _LEADING_NUMBER.match(text):
        return Signature(number=int(match[1]), name=text[match.end() :])
    return Signature(name=text)


def read_student_number(text: str) -> int | None:
    """Read the № in a line of a table; None where it is none.

    >>> [read_student_number(text) for text in ("047", "7 ", "000", "1" * 5000)]
    [47, None, None, None]
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_DIGITS
    return int(text) or None if is_number else None


def fold_name(name: str) -> str:
    """Return a name as it is compared: letter case, width of letters and number of blanks aside.

    >>> fold_name("Ada  LOVELACE") == fold_name(" ada lovelace")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


_PRINTED_NUMBER = re.compile(r"(\d{3,6})(?!\w)")
"""A № as the sheet prints it, at the beginning of a file's name; "2.json" may be the second homework."""

SPARE = "spare"
"""The option of a sheet that is for whoever needs another."""

MAX_NAMED_STUDENTS = 3
"""Holders of a sheet that a reason names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One line of a class's index: who has which sheet."""

    number: int
    """№, from 1."""

    code: str
    name: str = ""
    id: str = ""
    email: str = ""
    group: str = ""
    options: str = ""
    """What the sheet is besides: "spare", "large_print=yes format=html"."""

    @property
    def is_spare(self) -> bool:
        """Say whether the sheet is for whoever needs another."""
        return self.options == SPARE

    def __str__(self) -> str:
        """Return "№ 047 Ada"."""
        return str(Signature(self.number, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a paper says of whose it is."""

    code: str
    """Of its sheet, as it is compared."""

    signature: Signature
    file: str


class PaperMatcher:
    """An index, asked whose a paper is."""

    def __init__(self, index: Sequence[IndexEntry]) -> None:
        self._by_code: dict[str, list[IndexEntry]] = {}
        self._by_name: dict[str, list[IndexEntry]] = {}
        for entry in index:
            self._by_code.setdefault(normalize_code(entry.code), []).append(entry)
            self._by_name.setdefault(fold_name(entry.name), []).append(entry)

    def match_paper(self, claim: Claim) -> IndexEntry | str:
        """Return whose paper it is, or why that cannot be said."""
        holders = self._by_code.get(claim.code, [])
        if not holders:
            return "its sheet is nobody's in the index"
        signature = claim.signature
        named = [entry for entry in holders if signature.name and fold_name(entry.name) == fold_name(signature.name)]
        if signature.number is not None:
            chosen = [entry for entry in holders if entry.number == signature.number] or (
                named if len(named) == 1 else []
            )
        elif len(holders) > 1:
            chosen = named or [entry for entry in holders if entry.number == _read_number_in_file_name(claim.file)]
        else:
            chosen = holders
        if len(chosen) != 1:
            return _explain_unclear_owner(signature, holders)
        if (
            chosen[0].is_spare
            and len(taker := self._by_name.get(fold_name(signature.name), [])) == 1
            and signature.name
        ):
            return taker[0]
        if self._is_other_student(signature.name, chosen[0]):
            return f"it says {signature}, but its sheet is that of {chosen[0]}"
        return chosen[0]

    def _is_other_student(self, name: str, entry: IndexEntry) -> bool:
        """Say whether a name is that of another student."""
        others = self._by_name.get(fold_name(name), []) if name else []
        return bool(others) and entry not in others


def _explain_unclear_owner(signature: Signature, entries: Sequence[IndexEntry]) -> str:
    known = ", ".join(map(str, entries[:MAX_NAMED_STUDENTS]))
    more = len(entries) - MAX_NAMED_STUDENTS
    known += f" and {more} more" if more > 0 else ""
    says = f"it says {signature}" if signature.number or signature.name else "it does not say whose it is"
    return f"{says}, but its sheet is that of {known}"


def _read_number_in_file_name(file: str) -> int | None:
    match = _PRINTED_NUMBER.match(PurePosixPath(file).name)
    return int(match[1]) if match else None
