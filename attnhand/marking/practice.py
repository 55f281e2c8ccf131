"""Practice, row by row: what is asked next, each entry judged, hints from the student's own numbers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import use_typographic_signs
from attnhand.attention.spellings import read_number
from attnhand.errors import NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.feedback import describe_question_mark
from attnhand.marking.marks import CellMark, Note
from attnhand.marking.question_marks import QuestionMark
from attnhand.marking.reasons import describe_diagnosis, explain_diagnosis, work_out_cell
from attnhand.marking.three_more import ThreeMore
from attnhand.sheet.addresses import format_headed_address
from attnhand.sheet.conclusion import build_comparison_sentences, list_favourites
from attnhand.sheet.explain import CellWriter
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.hints import build_hints
from attnhand.sheet.panels import build_panels
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sentences import format_lead
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.story import format_story_sentences
from attnhand.text.widths import parse_markup, to_unicode

TRIES_BEFORE_ANSWER = 2
"""How often a cell must have been tried before a hint tells its number."""

MAX_NAMED_CELLS = 4
"""Cells that something follows from which are named one by one."""


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """A row of a stage, as it is asked."""

    stage: Stage
    row: int
    columns: tuple[int, ...]
    """0-based, as the row."""


class Practice:
    """One student at one sheet: every entry is marked at once, a wrong one can be mended or left."""

    def __init__(self, sheet: Sheet, earlier_texts: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.sheet = sheet
        on_paper = [panel.stage for panel in build_panels(sheet).list_panels()]
        stages = [stage for stage in on_paper if sheet.count_answer_cells(stage)]
        self.rows = [
            PracticeRow(stage, row, tuple(column for _, column in cells))
            for stage in stages
            for row, cells in groupby(sheet.list_asked_cells(stage), lambda cell: cell[0])
        ]
        self.questions = [question for question in build_questions(sheet) if question.name]
        """Asked when all rows were."""

        self.texts = {stage.name: self._make_start_texts(stage, earlier_texts.get(stage.name, ())) for stage in stages}
        for question in self.questions:
            earlier = earlier_texts.get(question.name, ())
            self.texts[question.name] = [[earlier[0][0] if earlier and earlier[0] else ""]]
        self.hint_counts: Counter[str] = Counter()
        """How often a hint was asked for each cell, by its address."""

        self.try_counts: Counter[str] = Counter()
        """How often a number that is not right was entered into each cell."""

        self.three_more: ThreeMore | None = None
        """New numbers at a stage that is done, after a slip there; they come before what is asked next."""

        self._slips: dict[str, tuple[str, ...]] = {}
        """The stages where something was wrong, each with the slips that it may have been."""

        self._result: CheckResult | None = None
        self.position = 0
        self._go_to_open_row(0)

    def _make_start_texts(self, stage: Stage, earlier_texts: Sequence[Sequence[str]]) -> list[list[str]]:
        rows, columns = (self.sheet.problem.get_length(axis) for axis in (stage.rows, stage.columns))
        fits = len(earlier_texts) == rows and all(len(row) == columns for row in earlier_texts)
        return [list(row) for row in earlier_texts] if fits else [[""] * columns for _ in range(rows)]

    def describe_story(self) -> tuple[str, ...]:
        """Say what the numbers are about, where they tell a story or are a part of a whole model."""
        story = self.sheet.problem.story
        sentences = format_story_sentences(self.sheet, story, is_typed=True) if story else ()
        if lead := format_lead(self.sheet):
            sentences = (lead,)
        return tuple(to_unicode(parse_markup(sentence)) for sentence in sentences)

    @property
    def current_row(self) -> PracticeRow | None:
        """The row that is asked now; None where there is nothing left."""
        return self.rows[self.position] if self.position < len(self.rows) else None

    @property
    def current_question(self) -> AskedQuestion | None:
        """The question that is asked now; None before the last row, and where there is nothing left."""
        at = self.position - len(self.rows)
        return self.questions[at] if 0 <= at < len(self.questions) else None

    @property
    def is_done(self) -> bool:
        return self.position >= len(self.rows) + len(self.questions) and self.three_more is None

    @property
    def is_begun(self) -> bool:
        """Whether anything was entered."""
        return any(text.strip() for rows in self.texts.values() for row in rows for text in row)

    @property
    def result(self) -> CheckResult:
        """Everything entered so far, marked."""
        if self._result is None:
            stages = {name: tuple(map(tuple, rows)) for name, rows in self.texts.items()}
            self._result = check_answers(Answers(code=self.sheet.code, stages=stages), self.sheet)
        return self._result

    @property
    def filled_count(self) -> int:
        return sum(mark.mark is not Mark.BLANK and self._is_typed(mark) for mark in self.result.marks.cells)

    def _is_typed(self, mark: CellMark) -> bool:
        """Say whether anything was typed for a cell: that which paper works as an example is printed here nowhere."""
        return bool(self.texts[mark.stage][mark.row][mark.column].strip())

    def find_open_cells(self) -> tuple[CellMark, ...]:
        """Return the cells of this row that are not right yet."""
        if (row := self.current_row) is None:
            return ()
        marks = [mark for mark in self.result.marks.cells if (mark.stage, mark.row) == (row.stage.name, row.row)]
        return tuple(mark for mark in marks if mark.mark not in COUNTED_MARKS or not self._is_typed(mark))

    def enter_values(self, typed: str) -> tuple[str, ...]:
        """Enter what was typed for this row, or for its first open cell, and return the verdict."""
        waiting = self.find_open_cells()
        if len(waiting) == 2 and _COMMA_BETWEEN_DIGITS.fullmatch(typed.strip()):
            one, two = (typed.strip().replace(",", mark) for mark in (".", " "))
            return (self.sheet.say("practice.comma", typed=typed.strip(), one=one, two=two),)
        values = _split_values(typed, len(waiting))
        if values is None:
            return (self.sheet.say("practice.count", cells=len(waiting)),)
        for mark, value in zip(waiting, values, strict=False):
            try:
                read_number(value)
            except NumberError as error:
                reason = self.sheet.language.translate(error)
                return (self.sheet.say("practice.unread", cell=self.name_cell(mark), reason=reason),)
        for mark, value in zip(waiting, values, strict=False):
            self._write_cell(mark.stage, mark.row, mark.column, value)
        return self._judge_entry([mark.address for mark in waiting[: len(values)]])

    def answer_question(self, typed: str) -> tuple[str, ...]:
        """Enter the answer to this question, and return the verdict; a right one with its reason."""
        question = self.current_question
        assert question is not None
        self._write_cell(question.name, 0, 0, typed)
        found = self._get_question_mark(question)
        if found.mark not in COUNTED_MARKS:
            self.try_counts[question.name] += found.mark is Mark.WRONG
            return (describe_question_mark(found, self.sheet),)
        self._go_to_open_row(self.position + 1)
        if found.mark is Mark.FOLLOWS:
            return (describe_question_mark(found, self.sheet),)
        return (" ".join(filter(None, (self.sheet.say("practice.right"), to_unicode(found.question.reason)))),)

    def _get_question_mark(self, question: AskedQuestion) -> QuestionMark:
        return next(mark for mark in self.result.question_marks if mark.question.name == question.name)

    def _judge_entry(self, addresses: Sequence[str]) -> tuple[str, ...]:
        """Say what the cells just entered are worth, and go on where the row is right."""
        found = self.result
        marks = [mark for mark in found.marks.cells if mark.address in addresses]
        off = [mark for mark in marks if mark.mark not in COUNTED_MARKS]
        if not off:
            if not self.find_open_cells():
                self._go_to_open_row(self.position + 1)
                self._offer_three_more(marks[0].stage)
            follows = [mark for mark in marks if mark.mark is Mark.FOLLOWS]
            return (self._describe_follows(follows) if follows else self.sheet.say("practice.right"),)
        self.try_counts.update(mark.address for mark in off)
        cells = [self.name_cell(mark) for mark in off]
        if all(mark.note is Note.TOO_FEW_DIGITS for mark in off):
            return (self.sheet.say("practice.digits", cells=cells, decimals=self.sheet.problem.rules.decimals),)
        diagnoses = [each for each in found.diagnoses if each.stage == off[0].stage]
        named = (each.catalogued_slips for each in diagnoses if each.catalogued_slips)
        self._slips[off[0].stage] = next(named, self._slips.get(off[0].stage, ()))
        slips = [
            sentence
            for each in diagnoses
            for sentence in (describe_diagnosis(each, self.sheet), *explain_diagnosis(each, found.marks, self.sheet))
        ]
        return (self.sheet.say("practice.not_yet", cells=cells), *slips)

    def _offer_three_more(self, stage: str) -> None:
        """Offer new numbers at a stage that is done, once, where something was wrong there."""
        is_left = any(mark.stage == stage and mark.mark not in COUNTED_MARKS for mark in self.result.marks.cells)
        if stage in self._slips and not is_left:
            three_more = ThreeMore(self.sheet, stage, self._slips.pop(stage))
            self.three_more = three_more if three_more.exercise else None

    def answer_exercise(self, typed: str) -> tuple[str, ...]:
        """Mark what was typed for the cell on new numbers, and return the verdict; three right in a row end them."""
        assert self.three_more is not None
        verdict = self.three_more.answer(typed)
        if self.three_more.is_done:
            self.three_more = None
        return verdict

    def leave_three_more(self) -> None:
        """Go on with the sheet."""
        self.three_more = None

    def _describe_follows(self, marks: Sequence[CellMark]) -> str:
        """Say from which of the student's own numbers something follows, and whether it was only copied."""
        if copied := [mark for mark in marks if not mark.counts]:
            return f"→ {self.result.describe_note(copied[0])}"
        cells = [*dict.fromkeys(name for mark in marks for name in self.result.find_differing_inputs(mark))]
        if len(cells) > MAX_NAMED_CELLS:
            cells = [self.sheet.say("mistake.cells.more", cells=cells[:MAX_NAMED_CELLS])]
        return self.sheet.say("practice.follows", cells=cells)

    def _write_cell(self, stage: str, row: int, column: int, text: str) -> None:
        self.texts[stage][row][column] = text
        self._result = None

    def skip_row(self) -> None:
        """Go on to the next row that is not right, as this one is."""
        self._go_to_open_row(self.position + 1)

    def go_back(self) -> bool:
        """Return to the question or the row before; False where there is none."""
        if self.position == 0:
            return False
        self.position -= 1
        if question := self.current_question:
            self._write_cell(question.name, 0, 0, "")
            return True
        row = self.rows[self.position]
        for column in row.columns:  # to be typed again
            self._write_cell(row.stage.name, row.row, column, "")
        return True

    def give_hint(self) -> tuple[str, ...]:
        """Help with the first open cell: a question, where to look, what to work; its number once it was tried."""
        if self.three_more:
            return self.three_more.give_hint()
        if question := self.current_question:
            return self._give_question_hint(question)
        waiting = self.find_open_cells()
        if not waiting:
            return (self.sheet.say("practice.nothing"),)
        cell = waiting[0]
        stage = self.sheet.problem.mechanism.get_stage(cell.stage)
        hints = build_hints(self.sheet, stage, cell.row, cell.column, self._write_number)
        self.hint_counts[cell.address] += 1
        match self.hint_counts[cell.address]:
            case 1:
                return (hints.question,)
            case 2:
                return hints.sources
            case 3:
                return (hints.steps,)
        if self.try_counts[cell.address] < TRIES_BEFORE_ANSWER:
            return hints.steps, self.sheet.say("practice.try")
        return work_out_cell(self.result.marks, self.sheet, cell)

    def _give_question_hint(self, question: AskedQuestion) -> tuple[str, ...]:
        if self.try_counts[question.name] < TRIES_BEFORE_ANSWER:
            return (self.sheet.say("practice.question.try"),)
        key = self._get_question_mark(question).question
        return (" ".join(filter(None, (f"{to_unicode(key.answer)}:", to_unicode(key.reason)))),)

    def _write_number(self, name: str, row: int, column: int) -> str:
        """Write the student's own number in a cell, a fraction as it was typed: 3/6 stays 3/6."""
        marks, problem = self.result.marks, self.sheet.problem
        cells = (cell for cell in marks.cells if (cell.stage, cell.row, cell.column) == (name, row, column))
        answer = next((cell.answer for cell in cells if cell.value is not None and "/" in cell.answer), "")
        if answer:
            return use_typographic_signs(answer.strip())
        writer = CellWriter(self.sheet, marks.student_values, problem.hand_arithmetic)
        return writer.format_number(marks.student_values[name][row][column])

    def conclude(self) -> tuple[str, ...]:
        """Say what the sheet showed: whom each query looks at, and how close the shortcut came; where A counts."""
        marks, weights = self.result.marks, [stage.name for stage in self.sheet.weight_stages]
        if any(cell.mark not in COUNTED_MARKS for cell in marks.cells if cell.stage in weights):
            return ()
        sentences = [*list_favourites(self.sheet, marks.student_values), *build_comparison_sentences(self.sheet.key)]
        return (self.sheet.say("practice.end"), *(to_unicode(parse_markup(sentence)) for sentence in sentences))

    def name_cell(self, cell: CellMark) -> str:
        """Return the address of a cell as the sheet prints it: Σ[1,3]."""
        return format_headed_address(self.sheet, cell.stage, cell.row, cell.column)

    def _go_to_open_row(self, start: int) -> None:
        """Go to the first row from there on that has an open cell, or to the first question that is open."""
        marks = self.result.marks.cells
        is_open = {(mark.stage, mark.row) for mark in marks if mark.mark not in COUNTED_MARKS}
        self.position = start
        while (row := self.current_row) is not None and (row.stage.name, row.row) not in is_open:
            self.position += 1
        while (question := self.current_question) and self._get_question_mark(question).mark in COUNTED_MARKS:
            self.position += 1


