"""``marks.csv``: a line for everyone and an empty column a stage, for whoever marks by eye."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from attnhand.classroom.gradebook import StageMarks
from attnhand.classroom.matching import fold_name, read_student_number
from attnhand.classroom.register import MAX_TABLE_LINES
from attnhand.errors import RosterError, TableError
from attnhand.sheet.seat import Seat
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import escape_formula, read_table, unescape_formula


def format_marks_csv(
    seats: Sequence[Seat],
    stages: Sequence[str],
    earlier_rows: Sequence[Sequence[str]] = (),
    new_names: Mapping[tuple[int, str], str] = MappingProxyType({}),
) -> str:
    """Return the table as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Args:
        stages: those with cells to fill.
        earlier_rows: lines of an earlier table, its header first; they stay as they are, new students follow.
        new_names: those that were corrected, by № and the folded name before.

    >>> from attnhand.sheet.seat import Student
    >>> seats = [Seat(number=n, student=Student(name=name)) for n, name in ((1, "Ada"), (2, "Bob"))]
    >>> format_marks_csv(seats, ["Q", "S"], earlier_rows=[["№", "name", "Q", "S"], ["1", "Ada", "12", ""]]).splitlines()
    ['№,name,Q,S', '1,Ada,12,', '002,Bob,,']
    """
    header = ["№", "name", *stages]
    lines = [list(line) for line in earlier_rows] or [header]
    there = {read_student_number(line[0].strip()) for line in lines[1:] if line}
    name_at = lines[0].index("name") if "name" in lines[0] else 0
    for line in lines[1:] if name_at else []:
        if len(line) > name_at:
            key = read_student_number(line[0].strip()) or 0, fold_name(unescape_formula(line[name_at].strip()))
            line[name_at] = escape_formula(new_names[key]) if key in new_names else line[name_at]
    blanks = [""] * (len(lines[0]) - 2)
    new = (seat for seat in seats if seat.number not in there)
    lines += [[seat.printed_number, escape_formula(seat.student.name), *blanks] for seat in new]
    out = io.StringIO(newline="")
    csv.writer(out).writerows(lines)
    return out.getvalue()


def move_marks(
    tables: Mapping[str, list[list[str]]], folders_by_number: Mapping[int, str]
) -> Mapping[str, list[list[str]]]:
    """Return tables, by the folder of a group, in which everyone's line stands in that of their own group.

    Columns that a table lacks are added to it. Of two lines of one student the one in their own table stays.

    >>> tables = {"A": [["№", "name", "Q"], ["1", "Ada", "5"], ["2", "Bob", "3"]], "B": [["№", "name", "Q", "me"]]}
    >>> for folder, rows in move_marks(tables, {1: "B", 2: "A"}).items(): print(folder, rows)
    A [['№', 'name', 'Q'], ['2', 'Bob', '3']]
    B [['№', 'name', 'Q', 'me'], ['1', 'Ada', '5', '']]
    """

    def find_folder(row: Sequence[str], folder: str) -> str:
        return folders_by_number.get(_read_number(row), folder)

    moved = {
        folder: [list(rows[0]), *(row for row in rows[1:] if find_folder(row, folder) == folder)]
        for folder, rows in tables.items()
    }
    for folder, rows in tables.items():
        for row in rows[1:]:
            own = moved.setdefault(find_folder(row, folder), [list(rows[0])])
            if _read_number(row) in map(_read_number, own[1:]) or row in own:
                continue
            own[0] += [title for title in rows[0] if title not in own[0]]
            texts = dict(zip(rows[0], row, strict=False))
            own.append([texts.get(title, "") for title in own[0]])
    return moved


def _read_number(row: Sequence[str]) -> int:
    return read_student_number(row[0].strip()) or 0 if row else 0


def read_marks_rows(data: bytes) -> list[list[str]]:
    """Read an earlier table as it is, its header first.

    Raises:
        RosterError: it is no such table; the message completes "marks.csv …".
    """
    try:
        rows = read_table(data, MAX_TABLE_LINES)
    except TableError as error:
        raise RosterError(f"{error}") from None
    if not rows or rows[0][:1] != ["№"]:
        raise RosterError("does not begin with №,name: move it elsewhere, and a new one is made")
    return rows


IGNORED_COLUMNS = (
    "name",
    "id",
    "code",
    "group",
    "total",
    "sum",
    "score",
    "remark",
    "remarks",
    "comment",
    "comments",
    "note",
)
"""Columns that are passed over, letter case aside."""

_MARKS_PATTERN = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?", re.ASCII)


def read_filled_marks(data: bytes, index: Sequence[Seat], cell_counts: Mapping[str, int]) -> dict[int, StageMarks]:
    """Read what was marked on paper, by №; whoever has no number in any column was not marked.

    Args:
        cell_counts: of every stage, by its name: how many cells the sheets ask.

    Raises:
        RosterError: it is no such table, or holds an impossible number; the message completes "marks.csv …".
    """
    try:
        rows = [[unescape_formula(cell.strip()) for cell in row] for row in read_table(data, MAX_TABLE_LINES)]
    except TableError as error:
        raise RosterError(f"{error}") from None
    if not rows or "№" not in rows[0]:
        raise RosterError(f"has no column №: its first line is №,name,{','.join(cell_counts)}, as in teacher/marks.csv")
    stages = _find_stage_columns(rows[0], cell_counts)
    number_at, name_at = rows[0].index("№"), rows[0].index("name") if "name" in rows[0] else None
    known = {seat.number: seat for seat in index}
    marks_by_number: dict[int, StageMarks] = {}
    seen: set[int] = set()
    for line, row in enumerate(rows[1:], 2):
        if not any(row) or row[0].startswith(DIGEST_PREFIX):
            continue
        cells = [*row, *[""] * len(rows[0])]
        seat = _find_seat(line, cells[number_at], "" if name_at is None else cells[name_at], known)
        if seat.number in seen:
            raise RosterError(f"has the № {seat.number:03d} again in line {line}: leave out one of the two lines")
        seen.add(seat.number)
        marks = {}
        for at, stage in stages.items():
            if cells[at]:
                where, of = f"line {line}, column {stage} (№ {seat.number:03d})", cell_counts[stage]
                marks[stage] = _parse_marks(cells[at], where, of), of
        if marks:
            marks_by_number[seat.number] = marks
    return marks_by_number


def _find_stage_columns(header: Sequence[str], cell_counts: Mapping[str, int]) -> dict[int, str]:
    """Return which stage stands in which column."""
    found: dict[int, str] = {}
    for at, title in enumerate(header):
        if title in cell_counts:
            if title in found.values():
                raise RosterError(f"has two columns {title}: leave out one of them")
            found[at] = title
        elif title != "№" and title and title.casefold() not in IGNORED_COLUMNS:
            meant = find_nearest_name(title, cell_counts)
            advice = f"call it {meant}" if meant else f"use {', '.join(cell_counts)}"
            raise RosterError(f"has a column {title!r}, which these sheets do not ask: {advice}, or leave it out")
    return found


def _find_seat(line: int, number: str, name: str, seats_by_number: Mapping[int, Seat]) -> Seat:
    """Return whose line it is; № and name must agree, since one column alone is easily sorted."""
    seat = seats_by_number.get(read_student_number(number) or 0)
    if seat is None:
        fault = f"has the № {number[:20]!r} in line {line}, which is not in the index"
        raise RosterError(f"{fault}: write one that is there")
    if name and seat.name and fold_name(name) != fold_name(seat.name):
        fault = f"has № {seat.number:03d} {name!r} in line {line}, but the index has {seat.name!r}"
        raise RosterError(f"{fault}: put number and name together again")
    return seat


def _parse_marks(text: str, where: str, max_marks: int) -> Decimal:
    is_number = _MARKS_PATTERN.fullmatch(text)
    if is_number and (marks := Decimal(text.replace(",", "."))) <= max_marks:
        return marks
    fault = f"but that stage has {max_marks} cells" if is_number else "which is no number of marks"
    raise RosterError(f"has {text[:20]!r} in {where}, {fault}: write 0 to {max_marks}, or leave it empty")
