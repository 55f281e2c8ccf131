"""What follows from a student's own numbers, cell by cell, and whether they left themselves anything to compute."""

from collections import Counter
from collections.abc import Sequence
from decimal import localcontext

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, flatten, shape, unify_number_types
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, divide, format_exact
from attnhand.attention.operations import Divide, Operation, Product, find_large_exponent
from attnhand.errors import ProblemError

Expected = tuple[tuple[Number | None, ...], ...]
"""A matrix with None where nothing can be worked: over a sum of 0, or a power too large to write down."""

Range = tuple[Expected, Expected]
"""The least and the most that may follow, cell by cell."""

NEAR_TRIVIAL_SHARE = 3
"""A matrix with less than a third of the key's cells that are not all alike leaves nearly nothing to compute."""


def work_cells(
    operation: Operation, arithmetic: Arithmetic, inputs: Sequence[Matrix], size: tuple[int, int]
) -> Expected | None:
    """Work a stage, cell by cell where it cannot be worked whole: one Σ of 0 costs its own line only."""
    unified = unify_number_types(list(inputs))
    with localcontext(DECIMAL_CONTEXT):
        try:
            if not operation.find_too_large(arithmetic, unified):
                return operation.apply(arithmetic, *unified)
        except (ArithmeticError, ProblemError):
            pass
        if not (operation.reads_exponents or isinstance(operation, Divide)):
            return None
        return tuple(
            tuple(_work_cell(operation, arithmetic, unified, i, j) for j in range(size[1])) for i in range(size[0])
        )


def _work_cell(
    operation: Operation, arithmetic: Arithmetic, inputs: tuple[Matrix, ...], row: int, column: int
) -> Number | None:
    (numbers,) = operation.parts(inputs, row, column)
    if operation.reads_exponents:
        is_too_large = find_large_exponent(arithmetic, (numbers,))
        return None if is_too_large else arithmetic.raise_base(numbers[0])
    power, total = numbers
    return divide(power, total) if total else None


def work_ranges(
    operation: Operation,
    arithmetic: Arithmetic,
    lows: Sequence[Matrix],
    highs: Sequence[Matrix],
    size: tuple[int, int],
) -> Range | None:
    """Return the least and the most that a stage gives where each input is only known to lie between two numbers.

    Products and quotients are least and most at ends of what they read; everything else grows with what it reads.
    """
    unified = unify_number_types([*lows, *highs])
    low, high = unified[: len(lows)], unified[len(lows) :]
    if not isinstance(operation, Product | Divide):
        found = [work_cells(operation, arithmetic, each, size) for each in (low, high)]
        return None if found[0] is None or found[1] is None else (found[0], found[1])
    least, most = [], []
    with localcontext(DECIMAL_CONTEXT):
        for i in range(size[0]):
            pairs = [_bound_cell(operation, low, high, i, j) for j in range(size[1])]
            least.append(tuple(pair[0] for pair in pairs))
            most.append(tuple(pair[1] for pair in pairs))
    return tuple(least), tuple(most)


def _bound_cell(
    operation: Product | Divide, low: tuple[Matrix, ...], high: tuple[Matrix, ...], row: int, column: int
) -> tuple[Number | None, Number | None]:
    ends = list(zip(operation.parts(low, row, column), operation.parts(high, row, column), strict=True))
    if isinstance(operation, Divide):
        (((power_low, total_low), (power_high, total_high)),) = ends
        if total_low <= 0 <= total_high:
            return None, None
        quotients = [divide(p, t) for p in (power_low, power_high) for t in (total_low, total_high)]
        return min(quotients), max(quotients)
    products = [[a * b for a in (x, u) for b in (y, v)] for (x, y), (u, v) in ends]  # type: ignore[operator]  # unified
    return sum(map(min, products)), sum(map(max, products))


def find_trivial_cells(
    operation: Operation,
    own: tuple[Matrix, ...],
    right: tuple[Matrix, ...],
    suspects: Sequence[int],
    size: tuple[int, int],
) -> frozenset[tuple[int, int]]:
    """Return the cells in which a student's own numbers leave nothing to compute, but the key's do.

    Where nearly all numbers of a matrix are alike, only what reads one that is not earns anything: who writes zeros
    but for one has little to do. Sums never count for that: whoever adds all powers together still divides each.

    Args:
        suspects: which of the inputs may have been made up, by their places.
    """
    counting = [at for at in suspects if not (isinstance(operation, Divide) and at)]
    everywhere = frozenset((i, j) for i in range(size[0]) for j in range(size[1]))
    if any(_is_identity(own[at]) and not _is_identity(right[at]) for at in counting):
        return everywhere
    trivial = {at for at in counting if _is_near_trivial(own[at], right[at])}
    if not trivial:
        return frozenset()
    # each number as whether it is another than most: the operation tells which ones a cell reads
    other = tuple(_find_unusual(a) if at in trivial else _mark_none(a) for at, a in enumerate(own))
    is_product = isinstance(operation, Product)
    return frozenset(
        place
        for place in everywhere
        if not any(
            is_other and (all(numbers) if is_product else number)
            for part, numbers in zip(operation.parts(other, *place), operation.parts(own, *place), strict=True)
            for is_other, number in zip(part, numbers, strict=True)
        )
    )


def _is_identity(a: Matrix) -> bool:
    rows, columns = shape(a)
    return rows == columns > 1 and all(value == (i == j) for i, row in enumerate(a) for j, value in enumerate(row))


def _is_near_trivial(a: Matrix, key: Matrix) -> bool:
    own, right = _count_unusual(a), _count_unusual(key)
    return own * NEAR_TRIVIAL_SHARE < right


def _count_unusual(a: Matrix) -> int:
    """Count the numbers that are others than the commonest."""
    values = flatten(a)
    return len(values) - max(Counter(values).values())


def _find_unusual(a: Matrix) -> Matrix:
    counts = Counter(flatten(a))
    usual = min(counts, key=lambda value: (-counts[value], format_exact(value)))  # the same one if a is transposed
    return tuple(tuple(int(value != usual) for value in row) for row in a)


def _mark_none(a: Matrix) -> Matrix:
    return tuple((0,) * len(row) for row in a)
