"""Problems as courses print them: Q, K and V given, one query, scores alone, masks, biases, plain shares."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attnhand
from attnhand.attention.numbers import to_float
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.formats.terminal import render_terminal, render_vet
from attnhand.problems.deriving import find_fault
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import build_problem_from_python, format_problem, parse_problem
from attnhand.problems.reading import build_problem
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.vet import vet
from tests.breadth import choose

PUBLISHED: Mapping[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "published_problems.json").read_text(encoding="utf-8")
)
Q, K, V = [[1, 0], [0, 1], [1, 1]], [[1, 0], [1, 1], [0, 1]], [[1, 0], [0, 1], [2, 2]]
W = [[1, 0], [0, 1]]
ROWS: dict[str, Any] = {"convention": "rows"}


def make(given: Mapping[str, Any], **settings: Any) -> Problem:
    """Build a problem whose tokens are rows."""
    return build_problem({**ROWS, "given": given, **settings})


def list_stages(problem: Problem) -> list[str]:
    return [stage.name for stage in problem.mechanism.stages]


def print_key(problem: Problem) -> str:
    """Return what the terminal shows, all on one line."""
    return " ".join(render_terminal(attnhand.solve(json.loads(format_problem(problem)))).split())


def find_tolerance(number: float) -> float:
    """Return half a unit of the last digit of a published number."""
    exponent = Decimal(repr(number)).as_tuple().exponent
    assert isinstance(exponent, int)
    return 0.5 * 10.0 ** min(exponent, 0) * (1 + 1e-9)


def compare_rows(found: Sequence[Sequence[Any]], published: Sequence[Sequence[float]]) -> None:
    """Compare number by number, each within its own rounding."""
    assert len(found) == len(published)
    for own, printed in zip(found, published, strict=True):
        for value, number in zip(own, printed, strict=True):
            assert abs(to_float(value) - number) <= find_tolerance(number)


# published problems


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_problem_is_met_within_its_own_rounding(name: str) -> None:
    """As it is printed, by hand and exactly: its rules are the textbook's, so no column is another one."""
    problem, published = PUBLISHED[name]["problem"], PUBLISHED[name]["published"]
    solution = prove(solve(build_problem(problem)))
    assert published
    for place, numbers in published.items():
        stage, _, kind = place.partition("_")
        solved = solution.stages[-1] if stage == "LAST" else solution[stage]
        rows = numbers if kind == "row" else dict(enumerate(numbers))
        for a in (solved.hand, solved.exact):
            compare_rows([a[int(row)] for row in rows], [*rows.values()])


def test_plain_shares_are_those_of_the_handout() -> None:
    """Each score over the sum of the scores: 2/24, 9/24, 9/24, 4/24."""
    case = PUBLISHED["calvin-376-softmax"]
    problem = build_problem({**case["problem"], "rules": {"scale": "none", "base": "none", "decimals": 4}})
    solution = prove(solve(problem))
    assert list_stages(problem) == ["S", "sums", "A", "Z"]
    assert solution["A"].hand == ((Fraction(1, 12), Fraction(3, 8), Fraction(3, 8), Fraction(1, 6)),)
    compare_rows(solution["A"].exact, case["published_plain_shares"])
    assert "A: each score ÷ the Σ of its row" in print_key(problem)


@pytest.mark.parametrize("name", PUBLISHED)
def test_its_sheet_says_nothing_that_is_not_there(name: str) -> None:
    """No √d_k where nothing is divided, no exact column nor comparison where no shortcut was taken, no empty stage."""
    problem = PUBLISHED[name]["problem"]
    text = render_terminal(attnhand.solve(problem))
    assert ("√" in text) is (problem["rules"]["scale"] == "sqrt")
    assert "How good was the shortcut?" not in text
    assert "shortcuts." not in text.replace("No shortcuts.", "")
    given = problem["given"]
    assert ("W_Q" in text) is ("W_Q" in str(given))
    assert (" features" in text) is ("X" in given)


# given anywhere


