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

    figure_area: tuple[float, float, float, float] | None = None
    """Where a figure is, which is described in words: x, y, width and height in millimetres; else None."""

    alt_text: str = ""
    """What describes the figure; empty for the QR code, which is another on every sheet of a kind."""

    def add(self, tag: str, figure_area: tuple[float, float, float, float] | None = None, alt_text: str = "") -> "Node":
        """Add an element of the same page below this one, and return it."""
        node = Node(tag, self.page, figure_area=figure_area, alt_text=alt_text)
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
