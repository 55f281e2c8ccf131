"""What follows from a student's own line: gaps, sums of zero, decimals that stand for a range, zeros without work."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import floor

import pytest

from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import format_decimal, format_exact
from attnhand.attention.slips import SLIPS
from attnhand.attention.solution import solve_without_shortcuts
from attnhand.attention.spellings import read_number
from attnhand.formats.answers import Answers
from attnhand.marking.checked import check_answers
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import CellMark, Marks, Note, OtherWay
from attnhand.marking.match import lies_between
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.students import Student, WritingStyle

SHEET = make_sheet_from_request(Request(seed=7))


def find_stage(sheet: Sheet, name: str) -> Stage:
    """Return a stage by its name."""
    return sheet.problem.mechanism.get_stage(name)


def work_on(sheet: Sheet, stage_name: str, matrix: Matrix | None = None, slip: str = "") -> Student:
    """Return a student who writes this at a stage, or makes a slip there, and works everything else rightly."""
    student, stages = Student(sheet, WritingStyle.FRACTIONS), sheet.problem.mechanism.stages
    at = [stage.name for stage in stages].index(stage_name)
    student.work_stages(stages[:at])
    if slip:
        matrix = next(each for each in SLIPS if each.id == slip).compute_wrong(student.make_context(stages[at]))
    assert matrix is not None
    student.write_stage(stages[at], matrix)
    student.work_stages(stages[at + 1 :])
    return student


def mark(sheet: Sheet, student: Student, **changed: tuple[tuple[str, ...], ...]) -> Marks:
    """Mark what was written, some stages handed in otherwise."""
    return mark_answers(Answers(code=None, stages=student.texts | changed), sheet)


def list_cells(marks: Marks, stage: str) -> list[CellMark]:
    """Return the cells of a stage."""
    return [cell for cell in marks.cells if cell.stage == stage]


@pytest.mark.parametrize("missing", ["", "dog"], ids=["empty", "unreadable"])
@pytest.mark.parametrize("empty_stage", ["sums", "A", "powers"])
def test_a_gap_is_filled_from_the_students_own_line(empty_stage: str, missing: str) -> None:
    """Who halved upwards and left a stage out has worked on from their own numbers: all that follows counts."""
    student = work_on(SHEET, "scaled", slip="rounded-up")
    gap = tuple((missing,) * len(row) for row in student.texts[empty_stage])
    marks = mark(SHEET, student, **{empty_stage: gap})
    worth = {stage: {cell.mark for cell in list_cells(marks, stage)} for stage in ("powers", "sums", "A", "Z")}
    worth.pop(empty_stage)
    assert all(found <= {Mark.CORRECT, Mark.FOLLOWS} for found in worth.values()), worth
    assert {(each.stage, each.slips) for each in diagnose_stages(marks, SHEET)} == {("scaled", ("rounded-up",))}


def test_no_slip_is_named_where_what_it_was_worked_from_is_missing() -> None:
    """A is wrong, and nobody knows from which sums."""
    student = work_on(SHEET, "A", slip="other-axis")
    assert [each.stage for each in diagnose_stages(mark(SHEET, student), SHEET)] == ["A"]
    gap = tuple(("",) * len(row) for row in student.texts["sums"])
    assert diagnose_stages(mark(SHEET, student, sums=gap), SHEET) == ()


def test_a_sum_of_zero_costs_its_column_only() -> None:
    """Nobody can divide by it; the other columns follow."""
    sums = list(SHEET.solution["sums"].hand[0])
    powers = SHEET.solution["powers"].hand
    sums[1], sums[2] = 0, sums[2] + 1
    weights = tuple(
        tuple(Fraction(p) / Fraction(s) if s else Fraction(1) for p, s in zip(row, sums, strict=True)) for row in powers
    )
    student = work_on(SHEET, "sums", (tuple(sums),))
    texts = tuple(tuple(map(format_exact, row)) for row in weights)
    found = {column: set() for column in range(4)}  # type: dict[int, set[Mark]]
    for cell in list_cells(mark(SHEET, student, A=texts), "A"):
        found[cell.column].add(cell.mark)
    assert found == {0: {Mark.CORRECT}, 1: {Mark.WRONG}, 2: {Mark.FOLLOWS}, 3: {Mark.CORRECT}}


def test_one_sum_for_all_leaves_work() -> None:
    """Whoever adds all powers together still divides each of them."""
    marks = mark(SHEET, work_on(SHEET, "sums", slip="grand-total-sums"))
    assert {cell.mark for cell in list_cells(marks, "A")} == {Mark.FOLLOWS}
    total = sum(map(sum, SHEET.solution["powers"].hand)) + 1
    marks = mark(SHEET, work_on(SHEET, "sums", ((total,) * 4,)))  # no slip of the catalogue
    assert {cell.mark for cell in list_cells(marks, "A")} == {Mark.FOLLOWS}


def test_zeros_but_one_earn_what_is_left_to_do() -> None:
    """One number in a stage of zeros: its column follows, the rest is no work."""
    queries = [[0] * 4 for _ in range(3)]
    queries[1][0] = 9
    marks = mark(SHEET, work_on(SHEET, "Q", tuple(map(tuple, queries))))
    for stage in ("S", "scaled", "A", "Z"):
        followed = [cell.column for cell in list_cells(marks, stage) if is_worked(cell)]
        # one column of 1/n is worked once, and the mean of each row of V
        assert len([column for column in followed if column]) <= (3 if stage == "Z" else 1), stage
    assert marks.count(Mark.FOLLOWS) > 0
    assert sum(cell.note is Note.UNWORKED for cell in marks.cells) > marks.count(Mark.FOLLOWS)


def find_share_of_follows(marks: Marks, stages: str) -> float:
    """Return how much follows of what is not the key's at some stages."""
    cells = [cell for name in stages.split() for cell in list_cells(marks, name) if cell.mark is not Mark.CORRECT]
    return sum(map(is_worked, cells)) / len(cells)


