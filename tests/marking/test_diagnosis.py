"""What the marker says of mistakes: named where they show, listed where they look alike, never another."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnhand.attention.arithmetic import EXACT, HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, map_cells, product, shape, transpose
from attnhand.attention.numbers import drop_sign, format_decimal, format_exact
from attnhand.attention.slips import SLIPS
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import Diagnosis, VectorKind
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose, pair_up
from tests.building import PENCIL_SAMPLE, make_problem
from tests.forms import FORMS
from tests.marking.simulated_class import MistakeOutcome, Verdict, simulate_class
from tests.marking.students import WritingStyle
from tests.marking.test_mark import list_key_values, make_answers

NAMES = ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions")
"""Every mechanism, the mask, words and positions."""


@cache
def make_sheet(name: str, convention: Convention = Convention.COLUMNS, seed: int = 7, rules: Rules = HAND) -> Sheet:
    """Return a sheet."""
    return make_sheet_from_request(Request(seed=seed, variant=FORMS[name], convention=convention, rules=rules))


def write_matrix(a: Matrix) -> list[list[str]]:
    """Return a matrix as it is written."""
    return [[format_exact(value) for value in row] for row in a]


def diagnose_stage(sheet: Sheet, stage: str, texts: object) -> tuple[Diagnosis, ...]:
    """Return the diagnoses where one stage holds these texts and all others the key."""
    rows: TextRows = tuple(tuple(map(str, row)) for row in texts)  # type: ignore[attr-defined]  # rows of cells
    answers = make_answers(list_key_values(sheet))
    return diagnose_stages(mark_answers(Answers(code=None, stages={**answers.stages, stage: rows}), sheet), sheet)


def check_outcomes(outcomes: list[MistakeOutcome]) -> None:
    """Check that all that can be told apart is named, and nothing else than what was done."""
    verdicts = Counter(one.verdict for one in outcomes)
    assert [one for one in outcomes if one.verdict in (Verdict.WRONG, Verdict.MISSED)] == []
    assert [one for one in outcomes if one.is_distinguishable and one.verdict is not Verdict.NAMED] == []
    assert [one.wrong_mark for one in outcomes if one.wrong_mark] == []
    assert verdicts[Verdict.NAMED] + verdicts[Verdict.PERHAPS] > 0.9 * len(outcomes) > 0, verdicts


@pytest.mark.parametrize(("name", "turn"), pair_up(choose(NAMES[::3], NAMES), (0, 1)))
def test_a_mistake_is_named_and_never_another(name: str, turn: int) -> None:
    """Before it all is correct, after it correct or following; other shapes are handed in as they come out."""
    place = NAMES.index(name) + turn
    sheet = make_sheet(name, list(Convention)[turn], seed=place)
    check_outcomes(list(simulate_class(sheet, list(WritingStyle)[place % len(WritingStyle)])))


@pytest.mark.parametrize("name", ["self", "block-1"])
def test_what_a_calculator_goes_on_with_follows(name: str) -> None:
    """Whoever writes two decimals and goes on with all digits has no second mistake."""
    check_outcomes(list(simulate_class(make_sheet(name, seed=2), WritingStyle.CALCULATOR)))


def test_a_mistake_is_named_without_shortcuts() -> None:
    """Irrational numbers, to the decimals of the sheet."""
    check_outcomes(list(simulate_class(make_sheet("self", seed=0, rules=EXACT), WritingStyle.DECIMALS)))


@pytest.mark.parametrize("way", WritingStyle)
def test_a_second_mistake_is_named_too(way: WritingStyle) -> None:
    """It is looked for in what follows from the student's own numbers."""
    other_weights = next(slip for slip in SLIPS if slip.id == "other-weights")
    outcomes = list(simulate_class(make_sheet("self", seed=2), way, ("K", other_weights.compute_wrong)))
    assert {one.stage for one in outcomes} >= {"S", "scaled", "A", "Z"}
    check_outcomes(outcomes)


def test_random_mistakes_are_given_no_name() -> None:
    """One more in every third cell of a stage is no slip of the catalogue."""
    named = 0
    for seed in range(20):
        sheet = make_sheet("self", seed=seed)
        key = list_key_values(sheet)
        for stage in ("Q", "S", "A", "Z"):
            changed = tuple(
                tuple(value + (i + 2 * j) % 3 for j, value in enumerate(row)) for i, row in enumerate(key[stage])
            )
            named += sum(each.stage == stage for each in diagnose_stage(sheet, stage, write_matrix(changed)))
    assert named == 0


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_one_changed_cell_is_wrong_alone(data: st.DataObject) -> None:
    """Whatever number stands there, nothing else is wrong, and no slip is more than a perhaps."""
    sheet = make_sheet(data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(Convention)))
    key = list_key_values(sheet)
    stage = data.draw(st.sampled_from(sorted(key)))
    rows = write_matrix(key[stage])
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    value = data.draw(st.fractions(-20, 20, max_denominator=9) | st.integers(-5, 5))
    assume(value != key[stage][row][column])
    rows[row][column] = format_exact(value)
    marks = mark_answers(Answers(code=None, stages={**make_answers(key).stages, stage: tuple(map(tuple, rows))}), sheet)
    wrong = [cell.address for cell in marks.cells if cell.mark is not Mark.CORRECT]
    assert wrong == [f"{stage}[{row + 1},{column + 1}]"]
    diagnoses = diagnose_stages(marks, sheet)
    assert {one.stage for one in diagnoses} <= {stage}
    assert not any(one.is_certain and one.slips != ("single-cell",) for one in diagnoses)


