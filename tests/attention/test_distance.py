"""Scores that lose by the distance of their keys (ALiBi): worked by hand, drawn, said, marked."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.proof import prove
from attnhand.attention.questions import TRIES, Scene
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, ProblemError
from attnhand.problems.insights import INSIGHTS, find_missing_insight
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.make import make_sheet_from_request
from tests.breadth import choose

EXAMPLE = {"positions": "distance", "given": {"scaled": [[0, 0, 0], [0, 0, 2], [0, 0, 0]], "V": [[37, 37, 0]]}}
"""The third query meets three keys with scaled scores 0 2 0."""


def test_the_farther_the_less() -> None:
    """Scaled 0 2 0 less 2 1 0 gives −2 1 0, powers 1/9 3 1, shares 1/37 27/37 9/37; without distance 1/11 9/11 1/11."""
    sheet = attnhand.solve(EXAMPLE)
    assert [row[2] for row in sheet.solution["biased"].hand] == [-2, 1, 0]
    shares = [row[2] for row in sheet.solution["A"].hand]
    assert shares == [Fraction(1, 37), Fraction(27, 37), Fraction(9, 37)]
    assert sheet.solution["Z"].hand[0][2] == 28
    plain = attnhand.solve({**EXAMPLE, "positions": None, "mask": "causal"})
    assert [row[2] for row in plain.solution["A"].hand] == [Fraction(1, 11), Fraction(9, 11), Fraction(1, 11)]


def test_each_head_has_a_slope_of_its_own() -> None:
    """Head 2 takes twice the distance: of equal scores 0 0 0 it leaves −4 −2 0, where head 1 leaves −2 −1 0."""
    one = [[1, 0, 0]]
    heads = [{"W_Q": [[0, 0, 0]], "W_K": one, "W_V": one} for _ in range(2)]
    given = {"X": [[1, 2, 3], [0, 1, 0], [0, 0, 1]], "heads": heads, "W_O": [[1, 0], [0, 1], [1, 1]]}
    sheet = attnhand.solve({"mechanism": "multi-head", "positions": "distance", "given": given})
    for head, lost in ((1, [-2, -1, 0]), (2, [-4, -2, 0])):
        assert [row[2] for row in sheet.solution[f"h{head}.biased"].hand] == lost


@pytest.mark.parametrize("mechanism", ["self", "basic", "multi-head", "block"])
def test_every_seed_is_as_the_oracle_has_it(mechanism: str) -> None:
    """By hand and exactly, in both conventions; plain loops subtract head times distance from what is scaled."""
    for seed in range(choose(3, 100)):
        for convention in Convention:
            request = Request(
                seed=seed, variant=Variant(mechanism=mechanism, has_distances=True), convention=convention
            )
            solution = prove(solve(make_sheet_from_request(request).problem))
            for attention in solution.problem.mechanism.attentions:
                slope = solution.problem.mechanism.get_stage(attention.weights).head or 1
                for way in ("hand", "exact"):
                    before, after, weights = (
                        _take_columns(getattr(solution[name], way), convention)
                        for name in (attention.scaled or attention.scores, attention.biased, attention.weights)
                    )
                    base = 3.0 if way == "hand" else np.e
                    for query, scores in enumerate(before):
                        lost = [float(s) - slope * (query - key) for key, s in enumerate(scores)]
                        np.testing.assert_allclose([float(x) for x in after[query]], lost)
                        powers = [base**x if key <= query else 0.0 for key, x in enumerate(lost)]
                        shares = [power / sum(powers) for power in powers]
                        np.testing.assert_allclose([float(x) for x in weights[query]], shares, atol=1e-12)


def _take_columns(a: object, convention: Convention) -> list[list[float]]:
    """Return the numbers of each query."""
    rows = [list(row) for row in a]  # type: ignore[attr-defined]
    return rows if convention.is_rows else [list(column) for column in zip(*rows, strict=True)]


def test_every_sheet_shows_what_distance_does() -> None:
    """Some query looks elsewhere than it would without, or two equal scores that it sees get different shares."""
    insight = next(each for each in INSIGHTS if each.concerns(Variant(has_distances=True)))
    for level in Level:
        for seed in range(choose(2, 50)):
            sheet = attnhand.generate(seed=seed, positions="distance", level=level.value)
            values = {name: np.array([[float(x) for x in row] for row in a]) for name, a in sheet.problem.given}
            values |= {
                each.stage.name: np.array([[float(x) for x in row] for row in each.hand]) for each in sheet.solution
            }
            scaled, biased = values["scaled"], values["biased"]
            shown = False
            for query in range(len(scaled)):
                seen, left = scaled[: query + 1, query], biased[: query + 1, query]
                shown |= len(set(seen)) <= query or set(np.flatnonzero(seen == max(seen))) != set(
                    np.flatnonzero(left == max(left))
                )
            assert shown, (level, seed)
    far_only = {**EXAMPLE, "given": {"scaled": [[0, 0, 0], [0, 5, 5], [0, 0, 9]], "V": [[1, 2, 3]]}}
    problem = attnhand.solve(far_only).problem
    assert find_missing_insight(problem) == insight.description
    assert find_missing_insight(attnhand.solve(EXAMPLE).problem) is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mechanism": "cross"}, "two rows of places, and no distance from one to the other"),
        ({"embed": True, "words": "the cat saw"}, "positions are said in one way"),
        ({"base": "none"}, "a mask makes scores −∞"),
        ({"begin_with": "Q,K,V", "query_count": 1}, "how far apart they are is not said"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do instead."""
    if "embed" in options:
        with pytest.raises(ProblemError, match=sentence):
            Variant(embedded_words=("the", "cat"), has_positions=True, has_distances=True)
        return
    with pytest.raises(AttnhandError, match=sentence):
        attnhand.generate(seed=7, positions="distance", **options)  # type: ignore[arg-type]


