"""Hints that lead to a cell in three steps and never say its number; and why a slip is one."""

import math
import re
from fractions import Fraction
from functools import cache

import pytest

import attnhand
from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import shape
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import Number, format_exact, use_typographic_signs
from attnhand.attention.slips import SLIPS, StageContext, find_slips
from attnhand.marking.marks import ROWS_EXCHANGED, SINGLE_CELL, TRANSPOSED
from attnhand.sheet.explain import explain
from attnhand.sheet.hints import Hints, build_hints, explain_slip
from attnhand.sheet.sheet import Sheet
from attnhand.text import get_language
from tests.catalogue import find_placeholders
from tests.forms import FORMS, SOME_FORMS_IN_ONE_CONVENTION

COPIED = {"mask", "relu", "joined", "looked_up"}
"""Hints of cells that are copied from another: to show that would be to show the cell."""


def make_sheet(form: Variant, convention: Convention, seed: int, **options: object) -> Sheet:
    """Draw a warm-up in that form."""
    return attnhand.generate(
        seed,
        level="warm-up",
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.is_causal,
        words=form.embedded_words,
        embed=bool(form.embedded_words),
        positions=form.has_positions,
        convention=convention,
        **options,  # type: ignore[arg-type]
    )


def make_checked_sample() -> Sheet:
    """Return a sheet that was worked with a pencil."""
    return attnhand.solve(
        X=[[2, 2, 1], [1, 1, 2], [0, 1, 1]],
        W_Q=[[-1, 1, 0], [1, 0, -1]],
        W_K=[[-1, -1, 0], [-1, 0, 0]],
        W_V=[[0, 1, 2], [0, 1, 0]],
    )


def make_square_sample(convention: Convention) -> Sheet:
    """Return a sheet of as many tokens as features, where K times Q can be worked, with powers below 1."""
    return attnhand.solve(
        X=[[1, 2], [0, -3]], W_Q=[[1, 1], [0, 1]], W_K=[[1, 0], [1, 1]], W_V=[[1, 0], [0, 1]], convention=convention
    )


def write_number(value: Number) -> str:
    """Write a number as the sheet does."""
    return use_typographic_signs(format_exact(value))


def build_hints_of(sheet: Sheet, name: str, row: int, column: int) -> Hints:
    """Return the hints with the numbers of the key."""
    values = sheet.solution.collect_hand_values()
    stage = sheet.problem.mechanism.get_stage(name)
    return build_hints(sheet, stage, row, column, lambda at, i, j: write_number(values[at][i][j]))


def evaluate(steps: str) -> Fraction:
    """Work out what is written before the "= ?"."""
    products = (each.split("·") for each in steps.removesuffix(" = ?").split(" + "))
    numbers = ([Fraction(factor.strip("()").replace("−", "-")) for factor in factors] for factors in products)
    return Fraction(sum(map(math.prod, numbers)))


@pytest.mark.parametrize(("name", "convention"), SOME_FORMS_IN_ONE_CONVENTION)
def test_no_hint_says_the_number_asked(name: str, convention: Convention) -> None:
    """A question names no number, what is copied is only pointed at, and every other number is one it is made from."""
    checked = set()
    for seed in range(3):
        sheet = make_sheet(FORMS[name], convention, seed)
        values = sheet.solution.collect_hand_values()
        for stage in sheet.problem.mechanism.stages:
            for i, j in sheet.list_asked_cells(stage):
                asked: list[tuple[str, int, int]] = []

                def write(at: str, row: int, column: int, asked: list[tuple[str, int, int]] = asked) -> str:
                    asked.append((at, row, column))
                    return "◆"

                hints = build_hints(sheet, stage, i, j, write)
                texts = (hints.question, *hints.sources, hints.steps)
                assert "◆" not in hints.question, stage.name
                assert {at for at, *_ in asked} <= set(stage.input_names)
                if stage.facts.hint_key in COPIED:
                    assert not any("◆" in text for text in texts), stage.name
                # what stands beside: addresses, the lines of a product, the base and the divisor, the 1 of a bias
                rest = " ".join(re.sub(r"\S+\[\d+,\d+\]|(row|column|head) \d+|h\d\.", "", text) for text in texts)
                rest = re.sub(r"(?<=◆[ ·])1\b|\b1(?=·◆)", "", rest)
                numbers = set(re.findall(r"[−-]?\d+(?:/\d+)?", rest)) - {"3", "2"}
                assert write_number(values[stage.name][i][j]) not in numbers, (stage.name, texts)
                assert stage.facts.hint_key != "mask" or "or any other" in hints.steps
                checked.add(stage.facts.hint_key)
    of_softmax = (
        {"worked"} if FORMS[name].blocks else {"power", "sum", "weight"}
    )  # in blocks each is a formula of its own
    assert {"product"} | of_softmax <= checked


