"""New numbers after a slip: another sheet of the same kind, whose answers are worked here apart from the program."""

from itertools import islice

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import SAME_TOLERANCE
from attnhand.errors import AttnhandError
from attnhand.formats.web import describe_key
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.new_numbers import IN_A_ROW, choose_places, draw_exercises, draw_other_sheets
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.drawn_sheets import draw_sheets
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION
from tests.stage_oracle import Lines, to_lines, work_sheet


def check_exercises(sheet: Sheet) -> int:
    """Compare the answers on the next sheets with what plain loops give, at every stage; return how many there are.

    All of a stage are of one sheet, where it has cells enough.
    """
    count, worked = 0, dict[str, dict[str, Lines]]()
    for stage in filter(sheet.count_answer_cells, sheet.problem.mechanism.stages):
        exercises = [*islice(draw_exercises(sheet, stage.name), IN_A_ROW)]
        has_several = sheet.count_answer_cells(stage) >= IN_A_ROW
        for each in exercises:
            other = each.sheet
            assert other.problem.given != sheet.problem.given
            assert other.problem.sizes == sheet.problem.sizes
            assert other.problem.moved == sheet.problem.moved  # what a step of learning works is another formula else
            if other.code not in worked:
                worked[other.code] = work_sheet(other.problem, other.problem.hand_arithmetic)
            lines = to_lines(other.solution[stage.name].hand, is_rows=sheet.convention.is_rows)
            place = (each.column, each.row) if sheet.convention.is_rows else (each.row, each.column)
            assert each.sheet is exercises[0].sheet or not has_several
            expected, found = (a[place[0]][place[1]] for a in (worked[other.code][stage.name], lines))
            if expected is None or found is None:  # behind a mask
                assert expected is found
            else:
                assert expected == found or abs(expected - found) < SAME_TOLERANCE  # of logarithms forty digits
            count += 1
    return count


@pytest.mark.parametrize(("name", "convention"), FORMS_IN_ONE_CONVENTION)
def test_exercises_of_every_form_are_right(name: str, convention: Convention) -> None:
    """All stages, on numbers of the same sizes that are not the sheet's."""
    for seed in range(choose(1, 5)):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[name], convention=convention))
        assert check_exercises(sheet) >= 2 * len(sheet.problem.mechanism.stages)


def test_exercises_of_hundreds_of_seeds_are_right() -> None:
    """Of self-attention, a score of one sheet after the other."""
    sheet = attnhand.generate(11)
    others = [*islice(draw_other_sheets(sheet), choose(200, 600))]
    assert len({other.problem.given for other in others}) == len(others)
    for other in others:
        worked = work_sheet(other.problem, other.problem.hand_arithmetic)
        for stage in other.problem.mechanism.stages:
            for row, column in choose_places(other, stage):
                assert worked[stage.name][row][column] == other.solution[stage.name].hand[row][column]


def test_cells_are_those_in_which_the_slip_shows() -> None:
    """Rounding toward zero shows in odd scores below 0 alone: such are asked first, on every sheet that has three."""
    sheet, seen = attnhand.generate(7), 0
    for other in islice(draw_other_sheets(sheet), 50):
        scores = other.solution["S"].hand
        places = choose_places(other, other.problem.mechanism.get_stage("scaled"), ("truncated",))
        shown = [(i, j) for i, row in enumerate(scores) for j, x in enumerate(row) if x < 0 and x % 2]
        assert {*places[:IN_A_ROW]} <= {*shown} or len(shown) < IN_A_ROW
        seen += len(shown) >= IN_A_ROW
    assert seen > 10


def test_own_numbers_and_stories_are_followed_by_others_of_their_sizes() -> None:
    """A story draws few numbers, and somebody's own come from no seed."""
    story = attnhand.generate(3, story="soup")
    (other,) = islice(draw_other_sheets(story), 1)
    assert other.problem.sizes == story.problem.sizes
    assert other.problem.story is None
    own = attnhand.solve(
        X=[[1, 0, 2], [0, 1, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 1], [0, 1]], W_V=[[1, 0], [1, 1]], convention="columns"
    )
    (other,) = islice(draw_other_sheets(own), 1)
    assert other.problem.sizes == own.problem.sizes


def test_what_nobody_can_draw_has_no_exercises() -> None:
    """No seed gives a sheet of one feature."""
    own = attnhand.solve(X=[[1, 2]], W_Q=[[1]], W_K=[[2]], W_V=[[1]], convention="columns")
    with pytest.raises(AttnhandError):
        attnhand.generate(1, features=1)
    assert [*draw_exercises(own, "S")] == []


def test_what_is_printed_has_no_exercises() -> None:
    """Positions are printed on every sheet, and keys above 6 tokens, unless all queries are asked."""
    embedded = attnhand.generate(7, words=["a", "b", "a"], embed=True, positions=True)
    assert [*draw_exercises(embedded, "P")] == []
    assert [*draw_exercises(attnhand.generate(7, tokens=8), "K")] == []
    whole = attnhand.generate(7, tokens=8, only_queries=range(1, 9))
    assert len([*islice(draw_exercises(whole, "K"), IN_A_ROW)]) == IN_A_ROW


def test_what_only_a_file_says_has_a_page_all_the_same() -> None:
    """A mask or positions of one's own are drawn by no seed: such a page marks itself, and asks nothing more."""
    masked = attnhand.solve(
        X=[[1, 2, 0], [0, 1, 1]],
        W_Q=[[1, 0], [0, 1]],
        W_K=[[1, 1], [0, 1]],
        W_V=[[1, 0], [1, 1]],
        mask=[[1, 0, 1], [1, 1, 0], [1, 1, 1]],
        convention="columns",
    )
    (placed,) = islice(draw_sheets("self-given-positions", 1), 1)
    for sheet in (masked, make_sheet_from_problem(placed)):
        assert [*draw_exercises(sheet, "S")] == []
        assert describe_key(sheet)["more"] == []
