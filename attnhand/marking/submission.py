"""A file that was handed in, marked: its answers are read, and the sheet is made that they belong to."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from attnhand.attention.solution import format_cell_address
from attnhand.attention.spellings import read_number
from attnhand.errors import AnswerError, CodeError, NumberError, PageError, ProblemError, name_option
from attnhand.formats.answers import (
    Answers,
    arrange_answers,
    read_answers_from_spreadsheet,
    read_answers_from_text,
    select_stage_answers,
)
from attnhand.formats.mail import is_mail, list_mail_parts
from attnhand.formats.other_files import explain_other_file
from attnhand.formats.sources import (
    add_words_and_title,
    make_sheet_from_code,
    make_sheet_from_data,
    make_sheet_from_source,
)
from attnhand.marking.checked import CheckResult, check_answers, read_owner
from attnhand.problems.base32 import normalize_code
from attnhand.problems.sheet_code import FINGERPRINT_LETTER, decode_sheet_code
from attnhand.sheet.asked import apply_asked_data, apply_code, find_own_mistake, leave_out_asked_data
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import read_file_number
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import MAX_PDF_BYTES, is_pdf, is_zip, read_file, refuse_large_data
from attnhand.system.streams import read_stdin
from attnhand.text import Message, find_message

MAX_TEXT_BYTES = 1_000_000
"""Bytes; forms and spreadsheets have a larger limit of their own."""


def check_file(
    name: str,
    sheet_source: Sheet | str | None,
    order: SheetOrder,
    page: PageOptions,
    codes_by_number: Mapping[int, str] | None = None,
) -> CheckResult:
    """Mark an answer file, ``-`` for standard input: see ``check_data``."""
    return check_data(read_answer_file(name), name_answer_file(name), sheet_source, order, page, codes_by_number)


def name_answer_file(name: str) -> str:
    """Return what messages call an answer file."""
    return "standard input" if name == "-" else Path(name).name


def check_data(
    data: bytes,
    display_name: str,
    sheet_source: Sheet | str | None,
    order: SheetOrder,
    page: PageOptions,
    codes_by_number: Mapping[int, str] | None = None,
) -> CheckResult:
    """Take the answers from a file's bytes, make the sheet that they answer, and mark them.

    Args:
        display_name: what messages call the file.
        sheet_source: the sheet, or a source that names it; None where the file says it.
        codes_by_number: of a class, so that a file without a code needs no more than a №, inside or in its name.

    Raises:
        AttnhandError: it is no answer file, or does not say which sheet it answers, or another than it should.
    """
    try:
        answers = read_answers(data)
        if sheet_source is None and codes_by_number and not _names_sheet(answers):
            number = read_owner(answers)[0] or read_file_number(display_name)
            sheet_source = codes_by_number.get(number or 0)
        sheet, asks_less = _make_answered_sheet(answers, sheet_source, order, page, display_name)
        answers = arrange_answers(answers, sheet)
        _refuse_changed_givens(answers, sheet)
        if not (sheet.answer_cell_count or sheet.planted_mistake):
            raise AnswerError(Message("answers.nothing-asked", code=sheet.code))
        is_of_other_mistake = _asks_about_other_mistake(answers, sheet)
        answers = select_stage_answers(answers, sheet, has_other_questions=is_of_other_mistake)
    except AnswerError as error:
        raise AnswerError(f"{display_name} {error}") from error
    return check_answers(answers, sheet, asks_less=asks_less)


def _names_sheet(answers: Answers) -> bool:
    return answers.code is not None or "code" in answers.sheet_data or "given" in answers.sheet_data


def read_answers(data: bytes) -> Answers:
    """Read an answer file of any kind, also attached to a mail that was saved whole."""
    if not is_mail(data):
        return _read_answer_data(data)
    found = []
    for part in list_mail_parts(data):
        with suppress(AnswerError):
            found.append(_read_answer_data(part))
    if not found or any(each != found[0] for each in found):
        raise AnswerError(Message("answers.mail"))
    return found[0]


def _read_answer_data(data: bytes) -> Answers:
    if is_zip(data):
        return read_answers_from_spreadsheet(data)
    if not is_pdf(data):
        if reason := explain_other_file(data):
            raise AnswerError(reason)
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
        advice, label = (
            "give the file that was handed in (JSON, CSV, .xlsx, .ods or PDF), or - to paste",
            Path(name).name,
        )
        data = read_file(Path(name), MAX_PDF_BYTES, kind=kind, advice=advice)
    is_packed = is_pdf(data) or is_zip(data) or is_mail(data)
    refuse_large_data(data, MAX_PDF_BYTES if is_packed else MAX_TEXT_BYTES, kind=kind, label=label)
    return data


def _make_answered_sheet(
    answers: Answers, sheet_source: Sheet | str | None, order: SheetOrder, page: PageOptions, display_name: str
) -> tuple[Sheet, bool]:
    """Make the sheet that was answered: the one that is named, else that of the file's code.

    What counts is never taken from the file, which a student can write: else whoever says that only the sums are asked
    has everything right with one number. It stands in the code. Say too whether the file asks less.
    """
    sheet_data, code = answers.sheet_data, answers.stated_code
    try:
        claimed = apply_asked_data(PageOptions(), sheet_data)
    except ProblemError as error:
        raise AnswerError(Message("answers.of-sheet", reason=find_message(error))) from None
    is_own = code is not None and normalize_code(code).startswith(FINGERPRINT_LETTER)
    if isinstance(sheet_source, Sheet):
        sheet = sheet_source
    elif sheet_source is not None:
        order = add_words_and_title(order, sheet_data)
        sheet = make_sheet_from_source(sheet_source, order, page).sheet
        if code and is_own and page.mistake is None and (mistake := find_own_mistake(sheet, code)):
            sheet = make_sheet_from_source(sheet_source, order, replace(page, mistake=mistake)).sheet
    elif "given" in sheet_data:
        # of one's own matrices the code is a fingerprint of what is asked too: the file is held to it below
        data = sheet_data if is_own else leave_out_asked_data(sheet_data)
        sheet = make_sheet_from_data(data, display_name, "", order, page).sheet
    elif code is None:
        raise AnswerError(Message("answers.which-sheet", option=name_option("against")))
    elif is_own:
        raise AnswerError(Message("answers.own-matrices", code=code, option=name_option("against")))
    else:
        sheet = make_sheet_from_code(code, add_words_and_title(order, sheet_data), page).sheet
    try:
        asked_by_file = [replace(sheet, options=claimed)] if claimed != PageOptions() else []
    except PageError as error:  # it begins at a stage that there is not
        raise AnswerError(Message("answers.of-sheet", reason=find_message(error))) from None
    if code is not None and normalize_code(code) != normalize_code(sheet.code):
        asked_by_code = _ask_as_code_says(code, sheet, order)
        if asked_by_code is None and sheet_source:
            raise AnswerError(Message("answers.other-sheet", code=code, expected=sheet.code))
        if asked_by_code is None:
            raise AnswerError(Message("answers.other-numbers", code=code))
        asked_by_file.append(asked_by_code)
    return sheet, any(_asks_less(each, sheet) for each in asked_by_file)


def _ask_as_code_says(code: str, sheet: Sheet, order: SheetOrder) -> Sheet | None:
    """Return the sheet as another code asks it; None where that code has other numbers."""
    if sheet.request is None:
        return None
    story = sheet.request.story
    try:
        other, own = (decode_sheet_code(each, sheet.problem.words, story) for each in (code, sheet.code))
    except CodeError:
        return None
    if (other.request, other.salt_digest) != (own.request, own.salt_digest):
        return None
    salt = "" if other.salt_digest is None else order.get_salt()
    return replace(sheet, options=apply_code(PageOptions(), other, salt))


def _asks_about_other_mistake(answers: Answers, sheet: Sheet) -> bool:
    """Say whether one of sheet and file has a mistake to find, and the other not: their questions are others."""
    if sheet.request is None or answers.stated_code is None:
        return False
    try:
        decoded = decode_sheet_code(answers.stated_code, sheet.problem.words, sheet.request.story)
    except CodeError:
        return False
    return (decoded.coded_mistake is None) is not (sheet.planted_mistake is None)


def _asks_less(claimed: Sheet, sheet: Sheet) -> bool:
    stages = sheet.problem.mechanism.stages
    return any(set(sheet.list_asked_cells(stage)) - set(claimed.list_asked_cells(stage)) for stage in stages)


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
