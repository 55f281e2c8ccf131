"""A blank sheet of any format holds no answer: it is, byte for byte, the blank sheet of other answers.

Which questions it asks depends on the answers; what they tell is tested below them.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.attention.questions import Answer, CellChange, PosedQuestion
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.layout import lay_out
from attnhand.problems import question_choice
from attnhand.problems.levels import Level
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.question_choice import choose_questions
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.forms import FORMS as ATTENTION_FORMS
from tests.forms import TEXT_FORMATS
from tests.pages.sheets import change_answers, get_sheet

KINDS = ("classic columns", "classic rows", "challenge rows", "words columns", "two queries rows", "guide")


def get_plain_sheet(name: str) -> Sheet:
    """Return a sheet that asks nothing beside its cells."""
    sheet = get_sheet(name)
    return replace(sheet, options=replace(sheet.options, questions=QuestionAmount.NONE))


def render_as(sheet: Sheet, name: str) -> bytes:
    """Return a sheet in a format, or as the terminal shows it."""
    return render_terminal(sheet).encode() if name == "terminal" else FORMATS[name].render(sheet)


@pytest.mark.parametrize("name", choose(KINDS[::2], KINDS))
@pytest.mark.parametrize("form", [*TEXT_FORMATS, "terminal"])
def test_a_blank_sheet_does_not_depend_on_its_answers(form: str, name: str) -> None:
    """Not in text, attributes, metadata, order or length; while the key does."""
    sheet = get_plain_sheet(name)
    other = change_answers(sheet)
    assert render_as(sheet.blank, form) == render_as(other.blank, form)
    assert render_as(sheet.key, form) != render_as(other.key, form)


@pytest.mark.parametrize("name", ["classic columns", "classic rows"])
def test_a_blank_pdf_does_not_depend_on_its_answers(name: str) -> None:
    """Not in its text, its fonts' subsets or its metadata either."""
    sheet = get_plain_sheet(name)
    assert render_as(sheet.blank, "pdf") == render_as(change_answers(sheet).blank, "pdf")


@pytest.mark.parametrize("convention", ["columns", "rows"])
def test_an_exact_column_gives_away_its_query_only(convention: str) -> None:
    """The exact values of the first query are printed; those of the others and all hand values are not."""
    sheet = generate(7, convention=convention, options=PageOptions(show_exact=True, questions=QuestionAmount.NONE))
    other = change_answers(sheet)
    for form in (*TEXT_FORMATS, "terminal"):
        assert render_as(sheet.blank, form) == render_as(other.blank, form)


def test_other_answers_are_other_everywhere() -> None:
    """What the tests above compare with differs in every asked cell but the worked one, by hand and exactly.

    Scaled scores change places, so that one may come where an equal one was.
    """
    sheet = get_sheet("classic columns")
    same = [
        f"{stage.stage.name}[{i + 1},{j + 1}]"
        for stage, other in zip(sheet.solution, change_answers(sheet).solution, strict=True)
        for i, row in enumerate(stage.hand)
        for j, value in enumerate(row)
        if value == other.hand[i][j] or stage.exact[i][j] == other.exact[i][j]
    ]
    assert [cell for cell in same if not cell.startswith("scaled")] == ["K[3,2]"]
    assert len(same) < 8


# questions


def change_finding(posed: PosedQuestion) -> PosedQuestion:
    """Return the question as if its answer, the numbers of its reason and, where it can, its reason were others."""
    if posed.finding is None:
        return posed
    answer, choices = posed.finding.answer, posed.question.choices
    other: Answer
    if isinstance(answer, tuple):
        other = tuple(at + 1 for at in answer)
    elif isinstance(answer, str):
        other = next(choice for choice in choices if choice != answer)
    elif isinstance(answer, CellChange):
        other = replace(answer, row=answer.row + 1, value=7)
    else:
        other = answer + 1
    numbers = {name: Fraction(71, 73) for name in posed.finding.numbers}
    return replace(posed, finding=replace(posed.finding, answer=other, numbers=numbers))


def answer_otherwise(sheets: Iterable[Sheet], monkeypatch: pytest.MonkeyPatch) -> list[Sheet]:
    """Let every sheet ask what it asks, with another answer; return the sheets anew: each keeps what it has asked."""
    monkeypatch.setattr(
        question_choice, "choose_questions", lambda *of: tuple(map(change_finding, choose_questions(*of)))
    )
    lay_out._lay_out_faces.cache_clear()  # these sheets are equal to those before: elsewhere no two such differ
    return [replace(sheet) for sheet in sheets]


