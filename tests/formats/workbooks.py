"""What stands in an exported Excel file, read and filled part by part, with no library's idea of a spreadsheet."""

import io
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import NamedTuple
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile

import attnhand
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number, format_decimal, format_exact, is_finite
from attnhand.attention.slips import find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.marking.marks import Note
from attnhand.sheet.sheet import Sheet
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

Rows = Mapping[str, list[list[str]]]
SPELLINGS = ("fraction", "U+2212", "rounded", "comma")
SIGNS = {"correct": "✓", "follows": "→", "wrong": "✗", "unreadable": "?", "blank": ""}


class WorkbookCell(NamedTuple):
    """What a file says of one cell."""

    formula: str
    value: str | float
    """As it is stored, of a formula too."""

    style: str


def read_parts(data: bytes) -> dict[str, bytes]:
    """Return every part of a file; each is whole."""
    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@lru_cache(maxsize=4)  # a file is filled in many ways
def read_cells(data: bytes) -> dict[tuple[int, int], WorkbookCell]:
    """Return every cell of the first table, by row and column from 1."""
    parts = read_parts(data)
    shared = ElementTree.fromstring(parts["xl/sharedStrings.xml"]).findall(f"{MAIN}si")
    texts = ["".join(text.text or "" for text in each.iter(f"{MAIN}t")) for each in shared]
    found = {}
    for cell in ElementTree.fromstring(parts[SHEET]).iter(f"{MAIN}c"):
        text, kind = cell.findtext(f"{MAIN}v") or cell.findtext(f"{MAIN}is/{MAIN}t") or "", cell.get("t", "n")
        value: str | float = texts[int(text)] if kind == "s" else float(text) if kind == "n" and text else text
        found[parse_place(cell.get("r", ""))] = WorkbookCell(cell.findtext(f"{MAIN}f") or "", value, cell.get("s", "0"))
    return found


@cache
def parse_place(reference: str) -> tuple[int, int]:
    """Return row and column of a reference, from 1.

    >>> parse_place("AB12")
    (12, 28)
    """
    match = re.fullmatch("([A-Z]+)([0-9]+)", reference)
    assert match
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]), column


def find_places(cells: Mapping[tuple[int, int], WorkbookCell]) -> dict[str, tuple[int, int]]:
    """Return where cells stand, by address, as the hidden column says."""
    return {
        address: (row, int(column) + 1)
        for (row, first), cell in cells.items()
        if first == 1
        for address, column in re.findall(r"(\S+)=(\d+)", str(cell.value))
    }


def fill_cells(data: bytes, answers: Mapping[str, str]) -> bytes:
    """Return a file with texts typed into its cells, by address; what formulas gave before is left out.

    >>> from attnhand.formats.answers import read_answers_from_spreadsheet
    >>> filled = fill_cells(attnhand.generate(7).blank.xlsx(), {"Q[1,1]": "3/16", "Q[2,1]": "<"})
    >>> [read_answers_from_spreadsheet(filled).field_texts[name] for name in ("Q_1_1", "Q_2_1", "Q_2_2")]
    ['3/16', '<', '']
    """
    places, parts = find_places(read_cells(data)), read_parts(data)
    root = ElementTree.fromstring(parts[SHEET])
    ElementTree.register_namespace("", MAIN[1:-1])
    by_place = {parse_place(cell.get("r", "")): cell for cell in root.iter(f"{MAIN}c")}
    for cell in by_place.values():
        if cell.find(f"{MAIN}f") is not None and (value := cell.find(f"{MAIN}v")) is not None:
            cell.remove(value)
    for address, text in answers.items():
        if text and address in places:
            cell = by_place[places[address]]
            cell.set("t", "inlineStr")
            for child in list(cell):
                cell.remove(child)
            ElementTree.SubElement(ElementTree.SubElement(cell, f"{MAIN}is"), f"{MAIN}t").text = text
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, part in (parts | {SHEET: ElementTree.tostring(root, encoding="utf-8")}).items():
            archive.writestr(name, part)
    return out.getvalue()


