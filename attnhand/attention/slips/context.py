"""What several slips are built from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import localcontext
from functools import cached_property

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, flatten, map_cells, product, shape, transpose, unify_number_types
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, divide, is_same_number
from attnhand.attention.operations import Operation, Product, ProductRole


@dataclass(frozen=True)
class StageContext:
    """What a student has before them at one stage."""

    mechanism: Mechanism
    """In the convention of the sheet."""

    stage: Stage
    arithmetic: Arithmetic
    matrices: Mapping[str, Matrix]
    """Given matrices and the stages worked so far, by name; the student's own where there are any."""

    @property
    def operation(self) -> Operation:
        """What the stage does."""
        return self.stage.operation

    @cached_property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads, in the order the operation takes it."""
        return unify_number_types([self.matrices[name] for name in self.stage.input_names])

    def compute_correct(self) -> Matrix:
        """Return what the stage should give."""
        return self.recompute(*self.inputs)

    def recompute(self, *inputs: Matrix) -> Matrix:
        """Return what the stage gives for other inputs."""
        return self.operation.apply(self.arithmetic, *inputs)

    @property
    def column_context(self) -> "StageContext":
        """The same with tokens as columns: the convention in which slips are written."""
        if not self.mechanism.convention.is_rows:
            return self
        mirrored = self.mechanism.mirrored
        transposed = {name: transpose(a) for name, a in self.matrices.items()}
        return StageContext(mirrored, mirrored.get_stage(self.stage.name), self.arithmetic, transposed)

    def find_stage(self, operation_type: type[Operation], role: ProductRole | None = None) -> Stage | None:
        """Return the first stage of the same head that does that operation, if there is one."""
        of_head = (stage for stage in self.mechanism.stages if stage.head == self.stage.head)
        doing = (stage for stage in of_head if isinstance(stage.operation, operation_type))
        return next((stage for stage in doing if role in (None, stage.role)), None)

    def find_input(
        self, operation_type: type[Operation], index: int = 0, role: ProductRole | None = None
    ) -> Matrix | None:
        """Return what that stage reads at a place (0-based), where it is there."""
        stage = self.find_stage(operation_type, role)
        return None if stage is None else self.matrices.get(stage.input_names[index])

    def find_projection(self, name: str) -> Stage | None:
        """Return the stage of that name if it multiplies weights by tokens; None for a given matrix."""
        named = (stage for stage in self.mechanism.stages if stage.name == name)
        return next((stage for stage in named if stage.role is ProductRole.PROJECTION), None)

    @property
    def keys(self) -> Matrix | None:
        """K, or what stands for it."""
        return self.find_input(Product, 0, ProductRole.SCORES)

    @property
    def queries(self) -> Matrix | None:
        """Q, or what stands for it."""
        return self.find_input(Product, 1, ProductRole.SCORES)

    @property
    def mixed_values(self) -> Matrix | None:
        """V, or what stands for it."""
        return self.find_input(Product, 0, ProductRole.MIXTURE)


SlipFunction = Callable[[StageContext], Matrix | None]


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake, beside the operation it distorts."""

    id: str
    """The name used in reports and answer files."""

    operation_type: type[Operation]
    """The operation it distorts."""

    compute_in_columns: SlipFunction
    """What comes out with tokens as columns; None where the slip does not apply."""

    roles: tuple[ProductRole, ...] = ()
    """For products: which kinds of product."""

    has_same_shape: bool = True
    """Whether it comes out in the shape of the stage. If so, it does not apply where another shape would come out."""

    applies_when_hidden: bool = False
    """Whether it also gives what equals the key.

    Subtle: recipe 1 refuses a draw that hides one of its slips, so for those a hidden slip is not one that does not
    apply. No other slip may say so.
    """

    def applies_to(self, stage: Stage) -> bool:
        """Say whether this slip can happen at that stage."""
        return isinstance(stage.operation, self.operation_type) and (stage.role is None or stage.role in self.roles)

    def compute_wrong(self, context: StageContext) -> Matrix | None:
        """Return what comes out, in the convention of the sheet; None where the slip does not apply."""
        columns = context.column_context
        with localcontext(DECIMAL_CONTEXT):
            try:
                result = self.compute_in_columns(columns)
            except ArithmeticError:  # it would divide by zero
                return None
            if result is None or (not self.applies_when_hidden and self._is_hidden(columns, result)):
                return None
        return result if columns is context else transpose(result)

    def _is_hidden(self, context: StageContext, result: Matrix) -> bool:
        """Say whether the result does not show the slip: it equals the key, or its shape cannot be."""
        try:
            right = context.compute_correct()
        except ArithmeticError:  # a student's own sum of 0: no key to compare with
            return False
        if shape(result) != shape(right):
            return self.has_same_shape
        return all(map(is_same_number, flatten(result), flatten(right)))


def multiply_or_none(left: Matrix | None, right: Matrix | None) -> Matrix | None:  # (n, k), (k, m) -> (n, m)
    """Multiply, if both matrices are there and fit.

    >>> multiply_or_none(((1, 2),), ((3,), (4,))), multiply_or_none(((1, 2),), ((3, 4),))
    (((11,),), None)
    """
    if left is None or right is None or len(left[0]) != len(right):
        return None
    return product(*unify_number_types([left, right]))


def transpose_or_none(a: Matrix | None) -> Matrix | None:  # (n, m) -> (m, n)
    """Transpose, if the matrix is there."""
    return None if a is None else transpose(a)


def is_asymmetric(a: Matrix) -> bool:
    """Say whether a matrix is square and differs from its transpose.

    >>> is_asymmetric(((1, 2), (3, 4))), is_asymmetric(((1, 2), (2, 1))), is_asymmetric(((1, 2),))
    (True, False, False)
    """
    return shape(a)[0] == shape(a)[1] and a != transpose(a)


def drop_sign(value: Number) -> Number:
    """Leave out the sign.

    >>> drop_sign(-3)
    3
    """
    return -value if value < 0 else value


def make_cell_slip(compute_cell: Callable[[StageContext, Number], Number]) -> SlipFunction:
    """Write something else for every cell of what the stage reads."""
    return lambda context: map_cells(lambda value: compute_cell(context, value), context.inputs[0])


def divide_by_totals(vectors: Matrix, totals: tuple[Number, ...] | None = None) -> Matrix:  # (m, n) -> (n, m)
    """Divide each vector by its total, or by the one given, and write the vectors as columns.

    >>> divide_by_totals(((1, 3), (2, 2)))
    ((Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1, 2)))

    Raises:
        ZeroDivisionError: a total is 0.
    """
    (vectors,) = unify_number_types([vectors])
    by = totals or tuple(sum(vector) for vector in vectors)
    return transpose(tuple(tuple(divide(x, total) for x in vector) for vector, total in zip(vectors, by, strict=True)))


def mark_largest(column: tuple[Number, ...]) -> tuple[Number, ...]:
    """Write 1 for the largest and 0 for the others; several that are largest share the 1.

    >>> mark_largest((1, 5, 2)), mark_largest((3, 3))
    ((0, 1, 0), (Fraction(1, 2), Fraction(1, 2)))
    """
    largest = max(column)
    return tuple(divide(1, column.count(largest)) if value == largest else 0 for value in column)
