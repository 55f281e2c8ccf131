"""A form filled by pdf.js, in the browser that is here."""

from playwright.sync_api import Browser

from attnhand.formats.pdf.form_reader import answers_from_pdf
from attnhand.marking.mark import marked
from tests.conftest import MadeForm
from tests.filling import by_pdfjs, perfect
from tests.pages.conftest import PDFJS
from tests.pages.sheets import sheet


def test_what_pdfjs_fills_is_read_back(form: MadeForm, browser: Browser) -> None:
    """The key's values, typed with a true minus and ½, are all correct."""
    name = "classic columns"
    values = {**perfect(sheet(name)), "name": "Ada Łovelace"}
    filled = by_pdfjs(browser.new_page(), PDFJS, form(name).read_bytes(), values)
    answers = answers_from_pdf(filled)
    assert answers.code == sheet(name).code
    assert marked(answers, sheet(name)).all_correct
