"""A page of a layout, drawn on a canvas: words, grids, lines and the QR code, each with its place in the tag tree.

Sizes and distances that no layout holds are those of the style sheet; a test renders the web page's HTML with
another engine and finds every word and frame in the same place.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

import segno

from attnhand.formats.colours import ACCENTS, PAGE_COLOURS, SHADES
from attnhand.formats.pdf.canvas import Area, Canvas
from attnhand.formats.pdf.fonts import load_font
from attnhand.formats.pdf.form import Field, make_cell_field, make_writing_line_field
from attnhand.formats.pdf.tags import COLUMN_HEAD, ROW_HEAD, Node
from attnhand.layout.fill import find_max_text_height
from attnhand.layout.number_fit import (
    CELL_INSET_WIDTH,
    EXACT_CELL_INSET,
    FRACTION_BAR_OVERHANG,
    FRACTION_BAR_THICKNESS,
    FRACTION_LEADING,
    FRACTION_SIGN_GAP,
    NOTE_LEADING,
    SIGN_ROOM,
    find_marked_step,
    find_number_step,
    fits_beside_exact,
    fits_exact_value,
    measure_number_line,
)
from attnhand.layout.page import (
    BRACKET,
    BRACKET_GAP,
    BRACKET_WIDTH,
    NAME_GAP,
    NAME_TOP,
    ROW_LABEL_GAP,
    Box,
    FlowBox,
    GridBox,
    Layout,
    Page,
    Paragraph,
    QrBox,
    RuleBox,
    SquaresBox,
    TextBox,
    WorkingSpaceBox,
)
from attnhand.layout.typography import NumberSize, ParagraphStyle, Typography
from attnhand.sheet.grids import MARK_SIGNS, Cell, CellKind, GridStyle, Label, Mark, NumberSource
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.text.widths import (
    MM_PER_POINT,
    SCRIPT_SCALE,
    RunStyle,
    Text,
    embolden,
    make_bold_text,
    make_plain_text,
    measure_lean,
    measure_width,
)

HEAT_NAME_INSET = 0.5
"""From the edge of a heat map to its name."""

RULE_THICKNESS, WORKING_LINE_THICKNESS = 0.25, 0.15
"""Of a writing line, such as that for the name; of the dotted lines to calculate on."""

BORDER, LONE_BORDER = 0.15, 0.35
"""Of a cell: two of them between cells meet; and of a box for an answer, or a cell with a mark."""

ERROR_MARKS = (Mark.WRONG, Mark.UNREADABLE)
MARK_BORDERS = {Mark.CORRECT: 0.2, Mark.WRONG: 0.6, Mark.UNREADABLE: 0.6}
"""Where they are not those of cells to fill."""

MARK_DASHES = {Mark.FOLLOWS: "dashed", Mark.UNREADABLE: "dotted"}

HIDDEN_SLASH_SIZE = 2 * MM_PER_POINT
"""Of the slash between the parts of a fraction, which is copied and not seen."""

SCRIPT_DROP = {RunStyle.SUB: 0.25, RunStyle.SUP: -0.42}
"""How far small runs stand below their line, in their own em."""

PARAGRAPH_COLOURS = {ParagraphStyle.SMALL: "soft", ParagraphStyle.PALE: "pale", ParagraphStyle.CAPTION: "pale"}
"""Those that are not ink."""

QR_MASK = 5
"""Always the same one: to compare all eight takes six times as long, and readers read any."""

QR_BORDER = 4
"""Modules of quiet zone."""

EXACT_INSET, EXACT_BOTTOM, EXACT_LIFT = 0.85, 0.53, 0.3
"""From an exact value to the right edge of its cell and to the lower one; and how far its number is lowered."""

NOTE_LIFT = 0.35
"""From the lower edge of a cell to the line of a note beside the exact value."""

DECIMAL_INSET = 0.8
"""From a decimal to the right edge of its cell."""

TOTAL_RULE = 0.5
"""How thick the line between numbers and what they add to is."""

MARK_SIGN_SIZE, ERROR_SIGN_SIZE = 0.55, 0.75
"""In a cell with a mark, in ems of its number."""

SIGN_RIGHT, SIGN_TOP = 0.4, 0.3
"""From the border of a cell to the sign of its mark."""


def get_colour(name: str) -> str:
    """Return a colour of paper by its name."""
    return PAGE_COLOURS[name].light


def get_accent(canvas: Canvas, topic: str) -> str:
    """Return the colour of the matrices of a topic: that of ink on paper."""
    return get_colour(ACCENTS.get(topic, "ink") if canvas.is_on_screen else "ink")


class NumberLook(NamedTuple):
    """How the number in a cell is set."""

    sizes: tuple[NumberSize, ...]
    """Those it may have, the largest first."""

    style: GridStyle
    max_width: float
    """Room for the number, in millimetres; larger ones are set smaller."""

    max_height: float
    is_marked: bool = False
    colour: str = "ink"
    exact_h: float = 0.0
    """Room below the number for the exact value; a note stands in it, at the left."""

    exact_points: float = 0.0

    is_right: bool = False
    """Whether it ends at its place, and does not stand in the middle of it."""

    def _find_step(self, number: PrintedNumber) -> int | None:
        """Return which of its sizes a number is set in; None where it fits its cell in none."""
        if self.style is GridStyle.HEAT:
            return 0
        if self.style.is_small or self.is_right:
            return 0 if fits_exact_value(number, self.sizes[0].whole, self.max_width) else None
        if number.note and (self.exact_h or self.style is GridStyle.COPY):
            number = replace(number, note="")
        find_step = find_marked_step if self.is_marked else find_number_step
        return find_step(number, self.sizes, (self.max_width, self.max_height))

    def find_size(self, number: PrintedNumber) -> NumberSize:
        """Return how large a number is set."""
        step = self._find_step(number)
        return self.sizes[-1 if step is None else step]

    def fits(self, number: PrintedNumber) -> bool:
        """Say whether a number fits its cell, set smaller if need be."""
        return self._find_step(number) is not None


class NumberSlot(NamedTuple):
    """Where a number goes that differs from sheet to sheet."""

    x: float
    """The middle of the number."""

    y: float
    width: float
    """Of its cell, which is shaded in a heat map."""

    height: float

    source: NumberSource
    look: NumberLook
    content: int
    """Its number among the contents of the page."""


class TextSlot(NamedTuple):
    """Paragraphs that differ from sheet to sheet, one under the other."""

    x: float
    y: float
    width: float
    max_height: float
    paragraphs: tuple[Paragraph, ...]
    first_content: int
    """Of their contents, one each."""


class QrSlot(NamedTuple):
    """Where the QR code goes."""

    x: float
    y: float
    side: float
    content: int


@dataclass(slots=True)
class DrawnPage:
    """What a page leaves to others: its tags, and the places that are filled for every sheet."""

    tree: Node
    numbers: list[NumberSlot] = field(default_factory=list)
    texts: list[TextSlot] = field(default_factory=list)
    codes: list[QrSlot] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)


class PageDrawer:
    """Draws the boxes of a page."""

    def __init__(
        self,
        canvas: Canvas,
        layout: Layout,
        page: Page,
        *,
        omits_slots: bool = False,
        is_form: bool = False,
    ) -> None:
        """Prepare a page.

        Args:
            omits_slots: whether what differs from sheet to sheet of one kind is left out.
            is_form: whether empty cells are fields.
        """
        self.is_form = is_form
        self.canvas, self.layout, self.page, self.omits_slots = canvas, layout, page, omits_slots
        self.typography = layout.typography
        self.drawn = DrawnPage(Node("Sect", page.number - 1))

    def draw(self) -> DrawnPage:
        """Draw the page."""
        for item in self.page.items:
            match item:
                case TextBox():
                    self._draw_text_box(item)
                case GridBox():
                    self._draw_grid(item)
                case WorkingSpaceBox():
                    self._draw_working_lines(item)
                case RuleBox():
                    self._draw_rule(item)
                case QrBox():
                    self._draw_qr(item)
                case FlowBox():
                    self._draw_flow(item)
                case SquaresBox():
                    self._draw_squares(item)
        return self.drawn

    # words

    def _draw_text_box(self, item: TextBox) -> None:
        box, y = item.box, item.box.y
        for paragraph in item.paragraphs[: item.fixed_paragraph_count if self.omits_slots else None]:
            node = self._add_paragraph(paragraph, box, y)
            node.kids.append(self.canvas.begin_content(node.tag))
            lines = paragraph.break_lines(self.typography, box.w)
            y += draw_paragraph(self.canvas, paragraph, self.typography, box.x, y, lines)
            self.canvas.end_content()
        if self.omits_slots and (slots := item.paragraphs[item.fixed_paragraph_count :]):
            contents = [self.canvas.reserve_content() for _ in slots]
            for paragraph, content in zip(slots, contents, strict=True):
                self._add_paragraph(paragraph, box, y).kids.append(content)
            room = find_max_text_height(item, self.page, self.layout) - (y - box.y)
            self.drawn.texts.append(TextSlot(box.x, y, box.w, room, slots, contents[0]))

    def _add_paragraph(self, paragraph: Paragraph, box: Box, y: float) -> Node:
        """Add the element of a paragraph, and draw what stands at its right, such as a mark box."""
        node = self.drawn.tree.add(f"H{paragraph.heading_level}" if paragraph.heading_level else "P")
        if text := paragraph.right_text:
            right = node.add("P")
            right.kids.append(self.canvas.begin_content("P"))
            points = self.typography.paragraph_points[ParagraphStyle.SMALL]
            size = points * MM_PER_POINT
            baseline = y + find_baseline(size, self.typography.leading)
            colour = get_colour("pale" if paragraph.style is ParagraphStyle.PALE else "soft")
            show_runs(self.canvas, text, size, box.right - measure_width(text, points), baseline, colour)
            self.canvas.end_content()
        return node

    def _draw_working_lines(self, item: WorkingSpaceBox) -> None:
        box = item.box
        for number in range(1, int(box.h / item.spacing) + 1):
            bottom = box.y + number * item.spacing
            area = (box.x, bottom - WORKING_LINE_THICKNESS, box.w, WORKING_LINE_THICKNESS)
            self.canvas.fill_area(area, get_colour("line"))

    def _draw_squares(self, item: SquaresBox) -> None:
        if item.is_filled:
            self.canvas.fill_areas([(*square,) for square in item.squares], get_colour("ink"))
            return
        t = RULE_THICKNESS
        for x, y, w, h in item.squares:
            self.canvas.fill_areas(
                [(x, y, w, h), (x + t, y + t, w - 2 * t, h - 2 * t)], get_colour("soft"), is_even_odd=True
            )

    def _draw_rule(self, item: RuleBox) -> None:
        box = item.box
        self.canvas.fill_area((box.x, box.y, box.w, RULE_THICKNESS), get_colour("edge"))
        if self.is_form and item.field_name:
            self.drawn.fields.append(make_writing_line_field(self.drawn.tree.page, item, self.typography))
            self.drawn.tree.add("Form")

    def _draw_qr(self, item: QrBox) -> None:
        box = item.box
        node = self.drawn.tree.add("Figure", (box.x, box.y, box.w, box.h))
        if self.omits_slots:
            slot = QrSlot(box.x, box.y, box.w, self.canvas.reserve_content())
            self.drawn.codes.append(slot)
            node.kids.append(slot.content)
            return
        node.kids.append(self.canvas.begin_content("Figure"))
        draw_qr(self.canvas, item.text, box.x, box.y, box.w)
        self.canvas.end_content()

    def _draw_flow(self, item: FlowBox) -> None:
        node = self.drawn.tree.add("Figure", (*item.box,), item.alt_text)
        node.kids.append(self.canvas.begin_content("Figure"))
        draw_flow(self.canvas, item, self.typography)
        self.canvas.end_content()

    # grids

    def _draw_grid(self, item: GridBox) -> None:
        grid, table = item.grid, self.drawn.tree.add("Table").add("TBody")
        head = table.add("TR")
        self._draw_corner(item, head.add(COLUMN_HEAD))
        for j, label in enumerate(grid.columns):
            self._draw_column_label(item, j, label, head.add(COLUMN_HEAD))
        for i, row in enumerate(grid.cells):
            row_node = table.add("TR")
            self._draw_row_label(item, i, row_node.add(ROW_HEAD))
            for j, cell in enumerate(row):
                self._draw_cell(item, cell, _find_cell_area(item, i, j), row_node.add("TD"))
        if item.has_brackets:
            self._draw_brackets(item, get_accent(self.canvas, grid.accent))
        self._draw_total_rule(item)

    def _draw_total_rule(self, item: GridBox) -> None:
        """Draw the heavier line between numbers and what they add to."""
        x, y = item.box.x + item.header_w, item.box.y + item.header_h
        colour = get_colour("ink")
        if item.grid.has_total_row:
            line = item.box.bottom - item.cell_h - TOTAL_RULE / 2
            self.canvas.fill_area((x, line, item.box.right - x, TOTAL_RULE), colour)
        if item.grid.has_total_column:
            line = item.box.right - item.cell_w - TOTAL_RULE / 2
            self.canvas.fill_area((line, y, TOTAL_RULE, item.box.bottom - y), colour)

    def _draw_brackets(self, item: GridBox, accent: str) -> None:
        """Draw the brackets of a matrix left and right of its cells."""
        style = item.grid.style
        colour = accent if style is GridStyle.WORKED else get_colour("edge" if style is GridStyle.COPY else "soft")
        y, h, w, t = item.box.y + item.header_h, item.box.h - item.header_h, BRACKET_WIDTH, BRACKET
        left = item.box.x + item.header_w - BRACKET_GAP - t
        right = item.box.right + BRACKET_GAP + t - w
        for x, upright in ((left, left), (right, right + w - t)):
            self.canvas.fill_areas([(upright, y, t, h), (x, y, w, t), (x, y + h - t, w, t)], colour)

    def _show_label(self, node: Node, tag: str, *parts: tuple[Text, float, float, float, str]) -> None:
        """Show the lines of a header cell: what, size, x, baseline, colour."""
        node.kids.append(self.canvas.begin_content(tag))
        for text, size, x, baseline, colour in parts:
            show_runs(self.canvas, text, size, x, baseline, colour)
        self.canvas.end_content()

    def _draw_corner(self, item: GridBox, node: Node) -> None:
        if not item.grid.name:
            return
        points = self.typography.label_points if item.has_long_name else self.typography.name_points
        size, name = points * MM_PER_POINT, embolden(item.grid.name)
        bottom = item.box.y + item.header_h - self.typography.label_gap
        width = measure_width(name, points)
        if item.has_name_above:
            x, bottom = item.box.x + item.header_w, item.box.y + size + NAME_TOP
        elif not item.header_w:
            x = item.box.x - NAME_GAP - width
        elif item.grid.style is GridStyle.HEAT:
            x, bottom = item.box.x + HEAT_NAME_INSET, bottom - self.typography.heat_name_raise
        else:
            x = item.box.x + item.header_w - NAME_GAP - width
        if item.grid.style is GridStyle.HEAT and not item.header_w:
            x, bottom = item.box.x - HEAT_NAME_INSET, bottom - self.typography.heat_name_raise
        node.kids.append(self.canvas.begin_content("TH"))
        baseline = bottom - size + find_baseline(size, 1.0)
        colour = get_accent(self.canvas, item.grid.accent)
        show_runs(self.canvas, name, size, x, baseline, colour, is_hidden=not item.header_w)
        self.canvas.end_content()

    def _draw_column_label(self, item: GridBox, column: int, label: Label, node: Node) -> None:
        x = item.box.x + item.header_w + column * item.cell_w
        middle = x + item.cell_w / 2
        bottom = item.box.y + item.header_h - self.typography.label_gap
        lines: list[tuple[Text, float]] = []
        if words := item.break_word(column, self.typography):
            role = make_plain_text(f" {label.role}") if item.shows_role(label, self.typography) else ()
            lines = [(make_plain_text(line), self.typography.label_points) for line in words]
            lines.append(((*label.letter, *role), self.typography.label_points))
        else:
            lines = [(label.letter, self.typography.label_points)]
        self._draw_label_lines(item, lines, node, bottom=bottom, middle=middle)

    def _draw_row_label(self, item: GridBox, row: int, node: Node) -> None:
        if not item.header_w:
            return
        label = item.grid.rows[row]
        points = self.typography.label_points
        lines = [(label.letter, points)]
        if label.word and item.has_wide_labels:
            word = (make_plain_text(label.word), points)
            role = make_plain_text(f" {label.role}" if label.role else "")
            lines = [word, ((*label.letter, *role), points)]
        height = sum(points for _, points in lines) * MM_PER_POINT
        cell_middle = item.box.y + item.header_h + row * item.cell_h + item.cell_h / 2 + item.drop
        right = item.box.x + item.header_w - ROW_LABEL_GAP
        self._draw_label_lines(item, lines, node, bottom=cell_middle + height / 2, right=right)

    def _draw_label_lines(
        self,
        item: GridBox,
        lines: list[tuple[Text, float]],
        node: Node,
        *,
        bottom: float,
        middle: float | None = None,
        right: float = 0.0,
    ) -> None:
        """Draw lines of type in a header cell, centred or ending at the right."""
        colour = get_colour("pale" if item.grid.style.is_small else "soft")
        if not any(text for text, _ in lines):
            return
        node.kids.append(self.canvas.begin_content("TH"))
        top = bottom - sum(points for _, points in lines) * MM_PER_POINT
        for text, points in lines:
            size = points * MM_PER_POINT
            width = measure_width(text, points)
            x = right - width if middle is None else middle - width / 2
            baseline = top + find_baseline(size, 1.0)
            show_runs(self.canvas, text, size, x, baseline, colour)
            top += size
        self.canvas.end_content()

    def _draw_cell(self, item: GridBox, cell: Cell, area: Area, node: Node) -> None:
        draws_here = not (self.omits_slots and cell.source is not None and cell.number is not None)
        self._draw_cell_frame(item, cell, area, is_shaded=draws_here)
        x, y, w, h = area
        middle_x = x + (w - item.decimal_w - SIGN_ROOM * bool(cell.mark)) / 2
        middle = (middle_x, y + (h - item.exact_h) / 2 + EXACT_LIFT * bool(item.exact_h) + item.drop)
        if self.is_form and cell.address and cell.kind in (CellKind.BLANK, CellKind.ANEW) and not cell.number:
            form_field = make_cell_field(self.drawn.tree.page, item, cell, area, self.typography)
            self.drawn.fields.append(form_field)
            node.add("Form")
        look = make_number_look(cell, item, self.typography)
        if not draws_here:
            assert cell.source is not None
            content = self.canvas.reserve_content()
            self.drawn.numbers.append(NumberSlot(*middle, w, h, cell.source, look, content))
            node.kids.append(content)
        elif cell.number or cell.mark:
            node.kids.append(self.canvas.begin_content("TD"))
            if cell.mark:
                self._draw_sign(cell, cell.mark, area, look)
            if cell.number:
                draw_number(self.canvas, cell.number, look, *middle)
            self.canvas.end_content()
        small = self.typography.small_number_size
        if cell.decimal:
            place = x + w - DECIMAL_INSET, middle[1]
            right = NumberLook((small,), GridStyle.WORKED, item.decimal_w, h, colour=look.colour, is_right=True)
            self._draw_small_number(cell.decimal, cell.decimal_source, right, place, area, node)
        if cell.exact:
            place = x + w - EXACT_INSET, y + h - EXACT_BOTTOM - small.whole * MM_PER_POINT / 2
            right = NumberLook((small,), GridStyle.WORKED, w - EXACT_CELL_INSET, h, colour="soft", is_right=True)
            self._draw_small_number(cell.exact, cell.exact_source, right, place, area, node)

    def _draw_small_number(
        self,
        number: PrintedNumber,
        source: NumberSource | None,
        look: NumberLook,
        place: tuple[float, float],
        area: Area,
        node: Node,
    ) -> None:
        """Draw a number that ends at a place, or keep the place for it."""
        if self.omits_slots and source is not None:
            content = self.canvas.reserve_content()
            self.drawn.numbers.append(NumberSlot(*place, *area[2:], source, look, content))
            node.kids.append(content)
        elif str(number):
            node.kids.append(self.canvas.begin_content("TD"))
            draw_number(self.canvas, number, look, *place)
            self.canvas.end_content()

    def _draw_cell_frame(self, item: GridBox, cell: Cell, area: Area, *, is_shaded: bool) -> None:
        canvas, grid = self.canvas, item.grid
        thickness = _find_border(item, cell)
        if cell.mark:
            canvas.fill_area(area, get_colour("paper"))
            colour = get_colour("red" if cell.mark in ERROR_MARKS else "edge")  # what is right is never red
            canvas.draw_frame(area, thickness, colour, dash=MARK_DASHES.get(cell.mark, ""))
            return
        if grid.style is GridStyle.WORKED and cell.kind is CellKind.GIVEN:
            canvas.fill_area(area, get_colour("given"))
        elif grid.style is GridStyle.HEAT and is_shaded:
            canvas.fill_area(area, SHADES[cell.shade])
        if grid.style is GridStyle.WORKED:
            canvas.draw_frame(area, thickness, get_colour("ink" if item.is_lone else "edge"))
        elif grid.style is GridStyle.COPY:
            canvas.draw_frame(area, thickness, get_colour("edge"), dash="dashed")

    def _draw_sign(self, cell: Cell, mark: Mark, area: Area, look: NumberLook) -> None:
        x, y, w, _ = area
        is_error = mark in ERROR_MARKS
        whole = look.find_size(cell.number).whole if cell.number else look.sizes[0].whole
        points = whole * (ERROR_SIGN_SIZE if is_error else MARK_SIGN_SIZE)
        border = MARK_BORDERS.get(mark, LONE_BORDER)
        sign = MARK_SIGNS[mark]
        text = make_bold_text(sign) if is_error else make_plain_text(sign)
        size = points * MM_PER_POINT
        right, top = x + w - border - SIGN_RIGHT, y + border + SIGN_TOP
        self.canvas.show_text(
            sign,
            right - measure_width(text, points),
            top + find_baseline(size, 1.0),
            size,
            get_colour("red" if is_error else "soft"),
            is_bold=is_error,
            is_hidden=mark is Mark.BLANK,
        )


def _find_border(item: GridBox, cell: Cell) -> float:
    """Return how thick the frame of a cell is."""
    if cell.mark:
        return MARK_BORDERS.get(cell.mark, LONE_BORDER)
    if item.is_lone:
        return LONE_BORDER
    return BORDER if item.grid.style in (GridStyle.WORKED, GridStyle.COPY) else 0.0


def _find_cell_area(item: GridBox, row: int, column: int) -> Area:
    x, y = item.box.x + item.header_w + column * item.cell_w, item.box.y + item.header_h + row * item.cell_h
    return x, y, item.cell_w, item.cell_h


def make_number_look(cell: Cell, item: GridBox, typography: Typography) -> NumberLook:
    """Return how the number in a cell is set."""
    style = item.grid.style
    sizes, (width, height) = typography.number_sizes, item.inner_size
    if style.is_small or style is GridStyle.HEAT:
        sizes, width = (typography.small_number_size,), item.cell_w - EXACT_CELL_INSET
    is_answer = cell.kind in (CellKind.ANSWER, CellKind.ANEW) and style is GridStyle.WORKED and not cell.mark
    colour = "red" if is_answer else "soft" if style.is_small else "ink"
    return NumberLook(sizes, style, width, height, bool(cell.mark), colour, item.exact_h, typography.exact_points)


# text


def find_baseline(size: float, leading: float) -> float:
    """Return how far below the top of its line a text's baseline is."""
    font = load_font()
    return size * ((leading - font.ascent + font.descent) / 2 + font.ascent)


