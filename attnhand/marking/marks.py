"""The marks of one sheet: one for every cell, the slips they show, and the values the student went on with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number, divide
from attnhand.formats.answer_tables import TextRows
from attnhand.sheet.evidence_limits import MIN_CELLS_FOR_CERTAINTY
from attnhand.sheet.grids import COUNTED_MARKS, Mark

Place = tuple[int, int]
"""Row and column of a cell, 0-based."""


class Note(StrEnum):
    """Why a cell has its mark, where that is not plain."""

    ROUNDED = "rounded"
    """It follows from the student's rounded values, which are right."""

    TOO_FEW_DIGITS = "too-few-digits"
    CUT_OFF = "cut-off"
    """The right number, cut off instead of rounded."""

    NO_PERCENT = "no-percent"
    """The right number as a percentage, without its sign."""

    EXACT = "exact"
    """It is what attention gives with e and √d_k, as all of the sheet was worked."""

    SHIFTED = "shifted"
    """It is what comes of scores of which the largest of their query was subtracted: the shares are the same."""

    SHAPE = "shape"
    """The answer has another shape than the stage."""

    PRINTED = "printed"
    """It stands as it was printed on a sheet with a mistake to find: nobody worked it anew."""

    UNWORKED = "unworked"
    """It follows from earlier answers that nobody can explain and that left nothing but copying: it does not count, and
    the teacher has a note."""


MEANT_NOTES = (Note.CUT_OFF, Note.NO_PERCENT)
"""The number is right, but not as it is written."""


@dataclass(frozen=True, slots=True)
class CellMark:
    """One cell, marked: what stood there, what should, and what it is worth."""

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
    unreadable_reason: str = ""
    """Why it cannot be read."""

    work_left: int = 0
    """Of one that was only copied: how many calculations its stage left to do."""

    meant: Number | None = None
    """The number that a wrong one stands for, where it is that with too few digits, cut off, or without its %."""

    @property
    def meant_as_written(self) -> Number | None:
        """What was written, as it is gone on with: 18.8 without its % as 0.188."""
        is_share = self.note is Note.NO_PERCENT and self.value is not None
        return divide(self.value, 100) if is_share and self.value is not None else self.value

    @property
    def place(self) -> Place:
        return self.row, self.column

    @property
    def counts(self) -> bool:
        """Say whether it is right, or follows by work of its own."""
        return self.mark in COUNTED_MARKS and self.note is not Note.UNWORKED

    @property
    def is_unexplained(self) -> bool:
        """Say whether it is wrong, and not just in how it is written or how many cells the answer has."""
        return self.mark is Mark.WRONG and self.note is None

    @property
    def address(self) -> str:  # S[2,3]
        return f"{self.stage}[{self.row + 1},{self.column + 1}]"


SINGLE_CELL, ROWS_EXCHANGED, TRANSPOSED = "single-cell", "rows-exchanged", "transposed"

GENERIC_SLIPS: tuple[str, ...] = (SINGLE_CELL, ROWS_EXCHANGED, TRANSPOSED)
"""Ids, in reports and in answer files."""


class VectorKind(StrEnum):
    """Which vectors of a matrix are meant."""

    COLUMNS = "columns"
    ROWS = "rows"


class Vector(NamedTuple):
    """A row or a column of a stage."""

    kind: VectorKind
    at: int
    """0-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What seems to have gone wrong at one stage."""

    stage: str
    slips: tuple[str, ...]
    """Ids of the slips that explain every wrong cell: one where it is named, several where they look alike.

    None where all that can be said is which product has the shape that was handed in.
    """

    cells: tuple[CellMark, ...]
    """The wrong cells that it explains."""

    supporting_numbers: int | None = None
    """How many numbers show it where these are not the wrong cells: of an answer of another shape all, of a stage
    left empty but for two 1, since two may agree by chance."""

    vector: Vector | None = None
    """The one row or column in which it was made; None for everywhere."""

    exchanged: tuple[int, int] | None = None
    """Of ``rows-exchanged``: which two, 0-based; None where more than one pair gives what was written."""

    along: VectorKind | None = None
    """Of ``rows-exchanged``: whether they are rows or columns."""

    product: str = ""
    """Of an answer of another shape that no slip explains: the product that has this shape, such as K Qᵀ."""

    product_sizes: str = ""
    """The shape of that product by name: d_k × d_k."""

    @property
    def is_certain(self) -> bool:
        """Say whether one slip alone explains the stage, by two cells at least; a single cell speaks for itself."""
        return len(self.slips) == 1 and (self._support_count >= MIN_CELLS_FOR_CERTAINTY or self.slips == (SINGLE_CELL,))

    @property
    def is_tentative(self) -> bool:
        """Say whether one slip alone explains the one wrong cell."""
        return len(self.slips) == 1 and not self.is_certain

    @property
    def catalogued_slips(self) -> tuple[str, ...]:
        """The slips of the catalogue that it may be: not that lines are exchanged, or that one cell alone is wrong."""
        return tuple(slip for slip in self.slips if slip not in GENERIC_SLIPS)

    @property
    def _support_count(self) -> int:
        return len(self.cells) if self.supporting_numbers is None else self.supporting_numbers


