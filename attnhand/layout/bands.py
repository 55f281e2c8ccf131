"""The panels of a page as bands: how much of the query column each takes, and where its words stand.

The words of a panel stand together: its heading with the formula, what the stage is for, how it is done. Nothing of
them stands below the grids of their panel, or behind them.

The query column is the strip of the page in which the products stand, one behind the other. Along it goes down the
page, across it to the right; where tokens are rows, along it goes to the right and across it down. Before it, to its
left or above it, stand words and side factors.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf

from attnhand.layout.number_fit import EXACT_CELL_INSET
from attnhand.layout.page import CAPTION_OVERRUN, Paragraph, is_long_name, measure_text_height
from attnhand.layout.panel_text import list_sums_on_key, make_exact_caption, make_words
from attnhand.layout.setting import EXACT_HEADER_HEIGHT, Setting, TooLargeError
from attnhand.layout.typography import MAX_TEXT_WIDTH, MIN_TEXT_WIDTH, TEXT_GAP, UNIT, ParagraphStyle
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import format_open_guess
from attnhand.sheet.slots import SlotKind
from attnhand.text.widths import measure_longest_word

MIN_EXACT_CELL_WIDTH, MAX_EXACT_CELL_WIDTH = 8.0, 9.5
"""Of exact values before the query column, in millimetres."""

EXACT_ROW_HEIGHT = 5.5
"""Of exact values above the query column, where tokens are rows."""

MAX_TEXT_ABOVE_FACTOR = 46.0
"""Words above a side factor are no higher than this, where tokens are rows and the page may be made wider."""

MIN_WIDTH_SHARE_IN_ROWS = 0.4
"""Words above a narrow product may be narrower than other words."""

WORDS_GAP_IN_ROWS = 2.5
"""Between words and what stands right of them, where tokens are rows."""

HEADING_GAP = 5.0
"""Above a heading, where panels stand one under the other: a rule stands in it."""

MAX_WIDENING_STEPS = 40
"""How often the room for words is widened by one unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of a panel, and where they stand beside its product."""

    paragraphs: tuple[Paragraph, ...]
    along: float
    """How far before the product's labels they begin, along the query column; less than 0 behind."""

    across: float
    """How far before the query column they begin, across it."""

    width: float
    height: float
    """On the key, which says more than the blank."""

    continued: "Words | None" = None
    """The last of them, which stand beside the product: large type has no room for all beside its factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One panel on a page: where it begins and ends along the query column."""

    panel: Panel
    start: float
    """Where the product's labels begin, from the beginning of the query column."""

    end: float
    lead: float
    """Room before the product, along the query column, for its factors and what stands above them."""

    is_query_factor_drawn: bool
    words: Words
    before: float
    """Room across the page, before the query column, for factors, words and exact values."""


class WordsMeasurer:
    """Measures the words of a sheet's panels, each once: a page is arranged anew for every panel that may go on it."""

    def __init__(self, setting: Setting) -> None:
        self.typography, self.is_rows = setting.typography, setting.is_rows
        self.min_width = MIN_TEXT_WIDTH * (MIN_WIDTH_SHARE_IN_ROWS if setting.is_rows else 1.0)
        self.max_width = MAX_TEXT_WIDTH * setting.type_scale
        self._words: dict[int, tuple[tuple[Paragraph, ...], float]] = {}
        self._heights: dict[tuple[int, float], float] = {}

    def list_words(self, panel: Panel) -> tuple[Paragraph, ...]:
        """Return the words of a panel."""
        return self._get_words(panel)[0]

    def _get_words(self, panel: Panel) -> tuple[tuple[Paragraph, ...], float]:
        """Return the words of a panel, and how wide the longest one is."""
        if id(panel) not in self._words:
            words, points = tuple(make_words(panel)), self.typography.paragraph_points
            texts = [(each.text, points[each.style]) for each in _open_guess(panel, words)]
            longest = max((measure_longest_word(*text) * 1.02 for text in texts), default=0.0)
            self._words[id(panel)] = words, longest
        return self._words[id(panel)]

    def measure(self, panel: Panel, width: float) -> float:
        """Return how high words are in so many millimetres, on the key and so on the blank too; inf if too narrow."""
        width = round(min(width, self.max_width), 6)
        key = id(panel), width
        if key not in self._heights:
            words, longest = self._get_words(panel)
            fits = width >= max(longest, self.min_width)
            self._heights[key] = self.measure_paragraphs(panel, words, width) if fits else inf
        return self._heights[key]

    def measure_paragraphs(
        self, panel: Panel, words: tuple[Paragraph, ...], width: float, *, is_end: bool = True
    ) -> float:
        """Return how high some words of a panel are, with what the key says at their end and the blank does not."""
        type_, both = self.typography, _open_guess(panel, words)
        if is_end and not any(_has_slot(each, SlotKind.SUMS) for each in words):
            both += [Paragraph(text, ParagraphStyle.SMALL) for text in list_sums_on_key(panel)]
        return measure_text_height(both, type_, width) if both else 0.0


