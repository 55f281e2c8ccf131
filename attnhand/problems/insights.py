"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from attnhand.attention.arithmetic import HAND, Arithmetic
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


MAX_FAVOURITE_SHARE = Fraction(19, 20)
"""What the likeliest word has at most: of certainty nothing is to be learned."""


def find_least_taken(base: int) -> Fraction:
    """Return what the words have at least that are not drawn any more: so much is shared out anew.

    >>> find_least_taken(3), find_least_taken(10)
    (Fraction(1, 45), Fraction(1, 500))
    """
    return Fraction(1, 5 * base**2)


def _leaves_doubt(_: Problem, values: Values) -> bool:
    return all(max(column) <= MAX_FAVOURITE_SHARE for column in transpose(values["p"]))


def _keeps_just_some(problem: Problem, values: Values) -> bool:
    least = find_least_taken(_find_base(problem))
    columns = [[Fraction(share) for share in column] for column in transpose(values["kept"])]
    return all(sum(map(bool, kept)) == problem.variant.top_k and 1 - sum(kept) >= least for kept in columns)


def _tempers(problem: Problem, values: Values) -> bool:
    """Say whether the likeliest word has less at a temperature above 1 than without one, and more below 1."""
    assert problem.variant.temperature is not None
    is_flatter = problem.variant.temperature > 1
    for logits, shares in zip(transpose(values["logits"]), transpose(values["p"]), strict=True):
        powers = [Fraction(_find_base(problem)) ** int(logit) for logit in logits]
        before, after = max(powers) / sum(powers), Fraction(max(shares))
        if before == after or (after < before) is not is_flatter:
            return False
    return True


INSIGHTS: tuple[Insight, ...] = (
    Insight(lambda form: form.has_loss, _leaves_doubt, "leaves some doubt about the next word"),
    Insight(
        lambda form: form.top_k is not None,
        _keeps_just_some,
        "has so many likeliest words and no more, and leaves the others something that can be taken from them",
    ),
    Insight(
        lambda form: form.has_vocabulary and form.temperature is not None,
        _tempers,
        "lets the temperature change what the likeliest word has",
    ),
)
"""In the order in which forms came."""


def _take_rational(problem: Problem) -> Arithmetic:
    """Return the arithmetic that decides: the problem's own, or where that has roots or e the classroom's."""
    own = problem.hand_arithmetic
    return own if own.rules.is_rational else replace(own, rules=HAND)


def _find_base(problem: Problem) -> int:
    """Return what is raised to powers where it is decided."""
    base = _take_rational(problem).rules.base.whole
    assert base is not None
    return base


def find_missing_insight(problem: Problem) -> str | None:
    """Return what does not happen on a sheet, as it completes "no draw …"; None where all does that should.

    Args:
        problem: tokens as columns.
    """
    asked = [insight for insight in INSIGHTS if insight.concerns(problem.variant)]
    if not asked:
        return None
    values = {**dict(problem.given), **compute_stages(problem, _take_rational(problem))}
    return next((insight.description for insight in asked if not insight.happens(problem, values)), None)
