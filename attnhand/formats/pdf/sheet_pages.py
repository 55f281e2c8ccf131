"""Sheets as PDF pages, drawn: what all sheets have in common that are laid out alike, and what one adds to it."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

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

    @cached_property
    def packed(self) -> bytes:
        """All of it as bytes, for ``unpack_shared_pages``."""
        values = {
            "size": [self.width, self.height],
            "contents": [b64encode(content).decode() for content in self.contents],
            "content_counts": self.content_counts,
            "sections": [_pack_node(section) for section in self.sections],
            "characters": _pack_characters(self.characters),
        }
        return json.dumps(values, ensure_ascii=False).encode()


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


# as bytes, to travel between processes: forms do not, each is a file of its own


def pack_sheet_pages(pages: SheetPages, add_shared: Callable[[bytes], str]) -> bytes:
    """Return the pages of a sheet as bytes.

    Args:
        add_shared: keeps the bytes of what other sheets share, and returns the name that they are found by.
    """
    shared = pages.shared.packed
    header = {
        "title": pages.title,
        "alt_text": pages.alt_text,
        "characters": _pack_characters(pages.characters),
        "code": pages.code,
        "lengths": [len(stream) for stream in pages.streams],
        # pages that hold everything are nobody else's
        "shared": add_shared(shared) if pages.streams else shared.decode(),
    }
    return json.dumps(header, ensure_ascii=False).encode() + b"\n" + b"".join(pages.streams)


def unpack_sheet_pages(data: bytes, find_shared: Callable[[str], SharedPages]) -> SheetPages:
    """Return the pages that were packed.

    Args:
        find_shared: returns what other sheets share by its name: the same object whenever it is asked.
    """
    at = data.index(b"\n") + 1
    header = json.loads(data[:at])
    streams = []
    for length in header["lengths"]:
        streams.append(data[at : at + length])
        at += length
    return SheetPages(
        shared=find_shared(header["shared"]) if streams else unpack_shared_pages(header["shared"].encode()),
        streams=tuple(streams),
        title=header["title"],
        alt_text=header["alt_text"],
        characters=_unpack_characters(header["characters"]),
        code=header["code"],
    )


def unpack_shared_pages(data: bytes) -> SharedPages:
    """Return what was packed of pages that sheets share."""
    values = json.loads(data)
    return SharedPages(
        width=values["size"][0],
        height=values["size"][1],
        contents=tuple(map(b64decode, values["contents"])),
        content_counts=tuple(values["content_counts"]),
        sections=tuple(map(_unpack_node, values["sections"])),
        characters=_unpack_characters(values["characters"]),
    )


def _pack_node(node: Node) -> list[Any]:
    kids = [_pack_node(kid) if isinstance(kid, Node) else kid for kid in node.kids]
    return [node.tag, node.page, kids, node.figure_area]


def _unpack_node(values: list[Any]) -> Node:
    tag, page, kids, area = values
    return Node(tag, page, [_unpack_node(kid) if isinstance(kid, list) else kid for kid in kids], area and tuple(area))


def _pack_characters(characters: Mapping[str, frozenset[str]]) -> dict[str, str]:
    return {font: "".join(sorted(used)) for font, used in characters.items()}


def _unpack_characters(characters: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {font: frozenset(used) for font, used in characters.items()}
