"""Answers as people type them, in seven languages: right ones are accepted, wrong ones never, and doubts are asked."""

from collections import Counter

import pytest

from attnhand.formats.answers import Answers
from attnhand.marking.question_marks import mark_questions
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from tests.typed_answers import TypedAnswer, ask_typed, group_typed_answers

MIN_ACCEPTED = 0.9
"""Of the right answers in each language; the others are asked about."""


def mark_text(sheet: Sheet, text: str) -> Mark:
    """Mark what was typed for the only question."""
    answers = Answers(code=None, stages={"ask1": ((text,),)})
    (marked,) = mark_questions(answers, sheet, sheet.solution.collect_hand_values())
    return marked.mark


@pytest.fixture(scope="module")
def marked() -> list[tuple[TypedAnswer, Mark]]:
    """All answers, with their marks."""
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for language, question, fact, answers in group_typed_answers():
            sheet = ask_typed(patch, language, question, fact)
            found += [(answer, mark_text(sheet, answer.text)) for answer in answers]
    return found


def test_there_are_enough_of_them(marked: list[tuple[TypedAnswer, Mark]]) -> None:
    """Five hundred at least, in every language, right, wrong and unclear, many of them met only in the end."""
    assert len(marked) >= 500
    assert sum(answer.is_held_out for answer, _ in marked) >= 200
    counts = Counter((answer.language, answer.verdict) for answer, _ in marked)
    assert {language for language, _ in counts} == {*LANGUAGES}
    assert min(counts.values()) >= 10
    assert len({answer.question for answer, _ in marked}) >= 10


def test_nothing_wrong_is_accepted(marked: list[tuple[TypedAnswer, Mark]]) -> None:
    """Neither what is wrong nor what may be."""
    assert [answer for answer, mark in marked if answer.verdict != "right" and mark in COUNTED_MARKS] == []


def test_nothing_right_or_unclear_is_wrong(marked: list[tuple[TypedAnswer, Mark]]) -> None:
    """What cannot be read for sure is asked about."""
    assert [answer for answer, mark in marked if answer.verdict != "wrong" and mark is Mark.WRONG] == []


def test_most_that_is_right_is_accepted(marked: list[tuple[TypedAnswer, Mark]]) -> None:
    """Nine in ten at least, in every language."""
    right = [(answer.language, mark in COUNTED_MARKS) for answer, mark in marked if answer.verdict == "right"]
    for language in LANGUAGES:
        accepted = [is_accepted for each, is_accepted in right if each == language]
        assert sum(accepted) >= MIN_ACCEPTED * len(accepted) > 0, language
