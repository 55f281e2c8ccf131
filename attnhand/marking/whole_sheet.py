"""A whole sheet worked in another way: tokens turned, e and √d_k as they are, or the largest score subtracted.

One remark, and no loss.
"""

import itertools
from dataclasses import replace

from attnhand.attention.matrix import shape
from attnhand.attention.numbers import format_exact
from attnhand.attention.solution import Solution, solve_shifted, solve_without_shortcuts
from attnhand.attention.spellings import read_number
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers, settle_commas
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import CellMark, Marks, Note, OtherWay
from attnhand.marking.shapes import has_shape, trim_padding
from attnhand.sheet.evidence_limits import MIN_COUNTED_SHARE, MIN_WRONG_DECIMALS
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet


def mark_sheet(answers: Answers, sheet: Sheet) -> Marks:
    """Mark the answers as they are meant: as the sheet asks, or all of them in another way; and name the slips."""
    answers = settle_commas(answers)
    marks = mark_answers(answers, sheet)
    if any(cell.mark is Mark.WRONG for cell in marks.cells):
        other = (
            _mark_turned(answers, sheet, marks)
            or _mark_exact(answers, sheet, marks)
            or _mark_shifted(answers, sheet, marks)
        )
        if other is not None:
            return other
    return replace(marks, diagnoses=diagnose_stages(marks, sheet))


def find_foreign_stages(marks: Marks, sheet: Sheet) -> tuple[str, ...]:
    """Return the stages worked from given numbers alone, where most that is written there is wrong.

    Such answers may belong to another sheet: from its first numbers everything else follows.
    """
    asked = {cell.stage for cell in marks.cells}
    first = [stage.name for stage in sheet.problem.mechanism.stages if not asked & {*stage.input_names}]
    written = [cell for cell in marks.cells if cell.stage in first and cell.value is not None]
    wrong = {cell.stage for cell in written if cell.mark is Mark.WRONG}
    is_foreign = 2 * sum(cell.mark is Mark.WRONG for cell in written) > len(written)
    return tuple(name for name in first if name in wrong) if is_foreign else ()


def _mark_turned(answers: Answers, sheet: Sheet, marks: Marks) -> Marks | None:
    """Mark a sheet whose matrices are all transposed; None where they are not, or just one is."""
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)}
    turned: dict[str, TextRows] = {}
    for name, texts in answers.stages.items():
        if name not in stages:
            turned[name] = texts
            continue
        rows, columns = shape(sheet.solution[name].hand)
        trimmed = trim_padding(texts, (columns, rows))
        if not has_shape(trimmed, (columns, rows)):
            return None
        turned[name] = tuple(zip(*trimmed, strict=True))
    other = mark_answers(replace(answers, stages=turned), sheet)
    right = [name for name in stages if name in turned and _is_right(other, name) and not _is_right(marks, name)]
    if len(right) < 2 or not _counts_for_more(other, marks):
        return None
    return replace(other, diagnoses=diagnose_stages(other, sheet), other_way=OtherWay.TURNED)


def _is_right(marks: Marks, stage: str) -> bool:
    found = [cell for cell in marks.cells if cell.stage == stage]
    return any(cell.mark is Mark.CORRECT for cell in found) and all(cell.counts for cell in found)


def _is_mostly_correct(marks: Marks, stage: str) -> bool:
    found = [cell.mark is Mark.CORRECT for cell in marks.cells if cell.stage == stage]
    return 2 * sum(found) >= len(found)


def _counts_for_more(other: Marks, marks: Marks) -> bool:
    written = sum(cell.mark is not Mark.BLANK for cell in other.cells)
    return other.score > marks.score and other.score >= MIN_COUNTED_SHARE * written


