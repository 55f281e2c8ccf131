"""Sheets drawn as PDF pages: what all sheets of one shape share once, for each sheet only what differs."""

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attnhand.formats.colours import SHADES
from attnhand.formats.pdf.canvas import PdfCanvas, wrap_page, write_length
from attnhand.formats.pdf.draw_page import (
    DrawnPage,
    NumberLook,
    PageDrawer,
    draw_number,
    draw_paragraph,
    draw_qr,
)
from attnhand.formats.pdf.sheet_pages import SharedPages, SheetPages
from attnhand.layout.fill import fill_paragraph
from attnhand.layout.lay_out import choose_model_layouts, lay_out_without_model
from attnhand.layout.page import Layout, Paragraph
from attnhand.layout.shape import SheetShape, find_shape
from attnhand.layout.typography import Typography
from attnhand.sheet.build_grids import compute_shade, format_source
from attnhand.sheet.figures import PrintedNumber
from attnhand.sheet.grids import GridStyle, NumberSource
from attnhand.sheet.sentences import format_document_title
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, build_slot_texts
from attnhand.text.widths import Text

COMPRESSION_LEVEL = 4
"""Of what is drawn for every sheet."""


@dataclass(frozen=True, slots=True)
class _Template:
    """The pages of one shape, blank or key, with slots for what differs from sheet to sheet."""

    shared: SharedPages
    pages: tuple[DrawnPage, ...]
    typography: Typography
    text_sources: frozenset[Slot]
    """Where the words come from that differ."""


def draw_sheet(sheet: Sheet) -> SheetPages:
    """Return the pages of a sheet, blank or key.

    Raises:
        PageError: no layout is legible on this paper.
    """
    blank, key = draw_blank_and_key(sheet, blank=not sheet.is_solved, key=sheet.is_solved)
    pages = key if sheet.is_solved else blank
    assert pages is not None
    return pages


def draw_blank_and_key(
    sheet: Sheet, *, blank: bool = True, key: bool = True
) -> tuple[SheetPages | None, SheetPages | None]:
    """Return the pages of a sheet and of its key, if they are wanted.

    Raises:
        PageError: no layout is legible on this paper.
    """
    shape = find_shape(sheet)
    templates = None if shape is None else _draw_templates(shape)
    faces = (sheet.blank, sheet.key)
    contents = templates and _find_both_contents(templates, faces)
    pages: list[SheetPages | None] = []
    for at, wanted in enumerate((blank, key)):
        if not wanted:
            pages.append(None)
        elif templates and contents:
            pages.append(_draw_over(templates[at], faces[at], contents[at]))
        else:
            pages.append(_draw_alone(faces[at]))
    return pages[0], pages[1]


def draw_layout(layout: Layout, title: str) -> SheetPages:
    """Return pages that hold no sheet's code, drawn whole."""
    return SheetPages(_draw_pages(layout, omits_slots=False).shared, (), title)


def _draw_alone(sheet: Sheet) -> SheetPages:
    """Draw the pages of a sheet that is laid out for itself."""
    drawn = _draw_pages(lay_out_without_model(sheet), omits_slots=False, field_suffix=_find_field_suffix(sheet))
    return SheetPages(drawn.shared, (), **_describe_sheet(sheet))


def _describe_sheet(sheet: Sheet) -> dict[str, Any]:
    """Return what a file says of a sheet besides its pages."""
    described = {
        "title": format_document_title(sheet),
        "code": sheet.code,
        "alt_text": sheet.say("qr", code=sheet.code),
    }
    if _find_field_suffix(sheet) is None:
        return described
    from attnhand.formats.json_sheet import render_json  # forms alone need it

    name = sheet.owner.number_and_name if sheet.owner else ""
    return described | {"initial_name": name, "attachment": render_json(sheet.blank).encode()}


def _find_field_suffix(sheet: Sheet) -> str | None:
    """Return what those hear who listen, behind the name of an empty cell; None where the sheet is no form."""
    return f", {sheet.say('spoken.empty')}" if sheet.options.fillable and not sheet.is_solved else None


@lru_cache(maxsize=64)
def _draw_templates(shape: SheetShape) -> tuple[_Template, _Template] | None:
    """Draw what all sheets of a shape share, blank and key; None where it has no model."""
    layouts = choose_model_layouts(shape)
    if layouts is None:
        return None
    suffix = _find_field_suffix(layouts.model.blank)
    return _draw_pages(layouts.blank, omits_slots=True, field_suffix=suffix), _draw_pages(layouts.key, omits_slots=True)


