"""Cells written out with their numbers."""

from typing import Any

import pytest

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.cells import find_spot, list_spots
from attnhand.attention.formulas.formula_list import LETTERS, FormulaList
from attnhand.attention.formulas.kinds import ExactNumbers, make_exact_numbers
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.formulas.working import measure_reads, work_stages
from attnhand.attention.formulas.writing import write_cell, write_letters
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.sheet.explain import explain
from attnhand.sheet.make import make_sheet_from_problem
from tests.drawn_sheets import draw_sheets


def write(formula: str, values: dict[str, Any], *place: int, rules: Rules = HAND) -> str:
    """Write a cell of one formula."""
    letters = {**LETTERS, "j": "tokens"}
    (stage,) = FormulaList(formulas=read_formulas(formula), letters=letters, sizes={"tokens": 2}).stages
    spot = find_spot(stage, measure_reads(stage, values), place)
    return write_cell(spot, ExactNumbers(Arithmetic(rules=rules, d_k=3)), values)


SQUARE = {"S": ((3, -3), (1, 0)), "powers": ((9, 1), (3, 3)), "sums": (12, 4)}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("scores S2[k,q] = Σ_j S[j,k]·S[j,q]", "3·(−3) + 1·0 = −9"),
        ("scaled scaled[k,q] = scale(S[k,q])", "⌊(−3) ÷ 2⌋ = −2"),
        ("weights A[k,q] = powers[k,q] / sums[q]", "1 ÷ 4 = 1/4"),
        ("weights A[k,q] = powers[k,q] / Σ_j powers[k,j]", "1 ÷ (9 + 1) = 1/10"),
        ("powers powers2[k,q] = base^S[k,q]", "3^(−3) = 1/27"),
        ("relu relu[k,q] = max(S[k,q], 0)", "max(−3, 0) = 0"),
        ("rest rest[k,q] = powers[k,q] − (S[k,q] − 1)", "1 − (−3 − 1) = 5"),
        ("copy copy[k,q] = S[k,q]", "−3"),
        ("masked masked[k,q] = −∞ if k < q else S[k,q]", "−∞"),
        ("size size[k,q] = abs(S[k,q])", "|−3| = 3"),
        ("largest largest[k,q] = max_j S[j,q]", "max(−3, 0) = 0"),
    ],
)
def test_signs_and_brackets(formula: str, expected: str) -> None:
    """What binds less closely stands in brackets, negative numbers beside a sign too; copied numbers stand alone."""
    assert write(formula, SQUARE, 1, 2) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (HAND, "⌊5 ÷ 2⌋ = 2"),
        (Rules(scale=4), "5 ÷ 4 = 5/4"),
        (Rules(scale=ScaleRule.NONE), "5"),
        (EXACT, "5 ÷ √3 = 2.89"),
    ],
)
def test_a_scaled_score_is_written_as_the_rules_say(rules: Rules, expected: str) -> None:
    """Halved and rounded down, divided, left alone, over the root of d_k."""
    assert write("scaled scaled[k,q] = scale(S[k,q])", {"S": ((5, 5), (5, 5))}, 1, 1, rules=rules) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("weights A[k,q] = powers[k,q] / Σ_j powers[k,j]", "powers_{kq} ÷ (Σ_{j} powers_{kj})"),
        ("weights A[k,q] = (abs(S[k,q]) + 1) / sums[q]", "(|S_{kq}| + 1) ÷ sums_{q}"),
        ("powers powers2[k,q] = (base^S[k,q])^2", "(base^{S_{kq}})^{2}"),
        ("rest rest[k,q] = S[k,q] − (S[k,q] − 1)·(−powers[k,q])", "S_{kq} − (S_{kq} − 1)·(−powers_{kq})"),
        ("masked masked[k,q] = −∞ if k < q else S[k,q]", "−∞ if k < q else S_{kq}"),
        ("moved moved[k,q] = S[k + 1,q] / |k|", "S_{k + 1,q} ÷ |k|"),
    ],
)
def test_formulas_are_written_in_their_letters(formula: str, expected: str) -> None:
    """Indices lower, exponents raised; brackets where signs would be read otherwise."""
    (read,) = read_formulas(formula)
    assert write_letters(read.right, str) == expected


def test_powers_of_e_and_of_a_masked_score() -> None:
    """e is written by its letter; what is hidden gives 0."""
    values = {"masked": ((1, MINUS_INFINITY), (1, 1))}
    text = "powers powers[k,q] = base^masked[k,q]"
    assert write(text, values, 1, 1, rules=Rules(base=Base.E)) == "e^1 = 2.72"
    assert write(text, values, 1, 2) == "3^(−∞) = 0"


@pytest.mark.parametrize("form", ["self", "cross", "multi-head-2", "basic-causal"])
def test_products_are_written_as_explain_writes_them(form: str) -> None:
    """Every cell of every product without a bias, in columns."""
    count = 0
    for problem in draw_sheets(form, 2):
        if problem.convention is Convention.ROWS:
            continue
        sheet, mechanism = make_sheet_from_problem(problem), problem.mechanism
        numbers = make_exact_numbers(problem.hand_arithmetic)
        values = work_stages(mechanism.formulas, numbers, mechanism.take_in(dict(problem.given)))
        for stage in mechanism.stages:
            if stage.product is not None:
                for place, spot in list_spots(stage.formula, measure_reads(stage.formula, values)):
                    row, column = stage.show_place(place)
                    written = explain(sheet, f"{stage.name}[{row + 1},{column + 1}]").by_hand[-1]
                    assert write_cell(spot, numbers, values) == written
                    count += 1
    assert count > 20
