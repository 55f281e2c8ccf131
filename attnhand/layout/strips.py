"""Strips: what of a sheet stands side by side, from the rules above it to the next, on the three places of the grid.

A strip has tiers: its products stand on one line, tier 0, and what is multiplied with them above, tier 1 and more.
Example, tokens as columns: X (tier 1) stands on K (tier 0) in the last place, W_K (tier 0) left of it, words before.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from attnhand.attention.mechanisms import Mechanism
from attnhand.attention.mechanisms.base import Form, get_side_input
from attnhand.layout.page_grid import PLACE_COUNT, SEPARATED, Arrangement
from attnhand.sheet.panels import Panel, Panels

FIRST, MIDDLE, LAST = range(PLACE_COUNT)
"""The places of the grid."""


class Part(StrEnum):
    """Which of the grids of a panel."""

    PRODUCT = "product"
    SIDE = "side"
    """What stands beside the product: W_K, Kᵀ, V."""

    QUERY = "query"
    """What the product continues: X, Q, A."""

    INNER_SIDE = "inner side"
    INNER_QUERY = "inner query"
    """The same of a factor that is worked beside its product: W_V and X of V."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A grid in a strip."""

    stage: str
    """The stage of its panel."""

    part: Part
    place: int
    tier: int = 0
    totals: str = ""
    """The stage of the sums that end it, as a last row or column."""


@dataclass(slots=True)
class Strip:
    """What stands side by side."""

    pieces: list[Piece] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=lambda: [[] for _ in range(PLACE_COUNT)])
    """By place, the stages whose words stand at its top."""

    carried: Piece | None = None
    """What is drawn above its product where the stage that made it is not on the same page; else it is left out."""

    @property
    def is_chained(self) -> bool:
        """Whether more stand side by side than there are places."""
        return any(piece.place > LAST for piece in self.pieces)

    @property
    def stages(self) -> list[str]:
        """The stages that are worked in it, and sums."""
        products = [piece for piece in self.pieces if piece.part is Part.PRODUCT]
        return [name for piece in products for name in (piece.stage, piece.totals) if name]


