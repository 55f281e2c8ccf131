"""The boxes of one page: grids along the spine, factors beside it, words and exact values where there is room."""

from itertools import zip_longest

from attnhand.sheet.measures import WORKING_LINE
from attnhand.sheet.page import Box, GridBox, Item, LinesBox, Paragraph, TextBox
from attnhand.sheet.panel import Panel
from attnhand.sheet.sizing import (
    EXACT_CAPTION,
    EXACT_HEADER,
    Band,
    Setting,
    bands,
    exact_length,
    with_air,
)
from attnhand.sheet.spine import LEAST_BESIDE, NARROWEST_EXACT, Across, spine_at
from attnhand.sheet.typography import Set
from attnhand.sheet.writing import LEAST_TEXT, PAD, Writer, formula, heading, instructions, marked_instructions, shrunk


class Spread:
    """One page's panels, placed."""

    def __init__(self, setting: Setting, panels: list[Panel], head: float, *, air: float = 0.0) -> None:
        self.setting = setting
        self.takes = Across(setting, fraction=any(panel.holds_fractions for panel in panels))
        self.along, self.across = setting.spans(head)
        self.bands = with_air(setting, bands(setting, panels), self.along[1] - self.along[0], air)
        self.items: list[Item] = []
        self.writer = Writer(setting, self.along, self.across, self.items)
        self.copies = 0
        self.homeless: list[Panel] = []
        """Panels whose exact values found no room on this page."""

        spine = max((setting.across(panel.grid, self.takes.cell) for panel in panels), default=0.0)
        self.spine = spine_at(self.takes, self.bands, self.across, spine) if panels else self.across[0]
        self.after = self.spine + spine

    def place(self) -> list[Item]:
        """Return the page's boxes in reading order: words, left factor, top factor, product."""
        for band in self.bands:
            self._place(band)
        return self.items

    def _place(self, band: Band) -> None:
        panel, setting = band.panel, self.setting
        start = self.along[0] + band.start
        end = self.along[0] + band.end
        side = setting.across(panel.side, self.takes.side_cell) if panel.side else 0.0
        lead = (start - band.lead, start)
        corner = setting.rect(lead, (self.across[0], self.spine - (side if panel.made else 0.0)))
        outermost = self.spine - self.takes.before(panel) - self.takes.labels_before(panel)
        beside = setting.rect((start, end), (self.across[0], outermost))
        gap = setting.rect(lead if not band.draws_over else (start, start), (self.spine, self.across[1]))
        after = setting.rect((start, end), (self.after, self.across[1]))
        beyond = setting.rect(lead, (self.after, self.across[1]))
        past = [setting.rect((end, self.along[1]), self.across)] if setting.one_product_a_page else []
        if panel.made:
            self.writer.write(
                [*heading(panel), *marked_instructions(panel.made, setting)], [corner, beyond], panel.made
            )
            before = len(self.items)
            self._grids(band, start, side)
            drawn = len(self.items)
            rooms = [gap, after, setting.rect(lead, self.across)]
            self.writer.write([*formula(panel, setting), *instructions(panel)], rooms, panel)
            self.items[:] = [*self.items[:before], *self.items[drawn:], *self.items[before:drawn]]
        elif panel.side:
            told, summed_up = [*heading(panel), *instructions(panel)], formula(panel, setting)
            near = [corner, beyond] * band.draws_over + [beside, gap, after, *past]
            squeezed = not (setting.rows or band.draws_over) and beside.w < LEAST_BESIDE - 1e-6 < after.w
            if squeezed and self.writer.holds([*told, *summed_up], after):
                near = [after]
            self.writer.write(told, near, panel)
            self._grids(band, start, side)
            rooms = [after, beyond, beside] if band.draws_over or not band.lead else [gap, after, beside]
            self.writer.write(summed_up, [*rooms, *past], panel)
        else:
            exact, in_after = self._exact_place(panel, beside, after, start)
            room = beside if in_after or exact is None else shrunk(beside, exact.box, setting.rows)
            taken = self.writer.write([*heading(panel), *marked_instructions(panel, setting)], [room], panel)
            self._working_space(panel, beside, taken)
            self._grids(band, start, side)
            self._show_exact(panel, exact)
        if panel.side and panel.reserves_exact:
            self._show_exact(panel, self._exact_along(band, start, end))

    def _grids(self, band: Band, start: float, side: float) -> None:
        """Draw left factor, top factor, product, and before them the factors that the side factor is made from."""
        panel, setting = band.panel, self.setting
        beside, over = [], []
        if (made := panel.made) and made.side and made.over:
            beside.append(setting.placed(made.side, start, self.spine - self.takes.before(panel), self.takes.side_cell))
            made_start = start - setting.along(made.over, self.takes.made_over_cell)
            over.append(setting.placed(made.over, made_start, self.spine - side, self.takes.made_over_cell))
        if panel.side:
            wide = self.takes.labels_before(panel) > 0
            beside.append(setting.placed(panel.side, start, self.spine - side, self.takes.side_cell, wide_labels=wide))
        if band.draws_over and panel.over:
            over_start = start - setting.along(panel.over, self.takes.over_cell)
            first = setting.rows and band is self.bands[0]
            over.append(setting.placed(panel.over, over_start, self.spine, self.takes.over_cell, wide_labels=first))
            self.copies += panel.over_is_worked
        one, two = (over, beside) if setting.rows else (beside, over)
        for left, top in zip_longest(one, two):
            self.items += [box for box in (left, top) if box]
        wide = not band.draws_over and band is self.bands[0] if setting.rows else panel.side is None
        self.items.append(setting.placed(panel.grid, start, self.spine, self.takes.cell, wide_labels=wide))

    # exact values

    def _exact_place(self, panel: Panel, beside: Box, after: Box, start: float) -> tuple[GridBox | None, bool]:
        """Find room for a panel's exact values: before the spine, or after it (True)."""
        if not panel.reserves_exact or panel.side:
            return None, False
        rows = self.setting.rows
        count = panel.grid.height if rows else panel.grid.width
        needed = self.takes.an_exact_cell(panel)
        full = min(self.takes.cell[1], 8.0) if rows else max(min(self.takes.cell[0], 11.0), needed)
        least = 5.5 if rows else max(NARROWEST_EXACT, needed)
        text = 16.0 if rows else LEAST_TEXT + PAD
        caption = EXACT_HEADER if rows else 0.0
        room_before = (beside.h if rows else beside.w) - text - 2 * PAD - caption
        room_after = (after.h if rows else after.w) - PAD - caption
        each, in_after = max(
            ((min(full, room / count), in_after) for room, in_after in ((room_before, False), (room_after, True))),
            key=lambda found: (found[0], not found[1]),
        )
        if each >= least and (not rows or self.takes.cell[0] >= needed) and not self.setting.one_product_a_page:
            return self._exact_box(panel, each, count, in_after, start), in_after
        self.homeless.append(panel)
        return None, False

    def _exact_box(self, panel: Panel, each: float, count: int, in_after: bool, start: float) -> GridBox:
        setting = self.setting
        header_w, header_h = setting.cells.header
        cell = (self.takes.cell[0], each) if setting.rows else (each, self.takes.cell[1])
        thick = each * count + (EXACT_HEADER if setting.rows else 0.0)
        at = self.after + PAD if in_after else self.spine - self.takes.labels_before(panel) - PAD - thick
        x, y = (start, at) if setting.rows else (at, start)
        if setting.rows:
            header_h = EXACT_HEADER
        else:
            header_w = 0.0
        grid = panel.exact or panel.grid
        box = Box(x, y, header_w + grid.width * cell[0], header_h + grid.height * cell[1])
        return GridBox(box=box, grid=grid, cell_w=cell[0], cell_h=cell[1], header_w=header_w, header_h=header_h)

    def _show_exact(self, panel: Panel, place: GridBox | None) -> None:
        if panel.exact is not None and place is not None:
            # its words begin where the first column does
            labels = 0.0 if self.setting.rows else place.header_w
            caption = Box(place.box.x + labels, place.box.y, place.box.w - labels, EXACT_CAPTION)
            self.items.append(TextBox(box=caption, paragraphs=(Paragraph(panel.exact_caption, Set.CAPTION),)))
            self.items.append(place)

    def _exact_along(self, band: Band, start: float, end: float) -> GridBox | None:
        """Place the exact values of a product on its lines across: before it, or behind it at the end of a page."""
        setting, grid = self.setting, band.panel.exact or band.panel.grid
        length = exact_length(setting, grid)
        words = [item.box for item in self.items if isinstance(item, TextBox)]
        if self.takes.an_exact_cell(band.panel) > (setting.cells.exact[0] if setting.rows else self.takes.cell[0]):
            self.homeless.append(band.panel)
            return None
        if not band.draws_over and band.lead and not setting.one_product_a_page:
            box = setting.exact_on_lines(grid, start - length, self.spine, self.takes.cell)
            room = setting.rect((start - band.lead, start), (self.spine, self.after))
            if room.holds(box.box) and not any(box.box.meets(text) for text in words):
                return box
        if band is self.bands[-1] and end + length <= self.along[1] and not setting.one_product_a_page:
            return setting.exact_on_lines(grid, end + PAD * setting.rows, self.spine, self.takes.cell)
        self.homeless.append(band.panel)
        return None

    def _working_space(self, panel: Panel, beside: Box, words: Box) -> None:
        """Rule what is left beside a stage with dotted lines, or leave it to the exact values."""
        if not panel.wants_working_space or panel.exact is not None:
            return
        top = words.bottom + 1.0 if words.meets(beside) else beside.y
        free = Box(beside.x, top, beside.w - 2 * PAD, beside.bottom - top)
        line = WORKING_LINE * self.setting.scale
        if free.h >= line and free.w >= LEAST_TEXT:
            self.items.append(LinesBox(box=free, spacing=line))
