"""From text to formulas.

>>> read_formula("weights   A[k,q] = powers[k,q] / sums[q]").right
Binary(sign='/', left=Read(matrix='powers', indices=(Letter(name='k'), Letter(name='q'))), \
right=Read(matrix='sums', indices=(Letter(name='q'),)))
"""

import re
from collections.abc import Callable, Iterable
from typing import NoReturn

from attnhand.attention.formulas.nodes import (
    COMPARISONS,
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
)
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.errors import list_choices
from attnhand.system.did_you_mean import find_nearest_name

FUNCTIONS = {
    "scale": 1,  # what the rules divide scores by
    "slope": 1,  # what scaling makes of a small change of a score: divided as that is, and never rounded
    "settle": 1,  # rounded down where the rules round down
    "whole": 1,  # rounded down where the rules raise a whole number to whole ones alone
    "nearest": 1,  # the nearest whole number where the rules have shortcuts, halves away from zero
    "root": 1,  # the square root, by such rules to the nearest whole number, but at least 1
    "step": 1,  # 1 of a number above 0, else 0
    "log": 1,  # the power to which the base is raised
    "trunc": 1,
    "floor": 1,
    "ceil": 1,
    "round": 1,  # halves to the even number
    "decimals": 1,  # rounded to the decimals of the sheet
    "abs": 1,
    "max": 2,
    "min": 2,
    "position": 3,  # sine or cosine: of which token, which feature, how many there are
    "cos": 3,  # of the angle by which a number is turned: of which token, which number, how many there are
    "sin": 3,
}
"""Functions of numbers, each with how many arguments it takes; every kind of number has them all."""

PLACE_FUNCTIONS = {
    "mod": 2,  # what is left of a place when it is divided
}
"""Functions of places alone."""

CONDITIONS = {
    "odd": 1,
    "hidden": 2,  # in a slip: the condition of the mask's own formula
}
"""Functions that are true or false."""

RULE_NUMBERS = ("base", "divisor", "d_k", "e")
"""Numbers by name that the rules give."""

_KNOWN_NUMBERS = (
    *(*RULE_NUMBERS, "window", "slope", "kept", "sink", "nothing", "temperature", "own"),
    *("rate_top", "rate_bottom"),
)

"""With those that a form gives; in a slip ``own`` is what a stage should give, ``nothing`` the power of the sink."""

_TOKEN = re.compile(r"\s*(?:(−∞)|(\d+)|([^\W\d]\w*)|([-+−·*/^()\[\],|=≠<>≤≥]))")
_OTHER_SIGNS = {"*": "·", "-": "−"}
"""Signs that a keyboard has, and those that stand for them here."""

_OVER = ("Σ_", "max_")


def read_formulas(text: str, numbers: Iterable[str] = ()) -> tuple[Formula, ...]:
    """Read one formula a line; empty lines and what follows # are left out.

    Args:
        numbers: further names of numbers, which the mechanism gives.
    """
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(read_formula(line, numbers) for line in lines if line)


def read_formula(line: str, numbers: Iterable[str] = ()) -> Formula:
    """Read a line: its topic, then the formula.

    >>> read_formula("sums   sums[q] = Σ_k powers[k,q]").letters
    ('q',)

    Args:
        numbers: further names of numbers, which the mechanism gives.

    Raises:
        FormulaError: what stands there is no formula; the message names the place.
    """
    topic, _, text = line.strip().partition(" ")
    left, equals, right = text.partition("=")
    name = left.partition("[")[0].strip() or topic
    if not equals:
        raise FormulaError(f"{name}: no = stands in {text.strip()!r}: write a topic, then NAME[LETTERS] = FORMULA")
    reader = _Reader(name, left, numbers)
    read = reader.read_whole(frozenset(), reader.read_left)
    assert isinstance(read, Read)
    letters = [letter for index in read.indices for letter in _list_bound(name, index)]
    indices = tuple(index for index in read.indices if isinstance(index, Letter | Joined))
    if doubled := next((letter for letter in letters if letters.count(letter) > 1), None):
        raise FormulaError(f"{name}: the index {doubled} stands twice on the left")
    reader = _Reader(name, right, numbers)
    return Formula(topic, read.matrix, indices, reader.read_whole(frozenset(letters), reader.read_choice))


