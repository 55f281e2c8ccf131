"""The flow of a computation: which matrices lead to which, from the inputs to the outputs, head by head."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from attnhand.attention.mechanisms.base import AttentionStages, Content, Stage, strip_head
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.sheet.build_grids import format_headed_markup, format_matrix_name
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, make_plain_text, parse_markup, to_unicode


class FlowNode(NamedTuple):
    """Matrices that stand at one place of the flow."""

    names: frozenset[str]
    """Their stages, or given matrices."""

    text: Text
    role: str = ""
    """What its tokens do: "asks", "answers", "passes on"."""


@dataclass(frozen=True, slots=True)
class FlowLane:
    """The attention of one head, or of all where there are more than two."""

    sources: tuple[FlowNode, FlowNode]
    """What queries are made from, and what keys and values are; without a word where they are given."""

    query: FlowNode | None
    key: FlowNode | None
    value: FlowNode | None
    """None where the source itself is used."""

    chain: tuple[FlowNode, ...]
    """From the scores to the weights."""

    output: FlowNode

    @property
    def has_one_source(self) -> bool:
        """Say whether queries, keys and values are made from one matrix."""
        return self.sources[0].names == self.sources[1].names


@dataclass(frozen=True, slots=True)
class Flow:
    """The flow of a sheet's computation."""

    prefix: FlowNode | None
    """What is worked before the source of queries, if something is: embedded words, positions."""

    lanes: tuple[FlowLane, ...]
    """One a head, or one for all of them."""

    head_count: int
    suffix: tuple[FlowNode, ...]
    """What is worked after all heads."""

    skips: tuple[tuple[FlowNode, FlowNode], ...]
    """What runs past a layer, and the residual sum that it is added in."""


MAX_LANES = 2
"""More heads share one lane."""


def build_flow(sheet: Sheet) -> Flow | None:
    """Return the flow of a sheet's computation; None where no queries are compared with keys."""
    mechanism = sheet.problem.mechanism
    if not all(each.outputs and mechanism.find_stage(each.scores) for each in mechanism.attentions):
        return None
    if not mechanism.attentions:
        return None
    lanes = [_build_lane(sheet, attention) for attention in mechanism.attentions]
    in_lanes = {name for lane in lanes for node in _list_nodes(lane) for name in node.names}
    sources = {name for lane in lanes for node in lane.sources for name in node.names}
    order = [stage.name for stage in mechanism.stages]
    first = min(at for at, name in enumerate(order) if name in in_lanes)
    before = [name for name in order[:first] if name not in sources]
    after = [name for name in order[first:] if name not in in_lanes]
    normed = "X" if "N1" in sources else ""  # a norm stands in the diagram as what it reads
    prefix = _make_node(sheet, [*before, *normed], shown=normed) if before else None
    suffix = tuple(_list_suffix(sheet, after))
    ends = [node for node in (prefix, lanes[0].sources[0], *suffix) if node]

    def find_end(name: str) -> FlowNode:
        """Return what holds a stage or a given matrix; a new node where queries are given, not made from X."""
        return next((node for node in ends if name in node.names), _make_node(sheet, [name]))

    residuals = [stage for stage in mechanism.stages if stage.topic == "residual"]
    return Flow(
        prefix=prefix,
        lanes=tuple(lanes) if len(lanes) <= MAX_LANES else (_merge_lanes(lanes),),
        head_count=len(lanes),
        suffix=suffix,
        skips=tuple((find_end(each.input_names[0]), find_end(each.name)) for each in residuals),
    )


def _list_suffix(sheet: Sheet, names: list[str]) -> Iterator[FlowNode]:
    """Yield what is worked after all heads, the three steps of a norm as what comes of them, and all ends together.

    A gradient that is given goes before what is worked from it, and an end that needs nothing between, as dV = g Aᵀ,
    stands where it can be worked.
    """
    mechanism = sheet.problem.mechanism
    yield from (_make_node(sheet, [each.name]) for each in mechanism.given if each.content is Content.GRADIENT)
    read_on = {each for stage in mechanism.stages for each in stage.input_names}
    ends = [name for name in names if name not in read_on]
    early = [name for name in ends if not {*mechanism.get_stage(name).input_names} & {*names}]
    late = [name for name in ends if name not in early]
    steps: list[str] = []
    for name in names:
        if name in ends:
            continue
        steps.append(name)
        if mechanism.get_stage(name).topic not in ("squares", "root"):
            yield _make_node(sheet, [*steps, *early], shown="" if early else name)
            steps, early = [], []
    if late:
        yield _make_node(sheet, late)._replace(names=frozenset([*steps, *late]))


