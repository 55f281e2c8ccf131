"""What a page is made of: boxes with a place in millimetres. Renderers draw them and compute nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from attnhand.layout.number_fit import (
    CELL_INSET_HEIGHT,
    CELL_INSET_WIDTH,
    EXACT_CELL_INSET,
    find_marked_step,
    find_number_step,
    fits_beside_exact,
    fits_exact_value,
)
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet.grids import Grid, GridStyle, Label
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.slots import Slot
from attnhand.text.widths import (
    SCRIPT_SCALE,
    RunStyle,
    Text,
    break_lines,
    count_lines,
    make_plain_text,
    measure_width,
    to_unicode,
)

ROW_LABEL_GAP, NAME_GAP = 1.6, 0.0
"""From the labels of rows, and the name of a matrix, to the cells behind them; the style sheet has the same."""

SUMS_DROP = 0.65
"""How far check sums stand below the middle of their row, away from the brackets above it."""

NAME_TOP = 1.1
"""From the top of its box to a name above the labels."""

WORD_GAP = 0.3
"""At least this much between the words over two columns, in millimetres."""

READABLE_WORD_GAP = 0.5
"""Where there is less, every other word stands a line higher if it can."""

ROLE_GAP = 1.5
"""At least this much between "q₁ asks" and "q₂ asks" over two columns, in millimetres: a word space and a half."""

WORD_OVERHANG = 1.5
"""How far a word may reach beyond its column, in millimetres."""

BRACKET, BRACKET_WIDTH, BRACKET_GAP = 0.3, 1.2, -0.15
"""Around a matrix, in millimetres: how thick, how wide, and how far from its cells, whose outer lines it is.

The style sheet has the same.
"""

MAX_CORNER_LETTERS = 3
"""Letters that fit into the corner of a grid; longer names run on beyond it."""


def is_long_name(name: Text) -> bool:
    """Say whether the name of a grid is too long for its corner.

    >>> from attnhand.text.widths import parse_markup
    >>> [is_long_name(parse_markup(name)) for name in ("Q", "W_K", "K^{(2)}", "W_K^{(2)}", "scaled")]
    [False, False, False, True, True]
    """
    sizes = {RunStyle.SUB: SCRIPT_SCALE, RunStyle.SUP: SCRIPT_SCALE}
    return sum(len(run.text) * sizes.get(run.style, 1.0) for run in name) > MAX_CORNER_LETTERS + 0.2


class Box(NamedTuple):
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

    def overlaps(self, other: "Box") -> bool:
        """Say whether two boxes overlap."""
        x, y, w, h = self
        other_x, other_y, other_w, other_h = other
        return x < other_x + other_w and other_x < x + w and y < other_y + other_h and other_y < y + h


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text in one style, and what stands at the far right of its first line."""

    text: Text
    style: ParagraphStyle = ParagraphStyle.BODY
    right_text: Text = ()
    """A mark box, for one."""

    marked_stage: str = ""
    """The stage whose mark box this is, or stands at the right of it."""

    mark_name: Text = ()
    """The matrix whose mark box this is, where another has one beside it: a report keeps it."""

    is_total: bool = False
    """Whether it is the end of the line for the total, "/ 116": a report writes the marks before it."""

    heading_level: int = 0
    """1 and 2 are headings; 0 is running text."""

    slot: Slot | None = None
    """Which text of a sheet stands here, where it differs among sheets of one kind."""

    def break_lines(self, typography: Typography, max_width: float) -> tuple[Text, ...]:
        """Return its lines in a column of a width."""
        points, right_width = typography.paragraph_points[self.style], self._measure_right_text(typography)
        return break_lines(self._styled_text, points, max_width, right_width)

    def measure_height(self, typography: Typography, max_width: float) -> float:
        """Return its height in millimetres in a column of a width."""
        points, right_width = typography.paragraph_points[self.style], self._measure_right_text(typography)
        return count_lines(self._styled_text, points, max_width, right_width) * typography.find_line_height(self.style)

    @property
    def _styled_text(self) -> Text:
        """Its text as it is set: headings are bold throughout."""
        if not self.heading_level:
            return self.text
        bolder = {RunStyle.PLAIN: RunStyle.BOLD}
        return tuple(run._replace(style=bolder.get(run.style, run.style)) for run in self.text)

    def _measure_right_text(self, typography: Typography) -> float:
        """Return the width kept for the text at the right, a little more than the style sheet keeps."""
        points = typography.paragraph_points[ParagraphStyle.SMALL]
        return measure_width(self.right_text, points) * 1.01 + 3.5 if self.right_text else 0.0