def is_worked(cell: CellMark) -> bool:
    """Say whether a cell follows by work of its own."""
    return cell.mark is Mark.FOLLOWS and cell.note is not Note.UNWORKED


FILLINGS: dict[str, Callable[[int, int], int]] = {
    "zeros": lambda i, j: 0,
    "ones": lambda i, j: 1,
    "twos": lambda i, j: 2,
    "equal columns": lambda i, j: i + 1,
    "one of each": lambda i, j: int(i == j),
    "one number": lambda i, j: 9 * (i == j == 0),
}


@pytest.mark.parametrize("filling", FILLINGS)
def test_what_saves_work_earns_the_work_that_is_left(filling: str) -> None:
    """Q filled without work: one column counts once, its copies do not; nothing is crossed for it."""
    queries = tuple(tuple(FILLINGS[filling](i, j) for j in range(4)) for i in range(3))
    marks = mark(SHEET, work_on(SHEET, "Q", queries))
    later = find_share_of_follows(marks, "S scaled powers sums A Z")
    # of an identity the scores are copied from K, and all that comes of those is worked
    assert 0 < later <= {"zeros": 1 / 5, "one of each": 2 / 3}.get(filling, 1 / 3)
    assert all(cell.note is Note.UNWORKED for cell in list_cells(marks, "S")) or filling not in ("zeros", "one of each")
    assert all(cell.mark is not Mark.WRONG for cell in marks.cells if cell.stage != "Q")
    assert any(cell.note is Note.UNWORKED for cell in marks.cells)


