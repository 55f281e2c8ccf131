"""The pages of one query's journey: two blocks of grids, beside or under one another."""

from dataclasses import dataclass

from attnhand.layout.page import Box, GridBox, Item, Paragraph, TextBox, text_height
from attnhand.layout.page_frame import Furniture
from attnhand.layout.setting import Setting, TooLargeError
from attnhand.layout.typography import MARGIN, Set
from attnhand.sheet.grids import Grid
from attnhand.sheet.trace_grids import Walk

LEAST_ROW = 7.0
"""The lowest row of cells that is still legible, in millimetres."""

BETWEEN = 5.0
"""Between grids that stand side by side, in millimetres."""

WIDE_LABEL = 9.0
"""Room for the label of a weighted value, a₁v₁."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A grid and where its corner stands in its block."""

    grid: Grid
    x: float
    y: float
    header_w: float

    def box(self, x: float, y: float, setting: Setting, row: float) -> GridBox:
        """Return the box, the block's corner being at a point."""
        cell_w = setting.cells.fraction[0]
        header_h = setting.cells.header[1]
        setting.check_numbers(self.grid, cell_w)
        w, h = self.header_w + self.grid.width * cell_w, header_h + self.grid.height * row
        return GridBox(
            box=Box(x + self.x, y + self.y, w, h),
            grid=self.grid,
            cell_w=cell_w,
            cell_h=row,
            header_w=self.header_w,
            header_h=header_h,
        )


class WalkPages:
    """Places walks on pages of one size, head by head on a page of its own."""

    def __init__(self, setting: Setting, furniture: Furniture) -> None:
        self.setting, self.furniture = setting, furniture

    def pages(self, walks: tuple[Walk, ...], number: int) -> list[list[Item]]:
        """Return the boxes of every page, below its head; the first page has that number.

        Raises:
            TooLargeError: a journey is larger than a page.
        """
        pages: list[list[Item]] = []
        for walk in walks:
            pages += self._of(walk, number + len(pages))
        return pages

    def _of(self, walk: Walk, number: int) -> list[list[Item]]:
        setting, room = self.setting, self.setting.width - 2 * MARGIN
        top = self.furniture.head_bottom(number, False)
        heading = Paragraph(walk.heading, Set.HEADING, level=2)
        meeting_words = [heading, *(Paragraph(text, Set.BODY) for text in (walk.meeting, walk.copying) if text)]
        mixing_words = [Paragraph(walk.mixing, Set.BODY)]
        full = setting.cells.fraction[1]
        for row in (full, (full + LEAST_ROW) / 2, LEAST_ROW * setting.scale):
            meeting, mixing = self._meeting(walk, row), self._mixing(walk)
            widths = [self._width(block) for block in (meeting, mixing)]
            if max(widths) > room:
                raise TooLargeError("the journey of a query is wider than the page")
            if sum(widths) + 2 * BETWEEN <= room and setting.rows:
                first = self._block(meeting_words, meeting, MARGIN, top, widths[0], row)
                second = self._block(mixing_words, mixing, MARGIN + widths[0] + 2 * BETWEEN, top, widths[1], row)
            else:
                first = self._block(meeting_words, meeting, MARGIN, top, room, row)
                below = max(item.box.bottom for item in first) + BETWEEN
                second = self._block(mixing_words, mixing, MARGIN, below, room, row)
            if max(item.box.bottom for item in [*first, *second]) <= setting.bottom:
                return [[*first, *second]]
        first = self._block(meeting_words, meeting, MARGIN, top, room, full)
        second = self._block(mixing_words, mixing, MARGIN, self.furniture.head_bottom(number + 1, False), room, full)
        if max(item.box.bottom for item in [*first, *second]) > setting.bottom:
            raise TooLargeError("the journey of a query is longer than a page")
        return [first, second]

    def _meeting(self, walk: Walk, row: float) -> list[_Place]:
        """Put the steps beside the keys, one row lower: above the keys stands the query."""
        header, cell_w = self.setting.cells.header[0], self.setting.cells.fraction[0]
        places = [_Place(walk.keys, 0.0, 0.0, header)]
        x = header + walk.keys.width * cell_w + BETWEEN
        for step in walk.steps:
            has_sum = step.height > walk.keys.height - 1
            places.append(_Place(step, x, row, header if has_sum else 0.0))
            x += cell_w + BETWEEN + (header if has_sum else 0.0)
        return places

    def _mixing(self, walk: Walk) -> list[_Place]:
        header, cell_w = self.setting.cells.header[0], self.setting.cells.fraction[0]
        places, x = [], 0.0
        for grid in walk.values:
            wide = header if grid is not walk.values[-1] else WIDE_LABEL * self.setting.scale
            places.append(_Place(grid, x, 0.0, wide))
            x += wide + grid.width * cell_w + BETWEEN
        return places

    def _width(self, block: list[_Place]) -> float:
        return max(place.x + place.header_w + place.grid.width * self.setting.cells.fraction[0] for place in block)

    def _block(
        self, words: list[Paragraph], block: list[_Place], x: float, y: float, room: float, row: float
    ) -> list[Item]:
        text = self._text(words, x, y, room)
        return [text, *(place.box(x, text.box.bottom + 1.0, self.setting, row) for place in block)]

    def _text(self, paragraphs: list[Paragraph], x: float, y: float, w: float) -> TextBox:
        height = text_height(paragraphs, self.setting.typography, w)
        return TextBox(box=Box(x, y, w, height), paragraphs=tuple(paragraphs))
