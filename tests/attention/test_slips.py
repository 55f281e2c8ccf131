"""What students compute who make a mistake."""

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import localcontext
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import pytest

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Base, Rules, ScaleRule
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Variant
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, format_decimal, to_float
from attnhand.attention.problem import Problem
from attnhand.attention.slips import SLIPS, VETTED_BY_RECIPE_1, Slip, StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.attention.spellings import read_plain_number
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from tests.building import CLASSIC, PENCIL_SAMPLE, Rows, make_problem

CAUSAL = Variant(is_causal=True)
WINDOW = Variant(is_causal=True, window=2)
PADDED, SHIFTED = Variant(padding=(2,)), Variant(is_shifted=True)


def read(text: str) -> Matrix:
    """Build a matrix from rows parted by semicolons, masked cells written -inf."""
    return tuple(
        tuple(MINUS_INFINITY if cell == "-inf" else read_plain_number(cell).value for cell in row.split())
        for row in text.split(";")
    )


def find_slip(slip_id: str) -> Slip:
    """Return the slip of that id."""
    return next(slip for slip in SLIPS if slip.id == slip_id)


def make_context_at(problem: Problem, stage: str) -> StageContext:
    """Return the context of a stage in which all before it is right."""
    return StageContext(
        problem.mechanism,
        problem.mechanism.get_stage(stage),
        problem.hand_arithmetic,
        solve(problem).collect_hand_values(),
    )


def make_context(
    stage: str, values: Mapping[str, str], form: Variant = DEFAULT_VARIANT, *, rules: Rules = HAND, d_k: int = 2
) -> StageContext:
    """Return a context with these matrices only."""
    mechanism = form.build_mechanism(feature_count=2)
    matrices = {name: read(text) for name, text in values.items()}
    return StageContext(mechanism, mechanism.get_stage(stage), Arithmetic(rules=rules, d_k=d_k), matrices)


def make_slip(slip_id: str, context: StageContext) -> Matrix | None:
    """Return what the slip makes of its stage."""
    slip = find_slip(slip_id)
    assert slip.applies_to(context.stage)
    return slip.compute_wrong(context)


