"""The find-the-mistake sheet: one slip put into a solved problem, and every later stage worked from it, rightly."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from attnhand.attention.matrix import Matrix, flatten, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.slips import PLANTED_BY_RECIPE_1, SLIPS, Slip, StageContext, find_slips
from attnhand.attention.solution import Solution, solve
from attnhand.errors import AttnhandError, ProblemError
from attnhand.problems.random_stream import RandomStream
from attnhand.system.did_you_mean import find_nearest_name

ANY_SLIP = "any"
"""Instead of the id of a slip: one that shows well is drawn."""

STAGE_SIGN = "@"
"""Between a slip and the stage where it is planted."""

MIN_CHANGED_CELLS = 2
"""A slip that is drawn changes so many cells at its stage or more."""

MAX_DENOMINATOR = 999
"""A slip that is drawn leads to no fraction that is harder to read."""

AskedPartFinder = Callable[[Stage], tuple[Sequence[int], Sequence[int]]]
"""The rows and columns of a stage that the sheet shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedMistake:
    """A mistake put into a solved problem on purpose."""

    slip_id: str
    stage_name: str
    """Where it was made."""

    solution: Solution
    """By hand with the mistake carried on; exactly as it should be."""

    def __str__(self) -> str:
        """Return what plants the same one again: ``truncated@scaled``."""
        return format_mistake(self.slip_id, self.stage_name)


def format_mistake(slip_id: str, stage_name: str) -> str:
    """Return what a mistake is called: ``truncated@scaled``."""
    return f"{slip_id}{STAGE_SIGN}{stage_name}"


def parse_mistake(text: str) -> tuple[str, str]:
    """Return the slip that is asked for, and its stage; that is empty where it is the first that shows the slip.

    >>> parse_mistake("other-weights@K"), parse_mistake("truncated")
    (('other-weights', 'K'), ('truncated', ''))
    """
    slip, _, stage = text.partition(STAGE_SIGN)
    return slip.strip(), stage.strip()


def plant_mistake(
    solution: Solution,
    slip_id: str,
    sheet_code: str,
    find_asked_rows_and_columns: AskedPartFinder,
    stage_names: Sequence[str] = (),
) -> PlantedMistake:
    """Plant a slip, for ever the same one for the same code.

    Args:
        slip_id: id of a slip, or ``any``.
        sheet_code: what the slip is drawn from where any will do.
        find_asked_rows_and_columns: what the sheet shows; a slip that shows nowhere there is not planted.
        stage_names: where it may be planted; anywhere if none are given.

    Raises:
        AttnhandError: there is no such slip, or it cannot be made in this sheet.
    """
    if slip_id != ANY_SLIP and slip_id not in (known := [slip.id for slip in SLIPS]):
        meant = find_nearest_name(slip_id, known)
        otherwise = "leave the name out to have one drawn; attnhand/marking/README.md lists them all"
        advice = f"did you mean {meant}?" if meant else otherwise
        raise AttnhandError(f"the slip {slip_id!r} is unknown: {advice}")
    problem, values = solution.problem, solution.collect_hand_values()
    for cells in (MIN_CHANGED_CELLS,) if slip_id == ANY_SLIP else (MIN_CHANGED_CELLS, 1):
        for stage, slip in _list_candidates(solution, slip_id, sheet_code):
            if stage_names and stage.name not in stage_names:
                continue
            wrong = slip.compute_wrong(StageContext(problem.mechanism, stage, problem.hand_arithmetic, values))
            asked = find_asked_rows_and_columns(stage)
            if wrong is None or count_changed_cells(solution[stage.name].hand, wrong, asked) < cells:
                continue
            carried = _solve_with_mistake(solution, stage, wrong)
            if carried is not None and (slip_id != ANY_SLIP or _is_readable(carried)):
                return PlantedMistake(slip_id=slip.id, stage_name=stage.name, solution=carried)
    what = "a mistake" if slip_id == ANY_SLIP else f"the slip {slip_id}"
    where = f"at {' or '.join(stage_names)} of this sheet" if stage_names else "in this sheet"
    raise AttnhandError(
        f"{what} cannot be planted {where}: nothing on it would show it, or nothing could be worked from it; "
        f"try another slip or another {'stage' if stage_names else 'seed'}"
    )


def _list_candidates(solution: Solution, slip_id: str, sheet_code: str) -> Iterator[tuple[Stage, Slip]]:
    """Yield stages with the slips to try there: of one slip from the first stage on; of any slip as they are drawn.

    Kinds of stages are shuffled, and then the slips of each: so one with many slips is no likelier to come first.
    """
    stages = solution.problem.mechanism.stages
    if slip_id != ANY_SLIP:
        yield from ((stage, slip) for stage in stages for slip in find_slips(stage, (slip_id,)))
        return
    pairs = [(stage, slip) for stage in stages for slip in find_slips(stage, PLANTED_BY_RECIPE_1)]
    stream = RandomStream(sheet_code, "mistake")
    topics = list(dict.fromkeys(stage.topic for stage, _ in pairs))
    for topic in stream.shuffle(topics):
        yield from stream.shuffle([pair for pair in pairs if pair[0].topic == topic])


def count_changed_cells(correct: Matrix, wrong: Matrix, asked: tuple[Sequence[int], Sequence[int]]) -> int:
    """Count the cells that differ where the sheet shows them; 0 where the shapes do."""
    if shape(correct) != shape(wrong):
        return 0
    rows, columns = asked
    return sum(correct[i][j] != wrong[i][j] for i in rows for j in columns)


def _solve_with_mistake(solution: Solution, stage: Stage, wrong: Matrix) -> Solution | None:
    """Work all later stages from what came out wrongly; None where a power gets too large or a sum is 0."""
    try:
        return solve(solution.problem, replacements={stage.name: wrong})
    except (ProblemError, ArithmeticError):
        return None


def _is_readable(solution: Solution) -> bool:
    fractions = [value for solved in solution for value in flatten(solved.hand) if isinstance(value, Fraction)]
    return all(value.denominator <= MAX_DENOMINATOR for value in fractions)
