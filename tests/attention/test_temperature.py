"""Scores divided by a temperature before powers are taken: sharper below 1, flatter above."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.settings import read_temperature
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, KeyProofError
from attnhand.formats.terminal import render_terminal
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.problem_file import format_problem
from attnhand.sheet.explain import explain
from tests.breadth import choose

EXAMPLE = {"S": [[2], [1], [0], [-1]], "V": [[1, 2, 3, 4]]}
"""The scores of one query."""


@pytest.mark.parametrize(
    ("temperature", "tempered", "shares"),
    [
        ("1/2", (4, 2, 0, -2), ("729/820", "81/820", "9/820", "1/820")),
        (2, (1, 0, 0, -1), ("9/16", "3/16", "3/16", "1/16")),
        (3, (0, 0, 0, -1), ("3/10", "3/10", "3/10", "1/10")),
    ],
)
def test_the_worked_example(temperature: str | int, tempered: tuple[int, ...], shares: tuple[str, ...]) -> None:
    """By hand scores are doubled for 1/2, and divided and rounded down for 2 and 3; exactly they are divided."""
    sheet = attnhand.solve({"given": EXAMPLE, "temperature": temperature})
    assert [value for (value,) in sheet.solution["tempered"].hand] == [*tempered]
    assert [value for (value,) in sheet.solution["A"].hand] == [*map(Fraction, shares)]
    heat = float(Fraction(temperature))
    powers = np.exp(np.array([2.0, 1.0, 0.0, -1.0]) / heat)
    np.testing.assert_allclose(np.array(sheet.solution["A"].exact)[:, 0], powers / powers.sum())


def test_what_a_temperature_can_be() -> None:
    """Any fraction of numbers up to 10, however it is written; 1 is none."""
    assert [*map(read_temperature, ("1/2", "0.5", 0.5, Fraction(1, 2)))] == [Fraction(1, 2)] * 4
    assert read_temperature(1) is read_temperature("1") is None
    assert attnhand.generate(7, temperature=1).code == attnhand.generate(7).code


@pytest.mark.parametrize("temperature", ["1/2", "2", "3"])
@pytest.mark.parametrize("level", ["warm-up", "standard", "challenge"])
def test_every_seed_shows_it(temperature: str, level: str) -> None:
    """Some query's largest share changes by a tenth, and every favourite stays; keys are floors of quotients."""
    heat = Fraction(temperature)
    for seed in range(choose(2, 100)):
        sheet = attnhand.generate(seed, temperature=temperature, level=level)
        changes = []
        for scaled, tempered, shares in zip(
            *(zip(*sheet.solution[name].hand, strict=True) for name in ("scaled", "tempered", "A")), strict=True
        ):
            assert [math.floor(x / heat) for x in scaled] == [*tempered], seed
            before = [Fraction(3) ** x / sum(Fraction(3) ** y for y in scaled) for x in scaled]
            assert before.index(max(before)) == shares.index(max(shares)), seed
            changes.append(abs(max(before) - max(shares)))
        assert max(changes) >= Fraction(1, 10), seed


def test_nothing_is_rounded_where_e_is_raised() -> None:
    """Under exact rules a score is divided by √d_k and by the temperature."""
    sheet = attnhand.generate(7, temperature=3, rules=EXACT)
    scaled, tempered = (np.array(sheet.solution[name].hand, dtype=float) for name in ("scaled", "tempered"))
    np.testing.assert_allclose(tempered, scaled / 3)


def test_a_sheet_that_shows_nothing_is_not_drawn() -> None:
    """Where a temperature makes another favourite, or hardly changes a share, there is no sheet."""
    for scores in (((2,), (3,), (-2,)), ((0,), (0,), (1,))):
        given = (("S", scores), ("V", ((1, 2, 3),)))
        form = Variant(temperature=Fraction(2), begins_with=("V", "S"), has_memory=True)
        assert (find_missing_insight(Problem(variant=form, given=given)) is None) is (scores[0] == (9,))


