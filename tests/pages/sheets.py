"""Sheets that the tests of pages share: every kind of page the program makes, each made once a process."""

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

from attnhand.api import generate, solve
from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.mechanisms import Convention
from attnhand.attention.numbers import Number, as_float, rounded
from attnhand.attention.solution import SolvedStage
from attnhand.formats.html import render_html
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Layout
from attnhand.sheet.build_grids import differs
from attnhand.sheet.grids import Kind
from attnhand.sheet.make import sheet_from_problem
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from tests.building import Rows, in_rows, problem_of

ROOT = Path(__file__).parents[2]
WORDS = ("the", "cat", "saw", "birds")

SENTENCE = ("the", "cat", "saw", "the", "dog")
"""One word is said twice, so it is looked up."""

LARGE, LETTER = PageOptions(large_print=True), PageOptions(paper=Paper.LETTER)
EXACT = PageOptions(exact_column=True, check_sums=True)


def sample(name: str) -> Sheet:
    """Return the sheet of a sample's problem file."""
    return solve(json.loads((ROOT / "samples" / "problems" / f"{name}.json").read_text(encoding="utf-8")))


MADE: dict[str, Callable[[], Sheet]] = {
    "classic columns": lambda: generate(7),
    "classic rows": lambda: generate(7, convention="rows"),
    "warm-up columns": lambda: generate(7, level="warm-up"),
    "warm-up rows": lambda: generate(7, level="warm-up", convention="rows"),
    "challenge columns": lambda: generate(7, level="challenge"),
    "challenge rows": lambda: generate(7, level="challenge", convention="rows"),
    "12 × 12 columns": lambda: generate(7, tokens=12, features=12, d_k=8, d_v=8),
    "12 × 12 rows": lambda: generate(7, tokens=12, features=12, d_k=8, d_v=8, convention="rows"),
    "large columns": lambda: generate(7, options=LARGE),
    "large rows": lambda: generate(7, convention="rows", options=LARGE),
    "letter columns": lambda: generate(7, options=LETTER),
    "letter rows": lambda: generate(7, convention="rows", options=LETTER),
    "words columns": lambda: generate(7, words=WORDS),
    "words rows": lambda: generate(7, words=WORDS, convention="rows"),
    "two queries columns": lambda: generate(7, options=PageOptions(queries=(0, 2))),
    "two queries rows": lambda: generate(7, convention="rows", options=PageOptions(queries=(0, 2))),
    "exact column columns": lambda: generate(7, options=EXACT),
    "exact column rows": lambda: generate(7, convention="rows", options=EXACT),
    "basic columns": lambda: generate(7, mechanism="basic"),
    "basic rows": lambda: generate(7, mechanism="basic", convention="rows"),
    "cross columns": lambda: generate(7, mechanism="cross", words=WORDS),
    "cross rows": lambda: generate(7, mechanism="cross", convention="rows", options=LETTER),
    "causal columns": lambda: generate(7, causal=True),
    "causal rows": lambda: generate(7, causal=True, convention="rows"),
    "multi-head columns": lambda: generate(7, mechanism="multi-head", causal=True),
    "multi-head rows": lambda: generate(7, mechanism="multi-head", convention="rows"),
    "four heads columns": lambda: generate(7, mechanism="multi-head", heads=4),
    "block columns": lambda: generate(7, mechanism="block"),
    "block rows": lambda: generate(7, mechanism="block", convention="rows", options=LETTER),
    "heads in a block rows": lambda: generate(7, mechanism="block", heads=2, convention="rows", causal=True),
    "embedded columns": lambda: generate(7, words=SENTENCE, embed=True),
    "embedded rows": lambda: generate(7, words=SENTENCE, embed=True, convention="rows"),
    "positions columns": lambda: generate(7, words=SENTENCE, positions=True),
    "positions rows": lambda: generate(7, words=SENTENCE, positions=True, convention="rows", options=LETTER),
    "basic large columns": lambda: generate(7, mechanism="basic", options=LARGE),
    "cross large rows": lambda: generate(7, mechanism="cross", convention="rows", options=LARGE),
    "multi-head large columns": lambda: generate(7, mechanism="multi-head", level="warm-up", options=LARGE),
    "block large rows": lambda: generate(7, mechanism="block", convention="rows", level="warm-up", options=LARGE),
    "started columns": lambda: generate(7, causal=True, options=PageOptions(start="S")),
    "two stages rows": lambda: generate(7, convention="rows", options=PageOptions(blank_stages=("A", "Z"))),
    "walk columns": lambda: generate(7, causal=True, options=PageOptions(walk=1)),
    "walk rows": lambda: generate(7, mechanism="multi-head", convention="rows", options=PageOptions(walk=2)),
    "elephant": lambda: sample("elephant"),
    "guide": lambda: sample("guide"),
    "three words": lambda: sample("three-words"),
}
"""By name: the sheets of seed 7 in all sizes and shapes, and those samples that look unlike them."""

