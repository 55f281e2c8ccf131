"""From a seed and a level to a vetted problem."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from operator import mul
from typing import NamedTuple, cast

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, dot, transpose
from attnhand.attention.mechanisms import AttentionStages, Content, GivenMatrix, Mechanism, Stage, Variant
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.problem import Problem
from attnhand.errors import GenerationError, name_option
from attnhand.problems.aiming import POOL_SIZE, IntMatrix, Judge, ProjectedRow, aim_queries, aim_queries_at, aim_tokens
from attnhand.problems.carrying import find_frame, find_place, write_form
from attnhand.problems.criteria import IntVector, Vector, are_readable, count_telling, find_shared_denominator
from attnhand.problems.deriving import find_fault, list_derived
from attnhand.problems.drawing_whole import DRAWS, Draw
from attnhand.problems.insights import find_missing_insight, has_insight
from attnhand.problems.levels import MAX_NARROW_FEATURES, Level, choose_requirements
from attnhand.problems.model_parts import draw_part, find_part
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import Request
from attnhand.problems.vetting import find_failure, find_tops_before, iterate_worked_stages, split_predicates

MAX_DRAWS = 1500
"""A seed that finds no good sheet in so many draws of a part is refused; times the heads that share one key."""

MAX_AIMED_DRAWS = 3
"""What is aimed is drawn so often before all is drawn anew …"""

MAX_PLAIN_DRAWS = 12
"""… and so often what is not."""

MAX_CARRIED_DRAWS = 6000
"""So many draws of parts, where several sheets are to be good at once."""

MAX_DERIVED_DRAWS = 200
"""So many ordinary sheets are drawn, of which one makes a good other one."""

MAX_PROPOSALS = 6
"""Of one draw of queries and keys so many are tried."""


class EntryDistribution(NamedTuple):
    """How the vectors of a matrix are drawn: few non-zeros, from a short list."""

    nonzero_counts: tuple[int, ...]
    """Numbers of non-zeros in a vector, each equally likely, cut to the length of the vector."""

    nonzero_values: tuple[int, ...]
    """What a non-zero may be, each equally likely."""


_MOSTLY_ONES = (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)

_DISTRIBUTIONS: Mapping[Level, Mapping[Content, EntryDistribution]] = {
    Level.FIRST: {
        Content.TOKENS: EntryDistribution((1, 2, 3), (1, 1, 1, 2)),
        Content.WEIGHTS: EntryDistribution((2, 2, 3), (1, 1, 1, -1)),
    },
    Level.WARM_UP: {
        Content.TOKENS: EntryDistribution((1, 2), (1, 1, 2)),
        Content.WEIGHTS: EntryDistribution((1, 2), (1, 1, 1, 1, 2, -1)),
    },
    Level.STANDARD: {
        Content.TOKENS: EntryDistribution((2, 3, 4), _MOSTLY_ONES),
        Content.WEIGHTS: EntryDistribution((2, 3), (1, 1, 1, 1, 1, 1, 1, -1, -1, -1)),
    },
    Level.CHALLENGE: {
        Content.TOKENS: EntryDistribution((2, 3), (1, 1, 1, 1, 1, -1, -1, 2, -2)),
        Content.WEIGHTS: EntryDistribution((1, 2), (1, 1, 1, 1, -1, -1)),
    },
}
"""What a level draws from; part of recipe 1, as is all that follows here."""

_NORMED_DISTRIBUTIONS: Mapping[Level, EntryDistribution] = {
    Level.FIRST: EntryDistribution((2, 3), (1, 2, 3, 4)),
    Level.WARM_UP: EntryDistribution((2, 3), (1, 2, 3, 4)),
    Level.STANDARD: EntryDistribution((2, 3, 4), (1, 2, 2, 3, 4, 5)),
    Level.CHALLENGE: EntryDistribution((2, 3, 4), (1, 2, 3, 4, 5, -2, -3, -4)),
}
"""What X is drawn from where it is normalised before anything reads it: of small numbers the root would be 1."""

_NARROW_DISTRIBUTIONS: Mapping[Content, EntryDistribution] = {
    Content.TOKENS: EntryDistribution((1, 2), (1, 1, 1, 1, -1, -1, -1, 2, -2)),
    Content.WEIGHTS: EntryDistribution((1, 1, 2), (1, 1, -1, -1, 2, -2)),
}
"""With few features vectors need richer entries to differ at all, whatever the level; rows of weights may be alike."""

_COMPARED_DISTRIBUTIONS: Mapping[Level, EntryDistribution] = {
    Level.FIRST: EntryDistribution((1, 2, 3), (1, 1, -1)),
    Level.WARM_UP: EntryDistribution((1, 2, 3), (1, 1, -1)),
    Level.STANDARD: EntryDistribution((1, 2, 3), (1, 1, 1, -1, -1)),
    Level.CHALLENGE: EntryDistribution((1, 2, 3), (1, 1, 1, -1, -1)),
}
"""What X is drawn from where its own columns are compared: without a −1 no score would be negative."""

MAX_SPARSE_TOKENS = 6
"""With more tokens, rows of weights are the longer the more features there are above as many."""

_BIAS_VALUES = (1, -1, 0, 1, -1, 2)
"""What one number of a bias may be, each equally likely."""

MAX_VECTOR_REDRAWS = 64
"""A vector that repeats an earlier one is drawn anew, so often at most."""


def _draw_vector(stream: RandomStream, length: int, distribution: EntryDistribution) -> tuple[int, ...]:
    """Draw how many non-zeros, then their places, then each of them, in that order."""
    count = min(stream.pick(distribution.nonzero_counts), length)
    vector = [0] * length
    for index in stream.sample(range(length), count):
        vector[index] = stream.pick(distribution.nonzero_values)
    return tuple(vector)


def _draw_vectors(
    stream: RandomStream,
    count: int,
    length: int,
    distribution: EntryDistribution,
    seen_vectors: set[IntVector],
    is_good: Callable[[IntVector], bool] = lambda _: True,
) -> list[IntVector]:
    """Draw good vectors that differ from one another and from those seen before; ``seen_vectors`` grows."""
    vectors: list[IntVector] = []
    for _ in range(count):
        vector = _draw_vector(stream, length, distribution)
        redraws = MAX_VECTOR_REDRAWS
        while redraws and (vector in seen_vectors or not is_good(vector)):
            vector, redraws = _draw_vector(stream, length, distribution), redraws - 1
        seen_vectors.add(vector)
        vectors.append(vector)
    return vectors


class _Part(NamedTuple):
    """What is drawn together: one matrix, or the weights of one head's queries and keys."""

    label: str
    """Of its stream."""

    given: tuple[GivenMatrix, ...]
    stages: tuple[Stage, ...]
    """What can be worked once it is there."""

    aimed: AttentionStages | None = None
    """The attention whose queries and keys it decides."""


