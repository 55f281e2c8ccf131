"""The PDF: tagged, titled, made of nothing but the page and the bundled fonts, the same bytes every time."""

import hashlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page as page_validation
import pytest
from pypdf import PdfReader, PdfWriter
from weasyprint.urls import FatalURLFetchingError

from attnhand.api import generate
from attnhand.formats.html import render_page
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.system.digests import add_digest, is_untouched
from tests.breadth import choose, pair_up
from tests.formats.hostile import HOSTILE_TEXTS
from tests.pages import other_engine
from tests.pages.conftest import GetPdfPath
from tests.pages.geometry import list_grids
from tests.pages.sheets import PDF_SHEET_NAMES, get_html, get_layouts, get_sheet

ALL = pytest.mark.parametrize("name", PDF_SHEET_NAMES)
BOTH = pytest.mark.parametrize("solved", [False, True], ids=["blank", "key"])
FACES = pytest.mark.parametrize(("name", "solved"), pair_up(PDF_SHEET_NAMES, (False, True)))


def find_ua_failures(data: bytes) -> list[str]:
    """Return the rules of PDF/UA-1 that a file breaks."""
    report = page_validation.validate_pdf_bytes(data, profile="ua1")
    found = [f"{failure.rule_id} {failure.message}" for failure in report.failures]
    assert report.is_compliant is not bool(found)
    assert report.rules.total > 100
    return found


def read(path: Path) -> PdfReader:
    """Open a PDF."""
    return PdfReader(path)


