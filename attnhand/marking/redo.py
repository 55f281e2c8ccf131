"""What to work again: every wrong cell, and of the later ones those that change with them; no cell too many."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition, list_cells_read
from attnhand.marking.marks import CellMark, Marks, Place, Vector, VectorKind
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

MAX_LISTED_CELLS = 3
"""Cells that are named one by one; of more their rows or columns are, where those change all over."""


def find_read_cells(sheet: Sheet, stage: Stage, row: int, column: int) -> set[CellPosition]:
    """Return the cells that a cell (0-based) is worked from."""
    return {*list_cells_read(stage, sheet.hand_values, row, column)}


class Redo(NamedTuple):
    """What is to be worked again at one stage."""

    cells: tuple[CellMark, ...]
    """Those that must change."""

    changing: frozenset[Place]
    """These, and all that are worked from a cell that changes: one that is right by chance may be worked again."""


def find_cells_to_redo(marks: Marks, sheet: Sheet) -> dict[str, Redo]:
    """Return stage by stage what is to be worked again, so that all is right then.

    A score that is right although its key was wrong, for the query has a 0 there, stays as it is, and so does what
    comes of it. What is still empty is not worked *again*.
    """
    changed: set[CellPosition] = set()
    cells: dict[str, list[CellMark]] = {}
    changing: dict[str, set[Place]] = {}
    for cell in marks.cells:
        stage = sheet.problem.mechanism.get_stage(cell.stage)
        is_off = cell.mark in (Mark.WRONG, Mark.UNREADABLE)
        if not is_off and changed.isdisjoint(find_read_cells(sheet, stage, *cell.place)):
            continue
        if cell.mark is not Mark.BLANK:
            changing.setdefault(cell.stage, set()).add(cell.place)
        if cell.mark is not Mark.CORRECT and (is_off or cell.value != cell.key):
            changed.add((cell.stage, *cell.place))
            if cell.mark is not Mark.BLANK:
                cells.setdefault(cell.stage, []).append(cell)
    return {name: Redo(tuple(found), frozenset(changing[name])) for name, found in cells.items()}


class Cover(NamedTuple):
    """A short way to name cells of a stage."""

    vectors: tuple[Vector, ...]
    """Rows or columns of which every cell that is asked is meant."""

    cells: tuple[CellMark, ...]
    """Those that stand in none of them."""

    is_whole: bool = False
    """Whether all cells that are asked are meant."""


def cover_cells(redo: Redo, asked: Iterable[Place], kinds: Sequence[VectorKind]) -> Cover:
    """Return the fewest rows, columns and cells that name what is to be worked again, and nothing that stays.

    Args:
        asked: all cells of the stage that are asked.
        kinds: in which direction the stage has more than one vector.
    """
    places = {*asked}
    if places <= redo.changing:
        return Cover((), (), is_whole=True)
    covers = [Cover((), redo.cells)]
    for kind in kinds if len(redo.cells) > MAX_LISTED_CELLS or len(kinds) == 1 else ():
        side = int(kind is VectorKind.COLUMNS)
        lines: Mapping[int, set[Place]] = {
            at: {place for place in places if place[side] == at} for at in {cell.place[side] for cell in redo.cells}
        }
        whole = sorted(at for at, line in lines.items() if line <= redo.changing)
        rest = tuple(cell for cell in redo.cells if cell.place[side] not in whole)
        covers.append(Cover(tuple(Vector(kind, at) for at in whole), rest))
    return min(covers, key=lambda cover: (len(cover.vectors) + len(cover.cells), len(cover.cells)))
