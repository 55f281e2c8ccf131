"""What several slips are built from."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, in_one_kind, mapped, product, shape, transposed, values
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.numbers import PRECISION, Number, any_decimal, as_decimal, divide
from attnhand.attention.operations import Along, Operation, Product, Role


@dataclass(frozen=True)
class Desk:
    """What a student has before them at one stage."""

    mechanism: Mechanism
    """In the convention of the sheet."""

    stage: Stage
    arithmetic: Arithmetic
    values: Mapping[str, Matrix]
    """Given matrices and the stages worked so far, by name; the student's own where there are any."""

    @property
    def operation(self) -> Operation:
        """What the stage does."""
        return self.stage.operation

    @cached_property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads, in the order the operation takes it."""
        return in_one_kind([self.values[name] for name in self.stage.reads])

    def right(self) -> Matrix:
        """Return what the stage should give."""
        return self.operation.apply(self.arithmetic, *self.inputs)

    def redone(self, *inputs: Matrix) -> Matrix:
        """Return what the stage gives for other inputs."""
        return self.operation.apply(self.arithmetic, *inputs)

    @property
    def in_columns(self) -> "Desk":
        """The same desk with tokens lying as columns: the convention in which slips are written."""
        if self.mechanism.query_along is Along.COLUMNS:
            return self
        mirrored = self.mechanism.mirrored
        lying = {name: transposed(a) for name, a in self.values.items()}
        return Desk(mirrored, mirrored.stage(self.stage.name), self.arithmetic, lying)

    def stage_at(self, at: type[Operation], role: Role | None = None) -> Stage | None:
        """Return the first stage of the same head that does that operation, if there is one."""
        for stage in self.mechanism.stages:
            operation = stage.operation
            of_role = role is None or (isinstance(operation, Product) and operation.role is role)
            if stage.head == self.stage.head and isinstance(operation, at) and of_role:
                return stage
        return None

    def made_at(self, at: type[Operation], role: Role | None = None) -> Matrix | None:
        """Return what came out at that stage, where there is one that has been worked."""
        stage = self.stage_at(at, role)
        return None if stage is None else self.values.get(stage.name)

    def read_at(self, at: type[Operation], place: int = 0, role: Role | None = None) -> Matrix | None:
        """Return what that stage reads at a place (0-based), where it is there."""
        stage = self.stage_at(at, role)
        return None if stage is None else self.values.get(stage.reads[place])

    def projection(self, name: str) -> Stage | None:
        """Return the stage of that name if it multiplies weights by tokens; None for a given matrix."""
        for stage in self.mechanism.stages:
            if stage.name == name and isinstance(stage.operation, Product):
                return stage if stage.operation.role is Role.PROJECTION else None
        return None

    @property
    def keys(self) -> Matrix | None:
        """K, or what stands for it."""
        return self.read_at(Product, 0, Role.SCORES)

    @property
    def queries(self) -> Matrix | None:
        """Q, or what stands for it."""
        return self.read_at(Product, 1, Role.SCORES)

    @property
    def mixed(self) -> Matrix | None:
        """V, or what stands for it."""
        return self.read_at(Product, 0, Role.MIXTURE)


Wrong = Callable[[Desk], Matrix | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake, beside the operation it distorts."""

    id: str
    """The name used in reports and answer files."""

    at: type[Operation]
    """The operation it distorts."""

    roles: tuple[Role, ...] = ()
    """For products: which kinds of product."""

    in_columns: Wrong
    """What comes out with tokens as columns; None where the slip does not apply."""

    same_shape: bool = True
    """Whether it comes out in the shape of the stage. If so, it does not apply where another shape would come out."""

    even_if_hidden: bool = False
    """Whether it also gives what equals the key.

    Subtle: recipe 1 refuses a draw that hides one of its slips, so for those a hidden slip is not one that does not
    apply. No other slip may say so.
    """

    def distorts(self, stage: Stage) -> bool:
        """Say whether this slip can happen at that stage."""
        operation = stage.operation
        return isinstance(operation, self.at) and (not isinstance(operation, Product) or operation.role in self.roles)

    def wrong(self, desk: Desk) -> Matrix | None:
        """Return what comes out, in the convention of the desk; None where the slip does not apply."""
        columns = desk.in_columns
        with localcontext(PRECISION):
            try:
                result = self.in_columns(columns)
            except ArithmeticError:  # it would divide by zero
                return None
            if result is None or (not self.even_if_hidden and self._is_hidden(columns, result)):
                return None
        return result if columns is desk else transposed(result)

    def _is_hidden(self, desk: Desk, result: Matrix) -> bool:
        """Say whether the result does not show the slip: it equals the key, or its shape cannot be."""
        try:
            right = desk.right()
        except ArithmeticError:  # a student's own sum of 0: no key to compare with
            return False
        if shape(result) != shape(right):
            return self.same_shape
        return _alike(result, right)


_LITTLE = Decimal("1e-30")


def _alike(a: Matrix, b: Matrix) -> bool:  # (n, m), (n, m) -> ()
    """Say whether two matrices are equal, irrational values up to the last of their 40 digits."""
    return all(map(_same, *map(values, in_one_kind([a, b]))))


def _same(x: Number, y: Number) -> bool:
    if x == y or not any_decimal((x, y)) or not (math.isfinite(x) and math.isfinite(y)):
        return x == y
    a, b = as_decimal(x), as_decimal(y)
    return abs(a - b) <= _LITTLE * max(abs(a), abs(b))


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
