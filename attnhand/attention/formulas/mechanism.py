"""A mechanism: a list of formulas, how far its letters run, and its stages, one for each head."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attnhand.attention.formulas.nodes import (
    HEAD,
    Formula,
    FormulaError,
    Joined,
    Known,
    Letter,
    Node,
    Number,
    Read,
    list_letters,
    list_reads,
    rewrite,
    walk,
)
from attnhand.attention.formulas.reading import RULE_NUMBERS
from attnhand.attention.formulas.sizes import Length, fit_letters, join_lengths

LETTERS: Mapping[str, str] = {
    "q": "tokens",
    "k": "tokens",
    "f": "features",
    "r": "d_k",
    "v": "d_v",
    "n": "hidden",
    "w": "vocabulary",
    HEAD: "heads",
}
"""What each letter runs over, where a mechanism says nothing else; further letters take it from where they stand.

Sizes may be put together: ``kept+1`` is one more than there are kept.
"""

TOKEN_SIZES = ("tokens", "memory")
"""Sizes whose lines are tokens: columns on a sheet in columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One matrix to be worked: a formula, for one head where there are several."""

    name: str
    """``h2.Q`` for the Q of head 2."""

    formula: Formula
    """Without the index of its head."""

    axes: tuple[str, ...]
    """Names of its sizes, one for each index."""

    letters: Mapping[str, Length]
    """What each letter runs over."""

    head: int = 0
    """From 1; 0 for none."""

    @property
    def topic(self) -> str:
        """Which sentences speak of it."""
        return self.formula.topic


@dataclass(frozen=True, slots=True)
class Places:
    """A list that says for each token which line of a table is its own."""

    over: str
    """What it counts through: ``vocabulary``."""

    places: tuple[int, ...]
    """From 1."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism:
    """A list of formulas that fit one another. What they read and do not work is given."""

    name: str
    formulas: tuple[Formula, ...]
    letters: Mapping[str, str] = field(default_factory=lambda: LETTERS)
    """What each letter runs over."""

    head_count: int = 1
    known: Mapping[str, int] = field(default_factory=dict)
    """Numbers by name: ``window``."""

    lists: Mapping[str, Places] = field(default_factory=dict)
    """Lists of places by name: ``word`` says of each token which word it is."""

    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the sizes of given matrices that are read by place, so that no letter says how long they are."""

    axes: Mapping[str, tuple[str, ...]] = field(init=False)
    """Names of the sizes of every matrix, of a head's own ones ``heads`` first."""

    given: tuple[str, ...] = field(init=False)
    """Names of the matrices that are read and not worked; of heads without their number."""

    families: frozenset[str] = field(init=False)
    """Matrices that each head has its own of."""

    stages: tuple[Stage, ...] = field(init=False)
    """In the order of working, head by head."""

    def __post_init__(self) -> None:
        axes = dict(self.declared)
        letters: dict[str, Mapping[str, Length]] = {}
        names = [formula.name for formula in self.formulas]
        given: list[str] = []
        for at, formula in enumerate(self.formulas):
            if formula.name in axes:
                raise FormulaError(f"{formula.name}: there is a matrix of that name already")
            known = {node.name for node in walk(formula.right) if isinstance(node, Known)}
            if unknown := sorted(known - {*RULE_NUMBERS, *self.known}):
                raise FormulaError(f"{formula.name}: what {unknown[0]} is, the mechanism does not say")
            letters[formula.name] = runs = fit_letters(formula, axes, self.letters, self.letters)
            for read in list_reads(formula.right, self.lists):
                if read.matrix in names[at:]:
                    raise FormulaError(f"{formula.name}: {read.matrix} is read before it is worked")
                if read.matrix not in axes:
                    axes[read.matrix] = tuple(_find_axis(formula, read, index, self, runs) for index in read.indices)
                if read.matrix not in (*names, *given):
                    given.append(read.matrix)
            axes[formula.name] = tuple(
                str(join_lengths([runs[letter] for letter in list_letters(index)])) for index in formula.indices
            )
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "given", tuple(given))
        object.__setattr__(self, "families", frozenset(name for name, sizes in axes.items() if sizes[0] == "heads"))
        object.__setattr__(self, "stages", _list_stages(self, letters))

    def get_stage(self, name: str) -> Stage:
        """Return the stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    def list_reads(self, stage: Stage) -> tuple[str, ...]:
        """Return the names of the matrices that a stage reads, in the order of reading."""
        reads = list_reads(stage.formula.right, self.lists)
        return tuple(self.name_in_head(read.matrix, stage.head) for read in reads)

    def name_in_head(self, name: str, head: int) -> str:
        """Return what a matrix is called in a head."""
        return f"h{head}.{name}" if head and name in self.families else name

    def get_axes(self, name: str) -> tuple[str, ...]:
        """Return the names of the sizes of a matrix, by its name in a head."""
        family = name.rpartition(".")[2]
        return self.axes[family][family in self.families :]


def _find_axis(formula: Formula, read: Read, index: Node, mechanism: Mechanism, letters: Mapping[str, Length]) -> str:
    """Return what an index of a given matrix runs over."""
    match index:
        case Letter(name):
            return str(letters[name])
        case Joined(joined):
            return str(join_lengths([letters[letter] for letter in joined]))
        case Read(name) if name in mechanism.lists:
            return mechanism.lists[name].over
        case _:
            raise FormulaError(
                f"{formula.name}: how many lines {read.matrix} has is not said: no letter runs over them"
            )


def _list_stages(mechanism: Mechanism, letters: Mapping[str, Mapping[str, Length]]) -> tuple[Stage, ...]:
    """List the stages; neighbouring formulas of heads head by head."""
    stages: list[Stage] = []
    waiting: list[Formula] = []

    def work_heads() -> None:
        for head in range(1, mechanism.head_count + 1):
            for formula in waiting:
                name = f"h{head}.{formula.name}"
                axes = mechanism.axes[formula.name][1:]
                stages.append(Stage(name, _choose_head(formula, head), axes, letters[formula.name], head))
        waiting.clear()

    for formula in mechanism.formulas:
        if formula.name in mechanism.families:
            waiting.append(formula)
            continue
        work_heads()
        stages.append(Stage(formula.name, formula, mechanism.axes[formula.name], letters[formula.name]))
    work_heads()
    return tuple(stages)


def _choose_head(formula: Formula, head: int) -> Formula:
    """Return the formula of one head."""
    right = rewrite(formula.right, lambda node: Number(head) if node == Letter(HEAD) else None)
    return Formula(formula.topic, formula.name, formula.indices[1:], right)
