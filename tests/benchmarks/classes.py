"""Whole classes: `attnhand class`, and `attnhand grade` on what they hand in."""

import mmap
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from attnhand.formats.csv_sheet import render_csv
from attnhand.problems.mistake import ANY_SLIP
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from tests.benchmarks.measuring import PYTHON, Ran, median, run, table

SETS = ("hand-out/sheets.pdf", "teacher/keys.pdf")

_COUNT = re.compile(rb"<</Type/Pages/Count (\d+)")

LARGE = 1000
"""A larger class is made only once."""

LEAST_FORMS = 100
"""In a smaller class the start of the program counts for more than its sheets."""


def measure_classes(folder: Path, counts: Sequence[int], runs: int) -> Iterator[str]:
    """Yield the table of class sets, blank and key, with all processors and the layout kept."""
    rows, memory = [], []
    run(_command(1, folder / "first"), folder)  # keeps the layout
    for count in counts:
        ran = []
        for turn in range(runs if count <= LARGE else 1):
            out = folder / f"class-{count}-{turn}"
            ran.append(run(_command(count, out), folder))
        pages = sum(_pages(out / file) for file in SETS)
        size = sum((out / file).stat().st_size for file in SETS)
        rows.append(_row(count, ran, pages, size))
        memory.append(max(each.megabytes for each in ran))
    header = ("blank and key", "seconds", "pages", "pages a second", "most memory", "KB a sheet")
    yield table("Class of", header, rows)
    yield from _measure_forms(folder, [count for count in counts if LEAST_FORMS <= count <= LARGE])
    yield f"Memory for {counts[-1]:,} beside that for {counts[0]:,}: {memory[-1] / memory[0]:.2f} times."


def _measure_forms(folder: Path, counts: Sequence[int]) -> Iterator[str]:
    """Yield the table of classes with a form for everyone beside plain ones, taken in turn."""
    rows = []
    for count in [*counts, *[5 * LARGE for count in counts if count == LARGE]]:
        plain = run(_command(count, folder / f"plain-{count}"), folder)
        forms = run([*_command(count, folder / f"forms-{count}"), "--fillable"], folder)
        ratio = f"{forms.seconds / plain.seconds:.2f}"
        rows.append((f"{count:,}", f"{plain.seconds:.2f}", f"{forms.seconds:.2f}", ratio, f"{forms.megabytes:.0f} MB"))
    yield table("Forms for", ("plain and --fillable", "seconds", "as forms", "times", "most memory"), rows)


def _command(count: int, out: Path) -> list[str]:
    return [*PYTHON, "class", "--count", str(count), "--seed", "7", "--no-salt", "--out", str(out)]


def _row(count: int, ran: Sequence[Ran], pages: int, size: int) -> tuple[str, ...]:
    seconds = median([each.seconds for each in ran])
    megabytes = max(each.megabytes for each in ran)
    rate = f"{pages / seconds:,.0f}"
    return f"{count:,}", f"{seconds:.2f}", f"{pages:,}", rate, f"{megabytes:.0f} MB", f"{size / count / 1000:.1f}"


def _pages(path: Path) -> int:
    """Count the pages as the file's page tree says, without reading all of it."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = _COUNT.match(data, data.rfind(b"<</Type/Pages/Count "))
        assert found
        return int(found[1])


def measure_grading(folder: Path, count: int, runs: int) -> Iterator[str]:
    """Yield the table of marking: so many answer files, a third of them with a mistake and what follows from it."""
    answers = folder / "answers"
    answers.mkdir()
    for seed in range(count):
        options = PageOptions(mistake=ANY_SLIP) if seed % 3 == 0 else PageOptions()
        sheet = make_sheet_from_request(Request(seed=seed), options)
        handed_in = sheet.blank if options.mistake else sheet.key  # the sheet to find a mistake in is filled with it
        (answers / f"{seed:05}.csv").write_text(render_csv(handed_in), encoding="utf-8-sig")
    rows = []
    for name, command in {
        "grade": [*PYTHON, "grade", str(answers)],
        "grade --reports": [*PYTHON, "grade", str(answers), "--reports"],
        "grade --jobs 1": [*PYTHON, "grade", str(answers), "--jobs", "1"],
    }.items():
        ran = [run([*command, "--out", str(folder / f"{name}-{turn}")], folder) for turn in range(runs)]
        seconds = median([each.seconds for each in ran])
        most = f"{max(each.megabytes for each in ran):.0f} MB"
        rows.append((name, f"{seconds:.2f}", f"{seconds / count * 1000:.1f}", most))
    yield table("Marking", (f"{count:,} files", "seconds", "ms a file", "most memory"), rows)
