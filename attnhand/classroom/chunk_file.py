"""What was made of a few sheets, as bytes: they travel between processes and machines, and wait on disk.

Plain lengths and JSON, and nothing that runs when it is read: a table of contents with a digest, then the parts.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from attnhand.formats.pdf.stamp import Stamped

DIGEST_LENGTH = 64

TEMPLATES = "templates"
"""What the pages of a parcel lie over goes by this name, as if it were a sheet's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of one sheet, its pages aside."""

    name: str
    seed: int
    code: str = ""
    matrices: str = ""
    """A digest of what is given: two of one digest are one sheet."""

    pages: int = 0
    """Of the blank sheet."""

    refused: str = ""
    """Why this seed gives no sheet; empty where it gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel(Facts):
    """Everything that was made of one sheet."""

    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """Pages and files by part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is in a parcel of several sheets, and where."""

    facts: tuple[Facts, ...]
    places: Mapping[tuple[str, str], tuple[int, int]]
    """Offset and length of every part, by the name of its sheet and its own."""


def packed(parcels: Sequence[Parcel], templates: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """Pack sheets into one parcel, with what their pages lie over, by its digest."""
    parcels = [*parcels, Parcel(name=TEMPLATES, seed=0, blobs=templates)]
    body = b"".join(blob for parcel in parcels for blob in parcel.blobs.values())
    facts = []
    for parcel in parcels:
        told = {each.name: getattr(parcel, each.name) for each in fields(Facts)}
        facts.append(told | {"lengths": {part: len(blob) for part, blob in parcel.blobs.items()}})
    rest = json.dumps(facts, ensure_ascii=False).encode() + b"\n" + body
    return hashlib.sha256(rest).hexdigest().encode() + rest


def contents(data: bytes) -> Contents | None:
    """Return what is in a parcel; None where it is not whole.

    >>> from attnhand.classroom.chunk_file import Parcel, packed
    >>> told = contents(packed([Parcel(name="1", seed=7, blobs={"blank": b"pages"})]))
    >>> told.facts[0].seed, told.places["1", "blank"][1], contents(b"half a parcel")
    (7, 5, None)
    """
    if hashlib.sha256(data[DIGEST_LENGTH:]).hexdigest().encode() != data[:DIGEST_LENGTH]:
        return None
    return contents_of_head(data[: data.index(b"\n") + 1])


def contents_of_head(head: bytes) -> Contents:
    """Return what is in a parcel by its first line, which nobody has cut."""
    at = len(head)
    facts, places = [], {}
    for told in json.loads(head[DIGEST_LENGTH:]):
        lengths = told.pop("lengths")
        if told["name"] != TEMPLATES:
            facts.append(Facts(**told))
        for part, length in lengths.items():
            places[told["name"], part] = (at, length)
            at += length
    return Contents(facts=tuple(facts), places=places)


def packed_pages(pages: Stamped, templates: dict[str, bytes]) -> bytes:
    """Return stamped pages as bytes, without what they lie over: that is added to the templates, by its digest."""
    told: dict[str, Any] = {
        "title": pages.title,
        "alternative": pages.alternative,
        "uncommon": pages.uncommon,
        "lengths": [len(stream) for stream in pages.streams],
    }
    if pages.template:
        told["template"] = hashlib.sha256(pages.template).hexdigest()
        templates[told["template"]] = pages.template
    return json.dumps(told, ensure_ascii=False).encode() + b"\n" + b"".join(pages.streams)


def unpacked_pages(data: bytes, template: Callable[[str], bytes]) -> Stamped:
    """Return the stamped pages that were packed.

    Args:
        template: returns what pages lie over, by its digest.
    """
    at = data.index(b"\n") + 1
    told = json.loads(data[:at])
    streams = []
    for length in told["lengths"]:
        streams.append(data[at : at + length])
        at += length
    return Stamped(
        template=template(told["template"]),
        streams=tuple(streams),
        title=told["title"],
        alternative=told["alternative"],
        uncommon=told["uncommon"],
    )
