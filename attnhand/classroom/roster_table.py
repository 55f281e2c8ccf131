"""A roster as a table: where its header is, and which column holds what."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from attnhand.classroom.matching import read_student_number
from attnhand.classroom.overrides import OVERRIDE_COLUMNS
from attnhand.classroom.roster_columns import BARE_NAMES, INDEX_TITLES, SURNAME_FIRST, TITLES, normalize_title
from attnhand.errors import AttnhandError, RosterError, TableError, escape_controls, is_visible, name_option
from attnhand.sheet.number_column import find_number_column
from attnhand.system.files import is_flat_spreadsheet, is_zip
from attnhand.system.spreadsheets import read_spreadsheet
from attnhand.system.tables import SEPARATORS, decode_text, parse_rows, part_line, read_table
from attnhand.text import Message

MAX_STUDENTS = 100_000

MAX_NUMBER = 999_999
"""The largest № that a roster may give: as many digits as are read on a paper."""

MAX_HEADER_LINE = 20
"""The header is among so many lines; before it stand titles."""

LARGE_NUMBER, LARGE_SHARE = 9_999, 10
"""Numbers above this one, and above so many times the students, are ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterTable:
    """A table of students, its columns understood."""

    header: Sequence[str | Message]
    """Titles of columns; their places where there is no header."""

    header_line: int
    """From 1; 0 where there is none."""

    rows: Sequence[Sequence[str]]
    """Those below."""

    places: Mapping[str, tuple[int, ...]]
    """In which columns each thing stands, in the order in which it is said."""

    is_index: bool = False
    """Whether it is the index of a class."""

    @property
    def lines(self) -> Iterator[tuple[int, Sequence[str]]]:
        """The rows, each with its line."""
        return enumerate(self.rows, self.header_line + 1)

    def get_texts(self, row: Sequence[str]) -> dict[str, str]:
        """Return what a row says, by what it is."""
        return {
            kind: " ".join(row[at] for at in indices if at < len(row) and row[at])
            for kind, indices in self.places.items()
        }

    def name_column(self, kind: str) -> str:
        """Return the title of a column, or of two."""
        return " + ".join(str(self.header[at]) for at in self.places[kind])

    @property
    def unused_titles(self) -> list[str]:
        """Titles of columns that are not read."""
        used = {at for indices in self.places.values() for at in indices}
        return [str(title) for at, title in enumerate(self.header) if title and at not in used and self.header_line]


def read_roster_table(data: bytes, columns: Sequence[str] = ()) -> RosterTable:
    """Read a spreadsheet or CSV, and find out what its columns hold.

    Args:
        columns: which column holds what, where the header does not say so: ``name=Surname``, or its place.

    Raises:
        RosterError: it is no such table; the message completes "roster.csv …".
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
    if _rate_header(table[at], chosen)[0] == 0:
        if any(text.isdecimal() for text in chosen.values()):
            return _read_headless_table(table, chosen)
        _refuse_missing_header(table[at : at + 2])
    places = _find_columns(table[at], chosen, table[at + 1 :])
    return RosterTable(
        header=table[at],
        header_line=at + 1,
        rows=table[at + 1 :],
        places=_join_name_columns(places, table[at], table[at + 1 :]),
        is_index=_is_index(table[at], places),
    )


def _read_choices(columns: Sequence[str]) -> dict[str, str]:
    """Return which title or place somebody chose for what; empty where no column holds it."""
    chosen = {}
    for column in columns:
        kind, sign, title = (part.strip() for part in column.partition("="))
        if kind not in TITLES or not sign:
            raise AttnhandError(
                f"{name_option('column', column)} is none: write {'=, '.join(TITLES)}= and the title of a column"
            )
        chosen[kind] = title
    return chosen


def _read_tables(data: bytes) -> list[list[list[str]]]:
    """Return the tables of a spreadsheet, or what a CSV is with either of the separators, the likeliest first."""
    fault = None
    if is_flat_spreadsheet(data):
        raise TableError(Message("table.flat-spreadsheet"))
    if is_zip(data):
        tables = read_spreadsheet(data)
    else:
        try:
            tables = [read_table(data, MAX_STUDENTS + MAX_HEADER_LINE)]
        except TableError as error:
            tables, fault = [], error
        if not _has_header(tables):  # titles have other separators, or none
            tables += _read_otherwise(data)
    tables = [list(map(_part_quoted_line, table)) if _has_cells(table) else table for table in tables]
    tables += [parted for table in tables if not _has_cells(table) for parted in _part_lines(table)]
    if fault and not _has_header(tables):
        raise fault
    return tables


def _has_header(tables: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Say whether any of the tables begins with titles that are known."""
    return any(_rate_header(row, {})[0] for table in tables for row in table[:1])


