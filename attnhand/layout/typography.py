"""Sizes of type, cells and paper, and the styles of paragraphs."""

from dataclasses import dataclass
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class Typography:
    """Sizes of type in points, and the distance of lines."""

    paragraph_points: dict[ParagraphStyle, float]
    label_points: float
    small_label_points: float
    """Of what a token does, and of names too long for their corner."""

    cell_points: float
    leading: float = 1.3
    paragraph_gap: float = 1.0
    """Between paragraphs, in millimetres."""

    @property
    def exact_points(self) -> float:
        """Size of exact values and of the numbers in heat maps, in points."""
        return self.paragraph_points[ParagraphStyle.CAPTION]

    @property
    def name_points(self) -> float:
        """Size of a matrix's name in the corner of its grid, in points: as large as where words speak of it."""
        return self.paragraph_points[ParagraphStyle.BODY]

    def find_line_height(self, style: ParagraphStyle) -> float:
        """Return the height of one line in millimetres."""
        return self.paragraph_points[style] * MM_PER_POINT * self.leading


MIN_POINTS = 7.5
"""Nothing that is read is set smaller where there is a choice."""

ASCENT, DESCENT, X_HEIGHT = 0.8, 0.2, 0.473
"""Of the bundled text face, in em."""

PAPER_SIZES = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}
"""Width and height in millimetres, upright."""

UNIT = 2.0
"""The rhythm of a page in millimetres: distances between what stands on it are multiples of it."""

TEXT_GAP = 4.0
"""Between words and the grid beside them."""

MIN_TEXT_WIDTH, MAX_TEXT_WIDTH = 34.0, 96.0
"""How wide a column of words is at least and at most; of large type more."""

SIDE_MARGIN = 11.0
"""At the left and right edge, at least."""

WIDER_SIDE_MARGINS = (17.0, 14.0)
"""Tried instead, where a page's matrices leave room for them."""

TOP_MARGIN = 11.0
"""At the top and bottom edge."""

FOOT_MARGIN, FOOT_GAP = 10.0, 2.5
"""Below the line at the foot of a page, and at least above it."""

QR_SIZE = 22.0
"""With its quiet zone."""

QR_QUIET_ZONE = 3.0
"""Its quiet zone: four modules of 29."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSizes:
    """Cell sizes in millimetres (width, height)."""

    whole: tuple[float, float]
    """Where whole numbers go."""

    fraction: tuple[float, float]
    """Where fractions go."""

    inner_height: float
    """Of a factor whose rows the product adds over: X above Q, W_Q above Q where tokens are rows."""

    header: tuple[float, float] = (6.0, 6.0)
    """Label column and label row: the distance between a factor and its product."""

    exact: tuple[float, float] = (9.5, 6.0)
    """Of exact values below a product, or on a page without stages."""

    heat_map: tuple[float, float] = (8.5, 5.0)
    """Of a heat map."""


REGULAR_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (19, 12, 10.5, 9.5, 9.5, 8, 8, 8, 13, 18), strict=True)),
    label_points=8.5,
    small_label_points=7.5,
    cell_points=11.2,
)

LARGE_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (26, 21, 18, 18, 18, 18, 18, 18, 21, 26), strict=True)),
    label_points=18,
    small_label_points=18,
    cell_points=21.2,
    leading=1.2,
)

REGULAR_CELL_SIZES: tuple[CellSizes, ...] = (
    CellSizes(whole=(11, 8), fraction=(12, 10), inner_height=8),
    CellSizes(whole=(11, 8), fraction=(11, 10), inner_height=8),
    CellSizes(whole=(11, 8), fraction=(11, 10), inner_height=7),
    CellSizes(whole=(11, 7.5), fraction=(11, 9.5), inner_height=7),
    CellSizes(whole=(10, 7.5), fraction=(10, 9.5), inner_height=7),
    CellSizes(whole=(9, 7.5), fraction=(9, 9), inner_height=7),
    CellSizes(whole=(8, 7), fraction=(8, 8.5), inner_height=7),
    CellSizes(whole=(8.5, 7), fraction=(8.5, 8), inner_height=7),
    CellSizes(whole=(8, 7), fraction=(8, 8), inner_height=7),
    CellSizes(whole=(15, 8), fraction=(15, 9.5), inner_height=8),
    CellSizes(whole=(20, 8), fraction=(20, 9.5), inner_height=8),
)
"""All cells of a page are as wide: as those for fractions where it has fractions. Tried in this order, the last two for
long numbers; a sheet that fits none of them is refused."""

ROWS_CELL_SIZES: tuple[CellSizes, ...] = (
    CellSizes(whole=(11, 8), fraction=(12, 10), inner_height=8),
    CellSizes(whole=(11, 8), fraction=(12, 9.5), inner_height=7),
    CellSizes(whole=(11, 7.5), fraction=(12, 8), inner_height=7),
    CellSizes(whole=(10, 7.5), fraction=(10, 8), inner_height=7),
    CellSizes(whole=(8.5, 7), fraction=(8.5, 8), inner_height=7),
    CellSizes(whole=(8, 7), fraction=(8, 8), inner_height=7),
    CellSizes(whole=(15, 8), fraction=(15, 9.5), inner_height=8),
    CellSizes(whole=(20, 8), fraction=(20, 9.5), inner_height=8),
)
"""Where tokens are rows: matrices that are made from one another stand under one another, and a page is low."""

LARGE_CELL_SIZES: tuple[CellSizes, ...] = (
    CellSizes(whole=(18, 15), fraction=(22, 17), inner_height=15, header=(12, 7.5), exact=(27, 12), heat_map=(17, 12)),
)

MAX_EXTRA_GAP, MAX_EXTRA_GAP_ON_LAST_PAGE = 4.0, 2.0
"""What is added between blocks at most where a page has room to spare: on most pages, on the last with blocks."""

WORKING_LINE_SPACING = 7.0
"""Distance between the lines of working space."""
