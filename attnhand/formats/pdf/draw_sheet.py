"""Sheets drawn as PDF pages: what all sheets of one kind share once, for each sheet only what differs."""

import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from attnhand.attention.mechanisms.cells import CellPosition
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
from attnhand.layout.fill import fill_paragraph, move_worked_cell
from attnhand.layout.lay_out import ModelLayouts, find_model_layouts, lay_out_without_model
from attnhand.layout.page import Layout, Paragraph
from attnhand.layout.typography import Typography
from attnhand.sheet.build_grids import HEAT_KINDS, compute_shades, format_numbers
from attnhand.sheet.grids import NumberSource, ValueKind
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.questions import AskedQuestion, build_questions, hide_answers
from attnhand.sheet.sentences import format_document_title
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, build_slot_texts
from attnhand.text.widths import Text

COMPRESSION_LEVEL = 2
"""Of what is drawn for every sheet."""

MAX_DRAWN_NUMBERS = 5_000
"""So many different numbers of one look are remembered."""


@dataclass(frozen=True, slots=True)
class _PageTemplate:
    """A page of one kind, with places for what differs from sheet to sheet."""

    page: DrawnPage
    numbers: bytes
    """Operators that draw all its numbers, with ``%b`` for each, and for its shade in a heat map."""

    fillings: tuple[tuple[Mapping[Any, bytes | None], int], ...]
    """What stands there: how values are drawn, and the index of the sheet's value."""


@dataclass(frozen=True, slots=True)
class _Template:
    """The pages of one kind, blank or key."""

    shared: SharedPages
    pages: tuple[_PageTemplate, ...]
    typography: Typography
    text_sources: frozenset[Slot]
    """Where the words come from that differ."""


@dataclass(frozen=True, slots=True)
class _Templates:
    """Blank and key of one kind."""

    faces: tuple[_Template, _Template]
    matrices: tuple[tuple[ValueKind, str, tuple[tuple[int, int], ...]], ...]
    """Where their numbers come from: places in matrices, in the order of ``_list_values``."""


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
    models, faces = find_model_layouts(sheet), (sheet.blank, sheet.key)
    templates = models and _draw_templates(models, sheet.worked_cell)
    contents = templates and _find_both_contents(templates, faces)
    pages: list[SheetPages | None] = []
    for at, wanted in enumerate((blank, key)):
        if not wanted:
            pages.append(None)
        elif templates and contents:
            pages.append(_draw_over(templates.faces[at], faces[at], contents[at]))
        else:
            pages.append(_draw_alone(faces[at]))
    return pages[0], pages[1]


def draw_layout(layout: Layout, title: str) -> SheetPages:
    """Return pages that hold no sheet's code, drawn whole."""
    return SheetPages(_draw_pages(layout)[0], (), title)


def _draw_alone(sheet: Sheet) -> SheetPages:
    """Draw the pages of a sheet that is laid out for itself."""
    shared, _ = _draw_pages(lay_out_without_model(sheet), is_form=_is_form(sheet))
    return SheetPages(shared, (), **_describe_sheet(sheet))


def _describe_sheet(sheet: Sheet) -> dict[str, Any]:
    """Return what a file says of a sheet besides its pages."""
    described = {
        "title": format_document_title(sheet),
        "code": sheet.code,
        "alt_text": sheet.say("qr", code=sheet.code),
    }
    if not _is_form(sheet):
        return described
    from attnhand.formats.json_sheet import render_json  # forms alone need it

    name = sheet.seat.number_and_name if sheet.seat else ""
    return described | {"initial_name": name, "attachment": render_json(sheet.blank).encode()}


def _is_form(sheet: Sheet) -> bool:
    return sheet.options.fillable and not sheet.is_solved


@lru_cache(maxsize=64)
def _draw_templates(models: ModelLayouts, worked_cell: CellPosition | None) -> _Templates:
    """Draw what all sheets like a model share with the same cell worked, blank and key."""
    blank_layout = move_worked_cell(models.blank, models.model.blank, worked_cell)
    key_layout = move_worked_cell(models.key, models.model.key, worked_cell)
    drawn = [
        _draw_pages(blank_layout, omits_slots=True, is_form=_is_form(models.model.blank)),
        _draw_pages(key_layout, omits_slots=True),
    ]
    sources = sorted({slot.source for _, pages in drawn for page in pages for slot in page.numbers})
    shaded = [source for source in sources if source.value_kind in HEAT_KINDS]
    indexes = {source: at for at, source in enumerate(sources)}
    shade_indexes = {source: at for at, source in enumerate(shaded, len(sources))}
    blank, key = (
        _make_template(shared, [_make_page_template(page, indexes, shade_indexes) for page in pages], layout)
        for (shared, pages), layout in zip(drawn, (blank_layout, key_layout), strict=True)
    )
    groups = groupby(sources, lambda source: (source.value_kind, source.matrix))
    matrices = [(*name, tuple((source.row, source.column) for source in group)) for name, group in groups]
    return _Templates((blank, key), tuple(matrices))


def _draw_pages(
    layout: Layout, *, omits_slots: bool = False, is_form: bool = False
) -> tuple[SharedPages, list[DrawnPage]]:
    pages, contents, counts = [], [], []
    effort = 9 if omits_slots else COMPRESSION_LEVEL
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for page in layout.pages:
        canvas = PdfCanvas()
        pages.append(PageDrawer(canvas, layout, page, omits_slots=omits_slots, is_form=is_form).draw())
        contents.append(zlib.compress(wrap_page(canvas.finish(), layout.height), effort))
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
    return shared, pages


