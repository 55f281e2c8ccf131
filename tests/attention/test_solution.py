"""A problem solved both ways, stage by stage, and compared."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attnhand.attention.arithmetic import EXACT, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, flatten, transpose
from attnhand.attention.numbers import to_float
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import Solution, compute_stages, solve
from attnhand.attention.spellings import read_number
from attnhand.errors import ProblemError
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.layout.lay_out import lay_out
from attnhand.marking.match import match_answer
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.printed_number import format_hand_value
from tests import oracle
from tests.building import (
    CLASSIC,
    PENCIL_SAMPLE,
    Rows,
    collect_hand_values,
    make_problem,
    make_problem_from_scores,
    parse_matrix,
    transpose_given,
)
from tests.strategies import POWERS, problems, whole_problems

CLASSIC_BY_HAND = {
    "Q": "2 1 0 2; 0 1 1 1; 3 2 2 1",
    "K": "0 2 1 0; 0 1 0 0; 1 0 -1 1",
    "V": "20 0 0 20; 0 0 10 10; 0 10 0 0",
    "S": "3 2 2 1; 4 3 1 5; -1 -1 -2 1; 3 2 2 1",
    "scaled": "1 1 1 0; 2 1 0 2; -1 -1 -1 0; 1 1 1 0",
    "powers": "3 3 3 1; 9 3 1 9; 1/3 1/3 1/3 1; 3 3 3 1",
    "sums": "46/3 28/3 22/3 12",
    "A": "9/46 9/28 9/22 1/12; 27/46 9/28 3/22 3/4; 1/46 1/28 1/22 1/12; 9/46 9/28 9/22 1/12",
    "Z": "180/23 90/7 180/11 10/3; 50/23 25/7 50/11 5/3; 135/23 45/14 15/11 15/2",
}
CHECKED_BY_HAND = {
    "Q": "-1 -1 1; 2 1 0",
    "K": "-3 -3 -3; -2 -2 -1",
    "V": "1 3 4; 1 1 2",
    "S": "-1 1 -3; -1 1 -3; 1 2 -3",
    "scaled": "-1 0 -2; -1 0 -2; 0 1 -2",
    "powers": "1/3 1 1/9; 1/3 1 1/9; 1 3 1/9",
    "sums": "5/3 5 1/3",
    "A": "1/5 1/5 1/3; 1/5 1/5 1/3; 3/5 3/5 1/3",
    "Z": "16/5 16/5 8/3; 8/5 8/5 4/3",
}


def test_the_classic_sheet_by_hand() -> None:
    """The numbers that circulate publicly: S, the first column of A, Z, and every stage between."""
    assert collect_hand_values(solve(make_problem(CLASSIC))) == {
        name: parse_matrix(text) for name, text in CLASSIC_BY_HAND.items()
    }


def test_the_checked_sample_by_hand() -> None:
    """The sample that was worked with a pencil: S, scaled, A and Z."""
    assert collect_hand_values(solve(make_problem(PENCIL_SAMPLE))) == {
        name: parse_matrix(text) for name, text in CHECKED_BY_HAND.items()
    }


def test_rows_of_the_worked_examples() -> None:
    """With tokens as rows, every stage is the transpose."""
    for sample, expected in ((CLASSIC, CLASSIC_BY_HAND), (PENCIL_SAMPLE, CHECKED_BY_HAND)):
        solution = solve(make_problem(transpose_given(sample), convention=Convention.ROWS))
        assert collect_hand_values(solution) == {name: transpose(parse_matrix(text)) for name, text in expected.items()}


def test_the_classic_sheet_exactly() -> None:
    """The first query's weights are those of softmax(3/√3, 4/√3, −1/√3, 3/√3)."""
    powers = [math.exp(score / math.sqrt(3)) for score in (3, 4, -1, 3)]
    column = [row[0] for row in solve(make_problem(CLASSIC))["A"].exact]
    assert column == pytest.approx([power / sum(powers) for power in powers], rel=1e-14)


