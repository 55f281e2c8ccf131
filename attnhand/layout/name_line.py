"""The line for the name, and № and name on the pages of a student's sheet.

Where a box stands depends on no name, so that a whole class has one layout; a name too long for its box is set
smaller, then cut.
"""

from dataclasses import replace

from attnhand.layout.page import HEADER_FIELDS, Box, Item, Paragraph, RuleBox, TextBox
from attnhand.layout.page_grid import PageGrid
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet.conclusion import format_number_line
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import (
    Text,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_markup,
    replace_missing_characters,
    to_unicode,
)

NUMBER_TOP, LATER_NAME_TOP = 9.5, 9.0
"""Where the line of the № begins, and that of the name on later pages: 10 mm from the edge there is nothing yet."""

FIELD_SHARES = (("name", 0.55), ("date", 0.2), ("total", 0.25))
"""What is written on the first page, and its share of the name line; later pages have the name alone."""

LATER_NAME_SHARE = 0.6

MIN_RULE_WIDTH, GAP_BEHIND_FIELD = 12.0, 4.0
"""Room to write a date or a total, in millimetres: where their shares leave less, the name has less."""


MIN_NAME_LETTERS = 8
"""So much of a name is left before what stands behind it."""


def fit_name(name: str, max_width: float, typography: Typography, *, behind: str = "") -> Paragraph:
    """Return a name in one line, in the larger type if it fits; cut where even the smaller is too large.

    What stands behind the name is kept where there is room for it alone.

    >>> from attnhand.layout.typography import REGULAR_TYPOGRAPHY
    >>> fit_name("Ada", 60, REGULAR_TYPOGRAPHY).style.value, fit_name("Ada" * 10, 60, REGULAR_TYPOGRAPHY).style.value
    ('heading', 'body')
    >>> to_unicode(fit_name("Ada" * 100, 20, REGULAR_TYPOGRAPHY).text)
    'AdaAdaA…'
    """
    printable, behind = replace_missing_characters(name), replace_missing_characters(behind)

    def fits(text: str, style: ParagraphStyle) -> bool:
        return measure_width(make_bold_text(text), typography.paragraph_points[style]) * 1.02 <= max_width

    for style in (ParagraphStyle.HEADING, ParagraphStyle.BODY):
        if fits(printable + behind, style):
            return Paragraph(make_bold_text(printable + behind), style)
    if not fits(f"{printable[:MIN_NAME_LETTERS]}…{behind}", ParagraphStyle.BODY):
        behind = ""
    while printable and not fits(f"{printable}…{behind}", ParagraphStyle.BODY):
        printable = printable[:-1]
    return Paragraph(make_bold_text(f"{printable.rstrip()}…{behind}"), ParagraphStyle.BODY)


def make_name_paragraph(sheet: Sheet, max_width: float, typography: Typography) -> Paragraph:
    """Return the student's name in a type size that fits a width."""
    assert sheet.seat is not None
    return replace(
        fit_name(sheet.seat.name, max_width, typography, behind=sheet.seat.group_and_id), slot=Slot(SlotKind.NAME)
    )


