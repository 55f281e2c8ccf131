"""Pages of running text: blocks of paragraphs one under the other, and a separator that is seen from afar."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from attnhand.layout.page import Box, Item, Layout, Page, Paragraph, TextBox, measure_text_height
from attnhand.layout.typography import (
    PAPER_SIZES,
    REGULAR_TYPOGRAPHY,
    SIDE_MARGIN,
    TOP_MARGIN,
    ParagraphStyle,
    Typography,
)
from attnhand.sheet.options import PageOptions, Paper
from attnhand.text.widths import make_bold_text, measure_width, parse_markup, replace_missing_characters

MAX_SEPARATOR_POINTS = 80
"""Points, of what is seen from afar."""

BLOCK_GAP = 4.0
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
    def upright_size(self) -> "PageSize":
        """The same paper, upright."""
        return PageSize(min(self.width, self.height), max(self.width, self.height))


def get_paper_size(options: PageOptions) -> PageSize:
    """Return how large the paper of a sheet is, upright."""
    return PageSize(*PAPER_SIZES[Paper(options.paper)])


ParagraphBlock = list[Paragraph]
"""Paragraphs that stay together."""


def make_paragraph(markup: str, style: ParagraphStyle = ParagraphStyle.HEADING, *, level: int = 0) -> Paragraph:
    """Return a sentence of ours as a paragraph, in the larger type of covers."""
    return Paragraph(parse_markup(markup), style, heading_level=level)


def make_title(text: str) -> Paragraph:
    """Return a title, which may hold any character."""
    return Paragraph(make_bold_text(replace_missing_characters(text)), ParagraphStyle.TITLE, heading_level=1)


def lay_out_pages(
    page_size: PageSize,
    blocks: Iterable[ParagraphBlock],
    *,
    gap: float = BLOCK_GAP,
    top: float = TOP_MARGIN,
    typography: Typography = REGULAR_TYPOGRAPHY,
) -> Iterator[Layout]:
    """Lay blocks of words out, one under the other, on as many pages as they take."""
    room = page_size.width - 2 * SIDE_MARGIN
    items: list[Item] = []
    y = top
    for block in blocks:
        height = measure_text_height(block, typography, room)
        if items and y + height > page_size.height - TOP_MARGIN:
            yield lay_out_page(page_size, items, typography)
            items, y = [], top
        items.append(TextBox(box=Box(SIDE_MARGIN, y, room, height), paragraphs=tuple(block)))
        y += height + gap
    yield lay_out_page(page_size, items, typography)


def lay_out_page(page_size: PageSize, items: Sequence[Item], typography: Typography = REGULAR_TYPOGRAPHY) -> Layout:
    """Return one page with these boxes; without any it is an empty side."""
    page = Page(number=1, items=tuple(items))
    return Layout(width=page_size.width, height=page_size.height, pages=(page,), typography=typography)


def lay_out_separator(page_size: PageSize, heading: str, note: str) -> Layout:
    """Return a page whose few words are seen from afar, as large as the longest of them can be."""
    room = page_size.width - 2 * SIDE_MARGIN
    words = replace_missing_characters(heading).split()
    longest = max((measure_width(make_bold_text(word), 1.0) for word in words), default=1.0)
    regular = REGULAR_TYPOGRAPHY.paragraph_points
    points = max(regular[ParagraphStyle.TITLE], min(MAX_SEPARATOR_POINTS, int(room / (longest * 1.05))))
    type_ = replace(REGULAR_TYPOGRAPHY, paragraph_points={**regular, ParagraphStyle.TITLE: points})
    blocks = [[make_title(heading), make_paragraph(note)]]
    return next(lay_out_pages(page_size, blocks, top=page_size.height / 4, typography=type_))