def test_queries_keys_and_values_are_enough() -> None:
    """No mechanism, no convention said; what only they would need is on no sheet."""
    problem = build_problem({"given": {"Q": [[1, 3], [2, 1]], "K": [[2, 1, 0], [1, 1, 1]], "V": [[1, 1, 0]]}})
    assert problem.sizes == {"tokens": 2, "memory": 3, "d_k": 2, "d_v": 1}
    assert list_stages(problem) == ["S", "scaled", "powers", "sums", "A", "Z"]
    assert [given.name for given in problem.mechanism.given] == ["Q", "K", "V"]
    assert attnhand.solve(Q=[[1], [2]], K=[[2, 1], [1, 1]], V=[[1, 0]]).solution["S"].hand == ((4,), (3,))


def test_scores_alone_end_with_the_weights() -> None:
    """And the sheet says that there are no values; beside values they are mixed."""
    problem = make({"S": [[2, 1, 0], [0, 1, 1]]}, rules={"base": "2"})
    assert list_stages(problem) == ["powers", "sums", "A"]
    assert solve(problem)["A"].hand[0] == (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7))
    assert "There are no values here" in print_key(problem)
    mixed = make({"S": [[2, 1, 0]], "V": [[1], [1], [8]]}, rules={"base": "2"})
    assert solve(mixed)["Z"].hand == ((2,),)
    divided = make({"S": [[4, 2]], "V": [[1], [0]]}, rules={"scale": 2, "base": "2"})
    assert solve(divided)["A"].hand == ((Fraction(2, 3), Fraction(1, 3)),)


def test_weights_and_values_are_a_sheet() -> None:
    """Z alone is worked."""
    problem = make({"A": [["1/2", "1/2"], [0, 1]], "V": [[2], [4]]})
    assert list_stages(problem) == ["Z"]
    assert prove(solve(problem))["Z"].hand == ((3,), (4,))


def test_what_is_given_of_some_is_worked_of_the_others() -> None:
    """Q given, keys and values from X: as the whole sheet has it."""
    X = [[1, 2], [0, 1], [1, 1]]
    whole = solve(make({"X": X, "W_Q": W, "W_K": W, "W_V": W}))
    part = solve(make({"X": X, "Q": X, "W_K": W, "W_V": W}))
    assert list_stages(part.problem) == ["K", "V", "S", "scaled", "powers", "sums", "A", "Z"]
    assert part["Z"].hand == whole["Z"].hand


@pytest.mark.parametrize("name", ["multi-head", "block"])
def test_heads_may_be_given_too(name: str) -> None:
    """Each head its own Q, K and V; then heads are joined as ever."""
    sheet = attnhand.generate(7, mechanism="multi-head")
    heads = [{each: sheet.solution[f"h{head}.{each}"].hand for each in "QKV"} for head in (1, 2)]
    given = {"heads": heads, "W_O": sheet.problem["W_O"]}
    if name == "multi-head":
        problem = build_problem_from_python({"mechanism": name, "given": given})
        assert solve(problem)["output"].hand == sheet.solution["output"].hand
        assert parse_problem(format_problem(problem), source="p") == problem


def test_a_problem_is_written_as_it_is_read() -> None:
    """Every new setting, in either convention."""
    for problem in (
        make({"Q": Q, "K": K}, ends_with="A"),
        make({"Q": Q, "K": K, "V": V}, mask=["causal", [[1, 1, 0], [1, 1, 1], [0, 1, 1]]], padding=[3]),
        make({"Q": Q, "K": K, "V": V}, subtract_max=True, rules={"base": "e", "scale": "sqrt"}),
        make({"X": Q, "W_Q": W, "W_K": W, "W_V": W, "b_Q": [1, 2]}),
        make({"Q": [[1, 2]], "K": K, "V": V}, rules={"base": "none"}, words=["the", "cat", "saw"]),
    ):
        for each in (problem, problem.transpose()):
            assert parse_problem(format_problem(each), source="p") == each


# rules of the problem's own


