"""The index of a class set: who has which number and which sheet; written beside the keys, read when marks are made."""

import csv
import io
from collections import Counter
from collections.abc import Sequence

from attnhand.classroom.matching import Entry
from attnhand.classroom.register import Seat
from attnhand.classroom.roster import MOST_STUDENTS
from attnhand.errors import RosterError, TableError
from attnhand.formula_guard import guarded, unguarded
from attnhand.seal import DIGEST
from attnhand.table_text import SEPARATORS, decoded, table_rows

HEADER = ("№", "name", "id", "code")


def index_entry(seat: Seat, code: str) -> Entry:
    """Return a seat's line of the index."""
    return Entry(number=seat.number, code=code, name=seat.student.name, id=seat.student.id or seat.student.email)


def index_csv(entries: Sequence[Entry]) -> str:
    """Return the index as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    >>> index_csv([Entry(number=7, code="A1Q0-0000-000W", name="Ada")]).splitlines()
    ['№,name,id,code', '007,Ada,,A1Q0-0000-000W']
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(HEADER)
    for entry in sorted(entries, key=lambda entry: entry.number):
        writer.writerow([f"{entry.number:03d}", guarded(entry.name), guarded(entry.id), entry.code])
    return out.getvalue()


def read_index(data: bytes) -> tuple[Entry, ...]:
    """Read an index, as it was written or as a spreadsheet saved it again.

    Raises:
        RosterError: it is no index, or says a number twice; the message completes "index.csv …".
    """
    try:
        text = decoded(data).removeprefix("\ufeff")
        separator = max(SEPARATORS, key=text.partition("\n")[0].count)
        rows = [[cell.strip() for cell in row] for row in table_rows(text, separator, MOST_STUDENTS + 1)]
    except TableError as error:
        raise RosterError(str(error)) from None
    if not rows or not {"№", "code"} <= set(rows[0]):
        raise RosterError(f"is no index of a class: its first line is {','.join(HEADER)}; give teacher/index.csv")
    places = {name: rows[0].index(name) for name in HEADER if name in rows[0]}
    told = ((line, row) for line, row in enumerate(rows[1:], 2) if any(row) and not row[0].startswith(DIGEST))
    entries = tuple(_entry(line, row, places) for line, row in told)
    numbers = Counter(entry.number for entry in entries)
    if twice := next((number for number, times in numbers.items() if times > 1), None):
        raise RosterError(f"has the № {twice} twice: leave out one of the two lines")
    return entries


def _entry(line: int, row: Sequence[str], places: dict[str, int]) -> Entry:
    told = {name: unguarded(row[at]) if at < len(row) else "" for name, at in places.items()}
    number = told["№"]
    if not (number.isascii() and number.isdigit() and int(number[:9]) > 0 and told["code"]):
        raise RosterError(f"has no № and code in line {line}: give the index as the class was made with it")
    return Entry(number=int(number), code=told["code"], name=told.get("name", ""), id=told.get("id", ""))
