"""What students compute who make a mistake."""

from fractions import Fraction

import pytest

from attnhand.arithmetic import HAND, Arithmetic, Base, Rules, Scale
from attnhand.matrix import Matrix, transposed
from attnhand.mechanisms import MECHANISMS, Stage
from attnhand.problem import Problem
from attnhand.slips import SLIPS, VETTED_BY_RECIPE_1, slips_at
from attnhand.solution import solve
from tests.building import CHECKED, CLASSIC, one_line, problem_of

STAGES_OF_SLIPS = {
    "scores-transposed": "S",
    "not-scaled": "scaled",
    "truncated": "scaled",
    "rounded-up": "scaled",
    "times-not-power": "powers",
    "negative-power-negated": "powers",
    "negative-power-zero": "powers",
    "other-axis": "A",
    "weights-A-transposed": "Z",
}


def slipped(problem: Problem, slip_id: str) -> Matrix | None:
    """Return what the slip makes of its stage, from the right inputs."""
    return result(
        problem, slip_id, tuple(solve(problem).hand_values()[name] for name in stage_of(problem, slip_id).reads)
    )


def stage_of(problem: Problem, slip_id: str) -> Stage:
    """Return the stage at which the slip happens."""
    return problem.mechanism.stage(STAGES_OF_SLIPS[slip_id])


def result(problem: Problem, slip_id: str, inputs: tuple[Matrix, ...]) -> Matrix | None:
    """Return what the slip makes of these inputs."""
    stage = stage_of(problem, slip_id)
    slip = next(slip for slip in SLIPS if slip.id == slip_id)
    assert slip.distorts(stage)
    return slip.wrong(problem.hand, stage.operation, inputs)


CHECKED_SLIPS = {
    "scores-transposed": "-1 -1 1; 1 1 2; -3 -3 -3",
    "not-scaled": "-1 1 -3; -1 1 -3; 1 2 -3",
    "truncated": "0 0 -1; 0 0 -1; 0 1 -1",
    "rounded-up": "0 1 -1; 0 1 -1; 1 1 -1",
    "times-not-power": "-3 0 -6; -3 0 -6; 0 3 -6",
    "negative-power-negated": "-3 1 -9; -3 1 -9; 1 3 -9",
    "negative-power-zero": "0 1 0; 0 1 0; 1 3 0",
    "other-axis": "3/13 9/13 1/13; 3/13 9/13 1/13; 9/37 27/37 1/37",
    "weights-A-transposed": "32/15 32/15 56/15; 16/15 16/15 28/15",
}
"""What each slip makes of the checked sample, worked with a pencil."""


def test_every_slip_has_a_worked_example() -> None:
    """The table of slips and the worked examples name the same ids, each once."""
    assert [slip.id for slip in SLIPS] == list(CHECKED_SLIPS)


@pytest.mark.parametrize(("slip_id", "expected"), CHECKED_SLIPS.items())
def test_slips_on_the_checked_sample(slip_id: str, expected: str) -> None:
    """Each slip gives the numbers that were found with a pencil."""
    assert slipped(problem_of(CHECKED), slip_id) == one_line(expected)


@pytest.mark.parametrize("given", [CHECKED, CLASSIC], ids=["checked", "classic"])
@pytest.mark.parametrize("slip_id", CHECKED_SLIPS)
def test_slips_in_rows_are_those_in_columns_transposed(slip_id: str, given: dict[str, list[list[int]]]) -> None:
    """The same mistake in the other convention gives the transpose."""
    problem = problem_of(given)  # type: ignore[arg-type]
    in_columns = slipped(problem, slip_id)
    assert in_columns is not None
    assert slipped(problem.transposed(), slip_id) == transposed(in_columns)


def test_recipe_1_vets_these_slips_for_ever() -> None:
    """The list that decides what a seed gives is never extended, and each of its slips exists."""
    assert VETTED_BY_RECIPE_1 == (
        "scores-transposed",
        "not-scaled",
        "truncated",
        "rounded-up",
        "times-not-power",
        "negative-power-negated",
        "negative-power-zero",
        "other-axis",
        "weights-A-transposed",
    )
    assert set(VETTED_BY_RECIPE_1) <= {slip.id for slip in SLIPS}


