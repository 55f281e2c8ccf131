"""A mechanism as it stands on paper: its formulas in one convention, what is given, and its stages."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from attnhand.attention.arithmetic import Arithmetic, Base, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.cells import Spot
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.formula_list import TOKEN_SIZES, FormulaList, StageFormula
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.nodes import (
    HEAD,
    Binary,
    Call,
    Choice,
    Known,
    Letter,
    Negative,
    Node,
    Number,
    Over,
    Read,
    list_reads,
    walk,
)
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms.products import Product, ProductRole
from attnhand.attention.mechanisms.topics import Topic, get_topic
from attnhand.attention.numbers import DECIMAL_CONTEXT


class Dimension(NamedTuple):
    """One side of a matrix."""

    size_name: str
    """Name of its size (``tokens``, ``features``, ``d_k``, ``d_v``, …), or ``one``."""

    letter: str = ""
    """What its vectors are called: k gives k₁, k₂, …; empty where they are only numbered."""

    multiplier: int = 1
    """It is so many times as long: heads that stand side by side."""

    block: int = 1
    """Which it is, from 1, of blocks as long that come one after the other: their vectors are numbered on."""


class Content(StrEnum):
    """What a given matrix holds, and so how numbers for it are drawn."""

    TOKENS = "tokens"
    WEIGHTS = "weights"
    BIAS = "bias"
    MASK = "mask"
    """1 where a token may be seen, 0 where not."""

    GRADIENT = "gradient"
    """How fast a loss grows with each number of what comes out."""


@dataclass(frozen=True, slots=True)
class GivenMatrix:
    """A matrix that the problem states."""

    name: str
    content: Content
    rows: Dimension
    columns: Dimension
    head: int = 0
    """Which head it belongs to, from 1; 0 for none."""


class Hiding(StrEnum):
    """Why a mask hides a key from a query."""

    LATER = "later"
    """It comes after the query."""

    WINDOW = "window"
    """It comes long before."""

    PADDING = "padding"
    """It is hidden from all."""

    GIVEN = "given"
    """The problem's own mask says so."""


def _name_hiding(condition: Node) -> Hiding:
    match condition:
        case Binary(">"):
            return Hiding.LATER
        case Binary("≤"):
            return Hiding.WINDOW
        case Binary("=", Letter()):
            return Hiding.PADDING
        case _:
            return Hiding.GIVEN


def _list_alternatives(condition: Node) -> list[Node]:
    match condition:
        case Binary("or", left, right):
            return _list_alternatives(left) + _list_alternatives(right)
        case _:
            return [condition]


class Form(StrEnum):
    """What a stage's formula is, seen as a whole."""

    PRODUCT = "product"
    """Two matrices multiplied; drawn in Falk's scheme, one factor at the left, the other above."""

    SCALE = "scale"
    """A score divided by √d_k, or by what stands for it."""

    SLOPE = "slope"
    """The same of a gradient, and never rounded."""

    MASK = "mask"
    """−∞, or what is read."""

    SHIFT = "shift"
    """What is read, less the largest of all that it is shared out with."""

    TURN = "turn"
    """What stands at one of some places, perhaps with the other sign."""

    ROTATION = "rotation"
    """Two numbers turned by an angle: what a pair becomes."""

    TEMPER = "temper"
    """What is read, divided by a temperature; by hand rounded down."""

    POWER = "power"
    """e, or what stands for it, to the power of what is read."""

    SUM = "sum"
    """What is read, added up."""

    SHARE = "share"
    """What is read, divided by the sum of all that it is shared with."""

    LARGEST = "largest"
    """What is read, or 0 if that is larger."""

    COPY = "copy"
    """What stands elsewhere."""

    ADDED = "added"
    """Two cells added."""

    ROUNDED = "rounded"
    """The nearest whole number where the rules have shortcuts."""

    POSITION = "position"
    """A number of the place alone."""

    OTHER = "other"


