"""Exact values as grids, beside those by hand: small columns of numbers, and heat maps of the weights."""

from collections.abc import Sequence

from attnhand.mechanisms import Axis, Stage
from attnhand.numbers import as_float
from attnhand.sheet.drawing import labels
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look, Source, Way
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.shown_numbers import figure_of, shade_of
from attnhand.sheet.text import marked_up, plain, width
from attnhand.solution import SolvedStage


def exact_grid(sheet: Sheet, stage: Stage) -> Grid | None:
    """Draw the exact values of a stage, where they differ and are asked for: on the key, or for one query."""
    if not differs(sheet.solution[stage.name]) or not (sheet.solved or sheet.options.exact_column):
        return None
    rows, columns = sheet.asked_lines(stage)
    only = None if sheet.solved else sheet.queries[0]
    by_row = sheet.is_rows

    def cell(i: int, j: int) -> Cell:
        if only is not None and only != (i if by_row else j):
            return Cell(Kind.COPIED)
        source = Source(Way.EXACT, stage.name, i, j)
        return Cell(Kind.COPIED, figure_of(sheet, source), source=source)

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
    return _heat_map(sheet, stage, Way.HEAT_HAND), _heat_map(sheet, stage, Way.HEAT_EXACT)


def _heat_map(sheet: Sheet, stage: Stage, way: Way) -> Grid:
    rows, columns = sheet.asked_lines(stage)
    return Grid(
        name=marked_up(sheet.say("heat.head", told=sheet.say(way), head=stage.head) if stage.head else sheet.say(way)),
        look=Look.HEAT,
        accent=stage.topic,
        rows=_letters(sheet, stage.rows, rows),
        columns=_letters(sheet, stage.columns, columns),
        cells=tuple(tuple(_heat_cell(sheet, Source(way, stage.name, i, j)) for j in columns) for i in rows),
    )


def _heat_cell(sheet: Sheet, source: Source) -> Cell:
    return Cell(Kind.COPIED, figure_of(sheet, source), source=source, shade=shade_of(sheet, source))


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
