"""One cell written out under one arithmetic: its sources, every pair and every term, and the result."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from attnhand.arithmetic import Arithmetic, Scale
from attnhand.matrix import Matrix
from attnhand.mechanisms import Axis, Stage
from attnhand.numbers import Number, divide, is_terminating, rounded, true_minus, written
from attnhand.operations import (
    Add,
    Along,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Positions,
    Power,
    Product,
    ReLU,
    ScaleScores,
    Sum,
)
from attnhand.sheet.drawing import labels, matrix_name
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain, marked_up

MOST_PLACES = 12
"""A decimal of more places is written as a fraction."""


def line_name(sheet: Sheet, axis: Axis, at: int) -> str:
    """Return what a line is called: "2", "q₃", or "q₃ (saw)"."""
    label = labels(sheet, axis)[at]
    letter = as_plain(label.letter)
    return f"{letter} ({label.word})" if label.word else letter


def factors(sheet: Sheet, stage: Stage, row: int, column: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return both factors of a product, each with the name of its line that makes the cell."""
    operation = stage.operation
    assert isinstance(operation, Product)
    turned = (operation.left_transposed, operation.right_transposed)
    told = []
    pair = (stage.reads[0], stage.reads[-1])
    for name, is_turned, at, wants_row in zip(pair, turned, (row, column), (True, False), strict=True):
        rows, columns = axes_of(sheet, name)
        axis = rows if wants_row is not is_turned else columns
        shown = as_plain(matrix_name(sheet, name)) + ("ᵀ" if is_turned else "")
        told.append((shown, line_name(sheet, axis, at)))
    return told[0], told[1]


def axes_of(sheet: Sheet, name: str) -> tuple[Axis, Axis]:
    """Return both sides of a given matrix or a stage."""
    mechanism = sheet.problem.mechanism
    sides = {made.name: (made.rows, made.columns) for made in mechanism.given}
    sides |= {made.name: (made.rows, made.columns) for made in mechanism.stages}
    return sides[name]


