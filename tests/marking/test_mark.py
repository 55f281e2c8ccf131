"""A marker that follows the student: right, following, wrong, blank, unreadable."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isfinite

import pytest

from attnhand.attention.arithmetic import EXACT, HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.numbers import DECIMAL_CONTEXT, MINUS_INFINITY, Number, format_decimal, format_exact, to_float
from attnhand.attention.solution import solve
from attnhand.attention.spellings import Reading, read_number
from attnhand.errors import ProblemError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import check_answers
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import Marks, Note
from attnhand.marking.match import Digits, Match, match_answer
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import format_json
from tests.breadth import pair_up
from tests.building import PENCIL_SAMPLE, make_problem
from tests.forms import FORMS, SOME_FORMS
from tests.marking.handing_in import write_key

Spelling = Callable[[Number], str]


def make_answers(values: Mapping[str, Matrix], spelling: Spelling = format_exact) -> Answers:
    """Return answers with these values."""
    return Answers(
        code=None, stages={name: tuple(tuple(map(spelling, row)) for row in a) for name, a in values.items()}
    )


def list_key_values(sheet: Sheet) -> dict[str, Matrix]:
    """Return the key's values of every stage that is asked."""
    stages = sheet.problem.mechanism.stages
    asked = [stage.name for stage in stages if sheet.has_own_panel(stage) and not sheet.is_printed(stage)]
    return {name: sheet.solution[name].hand for name in asked}


def count_marks(marks: Marks) -> dict[str, int]:
    """Return how many cells have each mark."""
    return {mark.value: marks.count(mark) for mark in Mark if marks.count(mark)}


def write_mixed(value: Number) -> str:
    """Write 3/2 as 1 1/2, with a true minus."""
    if not isinstance(value, Fraction) or abs(value) < 1:
        return format_exact(value).replace("-", "−")
    whole, part = divmod(abs(value), 1)
    return f"{'−' if value < 0 else ''}{whole} {part}"


def is_whole(value: Number) -> bool:
    """Say whether no fraction is to be written: an integer, or −∞ of a masked score."""
    return not isfinite(value) or value == int(value)


SPELLINGS: dict[str, Spelling] = {
    "fractions": format_exact,
    "mixed": write_mixed,
    "decimals": lambda value: format_exact(value) if is_whole(value) else format_decimal(value, 2),
    "commas": lambda value: format_exact(value) if is_whole(value) else format_decimal(value, 4).replace(".", ","),
    "three times over": lambda value: (
        f"{Fraction(value).numerator * 3}/{Fraction(value).denominator * 3}" if isfinite(value) else format_exact(value)
    ),
}


@pytest.mark.parametrize(
    ("name", "convention", "spelling"),
    pair_up([*FORMS], [*Convention], [*SPELLINGS]),
)
def test_a_perfect_sheet_is_all_correct(name: str, convention: Convention, spelling: str) -> None:
    """In every spelling that is accepted; nothing is said of rounding where the key itself is met."""
    sheet = make_sheet_from_request(Request(seed=3, variant=FORMS[name], convention=convention))
    marks = mark_answers(make_answers(list_key_values(sheet), SPELLINGS[spelling]), sheet)
    assert count_marks(marks) == {"correct": sheet.answer_cell_count}
    assert marks.is_all_correct
    assert marks.first_departure is None


