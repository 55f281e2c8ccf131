"""The backward pass of one query: from the gradient of a loss by the output to those by query, keys and values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import Number, to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.marking.checked import CheckResult
from attnhand.problems.generator import generate_problem
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.sheet.explain import explain
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import parse_markup, to_unicode
from tests.breadth import choose, pair_up

FORM = Variant(mechanism="backward")

EXAMPLE = {
    "mechanism": "backward",
    "rules": {"scale": "none"},
    "given": {"Q": [[1]], "K": [[0, 1]], "V": [[4, 0], [0, 8]], "g": [[1], [1]]},
}
"""Two keys with the shares 1/4 and 3/4, the values (4, 0) and (0, 8), the gradient (1, 1)."""


def read(sheet: attnhand.Worksheet, name: str) -> Matrix:
    """Return a stage by hand, tokens as columns."""
    hand = sheet.solution[name].hand
    return transpose(hand) if sheet.convention is Convention.ROWS else hand


@pytest.mark.parametrize("convention", Convention)
def test_a_worked_example(convention: Convention) -> None:
    """dA 4 8, their mean 7, dS −3/4 3/4; q gets K dS, a key its number of dS times q, a value its share of g."""
    problem = attnhand.solve(EXAMPLE).problem
    turned = problem if convention is Convention.COLUMNS else problem.transpose()
    sheet = attnhand.solve(json.loads(format_problem(turned)))
    assert read(sheet, "A") == ((Fraction(1, 4),), (Fraction(3, 4),))
    assert read(sheet, "dA") == ((4,), (8,))
    assert read(sheet, "d") == ((7,),)
    assert read(sheet, "dS") == ((Fraction(-3, 4),), (Fraction(3, 4),))
    assert read(sheet, "dq") == ((Fraction(3, 4),),)
    assert read(sheet, "dK") == ((Fraction(-3, 4), Fraction(3, 4)),)
    assert read(sheet, "dV") == ((Fraction(1, 4), Fraction(3, 4)),) * 2


def test_the_slope_of_halving_is_a_half() -> None:
    """Scores 0 and 2 are halved: dS is the same, and what goes on to query and keys is half of it, not rounded."""
    sheet = attnhand.solve({**EXAMPLE, "rules": {}, "given": {**EXAMPLE["given"], "K": [[0, 2]]}})  # type: ignore[dict-item]
    assert read(sheet, "dS_scaled") == ((Fraction(-3, 8),), (Fraction(3, 8),))
    assert read(sheet, "dq") == ((Fraction(3, 4),),)
    assert read(sheet, "dK") == ((Fraction(-3, 8), Fraction(3, 8)),)


def make_problem(seed: int, rules: Rules = EXACT, level: Level = Level.STANDARD) -> Problem:
    """Draw a sheet."""
    return generate_problem(Request(seed=seed, variant=FORM, rules=rules, level=level))


def compute_loss(given: Mapping[str, np.ndarray], divisor: float, hidden: Sequence[int] = ()) -> float:
    """Return g times the output, worked forward in numpy, tokens as columns."""
    scores = given["K"].T @ given["Q"] / divisor
    weights = np.exp(scores - scores.max())
    weights[list(hidden)] = 0
    return float((given["g"].T @ given["V"] @ (weights / weights.sum())).item())


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    ("variant", "scale"),
    [
        (FORM, ScaleRule.SQRT),
        (FORM, ScaleRule.NONE),
        (FORM, 4),
        (replace(FORM, is_shifted=True), ScaleRule.SQRT),
        (replace(FORM, padding=(2,)), ScaleRule.SQRT),
        (replace(FORM, padding=(1,), is_shifted=True), ScaleRule.NONE),
    ],
)
@pytest.mark.parametrize("level", Level)
def test_gradients_are_what_the_loss_does(
    level: Level, variant: Variant, scale: ScaleRule | int, convention: Convention
) -> None:
    """By finite differences: each number of Q, K and V is moved a little both ways, and the loss worked again."""
    for seed in range(choose(2, 60)):
        rules = replace(EXACT, scale=scale)
        problem = generate_problem(Request(seed=seed, variant=variant, rules=rules, level=level, convention=convention))
        given = {name: np.array([[float(value) for value in row] for row in a]) for name, a in problem.given}
        if convention is Convention.ROWS:
            given = {name: a.T for name, a in given.items()}
        solution, step = solve(problem), 1e-5
        divisor = float(scale) if isinstance(scale, int) else len(given["Q"]) ** (0.5 if scale is ScaleRule.SQRT else 0)
        hidden = [key - 1 for key in variant.padding]
        for matrix, gradient in (("Q", "dq"), ("K", "dK"), ("V", "dV")):
            worked = np.array([[to_float(value) for value in row] for row in solution[gradient].hand])
            worked = worked.T if convention is Convention.ROWS else worked
            for place in np.ndindex(given[matrix].shape):
                losses = []
                for way in (step, -step):
                    moved = given[matrix].copy()
                    moved[place] += way
                    losses.append(compute_loss({**given, matrix: moved}, divisor, hidden))
                slope = (losses[0] - losses[1]) / (2 * step)
                assert slope == pytest.approx(worked[place], abs=1e-7), (seed, matrix, place)


def go_back(problem: Problem, halving: Fraction) -> dict[str, Matrix]:
    """Work the way back in plain loops, from shares that are worked here too, tokens as columns.

    Args:
        halving: what scores are multiplied by before they are rounded down; 1 where they stay.
    """
    given = dict(problem.given)
    keys, values = (list(zip(*given[name], strict=True)) for name in ("K", "V"))
    query, gradient = ([value for (value,) in given[name]] for name in ("Q", "g"))
    powers = []
    for key in keys:
        score = sum(Fraction(a) * b for a, b in zip(key, query, strict=True)) * halving  # type: ignore[misc, operator]
        base = problem.rules.base.whole
        assert base
        powers.append(Fraction(base) ** (score.numerator // score.denominator))
    shares = [power / sum(powers) for power in powers]
    gains = [sum(Fraction(a) * b for a, b in zip(value, gradient, strict=True)) for value in values]  # type: ignore[misc, operator]
    pulls = []
    for k, share in enumerate(shares):
        pull = Fraction(0)
        for j, other in enumerate(shares):
            pull += gains[j] * other * ((1 if j == k else 0) - share)
        pulls.append(pull)
    passed = [pull * halving for pull in pulls]
    return {
        "dA": tuple((gain,) for gain in gains),
        "dS": tuple((pull,) for pull in pulls),
        "dq": tuple(
            (sum((key[r] * by for key, by in zip(keys, passed, strict=True)), Fraction(0)),) for r in range(len(query))
        ),
        "dK": tuple(tuple(number * by for by in passed) for number in query),  # type: ignore[operator]
        "dV": tuple(tuple(number * share for share in shares) for number in gradient),  # type: ignore[operator]
    }


RULES = [
    (Rules(), Fraction(1, 2)),
    (Rules(scale=ScaleRule.NONE), Fraction(1)),
    (Rules(base=Base.TWO), Fraction(1, 2)),
    (Rules(base=Base.TEN), Fraction(1, 2)),
]


@pytest.mark.parametrize(("rules", "halving"), RULES)
@pytest.mark.parametrize("level", Level)
def test_every_seed_is_drawn_and_worked_right(level: Level, rules: Rules, halving: Fraction) -> None:
    """No seed is refused; both conventions are the loops' numbers; fractions are no finer than the weights allow."""
    sheets = set()
    for seed in range(choose(3, 100)):
        problem = make_problem(seed, rules, level)
        expected = go_back(problem, halving)
        solutions = solve(problem), solve(problem.transpose())
        for name, values in expected.items():
            assert solutions[0][name].hand == values == transpose(solutions[1][name].hand), (seed, name)
        pulls = [pull for (pull,) in expected["dS"]]
        assert sum(pulls) == 0
        assert min(pulls) < 0 < max(pulls)
        assert all(pulls)
        assert pulls.count(min(pulls)) == 1
        (mean,) = solutions[0]["d"].hand
        gradient = [value for (value,) in problem["g"]]
        outputs = [value for (value,) in solutions[0]["Z"].hand]
        assert mean[0] == sum(a * b for a, b in zip(gradient, outputs, strict=True))  # type: ignore[misc, operator]
        assert mean[0] == int(mean[0])
        sheets.add(problem.given)
    assert len(sheets) >= choose(3, 98)  # small ones may come twice: of 600 with powers of 2, four do


