"""What makes a sheet good: each predicate lets a good stage pass and stops a poor one."""

from dataclasses import replace
from typing import NamedTuple

import pytest

from attnhand.attention.arithmetic import Arithmetic, Base, Rules, ScaleRule
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.base import AttentionStages
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.attention.operations import Divide, Operation, Power, Product, ProductRole, ReLU, ScaleScores
from attnhand.attention.slips import StageContext
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level, Requirements, choose_requirements
from attnhand.problems.request import Request
from attnhand.problems.vetting import PREDICATES, Predicate, WorkedStage, find_first_failed
from tests.building import parse_matrix
from tests.good_sheet import LEVELS, find_sheet_faults


def make_level_demands(
    level: Level = Level.STANDARD,
    *,
    tokens: int = 4,
    rules: Rules | None = None,
    d_k: int = 3,
    ties: bool = False,
    alike: tuple[int, ...] = (),
) -> Requirements:
    """Return what a level asks for."""
    return choose_requirements(
        level, tokens, Arithmetic(rules=rules or Rules(), d_k=d_k), allow_ties=ties, first_occurrences=alike
    )


BLOCK, BASIC = Variant(mechanism="block").build_mechanism(), Variant(mechanism="basic").build_mechanism()
"""Self-attention, and two layers after it."""


def work_stage(name: str, *inputs: Matrix, demands: Requirements | None = None) -> WorkedStage:
    """Work a stage of a block from these inputs."""
    demands, stage = demands or make_level_demands(), BLOCK.get_stage(name)
    context = StageContext(BLOCK, stage, demands.arithmetic, dict(zip(stage.input_names, inputs, strict=True)))
    return WorkedStage(context, demands)


def find_failed_predicate(name: str, *inputs: str, demands: Requirements | None = None) -> str | None:
    """Work a stage of a block from these inputs and return what it fails."""
    return find_first_failed(work_stage(name, *map(parse_matrix, inputs), demands=demands))


def find_failed_predicate_of_scores(scores: str, demands: Requirements) -> str | None:
    """Scale the scores and raise a power to them; return the first predicate that fails."""
    scaled = work_stage("scaled", parse_matrix(scores), demands=demands)
    return find_first_failed(scaled) or find_first_failed(work_stage("powers", scaled.output, demands=demands))


class Example(NamedTuple):
    """A stage, what it reads when it is good, and what it reads when one predicate fails."""

    predicate: str
    stage: str
    good: tuple[str, ...]
    poor: tuple[str, ...]


GOOD_SCORES = "-1 3 0; -3 -1 5; 2 1 -4"
"""Scaled: −1 1 0; −2 −1 2; 1 0 −2."""

GOOD_EXPONENTS = "-1 1 0; -2 -1 2; 1 0 -2"

