"""The product of two matrices, and what it is for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, product, transpose
from attnhand.attention.numbers import Number, to_float
from attnhand.attention.operations.base import CellExplanation, Drawing, Operation

if TYPE_CHECKING:
    from attnhand.attention.operations.base import Array, Arrays, Logs


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


def transpose_name(markup: str) -> str:
    """Return what a matrix is called where it is transposed (markup).

    >>> transpose_name("K"), transpose_name("K^{(2)}")
    ('K^T', 'K^{(2)T}')
    """
    return f"{markup[:-1]}T}}" if markup.endswith(")}") else f"{markup}^T"


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Operation):
    """Multiply the left matrix by the right one, each transposed first if so marked.

    With a bias it reads three: W, b, X. By hand b is one more column of W, against a row of ones under X.
    """

    role: ProductRole
    is_left_transposed: bool = False
    is_right_transposed: bool = False
    has_bias: bool = False
    convention: Convention = Convention.COLUMNS
    """In the rows convention operands stand in the other order: A V for V A."""

    seconds_per_cell = 0  # every product is counted
    drawing = Drawing.PRODUCT
    hint_key = "product"
    is_only_copied = False

    @property
    def has_working_space(self) -> bool:
        """Whether there are writing lines: scores are longer sums, with numbers that were worked out before."""
        return self.role is ProductRole.SCORES

    @property
    def gives_fractions(self) -> bool:
        return self.role in (ProductRole.MIXTURE, ProductRole.LAYER)

    @property
    def is_checked_by_sums(self) -> bool:
        """Whether whole numbers come out, so that their sums are printed to check by."""
        return self.role in (ProductRole.PROJECTION, ProductRole.SCORES)

    def get_factors(self, *inputs: Matrix) -> tuple[Matrix, Matrix]:
        """Return the two matrices as they are multiplied, a bias and its ones put in."""
        left, right = inputs[0], inputs[-1]
        left = transpose(left) if self.is_left_transposed else left
        right = transpose(right) if self.is_right_transposed else right
        if not self.has_bias:
            return left, right
        if self.convention.is_rows:
            return tuple((*row, 1) for row in left), (*right, inputs[1][0])
        extended = tuple((*row, *bias) for row, bias in zip(left, inputs[1], strict=True))
        return extended, (*right, (1,) * len(right[0]))

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, k), (k, m) -> (n, m)
        return product(*self.get_factors(*inputs))

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, Number], ...]:
        """Return the pairs that are multiplied and added for one cell (0-based)."""
        left, right = self.get_factors(*inputs)
        return tuple(zip(left[row], transpose(right)[column], strict=True))

    @property
    def mirrored(self) -> "Product":
        """(A B)ᵀ = Bᵀ Aᵀ: the operands change places and carry their marks with them."""
        left, right = self.is_right_transposed, self.is_left_transposed
        return replace(self, is_left_transposed=left, is_right_transposed=right, convention=self.convention.mirrored)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Multiply cell by cell and add; a bias is added to the whole product, not multiplied by ones."""
        import numpy as np

        left, right = self._turn_factors(inputs)
        if self.has_bias:
            return np.asarray(inputs[1] + left @ right)
        return np.asarray((left[:, :, np.newaxis] * right).sum(axis=1))

    def measure_addends(self, inputs: "Arrays", output: "Array") -> float:
        left, right = map(abs, self._turn_factors(inputs))
        return float((left @ right).max()) + (float(abs(inputs[1]).max()) if self.has_bias else 0)

    def _turn_factors(self, inputs: "Arrays") -> tuple["Array", "Array"]:
        left, right = inputs[0], inputs[-1]
        return left.T if self.is_left_transposed else left, right.T if self.is_right_transposed else right

    def find_wrong_cell(self, arithmetic: Arithmetic, inputs: Sequence[Matrix], output: Matrix) -> str | None:
        """What is mixed by weights lies between the values that are mixed."""
        if self.role is not ProductRole.MIXTURE:
            return None
        values = zip(*inputs[1], strict=True) if self.convention.is_rows else inputs[0]
        mixed = zip(*output, strict=True) if self.convention.is_rows else output
        for sources, results in zip(values, mixed, strict=True):
            low, high = min(map(to_float, sources)), max(map(to_float, sources))
            slack = 1e-9 * max(1.0, abs(low), abs(high))
            if not all(low - slack <= to_float(result) <= high + slack for result in results):
                return f"the outputs {results} do not lie between the values {sources}"
        return None

    def format_formula(self, names: Sequence[str]) -> str:
        left, right = self.name_factors(names)
        return f"{left} {right} + {names[1]}" if self.has_bias else f"{left} {right}"

    def name_factors(self, names: Sequence[str]) -> tuple[str, str]:
        """Return what is multiplied, as it is multiplied (markup): "K^T", "Q"."""
        left, right = names[0], names[-1]
        return (
            transpose_name(left) if self.is_left_transposed else left,
            transpose_name(right) if self.is_right_transposed else right,
        )

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="product")
