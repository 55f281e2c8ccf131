"""Several slips on one paper: each with its why, what comes of which, and a try on other numbers."""

import re
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.layout.page import TextBox
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import Note
from attnhand.marking.report import lay_out_report
from attnhand.marking.terminal import render_marks
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEET = attnhand.generate(seed=7)
CAUSAL = attnhand.generate(seed=7, causal=True)


def hand_in_two_slips() -> CheckResult:
    """Hand in a sheet with a lost sign in K, and powers divided by the sums of their rows."""
    K = [list(row) for row in SHEET.solution["K"].hand]
    K[1][1] = -K[1][1]
    replacements = {"K": tuple(map(tuple, K))}
    problem = SHEET.problem
    values = solve(problem, replacements=replacements).collect_hand_values()
    stage = problem.mechanism.get_stage("A")
    (slip,) = find_slips(stage, ("other-axis",))
    A = slip.compute_wrong(StageContext(problem.mechanism, stage, problem.hand_arithmetic, values))
    assert A is not None
    values = solve(problem, replacements={**replacements, "A": A}).collect_hand_values()
    return attnhand.check(write_answers(SHEET, values), SHEET)


def test_each_of_two_slips_has_its_why_and_what_comes_of_it() -> None:
    """A sign in K, other sums in A: 16 cells come of the first, 12 of the second, and all of them count."""
    checked = hand_in_two_slips()
    (first, of_first), (second, of_second) = checked.feedback.departures
    assert first.first.address == "K[2,2]"
    assert second.first.address == "A[1,1]"
    # row k2 of S, scaled and powers, and four sums; then twelve numbers of Z
    assert "The 16 later cells that come of it are right with your own numbers, and count." in of_first
    assert "The 12 later cells that come of it are right with your own numbers, and count." in of_second
    page = (Path(__file__).parents[2] / "attnhand" / "marking" / "README.md").read_text()
    shown = [
        line[4:] for line in re.findall(r"^    Then look at .*?\n\n", page + "\n", re.S | re.M)[0].rstrip().splitlines()
    ]
    assert shown == [*of_second, checked.feedback.redo_advice]


def test_exchanged_weights_are_named_at_both_stages() -> None:
    """W_K for the queries, W_Q for the keys."""
    values = make_slip(SHEET, "other-weights", "Q")
    keys = make_slip(SHEET, "other-weights", "K")["K"]
    values = solve(SHEET.problem, replacements={"Q": values["Q"], "K": keys}).collect_hand_values()
    checked = attnhand.check(write_answers(SHEET, values), SHEET)
    sentences = " ".join(checked.feedback.sentences)
    assert "You seem to have used W_K in place of W_Q." in sentences
    assert "You seem to have used W_Q in place of W_K." in sentences


def test_a_slip_in_one_line_is_named_with_its_line() -> None:
    """Only one key was worked with the signs left out; all that comes of it counts."""
    right, wrong = SHEET.solution["K"].hand, make_slip(SHEET, "signs-ignored", "K")["K"]
    lines = [[i for i in range(3) if wrong[i][j] != right[i][j]] for j in range(4)]
    line = next(j for j, cells in enumerate(lines) if len(cells) > 1)
    K = tuple(tuple(wrong[i][j] if j == line else x for j, x in enumerate(row)) for i, row in enumerate(right))
    values = solve(SHEET.problem, replacements={"K": K}).collect_hand_values()
    checked = attnhand.check(write_answers(SHEET, values), SHEET)
    assert [(each.stage, each.vector and each.vector.at) for each in checked.diagnoses] == [("K", line)]
    assert any(each.startswith(f"Only in column k{'₁₂₃₄'[line]}: ") for each in checked.feedback.sentences)
    assert checked.marks.score == 116 - len(lines[line])


@pytest.mark.parametrize("place", [(0, 0), (2, 3)])
def test_an_unreadable_cell_takes_no_reason_away(place: tuple[int, int]) -> None:
    """The scores of three other queries show the slip."""
    rows = write_answers(SHEET, make_slip(SHEET, "last-product-forgotten", "S"))
    rows["Q"][place[0]][place[1]] = "?"
    diagnoses = attnhand.check(rows, SHEET).diagnoses
    assert ("S", ("last-product-forgotten",)) in [(each.stage, each.slips) for each in diagnoses]


