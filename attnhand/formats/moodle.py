"""Questions for Moodle: one a stage, with a field a cell (Cloze), as Moodle XML.

Cloze cannot follow a student's own numbers. So every stage is a question of its own: it prints what the stage reads,
and it is drawn anew, so that no question shows the answer of the one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.formats.cloze import (
    Alternative,
    add_cloze,
    are_apart,
    measure_width,
    write_field,
    write_value_list,
)
from attnhand.formats.cloze_mistake import render_mistake_quiz
from attnhand.formats.cloze_questions import add_questions, write_how_to_type
from attnhand.formats.question_text import (
    add_category,
    draw_again,
    escape_text,
    join_quizzes,
    make_value_writer,
    write_inputs,
    write_matrix,
    write_paragraphs,
    write_quiz,
    write_worked_stage,
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
    >>> text.count('type="cloze"'), text.count(":SHORTANSWER:")
    (10, 119)
    """
    if sheet.planted_mistake:
        return render_mistake_quiz(sheet)
    quiz = Element("quiz")
    key = "moodle.category" if sheet.request else "moodle.category.own"
    add_category(quiz, [f"{format_title(sheet)} · {sheet.code}"], sheet.say(key, code=sheet.code))
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    for number, stage in enumerate(stages, 1):
        _add_question(quiz, sheet, number, choose_drawn_stage(sheet, stage))
    add_questions(quiz, sheet, len(stages) + 1)
    return write_quiz(quiz)


def join_moodle(files: Sequence[bytes], sheets: Sequence[Sheet]) -> bytes:
    """Return one file with the questions of a class as variants.

    Args:
        sheets: one of the class, of each form that is dealt.
    """
    return join_quizzes(files, sheets, "moodle")


@dataclass(frozen=True, slots=True)
class DrawnStage:
    """One stage of a sheet of its own, with what each of its cells knows."""

    sheet: Sheet
    stage: Stage
    alternatives: dict[tuple[int, int], tuple[Alternative, ...]]
    """By cell (0-based) that is asked: the key first, then what slips give."""


def choose_drawn_stage(sheet: Sheet, stage: Stage) -> DrawnStage:
    """Draw other numbers for a stage, always the same ones, with every slip farther from the key than rounding goes.

    Somebody's own matrices stay as they are, and so does the last draw: there what is written like the key is right.
    """
    for drawn in draw_again(sheet, stage.name):
        found, is_apart = _find_alternatives(drawn, stage)
        if is_apart:
            break
    return found


def _find_alternatives(sheet: Sheet, stage: Stage) -> tuple[DrawnStage, bool]:
    """Return what each cell knows, and whether two decimals tell all slips from the key."""
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
        is_apart &= all(are_apart(key, value) for value, _ in others)
        known = [Alternative(key)]
        for value, text in others:
            if all(value != each.value for each in known):
                known.append(Alternative(value, text))
        alternatives[i, j] = tuple(known)
    return DrawnStage(sheet, stage, alternatives), is_apart


def _add_question(quiz: Element, asked: Sheet, number: int, drawn: DrawnStage) -> None:
    """Add the question of a stage.

    Args:
        asked: the sheet that the file is made from.
    """
    sheet, stage = drawn.sheet, drawn.stage
    title = capitalize(format_stage_title(sheet, stage))
    chosen = f"<p>{escape_text(sheet.say('moodle.type.infinity'))}</p>"
    texts = [chosen if _has_infinity(drawn) else write_how_to_type(sheet), write_paragraphs(sheet, stage)]
    width = measure_width(drawn.alternatives.values())
    print_cell = make_value_writer(sheet, sheet.solution[stage.name].hand)

    def write_cell(i: int, j: int) -> str:
        known = drawn.alternatives.get((i, j))
        if known is None:
            return print_cell(i, j)
        return write_value_list(sheet, known) if _has_infinity(drawn) else write_field(known, width)

    texts += [write_inputs(sheet, stage), write_matrix(sheet, stage, write_cell)]
    name = f"{format_spoken_name(sheet, stage)} · {title}"
    add_cloze(quiz, asked, number, name, "".join(texts), write_worked_stage(sheet, stage))


def _has_infinity(drawn: DrawnStage) -> bool:
    """Say whether −∞ is among the answers: no field for numbers takes it."""
    return any(not is_finite(cell[0].value) for cell in drawn.alternatives.values())
