"""Feedback on one paper: what is right first, then the first departure, and one thing to redo."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import use_typographic_signs
from attnhand.marking.diagnosis import Diagnosis
from attnhand.marking.evidence import ROWS_EXCHANGED, LineKind
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.question_marks import QuestionMark, count_credited_questions
from attnhand.sheet.addresses import format_printed_name
from attnhand.sheet.build_grids import build_labels, format_matrix_name, format_spoken_name
from attnhand.sheet.explain import CellWriter, format_line_name
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import explain_slip
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode

MAX_LISTED_SLIPS = 3
"""Slips that are listed where several explain the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Feedback on one student's answers, in plain sentences; a part with nothing to say is empty."""

    score: str
    stage_scores: str
    """How many cells of every stage count."""

    praise: str
    first_error: tuple[str, ...]
    """The first departure, its cell explained from the student's own numbers, and the slip it looks like."""

    consequences: tuple[str, ...]
    """What follows from there, and what does not."""

    redo_advice: str
    empty_note: str
    teacher_note: str
    questions: tuple[str, ...] = ()
    """How many questions are right, and what to think over of each that is not."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in reading order."""
        before = (self.score, self.stage_scores, self.praise, *self.first_error, *self.consequences)
        return tuple(filter(None, (*before, self.redo_advice, self.empty_note, *self.questions, self.teacher_note)))


def make_feedback(
    marks: Marks, diagnoses: Sequence[Diagnosis], sheet: Sheet, question_marks: Sequence[QuestionMark] = ()
) -> Feedback:
    """Say what is right, where the first departure is, what slip it looks like and what to redo."""
    feedback = _FeedbackWriter(marks, diagnoses, sheet).make_feedback()
    return replace(feedback, questions=tuple(_describe_questions(question_marks, sheet)))


def _describe_questions(marks: Sequence[QuestionMark], sheet: Sheet) -> Iterator[str]:
    """Say how many questions are right; of each other one what to think over. Nothing where none is answered."""
    if all(mark.mark is Mark.BLANK for mark in marks):
        return
    yield sheet.say("feedback.questions", right=count_credited_questions(marks), of=len(marks))
    yield from filter(None, (describe_question_mark(mark, sheet) for mark in marks))


def describe_question_mark(mark: QuestionMark, sheet: Sheet) -> str:
    """Say what to think over where an answer is not right; nothing where it is, or is none."""
    number, question = mark.question.name.removeprefix("ask"), mark.question
    match mark.mark:
        case Mark.FOLLOWS:
            return sheet.say("feedback.question.follows", number=number)
        case Mark.UNREADABLE:
            kind = question.posed.question.kind
            names = {"answer": mark.answer.strip(), "choices": list(question.choices)}
            return sheet.say(f"feedback.question.unreadable.{kind}", number=number, **names)
        case Mark.WRONG:
            key = "feedback.question.think" if question.has_reason else "feedback.question.read"
            return sheet.say(key, number=number, answer=mark.answer.strip(), reason=to_unicode(question.reason))
        case _:
            return ""


def describe_diagnosis(diagnosis: Diagnosis, sheet: Sheet) -> str:
    """Name the slip at a stage: surely, perhaps, or one of several."""
    if not diagnosis.slips:
        key = "feedback.product" if diagnosis.supporting_numbers else "feedback.product.shape"
        return sheet.say(key, sizes=diagnosis.product_sizes, product=_print_product(diagnosis.product, sheet))
    actions = [_describe_slip(diagnosis, slip, sheet) for slip in diagnosis.slips[:MAX_LISTED_SLIPS]]
    key = "named" if diagnosis.is_certain else "perhaps" if diagnosis.is_tentative else "several"
    return sheet.say(f"feedback.{key}", actions=actions)


def explain_diagnosis(diagnosis: Diagnosis, marks: Marks, sheet: Sheet) -> tuple[str, ...]:
    """Say why the slip is one, with the numbers of the first cell that shows it; nothing where it is not named."""
    if len(diagnosis.slips) != 1:
        return ()
    (slip,), cell = diagnosis.slips, diagnosis.cells[0]
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    return (explain_slip(sheet, slip, stage, cell.row, cell.column, marks.student_values, cell.answer),)


def _print_product(formula: str, sheet: Sheet) -> str:
    """Return a product with its factors as the sheet prints them: "W₂ relu₁ᵀ"."""
    factors = (name.partition("ᵀ") for name in formula.split())
    return " ".join(to_unicode(format_matrix_name(sheet, name)) + turned for name, turned, _ in factors)


