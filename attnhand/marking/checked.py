"""One student's answers, marked and diagnosed: what ``attnhand check`` shows in every form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from attnhand.attention.numbers import format_exact
from attnhand.formats.answers import Answers
from attnhand.marking.another_try import AnotherTry, make_another_try
from attnhand.marking.decisions import (
    Decision,
    Verdict,
    decide_cells,
    decide_questions,
    is_cell,
    is_question,
    parse_accepted,
    write_numbers_meant,
)
from attnhand.marking.evidence import has_few_wrong_cells
from attnhand.marking.feedback import Feedback, make_feedback
from attnhand.marking.marks import CellMark, Diagnosis, Marks, Note
from attnhand.marking.mistake_marks import mark_correction, mark_mistake_questions, read_own_words
from attnhand.marking.naming import name_address, name_stages
from attnhand.marking.question_marks import QuestionMark, count_question_marks, mark_questions
from attnhand.marking.reasons import describe_diagnosis
from attnhand.marking.redo import find_read_cells
from attnhand.marking.whole_sheet import mark_sheet
from attnhand.sheet.grids import Mark
from attnhand.sheet.seat import format_seat, read_name_field
from attnhand.sheet.sheet import Sheet
from attnhand.text import Message
from attnhand.text.widths import to_unicode

MARKS_FORMAT = "attnhand-marks/1"

MAX_NAME_LENGTH = 200
"""Characters of a name that are read."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """One paper, marked: its cells and questions, what to say of them, and whose it is."""

    sheet: Sheet
    marks: Marks
    question_marks: tuple[QuestionMark, ...] = ()
    """Counted apart from the cells."""

    asks_less: bool = False
    """Whether the file says that less is asked than counts: something for the teacher to look at."""

    number: int | None = None
    """The № of whoever handed it in; None where nobody knows. Versions of a sheet are several people's."""

    name: str = ""
    """Their name, as far as it is known."""

    own_words: str = ""
    """What the student wrote of the mistake on the sheet: for the teacher to read."""

    file: str = ""
    """Its place in the folder that is graded; empty where it is checked alone."""

    uncounted_reason: Message | str = ""
    """Why it counts for nobody in a class: it answers another's sheet, or does not say whose it is."""

    copied_stages: Mapping[str, str] = field(default_factory=dict)
    """Stages that hold another student's numbers, which the student's own do not give; and whose they are."""

    answers: Answers | None = field(default=None, repr=False)
    """What was handed in, in place; None where nobody will ask again."""

    decisions: tuple[Decision, ...] = ()
    """What the teacher has decided, which the marks hold already."""

    @property
    def owner(self) -> str:
        """Whose they are: "№ 047 Ada", as far as it is known; else whose sheet it is."""
        return format_seat(self.number, self.name) or (str(self.sheet.seat) if self.sheet.seat else "")

    @property
    def is_all_correct(self) -> bool:
        """Say whether every cell is, and every question that was answered: one left empty costs nothing."""
        return self.marks.is_all_correct and all(
            question.mark in (Mark.CORRECT, Mark.BLANK) for question in self.question_marks
        )

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """What seems to have gone wrong, stage by stage."""
        return self.marks.diagnoses

    @cached_property
    def feedback(self) -> Feedback:
        """The sentences about these answers."""
        found = make_feedback(self.marks, self.sheet, self.question_marks, owner=self.owner, own_words=self.own_words)
        return replace(found, questions=(*found.questions, *self._describe_copies(), *self._describe_decisions()))

    def _describe_copies(self) -> Iterator[str]:
        """Say what does not count yet."""
        if waiting := self._name_waiting_stages():
            yield self.sheet.say("feedback.copied", stages=waiting)

    def _name_waiting_stages(self, owner: str = "") -> list[str]:
        """Return how the sheet calls the copied stages of which nothing is decided: of one owner, or of all."""
        decided = {each.item for each in self.decisions}
        stages = (stage for stage, each in self.copied_stages.items() if owner in ("", each) and stage not in decided)
        return [name_stages(self.sheet, [stage]) for stage in stages]

    def _describe_decisions(self) -> Iterator[str]:
        """Say what counts otherwise than it was marked."""
        decided = [self._describe_decision(each) for each in self.decisions]
        if decided:
            yield self.sheet.say("feedback.decided", decisions=decided)

    def _describe_decision(self, decision: Decision) -> str:
        say, item = self.sheet.say, decision.item
        if is_cell(item):
            cell = next(each for each in self.marks.cells if each.address == item)
            place = name_address(self.sheet, cell.stage, cell.row, cell.column)
        elif is_question(item):
            place = say("feedback.decided.question", number=item.removeprefix("ask"))
        elif item in self.marks.scores_by_stage:
            place = name_stages(self.sheet, [item])
        else:
            place = say("feedback.decided.sheet")
        if decision.verdict:
            return say(f"feedback.decided.{decision.verdict}", place=place)
        key = "number" if is_cell(item) else "points"
        return say(f"feedback.decided.{key}", place=place, number=decision.number)

    @cached_property
    def another_try(self) -> AnotherTry | None:
        """Cells to try on other numbers, at the stage where something first went wrong."""
        return make_another_try(self.marks, self.sheet)

    @property
    def teacher_notes(self) -> tuple[str, ...]:
        """What students need not read."""
        notes = []
        for owner in dict.fromkeys(self.copied_stages.values()):
            if stages := self._name_waiting_stages(owner):
                notes.append(self.sheet.say("feedback.copied.teacher", stages=stages, owner=owner))
        if self.uncounted_reason:
            notes.append(self.sheet.say("feedback.uncounted", reason=self.uncounted_reason))
        notes += self.feedback.teacher_notes
        return (*notes, *([self.sheet.say("feedback.asks_less")] if self.asks_less else []))

    def to_dict(self) -> dict[str, Any]:
        """Return the marks as ``attnhand check --json`` prints them."""
        first = self.marks.first_departure
        return {
            "format": MARKS_FORMAT,
            "code": self.sheet.code,
            "owner": self.owner,
            "score": {
                **{mark.value: self.marks.count(mark) for mark in Mark},
                "unworked": self.marks.unworked_count,
                "of": len(self.marks.cells),
                "questions": count_question_marks(self.question_marks),
            },
            "first_departure": first and first.address,
            "slips": [self._make_slip_dict(diagnosis) for diagnosis in self.diagnoses],
            "other_way": self.marks.other_way and self.marks.other_way.value,
            "asks_less": self.asks_less,
            "feedback": list(self.feedback.sentences),
            "for_teacher": list(self.teacher_notes),
            "try": self.another_try
            and {"cells": list(self.another_try.lines), "answers": list(self.another_try.answers)},
            "cells": [self._make_cell_dict(cell) for cell in self.marks.cells],
            "questions": [
                {**_make_question_dict(mark), "note": self._describe_decided(mark.question.name)}
                for mark in self.question_marks
            ],
            **({"own_words": self.own_words} if self.sheet.planted_mistake else {}),
        }

    def _make_slip_dict(self, diagnosis: Diagnosis) -> dict[str, Any]:
        return {
            "stage": diagnosis.stage,
            "slip": diagnosis.slips[0] if len(diagnosis.slips) == 1 else None,
            "certainty": "named" if diagnosis.is_certain else "perhaps" if diagnosis.is_tentative else "open",
            "candidates": list(diagnosis.slips),
            "sentence": describe_diagnosis(diagnosis, self.sheet),
        }

    def _make_cell_dict(self, cell: CellMark) -> dict[str, Any]:
        return {
            "cell": cell.address,
            "answer": cell.answer,
            "key": format_exact(cell.key),
            "mark": cell.mark.value,
            "from_yours": None if cell.from_yours is None else format_exact(cell.from_yours),
            "note": self.describe_note(cell),
        }

    def describe_note(self, cell: CellMark) -> str:
        """Say in a few words why a cell has its mark; nothing where that is plain."""
        sheet = self.sheet
        if decided := self._describe_decided(cell.address):
            return decided
        if cell.mark is Mark.UNREADABLE:
            return sheet.say("feedback.note.unreadable", reason=cell.unreadable_reason)
        if cell.mark is Mark.FOLLOWS and cell.note is None:
            return sheet.say("feedback.note.follows", cells=self.find_differing_inputs(cell))
        if cell.note is Note.UNWORKED:
            key = "feedback.note.unworked" if cell.work_left else "feedback.note.unworked.none"
            return sheet.say(key, count=cell.work_left)
        if cell.note is None:
            return ""
        return sheet.say(f"feedback.note.{cell.note}", decimals=sheet.problem.rules.decimals)

    def _describe_decided(self, item: str) -> str:
        """Say what the teacher has decided of a cell or a question; empty where nothing."""
        decision = next((each for each in self.decisions if each.item == item), None)
        if decision is None:
            return ""
        if decision.number:
            return self.sheet.say("feedback.note.read_as", number=decision.number)
        key = "refused" if decision.verdict is Verdict.WRONG else "accepted"
        return self.sheet.say(f"feedback.note.{key}")

    def find_differing_inputs(self, cell: CellMark) -> list[str]:
        """Return the addresses of the student's values, other than the key's, that a cell was worked from."""
        stage = self.sheet.problem.mechanism.get_stage(cell.stage)
        key, own = self.sheet.solution.collect_hand_values(), self.marks.student_values
        read = find_read_cells(self.sheet, stage, cell.row, cell.column)
        return [
            name_address(self.sheet, name, i, j)
            for name, i, j in sorted(read, key=lambda place: (stage.input_names.index(place[0]), *place[1:]))
            if own[name][i][j] != key[name][i][j]
        ]


