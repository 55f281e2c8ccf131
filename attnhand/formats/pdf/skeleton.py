"""How a template is made: the page without what differs from sheet to sheet, drawn, and every slot in its place."""

import zlib
from dataclasses import dataclass

from attnhand.formats.html import make_document_title, render_page
from attnhand.formats.pdf.background import DrawnPage, draw_document
from attnhand.formats.pdf.fonts import common_characters
from attnhand.formats.pdf.slots import CellSlot, QrSlot, SlotPage, WordSlot, split_off_slots
from attnhand.formats.pdf.tags import Node
from attnhand.formats.pdf.template import CellPlace, QrPlace, Template, TemplatePage, WordPlace
from attnhand.formats.pdf.typesetting import MM
from attnhand.formats.pdf.weasy import make_font_url
from attnhand.layout.page import Layout
from attnhand.layout.typography import LARGE_TYPOGRAPHY
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.sheet import Sheet

RULED = 0.15 * MM
"""The line under exact values, in pixels."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A page without numbers, not yet drawn."""

    html: str
    """It tells this shape from any other."""

    layout: Layout
    pages: tuple[SlotPage, ...]


def make_skeleton(sheet: Sheet, layout: Layout) -> Skeleton:
    """Take out of a page what differs from sheet to sheet."""
    emptied, pages = split_off_slots(layout)
    html = render_page(sheet, emptied, make_font_url, for_screen=False)
    return Skeleton(html.replace(make_document_title(sheet), "", 1), emptied, pages)


def draw_template(bare: Skeleton) -> Template:
    """Draw a page without numbers, and say where they go.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    done = draw_document(bare.html)
    pages = [
        _page(page, slots, number) for number, (page, slots) in enumerate(zip(done.pages, bare.pages, strict=True))
    ]
    return Template(
        width=bare.layout.width,
        height=bare.layout.height,
        pages=tuple(parts.page() for parts in pages),
        tree=Node("Part", 0, [parts.section for parts in pages]).lean(),
        states=done.states,
        large=bare.layout.typography == LARGE_TYPOGRAPHY,
        uncommon="".join(sorted(set(bare.html) - common_characters() - {"\n"})),
    )


@dataclass(slots=True)
class _PageParts:
    drawn: DrawnPage
    section: Node
    cells: list[CellPlace]
    words: list[WordPlace]
    codes: list[QrPlace]
    marks: int

    def page(self) -> TemplatePage:
        """Return the page as the template holds it."""
        content = zlib.compress(self.drawn.content, 9)
        return TemplatePage(content, tuple(self.cells), tuple(self.words), tuple(self.codes), self.marks)


def _page(page: DrawnPage, slots: SlotPage, number: int) -> _PageParts:
    """Give every slot of a page its place, its mark and its element in the tree."""
    parts = _PageParts(page, page.tree, [], [], [], page.marks)
    elements = [kid for kid in page.tree.kids if isinstance(kid, Node)]
    if len(elements) != len(slots.page.items):
        raise RuntimeError(f"page {number + 1} has {len(slots.page.items)} boxes and {len(elements)} elements")
    remaining = iter(elements)
    kids: list[Node | int] = []
    for slot in slots.slots:
        if isinstance(slot, QrSlot):
            parts.codes.append(QrPlace(slot.x * MM, slot.y * MM, slot.side * MM, parts.marks))
            kids.append(Node("Figure", number, [parts.marks], alternative=True))
            parts.marks += 1
            continue
        element = next(remaining)
        kids.append(element)
        if isinstance(slot, WordSlot):
            _place_words(parts, slot, element)
        elif slot is not None:
            _place_cells(parts, slot, element)
    parts.section.kids = kids
    return parts


def _place_words(parts: _PageParts, slot: WordSlot, element: Node) -> None:
    paragraphs = [kid for kid in element.kids if isinstance(kid, Node)][slot.before :]
    if len(paragraphs) != len(slot.paragraphs):
        raise RuntimeError(f"{len(slot.paragraphs)} paragraphs are stamped, but {len(paragraphs)} stand on the page")
    parts.words.append(WordPlace(slot, parts.marks))
    for paragraph in paragraphs:
        paragraph.kids.insert(0, parts.marks)
        parts.marks += 1


def _place_cells(parts: _PageParts, slots: tuple[CellSlot, ...], element: Node) -> None:
    ids = {make_cell_id(slot.id): slot for slot in slots}
    table = element.find("TD")
    places = [name for name in parts.drawn.places if name in ids]
    if len(places) != len(slots):
        raise RuntimeError(f"{len(slots)} cells are stamped, but {len(places)} stand on the page")
    for name, slot in ids.items():
        x1, y1, x2, y2 = parts.drawn.places[name]
        middle = (y1 + y2 - (RULED if slot.style.look is GridStyle.EXACT else 0.0)) / 2
        place = CellPlace((x1 + x2) / 2, middle, x2 - x1, y2 - y1, slot.source, slot.style, parts.marks)
        parts.cells.append(place)
        table[int(name.rpartition("_")[2])].kids.append(parts.marks)
        parts.marks += 1
