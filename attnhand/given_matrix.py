"""One given matrix out of lists of whatever was written there.

Every refusal names the matrix, the row and the column (from 1) and says what to write instead.
"""

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from attnhand.errors import NumberError, ProblemError
from attnhand.numbers import Number, parse_number, simplest
from attnhand.problem import LARGEST_ENTRY

LONGEST_SIDE = 64
"""A matrix of more rows or columns is refused before it is read."""

_LARGE = 10**20
"""Numbers from here on are refused before any work is done with them."""

_HOW = "write a list of rows such as [[1, 0], [0, 1]]"


@dataclass(frozen=True, slots=True)
class Entry:
    """One number and how it was written."""

    value: Number
    is_fraction: bool
    """Written as 1/2 rather than as 0.5; says nothing of whole numbers."""


def read_matrix(name: str, rows: object) -> list[list[Entry]]:
    """Read a list of rows of numbers.

    >>> [[entry.value for entry in row] for row in read_matrix("X", [[1, "−2"], [Decimal("0.5"), "1/3"]])]
    [[1, -2], [Fraction(1, 2), Fraction(1, 3)]]

    Raises:
        ProblemError: no rows, rows of different lengths, or an entry that is no number.
    """
    if not isinstance(rows, list | tuple):
        raise ProblemError(f"{name} is {shown(rows)}, not a matrix: {_HOW}")
    if not rows:
        raise ProblemError(f"{name} is empty: {_HOW}")
    if len(rows) > LONGEST_SIDE:
        raise ProblemError(f"{name} has {len(rows)} rows, far more than a page holds: give a smaller matrix")
    for i, row in enumerate(rows):
        where = f"{name}, row {i + 1}"
        if not isinstance(row, list | tuple):
            raise ProblemError(f"{where} is {shown(row)}, not a row of numbers: {_HOW}")
        if not row:
            raise ProblemError(f"{where} is empty: give every row as many numbers")
        if len(row) > LONGEST_SIDE:
            raise ProblemError(f"{where} has {len(row)} columns, far more than a page holds: give a smaller matrix")
        if len(row) != len(rows[0]):
            raise ProblemError(f"{where} has {_count(row)} but row 1 has {_count(rows[0])}: give both as many")
    return [
        [_entry(f"{name}, row {i + 1}, column {j + 1}", x) for j, x in enumerate(row)] for i, row in enumerate(rows)
    ]


def _count(row: Sized) -> str:
    return f"{len(row)} number{'s' if len(row) > 1 else ''}"


def _entry(where: str, entry: object) -> Entry:
    match entry:
        case bool() | None:
            raise ProblemError(f"{where} is {shown(entry)}, not a number: write 0 or 1 if that is meant")
        case str():
            try:
                return Entry(parse_number(entry), "/" in entry or "⁄" in entry)
            except NumberError as error:
                raise ProblemError(f"{where} {error}") from error
        case float():
            return _entry(where, Decimal(float.__repr__(entry)))
        case int() | Fraction():
            _refuse_large(where, entry, -_LARGE < entry < _LARGE)
            return Entry(simplest(entry), True)
        case Decimal():
            if not entry.is_finite():
                raise ProblemError(f"{where} is {shown(entry)}, not a finite number: write one up to ±{LARGEST_ENTRY}")
            _refuse_large(where, entry, not entry or entry.adjusted() < 20)
            if entry and int(entry.as_tuple().exponent) < -100:
                raise ProblemError(f"{where} has too many decimals: round it to six places")
            return Entry(simplest(Fraction(entry)) if entry else 0, False)
        case _:
            raise ProblemError(f'{where} is {shown(entry)}, not a number: write one such as 2, 0.5 or "1/3"')


def _refuse_large(where: str, entry: object, is_small: bool) -> None:
    if not is_small:
        raise ProblemError(
            f"{where} is {shown(entry)}: numbers beyond ±{LARGEST_ENTRY} cannot be printed legibly; use smaller ones"
        )


def shown(value: object) -> str:
    """Write a refused value as its file would, shortly and printably.

    >>> shown(None), shown("x"), shown([1, 2]), shown(10**30)
    ('null', "'x'", 'a list', 'a number of more than 20 digits')
    """
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case str():
            return repr(value if len(value) <= 30 else value[:30] + "…")
        case int():
            return str(value) if abs(value) < _LARGE else "a number of more than 20 digits"
        case Decimal() | Fraction() | float():
            text = str(value)
            return text if len(text) <= 30 else text[:30] + "…"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"of type {type(value).__name__}"
