"""What the marker says of mistakes: named where they show, listed where they look alike, never another."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnhand.attention.arithmetic import EXACT, HAND, Rules
from attnhand.attention.matrix import Matrix, mapped, product, shape, transposed
from attnhand.attention.mechanisms import Convention
from attnhand.attention.numbers import rounded, written
from attnhand.attention.operations import Along
from attnhand.attention.slips import SLIPS
from attnhand.attention.slips.context import magnitude
from attnhand.formats.answers import Answers, Texts
from attnhand.marking.diagnosis import Diagnosis, diagnosed
from attnhand.marking.mark import marked
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import sheet_from_problem, sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.building import CHECKED, problem_of
from tests.forms import FORMS
from tests.marking.simulated_class import Said, Verdict, class_of
from tests.marking.students import Way
from tests.marking.test_mark import handed_in, key_of

NAMES = ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions")
"""Every mechanism, the mask, words and positions."""


@cache
def sheet_of(name: str, convention: Convention = Convention.COLUMNS, seed: int = 7, rules: Rules = HAND) -> Sheet:
    """Return a sheet."""
    return sheet_from_request(Request(seed=seed, form=FORMS[name], convention=convention, rules=rules))


def texts_of(a: Matrix) -> list[list[str]]:
    """Return a matrix as it is written."""
    return [[written(value) for value in row] for row in a]


def told_of(sheet: Sheet, stage: str, texts: object) -> tuple[Diagnosis, ...]:
    """Return what is said where one stage holds these texts and all others the key."""
    rows: Texts = tuple(tuple(map(str, row)) for row in texts)  # type: ignore[attr-defined]  # rows of cells
    answers = handed_in(key_of(sheet))
    return diagnosed(marked(Answers(code=None, stages={**answers.stages, stage: rows}), sheet), sheet)


def check(said: list[Said]) -> None:
    """Check that all that can be told apart is named, and nothing else than what was done."""
    told = Counter(one.verdict for one in said)
    assert [one for one in said if one.verdict in (Verdict.WRONGLY, Verdict.MISSED)] == []
    assert [one for one in said if one.is_distinguishable and one.verdict is not Verdict.NAMED] == []
    assert [one.mismarked for one in said if one.mismarked] == []
    assert told[Verdict.NAMED] > 0.9 * len(said) > 0, told


@pytest.mark.parametrize("turn", range(2))
@pytest.mark.parametrize("name", NAMES)
def test_a_mistake_is_named_and_never_another(name: str, turn: int) -> None:
    """Before it all is correct, after it correct or following; other shapes are handed in as they come out."""
    place = NAMES.index(name) + turn
    sheet = sheet_of(name, list(Convention)[turn], seed=place)
    check(list(class_of(sheet, list(Way)[place % len(Way)])))


@pytest.mark.parametrize("name", ["self", "block-1"])
def test_what_a_calculator_goes_on_with_follows(name: str) -> None:
    """Whoever writes two decimals and goes on with all digits has no second mistake."""
    check(list(class_of(sheet_of(name, seed=2), Way.CALCULATOR)))


def test_a_mistake_is_named_without_shortcuts() -> None:
    """Irrational numbers, to the decimals of the sheet."""
    check(list(class_of(sheet_of("self", seed=0, rules=EXACT), Way.DECIMALS)))


@pytest.mark.parametrize("way", Way)
def test_a_second_mistake_is_named_too(way: Way) -> None:
    """It is looked for in what follows from the student's own numbers."""
    other_weights = next(slip for slip in SLIPS if slip.id == "other-weights")
    said = list(class_of(sheet_of("self", seed=1), way, ("K", other_weights.wrong)))
    assert {one.stage for one in said} >= {"S", "scaled", "A", "Z"}
    check(said)


