"""What a stage can do, in both conventions, and how one cell of it comes about."""

import math
import pickle
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnhand
from attnhand.attention.arithmetic import HAND, Arithmetic, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Content, Dimension, Mechanism, Stage, Variant
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import (
    CellExplanation,
    expand_to_common_denominator,
    explain_cell,
    list_cells_read,
    list_numbers,
    list_parts,
)
from attnhand.attention.mechanisms.products import Product
from attnhand.attention.mechanisms.topics import PRODUCT, TOPICS, WORKED, get_topic
from attnhand.attention.numbers import MINUS_INFINITY, Number, is_same_number
from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.problems.generator import generate_problem
from attnhand.problems.request import Request
from tests.building import PENCIL_SAMPLE, make_problem, parse_matrix
from tests.drawn_sheets import FURTHER_FORMS
from tests.forms import FORMS
from tests.stage_oracle import BLOCK_TOPICS, ROLES, StageOracle, list_terms, make_oracle, to_lines
from tests.strategies import whole_problems

BY_HAND = Arithmetic(rules=HAND, d_k=2)
ALL_MECHANISMS: dict[str, Mechanism] = {name: form.build_mechanism(6) for name, form in (FORMS | FURTHER_FORMS).items()}


def get_stage(name: str, convention: Convention = Convention.COLUMNS, **settings: object) -> Stage:
    """Return a stage of self-attention, or of another form."""
    form = Variant(**settings)  # type: ignore[arg-type]
    return form.build_mechanism(4).convert_to(convention).get_stage(name)


def work(stage: Stage, *inputs: Matrix) -> Matrix:
    """Work a stage by hand from what it reads, in the order in which it stands on paper."""
    return stage.work(BY_HAND, dict(zip(stage.input_names, inputs, strict=True)))


def test_products_transpose_the_marked_factor_first() -> None:
    """K and Q, one column a token, give Kᵀ Q; mirrored, one row a token, Q Kᵀ."""
    K, Q = parse_matrix("1 0 2; 0 1 1"), parse_matrix("1 2 3; 1 0 1")
    S = work(get_stage("S"), K, Q)
    assert parse_matrix("1 2 3; 1 0 1; 3 4 7") == S
    assert work(get_stage("S", Convention.ROWS), transpose(Q), transpose(K)) == transpose(S)


def test_scores_of_the_checked_sample_are_scaled_and_raised() -> None:
    """−1 1 −3 scale to −1 0 −2, and their powers are 1/3 1 1/9."""
    scaled = work(get_stage("scaled"), parse_matrix("-1 1 -3"))
    assert scaled == parse_matrix("-1 0 -2")
    assert work(get_stage("powers"), scaled) == parse_matrix("1/3 1 1/9")


def test_columns_are_added_and_divided_by_their_sums() -> None:
    """Two columns, two sums, weights that add to 1 down each column."""
    powers = parse_matrix("1/3 9; 1 1")
    sums = work(get_stage("sums"), powers)
    assert sums == parse_matrix("4/3 10")
    assert work(get_stage("A"), powers, sums) == parse_matrix("1/4 9/10; 3/4 1/10")


def test_rows_are_added_and_divided_by_their_sums() -> None:
    """With tokens as rows the sums stand in a column, and weights add to 1 along each row."""
    powers = parse_matrix("1/3 1; 9 1")
    sums = work(get_stage("sums", Convention.ROWS), powers)
    assert sums == parse_matrix("4/3; 10")
    assert work(get_stage("A", Convention.ROWS), powers, sums) == parse_matrix("1/4 3/4; 9/10 1/10")


def test_whole_sums_and_weights_are_integers() -> None:
    """A sum of fractions that is whole is an int, and so is a weight of 1."""
    sums = work(get_stage("sums"), parse_matrix("1/3; 2/3"))
    assert sums == ((1,),)
    assert isinstance(sums[0][0], int)
    weights = work(get_stage("A"), ((9,),), ((9,),))
    assert isinstance(weights[0][0], int)


def test_factors_that_do_not_fit_are_refused() -> None:
    """A product of the wrong shapes says which letter would run to two sizes, in both conventions."""
    refusal = r"^Q: f runs to 2, and to 1 in X\[f,q\]$"
    with pytest.raises(FormulaError, match=refusal):
        work(get_stage("Q"), ((1, 2),), ((1, 2),))
    with pytest.raises(FormulaError, match=refusal):
        work(get_stage("Q", Convention.ROWS), ((1,), (2,)), ((1,), (2,)))


