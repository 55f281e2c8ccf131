"""Questions as a learning platform shows them: its theme is Bootstrap's, of which a few lines stand in here.

Without a style of their own numbers of a table ran together there ("−10 010 0"), and fields left the screen of a phone.
"""

import re
from html import escape

import pytest
from playwright.sync_api import Browser

import attnhand
from attnhand.formats.question_text import TABLE_CLASSES
from tests.formats.cloze import ClozeQuestion, Field, read_quiz

THEME = """
* { box-sizing: border-box } body { margin: 0; padding: 15px; font: 15px sans-serif }
table { border-collapse: collapse } td, th { padding: 1px }
.table-responsive { display: block; width: 100%; overflow-x: auto }
.table { width: 100%; margin-bottom: 1rem } .w-auto { width: auto !important }
.table-sm td, .table-sm th { padding: .3rem }
.table-bordered, .table-bordered td, .table-bordered th { border: 1px solid #dee2e6 }
.position-relative { position: relative !important }
.accesshide { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) }
.form-control { padding: 6px 12px; border: 1px solid #8f959e; font: inherit }
"""
"""What the theme of Moodle 4 says of tables and fields."""

MEASURES = """() => ({
  page: document.documentElement.scrollWidth,
  lost: [...document.querySelectorAll('.field')].filter((field) => !field.closest('.table-responsive')).length,
  gaps: [...document.querySelectorAll('tr')].flatMap((row) => [...row.cells].slice(1).map((cell, n) => {
    const find = (each) => { const range = document.createRange(); range.selectNodeContents(each);
      return range.getBoundingClientRect() };
    return find(cell).left - find(row.cells[n]).right;
  })),
})"""

PHONE, DESK = 390, 1200


def draw_field(field: Field) -> str:
    """Return a field as Moodle makes it: as wide as its longest answer, with a label that nobody sees."""
    if field.kind == "SHORTANSWER":
        return f'<label class="accesshide">Answer</label><input class="form-control field" size="{field.width}">'
    return f'<select class="field">{"".join(f"<option>{escape(each.answer)}" for each in field.choices)}</select>'


def draw_question(question: ClozeQuestion) -> str:
    """Return the page of a question."""
    text = re.sub(r"⟦(\d+)⟧", lambda at: draw_field(question.fields[int(at[1])]), question.text)
    return f"<!DOCTYPE html><meta charset='utf-8'><style>{THEME}</style>{text}{question.solution}"


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_numbers_stand_apart_and_the_page_is_as_wide_as_the_screen(browser: Browser, width: int) -> None:
    """A table that is wider than a phone is scrolled by itself; between two numbers there is a line and room."""
    _, questions = read_quiz(attnhand.generate(seed=7).moodle())
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    try:
        for question in questions:
            page.set_content(draw_question(question))
            measured = page.evaluate(MEASURES)
            assert measured["page"] <= width, question.name
            assert min(measured["gaps"]) >= 9, question.name
            borders = page.locator("td").evaluate_all("cells => cells.map((c) => getComputedStyle(c).borderLeftWidth)")
            assert {*borders} == {"1px"}
            if len(question.fields) > 5:  # and not the questions and the try, which have no table
                assert measured["lost"] == 0
    finally:
        context.close()
    assert {"table", "table-bordered", "table-sm", "w-auto"} == {*TABLE_CLASSES.split()}
