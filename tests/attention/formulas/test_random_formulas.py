"""Formulas put together at random: however one is worked, the same comes out."""

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.cells import CellWorker, list_spots
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.formula_list import LETTERS, FormulaList
from attnhand.attention.formulas.intervals import ANYTHING, Interval, IntervalNumbers
from attnhand.attention.formulas.kinds import ExactNumbers, convert_lines, list_cells
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.formulas.reading import read_formula
from attnhand.attention.formulas.working import measure_reads, work_stages
from tests.breadth import choose

COUNT = choose(300, 20_000)

ATOMS = ("S[k,q]", "S[q,k]", "S[1,k]", "S[q,2]", "sums[q]", "1", "2", "k", "q", "|q|", "base")
OVERS = ("S[j,q]", "S[j,k]·S[j,q]", "(S[j,k] / 3 + j)", "(1 if S[j,q] > 0 else j)", "(0 if j = k else S[j,q])")
NUMBERS = (0, 1, -2, 3, Fraction(1, 2), Fraction(-2, 3))

ARITHMETIC = Arithmetic(rules=HAND, d_k=2)


def write_formula(stream: random.Random, depth: int) -> str:
    """Write a right side at random."""

    def write() -> str:
        return write_formula(stream, depth - 1)

    if depth == 0:
        return stream.choice(ATOMS)
    match stream.randrange(8):
        case 0 | 1 | 2:
            return f"({write()} {stream.choice('+−·/')} {write()})"
        case 3:
            return f"(Σ_j {stream.choice(OVERS)})"
        case 4:
            return f"({write()} if {write()} {stream.choice('=≠<>≤≥')} {write()} else {write()})"
        case 5:
            return f"{stream.choice(('max', 'min'))}({write()}, max_j {stream.choice(OVERS)})"
        case 6:
            return f"{stream.choice(('scale', 'abs', 'floor', 'ceil', 'trunc', 'settle'))}(−{write()})"
        case _:
            return stream.choice(ATOMS)


def draw_given(stream: random.Random, formulas: FormulaList) -> dict[str, Lines]:
    """Draw all that a formula is given: two lines of two, or two numbers."""

    def draw() -> Lines:
        return tuple(stream.choice(NUMBERS) for _ in range(2))

    return {name: draw() if len(formulas.get_axes(name)) == 1 else (draw(), draw()) for name in formulas.given}


def work_cells(formulas: FormulaList, given: Mapping[str, Lines]) -> list[Any] | None:
    """Work a formula cell by cell; None where it divides by 0."""
    worker, (stage,) = CellWorker(ExactNumbers(ARITHMETIC), given), formulas.stages
    try:
        return [worker.work_cell(spot) for _, spot in list_spots(stage, measure_reads(stage, given))]
    except ZeroDivisionError:
        return None


def work_whole(formulas: FormulaList, given: Mapping[str, Lines]) -> list[Any] | None:
    """Work a formula compiled; None where it divides by 0."""
    try:
        return list(list_cells(work_stages(formulas, ExactNumbers(ARITHMETIC), given)["Y"]))
    except ZeroDivisionError:
        return None


def test_two_ways_to_work_a_formula_agree() -> None:
    """Cell by cell on the tree, and compiled: the same numbers of the same type, or 0 below a stroke in both."""
    stream, worked = random.Random("formulas"), 0
    while worked < COUNT:
        line = f"topic Y[k,q] = {write_formula(stream, 3)}"
        try:
            formulas = FormulaList(
                formulas=(read_formula(line),), letters={**LETTERS, "j": "tokens"}, sizes={"tokens": 2}
            )
        except FormulaError:  # S is read by places alone, so that nothing says how long it is
            continue
        given = draw_given(stream, formulas)
        expected, found = work_cells(formulas, given), work_whole(formulas, given)
        assert found == expected, (line, given)
        if found is not None and expected is not None:
            assert [*map(type, found)] == [*map(type, expected)], (line, given)
            worked += 1
            check_intervals(formulas, given, found, line)


def check_intervals(formulas: FormulaList, given: Mapping[str, Lines], exact: list[Any], line: str) -> None:
    """Numbers whose bounds are one number each give that number, where nothing has to be compared."""
    try:
        intervals = {name: convert_lines(lines, lambda value: Interval(value, value)) for name, lines in given.items()}
        worked = list_cells(work_stages(formulas, IntervalNumbers(ARITHMETIC), intervals)["Y"])
    except FormulaError:
        return
    for interval, value in zip(worked, exact, strict=True):
        if isinstance(interval, Interval):
            assert interval is ANYTHING or interval.low == interval.high == value, (line, given)
        else:  # nothing was read for it
            assert interval == value
