"""The web sheet in Chromium: filled by keyboard and by thumb, kept, handed in, checked, printed."""

import io
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from pypdf import PdfReader

from attnhand.api import generate
from attnhand.attention.numbers import MINUS_INFINITY, Number, format_decimal, format_exact, use_typographic_signs
from attnhand.attention.spellings import read_number
from attnhand.errors import NumberError
from attnhand.formats.answers import read_answers_from_text
from attnhand.formats.html import render_html
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.formats.web import read_script
from attnhand.marking.checked import check_answers
from attnhand.marking.mark import mark_answers
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import Mark
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text.language import get_language
from attnhand.text.widths import RunStyle, parse_markup, parse_unicode, to_unicode
from tests.breadth import choose
from tests.marking.test_own_line import work_on
from tests.pages.conftest import SHARED_BROWSER
from tests.pages.reading import parse_html
from tests.pages.sheets import get_html, get_layouts, get_sheet
from tests.pages.test_colours import contrast
from tests.pages.web_students import collect_expected_marks, list_texts, mark_texts

ROOT = Path(__file__).parents[2]
CHECKS = PageOptions(self_check=True)


@dataclass
class WebSheetOpener:
    """Opens web sheets, and hears what they complain of."""

    folder: Path
    pages: list[Page] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, document: str, viewport: ViewportSize, *, color_scheme: Any = None, **options: Any) -> Page:
        """Show a page from a file."""
        file = self.folder / "sheet.html"
        file.write_text(document, encoding="utf-8")
        page = SHARED_BROWSER.get_context(**options).new_page()
        self.pages.append(page)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(file.as_uri())
        return page


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[WebSheetOpener]:
    """Return what opens web sheets, which remember nothing of other tests; what they complain of fails the test."""
    sheet_opener = WebSheetOpener(tmp_path)
    yield sheet_opener
    for page in sheet_opener.pages:
        page.evaluate("localStorage.clear()")
        page.close()
    assert sheet_opener.complaints == []


def map_key_by_id(sheet: Sheet) -> dict[str, Number]:
    """Return the key, by id of the cell."""
    return {
        make_cell_id(f"{solved.stage.name}[{i + 1},{j + 1}]"): value
        for solved in sheet.solution
        for i, row in enumerate(solved.hand)
        for j, value in enumerate(row)
    }


def find_focus(page: Page) -> str:
    """Return the name of the field that has the focus."""
    return str(page.evaluate("document.activeElement.name ?? ''"))


def fields(page: Page) -> list[str]:
    """Return the names of all fields in the cells, in order."""
    return list(page.evaluate("[...document.querySelectorAll('td input:not(.question)')].map(field => field.name)"))


# one grammar in two languages

READ_ALL = "texts => texts.map(text => { const r = readAnswer(text); return !r ? '' : r.unreadable ? '!' : "
READ_ALL += "`${formatExact(r.value)} ${r.places}`; })"


def write_expected_reading(text: str) -> str:
    """Read a text in Python and write what the script should say: "1/5 1", "" for nothing, "!" for no number."""
    try:
        reading = read_number(text)
    except NumberError:
        return "!"
    return (
        ""
        if reading is None
        else f"{format_exact(reading.value)} {'null' if reading.decimals is None else reading.decimals}"
    )


