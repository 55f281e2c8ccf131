"""Pages of words alone, stamped without a layout by WeasyPrint: covers, separators, quick keys."""

from attnhand.render.stamp import Stamped, uncommon_in
from attnhand.render.stamping.typesetting import MM, page_content, paragraph_operators
from attnhand.sheet.page import Layout, TextBox
from attnhand.sheet.text import Text


def stamped_layout(layout: Layout, title: str) -> Stamped:
    """Return pages made of words alone: covers, separators, quick keys."""
    streams, marks = [], []
    told: list[tuple[Text, ...]] = []
    for page in layout.pages:
        words: list[bytes] = []
        count = 0
        for item in page.items:
            if not isinstance(item, TextBox):
                raise TypeError(f"a page of words holds a {type(item).__name__}")
            y = item.box.y
            for paragraph in item.paragraphs:
                lines = paragraph.lines(layout.typography, item.box.w)
                told.append(lines)
                words.append(b"/P<</MCID %d>>BDC" % count)
                words += paragraph_operators(lines, paragraph, layout.typography, item.box.x * MM, y * MM)
                words.append(b"EMC")
                count += 1
                y += len(lines) * layout.typography.line(paragraph.style) + layout.typography.between
        streams.append(page_content(words, layout.height))
        marks.append(count)
    sizes = ((layout.width, layout.height),) * len(streams)
    return Stamped(
        template=b"",
        streams=tuple(streams),
        title=title,
        sizes=sizes,
        uncommon=uncommon_in(told),
        marks=tuple(marks),
    )
