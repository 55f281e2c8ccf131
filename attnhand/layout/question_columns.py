"""The questions at the end of a sheet, three side by side: each above the box for its answer, the reason below it.

Boxes stand at the same places on blank and key; a key has the answer in the place of its box.
"""

from collections.abc import Sequence

from attnhand.attention.questions import Part
from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, TextBox, make_text_box, measure_text_height
from attnhand.layout.page_grid import GUTTER, PLACE_COUNT, PLACE_WIDTH, PageGrid
from attnhand.layout.typography import UNIT, ParagraphStyle
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

ANSWER_SIZE = (40.0, 7.35)
"""Of the box for an answer, in millimetres."""

WRITING_LINE_HEIGHT = 3 * UNIT
"""From one writing line to the next."""

MIN_QUESTION_LINES, MIN_REASON_LINES = 3, 2
"""For so many lines there is room at least, since another sheet may ask more."""

ANSWER_GAP = 0.6 * UNIT
"""Between a question, the box for its answer, and the line for its reason."""

ROW_GAP = 2 * UNIT
"""Between two rows of questions."""


class QuestionColumns:
    """Measures and places the questions of a sheet, the same on both faces."""

    def __init__(
        self,
        grid: PageGrid,
        blank: QuestionPanel,
        key: QuestionPanel,
        sheet: Sheet,
        closing: tuple[list[Paragraph], list[Paragraph]],
    ) -> None:
        """Take the questions of both faces, and what each says at the end: below the last question of all."""
        self.closing = closing
        self.grid, self.type = grid, grid.typography
        self.panels, self.sheets = (blank, key), (sheet.blank, sheet.key)
        self.width = grid.text_width if grid.is_large else PLACE_WIDTH
        self.per_row = 1 if grid.is_large else PLACE_COUNT
        self.answer_w, self.answer_h = (side * grid.scale for side in ANSWER_SIZE)
        self.line_height = self.type.find_line_height(ParagraphStyle.BODY)
        self.heading = [Paragraph(key.heading, ParagraphStyle.HEADING, heading_level=2)]
        self.heading_height = measure_text_height(self.heading, self.type, grid.text_width)

    def measure_rows(self) -> list[float]:
        """Return how high each row of questions is; the first with the heading."""
        heights = [self._measure_row(at) for at in range(0, len(self.panels[0].questions), self.per_row)]
        heights[0] += self.heading_height
        return heights

    def _measure_row(self, start: int) -> float:
        text, reason = self._find_heights(start)
        has_box = any(each.name for each in self._list_row(0, start))
        own = self._measure_own(text, reason, has_box=has_box)
        if start + self.per_row < len(self.panels[0].questions):
            return own
        ends = [self._find_closing_top(face, start, text, reason) + self._measure_closing(face) for face in (0, 1)]
        return max(own, *ends)

    def _measure_closing(self, face: int) -> float:
        return measure_text_height(self.closing[face], self.type, self.width) if self.closing[face] else 0.0

    def _find_closing_top(self, face: int, start: int, text: float, reason: float) -> float:
        """Return where what is said at the end begins, below the last question of the last row and its writing line."""
        last = self._list_row(0, start)[-1]
        if self.per_row > 1 and len(self._list_row(0, start)) < self.per_row:
            return 0.0
        if last.name:
            return self._measure_own(text, reason, has_box=True) + UNIT
        lines = self._count_lines(self._make_text(self._list_row(1, start)[-1]))
        return (lines * self.line_height if face else text) + ANSWER_GAP + self.answer_h + UNIT

    def _measure_own(self, text: float, reason: float, *, has_box: bool) -> float:
        """Return how high a row is without what is said at the end."""
        return text + (ANSWER_GAP + self.answer_h) * has_box + (ANSWER_GAP + reason if reason else 0.0)

    def _list_row(self, face: int, start: int) -> Sequence[AskedQuestion]:
        return self.panels[face].questions[start : start + self.per_row]

    def _find_heights(self, start: int) -> tuple[float, float]:
        """Return how high the questions of a row are, and what is below their boxes."""
        text = reason = 0.0
        for face, sheet in enumerate(self.sheets):
            for question in self._list_row(face, start):
                lines = self._count_lines(self._make_text(question))
                text = max(text, max(lines, MIN_QUESTION_LINES if question.name else 1) * self.line_height)
                if question.name and question.has_reason:
                    count = max(self._count_lines(self._make_reason(sheet, question)), MIN_REASON_LINES)
                    reason = max(reason, count * max(self.line_height, WRITING_LINE_HEIGHT * self.grid.scale))
        return text, reason

    def _count_lines(self, paragraph: Paragraph) -> int:
        return len(paragraph.break_lines(self.type, self.width))

    @staticmethod
    def _make_text(question: AskedQuestion) -> Paragraph:
        if not question.name:
            return Paragraph(question.text)
        return Paragraph(format_question_line(question), slot=Slot(SlotKind.QUESTION, question.name))

    @staticmethod
    def _make_reason(sheet: Sheet, question: AskedQuestion) -> Paragraph:
        if sheet.is_solved:
            return Paragraph(format_reason_line(sheet, question), slot=Slot(SlotKind.REASON, question.name))
        return Paragraph(make_plain_text(sheet.say("ask.because")))

    def place_row(self, row: int, *, is_solved: bool, y: float) -> list[Item]:
        """Return a row of questions from a height on down; the first below the heading."""
        items: list[Item] = []
        if row == 0:
            items.append(make_text_box(self.heading, self.type, self.grid.left, y, self.grid.text_width))
            y += self.heading_height
        start = row * self.per_row
        text, reason = self._find_heights(start)
        for at, question in enumerate(self._list_row(int(is_solved), start)):
            x = self.grid.left + at * (PLACE_WIDTH + GUTTER)
            items += self._place_question(question, Box(x, y, self.width, text), reason, is_solved=is_solved)
        if start + self.per_row >= len(self.panels[0].questions) and (said := self.closing[is_solved]):
            last_row = self._list_row(0, start)
            at = len(last_row) if len(last_row) < self.per_row else len(last_row) - 1
            x = self.grid.left + at * (PLACE_WIDTH + GUTTER)
            top = y + self._find_closing_top(int(is_solved), start, text, reason)
            items.append(make_text_box(said, self.type, x, top, self.width))
        return items

    def _place_question(self, question: AskedQuestion, place: Box, reason: float, *, is_solved: bool) -> list[Item]:
        sheet = self.sheets[is_solved]
        paragraph = self._make_text(question)
        height = self._count_lines(paragraph) * self.line_height
        items: list[Item] = [TextBox(box=place._replace(h=height), paragraphs=(paragraph,))]
        y = place.bottom + ANSWER_GAP
        if not question.name:
            if not is_solved and question.part is not Part.SHADING:
                bottom = y + self.answer_h
                rule = Box(place.x, bottom, place.w, 0.0)
                items.append(RuleBox(box=rule, spoken_name=to_unicode(paragraph.text)))
            return items
        if is_solved:
            answer = Paragraph(
                format_answer_line(question), ParagraphStyle.SOLUTION, slot=Slot(SlotKind.ANSWER, question.name)
            )
            box = Box(place.x, y + (self.answer_h - self.line_height) / 2, place.w, self.line_height)
            items.append(TextBox(box=box, paragraphs=(answer,)))
        else:
            box = Box(place.x, y, self.answer_w, self.answer_h)
            items.append(GridBox(box, build_answer_grid(sheet, question), self.answer_w, self.answer_h, 0.0, 0.0))
        if not question.has_reason:
            return items
        y += self.answer_h + ANSWER_GAP
        paragraph = self._make_reason(sheet, question)
        height = self._count_lines(paragraph) * self.line_height
        items.append(TextBox(box=Box(place.x, y, place.w, height), paragraphs=(paragraph,)))
        if not is_solved:
            items += self._place_lines(paragraph, Box(place.x, y, place.w, reason))
        return items

    def _place_lines(self, paragraph: Paragraph, place: Box) -> list[Item]:
        """Return writing lines for a reason: the first behind its first word, the rest from edge to edge."""
        points = self.type.paragraph_points[ParagraphStyle.BODY]
        indent = measure_width(paragraph.text, points) * 1.01 + 1.0
        items: list[Item] = []
        pitch = max(WRITING_LINE_HEIGHT * self.grid.scale, self.line_height)
        for at in range(round(place.h / pitch)):
            begin = indent if not at else 0.0
            y = place.y + self.line_height * 0.85 + at * pitch
            box = Box(place.x + begin, y, place.w - begin, 0.0)
            items.append(RuleBox(box=box, spoken_name=to_unicode(paragraph.text) if not at else ""))
        return items
