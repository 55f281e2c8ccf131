"""The feedback on answers: right first, then the first departure from the student's own numbers, then what to redo."""

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import product, transpose
from attnhand.marking.feedback import Feedback
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEET = attnhand.generate(seed=7)


def write_feedback(rows: dict[str, list[list[str]]], sheet: Sheet = SHEET) -> Feedback:
    """Return the feedback on these answers."""
    return attnhand.check(rows, sheet).feedback


def test_a_perfect_sheet_is_told_so_and_nothing_else() -> None:
    """Nothing to look at, nothing to redo."""
    feedback = write_feedback(write_key(SHEET))
    assert feedback.score == "116 of 116 cells count: 116 right."
    assert feedback.praise == "Everything is right."
    assert feedback.first_error == feedback.consequences == ()
    assert feedback.redo_advice == feedback.empty_note == feedback.teacher_note == ""


def test_a_slip_is_explained_from_the_students_numbers() -> None:
    """Rounding toward zero: S[1,2] = −2 stays, S[2,1] = −1 becomes 0; everything later follows and counts.

    By hand: of S = (1 −2 −1 0 / −1 2 1 −1 / −4 6 3 −2 / 3 0 0 2) only the odd negative ones change:
    S[1,3] = −1 → 0, S[2,1] = −1 → 0, S[2,4] = −1 → 0, in columns q₁, q₃ and q₄.
    """
    feedback = write_feedback(write_answers(SHEET, make_slip(SHEET, "truncated", "scaled")))
    assert feedback.score.startswith("113 of 116 cells count: ")
    assert feedback.score.endswith(", 3 not right yet.")
    assert feedback.praise == "Right throughout: Q, K, V, S."
    assert feedback.first_error == (
        "Look first at scaled, row k₁, column q₃: you wrote 0.",
        "  S[1,3] = −1",
        "  half of −1, rounded down: ⌊−0.5⌋ = −1",
        "You seem to have rounded toward zero instead of down.",
        "Half of −1 is −0.5. Down means left on the number line: the next whole number is −1, not 0.",
    )
    assert feedback.consequences[0].endswith("later cells follow from your values and count.")
    assert feedback.redo_advice == (
        "Redo column q₁, column q₃, column q₄ of scaled, then what comes of it: powers, Σ, A, Z."
    )


def test_a_new_mistake_is_told_from_what_follows() -> None:
    """A second mistake, at Z, does not come from the first."""
    rows = write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))
    rows["Z"][0][0] = "17"
    feedback = write_feedback(rows)
    assert "Not from there: Z (1 cell)." in feedback.consequences


def test_what_cannot_be_read_is_said_with_its_reason() -> None:
    """The cell by the names of its lines, and what to write instead."""
    rows = write_key(SHEET)
    rows["A"][0][0] = "3-16-2024"
    feedback = write_feedback(rows)
    assert feedback.score == "115 of 116 cells count: 115 right, 1 cannot be read."
    assert feedback.first_error == (
        "Look first at A, row k₁, column q₁, which cannot be read: it is '3-16-2024', a date: "
        "a spreadsheet made it of a fraction; type 0 1/3 or =1/3 there.",
    )


def test_too_few_digits_and_empty_cells_are_said() -> None:
    """0.2 for 3/16 is right as far as it goes; what is not filled is listed."""
    rows = write_key(SHEET)
    rows["A"][0][0] = "0.2"
    del rows["Z"]
    feedback = write_feedback(rows)
    assert feedback.first_error[0] == (
        "Look first at A, row k₁, column q₁: 0.2 is right as far as it goes, but give 2 decimals."
    )
    assert feedback.empty_note == "Still empty: Z."
    assert feedback.redo_advice == "Redo column q₁ of A, then what comes of it: Z."


