"""Formulas as data: what the script of the web sheet marks by, which works them (``templates/web/engine.js``).

A letter is a text and stands for its place, from 1; a whole number is itself; all else is a list that begins with what
it is. Rows and columns are the letters that run down and across, the fastest first:

    S[k,q] = Σ_r K[r,k]·Q[r,q]    {"rows": [["k", 4]], "columns": [["q", 4]], "reads": ["K", "Q"],
                                   "cell": ["Σ", "r", 3, ["·", ["cell", "K", "r", "k"], ["cell", "Q", "r", "q"]]]}

Tokens are columns everywhere, and a vector is a matrix of one row, or of one column.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.bound import BoundFormula, Shape
from attnhand.attention.formulas.formula_list import TOKEN_SIZES
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Joined,
    Known,
    Letter,
    Negative,
    Node,
    Number,
    Over,
    Read,
    list_letters,
)
from attnhand.attention.formulas.plain import make_plain
from attnhand.attention.questions import PosedQuestion
from attnhand.attention.questions.trial import bind_lines
from attnhand.attention.questions.tries import TRIES_BY_ID
from attnhand.attention.slips import Slip, StageContext
from attnhand.attention.slips.binding import OWN
from attnhand.errors import PageError, name_option
from attnhand.sheet.sheet import Sheet

ENGINE_NODES = (
    *("cell", "head", "place", "−∞", "e"),
    *("+", "−", "·", "/", "^", "negative", "Σ", "largest"),
    *("if", "and", "or", "=", "≠", "<", ">", "≤", "≥", "odd", "mod"),
    *("floor", "ceil", "trunc", "round", "nearest", "root", "ln", "step", "decimals", "abs", "max", "min"),
    *("position", "cos", "sin"),
)
"""All that the engine works: the names of ``NODES`` there, which a test compares."""

WrittenNode = int | str | list[Any]
"""A node as data."""


def describe_stage_formula(context: StageContext) -> dict[str, Any]:
    """Write the formula of a stage.

    Args:
        context: with all that the stage reads.

    Raises:
        PageError: something stands in it that the engine does not work.
    """
    formula = context.stage.formula
    assert context.has_all(formula.reads)
    letters = context.measure(formula, has_same_shape=False)
    return _FormulaWriter(formula, _Surroundings.find(context), letters).write_whole()


def describe_try_lines(sheet: Sheet, cell: PosedQuestion) -> list[dict[str, Any]]:
    """Write the lines that a try is worked by, in their order; a vector is a row, as what it is worked from.

    Args:
        cell: any of those that it asks for a number.
    """
    problem = sheet.problem
    shapes: dict[str, Shape] = {
        name: (len(a[0]), len(a)) if problem.convention.is_rows else (len(a), len(a[0]))
        for name, a in sheet.solution.collect_hand_values().items()
    }
    around = _Surroundings(
        name=cell.question.id,
        arithmetic=problem.hand_arithmetic,
        find_shape=shapes.__getitem__,
        has_column_vectors=False,
    )
    written = []
    lines = bind_lines(sheet.scene, TRIES_BY_ID[cell.try_id], cell.parameters)
    assert lines is not None
    for line in lines:
        writer = _FormulaWriter(line, around, line.measure(tuple(shapes[name] for name in line.reads)))
        shapes[line.formula.name] = writer.shape
        written.append({"name": line.formula.name, **writer.write_whole()})
    return written


def describe_slip_formula(slip: Slip, context: StageContext) -> dict[str, Any] | None:
    """Write what a slip makes of a stage; None where it cannot happen, or the cells of the stage have no room for it.

    Args:
        context: with all that is known at the stage, of the shapes that a sheet has.

    Raises:
        PageError: something stands in its formula that the engine does not work.
    """
    found = slip.find_formula(context)
    if found is None:
        return None
    formula, _ = found
    letters = context.measure(formula, has_same_shape=slip.has_same_shape)
    writer = _FormulaWriter(formula, _Surroundings.find(context), letters)
    if writer.shape != context.find_shape(OWN):
        return None
    data = {"id": slip.id, **writer.write_whole()}
    if slip.need is not None:
        name, need = slip.need
        data["need"] = [OWN if name == OWN else context.binding.names[name], need.value]
    if slip.applies_when_hidden:
        data["even_if_right"] = True
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surroundings:
    """What a formula is written with."""

    name: str
    """What is worked."""

    arithmetic: Arithmetic

    find_shape: Callable[[str], Shape]
    """Find the rows and columns of a matrix, tokens as columns."""

    has_column_vectors: bool
    """Whether what comes out with one index is a column."""

    @classmethod
    def find(cls, context: StageContext) -> Self:
        """Return what is around the formulas of a stage."""
        return cls(
            name=context.stage.name,
            arithmetic=context.arithmetic,
            find_shape=context.find_shape,
            has_column_vectors=context.stage.formula.axes[0] not in TOKEN_SIZES,
        )


class _FormulaWriter:
    """Writes one formula as data."""

    def __init__(self, formula: BoundFormula, around: _Surroundings, letters: Mapping[str, int]) -> None:
        self.formula, self.around, self.letters = formula, around, letters

    @property
    def shape(self) -> Shape:
        """The shape of what comes out."""
        rows, columns = (math.prod(map(self._measure, side)) for side in self._split(self.formula.formula.indices))
        return rows, columns

    def _split(self, indices: Sequence[Letter | Joined]) -> tuple[Sequence[Letter | Joined], Sequence[Letter | Joined]]:
        """Return the indices of rows and of columns; one alone is a row where it runs over tokens, else a column."""
        is_column = len(indices) == 1 and self.around.has_column_vectors
        at = len(indices) if is_column else len(indices) - 1
        return indices[:at], indices[at:]

    def _measure(self, index: Letter | Joined) -> int:
        return math.prod(self.letters[letter] for letter in list_letters(index))

    def write_whole(self) -> dict[str, Any]:
        plain = make_plain(self.formula.formula, self.around.arithmetic, self.letters)
        rows, columns = self._split(plain.indices)
        return {
            "rows": [letter for index in rows for letter in self._write_index(index)],
            "columns": [letter for index in columns for letter in self._write_index(index)],
            "reads": self.formula.reads,
            "cell": self.write(plain.right),
        }

    def _write_index(self, index: Letter | Joined) -> list[tuple[str, int]]:
        """Write the letters of an index with how far they run, the fastest first."""
        return [(letter, self.letters[letter]) for letter in reversed(list_letters(index))]

    def write(self, node: Node) -> WrittenNode:
        """Write a node."""
        match node:
            case Number(int(value)):
                return value
            case Number():
                return self._tell("−∞")
            case Known(name):
                return self._tell(name)
            case Letter(name):
                return name
            case Joined((first, *others)):
                place: WrittenNode = first
                for letter in others:
                    lines_before = self._tell("·", self._tell("−", place, 1), self.letters[letter])
                    place = self._tell("+", lines_before, letter)
                return place
            case Read(name, (index,)) if name in self.formula.lists:
                return self._tell("place", [*self.formula.lists[name]], self.write(index))
            case Read(name, (head, *indices)) if name in self.formula.families:
                names = self.formula.families[name]
                return self._tell("head", [*names], self.write(head), *self._write_place(names[0], indices))
            case Read(name, indices):
                return self._tell("cell", name, *self._write_place(name, indices))
            case Negative(body):
                return self._tell("negative", self.write(body))
            case Binary(sign, left, right):
                return self._tell(sign, self.write(left), self.write(right))
            case Over(sign, index, body):
                written = self.write(body)
                for letter, length in self._write_index(index):
                    written = self._tell("Σ" if sign == "Σ" else "largest", letter, length, written)
                return written
            case Call(function, arguments):
                return self._tell(function, *map(self.write, arguments))
            case Choice(condition, then, otherwise):
                return self._tell("if", *map(self.write, (condition, then, otherwise)))
            case _:
                return self._tell(type(node).__name__)

    def _write_place(self, name: str, indices: Sequence[Node]) -> list[WrittenNode]:
        """Write row and column of a cell; a vector has one of them."""
        places = [self.write(index) for index in indices]
        if len(places) > 1:
            return places
        return [1, *places] if self.around.find_shape(name)[0] == 1 else [*places, 1]

    def _tell(self, kind: str, *parts: Any) -> list[Any]:
        """Write a node by its kind; one that the engine lacks is refused, for nobody could mark by it."""
        if kind not in ENGINE_NODES:
            option = name_option("self_check")
            raise PageError(
                f"the page cannot work {self.around.name} itself, for it does not know {kind}: leave out {option}"
            )
        return [kind, *parts]
