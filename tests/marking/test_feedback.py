"""The feedback on answers: right first, then the first departure from the student's own numbers, then what to redo."""

import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import product as product_of

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, product, transpose
from attnhand.attention.numbers import format_decimal
from attnhand.attention.slips import SLIPS, find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.marking.feedback import Feedback
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose, pair_up
from tests.forms import FORMS, SOME_FORMS
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEET = attnhand.generate(seed=7)

IDS = [slip.id for slip in SLIPS]


def write_feedback(rows: dict[str, list[list[str]]], sheet: Sheet = SHEET) -> Feedback:
    """Return the feedback on these answers."""
    return attnhand.check(rows, sheet).feedback


def test_a_perfect_sheet_is_told_so_and_nothing_else() -> None:
    """Nothing to look at, nothing to redo."""
    feedback = write_feedback(write_key(SHEET))
    assert feedback.score == "Score: 116 of 116 cells."
    assert feedback.praise == "Everything is right."
    assert feedback.departures == ()
    assert feedback.consequences == ()
    assert feedback.redo_advice == feedback.empty_note == ""
    assert feedback.teacher_notes == ()


def test_a_slip_is_explained_from_the_students_numbers() -> None:
    """Rounding toward zero: S[1,2] = −2 stays, S[2,1] = −1 becomes 0; everything later follows and counts.

    By hand: of S = (1 −2 −1 0 / −1 2 1 −1 / −4 6 3 −2 / 3 0 0 2) only the odd negative ones change:
    S[1,3] = −1 → 0, S[2,1] = −1 → 0, S[2,4] = −1 → 0, in columns q₁, q₃ and q₄.
    """
    feedback = write_feedback(write_answers(SHEET, make_slip(SHEET, "truncated", "scaled")))
    assert feedback.score.startswith("Score: 113 of 116 cells (")
    assert feedback.score.endswith(", 3 not right yet).")
    assert feedback.praise == "Right throughout: Q, K, V and S."
    assert feedback.departures[0][1] == (
        "Look first at scaled, row k₁, column q₃: you wrote 0.",
        "  S[1,3] = −1",
        "  half of −1, rounded down: ⌊−0.5⌋ = −1",
        "You seem to have rounded toward zero instead of down.",
        "Half of −1 is −0.5. Down means left on the number line: the next whole number is −1, not 0.",
        "The 27 later cells that come of it are right with your own numbers, and count.",
    )
    assert feedback.consequences == ()
    assert feedback.redo_advice == (
        "To put it right: write −1 into scaled[1,3], then correct scaled[2,1] and scaled[2,4], "
        "then work again powers[1,3], powers[2,1] and powers[2,4], "
        "then columns q₁, q₃ and q₄ of Σ and A, then columns z₁, z₃ and z₄ of Z."
    )


def test_a_new_mistake_is_told_from_what_follows() -> None:
    """A second mistake, at Z, does not come from the first: it is worked with the student's own numbers."""
    rows = write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))
    rows["Z"][0][0] = "17"
    feedback = write_feedback(rows)
    (_, first), (departure, second) = feedback.departures
    assert first[-1] == "The 26 later cells that come of it are right with your own numbers, and count."
    assert departure.first.address == "Z[1,1]"
    assert second[0] == "Then look at Z, row 1, column z₁: you wrote 17."
    assert second[1].startswith("  ")
    assert "then columns z₁, z₃ and z₄ of Z" in feedback.redo_advice


def test_what_cannot_be_read_is_said_together() -> None:
    """Words in A and Z have one reason; a wrong number in Z has another."""
    rows = write_key(SHEET)
    rows["A"][0][0] = rows["Z"][0][0] = "two"
    rows["Z"][1][1] = "17"
    (_, unread), (_, wrong) = write_feedback(rows).departures
    assert unread[-1] == "The same goes for 1 cell of Z."
    assert wrong[0] == "Then look at Z, row 2, column z₂: you wrote 17."


def test_what_cannot_be_read_is_said_with_its_reason() -> None:
    """The cell by the names of its lines, and what to write instead."""
    rows = write_key(SHEET)
    rows["A"][0][0] = "3-16-2024"
    feedback = write_feedback(rows)
    assert feedback.score == "Score: 115 of 116 cells (115 right, 1 cannot be read)."
    assert feedback.departures[0][1] == (
        "Look first at A, row k₁, column q₁, which cannot be read: it is '3-16-2024', a date: "
        "a spreadsheet made it of a fraction; type 0 1/3 or =1/3 there.",
    )


