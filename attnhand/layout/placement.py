"""The boxes of one page: grids along the spine, factors beside it, words and exact values where there is room."""

from dataclasses import dataclass, replace
from itertools import zip_longest

from attnhand.layout.number_fit import EXACT_EDGE
from attnhand.layout.page import Box, GridBox, Item, LinesBox, Paragraph, TextBox, text_height
from attnhand.layout.setting import (
    EXACT_CAPTION,
    EXACT_HEADER,
    Band,
    Setting,
    TooLargeError,
    bands,
    exact_length,
    with_air,
)
from attnhand.layout.typography import LEAST_AFTER, LEAST_BEFORE, LEAST_SPINE, WORKING_LINE, Set
from attnhand.sheet.grids import Look
from attnhand.sheet.panels import Panel
from attnhand.text.widths import Style, width, words_of

NARROWEST_EXACT = 8.0
"""No cell of exact values is narrower, in millimetres."""

LEAST_BESIDE = 36.0
"""Words before a factor have at least this room, or stand behind the product where there is more."""

LEAST_AFTER_WISH = 48.0
"""What a wish for room before the spine leaves behind it, for words; more where exact values stand there."""


@dataclass(frozen=True, slots=True)
class Across:
    """What panels take across one page, in millimetres."""

    setting: Setting
    fraction: bool
    """Whether a panel of this page holds fractions."""

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell on the spine."""
        return self.setting.cell(fraction=self.fraction)

    @property
    def side_cell(self) -> tuple[float, float]:
        """Width and height of a cell of a factor before the spine."""
        return self.setting.cell(fraction=self.fraction, side=True)

    @property
    def over_cell(self) -> tuple[float, float]:
        """Width and height of a cell of a factor on the spine."""
        return self.setting.cell(fraction=self.fraction, over=True)

    @property
    def made_over_cell(self) -> tuple[float, float]:
        """Width and height of a cell over V, whose columns (rows) are as wide as those of a side factor."""
        side, over = self.side_cell, self.over_cell
        return (over[0], side[1]) if self.setting.rows else (side[0], over[1])

    def before(self, panel: Panel) -> float:
        """Return what a panel's factors take before the spine."""
        side = self.setting.across(panel.side, self.side_cell) if panel.side else 0.0
        if panel.made and panel.made.side:
            side += self.setting.across(panel.made.side, self.side_cell)
        return side

    def labels_before(self, panel: Panel) -> float:
        """Return what words on the rows of the outermost grid take beyond its label column."""
        has_words = panel.side is None or panel.side.look is not Look.GIVEN
        return 0.0 if self.setting.rows or panel.made or not has_words else self.setting.word_room

    def an_exact_cell(self, panel: Panel) -> float:
        """Return how wide a cell must be for the panel's exact values."""
        return panel.exact_width * self.setting.typography.exact + EXACT_EDGE


def spine_at(takes: Across, bands: tuple[Band, ...], across: tuple[float, float], spine: float) -> float:
    """Return where the spine begins.

    Args:
        takes: what the panels of the page take.
        bands: those panels along the page.
        across: from where to where the page may be used, in millimetres.
        spine: how wide the spine is.

    Raises:
        TooLargeError: factors and spine have no room side by side.
    """
    setting, (begin, end) = takes.setting, across
    before = max(takes.before(band.panel) + takes.labels_before(band.panel) for band in bands)
    words_before = any(band.panel.side is None for band in bands)
    if not setting.rows and (wished := _wished_before(takes, bands)) <= end - begin - spine - _least_after(
        takes, bands
    ):
        before = max(before, wished)
    if words_before:
        before = max(before, LEAST_BEFORE[setting.rows] * setting.scale)
    needs_after = any(band.panel.side and not band.panel.made for band in bands) and not setting.one_product_a_page
    room = end - begin - spine - (LEAST_AFTER[setting.rows] * setting.scale if needs_after else 0.0)
    if before > room + 1e-6:
        side = "height" if setting.rows else "width"
        raise TooLargeError(f"its {side} is {before - room:.0f} mm more than the page has")
    if words_before and not needs_after and not setting.rows:
        before = max(before, min(room, end - begin - LEAST_SPINE))  # the room goes to the working space
    return begin + before


def _wished_before(takes: Across, bands: tuple[Band, ...]) -> float:
    """Return the room before the spine with which every heading stands at the left edge of the page."""
    factors = (
        takes.before(band.panel) + takes.labels_before(band.panel)
        for band in bands
        if band.panel.heading and band.panel.side and not band.draws_over
    )
    return max((taken + LEAST_BESIDE for taken in factors), default=0.0)


def _least_after(takes: Across, bands: tuple[Band, ...]) -> float:
    """Return the room that a wish for room before the spine leaves behind it."""
    exact = (
        PAD + panel.grid.width * max(NARROWEST_EXACT, takes.an_exact_cell(panel))
        for panel in (band.panel for band in bands)
        if panel.reserves_exact and not panel.side
    )
    return max([LEAST_AFTER_WISH, *exact])


PAD = 3.0
"""Between words and the grid beside them."""

LEAST_TEXT = 30.0
"""No column of words is narrower, in millimetres."""

Span = tuple[float, float]


