"""Queries and keys turned by their places: a quarter turn a place, worked by hand, or by radians as in models."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import format_decimal
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.formats.xlsx.excel_formulas import ExcelPrinter
from attnhand.marking.checked import CheckResult
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.sheet_code import compute_fingerprint
from attnhand.sheet.explain import explain
from attnhand.sheet.hints import build_hints
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, get_language
from tests.breadth import choose

QUERIES, KEYS = [(2, 1), (1, 0), (2, 1), (1, 2)], [(1, 2), (2, 0), (1, 2), (0, 1)]


def make_example(*, is_rotary: bool) -> Problem:
    """Return attention whose queries and keys are these."""
    X = transpose(tuple((*query, *key) for query, key in zip(QUERIES, KEYS, strict=True)))
    return Problem(
        variant=Variant(is_rotary=is_rotary),
        given=(
            ("X", X),
            ("W_Q", ((1, 0, 0, 0), (0, 1, 0, 0))),
            ("W_K", ((0, 0, 1, 0), (0, 0, 0, 1))),
            ("W_V", ((1, 0, 0, 0),)),
        ),
    )


@pytest.mark.parametrize("convention", Convention)
def test_a_worked_example(convention: Convention) -> None:
    """(a, b) becomes (−b, a), (−a, −b), (b, −a); the third key's scores of 4 and 4 become −4 and 4."""
    plain, turned = (
        solve(problem if convention is Convention.COLUMNS else problem.transpose())
        for problem in (make_example(is_rotary=False), make_example(is_rotary=True))
    )

    def read(matrix: Matrix) -> Matrix:
        return matrix if convention is Convention.COLUMNS else transpose(matrix)

    assert transpose(read(turned["Q_turned"].hand)) == ((2, 1), (0, 1), (-2, -1), (2, -1))
    assert transpose(read(turned["K_turned"].hand)) == ((1, 2), (0, 2), (-1, -2), (1, 0))
    assert [read(plain["S"].hand)[2][query] for query in (0, 2)] == [4, 4]
    assert [read(turned["S"].hand)[2][query] for query in (0, 2)] == [-4, 4]


def test_only_distances_count() -> None:
    """A row of equal tokens: each score depends on how far apart the two stand, and comes again four places on."""
    X = tuple((number,) * 6 for number in (1, 2, 3, 1))
    problem = Problem(
        variant=Variant(is_rotary=True),
        given=(
            ("X", X),
            ("W_Q", ((1, 0, 0, 0), (0, 1, 0, 0))),
            ("W_K", ((0, 0, 1, 0), (0, 0, 0, 1))),
            ("W_V", ((1, 0, 0, 0),)),
        ),
    )
    S = solve(problem)["S"].hand
    by_distance: dict[int, set[object]] = {}
    for key, row in enumerate(S):
        for query, score in enumerate(row):
            by_distance.setdefault((key - query) % 4, set()).add(score)
    assert {distance: len(scores) for distance, scores in by_distance.items()} == {0: 1, 1: 1, 2: 1, 3: 1}
    assert by_distance[0] == {1 * 3 + 2 * 1}


def hand_in(sheet: Sheet, **changed: Matrix) -> CheckResult:
    """Mark a sheet of which some stages are other than the key, and the rest follows from them."""
    worked = solve(sheet.problem, replacements=changed)
    return attnhand.check({each.stage.name: [list(map(str, row)) for row in each.hand] for each in worked}, sheet)


def test_slips_are_named() -> None:
    """Not turned, turned the other way, a quarter too far: each is known, and what follows counts."""
    for seed in range(choose(3, 30)):
        sheet = attnhand.generate(seed=seed, positions="rotary")
        Q = sheet.solution["Q"].hand
        turned = [*zip(*Q, strict=True)]

        def turn(quarters: int, vector: tuple[object, ...]) -> tuple[object, ...]:
            pairs = [*zip(vector[::2], vector[1::2], strict=True)]
            for _ in range(quarters % 4):
                pairs = [(-b, a) for a, b in pairs]  # type: ignore[operator]
            return tuple(number for pair in pairs for number in pair)

        ways = {
            "turn-forgotten": [turn(0, each) for each in turned],
            "turn-other-way": [turn(-place, each) for place, each in enumerate(turned)],
            "turn-from-one": [turn(place + 1, each) for place, each in enumerate(turned)],
        }
        for slip, vectors in ways.items():
            wrong: Matrix = tuple(zip(*vectors, strict=True))
            marks = hand_in(sheet, Q_turned=wrong)
            assert [diagnosis.slips for diagnosis in marks.diagnoses] == [(slip,)], seed
            assert {cell.mark.value for cell in marks.marks.cells if cell.stage == "S"} <= {"follows", "correct"}


