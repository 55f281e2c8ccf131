"""Seeds of every level: each sheet is good, and its key is what an independent computation gives."""

import json
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import Solution, solve
from attnhand.problems import generator
from attnhand.problems.generator import MAX_DRAWS, generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import Request
from tests import oracle
from tests.breadth import choose
from tests.good_attention import find_faults
from tests.good_sheet import find_sheet_faults

SEEDS = choose(
    dict.fromkeys(Level, 12), {Level.FIRST: 100, Level.WARM_UP: 300, Level.STANDARD: 300, Level.CHALLENGE: 100}
)

MAX_DRAWN_AGAIN = 10
"""Every so many seeds the sheet is drawn a second time, in rows."""


class CountedStream(RandomStream):
    """A stream that counts how many there are: one for each draw of a part."""

    count = 0

    def __init__(self, *labels: str) -> None:
        type(self).count += 1
        super().__init__(*labels)


@pytest.mark.parametrize("level", Level)
def test_every_seed_gives_a_good_sheet_and_a_right_key(level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sheet meets its level, takes a bounded number of draws, is unlike all others, and its key is right."""
    monkeypatch.setattr(generator, "RandomStream", CountedStream)
    generate_problem.cache_clear()
    sheets = set()
    for seed in range(SEEDS[level]):
        CountedStream.count = 0
        problem = generate_problem(Request(seed=seed, level=level))
        assert 3 <= CountedStream.count <= MAX_DRAWS
        given = dict(problem.given)
        assert find_sheet_faults(given, level.value) == [], seed
        assert find_faults(json.loads(format_problem(problem)), level.value) == [], seed
        solution = prove(solve(problem))
        _check_agreement(solution, oracle.solve_by_hand_in_columns(given), oracle.solve_exactly_in_columns(given))

        in_rows = problem.transpose()
        if seed % MAX_DRAWN_AGAIN == 0:
            assert generate_problem(Request(seed=seed, level=level, convention=Convention.ROWS)) == in_rows
        given = dict(in_rows.given)
        _check_agreement(
            prove(solve(in_rows)), oracle.solve_by_hand_in_rows(given), oracle.solve_exactly_in_rows(given)
        )
        sheets.add(_fingerprint(problem))
    assert len(sheets) == SEEDS[level]


def _check_agreement(
    solution: Solution, hand: Mapping[str, oracle.FractionMatrix], exact: Mapping[str, oracle.Floats]
) -> None:
    """Compare every stage: by hand as fractions, exactly to twelve digits."""
    assert tuple(solved.stage.name for solved in solution) == oracle.STAGE_NAMES
    assert {solved.stage.name: _fractions(solved.hand) for solved in solution} == hand
    for solved in solution:
        np.testing.assert_allclose(
            np.array(solved.exact), exact[solved.stage.name], rtol=1e-12, atol=1e-12, err_msg=solved.stage.name
        )


def _fractions(a: Matrix) -> oracle.FractionMatrix:
    return [[Fraction(value) for value in row] for row in a]


def _fingerprint(problem: Problem) -> str:
    return " ".join(str(value) for _, a in problem.given for row in a for value in row)