@pytest.mark.parametrize("form", ["self", "cross", "multi-head-2", "block-1"])
@pytest.mark.parametrize("filling", ["zeros", "ones", "one number"])
def test_filling_in_earns_next_to_nothing(form: str, filling: str) -> None:
    """Everything that is projected is filled in, and worked on honestly: a column of it at most follows."""
    fill = FILLINGS[filling]
    for seed in range(1, 4):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[form]))
        student = Student(sheet, WritingStyle.FRACTIONS)
        for stage in sheet.problem.mechanism.stages:
            if stage.topic in ("Q", "K", "V"):
                rows = enumerate(sheet.solution[stage.name].hand)
                student.write_stage(stage, tuple(tuple(fill(i, j) for j in range(len(row))) for i, row in rows))
            else:
                student.work_stages((stage,))
        marks = mark(sheet, student)
        assert marks.count(Mark.FOLLOWS) <= len(marks.cells) / (4 if filling == "one number" else 8), seed


def test_whoever_scaled_all_scores_by_another_rule_has_worked() -> None:
    """Quarters of small scores are nearly all alike, but follow from the scores, and all else follows from them."""
    sheet = make_sheet_from_request(Request(seed=11, variant=FORMS["multi-head-2"]))
    quarters = tuple(tuple(floor(x / 4) for x in row) for row in sheet.solution["h1.S"].hand)
    marks = mark(sheet, work_on(sheet, "h1.scaled", quarters))
    assert not any(cell.note is Note.UNWORKED for cell in marks.cells)
    assert find_share_of_follows(marks, "h1.powers h1.sums h1.A h1.Z concat output") == 1
    one_score = tuple(tuple(9 * (i == j == 0) for j in range(3)) for i in range(3))
    marks = mark(sheet, work_on(sheet, "h1.scaled", one_score))
    assert any(cell.note is Note.UNWORKED for cell in marks.cells)


def test_whoever_wrote_something_else_everywhere_has_worked() -> None:
    """Numbers that no slip explains, as many different ones as in the key: all that follows counts."""
    queries = tuple(tuple(2 * value + 1 for value in row) for row in SHEET.solution["Q"].hand)
    marks = mark(SHEET, work_on(SHEET, "Q", queries))
    assert find_share_of_follows(marks, "S scaled powers sums A Z") == 1


def test_zero_for_every_negative_result_is_a_slip_with_a_name() -> None:
    """Values of which a row is negative all over: the zeros that come of it are honest."""
    sheet = make_sheet_from_request(Request(seed=1, variant=FORMS["block-1"]))
    student = work_on(sheet, "V", slip="negative-result-zero")
    marks = mark(sheet, student)
    assert {cell.mark for cell in marks.cells if cell.stage != "V"} <= {Mark.CORRECT, Mark.FOLLOWS}
    assert ("V", ("negative-result-zero",)) in {(each.stage, each.slips) for each in diagnose_stages(marks, sheet)}


def test_the_worked_cell_goes_on_as_it_is_printed_where_the_rest_is_empty() -> None:
    """V left out, its first cell is printed: whoever has other tokens goes on with that number, or with their own."""
    sheet = make_sheet_from_request(Request(seed=4, variant=FORMS["self-words"]))
    printed = sheet.worked_cell
    assert printed is not None
    name, row, column = printed
    stages = sheet.problem.mechanism.stages
    later = stages[[stage.name for stage in stages].index(name) + 1 :]
    for is_printed_taken in (False, True):
        student = work_on(sheet, "X", tuple(line[1:] + line[:1] for line in sheet.solution["X"].hand))
        own = student.make_context(find_stage(sheet, name)).compute_correct()
        key = sheet.solution[name].hand
        assert own[row][column] != key[row][column]
        if is_printed_taken:
            own = tuple(
                tuple(key[i][j] if (i, j) == (row, column) else value for j, value in enumerate(line))
                for i, line in enumerate(own)
            )
        student.known_values[name] = own
        student.work_stages(later)
        marks = mark_answers(Answers(code=None, stages={**student.texts, name: ()}), sheet)
        assert {cell.mark for cell in list_cells(marks, "Z")} <= {Mark.CORRECT, Mark.FOLLOWS}


