"""What a page is made of: boxes with a place in millimetres. Renderers draw them and compute nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attnhand.layout.number_fit import CELL_EDGE, CELL_EDGE_HIGH, EXACT_EDGE, LOW_CELL, exact_percent, figure_percent
from attnhand.layout.typography import Set, Typography
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Grid, Label
from attnhand.text.widths import Style, Text, line_count, lines_of, plain, width

LONG_NAME = 3
"""Letters that fit into the corner of a grid; longer names run on beyond it."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in millimetres from its top left corner."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    def meets(self, other: "Box") -> bool:
        """Say whether the two share any room."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def holds(self, other: "Box") -> bool:
        """Say whether the other lies inside, to a tenth of a millimetre."""
        e = 0.1
        across = self.x <= other.x + e and other.right <= self.right + e
        return across and self.y <= other.y + e and other.bottom <= self.bottom + e


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few words in one style, with what stands at the far right of their first line."""

    text: Text
    style: Set = Set.BODY
    right: Text = ()
    """A mark box, for one."""

    marks: str = ""
    """The stage whose mark box this is, or stands at the right of it."""

    level: int = 0
    """1 and 2 are headings; 0 is running text."""

    source: str = ""
    """Where its words come from, where they differ from sheet to sheet of one shape."""

    def lines(self, type_: Typography, room: float) -> tuple[Text, ...]:
        """Return its lines when it is set in so much room."""
        return lines_of(self._weighed, type_.points[self.style], room, self._beside(type_))

    def height(self, type_: Typography, room: float) -> float:
        """Return its height in millimetres when it is set in so much room."""
        return line_count(self._weighed, type_.points[self.style], room, self._beside(type_)) * type_.line(self.style)

    @property
    def _weighed(self) -> Text:
        """Its words as they are set: headings are bold throughout."""
        bolder = {Style.PLAIN: Style.BOLD} if self.level else {}
        return tuple(replace(run, style=bolder.get(run.style, run.style)) for run in self.text)

    def _beside(self, type_: Typography) -> float:
        """Return what the end of the first line takes, and a little more distance than the style sheet keeps."""
        return width(self.right, type_.points[Set.SMALL]) * 1.01 + 3.5 if self.right else 0.0


def text_height(paragraphs: Sequence[Paragraph], type_: Typography, room: float) -> float:
    """Return the height of paragraphs one under the other, with the space between them."""
    lines = sum(paragraph.height(type_, room) for paragraph in paragraphs)
    return lines + type_.between * (len(paragraphs) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBox:
    """Paragraphs, one under the other."""

    box: Box
    paragraphs: tuple[Paragraph, ...]

    @property
    def flowing(self) -> int:
        """Count the paragraphs before the first whose words differ from sheet to sheet; from there on lines are set."""
        return next((at for at, paragraph in enumerate(self.paragraphs) if paragraph.source), len(self.paragraphs))


@dataclass(frozen=True, slots=True, kw_only=True)
class GridBox:
    """A grid in its place: header cells of one size, all other cells of another."""

    box: Box
    grid: Grid
    cell_w: float
    cell_h: float
    header_w: float
    header_h: float
    wide_labels: bool = False
    """Whether there is room left of it for row labels with words."""

    def shows_word(self, label: Label, type_: Typography) -> bool:
        """Say whether a column label has room for the token's word."""
        return bool(label.word) and width(plain(label.word), type_.small_label) <= self.cell_w

    def sets_word_small(self, label: Label, type_: Typography) -> bool:
        """Say whether a column label's word fits only in the smaller type."""
        return width(plain(label.word), type_.label) > self.cell_w

    def shows_role(self, label: Label, type_: Typography) -> bool:
        """Say whether a column label has room for what the token does."""
        letter = (*label.letter, *plain(f" {label.role}"))
        return bool(label.role) and width(letter, type_.small_label) <= self.cell_w - 0.3

    def percent(self, figure: Figure, type_: Typography) -> int:
        """Return how large a value is set so that it fits its cell: 100, 90, … percent of the cell's type."""
        return figure_percent(figure, type_.cell, self.room, tight=self.is_tight)

    def exact_percent(self, figure: Figure, type_: Typography) -> int:
        """Return how large an exact value is set so that it fits its cell."""
        return exact_percent(figure, type_.exact, self.cell_w - EXACT_EDGE)

    @property
    def room(self) -> tuple[float, float]:
        """The room for a number in a cell, across and down, in millimetres."""
        return self.cell_w - CELL_EDGE, self.cell_h - CELL_EDGE_HIGH

    @property
    def is_tight(self) -> bool:
        """Say whether its cells are so low that fractions are set smaller."""
        return self.cell_h < LOW_CELL

    @property
    def is_named(self) -> bool:
        """Say whether its name is too long for its corner and runs on over the first column."""
        return sum(len(run.text) for run in self.grid.name) > LONG_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesBox:
    """Pale dotted lines to calculate on."""

    box: Box
    spacing: float
    caption: Paragraph | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QrBox:
    """The sheet code as a QR code."""

    box: Box
    code: str
    spoken: str


HEAD_FIELDS = ("name", "date")
"""Fields of a form that are no answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBox:
    """A line to write on; it lies at the top of its box."""

    box: Box
    field: str = ""
    """What its field is called where the page is a form; empty where it has none."""

    spoken: str = ""
    """What its field is for, for those who listen."""

    value: str = ""
    """What its field holds from the beginning."""


Item = RuleBox | TextBox | GridBox | LinesBox | QrBox


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One side of paper; its boxes in reading order."""

    number: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All pages of a sheet."""

    width: float
    """Of the paper as it is read, in millimetres."""

    height: float
    pages: tuple[Page, ...]
    typography: Typography
