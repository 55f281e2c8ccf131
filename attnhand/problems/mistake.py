"""The find-the-mistake sheet: one slip put into a solved problem, and every later stage worked from it, rightly."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from attnhand.attention.matrix import Matrix, shape, values
from attnhand.attention.mechanisms import Stage
from attnhand.attention.slips import PLANTED_BY_RECIPE_1, SLIPS, Desk, Slip, slips_at
from attnhand.attention.solution import Solution, solve
from attnhand.errors import AttnhandError, ProblemError
from attnhand.problems.random_stream import Stream
from attnhand.system.did_you_mean import nearest

ANY = "any"
"""Instead of the id of a slip: one that shows well is drawn."""

CELLS_TO_SHOW = 2
"""A slip that is drawn changes so many cells at its stage or more."""

LONGEST_DENOMINATOR = 999
"""A slip that is drawn leads to no fraction that is harder to read."""

Asked = Callable[[Stage], tuple[Sequence[int], Sequence[int]]]
"""The rows and columns of a stage that the sheet shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A mistake put into a solved problem on purpose."""

    slip: str
    """Id of the slip."""

    stage: str
    """Where it was made."""

    solution: Solution
    """By hand with the mistake carried on; exactly as it should be."""


def planted(solution: Solution, wanted: str, label: str, asked: Asked) -> Planted:
    """Plant a slip, for ever the same one for the same label.

    Args:
        wanted: id of a slip, or ``any``.
        label: what the slip is drawn from where any will do: the sheet's code.
        asked: what the sheet shows; a slip that shows nowhere there is not planted.

    Raises:
        AttnhandError: there is no such slip, or it cannot be made in this sheet.
    """
    if wanted != ANY and wanted not in (known := [slip.id for slip in SLIPS]):
        meant = nearest(wanted, known)
        advice = (
            f"did you mean {meant}?" if meant else "leave the name out to have one drawn; the README lists them all"
        )
        raise AttnhandError(f"the slip {wanted!r} is unknown: {advice}")
    for cells in (CELLS_TO_SHOW,) if wanted == ANY else (CELLS_TO_SHOW, 1):
        for stage, slip in _candidates(solution, wanted, label):
            wrong = slip.wrong(_desk(solution, stage))
            if wrong is None or changed_cells(solution[stage.name].hand, wrong, asked(stage)) < cells:
                continue
            carried = _carried_on(solution, stage, wrong)
            if carried is not None and (wanted != ANY or _readable(carried)):
                return Planted(slip=slip.id, stage=stage.name, solution=carried)
    raise AttnhandError(
        f"{'a mistake' if wanted == ANY else f'the slip {wanted}'} cannot be planted in this sheet: nothing on it "
        "would show it, or nothing could be worked from it; try another slip or another seed"
    )


def _candidates(solution: Solution, wanted: str, label: str) -> Iterator[tuple[Stage, Slip]]:
    """Yield stages with the slips to try there: in order for one slip, else kind of stage by kind of stage."""
    stages = solution.problem.mechanism.stages
    ids = PLANTED_BY_RECIPE_1 if wanted == ANY else (wanted,)
    pairs = [(stage, slip) for stage in stages for slip in slips_at(stage, ids)]
    if wanted != ANY:
        yield from pairs
        return
    stream = Stream(label, "mistake")
    topics = list(dict.fromkeys(stage.topic for stage, _ in pairs))
    for topic in stream.shuffled(topics):
        yield from stream.shuffled([pair for pair in pairs if pair[0].topic == topic])


def _desk(solution: Solution, stage: Stage) -> Desk:
    problem = solution.problem
    return Desk(problem.mechanism, stage, problem.hand, solution.hand_values())


def changed_cells(right: Matrix, wrong: Matrix, asked: tuple[Sequence[int], Sequence[int]]) -> int:
    """Count the cells that differ where the sheet shows them; 0 where the shapes do."""
    if shape(right) != shape(wrong):
        return 0
    rows, columns = asked
    return sum(right[i][j] != wrong[i][j] for i in rows for j in columns)


def _carried_on(solution: Solution, stage: Stage, wrong: Matrix) -> Solution | None:
    """Work all later stages from what came out wrongly; None where a power gets too large or a sum is 0."""
    try:
        return solve(solution.problem, instead={stage.name: wrong})
    except (ProblemError, ArithmeticError):
        return None


def _readable(solution: Solution) -> bool:
    fractions = [value for solved in solution for value in values(solved.hand) if isinstance(value, Fraction)]
    return all(value.denominator <= LONGEST_DENOMINATOR for value in fractions)
