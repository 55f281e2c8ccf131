"""Formulas in Maxima: a function of matrices for each, with loops as on paper.

    S[k,q] = Σ_r K[r,k]·Q[r,q]

becomes

    f(m1,m2):=apply(matrix,makelist(makelist(at_total(makelist(m1[z,x]*m2[z,y],z,1,3)),y,1,4),x,1,4))

with the same letters for all formulas, so that one function serves many. With tokens as rows the indices of what is
read change places, and so do the loops. −∞ is the symbol ``neginf``, what cannot be worked the symbol ``nothing``.
"""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import ClassVar

from attnhand.attention.formulas.bound import BoundFormula, Shape
from attnhand.attention.formulas.cells import Spot
from attnhand.attention.formulas.nodes import (
    COMPARISONS,
    Binary,
    Call,
    Choice,
    Formula,
    Joined,
    Letter,
    Node,
    Over,
    Read,
    list_letters,
    walk,
)
from attnhand.attention.formulas.places import is_place
from attnhand.attention.formulas.plain import make_plain
from attnhand.attention.formulas.sizes import list_bound_letters
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, has_irrational, is_finite
from attnhand.attention.slips import StageContext
from attnhand.formats.formula_printer import ATOM, PRODUCT, FormulaPrinter, Written

FUNCTIONS = """\
at_total(l):=apply("+",l);
at_less(x,y):=if is(x=neginf) then not is(y=neginf) elseif is(y=neginf) then false else is(is(x<y)=true);
at_max(l):=block([m:delete(neginf,l)],if is(m=[]) then neginf else apply(max,m));
at_min(l):=if member(neginf,l) then neginf else apply(min,l);
at_power(b,x):=if is(x=neginf) then 0 elseif is(abs(x)>{limit})=true then nothing
 elseif integerp(x) then b^x else float(b)^float(x);
at_nearest(x):=if is(x<0)=true then -floor(1/2-x) else floor(x+1/2);
at_root(x):=if is(x<0)=true then nothing elseif numberp(sqrt(x)) then sqrt(x) else float(sqrt(x));
at_ln(x):=if is(x<=0)=true then nothing else float(log(x));
at_step(x):=if is(x>0)=true then 1 else 0;
at_minus(x,y):=if is(x=neginf) then neginf else x-y;
at_over(x,y):=if is(y=0) or is(y=0.0) then nothing else x/y;
at_decimals(x,u):=at_nearest(x*u)/u;"""
"""What formulas call.

Subtle: a whole number must not come out as 2.0, which is not 2; ``signum`` of a float is a float.
"""

LOOP_LETTERS = "xyzuvw"
"""In the order in which loops are met: those of the left side first."""

_PLACE_SIGNS = {"=": "=", "≠": "#", "<": "<", ">": ">", "≤": "<=", "≥": ">="}

_COMPARED: Mapping[str, Callable[[str, str], str]] = {
    "=": lambda x, y: f"is({x}={y})",
    "≠": lambda x, y: f"not is({x}={y})",
    "<": lambda x, y: f"at_less({x},{y})",
    ">": lambda x, y: f"at_less({y},{x})",
    "≤": lambda x, y: f"not at_less({y},{x})",
    "≥": lambda x, y: f"not at_less({x},{y})",
}
"""How numbers are compared that may be −∞."""


def write_number(value: Number) -> str:
    """Return a number in Maxima; a masked score as a name of its own."""
    return f"({value})" if is_finite(value) and value < 0 else str(value) if is_finite(value) else "neginf"


def write_maxima_matrix(a: Matrix) -> str:
    """Return a matrix in Maxima.

    >>> from fractions import Fraction
    >>> write_maxima_matrix(((1, Fraction(-1, 3)),))
    'matrix([1,(-1/3)])'
    """
    rows = (",".join(map(write_number, row)) for row in a)
    return f"matrix({','.join(f'[{row}]' for row in rows)})"


