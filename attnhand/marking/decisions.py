"""What a teacher decides about a paper, in place of the marks: a cell, a question, a stage or the whole sheet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from attnhand.attention.solution import format_cell_address
from attnhand.attention.spellings import read_number
from attnhand.errors import AttnhandError, CellError, list_choices
from attnhand.formats.answers import Answers
from attnhand.marking.marks import WHOLE_SHEET, CellMark, Diagnosis, Marks, OtherWay
from attnhand.marking.question_marks import QuestionMark
from attnhand.sheet.addresses import find_cell, format_printed_name
from attnhand.sheet.grids import Mark
from attnhand.sheet.questions import WORDS_NAME, build_questions
from attnhand.sheet.sheet import Sheet


class Verdict(StrEnum):
    """What a cell, a question, a stage or a sheet is worth, as the teacher says."""

    RIGHT = "right"
    WRONG = "wrong"
    FOLLOW_ON = "follow-on"
    """It follows from what was written before, and counts."""


MARKS_OF_VERDICTS: Mapping[Verdict, Mark] = {
    Verdict.RIGHT: Mark.CORRECT,
    Verdict.WRONG: Mark.WRONG,
    Verdict.FOLLOW_ON: Mark.FOLLOWS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One thing decided."""

    item: str
    """What it is about: a cell (S[2,3]), a question (ask3), a stage (S), or ``WHOLE_SHEET``."""

    verdict: Verdict | None = None
    number: str = ""
    """In place of a verdict what the student meant in a cell; of a stage or the whole sheet how many points."""

    @property
    def points(self) -> Decimal:
        """The number as points, to two decimals."""
        reading = read_number(self.number)
        assert reading is not None  # whoever decides has been told where it is none
        value = Fraction(reading.value)
        return round(Decimal(value.numerator) / Decimal(value.denominator), 2).normalize()


def find_item(sheet: Sheet, text: str) -> str:
    """Return what a text names on a sheet, as decisions have it: a cell, a question, a stage, or the whole sheet.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7))
    >>> [find_item(sheet, text) for text in ("S23", "Σ", "ask1", "sheet")]
    ['S[2,3]', 'sums', 'ask1', 'sheet']

    Raises:
        CellError: it names nothing that is asked.
    """
    text = text.strip()
    words_name = WORDS_NAME if sheet.planted_mistake else ""  # which the teacher reads, and nobody marks
    questions = [each.name for each in build_questions(sheet.key) if each.name not in ("", words_name)]
    if text in (*questions, WHOLE_SHEET):
        return text
    if is_question(text) and text[3:].isdigit():
        advice = f"use {list_choices(questions)}" if questions else "name a cell"
        raise CellError(f"the sheet has no question {text!r}: {advice}")
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)}
    titles = {format_printed_name(sheet, name): name for name in stages} | {name: name for name in stages}
    if text in titles:
        return titles[text]
    name, row, column = find_cell(sheet, text)
    address = format_cell_address(name, row, column)
    if name not in stages or (row, column) not in sheet.list_asked_cells(stages[name]):
        examples = [format_cell_address(name, *sheet.list_asked_cells(stage)[0]) for name, stage in stages.items()]
        advice = f"name one that is, {list_choices([*examples[:1], *questions])}"
        raise CellError(f"{address} is printed, not asked: {advice}")
    return address


def is_cell(item: str) -> bool:
    """Say whether a decision is about one cell."""
    return item.endswith("]")


def is_question(item: str) -> bool:
    """Say whether a decision is about the answer to a question."""
    return item.startswith("ask")


def write_numbers_meant(answers: Answers, decisions: Iterable[Decision], other_way: OtherWay | None) -> Answers:
    """Return answers in which the numbers stand that the student meant, as the teacher has read them.

    Args:
        other_way: where all matrices were handed in turned, their cells lie so too.
    """
    stages = {name: [list(row) for row in rows] for name, rows in answers.stages.items()}
    for decision in decisions:
        if not (decision.number and is_cell(decision.item)):
            continue
        name, _, place = decision.item.removesuffix("]").rpartition("[")
        row, column = (int(number) - 1 for number in place.split(","))
        if other_way is OtherWay.TURNED:
            row, column = column, row
        rows = stages.setdefault(name, [])
        rows += [[] for _ in range(row + 1 - len(rows))]
        rows[row] += [""] * (column + 1 - len(rows[row]))
        rows[row][column] = decision.number
    return replace(answers, stages={name: tuple(map(tuple, rows)) for name, rows in stages.items()})


