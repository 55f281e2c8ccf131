"""Place the panels of one page: words, grids, mark boxes, exact values."""

from dataclasses import replace
from itertools import zip_longest

from attnhand.layout.bands import (
    Band,
    BandArranger,
    Words,
    WordsMeasurer,
    measure_exact_corner,
    measure_exact_length,
    space_out_bands,
)
from attnhand.layout.page import (
    Box,
    GridBox,
    Item,
    TextBox,
    WorkingSpaceBox,
    make_corner_caption,
    make_grid_box,
    make_heading_rule,
    make_text_box,
    measure_text_height,
)
from attnhand.layout.panel_text import make_exact_caption, make_mark_boxes
from attnhand.layout.setting import EXACT_HEADER_HEIGHT, Setting, has_feature_rows
from attnhand.layout.typography import MIN_TEXT_WIDTH, TEXT_GAP, UNIT, WORKING_LINE_SPACING, ParagraphStyle
from attnhand.sheet.grids import CellKind
from attnhand.sheet.panels import Panel
from attnhand.text.widths import measure_width

MAX_WORDS_RAISE = 22.0
"""How far words of a head are raised to begin on the line of text of those beside them, in millimetres."""


class PanelPlacer:
    """Places the panels of one page, or of one strip of it."""

    def __init__(
        self,
        setting: Setting,
        panels: list[Panel],
        words: WordsMeasurer,
        header_bottom: float,
        *,
        max_extra_gap: float = 0.0,
    ) -> None:
        self.setting = setting
        self.arranger = arranger = BandArranger(setting, panels, words, header_bottom)
        self.along_span, self.across_span = setting.find_spans(header_bottom)
        length = self.along_span[1] - self.along_span[0]
        bands = arranger.arrange() if panels else ()
        self.bands = space_out_bands(setting, bands, length, max_extra_gap)
        self.items: list[Item] = []
        self.copy_count = 0
        self.unplaced_exact: list[Panel] = []
        """Panels whose exact values found no room on this page."""

        self.column_start = self.across_span[0] + (arranger.before if panels else 0.0)
        self.column_end = self.column_start + arranger.column_width

    def place_panels(self) -> list[Item]:
        """Return the page's boxes in reading order: words, left factor, top factor, product, mark box."""
        for band in self.bands:
            self._place_panel(band)
        return self.items

    def _place_panel(self, band: Band) -> None:
        """Add the boxes of a panel; its exact values last, which take what the others leave free."""
        panel, start, end = band.panel, self.along_span[0] + band.start, self.along_span[0] + band.end
        self._place_heading_rule(band, start)
        words_box = self._place_words(band, start)
        self._add_working_space(band, start, end, words_box)
        self._place_grids(band, start)
        self._place_mark_boxes(band, start, end)
        if panel.has_exact_on_key and panel.side_factor:
            self._add_exact_values(panel, self._find_product_exact_place(band, start, end))
        elif panel.has_exact_on_key:
            self._add_exact_values(panel, self._find_exact_place(panel, start, words_box))

    def _place_heading_rule(self, band: Band, start: float) -> None:
        """Place a rule across the page above a heading."""
        if not self.setting.has_heading_rules or not band.panel.heading:
            return
        begin, end = self.across_span
        self.items.append(make_heading_rule(begin, start - band.lead, end + self.setting.mark_room - begin))

    def _place_words(self, band: Band, start: float) -> Box:
        """Place the words of a panel; where they end in the same place on the blank and on the key."""
        words = band.words
        if self._has_words_at_top:
            words = replace(words, across=self.column_start - self.across_span[0])
        elif self._has_words_on_one_line:
            highest, own = max(map(self._find_words_top, self.bands)), self._find_words_top(band)
            words = replace(words, across=highest if highest - own <= MAX_WORDS_RAISE else own)
        box = self._place_text(words, start)
        return self._place_text(band.words.continued, start) if band.words.continued else box

    @property
    def _has_words_at_top(self) -> bool:
        """Say whether all words of the page begin on one line, where tokens are rows."""
        setting = self.setting
        return setting.is_rows and setting.strip_count == 1 and not setting.has_one_product_per_page

    @property
    def _has_words_on_one_line(self) -> bool:
        """Say whether words of a head begin on one line, where there are two heads on the page and tokens are rows."""
        return self.setting.is_rows and self.setting.strip_count > 1 and not self.setting.has_one_product_per_page

    def _find_words_top(self, band: Band) -> float:
        """Return how far above its grid the words of a head begin, with its exact values between them and the grid."""
        is_in_words = band.panel.stage.facts.has_working_space
        return band.words.across + (0.0 if is_in_words else self.arranger.measure_exact_before(band.panel))

    def _place_text(self, words: Words, start: float) -> Box:
        rows = self.setting.is_rows
        x, y = self.column_start - words.across, start - words.along
        x, y = (y, x) if rows else (x, y)
        if words.paragraphs:
            height = measure_text_height(words.paragraphs, self.setting.typography, words.width)
            self.items.append(TextBox(box=Box(x, y, words.width, height), paragraphs=words.paragraphs))
        return Box(x, y, words.width, words.height)

    def _place_grids(self, band: Band, start: float) -> None:
        """Place left factor, top factor and product; first the factors of the side factor, where it is made here."""
        panel, sizes, place, rows = band.panel, self.arranger, self.setting.place_grid, self.setting.is_rows
        side_extent = self.setting.measure_across(panel.side_factor, sizes.side_cell_size) if panel.side_factor else 0.0
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
        product = place(panel.grid, start, self.column_start, sizes.cell_size, has_wide_labels=wide)
        self.items.append(product)
        if inner and inner.sums_grid:
            self.items.append(self.setting.place_sums_row(inner.sums_grid, side_boxes[-1]))
        if panel.sums_grid:
            self.items.append(self.setting.place_sums_row(panel.sums_grid, product))

    def _place_mark_boxes(self, band: Band, start: float, end: float) -> None:
        """Place mark boxes at the outer edge: beside the first row of cells, in rows or large print below them."""
        setting, (header_w, header_h) = self.setting, self.setting.cell_sizes.header
        boxes = make_mark_boxes(band.panel)
        points = setting.typography.paragraph_points[ParagraphStyle.SMALL]
        width = max([setting.mark_size[0], *(measure_width(mark.text, points) * 1.01 for mark in boxes)])
        x, y = self.across_span[1] + UNIT, start + header_h
        if setting.is_rows:
            x, y = start + header_w - (len(boxes) - 1) * (width + UNIT), self.column_end + UNIT
        elif setting.has_one_product_per_page:
            x, y = self.column_start + header_w, end - setting.mark_size[1] + UNIT / 2
        elif boxes:  # beside a product of one row two boxes begin above it
            heights = [measure_text_height([each], setting.typography, width) + UNIT / 2 for each in boxes]
            y = min(y, end - sum(heights) + UNIT / 2)
        for mark in boxes:
            box = make_text_box([mark], setting.typography, x, y, width)
            self.items.append(box)
            x, y = (x + width + UNIT, y) if setting.is_rows else (x, box.box.bottom + UNIT / 2)

    # exact values

    def _find_exact_place(self, panel: Panel, start: float, words: Box) -> GridBox | None:
        """Return the exact values of a stage without factors, before the query column; None where they find no room."""
        size = self.arranger.find_exact_cell_size(panel)
        if not size:
            self.unplaced_exact.append(panel)
            return None
        grid, (header_w, header_h) = panel.exact_grid or panel.grid, self.setting.cell_sizes.header
        cell_w, cell_h = self.arranger.cell_size
        extent = self.arranger.measure_exact_before(panel)
        if self.setting.is_rows:
            is_on_line = self._has_words_at_top or self._has_words_on_one_line
            is_below_words = panel.stage.facts.has_working_space or is_on_line
            y = self.column_start - extent if is_below_words else words.y - extent
            return make_grid_box(grid, (start, y), (cell_w, size), (header_w, EXACT_HEADER_HEIGHT))
        x = self.column_start - self.arranger.measure_labels_before(panel) - extent
        x += measure_exact_corner(self.setting, panel)
        return make_grid_box(grid, (x, start), (size, cell_h), (0.0, header_h))

    def _add_exact_values(self, panel: Panel, exact_box: GridBox | None) -> None:
        if panel.exact_grid is not None and exact_box is not None:
            caption = make_exact_caption(panel, is_rows=self.setting.is_rows)
            self.items += [make_corner_caption(caption, exact_box, self.setting.typography), exact_box]

    def _find_product_exact_place(self, band: Band, start: float, end: float) -> GridBox | None:
        """Return a product's exact values in its rows or columns; None where they find no room.

        They stand in the gap before it, or below it on a page's end.
        """
        setting, grid = self.setting, band.panel.exact_grid or band.panel.grid
        column_start, cell_size = self.column_start, self.arranger.cell_size
        length = measure_exact_length(setting, band.panel)
        corner = measure_exact_corner(setting, band.panel) if setting.is_rows else 0.0
        max_width = setting.cell_sizes.exact[0] if setting.is_rows else cell_size[0]
        if self.arranger.measure_exact_cell_width(band.panel) <= max_width and not setting.has_one_product_per_page:
            if not band.is_query_factor_drawn and band.lead:
                box = setting.align_exact_with_product(grid, start - length + corner, column_start, cell_size)
                gap = setting.make_box((start - band.lead, start), (column_start, self.column_end))
                text_boxes = [item.box for item in self.items if isinstance(item, TextBox)]
                with_corner = box.box._replace(x=box.box.x - corner, w=box.box.w + corner)
                if gap.contains(with_corner) and not any(map(with_corner.overlaps, text_boxes)):
                    return box
            if band is self.bands[-1] and end + length <= self.along_span[1]:
                place = end + corner + UNIT * setting.is_rows
                return setting.align_exact_with_product(grid, place, column_start, cell_size)
        self.unplaced_exact.append(band.panel)
        return None

    def _add_working_space(self, band: Band, start: float, end: float, words: Box) -> None:
        """Add dotted lines between the words of a stage and its grids, where one calculates; a key has none."""
        panel = band.panel
        is_answered = any(cell.kind is CellKind.ANSWER for row in panel.grid.cells for cell in row)
        if not panel.stage.facts.has_working_space or is_answered or panel.exact_grid is not None:
            return
        top = words.bottom + UNIT
        if self.setting.is_rows:
            side = self.arranger.measure_factors_before(panel)
            free = Box(start, top, words.w, self.column_start - side - UNIT - top)
        else:
            right = self.column_start - self.arranger.measure_space_before(panel) - TEXT_GAP
            free = Box(words.x, top, right - words.x, end - top)
        spacing = WORKING_LINE_SPACING * self.setting.type_scale
        if free.h >= spacing and free.w >= MIN_TEXT_WIDTH:
            self.items.append(WorkingSpaceBox(box=free, spacing=spacing))