def test_the_proof_knows_rounding_down() -> None:
    """A key that is rounded up, or is not whole, is refused."""
    sheet = attnhand.solve({"given": EXAMPLE, "temperature": 2})
    for wrong in (((1,), (1,), (0,), (0,)), ((1,), (Fraction(1, 2),), (0,), (-1,))):
        with pytest.raises(KeyProofError, match="rounded down"):
            prove(solve(sheet.problem, replacements={"tempered": wrong}))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"temperature": "hot"}, "write a number such as 2, 1/2 or 0.7"),
        ({"temperature": 0}, "write a number such as 2, 1/2 or 0.7"),
        ({"temperature": "0.37"}, "a fraction of numbers up to 10"),
        ({"temperature": 2, "base": "none"}, "plain shares stay as they are"),
        ({"temperature": 2, "mechanism": "basic", "level": "warm-up"}, "a temperature below 1"),
        ({"temperature": 2, "story": "soup"}, "contradicts the story"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("positions", "divided"), [(None, "Kᵀ Q / √d_k / T"), ("distance", "(Kᵀ Q / √d_k − distance) / T")]
)
def test_the_formula_divides_all_that_the_sheet_divides(positions: str | None, divided: str) -> None:
    """At the head of the sheet: a distance is subtracted first, and what is left is divided."""
    sheet = attnhand.generate(7, temperature=2, positions=positions)
    assert divided in render_terminal(sheet, width=100, colour=False)
    by = {solved.stage.name: np.array(solved.hand, dtype=object) for solved in sheet.solution}
    before = by["biased" if positions else "scaled"]
    assert (by["tempered"] == np.floor_divide(before, 2)).all()


def test_files_and_codes_hold_it() -> None:
    """A sheet comes back from its file and from its code."""
    sheet = attnhand.generate(7, temperature=0.5, convention="rows")
    again = attnhand.solve(json.loads(format_problem(sheet.problem)))
    assert again.problem.variant.temperature == Fraction(1, 2)
    assert again.solution["A"].hand == sheet.solution["A"].hand
    assert attnhand.key(sheet.code).solution["A"].hand == sheet.solution["A"].hand
    with pytest.raises(AttnhandError, match="temperature"):
        attnhand.key(sheet.code, temperature=2)


def test_a_cell_is_explained() -> None:
    """By what is divided, and whether it is rounded down."""
    sheet = attnhand.solve({"given": EXAMPLE, "temperature": 2})
    assert explain(sheet, "tempered[4,1]").by_hand[-1] == "−1 ÷ 2, the temperature, rounded down: −1"


def test_slips_are_named() -> None:
    """Left out, or multiplied where it divides: each is known, and what follows counts."""
    for seed in range(choose(3, 30)):
        sheet = attnhand.generate(seed, temperature="1/2")
        scaled = sheet.solution["scaled"].hand
        for slip, wrong in (
            ("temperature-forgotten", scaled),
            ("temperature-multiplied", tuple(tuple(math.floor(Fraction(x) / 2) for x in row) for row in scaled)),
        ):
            worked = solve(sheet.problem, replacements={"tempered": wrong})
            checked = attnhand.check({s.stage.name: [list(map(str, row)) for row in s.hand] for s in worked}, sheet)
            assert [each.slips for each in checked.diagnoses] == [(slip,)], seed
            assert {cell.mark.value for cell in checked.marks.cells if cell.stage == "A"} <= {"follows", "correct"}


def test_the_question_is_asked() -> None:
    """At temperature 1 sharpened shares lie closer together, flattened ones further apart."""
    for temperature, answer in (("1/2", "flatter"), (2, "sharper")):
        sheet = attnhand.generate(7, temperature=temperature)
        found = [posed.finding for posed in sheet.posed_questions if posed.question.id == "no-temperature"]
        assert [finding.answer for finding in found if finding] == [answer]
