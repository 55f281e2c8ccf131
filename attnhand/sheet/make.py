"""Make sheets: the two doors that the command line and Python users come through."""

from collections.abc import Sequence

from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import problem_text
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import encode, fingerprint
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet


def sheet_from_request(
    request: Request, options: PageOptions | None = None, *, salt: str = "", words: Sequence[str] = (), title: str = ""
) -> Sheet:
    """Draw, solve and prove the sheet of a request."""
    problem = generate_problem(request, salt=salt, words=tuple(words), title=title)
    return Sheet(
        solution=_solved(problem),
        code=encode(request, salt),
        request=request,
        salted=bool(salt),
        options=options or PageOptions(),
    )


def sheet_from_problem(problem: Problem, options: PageOptions | None = None) -> Sheet:
    """Solve and prove somebody's own problem."""
    return Sheet(solution=_solved(problem), code=fingerprint(problem_text(problem)), options=options or PageOptions())


def _solved(problem: Problem) -> Solution:
    from attnhand.attention.proof import proved  # numpy is loaded when there is something to prove

    return proved(solve(problem))
