"""Answers in a mail that was saved whole."""

from email.message import EmailMessage

import pytest

import attnhand
from attnhand.errors import AnswerError
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.mail import MAX_NESTED_COUNT, is_mail, list_mail_parts
from attnhand.marking.submission import read_answers
from tests.marking.handing_in import make_answer_file, write_key

SHEET = attnhand.generate(seed=7)
ANSWERS = make_answer_file(SHEET, write_key(SHEET))


def write_mail(text: str, attachments: dict[str, str], *, ends: str = "\n") -> bytes:
    """Return a mail as a program saves it."""
    mail = EmailMessage()
    mail["Received"] = "from a.example by b.example"
    mail["From"], mail["To"], mail["Subject"] = "Ada <ada@a.example>", "teacher@b.example", "My sheet − №7"
    mail.set_content(text)
    mail.add_alternative(f"<html><body>{text}</body></html>", subtype="html")
    for name, content in attachments.items():
        mail.add_attachment(content.encode(), maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes().replace(b"\n", ends.encode())


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("kind", ["json", "csv", "in the text"])
def test_what_is_in_a_mail_is_read_as_if_it_were_handed_in_alone(kind: str, ends: str) -> None:
    """Attached, packed for the way, or written in it with long lines that the mail breaks."""
    alone = ANSWERS if kind != "csv" else render_csv(SHEET.key)
    attached = {} if kind == "in the text" else {f"sara.{kind}": alone, "photo.jpg": "no photo"}
    for text in ("", alone) if attached and kind == "json" else ("" if attached else alone,):
        data = write_mail(f"Hello − here it is!\n{text}", attached, ends=ends)
        assert is_mail(data)
        assert read_answers(data) == read_answers(alone.encode())


@pytest.mark.parametrize(
    "attached", [{}, {"a.json": ANSWERS, "b.json": ANSWERS.replace("-", "1")}], ids=["nothing", "two sheets"]
)
def test_a_mail_without_one_sheet_is_refused(attached: dict[str, str]) -> None:
    """Nobody knows which of two counts."""
    with pytest.raises(AnswerError, match="is a whole mail"):
        read_answers(write_mail("Hello!", attached))


def test_parts_within_parts_have_an_end() -> None:
    """A mail of a thousand mails is not opened."""
    head = b"From: a@a.example\nTo: b@b.example\nMIME-Version: 1.0\n"
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (at, at) for at in range(2_000))
    assert is_mail(head + nested)
    with pytest.raises(AnswerError, match="whole mail"):
        list_mail_parts(head + nested)
    assert list_mail_parts(head + b"Content-Type: text/plain\n\n" + b"multipart " * MAX_NESTED_COUNT) != []


@pytest.mark.parametrize("text", [ANSWERS, f"Dear teacher:\n\n{ANSWERS}", "attnhand,A1Q0-0000-000W\n", "", "a: b\n"])
def test_what_was_copied_out_of_a_mail_is_none(text: str) -> None:
    """It is read as text."""
    assert not is_mail(text.encode())
