"""The pages of a trace: two blocks of grids, beside or under one another."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnhand.layout.breaks import MAX_EMPTY_SHARE
from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, make_grid_box, make_text_box
from attnhand.layout.page_grid import MAX_ROOMIER, RULE_GAP, STAGE_GAP, PageGrid, TooLargeError
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
    """Places traces on pages, one a head."""

    def __init__(self, grid: PageGrid) -> None:
        self.grid = grid
        self.cell_w = CELL_WIDTHS[0] * grid.scale

    def place_traces(self, traces: tuple[TraceGrids, ...], tops: tuple[float, float]) -> list[list[Item]]:
        """Return the boxes of every page; below one trace stands the next where there is room for it.

        Args:
            tops: where they begin on the first page, and on later ones.

        Raises:
            TooLargeError: a trace is larger than a page.
        """
        groups: list[list[TraceGrids]] = []
        for trace in traces:
            full = [*groups[-1], trace] if groups else [trace]
            if groups and self._fits(self._place_group(full, tops[len(groups) > 1], self.grid.heights.with_exact)):
                groups[-1] = full
            else:
                groups.append([trace])
        return [page for at, group in enumerate(groups) for page in self._place_on_pages(group, tops[at > 0], tops[1])]

    def _place_on_pages(self, traces: list[TraceGrids], top: float, later_top: float) -> list[list[Item]]:
        """Return traces on a page of their own: in higher rows to fill it, or in lower ones before it takes two.

        Raises:
            TooLargeError: it takes more.
        """
        full_height = self.grid.heights.with_exact
        for step in range(MAX_ROOMIER + 1):
            items = self._place_group(traces, top, self.grid.make_roomier(step).heights.with_exact)
            white = self.grid.body_bottom - max(item.box.bottom for item in items)
            if 0 <= white <= MAX_EMPTY_SHARE * (self.grid.body_bottom - top):
                return [items]
        for row_height in (full_height, (full_height + MIN_ROW_HEIGHT) / 2, MIN_ROW_HEIGHT * self.grid.scale):
            if self._fits(items := self._place_group(traces, top, row_height)):
                return [items]
        first = self._place_scores(traces[0], top, row_height)
        second = self._place_values(traces[0], later_top, row_height)
        if not self._fits([*first, *second]):
            raise TooLargeError("the journey of a query is longer than a page")
        return [first, second]

    def _fits(self, items: Sequence[Item]) -> bool:
        return max(item.box.bottom for item in items) <= self.grid.body_bottom

    def _place_group(self, traces: Sequence[TraceGrids], top: float, row_height: float) -> list[Item]:
        """Return traces one below the other."""
        items: list[Item] = []
        for trace in traces:
            items += self._place_trace(trace, top, row_height)
            top = max(item.box.bottom for item in items) + STAGE_GAP
        return items

    def _place_trace(self, trace: TraceGrids, top: float, row_height: float) -> list[Item]:
        self.cell_w = self._find_cell_width(trace)
        scores = self._place_scores(trace, top, row_height)
        below = max(item.box.bottom for item in scores) + GRID_GAP
        return [*scores, *self._place_values(trace, below, row_height)]

    def _place_scores(self, trace: TraceGrids, top: float, row_height: float) -> list[Item]:
        """Return a rule, and below it how the query meets the keys."""
        rule = RuleBox(box=Box(self.grid.left, top, self.grid.text_width, 0.0))
        heading = Paragraph(trace.heading, ParagraphStyle.HEADING, heading_level=2)
        text = [heading, *map(Paragraph, trace.blocks[0][0])]
        return [rule, *self._make_block(text, self._arrange_score_grids(trace, row_height), top + RULE_GAP, row_height)]

    def _place_values(self, trace: TraceGrids, top: float, row_height: float) -> list[Item]:
        """Return how the values are mixed."""
        text = [*map(Paragraph, trace.blocks[1][0])]
        return self._make_block(text, self._arrange_value_grids(trace), top, row_height)

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

    def _make_block(self, text: list[Paragraph], places: list[_GridPlace], y: float, row_height: float) -> list[Item]:
        x = self.grid.left
        box = make_text_box(text, self.grid.typography, x, y, self.grid.text_width)
        return [box, *(place.make_box(x, box.box.bottom + 1.0, self.grid, row_height) for place in places)]
