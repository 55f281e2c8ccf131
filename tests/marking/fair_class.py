"""A class of honest students and others, worked and judged by arithmetic of its own, beside what the marker says.

Nothing here works, compares or reads numbers by the program: fractions alone, a page of code. The program draws the
sheets, makes the slips of its catalogue, and marks. ``python -m tests.marking.simulated_class --students 10000``
prints the table. Of every cell it is known how it came about: what was worked honestly must count, whatever was written
before it; what was not must not be called a slip that nobody made.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.marks import CellMark
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.stage_oracle import LEFT_TURNED, RIGHT_TURNED, ROLES, StageOracle, make_oracle

HIDDEN = None
"""−∞: no power of it is anything but 0."""

Value = Any
"""A fraction, or what is hidden."""
Rows = list[list[Value]]
Place = tuple[str, int, int]


# arithmetic of its own, with tokens as columns


def turn(a: Rows) -> Rows:
    """Exchange rows and columns."""
    return [list(line) for line in zip(*a, strict=True)]


def name_kind(stage: Stage) -> str:
    """Return what is done at a stage: what its topic says, else a product."""
    return "product" if stage.topic in ROLES else stage.topic


def work(stage: Stage, inputs: list[Rows], oracle: StageOracle, d_k: int = 0) -> Rows:
    """Work a stage by hand; what cannot be worked (over a sum of 0, a huge power) raises.

    Args:
        oracle: plain loops for what is not worked here; it knows the sink too.
        d_k: where it is worked with e and √d_k instead.
    """
    first, last = inputs[0], inputs[-1]
    match name_kind(stage):
        case "product" if stage.topic in RIGHT_TURNED or (stage.topic in LEFT_TURNED and stage.topic != "scores"):
            return oracle.work(stage.topic, inputs)
        case "product":
            left = turn(first) if stage.topic == "scores" else first
            bias = inputs[1] if len(inputs) == 3 else [[Fraction(0)]] * len(left)
            return [
                [sum((x * y for x, y in zip(row, column, strict=True)), b) for column in turn(last)]
                for row, (b, *_) in zip(left, bias, strict=True)
            ]
        case "scaled":
            if d_k:
                return [[Fraction(float(x) / math.sqrt(d_k)) for x in row] for row in first]
            return [[Fraction(floor(x / 2)) for x in row] for row in first]
        case "turned":
            return [
                [turn_number(first, i, j, stage.kept_count) for j in range(len(row))] for i, row in enumerate(first)
            ]
        case "masked":
            is_rows = stage.convention.is_rows
            return [
                [HIDDEN if stage.hides(*((j, i) if is_rows else (i, j))) else x for j, x in enumerate(row)]
                for i, row in enumerate(first)
            ]
        case "shifted":
            if any(all(x is HIDDEN for x in column) for column in turn(first)):
                raise ArithmeticError("nothing to subtract")
            largest = [max(x for x in column if x is not HIDDEN) for column in turn(first)]
            return [[x if x is HIDDEN else x - largest[j] for j, x in enumerate(row)] for row in first]
        case "powers":
            if d_k:
                return [[Fraction(0 if x is HIDDEN else math.exp(x)) for x in row] for row in first]
            return [[raise_three(x) for x in row] for row in first]
        case "sums":
            return [[sum(column, oracle.nobody) for column in turn(first)]]
        case "weights":
            return [[x / last[0][j] for j, x in enumerate(row)] for row in first]
        case "concat":
            return [row for head in inputs for row in head]
        case "relu":
            return [[max(x, Fraction(0)) for x in row] for row in first]
        case "embedded":
            return [[row[place - 1] for place in stage.formula.lists["word"]] for row in first]
        case "biased":
            slope, before = stage.head or 1, stage.kept_count
            return [[x - slope * (before + q - k) for q, x in enumerate(row)] for k, row in enumerate(first)]
        case "appended":
            return [[*kept_row, *new_row] for kept_row, new_row in zip(first, last, strict=True)]
        case "added":
            return [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(first, last, strict=True)]
        case "block_powers" | "rescaling" if not d_k:
            return [[raise_three(x - last[0][j]) for j, x in enumerate(row)] for row in first]
        case _:
            return oracle.work(stage.topic, inputs)


def turn_number(a: Rows, i: int, token: int, kept: int) -> Value:
    """Return what a quarter turn a token brings to a row: of (a, b) first −b, then −a, then b; kept ones count too."""
    is_first = i % 2 == 0
    partner = a[i + 1][token] if is_first else a[i - 1][token]
    turns = (a[i][token], -partner if is_first else partner, -a[i][token], partner if is_first else -partner)
    return turns[(token + kept) % 4]


def raise_three(x: Value) -> Fraction:
    """Return 3 to a whole power, 0 for what is hidden."""
    if x is HIDDEN:
        return Fraction(0)
    if x.denominator != 1 or abs(x) > 40:
        raise ArithmeticError("no pencil works that")
    return Fraction(3) ** int(x)


# spelling


def round_off(value: Fraction, places: int) -> Fraction:
    """Round halves away from zero."""
    units = floor(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(units if value >= 0 else -units, 10**places)


def cut_off(value: Fraction, places: int) -> Fraction:
    """Leave out what comes after so many digits."""
    units = floor(abs(value) * 10**places)
    return Fraction(units if value >= 0 else -units, 10**places)


def write_decimal(value: Fraction, places: int) -> str:
    """Write a number that has no more digits than that."""
    units = abs(int(value * 10**places))
    digits = f"{units:0{places + 1}d}"
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if value < 0 else text


def write_fraction(value: Fraction) -> str:
    """Write a number exactly."""
    return f"{value.numerator}/{value.denominator}" if value.denominator > 1 else f"{value.numerator}"


def write_mixed(value: Fraction) -> str:
    """Write 3/2 as 1 1/2."""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    sign = "-" if value < 0 else ""
    return f"{sign}{whole} {rest}/{value.denominator}" if whole and rest else write_fraction(value)


SPELLINGS: dict[str, Callable[[Fraction], str]] = {
    "as it is": write_fraction,
    "true minus": lambda x: write_fraction(x).replace("-", "−"),
    "en dash": lambda x: write_fraction(x).replace("-", "–"),
    "hyphen of print": lambda x: write_fraction(x).replace("-", "‐"),
    "mixed": write_mixed,
    "not reduced": lambda x: f"{2 * x.numerator}/{2 * x.denominator}" if x.denominator > 1 else write_fraction(x),
    "fraction slash": lambda x: write_fraction(x).replace("/", "⁄"),
    "blanks round the slash": lambda x: write_fraction(x).replace("/", " / "),
    "blanks around": lambda x: f"  {write_fraction(x)} ",
    "no-break blank": lambda x: f"\u00a0{write_fraction(x)}",
    "plus": lambda x: f"+{write_fraction(x)}" if x > 0 else write_fraction(x),
    "formula": lambda x: f"={write_fraction(x)}",
    "apostrophe": lambda x: f"'{write_fraction(x)}",
    "full width": lambda x: write_fraction(x).translate({ord("0") + n: ord("０") + n for n in range(10)}),
    "Arabic digits": lambda x: write_fraction(x).translate({ord("0") + n: ord("٠") + n for n in range(10)}),
    "divided": lambda x: write_fraction(x).replace("/", "÷"),
    "as a ratio": lambda x: write_fraction(x).replace("/", ":"),
    "brackets": lambda x: f"({write_fraction(x)})" if x < 0 else write_fraction(x),
    "dollars": lambda x: f"${write_fraction(x)}$",
    "three decimals": lambda x: write_fraction(x) if x.denominator == 1 else write_decimal(round_off(x, 3), 3),
    "comma": lambda x: write_fraction(x) if x.denominator == 1 else write_decimal(round_off(x, 4), 4).replace(".", ","),
    "comma, three decimals": lambda x: (
        write_fraction(x) if x.denominator == 1 else write_decimal(round_off(x, 3), 3).replace(".", ",")
    ),
    "all in brackets": lambda x: f"({write_fraction(x)})",
    "semicolon": lambda x: f"{write_fraction(x)};",
    "named": lambda x: f"q11 = {write_fraction(x)}",
    "ca.": lambda x: write_fraction(x) if x.denominator == 1 else f"ca. {write_decimal(round_off(x, 2), 2)}",
    "as a spreadsheet saves it": lambda x: (
        write_fraction(x) if x.denominator == 1 else write_decimal(round_off(x, 2), 2).rstrip("0").rstrip(".")
    ),
    "many digits": lambda x: write_fraction(x) if x.denominator == 1 else write_decimal(round_off(x, 45), 45),
    "about": lambda x: write_fraction(x) if x.denominator == 1 else f"≈{write_decimal(round_off(x, 2), 2)}",
}
"""Ways to write a right number."""


# slips outside the catalogue: the inputs of a stage and what is right there, to what is written


def change(work_cell: Callable[[Fraction], Fraction]) -> Callable[[list[Rows], Rows], Rows]:
    """Write something else for every number that is right."""
    return lambda inputs, right: [[HIDDEN if x is HIDDEN else work_cell(x) for x in row] for row in right]


def remake(work_cell: Callable[[Fraction], Fraction]) -> Callable[[list[Rows], Rows], Rows]:
    """Make something else of every number that the stage reads."""
    return lambda inputs, right: [[Fraction(0) if x is HIDDEN else work_cell(x) for x in row] for row in inputs[0]]


def refill(work_cell: Callable[[Fraction, Fraction], Fraction]) -> Callable[[list[Rows], Rows], Rows]:
    """Make something else of every power and its sum."""
    return lambda inputs, right: [[work_cell(x, inputs[1][0][j]) for j, x in enumerate(row)] for row in inputs[0]]


def over_columns(work_column: Callable[[list[Fraction]], Fraction]) -> Callable[[list[Rows], Rows], Rows]:
    """Make something else of every column of powers."""
    return lambda inputs, right: [[work_column(column) for column in turn(inputs[0])]]


OUTSIDE: dict[str, tuple[str, Callable[[list[Rows], Rows], Rows]]] = {
    "all doubled": ("product", change(lambda x: 2 * x)),
    "all signs changed": ("product", change(lambda x: -x)),
    "one too many": ("product", change(lambda x: x + 1)),
    "one too few where negative": ("product", change(lambda x: x - 1 if x < 0 else x)),
    "rows upside down": ("product", lambda inputs, right: right[::-1]),
    "columns from behind": ("product", lambda inputs, right: [row[::-1] for row in right]),
    "halved": ("product", change(lambda x: x / 2)),
    "tripled": ("product", change(lambda x: 3 * x)),
    "one less than half": ("scaled", remake(lambda x: Fraction(floor(x / 2) - 1))),
    "a third": ("scaled", remake(lambda x: Fraction(floor(x / 3)))),
    "a quarter": ("scaled", remake(lambda x: Fraction(floor(x / 4)))),
    "one added before": ("scaled", remake(lambda x: Fraction(floor((x + 2) / 2)))),
    "half of the sign changed": ("scaled", remake(lambda x: Fraction(floor(-x / 2)))),
    "one added": ("powers", change(lambda x: x + 1)),
    "one power too many": ("powers", change(lambda x: 3 * x)),
    "upside down": ("powers", change(lambda x: 1 / x if x else x)),
    "four for three": ("powers", remake(lambda x: Fraction(4) ** int(x) if x.denominator == 1 else x)),
    "squared": ("powers", remake(lambda x: x * x)),
    "whole numbers only": ("powers", change(lambda x: round_off(x, 0))),
    "first left out": ("sums", over_columns(lambda column: sum(column[1:], Fraction(0)))),
    "the largest": ("sums", over_columns(max)),
    "the mean": ("sums", over_columns(lambda column: sum(column, Fraction(0)) / len(column))),
    "one too much": ("sums", over_columns(lambda column: sum(column, Fraction(1)))),
    "over one more": ("weights", refill(lambda power, total: power / (total + 1))),
    "over the others": ("weights", refill(lambda power, total: power / (total - power) if total != power else power)),
    "turned over": ("weights", refill(lambda power, total: total / power if power else power)),
    "what is missing": ("weights", refill(lambda power, total: 1 - power / total)),
    "over twice": ("weights", refill(lambda power, total: power / (2 * total))),
    "joined from behind": ("concat", lambda inputs, right: right[::-1]),
    "1 for negative": ("relu", remake(lambda x: x if x > 0 else Fraction(1))),
}
"""By the kind of stage that they distort."""


# students


@dataclass
class Student:
    """One who works a sheet: every stage from their own numbers, in their way of writing."""

    sheet: Sheet
    kind: str
    carries: str = "exact"
    """What they go on with: exact numbers, or what they have written."""

    places: int | None = None
    """Decimals that they write; None for fractions."""

    cuts: bool = False
    percent: bool = False
    is_exact: bool = False
    """Whether they work with e and √d_k."""

    spell: Callable[[Fraction], str] = write_fraction
    texts: dict[str, list[list[str]]] = field(default_factory=dict)
    values: dict[str, Rows] = field(default_factory=dict)
    """What is gone on with, as the sheet has its rows and columns."""

    slips: dict[str, str] = field(default_factory=dict)
    """Which slip was made at which stage; outside the catalogue an empty id."""

    dishonest: set[Place] = field(default_factory=set)
    """Cells that need not count: of a slip, or worked from nothing."""

    noted: set[Place] = field(default_factory=set)
    """Right numbers written amiss: too few digits, cut off, a percentage without its sign."""

    alike: bool = False
    """Whether a slip shows in fewer than two cells, or gives what another mistake gives."""

    @property
    def is_rows(self) -> bool:
        return self.sheet.convention.is_rows

    def in_columns(self, name: str) -> Rows:
        """Return what is gone on with, with tokens as columns."""
        return turn(self.values[name]) if self.is_rows else self.values[name]

    def write(self, value: Value, stage: Stage) -> tuple[str, Value, bool]:
        """Return a number as it is written, what is gone on with, and whether it is written amiss."""
        if value is HIDDEN:
            return "-inf", HIDDEN, False
        if self.percent and name_kind(stage) == "weights":
            share = round_off(value * 100, 2)
            return write_decimal(share, 2), value, share != value
        if value.denominator > 10**9 and self.places is None:  # too long for a fraction
            return write_decimal(round_off(value, 4), 4), value, False
        if self.places is None or value.denominator == 1:
            return self.spell(value), value, False
        written = (cut_off if self.cuts else round_off)(value, self.places)
        asked = self.sheet.problem.rules.decimals
        amiss = written != value and (self.places < asked or written != round_off(value, self.places))
        return write_decimal(written, self.places), written if self.carries == "written" else value, amiss


@cache
def list_columns(sheet_key: tuple[str, Convention, int, Level]) -> tuple[Sheet, tuple[Stage, ...]]:
    """Return a sheet and its stages with tokens as columns."""
    form, convention, seed, level = sheet_key
    sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[form], convention=convention, level=level))
    return sheet, sheet.problem.mechanism.convert_to(Convention.COLUMNS).stages


def to_rows(matrix: Matrix) -> Rows:
    """Return a matrix of the program as fractions."""
    return [[HIDDEN if str(x) in ("-Infinity", "-inf") else Fraction(str(x)) for x in row] for row in matrix]


def is_asked(sheet: Sheet, stage: Stage) -> bool:
    """Say whether a stage is worked."""
    return sheet.has_own_panel(stage) and not sheet.is_printed(stage)


Maker = Callable[["Student", Stage, Stage, Rows], Rows | None]
"""The student, the stage, the same with tokens as columns and what is right there, to what is written."""

Mistakes = dict[str, tuple[str, Maker]]
"""By stage: the id of a slip, and what is written instead."""


def work_sheet(student: Student, columns: tuple[Stage, ...], mistakes: Mistakes) -> bool:
    """Work the whole sheet with these mistakes; say whether each could be made and all could be worked."""
    sheet = student.sheet
    student.values = {name: to_rows(a) for name, a in sheet.problem.given}
    printed = sheet.worked_cell
    for stage, column_stage in zip(sheet.problem.mechanism.stages, columns, strict=True):
        if not is_asked(sheet, stage):
            student.values[stage.name] = to_rows(sheet.solution[stage.name].hand)
            continue
        try:
            d_k = sheet.problem.hand_arithmetic.d_k if student.is_exact else 0
            oracle = make_oracle(sheet.problem, sheet.problem.hand_arithmetic, stage.head or 0)
            if student.is_exact:
                oracle = replace(oracle, scale="sqrt", base="e", d_k=d_k)
            right = work(column_stage, [student.in_columns(name) for name in column_stage.input_names], oracle, d_k)
        except ArithmeticError:
            return False
        right = turn(right) if student.is_rows else right
        written = right
        if stage.name in mistakes:
            slip, make = mistakes[stage.name]
            found = make(student, stage, column_stage, right)
            if found is None or found == right or [*map(len, found)] != [*map(len, right)]:
                return False
            written = found
            student.slips[stage.name] = slip
        texts: list[list[str]] = []
        carried: Rows = []
        asked = set(sheet.list_asked_cells(stage))
        differing = 0
        for i, row in enumerate(written):
            texts.append([])
            carried.append([])
            for j, value in enumerate(row):
                place = (stage.name, i, j)
                if (i, j) not in asked or place == printed:
                    value = to_rows(sheet.solution[stage.name].hand)[i][j]
                    texts[-1].append("")
                    carried[-1].append(value)
                    continue
                text, carried_value, amiss = student.write(value, stage)
                texts[-1].append(text)
                carried[-1].append(carried_value)
                if value != right[i][j]:
                    student.dishonest.add(place)
                    differing += text != student.write(right[i][j], stage)[0]
                elif amiss:
                    student.noted.add(place)
        student.alike |= stage.name in mistakes and differing < 2
        student.texts[stage.name] = texts
        student.values[stage.name] = carried
    return True


def make_catalogue_slip(slip_id: str) -> Callable[[Student, Stage, Stage, Rows], Rows | None]:
    """Return what makes a slip of the catalogue from a student's own numbers."""

    def make(student: Student, stage: Stage, _: Stage, right: Rows) -> Rows | None:
        sheet = student.sheet
        context = StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, convert(student.values))
        slip = next(each for each in find_slips(stage) if each.id == slip_id)
        try:
            wrong = slip.compute_wrong(context)
        except (KeyError, ArithmeticError, AttnhandError):
            return None
        return None if wrong is None else to_rows(wrong)

    return make


