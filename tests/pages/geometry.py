"""What would be wrong with a page, written down from its description and not from the code that lays it out."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, takewhile, zip_longest

from attnhand.attention.mechanisms import Stage
from attnhand.layout.name_line import MIN_RULE_WIDTH
from attnhand.layout.page import Box, GridBox, Item, Layout, Page, RuleBox, TextBox, WorkingSpaceBox
from attnhand.layout.typography import NumberSize, Typography
from attnhand.sheet.build_grids import format_headed_markup
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label
from attnhand.sheet.panels import build_panels
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.sheet.trace_grids import build_trace_grids
from attnhand.text.widths import (
    MM_PER_POINT,
    RunStyle,
    Text,
    make_plain_text,
    measure_width,
    parse_markup,
    to_unicode,
)

MIN_MARGIN = 8.0
"""Printers leave so much of the paper white, in millimetres."""

TOLERANCE = 0.05
"""What counts as the same place, in millimetres."""

CELL_SPACING = 0.5
"""White between cells, a part of their size."""

LABEL_RISE = 1.63
"""White between the label of a column, or the name of its matrix, and the cells below it."""

INK_HEIGHT_SHARE = 0.9
"""How much of a line's type is printed on at most, from the highest stroke to the lowest."""

RAGGED_EDGE = 0.5
"""What no line of running text fills at its right end, in millimetres."""

LABEL_GAP, NAME_GAP = 1.6, 0.0
"""White between a row's label, or the name of its matrix, and the first cell."""

EXERCISE_LOOKS = (GridStyle.GIVEN, GridStyle.WORKED, GridStyle.COPY)
"""What belongs to the exercise; check sums stand below it."""


def list_grids(page: Page) -> list[GridBox]:
    """Return the grids of a page, without the boxes for answers to questions."""
    return [item for item in page.items if isinstance(item, GridBox) and not list_answer_names(item.grid)]


def list_answer_names(grid: Grid) -> list[str]:
    """Return the names of the questions whose answer is written into a grid."""
    return [address for address in list_addresses(grid) if address.startswith("ask")]


def list_question_names(sheet: Sheet) -> list[str]:
    """Return the names of the questions that a blank sheet has a box for, in order."""
    return [question.name for question in build_questions(sheet) if question.name]


def list_factors(page: Page) -> list[GridBox]:
    """Return the grids of a page that belong to the exercise."""
    return [item for item in list_grids(page) if item.grid.style in EXERCISE_LOOKS]


def list_addresses(grid: Grid) -> list[str]:
    """Return the addresses of a grid's cells, row by row."""
    return [cell.address for row in grid.cells for cell in row if cell.address]


def find_stage(sheet: Sheet, grid: Grid) -> Stage | None:
    """Return the stage whose cells a grid has; None for a factor that is given or copied."""
    found = list_addresses(grid)
    return sheet.problem.mechanism.get_stage(found[0].partition("[")[0]) if found else None


def list_paragraph_texts(item: Item) -> list[str]:
    """Return the paragraphs of a box as plain text."""
    return [to_unicode(paragraph.text) for paragraph in item.paragraphs] if isinstance(item, TextBox) else []


def describe_item(item: Item) -> str:
    """Return what a box is called in a message."""
    if isinstance(item, GridBox):
        first = next(iter(list_addresses(item.grid)), "")
        return f"{item.grid.style} {to_unicode(item.grid.name)} {first}".strip()
    return f"{type(item).__name__} {' '.join(list_paragraph_texts(item))[:30]}".strip()


# labels and names may run over the edges of their boxes


def measure_name_box(item: GridBox, typography: Typography) -> Box:
    """Return where the name of a grid is printed: one too long for its corner runs on to the left, or stands above."""
    named = item.has_long_name and item.grid.style in EXERCISE_LOOKS
    points = typography.label_points if named else typography.name_points
    heavy = tuple(
        run._replace(style=RunStyle.BOLD if run.style is RunStyle.PLAIN else run.style, is_bold=True)
        for run in item.grid.name
    )
    w, h = measure_width(heavy, points), points * MM_PER_POINT * INK_HEIGHT_SHARE
    if item.has_name_above:
        return Box(item.box.x + item.header_w, item.box.y + CELL_SPACING, w, h)
    x = item.box.x + item.header_w - NAME_GAP - w
    return Box(x, item.box.y + item.header_h - LABEL_RISE - h, w, h)


