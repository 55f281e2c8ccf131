"""What was handed in: the answers of a file, and the sheet that they belong to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attnhand.attention.solution import format_cell_address
from attnhand.attention.spellings import read_number
from attnhand.errors import AnswerError, NumberError, ProblemError, name_option
from attnhand.formats.answers import Answers, read_answers_from_text, select_stage_answers
from attnhand.formats.sources import make_sheet_from_code, make_sheet_from_data, make_sheet_from_source
from attnhand.problems.base32 import normalize_code
from attnhand.problems.sheet_code import FINGERPRINT_LETTER
from attnhand.sheet.asked import apply_asked_data
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import MAX_PDF_BYTES, is_pdf, read_file, refuse_large_data
from attnhand.system.streams import read_stdin
from attnhand.text import Message, find_message

MAX_TEXT_BYTES = 1_000_000
"""Bytes; forms have a larger limit of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """Answers and the sheet they answer."""

    answers: Answers
    sheet: Sheet


def read_submission(name: str, sheet_source: Sheet | str | None, order: SheetOrder, page: PageOptions) -> Submission:
    """Read an answer file, ``-`` for standard input, and make its sheet: see ``make_submission``."""
    display_name = "standard input" if name == "-" else Path(name).name
    return make_submission(read_answer_file(name), display_name, sheet_source, order, page)


def make_submission(
    data: bytes, display_name: str, sheet_source: Sheet | str | None, order: SheetOrder, page: PageOptions
) -> Submission:
    """Take the answers from a file's bytes, and make the sheet that they answer.

    Args:
        display_name: what messages call the file.
        sheet_source: the sheet, or a source that names it; None where the file says it.

    Raises:
        AttnhandError: it is no answer file, or does not say which sheet it answers, or another than it should.
    """
    try:
        answers = _read_answers(data)
        sheet = _make_answered_sheet(answers, sheet_source, order, page, display_name)
        _refuse_changed_givens(answers, sheet)
        if not sheet.answer_cell_count:
            raise AnswerError(Message("answers.nothing-asked", code=sheet.code))
        return Submission(answers=select_stage_answers(answers, sheet.problem), sheet=sheet)
    except AnswerError as error:
        raise AnswerError(f"{display_name} {error}") from error


def _read_answers(data: bytes) -> Answers:
    if not is_pdf(data):
        return read_answers_from_text(data)
    from attnhand.formats.pdf.form_reader import read_answers_from_pdf  # whoever hands in a table waits for no forms

    return read_answers_from_pdf(data)


def read_answer_file(name: str) -> bytes:
    """Read an answer file, ``-`` for standard input, of a size that an answer file can have.

    Raises:
        AttnhandError: it is not there, cannot be read, or is too large.
    """
    kind = "answer file"
    if name == "-":
        data, label = read_stdin(MAX_PDF_BYTES, kind=kind), "standard input"
    else:
        advice, label = "give the file that was handed in (JSON, CSV or PDF), or - to paste", Path(name).name
        data = read_file(Path(name), MAX_PDF_BYTES, kind=kind, advice=advice)
    refuse_large_data(data, MAX_PDF_BYTES if is_pdf(data) else MAX_TEXT_BYTES, kind=kind, label=label)
    return data


def _make_answered_sheet(
    answers: Answers, sheet_source: Sheet | str | None, order: SheetOrder, page: PageOptions, display_name: str
) -> Sheet:
    """Make the sheet that was answered: the one that is named, else that of the file, else that of its code."""
    sheet_data: Mapping[str, object] = answers.sheet_data or {}
    code = answers.code if answers.code is not None else sheet_data.get("code")
    is_whole = "given" in sheet_data
    try:
        page = page if is_whole and sheet_source is None else apply_asked_data(page, sheet_data)
    except ProblemError as error:
        raise AnswerError(Message("answers.of-sheet", reason=find_message(error))) from None
    if isinstance(sheet_source, Sheet):
        sheet = sheet_source
    elif sheet_source is not None:
        sheet = make_sheet_from_source(sheet_source, _add_words_and_title(order, sheet_data), page).sheet
    elif is_whole:
        sheet = make_sheet_from_data(answers.sheet_data, display_name, "", order, page).sheet
    elif not isinstance(code, str):
        raise AnswerError(Message("answers.which-sheet", option=name_option("against")))
    elif normalize_code(code).startswith(FINGERPRINT_LETTER):
        raise AnswerError(Message("answers.own-matrices", code=code, option=name_option("against")))
    else:
        sheet = make_sheet_from_code(code, _add_words_and_title(order, sheet_data), page).sheet
    if isinstance(code, str) and normalize_code(code) != normalize_code(sheet.code):
        if sheet_source:
            raise AnswerError(Message("answers.other-sheet", code=code, expected=sheet.code))
        raise AnswerError(Message("answers.other-numbers", code=code))
    return sheet


def _add_words_and_title(order: SheetOrder, sheet_data: Mapping[str, object]) -> SheetOrder:
    """Return the options with words and title of the file, where they do not say so themselves."""
    words, title = sheet_data.get("words"), sheet_data.get("title")
    if order.words is None and isinstance(words, list) and all(isinstance(word, str) for word in words):
        order = replace(order, words=" ".join(words))
    return replace(order, title=title) if order.title is None and isinstance(title, str) else order


def _refuse_changed_givens(answers: Answers, sheet: Sheet) -> None:
    """Refuse a table whose given matrices are not those of its code: the student worked with other numbers."""
    for name, a in sheet.problem.given:
        for i, row in enumerate(answers.stages.get(name, ())):
            for j, text in enumerate(row):
                try:
                    reading = read_number(text)
                except NumberError:  # a spreadsheet made a date of a fraction
                    continue
                if reading and (i >= len(a) or j >= len(a[0]) or reading.value != a[i][j]):
                    cell = format_cell_address(name, i, j)
                    raise AnswerError(Message("answers.changed-givens", text=text, cell=cell, code=sheet.code))
