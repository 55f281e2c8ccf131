"""All house rules on every mechanism: worked, proved, and said on the sheet with what follows from them."""

import math
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import MAX_LISTED_POWERS, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Stage
from attnhand.attention.solution import Solution, solve
from attnhand.errors import ProblemError
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.grids import CellKind
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sentences import format_house_rules, format_powers_reminder
from attnhand.sheet.sheet import Sheet
from tests.breadth import pair_up
from tests.forms import FORMS, SOME_FORMS
from tests.strategies import ALL_RULES, POWERS


def make_sheet(name: str, rules: Rules) -> Sheet:
    """Return the sheet of seed 7."""
    return make_sheet_from_request(Request(seed=7, variant=FORMS[name], rules=rules))


@pytest.mark.parametrize("name", SOME_FORMS)
def test_weights_add_to_1_by_every_rule(name: str) -> None:
    """Exactly where the rules are rational, within 1e-12 where they are not; rows are columns turned.

    Forms of which good numbers are rare, as with positions, are drawn by the usual rules. What a norm has divided by a
    root is not rounded down.
    """
    drawn = make_sheet(name, Rules()).problem
    for rules in ALL_RULES:
        form = drawn.variant
        if form.mechanism == "block" and form.is_normed_before and rules.is_rounded_down and rules.base is Base.E:
            with pytest.raises(ProblemError, match="rounding down cannot take their scores"):
                make_sheet(name, rules)
            continue
        is_rare = form.has_positions or form.has_distances or form.temperature
        problem = replace(drawn, rules=rules) if is_rare else make_sheet(name, rules).problem
        solution, in_rows = solve(problem), solve(problem.transpose())
        for stage in problem.mechanism.weight_stages:
            weights = solution[stage.name].hand
            assert tuple(zip(*in_rows[stage.name].hand, strict=True)) == weights
            if rules.is_rational and form.sink is None:
                assert all(sum(map(Fraction, column)) == 1 for column in zip(*weights, strict=True))
            sums = np.array([[float(weight) for weight in row] for row in weights]).sum(axis=0)
            np.testing.assert_allclose(sums, find_total_shares(solution, stage), rtol=0, atol=1e-12)


def find_total_shares(solution: Solution, stage: Stage) -> np.ndarray:
    """Return what a query's shares add to: 1, but for what a sink has of it."""
    problem = solution.problem
    if problem.variant.sink is None:
        return np.array(1.0)
    base = math.e if problem.rules.base.whole is None else problem.rules.base.whole
    (sums,) = solution[f"{stage.name.removesuffix('A')}sums"].hand
    return np.array([1 - base**problem.variant.sink / float(total) for total in sums])


EXPECTED_SENTENCES = {
    ScaleRule.HALF_FLOOR: "⌊x/2⌋: 3 → 1, 1 → 0, −1 → −1, −3 → −2",
    ScaleRule.NONE: "The rest is attention as it is",
    ScaleRule.SQRT: "Each score is divided by √3",
    4: "we divide by 4",
}


def list_needed_powers(sheet: Sheet) -> list[int]:
    """Return the whole powers that a student looks up, the largest first, from the printed scaled scores alone."""
    before = sheet.problem.mechanism.attentions[0].exponents
    scores = [x for line in sheet.solution[before].hand for x in line if x != Decimal("-Infinity")]
    return list(range(max(map(math.ceil, scores)), min(map(math.floor, scores)) - 1, -1))


@pytest.mark.parametrize("base", POWERS)
@pytest.mark.parametrize("scale", EXPECTED_SENTENCES)
@pytest.mark.parametrize("name", ["self", "cross", "block-1-causal"])
def test_the_sheet_says_its_rules_and_what_follows(name: str, scale: ScaleRule | int, base: Base) -> None:
    """How it is scaled, with examples; what a negative power is; decimals where there are no fractions."""
    sheet = make_sheet(name, Rules(scale=scale, base=base, decimals=3))
    house_rules, reminder = format_house_rules(sheet), format_powers_reminder(sheet)
    assert EXPECTED_SENTENCES[scale] in house_rules or (scale is ScaleRule.NONE and base is Base.E)
    assert ("√" in house_rules) is (scale is not ScaleRule.NONE)
    if base is Base.E:
        assert "e ≈ 2.718" in house_rules
        assert "e ≈ 2.718" in reminder
    else:
        number = int(base)
        assert f"Instead of e we take **{number}**" in house_rules
        assert [part for part in reminder.split(". ")[0].split(", ") if "∞" not in part] == [
            f"{number}^{{{str(power).replace('-', '−')}}} = {number**power if power >= 0 else f'1/{number**-power}'}"
            for power in list_needed_powers(sheet)
        ]
    assert (f"{base}^{{−∞}} = 0" in reminder) is name.endswith("causal")
    irrational = scale in (ScaleRule.SQRT, 4) or base is Base.E  # the power of a quarter is a root
    assert ("Write decimals to 3 places" in house_rules) is irrational
    cells = [cell for panel in build_panels(sheet.key).list_panels() for row in panel.grid.cells for cell in row]
    decimals = [str(cell.number) for cell in cells if cell.kind is CellKind.ANSWER and "." in str(cell.number)]
    decimals = [text for text in decimals if not text.startswith("≈")]  # a fraction too long to print
    assert bool(decimals) is irrational
    assert all(len(text.partition(".")[2]) <= 3 for text in decimals)


