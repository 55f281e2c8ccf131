"""What a stage can do. An operation turns the matrices it reads into one, and can tell how one cell comes about.

Every operation is written for tokens as columns and knows its own mirror image for tokens as rows.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from attnhand.arithmetic import Arithmetic
from attnhand.matrix import Matrix, dot, mapped, product, transposed
from attnhand.numbers import Number, divide, simplest


class Role(StrEnum):
    """What a product is for."""

    PROJECTION = "projection"
    """Weights times tokens: W_Q X."""

    SCORES = "scores"
    """Every key against every query: Kᵀ Q."""

    MIXTURE = "mixture"
    """The values, mixed by the weights: V A."""


class Along(StrEnum):
    """Which way a sum runs, and with it where one query's numbers stand."""

    COLUMNS = "columns"
    ROWS = "rows"

    @property
    def mirrored(self) -> "Along":
        return Along.ROWS if self is Along.COLUMNS else Along.COLUMNS


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Multiply the left matrix by the right one, each transposed first if so marked."""

    role: Role
    left_transposed: bool = False
    right_transposed: bool = False
    tokens_as_rows: bool = False
    """In the rows convention operands stand in the other order: A V for V A."""

    def factors(self, left: Matrix, right: Matrix) -> tuple[Matrix, Matrix]:
        """Return the two matrices as they are multiplied."""
        return transposed(left) if self.left_transposed else left, transposed(right) if self.right_transposed else right

    def apply(self, _: Arithmetic, left: Matrix, right: Matrix) -> Matrix:  # (n, k), (k, m) -> (n, m)
        return product(*self.factors(left, right))

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, Number], ...]:
        """Return the pairs that are multiplied and added for one cell (0-based)."""
        left, right = self.factors(*inputs)
        return tuple(zip(left[row], transposed(right)[column], strict=True))

    @property
    def mirrored(self) -> "Product":
        """(A B)ᵀ = Bᵀ Aᵀ: the operands change places and carry their marks with them."""
        return Product(
            role=self.role,
            left_transposed=self.right_transposed,
            right_transposed=self.left_transposed,
            tokens_as_rows=not self.tokens_as_rows,
        )


@dataclass(frozen=True, slots=True)
class ScaleScores:
    """Divide every score by √d_k, or by what stands for it."""

    def apply(self, arithmetic: Arithmetic, scores: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return mapped(arithmetic.scaled, scores)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "ScaleScores":
        return self


@dataclass(frozen=True, slots=True)
class Power:
    """Raise e, or what stands for it, to every scaled score."""

    def apply(self, arithmetic: Arithmetic, scaled: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return mapped(arithmetic.power, scaled)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return ((inputs[0][row][column],),)

    @property
    def mirrored(self) -> "Power":
        return self


def _lines(a: Matrix, along: Along) -> Matrix:
    return transposed(a) if along is Along.COLUMNS else a


def _ones(count: int) -> tuple[int, ...]:
    return (1,) * count


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Add up every column (in the rows convention every row)."""

    along: Along = Along.COLUMNS

    def apply(self, _: Arithmetic, powers: Matrix) -> Matrix:  # (n, m) -> (1, m), or (n, 1)
        sums = tuple(simplest(dot(line, _ones(len(line)))) for line in _lines(powers, self.along))
        return (sums,) if self.along is Along.COLUMNS else tuple((total,) for total in sums)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        line = column if self.along is Along.COLUMNS else row
        return tuple((value,) for value in _lines(inputs[0], self.along)[line])

    @property
    def mirrored(self) -> "Sum":
        return Sum(along=self.along.mirrored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Divide:
    """Divide every power by the sum of its column (in the rows convention of its row): the attention weights."""

    along: Along = Along.COLUMNS

    def apply(self, _: Arithmetic, powers: Matrix, sums: Matrix) -> Matrix:  # (n, m), (1, m) -> (n, m)
        totals = sums[0] if self.along is Along.COLUMNS else tuple(row[0] for row in sums)
        lines = tuple(
            tuple(divide(power, total) for power in line)
            for line, total in zip(_lines(powers, self.along), totals, strict=True)
        )
        return _lines(lines, self.along)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        powers, sums = inputs
        return ((powers[row][column], sums[0][column] if self.along is Along.COLUMNS else sums[row][0]),)

    def over_common_denominator(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[int, int]:
        """Return a weight over the common denominator of its line, not reduced: 3/6 beside 1/6 and 2/6.

        Rational powers only; numerator and denominator.
        """
        powers, _ = inputs
        line = [Fraction(v) for v in _lines(powers, self.along)[column if self.along is Along.COLUMNS else row]]
        common = math.lcm(*(value.denominator for value in line))
        return int(Fraction(powers[row][column]) * common), int(sum(line) * common)

    @property
    def mirrored(self) -> "Divide":
        return Divide(along=self.along.mirrored)


Operation = Product | ScaleScores | Power | Sum | Divide
