"""A student's own sheet with marks, as a web page or a PDF: feedback first, then every page as it was filled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from attnhand.errors import AttnhandError, name_option
from attnhand.formats.html import MARK_STYLE_SHEETS, make_font_data_url, render_page
from attnhand.layout.lay_out import lay_out
from attnhand.layout.name_line import fit_name
from attnhand.layout.page import (
    Box,
    GridBox,
    Item,
    Layout,
    Page,
    Paragraph,
    RuleBox,
    TextBox,
    make_grid_box,
    make_text_box,
    measure_text_height,
)
from attnhand.layout.page_grid import FOOT_GAP
from attnhand.layout.typography import TOP_MARGIN, ParagraphStyle, Typography
from attnhand.marking.annotate import annotate_grid, build_score_grids
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import CellMark
from attnhand.marking.redo import find_cells_to_redo
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import build_stage_grid
from attnhand.sheet.grids import MARK_SIGNS, Cell, CellKind, Grid, Mark
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.questions import WORDS_NAME
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import add_digest
from attnhand.system.files import is_folder
from attnhand.text.widths import (
    MM_PER_POINT,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_unicode,
    replace_missing_characters,
)

GROUP_GAP = 4.0
"""Between what is right, where to look first, what follows and what to redo, in millimetres."""

CELL_HEIGHT_IN_LETTERS = 2.1
"""A cell of the first page is so many times as high as its type."""

CELL_WIDTH, SCORE_CELL_WIDTH = 1.7, 1.8
"""A cell of a stage, and of the scores, is so many times as wide as high."""

CORNER_WIDTH, SCORE_LABEL_WIDTH = 4.2, 4.0
"""The column of labels on the first page is so many times as wide as its type is high."""

MAX_GRID_SHARE = 0.6
"""Of the width of the first page; the rest is for the comments."""


def lay_out_report(result: CheckResult) -> Layout:
    """Return the pages: feedback first, then the sheet with the answers in it."""
    layout = lay_out(result.sheet.blank)
    marks = {cell.address: cell for cell in result.marks.cells}
    questions = {mark.question.name: mark for mark in result.question_marks}

    def annotate(item: Item) -> Iterator[Item]:
        if isinstance(item, TextBox) and any(p.is_total for p in item.paragraphs):
            yield _fill_total_line(result, item, layout.typography)
        elif isinstance(item, TextBox):
            yield replace(item, paragraphs=tuple(_fill_mark_box(result, paragraph) for paragraph in item.paragraphs))
        elif isinstance(item, GridBox) and not _is_only_printed(item.grid, result.sheet):
            filled = replace(item, grid=annotate_grid(item.grid, marks, result.sheet, questions))
            has_exact = any(cell.exact for row in filled.grid.cells for cell in row)
            # an answer has the room that the key has for exact values and decimals
            roomy = replace(filled, exact_h=item.exact_h if has_exact else 0.0, decimal_w=0.0)
            yield _shorten_answers(roomy, layout.typography)
        else:
            yield item
            if isinstance(item, RuleBox) and item.field_name in (*questions, WORDS_NAME):
                yield _write_on_line(result, item, layout.typography)

    pages = tuple(replace(page, items=tuple(chain.from_iterable(map(annotate, page.items)))) for page in layout.pages)
    return replace(layout, pages=_count_pages(result.sheet, (*_make_feedback_pages(result, layout), *pages)))


def _count_pages(sheet: Sheet, pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return pages whose feet count all pages of the report: "page 2 of 3"."""
    counted = []
    for at, page in enumerate(pages, 1):
        *items, foot = page.items
        assert isinstance(foot, TextBox)
        text = parse_unicode(sheet.say("page", page=at, pages=len(pages)))
        paragraphs = tuple(replace(each, right_text=text) for each in foot.paragraphs)
        counted.append(replace(page, items=(*items, replace(foot, paragraphs=paragraphs))))
    return tuple(counted)


def _is_only_printed(grid: Grid, sheet: Sheet) -> bool:
    """Say whether a sheet with a mistake prints all of a grid: what was worked anew stands in another."""
    return sheet.planted_mistake is not None and not any(
        cell.kind is CellKind.ANEW for row in grid.cells for cell in row
    )


