"""One query's trace: against every key, through the stages to its weights, and the values that it mixes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import localcontext

from attnhand.attention.matrix import Matrix, transpose, unify_number_types
from attnhand.attention.mechanisms import AttentionStages, Mechanism, Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, simplify

Vector = tuple[Number, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTrace:
    """What becomes of one query in one head; the same whether tokens are columns or rows."""

    head: int
    """From 1; 0 where there is only one."""

    attention: AttentionStages
    """The stages of this head."""

    source_names: tuple[str, str, str]
    """Names of what queries, keys and values come from: Q, K, V, or X three times."""

    letters: tuple[str, str, str, str]
    """What a query, a key, a value and an output are called: q, k, v, z."""

    query: Vector
    keys: tuple[Vector, ...]
    """One for each token that is looked at."""

    steps: tuple[tuple[Stage, Vector], ...]
    """From the scores to the weights: each stage with its numbers for this query, key by key."""

    summed: str
    """Name of the step whose numbers are added up: the powers, where there is a softmax."""

    power_sum: Number
    """What they add up to."""

    values: tuple[Vector, ...]
    weighted_values: tuple[Vector, ...]
    """Every value times its weight."""

    output: Vector
    """The weighted values, added."""

    @property
    def weights(self) -> Vector:
        """The last step."""
        return self.steps[-1][1]


def can_be_traced(mechanism: Mechanism) -> bool:
    """Say whether a query can be followed from its scores to its output, in every head."""
    return bool(mechanism.attentions) and all(
        mechanism.find_stage(name)
        for each in mechanism.attentions
        for name in (each.scores, each.weights, each.outputs)
    )


def trace_query(mechanism: Mechanism, matrices: Mapping[str, Matrix], query_index: int) -> tuple[QueryTrace, ...]:
    """Follow one query (0-based) through every head.

    Args:
        mechanism: in the convention of the matrices.
        matrices: every matrix by name, given ones included.
    """
    if mechanism.convention.is_rows:
        mechanism, matrices = mechanism.mirrored, {name: transpose(a) for name, a in matrices.items()}
    return tuple(_trace_head(mechanism, matrices, attention, query_index) for attention in mechanism.attentions)


def _trace_head(
    mechanism: Mechanism, matrices: Mapping[str, Matrix], attention: AttentionStages, query_index: int
) -> QueryTrace:
    weight_stage = mechanism.get_stage(attention.weights)
    path = [weight_stage]
    while path[0].name != attention.scores:
        path.insert(0, mechanism.get_stage(path[0].formula.reads[0]))
    scores = path[0]
    keys, queries = scores.input_names
    mixture = mechanism.get_stage(attention.outputs)
    values_name = mixture.input_names[0]
    values = transpose(matrices[values_name])
    columns = {given.name: given.columns for given in mechanism.given}
    columns |= {stage.name: stage.columns for stage in mechanism.stages}
    weights_of_query = tuple(row[query_index] for row in matrices[weight_stage.name])
    return QueryTrace(
        head=weight_stage.head,
        attention=attention,
        source_names=(queries, keys, values_name),
        letters=(scores.columns.letter, scores.rows.letter, columns[values_name].letter, mixture.columns.letter),
        query=transpose(matrices[queries])[query_index],
        keys=transpose(matrices[keys]),
        steps=tuple((stage, tuple(row[query_index] for row in matrices[stage.name])) for stage in path),
        summed=weight_stage.input_names[0],
        power_sum=matrices[attention.sums][0][query_index],
        values=values,
        weighted_values=tuple(map(_scale_vector, weights_of_query, values)),
        output=transpose(matrices[mixture.name])[query_index],
    )


def _scale_vector(weight: Number, vector: Vector) -> Vector:
    with localcontext(DECIMAL_CONTEXT):
        ((factor,),), (numbers,) = unify_number_types([((weight,),), (vector,)])
        return tuple(simplify(factor * x) for x in numbers)  # type: ignore[operator]  # of one kind
