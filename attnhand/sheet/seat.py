"""A student, and the student's seat in a class set: who it is, which № and which sheet."""

import re
import unicodedata
from dataclasses import dataclass

from attnhand.errors import escape_controls

Identity = tuple[str, str]
"""What tells a sheet's student or version from others: ("id", "7"), ("row", "3"), ("spare", "1"), ("version", "2")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """One person on the roster."""

    row: int = 0
    """Place on the roster, or among the spares, from 1."""

    name: str = ""
    """Empty where nobody is named: there is a writing line."""

    id: str = ""
    email: str = ""
    group: str = ""
    overrides: tuple[tuple[str, str], ...] = ()
    """Options that the roster sets for this student alone, by name."""

    @property
    def identity(self) -> Identity:
        """What this student's sheet is drawn from: id, else e-mail, else name, else the place.

        >>> Student(row=3, name="Ada", email="ADA@example.org").identity, Student(row=3).identity
        (('email', 'ada@example.org'), ('row', '3'))
        """
        for kind, text in (("id", self.id), ("email", self.email), ("name", self.name)):
            if text:
                return kind, unicodedata.normalize("NFKC", text).casefold()
        return "row", str(self.row)


PLACEHOLDER_NUMBER, PLACEHOLDER_NAME = 888, "Ada"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One student's place in a class set."""

    number: int
    """№, from 1, by which returned sheets are sorted; it stays when others come or go."""

    student: Student = Student()
    is_spare: bool = False
    """Whether the sheet is for whoever needs another; the student then is nobody."""

    is_withdrawn: bool = False
    """Whether a later roster is without the student, whose № and sheet stay theirs."""

    version: int | None = None
    """Which of several sheets that are dealt in turn, from 1; None where everyone has one of their own."""

    seed: int = 0
    """What the sheet is drawn from; 0 in an index, which has codes."""

    code: str = ""
    """On the sheet; empty before it is drawn."""

    @property
    def name(self) -> str:
        """The student's name; empty where nobody is named."""
        return self.student.name

    def __str__(self) -> str:
        """Return "№ 047 Ada"."""
        return format_seat(self.number, self.name)

    @property
    def printed_number(self) -> str:
        """The number as it is printed, in three digits at least.

        >>> Seat(number=7).printed_number, Seat(number=1234).printed_number
        ('007', '1234')
        """
        return f"{self.number:03d}"

    @property
    def number_and_name(self) -> str:
        """Number and name as they stand in a form's field: "047 Ada"."""
        return f"{self.printed_number} {self.name}".strip()

    @property
    def identity(self) -> Identity:
        """What tells it from other seats, whatever their numbers."""
        return ("spare", str(self.student.row)) if self.is_spare else self.student.identity

    @property
    def seed_key(self) -> Identity:
        """What its sheet comes from, with the class seed and the salt."""
        return self.identity if self.version is None else ("version", str(self.version))

    @property
    def as_printed(self) -> "Seat":
        """The same with №, name, group and id alone: a sheet knows nothing else of its student."""
        student = Student(name=self.name, id=self.student.id, group=self.student.group)
        return Seat(number=self.number, student=student, is_spare=self.is_spare)

    @property
    def group_and_id(self) -> str:
        """What stands behind a name on every page, by which two of one name find theirs.

        >>> Seat(number=7, student=Student(name="Ada", group="B", id="4711")).group_and_id
        ' · B · 4711'
        """
        return "".join(f" · {text}" for text in (self.student.group, self.student.id) if text)

    @property
    def placeholder(self) -> "Seat":
        """Another seat, whose sheet looks like this one but for № and name."""
        name = PLACEHOLDER_NAME if self.name else ""
        return Seat(number=PLACEHOLDER_NUMBER, student=Student(name=name), is_spare=self.is_spare)


def format_seat(number: int | None, name: str) -> str:
    """Write № and name as far as they are known.

    >>> format_seat(47, "Ada"), format_seat(None, "Ada"), format_seat(47, "")
    ('№ 047 Ada', 'Ada', '№ 047')
    """
    return " ".join([*([f"№ {number:03d}"] if number else []), *([name] if name else [])])


_LEADING_NUMBER = re.compile(r"(?:№|#|No\.?|Nr\.?)?\s*0*([1-9][0-9]{0,5})(?!\w)[\s.,:;–—-]*", re.IGNORECASE)


def read_name_field(text: str) -> tuple[int | None, str]:
    """Read what a student wrote into a name field: a № first, where there is one, and a name.

    >>> read_name_field("047 Ada"), read_name_field("Ada"), read_name_field("No. 7"), read_name_field("7b Ada")
    ((47, 'Ada'), (None, 'Ada'), (7, ''), (None, '7b Ada'))
    """
    text = escape_controls(" ".join(unicodedata.normalize("NFC", text).split()))
    match = _LEADING_NUMBER.match(text)
    return (int(match[1]), text[match.end() :]) if match else (None, text)


_PRINTED_NUMBER = re.compile(r"(\d{3,6})(?![^\W_])")


def read_file_number(name: str) -> int | None:
    """Read a № as the sheet prints it at the beginning of a file's name; "2.json" may be the second homework.

    >>> [read_file_number(name) for name in ("047 Ada.pdf", "047_ada.csv", "2.json", "12345678.csv", "000.csv")]
    [47, 47, None, None, None]
    """
    match = _PRINTED_NUMBER.match(name)
    return int(match[1]) or None if match else None
