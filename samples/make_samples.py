"""Make samples/ again: every sample's sheet and key as text, web page, PDF and picture; a paper that was marked.

    python -m samples.make_samples

Works in a checkout; the gallery's pictures of web pages need Chromium.
"""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from attnhand.api import check, generate
from attnhand.formats.registry import FORMATS
from attnhand.formats.sources import list_sample_names, make_sheet_from_source
from attnhand.formats.terminal import render_terminal
from attnhand.marking.checked import CheckResult
from attnhand.marking.report import REPORT_WRITERS
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from samples.gallery import answer_with_slip, draw_page, make_gallery

FOLDER = Path(__file__).parent.parent / "samples"

FEEDBACK = "feedback"
"""How the files of a marked paper are called."""


def sample_sheet(name: str) -> Sheet:
    """Return the solved sheet of a sample."""
    return make_sheet_from_source(name, SheetOrder(), PageOptions()).sheet


def text_files(name: str) -> dict[str, bytes]:
    """Return the files of a sample that are the same wherever they are made, by file name."""
    sheet = sample_sheet(name)
    files = {}
    for suffix, sheet_page in (("", sheet.blank), ("-key", sheet.key)):
        files[f"{name}{suffix}.txt"] = render_terminal(sheet_page).encode()
        files[f"{name}{suffix}.html"] = FORMATS["html"].render_file(sheet_page)
    return files


def all_text_files() -> dict[str, bytes]:
    """Return all files of samples/ that are the same wherever they are made, by file name."""
    files = {name: data for sample in list_sample_names() for name, data in text_files(sample).items()}
    return files | {f"{FEEDBACK}.html": REPORT_WRITERS[".html"](mark_paper())}


def make(name: str) -> None:
    """Write all files of a sample."""
    sheet = sample_sheet(name)
    for file_name, data in text_files(name).items():
        (FOLDER / file_name).write_bytes(data)
    for suffix, each in (("", sheet.blank), ("-key", sheet.key)):
        pdf = FOLDER / f"{name}{suffix}.pdf"
        pdf.write_bytes(FORMATS["pdf"].render_file(each))
        _picture(pdf)


def mark_paper() -> CheckResult:
    """Return a paper on which somebody rounded toward zero, and then went on rightly."""
    return check(answer_with_slip(), generate(seed=7))


def make_stage() -> None:
    """Write the picture of one stage."""
    sheet = sample_sheet("classic")
    scores = replace(sheet, options=replace(sheet.options, stage="S"))
    (FOLDER / "classic-S.svg").write_bytes(FORMATS["svg"].render_file(scores.key))


def make_feedback() -> None:
    """Write what somebody gets back whose paper is marked."""
    paper = mark_paper()
    for suffix, render in REPORT_WRITERS.items():
        (FOLDER / f"{FEEDBACK}{suffix}").write_bytes(render(paper))
    pdf = FOLDER / f"{FEEDBACK}.pdf"
    _picture(pdf, page=2, name=f"{FEEDBACK}-2")
    _picture(pdf)


def make_term() -> None:
    """Write a whole term for one student: a tiny transformer in ten weeks, with the map and the teacher's pages."""
    term = FOLDER / "term"
    shutil.rmtree(term, ignore_errors=True)
    of_term = ("--plan", "transformer", "--count", "1", "--seed", "7", "--no-salt", "--no-cover", "--out", str(term))
    subprocess.run([sys.executable, "-m", "attnhand", "term", *of_term], check=True, stdout=subprocess.DEVNULL)
    (term / "map.png").write_bytes(draw_page(term / "map.pdf", 1))
    (term / "week-2.png").write_bytes(draw_page(term / "week-2" / "hand-out" / "sheets.pdf", 1))


def _picture(pdf: Path, *, page: int = 1, name: str | None = None) -> None:
    """Draw one page of a PDF, as a PNG; it goes by the name of the PDF unless another is said."""
    (FOLDER / f"{name or pdf.stem}.png").write_bytes(draw_page(pdf, page))


def main() -> None:
    """Make every sample."""
    make_feedback()
    make_stage()
    make_term()
    for name in list_sample_names():
        make(name)
        sys.stdout.write(f"samples/{name}\n")
    make_gallery(FOLDER)
    sys.stdout.write("samples/index.html\n")


if __name__ == "__main__":
    main()