def _build_lane(sheet: Sheet, attention: AttentionStages) -> FlowLane:
    mechanism = sheet.problem.mechanism
    stages = {stage.name: stage for stage in mechanism.stages}
    begins_with = sheet.problem.variant.begins_with
    key, query = stages[attention.scores].factor_names
    value, _ = stages[attention.outputs].factor_names
    branches: list[FlowNode | None] = []
    sources = []
    made_of = {name: _list_branch(stages, name) for name in (query, key, value)}
    for name, role in ((query, "asks"), (key, "answers"), (value, "passes_on")):
        made, is_compared_itself = made_of[name], query == key
        source = [_find_source(stages[made[0]])] if made else [name] if is_compared_itself else []
        sources.append(_make_node(sheet, [each for each in source if strip_head(each) not in begins_with]))
        node = _make_node(sheet, made or [name], shown=name)._replace(role=sheet.say(role))
        branches.append(None if is_compared_itself and not any(made_of.values()) else node)
    chain = (
        *(attention.scores, attention.scaled, attention.biased, attention.tempered, attention.masked),
        attention.shifted,
        *(attention.powers, attention.sums, attention.weights),
    )
    query_node, key_node, value_node = branches
    return FlowLane(
        sources=(sources[0], sources[1]),
        query=query_node,
        key=key_node,
        value=value_node,
        chain=tuple(_make_node(sheet, [name]) for name in chain if name in stages),
        output=_make_node(sheet, [attention.outputs], keeps_head=True),
    )


def _find_source(stage: Stage) -> str:
    """Return what queries, keys or values are made from by their first stage."""
    return stage.factor_names[-1] if stage.role is ProductRole.PROJECTION else stage.formula.reads[0]


def _list_branch(stages: dict[str, Stage], name: str) -> list[str]:
    """Return the stages that make queries, keys or values of their source: a projection, what turns and appends it."""
    if name not in stages:
        return []
    if stages[name].topic in ("turned", "appended"):
        return [*_list_branch(stages, stages[name].formula.reads[-1]), name]
    return [name] if stages[name].role is ProductRole.PROJECTION else []


def _make_node(sheet: Sheet, names: list[str], *, shown: str = "", keeps_head: bool = False) -> FlowNode:
    text: Text = ()
    for name in [shown] if shown else names:
        own = parse_markup(format_headed_markup(sheet, name)) if keeps_head else format_matrix_name(sheet, name)
        text += (*(make_plain_text(", ") if text else ()), *own)
    return FlowNode(frozenset(names), text)


def _list_nodes(lane: FlowLane) -> list[FlowNode]:
    """Return what a lane has between its sources and its end."""
    return [node for node in (lane.query, lane.key, lane.value, *lane.chain, lane.output) if node]


def _merge_lanes(lanes: list[FlowLane]) -> FlowLane:
    """Return one lane for all heads, its outputs from the first to the last."""

    def merge(nodes: list[FlowNode | None]) -> FlowNode | None:
        first = nodes[0]
        return first and first._replace(names=frozenset().union(*(node.names for node in nodes if node)))

    first, last = lanes[0], lanes[-1]
    chain = [merge([lane.chain[at] for lane in lanes]) for at in range(len(first.chain))]
    outputs = merge([lane.output for lane in lanes])
    assert outputs is not None
    return FlowLane(
        sources=first.sources,
        query=merge([lane.query for lane in lanes]),
        key=merge([lane.key for lane in lanes]),
        value=merge([lane.value for lane in lanes]),
        chain=tuple(node for node in chain if node),
        output=outputs._replace(text=(*first.output.text, *make_plain_text(" … "), *last.output.text)),
    )


def describe_flow(flow: Flow) -> str:
    """Return the flow in one line, for those who listen: "X → Q, K, V; Q, K → S → powers → Σ → A; A, V → Z"."""

    def name(*nodes: FlowNode | None) -> str:
        return ", ".join(to_unicode(node.text) for node in nodes if node)

    parts = [f"{name(flow.prefix)} → {name(flow.lanes[0].sources[0])}"] if flow.prefix else []
    for lane in flow.lanes:
        query_source, key_source = lane.sources
        is_worked = bool(lane.query and query_source.text)  # from something that is on the sheet
        if is_worked and lane.has_one_source:
            parts.append(f"{name(query_source)} → {name(lane.query, lane.key, lane.value)}")
        elif is_worked:
            parts.append(f"{name(query_source)} → {name(lane.query)}")
            parts.append(f"{name(key_source)} → {name(lane.key, lane.value)}")
        start = name(lane.query, lane.key) or name(query_source)
        parts.append(" → ".join([start, *map(name, lane.chain)]))
        parts.append(f"{name(lane.chain[-1], lane.value or key_source)} → {name(lane.output)}")
    if flow.suffix:
        parts.append(" → ".join([name(*(lane.output for lane in flow.lanes)), *map(name, flow.suffix)]))
    parts += [" → ".join(map(name, skip)) for skip in flow.skips]
    return "; ".join(parts)