def test_stages_keep_their_order_and_are_found_by_name() -> None:
    """A solution lists Q K V S scaled powers sums A Z, and knows them by name."""
    solution = solve(make_problem(CLASSIC))
    assert tuple(solved.stage.name for solved in solution) == oracle.STAGE_NAMES
    assert solution["S"].hand == parse_matrix(CLASSIC_BY_HAND["S"])
    with pytest.raises(KeyError):
        solution["X"]


def test_whole_values_are_integers() -> None:
    """No fraction is left that is whole."""
    cells = [value for solved in solve(make_problem(CLASSIC)) for value in flatten(solved.hand)]
    assert {type(value) for value in cells} == {int, Fraction}
    assert all(value.denominator > 1 for value in cells if isinstance(value, Fraction))


def choose_rules(problem: Problem) -> tuple[str | int, Base]:
    scale = problem.rules.scale
    return (scale.value if isinstance(scale, ScaleRule) else scale), problem.rules.base


@given(whole_problems())
def test_hand_values_are_those_of_the_oracle(problem: Problem) -> None:
    """Under every rule that keeps fractions, and in both conventions, every stage is the independent computation's."""
    scale, base = choose_rules(problem)
    work = oracle.solve_by_hand_in_columns if problem.convention is Convention.COLUMNS else oracle.solve_by_hand_in_rows
    expected = work(dict(problem.given), scale, int(base))
    solution = solve(problem)
    assert {solved.stage.name: [list(row) for row in solved.hand] for solved in solution} == expected


@given(problems())
def test_irrational_hand_values_are_those_of_numpy(problem: Problem) -> None:
    """Under all other rules too, every stage is what floating point gives, to twelve digits."""
    scale, base = choose_rules(problem)
    assume(scale != "half-floor")  # floats may land on the other side of a whole number
    work = oracle.solve_exactly_in_columns if problem.convention is Convention.COLUMNS else oracle.solve_exactly_in_rows
    number = math.e if base is Base.E else float(int(base))
    compare(solve(problem), work(dict(problem.given), scale, number), by_hand=True)


@given(problems())
def test_exact_values_are_those_of_numpy(problem: Problem) -> None:
    """Divided by √d_k where something is divided, with base e, every stage is what numpy gives, to twelve digits."""
    work = oracle.solve_exactly_in_columns if problem.convention is Convention.COLUMNS else oracle.solve_exactly_in_rows
    scale = "none" if problem.rules.scale is ScaleRule.NONE else "sqrt"
    compare(solve(problem), work(dict(problem.given), scale), by_hand=False)


def compare(solution: Solution, expected: Mapping[str, oracle.Floats], *, by_hand: bool) -> None:
    """Compare every stage, relative to its largest value."""
    for solved in solution:
        floats = [[to_float(v) for v in row] for row in solved.hand] if by_hand else solved.exact
        reference = expected[solved.stage.name]
        atol = 1e-12 * max(1.0, float(np.abs(reference).max()))
        np.testing.assert_allclose(np.array(floats), reference, rtol=1e-11, atol=atol, err_msg=solved.stage.name)


@given(problems())
def test_weights_of_a_query_add_to_1(problem: Problem) -> None:
    """Exactly where weights are fractions, else to the digits of their kind; none is negative."""
    solved = solve(problem)["A"]
    columns = problem.convention is Convention.COLUMNS
    for line in transpose(solved.hand) if columns else solved.hand:
        rational = not any(isinstance(weight, Decimal) for weight in line)
        off = abs(sum((Fraction(weight) for weight in line), Fraction(-1)))
        assert off == 0 if rational else off < Fraction(1, 10**25)
        assert min(line) >= 0
    exact = np.array(solved.exact)
    np.testing.assert_allclose(exact.sum(axis=0 if columns else 1), 1, rtol=0, atol=1e-14)
    assert exact.min() >= 0


