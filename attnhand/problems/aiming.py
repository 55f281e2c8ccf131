"""Queries that point at chosen keys: scores are looked for in whole numbers, before any stage is worked.

Most draws make dull attention: every query looks at one token, or all get the same weights. So a few rows are drawn,
each is multiplied once by the tokens, and rows take one another's places until no query has a fault. What is proposed
is then worked, and ``vetting`` asks all criteria of it; those that scores alone can tell are asked here first, so that
hardly a proposal fails. It belongs to recipe 1.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain, permutations
from math import inf, lcm, perm
from operator import add, mul, sub
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from attnhand.attention.arithmetic import MAX_DIVISOR
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Hiding
from attnhand.problems.criteria import (
    IntVector,
    QueryView,
    are_rows_alive,
    count_repeats,
    count_sums_beside,
    count_zeros,
    find_weights_denominator,
    has_different_weights,
    has_enough_favourites,
    has_few_on_top,
    has_negative_score,
    has_one_least,
    is_flat,
    is_in_range,
    list_tops,
    looks_beyond_itself,
    shows_rounding_down,
    view_query,
)
from attnhand.problems.levels import Requirements
from attnhand.problems.random_stream import RandomStream

if TYPE_CHECKING:  # numpy is loaded where several heads are drawn alone: loading it takes longer than a sheet
    from numpy.typing import NDArray

IntMatrix = tuple[IntVector, ...]


class JudgedQuery(NamedTuple):
    """One query's scores, and what is wrong with them."""

    fault_count: int
    """The more, the farther they are from good."""

    scores: Sequence[int]
    """With every key, hidden ones too."""

    view: QueryView | None = None
    """None where there is a fault."""


class ProposedAttention(NamedTuple):
    """Queries without a fault of their own, as criteria look at them; see ``criteria.Attention``."""

    requirements: Requirements
    is_masked: bool
    views: Sequence[QueryView]
    exact_scores: Sequence[Sequence[int]]
    margin: int = 0


