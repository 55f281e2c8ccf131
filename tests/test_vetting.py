"""What makes a sheet good: each predicate lets a good stage pass and stops a poor one."""

from typing import NamedTuple

import pytest

from attnhand.arithmetic import Arithmetic, Base, Rules, Scale
from attnhand.generator import generate_problem
from attnhand.mechanisms import MECHANISMS
from attnhand.request import Request
from attnhand.vetting import (
    PREDICATES,
    Level,
    Predicate,
    Requirements,
    Worked,
    failed_wish,
    requirements,
    vetted_output,
)
from tests.building import one_line
from tests.good_sheet import LEVELS, faults


def wanted(
    level: Level = Level.STANDARD, *, tokens: int = 4, rules: Rules | None = None, d_k: int = 3, ties: bool = False
) -> Requirements:
    """Return what a level asks for."""
    return requirements(level, tokens, Arithmetic(rules=rules or Rules(), d_k=d_k), ties=ties)


def wish(name: str, *inputs: str, asked: Requirements | None = None) -> str | None:
    """Work a stage of self-attention from these inputs and return the wish it does not meet."""
    asked = asked or wanted()
    stage = MECHANISMS["self"].stage(name)
    matrices = tuple(map(one_line, inputs))
    output = vetted_output(stage, matrices, asked)
    assert output is not None
    return failed_wish(Worked(stage, matrices, output, asked))


class Example(NamedTuple):
    """A stage, what it reads when it is good, and what it reads when one wish is not met."""

    predicate: str
    stage: str
    good: tuple[str, ...]
    poor: tuple[str, ...]


GOOD_SCORES = "-1 3 0; -3 -1 5; 2 1 -4"
"""Scaled: −1 1 0; −2 −1 2; 1 0 −2."""

EXAMPLES = (
    Example("rows-alive", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 0", "1 2; 1 -1")),  # a row of Q is zero
    Example("rows-alive", "K", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "0 2; 0 -1")),  # a column of K is zero
    Example("rows-alive", "V", ("1 0; 0 1", "1 2; 1 -1"), ("1 1; 1 1", "1 2; 1 -1")),  # two rows of V are equal
    Example("in-range", "scaled", (GOOD_SCORES,), ("-1 3 0; -3 -1 10; 2 1 -4",)),  # 10 is scaled to 5
    Example("in-range", "scaled", (GOOD_SCORES,), ("-1 3 0; -3 -1 5; 2 1 -5",)),  # −5 is scaled to −3
    Example("negative-score", "scaled", (GOOD_SCORES,), ("1 3 0; 3 1 5; 2 0 8",)),
    Example("floor-shows", "scaled", (GOOD_SCORES,), ("-1 3 0; -2 -2 5; 2 1 -4",)),  # one odd negative score
    Example("not-flat", "scaled", (GOOD_SCORES,), ("-1 3 0; -1 -1 5; -2 1 -3",)),  # −1 −1 −1
    Example("few-on-top", "scaled", (GOOD_SCORES,), ("-1 3 5; -3 -1 5; 2 1 -4",)),
    Example("few-on-top", "scaled", (GOOD_SCORES,), ("-1 3 4; -3 -1 5; 2 1 -4",)),  # rounding down makes the tie
    Example(
        "readable",
        "A",
        ("9 1 3; 1/3 1/9 1; 1 3 1/3", "31/3 37/9 13/3"),
        ("9 1 3; 1/9 1/9 1; 81 3 1/3", "811/9 37/9 13/3"),
    ),
    Example("slips-show", "scaled", (GOOD_SCORES,), ("-1 2 0; -3 -1 4; 2 0 -4",)),  # cutting off is rounding up here
    Example("slips-show", "powers", ("-1 1 0; -2 -1 2; 1 0 -2",), ("0 1 2; 2 0 1; 1 2 -1",)),  # one negative power
    Example("slips-show", "powers", ("0 2 0; 2 0 2; 1 0 2",), ("1 1 1; 1 0 1; 1 1 1",)),  # 3·1 is 3¹
    Example("slips-show", "A", ("9 1; 1/3 3", "28/3 4"), ("1 3; 3 1", "4 4")),  # symmetric
    Example(
        "slips-show",
        "Z",
        ("1 0 2; 0 3 1", "1/2 1/3 1/6; 1/6 1/2 1/3; 1/3 1/6 1/2"),
        ("1 1 1; 2 2 2", "1/2 1/3 1/6; 1/6 1/2 1/3; 1/3 1/6 1/2"),
    ),
)


def named(name: str) -> Predicate:
    """Return the only predicate of that name."""
    (found,) = (predicate for predicate in PREDICATES if predicate.name == name)
    return found