def test_fewer_queries_than_keys_have_no_distance() -> None:
    """Where queries and keys are given apart, and not as many, nothing says how far one is from the other."""
    given = {"Q": [[1], [0]], "K": [[1, 2, 0], [0, 1, 1]], "V": [[1, 2, 3]]}
    with pytest.raises(ProblemError, match="how far apart they are is not said"):
        attnhand.solve({"positions": "distance", "given": given})
    with pytest.raises(ProblemError, match="no scores left that could lose by their distance"):
        attnhand.solve({"positions": "distance", "given": {"masked": [[1, 2], [0, 1]], "V": [[1, 2]]}})


def test_the_mask_comes_by_itself() -> None:
    """With it said or not it is the same sheet, of one code; the JSON sheet says both."""
    sheet = attnhand.generate(seed=7, positions="distance")
    assert sheet.code == attnhand.generate(seed=7, positions="distance", causal=True).code
    assert sheet.problem.variant.is_causal
    data = json.loads(json.dumps(sheet.to_dict()))
    assert (data["mask"], data["positions"]) == ("causal", "distance")
    again = attnhand.solve(data)
    assert again.problem == sheet.problem
    assert decode_sheet_code(sheet.code).request == sheet.request


def test_words_that_are_looked_up_may_lose_by_distance_too() -> None:
    """A word that is said twice is told apart by how far away it is: no table of positions is needed."""
    sheet = attnhand.generate(seed=3, words="the cat saw the dog", embed=True, positions="distance")
    assert sheet.problem.variant.embedded_words
    assert not sheet.problem.variant.has_positions
    assert decode_sheet_code(sheet.code, ("the", "cat", "saw", "the", "dog")).request == sheet.request


@pytest.mark.parametrize(
    ("slip", "cells"),
    [
        ("distance-forgotten", [[0, 0, 0], [0, 0, 2], [0, 0, 0]]),
        ("distance-added", [[0, 1, 2], [-1, 0, 3], [-2, -1, 0]]),
        ("distance-unsigned", [[0, -1, -2], [-1, 0, 1], [-2, -1, 0]]),
    ],
)
def test_slips_are_known_by_their_numbers(slip: str, cells: list[list[int]]) -> None:
    """Forgotten, added, or without its sign: each is named on the worked example."""
    (diagnosis,) = attnhand.check({"biased": [list(map(str, row)) for row in cells]}, attnhand.solve(EXAMPLE)).diagnoses
    assert slip in diagnosis.slips


def test_a_slope_that_is_forgotten_is_known_in_the_second_head() -> None:
    """Head 1 loses the distance itself; in head 2 that is a slip, in head 1 right."""
    sheet = attnhand.generate(seed=3, mechanism="multi-head", positions="distance")
    scaled = sheet.solution["h2.scaled"].hand
    wrong = [[str(s - (q - k)) for q, s in enumerate(row)] for k, row in enumerate(scaled)]
    answers = {"h2.scaled": [list(map(str, row)) for row in scaled], "h2.biased": wrong}
    (diagnosis,) = attnhand.check(answers, sheet).diagnoses
    assert diagnosis.slips == ("slope-forgotten",)


def test_moved_on_nothing_changes() -> None:
    """One place later every distance is as before, so A and Z are too."""
    for seed in range(choose(3, 50)):
        sheet = attnhand.generate(seed=seed, positions="distance")
        (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "moved-on")
        assert asked.finding is not None
        assert asked.finding.answer == "nothing"


def test_the_try_takes_the_distance_back() -> None:
    """The share of the farthest token is that of the ordinary causal sheet with these numbers."""
    a_try, posed_count = next(each for each in TRIES if each.id == "distance"), 0
    for seed in range(choose(10, 100)):
        sheet = attnhand.generate(seed=seed, positions="distance")
        scene = Scene(solution=sheet.solution, asked_queries=tuple(range(4)))
        scaled = sheet.solution["scaled"].hand
        for parameters in a_try.list_parameters(scene):
            if not (posed := pose_try(scene, a_try, parameters)):
                continue
            posed_count += 1
            powers = [Fraction(3) ** int(row[parameters.query]) for row in scaled[: parameters.query + 1]]
            answers = {each.question.id: each.finding.answer for each in posed if each.finding}
            assert answers == {"try.distance.sum": sum(powers), "try.distance.far": powers[0] / sum(powers)}
    assert posed_count


def test_no_seed_is_refused() -> None:
    """At every level, in both conventions, as every sheet is drawn; one in rows is the one in columns, turned."""
    stream = random.Random("distance")
    for level in Level:
        for seed in stream.sample(range(10_000), choose(3, 200)):
            by_convention = [
                attnhand.generate(seed=seed, positions="distance", level=level.value, convention=each.value).problem
                for each in Convention
            ]
            columns, rows = by_convention
            assert {name: transpose(a) for name, a in rows.given} == dict(columns.given)
