"""Files in a folder of answers that hold none: our own about the class, and what else students send."""

import codecs

from attnhand.text import Message

SUMMARY_META_TAG = b'<meta name="generator" content="attnhand grade">'
"""In the summary page."""

_PROGRAM_META_TAG = b'<meta name="generator" content="attnhand">'
_REPORT_FIRST_PAGE_TAG = b'<section class="page" id="page-0">'
"""A report's page of feedback stands before page 1."""

MAX_HEAD_BYTES = 2_000

FILE_SIGNATURES: tuple[tuple[tuple[bytes, ...], int, str], ...] = (
    ((b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"II*\0", b"MM\0*"), 0, "answers.picture"),
    ((b"ftyp",), 4, "answers.picture"),
    ((b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0", b"7z\xbc\xaf", b"Rar!", b"\x1f\x8b"), 0, "answers.document"),
)
"""How files begin that students send instead of answers: the beginnings, after how many bytes, the sentence for it."""


def is_about_a_class(data: bytes) -> bool:
    """Say whether a file is what we write about a class: known by its content, whatever its name.

    Index, marks and gradebook are tables whose first column is №; the summary and feedback are web pages that say so
    in their head; class.toml has a table of that name.

    >>> is_about_a_class("№,name,S".encode("utf-8-sig")), is_about_a_class(b"attnhand,A1Q0-0000-000W")
    (True, False)
    """
    head = data[:MAX_HEAD_BYTES]
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = head.decode(encoding, "ignore")
    if text.lstrip('"').startswith("№") or any(line.strip() == "[class]" for line in text.splitlines()):
        return True
    return SUMMARY_META_TAG in head or (_PROGRAM_META_TAG in head and _REPORT_FIRST_PAGE_TAG in data)


def explain_other_file(data: bytes) -> Message | None:
    """Return what a file is that holds no answers, and what to do; None where it may be an answer file.

    >>> str(explain_other_file(b"PK\\x03\\x04..."))
    'is a document or an archive: unpack it, or save the answers as CSV'
    """
    if not data.strip():
        return Message("answers.empty-file")
    keys = (key for begins, at, key in FILE_SIGNATURES if data[at : at + 8].startswith(begins))
    return next(map(Message, keys), None)
