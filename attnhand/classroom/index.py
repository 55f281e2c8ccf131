"""The index of a class set: who has which number and which sheet; written beside the keys, read again by grade."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, pairwise

from attnhand.classroom.class_tables import find_columns, read_class_table, write_column_title, write_table
from attnhand.classroom.matching import read_student_number
from attnhand.classroom.overrides import join_options_cell, split_options_cell
from attnhand.classroom.register import MAX_TABLE_LINES
from attnhand.errors import CodeError, RosterError, TableError
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.problems.story_template import StoryTemplate
from attnhand.sheet.seat import Seat, Student
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import escape_formula, unescape_formula
from attnhand.text import FALLBACK_LANGUAGE, get_language

INDEX_COLUMNS = ("№", "name", "id", "code", "email", "group", "options")
"""Their ids; what they are called in a language is another thing."""


def find_earlier_seeds(
    seats: Sequence[Seat], words: Sequence[str] = (), story: StoryTemplate | None = None
) -> tuple[Seat, ...]:
    """Return seats with the seeds of their sheets, where they have one.

    Args:
        words: those on the sheets; where they are looked up in a table, no code is read without them.
        story: that of the sheets, where it does not come with the program.

    Raises:
        RosterError: a code in it is none.
    """
    found = []
    for seat in seats:
        try:
            seed = decode_sheet_code(seat.code, words, story).request.seed if seat.code else seat.seed
            found.append(replace(seat, seed=seed))
        except CodeError as error:
            raise RosterError(f"has another code for № {seat.number} than was printed: {error}") from None
    return tuple(found)


def format_index_csv(
    seats: Sequence[Seat], own_columns: Sequence[Sequence[str]] = (), language_code: str = FALLBACK_LANGUAGE
) -> str:
    """Return the index as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Args:
        own_columns: what somebody added to an earlier index, as ``read_own_columns`` returns it.
        language_code: that of the class.

    >>> format_index_csv([Seat(number=7, student=Student(name="Ada"), code="A1Q0-0000-000W")]).splitlines()
    ['No.,name,id,code,email,group,options', '007,Ada,,A1Q0-0000-000W,,,']
    """
    language = get_language(language_code)
    titles, *lines = own_columns or [["№"]]
    own_by_number = {read_student_number(line[0]): line[1:] for line in lines}
    rows = [[*(write_column_title(column, language) for column in INDEX_COLUMNS), *titles[1:]]]
    for seat in sorted(seats, key=lambda seat: seat.number):
        student = seat.student
        options = join_options_cell(student.overrides, is_spare=seat.is_spare, is_withdrawn=seat.is_withdrawn)
        names, rest = (student.name, student.id), (student.email, student.group, options)
        own = own_by_number.get(seat.number, [""] * len(titles[1:]))
        line = [seat.printed_number, *map(escape_formula, names), seat.code, *map(escape_formula, rest)]
        rows.append([*line, *own])
    return write_table(rows, language)


def read_index(data: bytes) -> tuple[Seat, ...]:
    """Read who has a sheet from an index, as it was written or as a spreadsheet saved it: in the order of numbers.

    Raises:
        RosterError: it is no index, or says a number twice; the message completes "index.csv …".
    """
    return tuple(seat for seat in read_whole_index(data) if seat.code)


def read_whole_index(data: bytes) -> tuple[Seat, ...]:
    """Read an index, whoever has a № and no sheet with the others: one that left a class that this one goes on from.

    Raises:
        RosterError: it is no index, or says a number twice; the message completes "index.csv …".
    """
    rows = [[cell.strip() for cell in row] for row in _read_rows(data)]
    column_indices = find_columns(rows[0], INDEX_COLUMNS) if rows else {}
    if not {"№", "code"} <= column_indices.keys():
        start = ",".join(write_column_title(column, get_language(FALLBACK_LANGUAGE)) for column in INDEX_COLUMNS[:4])
        raise RosterError(f"is no index of a class: its first line is {start}; give teacher/index.csv")
    lines = ((line, row) for line, row in enumerate(rows[1:], 2) if any(row) and not row[0].startswith(DIGEST_PREFIX))
    seats = sorted((_read_seat(line, row, column_indices) for line, row in lines), key=lambda seat: seat.number)
    if twice := next((seat.number for seat, following in pairwise(seats) if seat.number == following.number), None):
        raise RosterError(f"has the № {twice} twice: leave out one of the two lines")
    places = {True: count(1), False: count(1)}  # of spares, and of people
    return tuple(replace(seat, student=replace(seat.student, row=next(places[seat.is_spare]))) for seat in seats)


def read_own_columns(data: bytes) -> list[list[str]]:
    """Return the columns of an index that are none of ours, as they are, each line after its №.

    Raises:
        RosterError: it is no table; the message completes "index.csv …".
    """
    header, *rows = _read_rows(data) or [[]]
    ours = find_columns(header, INDEX_COLUMNS)
    number_at = [ours["№"]] if "№" in ours else []
    own = [at for at, title in enumerate(header) if title.strip() and at not in ours.values()]
    return [[row[at] if at < len(row) else "" for at in (*number_at, *own)] for row in (header, *rows)] if own else []


def _read_rows(data: bytes) -> list[list[str]]:
    try:
        return read_class_table(data, MAX_TABLE_LINES, lambda title: bool(find_columns([title], INDEX_COLUMNS)))
    except TableError as error:
        raise RosterError(f"{error}") from None


def _read_seat(line: int, row: Sequence[str], column_indices: Mapping[str, int]) -> Seat:
    texts = {name: unescape_formula(row[at]) if at < len(row) else "" for name, at in column_indices.items()}
    number = read_student_number(texts["№"])
    overrides, is_spare, is_withdrawn = split_options_cell(texts.get("options", ""))
    if number is None or not (texts["code"] or is_withdrawn):
        raise RosterError(f"has no № and code in line {line}: give the index as the class was made with it")
    facts = {name: texts.get(name, "") for name in ("name", "id", "email", "group")}
    student = Student(row=0, overrides=overrides, **facts)
    return Seat(number=number, student=student, is_spare=is_spare, is_withdrawn=is_withdrawn, code=texts["code"])