@pytest.mark.parametrize("mechanism", ALL_MECHANISMS.values(), ids=ALL_MECHANISMS)
def test_a_mirrored_stage_has_its_sides_and_factors_exchanged(mechanism: Mechanism) -> None:
    """(A B)ᵀ = Bᵀ Aᵀ: whichever factor is transposed, it stands on the other side and is transposed no more, or now."""
    for stage, mirrored in zip(mechanism.stages, mechanism.mirrored.stages, strict=True):
        assert (stage.rows, stage.columns) == (mirrored.columns, mirrored.rows)
        assert (stage.form, stage.role, stage.gives_fractions) == (
            mirrored.form,
            mirrored.role,
            mirrored.gives_fractions,
        )
        if stage.product is None:
            assert mirrored.product is None
            assert mirrored.input_names == stage.input_names
        else:
            assert mirrored.product is not None
            assert mirrored.input_names == stage.input_names[::-1]
            turned = stage.product.is_left_transposed, stage.product.is_right_transposed
            assert turned == (mirrored.product.is_right_transposed, mirrored.product.is_left_transposed)
            assert mirrored.product.mirrored == stage.product


def test_the_factors_of_a_product_are_named_as_they_are_multiplied() -> None:
    """Kᵀ Q in columns and Q Kᵀ in rows, a bias between the factors; what goes cell by cell has none."""
    assert get_stage("S").product == Product("K", "Q", None, is_left_transposed=True, is_right_transposed=False)
    assert get_stage("S").format_formula(("K", "Q")) == "K^T Q"
    assert get_stage("S", Convention.ROWS).format_formula(("Q", "K")) == "Q K^T"
    assert get_stage("S", mechanism="basic").format_formula(("X", "X")) == "X^T X"
    layer = get_stage("F1", mechanism="block")
    assert layer.input_names == ("W_1", "b_1", "Z")
    assert layer.format_formula(layer.input_names) == "W_1 Z + b_1"
    assert get_stage("A").format_formula(("powers", "sums")) is None


KINDS = {
    **dict.fromkeys(ROLES, Form.PRODUCT),
    "turned": Form.TURN,
    "appended": Form.COPY,
    "biased": Form.OTHER,
    "scaled": Form.SCALE,
    "masked": Form.MASK,
    "tempered": Form.TEMPER,
    "shifted": Form.SHIFT,
    "powers": Form.POWER,
    "sums": Form.SUM,
    "weights": Form.SHARE,
    "concat": Form.COPY,
    "embedded": Form.COPY,
    "relu": Form.LARGEST,
    "positions": Form.POSITION,
    "added": Form.ADDED,
    "residual": Form.ROUNDED,
    "squares": Form.OTHER,
    "root": Form.OTHER,
    "normed": Form.ROUNDED,
    "largest": Form.OTHER,
    "largest_so_far": Form.OTHER,
    "rescaling": Form.POWER,
    "block_powers": Form.POWER,
    "block_sums": Form.SUM,
    "running_sums": Form.OTHER,
    "running_outputs": Form.OTHER,
    "divided": Form.OTHER,
    "kept": Form.OTHER,
    "kept_sums": Form.SUM,
    "kept_weights": Form.SHARE,
    "loss": Form.OTHER,
    "squared_length": Form.OTHER,
    "new_rows": Form.OTHER,
    "new_logits": Form.ROUNDED,
    "new_powers": Form.POWER,
    "new_sums": Form.SUM,
    "new_shares": Form.SHARE,
    "new_loss": Form.OTHER,
    "gradient": Form.OTHER,
    "gradient_mean": Form.OTHER,
    "gradient_scores": Form.OTHER,
    "gradient_scaled": Form.SLOPE,
}
AFTER_DIVISION = (
    *("powers", "sums", "weights", "outputs", "concat", "output", "layer", "relu", "squares"),
    *("kept", "kept_sums", "kept_weights", "loss", "gradient"),
    *("new_rows", "new_powers", "new_sums", "new_shares", "new_loss"),
    *("rescaling", "block_powers", "block_sums", "block_outputs", "running_sums", "running_outputs", "divided"),
    *(f"gradient_{name}" for name in ("mean", "scores", "scaled", "queries", "keys", "values")),
)
"""Topics of stages in which fractions may stand."""


