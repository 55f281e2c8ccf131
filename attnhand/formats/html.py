"""The web page: one self-contained file, made from the same template and styles as the PDF."""

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import segno
from markupsafe import Markup, escape

from attnhand.formats.colours import write_page_rules, write_screen_rules
from attnhand.formats.pdf.draw_page import EXACT_LIFT, QR_MASK, TOTAL_RULE, draw_flow, get_colour
from attnhand.formats.pdf.fonts import Font
from attnhand.formats.picture.svg import SvgCanvas
from attnhand.formats.templates import get_environment, hash_source, read_template_file
from attnhand.formats.web import SCREEN_SCALES, WebPage, find_scheme_width, make_web_page
from attnhand.layout.lay_out import lay_out
from attnhand.layout.number_fit import SIGN_ROOM
from attnhand.layout.page import (
    BRACKET,
    BRACKET_GAP,
    BRACKET_WIDTH,
    NAME_TOP,
    FlowBox,
    GridBox,
    Item,
    Layout,
    QrBox,
    SquaresBox,
    WorkingSpaceBox,
)
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet import sentences
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import MARK_SIGNS, Grid
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import get_template_dir
from attnhand.text.widths import MM_PER_POINT, RunStyle, find_rare_characters, measure_lean, parse_unicode

FONTS = {400: "Sheet.woff2", 700: "Sheet-Bold.woff2"}
"""Bundled fonts by weight; nothing but these and those below is ever loaded."""

VARIABLE_FONTS = {400: "Sheet-Italic.woff2", 700: "Sheet-BoldItalic.woff2"}
"""Italic letters for variables."""

NAME_FONTS = {400: "Sheet-Names.woff2", 700: "Sheet-Names-Bold.woff2"}
"""The same for rare letters of names, which the first ones lack; only a page that holds one has them."""

MARK_STYLE_SHEETS = ("marks.css",)
"""The style sheet for cells with marks."""

MIN_COLUMNS_TO_SCROLL = 5
"""Of long fractions so many may be wider than a screen of 320 pixels."""


def render_html(sheet: Sheet) -> str:
    """Return the sheet as one HTML file with its fonts inside; a blank one has a script and can be filled."""
    layout = lay_out(sheet)
    return render_page(sheet, layout, make_font_data_url, for_screen=True, web=make_web_page(sheet, layout))


def render_page(
    sheet: Sheet,
    layout: Layout,
    font_url: Callable[[str], str],
    *,
    for_screen: bool,
    style_sheets: Sequence[str] = (),
    web: WebPage | None = None,
) -> str:
    """Return a laid-out sheet as an HTML document, with fonts from where the function says.

    Args:
        style_sheets: names of further ones.
        web: what makes it a web sheet, whose script makes the fields.
    """
    further = [read_template_file(name) for name in style_sheets or find_mark_style_sheets(sheet)]
    style = _make_style(layout, font_url, for_screen=for_screen, web=web) + "".join(further)

    def render(style: str) -> str:
        document: str = _load_template().render(
            layout=layout,
            web=web,
            stops=for_screen and web is None,
            style=Markup(style),
            style_hash=hash_source(style),
            language=sheet.options.language_code,
            say=sheet.say,
            title=sentences.format_document_title(sheet),
        )
        return document

    document = render(style)
    return render(_add_name_fonts(style, font_url)) if find_rare_characters(document) else document


def find_mark_style_sheets(sheet: Sheet) -> tuple[str, ...]:
    """Return the style sheet for cells with marks, where a key carries on from a student's values."""
    return MARK_STYLE_SHEETS if sheet.follow_through and sheet.is_solved else ()


@cache
def _load_template():  # type: ignore[no-untyped-def]  # a jinja2 Template, whose stubs call it Any
    filters = {
        "cell_id": make_cell_id,
        "sign": MARK_SIGNS.__getitem__,
        "qr": _draw_qr,
        "flow": _draw_flow,
        "scrolls": _may_scroll,
        "lean": measure_lean,
    }
    get_environment().filters |= {**filters, "kind": lambda item: type(item).__name__}
    return get_environment().get_template("sheet.html")


