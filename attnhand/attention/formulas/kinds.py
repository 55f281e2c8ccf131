"""Kinds of number that a formula is worked in, each with what the rules say there.

What a formula calls ``scale``, ``base`` or ``position`` is a matter of the kind and its rules, and so is how large a
power may be. A kind takes its matrices in, works formulas by its functions, and gives numbers of its own.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any

from attnhand.attention.arithmetic import Arithmetic, Base, Rules, compute_turn
from attnhand.attention.formulas.compiling import Compiled, Lines, make_ratio, share_denominators
from attnhand.attention.matrix import NOISE
from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    MINUS_INFINITY,
    Number,
    divide,
    format_decimal,
    has_irrational,
    round_to_nearest,
    simplify,
    take_root,
    to_decimal,
)
from attnhand.errors import AttnhandError


class TooLargeError(AttnhandError):
    """A power that cannot be written down."""

    def __init__(self, exponent: Number) -> None:
        super().__init__(f"{exponent} is too large an exponent to be written down")
        self.exponent = exponent


class Numbers(ABC):
    """A kind of number under rules; every function of a formula is a method of that name."""

    def __init__(self, arithmetic: Arithmetic, known: Mapping[str, int] | None = None) -> None:
        """Take the rules in.

        Args:
            known: further numbers by name, such as the window of a mask.
        """
        self.arithmetic = arithmetic
        rules = arithmetic.rules
        self.known: dict[str, Any] = {"d_k": arithmetic.d_k, **(known or {})}
        """Numbers by name; one that the rules do not have is missing."""

        if rules.divisor is not None:
            self.known["divisor"] = rules.divisor

    minus_infinity: Any
    """A masked score."""

    @abstractmethod
    def take(self, value: Number) -> Any:
        """Make a number of this kind of an exact one."""

    # what signs stand for

    def multiply(self, one: Any, other: Any) -> Any:
        """Multiply; of two numbers that a stage reads ``*`` does."""
        return one * other

    @abstractmethod
    def add(self, terms: Sequence[Any]) -> Any:
        """Add up."""

    @abstractmethod
    def divide(self, numerator: Any, denominator: Any) -> Any:
        """Divide."""

    @abstractmethod
    def power(self, base: Any, exponent: Any) -> Any:
        """Raise; of −∞ comes 0."""

    # functions by name

    @abstractmethod
    def scale(self, score: Any) -> Any:
        """Divide a score by √d_k, or by what stands for it."""

    @abstractmethod
    def position(self, token: int, feature: int, feature_count: int) -> Any:
        """Return one entry of a sinusoidal position, token and feature counted from 1."""

    def cos(self, token: int, feature: int, feature_count: int) -> Any:
        """Return the cosine of the angle by which a number is turned, token and number counted from 1."""
        return self.take(compute_turn(token - 1, feature - 1, feature_count).cosine)

    def sin(self, token: int, feature: int, feature_count: int) -> Any:
        """Return the sine of the same."""
        return self.take(compute_turn(token - 1, feature - 1, feature_count).sine)

    def step(self, value: Any) -> Any:
        """Return 1 of a number above 0, else 0."""
        return 1 if value > 0 else 0

    @abstractmethod
    def log(self, value: Any) -> Any:
        """Return the power to which the base of the rules is raised to give a number above 0."""

    def temper(self, value: Any) -> Any:
        """Round down what a temperature has divided, where a pencil raises whole numbers to powers."""
        return value if self.arithmetic.rules.base.whole is None else self.floor(value)

    def trunc(self, value: Any) -> Any:
        """Drop what stands after the point."""
        return math.trunc(value)

    def floor(self, value: Any) -> Any:
        """Round down."""
        return math.floor(value)

    def ceil(self, value: Any) -> Any:
        """Round up."""
        return math.ceil(value)

    def round(self, value: Any) -> Any:
        """Round, halves to the even number."""
        return round(value)

    def abs(self, value: Any) -> Any:
        """Leave out the sign."""
        return -value if value < 0 else value

    def max(self, values: Sequence[Any]) -> Any:
        """Return the largest."""
        return max(values)

    def min(self, values: Sequence[Any]) -> Any:
        """Return the smallest."""
        return min(values)

    def slope(self, value: Any) -> Any:
        """Divide as scores are divided, and do not round: what a small change of a score comes to once it is scaled."""
        rules = self.arithmetic.rules
        return self.divide(value, rules.divisor) if rules.is_rounded_down else self.scale(value)

    def settle(self, value: Any) -> Any:
        """Round down where the rules round scores down."""
        return self.floor(value) if self.arithmetic.rules.is_rounded_down else value

    def whole(self, value: Any) -> Any:
        """Round down where the rules raise a whole number to whole ones alone."""
        return self.floor(value) if self.arithmetic.rules.has_whole_exponents else value

    def nearest(self, value: Any) -> Any:
        """Round to the nearest whole number where the rules have shortcuts."""
        return round_to_nearest(value) if self.arithmetic.rules.has_whole_stream else value

    def root(self, value: Any) -> Any:
        """Take the square root, by such rules to the nearest whole number, but at least 1."""
        root = take_root(value)
        return max(round_to_nearest(root), 1) if self.arithmetic.rules.has_whole_stream else root

    def decimals(self, value: Any) -> Any:
        """Round to the decimals of the sheet."""
        return self.take(Fraction(format_decimal(value, self.arithmetic.rules.decimals)))

    # a whole stage

    def unify(self, matrices: Sequence[Lines], known: Sequence[str]) -> Sequence[Lines]:
        """Return what a stage reads so that any two of its numbers can be added.

        Args:
            known: names of known numbers that it reads too.
        """
        return matrices

    def work(self, compiled: Compiled, matrices: Sequence[Lines]) -> Lines:
        """Work a stage from what it reads."""
        return compiled.work(self, *self.unify(matrices, compiled.known))


EULER = DECIMAL_CONTEXT.exp(Decimal(1))
"""e, to 40 digits."""

_WITH_BASE = {base.whole or EULER: Arithmetic(rules=Rules(base=base)) for base in Base if base is not Base.NONE}

_RAISED: Mapping[Number, tuple[Callable[[Number], Number], int]] = {
    base: (arithmetic.raise_base, arithmetic.max_exponent) for base, arithmetic in _WITH_BASE.items()
}
"""How each base of a sheet is raised, and the largest exponent whose power is written down."""


class ExactNumbers(Numbers):
    """Whole numbers and fractions, and decimals of 40 digits where a root or e makes them irrational."""

    minus_infinity = MINUS_INFINITY

    def __init__(
        self, arithmetic: Arithmetic, known: Mapping[str, int] | None = None, *, has_limit: bool = True
    ) -> None:
        """Take the rules in.

        Args:
            has_limit: whether a power is refused that nobody can write down.
        """
        super().__init__(arithmetic, known)
        self.known["e"] = EULER
        self.known["base"] = arithmetic.rules.base.whole or EULER
        self.has_limit = has_limit

    def take(self, value: Number) -> Number:
        return simplify(value)

    def add(self, terms: Sequence[Number]) -> Number:
        """Add up; what is smaller than so much of its terms is 0, see ``NOISE``."""
        kinds = set(map(type, terms))
        if Decimal in kinds and Fraction in kinds:  # a root or a power has come in on the way
            terms = list(map(_drop_fraction, terms))
        total: Number = sum(filter(None, terms))  # of nothing it is a whole 0
        if isinstance(total, Decimal) and total.is_finite() and abs(total) < NOISE * sum(map(self.abs, terms)):
            return Decimal(0)
        return simplify(total)

    def multiply(self, one: Number, other: Number) -> Number:
        if isinstance(one, Decimal) or isinstance(other, Decimal):
            one, other = _drop_fraction(one), _drop_fraction(other)
        return simplify(one * other)  # type: ignore[operator]  # of one kind

    def divide(self, numerator: Number, denominator: Number) -> Number:
        return divide(numerator, denominator)

    def power(self, base: Number, exponent: Number) -> Number:
        if base not in _RAISED:  # a score, raised to something small
            return simplify(base**exponent)  # type: ignore[arg-type, operator]
        raise_base, limit = _RAISED[base]
        is_too_small = base != EULER and exponent < -limit and exponent != MINUS_INFINITY  # a fraction never ends
        if self.has_limit and (exponent > limit or is_too_small):
            raise TooLargeError(exponent)
        return raise_base(exponent)

    def scale(self, score: Number) -> Number:
        return simplify(self.arithmetic.scale_score(score))

    def position(self, token: int, feature: int, feature_count: int) -> Number:
        return self.arithmetic.encode_position(token - 1, feature - 1, feature_count)

    def log(self, value: Number) -> Number:
        if value <= 0:
            raise ZeroDivisionError("no power is 0 or less")
        found = to_decimal(value).ln(DECIMAL_CONTEXT)
        whole = self.arithmetic.rules.base.whole
        return found if whole is None else DECIMAL_CONTEXT.divide(found, Decimal(whole).ln(DECIMAL_CONTEXT))

    def unify(self, matrices: Sequence[Lines], known: Sequence[str]) -> Sequence[Lines]:
        """Turn fractions into decimals where something is irrational: Python refuses to add the one to the other."""
        values: list[Number] = [*chain.from_iterable(map(list_cells, matrices)), *(self.known[name] for name in known)]
        if not has_irrational(values):
            return matrices
        return [convert_lines(lines, _drop_fraction) for lines in matrices]

    def work(self, compiled: Compiled, matrices: Sequence[Lines]) -> Lines:
        """Work a stage: in whole numbers where it can be, fractions over one denominator a matrix."""
        if compiled.work_whole is not None:
            kinds = set(map(type, chain.from_iterable(map(list_cells, matrices))))
            kinds.update(type(self.known[name]) for name in compiled.known)
            if kinds <= {int, Fraction}:
                return _work_in_whole_numbers(self, compiled, matrices, is_whole=kinds <= {int})
        worked = super().work(compiled, matrices)
        return convert_lines(worked, simplify) if Fraction in set(map(type, list_cells(worked))) else worked


@lru_cache(maxsize=100)
def make_exact_numbers(arithmetic: Arithmetic, *, has_limit: bool = False) -> ExactNumbers:
    """Return exact numbers under these rules."""
    return ExactNumbers(arithmetic, has_limit=has_limit)


def _drop_fraction(value: Number) -> Number:
    return to_decimal(value) if isinstance(value, Fraction) else value


def list_cells(lines: Lines) -> Lines:
    """Return all numbers of a matrix or vector."""
    return tuple(chain.from_iterable(lines)) if isinstance(lines[0], tuple) else lines


def convert_lines(lines: Lines, change: Callable[[Any], Any]) -> Lines:
    """Return a matrix or vector with other numbers."""
    if isinstance(lines[0], tuple):
        return tuple([tuple(map(change, row)) for row in lines])
    return tuple(map(change, lines))


def _work_in_whole_numbers(
    numbers: ExactNumbers, compiled: Compiled, matrices: Sequence[Lines], *, is_whole: bool
) -> Lines:
    assert compiled.work_whole is not None
    if is_whole:
        return compiled.work_whole(numbers, (1,) * len(matrices), *matrices)
    shared = [share_denominators(lines) for lines in matrices]
    denominators = tuple(denominator for _, denominator in shared)
    worked = compiled.work_whole(numbers, denominators, *(lines for lines, _ in shared))
    if compiled.degrees is None:
        return worked
    under = math.prod(map(pow, denominators, compiled.degrees))
    return worked if under == 1 else convert_lines(worked, lambda value: make_ratio(value, under))
