"""The cover of a pile of sheets: a title, what is in it, what to do with it, and who is in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attnhand.layout.page import Box, Item, Layout, Paragraph, RuleBox, make_text_box
from attnhand.layout.text_pages import PageSize, lay_out_page, lay_out_pages, make_paragraph, make_title
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, SIDE_MARGIN, TOP_MARGIN, UNIT, ParagraphStyle, Typography
from attnhand.text.widths import make_plain_text, measure_width, replace_missing_characters

HEADING_GAP = UNIT
"""Below a heading."""

SECTION_GAP = 5 * UNIT
"""Between two sections side by side."""

MAX_NAME_COLUMNS, MIN_WRITING_COLUMN_WIDTH = 6, 40.0
"""Of the names; and how wide a column is at least in which names are written by hand."""

NAME_GAP = 2 * UNIT
"""Between two columns of names."""

MIN_WRITING_LINE_PITCH, MAX_WRITING_LINE_PITCH = 6.0, 10.0
"""From one writing line for a name to the next."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How large a cover is set: sizes in points, distances in millimetres."""

    title: float
    heading: float
    text: float
    top: float
    """From the upper edge of the paper to the title."""

    gap: float
    """Between title, sections and names."""

    def make_typography(self, name_points: float = 9.5, name_gap: float = 1.0) -> Typography:
        """Return it with names of a size, and what is added between lines."""
        points = REGULAR_TYPOGRAPHY.paragraph_points | {
            ParagraphStyle.TITLE: self.title,
            ParagraphStyle.HEADING: self.heading,
            ParagraphStyle.SUBHEADING: self.text,
            ParagraphStyle.BODY: name_points,
        }
        return replace(REGULAR_TYPOGRAPHY, paragraph_points=points, paragraph_gap=name_gap)


LOOKS = (_Look(30, 14, 11, 9 * UNIT, 6 * UNIT), _Look(22, 12, 9.5, TOP_MARGIN, 3 * UNIT))
"""With names: as usual, and where there are hundreds of them."""

NAMELESS_LOOK = _Look(40, 20, 15, 20 * UNIT, 10 * UNIT)
"""Where names find no room: a title page."""

