"""Numbers of which only bounds are known: the least and the most that may follow from them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import ExactNumbers, Numbers, convert_lines, list_cells
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.numbers import MINUS_INFINITY, Number, divide, has_irrational, to_decimal


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """All numbers from the lower bound to the upper one; ``ANYTHING`` where none is known.

    A comparison says what is true of all numbers in it, and is refused where it depends on which.

    >>> Interval(-1, 2) * Interval(3, 4)
    Interval(low=-4, high=8)
    >>> Interval(1, 2) < Interval(3, 4), Interval(1, 2) == 3
    (True, False)
    """

    low: Any
    high: Any

    def __mul__(self, other: "Interval | int") -> "Interval":
        other = _make_interval(other)
        if self is ANYTHING or other is ANYTHING:
            return ANYTHING
        products = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(products), max(products))

    __rmul__ = __mul__

    def __neg__(self) -> "Interval":
        return self if self is ANYTHING else Interval(-self.high, -self.low)

    def __lt__(self, other: "Interval | int") -> bool:
        low, high = _get_bounds(self, other)
        return _decide(self.high < low, self.low >= high)

    def __gt__(self, other: "Interval | int") -> bool:
        low, high = _get_bounds(self, other)
        return _decide(self.low > high, self.high <= low)

    def __le__(self, other: "Interval | int") -> bool:
        return not self > other

    def __ge__(self, other: "Interval | int") -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        low, high = _get_bounds(self, other)
        return _decide(self.low == self.high == low == high, self.high < low or self.low > high)

    __hash__ = None  # type: ignore[assignment]  # two that may be equal have no hash


ANYTHING = Interval(None, None)
"""A number of which nothing is known: a quotient over what may be 0."""


def _make_interval(value: Any) -> Interval:
    return value if isinstance(value, Interval) else Interval(value, value)


def _get_bounds(interval: Interval, other: object) -> tuple[Any, Any]:
    """Return the bounds of what an interval is compared with."""
    compared = _make_interval(other)
    _decide(interval is not ANYTHING and compared is not ANYTHING, False)
    return compared.low, compared.high


def _decide(is_true: bool, is_false: bool) -> bool:
    """Return what is true whichever numbers are meant."""
    if not is_true and not is_false:
        raise FormulaError("a condition depends on a number of which only bounds are known")
    return is_true


class IntervalNumbers(Numbers):
    """Intervals whose bounds are exact numbers."""

    minus_infinity = Interval(MINUS_INFINITY, MINUS_INFINITY)

    def __init__(self, arithmetic: Arithmetic, known: Mapping[str, int] | None = None) -> None:
        super().__init__(arithmetic, known)
        self.ends = ExactNumbers(arithmetic, known)
        self.known = self.ends.known

    def take(self, value: Number) -> Interval:
        return Interval(value, value)

    def unify(self, matrices: Sequence[Lines], known: Sequence[str]) -> Sequence[Lines]:
        bounds = [end for lines in matrices for cell in list_cells(lines) for end in (cell.low, cell.high)]
        if not has_irrational([*(end for end in bounds if end is not None), *(self.known[name] for name in known)]):
            return matrices
        return [convert_lines(lines, _drop_fractions) for lines in matrices]

    def multiply(self, one: Interval | int, other: Interval | int) -> Interval:
        factors = [_make_interval(one), _make_interval(other)]
        ends = [end for each in factors if each is not ANYTHING for end in (each.low, each.high)]
        if len(ends) == 4 and has_irrational(ends):
            factors = list(map(_drop_fractions, factors))
        return factors[0] * factors[1]

    def add(self, terms: Sequence[Interval | int]) -> Interval:
        intervals = list(map(_make_interval, terms))
        if any(each is ANYTHING for each in intervals):
            return ANYTHING
        return Interval(
            self.ends.add([each.low for each in intervals]), self.ends.add([each.high for each in intervals])
        )

    def divide(self, numerator: Interval | int, denominator: Interval | int) -> Interval:
        over, under = _make_interval(numerator), _make_interval(denominator)
        if over is ANYTHING or under is ANYTHING or under.low <= 0 <= under.high:
            return ANYTHING
        quotients = [divide(a, b) for a in (over.low, over.high) for b in (under.low, under.high)]
        return Interval(min(quotients), max(quotients))

    def power(self, base: Any, exponent: Interval) -> Interval:
        """Raise a base of the rules: the larger the exponent, the larger the power."""
        return _grow(lambda end: self.ends.power(base, end), exponent)

    def scale(self, score: Interval) -> Interval:
        return _grow(self.ends.scale, score)

    def settle(self, value: Interval) -> Interval:
        return _grow(self.ends.settle, value)

    def whole(self, value: Interval) -> Interval:
        return _grow(self.ends.whole, value)

    def step(self, value: Interval) -> Interval:
        value = _make_interval(value)
        return Interval(0, 1) if value is ANYTHING else _grow(self.ends.step, value)

    def log(self, value: Interval) -> Interval:
        value = _make_interval(value)
        return ANYTHING if value is ANYTHING or value.low <= 0 else _grow(self.ends.log, value)

    def decimals(self, value: Interval) -> Interval:
        return _grow(self.ends.decimals, value)

    def nearest(self, value: Interval) -> Interval:
        return _grow(self.ends.nearest, value)

    def root(self, value: Interval) -> Interval:
        value = _make_interval(value)
        return ANYTHING if value is ANYTHING or value.low < 0 else _grow(self.ends.root, value)

    def position(self, token: int, feature: int, feature_count: int) -> Interval:
        return self.take(self.ends.position(token, feature, feature_count))

    def trunc(self, value: Interval) -> Interval:
        return _grow(math.trunc, value)

    def floor(self, value: Interval) -> Interval:
        return _grow(math.floor, value)

    def ceil(self, value: Interval) -> Interval:
        return _grow(math.ceil, value)

    def round(self, value: Interval) -> Interval:
        return _grow(round, value)

    def abs(self, value: Interval) -> Interval:
        return self.max((value, -value, 0))

    def max(self, values: Sequence[Interval | int]) -> Interval:
        return _choose(max, values)

    def min(self, values: Sequence[Interval | int]) -> Interval:
        return _choose(min, values)


@lru_cache(maxsize=100)
def make_interval_numbers(arithmetic: Arithmetic) -> IntervalNumbers:
    """Return intervals under these rules."""
    return IntervalNumbers(arithmetic)


def pair_up(lows: Lines, highs: Lines) -> Lines:
    """Return a matrix of intervals from their bounds."""
    return tuple(tuple(map(Interval, low, high)) for low, high in zip(lows, highs, strict=True))


def _grow(function: Callable[[Any], Any], argument: Interval | int) -> Interval:
    """Return the values of a function that never falls: between those at the bounds."""
    argument = _make_interval(argument)
    return ANYTHING if argument is ANYTHING else Interval(function(argument.low), function(argument.high))


def _choose(choose: Callable[[Sequence[Any]], Any], values: Sequence[Interval | int]) -> Interval:
    """Return the values of a function that chooses one of its arguments and never falls."""
    intervals = list(map(_make_interval, values))
    if any(each is ANYTHING for each in intervals):
        return ANYTHING
    return Interval(choose([each.low for each in intervals]), choose([each.high for each in intervals]))


def _drop_fractions(interval: Interval) -> Interval:
    """Turn fractions into decimals: Python refuses to add the one to the other."""
    ends = (to_decimal(end) if isinstance(end, Fraction) else end for end in (interval.low, interval.high))
    return Interval(*ends)
