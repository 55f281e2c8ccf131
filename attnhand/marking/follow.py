"""What follows from a student's own numbers, cell by cell, and whether they left themselves anything to compute."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import localcontext
from itertools import count
from typing import Any, NamedTuple

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.intervals import make_interval_numbers, pair_up
from attnhand.attention.formulas.kinds import TooLargeError, make_exact_numbers
from attnhand.attention.formulas.working import work_each_cell
from attnhand.attention.matrix import Matrix, unify_number_types
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition, list_parts
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number

Expected = tuple[tuple[Number | None, ...], ...]
"""A matrix with None where nothing can be worked: over a sum of 0, or a power too large to write down."""

Range = tuple[Expected, Expected]
"""The least and the most that may follow, cell by cell."""

Place = tuple[int, int]
"""Row and column, 0-based."""

Labels = tuple[tuple[int, ...], ...]
"""A label for each cell of a matrix: cells of one label hold one piece of work, done once and then copied.

0 is no work: a number that is 0, is printed, or comes from such alone. Equal numbers that somebody made up have one
label; numbers that nobody made up have a label each.
"""

FIRST_LABEL = 2
"""Of numbers; 1 is the label of the 1 that meets a bias, which stands in no matrix."""

NEAR_TRIVIAL_SHARE = 3
"""A matrix with less than a third of the key's cells that are not all alike, or not 0, leaves nearly nothing to do."""


def work_cells(stage: Stage, arithmetic: Arithmetic, values: Mapping[str, Matrix]) -> Expected:
    """Work a stage, cell by cell where it cannot be worked whole: one Σ of 0 costs its own cells only."""
    try:
        return stage.work(arithmetic, values, has_limit=True)
    except (ArithmeticError, TooLargeError):
        lines = {name: stage.take_in(name, values[name]) for name in stage.formula.reads}
        return _show_cells(stage, work_each_cell(stage.formula, make_exact_numbers(arithmetic, has_limit=True), lines))


def _show_cells(stage: Stage, cells: Mapping[tuple[int, ...], Number | None]) -> Expected:
    """Return cells by their places as a matrix of the sheet."""
    shown = {stage.show_place(place): value for place, value in cells.items()}
    rows, columns = (1 + max(at) for at in zip(*shown, strict=True))
    return tuple(tuple(shown[i, j] for j in range(columns)) for i in range(rows))


def work_ranges(stage: Stage, arithmetic: Arithmetic, lows: Mapping[str, Matrix], highs: Mapping[str, Matrix]) -> Range:
    """Return the least and the most that a stage gives where each input is only known to lie between two numbers."""
    lines = {name: stage.take_in(name, pair_up(lows[name], highs[name])) for name in stage.formula.reads}
    numbers = make_interval_numbers(arithmetic)
    try:
        with localcontext(DECIMAL_CONTEXT):
            found = stage.show(stage.formula.work(numbers, lines))
    except (ArithmeticError, TooLargeError):
        found = _show_cells(stage, work_each_cell(stage.formula, numbers, lines))
    return _take_ends(found, 0), _take_ends(found, 1)


def _take_ends(intervals: Any, at: int) -> Expected:
    """Return the lower bounds, or the upper ones; None where none is known."""
    return tuple(tuple(None if each is None else (each.low, each.high)[at] for each in row) for row in intervals)


class TrackedNumber(NamedTuple):
    """A number with where it comes from."""

    value: Number
    label: int
    is_suspect: bool
    """Whether it stands in a matrix that may have been made up."""


@dataclass(frozen=True, slots=True)
class WorkLeft:
    """How much a stage leaves to do for whoever made up one of its inputs."""

    labels: Labels
    """Which cells hold one piece of work; 0 where nothing is left to work."""

    worked: tuple[Place, ...]
    """The cells that must be worked here: the first of each label, unless it is only a number times 1."""

    touched: tuple[Place, ...]
    """The cells that read a made-up number, whether they leave work or not."""


def find_work_left(
    stage: Stage,
    values: Mapping[str, Matrix],
    labels: Mapping[str, Labels],
    suspects: Collection[str],
    asked: Sequence[Place],
    size: tuple[int, int],
) -> WorkLeft:
    """Return what is left to do at a stage: equal columns are worked once, zeros not at all.

    Scores of two equal keys that were made up, both (2, 2), and the queries (1, 3) and (0, 0):

        K = 2 2   Q = 1 0   S = 8 0   labels 2 0   S[1,1] is worked, S[2,1] is copied from it,
            2 2       3 0       8 0          2 0   and a column of zeros is no work

    Args:
        labels: of the numbers in every input.
        suspects: names of the inputs that may have been made up.

    Returns:
        In the example worked is S[1,1] alone, and touched are all four cells.
    """
    is_product = stage.product is not None

    def track(cell: CellPosition | int) -> TrackedNumber:
        if isinstance(cell, int):  # the 1 that meets a bias
            return TrackedNumber(value=cell, label=1, is_suspect=False)
        name, row, column = cell
        return TrackedNumber(values[name][row][column], labels[name][row][column], name in suspects)

    found = [[0] * size[1] for _ in range(size[0])]
    worked, touched = [], []
    labels_by_work: dict[Work, int] = {}
    for i, j in asked:
        parts = [tuple(map(track, part)) for part in list_parts(stage, values, i, j)]
        if any(number.is_suspect for part in parts for number in part):
            touched.append((i, j))
        if is_product:
            parts = _drop_zero_products(parts)
        if not any(number.is_suspect and number.label for part in parts for number in part):
            continue  # its label stays 0
        work = _describe_work(parts)
        is_first = work not in labels_by_work
        if is_first and not (is_product and _is_copied(parts)):
            worked.append((i, j))
        found[i][j] = labels_by_work.setdefault(work, FIRST_LABEL + len(labels_by_work))
    return WorkLeft(tuple(map(tuple, found)), tuple(worked), tuple(touched))


