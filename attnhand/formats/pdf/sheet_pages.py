"""Sheets as PDF pages, drawn: what all sheets have in common that are laid out alike, and what one adds to it."""

import hashlib
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache

from attnhand.formats.pdf.form import Field
from attnhand.formats.pdf.tag_objects import TreeText
from attnhand.formats.pdf.tags import Node


@dataclass(frozen=True, eq=False)
class SharedPages:
    """What all sheets have in common that are laid out alike."""

    width: float
    """Of the paper, in millimetres."""

    height: float
    contents: tuple[bytes, ...]
    """Deflated operators, page by page."""

    content_counts: tuple[int, ...]
    """Contents (MCID) of every page, those that are drawn for each sheet among them."""

    sections: tuple[Node, ...]
    """The elements of the structure tree, page by page."""

    characters: Mapping[str, frozenset[str]]
    """What is used in every font."""

    fields: tuple[Field, ...] = ()
    """Where a form is filled, in reading order."""

    @cached_property
    def tree(self) -> TreeText:
        """The structure tree, to be filled with object numbers."""
        return TreeText(Node("Part", 0, [*self.sections]), self.content_counts, self.height)


@dataclass(frozen=True, slots=True)
class SheetPages:
    """The pages of one sheet, ready to be put into a PDF file."""

    shared: SharedPages
    streams: tuple[bytes, ...]
    """What is drawn over the shared pages, deflated; empty where those hold everything."""

    title: str
    alt_text: str = ""
    """What those hear who cannot see the QR code."""

    characters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What its words show in every font, numbers aside."""

    code: str = ""
    initial_name: str = ""
    """What the field for the name holds from the beginning, where the sheet is a form."""

    attachment: bytes = b""
    """The problem as a file, where the sheet is a form."""

    @property
    def page_count(self) -> int:
        """Count its pages."""
        return len(self.shared.contents)


# as bytes, to travel between processes and to wait in a file


@lru_cache(maxsize=256)
def pack_shared_pages(shared: SharedPages) -> tuple[str, bytes]:
    """Return a name, which is the same wherever these pages are drawn, and the pages as bytes."""
    values: dict[str, object] = {each.name: getattr(shared, each.name) for each in fields(shared)}
    # Subtle: every process has another order of sets, and the name decides what a file holds only once
    values["characters"] = sorted((font, sorted(used)) for font, used in shared.characters.items())
    return hashlib.sha256(repr(values).encode()).hexdigest(), pickle.dumps(shared)


def pack_sheet_pages(pages: SheetPages) -> tuple[bytes, dict[str, bytes]]:
    """Return the pages of a sheet as bytes, and what other sheets share with it by its name."""
    rest = [getattr(pages, each.name) for each in fields(pages)[1:]]
    if not pages.streams:  # pages that hold everything are nobody else's
        return pickle.dumps((pages.shared, *rest)), {}
    name, shared = pack_shared_pages(pages.shared)
    return pickle.dumps((name, *rest)), {name: shared}


def unpack_sheet_pages(data: bytes, shared_by_name: Mapping[str, SharedPages]) -> SheetPages:
    """Return the pages that were packed: with one object for what is shared, however many sheets share it."""
    shared, *rest = pickle.loads(data)
    return SheetPages(shared if isinstance(shared, SharedPages) else shared_by_name[shared], *rest)