def measure_row_label_box(item: GridBox, row: int, typography: Typography) -> Box:
    """Return where the label of a row is printed, with its words where it shows them."""
    label = item.grid.rows[row]
    lines = typography.label_points * INK_HEIGHT_SHARE + typography.label_points * bool(
        label.word and item.has_wide_labels
    )
    w, h = measure_row_label_width(item, label, typography), lines * MM_PER_POINT
    middle = item.box.y + item.header_h + (row + 0.5) * item.cell_h
    return Box(item.box.x + item.header_w - LABEL_GAP - w, middle - h / 2, w, h)


def list_column_label_boxes(item: GridBox, column: int, typography: Typography) -> list[Box]:
    """Return where the lines of a column's label are printed: its letter, and above it its word where it shows one."""
    label, words = item.grid.columns[column], item.break_word(column, typography)
    role = make_plain_text(f" {label.role}" if words and item.shows_role(label, typography) else "")
    lines = [(*label.letter, *role), *map(make_plain_text, reversed(words))]
    middle = item.box.x + item.header_w + (column + 0.5) * item.cell_w
    y, boxes = item.box.y + item.header_h - LABEL_RISE, []
    for line, share in zip(lines, (INK_HEIGHT_SHARE, *(1.0 for _ in words)), strict=True):
        w, h = measure_width(line, typography.label_points), share * typography.label_points * MM_PER_POINT
        y -= h
        boxes.append(Box(middle - w / 2, y, w, h))
    return [box for box in boxes if box.w]


def measure_cells_box(item: GridBox) -> Box:
    """Return where the cells of a grid are."""
    box = item.box
    return Box(box.x + item.header_w, box.y + item.header_h, box.w - item.header_w, box.h - item.header_h)


def list_printed_boxes(item: Item, typography: Typography) -> list[Box]:
    """Return the rectangles in which something is printed."""
    if isinstance(item, TextBox):
        return _list_paragraph_boxes(item, typography)
    if not isinstance(item, GridBox):
        return [item.box]
    grid = item.grid
    labels = [box for j in range(grid.column_count) for box in list_column_label_boxes(item, j, typography)]
    if item.header_w:
        labels += [measure_row_label_box(item, i, typography) for i in range(grid.row_count)]
        labels += [measure_name_box(item, typography)] if grid.name and grid.style in EXERCISE_LOOKS else []
    return [measure_cells_box(item), *labels]


def _list_paragraph_boxes(item: TextBox, typography: Typography) -> list[Box]:
    """Return a rectangle a paragraph, as wide as its longest line may be."""
    found, y = [], item.box.y
    for paragraph in item.paragraphs:
        high = paragraph.measure_height(typography, item.box.w)
        longest = measure_width(paragraph.text, typography.paragraph_points[paragraph.style])
        wide = item.box.w if paragraph.right_text else min(item.box.w - RAGGED_EDGE, longest)
        found.append(Box(item.box.x, y, wide, high))
        y += high + typography.paragraph_gap
    return found


def measure_row_label_width(item: GridBox, label: Label, typography: Typography) -> float:
    """Return how wide a row's label is, with its words where it shows them."""
    if not (label.word and item.has_wide_labels):
        return measure_width(label.letter, typography.label_points)
    role: Text = (*label.letter, *make_plain_text(f" {label.role}"))
    return max(
        measure_width(make_plain_text(label.word), typography.label_points),
        measure_width(role, typography.label_points),
    )


def measure_printed_width(number: PrintedNumber, points: float) -> float:
    """Return how wide a value is that is not a fraction."""
    return measure_width(make_plain_text(number.text), points)


def measure_printed_size(number: PrintedNumber, size: NumberSize) -> tuple[float, float]:
    """Return how wide and how high a value is, with its note, in millimetres."""

    def width(text: str, points: float) -> float:
        return measure_width(make_plain_text(text), points)

    em = size.whole * MM_PER_POINT
    across, down = width(number.text, size.whole), em
    if number.is_fraction:
        across += max(width(number.top, size.part), width(number.bottom, size.part)) + 0.6
        across += 0.3 if number.text else 0.0  # between the sign and the line
        half = (2 * 0.9 * size.part * MM_PER_POINT + 0.25) / 2  # two lines and what divides them
        middle, ascent, descent = 0.473 / 2 * em, 0.8 * em, 0.2 * em
        down = max(ascent, middle + half) + max(descent, half - middle)
    if number.note:
        across, down = max(across, width(number.note, size.note)), down + 0.9 * size.note * MM_PER_POINT
    return across, down


