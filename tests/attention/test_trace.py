"""One query's trace: what it meets, what it mixes, on the page and in words."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.attention.solution import compute_stages, follow_through
from attnhand.attention.trace import can_be_traced, trace_query
from attnhand.errors import CellError, PageError
from attnhand.layout.lay_out import lay_out, lay_out_without_model
from attnhand.layout.page import GridBox, TextBox
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.explain import explain_trace, find_query
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.trace_grids import build_trace_grids
from attnhand.text.widths import to_unicode
from tests.breadth import choose
from tests.building import CLASSIC, make_problem
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION


def test_the_classic_trace() -> None:
    """The published sheet, first query: S = 3 4 −1 3, weights 9/46 27/46 1/46 9/46, z₁ = 180/23 50/23 135/23."""
    problem = make_problem(CLASSIC)
    (trace,) = trace_query(problem.mechanism, dict(problem.given) | compute_stages(problem, problem.hand_arithmetic), 0)
    assert [stage.name for stage, _ in trace.steps] == ["S", "scaled", "powers", "A"]
    assert trace.steps[0][1] == (3, 4, -1, 3)
    assert trace.weights == tuple(Fraction(n, 46) for n in (9, 27, 1, 9))
    assert trace.output == (Fraction(180, 23), Fraction(50, 23), Fraction(135, 23))
    assert trace.letters == ("q", "k", "v", "z")


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if can_be_traced(form.build_mechanism(6))])
def test_a_trace_is_the_query_against_every_key_and_the_values_it_mixes(name: str) -> None:
    """Dot products, sum and mixture are computed here once more; rows give the same trace as columns."""
    for seed in range(1, 2):
        traces = {}
        for convention in Convention:
            sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[name], convention=convention))
            values = sheet.solution.collect_hand_values()
            tokens = range(sheet.problem.sizes["tokens"])
            traces[convention] = [trace_query(sheet.problem.mechanism, values, query) for query in tokens]
            assert all(len(heads) == sheet.problem.mechanism.head_count for heads in traces[convention])
        for rows, columns in zip(traces[Convention.ROWS], traces[Convention.COLUMNS], strict=True):
            for other, trace in zip(rows, columns, strict=True):
                for part in ("head", "letters", "query", "keys", "power_sum", "values", "weighted_values", "output"):
                    assert getattr(other, part) == getattr(trace, part)
                query, keys = np.array(trace.query), np.array(trace.keys)
                assert tuple(keys @ query) == trace.steps[0][1]
                powers = trace.steps[-2][1]
                sink = FORMS[name].sink
                assert Fraction(sum(powers)) + (0 if sink is None else Fraction(3) ** sink) == trace.power_sum
                assert [Fraction(power) / Fraction(trace.power_sum) for power in powers] == list(trace.weights)
                seen = [score > MINUS_INFINITY for score in trace.steps[-3][1]]
                assert all(bool(weight) is sees for weight, sees in zip(trace.weights, seen, strict=True))
                added = np.array(trace.values).T @ np.array(trace.weights)
                assert tuple(added) == trace.output == tuple(np.array(trace.weighted_values).sum(axis=0))


TRACED = tuple(each for each in FORMS_IN_ONE_CONVENTION if can_be_traced(FORMS[each[0]].build_mechanism(6)))


@pytest.mark.parametrize(("name", "convention"), choose(TRACED[::6], TRACED))
def test_the_page_of_a_trace(name: str, convention: Convention) -> None:
    """At the beginning of the sheet, a page each or several on one; given numbers on the blank, filled on the key."""
    request = Request(seed=7, variant=FORMS[name], convention=convention, level=choose(Level.WARM_UP, Level.STANDARD))
    plain = make_sheet_from_request(request)
    sheet = make_sheet_from_request(request, PageOptions(trace=min(2, plain.problem.sizes["tokens"])))
    heads = sheet.problem.mechanism.head_count
    pages: dict[bool, int] = {}
    for solved in (False, True):
        each = sheet.key if solved else sheet.blank
        layout = lay_out(each)
        without = lay_out_without_model(plain.key if solved else plain.blank)
        pages[solved] = len(layout.pages)
        assert len(without.pages) <= pages[solved] <= len(without.pages) + heads
        texts = [
            to_unicode(paragraph.text)
            for page in layout.pages[:heads]
            for item in page.items
            if isinstance(item, TextBox)
            for paragraph in item.paragraphs
        ]
        drawn = [item.grid for page in layout.pages for item in page.items if isinstance(item, GridBox)]
        for trace in build_trace_grids(each):
            assert to_unicode(trace.heading) in texts
            own = [trace.key_grid, *trace.step_grids, *trace.value_grids]
            assert drawn[: len(own)] == own
            drawn = drawn[len(own) :]
            cells = [cell for grid in own for row in grid.cells for cell in row]
            assert not any(cell.address for cell in cells)
            empty = sum(cell.number is None for cell in cells)
            assert (empty == 0) if solved else (empty > len(cells) / 3)
    assert pages[False] == pages[True]
    assert build_trace_grids(plain) == ()


def test_the_trace_carries_on_from_a_students_values() -> None:
    """Every number of it stands elsewhere on the key: what the student wrote, and what follows from that."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(trace=1))
    found = follow_through(sheet.solution, [(("S", 0, 0), 9)])
    (trace,) = build_trace_grids(replace(sheet, follow_through=found))
    steps = [[row[0].number and row[0].number.text for row in step.cells] for step in trace.step_grids[:2]]
    assert [step[0] for step in steps] == ["9", "4"]
    assert steps[0][1:] == [str(row[0]).replace("-", "−") for row in sheet.solution["S"].hand[1:]]


