"""Sheets as PDF pages, stamped: a page is laid out once for all sheets of its shape, numbers are written over it.

Bytes do not depend on whether a layout was kept from an earlier run or is made now.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from attnhand.formats.html import document_title
from attnhand.formats.pdf.fonts import common_characters
from attnhand.formats.pdf.skeleton import Skeleton, drawn_template, skeleton
from attnhand.formats.pdf.template import Template, packed, unpacked
from attnhand.formats.pdf.typesetting import (
    MM,
    fitting_operators,
    page_content,
    paragraph_operators,
    qr_operators,
    shade_operators,
)
from attnhand.layout.lay_out import laid_out_alone, pages_of_shape
from attnhand.layout.page import Layout, Paragraph, TextBox
from attnhand.layout.shape import Shape, said, shape_of
from attnhand.sheet.build_grids import figure_of, shade_of
from attnhand.sheet.conclusion import words_of_sources
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Look, Source
from attnhand.sheet.sheet import Sheet
from attnhand.system.cache import kept
from attnhand.text.widths import Text


@dataclass(frozen=True, slots=True)
class Stamped:
    """Pages ready to be put into a PDF file."""

    template: bytes
    """What they lie over, packed; the same object for all sheets of a shape, empty where they hold everything."""

    streams: tuple[bytes, ...]
    """What is stamped, deflated, page by page."""

    title: str
    alternative: str = ""
    """What those hear who cannot see the QR code."""

    sizes: tuple[tuple[float, float], ...] = ()
    """Width and height of every page in millimetres, where there is no template to know them."""

    uncommon: str = ""
    """Characters that are stamped and that not every sheet may hold, such as those of a name."""

    marks: tuple[int, ...] = ()
    """Count of paragraphs on every page, where there is no template to know them."""


def forget() -> None:
    """Forget every layout, but for what is kept on disk."""
    _templates_of_shape.cache_clear()
    unpacked.cache_clear()


def stamped(sheet: Sheet) -> Stamped:
    """Return the pages of a sheet, blank or key.

    Raises:
        PageError: no layout is legible on this paper.
        MissingLibraryError: its layout is not kept, and Pango is not installed on this system.
    """
    blank, key = stamped_both(sheet, blank=not sheet.solved, key=sheet.solved)
    done = key if sheet.solved else blank
    assert done is not None
    return done


def stamped_both(sheet: Sheet, *, blank: bool = True, key: bool = True) -> tuple[Stamped | None, Stamped | None]:
    """Return the pages of a sheet and of its key, if they are wanted.

    Raises:
        PageError: no layout is legible on this paper.
        MissingLibraryError: its layout is not kept, and Pango is not installed on this system.
    """
    faces = (sheet.blank, sheet.key)
    templates = _templates_of_model(sheet)
    contents = _both_contents(templates, faces) if templates else None
    if templates is None or contents is None:
        templates = (_template_alone(faces[0]), _template_alone(faces[1]))
        contents = _both_contents(templates, faces)
        if contents is None:
            raise RuntimeError(f"the sheet {sheet.code} does not fit its own layout")
    made = [
        _stamped(template, face, content) if wanted else None
        for template, face, content, wanted in zip(templates, faces, contents, (blank, key), strict=True)
    ]
    return made[0], made[1]


def _both_contents(
    templates: tuple[bytes, bytes], faces: tuple[Sheet, Sheet]
) -> tuple["_Contents", "_Contents"] | None:
    """Return what blank and key have in their templates' places; None where one of them does not fit."""
    known: dict[Source, Figure] = {}
    key = _contents(unpacked(templates[1]), faces[1], known)
    if faces[0].planted:  # the blank shows other numbers
        known = {}
    blank = _contents(unpacked(templates[0]), faces[0], known) if key else None
    return (blank, key) if blank and key else None


def _stamped(data: bytes, sheet: Sheet, contents: "_Contents") -> Stamped:
    template = unpacked(data)
    return Stamped(
        template=data,
        streams=tuple(_stream(template, number, sheet, contents) for number in range(len(template.pages))),
        title=document_title(sheet),
        alternative=sheet.say("qr", code=sheet.code),
        uncommon=uncommon_in(lines for lines, _ in contents.lines.values()),
    )


def uncommon_in(paragraphs: Iterable[tuple[Text, ...]]) -> str:
    """Return the characters of paragraphs, each a few lines, that not every sheet may hold."""
    used = set().union(*(run.text for lines in paragraphs for line in lines for run in line))
    return "".join(sorted(used - common_characters()))


