"""What the tests of pages share: PDFs, and what a machine must have for which tests."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from attnhand.formats.pdf.pdf import render_pdf
from tests.conftest import RenderOnce
from tests.pages.sheets import get_sheet

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# as the container that runs the tests allows; and without talking to anybody
BROWSER_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
BROWSER_FLAGS += ["--disable-component-update", "--disable-sync"]

HAS_BROWSER = any(shutil.which(name) for name in BROWSERS)

PDFJS = Path("/usr/share/javascript/pdf/build")
"""Where Debian and Ubuntu keep pdf.js, the reader of Firefox: package libjs-pdf."""

HAS_TOOLS_BY_FILE = {
    "test_accessibility.py": HAS_BROWSER,
    "test_browser.py": HAS_BROWSER,
    "test_class_pages.py": HAS_BROWSER,
    "test_web_marker.py": HAS_BROWSER,
    "test_web_sheet.py": HAS_BROWSER,
    "test_web_tutor.py": HAS_BROWSER,
    "test_scorm_page.py": HAS_BROWSER,
    "test_pictures_seen.py": HAS_BROWSER,
    "test_pdfjs.py": HAS_BROWSER and (PDFJS / "pdf.worker.js").exists(),
    "test_printed_page.py": all(shutil.which(name) for name in ("pdftoppm", "pdftotext", "pdffonts")),
    "test_shared_pages.py": shutil.which("pdftotext") is not None,
    "test_drawn_page.py": all(shutil.which(name) for name in ("pdftoppm", "pdftotext")),
    "test_names.py": HAS_BROWSER and shutil.which("pdftotext") is not None,
    "test_pdf_syntax.py": shutil.which("qpdf") is not None,
}
"""Test files that look through other programs, and whether this machine has them; ``.ci/setup`` installs them."""

# on a build server nothing is left out: there these tests fail for want of their program
collect_ignore = [
    name for name, has_tools in HAS_TOOLS_BY_FILE.items() if not has_tools and os.environ.get("CI") != "true"
]


def find_browser_path() -> str:
    """Return where the system's Chromium is."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    assert path, f"no browser: install chromium ({', '.join(BROWSERS)})"
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium once for all tests of a module."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser_path(), args=BROWSER_FLAGS)
        yield started
        started.close()


def open_context(browser: Browser, **options: Any) -> BrowserContext:
    """Open a context, with a page that stays open: where the last one is closed, the next needs a new process."""
    opened = browser.new_context(**options)
    opened.new_page()
    return opened


@pytest.fixture(scope="module")
def context(browser: Browser) -> BrowserContext:
    """Return where pages of a module are opened: each in a context of its own takes twice the time."""
    return open_context(browser)


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Page:
    """Return a page that shows nothing, where scripts run."""
    return context.new_page()


def call_script(page: Page, function: str, given: Any) -> Any:
    """Call a JavaScript function in a page; what it is given and gives is text on the way, which is quicker tenfold."""
    call = f"(given) => JSON.stringify(({function})(JSON.parse(given)))"
    return json.loads(page.evaluate(call, json.dumps(given)))


GetPdfPath = Callable[[str, bool], Path]


@pytest.fixture(scope="session")
def pdf(once: RenderOnce) -> GetPdfPath:
    """Return where the PDF of a sheet of ``MADE`` is."""

    def render(name: str, solved: bool) -> Path:
        sheet = get_sheet(name).key if solved else get_sheet(name).blank
        return once(f"{name} {'key' if solved else 'blank'}", lambda: render_pdf(sheet))

    return render