def check_answers(answers: Answers, sheet: Sheet, *, asks_less: bool = False) -> CheckResult:
    """Mark the answers to a sheet and name the slips they show.

    Args:
        asks_less: whether the file says that less is asked.
    """
    marks = mark_correction(answers, sheet) if sheet.planted_mistake else mark_sheet(answers, sheet)
    number, name = read_owner(answers)
    return CheckResult(
        sheet=sheet,
        marks=marks,
        question_marks=(
            mark_mistake_questions(answers, sheet)
            if sheet.planted_mistake
            else mark_questions(answers, sheet, marks.student_values)
        ),
        asks_less=asks_less,
        number=number,
        name=name,
        own_words=read_own_words(answers) if sheet.planted_mistake else "",
        answers=answers,
    )


def decide(paper: CheckResult, decisions: Sequence[Decision]) -> CheckResult:
    """Return a paper marked as the teacher decides; where a number was meant, all is marked again with it.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7))
    >>> paper = check_answers(Answers(code=None, stages={"Q": (("1,234",),)}), sheet)
    >>> decide(paper, [Decision(item="Q[1,1]", verdict=Verdict.RIGHT)]).marks.score
    1
    """
    if not decisions:
        return paper
    if paper.answers is not None and any(each.number and is_cell(each.item) for each in decisions):
        answers = write_numbers_meant(paper.answers, decisions, paper.marks.other_way)
        again = check_answers(answers, paper.sheet, asks_less=paper.asks_less)
        marks = replace(again.marks, points=paper.marks.points)
        paper = replace(paper, marks=marks, question_marks=again.question_marks)
    return replace(
        paper,
        marks=decide_cells(paper.marks, decisions),
        question_marks=decide_questions(paper.question_marks, decisions),
        decisions=tuple(decisions),
    )