def test_a_masked_score_is_minus_infinity() -> None:
    """Written −∞ or -inf; 0 is wrong there."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS["self-causal"]))
    key = list_key_values(sheet)
    signs = make_answers(key, lambda value: format_exact(value).replace("-inf", "−∞"))
    assert mark_answers(make_answers(key), sheet).is_all_correct
    assert mark_answers(signs, sheet).is_all_correct
    zeros = make_answers(key, lambda value: format_exact(value).replace("-inf", "0"))
    assert {cell.stage for cell in mark_answers(zeros, sheet).cells if cell.mark is Mark.WRONG} == {"masked"}


def test_nothing_handed_in_is_all_blank() -> None:
    """No cell is wrong that nobody filled."""
    sheet = make_sheet_from_request(Request(seed=7))
    assert count_marks(mark_answers(Answers(code=None), sheet)) == {"blank": sheet.answer_cell_count}


@pytest.mark.parametrize("name", SOME_FORMS)
def test_one_wrong_cell_is_the_only_one_marked_wrong(name: str) -> None:
    """All later cells, worked from it as they should be, follow or are correct; none before it changes."""
    sheet = make_sheet_from_request(Request(seed=3, variant=FORMS[name]))
    stages = list(list_key_values(sheet))
    tried = 0
    for stage in stages:
        right = sheet.solution[stage].hand
        if right[0][-1] == MINUS_INFINITY:
            continue
        changed = ((*right[0][:-1], right[0][-1] + 1), *right[1:])
        try:
            carried = solve(sheet.problem, replacements={stage: changed}).collect_hand_values()
        except (ArithmeticError, ProblemError):  # nothing can be worked from it
            continue
        tried += 1
        marks = mark_answers(make_answers({each: carried[each] for each in stages}), sheet)
        wrong = [cell for cell in marks.cells if cell.mark is Mark.WRONG and cell.note is not Note.UNWORKED]
        assert [cell.address for cell in wrong] == [f"{stage}[1,{len(right[0])}]"]
        assert marks.first_departure == wrong[0]
        before = stages[: stages.index(stage)]
        assert all(cell.mark is Mark.CORRECT for cell in marks.cells if cell.stage in before)
    assert tried >= len(stages) - 1


def test_the_lesson_of_marking() -> None:
    """The checked sample with 0 for ⌊−1/2⌋: one cell wrong, its column follows, and all else is correct."""
    sheet = make_sheet_from_problem(make_problem(PENCIL_SAMPLE))
    right = sheet.solution["scaled"].hand
    assert right[0] == (-1, 0, -2)
    slipped = ((0, *right[0][1:]), *right[1:])
    carried = solve(sheet.problem, replacements={"scaled": slipped}).collect_hand_values()
    marks = mark_answers(make_answers({name: carried[name] for name in list_key_values(sheet)}), sheet)
    (wrong,) = [cell for cell in marks.cells if cell.mark is Mark.WRONG]
    assert (wrong.address, wrong.answer, wrong.key, wrong.from_yours) == ("scaled[1,1]", "0", -1, None)
    follows = {cell.address for cell in marks.cells if cell.mark is Mark.FOLLOWS}
    column = {"powers[1,1]", "sums[1,1]", "A[1,1]", "A[2,1]", "A[3,1]", "Z[1,1]", "Z[2,1]"}
    assert follows == column
    power = next(cell for cell in marks.cells if cell.address == "powers[1,1]")
    assert (power.key, power.from_yours) == (Fraction(1, 3), 1)


def test_rounded_weights_carried_on_are_correct() -> None:
    """Z from weights of two decimals is right, and noted; from a wrong weight it follows."""
    sheet = make_sheet_from_request(Request(seed=7))
    key = list_key_values(sheet)
    weights = tuple(tuple(Fraction(format_decimal(value, 2)) for value in row) for row in key["A"])
    carried = solve(sheet.problem, replacements={"A": weights}).collect_hand_values()["Z"]
    marks = mark_answers(make_answers({**key, "A": weights, "Z": carried}, SPELLINGS["decimals"]), sheet)
    assert marks.is_all_correct
    assert {cell.note for cell in marks.cells if cell.stage == "Z"} <= {None, Note.ROUNDED}
    assert any(cell.note is Note.ROUNDED for cell in marks.cells)


def test_too_few_digits_are_wrong_and_say_so() -> None:
    """0.2 for 3/16 is right but for its digits; 1/2 as 0.5 is the key itself."""
    assert match_answer(Reading(Fraction(1, 5), 1), Fraction(3, 16), 2) is Match.TOO_FEW_DIGITS
    assert match_answer(Reading(Fraction(1, 5), 2), Fraction(9, 46), 2) is Match.RIGHT
    assert match_answer(Reading(Fraction(19, 100), 2), Fraction(9, 46), 2) is Match.NONE
    assert match_answer(Reading(Fraction(1, 2), 1), Fraction(1, 2), 2) is Match.RIGHT
    for tie in ("0.12", "0.13"):  # either rounding of 1/8
        assert match_answer(Reading(Fraction(tie), 2), Fraction(1, 8), 2) is Match.RIGHT


def test_zeros_that_a_spreadsheet_leaves_out_are_not_missed() -> None:
    """0.10 becomes 0.1, and 2.00 becomes 2: the key, rounded as asked. A 0 for 0.004 may be meant as none."""
    for text, key in {"0.1": "0.098", "0.2": "9/46", "2": "1.998", "-0.5": "-0.496", "0.1 ": "0.105"}.items():
        assert match_answer(_read(text), Fraction(key), 2) is Match.RIGHT, text
        assert match_answer(_read(text), Fraction(key), 2, Digits.AT_MOST) is Match.RIGHT, text
    for text, key in {"0.1": "0.094", "0.2": "0.21", "1": "0.994", "0.19": "0.1849"}.items():
        assert match_answer(_read(text), Fraction(key), 2) is not Match.RIGHT, text
    assert match_answer(_read("0"), Fraction("0.004"), 2) is Match.NONE
    assert match_answer(_read("0.1"), Fraction("0.098"), 3) is Match.TOO_FEW_DIGITS


def _read(text: str) -> Reading:
    reading = read_number(text)
    assert reading is not None
    return reading


@pytest.mark.parametrize("change", ["none", "a point", "no evidence"])
def test_commas_are_decimal_where_they_are_throughout(change: str) -> None:
    """1,333 is one and a third on a sheet of decimal commas; with a point anywhere, or alone, it has two readings."""
    sheet = make_sheet_from_request(Request(seed=7))

    def spell(value: Number) -> str:
        whole = isinstance(value, int) or (change == "no evidence" and not 1 <= abs(to_float(value)) < 1000)
        return format_exact(value) if whole else f"{to_float(value):.3f}".replace(".", ",")

    rows = write_key(sheet, spell)
    texts = [text for a in rows.values() for row in a for text in row]
    doubtful = {text for text in texts if len(text.lstrip("-").partition(",")[2]) == 3 and text.lstrip("-")[0] != "0"}
    assert len(doubtful) > 1
    if change == "a point":
        rows["A"][0][0] = rows["A"][0][0].replace(",", ".")
    marks = check_answers(
        Answers(code=None, stages={name: tuple(map(tuple, a)) for name, a in rows.items()}), sheet
    ).marks
    unreadable = {cell.answer for cell in marks.cells if cell.mark is Mark.UNREADABLE}
    assert unreadable == (set() if change == "none" else doubtful)
    assert marks.is_all_correct is (change == "none")


SHAPES: dict[str, Callable[[Matrix], Matrix]] = {
    "1 × 1": lambda a: ((a[0][0],),),
    "one row": lambda a: a[:1],
    "ragged": lambda a: (a[0][:-1], *a[1:]),
    "one row more": lambda a: (*a, a[0]),
    "one column more": lambda a: tuple((*row, row[0]) for row in a),
    "turned": transpose,
}


def test_a_huge_number_is_right_by_two_digits() -> None:
    """e⁴⁶ is 94,961,194,206,024,488,745.1…; what no cell holds is written 9.5·10¹⁹."""
    with localcontext(DECIMAL_CONTEXT):
        key = Decimal(46).exp()
    spellings = ("9.5·10¹⁹", "9,5e19", "9.50 x 10^19", "94961194206024488745", "9.4·10¹⁹", "9·10¹⁹", "9.5·10¹⁸", "1/3")
    matches = [match_answer(reading, key, 2) for text in spellings if (reading := read_number(text)) is not None]
    assert matches == [Match.RIGHT] * 4 + [Match.NONE] * 4
    printed: list[tuple[Number, str]] = [
        (Decimal("1234567.8"), "1.2·10⁶"),
        (Decimal("999999.4"), "1.0·10⁶"),
        (3**50, "7.2·10²³"),
    ]
    readings = [(other, reading) for other, text in printed if (reading := read_number(text)) is not None]
    assert [match_answer(reading, other, 2) for other, reading in readings] == [
        Match.RIGHT,
        Match.NONE,
        Match.RIGHT,
    ]
    for value, match in ((95 * 10**18, Match.RIGHT), (94 * 10**18, Match.NONE)):
        assert match_answer(Reading(value, -18), key, 2, Digits.AT_LEAST) is match


@pytest.mark.parametrize("text", ["9e999", "-7e-999", "1·10²⁰"])
@pytest.mark.parametrize("rules", [HAND, EXACT], ids=["hand", "exact"])
def test_numbers_that_no_float_holds_are_marked(rules: Rules, text: str) -> None:
    """Whatever follows from them: every cell has a mark, and the whole can be printed."""
    sheet = make_sheet_from_request(Request(seed=1, variant=FORMS["block-1"], rules=rules))
    stages = {name: tuple((text,) * len(row) for row in a) for name, a in list_key_values(sheet).items()}
    result = check_answers(Answers(code=None, stages=stages), sheet)
    assert {cell.mark for cell in result.marks.cells} <= {Mark.WRONG, Mark.FOLLOWS, Mark.CORRECT}
    assert result.marks.count(Mark.WRONG) > 0
    assert text in format_json(result.to_dict())


@pytest.mark.parametrize("shape", SHAPES)
def test_a_wrong_shape_gains_no_mark(shape: str) -> None:
    """Every cell of the key is marked, and each of them is wrong."""
    sheet = make_sheet_from_request(Request(seed=7))
    key = list_key_values(sheet)
    marks = mark_answers(make_answers({**key, "Q": SHAPES[shape](key["Q"])}), sheet)
    assert [(cell.mark, cell.note) for cell in marks.cells if cell.stage == "Q"] == [(Mark.WRONG, Note.SHAPE)] * 12
    assert all(cell.mark is Mark.CORRECT for cell in marks.cells if cell.stage != "Q")


@pytest.mark.parametrize("name", ["self", "cross", "multi-head-2"])
def test_no_shape_gains_a_mark_that_is_not_earned(name: str) -> None:
    """At any stage: what is correct is the key's number in its place, in the shape of the key."""
    sheet = make_sheet_from_request(Request(seed=4, variant=FORMS[name]))
    key = list_key_values(sheet)
    for stage, right in key.items():
        for wrong in SHAPES.values():
            texts = make_answers({stage: wrong(right)}).stages[stage]
            marks = mark_answers(replace(make_answers(key), stages={**make_answers(key).stages, stage: texts}), sheet)
            cells = [cell for cell in marks.cells if cell.stage == stage]
            has_shape = [len(row) for row in texts] == [len(row) for row in right]
            earned = {
                (i, j)
                for i, row in enumerate(right)
                for j, value in enumerate(row)
                if has_shape and texts[i][j] == format_exact(value)
            }
            assert {(cell.row, cell.column) for cell in cells if cell.mark is Mark.CORRECT} == earned
            assert len(cells) == len(right) * len(right[0])


