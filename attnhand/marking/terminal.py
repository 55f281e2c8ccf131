"""Marks in the terminal: the sentences first, then the student's own sheet, stage by stage."""

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text as RichText

from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.questions import Part
from attnhand.formats.terminal import (
    DEFAULT_WIDTH,
    draw_grid,
    draw_in_bands,
    make_rich_text,
    measure_natural_width,
    put_side_by_side,
    render_to_text,
)
from attnhand.marking.annotate import annotate_grid, build_score_grids
from attnhand.marking.checked import CheckResult
from attnhand.sheet import sentences
from attnhand.sheet.addresses import format_headed_name
from attnhand.sheet.build_grids import (
    append_bias,
    append_ones,
    build_given_grid,
    build_stage_grid,
    format_stage_title,
)
from attnhand.sheet.grids import Grid, transpose_grid
from attnhand.sheet.questions import find_question
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup

GRID_GAP = 2
"""Columns between two grids."""


def render_marks(result: CheckResult, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Return the marks as text for a terminal of so many columns."""
    return render_to_text(lambda console: _draw_marks(result, console), width=width, colour=colour)


def render_stage(result: CheckResult, stage: Stage, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> str:
    """Return a stage to be worked: what to do, and the matrices it reads with the student's own numbers."""
    return render_to_text(lambda console: _draw_stage(result, stage, console), width=width, colour=colour)


def _draw_stage(result: CheckResult, stage: Stage, console: Console) -> Iterator[RenderableType]:
    sheet = result.sheet.blank
    title = format_stage_title(sheet, stage)
    if sheet.problem.mechanism.head_count > 1 and stage.head:
        title = sheet.say("spoken.head", head=stage.head, name=title)
    yield RichText("")
    name, formula = format_headed_name(sheet, stage.name), sentences.format_headed_formula(sheet, stage)
    heading = sheet.say("practice.stage", stage=name, title=title, formula=formula)
    yield Rule(make_rich_text(parse_markup(f"**{heading}**")), align="left")
    yield from (make_rich_text(parse_markup(text)) for text in _list_stage_sentences(sheet, stage))
    guess = find_question(sheet, Part.GUESS)
    if guess and guess.stage_name == stage.name:
        yield make_rich_text((*guess.text, *parse_markup(sheet.say("practice.guess"))))
    yield from _pack_grids(_build_input_grids(result, stage), console)


def _list_stage_sentences(sheet: Sheet, stage: Stage) -> Iterator[str]:
    """Yield what a stage is for, where that is new, and how its cells are worked (markup)."""
    stages = sheet.problem.mechanism.stages
    before = stages[: stages.index(stage)]
    purpose = sentences.format_purpose(sheet, stage)
    if purpose and purpose not in (sentences.format_purpose(sheet, other) for other in before[-1:]):
        yield purpose
    if stage.facts.reminder_key:
        yield sentences.format_powers_reminder(sheet)
    # nobody transposes K here: its copy is drawn
    if stage.role is not ProductRole.SCORES and (instruction := sentences.format_instruction(sheet, stage)):
        yield instruction
    if stage.gives_infinity:
        yield sheet.say("practice.infinity")
    if stage.product is not None and stage.product.bias is None:
        yield sentences.format_projection_instruction(sheet, stage)


def _build_input_grids(result: CheckResult, stage: Stage) -> list[Grid]:
    """Draw what a stage reads, with the student's own numbers; a factor as it is multiplied: Kᵀ, W₁ with its bias."""
    sheet, product = result.sheet.blank, stage.product
    given = {each.name: each for each in sheet.problem.mechanism.given}
    grids = [
        build_given_grid(sheet, given[name]) if name in given else _build_marked_grid(result, name)
        for name in stage.input_names
    ]
    if product is None:
        return grids
    if product.bias is not None:
        side, tokens = (-1, 0) if sheet.convention.is_rows else (0, -1)
        weights = append_bias(grids[side], grids[1], convention=sheet.convention)
        ones = append_ones(grids[tokens], convention=sheet.convention)
        return [ones, weights] if sheet.convention.is_rows else [weights, ones]
    turned = (product.is_left_transposed, product.is_right_transposed)
    names = [parse_markup(name) for name in sentences.format_factor_names(sheet, stage)]
    return [
        transpose_grid(grid, name) if is_turned else grid
        for grid, name, is_turned in zip(grids, names, turned, strict=True)
    ]


def _draw_marks(result: CheckResult, console: Console) -> Iterator[RenderableType]:
    sheet = result.sheet
    yield RichText(sentences.format_title(sheet), style="bold")
    yield RichText(sheet.say("code", code=sheet.code), style="dim")
    yield RichText("")
    feedback = result.feedback
    for sentence in filter(None, (feedback.owner, feedback.score)):
        yield RichText(sentence, style="bold")
    yield from _pack_grids(build_score_grids(result.marks, sheet), console)
    for sentence in feedback.advice:
        indent = len(sentence) - len(sentence.lstrip())
        yield Padding(RichText(sentence.strip()), (0, 0, 0, indent))
    if another_try := result.another_try:
        yield RichText("")
        yield RichText(another_try.heading)
        yield from (Padding(RichText(line), (0, 0, 0, 2)) for line in another_try.lines)
    yield RichText("")
    yield RichText(sheet.say("feedback.legend"), style="dim")
    yield from _pack_grids([_build_marked_grid(result, name) for name in result.marks.scores_by_stage], console)
    if another_try:
        yield RichText(another_try.backward_answers, style="dim")


def _pack_grids(grids: Iterable[Grid], console: Console) -> Iterator[RenderableType]:
    """Put grids side by side while they fit."""
    waiting: list[RenderableType] = []
    for grid in grids:
        part = Padding(draw_grid(grid), (0, GRID_GAP, 0, 0))
        if waiting and measure_natural_width(put_side_by_side(*waiting, part), console) > console.width:
            yield put_side_by_side(*waiting)
            waiting = []
        if measure_natural_width(part, console) > console.width:
            yield Group(*draw_in_bands(grid, console))
        else:
            waiting.append(part)
    if waiting:
        yield put_side_by_side(*waiting)


def _build_marked_grid(result: CheckResult, stage_name: str) -> Grid:
    sheet = result.sheet.blank
    marks = {cell.address: cell for cell in result.marks.cells if cell.stage == stage_name}
    return annotate_grid(build_stage_grid(sheet, sheet.problem.mechanism.get_stage(stage_name)), marks, sheet)
