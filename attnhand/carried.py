"""The key from a student's value on: some cells written otherwise, every later stage worked from them, rightly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnhand.errors import AttnhandError, ProblemError
from attnhand.matrix import Matrix
from attnhand.numbers import Number
from attnhand.solution import Solution, solve

Cell = tuple[str, int, int]
"""A cell by stage name, row and column (0-based)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A solution in which somebody's own values stand, and what comes of them."""

    values: tuple[tuple[Cell, Number], ...]
    """The cells that were written otherwise, in the order of the stages."""

    solution: Solution
    """By hand from those values on; exactly as it should be."""

    looks_like: tuple[str, ...] = ()
    """What slips they look like, in sentences."""

    def cells_of(self, stage: str) -> frozenset[tuple[int, int]]:
        """Return the cells (row, column) of a stage that were written otherwise."""
        return frozenset((i, j) for (name, i, j), _ in self.values if name == stage)


def carried(solution: Solution, values: Sequence[tuple[Cell, Number]]) -> Carried:
    """Put values into a solution and carry on from them.

    Raises:
        AttnhandError: nothing can be worked from them: a power too large, a sum of 0.
    """
    order = [stage.name for stage in solution.problem.mechanism.stages]
    in_order = tuple(sorted(values, key=lambda value: order.index(value[0][0])))
    instead: dict[str, Matrix] = {}
    try:
        for name in dict.fromkeys(cell[0] for cell, _ in in_order):
            a = _carry(solution, instead)[name].hand
            of_stage = {(i, j): value for (stage, i, j), value in in_order if stage == name}
            instead[name] = tuple(
                tuple(of_stage.get((i, j), value) for j, value in enumerate(row)) for i, row in enumerate(a)
            )
        return Carried(values=in_order, solution=_carry(solution, instead))
    except ArithmeticError:
        raise AttnhandError("from these values a sum of powers is 0, so nothing can be divided by it") from None
    except ProblemError as error:
        raise AttnhandError(f"nothing can be worked from these values: {error}") from None


def _carry(solution: Solution, instead: Mapping[str, Matrix]) -> Solution:
    return solve(solution.problem, instead=instead) if instead else solution
