"""Who is in the class: a roster as somebody exported it, or a number of people without names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attnhand.classroom.matching import read_student_number
from attnhand.classroom.overrides import OVERRIDE_COLUMNS, settle_override, split_options_cell
from attnhand.classroom.roster_columns import COUNT_WORDS, END_WORDS, STAMP_WORDS, normalize_title
from attnhand.classroom.roster_table import MAX_NUMBER, MAX_STUDENTS, RosterTable, read_roster_table
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.sheet.seat import Identity, Seat, Student
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import unescape_formula
from attnhand.text import Message

NOBODY = ("points possible", "student, test", "test student")
"""In Canvas's gradebook: what a quiz is worth, and who the teacher is there as a student."""

MAX_LISTED_LINES = 5
"""So many lines without a student are said."""

MAX_LISTED_CHARACTERS = 30
"""So much of such a line."""

WHO = ("name", "id", "email")
"""What says who a student is."""

KINDS = (*WHO, "group")
"""What a roster says of a student."""


NO_NUMBERS_ADVICE = f"if that column holds no №, add {name_option('column', 'number=')}"


class GivenNumber(NamedTuple):
    """A № that a roster gives, and the line where it stands."""

    number: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Who is in the class, and how the columns were understood."""

    students: tuple[Student, ...]
    numbers: Mapping[Identity, GivenNumber] = field(default_factory=dict)
    """The №s that it gives, by whose they are."""

    others: tuple[Seat, ...] = ()
    """Who else has a №, where the roster is the index of a class: spare sheets, and who has left."""

    counts_lines: bool = False
    """Whether its №s only count the lines."""

    table: RosterTable | None = None
    """None where there is no roster."""

    unread_lines: tuple[str, ...] = ()
    """Lines that name nobody, each with what stands in it."""

    def forget_counts(self) -> "Roster":
        """Return it without №s that only count the lines: to who has one already they say nothing."""
        return replace(self, numbers={}) if self.counts_lines else self

    @property
    def understanding(self) -> Message | None:
        """``45 students · name = Vorname + Nachname · id = Matrikelnr · not used: Studiengang``."""
        table = self.table
        if table is None:
            return None
        forgotten = {"number"} if self.counts_lines and not self.numbers else set()
        unnamed = sum(not student.name for student in self.students)
        facts = [Message("roster.students", students=len(self.students))]
        facts += [
            Message("roster.column", kind=kind, titles=table.name_column(kind))
            for kind in table.places
            if kind not in forgotten
        ]
        facts += [Message("roster.header", line=table.header_line)] if table.header_line > 1 else []
        facts += [Message("roster.headless")] if not table.header_line else []
        facts += [Message("roster.unnamed", students=unnamed)] if unnamed else []
        facts += [Message("roster.unused", titles=table.unused_titles)] if table.unused_titles else []
        facts += [Message("roster.counts_lines", titles=table.name_column(kind)) for kind in forgotten]
        if self.unread_lines:
            facts.append(Message("roster.unread", lines=list(self.unread_lines[:MAX_LISTED_LINES])))
        return Message("roster.understanding", facts=facts)


def make_unnamed_students(count: int) -> tuple[Student, ...]:
    """Return so many students without names.

    Raises:
        AttnhandError: it is none, or too many.
    """
    if not 1 <= count <= MAX_STUDENTS:
        raise AttnhandError(f"{name_option('count', count)} is out of range: use 1 to {MAX_STUDENTS:,}")
    return tuple(Student(row=row) for row in range(1, count + 1))


def read_roster(data: bytes, columns: Sequence[str] = ()) -> Roster:
    """Read a roster, a spreadsheet or CSV, whose header may come after lines of titles.

    Args:
        columns: which column holds what, where the header does not say so: ``name=Surname``.

    >>> roster = read_roster("Matrikelnr;Nachname;Vorname;Fach\\n7;Lovelace;Ada;Physik\\n".encode())
    >>> str(roster.understanding)
    '1 student · name = Vorname + Nachname · id = Matrikelnr · not used: Fach'
    >>> roster.students[0].name, roster.students[0].id
    ('Ada Lovelace', '7')

    Raises:
        RosterError: it is no such table, or two rows are the same person; the message completes "roster.csv …".
    """
    table = read_roster_table(data, columns)
    reading = _Reading(table)
    for line, cells in table.lines:
        reading.read_line(line, cells)
    if not reading.students:
        raise RosterError("has a header and no student: write a line for each")
    seen: dict[Identity, Student] = {}
    for student in reading.students:
        if (first := seen.setdefault(student.identity, student)) is not student:
            kind, text = student.identity
            raise RosterError(
                f"has the {kind} {text!r} twice, for students {first.row} and {student.row}: "
                "give them different ids, or leave out one of them"
            )
    given = [reading.numbers.get(student.identity) for student in reading.students]
    is_chosen = any(column.partition("=")[0].strip() == "number" for column in columns)
    counted = [each and each.number for each in given] == list(range(1, len(given) + 1))
    return Roster(
        students=tuple(reading.students),
        numbers=reading.numbers,
        others=tuple(reading.others),
        counts_lines=counted and not (is_chosen or table.is_index),
        table=table,
        unread_lines=tuple(reading.unread_lines),
    )


class _Reading:
    """What was read of a roster's lines so far."""

    def __init__(self, table: RosterTable) -> None:
        self.table = table
        self.students: list[Student] = []
        self.numbers: dict[Identity, GivenNumber] = {}
        self.others: list[Seat] = []
        self.unread_lines: list[str] = []
        self._lines_by_number: dict[int, int] = {}
        # there the teacher as a student may have an id too
        self._is_canvas = any(cell.casefold() == NOBODY[0] for row in table.rows[:3] for cell in row)
        texts = map(table.get_texts, table.rows)
        self._is_unnamed = table.is_index and not any(each.get(kind) for each in texts for kind in WHO)

    def read_line(self, line: int, cells: Sequence[str]) -> None:
        """Read a line: a student, nobody, or whoever else has a №.

        Raises:
            RosterError: it contradicts itself or another; the message completes "roster.csv …".
        """
        texts = self.table.get_texts(cells)
        if self.table.is_index:
            texts = {kind: unescape_formula(text) for kind, text in texts.items()}
        overrides, is_spare, is_withdrawn = split_options_cell(texts.pop("options", ""))
        row = len(self.students) + sum(not seat.is_spare for seat in self.others) + 1
        own_number = texts.pop("number", "")
        if not (is_spare or is_withdrawn) and self._is_nobody(cells, texts, own_number):
            if any(cells) and not _is_digest(cells):
                first = next(filter(None, cells))
                self.unread_lines.append(f"{line} ({first[:MAX_LISTED_CHARACTERS]})")
            return
        if any(cells[len(self.table.header) :]):  # Lovelace, Ada without quotes would lose Ada
            raise RosterError(
                f"has more cells than its header in the line of student {row}, {cells[0]!r}: "
                'write a name with a comma in quotes, "Lovelace, Ada"'
            )
        settled = ((name, settle_override(name, texts.get(name, ""))) for name in OVERRIDE_COLUMNS)
        overrides = tuple({**dict(overrides), **{name: text for name, text in settled if text}}.items())
        student = Student(row=row, overrides=overrides, **{kind: texts.get(kind, "") for kind in KINDS})
        number = self._read_number(line, own_number, student)
        if is_spare or is_withdrawn:
            row = row if is_withdrawn else sum(seat.is_spare for seat in self.others) + 1
            student = replace(student, row=row)
            seat = Seat(number=number, student=student, is_spare=is_spare, is_withdrawn=is_withdrawn)
            self.others += [seat] if number else []
            return
        if not (self._is_unnamed or any(texts.get(kind) for kind in WHO)):
            raise RosterError(f"names nobody in student {row}: give a name, an id or an e-mail address")
        self.students.append(student)
        if number:
            self.numbers[student.identity] = GivenNumber(number, line)

    def _is_nobody(self, cells: Sequence[str], texts: Mapping[str, str], own_number: str) -> bool:
        """Say whether a line is no student's: each reason below has a line that it is for."""
        if not any(texts.values()):  # "" or "7": a № alone is a student only in the index of a class without names
            return not (self._is_unnamed and own_number)
        if _is_digest(cells):
            return True
        id_text, email = texts.get("id", ""), texts.get("email", "")
        # "Student, Test": elsewhere than in Canvas somebody with an id may be called so
        if texts.get("name", "").casefold() in NOBODY and (self._is_canvas or not (id_text or email)):
            return True
        # "Suma;45": a sum, where 45 students stand above; whoever is called Suma has an e-mail address or another id
        has_own_id = bool(email) or (id_text.isdecimal() and id_text != str(len(self.students)))
        return is_footer(cells) and not has_own_id

    def _read_number(self, line: int, text: str, student: Student) -> int:
        """Return the № in a line; 0 where there is none."""
        if not text:
            return 0
        number = read_student_number(text)
        owner = student.name or student.id or student.email or f"student {student.row}"
        if number is None or number > MAX_NUMBER:
            raise RosterError(
                f"has {text[:20]!r} as the № of {owner} in line {line}: write a whole number from 1 to {MAX_NUMBER:,}, "
                f"or nothing for a new one; {NO_NUMBERS_ADVICE}"
            )
        if (earlier := self._lines_by_number.setdefault(number, line)) != line:
            raise RosterError(
                f"has the № {number} twice, in lines {earlier} and {line}: leave it empty for who is new; "
                f"{NO_NUMBERS_ADVICE}"
            )
        return number


