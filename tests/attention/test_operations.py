"""What a stage can do, in both conventions, and how one cell of it comes about."""

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnhand
from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Content, Dimension, Mechanism, Variant
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.operations import (
    Add,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Operation,
    Positions,
    Power,
    Product,
    ProductRole,
    ReLU,
    ScaleScores,
    Sum,
)
from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, solve
from attnhand.errors import ProblemError
from attnhand.problems.generator import generate_problem
from attnhand.problems.request import Request
from tests.building import PENCIL_SAMPLE, make_problem, parse_matrix
from tests.forms import FORMS
from tests.strategies import whole_problems

BY_HAND = Arithmetic(rules=HAND, d_k=2)
MECHANISMS: dict[str, Mechanism] = {name: form.build_mechanism(6) for name, form in FORMS.items()}
OPERATIONS: tuple[Operation, ...] = (
    Product(role=ProductRole.PROJECTION),
    Product(role=ProductRole.SCORES, is_left_transposed=True),
    Product(role=ProductRole.MIXTURE, is_right_transposed=True, convention=Convention.ROWS),
    ScaleScores(),
    Power(),
    Sum(),
    Divide(),
    Product(role=ProductRole.LAYER, has_bias=True),
    Mask(),
    Concatenate(),
    ReLU(),
    LookUp(word_indices=(0, 1, 0)),
    Positions(feature_count=4, token_count=3),
    Add(),
)


def test_products_transpose_the_marked_factor_first() -> None:
    """K and Q, one column a token, give Kᵀ Q; mirrored, one row a token, Q Kᵀ."""
    K, Q = parse_matrix("1 0 2; 0 1 1"), parse_matrix("1 2 3; 1 0 1")
    scores = Product(role=ProductRole.SCORES, is_left_transposed=True)
    S = scores.apply(BY_HAND, K, Q)
    assert parse_matrix("1 2 3; 1 0 1; 3 4 7") == S
    assert scores.mirrored.apply(BY_HAND, transpose(Q), transpose(K)) == transpose(S)


def test_scores_of_the_checked_sample_are_scaled_and_raised() -> None:
    """−1 1 −3 scale to −1 0 −2, and their powers are 1/3 1 1/9."""
    scaled = ScaleScores().apply(BY_HAND, parse_matrix("-1 1 -3"))
    assert scaled == parse_matrix("-1 0 -2")
    assert Power().apply(BY_HAND, scaled) == parse_matrix("1/3 1 1/9")


def test_columns_are_added_and_divided_by_their_sums() -> None:
    """Two columns, two sums, weights that add to 1 down each column."""
    powers = parse_matrix("1/3 9; 1 1")
    sums = Sum().apply(BY_HAND, powers)
    assert sums == parse_matrix("4/3 10")
    assert Divide().apply(BY_HAND, powers, sums) == parse_matrix("1/4 9/10; 3/4 1/10")


def test_rows_are_added_and_divided_by_their_sums() -> None:
    """With tokens as rows the sums stand in a column, and weights add to 1 along each row."""
    powers = parse_matrix("1/3 1; 9 1")
    sums = Sum(convention=Convention.ROWS).apply(BY_HAND, powers)
    assert sums == parse_matrix("4/3; 10")
    assert Divide(convention=Convention.ROWS).apply(BY_HAND, powers, sums) == parse_matrix("1/4 3/4; 9/10 1/10")


def test_whole_sums_and_weights_are_integers() -> None:
    """A sum of fractions that is whole is an int, and so is a weight of 1."""
    sums = Sum().apply(BY_HAND, parse_matrix("1/3; 2/3"))
    assert sums == ((1,),)
    assert isinstance(sums[0][0], int)
    weights = Divide().apply(BY_HAND, ((9,),), ((9,),))
    assert isinstance(weights[0][0], int)


def test_factors_that_do_not_fit_are_refused() -> None:
    """A product of the wrong shapes says both."""
    with pytest.raises(ProblemError, match=r"^a 1 × 2 matrix cannot be multiplied by a 1 × 2 one$"):
        Product(role=ProductRole.PROJECTION).apply(BY_HAND, ((1, 2),), ((1, 2),))


@pytest.mark.parametrize("operation", OPERATIONS, ids=repr)
def test_the_mirror_image_of_the_mirror_image_is_the_operation(operation: Operation) -> None:
    """Mirroring twice changes nothing."""
    assert operation.mirrored.mirrored == operation


