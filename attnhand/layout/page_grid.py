"""The grid that every page is composed on: three places of 56 mm side by side, and a few heights of rows.

A place holds words, matrices that are given or copied, or matrices to fill; what is worked stands in the last one
where tokens are columns. All distances are in millimetres.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from attnhand.layout.typography import (
    LARGE_TYPOGRAPHY,
    PAPER_SIZES,
    REGULAR_TYPOGRAPHY,
    SIDE_MARGIN,
    TOP_MARGIN,
    UNIT,
    ParagraphStyle,
    Typography,
)
from attnhand.sheet.options import PageOptions, Paper

PLACE_COUNT, PLACE_WIDTH, GUTTER = 3, 56.0, 6.0
"""Places side by side, how wide each is, and what is between two of them."""

TYPE_WIDTH = PLACE_COUNT * PLACE_WIDTH + (PLACE_COUNT - 1) * GUTTER
"""From margin to margin, on every paper."""

MARK_WIDTH = 11.0
"""What marks take at the right edge of the last place."""

ANSWER_PITCH, GIVEN_PITCH = 11.15, 8.0
"""How wide the cells of a matrix to fill, and of a given one, are where nothing is in their way."""

LEAST_GIVEN_PITCH, LEAST_WHOLE_PITCH, LEAST_FRACTION_PITCH = 6.2, 7.0, 8.9
"""How narrow cells become at most: of given numbers, of whole numbers to fill, of fractions."""

FOOT_GAP = 1.25
"""Above the last line of a page."""

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

    CHAINED = "chained"
    """What is made cell by cell of one token's stage stands beside it, as far as there is room beside the words."""

    WIDE = "wide"
    """Words stand above, matrices over the whole width."""

    APART = "apart"
    """The same, and what is worked has a strip of its own, weights that of their powers."""

    ALONE = "alone"
    """The same, and weights have one too."""

    BESIDE = "beside"
    """In large print, for matrices that are as high as a page: they stand at the right edge, narrower words beside."""


SEPARATED = (Arrangement.APART, Arrangement.ALONE)
"""Those in which what is worked has a strip of its own."""


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

    def make_roomier(self, step: float) -> "RowHeights":
        """Return the same, higher by so many millimetres; given matrices by half of it."""
        return RowHeights(
            whole=self.whole + step,
            with_exact=self.with_exact + step,
            fraction=self.fraction + step,
            given=self.given + step / 2,
            copied=self.copied + step,
        )


REGULAR_HEIGHTS = (
    RowHeights(8.4, 10.5, 12.6, 6.3, 8.4),
    RowHeights(7.35, 9.45, 11.55, 6.3, 7.35),
    RowHeights(7.35, 8.4, 10.5, 5.25, 6.3),
)
"""From the roomiest to the tightest."""

LARGE_HEIGHTS = (
    RowHeights(11.55, 16.8, 22.05, 8.4, 11.55),
    RowHeights(10.5, 15.75, 19.95, 7.35, 10.5),
    RowHeights(10.5, 14.7, 18.9, 8.4, 10.5),
)
"""The same; the tightest saves where exact values stand, for lower given rows have smaller numbers."""

ROOMIER_STEP, MAX_ROOMIER = UNIT, 6
"""How much roomier rows become where a page would be too empty, in millimetres, and how often at most."""

LARGE_CELLS, LARGE_SMALL = 1.43, 1.75
"""How much larger cells of large print are than those of a regular sheet, and its smallest type."""


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
    """Whether it is large print: words over the whole width or beside high matrices, one product below the other."""

    heights: RowHeights
    tightness: int
    """How many steps its rows are tighter than the roomiest."""

    arrangement: Arrangement
    keeps_words: bool = True
    """Whether what one of several stages says is kept together above a strip."""

    apart: frozenset[str] = frozenset()
    """Stages that begin a strip, though they could be chained to the one before."""

    def make_roomier(self, steps: int) -> "PageGrid":
        """Return the same grid with higher rows."""
        return replace(self, heights=self.heights.make_roomier(steps * ROOMIER_STEP * self.cell_scale))

    @property
    def is_landscape(self) -> bool:
        """Say whether its page lies on its side."""
        return self.width > self.height

    @property
    def has_words_above(self) -> bool:
        """Say whether words stand above the matrices, and not beside them."""
        return self.arrangement in (Arrangement.WIDE, *SEPARATED, Arrangement.BESIDE)

    @property
    def left(self) -> float:
        """Where its places begin."""
        return (self.width - self.text_width) / 2

    @property
    def text_width(self) -> float:
        """From margin to margin: wider on a page that lies on its side."""
        return self.width - 2 * SIDE_MARGIN if self.is_landscape else TYPE_WIDTH

    @property
    def right(self) -> float:
        """Where its last place ends."""
        return self.left + self.text_width

    def find_place(self, place: int) -> float:
        """Return where a place begins."""
        return self.left + place * (PLACE_WIDTH + GUTTER)

    @property
    def body_bottom(self) -> float:
        """Where what is worked ends and the foot begins."""
        return self.height - TOP_MARGIN - self.typography.find_line_height(ParagraphStyle.PALE) - FOOT_GAP

    @property
    def scale(self) -> float:
        """How much larger its words are than those of a regular sheet."""
        body = ParagraphStyle.BODY
        return self.typography.paragraph_points[body] / REGULAR_TYPOGRAPHY.paragraph_points[body]

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
        return self.typography.label_points / REGULAR_TYPOGRAPHY.label_points

    @property
    def label_height(self) -> float:
        """How high a row of labels is."""
        return 5.95 if not self.is_large else 8.9

    @property
    def label_width(self) -> float:
        """How wide a column of labels is: the gutter between two places."""
        return GUTTER if not self.is_large else 12.0


def list_page_grids(options: PageOptions, *, is_rows: bool, has_one_token: bool = False) -> list[PageGrid]:
    """Return the grids to try for a sheet: the roomiest first, landscape last.

    Args:
        has_one_token: whether one token is asked: where tokens are columns, its stages are narrow.
    """
    width, height = PAPER_SIZES[Paper(options.paper)]
    is_large = options.large_print
    wide = (Arrangement.WIDE, *SEPARATED)
    usual = (Arrangement.PLAIN, Arrangement.PAIRED, *([Arrangement.CHAINED] if has_one_token else []), *wide)
    large = wide if is_rows else (*wide, Arrangement.BESIDE)
    upright = large if is_large else usual
    return [
        PageGrid(
            width=height if is_landscape else width,
            height=width if is_landscape else height,
            typography=LARGE_TYPOGRAPHY if is_large else REGULAR_TYPOGRAPHY,
            is_rows=is_rows,
            is_large=is_large,
            heights=heights,
            tightness=step,
            arrangement=arrangement,
        )
        for is_landscape in (False, True)
        for arrangement in (wide if is_landscape else upright)
        for step, heights in enumerate(LARGE_HEIGHTS if is_large else REGULAR_HEIGHTS)
    ]
