"""What Python users call; it returns the object that the command line renders."""

from collections.abc import Mapping, Sequence
from typing import Any

from attnhand.arithmetic import HAND, Rules
from attnhand.make import sheet_from_problem, sheet_from_request
from attnhand.mechanisms import Convention
from attnhand.problem_file import problem_from_python
from attnhand.request import Request, drawn_seed
from attnhand.sheet.sheet import PageOptions, Sheet
from attnhand.vetting import Level


def generate(
    seed: int | None = None,
    *,
    level: str = "standard",
    convention: str = "columns",
    tokens: int | None = None,
    features: int | None = None,
    d_k: int | None = None,
    d_v: int | None = None,
    rules: Rules = HAND,
    ties: bool = False,
    words: Sequence[str] = (),
    title: str = "",
    salt: str = "",
    options: PageOptions | None = None,
) -> Sheet:
    """Make the sheet of a seed, solved and proved; without a seed one is drawn.

    >>> generate(seed=7).code
    'A1Q0-0000-000W'

    Args:
        tokens: 2 to 12; counted from the words where they are given. features: 2 to 12. d_k, d_v: 1 to 8.
        rules: how it is worked by hand.

    Raises:
        AttnhandError: no good sheet of these sizes and rules can be drawn, or an argument is out of range.
    """
    sizes = {"tokens": tokens or (len(words) or None), "features": features, "d_k": d_k, "d_v": d_v}
    request = Request(
        seed=drawn_seed() if seed is None else seed,
        convention=Convention(convention),
        level=Level(level),
        sizes=tuple((name, size) for name, size in sizes.items() if size is not None),
        rules=rules,
        ties=ties,
    )
    return sheet_from_request(request, options, salt=salt, words=words, title=title)


def solve(problem: Mapping[str, Any] | None = None, *, options: PageOptions | None = None, **matrices: Any) -> Sheet:
    """Make the sheet of your own matrices, solved and proved.

    >>> eye = [[1, 0], [0, 1]]
    >>> solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]]).solution["Z"].hand
    ((6, 6),)

    Args:
        problem: a mapping with matrices by name (lists or arrays), or laid out like a problem file.
        matrices: the same as keywords, with ``convention``, ``rules``, ``words`` and ``title`` beside them.

    Raises:
        AttnhandError: the matrices do not fit together; the message names key, row, column and remedy.
    """
    return sheet_from_problem(problem_from_python({**(problem or {}), **matrices}), options)
