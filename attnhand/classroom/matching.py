"""Whose a paper is: by the code of its sheet, and by № and name where several have that sheet.

A wrong match is worse than none: where what a paper says contradicts itself, it is nobody's, and the reason is given.
"""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from attnhand.problems.base32 import normalize_code
from attnhand.sheet.seat import Seat, format_seat, read_file_number, read_name_field
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


_PLATFORM_NAME = re.compile(r"(?:^|/)([^/_]+)_\d+_assignsubmission_[a-z]+(?:_?/(?:.*/)?|_)([^/]*)$")
"""As Moodle names what was handed in: "Ada Lovelace_12345_assignsubmission_file/sheet.csv", or all in one name."""


def read_platform_name(file: str) -> tuple[str, str]:
    """Return who handed in a file, as a learning platform has named it, and its own name.

    >>> read_platform_name("Ada Lovelace_12345_assignsubmission_file_/sheet.csv")
    ('Ada Lovelace', 'sheet.csv')
    >>> read_platform_name("Ada Lovelace_12345_assignsubmission_file_sheet.csv"), read_platform_name("a/sheet.csv")
    (('Ada Lovelace', 'sheet.csv'), ('', 'sheet.csv'))
    """
    match = _PLATFORM_NAME.search(file)
    return (match[1], match[2]) if match else ("", PurePosixPath(file).name)


def _fold_words(name: str) -> str:
    """Return a name without the order of its words and all but letters and digits, which platforms leave out.

    >>> _fold_words("O'Brien, Ada") == _fold_words("Ada OBrien")
    True
    """
    words = fold_name(name.replace("_", " ")).split()
    return " ".join(sorted("".join(c for c in word if c.isalnum()) for word in words))


MAX_NAMED_STUDENTS = 3
"""Students of one sheet that a reason names."""


class PaperMatcher:
    """An index, asked whose a paper is."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self._by_code: dict[str, list[Seat]] = {}
        self._by_name: dict[str, list[Seat]] = {}
        self._by_words: dict[str, list[Seat]] = {}
        self._by_number = {seat.number: seat for seat in seats}
        for seat in seats:
            self._by_code.setdefault(normalize_code(seat.code), []).append(seat)
            self._by_name.setdefault(fold_name(seat.name), []).append(seat)
            if seat.name:
                self._by_words.setdefault(_fold_words(seat.name), []).append(seat)

    def find_platform_sender(self, file: str) -> Seat | None:
        """Return who handed in a file as a learning platform has named it, where that is one of the class.

        Whose group stands before the name has handed it in too: "Tue-Ada Lovelace".
        """
        name, _ = read_platform_name(file)
        namesakes = self._by_words.get(_fold_words(name), []) if name else []
        before, dash, after = name.partition("-")
        while dash and not namesakes:
            same_name = self._by_words.get(_fold_words(after), [])
            namesakes = [seat for seat in same_name if _fold_words(seat.student.group) == _fold_words(before)]
            part, dash, after = after.partition("-")
            before = f"{before}-{part}"
        return namesakes[0] if len(namesakes) == 1 else None

    def match_paper(self, *, code: str, number: int | None, name: str, file: str) -> Seat | Message:
        """Return whose paper it is, or why that cannot be said.

        Args:
            code: of its sheet.
            number: the № that the paper says; None where it says none.
            name: the name that the paper says.
            file: the file's name, which may begin with a № too, or be that of a learning platform.
        """
        owners = self._by_code.get(normalize_code(code), [])
        if not owners:
            return Message("match.stranger")
        sender = self._find_bearer(number, name, file)
        named = [seat for seat in owners if name and fold_name(seat.name) == fold_name(name)]
        named = named or [seat for seat in owners if seat == sender and not name]
        if number is not None:
            chosen = [seat for seat in owners if seat.number == number] or (named if len(named) == 1 else [])
        elif len(owners) > 1:
            number_of_file = read_file_number(read_platform_name(file)[1])
            chosen = named or [seat for seat in owners if seat.number == number_of_file]
        else:
            chosen = owners
        if len(chosen) != 1:
            return _explain_unclear_owner(format_seat(number, name), owners)
        (owner,) = chosen
        namesakes = self._by_name.get(fold_name(name), []) if name else []
        signers = namesakes or ([sender] if sender else [])
        if owner.is_spare and len(signers) == 1:
            (owner,) = signers
        if namesakes and owner not in namesakes:
            return Message("match.other", signature=format_seat(number, name), owners=str(owner))
        if sender and owner != sender:
            signature = sender.name if self.find_platform_sender(file) else str(sender)
            return Message("match.other", signature=signature, owners=str(owner))
        return owner

    def _find_bearer(self, number: int | None, name: str, file: str) -> Seat | None:
        """Return whose a file is by how it is called; what teachers call one counts where nothing inside says whose."""
        return self.find_platform_sender(file) or (None if number or name else self._find_file_owner(file))

    def _find_file_owner(self, file: str) -> Seat | None:
        """Return whom a file's name says, by № and name, "047 Ada", or by № alone."""
        stem = PurePosixPath(read_platform_name(file)[1]).stem
        seat = self._by_number.get(read_file_number(stem) or 0)
        _, name = read_name_field(stem.replace("_", " "))
        return seat if seat and fold_name(name) in ("", fold_name(seat.name)) else None

    def find_signer(self, *, code: str, number: int | None, name: str, file: str) -> Seat | None:
        """Return who has handed in a paper on a sheet that is not theirs; None where it does not say so for sure.

        Name and № inside may be those of whose sheet it is: then the file's name tells.
        """
        owners = self._by_code.get(normalize_code(code), [])
        namesakes = self._by_name.get(fold_name(name), []) if name else []
        sender = self._find_bearer(number, name, file)
        said = {seat.number: seat for seat in (*namesakes, self._by_number.get(number or 0), sender) if seat}
        others = [seat for seat in said.values() if seat not in owners]
        return others[0] if len(others) == 1 and (namesakes or not name or sender) else None

    def find_sender(self, *, code: str, number: int | None, name: str, file: str) -> Seat | None:
        """Return who handed in what cannot be marked; None where nothing in it, nor its name, says so for sure.

        Args:
            code: that of its sheet, as far as it could be read.
            number: the № that it says; None where it says none.
            name: the name that it says.
            file: the file's name, which may be a № and a name: "047 Ada.docx".
        """
        if normalize_code(code) in self._by_code:
            owner = self.match_paper(code=code, number=number, name=name, file=file)
            return owner if isinstance(owner, Seat) else None
        sender = self.find_platform_sender(file)
        stem = PurePosixPath(read_platform_name(file)[1]).stem
        number = number or read_file_number(stem)
        named = self._by_name.get(fold_name(name or read_name_field(stem.replace("_", " "))[1]), [])
        named = [sender] if sender and not name else named
        if number is None:
            return named[0] if len(named) == 1 and named[0].name else None
        seat = self._by_number.get(number)
        return seat if seat and (not name or seat in named) and sender in (None, seat) else None


def _explain_unclear_owner(signature: str, seats: Sequence[Seat]) -> Message:
    owners: list[str] | Message = [str(seat) for seat in seats[:MAX_NAMED_STUDENTS]]
    if (more := len(seats) - MAX_NAMED_STUDENTS) > 0:
        owners = Message("match.more", owners=owners, count=more)
    unsigned = Message("match.unsigned", owners=owners)
    return Message("match.other", signature=signature, owners=owners) if signature else unsigned
