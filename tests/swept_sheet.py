"""What is wrong with a drawn sheet: a key that an independent computation does not give, or attention that is dull."""

import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np

from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import Solution, solve
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem
from tests.good_attention import find_faults
from tests.good_first_sheet import find_first_faults
from tests.good_mechanism_sheet import find_sheet_faults
from tests.mechanism_oracle import LOG_DIGITS, MechanismKind, solve_by_hand, solve_exactly


def make_kind(form: Variant, rules: Rules = HAND) -> MechanismKind:
    """Say for the oracle what a form is."""
    return MechanismKind(
        window=form.window,
        scale=str(rules.scale),
        base=int(rules.base.value),
        mechanism=form.mechanism,
        heads=form.head_count,
        causal=form.is_causal,
        words=form.embedded_words,
        positions=form.has_positions,
        kv_heads=form.kv_head_count,
        rotary=form.is_rotary,
        distances=form.has_distances,
        cache=form.cache or 0,
        padding=form.padding,
        shifted=form.is_shifted,
        residual=form.has_residual,
        norm=(form.norm_place or "before") if form.norm else "",
        second_relu=form.has_second_relu,
        blocks=(form.block_count or 2) if form.mechanism == "online" else 0,
        top_k=form.top_k,
        sink=form.sink,
        temperature=form.temperature or Fraction(1),
        rate=form.learning_rate,
    )


def find_wrong_keys(problem: Problem) -> Iterator[str]:
    """Yield stages whose key is not the oracle's, by hand and exactly, with vectors as columns and as rows."""
    kind, given = make_kind(problem.variant, problem.rules), dict(problem.given)
    hand, exact = solve_by_hand(kind, given), solve_exactly(kind, given)
    for turned, own in ((False, problem), (True, problem.transpose())):
        convention, solution = own.convention, prove(solve(own))
        ours = collect_hand_values(solution, turned=turned)
        if sorted(ours) != sorted(hand) or sorted(ours) != sorted(exact):
            yield f"{convention}: other stages than the oracle's"
            continue
        yield from (f"{convention}: {name} by hand is not the oracle's" for name in ours if ours[name] != hand[name])
        for solved in solution:
            name, a = solved.stage.name, np.array(solved.exact)
            if not np.allclose(a.T if turned else a, exact[name], rtol=1e-9, atol=1e-9):
                yield f"{convention}: {name} is not the oracle's exactly"


def find_broken_house_rules(problem: Problem, level: Level) -> Iterator[str]:
    """Yield what a sheet of an ordinary size lacks of what is promised of its numbers, stage by stage."""
    kind, given = make_kind(problem.variant), dict(problem.given)
    yield from find_sheet_faults(kind, given, solve_by_hand(kind, given), level.value)


def find_dull_attention(problem: Problem, level: Level) -> Iterator[str]:
    """Yield where attention shows little, as columns and as rows; nothing where there are no tokens to ask about."""
    for own in (problem, problem.transpose()):
        text = json.loads(format_problem(own))
        if {"S", "W_U"} & text["given"].keys() or problem.variant.cache or "temperature" in text:
            continue
        yield from find_faults(text, level.value)
        # of a key that padding hides nothing is mixed: then the first output may be one value alone
        if level is Level.FIRST and own.sizes.get("features", 0) > 3 and not problem.variant.padding:
            yield from find_first_faults(text)


def collect_hand_values(solution: Solution, *, turned: bool) -> dict[str, list[list[Fraction | None]]]:
    """Return all stages with tokens as columns; a masked score is None."""
    return {
        solved.stage.name: [
            [_fraction(value) for value in row] for row in (zip(*solved.hand, strict=True) if turned else solved.hand)
        ]
        for solved in solution
    }


def _fraction(value: Number) -> Fraction | None:
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(round(Fraction(value) * 10**LOG_DIGITS), 10**LOG_DIGITS)
    return None if value == MINUS_INFINITY else Fraction(value)
