"""What was handed in: texts cell by cell, read from JSON, from a spreadsheet or from the CSV sheet."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from typing import Any

from attnhand.attention.matrix import shape
from attnhand.attention.solution import format_cell_address
from attnhand.attention.spellings import uses_decimal_commas, write_decimal_point
from attnhand.errors import AnswerError, ProblemError, TableError
from attnhand.formats.answer_tables import (
    HEADER_LINE_PATTERN,
    TableArranger,
    TextRows,
    find_table,
    is_question_name,
    list_blocks,
    read_placed_cells,
)
from attnhand.problems.problem_file import convert_arrays
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import read_data
from attnhand.system.tables import decode_text, parse_rows, unescape_formula
from attnhand.text import Message, find_message

MAX_ROWS = 5_000
"""A sheet has a few hundred lines; a table of more is none."""

_QUOTE_MARKS = re.compile(r"^(?:[ \t]*>)+ ?", re.MULTILINE)
"""What mail programs put before the lines of what is answered."""

_DOUBLE_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one student handed in: the text of every cell, and which sheet it answers; nothing is marked."""

    code: str | None
    """The sheet code in the file; None where it has none."""

    stages: Mapping[str, TextRows] = field(default_factory=dict)
    """By name of the stage; a stage that was not handed in is missing."""

    table_rows: TextRows = ()
    """Of a table: all of its lines; which of them begin a block is not known without the sheet."""

    field_texts: Mapping[str, str] = field(default_factory=dict)
    """Of a table laid out like the page, and of a form whose sheet is lost: what stands in each cell, by its id."""

    sheet_data: Mapping[str, object] = field(default_factory=dict)
    """What the file says of its sheet: all of a blank JSON sheet, or the lines before a table's blocks."""

    number: int | None = None
    """The № that the file says, of whoever has the sheet."""

    name: str = ""
    """Whose the file says that it is, as it was typed."""

    @property
    def stated_code(self) -> str | None:
        """The sheet code that the file says, in its own place or in what it says of its sheet."""
        code = self.sheet_data.get("code") if self.code is None else self.code
        return code if isinstance(code, str) else None

    def get_text(self, name: str, row: int = 0, column: int = 0) -> str:
        """Return what was written in a cell (0-based), or as the answer to a question; empty where nothing was."""
        rows = self.stages.get(name, ())
        return rows[row][column] if row < len(rows) and column < len(rows[row]) else ""


EXAMPLE = '{"code": "…", "answers": {"Q": [["2", "1"], …], …}}'
"""What an answer file in JSON looks like."""


def read_answers_from_text(text: str | bytes) -> Answers:
    """Read an answer file: JSON, or CSV with commas, semicolons or tabs; also as it was pasted into a mail.

    Raises:
        AnswerError: it is neither, or names a stage twice.
    """
    try:
        text = (decode_text(text) if isinstance(text, bytes) else text).removeprefix("\ufeff")
    except TableError as error:
        raise AnswerError(Message("answers.no-text", reason=find_message(error))) from None
    if text.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
        raise AnswerError(Message("answers.web-page"))
    text = _QUOTE_MARKS.sub("", text)
    header = None if text.lstrip().startswith("{") else HEADER_LINE_PATTERN.search(text)
    if header:
        return _read_csv_answers(text[header.start() :].lstrip(), header[1])
    if text.lstrip().startswith("{") or ("{" in text and "answers" in text):
        return _read_json_answers(text)
    raise AnswerError(Message("answers.other" if text.strip() else "answers.empty"))


def is_table_text(head: bytes) -> bool:
    """Say whether a file that begins so is the CSV of a sheet, filled or not.

    >>> is_table_text("attnhand;A1Q0-0000-000W".encode()), is_table_text(b'{"given": {}}')
    (True, False)
    """
    try:
        text = decode_text(head)
    except TableError:
        return False
    return not text.lstrip("\ufeff \r\n\t").startswith(("{", "#", "[")) and HEADER_LINE_PATTERN.search(text) is not None


def _cut_json_out(text: str) -> str:
    """Return the JSON in a mail: without greeting and fence, its quotes straight, its lines joined."""
    joined = " ".join(text[text.index("{") : text.rindex("}") + 1].split()) if "}" in text else text
    return joined if '"answers"' in joined else joined.translate(_DOUBLE_QUOTES)


def read_answers_from_spreadsheet(data: bytes) -> Answers:
    """Read a filled sheet that was saved as .xlsx or .ods: whichever of its tables begins as ours does.

    Raises:
        AnswerError: it is no spreadsheet, is not to be opened, or has no such table.
    """
    # whoever hands in a text waits for no archives
    from attnhand.system.spreadsheets import read_spreadsheet

    try:
        tables = read_spreadsheet(data)
    except TableError as error:
        raise AnswerError(find_message(error)) from None
    table = next(filter(None, map(find_table, tables)), None)
    if table is None:
        raise AnswerError(Message("answers.no-table"))
    return _read_table_answers(table)


