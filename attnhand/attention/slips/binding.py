"""What names mean at a stage: which matrix is K, V or W there.

A slip is written once, in the names of one head's attention, and bound here to the matrices of a stage. A name that
nothing stands for there leaves the slip without a meaning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Formula,
    Known,
    Letter,
    Negative,
    Node,
    Number,
    Read,
    rename_letters,
    rewrite,
    walk,
)
from attnhand.attention.formulas.reading import read_formula
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.mechanisms.base import Form, strip_head
from attnhand.attention.mechanisms.products import ProductRole

OWN = "own"
"""What the stage itself should give, as slips call it."""


BLOCK_NAMES: Mapping[str, tuple[str, ...]] = {
    "largest_so_far": ("before", "x"),
    "rescaling": ("before", "after"),
    "block_powers": ("x", "largest"),
    "running_sums": ("factor", "before", "powers"),
    "running_outputs": ("factor", "before", "V", "powers"),
    "divided": ("mixed", "total"),
}
"""What slips call the matrices that a stage of a block reads, in its order; before is what the last block left."""


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

    usual: Mapping[str, int]
    """How far a letter runs of which no matrix says it."""

    sink: int | None
    """The score whose power is in the sums; None for none."""

    temperature: Fraction | None
    """By what scores are divided before that; None for 1."""

    mask: Choice | None
    """What the mask before the softmax writes, if there is one."""

    bound: dict[str, tuple[BoundFormula, ...]] = field(default_factory=dict)
    """By the ids of slips."""

    def bind(self, slip_id: str, lines: Sequence[str]) -> tuple[BoundFormula, ...]:
        """Return those of a slip's formulas that have a meaning here, in the names of the stage."""
        if slip_id not in self.bound:
            self.bound[slip_id] = tuple(filter(None, map(self._bind_line, lines)))
        return self.bound[slip_id]

    def _bind_line(self, line: str) -> BoundFormula | None:
        formula = _read_line(line)
        unbound: list[str] = []

        def change(node: Node) -> Node | None:
            match node:
                case Known("own"):
                    return Read(OWN, formula.indices)
                case Binary("+", left, Known("nothing")):
                    rest = rewrite(left, change)
                    power = Binary("^", Known("base"), _write_number(self.sink))
                    return rest if self.sink is None else Binary("+", rest, power)
                case Known(name) if name in self.known:  # an index may lie so far off
                    return _write_number(self.known[name])
                case Known("sink") if self.sink is not None:
                    return _write_number(self.sink)
                case Known("temperature") if self.temperature is not None:
                    return _write_number(self.temperature)
                case Known("sink" | "temperature" as name):
                    unbound.append(name)
                case Call("hidden", places):
                    if self.mask is not None:
                        letters = [place.name for place in places if isinstance(place, Letter)]
                        return rename_letters(self.mask.condition, dict(zip(("k", "q"), letters, strict=True)))
                    unbound.append("hidden")
                case Read("own", indices):
                    return Read(OWN, tuple(rewrite(index, change) for index in indices))
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
            formula=Formula(formula.topic, formula.name, formula.indices, right),
            reads=tuple(dict.fromkeys(reads)),
            families={name: heads for name, heads in self.families.items() if name in {node.matrix for node in found}},
            lists=self.lists,
            usual=self.usual,
        )


@lru_cache(maxsize=1_000)
def _read_line(line: str) -> Formula:
    """Read a line of a slip, once for all stages and mechanisms."""
    return read_formula(line)


def _write_number(number: Fraction | int | None) -> Node:
    """Write a whole number or a fraction as formulas have it."""
    ratio = Fraction(number or 0)
    top: Node = Number(abs(ratio.numerator))
    top = Negative(top) if ratio < 0 else top
    return top if ratio.denominator == 1 else Binary("/", top, Number(ratio.denominator))


@lru_cache(maxsize=200)
def bind_stages(mechanism: Mechanism) -> Mapping[str, Binding]:
    """Return what names mean at every stage of a mechanism."""
    return {stage.name: _bind_stage(mechanism, stage) for stage in mechanism.stages}


