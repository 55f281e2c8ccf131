"""A template: one shape's page without numbers, its tags, and where each sheet's numbers and words go."""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from attnhand.render.html import document_title, render_page
from attnhand.render.stamping.background import Drawn, DrawnPage, drawn, font_url
from attnhand.render.stamping.glyphs import common_characters
from attnhand.render.stamping.slots import CellSlot, CellStyle, QrSlot, SlotPage, WordSlot, slotted
from attnhand.render.stamping.structure import Node, as_data, from_data
from attnhand.render.stamping.typesetting import MM
from attnhand.sheet.grids import Look, Source, Way
from attnhand.sheet.measures import LARGE_TYPE, REGULAR_TYPE
from attnhand.sheet.page import Layout, Paragraph, Set, Typography
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import Run, Style

RULED = 0.15 * MM
"""The line under exact values, in pixels."""


class CellPlace(NamedTuple):
    """Where a number is stamped: the middle of its cell, in CSS pixels from the page's top left corner."""

    x: float
    y: float
    w: float
    h: float
    source: Source
    style: CellStyle
    mark: int
    """Of its content (MCID)."""

    @property
    def head(self) -> bytes:
        """Return the operators that open its content, the middle of its cell being the origin."""
        return b"/TD<</MCID %d>>BDC q 1 0 0 1 %.3f %.3f cm " % (self.mark, self.x, self.y)


class WordPlace(NamedTuple):
    """Where paragraphs are stamped; each has a mark of its own, from the first on."""

    slot: WordSlot
    first_mark: int


class QrPlace(NamedTuple):
    """Where the QR code is stamped, in CSS pixels."""

    x: float
    y: float
    side: float
    mark: int


@dataclass(frozen=True, slots=True)
class TemplatePage:
    """One page."""

    content: bytes
    """Deflated PDF operators."""

    cells: tuple[CellPlace, ...]
    words: tuple[WordPlace, ...]
    codes: tuple[QrPlace, ...]
    marks: int
    """Count of marked contents, those that are stamped among them."""

    heads: tuple[bytes, ...]
    """What opens the content of every cell."""


@dataclass(frozen=True)
class Template:
    """All pages of one shape, blank or key."""

    width: float
    """Of the paper, in millimetres."""

    height: float
    pages: tuple[TemplatePage, ...]
    tree: Node
    states: dict[str, dict[str, float]]
    large: bool
    uncommon: str
    """Characters on it that not every sheet may hold."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """Where the words come from that are stamped."""
        slots = (place.slot for page in self.pages for place in page.words)
        return frozenset(paragraph.source for slot in slots for paragraph in slot.paragraphs) - {""}

    @property
    def typography(self) -> Typography:
        """The sizes of its type."""
        return LARGE_TYPE if self.large else REGULAR_TYPE


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A page without numbers, not yet drawn."""

    html: str
    """It tells this shape from any other."""

    layout: Layout
    pages: tuple[SlotPage, ...]


def skeleton(sheet: Sheet, layout: Layout) -> Skeleton:
    """Take out of a page what differs from sheet to sheet."""
    emptied, pages = slotted(layout)
    html = render_page(sheet, emptied, font_url, screen=False)
    return Skeleton(html.replace(document_title(sheet), "", 1), emptied, pages)


