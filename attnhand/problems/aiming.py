"""Queries that point at chosen keys: scores are looked for in whole numbers, before any stage is worked.

Most draws make dull attention: every query looks at one token, or all get the same weights. So a few rows are drawn,
each is multiplied once by the tokens, and rows take one another's places until no query is amiss. What is judged here
is judged again by the predicates of ``vetting``, which decide: this search only proposes what will probably pass.
It belongs to recipe 1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import gcd, isqrt
from operator import mul
from typing import NamedTuple

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.operations import Mask
from attnhand.problems.levels import Requirements
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.vetting import has_favourites

IntVector = tuple[int, ...]
IntMatrix = tuple[IntVector, ...]


class JudgedQuery(NamedTuple):
    """What one query's scores are like."""

    fault_count: int
    top: IntVector = ()
    """The keys it attends to most."""

    exponents: IntVector = ()
    """Of the keys it sees, less the first."""

    scores: IntVector = ()
    """The same of the scores before scaling."""

    rounded_count: int = 0
    """Scores that are rounded down, those that a mask hides too …"""

    floor_count: int = 0
    """… and those at which that is not cutting off."""

    has_negative: bool = False
    has_one_least: bool = True


@dataclass(slots=True)
class Judge:
    """Says of whole scores what the predicates of ``vetting`` will say of them, many times as fast."""

    requirements: Requirements
    mask: Mask | None
    is_softmax: bool = True
    """Whether weights are powers of the scores, whose denominators count."""

    _divisor: int = field(init=False)
    _lowest: int = field(init=False)
    _highest: int = field(init=False)
    _base: int | None = field(init=False)

    def __post_init__(self) -> None:
        required, arithmetic = self.requirements, self.requirements.arithmetic
        rules, low, high = arithmetic.rules, required.min_score, required.max_score
        self._divisor = rules.floor_divisor or 1
        self._base = rules.base.whole if rules.is_rational and self.is_softmax else None
        if rules.scale is ScaleRule.SQRT:
            self._lowest, self._highest = -isqrt(low * low * arithmetic.d_k), isqrt(high * high * arithmetic.d_k)
        elif rules.floor_divisor:
            self._lowest, self._highest = low * self._divisor, (high + 1) * self._divisor - 1
        else:
            self._lowest, self._highest = low * (rules.divisor or 1), high * (rules.divisor or 1)

    def list_visible(self, query: int, key_count: int) -> range:
        """Return the keys that a query sees."""
        if self.mask is None:
            return range(key_count)
        return range(0 if self.mask.window is None else max(0, query + 1 - self.mask.window), query + 1)

    def judge(self, scores: Sequence[int], visible: range) -> JudgedQuery:
        """Judge the scores of one query; those of keys that a mask hides count for nothing but rounding."""
        seen = scores if len(visible) == len(scores) else [scores[i] for i in visible]
        low, high, divisor = min(seen), max(seen), self._divisor
        if low < self._lowest or high > self._highest:
            return JudgedQuery(1 + max(0, self._lowest - low) + max(0, high - self._highest))
        exponents = [score // divisor for score in seen]
        least, most = low // divisor, high // divisor
        words = self.requirements.key_words
        top = [i for i, exponent in zip(visible, exponents, strict=True) if exponent == most]
        if words:
            top = list(dict.fromkeys(words[i] for i in top))
            is_single = len({words[i] for i in visible}) == 1
        else:
            is_single = len(seen) == 1
        if len(top) > self.requirements.max_top_tokens or (least == most and not is_single):
            return JudgedQuery(1)
        if self._base is not None and self._find_denominator(exponents) > (self.requirements.max_denominator or 0):
            return JudgedQuery(1)
        bottom = [i for i, exponent in zip(visible, exponents, strict=True) if exponent == least]
        return JudgedQuery(
            0,
            tuple(top),
            tuple([exponent - exponents[0] for exponent in exponents]),
            tuple([score - seen[0] for score in seen]),
            len(rounded := [score for score in scores if score % divisor]),
            sum(score < 0 for score in rounded),
            least < 0,
            len({words[i] for i in bottom} if words else bottom) == 1,
        )

    def _find_denominator(self, exponents: Sequence[int]) -> int:
        base, least = self._base or 1, min(exponents)
        parts: list[int] = [base ** (exponent - least) for exponent in exponents]
        total = sum(parts)
        return total // gcd(total, *parts)

    def accepts(self, judged: Sequence[JudgedQuery], tops_before: tuple[IntVector, ...] | None = None) -> bool:
        """Say whether queries without a fault of their own make good attention together.

        Args:
            tops_before: what each query attends to most in the head before.
        """
        required, count = self.requirements, len(judged)
        tops = tuple([each.top for each in judged])
        if tops == tops_before or not has_favourites(tops, required.min_favourites):
            return False
        if required.is_fraction_required and not any(each.has_negative for each in judged):
            return False
        if self._divisor > 1:
            rounded = sum(each.floor_count if required.is_fraction_required else each.rounded_count for each in judged)
            if rounded < 2:
                return False
        choosing = range(0 if self.mask is None else min(2, count - 1), count)
        words = required.query_words
        if required.is_another_favourite_required and all(tops[j] == ((words[j] if words else j),) for j in choosing):
            return False
        if required.is_least_unique and not all(judged[j].has_one_least for j in required.asked_queries):
            return False
        if self.mask is not None:
            return len(choosing) < 2 or len({tops[j] for j in choosing}) > 1
        different = len(set(words)) if words else count
        return not required.are_weights_distinct or (
            len({each.exponents for each in judged}) == different == len({each.scores for each in judged})
        )


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

MAX_KEY_DRAWS = 80
MAX_KEYS_TRIED = 12
MAX_QUERY_MOVES = 60
"""Rows of keys are drawn so often, so many of them tried, and for each rows of queries are replaced so often."""


def aim_queries(
    stream: RandomStream,
    pool: Sequence[ProjectedRow],
    d_k: int,
    judge: Judge,
    is_distinct: bool,
    tops_before: tuple[IntVector, ...] | None = None,
) -> Iterator[tuple[IntMatrix, IntMatrix]]:
    """Yield rows for W_Q and W_K, with which no query is amiss.

    Args:
        is_distinct: whether no two queries and no two keys may be equal.
    """
    required, has_found = judge.requirements, False
    poor, tried_count = (pool[:d_k], pool[d_k : 2 * d_k]), 0
    for _ in range(MAX_KEY_DRAWS):
        if tried_count == MAX_KEYS_TRIED:
            break
        key_rows = stream.sample(pool, d_k)
        keys = list(zip(*(row.keys for row in key_rows), strict=True))
        if not _can_stand([row.keys for row in key_rows], keys, required.key_words, is_distinct=is_distinct):
            continue
        tried_count += 1
        rest = [row for row in pool if row not in key_rows]
        aim = _QueryAim(judge, keys, stream.sample(rest, d_k))
        for _ in range(MAX_QUERY_MOVES):
            if not aim.fault_count and judge.accepts(aim.judged, tops_before):
                columns, lines = aim.queries, [row.queries for row in aim.rows]
                if _can_stand(lines, columns, required.query_words, is_distinct=is_distinct):
                    has_found = True
                    yield tuple(row.weights for row in aim.rows), tuple(row.weights for row in key_rows)
            place, index = divmod(stream.draw_below(d_k * len(rest)), len(rest))
            if rest[index] not in aim.rows:
                aim.try_row(place, rest[index])
        poor = aim.rows, key_rows
    if not has_found:  # for the predicates to say what is amiss
        W_Q, W_K = (tuple(row.weights for row in rows) for rows in poor)
        yield W_Q, W_K


class _QueryAim:
    """Rows for W_Q against given keys, and how good their queries are; each query is judged only once."""

    def __init__(self, judge: Judge, keys: Sequence[IntVector], rows: Sequence[ProjectedRow]) -> None:
        self.rows = [*rows]
        self.queries = list(zip(*[row.queries for row in rows], strict=True))
        self._judge, self._key_columns = judge, list(zip(*keys, strict=True))
        self._visible = [judge.list_visible(j, len(keys)) for j in range(len(self.queries))]
        self._known: list[dict[IntVector, tuple[JudgedQuery, list[int]]]]
        self._known = [{}] * len(self.queries) if judge.mask is None else [{} for _ in self.queries]
        self._found = [
            self._judge_new(j, query, [sum(map(mul, query, key)) for key in keys])
            for j, query in enumerate(self.queries)
        ]
        self.fault_count = sum([judged.fault_count for judged, _ in self._found])

    @property
    def judged(self) -> list[JudgedQuery]:
        """How good every query is."""
        return [judged for judged, _ in self._found]

    def try_row(self, place: int, row: ProjectedRow) -> None:
        """Put a row in the place of another, unless that makes more faults: nearly always the first queries tell."""
        queries: list[IntVector] = []
        found: list[tuple[JudgedQuery, list[int]]] = []
        faults_left, column = self.fault_count, self._key_columns[place]
        for j, (query, number) in enumerate(zip(self.queries, row.queries, strict=True)):
            if step := number - query[place]:
                scores = self._found[j][1]
                query = (*query[:place], number, *query[place + 1 :])
                one = self._known[j].get(query) or self._judge_new(
                    j, query, [score + step * key for score, key in zip(scores, column, strict=True)]
                )
            else:
                one = self._found[j]
            faults_left -= one[0].fault_count
            if faults_left < 0:
                return
            queries.append(query)
            found.append(one)
        self.rows[place] = row
        self.queries, self._found, self.fault_count = queries, found, self.fault_count - faults_left

    def _judge_new(self, j: int, query: IntVector, scores: list[int]) -> tuple[JudgedQuery, list[int]]:
        judged = self._judge.judge(scores, self._visible[j]) if any(query) else JudgedQuery(2)
        self._known[j][query] = judged, scores
        return judged, scores


def _can_stand(
    rows: Sequence[IntVector], columns: Sequence[IntVector], words: Sequence[int], *, is_distinct: bool
) -> bool:
    """Say whether no line is zero, no two rows are equal and, if so asked, no two columns of different words."""
    if not (all(map(any, columns)) and all(map(any, rows))) or len(set(rows)) < len(rows):
        return False
    return not is_distinct or len(set(columns)) == (len(set(words)) if words else len(columns))


MAX_TOKEN_MOVES = 400
"""Where tokens themselves are compared, they are replaced so often."""


def aim_tokens(
    stream: RandomStream,
    draw_vector: Callable[[], IntVector],
    vectors: list[IntVector],
    place_vectors: Callable[[Sequence[IntVector]], Sequence[IntVector]],
    judge: Judge,
) -> Iterator[tuple[IntVector, ...]]:
    """Yield vectors for the tokens themselves, or for the words that they are, with which no query is amiss.

    Args:
        vectors: to begin with.
        place_vectors: returns the tokens that the vectors make: words said again, positions added.
    """

    def judge_tokens(vectors: Sequence[IntVector]) -> tuple[list[JudgedQuery], int]:
        tokens = place_vectors(vectors)
        judged = [
            judge.judge([sum(map(mul, query, key)) for key in tokens], judge.list_visible(j, len(tokens)))
            for j, query in enumerate(tokens)
        ]
        unused = sum(not any(row) for row in zip(*tokens, strict=True))
        words = judge.requirements.query_words
        alike = (len(set(words)) if words else len(tokens)) - len(set(tokens))
        return judged, sum(each.fault_count for each in judged) + unused + alike + sum(not any(x) for x in tokens)

    has_found = False
    judged, fault_count = judge_tokens(vectors)
    for _ in range(MAX_TOKEN_MOVES):
        if not fault_count and judge.accepts(judged):
            has_found = True
            yield tuple(vectors)
        place = stream.draw_below(len(vectors))
        moved = [*vectors[:place], draw_vector(), *vectors[place + 1 :]]
        moved_judged, moved_count = judge_tokens(moved)
        if moved_count <= fault_count:
            vectors, judged, fault_count = moved, moved_judged, moved_count
    if not has_found:  # for the predicates to say what is amiss
        yield tuple(vectors)
