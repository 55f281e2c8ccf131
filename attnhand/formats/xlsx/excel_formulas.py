"""Formulas as spreadsheets write them: of one cell each, in floats, with no names and no arrays."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from xlsxwriter.utility import xl_rowcol_to_cell

from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.formulas.cells import Spot, place_spot
from attnhand.attention.formulas.nodes import COMPARISONS, Binary, Call, Choice, Negative, Node
from attnhand.attention.formulas.plain import make_plain
from attnhand.attention.mechanisms.cells import show_cell
from attnhand.attention.numbers import Number, is_finite
from attnhand.attention.slips import StageContext
from attnhand.attention.slips.binding import OWN
from attnhand.formats.formula_printer import ATOM, PRODUCT, SUM, CellPrinter, Written

INFINITY = "1E+99"
"""What stands for ∞: no spreadsheet has one."""

NEAR = "1E-9"
"""What floats lose is less."""

MAX_PIECE_LENGTH = 120
"""Of a text in a formula: Excel takes no more than 255 signs."""

_COMPARED: Mapping[str, Callable[[str, str], str]] = {
    "=": lambda x, y: f"ABS(({x})-({y}))<{NEAR}",
    "≠": lambda x, y: f"ABS(({x})-({y}))>={NEAR}",
    "<": lambda x, y: f"({x})<({y})-{NEAR}",
    ">": lambda x, y: f"({x})>({y})+{NEAR}",
    "≤": lambda x, y: f"({x})<=({y})+{NEAR}",
    "≥": lambda x, y: f"({x})>=({y})-{NEAR}",
}


def name_cell(row: int, column: int) -> str:
    """Return what formulas call a cell.

    >>> name_cell(11, 27)
    'AB12'
    """
    return str(xl_rowcol_to_cell(row, column))


def nest_changes(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """Return the formula that replaces signs, one after the other.

    >>> nest_changes("A1", [(",", "."), (" ", "")])
    'SUBSTITUTE(SUBSTITUTE(A1,",",".")," ","")'
    """
    for old, new in changes:
        text = f'SUBSTITUTE({text},"{old}","{new}")'
    return text


def quote(text: str) -> str:
    """Return a text as formulas write it, in pieces of the length that they take.

    >>> print(quote('so "x" is'))
    "so ""x"" is"
    """
    pieces = [text[at : at + MAX_PIECE_LENGTH] for at in range(0, len(text), MAX_PIECE_LENGTH)]
    return "&".join('"' + piece.replace('"', '""') + '"' for piece in pieces or [""])


def to_float(value: Number) -> float:
    """Return a number as a cell holds it."""
    return float(value) if is_finite(value) else -float(INFINITY)


def write_number(value: Number) -> str:
    """Return a number as a formula writes it.

    >>> from decimal import Decimal
    >>> write_number(-2), write_number(Fraction(-1, 3)), write_number(Decimal("0.5"))
    ('(-2)', '(-1/3)', '0.5')
    """
    if not is_finite(value):
        return f"(-{INFINITY})"
    text = str(value) if isinstance(value, int | Fraction) else repr(float(value))
    return text if text.replace(".", "").isdigit() else f"({text.upper()})"


class ExcelPrinter(CellPrinter):
    """Writes cells as spreadsheets work them.

    >>> from attnhand.attention.arithmetic import HAND, Arithmetic
    >>> from attnhand.attention.mechanisms import DEFAULT_VARIANT
    >>> mechanism, arithmetic = DEFAULT_VARIANT.build_mechanism(), Arithmetic(rules=HAND)
    >>> printer = ExcelPrinter(lambda cell: name_cell(*cell[1:]), arithmetic)
    >>> printer.print_cell(mechanism.get_stage("S"), {"K": ((1,), (2,)), "Q": ((3,), (4,))}, 0, 0)
    'A1*A1+A2*A2'
    >>> printer.print_cell(mechanism.get_stage("scaled"), {"S": ((1,),)}, 0, 0)
    'INT(ROUND(A1/2,9))'
    """

    program = "a spreadsheet"
    functions: ClassVar[Mapping[str, Callable[..., str]]] = {
        "floor": lambda x: f"INT(ROUND({x},9))",  # what floats lose must not push a whole number down
        "ceil": lambda x: f"(0-INT(ROUND(0-({x}),9)))",
        "trunc": lambda x: f"TRUNC(ROUND({x},9))",
        "round": lambda x: f"IF(ABS(({x})-INT({x})-0.5)<{NEAR},2*ROUND(({x})/2,0),ROUND({x},0))",  # halves to even
        "nearest": lambda x: f"ROUND(ROUND({x},9),0)",  # halves away from zero
        "root": lambda x: f"SQRT({x})",
        "ln": lambda x: f"LN({x})",
        "step": lambda x: f"IF({x}>{NEAR},1,0)",
        "abs": lambda x: f"ABS({x})",
        "max": lambda *x: f"MAX({','.join(x)})",
        "min": lambda *x: f"MIN({','.join(x)})",
    }

    def print_slip(
        self, formula: BoundFormula, letters: Mapping[str, int], context: StageContext, row: int, column: int
    ) -> str:
        """Return what a slip makes of a cell (0-based).

        Args:
            letters: how far each letter of the formula runs.
            context: of the stage, whose matrices have the shapes of what is read.

        Raises:
            PageError: no spreadsheet knows a part of it.
        """
        spot = place_spot(formula, letters, context.stage.find_place(row, column))
        plain = make_plain(formula.formula, self.arithmetic, spot.sizes)
        self._show = partial(show_cell, context.stage, {**context.matrices, OWN: context.compute_correct()})
        return self.write(spot, plain.right)[0]

    def write(self, spot: Spot, node: Node) -> Written:
        match node:
            case Negative(body):  # -A1^2 is the square of -A1
                return f"0-{self._bracket(self.write(spot, body), PRODUCT)}", SUM
            case Call("position", arguments):
                token, feature, features = map(spot.find_place, arguments)
                return self.write_number(self.arithmetic.encode_position(token - 1, feature - 1, features)), ATOM
            case Call("decimals", (argument,)):
                return f"ROUND({self.write(spot, argument)[0]},{self.arithmetic.rules.decimals})", ATOM
            case Choice(condition, then, otherwise) if not spot.is_about_places(condition):
                branches = ",".join(self.write(spot, each)[0] for each in (then, otherwise))
                return f"IF({self._write_condition(spot, condition)},{branches})", ATOM
            case _:
                return super().write(spot, node)

    def _write_condition(self, spot: Spot, condition: Node) -> str:
        if spot.is_about_places(condition):
            return "TRUE" if spot.holds(condition) else "FALSE"
        match condition:
            case Binary("and" | "or" as joint, left, right):
                sides = ",".join(self._write_condition(spot, each) for each in (left, right))
                return f"{joint.upper()}({sides})"
            case Binary(sign, left, right) if sign in COMPARISONS:
                return _COMPARED[sign](self.write(spot, left)[0], self.write(spot, right)[0])
            case _:
                raise self.refuse(type(condition).__name__)

    def write_number(self, value: Any) -> str:
        return write_number(value)

    def divide(self, numerator: str, denominator: str) -> Written:
        return f"{numerator}/{denominator}", PRODUCT

    def raise_to(self, base: str, exponent: str) -> Written:
        return f"IF({exponent}<-1E+90,0,{base}^{exponent})", ATOM

    def raise_e(self, exponent: str) -> Written:
        return f"IF({exponent}<-1E+90,0,EXP({exponent}))", ATOM