def _bind_stage(mechanism: Mechanism, stage: Stage) -> Binding:
    mask_stage = mechanism.find_mask(stage)
    names = _name_attention(mechanism, _find_head(mechanism, stage))
    families: dict[str, tuple[str, ...]] = {}
    usual: dict[str, int] = {}
    reads = stage.formula.reads
    if stage.product is not None:
        left, *bias, right = stage.factor_names
        names |= {"left": left, "right": right, **dict(zip("b", bias, strict=False))}
        if stage.role is not ProductRole.SCORES:
            names |= {"W": left, "X": right}
        if not mechanism.attentions:
            names |= _name_block(mechanism, stage)
        if stage.role is ProductRole.PROJECTION:
            alike = [each for each in mechanism.stages if each.topic == stage.topic]
            if len(alike) > 1:
                names["W_next"] = alike[(alike.index(stage) + 1) % len(alike)].factor_names[0]
    match stage.topic:
        case "embedded":
            names["table"] = reads[0]
            usual["w"] = max(stage.formula.lists["word"])
        case "added":
            names |= dict(zip(("E", "P"), reads, strict=True))
        case "relu" | "turned" | "biased" | "squares" | "root" | "gradient_scaled":
            names["x"] = reads[0]
        case "appended":
            names |= {"kept": reads[0], "new": reads[1]}
            usual["k"] = stage.kept_count + 1
            if "Q" in names and strip_head(reads[0]) == "K_cache":
                names["query"] = names["Q"]
        case "residual":
            names |= dict(zip(("stream", "added"), reads, strict=True))
        case "normed":
            names |= dict(zip(("x", "r"), reads, strict=True))
        case "scaled":
            names.setdefault("S", reads[0])
        case "largest_so_far" | "rescaling" | "block_powers" | "running_sums" | "running_outputs" | "divided":
            names |= dict(zip(BLOCK_NAMES[stage.topic], reads, strict=True))
            powers = [each.name for each in mechanism.stages if each.topic == "block_powers"]
            names.setdefault("powers", powers[-1])
        case "kept_weights":
            names["kept"] = reads[0]
        case "loss" | "gradient":
            names |= dict(zip(("p", "y"), reads, strict=True))
        case "new_rows":
            names |= dict(zip(("W_U", "g", "z"), reads, strict=True))
            usual["i"] = len(stage.formula.lists["moved"])
        case "new_logits":
            names |= dict(zip(("logits", "zz", "g"), reads, strict=True))
        case "gradient_mean" | "gradient_scores":
            names |= dict(zip(("A", "dA", "d"), reads, strict=False))
        case "concat":
            families[strip_head(reads[0])] = reads
    right_side = None if mask_stage is None else mask_stage.formula.formula.right
    window = None if mask_stage is None else mask_stage.window
    return Binding(
        names=names,
        families=families,
        lists=stage.formula.lists,
        known={**mechanism.formulas.known, "kept": stage.kept_count, **({} if window is None else {"window": window})},
        usual=usual,
        sink=stage.sink,
        temperature=_find_temperature(mechanism, stage),
        mask=right_side if isinstance(right_side, Choice) else None,
    )


def _name_block(mechanism: Mechanism, stage: Stage) -> dict[str, str]:
    """Return what the matrices of a block are called at its products, where no softmax shares out all scores."""
    left, *_, right = stage.factor_names
    pair = {ProductRole.SCORES: "KQ", ProductRole.MIXTURE: "VA"}.get(stage.role or ProductRole.LAYER, "")
    known = {*mechanism.formulas.given, *(each.name for each in mechanism.stages)}
    number = stage.name[len(stage.name.rstrip("0123456789")) :]
    beside = {name: f"{name}{number}" for name in "KVS" if f"{name}{number}" in known}
    return {**beside, **dict(zip(pair, (left, right), strict=False))} if pair else {}


def _find_temperature(mechanism: Mechanism, stage: Stage) -> Fraction | None:
    """Return by what scores are divided at a stage, or before the weights that it gives."""
    if stage.form is not Form.SHARE:
        return stage.temperature
    return next((each.temperature for each in mechanism.stages if each.temperature is not None), None)


def _find_head(mechanism: Mechanism, stage: Stage) -> int:
    """Return the head of a stage; of keys and values that heads share, also appended ones, the first that reads them.

    They are worked on its page, beside its queries: there a student takes W_Q or W_V for W_K.
    """
    if stage.head or not (stage.role is ProductRole.PROJECTION or stage.topic == "appended"):
        return stage.head
    reader: Stage | None = stage
    while reader is not None and not reader.head:  # turned keys are read in their turn
        name = reader.name
        reader = next((each for each in mechanism.stages if name in each.input_names), None)
    return 0 if reader is None else reader.head


def _name_attention(mechanism: Mechanism, head: int) -> dict[str, str]:
    """Return what matrices are called in slips at the stages of one head."""
    attention = next((each for each in mechanism.attentions if mechanism.get_stage(each.weights).head == head), None)
    if attention is None:
        return {}

    stages = {stage.name: stage for stage in mechanism.stages}
    A = attention.weights
    powers, sums = stages[A].formula.reads
    names = {"A": A, "powers": powers, "sums": sums, **({"Z": attention.outputs} if attention.outputs else {})}
    if attention.scores:
        names["S"] = attention.scores
    for pair, reader in ((("K", "Q"), attention.scores), (("V", "A"), attention.outputs)):
        if reader in stages:
            names |= dict(zip(pair, stages[reader].factor_names, strict=True))
    for name in ("K", "Q", "V"):
        matrix = names.get(name, "")
        while matrix in stages and stages[matrix].topic in ("turned", "appended"):
            matrix = stages[matrix].formula.reads[-1]  # what it is before it is turned, or appended
        if matrix in stages and stages[matrix].role is ProductRole.PROJECTION:
            names[f"W_{name}"], *_, names[f"X_{name}"] = stages[matrix].factor_names
    for name, reader in (
        ("x", attention.powers),
        ("unmasked", attention.masked),
        ("unscaled", attention.scaled),
        ("untempered", attention.tempered),
        ("unshifted", attention.shifted),
    ):
        if reader in stages:
            names[name] = stages[reader].formula.reads[0]
    return names