def test_an_empty_table_of_another_shape_is_blank() -> None:
    """Nothing was handed in, whatever the table's size."""
    sheet = make_sheet_from_request(Request(seed=7))
    marks = mark_answers(Answers(code=None, stages={"Q": (("", " "),)}), sheet)
    assert count_marks(marks) == {"blank": sheet.answer_cell_count}
    assert marks.misshapen_answers == {}


@pytest.mark.parametrize("name", ["self", "self-causal", "block-1"])
def test_a_perfect_sheet_without_shortcuts_is_all_correct(name: str) -> None:
    """Irrational numbers have two decimals; a weight of 1 is written 1, a score of 0 is written 0."""
    sheet = make_sheet_from_request(Request(seed=1, variant=FORMS[name], rules=EXACT))
    whole = []

    def spelling(value: Number) -> str:
        if value == MINUS_INFINITY:
            return format_exact(value)
        if abs(to_float(value) - round(to_float(value))) > 1e-9:
            return format_decimal(value, 2)
        whole.append(value)
        return str(round(to_float(value)))

    assert mark_answers(make_answers(list_key_values(sheet), spelling), sheet).is_all_correct
    assert any(isinstance(value, Decimal) for value in whole)


def test_minus_infinity_goes_nowhere_but_from_a_mask() -> None:
    """Written for a query it is wrong, and the scores are worked from the key."""
    sheet = make_sheet_from_request(Request(seed=7))
    answers = make_answers(list_key_values(sheet))
    queries = (("-inf", *answers.stages["Q"][0][1:]), *answers.stages["Q"][1:])
    marks = mark_answers(replace(answers, stages={**answers.stages, "Q": queries}), sheet)
    assert count_marks(marks) == {"correct": sheet.answer_cell_count - 1, "wrong": 1}
    assert marks.student_values["Q"] == sheet.solution["Q"].hand


