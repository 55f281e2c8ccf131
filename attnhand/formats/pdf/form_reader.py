"""The answers in a filled form: every stage's matrix, put together from fields that are named after their cells."""

import contextlib
import ctypes
import io
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from attnhand.attention.solution import format_cell_address
from attnhand.errors import AnswerError, ProblemError, name_option
from attnhand.formats.answer_tables import is_question_name
from attnhand.formats.answers import Answers, add_number_and_name, read_answer_json
from attnhand.problems.reading import ATTACHMENT_NAME, SHEET_FORMAT
from attnhand.sheet.addresses import make_cell_id
from attnhand.system.files import MAX_PDF_BYTES, is_pdf
from attnhand.text import Message

MAX_UNPACKED_BYTES = 400_000
"""Bytes that one compressed part of the file may unpack to; the attached sheet takes a few thousand."""

MAX_FIELDS = 2_000
"""The largest sheet has a fifth of it."""

MAX_ROOT_RECOVERIES = 20
"""Subtle: where the catalogue is damaged, pypdf may read the whole file anew for each object that it tries instead."""

MAX_PAGES_INSPECTED = 50
"""Pages that are looked at to tell a scan from a print."""

MAX_WARNINGS = 1_000
"""Things that pypdf finds wrong in a file before it is given up."""

MAX_READING_SECONDS = 2.0
"""The largest form is read in a tenth of one; a file that takes longer was made, or damaged, so that it does."""

_CELL_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*_[0-9]{1,2}_[0-9]{1,2}")
"""The name of a field in a cell, as ``make_cell_id`` gives it."""

_LOCKED_MESSAGE = Message("answers.locked-pdf")


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfForm:
    """A form as it was filled."""

    field_texts: Mapping[str, str]
    """What stands in every field, by its name; empty text where nothing was written."""

    attached_sheet: bytes | None
    """The blank JSON sheet, as the file has it: whoever filled the form may have changed it; None where it is lost."""


def read_form(data: bytes) -> PdfForm:
    """Read a filled form without running or drawing anything of it.

    Raises:
        AnswerError: it is no form of this program, or cannot be read; the message completes "form.pdf: …".
    """
    if len(data) > MAX_PDF_BYTES:
        raise AnswerError(Message("answers.large-pdf", size=f"{len(data):,}", most=f"{MAX_PDF_BYTES:,}"))
    if not is_pdf(data):
        raise AnswerError(Message("answers.no-pdf"))
    # Subtle: a file may be made so that pypdf fails in ways of its own (RecursionError, KeyError, struct.error, …).
    # Whatever it is, it is the file's doing; nothing of ours runs in there.
    from pypdf.errors import DependencyError

    try:
        with _limit_pypdf():
            found = _read_form_or_reason(data)
    except DependencyError:  # what is locked by AES takes a library that we do without
        found = _LOCKED_MESSAGE
    except Exception as error:
        raise AnswerError(Message("answers.damaged-pdf")) from error
    if isinstance(found, Message):
        raise AnswerError(found)
    return found


@contextlib.contextmanager
def _limit_pypdf() -> Iterator[None]:
    """Bound what pypdf unpacks and follows, and keep what it would log of broken files to itself."""
    from pypdf import apply_configuration

    with (
        _raise_after_seconds(MAX_READING_SECONDS),
        _count_warnings(),
        apply_configuration(
            maximum_declared_stream_length=MAX_PDF_BYTES,
            array_based_stream_maximum_output_length=MAX_UNPACKED_BYTES,
            zlib_maximum_output_length=MAX_UNPACKED_BYTES,
            zlib_maximum_recovery_input_length=MAX_UNPACKED_BYTES,
            lzw_maximum_output_length=MAX_UNPACKED_BYTES,
            run_length_maximum_output_length=MAX_UNPACKED_BYTES,
            stream_decoding_work_maximum_length=4 * MAX_UNPACKED_BYTES,
            form_fields_maximum_entries=MAX_FIELDS,
            page_tree_maximum_entries=MAX_FIELDS,
        ),
    ):
        yield


class _ReadingLimitError(Exception):
    """The file is not worth more time."""


class _WarningCounter(logging.Handler):
    """Keeps what pypdf would log to itself, and gives up where it is too much."""

    count = 0

    def emit(self, _: logging.LogRecord) -> None:
        self.count += 1
        if self.count > MAX_WARNINGS:
            raise _ReadingLimitError


@contextlib.contextmanager
def _count_warnings() -> Iterator[None]:
    logger, complaints = logging.getLogger("pypdf"), _WarningCounter(logging.WARNING)
    before = logger.propagate
    logger.propagate = False
    logger.addHandler(complaints)
    try:
        yield
    finally:
        logger.removeHandler(complaints)
        logger.propagate = before


@contextlib.contextmanager
def _raise_after_seconds(seconds: float) -> Iterator[None]:
    """Raise an error in this thread, wherever it is, after so many seconds of work.

    Subtle: pypdf's own limits count bytes, and a small file can keep it busy for minutes with none of them reached.
    Seconds of the processor are counted where a system tells them: on a busy machine a good file waits, too.
    """
    thread = ctypes.c_ulong(threading.get_ident())
    read_clock: Callable[[], float] = time.monotonic
    if hasattr(time, "pthread_getcpuclockid"):
        read_clock = partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
    end = read_clock() + seconds
    is_done = threading.Event()

    def watch() -> None:
        while not is_done.wait(max(0.01, end - read_clock())):
            if read_clock() >= end:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_ReadingLimitError))
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_done.set()
        watcher.join()