CHECKED_SLIPS = {
    "other-weights": ("Q", "-3 -3 -3; -2 -2 -1"),
    "third-weights": ("Q", "1 3 4; 1 1 2"),
    "signs-ignored": ("Q", "3 3 3; 2 3 2"),
    "last-product-forgotten": ("Q", "-1 -1 1; 2 2 1"),
    "first-product-forgotten": ("Q", "1 1 2; 0 -1 -1"),
    "elementwise": ("S", "3 3 -3; -4 -2 0"),
    "negative-result-zero": ("S", "0 1 0; 0 1 0; 1 2 0"),
    "scores-transposed": ("S", "-1 -1 1; 1 1 2; -3 -3 -3"),
    "other-operand-transposed": ("S", "3 -9; 3 -6"),
    "values-for-queries": ("S", "-5 -11 -16; -5 -11 -16; -4 -10 -14"),
    "values-for-keys": ("S", "1 0 1; -1 -2 3; 0 -2 4"),
    "queries-with-themselves": ("S", "5 3 -1; 3 2 -1; -1 -1 1"),
    "keys-with-themselves": ("S", "13 13 11; 13 13 11; 11 11 10"),
    "projections-skipped": ("S", "5 5 4; 5 6 5; 4 5 6"),
    "not-scaled": ("scaled", "-1 1 -3; -1 1 -3; 1 2 -3"),
    "truncated": ("scaled", "0 0 -1; 0 0 -1; 0 1 -1"),
    "rounded-up": ("scaled", "0 1 -1; 0 1 -1; 1 1 -1"),
    "half-kept": ("scaled", "-1/2 1/2 -3/2; -1/2 1/2 -3/2; 1/2 1 -3/2"),
    "bankers-rounding": ("scaled", "0 0 -2; 0 0 -2; 0 1 -2"),
    "doubled": ("scaled", "-2 2 -6; -2 2 -6; 2 4 -6"),
    "sign-dropped": ("scaled", "0 0 1; 0 0 1; 0 1 1"),
    "shifted-early": ("scaled", "-1 -1 0; -1 -1 0; 0 0 0"),
    "zero-for-minus-infinity": ("masked", "-1 0 -2; 0 0 -2; 0 0 -2"),
    "other-triangle": ("masked", "-1 -inf -inf; -1 0 -inf; 0 1 -2"),
    "diagonal-too": ("masked", "-inf 0 -2; -inf -inf -2; -inf -inf -inf"),
    "mask-forgotten": ("masked", "-1 0 -2; -1 0 -2; 0 1 -2"),
    "window-forgotten": ("masked", "-1 0 -2; -inf 0 -2; -inf -inf -2"),
    "window-too-wide": ("masked", "-1 0 -2; -inf 0 -2; -inf -inf -2"),  # of three tokens a window of three sees all
    "times-not-power": ("powers", "-3 0 -6; -3 0 -6; 0 3 -6"),
    "negative-power-negated": ("powers", "-3 1 -9; -3 1 -9; 1 3 -9"),
    "negative-power-zero": ("powers", "0 1 0; 0 1 0; 1 3 0"),
    "negative-power-times": ("powers", "-3 1 -6; -3 1 -6; 1 3 -6"),
    "negative-power-over-product": ("powers", "1/3 1 1/6; 1/3 1 1/6; 1 3 1/6"),
    "cubed": ("powers", "-1 0 -8; -1 0 -8; 0 1 -8"),
    "zero-power-zero": ("powers", "1/3 0 1/9; 1/3 0 1/9; 0 3 1/9"),
    "zero-power-base": ("powers", "1/3 3 1/9; 1/3 3 1/9; 3 3 1/9"),
    "power-of-magnitude": ("powers", "3 1 9; 3 1 9; 1 3 9"),
    "unscaled-exponent": ("powers", "1/3 3 1/27; 1/3 3 1/27; 3 9 1/27"),
    "base-two": ("powers", "1/2 1 1/4; 1/2 1 1/4; 1 2 1/4"),
    "sums-other-axis": ("sums", "13/9 13/9 37/9"),
    "grand-total-sums": ("sums", "7 7 7"),
    "hidden-added": ("sums", "5/3 5 1/3"),
    "other-axis": ("A", "3/13 9/13 1/13; 3/13 9/13 1/13; 9/37 27/37 1/37"),
    "crossed-sums": ("A", "3/13 9/13 1/37; 3/13 9/13 1/37; 9/13 27/13 1/37"),
    "grand-total": ("A", "1/21 1/7 1/63; 1/21 1/7 1/63; 1/7 3/7 1/63"),
    "one-sum-for-all": ("A", "1/5 3/5 1/15; 1/5 3/5 1/15; 3/5 9/5 1/15"),
    "over-largest": ("A", "1/3 1/3 1; 1/3 1/3 1; 1 1 1"),
    "over-count": ("A", "1/9 1/3 1/27; 1/9 1/3 1/27; 1/3 1 1/27"),
    "not-divided": ("A", "1/3 1 1/9; 1/3 1 1/9; 1 3 1/9"),
    "no-exponential": ("A", "1/2 0 1/3; 1/2 0 1/3; 0 1 1/3"),
    "one-hot": ("A", "0 0 1/3; 0 0 1/3; 1 1 1/3"),
    "rounded-early": ("A", "33/166 1/5 1/3; 33/166 1/5 1/3; 50/83 3/5 1/3"),
    "masked-after": ("A", "1/5 1/5 1/3; 0 1/5 1/3; 0 0 1/3"),
    "weights-A-transposed": ("Z", "32/15 32/15 56/15; 16/15 16/15 28/15"),
    "powers-for-weights": ("Z", "16/3 16 8/9; 8/3 8 4/9"),
    "scores-for-weights": ("Z", "0 12 -24; 0 6 -12"),
    "keys-for-values": ("Z", "-3 -3 -3; -7/5 -7/5 -5/3"),
    "queries-for-values": ("Z", "1/5 1/5 -1/3; 3/5 3/5 1"),
    "inputs-for-values": ("Z", "7/5 7/5 5/3; 8/5 8/5 4/3; 4/5 4/5 2/3"),
    "top-token-copied": ("Z", "4 4 8/3; 2 2 4/3"),
    "plain-mean": ("Z", "8/3 8/3 8/3; 4/3 4/3 4/3"),
}
"""What each slip makes of the checked sample, worked with a pencil; those about the mask with a mask."""


def choose_form(slip_id: str) -> Variant:
    """Return the form in which the checked sample shows the slip."""
    if slip_id.startswith("window"):
        return WINDOW
    is_of_mask = CHECKED_SLIPS[slip_id][0] == "masked" or slip_id in ("masked-after", "hidden-added")
    return CAUSAL if is_of_mask else DEFAULT_VARIANT


CHECKED_ELSEWHERE = (
    *("not-shared-anew", "log-not-negated", "loss-of-favourite", "loss-without-log"),
    *("target-less-share", "target-forgotten", "step-uphill", "rate-forgotten"),
    *("residual-forgotten", "sum-rounded-down"),
    *("sum-for-mean", "root-forgotten", "quotient-rounded-down", "over-largest-number"),
)
"""Those after attention: ``test_next_token``, and of sums and norms: ``test_residual``."""


class Example(NamedTuple):
    """A stage with a few small matrices, and what the slip makes of them, worked with a pencil."""

    slip: str
    stage: str
    values: Mapping[str, str]
    expected: str
    form: Variant = DEFAULT_VARIANT
    d_k: int = 2


