"""A list of formulas, how far its letters run, and its stages, one for each head."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.formulas.nodes import (
    GROUP,
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
    "i": "moved",
    HEAD: "heads",
    GROUP: "groups",
}
"""What each letter runs over, where a mechanism says nothing else; further letters take it from where they stand.

Sizes may be put together: ``kept+1`` is one more than there are kept.
"""

TOKEN_SIZES = ("tokens", "memory", "kept")
"""Sizes whose lines are tokens: columns on a sheet in columns."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StageFormula(BoundFormula):
    """One matrix to be worked: a formula, for one head where there are several."""

    name: str
    """``h2.Q`` for the Q of head 2."""

    axes: tuple[str, ...]
    """Names of its sizes, one for each index."""

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
class FormulaList:
    """A list of formulas that fit one another. What they read and do not work is given."""

    formulas: tuple[Formula, ...]
    letters: Mapping[str, str] = field(default_factory=lambda: LETTERS)
    """What each letter runs over."""

    head_count: int = 1
    groups: tuple[int, ...] = ()
    """For each head the group, from 1, whose keys and values it shares; none where no matrix has an index for it."""

    known: Mapping[str, int] = field(default_factory=dict)
    """Numbers by name: ``window``."""

    lists: Mapping[str, Places] = field(default_factory=dict)
    """Lists of places by name: ``word`` says of each token which word it is."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    """Sizes by name that are known whatever the matrices are: how many words there are."""

    constants: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """Given matrices that are known before anything is worked: a mask decides what is read."""

    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the sizes of given matrices that are read by place, so that no letter says how long they are."""

    axes: Mapping[str, tuple[str, ...]] = field(init=False)
    """Names of the sizes of every matrix, of a head's own ones ``heads`` first, of a group's ``groups``."""

    given: tuple[str, ...] = field(init=False)
    """Names of the matrices that are read and not worked; of heads without their number."""

    families: Mapping[str, str] = field(init=False)
    """Matrices that each head, or each group of heads, has its own of: by name which of the two letters they have."""

    stages: tuple[StageFormula, ...] = field(init=False)
    """In the order of working, head by head."""

    def __post_init__(self) -> None:
        if self.groups:
            object.__setattr__(self, "lists", {**self.lists, "group": Places("groups", self.groups)})
        axes = dict(self.declared)
        letters: dict[str, Mapping[str, Length]] = {}
        names = [formula.name for formula in self.formulas]
        given: list[str] = []
        for at, formula in enumerate(self.formulas):
            if formula.name in axes:
                raise FormulaError(f"{formula.name}: there is a matrix of that name already")
            known = {node.name for node in walk(formula.right) if isinstance(node, Known)}
            if unknown := sorted(known - {*RULE_NUMBERS, *self.known}):
                raise FormulaError(f"{formula.name}: what {unknown[0]} is, nothing says")
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
        letters_by_size = {"heads": HEAD, "groups": GROUP}
        families = {name: letters_by_size[sizes[0]] for name, sizes in axes.items() if sizes[0] in letters_by_size}
        object.__setattr__(self, "families", families)
        object.__setattr__(self, "stages", _list_stages(self, letters))

    def get_stage(self, name: str) -> StageFormula:
        """Return the stage of that name."""
        return next(stage for stage in self.stages if stage.name == name)

    def count(self, letter: str) -> int:
        """Return how many heads, or groups, there are."""
        return self.head_count if letter == HEAD else max(self.groups)

    def list_names(self, family: str) -> tuple[str, ...]:
        """Return what the matrices of a family are called: h1.Z, h2.Z; g1.K for the keys of a group of heads."""
        letter = self.families[family]
        return tuple(f"{letter}{number}.{family}" for number in range(1, self.count(letter) + 1))

    def get_axes(self, name: str) -> tuple[str, ...]:
        """Return the names of the sizes of a matrix, by its name in a head."""
        family = name.rpartition(".")[2]
        return self.axes[family][family in self.families :]


def _find_axis(formula: Formula, read: Read, index: Node, formulas: FormulaList, letters: Mapping[str, Length]) -> str:
    """Return what an index of a given matrix runs over."""
    match index:
        case Letter(name):
            return str(letters[name])
        case Joined(joined):
            return str(join_lengths([letters[letter] for letter in joined]))
        case Read(name) if name in formulas.lists:
            return formulas.lists[name].over
        case _:
            raise FormulaError(
                f"{formula.name}: how many lines {read.matrix} has is not said: no letter runs over them"
            )


def _list_stages(formulas: FormulaList, letters: Mapping[str, Mapping[str, Length]]) -> tuple[StageFormula, ...]:
    """List the stages; neighbouring formulas of heads head by head, of groups group by group."""
    stages: list[StageFormula] = []
    for letter, neighbours in groupby(formulas.formulas, lambda formula: formulas.families.get(formula.name, "")):
        own = list(neighbours)
        for number in range(1, formulas.count(letter) + 1) if letter else (0,):
            stages += [_make_stage(formulas, formula, letters[formula.name], number) for formula in own]
    return tuple(stages)


def _make_stage(formulas: FormulaList, formula: Formula, letters: Mapping[str, Length], number: int) -> StageFormula:
    """Return a formula as a stage, its numbers by name put in.

    Args:
        number: of the head, or of the group, where there are several; else 0.
    """
    own_letter = formulas.families.get(formula.name, "")

    def find_number(index: Node) -> int | None:
        """Return the number of a head or group that does not run here."""
        match index:
            case Letter(letter) if letter == own_letter:
                return number
            case Read("group", (Letter(letter),)) if letter == own_letter:
                return formulas.groups[number - 1]
            case _:
                return None

    def change(node: Node) -> Node | None:
        match node:
            case Read(matrix, (first, *places)) if matrix in formulas.families:
                if (found := find_number(first)) is None:
                    return None
                name = formulas.list_names(matrix)[found - 1]
                return Read(name, tuple(rewrite(place, change) for place in places))
            case Letter(letter) if letter == own_letter:
                return Number(number)
            case Known(name) if name in formulas.known:
                return Number(formulas.known[name])
            case _:
                return None

    own = Formula(formula.topic, formula.name, formula.indices[bool(own_letter) :], rewrite(formula.right, change))
    # a mask comes last: what it is put on is what the stage is made of
    reads = sorted(list_reads(own.right, formulas.lists), key=lambda read: read.matrix in formulas.constants)
    read_places = [node for node in list_reads(own.right) if node.matrix in formulas.lists]
    families = {read.matrix: formulas.list_names(read.matrix) for read in reads if read.matrix in formulas.families}
    known = {**formulas.sizes, "heads": formulas.head_count}
    return StageFormula(
        formula=own,
        name=formulas.list_names(formula.name)[number - 1] if own_letter else formula.name,
        axes=formulas.axes[formula.name][bool(own_letter) :],
        head=number if own_letter == HEAD else 0,
        reads=tuple(name for read in reads for name in families.get(read.matrix, (read.matrix,))),
        families=families,
        lists={node.matrix: formulas.lists[node.matrix].places for node in read_places},
        constants={read.matrix: formulas.constants[read.matrix] for read in reads if read.matrix in formulas.constants},
        usual={letter: known[str(name)] for letter, name in letters.items() if name in known},
    )