def _open_guess(panel: Panel, words: tuple[Paragraph, ...]) -> list[Paragraph]:
    """Return the words of a panel as they are on the blank: with a writing line for the guess."""
    guess = panel.guess
    return [
        replace(each, text=format_open_guess(guess)) if guess and _has_slot(each, SlotKind.GUESS) else each
        for each in words
    ]


def _has_slot(paragraph: Paragraph, kind: SlotKind) -> bool:
    return paragraph.slot is not None and paragraph.slot.kind is kind


class BandArranger:
    """Arranges panels one after the other along the query column of a page.

    Example, tokens as columns, 4 tokens and features, cells of 11 × 8 mm and labels of 6 mm: S continues Q, so X is
    drawn but Q is not drawn again::

        X       0 to 38   6 + 4 × 8: the lead of the first band
        Q      38 to 68   6 + 3 × 8
        S      70 to 108  6 + 4 × 8
    """

    def __init__(self, setting: Setting, panels: list[Panel], words: WordsMeasurer, header_bottom: float) -> None:
        """Take the panels of a page, or of a strip of it, whose header ends at a height in millimetres."""
        self.setting, self.panels, self.words = setting, panels, words

        # cells as (width, height); all panels of a page have cells of one size
        find_cell_size = partial(setting.find_cell_size, has_fractions=any(panel.has_fractions for panel in panels))
        self.cell_size = find_cell_size()
        """Of products, in the query column."""

        self.side_cell_size = side = find_cell_size(is_side_factor=True)
        """Of side factors: W_Q, Kᵀ, V."""

        self.query_cell_size = query = find_cell_size(is_query_factor=True)
        """Of query factors: X above Q."""

        self.side_query_cell_size = (query[0], side[1]) if setting.is_rows else (side[0], query[1])
        """Of X above V; its columns (rows) are as wide as those of V."""

        (along_begin, along_end), (across_begin, across_end) = setting.find_spans(header_bottom)
        self.length = along_end - along_begin
        """Of the query column."""

        self.column_width = max((setting.measure_across(panel.grid, self.cell_size) for panel in panels), default=0.0)
        self.max_before = across_end - across_begin - self.column_width
        """Room before the query column: the column stands at the far edge, or nearer where that is enough."""

    # across the page

    def measure_factors_before(self, panel: Panel) -> float:
        """Return how wide a panel's side factors are together."""
        inner = self._measure_side_factor(panel.side_panel) if panel.side_panel else 0.0
        return self._measure_side_factor(panel) + inner

    def _measure_side_factor(self, panel: Panel) -> float:
        return self.setting.measure_across(panel.side_factor, self.side_cell_size) if panel.side_factor else 0.0

    def measure_labels_before(self, panel: Panel) -> float:
        """Return how far words on rows run on beyond the label column of the outermost grid."""
        is_given = panel.side_factor is not None and panel.side_factor.style is GridStyle.GIVEN
        if self.setting.is_rows or panel.side_panel:
            return 0.0
        return self.setting.measure_feature_overhang(panel.side_factor) if is_given else self.setting.label_overhang

    def measure_space_before(self, panel: Panel) -> float:
        """Return how wide side factors and the words on their rows are together."""
        return self.measure_factors_before(panel) + self.measure_labels_before(panel)

    def measure_exact_cell_width(self, panel: Panel) -> float:
        """Return how wide a cell must be for the panel's exact values."""
        return panel.exact_width * self.setting.typography.exact_points + EXACT_CELL_INSET

    def find_exact_cell_size(self, panel: Panel) -> float:
        """Return how far one query's exact values reach before the query column; 0 where they have no room there.

        So wide is a column of cells, or so high a row where tokens are rows.
        """
        if not panel.has_exact_on_key or panel.side_factor or self.setting.has_one_product_per_page:
            return 0.0
        needed = self.measure_exact_cell_width(panel)
        if self.setting.is_rows:
            return EXACT_ROW_HEIGHT if self.cell_size[0] >= needed else 0.0
        room = self.max_before - self.measure_labels_before(panel) - MIN_TEXT_WIDTH - 2 * TEXT_GAP
        room -= measure_exact_corner(self.setting, panel)
        size = min(max(min(self.cell_size[0], MAX_EXACT_CELL_WIDTH), needed), room / panel.grid.column_count)
        return size if size >= max(MIN_EXACT_CELL_WIDTH, needed) else 0.0

    def measure_exact_before(self, panel: Panel) -> float:
        """Return the room across the page that exact values before the query column take."""
        size = self.find_exact_cell_size(panel)
        if not size:
            return 0.0
        if self.setting.is_rows:
            return panel.grid.row_count * size + EXACT_HEADER_HEIGHT + UNIT
        return measure_exact_corner(self.setting, panel) + panel.grid.column_count * size + TEXT_GAP

    @cached_property
    def before(self) -> float:
        """Where the query column begins: how much room is before it across the page.

        Raises:
            TooLargeError: factors and query column do not fit side by side.
        """
        needed = max(self.measure_space_before(panel) for panel in self.panels)
        if needed <= self.max_before + 1e-6 and self.setting.is_rows:
            needed = max(band.before for band in self._arranged)
        if needed > self.max_before + 1e-6:
            side = "height" if self.setting.is_rows else "width"
            raise TooLargeError(f"its {side} is {needed - self.max_before:.0f} mm more than the page has")
        return needed if self.setting.is_rows else self.max_before

    # along the query column

    @cached_property
    def _arranged(self) -> tuple[Band, ...]:
        return tuple(self._arrange())

    def arrange(self) -> tuple[Band, ...]:
        """Return the bands.

        Raises:
            TooLargeError: the page is too narrow for them.
        """
        assert self.before >= 0
        return self._arranged

    def _arrange(self) -> Iterator[Band]:
        setting, names, at = self.setting, set(), 0.0
        previous: Panel | None = None
        for panel in self.panels:
            draws_factor = panel.query_factor is not None and panel.query_factor_name not in names
            factors = self._measure_query_factors(panel, draws_factor=draws_factor)
            if setting.is_rows and previous is None:
                first = [panel.query_factor] if draws_factor else [panel.side_factor, panel.grid]
                has_long_name = any(grid and is_long_name(grid.name) for grid in first)
                factors += max(setting.label_overhang, UNIT * setting.type_scale**3 * has_long_name)
            fit = self._fit_words_in_rows if setting.is_rows else self._fit_words_in_columns
            lead, length, words = fit(panel, factors, has_factor=draws_factor or panel.side_panel is not None)
            gap = self._find_gap(panel, previous) if previous else 0.0
            if setting.is_rows and previous and not gap:  # keep clear of the bracket of the factor before
                words = replace(words, along=words.along - 1.25 * UNIT)
            start = at + gap + lead
            at = start + length
            exact = 0.0 if panel.stage.facts.has_working_space else self.measure_exact_before(panel)
            yield Band(
                panel=panel,
                start=start,
                end=at,
                lead=lead,
                is_query_factor_drawn=draws_factor,
                words=words,
                before=max(self.measure_space_before(panel), words.across + exact),
            )
            names |= {panel.stage.name, panel.query_factor_name}
            previous = panel

    def _find_gap(self, panel: Panel, previous: Panel) -> float:
        """Return the room between two bands: a heading is nearer to its own grids than to those before."""
        is_tied = panel.query_factor_name == previous.stage.name
        if self.setting.is_rows:
            # a long name runs on to the left, above which text stands
            is_long = self.setting.label_overhang > 0 and is_long_name(panel.grid.name)
            # so does the name of a factor below what the stage before it has above its words
            touches = previous.has_exact_on_key and not previous.side_factor and panel.side_factor is not None
            # and K⁽²⁾ᵀ, a little, over the factor of the stage before
            runs_on = panel.side_factor is not None and is_long_name(panel.side_factor.name)
            return (UNIT * runs_on if is_tied and not touches else 2 * UNIT) + 2 * UNIT * is_long
        return HEADING_GAP if panel.heading else UNIT if is_tied else 2 * UNIT

    def _measure_query_factors(self, panel: Panel, *, draws_factor: bool) -> float:
        """Return the room along the query column that the factors before a product take."""
        measure = self.setting.measure_along
        length = measure(panel.query_factor, self.query_cell_size) if draws_factor and panel.query_factor else 0.0
        if panel.side_panel and panel.side_panel.query_factor:
            length = max(length, measure(panel.side_panel.query_factor, self.side_query_cell_size))
        return length

    def _fit_words_in_columns(self, panel: Panel, factors: float, *, has_factor: bool) -> tuple[float, float, Words]:
        """Return lead, length and words of a band that goes down the page: words stand left of its grids, or above.

        Four places are tried; the shortest band is taken, and the first of those equally short::

                  X           X      words X      words words
            words X     words X            X                X
              W_K K     words K        W_K K            W_K K
        """
        setting, room = self.setting, self.max_before
        grid = setting.measure_along(panel.grid, self.cell_size) + setting.measure_sums_row(panel)
        if setting.has_one_product_per_page:  # its mark box stands below
            grid += setting.mark_size[1]
        named = panel.side_panel.query_factor if panel.side_panel else panel.query_factor
        side = self._measure_side_factor(panel) if panel.side_panel else 0.0
        corner = room - side - TEXT_GAP - (setting.measure_feature_overhang(named) if has_factor else 0.0)
        beside = room - self.measure_space_before(panel) - self.measure_exact_before(panel) - TEXT_GAP
        whole = room + self.column_width
        paragraphs, measure = self.words.list_words(panel), partial(self.words.measure, panel)
        places: list[tuple[float, float, float]] = []  # lead, length, width
        if has_factor:
            places.append((max(factors, measure(corner)), grid, corner))
            narrow = min(corner, beside)
            places.append((factors, max(grid, measure(narrow) - factors), narrow))
        else:
            places.append((0.0, max(grid, measure(beside)), beside))
        places.append((factors + measure(whole) + UNIT, grid, whole))
        lead, length, width = min(places, key=lambda place: place[0] + place[1])
        if lead + length == inf:
            raise TooLargeError(f"there is no room for the words beside {panel.stage.name}")
        width = min(width, MAX_TEXT_WIDTH * setting.type_scale)
        words = Words(paragraphs=paragraphs, along=lead, across=room, width=width, height=measure(width))
        if has_factor and setting.has_one_product_per_page and lead + length > self.length:
            split = self._split_words(panel, (self.length - grid, grid), (corner, min(corner, beside)))
            if split:
                lead = max(factors, split.height)
                return lead, grid, replace(split, along=lead)
        return lead, length, words

    def _split_words(self, panel: Panel, heights: tuple[float, float], widths: tuple[float, float]) -> Words | None:
        """Return words beside the factor above a product and, continued, beside the product; None without room."""
        paragraphs, measure = self.words.list_words(panel), self.words.measure_paragraphs
        end = next((at for at, each in enumerate(paragraphs) if _has_slot(each, SlotKind.SUMS)), len(paragraphs))
        for count in range(end - 1, 0, -1):
            parts = paragraphs[:count], paragraphs[count:]
            measured = measure(panel, parts[0], widths[0], is_end=False), measure(panel, parts[1], widths[1])
            if measured[0] <= heights[0] and measured[1] <= heights[1]:
                first, rest = (
                    Words(paragraphs=part, along=0.0, across=self.max_before, width=width, height=height)
                    for part, width, height in zip(parts, widths, measured, strict=True)
                )
                return replace(first, continued=rest)
        return None

    def _fit_words_in_rows(self, panel: Panel, factors: float, *, has_factor: bool) -> tuple[float, float, Words]:
        """Return lead, length and words of a band that goes to the right: words stand above its grids.

        Where a query factor is drawn (X), they stand above it, beside the side factor; else above the product::

            |- lead -|- length -|     |- length -|
             words      W_K              words
             words      W_K               W_Q         words
               X         K                 Q          scaled

        Args:
            factors: how long the query factors before the product are, which the lead has room for.
            has_factor: whether there is one, for the words to stand above.
        """
        grid = self.setting.measure_along(panel.grid, self.cell_size)
        below = self._measure_below_words(panel, has_factor=has_factor)
        # exact values stand above words; but below them where one calculates, and in the lead they have no place
        above = 0.0 if has_factor or panel.stage.facts.has_working_space else self.measure_exact_before(panel)

        # 1. as narrow as the grids below allow; wider where words would else reach too far up, or beyond the page
        reaches = (self._find_words_reach(panel, below, above, has_factor=has_factor), self.max_before)
        max_heights = [reach - below - UNIT - above for reach in reaches]
        width = self._find_words_width(panel, factors if has_factor else grid, max_heights)

        # 2. from the query column up: what is below the words, a gap, the words
        text_width = width - WORDS_GAP_IN_ROWS
        height = self.words.measure(panel, text_width)
        top = below + UNIT + height
        if has_factor:
            lead, length, along, top = width, grid, width, max(top, self.measure_factors_before(panel))
        else:
            lead, length, along = factors, max(grid, width), 0.0
        paragraphs = self.words.list_words(panel)
        return lead, length, Words(paragraphs=paragraphs, along=along, across=top, width=text_width, height=height)

    def _measure_below_words(self, panel: Panel, *, has_factor: bool) -> float:
        """Return how high grids stand between the query column and the words above them, where tokens are rows."""
        setting = self.setting
        if has_factor:  # X stands in the query column, right below the words; X of V stands above its W_V
            drawn = panel.side_panel.query_factor if panel.side_panel else panel.query_factor
            side = self._measure_side_factor(panel) if panel.side_panel else 0.0
            return side + setting.measure_word_overhang(drawn, self.cell_size)
        exact = self.measure_exact_before(panel) * panel.stage.facts.has_working_space
        overhang = setting.measure_word_overhang(panel.side_factor, self.side_cell_size)
        return self.measure_factors_before(panel) + exact + overhang

    def _find_words_reach(self, panel: Panel, below: float, above: float, *, has_factor: bool) -> float:
        """Return how far up from the query column a panel should reach, its words and what is below and above them.

        Where tokens are rows, words may be as high as ``MAX_TEXT_ABOVE_FACTOR`` above the highest side factor of the
        page. Above a product without factors that limit counts from the product: they stand beside the factors of its
        neighbours.
        """
        highest_factors = max(map(self.measure_factors_before, self.panels))
        max_height = MAX_TEXT_ABOVE_FACTOR * self.setting.type_scale
        if has_factor or self.measure_factors_before(panel):
            return min(self.max_before, max(highest_factors, below + above) + max_height)
        return min(self.max_before, max(highest_factors, above + below + max_height))

    def _find_words_width(self, panel: Panel, least: float, max_heights: Sequence[float]) -> float:
        """Return how wide the room for words must be to hold them in the first of these heights, else in the next.

        Raises:
            TooLargeError: in any room that is tried they are higher.
        """
        widths = [least + UNIT * step for step in range(int(MAX_WIDENING_STEPS * self.setting.type_scale))]
        for max_height in max_heights:
            for width in widths:
                if self.words.measure(panel, width - WORDS_GAP_IN_ROWS) <= max_height + 1e-6:
                    return width
        raise TooLargeError(f"there is no room for the words above {panel.stage.name}")


