"""Sheets that the tests of pages share: every kind of page the program makes, each made once a process."""

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

from attnhand.api import generate, solve
from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import Number, format_decimal, to_float
from attnhand.attention.solution import SolvedStage
from attnhand.formats.html import render_html
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Layout
from attnhand.sheet.build_grids import is_changed_by_shortcut
from attnhand.sheet.grids import CellKind
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.panels import build_panels
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.building import Rows, make_problem, move_scores, transpose_given

ROOT = Path(__file__).parents[2]
WORDS = ("the", "cat", "saw", "birds")

SENTENCE = ("the", "cat", "saw", "the", "dog")
"""One word is said twice, so it is looked up."""

LARGE_PRINT, LETTER_PAPER = PageOptions(large_print=True), PageOptions(paper=Paper.LETTER)
EXACT_COLUMN = PageOptions(show_exact=True, check_sums=True)
TICKED = PageOptions(scan=True, tick_boxes=True)


def solve_sample(name: str) -> Sheet:
    """Return the sheet of a sample's problem file."""
    return solve(json.loads((ROOT / "samples" / "problems" / f"{name}.json").read_text(encoding="utf-8")))


def give_sheet(sheet: Sheet, number: int, name: str) -> Sheet:
    """Return a student's copy of a sheet, with № and name."""
    return replace(sheet, seat=Seat(number=number, student=Student(name=name)))


SEEN = [[1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]]
"""What each query may look at."""

OWN_MASK = {
    "words": WORDS,
    "given": {
        "X": [[1, 0, 1, 2], [0, 2, 1, 0], [1, 1, 0, 1], [2, 0, 0, 1]],
        "b_Q": [1, 0, -1, 0],
        "b_V": [0, 2, 0, 1],
        "W_Q": [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1], [0, 0, 1, 1]],
        "W_K": [[0, 1, 0, 1], [1, 0, 1, 0], [1, -1, 0, 0], [0, 1, 1, 0]],
        "W_V": [[1, 0, 0, 2], [0, 1, 0, 1], [1, 0, 2, 0], [0, 0, 1, 1]],
    },
}
"""A problem that fits as columns and as rows: with biases, and a mask beside it."""

