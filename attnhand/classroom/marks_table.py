"""``marks.csv``: a line for everyone and an empty column a stage, for whoever marks by eye."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from types import MappingProxyType

from attnhand.classroom.class_tables import (
    NUMBER,
    find_columns,
    find_stages_of_titles,
    fold_title,
    list_column_titles,
    read_class_table,
    write_column_title,
    write_table,
)
from attnhand.classroom.gradebook import StageMarks
from attnhand.classroom.matching import fold_name, read_student_number
from attnhand.classroom.register import MAX_TABLE_LINES
from attnhand.classroom.roster_columns import normalize_title
from attnhand.errors import RosterError, TableError
from attnhand.sheet.number_column import LOST_SIGN
from attnhand.sheet.seat import Seat
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import escape_formula, unescape_formula
from attnhand.text import FALLBACK_LANGUAGE, LANGUAGES, get_language


def format_marks_csv(
    seats: Sequence[Seat],
    stages: Sequence[str],
    earlier_rows: Sequence[Sequence[str]] = (),
    new_names: Mapping[tuple[int, str], str] = MappingProxyType({}),
    *,
    language_code: str = FALLBACK_LANGUAGE,
    stage_columns: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the table as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Args:
        stages: those with cells to fill.
        earlier_rows: lines of an earlier table, as ``read_marks_rows`` returns it; they stay, new students follow.
        new_names: those that were corrected, by № and the folded name before.
        language_code: that of the class.
        stage_columns: what stages are called in it, by their ids, where that is not the id.

    >>> from attnhand.sheet.seat import Student
    >>> seats = [Seat(number=n, student=Student(name=name)) for n, name in ((1, "Ada"), (2, "Bob"))]
    >>> format_marks_csv(seats, ["Q", "S"], earlier_rows=[["№", "name", "Q", "S"], ["1", "Ada", "12", ""]]).splitlines()
    ['No.,name,Q,S', '1,Ada,12,', '002,Bob,,']
    """
    language = get_language(language_code)
    lines = [list(line) for line in earlier_rows] or [[NUMBER, "name", *stages]]
    there = {read_student_number(line[0].strip()) for line in lines[1:] if line}
    names = {seat.number: seat.student.name for seat in seats}
    name_at = lines[0].index("name") if "name" in lines[0] else 0
    for line in lines[1:] if name_at else []:
        if len(line) > name_at:
            key = read_student_number(line[0].strip()) or 0, fold_name(unescape_formula(line[name_at].strip()))
            line[name_at] = escape_formula(new_names[key]) if key in new_names else line[name_at]
            name = names.get(key[0], "")
            if LOST_SIGN in line[name_at] and LOST_SIGN not in name and _is_name_as_saved(line[name_at].strip(), name):
                line[name_at] = escape_formula(name)  # ANSI had lost a letter
    blanks = [""] * len(lines[0])
    for seat in (seat for seat in seats if seat.number not in there):
        texts = {0: seat.printed_number} | ({name_at: escape_formula(seat.student.name)} if name_at else {})
        lines.append([texts.get(at, blank) for at, blank in enumerate(blanks)])
    marked = [at for at, column in enumerate(lines[0]) if column in stages]
    for line in lines[1:]:
        for at in marked:  # 2.5 is a date where 2,5 is a number
            if at < len(line) and _MARKS_PATTERN.fullmatch(line[at].strip()):
                line[at] = language.localize(line[at].replace(",", "."))
    titles = {column: write_column_title(column, language) for column in (NUMBER, "name")} | dict(stage_columns)
    lines[0] = [titles.get(column, column) for column in lines[0]]
    return write_table(lines, language)


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


def read_marks_rows(data: bytes, stage_titles: Mapping[str, str] = MappingProxyType({})) -> list[list[str]]:
    """Read an earlier table as it is, its header first, in which our columns are called by their ids.

    Args:
        stage_titles: the ids of stages by the titles that they may have.

    Raises:
        RosterError: it is no such table; the message completes "marks.csv …".
    """
    rows = _read_rows(data, stage_titles)
    columns = find_columns(rows[0], (NUMBER, "name")) if rows else {}
    if columns.get(NUMBER) != 0:
        raise RosterError("does not begin with No.,name: move it elsewhere, and a new one is made")
    header = [
        stage or title for stage, title in zip(find_stages_of_titles(rows[0], stage_titles), rows[0], strict=True)
    ]
    for column, at in columns.items():
        header[at] = column
    return [header, *rows[1:]]


def _read_rows(data: bytes, stage_titles: Mapping[str, str]) -> list[list[str]]:
    folded = {*map(fold_title, stage_titles)}
    ours = list_column_titles(("name", "code"))
    try:
        return read_class_table(
            data,
            MAX_TABLE_LINES,
            lambda title: (folded_title := fold_title(title)) in folded or folded_title.casefold() in ours,
        )
    except TableError as error:
        raise RosterError(f"{error}") from None


IGNORED_COLUMNS = ("name", "id", "code", "email", "group", "score", "remark")
"""Columns that are passed over, called as they are in any language; each has more of them in column.others."""

_MARKS_PATTERN = re.compile(r"\d{1,4}(?:[.,]\d{1,2})?", re.ASCII)


