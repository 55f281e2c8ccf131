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
from attnhand.layout.shape import Shape, filled, model_sheets, shape_of
from attnhand.layout.typography import LARGE_CELLS, LARGE_TYPE, PAPERS, REGULAR_CELLS, REGULAR_TYPE
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import marked_up, plain, width

COST_PAGE, COST_COPY, COST_STEP, COST_TURNED, COST_SEPARATE, COST_KEY_PAGE = 1.0, 1.0, 0.15, 0.3, 0.5, 0.35
"""What makes a layout worse: pages (those of the key alone less), matrices to copy, smaller cells, the other
orientation, V on a page of its own."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    setting: Setting
    separate: bool
    """Whether V is made in a run of its own."""

    cost: float


def lay_out(sheet: Sheet) -> Layout:
    """Return the pages of a sheet; the same geometry whether it is blank or solved.

    Sheets of one shape share the boxes of their model, so that nothing on a page moves with its numbers; a sheet
    whose numbers do not fit there is laid out for itself.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return laid_out_as_model(sheet) or laid_out_alone(sheet)


def laid_out_as_model(sheet: Sheet) -> Layout | None:
    """Return the pages of a sheet in the boxes of its model; None where it has none, or blank or key does not fit."""
    pages = model_pages(sheet)
    if pages is None:
        return None
    blank, key = filled(pages.blank, sheet.blank), filled(pages.key, sheet.key)
    return (key if sheet.solved else blank) if blank and key else None


@dataclass(frozen=True, slots=True)
class ModelPages:
    """Where everything stands on all sheets of one shape."""

    model: Sheet
    """The sheet that it was found for, solved."""

    blank: Layout
    key: Layout

    def hold(self, sheet: Sheet) -> bool:
        """Say whether a sheet's numbers fit, on blank and key."""
        return bool(filled(self.blank, sheet.blank) and filled(self.key, sheet.key))


def model_pages(sheet: Sheet) -> ModelPages | None:
    """Return the pages of the sheet that all of its shape are laid out like; None where it is laid out alone."""
    shape = shape_of(sheet)
    return None if shape is None else pages_of_shape(shape)


@lru_cache(maxsize=64)
def pages_of_shape(shape: Shape) -> ModelPages | None:
    """Lay out the first model whose boxes hold the numbers of all the others, else of most; None where none fits."""
    models = model_sheets(shape)
    best: ModelPages | None = None
    most = 0
    for model in models:
        try:
            pages = ModelPages(model, laid_out_alone(model.blank), laid_out_alone(model.key))
        except PageError:  # another sheet of this shape may fit all the same
            continue
        held = sum(map(pages.hold, models))
        if held > most:
            best, most = pages, held
        if held == len(models):
            break
    return best


def laid_out_alone(sheet: Sheet) -> Layout:
    """Return the pages of a sheet as its own numbers fit best.

    Raises:
        PageError: no layout is legible on this paper.
    """
    # the key holds more words, so it decides for both
    best = _best_attempt(sheet.key)
    return Composer(sheet, best.setting, panels(sheet, separate=best.separate)).compose()


def _best_attempt(key: Sheet) -> _Attempt:
    best: _Attempt | None = None
    lowest = float("inf")
    reasons: list[str] = []
    both = {separate: panels(key, separate=separate) for separate in (False, True)}
    for attempt in _attempts(key):
        composer = Composer(key, attempt.setting, both[attempt.separate])
        if attempt.cost + COST_PAGE * composer.least_pages >= lowest:
            continue
        try:
            pages = len(composer.compose().pages)
            if key.planted:  # wrong numbers may be longer than right ones
                Composer(key.blank, attempt.setting, panels(key.blank, separate=attempt.separate)).compose()
        except TooLargeError as reason:
            reasons.append(str(reason))
            continue
        handed_out = pages - composer.key_pages
        cost = attempt.cost + COST_PAGE * handed_out + COST_COPY * composer.copies
        cost += COST_KEY_PAGE * composer.key_pages
        if cost < lowest:
            found = replace(attempt.setting, air_at_the_end=composer.air_at_the_end)
            best, lowest = replace(attempt, setting=found), cost
    if best is None:
        raise PageError(_refusal(key, reasons))
    return best


def _attempts(sheet: Sheet) -> Iterator[_Attempt]:
    large = sheet.options.large_print
    width, height = PAPERS[sheet.options.paper]
    for step, cells in enumerate(LARGE_CELLS if large else REGULAR_CELLS):
        for turned, abreast, separate in product((False, True), (False, True), (False, True)):
            if (large and (abreast or not separate)) or (abreast and sheet.problem.mechanism.heads == 1):
                continue
            # two heads abreast lie the other way: what is half as wide is as long as ever
            unusual = turned is (sheet.is_rows is abreast)
            setting = Setting(
                width=height if turned else width,
                height=width if turned else height,
                cells=cells,
                rows=sheet.is_rows,
                typography=LARGE_TYPE if large else REGULAR_TYPE,
                one_product_a_page=large,
                abreast=abreast,
                word_room=word_room(sheet),
            )
            cost = COST_STEP * step + COST_TURNED * unusual + COST_SEPARATE * separate
            yield _Attempt(setting, separate, cost)


def word_room(sheet: Sheet) -> float:
    """Return what the longest word label, or what the longest role under it, needs beyond a label column."""
    labels = [plain(word) for word in sheet.problem.words] if not sheet.options.large_print else []
    roles = [marked_up(f"k_{{12}} {sheet.say(role)}") for role in ("asks", "answers")] if labels else []
    points = REGULAR_TYPE.label
    return max((width(text, points) - 3.0 for text in [*labels, *roles]), default=0.0)


def _refusal(sheet: Sheet, reasons: list[str]) -> str:
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
