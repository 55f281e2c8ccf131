"""A mistake to find, as one question for Moodle (Cloze): the sheet as it was worked wrongly, and what was wrong."""

from xml.etree.ElementTree import Element

from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.cloze import (
    Alternative,
    add_cloze,
    measure_width,
    write_field,
    write_value_list,
    write_word_list,
)
from attnhand.formats.cloze_questions import write_how_to_type, write_solved_sheet
from attnhand.formats.question_text import add_category, escape_text, write_quiz, write_text
from attnhand.problems.mistake import count_changed_cells
from attnhand.problems.random_stream import RandomStream
from attnhand.sheet.addresses import format_headed_name
from attnhand.sheet.build_grids import format_stage_title
from attnhand.sheet.conclusion import format_mistake
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.questions import find_first_wrong_cell
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

MAX_SLIPS_HERE, MAX_SLIPS_ELSEWHERE = 4, 5
"""Slips to choose from, with the planted one: of its own stage, and of others."""

_ROW, _COLUMN = "\ue000", "\ue001"
"""Where a sentence has a list to choose from."""


def render_mistake_quiz(sheet: Sheet) -> str:
    """Return Moodle XML: a category, and in it one question about the mistake.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.sheet.options import PageOptions
    >>> sheet = make_sheet_from_request(Request(seed=7), PageOptions(mistake="truncated"))
    >>> text = render_mistake_quiz(sheet)
    >>> text.count(":MULTICHOICE:"), text.count(":SHORTANSWER:")
    (4, 1)
    """
    quiz, title = Element("quiz"), format_title(sheet)
    add_category(quiz, [f"{title} · {sheet.code}"], sheet.say("moodle.mistake.category", code=sheet.code))
    feedback = f"<p>{write_text(parse_markup(format_mistake(sheet)))}</p>"
    add_cloze(quiz, sheet, 1, title, _write_text(sheet), feedback)
    return write_quiz(quiz)


def _write_text(sheet: Sheet) -> str:
    mistake = sheet.planted_mistake
    assert mistake is not None
    planted = sheet.problem.mechanism.get_stage(mistake.stage_name)
    first = find_first_wrong_cell(sheet, mistake)
    stages = [(_name_stage(sheet, stage), stage == planted) for stage in sheet.problem.mechanism.stages]
    rows, columns = (
        max(sheet.problem.get_length(axis) for axis in axes)
        for axes in zip(*((stage.rows, stage.columns) for stage in sheet.problem.mechanism.stages), strict=True)
    )
    where = escape_text(sheet.say("moodle.mistake.cell", row=_ROW, column=_COLUMN))
    where = where.replace(_ROW, _write_numbers(rows, first.row + 1))
    where = where.replace(_COLUMN, _write_numbers(columns, first.column + 1))
    return "".join(
        (
            f"<p>{escape_text(sheet.say('moodle.mistake.find'))}</p>",
            write_solved_sheet(sheet, mistake.solution),
            write_how_to_type(sheet) if is_finite(first.value) else "",
            f"<p>1. {escape_text(sheet.say('moodle.mistake.stage'))} {write_word_list(stages)}</p>",
            f"<p>2. {where}</p>",
            f"<p>3. {escape_text(sheet.say('mistake.belongs'))} {_write_value_field(sheet)}</p>",
            f"<p>4. {escape_text(sheet.say('moodle.mistake.slip'))} {write_word_list(list_offered_slips(sheet))}</p>",
        )
    )


def _name_stage(sheet: Sheet, stage: Stage) -> str:
    title = format_stage_title(sheet, stage)
    if stage.head and sheet.problem.mechanism.head_count > 1:
        title = sheet.say("spoken.head", head=stage.head, name=title)
    return f"{format_headed_name(sheet, stage.name)}: {title}"


def _write_numbers(count: int, right: int) -> str:
    if count == 1:  # there is nothing to choose
        return str(right)
    return write_word_list([(str(number), number == right) for number in range(1, count + 1)])


def _write_value_field(sheet: Sheet) -> str:
    """Return the field for what belongs into the first wrong cell; a list of values where it is −∞."""
    mistake = sheet.planted_mistake
    assert mistake is not None
    first = find_first_wrong_cell(sheet, mistake)
    printed = mistake.solution[first.matrix].hand[first.row][first.column]
    note = to_unicode(parse_markup(sheet.say("feedback.note.printed")))
    key = Alternative(first.value)
    if not is_finite(first.value) or not is_finite(printed):
        hand = flatten(sheet.solution[first.matrix].hand)
        others = [value for value in dict.fromkeys(hand) if value not in (first.value, printed)]
        return write_value_list(sheet, [key, Alternative(printed, note), *map(Alternative, others)])
    known = [key, Alternative(printed, note)]
    return write_field(known, measure_width([known]))


def list_offered_slips(sheet: Sheet) -> list[tuple[str, bool]]:
    """Return slips to choose from, always the same ones, and whether it is the planted one.

    Each would show on this sheet, some at the stage of the mistake and some at others; none is there that gives the
    numbers of the planted one too, or is said in the same words.
    """
    mistake = sheet.planted_mistake
    assert mistake is not None
    stream = RandomStream(sheet.code, "slips")
    planted = sheet.problem.mechanism.get_stage(mistake.stage_name)
    right = _describe(sheet, mistake.slip_id, planted)
    offered = {right: True}
    stages = sheet.problem.mechanism.stages
    elsewhere = stream.shuffle([stage for stage in stages if stage.topic != planted.topic])
    for stage in (planted, *elsewhere):
        count = MAX_SLIPS_HERE if stage == planted else 1
        visible = [each for each in stream.shuffle(_list_visible_slips(sheet, stage)) if each not in offered]
        for words in visible[: count - (stage == planted)]:
            if len(offered) < MAX_SLIPS_HERE + MAX_SLIPS_ELSEWHERE:
                offered[words] = False
    return stream.shuffle([*offered.items()])


def _list_visible_slips(sheet: Sheet, stage: Stage) -> list[str]:
    """Return in words which slips would show at a stage, as it was worked on the sheet, but for the one that was."""
    mistake, solution = sheet.planted_mistake, sheet.solution
    assert mistake is not None
    problem, planted_wrong = sheet.problem, mistake.solution[mistake.stage_name].hand
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, solution.collect_hand_values())
    visible = []
    for slip in find_slips(stage):
        try:
            wrong = slip.compute_wrong(context)
        except (AttnhandError, ArithmeticError):
            continue
        if wrong is None or (stage.name == mistake.stage_name and wrong == planted_wrong):
            continue
        if count_changed_cells(solution[stage.name].hand, wrong, sheet.find_asked_rows_and_columns(stage)):
            visible.append(_describe(sheet, slip.id, stage))
    return visible


def _describe(sheet: Sheet, slip_id: str, stage: Stage) -> str:
    return to_unicode(parse_markup(describe_slip(sheet, slip_id, stage)))
