"""The web page: one self-contained file, made from the same template and styles as the PDF."""

import base64
import hashlib
from collections.abc import Callable
from functools import cache

import segno
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from attnhand.cell_address import cell_id
from attnhand.render.form import form_places
from attnhand.resources import template_dir
from attnhand.sheet import sentences
from attnhand.sheet.layout import lay_out
from attnhand.sheet.page import GridBox, Item, Layout, LinesBox, QrBox, Set
from attnhand.sheet.sheet import Sheet

FONTS = {400: "DejaVuSans.woff2", 700: "DejaVuSans-Bold.woff2"}
"""Bundled fonts by weight; nothing else is ever loaded."""

SPACING = 2 * 25.4 / 96
"""Between cells, in millimetres, part of the cell's pitch: two CSS pixels, because browsers take whole ones."""

BESIDE = 12.0
"""What a screen shows beside the paper, in millimetres; on a narrower one boxes stand one under the other."""


def render_html(sheet: Sheet) -> str:
    """Return the sheet as one HTML file without scripts, with its fonts inside."""
    return render_page(sheet, lay_out(sheet), _font_data, screen=True)


def render_page(
    sheet: Sheet, layout: Layout, font_url: Callable[[str], str], *, screen: bool, fields: bool = False
) -> str:
    """Return a laid-out sheet as an HTML document, with fonts from where the function says.

    Args:
        screen: whether it is for screens too, and not for paper alone.
        fields: whether empty cells are fields of a form, each named after its cell: ``S_2_3``.
    """
    form = fields and not screen
    style = Markup(_style(layout, font_url, screen=screen, form=form))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    document: str = _template().render(
        layout=layout,
        fields=fields,
        form=form,
        empty=f", {sheet.say('spoken.empty')}",
        style=style,
        style_hash=f"sha256-{digest}",
        language=sheet.options.language,
        title=document_title(sheet),
    )
    return document


def render_fragment(sheet: Sheet) -> str:
    """Return the sheet as a piece of HTML for a notebook: in a frame, so that neither touches the other's styles."""
    layout = lay_out(sheet)
    document = render_page(sheet, layout, _font_data, screen=True)
    height = len(layout.pages) * (layout.height + 10)
    return (
        f'<iframe srcdoc="{escape(document)}" title="{escape(document_title(sheet))}" '
        f'style="width:100%;height:{height:.0f}mm;border:0"></iframe>'
    )


def document_title(sheet: Sheet) -> str:
    """Return what a window or a PDF reader shows as the title."""
    key = f" · {sheet.say('key')}" if sheet.solved else ""
    return f"{sentences.title(sheet)} · {sheet.code}{key}"


@cache
def _template():  # type: ignore[no-untyped-def]  # a jinja2 Template, whose stubs call it Any
    environment = Environment(
        loader=FileSystemLoader(template_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell_id"] = cell_id
    environment.filters["kind"] = lambda item: type(item).__name__
    environment.filters["qr"] = _qr
    return environment.get_template("sheet.html")


def _qr(item: QrBox) -> Markup:
    code = segno.make(item.code, error="m", micro=False)
    return Markup(code.svg_inline(border=4, omitsize=True, title=item.spoken, light="#fff"))


def _font_data(name: str) -> str:
    data = base64.b64encode((template_dir() / "fonts" / name).read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def _style(layout: Layout, font_url: Callable[[str], str], *, screen: bool, form: bool) -> str:
    faces = "".join(
        f'@font-face{{font-family:"Sheet Sans";font-weight:{weight};src:url("{font_url(name)}") format("woff2")}}\n'
        for weight, name in FONTS.items()
    )
    sheets = [faces, (template_dir() / "sheet.css").read_text(encoding="utf-8"), _places(layout, screen=screen)]
    if screen:
        narrow = (template_dir() / "narrow.css").read_text(encoding="utf-8")
        sheets.append((template_dir() / "screen.css").read_text(encoding="utf-8"))
        sheets.append(f"@media screen and (max-width: {_mm(layout.width + BESIDE - 0.01)}) {{\n{narrow}}}\n")
    if form:
        sheets += [(template_dir() / "form.css").read_text(encoding="utf-8"), form_places(layout)]
    return "".join(sheets)


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
        f".grid td.p{percent}{{font-size:{layout.typography.cell * percent / 100:g}pt}}" for percent in (90, 80, 70, 60)
    ]
    small_label = f"font-size:{layout.typography.small_label:g}pt"
    rules.append(f".grid .role,.grid .word.small,.grid .corner span.name{{{small_label}}}")
    small = layout.typography.points[Set.CAPTION]
    rules.append(f".heat td{{font-size:{small:g}pt}}.exact td{{font-size:{layout.typography.exact:g}pt}}")
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
