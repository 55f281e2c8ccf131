"""The page's own marking beside the program's: every verdict, every slip."""

from itertools import chain

import pytest
from playwright.sync_api import Browser

from attnhand.attention.convention import Convention
from attnhand.attention.matrix import flatten, transpose
from attnhand.attention.numbers import Number, format_exact, has_irrational, to_float
from attnhand.attention.slips import SLIPS, find_slips
from attnhand.formats.web import read_script
from attnhand.marking.diagnosis import apply_slip, diagnose_stages
from attnhand.marking.feedback import describe_diagnosis, explain_diagnosis
from attnhand.sheet.addresses import make_cell_id
from tests.marking.students import Student, WritingStyle
from tests.pages.web_students import (
    RULES,
    SCRIPTS,
    WEB_FORMS,
    find_disagreements,
    make_page_data,
    make_sheet,
    mark_texts,
    plant_slip,
)


def test_it_marks_as_the_marker_does(browser: Browser) -> None:
    """Two hundred random students of every mechanism, with slips, odd spellings and own cells: every cell alike."""
    assert list(find_disagreements(browser.new_page().evaluate, 200)) == []


GIVEN_TO_STUDENTS = {"positions-from-one", "sines-exchanged"}
"""Slips of a stage that every sheet prints, so that nobody can make them."""

WORK_ALL = "\n".join(map(read_script, SCRIPTS))
WORK_ALL = f"""(SHEET) => {{ {WORK_ALL}
  const write = (value) => value?.isDecimal ? Number(value.top * 10n ** 30n / value.bottom) / 1e30 : formatExact(value);
  return KEY.stages.flatMap((stage) => stage.slips.map((slip) => {{
    const value = tryToWork(() => SLIPS[slip](makeSlipContext(stage, KEY_MATRICES)));
    return [stage.name, slip, value && mapCells(write, value)];
  }}));
}}"""


def is_like(found: object, expected: Number) -> bool:
    """Say whether the script gives a number: the same, or of an irrational one nearly all digits."""
    if has_irrational((expected,)):
        return isinstance(found, int | float) and abs(found - to_float(expected)) <= 1e-12 * max(1, abs(found))
    return found == format_exact(expected)


def test_every_slip_gives_what_the_catalogue_says(browser: Browser) -> None:
    """At every stage of every form, by several rules: the same numbers wherever the slip can happen."""
    evaluate, seen = browser.new_page().evaluate, set()
    sheets = [
        make_sheet(form, list(Convention)[number % 2], RULES[number % len(RULES)])
        for number, form in enumerate(WEB_FORMS)
    ]
    for sheet in [*sheets, make_sheet("block-1", Convention.ROWS, RULES[0], size_overrides=(("hidden", 4),))]:
        student = Student(sheet, WritingStyle.FRACTIONS)
        student.known_values = dict(sheet.solution.collect_hand_values())
        for name, slip, found in evaluate(WORK_ALL, make_page_data(sheet)):
            context = student.make_context(sheet.problem.mechanism.get_stage(name))
            wrong = apply_slip(next(each for each in SLIPS if each.id == slip), context)
            if wrong is not None:
                seen.add(slip)
                columns = transpose(wrong) if sheet.convention.is_rows else wrong
                assert found, f"{sheet.request} {name} {slip}"
                assert all(map(is_like, chain(*found), flatten(columns))), f"{sheet.request} {name} {slip}: {found}"
    assert seen == {slip.id for slip in SLIPS} - GIVEN_TO_STUDENTS


EXPLAIN = "\n".join(map(read_script, SCRIPTS))
EXPLAIN = f"([SHEET, texts]) => {{ {EXPLAIN}; return explainSlips(markSheet(texts)); }}"


@pytest.mark.parametrize(
    ("form", "convention"), [("self", "columns"), ("block-1-causal", "rows"), ("self-words", "rows")]
)
def test_slips_are_explained_as_on_a_report(browser: Browser, form: str, convention: str) -> None:
    """Every planted slip that the report names for sure, the page names too, for the same reason, cell by cell."""
    evaluate, seen = browser.new_page().evaluate, set()
    sheet = make_sheet(form, Convention(convention), RULES[0])
    for stage in sheet.problem.mechanism.stages:
        for slip in find_slips(stage) if sheet.count_answer_cells(stage) else ():
            texts = plant_slip(sheet, stage, slip)
            marks = mark_texts(sheet, texts)
            for diagnosis in diagnose_stages(marks, sheet):
                if not diagnosis.is_certain or diagnosis.product or diagnosis.lines:
                    continue
                cell = diagnosis.cells[0]
                named = describe_diagnosis(diagnosis, sheet), *explain_diagnosis(diagnosis, marks, sheet)
                found = evaluate(EXPLAIN, [make_page_data(sheet), texts])
                assert found.get(make_cell_id(cell.address)) == " ".join(named), slip.id
                seen.add(slip.id)
    assert len(seen) > 15
