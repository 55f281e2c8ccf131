"""Answers to the questions of a sheet, marked: by the key, or by the student's own weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number
from attnhand.attention.questions import Answer, AnswerKind, CellChange, PosedQuestion
from attnhand.formats.answers import Answers
from attnhand.marking.answer_sentences import UnclearAnswerError
from attnhand.marking.match import Digits, match_answer
from attnhand.marking.question_answers import read_number_answer, read_question_answer
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionMark:
    """One question, marked."""

    question: AskedQuestion
    """As the key has it."""

    answer: str
    """As it was written."""

    mark: Mark


def mark_questions(answers: Answers, sheet: Sheet, student_values: Mapping[str, Matrix]) -> tuple[QuestionMark, ...]:
    """Mark the questions of a sheet, apart from its cells.

    Args:
        student_values: every matrix with the student's readable values: what is read off one's own weights follows.
    """
    values = dict(student_values)
    marks = []
    for question in build_questions(sheet.key):
        if question.name:
            marks.append(_mark_question(question, answers, sheet, values))
            if question.posed.try_id and (number := _read_number(question, answers, sheet)) is not None:
                values[question.posed.question.id] = ((number,),)  # what is made of it follows
    return tuple(marks)


def _read_number(question: AskedQuestion, answers: Answers, sheet: Sheet) -> Number | None:
    """Return the number that was written; None where there is none."""
    text = answers.get_text(question.name)
    if question.posed.question.kind is not AnswerKind.NUMBER or not text.strip():
        return None
    try:
        return read_number_answer(question, text, sheet).value
    except UnclearAnswerError:
        return None


def count_question_marks(marks: Sequence[QuestionMark]) -> dict[str, int]:
    """Return how many questions have each mark, and how many there are."""
    return {mark.value: sum(each.mark is mark for each in marks) for mark in Mark} | {"of": len(marks)}


def count_credited_questions(marks: Sequence[QuestionMark]) -> int:
    """Count the questions that are right, or right with the student's own numbers."""
    return sum(each.mark in COUNTED_MARKS for each in marks)


def _mark_question(
    question: AskedQuestion, answers: Answers, sheet: Sheet, student_values: Mapping[str, Matrix]
) -> QuestionMark:
    text = answers.get_text(question.name)
    mark = Mark.BLANK if not text.strip() else _judge(question, text, sheet, student_values)
    return QuestionMark(question=question, answer=text, mark=mark)


def _judge(question: AskedQuestion, text: str, sheet: Sheet, student_values: Mapping[str, Matrix]) -> Mark:
    posed = question.posed
    assert posed.finding is not None
    try:
        answer = read_question_answer(question, text, sheet)
    except UnclearAnswerError:
        return Mark.UNREADABLE
    is_number = posed.question.kind is AnswerKind.NUMBER
    if _is_right(posed, answer, sheet) or (is_number and _matches(question, text, posed.finding.answer, sheet)):
        return Mark.CORRECT
    find_own = posed.question.find_own_answer
    own = None if find_own is None else find_own(sheet.scene, posed.parameters, student_values)
    if own is None:
        return Mark.WRONG
    follows = _matches(question, text, own, sheet, Digits.AT_MOST) if is_number else answer == own
    return Mark.FOLLOWS if follows else Mark.WRONG


def _is_right(posed: PosedQuestion, answer: Answer, sheet: Sheet) -> bool:
    assert posed.finding is not None
    if posed.question.judge is not None:
        return posed.question.judge(sheet.scene, posed.parameters, answer)
    return answer == posed.finding.answer


def _matches(
    question: AskedQuestion, text: str, expected: Answer, sheet: Sheet, digits: Digits = Digits.WRITTEN
) -> bool:
    """Say whether a number is the expected one to the digits that were written."""
    assert not isinstance(expected, str | tuple | CellChange)
    reading = read_number_answer(question, text, sheet)
    return match_answer(reading, expected, sheet.problem.rules.decimals, digits).is_right
