"""The tutor of a self-checking page: hints that give no number away, what is wrong next, and the end."""

import json

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from attnhand.api import generate
from attnhand.attention.numbers import format_exact, use_typographic_signs
from attnhand.formats.html import render_html
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from tests.pages.test_web_sheet import WebSheetOpener, map_key_by_id, opener

__all__ = ["opener"]  # a fixture

CHECKS = PageOptions(self_check=True)
WIDE_SCREEN, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=800)


def open_filled(opener: WebSheetOpener, sheet: Sheet, viewport: ViewportSize, changes: dict[str, str]) -> Page:
    """Open a sheet with the key filled in, but for some cells."""
    page = opener.open(render_html(sheet.blank), viewport)
    texts = {name: use_typographic_signs(format_exact(value)) for name, value in map_key_by_id(sheet).items()}
    page.evaluate(
        """texts => { for (const field of document.querySelectorAll('td input:not(.question)')) {
            field.value = texts[field.name];
            field.dispatchEvent(new Event('input'));
        } }""",
        texts | changes,
    )
    return page


def answer_questions(page: Page, sheet: Sheet) -> None:
    """Answer every question by the key."""
    for question in build_questions(sheet.key):
        field = page.locator(f"[name={question.name}]")
        if question.choices:
            field.select_option(question.plain_answer)
        elif question.name:
            field.fill(question.plain_answer)


def find_place(page: Page) -> str:
    """Return which cell is worked on, as people say it."""
    if page.locator("#phone").is_visible():
        return (page.get_attribute("#answer", "aria-label") or "").partition(": ")[2]
    return str(page.evaluate("document.activeElement.ariaLabel")).partition(":")[0]


def test_what_to_check_is_listed_as_on_the_page(opener: WebSheetOpener) -> None:
    """In the order of work, in words: a list of choices has no italics for the letters."""
    page = opener.open(render_html(generate(7, options=CHECKS).blank), WIDE_SCREEN)
    assert page.locator("#check-what option").all_inner_texts() == [
        *("all stages", "keys", "queries", "scores", "scaled scores", "powers of the scores", "sums of the powers"),
        *("attention weights", "values", "outputs", "the questions"),
    ]


def test_the_map_names_heads_as_the_page_does(opener: WebSheetOpener) -> None:
    """K⁽¹⁾ in a button of the map and before its formula; of a sum, which has one row, the column alone is said."""
    page = opener.open(render_html(generate(7, mechanism="multi-head", options=CHECKS).blank), PHONE)
    places = page.locator("#map button")
    names = places.evaluate_all("all => all.map(each => each.innerHTML.split('<span')[0])")
    assert names[:3] == ["<i>K</i><sup>(1)</sup>", "<i>Q</i><sup>(1)</sup>", "<i>S</i><sup>(1)</sup>"]
    assert names[9:11] == ["<i>K</i><sup>(2)</sup>", "<i>Q</i><sup>(2)</sup>"]
    places.nth(9).click()
    assert page.locator("#recipe p").first.inner_text() == "K(2) = WK(2) X"
    places.nth(names.index("Σ<sup>(2)</sup>")).click()
    assert find_place(page) == "head 2, Σ, column q₁"


def go_to_last_cell(page: Page) -> None:
    """Press next on a phone until the last cell."""
    page.locator("#map button").last.click()
    while find_place(page) != "Z, row 3, column z₄":
        page.get_by_role("button", name="next", exact=True).click()


def test_on_a_phone_the_first_hint_says_what_to_work(opener: WebSheetOpener) -> None:
    """Row and column stand on the screen: a hint that asks for them would say nothing."""
    page = open_filled(opener, generate(7, options=CHECKS), PHONE, {"K_1_1": ""})
    assert find_place(page) == "K, row 1, column k₁"
    page.get_by_role("button", name="Hint").click()
    assert page.inner_text("#hint").endswith("= ?")