def test_what_cannot_be_read_after_a_wrong_cell_has_its_own_reason() -> None:
    """In the same stage too; it is not called wrong, nor counted among what is."""
    rows = write_key(SHEET)
    rows["V"][1][1] = "40"
    rows["V"][-1][-1] = rows["A"][0][1] = "two"
    rows["Z"][1][1] = "17"
    (_, first), (_, unread), (_, last) = write_feedback(rows).departures
    assert first[0] == "Look first at V, row 2, column v₂: you wrote 40."
    assert unread == (
        "Then look at V, row 3, column v₄, which cannot be read: it is 'two', not a number: write 3, −2, 0.25 or 9/46.",
        "The same goes for 1 cell of A.",
    )
    assert last[0] == "Then look at Z, row 2, column z₂: you wrote 17."


def test_too_few_digits_and_empty_cells_are_said() -> None:
    """0.2 for 3/16 is right as far as it goes; what is not filled is listed."""
    rows = write_key(SHEET)
    rows["A"][0][0] = "0.2"
    del rows["Z"]
    feedback = write_feedback(rows)
    assert feedback.departures[0][1][0] == (
        "Look first at A, row k₁, column q₁: 0.2 is right as far as it goes, but give 2 decimals."
    )
    assert feedback.empty_note == "Not begun yet: Z."
    assert feedback.redo_advice == "To put it right: correct A[1,1]."


def test_another_shape_is_said() -> None:
    """A row missing, or the end of one: nothing in that stage counts, and it is said what is amiss."""
    rows = write_key(SHEET)
    rows["S"] = rows["S"][:3]
    feedback = write_feedback(rows)
    assert feedback.departures[0][1][0] == "Look first at S: you handed in 3 × 4 numbers, it has 4 × 4."
    rows = write_key(SHEET)
    del rows["S"][1][3]
    assert write_feedback(rows).departures[0][1][0] == (
        "Look first at S: row 2 of what you handed in has 3 cells, it has 4; "
        "give every row all its cells, empty ones too."
    )


def test_what_leaves_nothing_to_compute_is_told_to_the_teacher() -> None:
    """All zeros for Q make S zero: that earns nothing, which is no sentence for the student."""
    rows = write_key(SHEET)
    rows["Q"] = [["0"] * 4 for _ in range(3)]
    rows["S"] = [["0"] * 4 for _ in range(4)]
    feedback = write_feedback(rows)
    assert feedback.teacher_notes == (
        "For the teacher: S and scaled come of numbers that no known slip gives and that left little "
        "to compute; 20 cells are not counted for it.",
    )
    assert not any("teacher" in sentence or "earns" in sentence for sentence in feedback.sentences)
    assert not any("another reason" in sentence for sentence in feedback.sentences)
    assert not any("for another reason" in sentence for sentence in feedback.sentences)
    assert (
        "These numbers left few calculations, and each counts once. "
        "All that comes of them counts as soon as they are right."
    ) in feedback.sentences
    assert write_feedback({}).advice == ("Nothing is filled in yet.",)


@pytest.mark.parametrize(("name", "convention"), pair_up(choose(SOME_FORMS[::2], SOME_FORMS), [*Convention]))
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
        look = checked.feedback.departures[0][1]
        assert look[0].endswith(": you wrote 77.")
        assert look[1].startswith("  ")
        explained = [line for line in look if line.startswith("  ")][-1]
        expected = key[-1][-1]
        if len(expected) > 10 and "." in expected:  # a logarithm is told as it is printed
            expected = format_decimal(Decimal(expected), sheet.problem.rules.decimals)
        assert explained.replace("−", "-").replace("∞", "inf").endswith(expected), (explained, expected)
        assert checked.feedback.redo_advice.startswith("To put it right: write ")


def test_a_power_of_what_was_masked_wrongly_is_explained() -> None:
    """Whoever writes −∞ where nothing is masked has no score to raise to: the power of it is 0."""
    sheet = attnhand.generate(seed=7, causal=True)
    rows = write_key(sheet)
    rows["masked"][0][2], rows["powers"][0][2] = "-inf", "5"
    for _, look in attnhand.check(rows, sheet).feedback.departures:
        assert "You seem to have made a mistake in this cell alone." in look
    said = [line for _, look in attnhand.check(rows, sheet).feedback.departures for line in look]
    assert "  3 to the power of the scaled score −∞: 3^−∞ = 0" in said


