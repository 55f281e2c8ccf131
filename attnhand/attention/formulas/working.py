"""A list of formulas worked in one kind of number, stage by stage."""

from collections.abc import Mapping
from decimal import localcontext
from typing import Any

from attnhand.attention.formulas.bound import BoundFormula, Shape, measure_lines
from attnhand.attention.formulas.cells import CellWorker, list_spots
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.formula_list import FormulaList, StageFormula
from attnhand.attention.formulas.kinds import Numbers, TooLargeError
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number
from attnhand.errors import AttnhandError


def work_stages(
    formulas: FormulaList,
    numbers: Numbers,
    given: Mapping[str, Lines],
    *,
    replacements: Mapping[str, Lines] | None = None,
    last_stage: str | None = None,
) -> dict[str, Lines]:
    """Work all stages; returns given matrices and stages by name.

    Args:
        given: in that kind of number, tokens as columns.
        replacements: what came out at some stages; later stages carry on from there.
        last_stage: the stage to stop after; the last one by default.

    Raises:
        PowersTooLargeError: a power cannot be written down.
        FormulaError: matrices do not fit one another.
    """
    values, replaced = dict(given), replacements or {}
    with localcontext(DECIMAL_CONTEXT):
        for stage in formulas.stages:
            try:
                values[stage.name] = replaced[stage.name] if stage.name in replaced else stage.work(numbers, values)
            except TooLargeError:
                raise PowersTooLargeError(stage, find_large_powers(stage, numbers, values)) from None
            if stage.name == last_stage:
                break
    return values


def work_again(
    formulas: FormulaList, numbers: Numbers, values: Mapping[str, Lines], changed: Mapping[str, Lines]
) -> dict[str, Lines]:
    """Work what follows from other matrices; what follows from none of them stays as it was worked.

    Args:
        values: given matrices and stages by name, as ``work_stages`` returns them.
        changed: given matrices, or what came out at some stages.
    """
    found, others = {**values, **changed}, {*changed}
    with localcontext(DECIMAL_CONTEXT):
        for stage in formulas.stages:
            if stage.name not in changed and not others.isdisjoint(stage.reads):
                worked = stage.work(numbers, found)
                if worked != values[stage.name]:
                    found[stage.name] = worked
                    others.add(stage.name)
    return found


class PowersTooLargeError(AttnhandError):
    """A stage that cannot be worked, for some of its powers cannot be written down."""

    def __init__(self, stage: StageFormula, exponents: Mapping[tuple[int, ...], Number]) -> None:
        """Name the stage and the exponents that are too large, by the place of their cells."""
        super().__init__(f"{stage.name} has powers that are too large to be written down")
        self.stage, self.exponents = stage, exponents


def find_large_powers(
    bound: BoundFormula, numbers: Numbers, values: Mapping[str, Lines]
) -> dict[tuple[int, ...], Number]:
    """Return the exponents that are too large, by the place of their cells."""
    found = {}
    worker = CellWorker(numbers, values)
    for place, spot in list_spots(bound, measure_reads(bound, values)):
        try:
            worker.work_cell(spot)
        except TooLargeError as error:
            found[place] = error.exponent
    return found


def measure_reads(bound: BoundFormula, values: Mapping[str, Lines]) -> tuple[Shape, ...]:
    """Return the shapes of what a formula reads."""
    return tuple([measure_lines(values[name]) for name in bound.reads])


def work_each_cell(bound: BoundFormula, numbers: Numbers, values: Mapping[str, Lines]) -> dict[tuple[int, ...], Any]:
    """Work cell by cell, None where one cannot be worked: over a sum of 0, or a power too large to write down."""
    worker = CellWorker(numbers, values)
    worked = {}
    with localcontext(DECIMAL_CONTEXT):
        for place, spot in list_spots(bound, measure_reads(bound, values)):
            try:
                worked[place] = worker.work_cell(spot)
            except (ArithmeticError, TooLargeError):
                worked[place] = None
    return worked
