"""The models of a shape: sheets drawn from fixed seeds, one of which all sheets of the shape are laid out like."""

from dataclasses import dataclass, replace

from attnhand.errors import AttnhandError
from attnhand.request import Request
from attnhand.sheet.holder import Holder
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.solution import solve

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
    from attnhand.generator import generate_problem
    from attnhand.sheet_code import encode

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