@pytest.mark.parametrize("options", [{"rules": "exact"}, {"scale": "4"}, {"base": "e"}, {"scale": "sqrt", "base": "2"}])
def test_decimals_are_drawn_too(options: dict[str, str]) -> None:
    """Where weights are no fractions, some shares gain more than others all the same, and dS adds to nearly 0."""
    for seed in range(choose(3, 50)):
        pulls = [
            float(value)
            for (value,) in attnhand.generate(seed=seed, mechanism="backward", **options).solution["dS"].hand  # type: ignore[arg-type]
        ]
        assert min(pulls) < 0 < max(pulls)
        assert sum(pulls) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"V": ((4, 4), (0, 0))}, "pulls some scores up"),
        ({"V": ((4, 1), (0, 8))}, "finer than the weights"),
        ({}, ""),
    ],
)
def test_what_shows_nothing_is_not_drawn(changed: Mapping[str, Matrix], fault: str) -> None:
    """Where all shares gain alike nothing is pulled; a mean that is no whole number makes fractions of sixteenths."""
    given = {name: tuple(map(tuple, a)) for name, a in EXAMPLE["given"].items()}  # type: ignore[attr-defined]
    problem = Problem(variant=FORM, given=tuple({**given, **changed}.items()), rules=Rules(scale=ScaleRule.NONE))
    assert fault in (find_missing_insight(problem) or "")
    assert bool(fault) == (find_missing_insight(problem) is not None)


