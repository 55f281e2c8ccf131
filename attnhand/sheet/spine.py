"""Where the spine stands across a page: behind the factors of its products, with room for words on both sides."""

from dataclasses import dataclass

from attnhand.sheet.figure_size import EXACT_EDGE
from attnhand.sheet.grids import Look
from attnhand.sheet.measures import LEAST_AFTER, LEAST_BEFORE, LEAST_SPINE
from attnhand.sheet.panel import Panel
from attnhand.sheet.sizing import Band, Setting, TooLargeError
from attnhand.sheet.writing import PAD

NARROWEST_EXACT = 8.0
"""No cell of exact values is narrower, in millimetres."""

LEAST_BESIDE = 36.0
"""Words before a factor have at least this room, or stand behind the product where there is more."""

LEAST_AFTER_WISH = 48.0
"""What a wish for room before the spine leaves behind it, for words; more where exact values stand there."""


@dataclass(frozen=True, slots=True)
class Across:
    """What panels take across one page, in millimetres."""

    setting: Setting
    fraction: bool
    """Whether a panel of this page holds fractions."""

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell on the spine."""
        return self.setting.cell(fraction=self.fraction)

    @property
    def side_cell(self) -> tuple[float, float]:
        """Width and height of a cell of a factor before the spine."""
        return self.setting.cell(fraction=self.fraction, side=True)

    @property
    def over_cell(self) -> tuple[float, float]:
        """Width and height of a cell of a factor on the spine."""
        return self.setting.cell(fraction=self.fraction, over=True)

    @property
    def made_over_cell(self) -> tuple[float, float]:
        """Width and height of a cell over V, whose columns (rows) are as wide as those of a side factor."""
        side, over = self.side_cell, self.over_cell
        return (over[0], side[1]) if self.setting.rows else (side[0], over[1])

    def before(self, panel: Panel) -> float:
        """Return what a panel's factors take before the spine."""
        side = self.setting.across(panel.side, self.side_cell) if panel.side else 0.0
        if panel.made and panel.made.side:
            side += self.setting.across(panel.made.side, self.side_cell)
        return side

    def labels_before(self, panel: Panel) -> float:
        """Return what words on the rows of the outermost grid take beyond its label column."""
        has_words = panel.side is None or panel.side.look is not Look.GIVEN
        return 0.0 if self.setting.rows or panel.made or not has_words else self.setting.word_room

    def an_exact_cell(self, panel: Panel) -> float:
        """Return how wide a cell must be for the panel's exact values."""
        return panel.exact_width * self.setting.typography.exact + EXACT_EDGE


def spine_at(takes: Across, bands: tuple[Band, ...], across: tuple[float, float], spine: float) -> float:
    """Return where the spine begins.

    Args:
        takes: what the panels of the page take.
        bands: those panels along the page.
        across: from where to where the page may be used, in millimetres.
        spine: how wide the spine is.

    Raises:
        TooLargeError: factors and spine have no room side by side.
    """
    setting, (begin, end) = takes.setting, across
    before = max(takes.before(band.panel) + takes.labels_before(band.panel) for band in bands)
    words_before = any(band.panel.side is None for band in bands)
    if not setting.rows and (wished := _wished_before(takes, bands)) <= end - begin - spine - _least_after(
        takes, bands
    ):
        before = max(before, wished)
    if words_before:
        before = max(before, LEAST_BEFORE[setting.rows] * setting.scale)
    needs_after = any(band.panel.side and not band.panel.made for band in bands) and not setting.one_product_a_page
    room = end - begin - spine - (LEAST_AFTER[setting.rows] * setting.scale if needs_after else 0.0)
    if before > room + 1e-6:
        side = "height" if setting.rows else "width"
        raise TooLargeError(f"its {side} is {before - room:.0f} mm more than the page has")
    if words_before and not needs_after and not setting.rows:
        before = max(before, min(room, end - begin - LEAST_SPINE))  # the room goes to the working space
    return begin + before


def _wished_before(takes: Across, bands: tuple[Band, ...]) -> float:
    """Return the room before the spine with which every heading stands at the left edge of the page."""
    factors = (
        takes.before(band.panel) + takes.labels_before(band.panel)
        for band in bands
        if band.panel.heading and band.panel.side and not band.draws_over
    )
    return max((taken + LEAST_BESIDE for taken in factors), default=0.0)


def _least_after(takes: Across, bands: tuple[Band, ...]) -> float:
    """Return the room that a wish for room before the spine leaves behind it."""
    exact = (
        PAD + panel.grid.width * max(NARROWEST_EXACT, takes.an_exact_cell(panel))
        for panel in (band.panel for band in bands)
        if panel.reserves_exact and not panel.side
    )
    return max([LEAST_AFTER_WISH, *exact])
