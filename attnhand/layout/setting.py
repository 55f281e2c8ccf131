"""One choice of paper, cell size and orientation; *along* and *across* become x and y."""

from dataclasses import dataclass, replace
from functools import partial

from attnhand.attention.convention import Convention
from attnhand.layout.number_fit import CELL_INSET_WIDTH, MIN_PERCENT, measure_number_width
from attnhand.layout.page import MAX_CORNER_LETTERS, Box, GridBox, Paragraph, make_grid_box, measure_text_height
from attnhand.layout.panel_text import (
    make_formula,
    make_heading,
    make_instructions,
    make_instructions_with_mark,
    make_purpose,
)
from attnhand.layout.typography import (
    LARGE_CELL_SIZES,
    LARGE_TYPOGRAPHY,
    MIN_SPACE_AFTER_COLUMN,
    MIN_SPACE_BEFORE_COLUMN,
    PAPER_SIZES,
    REGULAR_CELL_SIZES,
    REGULAR_TYPOGRAPHY,
    SIDE_MARGIN,
    TOP_MARGIN,
    CellSizes,
    ParagraphStyle,
    Typography,
)
from attnhand.sheet.grids import Grid, GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import SlotKind
from attnhand.text.widths import make_plain_text, measure_width, parse_markup, to_unicode

BAND_GAP = 2.0
"""Between bands that do not belong together."""

GUTTER = 6.0
"""Between two strips of a page, in millimetres."""

LARGE_NAME_OVERHANG = 10.0
"""What the name of a stage in large type needs beyond its corner."""

MIN_FACTORS_LENGTH = {False: 28.0, True: 36.0}
"""Room along the query column for the words beside the factors of V: columns, rows."""

MIN_BAND_LENGTH = {False: (12.0, 34.0), True: (24.0, 30.0)}
"""Room along the query column for the words beside a product, without and with a heading: columns, rows."""

MIN_TEXT_WIDTH_AFTER_COLUMN = 48.0
"""Millimetres kept for text right of the query column; more where exact values stand there."""

MAX_TEXT_ABOVE_COLUMN = 46.0
"""Words above a stage are no higher, where tokens are rows and no factors stand beside them."""

MAX_WIDENING_STEPS = 15
"""Room for words is widened by two millimetres as often, not more."""

OUTPUT_TEXT_EXTRA_LENGTH = 10.0
"""What the text beside Z, with its heading, needs more than that beside S."""

EXACT_CAPTION_HEIGHT = 4.0
EXACT_HEADER_HEIGHT = 6.5
"""Above exact values: their caption alone, or with labels under it."""


LABEL_ROOM = 3.0
"""What a label column of 6 mm holds of a word on a row."""


class TooLargeError(Exception):
    """This attempt does not fit; the reason in a few words."""


