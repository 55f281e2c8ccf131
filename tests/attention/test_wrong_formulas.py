"""Wrong formulas are found by the proof, which reads none: whatever is changed in one, no wrong key gets through."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from attnhand.attention.formulas.formula_list import FormulaList
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Formula,
    FormulaError,
    Letter,
    Negative,
    Node,
    Number,
    Over,
    Read,
    rewrite,
    walk,
)
from attnhand.attention.mechanisms import Mechanism
from attnhand.attention.mechanisms.base import Origin
from attnhand.attention.mechanisms.paper import put_on_paper
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import Solution, solve
from attnhand.errors import AttnhandError, KeyProofError
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_sheets

OTHER_SIGNS = {
    "+": "−·",
    "−": "+",
    "·": "+−",
    "/": "·",
    "^": "·",
    ">": "≥<",
    "≤": "<",
    "=": "≠",
    "or": ("and",),
}
"""What a sign may be mistaken for."""


def change_node(node: Node, formulas: FormulaList) -> Iterator[Node]:
    """Yield what somebody might write instead of one part of a formula."""
    match node:
        case Read(matrix, indices) if matrix in formulas.axes:
            if len(indices) == 2 and all(isinstance(index, Letter) for index in indices):
                yield Read(matrix, indices[::-1])
            alike = (name for name, axes in formulas.axes.items() if axes == formulas.axes[matrix] and name != matrix)
            yield from (Read(name, indices) for name in alike)
            yield Negative(node)
        case Binary(sign, left, right):
            yield from (Binary(other, left, right) for other in OTHER_SIGNS.get(sign, ()))
            if sign in ("/", "−", "^"):
                yield Binary(sign, right, left)
            if sign in "+·":
                yield left
        case Number(int(value)):
            yield Number(value + 1)
        case Negative(body):
            yield body
        case Over("Σ", index, body):
            yield Over("max", index, body)
        case Call("scale" | "odd", arguments):
            yield arguments[0] if node.function == "scale" else Binary("=", arguments[0], Number(1))
        case Call("max", arguments):
            yield Call("min", arguments)
        case Call("position", (token, feature, count)):
            yield Call("position", (feature, token, count))
        case Choice(condition, then, otherwise):
            yield Choice(condition, otherwise, then)
            yield otherwise


def list_wrong_formulas(formulas: FormulaList) -> Iterator[tuple[Formula, Formula]]:
    """Yield each formula with one that is wrong in one place."""
    for formula in formulas.formulas:
        for node in dict.fromkeys(walk(formula.right)):
            for other in change_node(node, formulas):
                yield formula, replace(formula, right=rewrite(formula.right, {node: other}.get))


def plant(problem: Problem, formula: Formula, wrong: Formula) -> Problem | None:
    """Return a problem whose mechanism has a wrong formula in place of a right one; None where it does not fit."""
    right = problem.mechanism.formulas
    try:
        formulas = replace(right, formulas=tuple(wrong if each == formula else each for each in right.formulas))
    except FormulaError:
        return None
    make = partial(put_on_paper, problem.mechanism.name, formulas, problem.mechanism.stage_chains)
    mechanism: Mechanism = make(Origin(make, ()))
    planted = replace(problem)
    object.__setattr__(planted, "mechanism", mechanism.convert_to(problem.convention))
    return planted


def work(problem: Problem) -> Solution | None:
    """Solve a problem with a wrong formula; None where nothing can be worked by it."""
    try:
        return solve(problem)
    except (AttnhandError, ArithmeticError, LookupError, TypeError, ValueError):
        return None


@pytest.mark.parametrize("form", ALL_FORMS)
def test_a_wrong_formula_never_makes_a_key(form: str) -> None:
    """Everything that can be mistaken in a form's formulas, one by one: what gives other numbers is refused."""
    problem = next(iter(draw_sheets(form, 1)))
    right, seen = solve(problem), 0
    wrong_formulas = [*list_wrong_formulas(problem.mechanism.formulas)]
    limit = choose(25, len(wrong_formulas))
    for formula, wrong in random.Random(form).sample(wrong_formulas, min(limit, len(wrong_formulas))):
        planted = plant(problem, formula, wrong)
        solution = None if planted is None else work(planted)
        if solution is None or [each.hand for each in solution] == [each.hand for each in right]:
            continue
        with pytest.raises(KeyProofError):
            prove(solution)
        seen += 1
    assert seen >= choose(5, 10)


def test_a_root_that_there_is_not_is_refused_once() -> None:
    """Squares with a wrong sign have no root: no matrix can be named that is all 0."""
    problem = next(iter(draw_sheets("block-1-normed", 1)))
    squares = problem.mechanism.get_stage("squares1").formula.formula
    planted = plant(problem, squares, replace(squares, right=Negative(squares.right)))
    assert planted is not None
    with pytest.raises(ArithmeticError, match="has no square root"):
        solve(planted)
