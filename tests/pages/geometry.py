"""What would be wrong with a page, written down from its description and not from the code that lays it out."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, zip_longest

from attnhand.attention.mechanisms import Stage
from attnhand.attention.operations import Divide, Power, Product, Role, Sum
from attnhand.layout.page import Box, GridBox, Item, Layout, Page, TextBox
from attnhand.layout.typography import Set, Typography
from attnhand.sheet.build_grids import matrix_name
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import walks
from attnhand.text.widths import POINT, Run, Style, Text, as_plain, plain, width

EDGE = 8.0
"""Printers leave so much of the paper white, in millimetres."""

NEAR = 0.05
"""What counts as the same place, in millimetres."""

SPACING = 0.5
"""White between cells, a part of their size."""

INK = 0.9
"""How much of a line's type is printed on at most, from the highest stroke to the lowest."""

RAGGED = 0.5
"""What no line of running text fills at its right end, in millimetres."""

LABEL_EDGE, NAME_EDGE = 1.3, 0.8
"""White between a row's label, or the name of its matrix, and the first cell."""

FACTORS = (Look.GIVEN, Look.WORKED, Look.COPY)
"""What belongs to the exercise; exact values and heat maps stand beside it."""


def grids(page: Page) -> list[GridBox]:
    """Return the grids of a page."""
    return [item for item in page.items if isinstance(item, GridBox)]


def factors(page: Page) -> list[GridBox]:
    """Return the grids of a page that belong to the exercise."""
    return [item for item in grids(page) if item.grid.look in FACTORS]


def addresses(grid: Grid) -> list[str]:
    """Return the addresses of a grid's cells, row by row."""
    return [cell.address for row in grid.cells for cell in row if cell.address]


def stage_of(sheet: Sheet, grid: Grid) -> Stage | None:
    """Return the stage whose cells a grid has; None for a factor that is given or copied."""
    found = addresses(grid)
    return sheet.problem.mechanism.stage(found[0].partition("[")[0]) if found else None


def told(item: Item) -> list[str]:
    """Return the paragraphs of a box as plain text."""
    return [as_plain(paragraph.text) for paragraph in item.paragraphs] if isinstance(item, TextBox) else []


def name_of(item: Item) -> str:
    """Return what a box is called in a message."""
    if isinstance(item, GridBox):
        first = next(iter(addresses(item.grid)), "")
        return f"{item.grid.look} {as_plain(item.grid.name)} {first}".strip()
    return f"{type(item).__name__} {' '.join(told(item))[:30]}".strip()


# labels, names and captions may run over the edges of their boxes


def name_box(item: GridBox, type_: Typography) -> Box:
    """Return where the name of a grid is printed: one too long for its corner runs on to the left."""
    named = item.is_named and item.grid.look is Look.WORKED
    points = type_.small_label if named else type_.name
    heavy = tuple(Run(run.text, Style.BOLD if run.style is Style.PLAIN else run.style, True) for run in item.grid.name)
    w, h = width(heavy, points), points * POINT * INK
    x = item.box.x + item.header_w - NAME_EDGE - w
    return Box(x, item.box.y + item.header_h - SPACING - h, w, h)


def row_label_box(item: GridBox, row: int, type_: Typography) -> Box:
    """Return where the label of a row is printed, with its words where it shows them."""
    label = item.grid.rows[row]
    lines = type_.label * INK + type_.small_label * bool(label.word and item.wide_labels)
    w, h = row_label_width(item, label, type_), lines * POINT
    middle = item.box.y + item.header_h + (row + 0.5) * item.cell_h
    return Box(item.box.x + item.header_w - LABEL_EDGE - w, middle - h / 2, w, h)


def column_label_box(item: GridBox, column: int, type_: Typography) -> Box:
    """Return where the label of a column is printed, with its words where it shows them."""
    label = item.grid.columns[column]
    shown = item.shows_word(label, type_)
    w, h = column_label_width(item, label, type_), (type_.label * INK + type_.small_label * shown) * POINT
    middle = item.box.x + item.header_w + (column + 0.5) * item.cell_w
    return Box(middle - w / 2, item.box.y + item.header_h - SPACING - h, w, h)


