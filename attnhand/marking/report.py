"""A student's own sheet with marks, as a web page or a PDF: feedback first, then every page as it was filled."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from attnhand.errors import AttnhandError, name_option
from attnhand.formats.html import MARK_STYLE_SHEETS, make_font_data_url, render_page
from attnhand.layout.lay_out import lay_out
from attnhand.layout.number_fit import MIN_PERCENT
from attnhand.layout.page import Box, GridBox, Item, Layout, Page, Paragraph, TextBox, measure_text_height
from attnhand.layout.typography import SIDE_MARGIN, TOP_MARGIN, ParagraphStyle, Typography
from attnhand.marking.annotate import annotate_grid
from attnhand.marking.checked import CheckResult
from attnhand.sheet import sentences
from attnhand.sheet.figures import PrintedNumber
from attnhand.sheet.grids import Cell
from attnhand.system.digests import add_digest
from attnhand.system.files import is_folder
from attnhand.text.widths import make_bold_text, make_plain_text, measure_width, replace_missing_characters

GROUP_GAP = 4.0
"""Between what is right, where to look first, what follows and what to redo, in millimetres."""


def lay_out_report(result: CheckResult) -> Layout:
    """Return the pages: feedback first, then the sheet with the answers in it."""
    layout = lay_out(result.sheet.blank)
    marks = {cell.address: cell for cell in result.marks.cells}
    questions = {mark.question.name: mark for mark in result.question_marks}

    def annotate(item: Item) -> Item:
        if isinstance(item, TextBox) and any(p.is_total for p in item.paragraphs):
            return _fill_total_line(result, item, layout.typography)
        if isinstance(item, TextBox):
            return replace(item, paragraphs=tuple(_fill_mark_box(result, paragraph) for paragraph in item.paragraphs))
        if isinstance(item, GridBox):
            filled = replace(item, grid=annotate_grid(item.grid, marks, result.sheet, questions))
            return _shorten_answers(filled, layout.typography)
        return item

    pages = tuple(replace(page, items=tuple(map(annotate, page.items))) for page in layout.pages)
    return replace(layout, pages=(_make_feedback_page(result, layout), *pages))


def _fill_mark_box(result: CheckResult, paragraph: Paragraph) -> Paragraph:
    """Write into a mark box how many cells of its stage count."""
    sheet, marks = result.sheet, result.marks
    cells = sum(cell.stage == paragraph.marked_stage for cell in marks.cells)
    if not cells:  # no mark box, or one of a stage that is printed
        return paragraph
    score = make_bold_text(sheet.say("marked", count=marks.count_credited(paragraph.marked_stage), cells=cells))
    return replace(paragraph, right_text=score) if paragraph.right_text else replace(paragraph, text=score)


def _fill_total_line(result: CheckResult, item: TextBox, typography: Typography) -> TextBox:
    """Write the total on the end of its line, before what it is out of."""
    count = make_bold_text(f"{result.marks.count_credited()} ")
    taken = measure_width(count, typography.paragraph_points[ParagraphStyle.BODY]) + 0.5
    box = item.box._replace(x=item.box.x - taken, w=item.box.w + taken + 1.0)
    return TextBox(box=box, paragraphs=(replace(item.paragraphs[0], text=(*count, *item.paragraphs[0].text)),))


def _shorten_answers(box: GridBox, typography: Typography) -> GridBox:
    """Cut answers that would run out of their cells: students may write anything."""

    def fits(number: PrintedNumber) -> bool:
        return box.find_number_percent(number, typography) >= MIN_PERCENT

    def shorten(cell: Cell) -> Cell:
        if cell.mark is None or cell.number is None or fits(cell.number):
            return cell
        text = str(cell.number)
        cuts = (PrintedNumber(f"{text[:length]}…") for length in range(len(text) - 1, 0, -1))
        return cell._replace(number=next(filter(fits, cuts), PrintedNumber("…")))

    cells = tuple(tuple(map(shorten, row)) for row in box.grid.cells)
    return replace(box, grid=replace(box.grid, cells=cells))


def _make_feedback_page(result: CheckResult, layout: Layout) -> Page:
    """Return the page with the feedback; it stands before page 1."""
    sheet, type_ = result.sheet, layout.typography
    room = layout.width - 2 * SIDE_MARGIN
    feedback = result.feedback
    subtitle = f"{sentences.format_title(sheet)} · {sheet.say('code', code=sheet.code)}"
    score, advice = (make_bold_text(replace_missing_characters(p)) for p in (feedback.score, feedback.redo_advice))
    redo = (Paragraph(advice, ParagraphStyle.BODY),) if feedback.redo_advice else ()
    groups = (
        (
            Paragraph(make_bold_text(sheet.say("feedback.title")), ParagraphStyle.TITLE, heading_level=1),
            Paragraph(make_plain_text(subtitle), ParagraphStyle.SMALL),
        ),
        (
            Paragraph(score, ParagraphStyle.HEADING, heading_level=2),
            *_make_paragraphs(feedback.stage_scores, feedback.praise),
        ),
        _make_paragraphs(*feedback.first_error),
        _make_paragraphs(*feedback.consequences),
        (*redo, *_make_paragraphs(feedback.empty_note)),
        _make_paragraphs(*feedback.questions),
        (Paragraph(make_plain_text(sheet.say("feedback.legend")), ParagraphStyle.SMALL),),
    )
    items: list[Item] = []
    y = TOP_MARGIN
    for group in filter(None, groups):
        box = Box(SIDE_MARGIN, y, room, measure_text_height(group, type_, room))
        items.append(TextBox(box=box, paragraphs=group))
        y = box.bottom + GROUP_GAP
    return Page(number=0, items=tuple(items))


def _make_paragraphs(*texts: str) -> tuple[Paragraph, ...]:
    """Return a paragraph for each text; a calculation begins with a blank and is set smaller."""
    printable = map(replace_missing_characters, filter(None, texts))
    return tuple(
        Paragraph(make_plain_text(text.strip()), ParagraphStyle.SMALL if text.startswith(" ") else ParagraphStyle.BODY)
        for text in printable
    )


def render_report_html(result: CheckResult) -> bytes:
    """Return the report as one web page."""
    layout = lay_out_report(result)
    page = render_page(result.sheet.blank, layout, make_font_data_url, for_screen=True, style_sheets=MARK_STYLE_SHEETS)
    return add_digest(page.encode(), "html")


def render_report_pdf(result: CheckResult) -> bytes:
    """Return the report as a tagged PDF.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    from attnhand.formats.pdf.weasy import convert_html_to_pdf, make_font_url

    layout = lay_out_report(result)
    page = render_page(result.sheet.blank, layout, make_font_url, for_screen=False, style_sheets=MARK_STYLE_SHEETS)
    return add_digest(convert_html_to_pdf(page), "pdf")


ReportWriter = Callable[[CheckResult], bytes]

REPORT_WRITERS: Mapping[str, ReportWriter] = {".html": render_report_html, ".pdf": render_report_pdf}
"""What writes a report, by the suffix of its file."""


def choose_report_writer(out: str) -> ReportWriter:
    """Return what writes the report that a file's name asks for.

    Raises:
        AttnhandError: the name is that of neither a web page nor a PDF.
    """
    writer = REPORT_WRITERS.get(Path(out).suffix.lower())
    if writer is None or is_folder(out):
        remedy = f"end it in {' or '.join(REPORT_WRITERS)}"
        raise AttnhandError(f"{name_option('report', out)} is neither a web page nor a PDF: {remedy}")
    return writer
