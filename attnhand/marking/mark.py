"""Marking one sheet: every cell against the key, and then against what follows from the student's own answers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext

from attnhand.attention.matrix import Matrix, in_one_kind, shape, values
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import MINUS_INFINITY, PRECISION, Number, written
from attnhand.attention.operations import Mask, Power
from attnhand.attention.solution import LARGEST_EXPONENT
from attnhand.errors import NumberError, ProblemError
from attnhand.formats.answers import Answers, Texts
from attnhand.marking.answer_number import Reading, is_right, read_answer
from attnhand.marking.diagnosis import explained
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.shapes import has_shape, trimmed
from attnhand.sheet.build_grids import worked_cell
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import NOT_ASKED, Sheet


def marked(answers: Answers, sheet: Sheet) -> Marks:
    """Mark the answers to a sheet, stage by stage."""
    own: dict[str, Matrix] = dict(sheet.problem.given)
    meant: dict[str, Matrix] = dict(sheet.problem.given)
    by_stage: dict[str, list[CellMark]] = {}
    other_shapes: dict[str, Texts] = {}
    for stage in sheet.problem.mechanism.stages:
        key = sheet.solution[stage.name].hand
        if sheet.is_printed(stage) or not sheet.is_drawn(stage):
            own[stage.name] = meant[stage.name] = key
            continue
        texts = trimmed(answers.stages.get(stage.name, ()), shape(key))
        if not has_shape(texts, shape(key)):
            other_shapes[stage.name] = texts
        under_the_eye = _Stage(sheet, stage, own, meant, by_stage)
        found = under_the_eye.marked(texts)
        by_stage[stage.name] = found
        guess = explained(sheet, stage, found, (own, meant)) if any(map(_may_be_rounded, found)) else None
        own[stage.name] = _gone_on_with(stage, key, found, [cell.value for cell in found])
        meant[stage.name] = _gone_on_with(stage, key, found, [under_the_eye.unrounded(cell, guess) for cell in found])
    cells = tuple(cell for found in by_stage.values() for cell in found)
    return Marks(cells=cells, own=own, meant=meant, other_shapes=other_shapes)


def _may_be_rounded(cell: CellMark) -> bool:
    """Say whether a wrong number has decimals, and so may stand for one that has more."""
    reading = read_answer(cell.answer) if cell.mark is Mark.WRONG and cell.value is not None else None
    return reading is not None and bool(reading.places)


def _gone_on_with(stage: Stage, key: Matrix, cells: Sequence[CellMark], numbers: Sequence[Number | None]) -> Matrix:
    """Put what the student goes on with in place of the key; −∞ goes nowhere but from a mask into a power."""
    rows = [list(row) for row in key]
    for cell, number in zip(cells, numbers, strict=True):
        is_workable = number != MINUS_INFINITY or isinstance(stage.operation, Mask)
        if number is not None and cell.note is not Note.SHAPE and is_workable:
            rows[cell.row][cell.column] = number
    return tuple(map(tuple, rows))


class _Stage:
    """One stage under the marker's eye."""

    def __init__(
        self,
        sheet: Sheet,
        stage: Stage,
        own: Mapping[str, Matrix],
        meant: Mapping[str, Matrix],
        before: Mapping[str, Sequence[CellMark]],
    ) -> None:
        self.sheet, self.stage = sheet, stage
        self.key = sheet.solution[stage.name].hand
        self.printed = worked_cell(sheet)
        self.from_own, self.is_trivial = self._from(own)
        self.from_meant, _ = self._from(meant)
        self.inputs_are_right = all(
            cell.mark in (Mark.CORRECT, Mark.BLANK) for name in stage.reads for cell in before.get(name, ())
        )

    def marked(self, texts: Texts) -> list[CellMark]:
        """Mark every cell that the sheet asks, whatever was handed in, trimmed."""
        rows, columns = self.sheet.asked_lines(self.stage)
        fits = has_shape(texts, shape(self.key))
        is_begun = any(cell.strip() not in ("", NOT_ASKED) for row in texts for cell in row)
        return [self._cell(i, j, texts, fits=fits, is_begun=is_begun) for i in rows for j in columns]

    def unrounded(self, cell: CellMark, guess: Matrix | None) -> Number | None:
        """Return the number that a cell stands for; of what was done wrongly there is a guess, or none.

        Subtle: a calculator goes on with all its digits, whatever is written down of them.
        """
        if cell.value is None or cell.note is Note.SHAPE:
            return None
        reading, places = read_answer(cell.answer), self.sheet.problem.rules.decimals
        assert reading is not None
        for a in (guess, self.from_meant or self.key, self.key, self.from_own):
            if a and is_right(_to_places(reading, places), a[cell.row][cell.column], places)[0]:
                return a[cell.row][cell.column]
        return cell.value

    def _cell(self, i: int, j: int, texts: Texts, *, fits: bool, is_begun: bool) -> CellMark:
        text = texts[i][j] if texts and i < len(texts) and j < len(texts[i]) else ""
        if not text.strip() and is_begun and (self.stage.name, i, j) == self.printed:
            text = written(self.key[i][j])  # it is printed: there is nothing to hand in
        key = self.key[i][j]
        from_own = None if self.from_own is None or self.from_own[i][j] == key else self.from_own[i][j]

        def mark(
            mark: Mark,
            value: Number | None = None,
            note: Note | None = None,
            told: str = "",
            follows: Number | None = from_own,
        ) -> CellMark:
            return CellMark(
                stage=self.stage.name,
                row=i,
                column=j,
                answer=text,
                value=value,
                key=key,
                mark=mark,
                from_yours=follows,
                note=note,
                told=told,
            )

        if not fits:
            return mark(Mark.WRONG, note=Note.SHAPE)
        try:
            reading = read_answer("" if text.strip() == NOT_ASKED else text)
        except NumberError as error:
            return mark(Mark.UNREADABLE, told=str(error))
        if reading is None:
            return mark(Mark.BLANK)
        places = self.sheet.problem.rules.decimals
        right, too_short = is_right(reading, key, places)
        if right:
            return mark(Mark.CORRECT, reading.value)
        for follows in dict.fromkeys((from_own, self.from_meant[i][j] if self.from_meant else None)):
            if follows is None or follows == key:
                continue
            # to the digits of the sheet: what was carried on may have been rounded on the way
            right, also_short = is_right(_to_places(reading, places), follows, places)
            too_short = too_short or also_short
            if right and self.inputs_are_right:
                return mark(Mark.CORRECT, reading.value, Note.ROUNDED, follows=follows)
            if right and not self.is_trivial:
                return mark(Mark.FOLLOWS, reading.value, follows=follows)
            if right:
                return mark(Mark.WRONG, reading.value, Note.TRIVIAL, follows=follows)
        return mark(Mark.WRONG, reading.value, Note.TOO_FEW_DIGITS if too_short else None)

    def _from(self, known: Mapping[str, Matrix]) -> tuple[Matrix | None, bool]:
        """Return what follows from the student's own inputs, and whether they leave nothing to compute."""
        keys = self.sheet.solution.hand_values()
        inputs = [known[name] for name in self.stage.reads]
        if inputs == [keys[name] for name in self.stage.reads]:
            return None, False
        trivial = any(
            _is_trivial(a) and not _is_trivial(keys[name]) for name, a in zip(self.stage.reads, inputs, strict=True)
        )
        with localcontext(PRECISION):
            try:
                exponents: tuple[Number, ...] = values(inputs[0]) if isinstance(self.stage.operation, Power) else ()
                if any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents if x > MINUS_INFINITY):
                    return None, trivial
                return self.stage.operation.apply(self.sheet.problem.hand, *in_one_kind(inputs)), trivial
            except (ArithmeticError, ProblemError):
                return None, trivial


def _to_places(reading: Reading, places: int) -> Reading:
    """Return a decimal as one of the sheet's digits, where it has more."""
    return reading if reading.places is None else replace(reading, places=min(reading.places, places))


def _is_trivial(a: Matrix) -> bool:
    """Say whether a matrix is one that leaves nothing to compute: all zeros, all alike, the identity."""
    if len(set(values(a))) <= 1:
        return len(values(a)) > 1
    rows, columns = shape(a)
    return rows == columns and all(value == (i == j) for i, row in enumerate(a) for j, value in enumerate(row))
