"""The product of two matrices, and what it is for."""

from dataclasses import dataclass, replace
from enum import StrEnum

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, make_ones, product, transpose
from attnhand.attention.numbers import Number


class ProductRole(StrEnum):
    """What a product is for."""

    PROJECTION = "projection"
    """Weights times tokens: W_Q X."""

    SCORES = "scores"
    """Every key against every query: Kᵀ Q."""

    MIXTURE = "mixture"
    """The values, mixed by the weights: V A."""

    LAYER = "layer"
    """Weights times what attention gave: W_O concat, W_1 Z + b_1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Multiply the left matrix by the right one, each transposed first if so marked.

    With a bias it reads three: W, b, X. By hand b is one more column of W, against a row of ones under X.
    """

    role: ProductRole
    is_left_transposed: bool = False
    is_right_transposed: bool = False
    has_bias: bool = False
    convention: Convention = Convention.COLUMNS
    """In the rows convention operands stand in the other order: A V for V A."""

    def get_factors(self, *inputs: Matrix) -> tuple[Matrix, Matrix]:
        """Return the two matrices as they are multiplied, a bias and its ones put in."""
        left, right = inputs[0], inputs[-1]
        left = transpose(left) if self.is_left_transposed else left
        right = transpose(right) if self.is_right_transposed else right
        if not self.has_bias:
            return left, right
        if self.convention.is_rows:
            return tuple((*row, 1) for row in left), (*right, inputs[1][0])
        return tuple((*row, *bias) for row, bias in zip(left, inputs[1], strict=True)), (
            *right,
            make_ones(len(right[0])),
        )

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, k), (k, m) -> (n, m)
        return product(*self.get_factors(*inputs))

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, Number], ...]:
        """Return the pairs that are multiplied and added for one cell (0-based)."""
        left, right = self.get_factors(*inputs)
        return tuple(zip(left[row], transpose(right)[column], strict=True))

    @property
    def mirrored(self) -> "Product":
        """(A B)ᵀ = Bᵀ Aᵀ: the operands change places and carry their marks with them."""
        return replace(
            self,
            is_left_transposed=self.is_right_transposed,
            is_right_transposed=self.is_left_transposed,
            convention=self.convention.mirrored,
        )
