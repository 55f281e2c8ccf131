"""What makes X: words looked up, positions added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from dataclasses import dataclass, replace

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, simplest
from attnhand.attention.operations.axis import Along, lines


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """Write the vector of every word in a line, token by token."""

    places: tuple[int, ...]
    """For each token the line (0-based) of the table that its word has."""

    along: Along = Along.COLUMNS

    def apply(self, _: Arithmetic, table: Matrix) -> Matrix:  # (features, vocabulary) -> (features, tokens)
        vectors = lines(table, self.along)
        return lines(tuple(vectors[place] for place in self.places), self.along)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        if self.along is Along.COLUMNS:
            return ((inputs[0][row][self.places[column]],),)
        return ((inputs[0][self.places[row]][column],),)

    @property
    def mirrored(self) -> "LookUp":
        return replace(self, along=self.along.mirrored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """Write sines and cosines of the place of every token: rows 1, 3, … sin, rows 2, 4, … cos.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5; the first token's position is 0.
    """

    features: int
    tokens: int
    along: Along = Along.COLUMNS

    def apply(self, arithmetic: Arithmetic) -> Matrix:  # () -> (features, tokens)
        columns = tuple(
            tuple(arithmetic.position(place, feature, self.features) for feature in range(self.features))
            for place in range(self.tokens)
        )
        return lines(columns, self.along)

    def parts(self, _: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        """Return the position of the token and the number of the feature (0-based)."""
        return ((column, row) if self.along is Along.COLUMNS else (row, column),)

    @property
    def mirrored(self) -> "Positions":
        return replace(self, along=self.along.mirrored)


@dataclass(frozen=True, slots=True)
class Add:
    """Add two matrices cell by cell: X = E + P."""

    def apply(self, _: Arithmetic, left: Matrix, right: Matrix) -> Matrix:  # (n, m), (n, m) -> (n, m)
        return tuple(
            tuple(simplest(x + y) for x, y in zip(*rows, strict=True))  # type: ignore[operator]  # of one kind
            for rows in zip(left, right, strict=True)
        )

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[tuple[Number, ...], ...]:
        return tuple((a[row][column],) for a in inputs)

    @property
    def mirrored(self) -> "Add":
        return self
