"""Make sheets: the two doors that the command line and Python users come through."""

from collections.abc import Sequence

from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import format_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import compute_fingerprint, encode_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet


def make_sheet_from_request(
    request: Request, options: PageOptions | None = None, *, salt: str = "", words: Sequence[str] = (), title: str = ""
) -> Sheet:
    """Draw, solve and prove the sheet of a request."""
    options = options or PageOptions()
    if request.story is None:
        problem = generate_problem(request, salt=salt, words=tuple(words), title=title)
    else:
        from attnhand.problems.story_draw import draw_story_problem

        problem = draw_story_problem(request, salt=salt, title=title, language=options.language)
    return Sheet(
        solution=_solve_and_prove(problem),
        code=encode_request(request, salt, is_faded=options.fade, questions=options.questions or QuestionAmount.FEW),
        request=request,
        is_salted=bool(salt),
        options=options,
    )


def make_sheet_from_problem(
    problem: Problem, options: PageOptions | None = None, *, is_mirrored: bool = False
) -> Sheet:
    """Solve and prove a user's own problem."""
    solution, code = _solve_and_prove(problem), compute_fingerprint(format_problem(problem))
    return Sheet(solution=solution, code=code, options=options or PageOptions(), is_mirrored=is_mirrored)


def _solve_and_prove(problem: Problem) -> Solution:
    from attnhand.attention.proof import prove  # numpy is loaded when there is something to prove

    return prove(solve(problem))
