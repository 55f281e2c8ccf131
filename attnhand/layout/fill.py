"""Fill a layout with another sheet's numbers and words, where they fit its boxes."""

from collections.abc import Mapping
from dataclasses import replace

from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.layout.name_line import make_name_paragraph
from attnhand.layout.page import (
    Box,
    GridBox,
    Item,
    Layout,
    Page,
    Paragraph,
    QrBox,
    RuleBox,
    TextBox,
    measure_text_height,
)
from attnhand.layout.typography import Typography
from attnhand.layout.words import bind_powers, bind_result
from attnhand.sheet.build_grids import build_stage_grid, compute_shade, format_source
from attnhand.sheet.grids import Cell, GridStyle
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, SlotKind, build_slot_texts
from attnhand.text.widths import Text


def fill_layout(layout: Layout, sheet: Sheet) -> Layout | None:
    """Return a layout with another sheet's numbers and words; None where they do not fit its boxes."""
    slot_texts = build_slot_texts(sheet, find_text_slots(layout), build_questions(sheet))
    if slot_texts is None:
        return None
    layout = move_worked_cell(layout, sheet, sheet.worked_cell)
    pages = []
    for page in layout.pages:
        items = [_fill_item(item, page, layout, sheet, slot_texts) for item in page.items]
        if any(item is None for item in items):
            return None
        pages.append(replace(page, items=tuple(item for item in items if item is not None)))
    return replace(layout, pages=tuple(pages))


def move_worked_cell(layout: Layout, sheet: Sheet, worked_cell: CellPosition | None) -> Layout:
    """Return a layout with another cell worked as an example: every sheet of a kind has its own, of the same stage.

    Args:
        sheet: any of its kind, blank where the layout is.
    """
    if worked_cell is None:
        return layout
    grid = build_stage_grid(sheet, sheet.problem.mechanism.get_stage(worked_cell[0]), worked_cell)
    cells = {cell.address: cell for row in grid.cells for cell in row}

    def move(cell: Cell) -> Cell:
        moved = cells.get(cell.address, cell)
        return cell._replace(kind=moved.kind, number=moved.number, source=moved.source)

    def move_in_item(item: Item) -> Item:
        if not isinstance(item, GridBox) or item.grid.style is not GridStyle.WORKED:
            return item
        rows = tuple(tuple(map(move, row)) for row in item.grid.cells)
        return replace(item, grid=replace(item.grid, cells=rows))

    return replace(
        layout, pages=tuple(replace(page, items=tuple(map(move_in_item, page.items))) for page in layout.pages)
    )


def find_text_slots(layout: Layout) -> set[Slot]:
    """Return the slots of a layout: its texts that differ from sheet to sheet."""
    boxes = (item for page in layout.pages for item in page.items if isinstance(item, TextBox))
    return {paragraph.slot for box in boxes for paragraph in box.paragraphs if paragraph.slot}


def _fill_item(item: Item, page: Page, layout: Layout, sheet: Sheet, slot_texts: Mapping[Slot, Text]) -> Item | None:
    if isinstance(item, QrBox):
        return replace(item, text=sheet.format_qr_text(page.number), alt_text=sheet.say("qr", code=sheet.code))
    if isinstance(item, GridBox):
        return _fill_grid(item, layout.typography, sheet)
    if isinstance(item, RuleBox) and item.initial_value:
        assert sheet.seat is not None
        return replace(item, initial_value=sheet.seat.number_and_name)
    if not isinstance(item, TextBox) or item.fixed_paragraph_count == len(item.paragraphs):
        return item
    w, typography = item.box.w, layout.typography
    filled = (fill_paragraph(paragraph, sheet, slot_texts, w, typography) for paragraph in item.paragraphs)
    paragraphs = tuple(paragraph for paragraph in filled if paragraph is not None)
    height = measure_text_height(paragraphs, typography, w)
    if height > find_max_text_height(item, page, layout) + 0.01:
        return None
    return replace(item, paragraphs=paragraphs, box=item.box._replace(h=max(height, item.box.h)))


def fill_paragraph(
    paragraph: Paragraph, sheet: Sheet, slot_texts: Mapping[Slot, Text], max_width: float, typography: Typography
) -> Paragraph | None:
    """Return a paragraph with this sheet's text in its slot; None where this sheet has none."""
    if not paragraph.slot:
        return paragraph
    if paragraph.slot.kind is SlotKind.NAME:
        return make_name_paragraph(sheet, max_width, typography)
    text = slot_texts.get(paragraph.slot)
    if text is None:
        return None
    return replace(paragraph, text=bind_powers(text) if paragraph.slot.kind is SlotKind.POWERS else bind_result(text))


def find_max_text_height(item: TextBox, page: Page, layout: Layout) -> float:
    """Return how high a text box may become, in millimetres: down to whatever is below it."""
    box = item.box
    footer_top = page.items[-1].box.y if page.items[-1] is not item else layout.height
    column = Box(box.x, box.bottom, box.w, max(footer_top - 1.0 - box.bottom, 0.0))
    below = [other.box.y for other in page.items if other is not item and other.box.overlaps(column)]
    return max(box.h, min([*below, footer_top - 1.0]) - 1.0 - box.y)


def _fill_grid(item: GridBox, typography: Typography, sheet: Sheet) -> GridBox | None:
    grid = item.grid
    cells = tuple(tuple(_fill_cell(cell, sheet) for cell in row) for row in grid.cells)
    if any(not _fits_cell(cell, item, typography) for row in cells for cell in row):
        return None
    return replace(item, grid=replace(grid, cells=cells))


def _fill_cell(cell: Cell, sheet: Sheet) -> Cell:
    if cell.exact_source:
        cell = cell._replace(exact=format_source(sheet, cell.exact_source))
    if cell.decimal_source:
        cell = cell._replace(decimal=format_source(sheet, cell.decimal_source))
    if cell.source is None:
        return cell
    return cell._replace(number=format_source(sheet, cell.source), shade=compute_shade(sheet, cell.source))


def _fits_cell(cell: Cell, item: GridBox, typography: Typography) -> bool:
    """Say whether the numbers of a cell fit it, set smaller if need be."""
    if item.grid.style is GridStyle.HEAT:
        return True
    if cell.exact and not item.fits_exact_value(cell.exact, typography):
        return False
    if cell.number is None or cell.source is None:
        return True
    if item.grid.style.is_small:
        return item.fits_exact_value(cell.number, typography)
    return item.find_number_step(cell.number, typography) is not None