def forget_mask(sheet: Sheet) -> dict[str, list[list[str]]]:
    """Work a causal sheet without its mask, and write over the zeros that it prints."""
    values = make_slip(sheet, "mask-forgotten", "masked")
    rows = write_answers(sheet, values)
    for name in ("powers", "A"):
        rows[name] = [[attnhand.attention.numbers.format_exact(x) for x in row] for row in values[name]]
    return rows


def test_zeros_that_are_written_over_are_said() -> None:
    """Whoever forgets the mask writes over its zeros; what comes of that follows, and nonsense goes nowhere."""
    checked = attnhand.check(forget_mask(CAUSAL), CAUSAL)
    said = (
        "In 6 cells of powers and 6 cells of A the mask hides a token: "
        "what is printed there stays, and you wrote over it."
    )
    assert said in checked.feedback.consequences
    assert [(each.stage, each.slips) for each in checked.diagnoses] == [("masked", ("mask-forgotten",))]
    assert all(cell.counts for cell in checked.marks.cells if cell.stage != "masked")
    rows = write_key(CAUSAL)
    rows["A"] = [[text or "77" for text in row] for row in rows["A"]]
    nonsense = attnhand.check(rows, CAUSAL)
    assert nonsense.is_all_correct
    assert any("mask hides a token" in line for line in nonsense.feedback.consequences)


def test_hidden_powers_that_were_added_are_a_slip() -> None:
    """The printed zeros stay as they are, and the sums count what is hidden all the same."""
    checked = attnhand.check(write_answers(CAUSAL, make_slip(CAUSAL, "hidden-added", "sums")), CAUSAL)
    assert [(each.stage, each.slips) for each in checked.diagnoses] == [("sums", ("hidden-added",))]


def test_the_try_is_on_other_numbers_and_its_answers_are_right() -> None:
    """Three scores in which rounding toward zero shows, halved and rounded down."""
    checked = attnhand.check(write_answers(SHEET, make_slip(SHEET, "truncated", "scaled")), SHEET)
    another_try = checked.another_try
    assert another_try is not None
    found = [re.fullmatch(r"S\[\d,\d\] = (\S+): scaled\[\d,\d\] = \?", line) for line in another_try.lines]
    scores = [int(match[1].replace("−", "-")) for match in found if match]
    assert len(scores) == 3
    assert all(score < 0 and score % 2 for score in scores)
    halves = [str(floor(Fraction(score, 2))).replace("-", "−") for score in scores]
    assert [*another_try.answers] == halves
    text = render_marks(checked).rstrip()
    assert text.splitlines()[-1] == f"The answers, from right to left: {' · '.join(halves)[::-1]}"
    boxes = [item for item in lay_out_report(checked).pages[0].items if isinstance(item, TextBox) and item.is_turned]
    assert len(boxes) == 1


def test_nothing_is_tried_where_nothing_went_wrong() -> None:
    """Neither on a sheet that is right, nor where digits alone are missing."""
    assert attnhand.check(write_key(SHEET), SHEET).another_try is None
    rows = write_key(SHEET)
    rows["A"][0][0] = "0.2"  # for 3/16
    assert attnhand.check(rows, SHEET).another_try is None


def test_what_left_no_work_is_no_cross() -> None:
    """Zeros for Q: each cell says how many calculations were left; the score says how many did not count."""
    rows = write_key(SHEET)
    values = solve(SHEET.problem, replacements={"Q": ((0,) * 4,) * 3}).collect_hand_values()
    rows = write_answers(SHEET, values)
    checked = attnhand.check(rows, SHEET)
    later = [cell for cell in checked.marks.cells if cell.stage not in ("Q", "K", "V")]
    assert {cell.mark for cell in later} <= {Mark.FOLLOWS, Mark.CORRECT}
    unworked = sum(cell.note is Note.UNWORKED for cell in later)
    assert f"{unworked} without a calculation of their own" in checked.feedback.score
    notes = {cell["cell"]: cell["note"] for cell in checked.to_dict()["cells"]}
    assert notes["S[1,1]"] == "follows from your numbers, which left no calculation to do here"
    assert notes["scaled[4,4]"] == "follows from your numbers, which left one calculation to do here"
