"""The diagram at the head of a page: the flow of the computation, black what the page has, grey the rest."""

from collections.abc import Sequence, Set
from dataclasses import replace

from attnhand.layout.page import Box, FlowBox, FlowWord
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet.flow import Flow, FlowLane, FlowNode
from attnhand.text.widths import MM_PER_POINT, Text, embolden, make_plain_text, measure_width

LINE_PITCH, TIGHT_LINE_PITCH = 3.7, 3.1
"""From line to line: where there is one head, and where there are two."""

RULE = 0.2
"""How thick its lines are."""

ARROW = "→"
ARROW_AXIS = 0.258
"""How far the shaft of an arrow is above the baseline, in em of the bundled face."""

GAP, BEND = 0.7, 1.4
"""From a word to an arrow or a line, and from a word to where its line turns."""

ELLIPSIS = "…"

SKIP_TOP, SKIP_LINE = 0.55, 0.85
"""Where what runs past a layer leaves its line and where it runs, in lines."""


def make_flow_box(
    flow: Flow, alt_text: str, place: tuple[float, float], max_width: float, typography: Typography, shown: Set[str]
) -> FlowBox | None:
    """Return the diagram of a flow with its top left corner at a place; None where it is wider than there is room.

    A page on which a block goes on after attention has what follows that, with what runs past its layers. Where else
    it is too wide, it says less: not who asks, answers and passes on; then not what is between the heads' outputs and
    the last matrix.

    Args:
        shown: the stages and given matrices of its page.
    """
    if flow.skips and _is_after_heads(flow, shown):
        box = _Pen(typography, place, shown).draw_skips(flow)
        return replace(box, alt_text=alt_text) if box.box.w <= max_width else None
    for shorter in (flow, _drop_roles(flow), _drop_middle(_drop_roles(flow))):
        box = _Pen(typography, place, shown).draw(shorter)
        if box.box.w <= max_width:
            return replace(box, alt_text=alt_text)
    return None


def _is_after_heads(flow: Flow, shown: Set[str]) -> bool:
    """Say whether a page works something after all heads, and nothing in them."""
    worked = [node.names for lane in flow.lanes for node in (lane.query, lane.key, *lane.chain, lane.output) if node]
    after = [node.names for node in flow.suffix]
    return any(not names.isdisjoint(shown) for names in after) and all(names.isdisjoint(shown) for names in worked)


def _drop_roles(flow: Flow) -> Flow:
    def drop(node: FlowNode | None) -> FlowNode | None:
        return node and node._replace(role="")

    lanes = (replace(lane, query=drop(lane.query), key=drop(lane.key), value=drop(lane.value)) for lane in flow.lanes)
    return replace(flow, lanes=tuple(lanes))


def _drop_middle(flow: Flow) -> Flow:
    if len(flow.suffix) < 3:
        return flow
    *middle, last = flow.suffix
    names = frozenset[str]().union(*(node.names for node in middle))
    return replace(flow, suffix=(FlowNode(names, make_plain_text(ELLIPSIS)), last))


