"""A student's own sheet with marks, as a web page or a PDF: what is said of it, then every page as it was filled."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.numbers import true_minus
from attnhand.formats.html import MARKS, font_data, render_page
from attnhand.layout.lay_out import lay_out
from attnhand.layout.number_fit import LEAST_PERCENT
from attnhand.layout.page import Box, GridBox, Item, Layout, Page, Paragraph, TextBox, text_height
from attnhand.layout.typography import MARGIN, TOP, Set, Typography
from attnhand.marking.checked import Checked
from attnhand.marking.marks import CellMark, Note
from attnhand.sheet import sentences
from attnhand.sheet.figures import Figure, hand_figure
from attnhand.sheet.grids import Cell, Grid, Kind
from attnhand.system.digests import sealed
from attnhand.text.widths import bold, marked_up, plain, printable, width

LONGEST_SHOWN = 8
"""Characters of an answer that fit its cell."""


def annotated(grid: Grid, marks: Mapping[str, CellMark], places: int) -> Grid:
    """Return a blank grid with the answers to its cells in it, each with its mark.

    Args:
        marks: by the address of their cell.
        places: digits of decimals that the sheet asks for.
    """
    return replace(grid, cells=tuple(tuple(_annotated(cell, marks, places) for cell in row) for row in grid.cells))


def _annotated(cell: Cell, marks: Mapping[str, CellMark], places: int) -> Cell:
    if (mark := marks.get(cell.address)) is None:
        return cell
    spoken = cell.spoken.rpartition(", ")[0] if cell.kind is Kind.BLANK else cell.spoken
    return replace(cell, kind=Kind.ANSWER, figure=_figure(mark, places), mark=mark.mark, spoken=spoken)


def _figure(mark: CellMark, places: int) -> Figure | None:
    """Show an answer as it was written, a fraction over its line; what is too long is cut or rounded."""
    text = mark.answer.strip()
    if not text or mark.note is Note.SHAPE:
        return None
    if isinstance(mark.value, Fraction) and ("/" in text or len(text) > LONGEST_SHOWN):
        return hand_figure(mark.value, places)
    if mark.value is not None and len(text) > LONGEST_SHOWN:
        return hand_figure(mark.value, places)
    shown = true_minus(text) if mark.value is not None else text
    shown = printable(" ".join(shown.split()))
    return Figure(shown if len(shown) <= LONGEST_SHOWN else f"{shown[: LONGEST_SHOWN - 1]}…")


BETWEEN_GROUPS = 4.0
"""Between what is right, where to look first, what follows and what to redo, in millimetres."""


def report_layout(checked: Checked) -> Layout:
    """Return the pages: what is said of the answers, then the sheet with them in it."""
    layout = lay_out(checked.sheet.blank)
    marks = {cell.address: cell for cell in checked.marks.cells}
    places = checked.sheet.problem.rules.decimals

    def shown(item: Item) -> Item:
        if isinstance(item, TextBox) and item.paragraphs == (_out_of(checked),):
            return _total(checked, item, layout.typography)
        if isinstance(item, TextBox):
            return replace(item, paragraphs=tuple(_scored(checked, paragraph) for paragraph in item.paragraphs))
        if isinstance(item, GridBox):
            return _fitted(replace(item, grid=annotated(item.grid, marks, places)), layout.typography)
        return item

    pages = tuple(replace(page, items=tuple(map(shown, page.items))) for page in layout.pages)
    return replace(layout, pages=(_said(checked, layout), *pages))


def _scored(checked: Checked, paragraph: Paragraph) -> Paragraph:
    """Write into a mark box how many cells of its stage count."""
    sheet, marks = checked.sheet, checked.marks
    cells = sum(cell.stage == paragraph.marks for cell in marks.cells)
    if not cells:  # no mark box, or one of a stage that is printed
        return paragraph
    score = bold(sheet.say("marked", count=marks.counting(paragraph.marks), cells=cells))
    return replace(paragraph, right=score) if paragraph.right else replace(paragraph, text=score)


def _out_of(checked: Checked) -> Paragraph:
    return Paragraph(marked_up(checked.sheet.say("out_of", cells=checked.sheet.cells_to_fill)))


def _total(checked: Checked, item: TextBox, type_: Typography) -> TextBox:
    """Write the total on the end of its line, before what it is out of."""
    count = bold(f"{checked.marks.counting()} ")
    taken = width(count, type_.points[Set.BODY]) + 0.5
    box = replace(item.box, x=item.box.x - taken, w=item.box.w + taken + 1.0)
    return TextBox(box=box, paragraphs=(replace(item.paragraphs[0], text=(*count, *item.paragraphs[0].text)),))


def _fitted(box: GridBox, type_: Typography) -> GridBox:
    """Cut answers that would run out of their cells: somebody may have written anything."""

    def fitted(cell: Cell) -> Cell:
        figure = cell.figure
        if cell.mark is None or figure is None or box.percent(figure, type_) >= LEAST_PERCENT:
            return cell
        text = str(figure)
        cuts = (Figure(f"{text[:length]}…") for length in range(len(text) - 1, 0, -1))
        return replace(
            cell, figure=next((cut for cut in cuts if box.percent(cut, type_) >= LEAST_PERCENT), Figure("…"))
        )

    cells = tuple(tuple(map(fitted, row)) for row in box.grid.cells)
    return replace(box, grid=replace(box.grid, cells=cells))


def _said(checked: Checked, layout: Layout) -> Page:
    """Return the page with the feedback; it stands before page 1."""
    sheet, type_ = checked.sheet, layout.typography
    room = layout.width - 2 * MARGIN
    said = checked.feedback
    groups = (
        (
            Paragraph(bold(sheet.say("feedback.title")), Set.TITLE, level=1),
            Paragraph(plain(f"{sentences.title(sheet)} · {sheet.say('code', code=sheet.code)}"), Set.SMALL),
        ),
        (Paragraph(bold(printable(said.score)), Set.HEADING, level=2), *_told(said.stages, said.right)),
        _told(*said.look),
        _told(*said.after),
        (*(Paragraph(bold(p), Set.BODY) for p in [printable(said.redo)] if p), *_told(said.empty, said.teacher)),
        (Paragraph(plain(sheet.say("feedback.legend")), Set.SMALL),),
    )
    items: list[Item] = []
    y = TOP
    for group in filter(None, groups):
        box = Box(MARGIN, y, room, text_height(group, type_, room))
        items.append(TextBox(box=box, paragraphs=group))
        y = box.bottom + BETWEEN_GROUPS
    return Page(number=0, items=tuple(items))


def _told(*sentences: str) -> tuple[Paragraph, ...]:
    """Return what there is to say; what is worked out begins with a blank and is set smaller."""
    told = map(printable, filter(None, sentences))
    return tuple(Paragraph(plain(said.strip()), Set.SMALL if said.startswith(" ") else Set.BODY) for said in told)


def render_report_html(checked: Checked) -> bytes:
    """Return the report as one web page."""
    layout = report_layout(checked)
    page = render_page(checked.sheet.blank, layout, font_data, screen=True, styles=MARKS)
    return sealed(page.encode(), "html")


def render_report_pdf(checked: Checked) -> bytes:
    """Return the report as a tagged PDF.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    from attnhand.formats.pdf.weasy import font_url, pdf_of_page

    layout = report_layout(checked)
    page = render_page(checked.sheet.blank, layout, font_url, screen=False, styles=MARKS)
    return sealed(pdf_of_page(page), "pdf")


REPORTS: Mapping[str, Callable[[Checked], bytes]] = {".html": render_report_html, ".pdf": render_report_pdf}
"""What writes a report, by the suffix of its file."""
