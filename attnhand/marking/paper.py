"""What was handed in: the answers of a file, and the sheet that they belong to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attnhand.errors import AnswerError, NumberError, ProblemError
from attnhand.formats.answers import Answers, answers_from_text, answers_of_mechanism
from attnhand.formats.pdf.form_reader import LARGEST_PDF, answers_from_pdf, is_pdf
from attnhand.formats.sources import sheet_from_code, sheet_from_data, sheet_from_source
from attnhand.marking.answer_number import read_answer
from attnhand.problems.base32 import plain
from attnhand.problems.sheet_code import OWN_LETTER
from attnhand.sheet.asked import with_asked
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import What
from attnhand.sheet.sheet import Sheet
from attnhand.system.streams import read_stdin

LARGEST_TEXT = 1_000_000
"""Bytes; forms have a larger limit of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedIn:
    """Answers and the sheet they answer."""

    answers: Answers
    sheet: Sheet


def handed_in(name: str, against: str | None, what: What, page: PageOptions) -> HandedIn:
    """Read an answer file, ``-`` for standard input, and make its sheet.

    Args:
        against: a source that names the sheet; None where the file says it.

    Raises:
        AttnhandError: it is no answer file, or does not say which sheet it answers, or another than it should.
    """
    shown = "standard input" if name == "-" else Path(name).name
    data = read_file(name)
    try:
        answers = answers_from_pdf(data) if is_pdf(data) else answers_from_text(data)
        sheet = _sheet(answers, against, what, page, shown)
        _refuse_other_numbers(answers, sheet)
        if not sheet.cells_to_fill:
            raise AnswerError(f"answers the sheet {sheet.code}, which asks nothing to fill: there is nothing to mark")
        return HandedIn(answers=answers_of_mechanism(answers, sheet.problem.mechanism), sheet=sheet)
    except AnswerError as error:
        raise AnswerError(f"{shown} {error}") from error


def read_file(name: str) -> bytes:
    """Read an answer file, ``-`` for standard input, of a size that an answer file can have.

    Raises:
        AttnhandError: it is not there, cannot be read, or is too large.
    """
    if name == "-":
        return _bounded(read_stdin(LARGEST_PDF + 1), "standard input")
    path = Path(name)
    try:
        if not path.exists():
            raise AnswerError(
                f"{name!r} is not there: give the file that was handed in (JSON, CSV or PDF), or - to paste"
            )
        if not path.is_file():
            raise AnswerError(f"{name} is not a file: give one file that was handed in")
        with path.open("rb") as file:
            return _bounded(file.read(LARGEST_PDF + 1), path.name)
    except OSError as error:
        raise AnswerError(f"{name} cannot be read ({error.strerror}): check the file and its permissions") from error


def _bounded(data: bytes, shown: str) -> bytes:
    largest = LARGEST_PDF if is_pdf(data) else LARGEST_TEXT
    if len(data) > largest:
        raise AnswerError(f"{shown} is larger than any answer file: give one of less than {largest // 10**6} MB")
    return data


def _sheet(answers: Answers, against: str | None, what: What, page: PageOptions, shown: str) -> Sheet:
    """Make the sheet that was answered: the one that is named, else that of the file, else that of its code."""
    about: Mapping[str, object] = answers.sheet or {}
    code = answers.code if answers.code is not None else about.get("code")
    is_whole = "given" in about
    try:
        page = page if is_whole and against is None else with_asked(page, about)
    except ProblemError as error:
        raise AnswerError(f"says of its sheet: {error}") from None
    if against is not None:
        sheet = sheet_from_source(against, _named(what, about), page).sheet
    elif is_whole:
        sheet = sheet_from_data(answers.sheet, shown, "", what, page).sheet
    elif not isinstance(code, str):
        raise AnswerError("does not say which sheet it answers: name it with --against, by its seed, code or file")
    elif plain(code).startswith(OWN_LETTER):
        raise AnswerError(f"answers somebody's own matrices ({code}): give their problem file with --against")
    else:
        sheet = sheet_from_code(code, _named(what, about), page).sheet
    if isinstance(code, str) and plain(code) != plain(sheet.code):
        other = f"not {sheet.code}" if against else "but the numbers in it are another's"
        raise AnswerError(f"answers the sheet {code}, {other}: hand in the answers to the sheet as it was handed out")
    return sheet


def _named(what: What, about: Mapping[str, object]) -> What:
    """Return the options with words and title of the file, where they do not say so themselves."""
    words, title = about.get("words"), about.get("title")
    if what.words is None and isinstance(words, list) and all(isinstance(word, str) for word in words):
        what = replace(what, words=" ".join(words))
    if what.title is None and isinstance(title, str):
        what = replace(what, title=title)
    return what


def _refuse_other_numbers(answers: Answers, sheet: Sheet) -> None:
    """Refuse a table whose given matrices are not those of its code: the student worked with other numbers."""
    for name, a in sheet.problem.given:
        for i, row in enumerate(answers.stages.get(name, ())):
            for j, text in enumerate(row):
                try:
                    reading = read_answer(text)
                except NumberError:  # a spreadsheet made a date of a fraction
                    continue
                if reading and (i >= len(a) or j >= len(a[0]) or reading.value != a[i][j]):
                    raise AnswerError(
                        f"has {text} as {name}[{i + 1},{j + 1}], which is not so in the sheet {sheet.code}: "
                        "its numbers were changed; hand in the file as it was handed out, filled"
                    )
