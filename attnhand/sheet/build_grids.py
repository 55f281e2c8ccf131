"""The one cell that is worked on the sheet, all its pairs, and printed in its place."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Axis, Given, Stage
from attnhand.attention.mechanisms.base import bare
from attnhand.attention.mechanisms.embedding import vocabulary
from attnhand.attention.numbers import Number, as_float
from attnhand.attention.operations import Add, Along, Divide, LookUp, Mask, Power, Product, ReLU, ScaleScores, Sum
from attnhand.attention.solution import SolvedStage
from attnhand.problems.mistake import Planted
from attnhand.sheet.figures import Figure, exact_figure, hand_figure
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look, Mark, Source, Way, picked, turned
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, as_plain, marked_up, plain, width

HEAT_PLACES = 2
"""Decimals of the numbers in heat maps."""

SHADES = 10
"""The darkest shade of a heat map, that of a weight of 1."""


def figure_of(sheet: Sheet, source: Source) -> Figure:
    """Return the number of a source as this sheet prints it."""
    problem = sheet.problem
    way, name, i, j = source
    match way:
        case Way.GIVEN:
            return figure_on(sheet, problem[name][i][j])
        case Way.HAND:
            solved = sheet.shown[name]
            return figure_on(sheet, solved.hand[i][j], note=_unreduced(sheet, solved, i, j))
        case Way.EXACT:
            value = sheet.solution[name].exact[i][j]
            exponent = overflowing_exponent(sheet, problem.mechanism.stage(name), i, j) if value == math.inf else None
            return exact_figure(value, problem.rules.decimals, exponent)
        case Way.HEAT_HAND | Way.HEAT_EXACT:
            return exact_figure(_weight(sheet, source), HEAT_PLACES)


def figure_on(sheet: Sheet, value: Number, *, note: str = "") -> Figure:
    """Return a hand value as this sheet prints it, with as many places and in decimals if it was given in decimals."""
    problem = sheet.problem
    return hand_figure(value, problem.rules.decimals, as_decimal=problem.decimal_notation, note=note)


def shade_of(sheet: Sheet, source: Source) -> int:
    """Return how dark the cell of a source is in a heat map, 0 (white) to 10; 0 for all other cells."""
    return round(SHADES * _weight(sheet, source)) if source.way in (Way.HEAT_HAND, Way.HEAT_EXACT) else 0


def _weight(sheet: Sheet, source: Source) -> float:
    solved = sheet.solution[source.matrix]
    if source.way is Way.HEAT_EXACT:
        return solved.exact[source.row][source.column]
    return as_float(solved.hand[source.row][source.column])


def _unreduced(sheet: Sheet, solved: SolvedStage, i: int, j: int) -> str:
    """Return "= 3/6" where a weight, over the common denominator of its line, is not the reduced fraction."""
    if sheet.planted or sheet.carried:
        return _otherwise(sheet, solved, i, j)
    operation, value = solved.stage.operation, solved.hand[i][j]
    if not isinstance(operation, Divide) or not isinstance(value, Fraction) or sheet.options.large_print:
        return ""
    if not sheet.problem.rules.is_rational:
        return ""
    inputs: tuple[Matrix, ...] = tuple(sheet.solution[name].hand for name in solved.stage.reads)
    top, bottom = operation.over_common_denominator(inputs, i, j)
    if bottom == value.denominator or len(str(bottom)) > 3:
        return ""
    return f"= {top}/{bottom}"


def _otherwise(sheet: Sheet, solved: SolvedStage, i: int, j: int) -> str:
    """Return "not 3/5" where a planted mistake made another value, "key 3/5" where a student's values do."""
    other = sheet.planted.solution if sheet.planted else sheet.solution
    value = other[solved.stage.name].hand[i][j]
    if not sheet.solved or value == solved.hand[i][j] or sheet.options.large_print:
        return ""
    return sheet.say("mistake.was" if sheet.planted else "carried.key", value=figure_on(sheet, value))


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


Place = tuple[str, int, int]
"""A cell by stage name, row and column (0-based)."""


def matrix_name(sheet: Sheet, name: str) -> Text:
    """Return how a matrix is called on the page: W_Q with a real subscript, Σ for the sums; heads are not named."""
    name = bare(name)
    return marked_up(sheet.say(f"matrix.{name}") if sheet.can_say(f"matrix.{name}") else name)


