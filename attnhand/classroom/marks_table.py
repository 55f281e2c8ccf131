"""``marks.csv``: a line for everyone and an empty column a stage, for whoever marks by eye."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from attnhand.classroom.gradebook import StageMarks
from attnhand.classroom.matching import Entry, folded, read_number
from attnhand.classroom.register import Seat
from attnhand.classroom.roster import MOST_STUDENTS
from attnhand.errors import RosterError, TableError
from attnhand.system.did_you_mean import nearest
from attnhand.system.digests import DIGEST
from attnhand.system.tables import guarded, table_of, unguarded


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


BESIDE = ("name", "id", "code", "group", "total", "sum", "score", "remark", "remarks", "comment", "comments", "note")
"""Columns that are passed over, letter case aside."""

_NUMBER = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?", re.ASCII)


def marks_on_paper(data: bytes, index: Sequence[Entry], cells: Mapping[str, int]) -> dict[int, StageMarks]:
    """Read what was marked on paper, by №; whoever has no number in any column was not marked.

    Args:
        cells: of every stage, by its name: how many cells the sheets ask.

    Raises:
        RosterError: it is no such table, or holds an impossible number; the message completes "marks.csv …".
    """
    try:
        rows = [[unguarded(cell.strip()) for cell in row] for row in table_of(data, MOST_STUDENTS + 9)]
    except TableError as error:
        raise RosterError(str(error)) from None
    if not rows or "№" not in rows[0]:
        raise RosterError(f"has no column №: its first line is №,name,{','.join(cells)}, as in teacher/marks.csv")
    stages = _stages(rows[0], cells)
    number_at, name_at = rows[0].index("№"), rows[0].index("name") if "name" in rows[0] else None
    known = {entry.number: entry for entry in index}
    found: dict[int, StageMarks] = {}
    seen: set[int] = set()
    for line, row in enumerate(rows[1:], 2):
        if not any(row) or row[0].startswith(DIGEST):
            continue
        told = [*row, *[""] * len(rows[0])]
        entry = _entry(line, told[number_at], "" if name_at is None else told[name_at], known)
        if entry.number in seen:
            raise RosterError(f"has the № {entry.number:03d} again in line {line}: leave out one of the two lines")
        seen.add(entry.number)
        marks = {
            stage: (_marks(told[at], f"line {line}, column {stage} (№ {entry.number:03d})", cells[stage]), cells[stage])
            for at, stage in stages.items()
            if told[at]
        }
        if marks:
            found[entry.number] = marks
    return found


def _stages(header: Sequence[str], cells: Mapping[str, int]) -> dict[int, str]:
    """Return which stage stands in which column."""
    found: dict[int, str] = {}
    for at, title in enumerate(header):
        if title in cells:
            if title in found.values():
                raise RosterError(f"has two columns {title}: leave out one of them")
            found[at] = title
        elif title != "№" and title and title.casefold() not in BESIDE:
            meant = nearest(title, cells)
            advice = f"call it {meant}" if meant else f"use {', '.join(cells)}"
            raise RosterError(f"has a column {title!r}, which these sheets do not ask: {advice}, or leave it out")
    return found


def _entry(line: int, number: str, name: str, known: Mapping[int, Entry]) -> Entry:
    """Return whose line it is; № and name must agree, since one column alone is easily sorted."""
    entry = known.get(read_number(number) or 0)
    if entry is None:
        raise RosterError(
            f"has the № {number[:20]!r} in line {line}, which is not in the index: write one that is there"
        )
    if name and entry.name and folded(name) != folded(entry.name):
        raise RosterError(
            f"has № {entry.number:03d} {name!r} in line {line}, but the index has {entry.name!r}: "
            "put number and name together again"
        )
    return entry


def _marks(text: str, where: str, most: int) -> Decimal:
    if _NUMBER.fullmatch(text):
        marks = Decimal(text.replace(",", "."))
        if marks <= most:
            return marks
        told = f"but that stage has {most} cells"
    else:
        told = "which is no number of marks"
    raise RosterError(f"has {text[:20]!r} in {where}, {told}: write 0 to {most}, or leave it empty")
