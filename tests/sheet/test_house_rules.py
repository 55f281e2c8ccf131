"""All house rules on every mechanism: worked, proved, and said on the sheet with what follows from them."""

from fractions import Fraction

import numpy as np
import pytest

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.errors import GenerationError
from attnhand.problems.request import Request
from attnhand.sheet.grids import CellKind
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sentences import format_house_rules, format_powers_reminder
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.strategies import ALL_RULES

NEVER_SMALL_ENOUGH = {
    ("self-words-positions", ScaleRule.NONE, Base.THREE),
    ("self-words-positions", ScaleRule.NONE, Base.TEN),
}
"""Ones from cosines make every score large: undivided, no draw keeps them within a pencil's reach."""


def make_sheet(name: str, rules: Rules, convention: Convention = Convention.COLUMNS) -> Sheet | None:
    """Return the sheet of seed 7; None where it is refused, with the reason."""
    try:
        return make_sheet_from_request(Request(seed=7, variant=FORMS[name], rules=rules, convention=convention))
    except GenerationError as refusal:
        assert "keeps the scores small enough for powers by hand" in str(refusal)
        return None


@pytest.mark.parametrize("name", FORMS)
def test_weights_add_to_1_by_every_rule(name: str) -> None:
    """Exactly where the rules are rational, within 1e-12 where they are not; rows are columns turned."""
    refused = set()
    for rules in ALL_RULES:
        sheet = make_sheet(name, rules)
        if sheet is None:
            refused.add((name, rules.scale, rules.base))
            continue
        in_rows = make_sheet(name, rules, Convention.ROWS)
        assert in_rows is not None
        for stage in sheet.weight_stages:
            weights = sheet.solution[stage.name].hand
            assert tuple(zip(*in_rows.solution[stage.name].hand, strict=True)) == weights
            if rules.is_rational:
                assert all(sum(map(Fraction, column)) == 1 for column in zip(*weights, strict=True))
            sums = np.array([[float(weight) for weight in row] for row in weights]).sum(axis=0)
            np.testing.assert_allclose(sums, 1, rtol=0, atol=1e-12)
    assert refused == {case for case in NEVER_SMALL_ENOUGH if case[0] == name}


EXPECTED_SENTENCES = {
    ScaleRule.HALF_FLOOR: "⌊x/2⌋: 3 → 1, 1 → 0, −1 → −1, −3 → −2",
    ScaleRule.NONE: "We leave the scores as they are",
    ScaleRule.SQRT: "Each score is divided by √3",
    4: "we divide by 4",
}


@pytest.mark.parametrize("base", Base)
@pytest.mark.parametrize("scale", EXPECTED_SENTENCES)
@pytest.mark.parametrize("name", ["self", "cross", "block-1-causal"])
def test_the_sheet_says_its_rules_and_what_follows(name: str, scale: ScaleRule | int, base: Base) -> None:
    """How it is scaled, with examples; what a negative power is; decimals where there are no fractions."""
    sheet = make_sheet(name, Rules(scale=scale, base=base, decimals=3))
    assert sheet is not None
    house_rules, reminder = format_house_rules(sheet), format_powers_reminder(sheet)
    assert EXPECTED_SENTENCES[scale] in house_rules
    if base is Base.E:
        assert "e ≈ 2.718" in house_rules
        assert "e ≈ 2.718" in reminder
    else:
        number = int(base)
        assert f"Instead of e we take **{number}**" in house_rules
        for power, value in ((2, number**2), (1, number), (0, 1), (-1, f"1/{number}"), (-2, f"1/{number**2}")):
            assert f"{number}^{{{str(power).replace('-', '−')}}} = {value}" in reminder
    irrational = scale in (ScaleRule.SQRT, 4) or base is Base.E  # the power of a quarter is a root
    assert ("Write decimals to 3 places" in house_rules) is irrational
    cells = [cell for panel in build_panels(sheet.key).list_panels() for row in panel.grid.cells for cell in row]
    decimals = [str(cell.number) for cell in cells if cell.kind is CellKind.ANSWER and "." in str(cell.number)]
    decimals = [text for text in decimals if not text.startswith("≈")]  # a fraction too long to print
    assert bool(decimals) is irrational
    assert all(len(text.partition(".")[2]) <= 3 for text in decimals)


def test_without_scaling_nothing_is_said_of_it() -> None:
    """Basic attention is not scaled: its sheet speaks of the base alone."""
    sheet = make_sheet("basic", Rules(scale=ScaleRule.SQRT, base=Base.TWO))
    assert sheet is not None
    house_rules = format_house_rules(sheet)
    assert "√" not in house_rules
    assert "**2**" in house_rules