def test_a_product_in_another_order_is_named_by_its_shape() -> None:
    """K Qᵀ is d_k × d_k: said in the words of the lesson, whether the numbers are its own or not."""
    hand = SHEET.solution.collect_hand_values()
    rows = write_key(SHEET)
    other = product(hand["K"], transpose(hand["Q"]))
    rows["S"] = [[str(value) for value in row] for row in other]
    sentences = write_feedback(rows).departures[0][1]
    assert sentences[0] == "Look first at S: you handed in 3 × 3 numbers, it has 4 × 4."
    assert sentences[1] == "You seem to have transposed the other factor."
    rows["S"] = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
    assert write_feedback(rows).departures[0][1][1] == "K Qᵀ has that shape, d_k × d_k."


def test_cells_are_named_with_their_words() -> None:
    """Whoever reads it knows the sheet by its words."""
    sheet = attnhand.generate(seed=7, words="the cat saw it", convention="rows")
    rows = write_key(sheet)
    rows["S"][1][0] = "40"
    assert (
        write_feedback(rows, sheet).departures[0][1][0]
        == "Look first at S, row q₂ (cat), column k₁ (the): you wrote 40."
    )


def test_lines_that_were_exchanged_are_named() -> None:
    """Two rows of V in each other's place."""
    rows = write_key(SHEET)
    rows["V"][0], rows["V"][2] = rows["V"][2], rows["V"][0]
    assert (
        "You seem to have written two lines in each other's place (row 1, row 3)."
        in write_feedback(rows).departures[0][1]
    )


def test_one_wrong_cell_is_said_to_be_one() -> None:
    """Nothing else is wrong there, and no slip of the catalogue gives it."""
    rows = write_key(SHEET)
    rows["V"][1][1] = "40"
    assert write_feedback(rows).departures[0][1][-2:] == (
        "You seem to have made a mistake in this cell alone.",
        "The other cells are right, so you know how it goes.",
    )


def test_only_what_changes_is_worked_again() -> None:
    """K[2,2] = 5 for −2: row k₂ of S changes, with what comes of it; Q, V and the other rows of S stay.

    By hand: S[2,j] = K[1,2]·Q[1,j] + K[2,2]·Q[2,j] + K[3,2]·Q[3,j], so that all of row k₂ changes where no Q[2,j] is 0.
    """
    assert 0 not in SHEET.solution["Q"].hand[1]
    wrong = [list(row) for row in SHEET.solution["K"].hand]
    wrong[1][1] = 5
    carried = solve(SHEET.problem, replacements={"K": tuple(map(tuple, wrong))}).collect_hand_values()
    rows = write_answers(SHEET, carried)
    right, own = SHEET.solution.collect_hand_values(), carried
    for name in ("S", "scaled", "powers"):
        assert [i for i in range(4) if own[name][i] != right[name][i]] == [1]
    advice = "To put it right: write −2 into K[2,2], then work again row k₂ of S, scaled and powers, then Σ, A and Z."
    assert write_feedback(rows).redo_advice == advice
    del rows["A"], rows["Z"]
    rows["sums"][0][1] = ""
    feedback = write_feedback(rows)
    assert feedback.redo_advice.startswith(advice.partition(", then Σ")[0])
    assert " A" not in feedback.redo_advice, "what was not begun is not worked again"
    assert feedback.empty_note == "Still empty: 1 cell of Σ. Not begun yet: A and Z."


def test_what_is_right_by_luck_stays() -> None:
    """A wrong key that meets a 0 of the query changes no score there, so that one is not worked again."""
    sheet = attnhand.solve(X=[[1, 0], [0, 1]], W_Q=[[0, 1]], W_K=[[1, 1]], W_V=[[1, 2]])
    assert (sheet.solution["Q"].hand, sheet.solution["K"].hand) == (((0, 1),), ((1, 1),))
    rows = write_answers(sheet, solve(sheet.problem, replacements={"K": ((5, 1),)}).collect_hand_values())
    rows = {name: rows[name] for name in ("Q", "K", "V", "S")}
    assert write_feedback(rows, sheet).redo_advice == "To put it right: write 1 into K[1,1], then work again S[1,2]."


def test_stages_of_heads_are_named_by_their_head() -> None:
    """Nobody reads twenty names with h1. and h2. before them."""
    sheet = attnhand.generate(seed=3, mechanism="multi-head")
    rows = write_key(sheet)
    rows["h1.V"][0][0] = "77"
    feedback = write_feedback(rows, sheet)
    assert feedback.praise == (
        "Right throughout: Q, K, S, scaled, powers, Σ, A and Z of head 1; all of head 2; concat and output."
    )
    assert feedback.stage_scores.startswith("head 1: Q 6/6 · K 6/6 · V 5/6 · ")
    assert feedback.stage_scores.endswith("; concat 12/12 · output 12/12")


