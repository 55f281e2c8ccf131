"""Lay out a sheet: try every setting, and take the pages that cost least.

The cost of a layout is a number of pages, with something added for what makes it worse: two pages in smaller cells
(2 + 0.15) are better than three pages (3), but worse than two in regular cells (2).
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import inf

from attnhand.errors import PageError, name_option
from attnhand.layout.composer import Composer
from attnhand.layout.fill import fill_layout
from attnhand.layout.number_fit import FRACTION_SIZES
from attnhand.layout.page import GridBox, Layout
from attnhand.layout.setting import Setting, TooLargeError, list_cell_sizes, make_setting
from attnhand.layout.sheet_kind import SheetKind, find_sheet_kind, make_model_sheets
from attnhand.layout.typography import MIN_POINTS, WIDER_SIDE_MARGINS
from attnhand.sheet.document import Document, build_document
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.sheet import Sheet

COST_PAGE, COST_KEY_ONLY_PAGE = 1.0, 0.35
"""Of a page, and of one that only the key has."""

COST_COPY, COST_SEPARATE_FACTORS = 1.0, 0.5
"""Of a matrix to copy, and of V on another page than Z."""

COST_SMALLER_CELLS, COST_SMALL_NUMBERS = 0.15, 0.5
"""Of every step to smaller cells, and of numbers in them that are hard to read."""

COST_OTHER_ORIENTATION, COST_HEADS_APART = 0.3, 0.4
"""Of paper on its side where it usually stands, and of heads one after the other where two may stand side by side."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    setting: Setting
    has_separate_factors: bool
    """Whether V is made in another run than Z."""

    cost: float


def lay_out(sheet: Sheet) -> Layout:
    """Return the pages of a sheet; the same geometry whether it is blank or solved.

    Sheets of one kind share the boxes of their model, so that nothing on a page moves with its numbers; a sheet
    whose numbers do not fit there is laid out for itself.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return lay_out_like_model(sheet) or lay_out_without_model(sheet)


def lay_out_like_model(sheet: Sheet) -> Layout | None:
    """Return the pages of a sheet in the boxes of its model; None where it has none, or blank or key does not fit."""
    layouts = find_model_layouts(sheet)
    if layouts is None:
        return None
    blank, key = fill_layout(layouts.blank, sheet.blank), fill_layout(layouts.key, sheet.key)
    return (key if sheet.is_solved else blank) if blank and key else None


@dataclass(frozen=True, slots=True)
class ModelLayouts:
    """The layouts that all sheets of one kind share."""

    model: Sheet
    """The sheet that was laid out, solved."""

    blank: Layout
    key: Layout

    def fits_sheet(self, sheet: Sheet) -> bool:
        """Say whether a sheet's numbers fit, on blank and key."""
        return bool(fill_layout(self.blank, sheet.blank) and fill_layout(self.key, sheet.key))


def find_model_layouts(sheet: Sheet) -> ModelLayouts | None:
    """Return the layouts that a sheet shares with all of its kind; None where it shares none."""
    kind = find_sheet_kind(sheet)
    return None if kind is None else choose_model_layouts(kind)


@lru_cache(maxsize=64)
def choose_model_layouts(kind: SheetKind) -> ModelLayouts | None:
    """Return the layouts of the model whose boxes hold the numbers of most other models."""
    models = make_model_sheets(kind)
    best: ModelLayouts | None = None
    best_count = 0
    for model in models:
        try:
            layouts = ModelLayouts(model, *_lay_out_faces(model.blank, model.key))
        except PageError:  # another sheet of this kind may fit all the same
            continue
        fitting_count = sum(map(layouts.fits_sheet, models))
        if fitting_count > best_count:
            best, best_count = layouts, fitting_count
        if fitting_count == len(models):
            break
    return best


