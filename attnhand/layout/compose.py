"""Compose the pages of a sheet on the grid: blank and key at once, so that every box stands at the same place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise

from attnhand.layout.breaks import MAX_EMPTY_SHARE, Block, Cost, find_breaks
from attnhand.layout.correction_pages import make_correction_pages
from attnhand.layout.face import Face
from attnhand.layout.page import (
    Box,
    FlowBox,
    Item,
    Layout,
    Page,
    Paragraph,
    RuleBox,
    make_grid_box,
    make_text_box,
    measure_text_height,
)
from attnhand.layout.page_grid import (
    LINE_SPACING,
    MAX_ROOMIER,
    MIN_PENCIL_ROOM,
    PLACE_WIDTH,
    RULE_GAP,
    STAGE_GAP,
    TIED_GAP,
    Arrangement,
    PageGrid,
    TooLargeError,
)
from attnhand.layout.page_head import PageHead
from attnhand.layout.question_columns import ROW_GAP, QuestionColumns
from attnhand.layout.question_room import QuestionRoom
from attnhand.layout.strip_box import StripBox, StripMeasurer, make_working_space
from attnhand.layout.strips import Strip, StripPlanner
from attnhand.layout.trace_columns import TraceColumns
from attnhand.layout.typography import UNIT, ParagraphStyle
from attnhand.sheet.document import Document
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import Text, measure_width

TIGHTNESS_COST, WIDE_COST, OFF_PLACES_COST = 6.0, 12.0, 2.0
"""Of a step to tighter rows, of words that stand above, and of a strip too wide for the places, in numbers to copy."""

SPLIT_QUESTIONS_COST = 30
"""Of questions that go on on another page, in numbers to copy."""

MAP_CELL, MAP_HEADER, MAP_GAP = (8.4, 5.25), (6.0, 10.5), 6.0
"""Of heat maps: the width and height of a cell, of their labels with the name above them, and what is between two."""


ROOM_FOR_MARKS = 4 * UNIT
"""What may be below the last cells of a strip and fills no page, in millimetres."""

MAX_DRIFT = 0.05
"""How far a product and what stands above it may be out of line, in millimetres."""


@dataclass(slots=True)
class _Unit:
    """What stays together on a page: a strip, questions, or what a key says in the end."""

    block: Block
    strip: Strip | None = None
    question_row: int | None = None
    has_rule: bool = False
    """Whether a step begins with it, so that a rule parts it from what is above."""

    has_low_rule: bool = False
    """Whether a step begins in it, beside what goes on: a rule stands in the white above it, and takes no more."""

    boxes: dict[tuple[bool, int, float | None], StripBox] = field(default_factory=dict)
    """The strip, by whether what its product continues is drawn above it, how much roomier rows are, where it ends."""

    height: float = 0.0


class SheetFaces:
    """Blank and key of a sheet, as documents and as what strips draw; and what was measured of them on a grid."""

    def __init__(self, blank: Document, key: Document) -> None:
        self.documents = blank, key
        self.faces = tuple(
            Face(each.sheet, {panel.stage.name: panel for run in each.panels.runs for panel in run})
            for each in self.documents
        )
        self.strip_units: dict[tuple[Arrangement, frozenset[str], bool, float, int], list[_Unit]] = {}
        """Its strips by all of a grid that changes them, whatever room questions have."""

        self._heads: dict[tuple[float, float], tuple[PageHead, ...]] = {}

    def get_heads(self, grid: PageGrid) -> tuple[PageHead, ...]:
        """Return the heads of both faces on a paper, where they are the same in all rows and arrangements."""
        paper = grid.width, grid.height
        if paper not in self._heads:
            self._heads[paper] = tuple(PageHead(each, grid, self.documents) for each in self.documents)
        return self._heads[paper]


class Composer:
    """Composes blank and key of one sheet on one grid."""

    def __init__(self, faces: SheetFaces, grid: PageGrid, room: QuestionRoom | None) -> None:
        """Take a sheet and a grid, and how much room questions have; None for what they take."""
        self.documents, self.faces, self.room = faces.documents, faces.faces, room
        self.grid, self.type, self.sheet = grid, grid.typography, self.documents[1].sheet
        self.measurers = [StripMeasurer(grid.make_roomier(step), *self.faces) for step in range(MAX_ROOMIER + 1)]
        self.heads = faces.get_heads(grid)
        self.mechanism = self.sheet.problem.mechanism
        way = grid.arrangement, grid.apart, grid.keeps_words, grid.width, grid.tightness
        if way not in faces.strip_units:
            faces.strip_units[way] = self._make_strip_units()
        self.comparison_stage = self._find_comparison_stage([each.strip for each in faces.strip_units[way]])
        self.units = [*faces.strip_units[way], *self._make_closing_units()]

    # what there is

    def _make_strip_units(self) -> list[_Unit]:
        planner = StripPlanner(
            self.documents[1].panels,
            self.mechanism,
            self.grid.arrangement,
            is_rows=self.grid.is_rows,
            saves_room=self.measurers[0].saves_room,
            apart=self.grid.apart,
        )
        strips = planner.plan()
        return [self._make_strip_unit(strip, strips[at - 1] if at else None) for at, strip in enumerate(strips)]

    def _make_closing_units(self) -> list[_Unit]:
        """Return the rows of questions, or what a key says in the end."""
        if self.questions:
            return [
                _Unit(_make_question_block(row), question_row=row, has_rule=row == 0, height=height)
                for row, height in enumerate(self.questions.measure_rows())
            ]
        closing = self._measure_closing()
        return [_Unit(Block(), has_rule=True, height=closing)] if closing else []

    def _make_strip_unit(self, strip: Strip, previous: Strip | None) -> _Unit:
        panels = self.faces[1].panels
        needs = panels[strip.carried.stage].query_factor_name if strip.carried else ""
        is_given = bool(needs) and needs in dict(self.sheet.problem.given)
        grid = self.faces[1].get_grid(strip.carried) if strip.carried else None
        block = Block(
            needs=needs,
            makes=tuple(strip.stages),
            copied_numbers=grid.row_count * grid.column_count if grid and not is_given else 0,
            tied_to_previous=previous is not None and self._tears_softmax(previous, strip),
        )
        first, *others = (name for speakers in strip.words for name in speakers)
        begins_later = any(panels[name].heading for name in others)
        return _Unit(block, strip=strip, has_rule=bool(panels[first].heading), has_low_rule=begins_later)

    def _tears_softmax(self, previous: Strip, strip: Strip) -> bool:
        """Say whether powers are in one of two strips and the weights made from them in the other."""
        pairs = [(each.powers, each.weights) for each in self.mechanism.softmaxes if each.powers]
        return any(powers in previous.stages and weights in strip.stages for powers, weights in pairs)

    def _find_comparison_stage(self, strips: Sequence[Strip | None]) -> str:
        """Return the weights under whose words the comparison stands; empty where it stands at the end, or is none."""
        weights = [each.weights for each in self.mechanism.attentions]
        if not self._list_comparison(1) or len(weights) != 1 or self.grid.has_words_above or self.grid.is_rows:
            return ""
        strip = next((strip for strip in strips if strip and weights[0] in strip.stages), None)
        return weights[0] if strip and weights[0] in strip.words[0] else ""

    @cached_property
    def questions(self) -> QuestionColumns | None:
        """The questions at the end; None where nothing is asked."""
        blank, key = (each.questions for each in self.documents)
        if blank is None or key is None:
            return None
        return QuestionColumns(
            self.grid, blank, key, self.sheet, (self._list_closing(0), self._list_closing(1)), self.room
        )

    def _list_comparison(self, face: int) -> list[Paragraph]:
        """Return how good the shortcut was, as a key says it; a blank keeps room for it."""
        comparison = self.documents[face].comparison
        return _make_slots(comparison.sentences if comparison else (), SlotKind.COMPARISON)

    def _list_closing(self, face: int) -> list[Paragraph]:
        """Return what a key says at the end."""
        closing = self.documents[face].closing
        if face:
            paragraphs = _make_slots(closing.sentences if closing else (), SlotKind.CLOSING)
        else:
            texts = closing.sentences if closing else ()
            paragraphs = [Paragraph(text, ParagraphStyle.SMALL) for text in texts]
        return paragraphs + ([] if self.comparison_stage else self._list_comparison(face))

    def _measure_closing(self) -> float:
        lists = [self._list_closing(face) for face in (0, 1)]
        return max(measure_text_height(each, self.type, self.grid.text_width) if each else 0.0 for each in lists)

    # breaking

    def find_cost(self) -> Cost:
        """Return what the best pages cost.

        Raises:
            TooLargeError: something is larger than a page.
        """
        cost, _ = self._breaks
        make_correction_pages(self.documents[1], self.grid, self._find_top(2))
        extra = find_grid_effort(self.grid)
        if not self.grid.has_words_above:
            strips = [self._measure_strip(unit, with_carried=False) for unit in self.units if unit.strip]
            extra += OFF_PLACES_COST * sum(not strip.stands_in_places for strip in strips)
        return cost + Cost(pages=len(self.trace_pages[1]), effort=extra)

    @property
    def page_count(self) -> int:
        """How many pages there are."""
        return len(self._breaks[1]) + len(self.trace_pages[1])

    def list_chained(self) -> list[str]:
        """Return the stages that are chained to a product: those that could as well begin a strip."""
        pairs = [pair for unit in self.units if unit.strip for pair in pairwise(unit.strip.stages)]
        return [after for before, after in pairs if self.mechanism.get_stage(before).product is not None]

    @cached_property
    def _breaks(self) -> tuple[Cost, list[int]]:
        blocks = [unit.block for unit in self.units]
        found = find_breaks(blocks, partial(self._measure_pages, has_head_page=bool(self.trace_pages[1])))
        if found is None and self.grid.is_large:
            found = find_breaks(blocks, partial(self._measure_pages, has_head_page=True))
            if found is not None:  # the first page has no room but for its head
                found = found[0] + Cost(pages=1), [0, *found[1]]
        if found is None:
            raise TooLargeError("a stage is higher than a page")
        return found

    def _measure_pages(self, start: int, *, has_head_page: bool) -> Iterator[tuple[float, float]]:
        """Yield how high a page is that begins with a unit, and how much room it has, with more and more of them."""
        page_number = 2 if start or has_head_page else 1
        made: dict[str, tuple[float, float]] = {}
        height, has_powers = 0.0, False
        for at, unit in enumerate(self.units[start:]):
            height += self._measure_gap(unit, is_first=not at) + self._pick_height(unit, made, 0)
            has_powers = has_powers or self._needs_powers([unit])
            yield height, self.grid.body_bottom - self._find_top(page_number, has_powers=has_powers)

    def _find_roominess(self, units: Sequence[_Unit], room: float) -> int:
        """Return how much roomier the rows of a page become, in steps: as many as fill it, where another follows."""
        if not units or units[-1] is self.units[-1]:
            return 0
        for step in range(MAX_ROOMIER + 1):
            height = self._measure_units(units, step)
            if height > room:
                break
            if height > (1 - MAX_EMPTY_SHARE) * room + ROOM_FOR_MARKS * self.grid.scale:
                return step
        return 0

    def _measure_units(self, units: Sequence[_Unit], roomier: int = 0) -> float:
        made: dict[str, tuple[float, float]] = {}
        return sum(
            self._measure_gap(unit, is_first=unit is units[0]) + self._pick_height(unit, made, roomier)
            for unit in units
        )

    def _measure_gap(self, unit: _Unit, *, is_first: bool) -> float:
        """Return what is above a unit: its rule, and white before that."""
        if is_first:
            return RULE_GAP
        rule = RULE_GAP if unit.has_rule else 0.0
        return rule + (STAGE_GAP if unit.has_rule else ROW_GAP if unit.strip is None else TIED_GAP)

    def _pick_height(self, unit: _Unit, made: dict[str, tuple[float, float]], roomier: int) -> float:
        if unit.strip is None:
            return unit.height
        box = self._pick_box(unit, made, roomier)
        made |= {unit.block.needs: box.last_cells, **box.cells}
        return box.height

    def _pick_box(self, unit: _Unit, made: dict[str, tuple[float, float]], roomier: int) -> StripBox:
        """Return a strip without what its product continues, where that stands above it on its page already.

        Args:
            made: where the cells of what is on the page begin, and how wide they are, in millimetres.
            roomier: how much roomier its rows are than they usually are, in steps.
        """
        box = self._measure_strip(unit, roomier, with_carried=False)
        if unit.strip is None or unit.strip.carried is None:
            return box
        if above := made.get(unit.block.needs):
            if _are_in_line(box, above):
                return box
            if (moved := self._measure_below(unit, above, roomier)) is not None:
                return moved
        return self._measure_strip(unit, roomier, with_carried=True)

    def _measure_below(self, unit: _Unit, above: tuple[float, float], roomier: int) -> StripBox | None:
        """Return a strip farther left, with its product below what it continues; None where that cannot be."""
        if self.grid.is_rows or self.grid.arrangement is not Arrangement.CHAINED:
            return None
        try:
            box = self._measure_strip(unit, roomier, with_carried=False, ends_at=sum(above))
        except TooLargeError:
            return None
        return box if _are_in_line(box, above) else None

    def _measure_strip(
        self, unit: _Unit, roomier: int = 0, *, with_carried: bool, ends_at: float | None = None
    ) -> StripBox:
        """Return a strip in its place, measured once.

        Raises:
            TooLargeError: its matrices are wider than the page.
        """
        key = with_carried, roomier, ends_at
        if key not in unit.boxes and unit.strip is not None:
            has_comparison = self.comparison_stage and self.comparison_stage in unit.strip.stages
            below = self._list_comparison(1) if has_comparison else []
            measurer = self.measurers[roomier]
            unit.boxes[key] = measurer.measure(
                unit.strip, with_carried=with_carried, below_words=below, ends_at=ends_at
            )
        return unit.boxes[key]

    def _find_top(self, page_number: int, *, has_powers: bool = False, has_flow: bool = False) -> float:
        """Return where the body of a page begins."""
        bottoms = [head.find_bottom(page_number, has_powers=has_powers, has_flow=has_flow) for head in self.heads]
        return max(bottoms) + UNIT / 2

    def _find_shown(self, number: int, units: Sequence[_Unit]) -> frozenset[str] | None:
        """Return the matrices of a page, which its diagram shows in black; None where it has no room for a diagram."""
        flow = self.heads[0].flow
        made = {name for unit in units if unit.strip for name in self._list_worked(unit.strip)}
        top = self._find_top(number, has_powers=self._needs_powers(units), has_flow=True)
        spare = self.grid.body_bottom - top - self._measure_units(units)
        if not made or spare < 0 or flow is None:
            return None
        read = {name for name in made for name in self.mechanism.get_stage(name).input_names}
        sources = {name for lane in flow.lanes for node in lane.sources for name in node.names}
        past = {name for start, _ in flow.skips for name in start.names}
        sources |= {given.name for given in self.mechanism.given} & past
        return frozenset(made | (read & sources))

    def _needs_powers(self, units: Sequence[_Unit]) -> bool:
        return any(not self._reminded.isdisjoint(unit.block.makes) for unit in units)

    @cached_property
    def _reminded(self) -> frozenset[str]:
        """The stages beside which powers are printed."""
        return frozenset(stage.name for stage in self.mechanism.stages if stage.facts.reminder_key)

    def _list_worked(self, strip: Strip) -> Iterator[str]:
        """Yield the stages that a strip has matrices to fill of."""
        for piece in strip.pieces:
            panel = self.faces[1].get_worked_panel(piece)
            if panel is not None:
                yield panel.stage.name
            if piece.totals:
                yield piece.totals

    # placing

    def compose(self) -> tuple[Layout, Layout]:
        """Return the pages of the blank and of the key.

        Raises:
            TooLargeError: something is larger than a page.
        """
        _, starts = self._breaks
        ends = [*starts[1:], len(self.units)]
        blank, key = (
            self._compose_face(face, [self.units[start:end] for start, end in zip(starts, ends, strict=True)])
            for face in (0, 1)
        )
        return blank, key

    def _compose_face(self, face: int, pages: Sequence[Sequence[_Unit]]) -> Layout:
        head = self.heads[face]
        bodies = self._compose_traces(face)
        for number, units in enumerate(pages, len(bodies) + 1):
            has_flow = any(isinstance(item, FlowBox) for items, _ in bodies for item in items)
            shown = None if self.grid.is_large and has_flow else self._find_shown(number, units)
            has_powers = self._needs_powers(units)
            top = self._find_top(number, has_powers=has_powers, has_flow=shown is not None)
            made_head = head.make_head(number, has_powers=has_powers, shown=shown)
            body, bottom = self._place_page(face, units, top)
            if face and units is pages[-1]:
                # what the key of another sheet says above them may be two lines longer
                body += self._place_heat_maps(bottom + STAGE_GAP + 2 * self.type.find_line_height(ParagraphStyle.SMALL))
            bodies.append((made_head, body))
        for body in make_correction_pages(self.documents[face], self.grid, self._find_top(2)):
            bodies.append((head.make_head(len(bodies) + 1, has_powers=False), body))
        made = []
        for number, (made_head, body) in enumerate(bodies, 1):
            foot = head.make_foot(number, len(bodies))
            items = (*head.make_registration_squares(), *made_head, *body, *foot)
            made.append(Page(number=number, items=items))
        return Layout(width=self.grid.width, height=self.grid.height, pages=tuple(made), typography=self.type)

    @cached_property
    def trace_pages(self) -> tuple[list[list[Item]], list[list[Item]]]:
        """What stands on the pages of traces, which come first: of the blank and of the key.

        Raises:
            TooLargeError: a trace is larger than a page.
        """
        columns = TraceColumns(self.grid)
        tops = self._find_top(1, has_flow=True), self._find_top(2, has_flow=True)
        try:
            blank, key = (columns.place_traces(document.traces, tops) for document in self.documents)
        except TooLargeError:  # the first page has no room but for its head
            blank, key = (
                [[], *columns.place_traces(document.traces, (tops[1], tops[1]))] for document in self.documents
            )
        return blank, key

    def _compose_traces(self, face: int) -> list[tuple[list[Item], list[Item]]]:
        """Return the pages of traces, which show all of the diagram: heads, and what is below them."""
        everything = frozenset(stage.name for stage in self.mechanism.stages) | dict(self.sheet.problem.given).keys()
        return [
            (self.heads[face].make_head(number, has_powers=False, shown=everything), body)
            for number, body in enumerate(self.trace_pages[face], 1)
        ]

    def _place_page(self, face: int, units: Sequence[_Unit], top: float) -> tuple[list[Item], float]:
        """Return what stands on a page, and where it ends."""
        items: list[Item] = []
        y = top
        made: dict[str, tuple[float, float]] = {}
        roomier = self._find_roominess(units, self.grid.body_bottom - top)
        for at, unit in enumerate(units):
            gap = self._measure_gap(unit, is_first=not at)
            y += gap
            if unit.has_rule or unit.has_low_rule or not at:
                above = RULE_GAP if unit.has_rule or not at else gap / 2
                items.append(RuleBox(box=Box(self.grid.left, y - above, self.grid.text_width, 0.0)))
            items += self._place_unit(face, unit, y, self._pick_box(unit, made, roomier) if unit.strip else None)
            y += self._pick_height(unit, made, roomier)
        room = self.grid.body_bottom - y - STAGE_GAP
        if not face and room >= MIN_PENCIL_ROOM * self.grid.scale:
            items += self._place_pencil_lines(y + STAGE_GAP)
        return items, y

    def _place_unit(self, face: int, unit: _Unit, y: float, box: StripBox | None) -> list[Item]:
        if unit.strip is not None and box is not None:
            items = self.measurers[0].place(box, self.faces[face], y)
            if face and self.comparison_stage and self.comparison_stage in unit.strip.stages:
                words = next(words for words in box.words if words.has_comparison)
                below = y
                if paragraphs := words.list_paragraphs(self.faces[face]):
                    below += measure_text_height(paragraphs, self.type, words.width) + 2 * self.type.paragraph_gap
                items.append(make_text_box(self._list_comparison(1), self.type, words.x, below, PLACE_WIDTH))
            return items
        if unit.question_row is not None and self.questions:
            return self.questions.place_row(unit.question_row, is_solved=bool(face), y=y)
        paragraphs = self._list_closing(face)
        return [make_text_box(paragraphs, self.type, self.grid.left, y, self.grid.text_width)] if paragraphs else []

    def _place_heat_maps(self, top: float) -> list[Item]:
        """Return the weights by hand and exactly as shaded numbers, where the last page of a key has room for all."""
        comparison, scale = self.documents[1].comparison, self.grid.small_scale
        items: list[Item] = []
        x, y, bottom = self.grid.left, top, top
        for pair in comparison.heat_maps if comparison else ():
            size, header = (MAP_CELL[0] * scale, MAP_CELL[1] * scale), (MAP_HEADER[0] * scale, MAP_HEADER[1] * scale)
            boxes = [make_grid_box(grid, (0.0, 0.0), size, header) for grid in pair]
            widths = [max(box.box.w, measure_width(box.grid.name, self.type.name_points) * 1.02) for box in boxes]
            width = sum(widths) + MAP_GAP * len(widths)
            if x > self.grid.left and x + width - MAP_GAP > self.grid.right:
                x, y = self.grid.left, bottom + STAGE_GAP
            for box, taken in zip(boxes, widths, strict=True):
                items.append(replace(box, box=box.box._replace(x=x, y=y)))
                x += taken + MAP_GAP
                bottom = max(bottom, y + box.box.h)
        is_too_wide = any(item.box.right > self.grid.right + 0.01 for item in items)
        return [] if is_too_wide or bottom + UNIT / 2 > self.grid.body_bottom else items

    def _place_pencil_lines(self, y: float) -> list[Item]:
        """Return lines to work on, as far as a page has room."""
        room = Box(self.grid.left, y, self.grid.text_width, self.grid.body_bottom - y)
        return make_working_space(room, LINE_SPACING * self.grid.scale, self.sheet, self.type)


def _are_in_line(box: StripBox, above: tuple[float, float]) -> bool:
    """Say whether cells stand below others, as wide as they are."""
    return max(abs(one - other) for one, other in zip(box.last_cells, above, strict=True)) < MAX_DRIFT


def find_grid_effort(grid: PageGrid) -> float:
    """Return what a grid costs whatever stands on it, in numbers to copy."""
    return grid.tightness * TIGHTNESS_COST + WIDE_COST * (
        grid.has_words_above or grid.arrangement is Arrangement.CHAINED
    )


def _make_question_block(row: int) -> Block:
    """Return a row of questions, to stand on the page of the row before: no page begins with a try if it can be had."""
    return Block(makes=("questions",)) if row == 0 else Block(needs="questions", copied_numbers=SPLIT_QUESTIONS_COST)


def _make_slots(texts: Sequence[Text], kind: SlotKind) -> list[Paragraph]:
    return [Paragraph(text, ParagraphStyle.SMALL, slot=Slot(kind, sentence_index=at)) for at, text in enumerate(texts)]
