"""The diagram at the head of pages: what leads to what, and which of it a page has."""

from collections import Counter
from dataclasses import replace

import pytest

from attnhand import generate
from attnhand.api import GenerateArguments
from attnhand.formats.html import render_html
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import FlowBox, Page
from attnhand.sheet.flow import Flow, build_flow, describe_flow
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import measure_width, to_unicode
from tests.breadth import choose
from tests.pages.geometry import list_addresses, list_grids
from tests.pages.sheets import KINDS, get_layouts, get_sheet

FLOWS = {
    "classic columns": "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z",
    "classic rows": "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z",
    "basic columns": "X → S → powers → Σ → A; A, X → Z",
    "cross columns": "X → Q; M → K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z",
    "window rows": "X → Q, K, V; Q, K → S → scaled → masked → powers → Σ → A; A, V → Z",
    "multi-head rows": "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z⁽¹⁾; "
    "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z⁽²⁾; Z⁽¹⁾, Z⁽²⁾ → concat → output",
    "four heads columns": "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z⁽¹⁾ … Z⁽⁴⁾; "
    "Z⁽¹⁾ … Z⁽⁴⁾ → concat → output",
    "block columns": "X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z; Z → F₁ → relu₁ → F₂",
    "positions columns": "E, P → X; X → Q, K, V; Q, K → S → scaled → powers → Σ → A; A, V → Z",
}
"""Read off the mechanisms' definitions."""


@pytest.mark.parametrize("name", FLOWS)
def test_it_leads_from_inputs_to_outputs(name: str) -> None:
    """Every mechanism, said in one line for those who listen."""
    assert describe_flow(find_whole_flow(get_sheet(name))) == FLOWS[name]


WITHOUT_FLOW = ("scores alone columns", "online columns", "online rows", "online warm-up")
"""Sheets without one: where scores are given, or come a block at a time."""

DRAWN = [
    name for name in KINDS if name not in WITHOUT_FLOW and not name.startswith(("learn", "next word", "without a head"))
]
"""A vocabulary that is read out is no flow from tokens to outputs either: it has no diagram."""


@pytest.mark.parametrize("name", choose(DRAWN[::4], DRAWN))
def test_every_stage_has_one_place(name: str) -> None:
    """None is left out, none stands twice."""
    sheet = get_sheet(name)
    stages = {stage.name for stage in sheet.problem.mechanism.stages}
    places = Counter(each for each in list_names(find_whole_flow(sheet)) if each in stages)
    sources = {each for lane in find_whole_flow(sheet).lanes for node in lane.sources for each in node.names}
    assert stages - places.keys() == stages & sources
    assert set(places.values()) == {1}


@pytest.mark.parametrize("name", [name for name in KINDS if name in WITHOUT_FLOW])
def test_where_scores_are_not_worked_all_at_once_there_is_none(name: str) -> None:
    """No lanes lead from inputs to outputs."""
    assert build_flow(get_sheet(name)) is None


def find_whole_flow(sheet: Sheet) -> Flow:
    """Return the flow of a sheet that has one."""
    flow = build_flow(sheet)
    assert flow is not None
    return flow


def list_names(flow: Flow) -> list[str]:
    """Return what stands in a flow, sources left out."""
    nodes = [flow.prefix, *flow.suffix]
    for lane in flow.lanes:
        nodes += [lane.query, lane.key, lane.value, *lane.chain, lane.output]
    return [name for node in nodes if node for name in node.names]


def find_flow(page: Page) -> FlowBox | None:
    """Return the diagram of a page, if it has one."""
    return next((item for item in page.items if isinstance(item, FlowBox)), None)


