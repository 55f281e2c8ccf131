"""Which questions a sheet asks: for ever the same on one sheet, others on others, and none that answers another."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from attnhand.attention import questions
from attnhand.attention.convention import Convention
from attnhand.attention.questions import QUESTIONS, AnswerKind, Part, PosedQuestion
from attnhand.problems import question_choice
from attnhand.problems.levels import Level
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.question_choice import PARTS, choose_questions
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.golden.refresh import FOLDER, QUESTION_FILE, make_question_lines

FEW, MANY = QuestionAmount.FEW, QuestionAmount.MANY
TALK_ALONE = (Part.SHADING, Part.AGAIN, Part.PENCIL)


@cache
def make_sheet(
    seed: int, form: str = "self", tokens: int | None = None, only_queries: tuple[int, ...] | None = None
) -> Sheet:
    """Return a small sheet that asks many questions."""
    sizes = (("tokens", tokens),) if tokens else ()
    request = Request(
        seed=seed,
        variant=FORMS[form],
        convention=[*Convention][seed % 2],
        level=Level.WARM_UP,
        size_overrides=sizes,
        allow_ties=True,
    )
    return make_sheet_from_request(request, PageOptions(questions=MANY, only_queries=only_queries))


def list_small_sheets() -> list[Sheet]:
    """Return sheets of every form, of two tokens, and of one asked query: there is little to ask."""
    return [
        *(make_sheet(seed, form) for seed, form in enumerate(FORMS)),
        *(make_sheet(seed, tokens=2) for seed in range(30)),
        *(make_sheet(seed, "cross", tokens=2) for seed in range(10)),
        *(make_sheet(seed, only_queries=(2,)) for seed in range(10)),
        *(make_sheet(seed, only_queries=(1, 3)) for seed in range(20)),
    ]


def describe(posed: tuple[PosedQuestion, ...]) -> list[tuple[str, object]]:
    """Return what is asked, and of what."""
    return [(each.question.id, each.parameters) for each in posed]


def test_a_sheet_asks_the_same_for_ever() -> None:
    """Made twice, drawn twice: the same questions with the same answers; blank and key have them alike."""
    for seed in range(4):
        sheet = make_sheet(seed)
        again = make_sheet.__wrapped__(seed)
        choose_questions.cache_clear()
        assert again.posed_questions == sheet.posed_questions
        assert sheet.blank.posed_questions == sheet.key.posed_questions


@pytest.mark.parametrize("at", ["first", "last"])
def test_a_question_that_joins_the_catalogue_changes_no_sheet(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Planted in every part, before the others or after them, and never to be passed over where it is drawn from."""
    planted = {each.part: replace(each, id=f"planted {each.part}", weight=9, comes_first=True) for each in QUESTIONS}
    assert set(planted) == {*Part} - {Part.MISTAKE, Part.TRY, Part.WHY}  # they are no questions of the catalogue
    catalogue = (*planted.values(), *QUESTIONS) if at == "first" else (*QUESTIONS, *planted.values())
    for module in (questions, question_choice):
        monkeypatch.setattr(module, "QUESTIONS", catalogue, raising=False)
    choose_questions.cache_clear()
    assert make_question_lines() == (FOLDER / QUESTION_FILE).read_text(encoding="utf-8").splitlines()


def test_sheets_ask_different_questions() -> None:
    """Neighbours' sheets, and one of other code with the same numbers, are seldom asked the same."""
    asked = [make_sheet(seed).posed_questions for seed in range(20)]
    assert len({str(describe(each)) for each in asked}) >= 19
    scene = make_sheet(1).scene
    by_code = {str(describe(choose_questions(scene, FEW, f"code {number}"))) for number in range(12)}
    assert len(by_code) > 6


@pytest.mark.parametrize("amount", [FEW, MANY])
def test_parts_come_in_their_order(amount: QuestionAmount) -> None:
    """None that the amount does not have; a standard sheet has them all, and asks nothing twice."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(questions=amount))
    parts = [each.question.part for each in sheet.posed_questions]
    tries = parts.count(Part.TRY)
    assert tries > 3
    assert parts == [*PARTS[amount], *[Part.TRY] * tries]
    for small in list_small_sheets():
        posed = [each for each in choose_questions(small.scene, amount, small.code) if not each.try_id]
        assert not Counter(each.question.part for each in posed) - Counter(PARTS[amount])
        ids = [each.question.id for each in posed]
        assert len(ids) == len(set(ids))
        assert "again" not in ids or "guess" in ids
        assert all((each.finding is None) == (each.question.part in TALK_ALONE) for each in posed)


def test_no_question_gives_another_away() -> None:
    """The surest of two queries leaves the most torn; the largest share is not asked twice of one query."""
    for sheet in list_small_sheets():
        posed = [each for each in sheet.posed_questions if each.question.kind is not AnswerKind.TALK]
        ids = {each.question.id: each for each in posed}
        if {"surest", "torn"} <= set(ids):
            head = ids["surest"].parameters.attention
            same_head = head == ids["torn"].parameters.attention
            assert not same_head or len(sheet.scene.list_choosing_queries(head)) > 2, sheet.code
        where = [
            (each.parameters.attention, each.parameters.query)
            for each in posed
            if each.question.id in ("story", "largest-share")
        ]
        assert len(where) == len(set(where))