def test_exact_means_the_problems_own_rules_without_shortcuts() -> None:
    """Nothing is divided where the problem divides nothing, and 3 is e again."""
    solution = solve(make({"Q": Q, "K": K, "V": V}, rules={"scale": "none", "base": "3"}))
    powers = np.exp(np.array(Q) @ np.array(K).T)
    np.testing.assert_allclose(solution["A"].exact, powers / powers.sum(axis=1, keepdims=True), rtol=1e-12)


def test_large_scores_are_worked_by_themselves() -> None:
    """e^1814 is nothing to write down: the largest is subtracted, and the sheet says why."""
    problem = make({"Q": [[100, 0]], "K": [[20, 1], [19, 5]], "V": [[1], [3]]}, rules={"scale": "none", "base": "e"})
    solution = prove(solve(problem))
    assert problem.variant.is_shifted
    assert solution["shifted"].hand == ((0, -100),)
    assert solution["A"].hand[0][0] == pytest.approx(Decimal(1))
    assert "too large for any computer" in print_key(problem)
    small = make({"Q": Q, "K": K, "V": V}, rules={"base": "e", "scale": "sqrt"})
    assert not small.variant.is_shifted
    shifted = attnhand.solve(json.loads(format_problem(small)), subtract_max=True)
    np.testing.assert_allclose(
        np.array(shifted.solution["A"].hand, dtype=float), np.array(solve(small)["A"].hand, dtype=float), rtol=1e-12
    )


def test_scores_far_below_zero_are_worked_by_themselves() -> None:
    """Powers that would all be printed as 0 have no Σ to divide by; less the largest they are 1 and less."""
    problem = make({"S": [[-1000, -999, -998]]}, rules={"scale": "none", "base": "e"})
    assert list_stages(problem) == ["shifted", "powers", "sums", "A"]
    powers = [math.exp(x) for x in (-2, -1, 0)]
    found = [float(x) for x in solve(problem)["A"].exact[0]]
    assert found == pytest.approx([x / sum(powers) for x in powers])
    assert list_stages(make({"S": [[-5, -4, -3]]}, rules={"scale": "none", "base": "e"})) == ["powers", "sums", "A"]


def test_masks_of_ones_own_hide_what_they_say() -> None:
    """A matrix of 0 and 1, padding, and both with the causal mask; rows are queries where tokens are rows."""
    mask = [[1, 0, 1], [1, 1, 0], [1, 1, 1]]
    given = {"Q": Q, "K": K, "V": V}
    for settings, seen in (
        ({"mask": mask}, np.array(mask)),
        ({"padding": [2]}, np.array([[1, 0, 1]] * 3)),
        ({"mask": ["causal", mask]}, np.array(mask) * np.tri(3)),
        ({"mask": "causal", "padding": [3]}, np.tri(3) * [1, 1, 0]),
    ):
        problem = make(given, rules={"scale": "sqrt", "base": "e"}, **settings)
        scores = np.where(seen == 1, np.array(Q) @ np.array(K).T / math.sqrt(2), -np.inf)
        powers = np.exp(scores)
        for each in (problem, problem.transpose()):
            found = np.array(prove(solve(each))["A"].exact)
            expected = powers / powers.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(found if each is problem else found.T, expected, rtol=1e-12)


X_, W_Q, W_K, W_V = (
    np.array(a) for a in ([[1, 0], [0, 1], [2, 1]], [[1, 2], [0, 1]], [[1, 1], [2, 0]], [[0, 1], [1, 1]])
)
B_Q = np.array([1, -2])


@pytest.mark.parametrize(
    ("wrong", "slip"),
    [
        (X_ @ W_Q, "bias-forgotten"),
        (X_ @ W_K + B_Q, "other-weights"),
        (X_ @ W_V + B_Q, "third-weights"),
        (X_ @ W_Q.T + B_Q, "weights-transposed"),
    ],
)
def test_slips_beside_a_bias_have_their_names(wrong: Any, slip: str) -> None:
    """Queries as students make them: without their bias, or with it and other weights."""
    given = {"X": X_, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "b_Q": B_Q}
    sheet = attnhand.solve({**ROWS, "given": {name: a.tolist() for name, a in given.items()}})
    assert [list(row) for row in sheet.solution["Q"].hand] == (X_ @ W_Q + B_Q).tolist()
    result = attnhand.check({"Q": wrong.tolist()}, sheet)
    assert [diagnosis.slips for diagnosis in result.marks.diagnoses] == [(slip,)]


