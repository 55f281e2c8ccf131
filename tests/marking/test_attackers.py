"""What an explained departure earns, and what made-up numbers do not: the bounds of a fair and wise marker."""

from fractions import Fraction

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Stage
from attnhand.marking.checked import CheckResult, list_unexplained_stages
from attnhand.problems.levels import Level
from tests.marking.attackers import Fill, check, fill_at_random, fill_with_one_a_column, find_share, make_up
from tests.marking.fair_class import Maker, Rows, Student, is_asked, list_columns, turn, work_sheet

SEEDS = range(1, 33)

ORDER = ("Q", "K", "V", "S", "scaled", "powers", "sums", "A", "Z")


# explained departures


def forget(at: int) -> Maker:
    """Return what leaves out one pair of every sum at a product."""

    def make(student: Student, _: Stage, column_stage: Stage, __: Rows) -> Rows:
        left, right = (student.in_columns(name) for name in column_stage.input_names)
        rows = turn(left) if column_stage.topic == "scores" else left
        pairs = [n for n in range(len(right)) if n != at % len(right)]
        wrong = [
            [sum((row[n] * right[n][j] for n in pairs), Fraction(0)) for j in range(len(right[0]))] for row in rows
        ]
        return turn(wrong) if student.is_rows else wrong

    return make


def take_mean(student: Student, _: Stage, column_stage: Stage, right: Rows) -> Rows:
    """Return the plain mean of the values for every token."""
    values = student.in_columns(column_stage.input_names[0])
    queries = len(right) if student.is_rows else len(right[0])
    wrong = [[sum(row, Fraction(0)) / len(row)] * queries for row in values]
    return turn(wrong) if student.is_rows else wrong


def make_mistake(form: str, seed: int, level: Level, topic: str, make: Maker, convention: Convention) -> CheckResult:
    """Mark who made a mistake wherever there is such a stage and worked on rightly."""
    sheet, columns = list_columns((form, convention, seed, level))
    student = Student(sheet=sheet, kind="one slip")
    stages = [stage for stage in sheet.problem.mechanism.stages if stage.topic == topic and is_asked(sheet, stage)]
    assert stages
    work_sheet(student, columns, {stage.name: ("", make) for stage in stages})
    return check(student)


def test_the_last_product_of_every_score_forgotten_costs_the_scores_alone() -> None:
    """Of 63 cells of a warm-up 57 count: all that comes of the scores follows."""
    result = make_mistake("self", 41, Level.WARM_UP, "scores", forget(-1), Convention.COLUMNS)
    assert (result.marks.score, len(result.marks.cells)) == (57, 63)
    assert [(each.stage, each.slips) for each in result.diagnoses] == [("S", ("last-product-forgotten",))]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    ("topic", "make"),
    [
        ("scores", forget(0)),
        ("scores", forget(-1)),
        ("outputs", forget(0)),
        ("outputs", forget(-1)),
        ("outputs", take_mean),
    ],
    ids=["first of S", "last of S", "first of Z", "last of Z", "mean"],
)
@pytest.mark.parametrize(
    ("form", "level"), [("self", Level.WARM_UP), ("block-1", Level.STANDARD), ("multi-head-2", Level.STANDARD)]
)
def test_what_honest_people_do_costs_its_own_cells_alone(
    form: str, level: Level, topic: str, make: Maker, convention: Convention
) -> None:
    """A pair forgotten at S or Z, the plain mean: nothing that comes of it is crossed, and all of it counts."""
    for seed in range(1, 7):
        marks = make_mistake(form, seed, level, topic, make, convention).marks
        stages = {stage.name for stage in list_columns((form, convention, seed, level))[1] if stage.topic == topic}
        assert all(cell.counts for cell in marks.cells if cell.stage not in stages), (form, seed)


# made-up numbers


def count_calculations(values: dict[str, Rows]) -> dict[str, int]:
    """Return how many different calculations each stage of self-attention asks: equal ones are worked once."""

    def pair(row: list[Fraction], column: list[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple((x, y) for x, y in zip(row, column, strict=True) if x and y)

    scores = {pair(k, q) for k in turn(values["K"]) for q in turn(values["Q"])} - {()}
    scaled, powers = ({x for row in values[name] for x in row} for name in ("S", "scaled"))
    sums = {tuple(column) for column in turn(values["powers"])}
    weights = {(x, total) for row in values["powers"] for x, total in zip(row, values["sums"][0], strict=True)}
    outputs = {pair(v, a) for v in values["V"] for a in turn(values["A"])} - {()}
    sets: tuple[set[object], ...] = ({*scores}, {*scaled}, {*powers}, {*sums}, {*weights}, {*outputs})
    return {name: len(each) for name, each in zip(ORDER[3:], sets, strict=True)}


@pytest.mark.parametrize(
    ("topics", "fill", "bound"),
    [
        (("scores",), fill_at_random, 0.48),
        (("scaled",), fill_at_random, 0.80),
        (("queries", "keys", "values"), fill_with_one_a_column, 1 / 3),
    ],
    ids=["S", "scaled", "Q K V"],
)
def test_made_up_numbers_earn_what_was_worked(topics: tuple[str, ...], fill: Fill, bound: float) -> None:
    """Stages filled with 0 and 1: what was worked before and after, and never more than a third of the rest."""
    for seed in SEEDS:
        student = make_up("self", seed, topics, fill)
        assert student is not None
        result, made_up = check(student), {stage for stage, _ in student.slips.items()}
        later = [name for name in ORDER if ORDER.index(name) > max(map(ORDER.index, made_up))]
        scores = result.marks.scores_by_stage
        sizes = {name: of for name, (_, of) in scores.items()}
        calculations = count_calculations(student.values)
        worked = sum(int(scores[name][0]) for name in ORDER if name not in later)
        worked += sum(calculations[name] for name in later)
        rest = sum(sizes.values()) - worked
        assert 3 * result.marks.score <= 3 * worked + rest, seed
        assert find_share(result) <= bound, seed
        # nothing is crossed for leaving little to do, and the teacher is told of all of it
        assert all(cell.mark.value != "wrong" for cell in result.marks.cells if cell.stage in later), seed
        assert list_unexplained_stages(result), seed
        assert result.teacher_notes, seed
