"""How words are set: which sorts of paragraphs there are, and the sizes of all type on a page."""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.sheet.options import Paper
from attnhand.text.widths import POINT


class Set(StrEnum):
    """How a paragraph is set; the style sheet knows the same names."""

    TITLE = "title"
    HEADING = "heading"
    BODY = "body"
    SMALL = "small"
    PALE = "pale"
    CAPTION = "caption"
    """Small and pale, never broken."""

    KEY = "key"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Typography:
    """Sizes in points, and what a line takes."""

    points: dict[Set, float]
    label: float
    small_label: float
    """Of what a token does, and of names too long for their corner."""

    cell: float
    leading: float = 1.3
    between: float = 1.0
    """Between paragraphs, in millimetres."""

    @property
    def exact(self) -> float:
        """Size of exact values and of the numbers in heat maps, in points."""
        return self.points[Set.CAPTION]

    @property
    def name(self) -> float:
        """Size of a matrix's name in the corner of its grid, in points: as large as where words speak of it."""
        return self.points[Set.BODY]

    def line(self, style: Set) -> float:
        """Return the height of one line in millimetres."""
        return self.points[style] * POINT * self.leading


PAPERS = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}
"""Width and height in millimetres, upright."""

MARGIN = 15.0
"""At the left and right edge."""

TOP = 12.0
"""At the top and bottom edge."""

QR_SIZE = 22.0
"""With its quiet zone."""

QR_QUIET = 3.0
"""Its quiet zone: four modules of 29."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Cell sizes in millimetres (width, height)."""

    whole: tuple[float, float]
    """Where whole numbers go."""

    fraction: tuple[float, float]
    """Where fractions go."""

    inner: tuple[float, float]
    """Of a factor, along the side that the product adds over."""

    header: tuple[float, float] = (6.0, 6.0)
    """Label column and label row: the distance between a factor and its product."""

    exact: tuple[float, float] = (9.5, 6.0)
    """Of exact values that stand behind a product or on a page of their own."""

    heat: tuple[float, float] = (8.5, 5.5)
    """Of a heat map."""


REGULAR_TYPE = Typography(
    points={
        Set.TITLE: 18,
        Set.HEADING: 12,
        Set.BODY: 9,
        Set.SMALL: 7.5,
        Set.PALE: 7.5,
        Set.CAPTION: 7.5,
        Set.KEY: 12,
        Set.NUMBER: 18,
    },
    label=7.5,
    small_label=6.5,
    cell=10,
)

LARGE_TYPE = Typography(
    points={
        Set.TITLE: 26,
        Set.HEADING: 21,
        Set.BODY: 18,
        Set.SMALL: 18,
        Set.PALE: 18,
        Set.CAPTION: 18,
        Set.KEY: 21,
        Set.NUMBER: 26,
    },
    label=18,
    small_label=18,
    cell=21.2,
    leading=1.2,
)

REGULAR_CELLS: tuple[Cells, ...] = (
    Cells(whole=(11, 8), fraction=(12, 10), inner=(11, 8)),
    Cells(whole=(11, 8), fraction=(12, 10), inner=(9, 7.5)),
    Cells(whole=(10, 8), fraction=(11, 9.5), inner=(8, 7)),
    Cells(whole=(9, 7.5), fraction=(10, 9), inner=(8, 7)),
    Cells(whole=(8, 7), fraction=(9, 8.5), inner=(8, 7)),
    Cells(whole=(8, 7), fraction=(8, 8), inner=(8, 7)),
    Cells(whole=(15, 8), fraction=(15, 9.5), inner=(15, 8)),
    Cells(whole=(20, 8), fraction=(20, 9.5), inner=(20, 8)),
)
"""Tried in this order, the last two for long numbers; a sheet that fits none of them is refused."""

LARGE_CELLS: tuple[Cells, ...] = (
    Cells(whole=(18, 15), fraction=(22, 17), inner=(18, 15), header=(12, 7.5), exact=(27, 12), heat=(17, 12)),
)

AIR, AIR_AT_THE_END = 4.0, 2.0
"""What is added between blocks at most where a page has room to spare: on most pages, on the last with blocks."""

WORKING_LINE = 7.0
"""Distance between the lines to write on."""

LEAST_AFTER = {False: 22.0, True: 17.0}
"""Room that formula and mark box need beside a product: columns, rows."""

LEAST_BEFORE = {False: 56.0, True: 34.0}
"""Room for instructions before a spine without factors: columns, rows."""

LEAST_SPINE = 54.0
"""Room across for the spine and the words above its last product, however small the sheet."""
