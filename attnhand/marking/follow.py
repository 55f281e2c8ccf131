"""What follows from a student's own numbers, cell by cell, and whether they left themselves anything to compute."""

from collections.abc import Mapping, Sequence
from decimal import localcontext
from typing import Any

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.intervals import make_interval_numbers, pair_up
from attnhand.attention.formulas.kinds import TooLargeError, make_exact_numbers
from attnhand.attention.formulas.working import work_each_cell
from attnhand.attention.matrix import Matrix, unify_number_types
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number
from attnhand.marking.marks import Place

Expected = tuple[tuple[Number | None, ...], ...]
"""A matrix with None where nothing can be worked: over a sum of 0, or a power too large to write down."""

Range = tuple[Expected, Expected]
"""The least and the most that may follow, cell by cell."""


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


def follows_some_rule(x: Matrix, a: Matrix, asked: Sequence[Place]) -> bool:
    """Say whether numbers come of others by a rule that keeps or turns their order, as quarters of scores do.

    Whoever scaled all scores by one rule has worked, though the results are often alike.
    """
    x, a = unify_number_types([x, a])
    pairs = sorted({(x[i][j], a[i][j]) for i, j in asked})
    results = [result for _, result in pairs]
    is_rule = len({number for number, _ in pairs}) == len(pairs) and len({*results}) > 1
    return is_rule and results in (sorted(results), sorted(results, reverse=True))