ROUNDING = ("nearest", "root")
"""Functions that give whole numbers where the rules have shortcuts."""


def find_form(right_side: Node, product: Product | None, sums: Mapping[str, str]) -> Form:
    """Return what a formula is, seen as a whole.

    Args:
        sums: the matrix that is added up, by the name of its sums.
    """
    match right_side:
        case Call("nearest"):
            return Form.ROUNDED
        case _ if product is not None:
            return Form.PRODUCT
        case Call("scale"):
            return Form.SCALE
        case Call("slope"):
            return Form.SLOPE
        case Call("position"):
            return Form.POSITION
        case Call("max", (Read(), Number())):
            return Form.LARGEST
        case Choice(then=Number(Decimal())):
            return Form.MASK
        case Choice() if has_angles(right_side):
            return Form.ROTATION
        case Choice() if len({node.matrix for node in walk(right_side) if isinstance(node, Read)}) > 1:
            return Form.COPY
        case Choice(condition) if not list_reads(condition):
            return Form.TURN
        case Binary("^"):
            return Form.POWER
        case Binary("/", Read(numerator), Read(total)) if sums.get(total) == numerator:
            return Form.SHARE
        case Binary("−", Read(matrix), Over("max", _, Read(other))) if matrix == other:
            return Form.SHIFT
        case Over("Σ", _, Read()) | Binary("+", Over("Σ", _, Read()), Binary("^")):
            return Form.SUM
        case _ if find_temperature(right_side) is not None:
            return Form.TEMPER
        case Read():
            return Form.COPY
        case Binary("+", Read(), Read()):
            return Form.ADDED
        case _:
            return Form.OTHER


def find_sink(right_side: Node) -> int | None:
    """Return the score whose power a formula adds to a sum of powers; None for none.

    >>> from attnhand.attention.formulas.reading import read_formula
    >>> find_sink(read_formula("sums   sums[q] = Σ_k powers[k,q] + base^(−1)").right)
    -1
    """
    match right_side:
        case Binary("+", Over("Σ"), Binary("^", Known("base"), Number(int(sink)))):
            return sink
        case Binary("+", Over("Σ"), Binary("^", Known("base"), Negative(Number(int(sink))))):
            return -sink
        case _:
            return None


def find_temperature(right_side: Node) -> Fraction | None:
    """Return by what a formula divides a number that it reads; None where it does something else.

    >>> from attnhand.attention.formulas.reading import read_formula
    >>> [find_temperature(read_formula(f"t   t[k] = {right}").right) for right in ("whole(3·x[k] / 2)", "2·x[k]")]
    [Fraction(2, 3), Fraction(1, 2)]
    """
    match right_side:
        case Call("whole", (Binary("/", divided, Number(int(over))),)):
            under = Fraction(1) if isinstance(divided, Read) else find_temperature(divided)
            return None if under is None else over * under
        case Binary("·", Number(int(factor)), Read()):
            return Fraction(1, factor)
        case _:
            return None


def has_angles(right_side: Node) -> bool:
    """Say whether sines and cosines of places stand in a formula."""
    return any(isinstance(node, Call) and node.function in ("cos", "sin") for node in walk(right_side))


class Origin(NamedTuple):
    """How to build a mechanism again: it is sent to another process as that, for what is compiled cannot be sent."""

    build: Callable[..., "Mechanism"]
    arguments: tuple[Any, ...]


