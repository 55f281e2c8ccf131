"""How much work a sheet is: cells, products, minutes."""

from attnhand.operations import Add, Concatenate, Divide, LookUp, Mask, Power, Product, ReLU, ScaleScores, Sum
from attnhand.sheet.sheet import Sheet

SECONDS_A_PAIR = 5
"""To multiply two small integers and add the product to a running total."""


SECONDS_A_CELL = {
    ScaleScores: 8,
    Mask: 3,
    Power: 8,
    Sum: 20,
    Divide: 15,
    Concatenate: 3,
    ReLU: 3,
    LookUp: 3,
    Add: 5,
}
"""To fill a cell of the stages that go cell by cell."""


def effort_line(sheet: Sheet) -> str:
    """Return "116 cells, 312 products, about 35 minutes"."""
    if sheet.planted:
        return sheet.say("effort.mistake")
    cells = sheet.cells_to_fill
    key = "effort.one" if cells == 1 else "effort"
    return sheet.say(key, cells=cells, products=pairs_to_multiply(sheet), minutes=minutes(sheet))


def pairs_to_multiply(sheet: Sheet) -> int:
    """Count the pairs of numbers that the student multiplies and adds."""
    total = 0
    known = sheet.solution.hand_values()
    for stage in sheet.problem.mechanism.stages:
        if isinstance(stage.operation, Product):
            inputs = tuple(known[name] for name in stage.reads)
            total += sheet.cells_of(stage) * len(stage.operation.parts(inputs, 0, 0))
    return total


def minutes(sheet: Sheet) -> int:
    """Estimate the time a student needs, in whole five minutes."""
    seconds = pairs_to_multiply(sheet) * SECONDS_A_PAIR
    for stage in sheet.problem.mechanism.stages:
        seconds += sheet.cells_of(stage) * SECONDS_A_CELL.get(type(stage.operation), 0)
    return max(5, 5 * round(seconds / 300))