class NameLine:
    """Name, date and total on a sheet's pages, and № where it has one."""

    def __init__(self, sheet: Sheet, grid: PageGrid) -> None:
        self.sheet, self.seat, self.typography = sheet, sheet.seat, grid.typography
        self.text_width, self.left = grid.text_width, grid.left

    @property
    def height(self) -> float:
        """The height of the name line, with room to write."""
        return self.typography.find_line_height(ParagraphStyle.BODY) + 5.0

    @property
    def number_bottom(self) -> float:
        """Where the № ends, in millimetres from the top; the QR code stands below."""
        return NUMBER_TOP + self.typography.find_line_height(ParagraphStyle.NUMBER) if self.seat else 0.0

    def make_number_box(self, right: float) -> tuple[Item, ...]:
        """Return the № at the outer corner, up to a place."""
        if self.seat is None:
            return ()
        placeholder = parse_markup(format_number_line(self.sheet, self.seat.placeholder))
        width = measure_width(placeholder, self.typography.paragraph_points[ParagraphStyle.NUMBER]) * 1.02
        # a fourth digit has room
        width += measure_width(make_plain_text("0"), self.typography.paragraph_points[ParagraphStyle.NUMBER])
        x = right - width
        text = parse_markup(format_number_line(self.sheet, self.seat))
        number = Paragraph(text, ParagraphStyle.NUMBER, slot=Slot(SlotKind.NUMBER))
        items: list[Item] = [self._make_text_line(number, x, NUMBER_TOP, width)]
        if self.seat.is_spare:
            word = parse_markup(self.sheet.say("seat.spare"))
            w = measure_width(word, self.typography.paragraph_points[ParagraphStyle.HEADING]) * 1.02 + 2.0
            y = self.number_bottom - self.typography.find_line_height(ParagraphStyle.HEADING) - 0.6
            items.append(self._make_text_line(Paragraph(word, ParagraphStyle.HEADING), x - w - 1.0, y, w))
        return tuple(items)

    def make_first_page_line(self, y: float, max_width: float) -> tuple[Item, ...]:
        """Return the line of the first page: "Name ____ Date ____ Total ____ / 116", or on the key what it is."""
        if self.sheet.is_solved:
            return self._make_key_line(y, max_width)
        return self._make_blank_line(FIELD_SHARES if self.sheet.answer_cell_count else FIELD_SHARES[:2], y, max_width)

    def make_later_page_line(self, y: float) -> tuple[Item, ...]:
        """Return the line of another page."""
        if self.sheet.is_solved:
            return self._make_key_line(y, self.text_width * LATER_NAME_SHARE if self.seat else self.text_width)
        return self._make_blank_line((("name", LATER_NAME_SHARE),), y, self.text_width)

    def _make_key_line(self, y: float, max_width: float) -> tuple[Item, ...]:
        label = Paragraph(parse_markup(f"**{self.sheet.say('key')}**"), ParagraphStyle.KEY)
        text_h = self.typography.find_line_height(ParagraphStyle.KEY)
        y += self.height - text_h - 1
        w = measure_width(label.text, self.typography.paragraph_points[ParagraphStyle.KEY]) * 1.02 + 1.0
        if not self.seat or not self.seat.name:
            return (self._make_text_line(label, self.left, y, w),)
        name_box = self._make_name_box(self.left + w + 4.0, y + text_h, max_width - w - 4.0)
        return (self._make_text_line(label, self.left, y, w), name_box)

    def _make_text_line(self, paragraph: Paragraph, x: float, y: float, w: float) -> TextBox:
        """Return one line of text; its box is as high as a line, whatever it says."""
        return TextBox(box=Box(x, y, w, self.typography.find_line_height(paragraph.style)), paragraphs=(paragraph,))

    def _make_name_box(self, x: float, bottom: float, max_width: float) -> TextBox:
        text_h = self.typography.find_line_height(ParagraphStyle.HEADING)
        paragraph = make_name_paragraph(self.sheet, max_width, self.typography)
        return TextBox(box=Box(x, bottom - text_h, max_width, text_h), paragraphs=(paragraph,))

    def _make_blank_line(self, shares: tuple[tuple[str, float], ...], y: float, max_width: float) -> tuple[Item, ...]:
        sheet, bottom, text_h = self.sheet, y + self.height, self.typography.find_line_height(ParagraphStyle.BODY)
        is_first = shares[0] == FIELD_SHARES[0]
        items: list[Item] = []
        x = self.left
        for key, width in self._share_width(shares, max_width):
            w = width - GAP_BEHIND_FIELD
            if key == "name" and sheet.seat and sheet.seat.name and not (sheet.options.fillable and is_first):
                items.append(self._make_name_box(x, bottom - 0.6, w))
                x += width
                continue
            label, tail = self._make_field_texts(key)
            label_w, tail_w = self._measure_field_texts(key)
            items.append(self._make_text_line(Paragraph(label), x, bottom - text_h - 1, label_w))
            rule = RuleBox(box=Box(x + label_w, bottom - 2.0, w - label_w - tail_w, 0.0))
            if is_first and key in HEADER_FIELDS:
                initial_value = sheet.seat.number_and_name if sheet.seat and key == "name" else ""
                rule = replace(rule, field_name=key, spoken_name=to_unicode(label), initial_value=initial_value)
            items.append(rule)
            if tail:
                total = Paragraph(tail, is_total=True)
                items.append(self._make_text_line(total, x + w - tail_w + 1, bottom - text_h - 1, tail_w))
            x += width
        return tuple(items)

    def _share_width(self, shares: tuple[tuple[str, float], ...], max_width: float) -> list[tuple[str, float]]:
        """Return what is written on the name line and how wide each is: the name has what date and total leave."""
        others = [
            (key, max(max_width * share, sum(self._measure_field_texts(key)) + MIN_RULE_WIDTH + GAP_BEHIND_FIELD))
            for key, share in shares[1:]
        ]
        whole = max_width * sum(share for _, share in shares)
        return [(shares[0][0], whole - sum(width for _, width in others)), *others]

    def _make_field_texts(self, key: str) -> tuple[Text, Text]:
        """Return what stands before a writing line, and behind it: "Total", "/ 116"."""
        tail = parse_markup(self.sheet.say("out_of", cells=self.sheet.answer_cell_count)) if key == "total" else ()
        return parse_markup(self.sheet.say(key)), tail

    def _measure_field_texts(self, key: str) -> tuple[float, float]:
        points = self.typography.paragraph_points[ParagraphStyle.BODY]
        label_w, tail_w = (measure_width(text, points) + 1.5 if text else 0.0 for text in self._make_field_texts(key))
        return label_w, tail_w
