"""Measure a strip on the grid, and place its words and matrices: the same on the blank and on the key."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise, product
from typing import NamedTuple

from attnhand.layout.face import Face, Speaker
from attnhand.layout.number_fit import CELL_INSET_WIDTH, EXACT_CELL_INSET, measure_number_width
from attnhand.layout.page import (
    Box,
    Item,
    Paragraph,
    SquaresBox,
    WorkingSpaceBox,
    is_long_name,
    make_grid_box,
    make_text_box,
    measure_pitch_of_words,
    measure_text_height,
)
from attnhand.layout.page_grid import (
    ANSWER_PITCH,
    GIVEN_PITCH,
    GUTTER,
    LEAST_FRACTION_PITCH,
    LEAST_GIVEN_PITCH,
    LEAST_WHOLE_PITCH,
    LINE_SPACING,
    MARK_WIDTH,
    PLACE_COUNT,
    PLACE_WIDTH,
    TYPE_WIDTH,
    WORDS_GAP,
    Arrangement,
    PageGrid,
    TooLargeError,
)
from attnhand.layout.strips import FIRST, LAST, MIDDLE, Part, Piece, Strip
from attnhand.layout.typography import NumberSize, ParagraphStyle, Typography
from attnhand.layout.words import make_own_words
from attnhand.sheet.grids import Grid, GridStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import (
    RunStyle,
    Text,
    bind_words,
    embolden,
    make_plain_text,
    measure_longest_word,
    measure_width,
)

EXACT_HEIGHT = 2.9
"""What an exact value takes of the height of its cell."""

NAME_ROOM = 1.95
"""Beside a name of two letters, as wide as m₁: white, and the bracket of what stands before it."""

TEAR_HEIGHT = 16.0
"""What it must save to part what one of several stages says from its heading, which stands elsewhere then."""

DECIMAL_GAP = 0.4
"""From the place of a number to the decimal behind it."""

SUMS_HEIGHT, SUMS_WIDTH = 3.75, 9.0
"""Of check sums: their row, and their column where tokens are rows."""

MARK_GAP, MARK_HEIGHT, SLANT = 1.65, 4.2, 0.1
"""From a matrix to the marks at the right of it; the height of a mark below one; how far an f leans to the left."""

TICK_SIDE, TICK_GAP = 2.8, 1.3
"""Of the boxes to tick below a matrix, and from the matrix to them."""

MIN_TWO_MARKS = 32.0
"""How wide a matrix is at least that has two marks side by side below it."""

NAME_OVERHANG = 2.0
"""Between a long name and the cells behind it, and before it."""

HEAD_HEIGHT = 0.5
"""Of the head in a name, which stands higher than its letters."""

NAME_HEIGHT = 4.8
"""Of a name above the labels of columns."""

WIDE_LABEL_HEIGHT, COPIED_FRACTION_HEIGHT = 6.3, 6.8
"""Of a row with a word and a letter before it, at least; with fractions of 8 points."""

WORD_HEIGHT = 2.83
"""Of each line of words above the letters of columns."""

SIDE_INSET = 2.0
"""From a left factor to the end of its place."""

SHARES = tuple((share, share) for share in (1.0, 0.75, 0.5, 0.25, 0.0))
"""How much wider cells are than at least, of what makes them as wide as usual: those of several columns, and of one."""

CHAIN_SHARES = (*((share, 1.0) for share, _ in SHARES), *((0.0, share) for share, _ in SHARES[1:]))
"""The same where columns stand side by side: one column stays as wide as another, so that one stands on another."""

LARGE_WIDTHS = (2 * PLACE_WIDTH + GUTTER, (TYPE_WIDTH - GUTTER) / 2)
"""Of words of large print that stand beside a matrix: two places of three, or half of the page."""

MIDDLE_WIDTH = 50.6
"""What cells have in the middle place, labels aside."""


@dataclass(frozen=True, slots=True)
class PieceBox:
    """A piece in its place: where its cells begin, from the corner of its strip."""

    piece: Piece
    x: float
    """On the page."""

    y: float
    pitch: float
    row_h: float
    header_w: float
    header_h: float
    exact_h: float
    decimal_w: float
    has_wide_labels: bool
    has_name_above: bool
    has_marks_below: bool


@dataclass(frozen=True, slots=True)
class WordsBox:
    """Words in their place."""

    x: float
    width: float
    speakers: tuple[Speaker, ...]
    span: tuple[int, int] | None = None
    """Which of their paragraphs, where they run on in another column."""

    has_comparison: bool = False
    """Whether a key says below them how good the shortcut was."""

    drop: float = 0.0
    """How far below the top of their strip they begin."""

    def list_paragraphs(self, face: Face) -> list[Paragraph]:
        """Return what stands there on a face."""
        paragraphs = face.list_words(self.speakers)
        return paragraphs[slice(*self.span)] if self.span else paragraphs


@dataclass(frozen=True, slots=True)
class StripBox:
    """A strip, measured."""

    strip: Strip
    pieces: tuple[PieceBox, ...]
    words: tuple[WordsBox, ...]
    height: float
    free: Box | None
    """Where there is room to work, from its corner; None where there is none."""

    stands_in_places: bool
    """Whether its matrices stand in the places of the grid, and not over the whole width of the page."""

    cells: Mapping[str, tuple[float, float]]
    """Where the cells of a stage, or of its sums, begin on the page, and how wide they are."""

    last_cells: tuple[float, float]
    """The same of what is worked under what is carried, or of what is worked last."""


class StripMeasurer:
    """Measures strips on a grid for both faces of a sheet, and places them."""

    def __init__(self, grid: PageGrid, blank: Face, key: Face) -> None:
        self.grid, self.blank, self.key = grid, blank, key
        self.type = grid.typography
        self.rules = key.sheet.problem.rules

    # measuring

    def measure(
        self,
        strip: Strip,
        *,
        with_carried: bool,
        below_words: Sequence[Paragraph] = (),
        ends_at: float | None = None,
    ) -> StripBox:
        """Return a strip in its place.

        Args:
            with_carried: whether what its product continues is drawn above it, for it is not on the page.
            below_words: what a key says under the words of its first place.
            ends_at: where its cells end on the page, beside its words; None for as far right as they go.

        Raises:
            TooLargeError: its matrices are wider than the page.
        """
        pieces = [*strip.pieces, *([strip.carried] if with_carried and strip.carried else [])]
        words = tuple(map(tuple, strip.words))
        way = (
            self.grid.arrangement,
            self.grid.width,
            self.grid.keeps_words,
            tuple(pieces),
            words,
            bool(below_words),
            ends_at,
        )
        if way not in self.key.fits:
            self.key.fits[way] = self._fit(strip, pieces, below_words, ends_at)
        columns, ways, stands_in_places = self.key.fits[way]
        return self._stack(strip, columns, ways, stands_in_places=stands_in_places)

    def saves_room(self, one: Strip, other: Strip, both: Strip) -> bool:
        """Say whether two strips fit as one, beside their words, and take less room than one below the other."""
        try:
            heights = [self.measure(strip, with_carried=True).height for strip in (one, other, both)]
        except TooLargeError:
            return False
        return heights[2] < heights[0] + heights[1]

    def _fit(
        self, strip: Strip, pieces: Sequence[Piece], below_words: Sequence[Paragraph], ends_at: float | None
    ) -> "_Fit":
        """Return how a strip stands across the page, which no height of rows changes.

        Raises:
            TooLargeError: its matrices are wider than the page.
        """
        columns = None
        if self.grid.arrangement is Arrangement.CHAINED:
            columns = self._fit_beside_words(strip, pieces, ends_at)
        is_moved = self.grid.is_rows and self.grid.arrangement is Arrangement.CHAINED
        if columns is None and not self.grid.has_words_above and not is_moved:
            columns = self._fit_places(pieces)
        stands_in_places = columns is not None
        drawn = {(piece.stage, piece.part) for piece in pieces}
        speakers = [
            tuple(Speaker(name, (name, Part.QUERY) in drawn, (name, Part.SIDE) in drawn) for name in stages)
            for stages in strip.words
        ]
        if columns is None:
            columns = self._fit_page(pieces, self.grid.left, self.grid.text_width)
            ways = self._spread_words(speakers, below_words)
            if not self.grid.is_large:
                ways = [*self._head_places(speakers, below_words), *ways]
        else:
            ways = self._head_places(speakers, below_words)
            if self.grid.arrangement is Arrangement.PAIRED and not below_words:
                ways = [*ways, *self._gather_words(speakers), *self._spread_words(speakers, below_words)]
        return _Fit(columns, ways, stands_in_places)

    def _fit_places(self, pieces: Sequence[Piece]) -> "list[_Column] | None":
        """Return how pieces stand in the places of the grid; None where one is too wide for its place."""
        columns = []
        has_marks_beside = self._has_marks_beside(pieces)
        grids = [self.key.get_grid(piece) for piece in pieces]
        measured = [self._measure_labels(piece, grid, pieces) for piece, grid in zip(pieces, grids, strict=True)]
        shapes = [(piece.place, grid.column_count) for piece, grid in zip(pieces, grids, strict=True)]
        for piece, grid, shape, (labels, has_wide) in zip(pieces, grids, shapes, measured, strict=True):
            least, usual = self._find_pitches(piece, grid)
            # columns go on below their factor, whatever is written at the left of either
            widest = max(width for other, (width, _) in zip(shapes, measured, strict=True) if other == shape)
            begin, end = self._find_span(piece, widest)
            room = end - begin
            has_marks_below = self._is_marked(piece) and not has_marks_beside
            room -= MARK_WIDTH * (has_marks_beside and piece.place == LAST)
            room -= self._measure_sums(piece)
            pitch = min(usual, room / grid.column_count)
            if pitch < least - 0.01:
                return None
            beside_words = end - self.grid.find_place(FIRST) - PLACE_WIDTH - labels
            if not self.grid.is_rows and piece.place != FIRST and grid.column_count * pitch > beside_words:
                if has_wide and least * grid.column_count <= beside_words:
                    pitch = beside_words / grid.column_count
                else:
                    labels, has_wide = self.grid.label_width, False
            columns.append(_Column(piece, grid, begin, end, pitch, labels, has_wide, has_marks_below))
        columns = self._share_pitches(columns)
        if self.grid.is_rows:
            return columns
        return [
            each if each.piece.place == LAST else replace(each, begin=each.end - each.grid.column_count * each.pitch)
            for each in columns
        ]

    def _find_span(self, piece: Piece, labels: float) -> tuple[float, float]:
        """Return where the cells of a piece may stand, from and to."""
        x = self.grid.find_place(piece.place)
        if piece.place == LAST:
            return x, x + PLACE_WIDTH
        if self.grid.is_rows:
            return x + labels, x + PLACE_WIDTH
        end = x + PLACE_WIDTH - SIDE_INSET
        return (end - MIDDLE_WIDTH if piece.place == MIDDLE else x + labels), end

    def _share_pitches(self, columns: "list[_Column]") -> "list[_Column]":
        """Return pieces of one place with as many columns in cells as wide as the narrowest of them."""
        shared = []
        for each in columns:
            alike = [
                other
                for other in columns
                if (other.piece.place, other.grid.column_count) == (each.piece.place, each.grid.column_count)
            ]
            worked = [other for other in alike if other.grid.style is not GridStyle.GIVEN]
            least = max(self._find_pitches(other.piece, other.grid)[0] for other in worked or alike)
            shared.append(replace(each, pitch=max(least, min(other.pitch for other in worked or alike))))
        return shared

    def _fit_beside_words(self, strip: Strip, pieces: Sequence[Piece], ends_at: float | None) -> "list[_Column] | None":
        """Return how pieces stand side by side right of the words; None where they have places of their own.

        Raises:
            TooLargeError: more stand side by side than there is room for.
        """
        begin = self.grid.find_place(MIDDLE)
        if any(piece.place == FIRST for piece in pieces):
            return None
        try:
            return self._fit_page(pieces, begin, self.grid.right - begin, ends_at)
        except TooLargeError:
            if strip.is_chained and not self.grid.is_rows:
                raise
            return None

    def _fit_page(
        self, pieces: Sequence[Piece], left: float, page_width: float, ends_at: float | None = None
    ) -> "list[_Column]":
        """Return how pieces stand side by side over the whole width, or a part of it.

        Raises:
            TooLargeError: even the narrowest cells are wider than that.
        """
        places = sorted({piece.place for piece in pieces})
        found: dict[int, list[_Column]] = {place: [] for place in places}
        for piece in pieces:
            grid = self.key.get_grid(piece)
            labels, has_wide = self._measure_labels(piece, grid, pieces, is_wide=True)
            usual = self._find_pitches(piece, grid)[1]
            below = self._is_marked(piece) and self.grid.is_rows
            found[piece.place].append(_Column(piece, grid, 0.0, 0.0, usual, labels, has_wide, below))
        marks = 0.0 if self.grid.is_rows else MARK_WIDTH * self.grid.small_scale
        fits = all(map(self._fits_mark_column, filter(self._is_marked, pieces)))
        rooms = [*([page_width - marks] if fits else []), page_width] if ends_at is None else [ends_at - left]
        is_chained = self.grid.arrangement is Arrangement.CHAINED
        is_at_edge = is_chained or self.grid.arrangement is Arrangement.BESIDE
        ways = product(rooms, CHAIN_SHARES) if is_chained else ((room, each) for each in SHARES for room in rooms)
        for room, shares in ways:
            narrowed = {
                place: self._share_pitches([self._narrow(each, shares) for each in found[place]]) for place in places
            }
            widths = [max(self._measure_column(each) for each in narrowed[place]) for place in places]
            over = max(map(self._measure_overhang, narrowed[places[-1]])) if is_at_edge else 0.0
            end_of_cells = min(room, page_width - over)
            if sum(widths) > end_of_cells + 0.01:
                continue
            # what ends a chain stands at the right edge, else what is worked in the last place
            x = left if self.grid.is_rows else left + end_of_cells - sum(widths)
            if not self.grid.is_rows and not self.grid.is_landscape and not is_at_edge:
                last = narrowed[places[-1]]
                cells = max(each.grid.column_count * each.pitch for each in last)
                x = min(x, max(left, self.grid.find_place(LAST) + cells - sum(widths)))
            columns = []
            for place, width in zip(places, widths, strict=True):
                labels = max(each.labels for each in narrowed[place])
                for each in narrowed[place]:
                    end = x + width - self._measure_sums(each.piece)
                    begin = x + labels
                    if not self.grid.is_rows:
                        begin = end - each.grid.column_count * each.pitch
                    below = each.has_marks_below or (self._is_marked(each.piece) and room + marks > page_width + 0.01)
                    columns.append(replace(each, begin=begin, end=end, has_marks_below=below))
                x += width
            return columns
        raise TooLargeError("its width is more than the page has")

    def _narrow(self, column: "_Column", shares: tuple[float, float]) -> "_Column":
        share = shares[column.grid.column_count == 1]
        least, usual = self._find_pitches(column.piece, column.grid)
        if self.grid.arrangement is Arrangement.CHAINED:
            words = [
                measure_width(make_plain_text(label.word), self.type.label_points) for label in column.grid.columns
            ]
            # beside the only column stands a name
            least = max(least, measure_pitch_of_words(column.grid, self.type), words[0] if len(words) == 1 else 0.0)
        return replace(column, pitch=least + (usual - least) * share if usual > least else usual)

    def _measure_column(self, column: "_Column") -> float:
        return column.labels + column.grid.column_count * column.pitch + self._measure_sums(column.piece)

    def _measure_overhang(self, column: "_Column") -> float:
        """Return how far a name above its cells reaches to the right of them."""
        name = embolden(column.grid.name)
        width = measure_width(name, self.type.label_points) if is_long_name(name) else 0.0
        return max(0.0, width * 1.02 - column.grid.column_count * column.pitch)

    def _measure_sums(self, piece: Piece) -> float:
        has_column = self.grid.is_rows and self.key.get_check_grid(piece) is not None
        return SUMS_WIDTH * self.grid.label_scale if has_column else 0.0

    def _is_marked(self, piece: Piece) -> bool:
        panel = self.key.get_worked_panel(piece)
        return panel is not None and bool(panel.mark_box)

    def _has_marks_beside(self, pieces: Sequence[Piece]) -> bool:
        """Say whether the marks of a strip stand at the right edge of the page: where its last place leaves room."""
        if self.grid.is_rows:
            return False
        last = [piece for piece in pieces if piece.place == LAST]
        needed = [(self._find_pitches(piece, grid)[0], grid) for piece in last for grid in [self.key.get_grid(piece)]]
        has_room = all(least * grid.column_count <= PLACE_WIDTH - MARK_WIDTH for least, grid in needed)
        return has_room and all(map(self._fits_mark_column, filter(self._is_marked, pieces)))

    def _fits_mark_column(self, piece: Piece) -> bool:
        """Say whether the name before a mark has room at the right edge of the page."""
        panel = self.key.get_worked_panel(piece)
        points = self.type.paragraph_points[ParagraphStyle.SMALL]
        return panel is None or measure_width(panel.mark_name, points) <= self._mark_width

    def _find_pitches(self, piece: Piece, grid: Grid) -> tuple[float, float]:
        """Return how wide its cells are at least, and where nothing is in their way."""
        scale = self.grid.cell_scale
        panel = self.key.get_worked_panel(piece)
        is_given = grid.style is GridStyle.GIVEN
        has_fractions = any(cell.number and cell.number.is_fraction for row in grid.cells for cell in row)
        has_fractions = has_fractions or bool(panel and panel.has_fractions)
        least = LEAST_GIVEN_PITCH if is_given else LEAST_FRACTION_PITCH if has_fractions else LEAST_WHOLE_PITCH
        if piece not in self.key.widest_numbers:
            self.key.widest_numbers[piece] = self._measure_widest(grid)
        least = max(least * scale, self.key.widest_numbers[piece])
        usual = max((GIVEN_PITCH if is_given else ANSWER_PITCH) * scale, least)
        if not is_given and not self.rules.is_rational:  # decimals are as long as the rules have them: set them large
            usual = max(usual, self._measure_widest(grid, at=0))
        if is_given and self.grid.is_large:
            legible = self.type.number_sizes.index(self.type.least_legible_size)
            usual = max(usual, self._measure_widest(grid, at=legible))
        elif is_given:
            usual = max(usual, measure_pitch_of_words(grid, self.type))
        return least, usual

    def _measure_widest(self, grid: Grid, at: int = -1) -> float:
        """Return how wide cells must be for every number, a little smaller than the usual if need be.

        Args:
            at: which size of numbers, the smallest by default.
        """
        cells = [cell for row in grid.cells for cell in row]
        numbers = [_measure_alone(cell.number, self.type.number_sizes[at]) for cell in cells if cell.number]
        exact = [
            measure_width(make_plain_text(cell.exact.text), self.type.exact_points) + EXACT_CELL_INSET
            for cell in cells
            if cell.exact
        ]
        return max([0.0, *(number + CELL_INSET_WIDTH for number in numbers), *exact])

    def _measure_labels(
        self, piece: Piece, grid: Grid, pieces: Sequence[Piece], *, is_wide: bool = False
    ) -> tuple[float, bool]:
        """Return how wide the labels of its rows are, and whether they hold words."""
        usual = self.grid.label_width
        neighbours = {other.place for other in pieces if other.tier == piece.tier}
        is_outermost = piece.place - 1 not in neighbours
        if not is_outermost and self.key.get_worked_panel(piece) and not is_long_name(grid.name):
            usual = max(usual, measure_width(embolden(grid.name), self.type.name_points) + NAME_ROOM)
        if not is_outermost or not any(label.word for label in grid.rows) or self.grid.is_large:
            return usual, False
        is_first = not self.grid.is_rows and piece.place == FIRST and not is_wide
        if is_first and grid.style is not GridStyle.GIVEN:
            return usual, False
        words = [make_plain_text(label.word) for label in grid.rows]
        roles = [(*label.letter, *make_plain_text(f" {label.role}")) for label in grid.rows if label.role]
        width = max(usual, max(measure_width(text, self.type.label_points) for text in [*words, *roles]) + 2.2)
        room = PLACE_WIDTH - SIDE_INSET - width
        if is_first and self._find_pitches(piece, grid)[0] * grid.column_count > room:
            return usual, False
        return width, True

    # down the strip

    def _stack(
        self,
        strip: Strip,
        columns: "Sequence[_Column]",
        ways: "Sequence[Sequence[_Words]]",
        *,
        stands_in_places: bool,
    ) -> StripBox:
        """Return a strip with its tiers one on the other, each below the words that stand above it.

        Args:
            ways: to place its words; the one that makes it lowest is taken.
        """
        tiers = sorted({each.piece.tier for each in columns})
        heights = {tier: self._find_row_height([each for each in columns if each.piece.tier == tier]) for tier in tiers}
        headers = {id(each): self._find_header(each, columns) for each in columns}
        lines = self._find_lines(tiers, columns, heights, headers)
        tops, sides, below = [], [], 0.0
        for each in columns:
            place, tier = each.piece.place, each.piece.tier
            tops.append(lines[place, tier] + self._count_rows(each) * heights[tier] + headers[id(each)][0])
            sides.append((self._measure_left(each, headers[id(each)][1]), self._measure_sums(each.piece)))
            below = max(below, 0.0 if tier else self._measure_below(each, heights[0]))

        # a mark at the right edge stands as high as its matrix, which may be higher than the one below the last words
        last = min((self._count_rows(each) for each in columns if each.piece.place == LAST), default=0)
        beside = [self._is_marked(each.piece) and not each.has_marks_below for each in columns]
        higher = [0 < last < self._count_rows(each) for each in columns]
        highest_mark = max((top for *is_it, top in zip(beside, higher, tops, strict=True) if all(is_it)), default=0.0)
        marked = [each for each, is_it in zip(columns, beside, strict=True) if is_it]
        places = [(each, each.piece.place, each.piece.tier) for each in marked]
        rises = [lines[place, tier] + self._count_rows(each) * heights[tier] for each, place, tier in places]
        below = max(below, self._measure_marks([each.piece for each in marked]) - max(rises, default=0.0))

        def find_base(words: "Sequence[_Words]") -> float:
            """Return where the lowest line is, so that every piece is clear of the words above it."""
            base = max(tops)
            for each, top, (left, right) in zip(columns, tops, sides, strict=True):
                bottoms = [top + one.height + WORDS_GAP for one in words if one.overlaps(each, left, right)]
                base = max([base, *bottoms])
            over = [one.height for one in words if one.box.x + one.box.width > self.grid.find_place(LAST)]
            return max([base, *(highest_mark + height + WORDS_GAP for height in over if highest_mark)])

        def find_height(words: "Sequence[_Words]") -> float:
            return max([find_base(words) + below, *(one.height for one in words)])

        words = min(ways, key=lambda way: find_height(way) + TEAR_HEIGHT * any(one.is_torn for one in way))
        base, height = find_base(words), find_height(words)
        boxes = [one.box for one in words]
        placed = []
        for each in columns:
            row_h = heights[each.piece.tier]
            header_h, has_name_above = headers[id(each)]
            y = base - lines[each.piece.place, each.piece.tier] - self._count_rows(each) * row_h
            has_exact = self._has_exact(each.piece)
            placed.append(
                PieceBox(
                    piece=each.piece,
                    x=each.begin,
                    y=y,
                    pitch=each.pitch,
                    row_h=row_h,
                    header_w=each.labels,
                    header_h=header_h,
                    exact_h=EXACT_HEIGHT * self.grid.small_scale if has_exact else 0.0,
                    decimal_w=self._measure_decimals(each),
                    has_wide_labels=each.has_wide_labels,
                    has_name_above=has_name_above,
                    has_marks_below=each.has_marks_below,
                )
            )
        free = self._find_free(strip, columns, base)
        products = [each for each in placed if each.piece.part is Part.PRODUCT]
        names = [(name, each) for each in products for name in (each.piece.stage, each.piece.totals) if name]
        cells = {name: (each.x, each.pitch) for name, each in reversed(names)}
        carried = strip.carried.stage if strip.carried else None
        under = next((each for each in reversed(products) if carried in (None, each.piece.stage)), products[0])
        last_cells = under.x, under.pitch
        return StripBox(strip, tuple(placed), tuple(boxes), height, free, stands_in_places, cells, last_cells)

    def _measure_left(self, column: "_Column", has_name_above: bool) -> float:
        """Return how far labels and name reach to the left of the cells of a piece."""
        if has_name_above or not is_long_name(column.grid.name):
            return column.labels
        return max(column.labels, measure_width(column.grid.name, self.type.label_points) * 1.1 + NAME_OVERHANG)

    def _find_free(self, strip: Strip, columns: "Sequence[_Column]", base: float) -> Box | None:
        """Return where there is room to work beside a product: the middle place, where nothing stands."""
        works = any(self.key.panels[stage].stage.facts.has_working_space for stage in strip.stages)
        taken = any(each.begin < self.grid.find_place(LAST) - GUTTER for each in columns)
        if self.grid.is_rows or self.grid.is_large or taken or not works:
            return None
        top = max(min(base - self._count_rows(each) * 8.4 for each in columns), 0.0)
        x = self.grid.find_place(MIDDLE)
        width = min([PLACE_WIDTH - GUTTER, *(each.begin - each.labels - WORDS_GAP - x for each in columns)])
        return Box(x, top, width, base - top)

    def _count_rows(self, column: "_Column") -> int:
        """Return how many rows stand above the line of its tier: all but that of totals."""
        return column.grid.row_count - column.grid.has_total_row

    def _find_lines(
        self,
        tiers: Sequence[int],
        columns: "Sequence[_Column]",
        heights: Mapping[int, float],
        headers: "Mapping[int, tuple[float, bool]]",
    ) -> dict[tuple[int, int], float]:
        """Return how far above the lowest line the line of each place and tier is.

        X beside V stands on the line of V.
        """
        lines: dict[tuple[int, int], float] = {}
        tops: dict[int, float] = {}
        for tier in tiers:
            own = [each for each in columns if each.piece.tier == tier]
            places = {each.piece.place for each in own}
            for place in places:
                here = [each for each in own if each.piece.place == place]
                below = max(self._measure_below(each, heights[tier]) for each in here) if tier else 0.0
                reaches_left = any(
                    each.has_wide_labels and each.begin - each.labels < other.end
                    for each in here
                    for other in columns
                    if other.piece.place == place - 1 and other.piece.tier < tier
                )
                top = max(tops.get(place, 0.0), tops.get(place - 1, 0.0) if reaches_left else 0.0)
                lines[place, tier] = top + below
            if any(each.piece.part is Part.INNER_QUERY for each in own):
                highest = max(lines[place, tier] for place in places)
                lines |= {(place, tier): highest for place in places}
            for each in own:
                place = each.piece.place
                top = lines[place, tier] + self._count_rows(each) * heights[tier] + headers[id(each)][0]
                tops[place] = max(tops.get(place, 0.0), top)
        return lines

    def _measure_below(self, column: "_Column", row_h: float) -> float:
        """Return what hangs below the line of a piece: totals, check sums, marks."""
        below = row_h * column.grid.has_total_row
        below += max(self._measure_foot(face, column.piece) for face in (self.blank, self.key))
        lines = 1 + (column.has_marks_below and self._stacks_marks(column))
        return below + MARK_HEIGHT * self.grid.small_scale * lines * column.has_marks_below

    def _measure_foot(self, face: Face, piece: Piece) -> float:
        """Return how high check sums and boxes to tick below a matrix are on a face."""
        ticks = (TICK_GAP + TICK_SIDE) * self.grid.small_scale * self._has_ticks(face, piece)
        return self._measure_sums_below(face, piece) + ticks

    def _measure_sums_below(self, face: Face, piece: Piece) -> float:
        has_row = not self.grid.is_rows and face.get_check_grid(piece) is not None
        return SUMS_HEIGHT * self.grid.label_scale * has_row

    def _has_ticks(self, face: Face, piece: Piece) -> bool:
        """Say whether a matrix has boxes to tick: on the blank, where it is marked."""
        return face.sheet.options.tick_boxes and not face.sheet.is_solved and self._is_marked(piece)

    def _stacks_marks(self, column: "_Column") -> bool:
        """Say whether the mark of totals has no room beside that of what they add."""
        return (
            bool(column.piece.totals)
            and column.grid.column_count * column.pitch < MIN_TWO_MARKS * self.grid.small_scale
        )

    def _find_row_height(self, columns: "Sequence[_Column]") -> float:
        """Return how high the rows of a tier are: what is worked in it decides."""
        heights = self.grid.heights
        worked = []
        for each in columns:
            panel = self.key.get_worked_panel(each.piece)
            if panel is not None:
                has_exact = self._has_exact(each.piece)
                is_high = panel.has_fractions or bool(each.piece.totals)
                height = heights.fraction if is_high and has_exact else heights.with_exact if has_exact else None
                worked.append(height or (heights.with_exact if is_high else heights.whole))
        is_given = all(each.grid.style is GridStyle.GIVEN for each in columns)
        has_fractions = any(
            cell.number and cell.number.is_fraction for each in columns for row in each.grid.cells for cell in row
        )
        if any(each.has_wide_labels for each in columns):
            least = COPIED_FRACTION_HEIGHT if has_fractions and not is_given else WIDE_LABEL_HEIGHT
            worked.append(heights.given if worked else least)
        if worked:
            return max(worked)
        if is_given:  # in so low a row a fraction would be smaller than all else
            return heights.whole if has_fractions else heights.given
        return heights.with_exact if has_fractions else heights.copied

    def _has_exact(self, piece: Piece) -> bool:
        panel = self.key.get_worked_panel(piece)
        return panel is not None and panel.has_exact_on_key

    def _find_header(self, column: "_Column", columns: "Sequence[_Column]") -> tuple[float, bool]:
        """Return how high what stands above its cells is, and whether its name stands above the labels."""
        grid, piece = column.grid, column.piece
        height = self.grid.label_height
        if any(run.style is RunStyle.SUP for run in grid.name):
            height += HEAD_HEIGHT * self.grid.scale
        if any(label.word for label in grid.columns):
            box = make_grid_box(grid, (0.0, 0.0), (column.pitch, 8.0), (column.labels, height))
            lines = max((len(box.break_word(at, self.type)) for at in range(grid.column_count)), default=0)
            height += WORD_HEIGHT * lines * self.grid.label_scale
        is_beside = any(
            other.piece.place == piece.place - 1 and other.piece.tier == piece.tier for other in columns
        ) or (piece.place == FIRST)
        room = column.begin - self.grid.find_place(FIRST) - PLACE_WIDTH
        lacks_room = piece.place == MIDDLE and room < measure_width(grid.name, self.type.name_points) * 1.1 + 2.0
        is_above = is_long_name(grid.name) and (self.grid.is_rows or is_beside or lacks_room)
        return (height + NAME_HEIGHT * self.grid.scale if is_above else height), is_above

    def _measure_decimals(self, column: "_Column") -> float:
        """Return the room for decimals behind fractions; none where the cells are too narrow."""
        decimals = [cell.decimal for row in column.grid.cells for cell in row if cell.decimal]
        if not decimals or self.grid.is_large:
            return 0.0
        width = max(measure_width(make_plain_text(each.text), self.type.exact_points) for each in decimals)
        widest = max(
            _measure_alone(cell.number, self.type.least_legible_size)
            for row in column.grid.cells
            for cell in row
            if cell.number
        )
        return width + DECIMAL_GAP if widest + width + DECIMAL_GAP + CELL_INSET_WIDTH <= column.pitch else 0.0

    # words

    def _head_places(
        self, speakers: Sequence[tuple[Speaker, ...]], below_words: Sequence[Paragraph]
    ) -> "list[list[_Words]]":
        """Return ways to put words at the top of their places; those of outputs above them, where values speak first.

        Args:
            below_words: what a key says under the words of the first place.
        """
        way = [
            self._make_words(place, PLACE_WIDTH, own, below_words=below_words if place == FIRST else ())
            for place, own in enumerate(speakers)
            if own
        ]
        inner = [self.key.panels[each.stage] for each in speakers[FIRST] if self.key.panels[each.stage].side_panel]
        if self.grid.is_rows or not inner or speakers[LAST]:
            return [way]
        paragraphs = self.key.list_words(speakers[FIRST])
        own = len(make_own_words(inner[0]))
        count = len(paragraphs)
        spans = (0, count - own), (count - own, count)
        return [
            [
                self._make_words(place, PLACE_WIDTH, speakers[FIRST], span)
                for place, span in zip((FIRST, LAST), spans, strict=True)
            ],
            way,
        ]

    def _gather_words(self, speakers: Sequence[tuple[Speaker, ...]]) -> "list[list[_Words]]":
        """Return the way in which the middle place speaks below the first, and the last over its own matrices alone.

        It ends on the same line, so that its heading is nearer to what it is of than to what stands above the strip.
        """
        first, middle, last = speakers
        if not (middle and last):
            return []
        long = self._make_words(FIRST, PLACE_WIDTH, (*first, *middle))
        short = self._make_words(LAST, PLACE_WIDTH, last)
        drop = max(0.0, long.height - short.height)
        return [[long, _Words(replace(short.box, drop=drop), short.height + drop)]]

    def _make_words(
        self,
        place: int,
        width: float,
        speakers: tuple[Speaker, ...],
        span: tuple[int, int] | None = None,
        *,
        below_words: Sequence[Paragraph] = (),
    ) -> "_Words":
        height = self._measure_words(speakers, width, span)
        if below_words:
            height += measure_text_height(below_words, self.type, width) + 2 * self.type.paragraph_gap * bool(height)
        return _Words(WordsBox(self.grid.find_place(place), width, speakers, span, bool(below_words)), height)

    def _spread_words(
        self, speakers: Sequence[tuple[Speaker, ...]], below_words: Sequence[Paragraph]
    ) -> "list[list[_Words]]":
        """Return ways to put words above the matrices: in up to three columns; in large print as wide as a page.

        Args:
            below_words: what a key says below the last of them, or in the column behind.
        """
        everybody = tuple(each for own in speakers for each in own)
        if not everybody:
            return [[]]
        if self.grid.is_large:
            widths = [self.grid.text_width, *(LARGE_WIDTHS if self.grid.arrangement is Arrangement.BESIDE else ())]
            return [[self._make_words(FIRST, width, everybody, below_words=below_words)] for width in widths]
        words = self.key.list_words(everybody)
        count = len(words)
        own = [*pairwise(len(self.key.list_words(everybody[:at])) for at in range(len(everybody) + 1))]
        last_own = own[-1][0] or count
        ends = [at for at in range(1, count) if _may_break(words[at - 1], words[at])]
        ways = []
        line = self.type.find_line_height(ParagraphStyle.BODY)
        for cuts in sorted(combinations_with_replacement([*ends, count], PLACE_COUNT - 1), reverse=True):
            spans = [span for span in zip((0, *cuts), (*cuts, count), strict=True) if span[0] < span[1]]
            places: Sequence[int] = range(len(spans))
            is_kept = self.grid.keeps_words and not below_words
            if len(spans) == 2 and spans[1][0] >= last_own and is_kept:
                places = FIRST, LAST  # what the last of several stages says stands over it: a mask, beside scaled
            way = [self._make_words(at, PLACE_WIDTH, everybody, span) for at, span in zip(places, spans, strict=True)]
            way[-1] = replace(way[-1], is_torn=self.grid.keeps_words and _tears(spans, own))
            if len(way) > 1 and way[-1].height <= 1.5 * line:  # a line alone at the head of a place says little
                continue
            if not below_words:
                ways.append(way)
                continue
            last = len(spans) - 1
            below = self._make_words(last, PLACE_WIDTH, everybody, spans[-1], below_words=below_words)
            ways.append([*way[:-1], below])
            if last + 1 < PLACE_COUNT:
                behind = self._make_words(last + 1, PLACE_WIDTH, everybody, (count, count), below_words=below_words)
                ways.append([*way, behind])
        return ways

    def _measure_words(self, speakers: Sequence[Speaker], width: float, span: tuple[int, int] | None = None) -> float:
        """Return how high words are on the face where they are higher."""
        name = tuple(speakers), width, span
        heights = self.key.word_heights
        if name not in heights:
            heights[name] = max(
                self._measure_own_words(face.list_words(speakers, is_open=is_open), width, span)
                for face in (self.blank, self.key)
                for is_open in (False, True)
            )
        return heights[name]

    def _measure_own_words(self, words: Sequence[Paragraph], width: float, span: tuple[int, int] | None) -> float:
        """Return how high words are.

        Raises:
            TooLargeError: one is wider than its column.
        """
        words = words[slice(*span)] if span else words
        for each in words:
            points = self.type.paragraph_points[each.style]
            if each.style is ParagraphStyle.BODY and measure_longest_word(each.text, points) > width + 0.01:
                raise TooLargeError(f"a word is wider than {width:g} mm")
        return measure_text_height(words, self.type, width) if words else 0.0

    # placing

    def place(self, box: StripBox, face: Face, top: float) -> list[Item]:
        """Return the items of a strip in reading order: each stage's words, then its matrices; in the end all marks."""
        items: list[Item] = []
        if box.free and not face.sheet.is_solved:
            free = box.free._replace(y=top + box.free.y)
            items += make_working_space(free, LINE_SPACING * self.grid.scale, face.sheet, self.type)
        pieces = sorted(box.pieces, key=lambda each: (each.piece.place, -each.piece.tier))
        for words in box.words:
            if paragraphs := words.list_paragraphs(face):
                items.append(make_text_box(paragraphs, self.type, words.x, top + words.drop, words.width))
            ended = self._list_ended(face, words)
            for each in (each for each in pieces if each.piece.stage in ended):
                items += self._place_piece(each, face, top)
        spoken = {each.stage for words in box.words for each in words.speakers}
        for each in (each for each in pieces if each.piece.stage not in spoken):
            items += self._place_piece(each, face, top)
        items += self._place_marks(box, face, top)
        return items

    def _list_ended(self, face: Face, words: WordsBox) -> list[str]:
        """Return the stages whose last words stand in a box."""
        begin, end = words.span or (0, len(face.list_words(words.speakers)))
        counts = [len(face.list_words(words.speakers[: at + 1])) for at in range(len(words.speakers))]
        return [each.stage for each, count in zip(words.speakers, counts, strict=True) if begin < count <= end]

    def _place_piece(self, each: PieceBox, face: Face, top: float) -> Iterator[Item]:
        grid = face.get_grid(each.piece)
        if not each.decimal_w:
            cells = tuple(tuple(cell._replace(decimal=None, decimal_source=None) for cell in row) for row in grid.cells)
            grid = replace(grid, cells=cells)
        corner = each.x - each.header_w, top + each.y - each.header_h
        cell_size, header_size = (each.pitch, each.row_h), (each.header_w, each.header_h)
        placed = make_grid_box(grid, corner, cell_size, header_size, has_wide_labels=each.has_wide_labels)
        # what a blank prints stands in the middle: it has no decimals
        has_decimals = any(cell.decimal for row in grid.cells for cell in row)
        decimal_w = each.decimal_w if has_decimals else 0.0
        placed = replace(placed, exact_h=each.exact_h, decimal_w=decimal_w, has_name_above=each.has_name_above)
        yield placed
        yield from self._place_ticks(each, face, top)
        sums = face.get_check_grid(each.piece)
        if sums is None:
            return
        if self.grid.is_rows:
            header = placed.box.h - placed.cell_h * sums.row_count, SUMS_WIDTH * self.grid.label_scale
            yield make_grid_box(sums, (placed.box.right, placed.box.y), (header[1], placed.cell_h), (0.0, header[0]))
        else:
            height = SUMS_HEIGHT * self.grid.label_scale
            yield make_grid_box(sums, (corner[0], placed.box.bottom), (each.pitch, height), (each.header_w, 0.0))

    def _place_ticks(self, each: PieceBox, face: Face, top: float) -> Iterator[Item]:
        """Yield a box to tick below every column that has a cell to fill: on the blank, for whoever marks by eye."""
        if not self._has_ticks(face, each.piece):
            return
        cells, side = face.get_grid(each.piece).cells, TICK_SIDE * self.grid.small_scale
        y = top + each.y + each.row_h * len(cells) + TICK_GAP * self.grid.small_scale
        y += self._measure_sums_below(face, each.piece)
        columns = [at for at, column in enumerate(zip(*cells, strict=True)) if any(not cell.number for cell in column)]
        squares = [Box(each.x + (at + 0.5) * each.pitch - side / 2, y, side, side) for at in columns]
        box = Box(squares[0].x, y, squares[-1].right - squares[0].x, side)
        yield SquaresBox(box=box, squares=tuple(squares), is_filled=False)

    def _place_marks(self, box: StripBox, face: Face, top: float) -> Iterator[Item]:
        """Yield the marks of a strip: at the right edge one under the other, else below their matrices."""
        beside: list[tuple[float, Panel]] = []
        for each in sorted(box.pieces, key=lambda each: each.piece.place):
            marked = self._list_marked(face, each.piece)
            if not each.has_marks_below:
                beside += [(top + each.y, one) for one in marked]
                continue
            grid = face.get_grid(each.piece)
            below = top + each.y + each.row_h * grid.row_count + 0.8
            below += self._measure_foot(face, each.piece)
            right = each.x + grid.column_count * each.pitch
            is_narrow = right - each.x < MIN_TWO_MARKS * self.grid.small_scale
            for at, one in enumerate(marked):
                mark = self._make_mark(one, is_named=len(marked) > 1)
                width = measure_width(mark.text, self.type.paragraph_points[mark.style]) * 1.01 + 0.2
                x = each.x if len(marked) > 1 and not at and not is_narrow else right - width  # totals stand last
                yield make_text_box([mark], self.type, x, below, width)
                below += MARK_HEIGHT * self.grid.small_scale * is_narrow
        if beside:
            y = min(y for y, _ in beside)
            for mark in self._list_marks([one for _, one in beside]):
                x = self.grid.right - self._mark_width + SLANT
                placed = make_text_box([mark], self.type, x, y, self._mark_width)
                yield placed
                y = placed.box.bottom + self.type.paragraph_gap

    @staticmethod
    def _list_marked(face: Face, piece: Piece) -> list[Panel]:
        """Return what has marks of a matrix and of the sums below it."""
        panel = face.get_worked_panel(piece)
        panels = [panel, *([face.panels[piece.totals]] if piece.totals else [])] if panel else []
        return [one for one in panels if one.mark_box]

    def _list_marks(self, marked: Sequence[Panel]) -> list[Paragraph]:
        """Return marks that stand one under the other."""
        return [self._make_mark(one, is_named=len(marked) > 1) for one in marked]

    @property
    def _mark_width(self) -> float:
        """How wide marks at the right edge of the page may be."""
        return (MARK_WIDTH - MARK_GAP) * self.grid.small_scale

    def _measure_marks(self, pieces: Sequence[Piece]) -> float:
        """Return how high the marks of some pieces are, one under the other, on the face where they are higher."""
        lists = [
            self._list_marks([one for piece in pieces for one in self._list_marked(face, piece)])
            for face in (self.blank, self.key)
        ]
        gap = self.type.paragraph_gap
        return max(
            sum(measure_text_height([mark], self.type, self._mark_width) + gap for mark in marks) - gap
            for marks in lists
        )

    def _make_mark(self, panel: Panel, *, is_named: bool) -> Paragraph:
        text = panel.named_mark_box if is_named else panel.mark_box
        name = panel.mark_name if is_named else ()
        bound = tuple(run._replace(text=bind_words(run.text)) for run in text)
        if is_named:  # a line ends behind the name
            bound = (*name, *_bind_after(text, name))
        return Paragraph(bound, ParagraphStyle.SMALL, marked_stage=panel.stage.name, mark_name=name)


