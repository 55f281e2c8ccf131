"""Where quick keys stand on a page: small matrices, and beside them a table of what slips leave.

Matrices and tables of one booklet stand at the same places, sheet by sheet: who marks a pile looks at one place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from attnhand.classroom.quick_key import QuickKey, SlipIndicator
from attnhand.layout.number_fit import CELL_INSET_WIDTH
from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, TextBox, make_grid_box, make_text_box
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, SIDE_MARGIN, ParagraphStyle
from attnhand.sheet.grids import Grid
from attnhand.text.widths import (
    Text,
    count_lines,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_unicode,
    replace_missing_characters,
)

CELL_HEIGHT, LABEL_WIDTH, LABEL_HEIGHT = 5.0, 7.0, 4.5
MIN_CELL_WIDTH = 7.0
"""Of the small matrices, in millimetres."""

NUMBER_SHARES = (0.9, 0.8, 0.7)
"""How large the longest number is set in so low a cell; smaller, so that the table has room beside the matrices."""

STACK_GAP, TABLE_GAP = 4.0, 6.0
"""Between matrices, and before the table, in millimetres."""

MIN_TABLE_WIDTH = 60.0
"""Where less is free beside the matrices, the table stands below them."""

COLUMN_GAP = 2.5
"""Between the columns of the table, in millimetres."""

HEAD_GAP = 0.5
"""Between the heads of the table, the rule below them and its first line, in millimetres."""

MEASURED_KEYS = 50
"""So many quick keys say how wide the columns are; of the others, longer numbers are set smaller."""

_SMALL_POINTS = REGULAR_TYPOGRAPHY.paragraph_points[ParagraphStyle.SMALL]

Say = Callable[..., str]


@dataclass(frozen=True, slots=True)
class QuickKeyColumns:
    """Where matrices and tables stand on all pages of a booklet, in millimetres."""

    cell_widths: tuple[float, ...]
    """Of every stack of matrices, from left to right."""

    table_x: float | None
    """The left edge of the table; None where it stands below the matrices."""

    address_width: float
    value_width: float
    """Of the first two columns of the table."""


def find_quick_key_columns(keys: Sequence[QuickKey], room: float, say: Say) -> QuickKeyColumns:
    """Return where matrices and tables stand so that those of all sheets stand one under the other."""
    stacks = _stack_grids(keys[0].grids)
    widest = [0.0] * len(stacks)
    for key in keys:
        for at, stack in enumerate(_stack_grids(key.grids)):
            widest[at] = max(widest[at], *map(_measure_number, _list_numbers(stack)))
    indicators = [each for key in keys for each in key.slip_indicators]
    cell_head, value_head, _ = _make_heads(say)
    table_widths = (
        max(map(_measure_small, {cell_head, *map(_make_address, indicators)})),
        max(map(_measure_small, {value_head, *map(_make_value, indicators)})),
    )
    actions = {parse_unicode(each.action) for each in indicators}

    def count_action_lines(table_x: float) -> int:
        width = SIDE_MARGIN + room - table_x - sum(table_widths) - 2 * COLUMN_GAP
        return sum(count_lines(action, _SMALL_POINTS, width) for action in actions)

    found = []
    for share in NUMBER_SHARES:
        cell_widths = _find_cell_widths(widest, share)
        sizes = zip(stacks, cell_widths, strict=True)
        taken = sum(LABEL_WIDTH + STACK_GAP + stack[0].column_count * width for stack, width in sizes)
        table_x = SIDE_MARGIN + taken - STACK_GAP + TABLE_GAP
        if SIDE_MARGIN + room - table_x >= MIN_TABLE_WIDTH:
            found.append((count_action_lines(table_x), cell_widths, table_x))
    if not found:
        return QuickKeyColumns(_find_cell_widths(widest, NUMBER_SHARES[0]), None, *table_widths)
    # smaller numbers only where they leave the table fewer lines
    _, cell_widths, table_x = min(found, key=lambda each: each[0])
    return QuickKeyColumns(cell_widths, table_x, *table_widths)


def _find_cell_widths(widest: Sequence[float], share: float) -> tuple[float, ...]:
    return tuple(max(MIN_CELL_WIDTH, CELL_INSET_WIDTH + 0.1 + share * width) for width in widest)


def place_quick_key(
    quick_key: QuickKey, whose: str, top: float, room: float, columns: QuickKeyColumns, say: Say
) -> list[Item]:
    """Return a quick key in its place: whose it is, its matrices side by side, and the table of slips."""
    right = SIDE_MARGIN + room
    heading = Paragraph(make_bold_text(replace_missing_characters(whose)), ParagraphStyle.BODY)
    items: list[Item] = [make_text_box([heading], REGULAR_TYPOGRAPHY, SIDE_MARGIN, top, room)]
    first_line = items[0].box.bottom + 1.0
    matrices = _place_matrices(quick_key.grids, first_line, right, columns)
    items += matrices
    if not quick_key.slip_indicators:
        return items
    if columns.table_x is not None:
        return [*items, *_place_table(quick_key.slip_indicators, columns.table_x, first_line, right, columns, say)]
    # below the matrices, in two halves side by side
    below = max(box.box.bottom for box in matrices) + 2.0
    half = -(-len(quick_key.slip_indicators) // 2)
    width = (room - TABLE_GAP) / 2
    for at, part in enumerate((quick_key.slip_indicators[:half], quick_key.slip_indicators[half:])):
        if part:
            x = SIDE_MARGIN + at * (width + TABLE_GAP)
            items += _place_table(part, x, below, x + width, columns, say)
    return items


def _place_matrices(grids: Sequence[Grid], top: float, right: float, columns: QuickKeyColumns) -> list[GridBox]:
    boxes: list[GridBox] = []
    x, line = SIDE_MARGIN, top
    for stack, cell_width in zip(_stack_grids(grids), columns.cell_widths, strict=True):
        if x + LABEL_WIDTH + stack[0].column_count * cell_width > right and x > SIDE_MARGIN:
            x, line = SIDE_MARGIN, max(box.box.bottom for box in boxes) + 2.0
        below = line
        for grid in stack:
            boxes.append(make_grid_box(grid, (x, below), (cell_width, CELL_HEIGHT), (LABEL_WIDTH, LABEL_HEIGHT)))
            below = boxes[-1].box.bottom + 0.5
        x = boxes[-1].box.right + STACK_GAP
    return boxes


def _place_table(
    indicators: Sequence[SlipIndicator], x: float, top: float, right: float, columns: QuickKeyColumns, say: Say
) -> list[Item]:
    """Return the table of slips: in which cell, which number is seen there, what was done."""
    value_right = x + columns.address_width + COLUMN_GAP + columns.value_width
    action_x = value_right + COLUMN_GAP

    def place_line(texts: Sequence[Text], y: float, style: ParagraphStyle) -> list[TextBox]:
        value_width = _measure_small(texts[1])
        places = (
            (x, columns.address_width),
            (value_right - value_width, value_width),
            (action_x, right - action_x),
        )
        return [
            make_text_box([Paragraph(text, style)], REGULAR_TYPOGRAPHY, at, y, width)
            for text, (at, width) in zip(texts, places, strict=True)
        ]

    heads = place_line(_make_heads(say), top, ParagraphStyle.CAPTION)
    y = max(box.box.bottom for box in heads) + HEAD_GAP
    items: list[Item] = [*heads, RuleBox(box=Box(x, y, right - x, 0.0))]
    y += HEAD_GAP
    for each in indicators:
        texts = (_make_address(each), _make_value(each), parse_unicode(each.action))
        line = place_line(texts, y, ParagraphStyle.SMALL)
        items += line
        y = max(box.box.bottom for box in line)
    return items


def _make_heads(say: Say) -> tuple[Text, Text, Text]:
    cell, value, action = (make_plain_text(say(f"class.keys.column.{name}")) for name in ("cell", "value", "action"))
    return cell, value, action


def _make_address(indicator: SlipIndicator) -> Text:
    return parse_unicode(indicator.cell)


def _make_value(indicator: SlipIndicator) -> Text:
    return parse_unicode(indicator.value)


def _measure_small(text: Text) -> float:
    return measure_width(text, _SMALL_POINTS) * 1.01 + 0.1


def _list_numbers(grids: Sequence[Grid]) -> list[str]:
    """Return the numbers of some matrices as they are printed."""
    return [str(cell.number) for grid in grids for row in grid.cells for cell in row if cell.number]


def _stack_grids(grids: Sequence[Grid]) -> list[list[Grid]]:
    """Put the sums of columns below what they add, column under column."""
    stacks: list[list[Grid]] = []
    for grid in grids:
        if stacks and grid.row_count == 1 and grid.column_count == stacks[-1][0].column_count:
            stacks[-1].append(grid)
        else:
            stacks.append([grid])
    return stacks


@lru_cache(maxsize=10_000)
def _measure_number(number: str) -> float:
    return measure_width(make_plain_text(number), REGULAR_TYPOGRAPHY.cell_points)
