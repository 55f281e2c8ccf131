"""From a seed and a level to a vetted problem."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, transposed
from attnhand.attention.mechanisms import Content, Convention, Given, Mechanism, Stage
from attnhand.attention.numbers import Number
from attnhand.attention.problem import Problem
from attnhand.errors import GenerationError
from attnhand.problems.levels import Level, requirements
from attnhand.problems.random_stream import Stream
from attnhand.problems.request import Request
from attnhand.problems.vetting import Worked, failed_wish, worked_stages

MOST_DRAWS = 10_000
"""A seed that finds no good sheet in so many draws of a matrix is refused."""

TRIES = 12
"""A matrix that does not fit those before it is redrawn alone, so often at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """How the lines of a matrix are drawn: few non-zeros, from a short list."""

    counts: tuple[int, ...]
    """Numbers of non-zeros in a line, each equally likely, cut to the length of the line."""

    values: tuple[int, ...]
    """What a non-zero may be, each equally likely."""


_MOSTLY_ONES = (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)

_ENTRIES: Mapping[Level, Mapping[Content, Entries]] = {
    Level.WARM_UP: {
        Content.TOKENS: Entries(counts=(1, 2, 3), values=_MOSTLY_ONES),
        Content.WEIGHTS: Entries(counts=(1, 2), values=(1,)),
    },
    Level.STANDARD: {
        Content.TOKENS: Entries(counts=(2, 3, 4), values=_MOSTLY_ONES),
        Content.WEIGHTS: Entries(counts=(2, 3), values=(1, 1, 1, 1, 1, 1, 1, -1, -1, -1)),
    },
    Level.CHALLENGE: {
        Content.TOKENS: Entries(counts=(2, 3), values=(1, 1, 1, 1, 1, -1, -1, 2, -2)),
        Content.WEIGHTS: Entries(counts=(1, 2), values=(1, 1, 1, 1, -1, -1)),
    },
}
"""What a level draws from; part of recipe 1, as is all that follows here."""

NARROW = 3
"""With so few features, or fewer, lines need richer entries to differ at all, whatever the level …"""

_NARROW_ENTRIES: Mapping[Content, Entries] = {
    Content.TOKENS: Entries(counts=(1, 2, 2), values=(1, 1, 1, -1, -1, 2, -2)),
    Content.WEIGHTS: Entries(counts=(1, 2), values=(1, 1, 1, -1, -1, -1, 2, -2)),
}
"""… and rows of different weight matrices may be alike."""

_UNWEIGHTED = Entries(counts=(2, 3), values=(1, 1, 1, -1, -1))
"""What X is drawn from where its own columns are compared: without a −1 no score would be negative."""

_BIASES = (1, -1, 0, 1, -1, 2)
"""What one number of a bias may be, each equally likely."""

MOST_REDRAWS = 64
"""A line that repeats an earlier one is drawn anew, so often at most."""


def _line(stream: Stream, length: int, entries: Entries) -> tuple[int, ...]:
    """Draw how many non-zeros, then their places, then each of them, in that order."""
    count = min(stream.pick(entries.counts), length)
    line = [0] * length
    for place in stream.sample(range(length), count):
        line[place] = stream.pick(entries.values)
    return tuple(line)


def _lines(stream: Stream, count: int, length: int, entries: Entries, seen: set[tuple[Number, ...]]) -> Matrix:
    """Draw lines that differ from one another and from those seen before; ``seen`` grows."""
    lines: list[tuple[int, ...]] = []
    for _ in range(count):
        line = _line(stream, length, entries)
        for _ in range(MOST_REDRAWS):
            if line not in seen:
                break
            line = _line(stream, length, entries)
        seen.add(line)
        lines.append(line)
    return tuple(lines)


def generate_problem(request: Request, *, salt: str = "", words: tuple[str, ...] = (), title: str = "") -> Problem:
    """Draw the vetted problem of a request.

    Args:
        salt: a secret that the paper does not show; it changes every number.

    Raises:
        GenerationError: no draw meets what the level asks at these sizes and rules.
    """
    search = _Search(request, salt)
    if not search.fill():
        wish = search.failed.most_common(1)[0][0]
        sizes = ", ".join(f"{name} {size}" for name, size in request.all_sizes.items())
        raise GenerationError(
            f"seed {request.seed} finds no good sheet of level {request.level} with {sizes} in {MOST_DRAWS:,} draws: "
            f"hardly one {wish}; try another seed, another size{'' if request.ties else ', or --ties'}"
        )
    problem = Problem(
        form=request.form,
        given=tuple((given.name, search.known[given.name]) for given in request.mechanism.given),
        rules=request.rules,
        words=words,
        title=title,
    )
    return problem if request.convention is Convention.COLUMNS else problem.transposed()


