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
    assert run_well("generate", *wanted, "--fillable").lines == ["attnhand-7-AQ10.pdf", "attnhand-7-AQ10-key.pdf"]
    form, key = (Path(f"attnhand-7-AQ10{which}.pdf").read_bytes() for which in ("", "-key"))
    assert is_untouched(form)
    assert len(PdfReader(io.BytesIO(form)).get_form_text_fields()) > 20
    assert PdfReader(io.BytesIO(key)).get_fields() is None
    again = run_well("key", "attnhand-7-AQ10.pdf", "--json", "--out", "-").output
    assert again == run_well("generate", *wanted[:-1], "--json", "--out", "-").output
    for before in (b"", b"\r\n"):  # as some mail programs hand it on
        assert run_well("solve", "-", "--json", "--out", "-", stdin=before + form).output == again
    sentence = run_refused("key", "attnhand-7-AQ10-key.pdf")
    assert sentence == (
        "attnhand-7-AQ10-key.pdf is a PDF, from which no problem can be read: give the code printed at its foot instead"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--fillable makes the PDF a form, but no PDF is written: add --pdf, or leave it out"),
        (("--html",), "--fillable makes the PDF a form, but no PDF is written: add --pdf, or leave it out"),
    ],
)
def test_a_form_of_nothing_is_refused(options: tuple[str, ...], message: str) -> None:
    """No PDF, or nothing to fill: one sentence, and no file."""
    assert run_refused("generate", "--seed", "7", "--fillable", *options) == message