def test_what_a_stage_is_can_be_read_off_its_formula() -> None:
    """Its form, what a product is for, and whether whole numbers come out of whole ones."""
    seen = set()
    for name, mechanism in ALL_MECHANISMS.items():
        by_radians = name == "self-radians"
        is_rounded_again = any(stage.topic in ("residual", "normed") for stage in mechanism.stages)
        for stage in mechanism.stages:
            topic = stage.topic
            assert topic in KINDS, f"{topic}: what its formula is goes into KINDS, or, of a product, into ROLES"
            form = Form.ROTATION if by_radians and topic == "turned" else KINDS[topic]
            assert (stage.form, stage.role) == (form, ROLES.get(topic)), stage.name
            after_turning = by_radians and topic in ("turned", "scores", "scaled")
            after_division = topic in AFTER_DIVISION and not (is_rounded_again and topic in ("layer", "relu"))
            assert stage.gives_fractions == (after_division or after_turning), stage.name
            seen.add(topic)
    assert seen == {*KINDS}


def test_whatever_is_no_product_has_its_own_facts() -> None:
    """What a cell costs and which hints it has; of a topic that nothing is said of it is what is said of products."""
    for mechanism in ALL_MECHANISMS.values():
        for stage in mechanism.stages:
            assert stage.product is not None or stage.topic in TOPICS, stage.name
    assert get_topic("latents", is_product=True) is PRODUCT
    assert get_topic("latents", is_product=False) is WORKED
    assert (PRODUCT.hint_key, PRODUCT.seconds_per_cell) == ("product", 0)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_stage_sent_to_another_process_is_that_stage(form: Variant, convention: Convention) -> None:
    """Classes are made by several processes; what is compiled cannot be sent, and is made there again."""
    mechanism = form.build_mechanism(6).convert_to(convention)
    assert pickle.loads(pickle.dumps(mechanism)) is mechanism
    for stage in mechanism.stages:
        assert pickle.loads(pickle.dumps(stage)) is stage


def test_a_problem_that_was_sent_is_solved_as_before() -> None:
    """With its mechanism, its sizes and its convention."""
    form = Variant(mechanism="multi-head", is_causal=True)
    problem = generate_problem(Request(seed=7, variant=form, convention=Convention.ROWS))
    sent = pickle.loads(pickle.dumps(problem))
    assert sent == problem
    assert solve(sent).collect_hand_values() == solve(problem).collect_hand_values()


def rebuild_cell(
    oracle: StageOracle, topic: str, parts: Sequence[tuple[Number, ...]], place: tuple[int, int], input_count: int
) -> Number | None:
    """Make a cell (0-based, tokens as columns) from its parts, from what its topic means; a masked score is None.

    A kind of stage of which nothing is said here has a cell of each matrix that it reads for its parts.
    """
    if topic == "masked":
        assert len(parts) == (not oracle.hides(*place))
    if topic == "positions":
        assert parts == []
        return oracle.work(topic, [])[place[0]][place[1]]
    if topic in BLOCK_TOPICS:
        return rebuild_block_cell(oracle, topic, parts)
    if topic in ROLES:
        return sum((Fraction(one) * Fraction(other) for one, other in parts), Fraction(0))
    if topic == "gradient_mean":
        return sum((Fraction(share) * Fraction(by) for share, by in parts), Fraction(0))
    if topic in ("squared_length", "new_rows"):
        return rebuild_learned_cell(oracle, topic, parts)
    if topic in ("sums", "kept_sums", "new_sums"):
        return sum((Fraction(value) for (value,) in parts), oracle.nobody)
    if topic == "squares":
        (cells,) = parts
        assert cells[::2] == cells[1::2]
        return oracle.work(topic, [[[Fraction(value)] for value in cells[::2]]])[0][0]
    if topic == "shifted":
        ((own, *of_query),) = parts
        seen = [value for value in of_query if value != MINUS_INFINITY]
        return None if own == MINUS_INFINITY else Fraction(own) - max(Fraction(value) for value in seen)
    if topic == "kept":  # the first of them, if it is among the largest
        ((own, *others),) = parts
        likeliest = sorted({Fraction(value) for value in others}, reverse=True)[: oracle.top_k]
        return Fraction(own) if own in likeliest else Fraction(0)
    if topic in ("loss", "new_loss"):
        ((*numbers,),) = parts
        halves: list[list[list[Fraction | None]]] = [[[Fraction(value)] for value in numbers[at::2]] for at in (0, 1)]
        return oracle.work(topic, halves)[0][0]
    if topic == "masked" and not parts:
        return None
    if topic in ("concat", "appended"):
        ((value,),) = parts
        return value
    numbers = [value for part in parts for value in part]
    assert len(numbers) == input_count
    value = numbers[0]
    if topic in ("embedded", "masked"):
        return value
    if topic == "biased":
        return value - oracle.find_loss(*place)
    if topic == "turned":  # (a, b) → (−b, a) → (−a, −b) → (b, −a), a turn a token
        feature, token = place
        return value * ((1, 1, -1, -1) if feature % 2 else (1, -1, -1, 1))[(token + oracle.kept) % 4]
    inputs: list[list[list[Fraction | None]]] = [[[None if x == MINUS_INFINITY else Fraction(x)]] for x in numbers]
    return oracle.work(topic, inputs)[0][0]