def list_texts(rows: Rows) -> dict[str, str]:
    """Return what is typed, by address; nobody types a 2e-40, which is what 0 becomes among decimals."""
    return {
        f"{stage}[{i},{j}]": "0" if "e-" in text else text
        for stage, matrix in rows.items()
        for i, row in enumerate(matrix, 1)
        for j, text in enumerate(row, 1)
    }


def expect_signs(sheet: Sheet, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the sign that check gives every cell, by address.

    The cell that is worked as an example is printed: nobody can type there.
    """
    hand = {solved.stage.name: solved.hand for solved in sheet.solution}
    rows = {
        stage.name: [
            [texts.get(f"{stage.name}[{i},{j}]", "") for j, _ in enumerate(row, 1)]
            for i, row in enumerate(hand[stage.name], 1)
        ]
        for stage in sheet.problem.mechanism.stages
        if sheet.count_answer_cells(stage)
    }
    if worked := sheet.worked_cell:
        rows[worked[0]][worked[1]][worked[2]] = ""
    marked = attnhand.check(rows, sheet)
    return {
        # what follows from numbers that leave little to work follows, and earns nothing
        cell.address: SIGNS["follows" if cell.note is Note.UNWORKED else cell.mark.value]
        for cell in marked.marks.cells
    }


def write_rounded(sheet: Sheet, value: Number) -> str:
    """Write a number as people round it: to the places of the sheet, whole numbers as they are."""
    is_whole = isinstance(value, int) or not is_finite(value)
    return format_exact(value) if is_whole else format_decimal(value, sheet.problem.rules.decimals)


def spell(sheet: Sheet, value: Number, spelling: str) -> str:
    """Write a number in one of the spellings.

    >>> from fractions import Fraction
    >>> [spell(attnhand.generate(7), Fraction(-3, 16), each) for each in SPELLINGS]
    ['-3/16', '−3/16', '-0.19', '-0,19']
    """
    match spelling:
        case "rounded":
            return write_rounded(sheet, value)
        case "comma":
            return write_rounded(sheet, value).replace(".", ",")
        case "U+2212":
            return format_exact(value).replace("-", "−").replace("inf", "∞")
        case _:
            return format_exact(value)


def list_cases(sheet: Sheet, *spellings: str) -> Iterator[tuple[str, Rows]]:
    """Yield what students hand in: the key in some or all spellings, and every slip of every stage and what follows."""
    for spelling in spellings or SPELLINGS:
        yield spelling, write_key(sheet, partial(spell, sheet, spelling=spelling))
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    for stage in stages:
        for slip in find_slips(stage):
            try:
                values = make_slip(sheet, slip.id, stage.name)
            except (AssertionError, AttnhandError, ArithmeticError):
                continue  # it cannot happen with these numbers, or nobody could go on from it
            if (worked := sheet.worked_cell) and worked[0] == stage.name:
                printed = print_cell(sheet, values, worked)
                values = solve(sheet.problem, replacements={stage.name: printed}).collect_hand_values()
            if values == sheet.solution.collect_hand_values():
                continue  # with these numbers it changes nothing
            yield f"{slip.id} at {stage.name}", write_answers(sheet, values)


def print_cell(sheet: Sheet, values: Mapping[str, Matrix], place: CellPosition) -> Matrix:
    """Return a stage with the number in it that is printed, and gone on with, whatever was done in the others."""
    name, row, column = place
    rows = [list(line) for line in values[name]]
    if (len(rows), len(rows[0])) == (len(sheet.solution[name].hand), len(sheet.solution[name].hand[0])):
        rows[row][column] = sheet.solution[name].hand[row][column]
    return tuple(map(tuple, rows))


def is_same_value(a: object, b: object) -> bool:
    """Say whether two values of a cell are the same, numbers but for what floats lose."""
    if isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-11)
    return ("" if a is None else a) == ("" if b is None else b)
