"""What the page grid promises, measured in the ink of pages: sizes of type, margins, distances, white, torn stages.

The numbers are those of the page's description; nothing here asks the layout how large it takes a text to be.
"""

from collections.abc import Iterator, Sequence
from math import hypot
from typing import TypeVar

from attnhand.layout.page import Box, FlowBox, GridBox, Item, Layout, Page, RuleBox, TextBox, WorkingSpaceBox
from attnhand.sheet.grids import CellKind, GridStyle
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.pages.geometry import is_heading, is_mark_box, list_addresses, list_answer_names, measure_cells_box
from tests.pages.ink import Ink, Letters, Line, measure_ink

T = TypeVar("T", Letters, Line)

SIZES, LARGE_SIZES = (8, 10, 12, 20), (14, 18, 20, 26)
"""Of type, in points; their sub- and superscripts are 70 % as large."""

TYPE_WIDTH, PLACE_WIDTH, PLACE_PITCH, LANDSCAPE_MARGIN = 180.0, 56.0, 62.0, 15.0

LARGE_WIDTHS = (180.0, 118.0, 87.0)
"""Of words of large print on upright pages: the whole width, two places or half of it, from the left margin."""

WORD_ROOM, DIGIT_ROOM, SMALL_DIGIT_ROOM, TEXT_ROOM = 1.3, 0.9, 0.7, 2.0
"""From words and labels to lines; from digits to the lines of their cell; the same of exact values, decimals and of
what had to be set smaller; from running words to matrices. In millimetres."""

MAX_EMPTY_SHARE = 0.4
"""Of what is between the head and the foot of a page that is not the last."""

ROUNDING = 0.08
"""A distance is written with one digit."""

OVERLAP = 0.4
"""So far parts of one word may reach into one another."""

ROW_HEIGHT = 5.0
"""Of the rows by which lines are found that are near to words; any would do."""

SIDE_BEARING, LARGE_SIDE_BEARING = 0.65, 0.8
"""How far a slanted letter, or a j, may reach over the margin it stands at."""


def find_wrong_measures(sheet: Sheet, layout: Layout) -> list[str]:
    """Return all in which the pages of a sheet, blank or key, are not as promised."""
    pages = measure_ink(layout)
    return [
        *find_wrong_sizes(layout, pages, is_large=sheet.options.large_print),
        *find_beyond_margins(layout, pages),
        *find_other_measures(layout, is_large=sheet.options.large_print),
        *find_near_words(layout, pages),
        *find_near_digits(layout, pages),
        *find_letters_on_letters(layout, pages),
        *find_lines_through_letters(layout, pages),
        *find_near_texts(layout, pages),
        *find_torn_softmaxes(sheet, layout),
        *(find_empty_pages(layout, pages) if sheet.is_solved else ()),
    ]


def find_wrong_sizes(layout: Layout, pages: list[Ink], *, is_large: bool) -> Iterator[str]:
    """Name every size of type that is none of the four, nor that of their scripts."""
    sizes = LARGE_SIZES if is_large else SIZES
    allowed = [*sizes, *(0.7 * size for size in sizes)]
    for page, ink in zip(layout.pages, pages, strict=True):
        found = {round(each.points, 2): each.text for each in ink.letters}
        for size, text in sorted(found.items()):
            if not any(abs(size - each) < 0.02 for each in allowed):
                yield f"page {page.number}: “{text}” is set in {size:g} points"


