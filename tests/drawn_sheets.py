"""Sheets of all forms and rules, drawn and in part changed to fractions: what formulas are compared on."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import simplify
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import GenerationError, ProblemError
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from tests.breadth import LOOKS_AT_ALL
from tests.forms import FORMS, SOME_FORMS, WORDS
from tests.strategies import ALL_RULES

FURTHER_FORMS: dict[str, Variant] = {
    "self-window": Variant(is_causal=True, window=2),
    "multi-head-window": Variant(mechanism="multi-head", is_causal=True, window=3),
    "basic-words": Variant(mechanism="basic", embedded_words=WORDS),
    "cross-words-positions": Variant(mechanism="cross", embedded_words=WORDS, has_positions=True),
    "self-given-positions": Variant(embedded_words=WORDS, has_positions=True),
    "self-radians": Variant(is_rotary=True, has_radians=True),
}
"""What is drawn nowhere else: windows, further words, positions as a given matrix, vectors turned by radians."""

ALL_FORMS: dict[str, Variant] = {name: FORMS[name] for name in SOME_FORMS} | FURTHER_FORMS
"""Every form that tests look at."""


SQUARE_SIZES = {
    "block-1": (("hidden", 3), ("tokens", 3)),
    "self": (("d_k", 3), ("d_v", 3), ("tokens", 3), ("features", 3)),
}
"""Sizes of every other sheet of some forms, so that matrices are square which no level makes so."""


def draw_sheets(name: str, count: int) -> Iterator[Problem]:
    """Yield so many sheets of a form, each in both conventions."""
    for problem in _draw_in_columns(name, count):
        yield problem
        yield problem.transpose()


def draw_by_turns(name: str, count: int) -> Iterator[Problem]:
    """Yield so many sheets of a form, by turns in columns and in rows; in ``make sweep`` each in both."""
    first = list(FORMS | FURTHER_FORMS).index(name)
    for turn, problem in enumerate(_draw_in_columns(name, count), first):
        if LOOKS_AT_ALL or turn % 2 == 0:
            yield problem
        if LOOKS_AT_ALL or turn % 2 == 1:
            yield problem.transpose()


def _draw_in_columns(name: str, count: int) -> Iterator[Problem]:
    """Yield so many sheets of a form but for those that cannot be worked."""
    yield from filter(None, (_draw_sheet(name, seed) for seed in range(count)))


@cache
def _draw_sheet(name: str, seed: int) -> Problem | None:
    """Return a sheet of a form; rules and levels take turns. None where a seed finds none, or a power is too large.

    Of three the second has halves and thirds among its weights, the third numbers with a decimal.
    """
    forms, levels = FORMS | FURTHER_FORMS, list(Level)
    form, first = forms[name], list(forms).index(name)
    rules = ALL_RULES[(first + 7 * seed) % len(ALL_RULES)] if seed % 2 else ALL_RULES[0]
    level = levels[(first + seed) % len(levels)]
    sizes = SQUARE_SIZES.get(name, ()) if seed % 2 else ()
    drawn = replace(form, has_radians=False)
    try:
        problem = generate_problem(Request(seed=seed, variant=drawn, rules=rules, level=level, size_overrides=sizes))
        if form.has_radians:
            problem = replace(problem, variant=form, rules=drop_shortcuts(rules))
        if name == "self-given-positions":
            problem = _give_positions(problem)
        if seed % 3:
            problem = _put_fractions_in(problem, (2, 10)[seed % 3 - 1])
        solve(problem)
    except (GenerationError, ProblemError):
        return None
    return problem


def drop_shortcuts(rules: Rules) -> Rules:
    """Return rules that do not round scores down, and take e for e."""
    return replace(rules, base=Base.E, scale=ScaleRule.SQRT if rules.is_rounded_down else rules.scale)


def _give_positions(problem: Problem) -> Problem:
    positions = solve(problem)["P"].hand
    variant = replace(problem.variant, has_given_positions=True)
    return replace(problem, variant=variant, given=(*problem.given[:1], ("P", positions), *problem.given[1:]))


def _put_fractions_in(problem: Problem, divisor: int) -> Problem:
    """Divide a few entries of every matrix."""

    def divide(a: Matrix) -> Matrix:
        return tuple(
            tuple(simplify(Fraction(x) / (divisor + i % 2)) if (i + 2 * j) % 5 == 0 else x for j, x in enumerate(row))
            for i, row in enumerate(a)
        )

    given = tuple((name, divide(transpose_if_columns(a, problem.convention))) for name, a in problem.given)
    given = tuple((name, transpose_if_columns(a, problem.convention)) for name, a in given)
    return replace(problem, given=given)
