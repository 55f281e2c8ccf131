"""The web page: one self-contained file, made from the same template and styles as the PDF."""

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import segno
from markupsafe import Markup

from attnhand.formats.pdf.form import form_places
from attnhand.formats.templates import environment, source_hash
from attnhand.formats.web import WebPage, web_page
from attnhand.layout.lay_out import lay_out
from attnhand.layout.number_fit import LEAST_EXACT_PERCENT, LEAST_PERCENT
from attnhand.layout.page import GridBox, Item, Layout, LinesBox, QrBox
from attnhand.layout.typography import Set
from attnhand.sheet import sentences
from attnhand.sheet.addresses import cell_id
from attnhand.sheet.grids import SIGNS, Grid
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import template_dir
from attnhand.text.widths import rare_characters

FONTS = {400: "DejaVuSans.woff2", 700: "DejaVuSans-Bold.woff2"}
"""Bundled fonts by weight; nothing else is ever loaded."""

NAME_FONTS = {400: "DejaVuSans-Names.woff2", 700: "DejaVuSans-Names-Bold.woff2"}
"""The same for rare letters of names, which the first ones lack; only a page that holds one has them."""

SPACING = 2 * 25.4 / 96
"""Between cells, in millimetres, part of the cell's pitch: two CSS pixels, because browsers take whole ones."""

QR_MASK = 5
"""Always the same one: to compare all eight takes six times as long, and readers read any."""

MARKS = ("marks.css",)
"""The style sheet for cells with marks."""

MANY_COLUMNS = 5
"""Of long fractions so many may be wider than a screen of 320 pixels."""

BESIDE = 12.0
"""What a screen shows beside the paper, in millimetres; on a narrower one boxes stand one under the other."""


def render_html(sheet: Sheet) -> str:
    """Return the sheet as one HTML file with its fonts inside; a blank one has a script and can be filled."""
    layout = lay_out(sheet)
    return render_page(sheet, layout, font_data, screen=True, web=web_page(sheet, layout))


def render_page(
    sheet: Sheet,
    layout: Layout,
    font_url: Callable[[str], str],
    *,
    screen: bool,
    fields: bool = False,
    styles: Sequence[str] = (),
    web: WebPage | None = None,
) -> str:
    """Return a laid-out sheet as an HTML document, with fonts from where the function says.

    Args:
        screen: whether it is for screens too, and not for paper alone.
        styles: names of further style sheets.
        fields: whether empty cells are fields of a form, each named after its cell: ``S_2_3``.
        web: what makes it a web sheet, whose script makes the fields; None for a page without scripts.
    """
    form = fields and not screen
    further = [_read(name) for name in styles or marking(sheet)]
    further += [_read("form.css"), form_places(layout)] if form else []
    style = _style(layout, font_url, screen=screen, web=web) + "".join(further)

    def written(style: str) -> str:
        document: str = _template().render(
            layout=layout,
            fields=fields,
            web=web,
            form=form,
            stops=screen and web is None,
            empty=f", {sheet.say('spoken.empty')}",
            style=Markup(style),
            style_hash=source_hash(style),
            language=sheet.options.language,
            title=document_title(sheet),
        )
        return document

    document = written(style)
    return written(_with_name_fonts(style, font_url)) if rare_characters(document) else document


def marking(sheet: Sheet) -> tuple[str, ...]:
    """Return the style sheet for cells with marks, where a key carries on from a student's values."""
    return MARKS if sheet.carried and sheet.solved else ()


def document_title(sheet: Sheet) -> str:
    """Return what a window or a PDF reader shows as the title."""
    key = f" · {sheet.say('key')}" if sheet.solved else ""
    return f"{sentences.title(sheet)} · {sheet.code}{key}"


@cache
def _template():  # type: ignore[no-untyped-def]  # a jinja2 Template, whose stubs call it Any
    filters = environment().filters
    filters["cell_id"] = cell_id
    filters["kind"] = lambda item: type(item).__name__
    filters["sign"] = SIGNS.__getitem__
    filters["qr"] = _qr
    filters["scrolls"] = _scrolls
    return environment().get_template("sheet.html")


def _scrolls(grid: Grid) -> bool:
    """Say whether a grid may be wider than a narrow screen: then it is a stop for Tab, to be scrolled by keys."""
    return grid.width >= MANY_COLUMNS or any(label.word for label in (*grid.rows, *grid.columns))


def _qr(item: QrBox) -> Markup:
    code = segno.make(item.code, error="m", micro=False, mask=QR_MASK)
    return Markup(code.svg_inline(border=4, omitsize=True, title=item.spoken, light="#fff"))


