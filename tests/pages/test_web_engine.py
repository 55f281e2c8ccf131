"""The page's own engine beside the program's: every stage, every slip, the cells that each reads, and bounds."""

import random
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from playwright.sync_api import Page

from attnhand.attention.arithmetic import EXACT
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.nodes import Call, Read
from attnhand.attention.formulas.plain import PLAIN_FUNCTIONS
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import list_parts
from attnhand.attention.numbers import Number, has_irrational, is_finite, is_same_number, simplify, to_decimal
from attnhand.attention.slips import SLIPS, StageContext, find_slips
from attnhand.attention.slips.slip import Need
from attnhand.errors import PageError
from attnhand.formats.web import _describe_workings, read_script, write_key_value
from attnhand.formats.web_formulas import ENGINE_NODES, describe_slip_formula, describe_stage_formula
from attnhand.marking.follow import work_cells, work_ranges
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_by_turns
from tests.forms import LATER_FORMS
from tests.pages.conftest import call_script
from tests.pages.web_students import RULES, SCRIPTS, make_page_data, make_sheet, work_randomly

WORKED_FORMS = tuple(ALL_FORMS | LATER_FORMS)

SEEDS = choose(2, 12)

MARKING_SCRIPT = "\n".join(map(read_script, SCRIPTS))

WORK_ALL = f"""([SHEET, sets]) => {{ {MARKING_SCRIPT}
  const write = (value) => value && [formatExact(value), Boolean(value.isDecimal)];
  const writeAll = (a) => a && mapCells(write, a);
  const read = (matrices) => Object.fromEntries(Object.entries(matrices).map(([name, a]) => [name, readMatrix(a)]));
  const nameCells = (name, a) => a.map((row, i) => row.map((_, j) => [name, i, j]));
  const places = Object.fromEntries(Object.entries(KEY_MATRICES).map(([name, a]) => [name, nameCells(name, a)]));
  const listPlaces = (stage, i, j) =>
    listParts(stage, places, i, j).map((part) => part.map((cell) => cell === ONE ? 1 : cell));
  const workSlips = (stage, matrices) =>
    stage.slips.map((slip) => [slip.id, writeAll(workSlip(slip, makeContext(stage, matrices)))]);
  return KEY.stages.map((stage) => ({{
    parts: mapPlaces(stage.sheetFormula, (i, j) => listPlaces(stage, i, j)),
    sets: sets.map(({{ own, low, high }}) => ({{
      worked: writeAll(workCells(stage.formula, read(own))),
      ranges: workRanges(stage.formula, read(low), read(high)).map(writeAll),
      slips: Object.fromEntries(workSlips(stage, read(own))),
    }})),
  }}));
}}"""
"""Returns by stage what each cell reads and, of several sets of matrices, all that the page can make of them."""

Matrices = Mapping[str, Matrix]


def write_matrices(sheet: Sheet, matrices: Matrices) -> dict[str, list[list[str]]]:
    """Return matrices as the script reads them, tokens as columns."""
    turned = {name: transpose(a) if sheet.convention.is_rows else a for name, a in matrices.items()}
    return {name: [[write_key_value(value) for value in row] for row in a] for name, a in turned.items()}


def move(a: Matrix, by: int, draw: random.Random) -> Matrix:
    """Move most numbers a little."""

    def change(value: Number) -> Number:
        if not is_finite(value) or draw.random() < 0.2:
            return value
        return value + by if isinstance(value, Decimal) else simplify(value + by * Fraction(draw.randrange(4), 8))

    return tuple(tuple(map(change, row)) for row in a)


def is_like(found: Any, expected: Number | None) -> bool:
    """Say whether the script gives a number: the same, and of the same kind."""
    if found is None or expected is None or not is_finite(expected):
        return bool(found == (None if expected is None else ["-inf", False]))
    text, is_decimal = found
    value = Fraction(text)
    number = to_decimal(value) if is_decimal else value
    return is_same_number(number, expected) and (is_decimal == has_irrational([expected]) or not value)


def are_like(found: Any, expected: Any, sheet: Sheet) -> bool:
    """Say whether the script gives a matrix of the sheet, None where it or one of its cells has no number."""
    if found is None or expected is None:
        return found is None and expected is None
    columns = transpose(expected) if sheet.convention.is_rows else expected
    if [len(row) for row in found] != [len(row) for row in columns]:
        return False
    return all(is_like(*each) for rows in zip(found, columns, strict=True) for each in zip(*rows, strict=True))


def list_parts_in_columns(stage: Stage, sheet: Sheet, values: Matrices) -> list[list[list[list[Any]]]]:
    """Return what each cell is made of, as the script has it: turned where tokens are rows, the left factor first."""
    is_rows = sheet.convention.is_rows
    rows, columns = len(values[stage.name]), len(values[stage.name][0])

    def turn(cell: Any) -> Any:
        return cell if isinstance(cell, int) else [cell[0], *(cell[1:][::-1] if is_rows else cell[1:])]

    def describe(i: int, j: int) -> list[list[Any]]:
        parts = list_parts(stage, values, i, j)
        is_turned = is_rows and stage.product is not None
        return [[turn(cell) for cell in (part[::-1] if is_turned else part)] for part in parts]

    if is_rows:
        return [[describe(i, j) for i in range(rows)] for j in range(columns)]
    return [[describe(i, j) for j in range(columns)] for i in range(rows)]


