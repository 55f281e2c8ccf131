"""A template: one shape's page without numbers, its tags, and where each sheet's numbers and words go."""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from attnhand.formats.pdf.slots import CellStyle, WordSlot
from attnhand.formats.pdf.tags import Node, as_data, from_data
from attnhand.layout.page import Paragraph
from attnhand.layout.typography import LARGE_TYPOGRAPHY, REGULAR_TYPOGRAPHY, ParagraphStyle, Typography
from attnhand.sheet.grids import GridStyle, NumberSource, ValueKind
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import Run, RunStyle


class CellPlace(NamedTuple):
    """Where a number is stamped: the middle of its cell, in CSS pixels from the page's top left corner."""

    x: float
    y: float
    w: float
    h: float
    source: NumberSource
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


@dataclass(frozen=True)
class TemplatePage:
    """One page."""

    content: bytes
    """Deflated PDF operators."""

    cells: tuple[CellPlace, ...]
    words: tuple[WordPlace, ...]
    codes: tuple[QrPlace, ...]
    marks: int
    """Count of marked contents, those that are stamped among them."""

    @cached_property
    def heads(self) -> tuple[bytes, ...]:
        """What opens the content of every cell."""
        return tuple(cell.head for cell in self.cells)


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
    def sources(self) -> frozenset[Slot]:
        """Where the words come from that are stamped."""
        slots = (place.slot for page in self.pages for place in page.words)
        return frozenset(paragraph.slot for slot in slots for paragraph in slot.paragraphs if paragraph.slot)

    @property
    def typography(self) -> Typography:
        """The sizes of its type."""
        return LARGE_TYPOGRAPHY if self.large else REGULAR_TYPOGRAPHY


# kept as JSON


def pack_template(template: Template) -> bytes:
    """Return a template as it is kept."""
    styles = list(dict.fromkeys(cell.style for page in template.pages for cell in page.cells))
    data = {
        "size": [template.width, template.height],
        "large": template.large,
        "uncommon": template.uncommon,
        "states": template.states,
        "tree": as_data(template.tree),
        "styles": styles,
        "pages": [
            {
                "content": b64encode(page.content).decode(),
                "cells": [[*cell[:5], styles.index(cell.style), cell.mark] for cell in page.cells],
                "words": [[*_word_data(place.slot), place.first_mark] for place in page.words],
                "codes": page.codes,
                "marks": page.marks,
            }
            for page in template.pages
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def _word_data(slot: WordSlot) -> list[Any]:
    paragraphs = [
        [[[run.text, run.style, run.is_bold] for run in each.text], each.style, each.heading_level, each.slot]
        for each in slot.paragraphs
    ]
    return [*slot[:5], paragraphs]


@lru_cache(maxsize=64)
def unpack_template(data: bytes) -> Template:
    """Read a template as it was kept."""
    loaded = json.loads(data)
    styles = [CellStyle(points, GridStyle(look), *rest) for points, look, *rest in loaded["styles"]]
    return Template(
        width=loaded["size"][0],
        height=loaded["size"][1],
        pages=tuple(_unpack_page(page, styles) for page in loaded["pages"]),
        tree=from_data(loaded["tree"]),
        states=loaded["states"],
        large=loaded["large"],
        uncommon=loaded["uncommon"],
    )


def _unpack_page(page: dict[str, Any], styles: list[CellStyle]) -> TemplatePage:
    cells = tuple(
        CellPlace(x, y, w, h, NumberSource(ValueKind(way), name, i, j), styles[style], mark)
        for x, y, w, h, (way, name, i, j), style, mark in page["cells"]
    )
    return TemplatePage(
        content=b64decode(page["content"]),
        cells=cells,
        words=tuple(WordPlace(_unpack_words(*place), mark) for *place, mark in page["words"]),
        codes=tuple(QrPlace(*code) for code in page["codes"]),
        marks=page["marks"],
    )


def _unpack_words(x: float, y: float, w: float, room: float, before: int, paragraph_data: list[Any]) -> WordSlot:
    paragraphs = tuple(
        Paragraph(
            tuple(Run(words, RunStyle(how), heavy) for words, how, heavy in text),
            ParagraphStyle(style),
            heading_level=level,
            slot=Slot(SlotKind(slot[0]), *slot[1:]) if slot else None,
        )
        for text, style, level, slot in paragraph_data
    )
    return WordSlot(x, y, w, room, before, paragraphs)
