"""What else people hand in: pictures, documents, links; known by how they begin."""

from attnhand.system.files import is_flat_spreadsheet
from attnhand.text import Message

FILE_SIGNATURES: tuple[tuple[tuple[bytes, ...], int, str], ...] = (
    ((b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"II*\0", b"MM\0*"), 0, "answers.picture"),
    ((b"ftyp",), 4, "answers.picture"),  # .heic, as phones take it
    ((b"\xd0\xcf\x11\xe0",), 0, "table.old-excel"),
    ((b"7z\xbc\xaf", b"Rar!", b"\x1f\x8b", b"{\\rtf"), 0, "answers.document"),
)
"""How files begin that hold no answers: the beginnings, after how many bytes, the sentence for it."""


def explain_other_file(data: bytes) -> Message | None:
    """Return what a file is that holds no answers, and what to do; None where it may be an answer file.

    >>> str(explain_other_file(b"7z\\xbc\\xaf..."))
    'is a document or an archive: unpack it, or save the answers as .xlsx, .ods, CSV or JSON'
    """
    if is_flat_spreadsheet(data):
        return Message("table.flat-spreadsheet")
    keys = (key for begins, at, key in FILE_SIGNATURES if data[at : at + 8].startswith(begins))
    return next(map(Message, keys), None)
