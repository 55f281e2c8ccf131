"""Make sheets: the two doors that the command line and Python users come through."""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.errors import PageError, ProblemError, name_option
from attnhand.problems.generator import generate_problem
from attnhand.problems.mistake import ANY_SLIP
from attnhand.problems.model_parts import AskedPart, ModelPart, draw_asked_part, find_part
from attnhand.problems.request import Request
from attnhand.sheet.asked import encode_sheet
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet


def make_sheet_from_request(
    request: Request, options: PageOptions | None = None, *, salt: str = "", words: Sequence[str] = (), title: str = ""
) -> Sheet:
    """Draw, solve and prove the sheet of a request."""
    options, asked_part = options or PageOptions(), None
    if request.story is None:
        problem = generate_problem(request, salt=salt, words=tuple(words), title=title)
        if request.part:
            options = _ask_part(find_part(request.part), options)
            asked_part = draw_asked_part(request.part, request.seed, request.level, salt=salt)
    else:
        from attnhand.problems.story_draw import draw_story_problem

        problem = draw_story_problem(request, salt=salt, title=title, language=options.language_code)
        if request.query_count is not None:  # nothing but the query is asked that the story is about
            assert problem.story is not None
            options = _ask_only(problem.story.query, options)
            request = replace(request, query_count=None)
    return _build_sheet(_solve_and_prove(problem), options, request=request, asked_part=asked_part, salt=salt)


def _ask_only(query: int, options: PageOptions) -> PageOptions:
    """Return what a page asks, of one query alone, 0-based.

    Raises:
        PageError: other queries are named too.
    """
    if options.only_queries not in (None, (query + 1,)):
        names = f"{name_option('query_count', 1)} asks the query of the story and {name_option('only_queries')} others"
        raise PageError(f"{names}: leave out one of them")
    return replace(options, only_queries=(query + 1,))


def _ask_part(part: ModelPart, options: PageOptions) -> PageOptions:
    """Return what a page asks, of a part that asks just some of what it has, unless the user says something else."""
    asked = replace(options, only_queries=part.asked_tokens) if options.only_queries is None else options
    return replace(asked, from_stage=part.asked_from) if part.asked_from and not options.from_stage else asked


def make_sheet_from_problem(
    problem: Problem, options: PageOptions | None = None, *, is_mirrored: bool = False
) -> Sheet:
    """Solve and prove a user's own problem.

    Raises:
        ProblemError: it cannot be worked by its rules.
    """
    if problem.variant.has_radians and problem.rules.shortcut_keys:
        raise ProblemError(
            "rotary positions in radians make scores irrational, which shortcuts can neither round down nor keep in "
            f'fractions: write "rules": {{"scale": "sqrt", "base": "e"}}, or add {name_option("rules", "exact")}'
        )
    return _build_sheet(_solve_and_prove(problem), options or PageOptions(), is_mirrored=is_mirrored)


def _build_sheet(
    solution: Solution,
    options: PageOptions,
    *,
    request: Request | None = None,
    asked_part: AskedPart | None = None,
    salt: str = "",
    is_mirrored: bool = False,
) -> Sheet:
    # what a mistake is drawn from is the code of the sheet without one, which asks nothing of its own beside it
    without = replace(options, mistake=None, questions=None if options.mistake else options.questions)
    sheet = Sheet(
        solution=solution,
        code="",
        request=request,
        asked_part=asked_part,
        options=without,
        is_mirrored=is_mirrored,
    )
    sheet = replace(sheet, code=encode_sheet(sheet, salt), is_salted=bool(salt))
    if options.mistake is None:
        return sheet
    drawn, planted = (
        str(replace(sheet, options=replace(without, mistake=mistake)).planted_mistake)
        for mistake in (ANY_SLIP, options.mistake)
    )
    sheet = replace(sheet, options=replace(without, mistake=planted), has_drawn_mistake=planted == drawn)
    return replace(sheet, code=encode_sheet(sheet, salt))


def _solve_and_prove(problem: Problem) -> Solution:
    if problem.variant.is_normed_before and problem.rules.is_rounded_down and not problem.rules.has_whole_stream:
        raise ProblemError(
            "with e in place of a whole number tokens are normalised without rounding, and rounding down cannot take "
            f"their scores: add {name_option('rules', 'exact')}, or leave out {name_option('base', 'e')}"
        )
    from attnhand.attention.proof import prove  # numpy is loaded when there is something to prove

    return prove(solve(problem))
