"""The tries of a sheet: what to do above three cells, each beside what it asks, and half a sentence to complete.

All tries have their boxes at the same places, so that the sheets of a class share their pages.
"""

from collections.abc import Sequence

from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, TextBox, make_text_box
from attnhand.layout.page_grid import GUTTER, PLACE_WIDTH, PageGrid
from attnhand.layout.question_room import RowRoom
from attnhand.layout.typography import UNIT, ParagraphStyle
from attnhand.sheet.questions import AskedQuestion, build_answer_grid, format_answer_line, format_try_end
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import to_unicode

BOX_SIZE = (24.0, 7.35)
"""Of the box for an answer, in millimetres."""

LABEL_GAP = 2.5
"""Between what a cell asks and its box."""

GAP = 0.8 * UNIT
"""Between what to do, the cells, and the half sentence."""


class TryRows:
    """Measures and places tries, the same on both faces."""

    def __init__(self, grid: PageGrid, sheets: tuple[Sheet, Sheet]) -> None:
        """Take blank and key."""
        self.grid, self.type, self.sheets = grid, grid.typography, sheets
        self.per_row = 1 if grid.is_large else 3
        self.box_w, self.box_h = (side * grid.scale for side in BOX_SIZE)
        self.cell_w = grid.text_width if grid.is_large else PLACE_WIDTH
        self.label_w = self.cell_w - self.box_w - LABEL_GAP
        self.end_w = grid.text_width if grid.is_large else 2 * PLACE_WIDTH + GUTTER
        self.line_height = self.type.find_line_height(ParagraphStyle.BODY)

    def measure(self, blank: Sequence[AskedQuestion], room: RowRoom) -> float:
        """Return how high a try is on both faces, in its room."""
        lead, cell = self._measure_parts(room)
        end = room.end * self.line_height
        return lead + GAP + self._count_cell_rows(blank) * (cell + GAP) + end

    def _count_cell_rows(self, cells: Sequence[AskedQuestion]) -> int:
        return -(-(len(cells) - 1) // self.per_row)

    def _measure_parts(self, room: RowRoom) -> tuple[float, float]:
        """Return how high what to do is, and a row of cells."""
        return room.text * self.line_height, max(room.more * self.line_height, self.box_h)

    def find_room(self, blank: Sequence[AskedQuestion], key: Sequence[AskedQuestion]) -> RowRoom:
        """Return how many lines what to do takes, the longest of what cells ask, and the half sentence."""
        lead = self._count_lines(self._make_lead(blank[0]), self.grid.text_width)
        label = max(self._count_lines(self._make_label(each), self.label_w) for each in blank[:-1])
        ends = (
            self._count_lines(self._make_end(blank, is_solved=False), self.end_w),
            self._count_lines(self._make_end(key, is_solved=True), self.grid.text_width),
        )
        return RowRoom(lead, label, max(*ends, 2 if self.grid.is_large else 1))

    def _count_lines(self, paragraph: Paragraph, width: float) -> int:
        return len(paragraph.break_lines(self.type, width))

    @staticmethod
    def _make_lead(first: AskedQuestion) -> Paragraph:
        return Paragraph(first.lead, slot=Slot(SlotKind.TRY, first.name))

    @staticmethod
    def _make_label(cell: AskedQuestion) -> Paragraph:
        return Paragraph(cell.label, slot=Slot(SlotKind.QUESTION, cell.name))

    def _make_end(self, cells: Sequence[AskedQuestion], *, is_solved: bool) -> Paragraph:
        return Paragraph(format_try_end(cells[-1], is_solved=is_solved), slot=Slot(SlotKind.TRY_END, cells[0].name))

    def place(self, cells: Sequence[AskedQuestion], room: RowRoom, y: float, *, is_solved: bool) -> list[Item]:
        """Return a try of one face from a height on down."""
        lead, cell = self._measure_parts(room)
        items: list[Item] = [
            self._make_box(self._make_lead(cells[0]), Box(self.grid.left, y, self.grid.text_width, lead))
        ]
        y += lead + GAP
        for at, each in enumerate(cells[:-1]):
            row, place = divmod(at, self.per_row)
            box = Box(self.grid.find_place(place), y + row * (cell + GAP), self.cell_w, cell)
            items += self._place_cell(each, box, is_solved=is_solved)
        y += self._count_cell_rows(cells) * (cell + GAP)
        end = self._make_end(cells, is_solved=is_solved)
        width = self.grid.text_width if is_solved else self.end_w
        items.append(self._make_box(end, Box(self.grid.left, y, width, room.end * self.line_height)))
        if not is_solved:
            left = self.grid.left if self.grid.is_large else self.grid.find_place(2)
            below = y + self.line_height * (1.85 if self.grid.is_large else 0.85)
            rule = Box(left, below, self.grid.right - left, 0.0)
            items.append(RuleBox(box=rule, spoken_name=to_unicode(end.text)))
        return items

    def _make_box(self, paragraph: Paragraph, place: Box) -> TextBox:
        """Return a box as high as its paragraph, but no higher than its place, made for a sheet's own words."""
        height = self._count_lines(paragraph, place.w) * self.line_height
        return TextBox(box=place._replace(h=min(height, place.h)), paragraphs=(paragraph,))

    def _place_cell(self, cell: AskedQuestion, place: Box, *, is_solved: bool) -> list[Item]:
        label = self._make_label(cell)
        x = place.x + self.label_w + LABEL_GAP
        items: list[Item] = [self._make_box(label, place._replace(w=self.label_w))]
        if is_solved:
            answer = Paragraph(format_answer_line(cell), ParagraphStyle.SOLUTION, slot=Slot(SlotKind.ANSWER, cell.name))
            return [*items, make_text_box([answer], self.type, x, place.y, self.box_w)]
        box = Box(x, place.y, self.box_w, self.box_h)
        grid = build_answer_grid(self.sheets[0], cell)
        return [*items, GridBox(box, grid, self.box_w, self.box_h, 0.0, 0.0)]
