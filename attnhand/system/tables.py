"""Tables as spreadsheets save them: encodings, separators, and texts that look like formulas."""

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Sequence
from datetime import date, timedelta

from attnhand.errors import Message, TableError

SEPARATORS = ",;\t"

MAX_CELLS_IN_LINE = 2_000
"""The widest gradebooks of learning platforms have some hundred columns."""

MISREAD_BOM = "\u00ef\u00bb\u00bf"
"""What a spreadsheet that took UTF-8 for another encoding saves in place of the byte order mark."""


def decode_text(data: bytes, ansi: str = "cp1252") -> str:
    """Return the text of a file: UTF-8, UTF-16, or what spreadsheets on Windows write without them.

    Args:
        ansi: the encoding that they write then, another one in other countries.

    >>> decode_text("½;1".encode("cp1252")), decode_text("½;1".encode("utf-8-sig"))
    ('½;1', '½;1')
    >>> decode_text("ï»¿attnhand;A1".encode("utf-8-sig"))
    'attnhand;A1'

    Raises:
        TableError: it is no text.
    """
    encodings = ("utf-16",) if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else ("utf-8-sig", ansi)
    for encoding in encodings:
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if "\0" not in text:
                return text.removeprefix(MISREAD_BOM)
            if text.count("\0") * MIN_CHARACTERS_A_NUL <= len(text) and not _BINARY.search(text):
                raise TableError(Message("table.nul", line=text.count("\n", 0, text.index("\0")) + 1))
    raise TableError(Message("table.no-text"))


MIN_CHARACTERS_A_NUL = 8
"""A text in which every eighth character is NUL is none."""

_BINARY = re.compile("[\x01-\x08\x0e-\x1f]")


def read_table(data: bytes, max_lines: int) -> list[list[str]]:
    """Return the rows of a table as a spreadsheet saves it; its first line shows what stands between cells.

    >>> read_table("name;id\\nAda;7".encode("utf-16"), 10)
    [['name', 'id'], ['Ada', '7']]

    Raises:
        TableError: it is no text, has more lines, or a quote that does not end.
    """
    text = decode_text(data).removeprefix("\ufeff")
    return parse_rows(text, max(SEPARATORS, key=text.partition("\n")[0].count), max_lines)


def parse_rows(text: str, separator: str, max_lines: int) -> list[list[str]]:
    """Return a table's rows of cells, which a comma, a semicolon or a tab separates.

    Raises:
        TableError: it has more lines, a line of far too many cells, or a quote that does not end.
    """
    lines = text.count("\n") + text.count("\r") - text.count("\r\n") + (not text.endswith(("\n", "\r")))
    if lines > max_lines:
        raise TableError(Message("table.too-long", lines=lines, most=max_lines))
    cells = 1 + max((line.count(separator) for line in text.splitlines()), default=0)
    if cells > MAX_CELLS_IN_LINE:
        raise TableError(Message("table.too-wide", cells=cells, most=MAX_CELLS_IN_LINE))
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise TableError(Message("table.no-csv", fault=str(error))) from None


def part_line(row: Sequence[str], separator: str) -> list[str]:
    """Return a row's cells where a whole line stands in the first of them, as a spreadsheet saves what it did not part.

    >>> part_line(['"Lovelace, Ada",7', ""], ","), part_line(["Ada, Bo", "7"], ",")
    (['Lovelace, Ada', '7'], ['Ada, Bo', '7'])
    """
    if not row or separator not in row[0] or any(row[1:]):
        return list(row)
    try:
        return next(csv.reader([row[0]], delimiter=separator, strict=True), [])
    except csv.Error:
        return list(row)


_FORMULA_START = re.compile("[ \u00a0\u200b\u200c\u200d\u2060\u3000\ufeff]*[=+\\-@\t\r\n＝＋－＠]")


def escape_formula(text: str) -> str:
    """Keep a text from being read as a formula: an apostrophe before it tells a spreadsheet that it is text.

    >>> escape_formula("=1+1"), escape_formula("cat")
    ("'=1+1", 'cat')
    """
    return f"'{text}" if _FORMULA_START.match(text) else text


def unescape_formula(text: str) -> str:
    """Return a text without that apostrophe.

    >>> unescape_formula(escape_formula("=1+1")), unescape_formula("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA_START.match(text[1:]) else text


def convert_serial(serial: int) -> date | None:
    """Return the day that a spreadsheet counts as that number; None where it is none of this and the last century.

    >>> convert_serial(46031)
    datetime.date(2026, 1, 9)
    """
    return date(1899, 12, 30) + timedelta(days=serial) if 61 <= serial <= 73_050 else None
