"""Formulas as Python functions: loops over the left side, each cell written out.

    S[k,q] = Σ_r K[r,k]·Q[r,q]

becomes, for three rows, with K and Q turned so that a loop runs over lines:

    [[K_k[0]*Q_q[0] + K_k[1]*Q_q[1] + K_k[2]*Q_q[2] for Q_q in Q_turned] for K_k in K_turned]

Two functions come of a formula: one for any kind of number, and, where only sums, products and quotients stand in it,
one for whole numbers. Fractions are worked by the second: each matrix over one denominator, the result divided by
them once. That is several times as fast as fractions added one by one.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attnhand.attention.formulas.nodes import (
    COMPARISONS,
    HEAD,
    Binary,
    Call,
    Choice,
    Formula,
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

Lines = tuple[Any, ...]
"""A matrix of any kind of number: rows, or the numbers of a vector."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A formula as functions of the numbers' kind and of what it reads."""

    reads: tuple[str, ...]
    """Names of the matrices, in the order of the arguments; a head's own are ``h1.Z``."""

    work: Callable[..., Lines]
    """For any kind of number: ``work(numbers, *matrices)``."""

    work_whole: Callable[..., Lines] | None
    """For whole numbers: ``work_whole(numbers, denominators, *matrices)``; None where they are not enough."""

    degrees: tuple[int, ...] | None
    """How often the result is still to be divided by each matrix's denominator; None where that is done."""

    known: tuple[str, ...]
    """Names of the known numbers in it."""


def compile_formula(
    formula: Formula, sizes: Mapping[str, int], families: frozenset[str], places: Mapping[str, tuple[int, ...]]
) -> Compiled:
    """Compile a formula for these sizes.

    Args:
        sizes: how far each letter runs.
        families: matrices that each head has its own of; their first index is the head.
        places: lists of places by name, counted from 1.

    Raises:
        FormulaError: an index lies outside its matrix, or is not known beforehand.
    """
    general = _Writer(formula, sizes, families, places, is_whole=False)
    source = general.write_function()
    whole: Callable[..., Lines] | None = None
    degrees: tuple[int, ...] | None = None
    signs = {node.sign for node in walk(formula.right) if isinstance(node, Binary | Over)}
    if signs & {"Σ", "·", "/"}:
        try:
            writer = _Writer(formula, sizes, families, places, is_whole=True)
            whole, degrees = _make_function(writer.write_function()), writer.degrees
        except _NotWholeError:
            pass
    known = tuple(dict.fromkeys(node.name for node in walk(formula.right) if isinstance(node, Known)))
    return Compiled(tuple(general.arguments), _make_function(source), whole, degrees, known)


@lru_cache(maxsize=2_000)
def _make_function(source: str) -> Callable[..., Lines]:
    space: dict[str, Any] = {"ratio": make_ratio, "check_place": check_place}
    exec(compile(source, "<formula>", "exec"), space)
    made: Callable[..., Lines] = space["work"]
    return made


def make_ratio(numerator: int, denominator: int) -> int | Fraction:
    """Divide whole numbers exactly.

    >>> make_ratio(6, 3), make_ratio(6, 4)
    (2, Fraction(3, 2))
    """
    quotient, rest = divmod(numerator, denominator)
    return Fraction(numerator, denominator) if rest else quotient


class _NotWholeError(Exception):
    """What stands in the formula is not worked in whole numbers."""


@dataclass
class _Loop:
    """A loop over a letter of the left side; what it walks through is known once its body is written."""

    letter: str
    size: int
    items: dict[str, str] = field(default_factory=dict)
    """Names in the loop, by what they come from."""

    def walk_through(self, lines: str) -> str:
        """Return the name of the line at which the letter stands."""
        return self.items.setdefault(lines, f"{lines}_{self.letter}")

    @property
    def place(self) -> str:
        """The letter's place, as Python counts."""
        return self.items.setdefault(f"range({self.size})", self.letter)

    def write(self, body: str) -> str:
        """Write the loop round its body."""
        if not self.items:
            return f"({body},) * {self.size}"
        names, sources = ", ".join(self.items.values()), ", ".join(self.items)
        source = sources if len(self.items) == 1 else f"zip({sources}, strict=True)"
        return f"tuple([{body} for {names} in {source}])"


