"""The PDF as a form: a field in every empty cell, and the problem attached so that the file can be marked by itself."""

from datetime import UTC, datetime
from typing import Any

from attnhand.formats.json_sheet import render_json
from attnhand.layout.page import HEAD_FIELDS, GridBox, Layout, RuleBox
from attnhand.layout.typography import LARGE_TYPE, Set, Typography
from attnhand.problems.reading import ATTACHED
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import POINT, Text, plain, width

TAKEN = 2 * 25.4 / 96 + 2 * 0.35
"""What spacing and the border take of a cell's pitch, in millimetres; the style sheet draws the border."""

LONG, LONGEST = plain("−9/46"), plain("−249/86")
"""Answers that are to be seen as a whole, the second where weights have mixed; longer ones scroll."""

MIXED = ("outputs", "concat", "output", "layer", "relu")
"""Topics of the stages that weights have mixed."""

LEAST = 5.0
"""Points; in narrower cells, and in large print, such answers scroll too."""

_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
"""When the attachment was made: the same sheet gives the same bytes."""

_CENTRED, _NOT_SPELLCHECKED = 1, 1 << 22


def form_places(layout: Layout) -> str:
    """Write how large every field is and its type, as rules of a style sheet."""
    rules = []
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            selector = f"#b{page.number}-{number}"
            if isinstance(item, GridBox):
                w, h = item.cell_w - TAKEN, item.cell_h - TAKEN
                size = _type_size(w, LONGEST if item.grid.accent in MIXED else LONG, layout.typography)
                rules.append(f"{selector} td input{{width:{w:.3f}mm;height:{h:.3f}mm;font-size:{size:.1f}pt}}")
            elif isinstance(item, RuleBox) and item.field:
                rules.append(f"{selector} input{{font-size:{layout.typography.points[Set.BODY]:g}pt}}")
    return "\n".join(rules) + "\n"


def _type_size(room: float, answer: Text, type_: Typography) -> float:
    """Return the size in points at which answers are typed in a cell with so many millimetres of room."""
    fitting = (room - 2 * POINT) / width(answer, 1.0)
    return max(min(0.9 * type_.cell, fitting), type_.points[Set.BODY] if type_ == LARGE_TYPE else LEAST)


def attachment(sheet: Sheet) -> Any:
    """Return the blank JSON sheet as WeasyPrint attaches it."""
    from weasyprint import Attachment

    return Attachment(
        string=render_json(sheet.blank),
        name=ATTACHED,
        description=sheet.code,
        created=_ALWAYS,
        modified=_ALWAYS,
    )


def finish(document: Any, pdf: Any) -> None:
    """Set what HTML cannot say of a field: no border of the viewer's, numbers centred and not checked for spelling."""
    import pydyf  # what WeasyPrint writes with

    for field in pdf.objects:
        if isinstance(field, dict) and field.get("FT") == "/Tx":
            field["BS"] = pydyf.Dictionary({"W": 0})
            if field["T"].string not in HEAD_FIELDS:
                field |= {"Q": _CENTRED, "Ff": _NOT_SPELLCHECKED}
