"""The web page in Chromium: wide and narrow, light and dark, on screen and printed."""

import io
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page
from pypdf import PdfReader

from attnhand.formats.html import FONTS, VARIABLE_FONTS
from attnhand.formats.notebook import render_notebook
from attnhand.layout.page import GridBox, Layout, TextBox
from attnhand.sheet.addresses import make_cell_id
from tests.breadth import choose, pair_up
from tests.pages.sheets import get_html, get_layouts, get_sheet
from tests.pages.test_colours import contrast

BROWSER_SHEET_NAMES = (
    "classic columns",
    "classic rows",
    "12 × 12 columns",
    "large rows",
    "words rows",
    "words columns",
    "guide",
)
WIDTHS = (1280, 800, 320)
SCHEMES = ("light", "dark")

FACES = [(name, at % 2 == 0) for at, name in enumerate(BROWSER_SHEET_NAMES)]
PAGES = pytest.mark.parametrize(("name", "solved"), FACES)
WINDOWS = pytest.mark.parametrize(("face", "width", "scheme"), pair_up(FACES, WIDTHS, SCHEMES), ids=str)
SOME_WINDOWS = pytest.mark.parametrize(
    ("face", "width", "scheme"), pair_up(choose(FACES[::2], FACES), WIDTHS, SCHEMES), ids=str
)
SOME_FACES = choose(FACES[1::2], FACES)
SOME_PAGES = pytest.mark.parametrize(("name", "solved"), choose(FACES[::2], FACES))
SOME_PAGES_IN_SCHEMES = pytest.mark.parametrize(("face", "scheme"), pair_up(SOME_FACES, SCHEMES), ids=str)
MM = 25.4 / 96


@dataclass
class Window:
    """A page that is shown, with all that it said and asked for."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Opener:
    """Opens sheets in windows of a size."""

    context: BrowserContext
    folder: Path

    @cache  # noqa: B019  # windows stay open as long as the tests of this module run
    def look_at(self, name: str, solved: bool, width: int = 1280, scheme: str = "light") -> Window:
        """Show the page of a sheet in the window where other tests have looked at it."""
        return self(name, solved, width, scheme)

    def __call__(self, name: str, solved: bool, width: int = 1280, scheme: str = "light", text: str = "") -> Window:
        """Show the page of a sheet, or another text, in a window of its own."""
        file = self.folder / "sheet.html"
        file.write_text(text or get_html(name, solved), encoding="utf-8")
        window = Window(self.context.new_page())
        window.page.set_viewport_size({"width": width, "height": 900})
        window.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        window.page.on("console", lambda message: window.messages.append(message.text))
        window.page.on("pageerror", lambda error: window.messages.append(str(error)))
        window.page.on("request", lambda request: window.requests.append(request.url[:40]))
        window.page.goto(file.as_uri())
        window.page.evaluate("document.fonts.ready")
        return window


@pytest.fixture(scope="module")
def show(context: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Opener:
    """Return what opens a sheet; windows are closed with the browser."""
    return Opener(context, tmp_path_factory.mktemp("page"))


@SOME_WINDOWS
def test_the_page_is_quiet_and_fits(show: Opener, face: tuple[str, bool], width: int, scheme: str) -> None:
    """Nothing is said, nothing is asked for, nothing is wider than the window, nothing is lost on its left."""
    window = show.look_at(*face, width, scheme)
    assert window.messages == []
    assert {address[:22] for address in window.requests[1:]} <= {"data:font/woff2;base64"}
    assert window.requests[0].startswith("file:")
    wide = window.page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]")
    assert max(wide) == width
    lost = window.page.evaluate(
        """() => {
            const lost = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node; node = walker.nextNode();) {
                const range = document.createRange();
                range.selectNode(node);
                const box = range.getBoundingClientRect();
                if (box.width && box.left < 0) lost.push(node.data);
            }
            return lost;
        }"""
    )
    assert lost == []


def test_what_the_policy_forbids_is_said(show: Opener) -> None:
    """A script in the page, a style attribute, a picture from elsewhere: each is refused, and we would see it."""
    added = """<script>document.title = 'x'</script><p style="color:red">x</p><img src="file:///x.png">"""
    text = get_html("classic columns", False).replace("<main>", f"<main>{added}")
    window = show("classic columns", False, text=text)
    refused = [message for message in window.messages if "Content Security Policy" in message]
    assert [message.split(" violates")[0] for message in refused] == [
        *("Executing inline script", "Applying inline style", "Loading the image 'file:///x.png'")
    ]
    assert window.page.title().startswith("Self-attention by hand")


@pytest.mark.parametrize("name", ["classic columns", "classic rows"])
def test_windows_of_any_width_hold_the_page(show: Opener, name: str) -> None:
    """Upright or turned, a window that is narrower than the paper shows boxes one under the other."""
    page = show(name, False).page
    for width in (820, 860, 1100, 1180):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


# colours and fonts


@WINDOWS
def test_all_text_is_legible(show: Opener, face: tuple[str, bool], width: int, scheme: str) -> None:
    """4.5 to 1 at least, as the browser computes the colours of every text and of what it stands on."""
    texts = show.look_at(*face, width, scheme).page.evaluate(
        """() => {
            const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const clear = colour => colour === 'rgba(0, 0, 0, 0)';
            for (let node; node = walker.nextNode();) {
                const style = getComputedStyle(node.parentElement);
                if (!node.data.trim() || clear(style.color) || style.fontSize === '0px') continue;
                if (node.parentElement.closest('svg, noscript')) continue;  // a picture; shown without scripts alone
                let behind = node.parentElement;
                while (behind && clear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
                texts.push([node.data, style.color, behind ? getComputedStyle(behind).backgroundColor : 'none']);
            }
            return texts;
        }"""
    )
    assert len(texts) > 100
    pairs = {(colour, ground): text for text, colour, ground in texts}
    low = {key: text for key, text in pairs.items() if contrast(*(_to_hex(colour) for colour in key)) < 4.5}
    assert low == {}


def _to_hex(colour: str) -> str:
    """Write a colour as the style sheet does: rgb(255, 0, 16) as #ff0010."""
    found = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour)
    assert found, colour
    return "#" + "".join(f"{int(channel):02x}" for channel in found.groups())