SMALL = {"X": "1 2; 0 1", "W_Q": "1 1; 0 2"}  # Q is 1 3; 0 2
COMPARED = {"K": "2 4; -1 -1", "Q": "1 3; 0 2"}
MIXED = {"V": "1 2; 3 7", "A": "1/4 1/28; 3/4 27/28"}
LAYER = {"W_1": "1 -1; 2 0", "b_1": "1; -2", "Z": "3 1; 1 2"}  # F1 is 3 0; 4 0
HEADS = {"h1.Z": "1 2; 3 4", "h2.Z": "5 6; 7 8"}
TWO_HEADS = {"X": "1 2; 3 4", "h1.W_Q": "1 0", "h2.W_Q": "0 1"}
RELU_INPUT = {"F1": "-2 3; 0 -1"}
ADDED = {"E": "1 2; 3 4", "P": "0 1; 1 1"}
BLOCK, HEADED, CROSS = Variant(mechanism="block"), Variant(mechanism="multi-head"), Variant(mechanism="cross")
ONLINE = Variant(mechanism="online")
BLOCKS = {"f2": "1/9", "l1": "4/3", "o1": "6; 2", "powers2": "1; 1/3", "V2": "5 0; 4 0"}
WORDS = Variant(embedded_words=("the", "cat", "saw", "the"))
WORDS_WITH_POSITIONS = Variant(embedded_words=("the", "cat", "saw"), has_positions=True)
MEMORY = {
    "X": "1 2 0; 0 1 1",
    "M": "2 1; 1 3",
    "W_Q": "1 0; 0 1",
    "W_K": "1 0; 0 1",
    "K": "1 0; 0 1",
    "Q": "0 1 1; 1 0 0",
}

PULLED = {"A": "1/4; 3/4", "dA": "4; 8", "d": "7"}  # dS is −3/4; 3/4
BACKWARD = Variant(mechanism="backward")

DISTANT, KEPT = Variant(has_distances=True), Variant(cache=2)
DISTANT_HEADS = Variant(mechanism="multi-head", has_distances=True)
SINK, FLAT, SHARP = Variant(sink=2), Variant(temperature=Fraction(2)), Variant(temperature=Fraction(1, 2))
TO_TURN, ROTARY = {"Q": "1 2 3; 4 5 6"}, Variant(is_rotary=True)

