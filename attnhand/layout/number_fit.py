"""How large a number is set, and whether it fits its cell. The style sheet has the same sizes."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from attnhand.layout.typography import ASCENT, DESCENT, X_HEIGHT, NumberSize
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.text.widths import MM_PER_POINT, make_plain_text, measure_width

CELL_INSET_WIDTH, CELL_INSET_HEIGHT = 1.6, 1.25
"""What border and spacing take of a cell's width and height, in millimetres."""

EXACT_CELL_INSET = 1.6
"""What a cell of exact values needs beyond its number, in millimetres."""

FRACTION_LEADING, FRACTION_BAR_THICKNESS = 0.9, 0.25
"""Of the parts of a fraction, which have no letters below the baseline; and how thick its bar is in millimetres."""

FRACTION_BAR_OVERHANG = 0.6
"""Of its bar beyond its numbers, in millimetres."""

FRACTION_SIGN_GAP = 0.3
"""Between a sign and the bar of a fraction, which without it would look like one long bar."""

NOTE_LEADING = 0.9
"""Of what stands under a number."""

EXACT_ROOM = 5.2
"""What an exact value takes of the width of a cell that has a note beside it, in millimetres."""

SIGN_ROOM = 2.2
"""What a mark's sign takes of the width of its cell: the number stands in the middle of the rest."""


class LineMetrics(NamedTuple):
    """The line that a number is set on, in millimetres."""

    ascent: float
    """From its top to its baseline."""

    descent: float
    fraction_middle: float = 0.0
    """How far the middle of a fraction stands above the baseline."""

    fraction_height: float = 0.0
    """The height of the fraction."""


def measure_number_line(number: PrintedNumber, size: NumberSize) -> LineMetrics:
    """Return the line that a number is set on, in millimetres: line height 1, fractions in its middle."""
    whole = size.whole * MM_PER_POINT
    above = whole * ((1 - ASCENT - DESCENT) / 2 + ASCENT)
    if not number.is_fraction:
        return LineMetrics(above, whole - above)
    high = 2 * size.part * MM_PER_POINT * FRACTION_LEADING + FRACTION_BAR_THICKNESS
    middle = X_HEIGHT * whole / 2
    return LineMetrics(max(above, middle + high / 2), max(whole - above, high / 2 - middle), middle, high)


def measure_number_height(number: PrintedNumber, size: NumberSize) -> float:
    """Return how high a value is with its note, in millimetres."""
    line = measure_number_line(number, size)
    note = size.note * MM_PER_POINT * NOTE_LEADING if number.note else 0.0
    return line.ascent + line.descent + note


def measure_number_width(number: PrintedNumber, size: NumberSize) -> float:
    """Return how wide a value is, or the note under it, in millimetres."""
    note = measure_width(make_plain_text(number.note), size.note) if number.note else 0.1
    alone = measure_width(make_plain_text(number.text), size.whole)
    if not number.is_fraction:
        return max(alone, note)
    parts = max(measure_width(make_plain_text(part), size.part) for part in (number.top, number.bottom))
    return max(alone + FRACTION_SIGN_GAP * bool(number.text) + parts + FRACTION_BAR_OVERHANG, note)


@lru_cache(maxsize=4096)  # of small whole numbers a page has hundreds
def find_number_step(number: PrintedNumber, sizes: tuple[NumberSize, ...], room: tuple[float, float]) -> int | None:
    """Return the first of the sizes in which a value fits so many millimetres (across, down); None for none."""
    for step, size in enumerate(sizes):
        width, height = measure_number_width(number, size), measure_number_height(number, size)
        if width <= room[0] + 1e-6 and height <= room[1] + 1e-6:
            return step
    return None


def find_marked_step(number: PrintedNumber, sizes: tuple[NumberSize, ...], room: tuple[float, float]) -> int | None:
    """Return the same beside the sign of a mark; the note under it is as small as can be and may run on over edges."""
    smallest = min(size.note for size in sizes)
    room = room[0] - SIGN_ROOM, room[1] - smallest * MM_PER_POINT * NOTE_LEADING * bool(number.note)
    return find_number_step(replace(number, note=""), sizes, room)


def fits_exact_value(number: PrintedNumber, points: float, room: float) -> bool:
    """Say whether an exact value fits so many millimetres: it is small already, and set no smaller."""
    return measure_width(make_plain_text(number.text), points) <= room + 1e-6


def fits_beside_exact(note: str, exact_points: float, cell_width: float) -> bool:
    """Say whether a note has room beside the exact value of its cell."""
    return measure_width(make_plain_text(note), exact_points) + EXACT_ROOM <= cell_width