# faults


def find_boxes_outside_paper(layout: Layout) -> Iterator[str]:
    """Name every box that comes too near to the edge of the paper."""
    for page in layout.pages:
        for item in page.items:
            for box in (item.box, *list_printed_boxes(item, layout.typography)):
                if min(box.x, box.y, layout.width - box.right, layout.height - box.bottom) < MIN_MARGIN:
                    yield f"page {page.number}: {describe_item(item)} leaves the paper: {box}"


def find_overlaps(layout: Layout) -> Iterator[str]:
    """Name every two boxes that share room."""
    for page in layout.pages:
        for one, other in combinations(page.items, 2):
            if (shared := measure_overlap(one.box, other.box)) > TOLERANCE:
                yield f"page {page.number}: {describe_item(one)} and {describe_item(other)} overlap by {shared:.2f} mm"


def find_overprints(layout: Layout) -> Iterator[str]:
    """Name every label or name that is printed over something else."""
    type_ = layout.typography
    for page in layout.pages:
        printed = [(item, list_printed_boxes(item, type_)) for item in page.items]
        for item, own in printed:
            over_edge = [piece for piece in own if not is_inside(piece, item.box)]
            for other, others in printed:
                if other is not item and any(measure_overlap(a, b) > TOLERANCE for a in over_edge for b in others):
                    yield f"page {page.number}: {describe_item(item)} is printed over {describe_item(other)}"
            if any(measure_overlap(a, b) > TOLERANCE for a, b in combinations(own, 2)):
                yield f"page {page.number}: {describe_item(item)}: a label is printed over another"


def measure_overlap(a: Box, b: Box) -> float:
    """Return how far two rectangles reach into one another, in millimetres; negative where they do not."""
    return min(min(a.right, b.right) - max(a.x, b.x), min(a.bottom, b.bottom) - max(a.y, b.y))


def is_inside(a: Box, b: Box) -> bool:
    """Say whether a rectangle lies in another."""
    return (
        a.x >= b.x - TOLERANCE
        and a.y >= b.y - TOLERANCE
        and a.right <= b.right + TOLERANCE
        and a.bottom <= b.bottom + TOLERANCE
    )


def find_small_cells(
    layout: Layout, min_size: tuple[float, float], looks: tuple[GridStyle, ...] = (GridStyle.WORKED,)
) -> Iterator[str]:
    """Name every grid whose cells are smaller than so many millimetres (width, height)."""
    for page in layout.pages:
        for item in list_grids(page):
            if item.grid.style in looks and (item.cell_w < min_size[0] or item.cell_h < min_size[1]):
                yield f"page {page.number}: {describe_item(item)} has cells of {item.cell_w:g} × {item.cell_h:g} mm"


def find_short_rules(layout: Layout) -> Iterator[str]:
    """Name every line to write on that is too short for a date or a total."""
    for page in layout.pages:
        for item in page.items:
            if isinstance(item, RuleBox) and item.box.w < MIN_RULE_WIDTH - TOLERANCE:
                yield f"page {page.number}: the line at {item.box.x:.0f} mm is {item.box.w:.1f} mm long"


def find_small_fraction_cells(sheet: Sheet, layout: Layout, min_size: tuple[float, float]) -> Iterator[str]:
    """Name every stage that holds fractions and has smaller cells."""
    for page in layout.pages:
        for item in list_grids(page):
            stage = find_stage(sheet, item.grid)
            if stage and holds_fractions(stage) and (item.cell_w < min_size[0] or item.cell_h < min_size[1]):
                yield f"page {page.number}: {describe_item(item)} has cells of {item.cell_w:g} × {item.cell_h:g} mm"


def holds_fractions(stage: Stage) -> bool:
    """Say whether fractions are written into a stage: from the powers on."""
    return stage.topic in ("powers", "sums", "weights", "outputs")


def find_wrong_boxes(layout: Layout) -> Iterator[str]:
    """Name every grid whose box is not the sum of its labels and cells."""
    for page in layout.pages:
        for item in list_grids(page):
            w = item.header_w + item.grid.column_count * item.cell_w
            h = item.header_h + item.grid.row_count * item.cell_h
            if abs(w - item.box.w) > TOLERANCE or abs(h - item.box.h) > TOLERANCE:
                yield f"page {page.number}: {describe_item(item)} is {w:g} × {h:g} mm in a box of {item.box}"