EXAMPLES = (
    Example("other-weights", "K", {"X": "1 2; 0 1", "W_Q": "1 1", "W_K": "1 0", "W_V": "0 1"}, "1 3"),
    Example("other-weights", "V", {"X": "1 2; 0 1", "W_Q": "1 1", "W_K": "1 0", "W_V": "0 1"}, "1 2"),
    Example("third-weights", "K", {"X": "1 2; 0 1", "W_Q": "1 1", "W_K": "1 0", "W_V": "0 1"}, "0 1"),
    Example("third-weights", "V", {"X": "1 2; 0 1", "W_Q": "1 1", "W_K": "1 0", "W_V": "0 1"}, "1 3"),
    Example("weights-of-other-head", "h1.Q", TWO_HEADS, "3 4", HEADED),
    Example("weights-of-other-head", "h2.Q", TWO_HEADS, "1 2", HEADED),
    Example("weights-transposed", "Q", SMALL, "1 2; 1 4"),
    Example("operands-swapped", "Q", SMALL, "1 5; 0 2"),
    Example("elementwise", "Q", SMALL, "1 2; 0 2"),
    Example("not-transposed", "S", COMPARED, "2 14; -1 -5"),
    Example("elementwise", "Z", MIXED, "1/4 1/14; 9/4 27/4"),
    Example("operands-swapped", "Z", MIXED, "5/14 3/4; 51/14 33/4"),
    Example("over-d_k", "scaled", {"S": "5 -5; 3 -1"}, "1 -2; 1 -1", d_k=3),  # right is 2 −3; 1 −1
    Example("over-d_k-kept", "scaled", {"S": "5 -5; 3 -1"}, "5/3 -5/3; 1 -1/3", d_k=3),
    Example("last-product-forgotten", "S", COMPARED, "2 6; 4 12"),
    Example("first-product-forgotten", "S", COMPARED, "0 -2; 0 -2"),
    Example("last-product-forgotten", "Z", MIXED, "1/4 1/28; 3/4 3/28"),
    Example("first-product-forgotten", "Z", MIXED, "3/2 27/14; 21/4 27/4"),
    Example("projections-skipped", "S", MEMORY, "2 5 1; 1 5 3", CROSS),
    Example("inputs-for-values", "Z", {"M": "2 1; 1 3", "V": "1 0", "A": "1 0; 0 1"}, "2 1; 1 3", CROSS),
    Example("weights-transposed", "F1", LAYER, "6 6; -5 -3", BLOCK),
    Example("signs-ignored", "F1", LAYER, "5 4; 8 4", BLOCK),
    Example("last-product-forgotten", "F1", LAYER, "4 2; 4 0", BLOCK),
    Example("first-product-forgotten", "F1", LAYER, "0 -1; -2 -2", BLOCK),
    Example("bias-forgotten", "F1", LAYER, "2 -1; 6 2", BLOCK),
    Example("bias-other-axis", "F1", LAYER, "3 -3; 7 0", BLOCK),
    Example("heads-exchanged", "concat", HEADS, "5 6; 7 8; 1 2; 3 4", HEADED),
    Example("heads-interleaved", "concat", HEADS, "1 2; 5 6; 3 4; 7 8", HEADED),
    Example("heads-added", "concat", HEADS, "6 8; 10 12", HEADED),
    Example("relu-forgotten", "relu1", RELU_INPUT, "-2 3; 0 -1", BLOCK),
    Example("relu-of-magnitude", "relu1", RELU_INPUT, "2 3; 0 1", BLOCK),
    Example("relu-other-side", "relu1", RELU_INPUT, "-2 0; 0 -1", BLOCK),
    Example("output-for-gradient", "dA", {"V": "4 0; 0 8", "g": "1; 1", "Z": "1; 6"}, "4; 48", BACKWARD),
    Example("plain-gradient-mean", "d", {"A": "1/4; 3/4", "dA": "4; 8"}, "6", BACKWARD),
    Example("gradient-mean-forgotten", "dS", PULLED, "1; 6", BACKWARD),
    Example("gradient-weighted-early", "dS", PULLED, "-6; -1", BACKWARD),
    Example("gradient-turned", "dS", PULLED, "3/4; -3/4", BACKWARD),
    Example("gradient-not-scaled", "dS_scaled", {"dS": "-3/4; 3/4"}, "-3/4; 3/4", BACKWARD),
    Example("gradient-rounded", "dS_scaled", {"dS": "-3/4; 3/4"}, "-1; 0", BACKWARD),
    Example("mask-turned", "masked", {"scaled": "1 -2; 3 0"}, "1 -inf; 3 -inf", PADDED),
    Example("not-shifted", "shifted", {"scaled": "1 -2; 3 0"}, "1 -2; 3 0", SHIFTED),
    Example("smallest-subtracted", "shifted", {"scaled": "1 -2; 3 0"}, "0 0; 2 2", SHIFTED),
    Example("largest-of-all", "shifted", {"scaled": "1 -2; 3 0"}, "-2 -5; 0 -3", SHIFTED),
    Example("distance-forgotten", "biased", {"scaled": "1 2; 3 0"}, "1 2; 3 0", DISTANT),
    Example("distance-added", "biased", {"scaled": "1 2; 3 0"}, "1 3; 2 0", DISTANT),
    Example("distance-unsigned", "biased", {"scaled": "1 2; 3 0"}, "1 1; 2 0", DISTANT),
    Example("slope-forgotten", "h2.biased", {"h2.scaled": "1 2; 3 0"}, "1 1; 4 0", DISTANT_HEADS),
    Example("new-first", "K_all", {"K_cache": "1 2; 3 4", "K": "5; 6"}, "5 1 2; 6 3 4", KEPT),
    Example("query-appended", "K_all", {"K_cache": "1 2; 3 4", "K": "5; 6", "Q": "7; 8"}, "1 2 7; 3 4 8", KEPT),
    Example("sink-forgotten", "sums", {"powers": "1 3; 9 1"}, "10 4", SINK),
    Example("sink-not-raised", "sums", {"powers": "1 3; 9 1"}, "12 6", SINK),
    Example("sums-other-axis", "sums", {"powers": "1 3; 9 1"}, "13 19", SINK),
    Example("sink-forgotten", "A", {"powers": "1 3; 9 1", "sums": "19 13"}, "1/10 3/4; 9/10 1/4", SINK),
    Example("other-axis", "A", {"powers": "1 3; 9 1", "sums": "19 13"}, "1/13 3/13; 9/19 1/19", SINK),
    Example("temperature-forgotten", "tempered", {"scaled": "3 -1; 2 0"}, "3 -1; 2 0", FLAT),
    Example("temperature-multiplied", "tempered", {"scaled": "3 -1; 2 0"}, "6 -2; 4 0", FLAT),
    Example("temperature-multiplied", "tempered", {"scaled": "3 -1; 2 0"}, "1 -1; 1 0", SHARP),
    Example("weights-over-temperature", "A", {"powers": "1 3; 9 1", "sums": "10 4"}, "1/20 3/8; 9/20 1/8", FLAT),
    Example("turn-forgotten", "Q_turned", TO_TURN, "1 2 3; 4 5 6", ROTARY),
    Example("turn-other-way", "Q_turned", TO_TURN, "1 5 -3; 4 -2 -6", ROTARY),
    Example("turn-from-one", "Q_turned", TO_TURN, "-4 -2 6; 1 -5 -3", ROTARY),
    Example("next-word", "X", {"embedding": "1 2 3; 4 5 6"}, "2 3 1 2; 5 6 4 5", WORDS),
    Example(
        "positions-from-one", "P", {}, "1 1 0; 1 0 -1", WORDS_WITH_POSITIONS
    ),  # sin 1, 2, 3 and cos 1, 2, 3, rounded
    Example("sines-exchanged", "P", {}, "1 1 0; 0 1 1", WORDS_WITH_POSITIONS),
    Example("position-forgotten", "X", ADDED, "1 2; 3 4", WORDS_WITH_POSITIONS),
    Example("multiplied-not-added", "X", ADDED, "0 2; 3 4", WORDS_WITH_POSITIONS),
    Example("largest-not-updated", "m2", {"m1": "1", "scaled2": "3; 2"}, "1", ONLINE),
    Example("factor-turned-round", "f2", {"m1": "1", "m2": "3"}, "9", ONLINE),
    Example("not-shifted", "powers2", {"scaled2": "3; 2", "m2": "3"}, "27; 9", ONLINE),
    Example("factor-forgotten", "l2", BLOCKS, "8/3", ONLINE),
    Example("factor-forgotten", "o2", BLOCKS, "11; 6", ONLINE),
    Example("blocks-before-forgotten", "l2", BLOCKS, "4/3", ONLINE),
    Example("blocks-before-forgotten", "o2", BLOCKS, "5; 4", ONLINE),
    Example("over-last-block", "Z", {"o2": "17/3; 38/9", "l2": "40/27", "powers2": "1; 1/3"}, "17/4; 19/6", ONLINE),
)


