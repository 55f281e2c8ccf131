"""Marking one sheet: every cell against the key, and then against what follows from the student's own answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import localcontext
from enum import StrEnum

from attnhand.errors import NumberError, ProblemError
from attnhand.marking.answers import Answers, Texts
from attnhand.marking.rightness import is_right
from attnhand.marking.shapes import has_shape, trimmed
from attnhand.marking.spelling import read_answer
from attnhand.matrix import Matrix, in_one_kind, shape, values
from attnhand.mechanisms import Stage
from attnhand.numbers import MINUS_INFINITY, PRECISION, Number, written
from attnhand.operations import Mask, Power
from attnhand.sheet.cell_marks import Mark
from attnhand.sheet.sheet import NOT_ASKED, Sheet
from attnhand.sheet.worked_cell import worked_cell
from attnhand.solution import LARGEST_EXPONENT


class Note(StrEnum):
    """Why a cell has its mark, where that is not plain."""

    ROUNDED = "rounded"
    """It follows from the student's rounded values, which are right."""

    TOO_FEW_DIGITS = "too-few-digits"
    SHAPE = "shape"
    """The answer has another shape than the stage."""

    TRIVIAL = "trivial"
    """It follows from earlier answers that leave nothing to compute: no credit, and the teacher is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMark:
    """One cell, marked."""

    stage: str
    row: int
    column: int
    """0-based, as the row."""

    answer: str
    """As it was written."""

    value: Number | None
    """As it was read; None where there is nothing, or nothing readable."""

    key: Number
    mark: Mark
    from_yours: Number | None = None
    """What the student's own inputs give, where that is not the key."""

    note: Note | None = None
    told: str = ""
    """Why it cannot be read."""

    @property
    def address(self) -> str:
        """Its name: S[2,3]."""
        return f"{self.stage}[{self.row + 1},{self.column + 1}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """A whole sheet, marked; cells in the order of the stages."""

    cells: tuple[CellMark, ...]
    own: Mapping[str, Matrix]
    """Every matrix with the student's readable values, the key's where there is none."""

    other_shapes: Mapping[str, Texts] = field(default_factory=dict)
    """What was handed in for a stage in another shape than it has, by its name."""

    def count(self, mark: Mark) -> int:
        """Count the cells with that mark."""
        return sum(cell.mark is mark for cell in self.cells)

    @property
    def all_correct(self) -> bool:
        """Say whether every cell is correct."""
        return all(cell.mark is Mark.CORRECT for cell in self.cells)

    @property
    def first_departure(self) -> CellMark | None:
        """The first cell that is wrong or unreadable, in the order of the stages."""
        return next((cell for cell in self.cells if cell.mark in (Mark.WRONG, Mark.UNREADABLE)), None)


def marked(answers: Answers, sheet: Sheet) -> Marks:
    """Mark the answers to a sheet, stage by stage."""
    own: dict[str, Matrix] = dict(sheet.problem.given)
    cells: list[CellMark] = []
    by_stage: dict[str, list[CellMark]] = {}
    other_shapes: dict[str, Texts] = {}
    for stage in sheet.problem.mechanism.stages:
        key = sheet.solution[stage.name].hand
        if sheet.is_printed(stage) or not sheet.is_drawn(stage):
            own[stage.name] = key
            continue
        texts = trimmed(answers.stages.get(stage.name, ()), shape(key))
        if not has_shape(texts, shape(key)):
            other_shapes[stage.name] = texts
        found = _Stage(sheet, stage, own, by_stage).marked(texts)
        by_stage[stage.name] = found
        cells += found
        own[stage.name] = _with_own_values(stage, key, found)
    return Marks(cells=tuple(cells), own=own, other_shapes=other_shapes)


def _with_own_values(stage: Stage, key: Matrix, cells: Sequence[CellMark]) -> Matrix:
    """Put what the student goes on with in place of the key; −∞ goes nowhere but from a mask into a power."""
    rows = [list(row) for row in key]
    for cell in cells:
        is_workable = cell.value != MINUS_INFINITY or isinstance(stage.operation, Mask)
        if cell.value is not None and cell.note is not Note.SHAPE and is_workable:
            rows[cell.row][cell.column] = cell.value
    return tuple(map(tuple, rows))


class _Stage:
    """One stage under the marker's eye."""

    def __init__(
        self, sheet: Sheet, stage: Stage, own: Mapping[str, Matrix], before: Mapping[str, Sequence[CellMark]]
    ) -> None:
        self.sheet, self.stage, self.own, self.before = sheet, stage, own, before
        self.key = sheet.solution[stage.name].hand
        self.printed = worked_cell(sheet)
        self.follows, self.is_trivial = self._from_own()
        self.inputs_are_right = all(
            cell.mark in (Mark.CORRECT, Mark.BLANK) for name in stage.reads for cell in before.get(name, ())
        )

    def marked(self, texts: Texts) -> list[CellMark]:
        """Mark every cell that the sheet asks, whatever was handed in, trimmed."""
        rows, columns = self.sheet.asked_lines(self.stage)
        fits = has_shape(texts, shape(self.key))
        is_begun = any(cell.strip() not in ("", NOT_ASKED) for row in texts for cell in row)
        return [self._cell(i, j, texts, fits=fits, is_begun=is_begun) for i in rows for j in columns]

    def _cell(self, i: int, j: int, texts: Texts, *, fits: bool, is_begun: bool) -> CellMark:
        text = texts[i][j] if texts and i < len(texts) and j < len(texts[i]) else ""
        if not text.strip() and is_begun and (self.stage.name, i, j) == self.printed:
            text = written(self.key[i][j])  # it is printed: there is nothing to hand in
        key, follows = self.key[i][j], self.follows[i][j] if self.follows else None
        differs = follows is not None and follows != key

        def mark(mark: Mark, value: Number | None = None, note: Note | None = None, told: str = "") -> CellMark:
            return CellMark(
                stage=self.stage.name,
                row=i,
                column=j,
                answer=text,
                value=value,
                key=key,
                mark=mark,
                from_yours=follows if differs else None,
                note=note,
                told=told,
            )

        if not fits:
            return mark(Mark.WRONG, note=Note.SHAPE)
        try:
            reading = read_answer("" if text == NOT_ASKED else text)
        except NumberError as error:
            return mark(Mark.UNREADABLE, told=str(error))
        if reading is None:
            return mark(Mark.BLANK)
        places = self.sheet.problem.rules.decimals
        right, too_short = is_right(reading, key, places)
        if right:
            return mark(Mark.CORRECT, reading.value)
        if differs and follows is not None:
            # to the digits of the sheet: what was carried on may have been rounded on the way
            carried = reading if reading.places is None else replace(reading, places=min(reading.places, places))
            right, also_short = is_right(carried, follows, places)
            too_short = too_short or also_short
            if right and self.inputs_are_right:
                return mark(Mark.CORRECT, reading.value, Note.ROUNDED)
            if right and not self.is_trivial:
                return mark(Mark.FOLLOWS, reading.value)
            if right:
                return mark(Mark.WRONG, reading.value, Note.TRIVIAL)
        return mark(Mark.WRONG, reading.value, Note.TOO_FEW_DIGITS if too_short else None)

    def _from_own(self) -> tuple[Matrix | None, bool]:
        """Return what the student's own inputs give, and whether they leave nothing to compute."""
        keys = self.sheet.solution.hand_values()
        inputs = [self.own[name] for name in self.stage.reads]
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


def _is_trivial(a: Matrix) -> bool:
    """Say whether a matrix is one that leaves nothing to compute: all zeros, all alike, the identity."""
    if len(set(values(a))) <= 1:
        return len(values(a)) > 1
    rows, columns = shape(a)
    return rows == columns and all(value == (i == j) for i, row in enumerate(a) for j, value in enumerate(row))
