"""From a seed and a level to a vetted problem."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Content, GivenMatrix, Mechanism, Stage
from attnhand.attention.numbers import Number
from attnhand.attention.problem import Problem
from attnhand.errors import GenerationError, name_option
from attnhand.problems.levels import Level, choose_requirements
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import Request
from attnhand.problems.vetting import WorkedStage, find_first_failed, iterate_worked_stages

MAX_DRAWS = 10_000
"""A seed that finds no good sheet in so many draws of a matrix is refused."""

MAX_MATRIX_REDRAWS = 12
"""A matrix that does not fit those before it is redrawn alone, so often at most."""


class EntryDistribution(NamedTuple):
    """How the lines of a matrix are drawn: few non-zeros, from a short list."""

    nonzero_counts: tuple[int, ...]
    """Numbers of non-zeros in a line, each equally likely, cut to the length of the line."""

    nonzero_values: tuple[int, ...]
    """What a non-zero may be, each equally likely."""


_MOSTLY_ONES = (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)

_DISTRIBUTIONS: Mapping[Level, Mapping[Content, EntryDistribution]] = {
    Level.WARM_UP: {
        Content.TOKENS: EntryDistribution((1, 2, 3), _MOSTLY_ONES),
        Content.WEIGHTS: EntryDistribution((1, 2), (1,)),
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

MAX_NARROW_FEATURES = 3
"""With so few features, or fewer, lines need richer entries to differ at all, whatever the level …"""

_NARROW_DISTRIBUTIONS: Mapping[Content, EntryDistribution] = {
    Content.TOKENS: EntryDistribution((1, 2, 2), (1, 1, 1, -1, -1, 2, -2)),
    Content.WEIGHTS: EntryDistribution((1, 2), (1, 1, 1, -1, -1, -1, 2, -2)),
}
"""… and rows of different weight matrices may be alike."""

_UNWEIGHTED_DISTRIBUTION = EntryDistribution((2, 3), (1, 1, 1, -1, -1))
"""What X is drawn from where its own columns are compared: without a −1 no score would be negative."""

_BIAS_VALUES = (1, -1, 0, 1, -1, 2)
"""What one number of a bias may be, each equally likely."""

MAX_LINE_REDRAWS = 64
"""A line that repeats an earlier one is drawn anew, so often at most."""


def _draw_line(stream: RandomStream, length: int, distribution: EntryDistribution) -> tuple[int, ...]:
    """Draw how many non-zeros, then their places, then each of them, in that order."""
    count = min(stream.pick(distribution.nonzero_counts), length)
    line = [0] * length
    for index in stream.sample(range(length), count):
        line[index] = stream.pick(distribution.nonzero_values)
    return tuple(line)


def _draw_lines(
    stream: RandomStream, count: int, length: int, distribution: EntryDistribution, seen_lines: set[tuple[Number, ...]]
) -> Matrix:
    """Draw lines that differ from one another and from those seen before; ``seen_lines`` grows."""
    lines: list[tuple[int, ...]] = []
    for _ in range(count):
        line = _draw_line(stream, length, distribution)
        redraws = MAX_LINE_REDRAWS
        while line in seen_lines and redraws:
            line, redraws = _draw_line(stream, length, distribution), redraws - 1
        seen_lines.add(line)
        lines.append(line)
    return tuple(lines)


def generate_problem(request: Request, *, salt: str = "", words: tuple[str, ...] = (), title: str = "") -> Problem:
    """Draw the vetted problem of a request.

    Args:
        salt: a secret that the paper does not show; it changes every number.

    Raises:
        GenerationError: no draw meets what the level asks at these sizes and rules.
    """
    search = _MatrixSearch(request, salt)
    if not search.fill_from():
        failure = search.failure_counts.most_common(1)[0][0]
        sizes = ", ".join(f"{name} {size}" for name, size in request.all_sizes.items())
        raise GenerationError(
            f"seed {request.seed} finds no good sheet of level {request.level} with {sizes} in {MAX_DRAWS:,} draws: "
            f"hardly one {failure}; try another seed, another size"
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
    """Draw matrix after matrix, each redrawn alone until all that can be worked with it is good.

    A matrix that finds no partner in ``MAX_MATRIX_REDRAWS`` draws sends the search back to the one before it.
    """

    def __init__(self, request: Request, salt: str) -> None:
        sizes = request.all_sizes
        self.mechanism, self.sizes, self.level = request.mechanism, sizes, request.level
        self.labels = (str(request.seed), *(("salt", salt) if salt else ()))
        self.arithmetic = Arithmetic(rules=request.rules, d_k=sizes.get("d_k", 1))
        keys, alike = sizes.get("memory", sizes["tokens"]), request.variant.first_occurrences
        self.requirements = choose_requirements(
            request.level, keys, self.arithmetic, allow_ties=request.allow_ties, first_occurrences=alike
        )
        self.draw_counts: Counter[str] = Counter()
        self.failure_counts: Counter[str] = Counter()
        self.matrices: dict[str, Matrix] = {}
        self.ready_stages = group_ready_stages(self.mechanism)

    def fill_from(self, index: int = 0) -> bool:
        """Find the matrices from that index on; False when they cannot be found for those before."""
        if index == len(self.mechanism.given):
            return True
        given_matrix = self.mechanism.given[index]
        for _ in range(MAX_MATRIX_REDRAWS if index else MAX_DRAWS):
            if self.draw_counts.total() >= MAX_DRAWS:
                return False
            self.matrices[given_matrix.name] = self._draw_matrix(given_matrix, index)
            if self._are_good(self.ready_stages[index]) and self.fill_from(index + 1):
                return True
        return False

    def _draw_matrix(self, given_matrix: GivenMatrix, index: int) -> Matrix:
        self.draw_counts[given_matrix.name] += 1
        attempt = self.draw_counts[given_matrix.name]
        stream = RandomStream(*self.labels, given_matrix.name, *([str(attempt)] if attempt > 1 else []))
        # written for columns, so tokens are drawn column by column, weights row by row
        rows, columns = (
            self.sizes.get(axis.size_name, 1) * axis.multiplier for axis in (given_matrix.rows, given_matrix.columns)
        )
        narrow = self.sizes["features"] <= MAX_NARROW_FEATURES
        if given_matrix.content is Content.BIAS:
            return tuple((stream.pick(_BIAS_VALUES),) for _ in range(rows))
        entries = (_NARROW_DISTRIBUTIONS if narrow else _DISTRIBUTIONS[self.level])[given_matrix.content]
        if given_matrix.content is Content.TOKENS:
            return transpose(_draw_lines(stream, columns, rows, self._choose_token_distribution(entries), set()))
        earlier_rows = {
            row
            for given in self.mechanism.given[:index]
            if given.content is Content.WEIGHTS and given.head == given_matrix.head
            for row in self.matrices[given.name]
            if not narrow
        }
        return _draw_lines(stream, rows, columns, entries, earlier_rows)

    def _choose_token_distribution(self, distribution: EntryDistribution) -> EntryDistribution:
        compares_itself = all(given.content is not Content.WEIGHTS for given in self.mechanism.given)
        has_room = self.sizes["features"] > MAX_NARROW_FEATURES
        must_be_richer = compares_itself and has_room and self.requirements.is_fraction_required
        return _UNWEIGHTED_DISTRIBUTION if must_be_richer else distribution

    def _are_good(self, stages: Sequence[Stage]) -> bool:
        """Say whether all that can be worked now is good: what is cheap to ask first, slips when all stages stand."""
        worked_stages: list[WorkedStage] = []
        for worked in iterate_worked_stages(self.mechanism, stages, self.matrices, self.requirements):
            if not self._passes(worked, slips=False):
                return False
            worked_stages.append(worked)
        return all(self._passes(worked, slips=True) for worked in worked_stages)

    def _passes(self, worked_stage: WorkedStage, *, slips: bool) -> bool:
        failure = find_first_failed(worked_stage, slips=slips)
        if failure is not None:
            self.failure_counts[failure] += 1
        return failure is None


def group_ready_stages(mechanism: Mechanism) -> tuple[tuple[Stage, ...], ...]:
    """For each given matrix, in order: the stages that can be worked once it is there."""
    known: set[str] = set()
    waiting = list(mechanism.stages)
    ready = []
    for given in mechanism.given:
        known.add(given.name)
        ready_now = []
        for stage in tuple(waiting):
            if known.issuperset(stage.input_names):
                known.add(stage.name)
                ready_now.append(stage)
                waiting.remove(stage)
        ready.append(tuple(ready_now))
    return tuple(ready)
