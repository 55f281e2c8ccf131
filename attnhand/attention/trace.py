"""One query's journey: against every key, through the stages to its weights, and the values that it mixes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import localcontext

from attnhand.attention.matrix import Matrix, in_one_kind, transposed
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.numbers import PRECISION, Number, simplest
from attnhand.attention.operations import Along, Divide, Product, Role, Sum

Vector = tuple[Number, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """What becomes of one query in one head; the same whether tokens are columns or rows."""

    head: int
    """From 1; 0 where there is only one."""

    reads: tuple[str, str, str]
    """Names of what queries, keys and values come from: Q, K, V, or X three times."""

    letters: tuple[str, str, str, str]
    """What a query, a key, a value and an output are called: q, k, v, z."""

    query: Vector
    keys: tuple[Vector, ...]
    """One for each token that is looked at."""

    steps: tuple[tuple[Stage, Vector], ...]
    """From the scores to the weights: each stage with its numbers for this query, key by key."""

    total: Number
    """The sum of the powers."""

    values: tuple[Vector, ...]
    weighted: tuple[Vector, ...]
    """Every value times its weight."""

    output: Vector
    """The weighted values, added."""

    @property
    def weights(self) -> Vector:
        """The last step."""
        return self.steps[-1][1]


def journeys(mechanism: Mechanism, made: Mapping[str, Matrix], query: int) -> tuple[Journey, ...]:
    """Follow one query (0-based) through every head.

    Args:
        mechanism: in the convention of the matrices.
        made: every matrix by name, given ones included.
    """
    if mechanism.query_along is Along.ROWS:
        mechanism, made = mechanism.mirrored, {name: transposed(a) for name, a in made.items()}
    weights = [stage for stage in mechanism.stages if isinstance(stage.operation, Divide)]
    return tuple(_journey(mechanism, made, stage, query) for stage in weights)


def _journey(mechanism: Mechanism, made: Mapping[str, Matrix], weights: Stage, query: int) -> Journey:
    way = [weights]
    while not isinstance(way[0].operation, Product):
        way.insert(0, mechanism.stage(way[0].reads[0]))
    keys, queries = way[0].reads
    mixture = next(stage for stage in mechanism.stages if _mixes_by(stage, weights))
    sums = next(stage for stage in mechanism.stages if isinstance(stage.operation, Sum) and stage.name in weights.reads)
    values = transposed(made[mixture.reads[0]])
    sides = {given.name: given.columns for given in mechanism.given}
    sides |= {stage.name: stage.columns for stage in mechanism.stages}
    shares = tuple(row[query] for row in made[weights.name])
    return Journey(
        head=weights.head,
        reads=(queries, keys, mixture.reads[0]),
        letters=(way[0].columns.letter, way[0].rows.letter, sides[mixture.reads[0]].letter, mixture.columns.letter),
        query=transposed(made[queries])[query],
        keys=transposed(made[keys]),
        steps=tuple((stage, tuple(row[query] for row in made[stage.name])) for stage in way),
        total=made[sums.name][0][query],
        values=values,
        weighted=tuple(_times(share, value) for share, value in zip(shares, values, strict=True)),
        output=transposed(made[mixture.name])[query],
    )


def _mixes_by(stage: Stage, weights: Stage) -> bool:
    product = stage.operation
    return isinstance(product, Product) and product.role is Role.MIXTURE and weights.name in stage.reads


def _times(share: Number, value: Vector) -> Vector:
    with localcontext(PRECISION):
        (a,), line = in_one_kind([((share,),), (value,)])
        return tuple(simplest(a[0] * x) for x in line[0])  # type: ignore[operator]  # of one kind
