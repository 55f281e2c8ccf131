"""Three more in the web sheet: new numbers after a slip, worked by the page itself, until three in a row are right."""

import re
from collections import defaultdict
from fractions import Fraction
from itertools import islice

import pytest
from playwright.sync_api import Page, expect

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import Number, format_exact, has_irrational, is_same_number, use_typographic_signs
from attnhand.attention.slips import StageContext, find_slips
from attnhand.formats.html import render_html
from attnhand.formats.web import OTHER_SHEETS, make_script_data, read_script
from attnhand.layout.lay_out import lay_out
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.new_numbers import Exercise, draw_other_sheets
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.forms import FORMS, SOME_FORMS_IN_ONE_CONVENTION
from tests.pages.test_web_sheet import WebSheetOpener, opener
from tests.pages.test_web_tutor import CHECKS, PHONE, WIDE_SCREEN, open_filled
from tests.pages.web_students import SCRIPTS

__all__ = ["opener"]  # a fixture

LIST_EXERCISES = f"""(SHEET) => {{ {"".join(map(read_script, (*SCRIPTS, "new_numbers")))}
  const write = (value) => value === MINUS_INFINITY ? value : formatExact(value);
  const list = (stage, slip) => listExercises(stage, slip).map(({{ cell, lines, right, matrices }}) =>
    [KEY.more.findIndex((sheet) => sheet.matrices === matrices), cell.row, cell.column, lines, write(right)]);
  return KEY.stages.map((stage) =>
    [stage.name, Object.fromEntries(["", ...stage.slips.map(({{ id }}) => id)].map((id) => [id, list(stage, id)]))]);
}}"""
"""By stage, and by what went wrong there: the sheet that lends the numbers, the cell, its lines, and what comes out."""

READ_FIELDS = "JSON.stringify([...document.querySelectorAll('td input')].map(field => field.value))"


@pytest.mark.parametrize(
    ("name", "convention"),
    [
        *SOME_FORMS_IN_ONE_CONVENTION,
        # with squares and logs, and with rows that the numbers choose
        *choose([("next-token-normed", Convention.COLUMNS), ("next-token-learning", Convention.ROWS)], []),
    ],
)
def test_the_page_works_new_numbers_as_the_program_does(page: Page, name: str, convention: Convention) -> None:
    """Every number that a cell is worked from, and what comes out, on all stages of the sheets that it was lent."""
    sheet = make_sheet_from_request(Request(seed=3, variant=FORMS[name], convention=convention), CHECKS)
    data = make_script_data(sheet.blank, lay_out(sheet.blank))
    others = [*islice(draw_other_sheets(sheet), OTHER_SHEETS)]
    offered = 0
    for stage_name, by_slip in page.evaluate(LIST_EXERCISES, data):
        offered += bool(by_slip[""])
        for at, row, column, lines, right in by_slip[""]:
            other = others[at]
            stage = other.problem.mechanism.get_stage(stage_name)
            assert is_written_out(right, other.solution[stage_name].hand[row][column])
            sources = Exercise(other, stage, row, column).hints.sources
            if any(re.search(r"(: | = )[^a-z]*$", line) for line in sources):
                assert [re.split(": | = ", line)[-1] for line in lines] == [
                    use_typographic_signs(re.split(": | = ", line)[-1]) for line in sources
                ]
        for slip, exercises in by_slip.items():
            check_order(others, stage_name, slip, [(at, row, column) for at, row, column, _, _ in exercises])
    assert offered >= len([stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]) - 2


def is_written_out(right: str, value: Number) -> bool:
    """Say whether the page has a number: exactly, a logarithm as a fraction of as many digits."""
    if has_irrational([value]):
        return is_same_number(Fraction(right), value)
    return right == format_exact(value)


def check_order(others: list[Sheet], stage_name: str, slip_id: str, exercises: list[tuple[int, int, int]]) -> None:
    """No cell twice; those first in which the slip gives another number, by the program; of these no number twice."""
    assert len({*exercises}) == len(exercises)
    shows = []
    numbers = defaultdict(list)
    for at, row, column in exercises:
        problem, values = others[at].problem, others[at].solution.collect_hand_values()
        stage = problem.mechanism.get_stage(stage_name)
        context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
        wrongs = [slip.compute_wrong(context) for slip in find_slips(stage, (slip_id,))] if slip_id else []
        shows.append(any(wrong and wrong[row][column] != values[stage_name][row][column] for wrong in wrongs))
        numbers[at, shows[-1]].append(values[stage_name][row][column])
    assert shows == sorted(shows, reverse=True)
    for each in numbers.values():
        distinct = {*each}
        assert {*each[: len(distinct)]} == distinct


