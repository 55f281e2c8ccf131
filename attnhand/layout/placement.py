"""The boxes of one page: grids along the spine, factors beside it, words and exact values where there is room."""

from dataclasses import dataclass, replace
from itertools import zip_longest

from attnhand.layout.number_fit import EXACT_CELL_INSET
from attnhand.layout.page import Box, GridBox, Item, LinesBox, Paragraph, TextBox, measure_text_height
from attnhand.layout.setting import (
    EXACT_CAPTION_HEIGHT,
    EXACT_HEADER_HEIGHT,
    Band,
    Setting,
    TooLargeError,
    arrange_bands,
    measure_exact_length,
    space_out_bands,
)
from attnhand.layout.typography import (
    MIN_COLUMN_AND_TEXT_WIDTH,
    MIN_SPACE_AFTER_COLUMN,
    MIN_SPACE_BEFORE_COLUMN,
    WORKING_LINE_SPACING,
    ParagraphStyle,
)
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.panels import Panel
from attnhand.text.widths import RunStyle, measure_width, split_words

MIN_EXACT_CELL_WIDTH = 8.0
"""No cell of exact values is narrower, in millimetres."""

MIN_TEXT_WIDTH_BEFORE_FACTOR = 36.0
"""Words before a factor have at least this room, or stand behind the product where there is more."""

MIN_TEXT_WIDTH_AFTER_COLUMN = 48.0
"""What a wish for room before the spine leaves behind it, for words; more where exact values stand there."""


@dataclass(frozen=True, slots=True)
class AcrossSizes:
    """What panels take across one page, in millimetres."""

    setting: Setting
    has_fractions: bool
    """Whether a panel of this page holds fractions."""

    @property
    def cell_size(self) -> tuple[float, float]:
        """Width and height of a cell on the spine."""
        return self.setting.find_cell_size(has_fractions=self.has_fractions)

    @property
    def side_cell_size(self) -> tuple[float, float]:
        """Width and height of a cell of a factor before the spine."""
        return self.setting.find_cell_size(has_fractions=self.has_fractions, is_side_factor=True)

    @property
    def query_cell_size(self) -> tuple[float, float]:
        """Width and height of a cell of a factor on the spine."""
        return self.setting.find_cell_size(has_fractions=self.has_fractions, is_query_factor=True)

    @property
    def side_query_cell_size(self) -> tuple[float, float]:
        """Width and height of a cell over V, whose columns (rows) are as wide as those of a side factor."""
        side, over = self.side_cell_size, self.query_cell_size
        return (over[0], side[1]) if self.setting.is_rows else (side[0], over[1])

    def measure_factors_before(self, panel: Panel) -> float:
        """Return what a panel's factors take before the spine."""
        side = self.setting.measure_across(panel.side_factor, self.side_cell_size) if panel.side_factor else 0.0
        if panel.side_panel and panel.side_panel.side_factor:
            side += self.setting.measure_across(panel.side_panel.side_factor, self.side_cell_size)
        return side

    def measure_labels_before(self, panel: Panel) -> float:
        """Return what words on the rows of the outermost grid take beyond its label column."""
        has_words = panel.side_factor is None or panel.side_factor.style is not GridStyle.GIVEN
        return 0.0 if self.setting.is_rows or panel.side_panel or not has_words else self.setting.label_overhang

    def measure_exact_cell_width(self, panel: Panel) -> float:
        """Return how wide a cell must be for the panel's exact values."""
        return panel.exact_width * self.setting.typography.exact_points + EXACT_CELL_INSET