def test_every_slip_has_a_worked_example() -> None:
    """The table of slips and the worked examples name the same ids; each id is used for one slip."""
    ids = [slip.id for slip in SLIPS]
    assert len(ids) == len(set(ids))
    assert set(ids) == {*CHECKED_SLIPS, *(example.slip for example in EXAMPLES), *CHECKED_ELSEWHERE, "base-e"}


def test_e_where_another_number_stands_for_it() -> None:
    """Powers of e, which no pencil writes down; where the sheet takes e itself it is no slip."""
    powers = make_slip("base-e", make_context("powers", {"scaled": "0 1; -1 2"}))
    assert powers is not None
    assert [*map(to_float, flatten(powers))] == pytest.approx([1, math.e, 1 / math.e, math.e**2])
    assert make_slip("base-e", make_context("powers", {"scaled": "0 1; -1 2"}, rules=EXACT)) is None


def test_powers_that_a_sheet_would_refuse() -> None:
    """Of e an exponent may be as large as the base of the sheet lets it; what a mask hides may not be beyond all."""
    powers = make_slip("base-e", make_context("powers", {"scaled": "1000 0"}, rules=Rules(base=Base.TWO)))
    assert powers is not None
    assert format_decimal(powers[0][0], 2) == "1.970e+434"
    context = make_context_at(make_problem(PENCIL_SAMPLE, variant=CAUSAL), "A")
    assert make_slip("masked-after", context) is not None
    huge = {**context.matrices, "scaled": read("-1 0 -2; 100000000 0 -2; 0 1 -2")}
    assert make_slip("masked-after", replace(context, matrices=huge)) is None


@pytest.mark.parametrize("slip_id", CHECKED_SLIPS)
def test_slips_on_the_checked_sample(slip_id: str) -> None:
    """Each slip gives the numbers that were found with a pencil, in either convention."""
    stage, expected = CHECKED_SLIPS[slip_id]
    problem = make_problem(PENCIL_SAMPLE, variant=choose_form(slip_id))
    assert make_slip(slip_id, make_context_at(problem, stage)) == read(expected)
    assert make_slip(slip_id, make_context_at(problem.transpose(), stage)) == transpose(read(expected))


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{example.slip}-{example.stage}" for example in EXAMPLES])
def test_slips_on_small_examples(example: Example) -> None:
    """Each slip that the checked sample has no room for gives the numbers that were found with a pencil."""
    context = make_context(example.stage, example.values, example.form, d_k=example.d_k)
    assert make_slip(example.slip, context) == read(example.expected)


def test_zero_for_minus_infinity_reaches_the_weights() -> None:
    """With 0 for −∞ on the checked sample every hidden key counts as 3⁰ = 1."""
    context = make_context_at(make_problem(PENCIL_SAMPLE, variant=CAUSAL), "masked")
    values = dict(context.matrices)
    wrong = make_slip("zero-for-minus-infinity", context)
    assert wrong is not None
    values["masked"] = wrong
    for name in ("powers", "sums", "A"):
        values[name] = replace(context, stage=context.mechanism.get_stage(name), matrices=values).compute_correct()
    assert values["A"] == read("1/7 1/3 1/3; 3/7 1/3 1/3; 3/7 1/3 1/3")


@pytest.mark.parametrize("slip_id", [*VETTED_BY_RECIPE_1])
def test_vetted_slips_in_rows_are_those_in_columns_transposed(slip_id: str) -> None:
    """The same mistake in the other convention gives the transpose, on the classic sheet too."""
    given: dict[str, Rows] = CLASSIC
    problem, stage = make_problem(given), CHECKED_SLIPS[slip_id][0]
    in_columns = make_slip(slip_id, make_context_at(problem, stage))
    assert in_columns is not None
    assert make_slip(slip_id, make_context_at(problem.transpose(), stage)) == transpose(in_columns)


FORMS = {
    "self": DEFAULT_VARIANT,
    "self, causal": CAUSAL,
    "self, window": WINDOW,
    "basic": Variant(mechanism="basic"),
    "basic, causal": Variant(mechanism="basic", is_causal=True),
    "cross": CROSS,
    "two heads": HEADED,
    "three heads, causal": Variant(mechanism="multi-head", heads=3, is_causal=True),
    "block": BLOCK,
    "block, two heads, causal": Variant(mechanism="block", heads=2, is_causal=True),
    "words": Variant(embedded_words=("the", "cat", "saw", "the", "dog"), has_positions=True),
    "words, basic": Variant(mechanism="basic", embedded_words=("the", "cat", "saw", "the", "dog")),
    "rotary": Variant(is_rotary=True),
    "padded": PADDED,
    "shifted": SHIFTED,
    "online": ONLINE,
    "backward": BACKWARD,
    "distance": DISTANT,
    "distance, two heads": DISTANT_HEADS,
    "cache": KEPT,
    "sink": SINK,
    "sharpened": SHARP,
}
RULES = {
    "hand": HAND,
    "as it is": Rules(scale=ScaleRule.SQRT, base=Base.E),
    "thirds": Rules(scale=3, base=Base.TWO),
}


