"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from attnhand.attention.arithmetic import HAND, Base
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


def _work_rationally(problem: Problem) -> Values:
    """Return every matrix by name; where a root or e would decide, the classroom's rules do in their place."""
    rules = problem.rules if problem.rules.is_rational else replace(HAND, scale=problem.rules.scale)
    rules = rules if rules.is_rational else replace(rules, scale=HAND.scale)
    ruled = replace(problem, rules=rules)
    return {**dict(problem.given), **compute_stages(ruled, ruled.hand_arithmetic)}


def _list_shares(problem: Problem) -> list[list[Fraction]]:
    """Return the weights of every query that sees several tokens, of each head."""
    values = _work_rationally(problem)
    vectors = [weights for each in problem.mechanism.attentions for weights in transpose(values[each.weights])]
    return [[Fraction(weight) for weight in weights] for weights in vectors if sum(map(bool, weights)) > 1]


SMALL_SINK = 1
"""A sink that is no larger takes less than half from most queries."""


def _lets_query_look_away(problem: Problem, _: Values) -> bool:
    """Say whether some query keeps less than half; beside a small sink, whether some token gets less than nobody."""
    sink, temperature = problem.variant.sink, problem.variant.temperature
    assert sink is not None
    is_large = sink > SMALL_SINK and (temperature is None or temperature > 1)  # beside sharpened scores none is
    if is_large and problem.rules.base is not Base.TWO:
        return any(2 * sum(shares) < 1 for shares in _list_shares(problem))
    return any(min(filter(None, shares)) <= 1 - sum(shares) for shares in _list_shares(problem))


CLEAR_CHANGE = Fraction(1, 10)
"""A share that changes by so much has changed clearly."""


def _changes_clearly(problem: Problem, _: Values) -> bool:
    """Say whether the temperature changes some query's largest share clearly, and nobody's favourite."""
    untempered = replace(problem, variant=replace(problem.variant, temperature=None))
    pairs = list(zip(_list_shares(untempered), _list_shares(problem), strict=True))
    if any(before.index(max(before)) != after.index(max(after)) for before, after in pairs):
        return False
    return any(abs(max(before) - max(after)) >= CLEAR_CHANGE for before, after in pairs)


INSIGHTS: tuple[Insight, ...] = (
    Insight(
        lambda variant: variant.sink is not None,
        _lets_query_look_away,
        "has a query that keeps less than half for the tokens, or with a small sink one that gives a token no more "
        "than it gives nobody",
    ),
    Insight(
        lambda variant: variant.temperature is not None,
        _changes_clearly,
        "has a query whose largest share the temperature changes clearly, and leaves every favourite as it is",
    ),
)
"""In the order in which forms came."""


def has_insight(variant: Variant) -> bool:
    """Say whether a form is there to show something that its numbers are asked for."""
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