@given(problems(allows_rows=False), st.randoms(use_true_random=False))
def test_permuting_the_tokens_permutes_the_outputs(problem: Problem, random: object) -> None:
    """Attention sees no order: tokens in another order give the same numbers in that order."""
    tokens = list(range(problem.sizes["tokens"]))
    random.shuffle(tokens)  # type: ignore[attr-defined]
    given_again = dict(problem.given)
    given_again["X"] = tuple(tuple(row[t] for t in tokens) for row in problem["X"])
    again = solve(Problem(variant=problem.variant, given=tuple(given_again.items()), rules=problem.rules))
    both_ways = {"S", "scaled", "powers", "A"}
    for before, after in zip(solve(problem), again, strict=True):
        rows = tokens if before.stage.name in both_ways else list(range(len(before.hand)))
        exact = np.array(before.exact)[np.ix_(rows, tokens)]
        np.testing.assert_allclose(np.array(after.exact), exact, rtol=1e-14, atol=1e-14)
        hand = tuple(tuple(before.hand[i][t] for t in tokens) for i in rows)
        assert round_off(after.hand) == round_off(hand)


def round_off(a: Matrix) -> Matrix:
    """Forget the last of the forty digits of irrational values: they depend on the order of additions."""
    return tuple(
        tuple(round(Fraction(value), 30) if isinstance(value, Decimal) else value for value in row) for row in a
    )


@given(problems(allows_rows=False))
def test_rows_are_columns_transposed(problem: Problem) -> None:
    """The same problem with tokens as rows gives every stage transposed, both ways."""
    in_columns, in_rows_ = solve(problem), solve(problem.transpose())
    assert {name: transpose(a) for name, a in collect_hand_values(in_rows_).items()} == collect_hand_values(in_columns)
    assert {solved.stage.name: tuple(zip(*solved.exact, strict=True)) for solved in in_rows_} == {
        solved.stage.name: solved.exact for solved in in_columns
    }


@given(problems())
def test_outputs_lie_between_the_values(problem: Problem) -> None:
    """A mixture is never larger than the largest of what is mixed, nor smaller than the smallest."""
    solution = solve(problem)
    V, Z = solution["V"].exact, solution["Z"].exact
    if problem.convention is Convention.ROWS:
        V, Z = tuple(zip(*V, strict=True)), tuple(zip(*Z, strict=True))
    for sources, results in zip(V, Z, strict=True):
        assert min(sources) - 1e-12 <= min(results) <= max(results) <= max(sources) + 1e-12


def test_weights_stay_finite_where_powers_overflow() -> None:
    """Scores of thousands give infinite powers, and weights and outputs that are right all the same."""
    rules = Rules(scale=1000)
    problem = make_problem_from_scores([[9999, 9998, -9999], [9999, 9999, 9999], [0, 9990, -9998]], rules=rules)
    solution = solve(problem)
    assert math.inf in {value for row in solution["powers"].exact for value in row}
    assert solution["sums"].exact == ((math.inf, math.inf, math.inf),)
    expected = oracle.solve_exactly_in_columns(dict(problem.given))
    weights = np.array(solution["A"].exact)
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights, expected["A"], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.array(solution["Z"].exact), expected["Z"], rtol=1e-9, atol=1e-12)
    assert weights[:, 0].tolist() == [0.5, 0.5, 0.0]
    assert solution["A"].hand[0][0] == solution["A"].hand[1][0]


def test_weights_stay_finite_where_all_powers_vanish() -> None:
    """Very negative scores give powers that are 0 in floats, and weights that still add to 1."""
    solution = solve(make_problem_from_scores([[-9999, -9999], [-9999, -9990]], rules=Rules(scale=1000)))
    assert solution["powers"].exact == ((0.0, 0.0), (0.0, 0.0))
    assert solution["A"].exact[0][0] == solution["A"].exact[1][0] == 0.5
    assert solution["A"].exact[0][1] + solution["A"].exact[1][1] == pytest.approx(1)


LIMITS = {Base.TWO: 1009, Base.THREE: 637, Base.TEN: 304, Base.E: 700}
"""700 over the logarithm of the base, rounded down."""


