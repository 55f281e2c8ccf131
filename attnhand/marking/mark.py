"""Marking one sheet: every cell against the key, and then against what follows from the student's own answers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import MINUS_INFINITY, Number, divide, format_exact, is_finite
from attnhand.attention.spellings import Reading, read_number
from attnhand.attention.work_left import find_unworked_cells, find_work_left
from attnhand.errors import NumberError
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers
from attnhand.marking.diagnosis import find_explanation
from attnhand.marking.evidence import has_few_wrong_cells
from attnhand.marking.explanations import Explanation
from attnhand.marking.follow import (
    Expected,
    Range,
    follows_some_rule,
    work_cells,
    work_ranges,
)
from attnhand.marking.marks import MEANT_NOTES, CellMark, Marks, Note, Place
from attnhand.marking.match import (
    Digits,
    Match,
    explain_date,
    find_bounds,
    is_cut_off,
    lies_between,
    match_answer,
)
from attnhand.marking.shapes import has_shape, trim_padding
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet

NO_ANSWERS = (UNASKED_CELL_TEXT, "−", "–", "×", "x")
"""Signs that people put where a mask hides a cell."""


def mark_answers(answers: Answers, sheet: Sheet) -> Marks:
    """Mark the answers to a sheet, stage by stage.

    Each cell is compared with the key, and then with what follows from the student's own answers to the stages
    before: whoever halves −1 to 0 for −1 is wrong there, and right to go on with 3⁰ = 1. Where a cell is empty or
    unreadable, the student's own numbers go on: with what follows from their numbers, not with the key's.

    Two sets of own values are carried along, since a student who writes 0.33 goes on with 0.33 or, on a calculator,
    with all of its digits; whatever lies between may have been gone on with too. What a wrong decimal stands for is
    known where a slip explains it: the slip's own number. Else it is any number that is rounded to it.
    """
    own = _OwnNumbers(sheet)
    marks_by_stage: dict[str, list[CellMark]] = {}
    misshapen_answers: dict[str, TextRows] = {}
    overwritten_places: list[CellPosition] = []
    for stage in sheet.problem.mechanism.stages:
        key = sheet.solution[stage.name].hand
        if sheet.is_printed(stage) or not sheet.has_own_panel(stage):
            own.carry_key(stage, key)
            continue
        texts = trim_padding(answers.stages.get(stage.name, ()), shape(key))
        if not has_shape(texts, shape(key)):
            misshapen_answers[stage.name] = texts
        overwritten = _read_overwritten(sheet, stage, texts)
        overwritten_places += [(stage.name, *place) for place in overwritten]
        marker = _StageMarker(sheet, stage, own)
        marks = _drop_lone_percentages(marker.mark_cells(texts))
        explanation = None
        if any(cell.mark is Mark.WRONG for cell in marks):
            explanation = find_explanation(sheet, stage, marks, (own.written, own.unrounded))
        if (
            explanation is not None and explanation.is_whole
        ):  # what is explained was neither cut off nor meant as a percentage
            marks = [replace(cell, note=None, meant=None) if cell.note in MEANT_NOTES else cell for cell in marks]
        marks_by_stage[stage.name] = marks
        carried = {place: overwritten[place].value for place in marker.find_unmasked_places(overwritten)}
        own.carry(stage, marks, marker, explanation, carried)
    cells = tuple(cell for marks in marks_by_stage.values() for cell in marks)
    return Marks(cells, own.written, own.unrounded, misshapen_answers, tuple(overwritten_places))


def _read_overwritten(sheet: Sheet, stage: Stage, texts: TextRows) -> dict[Place, Reading]:
    """Return the numbers that were written over the zeros that a mask prints, by their cells."""
    found: dict[Place, Reading] = {}
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text.strip() and i < len(sheet.solution[stage.name].hand) and sheet.is_zero_of_mask(stage, i, j):
                with suppress(NumberError):
                    reading = read_number(text)
                    if reading is not None and is_finite(reading.value) and reading.value:
                        found[i, j] = reading
    return found


def _drop_lone_percentages(cells: Sequence[CellMark]) -> list[CellMark]:
    """Take no number for a percentage where most that are wrong are none: 10 for 1/10 was divided the wrong way round.

    Whoever leaves out the % leaves it out everywhere.
    """
    wrong = [cell for cell in cells if cell.mark is Mark.WRONG]
    if 2 * sum(cell.note is Note.NO_PERCENT for cell in wrong) >= len(wrong):
        return [*cells]
    return [replace(cell, note=None, meant=None) if cell.note is Note.NO_PERCENT else cell for cell in cells]


class _OwnNumbers:
    """What a student goes on with, stage by stage."""

    def __init__(self, sheet: Sheet) -> None:
        self.written: dict[str, Matrix] = dict(sheet.problem.given)
        self.unrounded: dict[str, Matrix] = dict(sheet.problem.given)
        self.lowest: dict[str, Matrix] = dict(sheet.problem.given)
        """The least that each number may stand for."""

        self.highest: dict[str, Matrix] = dict(sheet.problem.given)
        self.astray: set[str] = set()
        """Stages that are not the key's all over, or that come from such."""

        self.suspects: set[str] = set()
        """Stages with wrong numbers that nobody can explain, and those that such left without enough work."""

    def carry_key(self, stage: Stage, key: Matrix) -> None:
        for values in (self.written, self.unrounded, self.lowest, self.highest):
            values[stage.name] = key

    def carry(
        self,
        stage: Stage,
        cells: Sequence[CellMark],
        marker: "_StageMarker",
        explanation: Explanation | None,
        overwritten: Mapping[Place, Number],
    ) -> None:
        """Take up what was written at a stage; where nothing was, what follows from before.

        Args:
            overwritten: what was written over printed zeros, and gone on with, as if there were no mask.
        """
        is_mistaken = any(cell.is_unexplained for cell in cells)
        is_open = is_mistaken and explanation is None
        sets = (self.written, self.unrounded, self.lowest, self.highest)
        rows = [list(map(list, marker.key)) for _ in sets]  # what is not asked is printed
        for (i, j), number in overwritten.items():
            for a in rows:
                a[i][j] = number
        for cell in cells:
            i, j = cell.row, cell.column
            for a, number in zip(
                rows, self._find_numbers(stage, cell, marker, explanation, is_open=is_open), strict=True
            ):
                a[i][j] = number
        for values, numbers in zip(sets, rows, strict=True):
            values[stage.name] = tuple(map(tuple, numbers))
        inputs = {*stage.input_names}
        has_gaps = any(cell.mark in (Mark.BLANK, Mark.UNREADABLE) for cell in cells)
        is_off = overwritten or any(cell.mark in (Mark.WRONG, Mark.FOLLOWS) for cell in cells)
        if is_off or (has_gaps and inputs & self.astray):
            self.astray.add(stage.name)
        is_strange = is_mistaken and not (explanation is not None and explanation.is_credible)
        if marker.unworked_cells or (is_strange and not self._is_of_some_rule(stage, cells, marker.printed_cell)):
            self.suspects.add(stage.name)

    def _is_of_some_rule(self, stage: Stage, cells: Sequence[CellMark], printed: CellPosition | None) -> bool:
        """Say whether wrong cells stand alone among right ones, or scores were scaled by a rule of the student's."""
        if has_few_wrong_cells(cells):
            return True
        asked = [cell.place for cell in cells if (stage.name, *cell.place) != printed]
        scores, own = self.written[stage.input_names[0]], self.written[stage.name]
        return stage.facts.has_other_rules and follows_some_rule(scores, own, asked)

    def _find_numbers(
        self, stage: Stage, cell: CellMark, marker: "_StageMarker", explanation: Explanation | None, *, is_open: bool
    ) -> tuple[Number, Number, Number, Number]:
        """Return a number as written, as unrounded, the least and the most that it may be.

        Args:
            is_open: whether something is wrong at the stage that nobody can explain: a decimal that agrees with the key
                may do so by chance, and stands for all that is rounded to it.
        """
        value = cell.meant_as_written
        # −∞ goes nowhere but from a mask into a power
        if value is None or cell.note is Note.SHAPE or not (is_finite(value) or stage.gives_infinity):
            return marker.find_following_numbers(cell)
        meant = marker.find_unrounded_value(cell, explanation)
        following = (None, None) if is_open else marker.find_ends(cell.row, cell.column)
        is_known = meant is not None and not is_open
        ends = [value] if meant is None else [value, meant]
        return (value, value if meant is None else meant, *_find_range(cell, ends, following, is_known=is_known))