def _is_digest(cells: Sequence[str]) -> bool:
    """Say whether a line is the one in which a table says that it is as we wrote it: "attnhand-digest:…"."""
    return cells[0].startswith(DIGEST_PREFIX)


_COLON_AND_NUMBER = re.compile(r"[^\d:=]+[:=]\s*\d+")
_NUMBER_AND_WORDS = re.compile(r"\d+\s+[^\W\d][^\d]*")


def is_footer(cells: Sequence[str]) -> bool:
    """Say whether a line below the students is none: a sum, the end of the list, when it was made.

    >>> [is_footer(cells) for cells in (["endHISsheet", ""], ["Total: 45"], ["Summe", "45"], ["", "45 Teilnehmer"])]
    [True, True, True, True]
    >>> [is_footer(cells) for cells in (["Ada Total", "45"], ["Student 45"], ["45", "Ada"], ["Suma", ""])]
    [False, False, False, False]
    """
    filled = [cell for cell in cells if cell]
    text = " ".join(filled)
    words = normalize_title(re.sub(r"[\d:=]+", " ", text))
    if words in END_WORDS or (words in COUNT_WORDS and words != normalize_title(text)):
        return True
    if _COLON_AND_NUMBER.fullmatch(text):
        return True
    if len(filled) != 1:
        return False
    begins = normalize_title(re.split(r"[\s:]", text)[0]), normalize_title(" ".join(text.split()[:2]))
    is_stamp = any(c.isdigit() for c in text) and any(word in STAMP_WORDS for word in begins)
    return is_stamp or _NUMBER_AND_WORDS.fullmatch(text) is not None
