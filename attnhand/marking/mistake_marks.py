"""Marking a sheet with a mistake: the cell that was found, what belongs there, and all that is worked anew."""

import re
import unicodedata
from dataclasses import replace

from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number
from attnhand.attention.questions import CellChange
from attnhand.attention.spellings import MAX_ANSWER_LENGTH, Reading, read_number
from attnhand.errors import CellError, NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.match import match_answer
from attnhand.marking.question_marks import QuestionMark
from attnhand.marking.whole_sheet import mark_sheet
from attnhand.sheet.addresses import find_cell, format_headed_name, format_printed_name
from attnhand.sheet.build_grids import find_changed_cells
from attnhand.sheet.grids import Mark
from attnhand.sheet.questions import CELL_NAME, NUMBER_NAME, WORDS_NAME, build_mistake_questions
from attnhand.sheet.sheet import Sheet

_WORD = r"(?:[^\W\d_]{2,}\W*)?"
_LABELS = re.compile(rf"[\W_]*{_WORD}(?P<a>[a-z]?)_?(?P<i>\d{{1,2}})[\W_]*{_WORD}(?P<b>[a-z]?)_?(?P<j>\d{{1,2}})[\W_]*")
"""What stands behind the name of a matrix: "k1 q3", ", row k1, column q3", " 1 3"."""

_ONE_LABEL = re.compile(rf"[\W_]*{_WORD}(?P<a>[a-z]?)_?(?P<i>\d{{1,2}})[\W_]*")
"""The same where a matrix has but one row, or one column."""


def mark_correction(answers: Answers, sheet: Sheet) -> Marks:
    """Mark what was worked anew: every cell that the mistake changed, and others that were filled and are not right.

    Whoever corrects goes on with their own numbers, as anywhere. A number that the mistake changed and that still
    stands as it was printed is wrong, even where it would follow from the student's own numbers: nobody worked it. In a
    table the printed numbers stand from the beginning, and into a form somebody may have copied them.
    """
    mistake = sheet.planted_mistake
    assert mistake is not None
    sheet_without_mistake = replace(sheet, options=replace(sheet.options, mistake=None))
    marks, worked_cell = mark_sheet(answers, sheet_without_mistake), sheet_without_mistake.worked_cell
    changed = {
        (stage.name, i, j)
        for stage in sheet.problem.mechanism.stages
        if sheet.has_own_panel(stage)
        for i, j in find_changed_cells(sheet, mistake, stage)
    }
    cells: list[CellMark] = []
    for cell in marks.cells:
        place = cell.stage, cell.row, cell.column
        # that one cell is printed as an example on a usual sheet, and taken for written; on this sheet it is not
        if place == worked_cell and not answers.get_text(*place).strip():
            cell = replace(cell, answer="", value=None, mark=Mark.BLANK)
        if place in changed:
            printed = mistake.solution[cell.stage].hand[cell.row][cell.column]
            cells.append(_refuse_printed(cell, printed, sheet.problem.rules.decimals))
        elif cell.mark not in (Mark.BLANK, Mark.CORRECT):
            cells.append(cell)
    return replace(marks, cells=tuple(cells))


def _refuse_printed(cell: CellMark, printed: Number, decimals: int) -> CellMark:
    """Give no credit for what stands there as it was printed."""
    if cell.mark not in (Mark.WRONG, Mark.FOLLOWS) or cell.value is None:
        return cell
    reading = read_number(cell.answer)
    if reading is None or not match_answer(reading, printed, decimals).is_right:
        return cell
    return replace(cell, mark=Mark.WRONG, note=Note.PRINTED, meant=None)


def mark_mistake_questions(answers: Answers, sheet: Sheet) -> tuple[QuestionMark, ...]:
    """Mark which cell was named, and what was written for it; words of one's own are left to the teacher."""
    cell, number, _ = build_mistake_questions(sheet.key)
    texts = [answers.get_text(name) for name in (CELL_NAME, NUMBER_NAME)]
    return (
        QuestionMark(question=cell, answer=texts[0], mark=_judge_cell(texts[0], sheet)),
        QuestionMark(question=number, answer=texts[1], mark=_judge_number(texts[1], texts[0], sheet)),
    )


def read_own_words(answers: Answers) -> str:
    """Return what was written about the mistake, in one line."""
    return " ".join(answers.get_text(WORDS_NAME).split())


def _judge_cell(text: str, sheet: Sheet) -> Mark:
    if not text.strip():
        return Mark.BLANK
    place = read_cell(text, sheet)
    return Mark.UNREADABLE if place is None else Mark.CORRECT if is_first_wrong(place, sheet) else Mark.WRONG