@pytest.mark.parametrize(("name", "convention"), SOME_FORMS_IN_ONE_CONVENTION)
def test_the_last_hint_is_all_but_the_result(name: str, convention: Convention) -> None:
    """Products and sums, worked out as they stand there, give the key."""
    sheet = make_sheet(FORMS[name], convention, 5)
    values = sheet.solution.collect_hand_values()
    count = 0
    for stage in sheet.problem.mechanism.stages:
        for i, j in sheet.list_asked_cells(stage):
            steps = build_hints_of(sheet, stage.name, i, j).steps
            assert steps.endswith("= ?") or "?" in steps or stage.facts.hint_key in COPIED
            if stage.facts.hint_key in ("product", "sum", "added"):
                assert evaluate(steps) == values[stage.name][i][j], stage.name
                count += 1
    assert count >= min(21, len(sheet.list_asked_cells(sheet.problem.mechanism.stages[0])) + 1)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (
            ("K", 0, 1),
            Hints(
                question="Which row of W_K and which column of X meet in K[1,2]?",
                sources=("row 1 of W_K: −1 −1 0", "column x₂ of X: 2 1 1"),
                steps="(−1)·2 + (−1)·1 + 0·1 = ?",
            ),
        ),
        (
            ("S", 2, 0),
            Hints(
                question="Which row of Kᵀ and which column of Q meet in S[3,1]?",
                sources=("row k₃ of Kᵀ: −3 −1", "column q₁ of Q: −1 2"),
                steps="(−3)·(−1) + (−1)·2 = ?",
            ),
        ),
        (
            ("scaled", 0, 2),
            Hints(
                question="Which score does scaled[1,3] come from, and what is done with it?",
                sources=("S[1,3] = −3",),
                steps="(−3) ÷ 2 = ? Where that is no whole number, go left on the number line to the next one.",
            ),
        ),
        (
            ("A", 2, 2),
            Hints(
                question="Which power becomes the share in A[3,3], and of which sum is it a share?",
                sources=("powers[3,3] = 1/9", "Σ[1,3] = 1/3"),
                steps="(1/9) ÷ (1/3) = ? If there is a fraction in it, first multiply both by the same number.",
            ),
        ),
    ],
)
def test_hints_of_the_checked_sample(cell: tuple[str, int, int], expected: Hints) -> None:
    """A question, then where to look, then the numbers without their sum; worked with a pencil."""
    assert build_hints_of(make_checked_sample(), *cell) == expected


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        (Rules(scale=ScaleRule.SQRT), " ÷ √3 = ? Give 2 decimals."),
        (Rules(scale=4), "÷ 4 = ?"),
    ],
)
def test_hints_follow_the_rules_of_the_sheet(rules: Rules, steps: str) -> None:
    """Another scale is another step."""
    sheet = attnhand.generate(7, rules=rules)
    hints = build_hints_of(sheet, "scaled", 0, 0)
    assert steps in hints.steps


