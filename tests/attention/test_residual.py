"""Residuals and RMSNorm in the block: what is added, what is normalised, and where."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.settings import NormPlace
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.questions import QUESTIONS, TRIES
from attnhand.attention.slips import SLIPS
from attnhand.attention.solution import compute_stages, solve
from attnhand.errors import AttnhandError, KeyProofError
from attnhand.marking.checked import CheckResult
from attnhand.problems.insights import INSIGHTS
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.explain import explain
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode
from tests.breadth import choose, pair_up

RESIDUAL, NORM = {"residual": True}, {"norm": "rms"}
WHOLE: dict[str, dict[str, Any]] = {
    "residual": RESIDUAL,
    "norm": NORM,
    "before": RESIDUAL | NORM,
    "after": RESIDUAL | NORM | {"norm_place": "after"},
}
"""Options of every form of the block that is tried here."""


def generate(seed: int, **options: Any) -> attnhand.Worksheet:
    """Return a drawn block."""
    return attnhand.generate(seed=seed, mechanism="block", **options)


def make_pair(*, residual: bool = True, place: str = "before", second_relu: bool = False) -> dict[str, Any]:
    """Return a block over the tokens (1, 7) and (3, 4), whose attention and network give nothing."""
    zero = [[0, 0], [0, 0]]
    given = {"X": [[1, 3], [7, 4]], "W_Q": zero, "W_K": zero, "W_V": zero, "W_1": zero, "b_1": [0, 0]}
    given |= {"W_2": zero, "b_2": [0, 0], **({"W_O": zero} if residual else {})}
    settings = {"residual": residual, "norm": "rms", "norm_place": place, "second_relu": second_relu}
    return {"mechanism": "block", **settings, "given": given}


@pytest.mark.parametrize("convention", Convention)
def test_a_worked_example(convention: Convention) -> None:
    """(1, 7) has 25 for the mean of its squares, 5 for its root, and becomes 0 1; exactly 0.2 1.4."""
    problem = attnhand.solve(make_pair()).problem
    solution = prove(solve(problem if convention is Convention.COLUMNS else problem.transpose()))

    def read(name: str) -> list[tuple[Any, ...]]:
        hand = solution[name].hand
        return list(transpose(hand) if convention is Convention.COLUMNS else hand)

    assert read("squares1") == [(25,), (Fraction(25, 2),)]
    assert read("r1") == [(5,), (4,)]
    assert read("N1") == [(0, 1), (1, 1)]
    exact = np.array(solution["N1"].exact)
    first = exact[:, 0] if convention is Convention.COLUMNS else exact[0]
    np.testing.assert_allclose(first, [0.2, 1.4], rtol=1e-15)


def test_what_stays_when_attention_adds_nothing() -> None:
    """Of a block whose layers give 0 it is X; without the residual nothing would be left."""
    sheet = attnhand.solve(make_pair())
    assert sheet.solution["R1"].hand == sheet.solution["R2"].hand == ((1, 3), (7, 4))
    assert set(sum(sheet.solution["output"].hand, ())) == {0}


def round_half_away(value: Fraction) -> int:
    """Return the nearest whole number by trying."""
    size = 0
    while Fraction(2 * size + 1, 2) <= abs(value):
        size += 1
    return -size if value < 0 else size


def normalise(tokens: Sequence[Sequence[Fraction | int]]) -> list[list[int]]:
    """Return tokens, one a list, over the roots of the means of their squares, all to the nearest whole number."""
    normed = []
    for token in tokens:
        mean = Fraction(sum(Fraction(value) ** 2 for value in token)) / len(token)
        root = 1
        while (2 * root + 1) ** 2 <= 4 * mean:
            root += 1
        normed.append([round_half_away(Fraction(value) / root) for value in token])
    return normed


def add(one: Any, other: Any) -> list[list[Fraction]]:
    """Return the sums of two matrices, or of two lists of tokens."""
    return [[Fraction(a) + Fraction(b) for a, b in zip(*pair, strict=True)] for pair in zip(one, other, strict=True)]


def take(values: Mapping[str, Matrix], name: str) -> list[list[Any]]:
    """Return a matrix as one list a token, tokens as columns."""
    return [list(token) for token in zip(*values[name], strict=True)]


@pytest.mark.parametrize("form", WHOLE)
@pytest.mark.parametrize("heads", [1, 2])
def test_every_block_is_what_loops_make_of_it(form: str, heads: int) -> None:
    """Sums and norms of drawn sheets, worked token by token from what stands before them."""
    options = WHOLE[form]
    for seed in range(choose(3, 100)):
        problem = generate(seed, heads=heads, **options).problem
        values = dict(problem.given) | compute_stages(problem, problem.hand_arithmetic)
        after_attention = "output" if "output" in values else "Z"
        stream = take(values, "X")
        if form in ("norm", "before"):
            assert take(values, "N1") == normalise(stream), seed
        given = take(values, after_attention)
        if form != "norm":
            stream = [
                [round_half_away(Fraction(a) + b) for a, b in zip(*pair, strict=True)]
                for pair in zip(stream, given, strict=True)
            ]
            assert take(values, "R1") == stream, seed
        if form == "after":
            stream = [*map(list, normalise(stream))]
            assert take(values, "N1") == stream, seed
        if form in ("norm", "before"):
            assert take(values, "N2") == normalise(stream if form == "before" else given), seed
        if form != "norm":
            end = [
                [round_half_away(Fraction(a) + b) for a, b in zip(*pair, strict=True)]
                for pair in zip(stream, take(values, "F2"), strict=True)
            ]
            assert take(values, "R2") == end, seed
            if form == "after":
                assert take(values, "N2") == normalise(end), seed


@pytest.mark.parametrize("form", WHOLE)
@pytest.mark.parametrize("level", Level)
def test_sheets_are_drawn_and_show_what_they_are_for(form: str, level: Level) -> None:
    """Rounding changes a number, some token gets shorter by a root of at most 10, and none is 0."""
    for seed in range(choose(2, 60)):
        sheet = generate(seed, level=level.value, **WHOLE[form])
        values = dict(sheet.problem.given) | {each.stage.name: each.hand for each in sheet.solution}
        if "R1" in values:
            assert any(value.denominator > 1 for row in add(values["X"], values["output"]) for value in row)
            assert all(any(token) for name in ("R1", "R2") for token in take(values, name))
        for number in "12" if "N1" in values else "":
            (roots,) = values[f"r{number}"]
            assert 1 < max(roots) <= 10
            assert all(any(token) for token in take(values, f"N{number}"))


def test_what_they_are_for_rejects_something() -> None:
    """Sums that are whole already, and tokens whose root is 1, or 11, are no sheet to draw."""
    residual, norm = (
        each for each in INSIGHTS if each.concerns(Variant(mechanism="block", has_residual=True, norm="rms"))
    )
    problem = attnhand.solve(make_pair()).problem
    values = dict(problem.given) | compute_stages(problem, problem.hand_arithmetic)
    assert not residual.happens(problem, values)
    assert norm.happens(problem, values)
    for X in (((1, 1), (1, 0)), ((15, 3), (1, 4))):
        given = tuple((name, X if name == "X" else a) for name, a in problem.given)
        other = Problem(variant=problem.variant, given=given)
        worked = dict(other.given) | compute_stages(other, other.hand_arithmetic)
        assert not norm.happens(other, worked)


# what is the same whatever the numbers


def test_twice_as_long_a_token_is_normalised_to_the_same() -> None:
    """Exactly; so it is three times as long, and with the other sign it is the opposite."""
    plain = attnhand.solve(make_pair(), rules="exact")
    for factor in (2, 3, -1):
        data = make_pair()
        data["given"]["X"] = [[factor * 1, 3], [factor * 7, 4]]
        scaled = attnhand.solve(data, rules="exact")
        expected = np.array(plain.solution["N1"].exact)
        expected[:, 0] *= math.copysign(1, factor)
        np.testing.assert_allclose(np.array(scaled.solution["N1"].exact), expected, rtol=1e-14)


@pytest.mark.parametrize("place", ["before", "after"])
def test_exactly_it_is_what_numpy_makes_of_it(place: str) -> None:
    """In one go: x / √mean(x²), attention, sums; by exact rules as beside the hand's."""
    for seed in range(choose(3, 50)):
        sheet = generate(seed, residual=True, norm="rms", norm_place=place)
        given = {name: np.array(a, dtype=float) for name, a in sheet.problem.given}

        def norm(x: np.ndarray) -> np.ndarray:
            return np.asarray(x / np.sqrt((x**2).mean(axis=0)))

        def attend(x: np.ndarray, given: dict[str, np.ndarray] = given) -> np.ndarray:
            Q, K, V = (given[f"W_{name}"] @ x for name in "QKV")
            powers = np.exp(K.T @ Q / math.sqrt(len(Q)))
            return np.asarray(given["W_O"] @ V @ (powers / powers.sum(axis=0)))

        def think(x: np.ndarray, given: dict[str, np.ndarray] = given) -> np.ndarray:
            return np.asarray(given["W_2"] @ np.maximum(given["W_1"] @ x + given["b_1"], 0) + given["b_2"])

        X = given["X"]
        if place == "before":
            middle = X + attend(norm(X))
            end = middle + think(norm(middle))
        else:
            middle = norm(X + attend(X))
            end = norm(middle + think(middle))
        last = sheet.solution.stages[-1]
        np.testing.assert_allclose(np.array(last.exact), end, rtol=1e-10, atol=1e-10)
        exact = generate(seed, residual=True, norm="rms", norm_place=place, rules="exact")
        assert [name for name, _ in exact.problem.given] == [name for name, _ in sheet.problem.given]
        prove(exact.solution)


