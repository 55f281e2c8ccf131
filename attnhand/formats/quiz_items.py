"""A sheet as questions of any learning platform: a text with fields, what each field takes, and the worked solution.

What Cloze has as one question for Moodle stands here without its notation; QTI 1.2 and 2.1 are two ways to write it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attnhand.attention.mechanisms import Stage
from attnhand.attention.questions import AnswerKind, CellChange
from attnhand.formats.accepted_spellings import list_accepted_spellings
from attnhand.formats.cloze import Alternative
from attnhand.formats.cloze_questions import list_questions, write_solved_sheet
from attnhand.formats.moodle import DrawnStage, choose_drawn_stage
from attnhand.formats.question_text import (
    draw_again,
    escape_text,
    make_value_writer,
    refuse_mistake,
    write_inputs,
    write_matrix,
    write_paragraphs,
    write_text,
    write_worked_stage,
)
from attnhand.sheet.build_grids import format_spoken_name, format_stage_title
from attnhand.sheet.questions import AskedQuestion, format_answer_line, list_offered_answers
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize

MISTAKE_DECIMALS = 4
"""Places up to which a slip's number is recognised; of the key's more are taken."""

_FIELD_START, _FIELD_END = "\ue000", "\ue001"
"""Around the name of a field, where it stands in a text: no text has these characters."""

_FIELD = re.compile(f"{_FIELD_START}(.*?){_FIELD_END}")


@dataclass(frozen=True, slots=True)
class Blank:
    """A field for one number."""

    name: str
    accepted: tuple[str, ...]
    """Spellings that are right."""

    mistakes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What is said of numbers that slips give, each with their spellings; none is right too."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Words to choose from, one or several."""

    words: tuple[tuple[str, bool], ...]
    """Each with whether it is right."""

    takes_several: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizItem:
    """One question: it has blanks, or a choice below its text."""

    code: str
    """Of the sheet that it was made from."""

    number: int
    """Among those of the sheet, from 1."""

    name: str
    """What all variants of a class share: "01 Q · Queries"."""

    text: str
    """HTML; where a blank stands see ``replace_fields``."""

    blanks: tuple[Blank, ...] = ()
    choice: Choice | None = None
    solution: str
    """HTML that is shown in the end."""

    @property
    def identifier(self) -> str:
        """The code and the number, as XML takes a name."""
        return f"attnhand-{re.sub(r'[^A-Za-z0-9]', '-', self.code)}-{self.number:02}"

    @property
    def title(self) -> str:
        """Its name, with the code."""
        return f"{self.name} · {self.code}"

    @property
    def points(self) -> int:
        """A point a cell, and one for a choice: questions weigh as many cells as they ask."""
        return len(self.blanks) or 1


def replace_fields(text: str, new: str) -> str:
    r"""Put a field where one stands in the text of a question.

    >>> replace_fields("a \ue000r1c2\ue001", r"[\1]")
    'a [r1c2]'

    Args:
        new: the field, with ``\1`` for its name.
    """
    return _FIELD.sub(new, text)


def list_quiz_items(sheet: Sheet, platform: str) -> list[QuizItem]:
    """Return a question for each stage that asks something, with numbers of its own, and each other question asked.

    Raises:
        PageError: the sheet has a mistake to find.
    """
    refuse_mistake(sheet, platform)
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    items = [
        _make_stage_item(sheet, number, choose_drawn_stage(sheet, stage)) for number, stage in enumerate(stages, 1)
    ]
    return [*items, *_make_asked_items(sheet, len(items) + 1)]


def _make_stage_item(sheet: Sheet, number: int, drawn: DrawnStage) -> QuizItem:
    own, stage = drawn.sheet, own_stage(drawn)
    print_cell = make_value_writer(own, own.solution[stage.name].hand)

    def write_cell(i: int, j: int) -> str:
        return _place_field(_name_cell(i, j)) if (i, j) in drawn.alternatives else print_cell(i, j)

    blanks = tuple(
        make_blank(_name_cell(i, j), known, own.problem.rules.decimals) for (i, j), known in drawn.alternatives.items()
    )
    text = [
        _write_how_to_type(own, has_infinity=any("-inf" in each.accepted for each in blanks)),
        write_paragraphs(own, stage),
        write_inputs(own, stage),
        write_matrix(own, stage, write_cell),
    ]
    title = capitalize(format_stage_title(own, stage))
    return QuizItem(
        code=sheet.code,
        number=number,
        name=f"{number:02} {format_spoken_name(own, stage)} · {title}",
        text="".join(text),
        blanks=blanks,
        solution=write_worked_stage(own, stage),
    )


def own_stage(drawn: DrawnStage) -> Stage:
    """Return the stage as the sheet of its own has it."""
    return drawn.sheet.problem.mechanism.get_stage(drawn.stage.name)


def make_blank(name: str, known: tuple[Alternative, ...], decimals: int) -> Blank:
    """Return a field that takes the first alternative, and knows the others as mistakes."""
    key, *slips = known
    accepted = list_accepted_spellings(key.value, decimals=decimals)
    told, mistakes = {*accepted}, []
    for each in slips:
        spellings = list_accepted_spellings(each.value, decimals=decimals, most_decimals=MISTAKE_DECIMALS)
        if new := tuple(text for text in spellings if text not in told):
            mistakes.append((each.sentence, new))
            told |= {*new}
    return Blank(name, accepted, tuple(mistakes))


def _make_asked_items(sheet: Sheet, number: int) -> Iterator[QuizItem]:
    """Yield a question for each that the sheet asks beside its cells, with a solved sheet of other numbers."""
    count = len(list_questions(sheet))
    if not count:
        return
    for drawn in draw_again(sheet, "asks"):
        questions = list_questions(drawn)
        if len(questions) == count:
            break
    printed = write_solved_sheet(drawn, drawn.solution)
    for at, question in enumerate(questions, number):
        words = f"<p>{write_text(question.text)}</p>"
        blank, choice = _make_field(drawn, question)
        text = [printed, words]
        if blank:
            text.append(f"{_write_how_to_type(drawn, has_infinity=False)}<p>{_place_field(blank.name)}</p>")
        yield QuizItem(
            code=sheet.code,
            number=at,
            name=f"{at:02} {sheet.say('ask.heading')}",
            text="".join(text),
            blanks=(blank,) if blank else (),
            choice=choice,
            solution=f"<p>{write_text(format_answer_line(question))} – {write_text(question.reason)}</p>",
        )


def _make_field(sheet: Sheet, question: AskedQuestion) -> tuple[Blank | None, Choice | None]:
    assert question.posed.finding is not None
    kind, answer = question.posed.question.kind, question.posed.finding.answer
    if kind is AnswerKind.NUMBER:
        assert not isinstance(answer, tuple | str | CellChange)
        return make_blank("answer", (Alternative(answer),), sheet.problem.rules.decimals), None
    takes_several = kind is AnswerKind.TOKENS
    right = {(at,) for at in answer} if takes_several and isinstance(answer, tuple) else {answer}
    offered = tuple((words, each in right) for each, words in list_offered_answers(sheet, question))
    return None, Choice(offered, takes_several)


def _write_how_to_type(sheet: Sheet, *, has_infinity: bool) -> str:
    texts = [sheet.say("qti.type")] + ([sheet.say("qti.type.infinity")] if has_infinity else [])
    return f"<p>{escape_text(' '.join(texts))}</p>"


def _name_cell(i: int, j: int) -> str:
    return f"r{i + 1}c{j + 1}"


def _place_field(name: str) -> str:
    return f"{_FIELD_START}{name}{_FIELD_END}"
