"""What makes numbers good for a class: each criterion is said here once, and asked twice.

``aiming`` asks it of whole numbers while rows are looked for, thousands of times a sheet; ``vetting`` of the stages
that are worked from them, and of a teacher's own numbers, which may be fractions.
All of this belongs to recipe 1: whatever changes a verdict here changes what a seed gives.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from operator import not_
from typing import NamedTuple, Protocol

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.numbers import Number
from attnhand.problems.levels import Requirements

IntVector = tuple[int, ...]
Vector = tuple[Number, ...]
"""A row or a column of a matrix."""


# vectors of a matrix are its columns or its rows: tokens, queries, keys, values, outputs, features


def count_zeros(vectors: Iterable[Vector]) -> int:
    """Count the vectors that are all 0."""
    return sum(map(not_, map(any, vectors)))


def count_repeats(vectors: Sequence[Vector], words: Sequence[int] = ()) -> int:
    """Count the vectors that repeat another; a word that is said twice has one vector by right.

    >>> count_repeats(((1, 2), (1, 2), (1, 2))), count_repeats(((1, 2), (1, 2), (1, 2)), words=(0, 1, 0))
    (2, 1)
    """
    different = len(set(zip(words, vectors, strict=True))) if words else len(vectors)
    return different - len(set(vectors))


def find_equal_pairs(vectors: Sequence[Vector], words: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Return which vectors are equal, leaving out those that stand for the same word.

    >>> find_equal_pairs(((1, 2), (1, 2), (1, 2)), words=(0, 1, 0))
    [(0, 1), (1, 2)]
    """
    pairs = combinations(range(len(vectors)), 2)
    return [(i, j) for i, j in pairs if vectors[i] == vectors[j] and not (words and words[i] == words[j])]


def count_telling(pairs: Iterable[Vector]) -> int:
    """Count the products that are not 0.

    >>> count_telling([(1, 2), (0, 3), (1, -1)])
    2
    """
    return sum(map(all, pairs))


def are_rows_alive(rows: Sequence[Vector], columns: Sequence[Vector]) -> bool:
    """Say whether of queries, keys or values no row or column is zero and no two rows are equal."""
    return not (count_zeros(columns) or count_zeros(rows) or count_repeats(rows))


# scores


def is_in_range(required: Requirements, exponent: Number) -> bool:
    """Say whether a scaled score makes a power by hand."""
    low, high = required.min_score, required.max_score
    if required.arithmetic.rules.scale is not ScaleRule.SQRT:
        return low <= exponent <= high
    # x/√d_k is irrational: x itself stands for it, and squares with their signs are compared
    d_k, score = required.arithmetic.d_k, Fraction(exponent)
    return low * abs(low) * d_k <= score * abs(score) <= high * abs(high) * d_k


def shows_rounding_down(scores: Iterable[Number], divisor: int, *, only_negative: bool) -> bool:
    """Say whether two scores at least are rounded down; only at negative ones is that not cutting off."""
    return sum(score % divisor != 0 and (score < 0 or not only_negative) for score in scores) >= 2


def find_weights_denominator(exponents: Sequence[int], base: int) -> int:
    """Return the largest denominator among the weights of one query: that of its smallest weight.

    >>> find_weights_denominator((2, 1, 0), base=3)  # 9/13, 3/13, 1/13
    13
    """
    least = min(exponents)
    return sum([base ** (exponent - least) for exponent in exponents])


MAX_NUMERATOR = 999
"""What stands above a bar has three digits, or as many as may stand below it: longer ones are printed as decimals."""


def are_readable(numbers: Iterable[Number], max_denominator: int | None) -> bool:
    """Say whether no numerator and no denominator is too large, where there is a limit."""
    if max_denominator is None:
        return True
    limit = max(MAX_NUMERATOR, max_denominator)
    fractions = [each for each in (Fraction(number) for number in numbers) if each.denominator > 1]
    return all(each.denominator <= max_denominator and abs(each.numerator) <= limit for each in fractions)


def find_shared_denominator(fractions: Iterable[Number]) -> int:
    """Return the least denominator that all of them can stand over.

    >>> find_shared_denominator((Fraction(1, 6), Fraction(1, 4), 2))
    12
    """
    return math.lcm(*(Fraction(number).denominator for number in fractions))


@lru_cache(maxsize=1000)
def count_sums_beside(denominator: int, key_count: int, base: int, max_span: int, max_joined: int) -> int:
    """Count the sums of powers, of so many keys with one on top, whose shares meet those over ``denominator`` well.

    >>> count_sums_beside(37, 3, 3, 4, 100), count_sums_beside(13, 3, 3, 4, 100)  # 37; 5, 13, 91
    (1, 3)
    """
    sums = {
        find_weights_denominator(exponents, base)
        for exponents in combinations_with_replacement(range(max_span + 1), key_count)
        if exponents[0] == 0 and exponents[-1] > exponents[-2]
    }
    return sum(math.lcm(denominator, each) <= max_joined for each in sums)


# what queries attend to


class QueryView(NamedTuple):
    """What one query sees by hand."""

    keys: Sequence[int]
    """Those that no mask hides."""

    exponents: Sequence[Number]
    """One for each of these keys: the scaled score, or what has the same order and sign."""

    top: IntVector
    """The keys that it attends to most; of a word that is said twice the first."""


class Attention(Protocol):
    """The attention of one head, proposed or worked."""

    @property
    def requirements(self) -> Requirements: ...

    @property
    def is_masked(self) -> bool:
        """Say whether later keys are hidden."""

    @property
    def views(self) -> Sequence[QueryView]:
        """What every query sees."""

    @property
    def exact_scores(self) -> Sequence[Sequence[Number]]:
        """For every query the scores of all keys, not scaled, hidden ones too."""

    @property
    def margin(self) -> Number:
        """How far apart exact scores must be to count as different."""