def test_one_cell_alone() -> None:
    """It is said to be alone; where a slip shows in it, that is perhaps what it was."""
    sheet = make_sheet_from_problem(make_problem(PENCIL_SAMPLE))
    rows = write_matrix(sheet.solution["Z"].hand)
    rows[0][0] = "9"
    (diagnosis,) = diagnose_stage(sheet, "Z", rows)
    assert (diagnosis.slips, diagnosis.is_certain, diagnosis.is_tentative) == (("single-cell",), True, False)
    rows = write_matrix(sheet.solution["scaled"].hand)
    assert rows[0][0] == "-1"
    rows[0][0] = "0"
    (diagnosis,) = diagnose_stage(sheet, "scaled", [[rows[0][0], "", ""], *rows[1:]])
    assert (diagnosis.slips, diagnosis.is_certain) == (("single-cell",), True)


def test_two_lines_exchanged() -> None:
    """Which two, rows or columns, are told; a transposed square is one where no slip says so itself."""
    sheet = make_sheet("self")
    Z, A = sheet.solution["Z"].hand, sheet.solution["A"].hand
    (diagnosis,) = diagnose_stage(sheet, "Z", write_matrix((Z[2], Z[1], Z[0])))
    assert (diagnosis.slips, diagnosis.exchanged, diagnosis.along, diagnosis.is_certain) == (
        ("rows-exchanged",),
        (0, 2),
        VectorKind.ROWS,
        True,
    )
    turned = transpose(Z)
    (diagnosis,) = diagnose_stage(sheet, "Z", write_matrix(transpose((turned[0], turned[3], turned[2], turned[1]))))
    assert (diagnosis.slips, diagnosis.exchanged, diagnosis.along, diagnosis.is_certain) == (
        ("rows-exchanged",),
        (1, 3),
        VectorKind.COLUMNS,
        True,
    )
    (diagnosis,) = diagnose_stage(sheet, "A", write_matrix(transpose(A)))
    assert (diagnosis.slips, diagnosis.is_certain) == (("transposed",), True)
    (diagnosis,) = diagnose_stage(sheet, "S", write_matrix(transpose(sheet.solution["S"].hand)))
    assert (diagnosis.slips, diagnosis.is_certain) == (("scores-transposed",), True)


def test_another_shape_is_explained() -> None:
    """By the slip that gives it; else by the transpose; else by the product of that shape, if there is one."""
    sheet = make_sheet("self")
    K, Q = sheet.solution["K"].hand, sheet.solution["Q"].hand
    other = product(K, transpose(Q))
    (diagnosis,) = diagnose_stage(sheet, "S", write_matrix(other))
    assert (diagnosis.slips, diagnosis.supporting_numbers, diagnosis.is_certain) == (
        ("other-operand-transposed",),
        9,
        True,
    )
    assert len(diagnosis.cells) == 16
    (diagnosis,) = diagnose_stage(sheet, "Q", write_matrix(transpose(Q)))
    assert (diagnosis.slips, diagnosis.supporting_numbers, diagnosis.is_certain) == (("transposed",), 12, True)
    (diagnosis,) = diagnose_stage(sheet, "S", [["1", "2", "3"]] * 3)
    assert (diagnosis.slips, diagnosis.product, diagnosis.product_sizes, diagnosis.supporting_numbers) == (
        (),
        "K Qᵀ",
        "d_k × d_k",
        0,
    )
    (diagnosis,) = diagnose_stage(sheet, "S", write_matrix(transpose(other)))
    assert (diagnosis.slips, diagnosis.product, diagnosis.supporting_numbers) == ((), "Q Kᵀ", 9)
    assert diagnose_stage(sheet, "S", [["1"]]) == ()
    rows = make_sheet("cross", Convention.ROWS)
    (diagnosis,) = diagnose_stage(rows, "S", write_matrix(transpose(rows.solution["S"].hand)))
    assert (diagnosis.slips, diagnosis.is_certain) == (("transposed",), True)


