"""Place the panels of one page: grids, words, exact values."""

from dataclasses import replace
from itertools import zip_longest

from attnhand.layout.number_fit import EXACT_CELL_INSET
from attnhand.layout.page import Box, GridBox, Item, LinesBox, Paragraph, TextBox, make_grid_box, measure_text_height
from attnhand.layout.panel_text import make_formula, make_heading, make_instructions, make_instructions_with_mark
from attnhand.layout.setting import (
    EXACT_CAPTION_HEIGHT,
    EXACT_HEADER_HEIGHT,
    MIN_TEXT_WIDTH_AFTER_COLUMN,
    Band,
    Setting,
    TooLargeError,
    arrange_bands,
    has_feature_rows,
    measure_exact_length,
    measure_panel_text,
    space_out_bands,
)
from attnhand.layout.typography import (
    MIN_COLUMN_AND_TEXT_WIDTH,
    MIN_SPACE_AFTER_COLUMN,
    MIN_SPACE_BEFORE_COLUMN,
    WORKING_LINE_SPACING,
    ParagraphStyle,
    Typography,
)
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import format_guess_line
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import RunStyle, measure_width, split_words

MIN_EXACT_CELL_WIDTH = 8.0
"""No cell of exact values is narrower, in millimetres."""

TEXT_GAP = 3.0
"""Between words and the grid beside them."""

MIN_TEXT_WIDTH = 30.0
"""No column of words is narrower, in millimetres."""

MIN_TEXT_WIDTH_BEFORE_FACTOR = 36.0
"""Words before a factor have at least this room, or stand behind the product where there is more."""


class AcrossSizes:
    """How much room panels need across a page, in millimetres; cells as (width, height)."""

    def __init__(self, setting: Setting, *, has_fractions: bool) -> None:
        self.setting = setting
        self.cell_size = setting.find_cell_size(has_fractions=has_fractions)
        self.side_cell_size = side = setting.find_cell_size(has_fractions=has_fractions, is_side_factor=True)
        self.query_cell_size = query = setting.find_cell_size(has_fractions=has_fractions, is_query_factor=True)
        self.side_query_cell_size = (query[0], side[1]) if setting.is_rows else (side[0], query[1])
        """Of X above V; its columns (rows) are as wide as those of V."""

    def measure_factors_before(self, panel: Panel) -> float:
        """Return how wide a panel's side factors are together."""
        side = self.setting.measure_across(panel.side_factor, self.side_cell_size) if panel.side_factor else 0.0
        if panel.side_panel and panel.side_panel.side_factor:
            side += self.setting.measure_across(panel.side_panel.side_factor, self.side_cell_size)
        return side

    def measure_labels_before(self, panel: Panel) -> float:
        """Return how far words on rows run on beyond the label column of the outermost grid."""
        is_given = panel.side_factor is not None and panel.side_factor.style is GridStyle.GIVEN
        if self.setting.is_rows or panel.side_panel:
            return 0.0
        return self.setting.measure_feature_overhang(panel.side_factor) if is_given else self.setting.label_overhang

    def measure_space_before(self, panel: Panel) -> float:
        """Return how wide side factors and the words on their rows are together."""
        return self.measure_factors_before(panel) + self.measure_labels_before(panel)

    def measure_exact_cell_width(self, panel: Panel) -> float:
        """Return how wide a cell must be for the panel's exact values."""
        return panel.exact_width * self.setting.typography.exact_points + EXACT_CELL_INSET