def scaled_stage(scores: str, asked: Requirements) -> Worked:
    """Return the stage that scales these scores."""
    stage, inputs = MECHANISMS["self"].stage("scaled"), (one_line(scores),)
    output = vetted_output(stage, inputs, asked)
    assert output is not None
    return Worked(stage, inputs, output, asked)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.predicate}-{example.stage}")
def test_a_good_stage_meets_every_wish(example: Example) -> None:
    """The good inputs of each example pass all predicates of their stage."""
    assert wish(example.stage, *example.good) is None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.predicate}-{example.stage}")
def test_a_poor_stage_fails_its_own_wish(example: Example) -> None:
    """The poor inputs fail the predicate that they are about, and no earlier one."""
    expected = {predicate.wish for predicate in PREDICATES if predicate.name == example.predicate}
    assert wish(example.stage, *example.poor) in expected


def test_a_tie_made_by_rounding_down_is_seen() -> None:
    """5 and 4 are both halved to 2: the top of the column is no longer one token."""
    predicate = named("few-on-top")
    assert predicate.holds(scaled_stage(GOOD_SCORES, wanted()))
    assert not predicate.holds(scaled_stage("-1 3 4; -3 -1 5; 2 1 -4", wanted()))
    assert predicate.holds(scaled_stage("-1 3 4; -3 -1 5; 2 1 -4", wanted(ties=True)))


def test_every_predicate_has_an_example() -> None:
    """No predicate goes untried."""
    assert {example.predicate for example in EXAMPLES} == {predicate.name for predicate in PREDICATES}


def test_the_predicates_stand_in_the_order_that_decides_what_a_seed_gives() -> None:
    """Names, and the order in which they are asked, belong to recipe 1."""
    assert [predicate.name for predicate in PREDICATES] == [
        "rows-alive",
        "in-range",
        "negative-score",
        "floor-shows",
        "not-flat",
        "few-on-top",
        "readable",
        *["slips-show"] * 4,
    ]


@pytest.mark.parametrize(
    ("level", "negative"), [(Level.WARM_UP, False), (Level.STANDARD, True), (Level.CHALLENGE, True)]
)
def test_what_a_level_asks(level: Level, negative: bool) -> None:
    """Scaled scores of a warm-up lie in 0 to 4, all others in −2 to 4 with fractions among the powers."""
    asked = wanted(level)
    assert (asked.lowest, asked.highest, asked.shows_fractions) == (-2 if negative else 0, 4, negative)
    assert (asked.most_on_top, asked.largest_denominator) == (1, 100)


@pytest.mark.parametrize(
    ("tokens", "base", "denominator", "on_top"),
    [
        (2, Base.THREE, 100, 1),
        (6, Base.THREE, 100, 1),
        (7, Base.THREE, 400, 1),
        (8, Base.THREE, 400, 2),
        (9, Base.THREE, 1000, 2),
        (12, Base.TWO, 1000, 3),
        (4, Base.TEN, 10_000, 1),
        (12, Base.TEN, 10_000, 3),
        (4, Base.E, None, 1),
    ],
)
def test_what_no_draw_can_meet_is_dropped_by_size_and_rule(
    tokens: int, base: Base, denominator: int | None, on_top: int
) -> None:
    """Above 6 tokens a quarter share the top, denominators reach 400, above 8 1,000; base 10: 10,000; e: any."""
    asked = wanted(tokens=tokens, rules=Rules(base=base))
    assert (asked.largest_denominator, asked.most_on_top) == (denominator, on_top)


def test_roots_and_divisors_have_no_denominators_and_ties_may_be_allowed() -> None:
    """√ and ÷ 4 give decimals; with ties allowed no top need be unique."""
    assert wanted(rules=Rules(scale=Scale.SQRT)).largest_denominator is None
    assert wanted(rules=Rules(scale=4)).largest_denominator is None
    assert wanted(rules=Rules(scale=Scale.NONE)).largest_denominator == 100
    assert wanted(ties=True).most_on_top == 4


@pytest.mark.parametrize(("largest", "d_k", "fits"), [(6, 3, True), (7, 3, False), (8, 4, True), (9, 4, False)])
def test_scores_under_a_root_are_compared_by_their_squares(largest: int, d_k: int, fits: bool) -> None:
    """6/√3 is below 4, 7/√3 above; 8/√4 is 4; no root is taken."""
    asked = wanted(rules=Rules(scale=Scale.SQRT), d_k=d_k)
    failed = wish("scaled", f"-1 3 0; -3 -1 {largest}; 2 1 -2", asked=asked)
    assert failed == (None if fits else named("in-range").wish)