def test_zeros_of_a_slip_with_a_name_are_honest() -> None:
    """3⁻ᵃ taken as 0 makes many zeros, and what follows from them counts."""
    marks = mark(SHEET, work_on(SHEET, "powers", slip="negative-power-zero"))
    assert not any(cell.note is Note.UNWORKED for cell in marks.cells)
    assert {cell.mark for cell in list_cells(marks, "Z")} <= {Mark.CORRECT, Mark.FOLLOWS}


def test_zeros_of_honest_work_are_no_shortcut() -> None:
    """A slip nobody knows makes everything negative before ReLU: its zeros follow, and so does what is read of them."""
    sheet = make_sheet_from_request(Request(seed=1, variant=FORMS["block-1"]))
    key = sheet.solution["F1"].hand
    assert sum(value > 0 for row in key for value in row) > 3
    layer = tuple(tuple(-1 - i - j for j in range(len(row))) for i, row in enumerate(key))
    marks = mark(sheet, work_on(sheet, "F1", layer))
    assert {value for row in marks.student_values["relu1"] for value in row} == {0}
    for stage in ("relu1", "F2", "relu2"):
        assert {cell.mark for cell in list_cells(marks, stage)} <= {Mark.CORRECT, Mark.FOLLOWS}, stage


def write_weights(decimals: int, change: str = "") -> tuple[tuple[str, ...], ...]:
    """Return the weights in decimals: rounded, cut off, or as percentages without their sign."""

    def write(value: Fraction) -> str:
        if change == "percent":
            return format_decimal(value * 100, decimals - 2)
        if change == "cut off":
            return f"{int(value * 10**decimals) / 10**decimals:.{decimals}f}"
        return format_decimal(value, decimals)

    return tuple(tuple(write(Fraction(value)) for value in row) for row in SHEET.solution["A"].hand)


@pytest.mark.parametrize(
    ("change", "note"), [("percent", Note.NO_PERCENT), ("cut off", Note.CUT_OFF), ("one digit", Note.TOO_FEW_DIGITS)]
)
def test_a_right_number_written_amiss_is_named_as_that(change: str, note: Note) -> None:
    """18.75 without its %, 0.18 for 0.1875, 0.2 for it: each has a name; what follows counts, and no slip is seen."""
    student = work_on(SHEET, "A", SHEET.solution["A"].hand)
    marks = mark(SHEET, student, A=write_weights({"percent": 4, "one digit": 1}.get(change, 2), change))
    counts = Counter((cell.mark, cell.note) for cell in list_cells(marks, "A"))
    assert set(counts) <= {(Mark.WRONG, note), (Mark.CORRECT, None)}
    assert counts[Mark.WRONG, note] >= 3
    assert {cell.mark for cell in list_cells(marks, "Z")} == {Mark.CORRECT}
    assert diagnose_stages(marks, SHEET) == ()


def test_what_follows_from_a_decimal_may_follow_from_all_that_it_stands_for() -> None:
    """34.86 is 34.855 to 34.865: from a sum that no slip explains, weights carried on or rounded are both right."""
    powers = SHEET.solution["powers"].hand
    exact = [Fraction(sum(column)) * Fraction(7, 5) for column in transpose(powers)]
    sums = (tuple(format_decimal(value, 2) for value in exact),)
    student = work_on(SHEET, "sums", (tuple(exact),))
    for divisors in (exact, [Fraction(text) for text in sums[0]]):
        weights = tuple(
            tuple(format_decimal(Fraction(p) / s, 4) for p, s in zip(row, divisors, strict=True)) for row in powers
        )
        marks = mark(SHEET, student, sums=sums, A=weights)
        assert {cell.mark for cell in list_cells(marks, "A")} == {Mark.FOLLOWS}
    beyond = tuple(
        tuple(format_decimal(Fraction(p) / (s + Fraction(1, 2)), 4) for p, s in zip(row, exact, strict=True))
        for row in powers
    )
    marks = mark(SHEET, student, sums=sums, A=beyond)
    assert Mark.WRONG in {cell.mark for cell in list_cells(marks, "A")}


