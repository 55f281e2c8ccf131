"""The cell that is worked as an example: one whose products show something, the same wherever the sheet is drawn."""

from dataclasses import replace

import pytest

from attnhand.attention.convention import Convention
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS


def list_counts(sheet: Sheet) -> dict[tuple[int, int], int]:
    """Return how many products of every key's number are not 0, key after key, read off W_K and the tokens."""
    W_K, X = sheet.problem["W_K"], sheet.problem["M" if "M" in dict(sheet.problem.given) else "X"]
    if sheet.convention is Convention.ROWS:
        columns = list(zip(*W_K, strict=True))
        return {
            (t, r): sum(x * w != 0 for x, w in zip(token, column, strict=True))
            for t, token in enumerate(X)
            for r, column in enumerate(columns)
        }
    return {
        (r, t): sum(w * x != 0 for w, x in zip(row, token, strict=True))
        for t, token in enumerate(zip(*X, strict=True))
        for r, row in enumerate(W_K)
    }


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", ["self", "self-causal", "cross"])
def test_two_products_of_it_are_not_zero(form: str, convention: Convention) -> None:
    """It is the first such cell, token by token; seldom the first cell of all."""
    seen = set()
    for seed in range(12):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[form], convention=convention))
        counts = list_counts(sheet)
        place = next(place for place, count in counts.items() if count > 1)
        assert sheet.worked_cell == ("K", *place)
        assert sheet.blank.worked_cell == sheet.key.worked_cell
        seen.add(place)
    assert len(seen) > 3


def test_both_conventions_work_the_same_cell() -> None:
    """Rows and columns change places, and nothing else."""
    for seed in range(6):
        columns, rows = (
            make_sheet_from_request(Request(seed=seed, convention=each)).worked_cell for each in Convention
        )
        assert columns and rows and columns == (rows[0], rows[2], rows[1])


def test_where_no_cell_has_two_it_is_the_one_with_most() -> None:
    """Of the weights each reads one feature: the first cell whose one product is not 0; where all are 0 the first."""
    sheet = make_sheet_from_request(Request(seed=7))
    X = tuple((0, 1, 1, 1) if at == 2 else (1, 2, 3, 4) for at in range(6))
    for W_K, place in ((((0, 0, 1, 0, 0, 0),) * 3, (0, 1)), (((0,) * 6,) * 3, (0, 0))):
        given = tuple((name, {"X": X, "W_K": W_K}.get(name, a)) for name, a in sheet.problem.given)
        problem = replace(sheet.problem, given=given)
        other = replace(sheet, solution=replace(sheet.solution, problem=problem))
        assert other.worked_cell == ("K", *place)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", ["basic", "next-token", "self-begun"])
def test_it_does_not_give_away_what_is_guessed(form: str, convention: Convention) -> None:
    """The largest score or logit of a query is not printed: which it is the student says before."""
    for seed in range(40):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[form], convention=convention))
        assert sheet.worked_cell
        name, row, column = sheet.worked_cell
        assert name in ("S", "logits")
        scores = sheet.solution[name].hand
        of_query = scores[row] if convention is Convention.ROWS else [each[column] for each in scores]
        assert scores[row][column] < max(of_query), seed


@pytest.mark.parametrize("level", [None, Level.FIRST])
def test_it_is_asked_and_known(level: Level | None) -> None:
    """Of a cut sheet too: among the asked queries, from a later stage, in heads; of a sheet that fades it is solved."""
    level = level or Level.STANDARD
    pages = [PageOptions(), PageOptions(from_stage="S")]
    if level is Level.STANDARD:
        pages += [PageOptions(only_queries=(2, 3)), PageOptions(blank_stages=("Z",)), PageOptions(fade=True)]
    for page in pages:
        for seed in range(4):
            sheet = make_sheet_from_request(Request(seed=seed, level=level), page)
            assert sheet.worked_cell
            name, row, column = sheet.worked_cell
            stage = sheet.problem.mechanism.get_stage(name)
            assert ((row, column) in sheet.list_asked_cells(stage)) is not page.fade


def test_a_sheet_with_a_mistake_works_none() -> None:
    """Everything is printed there; an example would be right, and so tell where the mistake is not."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(mistake="any"))
    assert sheet.worked_cell is sheet.blank.worked_cell is None