def test_random_mistakes_are_given_no_name() -> None:
    """One more in every third cell of a stage is no slip of the catalogue."""
    named = 0
    for seed in range(20):
        sheet = sheet_of("self", seed=seed)
        key = key_of(sheet)
        for stage in ("Q", "S", "A", "Z"):
            changed = tuple(
                tuple(value + (i + 2 * j) % 3 for j, value in enumerate(row)) for i, row in enumerate(key[stage])
            )
            named += sum(each.stage == stage for each in told_of(sheet, stage, texts_of(changed)))
    assert named == 0


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_one_changed_cell_is_wrong_alone(data: st.DataObject) -> None:
    """Whatever number stands there, nothing else is wrong, and no slip is more than a perhaps."""
    sheet = sheet_of(data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(Convention)))
    key = key_of(sheet)
    stage = data.draw(st.sampled_from(sorted(key)))
    rows = texts_of(key[stage])
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    value = data.draw(st.fractions(-20, 20, max_denominator=9) | st.integers(-5, 5))
    if value == key[stage][row][column]:
        return
    rows[row][column] = written(value)
    marks = marked(Answers(code=None, stages={**handed_in(key).stages, stage: tuple(map(tuple, rows))}), sheet)
    wrong = [cell.address for cell in marks.cells if cell.mark is not Mark.CORRECT]
    assert wrong == [f"{stage}[{row + 1},{column + 1}]"]
    told = diagnosed(marks, sheet)
    assert {one.stage for one in told} <= {stage}
    assert not any(one.is_named and one.slips != ("single-cell",) for one in told)


def test_one_cell_alone() -> None:
    """It is said to be alone; where a slip shows in it, that is perhaps what it was."""
    sheet = sheet_from_problem(problem_of(CHECKED))
    rows = texts_of(sheet.solution["Z"].hand)
    rows[0][0] = "9"
    (told,) = told_of(sheet, "Z", rows)
    assert (told.slips, told.is_named, told.is_perhaps) == (("single-cell",), True, False)
    rows = texts_of(sheet.solution["scaled"].hand)
    assert rows[0][0] == "-1"
    rows[0][0] = "0"
    (told,) = told_of(sheet, "scaled", [[rows[0][0], "", ""], *rows[1:]])
    assert (told.slips, told.is_named) == (("single-cell",), True)


def test_two_lines_exchanged() -> None:
    """Which two, rows or columns, are told; a transposed square is one where no slip says so itself."""
    sheet = sheet_of("self")
    Z, A = sheet.solution["Z"].hand, sheet.solution["A"].hand
    (told,) = told_of(sheet, "Z", texts_of((Z[2], Z[1], Z[0])))
    assert (told.slips, told.lines, told.along, told.is_named) == (("rows-exchanged",), (0, 2), Along.ROWS, True)
    turned = transposed(Z)
    (told,) = told_of(sheet, "Z", texts_of(transposed((turned[0], turned[3], turned[2], turned[1]))))
    assert (told.slips, told.lines, told.along, told.is_named) == (("rows-exchanged",), (1, 3), Along.COLUMNS, True)
    (told,) = told_of(sheet, "A", texts_of(transposed(A)))
    assert (told.slips, told.is_named) == (("transposed",), True)
    (told,) = told_of(sheet, "S", texts_of(transposed(sheet.solution["S"].hand)))
    assert (told.slips, told.is_named) == (("scores-transposed",), True)


def test_another_shape_is_explained() -> None:
    """By the slip that gives it; else by the transpose; else by the product of that shape, if there is one."""
    sheet = sheet_of("self")
    K, Q = sheet.solution["K"].hand, sheet.solution["Q"].hand
    other = product(K, transposed(Q))
    (told,) = told_of(sheet, "S", texts_of(other))
    assert (told.slips, told.shown_by, told.is_named) == (("other-operand-transposed",), 9, True)
    assert len(told.cells) == 16
    (told,) = told_of(sheet, "Q", texts_of(transposed(Q)))
    assert (told.slips, told.shown_by, told.is_named) == (("transposed",), 12, True)
    (told,) = told_of(sheet, "S", [["1", "2", "3"]] * 3)
    assert (told.slips, told.product, told.product_sizes, told.shown_by) == ((), "K Qᵀ", "d_k × d_k", 0)
    (told,) = told_of(sheet, "S", texts_of(transposed(other)))
    assert (told.slips, told.product, told.shown_by) == ((), "Q Kᵀ", 9)
    assert told_of(sheet, "S", [["1"]]) == ()
    rows = sheet_of("cross", Convention.ROWS)
    (told,) = told_of(rows, "S", texts_of(transposed(rows.solution["S"].hand)))
    assert (told.slips, told.is_named) == (("transposed",), True)