def find_query_column_start(
    sizes: AcrossSizes, bands: tuple[Band, ...], across_span: tuple[float, float], column_width: float
) -> float:
    """Return where the spine begins.

    Args:
        takes: what the panels of the page take.
        bands: those panels along the page.
        across: from where to where the page may be used, in millimetres.
        spine: how wide the spine is.

    Raises:
        TooLargeError: factors and spine have no room side by side.
    """
    setting, (begin, end) = sizes.setting, across_span
    before = max(sizes.measure_factors_before(band.panel) + sizes.measure_labels_before(band.panel) for band in bands)
    words_before = any(band.panel.side_factor is None for band in bands)
    if not setting.is_rows and (
        wished := _find_preferred_space_before(sizes, bands)
    ) <= end - begin - column_width - _find_min_space_after(sizes, bands):
        before = max(before, wished)
    if words_before:
        before = max(before, MIN_SPACE_BEFORE_COLUMN[setting.is_rows] * setting.type_scale)
    needs_after = (
        any(band.panel.side_factor and not band.panel.side_panel for band in bands)
        and not setting.has_one_product_per_page
    )
    room = (
        end
        - begin
        - column_width
        - (MIN_SPACE_AFTER_COLUMN[setting.is_rows] * setting.type_scale if needs_after else 0.0)
    )
    if before > room + 1e-6:
        side = "height" if setting.is_rows else "width"
        raise TooLargeError(f"its {side} is {before - room:.0f} mm more than the page has")
    if words_before and not needs_after and not setting.is_rows:
        before = max(before, min(room, end - begin - MIN_COLUMN_AND_TEXT_WIDTH))  # the room goes to the working space
    return begin + before


def _find_preferred_space_before(sizes: AcrossSizes, bands: tuple[Band, ...]) -> float:
    """Return the room before the spine with which every heading stands at the left edge of the page."""
    factors = (
        sizes.measure_factors_before(band.panel) + sizes.measure_labels_before(band.panel)
        for band in bands
        if band.panel.heading and band.panel.side_factor and not band.is_query_factor_drawn
    )
    return max((taken + MIN_TEXT_WIDTH_BEFORE_FACTOR for taken in factors), default=0.0)


def _find_min_space_after(sizes: AcrossSizes, bands: tuple[Band, ...]) -> float:
    """Return the room that a wish for room before the spine leaves behind it."""
    exact = (
        TEXT_GAP + panel.grid.column_count * max(MIN_EXACT_CELL_WIDTH, sizes.measure_exact_cell_width(panel))
        for panel in (band.panel for band in bands)
        if panel.has_exact_on_key and not panel.side_factor
    )
    return max([MIN_TEXT_WIDTH_AFTER_COLUMN, *exact])


TEXT_GAP = 3.0
"""Between words and the grid beside them."""

MIN_TEXT_WIDTH = 30.0
"""No column of words is narrower, in millimetres."""

Span = tuple[float, float]


def make_heading(panel: Panel) -> list[Paragraph]:
    """Return a panel's heading, if it has one; the number of its head never begins a line."""
    words = panel.heading
    if words and panel.stage.head:
        words = (*words[:-1], replace(words[-1], text="\u00a0".join(words[-1].text.rsplit(" ", 1))))
    return [Paragraph(words, ParagraphStyle.HEADING, heading_level=2)] if words else []


def make_instructions(panel: Panel) -> list[Paragraph]:
    """Return what a panel asks to do."""
    return [Paragraph(told.text, ParagraphStyle.BODY, slot=told.slot) for told in panel.paragraphs]


