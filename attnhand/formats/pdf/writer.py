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
from attnhand.formats.pdf.stamp import StampedPages
from attnhand.formats.pdf.tag_objects import TreeText, tree_of, tree_of_words
from attnhand.formats.pdf.template import Template, unpack_template
from attnhand.text.widths import MM_PER_POINT, find_rare_characters

CATALOG, PAGES, STRUCTURE_ROOT, DOCUMENT, PARENT_TREE, METADATA, INFO, FONTS = range(1, 9)
"""Objects that every file has, by number."""

PAGES_IN_GROUP = 64
"""Pages that a node of the page tree holds, about."""


@dataclass(slots=True)
class _SharedObjects:
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
        self._offset = 0
        self._next_number = FONTS + 1
        self._offsets: dict[int, int] = {}
        """Of objects that are no sheet's."""

        self._blocks = array("Q")
        """Of every sheet and lot: first number, objects in its object stream, streams, then the offsets of those."""

        self._parts = array("Q")
        """Of every sheet: its structure element, its node of the parent tree, its first and last key there."""

        self._shared: dict[bytes, _SharedObjects] = {}
        self._groups: list[tuple[int, int]] = []
        """Nodes of the page tree that are written: number and pages."""

        self._group_number = 0
        self._kids: list[int] = []
        self._page_count = 0
        self._uncommon_characters: set[str] = set()
        """Characters in it that not every sheet may hold."""

        self._outline = Outline()
        self._write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def add_pages(self, pages: StampedPages, bookmark: str = "") -> None:
        """Write the pages of a sheet behind those that are there, with a bookmark if it has a name."""
        shared = self._shared.get(pages.template_data) or self._write_shared_objects(pages.template_data)
        tree = shared.tree or tree_of_words(pages.paragraph_counts)
        if len(self._kids) >= PAGES_IN_GROUP:
            self._close_group()
        if not self._kids:
            self._group_number = self._take_number()
        count = len(pages.streams)
        first = self._next_number
        if bookmark:
            self._outline.add_bookmark(bookmark, first)
        page, part = first + count, first + count + 1
        streams = part + tree.count
        holder = streams + count
        self._next_number = holder + 1
        inner = [*self._make_page_objects(pages, shared, streams), tree.parents(part, self._page_count)]
        inner += tree.objects(part, DOCUMENT, objects.text_string(pages.alt_text))
        self._blocks.extend((first, len(inner), count))
        for number, data in enumerate(pages.streams, streams):
            self._blocks.append(self._offset)
            self._write_object_body(number, objects.stream(data, b"/Filter/FlateDecode"))
        self._blocks.append(self._offset)
        self._write_object_body(holder, objects.object_stream(first, inner))
        self._kids += range(first, first + count)
        self._parts.extend((part, page, self._page_count, self._page_count + count - 1))
        self._page_count += count
        self._uncommon_characters.update(pages.uncommon_characters)

    def close(self) -> None:
        """Write what every file ends with; nothing can be added afterwards."""
        self._close_group()
        self._embed_fonts()
        groups = b" ".join(b"%d 0 R" % number for number, _ in self._groups)
        self._write_object(PAGES, b"<</Type/Pages/Count %d/Kids[%s]>>" % (self._page_count, groups))
        parts = range(0, len(self._parts), 4)
        kids = b" ".join(b"%d 0 R" % self._parts[at] for at in parts)
        subtrees = b" ".join(b"%d 0 R" % self._parts[at + 1] for at in parts)
        self._write_object(
            STRUCTURE_ROOT, b"<</Type/StructTreeRoot/K[%d 0 R]/ParentTree %d 0 R>>" % (DOCUMENT, PARENT_TREE)
        )
        self._write_object(DOCUMENT, b"<</Type/StructElem/S/Document/P %d 0 R/K[%s]>>" % (STRUCTURE_ROOT, kids))
        self._write_object(PARENT_TREE, b"<</Kids[%s]>>" % subtrees if self._parts else b"<</Nums[]>>")
        self._write_object(METADATA, objects.stream(objects.metadata(self._title), b"/Type/Metadata/Subtype/XML"))
        self._write_object(
            INFO, b"<</Title%s/Creator(attnhand)/Producer(attnhand)>>" % objects.text_string(self._title)
        )
        self._write_object(
            CATALOG,
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/MarkInfo<</Marked true>>/Metadata %d 0 R/Lang%s"
            b"/ViewerPreferences<</DisplayDocTitle true>>%s>>"
            % (PAGES, STRUCTURE_ROOT, METADATA, objects.text_string(self._language), self._write_bookmarks()),
        )
        self._write_object_table()

    # what sheets share

    def _write_bookmarks(self) -> bytes:
        """Write the bookmarks, if there are any; return what the catalogue says of them."""
        if not self._outline:
            return b""
        root = self._next_number
        for lot in self._outline.lots(root):
            self._blocks.extend((self._next_number, len(lot), 0, self._offset))
            self._write_object_body(self._next_number + len(lot), objects.object_stream(self._next_number, lot))
            self._next_number += len(lot) + 1
        return b"/Outlines %d 0 R/PageMode/UseOutlines" % root

    def _embed_fonts(self) -> None:
        """Write the fonts, only as much of them as is used."""
        used = fonts() + (name_fonts() if find_rare_characters("".join(self._uncommon_characters)) else ())
        named = []
        for font in used:
            named.append(b"/%s %d 0 R" % (font.resource.encode(), self._next_number))
            for font_object in font_objects(font, self._next_number, whole=bool(self._uncommon_characters)):
                self._write_object(self._take_number(), font_object)
        self._write_object(FONTS, b"<<%s>>" % b"".join(named))

    def _write_shared_objects(self, template_data: bytes) -> _SharedObjects:
        """Write what all sheets of a template share."""
        template = unpack_template(template_data) if template_data else None
        contents = []
        states = b""
        if template:
            for page in template.pages:
                contents.append(self._take_number())
                self._write_object(contents[-1], objects.stream(page.content, b"/Filter/FlateDecode"))
            self._uncommon_characters.update(template.uncommon)
            states = b"".join(
                b"/%s<<%s>>" % (name.encode(), b"".join(b"/%s %g" % (key.encode(), state[key]) for key in state))
                for name, state in template.states.items()
            )
        resources = self._take_number()
        self._write_object(resources, b"<</Font %d 0 R/ExtGState<<%s>>>>" % (FONTS, states))
        tree = tree_of(template_data) if template_data else None
        shared = self._shared[template_data] = _SharedObjects(tuple(contents), resources, template, tree)
        return shared

    def _make_page_objects(self, pages: StampedPages, shared: _SharedObjects, first_stream: int) -> Iterator[bytes]:
        template = shared.template
        for at in range(len(pages.streams)):
            width, height = (template.width, template.height) if template else pages.page_sizes[at]
            under = b"%d 0 R " % shared.contents[at] if template else b""
            yield (
                b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6f %.6f]/Contents[%s%d 0 R]/Resources %d 0 R/Tabs/S"
                b"/StructParents %d>>"
                % (
                    self._group_number,
                    width / MM_PER_POINT,
                    height / MM_PER_POINT,
                    under,
                    first_stream + at,
                    shared.resources,
                    self._page_count + at,
                )
            )

    def _close_group(self) -> None:
        if not self._kids:
            return
        kids = b" ".join(b"%d 0 R" % number for number in self._kids)
        self._write_object(
            self._group_number, b"<</Type/Pages/Parent %d 0 R/Count %d/Kids[%s]>>" % (PAGES, len(self._kids), kids)
        )
        self._groups.append((self._group_number, len(self._kids)))
        self._kids = []

    # objects

    def _take_number(self) -> int:
        self._next_number += 1
        return self._next_number - 1

    def _write_bytes(self, data: bytes) -> None:
        self._out.write(data)
        self._offset += len(data)

    def _write_object(self, number: int, data: bytes) -> None:
        self._offsets[number] = self._offset
        self._write_object_body(number, data)

    def _write_object_body(self, number: int, data: bytes) -> None:
        self._write_bytes(b"%d 0 obj\n%s\nendobj\n" % (number, data))

    def _write_object_table(self) -> None:
        """Write the table of objects, itself a stream, and where it is."""
        number = self._take_number()
        self._offsets[number] = start = self._offset
        packer = zlib.compressobj(objects.TREE_EFFORT)
        packed = [packer.compress(rows) for rows in self._iterate_table_rows()]
        packed.append(packer.flush())
        entries = b"/Type/XRef/Size %d/Root %d 0 R/Info %d 0 R/W[1 5 3]/Filter/FlateDecode" % (
            self._next_number,
            CATALOG,
            INFO,
        )
        self._write_object_body(number, objects.stream(b"".join(packed), entries))
        self._write_bytes(b"startxref\n%d\n%%%%EOF\n" % start)

    def _iterate_table_rows(self) -> Iterator[bytes]:
        """Yield the rows of the table in the order of numbers."""
        yield b"\0" * 6 + b"\xff\xff\xff"
        number, at = 1, 0
        while number < self._next_number:
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
