"""Formulas that are a product of two matrices: Falk's scheme, read off the order of their letters.

>>> from attnhand.attention.formulas.reading import read_formula
>>> find_product(read_formula("scores   S[k,q] = Σ_r K[r,k]·Q[r,q]").right, ("k", "q"))
Product(left='K', right='Q', bias=None, is_left_transposed=True, is_right_transposed=False)
"""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.attention.formulas.nodes import Binary, Letter, Node, Over, Read


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

    GRADIENT = "gradient product"
    """A gradient, passed back through another product: Vᵀ g, g Aᵀ."""


@dataclass(frozen=True, slots=True)
class Product:
    """The left matrix times the right one, each transposed first if so marked."""

    left: str
    right: str
    bias: str | None
    """Added to every token. By hand it is one more column of the left matrix, against a row of ones."""

    is_left_transposed: bool
    is_right_transposed: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What it reads, as it stands on paper: W, b, X."""
        return (self.left, *([] if self.bias is None else [self.bias]), self.right)

    @property
    def mirrored(self) -> "Product":
        """(A B)ᵀ = Bᵀ Aᵀ: the factors change places and carry their marks with them."""
        return Product(self.right, self.left, self.bias, self.is_right_transposed, self.is_left_transposed)

    def name_factors(self, left: str, right: str) -> tuple[str, str]:
        """Return the factors as they are multiplied, by what they are called (markup): "K^T", "Q"."""
        return (
            transpose_name(left) if self.is_left_transposed else left,
            transpose_name(right) if self.is_right_transposed else right,
        )


def transpose_name(markup: str) -> str:
    """Return what a matrix is called where it is transposed (markup).

    >>> transpose_name("K"), transpose_name("K^{(2)}")
    ('K^T', 'K^{(2)T}')
    """
    return f"{markup[:-1]}T}}" if markup.endswith(")}") else f"{markup}^T"


def find_product(right_side: Node, letters: tuple[str, ...]) -> Product | None:
    """Return the product that a formula is; None where it is something else.

    Args:
        letters: of a row and of a column of what comes out.
    """
    bias: str | None = None
    total = right_side
    match right_side:
        case Binary("+", total, Read(bias)):
            pass
    match total:
        case Over("Σ", index, Binary("·", Read(left, of_left), Read(right, of_right))) if len(letters) == 2:
            row, column = Letter(letters[0]), Letter(letters[1])
            if {*of_left} == {row, index} and {*of_right} == {column, index}:
                return Product(left, right, bias, of_left[0] == index, of_right[1] == index)
    return None
