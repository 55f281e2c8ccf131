"""A student's answers in the cells of a grid, each with its mark: for the terminal and for reports."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from attnhand.attention.numbers import use_typographic_signs
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.question_marks import QuestionMark
from attnhand.sheet.build_grids import format_short_name
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label
from attnhand.sheet.printed_number import PrintedNumber, format_hand_value
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import make_plain_text, parse_unicode, replace_missing_characters

MAX_ANSWER_LENGTH = 8
"""Characters of an answer that fit its cell."""

_WRITTEN_FRACTION = re.compile(r"(−?)([0-9]{1,5}) ?/ ?([0-9]{1,5})")


def build_score_grids(marks: Marks, sheet: Sheet) -> tuple[Grid, ...]:
    """Return how many cells of every stage count, a small table; where there are heads one for each of them."""
    asked = [stage for stage in sheet.problem.mechanism.stages if stage.name in marks.scores_by_stage]
    grids = []
    for head, members in groupby(asked, lambda stage: stage.head):
        stages = [*members]
        scores = [sheet.language.localize("{}/{}".format(*marks.scores_by_stage[stage.name])) for stage in stages]
        name = make_plain_text(sheet.say("feedback.head", head=head)) if head else ()
        grids.append(
            Grid(
                name=name,
                style=GridStyle.GIVEN,
                rows=(Label(make_plain_text(sheet.say("feedback.counts"))),),
                columns=tuple(Label(parse_unicode(format_short_name(sheet, stage))) for stage in stages),
                cells=(tuple(Cell(CellKind.GIVEN, PrintedNumber(score)) for score in scores),),
            )
        )
    return tuple(grids)


def annotate_grid(
    grid: Grid, marks: Mapping[str, CellMark], sheet: Sheet, question_marks: Mapping[str, QuestionMark] | None = None
) -> Grid:
    """Return a blank grid with the answers to its cells in it, each with its mark; marks go by the cell's address."""
    asked = question_marks or {}

    def annotate(cell: Cell) -> Cell:
        mark = asked.get(cell.address)
        return _annotate_answer(cell, mark) if mark else _annotate_cell(cell, marks, sheet)

    return replace(grid, cells=tuple(tuple(map(annotate, row)) for row in grid.cells))


def _annotate_answer(cell: Cell, mark: QuestionMark) -> Cell:
    """Return the box of a question with what was written there."""
    text = replace_missing_characters(" ".join(mark.answer.split()))
    number = PrintedNumber(text) if text else None
    return cell._replace(kind=CellKind.ANSWER, number=number, mark=mark.mark)


def _annotate_cell(cell: Cell, marks: Mapping[str, CellMark], sheet: Sheet) -> Cell:
    if (mark := marks.get(cell.address)) is None:
        return cell
    number = _make_answer_figure(mark, sheet)
    address = "" if cell.kind is CellKind.ANEW else cell.address  # that of the printed cell, on the same page
    return cell._replace(kind=CellKind.ANSWER, number=number, mark=mark.mark, address=address)


def _make_answer_figure(mark: CellMark, sheet: Sheet) -> PrintedNumber | None:
    """Show an answer as it was written, a fraction over its line; what is too long is cut or rounded."""
    text = mark.answer.strip()
    if not text or mark.note is Note.SHAPE:
        return None
    if mark.value is not None and (fraction := _WRITTEN_FRACTION.fullmatch(use_typographic_signs(text))):
        return PrintedNumber(fraction[1], fraction[2], fraction[3])  # 3/6 stays 3/6
    is_written_fraction = isinstance(mark.value, Fraction) and "/" in text
    if mark.value is not None and (is_written_fraction or len(text) > MAX_ANSWER_LENGTH):
        return format_hand_value(mark.value, sheet.problem.rules.decimals, language=sheet.options.language_code)
    printed = use_typographic_signs(text) if mark.value is not None else text
    printed = replace_missing_characters(" ".join(printed.split()))
    return PrintedNumber(printed if len(printed) <= MAX_ANSWER_LENGTH else f"{printed[: MAX_ANSWER_LENGTH - 1]}…")
