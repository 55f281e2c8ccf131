"""Sizes on the page: papers, cells, type; from comfortable to the smallest that is still legible.

Five sizes of type: 18 points for title and №; 12 for headings; 10 for numbers; 9 for words and the names of matrices;
7.5 for labels, remarks, marks, exact values and the foot. What a token does, in the head of a cell, is the one thing
smaller, because a cell is no wider. Large print has three: 26, 21 and 18. Bold is what somebody looks for: headings,
names, formulas, answers. Grey is what need not be read to work the sheet.

Distances: 1 mm between paragraphs; 2 between blocks, up to 6 where the page has room; 6 between factor and product;
4 before what closes a page; 7 between lines to write on.
"""

from dataclasses import dataclass

from attnhand.sheet.page_options import Paper
from attnhand.sheet.typography import Set, Typography

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
