"""What each kind of stage gives, in plain loops over fractions: for comparison with what formulas give.

Tokens are columns. What is irrational is a fraction of sixty digits, so that one kind of number does for everything; a
masked score is None. Nothing here reads a formula: a stage is known by its topic.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from attnhand.attention.arithmetic import Arithmetic, Waves
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.attention.problem import Problem

Cell = Fraction | None
Lines = list[list[Cell]]
CellAt = tuple[int, int, int]
"""Which input, row and column (0-based)."""

Terms = list[tuple[CellAt, ...]]
"""What is added up in a cell of a product."""

SIXTY_DIGITS = Context(prec=60, Emax=10**6, Emin=-(10**6))
EIGHTY_DIGITS = Context(prec=80, Emax=10**6, Emin=-(10**6))

ROLES = {
    "queries": ProductRole.PROJECTION,
    "keys": ProductRole.PROJECTION,
    "values": ProductRole.PROJECTION,
    "scores": ProductRole.SCORES,
    "logits": ProductRole.PROJECTION,
    "outputs": ProductRole.MIXTURE,
    "output": ProductRole.LAYER,
    "layer": ProductRole.LAYER,
    "block_outputs": ProductRole.MIXTURE,
    **{f"gradient_{name}": ProductRole.GRADIENT for name in ("weights", "queries", "keys", "values")},
}
"""Topics of stages that are a product, and what it is for. All others go cell by cell."""

LEFT_TURNED, RIGHT_TURNED = ("scores", "gradient_weights"), ("gradient_keys", "gradient_values")
"""Topics of products whose left, or right, factor is transposed first."""

BLOCK_TOPICS = (
    *("largest", "largest_so_far", "rescaling", "block_powers", "block_sums", "running_sums", "running_outputs"),
    "divided",
)
"""Those of online attention, which are no product."""


@dataclass(frozen=True, kw_only=True)
class StageOracle:
    """The rules at work, and what a stage cannot read from its matrices."""

    scale: str
    base: str
    d_k: int
    has_rounded_waves: bool
    window: int | None
    words: tuple[str, ...]
    features: int
    has_radians: bool = False
    is_causal: bool = True
    padding: tuple[int, ...] = ()
    top_k: int | None = None
    kept: int = 0
    slope: int = 1
    sink: int | None = None
    temperature: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)
    moved: tuple[int, ...] = ()

    @property
    def nobody(self) -> Fraction:
        """What a sink adds to a sum."""
        power = Fraction(0) if self.sink is None else self._raise(Fraction(self.sink))
        return Fraction(power)

    def work(self, topic: str, inputs: Sequence[Lines]) -> Lines:
        """Work a stage of that topic, tokens as columns."""
        if topic in ROLES:
            sizes = find_product_size(topic, inputs)
            return [
                [self._add_up(list_terms(topic, inputs, i, j), inputs) for j in range(sizes[1])]
                for i in range(sizes[0])
            ]
        if topic == "positions":
            return [
                [self._wave(token, feature) for token, _ in enumerate(self.words)] for feature in range(self.features)
            ]
        if topic == "concat":
            return [list(row) for head in inputs for row in head]
        if topic in BLOCK_TOPICS:
            return self._work_block(topic, inputs)
        if topic == "appended":
            return [[*kept, *new] for kept, new in zip(*inputs, strict=True)]
        first, rows, columns = inputs[0], range(len(inputs[0])), range(len(inputs[0][0]))
        if topic == "squares":
            return [[sum((get(inputs, (0, i, j)) ** 2 for i in rows), Fraction(0)) / len(rows) for j in columns]]
        if topic == "squared_length":
            return [[sum((get(inputs, (0, i, j)) ** 2 for i in rows), Fraction(0)) for j in columns]]
        if topic == "new_rows":
            return self._work_new_rows(inputs)
        if topic in ("loss", "new_loss"):
            return [[self._be_surprised(inputs, j) for j in columns]]
        if topic in ("sums", "kept_sums", "new_sums"):
            return [[sum((get(inputs, (0, i, j)) for i in rows), self.nobody) for j in columns]]
        if topic == "gradient_mean":
            return [
                [sum((get(inputs, (0, i, j)) * get(inputs, (1, i, j)) for i in rows), Fraction(0)) for j in columns]
            ]
        if topic == "embedded":
            known = list(dict.fromkeys(self.words))
            return [[row[known.index(word)] for word in self.words] for row in first]
        return [[self._work_cell(topic, inputs, i, j) for j in columns] for i in rows]

    def _work_new_rows(self, inputs: Sequence[Lines]) -> Lines:
        """Work two rows of W_U after a step, from W_U, g and what is read out."""
        return [
            [
                get(inputs, (0, word - 1, at)) - self.rate * get(inputs, (1, word - 1, 0)) * get(inputs, (2, at, 0))
                for at, _ in enumerate(inputs[2])
            ]
            for word in self.moved
        ]

    def _work_block(self, topic: str, inputs: Sequence[Lines]) -> Lines:
        """Work a stage of online attention, query by query."""
        columns = [
            [[value for value in column if value is not None] for column in zip(*a, strict=True)] for a in inputs
        ]
        queries = range(len(columns[0]))
        match topic:
            case "largest" | "largest_so_far":
                made = [[max(value for a in columns for value in a[q])] for q in queries]
            case "rescaling":
                made = [[self._raise(columns[0][q][0] - columns[1][q][0])] for q in queries]
            case "block_powers":
                made = [[self._raise(score - columns[1][q][0]) for score in columns[0][q]] for q in queries]
            case "block_sums":
                made = [[sum(columns[0][q], Fraction(0))] for q in queries]
            case "running_sums":
                made = [[columns[0][q][0] * columns[1][q][0] + sum(columns[2][q])] for q in queries]
            case "running_outputs":
                values = inputs[2]
                made = [
                    [
                        columns[0][q][0] * before + sum(v * p for v, p in zip(row, columns[3][q], strict=True))
                        for before, row in zip(columns[1][q], values, strict=True)
                    ]
                    for q in queries
                ]
            case _:
                made = [[value / columns[1][q][0] for value in columns[0][q]] for q in queries]
        return [list(row) for row in zip(*made, strict=True)]

    @staticmethod
    def _add_up(terms: Terms, inputs: Sequence[Lines]) -> Fraction:
        numbers = ([get(inputs, at) for at in cells] for cells in terms)
        return sum((math.prod(each, start=Fraction(1)) for each in numbers), Fraction(0))

    def _work_cell(self, topic: str, inputs: Sequence[Lines], i: int, j: int) -> Cell:
        if topic == "masked":
            return None if self.hides(i, j) else inputs[0][i][j]
        if topic == "shifted":
            own, of_query = inputs[0][i][j], [row[j] for row in inputs[0]]
            return None if own is None else own - max(value for value in of_query if value is not None)
        if topic in ("powers", "new_powers"):
            return self._raise(inputs[0][i][j])
        value = get(inputs, (0, i, j))
        match topic:
            case "turned":
                terms = self.list_turned(i, j, len(inputs[0]))
                return sum((factor * get(inputs, (0, source, j)) for source, factor in terms), Fraction(0))
            case "scaled":
                return self._scale(value)
            case "gradient_scores":
                return value * (get(inputs, (1, i, j)) - get(inputs, (2, 0, j)))
            case "gradient_scaled":
                return value / 2 if self.scale == "half-floor" else self._scale(value)
            case "biased":
                return value - self.find_loss(i, j)
            case "tempered":
                tempered = value / self.temperature
                is_whole = self.base != "e" and self.scale in ("half-floor", "none") and self.temperature.numerator != 1
                return Fraction(tempered.numerator // tempered.denominator) if is_whole else tempered
            case "new_logits":
                return self._round(value - self.rate * get(inputs, (1, 0, j)) * get(inputs, (2, i, j)))
            case "weights" | "kept_weights" | "new_shares":
                return value / get(inputs, (1, 0, j))
            case "kept":
                assert self.top_k is not None
                larger = [get(inputs, (0, other, j)) for other, _ in enumerate(inputs[0])]
                return value if value in sorted(larger, reverse=True)[: self.top_k] else Fraction(0)
            case "gradient":
                return value - get(inputs, (1, i, j))
            case "relu":
                return value if value > 0 else Fraction(0)
            case "added":
                return value + get(inputs, (1, i, j))
            case "residual":
                return self._round(value + get(inputs, (1, i, j)))
            case "root":
                return max(self._round(take_root(value)), Fraction(1)) if self._rounds else take_root(value)
            case "normed":
                return self._round(value / get(inputs, (1, 0, j)))
            case _:
                raise AssertionError(f"no loop works {topic}: write one here, or say in ROLES what the product is for")

    @property
    def _rounds(self) -> bool:
        """Say whether tokens are kept whole."""
        return self.base not in ("e", "none")

    def _round(self, value: Fraction) -> Fraction:
        """Return the nearest whole number, halves away from zero."""
        if not self._rounds:
            return value
        whole = Fraction((2 * abs(value) + 1) // 2)
        return whole if value >= 0 else -whole

    def _be_surprised(self, inputs: Sequence[Lines], j: int) -> Fraction:
        """Return minus the logarithm of the share that has a 1 beside it, and of nothing else."""
        share = sum((get(inputs, (0, i, j)) * get(inputs, (1, i, j)) for i, _ in enumerate(inputs[0])), Fraction(0))
        if share <= 0:
            raise ZeroDivisionError
        with localcontext(EIGHTY_DIGITS):
            log = Decimal(share.denominator).ln() - Decimal(share.numerator).ln()
            return Fraction(log if self.base == "e" else log / Decimal(self.base).ln())

    def find_loss(self, key: int, query: int) -> int:
        """Return what a score loses by the distance of its key (both 0-based)."""
        return self.slope * (self.kept + query - key)

    def list_turned(self, i: int, place: int, count: int) -> list[tuple[int, Fraction]]:
        """Return from which rows (0-based) a cell is turned, each with its factor."""
        place += self.kept
        if place == 0:
            return [(i, Fraction(1))]
        if not self.has_radians:
            source, sign = find_turned_cell(i, place)
            return [(source, Fraction(sign))]
        cosine, sine = find_turn(place, i // 2, count)
        return [(i, cosine), (i + 1, -sine)] if i % 2 == 0 else [(i - 1, sine), (i, cosine)]

    def hides(self, key: int, query: int) -> bool:
        """Say whether a query does not see a key (both 0-based)."""
        is_later = self.is_causal and key > query
        return is_later or (self.window is not None and query - key >= self.window) or key + 1 in self.padding

    def _scale(self, score: Fraction) -> Fraction:
        match self.scale:
            case "half-floor":
                return Fraction((score / 2).numerator // (score / 2).denominator)
            case "none":
                return score
            case "sqrt":
                return score / Fraction(SIXTY_DIGITS.sqrt(Decimal(self.d_k)))
            case divisor:
                return score / int(divisor)

    def _raise(self, exponent: Cell) -> Fraction:
        if exponent is None:
            return Fraction(0)
        if self.base != "e" and exponent.denominator == 1:
            return Fraction(int(self.base)) ** exponent.numerator
        x = SIXTY_DIGITS.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
        if self.base == "e":
            return Fraction(SIXTY_DIGITS.exp(x))
        return Fraction(SIXTY_DIGITS.power(Decimal(self.base), x))

    def _wave(self, token: int, feature: int) -> Fraction:
        angle = token / math.pow(10_000, 2 * (feature // 2) / self.features)
        wave = math.cos(angle) if feature % 2 else math.sin(angle)
        return Fraction(math.floor(wave + 0.5) if self.has_rounded_waves else wave)


def take_root(value: Fraction) -> Fraction:
    """Return a square root, to sixty digits where it is irrational."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if (top * top, bottom * bottom) == (value.numerator, value.denominator):
        return Fraction(top, bottom)
    return Fraction(SIXTY_DIGITS.sqrt(SIXTY_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))))


