"""How much work a student's own numbers leave at a stage, as formulas: see ``attention.work_left``.

Whoever writes zeros everywhere, and zeros after them, has worked nothing: such cells do not count.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import CellPosition, list_parts
from attnhand.attention.work_left import ENOUGH_WORK, find_work_left
from attnhand.formats.xlsx.excel_formulas import name_cell
from attnhand.formats.xlsx.stage_table import StageTable
from attnhand.formats.xlsx.table import Refs

WORKED_DIGITS = 6
"""By so many decimals numbers are told apart that a calculation starts from."""

Factor = tuple[str, str, str]
"""A number that is multiplied or divided, where it comes from, and whether it may be made up."""


def write_work(rows: StageTable, suspects: Mapping[str, str]) -> None:
    """Write which cells were only copied from numbers that may be made up, and so do not count.

    Args:
        suspects: the cell that says so, by the name of the stage that is read.
    """
    stage = rows.stage
    spared = stage.input_names[1] if stage.form is Form.SHARE else None  # to divide by sums is work, whatever they are
    doubted = [name for name in suspects if name != spared]
    rows.put_head("doubt", "+".join(suspects[name] for name in doubted) or "0")
    rows.put_head("worked", rows.count("first", 1))
    rows.put_head("needed", _write_needed(rows, doubted, suspects))
    doubt, worked, needed = (rows.get_head(name) for name in ("doubt", "worked", "needed"))
    values = rows.sheet.solution.collect_hand_values()
    top = name_cell(rows.rows[rows.cells[0]], rows.table.columns["work"])
    for cell in rows.cells:
        get = partial(rows.get, cell)
        parts = list_parts(stage, values, *cell)
        work = _describe_work(rows, parts, suspects)
        rows.put(cell, "work", f'IF({doubt}=0,"",{work})' if doubted else '""', "")
        is_first = f"COUNTIF({top}:{get('work')},{get('work')})=1"
        rows.put(cell, "first", f'IF({get("work")}="",0,IF({is_first},1,0))', 0)
        read = {each[0] for part in parts for each in part if not isinstance(each, int)}
        touched = "+".join(suspects[name] for name in doubted if name in read) or "0"
        is_copied = f"AND({touched}>0,{get('first')}=0,{worked}<{float(ENOUGH_WORK)}*{needed})"
        rows.put(cell, "copied", f"IF({doubt}=0,0,IF({is_copied},1,0))", 0)


def _write_needed(rows: StageTable, doubted: Sequence[str], suspects: Mapping[str, str]) -> str:
    """Return how much work the key asks, for each choice of matrices that may be made up."""
    asked, values = rows.sheet.list_asked_cells(rows.stage), rows.sheet.solution.collect_hand_values()
    found = "0"
    for chosen in product((False, True), repeat=len(suspects)):
        copied = [name for name, is_chosen in zip(suspects, chosen, strict=True) if is_chosen]
        if made_up := [name for name in copied if name in doubted]:
            count = len(find_work_left(rows.stage, values, made_up, copied, asked).worked)
            tests = (f"{suspects[name]}={int(flag)}" for name, flag in zip(suspects, chosen, strict=True))
            found = f"IF(AND({','.join(tests)}),{count},{found})"
    return found


def _describe_work(rows: StageTable, parts: Sequence[Sequence[CellPosition | int]], suspects: Mapping[str, str]) -> str:
    """Return what tells the work of a cell from that of others; "" where there is none.

    Several numbers together are told by what they are, a single one by where it comes from.
    """
    refs = rows.table.refs["plain own"]
    factors = [[_describe_factor(each, refs, suspects) for each in part] for part in parts]
    if not factors:
        return '""'
    if rows.stage.product is None:
        write = _write_value if len(parts) > 1 else _write_source
        return f'"w"&{"&".join(_join(part, write) for part in factors)}'
    pairs = [(f"({'*'.join(f'({value}<>0)' for value, _, _ in part)})", part) for part in factors]
    by_value, by_source = (
        "&".join(f'IF({is_work}=1,{_join(part, write)},"")' for is_work, part in pairs)
        for write in (_write_value, _write_source)
    )
    ones = "+".join(
        f"{is_work}*({'+'.join(f'({value}=1)*({suspect})' for value, _, suspect in part)})" for is_work, part in pairs
    )
    count = "+".join(is_work for is_work, _ in pairs)
    return f'IF({count}=0,"",IF({count}>1,"w"&{by_value},IF({ones}>0,"","w"&{by_source})))'


def _describe_factor(cell: CellPosition | int, refs: Refs, suspects: Mapping[str, str]) -> Factor:
    if isinstance(cell, int):  # the 1 that meets a bias
        return str(cell), '"1"', "0"
    name, i, j = cell
    number = [*refs].index((name, 0, 0))
    place = f'"{number}.{i}.{j}"'
    if name not in suspects:
        return refs[cell], place, "0"
    source = f'IF({suspects[name]}=1,"{number}="&ROUND({refs[cell]},{WORKED_DIGITS}),{place})'
    return refs[cell], source, suspects[name]


def _write_value(factor: Factor) -> str:
    return f"ROUND({factor[0]},{WORKED_DIGITS})"


def _write_source(factor: Factor) -> str:
    return factor[1]


def _join(part: Sequence[Factor], write: Callable[[Factor], str]) -> str:
    return '&"_"&'.join(map(write, part)) + '&":"'
