"""A sheet: what it asks, how many cells there are to fill, and what it refuses to print."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.mechanisms.base import get_query_inputs, get_side_input, strip_head
from attnhand.errors import CodeError, PageError
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.sheet.build_grids import format_stage_title
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode
from tests.building import CLASSIC, make_problem


@cache
def make_sheet(tokens: int, **options: Any) -> Sheet:
    """Return a sheet with that many tokens; to draw twelve takes seconds."""
    return make_sheet_from_request(Request(seed=7, size_overrides=(("tokens", tokens),)), PageOptions(**options))


@pytest.mark.parametrize(("tokens", "cells"), [(4, 116), (8, 360), (12, 732)])
def test_cells_to_fill_are_counted(tokens: int, cells: int) -> None:
    """116 at 4 tokens, 360 at 8, 732 at 12, where every query is asked."""
    every_query = PageOptions(only_queries=tuple(range(1, tokens + 1)))
    assert replace(make_sheet(tokens), options=every_query).answer_cell_count == cells


def test_two_queries_are_asked_above_six_tokens() -> None:
    """110 cells at 12 tokens, K and V printed."""
    sheet = make_sheet(12)
    assert (sheet.asked_queries, sheet.asks_every_query, sheet.answer_cell_count) == ((0, 2), False, 110)
    printed = [stage.name for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage)]
    assert printed == ["K", "V"]
    assert [make_sheet(tokens).asks_every_query for tokens in (2, 6, 7)] == [True, True, False]


def test_queries_are_asked_once_each_and_in_order() -> None:
    """However they were named."""
    assert make_sheet(4, only_queries=(4, 2, 4)).asked_queries == (1, 3)
    assert make_sheet(4, only_queries=(4, 2, 1, 3)).asks_every_query


@pytest.mark.parametrize("query", [0, -1, 5, 12])
def test_a_query_that_is_not_there_is_refused(query: int) -> None:
    """Queries are counted from 1, as people do."""
    with pytest.raises(PageError) as refusal:
        make_sheet(4, only_queries=(1, query))
    assert str(refusal.value) == f"there is no query {query}: the sheet has 4 tokens; ask some of 1 to 4"


def test_an_unknown_language_is_refused() -> None:
    """A refusal lists the languages there are."""
    with pytest.raises(PageError, match=r"^the language 'xx' is unknown: use en"):
        make_sheet(4, language="xx")


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"title": "x" * 101}, "the title 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… has 101 characters"),
        ({"title": "a😀b"}, "the title 'a😀b' holds '😀' (U+1F600), which the bundled font cannot print"),
        ({"words": ("one", "two", "three", "x" * 11)}, "the word 'xxxxxxxxxxx' has 11 characters"),
        ({"words": ("one", "two", "three", "漢")}, "the word '漢' holds '漢' (U+6F22), which the bundled font"),
    ],
)
def test_what_cannot_be_printed_is_refused(others: dict[str, Any], message: str) -> None:
    """Titles and words that are too long, or hold what the font does not."""
    with pytest.raises(PageError) as refusal:
        make_sheet_from_problem(make_problem(CLASSIC, **others))
    assert str(refusal.value).startswith(message)


def test_blank_and_key_are_one_sheet() -> None:
    """The same solution and options, with and without answers."""
    sheet = make_sheet(4)
    assert (sheet.blank.is_solved, sheet.key.is_solved) == (False, True)
    assert sheet.blank.key == sheet.key == sheet
    assert sheet.blank.solution == sheet.solution


@pytest.mark.parametrize("convention", Convention)
def test_every_query_has_its_own_line_in_what_it_travels_through(convention: Convention) -> None:
    """Q, S, scaled, powers, sums, A and Z belong to single queries, K and V to all; in both conventions."""
    sheet = make_sheet_from_request(Request(seed=7, convention=convention))
    assert sheet.query_stages == {"Q", "S", "scaled", "powers", "sums", "A", "Z"}
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages}
    assert {name: get_side_input(stage) for name, stage in stages.items() if get_side_input(stage)} == {
        "Q": "W_Q",
        "K": "W_K",
        "V": "W_V",
        "S": "K",
        "Z": "V",
    }
    assert {name: get_query_inputs(stages[name]) for name in ("Q", "S", "A", "Z")} == {
        "Q": ("X",),
        "S": ("Q",),
        "A": ("powers", "sums"),
        "Z": ("A",),
    }


def test_what_is_asked_are_columns_or_rows() -> None:
    """A query's numbers stand in a column, with tokens as rows in a row."""
    for convention, expected in ((Convention.COLUMNS, (range(4), (1,))), (Convention.ROWS, ((1,), range(4)))):
        sheet = make_sheet_from_request(Request(seed=7, convention=convention), PageOptions(only_queries=(2,)))
        assert sheet.find_asked_rows_and_columns(sheet.problem.mechanism.get_stage("S")) == expected
        assert sheet.find_asked_rows_and_columns(sheet.problem.mechanism.get_stage("K")) == (
            (range(3), range(4)) if convention is Convention.COLUMNS else (range(4), range(3))
        )


