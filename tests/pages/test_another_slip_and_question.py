"""The recipes for a slip and a question, followed from outside: every format has them, and every marker knows them.

So it is for a mechanism on the web sheet.
"""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import attnhand
from attnhand.attention import questions, slips
from attnhand.attention.closed_forms import CLOSED_FORMS
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.questions import AnswerKind, Finding, Parameters, Part, Question, Scene
from attnhand.attention.slips import Slip, catalogue
from attnhand.formats.package import unpack_files
from attnhand.formats.registry import FORMATS
from attnhand.formats.stack import expect_mark
from attnhand.formats.stack_variables import build_trees
from attnhand.formats.web import read_script
from attnhand.layout.lay_out import lay_out
from attnhand.problems import sheet_code
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.question_choice import choose_questions
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text import get_language
from tests.formats.otter_tests import make_variables, run_hidden_tests
from tests.formats.test_xlsx import Recalculated
from tests.formats.workbooks import list_texts
from tests.forms import PRACTICE_FORMATS, TEXT_FORMATS
from tests.linear_attention import LINEAR, LINEAR_AGAIN
from tests.pages.web_students import SCRIPTS, compare_marks, make_page_data, plant_slip, write_random_answers

MINUS = Slip(id="minus-at-the-end", lines=((("scores",), "minus-at-the-end S[k,q] = −Σ_r K[r,k]·Q[r,q]"),))
"""The right score with the other sign."""


def ask_every_sheet(scene: Scene) -> Iterator[Parameters]:
    """Ask each sheet once that has scores."""
    at = Parameters(attention=0)
    if scene.get_attention(at).scores:
        yield at


def count_negative_scores(scene: Scene, parameters: Parameters) -> Finding:
    """Answer how many scores are below 0."""
    scores = scene.solution[scene.get_attention(parameters).scores].hand
    return Finding(answer=sum(score < 0 for row in scores for score in row))


BELOW_ZERO = Question(
    id="below-zero",
    kind=AnswerKind.NUMBER,
    part=Part.READING,
    seconds=30,
    list_parameters=ask_every_sheet,
    find_answer=count_negative_scores,
    weight=100,
)

SENTENCES = {
    "slip.minus-at-the-end": "put a minus before every score",
    "reason.minus-at-the-end": "Nothing changes the sign of a sum of {count}.",
    "ask.below-zero": "How many scores lie below zero?",
    "ask.below-zero.because": "they are those with a minus.",
}


@pytest.fixture(autouse=True)
def additions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add what the recipes say: a formula, a question, their sentences, and the slip's number in codes."""
    monkeypatch.setattr(catalogue, "SLIPS", (*slips.SLIPS, MINUS))
    monkeypatch.setattr("attnhand.problems.mistake.SLIPS", (*slips.SLIPS, MINUS))
    monkeypatch.setattr(sheet_code, "_SLIPS", (*sheet_code._SLIPS, MINUS.id))
    monkeypatch.setattr(questions, "QUESTIONS", (*questions.QUESTIONS, BELOW_ZERO))
    monkeypatch.setattr(questions, "ASKED_OF_LATER_FORMS", (BELOW_ZERO.id,))
    for key, sentence in SENTENCES.items():
        monkeypatch.setitem(get_language("en").sentences, key, sentence)
    caches = (catalogue.find_slips, choose_questions)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def make_sheet(convention: Convention = Convention.COLUMNS, **page: Any) -> Sheet:
    """Return a sheet of plain attention."""
    return make_sheet_from_request(Request(seed=7, convention=convention), PageOptions(**page))


def negate(a: Matrix) -> Matrix:
    """Return a matrix with the other signs."""
    return tuple(tuple(-x for x in row) for row in a)


def write_rows(sheet: Sheet, **own: Matrix) -> dict[str, list[list[str]]]:
    """Return what a student hands in who has the key but for these stages."""
    key = {solved.stage.name: solved.hand for solved in sheet.solution} | own
    return {name: [[str(x) for x in row] for row in rows] for name, rows in key.items()}


SAID = "put a minus before every score"


@pytest.mark.parametrize("convention", [*Convention])
def test_check_names_the_slip(convention: Convention) -> None:
    """After right work, and after queries that are all 1."""
    sheet = make_sheet(convention)
    K = sheet.solution["K"].hand
    sums = [sum(key) for key in (K if convention.is_rows else zip(*K, strict=True))]
    scores = tuple(tuple(sums) if convention.is_rows else (x,) * len(sums) for x in sums)
    ones = tuple((1,) * len(row) for row in sheet.solution["Q"].hand)
    for own in ({"S": negate(sheet.solution["S"].hand)}, {"Q": ones, "S": negate(scores)}):
        found = attnhand.check(write_rows(sheet, **own), sheet)
        assert [diagnosis.slips for diagnosis in found.diagnoses if diagnosis.stage == "S"] == [(MINUS.id,)]
        assert SAID in "\n".join([*found.feedback.sentences, str(found.to_dict())])


