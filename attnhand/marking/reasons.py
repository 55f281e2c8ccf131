"""What went wrong at a cell, from the student's own numbers: how it is worked, which slip it looks like, and why."""

import re
from collections.abc import Iterator
from decimal import localcontext
from fractions import Fraction
from itertools import chain

from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms.cells import list_numbers
from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    format_decimal,
    format_exact,
    has_irrational,
    is_finite,
    to_decimal,
    use_typographic_signs,
)
from attnhand.attention.spellings import read_number
from attnhand.marking.departures import Departure
from attnhand.marking.marks import (
    MEANT_NOTES,
    ROWS_EXCHANGED,
    SINGLE_CELL,
    CellMark,
    Diagnosis,
    Marks,
    Note,
)
from attnhand.marking.naming import name_cell, name_stages, name_vector
from attnhand.marking.redo import find_read_cells
from attnhand.sheet.build_grids import format_matrix_name
from attnhand.sheet.explain import CellWriter
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import describe_slip, explain_slip
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode

MAX_LISTED_SLIPS = 3
"""Slips that are listed where several explain the same."""


def describe_departure(departure: Departure, marks: Marks, sheet: Sheet, *, is_first: bool) -> Iterator[str]:
    """Yield what went wrong: where, how its first cell is worked (lines that begin with a blank), the slip and why.

    Args:
        is_first: whether nothing went wrong before.
    """
    cell, diagnosis = departure.first, departure.diagnosis
    say, name = sheet.say, name_cell(sheet, departure.first)
    opener = say(f"feedback.opener.{'first' if is_first else 'next'}")
    answer = use_typographic_signs(cell.answer.strip())
    if cell.note is Note.SHAPE:
        yield _describe_shape(cell, marks, sheet, opener)
    elif cell.mark is Mark.UNREADABLE:
        yield say("feedback.unread", opener=opener, cell=name, reason=cell.unreadable_reason)
    elif cell.note is Note.TOO_FEW_DIGITS:
        yield say("feedback.digits", opener=opener, cell=name, answer=answer, decimals=sheet.problem.rules.decimals)
    elif cell.note in MEANT_NOTES and cell.meant is not None:
        yield _describe_misspelling(cell, sheet, opener)
    else:
        yield say("feedback.look", opener=opener, cell=name, answer=answer)
        yield from (f"  {line}" for line in work_out_cell(marks, sheet, cell))
    if diagnosis is not None:
        yield describe_diagnosis(diagnosis, sheet)
        yield from explain_diagnosis(diagnosis, marks, sheet)
        if diagnosis.slips == (SINGLE_CELL,) and (pair := find_pair_to_look_at(marks, sheet, cell)):
            yield say("feedback.pair", pair=pair)


def describe_diagnosis(diagnosis: Diagnosis, sheet: Sheet) -> str:
    """Name the slip at a stage: surely, perhaps, or one of several; and the line, where it was made in one alone."""
    if not diagnosis.slips:
        key = "feedback.product" if diagnosis.supporting_numbers else "feedback.product.shape"
        return sheet.say(key, sizes=diagnosis.product_sizes, product=_print_product(diagnosis.product, sheet))
    actions = [_describe_slip(diagnosis, slip, sheet) for slip in diagnosis.slips[:MAX_LISTED_SLIPS]]
    key = "named" if diagnosis.is_certain else "perhaps" if diagnosis.is_tentative else "several"
    sentence = sheet.say(f"feedback.{key}", actions=actions)
    if diagnosis.vector is None:
        return sentence
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    return sheet.say("feedback.in_line", line=name_vector(sheet, stage, *diagnosis.vector), sentence=sentence)


def explain_diagnosis(diagnosis: Diagnosis, marks: Marks, sheet: Sheet) -> tuple[str, ...]:
    """Say why the slip is one, with the numbers of the first cell that shows it; nothing where it is not named."""
    if len(diagnosis.slips) != 1:
        return ()
    (slip,), cell = diagnosis.slips, diagnosis.cells[0]
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    in_decimals = works_in_decimals(marks, sheet, cell)
    place = (cell.row, cell.column)
    return (explain_slip(sheet, slip, stage, *place, marks.student_values, cell.answer, in_decimals=in_decimals),)


def _print_product(formula: str, sheet: Sheet) -> str:
    """Return a product with its factors as the sheet prints them: "W₂ relu₁ᵀ"."""
    factors = (name.partition("ᵀ") for name in formula.split())
    return " ".join(to_unicode(format_matrix_name(sheet, name)) + turned for name, turned, _ in factors)