def find_query_column_start(
    sizes: AcrossSizes, bands: tuple[Band, ...], across_span: tuple[float, float], column_width: float
) -> float:
    """Return where the query column begins across the part of the page that may be used, in millimetres.

    Raises:
        TooLargeError: factors and query column do not fit side by side.
    """
    setting, (begin, end) = sizes.setting, across_span
    before = max(sizes.measure_space_before(band.panel) for band in bands)
    has_text_before = any(band.panel.side_factor is None for band in bands)
    # every heading at the left edge of the page
    widths = [
        sizes.measure_space_before(band.panel) + MIN_TEXT_WIDTH_BEFORE_FACTOR
        for band in bands
        if band.panel.heading and band.panel.side_factor and not band.is_query_factor_drawn
    ]
    preferred = max(widths, default=0.0)
    if not setting.is_rows and preferred <= end - begin - column_width - _find_min_space_after(sizes, bands):
        before = max(before, preferred)
    if has_text_before:
        before = max(before, MIN_SPACE_BEFORE_COLUMN[setting.is_rows] * setting.type_scale)
    has_formula_after = any(band.panel.side_factor and not band.panel.side_panel for band in bands)
    needs_space_after = has_formula_after and not setting.has_one_product_per_page
    after = MIN_SPACE_AFTER_COLUMN[setting.is_rows] * setting.type_scale if needs_space_after else 0.0
    max_before = end - begin - column_width - after
    if setting.is_rows:
        room = end - begin - column_width - max([after, *(measure_formula_height(setting, band) for band in bands)])
        needed = max(measure_text_height_before(setting, band) for band in bands)
        before = max(before, min(needed, max_before if needed > room else room))
    if before > max_before + 1e-6:
        side = "height" if setting.is_rows else "width"
        raise TooLargeError(f"its {side} is {before - max_before:.0f} mm more than the page has")
    if has_text_before and not needs_space_after and not setting.is_rows:
        # nothing stands after the column: the room goes to the working space before it
        before = max(before, min(max_before, end - begin - MIN_COLUMN_AND_TEXT_WIDTH))
    return begin + before


def measure_text_height_before(setting: Setting, band: Band) -> float:
    """Return how high the words before the query column are, where tokens are rows."""
    panel = band.panel
    if not panel.side_factor:
        text = make_instructions_with_mark(panel, is_narrow=setting.has_narrow_text)
        return measure_panel_text(setting, panel, [*make_heading(panel), *text], band.end - band.start)
    if panel.side_panel or not band.is_query_factor_drawn:
        return 0.0
    return measure_panel_text(setting, panel, [*make_heading(panel), *make_instructions(panel)], band.factors_length)


def measure_formula_height(setting: Setting, band: Band) -> float:
    """Return how high the text below a product is, where tokens are rows."""
    if not band.panel.side_factor or band.panel.side_panel:
        return 0.0
    formula = make_formula(band.panel, is_narrow=setting.has_one_product_per_page)
    return measure_panel_text(setting, band.panel, formula, band.end - band.start)


def _find_min_space_after(sizes: AcrossSizes, bands: tuple[Band, ...]) -> float:
    """Return the room that must stay free right of the query column."""
    exact_widths = (
        TEXT_GAP + panel.grid.column_count * max(MIN_EXACT_CELL_WIDTH, sizes.measure_exact_cell_width(panel))
        for panel in (band.panel for band in bands)
        if panel.has_exact_on_key and not panel.side_factor
    )
    return max([MIN_TEXT_WIDTH_AFTER_COLUMN, *exact_widths])


