"""Marking one sheet: every cell against the key, and then against what follows from the student's own answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext

from attnhand.attention.matrix import Matrix, flatten, shape, unify_number_types
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, Number, format_exact
from attnhand.attention.spellings import Reading, read_number
from attnhand.errors import NumberError, ProblemError
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers
from attnhand.marking.diagnosis import find_explaining_matrix
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.match import Match, explain_date, match_answer
from attnhand.marking.shapes import has_shape, trim_padding
from attnhand.sheet.build_grids import find_worked_cell
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet


def mark_answers(answers: Answers, sheet: Sheet) -> Marks:
    """Mark the answers to a sheet, stage by stage.

    Each cell is compared with the key, and then with what follows from the student's own answers to the stages
    before: whoever halves −1 to 0 for −1 is wrong there, and right to go on with 3⁰ = 1.

    Two sets of own values are carried along, since a student who writes 0.33 goes on with 0.33 or, on a calculator,
    with all of its digits. What a wrong decimal stands for is known where a slip explains it: the slip's own number.
    """
    student_values: dict[str, Matrix] = dict(sheet.problem.given)
    unrounded_values: dict[str, Matrix] = dict(sheet.problem.given)
    marks_by_stage: dict[str, list[CellMark]] = {}
    misshapen_answers: dict[str, TextRows] = {}
    for stage in sheet.problem.mechanism.stages:
        key = sheet.solution[stage.name].hand
        if sheet.is_printed(stage) or not sheet.has_own_panel(stage):
            student_values[stage.name] = unrounded_values[stage.name] = key
            continue
        texts = trim_padding(answers.stages.get(stage.name, ()), shape(key))
        if not has_shape(texts, shape(key)):
            misshapen_answers[stage.name] = texts
        marker = _StageMarker(sheet, stage, student_values, unrounded_values, marks_by_stage)
        marks = marker.mark_cells(texts)
        marks_by_stage[stage.name] = marks
        explanation = None
        if any(map(_may_be_rounded, marks)):
            explanation = find_explaining_matrix(sheet, stage, marks, (student_values, unrounded_values))
        student_values[stage.name] = _substitute_student_values(stage, key, marks, [cell.value for cell in marks])
        unrounded_values[stage.name] = _substitute_student_values(
            stage, key, marks, [marker.find_unrounded_value(cell, explanation) for cell in marks]
        )
    cells = tuple(cell for marks in marks_by_stage.values() for cell in marks)
    return Marks(cells, student_values, unrounded_values, misshapen_answers)


def _may_be_rounded(cell: CellMark) -> bool:
    """Say whether a wrong number has decimals, and so may stand for one that has more."""
    reading = read_number(cell.answer) if cell.mark is Mark.WRONG and cell.value is not None else None
    return reading is not None and bool(reading.decimals)


def _substitute_student_values(
    stage: Stage, key: Matrix, cells: Sequence[CellMark], numbers: Sequence[Number | None]
) -> Matrix:
    """Put what the student goes on with in place of the key; −∞ goes nowhere but from a mask into a power."""
    rows = [list(row) for row in key]
    for cell, number in zip(cells, numbers, strict=True):
        is_workable = number != MINUS_INFINITY or stage.operation.gives_infinity
        if number is not None and cell.note is not Note.SHAPE and is_workable:
            rows[cell.row][cell.column] = number
    return tuple(map(tuple, rows))


class _StageMarker:
    def __init__(
        self,
        sheet: Sheet,
        stage: Stage,
        student_values: Mapping[str, Matrix],
        unrounded_values: Mapping[str, Matrix],
        earlier_marks: Mapping[str, Sequence[CellMark]],
    ) -> None:
        self.sheet, self.stage = sheet, stage
        self.key = sheet.solution[stage.name].hand
        self.printed_cell = find_worked_cell(sheet)
        self.expected_from_written, self.has_trivial_inputs = self._compute_expected(student_values)
        self.expected_from_unrounded, _ = self._compute_expected(unrounded_values)
        inputs = [cell for name in stage.input_names for cell in earlier_marks.get(name, ())]
        self.has_correct_inputs = all(cell.mark in (Mark.CORRECT, Mark.BLANK) for cell in inputs)

    def mark_cells(self, texts: TextRows) -> list[CellMark]:
        """Mark every cell that the sheet asks, whatever was handed in, trimmed."""
        fits = has_shape(texts, shape(self.key))
        is_begun = any(cell.strip() not in ("", UNASKED_CELL_TEXT) for row in texts for cell in row)
        asked = self.sheet.list_asked_cells(self.stage)
        return [self._mark_cell(i, j, texts, fits_shape=fits, is_begun=is_begun) for i, j in asked]

    def find_unrounded_value(self, cell: CellMark, explanation: Matrix | None) -> Number | None:
        """Return the number that a cell stands for, as a calculator would have held it; None where it has none.

        Subtle: of the numbers that the written digits fit, what explains the student's mistake comes first, then what
        follows from unrounded values, then the key: 0.33 may stand for 1/3.
        """
        if cell.value is None or cell.note is Note.SHAPE:
            return None
        reading, places = read_number(cell.answer), self.sheet.problem.rules.decimals
        assert reading is not None
        for a in (explanation, self.expected_from_unrounded or self.key, self.key, self.expected_from_written):
            if a and match_answer(_limit_decimals(reading, places), a[cell.row][cell.column], places).is_right:
                return a[cell.row][cell.column]
        return cell.value

    def _mark_cell(self, i: int, j: int, texts: TextRows, *, fits_shape: bool, is_begun: bool) -> CellMark:
        text = texts[i][j] if texts and i < len(texts) and j < len(texts[i]) else ""
        if not text.strip() and is_begun and (self.stage.name, i, j) == self.printed_cell:
            text = format_exact(self.key[i][j])  # it is printed: there is nothing to hand in
        key = self.key[i][j]
        candidates = [a[i][j] for a in (self.expected_from_written, self.expected_from_unrounded) if a is not None]
        from_own = None if self.expected_from_written is None or candidates[0] == key else candidates[0]

        def mark(
            mark: Mark, value: Number | None = None, note: Note | None = None, follows: Number | None = from_own
        ) -> CellMark:
            return CellMark(self.stage.name, i, j, text, value, key, mark, follows, note)

        if not fits_shape:
            return mark(Mark.WRONG, note=Note.SHAPE)
        try:
            reading = read_number("" if text.strip() == UNASKED_CELL_TEXT else text)
        except NumberError as error:
            reason = explain_date(text, key) or error
            return replace(mark(Mark.UNREADABLE), unreadable_reason=self.sheet.language.translate(reason))
        if reading is None:
            return mark(Mark.BLANK)
        places = self.sheet.problem.rules.decimals
        match = match_answer(reading, key, places)
        if match.is_right:
            return mark(Mark.CORRECT, reading.value)
        has_too_few_digits = match is Match.TOO_FEW_DIGITS
        for follows in dict.fromkeys(candidate for candidate in candidates if candidate != key):
            # to the digits of the sheet: what was carried on may have been rounded on the way
            match = match_answer(_limit_decimals(reading, places), follows, places)
            has_too_few_digits = has_too_few_digits or match is Match.TOO_FEW_DIGITS
            if not match.is_right:
                continue
            if self.has_correct_inputs:
                return mark(Mark.CORRECT, reading.value, Note.ROUNDED, follows=follows)
            if not self.has_trivial_inputs:
                return mark(Mark.FOLLOWS, reading.value, follows=follows)
            return mark(Mark.WRONG, reading.value, Note.TRIVIAL, follows=follows)
        return mark(Mark.WRONG, reading.value, Note.TOO_FEW_DIGITS if has_too_few_digits else None)

    def _compute_expected(self, matrices: Mapping[str, Matrix]) -> tuple[Matrix | None, bool]:
        """Return what follows from the student's own inputs, and whether they leave nothing to compute."""
        keys = self.sheet.solution.collect_hand_values()
        inputs = [matrices[name] for name in self.stage.input_names]
        if inputs == [keys[name] for name in self.stage.input_names]:
            return None, False
        trivial = any(
            _is_trivial_matrix(a) and not _is_trivial_matrix(keys[name])
            for name, a in zip(self.stage.input_names, inputs, strict=True)
        )
        with localcontext(DECIMAL_CONTEXT):
            try:
                arithmetic = self.sheet.problem.hand_arithmetic
                if self.stage.operation.find_too_large(arithmetic, inputs):
                    return None, trivial
                return self.stage.operation.apply(arithmetic, *unify_number_types(inputs)), trivial
            except (ArithmeticError, ProblemError):
                return None, trivial


def _limit_decimals(reading: Reading, decimals: int) -> Reading:
    """Return a decimal as one of the sheet's digits, where it has more."""
    return reading if reading.decimals is None else replace(reading, decimals=min(reading.decimals, decimals))


def _is_trivial_matrix(a: Matrix) -> bool:
    """Say whether a matrix leaves nothing to compute: all zeros, all alike, the identity."""
    if len(set(flatten(a))) <= 1:
        return len(flatten(a)) > 1
    rows, columns = shape(a)
    return rows == columns and all(value == (i == j) for i, row in enumerate(a) for j, value in enumerate(row))