def stage_title(sheet: Sheet, stage: Stage) -> str:
    """Return what a stage makes, "attention weights"; a topic that no sentence names is called as its matrix."""
    key = f"explain.stage.{stage.topic}"
    return sheet.say(key) if sheet.can_say(key) else as_plain(matrix_name(sheet, stage.name))


def spoken_name(sheet: Sheet, made: Given | Stage) -> str:
    """Return how a matrix is called where nothing around it says which head it belongs to."""
    key = f"spoken.{bare(made.name)}"
    name = sheet.say(key) if sheet.can_say(key) else as_plain(matrix_name(sheet, made.name))
    return f"{sheet.say('head', head=made.head)}, {name}" if made.head else name


def labels(sheet: Sheet, axis: Axis, *, asked: bool = False) -> tuple[Label, ...]:
    """Return the labels of all lines along one side."""
    length = sheet.problem.length(axis)
    if axis.size == "one":
        return (Label(marked_up(axis.letter)),)
    if not axis.letter:
        return tuple(Label(marked_up(str(i + 1))) for i in range(length))
    if axis.size == "vocabulary":
        known = vocabulary(sheet.problem.words)
        return tuple(Label(marked_up(f"{axis.letter}_{{{i + 1}}}"), word) for i, word in enumerate(known))
    # large print has room for letters alone: its head says which token is which word
    words = sheet.problem.words if axis.size == "tokens" and not sheet.options.large_print else ()
    role = {"q": "asks", "k": "answers"}.get(axis.letter) if words else None
    return tuple(
        Label(
            marked_up(f"{axis.letter}_{{{i + 1}}}"),
            words[i] if words else "",
            sheet.say(role) if role else "",
        )
        for i in range(length)
    )


def given_grid(sheet: Sheet, given: Given, *, again: bool = False, only: Sequence[int] | None = None) -> Grid:
    """Draw a given matrix; ``only`` keeps those tokens (0-based)."""
    kind = Kind.COPIED if again else Kind.GIVEN
    grid = Grid(
        name=matrix_name(sheet, given.name),
        look=Look.GIVEN,
        rows=labels(sheet, given.rows),
        columns=labels(sheet, given.columns),
        cells=tuple(
            tuple(_shown(sheet, kind, Source(Way.GIVEN, given.name, i, j)) for j in range(len(row)))
            for i, row in enumerate(sheet.problem[given.name])
        ),
    )
    if only is None:
        return grid
    return picked(grid, only, None) if given.rows.size == "tokens" else picked(grid, None, only)


def stage_grid(sheet: Sheet, stage: Stage, worked_cell: Place | None = None) -> Grid:
    """Draw a stage for the student to fill, or filled where the sheet is solved or the stage is printed."""
    changed = set(changed_cells(sheet, sheet.planted, stage)) if sheet.planted and sheet.solved else set()
    printed = sheet.is_printed(stage)
    mask = _mask_of(sheet, stage)
    rows, columns = labels(sheet, stage.rows), labels(sheet, stage.columns)

    def cell(i: int, j: int) -> Cell:
        shown = printed or (stage.name, i, j) == worked_cell
        kind = Kind.GIVEN if shown else Kind.ANSWER if sheet.solved else Kind.BLANK
        if (i, j) in changed:
            kind = Kind.ANSWER
        name = sheet.say("spoken.cell", matrix=spoken_name(sheet, stage), row=rows[i], column=columns[j])
        source = None if kind is Kind.BLANK else Source(Way.HAND, stage.name, i, j)
        return Cell(
            kind,
            figure_of(sheet, source) if source else None,
            f"{stage.name}[{i + 1},{j + 1}]",
            name if source else f"{name}, {sheet.say('spoken.empty')}",
            hidden=mask is not None and mask.hides(i, j),
            source=source,
            mark=_carried_mark(sheet, stage, i, j),
        )

    whole = Grid(
        name=matrix_name(sheet, stage.name),
        look=Look.WORKED,
        accent=stage.topic,
        rows=rows,
        columns=columns,
        cells=tuple(tuple(cell(i, j) for j in range(len(columns))) for i in range(len(rows))),
        arrow=_arrow(sheet, stage),
    )
    return picked(whole, *sheet.asked_lines(stage))


def _shown(sheet: Sheet, kind: Kind, source: Source) -> Cell:
    return Cell(kind, figure_of(sheet, source), source=source)


def changed_cells(sheet: Sheet, planted: Planted, stage: Stage) -> list[tuple[int, int]]:
    """Return the cells (row, column, 0-based) of a stage, among those drawn, that a planted mistake changed."""
    right, wrong = sheet.solution[stage.name].hand, planted.solution[stage.name].hand
    rows, columns = sheet.asked_lines(stage)
    return [(i, j) for i in rows for j in columns if right[i][j] != wrong[i][j]]


