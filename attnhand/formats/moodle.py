"""Questions for Moodle: one a stage, with a field a cell (Cloze), as Moodle XML.

Cloze cannot follow a student's own numbers. So every stage is a question of its own: it prints what the stage reads,
and it is drawn anew, so that no question shows the answer of the one before.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, format_decimal, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import PageError, name_option
from attnhand.formats.question_text import (
    add_category,
    add_text,
    escape_text,
    format_value,
    make_value_writer,
    write_inputs,
    write_matrix,
    write_paragraphs,
    write_quiz,
)
from attnhand.problems.problem_file import format_problem
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED
from attnhand.sheet.build_grids import format_spoken_name, format_stage_title
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup, to_unicode

ROUNDING = Fraction(51, 100_000)
"""How far an answer of three decimals may be from a value that has more: half a unit of the third, and a little."""

RELATIVE_ROUNDING = Fraction(1, 100_000)
"""What more it may be, of the value itself, where the printed inputs were rounded."""

MAX_DRAWS = 20
"""Draws of a stage until no slip comes as near to the key as rounding does."""

UNTOLD_SLIPS = ("rounded-early",)
"""Nobody can tell it from rounding what is typed, which these questions ask for."""

LEAST_WIDTH = 8
"""Characters that every field of a question has room for."""


def render_moodle(sheet: Sheet) -> str:
    """Return Moodle XML: a category, and in it a question for each stage that asks something.

    >>> from attnhand.problems.request import Request
    >>> text = render_moodle(make_sheet_from_request(Request(seed=7)))
    >>> text.count('type="cloze"'), text.count(":NUMERICAL:")
    (9, 116)

    Raises:
        PageError: the sheet has a mistake to find, and nothing to fill.
    """
    if sheet.planted_mistake:
        remedy = f"leave out {name_option('mistake')}, or take {name_option('html')}"
        raise PageError(f"a sheet with a mistake to find has no answers for Moodle to mark: {remedy}")
    quiz = Element("quiz")
    key = "moodle.category" if sheet.request else "moodle.category.own"
    add_category(quiz, [f"{format_title(sheet)} · {sheet.code}"], sheet.say(key, code=sheet.code))
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    for number, stage in enumerate(stages, 1):
        _add_question(quiz, number, choose_drawn_stage(sheet, stage))
    return write_quiz(quiz)


@dataclass(frozen=True, slots=True)
class Alternative:
    """What a field knows: a value, how far an answer may be from it, and what is said."""

    value: Number
    tolerance: Fraction
    sentence: str = ""


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
    if sheet.request is None:
        return _find_alternatives(sheet, stage)[0]
    stream = RandomStream(sheet.code, format_problem(sheet.problem), "questions", stage.name)
    for _ in range(MAX_DRAWS):
        request = replace(sheet.request, seed=stream.draw_below(MAX_SEED + 1))
        words = () if request.story else sheet.problem.words
        drawn = make_sheet_from_request(request, sheet.options, words=words, title=sheet.problem.title)
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
        tolerance = _measure_tolerance(key)
        for value, _ in others:
            if is_finite(value) and is_finite(key) and tolerance:
                distance = abs(Fraction(value) - Fraction(key))
                is_apart &= distance > 2 * tolerance
                tolerance = min(tolerance, distance / 3)
        known = [Alternative(key, tolerance)]
        for value, text in others:
            if not any(_is_within(value, each) for each in known):
                known.append(Alternative(value, _measure_tolerance(value), text))
        alternatives[i, j] = tuple(known)
    return DrawnStage(sheet, stage, alternatives), is_apart


def _measure_tolerance(value: Number) -> Fraction:
    if isinstance(value, int) or not is_finite(value):
        return Fraction(0)
    return ROUNDING if isinstance(value, Fraction) else ROUNDING + abs(Fraction(value)) * RELATIVE_ROUNDING


def _is_within(value: Number, known: Alternative) -> bool:
    if not (is_finite(value) and is_finite(known.value)):
        return value == known.value
    return abs(Fraction(value) - Fraction(known.value)) <= known.tolerance


def _add_question(quiz: Element, number: int, drawn: DrawnStage) -> None:
    sheet, stage = drawn.sheet, drawn.stage
    title = capitalize(format_stage_title(sheet, stage))
    question = SubElement(quiz, "question", {"type": "cloze"})
    add_text(question, "name", f"{number:02} {format_spoken_name(sheet, stage)} · {title}")
    how = "moodle.type.infinity" if _has_infinity(drawn) else "moodle.type"
    example = sheet.language.decimal(Fraction(9, 46), 3)
    texts = [f"<p>{escape_text(sheet.say(how, example=example))}</p>", write_paragraphs(sheet, stage)]
    width = max(
        [LEAST_WIDTH, *(len(_write_number(each.value)) for cell in drawn.alternatives.values() for each in cell)]
    )
    print_cell = make_value_writer(sheet, sheet.solution[stage.name].hand)

    def write_cell(i: int, j: int) -> str:
        known = drawn.alternatives.get((i, j))
        if known is None:
            return print_cell(i, j)
        return _write_choice(sheet, known) if _has_infinity(drawn) else _write_field(known, width)

    texts += [write_inputs(sheet, stage), write_matrix(sheet, stage, write_cell)]
    add_text(question, "questiontext", "".join(texts), is_html=True)
    add_text(question, "generalfeedback", "", is_html=True)
    SubElement(question, "penalty").text = "0.3333333"
    SubElement(question, "hidden").text = "0"


def _has_infinity(drawn: DrawnStage) -> bool:
    """Say whether −∞ is among the answers: no field for numbers takes it."""
    return any(not is_finite(cell[0].value) for cell in drawn.alternatives.values())


def _write_field(known: tuple[Alternative, ...], width: int) -> str:
    """Return a field: its key, the slips, and what nobody answers, so that all fields of a question are as wide."""
    key, *slips = known
    parts = [f"={_write_number(key.value)}:{_write_number(key.tolerance)}"]
    parts += [
        f"%0%{_write_number(each.value)}:{_write_number(each.tolerance)}#{_escape_in_field(each.sentence)}"
        for each in slips
        if is_finite(each.value)
    ]
    parts.append(f"%0%-{'9' * (width - 1)}:0")
    return f"{{1:NUMERICAL:{'~'.join(parts)}}}"


def _write_choice(sheet: Sheet, known: tuple[Alternative, ...]) -> str:
    """Return a list to choose from, in an order that does not tell the key."""
    in_order = sorted(known, key=lambda each: (is_finite(each.value), each.value))
    parts = [
        f"{'=' if each is known[0] else '%0%'}{_escape_in_field(format_value(sheet, each.value))}"
        + (f"#{_escape_in_field(each.sentence)}" if each.sentence else "")
        for each in in_order
    ]
    return f"{{1:MULTICHOICE:{'~'.join(parts)}}}"


def _write_number(value: Number) -> str:
    """Return a number as Cloze reads it: digits, a point, an ASCII minus."""
    if isinstance(value, int) or not is_finite(value):
        return str(value)
    decimals = format_decimal(value, 9)
    return decimals.rstrip("0").rstrip(".")


def _escape_in_field(text: str) -> str:
    """Keep a sentence from ending its field: entities, which Moodle reads in fields and in HTML alike.

    >>> _escape_in_field("a } b ~ c # d")
    'a &#125; b &#126; c &#35; d'
    """
    # the sign of entities first: it must not be taken for one of the text
    return escape_text(text.replace("#", "\0")).replace("\0", "&#35;")
