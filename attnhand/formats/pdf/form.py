"""The PDF as a form: a field in every empty cell, and the problem attached so that the file can be marked by itself."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attnhand.formats.pdf.canvas import PdfCanvas, wrap_page, write_colour
from attnhand.formats.pdf.fonts import load_font
from attnhand.formats.pdf.objects import make_stream, make_text_string
from attnhand.layout.page import GridBox, RuleBox
from attnhand.layout.typography import LARGE_TYPOGRAPHY, ParagraphStyle, Typography
from attnhand.problems.reading import ATTACHMENT_NAME
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import Cell
from attnhand.sheet.questions import WORDS_NAME
from attnhand.text.widths import MM_PER_POINT, Text, make_plain_text, measure_width, replace_missing_characters

FIELD_INSET = 0.35
"""From the edge of a cell to its field, in millimetres: more than the border, which the style sheet draws."""

WRITING_LINE_FIELD_HEIGHT = 1.6
"""Of a field on a writing line, in ems of its type."""

LONG_ANSWER, LONGEST_ANSWER = make_plain_text("−9/46"), make_plain_text("−249/86")
"""Answers that are to be seen as a whole, the second where weights have mixed; longer ones scroll."""

MIXED_TOPICS = ("outputs", "concat", "output", "layer", "relu")
"""Topics of the stages that weights have mixed."""

MIN_TYPE_SIZE = 5.0
"""Points; in narrower cells, and in large print, such answers scroll too."""

MAX_ANSWER_LENGTH, MAX_WRITING_LINE_LENGTH, MAX_WORDS_LENGTH = 40, 80, 300
"""Characters that a cell takes, a writing line such as that for the name, and one for words of one's own."""

NAME_FIELD, CODE_FIELD = "name", "code"
"""The second is seen nowhere on the pages: the code is kept by programs that lose what is attached."""

FIELD_PADDING = 2 * MM_PER_POINT
"""Between the edge of a field on a writing line and what it holds."""

FIELD_COLOUR = "#111"
"""Of what is typed."""

_FIXED_DATE = b"(D:20000101000000Z)"
"""When the attachment was made: the same sheet gives the same bytes."""

_CENTRED, _NOT_SPELLCHECKED = 1, 1 << 22


class Field(NamedTuple):
    """Where a form is filled."""

    page: int
    """From 0."""

    area: tuple[float, float, float, float]
    """x, y, width and height in millimetres."""

    name: str
    spoken_name: str
    points: float
    max_length: int = MAX_ANSWER_LENGTH
    is_on_writing_line: bool = False
    """Whether it stands on a writing line, and begins at its left; in a cell it stands in the middle."""


def make_cell_field(
    page: int, item: GridBox, cell: Cell, area: tuple[float, float, float, float], typography: Typography
) -> Field:
    """Return the field of a cell."""
    x, y, w, h = area
    inner = (x + FIELD_INSET, y + FIELD_INSET, w - 2 * FIELD_INSET, h - 2 * FIELD_INSET)
    answer = LONGEST_ANSWER if item.grid.accent in MIXED_TOPICS else LONG_ANSWER
    points = _find_type_size(inner[2], answer, typography)
    return Field(page, inner, make_cell_id(cell.address), cell.spoken_name, points)


def make_writing_line_field(page: int, item: RuleBox, typography: Typography) -> Field:
    """Return the field on a writing line."""
    points = typography.paragraph_points[ParagraphStyle.BODY]
    height = WRITING_LINE_FIELD_HEIGHT * points * MM_PER_POINT
    area = (item.box.x, item.box.y - height, item.box.w, height)
    max_length = MAX_WORDS_LENGTH if item.field_name == WORDS_NAME else MAX_WRITING_LINE_LENGTH
    return Field(page, area, item.field_name, item.spoken_name, points, max_length, is_on_writing_line=True)


