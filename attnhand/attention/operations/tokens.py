"""What makes X: words looked up, positions added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from dataclasses import dataclass, replace

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, simplify


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """Write the vector of every word in a line, token by token."""

    word_indices: tuple[int, ...]
    """For each token the line (0-based) of the table that its word has."""

    convention: Convention = Convention.COLUMNS

    def apply(self, _: Arithmetic, table: Matrix) -> Matrix:  # (features, vocabulary) -> (features, tokens)
        vectors = transpose_if_columns(table, self.convention)
        return transpose_if_columns(tuple(vectors[index] for index in self.word_indices), self.convention)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        if not self.convention.is_rows:
            return ((inputs[0][row][self.word_indices[column]],),)
        return ((inputs[0][self.word_indices[row]][column],),)

    @property
    def mirrored(self) -> "LookUp":
        return replace(self, convention=self.convention.mirrored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Write sines and cosines of the place of every token: rows 1, 3, … sin, rows 2, 4, … cos.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5; the first token's position is 0.
    """

    feature_count: int
    token_count: int
    convention: Convention = Convention.COLUMNS

    def apply(self, arithmetic: Arithmetic) -> Matrix:  # () -> (features, tokens)
        columns = tuple(
            tuple(
                arithmetic.encode_position(position, feature, self.feature_count)
                for feature in range(self.feature_count)
            )
            for position in range(self.token_count)
        )
        return transpose_if_columns(columns, self.convention)

    def parts(self, _: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        """Return the position of the token and the number of the feature (0-based)."""
        return ((row, column) if self.convention.is_rows else (column, row),)

    @property
    def mirrored(self) -> "Positions":
        return replace(self, convention=self.convention.mirrored)


@dataclass(frozen=True, slots=True)
class Add:
    """Add two matrices cell by cell: X = E + P."""

    def apply(self, _: Arithmetic, left: Matrix, right: Matrix) -> Matrix:  # (n, m), (n, m) -> (n, m)
        return tuple(
            tuple(simplify(x + y) for x, y in zip(*rows, strict=True))  # type: ignore[operator]  # of one kind
            for rows in zip(left, right, strict=True)
        )

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return tuple((a[row][column],) for a in inputs)

    @property
    def mirrored(self) -> "Add":
        return self
