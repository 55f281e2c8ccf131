"""What is true of mechanisms whatever the numbers: masks, words, positions, heads and layers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, product, transpose
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.errors import ProblemError
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.reading import build_problem
from attnhand.problems.request import Request
from tests.building import collect_hand_values
from tests.forms import CAUSAL_FORMS, FORMS, WORDS
from tests.strategies import RATIONAL_RULES, WHOLE_ENTRIES, matrices, problems, whole_problems

SEEDS = range(5)


def list_outputs(solution: Solution) -> tuple[list[tuple[object, ...]], np.ndarray[Any, np.dtype[np.float64]]]:
    """Return the last stage, one column a token: by hand as columns, exactly as an array."""
    last = solution.stages[-1]
    return list(transpose(last.hand)), np.array(last.exact)


def replace_given(problem: Problem, name: str, a: Matrix) -> Problem:
    """Return the problem with another matrix of that name."""
    return replace(problem, given=tuple((own, a if own == name else old) for own, old in problem.given))


# the mask


@pytest.mark.parametrize("form", CAUSAL_FORMS.values(), ids=CAUSAL_FORMS)
def test_a_later_token_changes_no_earlier_output(form: Variant) -> None:
    """Each token in turn becomes another one: outputs before it stay to the last digit, its own does not."""
    changed_outputs = 0
    for seed in SEEDS:
        problem = generate_problem(Request(seed=seed, variant=form))
        hand, exact = list_outputs(solve(problem))
        for token in range(problem.sizes["tokens"]):
            X = tuple(tuple(value + 1 if j == token else value for j, value in enumerate(row)) for row in problem["X"])
            other_hand, other_exact = list_outputs(solve(replace_given(problem, "X", X)))
            assert other_hand[:token] == hand[:token]
            np.testing.assert_allclose(other_exact[:, :token], exact[:, :token], rtol=1e-14, atol=1e-14)
            changed_outputs += other_hand[token] != hand[token]
    assert changed_outputs >= len(SEEDS) * 2


@pytest.mark.parametrize("form", [Variant(), Variant(mechanism="multi-head")], ids=["self", "multi-head"])
def test_without_a_mask_a_later_token_does_change_earlier_outputs(form: Variant) -> None:
    """So what the mask is tested for is not true anyway."""
    problem = generate_problem(Request(seed=7, variant=form))
    X = tuple((*row[:-1], row[-1] + 1) for row in problem["X"])
    hand, _ = list_outputs(solve(problem))
    other_hand, _ = list_outputs(solve(replace_given(problem, "X", X)))
    assert other_hand[0] != hand[0]


@given(problems(allows_rows=False))
def test_the_first_query_of_a_mask_sees_itself_alone(problem: Problem) -> None:
    """Its weights are 1 0 0 …, whatever the rules, and its output is its own value; the last query sees all."""
    masked = replace(problem, variant=Variant(is_causal=True))
    solution, plain = solve(masked), solve(problem)
    assert [row[0] for row in solution["A"].hand] == [1, *[0] * (problem.sizes["tokens"] - 1)]
    assert [row[0] for row in solution["A"].exact] == [1, *[0] * (problem.sizes["tokens"] - 1)]
    first_output, first_value = ([round(Fraction(row[0]), 30) for row in solution[name].hand] for name in "ZV")
    assert first_output == first_value
    assert [row[-1] for row in solution["A"].hand] == [row[-1] for row in plain["A"].hand]


# words


def make_worded_problem(words: Sequence[str], seed: int, **settings: str) -> Problem:
    """Build self-attention over words, each of which has the same vector in whatever order they stand."""
    drawn = generate_problem(Request(seed=seed, variant=Variant(embedded_words=WORDS)))
    vectors = dict(zip(dict.fromkeys(WORDS), transpose(drawn["embedding"]), strict=True))
    given_: dict[str, object] = {name: a for name, a in drawn.given if name != "embedding"}
    given_["embedding"] = {word: list(vectors[word]) for word in words}
    return build_problem({"given": given_, "words": list(words), **settings})


ORDERS = ((4, 3, 2, 1, 0), (1, 0, 2, 3, 4), (0, 2, 4, 1, 3))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_words_in_another_order_give_the_same_outputs_in_that_order(seed: int, order: tuple[int, ...]) -> None:
    """Attention alone does not see order."""
    hand, exact = list_outputs(solve(make_worded_problem(WORDS, seed)))
    again_hand, again_exact = list_outputs(solve(make_worded_problem([WORDS[i] for i in order], seed)))
    assert again_hand == [hand[i] for i in order]
    np.testing.assert_allclose(again_exact, exact[:, list(order)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_with_positions_the_order_of_words_matters(seed: int, order: tuple[int, ...]) -> None:
    """The same words in another order give other outputs, by hand and exactly."""
    hand, exact = list_outputs(solve(make_worded_problem(WORDS, seed, positions="sinusoidal")))
    again_hand, again_exact = list_outputs(
        solve(make_worded_problem([WORDS[i] for i in order], seed, positions="sinusoidal"))
    )
    assert again_hand != [hand[i] for i in order]
    assert np.abs(again_exact - exact[:, list(order)]).max() > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_word_twice_gives_the_same_output_unless_positions_tell_it_apart(seed: int) -> None:
    """The first and the fourth word are one."""
    hand, exact = list_outputs(solve(make_worded_problem(WORDS, seed)))
    assert hand[0] == hand[3]
    assert (exact[:, 0] == exact[:, 3]).all()
    solution = solve(make_worded_problem(WORDS, seed, positions="sinusoidal"))
    X = transpose(solution["X"].hand)
    assert X[0] != X[3]
    _, exact = list_outputs(solution)
    assert np.abs(exact[:, 0] - exact[:, 3]).max() > 1e-3


def test_words_without_positions_are_self_attention_over_their_vectors() -> None:
    """Every stage is that of the same X, given as a matrix."""
    problem = make_worded_problem(WORDS, 7)
    computed = collect_hand_values(solve(problem))
    plain = Problem(
        given=(("X", computed["X"]), *((name, a) for name, a in problem.given if name != "embedding")), words=WORDS
    )
    assert {name: a for name, a in computed.items() if name != "X"} == collect_hand_values(solve(plain))


# heads and layers


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    "name",
    [n for n, form in FORMS.items() if n.startswith("multi-head") and not (form.begins_with or form.has_distances)],
)
def test_every_head_is_self_attention_and_all_are_joined(name: str, convention: Convention) -> None:
    """Each head's stages are those of its own weights alone; concat holds their results, output is W_O concat."""
    form = FORMS[name]
    for seed in SEEDS:
        problem = generate_problem(Request(seed=seed, variant=form, convention=convention))
        computed = collect_hand_values(solve(problem))
        parts = []
        for head in range(1, form.head_count + 1):
            weights = tuple((W, problem[f"h{head}.{W}"]) for W in ("W_Q", "W_K", "W_V"))
            alone = Problem(
                variant=Variant(is_causal=form.is_causal, sink=form.sink, temperature=form.temperature),
                convention=convention,
                given=(("X", problem["X"]), *weights),
            )
            own = collect_hand_values(solve(alone))
            assert {stage: computed[f"h{head}.{stage}"] for stage in own} == own
            parts.append(own["Z"])
        columns = convention is Convention.COLUMNS
        joined = tuple(row for part in (parts if columns else map(transpose, parts)) for row in part)
        assert computed["concat"] == (joined if columns else transpose(joined))
        factors = (problem["W_O"], computed["concat"]) if columns else (computed["concat"], problem["W_O"])
        assert computed["output"] == product(*factors)


