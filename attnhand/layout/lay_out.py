"""From panels to pages: where every box stands, in millimetres.

Written once for both conventions. One query's numbers travel *along* the page: down it where tokens are columns,
across it where they are rows. A product's side factor stands *before* it, crosswise: left of it, or above it.
The stages that a query passes through form the *spine*; everything else is placed beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from attnhand.errors import PageError
from attnhand.layout.composer import Composer
from attnhand.layout.page import Layout
from attnhand.layout.setting import Setting, TooLargeError
from attnhand.layout.shape import SheetShape, fill_layout, find_shape, make_model_sheets
from attnhand.layout.typography import (
    LARGE_CELL_SIZES,
    LARGE_TYPOGRAPHY,
    PAPER_SIZES,
    REGULAR_CELL_SIZES,
    REGULAR_TYPOGRAPHY,
)
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import make_plain_text, measure_width, parse_markup

COST_PAGE, COST_COPY, COST_SMALLER_CELLS, COST_OTHER_ORIENTATION, COST_SEPARATE_FACTORS, COST_KEY_ONLY_PAGE = (
    1.0,
    1.0,
    0.15,
    0.3,
    0.5,
    0.35,
)
"""What makes a layout worse: pages (those of the key alone less), matrices to copy, smaller cells, the other
orientation, V on a page of its own."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    setting: Setting
    has_separate_factors: bool
    """Whether V is made in a run of its own."""

    cost: float


def lay_out(sheet: Sheet) -> Layout:
    """Return the pages of a sheet; the same geometry whether it is blank or solved.

    Sheets of one shape share the boxes of their model, so that nothing on a page moves with its numbers; a sheet
    whose numbers do not fit there is laid out for itself.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return lay_out_like_model(sheet) or lay_out_without_model(sheet)


def lay_out_like_model(sheet: Sheet) -> Layout | None:
    """Return the pages of a sheet in the boxes of its model; None where it has none, or blank or key does not fit."""
    pages = find_model_layouts(sheet)
    if pages is None:
        return None
    blank, key = fill_layout(pages.blank, sheet.blank), fill_layout(pages.key, sheet.key)
    return (key if sheet.is_solved else blank) if blank and key else None


@dataclass(frozen=True, slots=True)
class ModelLayouts:
    """Where everything stands on all sheets of one shape."""

    model: Sheet
    """The sheet that it was found for, solved."""

    blank: Layout
    key: Layout

    def fits_sheet(self, sheet: Sheet) -> bool:
        """Say whether a sheet's numbers fit, on blank and key."""
        return bool(fill_layout(self.blank, sheet.blank) and fill_layout(self.key, sheet.key))


def find_model_layouts(sheet: Sheet) -> ModelLayouts | None:
    """Return the pages of the sheet that all of its shape are laid out like; None where it is laid out alone."""
    shape = find_shape(sheet)
    return None if shape is None else choose_model_layouts(shape)


@lru_cache(maxsize=64)
def choose_model_layouts(shape: SheetShape) -> ModelLayouts | None:
    """Lay out the first model whose boxes hold the numbers of all the others, else of most; None where none fits."""
    models = make_model_sheets(shape)
    best: ModelLayouts | None = None
    most = 0
    for model in models:
        try:
            pages = ModelLayouts(model, lay_out_without_model(model.blank), lay_out_without_model(model.key))
        except PageError:  # another sheet of this shape may fit all the same
            continue
        held = sum(map(pages.fits_sheet, models))
        if held > most:
            best, most = pages, held
        if held == len(models):
            break
    return best


def lay_out_without_model(sheet: Sheet) -> Layout:
    """Return the pages of a sheet as its own numbers fit best.

    Raises:
        PageError: no layout is legible on this paper.
    """
    # the key holds more words, so it decides for both
    best = _find_best_attempt(sheet.key)
    return Composer(
        sheet, best.setting, build_panels(sheet, separate_factors=best.has_separate_factors)
    ).compose_layout()


def _find_best_attempt(key: Sheet) -> _Attempt:
    best: _Attempt | None = None
    lowest = float("inf")
    reasons: list[str] = []
    both = {separate: build_panels(key, separate_factors=separate) for separate in (False, True)}
    for attempt in _generate_attempts(key):
        composer = Composer(key, attempt.setting, both[attempt.has_separate_factors])
        if attempt.cost + COST_PAGE * composer.min_page_count >= lowest:
            continue
        try:
            pages = len(composer.compose_layout().pages)
            if key.planted_mistake:  # wrong numbers may be longer than right ones
                Composer(
                    key.blank, attempt.setting, build_panels(key.blank, separate_factors=attempt.has_separate_factors)
                ).compose_layout()
        except TooLargeError as reason:
            reasons.append(str(reason))
            continue
        handed_out = pages - composer.key_only_page_count
        cost = attempt.cost + COST_PAGE * handed_out + COST_COPY * composer.copy_count
        cost += COST_KEY_ONLY_PAGE * composer.key_only_page_count
        if cost < lowest:
            found = replace(attempt.setting, last_page_extra_gap=composer.last_page_extra_gap)
            best, lowest = replace(attempt, setting=found), cost
    if best is None:
        raise PageError(_write_refusal(key, reasons))
    return best


def _generate_attempts(sheet: Sheet) -> Iterator[_Attempt]:
    large = sheet.options.large_print
    width, height = PAPER_SIZES[sheet.options.paper]
    for step, cells in enumerate(LARGE_CELL_SIZES if large else REGULAR_CELL_SIZES):
        for turned, abreast, separate in product((False, True), (False, True), (False, True)):
            if (large and (abreast or not separate)) or (abreast and sheet.problem.mechanism.head_count == 1):
                continue
            # two heads abreast lie the other way: what is half as wide is as long as ever
            unusual = turned is (sheet.tokens_as_rows is abreast)
            setting = Setting(
                width=height if turned else width,
                height=width if turned else height,
                cell_sizes=cells,
                is_rows=sheet.tokens_as_rows,
                typography=LARGE_TYPOGRAPHY if large else REGULAR_TYPOGRAPHY,
                has_one_product_per_page=large,
                has_two_heads_per_page=abreast,
                label_overhang=measure_label_overhang(sheet),
            )
            cost = COST_SMALLER_CELLS * step + COST_OTHER_ORIENTATION * unusual + COST_SEPARATE_FACTORS * separate
            yield _Attempt(setting, separate, cost)


def measure_label_overhang(sheet: Sheet) -> float:
    """Return what the longest word label, or what the longest role under it, needs beyond a label column."""
    labels = [make_plain_text(word) for word in sheet.problem.words] if not sheet.options.large_print else []
    roles = [parse_markup(f"k_{{12}} {sheet.say(role)}") for role in ("asks", "answers")] if labels else []
    points = REGULAR_TYPOGRAPHY.label_points
    return max((measure_width(text, points) - 3.0 for text in [*labels, *roles]), default=0.0)


def _write_refusal(sheet: Sheet, reasons: list[str]) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in sheet.problem.sizes.items())
    paper = "A4" if sheet.options.paper == "a4" else "Letter"
    if sheet.options.large_print:
        return (
            f"in large print a sheet of {sizes} does not fit {paper} ({reasons[0]}): large print reaches 4 tokens with "
            "6 features and d_k, d_v of 3 in self-attention, less in other mechanisms; choose smaller sizes, such as "
            "--level warm-up, or ask fewer --queries"
        )
    return (
        f"a sheet of {sizes} cannot be printed legibly on {paper} ({reasons[-1]}): "
        "choose smaller sizes, or ask fewer --queries"
    )