def _read_otherwise(data: bytes) -> list[list[list[str]]]:
    """Return what a CSV is with either of the separators."""
    tables = []
    for separator in SEPARATORS:
        with suppress(TableError):
            tables.append(parse_rows(decode_text(data), separator, MAX_STUDENTS + MAX_HEADER_LINE))
    return tables


def _has_cells(table: Sequence[Sequence[str]]) -> bool:
    """Say whether any line has more than one cell."""
    return any(sum(map(bool, row)) > 1 for row in table)


def _part_lines(table: Sequence[Sequence[str]]) -> Iterator[list[list[str]]]:
    """Yield what a table is where every line stands whole in one cell: so a spreadsheet saves what it did not part."""
    for separator in SEPARATORS:
        yield [part_line(row, separator) for row in table]


_QUOTED_CELL = re.compile('(?:^|([,;\t]))"[^"]')


def _part_quoted_line(row: Sequence[str]) -> list[str]:
    """Part a line that was saved whole since a name in it is in quotes, where others needed none.

    >>> _part_quoted_line(['7,"Lovelace, Ada",A', "", ""]), _part_quoted_line(['Lovelace, "Ada"', ""])
    (['7', 'Lovelace, Ada', 'A'], ['Lovelace, "Ada"', ''])
    """
    quoted = _QUOTED_CELL.search(row[0]) if row else None
    if quoted is None:
        return list(row)
    return part_line(row, quoted[1] or max(SEPARATORS, key=row[0].count))


def _rate_header(row: Sequence[str], chosen: Mapping[str, str]) -> tuple[int, int]:
    """Return how many columns of a line say what they hold, if one says who; else how many there are."""
    titles = set(map(normalize_title, row))
    kinds = {
        kind
        for kind, known in TITLES.items()
        if titles & known.keys() - {""} or any(_is_chosen(title, chosen.get(kind, "")) for title in row)
    }
    return (len(kinds), 0) if kinds - {"group", "number"} else (0, sum(map(bool, row)))


def _is_chosen(title: str, choice: str) -> bool:
    """Say whether somebody means a title."""
    folded = normalize_title(choice)
    return bool(choice) and (title == choice or (folded != "" and normalize_title(title) == folded))


def _refuse_missing_header(rows: Sequence[Sequence[str]]) -> None:
    """Refuse a table that begins with a student: whoever chose a title of it would lose them."""
    cells, *below = [[cell for cell in row if cell] for row in rows]
    facts = [any("@" in cell or cell.replace(" ", "").isdecimal() for cell in each) for each in (cells, *below)]
    if facts[0] or (len(cells) == 1 and not any(facts)):  # a name, and maybe another below it
        raise RosterError(
            f"has no header, its first line is {', '.join(cells)}: say which column holds the names, "
            f"{name_option('column', 'name=1')}, or write above it what the columns are, name,id,email,group"
        )