def test_a_lone_percentage_is_none() -> None:
    """One of many wrong numbers is a hundred times the key: it is gone on with as it stands, as 18.75."""
    right = SHEET.solution["A"].hand
    weights = tuple(
        tuple(Fraction(value) * (2 if i or j else 100) for j, value in enumerate(row)) for i, row in enumerate(right)
    )
    texts = tuple(tuple(format_decimal(value, 6) for value in row) for row in weights)
    marks = mark(SHEET, work_on(SHEET, "A", weights), A=texts)
    assert not any(cell.note is Note.NO_PERCENT for cell in marks.cells)
    assert marks.student_values["A"][0][0] == Fraction(texts[0][0])


def test_a_whole_number_may_come_of_a_decimal() -> None:
    """0.33 that no slip explains was 1/3 on the calculator: 3 · 0.33 is 0.99 or 1, but not 2."""
    low, high = Fraction("0.975"), Fraction("1.005")
    for text, may_be in (("1", True), ("0.99", True), ("2", False), ("1/1", False)):
        reading = read_number(text)
        assert reading is not None
        assert lies_between(reading, low, high, 2) is may_be, text


@pytest.mark.parametrize("sign", ["×", "−", "-", "x"])
def test_signs_in_the_hidden_cells_of_a_mask_are_no_answer(sign: str) -> None:
    """They are left empty with a cross or a dash as often as filled with −∞."""
    sheet = make_sheet_from_request(Request(seed=1, variant=FORMS["self-causal"]))
    key = {solved.stage.name: solved.hand for solved in sheet.solution}
    texts = {name: tuple(tuple(map(format_exact, row)) for row in a) for name, a in key.items()}
    crossed = {
        name: tuple(tuple(sign if i > j else text for j, text in enumerate(row)) for i, row in enumerate(rows))
        for name, rows in texts.items()
        if name in ("masked", "powers", "A")
    }
    assert len(crossed) == 3
    marks = mark_answers(Answers(code=None, stages=texts | crossed), sheet)
    assert marks.count(Mark.WRONG) + marks.count(Mark.UNREADABLE) + marks.count(Mark.FOLLOWS) == 0
    assert marks.count(Mark.BLANK) == 6


def test_feedback_says_what_to_write_instead() -> None:
    """The next digit of a number that was cut off, the % that is missing, the pair of a product that went wrong."""
    student = work_on(SHEET, "A", SHEET.solution["A"].hand)
    for change, decimals, sentence in (
        ("cut off", 2, "0.09 is cut off. The next digit is 5, so it is rounded to 0.10."),
        ("percent", 4, "is right as a percentage. Write it with its %, or as a share: 0."),
    ):
        texts = {**student.texts, "A": write_weights(decimals, change)}
        assert sentence in " ".join(check_answers(Answers(code=None, stages=texts), SHEET).feedback.departures[0][1])
    key = SHEET.solution["Q"].hand  # Q[1,2] is 1·0 + 1·0 − 1·2
    changed = ((key[0][0], 0, *key[0][2:]), *key[1:])
    found = check_answers(Answers(code=None, stages=work_on(SHEET, "Q", changed).texts), SHEET).feedback.departures[0][
        1
    ]
    assert "The pair to look at is (−1) · 2." in found


def test_the_sheets_own_number_is_right_in_a_sheet_worked_exactly() -> None:
    """One score is scaled as the sheet says, all else with e and √d_k: each is right."""
    exact = solve_without_shortcuts(SHEET.problem)
    assert exact is not None
    texts = {
        solved.stage.name: tuple(tuple(format_decimal(value, 3) for value in row) for row in solved.hand)
        for solved in exact
    }
    own = format_exact(SHEET.solution["scaled"].hand[0][0])
    texts["scaled"] = ((own, *texts["scaled"][0][1:]), *texts["scaled"][1:])
    result = check_answers(Answers(code=None, stages=texts), SHEET)
    assert result.marks.other_way is OtherWay.EXACT
    assert {cell.mark for cell in result.marks.cells} == {Mark.CORRECT}
