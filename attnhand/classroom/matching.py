"""Whose a paper is: by the code of its sheet, and by № and name where several have that sheet.

A wrong match is worse than none: where what a paper says contradicts itself, it is nobody's, and the reason is given.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from attnhand.problems.base32 import normalize_code
from attnhand.sheet.seat import Seat, format_owner, read_file_number, read_name_field
from attnhand.text import Message

MAX_NUMBER_DIGITS = 9
"""Digits of a № in a table; the largest class has six."""


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


MAX_NAMED_STUDENTS = 3
"""Students of one sheet that a reason names."""


class PaperMatcher:
    """An index, asked whose a paper is."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self._by_code: dict[str, list[Seat]] = {}
        self._by_name: dict[str, list[Seat]] = {}
        self._by_number = {seat.number: seat for seat in seats}
        for seat in seats:
            self._by_code.setdefault(normalize_code(seat.code), []).append(seat)
            self._by_name.setdefault(fold_name(seat.name), []).append(seat)

    def match_paper(self, *, code: str, number: int | None, name: str, file: str) -> Seat | Message:
        """Return whose paper it is, or why that cannot be said.

        Args:
            code: of its sheet, as it is compared.
            number: the № that the paper says; None where it says none.
            name: the name that the paper says.
            file: the file's name, which may begin with a № too.
        """
        holders = self._by_code.get(code, [])
        if not holders:
            return Message("match.stranger")
        named = [seat for seat in holders if name and fold_name(seat.name) == fold_name(name)]
        if number is not None:
            chosen = [seat for seat in holders if seat.number == number] or (named if len(named) == 1 else [])
        elif len(holders) > 1:
            chosen = named or [seat for seat in holders if seat.number == read_file_number(PurePosixPath(file).name)]
        else:
            chosen = holders
        if len(chosen) != 1:
            return _explain_unclear_owner(format_owner(number, name), holders)
        (owner,) = chosen
        namesakes = self._by_name.get(fold_name(name), []) if name else []
        if owner.is_spare and len(namesakes) == 1:
            return namesakes[0]
        if namesakes and owner not in namesakes:
            return Message("match.other", signature=format_owner(number, name), owners=str(owner))
        return owner

    def find_sender(self, *, code: str, number: int | None, name: str, file: str) -> Seat | None:
        """Return who handed in what cannot be marked; None where nothing in it, nor its name, says so for sure.

        Args:
            code: that of its sheet, as far as it could be read.
            number: the № that it says; None where it says none.
            name: the name that it says.
            file: the file's name, which may be a № and a name: "047 Ada.docx".
        """
        if code in self._by_code:
            owner = self.match_paper(code=code, number=number, name=name, file=file)
            return owner if isinstance(owner, Seat) else None
        stem = PurePosixPath(file).stem
        number = number or read_file_number(stem)
        named = self._by_name.get(fold_name(name or read_name_field(stem.replace("_", " "))[1]), [])
        if number is None:
            return named[0] if len(named) == 1 and named[0].name else None
        seat = self._by_number.get(number)
        return seat if seat and (not name or seat in named) else None


def _explain_unclear_owner(signature: str, seats: Sequence[Seat]) -> Message:
    owners: list[str] | Message = [str(seat) for seat in seats[:MAX_NAMED_STUDENTS]]
    if (more := len(seats) - MAX_NAMED_STUDENTS) > 0:
        owners = Message("match.more", owners=owners, count=more)
    unsigned = Message("match.unsigned", owners=owners)
    return Message("match.other", signature=signature, owners=owners) if signature else unsigned
