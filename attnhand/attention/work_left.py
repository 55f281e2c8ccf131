"""How much work numbers leave at a stage: whoever writes zeros, and zeros after them, has worked nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition, list_parts
from attnhand.attention.numbers import Number

ENOUGH_WORK = Fraction(9, 10)
"""Of the different calculations that the key asks of a stage: with so many nobody has saved work."""

Place = tuple[int, int]
"""Row and column of a cell, 0-based."""


class TrackedNumber(NamedTuple):
    """A number with where it comes from."""

    value: Number
    source: tuple[object, ...]
    """What tells it from others: its cell; its value where equal ones may be copies."""

    is_suspect: bool
    """Whether it stands in a matrix that nobody can explain, or that comes from one without enough work."""


@dataclass(frozen=True, slots=True)
class WorkLeft:
    """How much a stage leaves to do for whoever wrote something at an earlier one that nobody can explain."""

    worked: tuple[Place, ...]
    """The cells that must be worked here: the first of each calculation, unless it is only a number times 1."""

    touched: tuple[Place, ...]
    """The cells that read a suspect number, whether they leave work or not."""


def find_work_left(
    stage: Stage,
    values: Mapping[str, Matrix],
    suspects: Collection[str],
    copied: Collection[str],
    asked: Sequence[Place],
) -> WorkLeft:
    """Return what is left to do at a stage: equal columns are worked once, products of zeros not at all.

    Scores of two equal keys that nobody can explain, both (2, 2), and the queries (1, 3) and (0, 0):

        K = 2 2   Q = 1 0   S = 8 0   S[1,1] is worked, S[2,1] is copied from it,
            2 2       3 0       8 0   and a column of zeros is no work

    Args:
        suspects: names of the inputs that nobody can explain.
        copied: those of inputs in which equal numbers are copies, the suspects and others.

    Returns:
        In the example worked is S[1,1] alone, and touched are all four cells.
    """
    is_product = stage.product is not None

    def track(cell: CellPosition | int) -> TrackedNumber:
        if isinstance(cell, int):  # the 1 that meets a bias
            return TrackedNumber(value=cell, source=(), is_suspect=False)
        name, row, column = cell
        value = values[name][row][column]
        return TrackedNumber(value, (name, value) if name in copied else cell, name in suspects)

    worked: dict[Work, Place] = {}
    touched = []
    for i, j in asked:
        parts = [tuple(map(track, part)) for part in list_parts(stage, values, i, j)]
        if any(number.is_suspect for part in parts for number in part):
            touched.append((i, j))
        if is_product:
            parts = [part for part in parts if all(number.value for number in part)]  # nobody works the others
        if parts and not (is_product and _is_copied(parts)):
            worked.setdefault(_describe_work(parts), (i, j))
    return WorkLeft(tuple(worked.values()), tuple(touched))


Work = tuple[tuple[object, ...], ...]
"""What is worked in a cell, part by part: two cells of the same work are worked once."""


def _describe_work(parts: Sequence[tuple[TrackedNumber, ...]]) -> Work:
    """Return what tells the work of a cell from that of others.

    Several equal numbers together were copied, wherever they came from. A single one may be equal by chance: there
    its source tells.
    """
    return tuple(tuple(number.value if len(parts) > 1 else number.source for number in part) for part in parts)


def _is_copied(parts: Sequence[tuple[TrackedNumber, ...]]) -> bool:
    """Say whether a product is one number times a suspect 1, as with an identity: no work here, but later."""
    return len(parts) == 1 and any(number.is_suspect and number.value == 1 for number in parts[0])


def find_unworked_cells(own: WorkLeft, right: WorkLeft) -> frozenset[Place]:
    """Return the cells that were only copied, where less was left to work than the key asks: all but those worked."""
    is_enough = len(own.worked) >= ENOUGH_WORK * len(right.worked)
    return frozenset() if is_enough else frozenset(own.touched) - frozenset(own.worked)