def test_biases_are_no_tokens_where_numbers_are_vetted() -> None:
    """Nothing is said of a bias that is 0, or of features in it."""
    sheet = attnhand.solve({**ROWS, "given": {"X": Q, "W_Q": W, "W_K": W, "W_V": W, "b_Q": [0, 0], "b_V": [0, 2]}})
    text = render_vet(sheet, vet(sheet))
    assert "Every token is different" in text
    assert "b_" not in text
    assert "for every token" not in text


def test_biases_are_added() -> None:
    """Those that are given; the others are 0."""
    X = [[1, 2], [0, 1], [1, 1]]
    problem = make({"X": X, "W_Q": W, "W_K": W, "W_V": W, "b_K": [[1, -1]], "b_V": [0, 2]})
    solution = prove(solve(problem))
    assert solution["Q"].hand == tuple(map(tuple, X))
    assert solution["K"].hand == tuple((a + 1, b - 1) for a, b in X)
    assert solution["V"].hand == tuple((a, b + 2) for a, b in X)
    assert prove(solve(problem.transpose()))["Z"].hand == tuple(zip(*solution["Z"].hand, strict=True))


# what is refused, and whether the advice works

TOO_MUCH = {"X": [[1, 2], [0, 1]], "Q": W, "W_Q": W, "W_K": W, "W_V": W}

