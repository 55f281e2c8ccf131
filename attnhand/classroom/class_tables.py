"""The tables of a class: written as a language's spreadsheets open them, and read as any spreadsheet gives them back.

Where decimals have a comma, spreadsheets part cells with semicolons. What is read may have any of the separators, be
saved in an encoding of Windows, as .xlsx or .ods, with whole lines in quotes, and its titles may be in any language.
"""

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache

from attnhand.errors import Message, TableError
from attnhand.marking.naming import name_stages
from attnhand.sheet.addresses import format_printed_name
from attnhand.sheet.number_column import (
    LOST_SIGN,
    NUMBER_SIGN,
    find_number_column,
    is_number_header,
    write_number_header,
)
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import is_flat_spreadsheet, is_zip
from attnhand.system.spreadsheets import read_spreadsheet
from attnhand.system.tables import SEPARATORS, decode_text, parse_rows, part_line
from attnhand.text import LANGUAGES, Language, get_language

NUMBER = NUMBER_SIGN
"""The id of the column of №s; those of others are English words."""

ANSI_ENCODINGS = ("cp1252", "cp1250", "cp1251")
"""What Windows calls ANSI in the countries of our languages."""


def write_column_title(column: str, language: Language) -> str:
    """Return what a column is called in a language, by its id.

    >>> [write_column_title(column, get_language("de")) for column in ("№", "group")]
    ['Nr.', 'Gruppe']
    """
    if column == NUMBER:
        return write_number_header(language.code)
    return language.format(f"column.{column.replace(' ', '_')}").replace("\N{NO-BREAK SPACE}", " ")


def fold_title(title: str) -> str:
    """Return a title as it is compared: forms of signs and blanks aside.

    >>> fold_title("F₂"), fold_title(" first  departure")
    ('F2', 'first departure')
    """
    return " ".join(unicodedata.normalize("NFKC", title).split())


@cache
def list_column_titles(columns: tuple[str, ...]) -> Mapping[str, str]:
    """Return the ids of columns by their folded titles in small letters: those of all languages, and the ids."""
    languages = [get_language(code) for code in LANGUAGES]
    titles = {fold_title(column): column for column in columns}
    written = ((write_column_title(column, each), column) for each in languages for column in columns)
    return {fold_title(title).casefold(): column for title, column in [*written, *titles.items()]}


def find_columns(header: Sequence[str], columns: tuple[str, ...]) -> dict[str, int]:
    """Return where columns stand; the first one of a title is meant.

    >>> find_columns(["Nr.", "Gruppe", "Note", "code"], ("№", "name", "group", "code"))
    {'№': 0, 'group': 1, 'code': 3}
    """
    known = list_column_titles(tuple(column for column in columns if column != NUMBER))
    places: dict[str, int] = {}
    if NUMBER in columns and (number_at := find_number_column(header)) is not None:
        places[NUMBER] = number_at
    for at, title in enumerate(header):
        column = known.get(fold_title(title).casefold())
        if column is not None and at not in places.values():
            places.setdefault(column, at)
    return places


def write_table(rows: Iterable[Sequence[object]], language: Language) -> str:
    """Return a table as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    >>> write_table([["Nr.", "Q"], ["001", "2,5"]], get_language("de"))
    'Nr.;Q\\r\\n001;2,5\\r\\n'
    """
    out = io.StringIO(newline="")
    csv.writer(out, delimiter="," if language.decimal_mark == "." else ";").writerows(rows)
    return out.getvalue()


def read_class_table(data: bytes, max_lines: int, is_known: Callable[[str], bool]) -> list[list[str]]:
    """Return the rows of a table, its header first: read so that most of its titles are known.

    >>> read_class_table('"Nr.;name"\\n"7;Ada"\\n'.encode(), 10, lambda title: title == "name")
    [['Nr.', 'name'], ['7', 'Ada']]

    Raises:
        TableError: it is none.
    """

    def rate(row: Sequence[str]) -> int:
        return sum(is_number_header(title) or is_known(title) for title in row)

    def rate_text(text: str, separator: str) -> tuple[int, int]:
        """Rate a way to read a file: by the known titles in its first line, then by the separators there."""
        head = text.partition("\n")[0]
        try:
            header = parse_rows(head, separator, max_lines)[:1]
        except TableError:
            return -1, -1
        known_titles = rate(_unwrap_lines(header, rate)[0]) if header else 0
        return known_titles, head.count(separator)

    if is_flat_spreadsheet(data):
        raise TableError(Message("table.flat-spreadsheet"))
    if is_zip(data):
        rows = max(read_spreadsheet(data), key=lambda rows: rate(rows[0]) if rows else -1)
    else:
        ways = [(text, separator) for text in _decode(data) for separator in SEPARATORS]
        text, separator = max(ways, key=lambda way: rate_text(*way))
        rows = parse_rows(text, separator, max_lines)
    return _unwrap_lines(rows, rate)