def cells_box(item: GridBox) -> Box:
    """Return where the cells of a grid are."""
    box = item.box
    return Box(box.x + item.header_w, box.y + item.header_h, box.w - item.header_w, box.h - item.header_h)


def pieces(item: Item, type_: Typography) -> list[Box]:
    """Return the rectangles in which something is printed."""
    box = item.box
    if isinstance(item, TextBox) and item.paragraphs[0].style is Set.CAPTION:
        high = type_.points[Set.CAPTION] * POINT * INK
        wide = width(item.paragraphs[0].text, type_.points[Set.CAPTION])
        return [Box(box.x, box.y + (type_.line(Set.CAPTION) - high) / 2, wide, high)]
    if isinstance(item, TextBox):
        return _lines_of_text(item, type_)
    if not isinstance(item, GridBox):
        return [box]
    grid = item.grid
    labels = [column_label_box(item, j, type_) for j in range(grid.width)]
    if item.header_w:
        labels += [row_label_box(item, i, type_) for i in range(grid.height)]
        labels += [name_box(item, type_)] if grid.name and grid.look in FACTORS else []
    return [cells_box(item), *labels]


def _lines_of_text(item: TextBox, type_: Typography) -> list[Box]:
    """Return a rectangle a paragraph, as wide as its longest line may be."""
    found, y = [], item.box.y
    for paragraph in item.paragraphs:
        high = paragraph.height(type_, item.box.w)
        longest = width(paragraph.text, type_.points[paragraph.style])
        wide = item.box.w if paragraph.right else min(item.box.w - RAGGED, longest)
        found.append(Box(item.box.x, y, wide, high))
        y += high + type_.between
    return found


def row_label_width(item: GridBox, label: Label, type_: Typography) -> float:
    """Return how wide a row's label is, with its words where it shows them."""
    if not (label.word and item.wide_labels):
        arrow = plain(f"{item.grid.arrow} ") if item.grid.arrow == "→" and not label.word else ()
        return width((*arrow, *label.letter), type_.label)
    role: Text = (*label.letter, *plain(f" {label.role}"))
    return max(width(plain(label.word), type_.label), width(role, type_.small_label))


def column_label_width(item: GridBox, label: Label, type_: Typography) -> float:
    """Return how wide a column's label is; a word that is too wide is set small."""
    if not item.shows_word(label, type_):
        arrow = plain(f"{item.grid.arrow} ") if item.grid.arrow == "↓" and not label.word else ()
        return width((*arrow, *label.letter), type_.label)
    role: Text = (*label.letter, *plain(f" {label.role}" if item.shows_role(label, type_) else ""))
    word = width(plain(label.word), type_.label)
    word = word if word <= item.cell_w else width(plain(label.word), type_.small_label)
    return max(word, width(role, type_.small_label))


def exact_points(look: Look, type_: Typography) -> float:
    """Return the size of the numbers in a grid of exact values or a heat map, in points."""
    return type_.exact


def printed_width(figure: Figure, points: float) -> float:
    """Return how wide a value is that is not a fraction."""
    return width(plain(figure.text), points)


# faults


def outside_paper(layout: Layout) -> Iterator[str]:
    """Name every box that comes too near to the edge of the paper."""
    for page in layout.pages:
        for item in page.items:
            for box in (item.box, *pieces(item, layout.typography)):
                if min(box.x, box.y, layout.width - box.right, layout.height - box.bottom) < EDGE:
                    yield f"page {page.number}: {name_of(item)} leaves the paper: {box}"


def overlaps(layout: Layout) -> Iterator[str]:
    """Name every two boxes that share room, save a caption and the exact values or heat map under it."""
    for page in layout.pages:
        for one, other in combinations(page.items, 2):
            if not _captioned(one, other) and (shared := overlap(one.box, other.box)) > NEAR:
                yield f"page {page.number}: {name_of(one)} and {name_of(other)} overlap by {shared:.2f} mm"