class StripPlanner:
    """Plans the strips of a sheet."""

    def __init__(
        self,
        panels: Panels,
        mechanism: Mechanism,
        arrangement: Arrangement,
        *,
        is_rows: bool,
        saves_room: "Callable[[Strip, Strip, Strip], bool]",
        apart: Set[str] = frozenset(),
    ) -> None:
        """Take what stands on a sheet, and how.

        Args:
            saves_room: says whether two strips fit as one, and take less room then; the one comes last.
            apart: stages that begin a strip, though they could be chained to the one before.
        """
        self.saves_room, self.apart = saves_room, apart
        self.panels = {panel.stage.name: panel for run in panels.runs for panel in run}
        self.runs = panels.runs
        self.arrangement, self.is_rows = arrangement, is_rows
        self.powers = {softmax.powers: softmax for softmax in mechanism.softmaxes if softmax.powers}
        self.weights = {softmax.weights: softmax for softmax in mechanism.softmaxes}
        self.sums = {softmax.sums: softmax for softmax in mechanism.softmaxes if softmax.sums}
        self.masked = {attention.masked for attention in mechanism.attentions if attention.masked}
        self.has_attention = bool(mechanism.attentions)
        self.continued = {panel.query_factor_name for panel in self.panels.values()}
        self.strips: list[Strip] = []

    def plan(self) -> list[Strip]:
        """Return the strips from the first to the last."""
        add = self._add_in_rows if self.is_rows else self._add_in_columns
        for panel in (panel for run in self.runs for panel in run):
            add(panel)
        if self.is_rows and self.arrangement is Arrangement.CHAINED:
            self.strips = [self._move_beside_words(strip) for strip in self.strips]
        return self.strips

    @staticmethod
    def _move_beside_words(strip: Strip) -> Strip:
        """Return a strip whose matrices stand right of all its words."""
        pieces = [replace(piece, place=piece.place + 1) for piece in strip.pieces]
        return replace(strip, pieces=pieces, words=[[name for names in strip.words for name in names], [], []])

    def _join_sums(self, panel: Panel) -> bool:
        """Put sums at the end of their powers, where these are on the sheet; say whether it was done."""
        attention = self.sums.get(panel.stage.name)
        if attention is None:
            return False
        for strip in reversed(self.strips):
            for at, piece in enumerate(strip.pieces):
                if piece.stage == attention.powers and piece.part is Part.PRODUCT:
                    strip.pieces[at] = Piece(piece.stage, piece.part, piece.place, piece.tier, panel.stage.name)
                    strip.words[self._find_words_place(strip, piece)].append(panel.stage.name)
                    return True
        return False

    @staticmethod
    def _find_words_place(strip: Strip, piece: Piece) -> int:
        """Return the place where the words of a piece stand."""
        return next((at for at, words in enumerate(strip.words) if piece.stage in words), FIRST)

    # tokens as columns

    def _add_in_columns(self, panel: Panel) -> None:
        name = panel.stage.name
        if self._join_sums(panel):
            return
        last = self.strips[-1] if self.strips else None
        if self.arrangement is Arrangement.CHAINED and last and self._chain(last, panel):
            return
        attention = self.weights.get(name)
        if attention and last and attention.powers in last.stages:
            self._add_weights(last, panel, attention.powers)
            return
        if self.arrangement is Arrangement.PAIRED and name in self.powers and last and self._pair(last, panel):
            return
        stands_beside = name in self.masked or panel.stage.form is Form.SLOPE
        if stands_beside and not panel.side_factor and last and self._pair(last, panel):
            return
        if last and not self.has_attention and self._stands_beside(last, panel):
            self._put_beside(last, panel)
            return
        strip = self._make_strip(panel)
        if self.arrangement is Arrangement.CHAINED and last and strip.carried and self._goes_under(last, panel):
            self.strips[-1] = self._put_under(last, strip)
            return
        self.strips.append(strip)

    def _goes_under(self, strip: Strip, panel: Panel) -> bool:
        """Say whether a product continues the stage that stands alone in a strip."""
        product = panel.stage.product
        return product is not None and not product.is_right_transposed and self._is_alone(strip, product.right)

    @staticmethod
    def _put_under(above: Strip, strip: Strip) -> Strip:
        """Return a strip with what it continues above it, worked there and not copied."""
        (top,) = above.pieces
        pieces = [Piece(top.stage, top.part, LAST, 1), *strip.pieces]
        return replace(strip, pieces=pieces, words=[[*above.words[FIRST], *strip.words[FIRST]], [], []], carried=None)

    def _make_strip(self, panel: Panel) -> Strip:
        """Return a strip of its own for a stage, tokens as columns."""
        name, strip = panel.stage.name, Strip()
        goes_on = name in self.powers and self.powers[name].weights in self.panels
        place = MIDDLE if goes_on else LAST
        if panel.side_factor:  # given scores stand above their powers, and given powers above their sums
            is_above = goes_on or name in self.sums
            strip.pieces.append(Piece(name, Part.SIDE, place if is_above else MIDDLE, int(is_above)))
        if (inner := panel.side_panel) and inner.query_factor:
            if inner.side_factor:
                strip.pieces.append(Piece(name, Part.INNER_SIDE, FIRST))
            strip.pieces.append(Piece(name, Part.INNER_QUERY, MIDDLE, 1))
        if panel.query_factor:
            strip.carried = Piece(name, Part.QUERY, LAST, 1)
        strip.pieces.append(Piece(name, Part.PRODUCT, place))
        strip.words[FIRST].append(panel.stage.name)
        return strip

    def _chain(self, strip: Strip, panel: Panel) -> bool:
        """Put a stage behind those that it is made of, a product behind its left factor; say whether it was done."""
        stage = panel.stage
        stands_left = get_side_input(stage) in strip.stages  # it need not be copied
        goes_on = self._is_as_high(strip, panel)
        if stage.product is not None:
            goes_on = stands_left and not stage.product.is_left_transposed and strip.carried is None
        is_appended = stage.topic == "appended" and panel.side_factor is not None  # its title would go
        if not goes_on or is_appended or panel.side_panel or stage.name in self.apart:
            return False
        free = max(piece.place for piece in strip.pieces) + 1
        pieces = [Piece(stage.name, Part.SIDE, free)] if panel.side_factor and not stands_left else []
        pieces.append(Piece(stage.name, Part.PRODUCT, free + len(pieces)))
        words = [[*strip.words[FIRST], stage.name], *strip.words[FIRST + 1 :]]
        carried = Piece(stage.name, Part.QUERY, pieces[-1].place, 1) if panel.query_factor else strip.carried
        chained = replace(strip, pieces=[*strip.pieces, *pieces], words=words, carried=carried)
        if not self.saves_room(strip, self._make_strip(panel), chained):
            return False
        self.strips[-1] = chained
        return True

    def _is_as_high(self, strip: Strip, panel: Panel) -> bool:
        """Say whether a stage is made of one of a strip number by number, or one number of all of it."""
        made = {name: self.panels[name].grid.row_count for name in strip.stages if name in self.panels}
        return any(panel.grid.row_count in (1, made[name]) for name in panel.stage.input_names if name in made)

    def _pair(self, strip: Strip, panel: Panel) -> bool:
        """Put a stage beside the one it is made from, where that stands alone; say whether it was done."""
        if not self._is_alone(strip, panel.stage.input_names[0]):
            return False
        self._put_beside(strip, panel)
        return True

    @staticmethod
    def _put_beside(strip: Strip, panel: Panel) -> None:
        """Put a stage beside the one that stands alone in a strip."""
        strip.pieces = [Piece(strip.pieces[0].stage, Part.PRODUCT, MIDDLE), Piece(panel.stage.name, Part.PRODUCT, LAST)]
        strip.words[FIRST].append(panel.stage.name)

    def _stands_beside(self, strip: Strip, panel: Panel) -> bool:
        """Say whether two stages share a strip: one is a number a query, and nothing goes on below the first."""
        before = self.panels[strip.pieces[0].stage]
        has_factors = panel.side_factor or panel.query_factor or not self._is_alone(strip, before.stage.name)
        is_small = any(each.stage.rows.size_name == "one" for each in (before, panel))
        return is_small and not has_factors and before.stage.name not in self.continued and not panel.heading

    @staticmethod
    def _is_alone(strip: Strip, stage: str) -> bool:
        """Say whether a stage is all that stands in a strip."""
        return [(piece.stage, piece.part) for piece in strip.pieces] == [(stage, Part.PRODUCT)]

    def _add_weights(self, strip: Strip, panel: Panel, powers: str) -> None:
        """Put weights beside their powers; under them where scaled scores stand beside these."""
        piece = next(piece for piece in strip.pieces if piece.stage == powers)
        if piece.place < LAST:
            strip.pieces.append(Piece(panel.stage.name, Part.PRODUCT, piece.place + 1))
            strip.words[self._find_words_place(strip, piece)].append(panel.stage.name)
            return
        below = Strip()
        below.pieces.append(Piece(panel.stage.name, Part.PRODUCT, LAST))
        below.words[FIRST].append(panel.stage.name)
        self.strips.append(below)

    # tokens as rows

    def _add_in_rows(self, panel: Panel) -> None:
        name = panel.stage.name
        if self._join_sums(panel):
            return
        strip = self.strips[-1] if self.strips else Strip()
        used = {piece.place for piece in strip.pieces}
        free = max(used, default=-1) + 1
        standing = {piece.stage for piece in strip.pieces if piece.part is Part.PRODUCT and not piece.tier}
        shown = standing | {
            self.panels[piece.stage].query_factor_name for piece in strip.pieces if piece.part is Part.QUERY
        }
        attention = self.weights.get(name)
        has_powers = attention is not None and attention.powers in standing
        stands_alone = self.arrangement in (Arrangement.ALONE, Arrangement.CHAINED) or (
            self.arrangement in SEPARATED and not has_powers
        )
        is_new = not strip.pieces or free > LAST or stands_alone
        if name in self.powers and not is_new:
            source = panel.stage.input_names[0]
            stacks = self.arrangement is Arrangement.PAIRED or source in self.masked
            if stacks and self._is_alone(strip, source):
                self._stack(strip, panel)
                return
            is_new = True
        if panel.query_factor:
            is_new = is_new or panel.query_factor_name not in shown
        if is_new:
            strip = Strip()
            self.strips.append(strip)
            free = FIRST
            if panel.query_factor:
                strip.pieces.append(Piece(name, Part.QUERY, FIRST))
                free = MIDDLE
        words_place = FIRST if is_new else free
        has_rows = name in self.masked or name in self.sums
        if panel.side_factor and has_rows and free < LAST:  # a mask has a row for each query too
            strip.pieces.append(Piece(name, Part.SIDE, free))
            free += 1
        elif panel.side_factor:
            strip.pieces.append(Piece(name, Part.SIDE, free, 1))
        if (inner := panel.side_panel) and inner.query_factor:
            if inner.side_factor:
                strip.pieces.append(Piece(name, Part.INNER_SIDE, free, 2))
            strip.pieces.append(Piece(name, Part.INNER_QUERY, free - 1, 1))
            words_place = free - 1 if not strip.words[free - 1] else free
        strip.pieces.append(Piece(name, Part.PRODUCT, free))
        if attention and attention.powers in standing:  # their words stand together
            words_place = self._find_words_place(strip, Piece(attention.powers, Part.PRODUCT, FIRST))
        strip.words[words_place].append(panel.stage.name)

    def _stack(self, strip: Strip, panel: Panel) -> None:
        """Put powers under what they are made from, where that is alone."""
        (source,) = strip.pieces
        strip.pieces = [Piece(source.stage, Part.PRODUCT, FIRST, 1), Piece(panel.stage.name, Part.PRODUCT, FIRST)]
        strip.words[FIRST].append(panel.stage.name)
