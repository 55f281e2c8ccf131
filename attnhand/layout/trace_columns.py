"""The pages of a trace: two blocks of grids, beside or under one another."""

from dataclasses import dataclass

from attnhand.layout.page import GridBox, Item, Paragraph, make_grid_box, make_text_box
from attnhand.layout.page_grid import PageGrid, TooLargeError
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.grids import Grid
from attnhand.sheet.trace_grids import TraceGrids

MIN_ROW_HEIGHT = 7.0
"""The lowest row of cells that is still legible, in millimetres."""

GRID_GAP = 5.0
"""Between grids that stand side by side, in millimetres."""

WIDE_LABEL_WIDTH = 9.0
"""Room for the label of a weighted value, a₁v₁."""


CELL_WIDTHS = (12.0, 10.5, 9.2)
"""Of a cell, in millimetres: the first has room for the name of a step above its column."""


@dataclass(frozen=True, slots=True)
class _GridPlace:
    """A grid and where its corner stands in its block."""

    grid: Grid
    x: float
    y: float
    header_w: float
    cell_w: float

    @property
    def right(self) -> float:
        """Where the grid ends."""
        return self.x + self.header_w + self.grid.column_count * self.cell_w

    def make_box(self, x: float, y: float, grid: PageGrid, row_height: float) -> GridBox:
        """Return the box, the block's corner being at a point."""
        header_size = (self.header_w, grid.label_height)
        return make_grid_box(self.grid, (x + self.x, y + self.y), (self.cell_w, row_height), header_size)


class TraceColumns:
    """Places traces on pages, every head on another one."""

    def __init__(self, grid: PageGrid) -> None:
        self.grid = grid
        self.cell_w = CELL_WIDTHS[0] * grid.scale

    def place_traces(self, traces: tuple[TraceGrids, ...], top: float) -> list[list[Item]]:
        """Return the boxes of every page, from a height down.

        Raises:
            TooLargeError: a trace is larger than a page.
        """
        pages: list[list[Item]] = []
        for trace in traces:
            pages += self._place_trace(trace, top)
        return pages

    def _place_trace(self, trace: TraceGrids, top: float) -> list[list[Item]]:
        self.cell_w = self._find_cell_width(trace)
        grid, make_block = self.grid, self._make_block
        left, text_width = grid.left, grid.text_width
        score_text, value_text = ([Paragraph(text) for text in instructions] for instructions, _ in trace.blocks)
        score_text.insert(0, Paragraph(trace.heading, ParagraphStyle.HEADING, heading_level=2))
        full_height = grid.heights.with_exact
        # lower rows before a second page
        for row_height in (full_height, (full_height + MIN_ROW_HEIGHT) / 2, MIN_ROW_HEIGHT * grid.scale):
            score_places = self._arrange_score_grids(trace, row_height)
            value_places = self._arrange_value_grids(trace)
            first = make_block(score_text, score_places, left, top, text_width, row_height)
            below = max(item.box.bottom for item in first) + GRID_GAP
            second = make_block(value_text, value_places, left, below, text_width, row_height)
            if max(item.box.bottom for item in [*first, *second]) <= grid.body_bottom:
                return [[*first, *second]]
        second = make_block(value_text, value_places, left, top, text_width, row_height)
        if max(item.box.bottom for item in [*first, *second]) > grid.body_bottom:
            raise TooLargeError("the journey of a query is longer than a page")
        return [first, second]

    def _find_cell_width(self, trace: TraceGrids) -> float:
        """Return how wide cells are: as they usually are, or narrower where a trace has many steps.

        Raises:
            TooLargeError: even in the narrowest it is wider than the page.
        """
        for width in CELL_WIDTHS:
            self.cell_w = width * self.grid.scale
            places = self._arrange_score_grids(trace, 0.0)[-1], self._arrange_value_grids(trace)[-1]
            if max(place.right for place in places) <= self.grid.text_width + 0.01:
                return self.cell_w
        raise TooLargeError("the journey of a query is wider than the page")

    def _arrange_score_grids(self, trace: TraceGrids, row_height: float) -> list[_GridPlace]:
        """Put the steps beside the keys, one row lower: above the keys stands the query."""
        header, cell_w = self.grid.label_width, self.cell_w
        places = [_GridPlace(trace.key_grid, 0.0, 0.0, header, cell_w)]
        x = header + trace.key_grid.column_count * cell_w + GRID_GAP
        for step in trace.step_grids:
            has_sum = step.row_count > trace.key_grid.row_count - 1
            places.append(_GridPlace(step, x, row_height, header if has_sum else 0.0, cell_w))
            x += cell_w + GRID_GAP + (header if has_sum else 0.0)
        return places

    def _arrange_value_grids(self, trace: TraceGrids) -> list[_GridPlace]:
        """Put the weights, the values and the weighted values side by side; a name stands above the weights alone."""
        header = self.grid.label_width
        places, x = [], 0.0
        for grid in trace.value_grids:
            is_last = grid is trace.value_grids[-1]
            header_w = WIDE_LABEL_WIDTH * self.grid.scale if is_last else header
            places.append(_GridPlace(grid, x, 0.0, header_w, self.cell_w))
            x = places[-1].right + GRID_GAP
        return places

    def _make_block(
        self, text: list[Paragraph], places: list[_GridPlace], x: float, y: float, width: float, row_height: float
    ) -> list[Item]:
        box = make_text_box(text, self.grid.typography, x, y, width)
        return [box, *(place.make_box(x, box.box.bottom + 1.0, self.grid, row_height) for place in places)]