_Term = tuple[str, tuple[int, ...]]
"""Python, and over which denominators it stands: how often each matrix is a factor of it."""


class _Writer:
    """Writes one formula as Python, for any numbers or for whole ones."""

    def __init__(
        self,
        formula: Formula,
        sizes: Mapping[str, int],
        families: frozenset[str],
        places: Mapping[str, tuple[int, ...]],
        *,
        is_whole: bool,
    ) -> None:
        self.formula, self.sizes, self.families, self.places = formula, sizes, families, places
        self.is_whole = is_whole
        self.arguments: dict[str, str] = {}
        """Python names of the matrices."""

        self.turned: dict[str, str] = {}
        """Python names of matrices whose columns are lines."""

        self.used: set[str] = set()
        """Names that the kind of number gives."""

        self.fixed: dict[str, int] = {}
        """Letters that stand at one place here, from 1."""

        self.loops: list[_Loop] = []
        """From the outside in."""

        self.degrees: tuple[int, ...] | None = None
        """How often a cell is still to be divided by each denominator; None where that is done."""

        for read in (node for node in walk(formula.right) if isinstance(node, Read)):
            for name in self._list_matrices(read):  # all of them first, so that degrees have their length
                self.arguments.setdefault(name, f"m{len(self.arguments)}")
        self.none = (0,) * len(self.arguments)

    def _list_matrices(self, read: Read) -> list[str]:
        """Return the matrices that a cell may be read from: one, or one of each head."""
        if read.matrix in self.places:
            return []
        if read.matrix not in self.families:
            return [read.matrix]
        head = read.indices[0]
        heads = [head.value] if isinstance(head, Number) else range(1, self.sizes[HEAD] + 1)
        return [f"h{each}.{read.matrix}" for each in heads]

    def write_function(self) -> str:
        """Write the whole function."""
        body = self._write_lines(self.formula.indices)
        arguments = ", ".join(["numbers", *(["denominators"] if self.is_whole else []), *self.arguments.values()])
        lines = [f"def work({arguments}):"]
        for name in sorted(self.used):
            is_known = name.startswith("known_")
            lines.append(f"    {name} = numbers.known[{name[6:]!r}]" if is_known else f"    {name} = numbers.{name}")
        if self.is_whole and self.arguments:
            lines.append(f"    {', '.join(f'd{at}' for at in range(len(self.arguments)))}, = denominators")
        lines += [f"    {turned} = tuple(zip(*{name}))" for name, turned in self.turned.items()]
        return "\n".join([*lines, f"    return {body}"])

    def _write_lines(self, indices: tuple[Letter | Joined, ...]) -> str:
        if not indices:
            return self._write_cell(self.formula.right)
        index, *rest = indices
        if isinstance(index, Letter):
            loop = _Loop(index.name, self.sizes[index.name])
            self.loops.append(loop)
            body = self._write_lines(tuple(rest))
            self.loops.pop()
            return loop.write(body)
        lines = []
        for place in list_places(index, self.sizes):
            with self._fix(place):
                lines.append(self._write_lines(tuple(rest)))
        return f"({', '.join(lines)},)"

    # a cell

    def _write_cell(self, node: Node) -> str:
        """Write a cell; one of whole numbers may be left over its denominators, if all cells are over the same."""
        if self.fixed:  # lines are written one by one, each perhaps from another head's matrices
            return self._finish(node)
        code, self.degrees = self._write_top(node)
        return code

    def _write_top(self, node: Node) -> tuple[str, tuple[int, ...] | None]:
        if self.is_whole and isinstance(node, Choice):
            if isinstance(fact := self._write_condition(node.condition), bool):
                return self._write_top(node.then if fact else node.otherwise)
            then, otherwise = self._finish(node.then), self._finish(node.otherwise)
            return f"({then} if {fact} else {otherwise})", None
        if self.is_whole and isinstance(node, Binary) and node.sign == "/":
            (top, bottom), _ = self._align([self._write(node.left), self._write(node.right)])
            return f"ratio({top}, {bottom})", None
        return self._write(node)

    def _finish(self, node: Node) -> str:
        """Write a value with nothing left to be divided by."""
        code, degrees = self._write_top(node)
        under = "" if degrees is None else self._write_denominators(degrees)
        return f"ratio({code}, {under})" if under else code

    def _write_denominators(self, degrees: tuple[int, ...]) -> str:
        return "*".join(f"d{at}" for at, degree in enumerate(degrees) for _ in range(degree))

    def _align(self, terms: list[_Term]) -> tuple[list[str], tuple[int, ...]]:
        """Bring terms over the same denominators, so that they can be added or compared."""
        common = tuple(map(max, zip(*(degrees for _, degrees in terms), strict=True)))
        aligned = []
        for code, degrees in terms:
            missing = self._write_denominators(tuple(c - d for c, d in zip(common, degrees, strict=True)))
            aligned.append(f"{code}*{missing}" if missing and code != "0" else code)
        return aligned, common

    def _write(self, node: Node) -> _Term:
        match node:
            case Number(value):
                return (str(value), self.none) if isinstance(value, int) else self._use("minus_infinity")
            case Known(name):
                return self._use(f"known_{name}")
            case Letter() | Size():
                place = self._write_place(node)
                return (str(place) if isinstance(place, int) else place), self.none
            case Read():
                return self._write_read(node)
            case Negative(body):
                code, degrees = self._write(body)
                return f"(-{code})", degrees
            case Binary("+" | "−") | Over("Σ"):
                return self._add(self._list_terms(node))
            case Binary("·", left, right):
                (a, one), (b, other) = self._write(left), self._write(right)
                if not self.is_whole and not _is_of_one_kind(node):
                    return f"{self._use('multiply')[0]}({a}, {b})", self.none
                return f"{a}*{b}", tuple(x + y for x, y in zip(one, other, strict=True))
            case Binary("/" | "^" as sign, left, right):
                name, _ = self._use("divide" if sign == "/" else "power")
                return f"{name}({self._write(left)[0]}, {self._write(right)[0]})", self.none
            case Over(_, index, body):
                return self._call("max", [self._write_at(place, body) for place in list_places(index, self.sizes)])
            case Call(function, arguments):
                return self._call(function, [self._write(argument) for argument in arguments])
            case Choice(condition, then, otherwise):
                fact = self._write_condition(condition)
                if isinstance(fact, bool):
                    return self._write(then if fact else otherwise)
                branches, degrees = self._align([self._write(then), self._write(otherwise)])
                return f"({branches[0]} if {fact} else {branches[1]})", degrees
            case _:
                raise FormulaError(f"{self.formula.name}: an index stands where a number belongs")

    def _use(self, name: str) -> _Term:
        """Name what the kind of number gives."""
        if self.is_whole and not name.startswith("known_"):
            raise _NotWholeError
        self.used.add(name)
        return name, self.none

    def _call(self, function: str, arguments: list[_Term]) -> _Term:
        if self.is_whole:
            if function not in ("max", "min", "abs"):
                raise _NotWholeError
            codes, degrees = self._align(arguments)
        else:
            codes, degrees = [code for code, _ in arguments], self.none
            self._use(function)
        listed = ", ".join(codes)
        return f"{function}(({listed},))" if function in CHOICES else f"{function}({listed})", degrees

    def _write_at(self, place: dict[str, int], node: Node) -> _Term:
        with self._fix(place):
            return self._write(node)

    @contextmanager
    def _fix(self, place: dict[str, int]) -> Iterator[None]:
        """Have letters stand at one place for a while."""
        before, self.fixed = self.fixed, {**self.fixed, **place}
        yield
        self.fixed = before

    def _list_terms(self, node: Node) -> list[_Term]:
        """Return what is added up, one sum in another opened."""
        match node:
            case Over("Σ", index, body):
                terms = []
                for place in list_places(index, self.sizes):
                    with self._fix(place):
                        terms += self._list_terms(body)
                return terms
            case Binary("+", left, right):
                return self._list_terms(left) + self._list_terms(right)
            case Binary("−", left, right):
                return self._list_terms(left) + [(f"(-{code})", degrees) for code, degrees in self._list_terms(right)]
            case _:
                return [self._write(node)]

    def _add(self, terms: list[_Term]) -> _Term:
        codes, degrees = self._align(terms)
        if self.is_whole:
            return f"({' + '.join(codes)})", degrees
        name, _ = self._use("add")
        return f"{name}(({', '.join(codes)},))", self.none

    # conditions: decided now where only places are compared

    def _write_condition(self, node: Node) -> str | bool:
        match node:
            case Binary("and" | "or" as joint, left, right):
                facts = [self._write_condition(each) for each in (left, right)]
                decided = joint == "or"
                if decided in facts:
                    return decided
                open_facts = [fact for fact in facts if isinstance(fact, str)]
                return f"({f' {joint} '.join(open_facts)})" if open_facts else not decided
            case Binary(sign, left, right) if sign in COMPARISONS:
                places = [self._try_place(each) for each in (left, right)]
                if None not in places:
                    return self._compare_places(sign, *places)
                codes, _ = self._align([self._write(left), self._write(right)])
                return f"{codes[0]} {_PYTHON_SIGNS[sign]} {codes[1]}"
            case Call("odd", (argument,)):
                place = self._write_place(argument)
                return place % 2 == 1 if isinstance(place, int) else f"{place} % 2 == 1"
            case _:
                raise FormulaError(f"{self.formula.name}: a condition is missing")

    def _try_place(self, node: Node) -> int | str | None:
        """Return a whole number that is a matter of places alone; None for another."""
        return self._write_place(node) if is_place(node, self.places) else None

    # places: counted from 1, a number where it is known now

    def _write_place(self, node: Node) -> int | str:
        match node:
            case Number(int(value)):
                return value
            case Size(letter):
                return self.sizes[letter]
            case Known(name):
                return self._use(f"known_{name}")[0]
            case Letter(name):
                if name in self.fixed:
                    return self.fixed[name]
                return f"({self._find_loop(name).place} + 1)"
            case Joined(letters):
                first, *others = letters
                place = self._write_place(Letter(first))
                for letter in others:
                    size, next_place = self.sizes[letter], self._write_place(Letter(letter))
                    if isinstance(place, int) and isinstance(next_place, int):
                        place = (place - 1) * size + next_place
                    else:
                        place = f"(({place} - 1)*{size} + {next_place})"
                return place
            case Binary("+" | "−" | "·" as sign, left, right):
                one, other = self._write_place(left), self._write_place(right)
                if isinstance(one, int) and isinstance(other, int):
                    return {"+": one + other, "−": one - other, "·": one * other}[sign]
                return f"({one} {_PYTHON_SIGNS[sign]} {other})"
            case Call("mod", (number, divisor)):
                place, by = self._write_place(number), self._write_place(divisor)
                return place % by if isinstance(place, int) and isinstance(by, int) else f"({place} % {by})"
            case Read(name, (index,)) if name in self.places:
                listed, place = self.places[name], self._write_place(index)
                return listed[place - 1] if isinstance(place, int) else f"{listed}[{place} - 1]"
            case Choice(condition, then, otherwise):
                fact = self._write_condition(condition)
                if isinstance(fact, bool):
                    return self._write_place(then if fact else otherwise)
                return f"({self._write_place(then)} if {fact} else {self._write_place(otherwise)})"
            case _:
                raise FormulaError(f"{self.formula.name}: an index is not known before the cells are worked")

    def _compare_places(self, sign: str, one: int | str | None, other: int | str | None) -> str | bool:
        if isinstance(one, int) and isinstance(other, int):
            return compare(sign, one, other)
        return f"{one} {_PYTHON_SIGNS[sign]} {other}"

    def _find_loop(self, letter: str) -> _Loop:
        loop = next((loop for loop in self.loops if loop.letter == letter), None)
        if loop is None:
            raise FormulaError(f"{self.formula.name}: the index {letter} is not bound")
        return loop

    # cells that are read

    def _write_read(self, read: Read) -> _Term:
        name, indices = read.matrix, read.indices
        if name in self.families:
            head, *indices_left = indices
            place = self._write_place(head)
            if not isinstance(place, int):
                raise FormulaError(f"{self.formula.name}: which head of {name} is read is not known beforehand")
            name, indices = f"h{place}.{name}", tuple(indices_left)
        argument = self.arguments.get(name)
        if argument is None:
            raise FormulaError(f"{self.formula.name}: {name} does not exist")
        at = list(self.arguments).index(name)
        degrees = tuple(int(self.is_whole and at == other) for other in range(len(self.none)))
        return self._write_element(argument, indices), degrees

    def _write_element(self, lines: str, indices: tuple[Node, ...]) -> str:
        """Write an element so that each loop walks through lines: the matrix is turned where it must be."""
        loops = [self._get_loop(index) for index in indices]
        if len(indices) == 2 and self._is_walked_first(loops[1], loops[0]):
            lines = self.turned.setdefault(lines, f"{lines}_turned")
            indices, loops = indices[::-1], loops[::-1]
        element = lines
        for index, loop in zip(indices, loops, strict=True):
            if loop is None:
                element = f"{element}[{self._write_subscript(index, element)}]"
            elif element == f"{lines}_{loop.letter}":  # M[q,q]: the line that the loop stands at itself
                element = f"{element}[{loop.place}]"
            else:
                element = loop.walk_through(element)
        return element

    def _is_walked_first(self, loop: _Loop | None, other: _Loop | None) -> bool:
        """Say whether one loop stands outside the other, or the other is none."""
        if loop is None or other is None:
            return loop is not None
        return self.loops.index(loop) < self.loops.index(other)

    def _get_loop(self, index: Node) -> _Loop | None:
        """Return the loop that an index walks; None for another index."""
        if isinstance(index, Letter) and index.name not in self.fixed:
            return self._find_loop(index.name)
        return None

    def _write_subscript(self, index: Node, lines: str) -> str:
        place = self._write_place(index)
        if isinstance(index, Letter | Joined) and isinstance(place, int):
            return str(place - 1)
        return f"check_place({place}, len({lines}))"


def _is_of_one_kind(node: Node) -> bool:
    """Say whether all in it are numbers as they are read, which any two of can be multiplied."""
    return all(
        isinstance(each, Read | Number | Known | Letter | Size | Joined | Negative)
        or (isinstance(each, Binary) and each.sign in "+−·")
        for each in walk(node)
    )


CHOICES = ("max", "min")
"""Functions that choose among numbers, and take them as one list."""

_PYTHON_SIGNS = {"=": "==", "≠": "!=", "≤": "<=", "≥": ">=", "<": "<", ">": ">", "+": "+", "−": "-", "·": "*"}


def share_denominators(lines: Lines) -> tuple[Lines, int]:
    """Return a matrix or vector of rational numbers as whole ones over their least common denominator.

    >>> share_denominators(((Fraction(1, 2), 2), (Fraction(1, 3), 0)))
    (((3, 12), (2, 0)), 6)
    """
    is_vector = not isinstance(lines[0], tuple)
    rows = (lines,) if is_vector else lines
    common = math.lcm(*{value.denominator for row in rows for value in row})
    whole = tuple([tuple([value.numerator * (common // value.denominator) for value in row]) for row in rows])
    return (whole[0] if is_vector else whole), common
