"""The questions at the end of a sheet: each with a box for its answer, or a writing line.

Boxes stand at the same places on blank and key, and on all sheets of one kind: a row has room for two lines of text,
whatever this sheet asks there.
"""

from attnhand.attention.questions import Part
from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, TextBox, make_heading_rule, make_text_box
from attnhand.layout.setting import Setting
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.document import QuestionPanel
from attnhand.sheet.questions import (
    AskedQuestion,
    build_answer_grid,
    format_answer_line,
    format_question_line,
    format_reason_line,
)
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import make_plain_text, measure_width, to_unicode

ANSWER_SIZE = (30.0, 6.6)
"""Of the box for an answer, in millimetres."""

ANSWER_GAP = 3.0
"""Between that box and its question, which stands right of it: no eye has to find its line across the page."""

MIN_BLOCK_WIDTH = 150.0
"""Where there is less room, questions stand below what else closes the sheet, not beside it."""

SHORT_TEXT_WIDTH = 145.0
"""Readings are one line where there is so much room."""

TEXT_INSET = 0.8
"""From the top of a row to its text, so that one line stands beside the middle of its box."""

WRITING_LINE_HEIGHT = 6.0
"""Of a writing line."""

MIN_WRITING_LINE_LENGTH = 20.0
"""No shorter writing line is worth drawing."""

ROW_GAP, OWN_PAGE_ROW_GAP = 0.6, 4.0
"""Between questions: below stages, and where they have a page of their own and room to write."""


class QuestionBlock:
    """Places the questions of one sheet."""

    def __init__(self, sheet: Sheet, setting: Setting, width: float, row_gap: float = ROW_GAP) -> None:
        self.known_line_counts = setting.closing.line_counts if setting.closing else ()
        self.line_counts: list[int] = []
        """How many lines each marked question takes that was placed, and each reason."""

        self.sheet, self.setting, self.typography, self.width = sheet, setting, setting.typography, width
        self.row_gap = row_gap
        self.scale = setting.type_scale
        self.answer_w, self.answer_h = (side * self.scale for side in ANSWER_SIZE)
        self.line_height = setting.typography.find_line_height(ParagraphStyle.BODY)

    def place(self, panel: QuestionPanel, x: float, y: float) -> list[Item]:
        """Return the heading and the questions from a point on down."""
        heading = [Paragraph(panel.heading, ParagraphStyle.HEADING, heading_level=2)]
        items: list[Item] = [make_text_box(heading, self.typography, x, y, self.width)]
        if not self.setting.is_rows and not self.setting.has_one_product_per_page:
            items.append(make_heading_rule(x, y, self.width))
        y = items[0].box.bottom + ROW_GAP
        for question in panel.questions:
            if question.name:
                row, y = self._place_marked(question, x, y)
            else:
                row, y = self._place_talk(question, x, y)
            items += row
        return items

    def _place_marked(self, question: AskedQuestion, x: float, y: float) -> tuple[list[Item], float]:
        """Return a question with its box and a writing line for the reason; and where the next one begins."""
        indent = self.answer_w + ANSWER_GAP
        text_w = self.width - indent
        slot = Slot(SlotKind.QUESTION, question.name)
        paragraph = Paragraph(format_question_line(question), slot=slot)
        lines = len(paragraph.break_lines(self.typography, text_w))
        least = 1 if not question.has_reason and text_w >= SHORT_TEXT_WIDTH * self.scale else 2
        text_h = self._count_lines(lines, least) * self.line_height
        place = Box(x + indent, y + TEXT_INSET, text_w, lines * self.line_height)
        items: list[Item] = [TextBox(box=place, paragraphs=(paragraph,)), self._make_answer_box(question, x, y)]
        y += max(self.answer_h, text_h + TEXT_INSET) + self.row_gap
        if question.has_reason:
            row, y = self._place_reason(question, x, indent, y)
            items += row
        return items, y

    def _make_answer_box(self, question: AskedQuestion, x: float, y: float) -> Item:
        """Return the box to write in, or what a key has in its place."""
        if self.sheet.is_solved:
            text, slot = format_answer_line(question), Slot(SlotKind.ANSWER, question.name)
            answer = Paragraph(text, ParagraphStyle.SOLUTION, slot=slot)
            return TextBox(box=Box(x, y + TEXT_INSET, self.answer_w, self.line_height), paragraphs=(answer,))
        box = Box(x, y, self.answer_w, self.answer_h)
        return GridBox(box, build_answer_grid(self.sheet, question), self.answer_w, self.answer_h, 0.0, 0.0)

    def _place_reason(self, question: AskedQuestion, x: float, indent: float, y: float) -> tuple[list[Item], float]:
        """Return a writing line for the reason, or the reason, below the text of its question."""
        because = make_plain_text(self.sheet.say("ask.because"))
        paragraph = Paragraph(because)
        if self.sheet.is_solved:
            paragraph = Paragraph(format_reason_line(self.sheet, question), slot=Slot(SlotKind.REASON, question.name))
        least = 1 if self.width >= MIN_BLOCK_WIDTH * self.scale else 2
        lines = self._count_lines(len(paragraph.break_lines(self.typography, self.width - indent)), least)
        height = max(WRITING_LINE_HEIGHT * self.scale, lines * self.line_height + TEXT_INSET)
        return self._place_writing_line(
            paragraph, x + indent, y, height, self.width - indent
        ), y + height + self.row_gap

    def _count_lines(self, lines: int, least: int) -> int:
        """Return for how many lines a text has room: as many as it takes, here and on the key."""
        known = self.known_line_counts[len(self.line_counts)] if self.known_line_counts else 0
        self.line_counts.append(lines)
        return max(lines, least, known)

    def _place_talk(self, question: AskedQuestion, x: float, y: float) -> tuple[list[Item], float]:
        """Return a question that is talked about, with a writing line where something is written."""
        paragraph = Paragraph(question.text)
        lines = len(paragraph.break_lines(self.typography, self.width))
        height = max(WRITING_LINE_HEIGHT * self.scale, lines * self.line_height + 2 * TEXT_INSET)
        row = self._place_writing_line(paragraph, x, y, height, self.width)
        return row[:1] if question.part is Part.SHADING else row, y + height + self.row_gap

    def _place_writing_line(self, paragraph: Paragraph, x: float, y: float, height: float, width: float) -> list[Item]:
        """Return words with a writing line behind them, as far as so many millimetres go; a key has none."""
        bottom, points = y + height - TEXT_INSET, self.typography.paragraph_points[ParagraphStyle.BODY]
        text_w = min(measure_width(paragraph.text, points) * 1.01 + 1.0, width)
        if paragraph.slot:  # another sheet's reason may be longer
            text_w = width
        text_h = len(paragraph.break_lines(self.typography, text_w)) * self.line_height
        text = TextBox(box=Box(x, bottom - text_h, text_w, text_h), paragraphs=(paragraph,))
        left = width - text_w - 1.0
        if self.sheet.is_solved or left < MIN_WRITING_LINE_LENGTH * self.scale:
            return [text]
        rule = RuleBox(box=Box(x + text_w + 1.0, bottom, left, 0.0), spoken_name=to_unicode(paragraph.text))
        return [text, rule]
