"""Students who subtract the largest score, as computers do, where a sheet does not ask for it."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

import pytest

from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import format_exact
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.marks import Note, OtherWay
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose

Columns = list[list[Fraction]]
SEEDS = range(choose(40, 400))


def subtract_largest(columns: Sequence[Sequence[Fraction | int]]) -> Columns:
    """Return each number less the largest of its column."""
    return [[Fraction(x) - max(map(Fraction, column)) for x in column] for column in columns]


def hand_in(sheet: Sheet, exponents: Columns, **own: Columns) -> CheckResult:
    """Hand in a sheet whose powers are of these exponents, a column for each query, and what follows from them."""
    key = {solved.stage.name: list_columns(sheet, solved.stage.name) for solved in sheet.solution}
    powers = [[Fraction(3) ** int(x) for x in column] for column in exponents]
    weights = [[x / sum(column) for x in column] for column in powers]
    values = [list(row) for row in zip(*key.get("V", list_given(sheet, "X")), strict=True)]
    mixed = [
        [sum((v * a for v, a in zip(row, column, strict=True)), Fraction(0)) for row in values] for column in weights
    ]
    worked = {**key, **own, "powers": powers, "sums": [[sum(column, Fraction(0))] for column in powers]}
    rows = {name: zip(*columns, strict=True) for name, columns in {**worked, "A": weights, "Z": mixed}.items()}
    texts = {name: tuple(tuple(map(format_exact, row)) for row in matrix) for name, matrix in rows.items()}
    return check_answers(Answers(code=None, stages=texts), sheet)


def list_columns(sheet: Sheet, stage: str) -> Columns:
    """Return a stage of the key, query by query."""
    return [list(map(Fraction, column)) for column in zip(*sheet.solution[stage].hand, strict=True)]


def list_given(sheet: Sheet, name: str) -> Columns:
    """Return a given matrix, token by token."""
    return [list(map(Fraction, column)) for column in zip(*dict(sheet.problem.given)[name], strict=True)]


@pytest.mark.parametrize("is_written", [False, True], ids=["in the head", "on paper"])
def test_who_subtracts_the_largest_scaled_score_loses_nothing(is_written: bool) -> None:
    """Powers of another size and the same shares: every cell counts, and a kind word says why."""
    others = 0
    for seed in SEEDS:
        sheet = make_sheet_from_request(Request(seed=seed))
        shifted = subtract_largest(list_columns(sheet, "scaled"))
        checked = hand_in(sheet, shifted, **({"scaled": shifted} if is_written else {}))
        assert {cell.mark for cell in checked.marks.cells} == {Mark.CORRECT}, seed
        if shifted != list_columns(sheet, "scaled"):
            others += 1
            assert checked.marks.other_way is OtherWay.SHIFTED
            assert Note.SHIFTED in {cell.note for cell in checked.marks.cells if cell.stage == "powers"}
            assert "the shares are the same. That counts, and it costs nothing." in checked.feedback.remark
    assert others > 0.9 * len(SEEDS)  # few sheets have a largest score of 0 for every query


def test_who_subtracts_before_halving_is_told_so_where_the_shares_change() -> None:
    """⌊x/2⌋ of a difference is another number where the score and the largest are odd and even."""
    seen = 0
    for seed in SEEDS:
        sheet = make_sheet_from_request(Request(seed=seed))
        early = [[Fraction(floor(x / 2)) for x in column] for column in subtract_largest(list_columns(sheet, "S"))]
        checked = hand_in(sheet, early, scaled=early)
        changed = [
            column
            for column, (own, key) in enumerate(
                zip(early, subtract_largest(list_columns(sheet, "scaled")), strict=True), 1
            )
            if own != key
        ]
        slips = {slip for diagnosis in checked.marks.diagnoses for slip in diagnosis.slips}
        assert slips == ({"shifted-early"} if changed else set()), seed
        seen += bool(changed)
    assert seen > len(SEEDS) / 4


def test_another_number_subtracted_is_no_other_way_of_subtracting_the_largest() -> None:
    """Powers shifted by 1 give the same shares too, but nobody asked for that, and no rule makes it."""
    sheet = make_sheet_from_request(Request(seed=7))
    exponents = [[x + 1 for x in column] for column in list_columns(sheet, "scaled")]
    checked = hand_in(sheet, exponents)
    assert checked.marks.other_way is None
    assert {cell.mark for cell in checked.marks.cells if cell.stage == "powers"} == {Mark.WRONG}
    assert {cell.mark for cell in checked.marks.cells if cell.stage in ("A", "Z")} == {Mark.CORRECT}


@pytest.mark.parametrize("is_copied", [False, True], ids=["worked anew", "copied"])
def test_the_printed_cell_does_not_say_that_a_query_is_not_less_its_largest(is_copied: bool) -> None:
    """Basic attention has its worked cell among the scores that the largest is subtracted from."""
    others = 0
    for seed in SEEDS:
        sheet = make_sheet_from_request(Request(seed=seed, variant=Variant(mechanism="basic")))
        stage, key, query = sheet.worked_cell or ("", 0, 0)
        assert stage == "S"
        scores = list_columns(sheet, "S")
        shifted = subtract_largest(scores)
        written = [list(column) for column in shifted]
        if is_copied:
            written[query][key] = scores[query][key]
        checked = hand_in(sheet, shifted, S=written)
        assert {cell.mark for cell in checked.marks.cells} == {Mark.CORRECT}, seed
        others += checked.marks.other_way is OtherWay.SHIFTED
    assert others > 0.9 * len(SEEDS)


@pytest.mark.parametrize("stage", ["scaled", "powers"])
def test_a_query_that_is_partly_less_its_largest_is_wrong(stage: str) -> None:
    """A cell of the key among cells of the other way: it is right and they are wrong, for no scores give them all."""
    seen = 0
    for seed in SEEDS:
        sheet = make_sheet_from_request(Request(seed=seed))
        columns = list_columns(sheet, "scaled")
        for query, scores in enumerate(columns):
            if max(scores) == 0:  # there is nothing to subtract
                continue
            mixed = [scores[0], *(x - max(scores) for x in scores[1:])]
            numbers = mixed if stage == "scaled" else [Fraction(3) ** int(x) for x in mixed]
            texts = {
                each.stage.name: tuple(tuple(map(format_exact, row)) for row in each.hand) for each in sheet.solution
            }
            texts[stage] = tuple(
                tuple(format_exact(numbers[i]) if j == query else text for j, text in enumerate(row))
                for i, row in enumerate(texts[stage])
            )
            checked = check_answers(Answers(code=None, stages=texts), sheet)
            wrong = {(cell.stage, cell.row, cell.column) for cell in checked.marks.cells if cell.mark is Mark.WRONG}
            assert wrong == {(stage, row, query) for row in range(1, len(scores))}, (seed, query)
            seen += 1
    assert seen > len(SEEDS)
