"""A PDF file, written as a stream: shared pages once, then sheet after sheet, tags included, and fonts at the end.

What is written of a sheet is forgotten at once; a few numbers are kept for the table of objects. Tagged for
PDF/UA-1 (ISO 14289-1); objects, streams and structure as in ISO 32000-1, 7.5 and 14.7.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator
from typing import BinaryIO

from attnhand.formats.pdf import objects
from attnhand.formats.pdf.fonts import FONT_FILES, load_font_by_number
from attnhand.formats.pdf.form import (
    NAME_FIELD,
    draw_initial_value,
    make_appearance,
    make_attachment_objects,
    make_code_field,
    make_field_objects,
)
from attnhand.formats.pdf.objects import Outline
from attnhand.formats.pdf.sheet_pages import SharedPages, SheetPages
from attnhand.problems.reading import ATTACHMENT_NAME
from attnhand.text.widths import MM_PER_POINT

CATALOG, PAGES, STRUCTURE_ROOT, DOCUMENT, PARENT_TREE, METADATA, INFO, FONTS, RESOURCES = range(1, 10)
"""Objects that every file has, by number."""

NUMBER_CHARACTERS = "0123456789−≈.,/∞e^+=() "
"""What numbers and their notes are made of; every sheet may hold them, in both weights."""

PAGES_IN_GROUP = 64
"""Pages that a node of the page tree holds, about."""


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
        self._next_number = RESOURCES + 1
        self._offsets: dict[int, int] = {}
        """Of objects that are no sheet's."""

        self._blocks = array("Q")
        """Of every sheet and lot: first number, objects in its object stream, streams, then the offsets of those."""

        self._parts = array("Q")
        """Of every sheet: its structure element, its node of the parent tree."""

        self._shared: dict[SharedPages, tuple[int, ...]] = {}
        """Where what lies under sheets is in this file: an object a page."""

        self._groups: list[tuple[int, int]] = []
        """Nodes of the page tree that are written: number and pages."""

        self._group_number = 0
        self._kids: list[int] = []
        self._page_count = 0
        self._key_count = 0
        """Keys of the parent tree that are taken: one a page, one a field."""

        self._characters: defaultdict[str, set[str]] = defaultdict(set)
        """What is printed in every font."""

        self._fields: list[int] = []
        self._attachments: list[int] = []

        self._outline = Outline()
        self._write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

    def add_pages(self, pages: SheetPages, bookmark: str = "") -> None:
        """Write the pages of a sheet behind those that are there, with a bookmark if it has a name."""
        shared, tree = pages.shared, pages.shared.tree
        streams = pages.streams or shared.contents
        under = self._write_shared_contents(shared) if pages.streams else ()
        appearance = self._write_appearance(pages) if pages.initial_name else None
        if len(self._kids) >= PAGES_IN_GROUP:
            self._close_group()
        if not self._kids:
            self._group_number = self._take_number()
        count, first = len(streams), self._next_number
        if bookmark:
            self._outline.add_bookmark(bookmark, first)
        # numbered in this order: pages, node of the parent tree, elements, fields; then streams, and the object stream
        parent_node, part = first + count, first + count + 1
        first_field = part + tree.count
        first_stream = first_field + len(shared.fields)
        object_stream = first_stream + count
        self._next_number = object_stream + 1
        inner = [*self._make_page_objects(shared, under, first_stream, first_field)]
        inner.append(tree.fill_parent_node(part, self._key_count))
        inner += tree.fill_elements(part, DOCUMENT, objects.make_text_string(pages.alt_text))
        inner += make_field_objects(
            shared.fields, shared.height, first, self._key_count + count, pages.initial_name, appearance
        )
        self._blocks.extend((first, len(inner), count))
        for number, data in enumerate(streams, first_stream):
            self._blocks.append(self._offset)
            self._write_object_body(number, objects.make_stream(data, b"/Filter/FlateDecode"))
        self._blocks.append(self._offset)
        self._write_object_body(object_stream, objects.make_object_stream(first, inner))
        self._kids += range(first, first + count)
        self._parts.extend((part, parent_node))
        self._fields += range(first_field, first_field + len(shared.fields))
        self._page_count += count
        self._key_count += tree.key_count
        for characters in (shared.characters, pages.characters):
            for font, printed in characters.items():
                self._characters[font] |= printed
        if pages.attachment:
            self._attach(pages)

    def _write_appearance(self, pages: SheetPages) -> int:
        """Write how the field for the name shows what it holds; return the number of the object."""
        field = next(field for field in pages.shared.fields if field.name == NAME_FIELD)
        canvas, number = draw_initial_value(field, pages.initial_name), self._take_number()
        self._write_object(number, make_appearance(field, canvas.finish(), RESOURCES))
        for font, printed in canvas.characters.items():
            self._characters[font] |= printed
        return number

    def _attach(self, pages: SheetPages) -> None:
        """Attach the problem of a form, and keep its code in a field too."""
        attachment = self._next_number  # its first object has this number, and the others count from it
        for data in make_attachment_objects(pages.attachment, pages.code, attachment):
            self._write_object(self._take_number(), data)
        self._attachments.append(attachment)
        code_field = self._take_number()
        self._write_object(code_field, make_code_field(pages.code))
        self._fields.append(code_field)

    def close(self) -> None:
        """Write what every file ends with; nothing can be added afterwards."""
        self._close_group()
        self._embed_fonts()
        groups = b" ".join(b"%d 0 R" % number for number, _ in self._groups)
        self._write_object(PAGES, b"<</Type/Pages/Count %d/Kids[%s]>>" % (self._page_count, groups))
        parts = range(0, len(self._parts), 2)
        kids = b" ".join(b"%d 0 R" % self._parts[at] for at in parts)
        parent_nodes = b" ".join(b"%d 0 R" % self._parts[at + 1] for at in parts)
        self._write_object(
            STRUCTURE_ROOT, b"<</Type/StructTreeRoot/K[%d 0 R]/ParentTree %d 0 R>>" % (DOCUMENT, PARENT_TREE)
        )
        self._write_object(DOCUMENT, b"<</Type/StructElem/S/Document/P %d 0 R/K[%s]>>" % (STRUCTURE_ROOT, kids))
        self._write_object(PARENT_TREE, b"<</Kids[%s]>>" % parent_nodes if self._parts else b"<</Nums[]>>")
        self._write_object(
            METADATA, objects.make_stream(objects.make_metadata(self._title), b"/Type/Metadata/Subtype/XML")
        )
        self._write_object(
            INFO, b"<</Title%s/Creator(attnhand)/Producer(attnhand)>>" % objects.make_text_string(self._title)
        )
        self._write_object(
            CATALOG,
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/MarkInfo<</Marked true>>/Metadata %d 0 R/Lang%s"
            b"/ViewerPreferences<</DisplayDocTitle true>>%s%s>>"
            % (
                PAGES,
                STRUCTURE_ROOT,
                METADATA,
                objects.make_text_string(self._language),
                self._write_bookmarks(),
                self._describe_form(),
            ),
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
            self._write_object_body(self._next_number + len(lot), objects.make_object_stream(self._next_number, lot))
            self._next_number += len(lot) + 1
        return b"/Outlines %d 0 R/PageMode/UseOutlines" % root

    def _describe_form(self) -> bytes:
        """Return what the catalogue says of fields and attachments."""
        described = b""
        if self._fields:
            fields = b" ".join(b"%d 0 R" % number for number in self._fields)
            described += b"/AcroForm<</Fields[%s]/DR<</Font %d 0 R>>>>" % (fields, FONTS)
        if self._attachments:
            name = ATTACHMENT_NAME.encode()
            named = enumerate(self._attachments)
            names = b"".join(b"(%s%s)%d 0 R" % (name, b" %05d" % at if at else b"", number) for at, number in named)
            described += b"/Names<</EmbeddedFiles<</Names[%s]>>>>" % names
        return described

    def _embed_fonts(self) -> None:
        """Write the fonts, only as much of them as is used; all of the first where a form is filled with it."""
        for resource in ("F1", "F2"):
            self._characters[resource].update(NUMBER_CHARACTERS)
        named = []
        for number in range(1, len(FONT_FILES) + 1):
            font = load_font_by_number(number)
            if not (printed := self._characters.get(font.resource)):
                continue
            named.append(b"/%s %d 0 R" % (font.resource.encode(), self._next_number))
            used = font.glyphs if number == 1 and self._fields else printed
            for data in font.make_objects(self._next_number, used):
                self._write_object(self._take_number(), data)
        self._write_object(FONTS, b"<<%s>>" % b"".join(named))
        self._write_object(RESOURCES, b"<</Font %d 0 R>>" % FONTS)

    def _write_shared_contents(self, shared: SharedPages) -> tuple[int, ...]:
        """Write what all sheets share that are laid out alike, once; return where it is, page by page."""
        if shared not in self._shared:
            numbers = []
            for data in shared.contents:
                numbers.append(self._take_number())
                self._write_object(numbers[-1], objects.make_stream(data, b"/Filter/FlateDecode"))
            self._shared[shared] = tuple(numbers)
        return self._shared[shared]

    def _make_page_objects(
        self, shared: SharedPages, under: tuple[int, ...], first_stream: int, first_field: int
    ) -> Iterator[bytes]:
        for at in range(len(shared.contents)):
            contents = b"%d 0 R " % under[at] if under else b""
            fields = [number for number, field in enumerate(shared.fields, first_field) if field.page == at]
            annotations = b"/Annots[%s]" % b" ".join(b"%d 0 R" % number for number in fields) if fields else b""
            yield (
                b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6f %.6f]/Contents[%s%d 0 R]/Resources %d 0 R/Tabs/S"
                b"/StructParents %d%s>>"
                % (
                    self._group_number,
                    shared.width / MM_PER_POINT,
                    shared.height / MM_PER_POINT,
                    contents,
                    first_stream + at,
                    RESOURCES,
                    self._key_count + at,
                    annotations,
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
        described = b"/Type/XRef/Size %d/Root %d 0 R/Info %d 0 R" % (self._next_number, CATALOG, INFO)
        stream = objects.make_stream(self._make_table().finish(), described + objects.ObjectTable.ENTRIES)
        self._write_object_body(number, stream)
        self._write_bytes(b"startxref\n%d\n%%%%EOF\n" % start)

    def _make_table(self) -> objects.ObjectTable:
        """Return the table of all objects, in the order of their numbers."""
        table = objects.ObjectTable()
        number, at = 1, 0
        while number < self._next_number:
            if number in self._offsets:
                table.add_object(self._offsets[number])
                number += 1
                continue
            first, inner, streams = self._blocks[at : at + 3]
            if first != number:
                raise RuntimeError(f"object {number} was never written")
            table.add_stream_objects(first + inner + streams, inner)
            for offset in self._blocks[at + 3 : at + 4 + streams]:
                table.add_object(offset)
            number += inner + streams + 1
            at += 4 + streams
        return table