@SOME_PAGES
def test_only_the_bundled_fonts_are_used(show: Opener, name: str, solved: bool) -> None:
    """Every glyph comes from the fonts in the page, none from this machine, and none is there in vain."""
    page = show.look_at(name, solved).page
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    page.evaluate(
        """() => {
            const seen = new Set(), style = (it, part) => getComputedStyle(it, part);
            for (const it of document.querySelectorAll('main *')) {
                const own = [...it.childNodes].map(node => node.nodeType === Node.TEXT_NODE ? node.data.trim() : '');
                const texts = [...own, style(it, '::before').content, style(it, '::after').content];
                const key = [style(it).font, ...texts.filter(text => !['', 'none', 'normal'].includes(text))].join();
                if (key !== style(it).font && !seen.has(key)) it.dataset.looked = seen.add(key).size;
            }
        }"""
    )
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "[data-looked]"})["nodeIds"]
    assert len(nodes) > 50
    fonts = {
        (font["familyName"], font["isCustomFont"])
        for node in nodes
        for font in session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    }
    assert fonts == {("Sheet Serif", True)}  # the name within the font, which the page brings along
    states = page.evaluate("[...document.fonts].map(font => font.status)")
    assert states == ["loaded"] * len((*FONTS, *VARIABLE_FONTS))


# the page model


