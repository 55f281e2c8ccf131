"""The structure tree of a PDF: what is a table, a heading, a paragraph, for those who listen."""

from dataclasses import dataclass, field
from typing import Any

INVISIBLE = ("Span", "NonStruct", "Div")
"""Elements that say nothing: what is in them belongs to the element around them."""

COLUMN_HEAD, ROW_HEAD = "TH column", "TH row"
"""Header cells, by what they are the head of."""

CELLS = ("TD", COLUMN_HEAD, ROW_HEAD)
"""Elements that stand for something even when they are empty."""


@dataclass(slots=True)
class Node:
    """A structure element of one page; written down while a page is laid out, and not changed later."""

    tag: str
    page: int
    """From 0."""

    kids: list["Node | int"] = field(default_factory=list)
    """Elements, and the marks (MCID) of content on its page, in reading order."""

    alternative: bool = False
    """Whether the sheet's QR code is described here."""

    def find(self, tag: str) -> list["Node"]:
        """Return the elements of one kind below this one, in reading order."""
        nodes = [kid for kid in self.kids if isinstance(kid, Node)]
        return [found for kid in nodes for found in ([kid] if kid.tag == tag else kid.find(tag))]

    def lean(self) -> "Node":
        """Return the tree without elements that say nothing."""
        kids: list[Node | int] = []
        for kid in self.kids:
            if isinstance(kid, int):
                kids.append(kid)
            elif (leaner := kid.lean()).tag in INVISIBLE:
                kids += leaner.kids
            elif leaner.kids or leaner.tag in CELLS:
                kids.append(leaner)
        return Node(self.tag, self.page, kids, self.alternative)


def flat(top: Node) -> list[tuple[Node, int]]:
    """Return a tree's elements in reading order, each with the place of its parent (-1 for the first)."""
    found: list[tuple[Node, int]] = []

    def visit(node: Node, parent: int) -> None:
        at = len(found)
        found.append((node, parent))
        for kid in node.kids:
            if isinstance(kid, Node):
                visit(kid, at)

    visit(top, -1)
    return found


def as_data(node: Node) -> list[Any]:
    """Return a tree as JSON keeps it."""
    kids = [as_data(kid) if isinstance(kid, Node) else kid for kid in node.kids]
    return [node.tag, node.page, kids, node.alternative]


def from_data(data: list[Any]) -> Node:
    """Read a tree that was kept."""
    tag, page, kids, alternative = data
    return Node(tag, page, [from_data(kid) if isinstance(kid, list) else kid for kid in kids], alternative)
