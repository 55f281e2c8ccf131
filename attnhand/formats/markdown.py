"""The sheet as Markdown with LaTeX matrices, as GitHub and notebooks draw it."""

from attnhand.formats.markdown_writer import MarkdownWriter
from attnhand.formats.slides import render_slides
from attnhand.sheet.sheet import Sheet


def render_markdown(sheet: Sheet) -> str:
    """Return the sheet as Markdown: house rules, every matrix in the order of need, and on the key the comparison.

    Of a sheet whose options name a stage it is that stage alone, and slides where they ask for these.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> text = render_markdown(make_sheet_from_request(Request(seed=7)).blank)
    >>> text.splitlines()[0], text.count("square") > 100
    ('# Self-attention by hand', True)

    Raises:
        PageError: the sheet draws no such stage.
    """
    if sheet.options.slides:
        return render_slides(sheet)
    return "\n\n".join(MarkdownWriter(sheet).list_blocks()) + "\n"
