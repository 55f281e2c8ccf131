"""What is given, checked on entry."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Rules, Waves
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Dimension
from attnhand.attention.problem import Problem
from attnhand.attention.story import Story
from attnhand.errors import ProblemError
from tests.building import CLASSIC, PENCIL_SAMPLE, Rows, make_problem, parse_rows, transpose_given

SMALL: dict[str, Rows] = {"X": [[1, 0], [0, 1]], "W_Q": [[1, 2]], "W_K": [[2, 1]], "W_V": [[1, 1], [0, 1]]}


def read_refusal(given: dict[str, Rows], **others: object) -> str:
    """Return the message with which a problem is refused."""
    with pytest.raises(ProblemError) as refused:
        make_problem(given, **others)  # type: ignore[arg-type]
    return str(refused.value)


def test_sizes_are_read_off_the_matrices() -> None:
    """Tokens, features, d_k and d_v, the same in both conventions."""
    sizes = {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3}
    assert make_problem(CLASSIC).sizes == sizes
    assert make_problem(transpose_given(CLASSIC), convention=Convention.ROWS).sizes == sizes
    assert make_problem(SMALL).sizes == {"tokens": 2, "features": 2, "d_k": 1, "d_v": 2}


def test_lines_are_as_long_as_their_sizes() -> None:
    """A side named after a size has its length; the side of the sums has one line."""
    problem = make_problem(SMALL)
    assert [problem.get_length(Dimension(name)) for name in ("tokens", "features", "d_k", "d_v", "one")] == [
        2,
        2,
        1,
        2,
        1,
    ]


def test_matrices_are_found_by_name() -> None:
    """problem["X"] is the matrix that was given."""
    assert make_problem(CLASSIC)["X"] == parse_rows(CLASSIC["X"])
    with pytest.raises(KeyError):
        make_problem(CLASSIC)["Q"]


def test_both_arithmetics_know_the_length_of_keys() -> None:
    """By hand the rules of the problem, exactly √d_k and e."""
    problem = make_problem(PENCIL_SAMPLE, rules=Rules(scale=4))
    assert problem.hand_arithmetic == Arithmetic(rules=Rules(scale=4), d_k=2)
    assert problem.exact_arithmetic == Arithmetic(rules=EXACT, d_k=2, waves=Waves.EXACT)
    assert make_problem(PENCIL_SAMPLE).rules == HAND


def test_transposing_changes_the_convention_and_nothing_else() -> None:
    """Every matrix is transposed, rules, words and title stay, and twice is the same problem again."""
    problem = make_problem(PENCIL_SAMPLE, rules=Rules(decimals=3), words=("a", "b", "c"), title="Tuesday")
    turned = problem.transpose()
    expected = make_problem(
        transpose_given(PENCIL_SAMPLE),
        convention=Convention.ROWS,
        rules=Rules(decimals=3),
        words=("a", "b", "c"),
        title="Tuesday",
    )
    assert turned == expected
    assert turned.mechanism == DEFAULT_VARIANT.build_mechanism().mirrored
    assert turned.sizes == problem.sizes
    assert turned.transpose() == problem
    assert hash(turned.transpose()) == hash(problem)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("X", "X is missing: add X, features rows by tokens columns"),
        ("W_Q", "W_Q is missing: add W_Q, d_k rows by 6 columns"),
        ("W_K", "W_K is missing: add W_K, 3 rows by 6 columns"),
        ("W_V", "W_V is missing: add W_V, d_v rows by 6 columns"),
    ],
)
def test_a_missing_matrix_is_refused(missing: str, message: str) -> None:
    """A refusal names the matrix and the shape it should have, as far as that is known."""
    assert read_refusal({name: rows for name, rows in CLASSIC.items() if name != missing}) == message


def test_a_matrix_missing_in_rows_is_asked_for_in_rows() -> None:
    """With tokens as rows, W_K has features rows and d_k columns."""
    given = {name: rows for name, rows in transpose_given(CLASSIC).items() if name != "W_K"}
    assert read_refusal(given, convention=Convention.ROWS) == "W_K is missing: add W_K, 6 rows by 3 columns"


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        (
            "W_Q",
            [[1, 2, 3]],
            "W_Q is 1 × 3 but its columns must be 2 (features), because X has 2 rows: give W_Q 2 columns",
        ),
        (
            "W_K",
            [[1, 2], [0, 1]],
            "W_K is 2 × 2 but its rows must be 1 (d_k), because W_Q has 1 rows: give W_K 1 rows",
        ),
        (
            "W_V",
            [[1], [2]],
            "W_V is 2 × 1 but its columns must be 2 (features), because X has 2 rows: give W_V 2 columns",
        ),
    ],
)
def test_a_wrong_shape_is_refused(name: str, rows: Rows, message: str) -> None:
    """A refusal names the matrix, its size, the size it should have, and the matrix that says so."""
    assert read_refusal({**SMALL, name: rows}) == message


def test_a_wrong_shape_in_rows_is_told_in_rows() -> None:
    """With tokens as rows it is W_Q's rows that must be as many as X has columns."""
    given = transpose_given(SMALL)
    assert read_refusal({**given, "W_Q": [[1], [2], [3]]}, convention=Convention.ROWS) == (
        "W_Q is 3 × 1 but its rows must be 2 (features), because X has 2 columns: give W_Q 2 rows"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": [[1], [2]]}, "X has 1 columns, so tokens would be 1: it can be 2 to 12"),
        ({"X": [[1] * 13] * 2}, "X has 13 columns, so tokens would be 13: it can be 2 to 12"),
        ({"X": [[1, 2]] * 13}, "X has 13 rows, so features would be 13: it can be 1 to 12"),
        ({"W_Q": [[1, 2]] * 9}, "W_Q has 9 rows, so d_k would be 9: it can be 1 to 8"),
        ({"W_V": [[1, 2]] * 9}, "W_V has 9 rows, so d_v would be 9: it can be 1 to 8"),
    ],
)
def test_sizes_that_cannot_be_printed_are_refused(changes: dict[str, Rows], message: str) -> None:
    """A refusal names the matrix, the size and its range."""
    assert read_refusal({**SMALL, **changes}) == message


