"""A key that is wrong anywhere is never printed."""

import ast
import math
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from attnhand.attention import closed_forms
from attnhand.attention.arithmetic import Rules, ScaleRule
from attnhand.attention.closed_forms import CLOSED_FORMS
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import MINUS_INFINITY, Number, is_finite
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import SolvedStage, solve
from attnhand.errors import KeyProofError
from tests.breadth import choose, pair_up
from tests.building import (
    CLASSIC,
    PENCIL_SAMPLE,
    Rows,
    make_problem,
    make_problem_from_scores,
    parse_matrix,
    replace_cell,
    replace_stage,
    transpose_given,
)
from tests.drawn_sheets import ALL_FORMS, draw_sheets
from tests.oracle import STAGE_NAMES
from tests.strategies import problems

SAMPLES: dict[str, dict[str, Rows]] = {"classic": CLASSIC, "checked": PENCIL_SAMPLE}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
def test_right_keys_are_returned(sample: str, rows: bool) -> None:
    """The worked examples prove right in both conventions, and come back unchanged."""
    problem = make_problem(SAMPLES[sample])
    solution = solve(problem.transpose() if rows else problem)
    assert prove(solution) is solution


@given(problems())
def test_keys_of_all_kinds_prove_right(problem: Problem) -> None:
    """Under all rules, with fractions and decimals, what is solved is proved."""
    solution = solve(problem)
    assert prove(solution) is solution


def test_keys_with_infinite_powers_prove_right() -> None:
    """Where the exact powers overflow, both routes say so."""
    solution = solve(make_problem_from_scores([[9999, 0], [-9999, 20]], rules=Rules(scale=1000)))
    assert math.inf in solution["powers"].exact[0]
    assert prove(solution) is solution


@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_a_wrong_hand_value_is_refused_at_every_stage(stage: str, rows: bool) -> None:
    """Each cell of each stage, changed by a little, is found."""
    problem = make_problem(PENCIL_SAMPLE)
    solution = solve(problem.transpose() if rows else problem)
    hand = solution[stage].hand
    tampered = 0
    for i, row in enumerate(hand):
        for j, value in enumerate(row):
            assert isinstance(value, int | Fraction)
            changed = replace_stage(solution, stage, hand=replace_cell(hand, i, j, value + Fraction(1, 10**6)))
            with pytest.raises(KeyProofError, match=rf"^{stage} \(hand\): two routes disagree"):
                prove(changed)
            tampered += 1
    assert tampered >= 3


@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
@pytest.mark.parametrize("stage", STAGE_NAMES)
def test_a_wrong_exact_value_is_refused_at_every_stage(stage: str, rows: bool) -> None:
    """Each exact cell, changed by a little or to infinity, is found."""
    problem = make_problem(PENCIL_SAMPLE)
    solution = solve(problem.transpose() if rows else problem)
    exact = solution[stage].exact
    tampered = 0
    for i, row in enumerate(exact):
        for j, value in enumerate(row):
            for wrong in (value + 1e-6, math.inf, -math.inf, math.nan):
                cells = np.array(exact)
                cells[i, j] = wrong
                changed = replace_stage(solution, stage, exact=tuple(tuple(line) for line in cells.tolist()))
                with pytest.raises(KeyProofError, match=rf"^{stage} \(exact\): two routes disagree"):
                    prove(changed)
                tampered += 1
    assert tampered >= 12


def test_a_stage_of_another_shape_is_refused() -> None:
    """A key with a row or column too many or too few is found at every stage."""
    solution = solve(make_problem(PENCIL_SAMPLE))
    for stage in STAGE_NAMES:
        hand = solution[stage].hand
        fewer_rows = [hand[:-1]] if len(hand) > 1 else []  # no stage is empty
        others = ((*hand, hand[0]), tuple(row[1:] for row in hand), tuple((*row, 0) for row in hand))
        for wrong in (*fewer_rows, *others):
            with pytest.raises(KeyProofError, match=rf"^{stage} \(hand\): two routes disagree on shape"):
                prove(replace_stage(solution, stage, hand=wrong))


