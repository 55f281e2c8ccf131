"""What to work again: the wrong cells of a stage, and of the later ones those that change with them."""

from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition, list_cells_read
from attnhand.marking.marks import CellMark, Marks
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet


def find_read_cells(sheet: Sheet, stage: Stage, row: int, column: int) -> set[CellPosition]:
    """Return the cells that a cell (0-based) is worked from."""
    return {*list_cells_read(stage, sheet.solution.collect_hand_values(), row, column)}


def find_cells_to_redo(marks: Marks, sheet: Sheet, departure: CellMark) -> dict[str, list[CellMark]]:
    """Return stage by stage what is to be worked again once the departure is put right, that stage first.

    Only what is not the key's yet and comes from a wrong cell: a score that is right although its key was wrong, for
    the query has a 0 there, stays as it is, and so does what comes of it. What is still empty is not worked *again*.
    """
    changed: set[CellPosition] = set()
    redo: dict[str, list[CellMark]] = {}
    for cell in marks.cells:
        if cell.mark is Mark.CORRECT:
            continue
        if cell.stage == departure.stage:
            is_reached = cell.mark in (Mark.WRONG, Mark.UNREADABLE)
        else:
            stage = sheet.problem.mechanism.get_stage(cell.stage)
            is_reached = not changed.isdisjoint(find_read_cells(sheet, stage, cell.row, cell.column))
        if is_reached:
            changed.add((cell.stage, cell.row, cell.column))
            if cell.mark is not Mark.BLANK:
                redo.setdefault(cell.stage, []).append(cell)
    return redo