@pytest.mark.parametrize("name", ["classic columns", "classic rows", "causal rows", "cross rows"])
def test_a_page_shows_in_black_what_it_has(name: str) -> None:
    """Its matrices to fill, and what they are made from; the rest is grey; blank and key alike."""
    for layout in get_layouts(get_sheet(name)):
        assert any(map(find_flow, layout.pages))
        for page in layout.pages:
            flow = find_flow(page)
            if flow is None:
                continue
            black = {to_unicode(word.text) for word in flow.words if word.is_here}
            stages = {each.partition("[")[0] for item in list_grids(page) for each in list_addresses(item.grid)}
            names = {"sums": "Σ"}
            assert {names.get(each, each) for each in stages} == black - {"X", "M", " asks", " answers", " passes on"}
            grids = {to_unicode(item.grid.name) for item in list_grids(page)}
            assert black & {"X", "M"} == grids & {"X", "M"}


def test_the_way_back_shows_what_each_step_needs() -> None:
    """dV = g Aᵀ waits for nothing that is worked on the way, dq and dK for dS′."""
    said = describe_flow(find_whole_flow(generate(7, mechanism="backward")))
    assert said == "Q, K → S → scaled → powers → Σ → A; A, V → Z; Z → g → dA, dV → d → dS → dS′ → dq, dK"


BLOCK: GenerateArguments = {"mechanism": "block", "residual": True}


@pytest.mark.parametrize(
    ("options", "said", "words"),
    [
        ({**BLOCK}, "X → R₁; R₁ → R₂", "X … output R₁ F₁ relu₁ F₂ R₂"),
        ({**BLOCK, "norm": "rms", "begin_with": "Q,K,V"}, "X → R₁; R₁ → R₂", "X … output R₁ N₂ F₁ relu₁ F₂ R₂"),
        ({**BLOCK, "norm": "rms"}, "X → R₁; R₁ → R₂", "X … output R₁ N₂ F₁ relu₁ F₂ R₂"),
        ({**BLOCK, "norm": "rms", "norm_place": "after"}, "X → R₁; N₁ → R₂", "X … output R₁ N₁ F₁ relu₁ F₂ R₂ N₂"),
    ],
)
def test_what_runs_past_a_layer_joins_the_sum(options: GenerateArguments, said: str, words: str) -> None:
    """The pages after attention show the stream below what they work: from what a layer reads to where it is added."""
    sheet = generate(12, **options).blank
    assert describe_flow(find_whole_flow(sheet)).endswith(f"; {said}")
    drawn = [flow for page in lay_out(sheet).pages if (flow := find_flow(page)) and "… output" in write_words(flow)]
    assert len(drawn) >= 2
    assert {write_words(flow) for flow in drawn} == {words}
    for flow in drawn:
        black = {to_unicode(word.text) for word in flow.words if word.is_here}
        assert ("X" in black) is ("R₁" in black)  # which is worked from it on that page
        middles = {to_unicode(word.text): word.x + measure_width(word.text, POINTS) / 2 for word in flow.words}
        level = [rule for rule in flow.rules if rule.w > rule.h]
        for rule, skip in zip(level, said.split("; "), strict=True):
            start, stop = (middles[end] for end in skip.split(" → "))
            assert start < rule.x < start + 2 and stop - 2 < rule.x + rule.w < stop
            assert all(rule.y > word.baseline for word in flow.words)


POINTS = 8.0
"""Of the words of a diagram."""


def write_words(flow: FlowBox) -> str:
    """Return what stands in a diagram, arrows aside."""
    return " ".join(to_unicode(word.text) for word in flow.words if to_unicode(word.text) != "→")


@pytest.mark.parametrize("language", ["en", "de", "uk"])
def test_whoever_cannot_see_it_hears_it(language: str) -> None:
    """On the web page as in the file, in the sheet's language."""
    sheet = get_sheet("classic columns")
    sheet = replace(sheet, options=replace(sheet.options, language=language))
    flow = find_flow(lay_out(sheet.blank).pages[0])
    assert flow is not None
    assert flow.alt_text == sheet.say("flow", steps=describe_flow(find_whole_flow(sheet)))
    assert f"<title>{flow.alt_text}</title>" in render_html(sheet.blank)


def test_a_page_without_room_has_none() -> None:
    """No sheet gets a page more for it, and nothing overlaps it."""
    pages = [find_flow(page) for page in get_layouts(get_sheet("four heads columns"))[1].pages]
    assert not pages[0]
    assert any(pages)