TWO_HEADS = [{"W_Q": W, "W_K": W, "W_V": [[1], [0]]}, {"W_Q": W, "W_K": W, "W_V": [[0], [1]]}]
IN_COLUMNS = {"mechanism": "multi-head", "convention": "columns"}
LAID_DOWN = [{name: [list(line) for line in zip(*a, strict=True)] for name, a in head.items()} for head in TWO_HEADS]
REFUSED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (
        {"mechanism": "multi-head", "given": {"X": Q, "heads": TWO_HEADS}},
        "W_O is missing: add W_O, 2 rows by 2 columns",
        {"mechanism": "multi-head", "given": {"X": Q, "heads": TWO_HEADS, "W_O": W}},
    ),
    (
        {
            "mechanism": "multi-head",
            "given": {"X": [[1, 0, 2], [0, 1, 1]], "heads": LAID_DOWN},
            "convention": "columns",
        },
        "W_O is missing: add W_O, 2 rows by 2 columns",
        {**IN_COLUMNS, "given": {"X": [[1, 0, 2], [0, 1, 1]], "heads": LAID_DOWN, "W_O": W}},
    ),
    (
        {"given": {"X": Q, "W_Q": W, "W_K": W, "W_V": W, "b_Q": [1]}},
        "b_Q is 1 × 1 but its columns must be 2 (d_k), because W_Q has 2 columns: give b_Q 2 columns",
        {"given": {"X": Q, "W_Q": W, "W_K": W, "W_V": W, "b_Q": [1, 0]}},
    ),
    (
        {"given": {"scores": [[1, 0]]}},
        "'scores' is not a matrix of this mechanism (self): use X, W_Q, W_K, W_V, or the matrix of a stage: Q, K",
        {"given": {"S": [[1, 0]]}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "ends_with": "A"},
        "V is given, but nothing reads it beside Q and K: leave out V",
        {"given": {"Q": Q, "K": K}, "ends_with": "A"},
    ),
    (
        {"given": {"A": [[1, 0]], "V": V}},
        "A is 1 × 2 but its columns must be 3 (keys), because V has 3 rows: give A 3 columns",
        {"given": {"A": [[1, 0, 0]], "V": V}},
    ),
    (
        {"given": {"q": [[1, 0]], "K": K, "V": V}},
        "did you mean Q?",
        {"given": {"Q": [[1, 0]], "K": K, "V": V}},
    ),
    (
        {"given": TOO_MUCH},
        "Q and W_Q are both given, but Q is worked from W_Q: leave out one of them",
        {"given": {name: a for name, a in TOO_MUCH.items() if name != "W_Q"}},
    ),
    (
        {"given": {"Q": Q, "K": K}},
        "V is missing: give V, or X and W_V to work it from, or write "
        '"ends_with": "A" for a sheet that ends with the weights',
        {"given": {"Q": Q, "K": K}, "ends_with": "A"},
    ),
    (
        {"given": {"Q": Q, "K": K}},
        "V is missing: give V,",
        {"given": {"Q": Q, "K": K, "V": V}},
    ),
    (
        {"given": {"Q": Q, "V": V}},
        "K is missing: give K, or X and W_K to work it from",
        {"given": {"Q": Q, "V": V, "K": K}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V, "X": Q}},
        "X is given, but nothing reads it beside Q, K and V: leave out X",
        {"given": {"Q": Q, "K": K, "V": V}},
    ),
    (
        {"given": {"Q": Q, "K": [[1, 0, 2], [1, 1, 1]], "V": [[1], [2]]}},
        "K is 2 × 3 but its columns must be 2 (d_k), because Q has 2 columns: give K 2 columns",
        {"given": {"Q": Q, "K": [[1, 0], [1, 1]], "V": [[1], [2]]}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V[:2]}},
        "V is 2 × 2 but its rows must be 3 (tokens), because Q has 3 rows: give V 3 rows",
        {"given": {"Q": Q, "K": K, "V": V}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "mask": [[1, 1, 1], [0, 0, 0], [1, 1, 1]]},
        "query 2 sees no token, so its weights add to nothing: let the mask leave it one",
        {"given": {"Q": Q, "K": K, "V": V}, "mask": [[1, 1, 1], [0, 1, 0], [1, 1, 1]]},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "mask": [[1, 1, 2], [1, 0, 0], [1, 1, 1]]},
        "mask, row 1, column 3 is 2: write 1 where a token may be seen, 0 where not",
        {"given": {"Q": Q, "K": K, "V": V}, "mask": [[1, 1, 1], [1, 0, 0], [1, 1, 1]]},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "padding": [4]},
        "token 4 is padding, but there are 3 tokens to look at: name one of them",
        {"given": {"Q": Q, "K": K, "V": V}, "padding": [3]},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "padding": [0]},
        "token 0 is padding, but there are 3 tokens to look at: name one of them",
        {"given": {"Q": Q, "K": K, "V": V}, "padding": [1]},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "subtract_max": 1},
        '"subtract_max" is 1: write true, or leave it out',
        {"given": {"Q": Q, "K": K, "V": V}, "subtract_max": True},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "padding": 3},
        "the padding is 3: write the tokens that nobody sees, counted from 1, such as [4]",
        {"given": {"Q": Q, "K": K, "V": V}, "padding": [3]},
    ),
    (
        {"given": {"Q": [[1, 1]], "K": [[1, 0], [-1, 0]], "V": [[1], [2]]}, "rules": {"scale": "none", "base": "none"}},
        'the scores of query 1 add to 0, so they have no plain shares: change a number, or take powers, `base="3"`',
        {"given": {"Q": [[1, 1]], "K": [[1, 0], [-1, 0]], "V": [[1], [2]]}, "rules": {"scale": "none", "base": "3"}},
    ),
    (
        {"given": {"S": [[1, 2]]}, "rules": {"scale": "sqrt"}},
        "the scale sqrt stands for √d_k, which is not known where scores are given: leave it out, or write the number "
        'to divide by, such as "scale": 2',
        {"given": {"S": [[1, 2]]}, "rules": {"scale": 2}},
    ),
    (
        {"given": {"Q": [[1, 2]], "K": K, "V": V}, "mask": "causal"},
        "there are not as many queries as keys, so which key comes later is not said: leave out the causal mask",
        {"given": {"Q": [[1, 2]], "K": K, "V": V}},
    ),
    (
        {"given": {"Q": [[1, 2]], "K": [[1, 0]], "V": [[1]]}},
        "Q has 1 rows, so tokens would be 1: it can be 2 to 12",
        {"given": {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[1], [2]]}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "ends_with": "Y"},
        "\"ends_with\" is 'Y', which self attention does not work: write Q, K, V, S, scaled, powers, sums, A or Z, or "
        "leave it out",
        {"given": {"Q": Q, "K": K, "V": V}},
    ),
    (
        {"given": {"Q": Q, "K": K, "V": V}, "ends_with": "scaled", "rules": {"scale": "none"}},
        "self attention does not work scaled, so it cannot end with it: it works Q, K, V, S, powers, sums, A or Z",
        {"given": {"Q": Q, "K": K}, "ends_with": "S", "rules": {"scale": "none"}},
    ),
    (
        {"given": {"X": K, "W_Q": W, "W_K": W}, "ends_with": "Q"},
        'W_K is given, but nothing reads it beside "ends_with": "Q": leave out W_K',
        {"given": {"X": K, "W_Q": W}, "ends_with": "Q"},
    ),
    (
        {"mechanism": "cross", "given": {"M": K, "W_K": W}, "ends_with": "K"},
        "no queries are on a sheet that ends with K: end it later",
        {"mechanism": "cross", "given": {"X": Q, "M": K, "W_Q": W, "W_K": W}, "ends_with": "S"},
    ),
    (
        {"mechanism": "next-token", "given": {"R2": [[1, 2]]}, "norm": "rms", "ends_with": "N3"},
        "no words are on a sheet that ends with N3: end it later",
        {"mechanism": "next-token", "given": {"R2": [[1, 2]], "W_U": [[1, 2, 0], [0, 1, 1]]}, "norm": "rms"}
        | {"ends_with": "logits"},
    ),
]