def test_all_digits_of_a_calculator_are_rounded_in_words() -> None:
    """Nobody reads 14142135623730951/10000000000000000 where √2 was typed as the display shows it."""
    sheet = attnhand.generate(12, level="warm-up", rules="exact")
    for slip, stage in (("times-not-power", "powers"), ("weights-A-transposed", "Z")):
        sentences = " ".join(
            attnhand.check(write_answers(sheet, make_slip(sheet, slip, stage)), sheet).feedback.sentences
        )
        assert re.search(r"\d\.\d{6}\b", sentences), sentences
        assert not re.search(r"\d{7}/|/\d{7}", sentences), sentences


def test_decimals_stay_decimals() -> None:
    """Who writes 0.33 reads of 0.33 and 1.44, not of 33/100 and 36/25; who writes fractions, of fractions."""
    decimals = write_answers(SHEET, make_slip(SHEET, "over-largest", "A"), lambda value: f"{float(value):.4f}")
    fractions = write_answers(SHEET, make_slip(SHEET, "over-largest", "A"))
    sentences = " ".join(write_feedback(decimals).sentences)
    assert re.search(r"1 \+ 0\.3333 \+ 0\.1111 \+ 3 = 4\.4444", sentences)
    assert re.search(r"\b1 ÷ 4\.4444 ≈ 0\.23\b", sentences)  # 1/4.4444 = 0.225…
    assert not re.search(r"\d/\d{3}", sentences)
    assert "1 + 1/3 + 1/9 + 3 = 40/9" in " ".join(write_feedback(fractions).sentences)


def test_name_and_number_come_first() -> None:
    """As the file says them, else as the sheet was handed out."""
    checked = attnhand.check({"name": "047 Ada", "answers": {"Q": [["1"]]}}, SHEET)
    assert checked.feedback.sentences[0] == checked.to_dict()["owner"] == "№ 047 Ada"
    assert attnhand.check({"name": "Ada", "number": "7", "answers": {}}, SHEET).owner == "№ 007 Ada"
    assert write_feedback({}).sentences[0].startswith("Score: ")


_STAGE_IDS = r"(?<!such )sums|relu[12]|F[12]|(?:(?<=correct )|(?<=again )|(?<=and ))out"
_WORDED_IDS = "|".join(id for id in IDS if "-" in id and id != "half-kept")
RAW_IDS = re.compile(rf"\b({_STAGE_IDS}|{_WORDED_IDS})\b")
"""What files and the code call things, where the sheet has another name."""


def list_feedback_of_all_slips() -> Iterator[tuple[str, str]]:
    """Yield every sentence of feedback on every slip at every stage, in both conventions, with where it was made."""
    seen: set[tuple[str, str, str]] = set()
    for name, convention in product_of(SOME_FORMS, Convention):
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
        for stage in sheet.problem.mechanism.stages:
            for slip in find_slips(stage) if sheet.count_answer_cells(stage) else ():
                place = (slip.id, stage.name.rpartition(".")[2], convention.value)
                values = None if place in seen else try_slip(sheet, slip.id, stage.name)
                if values is not None:
                    seen.add(place)
                    checked = attnhand.check(write_answers(sheet, values), sheet)
                    yield from ((f"{name}: {' '.join(place)}", sentence) for sentence in checked.feedback.sentences)
    assert len(seen) > choose(140, 150)


def try_slip(sheet: Sheet, slip_id: str, stage_name: str) -> dict[str, Matrix] | None:
    """Return what a slip makes of all stages; None where it makes nothing, or nothing that can be carried on."""
    with suppress(AssertionError, AttnhandError, ArithmeticError):
        return make_slip(sheet, slip_id, stage_name)
    return None


def test_no_sentence_holds_a_raw_id() -> None:
    """Neither the id of a slip nor the name of a stage in files: 'Σ', 'relu₁' and 'output' are what the sheet says."""
    assert (
        RAW_IDS.search("correct sums")
        and RAW_IDS.search("concat and out.")
        and RAW_IDS.search("negative-power-negated")
        and not RAW_IDS.search("such sums")
    )
    found = [(place, sentence) for place, sentence in list_feedback_of_all_slips() if RAW_IDS.search(sentence)]
    assert found == []


def test_weights_that_were_mixed_up_are_both_named() -> None:
    """Which was used, and in place of which: of the three projections each its own sentence."""
    for slip, stage, action in (
        ("other-weights", "Q", "used W_K in place of W_Q."),
        ("other-weights", "K", "used W_Q in place of W_K."),
        ("third-weights", "Q", "used W_V in place of W_Q."),
    ):
        values = make_slip(SHEET, slip, stage)
        assert f"You seem to have {action}" in write_feedback(write_answers(SHEET, values)).departures[0][1]