@dataclass(frozen=True, slots=True)
class ClosingPlace:
    """Where the questions of a sheet stand."""

    is_on_last_page: bool
    """Whether they are below the last panels; else on a page of their own."""

    top: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Paper and sizes of one attempt."""

    width: float
    height: float
    cell_sizes: CellSizes
    typography: Typography
    convention: Convention
    has_one_product_per_page: bool = False

    has_two_heads_per_page: bool = False
    """Whether two heads share a page, each with half of it across."""

    strip_index: int = 0
    """Which strip of the page, from 0."""

    strip_count: int = 1
    """Into how many strips the page is divided across the query column."""

    last_page_extra_gap: float | None = None
    """What is added between the blocks of the last page, as the key has room for it; None where that is not known."""

    closing: ClosingPlace | None = None
    """Where what closes the sheet stands, as the key has room for it; None where that is not known."""

    label_overhang: float = 0.0
    """What row labels with words need beyond their label column, in millimetres."""

    feature_overhang: float = 0.0
    """What row labels with the names of features need beyond their label column."""

    def measure_feature_overhang(self, grid: Grid | None) -> float:
        """Return what the names of features on a given grid's rows need beyond its label column."""
        return self.feature_overhang if grid and grid.style is GridStyle.GIVEN and has_feature_rows(grid) else 0.0

    @property
    def is_rows(self) -> bool:
        """Whether tokens are rows, so that a query travels across the page instead of down."""
        return self.convention.is_rows

    @property
    def has_narrow_text(self) -> bool:
        """Whether a mark box beside words would leave them no room."""
        return self.is_rows or self.has_one_product_per_page

    @property
    def body_bottom(self) -> float:
        """Where a page's panels end and its foot begins."""
        return self.height - TOP_MARGIN - self.typography.find_line_height(ParagraphStyle.PALE) - 1.5

    @property
    def type_scale(self) -> float:
        """How much larger the type is than that of a regular sheet; room for words grows with it."""
        body = ParagraphStyle.BODY
        return self.typography.paragraph_points[body] / REGULAR_TYPOGRAPHY.paragraph_points[body]

    def find_cell_size(
        self, *, has_fractions: bool, is_query_factor: bool = False, is_side_factor: bool = False
    ) -> tuple[float, float]:
        """Return width and height of a cell in the query column, or of a factor."""
        w, h = self.cell_sizes.fraction if has_fractions else self.cell_sizes.whole
        inner_w, inner_h = self.cell_sizes.inner
        if is_query_factor:
            return (inner_w, h) if self.is_rows else (w, inner_h)
        if is_side_factor:
            return (w, inner_h) if self.is_rows else (inner_w, h)
        return w, h

    def measure_along(self, grid: Grid, cell_size: tuple[float, float]) -> float:
        """Return how long a grid is along the query column, its labels included."""
        width, height = self._measure_grid(grid, cell_size)
        return width if self.is_rows else height

    def measure_across(self, grid: Grid, cell_size: tuple[float, float]) -> float:
        """Return how wide a grid is across the query column, its labels included."""
        width, height = self._measure_grid(grid, cell_size)
        return height if self.is_rows else width

    def _measure_grid(self, grid: Grid, cell_size: tuple[float, float]) -> tuple[float, float]:
        header_w, header_h = self.cell_sizes.header
        return header_w + grid.column_count * cell_size[0], header_h + grid.row_count * cell_size[1]

    def make_box(self, along_span: tuple[float, float], across_span: tuple[float, float]) -> Box:
        """Turn two spans into a box on the page."""
        (a0, a1), (c0, c1) = along_span, across_span
        return Box(a0, c0, a1 - a0, c1 - c0) if self.is_rows else Box(c0, a0, c1 - c0, a1 - a0)

    def place_grid(
        self, grid: Grid, along: float, across: float, cell_size: tuple[float, float], *, has_wide_labels: bool = False
    ) -> GridBox:
        """Place a grid with the corner of its labels at a point; wide labels run on to the left."""
        self.check_numbers_fit(grid, cell_size[0])
        corner = (along, across) if self.is_rows else (across, along)
        return make_grid_box(grid, corner, cell_size, self.cell_sizes.header, has_wide_labels=has_wide_labels)

    def place_exact_on_lines(
        self, grid: Grid, along: float, across: float, product_cell_size: tuple[float, float]
    ) -> GridBox:
        """Place exact values on the lines of their product, whose cells have a size."""
        header_w, header_h = self.cell_sizes.header
        if self.is_rows:
            cell_size = (self.cell_sizes.exact[0], product_cell_size[1])
            return make_grid_box(grid, (along, across), cell_size, (0.0, header_h))
        cell_size = (product_cell_size[0], self.cell_sizes.exact[1])
        return make_grid_box(grid, (across, along), cell_size, (header_w, EXACT_HEADER_HEIGHT))

    def check_numbers_fit(self, grid: Grid, cell_w: float) -> None:
        """Refuse cells too narrow for a number that goes into them."""
        for number in (cell.number for row in grid.cells for cell in row if cell.number):
            width = measure_number_width(number, self.typography.cell_points) * MIN_PERCENT / 100
            if width > cell_w - CELL_INSET_WIDTH:
                raise TooLargeError(f"{number} is too long for a cell of {cell_w:g} mm")

    def find_spans(self, header_bottom: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where panels may stand: (along from, to), (across from, to)."""
        down, sideways = (header_bottom, self.body_bottom), (SIDE_MARGIN, self.width - SIDE_MARGIN)
        along, (begin, end) = (sideways, down) if self.is_rows else (down, sideways)
        width = (end - begin - GUTTER * (self.strip_count - 1)) / self.strip_count
        begin += self.strip_index * (width + GUTTER)
        return along, (begin, begin + width)


def list_cell_sizes(sheet: Sheet) -> tuple[CellSizes, ...]:
    """Return the cell sizes to try, the most comfortable first."""
    return LARGE_CELL_SIZES if sheet.options.large_print else REGULAR_CELL_SIZES


def make_setting(
    sheet: Sheet, cell_sizes: CellSizes, *, is_landscape: bool = False, has_two_heads_per_page: bool = False
) -> Setting:
    """Return the setting of a sheet's paper and type."""
    width, height = PAPER_SIZES[sheet.options.paper]
    large = sheet.options.large_print
    return Setting(
        width=height if is_landscape else width,
        height=width if is_landscape else height,
        cell_sizes=cell_sizes,
        convention=sheet.convention,
        typography=LARGE_TYPOGRAPHY if large else REGULAR_TYPOGRAPHY,
        has_one_product_per_page=large,
        has_two_heads_per_page=has_two_heads_per_page,
        label_overhang=_measure_label_overhang(sheet),
        feature_overhang=_measure_feature_overhang(sheet),
    )


def has_feature_rows(grid: Grid) -> bool:
    """Say whether names of features, which have no letter, stand on its rows."""
    return bool(grid.rows[0].word) and to_unicode(grid.rows[0].letter).isdigit()


def _measure_feature_overhang(sheet: Sheet) -> float:
    """Return what the longest name of a feature needs beyond a label column."""
    story = sheet.problem.story
    if story is None or sheet.options.large_print or sheet.convention.is_rows:
        return 0.0
    points = REGULAR_TYPOGRAPHY.label_points
    return max(measure_width(make_plain_text(name), points) - LABEL_ROOM for name in story.feature_names)


def _measure_label_overhang(sheet: Sheet) -> float:
    """Return what the longest word label, or the longest role under it, needs beyond a label column."""
    if sheet.options.large_print:
        return 0.0
    memory = sheet.problem.story.memory_words if sheet.problem.story else ()
    labels = [make_plain_text(word) for word in (*sheet.problem.words, *memory)]
    roles = [parse_markup(f"k_{{12}} {sheet.say(role)}") for role in ("asks", "answers")] if labels else []
    points = REGULAR_TYPOGRAPHY.label_points
    return max((measure_width(text, points) - LABEL_ROOM for text in [*labels, *roles]), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One panel on a page: where it begins and ends along the query column."""

    panel: Panel
    start: float
    """Where the product's labels begin, from the beginning of the query column."""

    end: float
    factors_length: float
    """Room before the product, along the query column, that its factors take."""

    is_query_factor_drawn: bool


def arrange_bands(setting: Setting, panels: list[Panel]) -> tuple[Band, ...]:
    """Arrange panels one after the other along the query column of a page.

    Example, tokens as columns, 4 tokens and features, cells of 11 × 8 mm and labels of 6 mm: S continues Q, so X is
    drawn but Q is not drawn again::

        X       0 to 38   6 + 4 × 8: the factors' length of the first band
        Q      38 to 68   6 + 3 × 8
        S      68 to 106  6 + 4 × 8, no gap
    """
    fraction = any(panel.has_fractions for panel in panels)
    over_cell = setting.find_cell_size(has_fractions=fraction, is_query_factor=True)
    cell = setting.find_cell_size(has_fractions=fraction)
    min_lead = MIN_FACTORS_LENGTH[setting.is_rows] * setting.type_scale
    factors = max(map(partial(_measure_factors_across, setting), panels), default=0.0)
    room_above = factors or MAX_TEXT_ABOVE_COLUMN
    _, (begin, end) = setting.find_spans(0.0)
    column = max((setting.measure_across(panel.grid, cell) for panel in panels), default=0.0)
    width_after = min(MIN_TEXT_WIDTH_AFTER_COLUMN, end - begin - factors - column)
    arranged: list[Band] = []
    names: set[str] = set()
    at = 0.0
    for panel in panels:
        draws_factor = panel.query_factor is not None and panel.query_factor_name not in names
        lead = setting.measure_along(panel.query_factor, over_cell) if draws_factor and panel.query_factor else 0.0
        if draws_factor and panel.heading and not setting.has_one_product_per_page:
            lead = max(lead, min_lead)
        if panel.side_panel and panel.side_panel.query_factor:
            lead = max(lead, setting.measure_along(panel.side_panel.query_factor, over_cell), min_lead)
        if setting.is_rows and lead and not setting.has_one_product_per_page:
            lead = _widen_for_factor_text(setting, panel, lead)
        if setting.is_rows and not arranged:
            has_large_name = setting.has_one_product_per_page and not draws_factor
            lead += setting.label_overhang + LARGE_NAME_OVERHANG * has_large_name
        tied = bool(arranged) and panel.query_factor_name == arranged[-1].panel.stage.name
        gap = 0.0 if tied or not arranged else BAND_GAP
        if setting.is_rows and arranged and setting.label_overhang > 0:
            # a long name runs on to the left, above which text stands
            gap += BAND_GAP * (len(to_unicode(panel.grid.name)) > MAX_CORNER_LETTERS)
        start = at + lead + gap
        room = room_above if setting.is_rows else width_after
        min_length = _find_min_length(setting, panel, draws_factor, room)
        at = start + max(setting.measure_along(panel.grid, cell), min_length)
        arranged.append(Band(panel=panel, start=start, end=at, factors_length=lead, is_query_factor_drawn=draws_factor))
        names |= {panel.stage.name, panel.query_factor_name}
    return tuple(arranged)


def space_out_bands(
    setting: Setting, bands: tuple[Band, ...], available_length: float, max_extra_gap: float
) -> tuple[Band, ...]:
    """Move bands that do not belong together further apart, as far as the page has room to spare."""
    last = bands[-1].panel if bands else None
    if last is None or setting.strip_count > 1 or setting.has_one_product_per_page:
        return bands
    spare = available_length - bands[-1].end
    if last.side_factor is not None and last.has_exact_on_key:
        spare -= measure_exact_length(setting, last.grid)
    is_movable = [
        bool(band.panel.side_panel)
        or (band.panel.query_factor_name != bands[at - 1].panel.stage.name if at else not setting.is_rows)
        for at, band in enumerate(bands)
    ]
    extra_gap = min(max_extra_gap, max(0.0, spare // max(sum(is_movable), 1)))
    shifts = [extra_gap * sum(is_movable[: at + 1]) for at in range(len(bands))]
    return tuple(
        replace(band, start=band.start + shift, end=band.end + shift) for band, shift in zip(bands, shifts, strict=True)
    )


def measure_exact_length(setting: Setting, grid: Grid) -> float:
    """Return how long a product's exact values are along the query column."""
    if setting.is_rows:
        return 3.0 + grid.column_count * setting.cell_sizes.exact[0]
    return EXACT_HEADER_HEIGHT + grid.row_count * setting.cell_sizes.exact[1]


def _measure_factors_across(setting: Setting, panel: Panel) -> float:
    """Return how long the side factors of a product are together, across the query column."""
    cell = setting.find_cell_size(has_fractions=False, is_side_factor=True)
    factors = (panel.side_factor, panel.side_panel and panel.side_panel.side_factor)
    return sum(setting.measure_across(factor, cell) for factor in factors if factor)


def _widen_for_factor_text(setting: Setting, panel: Panel, lead: float) -> float:
    """Return how long the room left of a product is, so that its words are no higher than the factor beside them."""
    text, inner = [*make_heading(panel), *make_instructions(panel)], panel.side_panel
    if inner:
        text = [*make_heading(panel), *make_instructions_with_mark(inner, is_narrow=setting.has_narrow_text)]
    cell = setting.find_cell_size(has_fractions=False, is_side_factor=True)
    factor = inner.side_factor if inner else panel.side_factor
    height = setting.measure_across(factor, cell) if factor else 0.0
    return _widen_for_text(setting, inner or panel, text, lead, height)


def _widen_for_text(setting: Setting, panel: Panel, text: list[Paragraph], width: float, height: float) -> float:
    """Return the width from which a text is no higher than that; what it is where that asks too much."""
    widths = (width + 2.0 * step for step in range(MAX_WIDENING_STEPS))
    return next((each for each in widths if measure_panel_text(setting, panel, text, each) <= height), width)


def _find_min_length(setting: Setting, panel: Panel, is_query_factor_drawn: bool, room: float) -> float:
    """Return the room along the query column that the text beside a stage needs.

    Args:
        room: across the query column, for the text: right of a product, in the rows convention above a stage.
    """
    if panel.side_panel:
        return 0.0
    if panel.side_factor is not None:
        has_heading = bool(panel.heading) and not is_query_factor_drawn
        extra = OUTPUT_TEXT_EXTRA_LENGTH * (has_heading and panel.has_fractions)
        length = (MIN_BAND_LENGTH[setting.is_rows][has_heading] + extra) * setting.type_scale
        if setting.is_rows or setting.has_one_product_per_page:
            return length
        width = max(room, MIN_SPACE_AFTER_COLUMN[False])
        # where there is room, remarks may go elsewhere; where there is little, the mark box has a line of its own
        is_narrow = width < MIN_TEXT_WIDTH_AFTER_COLUMN
        if is_narrow:
            return max(length, measure_panel_text(setting, panel, make_formula(panel, is_narrow=True), width))
        formula = [Paragraph(panel.formula), *make_purpose(panel)]
        return max(length, measure_text_height(formula, setting.typography, width - 3.0) + 2.0)
    text = [*make_heading(panel), *make_instructions_with_mark(panel, is_narrow=setting.has_narrow_text)]
    scale = setting.type_scale
    if not setting.is_rows:
        return measure_panel_text(setting, panel, text, MIN_SPACE_BEFORE_COLUMN[False] * scale)
    # as wide as it takes for the text to be no higher than the factors beside it
    return _widen_for_text(setting, panel, text, (32.0 if panel.heading else 18.0) * scale, room * scale)


def measure_panel_text(setting: Setting, panel: Panel, text: list[Paragraph], width: float) -> float:
    """Return how high some of a panel's words are in so many millimetres, on the key and so on the blank too."""
    same = [paragraph for paragraph in text if not (paragraph.slot and paragraph.slot.kind is SlotKind.SUMS)]
    sums = setting.typography.find_line_height(ParagraphStyle.SMALL) + setting.typography.paragraph_gap
    return measure_text_height(same, setting.typography, width - 3.0) + 2.0 + sums * panel.has_sums_on_key
