"""A PDF file, written as a stream: backgrounds and fonts once, then sheet after sheet, tags included.

What is written of a sheet is forgotten at once; a few numbers are kept for the table of objects. Tagged for
PDF/UA-1 (ISO 14289-1); objects, streams and structure as in ISO 32000-1, 7.5 and 14.7.
"""

import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from attnhand.formats.pdf import objects
from attnhand.formats.pdf.fonts import font_objects, fonts, name_fonts
from attnhand.formats.pdf.objects import Outline
from attnhand.formats.pdf.stamp import Stamped
from attnhand.formats.pdf.tag_objects import TreeText, tree_of, tree_of_words
from attnhand.formats.pdf.template import Template, unpacked
from attnhand.text.widths import POINT, rare_characters

CATALOG, PAGES, ROOT, DOCUMENT, PARENTS, METADATA, INFO, FONTS = range(1, 9)
"""Objects that every file has, by number."""

PAGES_IN_GROUP = 64
"""Pages that a node of the page tree holds, about."""


@dataclass(slots=True)
class _Shared:
    """What all sheets of one template share in this file, by object number."""

    contents: tuple[int, ...]
    resources: int
    template: Template | None
    tree: TreeText | None


class PdfFile:
    """Writes sheets into one PDF file, and forgets them."""

    def __init__(self, out: BinaryIO, *, title: str, language: str) -> None:
        """Begin the file.

        Args:
            out: where it goes; nothing is read back.
            language: of its words, such as ``en``.
        """
        self._out, self._title, self._language = out, title, language
        self._at = 0
        self._next = FONTS + 1
        self._offsets: dict[int, int] = {}
        """Of objects that are no sheet's."""

        self._blocks = array("Q")
        """Of every sheet and lot: first number, objects in its object stream, streams, then the offsets of those."""

        self._parts = array("Q")
        """Of every sheet: its structure element, its node of the parent tree, its first and last key there."""

        self._shared: dict[bytes, _Shared] = {}
        self._groups: list[tuple[int, int]] = []
        """Nodes of the page tree that are written: number and pages."""

        self._group = 0
        self._kids: list[int] = []
        self._pages = 0
        self._uncommon: set[str] = set()
        """Characters in it that not every sheet may hold."""

        self._outline = Outline()
        self._write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def add(self, pages: Stamped, bookmark: str = "") -> None:
        """Write the pages of a sheet behind those that are there, with a bookmark if it has a name."""
        shared = self._shared.get(pages.template) or self._share(pages.template)
        tree = shared.tree or tree_of_words(pages.marks)
        if len(self._kids) >= PAGES_IN_GROUP:
            self._close_group()
        if not self._kids:
            self._group = self._number()
        count = len(pages.streams)
        first = self._next
        if bookmark:
            self._outline.keep(bookmark, first)
        leaf, part = first + count, first + count + 1
        streams = part + tree.count
        holder = streams + count
        self._next = holder + 1
        inner = [*self._page_objects(pages, shared, streams), tree.parents(part, self._pages)]
        inner += tree.objects(part, DOCUMENT, objects.text_string(pages.alternative))
        self._blocks.extend((first, len(inner), count))
        for number, data in enumerate(pages.streams, streams):
            self._blocks.append(self._at)
            self._body(number, objects.stream(data, b"/Filter/FlateDecode"))
        self._blocks.append(self._at)
        self._body(holder, objects.object_stream(first, inner))
        self._kids += range(first, first + count)
        self._parts.extend((part, leaf, self._pages, self._pages + count - 1))
        self._pages += count
        self._uncommon.update(pages.uncommon)

    def close(self) -> None:
        """Write what every file ends with; nothing can be added afterwards."""
        self._close_group()
        self._embed_fonts()
        groups = b" ".join(b"%d 0 R" % number for number, _ in self._groups)
        self._object(PAGES, b"<</Type/Pages/Count %d/Kids[%s]>>" % (self._pages, groups))
        parts = range(0, len(self._parts), 4)
        kids = b" ".join(b"%d 0 R" % self._parts[at] for at in parts)
        leaves = b" ".join(b"%d 0 R" % self._parts[at + 1] for at in parts)
        self._object(ROOT, b"<</Type/StructTreeRoot/K[%d 0 R]/ParentTree %d 0 R>>" % (DOCUMENT, PARENTS))
        self._object(DOCUMENT, b"<</Type/StructElem/S/Document/P %d 0 R/K[%s]>>" % (ROOT, kids))
        self._object(PARENTS, b"<</Kids[%s]>>" % leaves if self._parts else b"<</Nums[]>>")
        self._object(METADATA, objects.stream(objects.metadata(self._title), b"/Type/Metadata/Subtype/XML"))
        self._object(INFO, b"<</Title%s/Creator(attnhand)/Producer(attnhand)>>" % objects.text_string(self._title))
        self._object(
            CATALOG,
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/MarkInfo<</Marked true>>/Metadata %d 0 R/Lang%s"
            b"/ViewerPreferences<</DisplayDocTitle true>>%s>>"
            % (PAGES, ROOT, METADATA, objects.text_string(self._language), self._bookmarks()),
        )
        self._table()

    # what sheets share

    def _bookmarks(self) -> bytes:
        """Write the bookmarks, if there are any; return what the catalogue says of them."""
        if not self._outline:
            return b""
        root = self._next
        for lot in self._outline.lots(root):
            self._blocks.extend((self._next, len(lot), 0, self._at))
            self._body(self._next + len(lot), objects.object_stream(self._next, lot))
            self._next += len(lot) + 1
        return b"/Outlines %d 0 R/PageMode/UseOutlines" % root

    def _embed_fonts(self) -> None:
        """Write the fonts, only as much of them as is used."""
        used = fonts() + (name_fonts() if rare_characters("".join(self._uncommon)) else ())
        named = []
        for font in used:
            named.append(b"/%s %d 0 R" % (font.resource.encode(), self._next))
            for made in font_objects(font, self._next, whole=bool(self._uncommon)):
                self._object(self._number(), made)
        self._object(FONTS, b"<<%s>>" % b"".join(named))

    def _share(self, packed: bytes) -> _Shared:
        """Write what all sheets of a template share."""
        template = unpacked(packed) if packed else None
        contents = []
        states = b""
        if template:
            for page in template.pages:
                contents.append(self._number())
                self._object(contents[-1], objects.stream(page.content, b"/Filter/FlateDecode"))
            self._uncommon.update(template.uncommon)
            states = b"".join(
                b"/%s<<%s>>" % (name.encode(), b"".join(b"/%s %g" % (key.encode(), state[key]) for key in state))
                for name, state in template.states.items()
            )
        resources = self._number()
        self._object(resources, b"<</Font %d 0 R/ExtGState<<%s>>>>" % (FONTS, states))
        tree = tree_of(packed) if packed else None
        shared = self._shared[packed] = _Shared(tuple(contents), resources, template, tree)
        return shared

    def _page_objects(self, pages: Stamped, shared: _Shared, streams: int) -> Iterator[bytes]:
        template = shared.template
        for at in range(len(pages.streams)):
            width, height = (template.width, template.height) if template else pages.sizes[at]
            under = b"%d 0 R " % shared.contents[at] if template else b""
            yield (
                b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6f %.6f]/Contents[%s%d 0 R]/Resources %d 0 R/Tabs/S"
                b"/StructParents %d>>"
                % (
                    self._group,
                    width / POINT,
                    height / POINT,
                    under,
                    streams + at,
                    shared.resources,
                    self._pages + at,
                )
            )

    def _close_group(self) -> None:
        if not self._kids:
            return
        kids = b" ".join(b"%d 0 R" % number for number in self._kids)
        self._object(self._group, b"<</Type/Pages/Parent %d 0 R/Count %d/Kids[%s]>>" % (PAGES, len(self._kids), kids))
        self._groups.append((self._group, len(self._kids)))
        self._kids = []

    # objects

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _write(self, data: bytes) -> None:
        self._out.write(data)
        self._at += len(data)

    def _object(self, number: int, data: bytes) -> None:
        self._offsets[number] = self._at
        self._body(number, data)

    def _body(self, number: int, data: bytes) -> None:
        self._write(b"%d 0 obj\n%s\nendobj\n" % (number, data))

    def _table(self) -> None:
        """Write the table of objects, itself a stream, and where it is."""
        number = self._number()
        self._offsets[number] = start = self._at
        packer = zlib.compressobj(objects.TREE_EFFORT)
        packed = [packer.compress(rows) for rows in self._rows()]
        packed.append(packer.flush())
        entries = b"/Type/XRef/Size %d/Root %d 0 R/Info %d 0 R/W[1 5 3]/Filter/FlateDecode" % (
            self._next,
            CATALOG,
            INFO,
        )
        self._body(number, objects.stream(b"".join(packed), entries))
        self._write(b"startxref\n%d\n%%%%EOF\n" % start)

    def _rows(self) -> Iterator[bytes]:
        """Yield the rows of the table in the order of numbers."""
        yield b"\0" * 6 + b"\xff\xff\xff"
        number, at = 1, 0
        while number < self._next:
            if number in self._offsets:
                yield objects.in_file(self._offsets[number])
                number += 1
                continue
            first, inner, streams = self._blocks[at : at + 3]
            if first != number:
                raise RuntimeError(f"object {number} was never written")
            holder = (first + inner + streams).to_bytes(5, "big")
            prefix = b"\2" + holder
            yield prefix + prefix.join(objects.places(inner))
            yield b"".join(map(objects.in_file, self._blocks[at + 3 : at + 4 + streams]))
            number += inner + streams + 1
            at += 4 + streams