def make_instructions_with_mark(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return what a panel without a formula says: its mark box ends the first line, as it does that of a formula."""
    said = [*make_instructions(panel), *make_remarks(panel)]
    narrow = setting.is_rows or setting.has_one_product_per_page
    if said and not (said[0].slot or narrow):
        return [replace(said[0], right_text=panel.mark_box, marked_stage=panel.stage.name), *said[1:]]
    # beside words in a narrow column there is no room for it
    return [*said, *_make_mark_box(panel)]


def _make_mark_box(panel: Panel) -> list[Paragraph]:
    return [Paragraph(panel.mark_box, ParagraphStyle.SMALL, marked_stage=panel.stage.name)] if panel.mark_box else []


def make_remarks(panel: Panel) -> list[Paragraph]:
    """Return what a panel adds in small type."""
    return [Paragraph(told.text, ParagraphStyle.SMALL, slot=told.slot) for told in panel.remarks]


def make_formula(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return a panel's formula with its mark box, and its remarks."""
    if setting.has_one_product_per_page:
        return [Paragraph(panel.formula, ParagraphStyle.BODY), *_make_mark_box(panel), *make_remarks(panel)]
    return [
        Paragraph(panel.formula, ParagraphStyle.BODY, right_text=panel.mark_box, marked_stage=panel.stage.name),
        *make_remarks(panel),
    ]


class TextPlacer:
    """Sets words on one page, below whatever stands there already."""

    def __init__(self, setting: Setting, along_span: Span, across_span: Span, items: list[Item]) -> None:
        self.setting, self.along_span, self.across_span, self.items = setting, along_span, across_span, items

    def place_text(self, paragraphs: list[Paragraph], areas: list[Box], panel: Panel) -> Box:
        """Set the words into the first room that holds them, below what is there already; else in two pieces."""
        for count in range(len(paragraphs), 0, -1):
            for room in areas:
                if fitted := self._fit_text(paragraphs[:count], room):
                    self.items.append(fitted)
                    if count < len(paragraphs):
                        self.place_text(paragraphs[count:], areas, panel)
                    return fitted.box
        if paragraphs:
            raise TooLargeError(f"there is no room for the words beside {panel.stage.name}")
        return Box(0, 0, 0, 0)

    def fits_in(self, paragraphs: list[Paragraph], area: Box) -> bool:
        """Say whether a room holds the words in one piece, below what is there already."""
        return self._fit_text(paragraphs, area) is not None

    def _fit_text(self, paragraphs: list[Paragraph], area: Box) -> TextBox | None:
        """Return the words where they stand in a room, or None where they do not fit."""
        narrowest = 13.0 if self.setting.is_rows else 20.0
        least = max(
            narrowest,
            min(MIN_TEXT_WIDTH, max(_measure_longest_word(paragraph, self.setting) for paragraph in paragraphs)),
        )
        pad = TEXT_GAP / 2 if self.setting.is_rows else TEXT_GAP
        x = area.x + (pad if area.x > self._left else 0.0)
        y = area.y + (1.0 if area.y > self._top else 0.0)
        right = area.right - (pad if area.right < self._right - 0.1 else 0.0)
        free = Box(x, y, right - x, area.bottom - y)
        free = _find_area_below(
            free, [i.box for i in self.items if isinstance(i, TextBox | GridBox) and i.box.overlaps(free)]
        )
        set_words = [
            part for paragraph in paragraphs for part in _split_off_right_text(paragraph, self.setting, free.w)
        ]
        height = measure_text_height(set_words, self.setting.typography, free.w)
        if free.w < least or height > free.h + 0.2:
            return None
        return TextBox(box=Box(free.x, free.y, free.w, height), paragraphs=tuple(set_words))

    @property
    def _top(self) -> float:
        return self.across_span[0] if self.setting.is_rows else self.along_span[0]

    @property
    def _right(self) -> float:
        return self.along_span[1] if self.setting.is_rows else self.across_span[1]

    @property
    def _left(self) -> float:
        return self.along_span[0] if self.setting.is_rows else self.across_span[0]


def _split_off_right_text(paragraph: Paragraph, setting: Setting, max_width: float) -> list[Paragraph]:
    """Give what ends the first line a line of its own where a formula would be broken to stand beside it."""
    alone, type_ = replace(paragraph, right_text=()), setting.typography
    is_formula = all(run.style is not RunStyle.PLAIN for run in paragraph.text)
    if (
        paragraph.right_text
        and is_formula
        and len(paragraph.break_lines(type_, max_width)) > len(alone.break_lines(type_, max_width)) == 1
    ):
        return [
            replace(alone, marked_stage=""),
            Paragraph(paragraph.right_text, ParagraphStyle.SMALL, marked_stage=paragraph.marked_stage),
        ]
    return [paragraph]


def _measure_longest_word(paragraph: Paragraph, setting: Setting) -> float:
    points = setting.typography.paragraph_points[paragraph.style]
    return max(measure_width(word, points) for word in split_words(paragraph.text))


def _find_area_below(area: Box, boxes: list[Box]) -> Box:
    top = max((box.bottom + 1.0 for box in boxes), default=area.y)
    return Box(area.x, top, area.w, area.bottom - top)


def subtract_exact_area(area: Box, exact_area: Box, is_rows: bool) -> Box:
    """Leave out of a room the part next to the spine that exact values take."""
    if is_rows:
        return Box(area.x, area.y, area.w, exact_area.y - area.y)
    return Box(area.x, area.y, exact_area.x - area.x, area.h)


class PanelPlacer:
    """One page's panels, placed."""

    def __init__(
        self, setting: Setting, panels: list[Panel], header_bottom: float, *, max_extra_gap: float = 0.0
    ) -> None:
        self.setting = setting
        self.sizes = AcrossSizes(setting, has_fractions=any(panel.has_fractions for panel in panels))
        self.along_span, self.across_span = setting.find_spans(header_bottom)
        self.bands = space_out_bands(
            setting, arrange_bands(setting, panels), self.along_span[1] - self.along_span[0], max_extra_gap
        )
        self.items: list[Item] = []
        self.text_placer = TextPlacer(setting, self.along_span, self.across_span, self.items)
        self.copy_count = 0
        self.unplaced_exact: list[Panel] = []
        """Panels whose exact values found no room on this page."""

        spine = max((setting.measure_across(panel.grid, self.sizes.cell_size) for panel in panels), default=0.0)
        self.query_column_start = (
            find_query_column_start(self.sizes, self.bands, self.across_span, spine) if panels else self.across_span[0]
        )
        self.query_column_end = self.query_column_start + spine

    def place_panels(self) -> list[Item]:
        """Return the page's boxes in reading order: words, left factor, top factor, product."""
        for band in self.bands:
            self._place_panel(band)
        return self.items

    def _place_panel(self, band: Band) -> None:
        panel, setting = band.panel, self.setting
        start = self.along_span[0] + band.start
        end = self.along_span[0] + band.end
        side = setting.measure_across(panel.side_factor, self.sizes.side_cell_size) if panel.side_factor else 0.0
        lead = (start - band.factors_length, start)
        corner = setting.make_box(
            lead, (self.across_span[0], self.query_column_start - (side if panel.side_panel else 0.0))
        )
        outermost = (
            self.query_column_start - self.sizes.measure_factors_before(panel) - self.sizes.measure_labels_before(panel)
        )
        beside = setting.make_box((start, end), (self.across_span[0], outermost))
        gap = setting.make_box(
            lead if not band.is_query_factor_drawn else (start, start), (self.query_column_start, self.across_span[1])
        )
        after = setting.make_box((start, end), (self.query_column_end, self.across_span[1]))
        beyond = setting.make_box(lead, (self.query_column_end, self.across_span[1]))
        past = (
            [setting.make_box((end, self.along_span[1]), self.across_span)] if setting.has_one_product_per_page else []
        )
        if panel.side_panel:
            self.text_placer.place_text(
                [*make_heading(panel), *make_instructions_with_mark(panel.side_panel, setting)],
                [corner, beyond],
                panel.side_panel,
            )
            before = len(self.items)
            self._place_grids(band, start, side)
            drawn = len(self.items)
            rooms = [gap, after, setting.make_box(lead, self.across_span)]
            self.text_placer.place_text([*make_formula(panel, setting), *make_instructions(panel)], rooms, panel)
            self.items[:] = [*self.items[:before], *self.items[drawn:], *self.items[before:drawn]]
        elif panel.side_factor:
            told, summed_up = [*make_heading(panel), *make_instructions(panel)], make_formula(panel, setting)
            near = [corner, beyond] * band.is_query_factor_drawn + [beside, gap, after, *past]
            squeezed = (
                not (setting.is_rows or band.is_query_factor_drawn)
                and beside.w < MIN_TEXT_WIDTH_BEFORE_FACTOR - 1e-6 < after.w
            )
            if squeezed and self.text_placer.fits_in([*told, *summed_up], after):
                near = [after]
            self.text_placer.place_text(told, near, panel)
            self._place_grids(band, start, side)
            rooms = (
                [after, beyond, beside]
                if band.is_query_factor_drawn or not band.factors_length
                else [gap, after, beside]
            )
            self.text_placer.place_text(summed_up, [*rooms, *past], panel)
        else:
            exact, in_after = self._find_exact_place(panel, beside, after, start)
            room = beside if in_after or exact is None else subtract_exact_area(beside, exact.box, setting.is_rows)
            taken = self.text_placer.place_text(
                [*make_heading(panel), *make_instructions_with_mark(panel, setting)], [room], panel
            )
            self._add_working_space(panel, beside, taken)
            self._place_grids(band, start, side)
            self._add_exact_values(panel, exact)
        if panel.side_factor and panel.has_exact_on_key:
            self._add_exact_values(panel, self._find_product_exact_place(band, start, end))

    def _place_grids(self, band: Band, start: float, side_extent: float) -> None:
        """Draw left factor, top factor, product, and before them the factors that the side factor is made from."""
        panel, setting = band.panel, self.setting
        beside, over = [], []
        if (made := panel.side_panel) and made.side_factor and made.query_factor:
            beside.append(
                setting.place_grid(
                    made.side_factor,
                    start,
                    self.query_column_start - self.sizes.measure_factors_before(panel),
                    self.sizes.side_cell_size,
                )
            )
            made_start = start - setting.measure_along(made.query_factor, self.sizes.side_query_cell_size)
            over.append(
                setting.place_grid(
                    made.query_factor,
                    made_start,
                    self.query_column_start - side_extent,
                    self.sizes.side_query_cell_size,
                )
            )
        if panel.side_factor:
            wide = self.sizes.measure_labels_before(panel) > 0
            beside.append(
                setting.place_grid(
                    panel.side_factor,
                    start,
                    self.query_column_start - side_extent,
                    self.sizes.side_cell_size,
                    has_wide_labels=wide,
                )
            )
        if band.is_query_factor_drawn and panel.query_factor:
            over_start = start - setting.measure_along(panel.query_factor, self.sizes.query_cell_size)
            first = setting.is_rows and band is self.bands[0]
            over.append(
                setting.place_grid(
                    panel.query_factor,
                    over_start,
                    self.query_column_start,
                    self.sizes.query_cell_size,
                    has_wide_labels=first,
                )
            )
            self.copy_count += panel.is_query_factor_worked
        one, two = (over, beside) if setting.is_rows else (beside, over)
        for left, top in zip_longest(one, two):
            self.items += [box for box in (left, top) if box]
        wide = (
            not band.is_query_factor_drawn and band is self.bands[0] if setting.is_rows else panel.side_factor is None
        )
        self.items.append(
            setting.place_grid(panel.grid, start, self.query_column_start, self.sizes.cell_size, has_wide_labels=wide)
        )

    # exact values

    def _find_exact_place(
        self, panel: Panel, area_before: Box, area_after: Box, start: float
    ) -> tuple[GridBox | None, bool]:
        """Find room for a panel's exact values: before the spine, or after it (True)."""
        if not panel.has_exact_on_key or panel.side_factor:
            return None, False
        rows = self.setting.is_rows
        count = panel.grid.row_count if rows else panel.grid.column_count
        needed = self.sizes.measure_exact_cell_width(panel)
        full = min(self.sizes.cell_size[1], 8.0) if rows else max(min(self.sizes.cell_size[0], 11.0), needed)
        least = 5.5 if rows else max(MIN_EXACT_CELL_WIDTH, needed)
        text = 16.0 if rows else MIN_TEXT_WIDTH + TEXT_GAP
        caption = EXACT_HEADER_HEIGHT if rows else 0.0
        room_before = (area_before.h if rows else area_before.w) - text - 2 * TEXT_GAP - caption
        room_after = (area_after.h if rows else area_after.w) - TEXT_GAP - caption
        each, in_after = max(
            ((min(full, room / count), in_after) for room, in_after in ((room_before, False), (room_after, True))),
            key=lambda found: (found[0], not found[1]),
        )
        if (
            each >= least
            and (not rows or self.sizes.cell_size[0] >= needed)
            and not self.setting.has_one_product_per_page
        ):
            return self._make_exact_box(panel, each, count, in_after, start), in_after
        self.unplaced_exact.append(panel)
        return None, False

    def _make_exact_box(
        self, panel: Panel, cell_extent: float, count: int, is_after_column: bool, start: float
    ) -> GridBox:
        setting = self.setting
        header_w, header_h = setting.cell_sizes.header
        cell = (self.sizes.cell_size[0], cell_extent) if setting.is_rows else (cell_extent, self.sizes.cell_size[1])
        thick = cell_extent * count + (EXACT_HEADER_HEIGHT if setting.is_rows else 0.0)
        at = (
            self.query_column_end + TEXT_GAP
            if is_after_column
            else self.query_column_start - self.sizes.measure_labels_before(panel) - TEXT_GAP - thick
        )
        x, y = (start, at) if setting.is_rows else (at, start)
        if setting.is_rows:
            header_h = EXACT_HEADER_HEIGHT
        else:
            header_w = 0.0
        grid = panel.exact_grid or panel.grid
        box = Box(x, y, header_w + grid.column_count * cell[0], header_h + grid.row_count * cell[1])
        return GridBox(box=box, grid=grid, cell_w=cell[0], cell_h=cell[1], header_w=header_w, header_h=header_h)

    def _add_exact_values(self, panel: Panel, exact_box: GridBox | None) -> None:
        if panel.exact_grid is not None and exact_box is not None:
            # its words begin where the first column does
            labels = 0.0 if self.setting.is_rows else exact_box.header_w
            caption = Box(exact_box.box.x + labels, exact_box.box.y, exact_box.box.w - labels, EXACT_CAPTION_HEIGHT)
            self.items.append(
                TextBox(box=caption, paragraphs=(Paragraph(panel.exact_caption, ParagraphStyle.CAPTION),))
            )
            self.items.append(exact_box)

    def _find_product_exact_place(self, band: Band, start: float, end: float) -> GridBox | None:
        """Place the exact values of a product on its lines across: before it, or behind it at the end of a page."""
        setting, grid = self.setting, band.panel.exact_grid or band.panel.grid
        length = measure_exact_length(setting, grid)
        words = [item.box for item in self.items if isinstance(item, TextBox)]
        if self.sizes.measure_exact_cell_width(band.panel) > (
            setting.cell_sizes.exact[0] if setting.is_rows else self.sizes.cell_size[0]
        ):
            self.unplaced_exact.append(band.panel)
            return None
        if not band.is_query_factor_drawn and band.factors_length and not setting.has_one_product_per_page:
            box = setting.place_exact_on_lines(grid, start - length, self.query_column_start, self.sizes.cell_size)
            room = setting.make_box(
                (start - band.factors_length, start), (self.query_column_start, self.query_column_end)
            )
            if room.contains(box.box) and not any(box.box.overlaps(text) for text in words):
                return box
        if band is self.bands[-1] and end + length <= self.along_span[1] and not setting.has_one_product_per_page:
            return setting.place_exact_on_lines(
                grid, end + TEXT_GAP * setting.is_rows, self.query_column_start, self.sizes.cell_size
            )
        self.unplaced_exact.append(band.panel)
        return None

    def _add_working_space(self, panel: Panel, area_before: Box, text_area: Box) -> None:
        """Rule what is left beside a stage with dotted lines, or leave it to the exact values."""
        if not panel.has_working_space or panel.exact_grid is not None:
            return
        top = text_area.bottom + 1.0 if text_area.overlaps(area_before) else area_before.y
        free = Box(area_before.x, top, area_before.w - 2 * TEXT_GAP, area_before.bottom - top)
        line = WORKING_LINE_SPACING * self.setting.type_scale
        if free.h >= line and free.w >= MIN_TEXT_WIDTH:
            self.items.append(LinesBox(box=free, spacing=line))
