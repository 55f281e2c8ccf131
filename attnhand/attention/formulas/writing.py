"""A cell written out with its numbers: "1·2 + 0·(−1) = 2"."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attnhand.attention.arithmetic import Arithmetic, ScaleRule
from attnhand.attention.formulas.cells import CellWorker, Spot, get_value
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import Numbers
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Known,
    Negative,
    Node,
    Over,
    Read,
)
from attnhand.attention.numbers import Number, format_decimal, format_exact, use_typographic_signs

_BINDING = {"+": 1, "−": 1, "·": 3, "/": 3, "^": 4}
"""How close a sign binds; what binds less stands in brackets."""

_FRACTION = 2
"""A fraction is a number in a sum, and stands in brackets as a factor."""

_SIGNS = {"+": " + ", "−": " − ", "·": "·", "/": " ÷ ", "^": "^"}

_ENDS = {"floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "abs": ("|", "|")}
"""Signs round an argument, for functions that have some."""

_ATOM = 5
"""What stands alone needs no brackets anywhere."""

_Written = tuple[str, int]
"""A text, and how close its weakest sign binds."""


def write_cell(spot: Spot, numbers: Numbers, values: Mapping[str, Lines]) -> str:
    """Write how a cell comes about, and what comes out; of one that is only copied the value alone.

    Args:
        numbers: exact ones.
        values: of all matrices that it reads.
    """
    worker = CellWorker(numbers, values)
    result = format_number(worker.work_cell(spot), numbers.arithmetic)
    text, _ = _Pen(worker).write(spot, spot.bound.formula.right)
    return result if text == result else f"{text} = {result}"


def format_number(value: Number, arithmetic: Arithmetic) -> str:
    """Write a number: whole where it is rational, else to the decimals of the sheet."""
    if isinstance(value, Decimal) and value.is_finite():
        return use_typographic_signs(format_decimal(value, arithmetic.rules.decimals))
    return use_typographic_signs(format_exact(value))


class _Pen:
    """Writes nodes with what stands in their cells."""

    def __init__(self, worker: CellWorker) -> None:
        self.worker, self.numbers = worker, worker.numbers

    def write(self, spot: Spot, node: Node) -> _Written:
        match node:
            case Read():
                return self._write_number(get_value(self.worker.values, spot.find_cell(node)))
            case Known("base" | "e" as name):
                base = self.numbers.known[name]
                return ("e" if isinstance(base, Decimal) else str(base)), _ATOM
            case Negative(body):
                return f"−{self._bracket(self.write(spot, body), _BINDING['·'])}", _BINDING["+"]
            case Binary(sign, left, right) if sign in _BINDING:
                binding = _BINDING[sign]
                closer = binding + (sign != "·")  # so that a − (b − c) keeps its brackets
                one = self._bracket(self.write(spot, left), binding + (sign == "^"))
                return f"{one}{_SIGNS[sign]}{self._bracket(self.write(spot, right), closer)}", binding
            case Over("Σ", index, body):
                terms = [self._bracket(self.write(at, body), _FRACTION) for at in spot.walk_over(index)]
                return " + ".join(terms), _BINDING["+"]
            case Over(sign, index, body):
                return f"{sign}({', '.join(self.write(at, body)[0] for at in spot.walk_over(index))})", _ATOM
            case Call("scale", (argument,)):
                return self._write_scaled(self.write(spot, argument))
            case Call(function, arguments):
                texts = ", ".join(self.write(spot, argument)[0] for argument in arguments)
                opening, closing = _ENDS.get(function, (f"{function}(", ")"))
                return f"{opening}{texts}{closing}", _ATOM
            case Choice(condition, then, otherwise):
                return self.write(spot, then if self.worker.decide(spot, condition) else otherwise)
            case _:
                return self._write_number(self.worker.work(spot, node))

    def _write_number(self, value: Any) -> _Written:
        """Write a number; a negative one or a fraction needs brackets beside a sign that binds closer."""
        text = format_number(value, self.numbers.arithmetic)
        return text, _BINDING["+"] if value < 0 else _FRACTION if "/" in text else _ATOM

    def _bracket(self, written: _Written, binding: int) -> str:
        text, own = written
        return f"({text})" if own < binding else text

    def _write_scaled(self, score: _Written) -> _Written:
        """Write a score divided as the rules say."""
        arithmetic = self.numbers.arithmetic
        scale = arithmetic.rules.scale
        if scale is ScaleRule.NONE:
            return score
        divisor = f"√{arithmetic.d_k}" if scale is ScaleRule.SQRT else str(arithmetic.rules.divisor)
        quotient = f"{self._bracket(score, _BINDING['^'])} ÷ {divisor}"
        return (f"⌊{quotient}⌋", _ATOM) if arithmetic.rules.is_rounded_down else (quotient, _BINDING["/"])