class _Pen:
    """Writes words and rules of a diagram from left to right."""

    def __init__(self, typography: Typography, place: tuple[float, float], shown: Set[str]) -> None:
        self.points = typography.paragraph_points[ParagraphStyle.SMALL]
        self.size = self.points * MM_PER_POINT
        self.scale = self.points / 8.0
        self.left, self.top = place
        self.pitch = 0.0
        self.shown = shown
        self.words: list[FlowWord] = []
        self.rules: list[Box] = []

    def draw(self, flow: Flow) -> FlowBox:
        """Return the diagram."""
        x = self.left
        is_single = flow.head_count == 1
        line_count = 2 * len(flow.lanes) + (is_single and flow.lanes[0].query is not None)
        self.pitch = (LINE_PITCH if is_single else TIGHT_LINE_PITCH) * self.scale
        middle = self._find_middle(flow, line_count, is_single=is_single)
        if flow.prefix:
            x = self._write_arrow(self._write(flow.prefix, x, middle) + GAP, middle) + GAP
        if is_single:
            end, line = self._draw_lane(flow.lanes[0], x)
        else:
            end, line = self._draw_heads(flow.lanes, x, middle)
        for node in flow.suffix:
            end = self._write(node, self._write_arrow(end + GAP, line) + GAP, line)
        height = (line_count - 1) * self.pitch + self.size
        return FlowBox(Box(self.left, self.top, end - self.left, height), tuple(self.words), tuple(self.rules))

    def draw_skips(self, flow: Flow) -> FlowBox:
        """Return what follows attention, and below it what runs past a layer to the sum that it is added in."""
        self.pitch = LINE_PITCH * self.scale
        attention = FlowNode(frozenset(), make_plain_text(ELLIPSIS))
        end, middles = self.left, dict[FlowNode, float]()
        for node in (flow.skips[0][0], attention, *flow.suffix):
            begin = self._write_arrow(end + GAP, 0) + GAP if middles else end
            end = self._write(node, begin, 0)
            middles[node] = (begin + end) / 2
        for past, joined in flow.skips:
            start, stop = middles[past] + BEND / 2, middles[joined] - BEND / 2
            self._rule(start, stop, SKIP_LINE)
            for x in (start, stop):
                self._drop(x, SKIP_TOP, SKIP_LINE)
        return FlowBox(
            Box(self.left, self.top, end - self.left, self.pitch + self.size), tuple(self.words), tuple(self.rules)
        )

    @staticmethod
    def _find_middle(flow: Flow, line_count: int, *, is_single: bool) -> float:
        """Return the line of what stands before all heads."""
        if not is_single:
            return (line_count - 1) / 2
        lane = flow.lanes[0]
        return 1.0 if lane.query and lane.has_one_source else 0.0

    # one head: queries above keys above values

    def _draw_lane(self, lane: FlowLane, x: float) -> tuple[float, float]:
        """Draw one head from its source on; return where it ends, and on which line."""
        if lane.query is None:
            return self._draw_bare_lane(lane, x)
        query_source, key_source = lane.sources
        if not query_source.text and not key_source.text:
            return self._draw_branches(lane, x)
        if lane.has_one_source:
            bend = self._write(query_source, x, 1) + BEND
            self._rule(bend - BEND + GAP, bend, 1)
            self._drop(bend, 0, 2)
        else:
            start = max(self._write(query_source, x, 0), self._write(key_source, x, 1))
            bend = start + BEND
            self._rule(start + GAP, bend, 0)
            self._rule(start + GAP, bend, 1)
            self._drop(bend, 1, 2)
        return self._draw_branches(lane, max(self._write_arrow(bend, line) for line in range(3)) + GAP)

    def _draw_branches(self, lane: FlowLane, begin: float) -> tuple[float, float]:
        """Draw queries, keys and values from a place on, and what comes of them."""
        branches = [node for node in (lane.query, lane.key, lane.value) if node]
        ends = [self._write(node, begin, line) for line, node in enumerate(branches)]
        join = max(ends[:2]) + BEND
        for line in (0, 1):
            self._rule(ends[line] + GAP, join, line)
        self._drop(join, 0, 1)
        return self._finish_lane(lane, join, ends[2], 1, 2)

    def _draw_bare_lane(self, lane: FlowLane, x: float) -> tuple[float, float]:
        """Draw a head without queries and keys of its own: its source is compared with itself, and mixed."""
        end = self._write(lane.sources[0], x, 0)
        bend = end + BEND
        self._rule(end + GAP, bend, 0)
        self._drop(bend, 0, 1)
        return self._finish_lane(lane, bend, bend, 0, 1)

    def _finish_lane(
        self, lane: FlowLane, start: float, value_end: float, line: float, value_line: float
    ) -> tuple[float, float]:
        """Draw what follows on a line, and let values join it before the outputs."""
        end = start
        for number, node in enumerate(lane.chain):
            end = self._write(node, self._write_arrow(end + GAP * bool(number), line) + GAP, line)
        join = end + BEND
        self._rule(end + GAP, join, line)
        self._rule(value_end + GAP * (value_end != start), join, value_line)
        self._drop(join, line, value_line)
        return self._write(lane.output, self._write_arrow(join, line) + GAP, line), line

    # more heads: queries and keys on one line, values on the next

    def _draw_heads(self, lanes: Sequence[FlowLane], x: float, middle: float) -> tuple[float, float]:
        """Draw heads one under the other; return where what joins them ends, and on which line."""
        query_source, key_source = lanes[0].sources
        source = query_source
        if not lanes[0].has_one_source:
            text = (*query_source.text, *make_plain_text(", "), *key_source.text)
            source = FlowNode(query_source.names | key_source.names, text)
        bend = x
        if source.text:
            end = self._write(source, x, middle)
            bend = end + BEND
            self._rule(end + GAP, bend, middle)
            self._drop(bend, 0, 2 * len(lanes) - 1)
        ends = []
        for at, lane in enumerate(lanes):
            line = 2 * at
            start = self._write_arrow(bend, line) + GAP if source.text else bend
            both = [node._replace(role="") for node in (lane.query, lane.key) if node]
            for number, node in enumerate(both):
                text = (*node.text, *make_plain_text(", ")) if number + 1 < len(both) else node.text
                start = self._write(node._replace(text=text), start, line)
            value_end = bend
            if lane.value:
                begin = self._write_arrow(bend, line + 1) + GAP if source.text else bend
                value_end = self._write(lane.value._replace(role=""), begin, line + 1)
            ends.append(self._finish_lane(lane, start + GAP, value_end, line, line + 1)[0])
        if len(lanes) == 1:
            return ends[0], 0.0
        join = max(ends) + BEND
        for at, end in enumerate(ends):
            self._rule(end + GAP, join, 2 * at)
        self._drop(join, 0, 2 * len(lanes) - 2)
        self._rule(join, join + BEND / 2, len(lanes) - 1)
        return join + BEND / 2 - GAP, float(len(lanes) - 1)

    # strokes

    def _find_baseline(self, line: float) -> float:
        return self.top + line * self.pitch + 0.8 * self.size

    def _write(self, node: FlowNode, x: float, line: float) -> float:
        """Write a node and return where it ends."""
        is_here = not node.names.isdisjoint(self.shown)
        text = embolden(node.text) if is_here else node.text
        x = self._write_text(text, x, line, is_here=is_here)
        return self._write_text(make_plain_text(f" {node.role}"), x, line, is_here=is_here) if node.role else x

    def _write_text(self, text: Text, x: float, line: float, *, is_here: bool) -> float:
        self.words.append(FlowWord(text, x, self._find_baseline(line), is_here))
        return x + measure_width(text, self.points)

    def _write_arrow(self, x: float, line: float) -> float:
        return self._write_text(make_plain_text(ARROW), x, line, is_here=False)

    def _find_axis(self, line: float) -> float:
        return self._find_baseline(line) - ARROW_AXIS * self.size

    def _rule(self, start: float, end: float, line: float) -> None:
        """Draw a rule along a line."""
        if end > start:
            self.rules.append(Box(start, self._find_axis(line) - RULE / 2, end - start, RULE))

    def _drop(self, x: float, line: float, other: float) -> None:
        """Draw a rule from line to line."""
        top = self._find_axis(line) - RULE / 2
        self.rules.append(Box(x - RULE / 2, top, RULE, self._find_axis(other) + RULE / 2 - top))
