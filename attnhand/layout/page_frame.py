"""What stands on a page besides the panels: head, foot, and what closes the sheet."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from attnhand.layout.free_place import find_free_place
from attnhand.layout.mistake_task import MistakeTaskBlock
from attnhand.layout.name_line import LATER_NAME_TOP, NameLine
from attnhand.layout.number_fit import EXACT_CELL_INSET
from attnhand.layout.page import (
    CAPTION_OVERRUN,
    Box,
    GridBox,
    Item,
    Paragraph,
    QrBox,
    TextBox,
    WorkingSpaceBox,
    make_corner_caption,
    make_grid_box,
    make_text_box,
)
from attnhand.layout.page_head import bind_equations, make_plain_formula
from attnhand.layout.question_block import MIN_BLOCK_WIDTH, OWN_PAGE_ROW_GAP, ROW_GAP, QuestionBlock
from attnhand.layout.setting import Setting
from attnhand.layout.typography import (
    FOOT_GAP,
    QR_QUIET_ZONE,
    QR_SIZE,
    TOP_MARGIN,
    UNIT,
    ParagraphStyle,
)
from attnhand.sheet import sentences
from attnhand.sheet.document import Document, ShortcutComparison, build_comparison
from attnhand.sheet.grids import Grid, GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import (
    Text,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_markup,
)

GAP_BELOW_HEADER, GAP_ABOVE_RULE = 2.0, 0.5
"""Between the head of a page and what is worked on it; more where there is room; and above the rule in it."""

GAP_BELOW_TASK = 1.6
"""Between the writing lines about a mistake and the house rules."""

GAP_BETWEEN_MAPS = 4.0
"""Between heat maps, and exact values beside them."""

GAP_SHARED_BY_SUMS = 2.0
"""What check sums may take of the gap above what closes the sheet."""

GAP_ABOVE_CLOSING, GAP_BELOW_QUESTIONS = 4.0, 0.5
"""From the panels to what closes the sheet, and from its questions to what a key says of the shortcuts."""

MIN_WIDTH_BESIDE_MAPS = 60.0
"""Of the sentences beside the maps."""

NARROW_MAP_CELL = 6.0
"""How wide a cell of a heat map is at most where the map stands beside the weights."""

MAX_FREE_MAPS = 4
"""Of more heat maps the pairs would lie about the page."""

FREE_TEXT_WIDTHS = (74.0, 62.0, 50.0, 38.0)
"""Of the comparison where it stands where a page is free."""

OWN_PAGE_MAP_CELLS = (15.0, 13.0, 11.0)
"""Sides of the cells of heat maps that have a page of their own, the first that fit."""

CORRECTION_GAP = 8.0
"""Between the grids where a mistake is corrected: the name of one may run on to the left."""

FREE_GAP, LABEL_ROOM = 1.5, 6.0
"""Around what is placed where a page is free; left of a grid, whose name may run on there."""


MAP_GAPS = ((3.0, 3.0), (3.0, FREE_GAP), (FREE_GAP, FREE_GAP))
"""Beside heat maps, and above and below them: the first for which a page has room."""


class PageFrame:
    """Makes heads, feet and the closing section of one sheet's pages."""

    def __init__(self, document: Document, setting: Setting) -> None:
        self.document, self.sheet = document, document.sheet
        self.setting, self.typography = setting, setting.typography
        self.text_width, self.left = setting.text_width, setting.side_margin
        self.name_line = NameLine(self.sheet, setting)
        self._header_bottoms: dict[tuple[bool, bool], float] = {}

    # the head

    def find_header_bottom(self, page_number: int, with_reminder: bool) -> float:
        """Return where the head of a page ends, in millimetres from the top; asked anew for all that may go below."""
        kind = page_number == 1, with_reminder
        if kind not in self._header_bottoms:
            header = self.make_header(page_number, with_reminder)
            bottom = max(item.box.bottom for item in header)
            if kind == (False, False):  # a student's printed name is 0.4 mm higher than the line of the key
                bottom = LATER_NAME_TOP + self.name_line.height - 1.0
            is_ruled = self.setting.has_heading_rules and page_number == 1
            self._header_bottoms[kind] = bottom + GAP_ABOVE_RULE * is_ruled + GAP_BELOW_HEADER
        return self._header_bottoms[kind]

    def make_header(self, page_number: int, with_reminder: bool) -> tuple[Item, ...]:
        """Return a page's head: title, name line and house rules on page 1, the name line on later ones."""
        header = self._make_first_header(with_reminder) if page_number == 1 else self._make_later_header(with_reminder)
        return (*self.name_line.make_number_box(), *header)

    def _make_first_header(self, with_reminder: bool) -> tuple[Item, ...]:
        sheet = self.sheet
        width_beside_qr = self.text_width - QR_SIZE - 4
        head = self.document.head
        title = [
            Paragraph(make_bold_text(head.title), ParagraphStyle.TITLE, heading_level=1),
            Paragraph(head.sizes_and_effort, ParagraphStyle.SMALL),
            Paragraph(bind_equations(make_plain_formula(head.formula)), ParagraphStyle.SUBHEADING),
        ]
        if sheet.options.large_print and head.tokens:  # its labels have no room for words
            words = " · ".join(token.word for token in head.tokens)
            title.append(Paragraph(make_plain_text(words), ParagraphStyle.SMALL))
        corner = [item.box.x - self.left - UNIT for item in self.name_line.make_number_box()]
        title_box = make_text_box(title, self.typography, self.left, TOP_MARGIN, min([width_beside_qr, *corner]))
        name_line = self.name_line.make_first_page_line(title_box.box.bottom + 1.0, width_beside_qr)
        # no line breaks within 1 → 0
        house_rules = self.document.house_rules.text
        rules = self._make_story_paragraphs()
        rules += [Paragraph(tuple(run._replace(text=run.text.replace(" → ", "\u00a0→\u00a0")) for run in house_rules))]
        rules_top = title_box.box.bottom + 1.0 + self.name_line.height + 1.0
        task: list[Item] = []
        if self.document.task:
            block = MistakeTaskBlock(self.setting, self.left, width_beside_qr)
            task = block.place(self.document.task, rules_top)
            rules_top = max(item.box.bottom for item in task) + GAP_BELOW_TASK * self.setting.type_scale
        # the black modules of the QR code, not its quiet zone, are flush with the margin and level with the title
        top = max(TOP_MARGIN - QR_QUIET_ZONE + 1.5, self.name_line.number_bottom)
        qr_place = Box(self.left + self.text_width - QR_SIZE + QR_QUIET_ZONE, top, QR_SIZE, QR_SIZE)
        qr = QrBox(box=qr_place, code=sheet.code, alt_text=sheet.say("qr", code=sheet.code))
        rules_width = width_beside_qr if rules_top < qr.box.bottom else self.text_width
        rules_box = self._make_rules_box(rules, rules_top, rules_width, with_reminder=with_reminder)
        return (title_box, *name_line, qr, *task, rules_box)

    def _make_story_paragraphs(self) -> list[Paragraph]:
        """Return the story; with the names of features where labels have no room for them."""
        story = self.document.story
        if story is None:
            return []
        *body, disclaimer = story.sentences
        needs_names = self.sheet.options.large_print or self.setting.is_rows
        small = [story.features, disclaimer] if needs_names else [disclaimer]
        return [*map(Paragraph, body), *(Paragraph(text, ParagraphStyle.SMALL) for text in small)]

    def _make_later_header(self, with_reminder: bool) -> tuple[Item, ...]:
        name_line = self.name_line.make_later_page_line(LATER_NAME_TOP)
        if not with_reminder:
            return name_line
        y = LATER_NAME_TOP + self.name_line.height
        return (*name_line, self._make_rules_box([], y, self.text_width, with_reminder=True))

    def _make_rules_box(self, rules: list[Paragraph], y: float, width: float, *, with_reminder: bool) -> TextBox:
        """Return rules and the list of powers, with room for the longest list among sheets of this kind."""
        if not with_reminder:
            return make_text_box(rules, self.typography, self.left, y, width)
        longest, own = (
            make_text_box(
                [*rules, Paragraph(parse_markup(markup), slot=Slot(SlotKind.POWERS))],
                self.typography,
                self.left,
                y,
                width,
            )
            for markup in (
                sentences.format_longest_reminder(self.sheet),
                sentences.format_powers_reminder(self.sheet),
            )
        )
        return replace(own, box=own.box._replace(h=max(own.box.h, longest.box.h if self.sheet.request else 0.0)))

    # the foot

    def make_footer(self, page_number: int, page_count: int) -> tuple[Item, ...]:
        """Return the line with code, credit and page number."""
        code_line = self.document.code_line
        text, kind = parse_markup(code_line.code_and_credit), SlotKind.CODE_AND_CREDIT
        width = measure_width(text, self.typography.paragraph_points[ParagraphStyle.PALE])
        if width >= self.text_width - 45 * self.setting.type_scale:
            text, kind = parse_markup(code_line.code), SlotKind.CODE
        page = parse_markup(self.sheet.say("page", page=page_number, pages=page_count))
        line = Paragraph(text, ParagraphStyle.PALE, right_text=page, slot=Slot(kind))
        y = self.setting.body_bottom + FOOT_GAP
        return (make_text_box([line], self.typography, self.left, y, self.text_width),)

    # the end

    def make_closing_section(
        self,
        body: list[Item],
        header_bottom: float,
        *,
        with_questions: bool = True,
        with_comparison: bool = True,
        with_maps: bool = True,
        map_cell_size: tuple[float, float] | None = None,
    ) -> list[Item] | None:
        """Return questions, comparison and heat maps below the boxes of a page; None where they do not fit.

        A blank sheet has the questions alone, but the key decides whether they fit: its comparison needs more room.

        Args:
            body: what stands on the page already.
            with_maps: whether heat maps stand beside the comparison.
            map_cell_size: of the heat maps, as on other pages if not said.
        """
        place = self.setting.closing if with_questions and body else None
        # a blank has mark boxes, in rows and large print below its grids
        has_marks_below = self.setting.is_rows or self.setting.has_one_product_per_page
        gap = max(GAP_ABOVE_CLOSING, (self.setting.mark_size[1] + UNIT) * has_marks_below)
        # small check sums stand in the gap below their product
        bottoms = (item.box.bottom - GAP_SHARED_BY_SUMS * _is_sums_row(item) for item in body if not _is_mark_box(item))
        top = place.top if place else max(bottoms, default=header_bottom) + gap
        map_cell_size = map_cell_size or self.setting.cell_sizes.heat_map
        maps = self._make_heat_maps(map_cell_size) if with_comparison and with_maps else []
        width_left = self.text_width - sum(box.box.w + GAP_BETWEEN_MAPS for box in maps)

        # the questions: as wide as the page, or as what the maps leave of it
        width_beside = width_left - GAP_BETWEEN_MAPS
        is_beside_maps = bool(maps) and width_beside >= MIN_BLOCK_WIDTH * self.setting.type_scale
        block_width = place.width if place else width_beside if is_beside_maps else self.text_width
        block = self._place_questions(top, block_width, has_own_page=not body) if with_questions else []
        text_top = max((item.box.bottom for item in block), default=top - GAP_BELOW_QUESTIONS) + GAP_BELOW_QUESTIONS

        # the sentences below them, beside the maps where there is room
        is_beside_maps = is_beside_maps and (not block or block_width < self.text_width)
        text_width = width_beside if is_beside_maps or width_left >= MIN_WIDTH_BESIDE_MAPS else self.text_width
        closing = self._list_closing_paragraphs() if with_questions else []
        comparison = self._list_comparison_paragraphs() if with_comparison else []
        text = self._make_text_boxes([*closing, *comparison], text_top, text_width)
        text_bottom = text[0].box.bottom if text else text_top
        is_beside_text = text_width < self.text_width
        maps_left = self.left + width_left + GAP_BETWEEN_MAPS if is_beside_text else self.left
        maps_top = (
            top + UNIT / 2 * has_marks_below if is_beside_maps else text_top if is_beside_text else text_bottom + 3
        )
        maps = self._arrange_in_rows(maps, maps_left, maps_top)
        if max([text_bottom, *(box.box.bottom for box in (*block, *maps))]) > self.setting.body_bottom:
            return None
        if not self.sheet.is_solved:
            # no heat maps stand here
            return [*block, *self._make_text_boxes(closing, text_top, self.text_width)]
        return [*block, *text, *maps]

    def make_closing_page(self, header_bottom: float, *, with_questions: bool) -> list[Item] | None:
        """Return a closing section on a page of its own; None where it does not fit.

        Where the comparison is alone on it, its heat maps are as large as the page allows, up to squares of a hand.
        """
        for size in [self.setting.cell_sizes.heat_map] if with_questions else self._list_map_cell_sizes():
            page = self.make_closing_section([], header_bottom, with_questions=with_questions, map_cell_size=size)
            right = self.left + self.text_width + 1e-6
            if page is not None and all(item.box.right <= right for item in page):
                return page
        return None

    def _list_map_cell_sizes(self) -> list[tuple[float, float]]:
        """Return the sizes of cells to try where heat maps have a page of their own, the largest first."""
        scale, smallest = self.setting.type_scale, self.setting.cell_sizes.heat_map
        return [*((side * scale, side * scale) for side in OWN_PAGE_MAP_CELLS), smallest]

    def make_correction_pages(self, page_number: int) -> list[list[Item]]:
        """Return pages with an empty grid for every stage, where there is a mistake to find; the key fills some."""
        pages: list[list[Item]] = []
        size, header = self.setting.find_cell_size(has_fractions=True), self.setting.cell_sizes.header
        x = y = row_bottom = math.inf
        for grid in self.document.corrections:
            box = make_grid_box(grid, (0.0, 0.0), size, header)
            if x + box.box.w > self.left + self.text_width:
                x, y = self.left, row_bottom + CORRECTION_GAP
            if y + box.box.h > self.setting.body_bottom:
                top = self.find_header_bottom(page_number + len(pages), False)
                heading = Paragraph(
                    make_bold_text(self.sheet.say("mistake.corrected")), ParagraphStyle.HEADING, heading_level=2
                )
                words = [heading, Paragraph(parse_markup(self.sheet.say("mistake.correct")))]
                pages.append([make_text_box(words, self.typography, self.left, top, self.text_width)])
                x, y = self.left, pages[-1][0].box.bottom + UNIT
                row_bottom = y
            pages[-1].append(replace(box, box=box.box._replace(x=x, y=y)))
            x, row_bottom = x + box.box.w + CORRECTION_GAP, max(row_bottom, y + box.box.h)
        return pages

    def _place_questions(self, top: float, width: float, *, has_own_page: bool) -> list[Item]:
        """Return the questions at the end of the sheet; none where it asks none."""
        panel, has_room = self.document.questions, has_own_page and not self.setting.has_one_product_per_page
        row_gap = OWN_PAGE_ROW_GAP if has_room else ROW_GAP
        return QuestionBlock(self.sheet, self.setting, width, row_gap).place(panel, self.left, top) if panel else []

    def count_question_lines(self, closing: Sequence[Item]) -> tuple[int, ...]:
        """Return how many lines each marked question takes in a closing section."""
        if not self.document.questions:
            return ()
        block = QuestionBlock(self.sheet, self.setting, closing[0].box.w)
        block.place(self.document.questions, self.left, 0.0)
        return tuple(block.line_counts)

    def _make_text_boxes(self, paragraphs: list[Paragraph], top: float, width: float) -> list[Item]:
        return [make_text_box(paragraphs, self.typography, self.left, top, width)] if paragraphs else []

    def _list_closing_paragraphs(self) -> list[Paragraph]:
        texts = self.document.closing.sentences if self.document.closing else ()
        return self._make_closing_paragraphs(texts, SlotKind.CLOSING, ParagraphStyle.BODY)

    def _list_comparison_paragraphs(self) -> list[Paragraph]:
        return self._make_closing_paragraphs(self._comparison.sentences, SlotKind.COMPARISON, ParagraphStyle.SMALL)

    def place_comparison_freely(self, items: list[Item], header_bottom: float, *, with_text: bool) -> list[Item] | None:
        """Place the heat maps where the page is free, near the weights that they show; None where they find no room.

        A blank has working space there.

        Args:
            with_text: whether the sentences of the comparison are placed too, above the maps if there is room.
        """
        places = (self._place_maps_freely(items, header_bottom, gap, with_text) for gap in MAP_GAPS)
        return next((place for place in places if place), None)

    def _place_maps_freely(
        self, items: list[Item], header_bottom: float, gap: tuple[float, float], with_text: bool
    ) -> list[Item] | None:
        grids = [item for item in items if isinstance(item, GridBox) and item.grid.style is GridStyle.WORKED]
        weights = [item for item in grids if item.grid.accent == "weights"]
        cell_w, cell_h = self.setting.cell_sizes.heat_map
        maps = self._make_heat_maps((min(cell_w, NARROW_MAP_CELL * self.setting.type_scale), cell_h))
        if len(maps) > MAX_FREE_MAPS:
            return None
        area = Box(self.left, header_bottom, self.text_width, self.setting.body_bottom - header_bottom)
        occupied = [self._enlarge(item, gap) for item in items if not isinstance(item, WorkingSpaceBox)]
        if with_text and len(maps) == 2 and (block := self._place_block_freely(maps, occupied, area, weights)):
            return block
        placed: list[Item] = []
        # where the weights stand on other pages, the maps stand anywhere
        near = [item.box for item in weights] if len(weights) * 2 == len(maps) else [area] * (len(maps) // 2)
        for beside, pair in zip(near, zip(maps[::2], maps[1::2], strict=True), strict=True):
            if not (boxes := _place_pair_freely(pair, occupied, area, beside, may_stack=len(near) == 1)):
                return None
            placed += boxes
            occupied += [box.box for box in boxes]
        if not with_text:
            return placed
        # the words may stand nearer to other words than the maps
        occupied = [self._enlarge(item) for item in items if not isinstance(item, WorkingSpaceBox)] + [
            box.box for box in placed
        ]
        for width in FREE_TEXT_WIDTHS:
            text = make_text_box(self._list_comparison_paragraphs(), self.typography, 0.0, 0.0, width)
            if room := find_free_place(occupied, area, (width, text.box.h), placed[0].box if placed else area):
                return [replace(text, box=room), *placed]
        return None

    def _place_block_freely(
        self, maps: list[GridBox], occupied: list[Box], area: Box, weights: list[GridBox]
    ) -> list[Item]:
        """Return the comparison with two heat maps under it where the page is free; nothing where it has no room."""
        w, h = maps[0].box.w, maps[0].box.h
        text = make_text_box(self._list_comparison_paragraphs(), self.typography, 0.0, 0.0, 2 * w + GAP_BETWEEN_MAPS)
        size = text.box.w, text.box.h + UNIT + h
        found = find_free_place(occupied, area, size, weights[0].box if weights else area)
        if not found:
            return []
        maps = self._arrange_in_rows(maps, found.x, found.y + text.box.h + UNIT)
        return [replace(text, box=text.box._replace(x=found.x, y=found.y)), *maps]

    def _enlarge(self, item: Item, gap: tuple[float, float] = (FREE_GAP, FREE_GAP)) -> Box:
        """Return the box of an item with what may not be touched around it: its row labels may be long words."""
        (across, down), left = gap, gap[0]
        if isinstance(item, GridBox) and item.header_w:
            words = max(self.setting.label_overhang, self.setting.feature_overhang) if item.has_wide_labels else 0.0
            left = max(LABEL_ROOM, words + FREE_GAP)
        return Box(item.box.x - left, item.box.y - down, item.box.w + left + across, item.box.h + 2 * down)

    def place_exact_freely(
        self, panels: Sequence[Panel], items: list[Item], header_bottom: float
    ) -> tuple[list[Item], list[Panel]]:
        """Place exact values where the last page is free beside their stage; also return those that find no room."""
        area = Box(self.left, header_bottom, self.text_width, self.setting.body_bottom - header_bottom)
        occupied = [self._enlarge(item) for item in items]
        placed: list[Item] = []
        left_over: list[Panel] = []
        for panel in panels:
            assert panel.exact_grid is not None
            box = self._make_exact_box(panel, panel.exact_grid)
            own = next(
                (item for item in items if isinstance(item, GridBox) and item.grid.cells == panel.grid.cells), None
            )
            place = area
            if own and not self.setting.is_rows:  # in the rows of its cells
                box = make_grid_box(box.grid, (0.0, 0.0), (box.cell_w, own.cell_h), (box.header_w, own.header_h))
                place = area._replace(y=own.box.y, h=own.box.h)
            found = find_free_place(occupied, place, (box.box.w, box.box.h), own.box) if own else None
            box = replace(box, box=found or box.box)
            caption = self._make_exact_caption(panel, box)
            if found is None or caption.box.y < header_bottom or any(caption.box.overlaps(each.box) for each in items):
                left_over.append(panel)
                continue
            placed += [caption, box]
            occupied.append(found)
        return placed, left_over

    @cached_property
    def _comparison(self) -> ShortcutComparison:
        """The comparison; a blank sheet measures it, to have the same pages as its key, and shows none of it."""
        return self.document.comparison or build_comparison(self.sheet)

    def _make_closing_paragraphs(
        self, texts: tuple[Text, ...], kind: SlotKind, style: ParagraphStyle
    ) -> list[Paragraph]:
        """Return closing sentences, each in a slot; a blank sheet says the same to everyone and has none."""
        slots = [Slot(kind, sentence_index=at) if self.sheet.is_solved else None for at in range(len(texts))]
        return [Paragraph(text, style, slot=slot) for text, slot in zip(texts, slots, strict=True)]

    def make_map_page(self, page_number: int) -> list[Item]:
        """Return the heat maps on a page without text; a blank sheet has none."""
        top, right = self.find_header_bottom(page_number, False), self.left + self.text_width
        for size in self._list_map_cell_sizes():
            maps = self._arrange_in_rows(self._make_heat_maps(size) if self.sheet.is_solved else [], self.left, top)
            if all(each.box.right <= right + 1e-6 and each.box.bottom <= self.setting.body_bottom for each in maps):
                break
        return [*maps]

    def _make_heat_maps(self, cell_size: tuple[float, float]) -> list[GridBox]:
        return [self._make_grid_box(grid, cell_size) for maps in self._comparison.heat_maps for grid in maps]

    def _make_grid_box(self, grid: Grid, cell_size: tuple[float, float]) -> GridBox:
        """Return a grid that is not placed yet."""
        scale = self.setting.type_scale
        return make_grid_box(grid, (0.0, 0.0), cell_size, (7.0 * scale, 9.0 * scale))

    def _make_exact_box(self, panel: Panel, grid: Grid) -> GridBox:
        w, h = self.setting.cell_sizes.exact
        needed_width = panel.exact_width * self.typography.exact_points + EXACT_CELL_INSET
        box = self._make_grid_box(grid, (max(w, needed_width), h))
        caption = self._make_exact_caption(panel, box).box
        corner = max(box.header_w, caption.w - CAPTION_OVERRUN), max(box.header_h, caption.h)
        return make_grid_box(grid, (0.0, 0.0), (box.cell_w, box.cell_h), corner)

    def _make_exact_caption(self, panel: Panel, box: GridBox) -> TextBox:
        name: Text = (*panel.grid.name, *make_plain_text(", "), *panel.exact_caption)
        return make_corner_caption(name, box, self.typography)

    def _arrange_in_rows(self, boxes: list[GridBox], x: float, y: float) -> list[GridBox]:
        """Place boxes side by side, or in even rows of pairs where the page is too narrow.

        Eight maps (four heads, by hand and exactly) of which five fit side by side become two rows of four.
        """
        moved: list[GridBox] = []
        row_length, box_x = self._count_boxes_per_row(boxes, self.left + self.text_width - x), x
        for index, box in enumerate(boxes):
            if index and index % row_length == 0:
                box_x, y = x, max(placed.box.bottom for placed in moved) + 3
            moved.append(replace(box, box=Box(box_x, y, box.box.w, box.box.h)))
            box_x += box.box.w + GAP_BETWEEN_MAPS
        return moved

    def _count_boxes_per_row(self, boxes: list[GridBox], max_width: float) -> int:
        """Return how many boxes stand side by side: all, or as many pairs in each row but the last."""
        if sum(box.box.w + GAP_BETWEEN_MAPS for box in boxes) <= max_width + GAP_BETWEEN_MAPS + 1e-6:
            return max(len(boxes), 1)
        fit = max(int((max_width + GAP_BETWEEN_MAPS) // max(box.box.w + GAP_BETWEEN_MAPS for box in boxes)), 1)
        even = math.ceil(len(boxes) / math.ceil(len(boxes) / fit))
        return even if even % 2 == 0 or even == 1 else even + 1 if even < fit else even - 1

    def make_exact_block(self, panels: Sequence[Panel], top: float) -> tuple[list[Item], list[Panel]]:
        """Return a heading with exact values in rows below it, and the panels whose values the page has no room for.

        Args:
            panels: with exact values that found no room beside their stage.
            top: where the block begins.
        """
        heading = Paragraph(make_bold_text(self.sheet.say("exact.heading")), ParagraphStyle.HEADING, heading_level=2)
        items: list[Item] = self._make_text_boxes([heading], top, self.text_width)
        x, y = self.left, items[0].box.bottom + UNIT / 2
        row_bottom = y
        for at, panel in enumerate(panels):
            assert panel.exact_grid is not None
            size = self._make_exact_box(panel, panel.exact_grid)
            if x > self.left and x + size.box.w > self.left + self.text_width:
                x, y = self.left, row_bottom + 3
            if y + size.box.h > self.setting.body_bottom:
                return items if at else [], [*panels[at:]]
            placed = replace(size, box=Box(x, y, size.box.w, size.box.h))
            items += [self._make_exact_caption(panel, placed), placed]
            row_bottom = max(row_bottom, y + size.box.h)
            x += size.box.w + 6
        return items, []


def _place_pair_freely(
    pair: Sequence[GridBox], occupied: Sequence[Box], area: Box, near: Box, *, may_stack: bool
) -> list[GridBox]:
    """Return two heat maps side by side where a page is free, else one under the other; none where there is no room."""
    w, h = pair[0].box.w, pair[0].box.h
    for dx, dy in ((w + GAP_BETWEEN_MAPS, 0.0), (0.0, h + GAP_BETWEEN_MAPS))[: 2 if may_stack else 1]:
        if found := find_free_place(occupied, area, (w + dx, h + dy), near):
            places = (Box(found.x, found.y, w, h), Box(found.x + dx, found.y + dy, w, h))
            return [replace(box, box=place) for box, place in zip(pair, places, strict=True)]
    return []


def _is_mark_box(item: Item) -> bool:
    return isinstance(item, TextBox) and any(paragraph.marked_stage for paragraph in item.paragraphs)


def _is_sums_row(item: Item) -> bool:
    return isinstance(item, GridBox) and item.grid.style is GridStyle.CHECK_SUMS
