"""How large a number is set, and whether it fits its cell. The style sheet has the same sizes."""

from dataclasses import dataclass

from attnhand.sheet.figures import Figure
from attnhand.text.widths import POINT, bold, plain, width

FRACTION_SIZE = 0.85
"""Size of the parts of a fraction, relative to a whole number; the style sheet has the same."""

CELL_EDGE = 1.6
"""What border and spacing take of a cell's width, in millimetres."""

CELL_EDGE_HIGH = 1.25
"""What border and spacing take of a cell's height, in millimetres."""


EXACT_EDGE = 1.0
"""What a cell of exact values needs beyond its number, in millimetres."""

LEAST_EXACT_PERCENT = 80
"""Exact values are small already."""

LOW_CELL = 9.5
"""Height of a cell, in millimetres, below which fractions are set smaller."""

LEAST_PERCENT = 60
"""A value that would have to be set smaller than this does not fit its cell."""


FRACTIONS = {(False, False): FRACTION_SIZE, (True, False): 0.72, (False, True): 0.75, (True, True): 0.6}
"""Size of a fraction's parts, in low cells or not, with a note or not; the style sheet has the same."""

FRACTION_LEADING, FRACTION_BAR = 1.15, 0.25
"""Of the parts of a fraction, and how thick its line is in millimetres."""

FRACTION_EDGE = 0.8
"""Of its line beyond its numbers, in millimetres."""

NOTE_SIZE, NOTE_LEADING = 0.55, 1.1
"""Of what stands under a number."""

ASCENT, DESCENT, X_HEIGHT = 0.928, 0.236, 0.547
"""Of the bundled font, in em."""


@dataclass(frozen=True, slots=True)
class FigureLine:
    """The line that a number is set on, in the units of its type size."""

    above: float
    """From its top to its baseline."""

    below: float
    middle: float = 0.0
    """How far the middle of a fraction stands above the baseline."""

    fraction: float = 0.0
    """The height of the fraction."""


def figure_line(figure: Figure, size: float, bar: float, *, tight: bool) -> FigureLine:
    """Return the line that a number of a size is set on: line height 1, fractions in its middle.

    Args:
        bar: how thick the line of a fraction is, in the units of the size.
    """
    above = size * ((1 - ASCENT - DESCENT) / 2 + ASCENT)
    if not figure.is_fraction:
        return FigureLine(above, size - above)
    part = size * FRACTIONS[tight, bool(figure.note)]
    high = 2 * part * FRACTION_LEADING + bar
    middle = X_HEIGHT * size / 2
    return FigureLine(max(above, middle + high / 2), max(size - above, high / 2 - middle), middle, high)


def figure_height(figure: Figure, points: float, *, tight: bool) -> float:
    """Return how high a value is with its note, in millimetres."""
    line = figure_line(figure, points * POINT, FRACTION_BAR, tight=tight)
    note = points * POINT * NOTE_SIZE * NOTE_LEADING if figure.note else 0.0
    return line.above + line.below + note


def figure_width(figure: Figure, points: float) -> float:
    """Return how wide a value is in full size and in bold, as answers are, in millimetres, or the note under it."""
    note = width(plain(figure.note), points * NOTE_SIZE) if figure.note else 0.1
    alone = width(bold(figure.text), points)
    if not figure.is_fraction:
        return max(alone, note)
    parts = max(width(bold(part), points * FRACTION_SIZE) for part in (figure.top, figure.bottom))
    return max(alone + parts + FRACTION_EDGE, note)


def figure_percent(figure: Figure, points: float, room: tuple[float, float], *, tight: bool) -> int:
    """Return how large a value is set so that it fits its cell: 100, 90, … percent of its size.

    Args:
        room: across and down, in millimetres.
    """
    across, down = room
    high = figure_height(figure, points, tight=tight)
    return min(share_of(figure_width(figure, points), across), share_of(high, down))


def exact_percent(figure: Figure, points: float, across: float) -> int:
    """Return how large an exact value is set so that it fits its cell."""
    return share_of(width(plain(figure.text), points), across)


def share_of(needed: float, room: float) -> int:
    """Return how large something is set so that it fits: 100, 90, … percent."""
    return max(10, min(100, 10 * int(10 * room / max(needed, 0.1) + 1e-6)))
