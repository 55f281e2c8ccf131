"""What names mean at a stage: which matrix is K, V or W there, found by what formulas read.

A slip is written once, in the names of one head's attention, and bound here to the matrices of a stage. A name that
nothing stands for there leaves the slip without a meaning.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from attnhand.attention.formulas.mechanism import Mechanism, Stage
from attnhand.attention.formulas.nodes import (
    Call,
    Choice,
    Formula,
    FormulaError,
    Known,
    Letter,
    Node,
    Read,
    rename_letters,
    rewrite,
)
from attnhand.attention.formulas.sizes import list_bound_letters

PROJECTIONS = ("queries", "keys", "values")
LAYERS = ("output", "layer")
PRODUCTS = (*PROJECTIONS, "scores", "outputs", *LAYERS)
"""Topics of stages that multiply two matrices."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What names mean at one stage."""

    names: Mapping[str, str]
    """Matrices by what a slip calls them."""

    own: Formula
    """The stage's own formula."""

    mask: Formula | None
    """The formula of the mask before the softmax, if there is one."""


@lru_cache(maxsize=2_000)
def bind_stage(mechanism: Mechanism, stage: Stage) -> Binding:
    """Return what names mean at a stage."""
    names: dict[str, str] = {}
    mask: Formula | None = None
    for attention in _list_attentions(mechanism):
        if stage in attention.values():
            names, mask = _name_attention(mechanism, attention)
            break
    reads = mechanism.list_reads(stage)
    match stage.topic:
        case topic if topic in PRODUCTS:
            factors = reads if len(reads) > 1 else reads * 2  # X for keys and for queries
            names |= dict(zip(("left", "right", "b"), factors, strict=False))
            if topic != "scores":
                names |= {"W": names["left"], "X": names["right"]}
            if topic in PROJECTIONS and stage.head:
                after = stage.head % mechanism.head_count + 1
                names["W_next"] = f"h{after}.{names['W'].rpartition('.')[2]}"
        case "embedded":
            names["table"] = reads[0]
        case "added":
            names |= dict(zip(("E", "P"), reads, strict=True))
        case "relu":
            names["x"] = reads[0]
        case "concat":
            names["Z"] = reads[0]
    return Binding(names, stage.formula, mask)


_Attention = dict[str, Stage]
"""The stages of one head, by what they are called in slips."""


def _list_attentions(mechanism: Mechanism) -> Iterator[_Attention]:
    """Yield the attention of each head: from its outputs down to what they come from, by what each stage reads."""
    stages = {stage.name: stage for stage in mechanism.stages}

    def follow(stage: Stage, *names: str) -> _Attention:
        """Return the stages that a stage reads, in the order of reading; given matrices are left out."""
        reads = mechanism.list_reads(stage)
        return {name: stages[read] for name, read in zip(names, reads, strict=False) if read in stages}

    for outputs in (stage for stage in mechanism.stages if stage.topic == "outputs"):
        attention = {"Z": outputs, **follow(outputs, "V", "A")}
        attention |= follow(attention["A"], "powers", "sums")
        step = attention["x"] = follow(attention["powers"], "x")["x"]
        while step.topic != "scores":
            attention[step.topic] = step
            step = follow(step, "next")["next"]
        attention |= {"S": step, **follow(step, "K", "Q")}
        yield {name: stage for name, stage in attention.items() if name not in "KQV" or stage.topic in PROJECTIONS}


def _name_attention(mechanism: Mechanism, attention: _Attention) -> tuple[dict[str, str], Formula | None]:
    """Return what matrices are called in slips at the stages of one head."""
    names = {name: stage.name for name, stage in attention.items()}
    (K, *others), (V, *_) = mechanism.list_reads(attention["S"]), mechanism.list_reads(attention["Z"])
    names |= {"K": K, "Q": (others or [K])[0], "V": V}
    for name in "QKV":
        if name in attention:
            names[f"W_{name}"], names[f"X_{name}"] = mechanism.list_reads(attention[name])[:2]
    mask, scaling = attention.get("masked"), attention.get("scaled")
    if mask is not None:
        (names["unmasked"],) = mechanism.list_reads(mask)
    if scaling is not None:
        (names["unscaled"],) = mechanism.list_reads(scaling)
    return names, None if mask is None else mask.formula


def bind_formula(formula: Formula, binding: Binding, lists: Container[str]) -> Formula | None:
    """Return a slip's formula in the names of a stage; None where one of them stands for nothing there.

    Args:
        lists: names of lists of places, which are no matrices.
    """
    unbound: list[str] = []

    def change(node: Node) -> Node | None:
        match node:
            case Known("own"):
                return _put_letters(binding.own, formula.indices)
            case Call("hidden", places):
                right = None if binding.mask is None else _put_letters(binding.mask, places)
                if isinstance(right, Choice):
                    return right.condition
                unbound.append("hidden")
            case Read(matrix, indices) if matrix not in lists:
                if matrix in binding.names:
                    return Read(binding.names[matrix], tuple(rewrite(index, change) for index in indices))
                unbound.append(matrix)
        return None

    right = rewrite(formula.right, change)
    return None if unbound else Formula(formula.topic, formula.name, formula.indices, right)


def _put_letters(formula: Formula, indices: Sequence[Node]) -> Node:
    """Return a formula's right side with other letters for those on its left."""
    letters = [index.name for index in indices if isinstance(index, Letter)]
    if clash := sorted(set(letters) & set(list_bound_letters(formula.right))):
        raise FormulaError(f"{formula.name}: the index {clash[0]} is bound in it: take another letter")
    return rename_letters(formula.right, dict(zip(formula.letters, letters, strict=True)))