_COMMA_BETWEEN_DIGITS = re.compile(r"[+−–-]?\d+,\d+")
"""0,5: a decimal, or two numbers."""


def _split_values(typed: str, count: int) -> list[str] | None:
    """Part what was typed into values: as many as there are cells, or one.

    >>> _split_values("1 −2 1/3", 3), _split_values("1 1/2", 3), _split_values("1 2", 3)
    (['1', '−2', '1/3'], ['1 1/2'], None)
    >>> _split_values("1, −2, 1/3", 3), _split_values("0,5; 1 1/2; 2", 3), _split_values("1,2,3", 3)
    (['1', '−2', '1/3'], ['0,5', '1 1/2', '2'], ['1', '2', '3'])
    >>> _split_values("0,5 0,25", 2), _split_values("0,5", 3)
    (['0,5', '0,25'], ['0,5'])
    """
    if ";" in typed:
        parts = [part.strip() for part in typed.strip("; ").split(";")]
        return parts if len(parts) in (count, 1) else None
    by_blanks = [part.rstrip(",") for part in typed.split()]
    by_commas = [part.strip() for part in typed.strip(", ").split(",")]
    for parts in (by_blanks, by_commas):
        if len(parts) == count > 1 and all(parts):
            return parts
    try:
        read_number(typed)
    except NumberError:
        return by_blanks if len(by_blanks) == 1 else None
    return [typed]