@pytest.mark.parametrize(
    ("base", "place"),
    [
        (base, place)
        for base in POWERS
        for place in ((1010, 1, 1), (-1010, 2, 1), (5000, 3, 3))
        if base is not Base.E or place[0] > 0
    ],
)
def test_exponents_beyond_e_700_are_refused_by_cell(base: Base, place: tuple[int, int, int]) -> None:
    """A power over e⁷⁰⁰, or a fraction below e⁻⁷⁰⁰, cannot be written down; the refusal names cell and remedy."""
    score, row, column = place
    scores = [[0] * 3 for _ in range(3)]
    scores[row - 1][column - 1] = score
    with pytest.raises(ProblemError) as refusal:
        solve(make_problem_from_scores(scores, rules=Rules(scale=ScaleRule.NONE, base=base)))
    assert str(refusal.value) == (
        f"powers[{row},{column}] would be {base} to the power of {score}.00: exponents beyond ±{LIMITS[base]} "
        "cannot be written down; use smaller entries or a larger `scale=`"
    )


@pytest.mark.parametrize("base", POWERS)
def test_exponents_up_to_e_700_are_worked_and_proved(base: Base) -> None:
    """The last exponents that are worked, of either sign, by both routes."""
    last = LIMITS[base]
    rules = Rules(scale=ScaleRule.NONE, base=base)
    solution = prove(solve(make_problem_from_scores([[last, 0], [0, -last]], rules=rules)))
    if base is not Base.E:
        assert solution["powers"].hand == ((int(base) ** last, 1), (1, Fraction(1, int(base) ** last)))
    assert solution["A"].hand[0][0] == pytest.approx(1)


PUBLISHED: dict[str, Rows] = {
    "X": [["-0.7", "-1.9", "1.9", "-0.5"], ["-1.8", "0.1", "-2.4", "0.4"], ["-2.3", "2.3", "0.3", "-1.8"]],
    "W_Q": [["-1.1", "-1.2", "0.7"], ["2.4", "2.0", "-1.9"]],
    "W_K": [["1.8", "-1.7", "-1.9"], ["-1.1", "1.1", "0.3"]],
    "W_V": [["0.6", "1.3", "-0.2"], ["1.1", "-0.9", "0.7"]],
}
"""One decimal, as published workbooks have it, not made for a pencil: scaled scores run from −37.99 to 46.19."""


