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


def _carries_over(problem: Problem, values: Values) -> bool:
    """Say whether a later block has the largest score, and there is something to rescale."""
    blocks = range(2, problem.variant.blocks + 1)
    return any(values[f"m{block}"] != values[f"m{block - 1}"] for block in blocks if f"m{block}" in values)


def _carries_something(problem: Problem, values: Values) -> bool:
    """Say whether every output so far, and every output, has a number that is not 0."""
    blocks = range(1, problem.variant.blocks + 1)
    return all(any(map(any, values[name])) for name in (*(f"o{block}" for block in blocks), "Z") if name in values)


def _is_online(variant: Variant) -> bool:
    return variant.mechanism == "online"


INSIGHTS: tuple[Insight, ...] = (
    Insight(_is_online, _carries_over, "has its largest score in a later block, so that something is rescaled"),
    Insight(_is_online, _carries_something, "has an output after every block"),
)
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