def _list_bound(name: str, index: Node) -> tuple[str, ...]:
    match index:
        case Letter(letter):
            return (letter,)
        case Joined(letters):
            return letters
        case _:
            raise FormulaError(f"{name}: only letters stand in brackets on the left")


class _Reader:
    """Reads one side of a formula, each method what its name says and all that binds closer."""

    def __init__(self, name: str, text: str, numbers: Iterable[str]) -> None:
        self.name, self.text = name, text
        self.numbers = (*_KNOWN_NUMBERS, *numbers)
        self.bound: frozenset[str] = frozenset()
        """Letters that may stand here."""

        self.tokens: list[tuple[str, int]] = []
        """Each with where it begins."""

        self.at = 0
        end = 0
        while text[end:].strip():
            found = _TOKEN.match(text, end)
            if found is None:
                self._refuse(f"{text[end:].strip()[0]!r} is no sign of a formula", end)
            token = found[0].strip()
            if token in _OTHER_SIGNS:
                self._refuse(f"{token} is no sign of a formula: write {_OTHER_SIGNS[token]}", end)
            self.tokens.append((token, found.end() - len(token)))
            end = found.end()

    def read_whole(self, bound: frozenset[str], read: Callable[[], Node]) -> Node:
        """Read to the end."""
        self.bound = bound
        node = read()
        if self._see():
            self._refuse(f"nothing can be made of {self._see()!r} here")
        return node

    def read_left(self) -> Node:
        """Read a name and its letters, which it binds."""
        matrix = self._take()
        self.bound = frozenset(re.findall(r"\w", self.text.partition("[")[2]))  # all that stand here are bound here
        if self._see() != "[":
            self._refuse("a name and its letters stand on the left: NAME[k,q]")
        return Read(matrix, self._read_list("[", "]", self._read_index))

    def read_choice(self) -> Node:
        """Read ``a if condition else b``."""
        then = self._read_sum()
        if self._see() != "if":
            return then
        self._take()
        condition = self._read_condition()
        self._expect("else")
        return Choice(condition, then, self.read_choice())

    def _read_condition(self) -> Node:
        condition = self._read_comparison()
        joining = self._see()
        while (sign := self._see()) in ("and", "or"):
            if sign != joining:
                self._refuse("and beside or can be read in two ways")
            self._take()
            condition = Binary(sign, condition, self._read_comparison())
        return condition

    def _read_comparison(self) -> Node:
        left = self._read_sum()
        if (sign := self._see()) in COMPARISONS:
            self._take()
            return Binary(sign, left, self._read_sum())
        if isinstance(left, Call) and left.function in CONDITIONS:
            return left
        return self._refuse(f"a condition compares: {list_choices(COMPARISONS)} is missing")

    def _read_sum(self) -> Node:
        if self._see() == "−":
            self._take()
            node: Node = Negative(self._read_product())
        else:
            node = self._read_product()
        while (sign := self._see()) in ("+", "−"):
            self._take()
            node = Binary(sign, node, self._read_product())
        return node

    def _read_product(self, after: str = "") -> Node:
        """Read factors.

        Args:
            after: the Σ whose body it is, which ends with the product.
        """
        node = self._read_power()
        is_divided = False
        while (sign := self._see()) in ("·", "/"):
            if after and sign == "/":
                self._refuse(f"/ after {after} can be read in two ways: put the sum or the quotient in brackets")
            if is_divided:
                self._refuse(f"{sign} after / can be read in two ways: put the quotient or what it is over in brackets")
            self._take()
            node, is_divided = Binary(sign, node, self._read_power()), sign == "/"
        return node

    def _read_power(self) -> Node:
        node = self._read_atom()
        if self._see() == "^":
            self._take()
            node = Binary("^", node, self._read_atom())
            if self._see() == "^":
                self._refuse("a power of a power can be read in two ways: put one of them in brackets")
        return node

    def _read_atom(self) -> Node:
        token = self._see()
        if token == "(":
            self._take()
            inner = self.read_choice()
            self._expect(")")
            return inner
        if token == "|":
            self._take()
            letter = self._take()
            self._expect("|")
            return Size(letter)
        if token == "−∞":
            self._take()
            return Number(MINUS_INFINITY)
        if token.isdigit():
            self._take()
            return Number(int(token))
        if not token.isidentifier() or token in ("if", "else", "and", "or"):
            self._refuse(f"a number, a cell or a bracket is missing before {token!r}" if token else "it breaks off")
        if token.startswith(_OVER):
            return self._read_over()
        return self._read_name()

    def _read_over(self) -> Node:
        token = self._take()
        sign, _, name = token.partition("_")
        before = self.bound
        index: Letter | Joined = Letter(name)
        if not name:
            letters = self._read_list("(", ")", lambda: Letter(self._take()))
            index = Joined(tuple(letter.name for letter in letters if isinstance(letter, Letter)))
        for letter in _list_bound(self.name, index):
            if len(letter) != 1 or not letter.islower():
                self._refuse(f"{sign} runs over a small letter: {sign}_k")
            if letter in before:
                self._refuse(f"the index {letter} of {token} is bound already: take another letter")
            self.bound |= {letter}
        shown = token if name else f"{sign}_({','.join(_list_bound(self.name, index))})"
        body = self._read_product(after=shown)
        self.bound = before
        return Over(sign, index, body)

    def _read_name(self) -> Node:
        at = self.at
        name = self._take()
        if self._see() == "[":
            return Read(name, self._read_list("[", "]", self._read_index))
        functions = {**FUNCTIONS, **PLACE_FUNCTIONS, **CONDITIONS}
        if self._see() == "(":
            if name not in functions:
                nearest = find_nearest_name(name, functions)
                advice = f"did you mean {nearest}?" if nearest else f"there are {', '.join(functions)}"
                self._refuse(f"the function {name} is unknown: {advice}", self.tokens[at][1])
            arguments = self._read_list("(", ")", self.read_choice)
            if len(arguments) != functions[name]:
                wanted = functions[name]
                self._refuse(f"{name} takes {wanted} argument{'s' * (wanted > 1)}, not {len(arguments)}")
            return Call(name, arguments)
        if name in self.numbers:
            return Known(name)
        if len(name) == 1 and name.islower():
            if name not in self.bound:
                self._refuse(f"the index {name} is not bound: write it on the left, or Σ_{name} before it")
            return Letter(name)
        nearest = find_nearest_name(name, self.numbers)
        advice = f"did you mean {nearest}?" if nearest else f"a matrix has its letters beside it: {name}[…]"
        return self._refuse(f"the number {name} is unknown: {advice}", self.tokens[at][1])

    def _read_index(self) -> Node:
        """Read an index: a letter, letters that run as one, or where to look, such as a letter's number: (k)."""
        after = [token for token, _ in self.tokens[self.at : self.at + 3]]
        if after[:1] == ["("] and after[2:] == [","]:
            letters = self._read_list("(", ")", self._read_name)
            return Joined(tuple(letter.name for letter in letters if isinstance(letter, Letter)))
        index = self.read_choice()
        return Binary("+", index, Number(0)) if after[:1] == ["("] and isinstance(index, Letter) else index

    def _read_list(self, opening: str, closing: str, read: Callable[[], Node]) -> tuple[Node, ...]:
        self._expect(opening)
        items = [read()]
        while self._see() == ",":
            self._take()
            items.append(read())
        self._expect(closing)
        return tuple(items)

    def _see(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        token = self._see()
        if not token:
            self._refuse("it breaks off")
        self.at += 1
        return token

    def _expect(self, token: str) -> None:
        if self._see() != token:
            self._refuse(f"{token} is missing")
        self.at += 1

    def _refuse(self, why: str, at: int | None = None) -> NoReturn:
        """Refuse what stands at a place in the text, by default where the reader is."""
        if at is None:
            at = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text)
        before, here = self.text[:at].strip(), self.text[at:].strip()
        place = f'at "{here[:20]}"' if here else f'after "{before[-20:]}"'
        raise FormulaError(f"{self.name}: {why} ({place})")
