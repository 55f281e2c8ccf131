"""Attention does something on every drawn sheet: a few seeds of each option, as ``make sweep`` has a thousand."""

import json
from typing import Any

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from tests.breadth import choose
from tests.forms import FORMS
from tests.good_attention import find_faults
from tests.problems.sweep import SWEPT_FORMS, SWEPT_SIZES, check_sheets, list_cases

SEEDS = range(2)
FEWER_SEEDS = range(1)
"""Of other sizes."""

CASES = [
    pytest.param(*case, id=f"{case[0]}-{case[2]}")
    for case in list_cases()
    if case[0] not in FORMS  # those are swept with their keys, in test_sweep and test_mechanism_sweep
]


@pytest.mark.parametrize(("name", "variant", "level", "sizes"), choose(CASES[::3], CASES))
def test_attention_does_something(
    name: str, variant: Variant, level: Level, sizes: tuple[tuple[str, int], ...]
) -> None:
    """No seed is refused, and no sheet is dull, in columns or in rows."""
    seeds = FEWER_SEEDS if sizes else SEEDS
    assert [*check_sheets(name, variant, level, seeds, sizes)] == []


def test_every_option_is_swept() -> None:
    """Each form at each level, and some sizes; nothing is left out that other sweeps do not have."""
    assert {(case[0], case[2]) for case in list_cases()} == {
        (name, level) for name in (*SWEPT_FORMS, *SWEPT_SIZES) for level in Level
    }
    assert set(FORMS) < set(SWEPT_FORMS)
    assert len(CASES) == (len(SWEPT_FORMS) - len(FORMS) + len(SWEPT_SIZES)) * len(Level) > 50


def change_entries(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the matrices with one entry changed, a copy for each entry and change."""
    changed = []
    for name, rows in given.items():
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                for other in {-1, 0, 1, 2, 3} - {value}:
                    copied = json.loads(json.dumps(given))
                    copied[name][i][j] = other
                    changed.append(copied)
    return changed


@pytest.mark.parametrize(
    ("mechanism", "causal", "expected"),
    [
        ("self", False, {"a line of queries", "two queries", "two keys", "two values", "a score", "columns", "outputs",
                         "query", "the query that", "a query has"}),
        ("self", True, {"two queries", "two keys", "a score", "query", "queries have nothing"}),
        ("cross", False, {"two queries", "two keys", "a score", "queries have fewer"}),
        ("basic", False, {"a feature of X", "two tokens of X", "two queries", "a score", "a query has"}),
    ],
)  # fmt: skip
def test_what_checks_sheets_finds_dull_ones(mechanism: str, causal: bool, expected: set[str]) -> None:
    """Of good sheets with one entry changed many are dull, each in the way that is said."""
    found: set[str] = set()
    for seed in choose((1, 3), (0, 1, 3)):
        request = Request(seed=seed, variant=Variant(mechanism=mechanism, is_causal=causal))
        problem = json.loads(format_problem(generate_problem(request)))
        assert find_faults(problem, "standard") == []
        for given in change_entries(problem["given"]):
            found.update(find_faults({**problem, "given": given}, "standard"))
    begins = {fault.removeprefix("head 1: ") for fault in found}
    assert {each for each in expected if not any(fault.startswith(each) for fault in begins)} == set()


@pytest.mark.parametrize(("name", "mechanism"), [("X", "self"), ("M", "cross")])
def test_dull_tokens_are_found(name: str, mechanism: str) -> None:
    """Two tokens alike, one that is zero, and a feature that nobody has."""
    request = Request(seed=3, variant=Variant(mechanism=mechanism), convention=Convention.ROWS)
    problem = json.loads(format_problem(generate_problem(request)))
    tokens = problem["given"][name]
    for spoilt, fault in (
        ([tokens[1], *tokens[1:]], f"two tokens of {name} are alike"),
        ([[0] * len(tokens[0]), *tokens[1:]], f"a token of {name} is zero"),
        ([[0, *token[1:]] for token in tokens], f"a feature of {name} is zero for all"),
    ):
        assert fault in find_faults({**problem, "given": {**problem["given"], name: spoilt}}, "standard")


def test_queries_that_look_at_themselves_alone_are_found() -> None:
    """Keys along the axes, each query along its own."""
    problem = {
        "mechanism": "self", "convention": "rows",
        "given": {"X": [[1, 0], [0, 1]], "W_Q": [[2, 0], [0, 2]], "W_K": [[1, 0], [0, 1]], "W_V": [[1], [2]]},
    }  # fmt: skip
    assert "head 1: queries have nothing but their own tokens for favourites" in find_faults(problem, "standard")


def test_two_heads_alike_are_found() -> None:
    """Two heads with the same weights have the same favourites."""
    problem = json.loads(format_problem(generate_problem(Request(seed=3, variant=Variant(mechanism="multi-head")))))
    assert find_faults(problem, "standard") == []
    problem["given"]["heads"][1] = problem["given"]["heads"][0]
    assert "heads 1 and 2 have the same favourites" in find_faults(problem, "standard")


def test_a_favourite_that_is_another_one_exactly_is_found() -> None:
    """By hand position 1 adds sin 1 = 1 and cos 1 = 1 to the word, exactly 0.84 and 0.54: k₂ falls behind k₁."""
    problem = {
        "mechanism": "basic", "convention": "rows", "words": ["a", "b"], "positions": "sinusoidal",
        "given": {"embedding": {"a": [2, 1], "b": [0, 0]}},
    }  # fmt: skip
    # tokens by hand (2, 2), (1, 1); exactly (2, 2), (0.84, 0.54): nobody changes favourites here …
    assert "head 1: a favourite is another one exactly" not in find_faults(problem, "standard")
    # … but here by hand x₂ = (1, 2) likes itself, 5 to 4, and exactly x₂ = (0.84, 1.54) likes x₁ = (2, 1), 3.22 to 3.08
    problem["given"] = {"embedding": {"a": [2, 0], "b": [0, 1]}}
    assert "head 1: a favourite is another one exactly" in find_faults(problem, "standard")
