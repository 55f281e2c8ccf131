"""What slips make of a student's own numbers, as formulas, and whether one explains what was written.

See ``marking.explanations``: a slip that gives all of a stage, all but a few cells, or a line of it, or two together.
Lines that were exchanged and matrices that were turned are not looked for: they leave as much work as the right ones.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.matrix import shape
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.slips.binding import OWN
from attnhand.errors import PageError
from attnhand.formats.xlsx.answer_formulas import AnswerFormulas
from attnhand.formats.xlsx.excel_formulas import ExcelPrinter, write_number
from attnhand.formats.xlsx.stage_table import StageTable
from attnhand.formats.xlsx.table import IS_SHORT, IS_WRONG
from attnhand.formats.xlsx.work_formulas import WORKED_DIGITS
from attnhand.sheet.evidence_limits import FEW_EXCEPTIONS, FEW_WRONG, MIN_CELLS_OF_PART, MIN_NUMBERS_OF_PART


@dataclass(frozen=True, slots=True)
class PrintedSlip:
    """A slip that a spreadsheet can make of every cell."""

    id: str
    formula: BoundFormula
    letters: Mapping[str, int]
    """How far each letter of the formula runs."""

    context: StageContext
    printer: ExcelPrinter

    def print_cell(self, cell: tuple[int, int]) -> str:
        """Return the formula for a cell (0-based)."""
        return self.printer.print_slip(self.formula, self.letters, self.context, *cell)


def print_slips(rows: StageTable) -> list[PrintedSlip]:
    """Return the slips of a stage that can be typed into it, of the student's own numbers."""
    sheet, stage = rows.sheet, rows.stage
    values, refs = sheet.solution.collect_hand_values(), rows.table.refs["plain meant"]
    context = StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)
    hand = values[stage.name]

    def refer(cell: CellPosition) -> str:
        name, *place = cell
        i, j = place
        if name != OWN:
            return refs[cell]
        return rows.get((i, j), "plain unrounded") if (i, j) in rows.rows else write_number(hand[i][j])

    found = []
    for slip in find_slips(stage):
        bound, wrong = slip.find_formula(context), slip.compute_wrong(context)
        if bound is None or (wrong is not None and shape(wrong) != shape(hand)):
            continue
        formula, _ = bound
        if len(formula.formula.indices) != len(stage.formula.formula.indices):
            continue
        letters = context.measure(formula, has_same_shape=slip.has_same_shape)
        printed = PrintedSlip(slip.id, formula, letters, context, ExcelPrinter(refer, sheet.problem.hand_arithmetic))
        # what a slip takes for what it should have taken may be worked below it: queries of several heads, for a key
        are_above = {cell[0] for cell in refs}.issuperset(name for name in formula.reads if name != OWN)
        with suppress(PageError, KeyError):
            for cell in rows.cells[: 1 if are_above else None]:
                printed.print_cell(cell)
            found.append(printed)
    return found


def write_slips(rows: StageTable, slips: list[PrintedSlip]) -> None:
    """Write what each slip makes where something is wrong, which cells it gives, and what it explains."""
    for at, slip in enumerate(slips):
        for cell in rows.cells:
            _write_cell(rows, at, cell, slip.print_cell)
        _write_heads(rows, at, len(slips))
    for cell in rows.cells:
        explained = '""'
        for at in reversed(range(len(slips))):
            explained = f"IF({rows.get_head(f'{at} whole')}=1,{rows.get(cell, f'{at} value')},{explained})"
        rows.put(cell, "explained", explained, "")


def _write_cell(rows: StageTable, at: int, cell: tuple[int, int], print_cell: Callable[[tuple[int, int]], str]) -> None:
    get, put = partial(rows.get, cell), partial(rows.put, cell)
    wrong, places = rows.get_head("wrong"), rows.sheet.problem.rules.decimals
    value, given, mark, decimals = (get(name) for name in (f"{at} value", f"{at} given", "plain mark", "decimals"))
    put(f"{at} value", f'IF({wrong}=0,"",IFERROR({print_cell(cell)},""))', "")
    answer = AnswerFormulas(get, "plain", 0, places, rows.stage.gives_infinity)
    is_rounded = answer.is_rounded(value, f"MAX({decimals},{places})")
    fits = f"OR({answer.is_same(value)},AND({decimals}>=0,{is_rounded}))"
    is_evidence = f"AND({get('read')}=1,{mark}<>{IS_SHORT},{wrong}>0)"
    put(f"{at} given", f'IF({is_evidence},IF({value}="",0,IF({fits},1,0)),"")', "")
    put(f"{at} shown", f'IF(AND({mark}={IS_WRONG},{given}=1),ROUND({value},{WORKED_DIGITS}),"")', "")


