"""What was handed in: texts cell by cell, read from JSON or from the CSV sheet as spreadsheets save it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Any

from attnhand.attention.problem import Problem
from attnhand.attention.solution import format_cell_address
from attnhand.errors import AnswerError, ProblemError, TableError
from attnhand.problems.problem_file import convert_arrays
from attnhand.sheet.asked import OLD_KEYS
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.json_toml import read_data
from attnhand.system.tables import SEPARATORS, decode_text, parse_rows, unescape_formula
from attnhand.text import Message, find_message

MAX_ROWS = 5_000
"""A sheet has a few hundred lines; a table of more is none."""

_QUESTION_NAME = re.compile(r"ask[1-9][0-9]?")

TextRows = tuple[tuple[str, ...], ...]
"""A matrix as it was written: rows of cells, maybe ragged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """One student's answers, unread."""

    code: str | None
    """The sheet code in the file; None where it has none."""

    stages: Mapping[str, TextRows] = field(default_factory=dict)
    """By name of the stage; a stage that was not handed in is missing."""

    table_blocks: tuple[tuple[str, TextRows], ...] = ()
    """Of a table: name and rows of everything that looks like a block; what a student wrote may look like one."""

    sheet_data: Mapping[str, object] | None = None
    """What the file says of its sheet: all of a blank JSON sheet, or the lines before a table's blocks."""

    number: int | None = None
    """The № that the file says, of whoever has the sheet."""

    name: str = ""
    """Whose the file says that it is, as it was typed."""


EXAMPLE = '{"code": "…", "answers": {"Q": [["2", "1"], …], …}}'
"""What an answer file in JSON looks like."""


def read_answers_from_text(text: str | bytes) -> Answers:
    """Read an answer file: JSON, or CSV with commas, semicolons or tabs.

    Raises:
        AnswerError: it is neither, or names a stage twice.
    """
    try:
        text = (decode_text(text) if isinstance(text, bytes) else text).removeprefix("\ufeff")
    except TableError as error:
        raise AnswerError(Message("answers.no-text", reason=find_message(error))) from None
    if text.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
        raise AnswerError(Message("answers.web-page"))
    return _read_json_answers(text) if text.lstrip().startswith("{") else _read_csv_answers(text)


def select_stage_answers(answers: Answers, problem: Problem) -> Answers:
    """Leave out what the file repeats of the sheet.

    Raises:
        AnswerError: it has answers to something that is no stage of this problem, or a block twice.
    """
    known = [stage.name for stage in problem.mechanism.stages]
    repeated = {name for name, _ in problem.given} | {f"{name} exact" for name in known}
    stages = _join_blocks(answers.table_blocks, problem) if answers.table_blocks else answers.stages
    asked = {name: rows for name, rows in stages.items() if name not in repeated}
    unknown = next((name for name in asked if name not in known and not is_question_name(name)), None)
    if unknown is not None:
        raise AnswerError(Message("answers.unknown-stage", stage=repr(unknown), known=known))
    return replace(answers, stages=asked)


def is_question_name(name: str) -> bool:
    """Say whether a block holds the answer to a question.

    >>> is_question_name("ask2"), is_question_name("A")
    (True, False)
    """
    return _QUESTION_NAME.fullmatch(name) is not None


def _join_blocks(blocks: Sequence[tuple[str, TextRows]], problem: Problem) -> Mapping[str, TextRows]:
    """Return the blocks of a table by name, with lines put back that a student's own word had cut off.

    Subtle: a lone "x" after an empty line looks like the name of a block. It is an answer where no block of the sheet
    is called so, or that block was there before, and the block before it still misses lines:

        sums, ("5",), (""), ("x",), ("7",)  is read as  sums: (("5",),)  and  x: (("7",),)
    """
    row_counts = {name: len(a) for name, a in problem.given}
    for stage in problem.mechanism.stages:
        row_counts[stage.name] = row_counts[f"{stage.name} exact"] = problem.get_length(stage.rows)
    joined: dict[str, TextRows] = {}
    last = ""
    for name, rows in blocks:
        is_new = (name in row_counts or is_question_name(name)) and name not in joined
        if last and not is_new and len(joined[last]) + 2 + len(rows) <= row_counts.get(last, 0):
            joined[last] += (("",), (name,), *rows)
            continue
        if name in joined:
            raise AnswerError(Message("answers.twice", stage=name))
        joined[name], last = rows, name
    return joined


def read_answers_from_python(mapping: Mapping[str, Any]) -> Answers:
    """Take answers from Python: rows of numbers or texts by stage, as lists or arrays, or an answer file's data.

    >>> from fractions import Fraction
    >>> read_answers_from_python({"Q": [[1, 0.5], [Fraction(1, 3), None]]}).stages
    {'Q': (('1', '0.5'), ('1/3', ''))}

    Raises:
        AnswerError: something in it is no matrix.
    """
    if not isinstance(mapping, Mapping):
        raise AnswerError(f"answers are of type {type(mapping).__name__}: give a mapping of rows by stage")
    data = mapping if isinstance(mapping.get("answers"), Mapping) else {"answers": mapping}
    rows_by_stage = {name: convert_arrays(rows) for name, rows in data["answers"].items()}
    return _read_answer_mapping({**data, "answers": rows_by_stage})