@pytest.mark.parametrize(
    ("stage", "wrong"),
    [
        ("S", "-1 -1 1; 1 1 2; -3 -3 -3"),  # QᵀK
        ("scaled", "0 0 -1; 0 0 -1; 0 1 -1"),  # cut off
        ("A", "3/13 9/13 1/13; 3/13 9/13 1/13; 9/37 27/37 1/37"),  # the other axis
        ("Z", "32/15 32/15 56/15; 16/15 16/15 28/15"),  # V Aᵀ, as in a published remake of the classic sheet
    ],
)
def test_slips_in_a_key_are_refused(stage: str, wrong: str) -> None:
    """A key that makes a student's mistake is found."""
    solution = replace_stage(solve(make_problem(PENCIL_SAMPLE)), stage, hand=parse_matrix(wrong))
    with pytest.raises(KeyProofError, match=rf"^{stage} \(hand\)"):
        prove(solution)


def weights(first: Number) -> str:
    """Match the refusal of weights that begin so."""
    return rf"^the weights \(Fraction\({Fraction(first).numerator}, .*\) do not add to 1$"


@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
def test_weights_that_do_not_add_to_1_are_refused(rows: bool) -> None:
    """A weight off by less than floats are compared with is found by adding fractions."""
    problem = make_problem(PENCIL_SAMPLE)
    solution = solve(problem.transpose() if rows else problem)
    A = solution["A"].hand
    off = Fraction(1, 5) + Fraction(1, 10**10)
    with pytest.raises(KeyProofError, match=weights(off)):
        prove(replace_stage(solution, "A", hand=replace_cell(A, 0, 0, off)))


def test_fractions_have_to_add_to_1_exactly() -> None:
    """A weight off by the least thing is found where weights are fractions."""
    solution = solve(make_problem(PENCIL_SAMPLE))
    A = solution["A"].hand
    with pytest.raises(KeyProofError):
        prove(replace_stage(solution, "A", hand=replace_cell(A, 0, 0, Fraction(1, 5) + Fraction(1, 10**30))))


def test_a_negative_weight_is_refused() -> None:
    """Weights that add to 1 with a negative one among them are found."""
    solution = solve(make_problem_from_scores([[40, 0], [-40, 0]], rules=Rules(scale=ScaleRule.NONE)))
    A = solution["A"].hand
    tiny = Fraction(1, 10**10)
    changed = replace_cell(replace_cell(A, 0, 0, 1 + tiny), 1, 0, -tiny)
    with pytest.raises(KeyProofError, match="do not add to 1"):
        prove(replace_stage(solution, "A", hand=changed))


@pytest.mark.parametrize("rows", [False, True], ids=["columns", "rows"])
@pytest.mark.parametrize("beyond", [1 + Fraction(1, 10**7), 1 - Fraction(1, 10**7)])
def test_outputs_beyond_their_values_are_refused(beyond: Fraction, rows: bool) -> None:
    """An output a little outside its row of V is found, even beside much larger ones."""
    given: dict[str, Rows] = {"X": [[1, 1], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[1, 0], [1000, 500]]}
    problem = (
        make_problem(transpose_given(given), convention=make_problem(given).transpose().convention)
        if rows
        else make_problem(given)
    )
    solution = solve(problem)
    prove(solution)
    Z = solution["Z"].hand
    assert Z[0][0] == 1
    with pytest.raises(KeyProofError, match="do not lie between the values"):
        prove(replace_stage(solution, "Z", hand=replace_cell(Z, 0, 0, beyond)))


