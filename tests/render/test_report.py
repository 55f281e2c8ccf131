"""The student's own sheet with marks: whatever was written fits its cell and can be printed."""

import attnhand
from attnhand.render.report import report_layout
from attnhand.sheet.figure_size import LEAST_PERCENT
from attnhand.sheet.page import GridBox, TextBox
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.text import as_plain, missing_characters
from tests.marking.handing_in import key_texts

WRITTEN = ("☹ what now", "-123456/7", "0.123456789012", "999999999", "WWWWWWWW", "−249/86", "1 1/2")


def test_whatever_was_written_fits_its_cell() -> None:
    """Long numbers, words, characters that the font lacks: cut, never larger than the cell, at every size of sheet."""
    for sheet in (
        attnhand.generate(1, level="warm-up"),
        attnhand.generate(2, tokens=12, features=8),
        attnhand.generate(3, mechanism="multi-head", convention="rows", causal=True),
        attnhand.generate(1, level="warm-up", options=PageOptions(large_print=True)),
    ):
        rows = key_texts(sheet)
        for stage in rows.values():
            stage[0][0] = WRITTEN[len(stage) % len(WRITTEN)]
            stage[-1][-1] = WRITTEN[len(stage[0]) % len(WRITTEN)]
        rows["Z" if "Z" in rows else "output"][0][0] = WRITTEN[0]
        layout = report_layout(attnhand.check(rows, sheet))
        items = [item for page in layout.pages for item in page.items]
        for box in (item for item in items if isinstance(item, TextBox)):
            assert not missing_characters("".join(as_plain(each.text) for each in box.paragraphs))
        shown = 0
        for grid in (item for item in items if isinstance(item, GridBox)):
            for figure in (cell.figure for row in grid.grid.cells for cell in row if cell.mark):
                assert figure is None or grid.percent(figure, layout.typography) >= LEAST_PERCENT
                assert not missing_characters(str(figure or ""))
                shown += 1
        assert shown == sheet.cells_to_fill
