"""Hints that lead to a cell in three steps: what they say, and that none of them says its number."""

import math
import re
from fractions import Fraction

import pytest

import attnhand
from attnhand.attention.arithmetic import Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import Number, format_exact, use_typographic_signs
from attnhand.sheet.hints import Hints, build_hints
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION

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


@pytest.mark.parametrize(("name", "convention"), FORMS_IN_ONE_CONVENTION)
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
                if stage.operation.hint_key in COPIED:
                    assert not any("◆" in text for text in texts), stage.name
                # what stands beside: addresses, the lines of a product, the base and the divisor, the 1 of a bias
                rest = " ".join(re.sub(r"\S+\[\d+,\d+\]|(row|column|head) \d+|h\d\.", "", text) for text in texts)
                rest = re.sub(r"(?<=◆[ ·])1\b|\b1(?=·◆)", "", rest)
                numbers = set(re.findall(r"[−-]?\d+(?:/\d+)?", rest)) - {"3", "2"}
                assert write_number(values[stage.name][i][j]) not in numbers, (stage.name, texts)
                assert stage.operation.hint_key != "mask" or "or any other" in hints.steps
                checked.add(stage.operation.hint_key)
    assert {"product", "power", "sum", "weight"} <= checked


@pytest.mark.parametrize(("name", "convention"), FORMS_IN_ONE_CONVENTION)
def test_the_last_hint_is_all_but_the_result(name: str, convention: Convention) -> None:
    """Products and sums, worked out as they stand there, give the key."""
    sheet = make_sheet(FORMS[name], convention, 5)
    values = sheet.solution.collect_hand_values()
    count = 0
    for stage in sheet.problem.mechanism.stages:
        for i, j in sheet.list_asked_cells(stage):
            steps = build_hints_of(sheet, stage.name, i, j).steps
            assert steps.endswith("= ?") or "?" in steps or stage.operation.hint_key in COPIED
            if stage.operation.hint_key in ("product", "sum", "added"):
                assert evaluate(steps) == values[stage.name][i][j], stage.name
                count += 1
    assert count > 20


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
                question="Which score stands at this place in S, and what is done with it?",
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
    sheet = attnhand.solve(
        X=[[2, 2, 1], [1, 1, 2], [0, 1, 1]],
        W_Q=[[-1, 1, 0], [1, 0, -1]],
        W_K=[[-1, -1, 0], [-1, 0, 0]],
        W_V=[[0, 1, 2], [0, 1, 0]],
    )
    assert build_hints_of(sheet, *cell) == expected


@pytest.mark.parametrize(
    ("rules", "steps"),
    [
        (Rules(scale=ScaleRule.NONE), "Nothing is divided here: copy S[1,1]."),
        (Rules(scale=ScaleRule.SQRT), "√"),
        (Rules(scale=4), "÷ 4 = ?"),
    ],
)
def test_hints_follow_the_rules_of_the_sheet(rules: Rules, steps: str) -> None:
    """Another scale is another step; where nothing is divided the score is only pointed at."""
    sheet = attnhand.generate(7, rules=rules)
    hints = build_hints_of(sheet, "scaled", 0, 0)
    assert steps in hints.steps
    assert (hints.sources == ("It is that of S[1,1].",)) == (rules.scale is ScaleRule.NONE)


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
