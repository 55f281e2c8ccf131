"""Explanations: every spelling of a cell, what a cell's lines say, and what is no cell."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.problem import Problem
from attnhand.errors import CellError
from attnhand.sheet.addresses import find_cell
from attnhand.sheet.explain import Explanation, explain
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.text import get_language
from tests.building import CLASSIC, Rows, make_problem, make_problem_from_scores, transpose_given
from tests.forms import FORMS
from tests.strategies import problems

COLUMNS = make_sheet_from_problem(make_problem(CLASSIC))
ROWS = make_sheet_from_problem(make_problem(transpose_given(CLASSIC), convention=Convention.ROWS))
WORDED = make_sheet_from_problem(make_problem(CLASSIC, words=("the", "cat", "a_b", "**x**")))
TWELVE = make_sheet_from_problem(
    make_problem({"X": [[1] * 12, [0, 1] * 6], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]})
)

SAME = ("the same: no shortcut has been taken so far",)


# the spellings of a cell


@pytest.mark.parametrize("spelling", ["S[2,3]", "S.2.3", "S23", "k2q3", "q3k2", " S[ 2 , 3 ] ", "S[02,3]"])
def test_a_cell_may_be_spelt_in_several_ways(spelling: str) -> None:
    """With and without brackets, by row and column or by key and query."""
    assert find_cell(COLUMNS, spelling) == ("S", 1, 2)


def test_a_key_and_a_query_name_a_score_in_either_convention() -> None:
    """Key 2, query 3 is row 2, column 3 in columns, and row 3, column 2 in rows."""
    assert find_cell(ROWS, "k2q3") == find_cell(ROWS, "q3k2") == ("S", 2, 1)
    assert explain(ROWS, "k2q3") == explain(ROWS, "S[3,2]")


@pytest.mark.parametrize(
    ("spelling", "place"),
    [
        ("X[1,2]", ("X", 0, 1)),
        ("W_Q.3.6", ("W_Q", 2, 5)),
        ("W_Q36", ("W_Q", 2, 5)),
        ("scaled11", ("scaled", 0, 0)),
        ("powers[4,4]", ("powers", 3, 3)),
        ("sums14", ("sums", 0, 3)),
        ("Σ[1,4]", ("sums", 0, 3)),
        ("A[2,1]", ("A", 1, 0)),
    ],
)
def test_every_matrix_can_be_named(spelling: str, place: tuple[str, int, int]) -> None:
    """Given matrices and all stages, by the names in code and on paper."""
    assert find_cell(COLUMNS, spelling) == place


def test_large_sheets_need_the_row_and_column_apart() -> None:
    """Two digits are one of each; S111 could be two cells, and the message offers both."""
    assert find_cell(TWELVE, "S[11,12]") == find_cell(TWELVE, "S.11.12") == find_cell(TWELVE, "k11q12")
    with pytest.raises(CellError, match=r"^S111 is not clear: write S\[1,11\] or S\[11,1\]$"):
        find_cell(TWELVE, "S111")


BAD_CELLS: dict[str, tuple[str, ...]] = {
    "S[5,1]": ("S[5,1] is outside S", "4 × 4", "rows run from 1 to 4"),
    "S[1,5]": ("S[1,5] is outside S", "4 × 4", "columns from 1 to 4"),
    "S[0,1]": ("S[0,1] is outside S", "from 1"),
    "S00": ("S[0,0] is outside S", "from 1"),
    "k5q1": ("S[5,1] is outside S", "4 × 4"),
    "q0k1": ("S[1,0] is outside S", "from 1"),
    "sums[2,1]": ("sums[2,1] is outside sums", "1 × 4"),
    "W_Q[4,1]": ("W_Q[4,1] is outside W_Q", "3 × 6"),
    "X.7.1": ("X[7,1] is outside X", "6 × 4"),
    "S123": ("S123", "4 × 4", "S[2,3]"),
    "S" + "1" * 30: ("names no cell of S", "S[2,3]"),
    "S[" + "9" * 60 + ",1]": ("names no cell", "S[2,3]"),
    "S": ("S names no cell of S", "row and column"),
    "S1": ("S1 names no cell of S", "row and column"),
    "s23": ("'s'", "did you mean S[2,3]?"),
    "s[2,3]": ("'s'", "did you mean S[2,3]?"),
    "wq.1.2": ("'wq'", "did you mean W_Q[1,2]?"),
    "scald[1,2]": ("'scald'", "did you mean scaled[1,2]?"),
    "power11": ("'power'", "did you mean powers[1,1]?"),
    "Y[1,1]": ("'Y'", "use one of X, W_Q, W_K, W_V, Q, K, V, S, scaled, powers, sums, A, Z"),
    "h1.S[1,1]": ("'h1.S'", "use one of"),
    "k2z3": ("'k2z3'", "row and column"),
    "k1k2": ("'k1k2'", "row and column"),
    "q2": ("'q2'", "row and column"),
    "": ("''", "row and column"),
    "   ": ("''", "row and column"),
    "[2,3]": ("'[2,3]'", "row and column"),
    "23": ("'23'", "row and column"),
    "S[2]": ("'S[2]'", "row and column"),
    "S[2,3": ("'S[2,3'", "row and column"),
    "S[2,3]]": ("'S[2,3]]'", "row and column"),
    "S[-1,2]": ("'S[-1,2]'", "from 1"),
    "S[1.5,2]": ("'S[1.5,2]'", "row and column"),
    "S(2,3)": ("'S(2,3)'", "S[2,3]"),
    "S[2;3]": ("'S[2;3]'", "S[2,3]"),
    "S 2 3": ("'S 2 3'", "S[2,3]"),
    "S[2,3]; rm -rf": ("names no cell", "S[2,3]"),
    "S٢٣": ("'S٢٣'", "S[2,3]"),
    "S\n23": (r"'S\n23'", "S[2,3]"),
}


@pytest.mark.parametrize("spelling", BAD_CELLS)
def test_what_names_no_cell_is_refused_with_what_there_is(spelling: str) -> None:
    """One sentence says what is wrong and how large the matrix is, or how to write a cell."""
    with pytest.raises(CellError) as refusal:
        explain(COLUMNS, spelling)
    message = str(refusal.value)
    assert all(part in message for part in BAD_CELLS[spelling]), message
    assert "\n" not in message
    assert len(message) < 250


@given(st.text(max_size=60))
def test_arbitrary_text_is_a_cell_or_refused(text: str) -> None:
    """Nothing but a CellError comes out of a bad address."""
    try:
        explain(COLUMNS, text)
    except CellError as error:
        assert "\n" not in str(error)


# what is said


def list_lines(explanation: Explanation) -> tuple[str, ...]:
    """Return all lines of an explanation, by hand and exactly."""
    return (*explanation.by_hand, *explanation.exactly)


def test_a_projection_names_its_row_and_column_and_writes_all_pairs() -> None:
    """Zeros are written too; before the first shortcut the exact value is the same."""
    assert explain(COLUMNS, "Q[3,1]") == Explanation(
        purpose="A query says what a token is looking for. Training finds the numbers in W.",
        title="Q[3,1], queries: row 3 of W_Q · column x₁ of X",
        by_hand=(
            "row 3 of W_Q: 0 0 1 0 1 1",
            "column x₁ of X: 2 0 0 0 2 1",
            "0·2 + 0·0 + 1·0 + 0·0 + 1·2 + 1·1 = 3",
        ),
        exactly=SAME,
    )


def test_a_score_is_a_row_of_the_transpose_times_a_column() -> None:
    """In columns k₂ is a row of Kᵀ; in rows it is a column of Kᵀ, and the query comes first."""
    assert explain(COLUMNS, "S[3,1]").by_hand == (
        "row k₃ of Kᵀ: 1 0 −1",
        "column q₁ of Q: 2 0 3",
        "1·2 + 0·0 + (−1)·3 = −1",
    )
    explanation = explain(ROWS, "S[1,3]")
    assert explanation.title == "S[1,3], scores: row q₁ of Q · column k₃ of Kᵀ"
    assert explanation.by_hand == ("row q₁ of Q: 2 0 3", "column k₃ of Kᵀ: 1 0 −1", "2·1 + 0·0 + 3·(−1) = −1")


def test_scaling_shows_both_the_house_rule_and_the_root() -> None:
    """⌊5/2⌋ by hand, 5/√3 exactly; a negative half is rounded down; an even score halves without a point."""
    assert explain(COLUMNS, "scaled[2,4]") == Explanation(
        purpose="With more entries in q and k, scores spread further; "
        "dividing by √d_k keeps one token from taking nearly everything.",
        title="scaled[2,4], scaled scores: row k₂, column q₄",
        by_hand=("S[2,4] = 5", "half of 5, rounded down: ⌊2.5⌋ = 2"),
        exactly=("S[2,4] = 5", "5 ÷ √3 = 2.89"),
    )
    assert explain(COLUMNS, "scaled[3,1]").by_hand[-1] == "half of −1, rounded down: ⌊−0.5⌋ = −1"
    assert explain(COLUMNS, "scaled[2,1]").by_hand[-1] == "half of 4, rounded down: ⌊2⌋ = 2"


def test_a_power_is_written_as_one() -> None:
    """A whole exponent is raised; a decimal one is written behind a caret."""
    assert explain(COLUMNS, "powers[2,1]").by_hand == (
        "scaled[2,1] = 2",
        "3 to the power of the scaled score 2: 3² = 9",
    )
    assert explain(COLUMNS, "powers[3,1]").by_hand[-1] == "3 to the power of the scaled score −1: 3⁻¹ = 1/3"
    assert explain(COLUMNS, "powers[3,1]").exactly == (
        "scaled[3,1] = −0.58",
        "e to the power of the scaled score −0.58: e^−0.58 = 0.56",
    )


def test_a_sum_adds_the_line_of_its_query() -> None:
    """In columns it is a column, in rows a row; the place leaves out the Σ."""
    by_hand = "all powers of column q₁, added: 3 + 9 + 1/3 + 3 = 46/3"
    assert explain(COLUMNS, "sums[1,1]").by_hand == (by_hand,)
    assert explain(COLUMNS, "sums[1,1]").title == "Σ[1,1], sums of the powers: column q₁"
    assert explain(ROWS, "sums[1,1]").by_hand == (by_hand.replace("column", "row"),)
    assert explain(ROWS, "sums[1,1]").title == "Σ[1,1], sums of the powers: row q₁"


def test_a_weight_shows_power_sum_and_fraction() -> None:
    """Its power over the sum of its line, over the common denominator, reduced."""
    assert explain(COLUMNS, "A[3,1]") == Explanation(
        purpose="Softmax turns each query's scores into shares, adding to 1 down each column.",
        title="A[3,1], attention weights: row k₃, column q₁",
        by_hand=(
            "powers[3,1] = 1/3",
            "all powers of column q₁, added: 3 + 9 + 1/3 + 3 = 46/3",
            "its power 1/3 over the sum of its column, 46/3: (1/3) ÷ (46/3) = 1/46",
        ),
        exactly=(
            "powers[3,1] = 0.56",
            "all powers of column q₁, added: 5.65 + 10.07 + 0.56 + 5.65 = 21.93",
            "its power 0.56 over the sum of its column, 21.93: 0.56 ÷ 21.93 = 0.03",
        ),
    )
    whole = make_sheet_from_problem(make_problem_from_scores([[2, 2], [2, 4]], rules=Rules(scale=ScaleRule.NONE)))
    assert explain(whole, "A[1,1]").by_hand[-1].endswith("9 ÷ 18 = 9/18 = 1/2")


def test_an_output_mixes_the_values_by_the_weights() -> None:
    """A fraction stands in brackets; exactly the weights are others."""
    explanation = explain(COLUMNS, "Z[1,1]")
    assert explanation.title == "Z[1,1], outputs: row 1 of V · column q₁ of A"
    assert explanation.by_hand[-1] == "20·(9/46) + 0·(27/46) + 0·(1/46) + 20·(9/46) = 180/23"
    assert explanation.exactly[-1] == "20·0.26 + 0·0.46 + 0·0.03 + 20·0.26 = 10.31"


def test_a_given_number_is_given() -> None:
    """There is nothing to work, by hand or exactly."""
    assert explain(COLUMNS, "X[1,4]") == Explanation(
        title="X[1,4], given, not computed: row 1, column x₄", by_hand=("X[1,4] = 2",), exactly=()
    )


def test_words_stand_beside_the_letters_as_they_were_typed() -> None:
    """What looks like markup in a word stays as it is."""
    assert explain(WORDED, "S[3,4]").title == "S[3,4], scores: row k₃ (a_b) of Kᵀ · column q₄ (**x**) of Q"
    assert explain(WORDED, "sums14").by_hand[0].startswith("all powers of column q₄ (**x**), added: ")
    assert explain(WORDED, "X[1,2]").title == "X[1,2], given, not computed: row 1, column x₂ (cat)"


@pytest.mark.parametrize(
    ("rules", "scaled", "power"),
    [
        (Rules(scale=4), "−1 ÷ 4 = −1/4", "3^(−1/4) = 0.76"),
        (Rules(scale=4, base=Base.E), "−1 ÷ 4 = −1/4", "e^(−1/4) = 0.78"),
        (Rules(scale=ScaleRule.SQRT, decimals=4), "−1 ÷ √3 = −0.5774", "3^−0.5774 = 0.5303"),
        (Rules(base=Base.TEN), "half of −1, rounded down: ⌊−0.5⌋ = −1", "10⁻¹ = 1/10"),
    ],
)
def test_every_house_rule_is_explained(rules: Rules, scaled: str, power: str) -> None:
    """The sentence is that of the rule, and the exact side stays attention as it is."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC, rules=rules))
    assert explain(sheet, "scaled[3,1]").by_hand[-1] == scaled
    assert explain(sheet, "powers[3,1]").by_hand[-1].endswith(power)
    exactly = SAME if rules.scale is ScaleRule.SQRT else ("S[3,1] = −1", "−1 ÷ √3 = −0.58")
    assert explain(sheet, "scaled[3,1]").exactly == exactly