def test_one_feature_is_enough_for_own_matrices() -> None:
    """Somebody's own tokens may be single numbers."""
    assert make_problem({"X": [[1, 2]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}).sizes["features"] == 1


@pytest.mark.parametrize(
    ("value", "printed"), [(10_000, "10000"), (-10_000, "-10000"), (Fraction(19_999, 2) + 1, "20001/2")]
)
def test_entries_too_large_to_print_are_refused(value: int | Fraction, printed: str) -> None:
    """A refusal names matrix, row and column."""
    assert read_refusal({**SMALL, "X": [[1, 0], [value, 1]]}) == (
        f"X, row 2, column 1 is {printed}: numbers beyond ±9999 cannot be printed legibly; use smaller ones"
    )


def test_entries_with_too_many_decimals_are_refused() -> None:
    """Seven places are too many, six are kept; a third needs none."""
    assert read_refusal({**SMALL, "W_K": [["0.1234567", 1]]}) == (
        "W_K, row 1, column 1 has too many decimals: round it to six places"
    )
    assert make_problem({**SMALL, "W_K": [["0.123456", "1/3"]]})["W_K"] == ((Fraction(1929, 15625), Fraction(1, 3)),)


def test_the_largest_entries_are_accepted() -> None:
    """±9999 can be printed."""
    assert make_problem({**SMALL, "X": [[9999, -9999], [0, 1]]})["X"] == ((9999, -9999), (0, 1))


def test_a_matrix_of_another_mechanism_is_refused() -> None:
    """A refusal names it and lists those there are."""
    assert read_refusal({**SMALL, "W_O": [[1]]}) == (
        "W_O is not a matrix of this mechanism (self): it has X, W_Q, W_K, W_V"
    )


@pytest.mark.parametrize("words", [("one",), ("one", "two", "three")])
def test_a_wrong_number_of_words_is_refused(words: tuple[str, ...]) -> None:
    """A word for each token, or none."""
    assert read_refusal(SMALL, words=words) == (
        f"there are {len(words)} words for 2 tokens: give one word for each token, or none"
    )
    assert make_problem(SMALL, words=("one", "two")).words == ("one", "two")
    assert make_problem(SMALL).words == ()


def test_equal_problems_are_equal_and_can_be_looked_up() -> None:
    """Problems are values: the same matrices and rules are the same problem."""
    assert make_problem(SMALL) == make_problem(SMALL)
    assert len({make_problem(SMALL), make_problem(SMALL), make_problem(CLASSIC)}) == 2
    assert make_problem(SMALL) != make_problem(SMALL, rules=Rules(scale=2))
    assert isinstance(make_problem(SMALL), Problem)


STORY = Story(
    name="two",
    sentence="A met B.",
    feature_names=("a", "b"),
    question="Whom does *A* look at?",
    query=0,
    answers=(0, 1),
)


def test_a_story_stays_when_the_problem_is_transposed() -> None:
    """It says nothing of rows and columns."""
    problem = replace(make_problem(SMALL), story=STORY)
    assert problem.transpose().story == STORY
    assert problem.transpose().transpose() == problem


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"feature_names": ("a",)}, "the story names 1 features, but there are 2: name each of them once"),
        ({"memory_words": ("m", "n")}, "the story names 2 memory words, but there are 0: name each of them once"),
        ({"value_names": ("v",)}, "the story names 1 values, but there are 2: name each of them once"),
        ({"query": 2}, "the story asks token 3 of 2: name one that is there"),
        ({"head": 1}, "the story asks head 1 of 1: name one of several, and none where there is one"),
        (
            {"answers": (2,)},
            "the story needs possible answers among the 2 tokens that can be looked at: name some of them",
        ),
        (
            {"answers": ()},
            "the story needs possible answers among the 2 tokens that can be looked at: name some of them",
        ),
    ],
)
def test_a_story_that_does_not_fit_is_refused(change: dict[str, Any], sentence: str) -> None:
    """Names without a line, and questions about what is not there, in one sentence."""
    with pytest.raises(ProblemError) as refused:
        replace(make_problem(SMALL), story=replace(STORY, **change))
    assert str(refused.value) == sentence
