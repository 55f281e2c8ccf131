"""The answers to a sheet's questions, worked apart from the product's code, of which nothing is imported.

Attention is written down once, in a few lines, and worked again with whatever the question changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Columns = list[list[Fraction]]
"""Rows of numbers; a token, or query, is a column."""


def multiply(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> Columns:
    """Multiply row by column."""
    return [
        [
            sum((Fraction(x) * y for x, y in zip(row, column, strict=True)), Fraction(0))
            for column in zip(*b, strict=True)
        ]
        for row in a
    ]


@dataclass
class Attention:
    """One head, worked."""

    S: Columns
    A: Columns
    Z: Columns


def attend(
    Q: Columns,
    K: Columns,
    V: Columns,
    hides: Callable[[int, int], bool],
    *,
    base: int = 3,
    scales: bool = True,
    raised: Mapping[int, int] | None = None,
    hidden_exponent: int | None = None,
    hides_after: bool = False,
) -> Attention:
    """Work one head.

    Args:
        hides: of key and query.
        raised: what is added to every score of a query.
        hidden_exponent: what stands in hidden cells instead of minus infinity.
        hides_after: whether what is hidden is taken away after dividing.
    """
    keys, queries = [*zip(*K, strict=True)], [*zip(*Q, strict=True)]
    S = [[sum((a * b for a, b in zip(k, q, strict=True)), Fraction(0)) for q in queries] for k in keys]
    powers: Columns = []
    for i in range(len(keys)):
        powers.append([])
        for j in range(len(queries)):
            score = S[i][j] + (raised or {}).get(j, 0)
            exponent = score // 2 if scales else score
            hidden = hides(i, j) and not hides_after
            if hidden and hidden_exponent is None:
                powers[i].append(Fraction(0))
            else:
                assert exponent == int(exponent)
                powers[i].append(Fraction(base) ** int(hidden_exponent if hidden else exponent))  # type: ignore[arg-type]
    sums = [sum(column, Fraction(0)) for column in zip(*powers, strict=True)]
    A = [[power / total for power, total in zip(row, sums, strict=True)] for row in powers]
    if hides_after:
        A = [[Fraction(0) if hides(i, j) else share for j, share in enumerate(row)] for i, row in enumerate(A)]
    return Attention(S, A, multiply(V, A))


def get_column(a: Columns, at: int) -> list[Fraction]:
    """Return a column."""
    return [row[at] for row in a]


def change_column(a: Columns, at: int, change: Callable[[Fraction], Fraction]) -> Columns:
    """Return a matrix with one column changed."""
    return [[change(value) if j == at else value for j, value in enumerate(row)] for row in a]


def exchange_columns(a: Columns, i: int, j: int) -> Columns:
    """Return a matrix with two columns exchanged."""
    return [[row[{i: j, j: i}.get(at, at)] for at in range(len(row))] for row in a]


def compare(before: Any, after: Any) -> str:
    """Return more, less or same."""
    return "more" if after > before else "less" if after < before else "same"
