"""Answers as students hand them in: from matrices, with a slip made and carried on."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, written
from attnhand.attention.slips import SLIPS, Desk
from attnhand.attention.solution import solve
from attnhand.formats.json_sheet import sheet_dict
from attnhand.sheet.sheet import Sheet

Spelling = Callable[[Number], str]


def texts(sheet: Sheet, values: Mapping[str, Matrix], spelling: Spelling = written) -> dict[str, list[list[str]]]:
    """Return what is written into every stage that is asked; nothing where the sheet asks nothing."""
    rows: dict[str, list[list[str]]] = {}
    for stage in sheet.problem.mechanism.stages:
        if sheet.cells_of(stage):
            lines, columns = sheet.asked_lines(stage)
            rows[stage.name] = [
                [spelling(value) if i in lines and j in columns else "" for j, value in enumerate(row)]
                for i, row in enumerate(values[stage.name])
            ]
    return rows


def key_texts(sheet: Sheet, spelling: Spelling = written) -> dict[str, list[list[str]]]:
    """Return the key, as it is written into the sheet."""
    return texts(sheet, sheet.solution.hand_values(), spelling)


def slipped(sheet: Sheet, slip_id: str, stage_name: str) -> dict[str, Matrix]:
    """Return all values where that slip was made at that stage and carried on honestly."""
    problem = sheet.problem
    desk = Desk(problem.mechanism, problem.mechanism.stage(stage_name), problem.hand, sheet.solution.hand_values())
    wrong = next(slip for slip in SLIPS if slip.id == slip_id).wrong(desk)
    assert wrong is not None
    return solve(problem, instead={stage_name: wrong}).hand_values()


def answer_file(sheet: Sheet, rows: Mapping[str, Any], *, whole: bool = False) -> str:
    """Return a JSON answer file, with its blank sheet or with its code alone."""
    data: dict[str, Any] = {"code": sheet.code, "answers": rows}
    return json.dumps(data | ({"sheet": sheet_dict(sheet.blank)} if whole else {}))