@pytest.mark.parametrize(("wrong", "message", "right"), REFUSED, ids=[message[:40] for _, message, _ in REFUSED])
def test_a_refusal_says_what_to_do_and_that_works(wrong: Any, message: str, right: Any) -> None:
    """One sentence; whoever follows it gets a sheet."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.solve({**ROWS, **wrong})
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert attnhand.solve({**ROWS, **right}).solution


# drawn sheets

DRAWN: dict[str, dict[str, Any]] = {
    "queries, keys and values": {"begin_with": "Q,K,V"},
    "scores": {"begin_with": "S"},
    "scores less the largest": {"begin_with": "S", "subtract_max": True},
    "weights and values": {"begin_with": "A,V"},
    "scores and values, causal": {"begin_with": "S,V", "causal": True},
    "one query": {"begin_with": "Q,K,V", "query_count": 1},
    "one query of a warm-up": {"begin_with": "Q,K,V", "query_count": 1, "level": "warm-up"},
    "one query of a challenge": {"begin_with": "Q,K,V", "query_count": 1, "level": "challenge"},
    "two queries of cross-attention": {"mechanism": "cross", "query_count": 2},
    "one query of cross-attention": {"mechanism": "cross", "query_count": 1},
    "padding": {"padding": "4"},
    "two of padding": {"padding": "3,4", "tokens": 5},
    "padding under a mask": {"padding": "2", "causal": True, "subtract_max": True},
    "the largest subtracted": {"subtract_max": True},
    "the largest subtracted, exactly": {"subtract_max": True, "rules": "exact"},
    "heads that begin with queries": {"mechanism": "multi-head", "begin_with": "Q,K,V"},
    "a block that begins with queries": {"mechanism": "block", "begin_with": "Q,K,V"},
    "plain shares": {"base": "none"},
    "plain shares of tokens": {"mechanism": "basic", "base": "none"},
    "nothing divided": {"scale": "none"},
}


def work_again(problem: Problem) -> dict[str, Any]:
    """Work one head by hand from a problem file, in fractions, tokens as rows: nothing of the package is asked."""
    data = json.loads(format_problem(problem if problem.convention.is_rows else problem.transpose()))
    given = {
        name: np.array([[Fraction(str(x)) for x in row] for row in a], dtype=object)
        for name, a in data["given"].items()
        if name not in ("heads", "groups")
    }
    rules, found = data["rules"], dict[str, Any]()

    def take(name: str, work: Any) -> Any:
        if name in given:
            return given[name]
        found[name] = work()
        return found[name]

    memory = given.get("M", given.get("X"))
    if "A" not in given:
        if data["mechanism"] == "basic" or "S" in given:
            S = take("S", lambda: given["X"] @ given["X"].T)
        else:
            queries, keys = (
                take("Q", lambda: given["X"] @ given["W_Q"]),
                take("K", lambda: memory @ given["W_K"]),
            )
            S = take("S", lambda: queries @ keys.T)
        if rules["scale"] == "half-floor":
            S = take("scaled", lambda: np.vectorize(lambda x: Fraction(math.floor(x / 2)), otypes=[object])(S))
        seen = np.ones(S.shape, dtype=bool)
        if data.get("mask") == "causal":
            seen &= np.tri(*S.shape).astype(bool)
        seen[:, [key - 1 for key in data.get("padding", [])]] = False
        if not seen.all():
            found["masked"] = np.where(seen, S, None)
        if data.get("subtract_max"):
            largest = np.array(
                [max(x for x, sees in zip(*row, strict=True) if sees) for row in zip(S, seen, strict=True)]
            )
            S = S - largest[:, np.newaxis]
            found["shifted"] = np.where(seen, S, None)
        shares = S
        if rules["base"] != "none":
            base = Fraction(int(rules["base"]))
            found["powers"] = shares = np.vectorize(
                lambda x, sees: base ** int(x) if sees else Fraction(0), otypes=[object]
            )(S, seen)
        found["sums"] = shares.sum(axis=1)[:, np.newaxis]
        found["A"] = shares / found["sums"]
    if data.get("ends_with") != "A":
        values = given["X"] if data["mechanism"] == "basic" else take("V", lambda: memory @ given["W_V"])
        found["Z"] = given.get("A", found.get("A")) @ values
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_every_seed_gives_a_good_sheet_and_a_right_key(name: str) -> None:
    """By the predicates that are asked of it, and by an independent computation; its code gives it back."""
    drawn = set()
    for seed in range(choose(25, 1000)):
        request = SheetOrder(**{"seed": seed, **DRAWN[name]}).make_request(seed)
        problem = generate_problem(request)
        assert request.whole == request or find_fault(request, problem) is None
        assert problem.variant == request.variant
        for each in (problem, problem.transpose()) if seed % 5 == 0 else (problem,):
            solution = prove(solve(each))
            if "exact" not in name and not name.startswith(("heads", "a block")):
                again = work_again(each)
                assert sorted(again) == sorted(list_stages(each))
                for solved in solution:
                    hand = solved.hand if each.convention.is_rows else tuple(zip(*solved.hand, strict=True))
                    expected = [
                        [Decimal("-Infinity") if x is None else x for x in row] for row in again[solved.stage.name]
                    ]
                    assert [list(row) for row in hand] == expected, (seed, solved.stage.name)
        drawn.add(problem.given)
    assert len(drawn) > 0.99 * choose(25, 1000)  # of three small matrices two may be alike


@pytest.mark.parametrize("name", DRAWN)
def test_another_seed_is_asked_for_alike(name: str) -> None:
    """As a class does, whose sheets differ in nothing else; a request that was read once can be read again."""
    request = SheetOrder(**DRAWN[name]).make_request(7)
    assert replace(request, seed=8) == SheetOrder(**DRAWN[name]).make_request(8)
    assert replace(request, seed=7) == request


@pytest.mark.parametrize("name", DRAWN)
def test_its_code_gives_the_sheet_back(name: str) -> None:
    """With what it begins with, how many queries, padding and the largest."""
    for seed in range(3):
        sheet = attnhand.generate(seed, **DRAWN[name])
        again = attnhand.key(sheet.code)
        assert again.problem == sheet.problem
        assert again.request == sheet.request
        assert attnhand.solve(sheet.to_dict()).solution.stages == sheet.solution.stages


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"query_count": 1}, "leaves tokens without a query, but here every token asks"),
        ({"begin_with": "Q,K,V", "query_count": 5}, "`query_count=5` is out of range: use 1 to 4"),
        ({"begin_with": "Y"}, "`begin_with=` names Y, which self attention does not work: use Q, K, V, S"),
        ({"begin_with": "Z"}, "Z is all there is to work: give less"),
        ({"begin_with": "Q,K,V", "words": "a b c a", "embed": True}, "looks up no words"),
        ({"begin_with": ""}, "`begin_with=` lacks a name: write those of stages with commas"),
        ({"begin_with": "Q,,V"}, "`begin_with=` lacks a name"),
        ({"begin_with": "S", "story": "elephant"}, '`begin_with="S"` contradicts the story elephant'),
        ({"padding": "0"}, "`padding=` names token 0, but there are 4 to look at"),
        ({"padding": "5"}, "`padding=` names token 5, but there are 4 to look at"),
        ({"padding": "1,2,3"}, "leaves a query too little to look at"),
        ({"padding": "four"}, "`padding=` 'four' is no list of tokens: write numbers with commas"),
        ({"base": "none", "causal": True}, "only a power makes 0 of that"),
        ({"base": "none", "subtract_max": True}, "only powers keep them"),
    ],
)
def test_options_that_make_no_sheet_are_refused(options: dict[str, Any], message: str) -> None:
    """With the reason, and what to say instead."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(7, **options)
    assert message in str(refusal.value)


