"""A sheet's structure tree as PDF objects: written once as a form, filled with object numbers for every sheet."""

from collections.abc import Mapping, Sequence
from itertools import chain

from attnhand.formats.pdf.objects import make_text_string
from attnhand.formats.pdf.tags import COLUMN_HEAD, ROW_HEAD, Node, list_elements
from attnhand.text.widths import MM_PER_POINT

_TAGS = {
    COLUMN_HEAD: b"/S/TH/A<</O/Table/Scope/Column>>",
    ROW_HEAD: b"/S/TH/A<</O/Table/Scope/Row>>",
}

_ALTERNATIVE = b"/Alt%s"
"""The place for the description of a figure, in a form."""


class TreeText:
    """The structure tree that sheets of one kind have, as a form with places for object numbers.

    A page with a paragraph and a QR code, which is described in words::

        Part             element 0
          P              element 1   content 0 of the page
          Figure         element 2   content 1 of the page

    The form has ``%d`` for every number of an object. Which number it is, is kept beside it, counted from the first
    element: the page stands 2 before it, behind the page comes its node of the parent tree. What is around the first
    element, -1 here, is told with each sheet::

        <</S/Part/P %d 0 R/K[%d 0 R %d 0 R]>>                    -1   1   2
        <</S/P/P %d 0 R/Pg %d 0 R/K 0>>                           0  -2
        <</S/Figure/Alt%s/A<<…>>/P %d 0 R/Pg %d 0 R/K 1>>         0  -2

    Where the first element is object 12, and object 4 is around it, 12 is added to every number but the first::

        <</S/Part/P 4 0 R/K[13 0 R 14 0 R]>>
        <</S/P/P 12 0 R/Pg 10 0 R/K 0>>
        <</S/Figure/Alt(QR code)/A<<…>>/P 12 0 R/Pg 10 0 R/K 1>>
    """

    def __init__(self, top: Node, content_counts: Sequence[int], page_height: float) -> None:
        """Write the form.

        Args:
            top: the element around everything.
            content_counts: of every page, how many contents belong to elements.
            page_height: in millimetres.

        Raises:
            RuntimeError: a content belongs to no element.
        """
        elements = list_elements(top)
        self.count = len(elements)
        """How many elements there are."""

        self._field_elements = [at for at, (node, _) in enumerate(elements) if node.tag == "Form"]
        """The elements of a form's fields, field by field; the fields stand behind all elements."""

        self._content_elements = _find_content_elements(elements, content_counts)
        """The elements of a page's contents, page by page."""

        writer = _ElementWriter(
            page_height,
            first_page=-len(content_counts) - 1,
            places={id(node): at for at, (node, _) in enumerate(elements)},
            fields={at: self.count + number for number, at in enumerate(self._field_elements)},
        )
        written = [writer.write(at, node, parent) for at, (node, parent) in enumerate(elements)]
        self._form = b"\n".join(text for text, _ in written)
        """The form, an element a line."""

        self._numbers = list(chain.from_iterable(numbers for _, numbers in written))
        """The numbers for its places, in their order, counted from the first element."""

    def fill_elements(self, first: int, parent: int, alternative: bytes) -> list[bytes]:
        """Fill the form above: return the elements as objects, the first of which has that number.

        Args:
            parent: the number of the element around them.
            alternative: what those hear who cannot see the figure; as ``make_text_string`` writes it: in one line.
        """
        form = self._form.replace(_ALTERNATIVE, b"/Alt" + alternative.replace(b"%", b"%%"))
        _, *others = self._numbers  # in the first place of all stands the parent of the first element
        return (form % (parent, *(first + number for number in others))).split(b"\n")

    def fill_parent_node(self, first: int, first_key: int) -> bytes:
        """Return the node of the parent tree, which says to which elements contents and fields belong.

        A page has one key with the elements of all its contents, a field one with its own. From key 7, of a page with
        two contents, the second of which belongs to a field::

            <</Limits[7 8]/Nums[7[13 0 R 14 0 R] 8 14 0 R]>>
        """
        entries: list[bytes] = []
        for key, page in enumerate(self._content_elements, first_key):
            references = b" ".join(b"%d 0 R" % (first + at) for at in page)
            entries.append(b"%d[%s]" % (key, references))
        for key, at in enumerate(self._field_elements, first_key + len(self._content_elements)):
            entries.append(b" %d %d 0 R" % (key, first + at))
        last_key = first_key + self.key_count - 1
        return b"<</Limits[%d %d]/Nums[%s]>>" % (first_key, last_key, b"".join(entries))

    @property
    def key_count(self) -> int:
        """Count the keys it takes in the parent tree: one for every page, and for every field."""
        return len(self._content_elements) + len(self._field_elements)


