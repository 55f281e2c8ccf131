"""What marks come back on: a report on a phone, the summary of a class on paper."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext
from pypdf import PdfReader

import attnhand
from attnhand.classroom.gradebook import build_gradebook
from attnhand.classroom.summary import build_summary
from attnhand.classroom.summary_views import render_summary_html
from attnhand.layout.page import TextBox
from attnhand.marking.report import lay_out_report, render_report_html
from attnhand.text.widths import to_unicode
from tests.breadth import choose
from tests.marking.handing_in import make_slip, write_answers, write_key

SLIPS = (("truncated", "scaled"), ("other-axis", "A"), ("other-weights", "K"), ("other-weights", "V"))
"""Made by one student after the other; each gives a slip to tell of, and a matrix of wrong cells."""

OUT_OF_SIGHT = """() => [...document.querySelectorAll('#page-0 .given td')].filter(cell => {
    const box = cell.getBoundingClientRect();
    return box.left < 0 || box.right > innerWidth || box.width === 0;
}).map(cell => cell.textContent)"""


@pytest.mark.parametrize("mechanism", choose(["block"], ["self", "multi-head", "block"]))
def test_a_phone_shows_the_marks_of_every_stage(context: BrowserContext, tmp_path: Path, mechanism: str) -> None:
    """None has to be pushed into sight; they stand beside the names of their stages."""
    sheet = attnhand.generate(7, mechanism=mechanism, level="warm-up")
    file = tmp_path / "report.html"
    file.write_bytes(render_report_html(attnhand.check(write_key(sheet), sheet)))
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(file.as_uri())
    assert page.locator("#page-0 .given td").count() >= 9
    assert page.evaluate(OUT_OF_SIGHT) == []
    names, marks = page.locator("#page-0 .given tr").all()[:2]
    assert names.locator("th").last.bounding_box()["y"] == marks.locator("td").last.bounding_box()["y"]  # type: ignore[index]
    page.close()


def test_the_pages_of_a_report_are_counted_together() -> None:
    """What is to be said comes first, and is page 1; all stand between the same margins, on Letter too."""
    sheet = attnhand.generate(7, paper="letter")
    layout = lay_out_report(attnhand.check(write_answers(sheet, make_slip(sheet, "truncated", "scaled")), sheet))
    feet = [page.items[-1] for page in layout.pages]
    assert all(isinstance(foot, TextBox) for foot in feet)
    ends = [to_unicode(foot.paragraphs[0].right_text) for foot in feet if isinstance(foot, TextBox)]
    assert ends == [f"page {number} of 3" for number in (1, 2, 3)]
    assert {round(min(item.box.x for item in page.items), 2) for page in layout.pages} == {17.95}


@pytest.mark.parametrize("mechanism", choose(["block"], ["self", "cross", "block"]))
def test_the_summary_of_a_class_prints_on_one_page(context: BrowserContext, tmp_path: Path, mechanism: str) -> None:
    """On A4, with four slips to tell of and a matrix of wrong cells for each."""
    papers = []
    for seed in range(8):
        sheet = attnhand.generate(seed, mechanism=mechanism)
        rows = write_answers(sheet, make_slip(sheet, *SLIPS[seed % len(SLIPS)]))
        papers.append(replace(attnhand.check(rows, sheet), file=f"{seed}.json"))
    summary = build_summary(build_gradebook(papers), sheet, sheet.language)
    assert len(summary.slip_lines) == len(summary.heat_maps) == len(SLIPS)
    file = tmp_path / "summary.html"
    file.write_bytes(render_summary_html(summary))
    page = context.new_page()
    page.goto(file.as_uri())
    assert len(PdfReader(io.BytesIO(page.pdf(format="A4"))).pages) == 1
    page.close()
