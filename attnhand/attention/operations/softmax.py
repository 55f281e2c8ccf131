"""From scores to weights: scale, mask, power, sum, divide.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attnhand.attention.arithmetic import Arithmetic, Rules, ScaleRule
from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix, flatten, map_cells, product, shape, share_denominator, transpose
from attnhand.attention.numbers import MINUS_INFINITY, divide, is_finite
from attnhand.attention.operations.base import CellExplanation, CellParts, Drawing, Operation

if TYPE_CHECKING:
    from attnhand.attention.operations.base import Array, Arrays, Logs


def find_large_exponent(arithmetic: Arithmetic, exponents: Matrix) -> tuple[int, int] | None:
    """Return the first cell (0-based) whose power would be too large, or too small, to be written down."""
    limit = arithmetic.max_exponent
    cells = ((i, j, exponent) for i, row in enumerate(exponents) for j, exponent in enumerate(row))
    return next(((i, j) for i, j, value in cells if not -limit <= value <= limit and is_finite(value)), None)


@dataclass(frozen=True, slots=True)
class ScaleScores(Operation):
    """Divide every score by √d_k, or by what stands for it."""

    seconds_per_cell = 8
    gives_fractions = False
    drawing = Drawing.CELLS
    hint_key = "scale"
    has_other_rules = True
    has_working_space = is_only_copied = False

    def apply(self, arithmetic: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(arithmetic.scale_score, inputs[0])

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return ((inputs[0][row][column],),)

    def recompute(self, arithmetic: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Multiply by the inverse; what is rounded down is proved exactly instead."""
        rules = arithmetic.rules
        if rules.scale is ScaleRule.SQRT:
            return inputs[0] * math.pow(arithmetic.d_k, -0.5)
        return inputs[0] if rules.divisor is None else inputs[0] * (1.0 / rules.divisor)

    def is_proved_exactly(self, arithmetic: Arithmetic) -> bool:
        return arithmetic.rules.is_rounded_down

    def find_wrong_cell(self, arithmetic: Arithmetic, inputs: Sequence[Matrix], output: Matrix) -> str | None:
        """Check ⌊x/2⌋ by its definition: no float can tell 1 from a whisker less."""
        if not arithmetic.rules.is_rounded_down:
            return None
        if shape(inputs[0]) != shape(output):
            return "two routes disagree on shape"
        for score, scaled in zip(flatten(inputs[0]), flatten(output), strict=True):
            if not arithmetic.is_scaled_score(score, scaled):
                divisor = arithmetic.rules.floor_divisor
                return f"two routes disagree: {scaled} is not {score} divided by {divisor}, rounded down"
        return None

    def choose_formula_key(self, rules: Rules) -> str:
        return f"scores.{rules.scale_key}"

    def choose_instruction_key(self, rules: Rules) -> str:
        return f"do.{rules.scale_key}"

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="scale", sources=((0, row, column),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask(Operation):
    """Put −∞ where the key comes after the query: the later token is not there yet.

    With a window a key is hidden too where it comes so many tokens before the query, or more.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3; windows after Beltagy, Peters and Cohan,
    "Longformer", 2020, section 3.1.
    """

    window: int | None = None
    """How many tokens a query sees, its own and those just before; None for all before."""

    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 3
    gives_fractions = False
    drawing = Drawing.CELLS
    hint_key = "mask"
    has_working_space = is_only_copied = False
    gives_infinity = True
    reads_exponents = True

    def hides(self, row: int, column: int) -> bool:
        """Say whether a cell (0-based) is hidden from its query."""
        key, query = (column, row) if self.convention.is_rows else (row, column)
        return key > query or self.is_before_window(key, query)

    def is_before_window(self, key: int, query: int) -> bool:
        """Say whether a token (0-based) comes so early that its query no longer sees it."""
        return self.window is not None and key <= query - self.window

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, n) -> (n, n)
        return tuple(
            tuple(MINUS_INFINITY if self.hides(i, j) else value for j, value in enumerate(row))
            for i, row in enumerate(inputs[0])
        )

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return ((inputs[0][row][column],),)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Hide what stands below the diagonal, and above the last one that the window reaches, by triangles of ones."""
        import numpy as np

        size = len(inputs[0])
        hidden = np.tri(size, k=-1) if self.window is None else np.tri(size, k=-1) + np.tri(size, k=-self.window).T
        hidden = hidden.astype(bool)
        return np.where(hidden.T if self.convention.is_rows else hidden, -np.inf, inputs[0])

    def choose_formula_key(self, rules: Rules) -> str:
        return "" if self.window is None else "masked.window"

    def choose_instruction_key(self, rules: Rules) -> str:
        return "do" if self.window is None else "do.window"

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        key, query = (column, row) if self.convention.is_rows else (row, column)
        sources = ((0, row, column),)
        if self.is_before_window(key, query):
            return CellExplanation(key="before_window", sources=sources, numbers={"window": self.window or 0})
        return CellExplanation(key="masked" if self.hides(row, column) else "visible", sources=sources)


@dataclass(frozen=True, slots=True)
class Power(Operation):
    """Raise e, or what stands for it, to every scaled score."""

    seconds_per_cell = 8
    gives_fractions = True
    drawing = Drawing.CELLS
    hint_key = "power"
    reminder_key = "powers"
    reads_exponents = True
    has_working_space = is_only_copied = False

    def apply(self, arithmetic: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m) -> (n, m)
        return map_cells(arithmetic.raise_base, inputs[0])

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        return ((inputs[0][row][column],),)

    def recompute(self, arithmetic: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Raise 2 to the exponent times log₂ of the base."""
        import numpy as np

        return np.asarray(np.exp2(inputs[0] * (arithmetic.log_base / math.log(2.0))))

    def compute_logs(self, arithmetic: Arithmetic, inputs: "Arrays") -> "Array":
        return inputs[0] * arithmetic.log_base

    def find_too_large(self, arithmetic: Arithmetic, inputs: Sequence[Matrix]) -> tuple[int, int] | None:
        return find_large_exponent(arithmetic, inputs[0])

    def choose_formula_key(self, rules: Rules) -> str:
        return "power"

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="power", sources=((0, row, column),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(Operation):
    """Add up every column (in the rows convention every row)."""

    convention: Convention = Convention.COLUMNS

    has_formula = False
    seconds_per_cell = 20
    gives_fractions = True
    drawing = Drawing.CELLS
    hint_key = "sum"
    has_working_space = True
    is_only_copied = False

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m) -> (1, m), or (n, 1)
        vectors = transpose_if_columns(inputs[0], self.convention)
        sums = product(vectors, tuple((1,) for _ in vectors[0]))
        return sums if self.convention.is_rows else transpose(sums)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        vectors = transpose_if_columns(inputs[0], self.convention)
        return tuple((value,) for value in vectors[row if self.convention.is_rows else column])

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Add from the last to the first."""
        import numpy as np

        return np.asarray(np.flip(np.flip(inputs[0]).sum(axis=int(self.convention.is_rows), keepdims=True)))

    def choose_formula_key(self, rules: Rules) -> str:
        return "sum"

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        return CellExplanation(key="sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class Divide(Operation):
    """Divide every power by the sum of its column (in the rows convention of its row): the attention weights."""

    convention: Convention = Convention.COLUMNS

    seconds_per_cell = 15
    gives_fractions = True
    drawing = Drawing.CELLS
    hint_key = "weight"
    has_working_space = True
    is_only_copied = False

    def apply(self, _: Arithmetic, *inputs: Matrix) -> Matrix:  # (n, m), (1, m) -> (n, m)
        powers, sums = inputs
        totals = tuple(row[0] for row in sums) if self.convention.is_rows else sums[0]
        weights = tuple(
            tuple(divide(power, total) for power in vector)
            for vector, total in zip(transpose_if_columns(powers, self.convention), totals, strict=True)
        )
        return transpose_if_columns(weights, self.convention)

    def parts(self, inputs: tuple[Matrix, ...], row: int, column: int) -> CellParts:
        powers, sums = inputs
        return ((powers[row][column], sums[row][0] if self.convention.is_rows else sums[0][column]),)

    def expand_to_common_denominator(self, inputs: tuple[Matrix, ...], row: int, column: int) -> tuple[int, int]:
        """Return a weight over the common denominator of its query, not reduced: 3/6 beside 1/6 and 2/6.

        Rational powers only; numerator and denominator.
        """
        powers, _ = inputs
        tops, _ = share_denominator(powers[row] if self.convention.is_rows else [each[column] for each in powers])
        return tops[column if self.convention.is_rows else row], sum(tops)

    def recompute(self, _: Arithmetic, inputs: "Arrays", logs: "Logs") -> "Array":
        """Take the softmax as one stable formula; what is no power is divided by sums that are added up anew."""
        import numpy as np

        axis = int(self.convention.is_rows)
        numerators = inputs[0]
        if (exponents := logs[0]) is not None:
            numerators = np.exp(exponents - exponents.max(axis=axis, keepdims=True))
        return np.asarray(numerators / numerators.sum(axis=axis, keepdims=True))

    def find_wrong_cell(self, arithmetic: Arithmetic, inputs: Sequence[Matrix], output: Matrix) -> str | None:
        """Weights add to 1, exactly where they are fractions."""
        for weights in output if self.convention.is_rows else zip(*output, strict=True):
            slack = 0 if all(isinstance(weight, int | Fraction) for weight in weights) else 1e-12
            if abs(sum(weights) - 1) > slack or min(weights) < 0:
                return f"the weights {weights} do not add to 1"
        return None

    def choose_formula_key(self, rules: Rules) -> str:
        return "weight"

    def explain(self, inputs: Sequence[Sequence[Sequence[Any]]], row: int, column: int) -> CellExplanation:
        total = (1, row, 0) if self.convention.is_rows else (1, 0, column)
        return CellExplanation(key="weight", sources=((0, row, column), total))
