"""Numbers and words as PDF operators, set as the style sheet has WeasyPrint set them.

Lengths are CSS pixels and y points down, as in WeasyPrint's own contents. A test compares every word's place with
WeasyPrint's to a hundredth of a point.
"""

import zlib
from functools import lru_cache

import segno

from attnhand.formats.html import QR_MASK
from attnhand.formats.pdf.fonts import Font, fonts, name_fonts
from attnhand.formats.pdf.slots import CellStyle
from attnhand.layout.number_fit import (
    FRACTION_BAR,
    FRACTION_EDGE,
    FRACTION_LEADING,
    FRACTIONS,
    LEAST_EXACT_PERCENT,
    LEAST_PERCENT,
    NOTE_LEADING,
    NOTE_SIZE,
    FigureLine,
    exact_percent,
    figure_line,
    figure_percent,
)
from attnhand.layout.page import Paragraph
from attnhand.layout.typography import Set, Typography
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Look
from attnhand.text.widths import POINT, SMALL, Style, Text, by_font

MM = 96 / 25.4
"""Pixels in a millimetre."""

PT = 96 / 72
"""Pixels in a point."""

PANGO = 1024
"""Pango counts type sizes in so many parts of a pixel."""

BAR = FRACTION_BAR * MM
AROUND = FRACTION_EDGE / 2 * MM
SLASH = 2 * PT
"""Of a fraction, in pixels: its line, what that is longer than its numbers on each side, and the unseen slash."""

INK, SOFT, PALE, RED = (b"%s rg" % colour for colour in (
    b"0.066667 0.066667 0.066667", b"0.266667 0.266667 0.266667", b"0.4 0.4 0.4", b"0.639216 0.082353 0.082353"
))  # fmt: skip
COLOURS = {Set.SMALL: SOFT, Set.PALE: PALE, Set.CAPTION: PALE}
SHADES = tuple(
    bytes.fromhex(colour)
    for colour in (
        *("ffffff", "e9f5f4", "d3ebe9", "bde1de", "a7d7d3", "91cdc8"),
        *("7bc3bd", "65b9b2", "4fafa7", "39a59c", "239b91"),
    )
)
"""Colours of heat maps, from 0 to 10."""

RISE = {Style.SUB: 0.25, Style.SUP: -0.42}
"""How far small runs stand below their line, in their own em."""


EFFORT = 4
"""How hard what is stamped is deflated."""


def page_content(words: list[bytes], height: float) -> bytes:
    """Return a page's operators, in CSS pixels from the top left corner, deflated; its height is in millimetres."""
    return zlib.compress(b"\n".join([b"q .75 0 0 -.75 0 %.6f cm" % (height / POINT), *words, b"Q"]), EFFORT)


def number(value: float) -> bytes:
    """Write a length."""
    return b"%.4f" % value


def quantised(size: float) -> float:
    """Return a type size as Pango takes it."""
    return int(size * PANGO + 1e-6) / PANGO


class Steps(dict[str, int]):
    """How far each character takes a line of one size, in parts of a pixel: Pango counts every glyph in whole ones."""

    def __init__(self, font: Font, size: float) -> None:
        super().__init__()
        self.font, self.scale = font, quantised(size) * PANGO
        self.select = b"%s %.6f" % (font.resource.encode(), quantised(size))
        """The font and its size, as an operator takes them."""

    def __missing__(self, character: str) -> int:
        step = self[character] = round(self.font.advance_of(character) * self.scale)
        return step


@lru_cache(maxsize=500)
def steps(font: Font, size: float) -> Steps:
    """Return the steps of a font at a size, in pixels."""
    return Steps(font, size)


def advance(font: Font, text: str, size: float) -> float:
    """Return how wide a text is, in pixels."""
    return sum(map(steps(font, size).__getitem__, text)) / PANGO


def shown(font: Font, text: str, size: float, x: float, y: float) -> bytes:
    """Return the operators that show a text on a baseline."""
    return b"1 0 0 -1 %.4f %.4f Tm/%s Tf%sTj" % (x, y, steps(font, size).select, font.encoded(text))


def baseline(font: Font, size: float, leading: float) -> float:
    """Return how far below the top of its line a text's baseline is."""
    return size * ((leading - font.ascent + font.descent) / 2 + font.ascent)


@lru_cache(maxsize=5_000)
def fitting_operators(figure: Figure, style: CellStyle) -> bytes | None:
    """Return the operators that set a number around the origin; None where it would be too small to fit its cell."""
    if style.look is not Look.HEAT:
        least = LEAST_EXACT_PERCENT if style.look is Look.EXACT else LEAST_PERCENT
        if percent_of(figure, style) < least:
            return None
    return figure_operators(figure, style)