NAME_SIZES = ((11, 3, 1.6), (11, 3, 0.6), (9.5, 4, 0.6), (9.5, 4, 0.2), (8, 5, 0.2), (8, MAX_NAME_COLUMNS, 0.0))
"""Points of the names, columns, and what is added between lines, in millimetres; tried in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """The words of a cover."""

    title: str
    subtitles: tuple[str, ...]
    """What is in the pile."""

    sections: tuple[tuple[str, tuple[str, ...]], ...]
    """A heading each, and its sentences, in markup; where all have a label before a colon, labels are a column."""

    names_heading: str
    names: tuple[str, ...]
    """Who is in the pile, in its order."""

    are_names_to_write: bool = False
    """Whether the names are numbers alone, with a writing line beside each."""


def lay_out_cover(page_size: PageSize, cover: Cover) -> Iterator[Layout]:
    """Lay a cover out on one page, with the names if there is room for them; longer sentences take more pages."""
    max_bottom = page_size.height - TOP_MARGIN
    place_names = _place_writing_lines if cover.are_names_to_write else _place_names
    for look in LOOKS if cover.names else ():
        items, bottom = _place_head(page_size, cover, look)
        if bottom < max_bottom and (placed := place_names(page_size, cover, look, bottom + look.gap)) is not None:
            names, typography = placed
            yield lay_out_page(page_size, [*items, *names], typography)
            return
    for look in (NAMELESS_LOOK, *LOOKS):
        items, bottom = _place_head(page_size, cover, look)
        if bottom <= max_bottom:
            yield lay_out_page(page_size, items, look.make_typography())
            return
    blocks = [[make_title(cover.title)], [make_paragraph(each) for each in cover.subtitles]]
    for heading, sentences in cover.sections:
        blocks.append([make_paragraph(heading, level=2), *map(make_paragraph, sentences)])
    yield from lay_out_pages(page_size, blocks)


def _place_head(page_size: PageSize, cover: Cover, look: _Look) -> tuple[list[Item], float]:
    """Return everything above the names, and where it ends."""
    type_, room = look.make_typography(), page_size.width - 2 * SIDE_MARGIN
    title = make_text_box([make_title(cover.title)], type_, SIDE_MARGIN, look.top, room)
    subtitles = [make_paragraph(each) for each in cover.subtitles]
    below = make_text_box(subtitles, type_, SIDE_MARGIN, title.box.bottom + 2 * UNIT, room)
    items: list[Item] = [title, below]
    top = bottom = below.box.bottom + look.gap
    width = (room - SECTION_GAP * (len(cover.sections) - 1)) / len(cover.sections)
    for at, (heading, sentences) in enumerate(cover.sections):
        x = SIDE_MARGIN + at * (width + SECTION_GAP)
        placed = [*_place_heading(heading, type_, x, top, width)]
        y = placed[-1].box.bottom + HEADING_GAP
        rows = _split_labels(sentences)
        bold = [make_paragraph(f"**{label}**", ParagraphStyle.SUBHEADING) for label, _ in rows]
        points = type_.paragraph_points[ParagraphStyle.SUBHEADING]
        label_width = max(measure_width(label.text, points) * 1.01 + 0.2 for label in bold)
        indent = label_width + 1.5 * UNIT if any(label for label, _ in rows) else 0.0
        for label, (_, text) in zip(bold, rows, strict=True):
            value = make_paragraph(text, ParagraphStyle.SUBHEADING)
            if label.text:
                placed.append(make_text_box([label], type_, x, y, label_width))
            placed.append(make_text_box([value], type_, x + indent, y, width - indent))
            y = placed[-1].box.bottom + type_.paragraph_gap
        items += placed
        bottom = max(bottom, y)
    return items, bottom


def _place_heading(text: str, typography: Typography, x: float, y: float, width: float) -> list[Item]:
    """Return a heading below a rule."""
    heading = make_paragraph(text, ParagraphStyle.HEADING, level=2)
    return [RuleBox(box=Box(x, y, width, 0.0)), make_text_box([heading], typography, x, y + UNIT, width)]


def _split_labels(sentences: Sequence[str]) -> list[tuple[str, str]]:
    """Return what stands before the first colon of each sentence, and what follows it; no labels where one has none.

    >>> _split_labels(["Paper: A4.", "Sides: one."])
    [('Paper:', 'A4.'), ('Sides:', 'one.')]
    >>> _split_labels(["Own numbers: compare ways.", "This page is yours."])
    [('', 'Own numbers: compare ways.'), ('', 'This page is yours.')]
    """
    parts = [sentence.partition(": ") for sentence in sentences]
    if not all(colon for _, colon, _ in parts):
        return [("", sentence) for sentence in sentences]
    return [(f"{label}:", rest) for label, _, rest in parts]


def _place_names(page_size: PageSize, cover: Cover, look: _Look, top: float) -> tuple[list[Item], Typography] | None:
    """Return the names in columns, as large as they can be; None where there is no room."""
    room = page_size.width - 2 * SIDE_MARGIN
    lines = [Paragraph(make_plain_text(replace_missing_characters(name)), ParagraphStyle.BODY) for name in cover.names]
    for points, column_count, gap in NAME_SIZES:
        type_ = look.make_typography(points, gap)
        items = _place_heading(cover.names_heading, type_, SIDE_MARGIN, top, room)
        y = items[-1].box.bottom + HEADING_GAP
        width = (room + NAME_GAP) / column_count
        length = -(-len(lines) // column_count)
        for at in range(0, len(lines), length):
            x = SIDE_MARGIN + at // length * width
            items.append(make_text_box(lines[at : at + length], type_, x, y, width - NAME_GAP))
        if max(item.box.bottom for item in items) <= page_size.height - TOP_MARGIN:
            return items, type_
    return None


def _place_writing_lines(
    page_size: PageSize, cover: Cover, look: _Look, top: float
) -> tuple[list[Item], Typography] | None:
    """Return a writing line for a name beside every number; None where there is no room."""
    type_, room = look.make_typography(11), page_size.width - 2 * SIDE_MARGIN
    items = _place_heading(cover.names_heading, type_, SIDE_MARGIN, top, room)
    y = items[-1].box.bottom + HEADING_GAP
    for column_count in range(2, int((room + NAME_GAP) / (MIN_WRITING_COLUMN_WIDTH + NAME_GAP)) + 1):
        length = -(-len(cover.names) // column_count)
        pitch = min(MAX_WRITING_LINE_PITCH, (page_size.height - TOP_MARGIN - y) / length)
        if pitch >= MIN_WRITING_LINE_PITCH and (pitch == MAX_WRITING_LINE_PITCH or column_count > 2):
            break
    else:
        return None
    width = (room + NAME_GAP) / column_count
    number_width = max(_measure_name(name) for name in cover.names)
    height = type_.find_line_height(ParagraphStyle.BODY)
    for at, name in enumerate(cover.names):
        x, bottom = SIDE_MARGIN + at // length * width, y + (at % length + 1) * pitch
        number = Paragraph(make_plain_text(name), ParagraphStyle.BODY)
        items.append(make_text_box([number], type_, x, bottom - height, number_width))
        rule = Box(x + number_width + UNIT, bottom - 1.0, width - NAME_GAP - number_width - UNIT, 0.0)
        items.append(RuleBox(box=rule))
    return items, type_


def _measure_name(name: str) -> float:
    return measure_width(make_plain_text(name), 11) * 1.01 + 0.2
