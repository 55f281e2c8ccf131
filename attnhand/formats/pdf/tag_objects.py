"""A sheet's structure tree as PDF objects: written once as a form, filled with object numbers for every sheet."""

from collections.abc import Sequence

from attnhand.formats.pdf.tags import COLUMN_HEAD, ROW_HEAD, Node, list_elements
from attnhand.text.widths import MM_PER_POINT

_TAGS = {
    COLUMN_HEAD: b"/S/TH/A<</O/Table/Scope/Column>>",
    ROW_HEAD: b"/S/TH/A<</O/Table/Scope/Row>>",
}


class TreeText:
    """The objects of the tree that sheets of one kind have; numbers in them count from the first element's."""

    def __init__(self, top: Node, content_counts: Sequence[int], page_height: float) -> None:
        """Write the form.

        Args:
            top: the element around everything.
            content_counts: of every page, how many contents belong to elements.
            page_height: in millimetres.
        """
        elements = list_elements(top)
        self.count = len(elements)
        """How many elements there are."""

        place = {id(node): at for at, (node, _) in enumerate(elements)}
        # the pages and a node of the parent tree stand before the elements, the fields of a form behind them
        first_page = -len(content_counts) - 1
        owners = [[-1] * count for count in content_counts]
        self._field_owners: list[int] = []
        form: list[bytes] = []
        numbers: list[int] = []
        for at, (node, parent) in enumerate(elements):
            text = [b"<<", _TAGS.get(node.tag, b"/S/" + node.tag.encode())]
            if node.figure_area:
                x, y, w, h = node.figure_area
                box = (side / MM_PER_POINT for side in (x, page_height - y - h, x + w, page_height - y))
                text.append(b"/Alt%%s/A<</O/Layout/BBox[%.3f %.3f %.3f %.3f]>>" % tuple(box))
            text.append(b"/P %d 0 R")
            numbers.append(parent)
            if any(isinstance(kid, int) for kid in node.kids):
                text.append(b"/Pg %d 0 R")
                numbers.append(first_page + node.page)
            kids = []
            if node.tag == "Form":
                kids.append(b"<</Type/OBJR/Pg %d 0 R/Obj %d 0 R>>")
                numbers += (first_page + node.page, len(elements) + len(self._field_owners))
                self._field_owners.append(at)
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
        self._has_figure = any(node.figure_area for node, _ in elements)
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
        if self._has_figure:
            whole = whole.replace(b"/Alt%s", b"/Alt" + alternative.replace(b"%", b"%%"))
        return (whole % tuple(filled)).split(b"\n")

    def parents(self, first: int, first_key: int) -> bytes:
        """Return the node of the parent tree: whose every content of a page is, and whose every field."""
        page_arrays = b"".join(b"%d%s" % (key, page) for key, page in enumerate(self._pages, first_key))
        first_field_key = first_key + len(self._pages)
        fields = b"".join(b" %d %%d 0 R" % (first_field_key + at) for at in range(len(self._field_owners)))
        owners = (page_arrays + fields) % tuple(map(first.__add__, (*self._owned, *self._field_owners)))
        return b"<</Limits[%d %d]/Nums[%s]>>" % (first_key, first_key + self.key_count - 1, owners)

    @property
    def key_count(self) -> int:
        """Count the keys it takes in the parent tree: one for every page, and for every field."""
        return len(self._pages) + len(self._field_owners)