def test_another_shape_in_the_fields_of_the_sheet() -> None:
    """K Qᵀ written into a corner of S, where a form has more fields, or beside empty cells of a table."""
    sheet = make_sheet("self")
    other = write_matrix(product(sheet.solution["K"].hand, transpose(sheet.solution["Q"].hand)))
    (diagnosis,) = diagnose_stage(sheet, "S", [*([*row, ""] for row in other), [""] * 4])
    assert (diagnosis.slips, diagnosis.is_certain) == (("other-operand-transposed",), True)
    padded = [*([*row, "", "", ""] for row in write_matrix(transpose(sheet.solution["sums"].hand))), [""] * 4]
    (diagnosis,) = diagnose_stage(sheet, "sums", padded)
    assert (diagnosis.slips, diagnosis.supporting_numbers) == (("transposed",), 4)


def test_what_cannot_be_read_speaks_neither_for_nor_against() -> None:
    """Blank and unreadable cells leave the slip named; two numbers in an empty stage, or one that shows it: perhaps."""
    sheet = make_sheet("self")
    right, rows = sheet.solution["scaled"].hand, write_matrix(sheet.solution["S"].hand)
    showing = [(i, j) for i, row in enumerate(rows) for j, text in enumerate(row) if text != format_exact(right[i][j])]
    assert len(showing) > 4
    for i, j in showing[4:]:
        rows[i][j] = ("", "dog")[j % 2]
    (diagnosis,) = diagnose_stage(sheet, "scaled", rows)
    assert (diagnosis.slips, diagnosis.is_certain, len(diagnosis.cells)) == (("not-scaled",), True, 4)
    two = [["" if (i, j) not in showing[:2] else text for j, text in enumerate(row)] for i, row in enumerate(rows)]
    (diagnosis,) = diagnose_stage(sheet, "scaled", two)
    assert (diagnosis.slips, diagnosis.is_certain, diagnosis.is_tentative) == (("not-scaled",), False, True)
    for i, j in showing[1:]:
        rows[i][j] = ""
    (diagnosis,) = diagnose_stage(sheet, "scaled", rows)
    assert ("not-scaled" in diagnosis.slips, diagnosis.is_certain, len(diagnosis.cells)) == (True, False, 1)


def test_the_printed_cell_does_not_contradict() -> None:
    """The worked cell is right because it is printed: what was done in the others is named all the same."""
    sheet = make_sheet("self", seed=3)
    right = sheet.solution["K"].hand
    known = dict(sheet.problem.given)
    rows = write_matrix(product(map_cells(drop_sign, known["W_K"]), known["X"]))
    assert sheet.worked_cell
    _, i, j = sheet.worked_cell
    assert rows[i][j] != format_exact(right[i][j])
    rows[i][j] = ""
    (diagnosis,) = diagnose_stage(sheet, "K", rows)
    assert (diagnosis.slips, diagnosis.is_certain) == (("signs-ignored",), True)
    i, j = next((cell.row, cell.column) for cell in diagnosis.cells)
    rows[i][j] = format_exact(right[i][j])
    assert not any(each.is_certain for each in diagnose_stage(sheet, "K", rows))


def test_decimals_are_compared_at_the_digits_written() -> None:
    """Two decimals as the sheet asks, or four; a fourth digit that is another is another number."""
    sheet = make_sheet("self")
    A = sheet.solution["A"].hand
    powers = sheet.solution["powers"].hand
    other = tuple(tuple(Fraction(x) / sum(Fraction(y) for y in row) for x in row) for row in powers)
    assert shape(other) == shape(A)
    for places in (2, 4):
        (diagnosis,) = diagnose_stage(sheet, "A", [[format_decimal(value, places) for value in row] for row in other])
        assert (diagnosis.slips, diagnosis.is_certain) == (("other-axis",), True)
    near = [[format_decimal(value + Fraction(3, 10_000), 4) for value in row] for row in other]
    assert diagnose_stage(sheet, "A", near) == ()


GARBAGE = ("-inf", "1e9", "1/3", "1/99999999999999999999", "0.333", "41", "-100", "dog", "", "-", "1,234", "1e-9")


def test_whatever_is_handed_in_is_marked_and_diagnosed() -> None:
    """Numbers that nobody can go on with, gaps, ragged tables: never an error, never a mark that is not earned."""
    draw = random.Random(1)
    for turn in range(60):
        sheet = make_sheet(draw.choice(NAMES), rules=draw.choice((HAND, EXACT)))
        stages = {name: write_matrix(a) for name, a in list_key_values(sheet).items()}
        for name, rows in stages.items():
            if draw.random() < 0.3:
                rows[draw.randrange(len(rows))][draw.randrange(len(rows[0]))] = draw.choice(GARBAGE)
            elif draw.random() < 0.1:
                stages[name] = [row[: draw.randrange(len(row) + 1)] for row in rows]
        texts = {name: tuple(map(tuple, rows)) for name, rows in stages.items()}
        marks = mark_answers(Answers(code=None, stages=texts), sheet)
        diagnose_stages(marks, sheet)
        assert len(marks.cells) == sheet.answer_cell_count, turn
        assert not any(cell.mark is Mark.CORRECT and cell.stage in marks.misshapen_answers for cell in marks.cells)
