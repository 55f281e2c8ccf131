"""One new token with keys and values that are kept (KV cache): worked by hand, drawn, said, marked."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.proof import prove
from attnhand.attention.questions import TRIES, Scene
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.questions.what_if import count_work_with_cache
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, ProblemError
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.explain import explain_trace
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.panels import build_panels
from tests.breadth import choose
from tests.swept_sheet import find_broken_house_rules

EXAMPLE = {
    "words": ["I", "like", "cats", "today"],
    "given": {
        "X": [[1], [0], [2]],
        "K_cache": [[0, 0, 1], [1, 2, 2]],
        "V_cache": [[3, 1, 2], [1, 2, 3]],
        "W_Q": [[1, 0, 0], [0, 0, 1]],
        "W_K": [[1, 0, 0], [1, 0, 1]],
        "W_V": [[1, 0, 0], [1, 0, 2]],
    },
}
"""The new token asks (1, 2), is found by (1, 3) and passes on (1, 5)."""

FORMS = {
    "self": Variant(cache=3),
    "rotary": Variant(cache=3, is_rotary=True),
    "distance": Variant(cache=3, has_distances=True),
    "two heads": Variant(mechanism="multi-head", cache=2),
    "one key for all": Variant(mechanism="multi-head", cache=3, kv_heads=1),
    "groups": Variant(mechanism="multi-head", heads=4, kv_heads=2, cache=2, is_rotary=True),
    "block": Variant(mechanism="block", heads=2, cache=3),
    "shifted": Variant(cache=4, is_shifted=True, padding=(2,)),
}


def test_a_step_by_hand() -> None:
    """Scores 2 4 5 7, powers 3 9 9 27, Σ 48, shares 1/16 3/16 3/16 9/16, output 21/16 61/16."""
    solution = attnhand.solve(EXAMPLE).solution
    assert solution["K_all"].hand == ((0, 0, 1, 1), (1, 2, 2, 3))
    assert solution["V_all"].hand == ((3, 1, 2, 1), (1, 2, 3, 5))
    assert solution["S"].hand == ((2,), (4,), (5,), (7,))
    assert solution["powers"].hand == ((3,), (9,), (9,), (27,))
    assert solution["sums"].hand == ((48,),)
    assert solution["A"].hand == tuple((Fraction(n, 16),) for n in (1, 3, 3, 9))
    assert solution["Z"].hand == ((Fraction(21, 16),), (Fraction(61, 16),))


def test_what_was_saved_is_asked() -> None:
    """34 products here; worked anew, 4 tokens of 18 and 10 pairs that are seen of 4 make 72 + 40 = 112."""
    sheet = attnhand.solve(EXAMPLE)
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "lost-cache")
    assert asked.finding is not None
    assert asked.finding.answer == 112
    now = {"now": 34, "now_projected": 18, "now_compared": 16}
    assert count_work_with_cache(sheet.scene) == {"count": 4, **now}


def test_a_published_sheet_comes_out_with_a_cache_too() -> None:
    """The last query of rukenx/attention-by-hand 05, its keys and values of three tokens kept, in rows and exactly."""
    cases = json.loads((Path(__file__).parents[1] / "data" / "published_problems.json").read_text(encoding="utf-8"))
    case = cases["rukenx-05-kv-cache"]
    problem, published = case["problem"], case["published"]
    given = {name: np.array(a) for name, a in problem["given"].items()}
    X = given.pop("X")
    kept = {f"{name}_cache": (X[:3] @ given[f"W_{name}"]).tolist() for name in "KV"}
    step = {
        **{key: value for key, value in problem.items() if key != "mask"},
        "given": {"X": X[3:].tolist(), **kept, **{name: a.tolist() for name, a in given.items()}},
    }
    solution = attnhand.solve(step).solution
    for name in "AZ":
        np.testing.assert_allclose([float(x) for x in solution[name].hand[0]], published[name][3], atol=5e-5)


def test_a_step_with_a_sink_is_as_readable_as_its_sheet() -> None:
    """What is put on a sheet is put on all its queries before one is taken: no denominator grows beyond the limit."""
    form = Variant(mechanism="multi-head", cache=3, sink=0)
    for seed in choose((8, 10), range(100)):
        problem = generate_problem(Request(seed=seed, variant=form))
        assert [*find_broken_house_rules(problem, Level.STANDARD)] == [], seed


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("level", Level)
def test_it_goes_with_the_whole_sheet_of_its_seed(name: str, level: Level) -> None:
    """What comes out is the last query of the causal sheet of all tokens, in a convention by turns, by both rules."""
    form = FORMS[name]
    for seed in range(choose(2, 100)):
        for convention in choose([*Convention][seed:][:1], [*Convention]):
            request = Request(seed=seed, variant=form, level=level, convention=convention)
            step = prove(solve(make_sheet_from_request(request).problem))
            whole = prove(solve(make_sheet_from_request(request.whole).problem))
            if form.is_shifted:  # the ordinary sheet is not, and has other powers
                continue
            assert whole.problem.variant.is_causal
            for stage in step.problem.mechanism.stages:
                if stage.name.rpartition(".")[2] in ("K", "V", "K_turned", "K_all", "V_all", "masked"):
                    continue
                for way in ("hand", "exact"):
                    own, other = (_take_lines(getattr(each[stage.name], way), convention) for each in (step, whole))
                    np.testing.assert_allclose(own[-1], other[-1], rtol=1e-9, atol=1e-9)


def _take_lines(a: object, convention: Convention) -> np.ndarray:
    """Return the vectors of tokens, one a line."""
    rows = np.array([[float(x) for x in row] for row in a])  # type: ignore[attr-defined]
    return rows if convention.is_rows else rows.T


@pytest.mark.parametrize("name", FORMS)
def test_everything_says_the_same_sheet_again(name: str) -> None:
    """Its code, its JSON sheet and its problem file; the number of kept tokens need not be said in a file."""
    form = FORMS[name]
    for convention in Convention:
        sheet = make_sheet_from_request(Request(seed=5, variant=form, convention=convention))
        assert decode_sheet_code(sheet.code).request == sheet.request
        data = json.loads(format_problem(sheet.problem))
        assert data.pop("cache") == form.cache
        assert attnhand.solve(data).problem == sheet.problem


def test_options_say_it() -> None:
    """In Python as in the terminal: --cache 3; a mask is allowed beside it and hides nothing more."""
    sheet = attnhand.generate(seed=7, cache=3)
    assert sheet.code == attnhand.generate(seed=7, cache=3, causal=True).code
    assert sheet.problem.sizes["kept"] == 3
    named = attnhand.generate(seed=7, cache=3, words="I like cats today")
    assert named.problem.words == ("I", "like", "cats", "today")
    assert attnhand.generate(seed=7, cache=11, mechanism="self").problem.sizes["memory"] == 12


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"cache": 1}, "write how many tokens are kept before the new one, 2 to 11"),
        ({"cache": 12}, "2 to 11"),
        ({"cache": 3, "tokens": 5}, "3 tokens are kept and one is new, which makes 4: leave out `tokens=5`"),
        ({"cache": 3, "words": "the cat saw"}, "give 4, the new one last"),
        ({"cache": 3, "mechanism": "cross"}, "has a memory, which stays"),
        ({"cache": 3, "mechanism": "basic"}, "has no keys and values of its own"),
        ({"cache": 3, "words": "the cat saw it", "embed": True}, "no other word is looked up"),
        ({"cache": 3, "causal": True, "window": 2}, "need not be kept"),
        ({"cache": 3, "query_count": 1}, "it alone asks"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do instead."""
    with pytest.raises(AttnhandError, match=sentence):
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"cache": 2}, "the cache holds 3 tokens, not 2"),
        ({"given": {**EXAMPLE["given"], "X": [[1, 1], [0, 1], [2, 0]]}}, "there are 2 new tokens: give one"),  # type: ignore[dict-item]
        ({"given": {**EXAMPLE["given"], "K_cache": [[0], [1]]}}, "K_cache holds 1 tokens: a sheet has 2 to 11"),  # type: ignore[dict-item]
        ({"given": {**EXAMPLE["given"], "V_cache": [[3, 1], [1, 2]]}}, "V_cache"),  # type: ignore[dict-item]
    ],
)
def test_a_file_that_does_not_fit_is_refused(changed: dict[str, object], sentence: str) -> None:
    """Another number of tokens than is said, two new ones, a cache that holds too little or unlike the other."""
    with pytest.raises(ProblemError, match=sentence):
        attnhand.solve({**EXAMPLE, **changed, "words": []})


