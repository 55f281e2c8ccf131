"""Numbers and words as PDF operators, set as the style sheet has WeasyPrint set them.

Lengths are CSS pixels and y points down, as in WeasyPrint's own contents. A test compares every word's place with
WeasyPrint's to a hundredth of a point.
"""

import zlib
from functools import lru_cache

import segno

from attnhand.formats.colours import PAGE_COLOURS, SHADES, read_channels
from attnhand.formats.html import QR_MASK
from attnhand.formats.pdf.fonts import Font, fonts, name_fonts
from attnhand.formats.pdf.slots import CellStyle
from attnhand.layout.number_fit import (
    FRACTION_BAR_OVERHANG,
    FRACTION_BAR_THICKNESS,
    FRACTION_LEADING,
    FRACTION_SIZES,
    MIN_EXACT_PERCENT,
    MIN_PERCENT,
    NOTE_LEADING,
    NOTE_SIZE,
    LineMetrics,
    find_exact_percent,
    find_number_percent,
    measure_number_line,
)
from attnhand.layout.page import Paragraph
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet.figures import PrintedNumber
from attnhand.sheet.grids import GridStyle
from attnhand.text.widths import MM_PER_POINT, SCRIPT_SCALE, RunStyle, Text, split_by_font

MM = 96 / 25.4
"""Pixels in a millimetre."""

PT = 96 / 72
"""Pixels in a point."""

PANGO = 1024
"""Pango counts type sizes in so many parts of a pixel."""

BAR = FRACTION_BAR_THICKNESS * MM
AROUND = FRACTION_BAR_OVERHANG / 2 * MM
SLASH = 2 * PT
"""Of a fraction, in pixels: its line, what that is longer than its numbers on each side, and the unseen slash."""


def _fill_operator(name: str) -> bytes:
    channels = (f"{channel / 255:.6f}".rstrip("0") for channel in read_channels(PAGE_COLOURS[name].light))
    return f"{' '.join(channels)} rg".encode()


INK, SOFT, PALE, RED = map(_fill_operator, ("ink", "soft", "pale", "red"))
COLOURS = {ParagraphStyle.SMALL: SOFT, ParagraphStyle.PALE: PALE, ParagraphStyle.CAPTION: PALE}
SHADE_CHANNELS = tuple(map(read_channels, SHADES))
"""Colours of heat maps, from 0 to 10."""

RISE = {RunStyle.SUB: 0.25, RunStyle.SUP: -0.42}
"""How far small runs stand below their line, in their own em."""


EFFORT = 4
"""How hard what is stamped is deflated."""


def page_content(words: list[bytes], height: float) -> bytes:
    """Return a page's operators, in CSS pixels from the top left corner, deflated; its height is in millimetres."""
    return zlib.compress(b"\n".join([b"q .75 0 0 -.75 0 %.6f cm" % (height / MM_PER_POINT), *words, b"Q"]), EFFORT)


def number(value: float) -> bytes:
    """Write a length."""
    return b"%.4f" % value


def round_to_pango(size: float) -> float:
    """Return a type size as Pango takes it."""
    return int(size * PANGO + 1e-6) / PANGO


class Steps(dict[str, int]):
    """How far each character takes a line of one size, in parts of a pixel: Pango counts every glyph in whole ones."""

    def __init__(self, font: Font, size: float) -> None:
        super().__init__()
        self.font, self.scale = font, round_to_pango(size) * PANGO
        self.select = b"%s %.6f" % (font.resource.encode(), round_to_pango(size))
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


def show_text(font: Font, text: str, size: float, x: float, y: float) -> bytes:
    """Return the operators that show a text on a baseline."""
    return b"1 0 0 -1 %.4f %.4f Tm/%s Tf%sTj" % (x, y, steps(font, size).select, font.encoded(text))


def baseline(font: Font, size: float, leading: float) -> float:
    """Return how far below the top of its line a text's baseline is."""
    return size * ((leading - font.ascent + font.descent) / 2 + font.ascent)


@lru_cache(maxsize=5_000)
def fitting_operators(figure: PrintedNumber, style: CellStyle) -> bytes | None:
    """Return the operators that set a number around the origin; None where it would be too small to fit its cell."""
    if style.look is not GridStyle.HEAT:
        least = MIN_EXACT_PERCENT if style.look is GridStyle.EXACT else MIN_PERCENT
        if percent_of(figure, style) < least:
            return None
    return figure_operators(figure, style)