class OtherWay(StrEnum):
    """In which other way a whole sheet was worked."""

    TURNED = "turned"
    """With the tokens as rows where the sheet has them as columns, or the other way round."""

    EXACT = "exact"
    """With e and √d_k, where the sheet takes numbers that a hand can work with."""

    SHIFTED = "shifted"
    """With the largest score of each query subtracted before powers are taken, as computers do."""


WHOLE_SHEET = "sheet"
"""What stands for all stages together where points are given; no stage is called so."""


@dataclass(frozen=True)
class Marks:
    """The cells of a whole sheet, marked, and the numbers that the student went on with."""

    cells: tuple[CellMark, ...]
    """In the order of the stages."""

    student_values: Mapping[str, Matrix]
    """Every matrix with the student's readable values; where there is none, what follows from those before."""

    unrounded_values: Mapping[str, Matrix]
    """The same unrounded: 0.33 that is right, or follows, or is explained, as the third that it stands for."""

    misshapen_answers: Mapping[str, TextRows] = field(default_factory=dict)
    """Answers whose shape is not that of their stage, by stage."""

    overwritten: tuple[CellPosition, ...] = ()
    """Cells that a mask hides, over whose printed number something else was written."""

    diagnoses: tuple[Diagnosis, ...] = ()
    """What seems to have gone wrong, stage by stage."""

    other_way: OtherWay | None = None
    """In which other way the whole sheet was worked, if in one."""

    points: Mapping[str, Decimal | int] = field(default_factory=dict)
    """What the teacher gives for a stage, or for the whole sheet, in place of its cells."""

    def count(self, mark: Mark) -> int:
        """Count the cells with a mark; what follows without any work of its own is counted apart."""
        return sum(cell.mark is mark for cell in self.cells if cell.note is not Note.UNWORKED)

    @property
    def unworked_count(self) -> int:
        """How many cells follow from numbers that left nothing but copying."""
        return sum(cell.note is Note.UNWORKED for cell in self.cells)

    @property
    def score(self) -> Decimal | int:
        """How many cells count: the correct ones, and those that follow; or what the teacher gives for them."""
        if WHOLE_SHEET in self.points:
            return self.points[WHOLE_SHEET]
        return sum(marks for marks, _ in self.scores_by_stage.values())

    @cached_property
    def scores_by_stage(self) -> Mapping[str, tuple[Decimal | int, int]]:
        """How many cells of every stage count, or what the teacher gives for it, and of how many that are asked."""
        scores: dict[str, tuple[Decimal | int, int]] = {}
        for cell in self.cells:
            counted, of = scores.get(cell.stage, (0, 0))
            scores[cell.stage] = (counted + cell.counts, of + 1)
        return {stage: (self.points.get(stage, counted), of) for stage, (counted, of) in scores.items()}

    @property
    def is_all_correct(self) -> bool:
        is_full = not self.points or self.score == len(self.cells)
        return is_full and all(cell.mark is Mark.CORRECT for cell in self.cells)

    @property
    def first_departure(self) -> CellMark | None:
        """The first cell that is wrong or unreadable, in the order of the stages."""
        return next((cell for cell in self.cells if cell.mark in (Mark.WRONG, Mark.UNREADABLE)), None)
