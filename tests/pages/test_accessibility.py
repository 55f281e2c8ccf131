"""What machines find that hinders people: axe-core over every kind of web page, and keys that lead everywhere."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

import attnhand
from attnhand.classroom.gradebook import UnreadablePaper, build_gradebook
from attnhand.classroom.summary import build_summary
from attnhand.classroom.summary_views import render_summary_html
from attnhand.formats.html import render_html
from attnhand.marking.report import render_report_html
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.breadth import LOOKS_AT_ALL, choose
from tests.marking.handing_in import make_slip, write_answers, write_key

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""WCAG 2.2 at level AA, and what axe-core's authors think good."""

PHONE, WINDOW = ViewportSize(width=320, height=640), ViewportSize(width=1280, height=720)
"""The former is also what a window of 1280 pixels is at four times the size."""


def make_warm_up_sheet(**options: Any) -> Sheet:
    """Return a small sheet."""
    return attnhand.generate(7, level="warm-up", **options)


def make_report() -> str:
    """Return a paper with a right answer, wrong ones, what follows, one that cannot be read and an empty cell."""
    sheet = make_warm_up_sheet(convention="rows")
    answers = write_answers(sheet, make_slip(sheet, "times-not-power", "powers"))
    answers["Q"][0][0], answers["Z"][0][0], answers["Z"][1][1] = "17", "", "zz"
    return render_report_html(attnhand.check(answers, sheet)).decode()


def make_class_summary() -> str:
    """Return what is told of a class: a right paper, one with a slip, and a file that is none."""
    sheet = attnhand.generate(7)
    right, slip = (
        replace(attnhand.check(rows, sheet), file=name)
        for name, rows in (
            ("ada.json", write_key(sheet)),
            ("b.json", write_answers(sheet, make_slip(sheet, "other-axis", "A"))),
        )
    )
    refused = UnreadablePaper(file="x.txt", reason="is none")
    return render_summary_html(
        build_summary(build_gradebook([right, slip], unreadable_papers=[refused]), sheet, sheet.language)
    ).decode()


KINDS: dict[str, Callable[[], str]] = {
    "blank": lambda: render_html(make_warm_up_sheet(causal=True).blank),
    "blank in rows, asked later": lambda: render_html(
        make_warm_up_sheet(convention="rows", options=PageOptions(from_stage="S", show_exact=True)).blank
    ),
    "self-check, words": lambda: render_html(
        make_warm_up_sheet(words=("the", "cat", "sat"), options=PageOptions(self_check=True)).blank
    ),
    "key of a block": lambda: render_html(make_warm_up_sheet(mechanism="block", convention="rows").key),
    "key with long labels": lambda: render_html(
        attnhand.generate(7, words=("the", "elephant", "saw", "the", "rhinoceros"), positions=True).key
    ),
    "key of heads": lambda: render_html(make_warm_up_sheet(mechanism="multi-head", causal=True).key),
    "key in large print": lambda: render_html(make_warm_up_sheet(options=PageOptions(large_print=True)).key),
    "one trace": lambda: render_html(make_warm_up_sheet(mechanism="cross", options=PageOptions(trace=2)).key),
    "a mistake to find": lambda: render_html(make_warm_up_sheet(options=PageOptions(mistake="any")).blank),
    "report": make_report,
    "summary": make_class_summary,
}
"""Every kind of web page."""

COLOURED = ("self-check, words", "report", "summary")
"""Those with colours of their own; of the others every text is measured elsewhere, at a tenth of the cost."""


LIKE_OTHERS = (
    *("blank", "key with long labels", "key in large print", "a mistake to find", "key of a block", "key of heads"),
    "one trace",
)
"""Those of which others have every part; ``make sweep`` looks at them too."""


def open_page(
    context: BrowserContext, folder: Path, document: str, viewport: ViewportSize = WINDOW, **media: Any
) -> Page:
    """Show a page from a file, which remembers nothing of other tests."""
    file = folder / "page.html"
    file.write_text(document, encoding="utf-8")
    page = context.new_page()
    page.set_viewport_size(viewport)
    page.emulate_media(**media)
    page.add_init_script("localStorage.clear()")
    page.goto(file.as_uri())
    return page


def find_violations(page: Page, *rules: str, contrast: bool = True) -> set[str]:
    """Return what axe-core finds, each with the first place of it; with names of rules it looks at those alone."""
    only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": TAGS}
    options = {"resultTypes": ["violations"], "runOnly": only, "rules": {"color-contrast": {"enabled": contrast}}}
    result: Any = Axe().run(page, options=options).response
    return {f"{each['id']}: {each['nodes'][0]['html'][:100]}" for each in result["violations"]}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if LOOKS_AT_ALL or kind not in LIKE_OTHERS])