def test_another_shape_is_said() -> None:
    """A row missing, or the end of one: nothing in that stage counts, and it is said what is amiss."""
    rows = write_key(SHEET)
    rows["S"] = rows["S"][:3]
    feedback = write_feedback(rows)
    assert feedback.first_error[0] == "Look first at S: you handed in 3 × 4 numbers, it has 4 × 4."
    rows = write_key(SHEET)
    del rows["S"][1][3]
    assert write_feedback(rows).first_error[0] == (
        "Look first at S: row 2 of what you handed in has 3 cells, it has 4; "
        "give every row all its cells, empty ones too."
    )


def test_what_leaves_nothing_to_compute_is_told_to_the_teacher() -> None:
    """All zeros for Q make S zero: that earns nothing."""
    rows = write_key(SHEET)
    rows["Q"] = [["0"] * 4 for _ in range(3)]
    rows["S"] = [["0"] * 4 for _ in range(4)]
    assert write_feedback(rows).teacher_note.startswith(
        "For the teacher: S follows from values that leave nothing to compute"
    )


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", FORMS)
def test_every_mechanism_can_be_spoken_of(name: str, convention: Convention) -> None:
    """One wrong number anywhere: its own stage is looked at first, and the explanation ends in the right value."""
    form = FORMS[name]
    sheet = attnhand.generate(
        3,
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.is_causal,
        convention=convention,
        words=form.embedded_words,
        embed=bool(form.embedded_words),
        positions=form.has_positions,
    )
    for stage, key in write_key(sheet).items():
        rows = write_key(sheet)
        rows[stage][-1][-1] = "77"
        checked = attnhand.check(rows, sheet)
        first = checked.marks.first_departure
        assert first is not None
        assert first.stage == stage
        look = checked.feedback.first_error
        assert look[0].endswith(": you wrote 77.")
        assert look[1].startswith("  ")
        explained = [line for line in look if line.startswith("  ")][-1]
        assert explained.replace("−", "-").replace("∞", "inf").endswith(key[-1][-1]), (explained, key[-1][-1])
        assert checked.feedback.redo_advice.startswith("Redo ")


def test_a_product_in_another_order_is_named_by_its_shape() -> None:
    """K Qᵀ is d_k × d_k: said in the words of the lesson, whether the numbers are its own or not."""
    hand = SHEET.solution.collect_hand_values()
    rows = write_key(SHEET)
    other = product(hand["K"], transpose(hand["Q"]))
    rows["S"] = [[str(value) for value in row] for row in other]
    sentences = write_feedback(rows).first_error
    assert sentences[0] == "Look first at S: you handed in 3 × 3 numbers, it has 4 × 4."
    assert sentences[1] == "You seem to have transposed the other factor."
    rows["S"] = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
    assert write_feedback(rows).first_error[1] == "K Qᵀ has that shape, d_k × d_k."


def test_cells_are_named_with_their_words() -> None:
    """Whoever reads it knows the sheet by its words."""
    sheet = attnhand.generate(seed=7, words="the cat saw it", convention="rows")
    rows = write_key(sheet)
    rows["S"][1][0] = "40"
    assert write_feedback(rows, sheet).first_error[0] == "Look first at S, row q₂ (cat), column k₁ (the): you wrote 40."


def test_lines_that_were_exchanged_are_named() -> None:
    """Two rows of V in each other's place."""
    rows = write_key(SHEET)
    rows["V"][0], rows["V"][2] = rows["V"][2], rows["V"][0]
    assert (
        "You seem to have written two lines in each other's place (row 1, row 3)." in write_feedback(rows).first_error
    )


def test_one_wrong_cell_is_said_to_be_one() -> None:
    """Nothing else is wrong there, and no slip of the catalogue gives it."""
    rows = write_key(SHEET)
    rows["V"][1][1] = "40"
    assert write_feedback(rows).first_error[-2:] == (
        "You seem to have made a mistake in this cell alone.",
        "The other cells are right, so you know how it goes: work this one again, step by step.",
    )
