"""The models of a shape: sheets drawn from fixed seeds, one of which all sheets of the shape are laid out like."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.layout.name_line import name_in
from attnhand.layout.number_fit import LEAST_EXACT_PERCENT, LEAST_PERCENT
from attnhand.layout.page import Box, GridBox, Item, Layout, Page, Paragraph, QrBox, RuleBox, TextBox, text_height
from attnhand.layout.typography import Typography
from attnhand.problems.request import Request
from attnhand.sheet.build_grids import figure_of, shade_of
from attnhand.sheet.conclusion import NAME, words_of_sources
from attnhand.sheet.grids import Cell, Look
from attnhand.sheet.options import PageOptions
from attnhand.sheet.owner import Holder
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text


def filled(layout: Layout, sheet: Sheet) -> Layout | None:
    """Return a layout of the same shape with this sheet's numbers and words; None where they do not fit its boxes."""
    told = sources_of(layout)
    words = words_of_sources(sheet, told)
    if words is None:
        return None
    pages = []
    for page in layout.pages:
        items = [_filled(item, page, layout, sheet, words) for item in page.items]
        if any(item is None for item in items):
            return None
        pages.append(replace(page, items=tuple(item for item in items if item is not None)))
    return replace(layout, pages=tuple(pages))


def sources_of(layout: Layout) -> set[str]:
    """Return where the words come from that differ from sheet to sheet."""
    boxes = (item for page in layout.pages for item in page.items if isinstance(item, TextBox))
    return {paragraph.source for box in boxes for paragraph in box.paragraphs} - {""}


def _filled(item: Item, page: Page, layout: Layout, sheet: Sheet, words: Mapping[str, Text]) -> Item | None:
    if isinstance(item, QrBox):
        return replace(item, code=sheet.code, spoken=sheet.say("qr", code=sheet.code))
    if isinstance(item, GridBox):
        return _filled_grid(item, layout.typography, sheet)
    if isinstance(item, RuleBox) and item.value:
        assert sheet.holder is not None
        return replace(item, value=sheet.holder.written)
    if not isinstance(item, TextBox) or item.flowing == len(item.paragraphs):
        return item
    each = (said(paragraph, sheet, words, item.box.w, layout.typography) for paragraph in item.paragraphs)
    told = tuple(paragraph for paragraph in each if paragraph is not None)
    height = text_height(told, layout.typography, item.box.w)
    if height > room_of(item, page, layout) + 0.01:
        return None
    return replace(item, paragraphs=told, box=replace(item.box, h=max(height, item.box.h)))


def said(
    paragraph: Paragraph, sheet: Sheet, words: Mapping[str, Text], room: float, type_: Typography
) -> Paragraph | None:
    """Return a paragraph with what it says on this sheet, in so much room; None where it says nothing."""
    if not paragraph.source:
        return paragraph
    if paragraph.source == NAME:
        return name_in(sheet, room, type_)
    text = words.get(paragraph.source)
    return None if text is None else replace(paragraph, text=text)


def room_of(item: TextBox, page: Page, layout: Layout) -> float:
    """Return how high words may stand here, in millimetres: their box, or down to whatever is below it."""
    box = item.box
    foot = page.items[-1].box.y if page.items[-1] is not item else layout.height
    column = Box(box.x, box.bottom, box.w, max(foot - 1.0 - box.bottom, 0.0))
    below = [other.box.y for other in page.items if other is not item and other.box.meets(column)]
    return max(box.h, min([*below, foot - 1.0]) - 1.0 - box.y)


def _filled_grid(item: GridBox, type_: Typography, sheet: Sheet) -> GridBox | None:
    grid = item.grid
    cells = tuple(tuple(_filled_cell(cell, sheet) for cell in row) for row in grid.cells)
    if any(not _fits(cell, item, type_) for row in cells for cell in row if cell.source):
        return None
    return replace(item, grid=replace(grid, cells=cells))


def _filled_cell(cell: Cell, sheet: Sheet) -> Cell:
    if cell.source is None:
        return cell
    return replace(cell, figure=figure_of(sheet, cell.source), shade=shade_of(sheet, cell.source))


def _fits(cell: Cell, item: GridBox, type_: Typography) -> bool:
    """Say whether a number fits its cell, set smaller if need be."""
    if cell.figure is None or item.grid.look is Look.HEAT:
        return True
    if item.grid.look is Look.EXACT:
        return item.exact_percent(cell.figure, type_) >= LEAST_EXACT_PERCENT
    return item.percent(cell.figure, type_) >= LEAST_PERCENT


MODEL_SEEDS = (0, 1, 2, 3)
"""Subtle: every page that is laid out like a model changes with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """All that sheets have in common whose pages differ in numbers alone."""

    request: Request
    """With the seed of a model."""

    options: PageOptions
    words: tuple[str, ...]
    title: str
    salted: bool
    holder: Holder | None
    """Of the model, where sheets have № and name."""


def shape_of(sheet: Sheet) -> Shape | None:
    """Return the shape of a sheet.

    None where its page shows more than numbers of its own: somebody's own matrices, a journey, a mistake.
    """
    options = sheet.options
    if sheet.request is None or sheet.carried or options.walk is not None or options.mistake is not None:
        return None
    problem = sheet.problem
    return Shape(
        request=replace(sheet.request, seed=MODEL_SEEDS[0]),
        options=options,
        words=problem.words,
        title=problem.title,
        salted=sheet.salted,
        holder=sheet.holder and sheet.holder.usual,
    )


def model_sheets(shape: Shape) -> tuple[Sheet, ...]:
    """Return the models of a shape that can be drawn."""
    made = (_model_sheet(shape, seed) for seed in MODEL_SEEDS)
    return tuple(sheet for sheet in made if sheet is not None)


def _model_sheet(shape: Shape, seed: int) -> Sheet | None:
    from attnhand.problems.generator import generate_problem
    from attnhand.problems.sheet_code import encode

    request = replace(shape.request, seed=seed)
    try:
        problem = generate_problem(request, words=shape.words, title=shape.title)
    except AttnhandError:
        return None
    code = encode(request, "")
    return Sheet(
        solution=solve(problem),
        code=code,
        request=request,
        salted=shape.salted,
        options=shape.options,
        holder=shape.holder,
    )
