"""Formulas in another program's language: what spreadsheets, computer algebra and notebooks have in common.

A printer is a class with one literal table of functions; what its language lacks is refused by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import ClassVar

from attnhand.attention.arithmetic import Arithmetic, compute_turn
from attnhand.attention.formulas.cells import Spot
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Joined,
    Known,
    Letter,
    Negative,
    Node,
    Number,
    Over,
    Read,
)
from attnhand.attention.formulas.plain import make_plain
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import CellPosition, Values, find_cell, show_cell
from attnhand.errors import PageError, name_option

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
"""How close a sign binds; what binds less stands in brackets."""

Written = tuple[str, int]
"""A text, and how close its weakest sign binds."""


class FormulaPrinter(ABC):
    """Writes what a plain formula puts together: signs and functions."""

    program: ClassVar[str]
    """What the language's program is called, where something is refused."""

    plus: ClassVar[str] = "+"
    times: ClassVar[str] = "*"
    functions: ClassVar[Mapping[str, Callable[..., str]]]
    """What each function of a plain formula is called."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        """Take the rules in."""
        self.arithmetic = arithmetic

    # what languages differ in

    @abstractmethod
    def write_number(self, value: int | Decimal) -> str:
        """Write a whole number, an irrational one, or −∞."""

    @abstractmethod
    def divide(self, numerator: str, denominator: str) -> Written:
        """Write a quotient; both texts bind closely enough."""

    @abstractmethod
    def raise_to(self, base: str, exponent: str) -> Written:
        """Write a power of a number that may be −∞; both texts bind closely enough."""

    @abstractmethod
    def raise_e(self, exponent: str) -> Written:
        """Write a power of e, of a number that may be −∞."""

    # what they have in common

    def write(self, spot: Spot, node: Node) -> Written:
        """Write a part of a formula."""
        match node:
            case Number(value):
                return self.write_number(value), ATOM
            case Negative(body):
                return f"-{self._bracket(self.write(spot, body), PRODUCT)}", SUM
            case Binary("+", left, right):
                return f"{self.write(spot, left)[0]}{self.plus}{self.write(spot, right)[0]}", SUM
            case Binary("−", left, right):
                return f"{self.write(spot, left)[0]}-{self._bracket(self.write(spot, right), PRODUCT)}", SUM
            case Binary("·", left, right):
                factors = (self._bracket(self.write(spot, each), PRODUCT) for each in (left, right))
                return self.times.join(factors), PRODUCT
            case Binary("/", left, right):
                return self.divide(
                    self._bracket(self.write(spot, left), PRODUCT), self._bracket(self.write(spot, right), POWER)
                )
            case Binary("^", Known("e"), right):
                return self.raise_e(self.write(spot, right)[0])
            case Binary("^", left, right):
                return self.raise_to(
                    self._bracket(self.write(spot, left), ATOM), self._bracket(self.write(spot, right), ATOM)
                )
            case Call(function, arguments):
                return self.call(function, [self.write(spot, each)[0] for each in arguments])
            case _:
                raise self.refuse(type(node).__name__)

    def call(self, function: str, arguments: list[str]) -> Written:
        """Write a call of a function."""
        if function not in self.functions:
            raise self.refuse(function)
        return self.functions[function](*arguments), ATOM

    def refuse(self, what: str) -> PageError:
        """Return the refusal of what the language lacks."""
        return PageError(f"{self.program} does not know {what}: take {name_option('html')}")

    def _bracket(self, written: Written, binding: int) -> str:
        text, own = written
        return f"({text})" if own < binding else text


class CellPrinter(FormulaPrinter):
    """Writes one cell of a formula, Σ written out."""

    def __init__(self, refer: Callable[[CellPosition], str], arithmetic: Arithmetic) -> None:
        """Take the rules in, and what cells are called.

        Args:
            refer: returns a cell by its matrix, row and column of the sheet (0-based).
        """
        super().__init__(arithmetic)
        self.refer = refer

    def print_cell(self, stage: Stage, values: Values, row: int, column: int) -> str:
        """Return how a cell of a stage (0-based) is worked.

        Args:
            values: matrices by name that have the shapes of what is read.
        """
        spot = find_cell(stage, values, row, column)
        plain = make_plain(stage.formula.formula, self.arithmetic, spot.sizes)
        self._show = partial(show_cell, stage, values)
        return self.write(spot, plain.right)[0]

    def write(self, spot: Spot, node: Node) -> Written:
        match node:
            case Letter() | Joined():
                return str(spot.find_place(node)), ATOM
            case Read():
                return self.refer(self._show(spot.find_cell(node))), ATOM
            case Over("Σ", index, body):
                return self.plus.join(self.write(at, body)[0] for at in spot.walk_over(index)), SUM
            case Over(_, index, body):
                return self.call("max", [self.write(at, body)[0] for at in spot.walk_over(index)])
            case Call("cos" | "sin" as function, arguments):
                token, feature, features = map(spot.find_place, arguments)
                cosine, sine = compute_turn(token - 1, feature - 1, features)
                return self.write_number(cosine if function == "cos" else sine), ATOM
            case Choice(condition, then, otherwise) if spot.is_about_places(condition):
                return self.write(spot, then if spot.holds(condition) else otherwise)
            case _:
                return super().write(spot, node)