def test_the_script_reads_numbers_as_python_does(page: Page) -> None:
    """Every row of the table of spellings, and characters of Unicode's first plane alone and between digits."""
    table = json.loads((ROOT / "tests" / "data" / "spellings.json").read_text(encoding="utf-8"))
    known = [chr(c) for c in range(0x10000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    rows = [(text, f"{value} {'null' if places is None else places}") for text, value, places in table["read"]]
    rows += [(text, "!") for text in (*table["refused"], *(text for text, _ in table["dates"]))]
    rows += [
        (text, write_expected_reading(text)) for c in choose(known[::7], known) for text in (c, f"1{c}2", f"1 {c}")
    ]
    rows += [(text, write_expected_reading(text)) for text in (" ", "9" * 40, "9" * 41, "1e9", "1e-9", "  1   1/2 ")]
    grammar = read_script("numbers")
    readings = page.evaluate(f"(() => {{ {grammar}; return {READ_ALL}; }})()({json.dumps([text for text, _ in rows])})")
    assert len(rows) > choose(20_000, 100_000)
    assert {text: (js, py) for (text, py), js in zip(rows, readings, strict=True) if js != py} == {}


def test_the_script_says_why_as_python_does(page: Page) -> None:
    """Whatever cannot be read: a date, two numbers, a raised digit, none at all; each has its advice on the page."""
    table = json.loads((ROOT / "tests" / "data" / "spellings.json").read_text(encoding="utf-8"))
    reasons = {}
    for text in (*table["refused"], *(text for text, _ in table["dates"])):
        with pytest.raises(NumberError) as refusal:
            read_number(text)
        reasons[text] = refusal.value.args[0].key.removeprefix("number.")
    why = f"(texts) => {{ {read_script('numbers')}; return texts.map((text) => readAnswer(text).unreadable); }}"
    found = page.evaluate(why, list(reasons))
    assert dict(zip(reasons, found, strict=True)) == reasons
    sheet = get_sheet("classic columns")
    assert len(set(reasons.values())) >= 7
    assert all(sheet.has_sentence(f"web.advice.{reason}") for reason in reasons.values())


def test_the_script_sets_formulas_as_python_does(page: Page) -> None:
    """Variables in italics, indices lower, exponents raised: in all English sentences and some awkward ones."""
    sentences = [to_unicode(parse_markup(sentence)) for sentence in get_language("en").sentences.values()]
    sentences += [
        "Q, A and Z: A cell of W_K, row k₁₂. I k₁, a k₂",
        "3^scaled, √d_k; the child's x, Kᵀ = h1.K, ‘A’",
        "T. Yeh, ö a",
        "A pair (a, b) makes (−b, a) or (a cos θ, a since 2); A V and A X, A Vector",
    ]

    def write(text: str) -> str:
        tags = {RunStyle.SUB: "<sub>{}</sub>", RunStyle.SUP: "<sup>{}</sup>"}
        pieces = ((f"<i>{run.text}</i>" if run.is_italic else run.text, run.style) for run in parse_unicode(text))
        return "".join(tags.get(style, "{}").format(piece) for piece, style in pieces)

    make = "(tag, _, ...children) => `<${tag}>${children.join('')}</${tag}>`"
    script = f"const make = {make}; {read_script('formulas')}; return texts.map((each) => setMath(each).join(''));"
    found = page.evaluate(f"(texts) => {{ {script} }}", sentences)
    assert {text: js for text, js in zip(sentences, found, strict=True) if js != write(text)} == {}
    assert (
        write("A cell of A and Z, W_K, k₁₂")
        == "A cell of <i>A</i> and <i>Z</i>, <i>W</i><sub>K</sub>, <i>k</i><sub>12</sub>"
    )


# filled, kept, handed in, printed


def test_filled_by_keyboard_it_is_handed_in_and_printed(opener: WebSheetOpener) -> None:
    """Every cell by Tab, Enter and arrows; all correct when marked, there again after a reload, copied, on paper."""
    sheet, key = get_sheet("classic columns"), map_key_by_id(get_sheet("classic columns"))
    page = opener.open(get_html("classic columns", False), {"width": 1280, "height": 900})
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    names = fields(page)
    assert len(names) == sheet.answer_cell_count - 1
    page.locator(f"[name={names[0]}]").focus()
    for number, name in enumerate(names):
        assert find_focus(page) == name
        page.keyboard.insert_text(use_typographic_signs(format_exact(key[name])))
        page.keyboard.press("Tab" if number % 2 else "Enter")
    assert page.inner_text("#progress") == "116 of 116"
    copied = page.locator("table.copy td").all_inner_texts()
    assert copied == [use_typographic_signs(format_exact(key[f"K_{j}_{i}"])) for i in range(1, 5) for j in range(1, 4)]

    page.locator("[name=S_4_1]").focus()
    for pressed, reached in (
        ("ArrowDown", "scaled_1_1"),
        ("ArrowRight", "scaled_1_2"),
        ("ArrowUp", "S_4_2"),
        ("ArrowLeft", "S_4_1"),
        ("Shift+Enter", "S_3_4"),
    ):
        page.keyboard.press(pressed)
        assert find_focus(page) == reached

    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    assert download.value.suggested_filename == f"attnhand-answers-{sheet.code}.json"
    saved = download.value.path().read_text(encoding="utf-8")
    assert json.loads(saved)["sheet"] == json.loads(json.dumps(make_sheet_dict(sheet.blank)))
    assert mark_answers(read_answers_from_text(saved), sheet).is_all_correct

    page.reload()
    assert page.inner_text("#progress") == "116 of 116"
    page.get_by_role("button", name="Copy my answers").click()
    assert page.get_by_role("dialog").locator("textarea").input_value() == saved.strip()
    page.keyboard.press("Escape")

    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))
    assert len(printed.pages) == len(get_layouts(sheet)[0].pages)
    words = " ".join(each.extract_text() for each in printed.pages)
    assert all(use_typographic_signs(format_exact(key[name])) in words for name in names)
    assert "Save my answers" not in words

    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Clear").click()
    page.reload()
    assert page.inner_text("#progress") == "1 of 116"