SHEET_MAKERS: dict[str, Callable[[], Sheet]] = {
    "classic columns": lambda: generate(7),
    "classic rows": lambda: generate(7, convention="rows"),
    "warm-up columns": lambda: generate(7, level="warm-up"),
    "warm-up rows": lambda: generate(7, level="warm-up", convention="rows"),
    "challenge columns": lambda: generate(7, level="challenge"),
    "challenge rows": lambda: generate(7, level="challenge", convention="rows"),
    "12 × 12 columns": lambda: make_own_sheet(12, 12, 8, 8),
    "12 × 12 rows": lambda: make_own_sheet(12, 12, 8, 8, convention=Convention.ROWS),
    "large columns": lambda: generate(7, options=LARGE_PRINT),
    "large rows": lambda: generate(7, convention="rows", options=LARGE_PRINT),
    "letter columns": lambda: generate(7, options=LETTER_PAPER),
    "letter rows": lambda: generate(7, convention="rows", options=LETTER_PAPER),
    "words columns": lambda: generate(7, words=WORDS),
    "words rows": lambda: generate(7, words=WORDS, convention="rows"),
    "two queries columns": lambda: generate(7, options=PageOptions(only_queries=(1, 3))),
    "two queries rows": lambda: generate(7, convention="rows", options=PageOptions(only_queries=(1, 3))),
    "exact column columns": lambda: generate(7, options=EXACT_COLUMN),
    "exact column rows": lambda: generate(7, convention="rows", options=EXACT_COLUMN),
    "ticked columns": lambda: generate(7, options=TICKED),
    "ticked rows": lambda: generate(7, convention="rows", options=replace(TICKED, fade=True, check_sums=True)),
    "basic columns": lambda: generate(7, mechanism="basic"),
    "basic rows": lambda: generate(7, mechanism="basic", convention="rows"),
    "cross columns": lambda: generate(7, mechanism="cross", words=WORDS),
    "cross rows": lambda: generate(7, mechanism="cross", convention="rows", options=LETTER_PAPER),
    "causal columns": lambda: generate(7, causal=True),
    "causal rows": lambda: generate(7, causal=True, convention="rows"),
    "window rows": lambda: generate(7, causal=True, window=2, convention="rows", options=LETTER_PAPER),
    "multi-head columns": lambda: generate(7, mechanism="multi-head", causal=True),
    "multi-head rows": lambda: generate(7, mechanism="multi-head", convention="rows"),
    "four heads columns": lambda: generate(7, mechanism="multi-head", heads=4),
    "block columns": lambda: generate(7, mechanism="block"),
    "block rows": lambda: generate(7, mechanism="block", convention="rows", options=LETTER_PAPER),
    "heads in a block rows": lambda: generate(7, mechanism="block", heads=2, convention="rows", causal=True),
    "residual columns": lambda: generate(7, mechanism="block", residual=True),
    "residual and norm columns": lambda: generate(7, mechanism="block", residual=True, norm="rms", causal=True),
    "norm after rows": lambda: generate(
        7, mechanism="block", residual=True, norm="rms", norm_place="after", convention="rows", options=LETTER_PAPER
    ),
    "heads and norm rows": lambda: generate(
        7, mechanism="block", heads=2, residual=True, norm="rms", convention="rows", rules="exact"
    ),
    "embedded columns": lambda: generate(7, words=SENTENCE, embed=True),
    "embedded rows": lambda: generate(7, words=SENTENCE, embed=True, convention="rows"),
    "positions columns": lambda: generate(7, words=SENTENCE, positions=True),
    "positions rows": lambda: generate(7, words=SENTENCE, positions=True, convention="rows", options=LETTER_PAPER),
    "basic large columns": lambda: generate(7, mechanism="basic", options=LARGE_PRINT),
    "cross large rows": lambda: generate(7, mechanism="cross", convention="rows", options=LARGE_PRINT),
    "multi-head large columns": lambda: generate(7, mechanism="multi-head", level="warm-up", options=LARGE_PRINT),
    "block large rows": lambda: generate(7, mechanism="block", convention="rows", level="warm-up", options=LARGE_PRINT),
    "embedded large rows": lambda: generate(
        7, words=SENTENCE, embed=True, convention="rows", level="warm-up", options=LARGE_PRINT
    ),
    "started columns": lambda: generate(7, causal=True, options=PageOptions(from_stage="S")),
    "two stages rows": lambda: generate(7, convention="rows", options=PageOptions(blank_stages=("A", "Z"))),
    "trace columns": lambda: generate(7, causal=True, options=PageOptions(trace=2)),
    "trace rows": lambda: generate(7, mechanism="multi-head", convention="rows", options=PageOptions(trace=3)),
    "story columns": lambda: generate(7, story="swap"),
    "story rows": lambda: generate(7, story="swap", convention="rows"),
    "story with places columns": lambda: generate(7, story="colours"),
    "from queries columns": lambda: generate(7, begin_with="Q,K,V"),
    "from queries rows": lambda: generate(7, begin_with="Q,K,V", convention="rows", options=LETTER_PAPER),
    "one query columns": lambda: generate(7, begin_with="Q,K,V", query_count=1, words=WORDS),
    "one query rows": lambda: generate(7, mechanism="cross", query_count=1, convention="rows"),
    "scores alone columns": lambda: generate(7, begin_with="S"),
    "padded rows": lambda: generate(7, padding=[4], convention="rows"),
    "shifted columns": lambda: generate(7, subtract_max=True),
    "online columns": lambda: generate(7, mechanism="online"),
    "online rows": lambda: generate(7, mechanism="online", level="challenge", convention="rows"),
    "online warm-up": lambda: generate(7, mechanism="online", level="warm-up", large_print=True),
    "shifted rows": lambda: generate(7, subtract_max=True, rules="exact", convention="rows"),
    "plain shares rows": lambda: generate(7, base="none", convention="rows"),
    "own mask columns": lambda: solve(OWN_MASK, mask=["causal", [list(row) for row in zip(*SEEN, strict=True)]]),
    "own mask rows": lambda: solve(OWN_MASK, convention="rows", mask=SEEN, padding=[2]),
    "learn columns": lambda: generate(7, part="learn"),
    "learn rows": lambda: generate(7, part="learn", convention="rows"),
    "write on columns": lambda: generate(7, part="write-on"),
    "write on rows": lambda: generate(7, part="write-on", convention="rows"),
    "next word columns": lambda: generate(7, part="next-word"),
    "next word rows": lambda: generate(7, part="next-word", convention="rows"),
    "without a head columns": lambda: generate(7, part="without-head-1"),
    "without a head rows": lambda: generate(7, part="without-head-1", convention="rows"),
    "elephant": lambda: solve_sample("elephant"),
    "guide": lambda: solve_sample("guide"),
    "three words": lambda: solve_sample("three-words"),
}
"""By name: the sheets of seed 7 of all sizes and kinds, and those samples that look unlike them."""