def test_one_query_is_a_small_sheet() -> None:
    """Three to six cells a stage, questions about that query alone, and words for what it looks at."""
    sheet = attnhand.generate(7, begin_with="Q,K,V", query_count=1, words="the cat saw birds")
    assert sheet.answer_cell_count == 4 + 4 + 4 + 1 + 4 + 3
    text = render_terminal(sheet)
    assert "1 query · 4 keys" in text
    assert "birds" in text
    assert "q₂" not in text


def test_no_question_turns_on_digits_that_are_not_printed() -> None:
    """Shares of 1.00 and 0.00 say nothing of what would be more, and two of 0.00 not which is the least."""
    rules = {"scale": "sqrt", "base": "e"}
    large = {"Q": [[12, 30], [1, 2]], "K": [[12, 30], [8, 20]], "V": [[1, 0], [0, 1]]}
    text = render_terminal(attnhand.solve({**ROWS, "given": large, "rules": rules}, questions="many"))
    assert "were not scaled" not in text
    assert "were doubled" not in text
    masked = PUBLISHED["deepml-107b"]["problem"]
    text = "".join(render_terminal(attnhand.solve(masked, questions=amount)) for amount in ("few", "many"))
    assert "add to 1.0000" not in text
    assert "were not scaled" not in text
    least = {**ROWS, "rules": {**rules, "scale": "none"}}
    for score, is_asked in ((-9, False), (1, True)):
        scores = {"given": {"S": [[5, score, -8]]}}
        text = render_terminal(attnhand.solve({**least, **scores}, questions="many"))
        assert ("the smallest share" in text) == is_asked


@pytest.mark.parametrize("name", ["S", "scaled", "shifted", "powers"])
def test_the_head_says_what_is_given(name: str) -> None:
    """Weights of what is given, whatever that would have been worked from."""
    given = {"given": {name: [[0, -1, -2]]}, "subtract_max": name == "shifted"}
    head = "A = shares_rows(powers)" if name == "powers" else f"A = softmax_rows({name})"
    assert head in render_terminal(attnhand.solve({**ROWS, **given}))