@lru_cache(maxsize=256)  # a program asks again and again for the sheet that it works with
def generate_problem(request: Request, *, salt: str = "", words: tuple[str, ...] = (), title: str = "") -> Problem:
    """Draw the vetted problem of a request.

    Args:
        salt: a secret that the paper does not show; it changes every number.

    Raises:
        GenerationError: no draw meets what the level asks at these sizes and rules.
    """
    if request.part:
        part, temperature = find_part(request.part), request.variant.temperature
        problem = draw_part(part, request.seed, request.level, temperature=temperature, salt=salt, title=title)
        return problem.transpose() if request.convention.is_rows else problem
    if draw := DRAWS.get(request.variant.mechanism):
        return _draw_whole_problem(request, draw, salt, words, title)
    if request.carried:
        return _cut_problem(request, salt, words, title)
    if request.whole != request or has_insight(request.variant):
        return _derive_problem(request, salt, words, title)
    return _draw_problem(request, salt, words, title)


def _draw_whole_problem(request: Request, draw: Draw, salt: str, words: tuple[str, ...], title: str) -> Problem:
    """Draw all matrices at once, until they make a good sheet.

    Raises:
        GenerationError: no draw does.
    """
    faults: Counter[str] = Counter()
    labels = (str(request.seed), *(("salt", salt) if salt else ()), request.variant.mechanism)
    for attempt in range(MAX_DRAWS):
        if (drawn := draw(request, RandomStream(*labels, str(attempt)))) is None:
            faults["has numbers that go together"] += 1
            continue
        given = tuple((each.name, drawn[each.name]) for each in request.mechanism.given)
        problem = Problem(variant=request.variant, given=given, rules=request.rules, words=words, title=title)
        if (fault := find_fault(request, problem)) is None:
            return problem.transpose() if request.convention.is_rows else problem
        faults[fault] += 1
    raise GenerationError(
        f"seed {request.seed} finds no good sheet in {MAX_DRAWS:,} draws: hardly one {faults.most_common(1)[0][0]}; "
        "try another seed, another size"
    )


