"""The model of a shape: one sheet, drawn from a fixed seed, that all sheets of its shape are laid out like."""

from dataclasses import dataclass, replace

from attnhand.errors import AttnhandError
from attnhand.request import Request
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.solution import solve

MODEL_SEED = 0
"""Subtle: every page that is laid out like a model changes with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """All that sheets have in common whose pages differ in numbers alone."""

    request: Request
    """With the model's seed."""

    options: PageOptions
    words: tuple[str, ...]
    title: str
    salted: bool


def shape_of(sheet: Sheet) -> Shape | None:
    """Return the shape of a sheet.

    None where its page shows more than numbers of its own: somebody's own matrices, a journey, a mistake.
    """
    options = sheet.options
    if sheet.request is None or sheet.carried or options.walk is not None or options.mistake is not None:
        return None
    problem = sheet.problem
    return Shape(
        request=replace(sheet.request, seed=MODEL_SEED),
        options=options,
        words=problem.words,
        title=problem.title,
        salted=sheet.salted,
    )


def model_sheet(shape: Shape) -> Sheet | None:
    """Return the key of a shape's model; None where it cannot be drawn or laid out."""
    from attnhand.generator import generate_problem
    from attnhand.sheet_code import encode

    try:
        problem = generate_problem(shape.request, words=shape.words, title=shape.title)
    except AttnhandError:
        return None
    code = encode(shape.request, "")
    return Sheet(solution=solve(problem), code=code, request=shape.request, salted=shape.salted, options=shape.options)
