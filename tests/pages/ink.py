"""What a page prints, measured: outlines of letters as the bundled fonts have them, lines, areas.

Pages are drawn on a canvas that writes nothing and remembers where ink goes; widths and heights that the layout reckons
with are not asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from fontTools.ttLib import TTFont

from attnhand.formats.pdf.canvas import Area, Canvas, Stroke
from attnhand.formats.pdf.draw_page import PageDrawer
from attnhand.formats.pdf.fonts import Font
from attnhand.layout.page import Box, Layout, Page
from attnhand.text.widths import MM_PER_POINT

MAX_LINE_THICKNESS = 0.65
"""What is thicker is an area, in millimetres."""

MIN_LINE_LENGTH = 2.0
"""What is shorter is a dash or a dot."""


class Letters(NamedTuple):
    """A word or a part of one, as far as its ink reaches."""

    text: str
    box: Box
    points: float
    """Size of its type."""

    colour: str


class Line(NamedTuple):
    """A straight line, as far as its ink reaches."""

    box: Box
    colour: str


@dataclass
class Ink:
    """All that a page prints."""

    letters: list[Letters] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    areas: list[Box] = field(default_factory=list)


def measure_ink(layout: Layout) -> list[Ink]:
    """Draw every page of a layout, and return what it prints."""
    return [_measure_page(layout, page) for page in layout.pages]


def _measure_page(layout: Layout, page: Page) -> Ink:
    canvas = _InkCanvas()
    PageDrawer(canvas, layout, page).draw()
    return canvas.ink


class _InkCanvas(Canvas):
    """Remembers where ink goes."""

    def __init__(self) -> None:
        self.ink = Ink()

    def _show_glyphs(
        self, font: Font, text: str, x: float, baseline: float, size: float, colour: str, *, is_hidden: bool
    ) -> None:
        if is_hidden:
            return
        for word, start in _split_words(text):
            box = _measure_word(font, word)
            if box is not None:
                left, top, right, bottom = (each * size for each in box)
                at = x + font.measure(text[:start]) * size
                place = Box(at + left, baseline - top, right - left, top - bottom)
                self.ink.letters.append(Letters(word, place, size / MM_PER_POINT, colour))

    def fill_areas(
        self,
        areas: Sequence[Area],
        colour: str,
        *,
        is_even_odd: bool = False,
        origin: tuple[float, float] = (0.0, 0.0),
        unit: float = 1.0,
    ) -> None:
        if unit != 1.0:  # the modules of a QR code
            return
        if is_even_odd:  # a frame: what is between two areas
            self.ink.lines += [Line(box, colour) for box in _list_frame(Box(*areas[0]), Box(*areas[1]))]
            return
        for area in map(Box._make, areas):
            if min(area.w, area.h) > MAX_LINE_THICKNESS:
                self.ink.areas.append(area)
            elif max(area.w, area.h) >= MIN_LINE_LENGTH:
                self.ink.lines.append(Line(area, colour))

    def draw_stroke(self, stroke: Stroke, thickness: float, colour: str, *, dashes: tuple[float, ...] = ()) -> None:
        x0, y0, x1, y1 = stroke
        half = thickness / 2
        left, top = min(x0, x1) - half * (x0 == x1), min(y0, y1) - half * (y0 == y1)
        box = Box(left, top, abs(x1 - x0) + thickness * (x0 == x1), abs(y1 - y0) + thickness * (y0 == y1))
        self.ink.lines.append(Line(box, colour))


def _split_words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text and where each begins."""
    start = 0
    for word in text.split(" "):
        if word:
            yield word, start
        start += len(word) + 1


def _list_frame(outer: Box, inner: Box) -> list[Box]:
    """Return the four lines of a frame."""
    thick = inner.x - outer.x
    return [
        Box(outer.x, outer.y, outer.w, thick),
        Box(outer.x, outer.bottom - thick, outer.w, thick),
        Box(outer.x, outer.y, thick, outer.h),
        Box(outer.right - thick, outer.y, thick, outer.h),
    ]


@cache
def _measure_word(font: Font, word: str) -> tuple[float, float, float, float] | None:
    """Return how far the ink of a word reaches, in em: left, top, right, bottom from its origin; None for no ink."""
    outlines, em, names = _load_outlines(font.path)
    boxes, at = [], 0.0
    for character in word:
        glyph = outlines[names.get(ord(character), ".notdef")]
        if glyph.numberOfContours:
            boxes.append((at + glyph.xMin / em, glyph.yMax / em, at + glyph.xMax / em, glyph.yMin / em))
        at += font.measure(character)
    if not boxes:
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), max(tops), max(rights), min(bottoms)


@cache
def _load_outlines(path: Any) -> tuple[Any, int, dict[int, str]]:
    """Return the outlines of a font file, its units an em, and the glyphs of characters."""
    file = TTFont(path)
    return file["glyf"], file["head"].unitsPerEm, file.getBestCmap()