def rebuild_learned_cell(oracle: StageOracle, topic: str, parts: Sequence[tuple[Number, ...]]) -> Fraction:
    """Put the parts of a cell of a step of learning together."""
    numbers = [Fraction(value) for part in parts for value in part]
    if topic == "squared_length":
        assert numbers[::2] == numbers[1::2]
        return sum((value * value for value in numbers[::2]), Fraction(0))
    weight, slope, by = numbers
    return weight - oracle.rate * slope * by


def rebuild_block_cell(oracle: StageOracle, topic: str, parts: Sequence[tuple[Number, ...]]) -> Fraction:
    """Put the parts of a cell of online attention together."""
    numbers = [[Fraction(value) for value in part] for part in parts]
    flat = [value for part in numbers for value in part]
    match topic:
        case "largest" | "largest_so_far":
            return max(flat)
        case "rescaling" | "block_powers":
            return Fraction(oracle.base) ** int(flat[0] - flat[1])
        case "divided":
            return flat[0] / flat[1]
        case _:
            return sum((math.prod(each, start=Fraction(1)) for each in numbers), Fraction(0))


@pytest.mark.parametrize("convention", Convention)
def test_every_cell_can_be_told_from_its_parts(convention: Convention) -> None:
    """The parts of each cell, put together, give the cell; none is left over."""
    problem = make_problem(PENCIL_SAMPLE)
    solution = solve(problem if convention is Convention.COLUMNS else problem.transpose())
    assert rebuild_cells(solution, convention) == 3 * 6 + 4 * 9 + 3 + 6


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_cell_of_every_mechanism_can_be_told_from_its_parts(form: Variant, convention: Convention) -> None:
    """So it is for masks, heads side by side, words, positions and layers."""
    solution = solve(generate_problem(Request(seed=7, variant=form, convention=convention)))
    assert rebuild_cells(solution, convention) == sum(len(flatten(solved.hand)) for solved in solution)


def rebuild_cells(solution: Solution, convention: Convention) -> int:
    """Make every cell from its parts and compare; return how many there are."""
    known, problem = solution.collect_hand_values(), solution.problem
    checked = 0
    for solved in solution:
        oracle = make_oracle(problem, problem.hand_arithmetic, solved.stage.head)
        for i, row in enumerate(solved.hand):
            for j, value in enumerate(row):
                place = (i, j) if convention is Convention.COLUMNS else (j, i)
                parts = list_numbers(solved.stage, known, i, j)
                expected = None if value == MINUS_INFINITY else value
                rebuilt = rebuild_cell(oracle, solved.stage.topic, parts, place, len(solved.stage.input_names))
                is_near = isinstance(value, Decimal) and expected is not None and is_same_number(rebuilt, value)  # type: ignore[arg-type]
                assert rebuilt == expected or is_near, (solved.stage.name, i, j)
                assert solved.stage.hides(i, j) == (solved.stage.topic == "masked" and oracle.hides(*place))
                assert solved.stage.show_place(solved.stage.find_place(i, j)) == (i, j)
                checked += 1
    return checked


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_products_are_made_of_the_pairs_that_are_multiplied(form: Variant, convention: Convention) -> None:
    """In the order of the factors on paper, so that a student reads W row by row and X beside it."""
    problem = generate_problem(Request(seed=7, variant=form, convention=convention))
    values = solve(problem).collect_hand_values()
    lines = {name: to_lines(a, is_rows=convention.is_rows) for name, a in values.items()}
    count = 0
    for stage in problem.mechanism.stages:
        if stage.product is None:
            continue
        names = stage.input_names[::-1] if convention.is_rows else stage.input_names
        rows, columns = shape(values[stage.name])
        for i in range(rows):
            for j in range(columns):
                place = (j, i) if convention.is_rows else (i, j)
                expected: list[tuple[object, ...]] = []
                for term in list_terms(stage.topic, [lines[name] for name in names], *place):
                    cells: list[object] = [
                        (names[which], column, row) if convention.is_rows else (names[which], row, column)
                        for which, row, column in term
                    ]
                    pair = [*cells, 1] if len(cells) == 1 else cells
                    expected.append(tuple(pair[::-1] if convention.is_rows else pair))
                assert list(list_parts(stage, values, i, j)) == expected, (stage.name, i, j)
                count += 1
    least = 8 if problem.variant.blocks else 4 if form.has_vocabulary else 16  # one query
    assert count >= least or not any(stage.product for stage in problem.mechanism.stages)