def _may_scroll(grid: Grid) -> bool:
    """Say whether a grid may be wider than a narrow screen: then it is a stop for Tab, to be scrolled by keys."""
    return grid.column_count >= MIN_COLUMNS_TO_SCROLL or any(label.word for label in (*grid.rows, *grid.columns))


def _draw_qr(item: QrBox) -> Markup:
    code = segno.make(item.text, error="m", micro=False, mask=QR_MASK)
    return Markup(code.svg_inline(border=4, omitsize=True, title=item.alt_text, light="#fff"))


def _draw_flow(item: FlowBox, typography: Typography) -> Markup:
    """Draw the flow of the computation as SVG whose letters are text."""
    canvas = _TextCanvas()
    draw_flow(canvas, item, typography)
    x, y, w, h = item.box
    return Markup(
        f'<svg role="img" viewBox="{x:g} {y:g} {w:g} {h:g}" font-family="Sheet Serif">'
        f"<title>{escape(item.alt_text)}</title>{''.join(canvas.elements)}</svg>"
    )


class _TextCanvas(SvgCanvas):
    """Draws SVG whose letters are text, in the fonts of its page."""

    is_on_screen = False

    def _show_glyphs(
        self, font: Font, text: str, x: float, baseline: float, size: float, colour: str, *, is_hidden: bool
    ) -> None:
        letters = text.lstrip(" ")  # white at its beginning would be dropped
        x += font.measure(" ") * size * (len(text) - len(letters))
        look = ' font-weight="700"' * font.is_bold + ' font-family="Sheet Variables"' * font.is_italic
        look += ' class="here"' * (colour == get_colour("ink"))
        place = f'x="{x:.3f}" y="{baseline:.3f}" font-size="{size:.4f}" fill="{colour}"'
        self.elements.append(f"<text {place}{look}>{escape(letters)}</text>")


def make_font_data_url(name: str) -> str:
    """Return where a page that stands alone has a bundled font from: its own style."""
    data = base64.b64encode((get_template_dir() / "fonts" / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def _make_style(layout: Layout, font_url: Callable[[str], str], *, for_screen: bool, web: WebPage | None) -> str:
    sheets = [
        write_font_rules(font_url),
        read_template_file("sheet.css"),
        write_page_rules(for_screen=for_screen),
        _write_layout_rules(layout, for_screen=for_screen),
    ]
    if for_screen:
        narrow = read_template_file("narrow.css") + (web.narrow_style if web else "")
        sheets += [read_template_file("screen.css"), write_screen_rules()]
        sheets.append(f"#tools{{max-width:{_format_mm(layout.width)}}}\n")
        for larger, scale in pairwise((1, *SCREEN_SCALES)):
            width, max_width = (find_scheme_width(layout, each) for each in (scale, larger))
            rules = f".page {{ zoom: {scale} }} #tools {{ max-width: {_format_mm(layout.width * scale)} }}"
            sheets.append(f"@media screen and {_write_widths(width, max_width)} {{ {rules} }}\n")
        sheets.append(f"@media screen and {_write_widths(0, find_scheme_width(layout))} {{\n{narrow}}}\n")
    return "".join(sheets) + (web.style if web else "")


def write_font_rules(font_url: Callable[[str], str]) -> str:
    """Return the fonts of every page as style rules: of its words, and of its variables."""
    # Subtle: a family of its own, because WeasyPrint passes over an italic that lacks most of a language's letters
    variables = _make_font_faces("Sheet Variables", VARIABLE_FONTS, font_url)
    return _make_font_faces("Sheet Serif", FONTS, font_url) + variables


def set_formulas(text: str) -> Markup:
    """Return a sentence as the sheet sets it: variables in italics, indices lower.

    >>> set_formulas("K, row k₁ < 2")
    Markup('<i>K</i>, row <i>k</i><sub>1</sub> &lt; 2')
    """
    pieces = []
    for run in parse_unicode(text):
        piece = Markup("<i>{}</i>").format(run.text) if run.is_italic else escape(run.text)
        is_small = run.style in (RunStyle.SUB, RunStyle.SUP)
        pieces.append(Markup("<{0}>{1}</{0}>").format(run.style.value, piece) if is_small else piece)
    return Markup("").join(pieces)


def _make_font_faces(family: str, fonts: Mapping[int, str], font_url: Callable[[str], str]) -> str:
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};src:url("{font_url(name)}") format("woff2")}}\n'
        for weight, name in fonts.items()
    )


