"""Make sheets: the three doors that the command line and Python users come through."""

from collections.abc import Sequence

from attnhand.generator import generate_problem
from attnhand.problem import Problem
from attnhand.proof import proved
from attnhand.request import Request
from attnhand.sheet.sheet import PageOptions, Sheet
from attnhand.sheet_code import encode, fingerprint
from attnhand.solution import solve


def sheet_from_request(
    request: Request, options: PageOptions | None = None, *, salt: str = "", words: Sequence[str] = (), title: str = ""
) -> Sheet:
    """Draw, solve and prove the sheet of a request."""
    problem = generate_problem(request, salt=salt, words=tuple(words), title=title)
    return Sheet(
        solution=proved(solve(problem)),
        code=encode(request, salt),
        request=request,
        salted=bool(salt),
        options=options or PageOptions(),
    )


def sheet_from_problem(problem: Problem, options: PageOptions | None = None) -> Sheet:
    """Solve and prove somebody's own problem."""
    return Sheet(solution=proved(solve(problem)), code=fingerprint(str(problem)), options=options or PageOptions())