def font_data(name: str) -> str:
    """Return where a page that stands alone has a bundled font from: its own style."""
    data = base64.b64encode((template_dir() / "fonts" / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def _style(layout: Layout, font_url: Callable[[str], str], *, screen: bool, web: WebPage | None) -> str:
    sheets = [_faces("Sheet Sans", FONTS, font_url), _read("sheet.css"), _places(layout, screen=screen)]
    if screen:
        narrow = _read("narrow.css") + (web.narrow_style if web else "")
        sheets.append(_read("screen.css"))
        sheets.append(f"@media screen and (max-width: {_mm(layout.width + BESIDE - 0.01)}) {{\n{narrow}}}\n")
    return "".join(sheets) + (web.style if web else "")


def _faces(family: str, fonts: Mapping[int, str], font_url: Callable[[str], str]) -> str:
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};src:url("{font_url(name)}") format("woff2")}}\n'
        for weight, name in fonts.items()
    )


def _with_name_fonts(style: str, font_url: Callable[[str], str]) -> str:
    # Subtle: a family of its own, because WeasyPrint takes two fonts of one family and weight for the same
    families = style.replace('"Sheet Sans", ', '"Sheet Sans", "Sheet Sans Names", ')
    return _faces("Sheet Sans Names", NAME_FONTS, font_url) + families


def _read(name: str) -> str:
    return (template_dir() / name).read_text(encoding="utf-8")


def _places(layout: Layout, *, screen: bool) -> str:
    """Write where every box stands, for paper and for screens as wide as paper."""
    rules = [f".page{{width:{_mm(layout.width)};height:{_mm(layout.height)};break-after:page}}"]
    rules.append(".page:last-child{break-after:auto}")
    for style in Set:
        points = layout.typography.points[style]
        rules.append(f".page .{style}{{font-size:{points:g}pt;line-height:{layout.typography.leading:g}}}")
    rules.append(f".text > * + *{{margin-top:{_mm(layout.typography.between)}}}")
    rules.append(f".page .right{{font-size:{layout.typography.points[Set.SMALL]:g}pt}}")
    rules.append(
        f".grid td{{font-size:{layout.typography.cell:g}pt}}.grid th{{font-size:{layout.typography.label:g}pt}}"
    )
    rules += [
        f".grid td.p{percent}{{font-size:{layout.typography.cell * percent / 100:g}pt}}"
        for percent in range(90, LEAST_PERCENT - 1, -10)
    ]
    rules.append(f".grid .corner{{font-size:{layout.typography.name:g}pt}}")
    small_label = f"font-size:{layout.typography.small_label:g}pt"
    rules.append(f".grid .role,.grid .word.small,.grid .corner span.name{{{small_label}}}")
    rules.append(
        f".heat td{{font-size:{layout.typography.exact:g}pt}}.exact td{{font-size:{layout.typography.exact:g}pt}}"
    )
    rules += [
        f".exact td.p{percent}{{font-size:{layout.typography.exact * percent / 100:g}pt}}"
        for percent in range(90, LEAST_EXACT_PERCENT - 1, -10)
    ]
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            rules += _place(f"#b{page.number}-{number}", item)
    placed = "\n".join(rules) + "\n"
    paper = f"@page{{size:{_mm(layout.width)} {_mm(layout.height)};margin:0}}\n"
    if not screen:
        return paper + placed
    return f"{paper}@media print, screen and (min-width: {_mm(layout.width + BESIDE)}) {{\n{placed}}}\n"


def _place(selector: str, item: Item) -> list[str]:
    box = item.box
    left = box.x
    rules = []
    if isinstance(item, GridBox):
        if not item.header_w:
            left -= 2 * SPACING
        rules += [
            f"{selector} td{{width:{_mm(item.cell_w - SPACING)};height:{_mm(item.cell_h - SPACING)}}}",
            f"{selector} th{{height:{_mm(item.cell_h - SPACING)}}}",
            f"{selector} th[scope=col]{{height:{_mm(item.header_h - 2 * SPACING)};width:{_mm(item.cell_w - SPACING)}}}",
            f"{selector} th.corner{{width:{_mm(max(item.header_w - 2 * SPACING, 0))}}}",
        ]
    elif isinstance(item, LinesBox):
        rules.append(f"{selector} .line{{height:{_mm(item.spacing)}}}")
    return [f"{selector}{{left:{_mm(left)};top:{_mm(box.y)};width:{_mm(box.w)};height:{_mm(box.h)}}}", *rules]


def _mm(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "mm"