def make_working_space(room: Box, spacing: float, sheet: Sheet, type_: Typography) -> list[Item]:
    """Return lines to work on, as many as there is room for, below the words that say so; none for a line alone."""
    label = Paragraph(make_plain_text(sheet.say("room_to_work")), ParagraphStyle.SMALL)
    words = make_text_box([label], type_, room.x, room.y, room.w)
    top = words.box.bottom
    count = (room.bottom - top + 0.01) // spacing
    if count < 2:
        return []
    return [words, WorkingSpaceBox(box=Box(room.x, top, room.w, count * spacing), spacing=spacing)]


def _bind_after(text: Text, name: Text) -> Text:
    """Return what stands behind a name as one piece, a place to break the line before it."""
    rest = "".join(run.text for run in text)[len("".join(run.text for run in name)) :]
    return make_plain_text(" " + bind_words(rest.strip()))


def _tears(spans: Sequence[tuple[int, int]], own: Sequence[tuple[int, int]]) -> bool:
    """Say whether a column goes on with what another began where that is hard to see.

    That is where its heading stands below what an earlier stage says, or another heading follows.

    Args:
        spans: which paragraphs each column has.
        own: which each stage says.
    """
    return any(begin < start < end and (begin > 0 or stop > end) for start, stop in spans for begin, end in own)