@pytest.mark.parametrize("heads", [1, 2])
def test_a_block_is_attention_with_two_layers_after_it(heads: int) -> None:
    """What stands before its layers is self-attention, or multi-head attention."""
    problem = generate_problem(Request(seed=7, variant=Variant(mechanism="block", heads=heads)))
    attention = Variant() if heads == 1 else Variant(mechanism="multi-head", heads=heads)
    names = [given_.name for given_ in attention.build_mechanism().given]
    alone = collect_hand_values(solve(Problem(variant=attention, given=tuple((name, problem[name]) for name in names))))
    computed = collect_hand_values(solve(problem))
    assert {name: computed[name] for name in alone} == alone
    assert list(computed)[len(alone) :] == ["F1", "relu1", "F2"]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("heads", [1, 2])
def test_a_block_without_weights_gives_its_biases(heads: int, convention: Convention) -> None:
    """Whatever the tokens, each line is b, with 0 for what is negative in between; at the end where that is said."""
    problem = generate_problem(Request(seed=7, variant=Variant(mechanism="block", heads=heads), convention=convention))
    problem = replace(problem, variant=replace(problem.variant, has_second_relu=True))
    b_1, b_2 = (2, -1, 0), (1, -3, 2, -1, 0, 3)
    for name, b in (("b_1", b_1), ("b_2", b_2)):
        problem = replace_given(problem, name, (b,) if convention is Convention.ROWS else transpose((b,)))
    for name, a in problem.given:
        if name.rpartition(".")[2].startswith("W_"):
            problem = replace_given(problem, name, tuple((0,) * len(row) for row in a))
    solution = solve(problem)
    for name, expected in (("relu1", (2, 0, 0)), ("F2", b_2), ("relu2", (1, 0, 2, 0, 0, 3))):
        tokens = transpose(solution[name].hand) if convention is Convention.COLUMNS else solution[name].hand
        assert set(tokens) == {expected}
        exact = np.array(solution[name].exact)
        assert np.array_equal(exact.T if convention is Convention.COLUMNS else exact, [expected] * len(tokens))