def _find_range(
    cell: CellMark, ends: list[Number], following: tuple[Number | None, Number | None], *, is_known: bool
) -> tuple[Number, Number]:
    """Return the least and the most that a number may stand for: 34.86 is 34.855 to 34.865.

    Args:
        ends: itself, and what it seems to stand for.
        following: the least and the most that may follow there, which may narrow it.
        is_known: whether it is known what it stands for.
    """
    reading = read_number(cell.answer)
    if reading is not None and reading.decimals and reading.decimals > 0:
        least, most = find_bounds(ends[0], reading.decimals)
        low, high = following
        if low is not None and high is not None and max(least, low) <= min(most, high):
            ends += [max(least, low), min(most, high)]
        elif not is_known:
            ends += [least, most]
    return min(ends), max(ends)


class _StageMarker:
    def __init__(self, sheet: Sheet, stage: Stage, own: _OwnNumbers) -> None:
        self.sheet, self.stage, self.own = sheet, stage, own
        self.key = sheet.solution[stage.name].hand
        self.printed_cell = sheet.worked_cell
        self.expected_from_written = self._compute_expected(own.written)
        self.expected_from_unrounded = self._compute_expected(own.unrounded)
        self.ranges = self._compute_ranges(own)
        self.unworked_cells, self.work_left = self._find_unworked_cells(own)
        self.has_correct_inputs = not own.astray & {*stage.input_names}

    def mark_cells(self, texts: TextRows) -> list[CellMark]:
        """Mark every cell that the sheet asks, whatever was handed in, trimmed."""
        asked = self.sheet.list_asked_cells(self.stage)
        written = (texts[i][j] for i, j in asked if i < len(texts) and j < len(texts[i]))
        is_begun = any(text.strip() not in ("", UNASKED_CELL_TEXT) for text in written)
        cells = [self._find_cell(i, j, texts, is_begun=is_begun) for i, j in asked]
        if not has_shape(texts, shape(self.key)):
            return [replace(cell, note=Note.SHAPE) for cell in cells]
        return [self._mark_cell(cell) for cell in cells]

    def find_unmasked_places(self, overwritten: Mapping[Place, Reading]) -> list[Place]:
        """Return the cells over whose printed zero stands what follows where nothing is masked."""
        mask = self.sheet.problem.mechanism.find_mask(self.stage)
        if mask is None or not overwritten:
            return []
        values = {**self.own.written, mask.name: self.own.written[mask.input_names[0]]}
        numbers = work_cells(self.stage, self.sheet.problem.hand_arithmetic, values)
        places = self.sheet.problem.rules.decimals
        return [
            (i, j)
            for (i, j), reading in overwritten.items()
            if (right := numbers[i][j]) is not None and match_answer(reading, right, places, Digits.AT_MOST).is_right
        ]

    def find_following_numbers(self, cell: CellMark) -> tuple[Number, Number, Number, Number]:
        """Return what the student's own numbers give where they wrote nothing; the key where it gives nothing.

        The worked cell is printed: whoever left the rest empty goes on with that number, or with their own.
        """
        found: list[Number] = []
        for expected in (self.expected_from_written, self.expected_from_unrounded):
            number = None if expected is None else expected[cell.row][cell.column]
            found.append(cell.key if number is None else number)
        for at, expected in enumerate(self.ranges or ()):
            number = expected[cell.row][cell.column]
            found.append(found[at] if number is None else number)
        written, unrounded, low, high = (*found, *found)[:4]
        is_printed = (cell.stage, cell.row, cell.column) == self.printed_cell
        return cell.key if is_printed else written, unrounded, low, high

    def find_unrounded_value(self, cell: CellMark, explanation: Explanation | None) -> Number | None:
        """Return the number that a cell stands for, as a calculator would have held it; None where nobody knows.

        Where marking has found what it is meant for, that. Else the first number that the written digits fit, as 0.33
        fits 1/3: what the slip gives that explains the stage, what follows from the student's unrounded numbers, the
        key, what follows from the numbers that they wrote. A decimal that fits none of them may be any number that is
        rounded to it; a whole number or a fraction is itself.
        """
        if cell.meant is not None:
            return cell.meant
        reading, places = read_number(cell.answer), self.sheet.problem.rules.decimals
        assert reading is not None
        explained = None if explanation is None else explanation.value
        for a in (explained, self.expected_from_unrounded, self.key, self.expected_from_written):
            number = a[cell.row][cell.column] if a else None
            if number is not None and match_answer(reading, number, places, Digits.AT_MOST).is_right:
                return number
        return None if reading.decimals else cell.value

    def find_ends(self, i: int, j: int) -> tuple[Number | None, Number | None]:
        """Return the least and the most that may follow in a cell; None where it is one number, or none."""
        return (None, None) if self.ranges is None else (self.ranges[0][i][j], self.ranges[1][i][j])

    def _find_cell(self, i: int, j: int, texts: TextRows, *, is_begun: bool) -> CellMark:
        """Return a cell with what stands in it, unmarked: wrong until it is found to be anything else.

        Args:
            is_begun: whether something is written at this stage: then the worked cell, which is printed, was seen.
        """
        key = self.key[i][j]
        text = texts[i][j] if i < len(texts) and j < len(texts[i]) else ""
        if not text.strip() and is_begun and (self.stage.name, i, j) == self.printed_cell:
            text = format_exact(key)  # it is printed: there is nothing to hand in
        own_numbers = self._list_own_numbers(i, j)
        from_yours = own_numbers[0] if own_numbers and own_numbers[0] != key else None
        return CellMark(self.stage.name, i, j, text, None, key, Mark.WRONG, from_yours)

    def _mark_cell(self, cell: CellMark) -> CellMark:
        """Mark one cell: by its number, if there is one that can be read."""
        text = cell.answer.strip()
        is_no_answer = text == UNASKED_CELL_TEXT or (cell.key == MINUS_INFINITY and text in NO_ANSWERS)
        try:
            reading = read_number("" if is_no_answer else cell.answer)
        except NumberError as error:
            reason = self.sheet.language.translate(explain_date(cell.answer, cell.key) or error)
            return replace(cell, mark=Mark.UNREADABLE, unreadable_reason=reason)
        if reading is None:
            return replace(cell, mark=Mark.BLANK)
        return self._mark_reading(replace(cell, value=reading.value), reading)

    def _mark_reading(self, cell: CellMark, reading: Reading) -> CellMark:
        """Mark a number: by the key, then by the student's own numbers; what is wrong may be right but for its form."""
        key, places = cell.key, self.sheet.problem.rules.decimals
        key_match = match_answer(reading, key, places)
        if key_match.is_right:
            follows = cell.from_yours is None or match_answer(reading, cell.from_yours, places).is_right
            is_copy = follows and cell.place in self.unworked_cells  # it is the key's by chance
            return self._mark_copied(cell) if is_copy else replace(cell, mark=Mark.CORRECT)
        own_numbers = [number for number in self._list_own_numbers(cell.row, cell.column) if number != key]
        own_matches = [(number, match_answer(reading, number, places, Digits.AT_MOST)) for number in own_numbers]
        for number, match in own_matches:
            if match.is_right:
                return self._mark_following(replace(cell, mark=Mark.FOLLOWS, from_yours=number))
        for number, match in [(key, key_match), *own_matches]:
            if match is Match.TOO_FEW_DIGITS:
                return replace(cell, note=Note.TOO_FEW_DIGITS, meant=number)
        low, high = self.find_ends(cell.row, cell.column)
        if low is not None and high is not None and lies_between(reading, low, high, places):
            return self._mark_following(replace(cell, mark=Mark.FOLLOWS))
        return self._note_misspelling(cell, reading, [key, *own_numbers])

    def _list_own_numbers(self, i: int, j: int) -> list[Number]:
        """Return what the student's own numbers give in a cell: as they were written, and unrounded."""
        expected = (self.expected_from_written, self.expected_from_unrounded)
        numbers = (a[i][j] for a in expected if a is not None)
        return list(dict.fromkeys(number for number in numbers if number is not None))

    def _mark_following(self, cell: CellMark) -> CellMark:
        """Mark what follows from the student's own values; from right ones that were rounded it is right."""
        if self.has_correct_inputs:
            return replace(cell, mark=Mark.CORRECT, note=Note.ROUNDED)
        is_copied = (cell.row, cell.column) in self.unworked_cells
        return self._mark_copied(cell) if is_copied else cell

    def _mark_copied(self, cell: CellMark) -> CellMark:
        return replace(cell, mark=Mark.FOLLOWS, note=Note.UNWORKED, work_left=self.work_left)

    def _note_misspelling(self, cell: CellMark, reading: Reading, rights: Sequence[Number]) -> CellMark:
        """Note where a wrong number is the right one, but cut off instead of rounded, or a percentage without its %."""
        places = self.sheet.problem.rules.decimals
        for right in rights:
            if is_cut_off(reading, right, places):
                return replace(cell, note=Note.CUT_OFF, meant=right)
        if self.stage.form is Form.SHARE and reading.decimals is not None and is_finite(reading.value):
            share = Reading(divide(reading.value, 100), reading.decimals + 2)
            for right in rights:
                if match_answer(share, right, places).is_right:
                    return replace(cell, note=Note.NO_PERCENT, meant=right)
        return cell

    def _compute_expected(self, matrices: Mapping[str, Matrix]) -> Expected | None:
        """Return what follows from the student's own inputs, None in cells that cannot be worked; None for the key."""
        keys = self.sheet.hand_values
        if all(matrices[name] == keys[name] for name in self.stage.input_names):
            return None
        return work_cells(self.stage, self.sheet.problem.hand_arithmetic, matrices)

    def _compute_ranges(self, own: _OwnNumbers) -> Range | None:
        """Return the least and the most that may follow; None where every input is one number."""
        if all(own.lowest[name] == own.highest[name] for name in self.stage.input_names):
            return None
        return work_ranges(self.stage, self.sheet.problem.hand_arithmetic, own.lowest, own.highest)

    def _find_unworked_cells(self, own: _OwnNumbers) -> tuple[frozenset[Place], int]:
        """Return the cells in which the student's own numbers leave nothing but copying, and how much they leave.

        Numbers that come from a slip with a name are honest, and so is what follows from them. Sums never count:
        whoever adds all powers together still divides each.
        """
        names = self.stage.input_names
        suspects = [name for name in names if name in own.suspects]
        if self.stage.form is Form.SHARE:
            suspects = [name for name in suspects if name != names[1]]
        if not suspects:
            return frozenset(), 0
        asked, keys = self.sheet.list_asked_cells(self.stage), self.sheet.hand_values
        work_left, right = (
            find_work_left(self.stage, values, suspects, own.suspects, asked) for values in (own.written, keys)
        )
        return find_unworked_cells(work_left, right), len(work_left.worked)