def is_first_wrong(place: CellPosition, sheet: Sheet) -> bool:
    """Say whether the mistake was made in a cell; within its stage no cell comes before another."""
    assert sheet.planted_mistake is not None
    return place[0] == sheet.planted_mistake.stage_name and is_changed(place, sheet)


def is_changed(place: CellPosition, sheet: Sheet) -> bool:
    """Say whether a cell is wrong as it was printed."""
    name, row, column = place
    if sheet.planted_mistake is None or name in dict(sheet.problem.given):
        return False
    stage = sheet.problem.mechanism.get_stage(name)
    return (row, column) in find_changed_cells(sheet, sheet.planted_mistake, stage)


def _judge_number(text: str, cell_text: str, sheet: Sheet) -> Mark:
    """Mark what belongs into the cell that was named; where none was, into the first that is wrong."""
    if not text.strip():
        return Mark.BLANK
    try:
        reading = read_number(text) if len(text) <= MAX_ANSWER_LENGTH else None
    except NumberError:
        reading = None
    if reading is None:
        return Mark.UNREADABLE
    place = read_cell(cell_text, sheet)
    if place is not None and not is_first_wrong(place, sheet):
        return Mark.FOLLOWS if is_changed(place, sheet) and _is_key(reading, place, sheet) else Mark.WRONG
    finding = build_mistake_questions(sheet.key)[0].posed.finding
    assert finding is not None
    assert isinstance(finding.answer, CellChange)
    first = (finding.answer.matrix, finding.answer.row, finding.answer.column)
    return Mark.CORRECT if _is_key(reading, place or first, sheet) else Mark.WRONG


def _is_key(reading: Reading, place: CellPosition, sheet: Sheet) -> bool:
    name, row, column = place
    return match_answer(reading, sheet.solution[name].hand[row][column], sheet.problem.rules.decimals).is_right


def read_cell(text: str, sheet: Sheet) -> CellPosition | None:
    """Return the cell that a student names, in any way that people do; None where none is named.

    ``scaled[1,3]``, ``scaled13``, ``scaled, row k₁, column q₃``, ``scaled k1 q3``, ``Σ q₂``, also with its number:
    ``scaled[1,3] = 0``.
    """
    plain = unicodedata.normalize("NFKC", text[:MAX_ANSWER_LENGTH]).partition("=")[0].strip(" \t.:;,\"'“”„«»")
    try:
        return find_cell(sheet, plain)
    except CellError:
        pass
    written = plain.casefold()
    for names, spelling in _list_spellings(sheet):
        behind = written.removeprefix(spelling)
        if behind != written and not re.match(r"[^\W\d_]{2}", behind):
            places = [place for name in names if (place := _read_place(sheet, name, behind))]
            # each head has a matrix of that name: what is meant is what is right
            return max(places, key=lambda at: (is_first_wrong(at, sheet), is_changed(at, sheet)), default=None)
    return None


def _list_spellings(sheet: Sheet) -> list[tuple[tuple[str, ...], str]]:
    """Return stages with what they may be called, in small letters, the longest first; some have no head in it."""
    found: dict[str, dict[str, None]] = {}
    for stage in sheet.problem.mechanism.stages:
        printed = (format_printed_name(sheet, stage.name), format_headed_name(sheet, stage.name))
        for name in (stage.name, strip_head(stage.name), *printed):
            found.setdefault(unicodedata.normalize("NFKC", name).casefold(), {})[stage.name] = None
    return sorted(((tuple(names), spelling) for spelling, names in found.items()), key=lambda pair: -len(pair[1]))


def _read_place(sheet: Sheet, name: str, behind: str) -> CellPosition | None:
    """Read row and column of a known stage, by number or by letter: k1 q3, and q3 k1 too."""
    stage = sheet.problem.mechanism.get_stage(name)
    rows, columns = (sheet.problem.get_length(axis) for axis in (stage.rows, stage.columns))
    if match := _LABELS.fullmatch(behind):
        row, column = int(match["i"]), int(match["j"])
        if (match["a"], match["b"]) == (stage.columns.letter, stage.rows.letter) != (match["b"], match["a"]):
            row, column = column, row
        if match["a"] or match["b"]:  # called as on the sheet, where keys of blocks are numbered on
            row -= sheet.problem.count_before(stage.rows)
            column -= sheet.problem.count_before(stage.columns)
    elif 1 in (rows, columns) and (match := _ONE_LABEL.fullmatch(behind)):
        axis = stage.columns if rows == 1 else stage.rows
        at = int(match["i"]) - (sheet.problem.count_before(axis) if match["a"] else 0)
        row, column = (1, at) if rows == 1 else (at, 1)
    else:
        return None
    return (name, row - 1, column - 1) if 1 <= row <= rows and 1 <= column <= columns else None
