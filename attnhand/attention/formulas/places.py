"""Places: which cells an index names, counted from 1, and what is a matter of places alone."""

from collections.abc import Container, Mapping
from itertools import product
from typing import Any

from attnhand.attention.formulas.nodes import (
    COMPARISONS,
    Binary,
    Call,
    Choice,
    FormulaError,
    Joined,
    Known,
    Letter,
    Node,
    Number,
    Read,
    Size,
    list_letters,
)
from attnhand.attention.formulas.reading import RULE_NUMBERS


def list_places(index: Letter | Joined, sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """Return all places of an index, the last letter the fastest.

    >>> list_places(Joined(("h", "v")), {"h": 1, "v": 2})
    [{'h': 1, 'v': 1}, {'h': 1, 'v': 2}]
    """
    letters = list_letters(index)
    ranges = [range(1, sizes[letter] + 1) for letter in letters]
    return [dict(zip(letters, place, strict=True)) for place in product(*ranges)]


def is_place(node: Node, lists: Container[str] = ()) -> bool:
    """Say whether a node is a matter of places alone, whatever numbers the matrices hold.

    >>> is_place(Binary("−", Letter("q"), Known("window"))), is_place(Read("S", (Letter("k"), Letter("q"))))
    (True, False)
    """
    match node:
        case Letter() | Size() | Joined():
            return True
        case Number(value):
            return isinstance(value, int)
        case Known(name):
            return name not in RULE_NUMBERS
        case Read(name):
            return name in lists
        case Call("mod", arguments):
            return all(is_place(each, lists) for each in arguments)
        case Binary(sign, left, right):
            return sign in (*"+−·", *COMPARISONS, "and", "or") and is_place(left, lists) and is_place(right, lists)
        case Choice(condition, then, otherwise):
            return all(is_place(each, lists) for each in (condition, then, otherwise))
        case _:
            return False


def compare(sign: str, one: Any, other: Any) -> bool:
    """Compare two numbers by a sign of a formula.

    >>> compare("≤", 2, 2), compare("≠", 2, 2)
    (True, False)
    """
    match sign:
        case "=":
            return bool(one == other)
        case "≠":
            return bool(one != other)
        case "<":
            return bool(one < other)
        case ">":
            return bool(one > other)
        case "≤":
            return bool(one <= other)
        case _:
            return bool(one >= other)


def check_place(place: int, size: int) -> int:
    """Return a place (from 1) as Python counts, if it is there: nothing wraps around.

    Raises:
        FormulaError: it lies outside.
    """
    if not 1 <= place <= size:
        raise FormulaError(f"place {place} of {size} does not exist")
    return place - 1
