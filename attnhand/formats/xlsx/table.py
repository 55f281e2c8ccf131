"""The hidden table of a spreadsheet that marks itself: its columns, and what formulas call the cells of matrices.

A row an answer, and above those of each stage a few rows with what is to be said of all of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number
from attnhand.attention.slips import find_slips
from attnhand.attention.solution import Solution, solve, solve_shifted, solve_without_shortcuts
from attnhand.formats.xlsx.excel_formulas import name_cell, write_number
from attnhand.sheet.sheet import Sheet

IS_WRONG, IS_RIGHT, IS_FOLLOWING, IS_CUT_OFF, IS_EMPTY, IS_COPIED, IS_SHORT = range(7)
"""Marks in the table: right but for its last digits, of made-up numbers without work, right but for too few digits."""

HEAD_ROWS = 3
"""Above the answers of each stage."""

READ_COLUMNS = ("text", "body", "rest", "decimals", "value", "read", "row", "column")
WAY_COLUMNS = ("key", "written", "unrounded", "mark", "own", "meant")
WORK_COLUMNS = ("explained", "work", "first", "copied", "before", "after")
FINAL_COLUMNS = ("exactly", "gain", "subtracted", "final")
SLIP_COLUMNS = ("value", "given", "shown")

PLAIN, EXACT, SHIFTED = "plain", "exact", "shifted"

BETTER_MARKS = {EXACT: "exactly", SHIFTED: "subtracted"}
"""The columns with the better of a plain mark and another."""

Place = tuple[int, int]
"""Row and column in the spreadsheet, 0-based."""

Refs = Mapping[CellPosition, str]
"""What formulas call the cells of matrices, or their numbers."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula with what it gives on a sheet that nobody has filled."""

    row: int
    column: int
    text: str
    value: str | float
    is_sign: bool = False
    """Whether it is seen: the sign beside an answer."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a sheet is worked."""

    name: str
    solution: Solution
    """Whose numbers are right."""

    worked_by: Solution
    """By whose formulas what follows is worked; it is what follows on a blank sheet."""


class Table:
    """The columns of the table, its formulas so far, and what cells are called in them."""

    def __init__(self, sheet: Sheet, places: Mapping[str, Place], first_column: int) -> None:
        """Take the places of the cells that are seen, by address; formulas are hidden from a column on."""
        self.sheet, self.places = sheet, places
        self.worked_cell = sheet.worked_cell
        self.formulas: list[Formula] = []
        exact, shifted = solve_without_shortcuts(sheet.problem), solve_shifted(sheet.solution)
        self.ways = [Way(PLAIN, sheet.solution, sheet.solution)]
        self.ways += [Way(EXACT, exact, exact)] if exact else []
        self.ways += [Way(SHIFTED, shifted, _go_on_from_printed(sheet, shifted))] if shifted else []
        slip_count = max(len(find_slips(stage)) for stage in sheet.problem.mechanism.stages)
        names = [*READ_COLUMNS, *(f"{way.name} {name}" for way in self.ways for name in WAY_COLUMNS)]
        names += [*WORK_COLUMNS, *FINAL_COLUMNS, *(f"{at} {name}" for at in range(slip_count) for name in SLIP_COLUMNS)]
        self.columns = {name: first_column + at for at, name in enumerate(names)}
        self.last_column = first_column + len(names)
        self.way_cell = name_cell(0, self.columns["final"])
        """0 for plainly, 1 for exactly, 2 for the largest subtracted."""

        versions = [f"{way.name} {name}" for way in self.ways for name in ("own", "meant")]
        given = {(name, i, j): write_number(x) for name, a in sheet.problem.given for i, j, x in _walk(a)}
        self.refs = {version: dict(given) for version in versions}
        """What cells are called, by way and version: as they were written, and what they stand for."""

    def refer_to_printed(self, stage: Stage) -> None:
        """Take the numbers of a stage as they are printed."""
        for way in self.ways:
            for i, j, x in _walk(way.solution[stage.name].hand):
                for name in ("own", "meant"):
                    self.refs[f"{way.name} {name}"][stage.name, i, j] = write_number(x)

    def put(self, row: int, name: str, text: str, value: str | float) -> None:
        """Write a formula into a column, with what it gives on a blank sheet."""
        self.formulas.append(Formula(row, self.columns[name], f"={text}", value))


def _go_on_from_printed(sheet: Sheet, other: Solution) -> Solution:
    """Return what follows on a blank sheet where what is printed has the numbers of another way."""
    printed = {solved.stage.name: solved.hand for solved in other if sheet.is_printed(solved.stage)}
    return solve(sheet.problem, replacements=printed)


def _walk(a: Matrix) -> Iterator[tuple[int, int, Number]]:
    return ((i, j, value) for i, row in enumerate(a) for j, value in enumerate(row))
