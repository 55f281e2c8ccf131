"""Exact values as grids, beside those by hand: small columns of numbers, and heat maps of the weights."""

import math
from collections.abc import Sequence

from attnhand.mechanisms import Axis, Stage
from attnhand.numbers import as_float
from attnhand.operations import Along, Power, Sum
from attnhand.sheet.drawing import labels
from attnhand.sheet.figures import exact_figure
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import marked_up, plain, width
from attnhand.solution import SolvedStage


def exact_grid(sheet: Sheet, stage: Stage) -> Grid | None:
    """Draw the exact values of a stage, where they differ and are asked for: on the key, or for one query."""
    solved = sheet.solution[stage.name]
    if not differs(solved) or not (sheet.solved or sheet.options.exact_column):
        return None
    rows, columns = sheet.asked_lines(stage)
    places = sheet.problem.rules.decimals
    only = None if sheet.solved else sheet.queries[0]
    by_row = sheet.is_rows

    def cell(i: int, j: int) -> Cell:
        if only is not None and only != (i if by_row else j):
            return Cell(Kind.COPIED)
        value = solved.exact[i][j]
        exponent = overflowing_exponent(sheet, stage, i, j) if value == math.inf else None
        return Cell(Kind.COPIED, exact_figure(value, places, exponent))

    return Grid(
        name=(),
        look=Look.EXACT,
        accent=stage.topic,
        rows=_letters(sheet, stage.rows, rows),
        columns=_letters(sheet, stage.columns, columns),
        cells=tuple(tuple(cell(i, j) for j in columns) for i in rows),
    )


def widest_exact(sheet: Sheet, stage: Stage) -> float:
    """Return how wide the widest exact value of a stage is at a size of one point, in millimetres."""
    shown = exact_grid(sheet.key, stage)
    cells = [cell for row in shown.cells for cell in row] if shown else []
    return max((width(plain(str(cell.figure)), 1.0) for cell in cells), default=0.0)


def heat_maps(sheet: Sheet, stage: Stage) -> tuple[Grid, ...]:
    """Draw the weights by hand and exactly as shaded numbers; none beside a student's own values."""
    if sheet.carried:
        return ()
    solved = sheet.solution[stage.name]
    hand = tuple(tuple(as_float(value) for value in row) for row in solved.hand)
    return _heat_map(sheet, stage, hand, "heat.hand"), _heat_map(sheet, stage, solved.exact, "heat.exact")


def _heat_map(sheet: Sheet, stage: Stage, weights: Sequence[Sequence[float]], name: str) -> Grid:
    rows, columns = sheet.asked_lines(stage)
    return Grid(
        name=marked_up(
            sheet.say("heat.head", told=sheet.say(name), head=stage.head) if stage.head else sheet.say(name)
        ),
        look=Look.HEAT,
        accent=stage.topic,
        rows=_letters(sheet, stage.rows, rows),
        columns=_letters(sheet, stage.columns, columns),
        cells=tuple(
            tuple(Cell(Kind.COPIED, exact_figure(weights[i][j], 2), shade=round(10 * weights[i][j])) for j in columns)
            for i in rows
        ),
    )


def _letters(sheet: Sheet, axis: Axis, lines: Sequence[int]) -> tuple[Label, ...]:
    """Return labels without words, for small grids."""
    return tuple(Label(label.letter) for label in (labels(sheet, axis)[i] for i in lines))


def differs(solved: SolvedStage) -> bool:
    """Say whether the shortcut changed anything at this stage."""
    return any(
        as_float(hand) != exact
        for row, exact_row in zip(solved.hand, solved.exact, strict=True)
        for hand, exact in zip(row, exact_row, strict=True)
    )


def overflowing_exponent(sheet: Sheet, stage: Stage, i: int, j: int) -> float | None:
    """Return x where an exact value, beyond float64, is eˣ: a power, or the sum of a line of powers."""
    if isinstance(stage.operation, Power):
        return sheet.solution[stage.reads[0]].exact[i][j]
    if not isinstance(stage.operation, Sum):
        return None
    exponents = sheet.solution[sheet.problem.mechanism.stage(stage.reads[0]).reads[0]].exact
    line = [row[j] for row in exponents] if stage.operation.along is Along.COLUMNS else exponents[i]
    line = [x for x in line if x > -math.inf]
    largest = max(line)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in line))