class _Search:
    """Draw matrix after matrix, each redrawn alone until all that can be worked with it is good.

    A matrix that finds no partner in ``TRIES`` draws sends the search back to the one before it.
    """

    def __init__(self, request: Request, salt: str) -> None:
        sizes = request.all_sizes
        self.mechanism, self.sizes, self.level = request.mechanism, sizes, request.level
        self.labels = (str(request.seed), *(("salt", salt) if salt else ()))
        self.arithmetic = Arithmetic(rules=request.rules, d_k=sizes.get("d_k", 1))
        keys = sizes.get("memory", sizes["tokens"])
        self.wanted = requirements(request.level, keys, self.arithmetic, ties=request.ties, alike=request.form.alike)
        self.drawn: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.known: dict[str, Matrix] = {}
        self.ready = _ready_stages(self.mechanism)

    def fill(self, at: int = 0) -> bool:
        """Find the matrices from number ``at`` on; False when they cannot be found for those before."""
        if at == len(self.mechanism.given):
            return True
        wanted = self.mechanism.given[at]
        for _ in range(TRIES if at else MOST_DRAWS):
            if self.drawn.total() >= MOST_DRAWS:
                return False
            self.known[wanted.name] = self._draw(wanted, at)
            if self._good(self.ready[at]) and self.fill(at + 1):
                return True
        return False

    def _draw(self, wanted: Given, at: int) -> Matrix:
        self.drawn[wanted.name] += 1
        attempt = self.drawn[wanted.name]
        stream = Stream(*self.labels, wanted.name, *([str(attempt)] if attempt > 1 else []))
        # written for columns, so tokens are drawn column by column, weights row by row
        rows, columns = (self.sizes.get(axis.size, 1) * axis.times for axis in (wanted.rows, wanted.columns))
        narrow = self.sizes["features"] <= NARROW
        if wanted.content is Content.BIAS:
            return tuple((stream.pick(_BIASES),) for _ in range(rows))
        entries = (_NARROW_ENTRIES if narrow else _ENTRIES[self.level])[wanted.content]
        if wanted.content is Content.TOKENS:
            return transposed(_lines(stream, columns, rows, self._token_entries(entries), set()))
        before = {
            row
            for given in self.mechanism.given[:at]
            if given.content is Content.WEIGHTS and given.head == wanted.head
            for row in self.known[given.name]
            if not narrow
        }
        return _lines(stream, rows, columns, entries, before)

    def _token_entries(self, entries: Entries) -> Entries:
        compares_itself = all(given.content is not Content.WEIGHTS for given in self.mechanism.given)
        has_room = self.sizes["features"] > NARROW
        return _UNWEIGHTED if compares_itself and self.wanted.shows_fractions and has_room else entries

    def _good(self, stages: Sequence[Stage]) -> bool:
        """Say whether all that can be worked now is good: what is cheap to ask first, slips when all stages stand."""
        made: list[Worked] = []
        for worked in worked_stages(self.mechanism, stages, self.known, self.wanted):
            if not self._meets(worked, slips=False):
                return False
            made.append(worked)
        return all(self._meets(worked, slips=True) for worked in made)

    def _meets(self, worked: Worked, *, slips: bool) -> bool:
        wish = failed_wish(worked, slips=slips)
        if wish is not None:
            self.failed[wish] += 1
        return wish is None


def _ready_stages(mechanism: Mechanism) -> tuple[tuple[Stage, ...], ...]:
    """For each given matrix, in order: the stages that can be worked once it is there."""
    known: set[str] = set()
    left = list(mechanism.stages)
    ready = []
    for given in mechanism.given:
        known.add(given.name)
        now = []
        for stage in tuple(left):
            if known.issuperset(stage.reads):
                known.add(stage.name)
                now.append(stage)
                left.remove(stage)
        ready.append(tuple(now))
    return tuple(ready)
