"""``--given "scaled[2,1]=0"``: what a student wrote, from which the key is carried on."""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.attention.numbers import Number, written
from attnhand.attention.solution import Cell, carried
from attnhand.errors import AttnhandError, CellError, NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.answer_number import read_answer
from attnhand.marking.checked import checked
from attnhand.marking.feedback import diagnosis_sentence
from attnhand.sheet.addresses import find_cell
from attnhand.sheet.sheet import Sheet


def with_given(sheet: Sheet, given: Sequence[str]) -> Sheet:
    """Return the sheet whose key carries on from what a student wrote.

    Args:
        given: cells and values: ``scaled[2,1]=0``.

    Raises:
        AttnhandError: one of them names no cell that the student fills, or no number.
    """
    values = dict(_cell_and_value(sheet, text) for text in given)
    found = carried(sheet.solution, list(values.items()))
    return replace(sheet, carried=replace(found, looks_like=_looks_like(sheet, values)))


def _cell_and_value(sheet: Sheet, text: str) -> tuple[Cell, Number]:
    address, equals, value = text.partition("=")
    if not equals:
        raise AttnhandError(f"--given {text!r} gives no value: write a cell and what stands there: scaled[2,1]=0")
    try:
        name, row, column = find_cell(sheet, address)
        reading = read_answer(value)
    except CellError as error:
        raise AttnhandError(f"--given {text!r}: {error}") from error
    except NumberError as error:
        raise AttnhandError(f"--given {text!r}: {address.strip()} {error}") from error
    if reading is None:
        raise AttnhandError(f"--given {text!r} gives no value: write a cell and what stands there: scaled[2,1]=0")
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages}
    if name not in stages or not sheet.cells_of(stages[name]):
        raise AttnhandError(f"--given {text!r}: {name} is printed on the sheet: give a cell that the student fills")
    rows, columns = sheet.asked_lines(stages[name])
    if row not in rows or column not in columns:
        raise AttnhandError(f"--given {text!r}: the sheet does not ask that cell: give one that the student fills")
    return (name, row, column), reading.value


def _looks_like(sheet: Sheet, values: dict[Cell, Number]) -> tuple[str, ...]:
    """Say what slips the values look like, where nothing else is known of the student's answers."""
    stages = {}
    for name in dict.fromkeys(cell[0] for cell in values):
        key = sheet.solution[name].hand
        stages[name] = tuple(
            tuple(written(values[name, i, j]) if (name, i, j) in values else "" for j in range(len(row)))
            for i, row in enumerate(key)
        )
    found = checked(Answers(code=None, stages=stages), sheet)
    return tuple(f"{each.stage}: {diagnosis_sentence(each, sheet)}" for each in found.diagnoses)