def _rebuild(origin: Origin, convention: Convention, stage_name: str = "") -> "Mechanism | Stage":
    mechanism = origin.build(*origin.arguments).convert_to(convention)
    return mechanism.get_stage(stage_name) if stage_name else mechanism


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Stage:
    """One step of the computation: a formula, and how it stands on paper."""

    formula: StageFormula
    convention: Convention
    rows: Dimension
    columns: Dimension
    form: Form
    product: Product | None
    """Its factors as they stand on paper; None where it goes cell by cell."""

    role: ProductRole | None
    """What the stage's product is for; None where it is no product."""

    gives_fractions: bool
    """Whether other numbers may come out where whole ones went in, or before."""

    window: int | None = None
    """How many tokens a query sees under its mask; None for all, and where it is no mask."""

    sink: int | None = None
    """The score whose power is in the sum that it gives, or divides by, and is no token's; None for none."""
    kept_count: int = 0
    """How many tokens stand before its own, in a cache."""

    origin: Origin
    """Of its mechanism."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.origin, self.convention, self.name)

    @property
    def name(self) -> str:
        """The id used in code, templates, answer files and reports."""
        return self.formula.name

    @property
    def topic(self) -> str:
        """Which sentences of the language table speak of it."""
        return self.formula.topic

    @property
    def head(self) -> int:
        """Which head it belongs to, from 1; 0 for none."""
        return self.formula.head

    @property
    def facts(self) -> Topic:
        """What is said of all stages that have its topic."""
        return get_topic(self.topic, is_product=self.product is not None)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of given matrices or earlier stages that it reads, in the order in which they stand on paper."""
        return self.formula.reads if self.product is None else self.product.names

    @property
    def factor_names(self) -> tuple[str, ...]:
        """Names of what it reads, the left factor of a product first where tokens are columns, in either convention."""
        return self.input_names[::-1] if self.convention.is_rows else self.input_names

    @property
    def is_checked_by_sums(self) -> bool:
        """Whether whole numbers are multiplied and added, so that their sums are printed to check by."""
        return self.product is not None and not self.gives_fractions

    @property
    def gives_infinity(self) -> bool:
        """Whether −∞ may come out."""
        return self.form is Form.MASK

    @property
    def reads_exponents(self) -> bool:
        """Whether what it reads is raised to powers, by itself or by the stage after it."""
        return self.form in (Form.MASK, Form.POWER)

    @property
    def temperature(self) -> Fraction | None:
        """By what it divides scores that are scaled already; None where it does something else."""
        return find_temperature(self.formula.formula.right) if self.form is Form.TEMPER else None

    @property
    def gives_powers(self) -> bool:
        """Whether something is raised to a power."""
        return self.form is Form.POWER

    @property
    def is_turned_by_angles(self) -> bool:
        """Say whether two products make a cell: by a cosine and a sine."""
        return self.form is Form.ROTATION

    @property
    def is_rounded(self) -> bool:
        """Say whether whole numbers come out, to the nearest, where the rules have shortcuts."""
        return isinstance(self.formula.formula.right, Call) and self.formula.formula.right.function in ROUNDING

    # its sentences

    def find_rule(self, rules: Rules) -> str:
        """Return which rule its sentences depend on: "half-floor", "window", "nearest", "sink"; empty for none."""
        if self.form in (Form.SCALE, Form.SLOPE):
            return rules.scale_key
        if self.form is Form.ROTATION:
            return "radians"
        if self.temperature is not None:
            return self._find_temperature_rule(self.temperature, rules)
        if self.topic == "biased":
            return "heads" if self.head else ""
        if self.form in (Form.SUM, Form.SHARE) and rules.base is Base.NONE:
            return "plain"
        if self.sink is not None:
            return "sink"
        if rules.has_whole_stream and self.is_rounded:
            return "nearest"
        match self.hidings:
            case () | (Hiding.LATER,):
                return ""
            case (_,) | (Hiding.LATER, Hiding.WINDOW):
                return self.hidings[-1].value
            case _:
                return "several"

    @staticmethod
    def _find_temperature_rule(temperature: Fraction, rules: Rules) -> str:
        """Return whether scores are multiplied (over 1/2 they double), divided and rounded down, or divided."""
        if temperature.numerator == 1:
            return "times"
        return "floor" if rules.has_whole_exponents else "divide"

    def choose_instruction_key(self, rules: Rules) -> str:
        """Return which sentence of its topic says what to do."""
        return ".".join(filter(None, ("do", self.find_rule(rules))))

    def choose_formula_key(self, rules: Rules) -> str:
        """Return which sentence is its right-hand side, where it takes one; empty for that of its topic."""
        key, rule = self.facts.formula_key, self.find_rule(rules)
        if self.form is Form.SUM and self.sink is not None:
            return f"{key}.{rule}"
        return "" if "{rule}" in key and not rule else key.format(rule=rule)

    def format_formula(self, names: Sequence[str]) -> str | None:
        """Return the right-hand side in signs (markup), where signs alone say it: "K^T Q"; else None.

        Args:
            names: what its inputs are called.
        """
        if self.product is not None:
            factors = " ".join(self.product.name_factors(names[0], names[-1]))
            return factors if self.product.bias is None else f"{factors} + {names[1]}"
        return " + ".join(names) if self.form is Form.ADDED else None

    # its numbers

    def work(self, arithmetic: Arithmetic, matrices: Mapping[str, Matrix], *, has_limit: bool = False) -> Matrix:
        """Work it from matrices by name, exactly.

        Args:
            has_limit: whether a power is refused that nobody can write down.

        Raises:
            TooLargeError: there is such a power.
            FormulaError: the matrices do not fit one another.
        """
        lines = {name: self.take_in(name, matrices[name]) for name in self.formula.reads}
        with localcontext(DECIMAL_CONTEXT):
            worked = self.formula.work(make_exact_numbers(arithmetic, has_limit=has_limit), lines)
        shown: Matrix = self.show(worked)
        return shown

    def take_in(self, name: str, a: Sequence[Sequence[Any]]) -> Lines:
        """Return a matrix that it reads as its formula has it: tokens as columns, one index as a vector."""
        return take_in(a, self.convention, is_vector=name in self.formula.vectors)

    def show(self, lines: Lines) -> Any:
        """Return what its formula gives as the sheet has it; rows are the columns transposed."""
        if len(self.formula.axes) == 1:
            return (lines,) if self._is_row_of_numbers else tuple([(value,) for value in lines])
        return tuple(zip(*lines, strict=True)) if self.convention.is_rows else lines

    @property
    def _is_row_of_numbers(self) -> bool:
        """Whether its vector is a row: a number for each token is, where tokens are columns."""
        return (self.formula.axes[0] in TOKEN_SIZES) is not self.convention.is_rows

    def show_place(self, place: tuple[int, ...]) -> tuple[int, int]:
        """Return row and column (0-based) of a cell of its formula."""
        if len(place) == 1:
            return (0, place[0] - 1) if self._is_row_of_numbers else (place[0] - 1, 0)
        row, column = place[::-1] if self.convention.is_rows else place
        return row - 1, column - 1

    def find_place(self, row: int, column: int) -> tuple[int, ...]:
        """Return the place in its formula of a cell by row and column (0-based)."""
        if len(self.formula.axes) == 1:
            return (column + 1,) if self._is_row_of_numbers else (row + 1,)
        return (column + 1, row + 1) if self.convention.is_rows else (row + 1, column + 1)

    def hides(self, row: int, column: int) -> bool:
        """Say whether it is a mask and a cell (0-based) is hidden from its query."""
        return self.find_hiding(row, column) is not None

    def find_hiding(self, row: int, column: int) -> "Hiding | None":
        """Return why a mask hides a cell (0-based) from its query, by the first reason; None where it does not."""
        if not (conditions := self._list_hidings()):
            return None
        places = zip(self.formula.formula.letters, self.find_place(row, column), strict=True)
        spot = Spot(bound=self.formula, sizes={}, letters=dict(places))
        return next((hiding for hiding, condition in conditions if spot.holds(condition)), None)

    @property
    def hidings(self) -> "tuple[Hiding, ...]":
        """Why a mask hides keys, each reason once; none where it is no mask."""
        return tuple(dict.fromkeys(hiding for hiding, _ in self._list_hidings()))

    def _list_hidings(self) -> "list[tuple[Hiding, Node]]":
        """Return the conditions under which a mask hides a key, each with what it stands for."""
        right_side = self.formula.formula.right
        if self.form is not Form.MASK or not isinstance(right_side, Choice):
            return []
        return [(_name_hiding(condition), condition) for condition in _list_alternatives(right_side.condition)]