def _describe_slip(diagnosis: Diagnosis, slip: str, sheet: Sheet) -> str:
    """Say what a slip is, with "(row k₁, row k₂)" where it is known which vectors were exchanged."""
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    action = describe_slip(sheet, slip, stage)
    if slip != ROWS_EXCHANGED or diagnosis.exchanged is None:
        return action
    assert diagnosis.along is not None
    lines = [name_vector(sheet, stage, diagnosis.along, at) for at in diagnosis.exchanged]
    return sheet.say("feedback.exchanged", action=action, lines=lines)


def work_out_cell(marks: Marks, sheet: Sheet, cell: CellMark) -> tuple[str, ...]:
    """Work a cell out from the student's own numbers, line by line, the result in the last."""
    own = {name: [list(row) for row in a] for name, a in marks.student_values.items()}
    own[cell.stage][cell.row][cell.column] = cell.key if cell.from_yours is None else cell.from_yours
    values = {name: tuple(map(tuple, rows)) for name, rows in own.items()}
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    in_decimals = works_in_decimals(marks, sheet, cell)
    writer = CellWriter(sheet, values, sheet.problem.hand_arithmetic, in_decimals=in_decimals)
    return writer.write_cell(stage, cell.row, cell.column)


def works_in_decimals(marks: Marks, sheet: Sheet, cell: CellMark) -> bool:
    """Say whether the student wrote the cell, or one that it is worked from, as a decimal: 1.6923 is no 16923/10000."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    read = find_read_cells(sheet, stage, cell.row, cell.column)
    near = (each for each in marks.cells if each is cell or (each.stage, each.row, each.column) in read)
    return any(each.value is not None and _DECIMAL.search(each.answer) for each in near)


_DECIMAL = re.compile(r"\d?[.,]\d")


def find_pair_to_look_at(marks: Marks, sheet: Sheet, cell: CellMark) -> str | None:
    """Return the one pair of a product whose slip explains a wrong cell: left out, added or with the other sign."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    expected = cell.key if cell.from_yours is None else cell.from_yours
    if stage.product is None or cell.value is None or not is_finite(cell.value):
        return None
    values = {name: marks.student_values[name] for name in stage.input_names}
    if has_irrational([expected, *chain.from_iterable(map(flatten, values.values()))]):
        return None
    off = Fraction(cell.value) - Fraction(expected)
    found = []
    for pair in list_numbers(stage, values, cell.row, cell.column):
        a, b = pair
        x, y = Fraction(a), Fraction(b)
        if off and off in (-x * y, -2 * x * y, x + y - x * y):
            found.append((a, b))
    if len(found) != 1:
        return None
    texts = (use_typographic_signs(format_exact(number)) for number in found[0])
    return " · ".join(f"({text})" if text.startswith("−") else text for text in texts)


def _describe_misspelling(cell: CellMark, sheet: Sheet, opener: str) -> str:
    """Say that a right number is cut off, and what its next digit is, or that it lacks its %."""
    assert cell.meant is not None
    name, answer = name_cell(sheet, cell), use_typographic_signs(cell.answer.strip())
    reading = read_number(cell.answer)
    places = reading.decimals if reading and reading.decimals else 0
    if cell.note is Note.NO_PERCENT:
        share = use_typographic_signs(format_decimal(cell.meant, sheet.problem.rules.decimals))
        return sheet.say("feedback.no-percent", opener=opener, cell=name, answer=answer, share=share)
    with localcontext(DECIMAL_CONTEXT):
        digit = int(abs(to_decimal(cell.meant)).scaleb(places + 1)) % 10
    rounded = use_typographic_signs(format_decimal(cell.meant, places))
    return sheet.say("feedback.cut-off", opener=opener, cell=name, answer=answer, digit=digit, rounded=rounded)


def _describe_shape(cell: CellMark, marks: Marks, sheet: Sheet, opener: str) -> str:
    """Say which shape was handed in, or which row is too short or too long."""
    key, lengths = sheet.solution[cell.stage].hand, [*map(len, marks.misshapen_answers[cell.stage])]
    names = {"stage": name_stages(sheet, [cell.stage]), "key_rows": len(key), "key_columns": len(key[0])}
    if len(set(lengths)) == 1:
        return sheet.say("feedback.shape", opener=opener, rows=len(lengths), columns=lengths[0], **names)
    row = next(i for i, length in enumerate(lengths) if length != len(key[0]))
    return sheet.say("feedback.shape.ragged", opener=opener, row=row + 1, count=lengths[row], **names)
