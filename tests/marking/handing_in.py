"""Answers as students hand them in: from matrices, with a slip made and carried on."""

import json
from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any

from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, format_exact
from attnhand.attention.slips import SLIPS, StageContext
from attnhand.attention.solution import compute_stages, solve
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.sheet.sheet import Sheet

Spelling = Callable[[Number], str]


def write_answers(
    sheet: Sheet, values: Mapping[str, Matrix], write_number: Spelling = format_exact
) -> dict[str, list[list[str]]]:
    """Return what is written into every stage that is asked; nothing where the sheet asks nothing."""
    rows: dict[str, list[list[str]]] = {}
    for stage in sheet.problem.mechanism.stages:
        if sheet.count_answer_cells(stage):
            asked = sheet.list_asked_cells(stage)
            rows[stage.name] = [
                [write_number(value) if (i, j) in asked else "" for j, value in enumerate(row)]
                for i, row in enumerate(values[stage.name])
            ]
    return rows


def write_key(sheet: Sheet, write_number: Spelling = format_exact) -> dict[str, list[list[str]]]:
    """Return the key, as it is written into the sheet."""
    return write_answers(sheet, sheet.solution.collect_hand_values(), write_number)


def make_slip(sheet: Sheet, slip_id: str, stage_name: str, last_stage: str | None = None) -> dict[str, Matrix]:
    """Return all values, or those to a stage, where that slip was made at that stage and carried on honestly."""
    problem = sheet.problem
    context = StageContext(
        problem.mechanism,
        problem.mechanism.get_stage(stage_name),
        problem.hand_arithmetic,
        sheet.solution.collect_hand_values(),
    )
    wrong = next(slip for slip in SLIPS if slip.id == slip_id).compute_wrong(context)
    assert wrong is not None
    if last_stage is not None:
        before = takewhile(lambda stage: stage.name != stage_name, problem.mechanism.stages)
        values = sheet.solution.collect_hand_values()
        instead = {stage.name: values[stage.name] for stage in before} | {stage_name: wrong}
        return compute_stages(problem, problem.hand_arithmetic, replacements=instead, last_stage=last_stage)
    return solve(problem, replacements={stage_name: wrong}).collect_hand_values()


def make_answer_file(sheet: Sheet, rows: Mapping[str, Any], *, with_sheet: bool = False) -> str:
    """Return a JSON answer file, with its blank sheet or with its code alone."""
    data: dict[str, Any] = {"code": sheet.code, "answers": rows}
    return json.dumps(data | ({"sheet": make_sheet_dict(sheet.blank)} if with_sheet else {}))
