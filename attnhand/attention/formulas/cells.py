"""One cell of a stage: which cells it reads, and its value, by a walk over the formula.

Slow, and the same for every formula: right for hints, for what is to be done again, and for finding where something
went wrong; whole stages are worked by ``compiling``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from attnhand.attention.formulas.bound import BoundFormula, Shape
from attnhand.attention.formulas.compiling import CHOICES, Lines
from attnhand.attention.formulas.kinds import Numbers
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    FormulaError,
    Joined,
    Known,
    Letter,
    Negative,
    Node,
    Number,
    Over,
    Read,
    Size,
    walk,
)
from attnhand.attention.formulas.places import check_place, compare, is_place, list_places

Cell = tuple[str, tuple[int, ...]]
"""A cell by the name of its matrix and its place, from 1, tokens as columns; of a vector one number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A cell of a formula, or a place in it: where each letter stands."""

    bound: BoundFormula
    sizes: Mapping[str, int]
    """How far each letter runs."""

    letters: Mapping[str, int]
    """Where each letter stands, from 1."""

    def move(self, letters: Mapping[str, int]) -> "Spot":
        """Return the spot where these letters stand elsewhere."""
        return replace(self, letters={**self.letters, **letters})

    def walk_over(self, index: Letter | Joined) -> Iterator["Spot"]:
        """Yield the spot at all places of an index."""
        return map(self.move, list_places(index, self.sizes))

    def find_place(self, node: Node) -> int:
        """Return what an index, or another matter of places, comes to."""
        match node:
            case Number(int(value)):
                return value
            case Size(letter):
                return self.sizes[letter]
            case Letter(name):
                return self.letters[name]
            case Joined((first, *others)):
                place = self.letters[first]
                for letter in others:
                    place = (place - 1) * self.sizes[letter] + self.letters[letter]
                return place
            case Binary(sign, left, right) if sign in "+−·":
                one, other = self.find_place(left), self.find_place(right)
                return {"+": one + other, "−": one - other, "·": one * other}[sign]
            case Call("mod", (place, divisor)):
                return self.find_place(place) % self.find_place(divisor)
            case Read(name, (index,)) if name in self.bound.lists:
                return self.bound.lists[name][self.find_place(index) - 1]
            case Read(name, (row, column)) if name in self.bound.constants:
                return self.bound.constants[name][self.find_place(row) - 1][self.find_place(column) - 1]
            case Choice(condition, then, otherwise):
                return self.find_place(then if self.holds(condition) else otherwise)
            case _:
                raise FormulaError(f"{self.bound.formula.name}: an index is not known before the cells are worked")

    def is_about_places(self, condition: Node) -> bool:
        """Say whether a condition is decided by places, whatever the matrices hold."""
        match condition:
            case Binary("and" | "or", left, right):
                return self.is_about_places(left) and self.is_about_places(right)
            case Call("odd"):
                return True
            case Binary(_, left, right):
                known = {*self.bound.lists, *self.bound.constants}
                return is_place(left, known) and is_place(right, known)
            case _:
                return False

    def holds(self, condition: Node) -> bool:
        """Say whether a condition about places is true here."""
        match condition:
            case Binary("and", left, right):
                return self.holds(left) and self.holds(right)
            case Binary("or", left, right):
                return self.holds(left) or self.holds(right)
            case Call("odd", (argument,)):
                return self.find_place(argument) % 2 == 1
            case Binary(sign, left, right):
                return compare(sign, self.find_place(left), self.find_place(right))
            case _:
                raise FormulaError(f"{self.bound.formula.name}: a condition is missing")

    def find_cell(self, read: Read) -> Cell:
        """Return the cell that is read here."""
        places = tuple(map(self.find_place, read.indices))
        if read.matrix in self.bound.families:
            return self.bound.families[read.matrix][places[0] - 1], places[1:]
        return read.matrix, places


def find_spot(bound: BoundFormula, shapes: tuple[Shape, ...], place: tuple[int, ...]) -> Spot:
    """Return a cell of a formula.

    Args:
        shapes: of what it reads.
        place: from 1, tokens as columns; of a vector one number.
    """
    return place_spot(bound, bound.measure(shapes), place)


def place_spot(bound: BoundFormula, sizes: Mapping[str, int], place: tuple[int, ...]) -> Spot:
    """Return a cell of a formula whose letters run so far."""
    letters: dict[str, int] = {}
    for index, at in zip(bound.formula.indices, place, strict=True):
        places = list_places(index, sizes)
        letters |= places[check_place(at, len(places))]
    return Spot(bound=bound, sizes=sizes, letters=letters)


def list_spots(bound: BoundFormula, shapes: tuple[Shape, ...]) -> Iterator[tuple[tuple[int, ...], Spot]]:
    """Yield all cells of a formula, each with its place."""
    sizes = bound.measure(shapes)
    lengths = (len(list_places(index, sizes)) for index in bound.formula.indices)
    for place in product(*(range(1, length + 1) for length in lengths)):
        yield place, find_spot(bound, shapes, place)


def list_read_cells(spot: Spot, node: Node | None = None) -> tuple[Cell, ...]:
    """Return the cells that a cell reads, in the order of reading, one as often as it stands there.

    Where places decide, what is not chosen is not read: a masked score reads nothing. Where numbers decide, all of it.
    """
    node = spot.bound.formula.right if node is None else node
    match node:
        case Read():
            return (spot.find_cell(node),)
        case Negative(body):
            return list_read_cells(spot, body)
        case Binary(_, left, right):
            return list_read_cells(spot, left) + list_read_cells(spot, right)
        case Over(_, index, body):
            return tuple(cell for at in spot.walk_over(index) for cell in list_read_cells(at, body))
        case Call(_, arguments):
            return tuple(cell for argument in arguments for cell in list_read_cells(spot, argument))
        case Choice(condition, then, otherwise) if spot.is_about_places(condition):
            return list_read_cells(spot, then if spot.holds(condition) else otherwise)
        case Choice(condition, then, otherwise):
            return tuple(cell for each in (condition, then, otherwise) for cell in list_read_cells(spot, each))
        case _:
            return ()


def get_value(values: Mapping[str, Lines], cell: Cell) -> Any:
    """Return what a cell holds."""
    name, places = cell
    found: Any = values[name]
    for place in places:
        found = found[check_place(place, len(found))]
    return found


class CellWorker:
    """Works single cells, and parts of their formulas."""

    def __init__(self, numbers: Numbers, values: Mapping[str, Lines]) -> None:
        """Take in what is read.

        Args:
            values: of all matrices that the cells' formulas read.
        """
        self.numbers = numbers
        self.values = values

    def work_cell(self, spot: Spot) -> Any:
        """Work a cell."""
        names = sorted({name for name, _ in list_read_cells(spot)})
        known = [node.name for node in walk(spot.bound.formula.right) if isinstance(node, Known)]
        unified = self.numbers.unify([self.values[name] for name in names], known)
        return CellWorker(self.numbers, dict(zip(names, unified, strict=True))).work(spot, spot.bound.formula.right)

    def work(self, spot: Spot, node: Node) -> Any:
        """Work a part of a formula."""
        numbers = self.numbers
        match node:
            case Number(value):
                return value if isinstance(value, int) else numbers.minus_infinity
            case Known(name):
                return numbers.known[name]
            case Letter() | Size() | Joined():
                return spot.find_place(node)
            case Read():
                return get_value(self.values, spot.find_cell(node))
            case Negative(body):
                return -self.work(spot, body)
            case Binary("+", left, right):
                return numbers.add((self.work(spot, left), self.work(spot, right)))
            case Binary("−", left, right):
                return numbers.add((self.work(spot, left), -self.work(spot, right)))
            case Binary("·", left, right):
                return numbers.multiply(self.work(spot, left), self.work(spot, right))
            case Binary("/", left, right):
                return numbers.divide(self.work(spot, left), self.work(spot, right))
            case Binary("^", left, right):
                return numbers.power(self.work(spot, left), self.work(spot, right))
            case Over(sign, index, body):
                terms = [self.work(at, body) for at in spot.walk_over(index)]
                return numbers.add(terms) if sign == "Σ" else numbers.max(terms)
            case Call(function, arguments):
                worked = [self.work(spot, argument) for argument in arguments]
                apply = getattr(numbers, function)
                return apply(worked) if function in CHOICES else apply(*worked)
            case Choice(condition, then, otherwise):
                return self.work(spot, then if self.decide(spot, condition) else otherwise)
            case _:
                raise FormulaError(f"{spot.bound.formula.name}: a condition stands where a number belongs")

    def decide(self, spot: Spot, condition: Node) -> bool:
        """Say whether a condition is true."""
        if spot.is_about_places(condition):
            return spot.holds(condition)
        match condition:
            case Binary("and", left, right):
                return self.decide(spot, left) and self.decide(spot, right)
            case Binary("or", left, right):
                return self.decide(spot, left) or self.decide(spot, right)
            case Binary(sign, left, right):
                return compare(sign, self.work(spot, left), self.work(spot, right))
            case _:
                raise FormulaError(f"{spot.bound.formula.name}: a condition is missing")