@PAGES
def test_cells_are_where_the_layout_says(show: Opener, name: str, solved: bool) -> None:
    """To a tenth of a millimetre, on a screen as wide as the paper."""
    layout = get_layouts(get_sheet(name))[solved]
    places = show.look_at(name, solved).page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('td[id]')].map(cell => {
            const box = cell.getBoundingClientRect(), page = cell.closest('section').getBoundingClientRect();
            return [cell.id, [box.x - page.x, box.y - page.y, box.width, box.height]];
        }))"""
    )
    expected = measure_cell_places(layout)
    assert places.keys() == expected.keys()
    for cell, place in expected.items():
        assert [side * MM for side in places[cell]] == pytest.approx(place, abs=0.1), cell


def measure_cell_places(layout: Layout) -> dict[str, tuple[float, float, float, float]]:
    """Return left, top, width and height of every cell with an address and of boxes for answers, in millimetres."""
    return {
        make_cell_id(cell.address): (
            item.box.x + item.header_w + j * item.cell_w,
            item.box.y + item.header_h + i * item.cell_h,
            item.cell_w,
            item.cell_h,
        )
        for page in layout.pages
        for item in page.items
        if isinstance(item, GridBox)
        for i, row in enumerate(item.grid.cells)
        for j, cell in enumerate(row)
        if cell.address
    }


@PAGES
def test_words_stay_in_their_boxes(show: Opener, name: str, solved: bool) -> None:
    """No box of words is higher than the layout counted: lines break in the browser as they do on paper."""
    layout = get_layouts(get_sheet(name))[solved]
    page = show.look_at(name, solved).page
    high = {
        f"b{each.number}-{number}": item.box.h
        for each in layout.pages
        for number, item in enumerate(each.items, 1)
        if isinstance(item, TextBox)
    }
    found: dict[str, float] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.text')].map(box => [box.id, box.scrollHeight]))"
    )
    assert found.keys() == high.keys()
    assert {name: (found[name] * MM, h) for name, h in high.items() if found[name] * MM > h + 0.8} == {}


def test_the_browser_tells_what_a_cell_is(show: Opener) -> None:
    """A table each, with its cells named for those who listen."""
    page = show.look_at("classic columns", False).page
    layout = get_layouts(get_sheet("classic columns"))[0]
    grids = [item for each in layout.pages for item in each.items if isinstance(item, GridBox)]
    assert page.get_by_role("table").count() == len(grids)
    assert page.get_by_role("cell", name="answer to question 1, empty", exact=True).count() == 1
    assert page.get_by_role("cell", name="S, row k₂, column q₃, empty", exact=True).count() == 1
    assert page.get_by_role("heading", level=1).all_inner_texts() == ["Self-attention by hand"]
    headings = page.get_by_role("heading", level=2).all_inner_texts()
    assert [heading.split()[0] for heading in headings] == ["1", "2", "3", "4", "5", "6"]  # the last: questions
    assert page.get_by_role("main").count() == 1


# printed


@SOME_PAGES_IN_SCHEMES
def test_it_prints_like_the_pdf(show: Opener, face: tuple[str, bool], scheme: str) -> None:
    """As many pages of the same size, without an empty one behind them, black on white from a dark screen too."""
    name, solved = face
    layout = get_layouts(get_sheet(name))[solved]
    page = show.look_at(name, solved, scheme=scheme).page
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))
    assert len(printed.pages) == len(layout.pages)
    for each in printed.pages:
        size = (float(each.mediabox.width) / 72 * 25.4, float(each.mediabox.height) / 72 * 25.4)
        assert size == pytest.approx((layout.width, layout.height), abs=0.5)
    page.emulate_media(media="print")
    colours = page.evaluate(
        "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.querySelector('.page')))"
    )
    page.emulate_media(media="null")
    assert colours == ["rgb(17, 17, 17)", "rgb(255, 255, 255)"]


def test_shade_is_printed_where_it_says_something(show: Opener) -> None:
    """Even by a browser that leaves backgrounds out, as all do unless told: every cell of the heat maps."""
    page = show("multi-head rows", True).page
    page.emulate_media(media="print")
    adjusts = page.evaluate(
        "[...document.querySelectorAll('td[class*=shade]')].map((cell) => getComputedStyle(cell).printColorAdjust)"
    )
    assert len(adjusts) == 36
    assert {*adjusts} == {"exact"}


# in a notebook


@pytest.mark.parametrize(
    ("name", "width"), choose([("classic rows", 600)], [("classic columns", 1280), ("classic rows", 600)])
)
def test_a_notebook_shows_whole_pages_in_its_own_scheme(context: BrowserContext, name: str, width: int) -> None:
    """Nothing scrolls inside the frame; it is dark where JupyterLab is, though the system is light."""
    window = context.new_page()
    window.set_viewport_size({"width": width, "height": 900})
    window.emulate_media(color_scheme="null")
    dark = {"true": "rgb(255, 255, 255)", "false": "rgb(23, 24, 28)"}
    for light, paper in dark.items():
        window.set_content(f'<body data-jp-theme-light="{light}">{render_notebook(get_sheet(name))}</body>')
        frame = window.frames[1]
        frame.wait_for_selector(".page")
        inside = frame.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert inside == frame.evaluate("[innerWidth, innerHeight]")
        assert frame.evaluate("getComputedStyle(document.querySelector('.page')).backgroundColor") == paper
        box = frame.locator(".page").first.bounding_box()
        assert box
        assert box["width"] == pytest.approx(get_layouts(get_sheet(name))[1].width / MM, abs=1)
        assert not window.get_by_text("A sheet stands here").is_visible()
    # a notebook that is not trusted leaves out styles and frames
    window.evaluate("document.querySelectorAll('style, iframe').forEach((each) => each.remove())")
    assert window.get_by_text("A sheet stands here: run the cell again, or trust the notebook").is_visible()
    window.close()
