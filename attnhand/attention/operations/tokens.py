"""What makes X: words looked up, positions added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic, Rules
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import simplify
from attnhand.attention.operations.base import CellExplanation, CellParts, Drawing, Operation, measure_largest

if TYPE_CHECKING:
    from attnhand.attention.operations.base import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp(Operation):
    """Write the vector of every word in a line, token by token."""

    word_indices: tuple[int, ...]
    """For each token the line (0-based) of the table that its word has."""

    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 3
    gives_fractions = False
    drawing = Drawing.CELLS
    reminder_key = ""
    has_working_space = False
    is_only_copied = True

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (features, vocabulary) -> (features, tokens)
        vectors = transpose_if_columns(inputs[0], self.convention)
        return transpose_if_columns(tuple(vectors[index] for index in self.word_indices), self.convention)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        if self.convention.is_rows:
            return ((inputs[0][self.word_indices[row]][column],),)
        return ((inputs[0][row][self.word_indices[column]],),)

    @property
    def mirrored(self) -> "LookUp":
        return replace(self, convention=self.convention.mirrored)

    def recompute(
        self, _: Arithmetic, inputs: Sequence["Array"], logs: Sequence["Array | None"]
    ) -> tuple["Array", float]:
        import numpy as np

        vectors = np.take(inputs[0], self.word_indices, axis=int(not self.convention.is_rows))
        return vectors, measure_largest(vectors)

    def choose_formula_key(self, rules: Rules) -> str:
        return ""

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        """Name the word, and as sources its whole vector."""
        token = row if self.convention.is_rows else column
        line = self.word_indices[token]
        if self.convention.is_rows:
            sources = tuple((0, line, feature) for feature in range(len(inputs[0][0])))
        else:
            sources = tuple((0, feature, line) for feature in range(len(inputs[0])))
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
    reminder_key = ""
    has_working_space = False
    is_only_copied = False
    is_given_to_students = True

    def apply(self, arithmetic: Arithmetic, *_: Matrix) -> Matrix:  # () -> (features, tokens)
        columns = tuple(
            tuple(
                arithmetic.encode_position(position, feature, self.feature_count)
                for feature in range(self.feature_count)
            )
            for position in range(self.token_count)
        )
        return transpose_if_columns(columns, self.convention)

    def parts(self, _: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        """Return the position of the token and the number of the feature (0-based)."""
        return ((row, column) if self.convention.is_rows else (column, row),)

    @property
    def mirrored(self) -> "Positions":
        return replace(self, convention=self.convention.mirrored)

    def recompute(
        self, arithmetic: Arithmetic, inputs: Sequence["Array"], logs: Sequence["Array | None"]
    ) -> tuple["Array", float]:
        """Take e to the power of i·angle, its imaginary and its real part in turn: sines and cosines in columns."""
        import numpy as np

        pairs = np.arange((self.feature_count + 1) // 2)
        angles = np.outer(10_000.0 ** (-2 * pairs / self.feature_count), np.arange(self.token_count))
        rotations = np.exp(1j * angles)
        waves = np.stack((rotations.imag, rotations.real), axis=1).reshape(-1, self.token_count)[: self.feature_count]
        waves = np.rint(waves) if arithmetic.has_rounded_positions else waves
        return (waves.T if self.convention.is_rows else waves), measure_largest(waves)

    def choose_formula_key(self, rules: Rules) -> str:
        return ""

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
    reminder_key = ""
    has_working_space = False
    is_only_copied = True

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m), (n, m) -> (n, m)
        return tuple(tuple(simplify(x + y) for x, y in zip(*rows, strict=True)) for rows in zip(*inputs, strict=True))

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return tuple((a[row][column],) for a in inputs)

    @property
    def mirrored(self) -> "Add":
        return self

    def recompute(
        self, _: Arithmetic, inputs: Sequence["Array"], logs: Sequence["Array | None"]
    ) -> tuple["Array", float]:
        import numpy as np

        added = np.add.reduce(list(inputs))
        return added, measure_largest(added)

    def format_formula(self, names: Sequence[str]) -> str:
        return " + ".join(names)

    def choose_formula_key(self, rules: Rules) -> str:
        return ""

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="added", sources=((0, row, column), (1, row, column)))