def test_the_new_token_has_the_last_number() -> None:
    """It is q₄, k₄ and v₄ on the sheet, with its word, and its journey is that of q₄."""
    sheet = attnhand.solve(EXAMPLE)
    labels = {panel.stage.name: panel.grid.columns for panel in build_panels(sheet.key).list_panels()}
    assert ["".join(run.text for run in label.letter) for label in labels["Q"]] == ["q4"]
    assert [label.word for label in labels["K_all"]] == ["I", "like", "cats", "today"]
    assert explain_trace(sheet.key, 0).title == "the journey of q₄ (today)"


@pytest.mark.parametrize(
    ("slip", "stage", "cells"),
    [
        ("new-first", "K_all", [[1, 0, 0, 1], [3, 1, 2, 2]]),
        ("query-appended", "K_all", [[0, 0, 1, 1], [1, 2, 2, 2]]),
        ("new-first", "V_all", [[1, 3, 1, 2], [5, 1, 2, 3]]),
    ],
)
def test_slips_are_known_by_their_numbers(slip: str, stage: str, cells: list[list[int]]) -> None:
    """The new one put first, or its query appended: each is named on the worked example."""
    sheet = attnhand.solve(EXAMPLE)
    before = {name: [list(map(str, row)) for row in sheet.solution[name].hand] for name in "QKV"}
    (diagnosis,) = attnhand.check({**before, stage: [list(map(str, row)) for row in cells]}, sheet).diagnoses
    assert slip in diagnosis.slips


def test_the_try_hides_the_new_token() -> None:
    """Of the powers 3 9 9 are left, Σ 21, and the largest share is 3/7."""
    sheet = attnhand.solve(EXAMPLE)
    a_try = next(each for each in TRIES if each.id == "cache")
    scene = Scene(solution=sheet.solution, asked_queries=(0,))
    (parameters,) = a_try.list_parameters(scene)
    answers = {each.question.id: each.finding.answer for each in pose_try(scene, a_try, parameters) if each.finding}
    assert answers == {"try.cache.sum": 21, "try.cache.top": Fraction(3, 7)}