def decide_cells(marks: Marks, decisions: Sequence[Decision]) -> Marks:
    """Return marks as the teacher decides them.

    A verdict on a stage is one on everything that is written there; where it waited for one, being a neighbour's
    perhaps, it counts as it is marked, or not. Later cells stay as they are: they follow from what was written,
    whatever that is worth.
    """
    verdicts = {each.item: each.verdict for each in decisions if each.verdict}
    points: dict[str, Decimal | int] = {each.item: each.points for each in decisions if _gives_points(each)}
    if verdicts.get(WHOLE_SHEET) is Verdict.WRONG:
        points[WHOLE_SHEET] = 0
    counting = {item for item, verdict in verdicts.items() if verdict is not Verdict.WRONG}
    kept = {stage: given for stage, given in marks.points.items() if stage not in counting}
    settled = {item: verdict for item, verdict in verdicts.items() if item not in marks.points}
    cells = tuple(_decide_cell(cell, settled) for cell in marks.cells)
    counted = {cell.address for cell in cells if cell.counts}
    diagnoses = tuple(each for each in marks.diagnoses if not _is_settled(each, counted))
    return replace(marks, cells=cells, diagnoses=diagnoses, points={**kept, **points})


def _gives_points(decision: Decision) -> bool:
    return bool(decision.number) and not (is_cell(decision.item) or is_question(decision.item))


def _decide_cell(cell: CellMark, verdicts: Mapping[str, Verdict]) -> CellMark:
    of_cell, of_stage = verdicts.get(cell.address), verdicts.get(cell.stage)
    if of_cell is None and (of_stage is None or cell.mark is Mark.BLANK):
        return cell
    if of_cell is None and of_stage is not Verdict.WRONG and cell.counts:
        return cell
    verdict = of_cell or of_stage
    assert verdict is not None
    return replace(cell, mark=MARKS_OF_VERDICTS[verdict], note=None, meant=None, unreadable_reason="")


def _is_settled(diagnosis: Diagnosis, counted: set[str]) -> bool:
    """Say whether all cells that show a slip count now."""
    return bool(diagnosis.cells) and all(cell.address in counted for cell in diagnosis.cells)


def decide_questions(marks: Sequence[QuestionMark], decisions: Sequence[Decision]) -> tuple[QuestionMark, ...]:
    """Return the marks of questions as the teacher decides them; 1 point is right, 0 is wrong."""
    decided = {
        each.item: MARKS_OF_VERDICTS[each.verdict or (Verdict.RIGHT if each.points else Verdict.WRONG)]
        for each in decisions
        if is_question(each.item)
    }
    return tuple(replace(mark, mark=decided.get(mark.question.name, mark.mark)) for mark in marks)


def parse_accepted(sheet: Sheet, accepted: Iterable[str]) -> tuple[Decision, ...]:
    """Read what is to count as right: cells or questions, several of them with commas between.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7))
    >>> [each.item for each in parse_accepted(sheet, ["S[2,3],ask1", "K11"])]
    ['S[2,3]', 'ask1', 'K[1,1]']

    Raises:
        CellError: one names nothing that is asked.
    """
    items = (find_item(sheet, part) for text in accepted for part in part_items(text))
    return tuple(Decision(item=item, verdict=Verdict.RIGHT) for item in dict.fromkeys(items))


def part_items(text: str) -> list[str]:
    """Part a list at its commas, but for those within brackets.

    >>> part_items("S[2,3], A[1,1],ask1")
    ['S[2,3]', 'A[1,1]', 'ask1']

    Raises:
        AttnhandError: it is empty.
    """
    parts: list[str] = [""]
    depth = 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    found = [part.strip() for part in parts if part.strip()]
    if not found:
        raise AttnhandError("no cell is named that is to be accepted: write one, such as S[2,3], or a question, ask1")
    return found
