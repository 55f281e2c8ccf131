"""Answers as people type them, in seven languages: right ones are accepted, wrong ones never, and doubts are asked."""

from collections import Counter

import pytest

from attnhand.formats.answers import Answers
from attnhand.marking.question_marks import mark_questions
from attnhand.sheet.answer_words import list_whole_answers
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.questions import build_questions
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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("no-scaling", "more"),
        ("no-scaling", "same"),
        ("change-value", "outputs"),
        ("change-value", "weights-and-outputs"),
        ("other-base", "sharper"),
        ("other-base", "flatter"),
        ("exchange-weights", "turned"),
        ("exchange-weights", "negated"),
        ("exchange-tokens", "traded"),
        ("largest-share", "3"),
        ("later-token", "1,2"),
        ("double-values", "2"),
        ("zero-query", "1/4"),
    ],
)
def test_what_is_denied_is_never_accepted(language: str, name: str, fact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever word denies, and however the right answer is spelled that follows: "not 3" is never 3."""
    sheet = ask_typed(monkeypatch, language, name, fact)
    (question,) = build_questions(sheet.key)
    spellings = [question.plain_answer]
    if fact in question.posed.question.choices:
        spellings = [text for text in list_whole_answers(sheet, fact) if mark_text(sheet, text) is Mark.CORRECT]
    numbers = sheet.say("read.label").split(" | ")  # in English "no 3" is number 3
    denials = [word for word in sheet.say("read.not").split(" | ") if "*" not in word and word not in numbers]
    assert spellings
    assert denials
    for spelling in spellings:
        for denial in denials:
            for text in (f"{denial} {spelling}", f"{denial.title()} {spelling}.", f"{spelling}? {denial} {spelling}"):
                assert mark_text(sheet, text) not in COUNTED_MARKS, text