def test_another_shape_in_the_fields_of_the_sheet() -> None:
    """K Qᵀ written into a corner of S, where a form has more fields, or beside empty cells of a table."""
    sheet = sheet_of("self")
    other = texts_of(product(sheet.solution["K"].hand, transposed(sheet.solution["Q"].hand)))
    (told,) = told_of(sheet, "S", [*([*row, ""] for row in other), [""] * 4])
    assert (told.slips, told.is_named) == (("other-operand-transposed",), True)
    padded = [*([*row, "", "", ""] for row in texts_of(transposed(sheet.solution["sums"].hand))), [""] * 4]
    (told,) = told_of(sheet, "sums", padded)
    assert (told.slips, told.shown_by) == (("transposed",), 4)


def test_what_cannot_be_read_speaks_neither_for_nor_against() -> None:
    """Blank and unreadable cells leave the slip named; two numbers in an empty stage, or one that shows it: perhaps."""
    sheet = sheet_of("self")
    right, rows = sheet.solution["scaled"].hand, texts_of(sheet.solution["S"].hand)
    showing = [(i, j) for i, row in enumerate(rows) for j, text in enumerate(row) if text != written(right[i][j])]
    assert len(showing) > 4
    for i, j in showing[4:]:
        rows[i][j] = ("", "dog")[j % 2]
    (told,) = told_of(sheet, "scaled", rows)
    assert (told.slips, told.is_named, len(told.cells)) == (("not-scaled",), True, 4)
    two = [["" if (i, j) not in showing[:2] else text for j, text in enumerate(row)] for i, row in enumerate(rows)]
    (told,) = told_of(sheet, "scaled", two)
    assert (told.slips, told.is_named, told.is_perhaps) == (("not-scaled",), False, True)
    for i, j in showing[1:]:
        rows[i][j] = ""
    (told,) = told_of(sheet, "scaled", rows)
    assert ("not-scaled" in told.slips, told.is_named, len(told.cells)) == (True, False, 1)


def test_the_printed_cell_does_not_contradict() -> None:
    """K[1,1] is right because it is printed: what was done in the others is named all the same."""
    sheet = sheet_of("self")
    right = sheet.solution["K"].hand
    known = dict(sheet.problem.given)
    rows = texts_of(product(mapped(magnitude, known["W_K"]), known["X"]))
    assert rows[0][0] != written(right[0][0])
    rows[0][0] = ""
    (told,) = told_of(sheet, "K", rows)
    assert (told.slips, told.is_named) == (("signs-ignored",), True)
    i, j = next((cell.row, cell.column) for cell in told.cells)
    rows[i][j] = written(right[i][j])
    assert told_of(sheet, "K", rows) == ()


def test_decimals_are_compared_at_the_digits_written() -> None:
    """Two decimals as the sheet asks, or four; a fourth digit that is another is another number."""
    sheet = sheet_of("self")
    A = sheet.solution["A"].hand
    powers = sheet.solution["powers"].hand
    other = tuple(tuple(Fraction(x) / sum(Fraction(y) for y in row) for x in row) for row in powers)
    assert shape(other) == shape(A)
    for places in (2, 4):
        (told,) = told_of(sheet, "A", [[rounded(value, places) for value in row] for row in other])
        assert (told.slips, told.is_named) == (("other-axis",), True)
    near = [[rounded(value + Fraction(3, 10_000), 4) for value in row] for row in other]
    assert told_of(sheet, "A", near) == ()


GARBAGE = ("-inf", "1e9", "1/3", "1/99999999999999999999", "0.333", "41", "-100", "dog", "", "-", "1,234", "1e-9")


def test_whatever_is_handed_in_is_marked_and_diagnosed() -> None:
    """Numbers that nobody can go on with, gaps, ragged tables: never an error, never a mark that is not earned."""
    draw = random.Random(1)
    for turn in range(60):
        sheet = sheet_of(draw.choice(NAMES), rules=draw.choice((HAND, EXACT)))
        stages = {name: texts_of(a) for name, a in key_of(sheet).items()}
        for name, rows in stages.items():
            if draw.random() < 0.3:
                rows[draw.randrange(len(rows))][draw.randrange(len(rows[0]))] = draw.choice(GARBAGE)
            elif draw.random() < 0.1:
                stages[name] = [row[: draw.randrange(len(row) + 1)] for row in rows]
        texts = {name: tuple(map(tuple, rows)) for name, rows in stages.items()}
        marks = marked(Answers(code=None, stages=texts), sheet)
        diagnosed(marks, sheet)
        assert len(marks.cells) == sheet.cells_to_fill, turn
        assert not any(cell.mark is Mark.CORRECT and cell.stage in marks.other_shapes for cell in marks.cells)
