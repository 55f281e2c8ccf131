"""The parts of a mechanism: what is given, and a list of stages."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import NamedTuple

from attnhand.attention.convention import Convention
from attnhand.attention.operations import Add, LookUp, Mask, Operation, Product, ProductRole, ScaleScores


class Dimension(NamedTuple):
    """One side of a matrix."""

    size_name: str
    """Name of its size (``tokens``, ``features``, ``d_k``, ``d_v``, …), or ``one``."""

    letter: str = ""
    """What its vectors are called: k gives k₁, k₂, …; empty where they are only numbered."""

    multiplier: int = 1
    """It is so many times as long: heads that stand side by side."""


class Content(StrEnum):
    """What a given matrix holds, and so how numbers for it are drawn."""

    TOKENS = "tokens"
    WEIGHTS = "weights"
    BIAS = "bias"


@dataclass(frozen=True, slots=True)
class GivenMatrix:
    """A matrix that the problem states."""

    name: str
    content: Content
    rows: Dimension
    columns: Dimension
    head: int = 0
    """Which head it belongs to, from 1; 0 for none."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the computation: an operation and the matrices it reads."""

    name: str
    """The id used in code, templates, answer files and reports."""

    topic: str
    """Which sentences of the language table speak of it."""

    operation: Operation
    input_names: tuple[str, ...]
    """Names of given matrices or earlier stages, in the order the operation takes them."""

    rows: Dimension
    columns: Dimension
    head: int = 0
    """Which head it belongs to, from 1; 0 for none."""

    @property
    def role(self) -> ProductRole | None:
        """What the stage's product is for; None where it is no product."""
        return self.operation.role if isinstance(self.operation, Product) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionStages:
    """Which stages of a mechanism are one head's attention, by name."""

    scores: str
    """Every key against every query."""

    scaled: str = ""
    """The scores divided by √d_k; empty where they are not."""

    masked: str = ""
    """The scores that a mask leaves; empty without a mask."""

    powers: str = ""
    """What the softmax makes of a score before it divides; empty where there is no softmax."""

    sums: str
    """What each query's weights are divided by."""

    weights: str
    """How much each query attends to each key."""

    outputs: str
    """The values, mixed by the weights."""

    @property
    def maskable(self) -> str:
        """What a mask is put on: what the softmax raises something to the power of."""
        return self.scaled or self.scores


StageChains = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A literal list of stages over named matrices."""

    name: str
    given: tuple[GivenMatrix, ...]
    stages: tuple[Stage, ...]

    attentions: tuple[AttentionStages, ...]
    """The attention in it, one for each head."""

    convention: Convention = Convention.COLUMNS
    """Mechanisms are written with tokens as columns; ``mirrored`` makes the other."""

    stage_chains: StageChains
    """In the order of the paper: one tuple a page, each the stages through which one query goes down (or across).

    A stage that is in no chain is worked where it is first read, beside the product that needs it.
    """

    def get_stage(self, name: str) -> Stage:
        """Return the stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    def convert_to(self, convention: Convention) -> "Mechanism":
        """Return the mechanism with tokens in that convention."""
        return self if convention is self.convention else self.mirrored

    @property
    def mirrored(self) -> "Mechanism":
        """The same mechanism in the other convention: every matrix and every stage transposed."""
        return replace(
            self,
            given=tuple(replace(given, rows=given.columns, columns=given.rows) for given in self.given),
            stages=tuple(_mirror_stage(stage) for stage in self.stages),
            convention=self.convention.mirrored,
        )

    @property
    def weight_stages(self) -> tuple[Stage, ...]:
        """The stages that give attention weights, one a head."""
        return tuple(self.get_stage(attention.weights) for attention in self.attentions)

    def find_mask(self, stage: Stage) -> Mask | None:
        """Return the mask that hides cells of a stage: its own, or that of the scores it is made from."""
        for attention in self.attentions:
            if attention.masked and stage.name in (attention.masked, attention.powers, attention.weights):
                mask = self.get_stage(attention.masked).operation
                return mask if isinstance(mask, Mask) else None
        return None

    def find_powers(self, sums: Stage) -> Stage | None:
        """Return the powers that a stage adds up; None where it adds up something else."""
        names = [attention.powers for attention in self.attentions if attention.sums == sums.name and attention.powers]
        return self.get_stage(names[0]) if names else None

    @property
    def size_names(self) -> tuple[str, ...]:
        """Names of the sizes that its matrices have, in the order in which they come up."""
        axes = [axis for given in self.given for axis in (given.rows, given.columns)]
        return tuple(dict.fromkeys(axis.size_name for axis in axes if axis.size_name != "one"))

    @property
    def head_count(self) -> int:
        """Count its heads."""
        return max(1, *(stage.head for stage in self.stages))

    @property
    def is_scaled(self) -> bool:
        """Say whether scores are divided by √d_k."""
        return any(isinstance(stage.operation, ScaleScores) for stage in self.stages)


def make_head(mechanism: Mechanism, head: int, shared_names: Sequence[str]) -> Mechanism:
    """Return a mechanism as one of several heads: every name but the shared ones begins with h1., h2., …"""

    def name_in_head(name: str) -> str:
        return name if name in shared_names or not name else f"h{head}.{name}"

    return replace(
        mechanism,
        given=tuple(
            given if given.name in shared_names else replace(given, name=name_in_head(given.name), head=head)
            for given in mechanism.given
        ),
        stages=tuple(
            replace(
                stage, name=name_in_head(stage.name), input_names=tuple(map(name_in_head, stage.input_names)), head=head
            )
            for stage in mechanism.stages
        ),
        attentions=tuple(
            AttentionStages(**{field.name: name_in_head(getattr(each, field.name)) for field in fields(each)})
            for each in mechanism.attentions
        ),
        stage_chains=tuple(tuple(map(name_in_head, chain)) for chain in mechanism.stage_chains),
    )


def _mirror_stage(stage: Stage) -> Stage:
    """Swap the sides: Q = W_Q X becomes Q = X W_Q, k × q becomes q × k."""
    reads = stage.input_names[::-1] if isinstance(stage.operation, Product) else stage.input_names
    return replace(stage, operation=stage.operation.mirrored, input_names=reads, rows=stage.columns, columns=stage.rows)


def get_query_inputs(stage: Stage) -> tuple[str, ...]:
    """Return what a stage reads on the side that carries the query (0-based): X for Q, Q for S, A for Z."""
    if isinstance(stage.operation, Product):
        return (stage.input_names[0 if stage.operation.convention.is_rows else -1],)
    return stage.input_names


def get_side_input(stage: Stage) -> str | None:
    """Return what stands beside a stage: of a product the other factor (W_Q for Q, K for S, V for Z).

    A table stands beside what is looked up in it, and a position beside the X that it is added to.
    """
    match stage.operation:
        case Product(convention=convention):
            return stage.input_names[-1 if convention.is_rows else 0]
        case LookUp():
            return stage.input_names[0]
        case Add():
            return stage.input_names[1]
        case _:
            return None


def strip_head(name: str) -> str:
    """Return the name of a matrix without its head: on paper a head has pages of its own.

    >>> strip_head("h1.W_Q"), strip_head("W_O")
    ('W_Q', 'W_O')
    """
    return name.rpartition(".")[2]