def find_turn(place: int, pair: int, count: int) -> tuple[Fraction, Fraction]:
    """Return cosine and sine of an angle in radians, both from 1024 steps: the half of them doubled, and so on."""
    with localcontext(EIGHTY_DIGITS):
        step = Decimal(place) / Decimal(10_000) ** (Decimal(2 * pair) / count) / 1024
        cosine, sine = (
            sum((-1) ** n * step ** (2 * n + odd) / math.factorial(2 * n + odd) for n in range(20)) for odd in (0, 1)
        )
        for _ in range(10):
            cosine, sine = cosine * cosine - sine * sine, 2 * sine * cosine
    return Fraction(cosine), Fraction(sine)


def find_turned_cell(i: int, place: int) -> tuple[int, int]:
    """Return which row (0-based) a quarter turn a place brings to a row, and its sign."""
    partner, is_first = i + 1 - 2 * (i % 2), i % 2 == 0
    match place % 4:
        case 0:
            return i, 1
        case 1:
            return partner, -1 if is_first else 1
        case 2:
            return i, -1
        case _:
            return partner, 1 if is_first else -1


def get(inputs: Sequence[Lines], at: CellAt) -> Fraction:
    """Return a number that is no masked score."""
    value = inputs[at[0]][at[1]][at[2]]
    assert value is not None
    return value