@FACES
def test_it_is_accessible(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """It passes every rule of PDF/UA-1, before and after it is sealed by a comment behind its end."""
    data = pdf(name, solved).read_bytes()
    assert name not in choose(("classic columns",), PDF_SHEET_NAMES) or find_ua_failures(data) == []
    with_seal = add_digest(data, "pdf")
    assert find_ua_failures(with_seal) == []
    assert is_untouched(with_seal)
    assert len(PdfReader(io.BytesIO(with_seal)).pages) == len(read(pdf(name, solved)).pages)


@pytest.mark.parametrize("lost", ["/MarkInfo", "/ViewerPreferences", "/Lang", "/StructTreeRoot", "/Metadata"])
def test_what_is_not_accessible_is_seen(pdf: GetPdfPath, lost: str) -> None:
    """Without its mark that it is tagged, its tags, its title or its language, a file fails."""
    writer = PdfWriter(clone_from=pdf("classic columns", False))
    del writer.root_object[lost]
    out = io.BytesIO()
    writer.write(out)
    assert find_ua_failures(out.getvalue())


@FACES
def test_it_has_the_pages_of_its_layout(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """As many, and as large."""
    layout = get_layouts(get_sheet(name))[solved]
    pages = read(pdf(name, solved)).pages
    assert len(pages) == len(layout.pages)
    for page in pages:
        assert (float(page.mediabox.width), float(page.mediabox.height)) == pytest.approx(
            (layout.width / 25.4 * 72, layout.height / 25.4 * 72), abs=0.01
        )


TITLES = {
    ("self", False): "Self-attention by hand",
    ("self", True): "Causal self-attention by hand",
    ("basic", False): "Basic self-attention by hand",
    ("cross", False): "Cross-attention by hand",
    ("multi-head", True): "Causal multi-head attention by hand",
    ("block", False): "A transformer block by hand",
    ("block", True): "A causal transformer block by hand",
}


@FACES
def test_it_has_title_and_language(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """The title that a reader shows, the sheet code in it, the language, and that it is tagged."""
    document = read(pdf(name, solved))
    sheet = get_sheet(name)
    assert document.metadata is not None
    title = sheet.problem.title or TITLES[sheet.problem.mechanism.name, sheet.problem.variant.is_causal]
    assert document.metadata.title == f"{title} · {sheet.code}{' · ANSWER KEY' if solved else ''}"
    root: Any = document.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert set(document.metadata) <= {"/Title", "/Producer", "/Creator"}  # no author, no date


@FACES
def test_it_holds_nothing_else(pdf: GetPdfPath, name: str, solved: bool) -> None:
    """No link, script, form, attachment or picture; only the bundled fonts, embedded."""
    document = read(pdf(name, solved))
    root: Any = document.trailer["/Root"]
    assert not {"/AcroForm", "/OpenAction", "/AA", "/AF"} & root.keys()
    assert dict(document.attachments) == {}
    fonts = set()
    for page in document.pages:
        resources: Any = page["/Resources"]
        assert "/Annots" not in page
        assert not [x for x in resources.get("/XObject", {}).values() if x.get_object()["/Subtype"] == "/Image"]
        for font in resources["/Font"].values():
            (descendant,) = font.get_object()["/DescendantFonts"]
            assert "/FontFile2" in descendant.get_object()["/FontDescriptor"]
            fonts.add(str(font.get_object()["/BaseFont"]).partition("+")[2])
    assert fonts == {"Sheet", "Sheet-Bold", "Sheet-Italic", "Sheet-BoldItalic"}


@ALL
def test_every_grid_is_a_table(pdf: GetPdfPath, name: str) -> None:
    """As many tables as grids, in the order of the page, each with a header cell on every line."""
    layout = get_layouts(get_sheet(name))[1]
    tables = [element for element in elements(read(pdf(name, True))) if element["/S"] == "/Table"]
    drawn = [item.grid for page in layout.pages for item in list_grids(page)]
    assert len(tables) == len(drawn)
    for table, grid in zip(tables, drawn, strict=True):
        cells = [cell for cell in iterate_below(table) if cell["/S"] in ("/TH", "/TD")]
        kinds = [f"{cell['/S']} {cell.get('/A', {}).get('/Scope', '')}" for cell in cells]
        row = ["/TH /Row", *["/TD "] * grid.column_count]
        assert kinds == ["/TH /Column"] * (grid.column_count + 1) + row * grid.row_count


def elements(document: PdfReader) -> Iterator[Any]:
    """Yield every element of the structure tree, in reading order."""
    root: Any = document.trailer["/Root"]
    yield from iterate_below(root["/StructTreeRoot"])


def iterate_below(element: Any) -> Iterator[Any]:
    """Yield every element below one."""
    kids = element.get("/K", [])
    for kid in kids if isinstance(kids, list) else [kids]:
        if isinstance(inner := kid.get_object(), dict) and "/S" in inner:
            yield inner
            yield from iterate_below(inner)


# what a renderer drops or fetches


def render_changed(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> bytes:
    """Render the classic sheet with its HTML changed on the way."""

    def render_and_change(*args: Any, **options: Any) -> str:
        page = render_page(*args, **options)
        assert old in page
        return page.replace(old, new)

    monkeypatch.setattr(other_engine, "render_page", render_and_change)
    return other_engine.render_by_other_engine(generate(7, level="warm-up").blank)


@pytest.mark.parametrize("name", ["classic columns", "owned columns", "words rows", "causal columns", "story columns"])
def test_a_sheet_takes_46_kb(name: str) -> None:
    """Every student of 300 gets one by mail."""
    assert len(render_pdf(get_sheet(name).blank)) <= 46 * 1024


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("margin: 0;", "margin: 0; colr: red;"),
        *choose([], [("margin: 0;", "margin: 0; width: 3 bananas;")]),
        ("Name", "N\U0010fffdme"),
    ],
)
def test_what_weasyprint_drops_is_an_error(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """A property or a value it does not know, a character the fonts do not have: it would warn and go on."""
    with pytest.raises(RuntimeError, match="WeasyPrint dropped something"):
        render_changed(monkeypatch, old, new)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "http://example.com/x.png", "attnhand-font:../sheet.css"])
def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """A picture in the page, from wherever, is no page at all; nor is a path out of the fonts' folder."""
    with pytest.raises(FatalURLFetchingError) as refusal:
        render_changed(monkeypatch, "<main>", f'<main><img alt="x" src="{address}">')
    assert str(refusal.value.__cause__) == f"nothing but the bundled fonts is loaded, not {address}"


def test_no_attachment_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that asks for an attachment would embed a file of this machine."""
    with pytest.raises(FatalURLFetchingError):
        render_changed(monkeypatch, "<main>", '<main><a rel="attachment" href="file:///etc/passwd">x</a>')


@pytest.mark.parametrize("title", [text for text in HOSTILE_TEXTS if re.search("<script|file|<http|@|HYPER", text)])
def test_a_title_is_text(title: str) -> None:
    """One that looks like a picture, a link or an address is printed as it stands, and nothing comes of it."""
    sheet = generate(7, level="warm-up", title=title)
    document = PdfReader(io.BytesIO(render_pdf(sheet.blank)))
    assert document.metadata is not None
    assert document.metadata.title == f"{title} · {sheet.code}"
    assert title.replace(" ", "") in re.sub(r"\s", "", document.pages[0].extract_text())
    assert not [page for page in document.pages if "/Annots" in page]
    assert dict(document.attachments) == {}


# the same bytes

DIGESTS = """
import hashlib
from dataclasses import replace
from attnhand.api import generate
from attnhand.formats.html import render_html
from attnhand.formats.pdf.pdf import render_pdf
sheet = generate(7, words=("the", "cat", "saw", "birds"))
form = replace(sheet.blank, options=replace(sheet.options, fillable=True))
for each in (sheet.blank, sheet.key, form):
    print(hashlib.sha256(render_pdf(each)).hexdigest(), hashlib.sha256(render_html(each).encode()).hexdigest())
"""


def test_bytes_repeat_in_other_surroundings(tmp_path: Path) -> None:
    """Another process, hash seed, time zone, locale and working folder make the same bytes."""
    outputs = []
    for seed, zone, locale, folder in (("1", "UTC", "C", Path.cwd()), ("2", "Pacific/Auckland", "C.UTF-8", tmp_path)):
        surroundings = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        done = subprocess.run(
            [sys.executable, "-c", DIGESTS], env=surroundings, cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        outputs.append(done.stdout.split())
    assert len(set(outputs[0])) == 5  # the web page has no form
    assert outputs[0] == outputs[1]


def test_bytes_repeat_in_one_process(pdf: GetPdfPath) -> None:
    """A second rendering, after others, makes the same bytes as the one before."""
    again = render_pdf(get_sheet("classic rows").key)
    assert hashlib.sha256(again).digest() == hashlib.sha256(pdf("classic rows", True).read_bytes()).digest()


def test_the_other_engine_draws_the_web_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """What WeasyPrint gets is the page of ``--html`` without its rules for screens: one template, one style."""
    got: list[str] = []

    def render_and_record(*args: Any, **options: Any) -> str:
        got.append(render_page(*args, **options))
        return got[-1]

    monkeypatch.setattr(other_engine, "render_page", render_and_record)
    other_engine.render_by_other_engine(get_sheet("warm-up columns").blank)
    body = re.compile(r"<main>.*</main>", re.DOTALL)
    (page,) = got
    in_browser, in_pdf = (body.search(text) for text in (get_html("warm-up columns", False), page))
    assert in_browser and in_pdf and in_browser[0] == in_pdf[0]
    assert "@media screen" not in page
