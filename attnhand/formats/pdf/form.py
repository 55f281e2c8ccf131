"""The PDF as a form: a field in every empty cell, and the problem attached so that the file can be marked by itself."""

from datetime import UTC, datetime
from typing import Any

from attnhand.formats.json_sheet import render_json
from attnhand.layout.page import HEADER_FIELDS, GridBox, Layout, RuleBox
from attnhand.layout.typography import LARGE_TYPOGRAPHY, ParagraphStyle, Typography
from attnhand.problems.reading import ATTACHMENT_NAME
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import MM_PER_POINT, Text, make_plain_text, measure_width

FIELD_INSET = 2 * 25.4 / 96 + 2 * 0.35
"""What spacing and the border take of a cell's pitch, in millimetres; the style sheet draws the border."""

LONG_ANSWER, LONGEST_ANSWER = make_plain_text("−9/46"), make_plain_text("−249/86")
"""Answers that are to be seen as a whole, the second where weights have mixed; longer ones scroll."""

MIXED_TOPICS = ("outputs", "concat", "output", "layer", "relu")
"""Topics of the stages that weights have mixed."""

MIN_TYPE_SIZE = 5.0
"""Points; in narrower cells, and in large print, such answers scroll too."""

_FIXED_DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""When the attachment was made: the same sheet gives the same bytes."""

_CENTRED, _NOT_SPELLCHECKED = 1, 1 << 22


def write_field_rules(layout: Layout) -> str:
    """Write how large every field is and its type, as rules of a style sheet."""
    rules = []
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            selector = f"#b{page.number}-{number}"
            if isinstance(item, GridBox):
                w, h = item.cell_w - FIELD_INSET, item.cell_h - FIELD_INSET
                size = _find_type_size(
                    w, LONGEST_ANSWER if item.grid.accent in MIXED_TOPICS else LONG_ANSWER, layout.typography
                )
                rules.append(f"{selector} td input{{width:{w:.3f}mm;height:{h:.3f}mm;font-size:{size:.1f}pt}}")
            elif isinstance(item, RuleBox) and item.field_name:
                rules.append(
                    f"{selector} input{{font-size:{layout.typography.paragraph_points[ParagraphStyle.BODY]:g}pt}}"
                )
    return "\n".join(rules) + "\n"


def _find_type_size(max_width: float, answer: Text, typography: Typography) -> float:
    """Return the size in points at which answers are typed in a cell with so many millimetres of room."""
    fitting = (max_width - 2 * MM_PER_POINT) / measure_width(answer, 1.0)
    return max(
        min(0.9 * typography.cell_points, fitting),
        typography.paragraph_points[ParagraphStyle.BODY] if typography == LARGE_TYPOGRAPHY else MIN_TYPE_SIZE,
    )


def make_attachment(sheet: Sheet) -> Any:
    """Return the blank JSON sheet as WeasyPrint attaches it."""
    from weasyprint import Attachment

    return Attachment(
        string=render_json(sheet.blank),
        name=ATTACHMENT_NAME,
        description=sheet.code,
        created=_FIXED_DATE,
        modified=_FIXED_DATE,
    )


def finish_form_fields(document: Any, pdf: Any) -> None:
    """Set what HTML cannot say of a field: no border of the viewer's, numbers centred and not checked for spelling."""
    import pydyf  # what WeasyPrint writes with

    for field in pdf.objects:
        if isinstance(field, dict) and field.get("FT") == "/Tx":
            field["BS"] = pydyf.Dictionary({"W": 0})
            if field["T"].string not in HEADER_FIELDS:
                field |= {"Q": _CENTRED, "Ff": _NOT_SPELLCHECKED}
