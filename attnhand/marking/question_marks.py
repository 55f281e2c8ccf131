"""Answers to the questions of a sheet, read forgivingly and marked: by the key, or by the student's own weights."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.numbers import Number
from attnhand.attention.questions import Answer, AnswerKind, CellChange, PosedQuestion
from attnhand.attention.spellings import CHANGE_PATTERN, SIGNS, read_number
from attnhand.errors import NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.match import match_answer
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.questions import AskedQuestion, build_questions, list_choice_spellings, list_token_words
from attnhand.sheet.sheet import Sheet

_NUMBERS = re.compile("[0-9]+")
_SIGN_TABLE = str.maketrans(dict(SIGNS))
_WORDS = re.compile(r"[^\W\d_]+")
_QUOTES = " \"'“”„‘’«»"
_CHANGE = re.compile(CHANGE_PATTERN, re.IGNORECASE)

MAX_ANSWER_LENGTH = 80
"""Characters; no answer to a question needs more."""


class UnclearAnswerError(Exception):
    """An answer that cannot be read."""


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
    asked = (question for question in build_questions(sheet.key) if question.name)
    return tuple(_mark_question(question, answers, sheet, student_values) for question in asked)


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
    if _is_right(posed, answer, sheet) or (is_number and _matches_key(posed, text, sheet)):
        return Mark.CORRECT
    find_own = posed.question.find_own_answer
    if find_own is not None and answer == find_own(sheet.scene, posed.parameters, student_values):
        return Mark.FOLLOWS
    return Mark.WRONG


def _is_right(posed: PosedQuestion, answer: Answer, sheet: Sheet) -> bool:
    assert posed.finding is not None
    if posed.question.judge is not None:
        return posed.question.judge(sheet.scene, posed.parameters, answer)
    return answer == posed.finding.answer


def _matches_key(posed: PosedQuestion, text: str, sheet: Sheet) -> bool:
    """Say whether a number is the key to the digits that were written."""
    reading = read_number(text)
    assert posed.finding is not None
    expected = posed.finding.answer
    assert not isinstance(expected, str | tuple | CellChange)
    return reading is not None and match_answer(reading, expected, sheet.problem.rules.decimals).is_right


def read_question_answer(question: AskedQuestion, text: str, sheet: Sheet) -> Answer:
    """Read what a student wrote.

    Raises:
        UnclearAnswerError: it is none, or one of two readings.
    """
    if len(text) > MAX_ANSWER_LENGTH:
        raise UnclearAnswerError
    as_typed = " ".join(text.split())  # numbers are: a normal form makes 11/2 of 1½
    plain = unicodedata.normalize("NFKC", as_typed)
    match question.posed.question.kind:
        case AnswerKind.TOKEN:
            found = _read_tokens(question, plain, sheet)
            if len(found) != 1:
                raise UnclearAnswerError
            return found
        case AnswerKind.TOKENS:
            return _read_tokens(question, plain, sheet)
        case AnswerKind.NUMBER:
            return _read_number(as_typed)
        case AnswerKind.CHOICE:
            return _read_choice(question, plain, sheet)
        case _:
            return _read_change(question, as_typed)


def _read_number(text: str) -> Number:
    try:
        reading = read_number(text)
    except NumberError:
        raise UnclearAnswerError from None
    if reading is None:
        raise UnclearAnswerError
    return reading.value


def _read_tokens(question: AskedQuestion, text: str, sheet: Sheet) -> tuple[int, ...]:
    """Read "3", "token 3", "x₃", "1, 2 and 4", or the words of the tokens, which may be signs."""
    words = [word.casefold() for word in list_token_words(sheet, question)]
    by_word = [words.index(word) for word in _WORDS.findall(text.casefold()) if words.count(word) == 1]
    if not by_word and words.count(sign := text.strip(_QUOTES).casefold()) == 1:
        by_word = [words.index(sign)]
    numbers = [int(number) - 1 for number in _NUMBERS.findall(text.translate(_SIGN_TABLE)) if len(number) <= 3]
    found = tuple(sorted(set(numbers or by_word)))
    if not found or (numbers and by_word and set(numbers) != set(by_word)):
        raise UnclearAnswerError
    return found


def _read_choice(question: AskedQuestion, text: str, sheet: Sheet) -> str:
    """Read one of the words that the question offers, in any case, another word for it, or how it alone begins."""
    written = _simplify(text)
    ids = question.posed.question.choices
    spellings = {choice: [*map(_simplify, list_choice_spellings(sheet, choice))] for choice in ids}
    for fits in (lambda spelling: spelling == written, lambda spelling: spelling.startswith(written)):
        found = [choice for choice in ids if any(map(fits, spellings[choice]))]
        if written and len(found) == 1:
            return found[0]
    raise UnclearAnswerError


def _simplify(text: str) -> str:
    """Return a text in small letters, without blanks, signs of a sentence and markup."""
    return re.sub(r"[\s.,;:!?^*_\"'()]", "", unicodedata.normalize("NFKC", text).casefold()).replace("−", "-")


def _read_change(question: AskedQuestion, text: str) -> CellChange:
    """Read "W_Q[1,2] = −3", "1,2 to -3"; a matrix that is not named is the one that is asked."""
    key = question.posed.finding
    assert key is not None
    assert isinstance(key.answer, CellChange)
    match = _CHANGE.fullmatch(text)
    if match is None or len(match["row"]) > 2 or len(match["column"]) > 2:
        raise UnclearAnswerError
    name, asked = _simplify(match["name"]), key.answer.matrix
    is_asked = name in ("", _simplify(asked), _simplify(strip_head(asked)))
    row, column = int(match["row"]) - 1, int(match["column"]) - 1
    return CellChange(asked if is_asked else match["name"], row, column, _read_number(match["value"].strip()))