def _find_type_size(max_width: float, answer: Text, typography: Typography) -> float:
    """Return the size in points at which answers are typed in a cell with so many millimetres of room."""
    fitting = (max_width - 2 * MM_PER_POINT) / measure_width(answer, 1.0)
    return max(
        min(0.9 * typography.cell_points, fitting),
        typography.paragraph_points[ParagraphStyle.BODY] if typography == LARGE_TYPOGRAPHY else MIN_TYPE_SIZE,
    )


def draw_initial_value(field: Field, text: str) -> PdfCanvas:
    """Draw what a field on a writing line holds from the beginning, from its top left corner.

    Readers would draw it themselves, but with the one font that a field has: of "Səbinə" they make "SKbinK".
    """
    canvas = PdfCanvas(is_fragment=True)
    size, height = field.points * MM_PER_POINT, field.area[3]
    font = load_font()
    baseline = (height + (font.ascent + font.descent) * size) / 2
    canvas.show_text(replace_missing_characters(text), FIELD_PADDING, baseline, size, FIELD_COLOUR)
    return canvas


def make_appearance(field: Field, operators: bytes, resources: int) -> bytes:
    """Return the PDF object that shows what a field holds.

    Args:
        resources: the number of the object that holds the fonts.
    """
    width, height = (side / MM_PER_POINT for side in field.area[2:])
    content = zlib.compress(b"/Tx BMC " + wrap_page(operators, field.area[3]) + b" EMC")
    box = b"/Type/XObject/Subtype/Form/BBox[0 0 %.3f %.3f]/Resources %d 0 R/Filter/FlateDecode"
    return make_stream(content, box % (width, height, resources))


def make_field_objects(
    fields: Sequence[Field],
    page_height: float,
    first_page: int,
    first_key: int,
    initial_name: str,
    appearance: int | None,
) -> Iterator[bytes]:
    """Yield the fields as PDF objects.

    Args:
        first_page: the object number of the first page.
        first_key: of the first field, in the parent tree.
        initial_name: what the field for the name holds from the beginning.
        appearance: the number of the object that shows it.
    """
    for key, field in enumerate(fields, first_key):
        x, y, w, h = field.area
        box = (x, page_height - y - h, x + w, page_height - y)
        yield (
            b"<</Type/Annot/Subtype/Widget/FT/Tx/F 4/T%s/TU%s/V%s/MaxLen %d/P %d 0 R/StructParent %d/Rect[%s]"
            b"/BS<</W 0>>/DA(%s rg /F1 %.1f Tf)%s%s>>"
            % (
                make_text_string(field.name),
                make_text_string(field.spoken_name),
                make_text_string(initial_name if field.name == NAME_FIELD else ""),
                field.max_length,
                first_page + field.page,
                key,
                b" ".join(b"%.3f" % (side / MM_PER_POINT) for side in box),
                write_colour(FIELD_COLOUR),
                field.points,
                b"" if field.is_on_writing_line else b"/Q %d/Ff %d" % (_CENTRED, _NOT_SPELLCHECKED),
                b"/AP<</N %d 0 R>>" % appearance if appearance is not None and field.name == NAME_FIELD else b"",
            )
        )


def make_code_field(code: str) -> bytes:
    """Return the PDF object of the field that holds the code of the sheet; on no page, and not to be changed."""
    name = make_text_string(CODE_FIELD)
    return b"<</FT/Tx/Ff 1/T%s/TU%s/V%s>>" % (name, name, make_text_string(code))


def make_attachment_objects(data: bytes, description: str, first: int) -> list[bytes]:
    """Return the PDF objects of the attached problem, numbered from the first on: what it is, and the file."""
    name = make_text_string(ATTACHMENT_NAME)
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest().encode()
    return [
        b"<</Type/Filespec/F%s/UF%s/Desc%s/EF<</F %d 0 R>>>>" % (name, name, make_text_string(description), first + 1),
        make_stream(
            zlib.compress(data, 9),
            b"/Type/EmbeddedFile/Subtype/application#2fjson/Filter/FlateDecode"
            b"/Params<</Size %d/CheckSum<%s>/CreationDate%s/ModDate%s>>"
            % (len(data), digest, _FIXED_DATE, _FIXED_DATE),
        ),
    ]
