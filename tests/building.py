"""Problems for the tests: the worked examples of the lesson, and a short way to write others."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, make_matrix, transpose
from attnhand.attention.numbers import Number
from attnhand.attention.problem import Problem
from attnhand.attention.solution import Solution, SolvedStage
from attnhand.attention.spellings import read_plain_number
from attnhand.sheet.sheet import Sheet

Rows = Sequence[Sequence[int | str | Fraction]]

CLASSIC: dict[str, Rows] = {
    "X": [[2, 0, 0, 2], [0, 1, 0, 0], [0, 2, 1, 0], [0, 0, 1, 1], [2, 0, 0, 0], [1, 0, 1, 1]],
    "W_Q": [[1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0], [0, 0, 1, 0, 1, 1]],
    "W_K": [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, -1]],
    "W_V": [[10, 0, 0, 0, 0, 0], [0, 0, 0, 10, 0, 0], [0, 10, 0, 0, 0, 0]],
}
"""The spreadsheet "Self-Attention" of AI by Hand (T. Yeh, MIT licence), tokens as columns."""

PENCIL_SAMPLE: dict[str, Rows] = {
    "X": [[2, 2, 1], [1, 1, 2], [0, 1, 1]],
    "W_Q": [[-1, 1, 0], [1, 0, -1]],
    "W_K": [[-1, -1, 0], [-1, 0, 0]],
    "W_V": [[0, 1, 2], [0, 1, 0]],
}
"""A small sample, tokens as columns, worked with a pencil, slips included."""


def parse_rows(rows: Rows) -> Matrix:
    """Build a matrix from whole numbers, fractions and texts such as "1/3"."""
    return make_matrix([[read_plain_number(v).value if isinstance(v, str) else v for v in row] for row in rows])


def parse_matrix(text: str) -> Matrix:
    """Build a matrix from rows parted by semicolons: "1 2; 3 1/3"."""
    return parse_rows([row.split() for row in text.split(";")])


def make_problem(
    given: dict[str, Rows], *, rules: Rules = HAND, convention: Convention = Convention.COLUMNS, **settings: Any
) -> Problem:
    """Build a problem of self-attention from matrices that lie in its convention."""
    return Problem(
        convention=convention,
        given=tuple((name, parse_rows(rows)) for name, rows in given.items()),
        rules=rules,
        **settings,
    )


def transpose_given(given: dict[str, Rows]) -> dict[str, Rows]:
    """Return the same matrices for tokens as rows."""
    return {name: transpose(parse_rows(rows)) for name, rows in given.items()}  # type: ignore[misc]  # no Decimal is given


def make_problem_from_scores(S: Rows, *, rules: Rules = HAND) -> Problem:
    """Build a problem whose scores are the given square matrix: X and W_Q are the identity, W_K is Sᵀ."""
    size = range(len(S))
    identity: Rows = [[int(i == j) for j in size] for i in size]
    return make_problem(
        {"X": identity, "W_Q": identity, "W_K": list(zip(*S, strict=True)), "W_V": identity}, rules=rules
    )


def collect_hand_values(solution: Solution) -> dict[str, Matrix]:
    """Return the hand values of all stages by name."""
    return {solved.stage.name: solved.hand for solved in solution}


def replace_cell(a: Matrix, row: int, column: int, value: Number) -> Matrix:
    """Return the matrix with one cell changed (0-based)."""
    return tuple(
        tuple(value if (i, j) == (row, column) else old for j, old in enumerate(line)) for i, line in enumerate(a)
    )


def replace_stage(solution: Solution, name: str, **changes: Any) -> Solution:
    """Return the solution with other values at one stage."""

    def change_values(solved: SolvedStage) -> SolvedStage:
        return replace(solved, **changes) if solved.stage.name == name else solved

    return replace(solution, stages=tuple(change_values(solved) for solved in solution))


def move_scores(sheet: Sheet, scores: Matrix) -> Matrix:
    """Move each score of a query to the next key: the sheet then needs the same powers, elsewhere."""
    if sheet.convention.is_rows:
        return tuple((*line[1:], line[0]) for line in scores)
    return (*scores[1:], scores[0])