def convert(values: dict[str, Rows]) -> dict[str, Matrix]:
    """Return numbers as the slips take them."""

    def convert_number(x: Value) -> Number:
        if x is HIDDEN:
            return MINUS_INFINITY
        return int(x) if x.denominator == 1 else Fraction(x)

    return {name: tuple(tuple(map(convert_number, row)) for row in a) for name, a in values.items()}


def make_outside_slip(name: str) -> Callable[[Student, Stage, Stage, Rows], Rows | None]:
    """Return what makes a slip outside the catalogue."""

    def make(student: Student, stage: Stage, column_stage: Stage, right: Rows) -> Rows | None:
        inputs = [student.in_columns(each) for each in column_stage.input_names]
        try:
            wrong = OUTSIDE[name][1](inputs, turn(right) if student.is_rows else right)
        except ArithmeticError:
            return None
        return turn(wrong) if student.is_rows else wrong

    return make


def draw_slip(draw: random.Random, stages: list[Stage], outside: bool = False) -> Mistakes:
    """Draw a stage and a slip there."""
    for _ in range(50):
        stage = draw.choice(stages)
        if outside:
            kind = name_kind(stage)
            names = [name for name, (of, _) in OUTSIDE.items() if of == kind]
            if names:
                return {stage.name: ("", make_outside_slip(draw.choice(names)))}
        elif ids := [slip.id for slip in find_slips(stage) if slip.has_same_shape]:
            chosen = draw.choice(ids)
            return {stage.name: (chosen, make_catalogue_slip(chosen))}
    return {}


