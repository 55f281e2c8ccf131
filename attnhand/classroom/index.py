"""The index of a class set: who has which number and which sheet; written beside the keys, read again by grade."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence

from attnhand.classroom.matching import SPARE, IndexEntry, read_student_number
from attnhand.classroom.register import MAX_TABLE_LINES, PinnedSeat, Seat
from attnhand.classroom.roster import Student
from attnhand.errors import CodeError, RosterError, TableError
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import escape_formula, read_table, unescape_formula

INDEX_COLUMNS = ("№", "name", "id", "code", "email", "group", "options")


def make_index_entry(seat: Seat, code: str) -> IndexEntry:
    """Return a seat's line of the index."""
    student = seat.student
    options = [SPARE] if seat.is_spare else [f"{name}={text}" for name, text in student.overrides]
    return IndexEntry(
        number=seat.number,
        code=code,
        name=student.name,
        id=student.id,
        email=student.email,
        group=student.group,
        options=" ".join(options),
    )


def list_students(entries: Sequence[IndexEntry]) -> tuple[Student, ...]:
    """Return who is in a class by its index, in the order of numbers; spares are nobody."""
    people = [entry for entry in sorted(entries, key=lambda entry: entry.number) if not entry.is_spare]
    return tuple(
        Student(
            row=row,
            name=entry.name,
            id=entry.id,
            email=entry.email,
            group=entry.group,
            overrides=tuple(
                (name, text) for name, _, text in (override.partition("=") for override in entry.options.split())
            ),
        )
        for row, entry in enumerate(people, 1)
    )


def collect_pinned_seats(entries: Sequence[IndexEntry], words: Sequence[str] = ()) -> Mapping[str, PinnedSeat]:
    """Return what an index pins: numbers and seeds, by who has them.

    Args:
        words: those on the sheets; where they are looked up in a table, no code is read without them.

    Raises:
        RosterError: a code in it is none.
    """
    people = iter(list_students(entries))
    pins: dict[str, PinnedSeat] = {}
    spares = 0
    for entry in sorted(entries, key=lambda entry: entry.number):
        spares += entry.is_spare
        who = f"{SPARE} {spares}" if entry.is_spare else next(people).identity
        try:
            pins[who] = PinnedSeat(entry.number, decode_sheet_code(entry.code, words).request.seed)
        except CodeError as error:
            raise RosterError(f"has another code for № {entry.number} than was printed: {error}") from None
    return pins


def format_index_csv(entries: Sequence[IndexEntry]) -> str:
    """Return the index as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    >>> format_index_csv([IndexEntry(number=7, code="A1Q0-0000-000W", name="Ada")]).splitlines()
    ['№,name,id,code,email,group,options', '007,Ada,,A1Q0-0000-000W,,,']
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(INDEX_COLUMNS)
    for entry in sorted(entries, key=lambda entry: entry.number):
        further = (entry.email, entry.group, entry.options)
        cells = (escape_formula(entry.name), escape_formula(entry.id), entry.code, *map(escape_formula, further))
        writer.writerow([f"{entry.number:03d}", *cells])
    return out.getvalue()


def read_index(data: bytes) -> tuple[IndexEntry, ...]:
    """Read an index, as it was written or as a spreadsheet saved it again.

    Raises:
        RosterError: it is no index, or says a number twice; the message completes "index.csv …".
    """
    try:
        rows = [[cell.strip() for cell in row] for row in read_table(data, MAX_TABLE_LINES)]
    except TableError as error:
        raise RosterError(f"{error}") from None
    if not rows or not {"№", "code"} <= set(rows[0]):
        raise RosterError(
            f"is no index of a class: its first line is {','.join(INDEX_COLUMNS[:4])}; give teacher/index.csv"
        )
    column_indices = {name: rows[0].index(name) for name in INDEX_COLUMNS if name in rows[0]}
    lines = ((line, row) for line, row in enumerate(rows[1:], 2) if any(row) and not row[0].startswith(DIGEST_PREFIX))
    entries = tuple(_read_entry(line, row, column_indices) for line, row in lines)
    numbers = Counter(entry.number for entry in entries)
    if twice := next((number for number, times in numbers.items() if times > 1), None):
        raise RosterError(f"has the № {twice} twice: leave out one of the two lines")
    return entries


def _read_entry(line: int, row: Sequence[str], column_indices: dict[str, int]) -> IndexEntry:
    texts = {name: unescape_formula(row[at]) if at < len(row) else "" for name, at in column_indices.items()}
    number = read_student_number(texts["№"])
    if number is None or not texts["code"]:
        raise RosterError(f"has no № and code in line {line}: give the index as the class was made with it")
    return IndexEntry(number=number, **{name: text for name, text in texts.items() if name != "№"})
