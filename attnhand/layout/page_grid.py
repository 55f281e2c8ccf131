"""The grid that every page is composed on: three places of 56 mm side by side, and a few heights of rows.

A place holds words, matrices that are given or copied, or matrices to fill; what is worked stands in the last one
where tokens are columns. All distances are in millimetres.
"""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.layout.typography import PAPER_SIZES, ParagraphStyle, Typography
from attnhand.sheet.options import PageOptions, Paper

PLACE_COUNT, PLACE_WIDTH, GUTTER = 3, 56.0, 6.0
"""Places side by side, how wide each is, and what is between two of them."""

TYPE_WIDTH = PLACE_COUNT * PLACE_WIDTH + (PLACE_COUNT - 1) * GUTTER
"""From margin to margin, on every paper."""

UNIT = 2.1
"""Half a line of text: distances down the page are multiples of its half."""

MARK_WIDTH = 11.0
"""What marks take at the right edge of the last place."""

ANSWER_PITCH, GIVEN_PITCH = 11.15, 8.0
"""How wide the cells of a matrix to fill, and of a given one, are where nothing is in their way."""

LEAST_GIVEN_PITCH, LEAST_WHOLE_PITCH, LEAST_FRACTION_PITCH = 6.2, 7.0, 9.2
"""How narrow cells become at most: of given numbers, of whole numbers to fill, of fractions."""

HEAD_TOP, FOOT_MARGIN, FOOT_GAP = 10.5, 10.5, 2.1
"""Above the head of a page; below its last line; and above that line."""

RULE_GAP = UNIT
"""Below the rule above a stage."""

STAGE_GAP, TIED_GAP = 1.5 * UNIT, 1.5 * UNIT
"""Above the rule of the next stage, and above a stage that has none."""

WORDS_GAP = 2.0
"""Between words and the matrices below them, at least."""

LINE_SPACING = 4 * UNIT
"""From one pencil line to the next."""

MIN_PENCIL_ROOM = 3 * LINE_SPACING
"""Less room than this is left white."""


class Arrangement(StrEnum):
    """How stages stand on the grid."""

    PLAIN = "plain"
    """What is worked stands in the last place; the weights beside their powers."""

    PAIRED = "paired"
    """Scaled scores stand beside the powers, or above them; words stand where a strip is lowest."""

    WIDE = "wide"
    """Words stand above, matrices over the whole width."""

    APART = "apart"
    """The same, and what is worked has a strip of its own."""


@dataclass(frozen=True, slots=True)
class RowHeights:
    """How high rows of cells are, in millimetres."""

    whole: float
    with_exact: float
    """Of a number with the exact value below it."""

    fraction: float
    """Of a fraction, with the exact value below it."""

    given: float
    """Of a given matrix above its product."""

    copied: float
    """Of whole numbers that are copied."""


REGULAR_HEIGHTS = (
    RowHeights(8.4, 10.5, 12.6, 6.3, 8.4),
    RowHeights(7.35, 9.45, 11.55, 6.3, 7.35),
    RowHeights(7.35, 8.4, 10.5, 5.25, 6.3),
)
"""From the roomiest to the tightest."""

LARGE_HEIGHTS = (RowHeights(11.55, 16.8, 22.05, 8.4, 11.55), RowHeights(10.5, 15.75, 19.95, 7.35, 10.5))

LARGE_CELLS, LARGE_SMALL = 1.43, 1.75
"""How much larger cells of large print are than those of a regular sheet, and its smallest type."""


REGULAR_TYPE = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (20, 12, 12, 10, 10, 8, 8, 8, 12, 20), strict=True)),
    label_points=8,
    small_label_points=8,
    cell_points=12,
    leading=UNIT * 2 / (10 * 25.4 / 72),
    paragraph_gap=UNIT / 2,
)
"""Four sizes: 8, 10, 12 and 20 points; text of 10 points on 4.2 mm."""

