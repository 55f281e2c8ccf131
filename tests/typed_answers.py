"""What students type for questions, from ``data/typed_answers.toml``, with the questions that they answer."""

import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import simplify
from attnhand.attention.questions import QUESTIONS, Answer, AnswerKind, CellChange, Finding, PosedQuestion
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet

PATH = Path(__file__).parent / "data" / "typed_answers.toml"

SEED = 9
"""Of its sheet the change that is asked for is W_Q[2,2] = −3."""

FORMS_BY_QUESTION = {
    "change-weight": Variant(),
    "later-token": Variant(is_causal=True),
    "zero-query": Variant(is_causal=True),
    "hide-after": Variant(is_causal=True),
    "zero-before": Variant(is_causal=True),
    "kept-numbers": Variant(mechanism="multi-head", kv_heads=1),
    "same-word": Variant(embedded_words=("the", "cat", "saw", "the")),
}

VERDICTS = ("right", "wrong", "unclear")


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """One answer, and what a teacher says of it."""

    language: str
    question: str
    fact: str
    """The answer that is right."""

    text: str
    verdict: str
    is_held_out: bool


def list_typed_answers() -> list[TypedAnswer]:
    """Return all answers of the file."""
    return [
        TypedAnswer(group["language"], group["question"], group["fact"], text, verdict, group.get("part") == "held-out")
        for group in _read_file()["answers"]
        for verdict in VERDICTS
        for text in group.get(verdict, ())
    ]


@cache
def _read_file() -> dict[str, Any]:
    return tomllib.loads(PATH.read_text(encoding="utf-8"))


def group_typed_answers() -> list[tuple[str, str, str, list[TypedAnswer]]]:
    """Return the answers with their language, question and fact."""
    grouped = groupby(list_typed_answers(), key=lambda answer: (answer.language, answer.question, answer.fact))
    return [(*key, [*answers]) for key, answers in grouped]


def ask_typed(monkeypatch: pytest.MonkeyPatch, language: str, question_id: str, fact: str) -> Sheet:
    """Return a sheet that asks one question, whose right answer is what the file says it is."""
    question = next(each for each in QUESTIONS if each.id == question_id)
    variant = FORMS_BY_QUESTION.get(question_id, Variant())
    words = tuple(_read_file()["words"][language]) if question.kind is AnswerKind.TOKEN else ()
    options = PageOptions(language=language)
    sheet = make_sheet_from_request(Request(seed=SEED, variant=variant), options=options, words=words)
    ways = [*question.list_parameters(sheet.scene)]
    way = ways[0]
    if question.judge:  # it tries the answer on the numbers of this sheet
        way = next(way for way in ways if question.find_answer(sheet.scene, way))
    question = replace(question, find_own_answer=None)  # nor is anything else taken from them
    named = dict.fromkeys(("share", "count", "kept", "unshared"), 1)  # what reasons name
    finding = Finding(answer=_read_fact(question.kind, fact), numbers=named)
    posed = PosedQuestion(question=question, parameters=way, finding=finding)
    monkeypatch.setattr(Sheet, "posed_questions", property(lambda _: (posed,)))
    return sheet


def _read_fact(kind: AnswerKind, fact: str) -> Answer:
    match kind:
        case AnswerKind.TOKEN | AnswerKind.TOKENS:
            return tuple(int(each) - 1 for each in fact.split(","))
        case AnswerKind.NUMBER:
            return simplify(Fraction(fact))
        case AnswerKind.CHANGE:
            place, _, value = fact.partition(" = ")
            row, column = place.removeprefix("W_Q[").removesuffix("]").split(",")
            return CellChange("W_Q", int(row) - 1, int(column) - 1, int(value))
    return fact
