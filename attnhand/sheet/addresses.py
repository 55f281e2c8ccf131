"""How people write the address of a cell: ``S[2,3]``, ``S.2.3``, ``S23``, ``k2q3``; row then column, from 1."""

import re

from attnhand.attention.matrix import shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.operations import Product, Role
from attnhand.errors import CellError
from attnhand.sheet.build_grids import Place, matrix_name
from attnhand.sheet.sheet import Sheet
from attnhand.system.did_you_mean import nearest
from attnhand.text.widths import as_plain

LONGEST_ADDRESS = 40

_SPELLINGS = re.compile(r"(?P<name>[\w.]+?)(?:\[([0-9]+),([0-9]+)\]|\.([0-9]+)\.([0-9]+)|(?P<digits>[0-9]{2,}))")
_LINES = re.compile(r"([a-z])([0-9]+)([a-z])([0-9]+)")
_HOW = "write its row and column, counted from 1, as in S[2,3]"


def find_cell(sheet: Sheet, cell: str) -> Place:
    """Return the name, row and column (0-based) of the cell that is meant.

    Raises:
        CellError: no cell of this sheet is meant, or it is not clear which; the message says what there is.
    """
    written = re.sub(r"\s*([\[\],.])\s*", r"\1", cell.strip())
    if len(written) > LONGEST_ADDRESS:
        raise CellError(f"{written[:LONGEST_ADDRESS]!r}… names no cell: {_HOW}")
    if (lines := _LINES.fullmatch(written)) and (scores := _scores(sheet)):
        places = {lines[1]: int(lines[2]), lines[3]: int(lines[4])}
        if lines[1] == lines[3] == scores.rows.letter == scores.columns.letter:
            return _inside(sheet, scores.name, int(lines[2]), int(lines[4]))
        if places.keys() == {scores.rows.letter, scores.columns.letter}:
            return _inside(sheet, scores.name, places[scores.rows.letter], places[scores.columns.letter])
    name, places_written = _parted(sheet, written)
    if name not in _names(sheet):
        raise CellError(_unknown(sheet, name, places_written))
    return _placed(sheet, _names(sheet)[name], places_written)


def cell_id(address: str) -> str:
    """Return a cell's id in web pages and forms: letters, digits and underscores.

    >>> cell_id("S[2,3]"), cell_id("h2.S[1,4]")
    ('S_2_3', 'h2_S_1_4')
    """
    return address.replace(".", "_").replace("[", "_").replace(",", "_").rstrip("]")


def _parted(sheet: Sheet, written: str) -> tuple[str, tuple[str, ...]]:
    """Part a text into a name and either row and column or digits that stand together."""
    for name in sorted(_names(sheet), key=len, reverse=True):
        if written.startswith(name) and re.fullmatch("[0-9]*", written[len(name) :]):
            return name, (written[len(name) :],)
    match = _SPELLINGS.fullmatch(written)
    if match is None:
        raise CellError(f"{written!r} names no cell: {_HOW}")
    if digits := match["digits"]:
        return match["name"], (digits,)
    return match["name"], (match[2] or match[4], match[3] or match[5])


def _placed(sheet: Sheet, name: str, places: tuple[str, ...]) -> Place:
    """Find a cell of a known matrix; of digits that stand together, two have one reading, more have several."""
    if len(places) == 2:
        return _inside(sheet, name, int(places[0]), int(places[1]))
    digits = places[0]
    if len(digits) == 2:
        return _inside(sheet, name, int(digits[0]), int(digits[1]))
    rows, columns = _shape(sheet, name)
    readings = [
        f"{name}[{digits[:i]},{digits[i:]}]"
        for i in range(1, len(digits))
        if "0" not in (digits[0], digits[i]) and int(digits[:i]) <= rows and int(digits[i:]) <= columns
    ]
    if readings:
        raise CellError(f"{name}{digits} is not clear: write {' or '.join(readings)}")
    raise CellError(f"{name}{digits} names no cell of {name}, which is {rows} × {columns}: {_HOW}")


def _unknown(sheet: Sheet, name: str, places: tuple[str, ...]) -> str:
    meant = nearest(name, _names(sheet))
    place = ",".join(places if len(places) == 2 else places[0] if len(places[0]) == 2 else ())
    known = ", ".join(dict.fromkeys(_names(sheet).values()))
    advice = f"did you mean {meant}{place and f'[{place}]'}?" if meant else f"use one of {known}"
    return f"the sheet has no matrix {name!r}: {advice}"


def _names(sheet: Sheet) -> dict[str, str]:
    """Return every name a cell may be called by: those of the code, and those printed, such as Σ."""
    known = [name for name, _ in sheet.problem.given] + [stage.name for stage in sheet.problem.mechanism.stages]
    return {printed_name(sheet, name): name for name in known} | {name: name for name in known}


def printed_name(sheet: Sheet, name: str) -> str:
    """Return a name as it is printed, with its head: h1.Σ."""
    head, dot, _ = name.rpartition(".")
    return head + dot + as_plain(matrix_name(sheet, name))


def _inside(sheet: Sheet, name: str, row: int, column: int) -> Place:
    rows, columns = _shape(sheet, name)
    if not (1 <= row <= rows and 1 <= column <= columns):
        raise CellError(
            f"{name}[{row},{column}] is outside {name}, which is {rows} × {columns}: "
            f"rows run from 1 to {rows}, columns from 1 to {columns}"
        )
    return name, row - 1, column - 1


def _shape(sheet: Sheet, name: str) -> tuple[int, int]:
    return shape(sheet.solution.hand_values()[name])


def _scores(sheet: Sheet) -> Stage | None:
    """Return the stage where every key meets every query: there, k2q3 names a cell in either convention."""
    for stage in sheet.problem.mechanism.stages:
        if isinstance(stage.operation, Product) and stage.operation.role is Role.SCORES:
            return stage
    return None