def _describe_slip(diagnosis: Diagnosis, slip: str, sheet: Sheet) -> str:
    """Say what a slip is, with "(row k₁, row k₂)" where it is known which lines were exchanged."""
    action = sheet.say(f"slip.{slip}")
    if slip != ROWS_EXCHANGED or diagnosis.lines is None:
        return action
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    axis = stage.rows if diagnosis.along is LineKind.ROWS else stage.columns
    lines = [sheet.say(f"line.{diagnosis.along}", at=format_line_name(sheet, axis, at)) for at in diagnosis.lines]
    return sheet.say("feedback.exchanged", action=action, lines=lines)


def work_out_cell(marks: Marks, sheet: Sheet, cell: CellMark) -> tuple[str, ...]:
    """Work a cell out from the student's own numbers, line by line, the result in the last."""
    own = {name: [list(row) for row in a] for name, a in marks.student_values.items()}
    own[cell.stage][cell.row][cell.column] = cell.key if cell.from_yours is None else cell.from_yours
    values = {name: tuple(map(tuple, rows)) for name, rows in own.items()}
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    return CellWriter(sheet, values, sheet.problem.hand_arithmetic).write_cell(stage, cell.row, cell.column)


def name_cell(sheet: Sheet, cell: CellMark) -> str:
    """Return how the sheet calls a cell: "S, row k₂, column q₃"."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    row, column = format_line_name(sheet, stage.rows, cell.row), format_line_name(sheet, stage.columns, cell.column)
    return sheet.say("spoken.cell", matrix=format_spoken_name(sheet, stage), row=row, column=column)


class _FeedbackWriter:
    def __init__(self, marks: Marks, diagnoses: Sequence[Diagnosis], sheet: Sheet) -> None:
        self.marks, self.diagnoses, self.sheet, self.say = marks, diagnoses, sheet, sheet.say
        self.cells_by_stage: dict[str, list[CellMark]] = {}
        for cell in marks.cells:
            self.cells_by_stage.setdefault(cell.stage, []).append(cell)

    def make_feedback(self) -> Feedback:
        departure = self.marks.first_departure
        return Feedback(
            score=self._describe_score(),
            stage_scores=self._describe_stage_scores(),
            praise=self._describe_correct_part(),
            first_error=self._describe_first_error(departure) if departure else (),
            consequences=tuple(self._describe_consequences(departure)),
            redo_advice=self._advise_redo(departure) if departure else "",
            empty_note=self._describe_empty_cells(),
            teacher_note=self._write_teacher_note(),
        )

    def _name_stage(self, name: str) -> str:
        return format_printed_name(self.sheet, name)

    def _describe_score(self) -> str:
        parts = [self.say(f"feedback.{mark}", count=n) for mark in Mark if (n := self.marks.count(mark))]
        return self.say("feedback.score", counted=self.marks.count_credited(), of=len(self.marks.cells), parts=parts)

    def _describe_stage_scores(self) -> str:
        counts = [(name, self.marks.count_credited(name), len(cells)) for name, cells in self.cells_by_stage.items()]
        stages = [
            self.say("feedback.stage_score", stage=self._name_stage(name), counted=n, of=of) for name, n, of in counts
        ]
        return self.say("feedback.stage_scores", stages=stages)

    def _describe_correct_part(self) -> str:
        if self.marks.is_all_correct:
            praise = self.say("feedback.all")
        elif stages := self._name_stages_of_only(Mark.CORRECT):
            praise = self.say("feedback.right", stages=stages)
        elif self.marks.first_departure is None and self.marks.count(Mark.CORRECT):
            praise = self.say("feedback.right_so_far")
        else:
            return ""
        rounded = any(cell.note is Note.ROUNDED for cell in self.marks.cells)
        return f"{praise} {self.say('feedback.rounded')}" if rounded else praise

    def _name_stages_of_only(self, mark: Mark) -> list[str]:
        """Return the names of the stages of which every cell has this mark."""
        stages = self.cells_by_stage.items()
        return [self._name_stage(name) for name, cells in stages if all(cell.mark is mark for cell in cells)]

    def _describe_first_error(self, cell: CellMark) -> tuple[str, ...]:
        name = name_cell(self.sheet, cell)
        slips = (
            sentence
            for each in self.diagnoses
            if each.stage == cell.stage
            for sentence in (describe_diagnosis(each, self.sheet), *explain_diagnosis(each, self.marks, self.sheet))
        )
        if cell.note is Note.SHAPE:
            return (self._describe_shape(cell), *slips)
        if cell.mark is Mark.UNREADABLE:
            return (self.say("feedback.unread", cell=name, reason=cell.unreadable_reason),)
        if cell.note is Note.TOO_FEW_DIGITS:
            places = self.sheet.problem.rules.decimals
            return (self.say("feedback.digits", cell=name, answer=cell.answer.strip(), decimals=places),)
        look = self.say("feedback.look", cell=name, answer=use_typographic_signs(cell.answer.strip()))
        return (look, *(f"  {line}" for line in work_out_cell(self.marks, self.sheet, cell)), *slips)

    def _describe_shape(self, cell: CellMark) -> str:
        """Say which shape was handed in, or which row is too short or too long."""
        key, lengths = self.sheet.solution[cell.stage].hand, [*map(len, self.marks.misshapen_answers[cell.stage])]
        names = {"stage": self._name_stage(cell.stage), "key_rows": len(key), "key_columns": len(key[0])}
        if len(set(lengths)) == 1:
            return self.say("feedback.shape", rows=len(lengths), columns=lengths[0], **names)
        row = next(i for i, length in enumerate(lengths) if length != len(key[0]))
        return self.say("feedback.shape.ragged", row=row + 1, count=lengths[row], **names)

    def _describe_consequences(self, departure: CellMark | None) -> Iterator[str]:
        if count := self.marks.count(Mark.FOLLOWS):
            yield self.say("feedback.follow", count=count)
        if departure is None:
            return
        wrong = filter(_is_wrong_or_unreadable, self.marks.cells)
        if others := [cell for cell in wrong if cell.stage != departure.stage]:
            yield self.say("feedback.more", cells=self._count_cells_by_stage(others))
        for each in self.diagnoses:
            if each.stage != departure.stage:
                slip = describe_diagnosis(each, self.sheet)
                yield self.say("feedback.at", stage=self._name_stage(each.stage), sentence=slip)

    def _count_cells_by_stage(self, cells: Iterable[CellMark]) -> list[str]:
        counts = Counter(cell.stage for cell in cells)
        return [self.say("feedback.cells", stage=self._name_stage(name), count=n) for name, n in counts.items()]

    def _advise_redo(self, departure: CellMark) -> str:
        """Say what to work again: the lines of the queries that departed, and what reads them."""
        stage = self.sheet.problem.mechanism.get_stage(departure.stage)
        later = [self._name_stage(each.name) for each in self._find_stages_to_redo(stage)]
        lines = self._name_lines_to_redo(stage)
        key = "feedback.redo" if later else "feedback.redo.last"
        return self.say(f"{key}.lines" if lines else key, stage=self._name_stage(stage.name), later=later, lines=lines)

    def _find_stages_to_redo(self, stage: Stage) -> list[Stage]:
        """Return the stages whose numbers come from this one and are not the key's yet."""
        reached = {stage.name}
        found = []
        for each in self.sheet.problem.mechanism.stages:
            if reached & set(each.input_names) and each.name not in reached:
                reached.add(each.name)
                is_right = all(cell.mark is Mark.CORRECT for cell in self.cells_by_stage.get(each.name, ()))
                found += [] if is_right else [each]
        return found

    def _name_lines_to_redo(self, stage: Stage) -> list[str]:
        """Return "column q₁", "column q₃" where only some queries of a stage departed, else nothing."""
        cells = self.cells_by_stage[stage.name]
        if stage.name not in self.sheet.query_stages or any(cell.note is Note.SHAPE for cell in cells):
            return []
        in_columns = not self.sheet.problem.mechanism.convention.is_rows
        asked = {cell.column if in_columns else cell.row for cell in cells}
        off = sorted({cell.column if in_columns else cell.row for cell in cells if _is_wrong_or_unreadable(cell)})
        if len(off) == len(asked):
            return []
        axis = stage.columns if in_columns else stage.rows
        letters = [to_unicode(build_labels(self.sheet, axis)[at].letter) for at in off]
        return [self.say("line", at=letter) for letter in letters]

    def _describe_empty_cells(self) -> str:
        stages = self._name_stages_of_only(Mark.BLANK)
        blank = (cell for cell in self.marks.cells if cell.mark is Mark.BLANK)
        partly = self._count_cells_by_stage(cell for cell in blank if self._name_stage(cell.stage) not in stages)
        return self.say("feedback.empty", stages=[*stages, *partly]) if stages or partly else ""

    def _write_teacher_note(self) -> str:
        stages = dict.fromkeys(cell.stage for cell in self.marks.cells if cell.note is Note.TRIVIAL)
        return self.say("feedback.teacher", stages=[*map(self._name_stage, stages)]) if stages else ""


def _is_wrong_or_unreadable(cell: CellMark) -> bool:
    return cell.mark in (Mark.WRONG, Mark.UNREADABLE)