def _draw_pages(layout: Layout, *, omits_slots: bool, field_suffix: str | None = None) -> _Template:
    pages, contents, counts = [], [], []
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for page in layout.pages:
        canvas = PdfCanvas()
        pages.append(PageDrawer(canvas, layout, page, omits_slots=omits_slots, field_suffix=field_suffix).draw())
        contents.append(zlib.compress(wrap_page(canvas.finish(), layout.height), 9))
        counts.append(canvas.content_count)
        for font, used in canvas.characters.items():
            characters[font] |= used
    shared = SharedPages(
        width=layout.width,
        height=layout.height,
        contents=tuple(contents),
        content_counts=tuple(counts),
        sections=tuple(page.tree for page in pages),
        characters={font: frozenset(used) for font, used in characters.items()},
        fields=tuple(field for page in pages for field in page.fields),
    )
    slots = (paragraph.slot for page in pages for text in page.texts for paragraph in text.paragraphs)
    return _Template(shared, tuple(pages), layout.typography, frozenset(slot for slot in slots if slot))


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one sheet has in the slots of its shared pages."""

    numbers: Sequence[Sequence[bytes]]
    """The operators of every number, page by page and slot by slot."""

    paragraphs: Mapping[tuple[int, int], tuple[Paragraph, tuple[Text, ...]]]
    """With its lines, by page and number of the content."""


def _find_both_contents(
    templates: tuple[_Template, _Template], sheets: tuple[Sheet, Sheet]
) -> tuple[_Contents, _Contents] | None:
    """Return what blank and key have in their slots; None where one of them does not fit."""
    figures: dict[NumberSource, PrintedNumber] = {}
    key = _find_contents(templates[1], sheets[1], figures)
    if sheets[0].planted_mistake:  # the blank shows other numbers
        figures = {}
    blank = _find_contents(templates[0], sheets[0], figures) if key else None
    return (blank, key) if blank and key else None


def _find_contents(template: _Template, sheet: Sheet, figures: dict[NumberSource, PrintedNumber]) -> _Contents | None:
    """Return what a sheet has in the slots; None where it does not fit.

    Args:
        figures: numbers that were looked at before; those of this sheet are added.
    """
    words = build_slot_texts(sheet, template.text_sources)
    if words is None:
        return None
    paragraphs: dict[tuple[int, int], tuple[Paragraph, tuple[Text, ...]]] = {}
    typography = template.typography
    numbers = []
    for number, page in enumerate(template.pages):
        drawn = []
        for slot in page.numbers:
            figure = figures.get(slot.source)
            if figure is None:
                figure = figures[slot.source] = format_source(sheet, slot.source)
            operators = _draw_number_alone(figure, slot.look)
            if operators is None:
                return None
            drawn.append(operators)
        numbers.append(drawn)
        for text in page.texts:
            height = 0.0
            for at, paragraph in enumerate(text.paragraphs, text.first_content):
                filled = fill_paragraph(paragraph, sheet, words, text.width, typography)
                if filled is not None:
                    lines = filled.break_lines(typography, text.width)
                    paragraphs[number, at] = (filled, lines)
                    height += len(lines) * typography.find_line_height(filled.style) + typography.paragraph_gap
            if height - typography.paragraph_gap > text.max_height + 0.01:
                return None
    return _Contents(numbers, paragraphs)


@lru_cache(maxsize=5_000)
def _draw_number_alone(figure: PrintedNumber, look: NumberLook) -> bytes | None:
    """Return the operators of a number whose middle is the origin; None where it does not fit its cell."""
    if not look.fits(figure):
        return None
    canvas = PdfCanvas(is_fragment=True)
    draw_number(canvas, figure, look, 0.0, 0.0)
    return canvas.finish()


@lru_cache(maxsize=256)
def _draw_qr_alone(code: str, side: float) -> bytes:
    """Return the operators of a QR code whose top left corner is the origin: the same on blank and key."""
    canvas = PdfCanvas(is_fragment=True)
    draw_qr(canvas, code, 0.0, 0.0, side)
    return canvas.finish()


@lru_cache(maxsize=5_000)
def _open_number_slot(content: int, x: float, y: float) -> bytes:
    return b"/TD<</MCID %d>>BDC q 1 0 0 1 %s %s cm " % (content, write_length(x), write_length(y))


@lru_cache(maxsize=500)
def _draw_shade(width: float, height: float, shade: int) -> bytes:
    """Return the operators of a heat map's cell whose middle is the origin."""
    canvas = PdfCanvas(is_fragment=True)
    canvas.fill_area((-width / 2, -height / 2, width, height), SHADES[shade])
    return canvas.finish() + b" "


def _draw_over(template: _Template, sheet: Sheet, contents: _Contents) -> SheetPages:
    """Draw what differs from sheet to sheet."""
    streams = []
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for number, page in enumerate(template.pages):
        canvas = PdfCanvas()
        for slot, operators in zip(page.numbers, contents.numbers[number], strict=True):
            shade = b""
            if slot.look.style is GridStyle.HEAT:
                shade = _draw_shade(slot.width, slot.height, compute_shade(sheet, slot.source))
            head = _open_number_slot(slot.content, slot.x, slot.y)
            canvas.operators.append(head + shade + operators + b" Q EMC")
        for text in page.texts:
            y = text.y
            for at in range(text.first_content, text.first_content + len(text.paragraphs)):
                canvas.begin_content("P", at)
                if filled := contents.paragraphs.get((number, at)):
                    y += draw_paragraph(canvas, filled[0], template.typography, text.x, y, filled[1])
                canvas.end_content()
        for code in page.codes:
            place = b"/Figure<</MCID %d>>BDC q 1 0 0 1 %s %s cm " % (
                code.content,
                write_length(code.x),
                write_length(code.y),
            )
            canvas.operators.append(place + _draw_qr_alone(sheet.code, code.side) + b" Q EMC")
        streams.append(zlib.compress(wrap_page(canvas.finish(), template.shared.height), COMPRESSION_LEVEL))
        for font, used in canvas.characters.items():
            characters[font] |= used
    return SheetPages(
        template.shared,
        tuple(streams),
        characters={font: frozenset(used) for font, used in characters.items()},
        **_describe_sheet(sheet),
    )