def _stream(template: Template, number: int, sheet: Sheet, contents: "_Contents") -> bytes:
    """Return what is stamped on one page, every number and paragraph as marked content of its own."""
    page = template.pages[number]
    words: list[bytes] = []
    for (_, _, w, h, source, style, _), head, figure in zip(
        page.cells, page.heads, contents.figures[number], strict=True
    ):
        if style.look is Look.HEAT:
            head += shade_operators(shade_of(sheet, source), w, h)
        words.append(head + figure + b" Q EMC")
    type_ = template.typography
    for slot, first in page.words:
        y = slot.y
        for at in range(len(slot.paragraphs)):
            words.append(b"/P<</MCID %d>>BDC" % (first + at))
            if (told := contents.lines.get((number, first + at))) is not None:
                lines, paragraph = told
                words += paragraph_operators(lines, paragraph, type_, slot.x * MM, y * MM)
                y += len(lines) * type_.line(paragraph.style) + type_.between
            words.append(b"EMC")
    for x, y, side, mark in page.codes:
        code = qr_operators(sheet.code, side)
        words.append(b"/Figure<</MCID %d>>BDC q 1 0 0 1 %.4f %.4f cm %s Q EMC" % (mark, x, y, code))
    return page_content(words, template.height)


def _templates_of_model(sheet: Sheet) -> tuple[bytes, bytes] | None:
    """Return the templates of a sheet's shape, blank and key; None where it is laid out alone."""
    shape = shape_of(sheet)
    return None if shape is None else _templates_of_shape(shape)


@lru_cache(maxsize=64)
def _templates_of_shape(shape: Shape) -> tuple[bytes, bytes] | None:
    both = tuple(
        kept("model", f"{shape!r} {solved}", partial(_drawn_model, shape, solved=solved)) for solved in (False, True)
    )
    return (both[0], both[1]) if all(both) else None


def _drawn_model(shape: Shape, *, solved: bool) -> bytes:
    """Draw the page of a shape without numbers; nothing where it has no model."""
    pages = pages_of_shape(shape)
    if pages is None:
        return b""
    model = pages.model
    bare = skeleton(model.key, pages.key) if solved else skeleton(model.blank, pages.blank)
    return _drawn(bare)


def _drawn(bare: Skeleton) -> bytes:
    return packed(drawn_template(bare))


def _template_alone(sheet: Sheet) -> bytes:
    """Return the template of a sheet that is laid out for itself."""
    bare = skeleton(sheet, laid_out_alone(sheet))
    return kept("alone", bare.html, partial(_drawn, bare))


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one sheet has in the places of a template."""

    figures: Sequence[Sequence[bytes]]
    """The operators of every number, page by page and cell by cell."""

    lines: Mapping[tuple[int, int], tuple[tuple[Text, ...], Paragraph]]
    """The lines of every stamped paragraph, by page and mark."""


def _contents(template: Template, sheet: Sheet, known: dict[Source, Figure]) -> _Contents | None:
    """Return what a sheet has in a template's places; None where it does not fit."""
    words = words_of_sources(sheet, template.sources)
    figures = _figures(template, sheet, known)
    if words is None or figures is None:
        return None
    lines = {}
    type_ = template.typography
    for number, page in enumerate(template.pages):
        for place in page.words:
            height = 0.0
            for at, paragraph in enumerate(place.slot.paragraphs):
                told = said(paragraph, sheet, words, place.slot.w, type_)
                if told is None:
                    continue
                set_lines = told.lines(type_, place.slot.w)
                lines[number, place.first_mark + at] = (set_lines, told)
                height += len(set_lines) * type_.line(told.style) + type_.between
            if height - type_.between > place.slot.room + 0.01:
                return None
    return _Contents(figures, lines)


def _figures(template: Template, sheet: Sheet, known: dict[Source, Figure]) -> list[list[bytes]] | None:
    """Return the operators of every number; None where one does not fit its cell.

    Args:
        known: numbers that were looked at before; those of this sheet are added.
    """
    pages = []
    for page in template.pages:
        operators = []
        for cell in page.cells:
            figure = known.get(cell.source)
            if figure is None:
                figure = known[cell.source] = figure_of(sheet, cell.source)
            made = fitting_operators(figure, cell.style)
            if made is None:
                return None
            operators.append(made)
        pages.append(operators)
    return pages


def stamped_layout(layout: Layout, title: str) -> Stamped:
    """Return pages made of words alone: covers, separators, quick keys."""
    streams, marks = [], []
    told: list[tuple[Text, ...]] = []
    for page in layout.pages:
        words: list[bytes] = []
        count = 0
        for item in page.items:
            if not isinstance(item, TextBox):
                raise TypeError(f"a page of words holds a {type(item).__name__}")
            y = item.box.y
            for paragraph in item.paragraphs:
                lines = paragraph.lines(layout.typography, item.box.w)
                told.append(lines)
                words.append(b"/P<</MCID %d>>BDC" % count)
                words += paragraph_operators(lines, paragraph, layout.typography, item.box.x * MM, y * MM)
                words.append(b"EMC")
                count += 1
                y += len(lines) * layout.typography.line(paragraph.style) + layout.typography.between
        streams.append(page_content(words, layout.height))
        marks.append(count)
    sizes = ((layout.width, layout.height),) * len(streams)
    return Stamped(
        template=b"",
        streams=tuple(streams),
        title=title,
        sizes=sizes,
        uncommon=uncommon_in(told),
        marks=tuple(marks),
    )