def test_hints_lead_to_a_cell_in_three_steps(opener: WebSheetOpener) -> None:
    """A question, row and column with the student's own numbers, the open sum; the number after two tries alone."""
    sheet = generate(7, options=CHECKS)
    page = open_filled(opener, sheet, WIDE_SCREEN, {"K_2_1": "−5", "Q_1_2": "1/2", "Q_3_2": "", "S_1_2": ""})
    key = {name: use_typographic_signs(format_exact(value)) for name, value in map_key_by_id(sheet).items()}
    hint, message = page.get_by_role("button", name="Hint"), page.locator("#message")
    page.locator("[name=S_1_2]").focus()
    hint.click()
    assert message.inner_text() == "Which row of KT and which column of Q meet in S[1,2]?"
    assert page.locator("td.source").count() == 0
    page.locator("[name=S_1_2]").press("?")
    row, column = f"{key['K_1_1']} −5 {key['K_3_1']}", f"1/2 {key['Q_2_2']} □"
    assert message.inner_text().split("\n\n") == [f"row k1 of KT: {row}", f"column q2 of Q: {column}"]
    sources = page.evaluate("[...document.querySelectorAll('td.source')].map(td => td.id)")
    assert sources == ["K_1_1", "K_2_1", "K_3_1", "Q_1_2", "Q_2_2", "Q_3_2"]
    hint.click()
    assert message.inner_text().endswith("□ = ?")
    assert "(−5)·" in message.inner_text()
    hint.click()
    assert message.inner_text().endswith("after two tries a hint tells the number.")
    for text in ("77", "77", "78"):
        assert "It is" not in message.inner_text()
        page.locator("[name=S_1_2]").fill(text)
        page.get_by_role("button", name="Check my work").click()
        page.locator("[name=S_1_2]").focus()
        hint.click()
    page.locator("[name=Q_3_2]").fill("0")  # what follows from the student's own numbers is the number
    page.locator("[name=S_1_2]").focus()
    hint.click()
    own = 2 * int(key["K_1_1"].replace("−", "-")) / 4 - 5 * int(key["Q_2_2"].replace("−", "-"))
    assert float(message.inner_text().split("It is ")[1].rstrip(".").replace("−", "-").split("/")[0]) in (own, own * 2)
    page.locator("[name=S_1_3]").focus()
    assert page.locator("td.source").count() == 0


@pytest.mark.parametrize("viewport", [WIDE_SCREEN, PHONE])
def test_the_next_wrong_cell_is_found(opener: WebSheetOpener, viewport: ViewportSize) -> None:
    """Cell after cell, round to the first; what follows from one is none; offered only when something is wrong."""
    sheet = generate(7, options=CHECKS)
    page = open_filled(opener, sheet, viewport, {"scaled_1_1": "0.5", "powers_1_1": "1", "A_2_3": "x"})
    wrong, check = (page.get_by_role("button", name=name) for name in ("Next wrong cell", "Check my work"))
    assert not wrong.is_visible()
    check.click()
    titles = []
    for _ in range(3):
        wrong.click()
        titles.append(find_place(page))
    assert titles == ["scaled, row k₁, column q₁", "A, row k₂, column q₃", "scaled, row k₁, column q₁"]
    if viewport == PHONE:
        page.locator("#map button").nth(6).click()
        assert find_place(page) == "A, row k₂, column q₃"


def test_filled_is_not_right_and_the_message_covers_nothing(opener: WebSheetOpener) -> None:
    """On a phone a dot of the map is neutral until the work is checked; what is said hides no name, keypad or dot."""
    page = open_filled(opener, generate(7, options=CHECKS), PHONE, {"K_1_2": "99"})
    page.get_by_role("button", name="Next cell").click()
    dots = page.locator("#map button").first.locator(".dots i:not(.printed)")
    read = "dot => getComputedStyle(dot).backgroundColor"
    wrong, right = dots.nth(0).evaluate(read), dots.nth(1).evaluate(read)
    assert wrong == right
    page.get_by_role("button", name="Check my work").click()
    assert dots.nth(1).evaluate(read) not in (right, dots.nth(0).evaluate(read))
    expect(page.locator("#three-more button")).to_have_count(1)
    boxes = (page.locator(each).bounding_box() for each in ("#message", "#phone header", "#keypad"))
    said, header, keypad = (box["y"] if box else 0 for box in boxes)
    assert 0 < header < keypad < said
    lowest = "all => Math.max(...all.map((dots) => dots.getBoundingClientRect().bottom))"
    assert page.locator("#map .dots").evaluate_all(lowest) <= said
    assert said >= keypad + page.locator("#keypad").evaluate("keypad => keypad.offsetHeight")


def test_every_number_counts_at_once(opener: WebSheetOpener) -> None:
    """The last one too, without leaving its cell."""
    page = opener.open(render_html(generate(7).blank), WIDE_SCREEN)
    page.locator("[name=S_1_2]").press("4")
    assert page.inner_text("#progress") == "2 of 116"


