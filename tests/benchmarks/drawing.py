"""A hundred of the same sheets, drawn by each engine as one would with it."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attnhand.formats.html import render_page
from attnhand.formats.pdf.draw_sheet import draw_blank_and_key
from attnhand.formats.pdf.weasy import convert_html_to_pdf, make_font_url
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.lay_out import lay_out
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.benchmarks.measuring import Times, in_turn, median, ratio, table, time_work
from tests.benchmarks.plan import plan
from tests.benchmarks.reportlab_peer import ReportlabPeer

OURS, TYPST, TAGGED, REPORTLAB = "attnhand", "typst", "typst, tagged", "reportlab canvas"
WEASYPRINT = "WeasyPrint, a document each"

FEW = 2
"""So many sheets tell what WeasyPrint takes for one."""


def measure_drawing(folder: Path, count: int, runs: int) -> Iterator[str]:
    """Yield the table: milliseconds of processor a sheet, blank and key.

    typst spreads one document over all processors, a class of ours is drawn by as many processes: what both spend
    on a page tells who is faster on any machine, busy or not.
    """
    # other sheets in every turn, the first of which does not count: what was drawn before is remembered
    turns = [[_make_sheet(seed) for seed in range(turn * count, (turn + 1) * count)] for turn in range(runs + 1)]
    sheets, fresh = turns[0], iter(turns)
    plans = [plan(lay_out(each)) for sheet in sheets for each in (sheet.blank, sheet.key)]
    (folder / "plans.json").write_text(json.dumps(plans), encoding="utf-8")
    pages = sum(len(page_plan["pages"]) for page_plan in plans)
    reportlab = ReportlabPeer(folder)
    works: dict[str, Callable[[], float]] = {
        OURS: lambda: time_work(lambda: draw_set(next(fresh))),
        TYPST: lambda: _by_typst(folder),
        TAGGED: lambda: _by_typst(folder, "tagged"),
        REPORTLAB: lambda: time_work(lambda: reportlab.draw(plans)),
        WEASYPRINT: lambda: time_work(lambda: _by_weasyprint(sheets[:FEW])) * count / min(FEW, count),
    }
    times = in_turn(works, runs)
    header = (
        f"{count} of the same, blank and key, {pages} pages",
        "processor, ms a sheet",
        "pages a second of it",
        "times ours",
    )
    yield table("Drawing", header, [_row(name, times, count, pages) for name in works])


def _row(name: str, times: Times, count: int, pages: int) -> tuple[str, str, str, str]:
    seconds = median(times[name])
    return name, f"{seconds / count * 1000:.2f}", f"{pages / seconds:,.0f}", ratio(times, name, OURS)


def _make_sheet(seed: int) -> Sheet:
    """Return a sheet with its questions: they are drawn and worked like its numbers, and the peers are given them."""
    sheet = make_sheet_from_request(Request(seed=seed))
    for face in (sheet.blank, sheet.key):
        assert face.posed_questions
    return sheet


def draw_set(sheets: Sequence[Sheet]) -> bytes:
    """Return all sheets and then all keys, from the problem to the bytes of the file."""
    out = io.BytesIO()
    both = [draw_blank_and_key(sheet) for sheet in sheets]
    file = PdfFile(out, title="Worksheets", language="en")
    for at in (0, 1):
        for pages in both:
            drawn = pages[at]
            assert drawn is not None
            file.add_pages(drawn)
    file.close()
    return out.getvalue()


def _by_typst(folder: Path, *tagged: str) -> float:
    command = [sys.executable, "-m", "tests.benchmarks.typst_peer", str(folder / "plans.json"), str(folder), *tagged]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _by_weasyprint(sheets: Sequence[Sheet]) -> None:
    for sheet in sheets:
        for each in (sheet.blank, sheet.key):
            convert_html_to_pdf(render_page(each, lay_out(each), make_font_url, for_screen=False))