def overprints(layout: Layout) -> Iterator[str]:
    """Name every label, name or caption that is printed over something else."""
    type_ = layout.typography
    for page in layout.pages:
        printed = [(item, pieces(item, type_)) for item in page.items]
        for item, own in printed:
            over_edge = [piece for piece in own if not inside(piece, item.box)]
            for other, others in printed:
                whole = own if _captioned(item, other) else over_edge
                if other is not item and any(overlap(a, b) > NEAR for a in whole for b in others):
                    yield f"page {page.number}: {name_of(item)} is printed over {name_of(other)}"
            if any(overlap(a, b) > NEAR for a, b in combinations(own, 2)):
                yield f"page {page.number}: {name_of(item)}: a label is printed over another"


def overlap(a: Box, b: Box) -> float:
    """Return how far two rectangles reach into one another, in millimetres; negative where they do not."""
    return min(min(a.right, b.right) - max(a.x, b.x), min(a.bottom, b.bottom) - max(a.y, b.y))


def inside(a: Box, b: Box) -> bool:
    """Say whether a rectangle lies in another."""
    return a.x >= b.x - NEAR and a.y >= b.y - NEAR and a.right <= b.right + NEAR and a.bottom <= b.bottom + NEAR


def _captioned(text: Item, grid: Item) -> bool:
    if not isinstance(text, TextBox) or not isinstance(grid, GridBox) or grid.grid.look in FACTORS:
        return False
    begins = grid.box.x, grid.box.x + grid.header_w  # with its labels, or with its first column
    same = any(abs(text.box.x - x) < NEAR for x in begins) and abs(text.box.y - grid.box.y) < NEAR
    return same and [paragraph.style for paragraph in text.paragraphs] == [Set.CAPTION]


def small_cells(layout: Layout, least: tuple[float, float], looks: tuple[Look, ...] = FACTORS) -> Iterator[str]:
    """Name every grid whose cells are smaller than so many millimetres (width, height)."""
    for page in layout.pages:
        for item in grids(page):
            if item.grid.look in looks and (item.cell_w < least[0] or item.cell_h < least[1]):
                yield f"page {page.number}: {name_of(item)} has cells of {item.cell_w:g} × {item.cell_h:g} mm"


def small_fraction_cells(sheet: Sheet, layout: Layout, least: tuple[float, float]) -> Iterator[str]:
    """Name every stage that holds fractions and has smaller cells."""
    for page in layout.pages:
        for item in grids(page):
            stage = stage_of(sheet, item.grid)
            if stage and holds_fractions(stage) and (item.cell_w < least[0] or item.cell_h < least[1]):
                yield f"page {page.number}: {name_of(item)} has cells of {item.cell_w:g} × {item.cell_h:g} mm"


def holds_fractions(stage: Stage) -> bool:
    """Say whether fractions are written into a stage: from the powers on."""
    operation = stage.operation
    return isinstance(operation, Power | Sum | Divide) or (
        isinstance(operation, Product) and operation.role is Role.MIXTURE
    )


def wrong_boxes(layout: Layout) -> Iterator[str]:
    """Name every grid whose box is not the sum of its labels and cells."""
    for page in layout.pages:
        for item in grids(page):
            w = item.header_w + item.grid.width * item.cell_w
            h = item.header_h + item.grid.height * item.cell_h
            if abs(w - item.box.w) > NEAR or abs(h - item.box.h) > NEAR:
                yield f"page {page.number}: {name_of(item)} is {w:g} × {h:g} mm in a box of {item.box}"


def long_labels(layout: Layout) -> Iterator[str]:
    """Name every column label that is wider than its column."""
    for page in layout.pages:
        for item in grids(page):
            for label in item.grid.columns:
                if column_label_width(item, label, layout.typography) > item.cell_w:
                    yield f"page {page.number}: {name_of(item)}: “{label}” is wider than its column"


def long_numbers(layout: Layout) -> Iterator[str]:
    """Name every exact value that is wider than its cell; hand values are set smaller where they must be."""
    for page in layout.pages:
        for item in grids(page):
            if item.grid.look in FACTORS:
                continue
            points = exact_points(item.grid.look, layout.typography)
            for row in item.grid.cells:
                for cell in row:
                    if cell.figure and printed_width(cell.figure, points) > item.cell_w - SPACING:
                        yield f"page {page.number}: {name_of(item)}: {cell.figure} in a cell of {item.cell_w:g} mm"


