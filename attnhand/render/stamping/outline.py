"""The bookmarks of a PDF file (ISO 32000-1, 12.3.3): one a sheet, so that somebody's is found among thousands.

Many stand in branches: a reader shows few lines, and walks no chain of thousands.
"""

from array import array
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import islice

from attnhand.render.stamping.objects import text_string

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

    def keep(self, title: str, page: int) -> None:
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
    return b"<</Title%s/Parent %d 0 R%s/Dest[%d 0 R/Fit]%s>>" % (text_string(title), parent, links, page, more)
