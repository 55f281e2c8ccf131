"""What marks a notebook: packed into a hidden test there, it runs by itself and marks as ``attnhand check`` does.

Nothing imports this module: ``formats/otter.py`` takes it, and all that it imports, along as text.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from attnhand.attention.numbers import format_exact
from attnhand.attention.solution import solve
from attnhand.formats.answers import Answers, arrange_answers, read_answers_from_python, select_stage_answers
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.naming import name_address
from attnhand.marking.question_marks import QuestionMark, mark_questions
from attnhand.marking.reasons import describe_diagnosis
from attnhand.marking.whole_sheet import mark_sheet
from attnhand.problems.language_model import read_model
from attnhand.problems.model_parts import AskedPart
from attnhand.problems.reading import build_problem
from attnhand.sheet.asked import apply_asked_data
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import format_question_remark
from attnhand.sheet.sheet import Sheet


def main() -> None:
    """Mark what comes in as JSON, and print the marks as JSON."""
    sys.stdout.write(json.dumps(mark_notebook(json.loads(sys.stdin.buffer.read()))))


def mark_notebook(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what counts at every stage and question, of how many, and what to say of it; and of the whole sheet.

    Args:
        data: the JSON sheet with its language, and the answers: texts in rows by stage, a text for a question.
    """
    sheet = _make_sheet(data["sheet"])
    answers = arrange_answers(read_answers_from_python(data["answers"]), sheet)
    answers = select_stage_answers(_leave_out_printed(answers, sheet), sheet)
    marks = mark_sheet(answers, sheet)
    items = {name: [*score, _describe_stage(name, marks, sheet)] for name, score in marks.scores_by_stage.items()}
    for question in mark_questions(answers, sheet, marks.student_values):
        items[question.question.name] = [question.mark in COUNTED_MARKS, 1, _describe_question(question, sheet)]
    remark = sheet.say(f"feedback.other_way.{marks.other_way}") if marks.other_way else ""
    return {"items": items, "remark": remark}


def _make_sheet(data: Mapping[str, Any]) -> Sheet:
    """Make the sheet of its own matrices: drawn again it would take all that draws and vets."""
    options = apply_asked_data(PageOptions(language=data["language"]), data)
    asked = AskedPart(name=data["part"], model=read_model(data["model"])) if "model" in data else None
    return Sheet(solution=solve(build_problem(data)), code=data["code"], asked_part=asked, options=options)


def _leave_out_printed(answers: Answers, sheet: Sheet) -> Answers:
    """Return the answers without the cell that is printed worked, where nothing else of its stage is filled.

    It counts where its stage is begun, as on paper. Beside others it stays: a turned matrix has another number there.
    """
    if (worked := sheet.worked_cell) is None or worked[0] not in answers.stages:
        return answers
    name, row, column = worked
    printed = format_exact(sheet.solution[name].hand[row][column])
    rows = answers.stages[name]
    filled = {(i, j): text for i, texts in enumerate(rows) for j, text in enumerate(texts) if text}
    if filled != {(row, column): printed}:
        return answers
    return Answers(code=None, stages={**answers.stages, name: tuple(("",) * len(texts) for texts in rows)})


def _describe_stage(name: str, marks: Marks, sheet: Sheet) -> str:
    """Say how many cells of a stage count, which slip explains the others, and where to look."""
    cells = [cell for cell in marks.cells if cell.stage == name]
    counted, of = marks.scores_by_stage[name]
    sentences = [sheet.say("notebook.other", name=name.replace(".", "_"), right=str(counted), cells=of)]
    sentences += [describe_diagnosis(each, sheet) for each in marks.diagnoses if each.stage == name]
    sentences += [sheet.say("feedback.left_little")] if any(cell.note is Note.UNWORKED for cell in cells) else []
    unread = (cell for cell in cells if cell.mark is Mark.UNREADABLE)
    notes = [
        f"{_name(cell, sheet)}: {sheet.say('feedback.note.unreadable', reason=cell.unreadable_reason)}"
        for cell in unread
    ]
    sentences += [sheet.say("notebook.unread", cells=notes)] if notes else []
    wrong = [_name(cell, sheet) for cell in cells if cell.mark is Mark.WRONG]
    sentences += [sheet.say("notebook.cells", cells=wrong)] if wrong and len(wrong) < of else []
    return " ".join(sentences)


def _name(cell: CellMark, sheet: Sheet) -> str:
    return name_address(sheet, cell.stage, *cell.place)


def _describe_question(mark: QuestionMark, sheet: Sheet) -> str:
    """Say what to think over; nothing where the answer is right, or there is none."""
    return "" if mark.mark is Mark.CORRECT else format_question_remark(sheet, mark.question, mark.mark, mark.answer)