def align_bands(strips: Sequence[tuple[Band, ...]]) -> list[tuple[Band, ...]]:
    """Move the bands of heads side by side so that a stage of one stands in line with the same stage of the other."""
    aligned: list[list[Band]] = [[] for _ in strips]
    end = 0.0
    for at, bands in enumerate(zip(*strips, strict=True)):
        ends_before = [strip[at - 1].end if at else 0.0 for strip in strips]
        start = end + max(band.start - before for band, before in zip(bands, ends_before, strict=True))
        end = start + max(band.end - band.start for band in bands)
        for strip, band in zip(aligned, bands, strict=True):
            strip.append(replace(band, start=start, end=end))
    return [tuple(strip) for strip in aligned]


def space_out_bands(
    setting: Setting, bands: tuple[Band, ...], available_length: float, max_extra_gap: float
) -> tuple[Band, ...]:
    """Move bands that do not belong together further apart, as far as the page has room to spare."""
    last = bands[-1].panel if bands else None
    if last is None or setting.strip_count > 1 or setting.has_one_product_per_page:
        return bands
    spare = available_length - bands[-1].end - setting.measure_sums_row(last, is_last=True)
    if last.side_factor is not None and last.has_exact_on_key:
        spare -= measure_exact_length(setting, last)
    is_movable = [
        bool(band.panel.side_panel)
        or (band.panel.query_factor_name != bands[at - 1].panel.stage.name if at else not setting.is_rows)
        for at, band in enumerate(bands)
    ]
    extra_gap = min(max_extra_gap, max(0.0, spare // max(sum(is_movable), 1)))
    shifts = [extra_gap * sum(is_movable[: at + 1]) for at in range(len(bands))]
    return tuple(
        replace(band, start=band.start + shift, end=band.end + shift) for band, shift in zip(bands, shifts, strict=True)
    )


def measure_exact_corner(setting: Setting, panel: Panel) -> float:
    """Return the room that their caption takes before the first column of exact values."""
    caption = make_exact_caption(panel, is_rows=setting.is_rows)
    return measure_longest_word(caption, setting.typography.exact_points) - CAPTION_OVERRUN


def measure_exact_length(setting: Setting, panel: Panel) -> float:
    """Return how long a product's exact values are along the query column."""
    if setting.is_rows:
        return 3.0 + measure_exact_corner(setting, panel) + panel.grid.column_count * setting.cell_sizes.exact[0]
    return EXACT_HEADER_HEIGHT + panel.grid.row_count * setting.cell_sizes.exact[1]