OWNED_SHEET_MAKERS: dict[str, Callable[[], Sheet]] = {
    "owned columns": lambda: give_sheet(generate(7, words=WORDS), 3, "Ada Lovelace"),
    "owned rows": lambda: give_sheet(
        generate(7, convention="rows", options=LETTER_PAPER), 12, "Wilhelmina Konstantinopolitańska-Hohenzollern"
    ),
    "owned large rows": lambda: give_sheet(generate(7, convention="rows", options=LARGE_PRINT), 112, "Ǻse"),
}
"""Students' copies; their № stands nearer to the edge of the paper than anything else may."""

KINDS: Sequence[str] = choose(
    (
        *("classic columns", "classic rows", "warm-up columns", "challenge rows", "12 × 12 rows", "large rows"),
        *("two queries columns", "exact column rows", "basic columns", "cross rows", "causal columns", "window rows"),
        *("residual and norm columns", "norm after rows", "heads and norm rows"),
        *("multi-head columns", "block columns", "embedded rows", "positions columns", "started columns"),
        *("from queries rows", "one query columns", "scores alone columns", "padded rows", "shifted columns"),
        *(
            "own mask columns",
            "own mask rows",
            "learn columns",
            "learn rows",
            "write on columns",
            "ticked columns",
            "trace columns",
            "story rows",
            "story with places columns",
            "guide",
            "online rows",
        ),
    ),
    tuple(SHEET_MAKERS),
)
"""Those that tests look at: every mechanism, way to lie, paper, size of type, and what is printed besides."""

ALL_PDF_SHEET_NAMES = (
    *("classic columns", "classic rows", "warm-up columns", "challenge rows", "12 × 12 columns", "large columns"),
    *("large rows", "letter rows", "words columns", "three words", "exact column columns", "guide"),
    *("basic columns", "cross rows", "causal rows", "multi-head columns", "block columns", "heads in a block rows"),
    *("embedded rows", "embedded large rows", "positions columns", "basic large columns", "trace columns", "elephant"),
    *("from queries columns", "one query rows", "own mask rows", "shifted rows", "plain shares rows"),
    *("window rows", "story columns", "story rows", "story with places columns", "ticked columns"),
    *OWNED_SHEET_MAKERS,
)
"""Those that ``make sweep`` makes PDFs of."""

PDF_SHEET_NAMES: Sequence[str] = choose(
    (
        *("classic columns", "classic rows", "warm-up columns", "12 × 12 rows", "large columns", "words columns"),
        *("cross rows", "multi-head columns", "block columns", "embedded rows", "trace columns", "window rows"),
        *("story rows", *OWNED_SHEET_MAKERS),
    ),
    ALL_PDF_SHEET_NAMES,
)
"""Those that tests make PDFs of."""


@cache
def get_sheet(name: str) -> Sheet:
    """Return a sheet of ``MADE``, solved."""
    return (SHEET_MAKERS | OWNED_SHEET_MAKERS)[name]()


@cache
def get_html(name: str, solved: bool) -> str:
    """Return the web page of a sheet of ``MADE``."""
    sheet = get_sheet(name)
    return render_html(sheet.key if solved else sheet.blank)