class TextPlacer:
    """Places text on one page, below what stands there already.

    It shares the list of items with the panels' placer: what is placed later sees what was placed before.
    """

    def __init__(self, setting: Setting, page: Box, items: list[Item]) -> None:
        self.setting, self.page, self.items = setting, page, items

    def place_headed_text(self, paragraphs: list[Paragraph], areas: list[Box], panel: Panel) -> None:
        """Place a heading and as much of its text as fits in the first area, the rest where there is room.

        Where that leaves something without room, all of it is placed as any text.
        """
        placed = len(self.items)
        for count in range(len(paragraphs), 1, -1):
            if text_box := self.fit_text(paragraphs[:count], areas[0]):
                self.items.append(text_box)
                try:
                    self.place_text(paragraphs[count:], areas, panel)
                except TooLargeError:
                    del self.items[placed:]
                    break
                return
        self.place_text(paragraphs, areas, panel)

    def place_text(self, paragraphs: list[Paragraph], areas: list[Box], panel: Panel) -> Box:
        """Place paragraphs in the first area that holds them all; else split them.

        Three paragraphs and two areas are tried in this order: all three in area 1, all three in area 2, the first two
        in area 1, the first two in area 2, and so on. What is left is placed in the same way, below.

        Raises:
            TooLargeError: a paragraph fits no area.
        """
        for count in range(len(paragraphs), 0, -1):
            for area in areas:
                if text_box := self.fit_text(paragraphs[:count], area):
                    self.items.append(text_box)
                    if count < len(paragraphs):
                        self.place_text(paragraphs[count:], areas, panel)
                    return text_box.box
        if paragraphs:
            raise TooLargeError(f"there is no room for the words beside {panel.stage.name}")
        return Box(0, 0, 0, 0)

    def fit_text(self, paragraphs: list[Paragraph], area: Box) -> TextBox | None:
        """Return the paragraphs placed in an area, below what stands there; None where they do not fit.

        Example: an area 40 mm wide and 30 mm high, of which a grid covers the upper 10 mm, leaves 19 mm below the grid
        (1 mm of distance). Three lines of 4.1 mm fit; six do not.
        """
        points, rows = self.setting.typography.paragraph_points, self.setting.is_rows
        words = ((word, points[paragraph.style]) for paragraph in paragraphs for word in split_words(paragraph.text))
        longest_word = max(measure_width(word, size) for word, size in words)
        min_width = max(13.0 if rows else 20.0, min(MIN_TEXT_WIDTH, longest_word))
        # no distance is kept from the edge of the page, or of the strip
        pad = TEXT_GAP / 2 if rows else TEXT_GAP
        x = area.x + (pad if area.x > self.page.x else 0.0)
        y = area.y + (1.0 if area.y > self.page.y else 0.0)
        w = area.right - (pad if area.right < self.page.right - 0.1 else 0.0) - x
        free = Box(x, y, w, area.bottom - y)
        boxes = [item.box for item in self.items if isinstance(item, TextBox | GridBox) and item.box.overlaps(free)]
        y = max((box.bottom + 1.0 for box in boxes), default=y)
        typography = self.setting.typography
        parts = [part for paragraph in paragraphs for part in _split_off_right_text(paragraph, typography, w)]
        height = measure_text_height(parts, typography, w)
        if w < min_width or height > area.bottom - y + 0.2:
            return None
        return TextBox(box=Box(x, y, w, height), paragraphs=tuple(parts))


def _split_off_right_text(paragraph: Paragraph, typography: Typography, max_width: float) -> list[Paragraph]:
    """Move the text at the right of a formula to the next line where the formula would be broken.

    In a narrow column ``K = W_K X    __ / 12`` becomes two paragraphs: ``K = W_K X`` and ``__ / 12``.
    """
    alone = replace(paragraph, right_text=())
    is_formula = all(run.style is not RunStyle.PLAIN for run in paragraph.text)
    if not (paragraph.right_text and is_formula):
        return [paragraph]
    if not len(paragraph.break_lines(typography, max_width)) > len(alone.break_lines(typography, max_width)) == 1:
        return [paragraph]
    right = Paragraph(paragraph.right_text, ParagraphStyle.SMALL, marked_stage=paragraph.marked_stage)
    return [replace(alone, marked_stage=""), right]


