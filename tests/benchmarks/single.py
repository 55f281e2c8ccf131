"""One sheet, and the other commands of one file: whole programs, from a cold start."""

import sys
from collections.abc import Iterator
from pathlib import Path

from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.html import render_page
from attnhand.layout.lay_out import lay_out
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.system.resources import get_template_dir
from tests.benchmarks.measuring import PYTHON, in_turn, median, ratio, seconds_of, table

PLAIN = """
import sys, weasyprint
for page in sys.argv[1:]:
    weasyprint.HTML(filename=page).write_pdf(page + ".pdf", pdf_variant="pdf/ua-1")
"""
"""Importing WeasyPrint and rendering the same pages, nothing else."""

EMPTY = """
import typer
app = typer.Typer()
@app.command()
def run(name: str = "x") -> None: ...
app()
"""

WITH_NUMPY = f"import numpy\n{EMPTY}"
"""The least that a program does which marks what was worked exactly."""

BY_TYPST = """
import typer
app = typer.Typer()
@app.command()
def generate(seed: int) -> None:
    from pathlib import Path
    from tests.benchmarks.plan import plan
    from tests.benchmarks.typst_peer import TypstPeer
    from attnhand.sheet.make import make_sheet_from_request
    from attnhand.problems.request import Request
    from attnhand.layout.lay_out import lay_out
    sheet = make_sheet_from_request(Request(seed=seed))
    peer = TypstPeer(Path("fonts"))
    for name, version in (("blank", sheet.blank), ("key", sheet.key)):
        Path(f"{name}-typst.pdf").write_bytes(peer.draw([plan(lay_out(version))], tagged=True))
app()
"""
"""The same command with the same page model, drawn by typst."""


def measure_single_sheets(folder: Path, runs: int) -> Iterator[str]:
    """Yield the table of what one sheet costs, blank and key, and of the commands that need no page."""
    sheet = make_sheet_from_request(Request(seed=7))
    fonts = (get_template_dir() / "fonts").as_uri()
    pages = {"blank.html": sheet.blank, "key.html": sheet.key}
    for file, each in pages.items():
        html = render_page(each, lay_out(each), lambda font: f"{fonts}/{font}", for_screen=False)
        (folder / file).write_text(html, encoding="utf-8")
    (folder / "a.csv").write_text(render_csv(sheet.key), encoding="utf-8")
    (folder / "fonts").mkdir()
    ours = [*PYTHON, "generate", "--seed", "7", "--pdf", "--force"]
    drawn, plainly, typst = "generate", "WeasyPrint", "typst"
    help_, empty, check, numpy = "--help", "an empty typer program", "check a.csv", "one that imports numpy"
    times = in_turn(
        {
            drawn: lambda: seconds_of(ours, folder),
            plainly: lambda: seconds_of([sys.executable, "-c", PLAIN, *pages], folder),
            typst: lambda: seconds_of([sys.executable, "-c", BY_TYPST, "7"], folder),
            help_: lambda: seconds_of([*PYTHON, "--help"], folder),
            empty: lambda: seconds_of([sys.executable, "-c", EMPTY, "--help"], folder),
            check: lambda: seconds_of([*PYTHON, "check", "a.csv"], folder),
            numpy: lambda: seconds_of([sys.executable, "-c", WITH_NUMPY], folder),
        },
        runs,
    )
    compared = [
        (drawn, numpy, numpy),
        (drawn, plainly, "plain WeasyPrint, the same pages"),
        (drawn, typst, "the same command with typst"),
        (help_, empty, empty),
        (check, numpy, numpy),
    ]
    rows = [
        (name, f"{median(times[name]):.2f} s", each, f"{median(times[peer]):.2f} s", ratio(times, name, peer))
        for name, peer, each in compared
    ]
    yield table("One sheet, blank and key", ("from a cold start", "", "beside", "", "ratio"), rows)