# mechanisms that are others in disguise


@given(problems())
def test_cross_attention_to_itself_is_self_attention(problem: Problem) -> None:
    """With M = X every stage is the same, both ways."""
    X, *weights = problem.given
    cross = replace(problem, variant=Variant(mechanism="cross"), given=(X, ("M", X[1]), *weights))
    ours, theirs = solve(cross), solve(problem)
    assert collect_hand_values(ours) == collect_hand_values(theirs)
    assert [solved.exact for solved in ours] == [solved.exact for solved in theirs]


@given(whole_problems())
def test_basic_attention_is_self_attention_without_weights_and_scale(problem: Problem) -> None:
    """With the identity for W_Q, W_K and W_V and nothing scaled, S, powers, sums, A and Z are the same."""
    rules = replace(problem.rules, scale=ScaleRule.NONE)
    size = range(problem.sizes["features"])
    identity = tuple(tuple(int(i == j) for j in size) for i in size)
    convention, X = problem.convention, ("X", problem["X"])
    weights = tuple((name, identity) for name in ("W_Q", "W_K", "W_V"))
    full = collect_hand_values(solve(Problem(convention=convention, given=(X, *weights), rules=rules)))
    basic = solve(Problem(variant=Variant(mechanism="basic"), convention=convention, given=(X,), rules=rules))
    assert list(collect_hand_values(basic)) == ["S", "powers", "sums", "A", "Z"]
    assert collect_hand_values(basic) == {name: full[name] for name in collect_hand_values(basic)}


@settings(max_examples=40)
@given(st.data(), st.integers(2, 4), st.integers(2, 3), st.sampled_from(RATIONAL_RULES))
def test_two_heads_alike_are_one_head_added_twice(data: st.DataObject, tokens: int, size: int, rules: Rules) -> None:
    """With the same weights in both heads and W_O two identities side by side, the output is twice Z."""
    X, *weights = (data.draw(matrices(size, columns, WHOLE_ENTRIES)) for columns in (tokens, size, size, size))
    names = ("W_Q", "W_K", "W_V")
    one = solve(Problem(given=(("X", X), *zip(names, weights, strict=True)), rules=rules))
    W_O = tuple(tuple(int(i == j) for j in range(size)) * 2 for i in range(size))
    heads = [(f"h{head}.{name}", a) for head in (1, 2) for name, a in zip(names, weights, strict=True)]
    both = Problem(variant=Variant(mechanism="multi-head"), given=(("X", X), *heads, ("W_O", W_O)), rules=rules)
    assert solve(both)["output"].hand == tuple(tuple(2 * value for value in row) for row in one["Z"].hand)


# forms


def test_mechanisms_stand_in_the_order_that_codes_count_them() -> None:
    """The order is part of the sheet code."""
    assert list(MECHANISMS) == [*("self", "basic", "cross", "multi-head", "block", "online", "next-token", "backward")]


STAGES = {
    "self-causal": "Q K V S scaled masked powers sums A Z",
    "basic": "S powers sums A Z",
    "basic-causal": "S masked powers sums A Z",
    "cross": "Q K V S scaled powers sums A Z",
    "multi-head-2": "h1.Q h1.K h1.V h1.S h1.scaled h1.powers h1.sums h1.A h1.Z "
    "h2.Q h2.K h2.V h2.S h2.scaled h2.powers h2.sums h2.A h2.Z concat output",
    "block-1": "Q K V S scaled powers sums A Z F1 relu1 F2",
    "block-1-residual": "Q K V S scaled powers sums A Z output R1 F1 relu1 F2 R2",
    "block-1-normed": "squares1 r1 N1 Q K V S scaled powers sums A Z squares2 r2 N2 F1 relu1 F2",
    "block-1-residual-normed-causal": "squares1 r1 N1 Q K V S scaled masked powers sums A Z output R1 squares2 r2 N2 "
    "F1 relu1 F2 R2",
    "block-2-residual-normed-after": " ".join(
        f"h{head}.{name}" for head in (1, 2) for name in ["Q", "K", "V", "S", "scaled", "powers", "sums", "A", "Z"]
    )
    + " concat output R1 squares1 r1 N1 F1 relu1 F2 R2 squares2 r2 N2",
    "self-words": "X Q K V S scaled powers sums A Z",
    "self-words-positions": "E P X Q K V S scaled powers sums A Z",
    "online": "S1 scaled1 m1 powers1 l1 o1 S2 scaled2 m2 f2 powers2 l2 o2 Z",
    "backward": "S scaled powers sums A Z dA d dS dS_scaled dq dK dV",
}
GIVEN = {
    "self-causal": "X W_Q W_K W_V",
    "basic": "X",
    "basic-causal": "X",
    "cross": "X M W_Q W_K W_V",
    "multi-head-2": "X h1.W_Q h1.W_K h1.W_V h2.W_Q h2.W_K h2.W_V W_O",
    "block-1": "X W_Q W_K W_V W_1 b_1 W_2 b_2",
    "block-1-residual": "X W_Q W_K W_V W_O W_1 b_1 W_2 b_2",
    "block-1-normed": "X W_Q W_K W_V W_1 b_1 W_2 b_2",
    "block-1-residual-normed-causal": "X W_Q W_K W_V W_O W_1 b_1 W_2 b_2",
    "block-2-residual-normed-after": "X h1.W_Q h1.W_K h1.W_V h2.W_Q h2.W_K h2.W_V W_O W_1 b_1 W_2 b_2",
    "self-words": "embedding W_Q W_K W_V",
    "self-words-positions": "embedding W_Q W_K W_V",
    "online": "K1 Q V1 K2 V2",
    "backward": "K Q V g",
}


