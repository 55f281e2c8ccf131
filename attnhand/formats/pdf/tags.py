"""The structure tree of a PDF: what is a table, a heading, a paragraph, for those who listen."""

from dataclasses import dataclass, field

COLUMN_HEAD, ROW_HEAD = "TH column", "TH row"
"""Header cells, by what they are the head of."""


@dataclass(slots=True)
class Node:
    """A structure element of one page; put together while the page is drawn, and not changed later."""

    tag: str
    page: int
    """From 0."""

    kids: list["Node | int"] = field(default_factory=list)
    """Elements, and the numbers (MCID) of contents on its page, in reading order."""

    has_alt_text: bool = False
    """Whether it is the sheet's QR code, which is described in words."""

    def add(self, tag: str, *, has_alt_text: bool = False) -> "Node":
        """Add an element of the same page below this one, and return it."""
        node = Node(tag, self.page, has_alt_text=has_alt_text)
        self.kids.append(node)
        return node


def list_elements(top: Node) -> list[tuple[Node, int]]:
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
