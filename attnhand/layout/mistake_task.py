"""The mistake to find, as pages have it: what is to be done, and where one writes which cell, its number and why."""

from dataclasses import replace

from attnhand.layout.page import Box, Item, Paragraph, RuleBox, TextBox, make_text_box
from attnhand.layout.page_grid import PageGrid
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.document import MistakeTask, build_mistake_task
from attnhand.sheet.questions import AskedQuestion
from attnhand.text.widths import measure_width, to_unicode

ROW_HEIGHT = 7.0
"""Of a writing line, in millimetres."""

WRITING_LINE_INSET = 1.2
"""Between a writing line and the bottom of its row."""

MIN_SHORT_WRITING_LINE = 24.0
"""So long is at least the writing line for a cell, or a number."""

GAP_BETWEEN, GAP_BEHIND_LABEL = 4.0, 1.5
"""Between two questions in a row, and between a question and its writing line."""


class MistakeTaskBlock:
    """Places the task of one sheet; its key has as much room for what it says instead."""

    def __init__(self, grid: PageGrid, x: float, width: float) -> None:
        self.typography, self.scale = grid.typography, grid.scale
        self.x, self.width = x, width

    def place(self, task: MistakeTask, y: float) -> list[Item]:
        """Return sentences and writing lines from a point down, in boxes that end where those of the other face do."""
        own, other = self._place_face(task, y), self._place_face(build_mistake_task(task.sheet.other_face), y)
        bottom = max(item.box.bottom for item in (*own, *other))
        if len(own) == 1:
            return [replace(own[0], box=own[0].box._replace(h=bottom - y))]
        return own

    def _place_face(self, task: MistakeTask | None, y: float) -> list[Item]:
        assert task is not None
        sentences = [Paragraph(text) for text in task.sentences]
        items: list[Item] = [make_text_box(sentences, self.typography, self.x, y, self.width)]
        y = items[0].box.bottom
        for row in self._arrange_rows(task.questions):
            y += ROW_HEIGHT * self.scale
            x, share = self.x, (self.width - GAP_BETWEEN * (len(row) - 1) - sum(map(self._measure, row))) / len(row)
            for question in row:
                items += self._place_question(question, x, y - WRITING_LINE_INSET, share)
                x += self._measure(question) + share + GAP_BETWEEN
        return items

    def _arrange_rows(self, questions: tuple[AskedQuestion, ...]) -> list[tuple[AskedQuestion, ...]]:
        """Put the cell and its number on one row where there is room for both; the words have one of their own."""
        if not questions:
            return []
        cell, number, words = questions
        both = sum(self._measure(each) + MIN_SHORT_WRITING_LINE * self.scale for each in (cell, number)) + GAP_BETWEEN
        return [(cell, number), (words,)] if both <= self.width else [(cell,), (number,), (words,)]

    def _measure(self, question: AskedQuestion) -> float:
        points = self.typography.paragraph_points[ParagraphStyle.BODY]
        return measure_width(question.text, points) * 1.01 + GAP_BEHIND_LABEL

    def _place_question(self, question: AskedQuestion, x: float, bottom: float, length: float) -> list[Item]:
        height, width = self.typography.find_line_height(ParagraphStyle.BODY), self._measure(question)
        text = TextBox(box=Box(x, bottom - height + 0.8, width, height), paragraphs=(Paragraph(question.text),))
        rule = RuleBox(
            box=Box(x + width, bottom, length, 0.0), field_name=question.name, spoken_name=to_unicode(question.text)
        )
        return [text, rule]