def test_decimals_stay_decimals() -> None:
    """Where numbers were given as decimals, products are written as decimals; zero over a root is a zero."""
    given: dict[str, Rows] = {**CLASSIC, "W_V": [["0.5", 0, 0, 0, 0, 0]], "W_K": [[0] * 6], "W_Q": [[1] * 6]}
    sheet = make_sheet_from_problem(make_problem(given, has_decimal_notation=True, rules=Rules(scale=ScaleRule.SQRT)))
    assert explain(sheet, "V[1,1]").by_hand[-1] == "0.5·2 + 0·0 + 0·0 + 0·0 + 0·2 + 0·1 = 1"
    assert explain(sheet, "A[1,1]").by_hand[-1].endswith(": 1 ÷ 4 = 0.25")
    three = make_sheet_from_problem(make_problem(CLASSIC, rules=Rules(scale=ScaleRule.SQRT, base=Base.E)))
    assert explain(three, "scaled[1,1]").by_hand[-1] == "3 ÷ √3 = 1.73"
    zero = make_sheet_from_problem(make_problem({**CLASSIC, "W_K": [[0] * 6] * 3}))
    assert explain(zero, "scaled[1,1]").exactly[-1] == "0 ÷ √3 = 0.00"


def test_asked_or_not_blank_or_solved_makes_no_difference() -> None:
    """Explaining is asked for; what the paper shows does not matter."""
    explanation = explain(COLUMNS, "A[2,2]")
    asked = Sheet(solution=COLUMNS.solution, code=COLUMNS.code, options=PageOptions(only_queries=(1,)))
    assert explain(COLUMNS.blank, "A[2,2]") == explain(asked, "A[2,2]") == explanation


