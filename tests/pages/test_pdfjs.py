"""A form filled by pdf.js, in the browser that is here."""

import shutil

from playwright.sync_api import sync_playwright

from attnhand.marking.mark import marked
from attnhand.marking.pdf_answers import answers_from_pdf
from tests.conftest import MadeForm
from tests.filling import by_pdfjs, perfect
from tests.pages.conftest import BROWSERS, PDFJS
from tests.pages.sheets import sheet
from tests.pages.test_browser import FLAGS


def test_what_pdfjs_fills_is_read_back(form: MadeForm) -> None:
    """The key's values, typed with a true minus and ½, are all correct."""
    name = "classic columns"
    path = next((found for browser in BROWSERS if (found := shutil.which(browser))), None)
    assert path, f"no browser: install chromium ({', '.join(BROWSERS)})"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        values = {**perfect(sheet(name)), "name": "Ada Łovelace"}
        filled = by_pdfjs(browser.new_page(), PDFJS, form(name).read_bytes(), values)
        browser.close()
    answers = answers_from_pdf(filled)
    assert answers.code == sheet(name).code
    assert marked(answers, sheet(name)).all_correct
