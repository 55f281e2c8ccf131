"""A whole mail, saved as .eml: what is attached to it, and what is written in it."""

import re

from attnhand.errors import AnswerError
from attnhand.text import Message

MAX_NESTED_COUNT = 20
"""Parts that hold parts, or a whole mail; a mail has three or four."""

MAX_DELIMITER_COUNT = 1_000
"""Lines that may begin a part; a mail has ten."""

MAX_HEAD_BYTES = 100_000
"""Bytes among which a mail says how it is made."""

_FIELD = rb"(?:[A-Za-z][A-Za-z-]{1,60}:[^\n]*\n(?:[ \t][^\n]*\n)*)"
_HEAD = re.compile(
    rb"(?:From [^\n]*\n)?(?=%b{0,200}(?:MIME-Version|Content-Type):)%b{3,}\r?\n" % (_FIELD, _FIELD), re.I
)

_NESTED = re.compile(rb"multipart/|message/", re.I)


def is_mail(data: bytes) -> bool:
    r"""Say whether a file is a whole mail, and not only what was written in one.

    >>> is_mail(b"From: a@b.c\nSubject: my sheet\nMIME-Version: 1.0\n\nHello"), is_mail(b"Hello: {}")
    (True, False)
    """
    return _HEAD.match(data[:MAX_HEAD_BYTES]) is not None


def list_mail_parts(data: bytes) -> list[bytes]:
    """Return the text of a mail and what is attached to it, but not its text once more as a web page.

    Raises:
        AnswerError: it has more parts than any mail, or parts within parts without end.
    """
    from email import message_from_bytes  # few files are mails

    # Subtle: parts within parts are read by functions that call themselves
    if len(_NESTED.findall(data)) > MAX_NESTED_COUNT or data.count(b"\n--") > MAX_DELIMITER_COUNT:
        raise AnswerError(Message("answers.mail"))
    parts = (part for part in message_from_bytes(data).walk() if not part.is_multipart())
    payloads = (part.get_payload(decode=True) for part in parts if part.get_content_type() != "text/html")
    return [payload for payload in payloads if isinstance(payload, bytes)]
