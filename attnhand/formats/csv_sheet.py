"""The CSV sheet: a spreadsheet to fill, and the form in which answers come back."""

import csv
import io
from collections.abc import Iterator, Sequence

from attnhand.attention.numbers import written
from attnhand.attention.solution import SolvedStage
from attnhand.formats.json_sheet import finite
from attnhand.problems.problem_file import entry_text
from attnhand.sheet.asked import asked_data
from attnhand.sheet.sheet import NOT_ASKED, Sheet
from attnhand.system.tables import guarded


def render_csv(sheet: Sheet) -> str:
    """Return the sheet as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Line 1 is ``attnhand,CODE``. Then come a hint, title and words if there are any, the given matrices and the
    stages, each as its name on a line of its own and its rows below. Cells that the student fills are empty on a
    blank sheet. A solved one ends with the exact values, as blocks named ``A exact``.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> text = render_csv(sheet_from_request(Request(seed=7)).blank)
    >>> text.splitlines()[0], text.count("exact")
    ('attnhand,A1Q0-0000-000W', 0)
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["attnhand", sheet.code])
    writer.writerow([sheet.say("explain.csv.dates")])
    writer.writerows(_texts(sheet))
    for name, rows in _blocks(sheet):
        writer.writerow([])
        writer.writerow([name])
        writer.writerows(rows)
    return out.getvalue()


def _texts(sheet: Sheet) -> Iterator[list[str]]:
    if sheet.problem.title:
        yield ["title", guarded(sheet.problem.title)]
    if sheet.problem.words:
        yield ["words", *map(guarded, sheet.problem.words)]
    for name, said in asked_data(sheet).items():
        yield [name, *(map(str, said) if isinstance(said, list) else (said,))]
    if sheet.planted:
        yield ["mistake", *((sheet.planted.slip, sheet.planted.stage) if sheet.solved else ())]


def _blocks(sheet: Sheet) -> Iterator[tuple[str, list[list[str]]]]:
    problem = sheet.problem
    for name, a in problem.given:
        yield name, [[entry_text(problem, value) for value in row] for row in a]
    for solved in sheet.shown:
        shown = sheet.solved or sheet.is_printed(solved.stage)
        yield solved.stage.name, _asked(sheet, solved, [[written(x) if shown else "" for x in r] for r in solved.hand])
    if sheet.solved:
        for solved in sheet.solution:
            exact = [["" if finite(x) is None else repr(finite(x)) for x in row] for row in solved.exact]
            yield f"{solved.stage.name} exact", _asked(sheet, solved, exact)


def _asked(sheet: Sheet, solved: SolvedStage, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with the cells of queries that are not asked marked as such."""
    asked_rows, asked_columns = sheet.asked_lines(solved.stage)
    return [
        [value if i in asked_rows and j in asked_columns else NOT_ASKED for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