@pytest.mark.parametrize("name", STAGES)
def test_mechanisms_are_the_lists_of_the_design(name: str) -> None:
    """What is given and what is worked, in order, by the names used everywhere."""
    mechanism = FORMS[name].build_mechanism(6)
    assert join_names(mechanism.given) == GIVEN[name]
    assert join_names(mechanism.stages) == STAGES[name]


def join_names(parts: Iterable[Any]) -> str:
    """Return the names of given matrices or stages, with blanks between them."""
    return " ".join(part.name for part in parts)


def test_a_form_says_the_same_however_its_heads_are_named() -> None:
    """Two heads are usual for multi-head attention, one for all else."""
    assert Variant(mechanism="multi-head", heads=2) == Variant(mechanism="multi-head")
    assert Variant(mechanism="block", heads=1) == Variant(mechanism="block")
    assert Variant(mechanism="block", heads=2) != Variant(mechanism="block")
    assert [FORMS[name].head_count for name in ("self", "multi-head-3", "block-2")] == [1, 3, 2]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"mechanism": "multi-head", "heads": 1}, "multi-head cannot have 1 heads: use 2 to 4"),
        ({"mechanism": "multi-head", "heads": 5}, "multi-head cannot have 5 heads: use 2 to 4"),
        ({"mechanism": "block", "heads": 5}, "block cannot have 5 heads: use 1 to 4"),
        (
            {"mechanism": "cross", "heads": 2},
            "cross attention has one head: leave out the heads, or use the mechanism multi-head",
        ),
        (
            {"mechanism": "cross", "is_causal": True},
            "cross attention has no causal mask: which token of the memory comes later is not said; leave out the mask",
        ),
        ({"has_positions": True}, "positions are added to words that are looked up: give words and their embedding"),
    ],
)
def test_forms_that_no_mechanism_has_are_refused(form: dict[str, Any], message: str) -> None:
    """A refusal says what to use instead."""
    with pytest.raises(ProblemError) as refusal:
        Variant(**form)
    assert str(refusal.value) == message


def test_requests_take_the_sizes_their_mechanism_has() -> None:
    """Cross has a memory, a block a hidden layer, basic attention no d_k; words count the tokens."""
    level = Level.STANDARD
    sizes = {name: dict(Request(seed=0, variant=form, level=level).all_sizes) for name, form in FORMS.items()}
    assert sizes["basic"] == {"tokens": 4, "features": 4}
    assert sizes["cross"] == {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3, "memory": 3}
    assert sizes["block-1"] == {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3, "hidden": 3}
    assert sizes["self-words"] == {"tokens": 5, "vocabulary": 4, "features": 6, "d_k": 3, "d_v": 3}


def test_nothing_is_scaled_where_a_mechanism_does_not_scale() -> None:
    """Basic attention's rules say so themselves, whatever is asked."""
    for rules in (Rules(), Rules(scale=4), Rules(scale=ScaleRule.SQRT)):
        request = Request(seed=7, variant=Variant(mechanism="basic"), rules=rules)
        assert request.rules == Rules(scale=ScaleRule.NONE)
        assert generate_problem(request).rules == Rules(scale=ScaleRule.NONE)
    assert Request(seed=7, variant=Variant(mechanism="basic"), rules=Rules(base=Base.TWO)).rules.base is Base.TWO