def test_an_unreadable_cell_is_never_right() -> None:
    """It is marked as such, with what cannot be read, and what comes after it is worked from the key."""
    sheet = make_sheet_from_request(Request(seed=7))
    answers = make_answers(list_key_values(sheet))
    rows = [list(row) for row in answers.stages["Q"]]
    rows[0][0] = "1,234"
    marks = mark_answers(replace(answers, stages={**answers.stages, "Q": tuple(map(tuple, rows))}), sheet)
    assert count_marks(marks) == {"correct": sheet.answer_cell_count - 1, "unreadable": 1}
    assert marks.first_departure is not None
    assert marks.first_departure.unreadable_reason == "is '1,234', which has two readings: write 1.234 or 1234"


def test_a_trivial_answer_earns_the_work_it_leaves() -> None:
    """All zeros for Q make all scores 0: what follows from that is no work, and is flagged."""
    sheet = make_sheet_from_request(Request(seed=7))
    key = list_key_values(sheet)
    zeros = tuple((0,) * 4 for _ in range(3))
    carried = solve(sheet.problem, replacements={"Q": zeros}).collect_hand_values()
    marks = mark_answers(make_answers({name: carried[name] for name in key}), sheet)
    scores = [cell for cell in marks.cells if cell.stage == "S"]
    assert {(cell.mark, cell.note) for cell in scores} == {(Mark.FOLLOWS, Note.UNWORKED)}
    # one half of 0, one 3⁰, one sum of four ones, one fourth, and the mean of each row of V
    counted = {name: sum(cell.counts for cell in marks.cells if cell.stage == name) for name in key}
    assert {name: counted[name] for name in ("S", "scaled", "powers", "sums", "A", "Z")} == {
        "S": 0, "scaled": 1, "powers": 1, "sums": 1, "A": 1, "Z": 3
    }  # fmt: skip