def view_query(required: Requirements, keys: Sequence[int], exponents: Sequence[Number]) -> QueryView:
    """Return what a query sees."""
    return QueryView(keys, exponents, find_keys_at(max(exponents), keys, exponents, required.key_words))


def find_keys_at(
    extreme: Number, keys: Sequence[int], numbers: Sequence[Number], words: Sequence[int] = (), margin: Number = 0
) -> IntVector:
    """Return the keys whose number is the largest, or smallest; where words are told, of each word the first."""
    if margin:
        near = [key for key, number in zip(keys, numbers, strict=True) if abs(number - extreme) <= margin]  # type: ignore[operator]  # no irrational number is vetted
    else:
        near = [key for key, number in zip(keys, numbers, strict=True) if number == extreme]
    return tuple(dict.fromkeys([words[key] for key in near]) if words else near)


def find_least_keys(required: Requirements, view: QueryView) -> IntVector:
    """Return the keys that a query attends to least, by hand; of a word that is said twice the first."""
    return find_keys_at(min(view.exponents), view.keys, view.exponents, required.key_words)


def is_flat(required: Requirements, view: QueryView) -> bool:
    """Say whether a query attends equally to tokens that are not all the same word."""
    words = required.key_words
    return len(set(view.exponents)) == 1 and len({words[i] for i in view.keys} if words else view.keys) > 1


def has_few_on_top(required: Requirements, view: QueryView) -> bool:
    """Say whether few enough keys share the top: of exponents, so that rounding down makes no tie either."""
    return len(view.top) <= required.max_top_tokens


def has_negative_score(attention: Attention) -> bool:
    """Say whether some power is a fraction, where that is asked."""
    return not attention.requirements.is_fraction_required or min(min(view.exponents) for view in attention.views) < 0


def has_favourites(tops: Sequence[IntVector], least: int) -> bool:
    """Say whether queries have so many different favourites; those that share the top of a query do not count twice.

    >>> has_favourites([(0,), (1,), (0, 1)], 2), has_favourites([(0,), (1,), (0, 1)], 3)
    (True, False)
    """
    different = set(tops)
    return len(different) >= least and len({key for top in different for key in top}) >= least


def list_tops(attention: Attention) -> tuple[IntVector, ...]:
    """Return what each query attends to most, by hand."""
    return tuple([view.top for view in attention.views])


def list_choosing_queries(attention: Attention) -> range:
    """Return the queries that choose among tokens: all, or under a mask those from the third on."""
    count = len(attention.views)
    return range(min(2, count - 1) if attention.is_masked else 0, count)


def has_enough_favourites(attention: Attention) -> bool:
    """Say whether queries attend most to different tokens, under a mask those that choose too."""
    tops = list_tops(attention)
    if not has_favourites(tops, attention.requirements.min_favourites):
        return False
    choosing = list_choosing_queries(attention)
    return choosing.start == 0 or len(choosing) < 2 or len({tops[query] for query in choosing}) > 1


def looks_beyond_itself(attention: Attention) -> bool:
    """Say whether some query attends most to another token than its own, where that is asked."""
    words = attention.requirements.key_words
    return not attention.requirements.is_another_favourite_required or any(
        attention.views[query].top != ((words[query] if words else query),)
        for query in list_choosing_queries(attention)
    )


def has_clear_other_favourite(attention: Attention) -> bool:
    """Say whether some query attends less to its own token than to another."""
    words = attention.requirements.key_words
    return any(
        (words[query] if words else query) not in attention.views[query].top
        for query in list_choosing_queries(attention)
    )


def has_one_least(attention: Attention) -> bool:
    """Say whether the queries that a sheet asks about attend least to one token, where that is asked."""
    required = attention.requirements
    return not required.is_least_unique or all(
        len(find_least_keys(required, attention.views[query])) == 1 for query in required.asked_queries
    )


def find_alike_queries(attention: Attention) -> list[tuple[int, int, bool]]:
    """Return which two queries of different words get the same weights, and whether by hand or only exactly."""
    views, margin, found = attention.views, attention.margin, []
    words = attention.requirements.query_words
    by_hand, exactly = (
        [[number - vector[0] for number in vector] for vector in vectors]  # type: ignore[operator]  # no irrational number is vetted
        for vectors in (
            [view.exponents for view in views],
            [[vector[key] for key in view.keys] for view, vector in zip(views, attention.exact_scores, strict=True)],
        )
    )
    for i, j in combinations(range(len(views)), 2):
        sees_one = len(views[i].keys) == 1  # which then has all of its weight
        if sees_one or views[i].keys != views[j].keys or (words and words[i] == words[j]):
            continue
        is_by_hand = by_hand[i] == by_hand[j]
        if is_by_hand or all(abs(x - y) <= margin for x, y in zip(exactly[i], exactly[j], strict=True)):  # type: ignore[operator]
            found.append((i, j, is_by_hand))
    return found


def has_different_weights(attention: Attention) -> bool:
    """Say whether every query has weights of its own, by hand and exactly, where that is asked."""
    return not (attention.requirements.are_weights_distinct and find_alike_queries(attention))


def find_exact_top(attention: Attention, query: int) -> IntVector:
    """Return the keys that a query attends to most, exactly; of a word that is said twice the first."""
    keys = attention.views[query].keys
    scores = [attention.exact_scores[query][key] for key in keys]
    return find_keys_at(max(scores), keys, scores, attention.requirements.key_words, attention.margin)


def has_honest_shortcut(attention: Attention) -> bool:
    """Say whether every query has the same favourites by hand and exactly."""
    return all(view.top == find_exact_top(attention, query) for query, view in enumerate(attention.views))
