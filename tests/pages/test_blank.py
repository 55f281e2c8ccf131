"""A blank sheet of any format holds no answer: it is, byte for byte, the blank sheet of other answers.

Which questions it asks depends on the answers; what they tell is tested beside them.
"""

from dataclasses import replace

import pytest

from attnhand.api import generate
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
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


@pytest.mark.parametrize("name", KINDS)
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
    assert [cell for cell in same if not cell.startswith("scaled")] == ["K[1,1]"]
    assert len(same) < 8
