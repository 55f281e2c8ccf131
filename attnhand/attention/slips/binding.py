"""What names mean at a stage: which matrix is K, V or W there.

A slip is written once, in the names of one head's attention, and bound here to the matrices of a stage. A name that
nothing stands for there leaves the slip without a meaning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from attnhand.attention.formulas.compiling import Compiled, compile_formula
from attnhand.attention.formulas.kit import mask
from attnhand.attention.formulas.nodes import (
    HEAD,
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
    walk,
)
from attnhand.attention.formulas.reading import read_formula
from attnhand.attention.formulas.sizes import fit_letters
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.operations import LookUp, Mask, Product, ProductRole

OWN = "own"
"""What the stage itself should give, as slips call it."""

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BoundFormula:
    """A slip's formula in the names of a stage."""

    formula: Formula
    reads: tuple[str, ...]
    """Names of the matrices that it reads, of heads each one's."""

    vectors: frozenset[str]
    """Those that it reads by one index."""

    compiled: dict[tuple[Shape | None, tuple[Shape, ...]], Compiled | None] = field(default_factory=dict)
    """By the shapes of the stage and of what is read."""

    def compile(self, own: Shape | None, shapes: tuple[Shape, ...], binding: "Binding") -> Compiled | None:
        """Compile it once for these shapes; None where they do not fit one another.

        Args:
            own: of the stage; None where the slip has a shape of its own.
        """
        if (own, shapes) not in self.compiled:
            self.compiled[own, shapes] = self._compile(own, shapes, binding)
        return self.compiled[own, shapes]

    def _compile(self, own: Shape | None, shapes: tuple[Shape, ...], binding: "Binding") -> Compiled | None:
        lengths = dict(zip(self.reads, shapes, strict=True))
        for name in self.vectors:
            if min(lengths[name]) > 1:
                return None
            lengths[name] = (max(lengths[name]),)
        for name, heads in binding.families.items():
            if len({lengths[head] for head in heads}) > 1:
                return None
            lengths[name] = (len(heads), *lengths[heads[0]])
        indices = self.formula.indices
        known = {} if own is None else dict(zip(indices, own[-len(indices) :], strict=True))
        usual = {HEAD: len(binding.heads)}
        if "table" in binding.names:
            usual["w"] = lengths[binding.names["table"]][1]
        try:
            letters = fit_letters(
                self.formula,
                lengths,
                {index.name: length for index, length in known.items() if isinstance(index, Letter)},
                usual,
            )
        except FormulaError:  # a letter would run to two sizes
            return None
        sizes = {name: int(length) for name, length in letters.items()}
        return compile_formula(self.formula, sizes, frozenset(binding.families), binding.lists)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Binding:
    """What names mean at one stage."""

    names: Mapping[str, str]
    """Matrices by what slips call them."""

    families: Mapping[str, tuple[str, ...]]
    """The matrices of all heads by what slips call them together."""

    lists: Mapping[str, tuple[int, ...]]
    """Lists of places by name, from 1."""

    known: Mapping[str, int]
    """Numbers by name."""

    mask: Mask | None
    """The mask before the softmax, if there is one."""

    bound: dict[str, tuple[BoundFormula, ...]] = field(default_factory=dict)
    """By the ids of slips."""

    @property
    def heads(self) -> tuple[str, ...]:
        """What is read of each head, where a stage reads all of them."""
        return next(iter(self.families.values()), ())

    def bind(self, slip_id: str, lines: Sequence[str]) -> tuple[BoundFormula, ...]:
        """Return those of a slip's formulas that have a meaning here, in the names of the stage."""
        if slip_id not in self.bound:
            self.bound[slip_id] = tuple(filter(None, map(self._bind_line, lines)))
        return self.bound[slip_id]

    def _bind_line(self, line: str) -> BoundFormula | None:
        formula = read_formula(line)
        unbound: list[str] = []

        def change(node: Node) -> Node | None:
            match node:
                case Known("own"):
                    return Read(OWN, formula.indices)
                case Call("hidden", places):
                    if self.mask is not None:
                        return _write_condition(self.mask, places)
                    unbound.append("hidden")
                case Read(matrix, indices) if matrix not in self.lists:
                    if matrix in self.families:
                        return None
                    if matrix in self.names:
                        return Read(self.names[matrix], tuple(rewrite(index, change) for index in indices))
                    unbound.append(matrix)
            return None

        right = rewrite(formula.right, change)
        if unbound:
            return None
        found = [node for node in walk(right) if isinstance(node, Read) and node.matrix not in self.lists]
        reads = [name for node in found for name in self.families.get(node.matrix, (node.matrix,))]
        return BoundFormula(
            Formula(formula.topic, formula.name, formula.indices, right),
            tuple(dict.fromkeys(reads)),
            frozenset(node.matrix for node in found if len(node.indices) == 1),
        )