def select_stage_answers(answers: Answers, sheet: Sheet, *, has_other_questions: bool = False) -> Answers:
    """Leave out what the file repeats of the sheet.

    Args:
        answers: arranged.
        has_other_questions: whether the file asks what this sheet does not: then what is answered there is left out.

    Raises:
        AnswerError: it has answers to something that is no stage and no question of this sheet.
    """
    known = [stage.name for stage in sheet.problem.mechanism.stages]
    repeated = {name for name, _ in sheet.problem.given} | {f"{name} exact" for name in known}
    asked = {name: rows for name, rows in answers.stages.items() if name not in repeated}
    if has_other_questions:
        asked = {name: rows for name, rows in asked.items() if not is_question_name(name)}
    answered = {name for name, rows in asked.items() if is_question_name(name) and any(map(str.strip, chain(*rows)))}
    if answered:  # a field that was left empty belongs to another amount of questions, and nothing is lost with it
        known += [question.name for question in build_questions(sheet.blank) if question.name]
    unknown = next(
        (each for each in asked if each not in known and (each in answered or not is_question_name(each))), ""
    )
    if unknown:
        raise AnswerError(Message("answers.unknown-stage", stage=repr(unknown), known=known))
    return replace(answers, stages=asked)


def arrange_answers(answers: Answers, sheet: Sheet) -> Answers:
    """Return answers by the ids of the sheet, whatever it is called there; a table's matrices put in place.

    Raises:
        AnswerError: something is there twice.
    """
    arranger = TableArranger(sheet)
    if answers.table_rows:
        return replace(answers, stages=arranger.arrange(answers.table_rows), table_rows=())
    if answers.field_texts:
        return replace(answers, stages=_collect_fields(answers.field_texts, sheet), field_texts={})
    stages: dict[str, TextRows] = {}
    for written, rows in answers.stages.items():
        name = arranger.find_name(written) or written
        if name in stages:
            raise AnswerError(Message("answers.twice", stage=name))
        stages[name] = rows
    return replace(answers, stages=stages)


def settle_commas(answers: Answers) -> Answers:
    """Return answers whose commas are decimal marks throughout with a point in 1,333, which would have two readings."""
    cells = {name: rows for name, rows in answers.stages.items() if not is_question_name(name)}
    if not uses_decimal_commas(chain(*chain(*cells.values()))):
        return answers
    settled = {name: tuple(tuple(map(write_decimal_point, row)) for row in rows) for name, rows in cells.items()}
    return replace(answers, stages={**answers.stages, **settled})


def _collect_fields(texts: Mapping[str, str], sheet: Sheet) -> Mapping[str, TextRows]:
    """Return what stands in the fields of a form, put together to matrices."""
    stages: dict[str, TextRows] = {name: ((text,),) for name, text in texts.items() if is_question_name(name)}
    for name, a in sheet.solution.collect_hand_values().items():
        rows, columns = shape(a)
        cells = [[make_cell_id(format_cell_address(name, i, j)) for j in range(columns)] for i in range(rows)]
        if any(cell in texts for row in cells for cell in row):
            stages[name] = tuple(tuple(texts.get(cell, "") for cell in row) for row in cells)
    return stages


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
        data = read_answer_json(text)
    except ProblemError as error:
        try:
            data = read_answer_json(_cut_json_out(text))
        except ProblemError:
            raise AnswerError(find_message(error)) from None
    return _read_answer_mapping(data)


def _read_answer_mapping(data: object) -> Answers:
    if isinstance(data, Mapping) and "doc_id" in data:
        raise AnswerError(Message("answers.link"))
    if not isinstance(data, Mapping) or not isinstance(data.get("answers"), Mapping):
        raise AnswerError(Message("answers.none", example=EXAMPLE))
    code = data.get("code")
    if code is not None and not isinstance(code, str):
        raise AnswerError(Message("answers.no-code", code=repr(code)))
    sheet = data.get("sheet")
    if sheet is not None and not isinstance(sheet, Mapping):
        raise AnswerError(Message("answers.no-sheet"))
    stages = {str(name): _read_rows(str(name), rows) for name, rows in data["answers"].items()}
    return add_number_and_name(Answers(code=code, stages=stages, sheet_data=sheet or {}), data, sheet or {})


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


def _read_csv_answers(text: str, separator: str) -> Answers:
    try:
        table = find_table(parse_rows(text, separator, MAX_ROWS))
    except TableError as error:
        raise AnswerError(find_message(error)) from None
    if table is None:
        raise AnswerError(Message("answers.other"))
    return _read_table_answers(table)


def _read_table_answers(table: TextRows) -> Answers:
    answers = Answers(code=next(filter(None, table[0][1:]), None), sheet_data=_read_sheet_lines(table))
    if (cells := read_placed_cells(table)) is not None:
        texts = {make_cell_id(address): text for address, text in cells.items()}
        return add_number_and_name(replace(answers, field_texts=texts), answers.sheet_data, texts)
    blocks = dict(list_blocks(table))
    if not blocks:
        raise AnswerError(Message("answers.no-block"))
    return add_number_and_name(replace(answers, stages=blocks, table_rows=table), answers.sheet_data)


def _read_sheet_lines(rows: Sequence[Sequence[str]]) -> dict[str, object]:
    """Return what the lines before the blocks say of the sheet, as its JSON says it."""
    sheet_data: dict[str, object] = {}
    for row in takewhile(any, rows[1:]):
        name, *cells = map(unescape_formula, row)
        cells = [cell for cell in cells if cell]
        if name in ("title", "from_stage", "question_amount", "number", "name") and cells:
            sheet_data[name] = cells[0]
        elif name == "fade" and cells:
            sheet_data[name] = cells[0].lower() == "true"  # spreadsheets write TRUE
        elif name in ("words", "blank_stages") and cells:
            sheet_data[name] = cells
        elif name == "only_queries" and cells and all(_is_short_number(cell, 3) for cell in cells):
            sheet_data[name] = [int(cell) for cell in cells]
    return sheet_data