# slips


def hand_in(sheet: Sheet, **changed: Matrix) -> CheckResult:
    """Mark a sheet of which some stages are other than the key, and the rest follows from them."""
    worked = solve(sheet.problem, replacements=changed)
    return attnhand.check({each.stage.name: [list(map(str, row)) for row in each.hand] for each in worked}, sheet)


def test_slips_are_named() -> None:
    """d plain, left out, taken off late or the other way, the slope forgotten: each is known, and the rest follows."""
    for seed in range(choose(3, 30)):
        sheet = attnhand.generate(seed=seed, mechanism="backward")
        A, dA, dS, V, Z = (
            list(sheet.solution[name].hand) if name != "V" else sheet.problem["V"]
            for name in ("A", "dA", "dS", "V", "Z")
        )
        ((d,),) = sheet.solution["d"].hand
        pairs = [(a, by) for (a,), (by,) in zip(A, dA, strict=True)]
        ways: dict[tuple[str, str], list[Number]] = {
            ("output-for-gradient", "dA"): [
                sum(v * z for v, (z,) in zip(value, Z, strict=True)) for value in zip(*V, strict=True)
            ],
            ("plain-gradient-mean", "d"): [Fraction(sum(by for _, by in pairs)) / len(pairs)],
            ("gradient-mean-forgotten", "dS"): [a * by for a, by in pairs],  # type: ignore[operator]
            ("gradient-weighted-early", "dS"): [a * by - d for a, by in pairs],  # type: ignore[operator]
            ("gradient-turned", "dS"): [a * (d - by) for a, by in pairs],  # type: ignore[operator]
            ("gradient-not-scaled", "dS_scaled"): [value for (value,) in dS],
            ("gradient-rounded", "dS_scaled"): [Fraction(value) // 2 for (value,) in dS],
        }
        for (slip, stage), numbers in ways.items():
            wrong: Matrix = tuple((number,) for number in numbers)
            if wrong == sheet.solution[stage].hand:  # a plain mean may be the mean
                continue
            marks = hand_in(sheet, **{stage: wrong})
            assert [slip in names for names in (each.slips for each in marks.diagnoses)] == [True], (seed, slip)
            later = [each.stage.name for each in sheet.solution]
            later = later[later.index(stage) + 1 :]
            assert {cell.mark.value for cell in marks.marks.cells if cell.stage in later} <= {"follows", "correct"}


# words


def test_a_cell_is_explained_by_its_numbers() -> None:
    """The share, times what its gain has above the mean."""
    sheet = attnhand.solve(EXAMPLE)
    assert explain(sheet, "dS[1,1]").by_hand[-1] == "(1/4)·(4 − 7) = −3/4"


@pytest.mark.parametrize("address", ["dS_scaled[2,1]", "dS'[2,1]", "dS′[2,1]", "dS'21"])
def test_a_cell_is_found_by_its_printed_name(address: str) -> None:
    """Primes are typed as they come, before brackets too."""
    sheet = attnhand.solve({**EXAMPLE, "rules": {}})
    assert explain(sheet, address).by_hand == explain(sheet, "dS_scaled.2.1").by_hand


@pytest.mark.parametrize("convention", Convention)
def test_what_is_turned_is_drawn_above_its_product(convention: Convention) -> None:
    """dK continues dS′ᵀ, and dV Aᵀ: they are drawn to be copied, wherever dS′ stands, and filled on the key."""
    sheet = attnhand.generate(seed=7, mechanism="backward", convention=convention.value)
    panels = {panel.stage.name: panel for panel in build_panels(sheet.key).list_panels()}
    for name, source in (("dK", "dS_scaled"), ("dV", "A")):
        factor = panels[name].query_factor
        assert factor is not None
        grid = panels[source].grid
        assert (factor.row_count, factor.column_count) == (grid.column_count, grid.row_count)
        assert to_unicode(factor.name) == {"dK": "dS′ᵀ", "dV": "Aᵀ"}[name]
        assert panels[name].query_factor_name not in panels


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_gradient_is_no_token(language: str) -> None:
    """A sheet that begins on the way back works its first product as an example, and calls g no list of features."""
    sheet = attnhand.generate(seed=6, mechanism="backward", from_stage="dA", language=language)
    (panel,) = (panel for panel in build_panels(sheet.blank).list_panels() if panel.stage.name == "dA")
    words = " ".join(to_unicode(paragraph.text) for paragraph in panel.paragraphs)
    assert sheet.blank.say("tokens.for", tokens="g") not in words
    assert to_unicode(panel.purpose).startswith(to_unicode(parse_markup(sheet.blank.say("gradient_weights.for")))[:12])


@pytest.mark.parametrize("options", [{"questions": "many"}, {"questions": "tries"}])
def test_all_questions_of_a_sheet_make_sense(options: dict[str, str]) -> None:
    """None is about tokens of which nothing is given, or about other queries."""
    asked = {
        posed.question.id
        for seed in range(choose(10, 60))
        for posed in attnhand.generate(seed=seed, mechanism="backward", **options).posed_questions  # type: ignore[arg-type]
    }
    assert asked
    assert not asked & {"exchange-tokens", "zero-query", "exchange-weights", "change-weight", "double-queries"}


def test_more_of_every_value_changes_no_score() -> None:
    """The question is asked, and its answer is worked out: with V + 1 each dA and d grow by the sum of g."""
    sheet = attnhand.generate(seed=7, mechanism="backward")
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "add-to-values")
    assert asked.finding is not None
    assert asked.finding.answer == "no"
    given = {name: [list(map(int, row)) for row in a] for name, a in sheet.problem.given}
    more = attnhand.solve(
        {"mechanism": "backward", "given": {**given, "V": [[v + 1 for v in row] for row in given["V"]]}}
    )
    grown = sum(row[0] for row in given["g"])
    assert [[by + grown for by in row] for row in read(sheet, "dA")] == [list(row) for row in read(more, "dA")]
    assert read(more, "dS") == read(sheet, "dS")


