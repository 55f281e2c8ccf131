"""What stands on a page besides the panels: its head, its foot, and the end of the sheet."""

import math
from collections.abc import Sequence
from dataclasses import replace

from attnhand.layout.name_line import NameLine
from attnhand.layout.number_fit import EXACT_EDGE
from attnhand.layout.page import Box, GridBox, Item, LinesBox, Paragraph, QrBox, TextBox, text_height
from attnhand.layout.setting import Setting
from attnhand.layout.typography import MARGIN, QR_QUIET, QR_SIZE, TOP, WORKING_LINE, Set
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import heat_maps
from attnhand.sheet.conclusion import (
    CODE,
    CODE_AND_CREDIT,
    COMPARES,
    SAYS,
    closing_sentences,
    code_line,
    comparison_sentences,
)
from attnhand.sheet.grids import Grid
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, bold, marked_up, plain, width

AFTER_HEAD = 2.0
"""Between the head of a page and what is worked on it; more where there is room."""

BETWEEN_MAPS = 4.0
"""Between heat maps, and exact values beside them."""


class Furniture:
    """Heads, feet and the end of one sheet on pages of one size."""

    def __init__(self, sheet: Sheet, setting: Setting) -> None:
        self.sheet, self.setting, self.type = sheet, setting, setting.typography
        self.room = setting.width - 2 * MARGIN
        self.name_line = NameLine(sheet, setting.typography, self.room)

    # the head

    def head_bottom(self, number: int, reminds: bool) -> float:
        """Return where the head of a page ends, in millimetres from the top."""
        return max(item.box.bottom for item in self.head(number, reminds)) + AFTER_HEAD

    def head(self, number: int, reminds: bool) -> tuple[Item, ...]:
        """Return a page's head: title, name line and house rules on the first, what is needed of them later."""
        head = self._first_head(reminds) if number == 1 else self._later_head(reminds)
        return (*self.name_line.number(), *head)

    def _first_head(self, reminds: bool) -> tuple[Item, ...]:
        sheet = self.sheet
        beside_qr = self.room - QR_SIZE - 4
        title = [Paragraph(bold(sentences.title(sheet)), Set.TITLE, level=1)]
        sizes = f"{sentences.sizes_line(sheet)} · {sentences.effort_line(sheet)}"
        title.append(Paragraph(marked_up(sizes), Set.SMALL))
        if sheet.options.large_print and sheet.problem.words:
            title.append(Paragraph(plain(" · ".join(sheet.problem.words)), Set.SMALL))
        head = self._text(title, MARGIN, max(TOP, self.name_line.number_bottom), beside_qr)
        name = self.name_line.first(head.box.bottom + 1.0, beside_qr)
        # no line ends within 1 → 0
        shortcuts = sentences.house_rules(sheet).replace(" → ", "\u00a0→\u00a0")
        rules = [Paragraph(marked_up(shortcuts), Set.BODY)]
        if reminds:
            rules.append(Paragraph(marked_up(sentences.powers_reminder(sheet)), Set.BODY))
        below = head.box.bottom + 1.0 + self.name_line.height + 1.0
        # its modules, not its quiet zone, stand at the right edge and level with the title
        top = max(TOP - QR_QUIET + 1.5, self.name_line.number_bottom - 1.0)
        qr = QrBox(
            box=Box(MARGIN + self.room - QR_SIZE + QR_QUIET, top, QR_SIZE, QR_SIZE),
            code=sheet.code,
            spoken=sheet.say("qr", code=sheet.code),
        )
        beside = self._text(rules, MARGIN, below, self.room)
        if below < qr.box.bottom:
            beside = self._text(rules, MARGIN, below, beside_qr)
        return (head, *name, qr, beside)

    def _later_head(self, reminds: bool) -> tuple[Item, ...]:
        name = self.name_line.later(TOP - 3.0)
        if not reminds:
            return name
        words = [Paragraph(marked_up(sentences.powers_reminder(self.sheet)), Set.BODY)]
        return (*name, self._text(words, MARGIN, TOP - 3.0 + self.name_line.height, self.room))

    # the foot

    def foot(self, number: int, pages: int) -> tuple[Item, ...]:
        """Return the line with code, credit and page number."""
        sheet = self.sheet
        told = code_line(sheet)
        fits = width(marked_up(told), self.type.points[Set.PALE]) < self.room - 45 * self.setting.scale
        source = CODE_AND_CREDIT if fits else CODE
        told = told if fits else code_line(sheet, credit=False)
        y = self.setting.bottom + 1.5
        page = marked_up(sheet.say("page", page=number, pages=pages))
        return (self._text([Paragraph(marked_up(told), Set.PALE, right=page, source=source)], MARGIN, y, self.room),)

    # the end

    def end(
        self,
        body: list[Item],
        head: float,
        *,
        says: bool = True,
        compares: bool = True,
        with_maps: bool = True,
        homeless: Sequence[Panel] = (),
    ) -> list[Item] | None:
        """Return what closes the sheet, below the boxes of its last page; None where it does not fit there.

        Args:
            says: what is asked in the end.
            compares: how good the shortcut was; a blank sheet only keeps its place.
            homeless: panels whose exact values found no room beside their stage: they stand beside the heat maps.
        """
        top = max((item.box.bottom for item in body), default=head) + 4.0
        bottom = self.setting.bottom
        asked = closing_sentences(self.sheet) if says else []
        questions = [Paragraph(marked_up(told), Set.BODY, source=self._end(SAYS, at)) for at, told in enumerate(asked)]
        told = comparison_sentences(self.sheet) if compares else []
        judged = [Paragraph(marked_up(text), Set.BODY, source=self._end(COMPARES, at)) for at, text in enumerate(told)]
        maps = self._heat_maps() if compares and with_maps else []
        maps += [self._small_exact(panel, panel.exact) for panel in homeless if panel.exact]
        map_w = sum(box.box.w + BETWEEN_MAPS for box in maps)
        text_room = self.room - map_w - BETWEEN_MAPS if self.room - map_w >= 60 else self.room
        words = self._text([*questions, *judged], MARGIN, top, text_room)
        beside = text_room < self.room
        maps_top = top if beside else words.box.bottom + 3
        maps = self._moved(maps, MARGIN + self.room - map_w + BETWEEN_MAPS if beside else MARGIN, maps_top)
        if max([words.box.bottom, *(box.box.bottom for box in maps)]) > bottom:
            return None
        if not self.sheet.solved:
            # no heat maps stand beside what is asked here
            box = self._text(questions, MARGIN, top, self.room)
            return [box, *self.working([box], head)]
        first = len(maps) - len(homeless)
        named = [self._exact_name(panel, box.box) for panel, box in zip(homeless, maps[first:], strict=True)]
        return [words, *maps[:first], *(item for pair in zip(named, maps[first:], strict=True) for item in pair)]

    def _end(self, source: str, at: int) -> str:
        """Return the source of a sentence in the end: on a blank sheet it says the same to everyone."""
        return f"{source} {at}" if self.sheet.solved else ""

    def map_page(self, number: int) -> list[Item]:
        """Return the heat maps alone, for a page of their own; a blank sheet has none."""
        return [*self._moved(self._heat_maps(), MARGIN, self.head_bottom(number, False))] if self.sheet.solved else []

    def working(self, body: list[Item], head: float) -> list[Item]:
        """Return the space to work in below the boxes of a page; a key has none."""
        line = WORKING_LINE * self.setting.scale
        top = max((item.box.bottom for item in body), default=head) + 4.0
        room = self.setting.bottom - top
        if self.sheet.solved or room < 3 * line:
            return []
        caption = Paragraph(marked_up(self.sheet.say("working")), Set.PALE)
        return [LinesBox(box=Box(MARGIN, top, self.room, room), spacing=line, caption=caption)]

    def _heat_maps(self) -> list[GridBox]:
        maps = [grid for stage in self.sheet.weights for grid in heat_maps(self.sheet, stage)]
        return [self._small(grid, self.setting.cells.heat) for grid in maps]

    def _small(self, grid: Grid, cell: tuple[float, float]) -> GridBox:
        header_w, header_h = 7.0 * self.setting.scale, 9.0 * self.setting.scale
        box = Box(0, 0, header_w + grid.width * cell[0], header_h + grid.height * cell[1])
        return GridBox(box=box, grid=grid, cell_w=cell[0], cell_h=cell[1], header_w=header_w, header_h=header_h)

    def _small_exact(self, panel: Panel, grid: Grid) -> GridBox:
        exact_w, exact_h = self.setting.cells.exact
        return self._small(grid, (max(exact_w, panel.exact_width * self.type.exact + EXACT_EDGE), exact_h))

    def _exact_name(self, panel: Panel, box: Box) -> TextBox:
        name: Text = (*panel.grid.name, *plain(", "), *panel.exact_caption)
        return self._text([Paragraph(name, Set.CAPTION)], box.x, box.y, box.w)

    def _moved(self, boxes: list[GridBox], x: float, y: float) -> list[GridBox]:
        """Place boxes side by side, or in even rows of pairs where the page is too narrow."""
        moved: list[GridBox] = []
        a_row, at = self._a_row(boxes, MARGIN + self.room - x), x
        for place, box in enumerate(boxes):
            if place and place % a_row == 0:
                at, y = x, max(placed.box.bottom for placed in moved) + 3
            moved.append(replace(box, box=Box(at, y, box.box.w, box.box.h)))
            at += box.box.w + BETWEEN_MAPS
        return moved

    def _a_row(self, boxes: list[GridBox], room: float) -> int:
        """Return how many boxes stand side by side: all, or as many pairs in each row but the last."""
        if sum(box.box.w + BETWEEN_MAPS for box in boxes) <= room + BETWEEN_MAPS + 1e-6:
            return max(len(boxes), 1)
        fit = max(int((room + BETWEEN_MAPS) // max(box.box.w + BETWEEN_MAPS for box in boxes)), 1)
        even = math.ceil(len(boxes) / math.ceil(len(boxes) / fit))
        return even if even % 2 == 0 or even == 1 else even + 1 if even < fit else even - 1

    def exact_pages(self, homeless: list[Panel], number: int, begun: list[Item] | None = None) -> list[list[Item]]:
        """Place exact values that found no room beside their stage on pages of their own.

        Args:
            number: of the first new page.
            begun: the page before, where it is the key's alone: it is filled first.
        """
        pages: list[list[Item]] = [begun] if begun else []
        number -= len(pages)
        bottom = self.setting.bottom
        x, y = MARGIN, max(item.box.bottom for item in begun) + 6.0 if begun else bottom
        row_bottom = y
        for panel in homeless:
            if panel.exact is None:
                continue
            size = self._small_exact(panel, panel.exact)
            if x > MARGIN and x + size.box.w > MARGIN + self.room:
                x, y = MARGIN, row_bottom + 3
            if not pages or y + size.box.h > bottom:
                pages.append([])
                x = MARGIN
                y = row_bottom = self.head_bottom(number + len(pages) - 1, False)
            placed = replace(size, box=Box(x, y, size.box.w, size.box.h))
            pages[-1] += [self._exact_name(panel, placed.box), placed]
            row_bottom = max(row_bottom, y + size.box.h)
            x += size.box.w + 6
        return pages[1:] if begun else pages

    def _text(self, paragraphs: list[Paragraph], x: float, y: float, w: float) -> TextBox:
        height = text_height(paragraphs, self.type, w)
        return TextBox(box=Box(x, y, w, height), paragraphs=tuple(paragraphs))
