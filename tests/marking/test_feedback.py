"""What is said of answers: right first, then the first departure from the student's own numbers, then what to redo."""

import pytest

import attnhand
from attnhand.attention.matrix import product, transposed
from attnhand.attention.mechanisms import Convention
from attnhand.marking.feedback import Feedback
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.handing_in import key_texts, slipped, texts

SHEET = attnhand.generate(seed=7)


def said(rows: dict[str, list[list[str]]], sheet: Sheet = SHEET) -> Feedback:
    """Return what is said of these answers."""
    return attnhand.check(rows, sheet).feedback


def test_a_perfect_sheet_is_told_so_and_nothing_else() -> None:
    """Nothing to look at, nothing to redo."""
    feedback = said(key_texts(SHEET))
    assert feedback.score == "116 of 116 cells count: 116 right."
    assert feedback.right == "Everything is right."
    assert feedback.look == feedback.after == ()
    assert feedback.redo == feedback.empty == feedback.teacher == ""


def test_a_slip_is_explained_from_the_students_numbers() -> None:
    """Rounding toward zero: S[1,3] = −2 stays, S[4,1] = −1 becomes 0; everything later follows and counts.

    By hand: of S = (0 −4 −2 1 / 1 5 0 0 / 3 −3 −4 3 / −1 −2 −1 0) only the odd negative ones change:
    S[3,2] = −3 → −1, S[4,1] = −1 → 0, S[4,3] = −1 → 0, in columns q₁, q₂ and q₃.
    """
    feedback = said(texts(SHEET, slipped(SHEET, "truncated", "scaled")))
    assert feedback.score.startswith("113 of 116 cells count: ")
    assert feedback.score.endswith(", 3 not right yet.")
    assert feedback.right == "Right throughout: Q, K, V, S."
    assert feedback.look == (
        "Look first at scaled, row k₃, column q₂: you wrote −1.",
        "  S[3,2] = −3",
        "  half of −3, rounded down: ⌊−1.5⌋ = −2",
        "You seem to have rounded toward zero instead of down.",
    )
    assert feedback.after[0].endswith("later cells follow from your values and count.")
    assert feedback.redo == ("Redo column q₁, column q₂, column q₃ of scaled, then what comes of it: powers, Σ, A, Z.")


def test_a_new_mistake_is_told_from_what_follows() -> None:
    """A second mistake, at Z, does not come from the first."""
    rows = texts(SHEET, slipped(SHEET, "truncated", "scaled"))
    rows["Z"][0][0] = "17"
    feedback = said(rows)
    assert "Not from there: Z (1 cell)." in feedback.after


def test_what_cannot_be_read_is_said_with_its_reason() -> None:
    """The cell by the names of its lines, and what to write instead."""
    rows = key_texts(SHEET)
    rows["A"][0][0] = "3-16-2024"
    feedback = said(rows)
    assert feedback.score == "115 of 116 cells count: 115 right, 1 cannot be read."
    assert feedback.look == (
        "Look first at A, row k₁, column q₁, which cannot be read: it is '3-16-2024', a date: "
        "a spreadsheet made it of a fraction; type 0 1/3 or =1/3 there.",
    )


def test_too_few_digits_and_empty_cells_are_said() -> None:
    """0.2 for 3/16 is right as far as it goes; what is not filled is listed."""
    rows = key_texts(SHEET)
    rows["A"][0][0] = "0.2"
    del rows["Z"]
    feedback = said(rows)
    assert feedback.look[0] == (
        "Look first at A, row k₁, column q₁: 0.2 is right as far as it goes, but give 2 decimals."
    )
    assert feedback.empty == "Still empty: Z."
    assert feedback.redo == "Redo column q₁ of A, then what comes of it: Z."


def test_another_shape_is_said() -> None:
    """A row missing, or the end of one: nothing in that stage counts, and it is said what is amiss."""
    rows = key_texts(SHEET)
    rows["S"] = rows["S"][:3]
    feedback = said(rows)
    assert feedback.look[0] == "Look first at S: you handed in 3 × 4 numbers, it has 4 × 4."
    rows = key_texts(SHEET)
    del rows["S"][1][3]
    assert said(rows).look[0] == (
        "Look first at S: row 2 of what you handed in has 3 cells, it has 4; "
        "give every row all its cells, empty ones too."
    )


def test_what_leaves_nothing_to_compute_is_told_to_the_teacher() -> None:
    """All zeros for Q make S zero: that earns nothing."""
    rows = key_texts(SHEET)
    rows["Q"] = [["0"] * 4 for _ in range(3)]
    rows["S"] = [["0"] * 4 for _ in range(4)]
    assert said(rows).teacher.startswith("For the teacher: S follows from values that leave nothing to compute")


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", FORMS)
def test_every_mechanism_can_be_spoken_of(name: str, convention: Convention) -> None:
    """One wrong number anywhere: its own stage is looked at first, and the explanation ends in the right value."""
    form = FORMS[name]
    sheet = attnhand.generate(
        3,
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.causal,
        convention=convention,
        words=form.embedded,
        embed=bool(form.embedded),
        positions=form.positions,
    )
    for stage, key in key_texts(sheet).items():
        rows = key_texts(sheet)
        rows[stage][-1][-1] = "77"
        checked = attnhand.check(rows, sheet)
        first = checked.marks.first_departure
        assert first is not None
        assert first.stage == stage
        look = checked.feedback.look
        assert look[0].endswith(": you wrote 77.")
        assert look[1].startswith("  ")
        explained = [line for line in look if line.startswith("  ")][-1]
        assert explained.replace("−", "-").replace("∞", "inf").endswith(key[-1][-1]), (explained, key[-1][-1])
        assert checked.feedback.redo.startswith("Redo ")


def test_a_product_in_another_order_is_named_by_its_shape() -> None:
    """K Qᵀ is d_k × d_k: said in the words of the lesson, whether the numbers are its own or not."""
    hand = SHEET.solution.hand_values()
    rows = key_texts(SHEET)
    other = product(hand["K"], transposed(hand["Q"]))
    rows["S"] = [[str(value) for value in row] for row in other]
    told = said(rows).look
    assert told[0] == "Look first at S: you handed in 3 × 3 numbers, it has 4 × 4."
    assert told[1] == "You seem to have transposed the other factor."
    rows["S"] = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
    assert said(rows).look[1] == "K Qᵀ has that shape, d_k × d_k."


def test_cells_are_named_with_their_words() -> None:
    """Whoever reads it knows the sheet by its words."""
    sheet = attnhand.generate(seed=7, words="the cat saw it", convention="rows")
    rows = key_texts(sheet)
    rows["S"][1][0] = "40"
    assert said(rows, sheet).look[0] == "Look first at S, row q₂ (cat), column k₁ (the): you wrote 40."


def test_lines_that_were_exchanged_are_named() -> None:
    """Two rows of V in each other's place."""
    rows = key_texts(SHEET)
    rows["V"][0], rows["V"][2] = rows["V"][2], rows["V"][0]
    assert "You seem to have written two lines in each other's place (row 1, row 3)." in said(rows).look


def test_one_wrong_cell_is_said_to_be_one() -> None:
    """Nothing else is wrong there, and no slip of the catalogue gives it."""
    rows = key_texts(SHEET)
    rows["V"][1][1] = "40"
    assert said(rows).look[-1] == "You seem to have made a mistake in this cell alone."