def test_a_window_is_named_in_the_hints_of_its_mask() -> None:
    """A key may be hidden because it comes too early, too."""
    sheet = attnhand.generate(7, causal=True, window=2)
    hints = build_hints_of(sheet, "masked", 0, 2)
    assert hints.question == "Does the query of masked[1,3] see its key? It sees 2 tokens, up to its own."
    assert "2 tokens before it, or more" in hints.steps


def test_positions_have_hints_too() -> None:
    """Sheets print them; whoever asks for them may ask what they are."""
    sheet = attnhand.generate(3, words=("the", "cat", "saw", "the"), embed=True, positions=True)
    hints = build_hints_of(sheet, "P", 0, 1)
    assert hints.question == "Is P[1,2] a sine or a cosine, and of which position?"
    assert hints.steps == "sin(1 / 10000^(0/6)) = ? Round it to a whole number."


def explain_first_cell(sheet: Sheet, slip_id: str) -> str | None:
    """Say why a slip is one where the sheet can have it, at the first cell that differs; None where it cannot."""
    values = sheet.solution.collect_hand_values()
    for stage in sheet.problem.mechanism.stages:
        for slip in find_slips(stage, (slip_id,)):
            context = StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)
            wrong, key = slip.compute_wrong(context), values[stage.name]
            if wrong is None or wrong == key:
                continue
            cells = [(i, j) for i, row in enumerate(key) for j in range(len(row))]
            if shape(wrong) != shape(key):
                return explain_slip(sheet, slip_id, stage, 0, 0, values, "")
            i, j = next((i, j) for i, j in cells if wrong[i][j] != key[i][j])
            return explain_slip(sheet, slip_id, stage, i, j, values, format_exact(wrong[i][j]))
    return None


@cache
def make_sheets_of_all_slips() -> tuple[Sheet, ...]:
    """Return sheets on which nearly every slip shows."""
    sheets = (make_sheet(FORMS[name], convention, 1) for name, convention in SOME_FORMS_IN_ONE_CONVENTION)
    windowed = attnhand.generate(7, causal=True, window=2)
    turned = attnhand.generate(7, positions="rotary")
    squares = (make_square_sample(convention) for convention in Convention)
    padded, shifted = attnhand.generate(7, padding="4"), attnhand.generate(7, subtract_max=True)
    normed = attnhand.generate(7, mechanism="block", residual=True, norm="rms")
    distant = attnhand.generate(7, positions="distance", mechanism="multi-head")
    return (
        *sheets,
        windowed,
        turned,
        padded,
        shifted,
        normed,
        distant,
        attnhand.generate(7, cache=3),
        attnhand.generate(7, sink=2),
        attnhand.generate(7, temperature="1/2"),
        attnhand.generate(7, mechanism="online"),
        attnhand.generate(7, mechanism="next-token"),
        attnhand.generate(7, mechanism="next-token", top_k=2),
        attnhand.generate(7, mechanism="next-token", learn="1/2"),
        *(attnhand.generate(seed, mechanism="backward") for seed in range(6)),
        *squares,
        attnhand.solve(X=[[1, 2], [0, -3]], mechanism="basic"),
    )


@pytest.mark.parametrize("slip_id", [slip.id for slip in SLIPS])
def test_every_slip_says_why_it_is_one(slip_id: str) -> None:
    """On whatever sheet shows it, in whole sentences, all their numbers filled in."""
    reasons = [why for sheet in make_sheets_of_all_slips() if (why := explain_first_cell(sheet, slip_id)) is not None]
    # warm-ups have no layer that bends below 0, nor one whose bias can go astray
    assert reasons or slip_id in ("bias-other-axis", "relu-forgotten", "relu-of-magnitude")
    for why in reasons:
        assert re.fullmatch(r"\S.*[.]", why), why
        assert not re.search(r"[{}]|None|  | [.,]", why), why