def _take_better_marks(own: Marks, other: Marks, sheet: Sheet, way: OtherWay) -> tuple[CellMark, ...]:
    """Return the cells as they count: by the other way where that is nowhere worse and somewhere better.

    With the largest subtracted, all cells of a query at a stage are the one or the other: powers that are partly both
    belong to no scores. The worked cell is printed as the sheet asks it, so it is no word of the student's.
    Decimals agree with no number by chance, so with e and roots each cell is on its own.
    """
    worked = sheet.worked_cell
    groups: dict[tuple[str, ...], list[tuple[CellMark, CellMark]]] = {}
    for cell, changed in zip(own.cells, other.cells, strict=True):
        query = cell.row if sheet.convention.is_rows else cell.column
        is_alone = way is not OtherWay.SHIFTED or (cell.stage, *cell.place) == worked
        group = (cell.address,) if is_alone else (cell.stage, str(query))
        groups.setdefault(group, []).append((cell, changed))
    better: dict[str, CellMark] = {}
    for pairs in groups.values():
        ranks = [(_rank(cell), _rank(changed)) for cell, changed in pairs]
        is_other = all(before <= after for before, after in ranks) and any(before < after for before, after in ranks)
        better |= {cell.address: _read_otherwise(cell, changed, way) if is_other else cell for cell, changed in pairs}
    return tuple(better[cell.address] for cell in own.cells)


def _rank(cell: CellMark) -> int:
    """Return 2 for what is right, 1 for what follows from the student's own numbers, 0 for what does not count."""
    return cell.counts + (cell.mark is Mark.CORRECT)


def _read_otherwise(own: CellMark, other: CellMark, way: OtherWay) -> CellMark:
    """Return a cell of what was worked the other way: what is right so has a note, and beside it the sheet's key."""
    if not other.counts:
        return other
    return own if own.mark is Mark.CORRECT else replace(other, key=own.key, note=Note(way.value))


def _is_wrong_decimal(cell: CellMark) -> bool:
    reading = read_number(cell.answer) if cell.is_unexplained and cell.value is not None else None
    return reading is not None and bool(reading.decimals)


def _mark_exact(answers: Answers, sheet: Sheet, marks: Marks) -> Marks | None:
    """Mark a sheet that was worked with e and √d_k; cells that equal the exact ones are right, with a note."""
    if sum(map(_is_wrong_decimal, marks.cells)) < MIN_WRONG_DECIMALS:
        return None
    solution = solve_without_shortcuts(sheet.problem)
    return None if solution is None else _mark_by(solution, answers, sheet, marks, OtherWay.EXACT, least=2)


def _mark_shifted(answers: Answers, sheet: Sheet, marks: Marks) -> Marks | None:
    """Mark a sheet on which the largest score of each query was subtracted: other powers, the same shares."""
    solution = solve_shifted(sheet.solution)
    return None if solution is None else _mark_by(solution, answers, sheet, marks, OtherWay.SHIFTED, least=1)


def _fill_worked_cell(answers: Answers, sheet: Sheet) -> Answers:
    """Return the answers with the sheet's own number in the cell that is printed worked, where its stage is begun."""
    name, row, column = sheet.worked_cell or ("", 0, 0)
    rows = [list(texts) for texts in answers.stages.get(name, ())]
    if all(text.strip() in ("", UNASKED_CELL_TEXT) for text in itertools.chain(*rows)):
        return answers
    if row < len(rows) and column < len(rows[row]) and not rows[row][column].strip():
        rows[row][column] = format_exact(sheet.solution[name].hand[row][column])
    return replace(answers, stages={**answers.stages, name: tuple(map(tuple, rows))})


def _mark_by(
    solution: Solution, answers: Answers, sheet: Sheet, marks: Marks, other_way: OtherWay, *, least: int
) -> Marks | None:
    """Mark a sheet by other numbers than its key's; None where it was not meant so.

    Args:
        least: so many more stages are right then.
    """
    other_sheet = replace(sheet, solution=solution)
    other = mark_answers(_fill_worked_cell(answers, sheet), other_sheet)
    differing = {solved.stage.name for solved in sheet.solution if solved.hand != solution[solved.stage.name].hand} & {
        cell.stage for cell in marks.cells if cell.mark not in (Mark.BLANK, Mark.UNREADABLE)
    }
    better = replace(other, cells=_take_better_marks(marks, other, sheet, other_way))
    right = [name for name in differing if _is_right(better, name) and not _is_right(marks, name)]
    if other_way is OtherWay.SHIFTED:  # one stage is little: what follows of made-up numbers must not pass for it
        right = [name for name in right if _is_mostly_correct(better, name)]
    if len(right) < least or not _counts_for_more(better, marks):
        return None
    # a stage that is right as the sheet asks it was not worked the other way
    diagnoses = tuple(each for each in diagnose_stages(other, other_sheet) if not _is_right(marks, each.stage))
    return replace(better, diagnoses=diagnoses, other_way=other_way)
