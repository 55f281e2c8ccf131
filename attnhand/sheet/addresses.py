"""Addresses of cells as people write them: ``S[2,3]``, ``S.2.3``, ``S23``, ``k2q3``; row then column, from 1."""

import re
from collections.abc import Mapping

from attnhand.attention.matrix import shape
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.solution import format_cell_address
from attnhand.errors import CellError
from attnhand.sheet.build_grids import format_headed_markup, format_matrix_name
from attnhand.sheet.sheet import Sheet
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.text.widths import parse_markup, to_unicode

MAX_ADDRESS_LENGTH = 40

_ADDRESS_PATTERN = re.compile(r"(?P<name>[\w.′]+?)(?:\[([0-9]+),([0-9]+)\]|\.([0-9]+)\.([0-9]+)|(?P<digits>[0-9]{2,}))")
_KEY_QUERY_PATTERN = re.compile(r"([a-z])([0-9]+)([a-z])([0-9]+)")
_HOW_TO_WRITE = "write its row and column, counted from 1, as in S[2,3]"


def find_cell(sheet: Sheet, address: str) -> CellPosition:
    """Return the cell that an address means.

    Raises:
        CellError: no cell of this sheet is meant, or it is not clear which; the message says what there is.
    """
    written = re.sub(r"\s*([\[\],.])\s*", r"\1", address.strip()).replace("'", "′")
    if len(written) > MAX_ADDRESS_LENGTH:
        raise CellError(f"{written[:MAX_ADDRESS_LENGTH]!r}… names no cell: {_HOW_TO_WRITE}")
    if pair := _KEY_QUERY_PATTERN.fullmatch(written):
        one, other = (pair[1], int(pair[2])), (pair[3], int(pair[4]))
        if found := _find_score(sheet, one, other):
            return found
    known = _list_known_names(sheet)
    name, numbers = _split_address(known, written)
    if name not in known:
        raise CellError(_format_unknown_matrix(known, name, numbers))
    return _resolve_position(sheet, known[name], numbers)


def make_cell_id(address: str) -> str:
    """Return a cell's id in web pages and forms: letters, digits and underscores.

    >>> make_cell_id("S[2,3]"), make_cell_id("h2.S[1,4]")
    ('S_2_3', 'h2_S_1_4')
    """
    return address.replace(".", "_").replace("[", "_").replace(",", "_").rstrip("]")


def _split_address(known: Mapping[str, str], address: str) -> tuple[str, tuple[str, ...]]:
    """Part a text into a name and either row and column or digits that stand together."""
    for name in sorted(known, key=len, reverse=True):
        if address.startswith(name) and re.fullmatch("[0-9]*", address[len(name) :]):
            return name, (address[len(name) :],)
    if (match := _ADDRESS_PATTERN.fullmatch(address)) is None:
        raise CellError(f"{address!r} names no cell: {_HOW_TO_WRITE}")
    if digits := match["digits"]:
        return match["name"], (digits,)
    return match["name"], (match[2] or match[4], match[3] or match[5])


def _resolve_position(sheet: Sheet, name: str, numbers: tuple[str, ...]) -> CellPosition:
    """Find a cell of a known matrix; of digits that stand together, two have one reading, more have several."""
    digits = numbers[0]
    pair = numbers if len(numbers) == 2 else tuple(digits)
    if len(pair) == 2:
        return _check_position(sheet, name, int(pair[0]), int(pair[1]))
    rows, columns = _get_shape(sheet, name)
    readings = [
        f"{name}[{digits[:i]},{digits[i:]}]"
        for i in range(1, len(digits))
        if "0" not in (digits[0], digits[i]) and int(digits[:i]) <= rows and int(digits[i:]) <= columns
    ]
    if readings:
        raise CellError(f"{name}{digits} is not clear: write {' or '.join(readings)}")
    raise CellError(f"{name}{digits} names no cell of {name}, which is {rows} × {columns}: {_HOW_TO_WRITE}")


def _format_unknown_matrix(known: Mapping[str, str], name: str, numbers: tuple[str, ...]) -> str:
    meant = find_nearest_name(name, known)
    place = ",".join(numbers if len(numbers) == 2 else numbers[0] if len(numbers[0]) == 2 else ())
    names = ", ".join(dict.fromkeys(known.values()))
    advice = f"did you mean {meant}{place and f'[{place}]'}?" if meant else f"use one of {names}"
    return f"the sheet has no matrix {name!r}: {advice}"


def _list_known_names(sheet: Sheet) -> dict[str, str]:
    """Return every name a cell may be called by: those of the code, and those printed, such as Σ."""
    known = sheet.solution.collect_hand_values()
    return {format_printed_name(sheet, name): name for name in known} | {name: name for name in known}


def format_printed_name(sheet: Sheet, name: str) -> str:
    """Return the printed name of a matrix after its head, as people may type it: h1.Σ."""
    head, dot, _ = name.rpartition(".")
    return head + dot + to_unicode(format_matrix_name(sheet, name))


def format_headed_name(sheet: Sheet, name: str) -> str:
    """Return a name as it is printed with its head: Z⁽¹⁾."""
    return to_unicode(parse_markup(format_headed_markup(sheet, name)))


def find_namesakes(sheet: Sheet, name: str) -> tuple[str, ...]:
    """Return the stages that are printed under the name of a stage: words, such as scaled, do not say their head."""
    printed = format_headed_name(sheet, name)
    names = (stage.name for stage in sheet.problem.mechanism.stages)
    return tuple(each for each in names if format_headed_name(sheet, each) == printed)


def format_headed_address(sheet: Sheet, name: str, row: int, column: int) -> str:
    """Return the address of a cell (0-based) as sentences say it: "Z⁽¹⁾[1,3]"."""
    return format_cell_address(format_headed_name(sheet, name), row, column)


def _check_position(sheet: Sheet, name: str, row: int, column: int) -> CellPosition:
    rows, columns = _get_shape(sheet, name)
    if not (1 <= row <= rows and 1 <= column <= columns):
        raise CellError(
            f"{name}[{row},{column}] is outside {name}, which is {rows} × {columns}: "
            f"rows run from 1 to {rows}, columns from 1 to {columns}"
        )
    return name, row - 1, column - 1


def _get_shape(sheet: Sheet, name: str) -> tuple[int, int]:
    return shape(sheet.solution.collect_hand_values()[name])


def _find_score(sheet: Sheet, one: tuple[str, int], other: tuple[str, int]) -> CellPosition | None:
    """Return where a key meets a query, called as on the sheet, in either order; None where nothing is called so.

    Raises:
        CellError: there is no such key or query.
    """
    places: list[CellPosition] = []
    for stage in sheet.problem.mechanism.stages:
        if stage.role is not ProductRole.SCORES or stage.head > 1:
            continue
        axes = stage.rows, stage.columns
        for pair in ((one, other), (other, one)):
            if [letter for letter, _ in pair] == [axis.letter for axis in axes]:
                row, column = (pair[at][1] - sheet.problem.count_before(axes[at]) for at in range(2))
                places.append((stage.name, row, column))
                break  # of two tokens that are called alike the first is the row
    if len(places) < 2:
        return _check_position(sheet, *places[0]) if places else None
    for name, row, column in places:  # of keys that come in blocks
        rows, columns = _get_shape(sheet, name)
        if 1 <= row <= rows and 1 <= column <= columns:
            return name, row - 1, column - 1
    raise CellError(f"no block of the sheet has a score of {one[0]}{one[1]} and {other[0]}{other[1]}: {_HOW_TO_WRITE}")