def _write_condition(own: Mask, places: Sequence[Node]) -> Node:
    """Return when a mask hides a cell, with other letters for its own."""
    formula = read_formula(mask("x", has_window=own.window is not None))
    assert isinstance(formula.right, Choice)
    letters = [place.name for place in places if isinstance(place, Letter)]
    return rename_letters(formula.right.condition, dict(zip(formula.letters, letters, strict=True)))


@lru_cache(maxsize=200)
def bind_stages(mechanism: Mechanism) -> Mapping[str, Binding]:
    """Return what names mean at every stage of a mechanism."""
    return {stage.name: _bind_stage(mechanism, stage) for stage in mechanism.stages}


def _bind_stage(mechanism: Mechanism, stage: Stage) -> Binding:
    mask_stage = mechanism.find_mask(stage)
    names = _name_attention(mechanism, stage.head)
    families: dict[str, tuple[str, ...]] = {}
    lists: dict[str, tuple[int, ...]] = {}
    reads = _list_reads(mechanism, stage)
    if isinstance(stage.operation, Product):
        left, *bias, right = reads
        names |= {"left": left, "right": right, **dict(zip("b", bias, strict=False))}
        if stage.role is not ProductRole.SCORES:
            names |= {"W": left, "X": right}
        if stage.role is ProductRole.PROJECTION:
            alike = [each for each in mechanism.stages if each.topic == stage.topic]
            names["W_next"] = _list_reads(mechanism, alike[(alike.index(stage) + 1) % len(alike)])[0]
    match stage.topic:
        case "embedded":
            names["table"] = reads[0]
            assert isinstance(stage.operation, LookUp)
            lists["word"] = tuple(index + 1 for index in stage.operation.word_indices)
        case "added":
            names |= dict(zip(("E", "P"), reads, strict=True))
        case "relu":
            names["x"] = reads[0]
        case "concat":
            families[strip_head(reads[0])] = reads
    window = None if mask_stage is None else mask_stage.window
    return Binding(
        names=names,
        families=families,
        lists=lists,
        known={} if window is None else {"window": window},
        mask=mask_stage,
    )


def _list_reads(mechanism: Mechanism, stage: Stage) -> tuple[str, ...]:
    """Return what a stage reads, in the order that it has with tokens as columns."""
    is_turned = mechanism.convention.is_rows and isinstance(stage.operation, Product)
    return stage.input_names[::-1] if is_turned else stage.input_names


def _name_attention(mechanism: Mechanism, head: int) -> dict[str, str]:
    """Return what matrices are called in slips at the stages of one head."""
    attention = next((each for each in mechanism.attentions if mechanism.get_stage(each.scores).head == head), None)
    if attention is None:
        return {}

    def list_reads(name: str) -> tuple[str, ...]:
        return _list_reads(mechanism, mechanism.get_stage(name))

    K, Q = list_reads(attention.scores)
    V, A = list_reads(attention.outputs)
    powers, sums = list_reads(A)
    names = {"K": K, "Q": Q, "V": V, "A": A, "S": attention.scores, "powers": powers, "sums": sums}
    stages = {stage.name: stage for stage in mechanism.stages}
    for name, matrix in (("K", K), ("Q", Q), ("V", V)):
        if matrix in stages and stages[matrix].role is ProductRole.PROJECTION:
            names[f"W_{name}"], names[f"X_{name}"] = list_reads(matrix)
    for name, reader in (("x", attention.powers), ("unmasked", attention.masked), ("unscaled", attention.scaled)):
        if reader:
            (names[name],) = list_reads(reader)
    return names
