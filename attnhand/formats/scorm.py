"""The SCORM 1.2 package: the web sheet that checks itself, in a learning platform that keeps answers and score."""

from dataclasses import replace
from decimal import Decimal

from attnhand.attention.numbers import Number, format_decimal, format_exact
from attnhand.errors import PageError, name_option
from attnhand.formats.html import make_font_data_url, render_page
from attnhand.formats.package import pack_files
from attnhand.formats.templates import get_environment
from attnhand.formats.web import make_web_page
from attnhand.layout.lay_out import lay_out
from attnhand.sheet import sentences
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet

MAX_DATA_LENGTH = 4096
"""Characters that a platform keeps of a page: ``cmi.suspend_data``."""

ROOM_FOR_NOTES = 250
"""Characters for a name, a guess, and answers that are written longer than they need be."""


def render_scorm(sheet: Sheet) -> bytes:
    """Return the package of a sheet to practise on, whatever the sheet shows: a blank page that knows the key.

    Raises:
        PageError: there is nothing to fill, or more than a platform keeps.
    """
    _refuse_impossible_sheet(sheet)
    practice = replace(sheet, options=replace(sheet.options, self_check=True)).blank
    layout = lay_out(practice)
    web = make_web_page(practice, layout, for_platform=True)
    title = sentences.format_document_title(practice)
    manifest = get_environment().get_template("web/imsmanifest.xml").render(code=sheet.code, title=title)
    page = render_page(practice, layout, make_font_data_url, for_screen=True, web=web)
    return pack_files({"imsmanifest.xml": manifest, "index.html": page})


def _refuse_impossible_sheet(sheet: Sheet) -> None:
    if sheet.options.mistake:
        moodle, form = name_option("moodle"), name_option("fillable", value=True)
        remedy = f"take {moodle}, or a form: {form}, or leave out {name_option('mistake')}"
        raise PageError(f"a SCORM package is the web page, on which no mistake is found by filling cells: {remedy}")
    if sheet.follow_through:
        remedy = f"leave out {name_option('given')}"
        raise PageError(f"a SCORM package goes on from what is typed there, not from what was given before: {remedy}")
    length = measure_answers(sheet)
    if length > MAX_DATA_LENGTH:
        remedy = f"ask less with {name_option('only_queries')}, or take the web page, which keeps them in the browser"
        raise PageError(
            f"the answers to this sheet take some {length:,} characters, and a platform keeps {MAX_DATA_LENGTH:,} of a "
            f"SCORM page: {remedy}"
        )


def measure_answers(sheet: Sheet) -> int:
    """Return how many characters a platform must keep of a sheet that is filled.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> measure_answers(make_sheet_from_request(Request(seed=7))) < MAX_DATA_LENGTH
    True
    """

    def measure(value: Number) -> int:
        """Return the length of a number as fraction or decimal, and of what parts it from the next."""
        decimal = "" if isinstance(value, int) else format_decimal(value, sheet.problem.rules.decimals)
        exact = "" if isinstance(value, Decimal) else format_exact(value)
        return max(len(exact), len(decimal)) + 1

    cells = [
        measure(sheet.solution[stage.name].hand[row][column])
        for stage in sheet.problem.mechanism.stages
        if sheet.has_own_panel(stage)
        for row, column in sheet.list_asked_cells(stage)
    ]
    answers = [len(question.plain_answer) + 1 for question in build_questions(sheet.key) if question.name]
    return sum(cells) + sum(answers) + ROOM_FOR_NOTES