def figure_operators(figure: PrintedNumber, style: CellStyle) -> bytes:
    """Return the operators that set a number around the origin, which is the middle of its cell."""
    regular, bold = fonts()[:2]
    font = bold if style.bold else regular
    size = style.points * PT * percent_of(figure, style) / 100
    line = measure_number_line(figure, size, BAR, is_tight=style.tight)
    note = NOTE_SIZE * size
    top = -(line.ascent + line.descent + (note * NOTE_LEADING if figure.note else 0.0)) / 2
    words = [PALE if style.look is GridStyle.EXACT else INK, b"BT"]
    if figure.is_fraction:
        words += _fraction(figure, style, font, size, line, top + line.ascent)
    else:
        words += [show_text(font, figure.text, size, -advance(font, figure.text, size) / 2, top + line.ascent), b"ET"]
    if figure.note:
        x, y = -advance(regular, figure.note, note) / 2, top + line.ascent + line.descent
        note_text = show_text(regular, figure.note, note, x, y + baseline(regular, note, NOTE_LEADING))
        words += [SOFT, b"BT", note_text, b"ET"]
    return b" ".join(words)


def percent_of(figure: PrintedNumber, style: CellStyle) -> int:
    """Return how large a number is set so that it fits its cell."""
    if style.look is GridStyle.HEAT:
        return 100
    if style.look is GridStyle.EXACT:
        return find_exact_percent(figure, style.points, style.across)
    return find_number_percent(figure, style.points, (style.across, style.down), is_tight=style.tight)


def _fraction(
    figure: PrintedNumber, style: CellStyle, font: Font, size: float, line: LineMetrics, base: float
) -> list[bytes]:
    """Set a fraction with its sign on a baseline."""
    part = size * FRACTION_SIZES[style.tight, bool(figure.note)]
    half = part * FRACTION_LEADING
    over_w, under_w = (advance(font, text, part) for text in (figure.top, figure.bottom))
    wide = max(over_w, under_w) + 2 * AROUND
    sign = advance(font, figure.text, size)
    left = sign - (sign + wide) / 2
    words = [show_text(font, figure.text, size, left - sign, base)] if figure.text else []
    over = base - line.fraction_middle - line.fraction_height / 2
    under = over + half + BAR
    within = baseline(font, part, FRACTION_LEADING)
    words.append(show_text(font, figure.top, part, left + (wide - over_w) / 2, over + within))
    # the slash that makes "3/5" of what is copied
    slash = left + (wide - advance(font, "/", SLASH)) / 2
    words += [b"3 Tr", show_text(font, "/", SLASH, slash, under + baseline(font, SLASH, 0.0)), b"0 Tr"]
    words.append(show_text(font, figure.bottom, part, left + (wide - under_w) / 2, under + within))
    # the line as WeasyPrint draws the upper border of a box without height: what two boxes do not share
    boxes = ((left, under, wide, 0.0), (left, over + half, wide, BAR))
    return [*words, b"ET", *(b" ".join(map(number, box)) + b" re" for box in boxes), b"f*"]


def paragraph_operators(
    lines: tuple[Text, ...], paragraph: Paragraph, type_: Typography, x: float, y: float
) -> list[bytes]:
    """Return the operators that set a paragraph's lines, its top left corner being at a point."""
    size = type_.paragraph_points[paragraph.style] * PT
    colour = COLOURS.get(paragraph.style, INK)
    words = [b"BT", colour]
    for line in lines:
        base = y + baseline(fonts()[0], size, type_.leading)
        at = x
        for run in line:
            heavy = run.style is RunStyle.BOLD or run.is_bold or paragraph.heading_level > 0
            small = size * SCRIPT_SCALE if run.style in RISE else size
            if paragraph.style is ParagraphStyle.KEY and run.style is RunStyle.BOLD:
                words.append(RED)
            for text, is_rare in split_by_font(run.text):
                font = (name_fonts() if is_rare else fonts())[heavy]
                words.append(show_text(font, text, small, at, base + RISE.get(run.style, 0.0) * small))
                at += advance(font, text, small)
        y += size * type_.leading
    return [*words, b"ET"]


def shade_operators(shade: int, w: float, h: float) -> bytes:
    """Return the operators that fill a cell around the origin with a shade of a heat map."""
    red, green, blue = SHADE_CHANNELS[shade]
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