def _may_break(before: Paragraph, after: Paragraph) -> bool:
    """Say whether words may go on in another column: behind running text, before a heading or running text."""
    return before.style is ParagraphStyle.BODY and (after.style is ParagraphStyle.BODY or after.heading_level > 0)


@dataclass(frozen=True, slots=True)
class _Words:
    """Words, and how high they are."""

    box: WordsBox
    height: float
    is_torn: bool = False
    """Whether what one of several stages says goes on in another column than its heading."""

    def overlaps(self, column: "_Column", left: float, right: float) -> bool:
        """Say whether they stand above a piece with so much left of its cells, and right of them."""
        begin, end = column.begin - left, column.begin + column.grid.column_count * column.pitch + right
        return begin < self.box.x + self.box.width and self.box.x < end + WORDS_GAP


@dataclass(frozen=True, slots=True)
class _Column:
    """How a piece stands across the page."""

    piece: Piece
    grid: Grid
    begin: float
    end: float
    pitch: float
    labels: float
    has_wide_labels: bool
    has_marks_below: bool


class _Fit(NamedTuple):
    """How a strip stands across the page."""

    columns: list[_Column]
    ways: list[list[_Words]]
    """To place its words."""

    stands_in_places: bool


def _measure_alone(number: PrintedNumber, size: NumberSize) -> float:
    return measure_number_width(replace(number, note=""), size)
