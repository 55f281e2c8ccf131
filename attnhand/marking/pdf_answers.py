"""The answers in a filled form: every stage's matrix, put together from fields that are named after their cells."""

from collections.abc import Mapping
from typing import Any

from attnhand.cell_address import cell_id
from attnhand.errors import AnswerError, ProblemError
from attnhand.marking.answers import Answers, answer_data, signed
from attnhand.marking.pdf_form import PdfForm, read_form
from attnhand.problem_data import SHEET_FORMAT

NAME_FIELD = "name"
"""The field at the head of every form."""

MOST_STAGES = 100
MOST_LINES = 100
"""Rows or columns of one stage; the largest sheet has a third."""

_CHANGED = "holds a sheet that was changed and cannot be read: hand in the form that --fillable made, filled"


def answers_from_pdf(data: bytes) -> Answers:
    """Read a filled form: the code and the sheet that are attached to it, and all its cells.

    The attached sheet is what the file says of itself: whoever marks it makes the sheet anew, and compares.

    Raises:
        AnswerError: it is no form of this program, or cannot be read; the message completes "form.pdf: …".
    """
    form = read_form(data)
    sheet = _sheet(form)
    code = sheet.get("code")
    answers = Answers(
        code=code if isinstance(code, str) else None,
        stages={name: _texts(form, name, *size) for name, size in _sizes(sheet).items()},
        sheet=sheet,
    )
    return signed(answers, {"name": form.texts.get(NAME_FIELD, "")}, sheet)


def _sheet(form: PdfForm) -> Mapping[str, Any]:
    try:
        sheet = answer_data(form.attached)
    except ProblemError as error:
        raise AnswerError(_CHANGED) from error
    if not isinstance(sheet, Mapping) or sheet.get("format") != SHEET_FORMAT:
        raise AnswerError(_CHANGED)
    return sheet


def _sizes(sheet: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return how many rows and columns every stage of the attached sheet has."""
    stages = sheet.get("stages")
    if not isinstance(stages, list) or len(stages) > MOST_STAGES or not all(map(_is_stage, stages)):
        raise AnswerError(_CHANGED)
    return {stage["name"]: (len(stage["rows"]), len(stage["columns"])) for stage in stages}


def _is_stage(stage: object) -> bool:
    return (
        isinstance(stage, Mapping)
        and isinstance(stage.get("name"), str)
        and all(isinstance(lines := stage.get(side), list) and len(lines) <= MOST_LINES for side in ("rows", "columns"))
    )


def _texts(form: PdfForm, name: str, rows: int, columns: int) -> tuple[tuple[str, ...], ...]:
    """Return a stage as a whole matrix, with empty texts in the cells that have no field."""
    return tuple(
        tuple(form.texts.get(cell_id(f"{name}[{i + 1},{j + 1}]"), "") for j in range(columns)) for i in range(rows)
    )
