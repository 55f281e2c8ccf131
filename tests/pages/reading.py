"""Web pages read back: a small tree of elements, with nothing of the package in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser

VOID_TAGS = {"meta", "br", "hr", "img", "input", "link", "path", "base", "embed", "source"}


@dataclass
class Element:
    """An element, its attributes, and what is in it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def find_all(self, *tags: str) -> Iterator["Element"]:
        """Yield every element in it, in order; only those of some tags, where they are named."""
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    yield child
                yield from child.find_all(*tags)

    def find_first(self, tag: str) -> "Element":
        """Return the first element of a tag."""
        return next(self.find_all(tag))

    @property
    def text(self) -> str:
        """Return all text in it."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> set[str]:
        """Return its classes."""
        return set(self.attributes.get("class", "").split())

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]


@dataclass
class HtmlPage:
    """A parsed document."""

    root: Element
    comments: list[str]
    declarations: list[str]

    def find_by_id(self, name: str) -> Element:
        """Return the element of that id."""
        (found,) = (element for element in self.root.find_all() if element.attributes.get("id") == name)
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = HtmlPage(Element("#document"), [], [])
        self.open_elements = [self.page.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open_elements[-1].children.append(element)
        if tag not in VOID_TAGS:
            self.open_elements.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_elements[-1].tag == tag, f"</{tag}> closes <{self.open_elements[-1].tag}>"
        self.open_elements.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID_TAGS:
            self.open_elements.pop()

    def handle_data(self, data: str) -> None:
        self.open_elements[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        self.page.comments.append(data)

    def handle_decl(self, decl: str) -> None:
        self.page.declarations.append(decl)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"unknown declaration {data}")


def parse_html(document: str) -> HtmlPage:
    """Parse a document, which must close what it opens."""
    reader = _Reader()
    reader.feed(document)
    reader.close()
    assert reader.open_elements == [reader.page.root], f"<{reader.open_elements[-1].tag}> stays open"
    return reader.page


def read_number(cell: Element) -> Fraction:
    """Return the number in a cell: whole, a decimal, or a fraction over its line; not what stands beside or below."""
    beside = {"note", "decimal", "exact"}
    parts = [
        child if isinstance(child, str) else "" if child.classes & beside else child.text for child in cell.children
    ]
    return Fraction("".join(parts).replace("−", "-").replace(" ", ""))
