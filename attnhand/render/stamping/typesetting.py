"""Numbers and words as PDF operators, set as the style sheet has WeasyPrint set them.

Lengths are CSS pixels and y points down, as in WeasyPrint's own contents. A test compares every word's place with
WeasyPrint's to a hundredth of a point.
"""

from functools import lru_cache

import segno

from attnhand.render.html import QR_MASK
from attnhand.render.stamping.glyphs import Font, fonts
from attnhand.render.stamping.slots import CellStyle
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Look
from attnhand.sheet.page import FRACTION_SIZE, LEAST_PERCENT, Paragraph, Set, Typography, share_of
from attnhand.sheet.text import SMALL, Style, Text, plain, width

MM = 96 / 25.4
"""Pixels in a millimetre."""

PT = 96 / 72
"""Pixels in a point."""

PANGO = 1024
"""Pango counts type sizes in so many parts of a pixel."""

X_HEIGHT = 0.547
"""Of the bundled font, in em."""

LEADING, NOTE_LEADING = 1.15, 1.1
NOTE = 0.55
BAR = 0.25 * MM
AROUND = 0.4 * MM
SLASH = 2 * PT
FRACTIONS = {(False, False): FRACTION_SIZE, (True, False): 0.72, (False, True): 0.75, (True, True): 0.6}
"""Size of a fraction's parts, in low cells or not, with a note or not."""

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


def number(value: float) -> bytes:
    """Write a length."""
    return b"%.4f" % value


def quantised(size: float) -> float:
    """Return a type size as Pango takes it."""
    return int(size * PANGO + 1e-6) / PANGO


def shown(font: Font, text: str, size: float, x: float, y: float) -> bytes:
    """Return the operators that show a text on a baseline."""
    return b"1 0 0 -1 %s %s Tm/%s %s Tf%sTj" % (
        number(x), number(y), font.resource.encode(), b"%.6f" % quantised(size), font.encoded(text)
    )  # fmt: skip


def baseline(font: Font, size: float, leading: float) -> float:
    """Return how far below the top of its line a text's baseline is."""
    return size * ((leading - font.ascent + font.descent) / 2 + font.ascent)


@lru_cache(maxsize=20_000)
def figure_operators(figure: Figure, style: CellStyle) -> bytes:
    """Return the operators that set a number around the origin, which is the middle of its cell."""
    regular, bold = fonts()[:2]
    font = bold if style.bold else regular
    size = style.points * PT * percent_of(figure, style) / 100
    colour = PALE if style.look is Look.EXACT else INK
    note = NOTE * size
    note_height = note * NOTE_LEADING if figure.note else 0.0
    if not figure.is_fraction:
        top = -(size + note_height) / 2
        x = -font.width(figure.text) * size / 2
        words = [colour, b"BT", shown(font, figure.text, size, x, top + baseline(font, size, 1.0)), b"ET"]
        below = top + size
    else:
        words, below = _fraction(figure, style, font, size, colour, note_height)
    if figure.note:
        x = -regular.width(figure.note) * note / 2
        line = shown(regular, figure.note, note, x, below + baseline(regular, note, NOTE_LEADING))
        words += [SOFT, b"BT", line, b"ET"]
    return b" ".join(words)


def percent_of(figure: Figure, style: CellStyle) -> int:
    """Return how large a number is set so that it fits its cell."""
    if style.look is Look.HEAT:
        return 100
    needed = width(plain(figure.text), style.points)
    if figure.is_fraction:
        parts = max(width(plain(part), style.points * FRACTION_SIZE) for part in (figure.top, figure.bottom))
        needed += parts + 0.8
    return share_of(needed, style.room)


def _fraction(
    figure: Figure, style: CellStyle, font: Font, size: float, colour: bytes, note_height: float
) -> tuple[list[bytes], float]:
    """Set a fraction with its sign; returns the operators and where its line ends."""
    part = size * FRACTIONS[style.tight, bool(figure.note)]
    half = part * LEADING
    high = 2 * half + BAR
    up, down = baseline(font, size, 1.0), size - baseline(font, size, 1.0)
    middle = X_HEIGHT * size / 2  # of the fraction, above the baseline
    above, below = max(up, middle + high / 2), max(down, high / 2 - middle)
    top = -(above + below + note_height) / 2
    base = top + above
    wide = max(font.width(figure.top), font.width(figure.bottom)) * part + 2 * AROUND
    sign = font.width(figure.text) * size
    left = -(sign + wide) / 2
    words = [colour, b"BT"]
    if figure.text:
        words.append(shown(font, figure.text, size, left, base))
    left += sign
    over = base - middle - high / 2
    within = baseline(font, part, LEADING)
    words.append(shown(font, figure.top, part, left + (wide - font.width(figure.top) * part) / 2, over + within))
    # the slash that makes "3/5" of what is copied
    slash = left + (wide - font.width("/") * SLASH) / 2
    words += [b"3 Tr", shown(font, "/", SLASH, slash, over + half + BAR + baseline(font, SLASH, 0.0)), b"0 Tr"]
    bottom = over + half + BAR
    words.append(
        shown(font, figure.bottom, part, left + (wide - font.width(figure.bottom) * part) / 2, bottom + within)
    )
    words += [b"ET", b" ".join(map(number, (left, over + half, wide, BAR))), b"re f"]
    return words, top + above + below


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
            font = fonts()[run.style is Style.BOLD or run.heavy or paragraph.level > 0]
            small = size * SMALL if run.style in RISE else size
            if paragraph.style is Set.KEY and run.style is Style.BOLD:
                words.append(RED)
            words.append(shown(font, run.text, small, at, base + RISE.get(run.style, 0.0) * small))
            at += font.width(run.text) * small
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
    words = [b"q %s 0 0 %s 0 0 cm 1 g 0 0 %d %d re f 0 g" % (b"%.6f" % scale, b"%.6f" % scale, modules, modules)]
    for row, line in enumerate(matrix):
        start: int | None = None
        for column, dark in enumerate((*line, 0)):
            if dark and start is None:
                start = column
            elif not dark and start is not None:
                words.append(b"%d %d %d 1 re" % (border + start, border + row, column - start))
                start = None
    return b" ".join([*words, b"f Q"])


__all__ = ["LEAST_PERCENT", "MM", "PT", "figure_operators", "paragraph_operators", "qr_operators", "shade_operators"]
