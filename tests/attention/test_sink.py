"""A sink in the sum of the powers: weights that add to less than 1, and a query that looks at nothing."""

import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import attnhand
from attnhand.attention.matrix import transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import solve, solve_shifted
from attnhand.errors import AttnhandError, KeyProofError
from attnhand.formats.terminal import render_terminal
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.problem_file import format_problem
from attnhand.sheet.explain import explain
from tests.breadth import choose

EXAMPLE = {"S": [[2], [1], [0]], "V": [[22, 0, 0], [0, 22, 44]]}
"""Scores 2 1 0: powers 9 3 1, and 9 of a sink of 2."""


def make_example(sink: int | None = 2) -> attnhand.Worksheet:
    """Return the worked example, with another sink or none."""
    return attnhand.solve({"given": EXAMPLE, **({} if sink is None else {"sink": sink})})


def test_the_worked_example() -> None:
    """9 + 3 + 1 and 9 of nobody's: 9/22 3/22 1/22, which add to 13/22."""
    sheet = make_example()
    assert sheet.solution["sums"].hand == ((22,),)
    assert sheet.solution["A"].hand == ((Fraction(9, 22),), (Fraction(3, 22),), (Fraction(1, 22),))
    assert sum(value for (value,) in sheet.solution["A"].hand) == Fraction(13, 22)
    assert sheet.solution["Z"].hand == ((9,), (5,))
    exact = np.array(sheet.solution["A"].exact)[:, 0]
    powers = np.exp(np.array([2.0, 1.0, 0.0]))
    np.testing.assert_allclose(exact, powers / (powers.sum() + np.exp(2.0)))


def test_off_by_one() -> None:
    """A sink of 0 adds 1; one below 0 adds a fraction."""
    assert make_example(0).solution["sums"].hand == ((14,),)
    assert make_example(-1).solution["sums"].hand == ((Fraction(40, 3),),)


@pytest.mark.parametrize("sink", [0, 1, 2])
@pytest.mark.parametrize("level", ["warm-up", "standard", "challenge"])
def test_every_seed_shows_it(sink: int, level: str) -> None:
    """Some query keeps less than half, or beside a small sink gives a token no more than nobody; Σ is right."""
    for seed in range(choose(3, 100)):
        sheet = attnhand.generate(seed, sink=sink, level=level)
        powers, sums, A = (transpose(sheet.solution[name].hand) for name in ("powers", "sums", "A"))
        kept = []
        for own, (total,), shares in zip(powers, sums, A, strict=True):
            assert total == sum(own) + 3**sink
            assert list(shares) == [Fraction(power) / Fraction(total) for power in own]
            kept.append(sum(shares))
        assert max(kept) < 1
        if sink > 1:
            assert min(kept) < Fraction(1, 2), seed
        else:
            assert any(min(shares) <= 1 - sum(shares) for shares in A), seed


def test_a_sheet_that_shows_nothing_is_not_drawn() -> None:
    """A query that keeps more than half is no reason for a sheet."""
    given = (("S", ((8,), (0,))), ("V", ((1, 2),)))
    assert find_missing_insight(Problem(variant=Variant(sink=2, begins_with=("V", "S"), has_memory=True), given=given))
    small = (("S", ((1,), (0,))), ("V", ((1, 2),)))
    assert not find_missing_insight(
        Problem(variant=Variant(sink=2, begins_with=("V", "S"), has_memory=True), given=small)
    )


@pytest.mark.parametrize("options", [{}, {"base": "e", "scale": "sqrt"}])
@pytest.mark.parametrize("sink", range(4))
def test_what_is_made_up_fits_the_sink(sink: int, options: dict[str, Any]) -> None:
    """Powers 3 and 1 beside the sink's: their shares mix 4 and −1 to what the sheet says, which adds up."""
    said = " ".join(render_terminal(attnhand.generate(7, sink=sink, **options).blank, width=80).split())
    made_up = re.search(r"Made up: 4 and −1, shares (\S+) and (\S+): \1·4 \+ \2·\(−1\) = (\S+)\.", said)
    assert made_up
    large, small, mixed = map(Fraction, made_up.groups())
    assert mixed == 4 * large - small
    total = 4 + (math.e if options else 3) ** sink
    assert [float(large), float(small)] == pytest.approx([3 / total, 1 / total], abs=0.005 if options else 1e-12)


def test_the_proof_wants_what_is_missing() -> None:
    """Weights that add to 1 beside a sink are no key."""
    sheet = make_example()
    with pytest.raises(KeyProofError):
        prove(solve(sheet.problem, replacements={"A": make_example(None).solution["A"].hand}))


def test_subtracting_the_largest_is_another_sheet() -> None:
    """Beside a sink it would change the shares, so nobody is told that they stay."""
    assert solve_shifted(attnhand.generate(7).solution) is not None
    assert solve_shifted(attnhand.generate(7, sink=2).solution) is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sink": 10}, "write a whole number from -9 to 9"),
        ({"sink": 5}, "use -2 to 4"),
        ({"sink": -1, "level": "warm-up"}, "use 0 to 3"),
        ({"sink": 1, "base": "none"}, "a sink is a power"),
        ({"sink": 1, "subtract_max": True}, "would have other shares"),
        ({"sink": 1, "story": "soup"}, "contradicts the story"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


def test_files_and_codes_hold_it() -> None:
    """A sheet comes back from its file and from its code, and an option adds a sink to anybody's numbers."""
    sheet = attnhand.generate(7, sink=-1)
    again = attnhand.solve(json.loads(format_problem(sheet.problem)))
    assert again.problem.variant.sink == -1
    assert again.solution["A"].hand == sheet.solution["A"].hand
    assert attnhand.key(sheet.code).solution["A"].hand == sheet.solution["A"].hand
    assert attnhand.solve({"given": EXAMPLE}, sink=2).solution["sums"].hand == ((22,),)
    with pytest.raises(AttnhandError, match="write a whole number"):
        attnhand.solve({"given": EXAMPLE, "sink": 1.5})


def test_the_sum_is_explained_with_the_sink() -> None:
    """Σ names the power of the sink, in lines and in the trace; the foot names the paper."""
    sheet = make_example()
    assert explain(sheet, "sums[1,1]").by_hand == (
        "all powers of column q₁ and 3² of the sink, added: 9 + 3 + 1 + 3² = 22",
    )


@pytest.mark.parametrize("name", ["sums", "A"])
def test_forgetting_the_sink_is_named(name: str) -> None:
    """Whoever adds the tokens' powers alone, or divides by them, is told so; what follows counts."""
    for seed in range(choose(3, 30)):
        sheet = attnhand.generate(seed, sink=2)
        powers = sheet.solution["powers"].hand
        totals = [sum(column) for column in zip(*powers, strict=True)]
        shares = tuple(tuple(Fraction(x) / total for x, total in zip(row, totals, strict=True)) for row in powers)
        worked = solve(sheet.problem, replacements={name: (tuple(totals),) if name == "sums" else shares})
        checked = attnhand.check({s.stage.name: [list(map(str, row)) for row in s.hand] for s in worked}, sheet)
        assert [each.slips for each in checked.diagnoses] == [("sink-forgotten",)], seed
        assert {cell.mark.value for cell in checked.marks.cells if cell.stage == "Z"} <= {"follows", "correct"}


def test_the_question_is_asked() -> None:
    """Without the sink the largest share is larger."""
    sheet = attnhand.generate(7, sink=2)
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "no-sink")
    assert asked.finding is not None
    assert asked.finding.answer == "more"