EXAMPLES = (
    Example("rows-alive", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 0", "1 2; 1 -1")),  # a row of Q is zero
    Example("rows-alive", "K", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "0 2; 0 -1")),  # a column of K is zero
    Example("rows-alive", "V", ("1 0; 0 1", "1 2; 1 -1"), ("1 1; 1 1", "1 2; 1 -1")),  # two rows of V are equal
    Example("in-range", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -2 -1 5; 1 0 -2",)),
    Example("in-range", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -2 -1 2; 1 0 -3",)),
    Example("negative-score", "powers", (GOOD_EXPONENTS,), ("0 1 0; 1 0 2; 2 0 4",)),
    Example("floor-shows", "scaled", (GOOD_SCORES,), ("-1 3 0; -2 -2 5; 2 1 -4",)),  # one odd negative score
    Example("not-flat", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -1 -1 2; -1 0 -2",)),
    Example("few-on-top", "powers", (GOOD_EXPONENTS,), ("-1 1 2; -2 -1 2; 1 0 -2",)),
    Example(
        "readable",
        "A",
        ("9 1 3; 1/3 1/9 1; 1 3 1/3", "31/3 37/9 13/3"),
        ("9 1 3; 1/9 1/9 1; 81 3 1/3", "811/9 37/9 13/3"),
    ),
    Example("slips-show", "scaled", (GOOD_SCORES,), ("-1 2 0; -3 -1 4; 2 0 -4",)),  # cutting off is rounding up here
    Example("slips-show", "powers", (GOOD_EXPONENTS,), ("0 1 2; 2 0 1; 1 2 -1",)),  # one negative power
    Example("slips-show", "A", ("9 1; 1/3 3", "28/3 4"), ("1 3; 3 1", "4 4")),  # symmetric
    Example(
        "slips-show",
        "Z",
        ("1 0 2; 0 3 1", "1/2 1/3 1/6; 1/6 1/2 1/3; 1/3 1/6 1/2"),
        ("1 1 1; 2 2 2", "1/2 1/3 1/6; 1/6 1/2 1/3; 1/3 1/6 1/2"),
    ),
    Example("layer-alive", "F1", ("1 0; 1 -1", "1; 0", "1/2 1; 2 1/3"), ("1 0; 1 -1", "0; 0", "1/2 1; 1/2 1")),
    Example("readable", "F1", ("1 0; 1 -1", "1; 0", "1/2 1; 2 1/3"), ("1 0; 1 1", "1; 0", "1/37 1; 1/28 1/3")),
    Example("bends", "relu1", ("1 -1/2; 3 0",), ("1 1/2; 3 0",)),  # nothing is cut
    Example("bends", "relu1", ("1 -1/2; 3 0",), ("-1 -1/2; -3 0",)),  # nothing is left
)


def find_predicate(name: str) -> Predicate:
    """Return the only predicate of that name."""
    (found,) = (predicate for predicate in PREDICATES if predicate.name == name)
    return found


def raise_scores(scores: str, demands: Requirements) -> WorkedStage:
    """Return the stage that raises a power to these scores once they are scaled."""
    return work_stage("powers", work_stage("scaled", parse_matrix(scores), demands=demands).output, demands=demands)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.predicate}-{example.stage}")
def test_a_good_stage_meets_every_criterion(example: Example) -> None:
    """The good inputs of each example pass all predicates of their stage."""
    assert find_failed_predicate(example.stage, *example.good) is None


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.predicate}-{example.stage}")
def test_a_poor_stage_fails_its_own_criterion(example: Example) -> None:
    """The poor inputs fail the predicate that they are about, and no earlier one."""
    expected = {predicate.description for predicate in PREDICATES if predicate.name == example.predicate}
    assert find_failed_predicate(example.stage, *example.poor) in expected


def test_a_tie_made_by_rounding_down_is_seen() -> None:
    """5 and 4 are both halved to 2: the top of the column is no longer one token."""
    predicate = find_predicate("few-on-top")
    assert predicate.is_met(raise_scores(GOOD_SCORES, make_level_demands()))
    assert not predicate.is_met(raise_scores("-1 3 4; -3 -1 5; 2 1 -4", make_level_demands()))
    assert predicate.is_met(raise_scores("-1 3 4; -3 -1 5; 2 1 -4", make_level_demands(ties=True)))
    assert find_failed_predicate_of_scores(GOOD_SCORES, make_level_demands()) is None
    assert find_failed_predicate_of_scores("-1 3 4; -3 -1 5; 2 1 -4", make_level_demands()) == predicate.description


def test_a_power_that_looks_like_a_product_is_seen() -> None:
    """3¹ is 3 · 1: where nearly every exponent is 1, the slip would not show."""
    (predicate,) = (p for p in PREDICATES if (p.name, p.operation_type) == ("slips-show", Power))
    assert predicate.is_met(work_stage("powers", parse_matrix("0 2 0; 2 0 2; 1 0 2")))
    assert not predicate.is_met(work_stage("powers", parse_matrix("1 1 1; 1 0 1; 1 1 1")))


MASKED: Matrix = (
    (0, 1, 2, 0),
    (MINUS_INFINITY, -1, 0, 1),
    (MINUS_INFINITY, MINUS_INFINITY, -1, 2),
    (MINUS_INFINITY, MINUS_INFINITY, MINUS_INFINITY, -2),
)
"""Exponents under a mask, all good; the first query sees itself alone."""


def test_only_what_a_mask_leaves_visible_is_judged() -> None:
    """−∞ is neither out of range nor negative, one visible score is neither flat nor a tie."""
    assert find_first_failed(work_stage("powers", MASKED)) is None
    positive: Matrix = tuple(tuple(max(x, -x) if x > MINUS_INFINITY else x for x in row) for row in MASKED)
    assert find_first_failed(work_stage("powers", positive)) == find_predicate("negative-score").description
    flat = (MASKED[0], (MINUS_INFINITY, 1, 0, 1), *MASKED[2:])
    assert find_first_failed(work_stage("powers", flat)) == find_predicate("not-flat").description
    tie = (MASKED[0], (MINUS_INFINITY, -1, 2, 1), *MASKED[2:])
    assert find_first_failed(work_stage("powers", tie)) == find_predicate("few-on-top").description
    far = (*MASKED[:3], (MINUS_INFINITY, MINUS_INFINITY, MINUS_INFINITY, -3))
    assert find_first_failed(work_stage("powers", far)) == find_predicate("in-range").description


def test_a_word_said_twice_is_no_tie() -> None:
    """Two tokens of one word share the top of every column; two of different words may not."""
    exponents = "-1 1 2; -2 -1 2; 1 0 -2"
    assert find_failed_predicate("powers", exponents) == find_predicate("few-on-top").description
    assert find_failed_predicate("powers", exponents, demands=make_level_demands(alike=(0, 0, 2))) is None
    assert (
        find_failed_predicate("powers", exponents, demands=make_level_demands(alike=(0, 1, 0)))
        == find_predicate("few-on-top").description
    )


def test_a_warm_up_may_have_nothing_for_relu_to_cut() -> None:
    """Something is left over at every level."""
    assert find_failed_predicate("relu1", "1 1/2; 3 0", demands=make_level_demands(Level.WARM_UP)) is None
    assert (
        find_failed_predicate("relu1", "-1 -1/2; -3 0", demands=make_level_demands(Level.WARM_UP))
        == find_predicate("bends").description
    )


def test_denominators_after_attention_reach_1000() -> None:
    """What several heads' outputs is readable up to there; under e and roots there is no limit."""
    layer = ("1 0; 0 1", "0; 0")
    assert find_failed_predicate("F1", *layer, "1/1000 1; 0 1") is None
    assert find_failed_predicate("F1", *layer, "1/1001 1; 0 1") is not None
    assert (
        find_failed_predicate("F1", *layer, "1/1001 1; 0 1", demands=make_level_demands(rules=Rules(base=Base.TEN)))
        is None
    )
    assert (
        find_failed_predicate("F1", *layer, "1/10001 1; 0 1", demands=make_level_demands(rules=Rules(base=Base.TEN)))
        is not None
    )
    assert (
        find_failed_predicate("F1", *layer, "1/10001 1; 0 1", demands=make_level_demands(rules=Rules(base=Base.E)))
        is None
    )


def find_failed_predicate_of_basic(X: str) -> str | None:
    """Compare tokens themselves and return what fails."""
    stage, x = BASIC.get_stage("S"), parse_matrix(X)
    context = StageContext(BASIC, stage, make_level_demands().arithmetic, {"X": x})
    return find_first_failed(WorkedStage(context, make_level_demands()))


def test_basic_attention_uses_every_feature() -> None:
    """A row of X without a number is a feature that nobody has; with few tokens it cannot be helped."""
    assert find_failed_predicate_of_basic("1 0 1; 0 1 -1; 1 1 0") is None
    assert find_failed_predicate_of_basic("1 0 1; 0 0 0; 1 1 0") == find_predicate("features-used").description
    assert find_failed_predicate_of_basic("1 0; 0 0; 1 1") is None
    assert find_failed_predicate_of_basic("1 0 1; 0 0 0; 1 1 0; 0 1 1; 1 0 0") is None


def find_role(operation: Operation) -> ProductRole | None:
    """Return what a product is for."""
    return operation.role if isinstance(operation, Product) else None


def test_every_predicate_has_an_example() -> None:
    """No predicate goes untried, at none of the stages it is asked at."""
    tried: set[tuple[str, type[Operation], ProductRole | None]] = {
        ("features-used", Product, ProductRole.SCORES)
    }  # at basic attention alone, tried above
    for example in EXAMPLES:
        operation = BLOCK.get_stage(example.stage).operation
        tried.add((example.predicate, type(operation), find_role(operation)))
    assert tried == {(predicate.name, predicate.operation_type, predicate.role) for predicate in PREDICATES}


def test_the_predicates_stand_in_the_order_that_decides_what_a_seed_gives() -> None:
    """Names, where they are asked and in which order belong to recipe 1."""
    assert [(predicate.name, predicate.operation_type, predicate.role) for predicate in PREDICATES] == [
        ("rows-alive", Product, ProductRole.PROJECTION),
        ("features-used", Product, ProductRole.SCORES),
        ("floor-shows", ScaleScores, None),
        ("slips-show", ScaleScores, None),
        ("in-range", Power, None),
        ("negative-score", Power, None),
        ("not-flat", Power, None),
        ("few-on-top", Power, None),
        ("slips-show", Power, None),
        ("readable", Divide, None),
        ("slips-show", Divide, None),
        ("slips-show", Product, ProductRole.MIXTURE),
        ("layer-alive", Product, ProductRole.LAYER),
        ("readable", Product, ProductRole.LAYER),
        ("bends", ReLU, None),
    ]


@pytest.mark.parametrize(
    ("level", "negative"), [(Level.WARM_UP, False), (Level.STANDARD, True), (Level.CHALLENGE, True)]
)
def test_what_a_level_asks(level: Level, negative: bool) -> None:
    """Scaled scores of a warm-up lie in 0 to 4, all others in −2 to 4 with fractions among the powers."""
    asked = make_level_demands(level)
    assert (asked.min_score, asked.max_score, asked.is_fraction_required) == (-2 if negative else 0, 4, negative)
    assert (asked.max_top_tokens, asked.max_denominator) == (1, 100)


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
    asked = make_level_demands(tokens=tokens, rules=Rules(base=base))
    assert (asked.max_denominator, asked.max_top_tokens) == (denominator, on_top)


def test_roots_and_divisors_have_no_denominators_and_ties_may_be_allowed() -> None:
    """√ and ÷ 4 give decimals; with ties allowed no top need be unique."""
    assert make_level_demands(rules=Rules(scale=ScaleRule.SQRT)).max_denominator is None
    assert make_level_demands(rules=Rules(scale=4)).max_denominator is None
    assert make_level_demands(rules=Rules(scale=ScaleRule.NONE)).max_denominator == 100
    assert make_level_demands(ties=True).max_top_tokens == 4


@pytest.mark.parametrize(("largest", "d_k", "fits"), [(6, 3, True), (7, 3, False), (8, 4, True), (9, 4, False)])
def test_scores_under_a_root_are_compared_by_their_squares(largest: int, d_k: int, fits: bool) -> None:
    """6/√3 is below 4, 7/√3 above; 8/√4 is 4; no root is taken."""
    asked = make_level_demands(rules=Rules(scale=ScaleRule.SQRT), d_k=d_k)
    failed = find_failed_predicate_of_scores(f"-1 3 0; -3 -1 {largest}; 2 1 -2", asked)
    assert failed == (None if fits else find_predicate("in-range").description)


def test_negative_scores_under_a_root_are_compared_by_their_squares() -> None:
    """−3/√3 is above −2, −4/√3 below it; in a warm-up no score is negative."""
    rules = Rules(scale=ScaleRule.SQRT)
    assert find_failed_predicate_of_scores("-1 3 0; -3 -1 5; 2 1 -3", make_level_demands(rules=rules)) is None
    assert (
        find_failed_predicate_of_scores("-1 3 0; -3 -1 5; 2 1 -4", make_level_demands(rules=rules))
        == find_predicate("in-range").description
    )
    warm_up = make_level_demands(Level.WARM_UP, rules=rules)
    assert find_failed_predicate_of_scores("1 3 0; 0 1 5; 2 0 -1", warm_up) == find_predicate("in-range").description


@pytest.mark.parametrize(
    "rules", [Rules(base=Base.E), Rules(scale=ScaleRule.SQRT), Rules(scale=3), Rules(scale=ScaleRule.SQRT, base=Base.E)]
)
def test_irrational_powers_are_left_out(rules: Rules) -> None:
    """No exponential or root decides: a power that is no fraction is not worked while vetting."""
    stage = work_stage("powers", parse_matrix("1 -1"), demands=make_level_demands(rules=rules))
    assert stage.rational_result is None
    assert find_first_failed(stage) is None
    assert (
        find_first_failed(work_stage("powers", parse_matrix("1 30; 0 -1"), demands=make_level_demands(rules=rules)))
        == find_predicate("in-range").description
    )


def test_a_root_leaves_the_scores_to_stand_for_themselves() -> None:
    """Division by a root keeps the order of the scores."""
    assert work_stage(
        "scaled", parse_matrix("3 -1"), demands=make_level_demands(rules=Rules(scale=ScaleRule.SQRT))
    ).rational_result == parse_matrix("3 -1")


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
    """What checks hundreds of seeds elsewhere does find the faults it is there for."""
    given = {name: parse_matrix(text) for name, text in POOR_SHEETS[fault].items()}
    assert fault in find_sheet_faults(given, "warm-up")


def test_the_second_description_of_good_sheets_lets_a_good_one_pass_and_stops_its_neighbours() -> None:
    """A drawn sheet is good; with one entry changed it is mostly not, and each stage's predicates find something."""
    given = dict(generate_problem(Request(seed=7)).given)
    assert find_sheet_faults(given, "standard") == []
    found = set()
    for name, a in given.items():
        for i, row in enumerate(a):
            for j, value in enumerate(row):
                changed = [list(line) for line in a]
                changed[i][j] = value + 1 if value < 1 else value - 2
                found.update(find_sheet_faults({**given, name: changed}, "standard"))
    assert len(found) >= 8


def test_ties_are_vetted_without_a_softmax_too() -> None:
    """Where scores are divided by their sums, as in linear attention, the scores themselves must tell tokens apart."""
    dropped = ("scaled", "powers")
    linear = replace(
        SELF_ATTENTION,
        stages=tuple(
            replace(stage, input_names=tuple("S" if name in dropped else name for name in stage.input_names))
            for stage in SELF_ATTENTION.stages
            if stage.name not in dropped
        ),
        attentions=(AttentionStages(scores="S", sums="sums", weights="A", outputs="Z"),),
    )
    for scores, expected in (
        ("1 2 3; 4 5 1; 2 1 2", None),
        ("4 2 3; 4 5 1; 2 1 2", "few-on-top"),
        ("2 2 3; 2 5 1; 2 1 2", "not-flat"),
    ):
        S = parse_matrix(scores)
        matrices = {"S": S, "sums": (tuple(sum(column) for column in zip(*S, strict=True)),)}
        context = StageContext(linear, linear.get_stage("A"), make_level_demands().arithmetic, matrices)
        failed = find_first_failed(WorkedStage(context, make_level_demands()), slips=False)
        assert failed == (None if expected is None else find_predicate(expected).description)
