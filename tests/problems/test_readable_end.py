"""Numbers that can be read to the end, worked from problem files alone."""

import json
from fractions import Fraction
from math import lcm
from typing import Any

import pytest

from attnhand.attention.mechanisms import Variant
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.panels import build_panels
from tests.breadth import choose
from tests.good_attention import work

SEEDS = choose(range(2), range(100))
"""Of denominators the sweep has a thousand seeds; how long what is above the bar is, is asked here alone."""

HEADS = {
    f"{mechanism}-{heads}{'-causal' if is_causal else ''}": Variant(
        mechanism=mechanism, heads=heads, is_causal=is_causal
    )
    for mechanism in ("multi-head", "block")
    for heads in (2, 3, 4)
    for is_causal in (False, True)
}


def draw(variant: Variant, level: Level, seed: int) -> dict[str, Any]:
    """Return what a problem file says of a drawn sheet."""
    problem: dict[str, Any] = json.loads(
        format_problem(generate_problem(Request(seed=seed, variant=variant, level=level)))
    )
    return problem


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", HEADS)
def test_fractions_stay_readable_where_heads_meet(name: str, level: Level) -> None:
    """Denominators are at most 100 with two heads and 200 with more; above the bar there are three digits at most."""
    limit = 100 if HEADS[name].head_count == 2 else 200
    for seed in SEEDS:
        sheet = work(draw(HEADS[name], level, seed))
        outputs = [value for head in sheet.heads for vector in head.outputs for value in vector]
        later = [value for _, vectors in sheet.layers for vector in vectors for value in vector]
        assert later, name
        assert max(Fraction(value).denominator for value in later) <= limit, (name, level, seed)
        fractions = [each for each in map(Fraction, outputs + later) if each.denominator > 1]
        assert all(abs(each.numerator) < 1000 for each in fractions), (name, level, seed)


@pytest.mark.parametrize(
    ("level", "heads", "seeds"),
    [
        (level, heads, choose(range(count), range(200)))
        for level, count in ((Level.FIRST, 15), (Level.WARM_UP, 30), (Level.STANDARD, 20), (Level.CHALLENGE, 5))
        for heads in (2, 3, 4)
    ],
)
def test_heads_under_a_mask_are_not_equally_sure(level: Level, heads: int, seeds: range) -> None:
    """Some query's weights stand over another sum in another head, and are readable where they meet."""
    variant = Variant(mechanism="multi-head", heads=heads, is_causal=True)
    for seed in seeds:
        sheet = work(draw(variant, level, seed))
        sums = {tuple(lcm(*(Fraction(w).denominator for w in query)) for query in head.weights) for head in sheet.heads}
        assert len(sums) > 1, (level, heads, seed)
        (mixed,) = (vectors for name, vectors in sheet.layers if name == "output")
        limit = 100 if heads == 2 else 200
        assert max(Fraction(value).denominator for vector in mixed for value in vector) <= limit, (level, heads, seed)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", HEADS)
def test_no_drawn_key_gives_up_on_fractions(name: str, level: Level) -> None:
    """Under the house rules a key prints whole numbers and fractions, never ≈."""
    for seed in choose(range(1), range(20)):
        request = Request(seed=seed, variant=HEADS[name], level=level)
        sheet = make_sheet_from_request(request).key
        panels = build_panels(sheet).list_panels()
        cells = [cell for panel in panels for row in panel.grid.cells for cell in row]
        assert cells
        assert not [cell.address for cell in cells if "≈" in str(cell.number)], (name, level, seed)