class _ElementWriter:
    """Writes elements with places for numbers, and these numbers counted from the first element."""

    def __init__(
        self, page_height: float, *, first_page: int, places: Mapping[int, int], fields: Mapping[int, int]
    ) -> None:
        """Take the numbers of the first page, of elements by the id of their node, and of fields by their element."""
        self.page_height, self.first_page, self.places, self.fields = page_height, first_page, places, fields

    def write(self, at: int, node: Node, parent: int) -> tuple[bytes, list[int]]:
        """Write an element: what it is, the element around it, the page of its contents, and what is in it."""
        kids, kid_numbers = self._write_kids(at, node)
        has_contents = any(isinstance(kid, int) for kid in node.kids)
        text = b"".join(
            (
                b"<<",
                _TAGS.get(node.tag, b"/S/" + node.tag.encode()),
                self._write_figure(node),
                b"/P %d 0 R",
                b"/Pg %d 0 R" if has_contents else b"",
                b"/K %s>>" % kids[0] if len(kids) == 1 else b"/K[%s]>>" % b" ".join(kids),
            )
        )
        page_number = [self.first_page + node.page] if has_contents else []
        return text, [parent, *page_number, *kid_numbers]

    def _write_figure(self, node: Node) -> bytes:
        """Write the place for a figure's description, and where it is: in points from the bottom of the page."""
        if not node.figure_area:
            return b""
        x, y, w, h = node.figure_area
        box = (side / MM_PER_POINT for side in (x, self.page_height - y - h, x + w, self.page_height - y))
        alternative = _ALTERNATIVE
        if node.alt_text:
            alternative = b"/Alt" + make_text_string(node.alt_text).replace(b"%", b"%%")
        return alternative + b"/A<</O/Layout/BBox[%.3f %.3f %.3f %.3f]>>" % tuple(box)

    def _write_kids(self, at: int, node: Node) -> tuple[list[bytes], list[int]]:
        """Write what is in an element: its field, then elements and contents in reading order."""
        kids: list[bytes] = []
        numbers: list[int] = []
        if at in self.fields:
            kids.append(b"<</Type/OBJR/Pg %d 0 R/Obj %d 0 R>>")
            numbers += (self.first_page + node.page, self.fields[at])
        for kid in node.kids:
            if isinstance(kid, Node):
                kids.append(b"%d 0 R")
                numbers.append(self.places[id(kid)])
            else:
                kids.append(b"%d" % kid)
        return kids, numbers


def _find_content_elements(elements: Sequence[tuple[Node, int]], content_counts: Sequence[int]) -> list[list[int]]:
    """Return for every content of every page the element that it belongs to.

    Raises:
        RuntimeError: a content belongs to none.
    """
    found = {(node.page, kid): at for at, (node, _) in enumerate(elements) for kid in node.kids if isinstance(kid, int)}
    try:
        return [[found[page, number] for number in range(count)] for page, count in enumerate(content_counts)]
    except KeyError:
        raise RuntimeError("some content on the page belongs to no element") from None
