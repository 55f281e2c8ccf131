"""Sheets as PDF pages: what all sheets of one shape share is drawn once, for each sheet only what differs."""

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from typing import Any

from attnhand.formats.html import make_document_title
from attnhand.formats.json_sheet import render_json
from attnhand.formats.pdf.canvas import PdfCanvas, wrap_page, write_length
from attnhand.formats.pdf.draw_page import (
    DrawnPage,
    NumberLook,
    NumberSlot,
    PageDrawer,
    draw_number,
    draw_paragraph,
    draw_qr,
    load_colours,
)
from attnhand.formats.pdf.form import Field
from attnhand.formats.pdf.tag_objects import TreeText
from attnhand.formats.pdf.tags import Node
from attnhand.layout.lay_out import choose_model_layouts, lay_out_without_model
from attnhand.layout.page import Layout, Paragraph
from attnhand.layout.shape import SheetShape, fill_paragraph, find_shape, find_text_slots
from attnhand.layout.typography import Typography
from attnhand.sheet.build_grids import compute_shade, format_source
from attnhand.sheet.conclusion import build_slot_texts
from attnhand.sheet.figures import PrintedNumber
from attnhand.sheet.grids import GridStyle, NumberSource
from attnhand.sheet.sheet import Sheet

NUMBER_CHARACTERS = "0123456789−≈.,/∞e^+=() "
"""What numbers and their notes are made of; every sheet may hold them, in both weights."""

COMPRESSION_LEVEL = 4
"""Of what is drawn for every sheet."""


@dataclass(frozen=True, eq=False)
class SharedPages:
    """What all sheets have in common that are laid out alike."""

    width: float
    """Of the paper, in millimetres."""

    height: float
    typography: Typography
    pages: tuple[DrawnPage, ...]
    contents: tuple[bytes, ...]
    """Deflated operators, page by page."""

    content_counts: tuple[int, ...]
    """Contents (MCID) of every page, those that are drawn for each sheet among them."""

    characters: Mapping[str, frozenset[str]]
    """What is shown in every font."""

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Where the form is filled, page by page in reading order."""
        return tuple(field for page in self.pages for field in page.fields)

    @cached_property
    def text_sources(self) -> frozenset[str]:
        """Where the words come from that differ from sheet to sheet."""
        slots = (slot for page in self.pages for slot in page.texts)
        return frozenset(paragraph.slot for slot in slots for paragraph in slot.paragraphs) - {""}

    @cached_property
    def tree(self) -> TreeText:
        """The structure tree, to be filled with object numbers."""
        sections: list[Node | int] = [page.tree for page in self.pages]
        return TreeText(Node("Part", 0, sections), self.content_counts, self.height)


@dataclass(frozen=True, slots=True)
class SheetPages:
    """The pages of one sheet, ready to be put into a PDF file."""

    shared: SharedPages
    streams: tuple[bytes, ...]
    """What is drawn over the shared pages, deflated; empty where those hold everything."""

    title: str
    alt_text: str = ""
    """What those hear who cannot see the QR code."""

    characters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What its words show in every font, numbers aside."""

    code: str = ""
    initial_name: str = ""
    """What the field for the name holds from the beginning, where the sheet is a form."""

    attachment: bytes = b""
    """The problem as a file, where the sheet is a form."""


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
    both = None if shape is None else _draw_shared_pages(shape)
    faces = (sheet.blank, sheet.key)
    contents = both and _find_both_contents(both, faces)
    pages = []
    for at, wanted in enumerate((blank, key)):
        if not wanted:
            pages.append(None)
        elif both and contents:
            pages.append(_draw_over(both[at], faces[at], contents[at]))
        else:
            pages.append(_draw_alone(faces[at]))
    return pages[0], pages[1]


def draw_layout(layout: Layout, title: str) -> SheetPages:
    """Return pages that hold no sheet's code, drawn whole."""
    return SheetPages(_draw_pages(layout, leaves_slots=False), (), title)


def _draw_alone(sheet: Sheet) -> SheetPages:
    """Draw the pages of a sheet that is laid out for itself."""
    shared = _draw_pages(lay_out_without_model(sheet), leaves_slots=False, field_suffix=find_field_suffix(sheet))
    return SheetPages(shared, (), **_describe_sheet(sheet))


def _describe_sheet(sheet: Sheet) -> dict[str, Any]:
    """Return what a file says of a sheet besides its pages."""
    described = {
        "title": make_document_title(sheet), "code": sheet.code, "alt_text": sheet.say("qr", code=sheet.code)
    }
    if find_field_suffix(sheet) is None:
        return described
    name = sheet.owner.number_and_name if sheet.owner else ""
    return described | {"initial_name": name, "attachment": render_json(sheet.blank).encode()}


def find_field_suffix(sheet: Sheet) -> str | None:
    """Return what those hear who listen, behind the name of an empty cell; None where the sheet is no form."""
    return f", {sheet.say('spoken.empty')}" if sheet.options.fillable and not sheet.is_solved else None