def _write_heads(rows: StageTable, at: int, count: int) -> None:
    mark, read, given, shown = (rows.get_range(name) for name in ("plain mark", "read", f"{at} given", f"{at} shown"))
    wrong, readings = rows.get_head("wrong"), rows.get_head("readings")
    explained, kept, whole = (rows.get_head(f"{at} {name}") for name in ("explained", "kept", "whole"))
    put = rows.put_head
    put(f"{at} explained", f"COUNTIFS({mark},{IS_WRONG},{given},1)")
    put(f"{at} given", f"COUNTIF({given},1)")
    put(f"{at} kept", f'COUNTIFS({read},1,{mark},"<>{IS_WRONG}",{mark},"<>{IS_SHORT}",{given},0)')
    is_whole = f"AND({readings}>0,{rows.get_head(f'{at} given')}={readings})"
    put(f"{at} whole", f"IF({wrong}=0,0,IF({is_whole},1,0))")
    ends = f"COUNTIF({shown},MIN({shown}))+COUNTIF({shown},MAX({shown}))"
    is_many = f"AND(MIN({shown})<MAX({shown}),COUNT({shown})>={MIN_NUMBERS_OF_PART},COUNT({shown})>{ends})"
    put(f"{at} many", f"IF({wrong}=0,0,IF({is_many},1,0))")
    exceptions = f"({wrong}-{explained}+{kept})"
    is_throughout = (
        f"AND({wrong}>{explained},{1 + FEW_WRONG}*{exceptions}<={readings},"
        f"OR({exceptions}=1,{FEW_EXCEPTIONS}*{exceptions}<={explained}))"
    )
    lines = ",".join(_is_line(rows, given, side) for side in ("row", "column"))
    is_part = f"AND({wrong}={explained},OR({rows.get_head(f'{at} many')}=1,{lines}))"
    is_enough = f"AND({explained}>={MIN_CELLS_OF_PART},OR({is_throughout},{is_part}))"
    put(f"{at} credible", f"IF({wrong}=0,0,IF(OR({whole}=1,{is_enough}),1,0))")
    pairs = "+".join(_is_pair(rows, given, other) for other in range(at + 1, count)) or "0"
    is_half = f"AND({wrong}>1,{kept}=0,{explained}>0,{explained}<{wrong})"
    put(f"{at} pair", f"IF({is_half},{pairs},0)")


def _is_line(rows: StageTable, given: str, side: str) -> str:
    """Return whether all wrong cells are in one row or column, and the slip was made in all of it and nowhere else."""
    mark, read, line = rows.get_range("plain mark"), rows.get_range("read"), rows.get_range(side)
    first, wrong, readings = (rows.get_head(name) for name in (f"first {side}", "wrong", "readings"))
    return (
        f"AND(COUNTIFS({mark},{IS_WRONG},{line},{first})={wrong},COUNTIFS({read},1,{line},{first})<{readings},"
        f'COUNTIFS({read},1,{mark},"<>{IS_WRONG}",{given},0,{line},{first})=0)'
    )


def _is_pair(rows: StageTable, given: str, other: int) -> str:
    """Return whether another slip gives the other wrong cells, and neither shows where what was written is right."""
    mark, other_given = rows.get_range("plain mark"), rows.get_range(f"{other} given")
    kept, explained = (rows.get_head(f"{other} {name}") for name in ("kept", "explained"))
    is_all = f"COUNTIFS({mark},{IS_WRONG},{given},0,{other_given},0)=0"
    return f"IF(AND({kept}=0,{explained}<{rows.get_head('wrong')},{is_all}),1,0)"