LARGE_TYPE = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (26, 20, 20, 18, 18, 14, 14, 14, 20, 26), strict=True)),
    label_points=18,
    small_label_points=18,
    cell_points=20,
    leading=1.2,
    paragraph_gap=UNIT / 2,
)


class TooLargeError(Exception):
    """Something does not fit the grid; the reason in a few words."""


@dataclass(frozen=True, slots=True)
class PageGrid:
    """The grid of one sheet's pages."""

    width: float
    """Of the paper as it is read."""

    height: float
    typography: Typography
    is_rows: bool
    """Whether tokens are rows."""

    is_large: bool
    """Whether it is large print: words over the whole width, one product below the other."""

    heights: RowHeights
    tightness: int
    """How many steps its rows are tighter than the roomiest."""

    arrangement: Arrangement

    @property
    def has_words_above(self) -> bool:
        """Say whether words stand above the matrices, and not beside them."""
        return self.arrangement in (Arrangement.WIDE, Arrangement.APART)

    @property
    def left(self) -> float:
        """Where its places begin."""
        return (self.width - self.text_width) / 2

    @property
    def text_width(self) -> float:
        """From margin to margin: wider on a page that lies on its side."""
        return TYPE_WIDTH if self.width < self.height else self.width - 30.0

    @property
    def right(self) -> float:
        """Where its last place ends."""
        return self.left + self.text_width

    @property
    def side_margin(self) -> float:
        """At the left and right edge."""
        return self.left

    @property
    def type_scale(self) -> float:
        """The same as its scale."""
        return self.scale

    def find_place(self, place: int) -> float:
        """Return where a place begins."""
        return self.left + place * (PLACE_WIDTH + GUTTER)

    @property
    def body_bottom(self) -> float:
        """Where what is worked ends and the foot begins."""
        return self.height - FOOT_MARGIN - self.typography.find_line_height(ParagraphStyle.PALE) - FOOT_GAP

    @property
    def scale(self) -> float:
        """How much larger its words are than those of a regular sheet."""
        body = ParagraphStyle.BODY
        return self.typography.paragraph_points[body] / REGULAR_TYPE.paragraph_points[body]

    @property
    def cell_scale(self) -> float:
        """How much larger its cells are than those of a regular sheet."""
        return LARGE_CELLS if self.is_large else 1.0

    @property
    def small_scale(self) -> float:
        """How much larger its smallest type is than that of a regular sheet."""
        return LARGE_SMALL if self.is_large else 1.0

    @property
    def label_scale(self) -> float:
        """How much larger its labels are than those of a regular sheet."""
        return self.typography.label_points / REGULAR_TYPE.label_points

    @property
    def label_height(self) -> float:
        """How high a row of labels is."""
        return 5.8 if not self.is_large else 8.4

    @property
    def label_width(self) -> float:
        """How wide a column of labels is: the gutter between two places."""
        return GUTTER if not self.is_large else 12.0

    @property
    def words_width(self) -> float:
        """How wide words are set: as a place, in large print as the page."""
        return self.text_width if self.is_large else PLACE_WIDTH


def list_page_grids(options: PageOptions, *, is_rows: bool) -> list[PageGrid]:
    """Return the grids to try for a sheet: the roomiest first, landscape last."""
    width, height = PAPER_SIZES[Paper(options.paper)]
    is_large = options.large_print
    upright = (Arrangement.WIDE, Arrangement.APART) if is_large else tuple(Arrangement)
    return [
        PageGrid(
            width=height if is_landscape else width,
            height=width if is_landscape else height,
            typography=LARGE_TYPE if is_large else REGULAR_TYPE,
            is_rows=is_rows,
            is_large=is_large,
            heights=heights,
            tightness=step,
            arrangement=arrangement,
        )
        for is_landscape in (False, True)
        for arrangement in (upright if not is_landscape else (Arrangement.WIDE, Arrangement.APART))
        for step, heights in enumerate(LARGE_HEIGHTS if is_large else REGULAR_HEIGHTS)
    ]