class PanelPlacer:
    """Places the panels of one page, or of one strip of it."""

    def __init__(
        self, setting: Setting, panels: list[Panel], header_bottom: float, *, max_extra_gap: float = 0.0
    ) -> None:
        self.setting = setting
        self.sizes = AcrossSizes(setting, has_fractions=any(panel.has_fractions for panel in panels))
        self.along_span, self.across_span = setting.find_spans(header_bottom)
        length = self.along_span[1] - self.along_span[0]
        self.bands = space_out_bands(setting, arrange_bands(setting, panels), length, max_extra_gap)
        self.items: list[Item] = []
        self.text_placer = TextPlacer(setting, setting.make_box(self.along_span, self.across_span), self.items)
        self.copy_count = 0
        self.waiting_guess: list[Paragraph] = []
        """What is guessed, until it is placed."""

        self.unplaced_exact: list[Panel] = []
        """Panels whose exact values found no room on this page."""

        width = max((setting.measure_across(panel.grid, self.sizes.cell_size) for panel in panels), default=0.0)
        self.column_start = self.across_span[0]
        if panels:
            self.column_start = find_query_column_start(self.sizes, self.bands, self.across_span, width)
        self.column_end = self.column_start + width

    def place_panels(self) -> list[Item]:
        """Return the page's boxes in reading order: text, left factor, top factor, product."""
        for band in self.bands:
            self._place_panel(band)
        if self.waiting_guess:
            raise TooLargeError("there is no room for the guess before its scores")
        return self.items

    def _place_panel(self, band: Band) -> None:
        """Place one panel's text, grids and exact values in the areas around the query column.

        With tokens as columns, a band that draws its query factor has these areas (``start`` and ``end`` are those of
        the product's labels and cells; with tokens as rows, swap x and y)::

                      across the page ->
            lead      corner               query factor    beyond
            start
                      beside  side factor  product         after
            end
                      past (only where a page has one product)

        A band whose query factor stands right above, as the product before it, has a ``gap`` where the query factor
        would be.
        """
        panel, setting, place_text = band.panel, self.setting, self.text_placer.place_text
        start, end = self.along_span[0] + band.start, self.along_span[0] + band.end
        left, right = self.across_span
        side_width = setting.measure_across(panel.side_factor, self.sizes.side_cell_size) if panel.side_factor else 0.0
        lead_span = (start - band.factors_length, start)
        corner_end = self.column_start - (side_width if panel.side_panel else 0.0)
        named = panel.side_panel.query_factor if panel.side_panel else panel.query_factor
        if panel.side_panel or band.is_query_factor_drawn:
            corner_end -= setting.measure_feature_overhang(named)
        corner = setting.make_box(lead_span, (left, corner_end))
        outermost = (
            self.column_start - self.sizes.measure_factors_before(panel) - self.sizes.measure_labels_before(panel)
        )
        beside = setting.make_box((start, end), (left, outermost))
        gap_span = (start, start) if band.is_query_factor_drawn else lead_span
        gap = setting.make_box(gap_span, (self.column_start, right))
        after = setting.make_box((start, end), (self.column_end, right))
        beyond = setting.make_box(lead_span, (self.column_end, right))
        past = [setting.make_box((end, self.along_span[1]), self.across_span)] * setting.has_one_product_per_page
        if panel.side_panel:
            text = [
                *make_heading(panel),
                *make_instructions_with_mark(panel.side_panel, is_narrow=setting.has_narrow_text),
            ]
            place_text(text, [corner, beyond], panel.side_panel)
            first_grid = len(self.items)
            self._place_grids(band, start, side_width)
            first_text = len(self.items)
            areas = [gap, after, setting.make_box(lead_span, self.across_span)]
            place_text(
                [*make_formula(panel, is_narrow=setting.has_one_product_per_page), *make_instructions(panel)],
                areas,
                panel,
            )
            # this text had to see the grids to find room below them, but is read before them
            self.items[:] = [*self.items[:first_grid], *self.items[first_text:], *self.items[first_grid:first_text]]
        elif panel.side_factor:
            instructions = [*make_heading(panel), *make_instructions(panel)]
            formula = make_formula(panel, is_narrow=setting.has_one_product_per_page)
            areas = [corner, beyond] * band.is_query_factor_drawn + [beside, gap, after, *past]
            is_squeezed = beside.w < MIN_TEXT_WIDTH_BEFORE_FACTOR - 1e-6 < after.w
            if is_squeezed and not (setting.is_rows or band.is_query_factor_drawn):
                areas = [after] if self.text_placer.fit_text([*instructions, *formula], after) else areas
            if band.is_query_factor_drawn and panel.heading:
                self.text_placer.place_headed_text(instructions, areas, panel)
            else:
                place_text(instructions, areas, panel)
            self._place_grids(band, start, side_width)
            has_gap = band.factors_length and not band.is_query_factor_drawn
            areas = [*([gap, after, beside] if has_gap else [after, beyond, beside]), *past]
            self._place_formula(formula, areas, panel)
        else:
            exact_box, is_after_column = self._find_exact_place(panel, beside, after, start)
            area = beside
            if exact_box is not None and not is_after_column:  # they stand next to the query column
                x, y = exact_box.box.x, exact_box.box.y
                area = beside._replace(h=y - beside.y) if setting.is_rows else beside._replace(w=x - beside.x)
            text = [*make_heading(panel), *make_instructions_with_mark(panel, is_narrow=setting.has_narrow_text)]
            # with one query and few keys there may be no room before the column, but all of the page after it
            text_box = place_text(text, [area] if is_after_column else [area, after], panel)
            self._add_working_space(panel, beside, text_box)
            self._place_grids(band, start, side_width)
            self._add_exact_values(panel, exact_box)
        if panel.side_factor and panel.has_exact_on_key:
            self._add_exact_values(panel, self._find_product_exact_place(band, start, end))

    def _place_formula(self, formula: list[Paragraph], areas: list[Box], panel: Panel) -> None:
        """Place a formula, and the guess below it; a guess that has no room there waits for the next product."""
        if panel.guess:
            self.waiting_guess = [Paragraph(format_guess_line(panel.guess), slot=Slot(SlotKind.GUESS))]
        count = len(self.items)
        try:
            self.text_placer.place_text([*formula, *self.waiting_guess], areas, panel)
            self.waiting_guess = []
        except TooLargeError:
            del self.items[count:]
            self.text_placer.place_text(formula, areas, panel)

    def _place_grids(self, band: Band, start: float, side_extent: float) -> None:
        """Place left factor, top factor and product; first the factors of the side factor, where it is made here."""
        panel, sizes, place, rows = band.panel, self.sizes, self.setting.place_grid, self.setting.is_rows
        side_start, is_first = self.column_start - side_extent, band is self.bands[0]
        side_boxes, query_boxes = [], []
        if (inner := panel.side_panel) and inner.side_factor and inner.query_factor:
            inner_side_start = self.column_start - sizes.measure_factors_before(panel)
            side_boxes.append(place(inner.side_factor, start, inner_side_start, sizes.side_cell_size))
            inner_start = start - self.setting.measure_along(inner.query_factor, sizes.side_query_cell_size)
            wide = has_feature_rows(inner.query_factor)
            query_boxes.append(
                place(inner.query_factor, inner_start, side_start, sizes.side_query_cell_size, has_wide_labels=wide)
            )
        if panel.side_factor:
            # words of a table on rows have the room of those on the product below it
            wide = sizes.measure_labels_before(panel) > 0 or (rows and is_first and not band.is_query_factor_drawn)
            side_boxes.append(place(panel.side_factor, start, side_start, sizes.side_cell_size, has_wide_labels=wide))
        if band.is_query_factor_drawn and (query := panel.query_factor):
            query_start = start - self.setting.measure_along(query, sizes.query_cell_size)
            wide = is_first if rows else has_feature_rows(query)
            query_boxes.append(
                place(query, query_start, self.column_start, sizes.query_cell_size, has_wide_labels=wide)
            )
            self.copy_count += panel.is_query_factor_worked
        for left, top in zip_longest(*((query_boxes, side_boxes) if rows else (side_boxes, query_boxes))):
            self.items += [box for box in (left, top) if box]
        wide = is_first and not band.is_query_factor_drawn if rows else panel.side_factor is None
        self.items.append(place(panel.grid, start, self.column_start, sizes.cell_size, has_wide_labels=wide))

    # exact values

    def _find_exact_place(self, panel: Panel, before: Box, after: Box, start: float) -> tuple[GridBox | None, bool]:
        """Find room for a panel's exact values: before the query column, or after it (True)."""
        if not panel.has_exact_on_key or panel.side_factor:
            return None, False
        rows, (cell_w, cell_h) = self.setting.is_rows, self.sizes.cell_size
        line_count = panel.grid.row_count if rows else panel.grid.column_count
        needed_width = self.sizes.measure_exact_cell_width(panel)
        # across the page; a line is a column of cells, or a row where tokens are rows
        max_line = min(cell_h, 8.0) if rows else max(min(cell_w, 11.0), needed_width)
        min_line = 5.5 if rows else max(MIN_EXACT_CELL_WIDTH, needed_width)
        text = make_instructions_with_mark(panel, is_narrow=self.setting.has_narrow_text)
        text_height = measure_panel_text(self.setting, panel, [*make_heading(panel), *text], before.w)
        text_width = max(16.0, text_height) if rows else MIN_TEXT_WIDTH + TEXT_GAP
        caption = EXACT_HEADER_HEIGHT if rows else 0.0
        space_before = (before.h if rows else before.w) - text_width - 2 * TEXT_GAP - caption
        space_after = (after.h if rows else after.w) - TEXT_GAP - caption
        line_before, line_after = (min(max_line, space / line_count) for space in (space_before, space_after))
        is_after_column = line_after > line_before
        line = max(line_before, line_after)
        if line < min_line or (rows and cell_w < needed_width) or self.setting.has_one_product_per_page:
            self.unplaced_exact.append(panel)
            return None, False
        across = self.column_end + TEXT_GAP
        if not is_after_column:
            across = self.column_start - self.sizes.measure_labels_before(panel) - TEXT_GAP
            across -= line * line_count + caption
        grid, (header_w, header_h) = panel.exact_grid or panel.grid, self.setting.cell_sizes.header
        if rows:
            box = make_grid_box(grid, (start, across), (cell_w, line), (header_w, EXACT_HEADER_HEIGHT))
        else:
            box = make_grid_box(grid, (across, start), (line, cell_h), (0.0, header_h))
        return box, is_after_column

    def _add_exact_values(self, panel: Panel, exact_box: GridBox | None) -> None:
        if panel.exact_grid is not None and exact_box is not None:
            # the caption begins where the first column does
            labels, box = 0.0 if self.setting.is_rows else exact_box.header_w, exact_box.box
            place = Box(box.x + labels, box.y, box.w - labels, EXACT_CAPTION_HEIGHT)
            caption = TextBox(box=place, paragraphs=(Paragraph(panel.exact_caption, ParagraphStyle.CAPTION),))
            self.items += [caption, exact_box]

    def _find_product_exact_place(self, band: Band, start: float, end: float) -> GridBox | None:
        """Place a product's exact values on its lines: in the gap before it, or below it at the end of a page."""
        setting, grid = self.setting, band.panel.exact_grid or band.panel.grid
        column_start, cell_size = self.column_start, self.sizes.cell_size
        length = measure_exact_length(setting, grid)
        max_width = setting.cell_sizes.exact[0] if setting.is_rows else cell_size[0]
        if self.sizes.measure_exact_cell_width(band.panel) <= max_width and not setting.has_one_product_per_page:
            if not band.is_query_factor_drawn and band.factors_length:
                box = setting.place_exact_on_lines(grid, start - length, column_start, cell_size)
                gap = setting.make_box((start - band.factors_length, start), (column_start, self.column_end))
                text_boxes = [item.box for item in self.items if isinstance(item, TextBox)]
                if gap.contains(box.box) and not any(map(box.box.overlaps, text_boxes)):
                    return box
            if band is self.bands[-1] and end + length <= self.along_span[1]:
                place = end + TEXT_GAP * setting.is_rows
                return setting.place_exact_on_lines(grid, place, column_start, cell_size)
        self.unplaced_exact.append(band.panel)
        return None

    def _add_working_space(self, panel: Panel, area_before: Box, text_area: Box) -> None:
        """Add dotted lines below the text of a stage, unless exact values stand there."""
        if not panel.stage.operation.has_working_space or panel.exact_grid is not None:
            return
        top = text_area.bottom + 1.0 if text_area.overlaps(area_before) else area_before.y
        free = Box(area_before.x, top, area_before.w - 2 * TEXT_GAP, area_before.bottom - top)
        line = WORKING_LINE_SPACING * self.setting.type_scale
        if free.h >= line and free.w >= MIN_TEXT_WIDTH:
            self.items.append(LinesBox(box=free, spacing=line))