def test_a_drawn_sheet_carries_the_code_that_rebuilds_it() -> None:
    """The code says what was asked; a salted sheet says that it is."""
    request = Request(seed=7, convention=Convention.ROWS)
    plain, salted = make_sheet_from_request(request), make_sheet_from_request(request, salt="pepper")
    assert (plain.code, plain.is_salted, plain.request) == (encode_request(request), False, request)
    assert decode_sheet_code(plain.code).request == request
    assert (salted.code, salted.is_salted) == (encode_request(request, "pepper"), True)
    assert salted.problem != plain.problem


def test_a_sheet_of_own_matrices_carries_a_fingerprint() -> None:
    """The same matrices have the same code, others another, and it cannot rebuild them."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC))
    assert sheet.request is None
    assert sheet.code == make_sheet_from_problem(make_problem(CLASSIC)).code
    with pytest.raises(CodeError, match="is the fingerprint of a problem file"):
        decode_sheet_code(sheet.code)
    assert make_sheet_from_problem(make_problem({**CLASSIC, "W_V": CLASSIC["W_K"]})).code != sheet.code


def test_sentences_are_filled_in_for_the_convention() -> None:
    """The same key says "column" or "row"; one that no language has is a mistake of ours."""
    in_columns, in_rows = (make_sheet_from_request(Request(seed=7, convention=convention)) for convention in Convention)
    assert (in_columns.say("line", at="q₂"), in_rows.say("line", at="q₂")) == ("column q₂", "row q₂")
    assert in_columns.has_sentence("line")
    assert not in_columns.has_sentence("nothing of the kind")
    with pytest.raises(KeyError):
        in_columns.say("nothing of the kind")


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("softmax", "powers"),
        ("Softmax", "powers"),
        ("Σ", "sums"),
        ("attention weights", "A"),
        ("Attention weights", "A"),
        ("scores", "S"),
        ("Scaled scores", "scaled"),
        (" outputs ", "Z"),
        ("s", "S"),
        ("Keys and queries", "K"),
    ],
)
def test_a_stage_goes_by_what_a_person_reads(name: str, stage: str) -> None:
    """Printed names, what a stage makes, and headings, in large or small letters; files keep the id."""
    sheet = make_sheet(4, from_stage=name)
    assert (sheet.find_stages(name), sheet.name_stage(name)) == ((stage,), stage)
    assert sheet.answer_cell_count == make_sheet(4, from_stage=stage).answer_cell_count
    assert (
        make_sheet(4, blank_stages=(name,)).answer_cell_count == make_sheet(4, blank_stages=(stage,)).answer_cell_count
    )


def test_with_heads_a_name_means_the_stage_of_each() -> None:
    """Files then keep the id without a head."""
    request = Request(seed=7, variant=Variant(mechanism="multi-head", heads=2))
    sheet = make_sheet_from_request(request, PageOptions(blank_stages=("softmax", "h2.A")))
    assert sheet.find_stages("softmax") == ("h1.powers", "h2.powers")
    assert [sheet.name_stage(name) for name in ("softmax", "h2.A", "A")] == ["powers", "h2.A", "A"]


def test_every_readable_name_means_the_stages_it_stands_at() -> None:
    """What is printed for a stage names it, and no name of a stage is lost."""
    for mechanism in MECHANISMS:
        sheet = make_sheet_from_request(Request(seed=7, variant=Variant(mechanism=mechanism)))
        stages = sheet.problem.mechanism.stages
        assert len(stages) > 3
        for stage in stages:
            assert stage.name in sheet.find_stages(to_unicode(parse_markup(strip_head(stage.name))))
            assert stage.name in sheet.find_stages(format_stage_title(sheet, stage))
