"""Seeds of every mechanism: each sheet is good, and its key is what an independent computation gives."""

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from tests.breadth import choose
from tests.forms import FORMS
from tests.good_mechanism_sheet import find_sheet_faults
from tests.mechanism_oracle import solve_by_hand
from tests.swept_sheet import find_broken_house_rules, find_dull_attention, find_wrong_keys, make_kind

SEEDS = range(choose(2, 20))
MAX_DRAWN_AGAIN = 10
"""Every so many seeds the sheet is drawn a second time, in rows."""

CASES = [
    pytest.param(name, level, id=f"{name}-{level}")
    for level in Level
    for name in FORMS
    if name != "self"  # more seeds of it are drawn in test_sweep
]


@pytest.mark.parametrize(("name", "level"), choose(CASES[::3], CASES))
def test_every_seed_of_every_mechanism_gives_a_good_sheet_and_a_right_key(name: str, level: Level) -> None:
    """No seed is refused, all sheets differ and are good, and both conventions have the oracle's values."""
    form, sheets = FORMS[name], set()
    for seed in SEEDS:
        problem = generate_problem(Request(seed=seed, variant=form, level=level))
        faults = [*find_broken_house_rules(problem, level), *find_dull_attention(problem, level)]
        assert [*faults, *find_wrong_keys(problem)] == [], seed
        if seed % MAX_DRAWN_AGAIN == 0:
            in_rows = generate_problem(Request(seed=seed, variant=form, level=level, convention=Convention.ROWS))
            assert in_rows == problem.transpose()
        sheets.add(problem.given)
    # small ones may come twice, and of scores alone there are few with small numbers
    often = len(SEEDS) // 10 if form.has_vocabulary else len(SEEDS) // 3 if form.begins_with == ("S",) else 0
    assert len(sheets) >= len(SEEDS) - often


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