def test_axe_finds_nothing(context: BrowserContext, tmp_path: Path, kind: str) -> None:
    """On a phone, in every view of the page; and nothing has to be pushed sideways to be read."""
    page = open_page(context, tmp_path, KINDS[kind](), PHONE)
    contrast = kind in COLOURED
    assert find_violations(page, contrast=contrast) == set()
    if page.locator("#phone").count():
        page.get_by_role("button", name="More").click()
        page.get_by_role("button", name="House rules").click()
        assert find_violations(page, contrast=contrast) == set()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Whole sheet").click()
        assert find_violations(page, contrast=contrast) == set()
    if contrast:
        page.emulate_media(color_scheme="dark")
        assert find_violations(page, "color-contrast") == set()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.close()


def test_axe_sees_what_hinders(context: BrowserContext, tmp_path: Path) -> None:
    """A page without a language, with pale text and a field without a name is not let through."""
    document = KINDS["a mistake to find"]().replace('<html lang="en">', "<html>").replace("<main>", "<main><input>")
    page = open_page(context, tmp_path, document)
    page.evaluate("document.querySelector('.page h1').style.color = '#ccc'")
    assert {each.partition(":")[0] for each in find_violations(page)} >= {"html-has-lang", "color-contrast", "label"}
    page.close()


# by keyboard

FOCUSED = """() => {
    const it = document.activeElement, style = getComputedStyle(it), box = it.getBoundingClientRect();
    const seen = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
    const ringed = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    return [[...document.querySelectorAll('*')].indexOf(it), it === document.body ? 'body' : '', seen && ringed];
}"""

TAB_STOPS = """() => [...document.querySelectorAll('button, input, select, [tabindex="0"]')].filter(
    it => it.checkVisibility() && !it.disabled).map(it => [...document.querySelectorAll('*')].indexOf(it))"""


def walk_with_key(page: Page, key: str, max_presses: int) -> list[int]:
    """Press a key until it leads out of the page; return where the focus was, each place seen and ringed."""
    places = [page.evaluate(FOCUSED)[0]]
    for _ in range(max_presses):
        page.keyboard.press(key)
        place, is_body, is_seen = page.evaluate(FOCUSED)
        if is_body or place in places:
            break
        assert is_seen, place
        places.append(place)
    return places


@pytest.mark.parametrize("width", choose([320], [320, 1280]))
def test_a_keyboard_leads_everywhere(context: BrowserContext, tmp_path: Path, width: int) -> None:
    """Tab reaches all there is to use, in the order of the page, shows where it is, and is caught nowhere."""
    sheet = make_warm_up_sheet(options=PageOptions(self_check=True, from_stage=choose("powers", None)))
    page = open_page(context, tmp_path, render_html(sheet.blank), {"width": width, "height": 640})
    for _ in range(2):  # the view that it begins with, then the other
        stops = page.evaluate(TAB_STOPS)
        assert len(stops) > 20
        for key, way in (("Tab", stops), ("Shift+Tab", stops[::-1])):
            page.evaluate(f"document.querySelectorAll('*')[{way[0]}].focus()")
            assert walk_with_key(page, key, len(stops) + 2) == way
        page.locator("#view").focus()
        page.keyboard.press("Enter")


def test_escape_closes_what_opens(context: BrowserContext, tmp_path: Path) -> None:
    """The house rules and the tools that a phone hides; the focus goes back to what opened them."""
    page = open_page(context, tmp_path, render_html(make_warm_up_sheet().blank), PHONE)
    for name in ("House rules", "More"):
        page.get_by_role("button", name=name).focus()
        page.keyboard.press("Enter")
        assert page.locator("dialog, #extra.open").count() == 1
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(page.locator("dialog, #extra.open")).to_have_count(0)
        assert page.evaluate("document.activeElement.textContent") == name


def test_those_who_listen_hear_where_they_are(context: BrowserContext, tmp_path: Path) -> None:
    """On a phone: which stage of the map is the current one, and that an answer cannot be read."""
    page = open_page(context, tmp_path, render_html(make_warm_up_sheet().blank), PHONE)
    assert page.locator('#map [aria-current="true"]').inner_text().startswith("K")
    page.locator("#answer").fill("zz")
    page.locator("#answer").press("Enter")
    page.get_by_role("button", name="Previous cell").click()
    assert page.locator("#answer").get_attribute("aria-invalid") == "true"


def test_a_screen_of_few_colours_still_tells(context: BrowserContext, tmp_path: Path) -> None:
    """Where the system paints in its own colours, a filled cell of the map differs from an empty one."""
    page = open_page(context, tmp_path, render_html(make_warm_up_sheet().blank), PHONE, forced_colors="active")
    page.locator("#answer").fill("1")
    colours = page.evaluate(
        "['.filled', ':not([class*=filled])'].map(k => getComputedStyle(document.querySelector(`.dots i${k}`)))"
        ".map(style => style.backgroundColor)"
    )
    assert colours[0] != colours[1]
