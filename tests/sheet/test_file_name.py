"""Names of files: different sheets never share one, and one sheet has always the same."""

import json
import random
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import attnhand
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.formats.sources import (
    NamedSheet,
    list_sample_names,
    make_sheet_from_code,
    make_sheet_from_data,
    make_sheet_from_seed,
    read_sample,
)
from attnhand.marking.given_cells import carry_from_given_cells
from attnhand.problems.base32 import strip_language
from attnhand.sheet.file_name import MAX_WORDS_LENGTH
from attnhand.sheet.option_table import Panel, list_options
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder, parse_options
from attnhand.sheet.seat import Seat
from tests.breadth import choose

Options = dict[str, Any]
"""Options by name, as they are typed."""

PAGE_CHOICES: list[Options] = [
    {"only_queries": "1,3"},
    {"only_queries": "2"},
    {"from_stage": "S"},
    {"from_stage": "softmax"},
    {"blank_stages": "A,Z"},
    {"blank_stages": "A"},
    {"fade": True},
    {"questions": "none"},
    {"questions": "many"},
    {"tries": True},
    {"trace": 1},
    {"trace": 3},
    {"mistake": "any"},
    {"mistake": "truncated"},
    {"mistake": "over-count"},
    {"paper": "letter"},
    {"large_print": True},
    {"show_exact": True},
    {"self_check": True},
    {"fillable": True},
    {"check_sums": True},
    {"tick_boxes": True},
    {"scan": True},
    {"language": "de"},
    {"language": "uk"},
]
TEXT_CHOICES: list[Options] = [
    {"words": "a b c d"},
    {"words": "a b c e"},
    {"words": "fade b c d"},
    {"title": "Week 3"},
    {"title": "Week 4"},
    {"title": "fade"},
]
RULE_CHOICES: list[Options] = [
    {"convention": "rows"},
    {"rules": "exact"},
    {"scale": "none"},
    {"scale": "sqrt"},
    {"scale": "4"},
    {"base": "2"},
    {"base": "e"},
    {"decimals": 3},
    {"decimals": 4},
]
DRAWN_CHOICES: list[Options] = [
    {"mechanism": "basic"},
    {"mechanism": "cross"},
    {"mechanism": "cross", "memory_length": 2},
    {"mechanism": "multi-head"},
    {"mechanism": "multi-head", "heads": 3},
    {"mechanism": "multi-head", "kv_heads": 1},
    {"positions": "rotary"},
    {"positions": "distance"},
    {"cache": 3},
    {"sink": 1},
    {"mechanism": "block"},
    {"mechanism": "block", "hidden": 2},
    {"mechanism": "block", "residual": True},
    {"mechanism": "block", "norm": "rms"},
    {"mechanism": "block", "residual": True, "norm": "rms", "norm_place": "after"},
    {"causal": True},
    {"causal": True, "window": 2},
    {"level": "first"},
    {"level": "warm-up"},
    {"level": "challenge"},
    {"tokens": 3},
    {"tokens": 5},
    {"features": 4},
    {"d_k": 2},
    {"d_v": 2},
    {"words": "the cat the hat", "embed": True},
    {"words": "the cat saw it", "embed": True},
    {"words": "the cat the hat", "positions": True},
    {"story": "soup"},
    {"story": "elephant"},
    {"allow_ties": True},
    {"carry": "self,self-causal"},
    {"carry": "self,block-1"},
    {"begin_with": "Q,K,V"},
    {"begin_with": "S"},
    {"begin_with": "Q,K,V", "query_count": 1},
    {"padding": "4"},
    {"subtract_max": True},
    {"mechanism": "online"},
    {"mechanism": "online", "blocks": 2},
    {"temperature": 2},
    {"mechanism": "next-token", "top_k": 2},
    {"mechanism": "next-token", "vocabulary": 5},
    {"mechanism": "next-token", "learn": "1/2"},
    {"part": "head-1"},
    {"part": "learn"},
    {"salt": "tin otter waltz jam"},
    {"salt": "tin otter waltz ham"},
]
"""Those of drawn sheets alone."""

RENDERED = ("json", "html", "pdf")
"""What shows between them everything that a sheet has; the quickest first."""