def test_questions_are_answered_in_their_boxes(opener: WebSheetOpener) -> None:
    """Typed or chosen, named by what is asked, there again after a reload; saved as check reads them."""
    sheet = generate(7)
    asked = [question for question in build_questions(sheet.key) if question.name]
    page = opener.open(render_html(sheet.blank), {"width": 1280, "height": 900})
    assert [bool(question.choices) for question in asked] == [False, True, False, False, False]
    page.get_by_role("textbox", name=asked[0].spoken_text).fill(asked[0].plain_answer)
    page.keyboard.press("Enter")
    assert find_focus(page) == asked[1].name
    choice = page.get_by_role("combobox", name=asked[1].spoken_text)
    assert choice.locator("option").all_inner_texts() == ["", *asked[1].choices]
    choice.select_option(asked[1].plain_answer)
    for question in asked[2:]:
        page.locator(f"[name={question.name}]").fill(question.plain_answer)
    page.locator("[name=K_1_2]").fill("0")
    assert page.locator("td#ask1").get_attribute("aria-label") == "answer to question 1"
    for _ in range(2):  # what is put back is remembered again
        page.reload()
        assert page.inner_text("#message") == "Your answers from last time are back."
        assert page.inner_text("#progress") == "2 of 116"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    answers = read_answers_from_text(download.value.path().read_text(encoding="utf-8"))
    assert [answers.stages[question.name] for question in asked] == [((each.plain_answer,),) for each in asked]
    assert [each.mark for each in check_answers(answers, sheet).question_marks] == [Mark.CORRECT] * 5
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Clear").click()
    assert page.locator("[name=ask1]").input_value() == page.locator("[name=ask2]").input_value() == ""


def test_answers_are_copied_to_the_clipboard(opener: WebSheetOpener) -> None:
    """Where the browser has one: what is pasted is the file that is saved."""
    page = opener.open(get_html("warm-up rows", False), {"width": 1280, "height": 900})
    page.evaluate("navigator.clipboard.writeText = async text => { window.pasted = text; }")
    page.locator("td input").first.fill("9/46")
    page.get_by_role("button", name="Copy my answers").click()
    page.get_by_text("Copied").wait_for()
    pasted = read_answers_from_text(page.evaluate("window.pasted"))
    assert [cell for rows in pasted.stages.values() for row in rows for cell in row if cell] == ["9/46"]


