"""What makes a sheet good: each predicate lets a good stage pass and stops a poor one."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from attnhand.attention.arithmetic import WAVE_DECIMALS, Arithmetic, Base, Rules, ScaleRule, compute_wave
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import MECHANISMS, MechanismFamily, Variant, kit
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.attention.slips import StageContext
from attnhand.problems.aiming import find_score_range
from attnhand.problems.criteria import find_exact_top
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level, Requirements, choose_requirements
from attnhand.problems.request import Request
from attnhand.problems.vetting import (
    PREDICATES,
    Place,
    Predicate,
    WorkedStage,
    find_first_failed,
    iterate_worked_stages,
    list_predicates,
)
from tests.building import parse_matrix
from tests.good_sheet import LEVELS, find_sheet_faults


def make_level_demands(
    level: Level = Level.STANDARD,
    *,
    tokens: int = 4,
    rules: Rules | None = None,
    d_k: int = 3,
    ties: bool = False,
    words: str = "",
    variant: Variant | None = None,
) -> Requirements:
    """Return what a level asks for."""
    variant = variant or Variant(embedded_words=tuple(words.split()))
    return choose_requirements(
        level,
        variant,
        {"tokens": tokens, "d_k": d_k},
        Arithmetic(rules=rules or Rules(), d_k=d_k),
        allow_ties=ties,
    )


BLOCK, BASIC = Variant(mechanism="block").build_mechanism(), Variant(mechanism="basic").build_mechanism()
"""Self-attention, and two layers after it."""


def work_stage(
    name: str, *inputs: Matrix, demands: Requirements | None = None, scores: Matrix | None = None
) -> WorkedStage:
    """Work a stage of a block from these inputs, which are the scores too where no others are given."""
    demands, stage = demands or make_level_demands(), BLOCK.get_stage(name)
    matrices = {"S": scores or inputs[0], **dict(zip(stage.input_names, inputs, strict=True))}
    return WorkedStage(StageContext(BLOCK, stage, demands.arithmetic, matrices), demands)


def find_failed_predicate(name: str, *inputs: str, demands: Requirements | None = None) -> str | None:
    """Work a stage of a block from these inputs and return what it fails."""
    return find_first_failed(work_stage(name, *map(parse_matrix, inputs), demands=demands))


def find_failed_predicate_of_scores(scores: str, demands: Requirements) -> str | None:
    """Scale the scores and raise a power to them; return the first predicate that fails."""
    S = parse_matrix(scores)
    scaled = work_stage("scaled", S, demands=demands)
    return find_first_failed(scaled) or find_first_failed(
        work_stage("powers", scaled.output, demands=demands, scores=S)
    )


class Example(NamedTuple):
    """A stage, what it reads when it is good, and what it reads when one predicate fails."""

    predicate: str
    stage: str
    good: tuple[str, ...]
    poor: tuple[str, ...]


GOOD_SCORES = "-1 3 0; -3 -1 5; 2 1 -4"
"""Scaled: −1 1 0; −2 −1 2; 1 0 −2."""

GOOD_EXPONENTS = "-1 1 0; -2 -1 2; 1 0 -2"
"""Favourites: tokens 3, 1 and 2; the first query attends least to token 2."""

EXAMPLES = (
    Example("tokens-differ", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "1 1; 2 2")),
    Example("tokens-differ", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "1 0; 2 0")),  # a token is zero
    Example("features-used", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "1 2; 0 0")),
    Example("example-tells", "K", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "0 2; 1 -1")),
    Example("vectors-differ", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 2 0", "1 1; 1 2")),
    Example("rows-alive", "Q", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 0", "1 2; 1 -1")),  # a row of Q is zero
    Example("rows-alive", "K", ("1 0; 0 1", "1 2; 1 -1"), ("1 0; 0 1", "0 2; 0 -1")),  # a column of K is zero
    Example("rows-alive", "V", ("1 0; 0 1", "1 2; 1 -1"), ("1 1; 1 1", "1 2; 1 -1")),  # two rows of V are equal
    Example("in-range", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -2 -1 5; 1 0 -2",)),
    Example("in-range", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -2 -1 2; 1 0 -3",)),
    Example("negative-score", "powers", (GOOD_EXPONENTS,), ("0 1 0; 1 0 2; 2 0 4",)),
    Example("floor-shows", "scaled", (GOOD_SCORES,), ("-1 3 0; -2 -2 5; 2 1 -4",)),  # one odd negative score
    Example("not-flat", "powers", (GOOD_EXPONENTS,), ("-1 1 0; -1 -1 2; -1 0 -2",)),
    Example("few-on-top", "powers", (GOOD_EXPONENTS,), ("-1 1 2; -2 -1 2; 1 0 -2",)),
    Example("weights-differ", "powers", (GOOD_EXPONENTS,), ("-1 0 0; -2 -1 2; 1 2 -2",)),
    Example("favourites-differ", "powers", (GOOD_EXPONENTS,), ("-1 -1 0; -2 0 -2; 1 1 2",)),
    Example("looks-beyond", "powers", (GOOD_EXPONENTS,), ("1 0 -1; -2 1 0; -1 -1 2",)),
    Example("one-least", "powers", (GOOD_EXPONENTS,), ("-2 1 0; -2 -1 2; 1 0 -2",)),
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
        ("1 0 0", "1/2 1/4 1/6; 1/3 1/2 1/3; 1/6 1/4 1/2"),  # A and its transpose differ in one cell of the first row
    ),
    Example(
        "outputs-differ",
        "Z",
        ("1 0 2; 0 3 1", "1/2 1/3 1/6; 1/6 1/2 1/3; 1/3 1/6 1/2"),
        ("1 0 2; 0 3 1", "1/2 1/2 1/6; 1/6 1/6 1/3; 1/3 1/3 1/2"),
    ),
    Example("outputs-differ", "F2", ("1 0; 1 -1", "1; 0", "1/2 1; 2 1/3"), ("1 0; 1 -1", "1; 0", "1/2 1/2; 2 2")),
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
    (predicate,) = (p for p in PREDICATES if (p.name, p.place) == ("slips-show", Place.POWERS))
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
    """Two tokens of one word share the top of a column; two of different words may not."""
    exponents = "-1 2 0; 1 0 -1; 1 0 -1"
    assert find_failed_predicate("powers", exponents) == find_predicate("few-on-top").description
    assert find_failed_predicate("powers", exponents, demands=make_level_demands(words="a b b")) is None
    assert (
        find_failed_predicate("powers", exponents, demands=make_level_demands(words="a b a"))
        == find_predicate("few-on-top").description
    )


@pytest.mark.parametrize("level", Level)
def test_relu_cuts_something_and_leaves_something(level: Level) -> None:
    """At every level: where nothing is negative, a student only copies."""
    demands = make_level_demands(level)
    assert find_failed_predicate("relu1", "1 1/2; -3 0", demands=demands) is None
    for numbers in ("1 1/2; 3 0", "-1 -1/2; -3 0"):
        assert find_failed_predicate("relu1", numbers, demands=demands) == find_predicate("bends").description


def test_denominators_after_attention_are_readable() -> None:
    """Up to 100, of three heads and four up to 200; under e and roots there is no limit."""
    layer = ("1 0; 0 1", "0; 0")
    assert find_failed_predicate("F1", *layer, "1/100 1; 0 1") is None
    assert find_failed_predicate("F1", *layer, "1/101 1; 0 1") is not None
    assert find_failed_predicate("F1", *layer, "1000/3 1; 0 1") is not None  # of which 333.33 would be printed
    heads = Variant(mechanism="multi-head", heads=3)
    sizes, arithmetic = {"tokens": 3}, Arithmetic(rules=Rules(), d_k=2)
    assert choose_requirements(Level.STANDARD, heads, sizes, arithmetic, allow_ties=False).max_joined_denominator == 200
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
    """A row of X without a number is a feature that nobody has."""
    assert find_failed_predicate_of_basic("1 0 1; 0 1 -1; 1 1 0") is None
    assert find_failed_predicate_of_basic("1 0 1; 0 0 0; 1 1 0") == find_predicate("features-used").description
    assert find_failed_predicate_of_basic("1 0; 0 0; 0 1") == find_predicate("features-used").description
    assert find_failed_predicate_of_basic("1 1 0; 0 0 1") == find_predicate("tokens-differ").description


def test_every_predicate_has_an_example() -> None:
    """No predicate goes untried, at none of the stages it is asked at."""
    tried: set[object] = {"heads-differ", "same-favourite", "products-tell"}  # below
    for example in EXAMPLES:
        asked = [each for each in list_predicates(BLOCK)[example.stage] if each.name == example.predicate]
        assert asked
        tried |= {(each.name, each.place) for each in asked}
    assert [each for each in PREDICATES if each.name not in tried and (each.name, each.place) not in tried] == []


def test_the_predicates_stand_in_the_order_that_decides_what_a_seed_gives() -> None:
    """Names, where they are asked and in which order belong to recipe 1."""
    asked = {name: [each.name for each in predicates] for name, predicates in list_predicates(BLOCK).items()}
    projected, tells, attended = ["rows-alive", "vectors-differ"], ["products-tell"], [
        "in-range", "negative-score", "not-flat", "few-on-top", "weights-differ", "favourites-differ", "looks-beyond",
        "one-least", "heads-differ", "same-favourite", "slips-show",
    ]  # fmt: skip
    assert asked == {
        "Q": ["tokens-differ", "features-used", *projected, *tells],
        "K": [*projected, "example-tells", *tells],
        "V": [*projected, *tells],
        "S": tells,
        "scaled": ["floor-shows", "slips-show"],
        "powers": attended,
        "sums": [],
        "A": ["readable", "slips-show"],
        "Z": [*tells, "outputs-differ", "slips-show"],
        "F1": ["layer-alive", "readable"],
        "relu1": ["bends"],
        "F2": ["layer-alive", "readable", "outputs-differ"],
    }
    assert list_predicates(BASIC)["S"] == tuple(
        find_predicate(name) for name in ("tokens-differ", "features-used", "products-tell")
    )


def test_the_first_query_and_key_of_a_first_sheet_tell() -> None:
    """Each of their cells has two products that are not 0; of other tokens, and at other levels, that is not asked."""
    weights, full, sparse = "1 1 0 0; 0 1 1 0", "1 1 0; 1 0 1; 1 0 0; 0 1 1", "0 1 1; 1 1 0; 0 1 0; 1 1 1"
    first = make_level_demands(Level.FIRST)._replace(min_telling_products=2)
    assert find_failed_predicate("Q", weights, full, demands=first) is None
    assert find_failed_predicate("Q", weights, sparse, demands=first) == find_predicate("products-tell").description
    assert find_failed_predicate("Q", weights, sparse, demands=make_level_demands(Level.WARM_UP)) is None


def test_two_heads_may_not_have_the_same_favourites() -> None:
    """One query with another favourite is enough."""
    mechanism = Variant(mechanism="multi-head").build_mechanism()
    demands, heads = make_level_demands(tokens=3), {"h1.scaled": parse_matrix(GOOD_EXPONENTS)}
    for exponents, is_good in (("-1 1 0; -2 -1 2; 1 0 -1", False), ("-1 1 2; -2 -1 0; 1 0 -1", True)):
        matrices = {**heads, "h2.scaled": parse_matrix(exponents), "h2.S": parse_matrix(exponents)}
        context = StageContext(mechanism, mechanism.get_stage("h2.powers"), demands.arithmetic, matrices)
        assert find_predicate("heads-differ").is_met(WorkedStage(context, demands)) == is_good


def test_a_tie_that_the_hand_alone_makes_is_no_honest_shortcut() -> None:
    """Where ties are allowed, 5 and 4 halved are one favourite too many; two times 4 tie exactly as well."""
    for scores, is_honest in (("-1 3 4; -3 -1 5; 2 1 -4", False), ("-1 3 4; -3 -1 4; 2 1 -4", True)):
        demands, S = make_level_demands(ties=True), parse_matrix(scores)
        scaled = work_stage("scaled", S, demands=demands).output
        worked = work_stage("powers", scaled, demands=demands, scores=S)
        assert find_predicate("same-favourite").is_met(worked) == is_honest


WORDS = ("the", "cat", "saw", "the")
POSITIONED = Variant(embedded_words=WORDS, has_positions=True).build_mechanism(4)


@pytest.mark.parametrize(
    ("table", "is_honest"), [("1 -1 2; 0 2 2; 0 1 0; 1 1 2", True), ("2 2 1; -1 -1 1; 0 2 2; 1 1 0", False)]
)
def test_positions_are_compared_as_they_are(table: str, is_honest: bool) -> None:
    """By hand cos 1 = 0.54 is 1 and sin 2 = 0.91 is 1: exact favourites are those of floats, and may be others."""
    E = np.array(parse_matrix(table), dtype=float)[:, [0, 1, 2, 0]]
    angles = np.outer([1, 1, 0.01, 0.01], range(4))
    X = E + np.where([[True], [False], [True], [False]], np.sin(angles), np.cos(angles))
    rounded = E + np.rint(X - E)
    W_Q, W_K = np.array([[1, 0, 0, 0], [0, 1, 1, 0]]), np.array([[0, 1, 0, 0], [1, 0, 0, 1]])
    exact, by_hand = ((W_K @ x).T @ (W_Q @ x) for x in (X, rounded))
    demands = make_level_demands(variant=Variant(embedded_words=WORDS, has_positions=True), d_k=2)
    given = {"embedding": parse_matrix(table), "W_Q": as_matrix(W_Q), "W_K": as_matrix(W_K), "W_V": ((1, 1, 1, 1),)}
    worked = {
        each.context.stage.name: each
        for each in iterate_worked_stages(POSITIONED, POSITIONED.stages, {**given}, demands)
    }
    for query, scores in enumerate(worked["powers"].exact_scores):
        np.testing.assert_allclose([float(score) for score in scores], exact[:, query], atol=1e-4)
    tops = [
        [{i for i, score in enumerate(column) if score > max(column) - 1e-9} for column in scores.T]
        for scores in (np.floor(by_hand / 2), exact)
    ]
    assert [set(view.top) for view in worked["powers"].views] == tops[0]
    assert [set(find_exact_top(worked["powers"], query)) for query in range(len(WORDS))] == tops[1]
    assert (tops[0] == tops[1]) == is_honest == find_predicate("same-favourite").is_met(worked["powers"])


def as_matrix(a: NDArray[np.int_]) -> Matrix:
    """Return whole numbers as a matrix."""
    return tuple(tuple(int(value) for value in row) for row in a)


def test_no_wave_lies_so_near_a_half_that_two_machines_could_differ() -> None:
    """Sines and cosines of every size and position, as fractions of five decimals, are far from where they round."""
    waves = [
        compute_wave(position, feature, features)
        for features in range(2, 13)
        for feature in range(features)
        for position in range(12)
    ]
    assert len(waves) == 12 * sum(range(2, 13))
    assert min(abs(wave * 10**WAVE_DECIMALS % 1 - 0.5) for wave in waves) > 1e-4


@pytest.mark.parametrize(
    ("level", "negative"), [(Level.WARM_UP, False), (Level.STANDARD, True), (Level.CHALLENGE, True)]
)
def test_what_a_level_asks(level: Level, negative: bool) -> None:
    """Scaled scores of a warm-up lie in 0 to 3, all others in −2 to 4 with fractions among the powers."""
    asked = make_level_demands(level)
    span = (-2, 4) if negative else (0, 3)
    assert (asked.min_score, asked.max_score, asked.is_fraction_required) == (*span, negative)
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


@pytest.mark.parametrize(
    ("level", "size", "expected"),
    [
        (Level.STANDARD, {}, {}),
        (Level.STANDARD, {"tokens": 6}, {"min_favourites": 3}),
        (Level.STANDARD, {"tokens": 3, "d_k": 1}, {}),
        (Level.STANDARD, {"tokens": 4, "d_k": 1}, {"are_weights_distinct": False, "is_least_unique": False}),
        (Level.WARM_UP, {}, {"max_score": 3}),
        (Level.WARM_UP, {"tokens": 2, "d_k": 1}, {"max_score": 3, "min_favourites": 1}),
        (Level.WARM_UP, {"tokens": 5}, {"max_score": 4, "is_least_unique": False, "are_vectors_distinct": False}),
        (Level.WARM_UP, {"tokens": 7}, {"max_score": 4, "is_least_unique": False, "are_weights_distinct": False}),
    ],
)
def test_small_and_crowded_sheets_are_asked_for_less(
    level: Level, size: dict[str, int], expected: dict[str, object]
) -> None:
    """Single numbers for keys, and a warm-up of more than four tokens, leave less room to differ."""
    usual = {
        "max_score": 4, "min_favourites": 2, "are_weights_distinct": True, "is_least_unique": True,
        "are_vectors_distinct": True,
    }  # fmt: skip
    asked = make_level_demands(level, tokens=size.get("tokens", 4), d_k=size.get("d_k", 3))
    names = expected if size.get("tokens") == 7 else usual
    assert {name: getattr(asked, name) for name in names} == {name: {**usual, **expected}[name] for name in names}


@pytest.mark.parametrize(
    ("variant", "favourites", "looks_beyond", "asked"),
    [
        (Variant(), 2, True, {0}),
        (Variant(is_causal=True), 2, True, {2, 3}),
        (Variant(mechanism="basic"), 2, False, {0}),
        (Variant(embedded_words=("no", "no", "yes", "no")), 2, True, {0}),
    ],
)
def test_what_is_asked_depends_on_the_mechanism(
    variant: Variant, favourites: int, looks_beyond: bool, asked: set[int]
) -> None:
    """Basic attention may look at itself; under a mask the last query is asked, the third on a large sheet."""
    demands = make_level_demands(variant=variant)
    assert demands.min_favourites == favourites
    assert demands.is_another_favourite_required == looks_beyond
    assert set(demands.asked_queries) == asked


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
    ("scale", "lowest", "highest"),
    [(ScaleRule.HALF_FLOOR, -4, 9), (ScaleRule.NONE, -2, 4), (3, -6, 12), (ScaleRule.SQRT, -3, 6)],
)
def test_proposals_keep_to_the_range_that_is_vetted(scale: ScaleRule | int, lowest: int, highest: int) -> None:
    """Whole scores that are −2 to 4 once scaled: ⌊9/2⌋ is 4, 12/3 is 4, 6/√3 is below 4 and 7/√3 above."""
    assert find_score_range(make_level_demands(rules=Rules(scale=scale))) == (lowest, highest)


@pytest.mark.parametrize(
    "rules", [Rules(base=Base.E), Rules(scale=ScaleRule.SQRT), Rules(scale=3), Rules(scale=ScaleRule.SQRT, base=Base.E)]
)
def test_irrational_powers_are_left_out(rules: Rules) -> None:
    """No exponential or root decides: a power that is no fraction is not worked while vetting."""
    stage = work_stage("powers", parse_matrix(GOOD_EXPONENTS), demands=make_level_demands(rules=rules))
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


def test_levels_are_four() -> None:
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


def test_ties_are_vetted_without_a_softmax_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scores are divided by their sums, as in linear attention, the scores themselves must tell tokens apart."""
    shares = """
        sums      sums[q] = Σ_k S[k,q]
        weights   A[k,q] = S[k,q] / sums[q]
    """
    formulas = read_formulas(kit.project() + kit.SCORE + shares + kit.MIX)
    monkeypatch.setitem(MECHANISMS, "linear", MechanismFamily(write=lambda _: formulas))
    linear = Variant(mechanism="linear").build_mechanism()
    for scores, expected in (
        ("1 2 3; 4 5 1; 2 1 2", None),
        ("4 2 3; 4 5 1; 2 1 2", "few-on-top"),
        ("2 2 3; 2 5 1; 2 1 2", "not-flat"),
    ):
        S = parse_matrix(scores)
        matrices = {"S": S, "sums": (tuple(sum(column) for column in zip(*S, strict=True)),)}
        context = StageContext(linear, linear.get_stage("A"), make_level_demands().arithmetic, matrices)
        quick = [each for each in list_predicates(linear)["A"] if not each.is_slow]
        failed = find_first_failed(WorkedStage(context, make_level_demands()), quick)
        assert failed == (None if expected is None else find_predicate(expected).description)