def take_in(a: Sequence[Sequence[Any]], convention: Convention, *, is_vector: bool = False) -> Lines:
    """Return a matrix as formulas have it: tokens as columns, one index as a vector."""
    if is_vector:
        return tuple([value for row in a for value in row])
    return tuple(zip(*a, strict=True)) if convention.is_rows else tuple(a)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionStages:
    """Which stages of a mechanism are one head's attention, by name; some may be given."""

    scores: str = ""
    """Every key against every query; empty where what is made of them is given."""

    scaled: str = ""
    """The scores divided by √d_k; empty where they are not."""

    tempered: str = ""
    """The same divided by a temperature; empty where they are not."""
    biased: str = ""
    """The same less the distance of each key; empty where none is subtracted."""

    masked: str = ""
    """The scores that a mask leaves; empty without a mask."""

    shifted: str = ""
    """The same less the largest of their query; empty where that is not subtracted."""

    powers: str = ""
    """What the softmax makes of a score before it divides; empty where there is no softmax."""

    sums: str = ""
    """What each query's weights are divided by; empty where powers are given with them."""

    weights: str
    """How much each query attends to each key."""

    outputs: str = ""
    """The values, mixed by the weights; empty where there are none."""

    @property
    def maskable(self) -> str:
        """What a mask is put on, where there is one."""
        return self.tempered or self.biased or self.scaled or self.scores

    @property
    def exponents(self) -> str:
        """What the softmax raises something to the power of, and plain shares are made of."""
        return self.shifted or self.masked or self.maskable