def test_the_last_next_leads_to_what_is_left(opener: WebSheetOpener) -> None:
    """On a phone: to the first empty cell, then to the questions, or to the end."""
    page = open_filled(opener, generate(7), PHONE, {"Q_1_1": ""})
    go_to_last_cell(page)
    page.get_by_role("button", name="next", exact=True).click()
    assert find_place(page) == "Q, row 1, column q₁"
    assert page.inner_text("#message") == "Still empty: 1. The first of them is here."
    page.locator("#answer").fill("1")
    go_to_last_cell(page)
    page.get_by_role("button", name="next", exact=True).click()
    expect(page.locator("#message")).to_have_text("All cells are filled: here are the questions.")
    assert page.evaluate("document.activeElement.name") == "ask1"
    page.keyboard.insert_text("2")
    page.locator("[name=ask2]").select_option(index=1)
    for name in ("ask3", "ask4", "ask5"):  # the cells of a try
        page.locator(f"[name={name}]").fill("1")
    page.get_by_role("button", name="Cell by cell").click()
    page.get_by_role("button", name="next", exact=True).click()
    expect(page.locator("#message")).to_have_text("All cells are filled.")


@pytest.mark.parametrize("mechanism", ["self", "multi-head", "block"])
def test_no_hint_names_its_own_cell_and_no_other_page_has_any(mechanism: str) -> None:
    """What a hint leaves to be filled in is never the cell it is for."""
    sheet, plain = generate(7, mechanism=mechanism, options=CHECKS).blank, generate(7, mechanism=mechanism).blank
    data, plain_data = (make_script_data(each, lay_out(each)) for each in (sheet, plain))
    assert data
    cells = [cell for stage in data["stages"] for cell in stage["cells"]]
    assert len(cells) > 90
    for cell in cells:
        assert f"⟨{cell['id']}⟩" not in json.dumps(cell["hints"], ensure_ascii=False)
        assert len(cell["hints"]) == 3
        assert all(cell["hints"])
    assert '"hints"' not in json.dumps(plain_data)


def test_a_slip_is_said_where_it_was_made(opener: WebSheetOpener) -> None:
    """On coming to its cell, with why; gone when the cell is mended."""
    sheet = generate(7, options=CHECKS)
    scores = {name: value for name, value in map_key_by_id(sheet).items() if name.startswith("S_")}
    odd = [name.removeprefix("S") for name, value in scores.items() if value < 0 and value % 2]
    changes = {f"scaled{place}": str(int(scores[f"S{place}"] / 2)) for place in odd}
    page = open_filled(opener, sheet, WIDE_SCREEN, changes)
    page.get_by_role("button", name="Check my work").click()
    page.get_by_role("button", name="Next wrong cell").click()
    sentence = page.inner_text("#message")
    assert "the next whole number is" in sentence
    assert use_typographic_signs(f"Half of {scores[f'S{odd[0]}']} is") in sentence
    assert page.evaluate("document.activeElement.name") == f"scaled{odd[0]}"


@pytest.mark.parametrize("heads", [None, 2])
def test_all_right_ends_with_the_students_own_attention(opener: WebSheetOpener, heads: int | None) -> None:
    """One arrow for every share that is not 0, a picture a head, and how good the shortcut was; not before."""
    sheet = generate(
        7, mechanism="multi-head" if heads else None, heads=heads, causal=True, convention="rows", options=CHECKS
    )
    cell = "h1_K_1_2" if heads else "K_1_2"
    page = open_filled(opener, sheet, WIDE_SCREEN, {cell: "99"})
    page.get_by_role("button", name="Check my work").click()
    assert page.locator("dialog").count() == 0
    page.locator(f"[name={cell}]").fill(format_exact(map_key_by_id(sheet)[cell]))
    answer_questions(page, sheet)
    page.get_by_role("button", name="Check my work").click()
    shares = [
        [
            sheet.solution[stage.name].hand[query][key]
            for query in range(len(sheet.asked_queries))
            for key in range(query + 1)
        ]
        for stage in sheet.weight_stages
    ]
    lines = (
        "all => all.map(svg => [...svg.querySelectorAll('line')].map(line => line.getAttribute('stroke-width') / 8))"
    )
    found = page.locator("dialog svg").evaluate_all(lines)
    assert len(found) == (heads or 1)
    assert page.locator("dialog h3").all_inner_texts() == (["A⁽¹⁾", "A⁽²⁾"] if heads else [])
    for widths, of_head in zip(found, shares, strict=True):
        assert widths == pytest.approx([float(share) for share in of_head], abs=0.002)
    assert "same" in page.get_by_role("dialog").inner_text()