def _derive_problem(request: Request, salt: str, words: tuple[str, ...], title: str) -> Problem:
    """Make the problem of an ordinary sheet, the first that makes a good one.

    Raises:
        GenerationError: none does.
    """
    whole = replace(request.whole, convention=Convention.COLUMNS)
    all_queries = replace(whole, variant=request.variant.with_all_queries)
    faults: Counter[str] = Counter()
    for attempt in range(MAX_DERIVED_DRAWS):
        drawn = _draw_problem(whole, salt, words, title, attempt=attempt)
        fault = find_missing_insight(drawn)
        if request.variant.has_cache and all_queries != whole:  # a step is not asked what its sheet is asked
            fault = fault or find_fault(all_queries, next(list_derived(all_queries, drawn)))
        if fault is not None:
            faults[fault] += 1
            continue
        for problem in list_derived(request, drawn):
            if (fault := find_fault(request, problem)) is None:
                return problem.transpose() if request.convention.is_rows else problem
            faults[fault] += 1
    raise GenerationError(
        f"seed {request.seed} finds no good sheet in {MAX_DERIVED_DRAWS} draws: hardly one "
        f"{faults.most_common(1)[0][0]}; try another seed, another size"
    )


def _cut_problem(request: Request, salt: str, words: tuple[str, ...], title: str) -> Problem:
    """Draw the problem that several sheets are cut of, and cut one of them.

    Raises:
        GenerationError: no draw makes all of them good.
    """
    matrices = _draw_carried(replace(request.uncut, convention=Convention.COLUMNS), request.carried, salt)
    problem = Problem(
        variant=request.variant,
        given=tuple((each.name, matrices[_find_place(each.name, request)]) for each in request.mechanism.given),
        rules=request.rules,
        words=words,
        title=title,
    )
    return problem.transpose() if request.convention.is_rows else problem


def _find_place(name: str, request: Request) -> str:
    return find_place(name, find_frame(request.carried))


@lru_cache(maxsize=256)  # the sheets that are cut of it are asked for one after the other
def _draw_carried(uncut: Request, carried: tuple[Variant, ...], salt: str) -> Mapping[str, Matrix]:
    """Draw the problem that several sheets are cut of.

    Raises:
        GenerationError: no draw makes all of them good.
    """
    cuts = tuple(replace(uncut, variant=form, carried=carried) for form in carried)
    search = _CarriedSearch(uncut, cuts, salt)
    if not search.find_all():
        names = ", ".join(map(write_form, carried))
        failure = search.failure_counts.most_common(1)[0][0]
        raise GenerationError(
            f"seed {uncut.seed} finds no problem in {MAX_CARRIED_DRAWS:,} draws of which all sheets are good "
            f"({names}): hardly one {failure}; try another seed, another size, or fewer sheets with "
            f"{name_option('carry')}"
        )
    return search.matrices


def _draw_problem(request: Request, salt: str, words: tuple[str, ...], title: str, attempt: int = 0) -> Problem:
    alike = request.variant.first_occurrences
    if alike and len(set(alike)) == 1:
        raise GenerationError(
            f"all words are {request.variant.embedded_words[0]!r}, so every query attends equally to all tokens: "
            f"give another word, or {name_option('positions', value=True)}"
        )
    search = _MatrixSearch(request, salt, attempt)
    if not search.find_all():
        failure = search.failure_counts.most_common(1)[0][0]
        sizes = ", ".join(f"{name} {size}" for name, size in request.all_sizes.items())
        raise GenerationError(
            f"seed {request.seed} finds no good sheet of level {request.level} with {sizes} in "
            f"{search.max_draws:,} draws: hardly one {failure}; try another seed, size or level"
            f"{'' if request.allow_ties else ', or ' + name_option('allow_ties', value=True)}"
        )
    problem = Problem(
        variant=request.variant,
        given=tuple((given.name, search.matrices[given.name]) for given in request.mechanism.given),
        rules=request.rules,
        words=words,
        title=title,
    )
    return problem.transpose() if request.convention.is_rows else problem