def make_in_line(draw: random.Random, slip_id: str) -> Maker:
    """Return what makes a slip in one row or column, and the others rightly."""
    make_everywhere = make_catalogue_slip(slip_id)
    is_row, chance = draw.random() < 0.5, draw.random()

    def make(student: Student, stage: Stage, column_stage: Stage, right: Rows) -> Rows | None:
        wrong = make_everywhere(student, stage, column_stage, right)
        if wrong is None or [*map(len, wrong)] != [*map(len, right)]:
            return None
        line = int(chance * (len(right) if is_row else len(right[0])))
        return [
            [wrong[i][j] if (i if is_row else j) == line else x for j, x in enumerate(row)]
            for i, row in enumerate(right)
        ]

    return make


def make_with_a_cell(draw: random.Random, slip_id: str) -> Maker:
    """Return what makes a slip everywhere and miscounts one cell besides."""
    make_everywhere, chance = make_catalogue_slip(slip_id), draw.random()

    def make(student: Student, stage: Stage, column_stage: Stage, right: Rows) -> Rows | None:
        wrong = make_everywhere(student, stage, column_stage, right)
        if wrong is None or [*map(len, wrong)] != [*map(len, right)]:
            return None
        asked = student.sheet.list_asked_cells(stage)
        i, j = asked[int(chance * len(asked))]
        return None if wrong[i][j] is HIDDEN else change_cells(wrong, {(i, j): wrong[i][j] + 1})

    return make