def show_runs(
    canvas: Canvas,
    text: Text,
    size: float,
    x: float,
    baseline: float,
    colour: str,
    *,
    bold_colour: str = "",
    is_hidden: bool = False,
) -> None:
    """Show a line of text with its sub- and superscripts."""
    bold_colour = bold_colour or colour
    for run, after in zip_longest(text, text[1:]):
        small = size * SCRIPT_SCALE if run.style in SCRIPT_DROP else size
        x = canvas.show_text(
            run.text,
            x,
            baseline + SCRIPT_DROP.get(run.style, 0.0) * small,
            small,
            get_accent(canvas, run.accent) if run.accent else bold_colour if run.style is RunStyle.BOLD else colour,
            is_bold=run.style is RunStyle.BOLD or run.is_bold,
            is_italic=run.is_italic,
            is_hidden=is_hidden,
        )
        x += measure_lean(run, after) * small if after else 0.0


def draw_paragraph(
    canvas: Canvas, paragraph: Paragraph, typography: Typography, x: float, y: float, lines: tuple[Text, ...]
) -> float:
    """Draw the lines of a paragraph from a point down, and return its height with the gap below it."""
    size = typography.paragraph_points[paragraph.style] * MM_PER_POINT
    colour = get_colour(PARAGRAPH_COLOURS.get(paragraph.style, "ink"))
    bold_colour = get_colour("red") if paragraph.style in (ParagraphStyle.KEY, ParagraphStyle.SOLUTION) else ""
    baseline, height = y + find_baseline(size, typography.leading), size * typography.leading
    for number, line in enumerate(lines):
        text = embolden(line) if paragraph.heading_level else line
        show_runs(canvas, text, size, x, baseline + number * height, colour, bold_colour=bold_colour)
    return len(lines) * height + typography.paragraph_gap


