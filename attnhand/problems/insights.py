"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from attnhand.attention.arithmetic import HAND
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages
from attnhand.problems.criteria import count_zeros

MAX_ROOT = 10
"""By hand no root is larger: its square is in the multiplication table."""

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


def _work_rationally(problem: Problem, values: Values) -> Values:
    """Return the values by the house rules where those of the sheet give other numbers than fractions."""
    if problem.rules.is_rational:
        return values
    arithmetic = replace(problem.hand_arithmetic, rules=HAND)
    return {**dict(problem.given), **compute_stages(problem, arithmetic)}


def _list_normed(problem: Problem, values: Values) -> list[tuple[Matrix, Matrix, Matrix]]:
    """Return what is normalised, by which roots, and what comes of it, in each layer."""
    stages = [stage for stage in problem.mechanism.stages if stage.topic == "normed"]
    read = [[values[name] for name in stage.input_names] for stage in stages]
    return [(before, roots, values[stage.name]) for (before, roots), stage in zip(read, stages, strict=True)]


def _shows_residual(problem: Problem, values: Values) -> bool:
    """Say whether rounding changes a number of every sum, and no token is added to nothing but its opposite."""
    values = _work_rationally(problem, values)
    stages = [stage for stage in problem.mechanism.stages if stage.topic == "residual"]
    first, *_ = ([values[name] for name in stage.input_names] for stage in stages)
    sums = [one + other for pair in zip(*first, strict=True) for one, other in zip(*pair, strict=True)]
    return any(value % 1 for value in sums) and not any(count_zeros(transpose(values[stage.name])) for stage in stages)


def _shows_norm(problem: Problem, values: Values) -> bool:
    """Say whether in each layer some token gets shorter, by a root that is known by heart, and none is 0."""
    return all(
        1 < max(roots) <= MAX_ROOT and not count_zeros(transpose(before)) and not count_zeros(transpose(after))
        for before, (roots,), after in _list_normed(problem, _work_rationally(problem, values))
    )


INSIGHTS: tuple[Insight, ...] = (
    Insight(
        lambda variant: variant.has_residual,
        _shows_residual,
        "adds something to each token that changes it and is rounded",
    ),
    Insight(lambda variant: variant.norm is not None, _shows_norm, "has a token that its norm makes shorter"),
)
"""In the order in which forms came."""


def has_insight(variant: Variant) -> bool:
    """Say whether a form is there to show something."""
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
