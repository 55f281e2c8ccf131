"""What makes X: words looked up, positions added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic, compute_wave_fraction
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import simplify
from attnhand.attention.operations.base import CellExplanation, CellParts, Drawing, Operation

if TYPE_CHECKING:
    from attnhand.attention.operations.base import Array, Arrays, Logs


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp(Operation):
    """Write the vector of every word side by side, token by token."""

    word_indices: tuple[int, ...]
    """For each token which vector (0-based) of the table its word has."""

    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 3
    gives_fractions = False
    drawing = Drawing.CELLS
    hint_key = "looked_up"
    has_working_space = False
    is_only_copied = True

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (features, vocabulary) -> (features, tokens)
        vectors = transpose_if_columns(inputs[0], self.convention)
        return transpose_if_columns(tuple(vectors[index] for index in self.word_indices), self.convention)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        token, feature = (row, column) if self.convention.is_rows else (column, row)
        return ((transpose_if_columns(inputs[0], self.convention)[self.word_indices[token]][feature],),)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        import numpy as np

        return np.take(inputs[0], self.word_indices, axis=int(not self.convention.is_rows))

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        """Name the word, and as sources its whole vector."""
        token = row if self.convention.is_rows else column
        index = self.word_indices[token]
        if self.convention.is_rows:
            sources = tuple((0, index, feature) for feature in range(len(inputs[0][0])))
        else:
            sources = tuple((0, feature, index) for feature in range(len(inputs[0])))
        return CellExplanation(key="looked_up", sources=sources, token=token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions(Operation):
    """Write sines and cosines of the place of every token: rows 1, 3, … sin, rows 2, 4, … cos.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5; the first token's position is 0.
    """

    feature_count: int
    token_count: int
    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 0
    gives_fractions = False
    drawing = Drawing.CELLS
    hint_key = "position"
    has_working_space = is_only_copied = False
    is_given_to_students = True

    def apply(self, arithmetic: Arithmetic, *_: Matrix) -> Matrix:  # () -> (features, tokens)
        features, encode = self.feature_count, arithmetic.encode_position
        columns = (tuple(encode(i, j, features) for j in range(features)) for i in range(self.token_count))
        return transpose_if_columns(tuple(columns), self.convention)

    def apply_in_fractions(self) -> Matrix:
        """Write them unrounded, as fractions of five decimals."""
        features = range(self.feature_count)
        columns = (
            tuple(compute_wave_fraction(i, j, self.feature_count) for j in features) for i in range(self.token_count)
        )
        return transpose_if_columns(tuple(columns), self.convention)

    def parts(self, _: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        """Return the position of the token and the number of the feature (0-based)."""
        return ((row, column) if self.convention.is_rows else (column, row),)

    def recompute(self, arithmetic: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Take e to the power of i·angle, its imaginary and its real part in turn: sines and cosines in columns."""
        import numpy as np

        pairs = np.arange((self.feature_count + 1) // 2)
        angles = np.outer(10_000.0 ** (-2 * pairs / self.feature_count), np.arange(self.token_count))
        rotations = np.exp(1j * angles)
        waves = np.stack((rotations.imag, rotations.real), axis=1).reshape(-1, self.token_count)[: self.feature_count]
        waves = np.rint(waves) if arithmetic.has_rounded_positions else waves
        return np.asarray(waves.T if self.convention.is_rows else waves)

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        ((position, feature),) = self.parts((), row, column)
        return CellExplanation(
            key="position", numbers={"position": position, "feature": feature, "features": self.feature_count}
        )


@dataclass(frozen=True, slots=True)
class Add(Operation):
    """Add two matrices cell by cell: X = E + P."""

    seconds_per_cell = 5
    gives_fractions = False
    drawing = Drawing.CELLS
    hint_key = "added"
    has_working_space = False
    is_only_copied = True

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m), (n, m) -> (n, m)
        return tuple(tuple(simplify(x + y) for x, y in zip(*rows, strict=True)) for rows in zip(*inputs, strict=True))

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return tuple((a[row][column],) for a in inputs)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        import numpy as np

        return np.asarray(np.add.reduce(list(inputs)))

    def format_formula(self, names: Sequence[str]) -> str:
        return " + ".join(names)

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="added", sources=((0, row, column), (1, row, column)))