def _make_template(shared: SharedPages, pages: list[_PageTemplate], layout: Layout) -> _Template:
    slots = (paragraph.slot for each in pages for text in each.page.texts for paragraph in text.paragraphs)
    return _Template(shared, tuple(pages), layout.typography, frozenset(slot for slot in slots if slot))


def _make_page_template(
    page: DrawnPage, indexes: Mapping[NumberSource, int], shade_indexes: Mapping[NumberSource, int]
) -> _PageTemplate:
    operators: list[bytes] = []
    fillings: list[tuple[Mapping[Any, bytes | None], int]] = []
    for slot in page.numbers:
        place = b"%s %s" % (write_length(slot.x), write_length(slot.y))
        is_shaded = slot.source in shade_indexes
        operators.append(
            b"/TD<</MCID %d>>BDC q 1 0 0 1 %s cm %s%%b Q EMC" % (slot.content, place, b"%b " if is_shaded else b"")
        )
        if is_shaded:
            fillings.append((_draw_shades(slot.width, slot.height), shade_indexes[slot.source]))
        fillings.append((_find_drawn_numbers(slot.look), indexes[slot.source]))
    return _PageTemplate(page, b"\n".join(operators), tuple(fillings))


@lru_cache(maxsize=100)
def _draw_shades(width: float, height: float) -> Mapping[int, bytes]:
    """Return the operators of a heat map's cell whose middle is the origin, shade by shade."""
    drawn = {}
    for shade, colour in enumerate(SHADES):
        canvas = PdfCanvas(is_fragment=True)
        canvas.fill_area((-width / 2, -height / 2, width, height), colour)
        drawn[shade] = canvas.finish()
    return drawn


class _DrawnNumbers(dict[PrintedNumber, bytes | None]):
    """The operators of numbers whose middle is the origin, drawn when asked; None of one that does not fit its cell."""

    def __init__(self, look: NumberLook) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, number: PrintedNumber) -> bytes | None:
        if len(self) >= MAX_DRAWN_NUMBERS:
            self.clear()
        operators = None
        if self._look.fits(number):
            canvas = PdfCanvas(is_fragment=True)
            draw_number(canvas, number, self._look, 0.0, 0.0)
            operators = canvas.finish()
        self[number] = operators
        return operators


_find_drawn_numbers = lru_cache(maxsize=100)(_DrawnNumbers)


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one sheet has in the slots of its shared pages."""

    numbers: Sequence[bytes]
    """The operators of all numbers, page by page."""

    paragraphs: Mapping[tuple[int, int], tuple[Paragraph, tuple[Text, ...]]]
    """With its lines, by page and number of the content."""


def _find_both_contents(templates: _Templates, sheets: tuple[Sheet, Sheet]) -> tuple[_Contents, _Contents] | None:
    """Return what blank and key have in their slots; None where one of them does not fit."""
    values, questions = _list_values(templates, sheets[1]), build_questions(sheets[1])
    key = _find_contents(templates.faces[1], sheets[1], values, questions)
    blank = _find_contents(templates.faces[0], sheets[0], values, hide_answers(questions)) if key else None
    return (blank, key) if blank and key else None


def _list_values(templates: _Templates, sheet: Sheet) -> list[PrintedNumber | int]:
    """Return the numbers in the slots of a sheet, and behind them the shades of those in heat maps."""
    values: list[PrintedNumber | int] = []
    for value_kind, name, places in templates.matrices:
        values += format_numbers(sheet, value_kind, name, places)
    for value_kind, name, places in templates.matrices:
        if value_kind in HEAT_KINDS:
            values += compute_shades(sheet, value_kind, name, places)
    return values


def _find_contents(
    template: _Template, sheet: Sheet, values: Sequence[PrintedNumber | int], questions: Sequence[AskedQuestion]
) -> _Contents | None:
    """Return what a sheet has in the slots; None where it does not fit."""
    words = build_slot_texts(sheet, template.text_sources, questions)
    if words is None:
        return None
    paragraphs: dict[tuple[int, int], tuple[Paragraph, tuple[Text, ...]]] = {}
    typography = template.typography
    numbers = []
    for number, page in enumerate(template.pages):
        drawn = [operators[values[at]] for operators, at in page.fillings]
        if None in drawn:
            return None
        numbers.append(page.numbers % tuple(drawn))
        for text in page.page.texts:
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


@lru_cache(maxsize=16)
def _draw_qr_alone(text: str, side: float) -> bytes:
    """Return the operators of a QR code whose top left corner is the origin: the same on blank and key."""
    canvas = PdfCanvas(is_fragment=True)
    draw_qr(canvas, text, 0.0, 0.0, side)
    return canvas.finish()


def _draw_over(template: _Template, sheet: Sheet, contents: _Contents) -> SheetPages:
    """Draw what differs from sheet to sheet."""
    streams = []
    characters: defaultdict[str, set[str]] = defaultdict(set)
    for number, (page_template, numbers) in enumerate(zip(template.pages, contents.numbers, strict=True)):
        canvas, page = PdfCanvas(), page_template.page
        if numbers:
            canvas.operators.append(numbers)
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
            drawn = _draw_qr_alone(sheet.format_qr_text(number + 1), code.side)
            canvas.operators.append(place + drawn + b" Q EMC")
        streams.append(zlib.compress(wrap_page(canvas.finish(), template.shared.height), COMPRESSION_LEVEL))
        for font, used in canvas.characters.items():
            characters[font] |= used
    return SheetPages(
        template.shared,
        tuple(streams),
        characters={font: frozenset(used) for font, used in characters.items()},
        **_describe_sheet(sheet),
    )
