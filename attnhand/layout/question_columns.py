"""The questions at the end of a sheet, three side by side: each above the box for its answer, the reason below it.

Two that are alone have half of the page each.

Boxes stand at the same places on blank and key; a key has the answer in the place of its box.
"""

from collections.abc import Sequence
from itertools import groupby

from attnhand.attention.questions import Part
from attnhand.layout.page import Box, GridBox, Item, Paragraph, RuleBox, TextBox, make_text_box, measure_text_height
from attnhand.layout.page_grid import GUTTER, PLACE_COUNT, PLACE_WIDTH, PageGrid
from attnhand.layout.question_room import QuestionRoom, RowRoom
from attnhand.layout.try_rows import TryRows
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

ANSWER_GAP = 0.6 * UNIT
"""Between a question, the box for its answer, and the line for its reason."""

ROW_GAP = 2 * UNIT
"""Between two rows of questions."""


def _split_rows(questions: Sequence[AskedQuestion], per_row: int) -> list[tuple[AskedQuestion, ...]]:
    """Return questions row by row: so many side by side, and the cells of each try in a row of their own."""
    rows = []
    for try_id, group in groupby(questions, lambda each: each.posed.try_id):
        own = tuple(group)
        step = len(own) if try_id else per_row
        rows += [own[at : at + step] for at in range(0, len(own), step)]
    return rows


def _has_place_to_answer(question: AskedQuestion) -> bool:
    """Say whether there is a box or a writing line below a question: what is shaded is shaded elsewhere."""
    return bool(question.name) or question.part is not Part.SHADING


class QuestionColumns:
    """Measures and places the questions of a sheet, the same on both faces."""

    def __init__(
        self,
        grid: PageGrid,
        blank: QuestionPanel,
        key: QuestionPanel,
        sheet: Sheet,
        closing: tuple[list[Paragraph], list[Paragraph]],
        room: QuestionRoom | None,
    ) -> None:
        """Take the questions of both faces, and what each says at the end: below the last question of all.

        Args:
            room: what the questions of other sheets take, for which the places are made; None to make them for these.
        """
        self.closing = closing
        self.grid, self.type = grid, grid.typography
        self.sheets = (sheet.blank, sheet.key)
        self.per_row = 1 if grid.is_large else PLACE_COUNT
        self.rows = tuple(_split_rows(panel.questions, self.per_row) for panel in (blank, key))
        if not grid.is_large and [len(row) for row in self.rows[0] if not row[0].posed.try_id] == [2]:
            self.per_row = 2
        self.width = {1: grid.text_width, 2: (grid.text_width - GUTTER) / 2}.get(self.per_row, PLACE_WIDTH)
        self.answer_w, self.answer_h = (side * grid.scale for side in ANSWER_SIZE)
        self.line_height = self.type.find_line_height(ParagraphStyle.BODY)
        self.heading = [Paragraph(key.heading, ParagraphStyle.HEADING, heading_level=2)]
        self.heading_height = measure_text_height(self.heading, self.type, grid.text_width)
        self.tries = TryRows(grid, self.sheets)
        self.room = room or tuple(map(self._find_row_room, range(len(self.rows[0]))))

    def _find_row_room(self, at: int) -> RowRoom:
        """Return how much room a row takes, and least what every row has."""
        row = self.rows[0][at]
        if row[0].posed.try_id:
            own = self.tries.find_room(row, self.rows[1][at])
        else:
            pairs = [
                (sheet, each)
                for rows, sheet in zip(self.rows, self.sheets, strict=True)
                for each in rows[at]
                if each.name
            ]
            texts = [self._count_lines(self._make_text(each)) for _, each in pairs]
            reasons = [self._count_lines(self._make_reason(sheet, each)) for sheet, each in pairs if each.has_reason]
            own = RowRoom(max(texts, default=0), max(reasons, default=0))
        return RowRoom(max(own.text, own.least.text), max(own.more, own.least.more), own.end)

    def measure_rows(self) -> list[float]:
        """Return how high each row of questions is; the first with the heading."""
        heights = [self._measure_row(at) for at in range(len(self.rows[0]))]
        heights[0] += self.heading_height
        return heights

    def _measure_row(self, at: int) -> float:
        if self.rows[0][at][0].posed.try_id:
            return self.tries.measure(self.rows[0][at], self.room[at])
        text, reason = self._find_heights(at)
        has_box = any(map(_has_place_to_answer, self.rows[0][at]))
        own = self._measure_own(text, reason, has_box=has_box)
        if at < self._last_row:
            return own
        ends = [self._find_closing_top(face, at, text, reason) + self._measure_closing(face) for face in (0, 1)]
        return max(own, *ends)

    @property
    def _last_row(self) -> int:
        """The last row of questions that are no tries: what is said at the end stands in it."""
        rows = self.rows[0]
        return max((at for at, row in enumerate(rows) if not row[0].posed.try_id), default=-1)

    def _measure_closing(self, face: int) -> float:
        return measure_text_height(self.closing[face], self.type, self.width) if self.closing[face] else 0.0

    def _find_closing_top(self, face: int, at: int, text: float, reason: float) -> float:
        """Return where what is said at the end begins, below the last question of the last row and its writing line."""
        row = self.rows[0][at]
        if self.per_row > 1 and len(row) < self.per_row:
            return 0.0
        if row[-1].name:
            return self._measure_own(text, reason, has_box=True) + UNIT
        lines = self._count_lines(self._make_text(self.rows[1][at][-1]))
        return (min(lines * self.line_height, text) if face else text) + ANSWER_GAP + self.answer_h + UNIT

    def _measure_own(self, text: float, reason: float, *, has_box: bool) -> float:
        """Return how high a row is without what is said at the end."""
        return text + (ANSWER_GAP + self.answer_h) * has_box + (ANSWER_GAP + reason if reason else 0.0)

    def _find_heights(self, at: int) -> tuple[float, float]:
        """Return how high the questions of a row are, and what is below their boxes."""
        text = reason = 0.0
        for rows in self.rows:
            for question in rows[at]:
                lines = self.room[at].text if question.name else self._count_lines(self._make_text(question))
                text = max(text, lines * self.line_height)
                if question.name and question.has_reason:
                    reason = self.room[at].more * max(self.line_height, WRITING_LINE_HEIGHT * self.grid.scale)
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
        questions = self.rows[is_solved][row]
        if questions[0].posed.try_id:
            return items + self.tries.place(questions, self.room[row], y, is_solved=is_solved)
        text, reason = self._find_heights(row)
        for at, question in enumerate(questions):
            x = self.grid.left + at * (self.width + GUTTER)
            items += self._place_question(question, Box(x, y, self.width, text), reason, is_solved=is_solved)
        if row == self._last_row and (said := self.closing[is_solved]):
            at = len(questions) if len(questions) < self.per_row else len(questions) - 1
            top = y + self._find_closing_top(int(is_solved), row, text, reason)
            x = self.grid.left + at * (self.width + GUTTER)
            items.append(make_text_box(said, self.type, x, top, self.width))
        return items

    def _place_question(self, question: AskedQuestion, place: Box, reason: float, *, is_solved: bool) -> list[Item]:
        sheet = self.sheets[is_solved]
        paragraph = self._make_text(question)
        height = min(self._count_lines(paragraph) * self.line_height, place.h)
        items: list[Item] = [TextBox(box=place._replace(h=height), paragraphs=(paragraph,))]
        y = place.bottom + ANSWER_GAP
        if not question.name:
            if not is_solved and _has_place_to_answer(question):
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
        height = min(self._count_lines(paragraph) * self.line_height, reason)
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
