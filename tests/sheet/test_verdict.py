"""What the key says in the end is true: held against an independent computation, sentence by sentence."""

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from attnhand.attention.convention import Convention
from attnhand.problems.generator import generate_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.conclusion import build_comparison_sentences, format_mistake
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sentences import format_effort
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode
from tests.breadth import choose, pair_up
from tests.forms import FORMS, SOME_FORMS
from tests.mechanism_oracle import solve_by_hand, solve_exactly
from tests.swept_sheet import make_kind

SEEDS = choose(range(40, 46), range(40, 52))
DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

Weights = list[tuple[list[Fraction], list[float]]]
"""For each query, its weights by hand and exactly."""


def join_sentences(sentences: Sequence[str]) -> str:
    return " ".join(to_unicode(parse_markup(sentence)) for sentence in sentences).translate(DIGITS)


def tokens(listed: str) -> list[int]:
    """Read "token 2" or "tokens 1, 3 and 4"."""
    numbers = [int(number) for number in re.findall(r"\d+", listed)]
    assert listed == (f"token {numbers[0]}" if len(numbers) == 1 else f"tokens {_list_numbers(numbers)}")
    return numbers


def _list_numbers(numbers: list[int]) -> str:
    return " and ".join([", ".join(map(str, numbers[:-1])), str(numbers[-1])])


def weights(name: str, sheet: Sheet) -> list[Weights]:
    """Work the weights of every head from the given matrices alone."""
    kind, problem = make_kind(FORMS[name]), sheet.problem
    given = dict((problem.transpose() if sheet.convention.is_rows else problem).given)
    hand, exact = solve_by_hand(kind, given), solve_exactly(kind, given)
    names = [stage for stage in hand if stage.split(".")[-1] in ("A", "p")]
    return [
        [(list(by), list(ex)) for by, ex in zip(zip(*hand[a], strict=True), exact[a].T, strict=True)] for a in names
    ]


def list_equal_places(line: Sequence[Fraction], value: Fraction) -> list[int]:
    return [place for place, weight in enumerate(line, 1) if weight == value]


def list_near_places(line: Sequence[float], value: float) -> list[int]:
    return [place for place, weight in enumerate(line, 1) if np.isclose(weight, value, rtol=1e-9, atol=0)]


@pytest.mark.parametrize(("name", "convention"), pair_up(SOME_FORMS, [*Convention]))
def test_how_good_the_shortcut_was_is_true(name: str, convention: Convention) -> None:
    """Who attends to whom both ways, ties named; the largest change; and the weight that moves, query by query."""
    for seed in SEEDS:
        sheet = _sheet(name, seed, convention).key
        sentences = build_comparison_sentences(sheet)
        if FORMS[name].blocks:  # block by block no share is worked
            assert sentences == []
            continue
        heads = re.split(r"Head \d: ", join_sentences(sentences))
        weights_by_head = weights(name, sheet)
        for text, head in zip(heads if len(heads) == 1 else heads[1:], weights_by_head, strict=True):
            _check(_say_as_of_weights(text), head)


def _say_as_of_weights(text: str) -> str:
    """Return what is said of words and their probabilities as it is said of tokens and their weights."""
    said = (
        (r"The likeliest word is the same both ways: ", "Every query attends most to the same token both ways: "),
        (r"The likeliest word is the same both ways in (\d+ of \d+)", r"\1 queries attend most"),
        (r"[zh](\d+): (word)", r"q\1: \2"),
        (r"\bword", "token"),
        (r"change of a probability", "change of a weight"),
    )
    for words, others in said:
        text = re.sub(words, others, text)
    return text


def test_one_cell_is_one_cell() -> None:
    """Of one query with d_v = 1 a slip in the weights changes one cell more, and its sums are one cell to fill."""
    request = Request(seed=7, size_overrides=(("d_v", 1),))
    planted = make_sheet_from_request(request, PageOptions(only_queries=(1,), mistake="one-hot"))
    assert "1 cell after it changes too;" in format_mistake(planted.key, with_later_cells=True)
    sums = make_sheet_from_request(
        request, PageOptions(only_queries=(1,), blank_stages=("sums",), questions=QuestionAmount.NONE)
    )
    assert format_effort(sums) == "1 cell, about 5 minutes"


def _check(text: str, head: Weights) -> None:
    same = 0
    differing: dict[int, tuple[int, int]] = {}
    tied: dict[tuple[int, str], list[int]] = {}
    for query, (hand, exact) in enumerate(head, 1):
        tops = list_equal_places(hand, max(hand)), list_near_places(exact, max(exact))
        same += tops[0] == tops[1]
        tied |= {(query, way): top for top, way in zip(tops, ("by hand", "exactly"), strict=True) if len(top) > 1}
        if tops[0] != tops[1] and max(map(len, tops)) == 1:
            differing[query] = (tops[0][0], tops[1][0])
    count = re.search(r"(\d+) of (\d+) queries attend|Every query attends most .+: (\d+) of (\d+)", text)
    assert count is not None
    assert [int(number) for number in count.groups() if number] == [same, len(head)]
    assert (same == len(head)) == text.startswith(("Every", "How good was the shortcut? Every"))
    matches = re.findall(r"[qx](\d+): (tokens [\d, and]+) tie (by hand|exactly)\.", text)
    assert {(int(query), way): tokens(listed) for query, listed, way in matches} == tied
    matches = re.findall(r"[qx](\d+): token (\d+) by hand, (\d+) exactly\.", text)
    assert {int(query): (int(by), int(ex)) for query, by, ex in matches} == differing
    changes = [[abs(float(h) - e) for h, e in zip(hand, exact, strict=True)] for hand, exact in head]
    change = re.search(r"Largest change of a weight: (\d\.\d\d)\. [^:]+: ([\d., ]+)\.", text)
    assert change is not None
    assert float(change[1]) == pytest.approx(max(map(max, changes)), abs=0.00501)
    moved = [float(number) for number in change[2].split(", ")]
    assert moved == pytest.approx([sum(each) / 2 for each in changes], abs=0.00501)


def _sheet(name: str, seed: int, convention: Convention) -> Sheet:
    return make_sheet_from_problem(
        generate_problem(Request(seed=seed, variant=FORMS[name], convention=convention)), PageOptions()
    )