def combine(choices: list[Options], count: int) -> list[Options]:
    """Return nothing options, each choice alone, and so many pairs and threes of them."""
    dice = random.Random(1)
    many = [dice.sample(choices, size) for size in (2, 3) for _ in range(count)]
    return [{}, *choices, *({name: value for each in some for name, value in each.items()} for some in many)]


def make_drawn(options: Options) -> NamedSheet | None:
    """Make the sheet of seed 7; None where the options contradict one another."""
    try:
        return make_sheet_from_seed(*parse_options(options), 7)
    except AttnhandError:
        return None


def make_own(options: Options) -> NamedSheet | None:
    """Make the sheet of a sample as if it were a file of one's own."""
    try:
        return make_sheet_from_data(json.loads(read_sample("classic")), "my.json", "my", *parse_options(options))
    except AttnhandError:
        return None


def find_namesakes(named: list[NamedSheet]) -> list[tuple[NamedSheet, NamedSheet]]:
    """Return sheets of one name, in whatever case, that are not the same in some format."""
    by_name: defaultdict[str, list[NamedSheet]] = defaultdict(list)
    for each in named:
        by_name[each.file_stem.casefold()].append(each)
    pairs = (pair for group in by_name.values() for pair in combinations(group, 2) if pair[0].sheet != pair[1].sheet)
    return [(one, two) for one, two in pairs if any(differ(one, two, name) for name in RENDERED)]


def differ(one: NamedSheet, two: NamedSheet, format_name: str) -> bool:
    """Say whether two sheets have other bytes in a format, blank or solved."""
    render = FORMATS[format_name].render_file
    return any(render(a) != render(b) for a, b in ((one.sheet.blank, two.sheet.blank), (one.sheet.key, two.sheet.key)))


def test_drawn_sheets_of_one_seed_that_differ_have_different_names() -> None:
    """Every option alone, and hundreds of combinations."""
    sheets = [
        each
        for options in combine(PAGE_CHOICES + TEXT_CHOICES + RULE_CHOICES + DRAWN_CHOICES, choose(80, 150))
        if (each := make_drawn(options))
    ]
    assert len(sheets) > choose(120, 200)
    assert find_namesakes(sheets) == []
    assert len({each.file_stem for each in sheets}) > choose(110, 180)


def test_sheets_of_ones_own_that_differ_have_different_names() -> None:
    """What the file says itself is not options again; what an option says otherwise is."""
    sheets = [
        each for options in combine(PAGE_CHOICES + TEXT_CHOICES + RULE_CHOICES, 60) if (each := make_own(options))
    ]
    assert len(sheets) > 100
    assert find_namesakes(sheets) == []
    assert sheets[0].file_stem == "my"


NAMES: list[tuple[Options, str]] = [
    ({}, "attnhand-7"),
    ({"level": "standard", "tokens": 4, "language": "en", "paper": "a4", "rules": "hand"}, "attnhand-7"),
    ({"fade": True, "language": "de"}, "attnhand-7-fade-de"),
    ({"large_print": True}, "attnhand-7-large-print"),
    ({"mechanism": "multi-head", "heads": 3, "convention": "rows"}, "attnhand-7-multi-head-heads-3-rows"),
    ({"mechanism": "multi-head", "heads": 2, "stage": "h2.A"}, "attnhand-7-multi-head-h2-A"),
    ({"rules": "exact", "decimals": 3}, "attnhand-7-exact-decimals-3"),
    ({"scale": "sqrt", "base": "e"}, "attnhand-7-exact"),
    ({"scale": "4"}, "attnhand-7-scale-4"),
    ({"from_stage": "softmax"}, "attnhand-7-from-powers"),
    ({"blank_stages": "Z, softmax"}, "attnhand-7-asks-powers+Z"),
    ({"only_queries": "3,1"}, "attnhand-7-queries-1+3"),
    ({"level": "warm-up", "d_k": 3}, "attnhand-7-warm-up-d-k-3"),
    ({"story": "soup"}, "attnhand-7-soup"),
    ({"mistake": "any"}, "attnhand-7-mistake"),
]


@pytest.mark.parametrize(("options", "name"), NAMES, ids=[name for _, name in NAMES])
def test_words_say_what_is_on_the_sheet(options: Options, name: str) -> None:
    """In the order of the help; what is so anyway is not options."""
    named = make_drawn(options)
    assert named is not None
    assert named.file_stem == name


