"""A sheet's structure tree as PDF objects: written once as a form, filled with object numbers for every sheet."""

from functools import lru_cache

from attnhand.formats.pdf.tags import COLUMN_HEAD, ROW_HEAD, Node, flat
from attnhand.formats.pdf.template import unpack_template
from attnhand.text.widths import MM_PER_POINT

_TAGS = {
    COLUMN_HEAD: b"/S/TH/A<</O/Table/Scope/Column>>",
    ROW_HEAD: b"/S/TH/A<</O/Table/Scope/Row>>",
}


class TreeText:
    """The objects of one shape's tree; numbers in them count from the first element's."""

    def __init__(self, top: Node, marks: list[int], boxes: dict[int, bytes]) -> None:
        """Write the form.

        Args:
            top: the element around everything.
            marks: of every page, how many marked contents it has.
            boxes: of every page with a figure, where that stands, as PDF numbers.
        """
        elements = flat(top)
        self.count = len(elements)
        """How many elements there are."""

        place = {id(node): at for at, (node, _) in enumerate(elements)}
        first_page = -len(marks) - 1  # the pages and a node of the parent tree stand before the elements
        owners = [[-1] * count for count in marks]
        form: list[bytes] = []
        numbers: list[int] = []
        for at, (node, parent) in enumerate(elements):
            text = [b"<<", _TAGS.get(node.tag, b"/S/" + node.tag.encode())]
            if node.alternative:
                text.append(b"/Alt%s/A<</O/Layout/BBox[" + boxes[node.page] + b"]>>")
            text.append(b"/P %d 0 R")
            numbers.append(parent)
            if any(isinstance(kid, int) for kid in node.kids):
                text.append(b"/Pg %d 0 R")
                numbers.append(first_page + node.page)
            kids = []
            for kid in node.kids:
                if isinstance(kid, Node):
                    kids.append(b"%d 0 R")
                    numbers.append(place[id(kid)])
                else:
                    kids.append(b"%d" % kid)
                    owners[node.page][kid] = at
            text.append(b"/K[%s]>>" % b" ".join(kids) if len(kids) != 1 else b"/K %s>>" % kids[0])
            form.append(b"".join(text))
        if any(owner < 0 for page in owners for owner in page):
            raise RuntimeError("some content on the page belongs to no element")
        self._numbers = numbers
        self._owned = [owner for page in owners for owner in page]
        self._pages = [b"[%s]" % b" ".join([b"%d 0 R"] * len(page)) for page in owners]
        self._alternatives = sum(node.alternative for node, _ in elements)
        self._whole = b"\n".join(form)

    def objects(self, first: int, parent: int, alternative: bytes) -> list[bytes]:
        """Return the elements, the first of which has that number.

        Args:
            parent: the number of the element around them.
            alternative: what those hear who cannot see the figure, as a PDF string.
        """
        filled = list(map(first.__add__, self._numbers))
        filled[0] = parent
        whole = self._whole
        if self._alternatives:
            whole = whole.replace(b"/Alt%s", b"/Alt" + alternative.replace(b"%", b"%%"))
        return (whole % tuple(filled)).split(b"\n")

    def parents(self, first: int, first_key: int) -> bytes:
        """Return the node of the parent tree: for every page, whose each marked content is."""
        last = first_key + len(self._pages) - 1
        form = b"".join([b"%d%s" % (key, page) for key, page in enumerate(self._pages, first_key)])
        owners = form % tuple(map(first.__add__, self._owned))
        return b"<</Limits[%d %d]/Nums[%s]>>" % (first_key, last, owners)


@lru_cache(maxsize=64)
def tree_of(packed: bytes) -> TreeText:
    """Return the tree of a template."""
    template = unpack_template(packed)
    boxes = {}
    for number, page in enumerate(template.pages):
        for code in page.codes:
            x, y, side = (0.75 * value for value in code[:3])
            top = template.height / MM_PER_POINT - y
            boxes[number] = b"%.3f %.3f %.3f %.3f" % (x, top - side, x + side, top)
    return TreeText(template.tree, [page.marks for page in template.pages], boxes)


def tree_of_words(marks: tuple[int, ...]) -> TreeText:
    """Return the tree of pages that hold nothing but paragraphs, so many on each."""
    sections: list[Node | int] = [
        Node("Sect", page, [Node("P", page, [mark]) for mark in range(count)]) for page, count in enumerate(marks)
    ]
    return TreeText(Node("Part", 0, sections), list(marks), {})
