"""How one cell comes about, by hand and exactly: every pair, every power, every sum written out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from attnhand.attention.arithmetic import Arithmetic, Scale
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Axis, Stage
from attnhand.attention.numbers import Number, divide, is_terminating, rounded, true_minus, written
from attnhand.attention.operations import (
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
from attnhand.attention.solution import worked
from attnhand.attention.trace import Journey, Vector, journeys
from attnhand.errors import CellError
from attnhand.sheet.addresses import find_cell
from attnhand.sheet.build_grids import labels, matrix_name, stage_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, marked_up

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


class JourneyWriter(CellWriter):
    """Writes journeys with the numbers of a cell writer."""

    def journey(self, query: int) -> tuple[str, ...]:
        """Return the journey of a query (0-based), head by head, a line a step."""
        followed = journeys(self.sheet.problem.mechanism, self.values, query)
        return tuple(line for journey in followed for line in self._lines(journey, query + 1))

    def _lines(self, journey: Journey, place: int) -> Iterator[str]:
        q, k, v, z = journey.letters
        name = self._name(q, place)
        if journey.head:
            yield f"{self.sheet.say('head', head=journey.head)}:"
        yield f"{name} = {self._vector(journey.query)}"
        scores = journey.steps[0][1]
        for i, (key, score) in enumerate(zip(journey.keys, scores, strict=True), 1):
            dot = f"{self._vector(journey.query)} · {self._vector(key)}"
            yield f"{name} · {self._name(k, i)} = {dot} = {self.show(score)}"
        for stage, numbers in journey.steps[1:]:
            yield f"{stage_title(self.sheet, stage)}: {self._row(numbers)}"
            if isinstance(stage.operation, Power):
                added = " + ".join(map(self.show, numbers))
                yield f"{self.sheet.say('explain.their_sum')}: {added} = {self.show(journey.total)}"
        for i, parts in enumerate(zip(journey.weights, journey.values, journey.weighted, strict=True), 1):
            share, value, product = parts
            told = f"{self.show(share)} · {self._vector(value)} = {self._vector(product)}"
            yield f"{self._name('a', i)} · {self._name(v, i)} = {told}"
        yield f"{self.sheet.say('explain.added_up')}: {self._name(z, place)} = {self._vector(journey.output)}"

    def _name(self, letter: str, place: int) -> str:
        return as_plain(marked_up(f"{letter}_{{{place}}}"))

    def _row(self, numbers: Sequence[Number]) -> str:
        return "  ".join(map(self.show, numbers))

    def _vector(self, numbers: Vector) -> str:
        return f"({', '.join(map(self.show, numbers))})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One cell, explained; every line is plain Unicode."""

    title: str
    """Which cell it is and where it stands."""

    by_hand: tuple[str, ...]
    """How it comes about by the house rules."""

    exactly: tuple[str, ...]
    """The same with attention as it is; empty for a given number."""


def explain(sheet: Sheet, cell: str) -> Explanation:
    """Explain one cell of a sheet, asked or not, blank or solved.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> told = explain(sheet_from_request(Request(seed=7)), "S[2,1]")
    >>> print(told.title, *told.by_hand, sep="\\n")
    S[2,1], scores: row k₂ of Kᵀ · column q₁ of Q
    row k₂ of Kᵀ: 1 1 −1
    column q₁ of Q: 1 −1 −1
    1·1 + 1·(−1) + (−1)·(−1) = 1

    Raises:
        CellError: the text names no cell of this sheet.
    """
    name, row, column = find_cell(sheet, cell)
    problem = sheet.problem
    if name in (given := dict(problem.given)):
        value = CellWriter(sheet, given, problem.hand).show(given[name][row][column])
        return Explanation(
            title=_title(sheet, name, sheet.say("explain.given"), axes_of(sheet, name), (row, column)),
            by_hand=(f"{name}[{row + 1},{column + 1}] = {value}",),
            exactly=(),
        )
    stage = problem.mechanism.stage(name)
    by_hand = CellWriter(sheet, sheet.solution.hand_values(), problem.hand).lines(stage, row, column)
    exactly = CellWriter(sheet, given | worked(problem, problem.exact), problem.exact).lines(stage, row, column)
    return Explanation(
        title=_stage_title(sheet, stage, row, column),
        by_hand=by_hand,
        exactly=exactly if exactly != by_hand else (sheet.say("explain.same"),),
    )


def find_query(sheet: Sheet, source: str) -> int | None:
    """Return the query (0-based) that a text such as ``q2`` names, None for the address of a cell.

    Raises:
        CellError: the sheet has no such query.
    """
    written = re.fullmatch(rf"\s*[q{sheet.query_letter}]_?([0-9]{{1,3}})\s*", source)
    if written is None:
        return None
    tokens = sheet.problem.sizes["tokens"]
    if not 1 <= int(written[1]) <= tokens:
        raise CellError(f"there is no query {int(written[1])}: the sheet has {tokens} tokens; give q1 to q{tokens}")
    return int(written[1]) - 1


def explain_journey(sheet: Sheet, query: int) -> Explanation:
    """Follow one query (0-based) through every head: keys, stages, weights, values.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> told = explain_journey(sheet_from_request(Request(seed=7)), 1)
    >>> print(told.title, *told.by_hand[:2], sep="\\n")
    the journey of q₂
    q₂ = (2, 2, −1)
    q₂ · k₁ = (2, 2, −1) · (−1, −1, 0) = −4
    """
    problem = sheet.problem
    exact_values = dict(problem.given) | worked(problem, problem.exact)
    by_hand = JourneyWriter(sheet, sheet.solution.hand_values(), problem.hand).journey(query)
    exactly = JourneyWriter(sheet, exact_values, problem.exact).journey(query)
    label = f"{sheet.query_letter}_{{{query + 1}}}"
    word = f" ({problem.words[query]})" if problem.words else ""
    return Explanation(
        title=as_plain(marked_up(sheet.say("explain.journey", query=label))) + word,
        by_hand=by_hand,
        exactly=exactly if exactly != by_hand else (sheet.say("explain.same"),),
    )


def _stage_title(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    told = stage_title(sheet, stage)
    if not isinstance(stage.operation, Product):
        return _title(sheet, stage.name, told, (stage.rows, stage.columns), (row, column))
    (left, left_label), (right, right_label) = factors(sheet, stage, row, column)
    product = sheet.say("explain.product", row=left_label, left=left, column=right_label, right=right)
    return f"{stage.name}[{row + 1},{column + 1}], {told}: {product}"


def _title(sheet: Sheet, name: str, told: str, axes: tuple[Axis, Axis], place: tuple[int, int]) -> str:
    lines = [
        sheet.say(key, line=line_name(sheet, axis, at))
        for key, axis, at in zip(("explain.in_row", "explain.in_column"), axes, place, strict=True)
        if axis.size != "one"
    ]
    return f"{name}[{place[0] + 1},{place[1] + 1}], {told}: {', '.join(lines)}"