def misplaced_factors(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every product without its two factors in line with it, or not one label's width from the side factor."""
    for page in layout.pages:
        for product in grids(page):
            stage = stage_of(sheet, product.grid)
            if stage and isinstance(stage.operation, Product):
                left, top = (_factor(page, product, name) for name in _names(sheet, stage))
                yield from _left_faults(page, product, left, sheet.is_rows)
                yield from _top_faults(page, product, top, not sheet.is_rows)


def _names(sheet: Sheet, stage: Stage) -> tuple[str, str]:
    """Return what the factors of a product are called on the page; between them a third matrix may be added."""
    operation = stage.operation
    assert isinstance(operation, Product)
    factors = (stage.reads[0], operation.left_transposed), (stage.reads[-1], operation.right_transposed)
    one, two = (f"{as_plain(matrix_name(sheet, name))}{'ᵀ' if turned else ''}" for name, turned in factors)
    return one, two


def _factor(page: Page, product: GridBox, name: str) -> GridBox | None:
    """Return the nearest grid of that name before the product on its page."""
    before = [item for item in factors(page)[: factors(page).index(product)] if as_plain(item.grid.name) == name]
    return before[-1] if before else None


def _left_faults(page: Page, product: GridBox, left: GridBox | None, travels: bool) -> Iterator[str]:
    where = f"page {page.number}: {name_of(product)}"
    if left is None:
        yield f"{where} has no left factor on its page"
        return
    in_line = abs(left.box.y + left.header_h - product.box.y - product.header_h) < NEAR
    if not in_line or abs(left.cell_h - product.cell_h) > NEAR or left.grid.height != product.grid.height:
        yield f"{where} is not in line with its left factor"
    distance = product.box.x + product.header_w - left.box.right
    if left.box.right > product.box.x + NEAR or (not travels and abs(distance - product.header_w) > NEAR):
        yield f"{where} is {distance:g} mm right of its left factor"


def _top_faults(page: Page, product: GridBox, top: GridBox | None, travels: bool) -> Iterator[str]:
    where = f"page {page.number}: {name_of(product)}"
    if top is None:
        yield f"{where} has no top factor on its page"
        return
    in_line = abs(top.box.x + top.header_w - product.box.x - product.header_w) < NEAR
    if not in_line or abs(top.cell_w - product.cell_w) > NEAR or top.grid.width != product.grid.width:
        yield f"{where} is not in line with its top factor"
    distance = product.box.y + product.header_h - top.box.bottom
    if top.box.bottom > product.box.y + NEAR or (not travels and abs(distance - product.header_h) > NEAR):
        yield f"{where} is {distance:g} mm below its top factor"


def stage_cells(sheet: Sheet, stage: Stage) -> list[tuple[int, int]]:
    """Return the cells (0-based) of a stage that are drawn."""
    rows, columns = sheet.asked_lines(stage)
    return [(i, j) for i in rows for j in columns] if sheet.is_drawn(stage) else []


def is_one(cell: Cell) -> bool:
    """Say whether a cell is one of those that meet a bias: a printed 1 of no stage."""
    return not cell.address and cell.kind is Kind.GIVEN and str(cell.figure) == "1"


def wrong_cells(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every asked cell that is not on the sheet exactly once, and every other cell with an address."""
    expected = {
        f"{stage.name}[{i + 1},{j + 1}]"
        for stage in sheet.problem.mechanism.stages
        if sheet.is_drawn(stage)
        for i in sheet.asked_lines(stage)[0]
        for j in sheet.asked_lines(stage)[1]
    }
    found = Counter(address for page in layout.pages for item in grids(page) for address in addresses(item.grid))
    yield from (f"{address} is missing" for address in sorted(expected - found.keys()))
    yield from (f"{address} is not asked" for address in sorted(found.keys() - expected))
    yield from (f"{address} is there {count} times" for address, count in found.items() if count > 1)
    printed = sum(len(stage_cells(sheet, stage)) for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage))
    if len(found) - printed != sheet.cells_to_fill:
        yield f"there are {len(found) - printed} cells to fill, not {sheet.cells_to_fill}"
    journey = [grid for walk in walks(sheet) for grid in (walk.keys, *walk.steps, *walk.values)]
    for page in layout.pages:
        for item in grids(page):
            if item.grid in journey:
                continue
            for row in item.grid.cells:
                worked = item.grid.look is Look.WORKED
                wrong = [cell for cell in row if bool(cell.address) != (worked and not is_one(cell))]
                yield from (f"page {page.number}: {name_of(item)} has {cell}" for cell in wrong)


def wrong_order(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every product that is not read in the order instruction, left factor, top factor, product."""
    said = Counter(as_plain(each.text) for panel in panels(sheet).all() for each in panel.paragraphs)
    for page in layout.pages:
        items = list(page.items)
        for panel in panels(sheet).all():
            product = next((item for item in grids(page) if stage_of(sheet, item.grid) == panel.stage), None)
            if product is None:
                continue
            at = items.index(product)
            if isinstance(panel.stage.operation, Product):
                left, top = (_factor(page, product, name) for name in _names(sheet, panel.stage))
                found = [items.index(item) for item in (left, top) if item in items]
                travelling = top if not sheet.is_rows else left
                if left and top and _just_before(items, travelling, product) and found != sorted(found):
                    yield f"page {page.number}: {name_of(product)}: the top factor is read before the left one"
                at = min([at, *(i for i in found if _just_before(items, items[i], product))])
            words = [as_plain(text) for text in (panel.heading, *(each.text for each in panel.paragraphs)) if text]
            words = [text for text in words if said[text] < 2]  # what two stages say is read before the first
            for i, item in enumerate(items):
                if i > at and (late := [text for text in words if text in told(item)]):
                    yield f"page {page.number}: {name_of(product)} is read before “{late[0][:40]}”"


def _just_before(items: list[Item], factor: Item | None, product: Item) -> bool:
    """Say whether nothing but grids is read between a factor and its product."""
    if factor is None:
        return False
    between = items[items.index(factor) : items.index(product)]
    return all(isinstance(item, GridBox) for item in between)


def lonely_headings(layout: Layout) -> Iterator[str]:
    """Name every box of words that is nothing but a heading."""
    for page in layout.pages:
        for item in page.items:
            if isinstance(item, TextBox) and all(paragraph.level == 2 for paragraph in item.paragraphs):
                yield f"page {page.number}: the heading “{told(item)[0]}” stands alone"


def moved(blank: Layout, key: Layout) -> Iterator[str]:
    """Name whatever does not stand on the key where it stands on the blank sheet."""
    if (blank.width, blank.height) != (key.width, key.height):
        yield f"the blank sheet is {blank.width:g} mm wide, the key {key.width:g}"
    for one, other in zip_longest(blank.pages, key.pages):
        blanks, keys = (factors(page) if page else [] for page in (one, other))
        number = (one or other).number
        if [_identity(item) for item in blanks] != [_identity(item) for item in keys]:
            yield f"page {number}: {[name_of(i) for i in blanks]} on the blank, {[name_of(i) for i in keys]} on the key"
        for a, b in zip(blanks, keys, strict=False):
            if any(abs(x - y) > NEAR for x, y in zip(_measures(a), _measures(b), strict=True)):
                yield f"page {number}: {name_of(a)} is at {a.box} on the blank, at {b.box} on the key"


def _identity(item: GridBox) -> tuple[str, str, list[str], tuple[Label, ...], tuple[Label, ...]]:
    grid = item.grid
    return grid.look, as_plain(grid.name), addresses(grid), grid.rows, grid.columns


def _measures(item: GridBox) -> tuple[float, ...]:
    box = item.box
    return box.x, box.y, box.w, box.h, item.cell_w, item.cell_h, item.header_w, item.header_h


def faults(sheet: Sheet, layout: Layout) -> list[str]:
    """Return all that is wrong with the pages of a sheet; an empty list for good ones."""
    least, least_fraction = ((18.0, 15.0), (18.0, 15.0)) if sheet.options.large_print else ((8.0, 7.0), (8.0, 8.0))
    return [
        *outside_paper(layout),
        *overlaps(layout),
        *overprints(layout),
        *small_cells(layout, least),
        *small_fraction_cells(sheet, layout, least_fraction),
        *wrong_boxes(layout),
        *long_labels(layout),
        *misplaced_factors(sheet, layout),
        *wrong_cells(sheet, layout),
        *lonely_headings(layout),
    ]
