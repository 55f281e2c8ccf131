"""``--given "scaled[2,1]=0"``: what a student wrote, from which the key is carried on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.attention.numbers import Number, format_exact
from attnhand.attention.solution import follow_through, format_cell_address
from attnhand.attention.spellings import read_number
from attnhand.errors import AttnhandError, CellError, NumberError, name_option
from attnhand.formats.answers import Answers
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.mark import mark_answers
from attnhand.marking.naming import name_stages
from attnhand.marking.reasons import describe_diagnosis
from attnhand.sheet.addresses import find_cell
from attnhand.sheet.sheet import Sheet


def carry_from_given_cells(sheet: Sheet, given: Mapping[str, object] | Sequence[str]) -> Sheet:
    """Return the sheet whose key carries on from what a student wrote.

    Args:
        given: numbers by cell, or texts such as "scaled[2,1]=0".

    Raises:
        AttnhandError: one of them names no cell that the student fills, or no number, or two name one cell.
    """
    values: dict[CellPosition, Number] = {}
    texts = [f"{cell}={value}" for cell, value in given.items()] if isinstance(given, Mapping) else given
    for text in texts:
        cell, value = _parse_given_cell(sheet, text)
        if values.setdefault(cell, value) != value:
            address = format_cell_address(*cell)
            raise AttnhandError(f"{name_option('given')} says two values for {address}: give what the student wrote")
    found = follow_through(sheet.solution, list(values.items()))
    return replace(sheet, follow_through=replace(found, slip_sentences=_describe_likely_slips(sheet, values)))


def _parse_given_cell(sheet: Sheet, text: str) -> tuple[CellPosition, Number]:
    option = f"{name_option('given')} {text!r}"
    address, equals, value = text.partition("=")
    if not equals:
        raise AttnhandError(f"{option} gives no value: write a cell and what stands there: scaled[2,1]=0")
    try:
        name, row, column = find_cell(sheet, address)
        reading = read_number(value)
    except CellError as error:
        raise AttnhandError(f"{option}: {error}") from error
    except NumberError as error:
        raise AttnhandError(f"{option}: {address.strip()} {error}") from error
    if reading is None:
        raise AttnhandError(f"{option} gives no value: write a cell and what stands there: scaled[2,1]=0")
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages}
    if name not in stages or not sheet.count_answer_cells(stages[name]):
        raise AttnhandError(f"{option}: {name} is printed on the sheet: give a cell that the student fills")
    if (row, column) not in sheet.list_asked_cells(stages[name]):
        raise AttnhandError(f"{option}: the sheet does not ask that cell: give one that the student fills")
    return (name, row, column), reading.value


def _describe_likely_slips(sheet: Sheet, values: dict[CellPosition, Number]) -> tuple[str, ...]:
    """Return a sentence for each slip that these values show."""
    stages = {}
    for name in dict.fromkeys(cell[0] for cell in values):
        key = sheet.solution[name].hand
        stages[name] = tuple(
            tuple(format_exact(values[name, i, j]) if (name, i, j) in values else "" for j in range(len(row)))
            for i, row in enumerate(key)
        )
    marks = mark_answers(Answers(code=None, stages=stages), sheet)
    return tuple(
        sheet.say("feedback.at", stage=name_stages(sheet, [each.stage]), sentence=describe_diagnosis(each, sheet))
        for each in diagnose_stages(marks, sheet, are_gaps_right=True)
    )
