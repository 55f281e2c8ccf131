"""Pages with an empty grid for every stage, where there is a mistake to find; a key has those that it changed."""

from dataclasses import replace
from math import inf

from attnhand.layout.page import Item, Paragraph, make_grid_box, make_text_box
from attnhand.layout.page_grid import ANSWER_PITCH, PageGrid, TooLargeError
from attnhand.layout.typography import UNIT, ParagraphStyle
from attnhand.sheet.document import Document
from attnhand.text.widths import make_bold_text, parse_markup

GRID_GAP = 3 * UNIT
"""Between the grids, down the page."""

NAME_ROOM = 4 * UNIT
"""Between them across it: the name of one may run on to the left."""


def make_correction_pages(document: Document, grid: PageGrid, top: float) -> list[list[Item]]:
    """Return the boxes of every such page, below its head.

    Raises:
        TooLargeError: a stage is larger than a page.
    """
    pages: list[list[Item]] = []
    height = grid.heights.whole
    header = grid.label_width, grid.label_height
    x = y = row_bottom = inf
    for drawn in document.corrections:
        box = make_grid_box(drawn, (0.0, 0.0), (ANSWER_PITCH * grid.scale, height), header)
        if box.box.w > grid.text_width:
            box = make_grid_box(drawn, (0.0, 0.0), ((grid.text_width - header[0]) / drawn.column_count, height), header)
        if x + box.box.w > grid.right:
            x, y = grid.left, row_bottom + GRID_GAP
        if y + box.box.h > grid.body_bottom:
            words = [
                Paragraph(
                    make_bold_text(document.sheet.say("mistake.corrected")), ParagraphStyle.HEADING, heading_level=2
                ),
                Paragraph(parse_markup(document.sheet.say("mistake.correct"))),
            ]
            pages.append([make_text_box(words, grid.typography, grid.left, top, grid.text_width)])
            x, y, row_bottom = grid.left, pages[-1][0].box.bottom + GRID_GAP, 0.0
        if y + box.box.h > grid.body_bottom:
            raise TooLargeError("a stage to correct is larger than a page")
        if not document.sheet.is_solved or any(cell.number for row in drawn.cells for cell in row):
            pages[-1].append(replace(box, box=box.box._replace(x=x, y=y)))
        row_bottom = max(row_bottom, y + box.box.h)
        x += box.box.w + NAME_ROOM
    return pages