def _write_on_line(result: CheckResult, rule: RuleBox, typography: Typography) -> TextBox:
    """Write what a student answered on its line, as much of it as there is room for, with its mark."""
    mark = next((each for each in result.question_marks if each.question.name == rule.field_name), None)
    sign = f"{MARK_SIGNS[mark.mark]} " if mark and mark.mark is not Mark.BLANK else ""
    answer = " ".join((mark.answer if mark else result.own_words).split())
    paragraph = fit_name(sign + answer, rule.box.w, typography)
    height = typography.find_line_height(paragraph.style)
    return TextBox(box=Box(rule.box.x, rule.box.y - height, rule.box.w, height), paragraphs=(paragraph,))


def _fill_mark_box(result: CheckResult, paragraph: Paragraph) -> Paragraph:
    """Write into a mark box how many cells of its stage count."""
    scores = result.marks.scores_by_stage
    if paragraph.marked_stage not in scores:  # no mark box, or one of a stage that is printed
        return paragraph
    count, cells = scores[paragraph.marked_stage]
    score = make_bold_text(result.sheet.say("marked", count=count, cells=cells))
    name = (*paragraph.mark_name, *make_plain_text(" ")) if paragraph.mark_name else ()
    return replace(paragraph, text=(*name, *score))


def _fill_total_line(result: CheckResult, item: TextBox, typography: Typography) -> TextBox:
    """Write the total on the end of its line, before what it is out of."""
    count = make_bold_text(f"{result.marks.score} ")
    taken = measure_width(count, typography.paragraph_points[ParagraphStyle.BODY]) + 0.5
    box = item.box._replace(x=item.box.x - taken, w=item.box.w + taken + 1.0)
    return TextBox(box=box, paragraphs=(replace(item.paragraphs[0], text=(*count, *item.paragraphs[0].text)),))


def _shorten_answers(box: GridBox, typography: Typography) -> GridBox:
    """Cut answers that would run out of their cells: students may write anything."""

    def fits(number: PrintedNumber) -> bool:
        return box.find_number_step(number, typography, is_marked=True) is not None

    def shorten(cell: Cell) -> Cell:
        if cell.mark is None or cell.number is None or fits(cell.number):
            return cell
        text = str(cell.number)
        cuts = (PrintedNumber(f"{text[:length]}…") for length in range(len(text) - 1, 0, -1))
        return cell._replace(number=next(filter(fits, cuts), PrintedNumber("…")))

    cells = tuple(tuple(map(shorten, row)) for row in box.grid.cells)
    return replace(box, grid=replace(box.grid, cells=cells))


def _make_feedback_pages(result: CheckResult, layout: Layout) -> tuple[Page, ...]:
    """Return the page with the feedback, which stands before page 1; a second one where much is to be said."""
    sheet, feedback = result.sheet, result.feedback
    title = feedback.owner or sheet.say("feedback.title")
    facts = [
        *([sheet.say("feedback.title")] if feedback.owner else []),
        sentences.format_title(sheet),
        sheet.say("code", code=sheet.code),
    ]
    page = _FeedbackPages(result, layout)
    page.add_paragraphs(
        Paragraph(make_bold_text(replace_missing_characters(title)), ParagraphStyle.TITLE, heading_level=1),
        Paragraph(make_plain_text(sheet.language.list_of(facts, "facts")), ParagraphStyle.SMALL),
    )
    page.add_paragraphs(Paragraph(make_bold_text(feedback.score), ParagraphStyle.HEADING, heading_level=2))
    for grid in build_score_grids(result.marks, sheet):
        page.add_scores(grid)
    page.add_paragraphs(*_make_paragraphs(feedback.remark, feedback.praise))
    page.add_departures()
    advice = parse_unicode(replace_missing_characters(feedback.redo_advice), is_bold=True)
    redo = (Paragraph(advice, ParagraphStyle.BODY),) if advice else ()
    legend = Paragraph(make_plain_text(sheet.say("feedback.legend")), ParagraphStyle.SMALL)
    closing = (
        _make_paragraphs(*feedback.consequences),
        (*redo, *_make_paragraphs(feedback.empty_note)),
        _make_paragraphs(*feedback.questions),
        _make_paragraphs(f" {result.another_try.heading} {'; '.join(result.another_try.lines)}")
        if result.another_try
        else (),
        () if result.marks.is_all_correct else (legend,),
    )
    page.add_paragraphs(*closing[0])
    page.add_paragraphs(*closing[1])
    if result.marks.first_departure:
        page.add_grids(page.build_redo_grids(), closing[2:])
    elif result.marks.is_all_correct:
        page.add_grids(page.build_marked_grids(), closing[2:])
    for paragraphs in closing[2:]:
        page.add_paragraphs(*paragraphs)
    if result.another_try:
        page.add_turned_text(result.another_try.turned_answers)
    # below 1, which is the sheet's own: 0, −1
    return tuple(Page(number=-at, items=(*items, page.foot)) for at, items in enumerate(page.pages))