class CellWriter:
    """Writes cells out under one arithmetic."""

    def __init__(self, sheet: Sheet, values: Mapping[str, Matrix], arithmetic: Arithmetic) -> None:
        self.sheet, self.values, self.arithmetic = sheet, values, arithmetic

    def lines(self, stage: Stage, row: int, column: int) -> tuple[str, ...]:
        """Return how the cell comes about, source by source, the result in the last line."""
        inputs = tuple(self.values[name] for name in stage.reads)
        parts = stage.operation.parts(inputs, row, column)
        result = self.values[stage.name][row][column]
        match stage.operation:
            case Product():
                return self._product(stage, row, column, parts, result)
            case ScaleScores():
                return self._source(stage, row, column), self._scaled(parts[0][0], result)
            case Power():
                return self._source(stage, row, column), self._power(parts[0][0], result)
            case Sum():
                return (self._sum(stage, row, column),)
            case Divide() as divide_by_sum:
                made = self.sheet.problem.mechanism.stage(stage.reads[1])
                at = (0, column) if divide_by_sum.along is Along.COLUMNS else (row, 0)
                power, total = parts[0]
                over = self._unreduced(divide_by_sum, inputs, row, column)
                return (
                    self._source(stage, row, column),
                    self._sum(made, *at),
                    self._weight(power, total, over, result),
                )
            case Mask() as mask:
                key = "explain.masked" if mask.hides(row, column) else "explain.visible"
                return self._source(stage, row, column), f"{self.sheet.say(key)}: {self.show(result)}"
            case ReLU():
                told = self.sheet.say("explain.relu", value=self.show(parts[0][0]))
                return self._source(stage, row, column), f"{told}: {self.show(result)}"
            case Add():
                left, right = (self._factor(part[0]) for part in parts)
                told = self.sheet.say("explain.added", left=left, right=right)
                return (*(self._entry(name, row, column) for name in stage.reads), f"{told} = {self.show(result)}")
            case LookUp() as look_up:
                word = self.sheet.problem.words[row if look_up.along is Along.ROWS else column]
                return (f"{self.sheet.say('explain.looked_up', word=word)}: {self.show(result)}",)
            case Positions():
                return self._wave(stage.operation, parts[0], result)
            case Concatenate() as joined:
                head, i, j = joined.source(inputs, row, column)
                source = f"{stage.reads[head]}[{i + 1},{j + 1}]"
                return (f"{self.sheet.say('explain.joined', source=source)}: {self.show(result)}",)
            case _:
                assert_never(stage.operation)

    def _wave(self, positions: Positions, part: tuple[Number, ...], result: Number) -> tuple[str, ...]:
        place, feature = (int(number) for number in part)
        key = "explain.cosine" if feature % 2 else "explain.sine"
        told = self.sheet.say(key, place=place, exponent=feature - feature % 2, features=positions.features)
        if not self.arithmetic.rounds_positions:
            return (f"{told} = {self.show(result)}",)
        exact = Arithmetic(rules=self.arithmetic.rules, rounds_positions=False)
        wave = self.show(exact.position(place, feature, positions.features))
        return (f"{told} = {wave}, {self.sheet.say('explain.rounded')}: {self.show(result)}",)

    def show(self, value: Number) -> str:
        """Write a value whole where it is rational, else rounded; a true minus."""
        places = self.sheet.problem.rules.decimals
        if isinstance(value, Decimal) and value.is_infinite():
            return "−∞"
        if isinstance(value, Decimal):
            return true_minus(rounded(value or 0, places))
        if isinstance(value, Fraction) and self.sheet.problem.decimal_notation and is_terminating(value, MOST_PLACES):
            return true_minus(rounded(value, MOST_PLACES).rstrip("0"))
        return true_minus(written(value))

    def _factor(self, value: Number) -> str:
        text = self.show(value)
        return f"({text})" if value < 0 or "/" in text else text

    def _product(
        self, stage: Stage, row: int, column: int, pairs: tuple[tuple[Number, ...], ...], result: Number
    ) -> tuple[str, ...]:
        (left, left_label), (right, right_label) = factors(self.sheet, stage, row, column)
        lefts, rights = (" ".join(self.show(value) for value in line) for line in zip(*pairs, strict=True))
        added = " + ".join("·".join(self._factor(value) for value in pair) for pair in pairs)
        return (
            f"{self.sheet.say('explain.row', line=left_label, matrix=left)}: {lefts}",
            f"{self.sheet.say('explain.column', line=right_label, matrix=right)}: {rights}",
            f"{added} = {self.show(result)}",
        )

    def _source(self, stage: Stage, row: int, column: int) -> str:
        return self._entry(stage.reads[0], row, column)

    def _entry(self, name: str, row: int, column: int) -> str:
        return f"{name}[{row + 1},{column + 1}] = {self.show(self.values[name][row][column])}"

    def _scaled(self, score: Number, result: Number) -> str:
        scale, d_k = self.arithmetic.rules.scale, self.arithmetic.d_k
        key = f"explain.{scale.value if isinstance(scale, Scale) else 'divide'}"
        half = self._half(score) if scale is Scale.HALF_FLOOR else ""
        told = self.sheet.say(key, score=self.show(score), half=half, d_k=d_k, divisor=scale)
        return f"{told}{':' if scale is Scale.NONE else ' ='} {self.show(result)}"

    def _half(self, score: Number) -> str:
        half = divide(score, 2)
        return true_minus(rounded(half, 1) if is_terminating(half, 1) and half % 1 else written(half))

    def _power(self, score: Number, result: Number) -> str:
        base, exponent = self.arithmetic.rules.base, self.show(score)
        told = self.sheet.say("explain.power", base=base, score=exponent)
        power = f"{base}^({exponent})" if "/" in exponent else as_plain(marked_up(f"{base}^{{{exponent}}}"))
        return f"{told}: {power} = {self.show(result)}"

    def _sum(self, stage: Stage, row: int, column: int) -> str:
        parts = stage.operation.parts((self.values[stage.reads[0]],), row, column)
        axis, at = (stage.columns, column) if stage.rows.size == "one" else (stage.rows, row)
        line = f"{self.sheet.say('line')} {line_name(self.sheet, axis, at)}"
        added = " + ".join(self.show(part[0]) for part in parts)
        return (
            f"{self.sheet.say('explain.sum', line=line)}: {added} = {self.show(self.values[stage.name][row][column])}"
        )

    def _unreduced(self, operation: Divide, inputs: tuple[Matrix, ...], row: int, column: int) -> str:
        """Return the weight over the common denominator of its line, where there is one: "3/6"."""
        if any(isinstance(value, Decimal) for line in inputs[0] for value in line):
            return ""
        top, bottom = operation.over_common_denominator((inputs[0], inputs[1]), row, column)
        return f"{top}/{bottom}"

    def _weight(self, power: Number, total: Number, unreduced: str, result: Number) -> str:
        line = self.sheet.say("line")
        told = self.sheet.say("explain.weight", power=self.show(power), line=line, sum=self.show(total))
        division = f"{self._factor(power)} ÷ {self._factor(total)}"
        steps = dict.fromkeys(step for step in (division, unreduced, self.show(result)) if step)
        return f"{told}: {' = '.join(steps)}"
