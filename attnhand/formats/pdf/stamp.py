"""Sheets as PDF pages, stamped: a page is laid out once for all sheets of its shape, numbers are written over it.

Bytes do not depend on whether a layout was kept from an earlier run or is made now.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from attnhand.formats.html import make_document_title
from attnhand.formats.pdf.fonts import common_characters
from attnhand.formats.pdf.skeleton import Skeleton, draw_template, make_skeleton
from attnhand.formats.pdf.template import Template, pack_template, unpack_template
from attnhand.formats.pdf.typesetting import (
    MM,
    fitting_operators,
    page_content,
    paragraph_operators,
    qr_operators,
    shade_operators,
)
from attnhand.layout.fill import fill_paragraph
from attnhand.layout.lay_out import choose_model_layouts, lay_out_without_model
from attnhand.layout.page import Layout, Paragraph, TextBox
from attnhand.layout.shape import SheetShape, find_shape
from attnhand.sheet.build_grids import compute_shade, format_source
from attnhand.sheet.figures import PrintedNumber
from attnhand.sheet.grids import GridStyle, NumberSource
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import build_slot_texts
from attnhand.system.cache import cached
from attnhand.text.widths import Text


@dataclass(frozen=True, slots=True)
class StampedPages:
    """Pages ready to be put into a PDF file."""

    template_data: bytes
    """What they lie over, packed; the same object for all sheets of a shape, empty where they hold everything."""

    streams: tuple[bytes, ...]
    """What is stamped, deflated, page by page."""

    title: str
    alt_text: str = ""
    """What those hear who cannot see the QR code."""

    page_sizes: tuple[tuple[float, float], ...] = ()
    """Width and height of every page in millimetres, where there is no template to know them."""

    uncommon_characters: str = ""
    """Characters that are stamped and that not every sheet may hold, such as those of a name."""

    paragraph_counts: tuple[int, ...] = ()
    """Count of paragraphs on every page, where there is no template to know them."""


def clear_layout_cache() -> None:
    """Forget every layout, but for what is kept on disk."""
    _find_shape_templates.cache_clear()
    unpack_template.cache_clear()


def stamp_sheet(sheet: Sheet) -> StampedPages:
    """Return the pages of a sheet, blank or key.

    Raises:
        PageError: no layout is legible on this paper.
        MissingLibraryError: its layout is not kept, and Pango is not installed on this system.
    """
    blank, key = stamp_blank_and_key(sheet, blank=not sheet.is_solved, key=sheet.is_solved)
    done = key if sheet.is_solved else blank
    assert done is not None
    return done


def stamp_blank_and_key(
    sheet: Sheet, *, blank: bool = True, key: bool = True
) -> tuple[StampedPages | None, StampedPages | None]:
    """Return the pages of a sheet and of its key, if they are asked for.

    Raises:
        PageError: no layout is legible on this paper.
        MissingLibraryError: its layout is not kept, and Pango is not installed on this system.
    """
    faces = (sheet.blank, sheet.key)
    templates = _find_model_templates(sheet)
    contents = _find_both_contents(templates, faces) if templates else None
    if templates is None or contents is None:
        templates = (_draw_own_template(faces[0]), _draw_own_template(faces[1]))
        contents = _find_both_contents(templates, faces)
        if contents is None:
            raise RuntimeError(f"the sheet {sheet.code} does not fit its own layout")
    stamped = [
        _stamp_pages(template, face, content) if is_asked else None
        for template, face, content, is_asked in zip(templates, faces, contents, (blank, key), strict=True)
    ]
    return stamped[0], stamped[1]


def _find_both_contents(
    templates: tuple[bytes, bytes], sheets: tuple[Sheet, Sheet]
) -> tuple["_Contents", "_Contents"] | None:
    """Return what blank and key have in their templates' places; None where one of them does not fit."""
    known: dict[NumberSource, PrintedNumber] = {}
    key = _find_contents(unpack_template(templates[1]), sheets[1], known)
    if sheets[0].planted_mistake:  # the blank shows other numbers
        known = {}
    blank = _find_contents(unpack_template(templates[0]), sheets[0], known) if key else None
    return (blank, key) if blank and key else None


def _stamp_pages(template_data: bytes, sheet: Sheet, contents: "_Contents") -> StampedPages:
    template = unpack_template(template_data)
    return StampedPages(
        template_data=template_data,
        streams=tuple(_make_page_stream(template, number, sheet, contents) for number in range(len(template.pages))),
        title=make_document_title(sheet),
        alt_text=sheet.say("qr", code=sheet.code),
        uncommon_characters=find_uncommon_characters(lines for lines, _ in contents.lines.values()),
    )


def find_uncommon_characters(paragraphs: Iterable[tuple[Text, ...]]) -> str:
    """Return the characters of paragraphs, each a few lines, that not every sheet may hold."""
    used = set().union(*(run.text for lines in paragraphs for line in lines for run in line))
    return "".join(sorted(used - common_characters()))


