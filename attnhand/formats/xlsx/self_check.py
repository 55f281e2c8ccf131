"""Formulas that mark a sheet by themselves as ``attnhand check`` does.

What is written is read once. It is marked plainly, and by the keys of a sheet that was worked exactly or with the
largest scores subtracted; each by the key and by what follows from the student's own numbers, as far as these are
honest. All are plain formulas of single cells, and of columns of a hidden table, which every spreadsheet works alike:
no names, no arrays, nothing that depends on a decimal comma.
"""

from collections.abc import Mapping, Sequence

from attnhand.attention.mechanisms import Stage
from attnhand.attention.solution import format_cell_address
from attnhand.formats.xlsx.excel_formulas import name_cell
from attnhand.formats.xlsx.stage_formulas import StageFormulas
from attnhand.formats.xlsx.stage_table import StageTable
from attnhand.formats.xlsx.table import EXACT, SHIFTED, Formula, Place, Table
from attnhand.sheet.evidence_limits import MIN_COUNTED_SHARE, MIN_WRONG_DECIMALS
from attnhand.sheet.sheet import Sheet

OTHER_WAYS = ((2, SHIFTED, 1), (1, EXACT, 2))
"""Each with its number, and how many stages must be right in it that are not plainly; the last is looked at first."""


class SelfCheck:
    """Writes the formulas of a sheet, stage by stage."""

    def __init__(self, sheet: Sheet, places: Mapping[str, Place], first_column: int, first_row: int) -> None:
        """Take the places of the cells by address; formulas are hidden from a column on.

        Args:
            first_row: below the lines that say of the sheet what is read again: a number beside words would be one.
        """
        self.table = Table(sheet, places, first_column)
        self.stages: dict[str, StageFormulas] = {}
        self.ranges: dict[str, str] = {}
        """Of every stage that asks for anything: its cells with their signs."""

        rows: dict[str, StageTable] = {}
        row = first_row
        for stage in sheet.problem.mechanism.stages:
            self.table.refer_to_printed(stage)
            asked = [cell for cell in sheet.list_asked_cells(stage) if format_cell_address(stage.name, *cell) in places]
            if asked:
                rows[stage.name] = StageTable(self.table, stage, asked, row)
                self.stages[stage.name] = StageFormulas(rows[stage.name], rows)
                self.ranges[stage.name] = self._find_range(stage, asked)
                row = rows[stage.name].next_row
        self._write_way([*rows.values()])

    @property
    def formulas(self) -> Sequence[Formula]:
        """All of them, where they stand."""
        return self.table.formulas

    @property
    def last_column(self) -> int:
        """The last that is hidden."""
        return self.table.last_column

    def format_score(self, stages: Sequence[str]) -> str:
        """Return the formula for how many cells of some stages count."""
        finals = [self.stages[name].rows.count_good("final") for name in stages if name in self.stages]
        return "+".join(finals) or "0"

    def format_remark(self, stage: Stage) -> str:
        """Return the formula for the sentence about a stage: the slip that explains it, where one alone does."""
        return self.stages[stage.name].format_remark() if stage.name in self.stages else ""

    def _find_range(self, stage: Stage, asked: Sequence[tuple[int, int]]) -> str:
        places = [self.table.places[format_cell_address(stage.name, i, j)] for i, j in asked]
        rows, columns = zip(*places, strict=True)
        return f"{name_cell(min(rows), min(columns))}:{name_cell(max(rows), max(columns) + 1)}"

    def _write_way(self, stages: Sequence[StageTable]) -> None:
        """Write in which way the sheet was worked: plainly, if nothing is wrong or no other way counts for more."""

        def total(name: str) -> str:
            return f"({'+'.join(each.get_head(name) for each in stages)})"

        answers, found = sum(len(each.cells) for each in stages), "0"
        for number, way, least in OTHER_WAYS:
            if way not in {each.name for each in self.table.ways}:
                continue
            counted = total(f"{way} counted")
            tests = [
                f"{total(f'{way} right')}>={least}",
                f"{counted}>{total('counted')}",
                f"{counted}>={MIN_COUNTED_SHARE}*({answers}-{total(f'{way} empty')})",
            ]
            if way == EXACT:
                tests.append(f"{total('wrong decimals')}>={MIN_WRONG_DECIMALS}")
            found = f"IF(AND({','.join(tests)}),{number},{found})"
        self.table.put(0, "final", f"IF({total('wrong')}+{total('nearly')}=0,0,{found})", 0)
