"""Marks in the terminal: the sentences first, then the student's own sheet, stage by stage."""

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text as RichText

from attnhand.attention.mechanisms import Stage
from attnhand.formats.terminal import WIDTH, grid_table, natural_width, pieces, printed, rich_text, side_by_side
from attnhand.marking.checked import Checked
from attnhand.marking.report import annotated
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import given_grid, stage_grid, stage_title
from attnhand.sheet.grids import Grid
from attnhand.text.widths import marked_up

BETWEEN = 2
"""Columns between two grids."""


def render_marks(checked: Checked, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return the marks as text for a terminal of so many columns."""
    return printed(lambda console: _parts(checked, console), width=width, colour=colour)


def render_stage(checked: Checked, stage: Stage, *, width: int = WIDTH, colour: bool = False) -> str:
    """Return a stage to be worked: what to do, and the matrices it reads with the student's own numbers."""
    return printed(lambda console: _stage_parts(checked, stage, console), width=width, colour=colour)


def _stage_parts(checked: Checked, stage: Stage, console: Console) -> Iterator[RenderableType]:
    sheet = checked.sheet.blank
    told = stage_title(sheet, stage)
    yield RichText("")
    yield Rule(rich_text(marked_up(f"**{stage.name}, {told}: {sentences.formula(sheet, stage)}**")), align="left")
    if how := sentences.instruction(sheet, stage):
        yield rich_text(marked_up(how))
    given = {made.name: made for made in sheet.problem.mechanism.given}
    marks = {cell.address: cell for cell in checked.marks.cells}
    grids = [
        given_grid(sheet, given[name])
        if name in given
        else annotated(stage_grid(sheet, sheet.problem.mechanism.stage(name)), marks, sheet.problem.rules.decimals)
        for name in stage.reads
    ]
    yield from _packed(grids, console)


def _parts(checked: Checked, console: Console) -> Iterator[RenderableType]:
    sheet = checked.sheet
    yield RichText(sentences.title(sheet), style="bold")
    yield RichText(sheet.say("code", code=sheet.code), style="dim")
    yield RichText("")
    for sentence in checked.feedback.sentences:
        indent = len(sentence) - len(sentence.lstrip())
        yield Padding(RichText(sentence.strip()), (0, 0, 0, indent))
    yield RichText("")
    yield RichText(sheet.say("feedback.legend"), style="dim")
    yield from _packed(_grids(checked), console)


def _packed(grids: Iterable[Grid], console: Console) -> Iterator[RenderableType]:
    """Put grids side by side while they fit."""
    waiting: list[RenderableType] = []
    for grid in grids:
        part = Padding(grid_table(grid), (0, BETWEEN, 0, 0))
        if waiting and natural_width(side_by_side(*waiting, part), console) > console.width:
            yield side_by_side(*waiting)
            waiting = []
        if natural_width(part, console) > console.width:
            yield Group(*pieces(grid, console))
        else:
            waiting.append(part)
    if waiting:
        yield side_by_side(*waiting)


def _grids(checked: Checked) -> Iterator[Grid]:
    sheet = checked.sheet.blank
    marks = {cell.address: cell for cell in checked.marks.cells}
    marked = {cell.stage for cell in checked.marks.cells}
    for stage in sheet.problem.mechanism.stages:
        if stage.name in marked:
            yield annotated(stage_grid(sheet, stage), marks, sheet.problem.rules.decimals)