def lay_out_without_model(sheet: Sheet) -> Layout:
    """Return the pages of a sheet as its own numbers fit best.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return next(_lay_out_faces(sheet))


def _lay_out_faces(*faces: Sheet) -> Iterator[Layout]:
    """Yield the pages of a sheet and of its key: the key holds more text, so it decides for both."""
    best, key_document = _find_best_attempt(faces[0].key)
    for face in faces:
        document = key_document if face.is_solved else build_document(face, separate_factors=best.has_separate_factors)
        yield Composer(document, best.setting).compose_layout()


@lru_cache(maxsize=2)  # the blank sheet is laid out, then its key
def _find_best_attempt(key: Sheet) -> tuple[_Attempt, Document]:
    """Return the attempt that costs least, and the document of the key that it was made with."""
    best: _Attempt | None = None
    lowest = inf
    reasons: list[str] = []
    documents = {separate: build_document(key, separate_factors=separate) for separate in (False, True)}
    for attempt in _generate_attempts(key):
        try:
            composed, cost = _compose_attempt(attempt, documents[attempt.has_separate_factors], lowest)
        except TooLargeError as reason:
            reasons.append(str(reason))
            continue
        if cost < lowest:
            best, lowest = composed, cost
    if best is None:
        raise PageError(_write_refusal(key, reasons))
    document = documents[best.has_separate_factors]
    return _widen_margins(best, document, lowest), document


def _compose_attempt(attempt: _Attempt, document: Document, lowest: float) -> tuple[_Attempt, float]:
    """Return an attempt with what its pages were composed with, and its cost; infinite where others cost less.

    Raises:
        TooLargeError: it does not fit.
    """
    key, composer = document.sheet, Composer(document, attempt.setting)
    if attempt.cost + COST_PAGE * composer.min_page_count >= lowest:
        return attempt, inf
    layout = composer.compose_layout()
    if key.planted_mistake:  # its blank, with wrong numbers that may be longer, has to fit as well: else it is refused
        blank = build_document(key.blank, separate_factors=attempt.has_separate_factors)
        Composer(blank, attempt.setting).compose_layout()
    blank_page_count = len(layout.pages) - composer.key_only_page_count
    cost = attempt.cost + COST_PAGE * blank_page_count + COST_COPY * composer.copy_count
    cost += COST_KEY_ONLY_PAGE * composer.key_only_page_count
    if cost < lowest and any(_has_small_numbers(layout)):
        cost += COST_SMALL_NUMBERS
    setting = replace(attempt.setting, last_page_extra_gap=composer.last_page_extra_gap, closing=composer.closing)
    return replace(attempt, setting=setting), cost


def _widen_margins(best: _Attempt, document: Document, cost: float) -> _Attempt:
    """Return the best attempt with wider margins, where its pages then cost no more."""
    if best.setting.has_one_product_per_page:  # large type needs the paper's width
        return best
    for margin in WIDER_SIDE_MARGINS:
        setting = replace(best.setting, side_margin=margin, last_page_extra_gap=None, closing=None)
        with suppress(TooLargeError):
            wider, wider_cost = _compose_attempt(replace(best, setting=setting), document, inf)
            if wider_cost <= cost:
                return wider
    return best


def _generate_attempts(sheet: Sheet) -> Iterator[_Attempt]:
    large, head_count = sheet.options.large_print, sheet.problem.mechanism.head_count
    for step, cell_sizes in enumerate(list_cell_sizes(sheet)):
        for is_landscape, has_two_heads, is_separate in product((False, True), (False, True), (False, True)):
            if (large and (has_two_heads or not is_separate)) or (has_two_heads and head_count == 1):
                continue
            # with tokens as columns one head stands upright, two side by side need a page on its side
            is_unusual = is_landscape is (sheet.convention.is_rows is has_two_heads)
            cost = COST_SMALLER_CELLS * step + COST_OTHER_ORIENTATION * is_unusual + COST_SEPARATE_FACTORS * is_separate
            cost += COST_HEADS_APART * (head_count > 1 and not has_two_heads and not large)
            setting = make_setting(sheet, cell_sizes, is_landscape=is_landscape, has_two_heads_per_page=has_two_heads)
            yield _Attempt(setting, is_separate, cost)


def _has_small_numbers(layout: Layout) -> Iterator[bool]:
    """Yield for every number that is set smaller whether it, or a part of it, is smaller than small print."""
    type_ = layout.typography
    boxes = (item for page in layout.pages for item in page.items if isinstance(item, GridBox))
    for box in (box for box in boxes if not box.grid.style.is_small and box.grid.style is not GridStyle.HEAT):
        for number in (cell.number for row in box.grid.cells for cell in row if cell.number):
            percent = box.find_number_percent(number, type_)
            share = FRACTION_SIZES[box.is_tight] if number.is_fraction else 1.0
            yield percent < 100 and type_.cell_points * share * percent / 100 < MIN_POINTS


def _write_refusal(sheet: Sheet, reasons: list[str]) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in sheet.problem.sizes.items())
    paper = "A4" if sheet.options.paper == "a4" else "Letter"
    if sheet.options.large_print:
        return (
            f"in large print a sheet of {sizes} does not fit {paper} ({reasons[0]}): large print reaches 4 tokens with "
            "6 features and d_k, d_v of 3 in self-attention, less in other mechanisms; choose smaller sizes, such as "
            f"{name_option('level', 'warm-up')}, or ask fewer {name_option('only_queries')}"
        )
    return (
        f"a sheet of {sizes} cannot be printed legibly on {paper} ({reasons[-1]}): "
        f"choose smaller sizes, or ask fewer {name_option('only_queries')}"
    )