def find_long_labels(layout: Layout) -> Iterator[str]:
    """Name every column label that is wider than its column and meets the next, or reaches far beyond the grid."""
    for page in layout.pages:
        for item in list_grids(page):
            columns = range(item.grid.column_count)
            lines = [list_column_label_boxes(item, column, layout.typography) for column in columns]
            widths = [max((box.w for box in boxes), default=0.0) for boxes in lines]
            for label, own, after in zip(item.grid.columns, widths, [*widths[1:], 0.0], strict=True):
                if own > item.cell_w + 3 or (max(own, after) > item.cell_w and (own + after) / 2 > item.cell_w - 0.3):
                    yield f"page {page.number}: {describe_item(item)}: “{label}” is wider than its column"


def find_long_numbers(layout: Layout) -> Iterator[str]:
    """Name every exact value that is wider than its cell; hand values are set smaller where they must be."""
    for page in layout.pages:
        for item in list_grids(page):
            for exact in (cell.exact for row in item.grid.cells for cell in row if cell.exact):
                if measure_printed_width(exact, layout.typography.exact_points) > item.cell_w - CELL_SPACING:
                    yield f"page {page.number}: {describe_item(item)}: {exact} is too wide"


def find_misplaced_factors(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every product without its two factors in line with it, the one left of it, the other above."""
    for page in layout.pages:
        for product in list_grids(page):
            stage = find_stage(sheet, product.grid)
            if stage and stage.product is not None:
                left, top = (_find_factor(page, product, name) for name in _name_factors(sheet, stage))
                yield from _find_left_faults(page, product, left)
                yield from _find_top_faults(page, product, top)


def _name_factors(sheet: Sheet, stage: Stage) -> tuple[str, str]:
    """Return what the factors of a product are called on the page; between them a third matrix may be added."""
    product = stage.product
    assert product is not None
    factors = ((product.left, product.is_left_transposed), (product.right, product.is_right_transposed))
    one, two = (
        f"{to_unicode(parse_markup(format_headed_markup(sheet, name)))}{'ᵀ' if turned else ''}"
        for name, turned in factors
    )
    return one, two


def _find_factor(page: Page, product: GridBox, name: str) -> GridBox | None:
    """Return the nearest grid of that name before the product on its page."""
    before = [
        item for item in list_factors(page)[: list_factors(page).index(product)] if to_unicode(item.grid.name) == name
    ]
    return before[-1] if before else None


def _find_left_faults(page: Page, product: GridBox, left: GridBox | None) -> Iterator[str]:
    where = f"page {page.number}: {describe_item(product)}"
    if left is None:
        yield f"{where} has no left factor on its page"
        return
    in_line = abs(left.box.y + left.header_h - product.box.y - product.header_h) < TOLERANCE
    if not in_line or abs(left.cell_h - product.cell_h) > TOLERANCE or left.grid.row_count != product.grid.row_count:
        yield f"{where} is not in line with its left factor"
    if left.box.right > product.box.x + TOLERANCE:
        yield f"{where} begins {left.box.right - product.box.x:g} mm before its left factor ends"


def _find_top_faults(page: Page, product: GridBox, top: GridBox | None) -> Iterator[str]:
    where = f"page {page.number}: {describe_item(product)}"
    if top is None:
        yield f"{where} has no top factor on its page"
        return
    in_line = abs(top.box.x + top.header_w - product.box.x - product.header_w) < TOLERANCE
    if (
        not in_line
        or abs(top.cell_w - product.cell_w) > TOLERANCE
        or top.grid.column_count != product.grid.column_count
    ):
        yield f"{where} is not in line with its top factor"
    if top.box.bottom > product.box.y + TOLERANCE:
        yield f"{where} begins {top.box.bottom - product.box.y:g} mm above the end of its top factor"


def list_stage_cells(sheet: Sheet, stage: Stage) -> list[tuple[int, int]]:
    """Return the cells (0-based) of a stage that are drawn."""
    rows, columns = sheet.find_asked_rows_and_columns(stage)
    return [(i, j) for i in rows for j in columns] if sheet.has_own_panel(stage) else []


def count_printed_cells(sheet: Sheet) -> int:
    """Count the cells that are drawn and printed for the student, the worked one not among them."""
    stages = sheet.problem.mechanism.stages
    return sum(sheet.is_cell_printed(stage, *cell) for stage in stages for cell in list_stage_cells(sheet, stage))


def is_bias_one(cell: Cell) -> bool:
    """Say whether a cell is one of those that meet a bias: a printed 1 of no stage."""
    return not cell.address and cell.kind is CellKind.GIVEN and str(cell.number) == "1"


def find_wrong_cells(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every asked cell that is not on the sheet exactly once, and every other cell with an address."""
    expected = {
        f"{stage.name}[{i + 1},{j + 1}]"
        for stage in sheet.problem.mechanism.stages
        if sheet.has_own_panel(stage)
        for i in sheet.find_asked_rows_and_columns(stage)[0]
        for j in sheet.find_asked_rows_and_columns(stage)[1]
    }
    found = Counter(
        address for page in layout.pages for item in list_grids(page) for address in list_addresses(item.grid)
    )
    boxes = [item for page in layout.pages for item in page.items if isinstance(item, GridBox)]
    asked = [] if sheet.is_solved else list_question_names(sheet)
    if sorted(name for item in boxes for name in list_answer_names(item.grid)) != sorted(asked):
        yield f"there are no boxes for just {asked}"
    yield from (f"{address} is missing" for address in sorted(expected - found.keys()))
    yield from (f"{address} is not asked" for address in sorted(found.keys() - expected))
    yield from (f"{address} is there {count} times" for address, count in found.items() if count > 1)
    printed = count_printed_cells(sheet)
    if len(found) - printed != sheet.answer_cell_count:
        yield f"there are {len(found) - printed} cells to fill, not {sheet.answer_cell_count}"
    traced = [
        grid for trace in build_trace_grids(sheet) for grid in (trace.key_grid, *trace.step_grids, *trace.value_grids)
    ]
    for page in layout.pages:
        for item in list_grids(page):
            if item.grid in traced:
                continue
            for row in item.grid.cells:
                worked = item.grid.style is GridStyle.WORKED
                wrong = [cell for cell in row if bool(cell.address) != (worked and not is_bias_one(cell))]
                yield from (f"page {page.number}: {describe_item(item)} has {cell}" for cell in wrong)


def find_wrong_order(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every product that is not read in the order instruction, left factor, top factor, product."""
    expected = Counter(
        to_unicode(each.text) for panel in build_panels(sheet).list_panels() for each in panel.paragraphs
    )
    for page in layout.pages:
        items = list(page.items)
        for panel in build_panels(sheet).list_panels():
            product = next((item for item in list_grids(page) if find_stage(sheet, item.grid) == panel.stage), None)
            if product is None:
                continue
            at = items.index(product)
            if panel.stage.product is not None:
                left, top = (_find_factor(page, product, name) for name in _name_factors(sheet, panel.stage))
                found = [items.index(item) for item in (left, top) if item in items]
                travelling = left if sheet.convention.is_rows else top
                if left and top and _is_just_before(items, travelling, product) and found != sorted(found):
                    yield f"page {page.number}: {describe_item(product)}: the top factor is read before the left one"
                at = min([at, *(i for i in found if _is_just_before(items, items[i], product))])
            words = [to_unicode(text) for text in (panel.heading, *(each.text for each in panel.paragraphs)) if text]
            words = [text for text in words if expected[text] < 2]  # what two stages say is read before the first
            for i, item in enumerate(items):
                if i > at and (late := [text for text in words if text in list_paragraph_texts(item)]):
                    yield f"page {page.number}: {describe_item(product)} is read before “{late[0][:40]}”"


def _is_just_before(items: list[Item], factor: Item | None, product: Item) -> bool:
    """Say whether nothing but grids is read between a factor and its product."""
    if factor is None:
        return False
    between = items[items.index(factor) : items.index(product)]
    return all(isinstance(item, GridBox) for item in between)


def find_lonely_headings(layout: Layout) -> Iterator[str]:
    """Name every heading without words or a box for an answer right below it, and without a grid behind it."""
    for page in layout.pages:
        boxes = [item for item in page.items if isinstance(item, TextBox)]
        for item in boxes:
            below = (other for other in page.items if 0 <= other.box.y - item.box.bottom < 2)
            is_followed = any(other.box.x == item.box.x for other in below)
            is_followed |= any(abs(grid.box.y - item.box.y) < 8 for grid in list_factors(page))
            if not is_followed and all(paragraph.heading_level == 2 for paragraph in item.paragraphs):
                yield f"page {page.number}: the heading “{list_paragraph_texts(item)[0]}” stands alone"


def find_late_headings(layout: Layout) -> Iterator[str]:
    """Name every heading that begins below the grid that is read after it."""
    for page in layout.pages:
        items = list(page.items)
        for at, item in enumerate(items):
            following = next((other for other in items[at:] if other in list_factors(page)), None)
            if not is_heading(item) or following is None:
                continue
            if item.box.y > following.box.y + TOLERANCE:
                heading = list_paragraph_texts(item)[0]
                yield f"page {page.number}: “{heading}” stands at {item.box}, {describe_item(following)} before it"


def find_tight_texts(layout: Layout) -> Iterator[str]:
    """Name every text beside a grid that stands less than a millimetre behind its last cell."""
    for page in layout.pages:
        for item in (item for item in page.items if isinstance(item, TextBox) and not is_mark_box(item)):
            for grid in list_factors(page):
                if _share_lines(grid.box, item.box) and -1 < item.box.x - grid.box.right < 1:
                    yield f"page {page.number}: {describe_item(item)} touches {describe_item(grid)}"


def find_loose_headings(layout: Layout) -> Iterator[str]:
    """Name every heading that is not nearer to its own grid than to the one above it.

    Above it is twice the space that is below it, between it and its words. A rule above it parts it from what is there.
    """
    for page in layout.pages:
        items, grids = list(page.items), list_factors(page)
        for at, item in enumerate(items):
            if not isinstance(item, TextBox) or not is_heading(item):
                continue
            following = [other for other in items[at + 1 :] if other in grids or is_heading(other)]
            own = list(takewhile(lambda other: not is_heading(other), following))
            rules = [each.box.y for each in items if isinstance(each, RuleBox) and not each.field_name]
            top = max((y for y in rules if y <= item.box.y), default=0.0)
            column = Box(item.box.x, top, item.box.w, layout.height)
            above = [
                item.box.y - grid.box.bottom
                for grid in grids
                if grid.box.bottom <= item.box.y and measure_overlap(grid.box, column) > TOLERANCE
            ]
            if not above:
                continue
            has_own = any(grid in grids for grid in own)  # questions have none
            below = min(max(0.0, grid.box.y - item.box.bottom) for grid in own) if has_own else 0.0
            if min(above) < 2 * layout.typography.paragraph_gap or below >= min(above):
                distances = f"{min(above):.1f} mm below a grid, {below:.1f} mm above its own"
                yield f"page {page.number}: “{list_paragraph_texts(item)[0]}” stands {distances}"


def is_heading(item: Item) -> bool:
    """Say whether words begin with the heading of a stage."""
    return isinstance(item, TextBox) and item.paragraphs[0].heading_level == 2


def is_mark_box(item: Item) -> bool:
    """Say whether a box is a mark box."""
    return isinstance(item, TextBox) and any(paragraph.marked_stage for paragraph in item.paragraphs)


def find_stray_mark_boxes(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every mark box of a key with a line to write on, and every one that stands where no mark does.

    Marks stand at the outer edge of their page, or below their matrix.
    """
    for page in layout.pages:
        grids = list_factors(page)
        heading_starts = [
            item.box.x for item in page.items if isinstance(item, TextBox) and item.paragraphs[0].heading_level == 2
        ]
        for item in page.items:
            if not (isinstance(item, TextBox) and is_mark_box(item)):
                continue
            if sheet.is_solved and any("__" in to_unicode((*p.text, *p.right_text)) for p in item.paragraphs):
                yield f"page {page.number} of the key has the mark box {list_paragraph_texts(item)}"
            # beside it may stand another head, under headings of its own
            ends = [x for x in heading_starts if x > item.box.x]
            own = [grid for grid in grids if grid.box.x < min(ends, default=layout.width)]
            is_below_own = any(
                abs(grid.box.right - item.box.right) < 1 and grid.box.bottom <= item.box.y for grid in own
            )
            if not is_below_own and any(grid.box.x > item.box.x and _share_lines(grid.box, item.box) for grid in own):
                yield f"page {page.number}: the mark box {list_paragraph_texts(item)} is not at the outer edge"


def _share_lines(one: Box, other: Box) -> bool:
    """Say whether two boxes stand beside one another."""
    return one.y < other.bottom and other.y < one.bottom


def find_moved_grids(blank: Layout, key: Layout) -> Iterator[str]:
    """Name whatever does not stand on the key where it stands on the blank sheet."""
    if (blank.width, blank.height) != (key.width, key.height):
        yield f"the blank sheet is {blank.width:g} mm wide, the key {key.width:g}"
    for one, other in zip_longest(blank.pages, key.pages):
        blanks, keys = (list_factors(page) if page else [] for page in (one, other))
        number = (one or other).number
        if [_identify_grid(item) for item in blanks] != [_identify_grid(item) for item in keys]:
            on_blank, on_key = ([describe_item(item) for item in items] for items in (blanks, keys))
            yield f"page {number}: {on_blank} on the blank, {on_key} on the key"
        for a, b in zip(blanks, keys, strict=False):
            if any(abs(x - y) > TOLERANCE for x, y in zip(_list_measures(a), _list_measures(b), strict=True)):
                yield f"page {number}: {describe_item(a)} is at {a.box} on the blank, at {b.box} on the key"
        if one and other:
            yield from _find_moved_texts(blank.typography, one, other)


def _find_moved_texts(typography: Typography, blank: Page, key: Page) -> Iterator[str]:
    """Name every text of both faces that begins elsewhere on the key; a name stands behind "ANSWER KEY" there."""
    blanks, keys = (dict(_list_text_places(page, typography)) for page in (blank, key))
    shared = [name for name in blanks if name in keys and not (name[0] and name[0].kind is SlotKind.NAME)]
    for name in shared:
        if any(abs(x - y) > TOLERANCE for x, y in zip(blanks[name], keys[name], strict=True)):
            named = f"“{name[1][:40]}”" if name[1] else f"{name[0]}"
            yield f"page {blank.number}: {named} is at {blanks[name]} on the blank, at {keys[name]} on the key"


def _list_text_places(
    page: Page, typography: Typography
) -> Iterator[tuple[tuple[Slot | None, str, int], tuple[float, float]]]:
    """Yield every paragraph, by its slot or else its words and how often they came before, and where it begins."""
    counts: Counter[tuple[Slot | None, str]] = Counter()
    for item in (item for item in page.items if isinstance(item, TextBox)):
        for paragraph, box in zip(item.paragraphs, _list_paragraph_boxes(item, typography), strict=True):
            name = paragraph.slot, "" if paragraph.slot else to_unicode(paragraph.text)
            counts[name] += 1
            yield (*name, counts[name]), (box.x, box.y)


def _identify_grid(item: GridBox) -> tuple[str, str, list[str], tuple[Label, ...], tuple[Label, ...]]:
    grid = item.grid
    return grid.style, to_unicode(grid.name), list_addresses(grid), grid.rows, grid.columns


def _list_measures(item: GridBox) -> tuple[float, ...]:
    box = item.box
    return box.x, box.y, box.w, box.h, item.cell_w, item.cell_h, item.header_w, item.header_h


def find_lines_on_key(sheet: Sheet, layout: Layout) -> Iterator[str]:
    """Name every page of a key with lines to calculate on: everything is worked there."""
    for page in layout.pages:
        if sheet.is_solved and any(isinstance(item, WorkingSpaceBox) for item in page.items):
            yield f"page {page.number} of a key has lines to calculate on"


def find_page_faults(sheet: Sheet, layout: Layout) -> list[str]:
    """Return all that is wrong with the pages of a sheet; an empty list for good ones."""
    is_large = sheet.options.large_print
    least, least_fraction = ((10.0, 10.5), (12.7, 10.5)) if is_large else ((7.0, 7.3), (8.9, 8.4))
    least_given = (8.8, 7.3) if is_large else (6.2, 5.2)
    return [
        *find_boxes_outside_paper(layout),
        *find_overlaps(layout),
        *find_overprints(layout),
        *find_small_cells(layout, least),
        *find_small_cells(layout, least_given, (GridStyle.GIVEN, GridStyle.COPY)),
        *find_short_rules(layout),
        *find_small_fraction_cells(sheet, layout, least_fraction),
        *find_wrong_boxes(layout),
        *find_long_labels(layout),
        *find_misplaced_factors(sheet, layout),
        *find_wrong_cells(sheet, layout),
        *find_lonely_headings(layout),
        *find_late_headings(layout),
        *find_tight_texts(layout),
        *find_stray_mark_boxes(sheet, layout),
        *find_lines_on_key(sheet, layout),
    ]