def _read_headless_table(table: Sequence[Sequence[str]], chosen: Mapping[str, str]) -> RosterTable:
    """Return a table whose columns somebody named by their places, every line a student."""
    header = [Message("roster.place", column=at) for at in range(1, max(map(len, table)) + 1)]
    places = {}
    for kind in TITLES:
        if choice := chosen.get(kind, ""):
            if not (choice.isdecimal() and 1 <= int(choice) <= len(header)):
                raise RosterError(
                    f"has no header, and no column that {name_option('column')} {kind}= names: say its place, "
                    f"1 to {len(header)}"
                )
            places[kind] = (int(choice) - 1,)
    texts = [str(title) for title in header]
    return RosterTable(header=header, header_line=0, rows=table, places=_join_name_columns(places, texts, table))


def _find_columns(
    header: Sequence[str], chosen: Mapping[str, str], rows: Sequence[Sequence[str]]
) -> dict[str, tuple[int, ...]]:
    """Return in which column each thing stands."""
    titles = [normalize_title(title) for title in header]
    taken = {at for at, title in enumerate(header) if any(_is_chosen(title, choice) for choice in chosen.values())}
    places: dict[str, tuple[int, ...]] = {}
    for kind, known in TITLES.items():
        if choice := chosen.get(kind):
            places[kind] = tuple(at for at, title in enumerate(header) if _is_chosen(title, choice))
            if not places[kind] and choice.isdecimal() and 1 <= int(choice) <= len(header):
                places[kind] = (int(choice) - 1,)
            if not places[kind]:
                raise RosterError(f"has no column that {name_option('column')} {kind}= names: {_list_titles(header)}")
        elif kind in chosen:
            places[kind] = ()
        elif kind == "number":
            places[kind] = _find_numbers(header, rows, taken)
            taken |= {*places[kind]}
        else:
            found = [at for at, title in enumerate(titles) if title in known and at not in taken]
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
    if _is_index(header, places):
        at = next(at for at, title in enumerate(titles) if title in INDEX_TITLES["options"])
        places["options"] = (at,)
    _refuse_unnamed(header, places)
    return places


def _find_numbers(header: Sequence[str], rows: Sequence[Sequence[str]], taken: set[int]) -> tuple[int, ...]:
    """Return the column of №s; none where what is called so holds ids, or mostly no whole numbers at all."""
    candidates = [at for at, title in enumerate(header) if normalize_title(title) in TITLES["number"]]
    candidates += [at for at, title in enumerate(header) if title.strip() == "#"]
    if (first := find_number_column(header)) is not None and first not in candidates:
        candidates.append(first)
    count = sum(map(any, rows))
    for at in candidates:
        texts = [row[at] for row in rows if at < len(row) and row[at]]
        numbers = [number for number in map(read_student_number, texts) if number]
        fitting = [number for number in numbers if number <= max(LARGE_NUMBER, count * LARGE_SHARE)]
        if at not in taken and texts and 2 * len(fitting) >= len(texts):
            return (at,)
    return ()


def _is_index(header: Sequence[str], places: Mapping[str, Sequence[int]]) -> bool:
    titles = set(map(normalize_title, header))
    return bool(places.get("number")) and all(titles & known for known in INDEX_TITLES.values())


def _refuse_unnamed(header: Sequence[str], places: Mapping[str, Sequence[int]]) -> None:
    """Refuse a table whose columns hold no names, unless ids or addresses are all that there is.

    Raises:
        RosterError: it does not; the message completes "roster.csv …".
    """
    if places.keys() & {"name", "first", "last"}:
        return
    used = {at for indices in places.values() for at in indices}
    if not places.keys() & {"id", "email"} or any(title for at, title in enumerate(header) if at not in used):
        example = next((title for at, title in enumerate(header) if title and at not in used), "Surname")
        advice = f"say which it is, {name_option('column', f'name={example}')}, or write name above it"
        raise RosterError(f"has no column of names: {_list_titles(header)}; {advice}")


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


def _clean_cell(cell: str) -> str:
    text = " ".join(unicodedata.normalize("NFC", cell).split())
    return escape_controls(text) if is_visible(text) else ""
