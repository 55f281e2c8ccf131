"""Files in a folder of answers that hold none: our own about the class."""

import codecs

SUMMARY_META_TAG = b'<meta name="generator" content="attnhand grade">'
"""In the summary page."""

_PROGRAM_META_TAG = b'<meta name="generator" content="attnhand">'
_REPORT_FIRST_PAGE_TAG = b'<section class="page" id="page-0">'
"""A report's page of feedback stands before page 1."""

_TABLE_STARTS = ("№", "ID number,", "Email address,", "Student,ID,")

MAX_HEAD_BYTES = 2_000


def is_about_a_class(data: bytes) -> bool:
    """Say whether a file is what we write about a class: known by its content, whatever its name.

    Index, marks and gradebook are tables whose first column is №, grades begin as Moodle and Canvas have them; the
    summary and feedback are web pages that say so in their head; class.toml has a table of that name.

    >>> is_about_a_class("№,name,S".encode("utf-8-sig")), is_about_a_class(b"attnhand,A1Q0-0000-000W")
    (True, False)
    """
    head = data[:MAX_HEAD_BYTES]
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = head.decode(encoding, "ignore")
    if text.lstrip('"').startswith(_TABLE_STARTS) or any(line.strip() == "[class]" for line in text.splitlines()):
        return True
    return SUMMARY_META_TAG in head or (_PROGRAM_META_TAG in head and _REPORT_FIRST_PAGE_TAG in data)