@cache
def generate_form(form: str, rules: str, level: Level = Level.WARM_UP) -> Problem:
    """Return a problem drawn in that form."""
    return generate_problem(Request(seed=7, variant=FORMS[form], rules=RULES[rules], level=level))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("form", FORMS)
def test_slips_in_every_mechanism(form: str, rules: str) -> None:
    """Wherever a slip applies it differs from the key, fits its boxes unless it says not, and mirrors."""
    problem = generate_form(form, rules)
    in_columns, in_rows = solve(problem).collect_hand_values(), solve(problem.transpose()).collect_hand_values()
    mirrored = problem.transpose().mechanism
    applied = set()
    for stage in problem.mechanism.stages:
        context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, in_columns)
        turned = StageContext(mirrored, mirrored.get_stage(stage.name), problem.hand_arithmetic, in_rows)
        for slip in find_slips(stage):
            wrong = slip.compute_wrong(context)
            assert slip.compute_wrong(turned) == (None if wrong is None else transpose(wrong)), (stage.name, slip.id)
            if wrong is not None:
                key = in_columns[stage.name]
                # a block of two scores need not show every slip in scaling
                assert wrong != key or (form == "online" and slip.applies_when_hidden), (stage.name, slip.id)
                assert shape(wrong) == shape(key) or not slip.has_same_shape, (stage.name, slip.id)
                applied.add(slip.id)
    if form == "online":
        assert {"factor-forgotten", "not-shifted", "over-last-block", "top-token-copied"} <= applied
        return
    assert {"times-not-power", "not-divided", "other-axis", "top-token-copied"} <= applied


def test_every_slip_applies_somewhere() -> None:
    """Over all these sheets no slip stays idle, but the one that needs as many hidden features as tokens."""
    applied = {
        slip.id
        for form in FORMS
        for level in (Level.WARM_UP, Level.STANDARD)
        for problem in [generate_form(form, "hand", level)]
        for values in [solve(problem).collect_hand_values()]
        for stage in problem.mechanism.stages
        for slip in find_slips(stage)
        if slip.compute_wrong(StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)) is not None
    }
    assert {slip.id for slip in SLIPS} - applied == {"bias-other-axis", *CHECKED_ELSEWHERE}


def test_recipe_1_vets_these_slips_for_ever() -> None:
    """The list that decides what a seed gives is never extended, and each of its slips exists."""
    assert VETTED_BY_RECIPE_1 == (
        "scores-transposed",
        "not-scaled",
        "truncated",
        "rounded-up",
        "times-not-power",
        "negative-power-negated",
        "negative-power-zero",
        "other-axis",
        "weights-A-transposed",
    )
    assert {slip.id for slip in SLIPS if slip.applies_when_hidden} == set(VETTED_BY_RECIPE_1)


@pytest.mark.parametrize(
    ("slip_id", "stage", "values"),
    [
        ("rounded-up", "scaled", {"S": "2 4; 0 -2"}),
        ("truncated", "scaled", {"S": "2 4; 0 -2"}),
        ("times-not-power", "powers", {"scaled": "1 1"}),
        ("other-axis", "A", {"powers": "1 1; 1 1", "sums": "2 2"}),
    ],
)
def test_vetted_slips_are_given_even_where_hidden(slip_id: str, stage: str, values: dict[str, str]) -> None:
    """Recipe 1 refuses a draw that hides one of its slips, so it must be shown what equals the key."""
    context = make_context(stage, values)
    assert make_slip(slip_id, context) == context.compute_correct()


def test_slips_happen_at_their_own_stage_only() -> None:
    """Each stage of self-attention has its slips, and the ids tell the stage but for products with weights."""
    at = {stage.name: {slip.id for slip in find_slips(stage)} for stage in CAUSAL.build_mechanism().stages}
    assert all(at.values())
    assert at["Q"] == at["K"] == at["V"]
    of_all_products = {
        "elementwise", "negative-result-zero", "first-product-forgotten", "last-product-forgotten"
    }  # fmt: skip
    assert at["S"] & at["Q"] == at["S"] & at["Z"] == of_all_products
    assert all(slip_id in at[stage] for slip_id, (stage, _) in CHECKED_SLIPS.items())
    assert at["sums"] == {
        *("sums-other-axis", "grand-total-sums", "hidden-added", "sink-forgotten", "sink-not-raised"),
    }


def test_slips_can_be_picked_by_id() -> None:
    """Only slips among the given ids are returned."""
    stage = DEFAULT_VARIANT.build_mechanism().get_stage("scaled")
    assert [slip.id for slip in find_slips(stage, ("rounded-up", "other-axis"))] == ["rounded-up"]
    assert find_slips(stage, ()) == ()