def read_filled_marks(
    data: bytes,
    index: Sequence[Seat],
    cell_counts: Mapping[str, int],
    stage_titles: Mapping[str, str] = MappingProxyType({}),
) -> dict[int, StageMarks]:
    """Read what was marked on paper, by №; whoever has no number in any column was not marked.

    Args:
        cell_counts: of every stage, by its name: how many cells the sheets ask.
        stage_titles: the ids of stages by the titles that they may have besides; those of the class first.

    Raises:
        RosterError: it is no such table, or holds an impossible number; the message completes "marks.csv …".
    """
    titles = {**stage_titles, **{stage: stage for stage in cell_counts}}
    rows = [[unescape_formula(cell.strip()) for cell in row] for row in _read_rows(data, titles)]
    columns = find_columns(rows[0], (NUMBER, "name")) if rows else {}
    if NUMBER not in columns:
        names = ",".join(_call_stage(stage, stage_titles) for stage in cell_counts)
        raise RosterError(f"has no column No.: its first line is No.,name,{names}, as in teacher/marks.csv")
    stages = _find_stage_columns(rows[0], cell_counts, titles, columns.values())
    number_at, name_at = columns[NUMBER], columns.get("name")
    known = {seat.number: seat for seat in index}
    marks_by_number: dict[int, StageMarks] = {}
    seen: set[int] = set()
    for line, row in enumerate(rows[1:], 2):
        if not any(row) or row[0].startswith(DIGEST_PREFIX):
            continue
        cells = [*row, *[""] * len(rows[0])]
        seat = find_seat(line, cells[number_at], "" if name_at is None else cells[name_at], known)
        if seat.number in seen:
            raise RosterError(f"has the № {seat.number:03d} again in line {line}: leave out one of the two lines")
        seen.add(seat.number)
        marks = {}
        for at, stage in stages.items():
            if cells[at]:
                where, of = f"line {line}, column {rows[0][at]} (№ {seat.number:03d})", cell_counts[stage]
                marks[stage] = _parse_marks(cells[at], where, of), of
        if marks:
            marks_by_number[seat.number] = marks
    return marks_by_number


def _call_stage(stage: str, stage_titles: Mapping[str, str]) -> str:
    """Return what the class calls a stage: the first title that is not its id."""
    return next((title for title, each in stage_titles.items() if each == stage != title), stage)


@cache
def _list_ignored_titles() -> frozenset[str]:
    others = ",".join(get_language(code).format("column.others") for code in LANGUAGES).split(",")
    return frozenset({*list_column_titles(IGNORED_COLUMNS), *(fold_title(title).casefold() for title in others)})


def _find_stage_columns(
    header: Sequence[str], cell_counts: Mapping[str, int], stage_titles: Mapping[str, str], taken: Iterable[int]
) -> dict[int, str]:
    """Return which stage stands in which column."""
    found: dict[int, str] = {}
    for at, (title, stage) in enumerate(zip(header, find_stages_of_titles(header, stage_titles), strict=True)):
        if at in taken:
            continue
        if stage in cell_counts:
            if stage in found.values():
                raise RosterError(f"has two columns {title}: leave out one of them")
            found[at] = stage
        elif title and fold_title(title).casefold() not in _list_ignored_titles():
            asked = {_call_stage(each, stage_titles): each for each in cell_counts}
            meant = find_nearest_name(title, asked)
            advice = f"call it {meant}" if meant else f"use {', '.join(asked)}"
            raise RosterError(f"has a column {title!r}, which these sheets do not ask: {advice}, or leave it out")
    return found


def find_seat(line: int, number: str, name: str, seats_by_number: Mapping[int, Seat]) -> Seat:
    """Return whose line it is; № and name must agree, since one column alone is easily sorted."""
    seat = seats_by_number.get(read_student_number(number) or 0)
    if seat is None:
        fault = f"has the № {number[:20]!r} in line {line}, which is not in the index"
        raise RosterError(f"{fault}: write one that is there")
    if name and seat.name and not _is_name_as_saved(name, seat.name):
        fault = f"has № {seat.number:03d} {name!r} in line {line}, but the index has {seat.name!r}"
        raise RosterError(f"{fault}: put number and name together again")
    return seat


def _is_name_as_saved(text: str, name: str) -> bool:
    """Say whether a text is a name, also without what ANSI lacks: "?" for a letter, or the letter without its accent.

    >>> [_is_name_as_saved(text, "Łukasz") for text in ("ŁUKASZ", "?ukasz", "Lukasz", "Tomasz")]
    [True, True, True, False]
    """
    if fold_name(text) == fold_name(name) or normalize_title(text) == normalize_title(name) != "":
        return True
    pairs = [*zip(fold_name(text), fold_name(name), strict=False)]
    return len(fold_name(text)) == len(pairs) == len(fold_name(name)) and all(a in (LOST_SIGN, b) for a, b in pairs)


def _parse_marks(text: str, where: str, max_marks: int) -> Decimal:
    is_number = _MARKS_PATTERN.fullmatch(text)
    if is_number and (marks := Decimal(text.replace(",", "."))) <= max_marks:
        return marks
    fault = f"but that stage has {max_marks} cells" if is_number else "which is no number of marks"
    raise RosterError(f"has {text[:20]!r} in {where}, {fault}: write 0 to {max_marks}, or leave it empty")
