"""WeasyPrint as this program uses it: nothing but the bundled fonts, nothing from the network, nothing dropped."""

import contextlib
import io
import logging
import platform
import shutil
from collections.abc import Iterator
from typing import Any

from attnhand.errors import MissingLibraryError, name_option
from attnhand.system.processes import pause_garbage_collection
from attnhand.system.resources import get_template_dir

_FONT_SCHEME = "attnhand-font:"

_INSTALL_COMMANDS = {
    "apt-get": "sudo apt-get install libpangoft2-1.0-0 libharfbuzz-subset0",
    "dnf": "sudo dnf install pango",
    "pacman": "sudo pacman -S pango",
    "apk": "apk add pango",
    "brew": "brew install pango",
}


def make_font_url(name: str) -> str:
    """Return where a page for ``convert_html_to_pdf`` has its fonts from."""
    return _FONT_SCHEME + name


def convert_html_to_pdf(html: str) -> bytes:
    """Return a page, whose fonts are named by ``make_font_url``, as a tagged PDF (PDF/UA-1).

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    weasyprint = _import_weasyprint()
    with _fail_on_warnings(), pause_garbage_collection():
        pdf: bytes = weasyprint.HTML(string=html, url_fetcher=_make_fetcher(), base_url=None).write_pdf(
            pdf_variant="pdf/ua-1"
        )
    return pdf


@contextlib.contextmanager
def _fail_on_warnings() -> Iterator[None]:
    """Take what WeasyPrint would warn of and go on, such as a missing glyph, for the bug that it is."""
    warnings = _WarningCollector()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(warnings)
    try:
        yield
    finally:
        logger.removeHandler(warnings)
    if warnings.messages:
        raise RuntimeError(f"WeasyPrint dropped something: {'; '.join(warnings.messages)}")


class _WarningCollector(logging.Handler):
    """Keep what WeasyPrint would say and go on: a dropped property, a missing glyph."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _import_weasyprint() -> Any:
    # Subtle: without Pango WeasyPrint prints a banner on stdout before it fails
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import weasyprint
    except OSError as error:
        command = next(
            (line for tool, line in _INSTALL_COMMANDS.items() if shutil.which(tool)), "install the library Pango"
        )
        raise MissingLibraryError(
            f"a report as PDF needs the system library Pango, which this {platform.system()} lacks: {command} "
            f"({name_option('report', 'report.html')} works now, and so do all sheets and keys as PDF)"
        ) from error
    return weasyprint


def _make_fetcher() -> Any:
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class BundledOnly(URLFetcher):  # type: ignore[misc]  # WeasyPrint ships no types
        """Serve the bundled fonts and refuse everything else."""

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            name = url.removeprefix(_FONT_SCHEME)
            if url == name or "/" in name:
                raise ValueError(f"nothing but the bundled fonts is loaded, not {url}")
            return URLFetcherResponse(
                url, body=(get_template_dir() / "fonts" / name).read_bytes(), headers=headers or {}
            )

    return BundledOnly(fail_on_errors=True)
