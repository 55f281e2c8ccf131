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

QR_SIZE = 22.0
"""With its quiet zone."""

QR_QUIET_ZONE = 3.0
"""Its quiet zone: four modules of 29."""


REGULAR_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (20, 12, 12, 10, 10, 8, 8, 8, 12, 20), strict=True)),
    label_points=8,
    cell_points=12,
    leading=UNIT * 2 / (10 * MM_PER_POINT),
    paragraph_gap=UNIT / 2,
)
"""Four sizes: 8, 10, 12 and 20 points; text of 10 points on 4.2 mm."""

LARGE_TYPOGRAPHY = Typography(
    paragraph_points=dict(zip(ParagraphStyle, (26, 20, 20, 18, 18, 14, 14, 14, 20, 26), strict=True)),
    label_points=18,
    cell_points=20,
    leading=1.2,
    paragraph_gap=UNIT / 2,
)
"""Four sizes: 14, 18, 20 and 26 points."""
