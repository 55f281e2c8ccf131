"""``marks.csv``: a line for everyone and an empty column a stage, for whoever marks by eye."""

import csv
import io
from collections.abc import Sequence

from attnhand.classroom.register import Seat
from attnhand.classroom.roster import MOST_STUDENTS
from attnhand.classroom.signature import read_number
from attnhand.errors import RosterError, TableError
from attnhand.formula_guard import guarded
from attnhand.table_text import table_of


def marks_csv(seats: Sequence[Seat], stages: Sequence[str], kept: Sequence[Sequence[str]] = ()) -> str:
    """Return the table as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Args:
        stages: those with cells to fill.
        kept: lines of an earlier table, its header first: they stay as they are, and who is new comes after them.

    >>> from attnhand.classroom.roster import Student
    >>> seats = [Seat(number=n, student=Student(row=n, name=name), seed=n) for n, name in ((1, "Ada"), (2, "Bob"))]
    >>> marks_csv(seats, ["Q", "S"], kept=[["№", "name", "Q", "S"], ["1", "Ada", "12", ""]]).splitlines()
    ['№,name,Q,S', '1,Ada,12,', '002,Bob,,']
    """
    header = ["№", "name", *stages]
    lines = [list(line) for line in kept] or [header]
    there = {read_number(line[0].strip()) for line in lines[1:] if line}
    blanks = [""] * (len(lines[0]) - 2)
    lines += [
        [seat.holder.printed_number, guarded(seat.student.name), *blanks] for seat in seats if seat.number not in there
    ]
    out = io.StringIO(newline="")
    csv.writer(out).writerows(lines)
    return out.getvalue()


def read_marks(data: bytes) -> list[list[str]]:
    """Read an earlier table as it is, its header first.

    Raises:
        RosterError: it is no such table; the message completes "marks.csv …".
    """
    try:
        rows = table_of(data, MOST_STUDENTS + 1)
    except TableError as error:
        raise RosterError(str(error)) from None
    if not rows or rows[0][:1] != ["№"]:
        raise RosterError("does not begin with №,name: move it elsewhere, and a new one is made")
    return rows
