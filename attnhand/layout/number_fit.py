"""How large a number is set, and whether it fits its cell. The style sheet has the same sizes."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from attnhand.layout.typography import ASCENT, DESCENT, X_HEIGHT
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.text.widths import MM_PER_POINT, make_plain_text, measure_width

CELL_INSET_WIDTH, CELL_INSET_HEIGHT = 1.6, 1.25
"""What border and spacing take of a cell's width and height, in millimetres."""

EXACT_CELL_INSET = 1.0
"""What a cell of exact values needs beyond its number, in millimetres."""

MIN_EXACT_PERCENT = 80
"""Exact values are small already."""

LOW_CELL_HEIGHT = 9.5
"""Height of a cell, in millimetres, below which fractions are set smaller."""

MIN_FRACTION_HEIGHT = 7.85
"""The same where an exact value stands below it, which has room of its own."""

MIN_PERCENT = 50
"""A value that would have to be set smaller than this does not fit its cell."""

FRACTION_SIZES = {False: 0.85, True: 0.8}
"""Size of a fraction's parts relative to a whole number, in low cells or not; the style sheet has the same."""

FRACTION_LEADING, FRACTION_BAR_THICKNESS = 0.9, 0.25
"""Of the parts of a fraction, which have no letters below the baseline; and how thick its bar is in millimetres."""

FRACTION_BAR_OVERHANG = 0.6
"""Of its bar beyond its numbers, in millimetres."""

FRACTION_SIGN_GAP = 0.3
"""Between a sign and the bar of a fraction, which without it would look like one long bar."""

NOTE_SIZE, NOTE_LEADING = 0.75, 0.9
"""Of what stands under a number."""

EXACT_ROOM = 5.2
"""What an exact value takes of the width of a cell that has a note beside it, in millimetres."""

MARK_NOTE_SIZE = 0.48
"""Of the same in a cell with a mark."""

SIGN_ROOM = 2.2
"""What a mark's sign takes of the width of its cell: the number stands in the middle of the rest."""


class LineMetrics(NamedTuple):
    """The line that a number is set on, in the units of its type size."""

    ascent: float
    """From its top to its baseline."""

    descent: float
    fraction_middle: float = 0.0
    """How far the middle of a fraction stands above the baseline."""

    fraction_height: float = 0.0
    """The height of the fraction."""


def measure_number_line(number: PrintedNumber, size: float, bar_thickness: float, *, is_tight: bool) -> LineMetrics:
    """Return the line that a number is set on, in the unit of its size: line height 1, fractions in its middle."""
    above = size * ((1 - ASCENT - DESCENT) / 2 + ASCENT)
    if not number.is_fraction:
        return LineMetrics(above, size - above)
    part = size * FRACTION_SIZES[is_tight]
    high = 2 * part * FRACTION_LEADING + bar_thickness
    middle = X_HEIGHT * size / 2
    return LineMetrics(max(above, middle + high / 2), max(size - above, high / 2 - middle), middle, high)


def measure_number_height(
    number: PrintedNumber, points: float, *, is_tight: bool, note_size: float = NOTE_SIZE
) -> float:
    """Return how high a value is with its note, in millimetres."""
    line = measure_number_line(number, points * MM_PER_POINT, FRACTION_BAR_THICKNESS, is_tight=is_tight)
    note = points * MM_PER_POINT * note_size * NOTE_LEADING if number.note else 0.0
    return line.ascent + line.descent + note


def measure_number_width(number: PrintedNumber, points: float, part_size: float = FRACTION_SIZES[False]) -> float:
    """Return how wide a value is in full size, in millimetres, or the note under it.

    Args:
        part_size: of a fraction's parts, relative to a whole number; the largest, where their cell is not known yet.
    """
    note = measure_width(make_plain_text(number.note), points * NOTE_SIZE) if number.note else 0.1
    alone = measure_width(make_plain_text(number.text), points)
    if not number.is_fraction:
        return max(alone, note)
    parts = max(measure_width(make_plain_text(part), points * part_size) for part in (number.top, number.bottom))
    return max(alone + FRACTION_SIGN_GAP * bool(number.text) + parts + FRACTION_BAR_OVERHANG, note)


@lru_cache(maxsize=4096)  # of small whole numbers a page has hundreds
def find_number_percent(
    number: PrintedNumber,
    points: float,
    available_size: tuple[float, float],
    *,
    is_tight: bool,
) -> int:
    """Return how large a value is set to fit its cell, so many millimetres (across, down): 100, 90, … percent."""
    width = measure_number_width(number, points, FRACTION_SIZES[is_tight])
    height = measure_number_height(number, points, is_tight=is_tight)
    return min(map(find_fitting_percent, (width, height), available_size))


def find_marked_percent(
    number: PrintedNumber, points: float, available_size: tuple[float, float], *, is_tight: bool
) -> int:
    """Return how large a value is set beside the sign of a mark; the note under it may run over the edges."""
    width = measure_number_width(replace(number, note=""), points, FRACTION_SIZES[is_tight])
    height = measure_number_height(number, points, is_tight=is_tight, note_size=MARK_NOTE_SIZE)
    return min(map(find_fitting_percent, (width, height), (available_size[0] - SIGN_ROOM, available_size[1])))


def find_exact_percent(number: PrintedNumber, points: float, available_width: float) -> int:
    """Return how large an exact value is set so that it fits its cell."""
    return find_fitting_percent(measure_width(make_plain_text(number.text), points), available_width)


def find_fitting_percent(needed: float, available: float) -> int:
    """Return how large something is set so that it fits: 100, 90, … percent."""
    return max(10, min(100, 10 * int(10 * available / max(needed, 0.1) + 1e-6)))


def fits_beside_exact(note: str, exact_points: float, cell_width: float) -> bool:
    """Say whether a note has room beside the exact value of its cell."""
    return measure_width(make_plain_text(note), exact_points) + EXACT_ROOM <= cell_width