def _mask_of(sheet: Sheet, stage: Stage) -> Mask | None:
    """Return the mask that a stage shows: its own, or that of the scores it was made from, cell for cell."""
    if sheet.planted and not sheet.solved:  # crossed cells would say where the mask belongs
        return None
    mechanism, at = sheet.problem.mechanism, stage
    while isinstance(at.operation, Power | Divide):
        at = mechanism.stage(at.reads[0])
        if not isinstance(at.operation, Power | Divide | Mask):
            return None
    return at.operation if isinstance(at.operation, Mask) else None


def _arrow(sheet: Sheet, stage: Stage) -> str:
    if sheet.options.large_print or not isinstance(stage.operation, ScaleScores | Mask | Power | Divide | ReLU):
        return ""
    return "→" if sheet.is_rows else "↓"


def copied_grid(sheet: Sheet, stage: Stage, *, transpose: bool) -> Grid:
    """Draw a stage again as a factor: empty for the student to copy, filled on the key or where it is printed."""
    shown = sheet.solved or sheet.is_printed(stage)
    name = as_plain(matrix_name(sheet, stage.name))
    grid = Grid(
        name=marked_up(name),
        look=Look.GIVEN if sheet.is_printed(stage) and not sheet.is_drawn(stage) else Look.COPY,
        accent=stage.topic,
        rows=labels(sheet, stage.rows),
        columns=labels(sheet, stage.columns),
        cells=tuple(
            tuple(
                replace(
                    _shown(sheet, Kind.COPIED, Source(Way.HAND, stage.name, i, j)) if shown else Cell(Kind.COPIED),
                    copies=f"{stage.name}[{i + 1},{j + 1}]",
                )
                for j in range(len(row))
            )
            for i, row in enumerate(sheet.shown[stage.name].hand)
        ),
    )
    grid = picked(grid, *sheet.asked_lines(stage))
    return turned(grid, marked_up(f"{name}^T")) if transpose else grid


def with_bias(grid: Grid, bias: Grid, *, rows: bool) -> Grid:
    """Put a bias at the end of its weights: one more column, in the rows convention one more row."""
    if rows:
        return replace(grid, rows=(*grid.rows, *bias.rows), cells=(*grid.cells, *bias.cells))
    cells = tuple((*line, *more) for line, more in zip(grid.cells, bias.cells, strict=True))
    return replace(grid, columns=(*grid.columns, *bias.columns), cells=cells)


def with_ones(grid: Grid, *, rows: bool) -> Grid:
    """Put the ones that meet the bias under a factor, in the rows convention beside it."""
    one, label = Cell(Kind.GIVEN, Figure("1")), Label(marked_up("1"))
    if rows:
        return replace(grid, columns=(*grid.columns, label), cells=tuple((*line, one) for line in grid.cells))
    return replace(grid, rows=(*grid.rows, label), cells=(*grid.cells, (one,) * grid.width))


def _carried_mark(sheet: Sheet, stage: Stage, i: int, j: int) -> Mark | None:
    """Mark what a student wrote otherwise, and what follows from it."""
    if not (sheet.carried and sheet.solved):
        return None
    if sheet.carried.solution[stage.name].hand[i][j] == sheet.solution[stage.name].hand[i][j]:
        return None
    return Mark.WRONG if (i, j) in sheet.carried.cells_of(stage.name) else Mark.FOLLOWS


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


def worked_cell(sheet: Sheet) -> Place | None:
    """Return the first cell of the first product that is asked and whose numbers are known; None where there is none.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> worked_cell(sheet_from_request(Request(seed=7)))
    ('K', 0, 0)
    """
    for name in (name for run in sheet.problem.mechanism.runs for name in run):
        stage = sheet.problem.mechanism.stage(name)
        known = all(_is_known(sheet, read) for read in stage.reads)
        if isinstance(stage.operation, Product) and known and not sheet.is_printed(stage):
            rows, columns = sheet.asked_lines(stage)
            return (name, rows[0], columns[0])
    return None


def _is_known(sheet: Sheet, name: str) -> bool:
    """Say whether a worked cell that names these numbers gives no answer away but what is only copied."""
    if name in dict(sheet.problem.given):
        return True
    stage = sheet.problem.mechanism.stage(name)
    return sheet.is_printed(stage) or isinstance(stage.operation, LookUp | Add)