@cache
def list_asking_sheets() -> tuple[Sheet, ...]:
    """Return sheets of every form, in columns and in rows, that ask few questions and many: in part of each both."""
    sheets = []
    for seed, (name, is_flipped) in enumerate(product(ATTENTION_FORMS, (False, True))):
        if seed % 8 not in choose((0, 3, 5, 6), range(8)):
            continue
        convention = [*Convention][is_flipped]
        amount = QuestionAmount.MANY if (seed // 2 + is_flipped) % 2 else QuestionAmount.FEW
        request = Request(seed=seed, variant=ATTENTION_FORMS[name], convention=convention, level=Level.WARM_UP)
        sheets.append(make_sheet_from_request(request, PageOptions(questions=amount)))
    return tuple(sheets)


def read_plainly(text: str) -> str:
    """Return the letters and digits of a text alone: formats break lines, and write indices, each in their own way."""
    return "".join(re.findall(r"\w", unicodedata.normalize("NFKC", text).casefold())).replace("_", "")


QUICK_FORMATS = ("terminal", "markdown", "json", "csv")


def list_formats(at: int) -> tuple[str, ...]:
    """Return the formats in which a sheet is looked at: two of these by turns, in ``make sweep`` all."""
    return choose(QUICK_FORMATS[at % 2 :: 2], QUICK_FORMATS)


def test_a_blank_sheet_tells_no_answer_to_its_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """With other answers, and other numbers in the reasons, every blank is byte for byte the same, and no key is."""
    sheets = list_asking_sheets()
    own = [[render_as(sheet.blank, form) for form in list_formats(at)] for at, sheet in enumerate(sheets)]
    keys = [render_as(sheet.key, "json") for sheet in sheets]
    for at, (sheet, blanks, key) in enumerate(zip(answer_otherwise(sheets, monkeypatch), own, keys, strict=True)):
        assert [render_as(sheet.blank, form) for form in list_formats(at)] == blanks, sheet.code
        assert render_as(sheet.key, "json") != key


@pytest.mark.parametrize(("form", "first"), [("html", 0), ("svg", choose(2, 0))])
def test_a_drawn_blank_tells_no_answer_to_its_questions(form: str, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The web sheet, and a picture of it."""
    sheets = list_asking_sheets()[first :: choose(11, 5)]
    own = [(render_as(sheet.blank, form), render_as(sheet.key, form)) for sheet in sheets]
    for sheet, (blank, key) in zip(answer_otherwise(sheets, monkeypatch), own, strict=True):
        assert render_as(sheet.blank, form) == blank
        assert render_as(sheet.key, form) != key


@pytest.mark.parametrize("fillable", [False, True])
def test_a_blank_pdf_tells_no_answer_to_its_questions(fillable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in its text, and a form neither in its fields, nor in the sheet that is attached to it."""
    options = PageOptions(questions=QuestionAmount.MANY, fillable=fillable)
    sheet = make_sheet_from_request(Request(seed=7, convention=[*Convention][fillable], level=Level.WARM_UP), options)
    own = render_as(sheet.blank, "pdf")
    [other] = answer_otherwise([sheet], monkeypatch)
    assert render_as(other.blank, "pdf") == own


def test_no_reason_stands_on_a_blank_sheet() -> None:
    """Not in other words' dress either; each choice that a question offers does, and its box is empty."""
    reasons = 0
    for at, sheet in enumerate(list_asking_sheets()):
        asked = build_questions(sheet.blank)
        texts = {form: read_plainly(render_as(sheet.blank, form).decode()) for form in list_formats(at)}
        for question, solved in zip(asked, build_questions(sheet.key), strict=True):
            assert (question.answer, question.reason, question.posed.finding) == ((), (), None)
            assert (question.name, question.text) == (solved.name, solved.text)
            reason = read_plainly("".join(run.text for run in solved.reason))
            reasons += bool(reason)
            for form, text in texts.items():
                assert not reason or reason not in text, (form, reason)
                if "yes" not in question.choices:  # that goes without saying
                    assert all(read_plainly(choice) in text for choice in question.choices), form
        for data in json.loads(FORMATS["json"].render(sheet.blank))["questions"]:
            assert set(data) <= {"name", "text", "type", "choices"}
    assert reasons > choose(50, 100)
