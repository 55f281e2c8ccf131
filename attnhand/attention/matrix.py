"""Small exact matrices: tuples of rows, shapes checked on entry."""

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from operator import mul

from attnhand.attention.numbers import Number, has_irrational, simplify, to_decimal
from attnhand.errors import ProblemError

Matrix = tuple[tuple[Number, ...], ...]
"""Rows of equal length, at least one row of at least one number."""

FloatMatrix = tuple[tuple[float, ...], ...]

NOISE = Decimal("1e-35")
"""A sum of 40-digit values that is smaller than so much of its terms is 0: no digit of it is known.

A term is off by a few units of its 40th digit: what stands for e, its powers, their sum and the weights are each
rounded there, and powers of exponents up to e⁷⁰⁰ lose three digits more. Terms that cancel leave as much, 4·10⁻⁴¹ and
no 0. A small value is none of that, as long as its terms are small too: a weight of 10⁻⁵⁰ times 3 stays.
"""


def make_matrix(rows: Iterable[Iterable[Number]]) -> Matrix:
    """Build a matrix, whole fractions as ints.

    >>> make_matrix([[1, Fraction(4, 2)], [0, Fraction(1, 3)]])
    ((1, 2), (0, Fraction(1, 3)))

    Raises:
        ProblemError: no rows, an empty row, or rows of different lengths.
    """
    built = tuple(tuple(simplify(value) for value in row) for row in rows)
    if not built or not built[0]:
        raise ProblemError("a matrix needs at least one row and one column")
    if len({len(row) for row in built}) > 1:
        raise ProblemError(f"its rows have different lengths ({', '.join(str(len(row)) for row in built)})")
    return built


def shape(a: Matrix) -> tuple[int, int]:
    """Return (rows, columns)."""
    return len(a), len(a[0])


def transpose(a: Matrix) -> Matrix:  # (n, m) -> (m, n)
    """Write every column as a row.

    >>> transpose(((1, 2, 3), (4, 5, 6)))
    ((1, 4), (2, 5), (3, 6))
    """
    return tuple(zip(*a, strict=True))


def dot(left: Sequence[Number], right: Sequence[Number]) -> Number:  # (n,), (n,) -> ()
    """Multiply pair by pair and add.

    >>> dot((1, 2, 0), (3, 4, 5))
    11
    """
    # unify_number_types saw to it that no Decimal meets a Fraction
    addends = [x * y for x, y in zip(left, right, strict=True) if x and y]  # type: ignore[operator]
    total: Number = sum(addends)
    if isinstance(total, Decimal) and abs(total) < NOISE * sum(map(abs, addends)):
        return Decimal(0)
    return total


def product(a: Matrix, b: Matrix) -> Matrix:  # (n, k), (k, m) -> (n, m)
    """Multiply two matrices: every row of the left with every column of the right.

    >>> product(((1, 2),), ((3, 4), (5, 6)))
    ((13, 16),)

    Raises:
        ProblemError: the left has not as many columns as the right has rows.
    """
    if len(a[0]) != len(b):
        raise ProblemError(f"a {len(a)} × {len(a[0])} matrix cannot be multiplied by a {len(b)} × {len(b[0])} one")
    columns = transpose(b)
    kinds = set(map(type, chain(*a, *b)))
    if kinds == {int}:  # nearly always, and several times as fast
        return tuple([tuple([sum(map(mul, row, column)) for column in columns]) for row in a])
    if kinds == {int, Fraction}:  # whole numbers over one denominator a row and column: the same, three times as fast
        shared_rows, shared_columns = [*map(share_denominator, a)], [*map(share_denominator, columns)]
        return tuple(
            tuple(simplify(Fraction(sum(map(mul, tops, over)), bottom * under)) for over, under in shared_columns)
            for tops, bottom in shared_rows
        )
    return tuple(tuple(simplify(dot(row, column)) for column in columns) for row in a)


def share_denominator(numbers: Sequence[Number]) -> tuple[tuple[int, ...], int]:
    """Return rational numbers as numerators over their least common denominator.

    >>> share_denominator((Fraction(1, 2), 2, Fraction(1, 3)))
    ((3, 12, 2), 6)
    """
    ratios = [value.as_integer_ratio() for value in numbers]
    common = math.lcm(*(bottom for _, bottom in ratios))
    return tuple(top * (common // bottom) for top, bottom in ratios), common


def map_cells(function: Callable[[Number], Number], a: Matrix) -> Matrix:  # (n, m) -> (n, m)
    """Apply the function to every cell.

    >>> map_cells(lambda x: x * 2, ((1, 2),))
    ((2, 4),)
    """
    return tuple([tuple([simplify(function(value)) for value in row]) for row in a])


def flatten(a: Matrix) -> tuple[Number, ...]:
    """Return all cells, row by row."""
    return tuple(chain.from_iterable(a))


def unify_number_types(matrices: Sequence[Matrix]) -> tuple[Matrix, ...]:
    """Turn fractions into decimals in all inputs as soon as one irrational value is among them.

    Subtle: Python refuses to add a Fraction to a Decimal, so kinds are made alike before an operation.
    """
    if not has_irrational(tuple(chain.from_iterable(chain.from_iterable(matrices)))):
        return tuple(matrices)
    return tuple(
        tuple(tuple(to_decimal(v) if isinstance(v, Fraction) else v for v in row) for row in a) for a in matrices
    )