def test_a_mask_hides_what_comes_after_the_query() -> None:
    """In columns what stands under the diagonal, in rows what stands above it."""
    S, hidden = parse_matrix("1 2 3; 4 5 6; 7 8 9"), MINUS_INFINITY
    assert work(get_stage("masked", is_causal=True), S) == ((1, 2, 3), (hidden, 5, 6), (hidden, hidden, 9))
    in_rows = get_stage("masked", Convention.ROWS, is_causal=True)
    assert work(in_rows, S) == ((1, hidden, hidden), (4, 5, hidden), (7, 8, 9))


def test_a_window_hides_what_comes_long_before_too() -> None:
    """With a window of two tokens a query sees itself and the one before."""
    S, hidden = parse_matrix("1 2 3; 4 5 6; 7 8 9"), MINUS_INFINITY
    stage = get_stage("masked", is_causal=True, window=2)
    assert work(stage, S) == ((1, 2, hidden), (hidden, 5, 6), (hidden, hidden, 9))
    assert [[stage.hides(i, j) for j in range(3)] for i in range(3)] == [
        [False, False, True],
        [True, False, False],
        [True, True, False],
    ]
    values = {"scaled": S, "masked": S}
    assert explain_cell(stage, values, 0, 1) == CellExplanation(key="visible", sources=(("scaled", 0, 1),))
    assert explain_cell(stage, values, 2, 0) == CellExplanation(key="masked", sources=(("scaled", 2, 0),))
    assert explain_cell(stage, values, 0, 2) == CellExplanation(
        key="before_window", sources=(("scaled", 0, 2),), numbers={"window": 2}
    )


def test_a_score_that_the_mask_hides_is_made_of_nothing() -> None:
    """No number changes it; one that is seen is made of the score before."""
    S = parse_matrix("1 2; 4 5")
    stage = get_stage("masked", is_causal=True)
    assert list_cells_read(stage, {"scaled": S}, 1, 0) == ()
    assert list_cells_read(stage, {"scaled": S}, 0, 1) == (("scaled", 0, 1),)


def test_heads_stand_under_one_another_and_in_rows_side_by_side() -> None:
    """What the first head gives comes first."""
    one, other = parse_matrix("1 2; 3 4"), parse_matrix("5 6; 7 8")
    columns, rows = (get_stage("concat", convention, mechanism="multi-head") for convention in Convention)
    assert work(columns, one, other) == parse_matrix("1 2; 3 4; 5 6; 7 8")
    assert work(rows, one, other) == parse_matrix("1 2 5 6; 3 4 7 8")
    values = {"h1.Z": one, "h2.Z": other}
    assert list_parts(columns, values, 2, 1) == ((("h2.Z", 0, 1),),)
    assert list_parts(rows, values, 0, 3) == ((("h2.Z", 0, 1),),)