def test_the_sign_of_what_is_not_asked_is_an_empty_cell() -> None:
    """With blanks around it too."""
    sheet = make_sheet_from_request(Request(seed=7))
    texts = ((" -", "2", "1", "0"), *make_answers(list_key_values(sheet)).stages["Q"][1:])
    marks = mark_answers(Answers(code=None, stages={"Q": texts}), sheet)
    assert marks.count(Mark.UNREADABLE) == 0
    assert marks.cells[0].mark is Mark.BLANK


def test_only_what_is_asked_is_marked() -> None:
    """Two queries: their columns alone, and what is printed counts for nothing."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(only_queries=(1, 3)))
    marks = mark_answers(make_answers(list_key_values(sheet)), sheet)
    assert count_marks(marks) == {"correct": sheet.answer_cell_count}
    assert {cell.column for cell in marks.cells} == {0, 2}


def test_the_cell_that_is_printed_need_not_be_handed_in() -> None:
    """The worked cell, K[3,2], is no field of a form: left empty it is right, written wrongly it is wrong."""
    sheet = make_sheet_from_request(Request(seed=7))
    answers = make_answers(list_key_values(sheet))
    for text, mark in (("", Mark.CORRECT), ("17", Mark.WRONG)):
        *others, last = answers.stages["K"]
        keys = (*others, (last[0], text, *last[2:]))
        marks = mark_answers(replace(answers, stages={**answers.stages, "K": keys}), sheet)
        assert next(cell.mark for cell in marks.cells if cell.address == "K[3,2]") is mark