@pytest.mark.parametrize(
    ("slip_id", "stage", "values"),
    [
        ("scores-transposed", "S", {"K": "1 0; 0 1", "Q": "1 2; 2 1"}),  # Kᵀ Q is symmetric
        ("scores-transposed", "S", {"K": "1 0; 0 1", "Q": "1 2 3; 3 2 1"}),  # and here not square
        ("truncated", "scaled", {"S": "0 1 2; 3 4 5; 6 7 8"}),
        ("negative-power-negated", "powers", {"scaled": "0 1; 2 0"}),
        ("negative-power-zero", "powers", {"scaled": "0 1; 2 0"}),
        ("weights-A-transposed", "Z", {"V": "1 2", "A": "1/2 1/2; 1/2 1/2"}),
        ("weights-A-transposed", "Z", {"V": "1 2", "A": "1/2 1/3 1; 1/2 2/3 0"}),
        ("other-axis", "A", {"powers": "1 -1; 1 1", "sums": "2 0"}),  # a row that adds to 0 divides nothing
        ("other-weights", "V", {"X": "1 2", "W_K": "1; 2", "W_V": "3"}),  # K has two rows, V one
        ("weights-transposed", "Q", {"W_Q": "1 2", "X": "1; 1"}),
        ("signs-ignored", "Q", {"W_Q": "1 2", "X": "1; 1"}),
        ("negative-result-zero", "Q", {"W_Q": "2", "X": "1 0"}),  # nothing is negative
        ("last-product-forgotten", "Q", {"W_Q": "2", "X": "1 3"}),  # there is only one
        ("last-product-forgotten", "Q", {"W_Q": "2 0", "X": "1; 3"}),  # it is 0
        ("not-transposed", "S", {"K": "1 2 3; 4 5 6", "Q": "1 2 3; 4 5 6"}),
        ("values-for-queries", "S", {"K": "1 2; 3 4", "Q": "1 0; 0 1"}),  # V has not been worked
        ("values-for-queries", "S", {"K": "1 2; 3 4", "Q": "1 0; 0 1", "V": "1 2"}),  # V is shorter than Q
        ("values-for-queries", "S", {"K": "1 2; 3 4", "Q": "1 0; 0 1", "V": "1 2; 3"}),  # V has a gap
        ("queries-with-themselves", "S", {"K": "1 2", "Q": "1 0 1"}),  # two keys, three queries
        ("half-kept", "scaled", {"S": "2 -4"}),
        ("bankers-rounding", "scaled", {"S": "2 5"}),  # 5/2 is 2 either way
        ("over-d_k", "scaled", {"S": "3 -5"}),  # d_k is 2
        ("over-d_k-kept", "scaled", {"S": "3 -5"}),  # d_k is 2: the halves are kept
        ("plain-mean", "Z", {"V": "1 2", "A": "1/2 1/2; 1/2 1/2"}),
        ("first-product-forgotten", "S", {"K": "1 2", "Q": "1 2"}),  # there is only one
        ("sign-dropped", "scaled", {"S": "3 5"}),
        ("cubed", "powers", {"scaled": "3"}),  # 3³ either way
        ("zero-power-zero", "powers", {"scaled": "1 -1"}),
        ("zero-power-base", "powers", {"scaled": "1 -1"}),
        ("power-of-magnitude", "powers", {"scaled": "1 0"}),
        ("negative-power-over-product", "powers", {"scaled": "-1 2"}),  # 1/3 either way
        ("unscaled-exponent", "powers", {"scaled": "0 -1", "S": "0 -1"}),
        ("unscaled-exponent", "powers", {"scaled": "20 30", "S": "641 660"}),  # cannot be written down
        ("sums-other-axis", "sums", {"powers": "1 2 3; 4 5 6"}),
        ("no-exponential", "A", {"scaled": "1 1; -1 0", "powers": "3 3; 1/3 1", "sums": "10/3 4"}),  # 1 − 1 is 0
        ("one-sum-for-all", "A", {"powers": "1 1; 1 1", "sums": "2 2"}),
        ("rounded-early", "A", {"powers": "1 3", "sums": "1 3"}),
        ("not-divided", "A", {"powers": "1 1; 0 0", "sums": "1 1"}),
        ("masked-after", "A", {"powers": "1 3", "sums": "1 3"}),  # nothing is masked
        ("keys-for-values", "Z", {"K": "1 0; 0 1", "V": "1 2", "A": "1 0; 0 1"}),
    ],
)
def test_a_slip_does_not_apply_where_nothing_shows_it(slip_id: str, stage: str, values: dict[str, str]) -> None:
    """No negative score, a symmetric matrix, a shape that does not fit, a sum of 0: no such mistake."""
    assert make_slip(slip_id, make_context(stage, values)) is None


@pytest.mark.parametrize("scale", [ScaleRule.NONE, ScaleRule.SQRT, 3])
def test_rounding_slips_need_the_rounding_rule(scale: ScaleRule | int) -> None:
    """Without halving and rounding down nobody cuts off, rounds otherwise or keeps the half."""
    context = make_context("scaled", {"S": "-3 1; 2 0"}, rules=Rules(scale=scale))
    for slip_id in ("truncated", "rounded-up", "half-kept", "bankers-rounding", "doubled"):
        assert make_slip(slip_id, context) is None
    assert make_slip("not-scaled", context) == (None if scale is ScaleRule.NONE else read("-3 1; 2 0"))


