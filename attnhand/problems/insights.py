"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from attnhand.attention.matrix import Matrix, transpose
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


def _tells_far_from_near(problem: Problem, values: Values) -> bool:
    """Say whether, in some head, the distance gives some query another favourite, or parts two equal scores it sees."""
    for attention in problem.mechanism.attentions:
        before, after = (transpose(values[name]) for name in (attention.scaled or attention.scores, attention.biased))
        for query, (scores, biased) in enumerate(zip(before, after, strict=True), 1):
            seen, left = scores[:query], biased[:query]
            tops = [{key for key in range(query) if each[key] == max(each)} for each in (seen, left)]
            if tops[0] != tops[1] or len({*seen}) < query:
                return True
    return False


def _compares_distances(variant: Variant) -> bool:
    """Say whether several queries lose by distances that are worked: with a cache the sheet that it is one step of."""
    return variant.has_distances and not variant.has_cache and "biased" not in variant.begins_with


INSIGHTS: tuple[Insight, ...] = (
    Insight(
        concerns=_compares_distances,
        happens=_tells_far_from_near,
        description="lets the distance change what some query looks at most, or part two scores that were equal",
    ),
)
"""In the order in which forms came."""


def concerns_insight(variant: Variant) -> bool:
    """Say whether a form is there to show something, so that one more thing is asked of its sheets."""
    return any(insight.concerns(variant) for insight in INSIGHTS)


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