def test_a_wrong_key_is_not_printed() -> None:
    """A sum, a root or a quotient rounded the other way is found by the proof."""
    sheet = generate(7, residual=True, norm="rms")
    for name in ("R1", "r1", "N2"):
        wrong = [list(row) for row in sheet.solution[name].hand]
        wrong[0][0] += 1
        spoilt = solve(sheet.problem, replacements={name: tuple(map(tuple, wrong))})
        with pytest.raises(KeyProofError, match=f"^{name} "):
            prove(spoilt)


# refusals


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"residual": True}, 'which `residual=True` is about: leave it out, or use `mechanism="block"`'),
        ({"norm": "rms", "mechanism": "multi-head"}, "multi-head attention has no layers one after the other"),
        (
            {"norm_place": "after", "mechanism": "block"},
            'says where a norm stands, and there is none: add `norm="rms"`',
        ),
        ({"norm": "rms", "norm_place": "after", "mechanism": "block"}, "here nothing is added: add `residual=True`"),
        ({"norm": "layer", "mechanism": "block"}, "rms"),
        ({"norm": "rms", "base": "e", "mechanism": "block"}, 'add `rules="exact"`, or leave out `base="e"`'),
        ({"norm": "rms", "norm_place": "between", "mechanism": "block"}, "before"),
        ({"norm": "rms", "mechanism": "block", "base": "none"}, 'leave out `base="none"`'),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], sentence: str) -> None:
    """In a sentence that says what to do instead."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, **options)
    assert sentence in str(refusal.value)


def test_a_second_relu_is_said_in_a_file_alone() -> None:
    """As the published spreadsheet has it; another mechanism has no first one."""
    data = make_pair()
    assert "relu2" not in {each.stage.name for each in attnhand.solve(data).solution}
    both = attnhand.solve(data | {"second_relu": True})
    assert "relu2" in {each.stage.name for each in both.solution}
    assert json.loads(format_problem(both.problem))["second_relu"] is True
    with pytest.raises(AttnhandError, match="has no layers one after the other"):
        attnhand.solve(
            {"second_relu": True, "given": {name: data["given"][name] for name in ("X", "W_Q", "W_K", "W_V")}}
        )
    with pytest.raises(AttnhandError, match='"second_relu" is 1: write true, or leave it out'):
        attnhand.solve(data | {"second_relu": 1})


def test_a_token_of_zeros_is_normalised_by_hand_and_refused_exactly() -> None:
    """By hand its root counts as 1; exactly nothing can be divided by 0."""
    data = make_pair()
    data["given"]["X"] = [[0, 3], [0, 4]]
    with pytest.raises(AttnhandError, match="token 1"):
        attnhand.solve(data)


# files and codes


@pytest.mark.parametrize("form", WHOLE)
@pytest.mark.parametrize("convention", Convention)
def test_from_file_to_sheet_to_file_and_from_code_to_the_same_sheet(form: str, convention: Convention) -> None:
    """All that an option says stands in the file, in the JSON sheet and in the code."""
    sheet = generate(11, convention=convention.value, heads=2, causal=True, **WHOLE[form])
    text = format_problem(sheet.problem)
    assert {key: value for key, value in json.loads(text).items() if key in WHOLE[form]} == WHOLE[form]
    assert parse_problem(text, source="own.json") == sheet.problem
    assert attnhand.solve(json.loads(sheet.json())).problem == sheet.problem
    assert attnhand.key(sheet.code).problem == sheet.problem
    assert decode_sheet_code(sheet.code).request == sheet.request


def test_before_is_what_is_meant_where_nothing_is_said() -> None:
    """One sheet has one code, however it was asked for."""
    said, unsaid = (generate(7, norm="rms", **more) for more in ({"norm_place": "before"}, {}))
    assert said.code == unsaid.code
    assert said.problem.variant.norm_place is None
    assert generate(7, residual=True, norm="rms", norm_place="after").problem.variant.norm_place is NormPlace.AFTER


def test_what_a_block_may_have_beside() -> None:
    """A mask, padding, rows, words with positions, shared keys, another base, exact rules, queries to begin with."""
    words = "the cat saw the dog"
    beside: tuple[dict[str, Any], ...] = (
        {"causal": True, "window": 2},
        {"padding": "2"},
        {"words": words, "embed": True},
        {"words": words, "positions": True, "causal": True},
        {"positions": "rotary"},
        {"heads": 2, "kv_heads": 1},
        {"base": "2"},
        {"scale": "sqrt"},
        {"rules": "exact"},
        {"subtract_max": True},
        {"begin_with": "Q,K,V"},
    )
    for more, form in product(beside, ("residual", "before", "after")):
        prove(generate(5, **WHOLE[form], **more).solution)
    for more, form in pair_up(beside, ("residual", "before", "after")):
        assert generate(5, **WHOLE[form], **more).pdf().startswith(b"%PDF"), (form, more)


# slips, questions, tries


def hand_in(sheet: Sheet, **changed: Matrix) -> CheckResult:
    """Mark a sheet of which some stages are other than the key, and the rest follows from them."""
    worked = solve(sheet.problem, replacements=changed)
    return attnhand.check({each.stage.name: [list(map(str, row)) for row in each.hand] for each in worked}, sheet)


def test_slips_are_named() -> None:
    """Each is worked here once more, handed in, known by its name, and what follows counts."""
    for seed in range(choose(3, 30)):
        sheet = generate(seed, residual=True, norm="rms")
        values = dict(sheet.problem.given) | {each.stage.name: each.hand for each in sheet.solution}
        X, output = np.array(values["X"], dtype=object), np.array(values["output"], dtype=object)
        (means,), (roots,) = values["squares1"], values["r1"]
        quotients = [[Fraction(value) / Fraction(roots[at]) for at, value in enumerate(row)] for row in values["X"]]
        largest = [max(map(abs, token)) for token in take(values, "X")]
        ways: dict[str, tuple[str, Any]] = {
            "residual-forgotten": ("R1", [[round_half_away(Fraction(value)) for value in row] for row in output]),
            "sum-rounded-down": ("R1", [[math.floor(value) for value in row] for row in X + output]),
            "sum-for-mean": ("squares1", [[value * len(X) for value in means]]),
            "root-forgotten": ("r1", [means]),
            "quotient-rounded-down": ("N1", [[math.floor(value) for value in row] for row in quotients]),
            "over-largest-number": (
                "N1",
                [
                    [round_half_away(Fraction(value) / Fraction(largest[at])) for at, value in enumerate(row)]
                    for row in values["X"]
                ],
            ),
        }
        for slip, (name, rows) in ways.items():
            wrong: Matrix = tuple(map(tuple, rows))
            if wrong == values[name]:
                continue
            marks = hand_in(sheet, **{name: wrong})
            assert slip in {each for diagnosis in marks.diagnoses for each in diagnosis.slips}, (seed, slip)
            later = [cell for cell in marks.marks.cells if cell.stage not in (name, "X")]
            assert {cell.mark.value for cell in later} <= {"follows", "correct"}, (seed, slip)


def test_slips_can_be_planted() -> None:
    """Where they happen, and nowhere else."""
    ids = ("residual-forgotten", "sum-rounded-down", "sum-for-mean", "root-forgotten", "over-largest-number")
    assert {*ids, "quotient-rounded-down"} <= {slip.id for slip in SLIPS}
    for slip in ids:
        sheet = generate(7, residual=True, norm="rms", options=attnhand.PageOptions(mistake=slip))
        assert sheet.planted_mistake is not None
        assert sheet.planted_mistake.slip_id == slip


def round_root(square: Fraction) -> int:
    """Return the nearest whole number to a root, 1 at least: the largest whose half step below is not above it."""
    return max(1, max(n for n in range(100) if n == 0 or (Fraction(2 * n - 1, 2)) ** 2 <= square))


def test_questions_and_their_answers() -> None:
    """When attention adds nothing, X is left; twice as long a token is normalised to the same."""
    by_id = {question.id: question for question in QUESTIONS}
    for place in ("before", "after"):
        answers: dict[str, set[object]] = {"no-output": set(), "double-token": set()}
        for seed in range(choose(4, 40)):
            sheet = generate(seed, residual=True, norm="rms", norm_place=place)
            for name, found in answers.items():
                for parameters in by_id[name].list_parameters(sheet.scene):
                    finding = by_id[name].find_answer(sheet.scene, parameters)
                    found |= {finding.answer} if finding else set()
                    if name == "double-token" and place == "before":  # the reason holds by hand, or it is not asked
                        squares = [Fraction(row[parameters.token]) ** 2 for row in sheet.problem["X"]]
                        roots = [round_root(sum(squares, Fraction(0)) * factor / len(squares)) for factor in (1, 4)]
                        assert bool(finding) is (roots[1] == 2 * roots[0])
        assert answers == {"no-output": {"as-in-X"}, "double-token": {"no"}}
    asked = {posed.question.id for seed in range(6) for posed in generate(seed, **WHOLE["before"]).posed_questions}
    assert asked & {"no-output", "double-token"}


def test_a_question_calls_a_long_token_as_the_sheet_does() -> None:
    """Of a block x₁, which is given; of what is read out t₁, as R₂ has it: there is no x on that sheet."""
    for options, asked in (
        (WHOLE["before"] | {"mechanism": "block"}, "x([₁-₉]) were twice as long, .* Would n([₁-₉]) change"),
        (NORM | {"mechanism": "next-token"}, "t(₁) were twice as long, .* Would h(₁) change"),
    ):
        asking = [posed for seed in range(30) for posed in build_questions(attnhand.generate(seed, **options))]
        texts = [to_unicode(posed.text) for posed in asking if "twice as long" in to_unicode(posed.text)]
        found = [re.search(asked, text) for text in texts]
        assert found
        assert all(match and match[1] == match[2] for match in found), texts


def test_a_try_leaves_out_what_is_added() -> None:
    """What is left of a sum, and what X had added to it."""
    (residual,) = (each for each in TRIES if each.id == "residual")
    for seed in range(choose(3, 30)):
        sheet = generate(seed, residual=True)
        values = dict(sheet.problem.given) | {each.stage.name: each.hand for each in sheet.solution}
        count = 0
        for parameters in residual.list_parameters(sheet.scene):
            without, kept = (residual.cells[name].find_answer(sheet.scene, parameters) for name in ("without", "kept"))
            assert without is not None
            assert kept is not None
            place = parameters.token, parameters.query
            expected = round_half_away(Fraction(values["output"][place[0]][place[1]]))
            assert (without.answer, kept.answer) == (expected, values["R1"][place[0]][place[1]] - expected)
            count += 1
        assert count == len(values["X"]) * len(values["X"][0])


def test_a_cell_is_explained_with_its_rounding() -> None:
    """⌊ ⌉ stands for the nearest whole number; a root that would be less than 1 is raised to it."""
    sheet = attnhand.solve(make_pair())
    assert explain(sheet, "squares1[1,1]").by_hand[-1] == "(1·1 + 7·7) ÷ 2 = 25"
    assert explain(sheet, "r1[1,1]").by_hand[-1] == "⌊√(25)⌉ = 5"
    assert explain(sheet, "N1[2,1]").by_hand[-1] == "⌊7 ÷ 5⌉ = 1"
    data = make_pair()
    data["given"]["X"] = [["1/4", 3], [0, 4]]
    assert explain(attnhand.solve(data), "r1[1,1]").by_hand[-1].startswith("max(1, ⌊√(1/32)⌉) = 1")
