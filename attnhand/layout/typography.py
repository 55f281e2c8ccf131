"""Sizes of type, cells and paper, and the styles of paragraphs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from attnhand.sheet.options import Paper
from attnhand.text.widths import MM_PER_POINT


class ParagraphStyle(StrEnum):
    """How a paragraph is set; the style sheet knows the same names, and sizes below stand in this order."""

    TITLE = "title"
    HEADING = "heading"
    SUBHEADING = "subheading"
    BODY = "body"
    SOLUTION = "solution"
    """What a key answers to a question."""

    SMALL = "small"
    PALE = "pale"
    CAPTION = "caption"
    """Small and pale, never broken."""

    KEY = "key"
    NUMBER = "number"


class NumberSize(NamedTuple):
    """How large a number in a cell is set, in points."""

    whole: float
    """A whole number, a decimal, the sign of a fraction."""

    part: float
    """The numbers above and below the bar of a fraction."""

    note: float
    """What stands under it."""


HEAT_NAME_RAISE = 4.5 / 8
"""How far the name of a heat map stands above labels, in millimetres a point of these."""


@dataclass(frozen=True, slots=True)
class Typography:
    """Sizes of type in points, and the distance of lines."""

    paragraph_points: dict[ParagraphStyle, float]
    label_points: float
    number_sizes: tuple[NumberSize, ...]
    """Those of numbers in cells, the largest first; a number takes the first in which it fits its cell."""

    leading: float = 1.3
    paragraph_gap: float = 1.0
    """Between paragraphs, in millimetres."""

    label_gap: float = 1.63
    """From the labels of columns, and the name of a matrix, to the cells below them, in millimetres."""

    @property
    def cell_points(self) -> float:
        """Size of most numbers in cells, in points."""
        return self.number_sizes[0].whole

    @property
    def small_number_size(self) -> NumberSize:
        """Size of numbers in heat maps, of exact values and decimals."""
        return next(size for size in self.number_sizes if size.whole == self.exact_points)

    @property
    def least_legible_size(self) -> NumberSize:
        """The smallest size in which no part of a fraction is smaller than the smallest text."""
        return next(size for size in reversed(self.number_sizes) if size.part >= self.exact_points)

    @property
    def exact_points(self) -> float:
        """Size of exact values and of the numbers in heat maps, in points."""
        return self.paragraph_points[ParagraphStyle.CAPTION]

    @property
    def heat_name_raise(self) -> float:
        """How far the name of a heat map stands above the labels of its columns, in millimetres."""
        return self.label_points * HEAT_NAME_RAISE

    @property
    def name_points(self) -> float:
        """Size of a matrix's name in the corner of its grid, in points: as large as where words speak of it."""
        return self.paragraph_points[ParagraphStyle.BODY]

    def find_line_height(self, style: ParagraphStyle) -> float:
        """Return the height of one line in millimetres."""
        return self.paragraph_points[style] * MM_PER_POINT * self.leading


MIN_POINTS = 8.0
"""Nothing that is read is set smaller where there is a choice."""

ASCENT, DESCENT, X_HEIGHT = 0.8, 0.2, 0.473
"""Of the bundled text face, in em."""

PAPER_SIZES = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}
"""Width and height in millimetres, upright."""

UNIT = 2.1
"""Half a line of text: distances down the page are multiples of its half."""

SIDE_MARGIN = 15.0
"""At the left and right edge of A4."""

TOP_MARGIN = 10.5
"""At the top and bottom edge."""

QR_SIZE, LATER_QR_SIZE = 22.0, 16.0
"""Of the QR code on the first page and on later ones, with its quiet zone."""

QR_QUIET_SHARE, NUMBERED_QR_QUIET_SHARE = 4 / 29, 4 / 33
"""Its quiet zone, in parts of its size: that of a code alone, and with № and page."""


REGULAR_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (20, 12, 12, 10, 10, 8, 8, 8, 12, 20), strict=True)),
    label_points=8,
    number_sizes=tuple(
        NumberSize(*each)
        for each in ((12, 10, 8), (12, 8, 8), (10, 8, 8), (10, 8, 5.6), (8, 5.6, 5.6), (5.6, 5.6, 5.6))
    ),
    leading=UNIT * 2 / (10 * MM_PER_POINT),
    paragraph_gap=UNIT / 2,
)
"""Four sizes, 8, 10, 12 and 20 points, and their scripts; text of 10 points on 4.2 mm."""

LARGE_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (26, 20, 20, 18, 18, 14, 14, 14, 20, 26), strict=True)),
    label_points=18,
    number_sizes=tuple(
        NumberSize(*each)
        for each in ((20, 18, 14), (20, 14, 14), (18, 14, 14), (18, 14, 9.8), (14, 9.8, 9.8), (9.8, 9.8, 9.8))
    ),
    leading=1.2,
    paragraph_gap=UNIT / 2,
    label_gap=1.88,
)
"""Four sizes, 14, 18, 20 and 26 points, and their scripts."""