def measure_text_height(paragraphs: Sequence[Paragraph], typography: Typography, max_width: float) -> float:
    """Return the height of paragraphs one under the other, with the space between them."""
    lines = sum(paragraph.measure_height(typography, max_width) for paragraph in paragraphs)
    return lines + typography.paragraph_gap * (len(paragraphs) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBox:
    """Paragraphs, one under the other."""

    box: Box
    paragraphs: tuple[Paragraph, ...]
    is_turned: bool = False
    """Whether it stands upside down, so that nobody reads it by chance: answers, in a report."""

    @property
    def fixed_paragraph_count(self) -> int:
        """Count the paragraphs before the first that differs from sheet to sheet."""
        return next((at for at, paragraph in enumerate(self.paragraphs) if paragraph.slot), len(self.paragraphs))


def make_text_box(paragraphs: Sequence[Paragraph], typography: Typography, x: float, y: float, w: float) -> TextBox:
    """Return a box as high as its paragraphs are."""
    return TextBox(box=Box(x, y, w, measure_text_height(paragraphs, typography, w)), paragraphs=tuple(paragraphs))


@dataclass(frozen=True, slots=True)
class GridBox:
    """A grid in its place: header cells of one size, all other cells of another."""

    box: Box
    grid: Grid
    cell_w: float
    cell_h: float
    header_w: float
    header_h: float
    has_wide_labels: bool = False
    """Whether there is room left of it for row labels with words."""

    exact_h: float = 0.0
    """What every cell keeps free below its number for the exact value, in millimetres."""

    decimal_w: float = 0.0
    """What every cell keeps free behind its number for the decimal, in millimetres."""

    has_name_above: bool = False
    """Whether the name stands above the labels of the columns, not in the corner beside them."""

    def break_word(self, column: int, typography: Typography) -> tuple[str, ...]:
        """Return the lines of the word over a column: one or, of several words, two; none where some word has no room.

        "needs animal" (14.9 mm) over 11 mm is ("needs", "animal"); "pronombre" (12.5 mm) between narrower words is one.
        """
        if not any(label.word for label in self.grid.columns):
            return ()
        widths = [self._measure_word(column, typography) for column in range(self.grid.column_count)]
        lines = self._break_word(column, typography)
        has_room = self._has_room_for_words(widths, self.cell_w)
        if has_room and all(sum(pair) / 2 <= self.cell_w - READABLE_WORD_GAP for pair in pairwise(widths)):
            return lines
        steps = widths[::2], widths[1::2]
        are_single = all(to_unicode(each.letter).isdigit() and " " not in each.word for each in self.grid.columns)
        may_step = self.grid.style is GridStyle.GIVEN or (self.grid.style is GridStyle.COPY and are_single)
        has_steps = (may_step or has_room) and len(lines) == 1
        if has_steps and all(self._has_room_for_words(step, 2 * self.cell_w) for step in steps):
            return lines if column % 2 else (*lines, "")  # every other one a line higher
        return lines if has_room else ()

    @staticmethod
    def _has_room_for_words(widths: Sequence[float], pitch: float) -> bool:
        """Say whether no word over a column meets the next one or reaches far beyond its cells."""
        meets = (max(pair) > pitch and sum(pair) / 2 > pitch - WORD_GAP for pair in pairwise(widths))
        return max(widths) <= pitch + 2 * WORD_OVERHANG and not any(meets)

    def _break_word(self, column: int, typography: Typography) -> tuple[str, ...]:
        """Return the lines of the word over a column; where one of them must break, all of several words do.

        Only names of features above given numbers break: those have words above them, and no other grid.
        """
        labels = self.grid.columns if self.grid.style is GridStyle.GIVEN else ()
        words = [label.word for label in labels if to_unicode(label.letter).isdigit()]
        points = typography.label_points
        if all(" " not in each or measure_width(make_plain_text(each), points) <= self.cell_w for each in words):
            return tuple(filter(None, [self.grid.columns[column].word]))
        parts = words[column].split(" ")
        lines: list[tuple[str, ...]] = [(" ".join(parts[:at]), " ".join(parts[at:])) for at in range(1, len(parts))]
        lines = lines or [(words[column],)]
        return min(lines, key=lambda pair: max(measure_width(make_plain_text(line), points) for line in pair))

    def _measure_word(self, column: int, typography: Typography) -> float:
        """Return how wide the word over a column is; 0 where there is none."""
        points = typography.label_points
        lines = self._break_word(column, typography)
        return max((measure_width(make_plain_text(line), points) for line in lines), default=0.0)

    def shows_role(self, label: Label, typography: Typography) -> bool:
        """Say whether a column label has room for what the token does."""
        letter = (*label.letter, *make_plain_text(f" {label.role}"))
        return bool(label.role) and measure_width(letter, typography.label_points) <= self.cell_w - ROLE_GAP

    @property
    def has_notes_below(self) -> bool:
        """Say whether notes stand below their numbers: not beside exact values, and not in copies, which need none."""
        return not self.exact_h and self.grid.style is not GridStyle.COPY

    def find_number_step(self, number: PrintedNumber, typography: Typography, *, is_marked: bool = False) -> int | None:
        """Return which of the sizes of numbers a value is set in, the first that fits; None where none does."""
        if number.note and not self.has_notes_below:
            number = replace(number, note="")
        find_step = find_marked_step if is_marked else find_number_step
        return find_step(number, typography.number_sizes, self.inner_size)

    def fits_exact_value(self, number: PrintedNumber, typography: Typography) -> bool:
        """Say whether an exact value fits its cell."""
        return fits_exact_value(number, typography.exact_points, self.cell_w - EXACT_CELL_INSET)

    def shows_note_aside(self, number: PrintedNumber, typography: Typography) -> bool:
        """Say whether the note of a number stands beside the exact value of its cell: where there is room for it."""
        has_note = bool(self.exact_h and number.note)
        return has_note and fits_beside_exact(number.note, typography.exact_points, self.cell_w - self.decimal_w)

    @property
    def inner_size(self) -> tuple[float, float]:
        """The room for a number in a cell, across and down, in millimetres."""
        width = self.cell_w - self.decimal_w - CELL_INSET_WIDTH
        return width, self.cell_h - self.exact_h - CELL_INSET_HEIGHT

    @property
    def drop(self) -> float:
        """How far its numbers and the labels of its rows stand below the middle of their cells, in millimetres."""
        return SUMS_DROP if self.grid.style is GridStyle.CHECK_SUMS and not self.header_h else 0.0

    @property
    def is_lone(self) -> bool:
        """Say whether it is a box for an answer: one cell without labels."""
        return not self.header_h and not self.header_w

    @property
    def has_brackets(self) -> bool:
        """Say whether it is set as a matrix, between brackets; boxes for answers and heat maps are not."""
        return self.grid.style is GridStyle.EXACT or (bool(self.grid.name) and self.grid.style is not GridStyle.HEAT)

    @property
    def has_long_name(self) -> bool:
        """Say whether its name is too long for its corner and runs on over the first column."""
        return is_long_name(self.grid.name)


def make_grid_box(
    grid: Grid,
    corner: tuple[float, float],
    cell_size: tuple[float, float],
    header_size: tuple[float, float],
    *,
    has_wide_labels: bool = False,
) -> GridBox:
    """Return a grid's box: its corner (x, y), the width and height of cells and of its header.

    Six columns of 11 mm and labels of 6 mm are 72 mm wide.
    """
    (cell_w, cell_h), (header_w, header_h) = cell_size, header_size
    box = Box(*corner, header_w + grid.column_count * cell_w, header_h + grid.row_count * cell_h)
    return GridBox(box, grid, cell_w, cell_h, header_w, header_h, has_wide_labels)


def measure_pitch_of_words(grid: Grid, typography: Typography) -> float:
    """Return how wide cells are at least so that every word over a column has room in one line; 0 without words."""
    points = typography.label_points
    widths = [measure_width(make_plain_text(label.word), points) for label in grid.columns]
    if not any(widths):
        return 0.0
    neighbours = (min(max(pair), sum(pair) / 2 + WORD_GAP) for pair in pairwise(widths))
    return max([max(widths) - 2 * WORD_OVERHANG, *neighbours])


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSpaceBox:
    """Room for one's working: pale dotted lines to calculate on."""

    box: Box
    spacing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QrBox:
    """The sheet code as a QR code, in a class set with № and page."""

    box: Box
    text: str
    alt_text: str


HEADER_FIELDS = ("name", "date")
"""Fields of a form that are no answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBox:
    """A rule, at the top of its box: a writing line, or the stroke above a heading."""

    box: Box
    field_name: str = ""
    """What its field is called where the page is a form; empty where it has none."""

    spoken_name: str = ""
    """What its field is for, for those who listen; with no name of a field, of one on the web sheet alone."""

    initial_value: str = ""
    """What its field holds from the beginning."""


class FlowWord(NamedTuple):
    """A word of a diagram, or an arrow."""

    text: Text
    x: float
    baseline: float
    is_here: bool
    """Whether its page has what it names."""


@dataclass(frozen=True, slots=True)
class FlowBox:
    """The flow of the computation as a diagram: words and arrows, and rules that branch."""

    box: Box
    words: tuple[FlowWord, ...]
    rules: tuple[Box, ...]
    alt_text: str = ""


@dataclass(frozen=True, slots=True)
class SquaresBox:
    """Squares for whoever marks: filled ones by which a scanner finds the page, open ones to tick."""

    box: Box
    squares: tuple[Box, ...]
    """Where they are on the page."""

    is_filled: bool


Item = RuleBox | TextBox | GridBox | WorkingSpaceBox | QrBox | FlowBox | SquaresBox


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