def find_product_size(topic: str, inputs: Sequence[Lines]) -> tuple[int, int]:
    """Return rows and columns of a product: of scores the keys and the queries."""
    rows = len(inputs[0][0]) if topic in LEFT_TURNED else len(inputs[0])
    return rows, len(inputs[-1]) if topic in RIGHT_TURNED else len(inputs[-1][0])


def list_terms(topic: str, inputs: Sequence[Lines], i: int, j: int) -> Terms:
    """Return what is multiplied and added up in a cell of a product, between its factors a bias."""
    last = len(inputs) - 1
    if topic in RIGHT_TURNED:
        return [((0, i, r), (last, j, r)) for r in range(len(inputs[0][0]))]
    if topic in LEFT_TURNED:
        return [((0, r, i), (last, r, j)) for r in range(len(inputs[0]))]
    terms: Terms = [((0, i, r), (last, r, j)) for r in range(len(inputs[-1]))]
    return [*terms, ((1, i, 0),)] if len(inputs) == 3 else terms


def make_oracle(problem: Problem, arithmetic: Arithmetic, head: int = 0) -> StageOracle:
    """Return the oracle for the stages of a problem, or of one of its heads."""
    return StageOracle(
        scale=str(arithmetic.rules.scale),
        base=str(arithmetic.rules.base),
        d_k=problem.sizes.get("d_k", 1),
        has_rounded_waves=arithmetic.waves is Waves.ROUNDED,
        window=problem.variant.window,
        words=problem.variant.embedded_words,
        features=problem.sizes.get("features", 0),
        has_radians=problem.variant.has_radians,
        is_causal=problem.variant.is_causal,
        padding=problem.variant.padding,
        top_k=problem.variant.top_k,
        kept=problem.variant.cache or 0,
        slope=head or 1,
        sink=problem.variant.sink,
        temperature=problem.variant.temperature or Fraction(1),
        rate=problem.variant.learning_rate or Fraction(1),
        moved=problem.moved,
    )


def list_inputs(stage: Stage) -> tuple[str, ...]:
    """Return what a stage reads, in the order of columns: a product has its factors the other way round in rows."""
    return stage.input_names[::-1] if stage.product is not None and stage.convention.is_rows else stage.input_names


def to_lines(a: Matrix, *, is_rows: bool) -> Lines:
    """Return a matrix of a sheet as fractions, tokens as columns."""
    in_columns = zip(*a, strict=True) if is_rows else a
    return [[None if value == MINUS_INFINITY else Fraction(value) for value in row] for row in in_columns]


def work_sheet(problem: Problem, arithmetic: Arithmetic) -> dict[str, Lines]:
    """Work all stages from what is given."""
    is_rows = problem.convention.is_rows
    known = {name: to_lines(a, is_rows=is_rows) for name, a in problem.given}
    for stage in problem.mechanism.stages:
        oracle = make_oracle(problem, arithmetic, stage.head)
        known[stage.name] = oracle.work(stage.topic, [known[name] for name in list_inputs(stage)])
    return known


def list_cells(lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield row and column of every cell."""
    for i, row in enumerate(lines):
        for j, _ in enumerate(row):
            yield i, j
