"""A form filled by pdf.js, in the browser that is here."""

from playwright.sync_api import Browser

from attnhand.formats.pdf.form_reader import read_answers_from_pdf
from attnhand.marking.mark import mark_answers
from tests.conftest import GetFormPath
from tests.filling import fill_with_pdfjs, make_perfect_values
from tests.pages.conftest import PDFJS
from tests.pages.sheets import get_sheet


def test_what_pdfjs_fills_is_read_back(form: GetFormPath, browser: Browser) -> None:
    """The key's values, typed with a true minus and ½, are all correct."""
    name = "classic columns"
    values = {**make_perfect_values(get_sheet(name)), "name": "Ada Łovelace"}
    filled = fill_with_pdfjs(browser.new_page(), PDFJS, form(name).read_bytes(), values)
    answers = read_answers_from_pdf(filled)
    assert answers.code == get_sheet(name).code
    assert mark_answers(answers, get_sheet(name)).is_all_correct