def _make_page_stream(template: Template, page_index: int, sheet: Sheet, contents: "_Contents") -> bytes:
    """Return what is stamped on one page, every number and paragraph as marked content of its own."""
    page = template.pages[page_index]
    words: list[bytes] = []
    for (_, _, w, h, source, style, _), head, figure in zip(
        page.cells, page.heads, contents.number_operators[page_index], strict=True
    ):
        if style.look is GridStyle.HEAT:
            head += shade_operators(compute_shade(sheet, source), w, h)
        words.append(head + figure + b" Q EMC")
    type_ = template.typography
    for slot, first in page.words:
        y = slot.y
        for at in range(len(slot.paragraphs)):
            words.append(b"/P<</MCID %d>>BDC" % (first + at))
            if (line := contents.lines.get((page_index, first + at))) is not None:
                lines, paragraph = line
                words += paragraph_operators(lines, paragraph, type_, slot.x * MM, y * MM)
                y += len(lines) * type_.find_line_height(paragraph.style) + type_.paragraph_gap
            words.append(b"EMC")
    for x, y, side, mark in page.codes:
        code = qr_operators(sheet.code, side)
        words.append(b"/Figure<</MCID %d>>BDC q 1 0 0 1 %.4f %.4f cm %s Q EMC" % (mark, x, y, code))
    return page_content(words, template.height)


def _find_model_templates(sheet: Sheet) -> tuple[bytes, bytes] | None:
    """Return the templates of a sheet's shape, blank and key; None where it is laid out alone."""
    shape = find_shape(sheet)
    return None if shape is None else _find_shape_templates(shape)


@lru_cache(maxsize=64)
def _find_shape_templates(shape: SheetShape) -> tuple[bytes, bytes] | None:
    both = tuple(
        cached("model", f"{shape!r} {solved}", partial(_draw_model_template, shape, solved=solved))
        for solved in (False, True)
    )
    return (both[0], both[1]) if all(both) else None


def _draw_model_template(shape: SheetShape, *, solved: bool) -> bytes:
    """Draw the page of a shape without numbers; nothing where it has no model."""
    pages = choose_model_layouts(shape)
    if pages is None:
        return b""
    model = pages.model
    bare = make_skeleton(model.key, pages.key) if solved else make_skeleton(model.blank, pages.blank)
    return _draw_template(bare)


def _draw_template(page_skeleton: Skeleton) -> bytes:
    return pack_template(draw_template(page_skeleton))


def _draw_own_template(sheet: Sheet) -> bytes:
    """Return the template of a sheet that is laid out for itself."""
    bare = make_skeleton(sheet, lay_out_without_model(sheet))
    return cached("alone", bare.html, partial(_draw_template, bare))


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one sheet has in the places of a template."""

    number_operators: Sequence[Sequence[bytes]]
    """The operators of every number, page by page and cell by cell."""

    lines: Mapping[tuple[int, int], tuple[tuple[Text, ...], Paragraph]]
    """The lines of every stamped paragraph, by page and mark."""


def _find_contents(
    template: Template, sheet: Sheet, known_figures: dict[NumberSource, PrintedNumber]
) -> _Contents | None:
    """Return what a sheet has in a template's places; None where it does not fit."""
    words = build_slot_texts(sheet, template.sources)
    figures = _typeset_numbers(template, sheet, known_figures)
    if words is None or figures is None:
        return None
    lines = {}
    type_ = template.typography
    for number, page in enumerate(template.pages):
        for place in page.words:
            height = 0.0
            for at, paragraph in enumerate(place.slot.paragraphs):
                filled = fill_paragraph(paragraph, sheet, words, place.slot.w, type_)
                if filled is None:
                    continue
                set_lines = filled.break_lines(type_, place.slot.w)
                lines[number, place.first_mark + at] = (set_lines, filled)
                height += len(set_lines) * type_.find_line_height(filled.style) + type_.paragraph_gap
            if height - type_.paragraph_gap > place.slot.room + 0.01:
                return None
    return _Contents(figures, lines)


def _typeset_numbers(
    template: Template, sheet: Sheet, known_figures: dict[NumberSource, PrintedNumber]
) -> list[list[bytes]] | None:
    """Return the operators of every number; None where one does not fit its cell.

    Args:
        known_figures: numbers that were looked at before; those of this sheet are added.
    """
    pages = []
    for page in template.pages:
        operators = []
        for cell in page.cells:
            figure = known_figures.get(cell.source)
            if figure is None:
                figure = known_figures[cell.source] = format_source(sheet, cell.source)
            number_operators = fitting_operators(figure, cell.style)
            if number_operators is None:
                return None
            operators.append(number_operators)
        pages.append(operators)
    return pages


def stamp_text_pages(layout: Layout, title: str) -> StampedPages:
    """Return pages made of words alone: covers, separators, quick keys."""
    streams, marks = [], []
    texts: list[tuple[Text, ...]] = []
    for page in layout.pages:
        words: list[bytes] = []
        count = 0
        for item in page.items:
            if not isinstance(item, TextBox):
                raise TypeError(f"a page of words holds a {type(item).__name__}")
            y = item.box.y
            for paragraph in item.paragraphs:
                lines = paragraph.break_lines(layout.typography, item.box.w)
                texts.append(lines)
                words.append(b"/P<</MCID %d>>BDC" % count)
                words += paragraph_operators(lines, paragraph, layout.typography, item.box.x * MM, y * MM)
                words.append(b"EMC")
                count += 1
                y += len(lines) * layout.typography.find_line_height(paragraph.style) + layout.typography.paragraph_gap
        streams.append(page_content(words, layout.height))
        marks.append(count)
    sizes = ((layout.width, layout.height),) * len(streams)
    return StampedPages(
        template_data=b"",
        streams=tuple(streams),
        title=title,
        page_sizes=sizes,
        uncommon_characters=find_uncommon_characters(texts),
        paragraph_counts=tuple(marks),
    )
