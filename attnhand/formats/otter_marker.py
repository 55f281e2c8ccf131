"""What marks a matrix in a notebook: its source is written into the tests there, so it needs Python alone."""

from fractions import Fraction
from math import inf
from typing import Any

UNEXPLAINED = "{right}"
"""Where the sentence that is said without a slip has the number of cells that count."""


def read_matrix(answer: Any, rows: int, columns: int, decimals: int) -> Any:
    """Return the numbers of a matrix, each with how far from it the true one may be; None where it is no such matrix.

    >>> read_matrix([["2/7", 0.29], [" −∞", 2]], 2, 2, 2)
    [[(Fraction(2, 7), 0), (Fraction(29, 100), Fraction(1, 200))], [(-inf, 0), (Fraction(2, 1), 0)]]
    """

    def read(x: Any) -> Any:
        text = str(x).replace("−", "-").replace(",", ".").replace("∞", "inf").replace(" ", "")
        if text == "-inf":
            return -inf, 0
        if "." not in text and "e" not in text:
            return Fraction(text), 0
        places = len(text.partition(".")[2])
        room = Fraction(1, 2 * 10**places) if places >= decimals and "e" not in text else 0
        return Fraction(text), max(room, Fraction(1, 10**9))  # as much as Python's floats may lose

    try:
        a = [[read(x) for x in row] for row in answer]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return a if [len(row) for row in a] == [columns] * rows else None


def is_near(typed: Any, true: Any, spare: Any = 0) -> bool:
    """Say whether a number is the true one, to the digits in which it is written."""
    value, room = typed
    if true is None or -inf in (value, true):
        return bool(value == true)
    return bool(abs(value - true) <= max(room, 1e-9 if isinstance(true, float) else 0) + spare)


def is_same(typed: Any, key: Any) -> bool:
    """Say whether a matrix is the key, to the digits in which it is written.

    >>> is_same([[(Fraction(29, 100), Fraction(1, 200))]], [[(Fraction(2, 7), 0)]])
    True
    """
    pairs = (pair for rows in zip(typed, key, strict=True) for pair in zip(*rows, strict=True))
    return all(is_near(x, true) for x, (true, _) in pairs)


def work(cell: Any) -> Any:
    """Return what follows from a student's numbers; None where nothing does."""
    try:
        return cell()
    except (ArithmeticError, TypeError, ValueError):
        return None


def carry_on(follow: Any, inputs: Any) -> Any:
    """Return what follows from matrices, each number with how far it moves where those were rounded.

    >>> carry_on(lambda a: [[2 * a[0][0]]], [[[(Fraction(1, 3), Fraction(1, 200))]]])
    [[(Fraction(2, 3), Fraction(1, 100))]]
    """
    values = [[[x for x, _ in row] for row in a] for a in inputs]
    followed = [[(x, 0) for x in row] for row in follow(*values)]
    for at, a in enumerate(inputs):
        for i, row in enumerate(a):
            for j, (x, room) in enumerate(row):
                if not room:
                    continue
                values[at][i][j] = x + room
                moved = follow(*values)
                values[at][i][j] = x
                for old, new in zip(followed, moved, strict=True):
                    for k, y in enumerate(new):
                        if None not in (y, old[k][0]) and -inf not in (y, old[k][0]):
                            old[k] = old[k][0], old[k][1] + abs(y - old[k][0])
    return followed


def find_fault(a: Any, key: Any, follow: Any, cells: Any, slips: Any, unexplained: str) -> str:
    """Return what is wrong with a matrix: the slip that explains it, or how many cells count; empty if all do."""
    right = [(i, j) for i, j in cells if is_near(a[i][j], key[i][j]) or is_near(a[i][j], *follow[i][j])]
    if len(right) == len(cells):
        return ""
    for wrong, sentence in slips:
        if all(is_near(a[i][j], wrong[i][j]) for i, j in cells):
            return str(sentence)
    return unexplained.replace("{right}", str(len(right)))