def test_a_published_workbook_is_solved_by_exact_rules() -> None:
    """e⁴⁶·¹⁹ is worked: keys prove right by both routes, and agree with numpy's softmax."""
    solution = prove(solve(make_problem(PUBLISHED, rules=EXACT)))
    scores = flatten(solution["scaled"].hand)
    assert (round(max(scores), 2), round(min(scores), 2)) == (Decimal("46.19"), Decimal("-37.99"))
    assert float(max(flatten(solution["powers"].hand))) == pytest.approx(math.exp(float(max(scores))))
    X, W_Q, W_K, W_V = (np.array(PUBLISHED[name], dtype=float) for name in ("X", "W_Q", "W_K", "W_V"))
    powers = np.exp((W_K @ X).T @ (W_Q @ X) / np.sqrt(2))
    weights = powers / powers.sum(axis=0)
    np.testing.assert_allclose(np.array(solution["A"].hand, dtype=float), weights, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(np.array(solution["Z"].hand, dtype=float), W_V @ X @ weights, rtol=1e-9)


@pytest.mark.parametrize("typed", ["1.1e20", "1.1·10²⁰", "1.1 x 10^20", "114351736953973217322"])
def test_what_a_published_workbook_prints_is_right_when_it_is_typed(typed: str) -> None:
    """Pages and LaTeX have two digits and a power of ten, JSON and CSV all digits; either is read."""
    problem = make_problem(PUBLISHED, rules=EXACT)
    sheet = make_sheet_from_problem(problem)
    (cell,) = [(i, j) for i, row in enumerate(sheet.solution["powers"].hand) for j, x in enumerate(row) if x > 10**19]
    key = sheet.solution["powers"].hand[cell[0]][cell[1]]
    assert str(format_hand_value(key, 2)) == "1.1·10²⁰"
    assert "1.1·10²⁰" in render_terminal(sheet.key)
    assert r"1.1 \cdot 10^{20}" in FORMATS["markdown"].render(sheet.key).decode()
    data = json.loads(FORMATS["json"].render(sheet.key))
    powers = next(stage for stage in data["stages"] if stage["name"] == "powers")["hand"]
    assert float(Fraction(powers[cell[0]][cell[1]])) == pytest.approx(float(key))
    assert powers[cell[0]][cell[1]] in FORMATS["csv"].render(sheet.key).decode()
    reading = read_number(typed)
    assert reading is not None
    assert match_answer(reading, key, 2).is_right
    assert lay_out(sheet.blank).pages and lay_out(sheet.key).pages


def test_large_exponents_are_refused_only_by_hand() -> None:
    """The exact arithmetic has no such limit: e to the power of a thousand is worked."""
    problem = make_problem_from_scores([[1000, 0], [0, 0]], rules=Rules(scale=ScaleRule.NONE))
    exact = compute_stages(problem, problem.exact_arithmetic)
    assert [[to_float(v) for v in row] for row in exact["A"]] == [[1.0, 0.5], [pytest.approx(0.0), 0.5]]


def test_stages_can_be_worked_from_other_matrices() -> None:
    """Given matrices may be replaced, as when a student's own X is followed."""
    problem = make_problem(PENCIL_SAMPLE)
    other = dict(problem.given) | {"X": parse_matrix("1 0 0; 0 1 0; 0 0 1")}
    assert compute_stages(problem, problem.hand_arithmetic, given=other)["Q"] == problem["W_Q"]


def test_all_matrices_are_known_by_name() -> None:
    """The given ones and every stage, by hand."""
    solution = solve(make_problem(PENCIL_SAMPLE))
    known = solution.collect_hand_values()
    assert list(known) == ["X", "W_Q", "W_K", "W_V", *oracle.STAGE_NAMES]
    assert known["A"] == parse_matrix(CHECKED_BY_HAND["A"])
    assert known["X"] == parse_matrix("2 2 1; 1 1 2; 0 1 1")


def test_the_classic_comparison() -> None:
    """q₂ and q₃ tie by hand; exactly q₁, q₂ and q₄ attend most to token 2, q₃ to tokens 1 and 4."""
    (comparison,) = solve(make_problem(CLASSIC)).compare_weights()
    assert comparison.stage_name == "A"
    assert comparison.hand_top_tokens == ((1,), (0, 1, 3), (0, 3), (1,))
    assert comparison.exact_top_tokens == ((1,), (1,), (0, 3), (1,))
    assert comparison.same_top_count == 3


def test_weights_that_floats_can_hardly_tell_apart_are_ties() -> None:
    """Scores of 0 and 10⁻¹² give weights so close that both tokens count as the top, both ways."""
    tiny: Rows = [[0, "0.000001"]]
    given: dict[str, Rows] = {"X": [[1, 1], [0, "0.000001"]], "W_Q": [[1, 0]], "W_K": tiny, "W_V": [[1, 0]]}
    (comparison,) = solve(make_problem(given, rules=Rules(scale=ScaleRule.NONE))).compare_weights()
    assert comparison.hand_top_tokens == comparison.exact_top_tokens == ((0, 1), (0, 1))


@given(problems())
def test_comparisons_are_those_of_the_definition(problem: Problem) -> None:
    """Tops as sets, the largest change of one weight, half the sum of all changes a query."""
    solution = solve(problem)
    (comparison,) = solution.compare_weights()
    hand = np.array([[to_float(v) for v in row] for row in solution["A"].hand])
    exact = np.array(solution["A"].exact)
    if problem.convention is Convention.ROWS:
        hand, exact = hand.T, exact.T
    changes = np.abs(hand - exact)
    assert comparison.largest_change == pytest.approx(float(changes.max()), abs=1e-15)
    assert comparison.moved_weights == pytest.approx([float(total) / 2 for total in changes.sum(axis=0)], abs=1e-15)
    for tops, weights in ((comparison.hand_top_tokens, hand), (comparison.exact_top_tokens, exact)):
        assert tops == tuple(
            tuple(i for i, weight in enumerate(column) if weight > column.max() - 1e-12) for column in weights.T
        )
    assert comparison.same_top_count == sum(
        h == e for h, e in zip(comparison.hand_top_tokens, comparison.exact_top_tokens, strict=True)
    )
    assert all(0 <= moved <= 1 for moved in comparison.moved_weights)
