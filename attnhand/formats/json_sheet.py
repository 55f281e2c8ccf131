"""The JSON sheet: everything a program could want of a sheet, and nothing that a blank one hides."""

import math
from typing import Any

from attnhand.attention.mechanisms import Axis
from attnhand.attention.numbers import written
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.attention.solution import Comparison, SolvedStage
from attnhand.problems.mistake import Planted
from attnhand.problems.problem_file import entry_text, form_data, rules_data
from attnhand.problems.reading import SHEET_FORMAT, given_tree
from attnhand.sheet.asked import asked_data
from attnhand.sheet.build_grids import labels, stage_title
from attnhand.sheet.sentences import formula
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import pretty_json
from attnhand.text.widths import as_plain, marked_up


def render_json(sheet: Sheet) -> str:
    """Return the sheet as JSON text, one row of a matrix a line; the same sheet gives the same text.

    A blank sheet has no hand values, no exact values and no comparison. A solved one reads back, as a problem file
    does, as the problem that it solves.
    """
    return pretty_json(sheet_dict(sheet)) + "\n"


def sheet_dict(sheet: Sheet) -> dict[str, Any]:
    """Return the JSON sheet as a dictionary.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> data = sheet_dict(sheet_from_request(Request(seed=7)))
    >>> data["seed"], data["stages"][0]["name"], data["stages"][0]["hand"][0], data["comparison"]["of"]
    (7, 'Q', ['1', '2', '1', '0'], 4)
    """
    problem = sheet.problem
    data: dict[str, Any] = {"format": SHEET_FORMAT, "code": sheet.code}
    if sheet.salted:
        data["salted"] = True
    if sheet.holder:
        data |= {"number": sheet.holder.number, "name": sheet.holder.name}
    if sheet.request is not None:
        data |= {"seed": sheet.request.seed, "level": sheet.request.level.value}
    data |= {"mechanism": problem.mechanism.name, "convention": problem.convention.value}
    data["sizes"] = {name: problem.sizes[name] for name in SIZE_LIMITS if name in problem.sizes}
    if problem.title:
        data["title"] = problem.title
    if problem.words:
        data["words"] = list(problem.words)
    data |= asked_data(sheet)
    data["rules"] = rules_data(problem.rules)
    data |= form_data(problem, lambda x: entry_text(problem, x))
    data["given"] = given_tree(problem, lambda x: entry_text(problem, x))
    if sheet.planted:
        data["mistake"] = _mistake(sheet.planted) if sheet.solved else True
    data["stages"] = [_stage(sheet, solved) for solved in sheet.shown]
    if sheet.solved:
        data["comparison"] = _comparisons(sheet)
    return data


def _stage(sheet: Sheet, solved: SolvedStage) -> dict[str, Any]:
    stage = solved.stage
    data: dict[str, Any] = {
        "name": stage.name,
        "title": stage_title(sheet, stage).capitalize(),
        "formula": as_plain(marked_up(formula(sheet, stage))),
        "rows": _letters(sheet, stage.rows),
        "columns": _letters(sheet, stage.columns),
    }
    if sheet.solved or sheet.planted:
        data["hand"] = [[written(value) for value in row] for row in solved.hand]
    if sheet.solved:
        data["exact"] = [[finite(value) for value in row] for row in solved.exact]
    return data


def _mistake(planted: Planted) -> dict[str, Any]:
    """Return which slip was planted where, and what the blank sheet therefore shows."""
    shown = {
        solved.stage.name: [[written(value) for value in row] for row in solved.hand] for solved in planted.solution
    }
    return {"slip": planted.slip, "stage": planted.stage, "shown": shown}


def _letters(sheet: Sheet, axis: Axis) -> list[str]:
    return [as_plain(label.letter) for label in labels(sheet, axis)]


def finite(value: float) -> float | None:
    """Return an exact value, or None where it is beyond float64; never a negative zero.

    >>> finite(-0.5), finite(-0.0), finite(float("inf"))
    (-0.5, 0.0, None)
    """
    return value + 0.0 if math.isfinite(value) else None


def _comparisons(sheet: Sheet) -> dict[str, Any]:
    """Return the comparison, keyed by head where there are several."""
    compared = sheet.solution.comparisons()
    if len(compared) == 1:
        return _comparison(compared[0])
    return {comparison.stage.partition(".")[0]: _comparison(comparison) for comparison in compared}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "same_top_token": comparison.same_top,
        "of": len(comparison.moved),
        "largest_weight_change": finite(comparison.largest_change),
        "weight_moved": [finite(moved) for moved in comparison.moved],
    }
