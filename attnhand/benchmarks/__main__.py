"""``python -m attnhand.benchmarks [RUNS]``: print what a sheet costs, beside what it must cost.

Absolute times depend on the machine and its mood; the ratios, taken turn by turn in one run, do not.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from attnhand.generator import generate_problem
from attnhand.levels import Level
from attnhand.make import sheet_from_request
from attnhand.render.csv_sheet import render_csv
from attnhand.render.html import render_page
from attnhand.request import Request
from attnhand.resources import template_dir
from attnhand.sheet.layout import lay_out

RUNS = 5
SHEETS = 100

PLAIN = """
import sys, weasyprint
from pathlib import Path
for page in sys.argv[1:]:
    weasyprint.HTML(filename=page).write_pdf(page + ".pdf", pdf_variant="pdf/ua-1")
"""
"""Importing WeasyPrint and rendering the same pages, nothing else."""

EMPTY = "import typer\napp = typer.Typer()\n@app.command()\ndef run(name: str = 'x') -> None: ...\napp()"

WITH_NUMPY = f"import numpy\n{EMPTY}"
"""The least that a program does which marks what was worked exactly."""


def _seconds(command: list[str], folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _paired(first: list[str], second: list[str], folder: Path, runs: int) -> tuple[float, float, float]:
    """Run two commands in turn, once unmeasured; returns both medians and the median of their ratios."""
    _seconds(first, folder)
    _seconds(second, folder)
    pairs = [(_seconds(first, folder), _seconds(second, folder)) for _ in range(runs)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def _each(work: Callable[[int], object]) -> float:
    """Return the milliseconds that one of many takes."""
    start = time.perf_counter()
    for number in range(SHEETS):
        work(number)
    return (time.perf_counter() - start) / SHEETS * 1000


def _line(ours: str, a: float, theirs: str, b: float, ratio: float) -> str:
    return f"{ours:36} {a:6.2f} s   {theirs:24} {b:6.2f} s   ratio {ratio:.2f}"


def main(runs: int) -> None:
    """Measure and print."""
    python = sys.executable
    fonts = (template_dir() / "fonts").as_uri()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sheet = sheet_from_request(Request(seed=7))
        pages = {"blank.html": sheet.blank, "key.html": sheet.key}
        for file, shown in pages.items():
            html = render_page(shown, lay_out(shown), lambda font: f"{fonts}/{font}", screen=False)
            (folder / file).write_text(html, encoding="utf-8")
        ours = [python, "-m", "attnhand", "generate", "--seed", "7", "--pdf", "--force"]
        a, b, ratio = _paired(ours, [python, "-c", PLAIN, *pages], folder, runs)
        print(_line("generate --seed 7 --pdf, cold", a, "the same pages, plainly", b, ratio))
        a, b, ratio = _paired([python, "-m", "attnhand", "--help"], [python, "-c", EMPTY, "--help"], folder, runs)
        print(_line("--help", a, "an empty typer program", b, ratio))
        (folder / "a.csv").write_text(render_csv(sheet.key), encoding="utf-8")
        a, b, ratio = _paired([python, "-m", "attnhand", "check", "a.csv"], [python, "-c", WITH_NUMPY], folder, runs)
        print(_line("check a.csv", a, "empty, importing numpy", b, ratio))
    for level in Level:
        drawn = _each(partial(_draw, level))
        print(f"drawing and vetting, {level:12}    {drawn:6.1f} ms a sheet")
    made = _each(lambda seed: sheet_from_request(Request(seed=seed)))
    print(f"drawing, solving both ways, proving  {made:6.1f} ms a sheet")
    print(f"peak memory of this process          {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:6.0f} MB")


def _draw(level: Level, seed: int) -> object:
    return generate_problem(Request(seed=seed, level=level))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
