"""What the tests of pages share: PDFs, and what a machine must have for which tests."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from attnhand.formats.pdf.pdf import render_pdf
from tests.conftest import RenderOnce
from tests.pages.sheets import get_sheet

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no windows, and takes a third less time."""

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
    "test_platform_look.py": HAS_BROWSER,
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


class SharedBrowser:
    """The system's Chromium, from the first test of this folder that asks for it until those of another follow.

    Not as long as all tests run: Playwright keeps an event loop running, and a cluster wants one of its own.
    """

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._browser: Browser | None = None
        self._contexts: dict[str, BrowserContext] = {}

    def start(self) -> Browser:
        """Start it, if it does not run."""
        if self._browser is None:
            playwright = self._closing.enter_context(sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=find_browser_path(), args=BROWSER_FLAGS)
            self._closing.callback(self._browser.close)
        return self._browser

    def get_context(self, **options: Any) -> BrowserContext:
        """Return a context that tests share, for pages that are closed again: one for each page takes twice the time.

        A page of it stays open: where the last one is closed, the next needs a new process.
        """
        if (kind := str(options)) not in self._contexts:
            self._contexts[kind] = self.start().new_context(**options)
            self._contexts[kind].new_page()
        return self._contexts[kind]

    def close(self) -> None:
        """End it, if it runs."""
        self._closing.close()
        self._browser, self._contexts = None, {}


SHARED_BROWSER = SharedBrowser()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser behind the last test of this folder."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        SHARED_BROWSER.close()


@pytest.fixture(scope="module")
def browser() -> Browser:
    """Return the system's Chromium."""
    return SHARED_BROWSER.start()


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    """Return where pages of a module are opened, and close them behind it."""
    shared = SHARED_BROWSER.get_context()
    yield shared
    for page in shared.pages[1:]:
        page.close()


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
