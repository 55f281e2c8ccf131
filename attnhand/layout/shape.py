"""Shapes: sheets that differ in their numbers alone share one layout, that of a model drawn from a fixed seed."""

from dataclasses import dataclass, replace

from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.problems.request import Request
from attnhand.sheet.asked import encode_sheet
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet

MODEL_SEEDS = (0, 1, 2, 3)
"""Subtle: every page that is laid out like a model changes with them."""

MAX_TOKENS_OF_SEVERAL_MODELS = 8
"""Of more tokens one model is enough: drawing each would take seconds."""


@dataclass(frozen=True, slots=True)
class SheetShape:
    """All that sheets have in common whose pages differ in numbers alone."""

    request: Request
    """With the seed of a model."""

    options: PageOptions
    words: tuple[str, ...]
    title: str
    is_salted: bool
    owner: Seat | None
    """Of the model, where sheets have № and name."""


def find_shape(sheet: Sheet) -> SheetShape | None:
    """Return the shape of a sheet.

    None where its page shows more than other numbers: a user's own matrices, a story, a trace, a planted mistake.
    """
    options = sheet.options
    if (
        sheet.request is None
        or sheet.problem.story
        or sheet.follow_through
        or options.trace is not None
        or options.mistake is not None
    ):
        return None
    request, owner = replace(sheet.request, seed=MODEL_SEEDS[0]), sheet.owner and sheet.owner.placeholder
    return SheetShape(request, options, sheet.problem.words, sheet.problem.title, sheet.is_salted, owner)


def make_model_sheets(shape: SheetShape) -> tuple[Sheet, ...]:
    """Return the models of a shape that can be drawn."""
    from attnhand.problems.generator import generate_problem

    has_several = shape.request.all_sizes["tokens"] <= MAX_TOKENS_OF_SEVERAL_MODELS
    sheets = []
    for request in (replace(shape.request, seed=seed) for seed in MODEL_SEEDS[: None if has_several else 1]):
        try:
            problem = generate_problem(request, words=shape.words, title=shape.title)
        except AttnhandError:
            continue
        sheet = Sheet(solution=solve(problem), code="", request=request, options=shape.options, owner=shape.owner)
        sheets.append(replace(sheet, code=encode_sheet(sheet), is_salted=shape.is_salted))
    return tuple(sheets)
