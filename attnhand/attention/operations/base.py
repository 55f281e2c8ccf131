"""What every operation states about itself, so that no other room has to know which operation it is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number

if TYPE_CHECKING:  # solving loads no numpy: only the proof does, and imports it itself
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Arrays = Sequence[Array]
    Logs = Sequence[Array | None]


class Drawing(StrEnum):
    """How a stage is drawn."""

    PRODUCT = "product"
    """Falk's scheme: one factor at the left, the other above."""

    CELLS = "cells"
    """Cell by cell, each from cells of the stage before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellExplanation:
    """How one cell comes about, without a word: what a language has a sentence for, and what stands in it."""

    key: str
    """Names the sentence; a few keys (product, scale, power, sum, weight, position) are written out more fully."""

    sources: tuple[tuple[int, int, int], ...] = ()
    """Cells to name first: which input, row, column (0-based)."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    """What the sentence names beside them."""

    token: int | None = None
    """The token (0-based) whose word the sentence names."""


CellParts = tuple[tuple[Number, ...], ...]


class Operation(ABC):
    """Turns the matrices that it reads into one; written for tokens as columns, it knows its mirror image.

    Whatever stands here without a body or a value every operation must state: one that forgets it is refused on
    import.
    """

    __slots__ = ()

    # the mathematics

    @abstractmethod
    def apply(self, arithmetic: Arithmetic, *inputs: Matrix) -> Matrix:
        """Work the whole stage."""

    @abstractmethod
    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        """Return what one cell (0-based) is made of."""

    @property
    def mirrored(self) -> "Operation":
        """The same operation in the other convention; one that has none is its own mirror image."""
        convention: Convention | None = getattr(self, "convention", None)
        # whatever has a convention is a dataclass
        return self if convention is None else replace(self, convention=convention.mirrored)  # type: ignore[type-var]

    # the second route, for the proof

    @abstractmethod
    def recompute(self, arithmetic: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Work the stage by another formula in floats.

        Args:
            logs: of each input the natural logarithm, where the input is a power of something.
        """

    def measure_addends(self, inputs: "Arrays", output: "Array") -> float:
        """Return how large the numbers are that are added up: as what comes out, where it is finite."""
        import numpy as np

        return float(np.abs(output[np.isfinite(output)]).max(initial=0.0))

    def compute_logs(self, arithmetic: Arithmetic, inputs: "Arrays") -> "Array | None":
        """Return the natural logarithm of what comes out, where it is known better than what comes out."""
        return None

    def find_wrong_cell(self, arithmetic: Arithmetic, inputs: Sequence[Matrix], output: Matrix) -> str | None:
        """Say what is wrong by the definition itself, exactly, where floats could not tell; None where nothing is."""
        return None

    def is_proved_exactly(self, arithmetic: Arithmetic) -> bool:
        """Say whether ``find_wrong_cell`` is the second route, because floats cannot tell."""
        return False

    # what it costs, and what comes out

    seconds_per_cell: int
    """What a student needs for a cell, beside the products that are multiplied for it."""

    @property
    @abstractmethod
    def gives_fractions(self) -> bool:
        """Whether fractions may come out where whole numbers went in, or before."""

    def find_too_large(self, arithmetic: Arithmetic, inputs: Sequence[Matrix]) -> tuple[int, int] | None:
        """Return the first cell (0-based) that would be too large to be written down."""
        return None

    # how it stands on the page

    drawing: Drawing

    @property
    @abstractmethod
    def has_working_space(self) -> bool:
        """Whether writing lines stand beside the grid: where one calculates, not where one copies."""

    is_only_copied: bool
    """Whether a student copies or adds given numbers: no answer is given away by showing them."""

    hint_key: str
    """Which hints it has: sentences that lead to a cell without its number."""

    reminder_key = ""
    """Which reminder stands on its page; empty for none."""

    gives_infinity = False
    """Whether −∞ may come out."""

    reads_exponents = False
    """Whether what it reads is raised to powers, by itself or by the stage after it."""

    has_other_rules = False
    """Whether students take other rules for it that keep or turn the order of numbers: ÷ 4 instead of ÷ 2."""

    is_given_to_students = False
    """Whether the sheet always prints what comes out."""

    has_formula = True
    """Whether the name of what comes out leaves a formula to be shown beside it: Σ says all."""

    def format_formula(self, names: Sequence[str]) -> str | None:
        """Return the right-hand side in signs (markup), where signs alone say it: "K^T Q"; else None."""
        return None

    def choose_formula_key(self, rules: Rules) -> str:
        """Return which sentence is the right-hand side, where it takes one; empty for that of the stage's topic."""
        return ""

    def choose_instruction_key(self, rules: Rules) -> str:
        """Return which sentence of the stage's topic says what to do."""
        return "do"

    @abstractmethod
    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        """Return how one cell (0-based) comes about; the entries may be numbers or anything that stands for them."""

    def __init_subclass__(cls) -> None:
        """Refuse an operation that leaves something unstated: on import, not where it is first missed."""
        # not by object.__init_subclass__ alone: an abstract class would be refused when first made, on some page
        unstated = [name for name in Operation.__annotations__ if not hasattr(cls, name)]
        abstract = (name for name in dir(cls) if getattr(getattr(cls, name, None), "__isabstractmethod__", False))
        if missing := [*unstated, *abstract]:
            raise TypeError(f"the operation {cls.__name__} does not state {', '.join(missing)}")