def read_answer_json(text: str | bytes) -> object:
    """Read the JSON of an answer file, or of the sheet that is attached to a form.

    Raises:
        ProblemError: it is none, or has "\\ud800" in it, half of a character, which can be written to no file.
    """
    data = read_data(text, "json")
    try:
        json.dumps(data, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start]).strip("'")
        raise ProblemError(Message("answers.half-character", half=half)) from None
    return data


def _read_json_answers(text: str) -> Answers:
    try:
        return _read_answer_mapping(read_answer_json(text))
    except ProblemError as error:
        raise AnswerError(find_message(error)) from None


def _read_answer_mapping(data: object) -> Answers:
    if not isinstance(data, Mapping) or not isinstance(data.get("answers"), Mapping):
        raise AnswerError(Message("answers.none", example=EXAMPLE))
    code = data.get("code")
    if code is not None and not isinstance(code, str):
        raise AnswerError(Message("answers.no-code", code=repr(code)))
    sheet = data.get("sheet")
    if sheet is not None and not isinstance(sheet, Mapping):
        raise AnswerError(Message("answers.no-sheet"))
    stages = {str(name): _read_rows(str(name), rows) for name, rows in data["answers"].items()}
    return add_number_and_name(Answers(code=code, stages=stages, sheet_data=sheet), data, sheet or {})


def add_number_and_name(answers: Answers, *mappings: Mapping[str, object]) -> Answers:
    """Return the answers with № and name from the first mapping that has them; other values are ignored."""
    numbers = (str(each.get("number", "")).strip() for each in mappings)
    names = (name for each in mappings if isinstance(name := each.get("name"), str))
    number = next((int(text) for text in numbers if _is_short_number(text, 6)), 0)
    return replace(answers, number=number or None, name=next((name for name in names if name.strip()), ""))


def _is_short_number(text: str, max_digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= max_digits


def _read_rows(name: str, rows: object) -> TextRows:
    if is_question_name(name) and isinstance(rows, str | int | float):
        return ((str(rows),),)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise AnswerError(Message("answers.no-rows", stage=name))
    for i, j, cell in ((i, j, cell) for i, row in enumerate(rows) for j, cell in enumerate(row)):
        if isinstance(cell, bool | list | Mapping):
            raise AnswerError(Message("answers.no-cell", cell=format_cell_address(name, i, j)))
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows)


def _read_csv_answers(text: str) -> Answers:
    first = text.partition("\n")[0].replace('"', "")
    separator = next((mark for mark in SEPARATORS if first.startswith(f"attnhand{mark}")), None)
    if separator is None:
        raise AnswerError(Message("answers.other" if text.strip() else "answers.empty"))
    try:
        rows = parse_rows(text, separator, MAX_ROWS)
    except TableError as error:
        raise AnswerError(find_message(error)) from None
    code = rows[0][1].strip() if len(rows[0]) > 1 else ""
    blocks = tuple(_list_blocks(rows[1:]))
    if not blocks:
        raise AnswerError(Message("answers.no-block"))
    sheet_data = _read_sheet_lines(rows)
    answers = Answers(code=code or None, stages=dict(blocks), table_blocks=blocks, sheet_data=sheet_data)
    return add_number_and_name(answers, sheet_data)


def _read_sheet_lines(rows: Sequence[Sequence[str]]) -> dict[str, object]:
    """Return what the lines before the blocks say of the sheet, as its JSON says it."""
    sheet_data: dict[str, object] = {}
    for row in takewhile(lambda row: any(map(str.strip, row)), rows[1:]):
        name, *cells = (unescape_formula(cell.strip()) for cell in row)
        cells = [cell for cell in cells if cell]
        if name in ("title", "from_stage", "question_amount", "number", "name", *OLD_KEYS) and cells:
            sheet_data[name] = cells[0]
        elif name == "fade" and cells:
            sheet_data[name] = cells[0].lower() == "true"  # spreadsheets write TRUE
        elif name in ("words", "blank_stages") and cells:
            sheet_data[name] = cells
        elif name == "only_queries" and cells and all(_is_short_number(cell, 3) for cell in cells):
            sheet_data[name] = [int(cell) for cell in cells]
    return sheet_data


def _list_blocks(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, TextRows]]:
    """Yield every block: a line with its name alone after an empty line, and the lines up to the next empty one.

    Subtle: a line of empty cells is a line of unanswered ones where the block still misses lines; spreadsheets save
    the lines between blocks as empty cells too, so only the name of the next block ends one.
    """
    rows = [row for row in rows if not (row and row[0].startswith(DIGEST_PREFIX))]
    starts = [at for at, row in enumerate(rows) if at and _is_block_name(row) and not any(map(str.strip, rows[at - 1]))]
    for start, end in pairwise([*starts, len(rows) + 1]):
        yield rows[start][0].strip(), tuple(tuple(map(str.strip, row)) for row in rows[start + 1 : end - 1])


def _is_block_name(row: Sequence[str]) -> bool:
    return bool(row) and row[0].strip()[:1].isalpha() and not any(map(str.strip, row[1:]))