class _MatrixSearch:
    """Draw part after part, each redrawn alone until all that can be worked with it is good.

    A part is what is drawn together: tokens, the weights of one head's queries and keys, any other matrix.
    """

    def __init__(self, request: Request, salt: str, attempt: int = 0) -> None:
        self.mechanism, self.sizes, self.level = request.mechanism, request.all_sizes, request.level
        self.variant = request.variant
        again = ("again", str(attempt)) if attempt else ()
        self.labels = (str(request.seed), *(("salt", salt) if salt else ()), *again)
        arithmetic = Arithmetic(rules=request.rules, d_k=self.sizes.get("d_k", 1))
        self.requirements = choose_requirements(
            request.level, request.variant, self.sizes, arithmetic, allow_ties=request.allow_ties
        )
        self.draw_counts: Counter[str] = Counter()
        self.failure_counts: Counter[str] = Counter()
        self.matrices: dict[str, Matrix] = {}
        self.parts = _list_parts(self.mechanism)
        self.predicates = split_predicates(self.mechanism)
        self.are_sums_nested = True
        self.max_draws = MAX_DRAWS * (self.variant.head_count // self.variant.kv_head_count)
        self.is_narrow = self.sizes["features"] <= MAX_NARROW_FEATURES

    def find_all(self) -> bool:
        """Find every part; False when so many draws find none that fits those before it."""
        while self.draw_counts.total() < self.max_draws:
            self.matrices.clear()
            if all(map(self._find_part, self.parts)):
                return True
        return False

    def _find_part(self, part: _Part) -> bool:
        """Draw a part that fits those before it, in so many draws at most."""
        worth = max(1, part.given[0].head)  # the more heads stand, the more it costs to lose them
        for redraws in range(MAX_AIMED_DRAWS * worth if part.aimed else MAX_PLAIN_DRAWS):
            self.are_sums_nested = redraws == 0
            if self.draw_counts.total() >= self.max_draws:
                return False
            self.draw_counts[part.label] += 1
            attempt = self.draw_counts[part.label]
            stream = RandomStream(*self.labels, part.label, *([str(attempt)] if attempt > 1 else []))
            for matrices in islice(self._propose(part, stream), MAX_PROPOSALS):
                self.matrices.update(matrices)
                if self._are_good(part):
                    return True
        return False

    def _propose(self, part: _Part, stream: RandomStream) -> Iterator[dict[str, Matrix]]:
        """Yield what a part may be, in the order of the stream."""
        if part.aimed is not None and len(part.given) == 2:
            yield from self._propose_queries(part, part.aimed, stream)
            return
        (given_matrix,) = part.given
        count, length = self._measure(given_matrix)
        match given_matrix.content:
            case Content.BIAS:
                drawn: Matrix = tuple((stream.pick(_BIAS_VALUES),) for _ in range(count))
            case Content.TOKENS if part.aimed is not None:
                yield from self._propose_compared_tokens(given_matrix, part.aimed, stream)
                return
            case Content.WEIGHTS if part.aimed is not None:
                yield from self._propose_queries_at_keys(given_matrix, part.aimed, stream)
                return
            case Content.TOKENS:
                drawn = transpose(tuple(self._draw_tokens(stream, given_matrix)))
            case _:
                drawn = self._draw_weights(stream, given_matrix, count, length)
        yield {given_matrix.name: drawn}

    def _measure(self, given_matrix: GivenMatrix) -> tuple[int, int]:
        """Return how many rows and columns a matrix has."""
        rows, columns = (
            self.sizes.get(axis.size_name, 1) * axis.multiplier for axis in (given_matrix.rows, given_matrix.columns)
        )
        return rows, columns

    # tokens

    def _draw_tokens(self, stream: RandomStream, given_matrix: GivenMatrix) -> list[IntVector]:
        """Draw tokens, or words, that differ, each feature in one of them at least."""
        features, count = self._measure(given_matrix)
        distribution = self._get_distribution(Content.TOKENS)
        vectors = self._draw_full_vector(stream, features, distribution)
        vectors += _draw_vectors(stream, count - len(vectors), features, distribution, {*vectors})
        for feature in range(features):
            if not any(token[feature] for token in self._place_tokens(given_matrix, vectors)):
                at = stream.draw_below(count)
                vectors[at] = (*vectors[at][:feature], 1, *vectors[at][feature + 1 :])
        return vectors

    def _draw_full_vector(
        self, stream: RandomStream, features: int, distribution: EntryDistribution
    ) -> list[IntVector]:
        """Draw the first token where its products are to tell most: as many non-zeros as there may be."""
        if self.requirements.min_telling_products == 1:
            return []
        most = distribution._replace(nonzero_counts=(max(distribution.nonzero_counts),))
        return [_draw_vector(stream, features, most)]

    def _place_tokens(self, given_matrix: GivenMatrix, vectors: Sequence[IntVector]) -> list[IntVector]:
        """Return the tokens that vectors make: as they are, or words said again, with their positions."""
        if given_matrix.name != EMBEDDING_NAME:
            return list(vectors)
        matrices: dict[str, Matrix] = {given_matrix.name: transpose(tuple(vectors))}
        stages = self.mechanism.stages
        for stage in stages:
            if set(stage.input_names) <= matrices.keys():
                matrices[stage.name] = stage.work(self.requirements.arithmetic, matrices)
            if stage.name == "X":
                break
        return [*transpose(matrices["X"])]  # type: ignore[list-item]  # positions are rounded by hand

    def _propose_compared_tokens(
        self, given_matrix: GivenMatrix, attention: AttentionStages, stream: RandomStream
    ) -> Iterator[dict[str, Matrix]]:
        """Yield tokens that are their own queries and keys."""
        features, count = self._measure(given_matrix)
        distribution = _NARROW_DISTRIBUTIONS[Content.TOKENS] if self.is_narrow else _COMPARED_DISTRIBUTIONS[self.level]
        vectors = _draw_vectors(stream, count, features, distribution, set())
        for found in aim_tokens(
            stream,
            lambda: _draw_vector(stream, features, distribution),
            vectors,
            lambda drawn: self._place_tokens(given_matrix, drawn),
            self._make_judge(attention),
        ):
            yield {given_matrix.name: transpose(found)}

    # weights

    def _propose_queries(
        self, part: _Part, attention: AttentionStages, stream: RandomStream
    ) -> Iterator[dict[str, Matrix]]:
        """Yield the weights of one head's queries and keys."""
        for_queries, for_keys = part.given
        query_tokens, key_tokens = (transpose(self._find_tokens(given)) for given in part.given)
        d_k = self._measure(for_queries)[0]
        pool = self._draw_pool(stream, for_queries, query_tokens, key_tokens)
        if len(pool) < 2 * d_k:
            self.failure_counts["has weights enough that differ"] += 1
            return
        judge = self._make_query_judge(attention, d_k, max(len(query_tokens), len(key_tokens)))
        is_turned = judge.view_keys is not None  # row pair by row pair, so that rows stay where they are
        for pair in aim_queries(stream, pool, d_k, judge):
            W_Q, W_K = pair if is_turned else _put_telling_row_first(*pair, key_tokens[0])
            yield {for_queries.name: W_Q, for_keys.name: W_K}

    def _propose_queries_at_keys(
        self, for_queries: GivenMatrix, attention: AttentionStages, stream: RandomStream
    ) -> Iterator[dict[str, Matrix]]:
        """Yield the weights of one head's queries, where its keys are another head's too."""
        tokens = transpose(self._find_tokens(for_queries))
        pool = self._draw_pool(stream, for_queries, tokens, tokens)
        d_k = self._measure(for_queries)[0]
        if len(pool) < d_k:
            self.failure_counts["has weights enough that differ"] += 1
            return
        judge = self._make_query_judge(attention, d_k, len(tokens))
        keys_name, _ = _find_compared(self.mechanism, attention)
        keys: IntMatrix = self.matrices[keys_name]  # type: ignore[assignment]  # of tokens and weights in whole numbers
        for W_Q in aim_queries_at(stream, pool, keys, judge):
            yield {for_queries.name: W_Q}

    def _draw_pool(
        self, stream: RandomStream, given_matrix: GivenMatrix, query_tokens: Matrix, key_tokens: Matrix
    ) -> list[ProjectedRow]:
        """Draw rows of weights, each with what it makes of all tokens; none that makes nothing of them."""
        d_k, features = self._measure(given_matrix)
        pool = []
        distribution, count = self._get_distribution(Content.WEIGHTS), max(POOL_SIZE, 3 * d_k)
        is_telling = self.variant.head_count > 1 and 1 < d_k <= self.requirements.min_telling_products
        tells = partial(self._tells, tokens=(query_tokens[0], key_tokens[0]))
        for weights in _draw_vectors(stream, count, features, distribution, set(), tells):
            row = _project_row(weights, query_tokens, key_tokens)
            if any(row.queries) and any(row.keys) and not (is_telling and not (row.queries[0] and row.keys[0])):
                pool.append(row)
        return pool

    def _tells(self, weights: IntVector, tokens: Sequence[Vector]) -> bool:
        """Say whether weights meet enough of each of these tokens, where a sheet asks no other."""
        least = self.requirements.min_telling_products
        return least == 1 or all(count_telling(zip(weights, token, strict=True)) >= least for token in tokens)

    def _make_query_judge(self, attention: AttentionStages, d_k: int, vector_count: int) -> Judge:
        """Return who judges queries against keys.

        Args:
            vector_count: how many of either there are.
        """
        judge = self._make_judge(attention)
        judge.tops_before = find_tops_before(self.mechanism, attention, self.matrices, self.requirements)
        attentions, head_count = self.mechanism.attentions, self.variant.head_count
        at = attentions.index(attention)
        judge.is_one_of_several = head_count > 1
        if head_count > 1 and self.requirements.max_joined_denominator is not None:
            if at % 2:
                before = self.matrices[attentions[at - 1].weights]
                judge.sums_before = self._list_sums(before)
            else:
                judge.joins_later = at + 1 < head_count
            judge.are_sums_nested = self.are_sums_nested
        judge.are_vectors_distinct = self.requirements.has_room_to_differ(d_k, vector_count)
        keys, queries = (self.mechanism.get_stage(name) for name in self._get_scores(attention).input_names)
        if queries.form is Form.TURN:
            judge.view_keys = partial(self._turn_keys, queries, keys)
        return judge

    def _get_scores(self, attention: AttentionStages) -> Stage:
        return self.mechanism.get_stage(attention.scores)

    def _turn_keys(self, queries: Stage, keys: Stage, key_rows: IntMatrix) -> list[IntMatrix]:
        """Return for each query what it meets in its scores: keys, turned by how far away they are.

        Args:
            queries: the stage that turns them, as keys is the one that turns these.
        """
        arithmetic, d_k, count = self.requirements.arithmetic, len(key_rows), len(key_rows[0])
        turned_keys = keys.work(arithmetic, {keys.input_names[0]: key_rows})
        units = [
            queries.work(arithmetic, {queries.input_names[0]: tuple((int(r == s),) * count for s in range(d_k))})
            for r in range(d_k)
        ]
        products = [  # quarter turns of whole numbers
            tuple(tuple([dot([row[query] for row in unit], key) for key in transpose(turned_keys)]) for unit in units)
            for query in range(count)
        ]
        return cast(list[IntMatrix], products)

    def _find_tokens(self, weights: GivenMatrix) -> IntMatrix:
        """Return what weights are first multiplied by."""
        reader = next(stage for stage in self.mechanism.stages if weights.name in stage.input_names)
        return self.matrices[reader.input_names[-1]]  # type: ignore[return-value]  # tokens are drawn as whole numbers

    def _draw_weights(self, stream: RandomStream, given_matrix: GivenMatrix, count: int, length: int) -> Matrix:
        """Draw rows unlike those of the same head; no row makes nothing, or fractions that nobody reads."""
        seen: set[IntVector] = {
            row  # type: ignore[misc]  # weights are drawn as whole numbers
            for given in self.mechanism.given
            if given.content is Content.WEIGHTS and given.head == given_matrix.head and not self.is_narrow
            for row in self.matrices.get(given.name, ())
            if given.name != given_matrix.name
        }
        reader = next((stage for stage in self.mechanism.stages if given_matrix.name in stage.input_names), None)
        read = self.matrices.get(reader.input_names[-1]) if reader else None
        columns = [] if read is None else transpose(read)
        limit = self.requirements.max_joined_denominator if reader and reader.role is ProductRole.LAYER else None

        def is_good(row: IntVector) -> bool:
            products = [dot(row, column) for column in columns]
            return are_readable(products, limit) and (not products or any(products))

        return tuple(_draw_vectors(stream, count, length, self._get_distribution(Content.WEIGHTS), seen, is_good))

    def _get_distribution(self, content: Content) -> EntryDistribution:
        if content is Content.TOKENS and self.variant.is_normed_before:
            return _NORMED_DISTRIBUTIONS[self.level]
        usual = (_NARROW_DISTRIBUTIONS if self.is_narrow else _DISTRIBUTIONS[self.level])[content]
        is_crowded = self.sizes["tokens"] > MAX_SPARSE_TOKENS and not self.level.is_gentle
        if content is Content.WEIGHTS and is_crowded:
            # of many features short rows would meet nothing in some of so many tokens
            more = max(0, (self.sizes["features"] - MAX_SPARSE_TOKENS) // 3)
            return usual._replace(nonzero_counts=tuple(count + more for count in usual.nonzero_counts))
        return usual

    def _make_judge(self, attention: AttentionStages) -> Judge:
        mask = self.mechanism.get_stage(attention.masked) if attention.masked else None
        return Judge(self.requirements, mask, bool(attention.powers), losses=self._list_losses(attention))

    def _list_losses(self, attention: AttentionStages) -> list[IntVector]:
        """Return what scores lose by the distance of their keys, a line a query, as much larger as they are scaled."""
        if (biased := self.mechanism.find_stage(attention.biased)) is None:
            return []
        arithmetic, count = self.requirements.arithmetic, self.sizes["tokens"]
        zeros = ((0,) * count,) * count
        lost = biased.work(arithmetic, {biased.input_names[0]: zeros})
        losses = [[-cast(int, number) for number in line] for line in transpose(lost)]
        return [
            tuple(map(arithmetic.undo_scaling, line)) if self.mechanism.is_scaled else tuple(line) for line in losses
        ]

    def _are_good(self, part: _Part) -> bool:
        """Say whether all that can be worked now is good."""
        stages = part.stages
        worked_stages = iterate_worked_stages(self.mechanism, stages, self.matrices, self.requirements)
        failure = find_failure(worked_stages, self.predicates)
        if failure is None and self._are_heads_equally_sure(stages):
            failure = "lets some query be surer in one head than in another"
        if failure is not None:
            self.failure_counts[failure] += 1
        return failure is None

    def _are_heads_equally_sure(self, stages: Sequence[Stage]) -> bool:
        """Say, once the last head stands, whether each query's weights stand over the same number in all heads."""
        names = [attention.weights for attention in self.mechanism.attentions]
        if self.variant.head_count == 1 or not any(stage.name == names[-1] for stage in stages):
            return False
        weights = [self.matrices[name] for name in names if name in self.matrices]  # irrational ones are not there
        return len({self._list_sums(each) for each in weights}) == 1

    @staticmethod
    def _list_sums(weights: Matrix) -> tuple[int, ...]:
        """Return over what the weights of each query stand."""
        return tuple(map(find_shared_denominator, transpose(weights)))


class _CarriedSearch(_MatrixSearch):
    """Draw one problem of which several sheets are cut: a part is good where it is for each of them."""

    def __init__(self, uncut: Request, cuts: Sequence[Request], salt: str) -> None:
        super().__init__(uncut, salt)
        self.max_draws = MAX_CARRIED_DRAWS
        self.cuts = [_Cut(cut, uncut.variant, self.parts, salt) for cut in cuts if cut.variant != uncut.variant]

    def _propose(self, part: _Part, stream: RandomStream) -> Iterator[dict[str, Matrix]]:
        """Yield what a part may be: tokens that some sheet compares as they are, as that sheet would have them."""
        comparing = (cut.search for cut in self.cuts if part.label == "X" and cut.search.parts[0].aimed)
        search = next(comparing, None)
        yield from search._propose(search.parts[0], stream) if search else super()._propose(part, stream)

    def _are_good(self, part: _Part) -> bool:
        if not super()._are_good(part):
            return False
        for cut in self.cuts:
            if (failure := cut.find_failure(part, self.matrices)) is not None:
                self.failure_counts[failure] += 1
                return False
        return True


class _Cut:
    """One sheet of several that are cut of one problem, worked as far as its matrices are there."""

    def __init__(self, request: Request, frame: Variant, parts: Sequence[_Part], salt: str) -> None:
        self.search = _MatrixSearch(request, salt)
        self.own_names = {find_place(each.name, frame): each.name for each in request.mechanism.given}
        groups = [
            tuple(self.own_names[each.name] for each in part.given if each.name in self.own_names) for part in parts
        ]
        ready = group_ready_stages(request.mechanism, groups)
        self.parts = {part.label: part._replace(stages=stages) for part, stages in zip(parts, ready, strict=True)}

    def find_failure(self, part: _Part, matrices: Mapping[str, Matrix]) -> str | None:
        """Return what the matrices of a part fail on this sheet; None where it is good as far as it goes."""
        search = self.search
        search.matrices.update({own: matrices[name] for name, own in self.own_names.items() if name in matrices})
        search.failure_counts.clear()
        return None if search._are_good(self.parts[part.label]) else next(iter(search.failure_counts))


def _put_telling_row_first(W_Q: IntMatrix, W_K: IntMatrix, token: Vector) -> tuple[IntMatrix, IntMatrix]:
    """Swap rows of both, which leaves every score as it is, so that not every product of K[1,1] is 0."""
    first = next((at for at, row in enumerate(W_K) if any(map(mul, row, token))), 0)
    order = (first, *(at for at in range(len(W_K)) if at != first))
    return tuple(W_Q[at] for at in order), tuple(W_K[at] for at in order)


def _project_row(weights: IntVector, query_tokens: Matrix, key_tokens: Matrix) -> ProjectedRow:
    queries, keys = (
        tuple([sum(map(mul, weights, token)) for token in tokens]) for tokens in (query_tokens, key_tokens)
    )
    return ProjectedRow(weights=weights, queries=queries, keys=keys)


def _list_parts(mechanism: Mechanism) -> list[_Part]:
    """Return what is drawn together, in order: a matrix alone, or all that decide the scores of one head.

    >>> from attnhand.attention.mechanisms import Variant
    >>> for part in _list_parts(Variant(mechanism="self").build_mechanism()):
    ...     print(part.label, [stage.name for stage in part.stages])
    X []
    W_Q W_K ['Q', 'K', 'S', 'scaled', 'powers', 'sums', 'A']
    W_V ['V', 'Z']
    """
    # matrix by matrix: which attention it decides, and all that decide it
    groups: dict[str, tuple[AttentionStages | None, tuple[str, ...]]]
    groups = {given.name: (None, (given.name,)) for given in mechanism.given}
    for attention in mechanism.attentions:
        # keys that another head shares are drawn for that one
        names = tuple(name for name in _find_aimed_names(mechanism, attention) if groups[name][0] is None)
        groups |= dict.fromkeys(names, (attention, names))
    drawn = [*dict.fromkeys(reversed(groups.values()))][::-1]  # each group once, where its last matrix stands
    given_by_name = {given.name: given for given in mechanism.given}
    # weights of values that heads share are drawn behind all heads, so that no row of them is one of W_K
    aimed = [at for at, (attention, _) in enumerate(drawn) if attention]
    for group in drawn[: max(aimed, default=0)]:
        first = given_by_name[group[1][0]]
        if group[0] is None and first.content is Content.WEIGHTS and not first.head:
            drawn.remove(group)
            drawn.insert(max(aimed), group)
    ready_stages = group_ready_stages(mechanism, [names for _, names in drawn])
    return [
        _Part(" ".join(names), tuple(given_by_name[name] for name in names), stages, attention)
        for (attention, names), stages in zip(drawn, ready_stages, strict=True)
    ]


def group_ready_stages(mechanism: Mechanism, groups: Sequence[tuple[str, ...]]) -> list[tuple[Stage, ...]]:
    """Return, for each group of given matrices, the stages that can be worked once it is there."""
    known: set[str] = set()
    waiting = list(mechanism.stages)
    ready = []
    for names in groups:
        known.update(names)
        ready_now = []
        for stage in tuple(waiting):
            if known.issuperset(stage.input_names):
                known.add(stage.name)
                ready_now.append(stage)
                waiting.remove(stage)
        ready.append(tuple(ready_now))
    return ready


def _find_compared(mechanism: Mechanism, attention: AttentionStages) -> tuple[str, ...]:
    """Return the names of the keys and the queries that are compared, before they are turned by their places."""
    stages = {stage.name: stage for stage in mechanism.stages}
    names = stages[attention.scores].input_names
    return tuple(
        stages[name].input_names[0] if name in stages and stages[name].form is Form.TURN else name for name in names
    )


def _find_aimed_names(mechanism: Mechanism, attention: AttentionStages) -> tuple[str, ...]:
    """Return which given matrices decide the scores of an attention, so that they can be drawn for good ones.

    W_Q and W_K, where queries and keys are projected once; X, where the tokens are compared as they are, or the table
    from which X is looked up. None where it is more than that.
    """
    contents = {given.name: given.content for given in mechanism.given}
    projections = {stage.name: stage for stage in mechanism.stages if stage.role is ProductRole.PROJECTION}
    keys, queries = _find_compared(mechanism, attention)
    if queries in projections and keys in projections:
        W_Q, W_K = (projections[name].input_names[0] for name in (queries, keys))
        are_given = W_Q != W_K and contents.get(W_Q) is contents.get(W_K) is Content.WEIGHTS
        is_projected_twice = any(projections[name].input_names[-1] in projections for name in (queries, keys))
        return (W_Q, W_K) if are_given and not is_projected_twice else ()
    if queries != keys:
        return ()
    if contents.get(queries) is Content.TOKENS:
        return (queries,)
    return (EMBEDDING_NAME,) if queries == "X" and contents.get(EMBEDDING_NAME) is Content.TOKENS else ()
