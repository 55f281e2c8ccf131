"""Who is in the class: a roster as somebody exported it, or a number of people without names."""

import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from attnhand.classroom.overrides import OVERRIDE_COLUMNS, settle_override
from attnhand.classroom.roster_columns import BARE_NAMES, SURNAME_FIRST, TITLES, normalize_title
from attnhand.errors import AttnhandError, RosterError, TableError, escape_controls, is_visible, name_option
from attnhand.sheet.seat import Identity, Student
from attnhand.system.files import is_flat_spreadsheet, is_zip
from attnhand.system.spreadsheets import read_spreadsheet
from attnhand.system.tables import SEPARATORS, decode_text, parse_rows, read_table
from attnhand.text import Message

MAX_STUDENTS = 100_000

NOBODY = ("points possible", "student, test", "test student")
"""In Canvas's gradebook: what a quiz is worth, and who the teacher is there as a student."""

MAX_HEADER_LINE = 20
"""The header is among so many lines; before it stand titles."""

MAX_LISTED_LINES = 5
"""So many lines without a student are said by number."""

KINDS = ("name", "id", "email", "group")
"""What a roster says of a student."""


def make_unnamed_students(count: int) -> tuple[Student, ...]:
    """Return so many students without names.

    Raises:
        AttnhandError: it is none, or too many.
    """
    if not 1 <= count <= MAX_STUDENTS:
        raise AttnhandError(f"{name_option('count', count)} is out of range: use 1 to {MAX_STUDENTS:,}")
    return tuple(Student(row=row) for row in range(1, count + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Who is in the class, and how the columns were understood."""

    students: tuple[Student, ...]
    understanding: Message | None
    """``45 students · name = Vorname + Nachname · id = Matrikelnr · not used: Studiengang``."""


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
    chosen = _read_choices(columns)
    try:
        tables = [[[_clean_cell(cell) for cell in row] for row in table] for table in _read_tables(data)]
    except TableError as error:
        raise RosterError(f"{error}") from None
    tables = [table for table in tables if any(map(any, table))]
    if not tables:
        raise RosterError("is empty: write a header line, name,id,email,group, and a line for every student")
    lines = ((table, at) for table in tables for at in range(min(len(table), MAX_HEADER_LINE)))
    table, at = max(lines, key=lambda line: _rate_header(line[0][line[1]], chosen))
    header = table[at]
    places = _find_columns(header, chosen)
    places = _join_name_columns(places, header, table[at + 1 :])
    students, unread_lines = _read_students(table, at, places)
    if not students:
        raise RosterError("has a header and no student: write a line for each")
    seen: dict[Identity, Student] = {}
    for student in students:
        if (first := seen.setdefault(student.identity, student)) is not student:
            kind, text = student.identity
            raise RosterError(
                f"has the {kind} {text!r} twice, for students {first.row} and {student.row}: "
                "give them different ids, or leave out one of them"
            )
    understanding = _describe_understanding(students, header, at, places, unread_lines)
    return Roster(students=students, understanding=understanding)


def _describe_understanding(
    students: Sequence[Student],
    header: Sequence[str],
    header_at: int,
    places: Mapping[str, Sequence[int]],
    unread_lines: Sequence[int],
) -> Message:
    """Say how many students there are, which column was taken for what, and what was not read."""
    used = {column for indices in places.values() for column in indices}
    unused = [title for column, title in enumerate(header) if title and column not in used]
    unnamed = sum(not student.name for student in students)
    facts = [Message("roster.students", students=len(students))]
    facts += [
        Message("roster.column", kind=kind, titles=" + ".join(header[column] for column in indices))
        for kind, indices in places.items()
    ]
    facts += [Message("roster.header", line=header_at + 1)] if header_at else []
    facts += [Message("roster.unnamed", students=unnamed)] if unnamed else []
    facts += [Message("roster.unused", titles=unused)] if unused else []
    facts += [Message("roster.unread", lines=list(map(str, unread_lines[:MAX_LISTED_LINES])))] if unread_lines else []
    return Message("roster.understanding", facts=facts)


def _read_choices(columns: Sequence[str]) -> dict[str, str]:
    """Return which title somebody chose for what."""
    chosen = {}
    for column in columns:
        kind, sign, title = (part.strip() for part in column.partition("="))
        if kind not in TITLES or not (sign and title):
            raise AttnhandError(
                f"{name_option('column', column)} is none: write {'=, '.join(TITLES)}= and the title of a column"
            )
        chosen[kind] = normalize_title(title)
    return chosen


def _read_tables(data: bytes) -> list[list[list[str]]]:
    """Return the tables of a spreadsheet, or what a CSV is with either of the separators, the likeliest first."""
    if is_zip(data):
        return read_spreadsheet(data)
    if is_flat_spreadsheet(data):
        raise TableError(Message("table.flat-spreadsheet"))
    tables = [read_table(data, MAX_STUDENTS + MAX_HEADER_LINE)]
    if not any(_rate_header(row, {})[0] for row in tables[0][:1]):  # a line of titles has other separators, or none
        for separator in SEPARATORS:
            with suppress(TableError):
                tables.append(parse_rows(decode_text(data), separator, MAX_STUDENTS + MAX_HEADER_LINE))
    return tables


def _rate_header(row: Sequence[str], chosen: Mapping[str, str]) -> tuple[int, int]:
    """Return how many columns of a line say what they hold, if one says who; else how many there are."""
    titles = set(map(normalize_title, row))
    kinds = {kind for kind, known in TITLES.items() if titles & {*known, chosen.get(kind, "")} - {""}}
    return (len(kinds), 0) if kinds - {"group"} else (0, sum(map(bool, row)))


def _find_columns(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """Return in which column each thing stands."""
    titles = [normalize_title(title) for title in header]
    places: dict[str, tuple[int, ...]] = {}
    for kind, known in TITLES.items():
        if kind in chosen:
            places[kind] = tuple(at for at, title in enumerate(titles) if title == chosen[kind])
            if not places[kind]:
                raise RosterError(f"has no column that {name_option('column')} {kind}= names: {_list_titles(header)}")
        else:
            found = [at for at, title in enumerate(titles) if title in known and title not in chosen.values()]
            best = min((known[titles[at]] for at in found), default=0)
            places[kind] = tuple(at for at in found if known[titles[at]] == best)
            if kind == "name" and {"first", "last"} & chosen.keys():
                places[kind] = ()
    for name in OVERRIDE_COLUMNS:
        places[name] = tuple(at for at, title in enumerate(titles) if title == normalize_title(name))
    for kind, indices in places.items():
        if len(indices) > 1:
            raise RosterError(f"has two columns for the {kind}: leave out one of them")
    places = {kind: indices for kind, indices in places.items() if indices}
    if not places.keys() & {"name", "first", "last"}:
        used = {at for indices in places.values() for at in indices}
        if not places.keys() & {"id", "email"} or any(title for at, title in enumerate(header) if at not in used):
            example = next((title for at, title in enumerate(header) if title and at not in used), "Surname")
            advice = f"say which it is, {name_option('column', f'name={example}')}, or write name above it"
            raise RosterError(f"has no column of names: {_list_titles(header)}; {advice}")
    return places


def _list_titles(header: Sequence[str]) -> str:
    return f"its columns are {', '.join(title for title in header if title)}"


def _join_name_columns(
    places: Mapping[str, tuple[int, ...]], header: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, tuple[int, ...]]:
    """Return where everything stands, a name in one or two columns, in the order in which it is said."""
    halves = {kind: places[kind][0] for kind in ("first", "last") if kind in places}
    joined = {kind: indices for kind, indices in places.items() if kind not in halves}
    if "name" in places and len(halves) == 1:  # Name;Vorname
        (half, at), name_at = *halves.items(), places["name"][0]
        title = normalize_title(header[name_at])
        lines = [row for row in rows if len(row) > max(at, name_at) and row[at]]
        is_whole = all(row[at].casefold() in row[name_at].casefold() for row in lines)
        if title in BARE_NAMES and at != name_at and not is_whole:
            halves["last" if half == "first" else "first"] = name_at
            del joined["name"]
    if "name" not in joined and halves:
        is_surname_first = "last" in halves and normalize_title(header[halves["last"]]) in SURNAME_FIRST
        order = ("last", "first") if is_surname_first else ("first", "last")
        joined = {"name": tuple(halves[half] for half in order if half in halves), **joined}
    return joined


def _read_students(
    table: Sequence[Sequence[str]], header_at: int, places: Mapping[str, Sequence[int]]
) -> tuple[tuple[Student, ...], list[int]]:
    """Return the students, and the lines that name nobody."""
    students: list[Student] = []
    unread_lines = []
    width = len(table[header_at])
    # there the teacher as a student may have an id too
    is_canvas = any(cell.casefold() == NOBODY[0] for row in table[header_at + 1 : header_at + 4] for cell in row)
    for line, cells in enumerate(table[header_at + 1 :], header_at + 2):
        texts = {
            kind: " ".join(cells[at] for at in indices if at < len(cells) and cells[at])
            for kind, indices in places.items()
        }
        row = len(students) + 1
        may_be_nobody = is_canvas or not (texts.get("id") or texts.get("email"))
        if not any(texts.values()) or (may_be_nobody and texts.get("name", "").casefold() in NOBODY):
            unread_lines += [line] if any(cells) else []
            continue
        if any(cells[width:]):  # Lovelace, Ada without quotes would lose Ada
            raise RosterError(
                f"has more cells than its header in the line of student {row}, {cells[0]!r}: "
                'write a name with a comma in quotes, "Lovelace, Ada"'
            )
        if not any(texts.get(kind) for kind in ("name", "id", "email")):
            raise RosterError(f"names nobody in student {row}: give a name, an id or an e-mail address")
        settled = ((name, settle_override(name, texts.get(name, ""))) for name in OVERRIDE_COLUMNS)
        overrides = tuple((name, text) for name, text in settled if text)
        students.append(Student(row=row, overrides=overrides, **{kind: texts.get(kind, "") for kind in KINDS}))
    return tuple(students), unread_lines


def _clean_cell(cell: str) -> str:
    text = " ".join(unicodedata.normalize("NFC", cell).split())
    return escape_controls(text) if is_visible(text) else ""