def _add_name_fonts(style: str, font_url: Callable[[str], str]) -> str:
    # Subtle: another family name, because WeasyPrint takes two fonts of one family and weight for the same
    families = style.replace('"Sheet Serif", ', '"Sheet Serif", "Sheet Names", ')
    return _make_font_faces("Sheet Names", NAME_FONTS, font_url) + families


def _write_layout_rules(layout: Layout, *, for_screen: bool) -> str:
    """Write where every box stands, for paper and for screens as wide as paper."""
    type_, small = layout.typography, layout.typography.small_number_size

    def size(points: float) -> str:
        return f"{{font-size:{points:g}pt}}"

    rules = [
        f".page{{width:{_format_mm(layout.width)};height:{_format_mm(layout.height)};break-after:page}}",
        ".page:last-child{break-after:auto}",
        *(
            f".page .{style}{{font-size:{type_.paragraph_points[style]:g}pt;line-height:{type_.leading:g}}}"
            for style in ParagraphStyle
        ),
        f".text > * + *{{margin-top:{_format_mm(type_.paragraph_gap)}}}",
        f".page .right{size(type_.paragraph_points[ParagraphStyle.SMALL])}",
        f".grid th{size(type_.label_points)}",
        f".grid th[scope=col]{{padding-bottom:{_format_mm(type_.label_gap)}}}",
        f".grid .corner span{{bottom:{_format_mm(type_.label_gap)}}}",
        f".heat .corner span{{bottom:{_format_mm(type_.label_gap + type_.heat_name_raise)}}}",
        *(
            f"{cell}{size(each.whole)}{cell} .fraction{size(each.part)}{cell} .note{size(each.note)}"
            for step, each in enumerate(type_.number_sizes)
            for cell in (f".grid td.s{step}" if step else ".grid td",)
        ),
        # two lines of type may be higher than their cell: the grid keeps its place
        f".grid th[scope=col] .word{{margin-top:-{_format_mm(type_.label_points * MM_PER_POINT)}}}",
        f".grid .corner{size(type_.name_points)}",
        f".grid .corner span.name{size(type_.label_points)}",
        f".grid .exact,.grid .decimal,.grid .aside{size(type_.exact_points)}",
        f".heat td{size(small.whole)}.heat td .fraction{size(small.part)}.small-numbers td{size(small.whole)}",
        f".page td.mark .note{size(small.note)}",
    ]
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            rules += _write_box_rules(f"#b{page.number}-{number}", item)
    placed = "\n".join(rules) + "\n"
    paper = f"@page{{size:{_format_mm(layout.width)} {_format_mm(layout.height)};margin:0}}\n"
    if not for_screen:
        return paper + placed
    return f"{paper}@media print, screen and (min-width: {_format_mm(find_scheme_width(layout))}) {{\n{placed}}}\n"


def _write_widths(width: float, end: float) -> str:
    """Write which screens are at least so wide, and narrower than the end."""
    return f"(min-width: {_format_mm(width)}) and (max-width: {_format_mm(end - 0.01)})"


