"""Parts of a PDF file as bytes: streams, rows of the table of objects, strings, what describes the file."""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from io import BytesIO
from itertools import accumulate, chain, islice
from operator import add

FLAT = 200
"""Bookmarks that need no branches."""

IN_BRANCH = 100
"""Bookmarks in a branch."""


class Outline:
    """Keeps titles and pages until the file ends: a few bytes a sheet."""

    def __init__(self) -> None:
        """Begin without bookmarks."""
        self._pages = array("Q")
        self._titles = bytearray()
        """UTF-8, a line a title."""

    def __len__(self) -> int:
        """Count the bookmarks."""
        return len(self._pages)

    def add_bookmark(self, title: str, page: int) -> None:
        """Keep a bookmark that leads to the page with that object number."""
        self._titles += " ".join(title.split()).encode() + b"\n"
        self._pages.append(page)

    def lots(self, root: int) -> Iterator[list[bytes]]:
        """Yield the objects of the bookmarks in the order of their numbers, to be written lot by lot.

        Args:
            root: the number of the first of them; behind each lot one stays free, for the stream that holds it.
        """
        titles = (line.decode().rstrip() for line in BytesIO(self._titles))
        entries = zip(titles, self._pages, strict=True)
        count = len(self)
        if count <= FLAT:
            yield [_top(root + 1, root + count, count), *_lines(list(entries), root + 1, root)]
            return
        branches = -(-count // IN_BRANCH)
        first, step = root + 2, IN_BRANCH + 2  # a branch, its bookmarks, their stream
        yield [_top(first, first + (branches - 1) * step, branches)]
        for at in range(branches):
            kids, branch = list(islice(entries, IN_BRANCH)), first + at * step
            ends = (branch + 1, branch + len(kids), len(kids))
            closed = b"/First %d 0 R/Last %d 0 R/Count -%d" % ends
            title = f"{kids[0][0]} … {kids[-1][0]}"
            beside = (branch - step if at else 0, branch + step if at + 1 < branches else 0)
            yield [_line(title, kids[0][1], root, beside, closed), *_lines(kids, branch + 1, branch)]


def _top(first: int, last: int, count: int) -> bytes:
    return b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (first, last, count)


def _lines(entries: Sequence[tuple[str, int]], first: int, parent: int) -> Iterator[bytes]:
    """Yield bookmarks that stand under one another."""
    last = first + len(entries) - 1
    for number, (title, page) in enumerate(entries, first):
        yield _line(title, page, parent, (number - 1 if number > first else 0, number + 1 if number < last else 0))


def _line(title: str, page: int, parent: int, beside: tuple[int, int], more: bytes = b"") -> bytes:
    """Return a bookmark, with the numbers of those before and after it, or 0."""
    links = b"".join(b"/%s %d 0 R" % link for link in zip((b"Prev", b"Next"), beside, strict=True) if link[1])
    return b"<</Title%s/Parent %d 0 R%s/Dest[%d 0 R/Fit]%s>>" % (make_text_string(title), parent, links, page, more)


TREE_EFFORT = 4
"""How hard trees are deflated: they are long, alike and quickly deflated well."""


def make_stream(data: bytes, entries: bytes) -> bytes:
    """Return a PDF stream object."""
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


class ObjectTable:
    """The table that says where every object is, deflated: for each row only what differs from the row above.

    Most rows differ from it in their last number by one, so that thousands of sheets take no room to speak of
    (predictor 12, as ISO 32000-1, 7.5.8.4 and PNG have it).
    """

    ENTRIES = b"/W[1 5 3]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 9>>"

    def __init__(self) -> None:
        """Begin with the row of no object."""
        self._above = bytes(9)
        self._packer = zlib.compressobj(TREE_EFFORT)
        self._packed: list[bytes] = []
        self._add_row(b"\0" * 6 + b"\xff\xff\xff")

    def add_object(self, offset: int) -> None:
        """Add an object that stands at an offset in the file."""
        self._add_row(b"\1" + offset.to_bytes(5, "big") + b"\0\0\0")

    def add_stream_objects(self, object_stream: int, count: int) -> None:
        """Add the objects that an object stream holds, of this number."""
        first = b"\2" + object_stream.to_bytes(5, "big")
        self._add_row(first + b"\0\0\0")
        self._packed.append(self._packer.compress(_write_steps(count)))
        self._above = first + (count - 1).to_bytes(3, "big")

    def finish(self) -> bytes:
        """Return the table."""
        return b"".join((*self._packed, self._packer.flush()))

    def _add_row(self, row: bytes) -> None:
        self._packed.append(self._packer.compress(_subtract_row(row, self._above)))
        self._above = row


@lru_cache(maxsize=64)
def _write_steps(count: int) -> bytes:
    """Return the rows of all objects but the first that an object stream holds, each without those above it."""
    rows = [place.to_bytes(9, "big") for place in range(count)]
    return b"".join(map(_subtract_row, rows[1:], rows))


def _subtract_row(row: bytes, above: bytes) -> bytes:
    """Return a row without what stands above it, byte by byte, behind the number of this filter."""
    return bytes((2, *((byte - before) & 0xFF for byte, before in zip(row, above, strict=True))))


def make_object_stream(first: int, objects: Sequence[bytes]) -> bytes:
    """Return an object stream of objects that are numbered in turn."""
    lengths = accumulate(map(len, objects), initial=0)
    offsets = map(add, lengths, range(len(objects)))  # each ends in a line's end
    pairs = chain.from_iterable(zip(range(first, first + len(objects)), offsets, strict=True))
    head = (b"%d %d " * len(objects) % tuple(pairs)).rstrip()
    data = zlib.compress(head + b"\n" + b"\n".join(objects), TREE_EFFORT)
    return make_stream(data, b"/Type/ObjStm/N %d/First %d/Filter/FlateDecode" % (len(objects), len(head) + 1))


def make_text_string(text: str) -> bytes:
    """Return a PDF string of any characters.

    >>> make_text_string("A1"), make_text_string("№")
    (b'(A1)', b'<feff2116>')
    """
    if text.isascii() and text.isprintable() and not set(text) & set("()\\\\"):
        return b"(%s)" % text.encode()
    return b"<feff%s>" % text.encode("utf-16-be").hex().encode()


def make_metadata(title: str) -> bytes:
    """Return the description (XMP) that says the file's title and that it is PDF/UA-1."""
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1"/>'
        '<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="attnhand"/>'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>'
        f'<rdf:li xml:lang="x-default">{escape(title, quote=False)}</rdf:li></rdf:Alt></dc:title></rdf:Description>'
        '</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>'
    ).encode()