def _drop_zero_products(parts: list[tuple[TrackedNumber, ...]]) -> list[tuple[TrackedNumber, ...]]:
    """Leave the pairs empty that multiply to 0: nobody works them."""
    return [part if all(number.value for number in part) else () for part in parts]


Work = tuple[tuple[Number, ...], ...]
"""What is worked in a cell, part by part: two cells of the same work are worked once."""


def _describe_work(parts: Sequence[tuple[TrackedNumber, ...]]) -> Work:
    """Return what tells the work of a cell from that of others; parts that are 0 are empty.

    Several equal numbers together were copied, wherever they came from. A single one may be equal by chance: there
    the labels tell.
    """
    has_several = sum(map(bool, parts)) > 1
    return tuple(tuple(number.value if has_several else number.label for number in part) for part in parts)


def _is_copied(parts: Sequence[tuple[TrackedNumber, ...]]) -> bool:
    """Say whether a product is one number times a made-up 1, as with an identity: no work here, but later."""
    nonzero = [part for part in parts if part]
    return len(nonzero) == 1 and any(number.is_suspect and number.value == 1 for number in nonzero[0])


def find_trivial_cells(own: WorkLeft, right: WorkLeft) -> frozenset[Place]:
    """Return the cells that earn nothing where less is left to work than the key asks: all but those worked.

    Whoever writes equal numbers early works one column and copies it; that one counts.
    """
    asked_work = {label for row in right.labels for label in row if label}
    return frozenset(own.touched) - frozenset(own.worked) if len(own.worked) < len(asked_work) else frozenset()


def saves_work(stage: Stage, values: Mapping[str, Matrix], a: Matrix, key: Matrix, asked: Sequence[Place]) -> bool:
    """Say whether wrong numbers leave nearly nothing to compute, and the key's do not.

    Nearly all alike, every row or every column the same, or an identity; nearly all 0 in a product. Scores that are
    scaled otherwise, all by one rule, are often alike: whoever quartered them has worked.

    Args:
        values: what the student worked from, by name.
    """
    if stage.facts.has_other_rules and _keeps_order(values[stage.input_names[0]], a, asked):
        return False
    own, right = ([x[i][j] for i, j in asked] for x in (a, key))
    counts = (_count_unusual, _count_nonzero) if stage.product is not None else (_count_unusual,)
    if any(count(right) > NEAR_TRIVIAL_SHARE * max(1, count(own)) for count in counts):
        return True
    return any(test(a, asked) and not test(key, asked) for test in (_has_equal_rows, _has_equal_columns, _is_identity))


def _keeps_order(x: Matrix, a: Matrix, asked: Sequence[Place]) -> bool:
    """Say whether numbers come of others by some rule that keeps or turns their order, and are not all alike."""
    x, a = unify_number_types([x, a])
    pairs = sorted({(x[i][j], a[i][j]) for i, j in asked})
    results = [result for _, result in pairs]
    is_rule = len({number for number, _ in pairs}) == len(pairs)
    return is_rule and len({*results}) > 1 and results in (sorted(results), sorted(results, reverse=True))


def is_trivial(a: Matrix, asked: Sequence[Place]) -> bool:
    """Say whether all numbers are alike, or an identity: nothing is left to work."""
    return _is_identity(a, asked) or not _count_unusual([a[i][j] for i, j in asked])


def _count_unusual(values: Sequence[Number]) -> int:
    """Count the numbers that are others than the commonest."""
    return len(values) - max(Counter(values).values(), default=0)


def _count_nonzero(values: Sequence[Number]) -> int:
    return sum(map(bool, values))


def _has_equal_rows(a: Matrix, asked: Sequence[Place]) -> bool:
    return len({(j, a[i][j]) for i, j in asked}) == len({j for _, j in asked})


def _has_equal_columns(a: Matrix, asked: Sequence[Place]) -> bool:
    return len({(i, a[i][j]) for i, j in asked}) == len({i for i, _ in asked})


def _is_identity(a: Matrix, asked: Sequence[Place]) -> bool:
    return all(a[i][j] == (i == j) for i, j in asked)


def label_each_cell(a: Matrix) -> Labels:
    """Label every number as worked by itself: nobody made it up."""
    return tuple(tuple(FIRST_LABEL + i * len(row) + j for j in range(len(row))) for i, row in enumerate(a))


def label_by_value(a: Matrix, asked: Collection[Place]) -> Labels:
    """Label numbers of which nobody knows how they came about: alike where they are equal, 0 where they are."""
    values = dict.fromkeys(a[i][j] for i, j in asked if a[i][j])
    numbers = dict(zip(values, count(FIRST_LABEL), strict=False))
    places = {*asked}
    return tuple(
        tuple(numbers.get(value, 0) if (i, j) in places else 0 for j, value in enumerate(row))
        for i, row in enumerate(a)
    )
