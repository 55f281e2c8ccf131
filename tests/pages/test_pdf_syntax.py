"""The PDF as a file: qpdf finds nothing to complain about."""

import subprocess
from pathlib import Path

import pytest

from attnhand.system.digests import add_digest
from tests.breadth import pair_up
from tests.conftest import GetFormPath
from tests.pages.conftest import GetPdfPath
from tests.pages.sheets import PDF_SHEET_NAMES
from tests.pages.test_form import FORM_SHEET_NAMES


def complaints(path: Path) -> str:
    """Return what qpdf says about a file, empty where it is fine."""
    done = subprocess.run(["qpdf", "--check", "--warning-exit-0", str(path)], capture_output=True, text=True)
    return "" if done.returncode == 0 and "WARNING" not in done.stderr else done.stderr


@pytest.mark.parametrize(("name", "solved"), pair_up(PDF_SHEET_NAMES, (False, True)))
def test_it_is_well_formed(pdf: GetPdfPath, tmp_path: Path, name: str, solved: bool) -> None:
    """Before and after it is sealed by a comment behind its end."""
    path = pdf(name, solved)
    assert complaints(path) == ""
    with_seal = tmp_path / "sealed.pdf"
    with_seal.write_bytes(add_digest(path.read_bytes(), "pdf"))
    assert complaints(with_seal) == ""


@pytest.mark.parametrize("name", FORM_SHEET_NAMES)
def test_a_form_is_well_formed(form: GetFormPath, tmp_path: Path, name: str) -> None:
    """Before and after it is sealed."""
    assert complaints(form(name)) == ""
    saved = tmp_path / "form.pdf"
    saved.write_bytes(add_digest(form(name).read_bytes(), "pdf"))
    assert complaints(saved) == ""


def test_a_broken_file_is_seen(pdf: GetPdfPath, tmp_path: Path) -> None:
    """Without its last kilobyte, qpdf has something to say."""
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(pdf("classic columns", False).read_bytes()[:-1000])
    assert complaints(broken)