StageChains = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Mechanism:
    """A list of stages over named matrices."""

    name: str
    formulas: FormulaList
    convention: Convention
    given: tuple[GivenMatrix, ...]
    stages: tuple[Stage, ...]

    attentions: tuple[AttentionStages, ...]
    """The attention in it, one for each head."""

    stage_chains: StageChains
    """In the order of the paper: one tuple a page, each the stages through which one query goes down (or across).

    A stage that is in no chain is worked where it is first read, beside the product that needs it.
    """

    origin: Origin

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.origin, self.convention)

    def get_stage(self, name: str) -> Stage:
        """Return the stage of that name."""
        return self._stages_by_name[name]

    @cached_property
    def _stages_by_name(self) -> dict[str, Stage]:
        """Its stages by name: marking asks for them cell by cell."""
        return {stage.name: stage for stage in self.stages}

    @property
    def softmaxes(self) -> tuple[AttentionStages, ...]:
        """Every head's attention, and where a step of learning follows what is shared out anew."""
        names = {stage.topic: stage.name for stage in self.stages}
        if not {"new_powers", "new_sums", "new_shares"} <= names.keys():
            return self.attentions
        after = AttentionStages(powers=names["new_powers"], sums=names["new_sums"], weights=names["new_shares"])
        return *self.attentions, after

    def find_stage(self, name: str) -> Stage | None:
        """Return the stage of that name; None where it is given, or there is none."""
        return self._stages_by_name.get(name)

    def convert_to(self, convention: Convention) -> "Mechanism":
        """Return the mechanism with tokens in that convention."""
        return self if convention is self.convention else self.mirrored

    @cached_property
    def mirrored(self) -> "Mechanism":
        """The same mechanism in the other convention: every matrix and every stage transposed."""
        mirrored = replace(
            self,
            given=tuple(replace(given, rows=given.columns, columns=given.rows) for given in self.given),
            stages=tuple(_mirror_stage(stage) for stage in self.stages),
            convention=self.convention.mirrored,
        )
        mirrored.__dict__["mirrored"] = self
        return mirrored

    def take_in(self, matrices: Mapping[str, Matrix]) -> dict[str, Lines]:
        """Return matrices of its convention by name as formulas have them."""
        axes = self.formulas.get_axes
        return {name: take_in(a, self.convention, is_vector=len(axes(name)) == 1) for name, a in matrices.items()}

    @property
    def weight_stages(self) -> tuple[Stage, ...]:
        """The stages that give attention weights, one a head."""
        return tuple(self.get_stage(attention.weights) for attention in self.attentions)

    def list_sources(self, name: str) -> tuple[Stage, ...]:
        """Return the stages that a stage is worked from, in the order of working."""
        read, found = {name}, []
        for stage in reversed(self.stages):  # a stage reads none but those before it
            if stage.name in read:
                read.update(stage.input_names)
                found.append(stage)
        return tuple(reversed(found[1:]))

    def find_first_product(self, printed: Set[str] = frozenset()) -> Stage | None:
        """Return the first product whose factors a student knows without working: its first cell is the worked example.

        Args:
            printed: stages that a sheet prints; their numbers are known, and they are no example.
        """
        copied = {stage.name for stage in self.stages if stage.facts.is_only_copied}
        known = copied | printed | {given.name for given in self.given}
        for name in chain.from_iterable(self.stage_chains):
            stage = self.get_stage(name)
            if stage.role and name not in printed and known.issuperset(stage.input_names):
                return stage
        return None

    def find_mask(self, stage: Stage) -> Stage | None:
        """Return the mask that hides cells of a stage: itself, or that of the scores it is made from."""
        for attention in self.attentions:
            if attention.masked and stage.name in (attention.masked, attention.powers, attention.weights):
                return self.get_stage(attention.masked)
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
        return self.formulas.head_count

    def list_heads(self, name: str) -> tuple[int, ...]:
        """Return the heads whose own a matrix is, from 1: one, or those that share it; none for one of all."""
        before, dot, _ = name.rpartition(".")
        if not dot:
            return ()
        number = int(before[1:])
        if before[0] == HEAD:
            return (number,)
        return tuple(head for head, group in enumerate(self.formulas.groups, 1) if group == number)

    @property
    def is_scaled(self) -> bool:
        """Say whether scores are divided by √d_k."""
        return any(stage.form is Form.SCALE for stage in self.stages)

    @property
    def has_powers(self) -> bool:
        """Say whether e, or what stands for it, is raised to a power."""
        return any(stage.gives_powers for stage in self.stages)