def test_what_cannot_be_read_is_said(opener: WebSheetOpener) -> None:
    """When the cell is left, in words and to those who listen; gone again when it is mended."""
    page = opener.open(get_html("classic rows", False), {"width": 1280, "height": 900})
    cell = page.get_by_role("textbox", name="S, row q₁, column k₂", exact=True)
    cell.fill("1,234")
    cell.press("Enter")
    assert cell.get_attribute("aria-invalid") == "true"
    assert page.text_content("#progress") == "2 of 116, 1 cannot be read"
    assert page.inner_text("#message").startswith("S, row q1, column k2: 1,234 cannot be read. It has two readings")
    cell.fill("1.234")
    assert cell.get_attribute("aria-invalid") is None


# checking


def candidates(value: Number) -> list[str]:
    """Return what students write for a value: itself, rounded, one digit, percent, no number, another one."""
    texts = [
        format_exact(value),
        format_decimal(value, 2),
        format_decimal(value, 3),
        format_decimal(value, 1),
        "x",
        "0.77",
        "−5",
    ]
    return [format_exact(value)] if value == MINUS_INFINITY else texts


MARK_CLASSES = {"correct": "mark-right", "follows": "mark-follows", "wrong": "mark-not-yet"}


@pytest.mark.parametrize("name", ["causal columns", "guide"])
def test_it_checks_as_the_marker_does(opener: WebSheetOpener, name: str) -> None:
    """Right, follows, not yet, cannot be read: cell for cell what Python says, by fractions and by decimals."""
    plain = get_sheet(name)
    sheet = Sheet(**{**{f: getattr(plain, f) for f in ("solution", "code", "request", "is_salted")}, "options": CHECKS})
    page = opener.open(render_html(sheet.blank), {"width": 1280, "height": 900})
    key, names = map_key_by_id(sheet), fields(page)
    texts = {cell: candidates(key[cell])[i % len(candidates(key[cell]))] for i, cell in enumerate(names)}
    for each in mark_texts(sheet, texts).cells:  # one that follows from those before it
        trial = texts | {make_cell_id(each.address): format_exact(each.from_yours or 0)}
        if each.from_yours is not None and "follows" in [
            mark for mark, *_ in collect_expected_marks(sheet, trial).values()
        ]:
            texts = trial
            break
    page.evaluate(
        """texts => { for (const field of document.querySelectorAll('td input:not(.question)')) {
            field.value = texts[field.name];
            field.dispatchEvent(new Event('input'));
        } }""",
        texts,
    )
    page.get_by_role("button", name="Check my work").click()
    found = page.evaluate(
        "[...document.querySelectorAll('td.blank:has(input:not(.question))')].map(cell => [cell.id, cell.className])"
    )
    marks = {cell: next(c for c in classes.split() if c.startswith("mark-")) for cell, classes in found}
    expected_marks = {
        cell: MARK_CLASSES.get(mark, f"mark-{mark}")
        for cell, (mark, *_) in collect_expected_marks(sheet, texts).items()
        if cell in texts
    }
    assert marks == expected_marks
    assert set(expected_marks.values()) == {*MARK_CLASSES.values(), "mark-unreadable"}
    count = list(expected_marks.values()).count("mark-right") + 1  # the worked cell, which is printed
    assert page.inner_text("#message").startswith(f"all stages: {count} right ✓,")
    page.locator("#check-what").select_option("Q")
    page.get_by_role("button", name="Check my work").click()
    assert page.inner_text("#message").startswith("queries: ")


