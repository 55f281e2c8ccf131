"""What was handed in: texts cell by cell, read from JSON or from the CSV sheet as spreadsheets save it."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from attnhand.data_text import read_data
from attnhand.errors import AnswerError, ProblemError
from attnhand.mechanisms import Mechanism

MOST_ROWS = 5_000
"""A sheet has a few hundred lines; a table of more is none."""

Texts = tuple[tuple[str, ...], ...]
"""A matrix as it was written: rows of cells, maybe ragged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """One student's answers, unread."""

    code: str | None
    """The sheet code in the file; None where it has none."""

    stages: Mapping[str, Texts] = field(default_factory=dict)
    """By name of the stage; a stage that was not handed in is missing."""

    sheet: Mapping[str, object] | None = None
    """The blank JSON sheet that came with the answers, as data; None where none did."""


def answers_from_text(text: str | bytes, mechanism: Mechanism | None = None) -> Answers:
    """Read an answer file: JSON, or CSV with commas, semicolons or tabs.

    Args:
        mechanism: the sheet's; a name that it does not have is refused. None to read the code alone.

    Raises:
        AnswerError: it is neither, or names a stage twice or one that there is not.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise AnswerError("holds bytes that are no text: save it as CSV in UTF-8, or as JSON") from None
    text = text.removeprefix("\ufeff")
    answers = _from_json(text) if text.lstrip().startswith("{") else _from_csv(text)
    return answers if mechanism is None else _of_mechanism(answers, mechanism)


def _of_mechanism(answers: Answers, mechanism: Mechanism) -> Answers:
    """Leave out what the file repeats of the sheet, and refuse what the sheet does not ask."""
    known = [stage.name for stage in mechanism.stages]
    repeated = {given.name for given in mechanism.given} | {f"{name} exact" for name in known}
    asked = {name: rows for name, rows in answers.stages.items() if name not in repeated}
    unknown = next((name for name in asked if name not in known), None)
    if unknown is not None:
        raise AnswerError(f"has answers to {unknown!r}, which the sheet does not ask: use {', '.join(known)}")
    return replace(answers, stages=asked)


def _from_json(text: str) -> Answers:
    try:
        data = read_data(text, "json")
    except ProblemError as error:
        raise AnswerError(str(error)) from None
    if not isinstance(data, Mapping) or not isinstance(data.get("answers"), Mapping):
        raise AnswerError('has no answers: write {"code": "…", "answers": {"Q": [["2", "1"], …], …}}')
    code = data.get("code")
    if code is not None and not isinstance(code, str):
        raise AnswerError(f"has the code {code!r}, which is no text: write the code that stands on the sheet")
    return Answers(code=code, stages={name: _rows(name, rows) for name, rows in data["answers"].items()})


def _rows(name: str, rows: object) -> Texts:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise AnswerError(f"{name} is not a list of rows: write [[…], […]]")
    return tuple(tuple(_text(name, i, j, cell) for j, cell in enumerate(row)) for i, row in enumerate(rows))


def _text(name: str, row: int, column: int, cell: object) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool | list | Mapping):
        raise AnswerError(f"{name}[{row + 1},{column + 1}] is no number and no text: write a number or a text")
    return str(cell)


def _from_csv(text: str) -> Answers:
    lines = text.splitlines()
    if len(lines) > MOST_ROWS:
        raise AnswerError(f"has {len(lines)} lines: a sheet has fewer than {MOST_ROWS}; hand in the CSV of one sheet")
    first = lines[0] if lines else ""
    mark = next((mark for mark in ",;\t" if first.replace('"', "").startswith(f"attnhand{mark}")), None)
    if mark is None:
        raise AnswerError("is neither an answer file in JSON nor the CSV of a sheet, whose first line is attnhand,CODE")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error as error:
        raise AnswerError(f"is no CSV ({error}): save it from the spreadsheet again") from None
    code = rows[0][1].strip() if len(rows[0]) > 1 else ""
    stages: dict[str, Texts] = {}
    for name, block in _blocks(rows[1:]):
        if name in stages:
            raise AnswerError(f"has the block {name} twice: leave out one of the two")
        stages[name] = block
    return Answers(code=code or None, stages=stages)


def _blocks(rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, Texts]]:
    """Yield every block: a line with its name alone after an empty line, and the lines up to the next empty one.

    Subtle: a line of empty cells is a line of unanswered ones where the block still misses lines; spreadsheets save
    the lines between blocks as empty cells too, so only the name of the next block ends one.
    """
    starts = [i for i, row in enumerate(rows) if i and _is_name(row) and not any(cell.strip() for cell in rows[i - 1])]
    for start, end in zip(starts, [*starts[1:], len(rows) + 1], strict=True):
        lines = [tuple(cell.strip() for cell in row) for row in rows[start + 1 : end - 1]]
        yield rows[start][0].strip(), tuple(lines)


def _is_name(row: Sequence[str]) -> bool:
    return (
        bool(row) and row[0].strip() != "" and not any(cell.strip() for cell in row[1:]) and row[0].strip()[0].isalpha()
    )
