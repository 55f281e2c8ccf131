"""Files in a folder of answers that hold none: our own about the class."""

import codecs
import re

from attnhand.classroom.roster_columns import TITLES, normalize_title
from attnhand.sheet.number_column import NUMBER_SIGN, find_number_column
from attnhand.system.tables import SEPARATORS

SUMMARY_META_TAG = b'<meta name="generator" content="attnhand grade">'
"""In the summary page."""

_PROGRAM_META_TAG = b'<meta name="generator" content="attnhand">'
_REPORT_FIRST_PAGE_TAG = b'<section class="page" id="page-0">'
"""A report's page of feedback stands before page 1."""

_GRADES_STARTS = ("ID number,", "Email address,", "Student,ID,")

MAX_HEAD_BYTES = 2_000


def is_about_a_class(data: bytes) -> bool:
    """Say whether a file is what we write about a class: known by its content, whatever its name.

    Index, marks and gradebook are tables whose first column holds №s, grades begin as Moodle and Canvas have them; the
    summary and feedback are web pages that say so in their head; class.toml has a table of that name.

    >>> is_about_a_class("№,name,S".encode("utf-8-sig")), is_about_a_class(b"attnhand,A1Q0-0000-000W")
    (True, False)
    >>> is_about_a_class(b'"Nr.";"Name";"S"'), is_about_a_class("N.º;nome".encode("cp1252")), is_about_a_class(b"No.,a")
    (True, True, False)
    """
    head = data[:MAX_HEAD_BYTES]
    text = _decode_head(head)
    is_class_file = any(line.strip() == "[class]" for line in text.splitlines())
    if is_class_file or text.lstrip('"').startswith(_GRADES_STARTS) or _begins_with_numbers(text):
        return True
    return SUMMARY_META_TAG in head or (_PROGRAM_META_TAG in head and _REPORT_FIRST_PAGE_TAG in data)


def _decode_head(head: bytes) -> str:
    """Return what stands there; a table that was saved again may be in an encoding of Windows."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore")
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        is_cut = error.start > MAX_HEAD_BYTES - len("№".encode())
        return head.decode("utf-8-sig" if is_cut else "cp1252", "ignore")


def _begins_with_numbers(text: str) -> bool:
    """Say whether the first column of a table is that of №s; a stray list that somebody numbered names nobody."""
    first_line = text.partition("\n")[0]
    titles = [title.strip(' "\r') for title in re.split(f"[{SEPARATORS}]", first_line)]
    is_list = find_number_column(titles) == 0 and any(normalize_title(title) in TITLES["name"] for title in titles)
    return titles[0] == NUMBER_SIGN or is_list