_Comment = tuple[CellMark, tuple[Paragraph, ...]]
"""What is to be said of a cell."""


class _FeedbackPages:
    """The pages with the feedback, filled from the top."""

    def __init__(self, result: CheckResult, layout: Layout) -> None:
        self.result, self.type_ = result, layout.typography
        self.foot = layout.pages[0].items[-1]
        """That of the sheet, with its code; the page stands as wide as it."""

        self.left, self.room, self.bottom = self.foot.box.x, self.foot.box.w, self.foot.box.y - FOOT_GAP
        self.cell_h = self.type_.cell_points * MM_PER_POINT * CELL_HEIGHT_IN_LETTERS
        self.pages: list[list[Item]] = [[]]
        self.y = TOP_MARGIN

    @property
    def items(self) -> list[Item]:
        """What stands on the last page."""
        return self.pages[-1]

    def add_paragraphs(self, *paragraphs: Paragraph) -> None:
        """Add a text below what is there."""
        if not paragraphs:
            return
        if self.y + measure_text_height(paragraphs, self.type_, self.room) > self.bottom:
            self._begin_page()
        self._add_text(paragraphs, self.left, self.room)

    def _begin_page(self) -> None:
        self.pages.append([])
        self.y = TOP_MARGIN

    def _add_text(self, paragraphs: tuple[Paragraph, ...], x: float, w: float) -> None:
        box = Box(x, self.y, w, measure_text_height(paragraphs, self.type_, w))
        self.items.append(TextBox(box=box, paragraphs=paragraphs))
        self.y = box.bottom + GROUP_GAP

    def add_scores(self, grid: Grid) -> None:
        """Add a table of how much counts of every stage."""
        label_width = SCORE_LABEL_WIDTH * self.type_.label_points * MM_PER_POINT
        cell_w = min(SCORE_CELL_WIDTH * self.cell_h, (self.room - label_width) / grid.column_count)
        cell_size, header_size = (cell_w, self.cell_h * 0.75), (label_width, self.cell_h * 0.6)
        box = make_grid_box(grid, (self.left, self.y), cell_size, header_size)
        self.items.append(box)
        self.y = box.box.bottom + GROUP_GAP

    def add_turned_text(self, text: str) -> None:
        """Write upside down on the right of the last line, where nobody reads it by chance."""
        paragraphs = (Paragraph(parse_unicode(replace_missing_characters(text)), ParagraphStyle.SMALL),)
        points = self.type_.paragraph_points[ParagraphStyle.SMALL]
        width = measure_width(paragraphs[0].text, points) + 0.5
        last = self.items[-1]
        assert isinstance(last, TextBox)
        if measure_width(last.paragraphs[0].text, points) + GROUP_GAP + width > self.room:
            self.add_paragraphs(*paragraphs)
            last = self.items[-1]
        else:
            self.items[-1] = replace(last, box=last.box._replace(w=self.room - width - 1.0))
            self.items.append(last)
        box = Box(self.left + self.room - width, last.box.y, width, last.box.h)
        self.items[-1] = TextBox(box=box, paragraphs=paragraphs, is_turned=True)

    def build_redo_grids(self) -> list[Grid]:
        """Return the stages to work again: empty where that is to be done, elsewhere as they were handed in."""
        redo = find_cells_to_redo(self.result.marks, self.result.sheet)
        addresses = {cell.address for each in redo.values() for cell in each.cells}

        def empty(cell: Cell) -> Cell:
            is_wrong = cell.mark in (Mark.WRONG, Mark.UNREADABLE)  # of other stages too: nothing wrong is given
            is_empty = is_wrong or cell.address in addresses or cell.number is None
            return cell._replace(
                kind=CellKind.BLANK if is_empty else CellKind.GIVEN,
                number=None if is_empty else cell.number,
                mark=None,
                address="",
            )

        return [_map_cells(self._annotate_stage(name), empty) for name in redo]

    def build_marked_grids(self) -> list[Grid]:
        """Return all stages with their marks: the whole way on one page."""
        return [_map_cells(self._annotate_stage(name), _drop_address) for name in self.result.marks.scores_by_stage]

    def _annotate_stage(self, name: str) -> Grid:
        sheet = self.result.sheet.blank
        marks = {cell.address: cell for cell in self.result.marks.cells if cell.stage == name}
        return annotate_grid(build_stage_grid(sheet, sheet.problem.mechanism.get_stage(name)), marks, sheet)

    def add_grids(self, grids: Sequence[Grid], closing: Sequence[tuple[Paragraph, ...]]) -> None:
        """Add grids side by side and in lines, as many as leave room for what closes the page."""
        bottom = self.bottom - self._measure_closing(closing)
        header_w = CORNER_WIDTH * self.type_.label_points * MM_PER_POINT
        header_size = (header_w, self.cell_h * 0.6)
        x, line_bottom = self.left, self.y
        for grid in grids:
            cell_w = min(CELL_WIDTH * self.cell_h, (self.room - header_w) / grid.column_count)
            box = make_grid_box(grid, (x, self.y), (cell_w, self.cell_h), header_size)
            if x > self.left and box.box.right > self.left + self.room:
                x, self.y = self.left, line_bottom + GROUP_GAP
                box = make_grid_box(grid, (x, self.y), (cell_w, self.cell_h), header_size)
            if box.box.bottom > bottom:
                break
            self.items.append(_shorten_answers(box, self.type_))
            x, line_bottom = box.box.right + GROUP_GAP, max(line_bottom, box.box.bottom)
        if line_bottom > self.y:
            self.y = line_bottom + GROUP_GAP

    def _measure_closing(self, closing: Sequence[tuple[Paragraph, ...]]) -> float:
        return sum(measure_text_height(each, self.type_, self.room) + GROUP_GAP for each in closing if each)

    def add_stage(self, name: str, comments: Sequence[_Comment]) -> None:
        """Add a stage with its marks, each comment beside the row of its cell; on a new page where there is no room."""
        items = self._draw_stage(name, comments)
        if self.y > TOP_MARGIN and max(item.box.bottom for item in items) > self.bottom:
            self._begin_page()
            items = self._draw_stage(name, comments)
        self.items.extend(items)
        self.y = max(item.box.bottom for item in items) + GROUP_GAP

    def _draw_stage(self, name: str, comments: Sequence[_Comment]) -> list[GridBox | TextBox]:
        """Return a stage and the comments on it, as they stand below what is there."""
        marked = self._annotate_stage(name)
        header_w = CORNER_WIDTH * self.type_.label_points * MM_PER_POINT
        cell_w = min(CELL_WIDTH * self.cell_h, (self.room * MAX_GRID_SHARE - header_w) / marked.column_count)
        header_size = (header_w, self.cell_h * 0.6)
        grid = _map_cells(marked, _drop_address)
        drawn = make_grid_box(grid, (self.left, self.y), (cell_w, self.cell_h), header_size)
        drawn = _shorten_answers(drawn, self.type_)
        x = drawn.box.x + drawn.box.w + GROUP_GAP
        texts, y = list[TextBox](), self.y
        for cell, paragraphs in comments:
            row = next(
                at for at, cells in enumerate(marked.cells) if any(each.address == cell.address for each in cells)
            )
            inset = (self.cell_h - self.type_.find_line_height(ParagraphStyle.BODY)) / 2
            text = make_text_box(paragraphs, self.type_, x, 0.0, self.left + self.room - x)
            beside = drawn.box.y + drawn.header_h + row * self.cell_h + inset
            y = max(y, min(beside, self.bottom - text.box.h))
            texts.append(replace(text, box=text.box._replace(y=y)))
            y += text.box.h + self.type_.paragraph_gap
        return [drawn, *texts]

    def add_departures(self) -> None:
        """Add the stages with something amiss, what is to be said of each departure beside the row of its cell."""
        comments: dict[str, list[_Comment]] = {}
        for departure, sentences_of_it in self.result.feedback.departures:
            cell = departure.first
            comments.setdefault(cell.stage, []).append((cell, _make_paragraphs(*sentences_of_it)))
        for stage, comments_of_stage in comments.items():
            self.add_stage(stage, comments_of_stage)


def _map_cells(grid: Grid, change: Callable[[Cell], Cell]) -> Grid:
    return replace(grid, cells=tuple(tuple(map(change, row)) for row in grid.cells))


def _drop_address(cell: Cell) -> Cell:
    """Return a cell of the first page: the sheet's own pages follow, and a place has its address once."""
    return cell._replace(address="")


def _make_paragraphs(*texts: str) -> tuple[Paragraph, ...]:
    """Return a paragraph for each text; a calculation begins with a blank and is set smaller."""
    printable = map(replace_missing_characters, filter(None, texts))
    return tuple(
        Paragraph(parse_unicode(text.strip()), ParagraphStyle.SMALL if text.startswith(" ") else ParagraphStyle.BODY)
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