def draw_flow(canvas: Canvas, item: FlowBox, typography: Typography) -> None:
    """Draw the flow of the computation: ink for what the page has, paler for the rest."""
    size = typography.paragraph_points[ParagraphStyle.SMALL] * MM_PER_POINT
    for rule in item.rules:
        canvas.fill_area(rule, get_colour("edge"))
    for word in item.words:
        show_runs(canvas, word.text, size, word.x, word.baseline, get_colour("ink" if word.is_here else "soft"))


# numbers


def draw_number(canvas: Canvas, number: PrintedNumber, look: NumberLook, x: float, y: float) -> None:
    """Draw a number with its middle at a point."""
    if number.note and look.style is GridStyle.COPY:
        number = replace(number, note="")
    colour = get_colour(look.colour)
    sizes = look.find_size(number)
    size, part, note = (points * MM_PER_POINT for points in sizes)
    if look.is_marked:
        note = look.sizes[-1].note * MM_PER_POINT
    font = load_font()
    line = measure_number_line(number, sizes)
    is_note_below = number.note and not look.exact_h
    top = y - (line.ascent + line.descent + (note * NOTE_LEADING if is_note_below else 0.0)) / 2
    base = top + line.ascent
    sign = font.measure(number.text) * size
    if look.is_right:
        x -= sign / 2
    if not number.is_fraction:
        canvas.show_text(number.text, x - sign / 2, base, size, colour)
    else:
        half, within = part * FRACTION_LEADING, find_baseline(part, FRACTION_LEADING)
        over_w, under_w = (font.measure(text) * part for text in (number.top, number.bottom))
        wide = max(over_w, under_w) + FRACTION_BAR_OVERHANG
        sign += FRACTION_SIGN_GAP * bool(number.text)
        left = x + sign - (sign + wide) / 2
        if number.text:
            canvas.show_text(number.text, left - sign, base, size, colour)
        over = base - line.fraction_middle - line.fraction_height / 2
        bar = over + half
        under = bar + FRACTION_BAR_THICKNESS
        canvas.show_text(number.top, left + (wide - over_w) / 2, over + within, part, colour)
        slash = left + (wide - font.measure("/") * HIDDEN_SLASH_SIZE) / 2
        hidden = under + find_baseline(HIDDEN_SLASH_SIZE, 0.0)
        canvas.show_text("/", slash, hidden, HIDDEN_SLASH_SIZE, colour, is_hidden=True)
        canvas.show_text(number.bottom, left + (wide - under_w) / 2, under + within, part, colour)
        canvas.fill_area((left, bar, wide, FRACTION_BAR_THICKNESS), colour)
    if number.note and look.exact_h:
        if fits_beside_exact(number.note, look.exact_points, look.max_width + CELL_INSET_WIDTH):
            below = y + look.max_height / 2 + look.exact_h - NOTE_LIFT
            canvas.show_text(number.note, x - look.max_width / 2, below, look.exact_points * MM_PER_POINT, colour)
    elif number.note:
        width = load_font().measure(number.note) * note
        baseline = base + line.descent + find_baseline(note, NOTE_LEADING)
        canvas.show_text(number.note, x - width / 2, baseline, note, get_colour("soft"))


# the QR code


def draw_qr(canvas: Canvas, code: str, x: float, y: float, side: float) -> None:
    """Draw a QR code with its quiet zone."""
    rows = make_qr_rows(code)
    modules = len(rows) + 2 * QR_BORDER
    areas: list[Area] = []
    for row, runs in enumerate(rows):
        for start, length in runs:
            areas.append((QR_BORDER + start, QR_BORDER + row, length, 1))
    canvas.fill_area((x, y, side, side), "#fff")
    canvas.fill_areas(areas, "#000", origin=(x, y), unit=side / modules)


@lru_cache(maxsize=4)
def make_qr_rows(code: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return where the dark modules of a QR code begin and how many there are, row by row."""
    rows = []
    for row in segno.make(code, error="m", micro=False, mask=QR_MASK).matrix:
        rows.append(tuple((found.start(), found.end() - found.start()) for found in re.finditer(rb"\x01+", row)))
    return tuple(rows)
