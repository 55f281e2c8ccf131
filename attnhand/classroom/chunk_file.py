"""Chunk files: a few finished sheets as bytes, which travel between processes and machines and wait on disk.

Plain lengths and JSON, and nothing that runs when it is read: a table of contents with a digest, then the parts.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType

DIGEST_LENGTH = 64

SHARED_ENTRY = "shared"
"""What pages of a chunk share is stored under this name, as if it were a sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFacts:
    """What is known of one sheet, its pages aside."""

    name: str
    seed: int
    code: str = ""
    matrices_digest: str = ""
    """A digest of what is given: two of one digest are one sheet."""

    page_count: int = 0
    """Of the blank sheet."""

    refusal: str = ""
    """Why this seed gives no sheet; empty where it gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetParts(SheetFacts):
    """One finished sheet: facts, pages and files."""

    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """Pages and files by part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkContents:
    """What a chunk file holds, and where."""

    facts: tuple[SheetFacts, ...]
    spans: Mapping[tuple[str, str], tuple[int, int]]
    """Offset and length of every part, by the name of its sheet and its own."""


def pack_chunk(sheets: Sequence[SheetParts], shared: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Pack sheets into a chunk file, with what their pages share by digest."""
    sheets = [*sheets, SheetParts(name=SHARED_ENTRY, seed=0, blobs=shared)]
    body = b"".join(blob for sheet in sheets for blob in sheet.blobs.values())
    facts = []
    for sheet in sheets:
        values = {each.name: getattr(sheet, each.name) for each in fields(SheetFacts)}
        facts.append(values | {"lengths": {part: len(blob) for part, blob in sheet.blobs.items()}})
    rest = json.dumps(facts, ensure_ascii=False).encode() + b"\n" + body
    return hashlib.sha256(rest).hexdigest().encode() + rest


def read_contents(data: bytes) -> ChunkContents | None:
    """Return what a chunk file holds; None where it is not whole.

    >>> from attnhand.classroom.chunk_file import SheetParts, pack_chunk
    >>> chunk = read_contents(pack_chunk([SheetParts(name="1", seed=7, blobs={"blank": b"pages"})]))
    >>> chunk.facts[0].seed, chunk.spans["1", "blank"][1], read_contents(b"half a chunk")
    (7, 5, None)
    """
    if hashlib.sha256(data[DIGEST_LENGTH:]).hexdigest().encode() != data[:DIGEST_LENGTH]:
        return None
    return read_contents_from_head(data[: data.index(b"\n") + 1])


def read_contents_from_head(head: bytes) -> ChunkContents:
    """Return what a whole chunk file holds, from its first line."""
    at = len(head)
    facts, spans = [], {}
    for values in json.loads(head[DIGEST_LENGTH:]):
        lengths = values.pop("lengths")
        if values["name"] != SHARED_ENTRY:
            facts.append(SheetFacts(**values))
        for part, length in lengths.items():
            spans[values["name"], part] = (at, length)
            at += length
    return ChunkContents(facts=tuple(facts), spans=spans)
