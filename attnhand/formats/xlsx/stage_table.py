"""The rows of one stage in the hidden table: those of its answers, and above them what is said of all of it."""

from collections.abc import Sequence

from attnhand.attention.mechanisms import Stage
from attnhand.formats.xlsx.excel_formulas import name_cell
from attnhand.formats.xlsx.table import IS_FOLLOWING, IS_RIGHT, Table
from attnhand.sheet.sheet import Sheet

HEAD_ROWS = 3
"""Above the answers of each stage."""

HEADS = {
    "wrong decimals": (0, "decimals"),
    "begun": (0, "value"),
    "readings": (0, "read"),
    "wrong": (0, "plain mark"),
    "counted": (1, "plain mark"),
    "nearly": (2, "plain mark"),
    "suspect": (0, "plain own"),
    "credible": (1, "plain own"),
    "rule": (0, "before"),
    "doubt": (0, "work"),
    "worked": (1, "work"),
    "needed": (2, "work"),
    "first row": (0, "row"),
    "first column": (0, "column"),
    "plain far": (0, "plain key"),
    "exact far": (0, "exact key"),
    "exact counted": (0, "exactly"),
    "exact right": (1, "exactly"),
    "exact empty": (2, "exactly"),
    "shifted far": (0, "shifted key"),
    "shifted counted": (0, "subtracted"),
    "shifted right": (1, "subtracted"),
    "shifted empty": (2, "subtracted"),
}
"""Where things are said of a whole stage: in which row above its answers, and in which column."""

SLIP_HEADS = {
    "explained": (0, "value"),
    "kept": (1, "value"),
    "pair": (2, "value"),
    "given": (0, "given"),
    "whole": (1, "given"),
    "many": (0, "shown"),
    "credible": (1, "shown"),
}
"""The same of each slip."""


class StageTable:
    """Knows what formulas call the cells of a stage in the table, and writes into them."""

    def __init__(self, table: Table, stage: Stage, cells: Sequence[tuple[int, int]], first_row: int) -> None:
        """Take the cells that count, 0-based, and the first row that is free."""
        self.table, self.stage, self.cells, self.first_row = table, stage, cells, first_row
        self.rows = {cell: first_row + HEAD_ROWS + at for at, cell in enumerate(cells)}
        self.next_row = first_row + HEAD_ROWS + len(cells)

    @property
    def sheet(self) -> Sheet:
        return self.table.sheet

    def get(self, cell: tuple[int, int], name: str) -> str:
        """Return a cell of an answer's row."""
        return name_cell(self.rows[cell], self.table.columns[name])

    def get_range(self, name: str) -> str:
        """Return a column, from the first answer to the last."""
        return f"{self.get(self.cells[0], name)}:{self.get(self.cells[-1], name)}"

    def get_head(self, name: str) -> str:
        """Return the cell in which something is said of the whole stage."""
        row, column = self._find_head(name)
        return name_cell(row, self.table.columns[column])

    def put(self, cell: tuple[int, int], name: str, text: str, value: str | float) -> None:
        """Write a formula into an answer's row, with what it gives on a blank sheet."""
        self.table.put(self.rows[cell], name, text, value)

    def put_head(self, name: str, text: str, value: str | float = 0) -> None:
        """Write what is said of the whole stage."""
        self.table.put(*self._find_head(name), text, value)

    def _find_head(self, name: str) -> tuple[int, str]:
        number, _, said = name.partition(" ")
        if number.isdecimal():
            at, column = SLIP_HEADS[said]
            return self.first_row + at, f"{number} {column}"
        at, column = HEADS[name]
        return self.first_row + at, column

    def count(self, name: str, mark: int) -> str:
        """Return the formula for how many answers have a mark."""
        return f"COUNTIF({self.get_range(name)},{mark})"

    def count_good(self, name: str) -> str:
        """Return the formula for how many answers count."""
        return f"{self.count(name, IS_RIGHT)}+{self.count(name, IS_FOLLOWING)}"

    def is_shown(self, cell: tuple[int, int]) -> bool:
        """Say whether a cell is worked as an example: nobody types there."""
        return (self.stage.name, *cell) == self.table.worked_cell
