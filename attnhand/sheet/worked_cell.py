"""The one cell that is worked on the sheet, all its pairs, and printed in its place."""

from attnhand.operations import Add, LookUp, Product
from attnhand.sheet.drawing import Place
from attnhand.sheet.sheet import Sheet


def worked_cell(sheet: Sheet) -> Place | None:
    """Return the first cell of the first product that is asked and whose numbers are known; None where there is none.

    >>> from attnhand.make import sheet_from_request
    >>> from attnhand.request import Request
    >>> worked_cell(sheet_from_request(Request(seed=7)))
    ('K', 0, 0)
    """
    for name in (name for run in sheet.problem.mechanism.runs for name in run):
        stage = sheet.problem.mechanism.stage(name)
        known = all(_is_known(sheet, read) for read in stage.reads)
        if isinstance(stage.operation, Product) and known and not sheet.is_printed(stage):
            rows, columns = sheet.asked_lines(stage)
            return (name, rows[0], columns[0])
    return None


def _is_known(sheet: Sheet, name: str) -> bool:
    """Say whether a worked cell that names these numbers gives no answer away but what is only copied."""
    if name in dict(sheet.problem.given):
        return True
    stage = sheet.problem.mechanism.stage(name)
    return sheet.is_printed(stage) or isinstance(stage.operation, LookUp | Add)
