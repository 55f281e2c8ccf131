"""One stage as a small page: the matrix with its labels and factors, as on the sheet."""

from dataclasses import replace

from attnhand.errors import PageError
from attnhand.layout.page import Box, GridBox, Layout, Page
from attnhand.layout.setting import Setting, TooLargeError, list_cell_sizes, make_setting
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.panels import Panel, build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import make_bold_text, measure_width, to_unicode

STAGE_MARGIN = 2.0
"""Around it, in millimetres."""


def find_panel(sheet: Sheet, stage_name: str) -> Panel:
    """Return the panel of a stage.

    Raises:
        PageError: the sheet draws no such stage, or one for each head.
    """
    drawn = {panel.stage.name: panel for panel in build_panels(sheet).list_panels()}
    meant = [name for name in sheet.find_stages(stage_name) if name in drawn]
    if len(meant) != 1:
        names = ", ".join(stage.name for stage in sheet.problem.mechanism.stages if stage.name in drawn)
        raise PageError(f"the sheet draws no stage {stage_name!r}: use one of {names}")
    return drawn[meant[0]]


def lay_out_panel(sheet: Sheet, panel: Panel) -> Layout:
    """Return a page that is as large as a stage and its factors, in the most comfortable cells that hold its numbers.

    Raises:
        PageError: a number is too long for the widest cells.
    """
    reason = ""
    for cell_sizes in list_cell_sizes(sheet):
        setting = make_setting(sheet, cell_sizes)
        try:
            return _wrap_in_page(_place_grids(setting, panel), setting)
        except TooLargeError as error:
            reason = f"{error}"
    raise PageError(f"{panel.stage.name} cannot be drawn legibly: {reason}; choose smaller numbers")


def _place_grids(setting: Setting, panel: Panel) -> list[GridBox]:
    """Place left factor, top factor and product where they meet."""
    fraction, rows = panel.has_fractions, setting.is_rows
    cell, side_cell, query_cell = (
        setting.find_cell_size(has_fractions=fraction, is_side_factor=side, is_query_factor=query)
        for side, query in ((False, False), (True, False), (False, True))
    )
    along = setting.measure_along(panel.query_factor, query_cell) if panel.query_factor else 0.0
    across = setting.measure_across(panel.side_factor, side_cell) if panel.side_factor else 0.0
    boxes = []
    if panel.side_factor:
        is_wide = not rows and panel.side_factor.style is not GridStyle.GIVEN
        boxes.append(setting.place_grid(panel.side_factor, along, 0.0, side_cell, has_wide_labels=is_wide))
    if panel.query_factor:
        boxes.append(setting.place_grid(panel.query_factor, 0.0, across, query_cell, has_wide_labels=rows))
    outermost = not (panel.query_factor if rows else panel.side_factor)
    boxes.append(setting.place_grid(panel.grid, along, across, cell, has_wide_labels=outermost))
    return boxes


def _wrap_in_page(boxes: list[GridBox], setting: Setting) -> Layout:
    """Return a page around boxes, with room for labels and names that run on to the left of them."""
    left = STAGE_MARGIN + max(_measure_left_overhang(box, setting) - box.box.x for box in boxes)
    moved = tuple(
        replace(box, box=Box(box.box.x + left, box.box.y + STAGE_MARGIN, box.box.w, box.box.h)) for box in boxes
    )
    return Layout(
        width=max(box.box.right for box in moved) + STAGE_MARGIN,
        height=max(box.box.bottom for box in moved) + STAGE_MARGIN,
        pages=(Page(number=1, items=moved),),
        typography=setting.typography,
    )


def _measure_left_overhang(box: GridBox, setting: Setting) -> float:
    """Return how far what stands before a grid runs on to the left of it."""
    name_text = make_bold_text(to_unicode(box.grid.name))
    name = measure_width(name_text, setting.typography.label_points) + 1.0 - box.header_w
    words = setting.label_overhang if box.has_wide_labels and any(label.word for label in box.grid.rows) else 0.0
    return max(0.0, name, words)