@dataclass(slots=True)
class Judge:
    """Asks of one head's scores what can be asked before anything is worked."""

    requirements: Requirements
    mask: Stage | None
    is_softmax: bool = True
    """Whether weights are powers of the scores, whose denominators count."""

    tops_before: tuple[IntVector, ...] | None = None
    """What each query attends to most in the head before; None for the first."""

    sums_before: IntVector = ()
    """Over what each query's weights stand in the head whose outputs meet these; empty for the first of the two."""

    joins_later: bool = False
    """Whether it is that first one: it leaves the other sums to choose from."""

    are_sums_nested: bool = True
    """Whether the fractions of both shall stay readable where they meet; if not, a row of W_O reads one of them."""

    is_one_of_several: bool = False
    """Whether there are other heads, so that hardly a proposal may fail: slips are asked here too."""

    are_vectors_distinct: bool = False
    """Whether no two queries and no two keys may be equal."""

    view_keys: Callable[[IntMatrix], Sequence[IntMatrix]] | None = None
    """Returns for each query the keys as it meets them, where these are others for each: turned by how far away they
    are. None where all meet the same."""

    losses: Sequence[IntVector] = ()
    """What every key's score loses, for each query, before it is scaled; empty where nothing is lost."""

    _floor_divisor: int = field(init=False)
    _lowest: int = field(init=False)
    _highest: int = field(init=False)
    _base: int | None = field(init=False)
    _is_causal: bool = field(init=False)
    _visible_keys: dict[tuple[int, int], list[Sequence[int]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        rules = self.requirements.arithmetic.rules
        self._floor_divisor = rules.floor_divisor or 1
        self._base = rules.base.whole if rules.is_rational and self.is_softmax else None
        self._is_causal = self.mask is not None and Hiding.LATER in self.mask.hidings
        self._lowest, self._highest = find_score_range(self.requirements)

    def list_visible_keys(self, query_count: int, key_count: int) -> list[Sequence[int]]:
        """Return for each query the keys that it sees."""
        if self.mask is None:
            return [range(key_count)] * query_count
        counts = query_count, key_count
        if counts not in self._visible_keys:
            self._visible_keys[counts] = [
                [key for key in range(key_count) if not self.mask.hides(key, j)] for j in range(query_count)
            ]
        return self._visible_keys[counts]

    def take_losses(self, query: int, scores: Sequence[int]) -> Sequence[int]:
        """Return the scores of a query less what each of them loses."""
        return [*map(sub, scores, self.losses[query])] if self.losses else scores

    def judge(self, query: int, scores: Sequence[int], keys: Sequence[int]) -> JudgedQuery:
        """Judge the scores of a query that sees these keys."""
        seen = scores if len(keys) == len(scores) else [scores[key] for key in keys]
        low, high = min(seen), max(seen)
        if low < self._lowest or high > self._highest:
            return JudgedQuery(1 + max(0, self._lowest - low) + max(0, high - self._highest), scores)
        required, divisor = self.requirements, self._floor_divisor
        # not rounded down, scores stand for what is made of them: no root or divisor changes their order or sign
        exponents = [score // divisor for score in seen]
        if required.temperature is not None and required.arithmetic.rules.has_whole_exponents:
            exponents = [math.floor(required.temper(exponent)) for exponent in exponents]
        view = view_query(required, keys, exponents)
        is_good = (
            has_few_on_top(required, view)
            and not is_flat(required, view)
            and (not self._base or self._has_readable_shares(query, exponents, self._base))
        )
        return JudgedQuery(0, scores, view) if is_good else JudgedQuery(1, scores)

    def _has_readable_shares(self, query: int, exponents: Sequence[int], base: int) -> bool:
        """Say whether weights stand over a number that is small enough, also where they meet those of other heads."""
        required, own = self.requirements, find_weights_denominator(exponents, base)
        if own > (required.max_denominator or 0):
            return False
        if not self.are_sums_joined or len(exponents) == 1:
            return True
        joined, limit = (
            lcm(own, self.sums_before[query] if self.sums_before else 1),
            required.max_joined_denominator or 0,
        )
        span = required.max_score - required.min_score
        return joined <= limit and (
            not self.joins_later or count_sums_beside(joined, len(exponents), base, span, limit) > 1
        )

    def accepts_attention(self, judged: Sequence[JudgedQuery]) -> bool:
        """Say whether queries without a fault of their own make good attention together."""
        views, scores = [each.view for each in judged if each.view is not None], [each.scores for each in judged]
        whole = (
            [[*map(add, own, lost)] for own, lost in zip(scores, self.losses, strict=True)] if self.losses else scores
        )
        attention = ProposedAttention(self.requirements, self._is_causal, views, scores)
        return (
            has_enough_favourites(attention)
            and list_tops(attention) != self.tops_before
            and not self._are_sums_equal(views)
            and has_negative_score(attention)
            and self._shows_rounding(whole)
            and looks_beyond_itself(attention)
            and has_one_least(attention)
            and has_different_weights(attention)
        )

    def can_try_orders(self, d_k: int) -> bool:
        """Say whether rows for W_Q are tried in all orders, and not moved until they are good."""
        return self.is_one_of_several and self.view_keys is None and d_k <= MAX_ORDERED_ROWS

    def find_faultless(self, scores: "NDArray[Any]") -> "NDArray[Any]":
        """Return those of many proposals in which ``judge`` and ``accepts_attention`` may find no fault.

        It asks at once what is quick to ask of all, and what vetted slips ask; words said again it passes over.

        Args:
            scores: by query, key and proposal.
        """
        import numpy as np

        required, divisor = self.requirements, self._floor_divisor
        query_count, key_count, _ = scores.shape
        visible = np.zeros((query_count, key_count, 1), dtype=np.int32)
        for query, keys in enumerate(self.list_visible_keys(query_count, key_count)):
            visible[query, keys] = 1
        left = np.flatnonzero(((scores >= self._lowest) & (scores <= self._highest) | (visible == 0)).all((0, 1)))
        scores = scores.take(left, axis=2)  # an index would leave it out of order, and slow
        scaled = exponents = scores // divisor
        if required.temperature is not None and required.arithmetic.rules.has_whole_exponents:
            exponents = scaled * required.temperature.denominator // required.temperature.numerator
        seen = exponents * visible + (1 - visible) * (min(self._lowest, required.min_score) - 1)
        is_good = np.ones(len(left), dtype=bool)
        if not required.key_words:
            is_good &= self._have_good_tops(seen == seen.max(1, keepdims=True))
        if required.is_fraction_required:
            is_good &= _count(exponents * visible < 0, (0, 1)) > (1 if self._base else 0)
        if divisor > 1:
            lost = np.array(self.losses, dtype=np.int32)[:, :, None] if self.losses else 0
            uneven, negative = scores != scaled * divisor, scores + lost < 0
            is_good &= (_count(uneven, (0, 1)) > 1) & (
                ~negative.any((0, 1)) | ((_count(uneven & negative, (0, 1)) > 1) & (uneven & ~negative).any((0, 1)))
            )
        left, exponents = left[is_good], exponents.compress(is_good, axis=2)
        least = (exponents * visible + (1 - visible) * max(self._highest, required.max_score)).min(1, keepdims=True)
        is_good = np.ones(len(left), dtype=bool)
        if required.is_least_unique and not required.key_words:
            asked = [*required.asked_queries]
            is_good &= (_count(((exponents == least) & (visible > 0))[asked], 1) == 1).all(0)
        if self._base:
            powers: NDArray[Any] = self._base ** np.arange(self._count_exponents())
            is_good &= self._are_sums_readable((powers[(exponents - least) * visible] * visible).sum(1), visible.sum(1))
        return left[is_good]

    def _count_exponents(self) -> int:
        """Return how many exponents may lie between the least and the largest of a query, both counted."""
        return 1 + max(self._highest - self._lowest, self.requirements.max_score - self.requirements.min_score)

    def _have_good_tops(self, is_top: "NDArray[Any]") -> "NDArray[Any]":
        """Ask which keys are on top, by query, key and proposal."""
        required, query_count = self.requirements, len(is_top)
        choosing = range(min(2, query_count - 1) if self._is_causal else 0, query_count)
        is_good: NDArray[Any] = _count(is_top.any(0), 0) >= required.min_favourites
        if required.max_top_tokens == 1:
            is_good &= (_count(is_top, 1) == 1).all(0)
        if self._is_causal and len(choosing) > 1:
            is_good &= _count(is_top[choosing].any(0), 0) > 1
        if required.is_another_favourite_required:
            is_good &= ~is_top[choosing, choosing].all(0)
        if self.tops_before and required.max_top_tokens == 1:
            is_good &= ~is_top[range(query_count), [top[0] for top in self.tops_before]].all(0)
        return is_good

    def _are_sums_readable(self, sums: "NDArray[Any]", key_counts: "NDArray[Any]") -> "NDArray[Any]":
        """Ask over what weights stand, by query and proposal; the sums of another head shall not all be the same."""
        import numpy as np

        limit = self.requirements.max_joined_denominator or 0
        is_good: NDArray[Any] = np.all(sums <= (self.requirements.max_denominator or 0), axis=0)
        if self.sums_before:
            before = np.array(self.sums_before)[:, None]
            is_good &= (sums != before).any(0)
            if self.are_sums_nested:
                is_good &= ((np.lcm(sums, before) <= limit) | (key_counts == 1)).all(0)
        return is_good

    @property
    def are_sums_joined(self) -> bool:
        """Whether fractions of several heads meet."""
        return self.are_sums_nested and (self.joins_later or bool(self.sums_before))

    def _are_sums_equal(self, views: Sequence[QueryView]) -> bool:
        """Say whether each query is as sure in this head as in the one before."""
        return bool(self._base and self.sums_before) and all(
            find_weights_denominator(cast(Sequence[int], view.exponents), cast(int, self._base)) == before
            for view, before in zip(views, self.sums_before, strict=True)
        )

    def accepts_vectors(self, rows: Sequence[IntVector], words: Sequence[int]) -> bool:
        """Say whether these make good queries, or keys, which are the columns; of each the word it stands for."""
        vectors = list(zip(*rows, strict=True))
        return are_rows_alive(rows, vectors) and not (self.are_vectors_distinct and count_repeats(vectors, words))

    def _shows_rounding(self, scores: Sequence[Sequence[int]]) -> bool:
        """Ask that rounding down shows; without negative scores, that rounding up differs, which is a slip."""
        return self._floor_divisor == 1 or shows_rounding_down(
            chain.from_iterable(scores), self._floor_divisor, only_negative=self.requirements.is_fraction_required
        )


def _count(facts: Any, axes: int | tuple[int, int]) -> "NDArray[Any]":
    """Count along axes what holds, without a detour through wider numbers."""
    import numpy as np

    counts: NDArray[Any] = facts.view(np.int8).sum(axes, dtype=np.int16)
    return counts


@lru_cache(maxsize=16)
def find_score_range(required: Requirements) -> tuple[int, int]:
    """Return the lowest and the highest whole score that are in range once they are scaled; found by asking."""
    rules = required.arithmetic.rules

    def is_beyond(score: int) -> bool:
        scaled = score // rules.floor_divisor if rules.floor_divisor else Fraction(score, rules.divisor or 1)
        return not is_in_range(required, required.temper(scaled))

    size = MAX_DIVISOR * (1 + required.max_score - required.min_score)
    lowest = -bisect_left(range(1, size), True, key=lambda distance: is_beyond(-distance))
    return lowest, bisect_left(range(1, size), True, key=is_beyond)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProjectedRow:
    """A row of weights and what it makes of every token."""

    weights: IntVector
    queries: IntVector
    """One number a query."""

    keys: IntVector
    """One number a key."""


POOL_SIZE = 20
"""Rows drawn for one head, from which its queries and keys take theirs."""

MAX_SCORES_AT_ONCE = 60_000
"""Of several heads so many scores are worked at once, of all orders of so many rows."""

MAX_ORDERED_ROWS = 3
"""With more rows for W_Q there are too many orders."""

MAX_ORDERS_TRIED = 30
"""Of the orders that are left so many are judged."""

MAX_KEY_DRAWS = 80
MAX_KEYS_TRIED = 12
MAX_QUERY_MOVES = 60
"""Rows of keys are drawn so often, so many of them tried, and for each rows of queries are replaced so often."""


def aim_queries(
    stream: RandomStream, pool: Sequence[ProjectedRow], d_k: int, judge: Judge
) -> Iterator[tuple[IntMatrix, IntMatrix]]:
    """Yield rows for W_Q and W_K with which no query has a fault; if there are none, the last that were tried."""
    last_tried, has_found = (pool[:d_k], pool[d_k : 2 * d_k]), False
    key_draws = _draw_keys(stream, pool, d_k, judge)
    if judge.can_try_orders(d_k) and (keys_tried := [*key_draws]):
        for at, rows in _try_all_orders(stream, pool, judge, [_take_keys(key_rows) for key_rows in keys_tried]):
            if not any(row in keys_tried[at] for row in rows):
                has_found = True
                yield _take_weights(rows), _take_weights(keys_tried[at])
    for key_rows in key_draws:
        rest = [row for row in pool if row not in key_rows]
        aim = _QueryAim(judge, _take_keys(key_rows), stream.sample(rest, d_k))
        for rows in _move_queries(stream, aim, rest):
            has_found = True
            yield _take_weights(rows), _take_weights(key_rows)
        last_tried = aim.rows, key_rows
    if not has_found:  # for the predicates to say what is amiss
        yield _take_weights(last_tried[0]), _take_weights(last_tried[1])


def aim_queries_at(
    stream: RandomStream, pool: Sequence[ProjectedRow], keys: IntMatrix, judge: Judge
) -> Iterator[IntMatrix]:
    """Yield rows for W_Q with which no query has a fault against keys that there are; or the last that were tried."""
    has_found, last_tried = False, pool[: len(keys)]
    if judge.can_try_orders(len(keys)):
        for _, rows in _try_all_orders(stream, pool, judge, [keys]):
            has_found = True
            yield _take_weights(rows)
    else:
        for _ in range(MAX_KEYS_TRIED):
            aim = _QueryAim(judge, keys, stream.sample(pool, len(keys)))
            for rows in _move_queries(stream, aim, pool):
                has_found = True
                yield _take_weights(rows)
            last_tried = aim.rows
    if not has_found:
        yield _take_weights(last_tried)


def _draw_keys(
    stream: RandomStream, pool: Sequence[ProjectedRow], d_k: int, judge: Judge
) -> Iterator[Sequence[ProjectedRow]]:
    """Yield rows for W_K that make good keys, a few times."""
    tried_count = 0
    for _ in range(MAX_KEY_DRAWS):
        if tried_count == MAX_KEYS_TRIED:
            return
        key_rows = stream.sample(pool, d_k)
        if judge.accepts_vectors(_take_keys(key_rows), judge.requirements.key_words):
            tried_count += 1
            yield key_rows


@lru_cache(maxsize=32)
def _list_orders(count: int, length: int) -> "NDArray[Any]":
    """Return in how many orders, and which, so many of a few rows can stand."""
    import numpy as np

    return np.array([*permutations(range(count), length)])


def _try_all_orders(
    stream: RandomStream, pool: Sequence[ProjectedRow], judge: Judge, keys_tried: Sequence[IntMatrix]
) -> Iterator[tuple[int, Sequence[ProjectedRow]]]:
    """Yield rows for W_Q that are good against keys, and which of these: a few rows in all their orders."""
    import numpy as np

    d_k, query_count, key_count = len(keys_tried[0]), len(pool[0].queries), len(keys_tried[0][0])
    count = len(pool)
    while count > d_k and perm(count, d_k) * query_count * key_count > MAX_SCORES_AT_ONCE:
        count -= 1
    rows = stream.sample(pool, count)
    orders, queries = _list_orders(count, d_k), np.array([row.queries for row in rows], dtype=np.int32).T
    batch_size = max(1, MAX_SCORES_AT_ONCE // (len(orders) * query_count * key_count))
    visible_keys = judge.list_visible_keys(query_count, key_count)
    for start in range(0, len(keys_tried), batch_size):
        keys = np.array(keys_tried[start : start + batch_size], dtype=np.int32)
        products = [
            queries[:, None, None, orders[:, place]] * keys[:, place].T[None, :, :, None] for place in range(d_k)
        ]
        scores = np.add.reduce(products).reshape(query_count, key_count, -1)
        if judge.losses:
            scores = scores - np.array(judge.losses, dtype=np.int32)[:, :, None]
        good = judge.find_faultless(scores).tolist()
        for index in stream.sample(good, min(len(good), MAX_ORDERS_TRIED)):
            at, order = divmod(index, len(orders))
            found = [rows[row] for row in orders[order]]
            judged = [judge.judge(j, scores[j, :, index].tolist(), seen) for j, seen in enumerate(visible_keys)]
            if (
                not any(each.fault_count for each in judged)
                and judge.accepts_attention(judged)
                and judge.accepts_vectors([row.queries for row in found], judge.requirements.query_words)
            ):
                yield start + at, found


def _move_queries(
    stream: RandomStream, aim: "_QueryAim", pool: Sequence[ProjectedRow]
) -> Iterator[Sequence[ProjectedRow]]:
    """Replace row after row, and yield the rows that are good."""
    is_good = aim.is_good()
    for _ in range(MAX_QUERY_MOVES):
        if is_good:
            yield [*aim.rows]
        place, index = divmod(stream.draw_below(len(aim.rows) * len(pool)), len(pool))
        if pool[index] not in aim.rows and aim.try_row(place, pool[index]):
            is_good = aim.is_good()


def _take_weights(rows: Sequence["ProjectedRow"]) -> IntMatrix:
    return tuple(row.weights for row in rows)


def _take_keys(rows: Sequence["ProjectedRow"]) -> IntMatrix:
    return tuple(row.keys for row in rows)


class _QueryAim:
    """Rows for W_Q against given keys, and how good their queries are; each query is judged only once."""

    def __init__(self, judge: Judge, key_rows: Sequence[IntVector], rows: Sequence[ProjectedRow]) -> None:
        self.rows = [*rows]
        self._queries: list[IntVector] = list(zip(*[row.queries for row in rows], strict=True))
        self._judge, query_count = judge, len(self._queries)
        self._key_rows: Sequence[IntMatrix]
        self._key_rows = (
            [tuple(key_rows)] * query_count if judge.view_keys is None else judge.view_keys(tuple(key_rows))
        )
        self._visible_keys = judge.list_visible_keys(query_count, len(key_rows[0]))
        are_alike = judge.mask is None and judge.view_keys is None and not judge.sums_before
        self._known: list[dict[IntVector, JudgedQuery]]
        self._known = [{}] * query_count if are_alike else [{} for _ in self._queries]
        self._judged = [
            self._judge_new(
                j, query, judge.take_losses(j, [sum(map(mul, query, key)) for key in zip(*rows, strict=True)])
            )
            for j, (query, rows) in enumerate(zip(self._queries, self._key_rows, strict=True))
        ]
        self._fault_count = sum([each.fault_count for each in self._judged])

    def is_good(self) -> bool:
        """Say whether these rows may be proposed."""
        if self._fault_count or not self._judge.accepts_attention(self._judged):
            return False
        words = self._judge.requirements.query_words
        return self._judge.accepts_vectors([row.queries for row in self.rows], words)

    def try_row(self, place: int, row: ProjectedRow) -> bool:
        """Put a row in the place of another, unless that makes more faults; say whether it was done."""
        queries: list[IntVector] = []
        judged: list[JudgedQuery] = []
        faults_left = self._fault_count
        for j, (query, number) in enumerate(zip(self._queries, row.queries, strict=True)):
            one = self._judged[j]
            if step := number - query[place]:
                query = (*query[:place], number, *query[place + 1 :])
                one = self._known[j].get(query) or self._judge_new(
                    j,
                    query,
                    [score + step * key for score, key in zip(one.scores, self._key_rows[j][place], strict=True)],
                )
            faults_left -= one.fault_count
            if faults_left < 0:  # nearly always the first queries tell
                return False
            queries.append(query)
            judged.append(one)
        self.rows[place] = row
        self._queries, self._judged, self._fault_count = queries, judged, self._fault_count - faults_left
        return True

    def _judge_new(self, j: int, query: IntVector, scores: Sequence[int]) -> JudgedQuery:
        judged = self._judge.judge(j, scores, self._visible_keys[j]) if any(query) else JudgedQuery(2, scores)
        self._known[j][query] = judged
        return judged


MAX_TOKEN_MOVES = 400
"""Where tokens themselves are compared, they are replaced so often."""


def aim_tokens(
    stream: RandomStream,
    draw_vector: Callable[[], IntVector],
    vectors: list[IntVector],
    place_vectors: Callable[[Sequence[IntVector]], Sequence[IntVector]],
    judge: Judge,
) -> Iterator[tuple[IntVector, ...]]:
    """Yield vectors for the tokens themselves, or their words, with which no query has a fault; or the last tried.

    Args:
        vectors: to begin with.
        place_vectors: returns the tokens that the vectors make: words said again, positions added.
    """
    words, token_count = judge.requirements.query_words, len(place_vectors(vectors))
    visible_keys = judge.list_visible_keys(token_count, token_count)

    def judge_tokens(vectors: Sequence[IntVector], max_faults: float) -> tuple[list[JudgedQuery], int]:
        """Judge the queries and count what is wrong, until it is more than so much."""
        tokens = place_vectors(vectors)
        fault_count = count_zeros(zip(*tokens, strict=True)) + count_zeros(tokens) + count_repeats(tokens, words)
        judged: list[JudgedQuery] = []
        for j, (query, keys) in enumerate(zip(tokens, visible_keys, strict=True)):
            if fault_count > max_faults:  # nearly always the first queries tell
                break
            scores = judge.take_losses(j, [sum(map(mul, query, key)) for key in tokens])
            judged.append(judge.judge(j, scores, keys))
            fault_count += judged[-1].fault_count
        return judged, fault_count

    has_found = False
    judged, fault_count = judge_tokens(vectors, inf)
    is_good = not fault_count and judge.accepts_attention(judged)
    for _ in range(MAX_TOKEN_MOVES):
        if is_good:
            has_found = True
            yield tuple(vectors)
        place = stream.draw_below(len(vectors))
        moved = [*vectors[:place], draw_vector(), *vectors[place + 1 :]]
        judged, moved_count = judge_tokens(moved, fault_count)
        if moved_count <= fault_count:
            vectors, fault_count = moved, moved_count
            is_good = not fault_count and judge.accepts_attention(judged)
    if not has_found:  # for the predicates to say what is amiss
        yield tuple(vectors)
