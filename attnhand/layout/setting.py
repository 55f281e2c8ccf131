"""One choice of paper, cell size and orientation; *along* and *across* become x and y."""

from dataclasses import dataclass

from attnhand.attention.convention import Convention
from attnhand.layout.number_fit import CELL_INSET_WIDTH, MIN_PERCENT, measure_number_width
from attnhand.layout.page import Box, GridBox, make_grid_box
from attnhand.layout.typography import (
    FOOT_GAP,
    FOOT_MARGIN,
    LARGE_CELL_SIZES,
    LARGE_TYPOGRAPHY,
    PAPER_SIZES,
    REGULAR_CELL_SIZES,
    REGULAR_TYPOGRAPHY,
    ROWS_CELL_SIZES,
    SIDE_MARGIN,
    UNIT,
    CellSizes,
    ParagraphStyle,
    Typography,
)
from attnhand.sheet.grids import Grid, GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.sentences import format_mark_box
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import MM_PER_POINT, make_plain_text, measure_width, parse_markup, to_unicode

GUTTER = 6.0
"""Between two strips of a page, in millimetres."""

EXACT_HEADER_HEIGHT = 6.5
"""Above exact values in the rows or columns of their stage: labels, and the caption in their corner."""


SUMS_ROW_HEIGHT, SUMS_ROW_ROOM = 2.85, 0.4
"""Of check sums right below a product: how high, a line of small type, and how much lower that puts what is below."""

SUMS_ROW_ROOM_ABOVE_FOOT = 1.3
"""How much more they need as the last on a page."""

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
    line_counts: tuple[int, ...] = ()
    """How many lines each marked question takes on the key, which says more behind it."""

    has_last_group: bool = False
    """Whether the last panels have left a page that they fitted on, to stand where the questions about them do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Paper and sizes of one attempt."""

    width: float
    height: float
    cell_sizes: CellSizes
    typography: Typography
    convention: Convention
    side_margin: float = SIDE_MARGIN
    """At the left and right edge."""

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

    mark_size: tuple[float, float] = (0.0, 0.0)
    """Room for a mark box, across and down, at the outer edge of the page; none where nothing is marked."""

    label_overhang: float = 0.0
    """What row labels with words need beyond their label column, in millimetres."""

    feature_overhang: float = 0.0
    """What row labels with the names of features need beyond their label column."""

    def measure_feature_overhang(self, grid: Grid | None) -> float:
        """Return what the names of features on a given grid's rows need beyond its label column."""
        return self.feature_overhang if grid and grid.style is GridStyle.GIVEN and has_feature_rows(grid) else 0.0

    def measure_word_overhang(self, grid: Grid | None, cell_size: tuple[float, float]) -> float:
        """Return what words on two lines over the columns of a grid need above its label row."""
        if not grid or not any(" " in label.word for label in grid.columns):
            return 0.0
        box = make_grid_box(grid, (0.0, 0.0), cell_size, self.cell_sizes.header)
        lines = max(len(box.break_word(column, self.typography)) for column in range(grid.column_count))
        return max(0, lines - 1) * self.typography.small_label_points * MM_PER_POINT

    @property
    def is_rows(self) -> bool:
        """Whether tokens are rows, so that a query travels across the page instead of down."""
        return self.convention.is_rows

    @property
    def has_heading_rules(self) -> bool:
        """Whether a rule stands above every heading: where panels stand one under the other."""
        return not self.is_rows and not self.has_one_product_per_page

    @property
    def text_width(self) -> float:
        """How wide a page is between its margins."""
        return self.width - 2 * self.side_margin

    @property
    def mark_room(self) -> float:
        """What mark boxes take across the query column at the outer edge, with the gap before them."""
        return self.mark_size[self.is_rows] + UNIT * (self.mark_size[0] > 0)

    @property
    def body_bottom(self) -> float:
        """Where a page's panels end and its foot begins."""
        return self.height - FOOT_MARGIN - self.typography.find_line_height(ParagraphStyle.PALE) - FOOT_GAP

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
        is_inner = is_side_factor if self.is_rows else is_query_factor
        return (w, self.cell_sizes.inner_height) if is_inner else (w, h)

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

    def measure_sums_row(self, panel: Panel, *, is_last: bool = False) -> float:
        """Return the room that check sums below a product take, beyond the gap below any grid or above the foot."""
        has_row = any(each and each.has_sums_row_on_key for each in (panel, panel.side_panel))
        return has_row * (SUMS_ROW_ROOM_ABOVE_FOOT if is_last else SUMS_ROW_ROOM)

    def place_sums_row(self, grid: Grid, product: GridBox) -> GridBox:
        """Place check sums below the columns of a product."""
        corner = product.box.x, product.box.bottom
        return make_grid_box(grid, corner, (product.cell_w, SUMS_ROW_HEIGHT), (product.header_w, 0.0))

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

    def align_exact_with_product(
        self, grid: Grid, along: float, across: float, product_cell_size: tuple[float, float]
    ) -> GridBox:
        """Place exact values in the rows or columns of their product, whose cells have a size."""
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
        """Return where panels may stand: (along from, to), (across from, to); mark boxes stand beyond."""
        down, sideways = (header_bottom, self.body_bottom), (self.side_margin, self.width - self.side_margin)
        along, (begin, end) = (sideways, down) if self.is_rows else (down, sideways)
        width = (end - begin - GUTTER * (self.strip_count - 1)) / self.strip_count
        begin += self.strip_index * (width + GUTTER)
        if self.is_rows or not self.has_one_product_per_page:
            width -= self.mark_room
        return along, (begin, begin + width)


def list_cell_sizes(sheet: Sheet) -> tuple[CellSizes, ...]:
    """Return the cell sizes to try, the most comfortable first."""
    if sheet.options.large_print:
        return LARGE_CELL_SIZES
    return ROWS_CELL_SIZES if sheet.convention.is_rows else REGULAR_CELL_SIZES


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
        mark_size=_measure_mark_box(sheet, LARGE_TYPOGRAPHY if large else REGULAR_TYPOGRAPHY),
        label_overhang=_measure_label_overhang(sheet),
        feature_overhang=_measure_feature_overhang(sheet),
    )


def _measure_mark_box(sheet: Sheet, typography: Typography) -> tuple[float, float]:
    """Return the room for mark boxes at the outer edge: beside the query column, or in rows below it."""
    counts = [sheet.blank.count_answer_cells(stage) for stage in sheet.problem.mechanism.stages]
    if not any(counts):
        return 0.0, 0.0
    texts = [parse_markup(format_mark_box(face, max(counts))) for face in (sheet.blank, sheet.key)]
    width = max(measure_width(text, typography.paragraph_points[ParagraphStyle.SMALL]) for text in texts) * 1.01
    return width, typography.find_line_height(ParagraphStyle.SMALL) + UNIT


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
