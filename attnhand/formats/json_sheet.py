"""The JSON sheet: everything a program could want of a sheet, and nothing that a blank one hides."""

import math
from typing import Any

from attnhand.attention.mechanisms import Dimension
from attnhand.attention.numbers import format_exact
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.attention.solution import Comparison, SolvedStage
from attnhand.problems.mistake import PlantedMistake
from attnhand.problems.problem_file import format_entry, make_rules_data, make_story_data, make_variant_data
from attnhand.problems.reading import SHEET_FORMAT, nest_given
from attnhand.sheet.asked import build_asked_data
from attnhand.sheet.build_grids import build_labels, format_stage_title
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sentences import format_formula
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import format_json
from attnhand.text.widths import capitalize, parse_markup, to_unicode


def render_json(sheet: Sheet) -> str:
    """Return the sheet as JSON text, one row of a matrix a line; the same sheet gives the same text.

    A blank sheet has no hand values, no exact values and no comparison. A solved one reads back, as a problem file
    does, as the problem that it solves.
    """
    return format_json(make_sheet_dict(sheet)) + "\n"


def make_sheet_dict(sheet: Sheet) -> dict[str, Any]:
    """Return the JSON sheet as a dictionary.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> data = make_sheet_dict(make_sheet_from_request(Request(seed=7)))
    >>> data["seed"], data["stages"][0]["name"], data["stages"][0]["hand"][0], data["comparison"]["of"]
    (7, 'Q', ['2', '-2', '-1', '1'], 4)
    """
    problem = sheet.problem
    data: dict[str, Any] = {"format": SHEET_FORMAT, "code": sheet.code}
    if sheet.is_salted:
        data["salted"] = True
    if sheet.seat:
        data |= {"number": sheet.seat.number, "name": sheet.seat.name}
    if sheet.request is not None:
        data |= {"seed": sheet.request.seed, "level": sheet.request.level.value}
    data |= {"mechanism": problem.mechanism.name, "convention": problem.convention.value}
    data["sizes"] = {name: problem.sizes[name] for name in SIZE_LIMITS if name in problem.sizes}
    if problem.title:
        data["title"] = problem.title
    if problem.words:
        data["words"] = list(problem.words)
    data |= make_story_data(problem)
    data |= build_asked_data(sheet)
    data["rules"] = make_rules_data(problem.rules)
    data |= make_variant_data(problem, lambda x: format_entry(problem, x))
    data["given"] = nest_given(problem, lambda x: format_entry(problem, x))
    if sheet.planted_mistake:
        data["mistake"] = _make_mistake_dict(sheet.planted_mistake) if sheet.is_solved else True
    data["stages"] = [_make_stage_dict(sheet, solved) for solved in sheet.printed_solution]
    if questions := build_questions(sheet):
        data["questions"] = [_make_question_dict(question) for question in questions]
    if sheet.is_solved:
        data["comparison"] = _make_comparisons_dict(sheet)
    return data


def _make_stage_dict(sheet: Sheet, solved: SolvedStage) -> dict[str, Any]:
    stage = solved.stage
    data: dict[str, Any] = {
        "name": stage.name,
        "title": capitalize(format_stage_title(sheet, stage)),
        "formula": to_unicode(parse_markup(format_formula(sheet, stage))),
        "rows": _list_letters(sheet, stage.rows),
        "columns": _list_letters(sheet, stage.columns),
    }
    if sheet.is_solved or sheet.planted_mistake:
        data["hand"] = _list_hand_values(solved)
    if sheet.is_solved:
        data["exact"] = [[convert_to_finite(value) for value in row] for row in solved.exact]
    return data


def _make_question_dict(question: AskedQuestion) -> dict[str, Any]:
    """Return a question; without a name where it is to be talked about."""
    data: dict[str, Any] = {"name": question.name} if question.name else {}
    data |= {"text": question.spoken_text, "type": question.posed.question.kind.value}
    if question.choices:
        data["choices"] = list(question.choices)
    finding = question.posed.finding
    if finding is not None:
        answer = finding.answer
        data["answer"] = [at + 1 for at in answer] if isinstance(answer, tuple) else question.plain_answer
        data |= {"reason": to_unicode(question.reason)} if question.reason else {}
    return data


def _make_mistake_dict(mistake: PlantedMistake) -> dict[str, Any]:
    """Return which slip was planted where, and what the blank sheet therefore shows."""
    stages = {solved.stage.name: _list_hand_values(solved) for solved in mistake.solution}
    return {"slip": mistake.slip_id, "stage": mistake.stage_name, "shown": stages}


def _list_hand_values(solved: SolvedStage) -> list[list[str]]:
    return [[format_exact(value) for value in row] for row in solved.hand]


def _list_letters(sheet: Sheet, axis: Dimension) -> list[str]:
    return [to_unicode(label.letter) for label in build_labels(sheet, axis)]


def convert_to_finite(value: float) -> float | None:
    """Return an exact value, or None where it is beyond float64; never a negative zero.

    >>> convert_to_finite(-0.5), convert_to_finite(-0.0), convert_to_finite(float("inf"))
    (-0.5, 0.0, None)
    """
    return value + 0.0 if math.isfinite(value) else None


def _make_comparisons_dict(sheet: Sheet) -> dict[str, Any]:
    """Return the comparison, keyed by head where there are several."""
    compared = sheet.solution.compare_weights()
    if len(compared) == 1:
        return _make_comparison_dict(compared[0])
    return {each.stage_name.partition(".")[0]: _make_comparison_dict(each) for each in compared}


def _make_comparison_dict(comparison: Comparison) -> dict[str, Any]:
    return {
        "same_top_token": comparison.same_top_count,
        "of": len(comparison.moved_weights),
        "largest_weight_change": convert_to_finite(comparison.largest_change),
        "weight_moved": [convert_to_finite(moved) for moved in comparison.moved_weights],
    }
