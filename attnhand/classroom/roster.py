"""Who is in the class: a roster as a spreadsheet saves it, or a number of people without names."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from attnhand.errors import AttnhandError, RosterError, TableError, escape_controls, is_visible, name_option
from attnhand.sheet.seat import Identity, Student
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.tables import read_table

MAX_STUDENTS = 100_000

COLUMN_TITLES: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "student", "full name"),
    "id": ("id", "student id", "number", "matriculation"),
    "email": ("email", "e-mail", "mail", "email address", "e-mail address"),
    "group": ("group", "section"),
}
"""What a column may be called, letter case aside."""

OVERRIDE_COLUMNS = ("large_print", "tagged", "format")
"""Columns that change one student's page, never the numbers."""


def make_unnamed_students(count: int) -> tuple[Student, ...]:
    """Return so many students without names.

    Raises:
        AttnhandError: it is none, or too many.
    """
    if not 1 <= count <= MAX_STUDENTS:
        raise AttnhandError(f"{name_option('count', count)} is out of range: use 1 to {MAX_STUDENTS:,}")
    return tuple(Student(row=row) for row in range(1, count + 1))


def read_roster(data: bytes) -> tuple[Student, ...]:
    """Read a roster: CSV with a header that names at least the column ``name``; other columns are passed over.

    >>> [student.identity for student in read_roster(b"Name;ID\\nAda;7\\nBob;8\\n")]
    [('id', '7'), ('id', '8')]

    Raises:
        RosterError: it is no such table, or two rows are the same person; the message completes "roster.csv …".
    """
    try:
        rows = read_table(data, MAX_STUDENTS + 1)
    except TableError as error:
        raise RosterError(f"{error}") from None
    if not rows or not any(cell.strip() for cell in rows[0]):
        raise RosterError("is empty: write a header line, name,id,email,group, and a line for every student")
    places = _find_columns([_clean_cell(cell) for cell in rows[0]])
    students = tuple(_read_students(rows[1:], places, len(rows[0])))
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
    return students


def _find_columns(header: Sequence[str]) -> dict[str, int]:
    """Return in which column each thing stands."""
    known = {title: name for name, titles in COLUMN_TITLES.items() for title in titles}
    known |= {name.replace("_", separator): name for name in OVERRIDE_COLUMNS for separator in "_- "}
    places: dict[str, int] = {}
    for at, title in enumerate(header):
        name = known.get(title.casefold())
        if name in places:
            raise RosterError(f"has two columns for the {name}: leave out one of them")
        if name is not None:
            places[name] = at
    if not places.keys() & {"name", "id", "email"}:
        meant = [title for title in header if find_nearest_name(title, COLUMN_TITLES["name"])]
        advice = f"call {meant[0]!r} so" if meant else "write one as the first line"
        if len(meant) > 1:  # first name, last name
            advice = f"put {meant[0]!r} and {meant[1]!r} into one that is called so"
        raise RosterError(f"has no column called name in its header: {advice}")
    return places


def _read_students(
    rows: Sequence[Sequence[str]], column_indices: Mapping[str, int], column_count: int
) -> Iterator[Student]:
    row = 0
    for cells in rows:
        texts = {name: _clean_cell(cells[at]) if at < len(cells) else "" for name, at in column_indices.items()}
        if not any(texts.values()):
            continue
        row += 1
        if any(cell.strip() for cell in cells[column_count:]):  # Lovelace, Ada without quotes would lose Ada
            raise RosterError(
                f"has more cells than its header in the line of student {row}, {cells[0].strip()!r}: "
                'write a name with a comma in quotes, "Lovelace, Ada"'
            )
        if not any(texts.get(name) for name in ("name", "id", "email")):
            raise RosterError(f"names nobody in student {row}: give a name, an id or an e-mail address")
        overrides = tuple((name, texts[name]) for name in OVERRIDE_COLUMNS if texts.get(name))
        yield Student(row=row, overrides=overrides, **{name: texts.get(name, "") for name in COLUMN_TITLES})


def _clean_cell(cell: str) -> str:
    text = " ".join(unicodedata.normalize("NFC", cell).split())
    return escape_controls(text) if is_visible(text) else ""