def test_a_layer_multiplies_and_adds_its_bias() -> None:
    """W Z + b in columns, Z W + b in rows, the same numbers transposed."""
    W, b, Z = parse_matrix("1 2; 0 -1"), parse_matrix("10; 20"), parse_matrix("1 0 1/2; 2 1 0")
    columns, rows = (get_stage("F1", convention, mechanism="block") for convention in Convention)
    result = parse_matrix("15 12 21/2; 18 19 20")
    assert work(columns, W, b, Z) == result
    assert work(rows, transpose(Z), transpose(b), transpose(W)) == transpose(result)
    values = {"W_1": W, "b_1": b, "Z": Z}
    assert list_parts(columns, values, 1, 2)[-1] == (("b_1", 1, 0), 1)
    turned = {name: transpose(a) for name, a in values.items()}
    assert list_parts(rows, turned, 2, 1)[-1] == (1, ("b_1", 0, 1))


def test_words_are_looked_up_and_positions_added() -> None:
    """The same word has the same vector; the first token's position is 0 1 0 1."""
    table, words = parse_matrix("1 2; 3 4; 0 0; 5 5"), ("on", "and", "on")
    looked_up, positions, added = (
        get_stage(name, embedded_words=words, has_positions=True) for name in ("E", "P", "X")
    )
    E, P = work(looked_up, table), work(positions)
    assert parse_matrix("1 2 1; 3 4 3; 0 0 0; 5 5 5") == E
    assert parse_matrix("0 1 1; 1 1 0; 0 0 0; 1 1 1") == P
    assert work(added, E, P) == parse_matrix("1 3 2; 4 5 3; 0 0 0; 6 6 6")
    assert explain_cell(positions, {}, 2, 1).numbers == {"position": 1, "feature": 2, "features": 4}
    word = explain_cell(looked_up, {"embedding": table}, 1, 2)
    assert (word.token, word.sources) == (2, tuple(("embedding", i, 0) for i in range(4)))
    in_rows = get_stage("E", Convention.ROWS, embedded_words=words, has_positions=True)
    assert work(in_rows, transpose(table)) == transpose(E)
    of_row = explain_cell(in_rows, {"embedding": transpose(table)}, 1, 3)
    assert (of_row.token, of_row.sources) == (1, tuple(("embedding", 1, j) for j in range(4)))


def test_a_weight_stands_over_the_common_denominator_of_its_line() -> None:
    """1/3, 1 and 1/9 over 13/9 are 3/13, 9/13, 1/13; 3/6 stays unreduced beside 1/6 and 2/6."""
    for powers, expected in (
        ("1/3; 1; 1/9", [(3, 13), (9, 13), (1, 13)]),
        ("3; 1; 2", [(3, 6), (1, 6), (2, 6)]),
        ("9; 9", [(9, 18), (9, 18)]),
    ):
        column = parse_matrix(powers)
        in_columns, in_rows = {"powers": column}, {"powers": transpose(column)}
        places = range(len(column))
        assert [expand_to_common_denominator(get_stage("A"), in_columns, i, 0) for i in places] == expected
        along = get_stage("A", Convention.ROWS)
        assert [expand_to_common_denominator(along, in_rows, 0, j) for j in places] == expected


@given(whole_problems(), st.data())
def test_unreduced_weights_equal_the_weights(problem: Problem, data: st.DataObject) -> None:
    """Numerator over denominator is the weight, and a line has one denominator."""
    solution = solve(problem)
    stage, A = solution["A"].stage, solution["A"].hand
    values = solution.collect_hand_values()
    line = data.draw(st.integers(0, len(A) - 1))
    columns = problem.convention is Convention.COLUMNS
    places = [(i, line) if columns else (line, i) for i in range(len(A))]
    unreduced = [expand_to_common_denominator(stage, values, i, j) for i, j in places]
    assert [Fraction(*pair) for pair in unreduced] == [A[i][j] for i, j in places]
    assert len({bottom for _, bottom in unreduced}) == 1


def test_self_attention_is_the_list_of_the_lesson() -> None:
    """The stages of self-attention, what each reads, and what is given, stand in the order of the lesson."""
    mechanism = DEFAULT_VARIANT.build_mechanism()
    assert [given.name for given in mechanism.given] == ["X", "W_Q", "W_K", "W_V"]
    assert [given.content for given in mechanism.given] == [Content.TOKENS] + 3 * [Content.WEIGHTS]
    assert {stage.name: stage.input_names for stage in mechanism.stages} == {
        "Q": ("W_Q", "X"),
        "K": ("W_K", "X"),
        "V": ("W_V", "X"),
        "S": ("K", "Q"),
        "scaled": ("S",),
        "powers": ("scaled",),
        "sums": ("powers",),
        "A": ("powers", "sums"),
        "Z": ("V", "A"),
    }
    assert mechanism.stage_chains == (("K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z"))
    assert mechanism.convention is Convention.COLUMNS