def make_two_together(one: str, two: str) -> Maker:
    """Return what makes a slip, and another in the cells that the first leaves right."""
    makes = make_catalogue_slip(one), make_catalogue_slip(two)

    def make(student: Student, stage: Stage, column_stage: Stage, right: Rows) -> Rows | None:
        first, second = (each(student, stage, column_stage, right) for each in makes)
        if first is None or second is None or first == right or second == right:
            return None
        return [
            [a if a != x else b for a, b, x in zip(*rows, strict=True)]
            for rows in zip(first, second, right, strict=True)
        ]

    return make


def make_single_cells(draw: random.Random) -> Maker:
    """Return what miscounts one cell in eight, or one."""
    chance = draw.random()

    def make(student: Student, stage: Stage, _: Stage, right: Rows) -> Rows | None:
        own = random.Random(chance)
        asked = [(i, j) for i, j in student.sheet.list_asked_cells(stage) if right[i][j] is not HIDDEN]
        chosen = own.sample(asked, max(1, len(asked) // 8))
        return change_cells(right, {(i, j): right[i][j] + own.choice([-3, -1, 1, 2]) for i, j in chosen})

    return make


def change_cells(a: Rows, numbers: dict[tuple[int, int], Value]) -> Rows:
    """Return a matrix with other numbers in some cells."""
    return [[numbers.get((i, j), x) for j, x in enumerate(row)] for i, row in enumerate(a)]


CELL_BY_CELL_SLIPS = {
    "scaled": ("truncated", "rounded-up", "half-kept"),
    "powers": ("negative-power-negated", "negative-power-zero", "zero-power-zero", "zero-power-base"),
}
"""Slips that leave cells right in which another can be made, by stage."""


def draw_part(draw: random.Random, stages: list[Stage], kind: str) -> Mistakes:
    """Draw a mistake that was made in a part of a stage, or besides another."""
    found = draw_slip(draw, stages)
    if not found:
        return {}
    ((name, (slip_id, _)),) = found.items()
    match kind:
        case "slip in a line":
            return {name: (slip_id, make_in_line(draw, slip_id))}
        case "slip and a cell":
            return {name: (slip_id, make_with_a_cell(draw, slip_id))}
        case "single cells":
            stage = draw.choice(stages)
            return {stage.name: ("", make_single_cells(draw))}
    stage = draw.choice([stage for stage in stages if stage.topic in CELL_BY_CELL_SLIPS] or stages)
    if stage.topic not in CELL_BY_CELL_SLIPS:
        return {}
    one, two = draw.sample(CELL_BY_CELL_SLIPS[stage.topic], 2)
    return {stage.name: ("", make_two_together(one, two))}


def write_zero(student: Student, stage: Stage, _: Stage, right: Rows) -> Rows:
    """Write 0 for the first sum that is asked."""
    i, j = student.sheet.list_asked_cells(stage)[0]
    return [[Fraction(0) if (i, j) == (r, c) else x for c, x in enumerate(row)] for r, row in enumerate(right)]


KINDS = (
    "honest",
    "one slip",
    "two slips",
    "slip in a line",
    "slip and a cell",
    "single cells",
    "two together",
    "outside slip",
    "slip, empty stage",
    "slip, unreadable cells",
    "sum of zero",
    "one decimal",
    "two decimals",
    "three decimals",
    "calculator",
    "cut off",
    "no percent",
    "slip in decimals",
    "last stage only",
    "transposed",
    "exact",
    "trivial",
    "near-trivial",
)


def make_student(draw: random.Random, kind: str) -> Student | None:
    """Draw a student of a kind; None where this sheet does not let that happen."""
    key = (draw.choice(list(FORMS)), draw.choice(list(Convention)), draw.randrange(1, 30), draw.choice(list(Level)))
    try:
        sheet, columns = list_columns(key)
    except AttnhandError:
        return None
    stages = [stage for stage in sheet.problem.mechanism.stages if is_asked(sheet, stage)]
    student = Student(sheet=sheet, kind=kind)
    mistakes: Mistakes = {}
    match kind:
        case "honest":
            student.spell = draw.choice(list(SPELLINGS.values()))
        case "one slip" | "slip, empty stage" | "slip, unreadable cells":
            mistakes = draw_slip(draw, stages)
        case "two slips":
            mistakes = draw_slip(draw, stages) | draw_slip(draw, stages)
        case "slip in a line" | "slip and a cell" | "single cells" | "two together":
            mistakes = draw_part(draw, stages, kind)
        case "outside slip":
            mistakes = draw_slip(draw, stages, outside=True)
        case "sum of zero":
            sums = [stage for stage in stages if name_kind(stage) == "sums"]
            if not sums:
                return None
            return make_zero_sum_student(student, columns, draw.choice(sums))
        case "one decimal" | "two decimals" | "three decimals":
            student.places = {"one": 1, "two": 2, "three": 3}[kind.split()[0]]
            student.carries = draw.choice(["exact", "written"])
        case "calculator" | "slip in decimals":
            student.places, student.carries = 2, draw.choice(["exact", "written"])
            mistakes = draw_slip(draw, stages, outside=draw.random() < 0.3) if kind == "slip in decimals" else {}
        case "exact":
            student.is_exact, student.places = True, 3
        case "cut off":
            student.places, student.cuts = 2, True
        case "no percent":
            student.percent = True
        case "trivial" | "near-trivial":
            first = draw.choice(stages[: max(1, len(stages) // 2)])
            make = make_trivial(draw, but_one=kind == "near-trivial")
            mistakes = {stage.name: ("", make) for stage in stages if stage.topic == first.topic}  # of every head
    if not mistakes and kind in (
        "one slip",
        "two slips",
        "outside slip",
        "slip, empty stage",
        "slip, unreadable cells",
        "slip in a line",
        "slip and a cell",
        "single cells",
        "two together",
    ):
        return None
    if not work_sheet(student, columns, mistakes):
        return None
    if kind == "slip, empty stage":
        others = [stage.name for stage in stages if stage.name not in mistakes]
        student.texts[draw.choice(others)] = []
    elif kind == "slip, unreadable cells":
        for stage in stages:
            for row in student.texts[stage.name] if stage.name not in mistakes else []:
                for j in range(len(row)):
                    row[j] = "two" if row[j] and draw.random() < 0.1 else row[j]
    elif kind == "last stage only":
        student.texts = {stages[-1].name: student.texts[stages[-1].name]}
    elif kind == "transposed":
        student.texts = {name: [list(line) for line in zip(*rows, strict=True)] for name, rows in student.texts.items()}
    return student


def make_zero_sum_student(student: Student, columns: tuple[Stage, ...], sums: Stage) -> Student | None:
    """Write one Σ as 0, leave what is over it empty, and work all other weights; Z stays empty."""
    sheet = student.sheet
    stages = sheet.problem.mechanism.stages
    weights = next(stage for stage in stages if name_kind(stage) == "weights" and sums.name in stage.input_names)
    if not work_sheet(student, columns, {}):
        return None
    i, j = sheet.list_asked_cells(sums)[0]
    student.texts[sums.name][i][j] = "0"
    student.dishonest.add((sums.name, i, j))
    line = i if student.is_rows else j
    for r, c in sheet.list_asked_cells(weights):
        if (r if student.is_rows else c) == line:
            student.texts[weights.name][r][c] = ""
    for stage in stages[stages.index(weights) + 1 :]:
        if stage.head == sums.head or stage.head is None:
            student.texts.pop(stage.name, None)
    student.slips[sums.name] = ""
    return student


TRIVIAL: dict[str, Callable[[int, int], int]] = {
    "zeros": lambda i, j: 0,
    "ones": lambda i, j: 1,
    "equal numbers": lambda i, j: 2,
    "identity": lambda i, j: int(i == j),
    "equal rows": lambda i, j: j + 1,
    "equal columns": lambda i, j: i + 1,
}
"""What is written by whoever will not work, by row and column."""


def make_trivial(draw: random.Random, *, but_one: bool) -> Callable[[Student, Stage, Stage, Rows], Rows]:
    """Return what fills a stage without work; 9 stands in one cell where so asked."""
    write = TRIVIAL[draw.choice(list(TRIVIAL))]

    def make(student: Student, stage: Stage, _: Stage, right: Rows) -> Rows:
        chosen = draw.choice(student.sheet.list_asked_cells(stage)) if but_one else None
        return [
            [Fraction(9 if (r, c) == chosen else write(r, c)) for c in range(len(row))] for r, row in enumerate(right)
        ]

    return make


# the judge


@dataclass
class Tally:
    """What came of the students of a kind."""

    students: int = 0
    cells: int = 0
    crosses: int = 0
    """Honest cells that do not count."""

    lost: int = 0
    """Honest cells after a slip that follow and are not counted."""

    unnoted: int = 0
    """Numbers written amiss that are not said to be that, and do not count."""

    accusations: int = 0
    """Slips named for sure that nobody made."""

    slips: int = 0
    """Slips of the catalogue that can be told apart."""

    found: int = 0
    """Of those named or listed."""

    named: int = 0
    earned: Fraction = Fraction(0)
    """Share of cells that count, added up."""

    later: Fraction = Fraction(0)
    """Of the cells after a slip, whose key is another number: share that counts, added up."""

    examples: list[str] = field(default_factory=list)


def judge(student: Student, result: CheckResult, tally: Tally) -> None:
    """Compare what the marker says with what is known of the student."""
    tally.students += 1
    cells = result.marks.cells
    tally.earned += Fraction(int(result.marks.score), len(cells))
    changed = [cell for cell in find_later_cells(student, cells) if cell.mark.value != "correct"]
    tally.later += Fraction(sum(cell.mark.value == "follows" and not cell.note for cell in changed), len(changed) or 1)
    where = f"{student.kind}: {student.sheet.code} {student.slips}"
    for cell in cells:
        place = (cell.stage, cell.row, cell.column)
        tally.cells += 1
        is_lost = cell.note is not None and cell.note.value == "unworked"
        counts = cell.mark.value in ("correct", "follows")
        if is_lost and place not in student.dishonest and student.kind not in ("trivial", "near-trivial"):
            tally.lost += 1
            if student.kind not in ("outside slip", "slip and a cell"):
                tally.examples.append(f"{where}: {cell.address} {cell.answer} is not counted")
        if cell.mark.value == "blank" or (cell.mark.value == "unreadable" and cell.answer == "two"):
            continue
        if place in student.noted:
            if not counts and (cell.note is None or cell.note.value == "trivial"):
                tally.unnoted += 1
                tally.examples.append(f"{where}: {cell.address} {cell.answer} for {cell.key} {cell.mark} {cell.note}")
        elif place not in student.dishonest and not counts and student.kind not in ("trivial", "near-trivial"):
            tally.crosses += 1
            tally.examples.append(
                f"{where}: {cell.address} {cell.answer} for {cell.key}, {cell.from_yours}: {cell.mark} {cell.note}"
            )
    found = {diagnosis.stage: diagnosis for diagnosis in result.diagnoses}
    for stage, diagnosis in found.items():
        true_slip = student.slips.get(stage)
        is_alike = (
            diagnosis.is_certain and stage in student.slips and gives_the_same(student, stage, diagnosis.slips[0])
        )
        if diagnosis.is_certain and diagnosis.slips[0] != true_slip and not is_alike:
            tally.accusations += 1
            tally.examples.append(f"{where}: {stage} accused of {diagnosis.slips}")
    for stage, slip in student.slips.items():
        # where nothing is scaled, e in the powers is a whole sheet worked exactly: one remark
        if not slip or student.alike or result.marks.other_way or is_hidden(student, stage, cells):
            continue
        tally.slips += 1
        slips = found[stage].slips if stage in found else ()
        if slip in slips or any(gives_the_same(student, stage, each) for each in slips):
            tally.found += 1
            tally.named += found[stage].is_certain
        else:
            tally.examples.append(f"{where}: {stage} {slip} not found, {slips}")


def find_later_cells(student: Student, cells: tuple[CellMark, ...]) -> list[CellMark]:
    """Return the cells of the stages that come of one where something went wrong."""
    later: set[str] = set()
    for stage in student.sheet.problem.mechanism.stages:
        if {*stage.input_names} & (later | {*student.slips}):
            later.add(stage.name)
    return [cell for cell in cells if cell.stage in later - {*student.slips}]


def is_hidden(student: Student, stage: str, cells: tuple[CellMark, ...]) -> bool:
    """Say whether nobody can know of a slip: its stage, or what that reads, is missing or cannot be read."""
    read = {stage, *student.sheet.problem.mechanism.get_stage(stage).input_names}
    return any(cell.stage in read and cell.mark.value in ("blank", "unreadable") for cell in cells)


def gives_the_same(student: Student, stage_name: str, slip_id: str) -> bool:
    """Say whether another mistake gives what was written: then nobody can tell which one it was."""
    if slip_id in ("single-cell", "transposed", "rows-exchanged"):
        return True  # said of what stands there, whatever was done
    stage = student.sheet.problem.mechanism.get_stage(stage_name)
    other = make_catalogue_slip(slip_id)(student, stage, stage, [])
    if other is None:
        return False
    asked = [
        (i, j)
        for i, j in student.sheet.list_asked_cells(stage)
        if student.texts[stage_name][i][j] and (stage_name, i, j) != student.sheet.worked_cell
    ]
    return all(student.write(other[i][j], stage)[0] == student.texts[stage_name][i][j] for i, j in asked)


def run_class(count: int, seed: int = 1, kinds: tuple[str, ...] = KINDS) -> dict[str, Tally]:
    """Simulate so many students, kind after kind, and judge what the marker says of each."""
    tallies = {kind: Tally() for kind in kinds}
    for kind, student in draw_students(count, seed, kinds):
        texts = {name: tuple(map(tuple, rows)) for name, rows in student.texts.items()}
        judge(student, check_answers(Answers(code=None, stages=texts), student.sheet), tallies[kind])
    return tallies


def draw_students(count: int, seed: int, kinds: tuple[str, ...]) -> Iterator[tuple[str, Student]]:
    """Yield students of every kind by turns."""
    draw = random.Random(seed)
    drawn = 0
    while drawn < count:
        kind = kinds[drawn % len(kinds)]
        student = make_student(draw, kind)
        if student is not None:
            drawn += 1
            yield kind, student


HEADINGS = ("students", "cells", "unfair", "lost", "unnoted", "accused", "slips", "found", "named", "earned", "later")


def format_table(tallies: dict[str, Tally], examples: int = 3) -> Iterator[str]:
    """Yield a line a kind, and below them what went wrong."""
    yield " ".join([f"{'':24}", *(f"{heading:>9}" for heading in HEADINGS)])
    total = Tally()
    for kind, tally in tallies.items():
        yield " ".join([f"{kind:24}", *format_line(tally)])
        for name in (
            "students",
            "cells",
            "crosses",
            "lost",
            "unnoted",
            "accusations",
            "slips",
            "found",
            "named",
            "earned",
            "later",
        ):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    yield " ".join([f"{'all':24}", *format_line(total)])
    for tally in tallies.values():
        yield from tally.examples[:examples]


def format_line(tally: Tally) -> list[str]:
    """Return the columns of a line."""
    numbers = (
        tally.students, tally.cells, tally.crosses, tally.lost, tally.unnoted, tally.accusations, tally.slips,
        tally.found, tally.named,
    )  # fmt: skip
    shares = [float(share / tally.students) if tally.students else 0 for share in (tally.earned, tally.later)]
    return [*(f"{number:>9}" for number in numbers), *(f"{share:>9.0%}" for share in shares)]
