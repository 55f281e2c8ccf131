"""What a sheet of a form is there to show, asked of its numbers: with a sink some query keeps less than half.

A sheet on which it does not happen is not drawn. By hand, in whole numbers and fractions, as all that decides a draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from attnhand.attention.arithmetic import HAND, Arithmetic, Base
from attnhand.attention.matrix import Matrix, flatten, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages
from attnhand.problems.criteria import count_zeros, find_shared_denominator

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


def _list_normed(problem: Problem, values: Values) -> list[tuple[Matrix, Matrix, Matrix]]:
    """Return what is normalised, by which roots, and what comes of it, in each layer."""
    stages = [stage for stage in problem.mechanism.stages if stage.topic == "normed"]
    read = [[values[name] for name in stage.input_names] for stage in stages]
    return [(before, roots, values[stage.name]) for (before, roots), stage in zip(read, stages, strict=True)]


def _shows_residual(problem: Problem, values: Values) -> bool:
    """Say whether rounding changes a number of every sum, and no token is added to nothing but its opposite."""
    values = _work_rationally(problem)
    stages = [stage for stage in problem.mechanism.stages if stage.topic == "residual"]
    if not stages:  # it ends before the first
        return True
    first = [values[name] for name in stages[0].input_names]
    sums = [one + other for pair in zip(*first, strict=True) for one, other in zip(*pair, strict=True)]
    return any(value % 1 for value in sums) and not any(count_zeros(transpose(values[stage.name])) for stage in stages)


def _shows_norm(problem: Problem, values: Values) -> bool:
    """Say whether in each layer some token gets shorter, by a root that is known by heart.

    None is 0, and no two that differ become alike; but mixtures that are added to nothing are small, and may.
    """
    layers = [
        (transpose(before), roots, transpose(after))
        for before, (roots,), after in _list_normed(problem, _work_rationally(problem))
    ]
    kept_apart = layers if problem.variant.has_residual else layers[:1]
    return all(
        1 < max(roots) <= MAX_ROOT and not count_zeros(before) and not count_zeros(after)
        for before, roots, after in layers
    ) and all(len({*before}) == len({*after}) for before, _, after in kept_apart)


def _carries_over(problem: Problem, values: Values) -> bool:
    """Say whether the second block has a larger score than the first: the factor is explained there, and changes l."""
    return "m2" not in values or values["m2"] != values["m1"]


def _carries_something(problem: Problem, values: Values) -> bool:
    """Say whether every output so far, and every output, has a number that is not 0."""
    blocks = range(1, problem.variant.blocks + 1)
    return all(any(map(any, values[name])) for name in (*(f"o{block}" for block in blocks), "Z") if name in values)


def _is_online(variant: Variant) -> bool:
    return variant.mechanism == "online"


MAX_FAVOURITE_SHARE = Fraction(19, 20)
"""What the likeliest word has at most: of certainty nothing is to be learned."""


def find_least_taken(base: int, temperature: Fraction | None) -> Fraction:
    """Return what the words have at least that are not drawn any more: so much is shared out anew.

    >>> find_least_taken(3, None), find_least_taken(10, None), find_least_taken(3, Fraction(1, 2))
    (Fraction(1, 45), Fraction(1, 500), Fraction(1, 405))
    """
    sharpness = 1 if temperature is None else max(1, ceil(1 / temperature))
    return Fraction(1, 5 * base ** (2 * sharpness))


def _leaves_doubt(_: Problem, values: Values) -> bool:
    return all(max(column) <= MAX_FAVOURITE_SHARE for column in transpose(values["p"]))


def _keeps_just_some(problem: Problem, values: Values) -> bool:
    least = find_least_taken(_find_base(problem), problem.variant.temperature)
    columns = [[Fraction(share) for share in column] for column in transpose(values["kept"])]
    return all(sum(map(bool, kept)) == problem.variant.top_k and 1 - sum(kept) >= least for kept in columns)


def _learns(problem: Problem, values: Values) -> bool:
    """Say whether the step lowers every loss, by hand and exactly."""
    exactly = compute_stages(problem, problem.exact_arithmetic)
    return all(
        to_float(after) < to_float(before)
        for each in (values, exactly)
        for before, after in zip(flatten(each["loss"]), flatten(each["loss_new"]), strict=True)
    )


def _goes_back(variant: Variant) -> bool:
    return variant.mechanism == "backward"


def _pulls_both_ways(problem: Problem, values: Values) -> bool:
    """Say whether some scores are to rise and others to fall, one of them most, and none that is seen is to stay.

    Whether there are both, whole numbers tell: wherever shares gain differently, some gain more than their mean.
    """
    visible = [key for key, weight in enumerate(flatten(values["A"])) if weight]
    gains = [flatten(values["dA"])[key] for key in visible]
    if len(set(gains)) == 1 or not problem.rules.is_rational:
        return len(set(gains)) > 1
    pulls = [flatten(values["dS"])[key] for key in visible]
    return all(pulls) and pulls.count(min(pulls)) == 1


def _goes_back_readably(problem: Problem, values: Values) -> bool:
    """Say whether no fraction on the way back is finer than the weights are."""
    if not problem.rules.is_rational:
        return True
    weights, pulls = (find_shared_denominator(flatten(values[name])) for name in ("A", "dS"))
    return weights % pulls == 0


def _compares_distances(variant: Variant) -> bool:
    """Say whether several queries lose by distances that are worked: with a cache the sheet that it is one step of."""
    return variant.has_distances and not variant.has_cache and "biased" not in variant.begins_with


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
    Insight(
        concerns=_compares_distances,
        happens=_tells_far_from_near,
        description="lets the distance change what some query looks at most, or part two scores that were equal",
    ),
    Insight(
        lambda variant: variant.has_residual,
        _shows_residual,
        "adds something to each token that changes it and is rounded",
    ),
    Insight(lambda variant: variant.norm is not None, _shows_norm, "has a token that its norm makes shorter"),
    Insight(_is_online, _carries_over, "has a larger score in its second block, so that something is rescaled"),
    Insight(_is_online, _carries_something, "has an output after every block"),
    Insight(lambda form: form.has_loss, _leaves_doubt, "leaves some doubt about the next word"),
    Insight(lambda form: form.learning_rate is not None, _learns, "lowers the loss by its step"),
    Insight(
        lambda form: form.top_k is not None,
        _keeps_just_some,
        "has so many likeliest words and no more, and leaves the others something that can be taken from them",
    ),
    Insight(_goes_back, _goes_back_readably, "goes back in fractions no finer than the weights"),
    Insight(_goes_back, _pulls_both_ways, "pulls some scores up, others down, and one of them up most"),
)
"""In the order in which forms came."""


def has_insight(variant: Variant) -> bool:
    """Say whether a form is there to show something."""
    return any(insight.concerns(variant) for insight in INSIGHTS)


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