def test_mirrored_products_swap_their_marks() -> None:
    """The right factor is transposed where the left one was, and tokens are rows."""
    assert Product(role=ProductRole.SCORES, is_left_transposed=True).mirrored == Product(
        role=ProductRole.SCORES, is_right_transposed=True, convention=Convention.ROWS
    )


def rebuild_cell(operation: Operation, parts: tuple[tuple[Number, ...], ...], *, hidden: bool = False) -> Number:
    """Make a cell from its parts, from the meaning of the operation."""
    match operation:
        case Mask():
            return MINUS_INFINITY if hidden else parts[0][0]
        case Power():
            return BY_HAND.raise_base(*parts[0])
    fractions = [tuple(Fraction(value) for value in part) for part in parts]
    match operation:
        case Product():
            return sum((one * other for one, other in fractions), Fraction(0))
        case ScaleScores():
            return BY_HAND.scale_score(*parts[0])
        case Sum() | Add():
            return sum((value for (value,) in fractions), Fraction(0))
        case Divide():
            ((power, total),) = fractions
            return power / total
        case Concatenate() | LookUp():
            ((value,),) = fractions
            return value
        case ReLU():
            ((value,),) = fractions
            return value if value > 0 else Fraction(0)
        case Positions(feature_count=features):
            ((place, feature),) = fractions
            return round(_wave(int(place), int(feature), features))
        case _:
            raise AssertionError(operation)