def test_only_a_query_of_the_sheet_can_be_traced() -> None:
    """One that is asked, and one that there is."""
    with pytest.raises(PageError, match="no query 5 on this sheet to trace: give one of 1, 2, 3, 4"):
        make_sheet_from_request(Request(seed=7), PageOptions(trace=5))
    with pytest.raises(PageError, match="no query 2 on this sheet to trace: give one of 1, 3"):
        make_sheet_from_request(Request(seed=7), PageOptions(trace=2, only_queries=(1, 3)))
    with pytest.raises(PageError, match="asks nothing else: leave out `trace=2`, or `mistake="):
        PageOptions(trace=2, mistake="any")


def test_a_trace_in_words() -> None:
    """Seed 7, third query: every dot product and every weighted value, by hand and exactly."""
    explained = explain_trace(make_sheet_from_request(Request(seed=7)), 2)
    assert explained.title == "the journey of q₃"
    assert explained.by_hand == (
        "q₃ = (−1, 1, 1)",
        "q₃ · k₁ = (−1, 1, 1) · (1, −1, 1) = −1",
        "q₃ · k₂ = (−1, 1, 1) · (0, −2, 3) = 1",
        "q₃ · k₃ = (−1, 1, 1) · (−2, −1, 2) = 3",
        "q₃ · k₄ = (−1, 1, 1) · (1, 0, 1) = 0",
        "scaled scores: −1  0  1  0",
        "powers of the scores: 1/3  1  3  1",
        "their sum: 1/3 + 1 + 3 + 1 = 16/3",
        "attention weights: 1/16  3/16  9/16  3/16",
        "a₁ · v₁ = 1/16 · (0, −1, −1) = (0, −1/16, −1/16)",
        "a₂ · v₂ = 3/16 · (−1, 3, 1) = (−3/16, 9/16, 3/16)",
        "a₃ · v₃ = 9/16 · (2, 1, 0) = (9/8, 9/16, 0)",
        "a₄ · v₄ = 3/16 · (0, 0, −1) = (0, 0, −3/16)",
        "all added: z₃ = (15/16, 17/16, −1/16)",
    )
    assert explained.exactly[5] == "scaled scores: −0.58  0.58  1.73  0.00"


def test_how_a_query_is_named() -> None:
    """q2, or x2 where the inputs are compared; a cell is no query; one that there is not is refused."""
    sheet, basic = (
        make_sheet_from_request(Request(seed=7, variant=form)) for form in (Variant(), Variant(mechanism="basic"))
    )
    assert [find_query(sheet, text) for text in ("q2", " q_4 ", "S23", "k1q2", "x2", "q")] == [1, 3, *[None] * 4]
    assert [find_query(basic, text) for text in ("q2", "x1")] == [1, 0]
    for text in ("q0", "q5"):
        with pytest.raises(CellError, match="give q1 to q4"):
            find_query(sheet, text)