def read_owner(answers: Answers) -> tuple[int | None, str]:
    """Return the № and the name that a file says: what was typed, else the № that the sheet was handed out with."""
    number, name = read_name_field(answers.name[:MAX_NAME_LENGTH])
    return number or answers.number, name


def _make_question_dict(mark: QuestionMark) -> dict[str, Any]:
    question = mark.question
    return {
        "name": question.name,
        "answer": mark.answer,
        "key": question.plain_answer,
        "mark": mark.mark.value,
        "reason": to_unicode(question.reason),
    }


def list_unexplained_stages(paper: CheckResult) -> tuple[str, ...]:
    """Return the stages with numbers that nobody can explain, and those that were only copied from such.

    A few wrong cells among right ones are slips of the pen; all else is for the teacher to look at.
    """
    explained = {each.stage for each in paper.diagnoses}
    found = []
    for stage, cells in groupby(paper.marks.cells, lambda cell: cell.stage):
        of_stage = [*cells]
        is_strange = any(cell.is_unexplained for cell in of_stage) and not has_few_wrong_cells(of_stage)
        if (is_strange and stage not in explained) or any(cell.note is Note.UNWORKED for cell in of_stage):
            found.append(stage)
    return tuple(found)


def accept(paper: CheckResult, accepted: Sequence[str]) -> CheckResult:
    """Return a paper on which these cells and answers to questions count as right, whatever stands there.

    Raises:
        CellError: one names nothing that is asked.
    """
    return decide(paper, parse_accepted(paper.sheet, accepted))
