"""Seeds of every mechanism: each sheet is good, and its key is what an independent computation gives."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import Solution, solve
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from tests.breadth import choose
from tests.forms import FORMS
from tests.good_attention import find_faults
from tests.good_mechanism_sheet import find_sheet_faults
from tests.mechanism_oracle import LOG_DIGITS, MechanismKind, solve_by_hand, solve_exactly

SEEDS = range(choose(2, 20))
MAX_DRAWN_AGAIN = 10
"""Every so many seeds the sheet is drawn a second time, in rows."""

CASES = [
    pytest.param(name, level, id=f"{name}-{level}")
    for level in Level
    for name in FORMS
    if name != "self"  # more seeds of it are drawn in test_sweep
]


def make_kind(form: Variant, rules: Rules = HAND) -> MechanismKind:
    """Say for the oracle what a form is."""
    return MechanismKind(
        window=form.window,
        scale=str(rules.scale),
        base=int(rules.base.value),
        mechanism=form.mechanism,
        heads=form.head_count,
        causal=form.is_causal,
        words=form.embedded_words,
        positions=form.has_positions,
        kv_heads=form.kv_head_count,
        rotary=form.is_rotary,
        distances=form.has_distances,
        cache=form.cache or 0,
        padding=form.padding,
        shifted=form.is_shifted,
        residual=form.has_residual,
        norm=(form.norm_place or "before") if form.norm else "",
        second_relu=form.has_second_relu,
        blocks=(form.block_count or 2) if form.mechanism == "online" else 0,
        top_k=form.top_k,
        sink=form.sink,
        temperature=form.temperature or Fraction(1),
        rate=form.learning_rate,
    )


@pytest.mark.parametrize(("name", "level"), choose(CASES[::3], CASES))
def test_every_seed_of_every_mechanism_gives_a_good_sheet_and_a_right_key(name: str, level: Level) -> None:
    """No seed is refused, all sheets differ and are good, and both conventions have the oracle's values."""
    form, sheets = FORMS[name], set()
    for seed in SEEDS:
        problem = generate_problem(Request(seed=seed, variant=form, level=level))
        kind = make_kind(problem.variant)  # where nothing is said, the level says how many blocks there are
        given = dict(problem.given)
        hand, exact = solve_by_hand(kind, given), solve_exactly(kind, given)
        assert find_sheet_faults(kind, given, hand, level.value) == [], seed
        for own in (problem, problem.transpose()):
            text = json.loads(format_problem(own))
            has_tokens = not {"S", "W_U"} & text["given"].keys() and not kind.cache and "temperature" not in text
            assert not has_tokens or find_faults(text, level.value) == [], seed

        in_rows = problem.transpose()
        if seed % MAX_DRAWN_AGAIN == 0:
            assert (
                generate_problem(Request(seed=seed, variant=form, level=level, convention=Convention.ROWS)) == in_rows
            )
        for turned, solution in ((False, prove(solve(problem))), (True, prove(solve(in_rows)))):
            assert sorted(solved.stage.name for solved in solution) == sorted(hand) == sorted(exact)
            assert collect_hand_values(solution, turned=turned) == hand, seed
            for solved in solution:
                ours = np.array(solved.exact).T if turned else np.array(solved.exact)
                np.testing.assert_allclose(
                    ours, exact[solved.stage.name], rtol=1e-9, atol=1e-9, err_msg=f"{seed} {solved.stage.name}"
                )
        sheets.add(problem.given)
    # small ones may come twice, and of scores alone there are few with small numbers
    often = len(SEEDS) // 10 if form.has_vocabulary else len(SEEDS) // 3 if form.begins_with == ("S",) else 0
    assert len(sheets) >= len(SEEDS) - often


def collect_hand_values(solution: Solution, *, turned: bool) -> dict[str, list[list[Fraction | None]]]:
    """Return all stages with tokens as columns; a masked score is None."""
    return {
        solved.stage.name: [
            [_fraction(value) for value in row] for row in (zip(*solved.hand, strict=True) if turned else solved.hand)
        ]
        for solved in solution
    }


def _fraction(value: Number) -> Fraction | None:
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(round(Fraction(value) * 10**LOG_DIGITS), 10**LOG_DIGITS)
    return None if value == MINUS_INFINITY else Fraction(value)


def test_the_sweep_has_every_form_at_every_level() -> None:
    """Nothing is left out but self-attention, which has a sweep of its own."""
    swept = {(case.values[0], case.values[1]) for case in CASES}
    assert swept == {(name, level) for name in FORMS for level in Level if name != "self"}


@pytest.mark.parametrize(
    "name", choose(("self", "cross", "multi-head-2-causal", "block-1-words-positions-causal"), [*FORMS])
)
def test_the_second_description_of_good_sheets_stops_poor_ones(name: str) -> None:
    """A drawn sheet is good; of those with one entry changed, many are not: the checks above can fail."""
    form = FORMS[name]
    problem: Problem = generate_problem(Request(seed=7, variant=form))
    kind = make_kind(problem.variant)
    given = dict(problem.given)
    assert find_sheet_faults(kind, given, solve_by_hand(kind, given), "standard") == []
    found: set[str] = set()
    for matrix, a in given.items():
        for i, row in enumerate(a):
            for j, value in enumerate(row):
                others = {"X": range(-2, 4), "embedding": range(-2, 4), "S": range(-4, 7)}
                for other in others.get(matrix, (1 - value,)):
                    changed = [list(line) for line in a]
                    changed[i][j] = other
                    again = {**given, matrix: changed}
                    if sum(map(sum, changed)) != 1 and matrix == "y":  # nothing is worked where no word came, or two
                        continue
                    found.update(find_sheet_faults(kind, again, solve_by_hand(kind, again), "standard"))
    has_few = form.has_vocabulary or form.blocks or form.begins_with == ("S",)
    assert len(found) >= (3 if has_few else 5), found