@pytest.mark.parametrize(
    "rules", [Rules(scale=ScaleRule.SQRT, base=Base.E), Rules(scale=4, base=Base.TWO), Rules(scale=ScaleRule.NONE)]
)
def test_reasons_follow_the_rules_of_the_sheet(rules: Rules) -> None:
    """Nothing is halved, and nothing is 3, where other rules hold."""
    sheet = attnhand.generate(7, rules=rules, causal=True)
    reasons = [why for slip in SLIPS if (why := explain_first_cell(sheet, slip.id)) is not None]
    assert len(reasons) > 30
    assert not [why for why in reasons if "Half of" in why]
    power = explain_first_cell(sheet, "negative-power-zero")
    assert power is not None
    assert f"one more division by {rules.base}." in power


def test_reasons_and_slips_are_the_same_in_number() -> None:
    """Each slip has a reason, and there is none for what no slip is; those of another shape name no number."""
    sentences = get_language("en").sentences
    general = {SINGLE_CELL, ROWS_EXCHANGED, TRANSPOSED}
    beside_sinks = ("reason.weights.sink", "reason.mixture.sink")  # said instead of others, of slips that read them
    reasons = {key.split(".")[1] for key in sentences if key.startswith("reason.") and key not in beside_sinks}
    assert {slip.id for slip in SLIPS} | general == reasons
    shapeless = [slip.id for slip in SLIPS if not slip.has_same_shape] + [*general]
    assert [key for key in shapeless if [*find_placeholders(sentences[f"reason.{key}"])]] == []


@pytest.mark.parametrize(
    ("slip_id", "expected"),
    [
        (
            "truncated",
            "Half of −1 is −0.5. Down means left on the number line: the next whole number is −1, not 0.",
        ),
        (
            "rounded-up",
            "Half of −1 is −0.5. Down means left on the number line: the next whole number is −1, not 0.",
        ),
        (
            "bankers-rounding",
            "Half of −1 is −0.5, as far from one whole number as from the other. "
            "The house rule does not choose: it always goes down, here to −1.",
        ),
        ("times-not-power", "The exponent says how many times 3 is a factor, so 3⁻¹ is not 3 times −1."),
        ("negative-power-over-product", "3⁻² is indeed 1 ÷ 3², but 3² is a power too, not 3 times 2."),
        (
            "zero-power-zero",
            "One less in the exponent is one more division by 3: from 3¹ = 3 that leads to 3⁰ = 3 ÷ 3, which is 1.",
        ),
        ("not-divided", "Powers are not shares yet: they add to 5/3, and shares add to 1."),
    ],
)
def test_reasons_name_the_numbers_of_the_checked_sample(slip_id: str, expected: str) -> None:
    """S begins with −1, scaled too, and its third column has −2; the powers 1/3, 1/3, 1 add to 5/3."""
    assert explain_first_cell(make_checked_sample(), slip_id) == expected


def test_a_position_that_was_left_out_is_named() -> None:
    """The number of the word and that of its position, where the two differ."""
    sheet = attnhand.generate(7, words="a b", embed=True, positions=True)
    stage, values = sheet.problem.mechanism.get_stage("X"), sheet.solution.collect_hand_values()
    word, position = (values[name] for name in stage.input_names)
    i, j = next((i, j) for i, row in enumerate(word) for j, x in enumerate(row) if 0 <= x != position[i][j] >= 0)
    reason = explain_slip(sheet, "position-forgotten", stage, i, j, values, str(word[i][j]))
    assert reason.endswith(f"here it is {word[i][j]} + {position[i][j]}.")


def test_heads_are_named_as_on_the_page() -> None:
    """Z⁽¹⁾[1,1], never h1.Z[1,1], which is what a file calls it: in hints, and where a cell is explained."""
    sheet = attnhand.generate(seed=7, mechanism="multi-head")
    stages = sheet.problem.mechanism.stages
    hints = [build_hints(sheet, stage, 0, 0, lambda *_: "1") for stage in stages]
    explained = [line for stage in stages for line in explain(sheet, f"{stage.name}[1,1]").by_hand]
    assert any(line.startswith("copied from Z⁽¹⁾[1,1]") for line in explained)
    assert [line for line in (*map(str, hints), *explained) if re.search(r"h[12]\.", line)] == []
