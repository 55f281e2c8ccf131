"""Small exact matrices."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.matrix import (
    Matrix,
    dot,
    flatten,
    make_matrix,
    map_cells,
    product,
    shape,
    transpose,
    unify_number_types,
)
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, Number
from attnhand.errors import ProblemError
from tests.strategies import matrices

SIZES = st.integers(1, 4)
FRACTIONS = st.fractions(-5, 5, max_denominator=7)


def test_a_matrix_is_a_tuple_of_rows_of_simplest_numbers() -> None:
    """Lists become tuples, whole fractions become ints."""
    built = make_matrix([[1, Fraction(4, 2)], [0, Fraction(1, 3)]])
    assert built == ((1, 2), (0, Fraction(1, 3)))
    assert isinstance(built[0][1], int)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "a matrix needs at least one row and one column"),
        ([[]], "a matrix needs at least one row and one column"),
        ([[], []], "a matrix needs at least one row and one column"),
        ([[1, 2], [3]], "its rows have different lengths (2, 1)"),
        ([[1], []], "its rows have different lengths (1, 0)"),
    ],
)
def test_what_is_no_rectangle_is_refused(rows: list[list[Number]], message: str) -> None:
    """Empty and ragged matrices are refused with what is wrong."""
    with pytest.raises(ProblemError) as refusal:
        make_matrix(rows)
    assert str(refusal.value) == message


@given(st.data())
def test_transposing_twice_gives_the_matrix_again(data: st.DataObject) -> None:
    """Rows become columns and back, and the shape turns with them."""
    rows, columns = data.draw(SIZES), data.draw(SIZES)
    a = data.draw(matrices(rows, columns, st.integers(-9, 9)))
    assert shape(transpose(a)) == (columns, rows)
    assert transpose(transpose(a)) == a


@given(st.data())
def test_products_are_those_of_numpy(data: st.DataObject) -> None:
    """The product of whole matrices is what numpy's is."""
    n, k, m = (data.draw(SIZES) for _ in range(3))
    a, b = data.draw(matrices(n, k, st.integers(-99, 99))), data.draw(matrices(k, m, st.integers(-99, 99)))
    assert [list(row) for row in product(a, b)] == (np.array(a) @ np.array(b)).tolist()


@given(st.data())
def test_a_product_transposed_is_the_product_of_the_transposes_in_the_other_order(data: st.DataObject) -> None:
    """(A B)ᵀ = Bᵀ Aᵀ, fractions included."""
    n, k, m = (data.draw(SIZES) for _ in range(3))
    a, b = data.draw(matrices(n, k, FRACTIONS)), data.draw(matrices(k, m, FRACTIONS))
    assert transpose(product(a, b)) == product(transpose(b), transpose(a))


def test_matrices_that_do_not_fit_are_refused_with_both_shapes() -> None:
    """Two rows cannot meet three columns, and the refusal says so."""
    with pytest.raises(ProblemError) as refusal:
        product(((1, 2, 3),), ((1,), (2,)))
    assert str(refusal.value) == "a 1 × 3 matrix cannot be multiplied by a 2 × 1 one"


def test_whole_results_are_integers() -> None:
    """A half plus a half is an int."""
    result = product(((Fraction(1, 2), Fraction(1, 2)),), ((1,), (1,)))
    assert result == ((1,),)
    assert isinstance(result[0][0], int)


def test_a_dot_product_needs_as_many_numbers_on_both_sides() -> None:
    """Vectors of different lengths are not multiplied in part."""
    assert dot((1, 2, 0), (3, 4, 5)) == 11
    with pytest.raises(ValueError, match="zip"):
        dot((1, 2), (1, 2, 3))


def test_a_zero_meets_a_masked_score_without_trouble() -> None:
    """A product with a zero is left out, whatever stands on the other side."""
    assert dot((0, 2), (MINUS_INFINITY, 3)) == 6


def test_every_cell_is_mapped_and_listed_row_by_row() -> None:
    """Shape and order stay."""
    a: Matrix = ((1, 2), (3, 4))
    assert map_cells(lambda x: x * 2, a) == ((2, 4), (6, 8))
    assert map_cells(lambda x: Fraction(x) / 2, a) == ((Fraction(1, 2), 1), (Fraction(3, 2), 2))
    assert flatten(a) == (1, 2, 3, 4)


def test_one_irrational_value_turns_all_fractions_into_decimals() -> None:
    """Python adds no Fraction to a Decimal, so all inputs change together; whole numbers may stay."""
    fractions: Matrix = ((Fraction(1, 4), 1),)
    irrational: Matrix = ((Decimal("1.5"), Fraction(1, 2)),)
    assert unify_number_types([fractions, irrational]) == (((Decimal("0.25"), 1),), ((Decimal("1.5"), Decimal("0.5")),))


def test_without_irrational_values_all_stays_exact() -> None:
    """Fractions stay fractions, a masked score beside them included."""
    inputs: list[Matrix] = [((Fraction(1, 4), MINUS_INFINITY),), ((2, Fraction(1, 3)),)]
    assert unify_number_types(inputs) == tuple(inputs)
    assert isinstance(unify_number_types(inputs)[0][0][0], Fraction)


def test_terms_that_cancel_give_0() -> None:
    """3^(3/2) is 3 · 3^(1/2), and a third three times is 1: what rounding leaves of the difference is nothing."""
    with localcontext(DECIMAL_CONTEXT):
        root, third = Decimal(3) ** Decimal("0.5"), Decimal(1) / 3
        power = Decimal(3) ** Decimal("1.5")
        assert dot((3, -1), (root, power)) == dot((1, 1, 1, -1), (third, third, third, 1)) == 0
        assert 3 * root - power != 0
        assert isinstance(dot((3, -1), (root, power)), Decimal)


@pytest.mark.parametrize("small", [Decimal("1e-10"), Decimal("1e-34"), Decimal("-1e-30")])
def test_a_small_difference_stays(small: Decimal) -> None:
    """Down to the last digits that are known."""
    with localcontext(DECIMAL_CONTEXT):
        assert dot((1, -1, 1), (Decimal(1), Decimal(1), small)) == small


def test_a_small_value_of_small_terms_stays() -> None:
    """Weights of a far lower score are small, and 0 they are not."""
    with localcontext(DECIMAL_CONTEXT):
        assert dot((3, 0, -2), (Decimal("1e-300"), Decimal(1), Decimal("1e-300"))) == Decimal("1e-300")
