"""How large things are in one attempt, and how *along* and *across* become x and y."""

from dataclasses import dataclass, replace

from attnhand.attention.operations import Mask
from attnhand.layout.number_fit import CELL_EDGE, LEAST_PERCENT, figure_width
from attnhand.layout.page import LONG_NAME, Box, GridBox
from attnhand.layout.typography import MARGIN, REGULAR_TYPE, TOP, Cells, Set, Typography
from attnhand.sheet.grids import Grid
from attnhand.sheet.panels import Panel
from attnhand.text.widths import as_plain

GAP = 2.0
"""Between bands that do not belong together."""

GUTTER = 6.0
"""Between two strips of a page, in millimetres."""

NAME_ROOM = 10.0
"""What the name of a stage in large type needs beyond its corner."""

LEAST_LEAD = {False: 28.0, True: 36.0}
"""Room along the spine for the words beside the factors of V: columns, rows."""

LEAST_BAND = {False: (12.0, 34.0), True: (24.0, 30.0)}
"""Room along the spine for the words beside a product, without and with a heading: columns, rows."""

MIXTURE_WORDS = 10.0
"""What Z with its heading has to say more than S, where V is printed beside it."""

EXACT_CAPTION = 4.0
EXACT_HEADER = 6.5
"""Above exact values: their caption alone, or with labels under it."""