@lru_cache(maxsize=64)
def _draw_shared_pages(shape: SheetShape) -> tuple[SharedPages, SharedPages] | None:
    """Draw what all sheets of a shape share, blank and key; None where it has no model."""
    layouts = choose_model_layouts(shape)
    if layouts is None:
        return None
    suffix = find_field_suffix(layouts.model.blank)
    return _draw_pages(layouts.blank, leaves_slots=True, field_suffix=suffix), _draw_pages(layouts.key, leaves_slots=True)


def _draw_pages(layout: Layout, *, leaves_slots: bool, field_suffix: str | None = None) -> SharedPages:
    pages, contents, counts = [], [], []
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for page in layout.pages:
        canvas = PdfCanvas()
        pages.append(PageDrawer(canvas, layout, page, leaves_slots=leaves_slots, field_suffix=field_suffix).draw())
        contents.append(zlib.compress(wrap_page(canvas.finish(), layout.height), 9))
        counts.append(canvas.content_count)
        for font, shown in canvas.characters.items():
            characters[font] |= shown
    return SharedPages(
        width=layout.width,
        height=layout.height,
        typography=layout.typography,
        pages=tuple(pages),
        contents=tuple(contents),
        content_counts=tuple(counts),
        characters={font: frozenset(shown) for font, shown in characters.items()},
    )


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one sheet has in the slots of its shared pages."""

    numbers: Sequence[Sequence[bytes]]
    """The operators of every number, page by page and slot by slot."""

    paragraphs: Mapping[tuple[int, int], Paragraph]
    """By page and number of the content."""


def _find_both_contents(
    both: tuple[SharedPages, SharedPages], sheets: tuple[Sheet, Sheet]
) -> tuple[_Contents, _Contents] | None:
    """Return what blank and key have in their slots; None where one of them does not fit."""
    figures: dict[NumberSource, PrintedNumber] = {}
    key = _find_contents(both[1], sheets[1], figures)
    if sheets[0].planted_mistake:  # the blank shows other numbers
        figures = {}
    blank = _find_contents(both[0], sheets[0], figures) if key else None
    return (blank, key) if blank and key else None


def _find_contents(shared: SharedPages, sheet: Sheet, figures: dict[NumberSource, PrintedNumber]) -> _Contents | None:
    """Return what a sheet has in the slots; None where it does not fit.

    Args:
        figures: numbers that were looked at before; those of this sheet are added.
    """
    words = build_slot_texts(sheet, shared.text_sources)
    if words is None:
        return None
    paragraphs: dict[tuple[int, int], Paragraph] = {}
    numbers = []
    for number, page in enumerate(shared.pages):
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
                filled = fill_paragraph(paragraph, sheet, words, text.width, shared.typography)
                if filled is not None:
                    paragraphs[number, at] = filled
                    height += filled.measure_height(shared.typography, text.width) + shared.typography.paragraph_gap
            if height - shared.typography.paragraph_gap > text.max_height + 0.01:
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


@lru_cache(maxsize=5_000)
def _open_number_slot(content: int, x: float, y: float) -> bytes:
    return b"/TD<</MCID %d>>BDC q 1 0 0 1 %s %s cm " % (content, write_length(x), write_length(y))


def _draw_shade(slot: NumberSlot, shade: int) -> bytes:
    """Return the operators of a shade, from the middle of the number."""
    canvas = PdfCanvas(is_fragment=True)
    x, y, w, h = slot.area
    canvas.fill_area((x - slot.x, y - slot.y, w, h), load_colours().shades[shade])
    return canvas.finish() + b" "


def _draw_over(shared: SharedPages, sheet: Sheet, contents: _Contents) -> SheetPages:
    """Draw what differs from sheet to sheet."""
    streams = []
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for number, page in enumerate(shared.pages):
        canvas = PdfCanvas()
        for slot, operators in zip(page.numbers, contents.numbers[number], strict=True):
            shade = _draw_shade(slot, compute_shade(sheet, slot.source)) if slot.look.style is GridStyle.HEAT else b""
            head = _open_number_slot(slot.content, slot.x, slot.y)
            canvas.operators.append(head + shade + operators + b" Q EMC")
        for text in page.texts:
            y = text.y
            for at, paragraph in enumerate(text.paragraphs, text.first_content):
                canvas.begin_content("P", at)
                if filled := contents.paragraphs.get((number, at)):
                    y += draw_paragraph(canvas, filled, shared.typography, text.x, y, text.width)
                canvas.end_content()
        for code in page.codes:
            canvas.begin_content("Figure", code.content)
            draw_qr(canvas, sheet.code, code.x, code.y, code.side)
            canvas.end_content()
        streams.append(zlib.compress(wrap_page(canvas.finish(), shared.height), COMPRESSION_LEVEL))
        for font, shown in canvas.characters.items():
            characters[font] |= shown
    return SheetPages(
        shared,
        tuple(streams),
        characters={font: frozenset(shown) for font, shown in characters.items()},
        **_describe_sheet(sheet),
    )