def figure_operators(figure: Figure, style: CellStyle) -> bytes:
    """Return the operators that set a number around the origin, which is the middle of its cell."""
    regular, bold = fonts()[:2]
    font = bold if style.bold else regular
    size = style.points * PT * percent_of(figure, style) / 100
    line = figure_line(figure, size, BAR, tight=style.tight)
    note = NOTE_SIZE * size
    top = -(line.above + line.below + (note * NOTE_LEADING if figure.note else 0.0)) / 2
    words = [PALE if style.look is Look.EXACT else INK, b"BT"]
    if figure.is_fraction:
        words += _fraction(figure, style, font, size, line, top + line.above)
    else:
        words += [shown(font, figure.text, size, -advance(font, figure.text, size) / 2, top + line.above), b"ET"]
    if figure.note:
        x, y = -advance(regular, figure.note, note) / 2, top + line.above + line.below
        told = shown(regular, figure.note, note, x, y + baseline(regular, note, NOTE_LEADING))
        words += [SOFT, b"BT", told, b"ET"]
    return b" ".join(words)


def percent_of(figure: Figure, style: CellStyle) -> int:
    """Return how large a number is set so that it fits its cell."""
    if style.look is Look.HEAT:
        return 100
    if style.look is Look.EXACT:
        return exact_percent(figure, style.points, style.across)
    return figure_percent(figure, style.points, (style.across, style.down), tight=style.tight)


def _fraction(figure: Figure, style: CellStyle, font: Font, size: float, line: FigureLine, base: float) -> list[bytes]:
    """Set a fraction with its sign on a baseline."""
    part = size * FRACTIONS[style.tight, bool(figure.note)]
    half = part * FRACTION_LEADING
    over_w, under_w = (advance(font, text, part) for text in (figure.top, figure.bottom))
    wide = max(over_w, under_w) + 2 * AROUND
    sign = advance(font, figure.text, size)
    left = sign - (sign + wide) / 2
    words = [shown(font, figure.text, size, left - sign, base)] if figure.text else []
    over = base - line.middle - line.fraction / 2
    under = over + half + BAR
    within = baseline(font, part, FRACTION_LEADING)
    words.append(shown(font, figure.top, part, left + (wide - over_w) / 2, over + within))
    # the slash that makes "3/5" of what is copied
    slash = left + (wide - advance(font, "/", SLASH)) / 2
    words += [b"3 Tr", shown(font, "/", SLASH, slash, under + baseline(font, SLASH, 0.0)), b"0 Tr"]
    words.append(shown(font, figure.bottom, part, left + (wide - under_w) / 2, under + within))
    # the line as WeasyPrint draws the upper border of a box without height: what two boxes do not share
    boxes = ((left, under, wide, 0.0), (left, over + half, wide, BAR))
    return [*words, b"ET", *(b" ".join(map(number, box)) + b" re" for box in boxes), b"f*"]


def paragraph_operators(
    lines: tuple[Text, ...], paragraph: Paragraph, type_: Typography, x: float, y: float
) -> list[bytes]:
    """Return the operators that set a paragraph's lines, its top left corner being at a point."""
    size = type_.points[paragraph.style] * PT
    colour = COLOURS.get(paragraph.style, INK)
    words = [b"BT", colour]
    for line in lines:
        base = y + baseline(fonts()[0], size, type_.leading)
        at = x
        for run in line:
            heavy = run.style is Style.BOLD or run.heavy or paragraph.level > 0
            small = size * SMALL if run.style in RISE else size
            if paragraph.style is Set.KEY and run.style is Style.BOLD:
                words.append(RED)
            for text, is_rare in by_font(run.text):
                font = (name_fonts() if is_rare else fonts())[heavy]
                words.append(shown(font, text, small, at, base + RISE.get(run.style, 0.0) * small))
                at += advance(font, text, small)
        y += size * type_.leading
    return [*words, b"ET"]


def shade_operators(shade: int, w: float, h: float) -> bytes:
    """Return the operators that fill a cell around the origin with a shade of a heat map."""
    red, green, blue = SHADES[shade]
    colour = b"%.6f %.6f %.6f rg" % (red / 255, green / 255, blue / 255)
    return colour + b" " + b" ".join(map(number, (-w / 2, -h / 2, w, h))) + b" re f "


@lru_cache(maxsize=256)
def qr_operators(code: str, side: float) -> bytes:
    """Return the operators that draw a QR code with its quiet zone, its top left corner being at the origin."""
    matrix = segno.make(code, error="m", micro=False, mask=QR_MASK).matrix
    border = 4
    modules = len(matrix) + 2 * border
    scale = side / modules
    words = [b"q %s 0 0 %s 0 0 cm 1 g 0 0 %d %d re f 0 G 1 w" % (b"%.6f" % scale, b"%.6f" % scale, modules, modules)]
    for row, line in enumerate(matrix):
        start: int | None = None
        for column, dark in enumerate((*line, 0)):
            if dark and start is None:
                start = column
            elif not dark and start is not None:
                left, middle = border + start, border + row + 0.5  # lines of one module's width, as in the SVG
                words.append(b"%d %.1f m %d %.1f l" % (left, middle, left + column - start, middle))
                start = None
    return b" ".join([*words, b"S Q"])