def find_beyond_margins(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name what is printed beyond the type area, which is as far from both sides; № stands nearer to the edge."""
    left, right = _find_margins(layout)
    bearing = LARGE_SIDE_BEARING if layout.typography.cell_points == max(LARGE_SIZES[:-1]) else SIDE_BEARING
    for page, ink in zip(layout.pages, pages, strict=True):
        printed: list[Letters | Line] = [*ink.letters, *ink.lines]
        for each in printed:
            out = max(left - each.box.x, each.box.right - right)
            if out > bearing:
                yield f"page {page.number}: {_describe(each)} stands {out:.2f} mm beyond the margin"


def find_other_measures(layout: Layout, *, is_large: bool) -> Iterator[str]:
    """Name every stage's words that are not as wide as a place or the page, or do not begin where one does."""
    left, right = _find_margins(layout)
    widths = LARGE_WIDTHS if is_large and layout.width < layout.height else (right - left,)
    for page in layout.pages:
        for item in page.items:
            if not is_heading(item):
                continue
            at = item.box.x - left
            is_in_place = (
                not is_large
                and abs(item.box.w - PLACE_WIDTH) < 0.01
                and abs(at - round(at / PLACE_PITCH) * PLACE_PITCH) < 0.01
            )
            is_at_margin = abs(at) < 0.01 and any(abs(item.box.w - width) < 0.01 for width in widths)
            if not (is_in_place or is_at_margin):
                yield f"page {page.number}: words of {item.box.w:.1f} mm at {item.box.x:.1f}"


def _find_margins(layout: Layout) -> tuple[float, float]:
    margin = LANDSCAPE_MARGIN if layout.width > layout.height else (layout.width - TYPE_WIDTH) / 2
    return margin, layout.width - margin


def find_near_words(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name words and labels too near to a line; lines to write on have words beside them."""
    for page, ink in zip(layout.pages, pages, strict=True):
        writing = [item for item in page.items if isinstance(item, (RuleBox, WorkingSpaceBox))]
        lines = [line for line in ink.lines if not any(measure_distance(line.box, each.box) < 0.1 for each in writing)]
        cells = [cell for cell, _, _ in list_cells(page)]
        cells += [item.box for item in page.items if isinstance(item, FlowBox)]  # its lines lead from word to word
        rows = _sort_into_rows(lines)
        for letters in (each for each in ink.letters if not any(is_middle_in(cell, each.box) for cell in cells)):
            for line in {line for row in _list_rows(letters.box) for line in rows.get(row, ())}:
                distance = measure_distance(letters.box, line.box)
                if distance < WORD_ROOM - ROUNDING:
                    yield f"page {page.number}: {_describe(letters)} stands {distance:.2f} mm from {_describe(line)}"


def find_letters_on_letters(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name words that are printed over others; an index may stand under the slant of its letter."""
    for page, ink in zip(layout.pages, pages, strict=True):
        rows = _sort_into_rows(ink.letters)
        for one in ink.letters:
            near = {other for row in _list_rows(one.box) for other in rows.get(row, ())}
            for other in near:
                across = min(one.box.right, other.box.right) - max(one.box.x, other.box.x)
                down = min(one.box.bottom, other.box.bottom) - max(one.box.y, other.box.y)
                is_index = _is_index_of(one, other) or _is_index_of(other, one)
                if min(across, down) > OVERLAP and one.box < other.box and not is_index:
                    yield f"page {page.number}: {_describe(one)} stands on {_describe(other)}"


def _is_index_of(small: Letters, large: Letters) -> bool:
    """Say whether small letters follow large ones, and so are their index or power."""
    return small.points < 0.75 * large.points and abs(small.box.x - large.box.right) < 1


def find_lines_through_letters(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name words that a line strikes out."""
    for page, ink in zip(layout.pages, pages, strict=True):
        rows = _sort_into_rows(ink.lines)
        for letters in ink.letters:
            box = letters.box
            near = {line for row in _list_rows(box) for line in rows.get(row, ())}
            for line in near:
                across = min(box.right, line.box.right) - max(box.x, line.box.x)
                above, below = line.box.y - box.y, box.bottom - line.box.bottom
                if across > OVERLAP and min(above, below) > OVERLAP:
                    yield f"page {page.number}: {_describe(line)} goes through {_describe(letters)}"


def _sort_into_rows(printed: Sequence[T]) -> dict[int, list[T]]:
    """Return lines or letters by the rows of a page in which they are, or nearly: others are compared with those."""
    rows: dict[int, list[T]] = {}
    for each in printed:
        x, y, w, h = each.box
        for row in _list_rows(Box(x, y - WORD_ROOM, w, h + 2 * WORD_ROOM)):
            rows.setdefault(row, []).append(each)
    return rows


def _list_rows(box: Box) -> range:
    return range(int(box.y // ROW_HEIGHT), int(box.bottom // ROW_HEIGHT) + 1)


def find_near_digits(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name digits too near to the left or right end of their cell, or to a line above or below them."""
    for page, ink in zip(layout.pages, pages, strict=True):
        for cell, item, kind in list_cells(page):
            if item.grid.style not in (GridStyle.WORKED, GridStyle.COPY) or kind is CellKind.BLANK:
                continue
            usual = layout.typography.cell_points
            for letters in (each for each in ink.letters if is_middle_in(cell, each.box)):
                room = DIGIT_ROOM if abs(letters.points - usual) < 0.1 else SMALL_DIGIT_ROOM
                box = letters.box
                sides = (box.x - cell.x, cell.right - box.right, box.y - cell.y, cell.bottom - box.bottom)
                if min(sides) < room - ROUNDING:
                    yield f"page {page.number}: {_describe(letters)} stands {min(sides):.2f} mm from its cell's edge"


def find_near_texts(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name running words too near to a matrix."""
    for page, ink in zip(layout.pages, pages, strict=True):
        grids = [item for item in page.items if isinstance(item, GridBox)]
        no_matrix = [item for item in grids if item.grid.style is GridStyle.CHECK_SUMS or list_answer_names(item.grid)]
        matrices = [item for item in grids if item not in no_matrix]
        for item in (item for item in page.items if isinstance(item, TextBox) and not is_mark_box(item)):
            words = [each for each in ink.letters if is_middle_in(item.box, each.box)]
            for letters in words:
                for matrix in matrices:
                    distance = measure_distance(letters.box, measure_cells_box(matrix))
                    if distance < TEXT_ROOM - ROUNDING:
                        name = to_unicode(matrix.grid.name)
                        yield f"page {page.number}: {_describe(letters)} stands {distance:.2f} mm from {name}"


def find_torn_softmaxes(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every softmax whose weights stand on another page than their powers."""
    places: dict[str, int] = {}
    for page in layout.pages:
        for item in (item for item in page.items if isinstance(item, GridBox)):
            for address in list_addresses(item.grid):
                places.setdefault(address.partition("[")[0], page.number)
    for attention in sheet.problem.mechanism.attentions:
        powers, weights = places.get(attention.powers or ""), places.get(attention.weights)
        if powers and weights and powers != weights:
            yield f"{attention.powers} stand on page {powers}, {attention.weights} on page {weights}"


def find_empty_pages(layout: Layout, pages: list[Ink]) -> Iterator[str]:
    """Name every page but the last that is emptier than two fifths: lines to work on and heat maps do not fill it."""
    for page, ink in list(zip(layout.pages, pages, strict=True))[:-1]:
        foot = page.items[-1].box
        head = min((item.box.y for item in page.items if _is_body(item)), default=foot.y)
        boxes = [each.box for each in ink.letters] + [each.box for each in ink.lines]
        ends = [box.bottom for box in boxes if box.bottom < foot.y]
        share = (foot.y - max(ends)) / (foot.y - head) if foot.y > head else 1.0
        if share > MAX_EMPTY_SHARE:
            yield f"page {page.number} is {share:.0%} empty"


def _is_body(item: Item) -> bool:
    return isinstance(item, GridBox) or is_heading(item)


def list_cells(page: Page) -> list[tuple[Box, GridBox, CellKind]]:
    """Return every cell of a page, its grid, and what it holds."""
    found = []
    for item in (item for item in page.items if isinstance(item, GridBox)):
        inner = measure_cells_box(item)
        for i, row in enumerate(item.grid.cells):
            for j, cell in enumerate(row):
                place = Box(inner.x + j * item.cell_w, inner.y + i * item.cell_h, item.cell_w, item.cell_h)
                found.append((place, item, cell.kind))
    return found


def is_middle_in(outer: Box, box: Box) -> bool:
    """Say whether the middle of a rectangle lies in another."""
    x, y = box.x + box.w / 2, box.y + box.h / 2
    return outer.x <= x <= outer.right and outer.y <= y <= outer.bottom


def measure_distance(one: Box, other: Box) -> float:
    """Return how far two rectangles are from one another; 0 where they meet."""
    across = max(one.x - other.right, other.x - one.right, 0.0)
    down = max(one.y - other.bottom, other.y - one.bottom, 0.0)
    return hypot(across, down)


def _describe(each: Letters | Line) -> str:
    at = f"({each.box.x:.1f}, {each.box.y:.1f})"
    return f"“{each.text}” {at}" if isinstance(each, Letters) else f"the line {at} {each.box.w:.1f} × {each.box.h:.1f}"