def _read_form_or_reason(data: bytes) -> PdfForm | Message:
    """Return the form, or why there is none."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data), root_object_recovery_limit=MAX_ROOT_RECOVERIES)
    if reader.is_encrypted:
        return _LOCKED_MESSAGE
    fields: Mapping[Any, Any] = reader.get_form_text_fields()
    if not fields:
        return Message("answers.scan" if _is_scan(reader) else "answers.flat-pdf")
    form = PdfForm(
        # a damaged name stays bytes: no field of ours
        field_texts={name: _read_field_value(value) for name, value in fields.items() if isinstance(name, str)},
        attached_sheet=_read_attachment(reader),
    )
    if form.attached_sheet is None and not any(map(_CELL_FIELD.fullmatch, form.field_texts)):
        option = name_option("fillable", value=True)
        return Message("answers.other-form", attachment=ATTACHMENT_NAME, option=option)
    return form


def _read_attachment(reader: Any) -> bytes | None:
    for file in reader.attachment_list:
        if ATTACHMENT_NAME in (file.name, file.alternative_name):
            content: bytes = file.content
            return bytes(content)
    return None


def _read_field_value(value: object) -> str:
    """Return what stands in a field; some programs leave the value out where it is empty."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else ""


def _is_scan(reader: Any) -> bool:
    """Say whether no page has any type, and one has a picture."""
    pictures = False
    for _, page in zip(range(MAX_PAGES_INSPECTED), reader.pages, strict=False):
        resources = page.get("/Resources", {}).get_object()
        if resources.get("/Font"):
            return False
        things = resources.get("/XObject", {}).get_object().values()
        pictures = pictures or any(thing.get_object().get("/Subtype") == "/Image" for thing in things)
    return pictures


NAME_FIELD, CODE_FIELD = "name", "code"
"""The field at the head of every form, and one that is on no page."""

MAX_STAGES = 100
MAX_LINES = 100
"""Rows or columns of one stage; the largest sheet has a third."""

_CHANGED_SHEET_MESSAGE = Message("answers.changed-form", option=name_option("fillable", value=True))


def read_answers_from_pdf(data: bytes) -> Answers:
    """Read a filled form: the code and the sheet that are attached to it, and all its cells.

    The attached sheet is what the file says of itself: whoever marks it makes the sheet anew, and compares. Some
    programs do not keep what is attached; then the names of the fields say which cells they are,
    and one that is seen nowhere holds the code.

    Raises:
        AnswerError: it is no form of this program, or cannot be read; the message completes "form.pdf: …".
    """
    form = read_form(data)
    if form.attached_sheet is None:
        code = form.field_texts.get(CODE_FIELD) or None
        return add_number_and_name(Answers(code=code, field_texts=form.field_texts), form.field_texts)
    sheet = _read_attached_sheet(form.attached_sheet)
    code = sheet.get("code")
    answers = Answers(
        code=code if isinstance(code, str) else None,
        stages={
            **{name: _read_stage_texts(form, name, *size) for name, size in _read_stage_sizes(sheet).items()},
            **{name: ((text,),) for name, text in form.field_texts.items() if is_question_name(name)},
        },
        sheet_data=sheet,
    )
    return add_number_and_name(answers, {"name": form.field_texts.get(NAME_FIELD, "")}, sheet)


def _read_attached_sheet(data: bytes) -> Mapping[str, Any]:
    try:
        sheet = read_answer_json(data)
    except ProblemError as error:
        raise AnswerError(_CHANGED_SHEET_MESSAGE) from error
    if not isinstance(sheet, Mapping) or sheet.get("format") != SHEET_FORMAT:
        raise AnswerError(_CHANGED_SHEET_MESSAGE)
    return sheet


def _read_stage_sizes(sheet: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return how many rows and columns every stage of the attached sheet has."""
    stages = sheet.get("stages")
    if not isinstance(stages, list) or len(stages) > MAX_STAGES or not all(map(_is_stage_data, stages)):
        raise AnswerError(_CHANGED_SHEET_MESSAGE)
    return {stage["name"]: (len(stage["rows"]), len(stage["columns"])) for stage in stages}


def _is_stage_data(stage: object) -> bool:
    return (
        isinstance(stage, Mapping)
        and isinstance(stage.get("name"), str)
        and all(isinstance(lines := stage.get(side), list) and len(lines) <= MAX_LINES for side in ("rows", "columns"))
    )


def _read_stage_texts(form: PdfForm, name: str, rows: int, columns: int) -> tuple[tuple[str, ...], ...]:
    """Return a stage as a whole matrix, with empty texts in the cells that have no field."""
    return tuple(
        tuple(form.field_texts.get(make_cell_id(format_cell_address(name, i, j)), "") for j in range(columns))
        for i in range(rows)
    )