def _mirror_stage(stage: Stage) -> Stage:
    """Swap the sides: Q = W_Q X becomes Q = X W_Q, k × q becomes q × k."""
    product = None if stage.product is None else stage.product.mirrored
    return replace(stage, convention=stage.convention.mirrored, product=product, rows=stage.columns, columns=stage.rows)


def get_query_inputs(stage: Stage) -> tuple[str, ...]:
    """Return what a stage reads on the side that carries the query: X for Q, Q for S, A for Z."""
    if stage.product is None:
        return tuple(name for name in stage.input_names if name not in stage.formula.constants)
    return (stage.input_names[0 if stage.convention.is_rows else -1],)


def get_side_input(stage: Stage) -> str | None:
    """Return what stands beside a stage: of a product the other factor (W_Q for Q, K for S, V for Z).

    A table stands beside what is looked up in it, a position beside the X that it is added to, a mask beside what it
    leaves.
    """
    if stage.product is not None:
        return stage.input_names[-1 if stage.convention.is_rows else 0]
    if stage.formula.constants:
        return next(iter(stage.formula.constants))
    return None if stage.facts.side_input is None else stage.input_names[stage.facts.side_input]


def strip_head(name: str) -> str:
    """Return the name of a matrix without its head: on paper a head has pages of its own.

    >>> strip_head("h1.W_Q"), strip_head("W_O")
    ('W_Q', 'W_O')
    """
    return name.rpartition(".")[2]