def test_it_can_be_planted_and_is_found_again() -> None:
    """A sheet with this mistake has a code of its own; its key says in every format what was done."""
    sheet = make_sheet(mistake=MINUS.id)
    assert sheet.planted_mistake is not None
    planted = sheet.planted_mistake
    assert planted.solution["S"].hand == negate(sheet.solution["S"].hand)
    coded = sheet_code.decode_sheet_code(sheet.code).coded_mistake
    assert coded is not None
    assert coded.find_name(sheet.problem.mechanism) == str(planted)
    assert lay_out(sheet.blank).pages
    for name, said in (("html", SAID), ("markdown", SAID), ("tex", SAID), ("json", MINUS.id)):
        assert said.encode() in FORMATS[name].render(sheet.key)
        assert said.encode() not in FORMATS[name].render(sheet.blank)


def test_programs_that_mark_themselves_name_it(page: Page) -> None:
    """The web sheet, Excel, the notebook, STACK and Moodle."""
    sheet = make_sheet()
    wrong = {"S": negate(sheet.solution["S"].hand)}
    stage = sheet.problem.mechanism.get_stage("S")
    found = page.evaluate(EXPLAIN, [make_page_data(sheet), plant_slip(sheet, stage, MINUS)])
    assert SAID in str(found)
    assert SAID in FORMATS["moodle"].render(sheet.blank).decode()
    variables = make_variables(sheet, write_rows(sheet, **wrong))
    assert SAID in run_hidden_tests(FORMATS["notebook"].render(sheet.blank).decode(), variables)["S"].sentences[0]
    (tree,) = (each for each in build_trees(sheet) if each.stage.name == "S")
    key = sheet.solution.collect_hand_values()
    assert expect_mark(sheet, tree, key | wrong)[1] == MINUS.id
    Q = key["Q"][:1] + tuple((9,) * len(row) for row in key["Q"][1:])
    worked = negate(tuple(tuple(map(int, row)) for row in np.array(key["K"]).T @ np.array(Q)))
    assert expect_mark(sheet, tree, key | {"Q": Q, "S": worked})[1] == MINUS.id
    workbook = make_sheet(self_check=True).blank
    texts = list_texts(write_rows(sheet, **wrong))
    values = Recalculated(FORMATS["xlsx"].render(workbook), texts).values.values()
    assert f"You seem to have {SAID}." in map(str, values)


MARKING_SCRIPT = "\n".join(map(read_script, SCRIPTS))

EXPLAIN = f"([SHEET, texts]) => {{ {MARKING_SCRIPT}; return explainSlips(markPlainly(texts)); }}"


def test_every_format_asks_the_question_and_every_marker_knows_its_answer(page: Page) -> None:
    """Its answer is in all keys and on no blank; it is marked by check, by the web sheet and in quizzes."""
    sheet = make_sheet(questions=QuestionAmount.MANY)
    below = sum(score < 0 for row in sheet.solution["S"].hand for score in row)
    (asked,) = (each for each in build_questions(sheet.key) if each.posed.question.id == BELOW_ZERO.id)
    assert asked.plain_answer == str(below)
    for name in (*TEXT_FORMATS, *PRACTICE_FORMATS):
        if name not in ("csv", "scorm", "qti12", "qti21"):
            assert b"scores lie below zero" in FORMATS[name].render(sheet.blank), name
    for name in ("qti12", "qti21"):
        assert "scores lie below zero" in "".join(unpack_files(FORMATS[name].render(sheet.blank)).values())
    for name in ("html", "json", "markdown", "tex"):
        assert b"those with a minus" in FORMATS[name].render(sheet.key), name
        assert b"those with a minus" not in FORMATS[name].render(sheet.blank), name
    for answer, mark in ((str(below), "correct"), (str(below + 1), "wrong"), ("many", "unreadable")):
        found = attnhand.check({asked.name: [[answer]]}, sheet)
        assert [each.mark for each in found.question_marks if each.question.name == asked.name] == [mark]
    texts = [{asked.name: text} for text in (str(below), str(below + 1), "many", "")]
    assert list(compare_marks(page, sheet, texts)) == []


@pytest.mark.parametrize("convention", [*Convention])
def test_a_page_marks_another_mechanism(page: Page, monkeypatch: pytest.MonkeyPatch, convention: Convention) -> None:
    """Linear attention, whose vectors run over tokens and over numbers, by random students as check marks it."""
    monkeypatch.setitem(MECHANISMS, "linear", LINEAR)
    monkeypatch.setitem(CLOSED_FORMS, "linear", LINEAR_AGAIN)
    sheet = make_sheet_from_request(Request(seed=7, variant=Variant(mechanism="linear"), convention=convention))
    draw = random.Random(7)
    students = [write_random_answers(sheet, draw) for _ in range(6)]
    assert list(compare_marks(page, sheet, students)) == []
