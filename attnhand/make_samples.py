"""Make samples/ again: every sample's sheet and key as text, web page, PDF and picture.

    python -m attnhand.make_samples

Works in a checkout; the pictures need pdftoppm (poppler-utils).
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from attnhand.cli.source import sample_names, sheet_from_source
from attnhand.cli.wishes import What
from attnhand.render.formats import FORMATS
from attnhand.render.terminal import render_terminal
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet

FOLDER = Path(__file__).parent.parent / "samples"


def sample_sheet(name: str) -> Sheet:
    """Return the solved sheet of a sample."""
    return sheet_from_source(name, What(), PageOptions()).sheet


def text_files(name: str) -> dict[str, bytes]:
    """Return the files of a sample that are the same wherever they are made, by file name."""
    sheet = sample_sheet(name)
    files = {}
    for suffix, shown in (("", sheet.blank), ("-key", sheet.key)):
        files[f"{name}{suffix}.txt"] = render_terminal(shown).encode()
        files[f"{name}{suffix}.html"] = FORMATS["html"].file(shown)
    return files


def make(name: str) -> None:
    """Write all files of a sample."""
    sheet = sample_sheet(name)
    for file_name, data in text_files(name).items():
        (FOLDER / file_name).write_bytes(data)
    for suffix, shown in (("", sheet.blank), ("-key", sheet.key)):
        pdf = FOLDER / f"{name}{suffix}.pdf"
        pdf.write_bytes(FORMATS["pdf"].file(shown))
        _picture(pdf)


def _picture(pdf: Path) -> None:
    """Draw the first page of a PDF beside it, as a PNG."""
    tool = shutil.which("pdftoppm")
    if tool is None:
        sys.exit("attnhand: the pictures need pdftoppm: install poppler-utils")
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "page"
        subprocess.run(
            [tool, "-r", "80", "-png", "-f", "1", "-l", "1", "-singlefile", str(pdf), str(drawn)], check=True
        )
        shutil.move(drawn.with_suffix(".png"), pdf.with_suffix(".png"))


def main() -> None:
    """Make every sample."""
    for name in sample_names():
        make(name)
        sys.stdout.write(f"samples/{name}\n")


if __name__ == "__main__":
    main()