@pytest.mark.parametrize(
    "options", [{"words": "a b c d"}, {"title": "T"}, {"mistake": "truncated"}, {"salt": "tin otter waltz jam"}]
)
def test_a_mark_says_what_words_cannot(options: Options) -> None:
    """Four characters; which mistake is to be found, or what the salt is, nobody reads off a name."""
    named = make_drawn(options)
    assert named is not None
    (option,) = (each for each in list_options("generate") if each.name == next(iter(options)))
    start, mark = named.file_stem.rsplit("-", 1)
    assert start == f"attnhand-7-{option.file_word}"
    assert len(mark) == 4
    assert mark.isalnum()


def test_every_option_about_the_sheet_is_said() -> None:
    """Or the seed, which the name begins with: an option that is added cannot be forgotten."""
    tried = {name for options in PAGE_CHOICES + TEXT_CHOICES + RULE_CHOICES + DRAWN_CHOICES for name in options}
    assert {
        option.name for option in list_options("generate") if option.panel in (Panel.SHEET, Panel.PAGE)
    } == tried | {"seed"}


def test_a_name_stays_short() -> None:
    """What is beyond some words is left to the mark, which then tells sheets apart."""
    options: Options = {
        "mechanism": "multi-head",
        "heads": 3,
        "causal": True,
        "level": "challenge",
        "convention": "rows",
    }
    options |= {
        "rules": "exact",
        "decimals": 3,
        "questions": "many",
        "trace": 2,
        "show_exact": True,
        "check_sums": True,
    }
    names = [make.file_stem for each in ("de", "fr", "en") if (make := make_drawn({**options, "language": each}))]
    assert len(set(names)) == 3
    assert len({name.rpartition("-")[0] for name in names}) == 1
    assert max(map(len, names)) <= len("attnhand-7-") + MAX_WORDS_LENGTH + 5


@pytest.mark.parametrize(
    "options", [{}, {"fade": True}, {"level": "warm-up", "convention": "rows"}, {"language": "de"}]
)
def test_the_code_gives_the_same_name(options: Options) -> None:
    """Whichever command makes a sheet, its files are called the same."""
    named = make_drawn(options)
    assert named is not None
    assert make_sheet_from_code(named.sheet.code, SheetOrder(), PageOptions()).file_stem == named.file_stem
    data = attnhand.generate(7, **options).to_dict()
    assert make_sheet_from_data(data, "x.json", "x", SheetOrder(), PageOptions()).file_stem == named.file_stem


def test_a_file_says_itself_what_it_asks() -> None:
    """Of a JSON sheet of one's own, its file's name stays, and options say only what is other."""
    data = attnhand.solve(json.loads(read_sample("classic")), fade=True, language="de").to_dict()
    for options, name in (({}, "x"), ({"language": "fr"}, "x-fr"), ({"convention": "rows"}, "x-rows")):
        assert make_sheet_from_data(data, "x.json", "x", *parse_options(options)).file_stem == name


def test_a_file_that_names_no_convention_is_another_sheet_in_rows() -> None:
    """The same numbers are then read in another way."""
    eye = [[1, 0], [0, 1]]
    data = {"given": {"X": eye, "W_Q": eye, "W_K": eye, "W_V": eye}}
    for convention, name in ((None, "my"), ("columns", "my"), ("rows", "my-rows")):
        order = SheetOrder(convention=convention)
        assert make_sheet_from_data(data, "my.json", "my", order, PageOptions()).file_stem == name


def test_what_is_piped_in_is_named_by_its_code() -> None:
    """Samples differ already in it."""
    names = {}
    for sample in list_sample_names():
        named = make_sheet_from_data(json.loads(read_sample(sample)), "-", "", SheetOrder(), PageOptions())
        names[sample] = named.file_stem
        assert named.file_stem == f"attnhand-{strip_language(named.sheet.code)}"
    assert len(set(names.values())) == len(names) > 3


def test_owners_and_given_cells_make_other_sheets() -> None:
    """Two students may share one sheet; a student's own values change the key."""
    named = make_drawn({})
    assert named is not None
    others = [replace(named.sheet, seat=Seat(number=number)) for number in (47, 48)]
    others += [carry_from_given_cells(named.sheet, [f"scaled21={value}"]) for value in (0, 5)]
    names = [replace(named, sheet=sheet).file_stem for sheet in others]
    assert names[:2] == ["attnhand-7-no-047", "attnhand-7-no-048"]
    assert len(set(names)) == 4
