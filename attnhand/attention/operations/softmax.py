"""From scores to weights: scale, mask, power, sum, divide.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix, dot, make_ones, map_cells
from attnhand.attention.numbers import MINUS_INFINITY, Number, divide, simplify


@dataclass(frozen=True, slots=True)
class ScaleScores:
    """Divide every score by √d_k, or by what stands for it."""

    def apply(self, arithmetic: Arithmetic, scores: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(arithmetic.scale_score, scores)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "ScaleScores":
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Put −∞ where the key comes after the query: the later token is not there yet.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3.
    """

    convention: Convention = Convention.COLUMNS

    def hides(self, row: int, column: int) -> bool:
        """Say whether a cell (0-based) is hidden from its query."""
        return column > row if self.convention.is_rows else row > column

    def apply(self, _: Arithmetic, scores: Matrix) -> Matrix:  # (n, n) -> (n, n)
        return tuple(
            tuple(MINUS_INFINITY if self.hides(i, j) else value for j, value in enumerate(row))
            for i, row in enumerate(scores)
        )

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "Mask":
        return Mask(convention=self.convention.mirrored)


@dataclass(frozen=True, slots=True)
class Power:
    """Raise e, or what stands for it, to every scaled score."""

    def apply(self, arithmetic: Arithmetic, scaled: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(arithmetic.raise_base, scaled)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "Power":
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Add up every column (in the rows convention every row)."""

    convention: Convention = Convention.COLUMNS

    def apply(self, _: Arithmetic, powers: Matrix) -> Matrix:  # (n, m) -> (1, m), or (n, 1)
        sums = tuple(
            simplify(dot(line, make_ones(len(line)))) for line in transpose_if_columns(powers, self.convention)
        )
        return tuple((total,) for total in sums) if self.convention.is_rows else (sums,)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        line = row if self.convention.is_rows else column
        return tuple((value,) for value in transpose_if_columns(inputs[0], self.convention)[line])

    @property
    def mirrored(self) -> "Sum":
        return Sum(convention=self.convention.mirrored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Divide:
    """Divide every power by the sum of its column (in the rows convention of its row): the attention weights."""

    convention: Convention = Convention.COLUMNS

    def apply(self, _: Arithmetic, powers: Matrix, sums: Matrix) -> Matrix:  # (n, m), (1, m) -> (n, m)
        totals = tuple(row[0] for row in sums) if self.convention.is_rows else sums[0]
        weights = tuple(
            tuple(divide(power, total) for power in line)
            for line, total in zip(transpose_if_columns(powers, self.convention), totals, strict=True)
        )
        return transpose_if_columns(weights, self.convention)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        powers, sums = inputs
        return ((powers[row][column], sums[row][0] if self.convention.is_rows else sums[0][column]),)

    def expand_to_common_denominator(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[int, int]:
        """Return a weight over the common denominator of its line, not reduced: 3/6 beside 1/6 and 2/6.

        Rational powers only; numerator and denominator.
        """
        powers, _ = inputs
        line = [
            Fraction(v)
            for v in transpose_if_columns(powers, self.convention)[row if self.convention.is_rows else column]
        ]
        common = math.lcm(*(value.denominator for value in line))
        return int(Fraction(powers[row][column]) * common), int(sum(line) * common)

    @property
    def mirrored(self) -> "Divide":
        return Divide(convention=self.convention.mirrored)