@cache
def get_layouts(sheet: Sheet) -> tuple[Layout, Layout]:
    """Return the layouts of the blank sheet and of its key."""
    return lay_out(sheet.blank), lay_out(sheet.key)


def make_own_sheet(
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

    def draw(rows: int, columns: int, numbers: str) -> Rows:
        return [[int(rng.choice(numbers.split())) for _ in range(columns)] for _ in range(rows)]

    weights = "0 " * features + "1 -1"
    given = {
        "X": draw(features, tokens, "0 0 1 1 -1"),
        "W_Q": draw(d_k, features, weights),
        "W_K": draw(d_k, features, weights),
        "W_V": draw(d_v, features, weights),
    }
    if convention is Convention.ROWS:
        given = transpose_given(given)
    return make_sheet_from_problem(make_problem(given, convention=convention, rules=rules, words=tuple(words)), options)


# the same sheet with every answer changed


def change_answers(sheet: Sheet) -> Sheet:
    """Return the sheet as if every answer that it does not give away were another one, of as many characters.

    What is printed for the student stays: the worked cell, stages that are not asked, the exact column.
    """
    worked = {
        cell.address
        for row in build_panels(sheet.blank).list_panels()[0].grid.cells
        for cell in row
        if cell.kind is CellKind.GIVEN
    }
    stages = tuple(_change_stage(sheet, solved, worked) for solved in sheet.solution)
    posed = sheet.posed_questions  # these answers contradict the problem, so no try could be proved from them
    asking = type("AskingSheet", (Sheet,), {"posed_questions": property(lambda _: posed)})
    changed = {field.name: getattr(sheet, field.name) for field in fields(Sheet) if field.init}
    return asking(**changed | {"solution": replace(sheet.solution, stages=stages)})  # type: ignore[no-any-return]


def _change_stage(sheet: Sheet, solved: SolvedStage, worked_cells: set[str]) -> SolvedStage:
    if sheet.is_printed(solved.stage):
        return solved
    mechanism, places = sheet.problem.mechanism, sheet.problem.rules.decimals
    alike = not is_changed_by_shortcut(solved)
    printed = sheet.asked_queries[0] if sheet.options.show_exact else None
    hand = tuple(
        tuple(
            value
            if sheet.is_cell_printed(solved.stage, i, j) or f"{solved.stage.name}[{i + 1},{j + 1}]" in worked_cells
            else change_number(value, places)
            for j, value in enumerate(row)
        )
        for i, row in enumerate(solved.hand)
    )
    if any(stage.facts.reminder_key and solved.stage.name in stage.input_names for stage in mechanism.stages):
        hand = move_scores(sheet, solved.hand)
    exact = tuple(
        tuple(
            to_float(hand[i][j])
            if alike
            else value
            if printed == (i if sheet.convention.is_rows else j)
            else float(change_number(Decimal(value), places))
            for j, value in enumerate(row)
        )
        for i, row in enumerate(solved.exact)
    )
    return replace(solved, hand=hand, exact=exact)


def change_number(value: Number, places: int) -> Number:
    """Return another number of the same sign and kind that takes as many characters, as near as may be.

    >>> [change_number(value, 2) for value in (0, 9, -1, Fraction(1, 3), Decimal("0.99"))]
    [1, 8, -2, Fraction(2, 3), Decimal('1.00')]
    """
    if isinstance(value, int):
        return next(v for v in (value + 1, value - 1) if len(str(v)) == len(str(value)))
    if isinstance(value, Decimal):
        step = Decimal(1).scaleb(-places)
        return next(
            v
            for v in (value + step, value - step)
            if len(format_decimal(v, places)) == len(format_decimal(value, places))
        )
    top, bottom = abs(value.numerator), value.denominator
    others = sorted(range(10 ** (len(str(top)) - 1), 10 ** len(str(top))), key=lambda other: abs(other - top))
    new = next(t for t in others if t != top and math.gcd(t, bottom) == 1)
    return Fraction(new if value > 0 else -new, bottom)
