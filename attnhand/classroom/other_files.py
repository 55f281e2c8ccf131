"""Files in a folder of answers that hold none: our own about the class."""

import codecs
from collections.abc import Sequence

from attnhand.classroom.class_tables import NUMBER, find_columns, fold_title, read_class_table
from attnhand.errors import TableError
from attnhand.sheet.number_column import NUMBER_SIGN
from attnhand.system.files import is_flat_spreadsheet, is_zip

SUMMARY_META_TAG = b'<meta name="generator" content="attnhand grade">'
"""In the summary page."""

_PROGRAM_META_TAG = b'<meta name="generator" content="attnhand">'
_REPORT_FIRST_PAGE_TAG = b'<section class="page" id="page-0">'
"""A report's page of feedback stands before page 1."""

_GRADES_STARTS = (["ID number"], ["Email address"], ["Student", "ID"])

MAX_HEAD_BYTES = 2_000


def is_about_a_class(data: bytes) -> bool:
    """Say whether a file is what we write about a class: known by its content, whatever its name.

    Index, marks and gradebook are tables whose first columns are №s and names, grades begin as Moodle and Canvas have
    them, also saved anew by a spreadsheet; the summary and feedback are web pages that say so in their head; class.toml
    has a table of that name.

    >>> [is_about_a_class(text.encode("cp1252")) for text in ("No.,name,S", "Nr.;Name;S", "attnhand,A1Q0-0000-000W")]
    [True, True, False]
    """
    if is_zip(data) or is_flat_spreadsheet(data):
        return _is_header_of_ours(_read_header(data))
    head = data[:MAX_HEAD_BYTES]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode()
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # within a letter
            head = head[: error.start]
    lines = [line.strip() for line in head.splitlines()]
    if b"[class]" in lines or _is_header_of_ours(_read_header(lines[0] if lines else b"")):
        return True
    return SUMMARY_META_TAG in head or (_PROGRAM_META_TAG in head and _REPORT_FIRST_PAGE_TAG in data)


def _read_header(data: bytes) -> list[str]:
    try:
        rows = read_class_table(data, max_lines=1, is_known=lambda title: bool(find_columns([title], ("name", "code"))))
    except TableError:
        return []
    return rows[0] if rows else []


def _is_header_of_ours(header: Sequence[str]) -> bool:
    columns = find_columns(header, (NUMBER, "name", "code"))
    is_numbered = columns.get(NUMBER) == 0 and (len(columns) > 1 or fold_title(header[0]) == fold_title(NUMBER_SIGN))
    return is_numbered or any(list(header[: len(start)]) == start for start in _GRADES_STARTS)