def test_copies_of_made_up_numbers_are_not_crossed(opener: WebSheetOpener) -> None:
    """Scores that are all 2 and what comes of them: an arrow, and how many calculations were left, where one goes."""
    sheet = generate(7, options=CHECKS)
    page = opener.open(render_html(sheet.blank), {"width": 1280, "height": 900})
    texts = list_texts(sheet, work_on(sheet, "S", ((2,) * 4,) * 4).texts)
    page.evaluate(
        """texts => { for (const field of document.querySelectorAll('td input:not(.question)')) {
            field.value = texts[field.name] ?? '';
            field.dispatchEvent(new Event('input'));
        } }""",
        texts,
    )
    page.get_by_role("button", name="Check my work").click()
    assert page.locator("td.mark-not-yet:not([id^=S_])").count() == 0
    # the half of 2 is worked once, and so is all that comes of it; each row of Z is the mean of a row of V
    lefts = {f"{name}_4_4": "one calculation" for name in ("scaled", "powers", "A")} | {"Z_1_4": "3 calculations"}
    for cell, left in lefts.items():
        page.locator(f"#{cell} input").focus()
        said = f"follows from your numbers, which left {left} to do here"
        assert page.inner_text("#message").endswith(said), cell
        assert str(page.locator(f"#{cell} input").get_attribute("aria-label")).endswith(said)
        assert "mark-follows" in str(page.locator(f"#{cell}").get_attribute("class"))


def test_a_page_that_does_not_check_knows_no_key() -> None:
    """Neither values nor the means to check; one that checks has both."""
    for options, checks in ((PageOptions(), False), (CHECKS, True)):
        document = render_html(generate(7, options=options).blank)
        page_data, script = (element.text for element in parse_html(document).root.find_all("script"))
        assert ("key" in json.loads(page_data), "function markSheet" in script) == (checks, checks)
        assert ("check.right" in json.loads(page_data)["words"]) == checks
    assert "<script" not in render_html(generate(7, options=PageOptions(mistake="any")).blank)


# on a phone


def check_legibility(page: Page, within: str) -> None:
    """Hold every visible text in some elements to 4.5 to 1."""
    found = page.evaluate(
        """within => [...document.querySelectorAll(within)].filter(e => e.offsetWidth && e.innerText).map(e => {
            let behind = e;
            while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
            return [e.innerText, getComputedStyle(e).color, getComputedStyle(behind).backgroundColor];
        })""",
        within,
    )
    assert len(found) > 5

    def low(colours: list[str]) -> bool:
        return contrast(*("#" + "".join(f"{int(c):02x}" for c in re.findall(r"\d+", rgb)[:3]) for rgb in colours)) < 4.5

    assert [text for text, *colours in found if low(colours)] == []


