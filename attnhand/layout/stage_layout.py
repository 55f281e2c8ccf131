"""One stage as a small page: the matrix with its labels and factors, as on the sheet."""

from dataclasses import replace

from attnhand.errors import PageError
from attnhand.layout.face import Face
from attnhand.layout.page import GridBox, Layout, Page
from attnhand.layout.page_grid import Arrangement, PageGrid, TooLargeError, list_page_grids
from attnhand.layout.strip_box import StripMeasurer
from attnhand.layout.strips import Part, StripPlanner
from attnhand.sheet.panels import Panel, Panels, build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import make_bold_text, measure_width, to_unicode

STAGE_MARGIN = 2.0
"""Around it, in millimetres."""


def lay_out_panel(sheet: Sheet, panel: Panel) -> Layout:
    """Return a page that is as large as a stage and its factors.

    Raises:
        PageError: a number is too long for the widest cells.
    """
    reason = ""
    for grid in list_page_grids(sheet.options, is_rows=sheet.convention.is_rows):
        if not grid.has_words_above:
            continue
        try:
            return _wrap_in_page(*_place_grids(sheet, panel, grid), grid)
        except TooLargeError as error:
            reason = f"{error}"
    raise PageError(f"{panel.stage.name} cannot be drawn legibly: {reason}; choose smaller numbers")


def _place_grids(sheet: Sheet, panel: Panel, grid: PageGrid) -> tuple[list[GridBox], list[GridBox]]:
    """Place left factor, top factor and product where they meet: those of the sheet, and those of its key."""
    blank, key = (
        Face(each, {panel.stage.name: panel for panel in build_panels(each).list_panels()})
        for each in (sheet.blank, sheet.key)
    )
    measurer = StripMeasurer(grid, blank, key)
    planner = StripPlanner(
        Panels(runs=((panel,),)),
        sheet.problem.mechanism,
        Arrangement.PLAIN,
        is_rows=grid.is_rows,
        saves_room=measurer.saves_room,
    )
    (strip,) = planner.plan()
    strip.words = [[] for _ in strip.words]
    # what its factor is made of has a picture of its own
    strip.pieces = [piece for piece in strip.pieces if piece.part not in (Part.INNER_SIDE, Part.INNER_QUERY)]
    box = measurer.measure(strip, with_carried=True)
    on_blank, on_key = (
        [item for item in measurer.place(box, face, 0.0) if isinstance(item, GridBox)] for face in (blank, key)
    )
    return (on_key if sheet.is_solved else on_blank), on_key


def _wrap_in_page(boxes: list[GridBox], on_key: list[GridBox], grid: PageGrid) -> Layout:
    """Return a page around boxes, as large as that of the key, with room for what runs on to the left of them."""
    left = STAGE_MARGIN + max(_measure_left_overhang(box, grid) - box.box.x for box in on_key)
    top = STAGE_MARGIN - min(box.box.y for box in on_key)
    return Layout(
        width=max(box.box.right for box in on_key) + left + STAGE_MARGIN,
        height=max(box.box.bottom for box in on_key) + top + STAGE_MARGIN,
        pages=(Page(number=1, items=tuple(_move(box, left, top) for box in boxes)),),
        typography=grid.typography,
    )


def _move(item: GridBox, right: float, down: float) -> GridBox:
    return replace(item, box=item.box._replace(x=item.box.x + right, y=item.box.y + down))


def _measure_left_overhang(box: GridBox, grid: PageGrid) -> float:
    """Return how far what stands before a grid runs on to the left of it."""
    name = measure_width(make_bold_text(to_unicode(box.grid.name)), grid.typography.name_points) + 1.0
    letters = [label.letter for label in box.grid.rows] if box.header_w else []
    letter = max((measure_width(each, grid.typography.label_points) for each in letters), default=0.0)
    return max(0.0, name - box.header_w, letter + 1.5 - box.header_w)
