"""The numbers that cells show: what a source is on one sheet. Pages are drawn from it, and stamped from it."""

import math
from fractions import Fraction

from attnhand.matrix import Matrix
from attnhand.mechanisms import Stage
from attnhand.numbers import Number, as_float
from attnhand.operations import Along, Divide, Power, Sum
from attnhand.sheet.figures import Figure, exact_figure, hand_figure
from attnhand.sheet.grids import Source, Way
from attnhand.sheet.sheet import Sheet
from attnhand.solution import SolvedStage

HEAT_PLACES = 2
"""Decimals of the numbers in heat maps."""

SHADES = 10
"""The darkest shade of a heat map, that of a weight of 1."""


def figure_of(sheet: Sheet, source: Source) -> Figure:
    """Return the number of a source as this sheet prints it."""
    problem = sheet.problem
    way, name, i, j = source
    match way:
        case Way.GIVEN:
            return figure_on(sheet, problem[name][i][j])
        case Way.HAND:
            solved = sheet.shown[name]
            return figure_on(sheet, solved.hand[i][j], note=_unreduced(sheet, solved, i, j))
        case Way.EXACT:
            value = sheet.solution[name].exact[i][j]
            exponent = overflowing_exponent(sheet, problem.mechanism.stage(name), i, j) if value == math.inf else None
            return exact_figure(value, problem.rules.decimals, exponent)
        case Way.HEAT_HAND | Way.HEAT_EXACT:
            return exact_figure(_weight(sheet, source), HEAT_PLACES)


def figure_on(sheet: Sheet, value: Number, *, note: str = "") -> Figure:
    """Return a hand value as this sheet prints it, with as many places and in decimals if it was given in decimals."""
    problem = sheet.problem
    return hand_figure(value, problem.rules.decimals, as_decimal=problem.decimal_notation, note=note)


def shade_of(sheet: Sheet, source: Source) -> int:
    """Return how dark the cell of a source is in a heat map, 0 (white) to 10; 0 for all other cells."""
    return round(SHADES * _weight(sheet, source)) if source.way in (Way.HEAT_HAND, Way.HEAT_EXACT) else 0


def _weight(sheet: Sheet, source: Source) -> float:
    solved = sheet.solution[source.matrix]
    if source.way is Way.HEAT_EXACT:
        return solved.exact[source.row][source.column]
    return as_float(solved.hand[source.row][source.column])


def _unreduced(sheet: Sheet, solved: SolvedStage, i: int, j: int) -> str:
    """Return "= 3/6" where a weight, over the common denominator of its line, is not the reduced fraction."""
    if sheet.planted or sheet.carried:
        return _otherwise(sheet, solved, i, j)
    operation, value = solved.stage.operation, solved.hand[i][j]
    if not isinstance(operation, Divide) or not isinstance(value, Fraction) or sheet.options.large_print:
        return ""
    if not sheet.problem.rules.is_rational:
        return ""
    inputs: tuple[Matrix, ...] = tuple(sheet.solution[name].hand for name in solved.stage.reads)
    top, bottom = operation.over_common_denominator(inputs, i, j)
    if bottom == value.denominator or len(str(bottom)) > 3:
        return ""
    return f"= {top}/{bottom}"


def _otherwise(sheet: Sheet, solved: SolvedStage, i: int, j: int) -> str:
    """Return "not 3/5" where a planted mistake made another value, "key 3/5" where a student's values do."""
    other = sheet.planted.solution if sheet.planted else sheet.solution
    value = other[solved.stage.name].hand[i][j]
    if not sheet.solved or value == solved.hand[i][j] or sheet.options.large_print:
        return ""
    return sheet.say("mistake.was" if sheet.planted else "carried.key", value=figure_on(sheet, value))


def overflowing_exponent(sheet: Sheet, stage: Stage, i: int, j: int) -> float | None:
    """Return x where an exact value, beyond float64, is eˣ: a power, or the sum of a line of powers."""
    if isinstance(stage.operation, Power):
        return sheet.solution[stage.reads[0]].exact[i][j]
    if not isinstance(stage.operation, Sum):
        return None
    exponents = sheet.solution[sheet.problem.mechanism.stage(stage.reads[0]).reads[0]].exact
    line = [row[j] for row in exponents] if stage.operation.along is Along.COLUMNS else exponents[i]
    line = [x for x in line if x > -math.inf]
    largest = max(line)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in line))
