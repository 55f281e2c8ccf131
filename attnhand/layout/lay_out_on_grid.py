"""Lay out a sheet on the grid: of all grids for its paper, the one whose pages cost least."""

from attnhand.errors import PageError
from attnhand.layout.breaks import Cost
from attnhand.layout.compose import Composer
from attnhand.layout.page import Layout
from attnhand.layout.page_grid import Arrangement, TooLargeError, list_page_grids
from attnhand.sheet.document import build_document
from attnhand.sheet.sheet import Sheet


def lay_out_faces(blank: Sheet, key: Sheet) -> tuple[Layout, Layout]:
    """Return the pages of a sheet and of its key, with every box at the same place.

    Raises:
        PageError: no grid holds them.
    """
    best: tuple[Cost, Composer] | None = None
    reasons = []
    is_large = key.options.large_print
    documents = {
        separate: tuple(build_document(face, separate_factors=separate) for face in (blank, key))
        for separate in (False, True)
    }
    for grid in list_page_grids(key.options, is_rows=key.convention.is_rows):
        if best and grid.width > grid.height:
            break
        blank_document, key_document = documents[is_large or grid.arrangement is Arrangement.APART]
        try:
            composer = Composer(blank_document, key_document, grid)
            cost = composer.find_cost()
        except TooLargeError as reason:
            reasons.append(str(reason))
            continue
        if best is None or cost < best[0]:
            best = cost, composer
    if best is None:
        raise PageError(f"it does not fit: {reasons[-1]}")
    return best[1].compose()
