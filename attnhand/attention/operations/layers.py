"""What becomes of the outputs: heads joined, and the bend of the feed-forward network."""

from dataclasses import dataclass

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, map_cells
from attnhand.attention.numbers import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Concatenate:
    """Write the outputs of all heads under one another (in the rows convention side by side)."""

    convention: Convention = Convention.COLUMNS

    def apply(self, _: Arithmetic, *heads: Matrix) -> Matrix:  # (d_v, n) each -> (heads · d_v, n)
        if not self.convention.is_rows:
            return tuple(row for head in heads for row in head)
        return tuple(tuple(value for part in rows for value in part) for rows in zip(*heads, strict=True))

    def find_source(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[int, int, int]:
        """Return which input (0-based) a cell is copied from, and its row and column there."""
        size = len(inputs[0][0]) if self.convention.is_rows else len(inputs[0])
        if not self.convention.is_rows:
            return row // size, row % size, column
        return column // size, row, column % size

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        head, i, j = self.find_source(inputs, row, column)
        return ((inputs[head][i][j],),)

    @property
    def mirrored(self) -> "Concatenate":
        return Concatenate(convention=self.convention.mirrored)


@dataclass(frozen=True, slots=True)
class ReLU:
    """Put 0 for everything negative.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.3.
    """

    def apply(self, _: Arithmetic, a: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(lambda value: max(value, 0), a)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "ReLU":
        return self