def test_a_cell_is_explained_by_its_pair() -> None:
    """It names the cell that it comes from, and what becomes of the pair."""
    sheet = attnhand.generate(seed=7, positions="rotary")
    source = sheet.solution["K"].hand[1][1]
    lines = explain(sheet, "K'12").by_hand
    assert lines[-1] == f"token 2: (a, b) becomes (−b, a), so K[2,2] gives {-source}".replace("-", "−")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"positions": "rotary", "d_k": 3}, "`d_k=3` is odd, and rotary positions turn numbers in pairs: use `d_k=4`"),
        ({"positions": "rotary", "mechanism": "cross"}, 'leave out `positions="rotary"`'),
        ({"positions": "rotary", "mechanism": "basic"}, "has no queries and keys of its own to turn"),
        ({"positions": "round"}, "sinusoidal, rotary or distance"),
    ],
)
def test_what_cannot_be_turned_is_refused(options: dict[str, object], sentence: str) -> None:
    """In a sentence that says what can."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


def test_moving_all_tokens_changes_nothing() -> None:
    """The question is asked, and its answer is worked out, not written down."""
    sheet = attnhand.generate(seed=7, positions="rotary")
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "moved-on")
    assert asked.finding is not None
    assert asked.finding.answer == "nothing"


# by radians, as in models

PAIR = {"X": [[2, 1, 2, 1], [1, 0, 1, 2], [1, 2, 1, 0], [2, 0, 2, 1]], "W_V": [[1, 0, 0, 1]]}
RADIANS = {
    "positions": {"rotary": "radians"},
    "rules": {"scale": "sqrt", "base": "e"},
    "given": {**PAIR, "W_Q": [[1, 0, 0, 0], [0, 1, 0, 0]], "W_K": [[0, 0, 1, 0], [0, 0, 0, 1]]},
}
"""The queries and keys of the worked example above."""


def read_floats(sheet: attnhand.Worksheet, name: str) -> np.ndarray:
    """Return a stage as worked, tokens as columns, after seeing that both ways are the same."""
    solved = sheet.solution[name]
    hand = np.array([[float(value) for value in row] for row in solved.hand])
    np.testing.assert_allclose(hand, np.array(solved.exact), rtol=1e-12, atol=1e-12)
    return hand.T if sheet.convention.is_rows else hand


def solve_radians(d_k: int, convention: str = "columns", tokens: int = 5) -> attnhand.Worksheet:
    """Return a sheet whose tokens are all alike: every query and key is 1 0 1 0 … before it is turned."""
    eye = [[int(i == j and i % 2 == 0) for j in range(d_k)] for i in range(d_k)]
    X = [[1] * tokens for _ in range(d_k)]
    given = {"X": X if convention == "columns" else list(zip(*X, strict=True)), "W_Q": eye, "W_K": eye, "W_V": eye}
    return attnhand.solve({**RADIANS, "convention": convention, "given": given})


def test_one_pair_is_turned_by_a_radian_a_place() -> None:
    """By hand, from the table: (2, 1) by 2 radians is (2·cos 2 − sin 2, 2·sin 2 + cos 2); the first token stays."""
    sheet = attnhand.solve(RADIANS)
    assert [row[0] for row in sheet.solution["Q_turned"].hand] == [2, 1]
    cos_2, sin_2 = -0.4161468365471424, 0.9092974268256817
    expected = [[2 * cos_2 - sin_2, 2 * sin_2 + cos_2], [cos_2 - 2 * sin_2, sin_2 + 2 * cos_2]]
    for name, numbers in zip(("Q_turned", "K_turned"), expected, strict=True):
        np.testing.assert_allclose(read_floats(sheet, name)[:, 2], numbers, rtol=1e-15)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("d_k", [2, 4, 6, 8])
def test_scores_depend_on_the_distance_alone(d_k: int, convention: Convention) -> None:
    """Of equal tokens each is cos d + cos d/10000^(2/d_k) + …: at distance 4 of one pair −0.65 and not 1."""
    S = read_floats(solve_radians(d_k, convention.value), "S")
    by_distance = [sum(math.cos(d * math.pow(10_000, -2 * i / d_k)) for i in range(d_k // 2)) for d in range(5)]
    np.testing.assert_allclose(S, [[by_distance[abs(k - q)] for q in range(5)] for k in range(5)], atol=1e-14)
    if d_k == 2:
        assert format_decimal(S[4][0], 2) == "-0.65"


def test_what_models_do_comes_out() -> None:
    """Two pairs, other tokens: as RoFormer's equation 34 has it, with cosines and sines in long vectors."""
    draw = np.random.default_rng(1)
    X, W_Q, W_K = (draw.integers(-2, 3, size) for size in ((5, 4), (4, 5), (4, 5)))
    given = {"X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(), "W_V": W_Q.tolist()}
    sheet = attnhand.solve({**RADIANS, "given": given})
    angles = np.outer(np.array([1, 1, 0.01, 0.01]), np.arange(4))

    def rotate(a: np.ndarray) -> np.ndarray:
        swapped = np.stack((-a[1], a[0], -a[3], a[2]))
        return np.asarray(a * np.cos(angles) + swapped * np.sin(angles))

    Q, K = rotate(W_Q @ X), rotate(W_K @ X)
    np.testing.assert_allclose(read_floats(sheet, "Q_turned"), Q, atol=1e-14)
    np.testing.assert_allclose(read_floats(sheet, "K_turned"), K, atol=1e-14)
    powers = np.exp(K.T @ Q / 2)
    np.testing.assert_allclose(read_floats(sheet, "Z"), W_Q @ X @ (powers / powers.sum(axis=0)), atol=1e-13)


def test_a_file_says_radians_and_a_sheet_says_it_back() -> None:
    """From the file to the JSON sheet and to a file again; quarters are today's rule, and of another code."""
    sheet = attnhand.solve(RADIANS)
    again = attnhand.solve(json.loads(sheet.json()))
    assert again.problem == sheet.problem
    text = format_problem(sheet.problem)
    assert json.loads(text)["positions"] == {"rotary": "radians"}
    assert parse_problem(text, source="again.json") == sheet.problem
    by_name, by_angle = (
        attnhand.solve({**RADIANS, "positions": positions}).problem for positions in ("rotary", {"rotary": "quarters"})
    )
    assert by_name == by_angle != sheet.problem
    assert len({compute_fingerprint(format_problem(problem)) for problem in (by_name, by_angle, sheet.problem)}) == 2
    toml = 'positions = {rotary = "radians"}\n[rules]\nscale = "sqrt"\nbase = "e"\n[given]\n' + "".join(
        f"{name} = {json.dumps(a)}\n"
        for name, a in RADIANS["given"].items()  # type: ignore[attr-defined]
    )
    assert parse_problem(toml, source="own.toml") == sheet.problem


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rules": {}}, 'write "rules": {"scale": "sqrt", "base": "e"}, or add `rules="exact"`'),
        ({"rules": {"base": "e"}}, "can neither round down nor keep in fractions"),
        ({"rules": {"scale": "sqrt"}}, "can neither round down nor keep in fractions"),
        ({"positions": {"rotary": "degrees"}}, 'write {"rotary": "radians"} or {"rotary": "quarters"}'),
        ({"positions": {"rotary": "radians", "by": 2}}, "names no known turn"),
        ({"positions": {}}, "names no known turn"),
        ({"positions": "rotary-2"}, '"positions" is \'rotary-2\': write "sinusoidal" or "rotary"'),
        ({"positions": 3}, '"positions" is 3: write "sinusoidal" or "rotary"'),
        ({"mechanism": "basic", "given": {"X": [[1, 2], [3, 4]]}}, 'leave out `positions="rotary"`'),
        ({"given": {**PAIR, "W_Q": [[1, 0, 0, 0]], "W_K": [[1, 0, 0, 0]]}}, "an even number of them"),
    ],
)
def test_what_cannot_be_turned_by_radians_is_refused(changed: Mapping[str, object], sentence: str) -> None:
    """Shortcuts, angles that nobody knows and odd vectors: each says what to write."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.solve({**RADIANS, **changed})
    assert sentence in str(refusal.value)


def test_exact_rules_may_come_from_the_option() -> None:
    """A file without rules is worked by those that are asked for."""
    asked = {name: value for name, value in RADIANS.items() if name != "rules"}
    assert attnhand.solve(asked, rules="exact").problem == attnhand.solve(RADIANS).problem
    by_keywords = attnhand.solve(**asked["given"], positions=asked["positions"], rules="exact")  # type: ignore[arg-type]
    assert by_keywords.problem.rules == EXACT
    without = attnhand.solve({**RADIANS, "rules": {"scale": "none", "base": "e"}})
    np.testing.assert_allclose(read_floats(without.key, "Q_turned"), read_floats(attnhand.solve(RADIANS), "Q_turned"))


def round_all(sheet: Sheet, **changed: Matrix) -> dict[str, list[list[str]]]:
    """Return all answers to two decimals, from some stages on other than the key."""
    worked = solve(sheet.problem, replacements=changed)
    return {each.stage.name: [[format_decimal(x, 2) for x in row] for row in each.hand] for each in worked}


def test_work_to_two_decimals_is_marked_and_slips_are_named() -> None:
    """All right; not turned, turned back, a place too far; and one wrong cell, from which the rest follows."""
    sheet = attnhand.solve(RADIANS)
    right = attnhand.check(round_all(sheet), sheet)
    assert {cell.mark.value for cell in right.marks.cells} == {"correct"}
    pairs = [complex(2, 1), complex(1, 0), complex(2, 1), complex(1, 2)]
    ways = {
        "turn-forgotten": pairs,
        "turn-other-way": [pair * np.exp(-1j * place) for place, pair in enumerate(pairs)],
        "turn-from-one": [pair * np.exp(1j * (place + 1)) for place, pair in enumerate(pairs)],
    }
    for slip, turned in ways.items():
        wrong = tuple(tuple(Decimal(getattr(each, part)) for each in turned) for part in ("real", "imag"))
        marks = attnhand.check(round_all(sheet, Q_turned=wrong), sheet)
        assert [diagnosis.slips for diagnosis in marks.diagnoses] == [(slip,)]
        assert {cell.mark.value for cell in marks.marks.cells if cell.stage == "S"} <= {"follows", "correct"}
    (first, second), hand = sheet.solution["K_turned"].hand, sheet.solution["K_turned"].hand
    spoilt = (first, (*second[:3], second[3] + 1))
    marks = attnhand.check(round_all(sheet, K_turned=spoilt), sheet)
    wrong_cells = [(cell.stage, cell.row, cell.column) for cell in marks.marks.cells if cell.mark.value == "wrong"]
    assert wrong_cells == [("K_turned", 1, 3)], hand


def test_a_turned_cell_is_explained_by_its_angle() -> None:
    """With both numbers of its pair; of the first token one number, which stays."""
    sheet = attnhand.solve(RADIANS)
    assert explain(sheet, "K'13").by_hand == (
        "K[1,3] = 1",
        "K[2,3] = 2",
        "token 3: θ = 2, cos θ = −0.4161, sin θ = 0.9093, so (−0.4161)·1 − 0.9093·2 = −2.23",
    )
    assert explain(sheet, "K'21").by_hand[-1] == "token 1: θ = 0, cos θ = 1, sin θ = 0, so 1·2 = 2"
    wide = solve_radians(4)
    assert (
        explain(wide, "Q'33").by_hand[-1]
        == "token 3: θ = 0.02, cos θ = 0.9998, sin θ = 0.02, so 0.9998·1 − 0.02·0 = 1.00"
    )
    stage = sheet.problem.mechanism.get_stage("K_turned")
    hints = build_hints(sheet, stage, 1, 2, lambda name, i, j: str(sheet.solution[name].hand[i][j]))
    assert (
        hints.steps == "With θ = 2, (a, b) becomes (a cos θ − b sin θ, a sin θ + b cos θ): 0.9093·1 + (−0.4161)·2 = ?"
    )


def test_moving_all_tokens_changes_nothing_by_radians_either() -> None:
    """The question is asked, worked out, and its reason speaks of a step."""
    (asked,) = (posed for posed in attnhand.solve(RADIANS).posed_questions if posed.question.id == "moved-on")
    assert asked.finding is not None
    assert (asked.finding.answer, asked.finding.reason) == ("nothing", "radians")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_by_which_angles(language: str) -> None:
    """The note gives the formula and the steps of both pairs, and speaks of no quarter turn."""
    page = solve_radians(4).in_language(language).blank
    text = page.markdown().replace("\N{NO-BREAK SPACE}", " ")
    sine = r"\operatorname{sen}" if language in ("es", "pt") else r"\sin"
    spoken = get_language(language)
    assert rf"$(a\ \cos \theta - b\ {sine} \theta, a\ {sine} \theta + b\ \cos \theta)$" in text
    rates = spoken.list_of(["1", spoken.localize("0.01")], "numbers").replace("\N{NO-BREAK SPACE}", " ")
    assert f" {rates} (" in text
    assert "(-b" not in text


def test_a_spreadsheet_works_it_with_numbers() -> None:
    """Sines and cosines stand in its formulas as numbers, to a float's digits."""
    sheet = attnhand.solve(RADIANS)
    stage, values = sheet.problem.mechanism.get_stage("Q_turned"), sheet.solution.collect_hand_values()
    printer = ExcelPrinter(lambda cell: f"{cell[0]}{cell[1]}{cell[2]}", sheet.problem.hand_arithmetic)
    written = printer.print_cell(stage, values, 0, 1)
    assert written == f"{math.cos(1)!r}*Q01-{math.sin(1)!r}*Q11"
    assert printer.print_cell(stage, values, 1, 0) == "Q10"


def test_every_format_writes_it_or_says_why_not() -> None:
    """Exact numbers alone are asked by STACK and by a notebook, which refuse it by what makes them irrational."""
    sheet = attnhand.solve(RADIANS)
    refused = set()
    for name in {*FORMATS, "moodle", "stack", "notebook", "scorm"}:
        try:
            assert getattr(sheet, name)()
        except AttnhandError as error:
            assert "turns by radians make irrational ones" in str(error)
            refused.add(name)
    assert refused == {"stack", "notebook"}
