"""One stage as a small page of its own: the matrix with its labels, its factors around it as on the sheet."""

from collections.abc import Iterator
from dataclasses import replace

from attnhand.errors import PageError
from attnhand.layout.lay_out import word_room
from attnhand.layout.page import Box, GridBox, Layout, Page
from attnhand.layout.setting import Setting, TooLargeError
from attnhand.layout.typography import LARGE_CELLS, LARGE_TYPE, PAPERS, REGULAR_CELLS, REGULAR_TYPE
from attnhand.sheet.grids import Look
from attnhand.sheet.panels import Panel, panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, bold, width

EDGE = 2.0
"""Around it, in millimetres."""


def panel_of(sheet: Sheet, name: str) -> Panel:
    """Return the panel of a stage.

    Raises:
        PageError: the sheet draws no such stage.
    """
    drawn = {panel.stage.name: panel for panel in panels(sheet).all()}
    if name not in drawn:
        names = ", ".join(stage.name for stage in sheet.problem.mechanism.stages if stage.name in drawn)
        raise PageError(f"the sheet draws no stage {name!r}: use one of {names}")
    return drawn[name]


def lay_out_panel(sheet: Sheet, panel: Panel) -> Layout:
    """Return a page that is as large as a stage and its factors, in the most comfortable cells that hold its numbers.

    Raises:
        PageError: a number is too long for the widest cells.
    """
    reason = ""
    for setting in _settings(sheet):
        try:
            return _around(_placed(setting, panel), setting)
        except TooLargeError as error:
            reason = str(error)
    raise PageError(f"{panel.stage.name} cannot be drawn legibly: {reason}; choose smaller numbers")


def _settings(sheet: Sheet) -> Iterator[Setting]:
    paper_width, paper_height = PAPERS[sheet.options.paper]
    large = sheet.options.large_print
    for cells in LARGE_CELLS if large else REGULAR_CELLS:
        yield Setting(
            width=paper_width,
            height=paper_height,
            cells=cells,
            rows=sheet.is_rows,
            typography=LARGE_TYPE if large else REGULAR_TYPE,
            word_room=word_room(sheet),
        )


def _placed(setting: Setting, panel: Panel) -> list[GridBox]:
    """Place left factor, top factor and product where they meet."""
    fraction, rows = panel.holds_fractions, setting.rows
    cell, side_cell, over_cell = (
        setting.cell(fraction=fraction, side=side, over=over)
        for side, over in ((False, False), (True, False), (False, True))
    )
    along = setting.along(panel.over, over_cell) if panel.over else 0.0
    across = setting.across(panel.side, side_cell) if panel.side else 0.0
    boxes = []
    if panel.side:
        wide = not rows and panel.side.look is not Look.GIVEN
        boxes.append(setting.placed(panel.side, along, 0.0, side_cell, wide_labels=wide))
    if panel.over:
        boxes.append(setting.placed(panel.over, 0.0, across, over_cell, wide_labels=rows))
    outermost = not (panel.over if rows else panel.side)
    boxes.append(setting.placed(panel.grid, along, across, cell, wide_labels=outermost))
    return boxes


def _around(boxes: list[GridBox], setting: Setting) -> Layout:
    """Return a page around boxes, with room for words and names that run on to the left of them."""
    left = EDGE + max(_runs_on(box, setting) - box.box.x for box in boxes)
    moved = tuple(replace(box, box=Box(box.box.x + left, box.box.y + EDGE, box.box.w, box.box.h)) for box in boxes)
    return Layout(
        width=max(box.box.right for box in moved) + EDGE,
        height=max(box.box.bottom for box in moved) + EDGE,
        pages=(Page(number=1, items=moved),),
        typography=setting.typography,
    )


def _runs_on(box: GridBox, setting: Setting) -> float:
    """Return how far what stands before a grid runs on to the left of it."""
    name = width(bold(as_plain(box.grid.name)), setting.typography.label) + 1.0 - box.header_w
    words = setting.word_room if box.wide_labels and any(label.word for label in box.grid.rows) else 0.0
    return max(0.0, name, words)