@pytest.mark.parametrize("form", choose(WORKED_FORMS[::3], WORKED_FORMS))
def test_it_works_as_the_program_does(page: Page, form: str) -> None:
    """Stages, slips, bounds and the cells that are read, from right numbers and from a student's own: all the same."""
    draw, count = random.Random(form), 0
    for turn, problem in enumerate(draw_by_turns(form, SEEDS)):
        sheet = make_sheet_from_problem(problem)
        arithmetic = problem.hand_arithmetic
        right: Matrices = sheet.solution.collect_hand_values()
        sets: list[tuple[Matrices, Matrices, Matrices]] = []
        both: tuple[Matrices, ...] = (right, work_randomly(sheet, draw).known_values)
        for own in choose(both[turn % 2 :][:1], both):
            low, high = ({name: move(a, by, draw) for name, a in own.items()} for by in (-1, 1))
            sets.append((own, low, high))
        written = [
            {end: write_matrices(sheet, a) for end, a in zip(("own", "low", "high"), one, strict=True)} for one in sets
        ]
        found = call_script(page, WORK_ALL, [make_page_data(sheet), written])
        for stage, by_stage in zip(problem.mechanism.stages, found, strict=True):
            assert by_stage["parts"] == list_parts_in_columns(stage, sheet, right), stage.name
            for (values, lows, highs), made in zip(sets, by_stage["sets"], strict=True):
                assert are_like(made["worked"], work_cells(stage, arithmetic, values), sheet), stage.name
                for end, bounds in zip(made["ranges"], work_ranges(stage, arithmetic, lows, highs), strict=True):
                    assert are_like(end, bounds, sheet), stage.name
                compare_slips(sheet, stage, values, made["slips"])
                count += 1
    assert count >= SEEDS * 5


@pytest.mark.parametrize("convention", [*Convention])
def test_what_is_rounded_whole_is_one_calculation_where_nothing_is_rounded(page: Page, convention: Convention) -> None:
    """X + output under rules that round nothing: the page counts the work of a stage as the program does."""
    sheet = make_sheet("block-1-residual", convention, EXACT)
    right = sheet.solution.collect_hand_values()
    found = call_script(page, WORK_ALL, [make_page_data(sheet), []])
    stages = [stage for stage in sheet.problem.mechanism.stages if stage.form is Form.ROUNDED]
    assert stages
    parts = {stage.name: each["parts"] for stage, each in zip(sheet.problem.mechanism.stages, found, strict=True)}
    for stage in stages:
        assert parts[stage.name] == list_parts_in_columns(stage, sheet, right), stage.name


def compare_slips(sheet: Sheet, stage: Stage, values: Matrices, found: Mapping[str, Any]) -> None:
    """Compare what slips give at a stage, for whoever could have worked so far."""
    problem = sheet.problem
    stages = problem.mechanism.stages
    later = {each.name for each in stages[stages.index(stage) :]}
    known = {name: a for name, a in values.items() if name not in later}
    exponents = [known.get(each.input_names[0], ()) for each in stages if each.reads_exponents]
    if not all(problem.hand_arithmetic.can_raise(value for row in a for value in row) for a in exponents):
        return
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, known)
    hand, is_asked = values[stage.name], bool(sheet.count_answer_cells(stage) and sheet.has_own_panel(stage))
    for slip in find_slips(stage) if is_asked else ():
        expected = slip.compute_wrong(context)
        if expected is not None and (len(expected), len(expected[0])) != (len(hand), len(hand[0])):
            assert slip.id not in found
            continue
        assert are_like(found.get(slip.id), expected, sheet), f"{stage.name} {slip.id}"


ON_NO_PAGE = {"positions-from-one", "sines-exchanged", "heads-added"}
"""Slips of a stage that every sheet prints, and one that always has fewer rows than a page has boxes for."""


def test_every_slip_is_on_a_page() -> None:
    """Each of the catalogue that a student can make there, on a sheet of some form, as a formula."""
    found = {
        slip["id"]
        for form in WORKED_FORMS
        for problem in draw_by_turns(form, 2)
        for stage in _describe_workings(make_sheet_from_problem(problem))
        for slip in stage["slips"]
    }
    assert found == {slip.id for slip in SLIPS} - ON_NO_PAGE


def test_the_engine_works_what_the_printer_writes(page: Page) -> None:
    """Its table has all that a page may hold, and nothing else; every function of a plain formula is among it."""
    data = make_page_data(make_sheet("self", Convention.COLUMNS, RULES[0]))
    script = f"(SHEET) => {{ {MARKING_SCRIPT}; return [NODES, NEEDS].map(Object.keys); }}"
    nodes, needs = page.evaluate(script, data)
    assert nodes == [*ENGINE_NODES]
    assert needs == [*Need]
    assert {*PLAIN_FUNCTIONS} <= {*nodes}


def test_a_formula_that_the_engine_lacks_is_refused() -> None:
    """By the name of the function, when the page is written; that of a stage, and that of a slip."""
    sheet = make_sheet("self", Convention.COLUMNS, RULES[0])
    problem, values = sheet.problem, sheet.solution.collect_hand_values()
    stage = problem.mechanism.get_stage("scaled")
    formula = stage.formula.formula
    unknown = replace(stage.formula, formula=replace(formula, right=Call("erf", (Read("S", formula.indices),))))
    refusal = "the page cannot work scaled itself, for it does not know erf: leave out"
    with pytest.raises(PageError, match=refusal):
        describe_stage_formula(
            StageContext(problem.mechanism, replace(stage, formula=unknown), problem.hand_arithmetic, values)
        )
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
    (slip,) = find_slips(stage, ("sign-dropped",))
    context.__dict__["binding"] = replace(context.binding, bound={slip.id: (unknown,)})
    with pytest.raises(PageError, match=refusal):
        describe_slip_formula(slip, context)
