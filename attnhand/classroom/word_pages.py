"""Pages of words around a class's sheets: what all of them are made from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from attnhand.classroom.register import Seat
from attnhand.layout.page import Box, Item, Layout, Page, Paragraph, TextBox, text_height
from attnhand.layout.typography import MARGIN, REGULAR_TYPE, TOP, Set, Typography
from attnhand.text.widths import bold, marked_up, printable, width

LARGEST = 80
"""Points, of what is seen from afar."""

BETWEEN = 4.0
"""Between boxes that are one under the other, in millimetres."""


@dataclass(frozen=True, slots=True)
class PageSize:
    """The size of a page as it is read, in millimetres."""

    width: float
    height: float

    @property
    def is_upright(self) -> bool:
        """Say whether it is at least as high as it is wide."""
        return self.height >= self.width

    @property
    def upright(self) -> "PageSize":
        """The same paper, upright."""
        return PageSize(min(self.width, self.height), max(self.width, self.height))


Words = list[Paragraph]
"""Paragraphs that stay together."""


def said(markup: str, style: Set = Set.HEADING, *, level: int = 0) -> Paragraph:
    """Return a sentence of ours as a paragraph, in the larger type of covers."""
    return Paragraph(marked_up(markup), style, level=level)


def title(text: str) -> Paragraph:
    """Return a title, which may be somebody's own."""
    return Paragraph(bold(printable(text)), Set.TITLE, level=1)


def pages(
    paper: PageSize,
    blocks: Iterable[Words],
    *,
    between: float = BETWEEN,
    top: float = TOP,
    type_: Typography = REGULAR_TYPE,
) -> Iterator[Layout]:
    """Lay blocks of words out, one under the other, on as many pages as they take."""
    room = paper.width - 2 * MARGIN
    items: list[Item] = []
    y = top
    for block in blocks:
        height = text_height(block, type_, room)
        if items and y + height > paper.height - TOP:
            yield layout(paper, items, type_)
            items, y = [], top
        items.append(TextBox(box=Box(MARGIN, y, room, height), paragraphs=tuple(block)))
        y += height + between
    yield layout(paper, items, type_)


def layout(paper: PageSize, items: Sequence[Item], type_: Typography = REGULAR_TYPE) -> Layout:
    """Return one page with these boxes; without any it is an empty side."""
    page = Page(number=1, items=tuple(items))
    return Layout(width=paper.width, height=paper.height, pages=(page,), typography=type_)


def separator(paper: PageSize, text: str, told: str) -> Layout:
    """Return a page whose few words are seen from afar, as large as the longest of them can be."""
    room = paper.width - 2 * MARGIN
    longest = max((width(bold(word), 1.0) for word in printable(text).split()), default=1.0)
    points = max(REGULAR_TYPE.points[Set.TITLE], min(LARGEST, int(room / (longest * 1.05))))
    type_ = replace(REGULAR_TYPE, points={**REGULAR_TYPE.points, Set.TITLE: points})
    return next(pages(paper, [[title(text), said(told)]], top=paper.height / 4, type_=type_))


def numbers(seats: Sequence[Seat]) -> str:
    """Return numbers in a few words.

    >>> from attnhand.classroom.roster import Student
    >>> numbers([Seat(number=n, student=Student(row=n), seed=n) for n in (1, 2, 3, 7, 9, 10)])
    '001–003, 007, 009, 010'
    """
    ordered = sorted(seats, key=lambda seat: seat.number)
    told = []
    for _, run in groupby(enumerate(ordered), lambda pair: pair[1].number - pair[0]):
        shown = [seat.holder.printed_number for _, seat in run]
        told += [f"{shown[0]}–{shown[-1]}"] if len(shown) > 2 else shown
    return ", ".join(told)