def _decode(data: bytes) -> list[str]:
    """Return what a file may say: in the first encoding without a doubt, else in any that Windows calls ANSI."""
    texts = []
    for encoding in ANSI_ENCODINGS:
        with suppress(TableError):
            texts.append(decode_text(data, encoding).removeprefix("\ufeff"))
    if not texts:
        raise TableError(Message("table.no-text"))
    return list(dict.fromkeys(texts))


def _unwrap_lines(rows: Sequence[Sequence[str]], rate: Callable[[Sequence[str]], int]) -> list[list[str]]:
    """Part lines that were saved whole, as one cell in quotes, as ones that opened in a single column are.

    Subtle: where the header needed no quotes, a line with quotes did: below №,name,Q stands "7,""Lovelace, Ada"",12".
    """
    header = rows[0] if rows else []
    choices = [(rate(part_line(header, mark)), mark) for mark in SEPARATORS]
    _, separator = max(choices, key=lambda choice: choice[0])
    is_table = len(part_line(header, separator)) > 1
    return [part_line(row, separator) if is_table else list(row) for row in rows]


def name_stage_columns(sheet: Sheet, language: Language) -> dict[str, str]:
    """Return what the columns of all stages are called in a language, by their ids: as people say them."""
    spoken = sheet.in_language(language.code)
    stages = (stage.name for stage in sheet.problem.mechanism.stages)
    return {name: name_stages(spoken, [name]).replace("\N{NO-BREAK SPACE}", " ") for name in stages}


def list_stage_titles(sheet: Sheet) -> dict[str, str]:
    """Return the ids of stages by the titles that any language gives them, the sheet's own first."""
    titles: dict[str, str] = {}
    names = [stage.name for stage in sheet.problem.mechanism.stages]
    for code in dict.fromkeys([sheet.language.code, *LANGUAGES]):
        spoken, columns = sheet.in_language(code), name_stage_columns(sheet, get_language(code))
        for name in names:
            for title in (name, columns[name], format_printed_name(spoken, name)):
                titles.setdefault(title, name)
    return titles


def find_stages_of_titles(header: Sequence[str], stage_titles: Mapping[str, str]) -> list[str]:
    """Return which stage every title means, empty where it means none; Σ saved as ANSI is "?".

    Of stages whose titles have become one, F₁ and F₂ being "F?", each is meant where all are there, in their order.

    >>> find_stages_of_titles(["Nr.", "Q", "?", "x"], {"Q": "Q", "Σ": "sums", "sums": "sums"})
    ['', 'Q', 'sums', '']
    """
    folded: dict[str, str] = {}
    for title, stage in stage_titles.items():
        folded.setdefault(fold_title(title), stage)
    found = [folded.get(fold_title(title), "") for title in header]
    stages_by_lost_title: dict[str, list[str]] = {}
    for title, stage in stage_titles.items():
        for encoding in ANSI_ENCODINGS if stage not in found else ():
            lost_title = title.encode(encoding, "replace").decode(encoding)
            stages = stages_by_lost_title.setdefault(lost_title, [])
            if lost_title != title and stage not in stages:
                stages.append(stage)
    for lost_title, stages in stages_by_lost_title.items():
        places = [at for at, title in enumerate(header) if fold_title(title) == lost_title and not found[at]]
        if lost_title == LOST_SIGN and places[:1] == [0]:  # the sign of the №s
            places = places[1:]
        if len(places) == len(stages):
            for at, stage in zip(places, stages, strict=True):
                found[at] = stage
    return found
