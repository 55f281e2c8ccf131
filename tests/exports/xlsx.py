"""Excel files that check themselves, filled and worked again by LibreOffice: their signs are those of ``check``."""

import random
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import attnhand
from attnhand.attention.solution import format_cell_address
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from tests.exports.cases import ALLOWED_DIFFERENCES, LARGEST_DIFFERENCE, LONGEST_NUMBER, Case, Marker, check
from tests.exports.cases import list_cases as list_table
from tests.exports.tried import choose_by_turns
from tests.formats.workbooks import (
    SPELLINGS,
    WorkbookCell,
    expect_signs,
    fill_cells,
    find_places,
    is_same_value,
    list_cases,
    list_texts,
    read_cells,
)

_WORK_AGAIN = """\
<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item></oor:items>
"""
"""Works every formula again when a file is opened, whatever is stored."""


PAPERS = 8
"""Of each sheet, beside the key in every spelling: LibreOffice needs most of a second for each."""


def attempt(number: int) -> str:
    """Fill one sheet with the key in every spelling and with some slips, and compare each cell's sign with check.

    Which slips, and which papers of the table, its number says.
    """
    name, request = choose_by_turns(number)
    try:
        sheet = make_sheet_from_request(request, PageOptions(self_check=True)).blank
    except AttnhandError:
        return "refused"
    data = FORMATS["xlsx"].render(sheet)
    cases: list[tuple[str, Mapping[str, str], Case | None]] = [("nothing", {}, None)]
    cases += [(label, list_texts(rows), None) for label, rows in list_cases(sheet)]
    cases += [(case.name, list_texts(case.texts), case) for case in list_table(sheet.key) if is_for_excel(case)]
    always, others = cases[: 1 + len(SPELLINGS)], cases[1 + len(SPELLINGS) :]
    cases = [*always, *random.Random(number).sample(others, min(PAPERS, len(others)))]
    worked, stored = sheet.worked_cell, read_cells(data)
    formulas = {at for at, cell in stored.items() if cell.formula}
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{at}.xlsx") for at in range(len(cases))]
        for file, (_, texts, _) in zip(files, cases, strict=True):
            file.write_bytes(fill_cells(data, texts))
        work_again(Path(folder), files)
        for file, (label, texts, case) in zip(files, cases, strict=True):
            where, saved = f"{number} {name} {request.convention} {label}", Path(folder, "out", file.name)
            cells = read_cells(saved.read_bytes())
            if errors := [at for at, cell in cells.items() if str(cell.value).startswith(("#", "Err:"))]:
                return f"{where}: {errors} are errors"
            if not texts:
                changed = [at for at in sorted(formulas) if not is_same_value(stored[at].value, cells[at].value)]
                if changed:
                    return f"{where}: LibreOffice works other values out in {changed[:5]}"
                continue
            if case:
                if fault := compare_scores(sheet, case, cells):
                    return f"{where}: {fault}"
                continue
            signs = {
                address: str(cells[row, column + 1].value or "")
                for address, (row, column) in find_places(cells).items()
                if (row, column + 1) in formulas
            }
            for address, sign in expect_signs(sheet.key, texts).items():
                if worked and address == format_cell_address(*worked):
                    continue
                if signs[address] != sign:
                    return f"{where}: {address} is {signs[address]!r}, check says {sign!r}"
            checked = attnhand.check(saved)
            is_filled, is_all_right = any(texts.get(cell.address) for cell in checked.marks.cells), label in _SPELLED
            # all of basic attention worked with e is another way of working, not a slip
            if is_filled and not checked.marks.other_way and checked.marks.is_all_correct != is_all_right:
                return f"{where}: read back, all right is {checked.marks.is_all_correct}"
    return ""


def is_for_excel(case: Case) -> bool:
    """Say whether a paper of the table can be typed into a spreadsheet, and worked there."""
    longest = max(len(re.sub(r"\D", "", text)) for rows in case.texts.values() for row in rows for text in row)
    return (Marker.EXCEL, case.kind) not in ALLOWED_DIFFERENCES and longest <= LONGEST_NUMBER


def compare_scores(sheet: Sheet, case: Case, cells: Mapping[tuple[int, int], WorkbookCell]) -> str:
    """Return where a spreadsheet counts other cells than check does, and by more than a point."""
    (total,) = (str(cell.value) for cell in cells.values() if str(cell.value).startswith("Total "))
    marks, counted = check(sheet.key, case).marks, int(total.split()[1])
    if abs(counted - int(marks.score)) <= LARGEST_DIFFERENCE * len(marks.cells):
        return ""
    return f"{counted} count, and {marks.score} with check"


_SPELLED = ("fraction", "U+2212", "rounded", "comma")


def work_again(folder: Path, files: list[Path]) -> None:
    """Have LibreOffice open files, work their formulas and save them in a folder beside them."""
    profile = folder / "profile/user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(_WORK_AGAIN, encoding="utf-8")
    command = ["soffice", f"-env:UserInstallation=file://{profile.parent}", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", folder / "out", *files], check=True, capture_output=True, timeout=900)
