"""The CSV sheet: a spreadsheet to fill, and the form in which answers come back."""

import csv
import io
from collections.abc import Iterator, Sequence
from unicodedata import normalize

from attnhand.attention.numbers import format_exact
from attnhand.attention.solution import SolvedStage
from attnhand.formats.json_sheet import convert_to_finite
from attnhand.problems.problem_file import format_entry
from attnhand.sheet.asked import build_asked_data
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet
from attnhand.system.tables import escape_formula
from attnhand.text.widths import parse_markup, to_unicode


def render_csv(sheet: Sheet) -> str:
    """Return the sheet as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Line 1 is ``attnhand,CODE``. Then come a hint, title and words if there are any, the given matrices and the
    stages, each as a line with its name and its rows below. Cells that the student fills are empty on a
    blank sheet. A solved one ends with the exact values, as blocks named ``A exact``.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> text = render_csv(make_sheet_from_request(Request(seed=7)).blank)
    >>> text.splitlines()[0], text.count("exact")
    ('attnhand,A1Q0-0000-000W', 0)
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    header, *rows = list_header_rows(sheet)
    writer.writerows([header, [sheet.say("explain.csv.dates")], *rows])
    for name, rows in _list_blocks(sheet):
        writer.writerows([[], [name], *rows])
    return out.getvalue()


def list_header_rows(sheet: Sheet) -> Iterator[list[str]]:
    """Yield what a table says of its sheet before its cells, first the code; on a blank no answer."""
    yield ["attnhand", sheet.code]
    if sheet.problem.title:
        yield ["title", escape_formula(sheet.problem.title)]
    if sheet.problem.words:
        yield ["words", *map(escape_formula, sheet.problem.words)]
    if story := sheet.problem.story:
        for name, texts in (("story", (story.sentence, story.question)), ("features", story.feature_names)):
            yield [name, *(escape_formula(to_unicode(parse_markup(text))) for text in texts)]
        if story.memory_words:
            yield ["memory", *map(escape_formula, story.memory_words)]
    for name, value in build_asked_data(sheet).items():
        values = value if isinstance(value, list) else ["true" if value is True else value]
        yield [name, *map(str, values)]
    if sheet.planted_mistake:
        mistake = (sheet.planted_mistake.slip_id, sheet.planted_mistake.stage_name)
        yield ["mistake", *(mistake if sheet.is_solved else ())]


def _list_blocks(sheet: Sheet) -> Iterator[tuple[str, list[list[str]]]]:
    problem = sheet.problem
    for name, a in problem.given:
        yield name, [[format_entry(problem, value) for value in row] for row in a]
    for solved in sheet.printed_solution:
        hand = [
            [
                format_exact(value) if sheet.is_solved or sheet.is_cell_printed(solved.stage, i, j) else ""
                for j, value in enumerate(row)
            ]
            for i, row in enumerate(solved.hand)
        ]
        yield solved.stage.name, _replace_unasked_cells(sheet, solved, hand)
    for question in build_questions(sheet):
        if question.name:
            # spreadsheets of old know no index: q2 for q₂
            words = [normalize("NFKC", text) for text in (question.spoken_text, to_unicode(question.reason)) if text]
            yield question.name, [[escape_formula(question.plain_answer), *words]]
    for solved in sheet.solution if sheet.is_solved else ():
        finite = [[convert_to_finite(value) for value in row] for row in solved.exact]
        exact = [["" if value is None else repr(value) for value in row] for row in finite]
        yield f"{solved.stage.name} exact", _replace_unasked_cells(sheet, solved, exact)


def _replace_unasked_cells(sheet: Sheet, solved: SolvedStage, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with the cells of queries that are not asked marked as such."""
    asked_rows, asked_columns = sheet.find_asked_rows_and_columns(solved.stage)
    return [
        [value if i in asked_rows and j in asked_columns else UNASKED_CELL_TEXT for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
