"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from attnhand.attention.matrix import Matrix, flatten
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import has_irrational
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages
from attnhand.problems.criteria import find_shared_denominator

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


def _goes_back(variant: Variant) -> bool:
    return variant.mechanism == "backward"


def _pulls_both_ways(problem: Problem, values: Values) -> bool:
    """Say whether some scores are to rise and others to fall, one of them most, and none that is seen is to stay.

    Whether there are both, whole numbers tell: wherever shares gain differently, some gain more than their mean.
    """
    visible = [key for key, weight in enumerate(flatten(values["A"])) if weight]
    gains = [flatten(values["dA"])[key] for key in visible]
    if len(set(gains)) == 1 or has_irrational(flatten(values["dS"])):
        return len(set(gains)) > 1
    pulls = [flatten(values["dS"])[key] for key in visible]
    return all(pulls) and pulls.count(min(pulls)) == 1


def _goes_back_readably(problem: Problem, values: Values) -> bool:
    """Say whether no fraction on the way back is finer than the weights are."""
    if has_irrational(flatten(values["A"])):
        return True
    weights, pulls = (find_shared_denominator(flatten(values[name])) for name in ("A", "dS"))
    return weights % pulls == 0


INSIGHTS: tuple[Insight, ...] = (
    Insight(_goes_back, _goes_back_readably, "goes back in fractions no finer than the weights"),
    Insight(_goes_back, _pulls_both_ways, "pulls some scores up, others down, and one of them up most"),
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
