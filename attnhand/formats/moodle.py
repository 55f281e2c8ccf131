"""Questions for Moodle: one a stage, with a field a cell (Cloze), as Moodle XML.

Cloze cannot follow a student's own numbers. So every stage is a question of its own: it prints what the stage reads,
and it is drawn anew, so that no question shows the answer of the one before.
"""

from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.formats.cloze import (
    Alternative,
    add_cloze,
    measure_tolerance,
    write_field,
    write_number,
    write_value_list,
)
from attnhand.formats.cloze_mistake import render_mistake_quiz
from attnhand.formats.cloze_questions import LEAST_WIDTH, add_questions, write_how_to_type
from attnhand.formats.question_text import (
    add_category,
    draw_again,
    escape_text,
    make_value_writer,
    write_inputs,
    write_matrix,
    write_paragraphs,
    write_quiz,
)
from attnhand.sheet.build_grids import format_spoken_name, format_stage_title
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup, to_unicode

UNTOLD_SLIPS = ("rounded-early",)
"""Nobody can tell it from rounding what is typed, which these questions ask for."""


def render_moodle(sheet: Sheet) -> str:
    """Return Moodle XML: a category, and in it a question for each stage that asks something, and what else is asked.

    Of a sheet with a mistake to find it is one question.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> text = render_moodle(make_sheet_from_request(Request(seed=7)))
    >>> text.count('type="cloze"'), text.count(":NUMERICAL:")
    (10, 116)
    """
    if sheet.planted_mistake:
        return render_mistake_quiz(sheet)
    quiz = Element("quiz")
    key = "moodle.category" if sheet.request else "moodle.category.own"
    add_category(quiz, [f"{format_title(sheet)} · {sheet.code}"], sheet.say(key, code=sheet.code))
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    for number, stage in enumerate(stages, 1):
        _add_question(quiz, number, choose_drawn_stage(sheet, stage))
    add_questions(quiz, sheet, len(stages) + 1)
    return write_quiz(quiz)


@dataclass(frozen=True, slots=True)
class DrawnStage:
    """One stage of a sheet of its own, with what each of its cells knows."""

    sheet: Sheet
    stage: Stage
    alternatives: dict[tuple[int, int], tuple[Alternative, ...]]
    """By cell (0-based) that is asked: the key first, then what slips give."""


def choose_drawn_stage(sheet: Sheet, stage: Stage) -> DrawnStage:
    """Draw other numbers for a stage, always the same ones, with every slip farther from the key than rounding goes.

    Somebody's own matrices stay as they are, and so does the last draw: there a field takes less rounding.
    """
    for drawn in draw_again(sheet, stage.name):
        found, is_apart = _find_alternatives(drawn, stage)
        if is_apart:
            break
    return found


def _find_alternatives(sheet: Sheet, stage: Stage) -> tuple[DrawnStage, bool]:
    """Return what each cell knows, and whether all slips are farther from the key than two roundings."""
    stage = sheet.problem.mechanism.get_stage(stage.name)  # that of this sheet: masks are told apart by what they are
    context = StageContext(
        sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, sheet.solution.collect_hand_values()
    )
    hand = sheet.solution[stage.name].hand
    wrong = [
        (a, sheet.say("feedback.named", actions=[describe_slip(sheet, slip.id, stage)]))
        for slip in find_slips(stage)
        if slip.id not in UNTOLD_SLIPS
        and (a := slip.compute_wrong(context)) is not None
        and (len(a), len(a[0])) == (len(hand), len(hand[0]))
    ]
    alternatives, is_apart = {}, True
    for i, j in sheet.list_asked_cells(stage):
        key = hand[i][j]
        others = [(a[i][j], to_unicode(parse_markup(text))) for a, text in wrong if a[i][j] != key]
        tolerance = measure_tolerance(key)
        for value, _ in others:
            if is_finite(value) and is_finite(key) and tolerance:
                distance = abs(Fraction(value) - Fraction(key))
                is_apart &= distance > 2 * tolerance
                tolerance = min(tolerance, distance / 3)
        known = [Alternative(key, tolerance)]
        for value, text in others:
            if not any(_is_within(value, each) for each in known):
                known.append(Alternative(value, measure_tolerance(value), text))
        alternatives[i, j] = tuple(known)
    return DrawnStage(sheet, stage, alternatives), is_apart


def _is_within(value: Number, known: Alternative) -> bool:
    if not (is_finite(value) and is_finite(known.value)):
        return value == known.value
    return abs(Fraction(value) - Fraction(known.value)) <= known.tolerance


def _add_question(quiz: Element, number: int, drawn: DrawnStage) -> None:
    sheet, stage = drawn.sheet, drawn.stage
    title = capitalize(format_stage_title(sheet, stage))
    chosen = f"<p>{escape_text(sheet.say('moodle.type.infinity'))}</p>"
    texts = [chosen if _has_infinity(drawn) else write_how_to_type(sheet), write_paragraphs(sheet, stage)]
    width = max(
        [LEAST_WIDTH, *(len(write_number(each.value)) for cell in drawn.alternatives.values() for each in cell)]
    )
    print_cell = make_value_writer(sheet, sheet.solution[stage.name].hand)

    def write_cell(i: int, j: int) -> str:
        known = drawn.alternatives.get((i, j))
        if known is None:
            return print_cell(i, j)
        return write_value_list(sheet, known) if _has_infinity(drawn) else write_field(known, width)

    texts += [write_inputs(sheet, stage), write_matrix(sheet, stage, write_cell)]
    add_cloze(quiz, f"{number:02} {format_spoken_name(sheet, stage)} · {title}", "".join(texts))


def _has_infinity(drawn: DrawnStage) -> bool:
    """Say whether −∞ is among the answers: no field for numbers takes it."""
    return any(not is_finite(cell[0].value) for cell in drawn.alternatives.values())
