"""``--fillable``: the PDF as a form, from which the problem can be read again."""

import io
from pathlib import Path

import pytest
from pypdf import PdfReader

from attnhand.system.digests import is_untouched
from tests.cli.running import run_refused, run_well


def test_a_form_names_its_problem() -> None:
    """Its key is an ordinary one; the form, from a file or a pipe, gives the sheet that its code gives."""
    wanted = ("--seed", "7", "--level", "warm-up", "--from-stage", "S", "--pdf")
    stem = "attnhand-7-warm-up-from-S-fillable"
    assert run_well("generate", *wanted, "--fillable").lines == [f"{stem}.pdf", f"{stem}-key.pdf"]
    form, key = (Path(f"{stem}{which}.pdf").read_bytes() for which in ("", "-key"))
    assert is_untouched(form)
    assert len(PdfReader(io.BytesIO(form)).get_form_text_fields()) > 20
    assert PdfReader(io.BytesIO(key)).get_fields() is None
    again = run_well("key", f"{stem}.pdf", "--json", "--out", "-").output
    assert again == run_well("generate", *wanted[:-1], "--json", "--out", "-").output
    for before in (b"", b"\r\n"):  # as some mail programs hand it on
        assert run_well("solve", "-", "--json", "--out", "-", stdin=before + form).output == again
    sentence = run_refused("key", f"{stem}-key.pdf")
    assert sentence == (
        f"{stem}-key.pdf is a PDF, from which no problem can be read: give the code printed at its foot instead"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--fillable makes the PDF a form, but no PDF is written: add --pdf, or leave it out"),
        (("--html",), "--fillable makes the PDF a form, but no PDF is written: add --pdf, or leave it out"),
        (("--pdf", "--mistake"), "a sheet with a mistake to find has nothing to fill: leave out --fillable"),
    ],
)
def test_a_form_of_nothing_is_refused(options: tuple[str, ...], message: str) -> None:
    """No PDF, or nothing to fill: one sentence, and no file."""
    assert run_refused("generate", "--seed", "7", "--fillable", *options) == message