def _wave(place: int, feature: int, features: int) -> float:
    angle = place / 10_000 ** (2 * (feature // 2) / features)
    return math.cos(angle) if feature % 2 else math.sin(angle)


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
    known = solution.collect_hand_values()
    checked = 0
    for solved in solution:
        inputs = tuple(known[name] for name in solved.stage.input_names)
        for i, row in enumerate(solved.hand):
            for j, value in enumerate(row):
                key, query = (i, j) if convention is Convention.COLUMNS else (j, i)
                parts = solved.stage.operation.parts(inputs, i, j)
                assert rebuild_cell(solved.stage.operation, parts, hidden=key > query) == value
                checked += 1
    return checked


def test_a_mask_hides_what_comes_after_the_query() -> None:
    """In columns what stands under the diagonal, in rows what stands above it."""
    S, hidden = parse_matrix("1 2 3; 4 5 6; 7 8 9"), MINUS_INFINITY
    assert Mask().apply(BY_HAND, S) == ((1, 2, 3), (hidden, 5, 6), (hidden, hidden, 9))
    assert Mask(convention=Convention.ROWS).apply(BY_HAND, S) == ((1, hidden, hidden), (4, 5, hidden), (7, 8, 9))


def test_heads_stand_under_one_another_and_in_rows_side_by_side() -> None:
    """What the first head gives comes first."""
    one, other = parse_matrix("1 2; 3 4"), parse_matrix("5 6; 7 8")
    assert Concatenate().apply(BY_HAND, one, other) == parse_matrix("1 2; 3 4; 5 6; 7 8")
    assert Concatenate(convention=Convention.ROWS).apply(BY_HAND, one, other) == parse_matrix("1 2 5 6; 3 4 7 8")
    assert Concatenate().find_source((one, other), 2, 1) == (1, 0, 1)
    assert Concatenate(convention=Convention.ROWS).find_source((one, other), 0, 3) == (1, 0, 1)


def test_a_layer_multiplies_and_adds_its_bias() -> None:
    """W Z + b in columns, Z W + b in rows, the same numbers transposed."""
    W, b, Z = parse_matrix("1 2; 0 -1"), parse_matrix("10; 20"), parse_matrix("1 0 1/2; 2 1 0")
    layer = Product(role=ProductRole.LAYER, has_bias=True)
    result = parse_matrix("15 12 21/2; 18 19 20")
    assert layer.apply(BY_HAND, W, b, Z) == result
    assert layer.mirrored.apply(BY_HAND, transpose(Z), transpose(b), transpose(W)) == transpose(result)


def test_words_are_looked_up_and_positions_added() -> None:
    """The same word has the same vector; the first token's position is 0 1 0 1."""
    table = parse_matrix("1 2; 3 4; 0 0; 5 5")
    E = LookUp(word_indices=(0, 1, 0)).apply(BY_HAND, table)
    P = Positions(feature_count=4, token_count=3).apply(BY_HAND)
    assert parse_matrix("1 2 1; 3 4 3; 0 0 0; 5 5 5") == E
    assert parse_matrix("0 1 1; 1 1 0; 0 0 0; 1 1 1") == P
    assert Add().apply(BY_HAND, E, P) == parse_matrix("1 3 2; 4 5 3; 0 0 0; 6 6 6")


def test_a_weight_stands_over_the_common_denominator_of_its_line() -> None:
    """1/3, 1 and 1/9 over 13/9 are 3/13, 9/13, 1/13; 3/6 stays unreduced beside 1/6 and 2/6."""
    for powers, expected in (
        ("1/3; 1; 1/9", [(3, 13), (9, 13), (1, 13)]),
        ("3; 1; 2", [(3, 6), (1, 6), (2, 6)]),
        ("9; 9", [(9, 18), (9, 18)]),
    ):
        column = parse_matrix(powers)
        in_columns = (column, Sum().apply(BY_HAND, column))
        assert [Divide().expand_to_common_denominator(in_columns, i, 0) for i in range(len(column))] == expected
        along = Divide(convention=Convention.ROWS)
        in_rows = (transpose(column), Sum(convention=Convention.ROWS).apply(BY_HAND, transpose(column)))
        assert [along.expand_to_common_denominator(in_rows, 0, j) for j in range(len(column))] == expected


@given(whole_problems(), st.data())
def test_unreduced_weights_equal_the_weights(problem: Problem, data: st.DataObject) -> None:
    """Numerator over denominator is the weight, and a line has one denominator."""
    solution = solve(problem)
    stage, A = solution["A"].stage, solution["A"].hand
    assert isinstance(stage.operation, Divide)
    inputs = tuple(solution.collect_hand_values()[name] for name in stage.input_names)
    line = data.draw(st.integers(0, len(A) - 1))
    columns = stage.operation.convention is Convention.COLUMNS
    places = [(i, line) if columns else (line, i) for i in range(len(A))]
    unreduced = [stage.operation.expand_to_common_denominator(inputs, i, j) for i, j in places]
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
    assert mirrored.get_stage("S").operation == Product(
        role=ProductRole.SCORES, is_right_transposed=True, convention=Convention.ROWS
    )
    assert mirrored.convention is Convention.ROWS
    assert mirrored.get_stage("sums").rows == Dimension("tokens", "q")
    assert mirrored.get_stage("sums").columns == Dimension("one", "Σ")


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_every_mechanism_mirrored_twice_is_itself(mechanism: Mechanism) -> None:
    """The rows of the rows convention are columns again."""
    assert mechanism.mirrored != mechanism
    assert mechanism.mirrored.mirrored == mechanism
    assert mechanism.convert_to(Convention.COLUMNS) == mechanism
    assert mechanism.convert_to(Convention.ROWS) == mechanism.mirrored


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
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
    assert len(shapes) == 9


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


STATED = (
    "apply",
    "drawing",
    "explain",
    "gives_fractions",
    "has_working_space",
    "hint_key",
    "is_only_copied",
    "parts",
    "recompute",
    "seconds_per_cell",
)
"""What no operation may leave unsaid; what is the same for most has a value where it is declared."""


@pytest.mark.parametrize("forgotten", STATED)
def test_an_operation_that_forgets_one_thing_is_refused_where_it_is_written(forgotten: str) -> None:
    """Not on the first page that would miss it: the class itself cannot be made, and the message names what lacks."""
    stated = {name: ReLU.__dict__[name] for name in STATED if name != forgotten}
    with pytest.raises(TypeError, match=rf"^the operation Forgetful does not state {forgotten}$"):
        type("Forgetful", (Operation,), stated)
    assert type("Complete", (Operation,), stated | {forgotten: ReLU.__dict__[forgotten]})


def test_no_room_asks_which_operation_a_stage_has() -> None:
    """Only the mathematics, its slips, what is vetted, and formulas for other programs name operations by type."""
    rooms = Path(attnhand.__file__).parent
    named = re.compile(r"\b(ScaleScores|Mask|Power|Sum|Concatenate|ReLU|LookUp|Positions|Add)\b")
    paths = [path for path in rooms.rglob("*.py") if path.relative_to(rooms).parts[0] not in ("attention", "problems")]
    assert len(paths) > 50
    asking = {
        path.relative_to(rooms).as_posix()
        for path in paths
        for line in path.read_text("utf-8").splitlines()
        if named.search(line) and ("isinstance(" in line or line.strip().startswith("case "))
    }
    writes_formulas = {"formats/otter.py", "formats/stack.py", "formats/xlsx/self_check.py"}
    assert asking <= {"sheet/vet.py", *writes_formulas}  # vet words what was vetted, predicate by predicate
