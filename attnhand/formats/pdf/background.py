"""What all sheets of one shape share: the page without their numbers, drawn and tagged once by WeasyPrint."""

import re
from dataclasses import dataclass
from typing import Any

from attnhand.formats.pdf.tags import COLUMN_HEAD, ROW_HEAD, Node
from attnhand.formats.pdf.weasy import lay_out_html

_FONT = re.compile(rb"/(\w+) ([\d.]+) Tf")

Rectangle = tuple[float, float, float, float]
"""x1, y1, x2, y2 in CSS pixels from the page's top left corner."""


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """One page as WeasyPrint drew it."""

    content: bytes
    """PDF operators, with the fonts called F1 (regular) and F2 (bold), F3 and F4 those for rare letters of names."""

    marks: int
    """Count of marked contents (MCID) in it."""

    tree: Node
    """Its section, with an element for every box of the page in their order."""

    places: dict[str, Rectangle]
    """Where every element with an id stands."""


@dataclass(frozen=True, slots=True)
class DrawnDocument:
    """A document as WeasyPrint drew it."""

    pages: tuple[DrawnPage, ...]
    states: dict[str, dict[str, float]]
    """Graphics states that the contents name."""


def draw_document(html: str) -> DrawnDocument:
    """Lay a page out and draw it.

    Raises:
        MissingLibraryError: Pango is not installed on this system.
    """
    pdf, places = lay_out_html(html)
    by_reference = {bytes(each.reference): each for each in pdf.objects[1:]}
    references = _references(pdf.pages["Kids"])
    pages = [by_reference[reference] for reference in references]
    resources = by_reference[bytes(pages[0]["Resources"])]
    fonts = {
        name: _resource(str(by_reference[bytes(reference)]["BaseFont"]))
        for name, reference in by_reference[bytes(resources["Font"])].items()
    }
    document = by_reference[bytes(by_reference[bytes(pdf.catalog["StructTreeRoot"])]["K"][0])]
    reader = _TreeReader(by_reference, references)
    sections = [section for kid in document["K"] for section in _sections(reader.read(kid))]
    drawn = []
    for page, section, place in zip(pages, sections, places, strict=True):
        stream = b"\n".join(map(_operator, by_reference[bytes(page["Contents"])].stream))
        marks = len(re.findall(rb"/MCID \d", stream))
        content = _FONT.sub(lambda match: b"/%s %s Tf" % (fonts[match[1].decode()].encode(), match[2]), stream)
        content = content.replace(b">0<", b"")  # [<0012>0<0013>] TJ: nothing is spaced by hand
        drawn.append(DrawnPage(b"q\n" + content + b"\nQ\n", marks, section, place))
    states = {
        name: {key: float(value) for key, value in state.items()} for name, state in resources["ExtGState"].items()
    }
    return DrawnDocument(tuple(drawn), states)


def _resource(name: str) -> str:
    """Return what contents call a font of WeasyPrint's: ABCDEF+Sheet-Sans-Names-Bold is F4."""
    return f"F{1 + ('Bold' in name) + 2 * ('Names' in name)}"


def _references(kids: Any) -> list[bytes]:
    """Return the references in an array of pages, whose three parts stand one after the other: 4, 0, R, 7, 0, R."""
    return [b"%d %d R" % (kids[i], kids[i + 1]) for i in range(0, len(kids), 3)]


def _operator(part: Any) -> bytes:
    if isinstance(part, bytes):
        return part
    return bytes(part.data) if hasattr(part, "data") else str(part).encode("latin-1")


def _sections(node: Node) -> list[Node]:
    return [node] if node.tag == "Sect" else node.find("Sect")


class _TreeReader:
    """Reads WeasyPrint's structure tree."""

    def __init__(self, by_reference: dict[bytes, Any], pages: list[bytes]) -> None:
        self.by_reference, self.pages = by_reference, pages

    def read(self, reference: Any) -> Node:
        element = self.by_reference[bytes(reference)]
        node = Node(element["S"][1:], self.pages.index(bytes(element["Pg"])))
        node.kids = [kid if isinstance(kid, int) else self.read(kid) for kid in element["K"]]
        if node.tag == "Table":
            for row, line in enumerate(node.find("TR")):
                for head in line.find("TH"):
                    head.tag = ROW_HEAD if row else COLUMN_HEAD
        return node