def answer_one(page: Page, *, is_right: bool) -> None:
    """Type what is right, worked from the lines of a score, or something else; confirm with Enter."""
    keys, queries = (
        [int(number) for number in line.partition(":")[2].replace("−", "-").split()]
        for line in page.locator("#more-sources p").all_inner_texts()[:2]
    )
    right = sum(k * q for k, q in zip(keys, queries, strict=True))
    page.locator("#more-answer").fill(str(right if is_right else right + 50))
    page.keyboard.press("Enter")


@pytest.mark.parametrize("viewport", [WIDE_SCREEN, PHONE])
def test_a_slip_is_followed_by_three_more(opener: WebSheetOpener, viewport: object) -> None:
    """A button after the check; two right, a wrong one, three right: said and closed, and the button is gone."""
    sheet = generate(7, options=CHECKS)
    page = open_filled(opener, sheet, viewport, {"S_2_3": "50"})  # type: ignore[arg-type]
    more = page.locator("#three-more button")
    assert more.count() == 0
    page.get_by_role("button", name="Check my work").click()
    expect(more).to_have_text(["Three more: S"])
    kept = page.evaluate(READ_FIELDS)
    more.focus()
    page.keyboard.press("Enter")
    dots = page.locator("dialog .dots .right")
    verdict = page.locator("#more-verdict")
    assert dots.count() == 0
    seen = []
    for is_right, count in ((True, 1), (True, 2), (False, 0), (True, 1), (True, 2)):
        seen.append("".join(page.locator("#more-sources p").all_inner_texts()))
        answer_one(page, is_right=is_right)
        expect(dots).to_have_count(count)
        expect(verdict).to_contain_text("In a row" if is_right else "It is ")
        box, shown = page.locator("dialog").bounding_box(), page.locator("#more-answer").bounding_box()
        assert box is not None
        assert shown is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]  # type: ignore[index]
        assert page.evaluate("document.activeElement.id") == "more-answer"
    assert len({*seen}) == len(seen)
    answer_one(page, is_right=True)
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator("#message")).to_have_text("Three right in a row: settled.")
    assert more.count() == 0
    assert page.evaluate(READ_FIELDS) == kept


def test_cells_are_asked_in_which_the_slip_shows(opener: WebSheetOpener) -> None:
    """Scores are halved towards 0: nothing is seen of that but where they are odd and negative, so these are asked."""
    sheet = generate(7, options=CHECKS)
    halves = {
        f"scaled_{i}_{j}": str(int(score / 2)).replace("-", "−")
        for i, row in enumerate(sheet.solution["S"].hand, 1)
        for j, score in enumerate(row, 1)
    }
    page = open_filled(opener, sheet, WIDE_SCREEN, halves)
    page.get_by_role("button", name="Check my work").click()
    page.locator("#three-more button").click()
    for _ in range(3):
        score = int(page.locator("#more-sources p").first.inner_text().rpartition("=")[2].replace("−", "-"))
        assert score < 0
        assert score % 2 == 1
        page.locator("#more-answer").fill(str(score // 2))
        page.keyboard.press("Enter")
    expect(page.locator("#message")).to_have_text("Three right in a row: settled.")


def test_who_has_seen_all_new_numbers_is_told(opener: WebSheetOpener) -> None:
    """No cell is asked twice; after the last one the number is said, and that there are no more."""
    sheet = generate(7, options=CHECKS)
    page = open_filled(opener, sheet, WIDE_SCREEN, {"S_2_3": "50"})
    page.get_by_role("button", name="Check my work").click()
    page.locator("#three-more button").click()
    seen = set()
    count = OTHER_SHEETS * len([*sheet.list_asked_cells(sheet.problem.mechanism.get_stage("S"))])
    for _ in range(count):
        seen.add("".join(page.locator("#more-sources p").all_inner_texts()))
        answer_one(page, is_right=False)
    expect(page.locator("dialog")).to_have_count(0)
    assert len(seen) == count
    expect(page.locator("#message")).to_contain_text(re.compile("It is .* There are no more new numbers on this page"))
    assert page.locator("#three-more button").count() == 0


def test_three_more_can_be_left(opener: WebSheetOpener) -> None:
    """Escape closes them, and the button stays; what is unreadable is said and counts for nothing."""
    page = open_filled(opener, generate(7, options=CHECKS), WIDE_SCREEN, {"S_2_3": "50"})
    page.get_by_role("button", name="Check my work").click()
    page.locator("#three-more button").click()
    page.locator("#more-answer").fill("?!")
    page.keyboard.press("Enter")
    expect(page.locator("#more-verdict")).to_contain_text("?!")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert page.locator("#three-more button").count() == 1


def test_a_page_that_does_not_check_has_none(opener: WebSheetOpener) -> None:
    """Nor the numbers of other sheets."""
    document = render_html(generate(7).blank)
    assert "three-more" not in re.sub("(?s)<style.*?</style>", "", document)
    assert '"more":[' not in document