class MaximaPrinter(FormulaPrinter):
    """Writes one formula for whole numbers and fractions."""

    program = "STACK"
    functions: ClassVar[Mapping[str, Callable[..., str]]] = {
        "floor": lambda x: f"floor({x})",
        "ceil": lambda x: f"ceiling({x})",
        "trunc": lambda x: f"truncate({x})",
        "round": lambda x: f"round({x})",
        "nearest": lambda x: f"at_nearest({x})",
        "root": lambda x: f"at_root({x})",
        "ln": lambda x: f"at_ln({x})",
        "step": lambda x: f"at_step({x})",
        "abs": lambda x: f"abs({x})",
        "max": lambda *x: f"at_max([{','.join(x)}])",
        "min": lambda *x: f"at_min([{','.join(x)}])",
        "mod": lambda x, y: f"mod({x},{y})",
    }

    def __init__(self, formula: BoundFormula, context: StageContext, letters: Mapping[str, int]) -> None:
        """Take in what is printed.

        Args:
            context: whose matrices have the shapes of what is read.
            letters: how far each letter of the formula runs.
        """
        super().__init__(context.arithmetic)
        self.bound, self.context, self.letters = formula, context, letters
        self.plain = make_plain(formula.formula, context.arithmetic, letters)
        self.names = {name: f"m{at}" for at, name in enumerate(formula.reads, 1)}
        """What matrices are called in the function."""

        met = dict.fromkeys((*self.plain.letters, *list_bound_letters(self.plain.right)))
        self.loops = dict(zip(met, LOOP_LETTERS, strict=False))
        """What letters are called in loops."""

        self.step = -1 if context.is_rows else 1
        """How the indices of a matrix of the sheet are gone through."""

        self.fixed = _list_fixed_letters(self.plain, formula)

    @property
    def shape(self) -> Shape:
        """The shape of what comes out, tokens as columns; a vector is a row."""
        *rows, columns = (math.prod(self.letters[each] for each in list_letters(index)) for index in self.plain.indices)
        return math.prod(rows), columns

    def print_function(self, *, is_row: bool) -> str:
        """Return the function's arguments and body: ``(m1,m2):=…``.

        Args:
            is_row: whether a vector comes out as a row.

        Raises:
            PageError: Maxima lacks something.
        """
        spot = Spot(bound=self.bound, sizes=self.letters, letters={})
        match self.plain.indices:
            case (index,) if is_row:
                rows = f"[{self._write_list(spot, index, self._write_cell)}]"
            case (index,):
                rows = self._write_list(spot, index, lambda at: f"[{self._write_cell(at)}]")
            case indices:
                outer, inner = indices[:: self.step]
                rows = self._write_list(spot, outer, lambda at: self._write_list(at, inner, self._write_cell))
        return f"({','.join(self.names.values())}):=apply(matrix,{rows})"

    def _write_cell(self, spot: Spot) -> str:
        return self.write(spot, self.plain.right)[0]

    def _write_list(self, spot: Spot, index: Letter | Joined, write: Callable[[Spot], str]) -> str:
        """Write a list of what stands at each place of an index: a loop, unless its letters are fixed."""
        if isinstance(index, Letter) and index.name not in self.fixed:
            return f"makelist({write(spot)},{self.loops[index.name]},1,{self.letters[index.name]})"
        return f"[{','.join(map(write, spot.walk_over(index)))}]"

    # parts of a formula

    def write(self, spot: Spot, node: Node) -> Written:
        match node:
            case Letter(name):
                return str(spot.letters.get(name) or self.loops[name]), ATOM
            case Joined():
                return str(spot.find_place(node)), ATOM
            case Read(name, (index,)) if name in self.bound.lists:
                places = ",".join(map(str, self.bound.lists[name]))
                return f"[{places}][{self.write(spot, index)[0]}]", ATOM
            case Read():
                return self._write_read(spot, node), ATOM
            case Over(sign, index, body):
                listed = self._write_list(spot, index, lambda at: self.write(at, body)[0])
                return f"{'at_total' if sign == 'Σ' else 'at_max'}({listed})", ATOM
            case Call("position", arguments):
                value = self.arithmetic.encode_position(*self._find_position(spot, arguments))
                if has_irrational([value]):
                    raise self.refuse("sines and cosines")
                return write_number(value), ATOM
            case Call("decimals", (argument,)):
                return f"at_decimals({self.write(spot, argument)[0]},{10**self.arithmetic.rules.decimals})", ATOM
            case Binary("−", left, right) if self._reads_cells(left):  # a masked score stays one
                return f"at_minus({self.write(spot, left)[0]},{self.write(spot, right)[0]})", ATOM
            case Choice(condition, then, otherwise):
                branches = (self.write(spot, each)[0] for each in (then, otherwise))
                return f"(if {self._write_condition(spot, condition)} then {' else '.join(branches)})", ATOM
            case _:
                return super().write(spot, node)

    def _reads_cells(self, node: Node) -> bool:
        return any(isinstance(each, Read) and each.matrix not in self.bound.lists for each in walk(node))

    def _find_position(self, spot: Spot, arguments: tuple[Node, ...]) -> tuple[int, int, int]:
        """Return token and feature, both from 0, and how many features there are."""
        token, feature, features = map(spot.find_place, arguments)
        return token - 1, feature - 1, features

    def _write_read(self, spot: Spot, read: Read) -> str:
        """Write a cell as the sheet has it."""
        name, indices = read.matrix, read.indices
        if name in self.bound.families:
            head, *places = indices
            name, indices = self.bound.families[name][spot.find_place(head) - 1], tuple(places)
        written = tuple(self.write(spot, index)[0] for index in indices)
        if len(written) == 1:
            written = ("1", *written) if self.context.find_shape(name)[0] == 1 else (*written, "1")
        return f"{self.names[name]}[{','.join(written[:: self.step])}]"

    def _write_condition(self, spot: Spot, condition: Node) -> str:
        match condition:
            case Binary("and" | "or" as joint, left, right):
                sides = (self._write_condition(spot, each) for each in (left, right))
                return f"({f' {joint} '.join(sides)})"
            case Binary(sign, left, right) if sign in COMPARISONS:
                one, other = (self.write(spot, each)[0] for each in (left, right))
                if is_place(left, self.bound.lists) and is_place(right, self.bound.lists):
                    return f"{one}{_PLACE_SIGNS[sign]}{other}"
                return _COMPARED[sign](one, other)
            case Call("odd", (argument,)):
                return f"oddp({self.write(spot, argument)[0]})"
            case _:
                raise self.refuse(type(condition).__name__)

    def write_number(self, value: int | Decimal) -> str:
        return write_number(value)

    def divide(self, numerator: str, denominator: str) -> Written:
        if denominator.isdecimal() and int(denominator):
            return f"{numerator}/{denominator}", PRODUCT
        return f"at_over({numerator},{denominator})", ATOM

    def raise_to(self, base: str, exponent: str) -> Written:
        return f"at_power({base},{exponent})", ATOM

    def raise_e(self, exponent: str) -> Written:
        return f"at_power(float(%e),{exponent})", ATOM


def _list_fixed_letters(plain: Formula, bound: BoundFormula) -> set[str]:
    """Return the letters that must stand at a place: those that run as one, choose a matrix or are of a position."""
    fixed = {letter for index in plain.indices if isinstance(index, Joined) for letter in list_letters(index)}
    for node in walk(plain.right):
        match node:
            case Joined(letters) | Over(_, Joined(letters), _):
                fixed.update(letters)
            case Read(name, (chosen_by, *_)) if name in bound.families:
                fixed.update(_find_letters(chosen_by))
            case Call("position", places):
                fixed.update(letter for place in places for letter in _find_letters(place))
    return fixed


def _find_letters(node: Node) -> set[str]:
    return {each.name for each in walk(node) if isinstance(each, Letter)}