@given(problems(), st.data())
def test_every_cell_of_every_problem_is_explained(problem: Problem, data: st.DataObject) -> None:
    """The last line by hand ends with the cell's own value, whole where it is a fraction."""
    sheet = make_sheet_from_problem(problem)
    solved = data.draw(st.sampled_from(sheet.solution.stages))
    row = data.draw(st.integers(0, len(solved.hand) - 1))
    column = data.draw(st.integers(0, len(solved.hand[0]) - 1))
    explanation = explain(sheet, f"{solved.stage.name}[{row + 1},{column + 1}]")
    value = solved.hand[row][column]
    if isinstance(value, int | Fraction):
        assert re.search(rf"[=:] {str(value).replace('-', '−')}$", explanation.by_hand[-1])
    assert all("\n" not in line and "{" not in line for line in (explanation.title, *list_lines(explanation)))


def test_every_sentence_of_an_explanation_is_in_the_language_table() -> None:
    """Each stage of each mechanism has a name there, so another language, or a stage of a new topic, needs no code."""
    mechanisms = [
        *(Variant(mechanism=name).build_mechanism() for name in MECHANISMS),
        *(form.build_mechanism() for form in FORMS.values()),
    ]
    topics = {stage.topic for mechanism in mechanisms for stage in mechanism.stages}
    assert {"queries", "masked", "concat", "relu", "embedded"} <= topics
    assert {topic for topic in topics if f"explain.stage.{topic}" not in get_language("en").sentences} == set()
