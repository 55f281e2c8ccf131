"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages

Values = Mapping[str, Matrix]
"""Every matrix by name, given ones included, tokens as columns."""


class Insight(NamedTuple):
    """One thing that happens on a sheet of some form."""

    concerns: Callable[[Variant], bool]
    """Of which forms it is asked."""

    happens: Callable[[Problem, Values], bool]
    """Whether the numbers show it, tokens as columns."""

    description: str
    """As it completes "no draw …"."""


INSIGHTS: tuple[Insight, ...] = ()
"""In the order in which forms came."""


def find_missing_insight(problem: Problem) -> str | None:
    """Return what does not happen on a sheet, as it completes "no draw …"; None where all does that should.

    Args:
        problem: tokens as columns.
    """
    asked = [insight for insight in INSIGHTS if insight.concerns(problem.variant)]
    if not asked:
        return None
    values = {**dict(problem.given), **compute_stages(problem, problem.hand_arithmetic)}
    return next((insight.description for insight in asked if not insight.happens(problem, values)), None)