def test_in_rows_operands_stand_in_the_other_order() -> None:
    """Q = X W_Q, S = Q Kᵀ, Z = A V; sums run along rows."""
    mirrored = DEFAULT_VARIANT.build_mechanism().mirrored
    reads = {stage.name: stage.input_names for stage in mirrored.stages}
    assert (reads["Q"], reads["S"], reads["A"], reads["Z"]) == (
        ("X", "W_Q"),
        ("Q", "K"),
        ("powers", "sums"),
        ("A", "V"),
    )
    assert mirrored.get_stage("S").product == Product(
        "Q", "K", None, is_left_transposed=False, is_right_transposed=True
    )
    assert mirrored.convention is Convention.ROWS
    assert mirrored.get_stage("sums").rows == Dimension("tokens", "q")
    assert mirrored.get_stage("sums").columns == Dimension("one", "Σ")


@pytest.mark.parametrize("mechanism", ALL_MECHANISMS.values(), ids=ALL_MECHANISMS)
def test_every_mechanism_mirrored_twice_is_itself(mechanism: Mechanism) -> None:
    """The rows of the rows convention are columns again."""
    assert mechanism.mirrored != mechanism
    assert mechanism.mirrored.mirrored == mechanism
    assert mechanism.convert_to(Convention.COLUMNS) == mechanism
    assert mechanism.convert_to(Convention.ROWS) == mechanism.mirrored


@pytest.mark.parametrize("mechanism", ALL_MECHANISMS.values(), ids=ALL_MECHANISMS)
def test_every_stage_reads_only_what_is_known_before_it(mechanism: Mechanism) -> None:
    """Stages can be worked in the order they are listed, names are unique, and all are on the page."""
    known = [given.name for given in mechanism.given]
    for stage in mechanism.stages:
        assert set(stage.input_names) <= set(known)
        known.append(stage.name)
    assert len(known) == len(set(known))
    assert {name for run in mechanism.stage_chains for name in run} <= set(known)


@given(whole_problems())
def test_every_stage_has_the_shape_it_announces(problem: Problem) -> None:
    """The sides of each matrix are as long as the sizes they are named after."""
    shapes: dict[str, tuple[int, int]] = {}
    announced: dict[str, tuple[int, int]] = {}
    for solved in solve(problem):
        hand: Matrix = solved.hand
        shapes[solved.stage.name] = shape(hand)
        announced[solved.stage.name] = (problem.get_length(solved.stage.rows), problem.get_length(solved.stage.columns))
    assert shapes == announced
    assert len(shapes) == 9 - (problem.rules.scale is ScaleRule.NONE)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_stage_of_every_mechanism_has_the_shape_it_announces(form: Variant, convention: Convention) -> None:
    """Heads joined are as long as all of them, a bias is one line."""
    problem = generate_problem(Request(seed=7, variant=form, convention=convention))
    sides = {given.name: (given.rows, given.columns) for given in problem.mechanism.given}
    sides |= {stage.name: (stage.rows, stage.columns) for stage in problem.mechanism.stages}
    shapes = {name: shape(a) for name, a in solve(problem).collect_hand_values().items()}
    assert shapes == {
        name: (problem.get_length(rows), problem.get_length(columns)) for name, (rows, columns) in sides.items()
    }


def test_few_rooms_ask_what_a_stage_is() -> None:
    """Only the mathematics, what is vetted, hints, and formulas for other programs tell stages apart by their form."""
    rooms = Path(attnhand.__file__).parent
    named = re.compile(r"\bForm\.(SCALE|MASK|POWER|SUM|LARGEST|COPY|ADDED|POSITION|OTHER)\b")
    paths = [path for path in rooms.rglob("*.py") if path.relative_to(rooms).parts[0] not in ("attention", "problems")]
    assert len(paths) > 50
    asking = {path.relative_to(rooms).as_posix() for path in paths if named.search(path.read_text("utf-8"))}
    writes_formulas = {"formats/stack.py", "formats/web.py"}
    assert asking <= {"sheet/hints.py", *writes_formulas}