def packed_template(bare: Skeleton) -> bytes:
    """Draw a page without numbers and return it as it is kept.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    done = drawn(bare.html)
    made = [_page(page, slots, number) for number, (page, slots) in enumerate(zip(done.pages, bare.pages, strict=True))]
    uncommon = "".join(sorted(set(bare.html) - common_characters() - {"\n"}))
    return _packed(bare.layout, done, made, uncommon)


@dataclass(slots=True)
class _Made:
    page: DrawnPage
    section: Node
    cells: list[CellPlace]
    words: list[WordPlace]
    codes: list[QrPlace]
    marks: int


def _page(page: DrawnPage, slots: SlotPage, number: int) -> _Made:
    """Give every slot of a page its place, its mark and its element in the tree."""
    made = _Made(page, page.tree, [], [], [], page.marks)
    elements = [kid for kid in page.tree.kids if isinstance(kid, Node)]
    if len(elements) != len(slots.page.items):
        raise RuntimeError(f"page {number + 1} has {len(slots.page.items)} boxes and {len(elements)} elements")
    each = iter(elements)
    kids: list[Node | int] = []
    for slot in slots.slots:
        if isinstance(slot, QrSlot):
            made.codes.append(QrPlace(slot.x * MM, slot.y * MM, slot.side * MM, made.marks))
            kids.append(Node("Figure", number, [made.marks], alternative=True))
            made.marks += 1
            continue
        element = next(each)
        kids.append(element)
        if isinstance(slot, WordSlot):
            _place_words(made, slot, element)
        elif slot is not None:
            _place_cells(made, slot, element)
    made.section.kids = kids
    return made


def _place_words(made: _Made, slot: WordSlot, element: Node) -> None:
    paragraphs = [kid for kid in element.kids if isinstance(kid, Node)][slot.before :]
    if len(paragraphs) != len(slot.paragraphs):
        raise RuntimeError(f"{len(slot.paragraphs)} paragraphs are stamped, but {len(paragraphs)} stand on the page")
    made.words.append(WordPlace(slot, made.marks))
    for paragraph in paragraphs:
        paragraph.kids.insert(0, made.marks)
        made.marks += 1


def _place_cells(made: _Made, slots: tuple[CellSlot, ...], element: Node) -> None:
    ids = {slot.id.replace("[", "_").rstrip("]"): slot for slot in slots}
    table = element.find("TD")
    places = [name for name in made.page.places if name in ids]
    if len(places) != len(slots):
        raise RuntimeError(f"{len(slots)} cells are stamped, but {len(places)} stand on the page")
    for name, slot in ids.items():
        x1, y1, x2, y2 = made.page.places[name]
        middle = (y1 + y2 - (RULED if slot.style.look is Look.EXACT else 0.0)) / 2
        place = CellPlace((x1 + x2) / 2, middle, x2 - x1, y2 - y1, slot.source, slot.style, made.marks)
        made.cells.append(place)
        table[int(name.rpartition("_")[2])].kids.append(made.marks)
        made.marks += 1


# kept as JSON


def _packed(layout: Layout, done: Drawn, made: list[_Made], uncommon: str) -> bytes:
    tree = Node("Part", 0, [each.section for each in made]).lean()
    styles: list[CellStyle] = []
    for each in made:
        styles += [cell.style for cell in each.cells if cell.style not in styles]
    data = {
        "size": [layout.width, layout.height],
        "large": layout.typography == LARGE_TYPE,
        "uncommon": uncommon,
        "states": done.states,
        "tree": as_data(tree),
        "styles": styles,
        "pages": [
            {
                "content": b64encode(zlib.compress(each.page.content, 9)).decode(),
                "cells": [[*cell[:5], styles.index(cell.style), cell.mark] for cell in each.cells],
                "words": [[*_word_data(place.slot), place.first_mark] for place in each.words],
                "codes": each.codes,
                "marks": each.marks,
            }
            for each in made
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _word_data(slot: WordSlot) -> list[Any]:
    told = [
        [[[run.text, run.style, run.heavy] for run in each.text], each.style, each.level, each.source]
        for each in slot.paragraphs
    ]
    return [*slot[:5], told]


@lru_cache(maxsize=64)
def unpacked(packed: bytes) -> Template:
    """Read a template as it was kept."""
    data = json.loads(packed)
    styles = [CellStyle(points, Look(look), *rest) for points, look, *rest in data["styles"]]
    return Template(
        width=data["size"][0],
        height=data["size"][1],
        pages=tuple(_unpacked_page(page, styles) for page in data["pages"]),
        tree=from_data(data["tree"]),
        states=data["states"],
        large=data["large"],
        uncommon=data["uncommon"],
    )


def _unpacked_page(page: dict[str, Any], styles: list[CellStyle]) -> TemplatePage:
    cells = tuple(
        CellPlace(x, y, w, h, Source(Way(way), name, i, j), styles[style], mark)
        for x, y, w, h, (way, name, i, j), style, mark in page["cells"]
    )
    return TemplatePage(
        content=b64decode(page["content"]),
        cells=cells,
        heads=tuple(cell.head for cell in cells),
        words=tuple(WordPlace(_unpacked_words(*place), mark) for *place, mark in page["words"]),
        codes=tuple(QrPlace(*code) for code in page["codes"]),
        marks=page["marks"],
    )


def _unpacked_words(x: float, y: float, w: float, room: float, before: int, told: list[Any]) -> WordSlot:
    paragraphs = tuple(
        Paragraph(tuple(Run(words, Style(how), heavy) for words, how, heavy in text), Set(style), (), level, source)
        for text, style, level, source in told
    )
    return WordSlot(x, y, w, room, before, paragraphs)