def _write_box_rules(selector: str, item: Item) -> list[str]:
    left, top, w, h = item.box.x, item.box.y, *map(_format_mm, (item.box.w, item.box.h))
    rules = []
    if isinstance(item, GridBox):
        cell_w, cell_h, header_w, header_h = map(_format_mm, (item.cell_w, item.cell_h, item.header_w, item.header_h))
        rules = [
            f"{selector} td{{width:{cell_w};height:{cell_h}}}",
            f"{selector} th{{height:{cell_h}}}",
            f"{selector} th[scope=col]{{height:{header_h};width:{cell_w}}}",
            f"{selector} th.corner{{width:{header_w}}}",
        ]
        if item.exact_h:
            lift = _format_mm(2 * EXACT_LIFT)
            rules.append(f"{selector} td{{padding-top:{lift};padding-bottom:{_format_mm(item.exact_h)}}}")
        if item.decimal_w:
            middle = _format_mm((item.cell_h - item.exact_h) / 2 + EXACT_LIFT)
            rules.append(f"{selector} td{{padding-right:{_format_mm(item.decimal_w)}}}")
            rules.append(f"{selector} td.mark{{padding-right:{_format_mm(item.decimal_w + SIGN_ROOM)}}}")
            rules.append(f"{selector} .decimal{{top:calc({middle} - 0.5em)}}")
        if not item.header_h:
            rules.append(f"{selector} th[scope=col]{{padding:0}}")
        if item.drop:
            lowered = f"padding-top:{_format_mm(2 * item.drop)};line-height:0.8"  # a line of type is nearly as high
            rules.append(f"{selector} td,{selector} th[scope=row]{{{lowered}}}")
        if item.has_name_above:
            rules.append(
                f"{selector} .corner span{{left:{header_w};right:auto;"
                f"bottom:calc({_format_mm(item.header_h - NAME_TOP)} - 1em)}}"
            )
        rules += _write_total_rules(selector, item)
        if item.has_brackets:
            out = BRACKET_GAP + BRACKET
            height, right = _format_mm(item.box.h - item.header_h), item.box.w - BRACKET_WIDTH + out
            rules += [
                f"{selector} .corner::before,{selector} .corner::after{{content:'';bottom:-{height};height:{height}}}",
                f"{selector} .corner::before{{left:{_format_mm(item.header_w - out)}}}",
                f"{selector} .corner::after{{left:{_format_mm(right)}}}",
            ]
    elif isinstance(item, SquaresBox):
        places = ((square.x - left, square.y - top, _format_mm(square.w)) for square in item.squares)
        rules = [
            f"{selector} i:nth-child({at}){{left:{_format_mm(x)};top:{_format_mm(y)};width:{side};height:{side}}}"
            for at, (x, y, side) in enumerate(places, 1)
        ]
    elif isinstance(item, WorkingSpaceBox):
        rules = [f"{selector} .line{{height:{_format_mm(item.spacing)}}}"]
    return [f"{selector}{{left:{_format_mm(left)};top:{_format_mm(top)};width:{w};height:{h}}}", *rules]


def _write_total_rules(selector: str, item: GridBox) -> list[str]:
    """Write the heavier line between numbers and what they add to."""
    thick, high = _format_mm(TOTAL_RULE), item.box.h - item.header_h
    line = "content:'';position:absolute;z-index:1;background:var(--ink)"
    rules = []
    if item.grid.has_total_row:
        across, below = _format_mm(item.box.w - item.header_w), _format_mm(high - item.cell_h + TOTAL_RULE / 2)
        first = f"{selector} .corner + th"
        rules += [f"{first}{{position:relative}}"]
        rules += [f"{first}::after{{{line};left:0;bottom:-{below};width:{across};height:{thick}}}"]
    if item.grid.has_total_column:
        left, down = _format_mm(TOTAL_RULE / 2), _format_mm(high)
        last = f"{selector} th[scope=col]:last-child"
        rules += [f"{last}{{position:relative}}"]
        rules += [f"{last}::after{{{line};left:-{left};bottom:-{down};width:{thick};height:{down}}}"]
    return rules


def _format_mm(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "mm"
