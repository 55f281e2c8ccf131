"""Parts of a PDF file as bytes: streams, rows of the table of objects, strings, what describes the file."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain
from operator import add
from xml.sax.saxutils import escape

TREE_EFFORT = 1
"""How hard trees are deflated: they are long, alike and quickly deflated well."""


@lru_cache(maxsize=64)
def places(count: int) -> list[bytes]:
    """Return the places in an object stream as the table writes them."""
    return [place.to_bytes(3, "big") for place in range(count)]


def stream(data: bytes, entries: bytes) -> bytes:
    """Return a PDF stream object."""
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


def in_file(offset: int) -> bytes:
    """Return the table's row for an object that stands at an offset in the file."""
    return b"\1" + offset.to_bytes(5, "big") + b"\0\0\0"


def object_stream(first: int, objects: Sequence[bytes]) -> bytes:
    """Return an object stream of objects that are numbered in turn."""
    lengths = accumulate(map(len, objects), initial=0)
    offsets = map(add, lengths, range(len(objects)))  # each ends in a line's end
    pairs = chain.from_iterable(zip(range(first, first + len(objects)), offsets, strict=True))
    head = (b"%d %d " * len(objects) % tuple(pairs)).rstrip()
    data = zlib.compress(head + b"\n" + b"\n".join(objects), TREE_EFFORT)
    return stream(data, b"/Type/ObjStm/N %d/First %d/Filter/FlateDecode" % (len(objects), len(head) + 1))


def text_string(text: str) -> bytes:
    """Return a PDF string of any characters.

    >>> text_string("A1"), text_string("№")
    (b'(A1)', b'<feff2116>')
    """
    if text.isascii() and text.isprintable() and not set(text) & set("()\\\\"):
        return b"(%s)" % text.encode()
    return b"<feff%s>" % text.encode("utf-16-be").hex().encode()


def metadata(title: str) -> bytes:
    """Return the description (XMP) that says the file's title and that it is PDF/UA-1."""
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1"/>'
        '<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="attnhand"/>'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>'
        f'<rdf:li xml:lang="x-default">{escape(title)}</rdf:li></rdf:Alt></dc:title></rdf:Description>'
        '</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>'
    ).encode()
