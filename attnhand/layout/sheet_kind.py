"""Kinds of sheets: those that differ in their numbers alone share the layout of a model drawn from a fixed seed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from attnhand.attention.solution import Solution, solve
from attnhand.attention.story import Story
from attnhand.errors import AttnhandError
from attnhand.layout.page_grid import list_page_grids
from attnhand.layout.question_columns import QuestionColumns
from attnhand.layout.question_room import QuestionRoom
from attnhand.problems.model_parts import draw_asked_part
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import Request
from attnhand.sheet.asked import encode_sheet
from attnhand.sheet.document import QuestionPanel, list_questions_at_end
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet

MODEL_SEEDS = (0, 1, 2, 3)
"""Subtle: every page that is laid out like a model changes with them."""

MAX_TOKENS_OF_SEVERAL_MODELS = 8
"""Of more tokens one model is enough: drawing each would take seconds."""

LIKE_SEEDS = range(1_000)
"""The first of them that tells a story as a sheet does is its model, as are those that draw a part with its words."""


@dataclass(frozen=True, slots=True)
class SheetKind:
    """All that sheets have in common whose pages differ in numbers alone."""

    request: Request
    """With the seed of a model."""

    options: PageOptions
    told: tuple[str, ...]
    """What a part of a language model says of the whole."""

    words: tuple[str, ...]
    story: Story | None
    title: str
    is_salted: bool
    seat: Seat | None
    """Of the model, where sheets have № and name."""

    room: QuestionRoom
    """What its questions take."""


def find_sheet_kind(sheet: Sheet) -> SheetKind | None:
    """Return the kind of a sheet.

    None where its page shows more than other numbers: a user's own matrices, a trace, a planted mistake, and in a step
    of learning the words whose rows it works, unless the sentence of a part says which they are.
    """
    options = sheet.options
    if sheet.problem.moved and not (sheet.request and sheet.request.part):
        return None
    if sheet.request is None or sheet.follow_through or options.trace is not None or options.mistake is not None:
        return None
    request, seat = replace(sheet.request, seed=MODEL_SEEDS[0]), sheet.seat and sheet.seat.placeholder
    problem = sheet.problem
    room = find_question_room(sheet)
    told = tuple(sheet.asked_part.told.values()) if sheet.asked_part else ()
    return SheetKind(request, options, told, problem.words, problem.story, problem.title, sheet.is_salted, seat, room)


def find_question_room(sheet: Sheet) -> QuestionRoom:
    """Return how many lines the questions of a sheet take, which pages have to have room for."""
    grid = list_page_grids(sheet.options, is_rows=sheet.convention.is_rows)[0]
    panel = QuestionPanel((), list_questions_at_end(sheet.key))  # those of the blank differ in their answers alone
    return QuestionColumns(grid, panel, panel, sheet, ([], []), None).room if panel.questions else ()


def make_model_sheets(kind: SheetKind) -> tuple[Sheet, ...]:
    """Return the models of a kind that can be drawn."""
    sheets = []
    for request in (replace(kind.request, seed=seed) for seed in _list_model_seeds(kind)):
        try:
            solution = _solve_model(request, kind.options.language_code if request.story else "")
        except AttnhandError:
            continue
        words = solution.problem.words if request.story else kind.words
        problem = replace(solution.problem, words=words, title=kind.title)
        solution = replace(solution, problem=problem)
        asked = draw_asked_part(request.part, request.seed, request.level) if request.part else None
        sheet = Sheet(
            solution=solution, code="", request=request, asked_part=asked, options=kind.options, seat=kind.seat
        )
        sheets.append(replace(sheet, code=encode_sheet(sheet), is_salted=kind.is_salted))
    return tuple(sheets)


@lru_cache(maxsize=64)
def _solve_model(request: Request, language: str) -> Solution:
    """Draw and solve a model, once for all kinds that differ in options, labels of tokens and title alone.

    Args:
        language: of its story, if it has one.

    Raises:
        GenerationError: it cannot be drawn.
    """
    from attnhand.problems.generator import generate_problem
    from attnhand.problems.story_draw import draw_story_problem

    problem = generate_problem(request) if request.story is None else draw_story_problem(request, language=language)
    return solve(problem)


def _list_model_seeds(kind: SheetKind) -> Sequence[int]:
    """Return the seeds of the models: the first that tells a story in the same way, or draws a part with its words."""
    from attnhand.problems.story_draw import pick_variant

    if kind.request.part:
        drawn = ((seed, draw_asked_part(kind.request.part, seed, kind.request.level)) for seed in LIKE_SEEDS)
        return [*islice((seed for seed, part in drawn if tuple(part.told.values()) == kind.told), len(MODEL_SEEDS))]
    if (template := kind.request.story) is None:
        has_several = kind.request.all_sizes["tokens"] <= MAX_TOKENS_OF_SEVERAL_MODELS
        return MODEL_SEEDS[: None if has_several else 1]
    language = kind.options.language_code
    names = {
        variant.name
        for variant in template.variants
        if (template.tell(variant, language), template.list_words(variant, language)) == (kind.story, kind.words)
    }
    picked = (pick_variant(template, RandomStream(str(seed), "story"))[0].name for seed in LIKE_SEEDS)
    return [*islice((seed for seed, name in enumerate(picked) if name in names), 1)]
