"""The page of a SCORM package in Chromium, within a platform: what it reports, and what it puts back."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page

from attnhand.api import generate
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from tests.exports.cases import ALLOWED_DIFFERENCES, Kind, Marker, find_check_share, list_cases
from tests.marking.handing_in import make_slip, write_answers, write_key
from tests.marking.test_own_line import work_on
from tests.pages.scorm_students import (
    SITE,
    STAND_IN,
    Rows,
    compute_score,
    fill_and_check,
    find_sheet_frame,
    list_texts,
    read_page,
    serve,
)
from tests.pages.test_accessibility import find_violations

SHEET = generate(7)

ROUNDING = 0.0051
"""Points that the platform is told are rounded to hundredths."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a browser that knows the stand-in alone, and the sheet in it; whatever is complained of fails the test."""
    started = browser.new_context(viewport={"width": 1280, "height": 900})
    serve(started, {"": STAND_IN.read_text(encoding="utf-8"), "index.html": read_page(SHEET)})
    complaints: list[str] = []
    started.on("console", lambda message: complaints.append(message.text))
    started.on("weberror", lambda error: complaints.append(str(error.error)))
    yield started
    started.close()
    assert [each for each in complaints if "favicon" not in each] == []


def visit(context: BrowserContext) -> tuple[Page, Frame]:
    """Open the platform in a new window."""
    page = context.new_page()
    page.goto(SITE)
    return page, find_sheet_frame(page)


def read_value(page: Page, name: str) -> str:
    """Return what the platform holds, which has had nothing to complain of."""
    assert page.evaluate("faults") == []
    return str(page.evaluate("name => values[name]", name))


def change_one(rows: Rows) -> Rows:
    """Write one number of Q wrong, and nothing that was worked from it."""
    rows["Q"][0][0] += "1"
    return rows


def make_up_scores(sheet: Sheet) -> Rows:
    """Write scores that nobody worked, and work on from there: most of it is copied."""
    size = len(sheet.solution["S"].hand)
    student = work_on(sheet, "S", tuple(tuple(i * j % 2 for j in range(size)) for i in range(size)))
    return {name: [*map(list, rows)] for name, rows in student.texts.items()}


CASES: dict[str, Callable[[Sheet], Rows]] = {
    "the key": lambda sheet: write_key(sheet),
    "a slip carried on": lambda sheet: write_answers(sheet, make_slip(sheet, "truncated", "scaled")),
    "one wrong number": lambda sheet: change_one(write_key(sheet)),
    "made-up scores": make_up_scores,
    "half of it": lambda sheet: {name: rows for name, rows in write_key(sheet).items() if name < "S"},
}


def test_the_platform_has_the_score_of_check(context: BrowserContext) -> None:
    """For the key, a slip carried on, one wrong number, made-up ones and half a sheet; only a full sheet is done."""
    page, frame = visit(context)
    assert read_value(page, "cmi.core.lesson_status") == "incomplete"
    scores = []
    for write in CASES.values():
        rows = write(SHEET)
        fill_and_check(frame, list_texts(SHEET, rows))
        scores.append(compute_score(SHEET, rows))
        assert float(read_value(page, "cmi.core.score.raw")) == scores[-1]
        assert frame.locator("#message").inner_text().endswith(f"your score: {scores[-1]:g} of 100.")
        is_whole = rows.keys() == write_key(SHEET).keys()
        assert read_value(page, "cmi.core.lesson_status") == ("completed" if is_whole else "incomplete")
    assert scores[0] == 100
    assert len(set(scores)) == len(CASES)
    assert [read_value(page, f"cmi.core.score.{end}") for end in ("min", "max")] == ["0", "100"]
    assert find_violations(page, contrast=False) == set()


def test_every_case_of_the_table_has_the_share_of_check(context: BrowserContext) -> None:
    """Slips, made-up numbers, gaps, decimals, other ways: to the last hundredth of a point."""
    page, frame = visit(context)
    cases = [case for case in list_cases(SHEET) if (Marker.SCORM, case.kind) not in ALLOWED_DIFFERENCES]
    assert {case.kind for case in cases} == {*Kind} - {Kind.OTHER_CONVENTION}
    for case in cases:
        fill_and_check(frame, list_texts(SHEET, case.texts))
        found = float(read_value(page, "cmi.core.score.raw"))
        assert abs(found - 100 * float(find_check_share(SHEET, case))) < ROUNDING, case.name


def test_answers_come_back_from_the_platform(context: BrowserContext) -> None:
    """Whatever was typed, where it was typed; none are left in the memory of the browser."""
    page, frame = visit(context)
    odd = ["−3/4", "a|b~^%", "½ <&>\"'\\", " 1,5", "😀", "−∞"]
    fields = frame.locator("td input:not(.question)")
    for number, text in enumerate(odd):
        fields.nth(7 * number).fill(text)
    answers = [question.plain_answer for question in build_questions(SHEET.key) if question.name]
    frame.locator("[name=ask1]").fill(answers[0])
    frame.locator("[name=ask2]").select_option(answers[1])
    for number in range(3, len(answers) + 1):  # the cells of a try
        frame.locator(f"[name=ask{number}]").fill(answers[number - 1])
    frame.locator("input.note").first.fill("because of k₂ …")
    frame.get_by_role("textbox", name="Name").fill("Ada Ł")
    for _ in range(2):  # what is put back is stored again
        page.reload()
        frame = find_sheet_frame(page)
        assert frame.locator("#message").inner_text() == "Your answers from last time are back."
        found = [frame.locator("td input:not(.question)").nth(7 * number).input_value() for number in range(len(odd))]
        assert found == odd
        assert [frame.locator(f"[name=ask{number}]").input_value() for number in range(1, len(answers) + 1)] == answers
        assert frame.locator("input.note").first.input_value() == "because of k₂ …"
        assert frame.get_by_role("textbox", name="Name").input_value() == "Ada Ł"
    assert page.evaluate("Object.keys(localStorage)") == ["platform"]
    assert read_value(page, "cmi.core.session_time").startswith("00:00:")


def test_nothing_is_lost_in_silence(context: BrowserContext) -> None:
    """Too much for a platform, one that refuses, none at all: each is said, and the last answers that fit stay."""
    page, frame = visit(context)
    fields = frame.locator("td input:not(.question)")
    fields.first.fill("17")
    frame.evaluate(
        """() => { for (const field of document.querySelectorAll('td input:not(.question)')) {
            field.value = '9'.repeat(40);
            field.dispatchEvent(new Event('input'));
        } }"""
    )
    assert frame.locator("#message").inner_text().startswith("This is more than your learning platform keeps")
    stored = read_value(page, "cmi.suspend_data")
    assert 4000 < len(stored) <= 4096
    frame.get_by_role("button", name="Check my work").click()
    assert "of 100. This is more than your learning platform keeps" in frame.locator("#message").inner_text()
    page.evaluate("window.refusesAll = true")
    fill_and_check(frame, {"Q_1_1": "1"})
    assert "did not take your score" in frame.locator("#message").inner_text()
    alone = context.new_page()
    alone.goto(f"{SITE}index.html")
    alone.locator("#message", has_text="No learning platform is found here").wait_for()
    alone.locator("td input:not(.question)").first.fill("3")
    alone.reload()
    assert alone.locator("td input:not(.question)").first.input_value() == "3"
    assert "Your answers from last time are back. No learning platform" in alone.locator("#message").inner_text()
