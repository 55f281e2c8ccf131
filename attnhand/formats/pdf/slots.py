"""What differs from sheet to sheet of one shape, and the page without it: slots for numbers, words, the QR code."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from attnhand.layout.fill import find_max_text_height
from attnhand.layout.number_fit import EXACT_CELL_INSET
from attnhand.layout.page import GridBox, Item, Layout, Page, Paragraph, QrBox, TextBox
from attnhand.layout.typography import Typography
from attnhand.sheet.grids import Cell, CellKind, GridStyle, NumberSource
from attnhand.text.widths import Text


class CellStyle(NamedTuple):
    """How the number in a cell is set."""

    points: float
    look: GridStyle
    bold: bool
    tight: bool
    """Whether the cell is low, so that fractions are smaller."""

    across: float
    """Room for the number, in millimetres; larger ones are set smaller."""

    down: float


class CellSlot(NamedTuple):
    """A cell whose number is stamped."""

    id: str
    """Of the table cell on the page without numbers, as an address: ``slot1_4[12]``."""

    source: NumberSource
    style: CellStyle


class WordSlot(NamedTuple):
    """The paragraphs of a box from the first that differs on; they are stamped one under the other."""

    x: float
    y: float
    """In millimetres, as all here."""

    w: float
    room: float
    """How high they may stand."""

    before: int
    """Paragraphs of the same box that are not stamped."""

    paragraphs: tuple[Paragraph, ...]


class QrSlot(NamedTuple):
    """Where the QR code stands."""

    x: float
    y: float
    side: float


@dataclass(frozen=True, slots=True)
class SlotPage:
    """One page: its boxes without what is stamped, and per box what is."""

    page: Page
    slots: tuple[tuple[CellSlot, ...] | WordSlot | QrSlot | None, ...]
    """One for each box of the page as it was; that of the QR code is not on the page without numbers."""


def split_off_slots(layout: Layout) -> tuple[Layout, tuple[SlotPage, ...]]:
    """Return the layout without anything that differs from sheet to sheet, and what is missing."""
    pages = tuple(_slot_page(page, layout) for page in layout.pages)
    return replace(layout, pages=tuple(page.page for page in pages)), pages


def _slot_page(page: Page, layout: Layout) -> SlotPage:
    emptied: list[Item] = []
    slots: list[tuple[CellSlot, ...] | WordSlot | QrSlot | None] = []
    for number, item in enumerate(page.items):
        if isinstance(item, QrBox):
            slots.append(QrSlot(item.box.x, item.box.y, item.box.w))
        elif isinstance(item, GridBox):
            cell_slots = _grid_slots(item, f"slot{page.number}_{number}", layout.typography)
            slots.append(tuple(slot for _, slot in cell_slots if slot))
            emptied.append(_without_numbers(item, [cell for cell, _ in cell_slots]))
        elif isinstance(item, TextBox) and item.fixed_paragraph_count < len(item.paragraphs):
            slots.append(_word_slot(item, page, layout))
            stamped = tuple(replace(paragraph, text=()) for paragraph in item.paragraphs[item.fixed_paragraph_count :])
            emptied.append(replace(item, paragraphs=(*item.paragraphs[: item.fixed_paragraph_count], *stamped)))
        else:
            slots.append(None)
            emptied.append(item)
    return SlotPage(replace(page, items=tuple(emptied)), tuple(slots))


def _grid_slots(item: GridBox, name: str, type_: Typography) -> list[tuple[Cell, CellSlot | None]]:
    cell_slots: list[tuple[Cell, CellSlot | None]] = []
    for row in item.grid.cells:
        for cell in row:
            if cell.source is None or cell.number is None:
                cell_slots.append((cell, None))
                continue
            address = f"{name}[{len(cell_slots)}]"
            empty = replace(cell, number=None, address=address, spoken_name="", shade=0)
            cell_slots.append((empty, CellSlot(address, cell.source, _style(cell, item, type_))))
    return cell_slots


def _without_numbers(item: GridBox, cells: list[Cell]) -> GridBox:
    remaining = iter(cells)
    rows = tuple(tuple(next(remaining) for _ in row) for row in item.grid.cells)
    return replace(item, grid=replace(item.grid, cells=rows))


def _style(cell: Cell, item: GridBox, type_: Typography) -> CellStyle:
    look = item.grid.style
    points = type_.cell_points
    across, down = item.inner_size
    if look is GridStyle.EXACT:
        points, across = type_.exact_points, item.cell_w - EXACT_CELL_INSET
    elif look is GridStyle.HEAT:
        points = type_.exact_points
    bold = cell.kind is CellKind.ANSWER and look is GridStyle.WORKED
    return CellStyle(points=points, look=look, bold=bold, tight=item.is_tight, across=across, down=down)


def _word_slot(item: TextBox, page: Page, layout: Layout) -> WordSlot:
    box = item.box
    y = box.y
    for paragraph in item.paragraphs[: item.fixed_paragraph_count]:
        y += paragraph.measure_height(layout.typography, box.w) + layout.typography.paragraph_gap
    return WordSlot(
        x=box.x,
        y=y,
        w=box.w,
        room=find_max_text_height(item, page, layout) - (y - box.y),
        before=item.fixed_paragraph_count,
        paragraphs=tuple(_empty_paragraph(paragraph) for paragraph in item.paragraphs[item.fixed_paragraph_count :]),
    )


def _empty_paragraph(paragraph: Paragraph) -> Paragraph:
    """Return a paragraph as it is stamped: without words where they come from a source; what is beside stays below."""
    text: Text = () if paragraph.slot else paragraph.text
    return replace(paragraph, text=text, right_text=())