@pytest.mark.parametrize("base", [Base.TWO, Base.THREE, Base.TEN])
def test_fractions_are_counted_over_one_denominator(base: Base) -> None:
    """The base and its inverse with one denominator, and their shares; no word of it where all powers are whole."""
    found = set()
    for seed, level in product(range(4), (Level.WARM_UP, Level.STANDARD)):
        sheet = make_sheet_from_request(Request(seed=seed, level=level, rules=Rules(base=base)))
        powers, _, hint = format_powers_reminder(sheet).partition(". ")
        fractions = [Fraction(text) for text in re.findall(r"\d+/\d+", hint)]
        found.add("−1" in powers)
        if "−1" not in powers:
            assert hint == "Fractions may stay unreduced; decimals to 2 places count too."
            continue
        raised, inverse, larger, smaller = fractions
        assert inverse == Fraction(1, int(base))
        assert raised == int(base)
        assert larger + smaller == 1
        assert larger / smaller == raised / inverse
    assert found == {True, False}


def test_without_scaling_nothing_is_said_of_it() -> None:
    """Basic attention is not scaled: its sheet speaks of the base alone."""
    sheet = make_sheet("basic", Rules(scale=ScaleRule.SQRT, base=Base.TWO))
    house_rules = format_house_rules(sheet)
    assert "√" not in house_rules
    assert "**2**" in house_rules


@pytest.mark.parametrize(("name", "convention"), pair_up(SOME_FORMS, [*Convention]))
def test_the_list_of_powers_is_what_the_sheet_needs(name: str, convention: Convention) -> None:
    """From the largest scaled score that a pencil meets to the smallest, over seeds and with one query alone.

    Where they lie far apart, as scores times 2 do, those alone that it meets.
    """
    highest, lowest = set(), set()
    for seed in range(6):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[name], convention=convention))
        for queries in (None, (min(2, sheet.problem.sizes["tokens"]),)):
            asked = replace(sheet, options=PageOptions(only_queries=queries))
            needed = sorted({score for line in list_exponents(asked) for score in line})
            written = re.findall(r"3\^\{(−?\d+)\} = ([\d/]+)", format_powers_reminder(asked))
            powers = {int(power.replace("−", "-")): Fraction(value) for power, value in written}
            between = range(needed[-1], needed[0] - 1, -1)
            assert list(powers) == (list(between) if len(between) <= MAX_LISTED_POWERS else needed[::-1])
            assert powers == {power: Fraction(3) ** power for power in powers}
            form = sheet.problem.variant
            assert ("3^{−∞} = 0" in format_powers_reminder(asked)) is (form.is_causal or bool(form.padding))
            highest.add(needed[-1])
            lowest.add(needed[0])
    assert len(highest | lowest) > 2


def list_exponents(sheet: Sheet) -> list[list[int]]:
    """Return what is under the powers, query by query, of those that are asked: −∞ left out, a sink's with them."""
    if sheet.problem.variant.mechanism == "online":
        return _list_block_exponents(sheet)
    found, values, form = [], sheet.solution.collect_hand_values(), sheet.problem.variant
    learnt = ["logits_new"] if form.learning_rate else []
    for name in [*(attention.exponents for attention in sheet.problem.mechanism.attentions), *learnt]:
        lines = values[name] if sheet.convention.is_rows else tuple(zip(*values[name], strict=True))
        for query in sheet.asked_queries:
            seen = [int(score) for score in lines[query] if score != Decimal("-Infinity")]
            found.append(seen if form.sink is None else [*seen, form.sink])
    return found


def _list_block_exponents(sheet: Sheet) -> list[list[int]]:
    """Return what is under the powers of each block and its factor, of the one query there is."""
    found: list[list[int]] = []
    largest: int | None = None
    for block in range(1, (sheet.problem.variant.block_count or 2) + 1):
        scores = [int(score) for line in sheet.solution[f"scaled{block}"].hand for score in line]
        before, largest = largest, max(scores) if largest is None else max(largest, *scores)
        found.append([score - largest for score in scores] + ([] if before is None else [before - largest]))
    return found


def test_far_powers_are_listed_alone() -> None:
    """Of scores 20 apart only their own powers; one beyond ten digits in two digits; a mistake has its own as well."""
    identity = [[1, 0], [0, 1]]
    far = attnhand.solve(X=[[1, 3], [0, 0]], W_Q=[[1, 0]], W_K=[[5, 0]], W_V=identity, scale="none")
    assert format_powers_reminder(far).startswith("3^{45} = 3.0·10²¹, 3^{15} = 14348907, 3^{5} = 243. ")
    wrong = attnhand.generate(17, options=PageOptions(mistake="rounded-up"))
    assert wrong.planted_mistake is not None
    both = (wrong.solution["scaled"].hand, wrong.planted_mistake.solution["scaled"].hand)
    scores = [[int(x) for line in hand for x in line] for hand in both]
    assert max(scores[1]) > max(scores[0])
    for face in (wrong.blank, wrong.key):
        listed = [int(x.replace("−", "-")) for x in re.findall(r"3\^\{(−?\d+)\}", format_powers_reminder(face))]
        assert (listed[0], listed[-1]) == (max(scores[1]), min(scores[0]))