class TooLargeError(Exception):
    """This attempt does not fit; the reason in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Paper and sizes of one attempt."""

    width: float
    height: float
    cells: Cells
    typography: Typography
    rows: bool
    """Whether tokens are rows, so that a query travels across the page instead of down."""

    one_product_a_page: bool = False

    abreast: bool = False
    """Whether two heads share a page, each with half of it across."""

    strip: int = 0
    """Which strip of the page, from 0."""

    strips: int = 1
    """Into how many strips the page is divided across the spine."""

    air_at_the_end: float | None = None
    """What is added between the blocks of the last page, as the key has room for it; None where that is not known."""

    word_room: float = 0.0
    """What the words of row labels need beyond their label column, in millimetres."""

    @property
    def bottom(self) -> float:
        """Where a page's panels end and its foot begins."""
        return self.height - TOP - self.typography.line(Set.PALE) - 1.5

    @property
    def scale(self) -> float:
        """How much larger the type is than that of a regular sheet; room for words grows with it."""
        return self.typography.points[Set.BODY] / REGULAR_TYPE.points[Set.BODY]

    def cell(self, *, fraction: bool, over: bool = False, side: bool = False) -> tuple[float, float]:
        """Return width and height of a cell of a spine grid, or of the factor over it or beside it."""
        w, h = self.cells.fraction if fraction else self.cells.whole
        inner_w, inner_h = self.cells.inner
        if over:
            return (inner_w, h) if self.rows else (w, inner_h)
        if side:
            return (w, inner_h) if self.rows else (inner_w, h)
        return w, h

    def along(self, grid: Grid, cell: tuple[float, float]) -> float:
        """Return how long a grid is along the spine, its labels included."""
        header_w, header_h = self.cells.header
        return header_w + grid.width * cell[0] if self.rows else header_h + grid.height * cell[1]

    def across(self, grid: Grid, cell: tuple[float, float]) -> float:
        """Return how wide a grid is across the spine, its labels included."""
        header_w, header_h = self.cells.header
        return header_h + grid.height * cell[1] if self.rows else header_w + grid.width * cell[0]

    def rect(self, along: tuple[float, float], across: tuple[float, float]) -> Box:
        """Turn two spans into a box on the page."""
        (a0, a1), (c0, c1) = along, across
        return Box(a0, c0, a1 - a0, c1 - c0) if self.rows else Box(c0, a0, c1 - c0, a1 - a0)

    def placed(
        self, grid: Grid, along: float, across: float, cell: tuple[float, float], *, wide_labels: bool = False
    ) -> GridBox:
        """Place a grid with the corner of its labels at a point; wide labels run on to the left."""
        self.check_numbers(grid, cell[0])
        header_w, header_h = self.cells.header
        x, y = (along, across) if self.rows else (across, along)
        box = Box(x, y, header_w + grid.width * cell[0], header_h + grid.height * cell[1])
        return GridBox(
            box=box,
            grid=grid,
            cell_w=cell[0],
            cell_h=cell[1],
            header_w=header_w,
            header_h=header_h,
            wide_labels=wide_labels,
        )

    def exact_on_lines(self, grid: Grid, along: float, across: float, whole: tuple[float, float]) -> GridBox:
        """Place exact values on the lines of their product, whose cells have a size."""
        header_w, header_h = self.cells.header
        if self.rows:
            cell = (self.cells.exact[0], whole[1])
            box = Box(along, across, grid.width * cell[0], header_h + grid.height * cell[1])
            return GridBox(box=box, grid=grid, cell_w=cell[0], cell_h=cell[1], header_w=0.0, header_h=header_h)
        cell = (whole[0], self.cells.exact[1])
        box = Box(across, along, header_w + grid.width * cell[0], EXACT_HEADER + grid.height * cell[1])
        return GridBox(box=box, grid=grid, cell_w=cell[0], cell_h=cell[1], header_w=header_w, header_h=EXACT_HEADER)

    def check_numbers(self, grid: Grid, cell_w: float) -> None:
        """Refuse cells too narrow for a number that goes into them."""
        for row in grid.cells:
            for cell in row:
                if (
                    cell.figure
                    and figure_width(cell.figure, self.typography.cell) * LEAST_PERCENT / 100 > cell_w - CELL_EDGE
                ):
                    raise TooLargeError(f"{cell.figure} is too long for a cell of {cell_w:g} mm")

    def spans(self, head: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where the spine may run: (along from, to), (across from, to)."""
        sideways = (MARGIN, self.width - MARGIN)
        down = (head, self.bottom)
        return (sideways, self._strip_of(down)) if self.rows else (down, self._strip_of(sideways))

    def _strip_of(self, span: tuple[float, float]) -> tuple[float, float]:
        begin, end = span
        each = (end - begin - GUTTER * (self.strips - 1)) / self.strips
        begin += self.strip * (each + GUTTER)
        return begin, begin + each


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One panel on a page: where it begins along the spine."""

    panel: Panel
    start: float
    """Of the product's labels, from the beginning of the spine."""

    end: float
    lead: float
    """Room before the product, along the spine, that its factors take."""

    draws_over: bool


def bands(setting: Setting, panels: list[Panel]) -> tuple[Band, ...]:
    """Arrange panels one after the other along the spine of a page."""
    fraction = any(panel.holds_fractions for panel in panels)
    over_cell, cell = setting.cell(fraction=fraction, over=True), setting.cell(fraction=fraction)
    arranged: list[Band] = []
    names: set[str] = set()
    at = 0.0
    for panel in panels:
        draws_over = panel.over is not None and panel.over_name not in names
        lead = setting.along(panel.over, over_cell) if draws_over and panel.over else 0.0
        if draws_over and panel.heading and not setting.one_product_a_page:
            lead = max(lead, LEAST_LEAD[setting.rows] * setting.scale)
        if panel.made and panel.made.over:
            lead = max(lead, setting.along(panel.made.over, over_cell), LEAST_LEAD[setting.rows] * setting.scale)
        if setting.rows and not arranged:
            lead += setting.word_room + (NAME_ROOM if setting.one_product_a_page and not draws_over else 0.0)
        tied = bool(arranged) and panel.over_name == arranged[-1].panel.stage.name
        gap = 0.0 if tied or not arranged else GAP
        if setting.rows and setting.word_room > 0 and len(as_plain(panel.grid.name)) > LONG_NAME and arranged:
            gap += GAP  # its name runs on to the left, where words stand above the last column
        start = at + lead + gap
        at = start + max(setting.along(panel.grid, cell), _least_along(setting, panel, draws_over))
        arranged.append(Band(panel=panel, start=start, end=at, lead=lead, draws_over=draws_over))
        names |= {panel.stage.name, panel.over_name}
    return tuple(arranged)


def with_air(setting: Setting, arranged: tuple[Band, ...], room: float, most: float) -> tuple[Band, ...]:
    """Move bands that do not belong together further apart, as far as the page has room to spare.

    Args:
        room: along the page, in millimetres.
        most: what is added between two bands at most, and before the first.
    """
    last = arranged[-1].panel if arranged else None
    if last is None or setting.strips > 1 or setting.one_product_a_page:
        return arranged
    spare = room - arranged[-1].end
    if last.side is not None and last.reserves_exact:
        spare -= exact_length(setting, last.grid)
    parted = [
        bool(band.panel.made) or (band.panel.over_name != arranged[at - 1].panel.stage.name if at else not setting.rows)
        for at, band in enumerate(arranged)
    ]
    each = min(most, max(0.0, spare // max(sum(parted), 1)))
    air = [each * sum(parted[: at + 1]) for at in range(len(arranged))]
    return tuple(
        replace(band, start=band.start + more, end=band.end + more) for band, more in zip(arranged, air, strict=True)
    )


def exact_length(setting: Setting, grid: Grid) -> float:
    """Return what the exact values of a product with factors take along the spine."""
    if setting.rows:
        return 3.0 + grid.width * setting.cells.exact[0]
    return EXACT_HEADER + grid.height * setting.cells.exact[1]


def _least_along(setting: Setting, panel: Panel, draws_over: bool) -> float:
    """Return the room along the spine that the words beside a stage need."""
    if panel.side is not None and not panel.made:
        headed = bool(panel.heading) and not draws_over
        return (LEAST_BAND[setting.rows][headed] + MIXTURE_WORDS * (headed and panel.holds_fractions)) * setting.scale
    if panel.side is not None:
        return 0.0
    if setting.rows:
        return (32.0 if panel.heading else 18.0) * setting.scale
    line = setting.typography.line(Set.BODY)
    lines = 5 if isinstance(panel.stage.operation, Mask) else 3
    return (setting.typography.line(Set.HEADING) + 1.0) * bool(panel.heading) + lines * line + 2.0
