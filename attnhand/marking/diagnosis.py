"""Naming the slip: which mistake of the catalogue, made by the student, gives just what was written."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from attnhand.marking.mark import CellMark, Marks, Note
from attnhand.matrix import Matrix, shape
from attnhand.mechanisms import Stage
from attnhand.numbers import PRECISION, Number, as_decimal
from attnhand.sheet.cell_marks import Mark
from attnhand.sheet.sheet import Sheet
from attnhand.slips import Desk, Slip, slips_at

INFORMATIVE = 2
"""A slip is named where so many cells show it; where one does, perhaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What seems to have gone wrong at one stage."""

    stage: str
    slips: tuple[str, ...]
    """Ids of the slips that explain every wrong cell: one where it is named, several where they look alike."""

    cells: tuple[CellMark, ...]
    """The wrong cells that it explains."""

    @property
    def is_named(self) -> bool:
        """Say whether one slip alone explains the stage, by two cells at least."""
        return len(self.slips) == 1 and len(self.cells) >= INFORMATIVE

    @property
    def is_perhaps(self) -> bool:
        """Say whether one slip alone explains the one wrong cell."""
        return len(self.slips) == 1 and len(self.cells) < INFORMATIVE


def diagnosed(marks: Marks, sheet: Sheet) -> tuple[Diagnosis, ...]:
    """Return a diagnosis for every stage whose wrong cells one slip or several explain."""
    found = []
    for stage in sheet.problem.mechanism.stages:
        cells = [cell for cell in marks.cells if cell.stage == stage.name]
        wrong = tuple(cell for cell in cells if cell.mark is Mark.WRONG and cell.note is None)
        if wrong and (slips := _explaining(stage, cells, marks, sheet)):
            found.append(Diagnosis(stage=stage.name, slips=slips, cells=wrong))
    return tuple(found)


def _explaining(stage: Stage, cells: Sequence[CellMark], marks: Marks, sheet: Sheet) -> tuple[str, ...]:
    """Return the slips that give every value the student wrote at a stage, from the student's own inputs."""
    mechanism = sheet.problem.mechanism
    order = [each.name for each in mechanism.stages]
    before = set(order[: order.index(stage.name)])
    values = {name: a for name, a in marks.own.items() if name in before or name not in order}
    desk = Desk(mechanism, stage, sheet.problem.hand, values)
    return tuple(slip.id for slip in slips_at(stage) if _explains(slip, desk, cells, sheet))


def _explains(slip: Slip, desk: Desk, cells: Sequence[CellMark], sheet: Sheet) -> bool:
    try:
        result = slip.wrong(desk)
    except KeyError:  # it looks at a stage that comes later
        return False
    key = sheet.solution[desk.stage.name].hand
    if result is None or shape(result) != shape(key):
        return False
    read = [cell for cell in cells if cell.value is not None]
    return all(_is_written(cell, result, sheet) for cell in read if cell.note is not Note.TOO_FEW_DIGITS)


def _is_written(cell: CellMark, result: Matrix, sheet: Sheet) -> bool:
    """Say whether the student wrote what the slip gives, to the digits of the sheet."""
    value, expected = cell.value, result[cell.row][cell.column]
    assert value is not None
    if value == expected:
        return True
    return _near(value, expected, sheet.problem.rules.decimals)


def _near(value: Number, expected: Number, places: int) -> bool:
    with localcontext(PRECISION):
        a, b = as_decimal(value), as_decimal(expected)
        if not (a.is_finite() and b.is_finite()):
            return False
        is_rounded = a == a.quantize(Decimal(1).scaleb(-places - 4))
        return is_rounded and abs(a - b) <= Decimal(1).scaleb(-places) / 2 * (1 + Decimal("1e-9"))
