"""What several slips are built from."""

from collections.abc import Callable

from attnhand.matrix import Matrix, in_one_kind, mapped, product, shape, transposed
from attnhand.numbers import Number, divide
from attnhand.slips.desk import Desk, Wrong


def multiplied(left: Matrix | None, right: Matrix | None) -> Matrix | None:  # (n, k), (k, m) -> (n, m)
    """Multiply, if both matrices are there and fit.

    >>> multiplied(((1, 2),), ((3,), (4,))), multiplied(((1, 2),), ((3, 4),))
    (((11,),), None)
    """
    if left is None or right is None or len(left[0]) != len(right):
        return None
    return product(*in_one_kind([left, right]))


def turned(a: Matrix | None) -> Matrix | None:  # (n, m) -> (m, n)
    """Transpose, if the matrix is there."""
    return None if a is None else transposed(a)


def is_lopsided(a: Matrix) -> bool:
    """Say whether a matrix is square and differs from its transpose.

    >>> is_lopsided(((1, 2), (3, 4))), is_lopsided(((1, 2), (2, 1))), is_lopsided(((1, 2),))
    (True, False, False)
    """
    return shape(a)[0] == shape(a)[1] and a != transposed(a)


def magnitude(value: Number) -> Number:
    """Leave out the sign.

    >>> magnitude(-3)
    3
    """
    return -value if value < 0 else value


def cells(write: Callable[[Desk, Number], Number]) -> Wrong:
    """Write something else for every cell of what the stage reads."""
    return lambda desk: mapped(lambda value: write(desk, value), desk.inputs[0])


def shares(columns: Matrix, totals: tuple[Number, ...] | None = None) -> Matrix:  # (m, n) -> (n, m)
    """Divide each line of numbers by its total, or by the one given, and write the lines as columns.

    >>> shares(((1, 3), (2, 2)))
    ((Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 2)))

    Raises:
        ZeroDivisionError: a total is 0.
    """
    (columns,) = in_one_kind([columns])
    by = totals or tuple(sum(line) for line in columns)
    return transposed(tuple(tuple(divide(x, total) for x in line) for line, total in zip(columns, by, strict=True)))


def on_top(column: tuple[Number, ...]) -> tuple[Number, ...]:
    """Write 1 for the largest and 0 for the others; several that are largest share the 1.

    >>> on_top((1, 5, 2)), on_top((3, 3))
    ((0, 1, 0), (Fraction(1, 2), Fraction(1, 2)))
    """
    largest = max(column)
    return tuple(divide(1, column.count(largest)) if value == largest else 0 for value in column)