def test_slips_happen_at_their_own_stage_only() -> None:
    """Each stage has its slips; projections and sums have none yet."""
    at = {stage.name: [slip.id for slip in slips_at(stage)] for stage in MECHANISMS["self"].stages}
    assert {name for name, ids in at.items() if not ids} == {"Q", "K", "V", "sums"}
    assert {slip_id: name for name, ids in at.items() for slip_id in ids} == STAGES_OF_SLIPS


def test_slips_can_be_picked_by_id() -> None:
    """Only slips among the given ids are returned."""
    stage = MECHANISMS["self"].stage("scaled")
    assert [slip.id for slip in slips_at(stage, ("rounded-up", "other-axis"))] == ["rounded-up"]
    assert slips_at(stage, ()) == ()


@pytest.mark.parametrize(
    ("slip_id", "inputs"),
    [
        ("scores-transposed", ("1 0; 0 1", "1 2; 2 1")),  # Kᵀ Q is symmetric
        ("scores-transposed", ("1 0; 0 1", "1 2 3; 3 2 1")),  # and here not square
        ("truncated", ("0 1 2; 3 4 5; 6 7 8",)),
        ("negative-power-negated", ("0 1; 2 0",)),
        ("negative-power-zero", ("0 1; 2 0",)),
        ("weights-A-transposed", ("1 2", "1/2 1/2; 1/2 1/2")),
        ("weights-A-transposed", ("1 2", "1/2 1/3 1; 1/2 2/3 0")),
        ("other-axis", ("1 -1; 1 1", "2 0")),  # a row that adds to 0 divides nothing
    ],
)
def test_a_slip_does_not_apply_where_nothing_shows_it(slip_id: str, inputs: tuple[str, ...]) -> None:
    """No negative score, a symmetric matrix, a shape that cannot be transposed, a sum of 0: no such mistake."""
    assert result(problem_of(CHECKED), slip_id, tuple(map(one_line, inputs))) is None


@pytest.mark.parametrize("scale", [Scale.NONE, Scale.SQRT, 3])
def test_rounding_slips_need_the_rounding_rule(scale: Scale | int) -> None:
    """Without halving and rounding down nobody cuts off or rounds up."""
    rules = Rules(scale=scale)
    for slip_id in ("truncated", "rounded-up"):
        assert result(problem_of(CHECKED, rules=rules), slip_id, (one_line("-3 1; 2 0"),)) is None
    unscaled = result(problem_of(CHECKED, rules=rules), "not-scaled", (one_line("-3 1; 2 0"),))
    assert unscaled == (None if scale is Scale.NONE else one_line("-3 1; 2 0"))


def test_rounding_slips_of_fractions() -> None:
    """Half of −5/2 cut off is −1, half of 5/2 rounded up is 2."""
    problem = problem_of(CHECKED)
    assert result(problem, "truncated", (one_line("-5/2 5/2"),)) == ((-1, 1),)
    assert result(problem, "rounded-up", (one_line("-5/2 5/2"),)) == ((-1, 2),)


@pytest.mark.parametrize(("base", "first"), [(Base.TWO, 2), (Base.TEN, 10)])
def test_times_not_power_takes_the_base_of_the_sheet(base: Base, first: int) -> None:
    """3·x becomes 2·x or 10·x where the sheet says so."""
    slip = next(slip for slip in SLIPS if slip.id == "times-not-power")
    stage = MECHANISMS["self"].stage("powers")
    arithmetic = Arithmetic(rules=Rules(base=base), d_k=2)
    assert slip.wrong(arithmetic, stage.operation, (one_line("1 -2"),)) == ((first, -2 * first),)


def test_other_axis_divides_by_the_sums_of_the_wrong_lines() -> None:
    """In columns it takes the sum of the row: 1, 3 over 4."""
    slip = next(slip for slip in SLIPS if slip.id == "other-axis")
    stage = MECHANISMS["self"].stage("A")
    wrong = slip.wrong(Arithmetic(rules=HAND, d_k=2), stage.operation, (one_line("1 3; 1 1"), one_line("2 4")))
    assert wrong == ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 2)))