def test_rounding_slips_of_fractions() -> None:
    """Half of −5/2 cut off is −1, half of 5/2 rounded up is 2."""
    context = make_context("scaled", {"S": "-5/2 5/2"})
    assert make_slip("truncated", context) == ((-1, 1),)
    assert make_slip("rounded-up", context) == ((-1, 2),)


@pytest.mark.parametrize(
    ("scale", "d_k", "expected"),
    [
        (ScaleRule.HALF_FLOOR, 1, None),
        (ScaleRule.HALF_FLOOR, 2, None),
        (ScaleRule.HALF_FLOOR, 3, "1 -2"),  # ⌊5/3⌋, ⌊−5/3⌋
        (ScaleRule.NONE, 3, None),
        (ScaleRule.SQRT, 1, None),
        (ScaleRule.SQRT, 4, "5/4 -5/4"),
        (3, 3, None),
        (3, 2, "5/2 -5/2"),
    ],
)
def test_over_d_k_rounds_down_where_the_rule_does(scale: ScaleRule | int, d_k: int, expected: str | None) -> None:
    """Dividing by d_k is no slip where it gives the same."""
    context = make_context("scaled", {"S": "5 -5"}, rules=Rules(scale=scale), d_k=d_k)
    assert make_slip("over-d_k", context) == (None if expected is None else read(expected))


@pytest.mark.parametrize(("base", "first"), [(Base.TWO, 2), (Base.TEN, 10)])
def test_times_not_power_takes_the_base_of_the_sheet(base: Base, first: int) -> None:
    """3·x becomes 2·x or 10·x where the sheet says so."""
    context = make_context("powers", {"scaled": "1 -2"}, rules=Rules(base=base))
    assert make_slip("times-not-power", context) == ((first, -2 * first),)


def test_cubed_takes_the_base_of_the_sheet() -> None:
    """x³ becomes x² where the sheet has powers of 2; no pencil raises to the power of e."""
    for base, expected in ((Base.TWO, read("9 1")), (Base.E, None)):
        assert make_slip("cubed", make_context("powers", {"scaled": "-3 1"}, rules=Rules(base=base))) == expected


@pytest.mark.parametrize(
    "slip", [slip for slip in SLIPS if slip.applies_to(CAUSAL.build_mechanism().get_stage("powers"))]
)
def test_a_masked_score_stays_masked(slip: Slip) -> None:
    """However a power is taken wrongly, a masked score gives 0."""
    wrong = slip.compute_wrong(
        make_context("powers", {"scaled": "-2 0; 3 -3", "masked": "-2 0; -inf -3", "S": "-4 1; 6 -5"}, CAUSAL)
    )
    assert wrong is not None
    assert wrong[1][0] == 0


def test_other_axis_divides_by_the_sums_of_the_wrong_lines() -> None:
    """In columns it takes the sum of the row: 1, 3 over 4."""
    wrong = make_slip("other-axis", make_context("A", {"powers": "1 3; 1 1", "sums": "2 4"}))
    assert wrong == ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 2)))


def test_a_sum_that_is_0_but_for_rounding_divides_nothing() -> None:
    """1/√3 + 2/√3 − 3/√3 is 0, though their 40 digits add up to another number."""
    rules = Rules(scale=ScaleRule.SQRT)
    scaled = make_context("scaled", {"S": "1; 2; -3"}, rules=rules, d_k=3).compute_correct()
    with localcontext(DECIMAL_CONTEXT):
        assert sum(flatten(scaled)) != 0
    context = make_context("A", {"powers": "1; 1; 1", "sums": "3"}, rules=rules, d_k=3)
    assert make_slip("no-exponential", replace(context, matrices={**context.matrices, "scaled": scaled})) is None


def test_slips_start_from_the_students_own_numbers() -> None:
    """Another value in the matrix that a slip reads changes what comes out."""
    context = make_context_at(make_problem(PENCIL_SAMPLE), "Z")
    own = replace(context, matrices={**context.matrices, "K": read("1 1 1; 0 0 5")})
    assert make_slip("keys-for-values", own) == read("1 1 1; 3 3 5/3")


@pytest.mark.parametrize("head", ["h1", "h2"])
def test_slips_stay_in_their_head(head: str) -> None:
    """What a slip takes from elsewhere, it takes from the same head."""
    values = {"h1.K": "1 2", "h2.K": "3 4", "h1.V": "1 1", "h2.V": "1 1", "h1.A": "1 0; 0 1", "h2.A": "1 0; 0 1"}
    assert make_slip("keys-for-values", make_context(f"{head}.Z", values, HEADED)) == read(values[f"{head}.K"])


def test_a_slip_applies_where_the_key_cannot_be_worked() -> None:
    """A student's own sum of 0 divides nothing, but the sums of the other axis do."""
    context = make_context("A", {"powers": "1 3; 1 1", "sums": "0 4"})
    assert make_slip("other-axis", context) == read("1/4 3/4; 1/2 1/2")
    assert make_slip("over-count", context) == read("1/2 3/2; 1/2 1/2")
    assert make_slip("one-sum-for-all", context) is None