PRINTED = (
    *("classic columns", "classic rows", "warm-up columns", "challenge rows", "12 × 12 columns", "large columns"),
    *("large rows", "letter rows", "words columns", "three words", "exact column columns", "guide"),
    *("basic columns", "cross rows", "causal rows", "multi-head columns", "block columns", "heads in a block rows"),
    *("embedded rows", "positions columns", "basic large columns", "walk columns", "elephant"),
)
"""Those that tests make PDFs of, which takes a second each."""


@cache
def sheet(name: str) -> Sheet:
    """Return a sheet of ``MADE``, solved."""
    return MADE[name]()


@cache
def html(name: str, solved: bool) -> str:
    """Return the web page of a sheet of ``MADE``."""
    made = sheet(name)
    return render_html(made.key if solved else made.blank)


@cache
def laid_out(made: Sheet) -> tuple[Layout, Layout]:
    """Return the layouts of the blank sheet and of its key."""
    return lay_out(made.blank), lay_out(made.key)


def own(
    tokens: int,
    features: int,
    d_k: int,
    d_v: int,
    *,
    convention: Convention = Convention.COLUMNS,
    options: PageOptions | None = None,
    rules: Rules = HAND,
    words: Sequence[str] = (),
) -> Sheet:
    """Return a sheet of own matrices of these sizes, with numbers as small as those of drawn ones."""
    rng = random.Random(f"{tokens} {features} {d_k} {d_v}")

    def drawn(rows: int, columns: int, numbers: str) -> Rows:
        return [[int(rng.choice(numbers.split())) for _ in range(columns)] for _ in range(rows)]

    weights = "0 " * features + "1 -1"
    given = {
        "X": drawn(features, tokens, "0 0 1 1 -1"),
        "W_Q": drawn(d_k, features, weights),
        "W_K": drawn(d_k, features, weights),
        "W_V": drawn(d_v, features, weights),
    }
    if convention is Convention.ROWS:
        given = in_rows(given)
    return sheet_from_problem(problem_of(given, convention=convention, rules=rules, words=tuple(words)), options)


# the same sheet with every answer changed


def with_other_answers(made: Sheet) -> Sheet:
    """Return the sheet as if every answer that it does not give away were another one, of as many characters.

    What is printed for the student stays: the worked cell, stages that are not asked, the exact column.
    """
    worked = {cell.address for row in panels(made.blank).all()[0].grid.cells for cell in row if cell.kind is Kind.GIVEN}
    stages = tuple(_otherwise(made, solved, worked) for solved in made.solution)
    return replace(made, solution=replace(made.solution, stages=stages))


def _otherwise(made: Sheet, solved: SolvedStage, worked: set[str]) -> SolvedStage:
    if made.is_printed(solved.stage):
        return solved
    places = made.problem.rules.decimals
    alike = not differs(solved)
    printed = made.queries[0] if made.options.exact_column else None
    hand = tuple(
        tuple(
            value if f"{solved.stage.name}[{i + 1},{j + 1}]" in worked else another(value, places)
            for j, value in enumerate(row)
        )
        for i, row in enumerate(solved.hand)
    )
    exact = tuple(
        tuple(
            as_float(hand[i][j])
            if alike
            else value
            if printed == (i if made.is_rows else j)
            else float(another(Decimal(value), places))
            for j, value in enumerate(row)
        )
        for i, row in enumerate(solved.exact)
    )
    return replace(solved, hand=hand, exact=exact)


def another(value: Number, places: int) -> Number:
    """Return another number of the same sign and kind that takes as many characters.

    >>> another(0, 2), another(9, 2), another(-1, 2), another(Fraction(1, 3), 2), another(Decimal("0.99"), 2)
    (1, 8, -2, Fraction(2, 3), Decimal('1.00'))
    """
    if isinstance(value, int):
        return next(v for v in (value + 1, value - 1) if len(str(v)) == len(str(value)))
    if isinstance(value, Decimal):
        step = Decimal(1).scaleb(-places)
        return next(v for v in (value + step, value - step) if len(rounded(v, places)) == len(rounded(value, places)))
    top, bottom = abs(value.numerator), value.denominator
    others = range(10 ** (len(str(top)) - 1), 10 ** len(str(top)))
    new = next(t for t in others if t != top and math.gcd(t, bottom) == 1)
    return Fraction(new if value > 0 else -new, bottom)
