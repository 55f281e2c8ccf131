"""Where a class goes wrong: every stage as the matrix that it is, each cell with the papers on which it is wrong."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from attnhand.cell_address import printed_name
from attnhand.sheet.drawing import labels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain

SHADES = 6
"""From 0, where nobody is wrong, to the cell that is wrong most often."""

FEW = 0.2
"""The part of the papers below which even that cell has no full shade."""

_ADDRESS = re.compile(r"(.+)\[(\d+),(\d+)\]")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a stage, in the whole class."""

    address: str
    count: int
    shade: int


@dataclass(frozen=True, slots=True)
class Heat:
    """A stage in which somebody went wrong."""

    name: str
    rows: tuple[str, ...]
    """Labels, as on the sheet."""

    columns: tuple[str, ...]
    cells: tuple[tuple[HeatCell | None, ...], ...]
    """None where the sheet asks nothing."""


def heats(wrong: Mapping[str, int], papers: int, sheet: Sheet | None) -> tuple[Heat, ...]:
    """Draw every stage that has a wrong cell, in the order of the sheet.

    Args:
        wrong: by address, of every cell that is asked, on how many papers it is wrong.
        sheet: one of the class's, whose labels are taken where they fit.
    """
    places = {address: match.groups() for address in wrong if (match := _ADDRESS.fullmatch(address))}
    stages = dict.fromkeys(stage for stage, _, _ in places.values())
    most = max([*wrong.values(), FEW * papers])
    drawn = []
    for stage in stages:
        cells = {(int(row), int(column)): address for address, (name, row, column) in places.items() if name == stage}
        if not any(wrong[address] for address in cells.values()):
            continue
        rows, columns = (sorted({place[side] for place in cells}) for side in (0, 1))
        lines = [[_cell(cells.get((row, column)), wrong, most) for column in columns] for row in rows]
        names = _labels(sheet, stage, max(rows), max(columns))
        drawn.append(
            Heat(
                names[0],
                tuple(names[1][row - 1] for row in rows),
                tuple(names[2][column - 1] for column in columns),
                tuple(map(tuple, lines)),
            )
        )
    return tuple(drawn)


def _cell(address: str | None, wrong: Mapping[str, int], most: float) -> HeatCell | None:
    if address is None:
        return None
    count = wrong[address]
    return HeatCell(address, count, math.ceil((SHADES - 1) * count / most))


def _labels(sheet: Sheet | None, name: str, rows: int, columns: int) -> tuple[str, list[str], list[str]]:
    """Return how a stage and its lines are called; by numbers where papers of several shapes came back."""
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages} if sheet else {}
    if sheet and name in stages:
        axes = (stages[name].rows, stages[name].columns)
        down, across = ([as_plain(label.letter) for label in labels(sheet, axis)] for axis in axes)
        if len(down) >= rows and len(across) >= columns:
            return printed_name(sheet, name), down, across
    return name, [str(i + 1) for i in range(rows)], [str(i + 1) for i in range(columns)]
