"""How words are set: which sorts of paragraphs there are, and the sizes of all type on a page."""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.sheet.text import POINT


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
