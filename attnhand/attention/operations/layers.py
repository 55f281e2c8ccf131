"""What becomes of the outputs: heads joined, and the bend of the feed-forward network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, map_cells
from attnhand.attention.operations.base import CellExplanation, CellParts, Drawing, Operation

if TYPE_CHECKING:
    from attnhand.attention.operations.base import Array, Arrays, Logs


@dataclass(frozen=True, slots=True, kw_only=True)
class Concatenate(Operation):
    """Write the outputs of all heads under one another (in the rows convention side by side)."""

    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 3
    gives_fractions = True
    drawing = Drawing.CELLS
    hint_key = "joined"
    has_working_space = is_only_copied = False

    def apply(self, _: Arithmetic, *heads: Matrix) -> Matrix:  # (d_v, n) each -> (heads · d_v, n)
        if self.convention.is_rows:
            return tuple(tuple(value for part in rows for value in part) for rows in zip(*heads, strict=True))
        return tuple(row for head in heads for row in head)

    def find_source(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> tuple[int, int, int]:
        """Return which input (0-based) a cell is copied from, and its row and column there."""
        if self.convention.is_rows:
            size = len(inputs[0][0])
            return column // size, row, column % size
        size = len(inputs[0])
        return row // size, row % size, column

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        head, i, j = self.find_source(inputs, row, column)
        return ((inputs[head][i][j],),)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        import numpy as np

        return np.concatenate(list(inputs), axis=int(self.convention.is_rows))

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="joined", sources=(self.find_source(inputs, row, column),))


@dataclass(frozen=True, slots=True)
class ReLU(Operation):
    """Put 0 for everything negative.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.3.
    """

    seconds_per_cell = 3
    gives_fractions = True
    drawing = Drawing.CELLS
    hint_key = "relu"
    has_working_space = is_only_copied = False

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(lambda value: max(value, 0), inputs[0])

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return ((inputs[0][row][column],),)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        return inputs[0] * (inputs[0] > 0)

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="relu", sources=((0, row, column),), numbers={"value": inputs[0][row][column]})