def test_negative_scores_under_a_root_are_compared_by_their_squares() -> None:
    """−3/√3 is above −2, −4/√3 below it; in a warm-up no score is negative."""
    rules = Rules(scale=Scale.SQRT)
    assert wish("scaled", "-1 3 0; -3 -1 5; 2 1 -3", asked=wanted(rules=rules)) is None
    assert wish("scaled", "-1 3 0; -3 -1 5; 2 1 -4", asked=wanted(rules=rules)) == named("in-range").wish
    warm_up = wanted(Level.WARM_UP, rules=rules)
    assert wish("scaled", "1 3 0; 0 1 5; 2 0 -1", asked=warm_up) == named("in-range").wish


@pytest.mark.parametrize(
    "rules", [Rules(base=Base.E), Rules(scale=Scale.SQRT), Rules(scale=3), Rules(scale=Scale.SQRT, base=Base.E)]
)
def test_irrational_powers_are_left_out(rules: Rules) -> None:
    """No exponential or root decides: a power that is no fraction is not worked while vetting."""
    stage = MECHANISMS["self"].stage("powers")
    assert vetted_output(stage, (one_line("1 -1"),), wanted(rules=rules)) is None


def test_a_root_leaves_the_scores_to_stand_for_themselves() -> None:
    """Division by a root keeps the order of the scores."""
    stage = MECHANISMS["self"].stage("scaled")
    assert vetted_output(stage, (one_line("3 -1"),), wanted(rules=Rules(scale=Scale.SQRT))) == one_line("3 -1")


def test_levels_are_three() -> None:
    """The levels that are described elsewhere in the tests are those of the program."""
    assert tuple(level.value for level in Level) == LEVELS


POOR_SHEETS = {
    "a column of X is empty": {"X": "1 0; 1 0", "W_Q": "1 0", "W_K": "1 0", "W_V": "0 1"},
    "a row of a W is empty": {"X": "1 0; 1 2", "W_Q": "0 0", "W_K": "1 0", "W_V": "0 1"},
    "two tokens are alike": {"X": "1 1; 1 1", "W_Q": "1 1", "W_K": "1 0", "W_V": "0 1"},
    "two rows among the W are equal": {"X": "1 0; 1 2", "W_Q": "1 0", "W_K": "1 0", "W_V": "0 1"},
    "a row or column of Q is zero": {"X": "1 0; 1 2", "W_Q": "1 0", "W_K": "1 1", "W_V": "0 1"},
    "two rows of V are equal": {"X": "1 2; 1 2", "W_Q": "1 0", "W_K": "1 1", "W_V": "0 1; 1 0"},
    "a score is negative": {"X": "1 0; 1 2", "W_Q": "1 0", "W_K": "1 -2", "W_V": "0 1"},
    "the score 16 is too far from 0 once scaled": {"X": "1 4; 1 2", "W_Q": "1 0", "W_K": "1 0", "W_V": "0 1"},
    "a denominator in A is 244": {"X": "1 3; 1 2", "W_Q": "1 0", "W_K": "2 -1", "W_V": "0 1"},
    "a column of A is flat": {"X": "1 0; 1 1", "W_Q": "1 0", "W_K": "0 1", "W_V": "1 1"},
    "too many tokens share the largest weight of a query": {"X": "1 0; 1 1", "W_Q": "1 0", "W_K": "0 1", "W_V": "1 1"},
    "rounding down makes a tie": {"X": "1 1; 2 3", "W_Q": "1 0", "W_K": "0 1", "W_V": "1 1"},
    "other axis shows in fewer than two cells": {"X": "1 0; 0 1", "W_Q": "1 0; 0 1", "W_K": "2 4; 4 2", "W_V": "1 1"},
}


@pytest.mark.parametrize("fault", POOR_SHEETS)
def test_the_second_description_of_good_sheets_stops_poor_ones(fault: str) -> None:
    """What checks a thousand seeds elsewhere does find the faults it is there for."""
    given = {name: one_line(text) for name, text in POOR_SHEETS[fault].items()}
    assert fault in faults(given, "warm-up")


def test_the_second_description_of_good_sheets_lets_a_good_one_pass_and_stops_its_neighbours() -> None:
    """A drawn sheet is good; with one entry changed it is mostly not, and each stage's predicates find something."""
    given = dict(generate_problem(Request(seed=7)).given)
    assert faults(given, "standard") == []
    found = set()
    for name, a in given.items():
        for i, row in enumerate(a):
            for j, value in enumerate(row):
                changed = [list(line) for line in a]
                changed[i][j] = value + 1 if value < 1 else value - 2
                found.update(faults({**given, name: changed}, "standard"))
    assert len(found) >= 8