def test_a_phone_tells_the_story_beside_the_shortcuts(opener: WebSheetOpener) -> None:
    """Where one cell fills the screen, nobody has read what the numbers are about."""
    sheet = generate(3, story="soup")
    assert sheet.problem.story is not None
    page = opener.open(render_html(sheet.blank), PHONE)
    page.get_by_role("button", name="House rules").click()
    text = page.get_by_role("dialog").inner_text()
    for sentence in (sheet.problem.story.sentence, "What does the soup ask for most?", "round down"):
        assert text.count(sentence) == 1


@pytest.mark.parametrize("viewport", [WIDE_SCREEN, PHONE])
def test_questions_are_checked_with_the_cells(opener: WebSheetOpener, viewport: ViewportSize) -> None:
    """Right, wrong or unreadable as a paper; the ending, which names what they ask, waits for the last of them."""
    sheet = generate(7, options=CHECKS)
    page = open_filled(opener, sheet, viewport, {})
    reading, what_if, *tries = (question for question in build_questions(sheet.key) if question.name)
    assert len(tries) == 3
    check, wrong = (page.get_by_role("button", name=name) for name in ("Check my work", "Next wrong cell"))
    message = page.locator("#message")

    def list_marks() -> list[str]:
        return [
            str(page.locator(f"#{name}").get_attribute("class")).partition("mark-")[2].split(" ")[0]
            for name in (reading.name, what_if.name)
        ]

    check.click()
    assert message.inner_text() == "all stages: all 116 right ✓ Questions: 0 of 5 right."
    assert page.locator("dialog").count() == 0
    if viewport is PHONE:
        page.get_by_role("button", name="Whole sheet").click()
    page.locator(f"[name={reading.name}]").fill("nobody")
    page.locator(f"[name={what_if.name}]").select_option(next(c for c in what_if.choices if c != what_if.plain_answer))
    check.click()
    assert list_marks() == ["unreadable", "not-yet"]
    assert page.locator("dialog").count() == 0
    page.locator(f"[name={what_if.name}]").focus()
    wrong.click()
    assert page.evaluate("document.activeElement.name") == reading.name
    assert message.inner_text() == "Question 1: “nobody” cannot be read; write the number of one token."
    wrong.click()
    assert page.evaluate("document.activeElement.name") == what_if.name
    assert what_if.reason[0].text in message.inner_text()
    page.locator(f"[name={reading.name}]").fill("9")
    assert list_marks() == ["", "not-yet"]
    page.get_by_label("What to check").select_option("the questions")
    check.click()
    assert list_marks() == ["not-yet", "not-yet"]
    assert message.inner_text() == "Questions: 0 of 5 right."
    answer_questions(page, sheet)
    page.get_by_label("What to check").select_option("all stages")
    check.click()
    assert list_marks() == ["right", "right"]
    assert page.locator("dialog svg").count() == 1
    page.get_by_role("button", name="Close").click()
    page.locator(f"[name={what_if.name}]").focus()
    assert message.inner_text().startswith("Because ")


def test_a_first_sheet_on_a_phone(opener: WebSheetOpener) -> None:
    """One guesses before the scores alone, printed cells are not come to, and all 49 are counted as on paper."""
    sheet = generate(7, level="first", options=CHECKS)
    page = open_filled(opener, sheet, PHONE, {})
    stages = page.locator("#map button")
    assert [name.strip() for name in stages.all_inner_texts()] == ["K", "Q", "S", "scaled", "powers", "Σ", "A", "Z"]
    for n, count in enumerate((1, 2, 9, 9, 9, 3, 9, 6)):  # of K one cell is worked
        assert stages.nth(n).locator(".dots i:not(.printed)").count() == count
        stages.nth(n).click()
        assert ("Guess before S: " in page.locator("#phone").inner_text()) == (n == 2)
    page.get_by_role("button", name="Check my work").click()
    expect(page.locator("#message")).to_contain_text("all stages: all 49 right ✓")