def test_a_step_against_the_gradient_lowers_the_loss() -> None:
    """The try is asked, of the value with the largest share: g off it takes its share times g · g off the loss."""
    tried = 0
    for seed in range(choose(20, 200)):
        for convention in Convention:
            sheet = attnhand.generate(seed=seed, mechanism="backward", convention=convention.value)
            cells = {posed.question.id: posed for posed in sheet.posed_questions}
            if "try.step.before" not in cells:
                continue
            tried += 1
            before, after = (cells[f"try.step.{name}"].finding for name in ("before", "after"))
            assert before is not None
            assert after is not None
            ((d,),) = sheet.solution["d"].hand
            squares = sum(value * value for row in sheet.problem["g"] for value in row)  # type: ignore[misc, operator]
            share = max(value for row in sheet.solution["A"].hand for value in row)
            assert before.answer == d
            assert after.answer == d - share * squares  # type: ignore[operator]
    assert tried >= choose(4, 40)


# files, codes, options


def test_a_file_a_sheet_and_a_file_again() -> None:
    """From the file to the JSON sheet and back: the same problem."""
    sheet = attnhand.solve({**EXAMPLE, "words": ["cat", "dog"], "subtract_max": True})
    assert attnhand.solve(json.loads(sheet.json())).problem == sheet.problem
    assert parse_problem(format_problem(sheet.problem), source="again.json") == sheet.problem


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tokens": 5, "d_k": 4, "d_v": 2, "level": "challenge"},
        {"padding": [2], "convention": "rows"},
        {"scale": "none", "base": "10", "subtract_max": True},
        {"from_stage": "dA", "level": "warm-up"},
        {"mistake": "gradient-mean-forgotten"},
        {"allow_ties": True},
    ],
)
def test_a_code_gives_the_sheet_again(options: dict[str, object]) -> None:
    """The code on the paper has all that was asked, and its key is the same."""
    sheet = attnhand.generate(seed=11, mechanism="backward", **options)  # type: ignore[arg-type]
    again = attnhand.key(sheet.code)
    assert again.problem == sheet.problem
    assert again.to_dict() == sheet.key.to_dict()