@pytest.mark.parametrize("scheme", choose(["dark"], ["light", "dark"]))
def test_one_cell_at_a_time(opener: WebSheetOpener, scheme: Any) -> None:
    """Begun so on a phone: two cells by the keypad, a swipe each way, the sum tapped, the map, the whole sheet."""
    sheet = get_sheet("classic columns")
    key = map_key_by_id(sheet)
    page = opener.open(
        get_html("classic columns", False), {"width": 390, "height": 800}, has_touch=True, color_scheme=scheme
    )
    title, answer, total = (page.locator(name) for name in ("#phone-title", "#answer", "#total"))
    assert not page.locator("section.page").first.is_visible()
    assert answer.get_attribute("inputmode") == "none"

    def press(keys: str) -> None:
        for name in keys:
            page.locator("#keypad").get_by_role("button", name=name, exact=True).tap()

    def swipe(start: int, end: int) -> None:
        session = page.context.new_cdp_session(page)
        for kind, x in (("touchStart", start), ("touchMove", (start + end) // 2), ("touchMove", end)):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": 250}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    assert title.inner_text() == "K, row 1, column k1"
    pairs = page.locator("#parts button")
    left, right = (sheet.problem[name] for name in ("W_K", "X"))
    assert pairs.all_inner_texts() == [use_typographic_signs(f"{left[0][i]}\n·\n{right[i][0]}") for i in range(6)]
    terms = []
    for i in range(6):
        pairs.nth(i).tap()
        factors = (str(a[row][column]) for a, row, column in ((left, 0, i), (right, i, 0)))
        terms.append(" · ".join(f"({text})" if text.startswith("-") else text for text in factors))
        expect(total).to_have_text(use_typographic_signs(" + ".join(terms)))
    press("7")
    page.locator("#keypad").get_by_role("button", name="Delete").tap()
    press(use_typographic_signs(format_exact(key["K_1_1"])))
    page.locator("#keypad").get_by_role("button", name="next").tap()
    expect(title).to_have_text("K, row 1, column k2")
    expect(answer).to_have_value("")
    press("−9/46")
    expect(answer).to_have_value("−9/46")
    page.keyboard.type("0")
    assert answer.input_value() == "−9/460"
    page.keyboard.type("0" * 40)
    press("7")
    assert len(answer.input_value()) == 40
    answer.fill("−9/460")
    # from here by clicks: a tap right after a swipe only stops what it set moving
    swipe(100, 300)
    expect(title).to_have_text("K, row 1, column k1")
    expect(answer).to_have_value(use_typographic_signs(format_exact(key["K_1_1"])))
    swipe(300, 100)
    expect(title).to_have_text("K, row 1, column k2")
    assert page.inner_text("#progress") == "3 of 116"

    page.get_by_role("navigation").get_by_role("button", name="S, scores: 0 of 16").click()
    expect(title).to_have_text("S, row k1, column q1")
    expect(page.locator("#parts button:disabled")).to_have_count(3)  # the queries are not there yet
    assert page.locator("#parts button").first.inner_text() == use_typographic_signs(
        f"{format_exact(key['K_1_1'])}\n·\n□"
    )
    check_legibility(page, "#tools *, #phone *")
    page.get_by_role("button", name="House rules").click()
    assert "halve and round down" in page.get_by_role("dialog").inner_text()
    check_legibility(page, "dialog, dialog *, #tools *")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("button", name="Whole sheet").click()
    expect(page.locator("[name=K_1_2]")).to_have_value("−9/460")
    expect(page.locator("#phone")).to_be_hidden()


def test_what_is_cleared_is_gone_from_the_single_cell_too(opener: WebSheetOpener) -> None:
    """The answer on show is emptied with all the others: what is typed next does not go on from it."""
    page = opener.open(get_html("warm-up rows", False), {"width": 390, "height": 800})
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#answer").fill("42")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#answer")).to_have_value("")


def test_a_small_phone_shows_the_whole_keypad(opener: WebSheetOpener) -> None:
    """When the page opens, also where it can check; the bar stays as high with an answer that cannot be read."""
    page = opener.open(render_html(generate(7, options=CHECKS).blank), {"width": 320, "height": 640}, has_touch=True)
    places = [page.locator("#keypad button").nth(at).bounding_box() for at in range(14)]
    assert all(place and place["y"] + place["height"] <= 640 for place in places)
    low = page.locator("#check-what").bounding_box()
    page.locator("#answer").fill("//")
    page.get_by_role("button", name="next", exact=True).click()
    expect(page.locator("#progress")).to_have_text("2 of 116, 1 cannot be read")
    assert page.locator("#check-what").bounding_box() == low
    page.get_by_role("button", name="More").click()
    page.on("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("button", name="Clear")).to_be_hidden()
    assert page.evaluate("document.activeElement.id") == "more"


@pytest.mark.parametrize("name", ["causal rows", "block columns", *choose((), ("classic columns",))])
def test_no_key_moves_from_stage_to_stage(opener: WebSheetOpener, name: str) -> None:
    """On a phone that is high enough: "next" is where it was, whatever the stage, with or without message."""
    page = opener.open(get_html(name, False), {"width": 390, "height": 1000}, has_touch=True)
    key = page.locator("#keypad").get_by_role("button", name="next", exact=True)
    places = {key.evaluate("button => button.getBoundingClientRect().top + scrollY")}
    for number in range(page.locator("#map button").count()):
        page.locator("#map button").nth(number).click()
        places.add(key.evaluate("button => button.getBoundingClientRect().top + scrollY"))
    page.locator("#answer").fill("//")
    key.click()
    expect(page.locator("#message")).to_contain_text("cannot be read")
    places.add(key.evaluate("button => button.getBoundingClientRect().top + scrollY"))
    assert len(places) == 1, places
    page.locator("#answer").fill("1")
    expect(page.locator("#message")).to_be_hidden()


@pytest.mark.parametrize(("name", "width", "is_scheme"), [
    ("classic columns", 820, True), ("classic columns", 680, True), ("classic columns", 640, False),
    ("classic rows", 820, True), ("classic rows", 680, True), ("classic rows", 640, False),
])  # fmt: skip
def test_a_narrow_screen_keeps_the_scheme_or_shows_one_cell(
    opener: WebSheetOpener, name: str, width: int, is_scheme: bool
) -> None:
    """Row meets column there too, a little smaller; where it would be too small, as at 200 %, it is cell by cell."""
    page = opener.open(get_html(name, False), {"width": width, "height": 900})
    assert page.locator("#phone").is_visible() is not is_scheme
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if is_scheme:
        tools, paper = (page.locator(each).first.bounding_box() for each in ("#tools", ".page"))
        assert tools
        assert paper
        assert tools["width"] == pytest.approx(paper["width"], abs=4), "the bar is as wide as the page"
        factor, product = (page.locator(f"td#{id}").bounding_box() for id in ("K_1_2", "Q_1_2"))
        assert factor
        assert product
        same, across = ("x", "y") if name.endswith("columns") else ("y", "x")
        assert factor[same] == pytest.approx(product[same], abs=1)  # type: ignore[literal-required]
        assert factor[across] < product[across]  # type: ignore[literal-required]


def test_a_message_moves_nothing_and_goes_away(opener: WebSheetOpener) -> None:
    """It lies over the page; a click takes it away."""
    page = opener.open(get_html("classic columns", False), {"width": 1280, "height": 900})
    sheet = page.locator(".page").first
    before = sheet.bounding_box()
    page.locator("[name=K_1_2]").fill("//")
    page.locator("[name=K_1_3]").focus()
    expect(page.locator("#message")).to_contain_text("cannot be read")
    assert sheet.bounding_box() == before
    page.locator("#message").click()
    expect(page.locator("#message")).to_be_hidden()


def test_the_name_is_typed_on_its_line(opener: WebSheetOpener) -> None:
    """It is handed in with the answers, and there again after a reload."""
    page = opener.open(get_html("classic columns", False), {"width": 1280, "height": 900})
    page.get_by_label("Name").fill("Zoë")
    page.reload()
    expect(page.get_by_label("Name")).to_have_value("Zoë")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert read_answers_from_text(text).name == "Zoë"


def test_what_is_talked_about_is_typed_kept_and_handed_in_unmarked(opener: WebSheetOpener) -> None:
    """A guess, a reason and what misled: each on its line, a ? among them; what is marked stays as it is."""
    page = opener.open(get_html("classic columns", False), {"width": 1280, "height": 900})
    texts = {
        "Guess before S: q4 will look most at token": "3?",
        "Because": "keys differ",
        "Your guess: was it right, or what misled you?": "no",
    }
    for label, text in texts.items():
        page.get_by_role("textbox", name=label).press_sequentially(text)
    assert page.inner_text("#progress") == "1 of 116"
    page.reload()
    for label, text in texts.items():
        expect(page.get_by_role("textbox", name=label)).to_have_value(text)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert [note["text"] for note in json.loads(text)["notes"]] == [*texts.values()]
    marks = check_answers(read_answers_from_text(text), get_sheet("classic columns")).marks
    assert {cell.mark for cell in marks.cells} <= {Mark.BLANK, Mark.CORRECT}


def test_without_scripts_it_says_what_to_do(opener: WebSheetOpener) -> None:
    """As the preview of a mail shows it: the page as it prints, and one sentence."""
    page = opener.open(
        get_html("classic columns", False),
        {"width": 1280, "height": 720},
        color_scheme="dark",
        java_script_enabled=False,
    )
    assert "open it in a browser" in page.locator(".notice").inner_text()
    assert page.locator("input, button").count() == 0
    colours = page.locator(".notice").evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    assert colours == ["rgb(241, 241, 241)", "rgb(23, 24, 28)"]