def heading(panel: Panel) -> list[Paragraph]:
    """Return a panel's heading, if it has one; the number of its head never begins a line."""
    words = panel.heading
    if words and panel.stage.head:
        words = (*words[:-1], replace(words[-1], text="\u00a0".join(words[-1].text.rsplit(" ", 1))))
    return [Paragraph(words, Set.HEADING, level=2)] if words else []


def instructions(panel: Panel) -> list[Paragraph]:
    """Return what a panel asks to do."""
    return [Paragraph(told.text, Set.BODY, source=told.source) for told in panel.paragraphs]


def marked_instructions(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return what a panel without a formula says: its mark box ends the first line, as it does that of a formula."""
    said = [*instructions(panel), *remarks(panel)]
    narrow = setting.rows or setting.one_product_a_page
    if said and not (said[0].source or narrow):
        return [replace(said[0], right=panel.mark, marks=panel.stage.name), *said[1:]]
    # beside words in a narrow column there is no room for it
    return [*said, *_mark(panel)]


def _mark(panel: Panel) -> list[Paragraph]:
    return [Paragraph(panel.mark, Set.SMALL, marks=panel.stage.name)] if panel.mark else []


def remarks(panel: Panel) -> list[Paragraph]:
    """Return what a panel adds in small type."""
    return [Paragraph(told.text, Set.SMALL, source=told.source) for told in panel.remarks]


def formula(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return a panel's formula with its mark box, and its remarks."""
    if setting.one_product_a_page:
        return [Paragraph(panel.formula, Set.BODY), *_mark(panel), *remarks(panel)]
    return [Paragraph(panel.formula, Set.BODY, right=panel.mark, marks=panel.stage.name), *remarks(panel)]


class Writer:
    """Sets words on one page, below whatever stands there already."""

    def __init__(self, setting: Setting, along: Span, across: Span, items: list[Item]) -> None:
        self.setting, self.along, self.across, self.items = setting, along, across, items

    def write(self, words: list[Paragraph], rooms: list[Box], panel: Panel) -> Box:
        """Set the words into the first room that holds them, below what is there already; else in two pieces."""
        for count in range(len(words), 0, -1):
            for room in rooms:
                if fitted := self._fitted(words[:count], room):
                    self.items.append(fitted)
                    if count < len(words):
                        self.write(words[count:], rooms, panel)
                    return fitted.box
        if words:
            raise TooLargeError(f"there is no room for the words beside {panel.stage.name}")
        return Box(0, 0, 0, 0)

    def holds(self, words: list[Paragraph], room: Box) -> bool:
        """Say whether a room holds the words in one piece, below what is there already."""
        return self._fitted(words, room) is not None

    def _fitted(self, words: list[Paragraph], room: Box) -> TextBox | None:
        """Return the words where they stand in a room, or None where they do not fit."""
        narrowest = 13.0 if self.setting.rows else 20.0
        least = max(narrowest, min(LEAST_TEXT, max(_longest_word(paragraph, self.setting) for paragraph in words)))
        pad = PAD / 2 if self.setting.rows else PAD
        x = room.x + (pad if room.x > self._left else 0.0)
        y = room.y + (1.0 if room.y > self._top else 0.0)
        right = room.right - (pad if room.right < self._right - 0.1 else 0.0)
        free = Box(x, y, right - x, room.bottom - y)
        free = _below(free, [i.box for i in self.items if isinstance(i, TextBox | GridBox) and i.box.meets(free)])
        set_words = [part for paragraph in words for part in _parted(paragraph, self.setting, free.w)]
        height = text_height(set_words, self.setting.typography, free.w)
        if free.w < least or height > free.h + 0.2:
            return None
        return TextBox(box=Box(free.x, free.y, free.w, height), paragraphs=tuple(set_words))

    @property
    def _top(self) -> float:
        return self.across[0] if self.setting.rows else self.along[0]

    @property
    def _right(self) -> float:
        return self.along[1] if self.setting.rows else self.across[1]

    @property
    def _left(self) -> float:
        return self.along[0] if self.setting.rows else self.across[0]


def _parted(paragraph: Paragraph, setting: Setting, room: float) -> list[Paragraph]:
    """Give what ends the first line a line of its own where a formula would be broken to stand beside it."""
    alone, type_ = replace(paragraph, right=()), setting.typography
    is_formula = all(run.style is not Style.PLAIN for run in paragraph.text)
    if paragraph.right and is_formula and len(paragraph.lines(type_, room)) > len(alone.lines(type_, room)) == 1:
        return [replace(alone, marks=""), Paragraph(paragraph.right, Set.SMALL, marks=paragraph.marks)]
    return [paragraph]


def _longest_word(paragraph: Paragraph, setting: Setting) -> float:
    points = setting.typography.points[paragraph.style]
    return max(width(word, points) for word in words_of(paragraph.text))


def _below(room: Box, taken: list[Box]) -> Box:
    top = max((box.bottom + 1.0 for box in taken), default=room.y)
    return Box(room.x, top, room.w, room.bottom - top)


def shrunk(room: Box, taken: Box, rows: bool) -> Box:
    """Leave out of a room the part next to the spine that exact values take."""
    if rows:
        return Box(room.x, room.y, room.w, taken.y - room.y)
    return Box(room.x, room.y, taken.x - room.x, room.h)


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
