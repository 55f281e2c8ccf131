"""From a sheet's matrices to grids of cells: who is given, blank or answered, and what each shows."""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.mechanisms import Axis, Given, Stage
from attnhand.mechanisms.embedding import vocabulary
from attnhand.mistake import Planted
from attnhand.operations import Divide, Mask, Power, ReLU, ScaleScores
from attnhand.sheet.cell_marks import Mark
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look, Source, Way, picked, turned
from attnhand.sheet.reads import bare
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.shown_numbers import figure_of
from attnhand.sheet.text import Text, as_plain, marked_up

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