TINY_SCORES: dict[str, Rows] = {"X": [[1, 1]], "W_Q": [["1.99998"]], "W_K": [["1.00001"]], "W_V": [[1]]}
JUST_BELOW_0: dict[str, Rows] = {"X": [["0.00001", "0.00002"]], "W_Q": [["0.1"]], "W_K": [["-0.1"]], "W_V": [[1]]}
SCORES_CANCEL: dict[str, Rows] = {
    "X": [[5003, -6525]],
    "W_Q": [[9999], [9999], ["-1/3"], ["0.000001"]],
    "W_K": [[0], ["-1/3"], [-9999], [1]],
    "W_V": [[1]],
}
OUTPUTS_CANCEL: dict[str, Rows] = {
    "X": [[-9999, "0.000001", "0.000001", 9999]],
    "W_Q": [[0]],
    "W_K": [[-3]],
    "W_V": [[9999]],
}


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        (TINY_SCORES, Rules()),
        (JUST_BELOW_0, Rules()),
        (SCORES_CANCEL, Rules(scale=1000)),
        (OUTPUTS_CANCEL, Rules()),
    ],
    ids=["half just below 1", "just below 0", "scores cancel", "outputs cancel"],
)
def test_right_keys_that_floats_can_hardly_follow_are_returned(given: dict[str, Rows], rules: Rules) -> None:
    """A score within a whisker of a whole number, or large products that cancel, are no reason to refuse."""
    solution = solve(make_problem(given, rules=rules))
    assert prove(solution) is solution


def list_cells_to_change(stage: SolvedStage) -> list[tuple[int, int]]:
    """Return the corners of a stage and, under a mask, a cell that is hidden: whichever there are."""
    rows, columns = len(stage.hand) - 1, len(stage.hand[0]) - 1
    return sorted({(0, 0), (rows, 0), (0, columns), (rows, columns), (rows // 2, columns // 2)})


@pytest.mark.parametrize(("form", "convention"), pair_up(choose([*ALL_FORMS][::2], [*ALL_FORMS]), [*Convention]))
def test_a_wrong_value_is_refused_at_every_stage_of_every_mechanism(form: str, convention: Convention) -> None:
    """By hand and exactly, a hidden score that is shown and a shown one that is hidden too."""
    problem, in_rows = islice(draw_sheets(form, 1), 2)
    solution = solve(problem if convention is Convention.COLUMNS else in_rows)
    assert prove(solution) is solution
    tampered = set()
    for solved in solution:
        name, exact = solved.stage.name, np.array(solved.exact)
        for i, j in list_cells_to_change(solved):
            value = solved.hand[i][j]
            by_hand: list[Number] = [0] if not is_finite(value) else [Fraction(value) + Fraction(1, 10**6)]
            others = [0.0] if math.isinf(exact[i, j]) else [exact[i, j] + 1e-6, math.inf, math.nan]
            if solved.stage.topic == "masked":
                by_hand += [MINUS_INFINITY] if is_finite(value) else []
                others += [-math.inf] if is_finite(value) else []
            for wrong in by_hand:
                with pytest.raises(KeyProofError, match=rf"^{re.escape(name)} \(hand\): two routes disagree"):
                    prove(replace_stage(solution, name, hand=replace_cell(solved.hand, i, j, wrong)))
            for wrong_float in others:
                cells = exact.copy()
                cells[i, j] = wrong_float
                changed = replace_stage(solution, name, exact=tuple(map(tuple, cells.tolist())))
                with pytest.raises(KeyProofError, match=rf"^{re.escape(name)} \(exact\): two routes disagree"):
                    prove(changed)
            tampered.add(name)
    assert tampered == {solved.stage.name for solved in solution}


def test_a_mechanism_without_a_closed_form_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is printed that nothing proves: of a mechanism, or of one of its stages."""
    solution = solve(make_problem(PENCIL_SAMPLE))
    all_but_Z = {name: compute for name, compute in CLOSED_FORMS["self"].items() if name != "Z"}
    monkeypatch.setitem(CLOSED_FORMS, "self", all_but_Z)
    with pytest.raises(KeyError, match="Z"):
        prove(solution)
    monkeypatch.delitem(CLOSED_FORMS, "self")
    with pytest.raises(KeyError, match="self"):
        prove(solution)


def test_the_second_route_reads_no_formula() -> None:
    """What closed forms take from the program are the rules, the settings, the words and the numbers alone."""
    tree = ast.parse(Path(closed_forms.__file__).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and name.startswith("attnhand.")} == {
        "attnhand.attention.arithmetic",
        "attnhand.attention.mechanisms.settings",
        "attnhand.attention.problem",
    }
