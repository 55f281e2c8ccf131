"""What a sheet asks beside its cells, as one question for Moodle (Cloze), with a solved sheet of other numbers."""

from fractions import Fraction
from xml.etree.ElementTree import Element

from attnhand.attention.questions import AnswerKind, CellChange
from attnhand.attention.solution import Solution
from attnhand.formats.cloze import (
    Alternative,
    add_cloze,
    measure_width,
    write_field,
    write_word_list,
)
from attnhand.formats.question_text import (
    draw_again,
    escape_text,
    make_value_writer,
    write_matrix,
    write_text,
)
from attnhand.sheet.build_grids import format_stage_title
from attnhand.sheet.questions import AskedQuestion, build_questions, format_answer_line, list_offered_answers
from attnhand.sheet.sentences import format_house_rules
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup


def add_questions(quiz: Element, sheet: Sheet, number: int) -> None:
    """Add one question with all that can be marked there; none where the sheet asks nothing like that.

    It prints a sheet of numbers of its own, solved, from which everything can be read and worked.

    Args:
        number: what its name begins with.
    """
    if not list_questions(sheet):
        return
    for drawn in draw_again(sheet, "asks"):
        questions = list_questions(drawn)
        if len(questions) == len(list_questions(sheet)):
            break
    fields = [
        f"<p>{at}. {write_text(each.text)} {_write_field(drawn, each)}</p>" for at, each in enumerate(questions, 1)
    ]
    answers = [
        f"<p>{at}. {write_text(format_answer_line(each))} – {write_text(each.reason)}</p>"
        for at, each in enumerate(questions, 1)
    ]
    if any(each.posed.question.kind is AnswerKind.NUMBER for each in questions):
        fields.insert(0, write_how_to_type(drawn))
    add_cloze(
        quiz,
        sheet,
        number,
        sheet.say("ask.heading"),
        write_solved_sheet(drawn, drawn.solution) + "".join(fields),
        "".join(answers),
    )


def write_how_to_type(sheet: Sheet) -> str:
    """Say how numbers are typed."""
    example = sheet.language.decimal(Fraction(9, 46), 3)
    return f"<p>{escape_text(sheet.say('moodle.type', example=example))}</p>"


def list_questions(sheet: Sheet) -> list[AskedQuestion]:
    """Return what a platform can mark, with answers: no number to be changed, for which many changes are right."""
    asked = (question for question in build_questions(sheet.key) if question.name)
    return [question for question in asked if question.posed.question.kind is not AnswerKind.CHANGE]


def write_solved_sheet(sheet: Sheet, solution: Solution) -> str:
    """Return all that questions look at: what is given, and every stage as it was worked."""
    story = sheet.problem.story
    parts = [f"<p>{escape_text(text)}</p>" for text in ([story.sentence] if story else [])]
    parts.append(f"<p>{write_text(parse_markup(format_house_rules(sheet)))}</p>")
    for given in sheet.problem.mechanism.given:
        parts.append(write_matrix(sheet, given, make_value_writer(sheet, sheet.problem[given.name])))
    for stage in sheet.problem.mechanism.stages:
        parts.append(f"<h4>{escape_text(capitalize(format_stage_title(sheet, stage)))}</h4>")
        parts.append(write_matrix(sheet, stage, make_value_writer(sheet, solution[stage.name].hand)))
    return "".join(parts)


def _write_field(sheet: Sheet, question: AskedQuestion) -> str:
    posed = question.posed
    assert posed.finding is not None
    answer = posed.finding.answer
    if posed.question.kind is AnswerKind.NUMBER:
        assert not isinstance(answer, tuple | str | CellChange)
        known = [Alternative(answer)]
        return write_field(known, measure_width([known]))
    takes_several = posed.question.kind is AnswerKind.TOKENS
    right = {(at,) for at in answer} if takes_several and isinstance(answer, tuple) else {answer}
    offered = [(words, each in right) for each, words in list_offered_answers(sheet, question)]
    return write_word_list(offered, takes_several=takes_several)