def test_one_query_need_not_be_said() -> None:
    """There is one query whatever is said, and one code."""
    plain, said = (Request(seed=3, variant=FORM, query_count=count) for count in (None, 1))
    assert plain == said
    assert decode_sheet_code(encode_request(plain)).request == plain
    assert plain.all_sizes == {"tokens": 4, "d_k": 3, "d_v": 3}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"causal": True}, "has one query, before which no token is said to stand: leave out `causal="),
        ({"heads": 2}, "has one head"),
        ({"positions": "rotary"}, "of which no place is said: leave out"),
        ({"embed": True, "words": "a b c"}, "looks up no words: leave out `embed="),
        ({"base": "none"}, 'plain shares are none: leave out `base="none"`'),
        ({"begin_with": "A"}, 'leave out A; to have it printed, use `from_stage="dA"`'),
        ({"query_count": 2}, "has one query: leave out `query_count=2`"),
        ({"features": 4}, "has no features: leave out `features="),
        ({"memory_length": 4}, "has no memory: leave out `memory_length="),
        ({"cache": 3}, "so nothing is appended: leave out `cache=3`"),
        ({"positions": "distance"}, 'leave out `positions="distance"`'),
        ({"temperature": 2}, "a temperature would divide every gradient once more: leave out `temperature="),
        ({"sink": 1}, "with a sink neither does: leave out `sink="),
    ],
)
def test_what_one_query_has_no_use_for_is_refused(options: dict[str, object], sentence: str) -> None:
    """In a sentence that says what to leave out."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, mechanism="backward", **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


def test_a_file_gives_no_stage_of_it() -> None:
    """Weights of one's own would leave the slope of the scores unknown."""
    with pytest.raises(AttnhandError, match="leave out A"):
        attnhand.solve({**EXAMPLE, "given": {**EXAMPLE["given"], "A": [["1/4"], ["3/4"]]}})  # type: ignore[dict-item]


def test_a_gradient_of_decimals_is_worked() -> None:
    """What a gradient is given as, comes back."""
    sheet = attnhand.solve({**EXAMPLE, "given": {**EXAMPLE["given"], "g": [[0.5], [-1]]}})  # type: ignore[dict-item]
    assert read(sheet, "dA") == ((2,), (-8,))
    assert to_float(read(sheet, "d")[0][0]) == pytest.approx(2 / 4 - 8 * 3 / 4)


@pytest.mark.parametrize(("convention", "level"), pair_up([*Convention], ["warm-up", "standard"]))
def test_every_format_writes_it(convention: Convention, level: str) -> None:
    """Blank and key, at two levels, in all formats."""
    sheet = attnhand.generate(seed=5, mechanism="backward", convention=convention.value, level=level)
    for name, file_format in FORMATS.items():
        for each in (sheet.blank, sheet.key):
            assert file_format.render(each), name
